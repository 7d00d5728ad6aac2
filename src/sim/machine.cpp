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

void refuse_others(const source& file, const json& left, const char* known) {
  if (!left.empty()) {
    refuse(file, left.begin().key(),
           "unknown field \"" + left.begin().key() + "\", expected " + known);
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
  const source file{name, text};
  json all;
  try {
    all = json::parse(text, nullptr, true, true);
  } catch (const json::parse_error& e) {
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
                "sync, stealing, messages, domains, domain_cache_bytes, near_byte or far_byte");
  return made;
}

std::size_t memory_system::blocks_in(double cache_bytes, std::size_t blocks) const {
  return static_cast<std::size_t>(
      std::min<double>(cache_bytes / block_bytes_, static_cast<double>(blocks)));
}

memory_system::memory_system(const machine& of, std::uint32_t processors, std::uint32_t blocks,
                             double block_bytes)
    : of_(of),
      block_bytes_(block_bytes),
      most_kept_(blocks_in(of.cache_bytes, blocks)),
      most_shared_(blocks_in(of.domain_cache_bytes, blocks)),
      caches_(processors),
      shared_(most_shared_ == 0 ? 0 : of.domains),
      holders_(blocks, std::vector<bool>(processors)),
      homes_(blocks, nowhere) {
  for (cache& c : caches_) c.where.assign(blocks, c.kept.end());
  for (cache& c : shared_) c.where.assign(blocks, c.kept.end());
}

double memory_system::touch(std::uint32_t processor, block_use use, double now) {
  if (use.writes) take_from_others(processor, use.block);
  if (keep(caches_[processor], use.block, most_kept_)) return now;
  holders_[use.block][processor] = most_kept_ != 0;
  const double bytes = use.part * block_bytes_;
  const std::uint32_t domain = of_.domain_of(processor);
  if (!shared_.empty() && keep(shared_[domain], use.block, most_shared_)) {
    return now + of_.near_byte * bytes;
  }
  ++fetched_;
  std::uint32_t& home = homes_[use.block];
  if (home == nowhere) home = domain;
  const bool is_far = home != domain;
  (is_far ? far_bytes_ : near_bytes_) += bytes;
  if (of_.bus_byte != 0) now = bus_free_ = std::max(now, bus_free_) + of_.bus_byte * bytes;
  return now + of_.fetch + (is_far ? of_.far_byte : of_.fetch_byte) * bytes;
}

// Puts the block in front; whether it was there.
bool memory_system::keep(cache& in, block b, std::size_t most) {
  const bool was_here = in.where[b] != in.kept.end();
  if (was_here) {
    in.kept.splice(in.kept.begin(), in.kept, in.where[b]);
    return true;
  }
  if (most == 0) return false;
  if (in.kept.size() == most) {
    in.where[in.kept.back()] = in.kept.end();
    in.kept.pop_back();
  }
  in.kept.push_front(b);
  in.where[b] = in.kept.begin();
  return false;
}

void memory_system::take_from(cache& other, block b) {
  if (other.where[b] == other.kept.end()) return;  // it has made room for others
  other.kept.erase(other.where[b]);
  other.where[b] = other.kept.end();
}

void memory_system::take_from_others(std::uint32_t processor, block b) {
  std::vector<bool>& holders = holders_[b];
  for (std::uint32_t p = 0; p < caches_.size(); ++p) {
    if (p == processor || !holders[p]) continue;
    holders[p] = false;
    take_from(caches_[p], b);
  }
  for (std::uint32_t d = 0; d < shared_.size(); ++d) {
    if (d != of_.domain_of(processor)) take_from(shared_[d], b);
  }
}

}  // namespace doall::sim
