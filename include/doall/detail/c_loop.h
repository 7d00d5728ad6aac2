/* How doall.h's loops become the descriptor that doall_run takes. Nothing here is
 * to be named by a program.
 */
#ifndef DOALL_DETAIL_C_LOOP_H
#define DOALL_DETAIL_C_LOOP_H

#include <doall/abi.h>
#include <doall/blocks.h>
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
  uint64_t stride;     /* modulo 2^64 */
  uint64_t iterations; /* of a reduction */
  unsigned char* views;
  size_t view_bytes;
  int verdict; /* of the first body to stop the loop */
} doall_c_loop;

/* Relaxed: who sees it late runs one iteration more. */
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
  return (int64_t)((uint64_t)loop->first + iteration * loop->stride);
}

DOALL_INLINE uint64_t doall_c_distance(int64_t from, int64_t to) {
  return from < to ? (uint64_t)to - (uint64_t)from : 0;
}

/* Four doall_body. */

DOALL_INLINE int doall_c_indices(void* self, uint64_t begin, uint64_t end, uint64_t step,
                                 uint32_t worker) {
  doall_c_loop* loop = (doall_c_loop*)self;
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
  doall_c_loop* loop = (doall_c_loop*)self;
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

DOALL_INLINE int doall_c_blocks(void* self, uint64_t begin, uint64_t end, uint64_t step,
                                uint32_t worker) {
  doall_c_loop* loop = (doall_c_loop*)self;
  (void)worker;
  for (; begin < end; begin = end - begin <= step ? end : begin + step) {
    const uint64_t from = doall_block_begin(loop->iterations, begin);
    const uint64_t to = doall_block_begin(loop->iterations, begin + 1);
    if (doall_c_verdict(loop) != 0) return doall_c_verdict(loop);
    if (doall_c_keep(
            loop, loop->by_block(loop->context, doall_c_index(loop, from), doall_c_index(loop, to),
                                 loop->views + begin * loop->view_bytes)) != 0) {
      break;
    }
  }
  return doall_c_verdict(loop);
}

DOALL_INLINE int doall_c_run(const char* file, uint32_t line, const char* function,
                             uint64_t iterations, doall_body body, doall_c_loop* loop,
                             const doall_options* options) {
  doall_loop descriptor;
  memset(&descriptor, 0, sizeof descriptor);
  descriptor.size = sizeof descriptor;
  descriptor.line = line;
  descriptor.iterations = iterations;
  descriptor.body = body;
  descriptor.context = loop;
  descriptor.file = file;
  descriptor.function = function;
  if (options != NULL) {
    descriptor.schedule = options->schedule;
    descriptor.cost_sums = options->cost_sums;
  }
  return doall_run(&descriptor);
}

DOALL_INLINE int doall_for_step_at(const char* file, uint32_t line, const char* function,
                                   int64_t first, int64_t last, int64_t step, doall_index_body body,
                                   void* context, const doall_options* options) {
  const uint64_t distance =
      step < 0 ? doall_c_distance(last, first) : doall_c_distance(first, last);
  const uint64_t length = step < 0 ? 0 - (uint64_t)step : (uint64_t)step;
  doall_c_loop loop;
  memset(&loop, 0, sizeof loop);
  loop.by_index = body;
  loop.context = context;
  loop.first = first;
  loop.stride = (uint64_t)step;
  if (step == 0) {
    errno = EINVAL;
    return -1;
  }
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

DOALL_INLINE int doall_reduce_at(const char* file, uint32_t line, const char* function,
                                 int64_t first, int64_t last, void* result, size_t size,
                                 doall_reduce_body body, doall_combine combine, void* context,
                                 const doall_options* options) {
  const uint64_t iterations = doall_c_distance(first, last);
  const uint64_t blocks = doall_block_count(iterations);
  const size_t alignment = 16; /* that of any C object */
  doall_options of_blocks;
  uint64_t block_sums[DOALL_MOST_BLOCKS + 1];
  doall_c_loop loop;
  int verdict = 0;

  if (blocks == 0) return 0;
  memset(&of_blocks, 0, sizeof of_blocks);
  memset(&loop, 0, sizeof loop);
  loop.by_block = body;
  loop.context = context;
  loop.first = first;
  loop.stride = 1;
  loop.iterations = iterations;
  loop.view_bytes = (size + alignment - 1) / alignment * alignment;
  if (size <= SIZE_MAX / DOALL_MOST_BLOCKS - alignment) {
    loop.views = (unsigned char*)doall_scratch_take((size_t)blocks * loop.view_bytes, alignment);
  }
  if (loop.views == NULL) {
    errno = ENOMEM;
    return -1;
  }
  for (uint64_t b = 0; b < blocks; ++b) memcpy(loop.views + b * loop.view_bytes, result, size);
  if (options != NULL) of_blocks.schedule = options->schedule;
  if (options != NULL && options->cost_sums != NULL) {
    for (uint64_t b = 0; b <= blocks; ++b) {
      block_sums[b] = options->cost_sums[doall_block_begin(iterations, b)];
    }
    of_blocks.cost_sums = block_sums;
  }

  verdict = doall_c_run(file, line, function, blocks, doall_c_blocks, &loop, &of_blocks);
  if (verdict == 0) {
    for (uint64_t apart = 1; apart < blocks; apart *= 2) {
      for (uint64_t left = 0; left + apart < blocks; left += 2 * apart) {
        combine(context, loop.views + left * loop.view_bytes,
                loop.views + (left + apart) * loop.view_bytes);
      }
    }
    memcpy(result, loop.views, size);
  }
  doall_scratch_give(loop.views);
  return verdict;
}

#ifdef __cplusplus
}
#endif

#endif
