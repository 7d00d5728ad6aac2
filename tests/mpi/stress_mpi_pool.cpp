// The desk and the pools of several ranks, without MPI: ranks are groups of threads in one process,
// and wishes and hands travel through mailboxes, answered late. Each iteration runs once, on one
// rank; a rank that gives up ends the loop for all; nobody waits for ever.
//
// A case is a function of its seed: ranks, workers, both schedules, who may fetch, which workers
// come late or never, where a rank gives up, how long the post takes.
#include <gtest/gtest.h>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/pool.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "schedule/descriptor.hpp"
#include "schedule/registry.hpp"
#include "support/any_loop.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using mpi::detail::desk;
using mpi::detail::hand;
using mpi::detail::measured;
using mpi::detail::pool;
using mpi::detail::wish;

void spin(u64 turns) {
  for (u64 i = 0; i < turns; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

// The mailboxes of all ranks, and the desk of rank 0.
class post {
 public:
  post(desk& from, std::uint32_t ranks) : desk_(from), answers_(ranks) {}

  void send(std::uint32_t rank, const wish& of) {
    const std::lock_guard lock(mutex_);
    wishes_.push_back({rank, of});
    sent_.notify_one();
  }
  bool receive(std::uint32_t rank, hand& to) {
    const std::lock_guard lock(mutex_);
    if (!answers_[rank]) return false;
    to = *answers_[rank];
    answers_[rank].reset();
    return true;
  }
  void answer_all() {
    for (;;) {
      std::pair<std::uint32_t, wish> next;
      {
        const std::lock_guard lock(mutex_);
        if (wishes_.empty()) return;
        next = wishes_.front();
        wishes_.pop_front();
      }
      hand given;
      desk_.deal(next.first, next.second, given);
      const std::lock_guard lock(mutex_);
      answers_[next.first] = given;
    }
  }
  // Answers until `ranks` have left.
  void answer_until(std::uint32_t ranks) {
    for (std::unique_lock lock(mutex_); left_ != ranks;) {
      if (wishes_.empty()) {
        sent_.wait(lock);
      } else {
        lock.unlock();
        answer_all();
        lock.lock();
      }
    }
  }
  // A rank has left.
  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    sent_.notify_all();
  }
  desk& here() { return desk_; }

 private:
  desk& desk_;
  std::mutex mutex_;
  std::condition_variable sent_;
  std::uint32_t left_ = 0;
  std::deque<std::pair<std::uint32_t, wish>> wishes_;
  std::vector<std::optional<hand>> answers_;
};

struct source {
  post& by;
  std::uint32_t rank;
  wish asked{};

  bool is_near() const { return rank == 0; }
  void ask(const wish& of) {
    asked = of;
    if (!is_near()) by.send(rank, of);
  }
  bool poll(hand& to) {
    if (!is_near()) return by.receive(rank, to);
    by.here().deal(0, asked, to);
    return true;
  }
};

doall_schedule any_dealing(base::rng& random, u64 iterations, std::uint32_t workers,
                           std::string& text) {
  for (;;) {
    const auto& all = schedules::registry();
    const schedules::entry& e = all[random.below(all.size())];
    if (e.has(schedules::splitting)) continue;
    const schedules::spec made = any_spec(random, e, {iterations, workers});
    text = schedules::to_text(made);
    return schedules::make_descriptor(made);
  }
}

struct plan {
  std::uint32_t ranks;
  std::uint32_t workers;
  u64 iterations;
  bool multiple;
  u64 body_turns;
  std::uint32_t gives_up = ~0U;  // this rank, when it has run so many parts
  u64 after_parts = 0;
  std::vector<bool> comes;  // by rank and worker
  std::vector<u64> late_turns;
};

class rank_of_threads {
 public:
  rank_of_threads(const plan& p, post& by, std::uint32_t rank, const doall_schedule& inside,
                  std::vector<std::atomic<int>>& ran)
      : p_(p),
        by_(by),
        rank_(rank),
        from_{by, rank},
        pool_(from_, 1, p.workers, inside),
        ran_(ran) {}

  void run() {
    spin(p_.late_turns[rank_ * p_.workers]);
    std::vector<std::thread> threads;
    for (std::uint32_t w = 1; w < p_.workers; ++w) {
      if (!p_.comes[rank_ * p_.workers + w]) continue;
      threads.emplace_back([this, w] {
        spin(p_.late_turns[rank_ * p_.workers + w]);
        work(w, false);
      });
    }
    work(0, true);
    // Stands in for those that have not come.
    for (std::uint32_t w = 1; w < p_.workers; ++w) {
      if (!p_.comes[rank_ * p_.workers + w]) work(w, true);
    }
    for (std::thread& t : threads) t.join();
    pool_.drain();
  }

 private:
  void work(std::uint32_t w, bool is_caller) {
    measured last;
    doall_chunk part;
    while (pool_.take(w, p_.multiple || is_caller, last, part)) {
      for (u64 i = part.begin; i < part.end; i += part.step) {
        ran_[i].fetch_add(1);
        spin(i % 7 * p_.body_turns);
        if (is_caller && !p_.multiple && i % 8 == 0) {
          pool_.progress();
          if (rank_ == 0) by_.answer_all();
        }
      }
      last = {mpi::detail::size_of(part), 1000};
      if (is_caller && rank_ == 0) by_.answer_all();
      if (rank_ == p_.gives_up && parts_.fetch_add(1) == p_.after_parts) pool_.give_up();
    }
  }

  const plan& p_;
  post& by_;
  const std::uint32_t rank_;
  source from_;
  pool<source> pool_;
  std::vector<std::atomic<int>>& ran_;
  std::atomic<u64> parts_{0};
};

void run_case(base::rng& random) {
  plan p;
  p.ranks = 1 + static_cast<std::uint32_t>(random.below(4));
  p.workers = 1 + static_cast<std::uint32_t>(random.below(4));
  p.iterations = random.below(4) == 0 ? random.below(8) : random.below(400);
  p.multiple = random.below(2) == 0;
  p.body_turns = random.below(3) * random.below(40);
  if (random.below(4) == 0) {
    p.gives_up = static_cast<std::uint32_t>(random.below(p.ranks));
    p.after_parts = random.below(20);
  }
  for (std::uint32_t i = 0; i < p.ranks * p.workers; ++i) {
    p.comes.push_back(random.below(4) != 0);
    p.late_turns.push_back(random.below(3) == 0 ? random.below(100'000) : 0);
  }
  std::string between_text;
  std::string inside_text;
  const doall_schedule between = any_dealing(random, p.iterations, p.ranks, between_text);
  const doall_schedule inside = any_dealing(random, p.iterations, p.workers, inside_text);
  SCOPED_TRACE(between_text + " between " + std::to_string(p.ranks) + " ranks, " + inside_text +
               " inside of " + std::to_string(p.workers) + " workers, " +
               std::to_string(p.iterations) + " iterations");

  desk dealt(p.ranks);
  dealt.open(between, p.iterations, nullptr);
  post by(dealt, p.ranks);
  std::vector<std::atomic<int>> ran(p.iterations);
  std::vector<std::unique_ptr<rank_of_threads>> ranks;
  for (std::uint32_t r = 0; r < p.ranks; ++r) {
    ranks.push_back(std::make_unique<rank_of_threads>(p, by, r, inside, ran));
  }
  std::vector<std::thread> threads;
  for (std::uint32_t r = 0; r < p.ranks; ++r) {
    threads.emplace_back([&, r] {
      ranks[r]->run();
      by.leave();
      // Rank 0 answers until all are done, as at the end of a loop over ranks.
      if (r == 0) by.answer_until(p.ranks);
    });
  }
  // A thread of rank 0's that answers, if threads may.
  if (p.multiple) by.answer_until(p.ranks);
  for (std::thread& t : threads) t.join();
  for (u64 i = 0; i < p.iterations; ++i) {
    const int times = ran[i].load();
    if (p.gives_up == ~0U) {
      EXPECT_EQ(times, 1) << "iteration " << i;
    } else {
      EXPECT_LE(times, 1) << "iteration " << i;
    }
  }
}

TEST(MpiPool, RunsEachIterationOnce) { for_each_case(200, run_case, 10'000'000'000); }

// What a rank holds in advance is at most half of its even part of what is left.
TEST(MpiDesk, DealsFewChunksNearTheEnd) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("dynamic", &how, nullptr, 0), 0);
  desk dealt(2);
  dealt.open(how, 20, nullptr);
  std::vector<std::uint32_t> chunks;
  hand given;
  do {
    dealt.deal(1, {.chunks = 16}, given);
    chunks.push_back(given.chunks);
  } while (given.what == hand::more);
  EXPECT_EQ(chunks, (std::vector<std::uint32_t>{5, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(MpiDesk, DealsNothingOnceARankGivesUp) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("dynamic", &how, nullptr, 0), 0);
  desk dealt(2);
  dealt.open(how, 20, nullptr);
  hand given;
  dealt.deal(0, {}, given);
  EXPECT_EQ(given.what, hand::more);
  dealt.deal(1, {.gives_up = 1}, given);
  EXPECT_EQ(given.what, hand::last);
  EXPECT_EQ(given.chunks, 0);
  dealt.deal(0, {}, given);
  EXPECT_EQ(given.what, hand::last);
  EXPECT_EQ(given.chunks, 0);
}

// Asks once and holds the answer back.
struct never_answers {
  int asked = 0;
  bool is_near() const { return false; }
  void ask(const wish&) { ++asked; }
  static bool poll(hand&) { return false; }
};

TEST(MpiPool, RefusesSchedulesThatSplit) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("lbs", &how, nullptr, 0), 0);
  never_answers none;
  try {
    const pool<never_answers> made(none, 1, 2, how);
    FAIL() << "expected an exception";
  } catch (const std::invalid_argument& e) {
    EXPECT_NE(std::string(e.what()).find("inside ranks: schedule \"lbs\" splits"),
              std::string::npos)
        << e.what();
  }
}

// A worker that waits for a chunk leaves when another one gives up.
TEST(MpiPool, EndsAWaitWhenAWorkerGivesUp) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("dynamic", &how, nullptr, 0), 0);
  never_answers none;
  pool<never_answers> from(none, 1, 3, how);
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w < 3; ++w) {
    threads.emplace_back([&, w] {
      doall_chunk part;
      EXPECT_FALSE(from.take(w, w == 0, {}, part));
    });
  }
  from.give_up();
  for (std::thread& t : threads) t.join();
  EXPECT_LE(none.asked, 1);
}

}  // namespace
}  // namespace doall::tests
