// hybrid, section V: every runtime takes chunks of the same size, min(2048, N/8P).
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace doall::bench {

inline std::size_t chunk_of(std::size_t iterations, std::size_t workers) {
  constexpr std::size_t chunk_max = 2048;
  constexpr std::size_t chunks_a_worker = 8;
  return std::clamp<std::size_t>(iterations / (chunks_a_worker * workers), 1, chunk_max);
}

// That of kernel k for so many workers.
template <class Kernel>
std::size_t chunk_for(const Kernel& k, unsigned workers) {
  if constexpr (requires { k.chunk(workers); }) {
    return k.chunk(workers);
  } else {
    return chunk_of(static_cast<std::size_t>(k.iterations()), workers);
  }
}

// "NAME,chunk" with that chunk; other texts as they are.
template <class Kernel>
std::string with_chunk_of(const Kernel& k, unsigned workers, const std::string& text) {
  constexpr const char* word = "chunk";
  if (!text.ends_with(std::string(",") + word)) return text;
  return text.substr(0, text.rfind(word)) + std::to_string(chunk_for(k, workers));
}

}  // namespace doall::bench
