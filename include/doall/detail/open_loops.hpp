// Nested loops, executed by the encountering thread (abi.h, "Nested loops").
//
// Lazy binary splitting (LBS, section 3) asks before each piece of a loop whether a thief has taken
// the last offer. Here that question is a counter of this thread's, and an offer comes from the
// outermost loop that has something left. So a recursion pays for a few offers near its root, not
// for one in each of its loops. The rest is a plain loop: a loop of no more iterations than its
// site's grain (400 ns) is nothing else, and a longer one links itself into a list on the stack.
//
// A loop goes to the runtime instead (doall_run) when its thread is in no loop, unless it is too
// short to be shared; when it names another schedule, can be stopped, or is combined as it is
// joined; when its site is unknown; and now and then to be timed. Cost: 1 to 3 ns for a nested loop
// and 1 ns for a piece; no atomic read-modify-write, no call.
//
// An outermost loop that is too short to be shared is a plain loop, too. It reads the clock after
// its first iteration, and goes to the runtime when it is late (src/decide/README.md).
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/detail/callee.hpp>
#include <doall/detail/loop_body.hpp>
#include <doall/detail/plain_loop.hpp>
#include <doall/detail/site_word.hpp>
#include <doall/options.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

// The calling thread's doall_thread, once it is known. After a thread ends, another may get its
// doall_thread: `owner` tells. A worker that takes another's slot has several, one after the other.
[[gnu::visibility("hidden")]] inline constinit thread_local doall_thread* this_thread = nullptr;

inline bool is_this_thread(const doall_thread* here) {
  return here != nullptr && __atomic_load_n(&here->owner, __ATOMIC_RELAXED) == thread_pointer();
}

// Whether options ask for nothing but, perhaps, a schedule without options, and for which: 0 is the
// default.
inline bool ask_for_schedule(const loop_options& options, std::uint64_t& which) {
  const doall_schedule& how = *options.how.raw();
  std::uint64_t given = how.order;
  for (const std::uint64_t option : how.options) given |= option;
  which = how.which;
  return given == 0 && !options.stop.stop_possible() && !options.costs.given();
}

// Whether options ask for nothing but, perhaps, for `auto`, which is what loops that ask for none
// get.
[[gnu::noinline]] inline bool ask_for_none(const loop_options& options, std::uint64_t its_auto) {
  std::uint64_t which = 0;
  return ask_for_schedule(options, which) && (which == 0 || which == its_auto);
}

inline site_word read_site(const doall_site& site) {
  return site_word(__atomic_load_n(&site.word, __ATOMIC_RELAXED));
}

// The site's loops have others inside. How long plain ones may be is no longer known.
inline void note_nests(doall_site& site) {
  const site_word now = read_site(site).with_nests().with_plain(0);
  __atomic_store_n(&site.word, now.raw(), __ATOMIC_RELAXED);
}

// Of loops that have become too long for what their own site says: each iteration can be stolen.
[[gnu::visibility("hidden")]] inline constinit doall_site site_of_long_iterations{
    site_word().with_nests().raw()};

// The same for `auto` and the schedule of nested loops.
[[gnu::noinline]] inline bool ask_to_nest(const doall_thread* here, const loop_options& options) {
  std::uint64_t which = 0;
  if (!ask_for_schedule(options, which)) return false;
  return which == 0 || which == here->open_schedules[0] || which == here->open_schedules[1];
}

// Whether this thread, which is in a loop, may run a nested loop with these options here.
inline bool may_nest(const doall_thread* here, const loop_options& options) {
  if (here->inlined == 0) return false;
  return &options == &constants.none || ask_to_nest(here, options);
}

// This thread's doall_thread, if it is in a loop and may run a nested one here; else null.
inline doall_thread* nesting_thread(const loop_options& options) {
  doall_thread* const here = this_thread;
  if (!is_this_thread(here) || here->loop == nullptr) return nullptr;
  return may_nest(here, options) ? here : nullptr;
}

// Whether this thread, which is in no loop, may begin a loop of so many indices as a plain one. Of
// a site whose loops have one iteration nothing need be known.
inline bool may_run_plain(const doall_thread* here, site_word site, std::uint64_t indices,
                          const loop_options& options) {
  if (indices > site.longest_plain() && indices != 1) return false;
  if (here->plain_until == 0) return false;
  return &options == &constants.none || ask_for_none(options, here->open_schedules[1]);
}

// Whether all of a loop of so many indices may run as a plain one, which is in no other. Its rest
// cannot be shared, so it may not be late as it begins.
inline bool is_plain(const doall_site& site, std::uint64_t indices, const loop_options& options) {
  const doall_thread* const here = this_thread;
  return indices != 0 && is_this_thread(here) && here->loop == nullptr &&
         may_run_plain(here, read_site(site), indices, options) && ticks() <= here->plain_until;
}

