// How a loop's calls went, one after the other, for the report: their times in at most 64 groups of
// neighbouring calls, and when each worker came and left in the slowest one.
//
// A group has 2^k calls. When all are full, neighbours are merged and k grows by one: so the memory
// is bounded, each call costs an addition, and no call is left out. Written and read under the lock
// of the sites (site.cpp).
//
// Memory: 1 KiB, and 24 bytes for each worker of the slowest call, at most 64 of them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>

#include "base/no_memory.hpp"

namespace doall::observe {

// When a worker was in a call, from the call's begin; `busy` is its time in the program's code.
struct slot_times {
  std::uint64_t entered = 0;
  std::uint64_t left = 0;
  std::uint64_t busy = 0;
};

class call_history {
 public:
  static constexpr std::size_t groups = 64;
  static constexpr std::uint32_t slots_most = 64;

  // A call took so long. Whether it is the slowest one so far, of those that are counted in
  // detail: then say what its workers did.
  bool add(std::uint64_t ticks, bool in_detail = true) {
    if (calls_ == each_ * groups) merge();
    group& g = groups_[calls_ / each_];
    g.sum += ticks;
    g.most = std::max(g.most, ticks);
    const bool slowest = in_detail && (!has_slowest_ || ticks > slowest_ticks_);
    if (slowest) {
      has_slowest_ = true;
      slowest_ticks_ = ticks;
      slowest_call_ = calls_;
      slots_ = 0;
    }
    ++calls_;
    return slowest;
  }

  // The slowest call's workers; null if there is no memory.
  slot_times* slots_for(std::uint32_t workers) {
    const std::uint32_t wanted = std::min(workers, slots_most);
    if (wanted > room_) {
      std::unique_ptr<slot_times[]> larger(
          base::or_null([&] { return new (std::nothrow) slot_times[wanted]; }));
      if (larger == nullptr) return nullptr;
      slot_.swap(larger);
      room_ = wanted;
    }
    slots_ = wanted;
    return slot_.get();
  }

  // "calls:mean:most" for each group, parted by blanks; times by text(ticks).
  template <class Text>
  std::string groups_text(Text text) const {
    std::string all;
    for (std::uint64_t first = 0; first < calls_; first += each_) {
      const group& g = groups_[first / each_];
      const std::uint64_t calls = std::min(each_, calls_ - first);
      if (!all.empty()) all += ' ';
      all += std::to_string(calls) + ':' +
             text(static_cast<double>(g.sum) / static_cast<double>(calls)) + ':' +
             text(static_cast<double>(g.most));
    }
    return all;
  }

  // "call:time", and "entered:left:busy" for each worker, parted by blanks; empty: no call.
  template <class Text>
  std::string slowest_text(Text text) const {
    if (!has_slowest_) return "";
    const auto number = [&](std::uint64_t ticks) { return text(static_cast<double>(ticks)); };
    std::string all = std::to_string(slowest_call_) + ':' + number(slowest_ticks_);
    for (std::uint32_t w = 0; w < slots_; ++w) {
      const slot_times& s = slot_[w];
      all += ' ' + number(s.entered) + ':' + number(s.left) + ':' + number(s.busy);
    }
    return all;
  }

 private:
  struct group {
    std::uint64_t sum = 0;
    std::uint64_t most = 0;
  };

  void merge() {
    for (std::size_t n = 0; n < groups / 2; ++n) {
      const group& left = groups_[2 * n];
      const group& right = groups_[2 * n + 1];
      groups_[n] = {left.sum + right.sum, std::max(left.most, right.most)};
    }
    std::fill(groups_.begin() + groups / 2, groups_.end(), group{});
    each_ *= 2;
  }

  std::array<group, groups> groups_{};
  std::uint64_t each_ = 1;  // calls of a group
  std::uint64_t calls_ = 0;
  bool has_slowest_ = false;
  std::uint64_t slowest_ticks_ = 0;
  std::uint64_t slowest_call_ = 0;
  std::uint32_t slots_ = 0;
  std::uint32_t room_ = 0;
  std::unique_ptr<slot_times[]> slot_;
};

}  // namespace doall::observe
