#include "team/scratch.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "base/unload.hpp"

namespace doall::team {
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

// A pthread key's destructor runs after those of C++'s thread_local objects.
pthread_key_t end_key;
const bool end_key_made = pthread_key_create(&end_key, free_kept) == 0;

// The crew's threads have ended by then and freed what they kept.
const base::at_unload free_the_callers([] {
  if (end_key_made) pthread_key_delete(end_key);  // the code of free_kept() goes
  free_kept(nullptr);
});

// Whether the end of the calling thread will free what it keeps.
bool freed_at_thread_end() { return end_key_made && pthread_setspecific(end_key, &kept) == 0; }

// Larger memory in the place of what is kept.
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

}  // namespace doall::team
