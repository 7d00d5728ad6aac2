// Groups of tasks of oneTBB that a thread waits for, or destroys, while the thread that began them
// does not wait: an exception says so, and nobody waits for ever. With four threads (run.sh).
#define DOALL_COMPAT_PATIENCE_MS 200
#include <tbb/tbb.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>

#include "check.hpp"

namespace {

void wait_for(const std::atomic<int>& what, int wanted) {
  while (what != wanted) std::this_thread::yield();
}

// Keeps so many workers busy while it lives, so that tasks stay with their giver.
class busy_workers {
 public:
  explicit busy_workers(int workers) {
    for (int i = 0; i < workers; ++i)
      group_.run([this] {
        ++begun_;
        wait_for(stop_, 1);
      });
    wait_for(begun_, workers);
  }
  ~busy_workers() {
    stop_ = 1;
    group_.wait();
  }
  busy_workers(const busy_workers&) = delete;
  busy_workers& operator=(const busy_workers&) = delete;

 private:
  std::atomic<int> begun_{0};
  std::atomic<int> stop_{0};
  tbb::task_group group_;
};

// Whether f() throws what says that the owner does not wait.
template <class Function>
bool is_told(const Function& f) {
  bool told = false;
  std::thread([&] {
    try {
      f();
    } catch (const std::logic_error& e) {
      told = std::strstr(e.what(), "this group") != nullptr;
    }
  }).join();
  return told;
}

void waits_of_others() {
  std::atomic<int> ran{0};
  const busy_workers busy(3);
  tbb::task_group group;
  group.run([&] { ++ran; });
  CHECK(is_told([&] { group.wait(); }));
  CHECK(is_told([&] { group.run_and_wait([&] { ran += 10; }); }));
  CHECK(ran == 10);
  group.wait();
  CHECK(ran == 11);
}

// In the main thread's surroundings, another one waits for a group that main does not wait for.
void waits_in_a_task() {
  std::atomic<int> ran{0};
  std::atomic<int> step{0};
  std::atomic<int> told{0};
  tbb::task_group outer;
  tbb::task_group inner;
  outer.run([&] {
    step = 1;
    wait_for(step, 2);
    try {
      inner.wait();
    } catch (const std::logic_error&) {
      told = 1;
    }
  });
  wait_for(step, 1);
  const busy_workers busy(2);
  for (int i = 0; i < 20; ++i) inner.run([&] { ++ran; });
  step = 2;
  outer.wait();
  CHECK(told == 1);
  inner.wait();
  CHECK(ran == 20);
}

// A task that runs is waited for, however long.
void long_task() {
  std::atomic<int> begun{0};
  std::atomic<int> ran{0};
  tbb::task_group group;
  group.run([&] {
    begun = 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(3 * DOALL_COMPAT_PATIENCE_MS));
    ++ran;
  });
  wait_for(begun, 1);
  CHECK(!is_told([&] {
    group.wait();
    CHECK(ran == 1);
  }));
  group.wait();
}

// A group is destroyed while its tasks lie with this thread: they do not run, and are freed when
// this thread begins another group, without a look at what is gone.
void destroyed_by_others() {
  constexpr unsigned char mark = 0x5a;
  constexpr std::size_t bytes = sizeof(tbb::task_group);
  alignas(tbb::task_group) unsigned char room[bytes];
  std::atomic<int> ran{0};
  const auto object = std::make_shared<int>(0);
  const busy_workers busy(3);
  for (int round = 0; round < 2; ++round) {
    auto* const group = new (static_cast<void*>(room)) tbb::task_group;
    for (int i = 0; i < 3; ++i) group->run([&ran, object] { ++ran; });
    CHECK(is_told([&] { group->~task_group(); }));
    std::memset(room, mark, bytes);
    CHECK(ran == 0 && object.use_count() == 4);
    tbb::task_group next;
    next.run([&ran] { ran += 10; });
    next.wait();
    CHECK(ran == 10 && object.use_count() == 1);
    ran = 0;
    for (const unsigned char byte : room) CHECK(byte == mark);
  }
}

// The same, and what the tasks hold uses a group as it is freed: one of its own, or the very group
// that is being opened. `by_next`: that opening frees it, otherwise the end of the piece.
struct uses_a_group {
  tbb::task_group* next;
  std::atomic<int>& ran;
  uses_a_group(tbb::task_group* next_, std::atomic<int>& ran_) : next(next_), ran(ran_) {}
  uses_a_group(const uses_a_group&) = delete;
  uses_a_group& operator=(const uses_a_group&) = delete;
  ~uses_a_group() {
    tbb::task_group own;
    own.run([] {});
    own.wait();
    if (next != nullptr) next->run([&all = ran] { all += 100; });
  }
};
void freed_in_a_wait(bool by_next) {
  std::atomic<int> ran{0};
  const busy_workers busy(3);
  std::weak_ptr<uses_a_group> seen;
  tbb::parallel_for(0, 1, [&](int) {
    tbb::task_group next;
    next.run([&ran] { ++ran; });
    next.wait();
    auto* const group = new tbb::task_group;
    auto object = std::make_shared<uses_a_group>(by_next ? &next : nullptr, ran);
    seen = object;
    for (int i = 0; i < 3; ++i) group->run([&ran, object] { ran += 10; });
    object.reset();
    CHECK(is_told([&] { delete group; }));
    CHECK(!seen.expired());
    if (!by_next) return;
    next.run([&ran] { ++ran; });
    next.wait();
    CHECK(seen.expired() && ran == 102);
  });
  CHECK(seen.expired() && ran == (by_next ? 102 : 1));
}

// What a task holds gives a task to another group as it is freed, which ends before the wait does:
// it has no part in what this thread begins next.
void given_as_it_is_freed() {
  struct gives {
    tbb::task_group& to;
    std::atomic<int>& ran;
    ~gives() {
      to.run([&all = ran] { ++all; });
    }
  };
  std::atomic<int> ran{0};
  const busy_workers busy(3);
  tbb::task_group outer;
  outer.run_and_wait([&] {
    tbb::task_group first, other, third;
    for (int i = 0; i < 3; ++i) {
      std::shared_ptr<gives> object(new gives{other, ran});
      first.run([object] {});
      object.reset();
      first.wait();
      CHECK(ran == 111 * i + 1);
      third.run([&ran] { ran += 10; });
      other.run([&ran] { ran += 100; });
      third.wait();
      CHECK(ran % 100 / 10 == i + 1);
      other.wait();
      CHECK(ran == 111 * (i + 1));
    }
  });
}

}  // namespace

int main(int, char** argv) {
  const int rounds = argv[1] != nullptr ? std::atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    waits_of_others();
    waits_in_a_task();
    long_task();
    destroyed_by_others();
    for (const bool by_next : {true, false}) freed_in_a_wait(by_next);
    given_as_it_is_freed();
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
