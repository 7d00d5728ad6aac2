/* How a reduction is cut, and in which tree its parts are combined: both depend on
 * its length and on the size of its value alone, so that its result has the same
 * bits for any number of threads and any schedule. C and C++ share cut and tree, and so
 * get the same bits.
 *
 * Cut: blocks of neighbouring iterations, all of one length or some one longer. Each
 * is run by one worker, in order, into a value of its own.
 *
 * Tree: over the blocks' numbers. A node is the values of blocks [k w, (k + 1) w), w a
 * power of two, combined into one; its halves are its children, the left one
 * before the right one; the last node of a width may lack blocks. For 6 blocks:
 *
 *   ((0 1) (2 3)) (4 5)
 *
 * Who runs neighbouring blocks combines what nodes they fill, as they come: they stand on a
 * stack, and each new one is combined with the one before it as long as the two are
 * siblings (a binary counter that is counted up). What remains of a chunk is at most 14
 * nodes, and of one that begins at 0 at most 8. Whoever has the remains of all
 * chunks, in order, goes on in the same way with them. So each node is combined once,
 * whatever the chunks: one combination fewer than blocks, most of them in the cache of
 * who made the operands.
 */
#ifndef DOALL_BLOCKS_H
#define DOALL_BLOCKS_H

#include <stddef.h>
#include <stdint.h>

/* An inline function of C11 and of C++ alike. */
#ifdef __cplusplus
#define DOALL_INLINE inline
#else
#define DOALL_INLINE static inline
#endif

#define DOALL_MOST_BLOCKS 256

/* Of values that are not small, if there are as many iterations. */
#define DOALL_LEAST_BLOCKS 64

typedef struct doall_cut {
  uint64_t blocks; /* at most DOALL_MOST_BLOCKS */
  uint64_t length; /* of a block, in iterations */
  uint64_t longer; /* so many blocks, the first ones, have one iteration more */
} doall_cut;

/* The cut into so many blocks; 0 of no iterations alone. */
DOALL_INLINE doall_cut doall_cut_into(uint64_t blocks, uint64_t iterations) {
  doall_cut cut = {blocks, 0, 0};
  if (blocks != 0) {
    cut.length = iterations / blocks;
    cut.longer = iterations % blocks;
  }
  return cut;
}

/* The cut of a reduction to a value of so many bytes.
 *
 * A block costs making a value and combining it with another: some passes over its words,
 * against the block's iterations, of which the cheapest take about as long as one
 * word does. So blocks have as many iterations as the value has words, and the two
 * weigh about the same at worst. Up to the limits: more than 256 blocks balance no
 * better on the machines of today. And iterations may be few and long (nobody knows
 * here): 64 blocks still keep 64 cores busy, and waste at most a third on fewer.
 * Of small values, up to a word, there is a block an iteration up to 256.
 */
DOALL_INLINE doall_cut doall_cut_of(uint64_t iterations, size_t value_bytes) {
  const uint64_t words = value_bytes / 8;
  uint64_t blocks = words > 1 ? iterations / words : iterations;
  if (blocks < DOALL_LEAST_BLOCKS) blocks = DOALL_LEAST_BLOCKS;
  if (blocks > DOALL_MOST_BLOCKS) blocks = DOALL_MOST_BLOCKS;
  return doall_cut_into(blocks < iterations ? blocks : iterations, iterations);
}

/* The first iteration of a block; of block number cut.blocks: how many there are. */
DOALL_INLINE uint64_t doall_cut_begin(doall_cut cut, uint64_t block) {
  return block * cut.length + (block < cut.longer ? block : cut.longer);
}

/* The blocks' costs as running sums, from the iterations', written to `sums`, which is
 * returned; null when the iterations' are not known. */
DOALL_INLINE const uint64_t* doall_cut_costs(doall_cut cut, const uint64_t* of_iterations,
                                             uint64_t sums[DOALL_MOST_BLOCKS + 1]) {
  if (of_iterations == NULL) return NULL;
  for (uint64_t b = 0; b <= cut.blocks; ++b) sums[b] = of_iterations[doall_cut_begin(cut, b)];
  return sums;
}

/* The cut of a loop without a value: a block an iteration, up to 256. */
DOALL_INLINE uint64_t doall_block_count(uint64_t iterations) {
  return iterations < DOALL_MOST_BLOCKS ? iterations : DOALL_MOST_BLOCKS;
}

DOALL_INLINE uint64_t doall_block_begin(uint64_t iterations, uint64_t block) {
  return doall_cut_begin(doall_cut_into(doall_block_count(iterations), iterations), block);
}

/* More than a chunk's nodes, and one block that is about to be combined with them. */
#define DOALL_MOST_NODES 16

/* Whether the nodes [left, right) and [right, end) of a tree over so many blocks are the
 * children of one. */
DOALL_INLINE int doall_are_siblings(uint64_t left, uint64_t right, uint64_t end, uint64_t blocks) {
  const uint64_t twice = 2 * (right - left);
  const uint64_t parent_end = left + twice < blocks ? left + twice : blocks;
  return (left & (twice - 1)) == 0 && end == parent_end;
}

#endif
