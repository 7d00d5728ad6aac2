// src/sites/site: each place of the source has one object, which is found again, whoever looks; and
// small loops in turn are none the dearer for each other.
#include "sites/site.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>
#include <doall/doall.hpp>
#include "doall/detail/site_word.hpp"

#include <array>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "sites/site_memory.hpp"
#include "support/repeat.hpp"

namespace doall::team {
namespace {

// Places of the source, unlike those of any other test.
site_key place(std::uint32_t n) {
  static const char codes[1000] = {};
  return {.code = &codes[n % 1000], .file = __FILE__, .line = 1 + n / 1000};
}

TEST(Site, IsOneForEachPlace) {
  loop_site& mine = site_of(place(0));
  EXPECT_TRUE(mine.is_of(place(0)));
  EXPECT_EQ(&site_of(place(0)), &mine);
  site_key other = place(0);
  other.line += 1'000'000;
  EXPECT_NE(&site_of(other), &mine);
  other = place(0);
  other.file = "another";
  EXPECT_NE(&site_of(other), &mine);
  other = place(0);
  other.code = &other;
  EXPECT_NE(&site_of(other), &mine);
}

TEST(Site, IsKeptHoweverManyOthersThereAre) {
  std::vector<loop_site*> sites;
  for (std::uint32_t n = 0; n < 20'000; ++n) {
    sites.push_back(&site_of(place(n)));
    ASSERT_FALSE(sites.back()->is_crowd());
    sites.back()->cost.learn(1, n + 1);
  }
  EXPECT_EQ(std::set(sites.begin(), sites.end()).size(), sites.size());
  for (std::uint32_t n = 0; n < 20'000; ++n) {
    ASSERT_EQ(&site_of(place(n)), sites[n]);
    ASSERT_EQ(sites[n]->cost.serial_ns(1), n + 1);
  }
}

TEST(Site, IsTheSameForAllThreadsThatMeetItFirst) {
  constexpr std::uint32_t first = 100'000;
  constexpr std::uint32_t places = 3000;
  std::array<std::vector<loop_site*>, 4> found;
  std::atomic<unsigned> ready{0};
  {
    std::vector<std::jthread> threads;
    for (auto& mine : found) {
      threads.emplace_back([&] {
        ++ready;
        while (ready < found.size()) std::this_thread::yield();
        for (std::uint32_t n = 0; n < places; ++n) mine.push_back(&site_of(place(first + n)));
      });
    }
  }
  for (const auto& mine : found) EXPECT_EQ(mine, found[0]);
}

// A loop as a compiler describes it that gave it a static.
class told_loop {
 public:
  explicit told_loop(std::uint32_t line) {
    loop_.size = sizeof loop_;
    loop_.body = [](void*, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) {
      return 0;
    };
    loop_.file = __FILE__;
    loop_.line = line;
    loop_.site = &site_;
  }
  loop_site& find() { return site_of(loop_); }
  std::uint32_t number() const { return told().number(); }
  void set_number(std::uint32_t to) { site_.word = told().with_number(to).raw(); }
  bool is_right(const loop_site& found) const { return found.is_of(key_of(loop_)); }

 private:
  doall::detail::site_word told() const { return doall::detail::site_word(site_.word); }

