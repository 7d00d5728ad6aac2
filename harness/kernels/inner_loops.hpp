// A nest whose inner loops do next to nothing: what it costs to meet one when nobody is idle.
//
// LBS, section 3: a worker that meets a loop while its deque is not empty just runs it. The
// outer loop here is far longer than there are workers, so that all of them have a part of it
// until the end; an outer iteration holds an inner loop of four iterations that count. The same
// nest with plain inner loops, under the same outer one, is subtracted from it.
#pragma once

#include "kernels/kernel.hpp"
#include "lanes/serial.hpp"

namespace doall::bench {

class inner_loops final : public kernel {
 public:
  explicit inner_loops(size s) : counts_(loops(s)) {}

  // How many inner loops a run has.
  static constexpr std::size_t loops(size s) { return s == size::paper ? 1'000'000 : 20'000; }
  static constexpr std::size_t inner_length = 4;

  void reset() override { counts_.assign(counts_.size(), 0); }
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(counts_)); }
  std::vector<std::size_t> loop_lengths() const override { return {counts_.size() * inner_length}; }

  std::size_t outer_length() const { return counts_.size(); }
  // An inner iteration. A call in each nest, which thus cancels out.
  void count(std::size_t outer, std::size_t inner);

 private:
  std::vector<std::uint32_t> counts_;  // by outer iteration
};

template <class Loops>
void run(inner_loops& k, const Loops& loops) {
  loops.outer(k.outer_length(), [&](std::size_t i) {
    loops.inner(k.inner_length, [&k, i](std::size_t j) { k.count(i, j); });
  });
}

}  // namespace doall::bench
