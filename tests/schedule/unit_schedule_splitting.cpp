// The rules of the splitting schedules: what each decides, the example of LBS's sections 2.2 and 3
// step by step, and Table 1 of section 3.1, on workers whose deques and thieves are scripted.
// Their flat form is unit_schedule_flat_splitting.cpp's.

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "schedule/grammar.hpp"
#include "schedule/splitting.hpp"

namespace doall::schedules {
namespace {

constexpr loop_shape alone{16, 1};

// A schedule's rule, as the engine has it.
class rule {
 public:
  rule(std::string_view text, split_context loop) {
    const parse_result parsed = parse(text);
    EXPECT_TRUE(parsed) << parsed.error;
    loop.given = parsed.value.given;
    does_ = parsed.value.which->splits;
    does_->construct(storage_.data(), loop);
  }
  explicit rule(std::string_view text) : rule(text, {.shape = alone}) {}

  step decide(const part& hand, bool deque_is_empty) const {
    return does_->decide(storage_.data(), hand, deque_is_empty);
  }
  u64 popped(const part& own) const { return does_->popped(storage_.data(), own); }
  part stolen(const part& taken) const { return does_->stolen(storage_.data(), taken); }
  part whole(u64 iterations) const { return does_->whole(storage_.data(), iterations); }
  // What follows the first `keep` iterations, which stay.
  part cut(u64 keep, part& kept) const {
    part rest;
    does_->cut(storage_.data(), keep, kept, rest);
    return rest;
  }

