// Ways for a process to end while the library has workers: each ends by itself, or by the signal
// that it is sent, within ten seconds. Every case is a process of its own.
//
// Length: a list of cases, and the objects that their threads have.
#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <thread>

namespace {

constexpr int threads = 3;
int failures = 0;

[[noreturn]] void stay() {
  for (;;) pause();
}

// The parent's pipe, written to when the signal may come.
int ready_fd = -1;
void say_ready() {
  if (write(ready_fd, "r", 1) != 1) _exit(92);
}

void loop() {
  const doall::thread_scope some(threads);
  std::atomic<int> ran{0};
  doall::parallel_for(0, 1000, [&](int) { ++ran; }, doall::schedule::dynamic(1));
  if (ran != 1000) _exit(90);
}

void group() {
  const doall::thread_scope some(threads);
  std::atomic<int> ran{0};
  doall::task_group tasks;
  for (int i = 0; i < 10; ++i) tasks.run([&] { ++ran; });
  tasks.wait();
  if (ran != 10) _exit(91);
}

// A region of whose threads that one does something else meanwhile.
template <class Work>
void region_with(int number, Work work) {
#pragma omp parallel num_threads(threads)
  {
#pragma omp barrier
    if (omp_get_thread_num() == number) work();
  }
}

void region() {
  region_with(0, [] {});
}

// Objects of a worker that do something when it ends.
struct with_region {
  bool used = false;
  static std::atomic<bool> has_run;
  ~with_region() {
    if (!used) return;
    region();
    has_run = true;
  }
};
std::atomic<bool> with_region::has_run{false};
thread_local with_region last_region;

// Of a thread that is the last caller for a moment.
struct with_thread {
  bool used = false;
  ~with_thread() {
    if (used) std::thread(region).join();
  }
};
thread_local with_thread last_thread;

struct with_wait {
  bool used = false;
  static std::atomic<bool> waits, goes_on;
  ~with_wait() {
    if (!used) return;
    waits = true;
    while (!goes_on) usleep(1000);
  }
};
std::atomic<bool> with_wait::waits{false}, with_wait::goes_on{false};
thread_local with_wait last_wait;

// Of a worker that ends when nobody waits for it: it wants what the leader of a region holds.
std::mutex held;
struct with_lock {
  bool used = false;
  static std::atomic<bool> waits;
  ~with_lock() {
    if (!used) return;
    waits = true;
    const std::lock_guard hold(held);
  }
};
std::atomic<bool> with_lock::waits{false};
thread_local with_lock last_lock;

// A worker that is told to go while it is in a part that it stole from another caller, and ends
// under that lock, when the holder has a region.
[[noreturn]] void leave_one_behind() {
  constexpr int tries = 5000;
  static std::atomic<bool> stolen{false}, goes_on{false};
  std::thread runner;
  const auto share = [] {
    const pthread_t me = pthread_self();
    doall::parallel_for(
        0, 8,
        [me](int) {
          if (pthread_equal(me, pthread_self()) == 0) stolen = last_lock.used = true;
          while (!goes_on) usleep(1000);
        },
        doall::schedule::lbs(1));
  };
  region_with(0, [&] { runner = std::thread(share); });
  for (int i = 0; i < tries && !stolen; ++i) usleep(1000);
  omp_pause_resource_all(omp_pause_soft);
  {
    const std::lock_guard hold(held);
    goes_on = true;
    runner.join();
    for (int i = 0; stolen && i < tries && !with_lock::waits; ++i) usleep(1000);
    int size = 0;
#pragma omp parallel num_threads(threads) reduction(+ : size)
    size += 1;
    if (size != threads) _exit(1);
  }
  _exit(0);
}

// The main thread leaves when another is in a region that never ends, on workers that the main
// thread has started.
std::atomic<bool> inside{false};
template <class Before>
[[noreturn]] void leave_another_in_a_region(Before before) {
  region();
  std::thread([before] {
    before();
    region_with(1, [] {
      inside = true;
      stay();
    });
  }).detach();
  while (!inside) usleep(1000);
  say_ready();
  pthread_exit(nullptr);
}

enum class how { exits, by_sigterm };

struct ending {
  const char* name;
  how ends;
  void (*run)();
};

void block_sigterm() {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &one, nullptr);
}

