// flattened2d: the elements of containers in a container, as one sequence.
#ifndef DOALL_COMPAT_FLATTENED2D_H
#define DOALL_COMPAT_FLATTENED2D_H

#include "base.h"

#include <cstddef>
#include <iterator>

namespace tbb {
inline namespace doall_v0 {

// The elements of containers of a container, one after the other.
template <class Container>
class flattened2d {
  using inner_type = typename Container::value_type;

 public:
  using value_type = typename inner_type::value_type;
  using reference = typename inner_type::reference;
  using const_reference = typename inner_type::const_reference;
  using size_type = std::size_t;
  using difference_type = std::ptrdiff_t;

  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = flattened2d::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = value_type*;
    using reference = value_type&;

    iterator() = default;
    reference operator*() const { return *inner_; }
    pointer operator->() const { return &*inner_; }
    iterator& operator++() {
      ++inner_;
      skip_ends();
      return *this;
    }
    iterator operator++(int) {
      iterator before = *this;
      ++*this;
      return before;
    }
    friend bool operator==(const iterator& a, const iterator& b) {
      return a.outer_ == b.outer_ && (a.outer_ == a.end_ || a.inner_ == b.inner_);
    }
    friend bool operator!=(const iterator& a, const iterator& b) { return !(a == b); }

   private:
    friend class flattened2d;
    using outer = typename Container::iterator;
    iterator(outer at, outer end) : outer_(at), end_(end) {
      if (outer_ == end_) return;
      inner_ = outer_->begin();
      skip_ends();
    }
    void skip_ends() {
      while (inner_ == outer_->end()) {
        if (++outer_ == end_) return;
        inner_ = outer_->begin();
      }
    }
    outer outer_{};
    outer end_{};
    typename inner_type::iterator inner_{};
  };
  using const_iterator = iterator;

  explicit flattened2d(const Container& all)
      : flattened2d(all, const_cast<Container&>(all).begin(), const_cast<Container&>(all).end()) {}
  flattened2d(const Container&, typename Container::iterator begin,
              typename Container::iterator end)
      : begin_(begin), end_(end) {}

  iterator begin() const { return iterator(begin_, end_); }
  iterator end() const { return iterator(end_, end_); }
  size_type size() const {
    size_type all = 0;
    for (auto each = begin_; each != end_; ++each) all += each->size();
    return all;
  }

 private:
  typename Container::iterator begin_;
  typename Container::iterator end_;
};

template <class Container>
flattened2d<Container> flatten2d(const Container& all) {
  return flattened2d<Container>(all);
}
template <class Container>
flattened2d<Container> flatten2d(const Container& all, typename Container::iterator begin,
                                 typename Container::iterator end) {
  return flattened2d<Container>(all, begin, end);
}

}  // namespace doall_v0
}  // namespace tbb

#endif
