// How an algorithm over a range becomes a loop of libdoall: the range is cut into parts, a part is
// an iteration, and neighbours that are dealt together are handed to the body together.
//
//   blocked_range        a part has a grain size of indices or a few more (fewer than twice as
//                        many), or, for simple_partitioner, half of one to one; for
//                        static_partitioner there is one for each thread, if that is no less
//   blocked_range2d, 3d  tiles, of 64 indices a side or the grain size, row by row; smaller ones
//                        where there would be few
//   any other range      halves of halves, some 16 parts for each thread, for static_partitioner
//                        one; for that and affinity_partitioner by the constructor for shares, if
//                        there is one
//
// Whoever takes several parts of a blocked_range, but for static_partitioner, gets them as one
// range, but is asked after each quarter of a worker's share whether the loop was cancelled.
#ifndef DOALL_COMPAT_PARTS_H
#define DOALL_COMPAT_PARTS_H

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/blocked_range3d.h>
#include <oneapi/tbb/partitioner.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

inline constexpr std::uint64_t parts_a_worker = 16;

inline std::uint64_t parts_wanted() { return parts_a_worker * threads_here(); }

// Of so many iterations that are dealt one by one, how many run before the context is asked again:
// a quarter of a worker's share.
inline std::uint64_t run_at_once(std::uint64_t iterations) {
  return std::max<std::uint64_t>(iterations / (4 * threads_here()), 1);
}

// Any range.
template <class Range, cutting How>
class parts {
 public:
  explicit parts(const Range& whole) {
    if (whole.empty()) return;
    std::uint64_t wanted = 1;
    while (wanted < parts_wanted()) wanted *= 2;
    add(Range(whole), How == cutting::one_a_thread ? threads_here() : wanted);
  }
  std::uint64_t count() const { return all_.size(); }
  std::uint64_t indices() const { return 0; }  // nobody knows

  // visit(range) for parts [begin, end). Each part is visited once.
  template <class Visit>
  void each(std::uint64_t begin, std::uint64_t end, const task_group_context& context,
            const Visit& visit) const {
    for (; begin < end && !context.is_group_execution_cancelled(); ++begin) {
      Range part(all_[begin]);
      if constexpr (How == cutting::to_grain)
        visit_leaves_of(part, context, visit);
      else
        visit(part);
    }
  }

 private:
  void add(Range r, std::uint64_t wanted) {
    if (wanted <= 1 || !r.is_divisible()) {
      all_.push_back(std::move(r));
      return;
    }
    Range right = end_of(r, wanted);
    add(std::move(r), wanted - wanted / 2);
    add(std::move(right), wanted / 2);
  }

  static Range end_of(Range& r, std::uint64_t wanted) {
    if constexpr ((How == cutting::in_proportion || How == cutting::one_a_thread) &&
                  std::is_constructible_v<Range, Range&, proportional_split&>) {
      proportional_split shares(wanted - wanted / 2, wanted / 2);
      return Range(r, shares);
    } else {
      return Range(r, split());
    }
  }

  template <class Visit>
  static void visit_leaves_of(Range& r, const task_group_context& context, const Visit& visit) {
    if (!r.is_divisible()) {
      if (!context.is_group_execution_cancelled()) visit(r);
      return;
    }
    Range right(r, split());
    visit_leaves_of(r, context, visit);
    visit_leaves_of(right, context, visit);
  }

  std::vector<Range> all_;
};

// One side of a blocked range, in `count` parts as equal as can be.
template <class Value>
class side {
 public:
  side(const blocked_range<Value>& r, std::uint64_t count)
      : whole_(r), size_(r.empty() ? 0 : r.size()), count_(size_ == 0 ? 0 : count) {}
  std::uint64_t count() const { return count_; }
  std::uint64_t size() const { return size_; }

  // Parts [begin, end) as one.
  blocked_range<Value> of(std::uint64_t begin, std::uint64_t end) const {
    return {at(begin), at(end), whole_.grainsize()};
  }

 private:
  Value at(std::uint64_t part) const {
    if (part == count_) return whole_.end();
    return behind(whole_.begin(), count_ == size_ ? part : share_of(part, size_, count_));
  }

  blocked_range<Value> whole_;
  std::uint64_t size_;
  std::uint64_t count_;
};

template <class Value, cutting How>
class parts<blocked_range<Value>, How> {
 public:
  using range = blocked_range<Value>;
  explicit parts(const range& whole)
      : side_(whole, count_in(whole)), at_once_(run_at_once(side_.count())) {}
  std::uint64_t count() const { return side_.count(); }
  std::uint64_t indices() const { return side_.size(); }
  // What is dealt together is one range, however long.
  void ask_once() { at_once_ = std::max<std::uint64_t>(count(), 1); }

