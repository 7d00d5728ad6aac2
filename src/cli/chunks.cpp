// doall chunks: shows how a schedule cuts a loop, in virtual time.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "cli/chunk_picture.hpp"
#include "cli/chunks_options.hpp"
#include "process/result_file.hpp"
#include "text/table.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

using nlohmann::ordered_json;
using schedules::origin;
using sim::dealt_chunk;
using sim::execution;
using sim::worker_account;

struct run_summary {
  worker_account total;
  double imbalance = 1;
  double efficiency = 1;
  std::optional<double> stayed;  // since the run before
};

struct results {
  std::vector<run_summary> runs;
  std::vector<iteration_owners> owners;  // of each run
  execution last;
};

results run_all(const chunks_request& request, const canvas& on) {
  results all;
  sim::virtual_loop loop(request.loop);
  for (std::uint64_t r = 0; r < request.runs; ++r) {
    execution now = loop.run();
    run_summary summary{now.total(), now.imbalance(), now.efficiency(), std::nullopt};
    if (r > 0) summary.stayed = sim::stayed(all.last, now);
    all.runs.push_back(summary);
    all.owners.push_back(owners_of(now, request.loop.shape.iterations, on));
    all.last = std::move(now);
  }
  return all;
}

std::string_view origin_name(origin from) {
  switch (from) {
    case origin::own: return "own";
    case origin::central: return "central";
    case origin::stolen: break;
  }
  return "stolen";
}

std::string origin_text(const schedules::chunk& c) {
  if (c.from != origin::stolen) return std::string(origin_name(c.from));
  return fmt::format("stolen from {}", c.victim);
}

std::string ratio_text(double value) { return fmt::format("{:.3f}", value); }

std::string stayed_text(std::optional<double> part) { return part ? percent_text(*part) : "-"; }

// Stands for rows that are left out: a row of points, with their number.
std::vector<std::string> gap_row(std::size_t columns, const excerpt& shown) {
  std::vector<std::string> row(columns, "...");
  row[0] = fmt::format("{} more", shown.left_out);
  return row;
}

std::string chunks_table(const execution& e, const excerpt& shown) {
  using enum align;
  table rows({{"chunk", right},
              {"worker", right},
              {"begin", right},
              {"end", right},
              {"step", right},
              {"iterations", right},
              {"from"},
              {"start", right},
              {"finish", right}});
  for (std::size_t i = 0; i < e.chunks.size(); ++i) {
    if (shown.breaks_at(i)) rows.add_row(gap_row(9, shown));
    if (!shown.shows(i)) continue;
    const dealt_chunk& d = e.chunks[i];
    rows.add_row({fmt::to_string(i), fmt::to_string(d.worker), fmt::to_string(d.what.begin),
                  fmt::to_string(d.what.end), fmt::to_string(d.what.step),
                  fmt::to_string(d.what.size()), origin_text(d.what), time_text(d.started),
                  time_text(d.finished)});
  }
  return rows.to_text();
}

std::vector<std::string> account_row(std::string name, const worker_account& a) {
  return {std::move(name),          fmt::to_string(a.chunks), fmt::to_string(a.iterations),
          fmt::to_string(a.local),  fmt::to_string(a.remote), fmt::to_string(a.central),
          fmt::to_string(a.robbed), time_text(a.busy),        time_text(a.left)};
}

std::string workers_table(const execution& e, const excerpt& shown) {
  using enum align;
  table rows({{"worker", right},
              {"chunks", right},
              {"iterations", right},
              {"local", right},
              {"remote", right},
              {"central", right},
              {"robbed", right},
              {"busy", right},
              {"left", right}});
  for (std::size_t w = 0; w < e.workers.size(); ++w) {
    if (shown.breaks_at(w)) rows.add_row(gap_row(9, shown));
    if (shown.shows(w)) rows.add_row(account_row(fmt::to_string(w), e.workers[w]));
  }
  rows.add_row(account_row("all", e.total()));
  return rows.to_text();
}

std::string runs_table(const std::vector<run_summary>& runs, const excerpt& shown) {
  using enum align;
  table rows({{"run", right},
              {"chunks", right},
              {"local", right},
              {"remote", right},
              {"central", right},
              {"makespan", right},
              {"imbalance", right},
              {"efficiency", right},
              {"stayed", right}});
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (shown.breaks_at(r)) rows.add_row(gap_row(9, shown));
    if (!shown.shows(r)) continue;
    const run_summary& s = runs[r];
    rows.add_row({fmt::to_string(r + 1), fmt::to_string(s.total.chunks),
                  fmt::to_string(s.total.local), fmt::to_string(s.total.remote),
                  fmt::to_string(s.total.central), time_text(s.total.left), ratio_text(s.imbalance),
                  percent_text(s.efficiency), stayed_text(s.stayed)});
  }
  return rows.to_text();
}