 private:
  const splitting_operations* does_;
  alignas(8) std::array<std::byte, rule_bytes> storage_;
};

constexpr bool empty = true;
constexpr bool not_empty = false;

constexpr step running(u64 n) { return {step::kind::run, n}; }
constexpr step pushing_all_but(u64 n) { return {step::kind::push, n}; }

TEST(Lbs, SplitsWhatIsLongerThanPptWhenItsDequeIsEmpty) {
  const rule lbs("lbs,4");
  EXPECT_EQ(lbs.decide({0, 16}, empty), pushing_all_but(8));
  EXPECT_EQ(lbs.decide({0, 16}, not_empty), running(4));
  EXPECT_EQ(lbs.decide({3, 8}, empty), pushing_all_but(2));
  EXPECT_EQ(lbs.decide({0, 4}, empty), running(4));
  EXPECT_EQ(lbs.decide({0, 3}, not_empty), running(3));
}

TEST(Lbs, TakesPptFromWhatTheLoopWasMeasuredToTake) {
  const rule measured("lbs", {.shape = alone, .worth = 5});
  EXPECT_EQ(measured.decide({0, 16}, not_empty), running(5));
  const rule given("lbs,2", {.shape = alone, .worth = 5});
  EXPECT_EQ(given.decide({0, 16}, not_empty), running(2));
}

TEST(Lbs, TakesBackHalfOfWhatIsWorthSplitting) {
  const rule lbs("lbs,4");
  EXPECT_EQ(lbs.popped({0, 16}), 8U);
  EXPECT_EQ(lbs.popped({0, 7}), 3U);
  EXPECT_EQ(lbs.popped({0, 4}), 4U);
}

TEST(LbsPlus, RunsAShortLoopWhole) {
  const rule sharing("lbs+,4");
  EXPECT_EQ(sharing.decide({0, 16}, empty), pushing_all_but(8));
  EXPECT_EQ(sharing.decide({0, 16}, not_empty), running(4));
  const rule short_loop("lbs+,4", {.shape = alone, .too_short = true});
  EXPECT_EQ(short_loop.decide({0, 16}, empty), running(16));
  EXPECT_EQ(short_loop.decide({0, 16}, not_empty), running(16));
}

TEST(SerialInner, RunsAnInnerLoopWholeAndAnOuterOneByOne) {
  const rule inner("serial-inner", {.shape = alone, .worth = 5, .nested = true});
  EXPECT_EQ(inner.decide({0, 16}, empty), running(16));
  const rule outer("serial-inner", {.shape = alone, .worth = 5});
  EXPECT_EQ(outer.decide({0, 16}, empty), pushing_all_but(8));
  EXPECT_EQ(outer.decide({0, 16}, not_empty), running(1));
}

TEST(Sws, KeepsOneIterationWhateverItsDequeHolds) {
  const rule sws("sws");
  for (const bool deque : {empty, not_empty}) {
    EXPECT_EQ(sws.decide({0, 16}, deque), pushing_all_but(1));
    EXPECT_EQ(sws.decide({7, 8}, deque), running(1));
  }
  EXPECT_EQ(sws.popped({0, 16}), 1U);
  EXPECT_EQ(sws.popped({0, 1}), 1U);
}

TEST(EbsSimple, SplitsWhateverItsDequeHolds) {
  const rule by_threes("ebs-simple,3");
  for (const bool deque : {empty, not_empty}) {
    EXPECT_EQ(by_threes.decide({0, 16}, deque), pushing_all_but(8));
    EXPECT_EQ(by_threes.decide({0, 5}, deque), pushing_all_but(2));
    EXPECT_EQ(by_threes.decide({0, 3}, deque), running(3));
  }
  EXPECT_EQ(by_threes.popped({0, 16}), 8U);
  EXPECT_EQ(by_threes.popped({0, 3}), 3U);
  EXPECT_EQ(rule("ebs-simple").decide({0, 2}, empty), pushing_all_but(1));
}

TEST(EbsAuto, BeginsWithKPChunks) {
  EXPECT_EQ(rule("ebs-auto", {.shape = {1000, 8}}).whole(1000), (part{0, 1000, 32}));
  EXPECT_EQ(rule("ebs-auto,1,4", {.shape = {1000, 8}}).whole(1000), (part{0, 1000, 8}));
  EXPECT_EQ(rule("ebs-auto,18446744073709551615", {.shape = {1000, 8}}).whole(9).chunks,
            base::u64_max);
}

TEST(EbsAuto, SplitsWhatIsMoreThanAChunk) {
  const rule automatic("ebs-auto");
  EXPECT_EQ(automatic.decide({0, 100, 2}, not_empty), pushing_all_but(50));
  EXPECT_EQ(automatic.decide({0, 100, 1}, empty), running(100));
  EXPECT_EQ(automatic.decide({0, 100, 0}, empty), running(100));
  EXPECT_EQ(automatic.decide({0, 1, 7}, empty), running(1));
}

TEST(EbsAuto, HalvesChunksWithTheirPart) {
  const rule automatic("ebs-auto");
  part even{0, 100, 8};
  EXPECT_EQ(automatic.cut(50, even), (part{50, 100, 4}));
  EXPECT_EQ(even, (part{0, 50, 4}));
  part odd{0, 100, 5};
  EXPECT_EQ(automatic.cut(50, odd), (part{50, 100, 2}));
  EXPECT_EQ(odd, (part{0, 50, 3}));
}

TEST(EbsAuto, CutsWhatIsStolenIntoVChunksAtLeast) {
  const rule automatic("ebs-auto,4,6");
  EXPECT_EQ(automatic.stolen({0, 100, 1}), (part{0, 100, 6}));
  EXPECT_EQ(automatic.stolen({0, 100, 8}), (part{0, 100, 8}));
  EXPECT_EQ(rule("ebs-auto").stolen({0, 100, 1}), (part{0, 100, 4}));
}

TEST(EveryRule, LeavesChunksAndTheftToEbsAuto) {
  for (const entry& e : registry()) {
    if (!e.has(splitting) || e.name == "ebs-auto") continue;
    const rule r(e.name);
    EXPECT_EQ(r.whole(9), (part{0, 9})) << e.name;
    EXPECT_EQ(r.stolen({3, 9}), (part{3, 9})) << e.name;
    part kept{3, 9};
    EXPECT_EQ(r.cut(2, kept), (part{5, 9})) << e.name;
    EXPECT_EQ(kept, (part{3, 5})) << e.name;
  }
}

// Deciding again and again ends, and runs each iteration once, whatever the deque holds.
TEST(EveryRule, RunsAllOfAPart) {
  for (const entry& e : registry()) {
    if (!e.has(splitting)) continue;
    for (const u64 n : {u64{1}, u64{2}, u64{3}, u64{7}, u64{64}, u64{1000}}) {
      const rule r(e.name, {.shape = {n, 3}, .worth = 5});
      std::vector<part> deque;
      part hand = r.whole(n);
      u64 next = 0;
      for (u64 steps = 0; next < n; ++steps) {
        ASSERT_LE(steps, 4 * n) << e.name;
        if (hand.size() == 0) {
          ASSERT_FALSE(deque.empty()) << e.name;
          hand = deque.back();
          deque.pop_back();
        }
        const step s = r.decide(hand, deque.empty());
        ASSERT_GE(s.keep, 1U) << e.name;
        if (s.what == step::kind::push) {
          ASSERT_LT(s.keep, hand.size()) << e.name;
          deque.push_back(r.cut(s.keep, hand));
          continue;
        }
        ASSERT_LE(s.keep, hand.size()) << e.name;
        ASSERT_EQ(hand.begin, next) << e.name;
        next = hand.begin += s.keep;
      }
      EXPECT_TRUE(deque.empty()) << e.name;
    }
  }
}

// A worker whose every step is asked for, with a deque of its own.
class scripted_worker {
 public:
  // What the papers count (LBS, section 3.1).
  struct counts {
    u64 transactions = 0;
    u64 ends = 0;  // synchronisation points
  };

