#include "burden/contenders.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "schedule/grammar.hpp"

namespace doall::bench {
namespace {

namespace fs = std::filesystem;
using environment = std::vector<std::string>;

fs::path own_folder() { return fs::canonical("/proc/self/exe").parent_path(); }

// Where an installation has the library, then where a build has it.
fs::path doall_libgomp() {
  const fs::path file = "doall/omp/libgomp.so.1";
  const fs::path installed = (own_folder() / DOALL_LIBEXEC_TO_LIB / file).lexically_normal();
  const fs::path built = (own_folder() / "../../lib" / file).lexically_normal();
  return fs::exists(installed) ? installed : built;
}

// The registry's schedules with their defaults, in the grammar. OpenMP's tables
// write dynamic with its chunk, and a comparison goes by the name.
std::vector<std::string> registry_texts() {
  std::vector<std::string> texts;
  for (const schedules::entry& e : schedules::registry()) {
    const bool by_ones = &e == &schedules::for_runtime_loops();
    texts.push_back(schedules::to_text({&e, {.chunk = by_ones ? 1U : 0U}}));
  }
  return texts;
}

// How a contender's lane is started.
struct plan {
  std::string runtime;
  std::string door;
  std::string setting = "";
  std::string program;
  std::vector<std::string> arguments = {};
  environment variables = {};
  std::string needs = "";  // to be built
  fs::path library = "";   // that must be the one to run the loops; "": any
};

// Collects the lanes; one that cannot take part is left out, with the reason.
class roster {
 public:
  explicit roster(const contest& c) : contest_(c) {}

  // A peer waits as it does by default and, when each thread has a CPU of its
  // own, actively too.
  void add_openmp_peer(plan p) {
    p.variables = common();
    if (add(p) == nullptr || contest_.threads > contest_.cpus.size()) return;
    p.setting = "OMP_WAIT_POLICY=active";
    p.variables.push_back(p.setting);
    add(p);
  }

  // GCC's binary, the same file as libgomp's lane, with our library before its own.
  void add_gomp_door() {
    plan p{.runtime = "doall",
           .door = "gomp",
           .program = "burden-lane-openmp-gcc",
           .variables = common(),
           .needs = "GCC",
           .library = doall_libgomp()};
    p.variables.push_back("LD_PRELOAD=" + p.library.string());
    const lane_process* standard = add(p);
    if (standard == nullptr) return;
    // What omp_set_schedule() has no name for comes through OMP_SCHEDULE.
    const std::vector<std::string> known = standard->schedules();
    for (const std::string& text : registry_texts()) {
      if (std::ranges::count(known, "runtime:" + text) != 0) continue;
      plan other = p;
      other.arguments = {text};
      other.variables.push_back("OMP_SCHEDULE=" + text);
      add(other);
    }
  }

  void add_native_door() {
    add({.runtime = "doall",
         .door = "native",
         .program = "burden-lane-doall",
         .arguments = registry_texts(),
         .variables = common()});
  }

  void add_tbb() {
    plan p{.runtime = "tbb", .door = "tbb", .program = "burden-lane-tbb", .needs = "libtbb-dev"};
    p.arguments.push_back(std::to_string(contest_.threads));
    if (contest_.pinned) {
      for (const int cpu : contest_.cpus) p.arguments.push_back(std::to_string(cpu));
    }
    add(p);
  }

  contenders take() { return std::move(found_); }

 private:
  // What every OpenMP runtime, and the native door, reads.
  environment common() const {
    environment variables{fmt::format("OMP_NUM_THREADS={}", contest_.threads)};
    if (contest_.pinned) variables.emplace_back("OMP_PROC_BIND=true");
    return variables;
  }

  // The lane, or null when it is left out.
  const lane_process* add(const plan& p) {
    try {
      const fs::path program = own_folder() / p.program;
      if (!fs::exists(program)) {
        throw lane_error(fmt::format("{} was not built{}", p.program,
                                     p.needs.empty() ? "" : "; it needs " + p.needs));
      }
      auto lane = std::make_unique<lane_process>(lane_command{program, p.arguments, p.variables});
      // The dynamic linker only warns when it cannot preload a library.
      std::error_code ignored;
      if (!p.library.empty() && !fs::equivalent(p.library, lane->library(), ignored)) {
        throw lane_error(
            fmt::format("the loops ran on {}, expected {}", lane->library(), p.library.string()));
      }
      found_.present.push_back({p.runtime, p.door, p.setting, std::move(lane)});
      return found_.present.back().lane.get();
    } catch (const lane_error& e) {
      found_.left_out.push_back(fmt::format("{} ({}): {}", p.runtime, p.door, e.what()));
      return nullptr;
    }
  }

  const contest& contest_;
  contenders found_;
};

}  // namespace

const std::vector<std::string>& runtime_names() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp", "tbb"};
  return names;
}

contenders start_contenders(const contest& c) {
  const auto wanted = [&](const std::string& runtime) {
    return std::ranges::count(c.runtimes, runtime) != 0;
  };
  roster all(c);
  if (wanted("libgomp")) {
    all.add_openmp_peer({.runtime = "libgomp",
                         .door = "gomp",
                         .program = "burden-lane-openmp-gcc",
                         .needs = "GCC"});
  }
  if (wanted("doall")) {
    all.add_gomp_door();
    all.add_native_door();
  }
  if (wanted("libomp")) {
    all.add_openmp_peer({.runtime = "libomp",
                         .door = "kmp",
                         .program = "burden-lane-openmp-clang",
                         .needs = "clang-19 and libomp-19-dev"});
  }
  if (wanted("tbb")) all.add_tbb();
  return all.take();
}

std::string counterpart(const std::string& schedule) {
  struct pair {
    std::string_view partitioner;
    std::string_view openmp;
  };
  static constexpr std::array partitioners{
      pair{"static_partitioner", "static"},
      pair{"simple_partitioner,1", "dynamic,1"},
      pair{"auto_partitioner", ""},
      pair{"affinity_partitioner", ""},
  };
  const auto found = std::ranges::find(partitioners, schedule, &pair::partitioner);
  return found == partitioners.end() ? schedule : std::string(found->openmp);
}

}  // namespace doall::bench
