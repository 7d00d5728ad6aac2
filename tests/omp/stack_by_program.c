// kmp_set_stacksize_s() before the first region, and KMP_STACKSIZE, give workers that stack; a size
// that no thread can have is refused with a warning. LLVM's functions are in doall's library
// whichever compiler built the program.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static size_t stack_of_this_thread(void) {
  pthread_attr_t mine;
  size_t bytes = 0;
  pthread_getattr_np(pthread_self(), &mine);
  pthread_attr_getstacksize(&mine, &bytes);
  pthread_attr_destroy(&mine);
  return bytes;
}

// The process ends with status 0 if its worker has so much stack, and a little more.
static int worker_has(size_t wanted) {
  size_t bytes = 0;
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 1) bytes = stack_of_this_thread();
  if (bytes >= wanted && bytes <= wanted + (1 << 20)) return 0;
  fprintf(stderr, "wrong: a worker has %zu bytes of stack, expected %zu\n", bytes, wanted);
  return 1;
}

int main(int count, char** arguments) {
  if (count > 1) return worker_has(strtoul(arguments[1], NULL, 10));
  void (*set)(size_t) = (void (*)(size_t))dlsym(RTLD_DEFAULT, "kmp_set_stacksize_s");
  size_t (*get)(void) = (size_t (*)(void))dlsym(RTLD_DEFAULT, "kmp_get_stacksize_s");
  if (set == NULL || get == NULL) {
    fputs("wrong: no kmp_set_stacksize_s\n", stderr);
    return 1;
  }
  const struct {
    const char* text;
    const char* bytes;
  } variables[] = {{"48m", "50331648"}, {"52428800", "52428800"}, {"20M", "20971520"}};
  for (unsigned i = 0; i < sizeof variables / sizeof variables[0]; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      unsetenv("OMP_STACKSIZE");
      unsetenv("GOMP_STACKSIZE");
      setenv("KMP_STACKSIZE", variables[i].text, 1);
      execl("/proc/self/exe", arguments[0], variables[i].bytes, (char*)NULL);
      _exit(9);
    }
    int status = -1;
    waitpid(child, &status, 0);
    if (status != 0) {
      fprintf(stderr, "wrong: KMP_STACKSIZE=%s\n", variables[i].text);
      return 1;
    }
  }
  const size_t before = get();
  set(1);  // refused, with a warning
  if (get() != before) {
    fputs("wrong: a stack of one byte\n", stderr);
    return 1;
  }
  const size_t wanted = (size_t)40 << 20;
  set(wanted);
  if (get() != wanted) {
    fputs("wrong: kmp_get_stacksize_s\n", stderr);
    return 1;
  }
  return worker_has(wanted);
}
