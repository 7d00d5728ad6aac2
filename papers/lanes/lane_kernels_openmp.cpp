// OpenMP's lane, for every experiment that runs kernels. One source: GCC's build runs on libgomp
// and, preloaded, on doall's libgomp.so.1, which has more schedules; Clang's build runs on libomp.
//
//   lane-kernels-openmp-COMPILER afs SIZE
//   lane-kernels-openmp-COMPILER programs SIZE [GRAPH]
//   lane-kernels-openmp-COMPILER lbs SIZE
//   lane-kernels-openmp-COMPILER auto SIZE           static, the outermost loops of nests alone
//   lane-kernels-openmp-COMPILER hybrid SIZE [late] [static_steal]
#include <stdexcept>

#include "kernels/every_program.hpp"
#include "kernels/harness.hpp"
#include "kernels/kernel.hpp"
#include "lanes/lane.hpp"
#include "lanes/openmp.hpp"
#include "lanes/openmp_runtime.hpp"

namespace {

using namespace doall::bench;
int serve_openmp(const lane_request& r, lane_door door) {
  door.library = openmp_library();
  door.threads = openmp_team_size();
  return serve_lane(r.size, door);
}

int serve_afs(const lane_request& r) {
  const auto door = [](auto& kernel) { run(kernel, omp_loops{}); };
  std::vector<program> all = programs(door);
  for (program& p : late_programs(door)) all.push_back(std::move(p));
  return serve_openmp(
      r, {.use = use_openmp_schedule, .programs = all, .warm_up = warm_up_program(door)});
}

// schedule(static) in all fine loops.
int serve_programs(const lane_request& r) {
  const auto door = [](auto& kernel) { run(kernel, omp_static_loops{}); };
  return serve_openmp(r, {.use = [](const std::string&) {},
                          .programs = fine_programs(door, r.graph()),
                          .warm_up = fine_warm_up(door),
                          .schedules = [](const program&) { return texts{"static"}; }});
}

// In the two ways in which a user would write a nest: `outer`, nesting off, the outermost loop
// shared, as each standard schedule deals it; and `taskloop`.
int serve_lbs(const lane_request& r) {
  const std::string outer = "outer,";
  bool in_tasks = false;
  const auto use = [&](const std::string& text) {
    in_tasks = text == "taskloop";
    if (in_tasks) return;
    if (!text.starts_with(outer)) throw std::invalid_argument("no way to run a nest: " + text);
    use_openmp_schedule(text.substr(outer.size()));
  };
  const auto door = [&in_tasks](auto& kernel) {
    if (in_tasks) {
      run_in_tasks([&] { run(kernel, omp_task_loops{}); });
    } else {
      run(kernel, omp_outer_loops{});
    }
  };
  const auto schedules = [](const program&) {
    return texts{"outer,static", "outer,dynamic", "outer,guided", "taskloop"};
  };
  return serve_openmp(r, {.use = use,
                          .programs = nested_programs(door),
                          .warm_up = nested_warm_up(door),
                          .schedules = schedules});
}

// `late`: loops that one worker comes late to (kernels/late_start.hpp), instead of the programs.
//
// `static_steal`: libomp's, which no program can set: omp_set_schedule refuses it and
// kmp_set_defaults is read once. OMP_SCHEDULE names it, with its chunk, for a whole process. Such
// a lane sets nothing and takes part in what has that chunk: the microbenchmarks, or late loops.
constexpr const char* steal = "static_steal,chunk";

texts nothing_but_steal(const program& p) {
  if (p.name.starts_with("nas-")) return {};
  return {steal};
}

// Of our schedules all stand beside the native door's elsewhere; loops with late workers have
// this door alone.
texts hybrid_schedules(const program& p) {
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

int serve_hybrid(const lane_request& r) {
  const bool steals = r.has("static_steal");
  const unsigned threads = openmp_team_size();
  std::string how = "static";
  // A warm-up has another chunk.
  bool any_chunk = false;
  const auto door = [&](auto& kernel) {
    if (!steals) {
      use_openmp_schedule(with_chunk_of(kernel, threads, how));
    } else if (!any_chunk) {
      expect_chunk(chunk_for(kernel, threads));
    }
    run(kernel, omp_loops{});
  };
  program warm_up = hybrid_warm_up(door);
  warm_up.parallel = [&any_chunk, steals, run_warm_up = warm_up.parallel](kernel& k) {
    any_chunk = steals;
    run_warm_up(k);
    any_chunk = false;
  };
  return serve_openmp(r, {.use = [&how](const std::string& text) { how = text; },
                          .programs = r.has("late") ? late_programs(door) : hybrid_programs(door),
                          .warm_up = warm_up,
                          .schedules = steals ? nothing_but_steal : hybrid_schedules});
}

int serve_auto(const lane_request& r) {
  const auto door = [](auto& kernel) { run_silently(kernel, omp_silent_loops{}); };
  const auto nested = [](auto& kernel) { run(kernel, omp_outer_loops{}); };
  return serve_openmp(r, {.use = use_openmp_schedule,
                          .programs = every_program(door, nested, size_of(r.size)),
                          .warm_up = fine_warm_up(door)});
}

}  // namespace

int main(int argc, char** argv) {
  return serve_experiment(texts(argv + 1, argv + argc), {{"afs", serve_afs},
                                                         {"programs", serve_programs},
                                                         {"lbs", serve_lbs},
                                                         {"hybrid", serve_hybrid},
                                                         {"auto", serve_auto}});
}
