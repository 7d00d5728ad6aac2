// COWS's kernels in plain OpenMP C, as doall's plugin compiles them: what it finds of iterations'
// costs ranks them as the counted work does, and balances as well as costs that a user names.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>
#include <vector>

#include "kernels/cows_programs.hpp"
#include "lanes/cows_compiled.hpp"
#include "lanes/cows_recorded.hpp"
#include "schedule/grammar.hpp"
#include "sim/virtual_time.hpp"

namespace {

using cost_function = std::uint64_t (*)(const void* context, std::uint64_t k);
using starting = bool (*)(long, long, long, long, long, long*, long*, void*, void*, std::uint64_t,
                          const void*, const void*, cost_function, std::uint64_t);

// What each iteration of the first loop of a note costs, by the compiler's function.
std::map<const void*, std::vector<double>> found_costs;

}  // namespace

// What such a loop calls, before libgomp's own (src/omp/compiled_loop.hpp).
extern "C" bool GOMP_loop_start(long begin, long end, long step, long sched, long chunk,
                                long* first, long* last, void* reductions, void* scratch,
                                std::uint64_t magic, const void* note, const void* context,
                                cost_function cost, std::uint64_t facts) {
  constexpr std::uint64_t compiled_magic = 0x6363206c6c616f64;
  if (magic == compiled_magic && cost != nullptr && step == 1) {
    static std::mutex one_thread;
    const std::scoped_lock lock(one_thread);
    std::vector<double>& costs = found_costs[note];
    if (costs.empty()) {
      for (long i = begin; i < end; ++i)
        costs.push_back(static_cast<double>(cost(context, static_cast<std::uint64_t>(i - begin))));
    }
  }
  static const auto own = reinterpret_cast<starting>(dlsym(RTLD_NEXT, "GOMP_loop_start"));
  return own(begin, end, step, sched, chunk, first, last, reductions, scratch, magic, note, context,
             cost, facts);
}

namespace doall::bench {
namespace {

// Counts what the iterations of a kernel's loops that are not uniform do, over all of its run.
class counting_loops {
 public:
  struct site {
    std::string name;
    std::vector<double> work;
  };

  explicit counting_loops(std::vector<site>& sites) : sites_(sites) {}

  template <class Body>
  void each(loop_kind kind, const char* name, std::size_t count, const Body& body) const {
    std::vector<double>* work = nullptr;
    if (kind != loop_kind::uniform) {
      auto at = std::ranges::find(sites_, name, &site::name);
      if (at == sites_.end()) at = sites_.insert(at, {name, std::vector<double>(count)});
      work = &at->work;
    }
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (requires { double(body(i)); }) {
        const double looks = body(i);
        if (work != nullptr) (*work)[i] += loop_recorder::vertex_cost + looks;
      } else {
        body(i);
      }
    }
  }
  template <class Body>
  auto sum(const char*, std::size_t count, const Body& body) const {
    return serial_loops{}.sum(count, body);
  }

 private:
  std::vector<site>& sites_;
};

// Each one's rank; equal values have the mean of theirs.
std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    while (end < order.size() && values[order[end]] == values[order[i]]) ++end;
    for (std::size_t j = i; j < end; ++j) ranks[order[j]] = static_cast<double>(i + end - 1) / 2;
    i = end;
  }
  return ranks;
}

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const std::vector<double> x = ranks_of(a);
  const std::vector<double> y = ranks_of(b);
  const double mean = static_cast<double>(x.size() - 1) / 2;
  double xy = 0;
  double xx = 0;
  double yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

