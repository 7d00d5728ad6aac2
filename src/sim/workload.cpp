#include "sim/workload.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/rng.hpp"

namespace doall::sim {
namespace {

using nlohmann::json;

constexpr const char* format = "doall-workload/1";
constexpr u64 iterations_most = 100'000'000;  // costs are kept one by one
constexpr u64 calls_most = 1'000'000;
constexpr double cost_most = 1e15;
constexpr double bytes_most = 1e9;

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
  throw std::invalid_argument("workload " + std::string(name) + ": " + what);
}

// Characters of a text, whose lines are counted as they are read.
class counted_text {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  counted_text(const char* at, std::size_t* line) : at_(at), line_(line) {}
  reference operator*() const { return *at_; }
  counted_text& operator++() {
    if (*at_++ == '\n') ++*line_;
    return *this;
  }
  counted_text operator++(int) {
    const counted_text before = *this;
    ++*this;
    return before;
  }
  bool operator==(const counted_text& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* line_;
};

// A file, and on which line each of its loops begins.
struct parsed_file {
  json all;
  std::vector<std::size_t> lines;
};

parsed_file parse(std::string_view text) {
  constexpr int of_list = 1;  // how deep it is
  constexpr int of_loop = 2;
  parsed_file made;
  std::size_t line = 1;
  bool in_loops = false;
  const json::parser_callback_t note = [&](int depth, json::parse_event_t event, json& parsed) {
    using event_of = json::parse_event_t;
    if (depth == of_list && event == event_of::key) in_loops = parsed == "loops";
    const bool begins = event == event_of::object_start || event == event_of::array_start ||
                        event == event_of::value;
    if (depth == of_loop && begins && in_loops) made.lines.push_back(line);
    return true;
  };
  made.all = json::parse(counted_text(text.data(), &line),
                         counted_text(text.data() + text.size(), &line), note, true, true);
  return made;
}

// A loop of the file, whose fields are taken out one by one.
class loop_reader {
 public:
  loop_reader(std::string_view file, std::size_t number, std::size_t line, json fields)
      : file_(file), number_(number), line_(line), fields_(std::move(fields)) {
    if (!fields_.is_object()) fail("is " + fields_.dump() + ", expected an object");
  }

  workload_loop read() {
    workload_loop made{.name = text("name", "loop " + std::to_string(number_)),
                       .iterations = whole("iterations", 0, iterations_most, std::nullopt),
                       .calls = whole("calls", 1, calls_most, 1)};
    const json each = taken("cost_ns");
    const json pairs = taken("costs_ns");
    if (each.is_null() == pairs.is_null()) fail("expected either cost_ns or costs_ns");
    made.costs =
        each.is_null() ? costs(pairs, made.iterations) : iteration_costs(cost("cost_ns", each));
    if (const json bytes = taken("bytes"); !bytes.is_null()) {
      if (!bytes.is_number() || bytes.get<double>() < 0 || bytes.get<double>() > bytes_most) {
        fail("bytes is " + bytes.dump() + ", expected a number from 0 to 1e9");
      }
      made.bytes = bytes;
    }
    made.ran = past(taken("ran"));
    if (!fields_.empty()) {
      fail("unknown field \"" + fields_.begin().key() +
           "\", expected name, iterations, calls, cost_ns, costs_ns, bytes or ran");
    }
    return made;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    refuse(file_,
           "line " + std::to_string(line_) + ", loops[" + std::to_string(number_) + "]: " + what);
  }

  json taken(const char* field) {
    const auto found = fields_.find(field);
    if (found == fields_.end()) return {};
    json value = std::move(*found);
    fields_.erase(found);
    return value;
  }

  std::string text(const char* field, std::string otherwise) {
    const json value = taken(field);
    if (value.is_null()) return otherwise;
    if (!value.is_string()) fail(std::string(field) + " is " + value.dump() + ", expected a text");
    return value;
  }

  u64 whole(const char* field, u64 least, u64 most, std::optional<u64> otherwise) {
    const json value = taken(field);
    if (value.is_null() && otherwise) return *otherwise;
    if (!value.is_number_unsigned() || value < least || value > most) {
      fail(std::string(field) + " is " + value.dump() + ", expected a whole number from " +
           std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
  }

  double cost(const std::string& field, const json& value) const {
    if (!value.is_number() || value.get<double>() < 0 || value.get<double>() > cost_most) {
      fail(field + " is " + value.dump() + ", expected nanoseconds, a number from 0 to 1e15");
    }
    return value;
  }

  std::optional<past_run> past(const json& value) const {
    if (value.is_null()) return std::nullopt;
    constexpr u64 workers_most = 1024;
    const bool has_chunk = value.is_object() && value.contains("chunk");
    const bool has_source = value.is_object() && value.contains("in_source");
    const std::size_t members = 3 + (has_chunk ? 1 : 0) + (has_source ? 1 : 0);
    const bool is_whole = value.is_object() && value.size() == members &&
                          (!has_chunk || value["chunk"].is_number_unsigned()) &&
                          (!has_source || value["in_source"].is_boolean()) &&
                          value.contains("schedule") && value["schedule"].is_string() &&
                          value.contains("workers") && value["workers"].is_number_unsigned() &&
                          value["workers"] <= workers_most && value.contains("ns");
    if (!is_whole) fail("ran is " + value.dump() + ", expected schedule, workers and ns");
    return past_run{value["schedule"], value["workers"], cost("ran.ns", value["ns"]),
                    has_chunk ? value["chunk"].get<u64>() : 0,
                    has_source && value["in_source"].get<bool>()};
  }

  iteration_costs costs(const json& pairs, u64 iterations) const {
    if (!pairs.is_array()) fail("costs_ns is " + pairs.dump() + ", expected a list of pairs");
    std::vector<double> each;
    each.reserve(iterations);
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const json& pair = pairs[i];
      const std::string field = "costs_ns[" + std::to_string(i) + "]";
      if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned()) {
        fail(field + " is " + pair.dump() + ", expected [iterations, nanoseconds]");
      }
      const u64 count = pair[0];
      if (count > iterations - each.size()) {
        fail(field + ": the pairs have more iterations than the loop's " +
             std::to_string(iterations));
      }
      each.insert(each.end(), count, cost(field, pair[1]));
    }
    if (each.size() != iterations) {
      fail("costs_ns has the costs of " + std::to_string(each.size()) + " iterations, expected " +
           std::to_string(iterations));
    }
    return iteration_costs(each);
  }

