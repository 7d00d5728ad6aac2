// doall doctor: shows what doall sees of the machine, the environment and a program.
#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "barrier/tree_picture.hpp"
#include "cli/diagnosis.hpp"
#include "process/options.hpp"
#include "process/preload.hpp"
#include "process/result_file.hpp"
#include "report/ranks.hpp"
#include "settings/settings.hpp"
#include "text/table.hpp"
#include "text/version.hpp"
#include "threads/placement.hpp"
#include "threads/team_trees.hpp"
#include "topology/topology.hpp"

namespace doall::cli {
namespace {

using nlohmann::ordered_json;

// Those of docs/guide/settings.md, in its order; a test compares.
constexpr const char* variables[] = {"DOALL_NUM_THREADS",
                                     "OMP_NUM_THREADS",
                                     "OMP_MAX_ACTIVE_LEVELS",
                                     "OMP_PROC_BIND",
                                     "OMP_NESTED",
                                     "OMP_THREAD_LIMIT",
                                     "OMP_DYNAMIC",
                                     "DOALL_OVERSUBSCRIBE",
                                     "OMP_STACKSIZE",
                                     "GOMP_STACKSIZE",
                                     "KMP_STACKSIZE",
                                     "DOALL_SCHEDULE",
                                     "DOALL_DEFAULT_SCHEDULE",
                                     "DOALL_CHOICES_FOLDER",
                                     "DOALL_CHOICES_FILE",
                                     "OMP_SCHEDULE",
                                     "DOALL_SMALL_LOOPS",
                                     "DOALL_SPIN_NS",
                                     "OMP_WAIT_POLICY",
                                     "KMP_BLOCKTIME",
                                     "DOALL_MEMBARRIER",
                                     "KMP_DETERMINISTIC_REDUCTION",
                                     "KMP_FORCE_REDUCTION",
                                     "KMP_ENABLE_TASK_THROTTLING",
                                     "KMP_TEAMS_PROC_BIND",
                                     "KMP_SETTINGS",
                                     "KMP_WARNINGS",
                                     "KMP_LOCK_KIND",
                                     "KMP_HW_SUBSET",
                                     "KMP_AFFINITY",
                                     "OMP_PLACES",
                                     "GOMP_CPU_AFFINITY",
                                     "DOALL_DOMAINS",
                                     "DOALL_BARRIER",
                                     "OMP_DISPLAY_ENV",
                                     "LD_PRELOAD"};

constexpr const char* runtime_names[] = {"libgomp.so.1", "libomp.so.5", "libiomp5.so"};

// Where the dynamic linker finds the library from here; empty when nowhere.
std::string locate(const char* library) {
  void* handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL);
  if (handle == nullptr) return {};
  std::string path;
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0) path = map->l_name;
  // Never closed: a runtime that is unloaded may leave memory and threads behind.
  return path;
}

ordered_json examine_machine() {
  const topology::machine m = topology::describe_machine();
  ordered_json caches = ordered_json::array();
  for (const topology::cache& c : m.caches) {
    caches.push_back(
        {{"level", c.level}, {"bytes", c.bytes}, {"count", c.count}, {"shared_by", c.shared_by}});
  }
  ordered_json quota = nullptr;
  if (const auto q = topology::read_cpu_quota()) {
    quota = {{"cpus", q->cpus}, {"source", q->source}};
  }
  return {{"packages", m.packages},
          {"numa_domains", m.numa_domains},
          {"cores", m.cores},
          {"processing_units", m.processing_units},
          {"caches", std::move(caches)},
          {"allowed_cpus", topology::allowed_cpus()},
          {"quota", std::move(quota)},
          {"hwloc", m.hwloc_version}};
}

ordered_json examine_libraries() {
  ordered_json found = ordered_json::array();
  std::error_code ignored;
  for (const auto& path : preload_candidates()) {
    found.push_back({{"path", path.string()}, {"exists", std::filesystem::exists(path, ignored)}});
  }
  return found;
}

