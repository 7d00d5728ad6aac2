// What ranks and desks tell each other: wishes and hands; and what both are made of, chunks, and
// the dealers that a schedule deals them by. Plain values, which travel as bytes.
#pragma once

#include <doall/abi.h>

#include <cstdint>
#include <stdexcept>
#include <string>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

// A hand has at most as many chunks.
inline constexpr std::uint32_t most_chunks = 64;

// What a rank asks for.
struct wish {
  std::uint64_t loop = 0;            // the signature of the loop that it runs (agreement.hpp)
  std::uint64_t iterations_run = 0;  // since its last wish, for schedules that adapt
  std::uint64_t elapsed_ns = 0;      // for these, if its workers had shared them evenly
  std::uint32_t chunks = 1;          // at most so many at once
  std::uint16_t gives_up = 0;        // 1: ends the loop for all ranks
  std::uint16_t hungry = 0;          // 1: a worker of its has nothing to run
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
    more,       // ask again; without a chunk: when one is needed
    last,       // do not ask again
    ended,      // the same, as a rank has given the loop up: what is not dealt yet is not run
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

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
