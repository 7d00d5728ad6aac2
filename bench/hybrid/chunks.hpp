// Schedules whose chunk is a kernel's own: hybrid, section V, gives every runtime the same.
#pragma once

#include <string>

#include "kernels/chunk.hpp"

namespace doall::bench {

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
