// Loops that run on one thread and write down what each iteration costs: for virtual time.
//
// The unit is a look at a neighbour. An iteration costs its looks, and `vertex_cost` for what it
// does in any case: it reads where its row begins, and writes a result. That all neighbours cost
// the same, in the cache or not, is an estimate; the counts are exact.
//
// A costed loop's costs are the graph's: they are written down once. A guarded loop's differ from
// execution to execution. Of those up to `kept_most` are kept, evenly spread over the run, and each
// stands for those that were left out beside it: a road network's search has two thousand.
#pragma once

#include <algorithm>
#include <bit>
#include <memory>
#include <vector>

#include "base/rng.hpp"
#include "kernels/cows_kernel.hpp"

namespace doall::bench {

struct recorded_costs {
  std::size_t iterations = 0;
  std::vector<double> each;            // empty: all the same, vertex_cost
  std::vector<double> estimated = {};  // what is taken for them before the loop; empty: these

  // The same for the same costs, whoever recorded them.
  std::uint64_t fingerprint() const {
    base::rng mixed(iterations);
    for (const auto* costs : {&each, &estimated}) {
      for (const double cost : *costs)
        mixed = base::rng(mixed.next() ^ std::bit_cast<std::uint64_t>(cost));
    }
    return mixed.next();
  }
};

// Executions of one loop of the source with the same costs.
struct recorded_loop {
  std::string site;
  loop_kind kind = loop_kind::uniform;
  double times = 0;  // how often it ran, or how many executions this one stands for
  std::shared_ptr<const recorded_costs> costs;
  std::uint64_t fingerprint = 0;  // of the costs
};

class loop_recorder {
 public:
  static constexpr double vertex_cost = 2;
  static constexpr std::size_t kept_most = 8;

  // A loop has begun; null: its costs need not be told.
  recorded_costs* begin(const char* name, loop_kind kind, std::size_t count) {
    site& s = site_of(name, kind);
    const std::size_t execution = s.executions++;
    if (kind != loop_kind::guarded && execution > 0) return nullptr;
    if (execution % s.stride != 0) return nullptr;
    if (s.kept.size() == kept_most) {
      // Every other one goes, and from now on fewer are kept.
      for (std::size_t i = 1; 2 * i < s.kept.size(); ++i) s.kept[i] = std::move(s.kept[2 * i]);
      s.kept.resize((s.kept.size() + 1) / 2);
      s.stride *= 2;
      if (execution % s.stride != 0) return nullptr;
    }
    s.kept.push_back(std::make_shared<recorded_costs>());
    recorded_costs& made = *s.kept.back();
    made.iterations = count;
    if (kind == loop_kind::uniform) return nullptr;
    made.each.reserve(count);
    return &made;
  }

  // All loops so far, in the order in which they first ran.
  std::vector<recorded_loop> take() const {
    std::vector<recorded_loop> all;
    for (const site& s : sites_) {
      const double each = static_cast<double>(s.executions) / static_cast<double>(s.kept.size());
      for (const auto& costs : s.kept)
        all.push_back({s.name, s.kind, each, costs, costs->fingerprint()});
    }
    return all;
  }

  // How many loops have run.
  std::size_t executions() const {
    std::size_t sum = 0;
    for (const site& s : sites_) sum += s.executions;
    return sum;
  }

 private:
  struct site {
    std::string name;
    loop_kind kind;
    std::size_t executions = 0;
    std::size_t stride = 1;
    std::vector<std::shared_ptr<recorded_costs>> kept = {};
  };

  site& site_of(const char* name, loop_kind kind) {
    const auto found = std::ranges::find(sites_, name, &site::name);
    return found != sites_.end() ? *found : sites_.emplace_back(site{name, kind});
  }

  std::vector<site> sites_;
};

class recorded_cows_loops {
 public:
  explicit recorded_cows_loops(loop_recorder& recorder) : recorder_(recorder) {}

  template <class Body>
  void each(loop_kind kind, const char* site, std::size_t count, const Body& body) const {
    recorded_costs* const costs = recorder_.begin(site, kind, count);
    for (std::size_t i = 0; i < count; ++i) {
      if constexpr (requires { double(body(i)); }) {
        const double looks = body(i);
        if (costs != nullptr) costs->each.push_back(loop_recorder::vertex_cost + looks);
      } else {
        body(i);
      }
    }
  }

  template <class Body>
  auto sum(const char* site, std::size_t count, const Body& body) const {
    recorder_.begin(site, loop_kind::uniform, count);
    return serial_loops{}.sum(count, body);
  }

 private:
  loop_recorder& recorder_;
};

}  // namespace doall::bench
