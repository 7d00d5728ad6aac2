#include "sim/machine.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "sim/machine_files.hpp"

namespace doall::sim {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(std::string_view name, const std::string& what) {
  throw std::invalid_argument("machine " + std::string(name) + ": " + what);
}

// Takes a number out of the object; leaves `into` as it is if there is none.
template <class Number>
void take(std::string_view name, json& from, const char* field, Number& into) {
  const auto found = from.find(field);
  if (found == from.end()) return;
  if (!found->is_number() || found->get<double>() < 0) {
    refuse(name, std::string(field) + " is " + found->dump() + ", expected a number from 0");
  }
  into = found->get<double>();
  from.erase(found);
}

json take_object(std::string_view name, json& from, const char* field) {
  const auto found = from.find(field);
  if (found == from.end()) return json::object();
  if (!found->is_object()) {
    refuse(name, std::string(field) + " is " + found->dump() + ", expected an object");
  }
  json taken = std::move(*found);
  from.erase(found);
  return taken;
}

void take_processors(std::string_view name, json& from, std::uint32_t& into) {
  constexpr std::uint64_t most = 1024;
  const auto found = from.find("processors");
  if (found == from.end()) return;
  const bool is_whole = found->is_number_unsigned();
  if (!is_whole || *found < 1U || *found > most) {
    refuse(name, "processors is " + found->dump() + ", expected a whole number from 1 to " +
                     std::to_string(most));
  }
  into = found->get<std::uint32_t>();
  from.erase(found);
}

void refuse_others(std::string_view name, const json& left, const char* known) {
  if (!left.empty()) {
    refuse(name, "unknown field \"" + left.begin().key() + "\", expected " + known);
  }
}

}  // namespace

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
  json all;
  try {
    all = json::parse(text, nullptr, true, true);
  } catch (const json::parse_error& e) {
    refuse(name, e.what());
  }
  if (!all.is_object()) refuse(name, "expected an object");
  machine made{.name = std::string(name)};
  take_processors(name, all, made.processors);
  take(name, all, "unit", made.unit);
  take(name, all, "cache_bytes", made.cache_bytes);
  take(name, all, "fetch", made.fetch);
  take(name, all, "fetch_byte", made.fetch_byte);
  take(name, all, "bus_byte", made.bus_byte);
  take(name, all, "spread", made.spread);
  take(name, all, "deal", made.deal);
  json sync = take_object(name, all, "sync");
  take(name, sync, "own", made.sync.own);
  take(name, sync, "central", made.sync.central);
  take(name, sync, "stolen", made.sync.stolen);
  refuse_others(name, sync, "own, central or stolen in sync");
  json stealing = take_object(name, all, "stealing");
  take(name, stealing, "start", made.stealing.start);
  take(name, stealing, "check", made.stealing.check);
  take(name, stealing, "transaction", made.stealing.transaction);
  take(name, stealing, "attempt", made.stealing.attempt);
  take(name, stealing, "theft", made.stealing.theft);
  take(name, stealing, "report", made.stealing.report);
  refuse_others(name, stealing, "start, check, transaction, attempt, theft or report in stealing");
  refuse_others(name, all,
                "processors, unit, cache_bytes, fetch, fetch_byte, bus_byte, spread, deal, sync or "
                "stealing");
  return made;
}

memory_system::memory_system(const machine& of, std::uint32_t processors, std::uint32_t blocks,
                             double block_bytes)
    : of_(of),
      block_bytes_(block_bytes),
      most_kept_(static_cast<std::size_t>(std::min<double>(of.cache_bytes / block_bytes, blocks))),
      caches_(processors),
      holders_(blocks, std::vector<bool>(processors)) {
  for (cache& c : caches_) c.where.assign(blocks, c.kept.end());
}

double memory_system::touch(std::uint32_t processor, block_use use, double now) {
  if (use.writes) take_from_others(processor, use.block);
  if (keep(caches_[processor], use.block)) return now;
  holders_[use.block][processor] = most_kept_ != 0;
  ++fetched_;
  const double bytes = use.part * block_bytes_;
  if (of_.bus_byte != 0) now = bus_free_ = std::max(now, bus_free_) + of_.bus_byte * bytes;
  return now + of_.fetch + of_.fetch_byte * bytes;
}

// Puts the block in front; whether it was there.
bool memory_system::keep(cache& in, block b) const {
  const bool was_here = in.where[b] != in.kept.end();
  if (was_here) {
    in.kept.splice(in.kept.begin(), in.kept, in.where[b]);
    return true;
  }
  if (most_kept_ == 0) return false;
  if (in.kept.size() == most_kept_) {
    in.where[in.kept.back()] = in.kept.end();
    in.kept.pop_back();
  }
  in.kept.push_front(b);
  in.where[b] = in.kept.begin();
  return false;
}

void memory_system::take_from_others(std::uint32_t processor, block b) {
  std::vector<bool>& holders = holders_[b];
  for (std::uint32_t p = 0; p < caches_.size(); ++p) {
    if (p == processor || !holders[p]) continue;
    holders[p] = false;
    cache& from = caches_[p];
    if (from.where[b] == from.kept.end()) continue;  // it has made room for others
    from.kept.erase(from.where[b]);
    from.where[b] = from.kept.end();
  }
}

}  // namespace doall::sim
