#include "experiments/hybrid_platforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "experiments/hybrid_programs.hpp"
#include "schedule/grammar.hpp"

namespace doall::bench::hybrid_virtual {
namespace {

schedules::spec schedule_of(const platform& p, u64 iterations, std::uint32_t processors) {
  constexpr u64 most = 2048;
  const u64 chunk = std::max<u64>(1, std::min(most, iterations / 8 / processors));
  if (!p.is_chunked || stand_in(p.schedule) != p.schedule) return stand_in_spec(p.schedule);
  return stand_in_spec(fmt::format("{},{}", p.schedule, chunk));
}

// A schedule that splits is for the stealing engine, on whichever platform it stands in.
bool is_stolen(const platform& p, const schedules::spec& how) {
  if (how.which->splits != nullptr) return true;
  return p.by == engine::stealing && is_hybrid(*how.which);
}

const platform& platform_of(std::string_view scheme) {
  return scheme == "hybrid" ? hybrid : scheme == "vanilla" ? vanilla : omp;
}

sim::program nas(std::string_view kernel, std::string_view scheme) {
  constexpr u64 times = 4;
  if (kernel == "mg") return multigrid(times);
  if (kernel == "cg") return conjugate_gradient(times);
  if (kernel == "ft") return fourier(times);
  if (kernel == "ep") return embarrassingly_parallel();
  if (scheme != "omp") return integer_sort(times);
  return integer_sort(times, stand_in_spec("guided"));
}

}  // namespace

const sim::machine& machine() {
  static const sim::machine found = sim::find_machine("e5-4620");
  return found;
}

std::string run_key(const platform& p, u64 iterations, std::uint32_t processors) {
  const schedules::spec how = schedule_of(p, iterations, processors);
  return fmt::format("{} {}", is_stolen(p, how) ? "stolen" : "dealt", schedules::to_text(how));
}

sim::program_run run(const platform& p, const sim::program& what, std::uint32_t processors,
                     u64 seed, const sim::loop_watcher& seen) {
  const schedules::spec how = schedule_of(p, what.loop(0).iterations, processors);
  if (!is_stolen(p, how)) return run_program(what, machine(), processors, how, seed, seen);
  const sim::goes_on after =
      how.which->splits != nullptr ? sim::goes_on::last_one : sim::goes_on::first_worker;
  return run_program_by_stealing(what, machine(), processors, how, seed, seen, after);
}

const sim::program_run& nas_run(const std::string& kernel, const std::string& scheme) {
  static std::map<std::tuple<std::string, std::string, std::string>, sim::program_run> done;
  const platform& p = platform_of(scheme);
  const sim::program what = nas(kernel, scheme);
  // What runs: by is's own clause, too.
  const std::string by = run_key(p, what.loop(0).iterations, all_cores) + stand_in("guided");
  const auto [at, is_new] = done.try_emplace({kernel, scheme, by});
  if (is_new) at->second = run(p, what, all_cores);
  return at->second;
}

sim::program walk(const working_set& set, bool is_balanced, u64 phases) {
  const double bytes = machine().domains * set.socket_bytes;
  return is_balanced ? balanced(bytes, phases) : unbalanced(bytes, phases);
}

}  // namespace doall::bench::hybrid_virtual
