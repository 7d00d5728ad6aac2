// A scan: how its workers share it.
#pragma once

#include <doall/detail/sums.hpp>
#include <doall/options.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace doall {
inline namespace v0 {
namespace detail {

// Elements of a block, so that its two passes find it in a core's own cache. A function of the
// number of elements and of a value's size alone, as the result's bits are. A small value is mostly
// combined within a nanosecond: of these a block has so many that handing its carry on, a line's
// way to another core, is little beside it.
constexpr std::uint64_t scan_block(std::uint64_t elements, std::size_t value_bytes) {
  const std::uint64_t least = value_bytes <= 2 * sizeof(double) ? 2048 : 256;
  constexpr std::uint64_t usual = 8192;
  constexpr std::uint64_t blocks_to_share = 256;
  constexpr std::uint64_t most_blocks = 65536;
  return std::max(std::clamp(elements / blocks_to_share, least, usual), elements / most_blocks);
}

// A scan in blocks, which workers claim from left to right, of four segments each. A segment's
// carry, what lies before it, is the carry of the last one combined with the last one's sum. A
// worker adds up a block's segments side by side, since one sum alone would wait for each addition;
// then, with their carries, it writes their results side by side. If the block's carry is not known
// yet it first adds up further blocks. So there is no phase that all must reach, and a worker that
// loses its CPU does not stop the others.
//
// Where any order gives the same bits, or the options allow any, one pass is enough for a block
// whose carry is known: its last result is the next one's carry.
//
// A worker waits when all blocks are claimed, or it has put aside as many as it may, and then for
// the carry of the first that it has put aside. Of all blocks without a carry for the next one take
// the first: its own carry is known, and its worker either goes through it now, or has put it aside
// as its first, and does not wait. So someone always goes on. That holds as long as a thread that
// waits here has no other block under the wait on its stack: it runs nothing else, and loops that
// the operation runs descend from their block, as do the iterations that a thread runs while it
// waits for them.
//
// Carry b is written by the worker of block b - 1 alone.
template <bool Inclusive, class In, class Out, class Value, class Combine>
class scan {
 public:
  // Whether the result has the same bits in any order.
  static constexpr bool exact = combines_modular<Value, Combine> &&
                                is_modular<std::remove_cvref_t<std::iter_reference_t<In>>>;

  scan(In in, Out out, std::uint64_t elements, const Value& identity, Combine& with, bool any_order)
      : in_(in),
        out_(out),
        elements_(elements),
        length_(scan_block(elements, sizeof(Value))),
        blocks_((elements + length_ - 1) / length_),
        identity_(identity),
        with_(with),
        any_order_(any_order) {}

  std::uint64_t blocks() const { return blocks_; }

  // The whole scan, by this thread: the same bits, and no memory.
  Value run_alone() const {
    Value before = identity_;
    if (exact || any_order_) {
      for (std::uint64_t i = 0; i < elements_; ++i) before = write(std::move(before), in_, out_, i);
      return before;
    }
    for (std::uint64_t block = 0;; ++block) {
      carries_of_block c = carries_of(std::move(before), add_up(block));
      Value end = write_all(block, std::move(c.segments));
      if (block + 1 == blocks_) return end;
      before = std::move(c.next);
    }
  }

  // Before workers run blocks.
  void make_carries() {
    carries_ = std::make_unique<carry[]>(blocks_ + 1);
    publish(0, Value(identity_));
  }

  // Of the only worker, in place of run_blocks().
  loop_end run_all() {
    publish(blocks_, run_alone());
    return loop_end::completed;
  }

  // Claims blocks and runs them, until there are no more or a stop is requested.
  template <class Stop>
  loop_end run_blocks(const Stop& stop) {
    try {
      return run_until(stop);
    } catch (...) {
      // (1) relaxed; alone: only ends waits; the join passes on the exception
      given_up_.store(true, std::memory_order_relaxed);
      throw;
    }
  }

  // After all blocks.
  Value total() { return std::move(*carries_[blocks_].value()); }

 private:
  struct carry {
    std::atomic<bool> known{false};
    union {
      Value held;
    };

    carry() {}
    ~carry() {
      // (2) relaxed; alone: the join has ordered it
      if (known.load(std::memory_order_relaxed)) std::destroy_at(&held);
    }
    // (3) acquire; pairs with (6): the value
    Value* value() { return known.load(std::memory_order_acquire) ? &held : nullptr; }
  };

  using offset = std::iter_difference_t<In>;

  // A value for each segment of a block: its sum, or its carry.
  struct of_segments {
    Value a, b, c, d;
  };

  struct carries_of_block {
    of_segments segments;
    Value next;  // of the next block
  };

  carries_of_block carries_of(Value before, of_segments sums) const {
    Value b = with_(Value(before), std::move(sums.a));
    Value c = with_(Value(b), std::move(sums.b));
    Value d = with_(Value(c), std::move(sums.c));
    Value next = with_(Value(d), std::move(sums.d));
    return {{std::move(before), std::move(b), std::move(c), std::move(d)}, std::move(next)};
  }

  // A block that has been added up, and whose results are missing.
  struct added_up {
    std::uint64_t block;
    of_segments sums;
  };

  // These in the order of their blocks.
  class put_aside {
   public:
    bool is_empty() const { return first_ == blocks_.size(); }
    bool is_full() const { return blocks_.size() - first_ == most; }
    void add(added_up block) { blocks_.push_back(std::move(block)); }
    added_up& first() { return blocks_[first_]; }
    void drop_first() {
      if (++first_ != blocks_.size()) return;
      blocks_.clear();
      first_ = 0;
    }

   private:
    static constexpr std::size_t most = 1024;
    std::vector<added_up> blocks_;
    std::size_t first_ = 0;
  };

  template <class Stop>
  loop_end run_until(const Stop& stop) {
    put_aside later;
    for (std::uint64_t block = 0; block < blocks_;) {
      if (stop.stop_requested()) {
        // (4) relaxed; alone: as (1)
        given_up_.store(true, std::memory_order_relaxed);
        return loop_end::stopped;
      }
      if (later.is_full() && !wait_for(later.first())) return loop_end::completed;
      finish(later);
      // (5) relaxed; alone: each block is claimed once; (3) orders what a claim needs
      block = next_.fetch_add(1, std::memory_order_relaxed);
      if (block < blocks_) begin(block, later);
    }
    while (!later.is_empty()) {
      if (!wait_for(later.first())) return loop_end::completed;  // another worker throws, or stops
      finish(later);
    }
    return loop_end::completed;
  }

  void begin(std::uint64_t block, put_aside& later) {
    const Value* const before = carries_[block].value();
    if (before == nullptr || !(exact || any_order_)) {
      later.add({block, add_up(block)});
      return;
    }
    Value now = *before;
    const segments all(*this, block);
    for (std::uint64_t i = 0; i < all.length; ++i) now = write(std::move(now), all.in, all.out, i);
    publish(block + 1, std::move(now));
  }

  // Writes the results of those whose carries are known.
  void finish(put_aside& later) {
    for (; !later.is_empty(); later.drop_first()) {
      added_up& first = later.first();
      const Value* const before = carries_[first.block].value();
      if (before == nullptr) return;
      carries_of_block c = carries_of(*before, std::move(first.sums));
      const bool is_last = first.block + 1 == blocks_;
      if (!is_last) publish(first.block + 1, std::move(c.next));
      Value end = write_all(first.block, std::move(c.segments));
      if (is_last) publish(blocks_, std::move(end));
    }
  }

  // Where a block's segments are; the last is as long as what is left.
  struct segments {
    In in;
    Out out;
    std::uint64_t length;
    std::uint64_t each;

    segments(const scan& of, std::uint64_t block)
        : in(of.in_ + static_cast<offset>(block * of.length_)),
          out(of.out_ + static_cast<std::iter_difference_t<Out>>(block * of.length_)),
          length(std::min(of.length_, of.elements_ - block * of.length_)),
          each(length / 4) {}
  };

  of_segments add_up(std::uint64_t block) const {
    const segments all(*this, block);
    const In in = all.in;
    const auto add = [&](Value sum, std::uint64_t i) -> Value {
      return with_(std::move(sum), in[static_cast<offset>(i)]);
    };
    Value a = identity_;
    Value b = identity_;
    Value c = identity_;
    Value d = identity_;
    for (std::uint64_t i = 0; i < all.each; ++i) {
      a = add(std::move(a), i);
      b = add(std::move(b), i + all.each);
      c = add(std::move(c), i + 2 * all.each);
      d = add(std::move(d), i + 3 * all.each);
    }
    for (std::uint64_t i = 4 * all.each; i < all.length; ++i) d = add(std::move(d), i);
    return {std::move(a), std::move(b), std::move(c), std::move(d)};
  }

  // Returns what lies before the next block, as the last result has it.
  Value write_all(std::uint64_t block, of_segments before) const {
    const segments all(*this, block);
    const In in = all.in;
    const Out out = all.out;
    Value a = std::move(before.a);
    Value b = std::move(before.b);
    Value c = std::move(before.c);
    Value d = std::move(before.d);
    for (std::uint64_t i = 0; i < all.each; ++i) {
      fetch_results(all, i);
      a = write(std::move(a), in, out, i);
      b = write(std::move(b), in, out, i + all.each);
      c = write(std::move(c), in, out, i + 2 * all.each);
      d = write(std::move(d), in, out, i + 3 * all.each);
    }
    for (std::uint64_t i = 4 * all.each; i < all.length; ++i) {
      d = write(std::move(d), in, out, i);
    }
    return d;
  }

  // Once a line, asks for the lines that later results go to. Stores are done in their order, so
  // each of four streams would wait for its lines one after the other. GCC 12 takes a call of it
  // for one without effect and drops it, unless it is inlined by force.
  [[gnu::always_inline]] static void fetch_results(const segments& all, std::uint64_t i) {
    if constexpr (std::contiguous_iterator<Out>) {
      constexpr std::uint64_t a_line = 64 / sizeof(std::iter_value_t<Out>);
      constexpr std::uint64_t ahead = 4 * a_line;
      if constexpr (a_line > 1) {
        if (i % a_line != 0 || i + ahead >= all.each) return;
        const auto* const later = std::to_address(all.out) + i + ahead;
        for (std::uint64_t segment = 0; segment < 4; ++segment)
          __builtin_prefetch(later + segment * all.each, 1);
      }
    }
  }

  // Writes result i. Returns what lies before the next; the element is read first, for it may lie
  // where the result goes.
  Value write(Value before, In in, Out out, std::uint64_t i) const {
    const auto at = static_cast<std::iter_difference_t<Out>>(i);
    if constexpr (Inclusive) {
      Value now = with_(std::move(before), in[static_cast<offset>(i)]);
      out[at] = now;
      return now;
    } else {
      Value now = with_(Value(before), in[static_cast<offset>(i)]);
      out[at] = std::move(before);
      return now;
    }
  }

  void publish(std::uint64_t block, Value value) {
    carry& its = carries_[block];
    std::construct_at(&its.held, std::move(value));
    // (6) release; pairs with (3): the value
    its.known.store(true, std::memory_order_release);
  }

  // Until the block's carry is known. False: the scan was given up.
  bool wait_for(const added_up& first) {
    constexpr unsigned looks_before_yield = 10000;
    for (unsigned looks = 0; carries_[first.block].value() == nullptr; ++looks) {
      // (7) relaxed; alone: as (1)
      if (given_up_.load(std::memory_order_relaxed)) return false;
      if (looks > looks_before_yield) std::this_thread::yield();
    }
    return true;
  }

  const In in_;
  const Out out_;
  const std::uint64_t elements_;
  const std::uint64_t length_;
  const std::uint64_t blocks_;
  const Value& identity_;
  operation<Combine> with_;
  const bool any_order_;
  std::unique_ptr<carry[]> carries_;
  alignas(64) std::atomic<std::uint64_t> next_{0};
  std::atomic<bool> given_up_{false};  // a worker throws, or a stop was requested
};

}  // namespace detail
}  // namespace v0
}  // namespace doall
