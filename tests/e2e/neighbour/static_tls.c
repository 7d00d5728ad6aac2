// A program that loads a library which takes of the reserve of static thread-local storage, and
// then OpenMP's door, whose functions it calls: static_tls.sh.
#include <dlfcn.h>
#include <stdio.h>

#ifdef USER
static __attribute__((tls_model("initial-exec"))) __thread char taken[1024];
char* taken_here(void) { return taken; }
#else
int main(int count, char** names) {
  if (count != 3) return 2;
  for (int i = 1; i < count; ++i) {
    void* const library = dlopen(names[i], RTLD_NOW);
    if (library == NULL) {
      fprintf(stderr, "wrong: dlopen: %s\n", dlerror());
      return 1;
    }
    if (i == 1) continue;
    int (*const threads)(void) = (int (*)(void))dlsym(library, "omp_get_max_threads");
    if (threads == NULL || threads() < 1) {
      fprintf(stderr, "wrong: omp_get_max_threads() of %s\n", names[i]);
      return 1;
    }
  }
  return 0;
}
#endif
