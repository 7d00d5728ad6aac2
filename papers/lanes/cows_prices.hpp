// What the driver asks of the native lane besides times (experiments/cows_prices.cpp):
//   watch PROGRAM SCHEDULE   imbalance of executed cost, thefts tried and done, and those of them
//                            that were in costed loops; of a run each, not timed; zeros where
//                            nobody steals
//   costs PROGRAM            vertices, directed edges, costed loops a run
//   first PROGRAM            ns of sums that are made for the first time, several numbers
//   reused PROGRAM           ns of sums that are there, several numbers
//   reserve SCHEDULE         ns a reservation, several numbers
//   reserve addition         ns a locked addition to a line that nobody else wants, likewise
#pragma once

#include <doall/doall.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/rng.hpp"
#include "base/sync.hpp"
#include "kernels/cows_programs.hpp"
#include "kernels/harness.hpp"
#include "lanes/cows_watched.hpp"
#include "lanes/server.hpp"
#include "schedule/cows/initial_lists.hpp"

namespace doall::bench {

// The price of a reservation: one of two workers takes its list, as a door would ask the schedule.
// The other one does not come, and nobody is stolen from.
class reservation_loop {
 public:
  // Of that schedule's text. Throws std::invalid_argument for what is not one.
  explicit reservation_loop(const std::string& text) : how_(spec_of(schedule(text))) {
    if (!how_.has(schedules::uses_costs)) return;
    base::rng random(1);
    sums_.push_back(0);
    while (sums_.size() <= shape.iterations) sums_.push_back(sums_.back() + 1 + random.below(16));
    costs_ = sums_by_owner({sums_.data(), shape.iterations}, shape, how_.given, by_owner_);
    own_ = schedules::initial_lists({.shape = shape, .given = how_.given, .costs = costs_})
               .of(0, costs_)
               .size();
  }

  // One execution: nanoseconds a reservation. The first one, which makes the worker's list, is not
  // among them.
  double run() {
    const schedules::operations& does = how_.run();
    does.construct(object_.data(), {.shape = shape,
                                    .given = how_.given,
                                    .lines = lines_.data(),
                                    .epoch = ++epoch_,
                                    .costs = costs_});
    schedules::range_walk walk{.object = object_.data(),
                               .me = {0, 0},
                               .source = {.last = shape.iterations},
                               .iterations = shape.iterations,
                               .otherwise = [](schedules::range_walk& at, std::uint64_t*,
                                               std::uint64_t*) { return !at.rest.empty(); }};
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    std::uint64_t left = own_;
    if (does.next_range(walk, &first, &last)) left -= last - first;
    const std::uint64_t begin_turn = walk.me.turn;  // which next_range() counts
    const std::uint64_t begin_ns = base::now_ns();
    while (left != 0 && does.next_range(walk, &first, &last)) left -= last - first;
    const double took_ns = static_cast<double>(base::now_ns() - begin_ns);
    return took_ns / static_cast<double>(walk.me.turn - begin_turn);
  }

 private:
  static constexpr schedules::loop_shape shape{.iterations = 1 << 20, .workers = 2};

  struct alignas(base::apart_bytes) block {
    std::byte bytes[base::apart_bytes];
  };

  schedules::spec how_;
  std::vector<std::uint64_t> sums_;
  std::vector<std::uint64_t> by_owner_;
  schedules::cost_sums costs_;
  std::uint64_t own_ = shape.iterations / shape.workers;  // iterations in the worker's list
  std::array<block, schedules::object_bytes / sizeof(block)> object_;
  std::array<schedules::worker_line, shape.workers> lines_{};
  std::uint64_t epoch_ = 0;
};

using durations_ns = std::vector<double>;

// What costs are, of loops over a graph's vertices that do nothing.
class cost_prices {
 public:
  explicit cost_prices(std::span<const std::uint64_t> row_pointer)
      : row_pointer_(row_pointer), count_(row_pointer.size() - 1) {}

  // How much longer a loop takes whose sums are to be made than the same one once more.
  durations_ns first() const {
    constexpr int pairs = 101;
    cost_table table(row_pointer_);
    return differences(
        pairs,
        [&] {
          table.changed();
          return loop_ns({.how = schedule::wsrw(), .costs = table});
        },
        [&] { return loop_ns({.how = schedule::wsrw(), .costs = table}); });
  }

  // How much longer a loop takes to begin whose sums are there than wsri without costs: each worker
  // reserves all of its list at once, so that loops have nothing else to do.
  durations_ns reused() const {
    constexpr int pairs = 501;
    const cost_table table(row_pointer_);
    return differences(
        pairs, [&] { return loop_ns({.how = schedule::wsrw(count_), .costs = table}); },
        [&] { return loop_ns({.how = schedule::wsri(count_)}); });
  }

