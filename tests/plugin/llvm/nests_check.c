/* Runs the nests of nests.py, and compares what their loops said of their costs with what they
 * counted. Takes the place of the runtime's function that such loops tell. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../nests_arrays.h"

typedef uint64_t cost_function(const void* context, uint64_t k);

static uint64_t said[LENGTH];
static int costed;

void doall_loop_costs(const void* note, const void* context, cost_function* cost) {
  (void)note;
  costed = cost != NULL;
  for (uint64_t k = 0; costed && k < LENGTH; ++k) said[k] = cost(context, k);
}

typedef void nest(int n, int m, int* len, int* row, int* idx, double* out, long long* counted);
#define NEST(number, down) nest nest##number;
#include "table.h"
#undef NEST
#define NEST(number, down) {nest##number, down},
static const struct {
  nest* run;
  int down;
} nests[] = {
#include "table.h"
};

int main(int argc, char** argv) {
  unsigned seed = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
  int* len = guarded(LENGTH * sizeof *len);
  int* row = guarded((LENGTH + 1) * sizeof *row);
  int* idx = guarded(LENGTH * sizeof *idx);
  double* out = guarded(LENGTH * sizeof *out);
  long long* counted = guarded(LENGTH * sizeof *counted);
  ell = guarded(LENGTH * ROW * sizeof *ell);
  far = guarded(4 * LENGTH * sizeof *far);
  for (size_t of = 0; of < sizeof nests / sizeof nests[0]; ++of) {
    row[0] = 0;
    for (int i = 0; i < LENGTH; ++i) {
      len[i] = rand_r(&seed) % 8;
      row[i + 1] = row[i] + rand_r(&seed) % 5;
      idx[i] = rand_r(&seed) % LENGTH;
      out[i] = i;
    }
    fill_ell(&seed);
    fill_far(&seed);
    memset(counted, 0, LENGTH * sizeof *counted);
    costed = 0;
    nests[of].run(LENGTH, 2, len, row, idx, out, counted);
    double sum = 0;
    long long rounds = 0;
    for (int i = 0; i < LENGTH; ++i) {
      sum += out[i] * (i + 1);
      rounds += counted[i] * (i + 1);
    }
    printf("answer %zu: %.17g %lld\n", of, sum, rounds);
    int more = 0;
    int fewer = 0;
    for (int k = 0; costed && k < LENGTH; ++k) {
      const uint64_t ran = 1 + (uint64_t)counted[nests[of].down ? LENGTH - 1 - k : k];
      more += said[k] > ran;
      fewer += said[k] < ran;
    }
    if (!costed) continue;
    const char* const what = more && fewer ? "differs" : more ? "more" : fewer ? "fewer" : "right";
    printf("nest%zu %s: %d iterations more, %d fewer\n", of, what, more, fewer);
  }
  return 0;
}
