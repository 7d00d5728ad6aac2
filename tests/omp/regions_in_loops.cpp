// Regions inside native loops have the threads that they ask for, on whichever thread the body
// runs, also where these wait for each other.
#include <omp.h>
#include <sched.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdlib>
#include <thread>

#include "check.h"

namespace {

constexpr int indices = 12;
constexpr int size = 3;

void region() {
  std::atomic<int> came{0};
#pragma omp parallel num_threads(size)
  {
    CHECK(omp_get_num_threads() == size);
    CHECK(omp_get_level() == 1);
    came += 1;
    while (came < size) sched_yield();
#pragma omp barrier
  }
  CHECK(came == size);
}

template <class... How>
void loop(How... how) {
  std::atomic<int> ran{0};
  const auto body = [&](int) {
    region();
    ran += 1;
  };
  for (int round = 0; round < 10; ++round) doall::parallel_for(0, indices, body, how...);
  CHECK(ran == 10 * indices);
}

void loops() {
  loop();
  loop(doall::schedule::dynamic(1));
  loop(doall::schedule::lbs(1));
  loop(doall::schedule::sws());
}

// A loop around that loop; the inner ones are stolen.
void nested_loops() {
  std::atomic<int> ran{0};
  doall::parallel_for(
      0, 4,
      [&](int) {
        doall::parallel_for(
            0, 4,
            [&](int) {
              region();
              ran += 1;
            },
            doall::schedule::lbs(1));
      },
      doall::schedule::lbs(1));
  CHECK(ran == 16);
}

void tasks() {
  std::atomic<int> ran{0};
  doall::task_group group;
  for (int t = 0; t < 10; ++t) {
    group.run([&] {
      region();
      ran += 1;
    });
  }
  group.wait();
  CHECK(ran == 10);
}

// Native loops inside a region whose team is not the shared one.
void loops_in_second_regions() {
#pragma omp parallel num_threads(2)
  {
    std::thread other([] {
#pragma omp parallel num_threads(2)
      {
        std::atomic<long> sum{0};
        doall::parallel_for(0, 100, [&](int i) { sum += i; }, doall::schedule::sws());
        CHECK(sum == 4950);
      }
    });
    other.join();
  }
}

}  // namespace

int main() {
  setenv("DOALL_NUM_THREADS", "4", 1);
  setenv("DOALL_OVERSUBSCRIBE", "true", 1);
  loops();
  nested_loops();
  tasks();
  loops_in_second_regions();
  std::thread other([] { loops(); });
  loops();
  other.join();
  return check_result();
}
