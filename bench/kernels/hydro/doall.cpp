#include <doall/doall.hpp>

#include <algorithm>
#include <limits>

#include "kernels/hydro/steps.hpp"

namespace doall::bench {
namespace {

struct doall_loops {
  const schedule& how;

  void each(int first, int last, const auto& body,
            const std::source_location& where = std::source_location::current()) const {
    parallel_for(first, last, body, how, where);
  }
  double least(int first, int last, const auto& body,
               const std::source_location& where = std::source_location::current()) const {
    return parallel_reduce(
        first, last, std::numeric_limits<double>::infinity(), body,
        [](double a, double b) { return std::min(a, b); }, how, where);
  }
};

}  // namespace

void run_doall(hydro& k, const schedule& how) { run_steps(k, doall_loops{how}); }

}  // namespace doall::bench
