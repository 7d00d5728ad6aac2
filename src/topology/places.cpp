#include "topology/places.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

#include "base/env.hpp"
#include "topology/hw_subset.hpp"
#include "topology/hwloc_tree.hpp"
#include "topology/text_reader.hpp"

namespace doall::topology {
namespace {

// Bounds what a short text can name: the kernel's most CPUs.
constexpr long most_named = 8192;

constexpr const char* expected_places =
    "expected places such as {0,1},{2,3} or {0:2}:4:2, or threads, cores, ll_caches, sockets or "
    "numa_domains";

struct interval {
  long count = 1;
  long stride = 1;
};

// ":count:stride", each optional; nothing if it is no such thing.
std::optional<interval> take_interval(text_reader& text) {
  interval found;
  if (!text.take(':')) return found;
  const auto count = text.take_number();
  if (!count || *count < 1 || *count > most_named) return std::nullopt;
  found.count = *count;
  if (!text.take(':')) return found;
  const auto stride = text.take_number();
  if (!stride || *stride < -most_named || *stride > most_named) return std::nullopt;
  found.stride = *stride;
  return found;
}

bool is_cpu(long number) { return number >= 0 && number < most_named; }

// The CPUs of a place whose opening brace is taken.
std::optional<place> take_cpus(text_reader& text) {
  place cpus;
  do {
    const bool excludes = text.take('!');
    const auto number = text.take_number();
    if (!number || !is_cpu(*number)) return std::nullopt;
    const auto repeats = excludes ? std::optional(interval{}) : take_interval(text);
    if (!repeats) return std::nullopt;
    for (long i = 0; i < repeats->count; ++i) {
      const long cpu = *number + i * repeats->stride;
      if (!is_cpu(cpu)) return std::nullopt;
      std::erase(cpus, static_cast<int>(cpu));
      if (!excludes) cpus.push_back(static_cast<int>(cpu));
    }
  } while (text.take(','));
  if (!text.take('}') || cpus.empty()) return std::nullopt;
  std::ranges::sort(cpus);
  return cpus;
}

std::optional<place> take_place(text_reader& text) {
  if (text.take('{')) return take_cpus(text);
  const auto number = text.take_number();
  if (!number || !is_cpu(*number)) return std::nullopt;
  return place{static_cast<int>(*number)};
}

std::optional<std::vector<place>> take_list(text_reader& text) {
  std::vector<place> places;
  do {
    const bool excludes = text.take('!');
    const auto first = take_place(text);
    if (!first) return std::nullopt;
    if (excludes) {
      const auto last = std::find(places.rbegin(), places.rend(), *first);
      if (last != places.rend()) places.erase(std::next(last).base());
      continue;
    }
    const auto repeats = take_interval(text);
    if (!repeats || static_cast<long>(places.size()) + repeats->count > most_named)
      return std::nullopt;
    for (long i = 0; i < repeats->count; ++i) {
      place moved = *first;
      for (int& cpu : moved) cpu += static_cast<int>(i * repeats->stride);
      if (!is_cpu(moved.front()) || !is_cpu(moved.back())) return std::nullopt;
      places.push_back(std::move(moved));
    }
  } while (text.take(','));
  if (!text.at_end() || places.empty()) return std::nullopt;
  return places;
}

// The machine's objects of that type. Where hwloc knows none (without /sys, say) each CPU is a
// core, and all CPUs are one object of any larger type.
std::vector<place> objects_of(const hwloc_tree& tree, hwloc_obj_type_t type,
                              std::span<const int> allowed) {
  std::vector<place> places;
  for (const hwloc_obj_t object : tree.all(type)) add_once(places, cpus_of(object));
  if (!places.empty()) return places;
  if (type == HWLOC_OBJ_PU || type == HWLOC_OBJ_CORE) {
    for (const int cpu : allowed) places.push_back({cpu});
  } else {
    places.emplace_back(allowed.begin(), allowed.end());
  }
  return places;
}

std::optional<std::vector<place>> places_of_word(std::string_view word, const hwloc_tree& tree,
                                                 std::span<const int> allowed) {
  if (base::same_word(word, "threads")) return objects_of(tree, HWLOC_OBJ_PU, allowed);
  if (base::same_word(word, "cores")) return objects_of(tree, HWLOC_OBJ_CORE, allowed);
  if (base::same_word(word, "sockets")) return objects_of(tree, HWLOC_OBJ_PACKAGE, allowed);
  if (base::same_word(word, "numa_domains")) return objects_of(tree, HWLOC_OBJ_NUMANODE, allowed);
  if (!base::same_word(word, "ll_caches")) return std::nullopt;
  return objects_of(tree, tree.last_level_cache().value_or(HWLOC_OBJ_CORE), allowed);
}

// The places with the CPUs that may be used.
places_result usable(std::vector<place> places, std::span<const int> allowed) {
  places_result found;
  for (place& p : places) {
    place rest;
    std::ranges::copy_if(p, std::back_inserter(rest),
                         [&](int cpu) { return std::ranges::find(allowed, cpu) != allowed.end(); });
    if (rest.empty()) {
      found.dropped.push_back(std::move(p));
    } else {
      found.places.push_back(std::move(rest));
    }
  }
  if (found.places.empty()) {
    return {{}, "expected CPUs that the affinity mask and KMP_HW_SUBSET allow"};
  }
  return found;
}

}  // namespace

std::string to_text(std::span<const place> places) {
  constexpr std::size_t most_shown = 8;
  std::string text;
  for (const place& p : places.first(std::min(places.size(), most_shown))) {
    text += text.empty() ? "{" : ",{";
    for (std::size_t i = 0; i < p.size(); ++i) {
      text += (i == 0 ? "" : ",") + std::to_string(p[i]);
    }
    text += "}";
  }
  return places.size() > most_shown ? text + ",..." : text;
}

places_result read_places(std::string_view text, const hwloc_tree& tree,
                          std::span<const int> allowed) {
  text_reader rest(text);
  const std::string_view word = rest.take_word();
  if (word.empty()) {
    auto places = take_list(rest);
    return places ? usable(std::move(*places), allowed) : places_result{{}, expected_places};
  }
  const auto found = places_of_word(word, tree, allowed);
  if (!found) return {{}, expected_places};
  places_result result = usable(*found, allowed);
  result.dropped.clear();  // a word means those that there are
  if (rest.take('(')) {
    const auto count = rest.take_number();
    if (!count || *count < 1 || !rest.take(')')) {
      return {{}, "expected a whole number from 1 in brackets behind the word"};
    }
    if (static_cast<std::size_t>(*count) < result.places.size()) {
      result.places.resize(static_cast<std::size_t>(*count));
    }
  }
  return rest.at_end() ? result : places_result{{}, expected_places};
}

places_result read_places(std::string_view text) {
  return read_places(text, hwloc_tree::of_this_machine(), usable_cpus());
}

places_result read_cpu_list(std::string_view text, std::span<const int> allowed) {
  const places_result bad{{}, "expected CPUs and ranges such as \"0 3 1-2 4-15:2\""};
  std::vector<place> places;
  text_reader rest(text);
  while (!rest.at_end()) {
    if (!places.empty()) rest.take(',');
    const auto first = rest.take_number();
    // A minus sign is the range's: the last number comes out negative.
    auto last = first;
    if (first && *first >= 0 && rest.take('-')) last = rest.take_number();
    long stride = 1;
    if (rest.take(':')) stride = rest.take_number().value_or(0);
    if (!first || !last || !is_cpu(*first) || !is_cpu(*last) || stride < 1 || stride > most_named ||
        *last < *first) {
      return bad;
    }
    for (long cpu = *first; cpu <= *last; cpu += stride) places.push_back({static_cast<int>(cpu)});
    if (static_cast<long>(places.size()) > most_named) return bad;
  }
  return places.empty() ? bad : usable(std::move(places), allowed);
}

std::size_t place_of(std::uint32_t index, std::uint32_t threads, std::size_t places, bool spread) {
  if (places == 0) return 0;
  const std::uint64_t all = std::max<std::uint32_t>(threads, 1);
  if (index >= all || (all <= places && !spread)) return index % places;
  // Shares of spread differ by one at most, the larger ones first; so do blocks of threads.
  const std::uint64_t parts = std::min<std::uint64_t>(all, places);
  const std::uint64_t whole = std::max<std::uint64_t>(all, places);
  const std::uint64_t each = whole / parts;
  const std::uint64_t larger = whole % parts;
  if (all <= places) return index * each + std::min<std::uint64_t>(index, larger);
  const std::uint64_t in_larger = larger * (each + 1);
  if (index < in_larger) return index / (each + 1);
  return larger + (index - in_larger) / each;
}

}  // namespace doall::topology
