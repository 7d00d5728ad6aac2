// NAS IS: ranks of many small integers, ten times over.
//
// Bailey et al., "The NAS Parallel Benchmarks", RNR-94-007, kernel IS; hybrid, section V:
//   in iteration t from 1 to 10:
//     key[t] = t, key[t + 10] = largest key - t
//     the rank of each key, which is the number of smaller ones
//     the ranks of five of them are verified
//   and at the end the keys, put where their ranks say, are in order.
// A key is a quarter of the range times the sum of four random numbers: most lie in the
// middle. 2^16 keys below 2^11 in class S, 2^20 below 2^16 in W, 2^23 below 2^19 in A.
//
// The report leaves the method open. Here it is four loops:
//   count    over blocks of neighbouring keys: how many of them fall into each of 512 buckets
//   place    over buckets, a cache line of counts at a time: where each block's keys begin
//   scatter  over blocks: keys go to their buckets
//   rank     over buckets: keys are counted, counts added up
//
// Imbalance: of `rank` large, that of the middle is a bucket with many keys; else none.
// Affinity: yes, a block's keys are read twice an iteration.
//
// Whole numbers: the answer is the ranks' bits, whoever ran what. The verification in
// between is a part of the program, five look-ups; that at the end is verified().
#pragma once

#include "kernels/kernel.hpp"
#include "kernels/nas.hpp"

namespace doall::bench {

class nas_is final : public kernel {
 public:
  static constexpr std::uint32_t iterations = 10;

  // Of that class, of S when it is small.
  nas_is(size s, nas_class c);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(results_)); }
  std::vector<std::size_t> loop_lengths() const override;

  std::size_t blocks() const { return blocks_; }
  static constexpr std::size_t lines() { return buckets() / buckets_a_line; }
  static constexpr std::size_t buckets() { return std::size_t{1} << buckets_log2; }

  // The parts of an iteration, from 1 on, in this order; those with a number are parallel.
  void begin(std::uint32_t iteration);
  void count_block(std::size_t block);
  void place_line(std::size_t line);
  void place_buckets();
  void scatter_block(std::size_t block);
  void rank_bucket(std::size_t bucket);
  void verify_some(std::uint32_t iteration);

  // Whether all of NAS's verifications have passed, those on the way and the last.
  bool verified() const override;

  // Of the loops over keys, where the time goes.
  std::size_t chunk(std::size_t workers) const;

 private:
  static constexpr unsigned buckets_log2 = 9;
  static constexpr std::size_t buckets_a_line = 16;
  struct test;
  struct shape;

  static const shape& shape_of(nas_class c);
  std::span<const std::uint32_t> keys_of(std::size_t block) const;
  std::size_t bucket_of(std::uint32_t key) const { return key >> bucket_keys_log2_; }
  std::uint32_t* counts_of(std::size_t block) { return &counts_[block * buckets()]; }

  // Of the last iteration. A rank a key, and behind them how many verifications have passed.
  std::span<const std::uint32_t> ranks() const { return std::span(results_).first(keys_end_); }
  std::uint32_t& passed() { return results_[keys_end_]; }
  std::uint32_t passed() const { return results_[keys_end_]; }

  const shape& shape_;
  std::size_t keys_end_;  // above the largest key
  unsigned bucket_keys_log2_;
  std::size_t blocks_;
  std::vector<std::uint32_t> input_;
  std::vector<std::uint32_t> keys_;
  std::vector<std::uint32_t> in_buckets_;
  std::vector<std::uint32_t> counts_;         // by block and bucket; then where its keys go
  std::vector<std::uint32_t> bucket_begins_;  // one more than there are buckets
  std::vector<std::uint32_t> tested_;         // the keys to be verified
  std::vector<std::uint32_t> results_;
};

// The order of IS's loops, for every runtime.
template <class Loops>
void run(nas_is& k, const Loops& loops) {
  for (std::uint32_t iteration = 1; iteration <= nas_is::iterations; ++iteration) {
    k.begin(iteration);
    loops.each(k.blocks(), [&](std::size_t block) { k.count_block(block); });
    loops.each(k.lines(), [&](std::size_t line) { k.place_line(line); });
    k.place_buckets();
    loops.each(k.blocks(), [&](std::size_t block) { k.scatter_block(block); });
    loops.each(k.buckets(), [&](std::size_t bucket) { k.rank_bucket(bucket); });
    k.verify_some(iteration);
  }
}

}  // namespace doall::bench
