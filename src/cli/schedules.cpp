// doall schedules: the registry, for people and for scripts.
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include "cli/options.hpp"
#include "cli/table.hpp"
#include "schedule/registry.hpp"

namespace doall::cli {
namespace {

using nlohmann::ordered_json;
using schedules::entry;
using schedules::parameter;

std::string words_text(const parameter& p) { return fmt::format("{}", fmt::join(p.words, "|")); }

// "[,chunk][,k=N]": how the parameters are written behind the name.
std::string parameters_text(const entry& e) {
  std::string text;
  for (const parameter& p : e.parameters) {
    text += p.positional ? fmt::format("[,{}]", p.key)
                         : fmt::format("[,{}={}]", p.key, p.words.empty() ? "N" : words_text(p));
  }
  return text.empty() ? "-" : text;
}

std::vector<std::string> properties_of(const entry& e) {
  std::vector<std::string> names;
  for (const auto& property : schedules::property_names()) {
    if (e.has(property.value)) names.emplace_back(property.name);
  }
  return names;
}

std::vector<std::string> aliases_of(const entry& e) { return {e.aliases.begin(), e.aliases.end()}; }

std::string registry_text() {
  table all({{"name"}, {"parameters"}, {"aliases"}, {"paper"}, {"properties"}, {"summary"}});
  table meanings({{"parameter"}, {"meaning"}});
  for (const entry& e : schedules::registry()) {
    all.add_row({std::string(e.name), parameters_text(e), list_text(aliases_of(e)),
                 std::string(e.paper), list_text(properties_of(e)), std::string(e.summary)});
    for (const parameter& p : e.parameters) {
      meanings.add_row({fmt::format("{}: {}", e.name, p.key), std::string(p.meaning)});
    }
  }
  for (const parameter& p : schedules::common_parameters()) {
    meanings.add_row({fmt::format("all: {}={}", p.key, words_text(p)), std::string(p.meaning)});
  }
  return all.to_text() + '\n' + meanings.to_text();
}

ordered_json parameters_json(std::span<const parameter> parameters) {
  ordered_json list = ordered_json::array();
  for (const parameter& p : parameters) {
    ordered_json one = {{"key", p.key}, {"positional", p.positional}, {"meaning", p.meaning}};
    if (!p.words.empty()) one["words"] = std::vector<std::string>(p.words.begin(), p.words.end());
    list.push_back(std::move(one));
  }
  return list;
}

ordered_json registry_json() {
  ordered_json list = ordered_json::array();
  for (const entry& e : schedules::registry()) {
    list.push_back({{"name", e.name},
                    {"aliases", aliases_of(e)},
                    {"parameters", parameters_json(e.parameters)},
                    {"properties", properties_of(e)},
                    {"paper", e.paper},
                    {"summary", e.summary}});
  }
  return {{"schema", "doall-schedules/1"},
          {"parameters_of_all", parameters_json(schedules::common_parameters())},
          {"schedules", std::move(list)}};
}

}  // namespace

int schedules_command(const arguments& args) {
  option_parser options(
      "schedules", "[--json]",
      "Lists the schedules. A schedule is written name[,number]...[,key=value]...",
      "The same text serves everywhere: --schedule, OMP_SCHEDULE, "
      "DOALL_SCHEDULE, doall::schedule.");
  bool json = false;
  options.add_flag("--json", json, "as JSON, schema doall-schedules/1");
  if (!options.read(args)) return succeeded;
  if (json) {
    fmt::print("{}\n", registry_json().dump(2));
  } else {
    fmt::print("{}", registry_text());
  }
  return succeeded;
}

}  // namespace doall::cli
