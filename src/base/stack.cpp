#include "base/stack.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace doall::base {
namespace {

constexpr std::size_t most_bytes = 4 << 20;

constinit thread_local stack_part low;

stack_part find_low() {
  stack_part found{1, 1};
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

stack_part low_stack() {
  stack_part& mine = low;
  if (mine.top == 0) [[unlikely]]
    mine = find_low();
  return mine;
}

}  // namespace doall::base