  // Below what it pushes there are parts of other loops in its deque, which nobody takes.
  scripted_worker(const rule& how, counts& done, bool deque_holds_others = false)
      : how_(how), done_(done), deque_holds_others_(deque_holds_others) {}

  void meet(u64 first, u64 last) {
    hand_ = how_.whole(last + 1 - first);
    hand_.begin += first;
    hand_.end += first;
  }

  // Whether there was something.
  bool steal_from(scripted_worker& victim) {
    if (victim.deque_.empty()) return false;
    ++done_.transactions;
    hand_ = how_.stolen(victim.deque_.front());
    victim.deque_.pop_front();
    return true;
  }

  // The next thing that it does, iterations counted as the paper does. Empty: it has no more.
  std::string act() {
    if (hand_.size() == 0) {
      ++done_.ends;
      return take_back();
    }
    const step s = how_.decide(hand_, deque_.empty() && !deque_holds_others_);
    if (s.what == step::kind::run) {
      const part run{hand_.begin, hand_.begin + s.keep};
      hand_.begin = run.end;
      return "runs " + text_of(run);
    }
    ++done_.transactions;
    deque_.push_back(how_.cut(s.keep, hand_));
    return "pushes " + text_of(deque_.back());
  }

 private:
  static std::string text_of(const part& p) {
    return p.size() == 1 ? std::to_string(p.begin)
                         : std::to_string(p.begin) + "-" + std::to_string(p.end - 1);
  }

  std::string take_back() {
    if (deque_.empty()) return {};
    ++done_.transactions;
    hand_ = deque_.back();
    deque_.pop_back();
    const u64 keep = how_.popped(hand_);
    if (keep == hand_.size()) return "pops " + text_of(hand_);
    deque_.push_back(how_.cut(keep, hand_));
    return "pops " + text_of(hand_) + " of " + text_of({hand_.begin, deque_.back().end});
  }

