// What affinity-last promises on random loops in virtual time that run again and
// again: affinity's bounds, and what it remembers. The queues that a run began with
// are seen from outside: an iteration was its runner's, or its victim's.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "schedule/affinity_last.hpp"
#include "schedule/fragments.hpp"
#include "support/afs_bounds.hpp"
#include "support/any_virtual_loop.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::fragment_list;
using sim::dealt_chunk;
using sim::execution;

// Per iteration, a worker.
using places = std::vector<std::uint32_t>;

struct queue_size {
  u64 fragments = 0;
  u64 iterations = 0;
};

// One run, by iterations.
struct run_record {
  places queue;   // in whose queue it was when the run began
  places runner;  // who ran it
  u64 moves = 0;  // chunks that were stolen

  run_record(const execution& e, u64 iterations) : queue(iterations), runner(iterations) {
    for (const dealt_chunk& d : e.chunks) {
      std::fill(queue.begin() + d.what.begin, queue.begin() + d.what.end, queue_of(d));
      std::fill(runner.begin() + d.what.begin, runner.begin() + d.what.end, d.worker);
      moves += queue_of(d) == d.worker ? 0 : 1;
    }
  }

  std::vector<queue_size> queue_sizes(std::uint32_t workers) const {
    std::vector<queue_size> sizes(workers);
    for (u64 i = 0; i < queue.size(); ++i) {
      sizes[queue[i]].fragments += i == 0 || queue[i - 1] != queue[i] ? 1 : 0;
      ++sizes[queue[i]].iterations;
    }
    return sizes;
  }
};

places even_places(loop_shape shape) {
  places even(shape.iterations);
  for (std::uint32_t w = 0; w < shape.workers; ++w) {
    const auto share = schedules::partition_of(w, shape);
    std::fill(even.begin() + share.begin, even.begin() + share.end, w);
  }
  return even;
}

// Theorem 3.1, and on top of it a chunk that a fragment's end cuts short: at most
// one a fragment.
void expect_few_synchronisations(const execution& e, const std::vector<queue_size>& queues,
                                 const schedules::params& given) {
  const u64 workers = queues.size();
  const auto asked = given.as<schedules::affinity_last::options>();
  const u64 k = asked.k == 0 ? workers : asked.k;
  const u64 rob = asked.rob == 0 ? workers : asked.rob;
  for (std::size_t v = 0; v < queues.size(); ++v) {
    const auto& [fragments, iterations] = queues[v];
    ASSERT_LE(fragments, fragment_list::most) << "queue " << v;
    ASSERT_LE(e.workers[v].local, takes(iterations, k, asked.round) + fragments) << "queue " << v;
    ASSERT_LE(e.workers[v].robbed, takes(iterations, rob, asked.round) + fragments)
        << "queue " << v;
  }
}

// An iteration is queued where it ran in the run before, or if there was no room for
// more fragments, where it was queued then. A move gives each of two workers at
// most one fragment more.
void expect_remembered(const run_record& before, const places& queue, std::uint32_t workers) {
  const u64 fragments =
      std::ranges::max(before.queue_sizes(workers), {}, &queue_size::fragments).fragments;
  const bool room = before.moves + fragments <= fragment_list::most;
  for (u64 i = 0; i < queue.size(); ++i) {
    if (queue[i] == before.runner[i]) continue;
    ASSERT_FALSE(room) << "iteration " << i << " did not stay";
    ASSERT_EQ(queue[i], before.queue[i]) << "iteration " << i;
  }
}

// Costs and arrivals change now and then, and sometimes the length. What is
// remembered is of the last length with which something moved, and with another one
// the queues are even. Nothing is learnt when the length changed twice in a row.
TEST(AffinityLast, SynchronisesAndRemembersWithinItsBounds) {
  for_each_case(200, [](base::rng& random) {
    const auto workers =
        static_cast<std::uint32_t>(1 + random.below(random.below(2) == 0 ? 8 : 100));
    const u64 lengths[] = {random.below(4000), random.below(4000)};
    loop_shape shape{lengths[0], workers};
    auto schedule = any_spec(random, *schedules::find("affinity-last"), shape);
    schedule.given.order = schedules::in_order;
    SCOPED_TRACE(describe(schedule, shape));
    sim::virtual_loop loop(any_setup(random, schedule, shape));
    std::optional<run_record> last;  // the run that is remembered
    u64 length = 0;                  // the last run's
    u64 changes = 0;                 // in a row
    for (int run = 0; run < 15; ++run) {
      const execution e = loop.run();
      expect_exactly_once(e, shape.iterations);
      const run_record now(e, shape.iterations);
      expect_few_synchronisations(e, now.queue_sizes(workers), schedule.given);
      const bool known = last && last->queue.size() == shape.iterations;
      if (known) {
        expect_remembered(*last, now.queue, workers);
      } else {
        ASSERT_EQ(now.queue, even_places(shape));
      }
      if (testing::Test::HasFailure()) return;
      changes = length == shape.iterations ? 0 : changes + 1;
      length = shape.iterations;
      if (changes <= 1 && (known || now.moves > 0)) last = now;
      if (random.below(6) == 0) shape.iterations = lengths[random.below(2)];
      if (random.below(3) == 0 || shape.iterations != length) {
        loop.change(any_setup(random, schedule, shape));
      }
    }
  });
}

}  // namespace
}  // namespace doall::tests
