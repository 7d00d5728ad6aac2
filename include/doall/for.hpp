// doall::parallel_for.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/detail/callee.hpp>
#include <doall/detail/run.hpp>
#include <doall/options.hpp>
#include <doall/range.hpp>

#include <concepts>
#include <cstdint>
#include <source_location>
#include <stdexcept>
#include <type_traits>

namespace doall {
inline namespace v0 {

namespace detail {

// The loops' pieces. A body that takes an index is called in a loop over its type (range.hpp,
// next_to); one that takes a range gets all that was dealt.
template <class Body, class Index>
struct piece_of_indices {
  using stops = before_iterations;
  using index = Index;
  callee_for<Body, Index, range<Index>> body;
  Index first;

  template <class Stop>
  loop_end operator()(std::uint64_t begin, std::uint64_t end, const Stop&) const {
    const range<Index> mine = range_at(first, begin, end);
    if constexpr (is_one_iteration<Stop>) {
      body(Index{mine.first()});
    } else {
      for (Index i = mine.first(); i < mine.last(); i = next_to(i)) body(Index{i});
    }
    return loop_end::completed;
  }
};

template <class Body, class Index>
struct piece_of_ranges {
  using stops = before_chunks;
  using index = Index;
  callee_for<Body, Index, range<Index>> body;
  Index first;

  template <class Stop>
  loop_end operator()(std::uint64_t begin, std::uint64_t end, const Stop&) const {
    body(range<Index>(range_at(first, begin, end)));
    return loop_end::completed;
  }
};

template <class Body, class Index>
struct piece_of_steps {
  using stops = before_iterations;
  using index = Index;
  callee_for<Body, Index> body;
  Index first;
  std::uint64_t stride;

  template <class Stop>
  loop_end operator()(std::uint64_t begin, std::uint64_t end, const Stop&) const {
    for (std::uint64_t i = begin; i < end; ++i) {
      body(index_at(first, i * stride));
      if constexpr (is_one_iteration<Stop>) break;
    }
    return loop_end::completed;
  }
};

template <class Body, class Index>
using piece_for = std::conditional_t<std::invocable<Body&, Index>, piece_of_indices<Body, Index>,
                                     piece_of_ranges<Body, Index>>;

}  // namespace detail

// Runs body(i) for every i in [first, last), or body(range) on ranges that together are
// [first, last), in parallel, and returns when all have run.
//
// Index: the common type of first and last, as in a comparison of them (so 0 to v.size() is right).
// last <= first is an empty loop. Several threads call body at once, in any order. A body of at
// most 64 bytes that is const and trivially copyable is called through copies, as the standard's
// algorithms may do, so that what it captured is in registers. The first exception that leaves a
// body is rethrown here. The rest of the loop is then given up: each worker ends after its current
// chunk. `options` is a schedule, costs or loop_options (options.hpp). `where` names the loop in
// reports.
//
// Returns whether the loop was completed or stopped; ignore it unless you passed a stop token.
// Throws std::invalid_argument for costs of a wrong size.
//
// Cost: one release and one join of the workers, plus the schedule's own; `doall schedules` lists
// the papers. Allocates no memory.
template <loop_index First, loop_index Last, class Body,
          class Index = std::common_type_t<First, Last>>
  requires loop_body<Body, Index>
loop_end parallel_for(First from, Last to, Body&& body,
                      const loop_options& options = detail::constants.none,
                      const std::source_location& where = std::source_location::current()) {
  const auto first = static_cast<Index>(from);
  const std::uint64_t iterations = detail::count(first, static_cast<Index>(to));
  return detail::run(iterations, detail::piece_for<Body, Index>{body, first},
                     static_cast<std::uint64_t>(first), 1, options, where);
}

// The same for first, first + step, first + 2 step, ... as far as they are below last, or, with a
// negative step, above it: parallel_for(n - 1, -1, -1, body) runs n - 1 to 0. The step may be of a
// signed type when the indices are not. body takes an index. Throws std::invalid_argument for a
// step of 0.
template <loop_index First, loop_index Last, loop_index Step, class Body,
          class Index = std::common_type_t<First, Last>>
  requires std::invocable<Body&, Index>
loop_end parallel_for(First from, Last to, Step step, Body&& body,
                      const loop_options& options = detail::constants.none,
                      const std::source_location& where = std::source_location::current()) {
  if (step == Step{0}) {
    detail::forget_named_costs();
    throw std::invalid_argument(
        "doall::parallel_for: the step is 0, expected any other number; the loop was not run");
  }
  const auto first = static_cast<Index>(from);
  const auto stride = static_cast<std::uint64_t>(step);
  const std::uint64_t iterations = detail::count(first, static_cast<Index>(to), step);
  return detail::run(iterations, detail::piece_of_steps<Body, Index>{body, first, stride},
                     static_cast<std::uint64_t>(first), stride, options, where);
}

}  // namespace v0
}  // namespace doall
