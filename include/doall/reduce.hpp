// doall::parallel_reduce.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/blocks.h>
#include <doall/detail/block_costs.h>
#include <doall/costs.hpp>
#include <doall/detail/apart.hpp>
#include <doall/detail/block_sums.hpp>
#include <doall/detail/open_reductions.hpp>
#include <doall/detail/run.hpp>
#include <doall/detail/sums.hpp>
#include <doall/options.hpp>
#include <doall/range.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
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

// A view of one block. A body may fill a large Value in place, while a neighbouring block's is
// filled by another worker.
template <class Value>
struct alignas(apart<Value>) lone_view : view<Value> {};
static_assert(sizeof(lone_view<double>) == apart<double>);
template <class Value>
using block_view =
    std::conditional_t<(sizeof(Value) > DOALL_SMALL_VALUE_BYTES), lone_view<Value>, view<Value>>;

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

// Runs the reduction by blocks. Throws `stopped`.
template <class Value, class Order, class Terms>
Value reduce_by_blocks(const Terms& of, const doall_cut& cut, const index_costs& costs,
                       const loop_options& options, const std::source_location& where) {
  doall_block_costs of_blocks;
  using view = block_view<Value>;
  views<view> all(cut.blocks);
  const block_sums<Order, Terms, view> piece{of, cut, all.data(), number_of_run()};
  const std::uint64_t indices = doall_cut_begin(cut, cut.blocks);
  if (share({cut.blocks, indices, costs.of_blocks(of_blocks, cut), where}, options, site_of<Terms>,
            piece) == loop_end::stopped) {
    throw stopped();
  }
  piece.finish();
  return std::move(all.data()->sum);
}

// How a reduction in any order is cut: as others are, but into no more views than a thread keeps
// memory for, if each worker has four, and as many for each worker. Costs that are told have room
// for as many blocks as others have.
template <class Value>
doall_cut cut_for_any_order(std::uint64_t iterations, bool costs_told) {
  constexpr std::uint64_t blocks_a_worker = 4;
  constexpr std::uint64_t kept_views = DOALL_SCRATCH_KEPT_BYTES / sizeof(block_view<Value>);
  const doall_cut cut = doall_cut_of(iterations, sizeof(Value));
  if (costs_told || cut.blocks == iterations) return cut;
  const std::uint64_t workers = doall_threads();
  const std::uint64_t least = blocks_a_worker * workers;
  const std::uint64_t wanted = std::max(std::min(cut.blocks, kept_views), least);
  const std::uint64_t blocks = (wanted + workers - 1) / workers * workers;
  return doall_cut_into(std::min(blocks, iterations), iterations);
}

// Not inlined, as run_by_runtime() is not.
template <class Value, class Terms>
[[gnu::noinline]] Value reduce_by_runtime(const Terms& of, std::uint64_t iterations, bool any,
                                          const loop_options& options,
                                          const std::source_location& where) {
  const index_costs costs(options.costs, iterations, static_cast<std::uint64_t>(of.first),
                          std::is_signed_v<decltype(of.first)>);
  if (iterations == 0) return of.neutral();
  if (any) {
    const doall_cut cut = cut_for_any_order<Value>(iterations, costs.raw() != nullptr);
    return reduce_by_blocks<Value, any_order>(of, cut, costs, options, where);
  }
  const doall_cut cut = doall_cut_of(iterations, sizeof(Value));
  return reduce_by_blocks<Value, fixed_order>(of, cut, costs, options, where);
}

// Numbers, and arrays, pairs and tuples of them. Of others a comparison may be declared and not
// compile: std::vector has one whatever its elements are.
template <class T>
inline constexpr bool is_of_numbers = std::is_arithmetic_v<T>;
template <class T, std::size_t N>
inline constexpr bool is_of_numbers<std::array<T, N>> = is_of_numbers<T>;
template <class... T>
inline constexpr bool is_of_numbers<std::tuple<T...>> = (is_of_numbers<T> && ...);
template <class A, class B>
inline constexpr bool is_of_numbers<std::pair<A, B>> = is_of_numbers<A> && is_of_numbers<B>;

// For builds without NDEBUG: warns of an identity that is not neutral, or of a narrower type than
// what is added, once for each loop of the source.
template <class Terms>
[[gnu::visibility("hidden")]] inline constinit std::atomic_flag warned_of{};

template <class Index, class Body, class Terms>
void check_identity(const Terms& of, const std::source_location& where) {
  using value = decltype(of.neutral());
  const auto warn = [&](const char* what) {
    if (warned_of<Terms>.test_and_set(std::memory_order_relaxed)) return;
    std::fprintf(stderr, "doall::parallel_reduce: %s:%u: %s\n", where.file_name(),
                 static_cast<unsigned>(where.line()), what);
  };
  if constexpr (std::invocable<Body&, Index>) {
    using found = std::remove_cvref_t<std::invoke_result_t<Body&, Index>>;
    if constexpr (std::is_arithmetic_v<value> && std::is_arithmetic_v<found>) {
      constexpr bool cuts = std::is_floating_point_v<found> && std::is_integral_v<value>;
      constexpr bool is_wider = sizeof(found) > sizeof(value);
      if (cuts || is_wider)
        warn(
            "the identity's type is narrower than what the body returns, expected as wide a one: "
            "each addition cuts the sum to it");
    }
  }
  if constexpr (is_of_numbers<value>) {
    const value neutral = of.neutral();
    if (neutral == neutral && !(value(of.with(of.neutral(), of.neutral())) == neutral))
      warn(
          "combine(identity, identity) is not the identity, expected a neutral one: it is added "
          "once for each block");
  }
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
    return [&]<std::size_t... At>(std::index_sequence<At...>) {
      return std::tuple<Value...>(std::invoke(std::get<At>(combine), std::get<At>(std::move(a)),
                                              std::get<At>(std::move(b)))...);
    }(std::index_sequence_for<Value...>());
  };
}

