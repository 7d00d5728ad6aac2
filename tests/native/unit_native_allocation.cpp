// A loop allocates nothing once one like it has run.
#include <doall/doall.h>
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <latch>
#include <list>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "support/every_schedule.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define DOALL_OWN_MALLOC 0  // the sanitizer has taken malloc's place
#elif defined(__has_feature)
#define DOALL_OWN_MALLOC !(__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define DOALL_OWN_MALLOC 1
#endif

namespace {

// By any thread; operator new comes here too.
std::atomic<std::uint64_t> allocations{0};
std::atomic<std::uint64_t> releases{0};

// This thread gets no memory.
constinit thread_local bool has_none = false;

}  // namespace

#if DOALL_OWN_MALLOC
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) {
  if (has_none) return nullptr;
  ++allocations;
  return __libc_malloc(size);
}
void free(void* memory) {
  if (memory != nullptr) ++releases;
  __libc_free(memory);
}
void* calloc(std::size_t count, std::size_t size) {
  ++allocations;
  return __libc_calloc(count, size);
}
void* realloc(void* memory, std::size_t size) {
  ++allocations;
  return __libc_realloc(memory, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (has_none) return nullptr;
  ++allocations;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
}
#endif

namespace {

// How often `loop` allocates when it has run a few times already.
template <class Loop>
std::uint64_t allocations_of(Loop loop) {
  for (int warm = 0; warm < 5; ++warm) loop();
  const std::uint64_t before = allocations;
  for (int round = 0; round < 20; ++round) loop();
  return allocations - before;
}

class Allocation : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!DOALL_OWN_MALLOC) GTEST_SKIP() << "the sanitizer has malloc";
    wait_for_workers();
  }

  // Loops do not wait for workers that are still starting, and those allocate.
  static void wait_for_workers() {
    std::mutex lock;
    std::set<std::thread::id> seen;
    while (seen.size() < 3) {
      doall::parallel_for(
          0, 3,
          [&](int) {
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            const std::lock_guard hold(lock);
            seen.insert(std::this_thread::get_id());
          },
          doall::schedule::static_());
    }
  }

  const doall::thread_scope three{3};
  const doall::schedule how{GetParam()};
};

TEST_P(Allocation, NoneInParallelFor) {
  std::atomic<int> calls{0};
  EXPECT_EQ(allocations_of([&] { doall::parallel_for(0, 1000, [&](int) { ++calls; }, how); }), 0U);
  EXPECT_EQ(allocations_of([&] { doall::parallel_for(0, 1000, 3, [&](int) { ++calls; }, how); }),
            0U);
}

TEST_P(Allocation, NoneForASchedulesTextOnTheSpot) {
  const char* text = GetParam().c_str();
  const auto work = [&] { doall::parallel_for(0, 100, [](int) {}, doall::schedule(text)); };
  EXPECT_EQ(allocations_of(work), 0U);
}

// A task that cannot be copied: of a size that fits into the group, and of another one.
template <std::size_t Bytes>
struct fails_to_copy {
  fails_to_copy() = default;
  fails_to_copy(const fails_to_copy&) { throw std::runtime_error("copy"); }
  void operator()() const {}
  std::array<char, Bytes> content{};
};

template <class Task>
void give_in_vain(const Task& task) {
  doall::task_group tasks;
  for (int i = 0; i < 10; ++i) EXPECT_THROW(tasks.run(task), std::runtime_error);
  int ran = 0;
  tasks.run([&] { ++ran; });
  tasks.wait();
  EXPECT_EQ(ran, 1);
}

TEST(AllocationOfTasks, IsGivenBackIfATaskCannotBeCopied) {
  const doall::thread_scope one(1);
  for (int round = 0; round < 6; ++round) {
    const std::uint64_t allocated = allocations;
    const std::uint64_t released = releases;
    give_in_vain(fails_to_copy<8>());
    give_in_vain(fails_to_copy<300>());
    if (round < 5) continue;  // first the thread gets what it keeps
    EXPECT_EQ(allocations - allocated, releases - released);
  }
}

// The first two iterations take long, so the others are to be shared, with more threads than there
// are iterations; but the thread gets no memory, without which nothing can be stolen from it.
TEST(AllocationOfRests, EachIterationRunsOnceWithoutMemory) {
  if (!DOALL_OWN_MALLOC) GTEST_SKIP() << "the sanitizer has malloc";
  std::array<std::atomic<int>, 4> ran{};
  const auto nest = [&](std::chrono::milliseconds each) {
    const doall::thread_scope five(5);
    for (auto& one : ran) one = 0;
    doall::parallel_for(0, 4, [&](int i) {
      ++ran[static_cast<std::size_t>(i)];
      const auto end = std::chrono::steady_clock::now() + each;
      while (each.count() != 0 && std::chrono::steady_clock::now() < end) {
      }
      doall::parallel_for(0, 2, [](int) {});
    });
  };
  for (int round = 0; round < 10; ++round) {
    for (int i = 0; i < 200; ++i) nest({});
    std::thread([&] {
      has_none = true;
      nest(std::chrono::milliseconds(5));
      has_none = false;
    }).join();
    for (const auto& one : ran) ASSERT_EQ(one, 1);
  }
}

TEST(AllocationOfFactories, NoneOnTheSpot) {
  if (!DOALL_OWN_MALLOC) GTEST_SKIP() << "the sanitizer has malloc";
  using doall::schedule;
  const auto body = [](int) {};
  EXPECT_EQ(allocations_of([&] { doall::parallel_for(0, 100, body, schedule::guided(1000, 16)); }),
            0U);
  EXPECT_EQ(allocations_of([&] { doall::parallel_for(0, 100, body, schedule::affinity(3)); }), 0U);
}

