// Turns a templated loop into the descriptor that doall_run takes.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/detail/callee.hpp>
#include <doall/detail/open_loops.hpp>
#include <doall/options.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <source_location>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

// A piece whose blocks are combined (abi.h): it takes the worker too. Only scans' are.
template <class Piece>
concept combining = requires(Piece& p) { p.combine(std::uint32_t{}, std::uint32_t{}); };

// A piece whose blocks may be joined (abi.h).
template <class Piece>
concept joining = requires(Piece& p) { p.join(std::uint64_t{}, std::uint64_t{}); };

// What a loop's caller and its workers tell one another while it runs.
struct loop_state {
  const stop_token& stop;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  std::exception_ptr first_failure;
};

// What a loop's workers run. piece(begin, end, stop) runs iterations [begin, end) unless a stop
// comes before, and returns how it ended. The first exception of any piece is kept for the caller
// and stops the loop.
//
// In one cache line, with the piece by value, and copied to each worker with the task that releases
// it if it can be (abi.h, doall_loop::copied): a line that the caller writes and a worker fetches
// is among the dearest things in a short loop.
template <class Piece>
struct alignas(64) guarded {
  Piece piece;
  loop_state& loop;

  static constexpr std::uint64_t copied_bytes() {
    constexpr std::size_t word = sizeof(void*);
    constexpr std::size_t bytes = (sizeof(Piece) + word - 1) / word * word + word;
    return std::is_trivially_copyable_v<guarded> && alignof(guarded) <= 64 ? bytes : 0;
  }

  enum verdict : int { go_on, give_up };

  // Two functions of type doall_body: the first asks the stop token, the second does not.
  static int run_stoppable(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                           std::uint32_t worker) noexcept {
    auto& own = *static_cast<guarded*>(self);
    return own.run(begin, end, step, worker, own.loop.stop);
  }
  static int run_through(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                         std::uint32_t worker) noexcept {
    return static_cast<guarded*>(self)->run(begin, end, step, worker, never_stopped{});
  }

  // doall_loop::combine; null for a piece that does not combine.
  static constexpr auto combiner() -> void (*)(void*, std::uint32_t, std::uint32_t) {
    if constexpr (combining<Piece>) {
      return [](void* self, std::uint32_t into, std::uint32_t from) {
        static_cast<guarded*>(self)->guard([&](guarded& all) {
          all.piece.combine(into, from);
          return loop_end::completed;
        });
      };
    } else {
      return nullptr;
    }
  }

  // doall_loop::join; null for a piece that does not join.
  static constexpr auto joiner() -> void (*)(void*, std::uint64_t, std::uint64_t) {
    if constexpr (joining<Piece>) {
      return [](void* self, std::uint64_t left, std::uint64_t right) {
        static_cast<guarded*>(self)->guard([&](guarded& all) {
          all.piece.join(left, right);
          return loop_end::completed;
        });
      };
    } else {
      return nullptr;
    }
  }

 private:
  template <class Stop>
  verdict run(std::uint64_t begin, std::uint64_t end, std::uint64_t step, std::uint32_t worker,
              const Stop& asked) {
    return guard([&](const guarded& all) {
      const auto& own = own_copy(all.piece);
      if constexpr (combining<Piece>) {
        return own(begin, end, asked, worker);
      } else {
        if (step == 1) return own(begin, end, asked);
        for (std::uint64_t i = begin; i < end; i = end - i <= step ? end : i + step) {
          if (own(i, i + 1, asked) == loop_end::stopped) return loop_end::stopped;
        }
        return loop_end::completed;
      }
    });
  }

  template <class Part>
  verdict guard(Part part) {
    try {
      return part(*this) == loop_end::stopped ? give_up : go_on;
    } catch (...) {
      if (!loop.failed.test_and_set()) loop.first_failure = std::current_exception();
      return give_up;
    }
  }
};

// What the runtime is told about a loop.
struct loop_facts {
  std::uint64_t iterations;
  std::uint64_t indices;     // how many of the program's indices the iterations stand for
  const doall_costs* costs;  // null: unknown
  const std::source_location& where;
  std::uint64_t first = 0;  // those before it have run
};

// Has the workers run piece(begin, end, stop) on parts of [0, iterations).
template <class Piece>
loop_end share(const loop_facts& loop, const loop_options& options, doall_site& site,
               const Piece& piece) {
  using shared = guarded<Piece>;
  loop_state state{options.stop, {}, {}};
  shared body{piece, state};
  const doall_loop descriptor{sizeof(doall_loop),
                              loop.where.line(),
                              loop.iterations,
                              options.stop.stop_possible() ? body.run_stoppable : body.run_through,
                              &body,
                              options.how.raw(),
                              loop.where.file_name(),
                              loop.where.function_name(),
                              nullptr,
                              shared::combiner(),
                              loop.costs,
                              loop.indices,
                              options.stop.stop_possible() ? nullptr : &site,
                              shared::copied_bytes(),
                              shared::joiner(),
                              loop.first};
  // Before the loop runs: all that is nested in this one can then run without the runtime.
  if (!is_this_thread(this_thread)) this_thread = doall_thread_here();
  const int verdict = doall_run(&descriptor);
  if (verdict == shared::go_on && !state.first_failure) return loop_end::completed;
  if (state.first_failure) std::rethrow_exception(state.first_failure);
  return loop_end::stopped;
}

// Not inlined, with few words of arguments: its stack would lie under all loops inside this one.
template <class Piece, bool CountsSigned>
[[gnu::noinline]] loop_end run_by_runtime(std::uint64_t iterations, const Piece& piece,
                                          std::uint64_t first_index, std::uint64_t stride,
                                          const loop_options& options,
                                          const std::source_location& where, std::uint64_t first) {
  const told_costs costs(options.costs, iterations, first_index, stride, CountsSigned);
  return share({iterations, iterations, costs.raw(), where, first}, options, site_of<Piece>, piece);
}

// The same, but the encountering thread runs a nested loop, or a short one, immediately. For the
// options' costs, iteration i is the index first_index + i stride.
template <bool CountsSigned, class Piece>
[[gnu::always_inline]] inline loop_end run(std::uint64_t iterations, const Piece& piece,
                                           std::uint64_t first_index, std::uint64_t stride,
                                           const loop_options& options,
                                           const std::source_location& where) {
  std::uint64_t first = 0;
  if (run_here(site_of<Piece>, iterations, options, piece, first)) return loop_end::completed;
  return run_by_runtime<Piece, CountsSigned>(iterations, piece, first_index, stride, options, where,
                                             first);
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
