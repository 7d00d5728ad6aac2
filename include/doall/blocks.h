/* How a reduction is cut into blocks, and the tree that combines them. In the fixed order both
 * depend on the loop's length and the value's size alone, so that the result has the same bits for
 * any number of threads and any schedule. C and C++ share them, and so get the same bits.
 *
 * Cut: blocks of neighbouring iterations, of one length or one more. One worker runs a block, in
 * order, into a value of its own.
 *
 * Tree: a node of width w, a power of two, is blocks [k w, (k + 1) w) combined into one value, its
 * left half with its right half. Nodes that reach beyond the last block have what there is of them.
 * The tree of 7 blocks:
 *
 *   ((0 1) (2 3)) ((4 5) 6)
 *
 * The worker that runs a chunk pushes its blocks onto a stack, and combines the top two nodes each
 * time that the new block completes a node (a binary counter that counts up). So a chunk, or in C++
 * several that its worker runs in turn, leaves the widest nodes that fit into it, O(log) of them.
 * The caller goes on in the same way with the nodes that all chunks have left, from left to right.
 * After the last block it combines the nodes still on its stack, of falling width, from right to
 * left: these are the ones that were cut off.
 *
 * Each block but the first is the first one of exactly one right operand. So there is one
 * combination fewer than blocks, for any chunks, and most happen in the cache of the worker that
 * made the operands.
 */
#ifndef DOALL_BLOCKS_H
#define DOALL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* An inline function of C11 and of C++ alike. Each library of a process has its own, for they may be
 * built with the headers of different releases. */
#ifdef __cplusplus
#define DOALL_INLINE inline __attribute__((visibility("hidden")))
#else
#define DOALL_INLINE static inline
#endif

/* Casts, likewise: C++'s compilers may warn of C's. */
#ifdef __cplusplus
#define DOALL_TO(type, value) (static_cast<type>(value))
#define DOALL_AS(type, value) (reinterpret_cast<type>(value))
#else
#define DOALL_TO(type, value) ((type)(value))
#define DOALL_AS(type, value) ((type)(value))
#endif

#define DOALL_MOST_BLOCKS 256

/* The fewest blocks for large values, if there are as many iterations. */
#define DOALL_LEAST_BLOCKS 64

/* A larger value than this is large. */
#define DOALL_SMALL_VALUE_BYTES 64

typedef struct doall_cut {
  uint64_t blocks; /* at most DOALL_MOST_BLOCKS */
  uint64_t length; /* of a block, in iterations */
  uint64_t longer; /* this many blocks, the first ones, have one iteration more */
} doall_cut;

/* The cut into that many blocks, which may be 0 only if there are no iterations. */
DOALL_INLINE doall_cut doall_cut_into(uint64_t blocks, uint64_t iterations) {
  doall_cut cut = {blocks, 1, 0};
  if (blocks != iterations) { /* no division in a short loop */
    cut.length = iterations / blocks;
    cut.longer = iterations % blocks;
  }
  return cut;
}

/* The cut of a reduction to a value of that many bytes.
 *
 * Small values: 256 blocks, as many as can be used. How long iterations are is unknown, and a few
 * long ones want a block each. For values up to a cache line a block costs a nanosecond or two.
 *
 * Large values: a byte costs about a third of the cheapest iteration (measured: 100 ns to make and
 * combine 1 KiB by value, and 0.27 ns an iteration of a histogram). So each block gets an iteration
 * for each byte, and the values take at most a third of the loop's time.
 *
 * At least 64 blocks, for all cores must share long iterations on large values too. Up to 64 cores
 * have one each; at worst, on 63, half of their time is lost (on 32 or fewer a third).
 */
DOALL_INLINE doall_cut doall_cut_of(uint64_t iterations, size_t value_bytes) {
  uint64_t blocks = value_bytes <= DOALL_SMALL_VALUE_BYTES ? iterations : iterations / value_bytes;
  if (blocks < DOALL_LEAST_BLOCKS) blocks = DOALL_LEAST_BLOCKS;
  if (blocks > DOALL_MOST_BLOCKS) blocks = DOALL_MOST_BLOCKS;
  return doall_cut_into(blocks < iterations ? blocks : iterations, iterations);
}

/* The first iteration of a block; for block number cut.blocks, the number of iterations. */
DOALL_INLINE uint64_t doall_cut_begin(doall_cut cut, uint64_t block) {
  return block * cut.length + (block < cut.longer ? block : cut.longer);
}

/* How many iterations a block has. */
DOALL_INLINE uint64_t doall_block_length(doall_cut cut, uint64_t block) {
  return cut.length + (block < cut.longer ? 1 : 0);
}

/* Writes the blocks' costs to `sums`, as running sums, from those of the iterations, and returns
 * it; null when the costs of the iterations are not known. */
DOALL_INLINE const uint64_t* doall_cut_costs(doall_cut cut, const uint64_t* of_iterations,
                                             uint64_t sums[DOALL_MOST_BLOCKS + 1]) {
  if (of_iterations == NULL) return NULL;
  for (uint64_t b = 0; b <= cut.blocks; ++b) sums[b] = of_iterations[doall_cut_begin(cut, b)];
  return sums;
}

/* For 256 blocks: a stack that begins at block 0, and a node that is about to be combined. */
#define DOALL_MOST_NODES 9

/* The floor of n's binary logarithm; n > 0. */
DOALL_INLINE uint64_t doall_log2(uint64_t n) { return 63 - DOALL_TO(uint64_t, __builtin_clzll(n)); }

/* The width of the widest node that begins at block `first` and ends at `end` or before;
 * first < end. */
DOALL_INLINE uint64_t doall_node_width(uint64_t first, uint64_t end) {
  const uint64_t fits = DOALL_TO(uint64_t, 1) << doall_log2(end - first);
  const uint64_t aligned = first & (0 - first); /* 0 of 0, which any width divides */
  return aligned != 0 && aligned < fits ? aligned : fits;
}

/* How many nodes are completed by a node of that width that ends at block `end`, on a stack that
 * begins at `first`. That is how often the top two are combined. */
DOALL_INLINE uint64_t doall_nodes_completed(uint64_t first, uint64_t end, uint64_t width) {
  const uint64_t aligned = DOALL_TO(uint64_t, __builtin_ctzll(end));
  const uint64_t there = doall_log2(end - first);
  return (aligned < there ? aligned : there) - doall_log2(width);
}

#endif
