// Leagues of teams on the host, as Clang compiles them.
#include "omp/teams.hpp"

#include <cstdarg>
#include <utility>

#include "omp/llvm/environment.hpp"
#include "omp/llvm/fork.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/state.hpp"

using namespace doall::omp;

namespace {

// Of the next league, which the compiler's code pushes right before it; 0: not said.
struct wanted_league {
  unsigned teams = 0;
  unsigned thread_limit = 0;
};
constinit thread_local wanted_league pushed;

unsigned at_least_0(std::int32_t value) { return value > 0 ? static_cast<unsigned>(value) : 0; }

}  // namespace

extern "C" {

void __kmpc_push_num_teams(ident_t*, gtid_t, std::int32_t teams, std::int32_t thread_limit) {
  pushed = {at_least_0(teams), at_least_0(thread_limit)};
}
// From `least` to `most` teams: as many as possible.
void __kmpc_push_num_teams_51(ident_t*, gtid_t, std::int32_t least, std::int32_t most,
                              std::int32_t thread_limit) {
  pushed = {at_least_0(most != 0 ? most : least), at_least_0(thread_limit)};
}
void __kmpc_set_thread_limit(ident_t*, gtid_t, std::int32_t thread_limit) {
  if (thread_limit > 0)
    self().change_settings().thread_limit = static_cast<std::uint32_t>(thread_limit);
}

void __kmpc_fork_teams(ident_t*, std::int32_t count, microtask body, ...) {
  va_list arguments;
  va_start(arguments, body);
  microtask_call call(body, count, arguments);
  va_end(arguments);
  const wanted_league wanted = std::exchange(pushed, {});
  run_league(microtask_call::run_one, &call, wanted.teams, wanted.thread_limit,
             kmp_environment().teams_bind);
}

}  // extern "C"
