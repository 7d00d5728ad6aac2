// The launch of a team in virtual time: when each worker has its task, and when the first one has
// joined all others, by messages along the tree of barrier/tree.hpp.
//
// The steps are barrier/half_barrier.hpp's for everyone: a leader offers the farthest child its
// task first, and joins the nearest first; a worker that has its task releases those that it leads
// before it runs, and has finished when it has joined them. A message is a line that one worker
// writes and another reads: it is there after the latency between the two, and keeps its writer
// busy, and its reader, for a time that is much shorter. Who reads several lines has asked for all
// of them.
#pragma once

#include <cstdint>
#include <vector>

#include "barrier/tree.hpp"

namespace doall::sim {

struct message_prices {
  double near = 0;  // within a domain
  double far = 0;   // between domains
  double line = 0;  // of writer and reader, each
};

class launch {
 public:
  // A team of so many, of which `domain_size` each are in a domain; flat: the paper's
  // "centralized".
  launch(std::uint32_t workers, std::uint32_t domain_size, const message_prices& prices,
         bool flat = false);

  // When each worker begins to run, if the first releases them at 0.
  std::vector<double> begins();

  // When the first worker has joined all, if they have run at `ends`.
  double joined(const std::vector<double>& ends);

  // Messages so far.
  std::uint64_t messages() const { return messages_; }

 private:
  double latency(std::uint32_t from, std::uint32_t to) const;
  barrier::tree shape() const;
  void release(barrier::branch mine, double now, std::vector<double>& begins);
  double join(barrier::branch mine, const std::vector<double>& ends);

  std::uint32_t workers_;
  std::uint32_t domain_size_;
  message_prices prices_;
  bool flat_;
  std::vector<std::uint32_t> domain_starts_;
  std::uint64_t messages_ = 0;
};

}  // namespace doall::sim
