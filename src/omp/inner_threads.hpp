// Threads that regions inside of an active region add to it: how many one may have, and that
// they are counted while they are at work.
//
// thread-limit-var is for a contention group: all threads of the nest that begins with a
// thread outside of any region. Its outermost active region has a team, and the regions
// inside of it have what the limit leaves, counted in the outermost one (region::inner_threads).
// Who asks first gets first; a region that finds too few makes do with fewer, which the standard
// leaves to us (5.1, section 2.6.1). With dyn-var the CPUs are a limit too.
//
// Cost: of an outermost region none. Of an inner one two read-modify-writes, of a line that its
// siblings write too.
#pragma once

#include <cstdint>

#include "omp/state.hpp"

namespace doall::omp {

class inner_threads {
 public:
  // For a region with a team of one, or that is in no active one, or has threads of its
  // domain: none.
  inner_threads() = default;

  // For a region of `wanted` threads that the task has met, inside of an active one.
  inner_threads(const task_state& task, std::uint32_t wanted);

  ~inner_threads() { keep(1); }
  inner_threads(const inner_threads&) = delete;
  inner_threads& operator=(const inner_threads&) = delete;

  // Whether it is inside of an active region.
  bool counted() const { return outermost_ != nullptr; }

  // Threads that the region may have, the one that met it included.
  std::uint32_t size() const { return added_ + 1; }

  // Threads of the nest that were at work before them, that one included.
  std::uint32_t others() const { return others_; }

  // The region has no more than that.
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
