#include "driver/contenders.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "schedule/grammar.hpp"

namespace doall::bench {
namespace {

namespace fs = std::filesystem;

fs::path own_folder() { return fs::canonical("/proc/self/exe").parent_path(); }

// In the folder where an installation has libraries; if it is not there, where a build has them.
fs::path in_libraries(const char* file) {
  const fs::path installed = (own_folder() / DOALL_LIBEXEC_TO_LIB / file).lexically_normal();
  const fs::path built = (own_folder() / "../../lib" / file).lexically_normal();
  return fs::exists(installed) ? installed : built;
}

// The names by which programs ask for the library, and the library, which has the functions.
fs::path doall_libgomp() { return in_libraries("doall/omp/libgomp.so.1"); }
fs::path doall_libomp() { return in_libraries("doall/omp/libomp.so.5"); }
fs::path doall_openmp() { return in_libraries("libdoall-omp.so.0"); }

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
    if (!p.library.empty() && !fs::equivalent(p.library, lane->library_file(), ignored)) {
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

void roster::add(const lane_set& s) {
  const auto has = [](const std::vector<std::string>& all, const char* one) {
    return std::ranges::count(all, one) != 0;
  };
  const auto takes_part = [&](const char* peer) {
    return contest_.wants(peer) && has(s.peers, peer);
  };
  const bool is_ours = contest_.wants("doall");
  if (is_ours && has(s.doors, "native")) {
    add({.runtime = "doall",
         .door = "native",
         .program = s.name + "-doall",
         .arguments = s.arguments});
  }
  if (is_ours && has(s.doors, "gomp")) {
    lane_plan ours = on_doall(libgomp_plan(s.name, s.arguments));
    ours.arguments.insert(ours.arguments.end(), s.more_of_gomp.begin(), s.more_of_gomp.end());
    add(ours);
  }
  if (is_ours && has(s.doors, "kmp")) add(on_doall(libomp_plan(s.name, s.arguments)));
  for (const lane_plan& peer :
       {libgomp_plan(s.name, s.arguments), libomp_plan(s.name, s.arguments)}) {
    if (!takes_part(peer.runtime.c_str())) continue;
    if (s.wait_actively_too) {
      add_openmp_peer(peer);
    } else {
      add(peer);
    }
  }
  if (takes_part("tbb")) add(tbb_plan(s.name, s.arguments, contest_));
}

contenders roster::take() {
  if (found_.present.empty()) {
    throw lane_error(fmt::format("nobody can be measured:\n{}", fmt::join(found_.left_out, "\n")));
  }
  return std::move(found_);
}

void move_to(contenders& all, contenders more) {
  std::ranges::move(more.present, std::back_inserter(all.present));
  std::ranges::move(more.left_out, std::back_inserter(all.left_out));
}

const std::vector<std::string>& all_runtimes() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp", "tbb"};
  return names;
}

lane_plan libgomp_plan(const std::string& name, std::vector<std::string> arguments) {
  return {.runtime = "libgomp",
          .door = "gomp",
          .program = name + "-openmp-gcc",
          .arguments = std::move(arguments),
          .needs = "GCC",
          .compiler = "GCC"};
}

lane_plan libomp_plan(const std::string& name, std::vector<std::string> arguments) {
  return {.runtime = "libomp",
          .door = "kmp",
          .program = name + "-openmp-clang",
          .arguments = std::move(arguments),
          .needs = "clang-19 and libomp-19-dev",
          .compiler = "Clang"};
}

std::vector<std::string> team_arguments(const contest& c) {
  return {std::to_string(c.threads), c.pinned ? fmt::format("{}", fmt::join(c.cpus, ",")) : ""};
}

lane_plan tbb_plan(const std::string& name, std::vector<std::string> arguments, const contest& c) {
  const std::vector<std::string> team = team_arguments(c);
  arguments.insert(arguments.begin(), team.begin(), team.end());
  return {.runtime = "tbb",
          .door = "tbb",
          .program = name + "-tbb",
          .arguments = std::move(arguments),
          .needs = "libtbb-dev"};
}

lane_plan on_doall(lane_plan p) {
  p.runtime = "doall";
  p.library = doall_openmp();
  const fs::path name = p.door == "kmp" ? doall_libomp() : doall_libgomp();
  p.variables.push_back("LD_PRELOAD=" + name.string());
  return p;
}

std::vector<entrant> entrants_of(std::span<const contender> present) {
  std::vector<entrant> all;
  for (const contender& c : present) {
    for (const std::string& schedule : c.lane->offers()) all.push_back({&c, schedule});
  }
  return all;
}

std::map<std::string, std::string> peer_versions(std::span<const contender> present) {
  std::map<std::string, std::string> versions;
  for (const contender& c : present) {
    const bool is_ours = c.runtime == all_runtimes().front();
    if (is_ours || std::ranges::count(all_runtimes(), c.runtime) == 0) continue;
    versions.emplace(c.runtime, c.lane->version());
  }
  return versions;
}

std::string name_of(const entrant& e) {
  return fmt::format("{} {} {}", e.who->runtime, e.who->door, e.schedule);
}

nlohmann::ordered_json to_json(const entrant& e) {
  return {{"runtime", e.who->runtime},
          {"door", e.who->door},
          {"schedule", e.schedule},
          {"setting", e.who->setting},
          {"threads", e.who->lane->threads()},
          {"library", e.who->lane->library()}};
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
