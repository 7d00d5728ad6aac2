// Counts the threads that regions inside an active region add to it, and limits how many a region
// may have.
//
// thread-limit-var applies to a contention group: all threads of the nest that begins with a thread
// outside any region. The group's outermost active region has a team. Regions inside it have what
// the limit leaves, counted in the outermost one (region::inner_threads). First come, first served:
// a region that finds too few threads uses fewer, which the standard leaves to the implementation
// (5.1, section 2.6.1). With dyn-var the CPUs are a limit too.
//
// Cost: none for an outermost region; for an inner one, two read-modify-writes of a line that its
// siblings write too.
#pragma once

#include <cstdint>

#include "omp/state.hpp"

namespace doall::omp {

class inner_threads {
 public:
  // No threads: for a region with a team of one, outside any active region, or with the threads of
  // its domain.
  inner_threads() = default;

  // Counts threads for a region of `wanted` threads that the task encounters inside an active one.
  inner_threads(const task_state& task, std::uint32_t wanted);

  ~inner_threads() { keep(1); }
  inner_threads(const inner_threads&) = delete;
  inner_threads& operator=(const inner_threads&) = delete;

  // Whether it is inside an active region.
  bool counted() const { return outermost_ != nullptr; }

  // Threads that the region may have, including the encountering one.
  std::uint32_t size() const { return added_ + 1; }

  // Threads of the nest that were at work before these, including the encountering one.
  std::uint32_t others() const { return others_; }

  // Keeps that many threads, and gives the others back.
  void keep(std::uint32_t size) {
    if (size <= added_) give_back(added_ + 1 - size);
  }

 private:
  void give_back(std::uint32_t threads);

  region* outermost_ = nullptr;
  std::uint32_t added_ = 0;
  std::uint32_t others_ = 0;
};

}  // namespace doall::omp
