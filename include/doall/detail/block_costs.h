/* Computes the costs of blocks from those of their iterations: for reductions and walks over
 * ranges, whose schedules deal blocks. Programs name nothing of this file.
 */
#ifndef DOALL_DETAIL_BLOCK_COSTS_H
#define DOALL_DETAIL_BLOCK_COSTS_H

#include <doall/abi.h>
#include <doall/blocks.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct doall_block_costs {
  doall_costs costs; /* of the blocks */
  const doall_costs* of;
  doall_cut cut;
  uint64_t sums[DOALL_MOST_BLOCKS + 1];
} doall_block_costs;

#define DOALL_COSTS_A_BATCH 64

/* A sum that does not fit becomes the largest number; the runtime then reports the costs as too
 * large. */
DOALL_INLINE uint64_t doall_block_unsigned(const doall_costs* of, uint64_t first, uint64_t count) {
  uint64_t batch[DOALL_COSTS_A_BATCH];
  uint64_t sum = 0;
  while (count > 0) {
    const uint64_t some = count < DOALL_COSTS_A_BATCH ? count : DOALL_COSTS_A_BATCH;
    of->write(of, first, 1, some, batch);
    for (uint64_t k = 0; k < some; ++k) {
      if (__builtin_add_overflow(sum, batch[k], &sum)) return UINT64_MAX;
    }
    first += some;
    count -= some;
  }
  return sum;
}

/* A negative cost makes its block's cost negative. */
DOALL_INLINE int64_t doall_block_signed(const doall_costs* of, uint64_t first, uint64_t count) {
  int64_t batch[DOALL_COSTS_A_BATCH];
  int64_t sum = 0;
  while (count > 0) {
    const uint64_t some = count < DOALL_COSTS_A_BATCH ? count : DOALL_COSTS_A_BATCH;
    of->write(of, first, 1, some, batch);
    for (uint64_t k = 0; k < some; ++k) {
      if (batch[k] < 0) return batch[k];
      if (__builtin_add_overflow(sum, batch[k], &sum)) sum = INT64_MAX;
    }
    first += some;
    count -= some;
  }
  return sum;
}

/* The same; a cost that is not a number makes its block's cost not a number. */
DOALL_INLINE double doall_block_real(const doall_costs* of, uint64_t first, uint64_t count) {
  double batch[DOALL_COSTS_A_BATCH];
  double sum = 0;
  while (count > 0) {
    const uint64_t some = count < DOALL_COSTS_A_BATCH ? count : DOALL_COSTS_A_BATCH;
    of->write(of, first, 1, some, batch);
    for (uint64_t k = 0; k < some; ++k) {
      if (!(batch[k] >= 0)) return batch[k];
      sum += batch[k];
    }
    first += some;
    count -= some;
  }
  return sum;
}

DOALL_INLINE void doall_block_costs_write(const doall_costs* self, uint64_t first, uint64_t stride,
                                          uint64_t count, void* costs) {
  const doall_block_costs* blocks = DOALL_TO(const doall_block_costs*, self->data);
  for (uint64_t k = 0; k < count; ++k) {
    const uint64_t block = first + k * stride;
    const uint64_t begin = doall_cut_begin(blocks->cut, block);
    const uint64_t length = doall_block_length(blocks->cut, block);
    if (self->kind == DOALL_COSTS_UNSIGNED) {
      DOALL_TO(uint64_t*, costs)[k] = doall_block_unsigned(blocks->of, begin, length);
    } else if (self->kind == DOALL_COSTS_SIGNED) {
      DOALL_TO(int64_t*, costs)[k] = doall_block_signed(blocks->of, begin, length);
    } else {
      DOALL_TO(double*, costs)[k] = doall_block_real(blocks->of, begin, length);
    }
  }
}

/* Makes the costs of the cut's blocks in *blocks, which the result points into; null when the costs
 * of the iterations are not known. Costs of another number of iterations, or nowhere, are told as
 * of so many iterations, and nowhere: the runtime reports them (doall_loop.indices). */
DOALL_INLINE const doall_costs* doall_block_costs_make(doall_block_costs* blocks, doall_cut cut,
                                                       const doall_costs* of) {
  const int is_sums = of != NULL && of->kind == DOALL_COSTS_SUMS;
  if (of == NULL) return NULL;
  memset(&blocks->costs, 0, sizeof blocks->costs);
  blocks->costs.size = sizeof blocks->costs;
  blocks->costs.kind = of->kind;
  blocks->costs.hints = of->hints;
  blocks->costs.iterations = cut.blocks;
  blocks->of = of;
  blocks->cut = cut;
  if ((is_sums ? of->data == NULL : of->kind != DOALL_COSTS_NONE && of->write == NULL) ||
      ((of->iterations != 0 || is_sums) && of->iterations != doall_cut_begin(cut, cut.blocks))) {
    blocks->costs.iterations = of->iterations;
    return &blocks->costs;
  }
  if (is_sums) {
    blocks->costs.data = doall_cut_costs(cut, DOALL_TO(const uint64_t*, of->data), blocks->sums);
  } else if (of->kind != DOALL_COSTS_NONE) {
    /* Not the identity of the iterations' costs: the sums made of these are others. Of a generation
     * nothing is compared, and most loops have as many blocks: each length has its own. */
    const uint64_t length = of->generation == 0 ? 0 : doall_cut_begin(cut, cut.blocks);
    const uintptr_t mixed = ((length * UINT64_C(0x9e3779b97f4a7c15)) & UINTPTR_MAX) | 1;
    if (of->identity != NULL)
      blocks->costs.identity = DOALL_AS(const void*, DOALL_AS(uintptr_t, of->identity) ^ mixed);
    blocks->costs.generation = of->generation;
    blocks->costs.data = blocks;
    blocks->costs.write = doall_block_costs_write;
  }
  return &blocks->costs;
}

#ifdef __cplusplus
}
#endif

#endif
