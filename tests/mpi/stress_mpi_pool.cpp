// The desk, the shelves of nodes and the pools of ranks, without MPI: ranks are groups of threads
// in one process, and wishes and hands travel through mailboxes, answered late. Each iteration runs
// once, on one rank; a rank that gives up ends the loop for all; nobody waits for ever.
//
// A case is a function of its seed: ranks, how many of them are a node, workers, both schedules,
// who may fetch, which workers come late or never, where a rank gives up. A world makes several
// calls, on the same shelves.
#include <gtest/gtest.h>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/groups.hpp>
#include <doall/mpi/pool.hpp>
#include <doall/mpi/shelf.hpp>
#include <doall/mpi/source.hpp>

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "mpi/nodes.hpp"
#include "mpi/post_office.hpp"
#include "schedule/descriptor.hpp"
#include "schedule/registry.hpp"
#include "support/any_loop.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using mpi::detail::call_name;
using mpi::detail::groups;
using mpi::detail::measured;
using mpi::detail::pool;
using mpi::detail::source;

void spin(u64 turns) {
  for (u64 i = 0; i < turns; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
}

struct post {
  post_office& by;
  std::uint32_t number;  // of the rank, at its dealer's desk
  bool is_dealer;

  void send(const wish& of) { by.boxes().send(number, of); }
  bool receive(hand& to) { return by.boxes().receive(number, to); }
  void stock() {
    if (is_dealer) by.serve();
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
  std::uint32_t group_nodes;
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
                  const groups& tree, bool in_tree, const call_name& call, unsigned deals,
                  const doall_schedule& inside, std::vector<std::atomic<int>>& ran)
      : p_(p),
        by_(by),
        rank_(rank),
        is_dealer_(rank == (in_tree ? tree.head : 0)),
        post_{by, in_tree ? groups::index(tree.members, rank) : rank, is_dealer_},
        from_(post_, all.of(rank), call,
              {.near = all.is_near(rank, in_tree ? tree.head : 0),
               .from_others = (deals & DOALL_DEALS_BY_WORKER) == 0,
               .adapts = (deals & DOALL_DEALS_BY_TIMES) != 0,
               .is_head = in_tree && is_dealer_ && rank != 0}),
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
          if (is_dealer_) by_.serve();
        }
      }
      last = {mpi::detail::size_of(part), 1000};
      if (is_caller && is_dealer_) by_.serve();
      if (rank_ == p_.gives_up && parts_.fetch_add(1) == p_.after_parts) pool_.give_up();
    }
  }

  const plan& p_;
  post_office& by_;
  const std::uint32_t rank_;
  const bool is_dealer_;
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
               std::to_string(p.in_node) + " a node, groups of " + std::to_string(p.group_nodes) +
               ", " + inside_text + " inside of " + std::to_string(p.workers) + " workers, " +
               std::to_string(p.iterations) + " iterations");

  const unsigned deals = doall_schedule_deals(&between);
  const call_name call{.signature = 1000 + number, .number = number};
  std::vector<groups> trees;
  for (std::uint32_t r = 0; r < p.ranks; ++r) {
    trees.push_back(groups::of(all.firsts(), r, p.group_nodes));
  }
  const bool by_worker = (deals & DOALL_DEALS_BY_WORKER) != 0;
  const bool in_tree = trees[0].is_tree() && !by_worker;
  const std::uint32_t in_row = (deals & DOALL_DEALS_BY_TIMES) != 0 ? 1 : shelf::most_in_row;
  desk to_groups(trees[0].count, false);
  to_groups.open(mpi::detail::between_groups(between), p.iterations, nullptr);
  mailboxes of_groups(trees[0].count);
  const std::vector<std::uint32_t> dealers =
      in_tree ? trees[0].heads : std::vector<std::uint32_t>{0};
  std::vector<std::unique_ptr<desk>> desks;
  std::vector<std::unique_ptr<post_office>> offices;
  for (const std::uint32_t dealer : dealers) {
    const groups& tree = trees[dealer];
    const auto ranks = in_tree ? static_cast<std::uint32_t>(tree.members.size()) : p.ranks;
    desk& made = *desks.emplace_back(
        std::make_unique<desk>(ranks, by_worker || (in_tree ? tree.is_one_node : all.is_only())));
    std::vector<std::uint32_t> of_row;
    for (std::uint32_t r = 0; r < p.ranks; ++r) {
      if (!all.is_near(r, dealer)) continue;
      of_row.push_back(in_tree ? groups::index(tree.members, r) : r);
    }
    post_office& by = *offices.emplace_back(
        std::make_unique<post_office>(made, all.of(dealer), of_row, in_row, ranks));
    if (in_tree) {
      made.open_for_blocks(between, nullptr);
      by.ask_above(of_groups, groups::index(tree.heads, dealer), call.signature);
    } else {
      made.open(between, p.iterations, nullptr);
    }
  }
  if (in_tree) offices[0]->deal_to_groups(of_groups, to_groups);
  const auto office_of = [&](std::uint32_t rank) -> post_office& {
    return *offices[in_tree ? groups::index(trees[rank].heads, trees[rank].head) : 0];
  };
  std::vector<std::atomic<int>> ran(p.iterations);
  std::vector<std::unique_ptr<rank_of_threads>> ranks;
  for (std::uint32_t r = 0; r < p.ranks; ++r) {
    ranks.push_back(std::make_unique<rank_of_threads>(p, office_of(r), all, r, trees[r], in_tree,
                                                      call, deals, inside, ran));
  }
  exits all_exits;
  std::vector<std::thread> threads;
  for (std::uint32_t r = 0; r < p.ranks; ++r) {
    threads.emplace_back([&, r] {
      const bool is_dealer = std::ranges::find(dealers, r) != dealers.end();
      // The others may come before their dealer has begun the call.
      if (is_dealer) {
        spin(p.late_turns[r * p.workers]);
        all.of(r).open(call, true);
      }
      ranks[r]->run();
      while (is_dealer && !office_of(r).is_settled()) std::this_thread::yield();
      all_exits.leave();
      // A dealer serves until all are done, as at the end of a loop over ranks. Then nothing is
      // under way.
      while (is_dealer && !all_exits.all_have(p.ranks)) office_of(r).serve();
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
  p.ranks = 1 + static_cast<std::uint32_t>(random.below(6));
  p.in_node = 1 + static_cast<std::uint32_t>(random.below(p.ranks));
  p.group_nodes = random.below(2) == 0 ? 64 : 1 + static_cast<std::uint32_t>(random.below(3));
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
