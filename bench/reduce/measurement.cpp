#include "reduce/measurement.hpp"

#include <fmt/format.h>

#include <sstream>

#include "common/load_watch.hpp"
#include "common/shuffle.hpp"
#include "common/statistics.hpp"

namespace doall::bench {
namespace {

// Whose turn it is, and where its times go.
struct turn {
  lane_process* lane;
  series* to;
};

std::vector<double> time(const turn& t, const task& what) {
  const std::string text =
      t.lane->ask(fmt::format("time {} {} {}", t.to->schedule, what.reduction, what.elements));
  std::istringstream answer(text);
  std::vector<double> times_ns;
  for (double ns = 0; answer >> ns;) times_ns.push_back(ns);
  if (!answer.eof() || times_ns.empty()) {
    throw lane_error(fmt::format("{}, {}, {} of {} elements: {}", t.lane->name(), t.to->schedule,
                                 what.reduction, what.elements, text));
  }
  return times_ns;
}

series series_of(const contender& c, const std::string& schedule) {
  return {.runtime = c.runtime,
          .door = c.door,
          .setting = c.setting,
          .library = c.lane->library(),
          .schedule = schedule,
          .threads = c.lane->threads()};
}

// The serial loop is in every lane; one of them runs it.
task_result without_times(const task& what, const std::vector<contender>& present) {
  task_result made{what, series_of(present.front(), "serial")};
  for (const contender& c : present) {
    for (const std::string& schedule : c.lane->offers()) made.all.push_back(series_of(c, schedule));
  }
  return made;
}

std::vector<turn> turns_of(task_result& r, std::vector<contender>& present) {
  std::vector<turn> turns{{present.front().lane.get(), &r.serial}};
  std::size_t next = 0;
  for (const contender& c : present) {
    for (std::size_t s = 0; s < c.lane->offers().size(); ++s) {
      turns.push_back({c.lane.get(), &r.all[next++]});
    }
  }
  return turns;
}

}  // namespace

const std::vector<task>& all_tasks() {
  static const std::vector<task> tasks = [] {
    std::vector<task> made;
    for (const char* reduction : {"dot", "histogram"}) {
      for (std::size_t n = 1'000; n <= 10'000'000; n *= 10) made.push_back({reduction, n});
    }
    return made;
  }();
  return tasks;
}

measurement measure(std::vector<contender>& present, unsigned rounds,
                    const std::function<void(unsigned)>& progress) {
  measurement m;
  for (const task& what : all_tasks()) m.tasks.push_back(without_times(what, present));

  const load_watch load(present);
  base::rng random(1);
  for (unsigned round = 0; round < rounds; ++round) {
    progress(round);
    for (task_result& r : m.tasks) {
      std::vector<turn> turns = turns_of(r, present);
      shuffle(turns, random);
      for (const turn& t : turns) {
        const std::vector<double> times = time(t, r.what);
        t.to->batches_ns.insert(t.to->batches_ns.end(), times.begin(), times.end());
        t.to->rounds_ns.push_back(median_of(times));
      }
    }
  }
  m.others_share = load.others_share();
  return m;
}

}  // namespace doall::bench
