// Runs a program and verifies its answer: the same for every kernel and runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "kernels/kernel.hpp"

namespace doall::bench {

struct wrong_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// One run of a program.
struct run_record {
  double total_ns = 0;
  std::optional<times_of_loops> loops = {};  // none: the program does not tell them apart
};

// As command lines name it.
inline size size_of(std::string_view name) { return name == "small" ? size::small : size::paper; }

// Whether a program's loops are run one iteration after the other, or by the door.
enum class way { serial, parallel };

class harness {
 public:
  // Makes the kernel and runs it serially once, for the answer that all others
  // must have. `warm_up` is a program of the same door whose small size takes no time.
  harness(const program& p, size s, const program& warm_up);

  // Runs the program twice and returns what part of the iterations, of all but
  // their first executions, stayed on the thread they were last on. Throws
  // wrong_answer unless each iteration ran as often as serially and the answer has
  // the serial one's bits.
  double check(way how);

  // As many runs as fill some milliseconds, within bounds. Before them small loops of the
  // same door wake the threads up. The input's preparation is not timed. Throws
  // wrong_answer when the last run's answer is wrong.
  std::vector<run_record> time(way how, std::size_t runs_min = 1, std::size_t runs_max = 20);

  // So many runs, and no loop besides theirs. The rest as time().
  std::vector<run_record> repeat(way how, std::size_t runs);

  // The same after small loops of the door.
  std::vector<run_record> call(way how, std::size_t runs);

 private:
  void run(way how) { (how == way::serial ? program_.serial : program_.parallel)(*kernel_); }
  void wake_threads();
  run_record timed_run(way how);
  void verify() const;

  program program_;
  program warm_up_;
  std::unique_ptr<kernel> kernel_;
  std::unique_ptr<kernel> small_loop_;
  std::vector<std::byte> answer_;
  std::vector<std::uint32_t> runs_;  // of each iteration, in one run of the program
};

}  // namespace doall::bench
