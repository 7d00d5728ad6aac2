// Runs a program and verifies its answer: the same for every kernel and runtime.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "kernels/programs.hpp"

namespace doall::bench {

struct wrong_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

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

  // Nanoseconds a run: as many runs as fill some milliseconds, at least one. Before
  // them small loops of the same door wake the threads up. The input's preparation is
  // not timed. Throws wrong_answer when the last run's answer is wrong.
  std::vector<double> time(way how);

 private:
  void run(way how) { (how == way::serial ? program_.serial : program_.parallel)(*kernel_); }
  void wake_threads();
  double timed_run(way how);
  void verify() const;

  program program_;
  program warm_up_;
  std::unique_ptr<kernel> kernel_;
  std::unique_ptr<kernel> small_loop_;
  std::vector<std::byte> answer_;
  std::vector<std::uint32_t> runs_;  // of each iteration, in one run of the program
};

}  // namespace doall::bench
