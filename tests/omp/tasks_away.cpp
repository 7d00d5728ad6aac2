// A thread stands in for a worker in a region, until its part ends. Tasks that were then left in
// its deque would have no owner, and hide what a waiting thread needs.
#include <omp.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>
#include <doall/doall.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>

namespace {

constexpr int rounds = 5;

void sleep_ms(long ms) {
  const timespec time{ms / 1000, ms % 1000 * 1'000'000};
  nanosleep(&time, nullptr);
}

template <class Ready>
void wait_until(Ready ready) {
  while (!ready()) sleep_ms(1);
}

// A native loop whose bodies wait, one of them on the team's worker: another stands in for it.
class worker_away {
 public:
  worker_away() {
#pragma omp parallel num_threads(2)
    {
#pragma omp master
      {
        runner_ = std::thread([this] { run(); });
        wait_until([&] { return begun_ > 0; });
      }
    }
    // The region's worker is idle now: it comes to steal.
    for (int i = 0; i < 1000 && !stolen_; ++i) sleep_ms(1);
  }
  ~worker_away() {
    end();
    runner_.join();
  }
  bool is_away() const { return stolen_; }
  void end() { ends_ = true; }

 private:
  void run() {
    const auto me = pthread_self();
    doall::parallel_for(
        0, 2,
        [&](int) {
          if (pthread_equal(me, pthread_self()) == 0) stolen_ = true;
          begun_ += 1;
          wait_until([&] { return ends_.load(); });
        },
        doall::schedule::lbs(1));
  }

  std::thread runner_;
  std::atomic<int> begun_{0};
  std::atomic<bool> stolen_{false};
  std::atomic<bool> ends_{false};
};

// On thread 1, which stands in: task `first` makes `hiding`. `second`, which has a priority and is
// thus taken before it, makes `needed`, for whose end thread 0 waits in a task that `hiding` does
// not descend from. Then it lets the part end, and the worker come home.
bool leave_tasks(worker_away& worker) {
  std::atomic<int> ran{0};
  std::atomic<bool> waits{false};
  std::atomic<bool> first_began{false};
  omp_event_handle_t open{};
  std::atomic<bool> is_open{false};
#pragma omp parallel num_threads(2) shared(worker, ran, waits, first_began, open, is_open)
  {
    if (omp_get_thread_num() == 1) {
      omp_event_handle_t event;
#pragma omp task detach(event) shared(ran) /* the compiler leaves out an empty one */
      ran += 1;
      open = event;
      is_open = true;
    } else {
      wait_until([&] { return is_open.load(); });
#pragma omp task shared(ran, waits, first_began) /* first */
      {
        first_began = true;
#pragma omp task shared(ran) /* hiding */
        ran += 1;
        wait_until([&] { return waits.load(); });
      }
      wait_until([&] { return first_began.load(); });
#pragma omp task if (0) shared(worker, ran, waits, open)
#pragma omp taskgroup
      {
#pragma omp task shared(worker, ran, open) priority(1) /* second */
        {
#pragma omp task shared(ran) /* needed */
          ran += 1;
          worker.end();
          sleep_ms(50);
          omp_fulfill_event(open);
        }
        waits = true;
        sleep_ms(200);  // until the worker is home
      }
    }
  }
  return ran == 3;
}

}  // namespace

int main(int, char** arguments) {
  if (std::getenv("OMP_MAX_TASK_PRIORITY") == nullptr) {  // read when the program starts
    setenv("OMP_MAX_TASK_PRIORITY", "1", 1);
    execv("/proc/self/exe", arguments);
    return 1;
  }
  alarm(100);
  int away = 0;
  bool good = true;
  for (int i = 0; i < rounds; ++i) {
    worker_away worker;
    away += worker.is_away() ? 1 : 0;
    good = leave_tasks(worker) && good;
  }
  std::printf("the worker was away %d times of %d\n", away, rounds);
  return good ? 0 : 1;
}
