// Loops with dependences between iterations: an iteration waits for those that its
// depend(sink: ...) names, and posts itself by depend(source).
//
// State: one bit for each iteration of the nest, set when it has posted. The nest's flags are
// shared by way of a place in the loop ring that a loop without iterations takes, right before the
// loop itself: the first thread makes them, the last to leave frees them (loops.cpp).
//
// Terminates: as iteration_posts.hpp says; order_of() in dispatch.cpp has chunks come in order.
// Cost: a post is a read-modify-write and a load, a wait usually one load. Memory: a bit for each
// iteration; untouched pages cost nothing.
#include <array>
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

// The same, as a post or a sink asks for it: with a step of 1 or -1 it must not divide.
struct counted_loop : nest_loop {
  std::uint64_t stride;
  std::uint64_t count;

  explicit counted_loop(const nest_loop& l)
      : nest_loop(l),
        stride(step > 0    ? static_cast<std::uint64_t>(step)
               : step != 0 ? -static_cast<std::uint64_t>(step)
                           : 1),
        count(step != 0 && has(upper) ? index_of(upper) + 1 : 0) {}

  // Whether it lies between the bounds.
  bool has(std::int64_t at) const {
    return step > 0 ? at >= lower && at <= upper : at <= lower && at >= upper;
  }
  std::uint64_t index_of(std::int64_t at) const {
    const auto from = static_cast<std::uint64_t>(lower);
    const auto to = static_cast<std::uint64_t>(at);
    const std::uint64_t span = step > 0 ? to - from : from - to;
    return stride == 1 ? span : span / stride;
  }
};

}  // namespace

struct nest_flags {
  static constexpr std::uint64_t bits = 64;

  std::vector<counted_loop> loops;
  iteration_posts<std::uint64_t> posted;

  nest_flags(const nest_loop* nest, std::int32_t dimensions) : loops(nest, nest + dimensions) {
    std::uint64_t all = 1;
    for (const counted_loop& l : loops) all *= l.count;
    posted = make_iteration_posts<std::uint64_t>(all / bits + 1);
    if (posted.words == nullptr) {
      fatal("no memory for the dependences of a loop with " + std::to_string(all) + " iterations");
    }
  }
  ~nest_flags() { free_iteration_posts(posted); }
  nest_flags(const nest_flags&) = delete;
  nest_flags& operator=(const nest_flags&) = delete;

  // The iteration's number in the nest; false: there is no such iteration.
  bool number_of(const std::int64_t* at, std::uint64_t& number) const {
    number = 0;
    for (const counted_loop& l : loops) {
      if (!l.has(*at)) return false;
      number = number * l.count + l.index_of(*at++);
    }
    return true;
  }

  // `at`: where the loop's threads wait for each other.
  void post(std::uint64_t number, park::gate& at) const {
    base::tsan_gives(&posted.words[number / bits]);
    posted.post_bit(number / bits, std::uint64_t{1} << number % bits, at);
  }

  // Returns early if given_up(): the thread that has the sink may have left a cancelled region.
  template <class GivenUp>
  void wait(std::uint64_t number, park::gate& at, park::spin_bound spin, GivenUp given_up) const {
    const std::uint64_t bit = std::uint64_t{1} << number % bits;
    posted.await(
        number / bits, [&](std::uint64_t word) { return (word & bit) != 0; }, at, spin, given_up);
    base::tsan_takes(&posted.words[number / bits]);
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

[[gnu::noinline]] void post(const task_state& me, nest_flags& nest, const std::int64_t* at) {
  std::uint64_t number = 0;
  if (!nest.number_of(at, number)) return;
  if (ompt::is_watched()) [[unlikely]]
    tell_doacross(ompt_dependence_type_source, nest, at);
  nest.post(number, turn_of_nest(me));
}

[[gnu::noinline]] void wait(const task_state& me, nest_flags& nest, const std::int64_t* at) {
  std::uint64_t number = 0;
  if (!nest.number_of(at, number)) return;
  nest.wait(number, turn_of_nest(me), me.team->spin(), [&] { return is_given_up(*me.team); });
  if (ompt::is_watched()) [[unlikely]]
    tell_doacross(ompt_dependence_type_sink, nest, at);
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void __kmpc_doacross_init(ident_t* at, gtid_t, std::int32_t dimensions, const void* nest) {
  task_state& me = self();
  me.loop.nest_alone = takes_whole_loops(me);
  if (me.loop.nest_alone) return;  // what an iteration waits for has run before it
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
  if (me.loop.nest != nullptr) post(me, *me.loop.nest, at);
}

void __kmpc_doacross_wait(ident_t*, gtid_t, const std::int64_t* at) {
  const task_state& me = self();
  if (me.loop.nest != nullptr) wait(me, *me.loop.nest, at);
}

void __kmpc_doacross_fini(ident_t*, gtid_t) {
  task_state& me = self();
  me.loop.nest_alone = false;
  if (std::exchange(me.loop.nest, nullptr) != nullptr) leave_loop(me, me.loop.nest_at);
}

}  // extern "C"
