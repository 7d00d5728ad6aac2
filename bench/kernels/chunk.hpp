// hybrid, section V: every runtime takes chunks of the same size, min(2048, N/8P).
#pragma once

#include <algorithm>
#include <cstddef>

namespace doall::bench {

inline std::size_t chunk_of(std::size_t iterations, std::size_t workers) {
  constexpr std::size_t chunk_max = 2048;
  constexpr std::size_t chunks_a_worker = 8;
  return std::clamp<std::size_t>(iterations / (chunks_a_worker * workers), 1, chunk_max);
}

}  // namespace doall::bench
