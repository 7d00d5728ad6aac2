// The outcome of a thief's attempt, on any deque.
#pragma once

#include <cstdint>

namespace doall::deque {

enum class theft : std::uint8_t {
  done,
  empty,      // there was nothing
  declined,   // the thief did not want what it saw
  lost_race,  // another thread was faster
};

}  // namespace doall::deque
