// oneTBB's lane, for every experiment that runs kernels.
//
//   lane-kernels-tbb THREADS CPU,CPU,... programs SIZE [GRAPH]
//   lane-kernels-tbb THREADS CPU,CPU,... lbs|hybrid|auto SIZE
#include "kernels/every_program.hpp"
#include "kernels/harness.hpp"
#include "lanes/lane.hpp"
#include "lanes/tbb.hpp"
#include "lanes/tbb_arena.hpp"

namespace {

using namespace doall::bench;
int serve_tbb(const tbb_arena& arena, const lane_request& r, lane_door door) {
  door.library = tbb_arena::library();
  door.threads = arena.threads();
  return serve_lane(r.size, door);
}

constexpr const char* deterministic = "deterministic";

texts plain_schedules(const program&) {
  return {"static_partitioner", "auto_partitioner", "affinity_partitioner"};
}

texts fine_schedules(const program& p) {
  texts all = plain_schedules(p);
  if (p.reduces) all.emplace_back(deterministic);
  return all;
}

// `grain`: of that kernel's loops.
template <class Kernel>
void run_by(Kernel& k, const std::string& how, std::size_t grain) {
  if constexpr (requires { Kernel::is_reduction; }) {
    if (how == deterministic) return run(k, tbb_deterministic_loops{});
  }
  with_partitioner<tbb::static_partitioner, tbb::auto_partitioner, tbb::affinity_partitioner>(
      how, [&]<class Partitioner>() { run(k, tbb_loops<Partitioner>{grain}); });
}

int serve_programs(tbb_arena& arena, const lane_request& r) {
  std::string how = "static_partitioner";
  const auto door = [&](auto& kernel) { arena.execute([&] { run_by(kernel, how, 1); }); };
  return serve_tbb(arena, r,
                   {.use = [&](const std::string& text) { how = text; },
                    .programs = fine_programs(door, r.graph()),
                    .warm_up = fine_warm_up(door),
                    .schedules = fine_schedules});
}

// The grain is the kernel's chunk.
int serve_hybrid(tbb_arena& arena, const lane_request& r) {
  std::string how = "static_partitioner";
  const auto door = [&](auto& kernel) {
    arena.execute([&] { run_by(kernel, how, kernel.chunk(arena.threads())); });
  };
  return serve_tbb(arena, r,
                   {.use = [&how](const std::string& text) { how = text; },
                    .programs = hybrid_programs(door),
                    .warm_up = hybrid_warm_up(door),
                    .schedules = plain_schedules});
}

// PARTITIONER or PARTITIONER,GRAIN; without a grain it is 1, as oneTBB's own default.
struct splitting {
  std::string partitioner;
  std::size_t grain = 1;
};

splitting splitting_from(const std::string& text) {
  const auto comma = text.find(',');
  if (comma == std::string::npos) return {text};
  return {text.substr(0, comma), std::stoul(text.substr(comma + 1))};
}

int serve_lbs(tbb_arena& arena, const lane_request& r) {
  splitting how{"auto_partitioner"};
  const auto door = [&](auto& kernel) {
    arena.execute([&] {
      with_partitioner<tbb::auto_partitioner, tbb::affinity_partitioner, tbb::simple_partitioner>(
          how.partitioner,
          [&]<class Partitioner>() { run(kernel, tbb_loops<Partitioner>{how.grain}); });
    });
  };
  const auto schedules = [](const program&) {
    return texts{"auto_partitioner",      "affinity_partitioner",  "simple_partitioner,1",
                 "simple_partitioner,16", "simple_partitioner,64", "simple_partitioner,256"};
  };
  return serve_tbb(arena, r,
                   {.use = [&how](const std::string& text) { how = splitting_from(text); },
                    .programs = nested_programs(door),
                    .warm_up = nested_warm_up(door),
                    .schedules = schedules});
}

int serve_auto(tbb_arena& arena, const lane_request& r) {
  const auto door = [&arena](auto& kernel) {
    arena.execute([&] { run_silently(kernel, tbb_silent_loops{}); });
  };
  return serve_tbb(arena, r,
                   {.use = [](const std::string&) {},
                    .programs = every_program(door, door, size_of(r.size)),
                    .warm_up = fine_warm_up(door)});
}

}  // namespace

int main(int argc, char** argv) {
  tbb_arena arena(argv);
  const auto in_arena = [&arena](int (*serve)(tbb_arena&, const lane_request&)) {
    return [&arena, serve](const lane_request& r) { return serve(arena, r); };
  };
  return serve_experiment(texts(argv + std::min(argc, 3), argv + argc),
                          {{"programs", in_arena(serve_programs)},
                           {"lbs", in_arena(serve_lbs)},
                           {"hybrid", in_arena(serve_hybrid)},
                           {"auto", in_arena(serve_auto)}});
}