// Runs iterations of a plain loop; returns the first that has not run, since it is late, or their
// number. Loops inside that go to the runtime get more time, but not this one.
template <class Piece>
[[gnu::always_inline]] inline std::uint64_t run_plain(const doall_thread* here,
                                                      std::uint64_t iterations,
                                                      const Piece& piece) {
  const std::uint64_t until = here->plain_until;
  const auto& own = own_copy(piece);
  std::uint64_t begin = 0;
  for (std::uint64_t end = 1;; end = end_of_piece(begin, iterations)) {
    own(begin, end, never_stopped{});
    if (end == iterations || ticks() > until) return end;
    begin = end;
  }
}

// Called before each piece but a loop's first, and for a loop that is one piece. Returns whether
// the runtime has looked.
inline bool count_piece(doall_thread* here) {
  const std::uint32_t left = __atomic_load_n(&here->looks_left, __ATOMIC_RELAXED) - 1;
  __atomic_store_n(&here->looks_left, left, __ATOMIC_RELAXED);
  if (left != 0) [[likely]]
    return false;
  doall_look(here);
  return true;
}

// Whether the next piece that is counted makes the runtime look: a thief asks, or it is time.
inline bool is_look_due(const doall_thread* here) {
  return __atomic_load_n(&here->looks_left, __ATOMIC_RELAXED) == 1;
}

// The first iteration of a loop may be long: if a look is due, the others are offered before it.
// Loops with others inside do without, for those look.
inline void look_before_first(doall_thread* here) {
  if (is_look_due(here)) [[unlikely]]
    doall_look(here);
}

// A loop that is one piece begins. It leaves no link, so a loop of the same site that is being
// timed would not see that it has others inside, and that its iterations say nothing of theirs.
inline void note_one_piece(doall_thread* here, doall_site& site) {
  if (here->timed != &site) [[likely]]
    return;
  here->timed = nullptr;
  note_nests(site);
}

// Whether to run all of a loop of so many indices as if it were a plain one.
inline bool is_one_piece(doall_site& site, std::uint64_t indices, const loop_options& options) {
  const site_word known = read_site(site);
  if (!known.is_known() || !known.is_one_piece(indices)) return false;
  doall_thread* const here = nesting_thread(options);
  if (here == nullptr) return false;
  note_one_piece(here, site);
  count_piece(here);
  return true;
}

DOALL_DIFFERS_BY_STOPS_BEGIN

// A loop while it is open, of any type. What a thief needs lies beside its link.
//
// The functions that run loops are not inlined, and the loop lies on their stack: a recursion's
// leaves, which come to its function too, would otherwise save the registers that only its loops
// need.
class open_loop : private doall_open_loop {
 public:
  // Whether its site is known to have other loops inside.
  enum class nesting { unknown, known };

  // `body` is its context, a guarded piece.
  [[gnu::always_inline]] open_loop(doall_thread* here, std::uint64_t first_shared,
                                   std::uint64_t iterations, const loop_type& type,
                                   loop_state** body, const doall_open_kind& as)
      : doall_open_loop{here->innermost, nullptr,    first_shared, iterations,
                        iterations,      here->loop, &as},
        state_(type.body),
        stolen_(type.stolen),
        body_(body) {
    tell_state(body, state_);
    around->inside = this;
    here->innermost = this;
  }
  open_loop(const open_loop&) = delete;
  open_loop& operator=(const open_loop&) = delete;

  // doall_open_kind::body of all.
  static int run_part(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t,
                      std::uint32_t) noexcept {
    const auto& loop = *static_cast<open_loop*>(static_cast<doall_open_loop*>(self));
    return loop.stolen_(loop.body_, begin, end, 1, 0);
  }

  // The next iteration that no thread has begun; one may be begun while it is below the limit,
  // which a look may have changed.
  std::uint64_t next_iteration() const { return next; }
  std::uint64_t limit_now() const { return limit; }
  void begin_until(std::uint64_t iteration) { next = iteration; }

  // Called last.
  [[gnu::always_inline]] void leave(doall_thread* here, nesting inner) {
    if (limit == 0) [[unlikely]]
      return finish(here, go_on);
    unlink(here, inner);
  }
  // The same, when a piece has failed, which is kept; or, in a handler, is to be.
  [[gnu::noinline, gnu::cold]] void leave_after(doall_thread* here, int said) {
    if (limit != 0) {
      unlink(here, nesting::known);
      return state_.rethrow_failure();
    }
    finish(here, said);
  }
  [[gnu::noinline, gnu::cold]] void leave_after_exception(doall_thread* here) {
    state_.keep_failure();
    leave_after(here, give_up);
  }

 private:
  [[gnu::always_inline]] void unlink(doall_thread* here, nesting inner) {
    here->innermost = around;
    if (here->outermost_open == this) here->outermost_open = around;
    if (inner == nesting::unknown && inside != nullptr) [[unlikely]]
      note_nests(*kind->site);
  }

  [[gnu::noinline]] void finish(doall_thread* here, int said) {
    doall_open_loop_finish(here, this, said);
    unlink(here, nesting::known);
    state_.rethrow_failure();
  }