  const rule& how_;
  counts& done_;
  bool deque_holds_others_;
  part hand_;
  std::deque<part> deque_;
};

TEST(Lbs, DoesWhatThePapersExampleDoes) {
  const rule lbs("lbs,1");
  scripted_worker::counts none;
  scripted_worker a(lbs, none);
  scripted_worker b(lbs, none);
  a.meet(1, 16);
  EXPECT_EQ(a.act(), "pushes 9-16");
  EXPECT_EQ(a.act(), "runs 1");
  EXPECT_TRUE(b.steal_from(a));
  EXPECT_EQ(b.act(), "pushes 13-16");
  EXPECT_EQ(b.act(), "runs 9");
  EXPECT_EQ(a.act(), "pushes 5-8");
  EXPECT_EQ(a.act(), "runs 2");
  for (const char* doing : {"runs 10", "runs 11", "runs 12"}) EXPECT_EQ(b.act(), doing);
  for (const char* doing : {"runs 3", "runs 4"}) EXPECT_EQ(a.act(), doing);
  EXPECT_EQ(a.act(), "pops 5-6 of 5-8");
  EXPECT_EQ(a.act(), "runs 5");
  EXPECT_EQ(b.act(), "pops 13-14 of 13-16");
  EXPECT_EQ(b.act(), "runs 13");
}

// "Note that SP and AP would have continued splitting the TD and pushing TDs with 4, 2, ...
// iterations before doing some actual work."
TEST(EbsSimple, DoesWhatThePapersExampleSaysOfIt) {
  const rule eager("ebs-simple");
  scripted_worker::counts none;
  scripted_worker a(eager, none);
  a.meet(1, 16);
  for (const char* doing : {"pushes 9-16", "pushes 5-8", "pushes 3-4", "pushes 2", "runs 1"}) {
    EXPECT_EQ(a.act(), doing);
  }
}

// Section 2.2.
TEST(Sws, DoesWhatThePapersExampleDoes) {
  const rule sws("sws");
  scripted_worker::counts none;
  scripted_worker a(sws, none);
  scripted_worker b(sws, none);
  a.meet(1, 16);
  EXPECT_EQ(a.act(), "pushes 2-16");
  EXPECT_EQ(a.act(), "runs 1");
  EXPECT_TRUE(b.steal_from(a));
  EXPECT_EQ(b.act(), "pushes 3-16");
  EXPECT_EQ(b.act(), "runs 2");
  EXPECT_EQ(a.act(), "") << "its deque is empty";
  EXPECT_TRUE(a.steal_from(b));
  EXPECT_EQ(a.act(), "pushes 4-16");
  EXPECT_EQ(a.act(), "runs 3");
}

// Table 1: a loop of N iterations is met with idle workers that steal every part at once, or with
// none, the deque being empty or not.
enum class situation { worst, intermediate, best };

scripted_worker::counts counts_of(std::string_view text, loop_shape shape, situation when) {
  const rule how(text, {.shape = shape});
  scripted_worker::counts done;
  std::deque<scripted_worker> workers;  // which keep their places
  workers.emplace_back(how, done, when == situation::best);
  workers.front().meet(1, shape.iterations);
  for (std::size_t w = 0; w < workers.size(); ++w) {
    while (!workers[w].act().empty()) {
      if (when != situation::worst) continue;
      scripted_worker thief(how, done);
      if (thief.steal_from(workers[w])) workers.push_back(thief);
    }
  }
  return done;
}

void expect_counts(std::string_view text, loop_shape shape, situation when, u64 transactions,
                   u64 ends) {
  const auto done = counts_of(text, shape, when);
  EXPECT_EQ(done.transactions, transactions) << text << " case " << static_cast<int>(when);
  EXPECT_EQ(done.ends, ends) << text << " case " << static_cast<int>(when);
}

TEST(Table1, OfLbsAndSp) {
  constexpr u64 n = 1024;
  for (const u64 t : {u64{1}, u64{4}, u64{32}}) {
    const std::string lbs = "lbs," + std::to_string(t);
    const std::string sp = "ebs-simple," + std::to_string(t);
    const u64 parts = n / t;
    const u64 log = static_cast<u64>(std::countr_zero(parts));
    expect_counts(lbs, {n, 64}, situation::worst, 2 * (parts - 1), parts);
    expect_counts(lbs, {n, 64}, situation::intermediate, log + 1, log + 1);
    expect_counts(lbs, {n, 64}, situation::best, 0, 1);
    expect_counts(sp, {n, 64}, situation::worst, 2 * (parts - 1), parts);
    expect_counts(sp, {n, 64}, situation::intermediate, 3 * parts / 2 - 1, parts);
    expect_counts(sp, {n, 64}, situation::best, 3 * parts / 2 - 1, parts);
  }
}

TEST(Table1, OfAp) {
  constexpr u64 n = 1024;
  for (const u64 k : {u64{1}, u64{4}}) {
    const std::string ap = "ebs-auto," + std::to_string(k) + ",4";
    const u64 chunks = k * 64;
    // The worst case is one of as few iterations as workers.
    expect_counts(ap, {64, 64}, situation::worst, 2 * (64 - 1), 64);
    expect_counts(ap, {n, 64}, situation::intermediate, 3 * chunks / 2 - 1, chunks);
    expect_counts(ap, {n, 64}, situation::best, 3 * chunks / 2 - 1, chunks);
  }
  // K P parts also where that is no power of two.
  EXPECT_EQ(counts_of("ebs-auto,4", {n, 5}, situation::intermediate).ends, 20U);
}

TEST(Table1, OfSws) {
  constexpr u64 n = 1024;
  expect_counts("sws", {n, 64}, situation::worst, 2 * (n - 1), n);
  expect_counts("sws", {n, 64}, situation::intermediate, n, n);
  expect_counts("sws", {n, 64}, situation::best, n, n);
}

}  // namespace
}  // namespace doall::schedules
