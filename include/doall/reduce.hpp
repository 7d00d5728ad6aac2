// doall::parallel_reduce.
#pragma once

#include <doall/abi.h>
#include <doall/blocks.h>
#include <doall/detail/block_costs.h>
#include <doall/costs.hpp>
#include <doall/detail/callee.hpp>
#include <doall/detail/run.hpp>
#include <doall/options.hpp>
#include <doall/range.hpp>

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

// Scratch memory of the calling thread.
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

// Room for a Value that a worker makes. Before the loop only `made` is written, and only if Values
// must be destroyed.
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

// A view of one worker, on a cache line of its own.
template <class Value>
struct alignas(64) alignas(Value) lone_view : view<Value> {};

// That many views in the thread's scratch memory. The destructor destroys the Values that are made
// in them, also after a loop that stopped or threw.
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

// The operands of a reduction and its operation.
template <class Index, class Value, class Body, class Combine>
struct terms {
  Index first;
  const Value& identity;
  callee_for<Body, Index, range<Index>> body;
  Combine& with;

  // Makes the sum over indices [begin, end) in a view. False, and nothing is made, when a stop came
  // in between.
  template <class Stop>
  bool add_up(std::uint64_t begin, std::uint64_t end, const Stop& stop, view<Value>& in) const {
    const range<Index> mine = range_at(first, begin, end);
    // Adds up in a local: neighbouring views are other workers', and may share cache lines.
    if constexpr (std::invocable<Body&, Index>) {
      Value sum = identity;
      for (Index i = mine.first(); i < mine.last(); i = next_to(i)) {
        if (stop.stop_requested()) return false;
        sum = with(std::move(sum), body(Index{i}));
      }
      std::construct_at(&in.sum, std::move(sum));
    } else {
      if (stop.stop_requested()) return false;
      Value sum = body(range<Index>(mine));
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

// The piece of a loop over blocks. The nodes that a chunk leaves (blocks.h) are in the first of its
// blocks' views, side by side.
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

  // Called after the whole loop: combines the nodes that the chunks left, into the first view.
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

// The same in any order: a chunk is added up in one go, across its blocks, so that a nested
// reduction that is not split costs no more than its loop.
template <class Terms, class View>
struct chunk_sums {
  Terms of;
  doall_cut cut;
  View* views;  // a chunk uses that of its first block

  template <class Stop>
  loop_end operator()(std::uint64_t begin, std::uint64_t end, const Stop& stop) const {
    const std::uint64_t first = doall_cut_begin(cut, begin);
    if (!of.add_up(first, doall_cut_begin(cut, end), stop, views[begin])) return loop_end::stopped;
    views[begin].chunk_end = static_cast<std::uint16_t>(end);
    return loop_end::completed;
  }

  void finish() const {
    for (std::uint64_t at = views->chunk_end; at < cut.blocks; at = views[at].chunk_end) {
      of.combine(*views, views[at]);
    }
  }
};

// Runs the reduction by blocks. `Sums` is one of the two above. Throws `stopped`.
template <class Value, template <class, class> class Sums, class Terms>
Value reduce_by_blocks(const Terms& of, const doall_cut& cut, const doall_costs* costs,
                       const loop_options& options, const std::source_location& where) {
  doall_block_costs of_blocks;
  views<view<Value>> all(cut.blocks);
  const Sums<Terms, view<Value>> piece{of, cut, all.data()};
  const std::uint64_t indices = doall_cut_begin(cut, cut.blocks);
  if (share({cut.blocks, indices, doall_block_costs_make(&of_blocks, cut, costs), where}, options,
            site_of<Terms>, piece) == loop_end::stopped) {
    throw stopped();
  }
  piece.finish();
  return std::move(all.data()->sum);
}

// Whether reductions of such Values are worth the code of a shortcut: those that wait fit on a
// stack.
template <class Value>
inline constexpr bool is_small =
    std::is_trivially_destructible_v<Value> && sizeof(Value) <= DOALL_SMALL_VALUE_BYTES;

// The whole reduction on this thread, in any order.
template <class Value, class Terms>
Value reduce_here(const Terms& of, std::uint64_t iterations) {
  view<Value> whole;
  of.add_up(0, iterations, never_stopped{}, whole);
  Value sum = std::move(whole.sum);
  whole.drop();
  return sum;
}

// The same in the fixed order.
template <class Value, class Terms>
  requires is_small<Value>
Value reduce_blocks_here(const Terms& of, std::uint64_t iterations) {
  std::array<view<Value>, DOALL_MOST_NODES> nodes;
  const block_sums<Terms, view<Value>> piece{of, doall_cut_of(iterations, sizeof(Value)),
                                             nodes.data()};
  piece(0, piece.cut.blocks, never_stopped{});
  piece.finish();
  return nodes.front().sum;
}

// The piece of a loop that deals one block to each worker and combines them as they are joined.
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

// Runs the reduction in any order, combining blocks as workers are joined. Throws `stopped`.
template <class Value, class Terms>
Value reduce_as_joined(const Terms& of, std::uint64_t iterations, const loop_options& options,
                       const std::source_location& where) {
  using view = lone_view<Value>;
  views<view> all(std::uint64_t{doall_threads()} + 1);
  view& whole = all.data()[1];
  whole.made = false;
  if (share({iterations, iterations, nullptr, where}, options, site_of<Terms>,
            joined_sums<Terms, view>{of, all.data()}) == loop_end::stopped) {
    throw stopped();
  }
  return std::move(whole.sum);
}

}  // namespace detail

// Combines tuples, for several reductions in one loop:
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

// Combines body(i) over every i in [first, last), or body(range) over parts of it, and returns the
// result; `identity` for an empty loop.
//
// combine(a, b) must be associative up to rounding, with identity as its neutral element; it need
// not be commutative, for operands keep their order. The result has the same bits for any number of
// threads and any schedule: [first, last) is cut into at most 256 blocks, whose number depends on
// its length and sizeof(Value) alone. One worker runs a block, in order. One fixed tree (blocks.h)
// combines the blocks' results. Schedules deal blocks; the options' costs are those of indices.
//
// options.order = reduce_order::any trades this repeatability for speed (options.hpp).
//
// Value: copyable. body is copied as in parallel_for. Exceptions as there, whether body, combine or
// Value throws. Throws doall::stopped when a requested stop keeps any index from being added: a
// part of the sum is not the sum.
// Cost: as parallel_for, and one Value and one combination for each block. The workers make nearly
// all of these in parallel, in memory that the thread keeps for its next reduction. 256 Values of
// 4 KiB or more are too much to keep: such a reduction allocates and frees.
template <loop_index First, loop_index Last, std::copyable Value, class Body, class Combine,
          class Index = std::common_type_t<First, Last>>
  requires loop_body<Body, Index> && std::invocable<Combine&, Value, Value>
Value parallel_reduce(First from, Last to, Value identity, Body&& body, Combine&& combine,
                      const loop_options& options = detail::constants.none,
                      const std::source_location& where = std::source_location::current()) {
  const auto first = static_cast<Index>(from);
  const std::uint64_t iterations = detail::count(first, static_cast<Index>(to));
  const detail::told_costs costs(options.costs, iterations, static_cast<std::uint64_t>(first), 1,
                                 std::is_signed_v<Index>);
  if (iterations == 0) return identity;
  using terms = detail::terms<Index, Value, Body, Combine>;
  const terms of{first, identity, body, combine};
  const bool any = options.order == reduce_order::any;
  if constexpr (detail::is_small<Value>) {
    if (detail::is_one_piece(detail::site_of<terms>, iterations, options)) {
      return any ? detail::reduce_here<Value>(of, iterations)
                 : detail::reduce_blocks_here<Value>(of, iterations);
    }
  }
  if (any && costs.raw() == nullptr && doall_schedule_deals_blocks(options.how.raw()) != 0) {
    return detail::reduce_as_joined<Value>(of, iterations, options, where);
  }
  const doall_cut cut = doall_cut_of(iterations, sizeof(Value));
  if (any) {
    return detail::reduce_by_blocks<Value, detail::chunk_sums>(of, cut, costs.raw(), options,
                                                               where);
  }
  return detail::reduce_by_blocks<Value, detail::block_sums>(of, cut, costs.raw(), options, where);
}

}  // namespace v0
}  // namespace doall
