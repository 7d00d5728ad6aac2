// In which pieces a plain loop in the program's own code runs (open_loops.hpp): between two it asks
// its thread or the clock. C++17, for doall::compat has it, too.
#pragma once

#include "processor.hpp"

#include <cstdint>

namespace doall {
inline namespace v0 {
namespace detail {

// The pieces of a loop that is expected to be short: one iteration, for it may have become long,
// and then up to so many times as many as before.
inline constexpr std::uint64_t pieces_grow = 32;
inline std::uint64_t end_of_piece(std::uint64_t next, std::uint64_t end) {
  return (end - 1) / pieces_grow < next ? end : pieces_grow * next;
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
