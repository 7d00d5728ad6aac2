// Texts that are nearly what a reader expects: a valid one with some bytes changed, cut, doubled or
// moved.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "base/rng.hpp"

namespace doall::tests {

inline std::string damaged(std::string text, base::rng& random) {
  // What readers of numbers, lines and JSON may stumble over.
  constexpr std::string_view odd[] = {
      "-1", "1e999", "nan", "18446744073709551616", "\0", "\n", "\"", "{", "[[[[", "\\u0", "\xff"};
  const std::size_t changes = 1 + random.below(4);
  for (std::size_t n = 0; n < changes && !text.empty(); ++n) {
    const std::size_t at = random.below(text.size());
    const std::size_t length = random.below(std::min<std::size_t>(text.size() - at, 40)) + 1;
    switch (random.below(6)) {
      case 0: text[at] = static_cast<char>(random.below(256)); break;
      case 1: text.erase(at, length); break;
      case 2: text.insert(at, text.substr(at, length)); break;
      case 3: text.resize(at); break;
      case 4: text.insert(random.below(text.size()), text.substr(at, length)); break;
      default: text.replace(at, length, odd[random.below(std::size(odd))]);
    }
  }
  return text;
}

}  // namespace doall::tests
