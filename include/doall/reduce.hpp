// doall::parallel_reduce.
#pragma once

#include <doall/abi.h>
#include <doall/blocks.h>
#include <doall/detail/run.hpp>
#include <doall/options.hpp>
#include <doall/range.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <source_location>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

// Memory of the calling thread's scratch.
class borrowed {
 public:
  borrowed(std::size_t bytes, std::size_t alignment)
      : memory_(doall_scratch_take(bytes, alignment)) {
    if (memory_ == nullptr) throw std::bad_alloc();
  }
  ~borrowed() { doall_scratch_give(memory_); }
  borrowed(const borrowed&) = delete;
  borrowed& operator=(const borrowed&) = delete;
  void* memory() const { return memory_; }

 private:
  void* memory_;
};

// Room for a Value that a worker makes. Nothing of it is written before the loop, but that
// no Value is made, where Values must be destroyed.
template <class Value>
struct view {
  bool made;
  std::uint16_t chunk_end;  // of the fixed order: of the chunk that begins at this block
  union {
    Value sum;
  };

  view() {}
  ~view() {}

  void drop() {
    made = false;
    std::destroy_at(&sum);
  }
};

// A view that one worker has, on a cache line of its own.
template <class Value>
struct alignas(64) alignas(Value) lone_view : view<Value> {};

// So many views in the thread's scratch. The Values that are made in them at the end, also
// of a loop that stopped or threw, are destroyed then.
template <class View>
class views {
 public:
  explicit views(std::uint64_t count)
      : memory_(count * sizeof(View), alignof(View)),
        all_(static_cast<View*>(memory_.memory()), count) {
    std::uninitialized_default_construct(all_.begin(), all_.end());
    if constexpr (must_drop) {
      for (View& v : all_) v.made = false;
    }
  }
  ~views() {
    if constexpr (must_drop) {
      for (View& v : all_) {
        if (v.made) v.drop();
      }
    }
  }
  views(const views&) = delete;
  views& operator=(const views&) = delete;
  View* data() { return all_.data(); }

 private:
  static constexpr bool must_drop = !std::is_trivially_destructible_v<decltype(View::sum)>;

  borrowed memory_;
  std::span<View> all_;
};

// What a reduction adds up, and how.
template <class Index, class Value, class Body, class Combine>
struct terms {
  Index first;
  const Value& identity;
  Body& body;
  Combine& with;

  // Makes the sum over indices [begin, end) in a view. False, and nothing is made, when a
  // stop came in between.
  template <class Stop>
  bool add_up(std::uint64_t begin, std::uint64_t end, const Stop& stop, view<Value>& in) const {
    // Added up apart: neighbouring views are other workers', and may share cache lines.
    if constexpr (std::invocable<Body&, Index>) {
      Value sum = identity;
      for (std::uint64_t i = begin; i < end; ++i) {
        if (stop.stop_requested()) return false;
        sum = with(std::move(sum), body(index_at(first, i)));
      }
      std::construct_at(&in.sum, std::move(sum));
    } else {
      if (stop.stop_requested()) return false;
      Value sum = body(range<Index>(index_at(first, begin), index_at(first, end)));
      std::construct_at(&in.sum, std::move(sum));
    }
    in.made = true;
    return true;
  }

  void combine(view<Value>& left, view<Value>& right) const {
    left.sum = with(std::move(left.sum), std::move(right.sum));
    right.drop();
  }
};

// The piece of a loop over blocks. The nodes that a chunk leaves (blocks.h) are in the first
// of its blocks' views, side by side.
template <class Terms, class View>
struct block_sums {
  Terms of;
  doall_cut cut;
  View* views;

  template <class Stop>
  loop_end operator()(std::uint64_t begin, std::uint64_t end, const Stop& stop) const {
    View* top = views + begin;
    std::uint64_t first = doall_cut_begin(cut, begin);
    for (std::uint64_t block = begin; block < end; ++block) {
      const std::uint64_t last = first + doall_block_length(cut, block);
      if (!of.add_up(first, last, stop, *top++)) return loop_end::stopped;
      for (auto n = doall_nodes_completed(begin, block + 1, 1); n > 0; --n, --top) {
        of.combine(top[-2], top[-1]);
      }
      first = last;
    }
    views[begin].chunk_end = static_cast<std::uint16_t>(end);
    return loop_end::completed;
  }

  // After the whole loop: combines what the chunks have left, into the first view.
  void finish() const {
    std::array<View*, DOALL_MOST_NODES> stack;
    std::size_t size = 0;
    const auto combine_last = [&] {
      --size;
      of.combine(*stack[size - 1], *stack[size]);
    };
    for (std::uint64_t begin = 0, end = 0; begin < cut.blocks; begin = end) {
      end = views[begin].chunk_end;
      View* view = views + begin;
      for (std::uint64_t first = begin, width = 0; first < end; first += width) {
        width = doall_node_width(first, end);
        stack[size++] = view++;
        for (auto n = doall_nodes_completed(0, first + width, width); n > 0; --n) combine_last();
      }
    }
    while (size > 1) combine_last();
  }
};

// Of a reduction in any order that is not dealt in one block a worker (it is nested, say): so
// few blocks that short ones cost little, and a few for each worker to be balanced by.
inline doall_cut coarse_cut(std::uint64_t iterations) {
  constexpr std::uint64_t blocks_a_worker = 4;
  const std::uint64_t blocks = blocks_a_worker * doall_threads();
  return doall_cut_into(std::min({blocks, iterations, std::uint64_t{DOALL_MOST_BLOCKS}}),
                        iterations);
}

