#include "sim/machine.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sim/machine_files.hpp"

namespace doall::sim {
namespace {

using nlohmann::json;

// What is read, for messages.
struct source {
  std::string_view name;
  std::string_view text;
};

[[noreturn]] void refuse(const source& from, const std::string& what) {
  throw std::invalid_argument("machine " + std::string(from.name) + ": " + what);
}

// Names the line on which the field is first met.
[[noreturn]] void refuse(const source& from, std::string_view field, const std::string& what) {
  const std::size_t at = from.text.find('"' + std::string(field) + '"');
  const auto line = 1 + std::ranges::count(from.text.substr(0, at), '\n');
  throw std::invalid_argument("machine " + std::string(from.name) + ", line " +
                              std::to_string(line) + ": " + what);
}

// Takes a number out of the object; leaves `into` as it is if there is none.
template <class Number>
void take(const source& file, json& from, const char* field, Number& into) {
  const auto found = from.find(field);
  if (found == from.end()) return;
  if (!found->is_number() || found->get<double>() < 0) {
    refuse(file, field, std::string(field) + " is " + found->dump() + ", expected a number from 0");
  }
  into = found->get<double>();
  from.erase(found);
}

json take_object(const source& file, json& from, const char* field) {
  const auto found = from.find(field);
  if (found == from.end()) return json::object();
  if (!found->is_object()) {
    refuse(file, field, std::string(field) + " is " + found->dump() + ", expected an object");
  }
  json taken = std::move(*found);
  from.erase(found);
  return taken;
}

void take_whole(const source& file, json& from, const char* field, std::uint64_t most,
                std::uint32_t& into) {
  const auto found = from.find(field);
  if (found == from.end()) return;
  const bool is_whole = found->is_number_unsigned();
  if (!is_whole || *found < 1U || *found > most) {
    refuse(file, field,
           std::string(field) + " is " + found->dump() + ", expected a whole number from 1 to " +
               std::to_string(most));
  }
  into = found->get<std::uint32_t>();
  from.erase(found);
}

json take_list(const source& file, json& from, const char* field, const char* expected) {
  const auto found = from.find(field);
  if (found == from.end()) return json::array();
  if (!found->is_array()) {
    refuse(file, field, std::string(field) + " is " + found->dump() + ", expected " + expected);
  }
  json taken = std::move(*found);
  from.erase(found);
  return taken;
}

// "slow": [[3, 2.5]]: processor 3 takes 2.5 times as long.
void take_slow(const source& file, json& from, machine& into) {
  constexpr const char* expected =
      "a list of pairs: a processor of the machine, and how many times as long it takes, above 0";
  for (const json& one : take_list(file, from, "slow", expected)) {
    const bool is_pair = one.is_array() && one.size() == 2 && one[0].is_number_unsigned() &&
                         one[0].get<std::uint64_t>() < into.processors && one[1].is_number() &&
                         one[1].get<double>() > 0;
    if (!is_pair) refuse(file, "slow", "slow has " + one.dump() + ", expected " + expected);
    into.slow.push_back({one[0].get<std::uint32_t>(), one[1].get<double>()});
  }
}

void take_absent(const source& file, json& from, machine& into) {
  constexpr const char* expected = "a list of processors of the machine, and not the first one";
  for (const json& one : take_list(file, from, "absent", expected)) {
    const auto number = one.is_number_unsigned() ? one.get<std::uint64_t>() : 0;
    if (number == 0 || number >= into.processors) {
      refuse(file, "absent", "absent has " + one.dump() + ", expected " + expected);
    }
    into.absent.push_back(static_cast<std::uint32_t>(number));
  }
}

// Domains and cores are of as many processors each.
void expect_parts(const source& file, const machine& made) {
  const std::uint32_t parts = made.domains * made.threads_of_core;
  if (made.processors % made.domains != 0) {
    refuse(file, "domains",
           "domains is " + std::to_string(made.domains) + ", expected a divisor of the " +
               std::to_string(made.processors) + " processors");
  }
  if (made.processors % parts != 0) {
    refuse(file, "threads_of_core",
           "threads_of_core is " + std::to_string(made.threads_of_core) +
               ", expected a divisor of a domain's " +
               std::to_string(made.processors / made.domains) + " processors");
  }
}

void refuse_others(const source& file, const json& left, const char* known) {
  if (!left.empty()) {
    refuse(file, left.begin().key(),
           "unknown field \"" + left.begin().key() + "\", expected " + known);
  }
}

}  // namespace

std::vector<double> machine::slowness(std::uint32_t team) const {
  std::vector<double> all(team, 1);
  const std::uint32_t in_domain = std::max(processors / domains, 1U);
  const std::uint32_t cores = std::max(in_domain / threads_of_core, 1U);
  std::vector<std::uint32_t> on_core(std::size_t{domains + 1} * cores);
  const auto core_of = [&](std::uint32_t p) {
    return std::min(p / in_domain, domains) * cores + p % in_domain % cores;
  };
  for (std::uint32_t p = 0; p < team; ++p) ++on_core[core_of(p)];
  for (std::uint32_t p = 0; p < team; ++p) all[p] = on_core[core_of(p)] > 1 ? shared_core : 1;
  for (const slow_processor& s : slow) {
    if (s.number < team) all[s.number] *= s.times;
  }
  return all;
}

std::span<const std::string_view> machine_names() { return machine_files::names; }

machine find_machine(std::string_view name) {
  const auto found = std::ranges::find(machine_files::names, name);
  if (found != std::end(machine_files::names)) {
    return read_machine(name, machine_files::texts[found - std::begin(machine_files::names)]);
  }
  std::string all;
  for (const std::string_view one : machine_files::names) all += ' ' + std::string(one);
  throw std::invalid_argument("no machine \"" + std::string(name) + "\", expected one of:" + all);
}

machine read_machine(std::string_view name, std::string_view text) {
  const source file{name, text};
  json all;
  try {
    all = json::parse(text, nullptr, true, true);
  } catch (const json::exception& e) {
    refuse(file, e.what());
  }
  if (!all.is_object()) refuse(file, "expected an object");
  machine made{.name = std::string(name)};
  constexpr std::uint64_t most = 1024;
  take_whole(file, all, "processors", most, made.processors);
  take_whole(file, all, "domains", made.processors, made.domains);
  take(file, all, "unit", made.unit);
  take(file, all, "cache_bytes", made.cache_bytes);
  take(file, all, "fetch", made.fetch);
  take(file, all, "fetch_byte", made.fetch_byte);
  take(file, all, "bus_byte", made.bus_byte);
  take(file, all, "spread", made.spread);
  take(file, all, "deal", made.deal);
  take(file, all, "jitter", made.jitter);
  json messages = take_object(file, all, "messages");
  take(file, messages, "near", made.messages.near);
  take(file, messages, "far", made.messages.far);
  take(file, messages, "line", made.messages.line);
  refuse_others(file, messages, "near, far or line in messages");
  take(file, all, "domain_cache_bytes", made.domain_cache_bytes);
  take(file, all, "near_byte", made.near_byte);
  take(file, all, "far_byte", made.far_byte);
  take(file, all, "memory_byte", made.memory_byte);
  take_whole(file, all, "threads_of_core", made.processors, made.threads_of_core);
  take(file, all, "shared_core", made.shared_core);
  take_slow(file, all, made);
  take_absent(file, all, made);
  json sync = take_object(file, all, "sync");
  take(file, sync, "own", made.sync.own);
  take(file, sync, "central", made.sync.central);
  take(file, sync, "stolen", made.sync.stolen);
  take(file, sync, "again", made.sync.again);
  take(file, sync, "served", made.sync.served);
  refuse_others(file, sync, "own, central, stolen, again or served in sync");
  json stealing = take_object(file, all, "stealing");
  take(file, stealing, "start", made.stealing.start);
  take(file, stealing, "check", made.stealing.check);
  take(file, stealing, "transaction", made.stealing.transaction);
  take(file, stealing, "attempt", made.stealing.attempt);
  take(file, stealing, "theft", made.stealing.theft);
  take(file, stealing, "report", made.stealing.report);
  refuse_others(file, stealing, "start, check, transaction, attempt, theft or report in stealing");
  refuse_others(file, all,
                "processors, unit, cache_bytes, fetch, fetch_byte, bus_byte, spread, jitter, deal, "
                "sync, stealing, messages, domains, domain_cache_bytes, near_byte, far_byte, "
                "memory_byte, threads_of_core, shared_core, slow or absent");
  expect_parts(file, made);
  return made;
}

}  // namespace doall::sim
