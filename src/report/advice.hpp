// Which schedule a machine's model runs a recorded loop best under, what that would gain, and where
// the time goes that is lost.
//
// Everything is predicted, also what the schedule of the recorded run would take there: so both
// sides leave out the same things (docs/guide/simulate.md).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "sim/workload.hpp"

namespace doall::cli {

// The workers' time, P times a call's, in parts: in iterations; until the data of these are there;
// to get chunks, with the wait for a queue; waiting for the last worker; in the launch and the
// join.
struct shares {
  double work = 0;
  double communication = 0;
  double synchronisation = 0;
  double imbalance = 0;
  double burden = 0;
};

struct prediction {
  std::string schedule;
  double time_us = 0;  // of a call
  shares of;
};

struct advice {
  const sim::workload_loop* loop = nullptr;
  std::optional<prediction> today;  // the recorded schedule, there
  prediction best;
  double serial_us = 0;
  std::uint32_t workers = 1;

  bool pays() const { return best.time_us < serial_us; }
  // Whether another schedule than the recorded one is better.
  bool changes() const { return !today || today->schedule != best.schedule; }
  // The part of a recorded call's time that the best schedule would save: what is predicted, but
  // for as many workers no more than those have lost in the recorded run.
  double saves() const;
};

// The recorded schedule, unless another one is better by more than predictions tell apart. A chunk
// that the loop's source names stays whole under a schedule that names none, so of such a loop only
// schedules are tried that name one. A few of the loop's calls are run: some schedules learn from
// call to call. Calls `before` with the name of each schedule that it is about to try.
advice advise(const sim::workload_loop& loop, const sim::machine& on, std::uint32_t workers,
              const std::function<void(std::string_view)>& before);

// `doall advise` and the report say this.
std::string text_of_advice(const advice& a);

}  // namespace doall::cli
