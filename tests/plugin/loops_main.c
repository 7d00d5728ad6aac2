/* Calls functions of made loops, in the order of its arguments: 7.2 is f7(2). After the word `apart`
   each call has a process of its own, which ends when it has taken a second of the CPU: some of
   GCC's own dynamic loops never end. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define FUNCTION(k) extern void f##k(int) __attribute__((weak));
#define TEN(DO, t) \
  DO(t##0) DO(t##1) DO(t##2) DO(t##3) DO(t##4) DO(t##5) DO(t##6) DO(t##7) DO(t##8) DO(t##9)
#define ALL(DO)                                                                                \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9)                                  \
  TEN(DO, 1) TEN(DO, 2) TEN(DO, 3) TEN(DO, 4) TEN(DO, 5) TEN(DO, 6) TEN(DO, 7) TEN(DO, 8) TEN(DO, 9)
ALL(FUNCTION)

static void (*const all[])(int) = {
#define ADDRESS(k) f##k,
    ALL(ADDRESS)};

int main(int argc, char** argv) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  const int apart = argc > 1 && strcmp(argv[1], "apart") == 0;
  for (int a = 1 + apart; a < argc; ++a) {
    unsigned k = 0;
    int which = 0;
    if (sscanf(argv[a], "%u.%d", &k, &which) != 2 || k >= sizeof all / sizeof *all || !all[k])
      return 2;
    if (!apart) {
      all[k](which);
      continue;
    }
    const pid_t child = fork();
    if (child == 0) {
      const struct itimerval limit = {{0, 0}, {apart, 0}};
      signal(SIGPROF, SIG_DFL);
      setitimer(ITIMER_PROF, &limit, NULL);
      all[k](which);
      fflush(stdout);
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) printf("%u.%d died\n", k, which);
  }
  return 0;
}
