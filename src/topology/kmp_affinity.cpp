#include "topology/kmp_affinity.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/env.hpp"

namespace doall::topology {
namespace {

constexpr std::string_view expected_affinity =
    "expected compact, scatter, balanced, explicit (with proclist=[CPUs]), none or disabled, "
    "perhaps behind granularity=fine, core or socket, and compact with 1,0 behind it";

constexpr std::pair<std::string_view, std::string_view> granularities[] = {
    {"fine", "threads"},      {"thread", "threads"}, {"core", "cores"},
    {"tile", "ll_caches"},    {"l3", "ll_caches"},   {"die", "ll_caches"},
    {"numa", "numa_domains"}, {"socket", "sockets"}, {"package", "sockets"}};

constexpr std::string_view without_effect[] = {"verbose", "respect", "warnings"};

constexpr std::uint64_t most_cpus = 65536;

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

// Takes what comes before the next comma that is in no brackets, and the comma.
std::string_view take_item(std::string_view& rest) {
  int depth = 0;
  std::size_t end = 0;
  for (; end < rest.size() && (depth > 0 || rest[end] != ','); ++end) {
    if (rest[end] == '[' || rest[end] == '{') ++depth;
    if (rest[end] == ']' || rest[end] == '}') --depth;
  }
  const std::string_view item = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return trimmed(item);
}

std::optional<std::uint64_t> cpu_in(std::string_view text) {
  return base::parse_number(trimmed(text), 0, most_cpus - 1);
}

// "3", "1-4" or "0-6:2", as places with a CPU each, or as the CPUs of one. False: it is none.
bool add_cpus(std::string_view item, bool as_places, std::string& to) {
  const auto dash = item.find('-');
  const auto colon = item.find(':');
  const auto first = cpu_in(item.substr(0, dash));
  auto last = first;
  std::uint64_t stride = 1;
  if (dash != std::string_view::npos) {
    last =
        cpu_in(item.substr(dash + 1, colon == std::string_view::npos ? colon : colon - dash - 1));
    if (colon != std::string_view::npos) {
      stride = base::parse_number(trimmed(item.substr(colon + 1)), 1, most_cpus).value_or(0);
    }
  }
  if (!first || !last || *last < *first || stride == 0) return false;
  for (std::uint64_t cpu = *first; cpu <= *last; cpu += stride) {
    if (!to.empty() && !to.ends_with('{')) to += ',';
    to += as_places ? '{' + std::to_string(cpu) + '}' : std::to_string(cpu);
  }
  return true;
}

// "[3,0,{4,5},1-2]" as OMP_PLACES has it; empty: it is none.
std::string places_in(std::string_view list) {
  if (!list.starts_with('[') || !list.ends_with(']')) return {};
  list = list.substr(1, list.size() - 2);
  std::string places;
  while (!list.empty()) {
    std::string_view item = take_item(list);
    if (!item.starts_with('{')) {
      if (!add_cpus(item, true, places)) return {};
      continue;
    }
    if (!item.ends_with('}')) return {};
    item = item.substr(1, item.size() - 2);
    places += places.empty() ? "{" : ",{";
    if (item.empty()) return {};
    while (!item.empty()) {
      if (!add_cpus(take_item(item), false, places)) return {};
    }
    places += '}';
  }
  return places;
}

bool has_no_effect(std::string_view word) {
  for (const std::string_view known : without_effect) {
    if (base::same_word(word, known)) return true;
    if (base::same_word(word, "no" + std::string(known))) return true;
  }
  return false;
}

}  // namespace

kmp_affinity read_kmp_affinity(std::string_view text) {
  const kmp_affinity bad{.error = std::string(expected_affinity)};
  std::string_view unit;
  std::string list;
  std::string_view type;
  std::uint64_t numbers[2] = {};
  std::size_t given = 0;
  bool resets = false;
  bool modified = false;
  while (!text.empty()) {
    const std::string_view item = take_item(text);
    const auto equals = item.find('=');
    const std::string_view name = trimmed(item.substr(0, equals));
    const std::string_view value =
        equals == std::string_view::npos ? std::string_view{} : trimmed(item.substr(equals + 1));
    if (base::same_word(name, "granularity")) {
      const auto* const found = std::ranges::find_if(
          granularities, [&](const auto& g) { return base::same_word(value, g.first); });
      if (found == std::end(granularities)) return bad;
      unit = found->second;
      modified = true;
    } else if (base::same_word(name, "proclist")) {
      list = places_in(value);
      if (list.empty()) return bad;
    } else if (equals != std::string_view::npos) {
      return bad;
    } else if (base::same_word(name, "reset") || base::same_word(name, "noreset")) {
      resets = base::same_word(name, "reset");
      modified = true;
    } else if (has_no_effect(name)) {
      modified = true;
    } else if (type.empty()) {
      type = name;
    } else {
      const auto number = base::parse_number(name, 0, most_cpus);
      if (!number || given == std::size(numbers)) return bad;
      numbers[given++] = *number;
    }
  }
  const auto is = [&](std::string_view word) { return base::same_word(type, word); };
  // Modifiers alone leave the type as it is: none.
  if (modified && type.empty() && list.empty() && given == 0) return {};
  if (is("none") || is("disabled")) return {};
  kmp_affinity found{.binds = true, .resets = resets};
  if (is("explicit")) {
    if (list.empty() || given != 0) return bad;
    found.places = list;
    return found;
  }
  const bool is_compact = is("compact");
  if (!is_compact && !is("scatter") && !is("balanced")) return bad;
  if (numbers[0] > (is_compact ? 1 : 0) || numbers[1] != 0) return bad;
  found.spread = !is_compact;
  const bool by_threads = unit == "threads";
  if (numbers[0] == 0 || !by_threads) {
    found.places = unit.empty() || (!is_compact && by_threads) ? "cores" : std::string(unit);
  }
  return found;
}

}  // namespace doall::topology