// In the order of that cut's tree. Throws `stopped`.
template <class Value, class Terms>
Value reduce_by_blocks(const Terms& of, const doall_cut& cut, const std::uint64_t* costs,
                       const loop_options& options, const std::source_location& where) {
  std::uint64_t sums[DOALL_MOST_BLOCKS + 1];
  views<view<Value>> all(cut.blocks);
  const block_sums<Terms, view<Value>> piece{of, cut, all.data()};
  if (run({cut.blocks, doall_cut_costs(cut, costs, sums), where}, options, piece) ==
      loop_end::stopped) {
    throw stopped();
  }
  piece.finish();
  return std::move(all.data()->sum);
}

// The piece of a loop that is dealt in one block a worker, combined as they are joined.
template <class Terms, class View>
struct joined_sums {
  Terms of;
  View* views;  // worker w's is views[w + 1]; the first is for worker 0's second block

  template <class Stop>
  loop_end operator()(std::uint64_t begin, std::uint64_t end, const Stop& stop,
                      std::uint32_t worker) const {
    View& mine = views[worker + 1];
    if (worker != 0) mine.made = false;
    const bool more = mine.made;
    if (!of.add_up(begin, end, stop, more ? *views : mine)) return loop_end::stopped;
    if (more) of.combine(mine, *views);
    return loop_end::completed;
  }

  // A worker that failed has made nothing.
  void combine(std::uint32_t into, std::uint32_t from) const {
    View& left = views[into + 1];
    View& right = views[from + 1];
    if (left.made && right.made) of.combine(left, right);
  }
};

// In any order. Throws `stopped`.
template <class Value, class Terms>
Value reduce_as_joined(const Terms& of, std::uint64_t iterations, const loop_options& options,
                       const std::source_location& where) {
  using view = lone_view<Value>;
  views<view> all(std::uint64_t{doall_threads()} + 1);
  view& whole = all.data()[1];
  whole.made = false;
  if (run({iterations, nullptr, where}, options, joined_sums<Terms, view>{of, all.data()}) ==
      loop_end::stopped) {
    throw stopped();
  }
  return std::move(whole.sum);
}

}  // namespace detail

// A combination of tuples, for several reductions in one loop:
//
//   const auto [sum, least] = doall::parallel_reduce(0, n, std::tuple(0.0, inf), body,
//       doall::combine_each(std::plus<>(), [](double a, double b) { return std::min(a, b); }));
//
// combines the first elements with the first operation, the second with the second, ...
template <class... Combine>
auto combine_each(Combine... combine) {
  return [combine = std::tuple(std::move(combine)...)]<class... Value>(std::tuple<Value...> a,
                                                                       std::tuple<Value...> b) {
    static_assert(sizeof...(Value) == sizeof...(Combine), "one operation for each element");
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return std::tuple<Value...>(
          std::get<I>(combine)(std::get<I>(std::move(a)), std::get<I>(std::move(b)))...);
    }(std::index_sequence_for<Value...>());
  };
}

// Combines body(i) over every i in [first, last), or body(range) over parts of
// it, and returns the result; `identity` for an empty loop.
//
// combine(a, b) must be associative up to rounding, with identity as its neutral
// element; it need not be commutative, for operands keep their order. The result
// has the same bits for any number of threads and any schedule: [first, last) is cut
// into at most 256 blocks, whose number depends on its length and sizeof(Value) alone, a
// block is run by one worker, in order, and the blocks' results are combined in one
// fixed tree (blocks.h). Schedules deal blocks; the options' costs are one an index.
//
// options.order = reduce_order::any gives the repeatability up for speed (options.hpp).
//
// Value: copyable. Exceptions as in parallel_for, of body, combine and Value alike. A part
// of the sum is not the sum: when a requested stop keeps any index from being added,
// doall::stopped is thrown.
// Cost: as parallel_for, and a block each one Value and one combination, nearly all of which
// the workers make in parallel, in memory that the thread keeps for its next reduction.
// 256 Values of 4 KiB or more are too much to keep: such a reduction allocates
// and frees.
template <loop_index First, loop_index Last, std::copyable Value, class Body, class Combine,
          class Index = std::common_type_t<First, Last>>
  requires loop_body<Body, Index> && std::invocable<Combine&, Value, Value>
Value parallel_reduce(First from, Last to, Value identity, Body&& body, Combine&& combine,
                      const loop_options& options = {},
                      const std::source_location& where = std::source_location::current()) {
  const auto first = static_cast<Index>(from);
  const std::uint64_t iterations = detail::count(first, static_cast<Index>(to));
  const std::uint64_t* costs = detail::cost_sums(iterations, options.costs);
  if (iterations == 0) return identity;
  using terms = detail::terms<Index, Value, Body, Combine>;
  const terms of{first, identity, body, combine};
  const bool any = options.order == reduce_order::any;
  if (any && doall_schedule_deals_blocks(options.how.raw()) != 0) {
    return detail::reduce_as_joined<Value>(of, iterations, options, where);
  }
  const doall_cut cut =
      any ? detail::coarse_cut(iterations) : doall_cut_of(iterations, sizeof(Value));
  return detail::reduce_by_blocks<Value>(of, cut, costs, options, where);
}

}  // namespace v0
}  // namespace doall
