// Tasks in the forms that need most of LLVM's ABI: objects that are copied into tasks and pieces of
// taskloops, detached tasks, dependences between many, reductions by tasks of all threads.
#include <omp.h>

#include <string>
#include <thread>
#include <vector>

#include "../cancelled_search.h"
#include "../check.h"

namespace {

int alive = 0;

// Long enough to be allocated or not, and counted.
struct object {
  std::string text;
  std::vector<int> values{1, 2, 3};

  explicit object(const char* t) : text(t) { count(1); }
  object(const object& other) : text(other.text), values(other.values) { count(1); }
  ~object() { count(-1); }
  static void count(int n) { __atomic_fetch_add(&alive, n, __ATOMIC_RELAXED); }
};

void tasks_have_copies() {
  object short_one("short");
  object long_one("a text that does not fit into the object itself");
  int done = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < 200; ++i) {
#pragma omp task firstprivate(short_one, long_one) shared(done)
    {
      short_one.values.push_back(i);
      long_one.text += "!";
      CHECK(short_one.values.size() == 4 && short_one.values[3] == i);
      CHECK(short_one.text == "short" && long_one.text.back() == '!');
      CHECK(long_one.text[long_one.text.size() - 2] != '!');
#pragma omp atomic
      done++;
    }
  }
  CHECK(done == 200);
}

void taskloops_have_copies() {
  object mine("short");
  int sum = 0, last = -1;
#pragma omp parallel
#pragma omp single
  {
#pragma omp taskloop firstprivate(mine) grainsize(10) reduction(+ : sum) lastprivate(last)
    for (int i = 0; i < 95; ++i) {
      mine.values.push_back(i);
      CHECK(mine.text == "short" && mine.values.size() < 3 + 20);
      sum += 1;
      last = i;
    }
    CHECK(sum == 95 && last == 94);
#pragma omp taskloop firstprivate(mine) nogroup num_tasks(7) shared(sum)
    for (int i = 0; i < 95; ++i) {
      CHECK(mine.text == "short");
#pragma omp atomic
      sum += 1;
    }
#pragma omp taskwait
    CHECK(sum == 190);
#pragma omp taskloop nogroup shared(sum)
    for (int i = 0; i < 95; ++i) {
#pragma omp atomic
      sum += 1;
    }
#pragma omp taskloop if (0) shared(sum)
    for (int i = 0; i < 95; ++i) {
#pragma omp atomic
      sum += 1;
    }
  }
  CHECK(sum == 380);
}

void detached_tasks() {
  for (int n = 0; n < 20; ++n) {
    omp_event_handle_t event;
    int value = 0, seen = -1;
    std::thread other;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task detach(event) depend(out : value) shared(value, other)
      {
        other = std::thread([&value, event] {
          value = 42;
          omp_fulfill_event(event);
        });
      }
#pragma omp task depend(in : value) shared(value, seen)
      seen = value;
#pragma omp taskwait
      CHECK(seen == 42);
    }
    other.join();
  }
}

void chains_of_dependences() {
  constexpr int lanes = 8, length = 50;
  int values[lanes] = {0};
  int exclusive = 0, inside = 0;
#pragma omp parallel
#pragma omp single
  {
    for (int i = 0; i < length; ++i) {
      for (int lane = 0; lane < lanes; ++lane) {
#pragma omp task depend(inout : values[lane]) shared(values)
        values[lane] = values[lane] * 3 % 1009 + i;
      }
#pragma omp task depend(mutexinoutset : exclusive) shared(exclusive, inside)
      {
        CHECK(++inside == 1);
        ++exclusive;
        --inside;
      }
    }
#pragma omp task depend(iterator(k = 0 : lanes), in : values[k]) shared(values)
    {
      for (int lane = 1; lane < lanes; ++lane) CHECK(values[lane] == values[0]);
    }
  }
  CHECK(exclusive == length);
}

void reductions_by_all() {
  long sum = 0;
  int most = 0;
#pragma omp parallel
#pragma omp for reduction(task, + : sum) reduction(max : most)
  for (int i = 0; i < 100; ++i) {
    if (i > most) most = i;
#pragma omp task in_reduction(+ : sum)
    sum += i;
  }
  CHECK(sum == 4950 && most == 99);
}

// What has not begun when its group is cancelled does not begin, and its objects are destroyed.
void cancelled_objects() {
  if (omp_get_cancellation() == 0) return;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  search(16, object("a path that does not fit into the object itself"));
  CHECK(visited > 16 && visited < 1000);
  object mine("short");
  int begun = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task if (0)
    {
#pragma omp cancel taskgroup
    }
#pragma omp task firstprivate(mine) shared(begun)
    begun += static_cast<int>(mine.values.size());
#pragma omp taskloop firstprivate(mine) shared(begun) num_tasks(100)
    for (int i = 0; i < 100; ++i)
      __atomic_fetch_add(&begun, static_cast<int>(mine.values.size()), __ATOMIC_RELAXED);
  }
  CHECK(begun == 0);
}

void cancelled_constructs() {
  if (omp_get_cancellation() == 0) return;
  int begun = 0;
  for (int n = 0; n < 20; ++n) {
#pragma omp parallel
    {
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 100000; ++i) {
#pragma omp cancellation point for
#pragma omp atomic
        begun++;
        if (i == 10) {
#pragma omp cancel for
        }
      }
#pragma omp for
      for (int i = 0; i < 1000; ++i) {
        if (i == 10) {
#pragma omp cancel for
        }
      }
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 100; ++i) {
#pragma omp atomic
        begun++;
      }
    }
#pragma omp parallel
    {
#pragma omp cancel parallel
    }
  }
  CHECK(begun >= 20 * 100);
  // Those that are made behind the first one's end do not begin.
  int tasks = 0;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  for (int i = 0; i < 1000; ++i) {
#pragma omp task shared(tasks)
    {
      __atomic_fetch_add(&tasks, 1, __ATOMIC_RELAXED);
#pragma omp cancel taskgroup
    }
    if (i == 0) {
#pragma omp taskwait
      tasks = 0;
    }
  }
  CHECK(tasks == 0);
}

}  // namespace

int main() {
  tasks_have_copies();
  taskloops_have_copies();
  detached_tasks();
  chains_of_dependences();
  reductions_by_all();
  cancelled_constructs();
  cancelled_objects();
  CHECK(alive == 0);
  return check_result();
}
