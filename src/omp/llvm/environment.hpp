// The KMP_* variables of LLVM's runtime. What has an effect here is read once; what has none is
// named by a warning if it would have changed what the program does.
#pragma once

#include <cstdint>

#include "omp/team_places.hpp"

namespace doall::omp {

// How the threads' values of a reduction are combined (llvm/reduce.cpp).
enum class reduction_form : std::uint8_t { best, lock, atomics, first_thread };

struct kmp_settings {
  reduction_form reduction = reduction_form::best;
  std::int32_t blocktime_ms = 200;       // as kmp_get_blocktime() says it
  bool warnings = true;                  // KMP_WARNINGS
  binding teams_bind = binding::spread;  // KMP_TEAMS_PROC_BIND
};

const kmp_settings& kmp_environment();

}  // namespace doall::omp