TEST_P(Allocation, NoneWithOptions) {
  const std::vector<std::uint64_t> sums(1001);
  const std::stop_source source;
  EXPECT_EQ(allocations_of([&] {
              doall::parallel_for(0, 1000, [](int) {},
                                  {.how = how, .stop = source.get_token(), .costs = sums});
            }),
            0U);
}

TEST_P(Allocation, NoneForCosts) {
  // Also where their sums are made in parallel, and where they have changed.
  for (const int iterations : {1000, 20'000}) {
    std::vector<int> costs(static_cast<std::size_t>(iterations));
    for (int i = 0; i < iterations; ++i) costs[i] = i % 50;
    std::vector<std::uint64_t> sums(costs.size() + 1);
    for (std::size_t i = 0; i < costs.size(); ++i) sums[i + 1] = sums[i] + i % 50;
    doall::cost_table table(doall::weights(costs));
    const auto run = [&](const doall::loop_costs& given) {
      doall::parallel_for(0, iterations, [](int) {}, {.how = how, .costs = given});
    };
    EXPECT_EQ(allocations_of([&] { run(doall::cost([&](int i) { return costs[i] * 0.5; })); }), 0U);
    EXPECT_EQ(allocations_of([&] {
                ++costs[0];
                run(doall::weights(costs));
              }),
              0U);
    EXPECT_EQ(allocations_of([&] { run(sums); }), 0U);
    EXPECT_EQ(allocations_of([&] {
                table.changed();
                run(table);
              }),
              0U);
  }
}

TEST_P(Allocation, NoneInParallelForEach) {
  std::vector<int> v(1000);
  std::list<int> l(1000);
  EXPECT_EQ(allocations_of([&] { doall::parallel_for_each(v, [](int& e) { ++e; }, how); }), 0U);
  EXPECT_EQ(allocations_of([&] { doall::parallel_for_each(l, [](int& e) { ++e; }, how); }), 0U);
}

TEST_P(Allocation, NoneInParallelReduce) {
  struct kilobytes {
    double sum[500] = {};
  };
  EXPECT_EQ(allocations_of([&] {
              doall::parallel_reduce(
                  0, 1000, 0.0, [](int i) { return i * 0.5; }, std::plus<>{}, how);
            }),
            0U);
  EXPECT_EQ(allocations_of([&] {
              doall::parallel_reduce(
                  0, 1000, kilobytes{}, [](doall::range<int>) { return kilobytes{}; },
                  [](const kilobytes& a, const kilobytes&) { return a; }, how);
            }),
            0U);
}

TEST_P(Allocation, NoneInC) {
  const doall_options options{how.raw(), nullptr, nullptr};
  const auto index = [](void*, std::int64_t) { return 0; };
  const auto part = [](void*, std::int64_t, std::int64_t) { return 0; };
  const auto block = [](void*, std::int64_t first, std::int64_t last, void* view) {
    *static_cast<double*>(view) += static_cast<double>(last - first);
    return 0;
  };
  const auto combine = [](void*, void* left, const void* right) {
    *static_cast<double*>(left) += *static_cast<const double*>(right);
  };
  EXPECT_EQ(allocations_of([&] {
              double sum = 0;
              doall_for(0, 1000, index, nullptr, &options);
              doall_for_step(1000, 0, -7, index, nullptr, &options);
              doall_for_range(0, 1000, part, nullptr, &options);
              doall_reduce(0, 1000, &sum, sizeof sum, block, combine, nullptr, &options);
              EXPECT_EQ(sum, 1000);
            }),
            0U);
}

// Threads of which more live than can be stolen from.
TEST(AllocationOfCallers, NoneInTheLastOfThousands) {
  if (!DOALL_OWN_MALLOC) GTEST_SKIP() << "the sanitizer has malloc";
  constexpr int callers = 2'100;
  const auto loop = [] { doall::parallel_for(0, 1000, [](int) {}, doall::schedule("lbs")); };
  std::latch all_have_run(callers);
  std::latch last_has_run(1);
  std::uint64_t allocated = 0;
  std::vector<std::thread> threads;
  for (int c = 0; c < callers; ++c) {
    threads.emplace_back([&] {
      const doall::thread_scope three(3);
      loop();
      all_have_run.count_down();
      last_has_run.wait();
    });
  }
  all_have_run.wait();
  std::thread([&] {
    const doall::thread_scope three(3);
    allocated = allocations_of(loop);
  }).join();
  last_has_run.count_down();
  for (auto& t : threads) t.join();
  EXPECT_EQ(allocated, 0U);
}

TEST(AllocationCount, SeesAllocations) {
  if (!DOALL_OWN_MALLOC) GTEST_SKIP() << "the sanitizer has malloc";
  EXPECT_EQ(allocations_of([] { std::vector<int>(1000).data()[0] = 1; }), 20U);
  EXPECT_EQ(allocations_of([] { std::free(std::aligned_alloc(64, 64)); }), 20U);
}

INSTANTIATE_TEST_SUITE_P(registry, Allocation,
                         testing::ValuesIn(doall::tests::every_schedule_text()),
                         [](const auto& at) {
                           std::string name;
                           for (const char c : at.param) name += std::isalnum(c) ? c : '_';
                           return name;
                         });

}  // namespace
