// What the clauses of a parallel construct want beyond a number of threads.
#pragma once

#include <cstdint>

#include "omp/state.hpp"
#include "omp/team_shape.hpp"

namespace doall::omp {

// Sets the settings of the region's implicit tasks: those of the encountering task, but for the
// lists that go by levels, and the clauses. Writes only what changes.
void inherit(region& r, const team_wish& wish);

// num_threads(strict: n), as the error directive, if the region has fewer threads.
void say_too_few(const team_wish& wish, std::uint32_t threads);
inline void check_strict(const team_wish& wish, std::uint32_t threads) {
  if (wish.strict != team_wish::not_strict && threads < wish.num_threads) [[unlikely]]
    say_too_few(wish, threads);
}

}  // namespace doall::omp
