// OpenMP's lane: the programs in C. One source: GCC's build runs on libgomp and, preloaded, on
// doall's libgomp.so.1; Clang's build runs on libomp. Peers run loops whose clause names the
// schedule, as in the paper; doall has more schedules than there are clauses, and runs
// schedule(runtime). A second build of GCC's, with COWS_NAME_COSTS, is linked with libdoall and
// tells doall what its loops cost.
//
//   lane-cows-openmp-COMPILER SIZE [FOLDER]     of the graphs' files
//   lane-cows-openmp-gcc-costs SIZE [FOLDER]
#include <map>
#include <stdexcept>

#include "lanes/cows_openmp.hpp"

namespace {

using namespace doall::bench;

#ifdef COWS_NAME_COSTS
constexpr bool names_costs = true;
#else
constexpr bool names_costs = false;
#endif

#ifdef __clang__
constexpr bool is_libomp = true;
#else
constexpr bool is_libomp = false;
#endif

// The programs whose loops have that schedule from now on.
const cows_program_set* programs_now = &cows_programs_runtime;

// A peer is never given schedule(runtime), which the paper found inefficient. Throws
// std::invalid_argument.
void use_schedule(const std::string& text) {
  static const std::map<std::string, const cows_program_set*> by_clause{
      {"dynamic", &cows_programs_dynamic},
      {"static", &cows_programs_static},
      {"static,1", &cows_programs_cyclic},
      {"guided", &cows_programs_guided}};
  if (doall_schedule_setter() != nullptr) return use_openmp_schedule(text);
  const auto found = by_clause.find(text);
  if (found == by_clause.end()) throw std::invalid_argument("no program has the clause " + text);
  programs_now = found->second;
}

// Without costs wsrw would be wsri; what the others do with them is the same as without.
std::vector<std::string> every_schedule() {
  if (doall_schedule_setter() == nullptr) return {"dynamic", "static", "static,1", "guided"};
  if (names_costs) return {"wsrw", papers_wsrw};
  return {"dynamic", "static", "cyclic", "guided", "wsr", "wsri"};
}

// Chunks of one iteration take minutes where there are many of them: LLVM's library a microsecond
// each where two threads want the next one, others up to a tenth of that.
std::vector<std::string> schedules(const program& p) {
  std::vector<std::string> all = every_schedule();
  if (crosses_road_network(p.name) || (is_libomp && runs_on_road_network(p.name))) {
    std::erase_if(all, [](const std::string& schedule) {
      return schedule == "dynamic" || schedule == "static,1" || schedule == "cyclic";
    });
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return serve_cows_programs(argc, argv, programs_now, use_schedule, schedules);
}
