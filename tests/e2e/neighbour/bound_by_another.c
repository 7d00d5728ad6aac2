// RUNTIME: in place of a wheel's libgomp, which binds the thread that loads it to one CPU.
// LIBRARY: a wheel's library; its region says how many CPUs it has. Else the program, which loads
// both and says how many CPUs it had before.
//   bound_by_another RUNTIME LIBRARY
// PROGRAM_BINDS: it sets OMP_PROC_BIND itself.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#if defined(RUNTIME)
__attribute__((constructor)) static void bind_to_the_first_place(void) {
  cpu_set_t all, first;
  sched_getaffinity(0, sizeof all, &all);
  CPU_ZERO(&first);
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&first) == 0; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &first);
  }
  const char* binds = getenv("OMP_PROC_BIND");
  if (binds == NULL || binds[0] != 'f') sched_setaffinity(0, sizeof first, &first);
}
#elif defined(LIBRARY)
#include <omp.h>

int cpus_of_regions(void) {
  cpu_set_t used;
  CPU_ZERO(&used);
#pragma omp parallel
#pragma omp critical
  {
    cpu_set_t mine;
    sched_getaffinity(0, sizeof mine, &mine);
    CPU_OR(&used, &used, &mine);
  }
  return CPU_COUNT(&used);
}
#else
int main(int count, char** arguments) {
  cpu_set_t before;
  if (getenv("PROGRAM_BINDS") != NULL) putenv("OMP_PROC_BIND=true");
  sched_getaffinity(0, sizeof before, &before);
  for (int i = 1; i < count; ++i) {
    void* const opened = dlopen(arguments[i], RTLD_LAZY | RTLD_LOCAL);
    if (opened == NULL) {
      puts(dlerror());
      return 1;
    }
    int (*const cpus)(void) = (int (*)(void))dlsym(opened, "cpus_of_regions");
    if (cpus == NULL) continue;
    const int used = cpus();
    if (used == CPU_COUNT(&before)) return 0;
    printf("regions have %d CPUs of %d\n", used, CPU_COUNT(&before));
  }
  return 1;
}
#endif
