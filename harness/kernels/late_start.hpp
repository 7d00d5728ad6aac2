// A balanced loop that one worker comes late to.
//
// AFS, section 4.5, Table 2: "a simple, balanced parallel loop ... no memory
// accesses", of 200 million iterations on 8 processors; one of them first does
// nothing for as long as some part of the N iterations takes.
//
// Imbalance: none but the delay. Affinity: none.
//
// The late thread runs that many such iterations, on data of its own, before it
// meets the loop, in a region that is already open: this is how it can be the same
// delay for every runtime, and needs no clock. A native parallel_for has no such place, for its
// body is called only once a chunk has been claimed: it has no delay here,
// and our schedules are measured through GCC's door. N is 200 thousand: the
// paper's would take seconds a cell.
#pragma once

#include "kernels/unit_loop.hpp"

namespace doall::bench {

class late_start final : public unit_loop {
 public:
  // `delay`: in parts of the N iterations' time on one thread.
  late_start(size s, double delay);

  // By the thread that is late.
  void wait();

 private:
  std::vector<std::uint64_t> waited_;  // the results of the delay's iterations
};

// Without the delay where the runtime has no place for it.
template <class Loops>
void run(late_start& k, const Loops& loops) {
  const auto body = [&](int i) { k.run(i); };
  if constexpr (requires { loops.each_with_one_late(k.iterations(), [] {}, body); }) {
    loops.each_with_one_late(k.iterations(), [&] { k.wait(); }, body);
  } else {
    loops.each(0, k.iterations(), body);
  }
}

}  // namespace doall::bench
