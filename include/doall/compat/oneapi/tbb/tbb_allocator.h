// tbb_allocator and cache_aligned_allocator: the standard's memory, by oneTBB's names.
#ifndef DOALL_COMPAT_TBB_ALLOCATOR_H
#define DOALL_COMPAT_TBB_ALLOCATOR_H

#include "detail/base.h"

#include <cstddef>
#include <limits>
#include <new>
#include <type_traits>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

template <class T, template <class> class Named, std::size_t Alignment>
class allocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using is_always_equal = std::true_type;
  template <class U>
  struct rebind {
    using other = Named<U>;
  };

  T* allocate(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_alloc();
    return static_cast<T*>(operator new(n * sizeof(T), alignment));
  }
  void deallocate(T* p, std::size_t) { operator delete(p, alignment); }
  std::size_t max_size() const noexcept {
    return std::numeric_limits<std::size_t>::max() / sizeof(T);
  }

 private:
  static constexpr std::align_val_t alignment{Alignment > alignof(T) ? Alignment : alignof(T)};
};

}  // namespace detail

template <class T>
class tbb_allocator : public detail::allocator<T, tbb_allocator, __STDCPP_DEFAULT_NEW_ALIGNMENT__> {
 public:
  tbb_allocator() = default;
  template <class U>
  tbb_allocator(const tbb_allocator<U>&) noexcept {}

  enum malloc_type { scalable, standard };
  static malloc_type allocator_type() { return standard; }
};

// Objects of different allocations share no cache line.
template <class T>
class cache_aligned_allocator : public detail::allocator<T, cache_aligned_allocator, 128> {
 public:
  cache_aligned_allocator() = default;
  template <class U>
  cache_aligned_allocator(const cache_aligned_allocator<U>&) noexcept {}
};

template <class T, class U>
bool operator==(const tbb_allocator<T>&, const tbb_allocator<U>&) noexcept {
  return true;
}
template <class T, class U>
bool operator!=(const tbb_allocator<T>&, const tbb_allocator<U>&) noexcept {
  return false;
}
template <class T, class U>
bool operator==(const cache_aligned_allocator<T>&, const cache_aligned_allocator<U>&) noexcept {
  return true;
}
template <class T, class U>
bool operator!=(const cache_aligned_allocator<T>&, const cache_aligned_allocator<U>&) noexcept {
  return false;
}

}  // namespace doall_v0
}  // namespace tbb

#endif
