#include "omp/llvm/environment.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "base/env.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"
#include "omp/api.hpp"
#include "omp/icv.hpp"
#include "settings/settings.hpp"

namespace doall::omp {
namespace {

constexpr choice yes_or_no[] = {{"false", 0},   {"0", 0},      {"no", 0},       {"off", 0},
                                {".false.", 0}, {"true", 1},   {"1", 1},        {"yes", 1},
                                {"on", 1},      {".true.", 1}, {"disabled", 0}, {"enabled", 1}};
constexpr choice reductions[] = {
    {"critical", static_cast<std::uint32_t>(reduction_form::lock)},
    {"atomic", static_cast<std::uint32_t>(reduction_form::atomics)},
    {"tree", static_cast<std::uint32_t>(reduction_form::first_thread)}};

// Variables that ask for something that happens here in another way, or not at all, and what
// happens instead.
struct without_effect {
  const char* name;
  const char* instead;
};
constexpr without_effect ignored[] = {
    {"KMP_TOPOLOGY_METHOD", "hwloc finds the topology"},
    {"KMP_FORKJOIN_BARRIER", "DOALL_BARRIER chooses a barrier"},
    {"KMP_FORKJOIN_BARRIER_PATTERN", "DOALL_BARRIER chooses a barrier"},
    {"KMP_PLAIN_BARRIER", "DOALL_BARRIER chooses a barrier"},
    {"KMP_PLAIN_BARRIER_PATTERN", "DOALL_BARRIER chooses a barrier"},
    {"KMP_REDUCTION_BARRIER", "DOALL_BARRIER chooses a barrier"},
    {"KMP_REDUCTION_BARRIER_PATTERN", "DOALL_BARRIER chooses a barrier"},
    {"KMP_DEVICE_THREAD_LIMIT", "OMP_THREAD_LIMIT limits threads"},
    {"KMP_ALL_THREADS", "OMP_THREAD_LIMIT limits threads"},
    {"KMP_TEAMS_THREAD_LIMIT", "OMP_TEAMS_THREAD_LIMIT limits threads"},
    {"KMP_LOCK_KIND", "there is one kind of lock"},
    {"KMP_SCHEDULE", "OMP_SCHEDULE or DOALL_SCHEDULE names a schedule"},
    {"KMP_PLACE_THREADS", "KMP_HW_SUBSET is its newer name"},
    {"KMP_DYNAMIC_MODE", "OMP_DYNAMIC=true lets regions be smaller"},
};

bool flag(const char* name, bool usual) {
  const auto text = base::env_text(name);
  if (!text) return usual;
  if (const choice* found = find_choice(yes_or_no, *text)) return found->value != 0;
  base::warn_once(std::string(name) + "=\"" + *text + "\" is ignored: expected true or false; " +
                  (usual ? "true" : "false") + " is used");
  return usual;
}

kmp_settings read_settings() {
  kmp_settings s;
  constexpr std::int32_t for_ever = std::numeric_limits<std::int32_t>::max();
  if (const auto block_ns = team::block_time_ns()) {
    constexpr std::uint64_t ms = 1'000'000;
    s.blocktime_ms = static_cast<std::int32_t>(std::min<std::uint64_t>(*block_ns / ms, for_ever));
  } else if (const auto policy = base::env_text("OMP_WAIT_POLICY")) {
    if (base::same_word(*policy, "active")) s.blocktime_ms = for_ever;
    if (base::same_word(*policy, "passive")) s.blocktime_ms = 0;
  }
  s.warnings = flag("KMP_WARNINGS", true);
  if (const auto text = base::env_text("KMP_FORCE_REDUCTION")) {
    if (const choice* found = find_choice(reductions, *text)) {
      s.reduction = static_cast<reduction_form>(found->value);
    } else {
      base::warn_once("KMP_FORCE_REDUCTION=\"" + *text +
                      "\" is ignored: expected critical, atomic or tree; doall chooses");
    }
  }
  if (const auto text = base::env_text("KMP_TEAMS_PROC_BIND")) {
    const choice* found = find_choice(bind_words(), *text);
    if (found != nullptr && found->value > static_cast<std::uint32_t>(binding::is_true)) {
      s.teams_bind = static_cast<binding>(found->value);
    } else {
      base::warn_once("KMP_TEAMS_PROC_BIND=\"" + *text +
                      "\" is ignored: expected primary, close or spread; spread is used");
    }
  }
  if (flag("KMP_DETERMINISTIC_REDUCTION", false)) s.reduction = reduction_form::first_thread;
  if (s.warnings) {
    for (const without_effect& v : ignored) {
      if (const auto text = base::env_text(v.name)) {
        base::warn_once(std::string(v.name) + "=\"" + *text + "\" is ignored: " + v.instead);
      }
    }
  }
  if (flag("KMP_SETTINGS", false)) omp_display_env(1);
  return s;
}

constinit base::lazy<kmp_settings> all;
const base::at_unload forget_all([] { all.drop(); });

}  // namespace

const kmp_settings& kmp_environment() { return all.get(read_settings); }

}  // namespace doall::omp
