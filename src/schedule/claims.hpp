// The claiming heuristic: which partition of a loop a worker takes next, so that it is usually
// the one that it took the last time.
//
// Paper: hybrid, section III, Algorithms 2 and 3. A loop has R partitions, R a power of two,
// each with a flag that is set by who claims it. Worker w tries them in the order i xor w for
// i = 0, 1, ...: first the one with its own number. After a failed claim at i it leaves
// out what begins there at i's level, i += i & -i: whoever claimed it is on its way through
// the rest. A failed first claim, at i = 0, ends the frame.
//
// State: flags, and for each worker a frame {i, w}, a plain value that says all about where
// it is; who holds it goes on with it. Frames may begin at any time, with any w below R, two
// of them with the same w too: the second one ends at once.
//
// Lemma 1: a partition is claimed once, since a flag is set by one atomic operation and
// never cleared. Lemma 2: where a frame has tried to claim a partition, all partitions of
// the groups that begin there are claimed once all frames have ended: the level-n group of
// w and x is {w xor i : x 2^n <= i < (x + 1) 2^n}, of all w's the same sets, and who claims
// a group's first partition in its order claims what others have not. So one frame is
// enough for all R. It is in the proof that a partition is claimed by frames alone: a claim
// by the way would make others leave out partitions that nobody comes for.
//
// Terminates: i grows with each claim. Cost: at most lg R failed claims in a row (Lemma 4:
// i & -i at least doubles with each, from 1 to at most R / 2), so R successful and at most
// R lg R + F failed ones for F frames (Theorem 5's proof). It is not lg R a frame: two
// workers in step fail at every other partition.
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

  // What follows from how the claim of partition() went.
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

// Flags in words that loops use one after the other, so that nobody clears R of them: a word's
// high bits are the epoch of the loop that wrote it (worker_line::tagged), and under
// another epoch it has no flag set. Hence a compare-and-swap where the paper has a
// fetch-and-or: the first claim of a loop also empties the word.
//
// Partition r's flag is bit r / n of word r mod n of n words: each worker's own flag in
// its own word, which nobody else need fetch as long as all are busy. One word for 64
// partitions would be one line that every worker fetches at the beginning of every loop.
//
// Words: operator()(k), a sync::atomic<u64>&, apart from the others.
template <class Words>
class tagged_flags {
 public:
  static constexpr std::uint32_t per_word = worker_line::tag_bits;

  // Of at most per_word * count partitions.
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
    // (3) relaxed; alone: a flag that is seen set stays so; another, claim() decides
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
