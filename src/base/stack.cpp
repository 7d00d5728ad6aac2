#include "base/stack.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace doall::base {
namespace {

constexpr std::size_t most_bytes = 4 << 20;

// The part of the thread's stack that may be used.
struct part {
  std::uintptr_t bottom = 0;
  std::uintptr_t top = 0;  // 0: nobody has asked
};
constinit thread_local part usable;

part find_usable() {
  part found{1, 1};
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return found;
  void* low = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &low, &bytes) == 0) {
    found.top = reinterpret_cast<std::uintptr_t>(low) + bytes;
    found.bottom = found.top - std::min(bytes / 4, most_bytes);
  }
  pthread_attr_destroy(&attributes);
  return found;
}

}  // namespace

bool stack_use_is_low() {
  part& mine = usable;
  if (mine.top == 0) [[unlikely]]
    mine = find_usable();
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  return here < mine.top && here >= mine.bottom;
}

}  // namespace doall::base
