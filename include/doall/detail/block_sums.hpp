// The piece of a reduction that runs as a loop over blocks: what its workers leave of the chunks
// that they are dealt, and how the rest is combined.
#pragma once

#include <doall/blocks.h>
#include <doall/detail/sums.hpp>
#include <doall/detail/whole_tree.hpp>
#include <doall/options.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace doall {
inline namespace v0 {
namespace detail {

// What a thread has added up last: chunks that lie side by side, of one run of a reduction. If its
// next chunk follows, it goes on with the nodes that these have left: most of them are its own, and
// in its cache, while a view of its own for each chunk was mostly in another core's.
struct chunks_in_turn {
  std::uint64_t run;
  std::uint64_t first;
  std::uint64_t end;
  std::uint64_t nodes;
};
[[gnu::weak]] constinit thread_local chunks_in_turn last_chunks{};

// A number that no other run of a reduction has, and not 0. A thread takes them 2^32 at a time.
// What counts them is as visible as what holds them, so that two libraries count as one: weak, like
// the functions that hold them. (GCC makes an inline variable unique in the process, and then no
// plugin that has it can be unloaded.)
[[gnu::weak]] constinit std::atomic<std::uint64_t> takings_of_runs{0};
[[gnu::weak]] constinit thread_local std::uint64_t last_run = 0;
inline std::uint64_t number_of_run() {
  constexpr std::uint64_t each = std::uint64_t{1} << 32;
  // (1) relaxed; alone: only numbers that differ are wanted
  if (last_run % each == 0)
    last_run = takings_of_runs.fetch_add(1, std::memory_order_relaxed) * each;
  return ++last_run;
}

// The piece of a loop over blocks. The nodes that a chunk leaves, or several in turn by one thread,
// are in the first of its blocks' views, side by side. One chunk of all blocks leaves the result.
template <class Order, class Terms, class View>
struct block_sums {
  Terms of;
  doall_cut cut;
  View* views;
  std::uint64_t run;  // its number; 0: each chunk is one of its own

  template <class Stop>
  loop_end operator()(std::uint64_t begin, std::uint64_t end, const Stop& stop) const {
    if constexpr (std::is_same_v<Order, fixed_order> && Terms::adds_up_fours && never_stops<Stop>) {
      if (end - begin == cut.blocks) {
        std::construct_at(&views->sum, whole_tree<decltype(View::sum), Terms>(of, cut).sum());
        views->chunk_end = in_one_go;
        return loop_end::completed;
      }
    }
    return add_chunk(begin, end, stop);
  }

  template <class Stop>
  loop_end add_chunk(std::uint64_t begin, std::uint64_t end, const Stop& stop) const {
    std::uint64_t first = begin;
    View* top = views + begin;
    if (const chunks_in_turn last = last_chunks; run != 0 && last.run == run && last.end == begin) {
      first = last.first;
      top = views + first + last.nodes;
    }
    if constexpr (std::is_same_v<Order, any_order>) views[begin].made = false;  // for join()
    if (!Order::add(of, cut, first, begin, end, stop, top)) return loop_end::stopped;
    views[first].chunk_end = static_cast<std::uint16_t>(end);
    if (run != 0) last_chunks = {run, first, end, static_cast<std::uint64_t>(top - views) - first};
    return loop_end::completed;
  }

  // Joins the nodes of chunks that lie side by side and begin at these blocks. Not those of a
  // thread that ran both, or one of them after another, which are in the node of its first already;
  // nor those between which such a one was left out; nor what was not added up to its end.
  void join(std::uint64_t left, std::uint64_t right) const
    requires std::is_same_v<Order, any_order>
  {
    last_chunks.run = 0;  // this thread may have run what is joined, and run another part next
    if (!views[left].made || !views[right].made || views[left].chunk_end != right) return;
    views[left].chunk_end = views[right].chunk_end;
    of.combine(views[left], views[right]);
  }

  // Called after the whole loop: combines the nodes that the chunks left, into the first view.
  void finish() const {
    if (views->chunk_end == in_one_go) return;
    typename Order::template whole<Terms, View> whole(of);
    add_chunks_to(whole, 0);
    whole.combine();
  }

  // No chunk ends there: even in any order, for 1,024 workers, there are at most 4,096 blocks.
  static constexpr std::uint16_t in_one_go = 0xffff;
  static_assert(DOALL_MOST_BLOCKS < in_one_go);

  // Those from block `begin` on.
  template <class Whole>
  void add_chunks_to(Whole& whole, std::uint64_t begin) const {
    for (std::uint64_t end = 0; begin < cut.blocks; begin = end) {
      end = views[begin].chunk_end;
      whole.add_chunk(begin, end, views + begin);
    }
  }
};

}  // namespace detail
}  // namespace v0
}  // namespace doall
