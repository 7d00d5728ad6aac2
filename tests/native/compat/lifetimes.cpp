// Groups of tasks, contexts and arenas of oneTBB whose threads, or whose surroundings, end before
// they do: through doall::compat, under the sanitizers too. With four threads (run.sh).
// Length: one program, so that each compiler reads the headers once.
#include <tbb/tbb.h>

#include <pthread.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

// An object in memory that is seen to be written after its end.
template <class T>
class watched {
 public:
  template <class... Arguments>
  explicit watched(Arguments&&... arguments) {
    object_ = new (room_) T(std::forward<Arguments>(arguments)...);
  }
  T* operator->() { return object_; }
  T& operator*() { return *object_; }
  void end() {
    object_->~T();
    std::memset(room_, mark, sizeof room_);
  }
  bool is_untouched() const {
    for (const unsigned char byte : room_)
      if (byte != mark) return false;
    return true;
  }

 private:
  static constexpr unsigned char mark = 0x5a;
  alignas(128) unsigned char room_[sizeof(T)];
  T* object_;
};

void wait_for(const std::atomic<int>& what, int wanted) {
  while (what != wanted) std::this_thread::yield();
}

void run_some_loops() {
  std::atomic<long> sum{0};
  for (int round = 0; round < 3; ++round) tbb::parallel_for(0, 20000, [&](int i) { sum += i; });
  CHECK(sum == 3L * 20000 * 19999 / 2);
}

void use_a_group() {
  std::atomic<int> ran{0};
  tbb::task_group group;
  group.run([&] { ++ran; });
  group.run([&] { group.run([&] { ++ran; }); });
  group.wait();
  CHECK(ran == 2);
}

// The thread that gave the first task ends before anybody waits. The next one may get its stack.
void giver_ends_first() {
  std::atomic<int> ran{0};
  tbb::task_group group;
  std::thread([&] {
    for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
  }).join();
  std::thread([&] { group.wait(); }).join();
  CHECK(ran == 100);
  // Again, so that there is an owner anew.
  std::thread([&] {
    for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
    group.wait();
  }).join();
  CHECK(ran == 200);
}

// The same, and the group is destroyed before other threads come.
void giver_ends_then_group() {
  std::atomic<int> ran{0};
  watched<tbb::task_group> group;
  std::thread([&] { group->run([&] { ++ran; }); }).join();
  group->wait();
  group.end();
  CHECK(ran == 1);
  std::thread(use_a_group).join();
  CHECK(group.is_untouched());
}

// A thread that ends runs none of the tasks that it has given.
void task_outlasts_giver() {
  std::atomic<int> ran{0};
  std::atomic<int> ran_by_giver{0};
  tbb::task_group group;
  std::thread([&] {
    const std::thread::id giver = std::this_thread::get_id();
    for (int i = 0; i < 3; ++i)
      group.run([&, giver] {
        ++ran;
        if (std::this_thread::get_id() == giver) ++ran_by_giver;
      });
  }).join();
  CHECK(ran_by_giver == 0);
  group.wait();
  CHECK(ran == 3);
}

// The giver lives on, and begins loops and groups after another thread has destroyed its group.
void giver_lives_on() {
  std::atomic<int> ran{0};
  std::atomic<int> go{0};
  watched<tbb::task_group> group;
  std::thread giver([&] {
    group->run([&] { ++ran; });
    wait_for(go, 1);
    run_some_loops();
    use_a_group();
    run_some_loops();
  });
  wait_for(ran, 1);
  group->wait();
  group.end();
  go = 1;
  giver.join();
  CHECK(group.is_untouched());
}

// A giver that gives one group after the other, all of which another thread destroys; one stays.
void giver_of_many() {
  constexpr int many = 200;
  std::atomic<int> ran{0};
  std::atomic<tbb::task_group*> handed{nullptr};
  std::thread giver([&] {
    tbb::task_group own;
    own.run([&] { ++ran; });
    wait_for(ran, 1);  // only the first that waits in its deque is sure to be found by workers
    for (int i = 0; i < many; ++i) {
      auto* const one = new tbb::task_group;
      one->run([&] { ++ran; });
      handed = one;
      while (handed != nullptr) std::this_thread::yield();
    }
    own.wait();
  });
  for (int i = 0; i < many; ++i) {
    while (handed == nullptr) std::this_thread::yield();
    const std::unique_ptr<tbb::task_group> one(handed.load());
    // Its giver does not wait: a worker has to take the task.
    one->wait();
    handed = nullptr;
  }
  giver.join();
  CHECK(ran == many + 1);
}

