/* The C part of the Python package: doall.h's loops as functions that ctypes can call, and the
 * combinations of a reduction over arrays of numbers. Called without the interpreter's lock.
 */
#include <doall/doall.h>

#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* A loop as the package describes it; the order of the fields is that of _library.py's `Loop`. */
typedef struct python_loop {
  const char* file; /* of the call, as is line */
  const char* function;
  const doall_schedule* schedule; /* null: none */
  const void* costs;              /* a number for each iteration; null: unknown */
  uint64_t costs_kind;            /* DOALL_COSTS_UNSIGNED, DOALL_COSTS_SIGNED or DOALL_COSTS_REAL */
  int64_t iterations;
  void** arrays;
  uint64_t line;
} python_loop;

/* Also of int64_t: the kind says which. */
static doall_costs costs_of(const python_loop* loop) {
  const uint64_t n = (uint64_t)loop->iterations;
  if (loop->costs_kind == DOALL_COSTS_REAL) return doall_costs_of_reals(loop->costs, n, 0);
  doall_costs costs = doall_costs_of_weights(loop->costs, n, 0);
  costs.kind = (uint32_t)loop->costs_kind;
  return costs;
}

EXPORT int doall_python_for(const python_loop* loop, doall_range_body body) {
  const doall_costs costs = costs_of(loop);
  const doall_options options = {.schedule = loop->schedule,
                                 .costs = loop->costs == NULL ? NULL : &costs};
  return doall_for_range_at(loop->file, (uint32_t)loop->line, loop->function, 0, loop->iterations,
                            body, (void*)loop->arrays, &options);
}

/* Combines `count` numbers of *right into those of *left. */
typedef void (*combine_numbers)(void* left, const void* right, uint64_t count);

/* A value is an array of `count` numbers, or whatever the caller's own function combines. */
typedef struct python_reduction {
  void** arrays;
  doall_reduce_body body;
  doall_combine combine; /* null: numbers */
  combine_numbers numbers;
  uint64_t count;
} python_reduction;

static int run_block(void* context, int64_t first, int64_t last, void* value) {
  const python_reduction* r = context;
  return r->body((void*)r->arrays, first, last, value);
}

static void combine_values(void* context, void* left, const void* right) {
  const python_reduction* r = context;
  if (r->combine != NULL) {
    r->combine((void*)r->arrays, left, right);
  } else {
    r->numbers(left, right, r->count);
  }
}

/* As minimum and maximum of numpy: NaN if either operand is. */
#define SUM(a, b) ((a) + (b))
#define PRODUCT(a, b) ((a) * (b))
#define MIN(a, b) ((a) < (b) || (a) != (a) ? (a) : (b))
#define MAX(a, b) ((a) > (b) || (a) != (a) ? (a) : (b))

#define COMBINE(name, type, wide, op)                                             \
  static void name##_of_##type(void* left, const void* right, uint64_t count) {   \
    type* l = left;                                                               \
    const type* r = right;                                                        \
    for (uint64_t k = 0; k < count; ++k) l[k] = (type)op((wide)l[k], (wide)r[k]); \
  }

/* Names as numpy's typestr has them, without the byte order; the type; the type in which numbers
 * are added and multiplied: unsigned ones wrap, as numpy's do. */
#define EACH_NUMBER(DO)                                                                \
  DO(i1, int8_t, uint32_t)                                                             \
  DO(i2, int16_t, uint32_t)                                                            \
  DO(i4, int32_t, uint32_t) DO(i8, int64_t, uint64_t) DO(u1, uint8_t, uint32_t)        \
      DO(u2, uint16_t, uint32_t) DO(u4, uint32_t, uint32_t) DO(u8, uint64_t, uint64_t) \
          DO(f4, float, float) DO(f8, double, double)
#define DEFINE(name, type, wide)        \
  COMBINE(sum, type, wide, SUM)         \
  COMBINE(product, type, wide, PRODUCT) \
  COMBINE(min, type, type, MIN)         \
  COMBINE(max, type, type, MAX)
EACH_NUMBER(DEFINE)

typedef struct named_numbers {
  char name[3];
  combine_numbers of[4]; /* sum, product, min, max: _loops.py's COMBINATIONS */
} named_numbers;
#define LIST(name, type, wide) \
  {#name, {sum_of_##type, product_of_##type, min_of_##type, max_of_##type}},
static const named_numbers all_numbers[] = {EACH_NUMBER(LIST)};

static combine_numbers find_numbers(const char* name, uint64_t which) {
  for (size_t k = 0; k < sizeof all_numbers / sizeof *all_numbers; ++k) {
    const char* known = all_numbers[k].name;
    if (known[0] == name[0] && known[1] == name[1] && which < 4) return all_numbers[k].of[which];
  }
  return NULL;
}

/* Reduces to the value of `bytes` bytes at `value`, which holds the identity, as doall_reduce(). A
 * null combine: the value is an array of `count` numbers of the type that is named, combined by
 * number `which` of sum, product, min and max. -2: there is no such type or number. */
EXPORT int doall_python_reduce(const python_loop* loop, doall_reduce_body body, void* value,
                               uint64_t bytes, doall_combine combine, const char* type,
                               uint64_t which, uint64_t count) {
  python_reduction r = {loop->arrays, body, combine, NULL, count};
  if (combine == NULL && (r.numbers = find_numbers(type, which)) == NULL) return -2;
  const doall_costs costs = costs_of(loop);
  const doall_options options = {.schedule = loop->schedule,
                                 .costs = loop->costs == NULL ? NULL : &costs};
  return doall_reduce_at(loop->file, (uint32_t)loop->line, loop->function, 0, loop->iterations,
                         value, bytes, run_block, combine_values, &r, &options);
}
