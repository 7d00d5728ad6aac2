/* Loops whose bounds are loaded again in each round, for what a round writes may be one: iteration
 * k runs as many rounds as it is said to cost. With LOOPS these loops alone; without it what asks
 * them for their costs, in the place of the runtime's function that such loops tell. */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>

enum { n = 24 };

#ifdef LOOPS

extern long long counted[n];

#define LOOP(name, type, head)                                \
  void name(const type* first, const type* last, type* out) { \
    _Pragma("omp parallel for") for (int i = 0; i < n; ++i) { \
      long long c = 0;                                        \
      for (head) {                                            \
        ++c;                                                  \
        out[i] = (type)c;                                     \
      }                                                       \
      counted[i] = c;                                         \
    }                                                         \
  }
LOOP(up, int, int j = 0; j < last[i]; ++j)
LOOP(up_to, int, int j = 0; j <= last[i]; ++j)
LOOP(by_three, int, int j = 1; j <= last[i]; j += 3)
LOOP(down, int, int j = 9; j > last[i]; --j)
LOOP(down_to, int, int j = 9; j >= last[i]; j -= 2)
LOOP(of_unsigned, unsigned, unsigned j = 3; j <= last[i]; ++j)
LOOP(far, long long, long long j = first[i]; j < last[i]; j += 1LL << 60)
LOOP(far_up_to, unsigned long long, unsigned long long j = first[i]; j <= last[i]; j += 1ULL << 61)

#else

long long counted[n];

typedef uint64_t cost_function(const void* context, uint64_t k);
static uint64_t said[n];
static int costed;

void doall_loop_costs(const void* note, const void* context, cost_function* cost) {
  (void)note;
  costed = cost != NULL;
  for (uint64_t k = 0; costed && k < n; ++k) said[k] = cost(context, k);
}

static int wrong;

static void check(const char* name) {
  if (!costed) printf("%s: no costs\n", name);
  wrong |= !costed;
  for (int k = 0; costed && k < n; ++k) {
    const uint64_t ran = 1 + (uint64_t)counted[k];
    if (said[k] == ran) continue;
    printf("%s: iteration %d costs %llu, and ran %llu\n", name, k, (unsigned long long)said[k],
           (unsigned long long)ran);
    wrong = 1;
  }
  costed = 0;
}

#define CHECK(name, type, ...)                                    \
  do {                                                            \
    void name(const type* first, const type* last, type* out);    \
    static const type bounds[][2] = {__VA_ARGS__};                \
    static type first[n], last[n], out[n];                        \
    for (int i = 0; i < n; ++i) {                                 \
      first[i] = bounds[i % (sizeof bounds / sizeof *bounds)][0]; \
      last[i] = bounds[i % (sizeof bounds / sizeof *bounds)][1];  \
    }                                                             \
    name(first, last, out);                                       \
    check(#name);                                                 \
  } while (0)

int main(void) {
  CHECK(up, int, {0, -5}, {0, 0}, {0, 1}, {0, 2}, {0, 9});
  CHECK(up_to, int, {0, -5}, {0, -1}, {0, 0}, {0, 1}, {0, 9});
  CHECK(by_three, int, {0, -5}, {0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 8});
  CHECK(down, int, {0, 15}, {0, 9}, {0, 8}, {0, 7}, {0, -3});
  CHECK(down_to, int, {0, 15}, {0, 10}, {0, 9}, {0, 8}, {0, 7}, {0, 6}, {0, -3});
  CHECK(of_unsigned, unsigned, {0, 0}, {0, 2}, {0, 3}, {0, 4}, {0, 9});
  CHECK(far, long long, {LLONG_MIN, LLONG_MAX - (1LL << 60)}, {LLONG_MIN, LLONG_MIN}, {1, 0},
        {LLONG_MIN, 5}, {-5, LLONG_MAX - (1LL << 60)}, {0, 1}, {LLONG_MAX - 1, LLONG_MIN});
  CHECK(far_up_to, unsigned long long, {0, ULLONG_MAX - (1ULL << 61)}, {0, 0}, {1, 0},
        {5, 1ULL << 63}, {1ULL << 63, 5}, {1ULL << 62, 1ULL << 63});
  return wrong;
}

#endif
