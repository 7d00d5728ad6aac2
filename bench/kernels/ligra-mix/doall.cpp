#include <doall/doall.hpp>

#include <functional>

#include "kernels/ligra-mix/steps.hpp"

namespace doall::bench {
namespace {

struct doall_loops {
  const loop_options& fine;
  const loop_options coarse = {};

  template <grain Grain, class Body>
  void each(std::size_t count, const Body& body, const std::source_location& where) const {
    parallel_for(std::size_t{0}, count, body, Grain == grain::fine ? fine : coarse, where);
  }

  template <class Body>
  std::uint64_t sum(std::size_t count, const Body& body, const std::source_location& where) const {
    return parallel_reduce(std::size_t{0}, count, std::uint64_t{0}, body, std::plus<>(), fine,
                           where);
  }
};

}  // namespace

void run_doall(bfs& k, const loop_options& options) { run_timed(k, doall_loops{options}); }
void run_doall(betweenness& k, const loop_options& options) { run_timed(k, doall_loops{options}); }
void run_doall(components& k, const loop_options& options) { run_timed(k, doall_loops{options}); }
void run_doall(pagerank& k, const loop_options& options) { run_timed(k, doall_loops{options}); }

}  // namespace doall::bench
