#include "cli/chunks_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "base/env.hpp"
#include "process/options.hpp"
#include "schedule/grammar.hpp"
#include "settings/settings.hpp"

namespace doall::cli {
namespace {

using base::u64;

// Enough for any time or cost; larger sums would not be exact enough to mean anything.
constexpr double time_most = 1e15;
constexpr u64 runs_most = 1000;
// Each chunk is one line of output, or a JSON object.
constexpr u64 chunks_most = 1'000'000;
// Three numbers are kept for each iteration unless all cost the same.
constexpr u64 costly_iterations_most = 10'000'000;
constexpr std::string_view uniform = "uniform";

struct texts {
  std::string schedule;
  std::string iterations;
  std::string workers;
  std::string costs{uniform};
  std::vector<std::string> late;
  std::string prices;
  std::string runs = "1";
};

[[noreturn]] void refuse(std::string_view what, std::string_view value, std::string_view expected) {
  throw failure(bad_usage,
                fmt::format("bad {} \"{}\", expected {}; nothing was run", what, value, expected));
}

u64 parse_count(std::string_view what, const std::string& text, u64 least, u64 most) {
  if (const auto value = base::parse_number(text, least, most)) return *value;
  refuse(what, text, fmt::format("a whole number from {} to {}", least, most));
}

std::optional<double> parse_time(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool read = error == std::errc() && end == text.data() + text.size();
  return read && value >= 0 && value <= time_most ? std::optional(value) : std::nullopt;
}

std::string time_range() { return fmt::format("a number from 0 to {:g}", time_most); }

// "W:T": worker W arrives at time T.
void read_arrival(const std::string& text, sim::loop_setup& loop) {
  const std::uint32_t workers = loop.shape.workers;
  const std::size_t colon = text.find(':');
  if (colon != std::string::npos) {
    const auto worker = base::parse_number(text.substr(0, colon), 0, workers - 1);
    const auto time = parse_time(std::string_view(text).substr(colon + 1));
    if (worker && time) {
      loop.arrivals.resize(workers);
      loop.arrivals[*worker] = *time;
      return;
    }
  }
  refuse("--late", text,
         fmt::format("WORKER:TIME, a worker from 0 to {} and {}", workers - 1, time_range()));
}

// "own=1,central=5,remote=10": any of them.
sim::sync_prices parse_prices(const std::string& text) {
  sim::sync_prices prices;
  const struct {
    std::string_view key;
    double* price;
  } known[] = {{"own", &prices.own}, {"central", &prices.central}, {"remote", &prices.stolen}};
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view part = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(part.size() + 1, rest.size()));
    bool taken = false;
    for (const auto& [key, price] : known) {
      if (!part.starts_with(key) || part.substr(key.size(), 1) != "=") continue;
      const auto value = parse_time(part.substr(key.size() + 1));
      if (value) *price = *value;
      taken = value.has_value();
    }
    if (!taken) {
      refuse("price", part,
             fmt::format("own=PRICE, central=PRICE or remote=PRICE, each {}", time_range()));
    }
  }
  return prices;
}

std::string shape_names() {
  std::string names(uniform);
  for (const sim::cost_shape& s : sim::cost_shapes()) names += fmt::format(", {}", s.name);
  return names;
}

std::vector<double> read_costs(const std::string& file) {
  std::ifstream in(file);
  if (!in) {
    throw failure(failed, fmt::format("cannot read the costs: \"{}\" is neither a file that can be "
                                      "read nor one of {}; nothing was run",
                                      file, shape_names()));
  }
  std::vector<double> costs;
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    const std::size_t end = line.find_last_not_of(" \t\r") + 1;
    const auto cost = parse_time(std::string_view(line).substr(begin, end - begin));
    if (!cost) {
      throw failure(failed, fmt::format("{}:{}: bad cost \"{}\", expected {}; nothing was run",
                                        file, number, line, time_range()));
    }
    if (costs.size() == costly_iterations_most) {
      throw failure(failed, fmt::format("{} has more than {} costs; nothing was run", file,
                                        costly_iterations_most));
    }
    costs.push_back(*cost);
  }
  if (in.bad() || costs.empty()) {
    throw failure(failed,
                  fmt::format("no costs in \"{}\", expected one a line; nothing was run", file));
  }
  return costs;
}

