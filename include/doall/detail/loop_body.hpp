// What a loop's workers run, and what the runtime is told of it.
//
// All that does not depend on the body's type is written once: a loop of a program's own makes the
// functions in which its body is inlined, and a constant that names them.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/detail/callee.hpp>
#include <doall/detail/site_word.hpp>
#include <doall/options.hpp>

#include <atomic>
#include <cstddef>
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

// A piece whose blocks are combined (abi.h): it takes the worker too. Only scans' are.
template <class Piece>
concept combining = requires(Piece& p) { p.combine(std::uint32_t{}, std::uint32_t{}); };

// A piece whose blocks may be joined (abi.h).
template <class Piece>
concept joining = requires(Piece& p) { p.join(std::uint64_t{}, std::uint64_t{}); };

// A piece that does not ask its stop token: `stops` says before what its caller asks.
struct before_iterations {};
struct before_chunks {};
template <class Piece>
concept asked_by_caller = requires { typename Piece::stops; };

// A piece that runs parts that thieves take in another way: it adds up what its own thread runs.
template <class Piece>
concept stolen_apart = requires(const Piece& p) { p.run_stolen(std::uint64_t{}, std::uint64_t{}); };

enum verdict : int { go_on, give_up };

DOALL_DIFFERS_BY_STOPS_BEGIN

// What a loop's caller and its workers tell one another while it runs.
class loop_state {
 public:
  explicit loop_state(doall_body unasked, const stop_token* stop = nullptr)
      : body_(unasked), stop_(stop) {}
  loop_state(const loop_state&) = delete;
  loop_state& operator=(const loop_state&) = delete;
  ~loop_state() {}  // see `failure_`

  doall_body body() const { return body_; }
  const stop_token* stop() const { return stop_; }
  bool is_stopped() const { return stop_->stop_requested(); }

  // Keeps the first exception of any piece for the caller. Called in a handler.
  [[gnu::noinline, gnu::cold]] void keep_failure() {
    if (!failed_.test_and_set()) std::construct_at(&failure_, std::current_exception());
  }
  bool has_failed() const { return failed_.test(); }
  // Called once, by the caller, when no piece runs.
  void rethrow_failure() {
    if (!has_failed()) return;
    const std::exception_ptr failure = std::move(failure_);
    failure_.~exception_ptr();
    std::rethrow_exception(failure);
  }

 private:
  doall_body body_;  // asks no stop token
  const stop_token* stop_;
  std::atomic_flag failed_ = ATOMIC_FLAG_INIT;
  union {
    std::exception_ptr failure_;  // there is one if failed_ is set: rethrow_failure() destroys it
  };
};

// Tells a guarded piece its loop's state, which it reads until the loop has run. GCC does not know
// how long that is.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdangling-pointer"
#endif
[[gnu::always_inline]] inline void tell_state(loop_state** body, loop_state& state) {
  *body = &state;
}
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

// Added to a step: a piece that does not ask is to be run iteration by iteration, as for any step
// but 1, and its stop token asked before each.
inline constexpr std::uint64_t asks_each = std::uint64_t{1} << 63;

// Two functions of type doall_body, for all loops whose pieces do not ask. The context begins with
// the loop's state.
inline int run_unless_stopped(void* self, std::uint64_t begin, std::uint64_t end,
                              std::uint64_t step, std::uint32_t worker) noexcept {
  const loop_state& loop = **static_cast<loop_state**>(self);
  return loop.body()(self, begin, end, step | asks_each, worker);
}
inline int run_chunk_unless_stopped(void* self, std::uint64_t begin, std::uint64_t end,
                                    std::uint64_t step, std::uint32_t worker) noexcept {
  if (step != 1) return run_unless_stopped(self, begin, end, step, worker);
  const loop_state& loop = **static_cast<loop_state**>(self);
  return loop.is_stopped() ? int{give_up} : loop.body()(self, begin, end, 1, worker);
}

// A loop's context: piece(begin, end, stop) runs iterations [begin, end) unless a stop comes
// before, and returns how it ended. The first exception of any piece is kept for the caller and
// stops the loop.
//
// With the piece by value, and copied to each worker with the task that releases it if it can be
// (abi.h, doall_loop::copied): a line that the caller writes and a worker fetches is among the
// dearest things in a short loop.
template <class Piece>
struct guarded {
  loop_state* state;  // the first member: what is not compiled for each loop finds it there
  Piece piece;

