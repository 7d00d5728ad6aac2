// Fortran's allocators directive (GCC 14, -fopenmp-allocators): a variable that it allocates looks
// like any other, so the compiled code notes its memory, and asks when it deallocates one.
#include <mutex>
#include <unordered_set>

#include "base/fork.hpp"

namespace doall::omp {
namespace {

constinit base::lone_mutex noted_lock;
[[maybe_unused]] const int noted_lock_is_free = base::free_in_children<noted_lock>();

// Made at the first use, under the lock, and never freed: programs deallocate while static objects
// are destroyed.
constinit std::unordered_set<const void*>* noted = nullptr;

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

// Notes memory that GOMP_alloc() gave. O(1).
void GOMP_add_alloc(const void* memory) {
  if (memory == nullptr) return;
  const std::lock_guard hold(noted_lock);
  if (noted == nullptr) noted = new std::unordered_set<const void*>;
  noted->insert(memory);
}

// Whether the memory, which is about to be freed or moved, is noted; it is no more. O(1).
bool GOMP_is_alloc(const void* memory) {
  const std::lock_guard hold(noted_lock);
  return noted != nullptr && noted->erase(memory) != 0;
}

}  // extern "C"
