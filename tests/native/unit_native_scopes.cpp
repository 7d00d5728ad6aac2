// doall::thread_scope in an iteration: the loops and groups that the thread starts there have no
// more workers, itself included, while other threads go on with the loop around.
#include <doall/doall.h>
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>

namespace {

// The threads that run something.
class seen_threads {
 public:
  void note() {
    const std::scoped_lock held(lock_);
    threads_.insert(std::this_thread::get_id());
  }
  // Something that lasts, so that thieves come.
  void work() {
    note();
    std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  std::size_t count() const { return threads_.size(); }
  bool has(std::thread::id one) const { return threads_.contains(one); }

 private:
  std::mutex lock_;
  std::set<std::thread::id> threads_;
};

using starts = std::function<void(seen_threads&)>;
constexpr int length = 40;

int run_in_c(void* seen, std::int64_t) {
  static_cast<seen_threads*>(seen)->work();
  return 0;
}

// What an iteration may start.
const std::map<std::string, starts> inner = {
    {"for", [](seen_threads& s) { doall::parallel_for(0, length, [&](int) { s.work(); }); }},
    {"static",
     [](seen_threads& s) {
       doall::parallel_for(0, length, [&](int) { s.work(); }, doall::schedule("static"));
     }},
    {"lbs",
     [](seen_threads& s) {
       doall::parallel_for(0, length, [&](int) { s.work(); }, doall::schedule("lbs"));
     }},
    {"sws",
     [](seen_threads& s) {
       doall::parallel_for(0, length, [&](int) { s.work(); }, doall::schedule("sws"));
     }},
    {"hybrid",
     [](seen_threads& s) {
       doall::parallel_for(0, length, [&](int) { s.work(); }, doall::schedule("hybrid"));
     }},
    {"reduce",
     [](seen_threads& s) {
       const auto one = [&](int) {
         s.work();
         return 1.0;
       };
       EXPECT_EQ(doall::parallel_reduce(0, length, 0.0, one, std::plus<>{}), length);
     }},
    {"group",
     [](seen_threads& s) {
       doall::task_group g;
       for (int i = 0; i < length; ++i) g.run([&] { s.work(); });
       g.wait();
     }},
    {"nest",
     [](seen_threads& s) {
       doall::parallel_for(0, 8, [&](int) {
         s.work();
         doall::parallel_for(0, 5, [&](int) { s.work(); });
       });
     }},
    {"group in a loop",
     [](seen_threads& s) {
       doall::parallel_for(0, 4, [&](int) {
         doall::task_group g;
         for (int i = 0; i < 10; ++i) g.run([&] { s.work(); });
         g.wait();
       });
     }},
    {"C", [](seen_threads& s) { EXPECT_EQ(doall_for(0, length, run_in_c, &s, nullptr), 0); }},
};

class Scopes : public testing::TestWithParam<std::pair<const std::string, starts>> {};

TEST_P(Scopes, LimitWhatAnIterationStarts) {
  const doall::thread_scope team(4);
  for (const int threads : {1, 2, 3}) {
    for (const char* outer : {"auto", "static"}) {
      doall::parallel_for(
          0, 12,
          [&](int) {
            seen_threads seen;
            seen.note();
            const doall::thread_scope few(threads);
            GetParam().second(seen);
            EXPECT_LE(seen.count(), static_cast<std::size_t>(threads)) << outer;
            EXPECT_TRUE(seen.has(std::this_thread::get_id()));
          },
          doall::schedule(outer));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Each, Scopes, testing::ValuesIn(inner), [](const auto& which) {
  std::string name = which.param.first;
  std::ranges::replace(name, ' ', '_');
  return name;
});

TEST(NestedScopes, TheLastOneCounts) {
  const doall::thread_scope team(4);
  doall::parallel_for(0, 8, [&](int) {
    const doall::thread_scope two(2);
    {
      const doall::thread_scope one(1);
      seen_threads seen;
      inner.at("for")(seen);
      EXPECT_EQ(seen.count(), 1U);
      {
        const doall::thread_scope three(3);
        EXPECT_EQ(doall::threads(), 3U);
      }
      seen_threads again;
      inner.at("for")(again);
      EXPECT_EQ(again.count(), 1U);
    }
    seen_threads seen;
    inner.at("for")(seen);
    EXPECT_LE(seen.count(), 2U);
  });
}

// A loop inside one that is limited has no more workers, whatever its own scope says.
TEST(NestedScopes, TheLoopAroundIsTheLimit) {
  const doall::thread_scope team(4);
  doall::parallel_for(0, 8, [&](int) {
    const doall::thread_scope one(1);
    seen_threads seen;
    seen.note();
    doall::parallel_for(0, 4, [&](int) {
      const doall::thread_scope more(4);
      inner.at("for")(seen);
    });
    EXPECT_EQ(seen.count(), 1U);
  });
}

// Memory does not grow with scopes, ended in any way that a program may end them.
TEST(NestedScopes, Recursion) {
  const doall::thread_scope team(4);
  const std::function<int(int)> count = [&](int depth) -> int {
    if (depth == 0) return 1;
    const doall::thread_scope some(1 + depth % 4);
    int left = 0;
    int right = 0;
    doall::parallel_invoke([&] { left = count(depth - 1); }, [&] { right = count(depth - 1); });
    return left + right;
  };
  EXPECT_EQ(
      doall::parallel_reduce(0, 16, 0, [&](int) { return count(8); }, std::plus<>{}), 16 * 256);
}

TEST(NestedScopes, AGroupMayLastLonger) {
  const doall::thread_scope team(4);
  for (int round = 0; round < 5; ++round) {
    doall::parallel_for(0, 8, [&](int) {
      seen_threads seen;
      seen.note();
      std::optional<doall::task_group> group;
      {
        const doall::thread_scope one(1);
        group.emplace();
      }
      const doall::thread_scope two(2);
      for (int i = 0; i < 20; ++i) group->run([&] { seen.note(); });
      group->wait();
      EXPECT_EQ(seen.count(), 1U);
    });
  }
}

// As C programs may: the number stays set for what the thread starts later.
TEST(NestedScopes, NotRestored) {
  for (int round = 0; round < 5; ++round) {
    doall::parallel_for(0, 12, [&](int) {
      doall_set_threads(1);
      seen_threads seen;
      seen.note();
      inner.at("nest")(seen);
      EXPECT_EQ(seen.count(), 1U);
    });
    doall::parallel_for(0, 12, [](int) { doall_set_threads(0); });
  }
  doall_set_threads(0);
}

}  // namespace
