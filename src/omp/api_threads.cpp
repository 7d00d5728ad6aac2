// The user's functions for threads, regions and time.
#include <algorithm>
#include <ctime>
#include <string>

#include "base/clock.hpp"
#include "base/env.hpp"
#include "omp/api.hpp"
#include "omp/icv.hpp"

using namespace doall;
using omp::self;
using omp::task_state;

namespace {

constexpr int threads_most = static_cast<int>(team::most_workers);

void warn_of_threads(int threads, int used) {
  base::warn_once("omp_set_num_threads(" + std::to_string(threads) +
                  "): expected a whole number from 1 to " + std::to_string(threads_most) + "; " +
                  std::to_string(used) + " is used");
}

// For a bad count, of which it warns and takes the nearest good one, and for a task that has not
// changed its settings. Apart, so that the rest needs no stack.
[[gnu::noinline, gnu::cold]] void set_threads_slowly(int threads) {
  const int used = std::clamp(threads, 1, threads_most);
  if (used != threads) warn_of_threads(threads, used);
  self().change_settings().threads = static_cast<std::uint32_t>(used);
}

// The caller's task at that level; null when it has none.
const task_state* at_level(int level) {
  return level < 0 ? nullptr : omp::ancestor_at(self(), static_cast<std::uint32_t>(level));
}

}  // namespace

extern "C" {

void omp_set_num_threads(int threads) {
  task_state* const me = omp::current_task;
  omp::icvs* const own = me != nullptr ? me->own_settings() : nullptr;
  if (own == nullptr || threads < 1 || threads > threads_most) [[unlikely]]
    return set_threads_slowly(threads);
  own->threads = static_cast<std::uint32_t>(threads);
}
int omp_get_num_threads(void) { return static_cast<int>(self().team->size); }
int omp_get_max_threads(void) { return static_cast<int>(self().settings().threads); }
int omp_get_thread_num(void) { return static_cast<int>(self().index); }
int omp_get_num_procs(void) { return static_cast<int>(team::environment().cpus); }
int omp_in_parallel(void) { return self().team->active_level > 0; }

void omp_set_dynamic(int on) { self().change_settings().dynamic = on != 0; }
int omp_get_dynamic(void) { return self().settings().dynamic; }

// Nesting is max-active-levels-var by another name.
void omp_set_nested(int on) {
  std::uint32_t& levels = self().change_settings().max_active_levels;
  if (on != 0) {
    levels = omp::supported_active_levels;
  } else if (levels > 1) {
    levels = 1;
  }
}
int omp_get_nested(void) {
  const task_state& me = self();
  return me.settings().max_active_levels > 1 &&
         me.settings().max_active_levels > me.team->active_level;
}

int omp_get_thread_limit(void) { return static_cast<int>(self().settings().thread_limit); }

void omp_set_max_active_levels(int levels) {
  if (levels < 0) {
    base::warn_once("omp_set_max_active_levels(" + std::to_string(levels) +
                    "): expected a whole number from 0; nothing changes");
    return;
  }
  self().change_settings().max_active_levels =
      std::min(static_cast<std::uint32_t>(levels), omp::supported_active_levels);
}
int omp_get_max_active_levels(void) {
  return static_cast<int>(self().settings().max_active_levels);
}
int omp_get_supported_active_levels(void) { return omp::supported_active_levels; }

int omp_get_level(void) { return static_cast<int>(self().team->level); }
int omp_get_active_level(void) { return static_cast<int>(self().team->active_level); }
int omp_get_ancestor_thread_num(int level) {
  const task_state* task = at_level(level);
  return task == nullptr ? -1 : static_cast<int>(task->index);
}
int omp_get_team_size(int level) {
  const task_state* task = at_level(level);
  return task == nullptr ? -1 : static_cast<int>(task->team->size);
}

int omp_in_final(void) { return self().in_final; }
int omp_in_explicit_task(void) {
  const task_state& me = self();
  return me.running != nullptr || me.undescribed != nullptr;
}
int omp_get_cancellation(void) { return omp::process().cancellation; }
int omp_get_max_task_priority(void) { return static_cast<int>(omp::process().max_task_priority); }

double omp_get_wtime(void) { return static_cast<double>(base::now_ns()) * 1e-9; }
double omp_get_wtick(void) {
  timespec tick{};
  clock_getres(CLOCK_MONOTONIC, &tick);
  return static_cast<double>(tick.tv_sec) + static_cast<double>(tick.tv_nsec) * 1e-9;
}

}  // extern "C"
