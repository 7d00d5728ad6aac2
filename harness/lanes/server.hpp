// The lane's end of the one protocol between lanes and the driver (driver/lane_process.hpp). A lane
// is a runtime in a process of its own, which runs loops when the driver asks: libgomp, our
// libgomp.so.1 and libomp have the same symbols and each its own threads, so no two of them can
// share a process.
//
// One line each way:
//   the lane begins with   library  threads  offer  offer ...     (tabs; schedules, or programs)
//   VERB WORDS...          numbers, or what else was asked for, with blanks between; or what went
//                          wrong, which begins with no number
// Each lane's header has its verbs. A schedule among WORDS is one that the lane offers, or a text
// that it takes. End of input ends the lane.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace doall::bench {

struct lane {
  std::string library = {};  // what runs the loops
  unsigned threads = 1;      // a loop has
  std::vector<std::string> offers = {};
  // Answers by their requests' first word. What they throw is then the answer.
  std::map<std::string, std::function<std::string(std::istream& words)>> verbs = {};
};

// Answers the driver until the input ends.
void serve(const lane& l);

// A request's next word. Throws std::invalid_argument when there is none.
template <class Value = std::string>
Value next_of(std::istream& words) {
  Value found{};
  if (!(words >> found)) throw std::invalid_argument("bad request: too few words");
  return found;
}

// The one of that name. Throws std::invalid_argument when there is none.
template <class All, class Name>
const auto& named(const All& all, const std::string& name, Name name_of) {
  for (const auto& one : all) {
    if (std::invoke(name_of, one) == name) return one;
  }
  throw std::invalid_argument("bad request: nothing here is called " + name);
}

std::string in_a_line(const std::vector<double>& numbers);

// How something short is timed: run(n) runs it n times.
struct batch_plan {
  std::uint64_t warm_up_ns;  // long enough for every thread to be awake and every cache warm
  std::uint64_t least;       // runs a batch
  unsigned batches;
  // Long against a reading of the clock, short against a time slice.
  double batch_ns = 250'000;
};

// Nanoseconds a run, one number a batch.
template <class Run>
std::vector<double> time_batches(const batch_plan& plan, const Run& run) {
  const auto run_ns = [&](std::uint64_t runs) {
    const std::uint64_t begin_ns = base::now_ns();
    run(runs);
    return static_cast<double>(base::now_ns() - begin_ns) / static_cast<double>(runs);
  };
  double last_ns = 0;
  const std::uint64_t begin_ns = base::now_ns();
  do {
    last_ns = run_ns(plan.least);
  } while (base::now_ns() - begin_ns < plan.warm_up_ns);
  const auto fit = static_cast<std::uint64_t>(plan.batch_ns / (last_ns + 1));
  std::vector<double> times_ns(plan.batches);
  for (double& ns : times_ns) ns = run_ns(fit > plan.least ? fit : plan.least);
  return times_ns;
}

}  // namespace doall::bench