 private:
  double loop_ns(const loop_options& options) const {
    const std::uint64_t begin_ns = base::now_ns();
    parallel_for(std::size_t{0}, count_, [](std::size_t) {}, options);
    return static_cast<double>(base::now_ns() - begin_ns);
  }

  // Of one() and other(), which comes directly after it.
  template <class One, class Other>
  static durations_ns differences(int pairs, const One& one, const Other& other) {
    one();  // wakes the threads
    other();
    durations_ns found;
    for (int i = 0; i < pairs; ++i) {
      const double longer_ns = one();
      found.push_back(longer_ns - other());
    }
    return found;
  }

  std::span<const std::uint64_t> row_pointer_;
  std::size_t count_;
};

class lane_prices {
 public:
  // `use` sets the schedule of `warm_up`, which goes through the door that is timed.
  lane_prices(bench::size s, const std::vector<graph_input>& graphs, const program& warm_up,
              std::function<void(const std::string&)> use)
      : size_(s),
        watched_(cows_programs(
            [this](auto& k) {
              bench::run(k, watched_cows_loops(schedule_, k.graph().row_pointer(), found_));
            },
            graphs)),
        inputs_(cows_programs([this](auto& k) { graph_ = &k.graph(); }, graphs)),
        warm_up_(warm_up),
        use_(std::move(use)) {}
  lane_prices(const lane_prices&) = delete;
  lane_prices& operator=(const lane_prices&) = delete;

  std::string watch(std::istream& request) {
    const std::string name = next_of(request);
    const std::string schedule = next_of(request);
    const watched_run ran = run(name, schedule, watching::executed_cost);
    watched_run stole;
    if (counted_schedule(schedule).counts()) stole = run(name, schedule, watching::steals);
    const auto number = [](auto count) { return static_cast<double>(count); };
    return in_a_line({ran.imbalance(), number(stole.all.tried), number(stole.all.done),
                      number(stole.costed.tried), number(stole.costed.done)});
  }

  std::string costs(std::istream& request) {
    const std::string name = next_of(request);
    const std::uint64_t costed_loops = run(name, "wsrw", watching::executed_cost).costed_loops;
    std::string line;
    with_graph(name, [&](const ordered_graph& g) {
      line = in_a_line({static_cast<double>(g.vertices()), static_cast<double>(g.directed_edges()),
                        static_cast<double>(costed_loops)});
    });
    return line;
  }

  std::string first(std::istream& request) {
    durations_ns found;
    with_graph(next_of(request),
               [&](const ordered_graph& g) { found = cost_prices(g.row_pointer()).first(); });
    return in_a_line(found);
  }

  std::string reused(std::istream& request) {
    durations_ns found;
    with_graph(next_of(request),
               [&](const ordered_graph& g) { found = cost_prices(g.row_pointer()).reused(); });
    return in_a_line(found);
  }

  static std::string reserve(std::istream& request) {
    const std::string text = next_of(request);
    if (text == "addition") return prices_of(addition_ns);
    reservation_loop loop(text);
    return prices_of([&] { return loop.run(); });
  }

 private:
  template <class Run>
  static std::string prices_of(const Run& run) {
    constexpr int executions = 11;
    run();  // the first one is cold
    durations_ns found;
    for (int i = 0; i < executions; ++i) found.push_back(run());
    return in_a_line(found);
  }

  static double addition_ns() {
    constexpr int additions = 1 << 16;
    sync::atomic<std::uint64_t> word{0};
    const std::uint64_t begin_ns = base::now_ns();
    // (1) relaxed; alone: nobody else has the word
    for (int i = 0; i < additions; ++i) word.fetch_add(1, sync::relaxed);
    return static_cast<double>(base::now_ns() - begin_ns) / additions;
  }

  // The program that was last watched is kept: the driver asks for one after the other.
  void take(const std::string& name) {
    if (taken_ && name_ == name) return;
    taken_.reset();  // two programs may be too large
    taken_ = std::make_unique<harness>(named(watched_, name, &program::name), size_, warm_up_);
    name_ = name;
  }

  watched_run run(const std::string& name, const std::string& schedule, watching what) {
    take(name);
    use_(schedule);
    schedule_ = schedule;
    found_ = {.what = what};
    taken_->time(way::parallel, 1, 1);
    return found_;
  }

  template <class Use>
  void with_graph(const std::string& name, const Use& use) {
    const program& input = named(inputs_, name, &program::name);
    const std::unique_ptr<kernel> made = input.make(size_);
    input.parallel(*made);
    use(*graph_);
  }

  bench::size size_;
  std::vector<program> watched_;
  std::vector<program> inputs_;
  const program& warm_up_;
  std::function<void(const std::string&)> use_;

  std::unique_ptr<harness> taken_;
  std::string name_;
  std::string schedule_;  // of watched_
  watched_run found_;
  const ordered_graph* graph_ = nullptr;
};

}  // namespace doall::bench