// Reads costs and N; a file gives both.
void read_loop(const texts& given, sim::loop_setup& loop) {
  const sim::cost_shape* shape = sim::find_cost_shape(given.costs);
  const bool from_file = given.costs != uniform && shape == nullptr;
  if (given.iterations.empty() && !from_file) {
    throw failure(bad_usage,
                  "how many iterations? -n is missing, and there is no file of costs to count; "
                  "nothing was run\nTry 'doall chunks --help'.");
  }
  u64& n = loop.shape.iterations;
  if (!given.iterations.empty()) n = parse_count("-n", given.iterations, 0, base::u64_max);
  if (shape != nullptr) {
    if (n > costly_iterations_most) {
      refuse("-n", given.iterations,
             fmt::format("at most {} with --costs={}", costly_iterations_most, given.costs));
    }
    loop.costs = sim::costs_of(*shape, n);
  } else if (from_file) {
    const std::vector<double> costs = read_costs(given.costs);
    if (!given.iterations.empty() && n != costs.size()) {
      refuse("-n", given.iterations,
             fmt::format("{}, the number of costs in {}, or no -n", costs.size(), given.costs));
    }
    n = costs.size();
    loop.costs = sim::iteration_costs(costs);
  }
}

void read_values(const texts& given, chunks_request& request) {
  const schedules::parse_result parsed = schedules::parse(given.schedule);
  if (!parsed) throw failure(bad_usage, parsed.error);
  sim::loop_setup& loop = request.loop;
  loop.schedule = parsed.value;
  loop.shape.workers =
      static_cast<std::uint32_t>(parse_count("-p", given.workers, 1, team::most_workers));
  read_loop(given, loop);
  request.costs = given.costs;
  for (const std::string& text : given.late) read_arrival(text, loop);
  loop.prices = parse_prices(given.prices);
  loop.chunks_most = chunks_most;
  request.runs = parse_count("--runs", given.runs, 1, runs_most);
}

std::string help_footer() {
  std::string text =
      "Costs by name, as AFS, section 4.4, has them; a file of that name is ./NAME:\n";
  for (const sim::cost_shape& s : sim::cost_shapes()) {
    text += fmt::format("  {:<12} {}\n", s.name, s.meaning);
  }
  return text +
         "\nTime has no unit: an iteration costs 1 unless --costs says otherwise. See\n"
         "docs/guide/chunks.md.\n\n"
         "Examples:\n"
         "  doall chunks guided -n 1000 -p 4\n"
         "  doall chunks affinity -n 5000 -p 8 --costs=triangular --late=3:20000\n"
         "  doall chunks affinity-last -n 640 -p 8 --costs=head-heavy --runs=5\n"
         "  doall chunks dynamic -n 512 -p 8 --sync=central=2\n";
}

}  // namespace

bool read_chunks_request(const arguments& args, chunks_request& request) {
  option_parser options("chunks", "SCHEDULE -n N -p P [OPTIONS]",
                        "Shows how a schedule cuts a loop among P workers, in virtual time: no "
                        "thread runs.",
                        help_footer());
  texts given;
  options
      .add_option("SCHEDULE", given.schedule,
                  "name[,number]...[,key=value]...; see doall schedules")
      .required();
  options
      .add_option("-n,--iterations", given.iterations, "iterations; default: as many as FILE has")
      .shown_as("N");
  options.add_option("-p,--workers", given.workers, "workers, 1 to 1024").shown_as("P").required();
  options
      .add_option(
          "--costs", given.costs,
          fmt::format("what iterations cost: {}; or a file with one number a line", shape_names()))
      .shown_as("FILE");
  options.add_option("--late", given.late, "worker W comes at time T; may be given for several")
      .shown_as("W:T")
      .one_each();
  options
      .add_option("--sync", given.prices,
                  "what it costs to take a chunk: own=T, central=T, remote=T, parted by ','; "
                  "default: nothing")
      .shown_as("PRICES");
  options
      .add_option("--runs", given.runs,
                  "runs of the loop, for schedules that learn, 1 to 1000; the last one is shown; "
                  "default: 1")
      .shown_as("R");
  options.add_flag("--all", request.all, "all chunks and workers, where some would be left out");
  options.add_flag("--json", request.json, "as JSON, schema doall-chunks/1");
  if (!options.read(args)) return false;
  read_values(given, request);
  return true;
}

}  // namespace doall::cli
