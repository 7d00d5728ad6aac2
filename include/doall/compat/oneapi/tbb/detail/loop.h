// The one way in which algorithms come to libdoall: a loop of so many iterations.
#ifndef DOALL_COMPAT_LOOP_H
#define DOALL_COMPAT_LOOP_H

#include "../../../../detail/plain_loop.hpp"
#include "../../../../detail/site_word.hpp"
#include "arena.h"

#include <type_traits>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

// A schedule by name: made once, by the first loop that asks.
class named_schedule {
 public:
  explicit constexpr named_schedule(const char* name) : name_(name) {}
  const doall_schedule* get() {
    // (1) acquire; pairs with (2): the schedule
    if (state_.load(std::memory_order_acquire) == made) return &schedule_;
    int before = unmade;
    // (3) acquire; pairs with (2): the schedule that another thread has made since (1)
    if (state_.compare_exchange_strong(before, being_made, std::memory_order_acquire)) {
      char message[256];
      doall_schedule_make(name_, nullptr, &schedule_, message, sizeof message);
      // (2) release; pairs with (1), (3): the schedule
      state_.store(made, std::memory_order_release);
      return &schedule_;
    }
    return before == made ? &schedule_ : nullptr;  // another thread makes it: the default serves
  }

 private:
  enum : int { unmade, being_made, made };
  const char* name_;
  std::atomic<int> state_{unmade};
  doall_schedule schedule_{};
};
[[gnu::visibility("hidden")]] inline named_schedule static_blocks{"static"};
[[gnu::visibility("hidden")]] inline named_schedule own_queue_first{"affinity"};

// piece(begin, end) runs iterations [begin, end).
template <class Piece>
struct running_loop {
  const Piece& piece;
  const binding& algorithm;
  arena_slots& arena;

  static int run(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                 std::uint32_t) noexcept {
    auto& loop = *static_cast<const running_loop*>(self);
    const inside piece_of(&loop.algorithm, &loop.arena);
    if (loop.algorithm.is_cancelled()) return 1;
    try {
      if (step == 1) {
        loop.piece(begin, end);
      } else {
        for (std::uint64_t i = begin; i < end; i = end - i <= step ? end : i + step)
          loop.piece(i, i + 1);
      }
    } catch (...) {
      loop.algorithm.context().keep_failure();
    }
    return loop.algorithm.is_cancelled() ? 1 : 0;
  }
};

// This thread's doall_thread, once it is known (doall/detail/open_loops.hpp).
[[gnu::visibility("hidden")]] inline thread_local doall_thread* this_thread = nullptr;

using ::doall::detail::thread_pointer;

// Whether an outermost loop that names no schedule is to begin as a plain one: the runtime has
// found that loops of its site and length do not gain by being shared. As doall's own headers ask.
inline bool may_run_plain(const doall_site& site, std::uint64_t indices) {
  const doall_thread* const mine = this_thread;
  if (mine == nullptr || __atomic_load_n(&mine->owner, __ATOMIC_RELAXED) != thread_pointer())
    return false;
  const ::doall::detail::site_word known(__atomic_load_n(&site.word, __ATOMIC_RELAXED));
  return mine->loop == nullptr && mine->plain_until != 0 && indices <= known.longest_plain();
}

// Runs iterations of a plain loop in pieces that grow. Returns the first that has not run, for the
// loop is late and its rest may be shared; or their number.
template <class Loop>
std::uint64_t run_plain(Loop& loop, std::uint64_t iterations) {
  const std::uint64_t until = this_thread->plain_until;
  std::uint64_t begin = 0;
  for (std::uint64_t end = 1;;) {
    if (loop.run(&loop, begin, end, 1, 0) != 0) return iterations;
    if (end == iterations || ::doall::detail::ticks() > until) return end;
    begin = end;
    end = ::doall::detail::end_of_piece(begin, iterations);
  }
}

// The same without throwing: the caller does, or what is around it.
template <class Piece>
void run_loop_quietly(std::uint64_t iterations, std::uint64_t indices, const doall_schedule* how,
                      const binding& algorithm, const Piece& piece) {
  if (iterations == 0 || algorithm.is_cancelled()) return;
  running_loop<Piece> loop{piece, algorithm, arena_here()};
  doall_site& site = site_of<Piece>;
  std::uint64_t first = 0;
  if (how == nullptr && may_run_plain(site, indices != 0 ? indices : iterations)) {
    first = run_plain(loop, iterations);
    if (first == iterations) return;
  }
  const limited workers;
  doall_loop told{};
  told.size = sizeof told;
  told.iterations = iterations;
  told.body = loop.run;
  told.context = &loop;
  told.schedule = how;
  told.indices = indices;
  told.site = &site;
  told.first = first;
  if (this_thread == nullptr ||
      __atomic_load_n(&this_thread->owner, __ATOMIC_RELAXED) != thread_pointer())
    this_thread = doall_thread_here();
  doall_run(&told);
}

// Runs piece on parts of [0, iterations), which stand for so many of the program's indices, and
// returns when all have run, or throws what a piece threw. A cancelled loop returns, too.
template <class Piece>
void run_loop(std::uint64_t iterations, std::uint64_t indices, const doall_schedule* how,
              task_group_context& context, const Piece& piece) {
  const bound_here algorithm(context);
  run_loop_quietly(iterations, indices, how, algorithm, piece);
  context.rethrow();
}

// Runs f() on this thread as a part of an algorithm.
template <class Function>
void run_here(task_group_context& context, const Function& f) {
  const bound_here algorithm(context);
  if (algorithm.is_cancelled()) return context.rethrow();
  {
    const inside part(&algorithm, &arena_here());
    try {
      f();
    } catch (...) {
      context.keep_failure();
    }
  }
  context.rethrow();
}

// Both at once, as pieces of the algorithm that this thread is in.
template <class First, class Second>
void both(const First& first, const Second& second) {
  run_loop_quietly(2, 0, nullptr, *here.algorithm, [&](std::uint64_t begin, std::uint64_t end) {
    for (; begin < end; ++begin) {
      if (begin == 0)
        first();
      else
        second();
    }
  });
}

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
