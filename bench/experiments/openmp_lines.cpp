#include "experiments/openmp_lines.hpp"

#include <fmt/format.h>

#include "driver/report.hpp"
#include "text/table.hpp"

namespace doall::bench {
namespace {

struct door {
  const char* name;
  const char* peer;
};
constexpr door doors[] = {{"gomp", "libgomp"}, {"kmp", "libomp"}};

std::string time_text(const series* s) {
  return s == nullptr ? "-" : cli::duration_text(median_of(s->rounds_ns));
}

std::optional<ratio> over(const series* one, const series* other) {
  if (one == nullptr || other == nullptr) return {};
  return ratio_of(one->rounds_ns, other->rounds_ns);
}

// A bar is missed when the whole interval lies above it.
std::optional<bool> is_held(const ratio& found) {
  if (!found.interval) return {};
  return found.interval->low <= most_over_peer;
}

std::string cell_text(const std::optional<ratio>& found) {
  if (!found) return "-";
  return ratio_text(*found) + (is_held(*found) == false ? " !" : "  ");
}

}  // namespace

const series* openmp_line::of(const std::string& runtime, const std::string& door) const {
  return fastest_that(all, [&](const entrant& e) {
    return e.who->runtime == runtime && (door.empty() || e.who->door == door);
  });
}
const series* openmp_line::better_peer() const {
  return fastest_that(all, [](const entrant& e) { return !e.is_ours(); });
}
const series* openmp_line::better_door() const { return of("doall", ""); }

contenders start_openmp_lanes(const contest& c, const std::string& name,
                              std::vector<std::string> arguments) {
  roster all(c);
  all.add(lane_set{.name = name,
                   .arguments = std::move(arguments),
                   .doors = {"gomp", "kmp"},
                   .peers = {"libgomp", "libomp"},
                   .wait_actively_too = false});
  return all.take();
}

std::string to_text(const std::vector<openmp_line>& lines) {
  cli::table table({"line", ">libgomp", ">libomp", ">gomp door", ">over better peer",
                    ">over libgomp", ">kmp door", ">over better peer", ">over libomp"});
  for (const openmp_line& l : lines) {
    std::vector<std::string> cells{l.name, time_text(l.of("libgomp", "")),
                                   time_text(l.of("libomp", ""))};
    for (const door& d : doors) {
      const series* const ours = l.of("doall", d.name);
      cells.push_back(time_text(ours));
      cells.push_back(cell_text(over(ours, l.better_peer())));
      cells.push_back(cell_text(over(ours, l.of(d.peer, ""))));
    }
    table.add_row(std::move(cells));
  }
  return table.to_text() + "!: the whole 95 % interval lies above the bar\n";
}

std::vector<verdict> judge_lines(const std::vector<openmp_line>& lines) {
  const std::string no_more = fmt::format("<= {}", most_over_peer);
  std::vector<verdict> made;
  const auto judge = [&](std::string of, const auto& found_in) {
    demand d(std::move(of), no_more);
    for (const openmp_line& l : lines) {
      if (const std::optional<ratio> found = found_in(l)) d.add(l.name, *found, is_held(*found));
    }
    add_to(made, d.made());
  };
  for (const door& d : doors) {
    judge(fmt::format("{} door over the better peer", d.name),
          [&](const openmp_line& l) { return over(l.of("doall", d.name), l.better_peer()); });
    judge(fmt::format("{} door over {}", d.name, d.peer),
          [&](const openmp_line& l) { return over(l.of("doall", d.name), l.of(d.peer, "")); });
  }
  demand ahead("better door over the better peer", "< 1");
  for (const openmp_line& l : lines) {
    const std::optional<ratio> found = over(l.better_door(), l.better_peer());
    if (!found) continue;
    ahead.add(l.name, *found,
              found->interval ? std::optional(found->median < 1) : std::optional<bool>());
  }
  add_to(made, ahead.made());
  return made;
}

nlohmann::ordered_json to_json(const openmp_line& l) {
  nlohmann::ordered_json json{{"line", l.name}, {"rows", nlohmann::ordered_json::array()}};
  for (const series& s : l.all) {
    nlohmann::ordered_json row = to_json(s.of);
    row.erase("schedule");
    add_times(row, s.all(), s.rounds_ns);
    if (s.of.is_ours() && l.better_peer() != nullptr) {
      row["over_better_peer"] = to_json(ratio_of(s.rounds_ns, l.better_peer()->rounds_ns));
    }
    json["rows"].push_back(std::move(row));
  }
  return json;
}

void print_verdicts(const std::vector<verdict>& all, bool quick) {
  if (all.empty()) return;
  fmt::print("\n{}", to_text(all));
  const auto missed = std::ranges::count(all, std::optional(false), &verdict::held);
  if (missed == 0 || quick) return;
  throw cli::failure(cli::failed, fmt::format("{} of {} demands missed", missed, all.size()));
}

}  // namespace doall::bench
