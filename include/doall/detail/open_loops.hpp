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

// The site of the loops whose pieces are of that type, or of another type that tells their bodies
// apart.
// Hidden, as all variables here: GCC makes a visible one unique in the process, and then no plugin
// that has it can be unloaded.
template <class Loop>
[[gnu::visibility("hidden")]] inline constinit doall_site site_of{};

// Most loops cannot be stopped. Before each iteration a piece asks its stop token; with this one
// the question compiles to nothing.
struct never_stopped {
  static constexpr bool stop_requested() { return false; }
};

// The same for a piece that is one iteration.
struct one_iteration : never_stopped {};

template <class Stop>
inline constexpr bool is_one_iteration = std::is_same_v<Stop, one_iteration>;

// The calling thread's doall_thread, once it is known. After a thread ends, another may get its
// doall_thread: `owner` tells. A worker that takes another's slot has several, one after the other.
[[gnu::visibility("hidden")]] inline constinit thread_local doall_thread* this_thread = nullptr;

inline bool is_this_thread(const doall_thread* here) {
  return here != nullptr && __atomic_load_n(&here->owner, __ATOMIC_RELAXED) == thread_pointer();
}

// Whether it is that schedule, or the default for 0, without options.
inline bool names(const doall_schedule& schedule, std::uint64_t which) {
  std::uint64_t given = schedule.order;
  for (const std::uint64_t option : schedule.options) given |= option;
  return schedule.which == which && given == 0;
}

