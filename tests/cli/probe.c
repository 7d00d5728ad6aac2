/* A program to run under doall: does what its arguments say, one after the
 * other, and knows nothing of doall. */
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void leave(int signal) {
  (void)signal;
  static const char text[] = "caught\n";
  if (write(STDOUT_FILENO, text, sizeof text - 1) < 0) _exit(1);
  _exit(5);
}

static void runtime_loop(void) {
  long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (long i = 0; i < 1000; ++i) sum += i;
  printf("sum: %ld\n", sum);
}

static void inline_loop(void) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (long i = 0; i < 1000; ++i) sum += i;
  printf("sum: %ld\n", sum);
}

static const char* after(const char* text, const char* prefix) {
  const size_t length = strlen(prefix);
  return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  for (int i = 1; i < argc; ++i) {
    const char* value;
    if ((value = after(argv[i], "print=")) != NULL) {
      printf("%s\n", value);
    } else if ((value = after(argv[i], "variable=")) != NULL) {
      printf("%s=%s\n", value, getenv(value) != NULL ? getenv(value) : "");
    } else if ((value = after(argv[i], "exit=")) != NULL) {
      return atoi(value);
    } else if ((value = after(argv[i], "raise=")) != NULL) {
      raise(atoi(value));
    } else if ((value = after(argv[i], "fail-under=")) != NULL) {
      if (getenv(value) != NULL) return 9;
    } else if (strcmp(argv[i], "catch") == 0) {
      signal(SIGTERM, leave);
    } else if (strcmp(argv[i], "wait") == 0) {
      printf("ready\n");
      sleep(60);
    } else if (strcmp(argv[i], "threads") == 0) {
      printf("threads: %d\n", omp_get_max_threads());
    } else if (strcmp(argv[i], "loop") == 0) {
      runtime_loop();
    } else if (strcmp(argv[i], "inline-loop") == 0) {
      inline_loop();
    } else {
      printf("argument: %s\n", argv[i]);
    }
  }
  return 0;
}