constexpr ending endings[] = {
    // The main thread leaves, and nobody is left who runs loops.
    {"native loop on a region's worker, then pthread_exit", how::exits,
     [] {
       region_with(1, loop);
       pthread_exit(nullptr);
     }},
    {"group on a region's worker, then pthread_exit", how::exits,
     [] {
       region_with(1, group);
       pthread_exit(nullptr);
     }},
    {"group in a native loop's workers, then pthread_exit", how::exits,
     [] {
       const doall::thread_scope some(threads);
       doall::parallel_for(0, 100, [](int) { group(); }, doall::schedule::dynamic(1));
       pthread_exit(nullptr);
     }},
    {"region inside of a region, a loop on its workers, then pthread_exit", how::exits,
     [] {
       omp_set_max_active_levels(2);
       region_with(1, [] { region_with(1, loop); });
       pthread_exit(nullptr);
     }},
    {"group on a second thread that outlives the main one", how::exits,
     [] {
       std::thread([] {
         usleep(20000);
         group();
       }).detach();
       pthread_exit(nullptr);
     }},
    {"stolen loops on a second thread beside the main one's, then pthread_exit", how::exits,
     [] {
       std::thread([] {
         for (int i = 0; i < 100; ++i) loop();
       }).detach();
       for (int i = 0; i < 100; ++i) loop();
       pthread_exit(nullptr);
     }},
    {"a thread that leaves its group of tasks open, then pthread_exit", how::exits,
     [] {
       std::thread([] {
         static doall_group open;
         static doall_task task = {nullptr, nullptr, [](doall_task*) {}};
         doall_group_begin(&open);
         doall_group_run(&open, &task);
         doall_group_wait(&open);
       }).join();
       pthread_exit(nullptr);
     }},
    {"threads that come and go, then pthread_exit", how::exits,
     [] {
       for (int i = 0; i < 20; ++i) std::thread(i % 2 == 0 ? loop : group).join();
       pthread_exit(nullptr);
     }},
    // Workers that end run the program's destructors.
    {"pause, and a worker's thread_local object has a region", how::exits,
     [] {
       region_with(1, [] { last_region.used = true; });
       omp_pause_resource_all(omp_pause_hard);
       _exit(last_region.has_run ? 0 : 1);
     }},
    {"a worker that was left behind ends under a lock of who has a region", how::exits,
     [] { leave_one_behind(); }},
    {"pthread_exit, and a worker's thread_local object has a region", how::exits,
     [] {
       region_with(1, [] { last_region.used = true; });
       pthread_exit(nullptr);
     }},
    {"pthread_exit, and a worker's thread_local object waits for a thread with a region",
     how::exits,
     [] {
       region_with(1, [] { last_thread.used = true; });
       pthread_exit(nullptr);
     }},
    {"pause, and a worker's thread_local object waits for a thread that begins a region",
     how::exits,
     [] {
       region_with(1, [] { last_wait.used = true; });
       std::thread beside([] {
         while (!last_wait.waits) usleep(1000);
         region();  // another's workers are being ended
         last_wait.goes_on = true;
       });
       omp_pause_resource_all(omp_pause_hard);
       beside.join();
       _exit(0);
     }},
    // Forks of workers.
    {"a region's worker forks, and the child leaves the region", how::exits,
     [] {
       pid_t child = -1;
       region_with(1, [&] { child = fork(); });
       int status = -1;
       waitpid(child, &status, 0);
       _exit(status == 0 ? 0 : 1);
     }},
    {"a region's worker forks, and the child runs loops and leaves the region", how::exits,
     [] {
       pid_t child = -1;
       region_with(1, [&] {
         child = fork();
         if (child != 0) return;
         loop();
         group();
         region();
       });
       int status = -1;
       waitpid(child, &status, 0);
       _exit(status == 0 ? 0 : 1);
     }},
    {"a region's worker forks, and SIGTERM comes to the child", how::exits,
     [] {
       pid_t child = -1;
       region_with(1, [&] {
         child = fork();
         if (child == 0) stay();
       });
       kill(child, SIGTERM);
       int status = -1;
       waitpid(child, &status, 0);
       _exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 1);
     }},
    {"a region's worker runs a command that SIGTERM ends", how::exits,
     [] {
       int status = -1;
       region_with(1, [&] { status = std::system("kill -TERM $$; sleep 20"); });
       _exit(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM ? 0 : 1);
     }},
    // exit() from anywhere.
    {"exit on a region's worker", how::exits, [] { region_with(1, [] { std::exit(0); }); }},
    {"exit on a second thread while the main one is in a region", how::exits,
     [] {
       std::thread([] {
         usleep(20000);
         std::exit(0);
       }).detach();
       region_with(1, stay);
     }},
    {"the main thread returns while a second one is in a region", how::exits,
     [] {
       std::thread([] { region_with(1, stay); }).detach();
       usleep(20000);
       std::exit(0);
     }},
    // SIGTERM.
    {"SIGTERM while workers are idle", how::by_sigterm,
     [] {
       region();
       loop();
       say_ready();
       stay();
     }},
    {"SIGTERM while a region's worker hangs", how::by_sigterm,
     [] {
       region_with(1, [] {
         say_ready();
         stay();
       });
     }},
    {"SIGTERM while a region's worker hangs that runs native loops", how::by_sigterm,
     [] {
       region_with(1, [] {
         loop();
         say_ready();
         stay();
       });
     }},
    {"SIGTERM while a task hangs", how::by_sigterm,
     [] {
       const doall::thread_scope some(threads);
       doall::task_group tasks;
       for (int i = 0; i < threads; ++i) {
         tasks.run([i] {
           if (i == 0) say_ready();
           stay();
         });
       }
       tasks.wait();
     }},
    {"SIGTERM when the main thread has left another in a region", how::by_sigterm,
     [] { leave_another_in_a_region([] {}); }},
    {"SIGTERM when who is left blocks it, but for the workers", how::by_sigterm,
     [] { leave_another_in_a_region(block_sigterm); }},
};

