// Regions and loops where a program's objects die, and faults on workers: a
// static object's destructor, a thread_local one's, and a SIGSEGV handler.
#include <omp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

static long sum_in_loops() {
  long sum = 0;
#pragma omp parallel for schedule(runtime) reduction(+ : sum)
  for (int i = 0; i < 100; ++i) sum += i;
  // And an orphaned loop, met by a team of one.
#pragma omp for schedule(dynamic)
  for (int i = 0; i < 100; ++i) sum += i;
  return sum;
}

static void check(const char* where) {
  const long sum = sum_in_loops();
  if (sum == 9900) return;
  std::printf("%s: %ld, expected 9900\n", where, sum);
  std::fflush(stdout);
  _exit(1);
}

struct late {
  const char* where;
  ~late() { check(where); }
};
static late object{"static destructor"};

static char* page;
static void grant(int, siginfo_t*, void*) { mprotect(page, 4096, PROT_READ | PROT_WRITE); }

// A worker's write to a protected page reaches the program's handler.
static void faults_reach_their_handler() {
  page = static_cast<char*>(mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  struct sigaction action = {};
  action.sa_sigaction = grant;
  action.sa_flags = SA_SIGINFO;
  sigaction(SIGSEGV, &action, nullptr);
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == omp_get_num_threads() - 1) page[0] = 1;
  signal(SIGSEGV, SIG_DFL);
}

int main() {
  check("main");
  for (const char* threads : {"1", "4"}) {
    omp_set_num_threads(threads[0] - '0');
    for (int i = 0; i < 5; ++i) {
      std::thread([] {
        thread_local late mine{"thread_local destructor"};
        static_cast<void>(mine.where);
        check("thread");
      }).join();
    }
  }
  faults_reach_their_handler();
  omp_set_num_threads(1);
  std::puts("late regions gave the right answer");
}
