// Loops with dependences between iterations: an iteration waits for those that its
// depend(sink: ...) names, and posts itself by depend(source).
//
// State: one bit for each iteration of the nest, set when it has posted. The nest's flags are
// shared by way of a place in the loop ring that a loop without iterations takes, right before the
// loop itself: the first thread makes them, the last to leave frees them (loops.cpp).
//
// Terminates: as iteration_posts.hpp says; order_of() in dispatch.cpp has chunks come in order.
// Cost: a post is a read-modify-write and a fence, a wait usually one load. Memory: a bit for each
// iteration; untouched pages cost nothing.
#include <array>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/tsan.hpp"
#include "omp/fatal.hpp"
#include "omp/iteration_posts.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/llvm/nest_flags.hpp"
#include "omp/loops.hpp"
#include "omp/ompt/hooks.hpp"

namespace doall::omp {
namespace {

// One loop of the nest, as the compiler describes it; both bounds are included.
struct nest_loop {
  std::int64_t lower;
  std::int64_t upper;
  std::int64_t step;
};

std::uint64_t count(const nest_loop& l) {
  if (l.step > 0 ? l.upper < l.lower : l.lower < l.upper) return 0;
  const std::uint64_t span =
      l.step > 0 ? static_cast<std::uint64_t>(l.upper) - static_cast<std::uint64_t>(l.lower)
                 : static_cast<std::uint64_t>(l.lower) - static_cast<std::uint64_t>(l.upper);
  const std::uint64_t step =
      l.step > 0 ? static_cast<std::uint64_t>(l.step) : -static_cast<std::uint64_t>(l.step);
  return step == 0 ? 0 : span / step + 1;
}

}  // namespace

struct nest_flags {
  static constexpr std::uint64_t bits = 64;

  std::vector<nest_loop> loops;
  std::vector<std::uint64_t> counts;
  posts* posted = nullptr;

  nest_flags(const nest_loop* nest, std::int32_t dimensions) : loops(nest, nest + dimensions) {
    std::uint64_t all = 1;
    for (const nest_loop& l : loops) {
      counts.push_back(count(l));
      all *= counts.back();
    }
    posted = static_cast<posts*>(std::calloc(all / bits + 1, sizeof(posts)));
    if (posted == nullptr) {
      fatal("no memory for the dependences of a loop with " + std::to_string(all) + " iterations");
    }
  }
  ~nest_flags() { std::free(posted); }
  nest_flags(const nest_flags&) = delete;
  nest_flags& operator=(const nest_flags&) = delete;

  // The iteration's number in the nest; false: there is no such iteration.
  bool number_of(const std::int64_t* at, std::uint64_t& number) const {
    number = 0;
    for (std::size_t d = 0; d < loops.size(); ++d) {
      const nest_loop& l = loops[d];
      if (l.step > 0 ? at[d] < l.lower || at[d] > l.upper : at[d] > l.lower || at[d] < l.upper)
        return false;
      number = number * counts[d] + count({l.lower, at[d], l.step}) - 1;
    }
    return true;
  }

  // `at`: where the loop's threads wait for each other.
  void post(std::uint64_t number, park::gate& at) {
    base::tsan_gives(&posted[number / bits]);
    post_bit(posted[number / bits], std::uint64_t{1} << number % bits, at);
  }

  // Returns early if given_up(): the thread that has the sink may have left a cancelled region.
  template <class GivenUp>
  void wait(std::uint64_t number, park::gate& at, park::spin_bound spin, GivenUp given_up) {
    const std::uint64_t bit = std::uint64_t{1} << number % bits;
    await_post(
        posted[number / bits], [&](std::uint64_t word) { return (word & bit) != 0; }, at, spin,
        given_up);
    base::tsan_takes(&posted[number / bits]);
  }
};

nest_flags* make_nest_flags(const void* nest, std::int32_t dimensions) {
  return new nest_flags(static_cast<const nest_loop*>(nest), dimensions);
}
void free_nest_flags(nest_flags* flags) { delete flags; }

namespace {

void tell_doacross(ompt_dependence_type_t kind, const nest_flags& nest, const std::int64_t* at) {
  const std::vector<std::uint64_t> all(at, at + nest.loops.size());
  ompt::watched_doacross(kind, all);
}

// Where the threads of the loop wait for each other: at the place in the ring that has the flags.
park::gate& turn_of_nest(const task_state& me) { return me.loop.nest_at.extra->turn; }

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void __kmpc_doacross_init(ident_t* at, gtid_t, std::int32_t dimensions, const void* nest) {
  task_state& me = self();
  loop_wishes wishes;
  wishes.nest = nest;
  wishes.dimensions = static_cast<unsigned>(dimensions);
  begin_loop(me, {loop_kind::sections, 1, loop_order::monotonic}, {0, {}, place_of(at, HERE)},
             wishes);
  me.loop.cursor.end();
  me.loop.nest = me.loop.given_up ? nullptr : me.loop.at.extra->nest;
  me.loop.nest_at = me.loop.at;
}

void __kmpc_doacross_post(ident_t*, gtid_t, const std::int64_t* at) {
  const task_state& me = self();
  nest_flags* nest = me.loop.nest;
  std::uint64_t number = 0;
  if (nest == nullptr || !nest->number_of(at, number)) return;
  if (ompt::is_watched()) [[unlikely]]
    tell_doacross(ompt_dependence_type_source, *nest, at);
  nest->post(number, turn_of_nest(me));
}

void __kmpc_doacross_wait(ident_t*, gtid_t, const std::int64_t* at) {
  const task_state& me = self();
  nest_flags* nest = me.loop.nest;
  std::uint64_t number = 0;
  if (nest == nullptr || !nest->number_of(at, number)) return;
  nest->wait(number, turn_of_nest(me), me.team->spin(), [&] { return is_given_up(*me.team); });
  if (ompt::is_watched()) [[unlikely]]
    tell_doacross(ompt_dependence_type_sink, *nest, at);
}

void __kmpc_doacross_fini(ident_t*, gtid_t) {
  task_state& me = self();
  if (std::exchange(me.loop.nest, nullptr) != nullptr) leave_loop(me, me.loop.nest_at);
}

}  // extern "C"
