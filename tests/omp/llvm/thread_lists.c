/* Clauses num_threads(a, b, ...) and num_threads(strict: n) of OpenMP 6.0, as compilers will call
 * for them: a list is for the region and those inside it, whatever the environment says; the region
 * after it is as before. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

extern int __kmpc_global_thread_num(void*);
extern void __kmpc_push_num_threads_list(void*, int, unsigned, int*);
extern void __kmpc_push_num_threads_list_strict(void*, int, unsigned, int*, int, const char*);
extern void __kmpc_push_num_threads_strict(void*, int, int, int, const char*);

static void push(unsigned count, int* threads) {
  __kmpc_push_num_threads_list(NULL, __kmpc_global_thread_num(NULL), count, threads);
}

/* The sizes of regions from the next one on, one inside the other. */
static void expect(int line, const int* sizes, int depth) {
#pragma omp parallel
  {
    if (omp_get_num_threads() != sizes[0]) {
#pragma omp critical
      fprintf(stderr, "line %d: %d threads, expected %d\n", line, omp_get_num_threads(), sizes[0]);
    }
    CHECK(omp_get_num_threads() == sizes[0]);
    if (depth > 1 && omp_get_thread_num() == omp_get_num_threads() - 1) {
      CHECK(omp_get_max_threads() == sizes[1]);
      expect(line, sizes + 1, depth - 1);
    }
  }
}
#define EXPECT(...)                                          \
  do {                                                       \
    const int sizes[] = {__VA_ARGS__};                       \
    expect(__LINE__, sizes, sizeof sizes / sizeof sizes[0]); \
  } while (0)

static void lists(void) {
  omp_set_num_threads(2);
  EXPECT(2, 2, 2);
  int three_one[] = {3, 1}, two_three_one[] = {2, 3, 1}, four[] = {4};
  push(2, three_one);
  EXPECT(3, 1, 1);
  EXPECT(2, 2, 2);
  push(3, two_three_one);
  EXPECT(2, 3, 1, 1);
  push(1, four); /* one number is for one region */
  EXPECT(4, 2, 2);

  /* In a region of another list. */
  push(2, three_one);
#pragma omp parallel
  {
    CHECK(omp_get_num_threads() == 3);
    if (omp_get_thread_num() == 2) {
      push(2, two_three_one);
      EXPECT(2, 3, 3);
      EXPECT(1, 1);
      omp_set_num_threads(2); /* it was the last number */
      EXPECT(2, 2);
    }
  }
  /* One thread by its if clause, and those inside it. */
  push(3, two_three_one);
#pragma omp parallel if (0)
  {
    CHECK(omp_get_num_threads() == 1 && omp_get_max_threads() == 3);
    EXPECT(3, 1);
  }
  EXPECT(2, 2);
}

/* What a region that asks for four threads exactly says and ends with, where two are allowed. */
static int strict(int severity, int as_list, char* said, size_t room) {
  int ends[2];
  fflush(NULL);
  if (pipe(ends) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    const int gtid = __kmpc_global_thread_num(NULL);
    int list[] = {4, 1}, size = 0;
    if (as_list)
      __kmpc_push_num_threads_list_strict(NULL, gtid, 2, list, severity, "four or none");
    else
      __kmpc_push_num_threads_strict(NULL, gtid, 4, severity, "four or none");
#pragma omp parallel
#pragma omp single
    size = omp_get_num_threads();
    _exit(size == 2 ? 3 : 4);
  }
  close(ends[1]);
  size_t got = 0;
  for (ssize_t more; (more = read(ends[0], said + got, room - 1 - got)) > 0;) got += (size_t)more;
  said[got] = 0;
  close(ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int restart(char* program) {
  setenv("OMP_THREAD_LIMIT", "2", 1);
  execl(program, program, "limited", NULL);
  return 1;
}

int main(int argc, char** argv) {
  if (argc == 1) {
    omp_set_max_active_levels(4);
    for (int round = 0; round < 3; ++round) lists();
    return check_result() ? 1 : restart(argv[0]);
  }
  char said[1000];
  for (int as_list = 0; as_list < 2; ++as_list) {
    CHECK(strict(1, as_list, said, sizeof said) == 3);
    CHECK(strstr(said, "four or none") != NULL);
    CHECK(strict(2, as_list, said, sizeof said) == 1);
    CHECK(strstr(said, "four or none") != NULL);
  }
  return check_result();
}