// In a piece of an algorithm, which is the giver's surroundings.
void group_of_a_piece() {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ran{0};
    auto group = std::make_unique<tbb::task_group>();
    std::atomic<int> given{0};
    // Its own task gives more, whether the piece has ended by then or not.
    std::thread other([&] {
      wait_for(given, 1);
      group->run([&] {
        for (int i = 0; i < 10; ++i) group->run([&] { ++ran; });
      });
      group->run_and_wait([&] { group->run([&] { ++ran; }); });
    });
    tbb::parallel_for(0, 4, [&](int i) {
      if (i != 0) return;
      group->run([&] { ++ran; });
      given = 1;
    });
    other.join();
    group.reset();
    CHECK(ran == 12);
    run_some_loops();
  }
}

// One context in an algorithm inside itself, with another one between.
void context_in_itself() {
  tbb::task_group_context context;
  std::atomic<int> ran{0};
  const auto thrice = [&](const std::function<void()>& innermost) {
    tbb::parallel_for(
        0, 2,
        [&](int) {
          tbb::parallel_for(
              0, 2, [&](int) { tbb::parallel_for(0, 2, [&](int) { innermost(); }, context); });
        },
        context);
  };
  thrice([&] { ++ran; });
  CHECK(ran == 8 && !context.is_group_execution_cancelled());
  ran = 0;
  thrice([&] {
    ++ran;
    context.cancel_group_execution();
    CHECK(tbb::is_current_task_group_canceling());
  });
  CHECK(ran >= 1 && ran < 8 && context.is_group_execution_cancelled());
}

// What is around a context's first algorithm decides.
void first_use_decides() {
  std::atomic<int> ran{0};
  const auto in_a_cancelled_one = [&](tbb::task_group_context& inner) {
    tbb::task_group_context outer;
    ran = 0;
    tbb::parallel_for(
        0, 1,
        [&](int) {
          outer.cancel_group_execution();
          tbb::parallel_for(0, 10, [&](int) { ++ran; }, inner);
          CHECK((ran == 0) == inner.is_group_execution_cancelled());
        },
        outer);
  };
  tbb::task_group_context used_before;
  tbb::parallel_for(0, 10, [](int) {}, used_before);
  in_a_cancelled_one(used_before);
  CHECK(ran == 10);
  tbb::task_group_context fresh;
  in_a_cancelled_one(fresh);
  CHECK(ran == 0);
  // And again when what was around is gone.
  fresh.reset();
  ran = 0;
  tbb::parallel_for(0, 10, [&](int) { ++ran; }, fresh);
  CHECK(ran == 10);
  in_a_cancelled_one(fresh);
  CHECK(ran == 0);
}

// Two threads share a context, each inside an algorithm of its own. One of these ends while the
// other thread goes on, and is cancelled.
void shared_by_two() {
  for (int round = 0; round < 20; ++round) {
    tbb::task_group_context shared;
    std::atomic<int> step{0};
    std::atomic<int> ran{0};
    std::thread first([&] {
      tbb::parallel_for(0, 2, [&](int i) {
        if (i == 0) tbb::parallel_for(0, 2, [&](int) {}, shared);
      });
      step = 1;
    });
    std::thread second([&] {
      tbb::task_group_context outer;
      tbb::parallel_for(
          0, 1,
          [&](int) {
            tbb::parallel_for(
                0, 1000,
                [&](int) {
                  ++ran;
                  wait_for(step, 1);
                  outer.cancel_group_execution();
                },
                shared);
          },
          outer);
    });
    first.join();
    second.join();
    CHECK(ran >= 1 && ran < 1000);
    CHECK(shared.is_group_execution_cancelled());
  }
}

