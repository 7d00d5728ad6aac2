// How a worksharing loop is dealt.
#pragma once

#include <cstdint>

#include "observe/reason.hpp"
#include "observe/record.hpp"
#include "schedule/grammar.hpp"

namespace doall::omp {

// By which schedule, why, for the report, and in cells of how many iterations, because of the chunk
// that is named (src/schedule/README.md, "What a dealt chunk promises").
struct loop_dealing {
  schedules::spec how;
  std::uint64_t cell = 1;
  observe::reason why = observe::reason::none;

  observe::site_kind kind() const {
    return why == observe::reason::sections ? observe::site_kind::sections
                                            : observe::site_kind::loop;
  }

  // The loop's shape as its schedule sees it.
  schedules::loop_shape in_cells(const schedules::loop_shape& shape) const {
    return {base::ceil_div(shape.iterations, cell), shape.workers};
  }
};

}  // namespace doall::omp
