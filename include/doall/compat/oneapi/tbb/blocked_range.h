// blocked_range: half-open intervals.
#ifndef DOALL_COMPAT_BLOCKED_RANGE_H
#define DOALL_COMPAT_BLOCKED_RANGE_H

#include "detail/base.h"

#include <cstddef>
#include <cstdint>

namespace tbb {
inline namespace doall_v0 {

// [begin, end) of numbers, pointers or random-access iterators; divisible while longer than the
// grain size.
template <class Value>
class blocked_range {
 public:
  using const_iterator = Value;
  using size_type = std::size_t;

  blocked_range(Value begin, Value end, size_type grainsize = 1)
      : end_(end), begin_(begin), grain_(grainsize == 0 ? 1 : grainsize) {}
  blocked_range(blocked_range& r, split) : blocked_range(r, r.size() / 2) {}
  blocked_range(blocked_range& r, proportional_split& parts)
      : blocked_range(r, kept_of(r.size(), parts)) {}

  const_iterator begin() const { return begin_; }
  const_iterator end() const { return end_; }
  size_type size() const { return detail::distance_of(begin_, end_); }
  size_type grainsize() const { return grain_; }
  bool empty() const { return !(begin_ < end_); }
  bool is_divisible() const { return grain_ < size(); }

 private:
  template <class, class>
  friend class blocked_range2d;
  template <class, class, class>
  friend class blocked_range3d;

  // Takes from r all but its first `kept`.
  blocked_range(blocked_range& r, size_type kept)
      : end_(r.end_), begin_(detail::behind(r.begin_, kept)), grain_(r.grain_) {
    r.end_ = begin_;
  }
  static size_type kept_of(size_type size, const proportional_split& parts) {
    const auto right =
        static_cast<size_type>(detail::share_of(parts.right(), size, parts.left() + parts.right()));
    return right == 0 ? size - 1 : right == size ? 1 : size - right;  // neither is empty
  }

  Value end_;
  Value begin_;
  size_type grain_;
};

namespace detail {

// Whether a is to be split before b: it is as long or longer, each by its grain size.
template <class A, class B>
bool splits_before(const A& a, const B& b) {
  return static_cast<double>(a.size()) * static_cast<double>(b.grainsize()) >=
         static_cast<double>(b.size()) * static_cast<double>(a.grainsize());
}

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
