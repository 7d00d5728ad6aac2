/* How a reduction is cut: into blocks that depend on its length alone, so that
 * its result has the same bits for any number of threads and any schedule. Each
 * block is run by one worker, in order; then the blocks' results are combined in
 * one fixed tree. C and C++ share this cut, and so get the same bits.
 */
#ifndef DOALL_BLOCKS_H
#define DOALL_BLOCKS_H

#include <stdint.h>

/* An inline function of C11 and of C++ alike. */
#ifdef __cplusplus
#define DOALL_INLINE inline
#else
#define DOALL_INLINE static inline
#endif

#define DOALL_MOST_BLOCKS 256

/* As many blocks as iterations, at most DOALL_MOST_BLOCKS. */
DOALL_INLINE uint64_t doall_block_count(uint64_t iterations) {
  return iterations < DOALL_MOST_BLOCKS ? iterations : DOALL_MOST_BLOCKS;
}

/* The first iteration of a block; of block number doall_block_count(iterations):
 * iterations, which must not be 0. The first blocks have one iteration more than
 * the last ones when they cannot all be of one length. */
DOALL_INLINE uint64_t doall_block_begin(uint64_t iterations, uint64_t block) {
  const uint64_t count = doall_block_count(iterations);
  const uint64_t longer = iterations % count;
  return block * (iterations / count) + (block < longer ? block : longer);
}

#endif
