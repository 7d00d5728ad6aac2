// What becomes of a thief's attempt, on any deque.
#pragma once

#include <cstdint>

namespace doall::deque {

enum class theft : std::uint8_t {
  done,
  empty,      // there was nothing
  declined,   // there was something that the thief did not want
  lost_race,  // somebody else was faster
};

}  // namespace doall::deque
