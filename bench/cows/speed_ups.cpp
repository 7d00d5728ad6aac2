#include "cows/speed_ups.hpp"

#include <algorithm>

#include "kernels/cows-common/loops.hpp"

namespace doall::bench {
namespace {

struct placed_result {
  const placed_program* place;
  const stealing_result* result;
};

std::vector<std::string> different(const std::vector<placed_result>& all,
                                   std::string placed_program::* member) {
  std::vector<std::string> found;
  for (const placed_result& p : all) {
    if (std::ranges::count(found, p.place->*member) == 0) found.push_back(p.place->*member);
  }
  return found;
}

std::vector<placed_result> those_with(const std::vector<placed_result>& all,
                                      std::string placed_program::* member,
                                      const std::string& value) {
  std::vector<placed_result> found;
  std::ranges::copy_if(all, std::back_inserter(found),
                       [&](const placed_result& p) { return p.place->*member == value; });
  return found;
}

// A bar's name, and whose time it is.
class bar_source {
 public:
  static bar_source of_schedule(const std::string& schedule) {
    return {schedule, "doall native " + schedule, false};
  }
  static bar_source of_peer(const std::string& runtime) {
    return {best_of_peer(runtime), runtime, true};
  }

  const std::string& name() const { return name_; }
  const series* in(const program_result& r) const {
    return is_peer_ ? fastest_of_peer(r, of_) : r.fastest(of_);
  }

 private:
  bar_source(std::string name, std::string of, bool is_peer)
      : name_(std::move(name)), of_(std::move(of)), is_peer_(is_peer) {}

  std::string name_;
  std::string of_;
  bool is_peer_;
};

std::vector<bar_source> bar_sources(const stealing_benchmark& b) {
  std::vector<bar_source> all;
  for (const std::string& schedule : cows_schedules()) {
    if (schedule != b.reference->name) all.push_back(bar_source::of_schedule(schedule));
  }
  for (const std::string& runtime : program_runtimes()) {
    if (runtime != "doall") all.push_back(bar_source::of_peer(runtime));
  }
  return all;
}

// Nothing: somebody does not take part everywhere.
std::optional<ratio> speed_up(const stealing_benchmark& b, const bar_source& source,
                              const std::vector<placed_result>& orders) {
  std::vector<series_pair> programs;
  for (const placed_result& p : orders) {
    const series* reference = b.reference_in(*p.result);
    const series* found = source.in(*p.result);
    if (reference == nullptr || found == nullptr) return {};
    programs.emplace_back(reference, found);
  }
  return mean_ratio_of(programs);
}

bar_panel panel_of(const stealing_benchmark& b, const std::string& kernel,
                   const std::vector<placed_result>& all) {
  bar_panel made{.title = kernel, .groups = different(all, &placed_program::graph), .bars = {}};
  for (const bar_source& source : bar_sources(b)) {
    ratio_bars bars{.name = source.name(), .by_group = {}};
    for (const std::string& graph : made.groups) {
      bars.by_group.push_back(speed_up(b, source, those_with(all, &placed_program::graph, graph)));
    }
    const bool is_shown = std::ranges::any_of(
        bars.by_group, [](const std::optional<ratio>& one) { return one.has_value(); });
    if (is_shown) made.bars.push_back(std::move(bars));
  }
  return made;
}

}  // namespace

bar_chart speed_ups_of(const stealing_benchmark& b, const std::vector<stealing_result>& all,
                       const std::vector<placed_program>& places) {
  std::vector<placed_result> placed;
  for (const stealing_result& r : all) {
    const auto place = std::ranges::find(places, r.program, &placed_program::name);
    placed.push_back({&*place, &r});
  }
  bar_chart made{.title = b.title + ": speed-up over " + b.reference->name +
                          ", the geometric mean of each graph's orders of vertices, 95%",
                 .y_label = "speed-up over " + b.reference->name,
                 .one = b.reference->name,
                 .panels = {}};
  for (const std::string& kernel : different(placed, &placed_program::kernel)) {
    made.panels.push_back(panel_of(b, kernel, those_with(placed, &placed_program::kernel, kernel)));
  }
  return made;
}

}  // namespace doall::bench
