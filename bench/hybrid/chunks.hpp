// Schedules whose chunk is a kernel's own: hybrid, section V, gives every runtime the same.
#pragma once

#include <string>

namespace doall::bench {

// "NAME,chunk" with the chunk that kernel k has for so many workers; other texts as they are.
template <class Kernel>
std::string with_chunk_of(const Kernel& k, unsigned workers, const std::string& text) {
  constexpr const char* word = "chunk";
  if (!text.ends_with(std::string(",") + word)) return text;
  return text.substr(0, text.rfind(word)) + std::to_string(k.chunk(workers));
}

}  // namespace doall::bench