// Whether the process ends as it is to.
bool ends_well(const ending& e) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    close(ends[0]);
    ready_fd = ends[1];
    e.run();
    _exit(93);
  }
  close(ends[1]);
  char ready = 0;
  if (e.ends == how::by_sigterm && read(ends[0], &ready, 1) == 1) kill(child, SIGTERM);
  int status = -1;
  bool ended = false;
  const int hundredths_most = 1000;
  for (int hundredths = 0; hundredths < hundredths_most && !ended; ++hundredths) {
    ended = waitpid(child, &status, WNOHANG) == child;
    if (!ended) usleep(10000);
  }
  close(ends[0]);
  kill(-child, SIGKILL);  // and its children, which may hang when it does
  if (!ended) {
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    std::fprintf(stderr, "wrong: does not end: %s\n", e.name);
    return false;
  }
  const bool right = e.ends == how::exits ? WIFEXITED(status) && WEXITSTATUS(status) == 0
                                          : WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
  if (!right) std::fprintf(stderr, "wrong: ends with status %#x: %s\n", status, e.name);
  return right;
}

}  // namespace

int main() {
#if defined(__SANITIZE_THREAD__)
  std::puts("skipped: ThreadSanitizer has a thread of its own that stays");
  return 77;
#endif
  setenv("DOALL_OVERSUBSCRIBE", "true", 1);  // three workers, however few the CPUs
  for (const ending& e : endings) failures += ends_well(e) ? 0 : 1;
  if (failures == 0) std::puts("every process ended");
  return failures == 0 ? 0 : 1;
}
