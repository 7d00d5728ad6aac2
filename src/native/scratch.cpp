#include "native/scratch.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/thread_end.hpp"
#include "base/unload.hpp"

namespace doall::native {
namespace {

struct scratch {
  void* memory;
  std::size_t bytes;
  bool lent;
};

// Without constructor or destructor: loops may run in the destructors of
// thread_local objects.
constinit thread_local scratch kept{};

void* allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > SIZE_MAX - alignment) return nullptr;
  const std::size_t whole = (bytes + alignment - 1) / alignment * alignment;
  return std::aligned_alloc(alignment, std::max(whole, alignment));
}

void free_kept(void*) { std::free(std::exchange(kept, {}).memory); }

const base::thread_end scratch_ends(free_kept);
const base::at_unload free_the_callers([] {
  if (!kept.lent) free_kept(nullptr);
});

// Whether the end of the calling thread will free what it keeps.
bool freed_at_thread_end() { return scratch_ends.watch_this_thread(&kept); }

// Replaces the kept memory by a larger one.
bool grow(std::size_t bytes) {
  if (!freed_at_thread_end()) return false;
  std::free(std::exchange(kept, {}).memory);
  kept = {allocate(bytes, kept_alignment), bytes, false};
  if (kept.memory == nullptr) kept = {};
  return kept.memory != nullptr;
}

}  // namespace

void* take_scratch(std::size_t bytes, std::size_t alignment) {
  bytes = std::max<std::size_t>(bytes, 1);  // null means that there is no memory
  const bool keepable = bytes <= kept_bytes_max && alignment <= kept_alignment;
  if (kept.lent || !keepable || (bytes > kept.bytes && !grow(bytes))) {
    return allocate(bytes, std::max(alignment, kept_alignment));
  }
  kept.lent = true;
  return kept.memory;
}

void give_scratch(void* memory) {
  if (memory != nullptr && memory == kept.memory) {
    kept.lent = false;
  } else {
    std::free(memory);
  }
}

}  // namespace doall::native
