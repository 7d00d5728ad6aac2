// parallel_reduce and parallel_deterministic_reduce, by a body that joins and by functions.
#ifndef DOALL_COMPAT_PARALLEL_REDUCE_H
#define DOALL_COMPAT_PARALLEL_REDUCE_H

#include "detail/context.h"
#include "detail/parts.h"

#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

// The functional form as a body.
template <class Range, class Value, class Real, class Reduction>
class function_body {
 public:
  function_body(const Value& identity, const Real& real, const Reduction& reduction)
      : identity_(identity), real_(real), reduction_(reduction), value_(identity) {}
  function_body(function_body& left, split)
      : function_body(left.identity_, left.real_, left.reduction_) {}

  void operator()(Range& range) {
    if constexpr (std::is_invocable_v<const Real&, Range&, Value&&>)
      value_ = std::invoke(real_, range, std::move(value_));
    else
      value_ = std::invoke(real_, range, const_cast<const Value&>(value_));
  }
  void join(function_body& right) {
    if constexpr (std::is_invocable_v<const Reduction&, Value&&, Value&&>)
      value_ = std::invoke(reduction_, std::move(value_), std::move(right.value_));
    else
      value_ = std::invoke(reduction_, const_cast<const Value&>(value_),
                           const_cast<const Value&>(right.value_));
  }
  Value&& result() && { return std::move(value_); }

 private:
  const Value& identity_;
  const Real& real_;
  const Reduction& reduction_;
  Value value_;
};

// Bodies for the blocks of a loop but the first, which is the caller's. A worker splits one off for
// each stretch of blocks that it is dealt.
template <class Body>
class bodies {
 public:
  explicit bodies(std::uint64_t blocks)
      : all_(std::make_unique<place[]>(blocks)), blocks_(blocks) {}
  ~bodies() {
    for (std::uint64_t b = 0; b < blocks_; ++b) remove(b);
  }
  bodies(const bodies&) = delete;
  bodies& operator=(const bodies&) = delete;

  Body& split_off(std::uint64_t block, Body& from) {
    Body* const made = new (all_[block].memory) Body(from, split());
    all_[block].is_there = true;
    return *made;
  }
  void join_all(Body& into) {
    for (std::uint64_t b = 0; b < blocks_; ++b) {
      if (!all_[b].is_there) continue;
      into.join(at(b));
      remove(b);
    }
  }

 private:
  struct place {
    alignas(Body) unsigned char memory[sizeof(Body)];
    bool is_there = false;
  };
  Body& at(std::uint64_t b) { return *std::launder(reinterpret_cast<Body*>(all_[b].memory)); }
  void remove(std::uint64_t b) {
    if (std::exchange(all_[b].is_there, false)) at(b).~Body();
  }

  std::unique_ptr<place[]> all_;
  std::uint64_t blocks_;
};

template <class Range, class Body, class Partitioner>
void reduce(const Range& whole, Body& body, const Partitioner& by, task_group_context& context) {
  const parts_for<Range, Partitioner> all(whole);
  if (all.count() == 0) return;
  if (threads_here() == 1) {  // one body, in order
    return run_here(context, [&] {
      all.each(0, all.count(), context, [&](Range& part) { std::invoke(body, part); });
    });
  }
  // So that there are not more bodies than workers need.
  const std::uint64_t blocks = std::min(all.count(), parts_wanted());
  bodies<Body> others(blocks);
  run_loop(blocks, all.indices(), schedule_of(by), context,
           [&](std::uint64_t begin, std::uint64_t end) {
             Body& own = begin == 0 ? body : others.split_off(begin, body);
             all.each(share_of(begin, all.count(), blocks), share_of(end, all.count(), blocks),
                      context, [&](Range& part) { std::invoke(own, part); });
           });
  if (!context.is_cancelled_itself()) others.join_all(body);
}

// The tree of a range's halves, whoever runs what. `depth`: of so many levels both halves run at
// once.
template <class Range, class Body>
void reduce_tree(Range& r, Body& body, std::uint64_t depth, task_group_context& context) {
  if (context.is_group_execution_cancelled()) return;
  if (!r.is_divisible()) {
    std::invoke(body, r);
    return;
  }
  Range right(r, split());
  Body right_body(body, split());
  if (depth == 0) {
    reduce_tree(r, body, 0, context);
    reduce_tree(right, right_body, 0, context);
  } else {
    both([&] { reduce_tree(r, body, depth - 1, context); },
         [&] { reduce_tree(right, right_body, depth - 1, context); });
  }
  if (!context.is_group_execution_cancelled()) body.join(right_body);
}