// The busiest worker's counted work over the mean one's, when a loop that is told `told` is dealt
// in virtual time.
double imbalance_of(const std::vector<double>& told, const std::vector<double>& counted,
                    const std::string& schedule, std::uint32_t workers) {
  const sim::execution ran = sim::run_once({.schedule = schedules::parse(schedule).value,
                                            .shape = {told.size(), workers},
                                            .costs = sim::iteration_costs(told)});
  const sim::iteration_costs work(counted);
  std::vector<double> executed(workers);
  for (const sim::dealt_chunk& c : ran.chunks) executed[c.worker] += work.of(c.what);
  const double all = std::accumulate(executed.begin(), executed.end(), 0.0);
  return std::ranges::max(executed) * workers / all;
}

struct counted_kernel {
  std::string name;
  std::vector<double> found;  // by the compiler
  std::vector<double> named;  // by a user: the degrees
  std::vector<counting_loops::site> counted;
};

// All kernels on all orders of the small graph. `programs`: compiled with a function for the loop
// that looks at neighbours.
std::vector<counted_kernel> count_all(const cows_program_set& compiled) {
  const std::vector<graph_input> graphs = every_graph(size::small, {});
  std::vector<counting_loops::site> sites;
  std::vector<double> degrees;
  const auto by_compiler = cows_programs([&](auto& k) { run_omp(k, compiled); }, graphs);
  const auto by_hand = cows_programs(
      [&](auto& k) {
        run(k, counting_loops(sites));
        const auto rows = k.graph().row_pointer();
        degrees.clear();
        for (std::size_t v = 0; v + 1 < rows.size(); ++v)
          degrees.push_back(static_cast<double>(rows[v + 1] - rows[v]));
      },
      graphs);
  std::vector<counted_kernel> all;
  for (std::size_t i = 0; i < by_compiler.size(); ++i) {
    found_costs.clear();
    sites.clear();
    by_compiler[i].parallel(*by_compiler[i].make(size::small));
    by_hand[i].parallel(*by_hand[i].make(size::small));
    if (found_costs.empty()) continue;
    EXPECT_EQ(found_costs.size(), 1) << by_compiler[i].name;
    all.push_back({by_compiler[i].name, found_costs.begin()->second, degrees, sites});
  }
  return all;
}

TEST(CowsCompiled, CostsRankIterationsAsCountedWorkDoes) {
  constexpr double least = 0.95;
  const auto all = count_all(cows_programs_opt3);  // those under a guard, too
  EXPECT_EQ(all.size(), 15);
  for (const counted_kernel& k : all) {
    EXPECT_FALSE(k.counted.empty()) << k.name;
    for (const auto& site : k.counted)
      EXPECT_GE(rank_correlation(k.found, site.work), least) << k.name << ' ' << site.name;
  }
}

// Of guarded loops, of which the same is told as a user tells, there is nothing to compare: wsrw
// runs them as wsri.
TEST(CowsCompiled, CostsBalanceAsWellAsNamedOnes) {
  constexpr double most = 1.02;
  const auto all = count_all(cows_programs_all);
  EXPECT_EQ(all.size(), 12);
  for (const counted_kernel& k : all) {
    for (const auto& site : k.counted) {
      for (const char* schedule : {"wsrw", "best-static"}) {
        for (const std::uint32_t workers : {2U, 8U, 16U, 40U}) {
          const double found = imbalance_of(k.found, site.work, schedule, workers);
          const double named = imbalance_of(k.named, site.work, schedule, workers);
          EXPECT_LE(found, most * named)
              << k.name << ' ' << site.name << " by " << schedule << ", P = " << workers;
        }
      }
    }
  }
}

// A search's work stands under a condition: nothing is told of it unless somebody asks.
TEST(CowsCompiled, GuardedWorkIsNotTold) {
  const auto search =
      cows_programs([](auto& k) { run_omp(k, cows_programs_all); }, every_graph(size::small, {}));
  for (const program& p : search) {
    found_costs.clear();
    p.parallel(*p.make(size::small));
    EXPECT_EQ(found_costs.size(), p.name.starts_with("bfs") ? 0 : 1) << p.name;
  }
}

}  // namespace
}  // namespace doall::bench
