#include "burden/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

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

// A team released and joined in one of fine-grain's ways.
struct variant_row {
  const series* of;
  summary loop_ns;
  std::optional<double> round_trips;
  std::optional<estimate> to_full;  // over the full barrier, round by round
};

struct rows {
  std::vector<row> best;    // one for each runtime, door and schedule; alike schedules together
  std::vector<row> slower;  // the same contender under the settings that lost
};

std::optional<double> in_round_trips(double ns, const measurement& m) {
  if (m.round_trips_ns.empty()) return std::nullopt;
  return ns / median_of(m.round_trips_ns);
}

bool same_contender(const series& a, const series& b) {
  return a.runtime == b.runtime && a.door == b.door && a.schedule == b.schedule;
}

rows make_rows(const measurement& m) {
  rows made;
  for (const series& s : m.all) {
    if (is_barrier_variant(s.setting)) continue;
    row candidate{&s, summarise(s.batches_ns), std::nullopt, std::nullopt};
    candidate.round_trips = in_round_trips(candidate.loop_ns.median, m);
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

// Teams of one size and door together, the full barrier last.
std::vector<variant_row> make_variant_rows(const measurement& m) {
  std::vector<variant_row> made;
  for (const series& s : m.all) {
    if (!is_barrier_variant(s.setting)) continue;
    const summary loop_ns = summarise(s.batches_ns);
    made.push_back({&s, loop_ns, in_round_trips(loop_ns.median, m), std::nullopt});
  }
  for (variant_row& r : made) {
    const auto full = std::ranges::find_if(made, [&](const variant_row& other) {
      return other.of->setting == full_barrier && other.of->door == r.of->door &&
             other.of->threads == r.of->threads;
    });
    if (full != made.end()) r.to_full = paired_ratio(r.of->rounds_ns, full->of->rounds_ns);
  }
  std::ranges::stable_sort(made, {}, [](const variant_row& r) {
    return std::pair(r.of->threads, r.of->door == "gomp");
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

ordered_json ratio_json(const std::optional<estimate>& ratio) {
  if (!ratio) return nullptr;
  return {{"median", ratio->median}, {"low", ratio->low}, {"high", ratio->high}};
}

std::string ratio_text(const std::optional<estimate>& ratio) {
  if (!ratio) return "-";
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", ratio->median, ratio->low, ratio->high);
}

ordered_json series_json(const series& s, const summary& loop_ns) {
  return {
      {"runtime", s.runtime},
      {"door", s.door},
      {"schedule", s.schedule},
      {"threads", s.threads},
      {"median_ns", rounded(loop_ns.median)},
      {"min_ns", rounded(loop_ns.min)},
      {"max_ns", rounded(loop_ns.max)},
      {"p5_ns", rounded(loop_ns.p5)},
      {"p95_ns", rounded(loop_ns.p95)},
      {"shared_part", s.shared_part},
      {"rounds_ns", rounded(s.rounds_ns)},
      {"setting", s.setting},
      {"library", s.library},
  };
}

ordered_json row_json(const row& r) {
  ordered_json json = series_json(*r.of, r.loop_ns);
  json["ratio_to_libgomp"] = ratio_json(r.to_libgomp);
  return json;
}

ordered_json rows_json(const std::vector<row>& some) {
  ordered_json list = ordered_json::array();
  for (const row& r : some) list.push_back(row_json(r));
  return list;
}

ordered_json variants_json(const std::vector<variant_row>& some) {
  ordered_json list = ordered_json::array();
  for (const variant_row& r : some) {
    ordered_json json = series_json(*r.of, r.loop_ns);
    json["ratio_to_full"] = ratio_json(r.to_full);
    list.push_back(json);
  }
  return list;
}

std::string times_text(const std::optional<double>& round_trips) {
  return round_trips ? fmt::format("{:.2f}", *round_trips) : "-";
}

std::string variants_text(const std::vector<variant_row>& some) {
  using cli::align;
  if (some.empty()) return "";
  cli::table table({{"variant"},
                    {"door"},
                    {"P", align::right},
                    {"median ns", align::right},
                    {"p5..p95", align::right},
                    {"round trips", align::right},
                    {"to the full barrier, 95%", align::right}});
  for (const variant_row& line : some) {
    const summary& ns = line.loop_ns;
    table.add_row({line.of->setting, line.of->door, std::to_string(line.of->threads),
                   fmt::format("{:.0f}", ns.median), fmt::format("{:.0f}..{:.0f}", ns.p5, ns.p95),
                   times_text(line.round_trips), ratio_text(line.to_full)});
  }
  return "\nThe same loop, static, by how its team is released and joined\n" + table.to_text();
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
        times_text(line.round_trips),
        ratio_text(line.to_libgomp),
        cli::percent_text(line.of->shared_part),
        line.of->setting,
    });
  }
  return summary_text(r) + '\n' + table.to_text() + variants_text(make_variant_rows(r.measured));
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
      {"variants", variants_json(make_variant_rows(m))},
      {"left_out", r.left_out},
  };
  if (!m.round_trips_ns.empty()) json["round_trip_ns"] = rounded(median_of(m.round_trips_ns));
  return json;
}

}  // namespace doall::bench
