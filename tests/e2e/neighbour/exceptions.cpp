// A program's exceptions and the libraries, which have a libstdc++ of their own: what a body throws
// on any thread reaches the loop's caller with its type, from nested loops and tasks too, and no
// count of the program's libstdc++ is off afterwards. A thread that has used the libraries may
// leave by pthread_exit().
#include <pthread.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  ++failures;
}

struct own_failure : std::runtime_error {
  explicit own_failure(int i) : std::runtime_error("at " + std::to_string(i)), at(i) {}
  int at;
};

template <class Run>
void reaches_the_caller(const char* what, Run run) {
  bool caught = false;
  try {
    run();
  } catch (const own_failure& e) {
    caught = e.what() == "at " + std::to_string(e.at);
  }
  expect(caught, what);
  expect(std::uncaught_exceptions() == 0, "exceptions are counted");
}

void loops_throw() {
  for (const char* how : {"dynamic,1", "lbs"}) {
    reaches_the_caller(how, [&] {
      doall::parallel_for(
          0, 1000,
          [](int i) {
            if (i % 100 == 99) throw own_failure(i);
          },
          doall::schedule(how));
    });
  }
  reaches_the_caller("a nested loop", [] {
    doall::parallel_for(0, 8, [](int i) {
      doall::parallel_for(0, 8, [&](int j) {
        if (j == 7) throw own_failure(i);
      });
    });
  });
  reaches_the_caller("a reduction", [] {
    static_cast<void>(doall::parallel_reduce(
        0, 1000, 0, [](int i) { return i == 500 ? throw own_failure(i) : i; }, std::plus<>{}));
  });
  reaches_the_caller("a task", [] {
    doall::task_group tasks;
    for (int i = 0; i < 8; ++i)
      tasks.run([i] {
        if (i == 5) throw own_failure(i);
      });
    tasks.wait();
  });
}

struct note {
  std::atomic<int>& count;
  ~note() { ++count; }
};

void a_thread_leaves_a_loop() {
  static std::atomic<int> unwound{0};
  pthread_t thread;
  pthread_create(
      &thread, nullptr,
      [](void*) -> void* {
        const note here{unwound};
        const doall::thread_scope one(1);
        doall::parallel_for(0, 10, [](int) {});
        pthread_exit(nullptr);
      },
      nullptr);
  pthread_join(thread, nullptr);
  expect(unwound == 1, "pthread_exit() unwinds");
}

}  // namespace

int main() {
  setenv("DOALL_OVERSUBSCRIBE", "true", 1);  // three workers, however few the CPUs
  const doall::thread_scope three(3);
  for (int round = 0; round < 50; ++round) loops_throw();
  a_thread_leaves_a_loop();
  if (failures == 0) std::puts("exceptions reach the caller");
  return failures == 0 ? 0 : 1;
}
