// enumerable_thread_specific: a value for each thread that asks for one.
#ifndef DOALL_COMPAT_ENUMERABLE_THREAD_SPECIFIC_H
#define DOALL_COMPAT_ENUMERABLE_THREAD_SPECIFIC_H

#include "blocked_range.h"
#include "cache_aligned_allocator.h"
#include "detail/flattened2d.h"
#include "detail/threads_values.h"
#include "profiling.h"
#include "task.h"

#include <functional>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

namespace tbb {
inline namespace doall_v0 {

enum ets_key_usage_type { ets_key_per_instance, ets_no_key, ets_suspend_aware };

namespace detail {

template <class Iterator>
class ets_range : public blocked_range<Iterator> {
 public:
  using value_type = typename std::iterator_traits<Iterator>::value_type;
  using reference = typename std::iterator_traits<Iterator>::reference;
  using const_reference = const value_type&;
  using iterator = Iterator;
  using difference_type = std::ptrdiff_t;
  ets_range(const Iterator& begin, const Iterator& end, std::size_t grain = 1)
      : blocked_range<Iterator>(begin, end, grain) {}
  template <class Other>
  ets_range(const ets_range<Other>& other)
      : blocked_range<Iterator>(other.begin(), other.end(), other.grainsize()) {}
  ets_range(ets_range& r, split) : blocked_range<Iterator>(r, split()) {}
  ets_range(const ets_range&) = default;
};

// As std::make_shared(), whose tag is a visible variable: it would keep a plugin from being
// unloaded.
template <class T, class... Arguments>
std::shared_ptr<T> shared(Arguments&&... arguments) {
  return std::shared_ptr<T>(new T(std::forward<Arguments>(arguments)...));
}

}  // namespace detail

// local() may be called by any number of threads at once; all else while none does. Threads that
// have ended leave their values. The allocator and the kind of key are accepted and do nothing:
// values lie on cache lines of their own.
template <class T, class Allocator = cache_aligned_allocator<T>,
          ets_key_usage_type Key = ets_no_key>
class enumerable_thread_specific {
  using store = detail::ets_store<T>;

 public:
  using value_type = T;
  using reference = T&;
  using const_reference = const T&;
  using pointer = T*;
  using const_pointer = const T*;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;
  using allocator_type = Allocator;
  using iterator = detail::ets_iterator<store, T>;
  using const_iterator = detail::ets_iterator<const store, const T>;
  using range_type = detail::ets_range<iterator>;
  using const_range_type = detail::ets_range<const_iterator>;

  enumerable_thread_specific() : all_([] { return store::made_of(); }) {}
  // Each value is a copy, is what f() returns, or is made of the arguments.
  explicit enumerable_thread_specific(const T& first)
      : all_([first] { return store::made_of(first); }) {}
  explicit enumerable_thread_specific(T&& first)
      : all_([kept = detail::shared<T>(std::move(first))] {
          return store::made_of(static_cast<const T&>(*kept));
        }) {}
  template <class Make, class = std::enable_if_t<std::is_invocable_v<std::decay_t<Make>&> &&
                                                 !std::is_same_v<std::decay_t<Make>, T>>>
  explicit enumerable_thread_specific(Make f)
      : all_([make = detail::shared<Make>(std::move(f))] {
          return std::make_unique<typename store::kept>(typename store::from_function{}, *make);
        }) {}
  template <
      class First, class... Rest,
      class = std::enable_if_t<
          !std::is_invocable_v<std::decay_t<First>&> && !std::is_same_v<std::decay_t<First>, T> &&
          !std::is_base_of_v<enumerable_thread_specific, std::decay_t<First>> &&
          std::is_constructible_v<T, const std::decay_t<First>&, const std::decay_t<Rest>&...>>,
      class = void>
  explicit enumerable_thread_specific(First&& first, Rest&&... rest)
      : all_([all = detail::shared<std::tuple<std::decay_t<First>, std::decay_t<Rest>...>>(
                  std::forward<First>(first), std::forward<Rest>(rest)...)] {
          return std::apply([](const auto&... each) { return store::made_of(each...); }, *all);
        }) {}

  enumerable_thread_specific(const enumerable_thread_specific&) = default;
  enumerable_thread_specific(enumerable_thread_specific&&) = default;
  enumerable_thread_specific& operator=(const enumerable_thread_specific&) = default;
  enumerable_thread_specific& operator=(enumerable_thread_specific&&) = default;
  template <class A, ets_key_usage_type K>
  enumerable_thread_specific(const enumerable_thread_specific<T, A, K>& other) : all_(other.all_) {}
  template <class A, ets_key_usage_type K>
  enumerable_thread_specific(enumerable_thread_specific<T, A, K>&& other)
      : all_(std::move(other.all_)) {}
  template <class A, ets_key_usage_type K>
  enumerable_thread_specific& operator=(const enumerable_thread_specific<T, A, K>& other) {
    all_ = other.all_;
    return *this;
  }
  template <class A, ets_key_usage_type K>
  enumerable_thread_specific& operator=(enumerable_thread_specific<T, A, K>&& other) {
    all_ = std::move(other.all_);
    return *this;
  }

  reference local() {
    bool exists = false;
    return local(exists);
  }
  reference local(bool& exists) { return all_.local(exists); }

  void clear() { all_.clear(); }
  size_type size() const { return all_.size(); }
  bool empty() const { return size() == 0; }

  iterator begin() { return {all_, 0}; }
  iterator end() { return {all_, size()}; }
  const_iterator begin() const { return {all_, 0}; }
  const_iterator end() const { return {all_, size()}; }
  range_type range(std::size_t grain = 1) { return {begin(), end(), grain}; }
  const_range_type range(std::size_t grain = 1) const { return {begin(), end(), grain}; }

  // What the constructor says if there are no values.
  template <class Combine>
  T combine(Combine with) const {
    if (empty()) return std::move(all_.make()->value);
    T sum(all_.at(0));
    for (std::size_t i = 1; i < size(); ++i) sum = with(sum, all_.at(i));
    return sum;
  }
  template <class Visit>
  void combine_each(Visit visit) {
    for (T& each : *this) visit(each);
  }

 private:
  template <class, class, ets_key_usage_type>
  friend class enumerable_thread_specific;
  store all_;
};

}  // namespace doall_v0
}  // namespace tbb

#endif
