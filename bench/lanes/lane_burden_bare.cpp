// The limit's lane: a half-barrier and nothing else (bare_team.hpp), with the threads and the CPUs
// that all other lanes have.
//
//   lane-burden-bare THREADS CPU,CPU,... FAN     FAN: how many workers one releases
//
// What is timed runs no iteration: it releases the team and joins it. What is checked runs each
// worker's block, so that the team is seen to be there.
#include <cstdlib>

#include "lanes/bare_team.hpp"
#include "lanes/burden_lane.hpp"

namespace {

using namespace doall::bench;

constinit bare_team* team = nullptr;

template <class Body>
void run_block(std::uint32_t w) {
  const auto border = [](std::uint32_t of) {
    return static_cast<int>(std::uint64_t{of} * iterations / team->threads());
  };
  for (int i = border(w); i < border(w + 1); ++i) Body::run(i);
}

}  // namespace

int main(int, char** argv) {
  const auto threads = static_cast<std::uint32_t>(std::atoi(argv[1]));
  bare_team all(threads, static_cast<std::uint32_t>(std::atoi(argv[3])), cpus_in(argv[2]));
  team = &all;
  serve_burden("a half-barrier", threads, {make_kernel("static", []<class Body>(Body) {
                 if constexpr (std::is_same_v<Body, empty_body>) {
                   team->run(nullptr);
                 } else {
                   team->run(run_block<Body>);
                 }
               })});
}
