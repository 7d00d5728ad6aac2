#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "experiments/recursion.hpp"

namespace doall::bench {
namespace {

// What is found is compared with a number.
class number_demand {
 public:
  number_demand(std::string of, demand::limit kind, double value)
      : made_(std::move(of),
              fmt::format("{} {:.3g}", kind == demand::limit::most ? "<=" : ">=", value), kind),
        kind_(kind),
        value_(value) {}

  // `gone`: it was given up as too slow, or did not end, so that few rounds will do.
  void add(const std::string& where, const ratio& found, bool gone = false) {
    const bool holds =
        kind_ == demand::limit::most ? found.median <= value_ : found.median >= value_;
    made_.add(where, found, found.interval || gone ? std::optional(holds) : std::nullopt);
  }
  void miss(const std::string& where) { made_.miss(where); }
  void give(std::vector<verdict>& to) { add_to(to, made_.made()); }

 private:
  demand made_;
  demand::limit kind_;
  double value_;
};

constexpr std::array pair_forms{"invoke", "group"};

// Recursion that consists of calls and nothing else has demands of its own.
bool is_only_calls(const program_result& r) { return r.program == "fib"; }

// Those whose body takes more than 100 ns: a leaf, or what 32 elements take.
bool has_long_bodies(const program_result& r) {
  constexpr std::array all{"quicksort", "mergesort", "tree-134ns", "tree-1us", "tree-3us"};
  return std::ranges::find(all, r.program) != all.end();
}

bool is_to_speed_up(const program_result& r) {
  constexpr std::array all{"queens", "tree-search", "quicksort"};
  return std::ranges::find(all, r.program) != all.end();
}

// A task of a group may cost 60 ns, and a row of the board takes little more.
bool may_speed_up(const series& s, const program_result& r) {
  return is_to_speed_up(r) && !(r.program == "queens" && s.of.schedule == "group");
}

// ours(series, program, where) of all that doall ran on so many workers.
void each_of_ours(const recursions& all, const char* door, const auto& visit) {
  for (const program_result& r : all.programs) {
    for (const series& s : r.all) {
      if (s.of.is_ours() && s.of.who->door == door) {
        visit(r, s, fmt::format("{} {}", r.program, s.of.schedule));
      }
    }
  }
}

void judge_all_workers(const recursions& all, unsigned workers, std::vector<verdict>& to) {
  constexpr double slack = 0.08;
  number_demand serial("all workers over serial", demand::limit::most, 1.02);
  number_demand speed_up("all workers over serial, searches and quicksort", demand::limit::most,
                         1.0 / workers + slack);
  each_of_ours(all, all_workers, [&](const auto& r, const series& s, const std::string& where) {
    if (is_only_calls(r)) return;
    const ratio found = ratio_of(s.rounds_ns, r.serial.rounds_ns);
    serial.add(where, found, s.given_up);
    if (workers > 1 && may_speed_up(s, r)) speed_up.add(where, found, s.given_up);
  });
  serial.give(to);
  speed_up.give(to);
}

void judge_efficiency(const recursions& all, std::vector<verdict>& to) {
  number_demand efficiency("serial over one worker, bodies over 100 ns", demand::limit::least,
                           0.98);
  each_of_ours(all, one_worker, [&](const auto& r, const series& s, const std::string& where) {
    if (!has_long_bodies(r) || s.of.schedule == "group") return;
    efficiency.add(where, ratio_of(r.serial.rounds_ns, s.rounds_ns), s.given_up);
  });
  efficiency.give(to);
}

// fib(n) forks once a call of two or more.
double forks_of_fib(bool quick) {
  const unsigned n = quick ? 18 : 30;
  double before = 1;
  double now = 1;
  for (unsigned i = 2; i <= n; ++i) before = std::exchange(now, now + before);
  return now - 1;
}

void judge_fib(const recursions& all, unsigned workers, std::vector<verdict>& to) {
  constexpr double slack = 0.08;
  number_demand scales("fib, all workers over one", demand::limit::most, 1.0 / workers + slack);
  number_demand ahead("fib, TBB's time over ours, all workers", demand::limit::least, 3);
  number_demand price("a group's task, ns", demand::limit::most, 60);
  for (const program_result& r : all.programs) {
    if (!is_only_calls(r)) continue;
    for (const char* form : pair_forms) {
      const series* shared = series_of(r, "doall", form, all_workers);
      const series* alone = series_of(r, "doall", form, one_worker);
      if (shared == nullptr || alone == nullptr) continue;
      const std::string where = fmt::format("fib {}", form);
      const bool gone = shared->given_up || alone->given_up;
      if (workers > 1) scales.add(where, ratio_of(shared->rounds_ns, alone->rounds_ns), gone);
      if (const series* tbb = series_of(r, "tbb", form, all_workers)) {
        ahead.add(where, ratio_of(tbb->rounds_ns, shared->rounds_ns), gone || tbb->given_up);
      }
      if (std::string_view(form) != "group") continue;
      std::vector<double> costs_ns;
      for (std::size_t i = 0; i < alone->rounds_ns.size(); ++i) {
        costs_ns.push_back((alone->rounds_ns[i] - r.serial.rounds_ns[i]) / forks_of_fib(all.quick));
      }
      price.add(where, median_ratio(costs_ns), alone->given_up);
    }
  }
  scales.give(to);
  ahead.give(to);
  price.give(to);
}

void judge_chains(const recursions& all, std::vector<verdict>& to) {
  if (all.chains.empty()) return;
  const std::uint64_t shortest = chain_levels(all.quick).front();
  const std::uint64_t longest = chain_levels(all.quick).back();
  number_demand linear(fmt::format("deep chain, a level of {} over one of {}", longest, shortest),
                       demand::limit::most, 2);
  number_demand deep("deep chain of loops, serial's stack over ours", demand::limit::least, 0.25);
  const double serial_bytes = all.chains[1].bytes_a_level;
  for (const chain_series& s : all.chains) {
    if (!s.of.is_ours() || s.is_serial()) continue;
    const std::string where = fmt::format("{} on {} worker{}", s.of.schedule, s.of.who->door,
                                          s.of.who->door == all_workers ? "s" : "");
    const auto* from = s.at(shortest);
    const auto* at = s.at(longest);
    if (from == nullptr || at == nullptr) {
      linear.miss(where + ", " + s.given_up);
    } else {
      const double longer = static_cast<double>(longest) / static_cast<double>(shortest);
      ratio found = ratio_of(at->rounds_ns, from->rounds_ns);
      found.median /= longer;
      if (found.interval) {
        found.interval->low /= longer;
        found.interval->high /= longer;
      }
      linear.add(where, found);
    }
    // Pairs are not asked: a serial level of them is a return address and one register. The
    // bytes are the same in every round, but for what was stolen.
    const bool in_loops = s.of.schedule == "for";
    if (in_loops && s.bytes_a_level > 0) {
      deep.add(where, {serial_bytes / s.bytes_a_level}, all.chain_rounds >= judged_rounds_min);
    }
  }
  linear.give(to);
  deep.give(to);
}

}  // namespace

const series* series_of(const program_result& r, const std::string& runtime,
                        const std::string& form, const char* door) {
  return fastest_that(r.all, [&](const entrant& e) {
    return e.who->runtime == runtime && e.schedule == form && e.who->door == door;
  });
}

std::vector<verdict> judge(const recursions& all) {
  const unsigned workers = all.asked.setting.threads;
  std::vector<verdict> made;
  judge_all_workers(all, workers, made);
  judge_fib(all, workers, made);
  judge_efficiency(all, made);
  judge_chains(all, made);
  return made;
}

}  // namespace doall::bench