  template <class Visit>
  void each(std::uint64_t begin, std::uint64_t end, const task_group_context& context,
            const Visit& visit) const {
    const bool one_by_one = How == cutting::to_grain || How == cutting::one_a_thread;
    const std::uint64_t step = one_by_one ? 1 : at_once_;
    for (std::uint64_t to; begin < end; begin = to) {
      if (context.is_group_execution_cancelled()) return;
      to = end - begin <= step ? end : begin + step;
      range part = side_.of(begin, to);
      visit(part);
    }
  }

 private:
  static std::uint64_t count_in(const range& r) {
    if (r.empty()) return 0;
    const std::uint64_t size = r.size();
    const std::uint64_t grain = r.grainsize();
    if (How == cutting::to_grain) return (size - 1) / grain + 1;
    const std::uint64_t most = std::max<std::uint64_t>(size / grain, 1);
    return How == cutting::one_a_thread ? std::min<std::uint64_t>(most, threads_here()) : most;
  }

  side<Value> side_;
  std::uint64_t at_once_;
};

template <class Range>
inline constexpr bool is_one_side = false;
template <class Value>
inline constexpr bool is_one_side<blocked_range<Value>> = true;

inline constexpr std::uint64_t tile_side = 64;

// How many parts a side is cut into whose parts have at least a grain size and, if that is less,
// `most` indices.
template <class Value>
std::uint64_t cuts_of(const blocked_range<Value>& r, std::uint64_t most) {
  if (r.empty()) return 0;
  return (r.size() - 1) / std::max<std::uint64_t>(most, r.grainsize()) + 1;
}

// The largest side of tiles, a power of two up to 64, with which there are parts_wanted() tiles or
// which cannot be smaller. `tiles(side)`: how many there are.
template <class Tiles>
std::uint64_t side_for(const Tiles& tiles) {
  std::uint64_t at_most = tile_side;
  while (at_most > 1 && tiles(at_most) < parts_wanted()) at_most /= 2;
  return at_most;
}

template <class Row, class Col, cutting How>
class parts<blocked_range2d<Row, Col>, How> {
 public:
  using range = blocked_range2d<Row, Col>;
  explicit parts(const range& whole) : parts(whole, most_in(whole)) {}
  std::uint64_t count() const { return rows_.count() * cols_.count(); }
  std::uint64_t indices() const { return rows_.size() * cols_.size(); }

  template <class Visit>
  void each(std::uint64_t begin, std::uint64_t end, const task_group_context& context,
            const Visit& visit) const {
    for (; begin < end && !context.is_group_execution_cancelled(); ++begin) {
      const std::uint64_t row = begin / cols_.count();
      const std::uint64_t col = begin % cols_.count();
      range tile(rows_.of(row, row + 1), cols_.of(col, col + 1));
      visit(tile);
    }
  }

 private:
  parts(const range& r, std::uint64_t most)
      : rows_(r.rows(), cuts_of(r.rows(), most)), cols_(r.cols(), cuts_of(r.cols(), most)) {}
  static std::uint64_t most_in(const range& r) {
    if (How == cutting::to_grain) return 1;
    return side_for(
        [&](std::uint64_t most) { return cuts_of(r.rows(), most) * cuts_of(r.cols(), most); });
  }

  side<Row> rows_;
  side<Col> cols_;
};

template <class Page, class Row, class Col, cutting How>
class parts<blocked_range3d<Page, Row, Col>, How> {
 public:
  using range = blocked_range3d<Page, Row, Col>;
  explicit parts(const range& whole) : parts(whole, most_in(whole)) {}
  std::uint64_t count() const { return pages_.count() * rows_.count() * cols_.count(); }
  std::uint64_t indices() const { return pages_.size() * rows_.size() * cols_.size(); }

  template <class Visit>
  void each(std::uint64_t begin, std::uint64_t end, const task_group_context& context,
            const Visit& visit) const {
    for (; begin < end && !context.is_group_execution_cancelled(); ++begin) {
      const std::uint64_t col = begin % cols_.count();
      const std::uint64_t row = begin / cols_.count() % rows_.count();
      const std::uint64_t page = begin / cols_.count() / rows_.count();
      range tile(pages_.of(page, page + 1), rows_.of(row, row + 1), cols_.of(col, col + 1));
      visit(tile);
    }
  }

 private:
  // Pages one by one, as far as their grain size lets.
  parts(const range& r, std::uint64_t most)
      : pages_(r.pages(), cuts_of(r.pages(), 1)),
        rows_(r.rows(), cuts_of(r.rows(), most)),
        cols_(r.cols(), cuts_of(r.cols(), most)) {}
  static std::uint64_t most_in(const range& r) {
    if (How == cutting::to_grain) return 1;
    return side_for([&](std::uint64_t most) {
      return cuts_of(r.pages(), 1) * cuts_of(r.rows(), most) * cuts_of(r.cols(), most);
    });
  }

  side<Page> pages_;
  side<Row> rows_;
  side<Col> cols_;
};

template <class Range, class Partitioner>
using parts_for = parts<Range, how_cut<Partitioner>>;

}  // namespace detail
}  // namespace doall_v0
}  // namespace tbb

#endif
