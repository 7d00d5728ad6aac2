// The claiming heuristic: chooses the partition of a loop that a worker takes next, so that it is
// usually the one that the worker took the last time.
//
// Paper: hybrid, section III, Algorithms 2 and 3. A loop has R partitions, R a power of two, each
// with a flag that a claim sets. Worker w tries them in the order i xor w for i = 0, 1, ...: first
// the one with its own number. After a failed claim at i it skips what begins there at i's level,
// i += i & -i: the frame that claimed it is on its way through the rest. A failed first claim, at
// i = 0, ends the frame.
//
// State: flags, and for each worker a frame {i, w}, a plain value that holds its whole position;
// any holder of a frame can go on with it. Frames may begin at any time, with any w below R. Two
// may begin with the same w: the second one ends immediately.
//
// Lemma 1: a partition is claimed once, since one atomic operation sets a flag, which is never
// cleared. Lemma 2: if a frame has tried to claim a partition, all partitions of the groups that
// begin there are claimed once all frames have ended. The level-n group of w and x is
// {w xor i : x 2^n <= i < (x + 1) 2^n}; all w have the same sets. A frame that claims a group's
// first partition in its order claims those that others have not. So one frame is enough for all R.
// The proof needs that only frames claim partitions: another claim would make frames skip
// partitions that no frame comes to.
//
// Terminates: i grows with each claim. Cost: at most lg R failed claims in a row (Lemma 4: i & -i
// at least doubles with each, from 1 to at most R / 2), so R successful and at most R lg R + F
// failed ones for F frames (Theorem 5's proof). It is not lg R for each frame: two workers in step
// fail at every other partition.
#pragma once

#include <cstdint>

#include "base/sync.hpp"
#include "schedule/schedule.hpp"

namespace doall::schedules {

struct claim_frame {
  std::uint32_t i = 0;
  std::uint32_t w = 0;  // below R

  std::uint32_t partition() const { return i ^ w; }
  bool ended(std::uint32_t parts) const { return i >= parts; }

  // Moves on after the claim of partition() succeeded or failed.
  void claimed() { ++i; }
  void failed(std::uint32_t parts) { i = i == 0 ? parts : i + (i & (0 - i)); }
};

// A frame's next successful claim, and what it took.
struct claim {
  std::uint32_t partition = 0;
  bool done = false;         // false: the frame has ended
  std::uint32_t failed = 0;  // claims before it
};

// Flags: bool claim(partition), whether this call set its flag.
template <class Flags>
claim next_claim(claim_frame& at, std::uint32_t parts, const Flags& flags) {
  claim result;
  while (!at.ended(parts)) {
    result.partition = at.partition();
    result.done = flags.claim(result.partition);
    if (result.done) {
      at.claimed();
      return result;
    }
    at.failed(parts);
    ++result.failed;
  }
  return result;
}

// Flags in words that loops use one after the other without clearing them: a word's high bits are
// the epoch of the loop that wrote it (worker_line::tagged), and under another epoch it has no flag
// set. Hence a compare-and-swap where the paper has a fetch-and-or: the first claim of a loop also
// empties the word.
//
// Partition r's flag is bit r / n of word r mod n of n words: each worker's own flag is in its own
// word, which no other worker needs to fetch as long as all are busy. One word for 64 partitions
// would be one line that every worker fetches at the beginning of every loop.
//
// Words: operator()(k), a sync::atomic<u64>&, apart from the others.
template <class Words>
class tagged_flags {
 public:
  static constexpr std::uint32_t per_word = worker_line::tag_bits;

  // For at most per_word * count partitions.
  tagged_flags(Words words, std::uint32_t count, u64 epoch)
      : words_(words), count_(count), epoch_(epoch) {}

  // Fails only if the flag is set, or others in its word were set meanwhile: per_word times.
  bool claim(std::uint32_t partition) const {
    sync::atomic<u64>& word = words_(partition % count_);
    // (1) relaxed; alone: only a guess for (2), which decides, or a flag that stays set
    u64 seen = word.load(sync::relaxed);
    for (;;) {
      const u64 flags = flags_in(seen);
      if ((flags & bit_of(partition)) != 0) return false;
      const u64 then = epoch_ << per_word | flags | bit_of(partition);
      // (2) relaxed; alone: the flags themselves are all that is communicated
      if (word.compare_exchange_weak(seen, then, sync::relaxed, sync::relaxed)) return true;
    }
  }

  bool is_claimed(std::uint32_t partition) const {
    // (3) relaxed; alone: a flag that is seen set stays set; for others, claim() decides
    const u64 seen = words_(partition % count_).load(sync::relaxed);
    return (flags_in(seen) & bit_of(partition)) != 0;
  }

 private:
  u64 bit_of(std::uint32_t partition) const { return u64{1} << partition / count_; }
  u64 flags_in(u64 word) const {
    return word >> per_word == epoch_ ? word & ((u64{1} << per_word) - 1) : 0;
  }

  Words words_;
  std::uint32_t count_;
  u64 epoch_;
};

}  // namespace doall::schedules
