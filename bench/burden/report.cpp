#include "burden/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "burden/lane.hpp"
#include "cli/table.hpp"
#include "common/load_watch.hpp"
#include "common/machine.hpp"
#include "common/statistics.hpp"

namespace doall::bench {
namespace {

using nlohmann::ordered_json;

// A series with its numbers.
struct row {
  const series* of;
  summary loop_ns;
  std::optional<double> round_trips;   // median over the round trip's
  std::optional<estimate> to_libgomp;  // over libgomp's counterpart, round by round
};

struct rows {
  std::vector<row> best;    // one for each runtime, door and schedule; alike schedules together
  std::vector<row> slower;  // the same contender under the settings that lost
};

bool same_contender(const series& a, const series& b) {
  return a.runtime == b.runtime && a.door == b.door && a.schedule == b.schedule;
}

rows make_rows(const measurement& m) {
  rows made;
  for (const series& s : m.all) {
    row candidate{&s, summarise(s.batches_ns), std::nullopt, std::nullopt};
    if (!m.round_trips_ns.empty()) {
      candidate.round_trips = candidate.loop_ns.median / median_of(m.round_trips_ns);
    }
    const auto rival =
        std::ranges::find_if(made.best, [&](const row& r) { return same_contender(*r.of, s); });
    if (rival == made.best.end()) {
      made.best.push_back(candidate);
      continue;
    }
    if (candidate.loop_ns.median < rival->loop_ns.median) std::swap(candidate, *rival);
    made.slower.push_back(candidate);
  }

  for (std::vector<row>* some : {&made.best, &made.slower}) {
    for (row& r : *some) {
      const std::string name = counterpart(r.of->schedule);
      const auto peer = std::ranges::find_if(made.best, [&](const row& other) {
        return other.of->runtime == "libgomp" && other.of->schedule == name;
      });
      if (peer != made.best.end())
        r.to_libgomp = paired_ratio(r.of->rounds_ns, peer->of->rounds_ns);
    }
  }

  // Rows that do the same stand together, in the order in which a schedule first appears.
  std::vector<std::string> order;
  for (const row& r : made.best) order.push_back(counterpart(r.of->schedule));
  std::ranges::stable_sort(made.best, {}, [&](const row& r) {
    const std::string name = counterpart(r.of->schedule);
    return name.empty() ? order.end() : std::ranges::find(order, name);
  });
  return made;
}

// A virtual machine's CPUs may be moved while it runs: now two threads of one
// core, now two cores, with round trips that differ several times. Rounds stay
// comparable, medians over all of them mix the two.
std::string moved_text(const measurement& m) {
  constexpr double same_place = 1.5;
  const double usual_ns = median_of(m.round_trip_rounds_ns);
  const auto moved = std::ranges::count_if(m.round_trip_rounds_ns, [&](double ns) {
    return ns > usual_ns * same_place || ns < usual_ns / same_place;
  });
  if (moved == 0) return "";
  return fmt::format(
      "The round trip was another in {} of {} rounds: these CPUs are moved, or others use them\n",
      moved, m.round_trip_rounds_ns.size());
}

std::string summary_text(const report& r) {
  const measurement& m = r.measured;
  std::string text =
      fmt::format("An empty loop of {} iterations, {} threads{}, {} rounds, on {}\n", iterations,
                  r.setting.threads, r.setting.pinned ? ", pinned" : "", r.rounds, machine_name());
  if (m.round_trips_ns.empty()) {
    text += "Cache-line round trip: not measured, this process has one CPU\n";
  } else {
    const summary trip = summarise(m.round_trips_ns);
    text += fmt::format("Cache-line round trip, CPUs {} and {}: {:.0f} ns ({:.0f}..{:.0f})\n",
                        r.setting.cpus[0], r.setting.cpus[1], trip.median, trip.p5, trip.p95);
    text += moved_text(m);
  }
  text += load_text(m.others_share);
  for (const std::string& who : r.left_out) text += "Left out: " + who + '\n';
  return text;
}

// One decimal is a tenth of a nanosecond: finer than the clock tells.
double rounded(double ns) { return std::round(ns * 10) / 10; }

std::vector<double> rounded(std::vector<double> all_ns) {
  for (double& ns : all_ns) ns = rounded(ns);
  return all_ns;
}

ordered_json row_json(const row& r) {
  ordered_json json{
      {"runtime", r.of->runtime},
      {"door", r.of->door},
      {"schedule", r.of->schedule},
      {"threads", r.of->threads},
      {"median_ns", rounded(r.loop_ns.median)},
      {"min_ns", rounded(r.loop_ns.min)},
      {"max_ns", rounded(r.loop_ns.max)},
      {"p5_ns", rounded(r.loop_ns.p5)},
      {"p95_ns", rounded(r.loop_ns.p95)},
      {"shared_part", r.of->shared_part},
      {"rounds_ns", rounded(r.of->rounds_ns)},
      {"setting", r.of->setting},
      {"library", r.of->library},
      {"ratio_to_libgomp", nullptr},
  };
  if (r.to_libgomp) {
    json["ratio_to_libgomp"] = {
        {"median", r.to_libgomp->median}, {"low", r.to_libgomp->low}, {"high", r.to_libgomp->high}};
  }
  return json;
}

ordered_json rows_json(const std::vector<row>& some) {
  ordered_json list = ordered_json::array();
  for (const row& r : some) list.push_back(row_json(r));
  return list;
}

}  // namespace

std::string to_text(const report& r) {
  using cli::align;
  cli::table table({{"schedule"},
                    {"runtime"},
                    {"door"},
                    {"median ns", align::right},
                    {"p5..p95", align::right},
                    {"min..max", align::right},
                    {"round trips", align::right},
                    {"to libgomp, 95%", align::right},
                    {"shared", align::right},
                    {"best setting"}});
  for (const row& line : make_rows(r.measured).best) {
    const summary& ns = line.loop_ns;
    table.add_row({
        line.of->schedule,
        line.of->runtime,
        line.of->door,
        fmt::format("{:.0f}", ns.median),
        fmt::format("{:.0f}..{:.0f}", ns.p5, ns.p95),
        fmt::format("{:.0f}..{:.0f}", ns.min, ns.max),
        line.round_trips ? fmt::format("{:.2f}", *line.round_trips) : "-",
        line.to_libgomp ? fmt::format("{:.2f} [{:.2f}, {:.2f}]", line.to_libgomp->median,
                                      line.to_libgomp->low, line.to_libgomp->high)
                        : "-",
        cli::percent_text(line.of->shared_part),
        line.of->setting,
    });
  }
  return summary_text(r) + '\n' + table.to_text();
}

ordered_json to_json(const report& r) {
  const measurement& m = r.measured;
  const rows made = make_rows(m);
  ordered_json json{
      {"schema", "doall-bench-burden/1"},
      {"round_trip_ns", nullptr},
      {"round_trip_rounds_ns", rounded(m.round_trip_rounds_ns)},
      {"machine", machine_name()},
      {"iterations", iterations},
      {"rounds", r.rounds},
      {"pinned", r.setting.pinned},
      {"others_cpu_share", m.others_share},
      {"rows", rows_json(made.best)},
      {"slower_settings", rows_json(made.slower)},
      {"left_out", r.left_out},
  };
  if (!m.round_trips_ns.empty()) json["round_trip_ns"] = rounded(median_of(m.round_trips_ns));
  return json;
}

}  // namespace doall::bench
