// doall::parallel_scan and doall::parallel_exclusive_scan: running sums.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/costs.hpp>
#include <doall/detail/open_loops.hpp>
#include <doall/detail/run.hpp>
#include <doall/detail/running_sums.hpp>
#include <doall/options.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <iterator>
#include <ranges>
#include <source_location>
#include <type_traits>

namespace doall {
inline namespace v0 {
namespace detail {

// A piece of a loop in which each worker gets one part, as if they were combined (abi.h).
template <class Piece>
struct in_one_part_each {
  Piece piece;

  template <class Stop>
  loop_end operator()(std::uint64_t begin, std::uint64_t end, const Stop& stop,
                      std::uint32_t) const {
    return piece(begin, end, stop);
  }
  void combine(std::uint32_t, std::uint32_t) const {}
};

template <bool Inclusive, class Range, class Out, class Value, class Combine>
Value run_scan(Range&& range, Out out, const Value& identity, Combine& with,
               const loop_options& options, const std::source_location& where) {
  const auto elements = static_cast<std::uint64_t>(std::ranges::distance(range));
  if (elements == 0) {
    forget_named_costs();
    return identity;
  }
  const auto in = std::ranges::begin(range);
  using scan_of = scan<Inclusive, std::remove_const_t<decltype(in)>, Out, Value, Combine>;
  scan_of all(in, out, elements, identity, with, options.order == reduce_order::any);
  doall_site& site = site_of<scan_of>;
  const bool one_block = all.blocks() == 1 && !options.stop.stop_possible();
  if (is_one_piece(site, elements, options)) return all.run_alone();
  forget_named_costs();
  if (one_block || is_plain(site, elements, options)) return all.run_alone();
  all.make_carries();
  // Each worker claims blocks until there are no more, whatever its part of the loop is. Where each
  // gets one part, iterations are blocks, so that the runtime learns what one costs; elsewhere
  // there is one for each worker that comes. A timing takes a worker's part for what it ran, which
  // is too little if others came late: a trial (auto.md) tells whether they help.
  const bool one_part_each = doall_schedule_deals_blocks(options.how.raw()) != 0;
  const std::uint64_t iterations =
      one_part_each ? all.blocks() : std::min<std::uint64_t>(all.blocks(), doall_threads());
  const auto piece = [&all, iterations](std::uint64_t begin, std::uint64_t end, const auto& stop) {
    if constexpr (never_stops<std::remove_cvref_t<decltype(stop)>>) {
      if (end - begin == iterations) return all.run_all();
    }
    return all.run_blocks(stop);
  };
  const auto run = [&](const auto& by) {
    return share({iterations, elements, nullptr, where}, options, site, by);
  };
  const loop_end end = one_part_each ? run(in_one_part_each{piece}) : run(piece);
  if (end == loop_end::stopped) throw stopped();
  return all.total();
}

template <class Range, class Out, class Value, class Combine>
concept can_scan = std::ranges::random_access_range<Range> && std::ranges::sized_range<Range> &&
                   std::random_access_iterator<Out> && std::copyable<Value> &&
                   std::invocable<Combine&, Value, std::ranges::range_reference_t<Range>> &&
                   std::invocable<Combine&, Value, Value> && std::indirectly_writable<Out, Value>;

}  // namespace detail

// Writes out[i] = identity + x[0] + ... + x[i] for each element x[i] of `range`, where + is
// combine(a, b), and returns the whole sum; `identity` for an empty range. `out` may be where the
// elements are.
//
// combine must be associative up to rounding, with identity as its neutral element; it need not be
// commutative. The results have the same bits for any number of threads: the number of elements
// and sizeof(Value) alone say where they are cut. They may differ in the last bits from those of
// std::inclusive_scan. options.order = reduce_order::any trades that for fewer combinations.
//
// Several threads call combine at once. The first exception that leaves it is rethrown here, and a
// requested stop throws doall::stopped if it came before the end: then results
// may be missing.
// The schedule is of no matter.
//
// Cost: two combinations for each element, shared by the workers. Sums, products and bitwise
// operations of integers, which are the same in any order, and any others under reduce_order::any,
// need between one and two. Allocates, if it is shared, a Value for each block of 256 to 8,192
// elements, of Values of up to 16 bytes 2,048 to 8,192: so a scan of fewer runs on one thread.
template <class Range, class Out, class Value, class Combine>
  requires detail::can_scan<Range, Out, Value, Combine>
Value parallel_scan(Range&& range, Out out, Value identity, Combine&& combine,
                    const loop_options& options = detail::constants.none,
                    const std::source_location& where = std::source_location::current()) {
  return detail::run_scan<true>(range, out, identity, combine, options, where);
}

// The same in place.
template <class Range, class Value, class Combine>
  requires detail::can_scan<Range, std::ranges::iterator_t<Range>, Value, Combine>
Value parallel_scan(Range&& range, Value identity, Combine&& combine,
                    const loop_options& options = detail::constants.none,
                    const std::source_location& where = std::source_location::current()) {
  return detail::run_scan<true>(range, std::ranges::begin(range), identity, combine, options,
                                where);
}

// The same without element i in result i: out[i] = identity + x[0] + ... + x[i - 1]. Offsets from
// counts, for example.
template <class Range, class Out, class Value, class Combine>
  requires detail::can_scan<Range, Out, Value, Combine>
Value parallel_exclusive_scan(Range&& range, Out out, Value identity, Combine&& combine,
                              const loop_options& options = detail::constants.none,
                              const std::source_location& where = std::source_location::current()) {
  return detail::run_scan<false>(range, out, identity, combine, options, where);
}

template <class Range, class Value, class Combine>
  requires detail::can_scan<Range, std::ranges::iterator_t<Range>, Value, Combine>
Value parallel_exclusive_scan(Range&& range, Value identity, Combine&& combine,
                              const loop_options& options = detail::constants.none,
                              const std::source_location& where = std::source_location::current()) {
  return detail::run_scan<false>(range, std::ranges::begin(range), identity, combine, options,
                                 where);
}

}  // namespace v0
}  // namespace doall