  doall_site site_{};
  doall_loop loop_{};
};

TEST(Site, IsRememberedInTheLoopsStatic) {
  told_loop loop(1);
  loop_site& first = loop.find();
  EXPECT_NE(loop.number(), 0U);
  EXPECT_TRUE(loop.is_right(first));
  EXPECT_EQ(&loop.find(), &first);
}

// As after the library was loaded again, or where lines share a static.
TEST(Site, IsNotWhatAStaticSaysWrongly) {
  told_loop one(2);
  told_loop other(3);
  loop_site& first = one.find();
  loop_site& second = other.find();
  for (const std::uint32_t wrong : {other.number(), count_sites() + 1, ~0U, 0U}) {
    one.set_number(wrong);
    EXPECT_EQ(&one.find(), &first) << wrong;
  }
  EXPECT_EQ(&other.find(), &second);
}

TEST(SiteWord, HasItsPartsSideBySide) {
  using doall::detail::site_word;
  const site_word word = site_word().with_number(77).with_grain(100).with_plain(3'000);
  EXPECT_EQ(word.number(), 77U);
  EXPECT_EQ(word.grain(), 128U) << "the nearest power of two";
  EXPECT_EQ(word.longest_plain(), 3'000U);
  EXPECT_TRUE(word.is_known());
  EXPECT_FALSE(word.nests());
  EXPECT_TRUE(word.is_one_piece(128));
  EXPECT_FALSE(word.is_one_piece(129));
  const site_word nest = word.with_nests();
  EXPECT_TRUE(nest.nests());
  EXPECT_FALSE(nest.is_one_piece(1));
  EXPECT_EQ(nest.grain(), 1U);
  EXPECT_EQ(nest.number(), 77U);
  EXPECT_EQ(nest.longest_plain(), 3'000U);
  EXPECT_FALSE(site_word().is_known());
}

TEST(SiteWord, HasGrainsOfPowersOfTwo) {
  using doall::detail::site_word;
  for (const auto& [indices, grain] : {std::pair{1ULL, 1ULL},
                                       {2, 2},
                                       {3, 4},
                                       {5, 4},
                                       {6, 8},
                                       {11, 8},
                                       {12, 16},
                                       {1ULL << 63, 1ULL << 63},
                                       {~0ULL, 1ULL << 63}}) {
    EXPECT_EQ(site_word().with_grain(indices).grain(), grain) << indices;
  }
}

TEST(SiteWord, TakesTheMostForMore) {
  using doall::detail::site_word;
  EXPECT_EQ(site_word().with_plain(~0ULL).longest_plain(), 0xffffffffU);
  EXPECT_EQ(site_word().with_plain(~0ULL).number(), 0U);
  EXPECT_LT(doall::team::most_sites, 1U << 24);
}

TEST(Site, IsThereInTheChildOfAFork) {
  loop_site& mine = site_of(place(7));
  mine.cost.learn(1, 77);
  const pid_t child = fork();
  if (child == 0) {
    const bool same = &site_of(place(7)) == &mine && mine.cost.known();
    const bool more = site_of(place(900'007)).is_of(place(900'007));
    _exit(same && more ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// Small loops of one body, on so many lines.
class small_loops {
 public:
  small_loops(std::uint32_t first_line, std::uint32_t sites)
      : first_line_(first_line), sites_(sites) {}

  void run(int rounds) {
    doall_loop loop{};
    loop.size = sizeof loop;
    loop.iterations = 10;
    loop.context = this;
    loop.file = __FILE__;
    loop.body = [](void* self, std::uint64_t, std::uint64_t, std::uint64_t, std::uint32_t) {
      ++static_cast<small_loops*>(self)->calls_;
      return 0;
    };
    for (int round = 0; round < rounds; ++round) {
      for (std::uint32_t s = 0; s < sites_; ++s) {
        loop.line = first_line_ + s;
        keys_[s % keys_.size()] = key_of(loop);
        ASSERT_EQ(doall_run(&loop), 0);
      }
    }
  }

  // Of its body: one a loop, unless that is probed or shared.
  std::uint64_t calls() const { return calls_; }
  std::uint64_t timings() const {
    std::set<const loop_site*> all;
    for (const site_key& key : keys_) all.insert(&site_of(key));
    std::uint64_t sum = 0;
    for (const loop_site* s : all) sum += s->cost.timings();
    return sum;
  }

 private:
  std::uint32_t first_line_;
  std::uint32_t sites_;
  std::atomic<std::uint64_t> calls_{0};
  std::vector<site_key> keys_ = std::vector<site_key>(sites_);
};

void expect_neither_probed_nor_timed_often(std::uint32_t first_line, std::uint32_t sites) {
  const thread_scope team(2);
  small_loops loops(first_line, sites);
  loops.run(10);
  constexpr int rounds = 160;
  const std::uint64_t calls_before = loops.calls();
  const std::uint64_t timings_before = loops.timings();
  loops.run(rounds);
  const std::uint64_t runs = std::uint64_t{sites} * rounds;
  // A thread that is preempted in two timings running makes a loop look long.
  EXPECT_LE(loops.calls() - calls_before, runs + runs / 10) << sites;
  EXPECT_LE(loops.timings() - timings_before, runs / 8 + 2) << sites;
}

TEST(SmallLoopsInTurnTimed, AreNeitherProbedNorTimedOften) {
  if (doall_threads() < 2) GTEST_SKIP() << "one worker shares nothing";
  std::uint32_t line = 1'000'000;
  for (const std::uint32_t sites : {1, 2, 10, 100, 1000}) {
    tests::repeat_while_disturbed([&] {
      expect_neither_probed_nor_timed_often(line, sites);
      line += sites;
    });
  }
}

// The last test: it leaves no site for others.
TEST(Sites, BeyondTheMostSitesAreJudgedTogether) {
  for (std::uint32_t n = 1'000'000; count_sites() < most_sites; ++n) site_of(place(n));
  loop_site& known = site_of(place(0));
  EXPECT_TRUE(known.is_of(place(0))) << "those that were there are found";
  EXPECT_FALSE(known.is_crowd());
  loop_site& beyond = site_of(place(10'000'000));
  EXPECT_TRUE(beyond.is_crowd());
  EXPECT_EQ(&site_of(place(10'000'000)), &beyond);
  std::set<const loop_site*> crowd;
  for (std::uint32_t n = 0; n < 10'000; ++n) crowd.insert(&site_of(place(10'000'000 + n)));
  EXPECT_LE(crowd.size(), crowd_sites);
  EXPECT_GE(crowd.size(), crowd_sites / 2);
  EXPECT_EQ(count_sites(), most_sites);
  const schedules::spec remembering{schedules::find("tapering"), {}};
  EXPECT_EQ(borrow_memory(place(10'000'000), remembering, 2), nullptr) << "others would find it";
}

// After it, for the sites are used up.
TEST(SmallLoopsOfACrowdTimed, AreNeitherProbedNorTimedOften) {
  if (doall_threads() < 2) GTEST_SKIP() << "one worker shares nothing";
  for (std::uint32_t n = 1'000'000; count_sites() < most_sites; ++n) site_of(place(n));
  tests::repeat_while_disturbed([] { expect_neither_probed_nor_timed_often(2'000'000, 1000); });
}

}  // namespace
}  // namespace doall::team
