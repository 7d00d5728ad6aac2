// Nested reductions, executed by the encountering thread as other nested loops are
// (open_loops.hpp). It adds up on its stack what it runs; only a loop that is shared needs memory
// for what others add up.
#pragma once

#include <doall/abi.h>
#include <doall/blocks.h>
#include <doall/detail/block_sums.hpp>
#include <doall/detail/open_loops.hpp>
#include <doall/detail/sums.hpp>
#include <doall/detail/whole_tree.hpp>
#include <doall/options.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

// Whether reductions of such Values are worth the code: those that wait fit on a stack.
template <class Value>
inline constexpr bool is_small =
    std::is_trivially_destructible_v<Value> && sizeof(Value) <= DOALL_SMALL_VALUE_BYTES;

// What a reduction's workers have added up. Its own thread has run the blocks before `end`, one
// after the other; all that follow are in `stolen`.
template <class Value>
struct open_sums {
  std::array<view<Value>, DOALL_MOST_NODES> nodes;
  view<Value>* top = nodes.data();
  std::uint64_t end = 0;
  std::atomic<view<Value>*> stolen = nullptr;  // a view for each block; null until it is shared

  open_sums() {}
  ~open_sums() { delete[] stolen.load(); }
  open_sums(const open_sums&) = delete;
  open_sums& operator=(const open_sums&) = delete;

  // Throws std::bad_alloc.
  view<Value>* stolen_views(std::uint64_t blocks) {
    view<Value>* there = stolen.load();
    if (there != nullptr) return there;
    std::unique_ptr<view<Value>[]> mine(new view<Value>[blocks]);
    return stolen.compare_exchange_strong(there, mine.get()) ? mine.release() : there;
  }
};

// The piece of such a loop.
template <class Order, class Value, class Terms>
struct open_sums_piece {
  Terms of;
  doall_cut cut;
  open_sums<Value>* sums;

  template <class Stop>
  loop_end operator()(std::uint64_t begin, std::uint64_t end, const Stop& stop) const {
    Order::add(of, cut, 0, begin, end, stop, sums->top);
    sums->end = end;
    return loop_end::completed;
  }

  void run_stolen(std::uint64_t begin, std::uint64_t end) const {
    const block_sums<Order, Terms, view<Value>> theirs{of, cut, sums->stolen_views(cut.blocks), 0};
    theirs.add_chunk(begin, end, never_stopped{});
  }

  void finish() const {
    typename Order::template whole<Terms, view<Value>> whole(of);
    whole.add_chunk(0, sums->end, sums->nodes.data());
    if (view<Value>* const stolen = sums->stolen.load()) {
      block_sums<Order, Terms, view<Value>>{of, cut, stolen, 0}.add_chunks_to(whole, sums->end);
    }
    whole.combine();
  }
};

// The whole reduction on this thread.
template <class Order, class Value, class Terms>
Value reduce_here(const Terms& of, std::uint64_t iterations) {
  if constexpr (std::is_same_v<Order, any_order>) {
    view<Value> sum;
    of.add_up(0, iterations, never_stopped{}, sum);
    return std::move(sum.sum);
  } else if constexpr (Terms::adds_up_fours) {
    return whole_tree<Value, Terms>(of, doall_cut_of(iterations, sizeof(Value))).sum();
  } else {
    open_sums<Value> sums;
    const open_sums_piece<Order, Value, Terms> piece{of, doall_cut_of(iterations, sizeof(Value)),
                                                     &sums};
    piece(0, piece.cut.blocks, never_stopped{});
    piece.finish();
    return std::move(sums.nodes.front().sum);
  }
}

// Not inlined: a recursion's leaves would otherwise save the registers that this needs.
template <class Order, class Value, class Terms>
[[gnu::noinline]] Value reduce_open(doall_thread* here, const Terms& of, std::uint64_t iterations,
                                    site_word known) {
  open_sums<Value> sums;
  const doall_cut cut = doall_cut_of(iterations, sizeof(Value));
  guarded<open_sums_piece<Order, Value, Terms>> body{nullptr, {of, cut, &sums}};
  constexpr const loop_type& type = type_of<open_sums_piece<Order, Value, Terms>, Terms>;
  if (known.nests()) {
    run_one_by_one(here, cut.blocks, body, type);
  } else {
    // Without a division: half of it, at worst.
    const std::uint64_t grain =
        std::max<std::uint64_t>(known.grain() >> (doall_log2(cut.length) + 1), 1);
    // Whether to share what is left is asked in iterations of this loop, which are blocks. The
    // site's word counts indices, so this loop has a word of its own.
    doall_site in_blocks{site_word().with_grain(grain).raw()};
    const doall_open_kind as{open_loop::run_part, &in_blocks};
    run_in_pieces(here, 0, cut.blocks, &body.state, type, grain, as);
    if (read_site(in_blocks).nests()) note_nests(*type.open.site);
  }
  body.piece.finish();
  return std::move(sums.nodes.front().sum);
}

// Runs a nested reduction here, of a site that is known.
template <class Order, class Value, class Terms>
[[gnu::always_inline]] inline Value reduce_nested(doall_thread* here, const Terms& of,
                                                  std::uint64_t iterations, site_word known) {
  // Shares no reduction of less than 1.6 us: a piece more costs a loop that is as long as its row.
  constexpr std::uint64_t grains_a_piece = 4;
  if (!known.is_one_piece(iterations / grains_a_piece))
    return reduce_open<Order, Value>(here, of, iterations, known);
  note_one_piece(here, site_of<Terms>);
  count_piece(here);
  return reduce_here<Order, Value>(of, iterations);
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
