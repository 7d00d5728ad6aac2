// doall::space: loops and reductions over two, three and more dimensions.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/tiles.h>
#include <doall/detail/callee.hpp>
#include <doall/detail/run.hpp>
#include <doall/options.hpp>
#include <doall/range.hpp>
#include <doall/reduce.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {

// A part of a space: a range of indices of each dimension. For bodies that work on it as a whole:
//
//   for (int i : t[0]) for (int j : t[1]) ...
template <loop_index Index, std::size_t Dimensions>
class tile {
 public:
  explicit tile(const std::array<range<Index>, Dimensions>& sides) : sides_(sides) {}
  const range<Index>& operator[](std::size_t dimension) const { return sides_[dimension]; }
  std::uint64_t size() const {
    std::uint64_t all = 1;
    for (const range<Index>& side : sides_) all *= side.size();
    return all;
  }

  // Calls visit(i, j, ...) for each of its indices, the last one fastest.
  template <class Visit>
  void for_each(Visit&& visit) const {
    visit_from(visit);
  }

 private:
  template <class Visit, class... Outer>
  void visit_from(Visit& visit, Outer... outer) const {
    const range<Index>& side = sides_[sizeof...(Outer)];
    for (Index i = side.first(); i < side.last(); i = detail::next_to(i)) {
      if constexpr (sizeof...(Outer) + 1 == Dimensions)
        visit(outer..., Index{i});
      else
        visit_from(visit, outer..., Index{i});
    }
  }

  std::array<range<Index>, Dimensions> sides_;
};

namespace detail {

// Whether a body takes an index of each dimension.
template <class Body, class Index, class Dimensions>
inline constexpr bool takes_indices = false;
template <class Body, class Index, std::size_t... D>
inline constexpr bool takes_indices<Body, Index, std::index_sequence<D...>> =
    std::invocable<Body&, decltype(static_cast<void>(D), Index())...>;

template <class Body, class Index, std::size_t Dimensions>
concept index_body = takes_indices<Body, Index, std::make_index_sequence<Dimensions>>;

template <class Body, class Index, std::size_t Dimensions>
concept tile_body = std::invocable<Body&, tile<Index, Dimensions>>;

// What a worker calls: a copy of the caller's function where that serves as well (callee.hpp).
template <class Body, class Index, std::size_t Dimensions>
using callee_in_space =
    std::conditional_t<std::is_object_v<std::remove_reference_t<Body>> &&
                           std::is_trivially_copyable_v<std::remove_cvref_t<Body>> &&
                           std::copy_constructible<std::remove_cvref_t<Body>> &&
                           sizeof(std::remove_cvref_t<Body>) <= most_bytes_copied &&
                           (index_body<const std::remove_cvref_t<Body>, Index, Dimensions> ||
                            tile_body<const std::remove_cvref_t<Body>, Index, Dimensions>),
                       const std::remove_cvref_t<Body>, std::remove_reference_t<Body>&>;

}  // namespace detail

// The product of a range of indices in each dimension, cut into tiles (space() makes it). A loop
// over it is a loop over its tiles, in row-major order: schedules deal tiles as they deal
// iterations.
template <loop_index Index, std::size_t Dimensions>
class index_space {
 public:
  static_assert(Dimensions >= 1 && Dimensions <= DOALL_MOST_DIMENSIONS);

  explicit index_space(const std::array<range<Index>, Dimensions>& sides) {
    cut_.dimensions = Dimensions;
    for (std::size_t d = 0; d < Dimensions; ++d) {
      firsts_[d] = sides[d].first();
      cut_.length[d] = detail::count(sides[d].first(), sides[d].last());
    }
    chosen_ = chosen(cut_);
  }

  // The same, in tiles of these sides; a longer one is the space's own. Throws
  // std::invalid_argument for a side below 1.
  template <loop_index... Side>
    requires(sizeof...(Side) == Dimensions)
  index_space tiles(Side... side) const {
    if (((side < Side{1}) || ...)) {
      throw std::invalid_argument(
          "doall::space: a tile has a side below 1, expected at least 1; no loop was run");
    }
    index_space other = *this;
    std::size_t d = 0;
    ((other.cut_.tile[d++] = static_cast<std::uint64_t>(side)), ...);
    other.chosen_ = chosen(other.cut_);
    return other;
  }

  // How many indices; the largest number if there are more.
  std::uint64_t size() const { return doall_space_size(&chosen_); }

  // How many tiles. Throws std::length_error if they cannot be counted in 64 bits.
  std::uint64_t tile_count() const {
    const std::uint64_t tiles = doall_space_tiles(&chosen_);
    if (tiles == UINT64_MAX) {
      throw std::length_error(
          "doall::space: there are more than 2^64 - 2 tiles; no loop was run: make them larger");
    }
    return tiles;
  }

  tile<Index, Dimensions> tile_at(std::uint64_t number) const {
    doall_tile one;
    doall_space_tile(&chosen_, number, &one);
    return sides_of(one, std::make_index_sequence<Dimensions>());
  }