// Combines arrays element by element, for a reduction of many sums:
//
//   const auto counts = doall::parallel_reduce(0, n, std::array<std::uint32_t, 256>{},
//       [&](doall::range<int> part) { ... }, doall::each_element(std::plus<>()));
//
// A body that takes a range must then return what its indices alone add up to, wherever the range
// was cut: arrays of integers that are added, multiplied or combined bit by bit have the same bits
// in any order, and are added up in any.
template <class Operation>
auto each_element(Operation operation) {
  return detail::by_elements<Operation>{std::move(operation)};
}

// Combines body(i) over every i in [first, last), or body(range) over parts of it, and returns the
// result; `identity` for an empty loop.
//
// combine(a, b) must be associative up to rounding, with identity as its neutral element; it need
// not be commutative, for operands keep their order. The result has the same bits for any number of
// threads and any schedule: [first, last) is cut into at most 256 blocks, whose number depends on
// its length and sizeof(Value) alone. One worker runs a block, in order. One fixed tree (blocks.h)
// combines the blocks' results. Schedules deal blocks; the options' costs are those of indices. In
// any order the workers' number has a say in the cut, and dealing fixes the groups.
//
// options.order = reduce_order::any trades this repeatability for speed (options.hpp). Where a body
// that takes an index returns an integer, a sum, product or bitwise operation of integers other
// than bool (std::plus and its like in <functional>) has the same bits in any order, and is added
// up in any. So is one of arrays by each_element().
//
// A body may add to the sum itself, which begins as the identity: body(i, sum), or body(range,
// sum), for values that are dear to make for each index.
//
// The identity may be a function that makes it; then Value need only be movable:
//
//   doall::parallel_reduce(0, n, [] { return std::make_unique<table>(); },
//       [&](int i, auto& sum) { sum->add(i); }, merge);
//
// Careful: the sum has the identity's type. 0 makes a sum of doubles one of ints, cut at each
// addition: write 0.0. And an identity that is not neutral is combined once for each block. Builds
// without NDEBUG warn of both, once a loop, as far as they can see.
//
// Value: copyable, or movable as above. body is copied as in parallel_for. Exceptions as there,
// whether body, combine or Value throws. Throws doall::stopped when a requested stop keeps any
// index from being added: a part of the sum is not the sum. Cost: as parallel_for, and one Value
// and one combination for each block. The workers make nearly all of these in parallel, in memory
// that the thread keeps for its next reduction. 256 Values of 4 KiB or more are too much to keep:
// such a reduction allocates and frees; in any order it has fewer blocks instead, as long as each
// worker has four.
template <loop_index First, loop_index Last, class Identity, class Body, class Combine,
          class Value = detail::reduced<Identity>, class Index = std::common_type_t<First, Last>>
  requires std::movable<Value> && std::invocable<Combine&, Value, Value> &&
           (std::copyable<Value> || detail::makes_identity<Identity>) &&
           (loop_body<Body, Index> || detail::adding_body<Body, Index, Value>)
Value parallel_reduce(First from, Last to, Identity identity, Body&& body, Combine&& combine,
                      const loop_options& options = detail::constants.none,
                      const std::source_location& where = std::source_location::current()) {
  const auto first = static_cast<Index>(from);
  const std::uint64_t iterations = detail::count(first, static_cast<Index>(to));
  using terms = detail::terms<Index, Value, Body, Combine, Identity>;
  const terms of{first, identity, body, combine};
#if !defined(NDEBUG)
  detail::check_identity<Index, Body>(of, where);
#endif
  const bool any = detail::is_same_in_any_order<Index, Value, Body, Combine>() ||
                   options.order == reduce_order::any;
  if constexpr (!detail::is_small<Value>) {
    if (any && detail::is_plain(detail::site_of<terms>, iterations, options)) {
      return of.whole(iterations);
    }
  } else {
    doall_site& site = detail::site_of<terms>;
    const detail::site_word known = detail::read_site(site);
    doall_thread* const here = known.is_known() ? detail::nesting_thread(options) : nullptr;
    if (here == nullptr && detail::is_plain(site, iterations, options)) {
      return any ? detail::reduce_here<detail::any_order, Value>(of, iterations)
                 : detail::reduce_here<detail::fixed_order, Value>(of, iterations);
    }
    if (here != nullptr && iterations != 0) {
      return any ? detail::reduce_nested<detail::any_order, Value>(here, of, iterations, known)
                 : detail::reduce_nested<detail::fixed_order, Value>(here, of, iterations, known);
    }
  }
  return detail::reduce_by_runtime<Value>(of, iterations, any, options, where);
}

}  // namespace v0
}  // namespace doall
