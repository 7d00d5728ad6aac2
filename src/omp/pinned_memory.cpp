#include "omp/pinned_memory.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

#include "base/fork.hpp"

namespace doall::omp {
namespace {

// At the beginning of a page that pieces share.
struct shared_page {
  std::size_t used;    // bytes from the page's beginning on
  std::size_t pieces;  // that are not freed
};

constinit base::lone_mutex lock;
[[maybe_unused]] const int lock_is_free = base::free_in_children<lock>();
constinit shared_page* filling = nullptr;  // null: the next small piece needs a page

std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

// Whole pages; 0: too many.
std::size_t whole_pages(std::size_t bytes) {
  const std::size_t page = page_bytes();
  std::size_t whole = 0;
  if (__builtin_add_overflow(bytes, page - 1, &whole)) return 0;
  return whole - whole % page;
}

void* lock_pages(std::size_t alignment, std::size_t bytes) {
  void* start = nullptr;
  if (bytes == 0 || posix_memalign(&start, std::max(alignment, page_bytes()), bytes) != 0) {
    return nullptr;
  }
  if (mlock(start, bytes) == 0) return start;
  std::free(start);
  return nullptr;
}

void unlock_pages(void* start, std::size_t bytes) {
  munlock(start, bytes);
  std::free(start);
}

bool is_small(std::size_t bytes) { return bytes <= page_bytes() / 8; }

std::size_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) & ~(to - 1); }

}  // namespace

void* allocate_pinned(std::size_t alignment, std::size_t bytes) {
  if (!is_small(bytes)) return lock_pages(alignment, whole_pages(bytes));
  const std::lock_guard hold(lock);
  if (filling == nullptr || rounded_up(filling->used, alignment) + bytes > page_bytes()) {
    void* const page = lock_pages(1, page_bytes());
    if (page == nullptr) return nullptr;
    filling = new (page) shared_page{sizeof(shared_page), 0};
  }
  const std::size_t begin = rounded_up(filling->used, alignment);
  filling->used = begin + bytes;
  ++filling->pieces;
  return reinterpret_cast<std::byte*>(filling) + begin;
}

void free_pinned(void* memory, std::size_t bytes) {
  if (!is_small(bytes)) {
    unlock_pages(memory, whole_pages(bytes));
    return;
  }
  const std::lock_guard hold(lock);
  const std::uintptr_t within = reinterpret_cast<std::uintptr_t>(memory) % page_bytes();
  auto* const page = reinterpret_cast<shared_page*>(static_cast<std::byte*>(memory) - within);
  if (--page->pieces != 0) return;
  if (page == filling) filling = nullptr;
  unlock_pages(page, page_bytes());
}

}  // namespace doall::omp
