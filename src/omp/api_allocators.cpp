// OpenMP's allocators, all over the system's memory. The predefined ones and spaces differ in name
// only, but for GCC's pinned one. The traits alignment, pinned, pool_size and fallback have an
// effect; the others ask for what the system's allocator does anyway.
#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "base/sync.hpp"
#include "omp/api.hpp"
#include "omp/fatal.hpp"
#include "omp/icv.hpp"
#include "omp/pinned_memory.hpp"

namespace doall::omp {
namespace {

using word = std::uintptr_t;

constexpr word no_limit = ~word{0};
constexpr word null_allocator = 0;
constexpr word default_mem_alloc = 1;
constexpr word first_address = 4096;
constexpr word pinned_mem_alloc = 200;  // GCC's

// LLVM's since 23: 0 is no space there, and 5 that of a contention group. 100 to 102 are LLVM's and
// 200 is GCC's for memory that devices reach.
bool is_space(word space) { return space <= 5 || (space >= 99 && space <= 102) || space == 200; }

// omp_alloctrait_key_t and omp_alloctrait_value_t
enum trait_key {
  key_sync_hint = 1,
  key_alignment,
  key_access,
  key_pool_size,
  key_fallback,
  key_fallback_data,
  key_pinned,
  key_partition
};
enum fallback_value : word { default_mem_fb = 11, null_fb, abort_fb, allocator_fb };
constexpr word value_default = ~word{0};
constexpr word value_false = 0;
constexpr word value_true = 1;

struct allocator {
  word alignment = 1;
  word pool_bytes = no_limit;
  word fallback = default_mem_fb;
  word fallback_allocator = null_allocator;
  bool pinned = false;
  sync::atomic<word> used_bytes{0};

  // Counts `bytes` more if they fit in the pool. False: they do not.
  bool take(word bytes) {
    if (pool_bytes == no_limit) return true;
    // (1) relaxed; alone: a count; the memory comes from the system
    word used = used_bytes.load(sync::relaxed);
    do {
      if (bytes > pool_bytes - used) return false;
      // (2) relaxed; alone: as (1)
    } while (!used_bytes.compare_exchange_weak(used, used + bytes, sync::relaxed, sync::relaxed));
    return true;
  }
  void give_back(word bytes) {
    if (pool_bytes == no_limit) return;
    // (3) relaxed; alone: as (1)
    used_bytes.fetch_sub(bytes, sync::relaxed);
  }
};

// The handle of a user's allocator is its address. Below the first page are predefined ones, also
// those of LLVM's for devices.
allocator* user_allocator(word handle) {
  return handle >= first_address ? reinterpret_cast<allocator*>(handle) : nullptr;
}

// Precedes each piece of memory.
struct alignas(16) header {
  void* start;   // of what the system gave
  word bytes;    // that the user asked for
  word charged;  // to the pool: what the system gave
  word handle;
};

header& header_of(void* memory) { return static_cast<header*>(memory)[-1]; }

bool between(word value, word least, word most) {
  return value == value_default || (value >= least && value <= most);
}

// Applies one trait; false when there is no such trait or value.
bool apply(allocator& a, const omp_alloctrait& trait) {
  const word value = trait.value;
  const bool usual = value == value_default;
  switch (trait.key) {
    case key_sync_hint: return between(value, 3, 6);
    case key_access: return between(value, 7, 10);
    case key_partition: return between(value, 15, 18);
    case key_pinned:
      a.pinned = value == value_true;
      return usual || value == value_false || value == value_true;
    case key_alignment:
      if (!usual) a.alignment = value;
      return usual || std::has_single_bit(value);
    case key_pool_size: a.pool_bytes = value; return true;
    case key_fallback:
      if (!usual) a.fallback = value;
      return between(value, default_mem_fb, allocator_fb);
    case key_fallback_data: a.fallback_allocator = value; return true;
    default: return false;
  }
}

word& default_allocator() { return self().change_settings().allocator; }

// Where a piece of memory lies in the system's block for it.
struct layout {
  std::size_t alignment;
  std::size_t before;  // the user's part: room for the header, in whole alignments
  std::size_t bytes;   // the user's
  std::size_t all() const { return before + bytes; }
};

bool is_pinned(word handle) {
  const allocator* a = user_allocator(handle);
  return a != nullptr ? a->pinned : handle == pinned_mem_alloc;
}

layout layout_for(std::size_t alignment, std::size_t bytes, word handle) {
  const allocator* a = user_allocator(handle);
  alignment = std::max(alignment, alignof(header));
  if (a != nullptr) alignment = std::max(alignment, a->alignment);
  const std::size_t before = std::max(alignment, sizeof(header));
  // No system has that much memory: the attempt fails, as it should.
  return {alignment, before, std::min(bytes, std::numeric_limits<std::size_t>::max() - before)};
}

// Allocates a piece of memory. Null when the system has none left.
void* place(const layout& l, word handle) {
  void* start = nullptr;
  if (is_pinned(handle)) {
    start = allocate_pinned(l.alignment, l.all());
    if (start == nullptr) return nullptr;
  } else if (posix_memalign(&start, l.alignment, l.all()) != 0) {
    return nullptr;
  }
  void* memory = static_cast<std::byte*>(start) + l.before;
  header_of(memory) = {start, l.bytes, l.all(), handle};
  return memory;
}

// Frees a piece's block; nothing is charged back.
void give_back_block(const header& h) {
  if (is_pinned(h.handle))
    free_pinned(h.start, h.charged);
  else
    std::free(h.start);
}

// One attempt, without fallback.
void* try_allocate(std::size_t alignment, std::size_t bytes, word handle) {
  allocator* a = user_allocator(handle);
  const layout l = layout_for(alignment, bytes, handle);
  if (a != nullptr && !a->take(l.all())) return nullptr;
  void* memory = place(l, handle);
  if (memory == nullptr && a != nullptr) a->give_back(l.all());
  return memory;
}

void* allocate(std::size_t alignment, std::size_t bytes, word handle) {
  if (bytes == 0) return nullptr;
  for (;;) {
    if (handle == null_allocator) handle = default_allocator();
    if (void* memory = try_allocate(alignment, bytes, handle)) return memory;
    const allocator* a = user_allocator(handle);
    if (a == nullptr || a->fallback == null_fb) return nullptr;
    if (a->fallback == abort_fb) {
      fatal("an OpenMP allocator with the trait abort_fb has no " + std::to_string(bytes) +
            " bytes left");
    }
    // Without one to fall back to, the default allocator could be this one.
    const bool has_next = a->fallback == allocator_fb && a->fallback_allocator != null_allocator;
    handle = has_next ? a->fallback_allocator : default_mem_alloc;
  }
}

void* allocate_zeroed(std::size_t alignment, std::size_t count, std::size_t bytes, word handle) {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) all = std::numeric_limits<std::size_t>::max();
  void* memory = allocate(alignment, all, handle);
  if (memory != nullptr) std::memset(memory, 0, all);
  return memory;
}

void release(void* memory) {
  const header& h = header_of(memory);
  if (allocator* a = user_allocator(h.handle)) a->give_back(h.charged);
  give_back_block(h);
}

// Moves the contents of `memory` to memory of `bytes` from the same allocator, whose pool is
// charged only for the difference. If there is none, changes nothing and returns null.
void* resize_in_pool(void* memory, std::size_t bytes) {
  const header old = header_of(memory);
  allocator* a = user_allocator(old.handle);
  const layout l = layout_for(1, bytes, old.handle);
  const word more = l.all() > old.charged ? l.all() - old.charged : 0;
  if (a != nullptr && !a->take(more)) return nullptr;
  void* fresh = place(l, old.handle);
  if (fresh == nullptr) {
    if (a != nullptr) a->give_back(more);
    return nullptr;
  }
  std::memcpy(fresh, memory, std::min(bytes, old.bytes));
  if (a != nullptr) a->give_back(old.charged + more - l.all());
  give_back_block(header_of(memory));
  return fresh;
}

}  // namespace
}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