ordered_json examine() {
  const team::settings& team = team::environment();
  ordered_json environment = ordered_json::object();
  for (const char* name : variables) {
    const char* value = std::getenv(name);
    environment[name] = value != nullptr ? ordered_json(value) : ordered_json(nullptr);
  }
  ordered_json runtimes = ordered_json::array();
  for (const char* name : runtime_names) {
    const std::string path = locate(name);
    runtimes.push_back(
        {{"name", name}, {"path", path.empty() ? ordered_json(nullptr) : ordered_json(path)}});
  }
  return stamped("doall-doctor/2", {{"machine", examine_machine()},
                                    {"threads",
                                     {{"count", team.threads},
                                      {"why", team.threads_why},
                                      {"domain_starts", team::domain_starts(team.threads)}}},
                                    {"mpi_rank", is_mpi_rank()},
                                    {"environment", std::move(environment)},
                                    {"preload", examine_libraries()},
                                    {"openmp_runtimes", std::move(runtimes)}});
}

ordered_json to_json(const diagnosis& d) {
  ordered_json libraries = ordered_json::array();
  for (const openmp_library& l : d.libraries) {
    libraries.push_back({{"path", l.path},
                         {"regions", l.calls.regions},
                         {"steerable_entry_points", l.calls.steerable},
                         {"names_runtime", l.names_runtime}});
  }
  return {{"path", d.program.path.string()},
          {"elf", d.program.is_elf()},
          {"library", d.program.is_library},
          {"linked_statically", d.program.is_static()},
          {"openmp_runtimes", d.runtimes},
          {"foreign_runtimes", d.foreign},
          {"missing_libraries", d.missing},
          {"steerable_entry_points", d.calls.steerable},
          {"openmp_libraries", std::move(libraries)},
          {"compiled_loops",
           {{"steerable", d.program.loops.all},
            {"weighted", d.program.loops.weighted},
            {"uniform", d.program.loops.uniform},
            {"guarded", d.program.loops.guarded}}},
          {"verdict", verdict(d)}};
}

std::string to_text(const ordered_json& seen) {
  table rows({{"what"}, {"seen"}});
  const ordered_json& m = seen["machine"];
  rows.add_row({"doall", version_text()});
  rows.add_row({"threads", fmt::format("{} ({})", seen["threads"]["count"].get<unsigned>(),
                                       seen["threads"]["why"].get<std::string>())});
  rows.add_row({"cores", fmt::format("{} in {} package(s), {} NUMA domain(s), {} hardware threads",
                                     m["cores"].get<unsigned>(), m["packages"].get<unsigned>(),
                                     m["numa_domains"].get<unsigned>(),
                                     m["processing_units"].get<unsigned>())});
  for (const ordered_json& c : m["caches"]) {
    rows.add_row(
        {fmt::format("cache L{}", c["level"].get<unsigned>()),
         fmt::format("{} x {}, each for {} hardware thread(s)", c["count"].get<unsigned>(),
                     bytes_text(c["bytes"].get<std::uint64_t>()), c["shared_by"].get<unsigned>())});
  }
  rows.add_row({"affinity mask", ranges_text(m["allowed_cpus"].get<std::vector<int>>())});
  if (seen["mpi_rank"].get<bool>()) {
    const bool bound = m["allowed_cpus"].size() == 1 && m["processing_units"].get<unsigned>() > 1;
    rows.add_row({"MPI", bound ? "a rank, BOUND TO ONE CPU: loops have one thread; give mpirun "
                                 "--bind-to none, or CPUs for each rank"
                               : "a rank"});
  }
  const ordered_json& quota = m["quota"];
  rows.add_row({"CPU quota", quota.is_null()
                                 ? "none"
                                 : fmt::format("{:g} CPUs ({})", quota["cpus"].get<double>(),
                                               quota["source"].get<std::string>())});
  rows.add_row({"hwloc", m["hwloc"].get<std::string>()});
  std::size_t unset = 0;
  for (const auto& [name, value] : seen["environment"].items()) {
    if (value.is_null())
      ++unset;
    else
      rows.add_row({name, value.get<std::string>()});
  }
  rows.add_row({"other variables",
                fmt::format("none of {} that docs/guide/settings.md names is set", unset)});
  for (const ordered_json& library : seen["preload"]) {
    rows.add_row({"run preloads", fmt::format("{}{}", library["path"].get<std::string>(),
                                              library["exists"].get<bool>() ? "" : " (missing)")});
    if (library["exists"].get<bool>()) break;
  }
  for (const ordered_json& runtime : seen["openmp_runtimes"]) {
    rows.add_row({runtime["name"].get<std::string>(),
                  runtime["path"].is_null() ? "not found" : runtime["path"].get<std::string>()});
  }
  return rows.to_text();
}

