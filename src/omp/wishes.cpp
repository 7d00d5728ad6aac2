#include "omp/wishes.hpp"

#include <memory>
#include <string>

#include "base/env.hpp"
#include "omp/fatal.hpp"
#include "omp/icv.hpp"

namespace doall::omp {

void inherit(region& r, const team_wish& wish) {
  const thread_list* list = r.parent->team->threads_inside;
  if (wish.list) [[unlikely]] {
    r.own_list = std::make_unique<thread_list>(thread_list{r.level, wish.list->numbers});
    list = r.own_list.get();
  }
  if (r.threads_inside != list) r.threads_inside = list;
  const icvs& outer = r.parent->settings();
  const auto bind = static_cast<std::uint32_t>(wish.proc_bind);
  if (differ_by_level(outer, list, bind)) {
    if (const icvs its = at_level(outer, r.level, list, bind); r.settings != its) r.settings = its;
  } else if (r.settings != outer) {
    r.settings = outer;
  }
}

void say_too_few(const team_wish& wish, std::uint32_t threads) {
  std::string text = "a region asks for exactly " + std::to_string(wish.num_threads) +
                     " threads, and can have " + std::to_string(threads);
  if (wish.message != nullptr) text += std::string(": ") + wish.message;
  if (wish.strict == team_wish::ends) fatal(text);
  base::warn(text);
}

}  // namespace doall::omp
