/* Turns doall.h's costs into the descriptors of abi.h. Programs name nothing of this file.
 */
#ifndef DOALL_DETAIL_C_COSTS_H
#define DOALL_DETAIL_C_COSTS_H

#include <doall/abi.h>
#include <doall/blocks.h>
#include <doall/doall.h>

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

DOALL_INLINE doall_costs doall_c_costs(uint32_t kind, const void* data, uint64_t iterations,
                                       uint64_t generation) {
  doall_costs costs;
  memset(&costs, 0, sizeof costs);
  costs.size = sizeof costs;
  costs.kind = kind;
  costs.iterations = iterations;
  costs.generation = generation;
  costs.data = data;
  costs.identity = data;
  return costs;
}

/* Three functions for doall_costs.write. */

DOALL_INLINE void doall_c_write_weights(const doall_costs* self, uint64_t first, uint64_t stride,
                                        uint64_t count, void* costs) {
  const uint64_t* weights = DOALL_TO(const uint64_t*, self->data);
  for (uint64_t k = 0; k < count; ++k) DOALL_TO(uint64_t*, costs)[k] = weights[first + k * stride];
}

DOALL_INLINE void doall_c_write_reals(const doall_costs* self, uint64_t first, uint64_t stride,
                                      uint64_t count, void* costs) {
  const double* weights = DOALL_TO(const double*, self->data);
  for (uint64_t k = 0; k < count; ++k) DOALL_TO(double*, costs)[k] = weights[first + k * stride];
}

DOALL_INLINE void doall_c_write_calls(const doall_costs* self, uint64_t first, uint64_t stride,
                                      uint64_t count, void* costs) {
  const doall_cost cost = DOALL_AS(doall_cost, self->function);
  void* context = DOALL_AS(void*, DOALL_AS(uintptr_t, self->data));
  for (uint64_t k = 0; k < count; ++k)
    DOALL_TO(uint64_t*, costs)[k] = cost(context, first + k * stride);
}

DOALL_INLINE doall_costs doall_costs_of_sums(const uint64_t* sums, uint64_t iterations,
                                             uint64_t generation) {
  return doall_c_costs(DOALL_COSTS_SUMS, sums, iterations, generation);
}

/* Of a loop of no iterations: with write() 0 would be any number, so these are sums. */
DOALL_INLINE doall_costs doall_c_no_costs(void) {
  return doall_c_costs(DOALL_COSTS_SUMS, NULL, 0, 0);
}

DOALL_INLINE doall_costs doall_costs_of_weights(const uint64_t* weights, uint64_t iterations,
                                                uint64_t generation) {
  if (iterations == 0) return doall_c_no_costs();
  doall_costs costs = doall_c_costs(DOALL_COSTS_UNSIGNED, weights, iterations, generation);
  costs.write = doall_c_write_weights;
  return costs;
}

DOALL_INLINE doall_costs doall_costs_of_reals(const double* weights, uint64_t iterations,
                                              uint64_t generation) {
  if (iterations == 0) return doall_c_no_costs();
  doall_costs costs = doall_c_costs(DOALL_COSTS_REAL, weights, iterations, generation);
  costs.write = doall_c_write_reals;
  return costs;
}

DOALL_INLINE doall_costs doall_costs_of_function(doall_cost cost, void* context,
                                                 uint64_t generation) {
  doall_costs costs = doall_c_costs(DOALL_COSTS_UNSIGNED, context, 0, generation);
  costs.function = DOALL_AS(void (*)(void), cost);
  costs.write = doall_c_write_calls;
  /* Identifies both. */
  costs.identity =
      DOALL_AS(const void*, DOALL_AS(uintptr_t, cost) ^ DOALL_AS(uintptr_t, context) << 1);
  return costs;
}

DOALL_INLINE void doall_loop_costs_sums(const uint64_t* sums, uint64_t iterations,
                                        uint64_t generation) {
  const doall_costs costs = doall_costs_of_sums(sums, iterations, generation);
  doall_loop_costs_name(&costs);
}

DOALL_INLINE void doall_loop_costs_weights(const uint64_t* weights, uint64_t iterations,
                                           uint64_t generation) {
  const doall_costs costs = doall_costs_of_weights(weights, iterations, generation);
  doall_loop_costs_name(&costs);
}

DOALL_INLINE void doall_loop_costs_reals(const double* weights, uint64_t iterations,
                                         uint64_t generation) {
  const doall_costs costs = doall_costs_of_reals(weights, iterations, generation);
  doall_loop_costs_name(&costs);
}

DOALL_INLINE void doall_loop_costs_function(doall_cost cost, void* context, uint64_t generation) {
  const doall_costs costs = doall_costs_of_function(cost, context, generation);
  doall_loop_costs_name(&costs);
}

DOALL_INLINE void doall_loop_costs_hint(uint32_t hints) {
  doall_costs costs;
  if (doall_loop_costs_take(&costs) == 0) costs = doall_c_costs(DOALL_COSTS_NONE, NULL, 0, 0);
  costs.hints |= hints;
  doall_loop_costs_name(&costs);
}

/* The costs of a loop with these options; null: unknown. *room holds a descriptor if one has to be
 * made. */
DOALL_INLINE const doall_costs* doall_c_costs_of(const doall_options* options, uint64_t iterations,
                                                 doall_costs* room) {
  const doall_costs* given = options == NULL ? NULL : options->costs;
  if (given == NULL && options != NULL && options->cost_sums != NULL) {
    *room = doall_costs_of_sums(options->cost_sums, iterations, 0);
    given = room;
  }
  if (given == NULL && doall_loop_costs_take(room) != 0) given = room;
  return given;
}

#ifdef __cplusplus
}
#endif

#endif
