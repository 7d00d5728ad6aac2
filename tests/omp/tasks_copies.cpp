// firstprivate objects with constructors: each task has a copy of its own, of
// the alignment of its type, and every copy is destroyed.
#include <omp.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "cancelled_search.h"
#include "check.h"

namespace {

int alive = 0;

struct alignas(256) counted {
  std::vector<int> values = {1, 2, 3};

  counted() { count(1); }
  counted(const counted& other) : values(other.values) { count(1); }
  ~counted() { count(-1); }
  bool aligned() const { return reinterpret_cast<std::uintptr_t>(this) % 256 == 0; }

 private:
  static void count(int change) {
#pragma omp atomic
    alive += change;
  }
};

void tasks_have_copies() {
  counted object;
  std::string text = "a text that is too long for the small string optimisation";
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 20; ++i) {
#pragma omp task firstprivate(object, text)
    {
      object.values.push_back(i);
      text += "!";
      CHECK(object.values.size() == 4 && object.values[3] == i);
      CHECK(object.aligned());
      CHECK(text.back() == '!' && text[text.size() - 2] != '!');
    }
  }
  CHECK(object.values.size() == 3);
}

void taskloops_have_copies() {
  counted object;
  int sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop firstprivate(object) grainsize(strict : 10) reduction(+ : sum)
  for (int i = 0; i < 95; ++i) {
    object.values.push_back(i);
    CHECK(object.aligned());
    CHECK(object.values.size() == 4U + i % 10);
    ++sum;
  }
  CHECK(sum == 95);
}

// The last piece writes what is lastprivate when all others have been copied. Each of these waits
// for it, but not for ever: it may not have begun.
void last_piece_comes_after_copies() {
  struct box {
    int value;
    int more[3];
  };
  for (int round = 0; round < 10; ++round) {
    box x = {7, {}};
    int wrong = 0, has_written = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop num_tasks(8) firstprivate(x) lastprivate(x) shared(wrong, has_written)
    for (int i = 0; i < 8; ++i) {
      if (x.value != 7) __atomic_fetch_add(&wrong, 1, __ATOMIC_RELAXED);
      const double until = omp_get_wtime() + 0.005;
      while (i < 7 && __atomic_load_n(&has_written, __ATOMIC_ACQUIRE) == 0 &&
             omp_get_wtime() < until) {
      }
      x.value = 100 + i;
      if (i == 7) __atomic_store_n(&has_written, 1, __ATOMIC_RELEASE);
    }
    CHECK(wrong == 0);
    CHECK(x.value == 107);
  }
}

void cancellation_ends_search(int threads) {
  visited = is_found = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
#pragma omp taskgroup
  search(16, counted());
  CHECK(visited > 16 && visited < 1000);
}

// None of the taskloop's tasks nor of the target tasks begins in a group that is cancelled, and in
// one that a task of the taskloop cancels few do.
void cancellation_ends_taskloops() {
  const counted object;
  int begun = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int form = 0; form < 3; ++form) {
#pragma omp taskgroup
    {
#pragma omp task if (0)
      {
#pragma omp cancel taskgroup
      }
      if (form == 0) {
#pragma omp taskloop firstprivate(object) shared(begun) num_tasks(100)
        for (int i = 0; i < 100; ++i)
          __atomic_fetch_add(&begun, static_cast<int>(object.values.size()), __ATOMIC_RELAXED);
      } else if (form == 1) {
#pragma omp taskloop firstprivate(object) shared(begun) num_tasks(100) nogroup
        for (int i = 0; i < 100; ++i)
          __atomic_fetch_add(&begun, static_cast<int>(object.values.size()), __ATOMIC_RELAXED);
      } else {
#pragma omp target nowait map(tofrom : begun)
        __atomic_fetch_add(&begun, 1, __ATOMIC_RELAXED);
      }
    }
  }
  CHECK(begun == 0);
#pragma omp parallel num_threads(2)
#pragma omp single
#pragma omp taskloop firstprivate(object) shared(begun) num_tasks(10000)
  for (int i = 0; i < 10000; ++i) {
    __atomic_fetch_add(&begun, object.values.size() == 3 ? 1 : 10000, __ATOMIC_RELAXED);
#pragma omp cancel taskgroup
  }
  CHECK(begun >= 1 && begun < 1000);
  // By one thread, the other waits elsewhere: neither the rest of the first task nor the last one.
  begun = 0;
  std::atomic<bool> done{false};
#pragma omp parallel num_threads(2)
  if (omp_get_thread_num() == 0) {
#pragma omp taskloop firstprivate(object) shared(begun) num_tasks(2)
    for (int i = 0; i < 1000; ++i) {
      __atomic_fetch_add(&begun, object.values.size() == 3 ? 1 : 10000, __ATOMIC_RELAXED);
#pragma omp cancel taskgroup
    }
    done = true;
  } else {
    while (!done) usleep(100);
  }
  CHECK(begun == 1);
}

}  // namespace

int main(int number, char** arguments) {
  if (omp_get_cancellation() == 0) {  // read when the program starts
    if (number > 1) return 1;
    setenv("OMP_CANCELLATION", "true", 1);
    return execl("/proc/self/exe", arguments[0], "again", nullptr);
  }
  tasks_have_copies();
  taskloops_have_copies();
  last_piece_comes_after_copies();
  for (const int threads : {1, 2, 4, 16}) cancellation_ends_search(threads);
  cancellation_ends_taskloops();
  CHECK(alive == 0);
  return check_result();
}
