// Loops inside of the parts that for_each_domain() gives to domains, of which there are two
// with three workers each, as far as doall knows.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>

#include "support/every_schedule.hpp"
#include "support/file_environment.hpp"

namespace {

constexpr std::uint32_t domains = 2;
constexpr std::uint32_t workers_a_domain = 3;

const doall::tests::file_environment set(__FILE__, "DOALL_DOMAINS", "3,3");

const auto one_block_each = doall::schedule("static");

TEST(Domains, HaveAPartEach) {
  const doall::thread_scope all(domains * workers_a_domain);
  std::array<std::atomic<int>, domains> parts{};
  std::array<std::thread::id, domains> threads;
  doall::for_each_domain([&](std::uint32_t d, std::uint32_t n) {
    ASSERT_EQ(n, domains);
    parts.at(d)++;
    threads.at(d) = std::this_thread::get_id();
  });
  for (const auto& count : parts) EXPECT_EQ(count, 1);
  EXPECT_EQ(threads[0], std::this_thread::get_id());
  EXPECT_NE(threads[1], threads[0]);
}

TEST(Domains, RunTheirLoopsOnWorkersOfTheirOwn) {
  const doall::thread_scope all(domains * workers_a_domain);
  // A worker may come late and be stood in for, so who is seen over many loops counts.
  std::array<std::set<std::thread::id>, domains> seen;
  std::mutex seeing;
  for (int round = 0; round < 200; ++round) {
    std::array<std::atomic<int>, domains> sums{};
    doall::for_each_domain([&](std::uint32_t d, std::uint32_t) {
      for (int loop = 0; loop < 3; ++loop) {
        doall::parallel_for(
            0, 30,
            [&](int i) {
              sums.at(d) += i;
              const std::lock_guard hold(seeing);
              seen.at(d).insert(std::this_thread::get_id());
            },
            one_block_each);
      }
    });
    for (const auto& sum : sums) ASSERT_EQ(sum, 3 * 435);
  }
  for (const auto& of_domain : seen) EXPECT_LE(of_domain.size(), workers_a_domain);
  for (const auto& thread : seen[0]) EXPECT_FALSE(seen[1].contains(thread));
}

TEST(Domains, RunEveryScheduleInside) {
  const doall::thread_scope all(domains * workers_a_domain);
  for (const std::string& name : doall::tests::every_schedule_text()) {
    const doall::schedule how(name);
    std::array<std::array<std::atomic<int>, 50>, domains> runs{};
    doall::for_each_domain([&](std::uint32_t d, std::uint32_t) {
      doall::parallel_for(0, 50, [&](int i) { runs.at(d).at(i)++; }, how);
    });
    for (const auto& of_domain : runs) {
      for (const auto& count : of_domain) ASSERT_EQ(count, 1) << name;
    }
  }
}

TEST(Domains, ReduceInside) {
  const doall::thread_scope all(domains * workers_a_domain);
  for (const auto order : {doall::reduce_order::fixed, doall::reduce_order::any}) {
    std::array<std::string, domains> texts;
    doall::for_each_domain([&](std::uint32_t d, std::uint32_t) {
      texts.at(d) =
          doall::parallel_reduce(0, 10, std::string(), [](int i) { return std::to_string(i); },
                                 std::plus<>(), {.how = one_block_each, .order = order});
    });
    for (const auto& text : texts) EXPECT_EQ(text, "0123456789");
  }
}

TEST(Domains, InsideOfALoopAreOne) {
  const doall::thread_scope all(domains * workers_a_domain);
  std::atomic<int> parts{0};
  doall::parallel_for(
      0, 12,
      [&](int) {
        doall::for_each_domain([&](std::uint32_t d, std::uint32_t n) {
          EXPECT_EQ(d, 0U);
          EXPECT_EQ(n, 1U);
          parts++;
        });
      },
      doall::schedule("dynamic"));
  EXPECT_EQ(parts, 12);
}

TEST(Domains, InsideOfAPartAreOneAndLeaveItItsWorkers) {
  const doall::thread_scope all(domains * workers_a_domain);
  for (int round = 0; round < 300; ++round) {
    std::array<std::atomic<int>, domains> sums{};
    doall::for_each_domain([&](std::uint32_t d, std::uint32_t) {
      const auto add = [&](int i) { sums.at(d) += i; };
      const auto alone = [](std::uint32_t, std::uint32_t n) { EXPECT_EQ(n, 1U); };
      doall::for_each_domain([&](std::uint32_t, std::uint32_t n) {
        EXPECT_EQ(n, 1U);
        doall::parallel_for(0, 30, add, one_block_each);
      });
      const auto add_and_nest = [&](int i) {
        add(i);
        doall::for_each_domain(alone);
      };
      doall::parallel_for(0, 30, add_and_nest, one_block_each);
      {
        const doall::thread_scope one(1);
        doall::for_each_domain(alone);
      }
      doall::parallel_for(0, 30, add, one_block_each);
    });
    for (const auto& sum : sums) ASSERT_EQ(sum, 3 * 435);
  }
}

// What the parts take and give back is not the pool, which another caller would be lent.
TEST(Domains, KeepTheirWorkersFromOtherCallers) {
  const doall::thread_scope all(domains * workers_a_domain);
  std::atomic<bool> ends{false};
  std::atomic<int> wrong{0};
  std::thread other([&] {
    const doall::thread_scope of_other(domains * workers_a_domain);
    while (!ends) {
      std::atomic<int> sum{0};
      doall::parallel_for(0, 30, [&](int i) { sum += i; }, one_block_each);
      if (sum != 435) wrong++;
    }
  });
  for (int round = 0; round < 500; ++round) {
    std::array<std::atomic<int>, domains> sums{};
    std::atomic<std::uint32_t> parts{0};
    doall::for_each_domain([&](std::uint32_t d, std::uint32_t n) {
      parts = n;
      const auto add_and_nest = [&](int i) {
        sums.at(d) += i;
        doall::for_each_domain([](std::uint32_t, std::uint32_t) {});
      };
      doall::parallel_for(0, 30, add_and_nest, one_block_each);
      doall::parallel_for(0, 30, add_and_nest, one_block_each);
    });
    for (std::uint32_t d = 0; d < parts; ++d) EXPECT_EQ(sums.at(d), 2 * 435);
  }
  ends = true;
  other.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Domains, OfASmallTeamAreOne) {
  const doall::thread_scope few(workers_a_domain);
  doall::for_each_domain([&](std::uint32_t, std::uint32_t n) { EXPECT_EQ(n, 1U); });
}

TEST(Domains, HandOnAnException) {
  const doall::thread_scope all(domains * workers_a_domain);
  for (std::uint32_t thrower = 0; thrower < domains; ++thrower) {
    EXPECT_THROW(doall::for_each_domain([&](std::uint32_t d, std::uint32_t) {
                   if (d == thrower) throw std::runtime_error("domain");
                 }),
                 std::runtime_error);
  }
  std::atomic<int> sum{0};
  doall::parallel_for(0, 100, [&](int i) { sum += i; }, one_block_each);
  EXPECT_EQ(sum, 4950);
}

}  // namespace
