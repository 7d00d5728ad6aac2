// What loops count in, and what their bodies take.
#pragma once

#include <doall/detail/language.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace doall {
inline namespace v0 {

// What a loop may count in: an integer of at most 64 bits.
template <class T>
concept loop_index = std::integral<T> && sizeof(T) <= sizeof(std::uint64_t);

// Consecutive indices first, first + 1, ..., last - 1; never empty when a body gets it. For bodies
// that set something up once for each range, or that vectorise.
template <loop_index Index>
class range {
 public:
  class iterator {
   public:
    using value_type = Index;
    using difference_type = std::ptrdiff_t;
    iterator() = default;
    explicit iterator(Index at) : at_(at) {}
    Index operator*() const { return at_; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) { return iterator(at_++); }
    bool operator==(const iterator&) const = default;

   private:
    Index at_ = 0;
  };

  range(Index first, Index last) : first_(first), last_(last) {}
  Index first() const { return first_; }
  Index last() const { return last_; }
  std::uint64_t size() const {
    return static_cast<std::uint64_t>(last_) - static_cast<std::uint64_t>(first_);
  }
  iterator begin() const { return iterator(first_); }
  iterator end() const { return iterator(last_); }

 private:
  Index first_;
  Index last_;
};

// A body takes one index, or a range of them.
template <class Body, class Index>
concept loop_body = std::invocable<Body&, Index> || std::invocable<Body&, range<Index>>;

namespace detail {

// Index number `offset` of a loop from `first`: modulo 2^64, so that a loop from the least to the
// greatest value of a signed type is right as well.
template <loop_index Index>
Index index_at(Index first, std::uint64_t offset) {
  return static_cast<Index>(static_cast<std::uint64_t>(first) + offset);
}

// Indices number `begin` to `end` - 1 of that loop.
template <loop_index Index>
range<Index> range_at(Index first, std::uint64_t begin, std::uint64_t end) {
  return {index_at(first, begin), index_at(first, end)};
}

// The next index; i is not the last. Loops count in the index type, up to the last index, as loops
// in C do. If each index were made from a 64-bit number, compilers would not see that indices are
// consecutive (docs/investigations/2026-11-23-two-languages.md).
template <loop_index Index>
constexpr Index next_to(Index i) {
  return static_cast<Index>(i + 1);
}

template <loop_index Index>
std::uint64_t count(Index first, Index last) {
  return first < last ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) : 0;
}

// How many of first, first + step, ... come before last, which lies in the direction of the step.
// The step is not 0. Computes no sum of indices, so none overflows.
template <loop_index Index, loop_index Step>
std::uint64_t count(Index first, Index last, Step step) {
  const bool down = step < Step{0};
  const std::uint64_t distance = down ? count(last, first) : count(first, last);
  const auto modulo_2_64 = static_cast<std::uint64_t>(step);
  const std::uint64_t stride = down ? -modulo_2_64 : modulo_2_64;
  return distance == 0 ? 0 : (distance - 1) / stride + 1;
}

}  // namespace detail

}  // namespace v0
}  // namespace doall
