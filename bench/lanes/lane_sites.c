/* What a loop that is too small to be shared costs beside others like it: so many small loops of
 * one body, told apart by their lines as all loops of a C file are, run in turn.
 *
 * Prints, for 1, 2, 10, ... sites, the nanoseconds that a loop takes: median and range of `rounds`
 * rounds, after some that are not counted; and its ratio to one site alone.
 *   doall bench sites [rounds]
 */
#include <doall/abi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { iterations = 10, rounds_most = 101, sites_most = 100000, loops_a_round = 200000 };

static volatile uint64_t sink;

static int body(void* context, uint64_t begin, uint64_t end, uint64_t step, uint32_t worker) {
  (void)context;
  (void)worker;
  for (uint64_t i = begin; i < end; i += step) sink = i;
  return 0;
}

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int by_value(const void* a, const void* b) {
  const double x = *(const double*)a;
  const double y = *(const double*)b;
  return (x > y) - (x < y);
}

static void run_in_turn(uint32_t first_line, uint32_t sites, uint32_t times) {
  doall_loop loop = {.size = sizeof loop, .iterations = iterations, .body = body, .file = __FILE__};
  for (uint32_t t = 0; t < times; ++t) {
    for (uint32_t s = 0; s < sites; ++s) {
      loop.line = first_line + s;
      doall_run(&loop);
    }
  }
}

int main(int argc, char** argv) {
  const int wanted = argc > 1 ? atoi(argv[1]) : 21;
  const int rounds = wanted < 1 ? 1 : wanted < rounds_most ? wanted : rounds_most;
  static const uint32_t counts[] = {1, 2, 10, 100, 1000, 10000, sites_most};
  double ns[rounds_most];
  double alone = 0;
  uint32_t line = 1;
  for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c) {
    const uint32_t sites = counts[c];
    const uint32_t times = sites < loops_a_round ? loops_a_round / sites : 1;
    run_in_turn(line, sites, times < 20 ? 20 : times);
    for (int r = 0; r < rounds; ++r) {
      const double start = now_ns();
      run_in_turn(line, sites, times);
      ns[r] = (now_ns() - start) / times / sites;
    }
    qsort(ns, (size_t)rounds, sizeof *ns, by_value);
    if (c == 0) alone = ns[rounds / 2];
    printf("%6u sites: %7.1f ns a loop [%.1f, %.1f], %.2f of one alone\n", sites, ns[rounds / 2],
           ns[0], ns[rounds - 1], ns[rounds / 2] / alone);
    line += sites;
  }
  return 0;
}