  static constexpr std::uint64_t copied_bytes() {
    constexpr bool fits =
        sizeof(guarded) <= most_bytes_copied && alignof(guarded) <= most_bytes_copied;
    return std::is_trivially_copyable_v<guarded> && fits ? sizeof(guarded) : 0;
  }

  static int run(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                 std::uint32_t worker) noexcept {
    return run_as(self, begin, end, step, worker, [](guarded&) { return never_stopped{}; });
  }

  // The same, but asks the stop token.
  static constexpr doall_body stoppable() {
    if constexpr (!asked_by_caller<Piece>) {
      return [](void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                std::uint32_t worker) noexcept -> int {
        return run_as(self, begin, end, step, worker,
                      [](guarded& all) { return asked_state{*all.state}; });
      };
    } else if constexpr (std::is_same_v<typename Piece::stops, before_chunks>) {
      return run_chunk_unless_stopped;
    } else {
      return run_unless_stopped;
    }
  }

  // The same for parts that thieves take.
  static constexpr doall_body stolen() {
    if constexpr (stolen_apart<Piece>) {
      return [](void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t,
                std::uint32_t) noexcept -> int {
        return guard(self, [&](guarded& all) {
          const auto& own = own_copy(all.piece);
          own.run_stolen(begin, end);
          return loop_end::completed;
        });
      };
    } else {
      return run;
    }
  }

  static constexpr bool counts_signed() {
    if constexpr (requires { typename Piece::index; }) {
      return std::is_signed_v<typename Piece::index>;
    } else {
      return false;
    }
  }

  // doall_loop::combine; null for a piece that does not combine.
  static constexpr auto combiner() -> void (*)(void*, std::uint32_t, std::uint32_t) {
    if constexpr (combining<Piece>) {
      return [](void* self, std::uint32_t into, std::uint32_t from) {
        guard(self, [&](guarded& all) {
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
        guard(self, [&](guarded& all) {
          all.piece.join(left, right);
          return loop_end::completed;
        });
      };
    } else {
      return nullptr;
    }
  }

 private:
  struct asked_state {
    const loop_state& loop;
    bool stop_requested() const { return loop.is_stopped(); }
  };

  template <class Own, class Asked>
  static loop_end run_one(const Own& own, std::uint64_t i, const Asked& asked) {
    if constexpr (asked_by_caller<Piece>)
      return own(i, i + 1, one_iteration{});
    else
      return own(i, i + 1, asked);
  }

  template <class Asking>
  static int run_as(void* self, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                    std::uint32_t worker, Asking asking) {
    return guard(self, [&](guarded& all) {
      const auto asked = asking(all);
      const auto& own = own_copy(all.piece);
      if constexpr (combining<Piece>) {
        return own(begin, end, asked, worker);
      } else {
        if (step == 1) return own(begin, end, asked);
        const stop_token* const stop = (step & asks_each) != 0 ? all.state->stop() : nullptr;
        const std::uint64_t stride = step & ~asks_each;
        for (std::uint64_t i = begin; i < end; i = end - i <= stride ? end : i + stride) {
          if (stop != nullptr && stop->stop_requested()) return loop_end::stopped;
          if (run_one(own, i, asked) == loop_end::stopped) return loop_end::stopped;
        }
        return loop_end::completed;
      }
    });
  }

  template <class Part>
  static int guard(void* self, Part part) {
    auto& all = *static_cast<guarded*>(self);
    try {
      return part(all) == loop_end::stopped ? give_up : go_on;
    } catch (...) {
      all.state->keep_failure();
      return give_up;
    }
  }
};

// The state is found in a context of any type by a cast.
struct any_piece {};
static_assert(offsetof(guarded<any_piece>, state) == 0);

DOALL_DIFFERS_BY_STOPS_END

// What is known of a loop when it is compiled.
struct loop_type {
  doall_open_kind open;
  doall_body body;
  doall_body stoppable;
  doall_body stolen;
  void (*combine)(void* context, std::uint32_t into, std::uint32_t from);
  void (*join)(void* context, std::uint64_t left, std::uint64_t right);
  std::uint64_t copied;
  bool counts_signed;  // its indices, for costs by a function of them
};

}  // namespace detail
}  // namespace v0
}  // namespace doall
