// OpenMP's lane. One source: GCC's build runs on libgomp and, preloaded, on
// doall's libgomp.so.1; Clang's build runs on libomp.
#include <omp.h>

#include <stdexcept>

#include "common/openmp_facts.hpp"
#include "kernels/lane.hpp"

namespace {

using namespace doall::bench;

// KIND or KIND,CHUNK, as every OpenMP runtime knows them.
void use_standard(const std::string& text) {
  const auto comma = text.find(',');
  const std::string kind = text.substr(0, comma);
  const int chunk = comma == std::string::npos ? 0 : std::stoi(text.substr(comma + 1));
  if (kind == "static") {
    omp_set_schedule(omp_sched_static, chunk);
  } else if (kind == "dynamic") {
    omp_set_schedule(omp_sched_dynamic, chunk);
  } else if (kind == "guided") {
    omp_set_schedule(omp_sched_guided, chunk);
  } else {
    throw std::invalid_argument("OpenMP has no schedule " + text);
  }
}

// On doall schedule(runtime) can be any schedule, by its own function.
void use(const std::string& text) {
  using setter = int (*)(const char*);
  static const auto set_any = reinterpret_cast<setter>(dlsym(RTLD_DEFAULT, "doall_set_schedule"));
  if (set_any == nullptr) return use_standard(text);
  if (set_any(text.c_str()) != 0) throw std::invalid_argument("doall has no schedule " + text);
}

constexpr auto door = [](auto& kernel) { run_omp(kernel); };

std::vector<program> all_programs() {
  std::vector<program> all = programs(door);
  for (program& p : late_programs(door)) all.push_back(std::move(p));
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  return serve(argc > 1 ? argv[1] : "", {.library = doall::bench::openmp_library(),
                                         .threads = doall::bench::openmp_team_size(),
                                         .use = use,
                                         .programs = all_programs(),
                                         .warm_up = warm_up_program(door)});
}
