// doall::worker_index and doall::per_worker.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <barrier>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

TEST(WorkerIndex, IsOneThreadsAndConstant) {
  constexpr int threads = 100;  // more than a row of places
  std::array<std::uint32_t, threads> seen{};
  std::barrier all_have_one(threads);
  std::vector<std::jthread> made;
  for (int t = 0; t < threads; ++t) {
    made.emplace_back([&, t] {
      seen[t] = doall::worker_index();
      all_have_one.arrive_and_wait();
      EXPECT_EQ(doall::worker_index(), seen[t]);
    });
  }
  made.clear();
  const std::set<std::uint32_t> different(seen.begin(), seen.end());
  EXPECT_EQ(different.size(), seen.size());
}

TEST(WorkerIndex, OfAThreadThatEndedIsUsedAgain) {
  doall::worker_index();
  std::uint32_t most = 0;
  for (int i = 0; i < 1000; ++i) {
    std::jthread([&] { most = std::max(most, doall::worker_index()); });
  }
  EXPECT_LT(most, 500U);
}

TEST(WorkerIndex, InTheChildOfAForkIsTheForkingThreads) {
  const std::uint32_t mine = doall::worker_index();
  const pid_t child = fork();
  if (child == 0) {
    std::uint32_t other = mine;
    std::jthread([&] { other = doall::worker_index(); }).join();
    _exit(doall::worker_index() == mine && other != mine && other <= 1 ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// Two threads' values in one line would be passed to and fro with each addition.
TEST(PerWorker, ValuesHaveCacheLinesOfTheirOwn) {
  const auto of_line = [](const auto& value) {
    return reinterpret_cast<std::uintptr_t>(&value) % 128;
  };
  doall::per_worker<char> small;
  doall::per_worker<std::array<int, 100>> large;
  for (int t = 0; t < 4; ++t) {
    std::jthread([&] {
      EXPECT_EQ(of_line(small.local()), 0U);
      EXPECT_EQ(of_line(large.local()), 0U);
    }).join();
  }
}

TEST(PerWorker, CombinesWhatEveryWorkerAdded) {
  doall::per_worker<long> sums;
  doall::parallel_for(0, 100000, [&](int i) { sums.local() += i; });
  EXPECT_EQ(sums.combine(std::plus<>()), 99999L * 100000 / 2);
  EXPECT_GE(sums.size(), 1U);
  EXPECT_LE(sums.size(), doall_threads());
}

TEST(PerWorker, MakesValuesAsItWasTold) {
  doall::per_worker<std::string> copies(std::string("x"));
  copies.local() += "y";
  EXPECT_EQ(copies.local(), "xy");
  std::atomic<int> made{0};
  doall::per_worker<std::vector<int>> vectors([&] {
    ++made;
    return std::vector<int>(3, 7);
  });
  EXPECT_EQ(vectors.size(), 0U);
  EXPECT_EQ(vectors.combine([](auto a, const auto&) { return a; }), std::vector<int>(3, 7));
  EXPECT_EQ(made, 1);  // for nobody
  EXPECT_EQ(vectors.local().size(), 3U);
  EXPECT_EQ(made, 2);
  vectors.clear();
  EXPECT_EQ(vectors.size(), 0U);
}

// Values that cannot be copied or moved, and that many threads ask for at once.
TEST(PerWorker, KeepsValuesApart) {
  doall::per_worker<std::atomic<int>> counts;
  constexpr int threads = 200;
  std::barrier all_are_there(threads);
  std::vector<std::jthread> made;
  for (int t = 0; t < threads; ++t) {
    made.emplace_back([&] {
      all_are_there.arrive_and_wait();
      for (int i = 0; i < 100; ++i) counts.local()++;
      all_are_there.arrive_and_wait();
    });
  }
  made.clear();
  int values = 0;
  counts.for_each([&](const std::atomic<int>& count) {
    ++values;
    EXPECT_EQ(count, 100);
  });
  EXPECT_EQ(values, threads);
  EXPECT_EQ(counts.size(), threads);
}

TEST(PerWorker, ThrowsWhatMakingAValueThrows) {
  doall::per_worker<int> none([]() -> int { throw std::runtime_error("no value"); });
  EXPECT_THROW(doall::parallel_for(0, 10, [&](int) { none.local() = 1; }), std::runtime_error);
  EXPECT_EQ(none.size(), 0U);
}

}  // namespace
