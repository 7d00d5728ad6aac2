// The desk: the one object that deals a loop's chunks to ranks. Rank 0 has it.
//
// It holds the ordinary schedule object, with a worker for each rank. A rank asks by a wish and
// gets a hand of chunks. Nothing here knows MPI: messages.hpp carries wishes and hands, tests carry
// them by threads (README.md).
//
// State: the dealer, what is left of the loop, and whether the loop has been ended early. One mutex
// guards all of it. A rank's last hand says so, and the rank asks no more.
// Exactly once: the schedule deals each iteration once, and the desk hands on all that it is dealt.
// Cost: a lock and a call of the schedule for each chunk.
#pragma once

#include <doall/abi.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

// A hand has at most as many chunks.
inline constexpr std::uint32_t most_chunks = 16;

// What a rank asks for.
struct wish {
  std::uint64_t loop = 0;            // the signature of the loop that it runs (agreement.hpp)
  std::uint64_t iterations_run = 0;  // since its last wish, for schedules that adapt
  std::uint64_t elapsed_ns = 0;      // for these, if its workers had shared them evenly
  std::uint32_t chunks = 1;          // at most so many at once
  std::uint32_t gives_up = 0;        // 1: ends the loop for all ranks
  std::uint64_t held = 0;            // iterations that it holds in advance
};

// Iterations, and the time that they took.
struct measured {
  std::uint64_t iterations = 0;
  std::uint64_t elapsed_ns = 0;
};

// What it gets.
struct hand {
  enum kind : std::uint32_t {
    more,       // ask again
    last,       // do not ask again
    wrong_call  // rank 0 runs another loop; do not ask again
  };
  std::uint32_t what = last;
  std::uint32_t chunks = 0;
  doall_chunk chunk[most_chunks];
};

inline std::uint64_t size_of(const doall_chunk& c) {
  return c.begin >= c.end ? 0 : (c.end - c.begin - 1) / c.step + 1;
}

// Throws std::invalid_argument, with the reason, for a schedule that cannot deal.
inline doall_dealer* begin_dealer(const doall_schedule& how, std::uint64_t iterations,
                                  std::uint32_t workers, const doall_costs* costs,
                                  const char* which) {
  char why[512] = "";
  doall_dealer* const made = doall_dealer_begin(&how, iterations, workers, costs, why, sizeof why);
  if (made != nullptr) return made;
  throw std::invalid_argument("doall::mpi: " + std::string(which) + ": " + why +
                              "; the loop was not run");
}

class desk {
 public:
  // Deals nothing until it is opened. `unbounded`: whatever a rank holds in advance unbalances
  // nothing, as all ranks draw from it, or as it is nobody else's anyway.
  desk(std::uint32_t ranks, bool unbounded) : ranks_(ranks), unbounded_(unbounded) {}
  ~desk() { doall_dealer_end(dealer_); }
  desk(const desk&) = delete;
  desk& operator=(const desk&) = delete;

  // Called before any rank is dealt to. Throws std::invalid_argument.
  void open(const doall_schedule& how, std::uint64_t iterations, const doall_costs* costs) {
    dealer_ = begin_dealer(how, iterations, ranks_, costs, "between ranks");
    left_ = iterations;
  }

  // From now on all ranks get their last hand. Any thread.
  void end() {
    const std::lock_guard lock(mutex_);
    left_ = 0;
    ended_ = true;
  }
  bool was_ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  // Iterations that nobody has been dealt.
  std::uint64_t left() {
    const std::lock_guard lock(mutex_);
    return left_;
  }

  // Any thread, for different ranks at the same time.
  //
  // A rank that holds nothing gets a chunk at least. Unless `unbounded`, no rank gets more than
  // half of its even part of what is left, so that what ranks hold does not unbalance the loop's
  // end.
  void deal(std::uint32_t rank, const wish& of, hand& to) {
    const std::lock_guard lock(mutex_);
    to.what = hand::last;
    to.chunks = 0;
    if (of.gives_up != 0) {
      left_ = 0;
      ended_ = true;
    }
    if (left_ == 0) return;
    to.what = hand::more;
    const std::uint64_t enough = left_ / (2 * std::uint64_t{ranks_});
    const std::uint32_t most = std::min(of.chunks, most_chunks);
    std::uint64_t dealt = 0;
    std::uint64_t run = of.iterations_run;
    while (to.chunks < most && (of.held + dealt == 0 || unbounded_ || of.held + dealt < enough)) {
      doall_chunk& c = to.chunk[to.chunks];
      if (doall_dealer_next(dealer_, rank, run, of.elapsed_ns, &c) == 0) {
        to.what = hand::last;
        break;
      }
      ++to.chunks;
      dealt += size_of(c);
      run = 0;
    }
    left_ -= dealt;
    if (left_ == 0) to.what = hand::last;
  }

 private:
  const std::uint32_t ranks_;
  const bool unbounded_;
  std::mutex mutex_;
  bool ended_ = false;  // early
  doall_dealer* dealer_ = nullptr;
  std::uint64_t left_ = 0;  // iterations that nobody has been dealt; 0: none, or the loop was ended
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
