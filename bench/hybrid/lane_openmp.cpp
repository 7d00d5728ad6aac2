// OpenMP's lane: schedule(runtime) in all loops. One source: GCC's build runs on libgomp and,
// preloaded, on doall's libgomp.so.1, which has more schedules; Clang's build runs on libomp.
//
//   hybrid-lane-openmp-COMPILER SIZE [late] [static_steal]
//
// `late`: loops that one worker comes late to (kernels/late-start), instead of the programs.
//
// `static_steal`: libomp's, which no program can set: omp_set_schedule refuses it and
// kmp_set_defaults is read once. OMP_SCHEDULE names it, with its chunk, for a whole process. Such
// a lane sets nothing and takes part in what has that chunk: the microbenchmarks, or late loops.
#include <algorithm>
#include <span>
#include <stdexcept>
#include <string_view>

#include "common/openmp_facts.hpp"
#include "common/openmp_schedule.hpp"
#include "hybrid/chunks.hpp"
#include "kernels/hybrid_programs.hpp"
#include "kernels/lane.hpp"

namespace {

using namespace doall::bench;

constexpr const char* steal = "static_steal,chunk";

std::vector<std::string> nothing_but_steal(const program& p) {
  if (p.name.starts_with("nas-")) return {};
  return {steal};
}

// Of our schedules all stand beside the native door's elsewhere; loops with late workers have
// this door alone.
std::vector<std::string> schedules(const program& p) {
  const bool is_late = p.name.starts_with("late-");
  if (doall_schedule_setter() != nullptr) {
    if (!is_late) return {"static", "hybrid"};
    return {"static", "dynamic,chunk", "guided,chunk", "static-steal,chunk", "affinity", "hybrid"};
  }
  // Nothing is asked of NAS's kernels, and their rounds are long.
  if (p.name.starts_with("nas-")) return {"static", "dynamic,chunk"};
  return {"static", "dynamic,chunk", "guided,chunk"};
}

// Throws unless OMP_SCHEDULE has that chunk.
void expect_chunk(std::size_t wanted) {
  omp_sched_t kind{};
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  if (static_cast<std::size_t>(chunk) == wanted) return;
  throw std::runtime_error("OMP_SCHEDULE's chunk is " + std::to_string(chunk) + ", expected " +
                           std::to_string(wanted) + "; nothing was run");
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  const auto has = [&](std::string_view word) {
    return std::ranges::any_of(arguments, [&](std::string_view one) { return one == word; });
  };
  const bool steals = has("static_steal");
  const unsigned threads = openmp_team_size();
  std::string how = "static";
  const auto door = [&](auto& kernel) {
    if (steals) {
      expect_chunk(chunk_for(kernel, threads));
    } else {
      use_openmp_schedule(with_chunk_of(kernel, threads, how));
    }
    run_omp(kernel);
  };
  const auto any_chunk = [](auto& kernel) { run_omp(kernel); };
  return serve(argc > 1 ? argv[1] : "",
               {.library = openmp_library(),
                .threads = threads,
                .use = [&how](const std::string& text) { how = text; },
                .programs = has("late") ? late_programs(door) : hybrid_programs(door),
                .warm_up = steals ? hybrid_warm_up(any_chunk) : hybrid_warm_up(door),
                .schedules = steals ? nothing_but_steal : schedules});
}
