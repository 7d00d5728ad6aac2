#include "sim/workload.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace doall::sim {
namespace {

using nlohmann::json;

constexpr const char* format = "doall-workload/1";
constexpr u64 iterations_most = 100'000'000;  // costs are kept one by one
constexpr u64 calls_most = 1'000'000;
constexpr double cost_most = 1e15;

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
  throw std::invalid_argument("workload " + std::string(name) + ": " + what);
}

// A loop of the file, whose fields are taken out one by one.
class loop_reader {
 public:
  loop_reader(std::string_view file, std::size_t number, json fields)
      : file_(file), number_(number), fields_(std::move(fields)) {
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
    made.ran = past(taken("ran"));
    if (!fields_.empty()) {
      fail("unknown field \"" + fields_.begin().key() +
           "\", expected name, iterations, calls, cost_ns, costs_ns or ran");
    }
    return made;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    refuse(file_, "loops[" + std::to_string(number_) + "]: " + what);
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
    const bool is_whole = value.is_object() && value.size() == 3 && value.contains("schedule") &&
                          value["schedule"].is_string() && value.contains("workers") &&
                          value["workers"].is_number_unsigned() &&
                          value["workers"] <= workers_most && value.contains("ns");
    if (!is_whole) fail("ran is " + value.dump() + ", expected schedule, workers and ns");
    return past_run{value["schedule"], value["workers"], cost("ran.ns", value["ns"])};
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

workload read_workload(std::string_view name, std::string_view text) {
  json all;
  try {
    all = json::parse(text, nullptr, true, true);
  } catch (const json::parse_error& e) {
    refuse(name, e.what());
  }
  if (!all.is_object() || !all.contains("format") || all["format"] != format) {
    refuse(name, "expected an object whose \"format\" is \"" + std::string(format) + "\"");
  }
  const json loops = all.value("loops", json());
  if (!loops.is_array() || loops.empty()) refuse(name, "expected a list of \"loops\"");
  workload made{.name = std::string(name)};
  for (std::size_t i = 0; i < loops.size(); ++i) {
    made.loops.push_back(loop_reader(name, i, loops[i]).read());
  }
  return made;
}

program program_of(const workload_loop& loop) {
  return {.name = loop.name, .loops = loop.calls, .loop = [&loop](u64) -> program_loop {
            return {.iterations = loop.iterations, .costs = loop.costs};
          }};
}

machine in_nanoseconds(machine of) {
  constexpr double microseconds = 1e-3;
  of.unit = microseconds;
  return of;
}

}  // namespace doall::sim
