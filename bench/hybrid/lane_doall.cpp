// The native door's lane.
//
//   hybrid-lane-doall SIZE [SCHEDULE]     under SCHEDULE alone
#include <doall/doall.hpp>

#include "hybrid/chunks.hpp"
#include "kernels/hybrid_programs.hpp"
#include "kernels/lane.hpp"

namespace {

using namespace doall::bench;

std::vector<std::string> all_schedules() {
  return {"hybrid", "static", "dynamic,chunk", "guided,chunk", "static-steal,chunk", "affinity"};
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned threads = doall_threads();
  std::string how = "static";
  const auto door = [&](auto& kernel) {
    // In any order, as the peers' reductions: the fixed one would divide the loops itself.
    run_doall(kernel, {.how = doall::schedule(with_chunk_of(kernel, threads, how)),
                       .order = doall::reduce_order::any});
  };
  const auto schedules = argc > 2 ? std::vector<std::string>{argv[2]} : all_schedules();
  return serve(argc > 1 ? argv[1] : "",
               {.library = std::string("libdoall ") + doall_version(),
                .threads = threads,
                .use = [&how](const std::string& text) { how = text; },
                .programs = hybrid_programs(door),
                .warm_up = hybrid_warm_up(door),
                .schedules = [&schedules](const program&) { return schedules; }});
}
