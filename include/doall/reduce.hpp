// doall::parallel_reduce.
#pragma once

#include <doall/abi.h>
#include <doall/blocks.h>
#include <doall/detail/run.hpp>
#include <doall/options.hpp>
#include <doall/range.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <source_location>
#include <span>
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

// One Value for each block, in that memory.
template <class Value>
class views {
 public:
  views(std::uint64_t count, const Value& identity)
      : memory_(count * sizeof(Value), alignof(Value)),
        all_(static_cast<Value*>(memory_.memory()), count) {
    std::uninitialized_fill(all_.begin(), all_.end(), identity);
  }
  ~views() { std::destroy(all_.begin(), all_.end()); }
  views(const views&) = delete;
  views& operator=(const views&) = delete;
  Value& operator[](std::uint64_t block) { return all_[block]; }

 private:
  borrowed memory_;
  std::span<Value> all_;
};

}  // namespace detail

// Combines body(i) over every i in [first, last), or body(range) over parts of
// it, and returns the result; `identity` for an empty loop.
//
// combine(a, b) must be associative up to rounding, with identity as its neutral
// element; it need not be commutative, for operands keep their order. The result
// has the same bits for any number of threads and any schedule: [first, last) is
// cut into blocks whose number depends on its length alone (256, or one an index
// below that), a block is run by one worker, in order, and the blocks' results
// are combined in one fixed tree. Schedules deal blocks; the options' costs are
// one an index.
//
// Value: copyable. Exceptions as in parallel_for. A part of the sum is not the
// sum: when a requested stop keeps any index from being added, doall::stopped is
// thrown.
// Cost: as parallel_for, and one Value a block, in memory that the thread keeps
// for its next reduction. 256 Values of more than 4 KiB each are too much to keep:
// such a reduction allocates and frees.
template <loop_index First, loop_index Last, std::copyable Value, class Body, class Combine,
          class Index = std::common_type_t<First, Last>>
  requires loop_body<Body, Index> && std::invocable<Combine&, Value, Value>
Value parallel_reduce(First from, Last to, Value identity, Body&& body, Combine&& combine,
                      const loop_options& options = {},
                      const std::source_location& where = std::source_location::current()) {
  const auto first = static_cast<Index>(from);
  const std::uint64_t iterations = detail::count(first, static_cast<Index>(to));
  if (iterations == 0) {
    detail::cost_sums(0, options.costs);
    return identity;
  }
  const std::uint64_t blocks = doall_block_count(iterations);
  const detail::block_costs costs(iterations, options.costs);
  detail::views<Value> views(blocks, identity);

  const loop_end ended = detail::run(
      {blocks, costs.sums(), where}, options,
      [&](std::uint64_t block, std::uint64_t end, const auto& stop) {
        for (; block < end; ++block) {
          const std::uint64_t begin = doall_block_begin(iterations, block);
          const std::uint64_t last = doall_block_begin(iterations, block + 1);
          if constexpr (std::invocable<Body&, Index>) {
            Value sum = identity;
            for (std::uint64_t i = begin; i < last; ++i) {
              if (stop.stop_requested()) return loop_end::stopped;
              sum = combine(std::move(sum), body(detail::index_at(first, i)));
            }
            views[block] = std::move(sum);
          } else {
            if (stop.stop_requested()) return loop_end::stopped;
            views[block] =
                body(range<Index>(detail::index_at(first, begin), detail::index_at(first, last)));
          }
        }
        return loop_end::completed;
      });
  if (ended == loop_end::stopped) throw stopped();

  for (std::uint64_t apart = 1; apart < blocks; apart *= 2) {
    for (std::uint64_t left = 0; left + apart < blocks; left += 2 * apart) {
      views[left] = combine(std::move(views[left]), std::move(views[left + apart]));
    }
  }
  return std::move(views[0]);
}

}  // namespace v0
}  // namespace doall