// So deep that a look at all that is around, at each level, would take a minute. The innermost
// cancels the outermost.
void deep(int level, const std::function<void()>& innermost) {
  if (level == 0) return innermost();
  tbb::parallel_invoke([] {}, [&, level] { deep(level - 1, innermost); });
}
void cancelled_far_out() {
  constexpr int levels = 1500;
  tbb::task_group_context outer;
  std::atomic<int> seen{0};
  tbb::parallel_for(
      0, 1,
      [&](int) {
        deep(levels, [&] {
          CHECK(!tbb::is_current_task_group_canceling());
          outer.cancel_group_execution();
          if (tbb::is_current_task_group_canceling()) ++seen;
          deep(1, [&] { seen = 1000; });
        });
        if (outer.is_group_execution_cancelled()) ++seen;
      },
      outer);
  CHECK(seen == 2);
  int ran = 0;
  deep(levels, [&] { ++ran; });
  CHECK(ran == 1);
}

int index_here() { return tbb::this_task_arena::current_thread_index(); }

// The giver, in no arena, is gone when its task asks for a number.
void giver_with_numbers_ends() {
  std::atomic<int> ran{0};
  tbb::task_group group;
  group.run([&] { ++ran; });  // so it is this thread's
  std::thread([&] {
    for (int i = 0; i < 10; ++i)
      group.run([&] {
        CHECK(index_here() >= 0);
        ++ran;
      });
  }).join();
  group.wait();
  CHECK(ran == 11);
}

// An arena ends before the tasks that were given in it.
void arena_ends_first() {
  std::atomic<int> ran{0};
  std::atomic<int> go{0};
  watched<tbb::task_arena> arena(2);
  tbb::task_group group;
  arena->execute([&] {
    for (int i = 0; i < 10; ++i)
      group.run([&] {
        wait_for(go, 1);
        CHECK(index_here() >= 0);
        ++ran;
      });
  });
  arena.end();
  go = 1;
  group.wait();
  CHECK(ran == 10);
  CHECK(arena.is_untouched());
}

// No two tasks of a group have a number at the same time, whoever runs them.
void numbers_of_tasks() {
  std::vector<std::atomic<int>> users(1100);
  std::atomic<int> ran{0};
  tbb::task_group group;
  for (int i = 0; i < 300; ++i)
    group.run([&] {
      std::atomic<int>& mine = users[static_cast<std::size_t>(index_here())];
      CHECK(mine++ == 0);
      std::this_thread::yield();
      mine--;
      ++ran;
    });
  group.wait();
  CHECK(ran == 300);
}

// More callers than there are numbers: those that get none leave all others alone.
void more_callers_than_numbers() {
  tbb::detail::arena_slots slots;
  constexpr std::uint32_t numbers = 17 * 64;
  constexpr std::uint32_t none = tbb::detail::arena_slots::none;
  for (std::uint32_t i = 0; i < numbers; ++i) CHECK(slots.take(none) == i);
  CHECK(slots.take(none) == none);
  slots.give(none);
  CHECK(slots.take(none) == none);
  slots.give(5);
  CHECK(slots.take(none) == 5);
}

void one_arena_for_two_threads() {
  tbb::task_arena arena(2);
  const auto use = [&] {
    for (int i = 0; i < 100; ++i) arena.execute([] {});
    CHECK(arena.is_active());
  };
  std::thread other(use);
  use();
  other.join();
}

void arenas_in_arenas() {
  const auto threads = [] { return tbb::this_task_arena::max_concurrency(); };
  const int all = threads();
  CHECK(all == 4);
  tbb::task_arena one(1);
  tbb::task_arena two(2);
  tbb::task_arena whole;
  one.execute([&] {
    CHECK(threads() == 1);
    two.execute([&] {
      CHECK(threads() == 2);
      one.execute([&] { CHECK(threads() == 1); });
      whole.execute([&] {
        CHECK(threads() == all);
        tbb::parallel_for(0, 100, [&](int) { CHECK(index_here() >= 0 && index_here() < all); });
      });
      CHECK(threads() == 2);
      const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 1);
      whole.execute([&] { CHECK(threads() == 1); });
    });
    CHECK(threads() == 1);
  });
  CHECK(threads() == all);
  const tbb::task_arena attached{tbb::attach()};
  CHECK(attached.is_active() && attached.max_concurrency() == all);
  const tbb::task_arena attached_as_before{tbb::task_arena::attach()};
  CHECK(attached_as_before.is_active());
  const tbb::task_scheduler_handle handle{tbb::attach()};
  CHECK(bool(handle));
}