// The same with one leaf for each of `leaves` threads.
template <class Range, class Body>
void reduce_leaves(Range& r, Body& body, std::size_t leaves, task_group_context& context) {
  if (context.is_group_execution_cancelled()) return;
  if (leaves == 1 || !r.is_divisible()) {
    std::invoke(body, r);
    return;
  }
  const std::size_t rights = leaves / 2;
  proportional_split share(leaves - rights, rights);
  Range right = [&] {
    if constexpr (std::is_constructible_v<Range, Range&, proportional_split&>)
      return Range(r, share);
    else
      return Range(r, split());
  }();
  Body right_body(body, split());
  both([&] { reduce_leaves(r, body, leaves - rights, context); },
       [&] { reduce_leaves(right, right_body, rights, context); });
  if (!context.is_group_execution_cancelled()) body.join(right_body);
}

template <class Range, class Body, class Partitioner>
void reduce_fixed(const Range& whole, Body& body, const Partitioner&, task_group_context& context) {
  if (whole.empty()) return;
  run_here(context, [&] {
    Range r(whole);
    if constexpr (std::is_same_v<Partitioner, static_partitioner>) {
      reduce_leaves(r, body, threads_here(), context);
    } else {
      std::uint64_t depth = 0;
      for (std::uint64_t p = 1; p < parts_wanted(); p *= 2) ++depth;
      reduce_tree(r, body, depth, context);
    }
  });
}

}  // namespace detail

#define DOALL_COMPAT_REDUCE(NAME, BY, PARAMETER, ARGUMENT)                                \
  template <class Range, class Body>                                                      \
  void NAME(const Range& range, Body& body PARAMETER) {                                   \
    task_group_context context;                                                           \
    detail::BY(range, body, ARGUMENT, context);                                           \
  }                                                                                       \
  template <class Range, class Body>                                                      \
  void NAME(const Range& range, Body& body PARAMETER, task_group_context& context) {      \
    detail::BY(range, body, ARGUMENT, context);                                           \
  }                                                                                       \
  template <class Range, class Value, class Real, class Reduction>                        \
  Value NAME(const Range& range, const Value& identity, const Real& real,                 \
             const Reduction& reduction PARAMETER) {                                      \
    task_group_context context;                                                           \
    detail::function_body<Range, Value, Real, Reduction> body(identity, real, reduction); \
    detail::BY(range, body, ARGUMENT, context);                                           \
    return std::move(body).result();                                                      \
  }                                                                                       \
  template <class Range, class Value, class Real, class Reduction>                        \
  Value NAME(const Range& range, const Value& identity, const Real& real,                 \
             const Reduction& reduction PARAMETER, task_group_context& context) {         \
    detail::function_body<Range, Value, Real, Reduction> body(identity, real, reduction); \
    detail::BY(range, body, ARGUMENT, context);                                           \
    return std::move(body).result();                                                      \
  }
#define DOALL_COMPAT_COMMA ,

DOALL_COMPAT_REDUCE(parallel_reduce, reduce, , auto_partitioner())
DOALL_COMPAT_REDUCE(parallel_reduce, reduce, DOALL_COMPAT_COMMA const auto_partitioner& by, by)
DOALL_COMPAT_REDUCE(parallel_reduce, reduce, DOALL_COMPAT_COMMA const simple_partitioner& by, by)
DOALL_COMPAT_REDUCE(parallel_reduce, reduce, DOALL_COMPAT_COMMA const static_partitioner& by, by)
DOALL_COMPAT_REDUCE(parallel_reduce, reduce, DOALL_COMPAT_COMMA affinity_partitioner& by, by)

// The same bits each time: the range's halves make one fixed tree (with static_partitioner one for
// each number of threads).
DOALL_COMPAT_REDUCE(parallel_deterministic_reduce, reduce_fixed, , simple_partitioner())
DOALL_COMPAT_REDUCE(parallel_deterministic_reduce, reduce_fixed,
                    DOALL_COMPAT_COMMA const simple_partitioner& by, by)
DOALL_COMPAT_REDUCE(parallel_deterministic_reduce, reduce_fixed,
                    DOALL_COMPAT_COMMA const static_partitioner& by, by)
#undef DOALL_COMPAT_REDUCE
#undef DOALL_COMPAT_COMMA

}  // namespace doall_v0
}  // namespace tbb

#endif
