/* The C part of the Python package: doall.h's loops as functions that ctypes can call, and the
 * combinations of a reduction over arrays of numbers. Called without the interpreter's lock.
 */
#define _POSIX_C_SOURCE 200809L /* sigaction, clock_gettime */
#include <doall/doall.h>

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

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
  uint64_t stops_at_interrupt; /* Ctrl-C ends the loop */
  uint64_t in_pieces;          /* a block of a reduction may be run in pieces: same bits */
  int64_t verdict;             /* result: of the body that stopped the loop; 0 before */
} python_loop;

/* How a loop ended; _loops.py has the same. What a body returns is never one of them. */
enum outcome {
  ENDED = 0,         /* doall_for()'s "go on" */
  STOPPED = 1,       /* by a body: python_loop::verdict says what it returned */
  INTERRUPTED = 2,   /* Ctrl-C has ended the loop, or came while it did */
  NO_MEMORY = 3,     /* for a reduction's values; nothing has run */
  NO_COMBINATION = 4 /* of numbers of that type; nothing has run */
};

/* The outcome of a body that returned `verdict`. The first one that stops the loop is kept:
 * relaxed, for it is read after the loop has joined its workers. */
static int judge(python_loop* loop, int verdict) {
  int64_t none = 0;
  if (verdict == 0) return ENDED;
  __atomic_compare_exchange_n(&loop->verdict, &none, verdict, 0, __ATOMIC_RELAXED,
                              __ATOMIC_RELAXED);
  return STOPPED;
}

/* Also of int64_t: the kind says which. */
static doall_costs costs_of(const python_loop* loop) {
  const uint64_t n = (uint64_t)loop->iterations;
  if (loop->costs_kind == DOALL_COSTS_REAL) return doall_costs_of_reals(loop->costs, n, 0);
  doall_costs costs = doall_costs_of_weights(loop->costs, n, 0);
  costs.kind = (uint32_t)loop->costs_kind;
  return costs;
}

/* Ctrl-C. While a loop of the interpreter's main thread runs, a handler of ours counts SIGINTs and
 * then calls the interpreter's, which raises KeyboardInterrupt once the loop has ended. Bodies do
 * not look: what a worker is to run it runs in pieces of about a millisecond, and looks in between.
 * A reduction's block is not cut, unless its body gives the same bits then. */
#define PIECE_NS 1000000
static struct sigaction of_interpreter;
static volatile sig_atomic_t interrupts; /* relaxed: a worker that sees it late runs a piece more */

static void note_interrupt(int number, siginfo_t* about, void* context) {
  interrupts = 1;
  if ((of_interpreter.sa_flags & SA_SIGINFO) != 0) {
    of_interpreter.sa_sigaction(number, about, context);
  } else {
    of_interpreter.sa_handler(number);
  }
}

/* Whether the loop ends at Ctrl-C, and about how many of its iterations make a piece. */
typedef struct interruptible {
  int is_noting;
  int64_t piece; /* workers tell one another, relaxed */
} interruptible;

static int is_interrupted(const interruptible* loop) { return loop->is_noting && interrupts != 0; }

/* Returns whether the handler is installed. */
static int begin_noting(const python_loop* loop) {
  struct sigaction before;
  struct sigaction ours;
  if (loop->stops_at_interrupt == 0 || sigaction(SIGINT, NULL, &before) != 0) return 0;
  if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) return 0;
  if (before.sa_sigaction == note_interrupt) return 0; /* a loop in another one's callback */
  of_interpreter = before;
  interrupts = 0;
  memset(&ours, 0, sizeof ours);
  ours.sa_sigaction = note_interrupt;
  ours.sa_mask = of_interpreter.sa_mask;
  ours.sa_flags = of_interpreter.sa_flags | SA_SIGINFO;
  return sigaction(SIGINT, &ours, NULL) == 0;
}

static int end_noting(int is_noting, int outcome) {
  if (is_noting == 0) return outcome;
  sigaction(SIGINT, &of_interpreter, NULL);
  return interrupts != 0 && outcome == ENDED ? INTERRUPTED : outcome;
}

static int64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Returns an outcome. */
typedef int (*run_some)(const void* self, int64_t first, int64_t last, void* value);

/* Runs some(self, ...) on pieces of [first, last): 8 times as many iterations each time as long as
 * a piece takes little, and fewer where one took longer. */
static int run_in_pieces(interruptible* loop, run_some some, const void* self, int64_t first,
                         int64_t last, void* value) {
  int64_t length = __atomic_load_n(&loop->piece, __ATOMIC_RELAXED);
  int64_t began = last - first <= length ? 0 : now_ns();
  while (first < last) {
    const int64_t end = last - first <= length ? last : first + length;
    const int outcome = is_interrupted(loop) ? INTERRUPTED : some(self, first, end, value);
    if (outcome != ENDED) return outcome;
    if ((first = end) < last) {
      const int64_t now = now_ns();
      const int64_t took = now - began;
      began = now;
      if (took < PIECE_NS / 8) {
        if (length <= INT64_MAX / 8) length *= 8;
      } else if (took > 2 * PIECE_NS) {
        length = length / (took / PIECE_NS) + 1;
      }
      __atomic_store_n(&loop->piece, length, __ATOMIC_RELAXED);
    }
  }
  return ENDED;
}