  std::string_view file_;
  std::size_t number_;
  std::size_t line_;
  json fields_;
};

}  // namespace

double workload_loop::serial_ns() const { return costs.of({0, iterations, 1}); }

workload shaped_workload(const cost_shape& shape, u64 iterations, double mean_ns) {
  workload_loop loop{.name = std::string(shape.name), .iterations = iterations};
  const double sum = costs_of(shape, iterations).of({0, iterations, 1});
  const double scale = sum == 0 ? 0 : mean_ns * static_cast<double>(iterations) / sum;
  std::vector<double> each(iterations);
  for (u64 i = 0; i < iterations; ++i) each[i] = scale * shape.cost(i, iterations);
  loop.costs = iteration_costs(each);
  return {.name = loop.name, .loops = {loop}};
}

workload power_law_workload(u64 vertices, double mean_ns, u64 seed) {
  constexpr double exponent = 2.3;
  constexpr u64 steps = u64{1} << 53;
  base::rng numbers(seed);
  const double most = 2 * std::sqrt(static_cast<double>(vertices));
  std::vector<double> each(vertices);
  double sum = 0;
  for (double& degree : each) {
    const double drawn =
        (static_cast<double>(numbers.below(steps)) + 1) / static_cast<double>(steps);
    degree = std::min(std::floor(std::pow(drawn, -1 / (exponent - 1))), most);
    sum += degree;
  }
  for (double& cost : each) cost *= mean_ns * static_cast<double>(vertices) / sum;
  return {.name = "power-law",
          .loops = {{.name = "power-law", .iterations = vertices, .costs = iteration_costs(each)}}};
}

workload read_workload(std::string_view name, std::string_view text) {
  parsed_file read;
  try {
    read = parse(text);
  } catch (const json::exception& e) {
    refuse(name, e.what());
  }
  const json& all = read.all;
  if (!all.is_object() || !all.contains("format") || all["format"] != format) {
    refuse(name, "expected an object whose \"format\" is \"" + std::string(format) + "\"");
  }
  const json loops = all.value("loops", json());
  // What GCC compiles into regions shows no iteration, and of such a program a recording is empty.
  if (loops.is_array() && loops.empty() && all.contains("doall")) {
    refuse(name,
           "the recording has no loops: they were compiled into regions, or none ran on doall; "
           "compile the program with 'doall cc' (c++, fortran), or write schedule(runtime) in its "
           "source, and record it again");
  }
  if (!loops.is_array() || loops.empty()) refuse(name, "expected a list of \"loops\"");
  workload made{.name = std::string(name)};
  for (std::size_t i = 0; i < loops.size(); ++i) {
    made.loops.push_back(loop_reader(name, i, read.lines.at(i), loops[i]).read());
  }
  return made;
}

program program_of(const workload_loop& loop) {
  program made;
  made.name = loop.name;
  made.loops = loop.calls;
  if (loop.bytes == 0 || loop.iterations == 0) {
    made.loop = [&loop](u64) -> program_loop {
      return {.iterations = loop.iterations, .costs = loop.costs};
    };
    return made;
  }
  // Blocks of some neighbours' data: at least a line, and not too many of them.
  constexpr u64 blocks_most = 8192;
  constexpr double line_bytes = 64;
  const u64 together = std::max(static_cast<u64>(std::ceil(line_bytes / loop.bytes)),
                                base::ceil_div(loop.iterations, blocks_most));
  made.blocks = static_cast<std::uint32_t>(base::ceil_div(loop.iterations, together));
  made.block_bytes = loop.bytes * static_cast<double>(together);
  made.loop = [&loop, together](u64) -> program_loop {
    return {.iterations = loop.iterations,
            .costs = loop.costs,
            .uses = [together](u64 i, std::vector<block_use>& to) {
              to.push_back({.block = static_cast<std::uint32_t>(i / together), .writes = true});
            }};
  };
  return made;
}

std::size_t best_of(std::span<const alternative> all) {
  const double most = alike * std::ranges::min(all, {}, &alternative::time).time;
  const auto is_alike = [&](const alternative& a) { return a.time <= most; };
  auto found = std::ranges::find_if(all, [&](const alternative& a) {
    return is_alike(a) && a.schedule.has(schedules::keeps_affinity);
  });
  if (found == all.end()) found = std::ranges::find_if(all, is_alike);
  return static_cast<std::size_t>(found - all.begin());
}

machine in_nanoseconds(machine of) {
  constexpr double microseconds = 1e-3;
  of.unit = microseconds;
  return of;
}

}  // namespace doall::sim
