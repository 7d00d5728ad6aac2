#include "report/live_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <optional>

#include "report/report.hpp"
#include "text/table.hpp"

namespace doall::cli {
namespace {

using observe::record;
using observe::site_kind;

// What the workers did with their time between the last two answers, as parts of it.
struct use {
  double work = 0;
  double scheduling = 0;
  double waiting = 0;
  double idle = 0;
  double outside = 0;  // of loops
};

use use_of(const live_process& p) {
  const bool any_loop = std::ranges::any_of(
      p.loops, [](const live_loop& l) { return l.all.kind == site_kind::loop; });
  const site_kind counted = any_loop ? site_kind::loop : site_kind::region;
  const double whole = p.seconds * ns_per_s * p.workers;
  use parts;
  if (whole <= 0) return parts;
  const auto part = [&](std::uint64_t ns) { return static_cast<double>(ns) / whole; };
  for (const live_loop& l : p.loops) {
    if (l.all.kind != counted) continue;
    parts.work += part(l.last.busy_time);
    parts.scheduling += part(l.last.scheduling_time);
    parts.waiting += part(l.last.waiting_time);
    parts.idle += part(l.last.idle_time);
  }
  // Several teams at once have more workers than one of them: then there is no part outside.
  const double sum = parts.work + parts.scheduling + parts.waiting + parts.idle;
  if (sum > 1) {
    for (double* one : {&parts.work, &parts.scheduling, &parts.waiting, &parts.idle}) *one /= sum;
  } else {
    parts.outside = 1 - sum;
  }
  return parts;
}

std::string bar(const use& parts, std::size_t columns) {
  std::string cells;
  double until = 0;
  for (const auto& [part, mark] : {std::pair{parts.work, '#'}, std::pair{parts.scheduling, '+'},
                                   std::pair{parts.waiting, '~'}, std::pair{parts.idle, '.'}}) {
    until += part;
    const double wanted = std::round(until * static_cast<double>(columns));
    cells.resize(std::max(cells.size(), std::min(columns, static_cast<std::size_t>(wanted))), mark);
  }
  cells.resize(columns, ' ');
  return "[" + cells + "]";
}

std::string head_of(const live_process& p, std::size_t columns) {
  constexpr double late_s = 1.5;
  if (p.answer_ns == 0)
    return fmt::format("process {}: no loop or region has ended since it was asked\n", p.pid);
  const auto now_ns = wall_clock_ns();
  const double age_s = static_cast<double>(now_ns - std::min(now_ns, p.answer_ns)) / ns_per_s;
  const std::string late =
      age_s < late_s ? "" : fmt::format("; no loop or region has ended for {:.0f} s", age_s);
  // A table's cell: the name may hold anything.
  const table name(std::vector<table::column>{
      fmt::format("{} (process {}), {} workers{}", p.program, p.pid, p.workers, late)});
  const use parts = use_of(p);
  const std::string legend = fmt::format(
      "of {:.1f} s: # work {}, + scheduling {}, ~ waiting {}, . idle {}, outside {}", p.seconds,
      percent_text(parts.work), percent_text(parts.scheduling), percent_text(parts.waiting),
      percent_text(parts.idle), percent_text(parts.outside));
  constexpr std::size_t bar_least = 10;
  constexpr std::size_t bar_most = 40;
  const std::size_t taken = legend.size() + 3;
  const std::size_t left = columns > taken + bar_least ? columns - taken : bar_least;
  return name.to_text() + bar(parts, std::min(left, bar_most)) + " " + legend + "\n";
}

struct shown_loop {
  const live_process* of;
  const live_loop* loop;
};

// Larger is earlier; loops that did nothing come last.
double rank_of(const live_loop& l, char order) {
  constexpr double least = std::numeric_limits<double>::lowest();
  switch (order) {
    case 'c': return static_cast<double>(l.last.calls);
    case 'e': return l.last.calls == 0 ? least : -parallel_efficiency(l.last).value_or(2);
    case 'i': return l.last.calls == 0 ? least : imbalance(l.last).value_or(0);
    case 'a': return static_cast<double>(l.all.wall_time);
    default: return static_cast<double>(l.last.elapsed_time);
  }
}

std::vector<shown_loop> in_order(const std::vector<const live_process*>& processes, char order) {
  std::vector<shown_loop> all;
  for (const live_process* p : processes) {
    for (const live_loop& l : p->loops) all.push_back({p, &l});
  }
  std::ranges::stable_sort(all, [&](const shown_loop& a, const shown_loop& b) {
    if (order == 'n') return a.loop->where < b.loop->where;
    const double of_a = rank_of(*a.loop, order);
    const double of_b = rank_of(*b.loop, order);
    return of_a != of_b ? of_a > of_b : a.loop->all.wall_time > b.loop->all.wall_time;
  });
  return all;
}

std::string rows_of(const std::vector<shown_loop>& loops, bool has_pids, std::size_t columns) {
  constexpr std::size_t where_least = 20;
  constexpr std::size_t where_share = 3;
  const std::size_t where_most = std::max(where_least, columns / where_share);
  std::vector<table::column> titles{{"where"},      {"kind"},      {"calls/s", align::right},
                                    {">time"},      {">all time"}, {">efficiency"},
                                    {">imbalance"}, {"schedule"},  {"why"}};
  if (has_pids) titles.insert(titles.begin(), table::column(">process"));
  table rows(titles);
  const auto or_dash = [](bool has, const std::string& text) { return has ? text : "-"; };
  for (const auto& [of, l] : loops) {
    const record& last = l->last;
    const bool ran = last.calls != 0 && of->seconds > 0;
    const auto efficiency = parallel_efficiency(last);
    const auto uneven = imbalance(last);
    std::vector<std::string> cells{
        shortened(l->where, where_most),
        std::string(name_of(last.kind)),
        or_dash(ran, fmt::format("{:.0f}", static_cast<double>(last.calls) / of->seconds)),
        or_dash(ran, percent_text(static_cast<double>(last.elapsed_time) / ns_per_s / of->seconds)),
        duration_text(static_cast<double>(l->all.wall_time)),
        or_dash(efficiency.has_value(), percent_text(efficiency.value_or(0))),
        or_dash(uneven.has_value(), fmt::format("{:.2f}", uneven.value_or(0))),
        last.schedule,
        last.why};
    if (has_pids) cells.insert(cells.begin(), std::to_string(of->pid));
    rows.add_row(std::move(cells));
  }
  return rows.to_text();
}

std::string keys_text(char order) {
  std::string text = "q quits; order:";
  for (const live_order& o : live_orders)
    text += fmt::format(" {}{} {}{}", o.key == order ? "[" : "", o.key, o.name,
                        o.key == order ? "]" : "");
  return text + '\n';
}

}  // namespace

std::string live_text(const std::vector<const live_process*>& processes, const live_form& form) {
  if (processes.empty()) return "no process has begun a loop or region on doall yet\n";
  std::string text;
  for (const live_process* p : processes) text += head_of(*p, form.columns);
  std::vector<shown_loop> loops = in_order(processes, form.order);
  const std::size_t all = loops.size();
  if (form.lines != 0) {
    const auto heads = static_cast<std::size_t>(std::ranges::count(text, '\n'));
    const std::size_t others = heads + 1 + (form.has_keys ? 2 : 0);
    const std::size_t room = form.lines > others ? form.lines - others : 0;
    loops.resize(std::min(all, room));
  }
  if (all != 0) text += rows_of(loops, processes.size() > 1, form.columns);
  if (loops.size() < all) text += fmt::format("and {} more\n", all - loops.size());
  if (form.has_keys) text += keys_text(form.order);
  return text;
}

}  // namespace doall::cli