typedef struct python_for {
  interruptible ends;
  python_loop* loop;
  doall_range_body body;
} python_for;

static int call_body(const void* self, int64_t first, int64_t last, void* unused) {
  const python_for* f = self;
  (void)unused;
  return judge(f->loop, f->body((void*)f->loop->arrays, first, last));
}

static int run_range(void* self, int64_t first, int64_t last) {
  python_for* f = self;
  if (f->ends.is_noting == 0) return call_body(f, first, last, NULL);
  return run_in_pieces(&f->ends, call_body, f, first, last, NULL);
}

/* Returns an outcome. */
EXPORT int doall_python_for(python_loop* loop, doall_range_body body) {
  const doall_costs costs = costs_of(loop);
  const doall_options options = {.schedule = loop->schedule,
                                 .costs = loop->costs == NULL ? NULL : &costs};
  const int is_noting = begin_noting(loop);
  python_for f = {{is_noting, 1}, loop, body};
  const int outcome = doall_for_range_at(loop->file, (uint32_t)loop->line, loop->function, 0,
                                         loop->iterations, run_range, &f, &options);
  return end_noting(is_noting, outcome);
}

/* Combines `count` numbers of *right into those of *left. */
typedef void (*combine_numbers)(void* left, const void* right, uint64_t count);

/* A value is an array of `count` numbers, or whatever the caller's own function combines. */
typedef struct python_reduction {
  interruptible ends;
  python_loop* loop;
  doall_reduce_body body;
  doall_combine combine; /* null: numbers */
  combine_numbers numbers;
  uint64_t count;
} python_reduction;

static int add_some(const void* self, int64_t first, int64_t last, void* value) {
  const python_reduction* r = self;
  return judge(r->loop, r->body((void*)r->loop->arrays, first, last, value));
}

static int run_block(void* context, int64_t first, int64_t last, void* value) {
  python_reduction* r = context;
  if (r->ends.is_noting != 0 && r->loop->in_pieces != 0) {
    return run_in_pieces(&r->ends, add_some, r, first, last, value);
  }
  return is_interrupted(&r->ends) ? INTERRUPTED : add_some(r, first, last, value);
}

static void combine_values(void* context, void* left, const void* right) {
  const python_reduction* r = context;
  if (r->combine != NULL) {
    r->combine((void*)r->loop->arrays, left, right);
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
#define EACH_NUMBER(DO)      \
  DO(i1, int8_t, uint32_t)   \
  DO(i2, int16_t, uint32_t)  \
  DO(i4, int32_t, uint32_t)  \
  DO(i8, int64_t, uint64_t)  \
  DO(u1, uint8_t, uint32_t)  \
  DO(u2, uint16_t, uint32_t) \
  DO(u4, uint32_t, uint32_t) DO(u8, uint64_t, uint64_t) DO(f4, float, float) DO(f8, double, double)
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
 * number `which` of sum, product, min and max. Returns an outcome. */
EXPORT int doall_python_reduce(python_loop* loop, doall_reduce_body body, void* value,
                               uint64_t bytes, doall_combine combine, const char* type,
                               uint64_t which, uint64_t count) {
  python_reduction r = {{0, 1}, loop, body, combine, NULL, count};
  if (combine == NULL && (r.numbers = find_numbers(type, which)) == NULL) return NO_COMBINATION;
  const doall_costs costs = costs_of(loop);
  const doall_options options = {.schedule = loop->schedule,
                                 .costs = loop->costs == NULL ? NULL : &costs};
  r.ends.is_noting = begin_noting(loop);
  const int outcome =
      doall_reduce_at(loop->file, (uint32_t)loop->line, loop->function, 0, loop->iterations, value,
                      bytes, run_block, combine_values, &r, &options);
  return end_noting(r.ends.is_noting, outcome < 0 ? NO_MEMORY : outcome);
}

/* Chooses the sides of tiles that are 0; returns how many tiles there are. */
EXPORT uint64_t doall_python_tiles(uint64_t dimensions, const uint64_t* lengths, uint64_t* sides) {
  doall_space space = {(uint32_t)dimensions, {0}, {0}};
  memcpy(space.length, lengths, dimensions * sizeof *lengths);
  memcpy(space.tile, sides, dimensions * sizeof *sides);
  doall_space_choose_tiles(&space);
  memcpy(sides, space.tile, dimensions * sizeof *sides);
  return doall_space_tiles(&space);
}
