// The teams construct on the host: its teams run one after the other, each from the settings in
// effect at the construct. The outermost task keeps the number of the running team, because regions
// inside ask for it too.
#include <algorithm>
#include <optional>

#include "base/env.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"
#include "omp/api.hpp"
#include "omp/icv.hpp"
#include "omp/ompt/hooks.hpp"
#include "omp/region_apart.hpp"
#include "omp/teams.hpp"
#include "omp/thread_places.hpp"

namespace doall::omp {
namespace {

// The process's nteams-var and teams-thread-limit-var; 0: no limit.
struct teams_icvs {
  sync::atomic<std::uint32_t> teams{process().teams};
  sync::atomic<std::uint32_t> thread_limit{process().teams_thread_limit};
};

constinit base::lazy<teams_icvs> lazy_limits;
const base::at_unload free_limits([] { lazy_limits.drop(); });

teams_icvs& limits() {
  return lazy_limits.get([] { return teams_icvs(); });
}

std::uint32_t read(const sync::atomic<std::uint32_t>& limit) {
  // (1) relaxed; alone: a setting; nothing else is published with it
  return limit.load(sync::relaxed);
}

void write(sync::atomic<std::uint32_t>& limit, int value, const char* function) {
  if (value < 0) {
    base::warn_once(std::string(function) + "(" + std::to_string(value) +
                    "): expected a whole number from 0; nothing changes");
    return;
  }
  // (2) relaxed; alone: a setting; nothing else is published with it
  limit.store(static_cast<std::uint32_t>(value), sync::relaxed);
}

void limit_threads(icvs& settings, std::uint32_t thread_limit) {
  if (thread_limit != 0) settings.thread_limit = std::min(thread_limit, 0x7fffffffU);
}

}  // namespace

void run_league(void (*function)(void*), void* data, unsigned teams, unsigned thread_limit,
                binding bind) {
  // A league in a parallel region is that of a target region, which Clang's code calls as it is.
  std::optional<region_apart> apart;
  if (self().team->level != 0) apart.emplace(self().settings());
  task_state& me = self();
  const icvs before = me.settings();
  if (thread_limit == 0) thread_limit = read(limits().thread_limit);
  if (teams == 0) teams = std::max(1U, read(limits().teams));
  me.team_count = teams;
  const league_places places(me, teams, apart ? binding::none : bind);
  ompt::league watched(teams);
  for (me.team_number = 0; me.team_number < teams; ++me.team_number) {
    me.change_settings() = before;
    limit_threads(me.change_settings(), thread_limit);
    places.take(me.team_number);
    watched.team_begins(me.team_number);
    function(data);
    watched.team_ends(me.team_number);
  }
  me.team_number = 0;
  me.team_count = 1;
  me.change_settings() = before;
}

}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

// A league that nobody gives a size has three teams on GCC's own runtime, too.
void GOMP_teams_reg(void (*function)(void*), void* data, unsigned teams, unsigned thread_limit,
                    unsigned /*flags*/) {
  constexpr unsigned usual = 3;
  if (teams == 0 && read(limits().teams) == 0) teams = usual;
  run_league(function, data, teams, thread_limit);
}

// Called inside target regions. The compiler's loop over the teams asks with `first`, then until
// the answer is no.
bool GOMP_teams4(unsigned teams_least, unsigned /*teams_most*/, unsigned thread_limit, bool first) {
  task_state& me = self();
  if (first) {
    limit_threads(me.change_settings(), thread_limit);
    me.team_count = std::max(1U, teams_least);
    me.team_number = 0;
    return true;
  }
  if (me.team_number + 1 == me.team_count) return false;
  ++me.team_number;
  return true;
}
void GOMP_teams(unsigned /*teams*/, unsigned thread_limit) {
  limit_threads(self().change_settings(), thread_limit);
}

int omp_get_num_teams(void) { return static_cast<int>(ancestor_at(self(), 0)->team_count); }
int omp_get_team_num(void) { return static_cast<int>(ancestor_at(self(), 0)->team_number); }

void omp_set_num_teams(int teams) { write(limits().teams, teams, "omp_set_num_teams"); }
int omp_get_max_teams(void) { return static_cast<int>(read(limits().teams)); }
void omp_set_teams_thread_limit(int threads) {
  write(limits().thread_limit, threads, "omp_set_teams_thread_limit");
}
int omp_get_teams_thread_limit(void) { return static_cast<int>(read(limits().thread_limit)); }

}  // extern "C"
