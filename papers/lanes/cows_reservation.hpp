// The price of a reservation: one of two workers takes its list, as a door would ask the schedule.
// The other one does not come, and nobody is robbed.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/rng.hpp"
#include "lanes/cows_counted.hpp"

namespace doall::bench {

class reservation_loop {
 public:
  // Of that schedule's text. Throws std::invalid_argument for what is not one.
  explicit reservation_loop(const std::string& text) : how_(spec_of(schedule(text))) {
    if (!how_.has(schedules::uses_costs)) return;
    base::rng random(1);
    sums_.push_back(0);
    while (sums_.size() <= shape.iterations) sums_.push_back(sums_.back() + 1 + random.below(16));
    costs_ = sums_by_owner({sums_.data(), shape.iterations}, shape, how_.given, by_owner_);
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
    std::uint64_t left = shape.iterations / shape.workers;
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
  std::array<block, schedules::object_bytes / sizeof(block)> object_;
  std::array<schedules::worker_line, shape.workers> lines_{};
  std::uint64_t epoch_ = 0;
};

}  // namespace doall::bench
