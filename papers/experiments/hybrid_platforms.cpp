#include "experiments/hybrid_platforms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/hybrid_programs.hpp"
#include "schedule/grammar.hpp"

namespace doall::bench::hybrid_virtual {
namespace {

schedules::spec schedule_of(const platform& p, u64 iterations, std::uint32_t processors) {
  const std::string text = stand_in(p.schedule);
  constexpr u64 most = 2048;
  const u64 chunk = std::max<u64>(1, std::min(most, iterations / 8 / processors));
  const bool is_other = text != p.schedule;
  return schedules::parse(p.is_chunked && !is_other ? fmt::format("{},{}", text, chunk) : text)
      .value;
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
  return integer_sort(times, schedules::parse(stand_in("guided")).value);
}

}  // namespace

const sim::machine& machine() {
  static const sim::machine found = sim::find_machine("e5-4620");
  return found;
}

sim::program_run run(const platform& p, const sim::program& what, std::uint32_t processors,
                     u64 seed, const sim::loop_watcher& seen) {
  const schedules::spec how = schedule_of(p, what.loop(0).iterations, processors);
  const bool can_steal = how.which->splits != nullptr || is_hybrid(*how.which);
  return p.by == engine::stealing && can_steal
             ? run_program_by_stealing(what, machine(), processors, how, seed, seen)
             : run_program(what, machine(), processors, how, seed, seen);
}

const sim::program_run& nas_run(const std::string& kernel, const std::string& scheme) {
  static std::map<std::pair<std::string, std::string>, sim::program_run> done;
  const auto [at, is_new] = done.try_emplace({kernel, scheme});
  if (is_new) at->second = run(platform_of(scheme), nas(kernel, scheme), all_cores);
  return at->second;
}

sim::program walk(const working_set& set, bool is_balanced, u64 phases) {
  const double bytes = machine().domains * set.socket_bytes;
  return is_balanced ? balanced(bytes, phases) : unbalanced(bytes, phases);
}

}  // namespace doall::bench::hybrid_virtual
