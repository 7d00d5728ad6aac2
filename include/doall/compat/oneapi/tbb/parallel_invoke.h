// parallel_invoke: a few calls at once.
#ifndef DOALL_COMPAT_PARALLEL_INVOKE_H
#define DOALL_COMPAT_PARALLEL_INVOKE_H

#include "detail/context.h"
#include "detail/loop.h"
#include "task_group.h"

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

// The first sizeof...(I) of `all`.
template <class All, std::size_t... At>
void invoke_all(task_group_context& context, const All& all, std::index_sequence<At...>) {
  run_loop(sizeof...(At), 0, nullptr, context, [&](std::uint64_t begin, std::uint64_t end) {
    for (; begin < end && !context.is_group_execution_cancelled(); ++begin)
      static_cast<void>(((At == begin && (std::invoke(std::get<At>(all)), true)) || ...));
  });
}

}  // namespace detail

// The last argument may be a context.
template <class... Functions>
void parallel_invoke(Functions&&... functions) {
  constexpr std::size_t given = sizeof...(Functions);
  static_assert(given >= 2, "parallel_invoke: at least two functions");
  std::tuple<std::remove_reference_t<Functions>&...> all(functions...);
  using last = std::tuple_element_t<given - 1, std::tuple<std::decay_t<Functions>...>>;
  if constexpr (std::is_same_v<last, task_group_context>) {
    detail::invoke_all(std::get<given - 1>(all), all, std::make_index_sequence<given - 1>());
  } else {
    task_group_context context;
    detail::invoke_all(context, all, std::make_index_sequence<given>());
  }
}

}  // namespace doall_v0
}  // namespace tbb

#endif