std::uintptr_t omp_init_allocator(std::uintptr_t space, int count, const omp_alloctrait* traits) {
  if (!is_space(space)) return null_allocator;
  auto made = std::make_unique<allocator>();
  for (int i = 0; i < count; ++i) {
    if (!apply(*made, traits[i])) return null_allocator;
  }
  return reinterpret_cast<std::uintptr_t>(made.release());
}
void omp_destroy_allocator(std::uintptr_t handle) { delete user_allocator(handle); }

void omp_set_default_allocator(std::uintptr_t handle) {
  default_allocator() = handle == null_allocator ? default_mem_alloc : handle;
}
std::uintptr_t omp_get_default_allocator(void) { return default_allocator(); }

void* omp_alloc(std::size_t bytes, std::uintptr_t handle) { return allocate(1, bytes, handle); }
void* omp_aligned_alloc(std::size_t alignment, std::size_t bytes, std::uintptr_t handle) {
  return allocate(alignment, bytes, handle);
}
void* omp_calloc(std::size_t count, std::size_t bytes, std::uintptr_t handle) {
  return allocate_zeroed(1, count, bytes, handle);
}
void* omp_aligned_calloc(std::size_t alignment, std::size_t count, std::size_t bytes,
                         std::uintptr_t handle) {
  return allocate_zeroed(alignment, count, bytes, handle);
}

// Without an allocator the memory stays with its old one.
void* omp_realloc(void* memory, std::size_t bytes, std::uintptr_t handle,
                  std::uintptr_t old_handle) {
  if (bytes == 0) {
    omp_free(memory, old_handle);
    return nullptr;
  }
  if (memory == nullptr) return omp_alloc(bytes, handle);
  const header& old = header_of(memory);
  if (handle == null_allocator) handle = old.handle;
  if (handle == old.handle) {
    if (void* resized = resize_in_pool(memory, bytes)) return resized;
  }
  void* fresh = allocate(1, bytes, handle);
  if (fresh == nullptr) return nullptr;
  std::memcpy(fresh, memory, std::min(bytes, old.bytes));
  release(memory);
  return fresh;
}

void omp_free(void* memory, std::uintptr_t) {
  if (memory != nullptr) release(memory);
}

// For the allocate clause: the program cannot go on without the memory.
void* GOMP_alloc(std::size_t alignment, std::size_t bytes, std::uintptr_t handle) {
  void* memory = allocate(alignment, bytes, handle);
  if (memory == nullptr && bytes != 0) {
    fatal("no memory for " + std::to_string(bytes) + " bytes of an allocate clause");
  }
  return memory;
}
void GOMP_free(void* memory, std::uintptr_t handle) { omp_free(memory, handle); }

}  // extern "C"
