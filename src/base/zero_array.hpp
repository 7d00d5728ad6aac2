// Memory that is all zero and untouched: the kernel makes a page of it, near the CPU of the thread,
// when a thread first writes there. So an array of which each thread has a part is not all near the
// thread that allocated it, and that thread does not pay for all of it.
//
// T: a type whose fresh objects are all zero and have nothing to destroy.
// Large arrays are pages from the kernel; failure is no_memory()'s. An array of a few pages
// comes from the heap, and its allocating thread zeroes it: so little need not be near.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>

#include "base/no_memory.hpp"
#include "base/sync.hpp"

#if !defined(DOALL_SYNC_MODEL)
#include <sys/mman.h>

#include <cstring>
#endif

namespace doall::base {

#if defined(DOALL_SYNC_MODEL)

// The model's atomics have to be constructed.
template <class T>
class zero_array {
 public:
  explicit zero_array(std::size_t size) : items_(std::make_unique<T[]>(size)) {}
  T& operator[](std::size_t i) const { return items_[i]; }

 private:
  std::unique_ptr<T[]> items_;
};

#else

template <class T>
class zero_array {
  static_assert(std::is_trivially_destructible_v<T>);

 public:
  explicit zero_array(std::size_t size) : bytes_(size * sizeof(T)) {
    void* got = nullptr;
    if (is_small()) {
      got = std::memset(::operator new(bytes_, alignment), 0, bytes_);
    } else {
      got = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (got == MAP_FAILED) no_memory();
    }
    items_ = static_cast<T*>(got);
  }
  ~zero_array() {
    if (is_small()) {
      ::operator delete(items_, alignment);
    } else {
      munmap(items_, bytes_);
    }
  }
  zero_array(const zero_array&) = delete;
  zero_array& operator=(const zero_array&) = delete;

  T& operator[](std::size_t i) const { return items_[i]; }

 private:
  static constexpr std::align_val_t alignment{alignof(T)};
  static constexpr std::size_t small_bytes = 16 << 10;

  bool is_small() const { return bytes_ <= small_bytes; }

  std::size_t bytes_;
  T* items_ = nullptr;
};

#endif

}  // namespace doall::base
