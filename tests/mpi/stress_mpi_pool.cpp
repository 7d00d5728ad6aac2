// The desk, the shelves of nodes and the pools of ranks, without MPI: ranks are groups of threads
// in one process, and wishes and hands travel through mailboxes, answered late. Each iteration runs
// once, on one rank; a rank that gives up ends the loop for all; nobody waits for ever.
//
// A case is a function of its seed: ranks, how many of them are a node, workers, both schedules,
// who may fetch, which workers come late or never, where a rank gives up. A world makes several
// calls, on the same shelves.
#include <gtest/gtest.h>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/pool.hpp>
#include <doall/mpi/shelf.hpp>
#include <doall/mpi/source.hpp>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "mpi/nodes.hpp"
#include "schedule/descriptor.hpp"
#include "schedule/registry.hpp"
#include "support/any_loop.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using mpi::detail::call_name;
using mpi::detail::desk;
using mpi::detail::hand;
using mpi::detail::measured;
using mpi::detail::pool;
using mpi::detail::source;
using mpi::detail::wish;

void spin(u64 turns) {
  for (u64 i = 0; i < turns; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

// The mailboxes of all ranks, and the desk and the shelf of rank 0's node.
class post_office {
 public:
  post_office(desk& from, shelf& near, std::vector<std::uint32_t> of_row, std::uint32_t in_row,
              std::uint32_t ranks)
      : desk_(from), near_(near), of_row_(std::move(of_row)), in_row_(in_row), answers_(ranks) {}

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
  void stock() { near_.stock(desk_, of_row_, in_row_); }
  void serve() {
    stock();
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
  // Serves until `ranks` have left.
  void serve_until(std::uint32_t ranks) {
    for (std::unique_lock lock(mutex_); left_ != ranks;) {
      sent_.wait_for(lock, std::chrono::microseconds(50));
      lock.unlock();
      serve();
      lock.lock();
    }
  }
  // A rank has left.
  void leave() {
    const std::lock_guard lock(mutex_);
    ++left_;
    sent_.notify_all();
  }

 private:
  desk& desk_;
  shelf& near_;
  const std::vector<std::uint32_t> of_row_;
  const std::uint32_t in_row_;
  std::mutex mutex_;
  std::condition_variable sent_;
  std::uint32_t left_ = 0;
  std::deque<std::pair<std::uint32_t, wish>> wishes_;
  std::vector<std::optional<hand>> answers_;
};

struct post {
  post_office& by;
  std::uint32_t rank;

  void send(const wish& of) { by.send(rank, of); }
  bool receive(hand& to) { return by.receive(rank, to); }
  void stock() {
    if (rank == 0) by.stock();
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
  std::uint32_t in_node;
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
  rank_of_threads(const plan& p, post_office& by, nodes& all, std::uint32_t rank,
                  const call_name& call, unsigned deals, const doall_schedule& inside,
                  std::vector<std::atomic<int>>& ran)
      : p_(p),
        by_(by),
        rank_(rank),
        post_{by, rank},
        from_(post_, all.of(rank), call,
              {.near = all.is_near(rank),
               .from_others = (deals & DOALL_DEALS_BY_WORKER) == 0,
               .adapts = (deals & DOALL_DEALS_BY_TIMES) != 0}),
        pool_(from_, p.workers, inside, nullptr),
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
          if (rank_ == 0) by_.serve();
        }
      }
      last = {mpi::detail::size_of(part), 1000};
      if (is_caller && rank_ == 0) by_.serve();
      if (rank_ == p_.gives_up && parts_.fetch_add(1) == p_.after_parts) pool_.give_up();
    }
  }

  const plan& p_;
  post_office& by_;
  const std::uint32_t rank_;
  post post_;
  source<post> from_;
  pool<source<post>> pool_;
  std::vector<std::atomic<int>>& ran_;
  std::atomic<u64> parts_{0};
};

void run_call(base::rng& random, plan p, nodes& all, u64 number) {
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
  SCOPED_TRACE(between_text + " between " + std::to_string(p.ranks) + " ranks, " +
               std::to_string(p.in_node) + " a node, " + inside_text + " inside of " +
               std::to_string(p.workers) + " workers, " + std::to_string(p.iterations) +
               " iterations");

  const unsigned deals = doall_schedule_deals(&between);
  const call_name call{.signature = 1000 + number, .number = number};
  desk dealt(p.ranks, all.is_only() || (deals & DOALL_DEALS_BY_WORKER) != 0);
  dealt.open(between, p.iterations, nullptr);
  post_office by(dealt, all.of(0), all.near(),
                 (deals & DOALL_DEALS_BY_TIMES) != 0 ? 1 : shelf::most_in_row, p.ranks);
  std::vector<std::atomic<int>> ran(p.iterations);
  std::vector<std::unique_ptr<rank_of_threads>> ranks;
  for (std::uint32_t r = 0; r < p.ranks; ++r) {
    ranks.push_back(std::make_unique<rank_of_threads>(p, by, all, r, call, deals, inside, ran));
  }
  std::vector<std::thread> threads;
  for (std::uint32_t r = 0; r < p.ranks; ++r) {
    threads.emplace_back([&, r] {
      // The others may come before rank 0 has begun the call.
      if (r == 0) {
        spin(p.late_turns[0]);
        all.of(0).open(call, true);
      }
      ranks[r]->run();
      by.leave();
      // Rank 0 serves until all are done, as at the end of a loop over ranks.
      if (r == 0) by.serve_until(p.ranks);
    });
  }
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

void run_case(base::rng& random) {
  plan p{};
  p.ranks = 1 + static_cast<std::uint32_t>(random.below(4));
  p.in_node = 1 + static_cast<std::uint32_t>(random.below(p.ranks));
  p.workers = 1 + static_cast<std::uint32_t>(random.below(4));
  nodes all(p.ranks, p.in_node);
  for (u64 number = 1; number <= 3; ++number) run_call(random, p, all, number);
}

TEST(MpiPool, RunsEachIterationOnce) { for_each_case(200, run_case, 10'000'000'000); }

// Has nothing, and never the last chunk.
struct never_answers {
  static bool is_near() { return false; }
  static bool poll(const measured&, bool, hand&) { return false; }
  static void look_ahead(const measured&, bool) {}
  static bool may_look_ahead() { return false; }
};

TEST(MpiPool, RefusesSchedulesThatSplit) {
  doall_schedule how{};
  ASSERT_EQ(doall_schedule_parse("lbs", &how, nullptr, 0), 0);
  never_answers none;
  try {
    const pool<never_answers> made(none, 2, how, nullptr);
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
  pool<never_answers> from(none, 3, how, nullptr);
  std::vector<std::thread> threads;
  for (std::uint32_t w = 0; w < 3; ++w) {
    threads.emplace_back([&, w] {
      doall_chunk part;
      EXPECT_FALSE(from.take(w, w == 0, {}, part));
    });
  }
  from.give_up();
  for (std::thread& t : threads) t.join();
}

}  // namespace
}  // namespace doall::tests
