// Through the native door, untimed: what each worker executes, or how often workers steal.
// cows_loops.hpp says what the members do.
#pragma once

#include <doall/doall.hpp>

#include <algorithm>
#include <optional>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "lanes/cows_counted.hpp"
#include "lanes/cows_native.hpp"
#include "lanes/cows_recorded.hpp"
#include "lanes/doall.hpp"

namespace doall::bench {

// What is to be found out by a run of a program: of both, for they would disturb each other, one.
//   executed_cost  the loops as they are timed, but that workers add up what they execute
//   steals         by schedules that count them (cows_counted.hpp)
enum class watching { executed_cost, steals };

// Of one run. Costs are in looks at a neighbour, as in virtual time (cows_recorded.hpp).
struct watched_run {
  watching what = watching::executed_cost;

  // Sums over the loops that are not uniform.
  double busiest = 0;  // worker
  double mean = 0;
  std::uint64_t costed_loops = 0;

  steal_counts all = {};     // loops
  steal_counts costed = {};  // of them, in costed ones

  double imbalance() const { return mean > 0 ? busiest / mean : 1; }
};

// What each thread executes in a loop.
class executed_costs {
 public:
  executed_costs() : by_thread_(threads_most) {}

  void begin() { std::ranges::fill(by_thread_, own_cost{}); }
  void add(double cost) { by_thread_[number_here()].cost += cost; }

  double busiest() const { return std::ranges::max(by_thread_, {}, &own_cost::cost).cost; }
  double all() const {
    double sum = 0;
    for (const own_cost& one : by_thread_) sum += one.cost;
    return sum;
  }

 private:
  // A loop has 1,024 workers at most, and the crew's are always the same threads.
  static constexpr std::uint32_t threads_most = 2048;

  struct alignas(base::apart_bytes) own_cost {
    double cost = 0;
  };

  // The calling thread's, the same in all loops.
  static std::uint32_t number_here() {
    static constinit sync::atomic<std::uint32_t> numbers{0};
    // (1) relaxed; alone: the number itself is all that is communicated
    static thread_local const std::uint32_t mine = numbers.fetch_add(1, sync::relaxed);
    return mine % threads_most;
  }

  std::vector<own_cost> by_thread_;
};

class watched_cows_loops {
 public:
  watched_cows_loops(const std::string& text, std::span<const std::uint64_t> row_pointer,
                     watched_run& found)
      : native_(text, row_pointer),
        degrees_(row_pointer),
        goes_by_cost_(schedule_of(loop_kind::guarded, text) != text),
        found_(found) {
    if (found.what == watching::executed_cost) return;
    for (const loop_kind kind : {loop_kind::uniform, loop_kind::costed, loop_kind::guarded}) {
      auto& how = counted_[static_cast<std::size_t>(kind)];
      how.emplace(schedule_of(kind, text));
      if (!how->counts()) how.reset();
    }
  }

  template <class Body>
  void each(loop_kind kind, const char* site, std::size_t count, const Body& body,
            const std::source_location& where = std::source_location::current()) const {
    if (found_.what == watching::steals) {
      if (auto& how = counted_[static_cast<std::size_t>(kind)]) {
        const loop_options options{.how = how->begin(costs_of(kind))};
        doall_loops{options}.each(count, [&body](std::size_t i) { body(i); }, where);
        return add(kind, how->counted());
      }
    } else if constexpr (requires { double(body(count)); }) {
      if (kind != loop_kind::uniform) return weigh(kind, site, count, body, where);
    }
    native_.each(kind, site, count, body, where);
  }

  template <class Body>
  auto sum(const char* site, std::size_t count, const Body& body,
           const std::source_location& where = std::source_location::current()) const {
    auto& how = counted_[static_cast<std::size_t>(loop_kind::uniform)];
    if (!how) return native_.sum(site, count, body, where);
    const loop_options options{.how = how->begin({})};
    const auto found = doall_loops{options}.sum(count, body, where);
    add(loop_kind::uniform, how->counted());
    return found;
  }

 private:
  // wsrw's; wsri has them too where it runs what wsrw gives way to (src/costs/loop_costs.hpp).
  schedules::cost_sums costs_of(loop_kind kind) const {
    if (!goes_by_cost_ || kind == loop_kind::uniform) return {};
    return {degrees_.data(), degrees_.size() - 1};
  }

  void add(loop_kind kind, const steal_counts& counted) const {
    found_.all += counted;
    if (kind == loop_kind::costed) found_.costed += counted;
  }

  template <class Body>
  void weigh(loop_kind kind, const char* site, std::size_t count, const Body& body,
             const std::source_location& where) const {
    executed_.begin();
    const auto weighed = [&](std::size_t i) {
      const double looks = body(i);
      executed_.add(loop_recorder::vertex_cost + looks);
    };
    native_.each(kind, site, count, weighed, where);
    found_.busiest += executed_.busiest();
    found_.mean += executed_.all() / doall_threads();
    if (kind == loop_kind::costed) ++found_.costed_loops;
  }

  native_cows_loops native_;
  std::span<const std::uint64_t> degrees_;
  bool goes_by_cost_;
  watched_run& found_;
  mutable executed_costs executed_;
  mutable std::optional<counted_schedule> counted_[3];
};

}  // namespace doall::bench