// In an arena a thread is in no algorithm: its end hands the tasks back.
void giver_in_an_arena_ends() {
  for (int i = 0; i < 4; ++i) {
    tbb::task_group group;
    std::atomic<int> ran{0};
    std::thread([&] {
      tbb::task_arena arena(2);
      arena.execute([&] { group.run([&] { ++ran; }); });
    }).join();
    group.wait();
    CHECK(ran == 1);
  }
}

// A group that is begun in no algorithm, and waited for in another one's task, may be given more.
void waited_for_in_a_task() {
  tbb::task_group outer;
  tbb::task_group inner;
  std::atomic<int> ran{0};
  constexpr int times = 10;
  for (int i = 0; i < times; ++i) {
    for (int n = 0; n < 20; ++n) inner.run([&] { ++ran; });
    outer.run([&] { inner.wait(); });
    outer.wait();
    for (int n = 0; n < 20; ++n) inner.run([&] { ++ran; });
    inner.wait();
  }
  CHECK(ran == times * 40);
}

// A native loop's iteration ends before a group that it gave a task.
void given_in_a_native_loop() {
  for (int i = 0; i < 5; ++i) {
    tbb::task_group group;
    std::atomic<int> ran{0};
    std::function<void()> give = [&] { group.run([&] { ++ran; }); };
    std::function<void()> run_a_loop = [] { tbb::parallel_for(0, 4, [](int) {}); };
    for (std::function<void()>* body : {&give, &run_a_loop}) {
      doall_loop loop{};
      loop.size = sizeof loop;
      loop.iterations = 10;
      loop.context = body;
      loop.body = [](void* context, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                     std::uint32_t) noexcept {
        for (; begin < end; begin += step) (*static_cast<std::function<void()>*>(context))();
        return 0;
      };
      doall_run(&loop);
    }
    group.wait();
    CHECK(ran == 10);
  }
}

// A key's value whose end gives a task, on a thread that ends, in as many rounds of its keys.
tbb::task_group* given_at_an_end = nullptr;
std::atomic<int> ran_at_ends{0};
pthread_key_t key_that_gives;
thread_local int rounds_that_give = 0;

void given_by_a_keys_end() {
  pthread_key_create(&key_that_gives, [](void* value) {
    given_at_an_end->run([] { ++ran_at_ends; });
    if (--rounds_that_give != 0) pthread_setspecific(key_that_gives, value);
  });
  for (int rounds = 1; rounds <= 3; ++rounds) {
    for (const bool has_used_groups : {false, true}) {
      tbb::task_group group;
      given_at_an_end = &group;
      ran_at_ends = 0;
      std::thread([&] {
        if (has_used_groups) use_a_group();
        rounds_that_give = rounds;
        pthread_setspecific(key_that_gives, &group);
      }).join();
      group.wait();
      CHECK(ran_at_ends == rounds);
    }
  }
  pthread_key_delete(key_that_gives);
}

}  // namespace

int main(int, char** argv) {
  const int rounds = argv[1] != nullptr ? std::atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    giver_ends_first();
    giver_ends_then_group();
    task_outlasts_giver();
    giver_lives_on();
    giver_of_many();
    group_of_a_piece();
    context_in_itself();
    first_use_decides();
    shared_by_two();
    cancelled_far_out();
    giver_with_numbers_ends();
    arena_ends_first();
    numbers_of_tasks();
    more_callers_than_numbers();
    one_arena_for_two_threads();
    arenas_in_arenas();
    giver_in_an_arena_ends();
    waited_for_in_a_task();
    given_in_a_native_loop();
    given_by_a_keys_end();
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
