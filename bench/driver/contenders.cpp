#include "driver/contenders.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "schedule/grammar.hpp"

namespace doall::bench {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() { return fs::canonical("/proc/self/exe").parent_path(); }

// Where an installation has the library, then where a build has it.
fs::path doall_libgomp() {
  const fs::path file = "doall/omp/libgomp.so.1";
  const fs::path installed = (own_folder() / DOALL_LIBEXEC_TO_LIB / file).lexically_normal();
  const fs::path built = (own_folder() / "../../lib" / file).lexically_normal();
  return fs::exists(installed) ? installed : built;
}

}  // namespace

bool contest::wants(const std::string& runtime) const {
  return std::ranges::count(runtimes, runtime) != 0;
}

const lane_process* roster::add(const lane_plan& p) {
  try {
    const fs::path program = own_folder() / p.program;
    if (!fs::exists(program)) {
      throw lane_error(fmt::format("{} was not built{}", p.program,
                                   p.needs.empty() ? "" : "; it needs " + p.needs));
    }
    // What every OpenMP runtime, and the native door, reads.
    std::vector<std::string> variables{fmt::format("OMP_NUM_THREADS={}", contest_.threads)};
    if (contest_.pinned) variables.emplace_back("OMP_PROC_BIND=true");
    variables.insert(variables.end(), p.variables.begin(), p.variables.end());

    auto lane = std::make_unique<lane_process>(lane_command{program, p.arguments, variables});
    // The dynamic linker only warns when it cannot preload a library.
    std::error_code ignored;
    if (!p.library.empty() && !fs::equivalent(p.library, lane->library(), ignored)) {
      throw lane_error(
          fmt::format("the loops ran on {}, expected {}", lane->library(), p.library.string()));
    }
    found_.present.push_back({p.runtime, p.door, p.setting, p.compiler, std::move(lane)});
    return found_.present.back().lane.get();
  } catch (const lane_error& e) {
    found_.left_out.push_back(fmt::format("{} ({}): {}", p.runtime, p.door, e.what()));
    return nullptr;
  }
}

void roster::add_openmp_peer(lane_plan p) {
  if (add(p) == nullptr || contest_.threads > contest_.cpus.size()) return;
  p.setting = "OMP_WAIT_POLICY=active";
  p.variables.push_back(p.setting);
  add(p);
}

contenders roster::take() {
  if (found_.present.empty()) {
    throw lane_error(fmt::format("nobody can be measured:\n{}", fmt::join(found_.left_out, "\n")));
  }
  return std::move(found_);
}

lane_plan with_doall_libgomp(lane_plan p) {
  p.library = doall_libgomp();
  p.variables.push_back("LD_PRELOAD=" + p.library.string());
  return p;
}

lane_plan with_tbb_arena(lane_plan p, const contest& c) {
  std::string cpus;
  if (c.pinned) cpus = fmt::format("{}", fmt::join(c.cpus, ","));
  p.arguments.insert(p.arguments.begin(), {std::to_string(c.threads), cpus});
  return p;
}

std::vector<std::string> registry_texts() {
  std::vector<std::string> texts;
  for (const schedules::entry& e : schedules::registry()) {
    const bool by_ones = &e == &schedules::for_runtime_loops();
    texts.push_back(schedules::to_text({&e, schedules::params::of_first(by_ones ? 1U : 0U)}));
  }
  return texts;
}

bool wants_costs(const std::string& schedule) {
  const auto parsed = schedules::parse(schedule);
  return parsed && parsed.value.has(schedules::uses_costs);
}

}  // namespace doall::bench