// Whether options ask for nothing but, perhaps, the schedule `named`.
inline bool ask_for(std::uint64_t named, const loop_options& options) {
  if (&options == &constants.none) return named == 0;
  if (options.stop.stop_possible() || options.costs.given()) return false;
  return names(*options.how.raw(), named);
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

// Whether this thread, which is in a loop, may run a nested loop with these options here.
inline bool may_nest(const doall_thread* here, const loop_options& options) {
  if (here->inlined == 0) return false;
  if (&options == &constants.none || ask_for(0, options)) return true;
  return ask_for(here->open_schedules[0], options) || ask_for(here->open_schedules[1], options);
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
  return here->plain_until != 0 && ask_for(0, options);
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

// A loop while it is open. What a thief needs lies beside its link.
//
// The functions that run loops are not inlined, and the loop lies on their stack: a recursion's
// leaves, which come to its function too, would otherwise save the registers that only its loops
// need.
//
// A piece that adds up what it runs has a second function, run_stolen(begin, end), for parts that
// do not follow what its own thread has run. `Site` tells the loop's site, where the piece does
// not.
template <class Piece, class Site = Piece>
class open_loop : private doall_open_loop {
 public:
  open_loop(const open_loop&) = delete;
  open_loop& operator=(const open_loop&) = delete;

  // Of a site whose loops have others inside, which look as well: iteration by iteration.
  [[gnu::noinline]] static void run_one_by_one(doall_thread* here, std::uint64_t iterations,
                                               const Piece& piece) {
    constexpr std::uint64_t iterations_a_count = 8;
    open_loop loop(here, 1, iterations, piece);
    loop.run(here, nesting::known, [&] {
      const auto& own = own_copy(piece);
      for (std::uint64_t i = 0;; loop.next = i + 1) {
        own(i, i + 1, one_iteration{});
        if (++i % iterations_a_count == 0) count_piece(here);
        if (i >= loop.limit) break;  // a look may have given away all that was left
      }
      count_piece(here);
    });
  }

  // From iteration `first` on. The first piece is one iteration, and so is each one after a look:
  // loops that were short so far may have become long.
  [[gnu::noinline]] static void run_in_pieces(doall_thread* here, std::uint64_t first,
                                              std::uint64_t iterations, const Piece& piece,
                                              std::uint64_t grain,
                                              const doall_open_kind* as = &its_kind) {
    open_loop loop(here, first, iterations, piece, as);
    loop.run(here, nesting::unknown, [&] {
      const auto& own = own_copy(piece);
      std::uint64_t length = 1;
      while (loop.next < loop.limit) {
        const std::uint64_t begin = loop.next;
        loop.next = loop.limit - begin <= length ? loop.limit : begin + length;
        own(begin, loop.next, never_stopped{});
        if (count_piece(here))
          length = 1;
        else if (length != grain)
          length = length < grain / pieces_grow ? pieces_grow * length : grain;
      }
    });
  }

  // Without a link: too short to be shared, as far as is known. If it is not, and a look is due, it
  // becomes an open loop.
  [[gnu::noinline]] static void run_as_one_piece(doall_thread* here, std::uint64_t iterations,
                                                 const Piece& piece, doall_site& site) {
    note_one_piece(here, site);
    std::uint64_t end = 1;
    {
      const auto& own = own_copy(piece);
      for (std::uint64_t begin = 0;; begin = end, end = end_of_piece(end, iterations)) {
        own(begin, end, never_stopped{});
        if (end == iterations || is_look_due(here)) break;
      }
    }
    if (end == iterations) [[likely]]
      return void(count_piece(here));
    run_in_pieces(here, end, iterations, piece, 1, &long_kind);
  }

 private:
  static constexpr int give_up = 1;

  // Whether its site is known to have other loops inside.
  enum class nesting { unknown, known };

  [[gnu::always_inline]] open_loop(doall_thread* here, std::uint64_t first_shared,
                                   std::uint64_t iterations, const Piece& piece,
                                   const doall_open_kind* as = &its_kind)
      : doall_open_loop{here->innermost, nullptr, first_shared, iterations, iterations,
                        here->loop,      as},
        piece_(piece) {
    around->inside = this;
    here->innermost = this;
  }
  ~open_loop() {}  // see `failure_`

  template <class Pieces>
  [[gnu::always_inline]] inline void run(doall_thread* here, nesting inner, Pieces pieces) {
    try {
      pieces();
    } catch (...) {
      return leave_after_failure(here);
    }
    if (limit == 0) [[unlikely]]
      return finish(here);
    unlink(here, inner);
  }

  static int run_part(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t,
                      std::uint32_t) noexcept {
    auto& loop = *static_cast<open_loop*>(static_cast<doall_open_loop*>(self));
    try {
      const auto& own = own_copy(loop.piece_);
      if constexpr (requires { own.run_stolen(begin, end); }) {
        own.run_stolen(begin, end);
      } else {
        own(begin, end, never_stopped{});
      }
      return 0;
    } catch (...) {
      loop.keep_failure();
      return give_up;
    }
  }
  [[gnu::visibility("hidden")]] static constexpr doall_open_kind its_kind{run_part, &site_of<Site>};
  [[gnu::visibility("hidden")]] static constexpr doall_open_kind long_kind{
      run_part, &site_of_long_iterations};

  [[gnu::always_inline]] void unlink(doall_thread* here, nesting inner) {
    here->innermost = around;
    if (here->outermost_open == this) here->outermost_open = around;
    if (inner == nesting::unknown && inside != nullptr) [[unlikely]]
      note_nests(*kind->site);
  }

  [[gnu::noinline]] void finish(doall_thread* here, int verdict = 0) {
    doall_open_loop_finish(here, this, verdict);
    unlink(here, nesting::known);
    if (!failed_.test()) return;
    const std::exception_ptr failure = std::move(failure_);
    failure_.~exception_ptr();
    std::rethrow_exception(failure);
  }

  [[gnu::noinline, gnu::cold]] void leave_after_failure(doall_thread* here) {
    if (limit != 0) {
      unlink(here, nesting::known);
      throw;
    }
    keep_failure();
    finish(here, give_up);
  }

  // Called in a handler.
  void keep_failure() {
    if (!failed_.test_and_set()) std::construct_at(&failure_, std::current_exception());
  }

  const Piece& piece_;
  std::atomic_flag failed_ = ATOMIC_FLAG_INIT;
  union {
    std::exception_ptr failure_;  // there is one if failed_ is set: finish() destroys it
  };
};

// Runs the loop here if it may run here; false: it has not begun. Sets `first`, the iteration from
// which on the runtime is to run it.
template <class Piece>
[[gnu::always_inline]] inline bool run_here(doall_site& site, std::uint64_t iterations,
                                            const loop_options& options, const Piece& piece,
                                            std::uint64_t& first) {
  const site_word known = read_site(site);
  doall_thread* const here = this_thread;
  if (iterations == 0 || !is_this_thread(here)) return false;
  if (here->loop == nullptr) {
    if (!may_run_plain(here, known, iterations, options)) return false;
    first = run_plain(here, iterations, piece);
    return first == iterations;
  }
  if (!known.is_known() || !may_nest(here, options)) return false;
  if (known.nests() && iterations != 1)
    open_loop<Piece>::run_one_by_one(here, iterations, piece);
  else if (iterations <= known.grain() || iterations == 1)
    open_loop<Piece>::run_as_one_piece(here, iterations, piece, site);
  else
    open_loop<Piece>::run_in_pieces(here, 0, iterations, piece, known.grain());
  return true;
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