std::string results_text(const chunks_request& request, const results& all, const canvas& on) {
  const sim::loop_setup& loop = request.loop;
  const auto excerpt_of = [&](std::size_t rows, std::size_t head, std::size_t tail) {
    return request.all ? excerpt::of(rows, rows, 0) : excerpt::of(rows, head, tail);
  };
  const excerpt workers = excerpt_of(loop.shape.workers, 24, 8);
  const excerpt runs = excerpt_of(all.runs.size(), 16, 8);
  const run_summary& last = all.runs.back();

  std::string text =
      fmt::format("{}: {} iterations, costs {}, {} workers\n\n", schedules::to_text(loop.schedule),
                  loop.shape.iterations, request.costs, loop.shape.workers);
  if (all.runs.size() > 1) {
    text += runs_table(all.runs, runs) + fmt::format("\nRun {}:\n\n", all.runs.size());
  }
  text += chunks_table(all.last, excerpt_of(all.last.chunks.size(), 16, 8)) + '\n';
  text += workers_table(all.last, workers) + '\n';
  text += fmt::format("chunks            {}\n", last.total.chunks);
  text += fmt::format("synchronisations  {} local, {} remote, {} central\n", last.total.local,
                      last.total.remote, last.total.central);
  text += fmt::format("makespan          {}\n", time_text(last.total.left));
  text += fmt::format("imbalance         {}, efficiency {}\n", ratio_text(last.imbalance),
                      percent_text(last.efficiency));
  if (last.stayed) text += fmt::format("stayed            {}\n", percent_text(*last.stayed));
  text += '\n' + timeline(all.last, workers, on) + '\n';
  return text + iteration_map(all.owners, runs, loop.shape.iterations, on);
}

ordered_json synchronisations_json(const worker_account& a) {
  return {{"local", a.local}, {"remote", a.remote}, {"central", a.central}};
}

ordered_json summary_json(const run_summary& s) {
  return {{"chunk_count", s.total.chunks},
          {"synchronisations", synchronisations_json(s.total)},
          {"makespan", s.total.left},
          {"imbalance", s.imbalance},
          {"efficiency", s.efficiency},
          {"stayed", s.stayed ? ordered_json(*s.stayed) : ordered_json(nullptr)}};
}

ordered_json chunk_json(const dealt_chunk& d) {
  ordered_json chunk = {{"worker", d.worker},
                        {"begin", d.what.begin},
                        {"end", d.what.end},
                        {"step", d.what.step},
                        {"origin", origin_name(d.what.from)},
                        {"victim", nullptr},
                        {"start", d.started},
                        {"finish", d.finished}};
  if (d.what.from == origin::stolen) chunk["victim"] = d.what.victim;
  return chunk;
}

ordered_json results_json(const chunks_request& request, const results& all) {
  const sim::loop_setup& loop = request.loop;
  ordered_json late = ordered_json::array();
  for (std::size_t w = 0; w < loop.arrivals.size(); ++w) {
    if (loop.arrivals[w] > 0) late.push_back({{"worker", w}, {"time", loop.arrivals[w]}});
  }
  ordered_json json = stamped("doall-chunks/1", {{"schedule", schedules::to_text(loop.schedule)},
                                                 {"iterations", loop.shape.iterations},
                                                 {"workers", loop.shape.workers},
                                                 {"costs", request.costs},
                                                 {"prices",
                                                  {{"own", loop.prices.own},
                                                   {"central", loop.prices.central},
                                                   {"remote", loop.prices.stolen}}},
                                                 {"late", std::move(late)}});
  json.update(summary_json(all.runs.back()));

  ordered_json runs = ordered_json::array();
  for (const run_summary& s : all.runs) runs.push_back(summary_json(s));
  json["runs"] = std::move(runs);

  ordered_json workers = ordered_json::array();
  for (std::size_t w = 0; w < all.last.workers.size(); ++w) {
    const worker_account& a = all.last.workers[w];
    workers.push_back({{"worker", w},
                       {"chunks", a.chunks},
                       {"iterations", a.iterations},
                       {"synchronisations", synchronisations_json(a)},
                       {"robbed", a.robbed},
                       {"busy", a.busy},
                       {"left", a.left}});
  }
  json["per_worker"] = std::move(workers);

  ordered_json chunks = ordered_json::array();
  for (const dealt_chunk& d : all.last.chunks) chunks.push_back(chunk_json(d));
  json["chunks"] = std::move(chunks);
  return json;
}

}  // namespace

int chunks_command(const arguments& args) {
  chunks_request request;
  if (!read_chunks_request(args, request)) return succeeded;
  const canvas on = standard_output_canvas();
  results all;
  try {
    all = run_all(request, on);
  } catch (const std::length_error&) {
    throw failure(bad_usage,
                  fmt::format("{} cuts {} iterations into more than {} chunks, too many to list; "
                              "expected a smaller -n or a schedule with larger chunks",
                              schedules::to_text(request.loop.schedule),
                              request.loop.shape.iterations, request.loop.chunks_most));
  }
  if (request.json) {
    fmt::print("{}\n", json_text(results_json(request, all)));
  } else {
    fmt::print("{}", results_text(request, all, on));
  }
  return succeeded;
}

}  // namespace doall::cli