 private:
  static doall_space chosen(doall_space cut) {
    doall_space_choose_tiles(&cut);
    return cut;
  }

  template <std::size_t... D>
  tile<Index, Dimensions> sides_of(const doall_tile& one, std::index_sequence<D...>) const {
    return tile<Index, Dimensions>({range<Index>(detail::index_at(firsts_[D], one.first[D]),
                                                 detail::index_at(firsts_[D], one.last[D]))...});
  }

  std::array<Index, Dimensions> firsts_{};
  doall_space cut_{};     // the sides that were asked for
  doall_space chosen_{};  // and the others
};

namespace detail {

template <class T>
struct index_of {
  using type = T;
};
template <class Index>
struct index_of<range<Index>> {
  using type = Index;
};

template <class Index, loop_index Length>
range<Index> side_of(Length length) {
  return {Index{0}, length < Length{0} ? Index{0} : static_cast<Index>(length)};
}
template <class Index, class Own>
range<Index> side_of(const range<Own>& side) {
  return {static_cast<Index>(side.first()), static_cast<Index>(side.last())};
}

template <class T>
concept side = loop_index<typename index_of<T>::type>;

}  // namespace detail

// A space of a length, or a range, for each dimension:
//
//   doall::parallel_for(doall::space(rows, columns), [&](int i, int j) { c[i][j] = a[j][i]; });
//   doall::space(rows, columns).tiles(32, 32)
//   doall::space(doall::range<int>(1, rows - 1), doall::range<int>(1, columns - 1))
//
// It counts in the common type of all. Without tiles() the tiles have 64 by 64 indices in the last
// two dimensions, fewer if the space is small (tiles.h).
template <detail::side... Side>
  requires(sizeof...(Side) >= 1 && sizeof...(Side) <= DOALL_MOST_DIMENSIONS)
auto space(Side... side) {
  using index = std::common_type_t<typename detail::index_of<Side>::type...>;
  return index_space<index, sizeof...(Side)>({detail::side_of<index>(side)...});
}

// Runs body(i, j, ...) for every index of the space, or body(tile) for every tile, in parallel, and
// returns when all have run. Inside a tile indices run in row-major order. All else is as in the
// loop over indices (for.hpp), of which a tile is an iteration: schedules deal tiles, costs are
// those of tiles, by their number in row-major order. Throws std::length_error for too many tiles.
template <loop_index Index, std::size_t Dimensions, class Body>
  requires detail::index_body<Body, Index, Dimensions> || detail::tile_body<Body, Index, Dimensions>
loop_end parallel_for(const index_space<Index, Dimensions>& over, Body&& body,
                      const loop_options& options = detail::constants.none,
                      const std::source_location& where = std::source_location::current()) {
  const std::uint64_t tiles = over.tile_count();
  const auto piece = [&](std::uint64_t number, std::uint64_t end, const auto& stop) {
    detail::callee_in_space<Body, Index, Dimensions> own = body;
    for (; number < end; ++number) {
      if (stop.stop_requested()) return loop_end::stopped;
      if constexpr (detail::index_body<Body, Index, Dimensions>) {
        over.tile_at(number).for_each(own);
      } else {
        own(over.tile_at(number));
      }
    }
    return loop_end::completed;
  };
  doall_site& site = detail::site_of<std::remove_const_t<decltype(piece)>>;
  const detail::told_costs costs(options.costs, tiles);
  if (detail::is_one_piece(site, over.size(), options) ||
      detail::is_plain(site, over.size(), options)) {
    return piece(std::uint64_t{0}, tiles, detail::never_stopped{});
  }
  return detail::share({tiles, over.size(), costs.raw(), where}, options, site, piece);
}

// Combines body(i, j, ...) over every index of the space, or body(tile) over its tiles, and returns
// the result. It has the same bits for any number of threads and any schedule: each tile is added
// up in row-major order, and tiles as the indices of a reduction are (reduce.hpp).
template <loop_index Index, std::size_t Dimensions, class Value, class Body, class Combine>
  requires(detail::index_body<Body, Index, Dimensions> ||
           detail::tile_body<Body, Index, Dimensions>)
Value parallel_reduce(const index_space<Index, Dimensions>& over, Value identity, Body&& body,
                      Combine&& combine, const loop_options& options = detail::constants.none,
                      const std::source_location& where = std::source_location::current()) {
  const auto term = [&](std::uint64_t number) -> Value {
    if constexpr (detail::index_body<Body, Index, Dimensions>) {
      detail::callee_in_space<Body, Index, Dimensions> own = body;
      Value sum = identity;
      over.tile_at(number).for_each(
          [&](auto... i) { sum = std::invoke(combine, std::move(sum), own(i...)); });
      return sum;
    } else {
      return body(over.tile_at(number));
    }
  };
  return parallel_reduce(std::uint64_t{0}, over.tile_count(), identity, term, combine, options,
                         where);
}

}  // namespace v0
}  // namespace doall
