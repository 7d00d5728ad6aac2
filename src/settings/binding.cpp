// Where threads are bound: OMP_PROC_BIND, OMP_PLACES, GOMP_CPU_AFFINITY, KMP_AFFINITY.
#include "settings/binding.hpp"

#include <algorithm>
#include <initializer_list>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/env.hpp"
#include "topology/hw_subset.hpp"
#include "topology/kmp_affinity.hpp"
#include "topology/topology.hpp"

namespace doall::team {
namespace {

void warn_of_dropped(const char* name, const std::string& text, const topology::places_result& of) {
  if (of.dropped.empty()) return;
  base::warn_once(std::string(name) + "=\"" + text + "\": " + topology::to_text(of.dropped) +
                  (of.dropped.size() == 1 ? " is" : " are") +
                  " left out: expected CPUs that the affinity mask and KMP_HW_SUBSET allow; " +
                  std::to_string(of.places.size()) +
                  (of.places.size() == 1 ? " place is" : " places are") + " used");
}

// OMP_PLACES, else GOMP_CPU_AFFINITY; none when neither names places.
std::vector<topology::place> places_from_environment() {
  std::vector<topology::place> found;
  for (const char* name : {"OMP_PLACES", "GOMP_CPU_AFFINITY"}) {
    const auto text = base::env_text(name);
    if (!text) continue;
    topology::places_result read = std::string_view(name) == "OMP_PLACES"
                                       ? topology::read_places(*text)
                                       : topology::read_cpu_list(*text, topology::usable_cpus());
    if (!read.error.empty()) {
      base::warn_once(std::string(name) + "=\"" + *text + "\" is ignored: " + read.error +
                      "; places are as if it were unset");
    } else if (found.empty()) {
      warn_of_dropped(name, *text, read);
      found = std::move(read.places);
    }
  }
  return found;
}

// LLVM's KMP_AFFINITY. It counts if no variable of the standard or of GCC says where threads are
// bound.
void bind_by_kmp_affinity(settings& s, bool counts) {
  const auto text = base::env_text("KMP_AFFINITY");
  if (!text) return;
  topology::kmp_affinity wanted = topology::read_kmp_affinity(*text);
  topology::places_result read;
  if (wanted.binds && !wanted.places.empty()) {
    read = topology::read_places(wanted.places);
    wanted.error = std::move(read.error);
  }
  if (!wanted.error.empty()) {
    base::warn_once("KMP_AFFINITY=\"" + *text + "\" is ignored: " + wanted.error +
                    "; threads are bound as if it were unset");
    return;
  }
  if (!counts) return;
  warn_of_dropped("KMP_AFFINITY", *text, read);
  s.places = std::move(read.places);
  s.pinned = wanted.binds;
  s.spread = wanted.spread;
  if (wanted.resets) s.reset_cpus = topology::allowed_cpus();
  if (!s.pinned || !s.places.empty()) return;
  for (const int cpu : topology::pin_order()) s.places.push_back({cpu});
}

// The outermost level's word of OMP_PROC_BIND; empty where it is not set, or to anything that no
// OpenMP runtime knows, `no` for one. Of the latter the OpenMP library warns.
std::string_view outermost_bind(std::string_view text) {
  const auto is_one_of = [](std::string_view word, std::initializer_list<std::string_view> known) {
    return std::ranges::any_of(known, [&](auto one) { return base::same_word(word, one); });
  };
  if (is_one_of(text, {"true", "false"})) return text;
  std::string_view outermost;
  for (const auto& level : std::views::split(text, ',')) {
    const std::string_view word = base::trim(std::string_view(level.begin(), level.end()));
    if (!is_one_of(word, {"primary", "master", "close", "spread"})) return {};
    if (outermost.empty()) outermost = word;
  }
  return outermost;
}

void choose_places(settings& s) {
  const auto text = base::env_text("OMP_PROC_BIND");
  const std::string_view outermost = text ? outermost_bind(*text) : std::string_view{};
  const bool bind = !outermost.empty();
  const bool says_places = base::env_text("OMP_PLACES") || base::env_text("GOMP_CPU_AFFINITY");
  bind_by_kmp_affinity(s, !bind && !says_places);
  std::vector<topology::place> places = places_from_environment();
  if (s.pinned || base::same_word(outermost, "false")) return;
  s.places = std::move(places);
  s.pinned = bind || !s.places.empty();
  s.spread = base::same_word(outermost, "spread");
  s.on_one_place = base::same_word(outermost, "primary") || base::same_word(outermost, "master");
}

}  // namespace

// Threads that are bound to no place of their own share the subset's, if there is one.
void bind_from_environment(settings& s) {
  choose_places(s);
  if (!s.places.empty()) return;
  if (s.pinned) {
    s.places = topology::read_places("cores").places;
    s.pinned = !s.places.empty();  // the kernel does not tell which CPUs may be used
  } else if (topology::has_hw_subset()) {
    s.places = {topology::usable_cpus()};
  }
}

}  // namespace doall::team