// How a team of that many workers is released and joined.
std::string tree_text(std::uint32_t workers) {
  const std::vector<std::uint32_t> starts = team::domain_starts(workers);
  return fmt::format(
      "The tree of {} worker(s) in {} domain(s): a line's worker releases those below it from the "
      "top,\nand joins them from the bottom. \"4 .. 7\" leads workers 4 to 7.\n{}",
      workers, starts.size(), barrier::draw_tree(team::tree_for(workers, starts, false), workers));
}

std::string kind_text(const program_file& file) {
  switch (file.kind) {
    case file_kind::script: return "script";
    case file_kind::text: return "text";
    case file_kind::archive: return "archive";
    case file_kind::data: return "data";
    case file_kind::elf: break;
  }
  return file.is_library    ? "shared library"
         : file.is_static() ? "linked statically"
                            : "linked dynamically";
}

std::string to_text(const diagnosis& d) {
  table rows({{"program"}, {d.program.path.string()}});
  rows.add_row({"kind", kind_text(d.program)});
  rows.add_row({"OpenMP runtimes it needs", list_text(d.runtimes)});
  rows.add_row({"doall run", verdict(d)});
  if (const compiled_loops& l = d.program.loops; l.all > 0) {
    rows.add_row({"loops that doall compiled",
                  fmt::format("{}: {} weighted by costs, {} uniform, {} guarded, {} unknown", l.all,
                              l.weighted, l.uniform, l.guarded,
                              l.all - l.weighted - l.uniform - l.guarded)});
  }
  for (const std::string& function : d.calls.steerable) rows.add_row({"steerable", function});
  for (const openmp_library& l : d.libraries) {
    rows.add_row(
        {"OpenMP in",
         fmt::format("{}: {}", l.path,
                     l.calls.steerable.empty() ? "regions" : list_text(l.calls.steerable))});
  }
  return rows.to_text() +
         "\nGCC compiles loops with schedule(static), schedule(auto) or no schedule clause inline: "
         "the runtime sees only\nthe region around them. Loops with schedule(runtime), dynamic or "
         "guided can be steered.\n"
         "Clang's code asks for the bounds of such loops: schedules of one block a thread steer "
         "static ones without a\nchunk size (static, fine-grain, best-static), all schedules "
         "those of auto.\n";
}

}  // namespace

int doctor_command(const arguments& args) {
  option_parser options("doctor", "[--json] [PROGRAM|LIBRARY]",
                        "Shows what doall sees: machine, limits, environment, libraries; and what "
                        "it can do for PROGRAM and the libraries that it needs, or for a LIBRARY.");
  bool json = false;
  std::string name;
  options.add_flag("--json", json, "as JSON, schema doall-doctor/2");
  options.add_option("PROGRAM", name, "say what of this program can be steered");
  if (!options.read(args)) return succeeded;

  std::optional<diagnosis> program;
  if (!name.empty()) program = diagnose(name);
  ordered_json seen = examine();
  if (json) {
    if (program) seen["program"] = to_json(*program);
    fmt::print("{}\n", json_text(seen));
    return succeeded;
  }
  fmt::print("{}\n{}", to_text(seen), tree_text(team::environment().threads));
  if (program) fmt::print("\n{}", to_text(*program));
  return succeeded;
}

}  // namespace doall::cli