  loop_state state_;
  doall_body stolen_;
  loop_state** body_;
};

// What is known of loops of that piece when they are compiled. `Site` tells the loop's site, where
// the piece does not.
template <class Piece, class Site = Piece>
[[gnu::visibility("hidden")]] inline constexpr loop_type type_of{
    {open_loop::run_part, &site_of<Site>},
    guarded<Piece>::run,
    guarded<Piece>::stoppable(),
    guarded<Piece>::stolen(),
    guarded<Piece>::combiner(),
    guarded<Piece>::joiner(),
    guarded<Piece>::copied_bytes(),
    guarded<Piece>::counts_signed()};

[[gnu::visibility("hidden")]] inline constexpr doall_open_kind long_kind{open_loop::run_part,
                                                                         &site_of_long_iterations};

DOALL_DIFFERS_BY_STOPS_END

// Runs a nested loop of a site whose loops have others inside, which look as well: iteration by
// iteration.
template <class Piece>
[[gnu::noinline]] void run_one_by_one(doall_thread* here, std::uint64_t iterations,
                                      guarded<Piece>& body, const loop_type& type) {
  constexpr std::uint64_t iterations_a_count = 8;
  open_loop loop(here, 1, iterations, type, &body.state, type.open);
  try {
    const auto& own = own_copy(body.piece);
    for (std::uint64_t i = 0;; loop.begin_until(i + 1)) {
      own(i, i + 1, one_iteration{});
      if (++i % iterations_a_count == 0) count_piece(here);
      if (i >= loop.limit_now()) break;  // a look may have given away all that was left
    }
    count_piece(here);
  } catch (...) {
    return loop.leave_after_exception(here);
  }
  loop.leave(here, open_loop::nesting::known);
}

// Runs a nested loop from iteration `first` on. The first piece is one iteration, and so is each
// one after a look: loops that were short so far may have become long. A piece takes some 400 ns:
// it is called.
[[gnu::noinline]] inline void run_in_pieces(doall_thread* here, std::uint64_t first,
                                            std::uint64_t iterations, loop_state** body,
                                            const loop_type& type, std::uint64_t grain,
                                            const doall_open_kind& as) {
  open_loop loop(here, first + 1, iterations, type, body, as);
  look_before_first(here);
  const doall_body run = type.body;
  std::uint64_t length = 1;
  for (std::uint64_t begin = first, end = first + 1;;) {
    if (const int said = run(body, begin, end, 1, 0); said != go_on) [[unlikely]]
      return loop.leave_after(here, said);
    if (count_piece(here))
      length = 1;
    else if (length != grain)
      length = length < grain / pieces_grow ? pieces_grow * length : grain;
    begin = loop.next_iteration();
    const std::uint64_t limit = loop.limit_now();
    if (begin >= limit) break;
    end = limit - begin <= length ? limit : begin + length;
    loop.begin_until(end);
  }
  loop.leave(here, open_loop::nesting::unknown);
}

// Without a link: too short to be shared, as far as is known. If it is not, and a look is due, it
// becomes an open loop.
template <class Piece>
[[gnu::noinline]] void run_as_one_piece(doall_thread* here, std::uint64_t iterations,
                                        guarded<Piece>& body, const loop_type& type) {
  note_one_piece(here, *type.open.site);
  std::uint64_t end = 1;
  {
    const auto& own = own_copy(body.piece);
    own(0, 1, one_iteration{});
    while (end != iterations && !is_look_due(here)) {
      const std::uint64_t begin = end;
      end = end_of_piece(begin, iterations);
      own(begin, end, never_stopped{});
    }
  }
  if (end == iterations) [[likely]]
    return void(count_piece(here));
  run_in_pieces(here, end, iterations, &body.state, type, 1, long_kind);
}

// Runs the loop here if it may run here; false: it has not begun. Sets `first`, the iteration from
// which on the runtime is to run it.
template <class Piece>
[[gnu::always_inline]] inline bool run_here(doall_site& site, std::uint64_t iterations,
                                            const loop_options& options, guarded<Piece>& body,
                                            std::uint64_t& first) {
  const site_word known = read_site(site);
  doall_thread* const here = this_thread;
  if (iterations == 0 || !is_this_thread(here)) return false;
  if (here->loop == nullptr) {
    if (!may_run_plain(here, known, iterations, options)) return false;
    first = run_plain(here, iterations, body.piece);
    return first == iterations;
  }
  // Of a loop of one iteration nothing need be known.
  if ((!known.is_known() && iterations != 1) || !may_nest(here, options)) return false;
  constexpr const loop_type& type = type_of<Piece>;
  if (known.nests() && iterations != 1)
    run_one_by_one(here, iterations, body, type);
  else if (iterations <= known.grain() || iterations == 1)
    run_as_one_piece(here, iterations, body, type);
  else
    run_in_pieces(here, 0, iterations, &body.state, type, known.grain(), type.open);
  return true;
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
