// A library whose constructor runs a region, in which the workers are the first to call a function.
// The thread that loads it holds the loader's lock meanwhile, so no worker may want that. Without
// LIBRARY: the program that loads it, which knows nothing of OpenMP.
//   late_region LIBRARY
#ifdef LIBRARY
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

__attribute__((constructor)) static void run_region(void) {
  const pthread_t loader = pthread_self();
  int levels = 0;
#pragma omp parallel num_threads(3) reduction(+ : levels)
  {
    if (!pthread_equal(loader, pthread_self())) levels = omp_get_level() + omp_get_team_size(1);
  }
  printf("%d\n", levels);
}
#else
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char** arguments) {
  if (count == 2 && dlopen(arguments[1], RTLD_LAZY | RTLD_LOCAL) != NULL) return 0;
  puts(dlerror());
  return 1;
}
#endif
