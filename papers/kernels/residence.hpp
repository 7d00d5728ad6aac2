// Where iterations live: what part of them run on the thread that ran them the
// last time their loop was executed (AFS's affinity), and how often each has run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace doall::bench {

class residence {
 public:
  // `lengths`: of the program's loops, in iterations.
  explicit residence(const std::vector<std::size_t>& lengths) {
    for (const std::size_t length : lengths) loops_.emplace_back(length);
  }

  // By the thread that runs the iteration. An iteration's slot has one writer at
  // a time: executions of a loop come one after the other.
  void note(std::size_t loop, std::size_t iteration) {
    static thread_local char own_address;
    slot& s = loops_[loop][iteration];
    s.stayed += s.last_on == &own_address;
    ++s.runs;
    s.last_on = &own_address;
  }

  // Of all executions of iterations but each one's first; 0 when there are none.
  double stayed_part() const {
    std::uint64_t stayed = 0;
    std::uint64_t again = 0;
    for (const auto& loop : loops_) {
      for (const slot& s : loop) {
        stayed += s.stayed;
        again += s.runs > 0 ? s.runs - 1 : 0;
      }
    }
    return again == 0 ? 0 : static_cast<double>(stayed) / static_cast<double>(again);
  }

  // How often each iteration has run, loop by loop.
  std::vector<std::uint32_t> runs() const {
    std::vector<std::uint32_t> all;
    for (const auto& loop : loops_) {
      for (const slot& s : loop) all.push_back(s.runs);
    }
    return all;
  }

 private:
  struct slot {
    const char* last_on = nullptr;  // a thread, by the address of its own variable
    std::uint32_t runs = 0;
    std::uint32_t stayed = 0;
  };
  std::vector<std::vector<slot>> loops_;
};

}  // namespace doall::bench
