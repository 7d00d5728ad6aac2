/* Turns doall.h's loops into the descriptor that doall_run takes. Programs name nothing of this
 * file.
 */
#ifndef DOALL_DETAIL_C_LOOP_H
#define DOALL_DETAIL_C_LOOP_H

#include <doall/abi.h>
#include <doall/blocks.h>
#include <doall/detail/block_costs.h>
#include <doall/detail/c_costs.h>
#include <doall/doall.h>

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct doall_c_loop {
  doall_index_body by_index;
  doall_range_body by_range;
  doall_reduce_body by_block;
  void* context;
  int64_t first;
  uint64_t stride; /* modulo 2^64 */
  int verdict;     /* of the first body to stop the loop */

  /* For a reduction. */
  doall_combine combine;
  doall_cut cut;
  const void* identity;
  size_t size;
  unsigned char* views; /* one for each block: the value, then a uint64_t (doall_c_chunk_end) */
  size_t view_bytes;
} doall_c_loop;

/* Relaxed: a worker that sees it late runs one iteration more. */
DOALL_INLINE int doall_c_verdict(const doall_c_loop* loop) {
  return __atomic_load_n(&loop->verdict, __ATOMIC_RELAXED);
}

/* Keeps the verdict if it is the first to stop the loop. Returns the one kept. */
DOALL_INLINE int doall_c_keep(doall_c_loop* loop, int verdict) {
  int none = 0;
  if (verdict != 0) {
    __atomic_compare_exchange_n(&loop->verdict, &none, verdict, 0, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
  }
  return doall_c_verdict(loop);
}

DOALL_INLINE int64_t doall_c_index(const doall_c_loop* loop, uint64_t iteration) {
  return DOALL_TO(int64_t, DOALL_TO(uint64_t, loop->first) + iteration * loop->stride);
}

DOALL_INLINE uint64_t doall_c_distance(int64_t from, int64_t to) {
  return from < to ? DOALL_TO(uint64_t, to) - DOALL_TO(uint64_t, from) : 0;
}

DOALL_INLINE unsigned char* doall_c_view(const doall_c_loop* loop, uint64_t block) {
  return loop->views + block * loop->view_bytes;
}

/* Where a chunk ends, stored in the view of its first block. */
DOALL_INLINE uint64_t* doall_c_chunk_end(const doall_c_loop* loop, uint64_t block) {
  return DOALL_TO(uint64_t*, DOALL_TO(void*, doall_c_view(loop, block + 1) - sizeof(uint64_t)));
}

/* Three functions of type doall_body. */

DOALL_INLINE int doall_c_indices(void* self, uint64_t begin, uint64_t end, uint64_t step,
                                 uint32_t worker) {
  doall_c_loop* loop = DOALL_TO(doall_c_loop*, self);
  (void)worker;
  while (begin < end) {
    if (doall_c_verdict(loop) != 0) return doall_c_verdict(loop);
    if (doall_c_keep(loop, loop->by_index(loop->context, doall_c_index(loop, begin))) != 0) break;
    begin = end - begin <= step ? end : begin + step;
  }
  return doall_c_verdict(loop);
}

DOALL_INLINE int doall_c_ranges(void* self, uint64_t begin, uint64_t end, uint64_t step,
                                uint32_t worker) {
  doall_c_loop* loop = DOALL_TO(doall_c_loop*, self);
  (void)worker;
  while (begin < end) {
    const uint64_t piece = step == 1 ? end - begin : 1;
    if (doall_c_verdict(loop) != 0) return doall_c_verdict(loop);
    if (doall_c_keep(loop, loop->by_range(loop->context, doall_c_index(loop, begin),
                                          doall_c_index(loop, begin + piece))) != 0) {
      break;
    }
    begin = step == 1 || end - begin <= step ? end : begin + step;
  }
  return doall_c_verdict(loop);
}

/* Runs a chunk of neighbouring blocks. The nodes that it leaves (blocks.h) are in the first of its
 * blocks' views, side by side. */
DOALL_INLINE int doall_c_chunk(doall_c_loop* loop, uint64_t begin, uint64_t end) {
  unsigned char* top = doall_c_view(loop, begin);
  for (uint64_t block = begin; block < end; ++block) {
    const int64_t first = doall_c_index(loop, doall_cut_begin(loop->cut, block));
    const int64_t last = doall_c_index(loop, doall_cut_begin(loop->cut, block + 1));
    if (doall_c_verdict(loop) != 0) return doall_c_verdict(loop);
    memcpy(top, loop->identity, loop->size);
    if (doall_c_keep(loop, loop->by_block(loop->context, first, last, top)) != 0) break;
    for (uint64_t n = doall_nodes_completed(begin, block + 1, 1); n > 0; --n) {
      top -= loop->view_bytes;
      loop->combine(loop->context, top, top + loop->view_bytes);
    }
    top += loop->view_bytes;
  }
  *doall_c_chunk_end(loop, begin) = end;
  return doall_c_verdict(loop);
}

DOALL_INLINE int doall_c_chunks(void* self, uint64_t begin, uint64_t end, uint64_t step,
                                uint32_t worker) {
  doall_c_loop* loop = DOALL_TO(doall_c_loop*, self);
  (void)worker;
  if (step == 1) return doall_c_chunk(loop, begin, end);
  while (begin < end && doall_c_chunk(loop, begin, begin + 1) == 0) {
    begin = end - begin <= step ? end : begin + step;
  }
  return doall_c_verdict(loop);
}

/* Called after the whole reduction: combines the nodes that the chunks left, into the first view.
 */
DOALL_INLINE void doall_c_finish(const doall_c_loop* loop) {
  unsigned char* stack[DOALL_MOST_NODES];
  size_t size = 0;
  uint64_t end = 0;
  for (uint64_t begin = 0; begin < loop->cut.blocks; begin = end) {
    unsigned char* view = doall_c_view(loop, begin);
    uint64_t width = 0;
    end = *doall_c_chunk_end(loop, begin);
    for (uint64_t first = begin; first < end; first += width) {
      width = doall_node_width(first, end);
      stack[size++] = view;
      view += loop->view_bytes;
      for (uint64_t n = doall_nodes_completed(0, first + width, width); n > 0; --n, --size) {
        loop->combine(loop->context, stack[size - 2], stack[size - 1]);
      }
    }
  }
  for (; size > 1; --size) loop->combine(loop->context, stack[size - 2], stack[size - 1]);
}

/* A loop that is not run takes the costs that are named for it, too. */
DOALL_INLINE int doall_c_refuse(int why) {
  doall_costs unused;
  doall_loop_costs_take(&unused);
  errno = why;
  return -1;
}

DOALL_INLINE int doall_c_run(const char* file, uint32_t line, const char* function,
                             uint64_t iterations, doall_body body, doall_c_loop* loop,
                             const doall_options* options) {
  doall_loop descriptor;
  memset(&descriptor, 0, sizeof descriptor);
  descriptor.size = sizeof descriptor;
  descriptor.line = line;
  descriptor.iterations = iterations;
  descriptor.indices = doall_cut_begin(loop->cut, loop->cut.blocks); /* 0 but of a reduction */
  descriptor.body = body;
  descriptor.context = loop;
  descriptor.file = file;
  descriptor.function = function;
  if (options != NULL) {
    descriptor.schedule = options->schedule;
    descriptor.cost_sums = options->cost_sums;
    descriptor.costs = options->costs;
  }
  return doall_run(&descriptor);
}

DOALL_INLINE int doall_for_step_at(const char* file, uint32_t line, const char* function,
                                   int64_t first, int64_t last, int64_t step, doall_index_body body,
                                   void* context, const doall_options* options) {
  const uint64_t distance =
      step < 0 ? doall_c_distance(last, first) : doall_c_distance(first, last);
  const uint64_t length = step < 0 ? 0 - DOALL_TO(uint64_t, step) : DOALL_TO(uint64_t, step);
  doall_c_loop loop;
  memset(&loop, 0, sizeof loop);
  loop.by_index = body;
  loop.context = context;
  loop.first = first;
  loop.stride = DOALL_TO(uint64_t, step);
  if (step == 0) return doall_c_refuse(EINVAL);
  return doall_c_run(file, line, function, distance == 0 ? 0 : (distance - 1) / length + 1,
                     doall_c_indices, &loop, options);
}

DOALL_INLINE int doall_for_at(const char* file, uint32_t line, const char* function, int64_t first,
                              int64_t last, doall_index_body body, void* context,
                              const doall_options* options) {
  return doall_for_step_at(file, line, function, first, last, 1, body, context, options);
}

DOALL_INLINE int doall_for_range_at(const char* file, uint32_t line, const char* function,
                                    int64_t first, int64_t last, doall_range_body body,
                                    void* context, const doall_options* options) {
  doall_c_loop loop;
  memset(&loop, 0, sizeof loop);
  loop.by_range = body;
  loop.context = context;
  loop.first = first;
  loop.stride = 1;
  return doall_c_run(file, line, function, doall_c_distance(first, last), doall_c_ranges, &loop,
                     options);
}

/* What keeps two workers' data from sharing a cache line (detail/apart.hpp). */
#if defined(__aarch64__)
#define DOALL_APART_BYTES 256
#else
#define DOALL_APART_BYTES 128
#endif

DOALL_INLINE int doall_reduce_at(const char* file, uint32_t line, const char* function,
                                 int64_t first, int64_t last, void* result, size_t size,
                                 doall_reduce_body body, doall_combine combine, void* context,
                                 const doall_options* options) {
  const uint64_t iterations = doall_c_distance(first, last);
  /* That of any C object; large values are filled in place, beside other workers'. */
  const size_t alignment = size <= DOALL_SMALL_VALUE_BYTES ? 16 : DOALL_APART_BYTES;
  doall_options of_blocks;
  doall_costs costs;
  /* Takes what is named for this loop, even if there is nothing to run. */
  const doall_costs* const of_iterations = doall_c_costs_of(options, iterations, &costs);
  doall_block_costs of_its_blocks;
  doall_c_loop loop;
  int verdict = 0;

  if (iterations == 0) return 0;
  memset(&of_blocks, 0, sizeof of_blocks);
  memset(&loop, 0, sizeof loop);
  loop.by_block = body;
  loop.context = context;
  loop.first = first;
  loop.stride = 1;
  loop.combine = combine;
  loop.cut = doall_cut_of(iterations, size);
  loop.identity = result;
  loop.size = size;
  if (size <= SIZE_MAX / DOALL_MOST_BLOCKS - 2 * alignment) {
    loop.view_bytes = (size + sizeof(uint64_t) + alignment - 1) / alignment * alignment;
    loop.views =
        DOALL_TO(unsigned char*, doall_scratch_take(loop.cut.blocks * loop.view_bytes, alignment));
  }
  if (loop.views == NULL) {
    errno = ENOMEM;
    return -1;
  }
  if (options != NULL) of_blocks.schedule = options->schedule;
  of_blocks.costs = doall_block_costs_make(&of_its_blocks, loop.cut, of_iterations);

  verdict = doall_c_run(file, line, function, loop.cut.blocks, doall_c_chunks, &loop, &of_blocks);
  if (verdict == 0) {
    doall_c_finish(&loop);
    memcpy(result, loop.views, size);
  }
  doall_scratch_give(loop.views);
  return verdict;
}

/* A loop over the tiles of a space, by their numbers. */
typedef struct doall_c_space {
  doall_space space;
  doall_tile_body body;
  doall_tile_reduce_body adds; /* a reduction's */
  doall_combine combine;
  void* context;
} doall_c_space;

DOALL_INLINE int doall_c_tile(void* self, int64_t number) {
  const doall_c_space* loop = DOALL_TO(const doall_c_space*, self);
  doall_tile tile;
  doall_space_tile(&loop->space, DOALL_TO(uint64_t, number), &tile);
  return loop->body(loop->context, &tile);
}

DOALL_INLINE int doall_c_add_tiles(void* self, int64_t first, int64_t last, void* view) {
  const doall_c_space* loop = DOALL_TO(const doall_c_space*, self);
  int verdict = 0;
  for (; first < last && verdict == 0; ++first) {
    doall_tile tile;
    doall_space_tile(&loop->space, DOALL_TO(uint64_t, first), &tile);
    verdict = loop->adds(loop->context, &tile, view);
  }
  return verdict;
}

DOALL_INLINE void doall_c_combine_tiles(void* self, void* left, const void* right) {
  const doall_c_space* loop = DOALL_TO(const doall_c_space*, self);
  loop->combine(loop->context, left, right);
}

/* Sets how the space is cut, and returns the number of its tiles; -1: errno says why not. */
DOALL_INLINE int64_t doall_c_cut_space(doall_c_space* loop, const doall_space* space) {
  uint64_t tiles = 0;
  if (space->dimensions == 0 || space->dimensions > DOALL_MOST_DIMENSIONS) {
    return doall_c_refuse(EINVAL);
  }
  loop->space = *space;
  doall_space_choose_tiles(&loop->space);
  tiles = doall_space_tiles(&loop->space);
  if (tiles > INT64_MAX) return doall_c_refuse(EOVERFLOW);
  return DOALL_TO(int64_t, tiles);
}

DOALL_INLINE int doall_for_space_at(const char* file, uint32_t line, const char* function,
                                    const doall_space* space, doall_tile_body body, void* context,
                                    const doall_options* options) {
  doall_c_space loop;
  const int64_t tiles = doall_c_cut_space(&loop, space);
  if (tiles < 0) return -1;
  loop.body = body;
  loop.context = context;
  return doall_for_at(file, line, function, 0, tiles, doall_c_tile, &loop, options);
}

DOALL_INLINE int doall_reduce_space_at(const char* file, uint32_t line, const char* function,
                                       const doall_space* space, void* result, size_t size,
                                       doall_tile_reduce_body body, doall_combine combine,
                                       void* context, const doall_options* options) {
  doall_c_space loop;
  const int64_t tiles = doall_c_cut_space(&loop, space);
  if (tiles < 0) return -1;
  loop.adds = body;
  loop.combine = combine;
  loop.context = context;
  return doall_reduce_at(file, line, function, 0, tiles, result, size, doall_c_add_tiles,
                         doall_c_combine_tiles, &loop, options);
}

#ifdef __cplusplus
}
#endif

#endif
