/* A library that GCC compiled and one that Clang compiled, in one process: one set of threads, one
   set of ICVs, regions of the one around functions of the other.
     together GCC_LIBRARY CLANG_LIBRARY   loads them in that order, each for itself (RTLD_LOCAL) */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "../check.h"

struct part {
  int (*threads)(pthread_t*);
  void (*call_in_region)(int, void (*)(void*), void*);
  void (*count_thread)(void*);
  void (*set_threads)(int);
  int (*max_threads)(void);
};

static void* find(void* library, const char* prefix, const char* name) {
  char full[64];
  strcpy(full, prefix);
  strcat(full, name);
  void* found = dlsym(library, full);
  if (found == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return found;
}

static struct part load(const char* path) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  const char* prefix = dlsym(library, "gcc_threads") != NULL ? "gcc_" : "clang_";
  struct part p;
  p.threads = find(library, prefix, "threads");
  p.call_in_region = find(library, prefix, "call_in_region");
  p.count_thread = find(library, prefix, "count_thread");
  p.set_threads = find(library, prefix, "set_threads");
  p.max_threads = find(library, prefix, "max_threads");
  return p;
}

static void check_one_region(struct part outer, struct part inner, int threads) {
  long counts[6] = {0};
  outer.call_in_region(threads, inner.count_thread, counts);
  CHECK(counts[0] == threads);
  CHECK(counts[1] == threads * (threads - 1) / 2);
  CHECK(counts[2] == threads * threads);
  CHECK(counts[3] == threads);
  CHECK(counts[4] == 4950);
  CHECK(counts[5] == 4950);
}

int main(int argc, char** argv) {
  if (argc != 3) return 1;
  struct part a = load(argv[1]);
  struct part b = load(argv[2]);

  a.set_threads(3);
  CHECK(b.max_threads() == 3);
  b.set_threads(4);
  CHECK(a.max_threads() == 4);

  pthread_t of_a[64], of_b[64];
  CHECK(a.threads(of_a) == 4);
  CHECK(b.threads(of_b) == 4);
  for (int i = 0; i < 4; ++i) CHECK(pthread_equal(of_a[i], of_b[i]));

  for (int threads = 1; threads <= 4; ++threads) {
    check_one_region(a, b, threads);
    check_one_region(b, a, threads);
  }
  return check_result();
}
