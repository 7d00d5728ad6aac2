// hybrid's Figures 1 and 3 (Handleman et al. 2021): graphs, of which the prose says who is ahead of
// whom.
#include <fmt/format.h>

#include <map>

#include "driver/experiment.hpp"
#include "experiments/hybrid_platforms.hpp"

namespace doall::bench {
namespace {

using namespace hybrid_virtual;
using rows = std::vector<paper_row>;

// Runs of one program, each once, whoever asks for it.
class timed {
 public:
  timed(const working_set& set, bool is_balanced, u64 phases)
      : what_(walk(set, is_balanced, phases)), key_(what_.name + set.name) {}

  const std::string& name() const { return what_.name; }

  double time(const platform& p, std::uint32_t processors) {
    static std::map<std::tuple<std::string, std::string, std::uint32_t>, double> times;
    const std::string by = run_key(p, what_.loop(0).iterations, processors);
    const auto [at, is_new] = times.try_emplace({key_, by, processors});
    if (is_new) at->second = run(p, what_, processors).time;
    return at->second;
  }

  double over(const platform& one, const platform& other, std::uint32_t processors) {
    return time(one, processors) / time(other, processors);
  }

 private:
  sim::program what_;
  std::string key_;
};

constexpr const char* other_ahead = "the model has the other one ahead";

paper_row before(const std::string& where, const std::string& of, timed& t, const platform& ahead,
                 const platform& behind, const std::string& why) {
  return make_row(where, fmt::format("{}, P = 32: {} before {}", of, ahead.name, behind.name),
                  printed_kind::order, 1, t.over(ahead, behind, all_cores), why);
}

paper_row no_more(const std::string& where, const std::string& of, timed& t, const platform& one,
                  const platform& other, const std::string& why) {
  return make_row(where, fmt::format("{}, P = 32: {} over {}, at most", of, one.name, other.name),
                  printed_kind::bound, 1, t.over(one, other, all_cores), why);
}

void add_balanced(rows& to, const working_set& set) {
  const std::string where = "Figure 1";
  const std::string of = fmt::format("balanced, {}", set.name);
  constexpr u64 phases = 5;
  timed t(set, true, phases);
  for (const platform& p : {hybrid, vanilla, omp_dynamic, omp_guided}) {
    to.push_back(make_row(where, fmt::format("{}, P = 8: {} over omp_static", of, p.name),
                          printed_kind::alike, 1, t.over(p, omp_static, a_socket), other_ahead));
  }
  to.push_back(no_more(where, of, t, hybrid, omp_static, other_ahead));
  for (const platform& p : {vanilla, omp_dynamic, omp_guided}) {
    to.push_back(before(where, of, t, omp_static, p, other_ahead));
    to.push_back(before(where, of, t, hybrid, p, other_ahead));
  }
  to.push_back(
      before(where, of, t, omp_guided, omp_dynamic,
             "a chunk takes a quarter of a microsecond here, its iterations far longer, and "
             "guided's large ones wait for whoever is slow"));
}

void add_unbalanced(rows& to, const working_set& set, bool is_largest) {
  const std::string where = "Figure 1";
  const std::string of = fmt::format("unbalanced, {}", set.name);
  constexpr u64 phases = 5;
  timed t(set, false, phases);
  for (const platform& p : {hybrid, vanilla, omp_dynamic, omp_guided}) {
    to.push_back(fit(before(where, of, t, p, omp_static, other_ahead),
                     "passes = 20: these twelve, \"the non-static schemes clearly win out\""));
  }
  if (!is_largest) return;
  for (const platform& p : {vanilla, omp_dynamic, omp_guided}) {
    to.push_back(no_more(where, of, t, hybrid, p, other_ahead));
  }
  to.push_back(
      before(where, of, t, vanilla, omp_dynamic, "dynamic's queue costs next to nothing here"));
}

rows figure_1() {
  rows to;
  for (const working_set& set : sets) add_balanced(to, set);
  for (const working_set& set : sets) add_unbalanced(to, set, &set == &sets[2]);
  to.push_back(make_row("Figure 1", "FastFlow's curves", printed_kind::order, 1, no_number,
                        "FastFlow's farm would have to be a schedule here"));
  return to;
}

rows figure_3() {
  rows to;
  const auto add = [&](const char* kernel, const char* ahead, const char* behind) {
    to.push_back(
        make_row("Figure 3", fmt::format("{}, P = 32: {} before {}", kernel, ahead, behind),
                 printed_kind::order, 1, nas_run(kernel, ahead).time / nas_run(kernel, behind).time,
                 "all run the same program here, on the same homes"));
  };
  for (const char* kernel : {"ft", "is", "ep"}) {
    add(kernel, "hybrid", "omp");
    add(kernel, "hybrid", "vanilla");
  }
  for (const char* kernel : {"mg", "cg"}) {
    add(kernel, "omp", "hybrid");
    add(kernel, "hybrid", "vanilla");
  }
  to.push_back(make_row("Figure 3", "ft: FastFlow before omp", printed_kind::order, 1, no_number,
                        "FastFlow's farm would have to be a schedule here"));
  return to;
}

// T_1 / T_P.
picture curves_1() {
  cli::chart made{.title = "Figure 1",
                  .x_label = "cores",
                  .y_label = "T_1 / T_P",
                  .x_text = [](double p) { return fmt::format("{:g}", p); },
                  .axes = cli::scale::linear,
                  .panels = {}};
  constexpr u64 phases = 5;
  for (const bool is_balanced : {true, false}) {
    for (const working_set& set : sets) {
      timed t(set, is_balanced, phases);
      cli::panel& drawn = made.panels.emplace_back(
          cli::panel{fmt::format("{}balanced, {}", is_balanced ? "" : "un", set.name), {}});
      for (const platform& p : {hybrid, vanilla, omp_static, omp_dynamic, omp_guided}) {
        cli::curve c{p.name, {}, {}};
        for (const std::uint32_t on : {1U, 4U, a_socket, 2 * a_socket, 3 * a_socket, all_cores}) {
          show_progress(fmt::format("{}, {}, P = {}", drawn.title, p.name, on));
          c.x.push_back(on);
          c.y.push_back(t.time(p, 1) / t.time(p, on));
        }
        drawn.curves.push_back(std::move(c));
      }
    }
  }
  return made;
}

picture bars_3() {
  bar_panel panel{.title = "", .groups = {"mg", "ep", "cg", "ft", "is"}, .bars = {}};
  for (const char* scheme : {"hybrid", "vanilla"}) {
    ratio_bars& made = panel.bars.emplace_back(ratio_bars{scheme, {}});
    for (const std::string& kernel : panel.groups) {
      made.by_group.push_back(
          ratio{nas_run(kernel, "omp").time / nas_run(kernel, scheme).time, {}});
    }
  }
  return bar_chart{.title = "Figure 3, 32 cores",
                   .y_label = "how many times faster than OpenMP",
                   .one = "as fast",
                   .panels = {panel}};
}

const paper_place places[] = {{"hybrid", "Figure 1", figure_1, curves_1},
                              {"hybrid", "Figure 3", figure_3, bars_3}};

}  // namespace
}  // namespace doall::bench
