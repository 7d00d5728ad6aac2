// Each thread of the program that has regions finds in its next region what its last one has left
// in the threads' own data, whatever regions other threads have meanwhile.
#include <omp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "check.h"
#include "threads_alive.h"

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr bool may_fork = false;  // its children with threads are not supported
constexpr bool slowed = true;
#elif defined(__SANITIZE_ADDRESS__)
constexpr bool may_fork = true;
constexpr bool slowed = true;
#else
constexpr bool may_fork = true;
constexpr bool slowed = false;
#endif

int left_here = 0;
#pragma omp threadprivate(left_here)

// Regions of one caller, all with that many threads.
class regions {
 public:
  regions(int caller, int size) : caller_(caller), size_(size) {}

  void next() {
    const int expected = round_ == 0 ? 0 : mark(round_);
    const int leaves = mark(++round_);
    int wrong = 0;
    int threads = 0;
#pragma omp parallel num_threads(size_) reduction(+ : wrong, threads)
    {
      const int number = omp_get_thread_num();
      threads = 1;
      if (expected != 0 && left_here != expected + number) wrong = 1;
      left_here = leaves + number;
    }
    CHECK(threads == size_);
    CHECK(wrong == 0);
  }

 private:
  int mark(int round) const { return caller_ * 1000000 + round * 100; }

  int caller_;
  int size_;
  int round_ = 0;
};

template <class Body>
void run_on_threads(int callers, Body body) {
  std::vector<std::thread> all;
  for (int i = 0; i < callers; ++i) all.emplace_back([&body, i] { body(i + 1); });
  for (auto& t : all) t.join();
}

// One after the other, as long as all live.
void in_turns(int callers, int rounds) {
  regions of_main(100, 3);
  std::barrier<> turn(callers + 1);
  of_main.next();
  std::thread others([&] {
    run_on_threads(callers, [&](int caller) {
      regions mine(caller, 1 + caller);
      for (int round = 0; round < rounds; ++round) {
        for (int next = 0; next <= callers; ++next) {
          if (next == caller) mine.next();
          turn.arrive_and_wait();
        }
      }
    });
  });
  for (int round = 0; round < rounds; ++round) {
    of_main.next();
    for (int next = 0; next <= callers; ++next) turn.arrive_and_wait();
  }
  others.join();
}

// Whenever they like.
void at_the_same_time(int callers, int rounds) {
  run_on_threads(callers, [&](int caller) {
    std::mt19937 random(static_cast<unsigned>(caller));
    regions mine(caller, 2 + caller % 3);
    for (int round = 0; round < rounds; ++round) {
      mine.next();
      if (random() % 8 == 0) usleep(random() % 100);  // so that others' regions begin meanwhile
    }
  });
}

// Regions inside others, of any caller, have other threads.
void around_nested_regions(int callers, int rounds) {
  omp_set_max_active_levels(2);
  run_on_threads(callers, [&](int caller) {
    omp_set_max_active_levels(2);
    regions mine(caller, 2);
    for (int round = 0; round < rounds; ++round) {
      mine.next();
      const int kept = left_here;
#pragma omp parallel num_threads(2)
      {
        const int here = left_here;
#pragma omp parallel num_threads(3)
        if (omp_get_thread_num() != 0) left_here = -1;
        CHECK(left_here == here);
      }
      CHECK(left_here == kept);
    }
  });
  omp_set_max_active_levels(1);
}

// Threads that ended callers have kept serve those that come.
void one_after_the_other(int callers) {
  regions of_main(100, 2);
  of_main.next();
  int after_first = 0;
  for (int caller = 1; caller <= callers; ++caller) {
    std::thread([caller] {
      // What another caller left is there still.
      for (int size = 2; size <= 4; ++size) {
#pragma omp parallel num_threads(size)
        left_here = 0;
        regions mine(caller, size);
        for (int round = 0; round < 5; ++round) mine.next();
      }
    }).join();
    of_main.next();
    if (caller == 1) after_first = threads_alive();
  }
  CHECK(threads_alive() <= after_first + 1);  // that has ended may still be listed
}

// Regions of threads that let the library choose, and threads that end, leave others' alone.
void beside_other_wishes(int rounds) {
  regions of_main(100, 3);
  of_main.next();
  std::barrier<> turn(3);
  std::thread dynamic([&] {
    omp_set_dynamic(1);
    for (int round = 0; round < rounds; ++round) {
#pragma omp parallel num_threads(4)
      left_here = -1;
      turn.arrive_and_wait();
    }
  });
  std::thread second([&] {
    regions mine(1, 2);
    for (int round = 0; round < rounds; ++round) {
      mine.next();
      turn.arrive_and_wait();
    }
  });
  for (int round = 0; round < rounds; ++round) {
    of_main.next();
    turn.arrive_and_wait();
  }
  dynamic.join();
  second.join();
  of_main.next();
}

// More than there are pools: a caller may lose its data then, or run alone. All regions end.
void more_callers_than_pools(int callers) {
  std::barrier<> all_live(callers);
  run_on_threads(callers, [&](int) {
    for (int round = 0; round < 2; ++round) {
      int threads = 0;
#pragma omp parallel num_threads(2) reduction(+ : threads)
      threads = 1;
      CHECK(threads >= 1 && threads <= 2);
      all_live.arrive_and_wait();
    }
  });
}

// The child of a fork has one caller at first, whoever that was.
void in_children() {
  regions of_main(100, 3);
  of_main.next();
  std::thread([] {
    regions before(1, 3);
    for (int round = 0; round < 3; ++round) before.next();
    const pid_t child = fork();
    if (child == 0) {
      alarm(30);  // a child that hangs is killed
      regions mine(2, 3);
      mine.next();
      std::thread([] { in_turns(2, 5); }).join();
      for (int round = 0; round < 3; ++round) mine.next();
      std::_Exit(check_failures != 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    before.next();
  }).join();
  of_main.next();
}

}  // namespace

int main() {
  if (may_fork) in_children();
  in_turns(3, 30);
  at_the_same_time(6, 300);
  around_nested_regions(3, 50);
  one_after_the_other(20);
  beside_other_wishes(50);
  if (!slowed) more_callers_than_pools(1100);
  return check_result();
}
