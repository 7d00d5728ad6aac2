// COWS's kernels compute what their names say, by their serial runs; their loops do the same one
// iteration after the other in any order, and through the native door under each of the paper's
// schedules.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <set>
#include <thread>
#include <vector>

#include "base/rng.hpp"
#include "kernel_runs.hpp"
#include "kernels/cows_bfs.hpp"
#include "kernels/cows_components.hpp"
#include "kernels/cows_k_committee.hpp"
#include "kernels/cows_leader_election.hpp"
#include "kernels/cows_pagerank.hpp"
#include "kernels/cows_programs.hpp"
#include "kernels/graph.hpp"
#include "lanes/cows_native.hpp"
#include "lanes/cows_recorded.hpp"
#include "lanes/cows_watched.hpp"
#include "support/seeds.hpp"

namespace doall::bench {
namespace {

constexpr vertex_order orders[] = {vertex_order::given, vertex_order::by_degree,
                                   vertex_order::by_level};

shared_ordered_graph ordered(const undirected_graph& g, vertex_order order) {
  return std::make_shared<ordered_graph>(g, order);
}

std::vector<std::uint32_t> sorted_degrees(const auto& g) {
  std::vector<std::uint32_t> all;
  for (vertex v = 0; v < g.vertices(); ++v) all.push_back(g.degree(v));
  std::ranges::sort(all);
  return all;
}

TEST(OrderedGraph, IsTheGraphWithOtherNumbers) {
  tests::for_each_case(100, [](base::rng& random) {
    const undirected_graph g = any_graph(random);
    for (const vertex_order order : orders) {
      const ordered_graph made(g, order);
      ASSERT_EQ(made.vertices(), g.vertices());
      EXPECT_EQ(sorted_degrees(made), sorted_degrees(g));
      EXPECT_EQ(made.degree(made.hub()), g.degree(g.hub()));
      for (vertex v = 0; v < made.vertices(); ++v) {
        const auto row = made.neighbours(v);
        EXPECT_TRUE(std::ranges::is_sorted(row, std::less_equal()));
        for (const vertex u : row) {
          EXPECT_TRUE(std::ranges::binary_search(made.neighbours(u), v)) << u << ' ' << v;
        }
        EXPECT_EQ(made.row_pointer()[v + 1] - made.row_pointer()[v], made.degree(v));
      }
    }
  });
}

TEST(OrderedGraph, HasItsOrder) {
  tests::for_each_case(100, [](base::rng& random) {
    const undirected_graph g = any_graph(random);
    const ordered_graph given(g, vertex_order::given);
    const ordered_graph by_degree(g, vertex_order::by_degree);
    const ordered_graph by_level(g, vertex_order::by_level);
    queue_search search(by_level);
    search.from(by_level.hub());
    EXPECT_EQ(by_level.hub(), 0);
    for (vertex v = 0; v < g.vertices(); ++v) {
      EXPECT_TRUE(std::ranges::equal(given.neighbours(v), g.neighbours(v)));
      if (v == 0) continue;
      EXPECT_LE(by_degree.degree(v), by_degree.degree(v - 1));
      EXPECT_LE(search.distance(v - 1), search.distance(v));
    }
  });
}

TEST(OrderedGraph, FilesThatAreNotThereAreLeftOut) {
  for (const char* folder : {"", "/nowhere"}) {
    const graph_files files = find_graphs(folder);
    EXPECT_TRUE(files.found.empty());
    EXPECT_EQ(files.left_out.size(), 5);
  }
}

// All distances from each vertex.
std::vector<std::vector<std::uint32_t>> distances_of(const ordered_graph& g) {
  std::vector<std::vector<std::uint32_t>> all;
  for (vertex v = 0; v < g.vertices(); ++v) {
    queue_search search(g);
    search.from(v);
    all.emplace_back();
    for (vertex u = 0; u < g.vertices(); ++u) all.back().push_back(search.distance(u));
  }
  return all;
}

TEST(CowsKernels, SerialAlgorithmsDoWhatTheirNamesSay) {
  tests::for_each_case(30, [](base::rng& random) {
    const auto g = ordered(any_graph(random), vertex_order::given);
    const auto distances = distances_of(*g);
    k_committee committees(g);
    leader_election leaders(g);
    cows_search levels(g);
    rank_flow ranks(g);
    label_flow labels(g);
    run(committees);
    run(leaders);
    run(levels);
    run(ranks);
    run(labels);
    double sum = 0;
    for (vertex v = 0; v < g->vertices(); ++v) {
      const auto& from = distances[v];
      EXPECT_LE(from[committees.leader(v)], k_committee::hops) << v;
      for (vertex u = 0; u < g->vertices(); ++u) {
        if (committees.leader(u) != committees.leader(v)) continue;
        EXPECT_LE(from[u], 2 * k_committee::hops) << u << ' ' << v;
      }
      vertex least = v;
      vertex most = v;
      for (vertex u = 0; u < g->vertices(); ++u) {
        if (from[u] == no_vertex) continue;
        least = std::min(least, u);
        most = std::max(most, u);
      }
      EXPECT_EQ(labels.label(v), least) << v;
      EXPECT_EQ(leaders.leader(v), most) << v;
      EXPECT_EQ(leaders.distance(v), from[most]) << v;
      EXPECT_EQ(levels.level(v), from[g->hub()]) << v;
      sum += ranks.rank(v);
    }
    EXPECT_NEAR(sum, 1, 1e-9);
  });
}

// In a path of 9 vertices 0 invites up to 3 hops, then 4, which had heard of 1 to 3, and then 8.
TEST(KCommittee, CommitteesOfAPath) {
  std::vector<undirected_graph::edge> edges;
  for (vertex v = 0; v + 1 < 9; ++v) edges.push_back({v, v + 1});
  k_committee k(ordered(undirected_graph(9, edges), vertex_order::given));
  run(k);
  const std::vector<vertex> expected{0, 0, 0, 0, 4, 4, 4, 4, 8};
  for (vertex v = 0; v < 9; ++v) EXPECT_EQ(k.leader(v), expected[v]) << v;
}

template <class Kernel>
void expect_same_bits(const shared_ordered_graph& g) {
  Kernel k(g);
  expect_serial_bits(k, [&k] { run(k, backward_cows_loops{}); });
}

TEST(CowsKernels, StepsDoWhatSerialAlgorithmsDo) {
  tests::for_each_case(200, [](base::rng& random) {
    const auto g = ordered(any_graph(random), orders[random.below(std::size(orders))]);
    expect_same_bits<k_committee>(g);
    expect_same_bits<leader_election>(g);
    expect_same_bits<cows_search>(g);
    expect_same_bits<rank_flow>(g);
    expect_same_bits<label_flow>(g);
  });
}

template <class Kernel>
std::vector<recorded_loop> recorded(Kernel& k, std::size_t& loops) {
  const auto serial = serial_answer(k);
  loop_recorder recorder;
  k.reset();
  run(k, recorded_cows_loops(recorder));
  EXPECT_TRUE(std::ranges::equal(k.answer(), serial));
  loops = recorder.executions();
  return recorder.take();
}

double work_of(const std::vector<recorded_loop>& loops, loop_kind kind) {
  double sum = 0;
  for (const recorded_loop& loop : loops) {
    if (loop.kind != kind) continue;
    sum += loop.times * std::accumulate(loop.costs->each.begin(), loop.costs->each.end(), 0.0);
  }
  return sum;
}

// Costed loops cost what the row pointer says; k-committee runs the loops that Figure 12 counts;
// a search looks at each edge of the hub's component both ways, when no round is left out.
TEST(CowsKernels, RecordedCostsAreTheLoops) {
  const auto g = ordered_graph_from(size::small, {kronecker_name(size::small), ""});
  const auto n = static_cast<double>(g->vertices());
  const auto edges = static_cast<double>(g->directed_edges());
  std::size_t loops = 0;
  k_committee committees(g);
  const auto of_committees = recorded(committees, loops);
  EXPECT_EQ(loops, 28);
  EXPECT_EQ(of_committees.size(), 6);
  EXPECT_EQ(work_of(of_committees, loop_kind::costed),
            18 * (edges + loop_recorder::vertex_cost * n));
  const auto fingerprint = std::ranges::find(of_committees, "spread", &recorded_loop::site);
  rank_flow ranks(g);
  const auto of_ranks = recorded(ranks, loops);
  EXPECT_EQ(std::ranges::find(of_ranks, "gather", &recorded_loop::site)->fingerprint,
            fingerprint->fingerprint);

  cows_search levels(g);
  const auto of_levels = recorded(levels, loops);
  const double rounds = static_cast<double>(loops - 1);
  ASSERT_LE(rounds, static_cast<double>(loop_recorder::kept_most));
  double reached = 0;
  for (vertex v = 0; v < g->vertices(); ++v) {
    if (levels.level(v) != no_vertex) reached += g->degree(v);
  }
  EXPECT_EQ(work_of(of_levels, loop_kind::guarded),
            reached + rounds * loop_recorder::vertex_cost * n);
}

// Figure 12's static loops, and how its executions follow from the rounds.
TEST(CowsKernels, HaveThePapersLoops) {
  tests::for_each_case(30, [](base::rng& random) {
    const auto g = ordered(any_graph(random), vertex_order::given);
    std::size_t loops = 0;
    std::size_t static_loops = 0;
    const auto count = [&](auto&& k) {
      loop_recorder recorder;
      k.reset();
      run(k, recorded_cows_loops(recorder));
      loops = recorder.executions();
      std::set<std::string> sites;
      for (const recorded_loop& loop : recorder.take()) sites.insert(loop.site);
      static_loops = sites.size();
    };
    cows_search levels(g);
    count(levels);
    EXPECT_EQ(static_loops, 2);
    std::uint32_t deepest = 0;
    for (vertex v = 0; v < g->vertices(); ++v) {
      if (levels.level(v) != no_vertex) deepest = std::max(deepest, levels.level(v));
    }
    EXPECT_EQ(loops, 1 + deepest + 1);
    count(rank_flow(g));
    EXPECT_EQ(static_loops, 2);
    EXPECT_EQ(loops % 2, 0);
    count(label_flow(g));
    EXPECT_LE(static_loops, 3);
    EXPECT_EQ(loops % 2, 0);
  });
}

// A path: more rounds than are kept. Those kept stand for all.
TEST(CowsKernels, RoundsThatAreLeftOutAreStoodFor) {
  std::vector<undirected_graph::edge> edges;
  for (vertex v = 0; v + 1 < 100; ++v) edges.push_back({v, v + 1});
  cows_search k(ordered(undirected_graph(100, edges), vertex_order::given));
  std::size_t loops = 0;
  const auto all = recorded(k, loops);
  double rounds = 0;
  std::size_t kept = 0;
  for (const recorded_loop& loop : all) {
    if (loop.kind != loop_kind::guarded) continue;
    rounds += loop.times;
    ++kept;
  }
  EXPECT_NEAR(rounds, static_cast<double>(loops - 1), 1e-9);
  EXPECT_GT(kept, loop_recorder::kept_most / 2 - 1);
  EXPECT_LE(kept, loop_recorder::kept_most);
}

TEST(CowsPrograms, HaveNamesOfTheirOwn) {
  std::set<std::string> names;
  std::vector<graph_input> graphs;
  for (const vertex_order order : orders) graphs.push_back({"kronecker-9", "", order});
  for (const program& p : cows_programs([](auto&) {}, graphs)) {
    EXPECT_TRUE(names.insert(p.name).second) << p.name;
  }
  EXPECT_EQ(names.size(), 15);
}

TEST(CowsPrograms, OnlyWsrwGoesByTheKindOfTheLoop) {
  EXPECT_EQ(schedule_of(loop_kind::uniform, "wsrw,3"), "static");
  EXPECT_EQ(schedule_of(loop_kind::costed, "wsrw,3"), "wsrw,3");
  EXPECT_EQ(schedule_of(loop_kind::guarded, "wsrw,3"), "wsri,3");
  for (const loop_kind kind : {loop_kind::uniform, loop_kind::costed, loop_kind::guarded}) {
    EXPECT_EQ(schedule_of(kind, "guided"), "guided");
    EXPECT_EQ(schedule_of(kind, "wsri,3"), "wsri,3");
  }
}

// Who runs iteration 0 stays there until all but what it has reserved is done: others steal it.
TEST(CountedSchedule, CountsThefts) {
  if (doall_threads() < 2) GTEST_SKIP() << "nobody else is there to steal";
  constexpr std::size_t n = 1 << 12;
  for (const char* const text : {"wsr,1", "wsri,1", "wsrw,1"}) {
    counted_schedule counted(text);
    ASSERT_TRUE(counted.counts());
    std::atomic<std::size_t> others{0};
    const auto body = [&](std::size_t i) {
      if (i != 0) others.fetch_add(1);
      // A victim keeps fewer than five.
      while (i == 0 && others.load() + 5 * std::size_t(doall_threads()) < n) {
        std::this_thread::yield();
      }
    };
    parallel_for(std::size_t{0}, n, body, {.how = counted.begin({})});
    EXPECT_GT(counted.counted().done, 0U) << text;
    EXPECT_GE(counted.counted().tried, counted.counted().done) << text;
  }
}

TEST(CowsPrograms, EveryScheduleOfThePaperGivesTheSerialAnswer) {
  std::vector<std::string> schedules = cows_schedules();
  std::ranges::copy(wsrw_settings(), std::back_inserter(schedules));
  for (const char* other : {"wsrw,assign=block", "wsr,1", "wsri,1", "wsrw,1"}) {
    schedules.emplace_back(other);
  }
  std::string how = "static";
  const auto door = [&how](auto& k) { run(k, native_cows_loops(how, k.graph().row_pointer())); };
  const program warm_up = cows_warm_up(door);
  expect_serial_answers(cows_programs(door, every_graph(size::small, {})), &warm_up, schedules,
                        [&how](const std::string& schedule) { how = schedule; });
}

}  // namespace
}  // namespace doall::bench
