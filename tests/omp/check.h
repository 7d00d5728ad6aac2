/* CHECK(condition) from any thread; main ends with `return check_result();`. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>

static int check_failures;

#define CHECK(condition)                                                     \
  do {                                                                       \
    if (!(condition)) {                                                      \
      fprintf(stderr, "%s:%d: wrong: %s\n", __FILE__, __LINE__, #condition); \
      __atomic_fetch_add(&check_failures, 1, __ATOMIC_RELAXED);              \
    }                                                                        \
  } while (0)

static int check_result(void) {
  int failures = __atomic_load_n(&check_failures, __ATOMIC_RELAXED);
  if (failures != 0) fprintf(stderr, "%d checks failed\n", failures);
  return failures != 0;
}

#endif
