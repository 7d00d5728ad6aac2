// doall: parallel loops for C++20.
//
//   #include <doall/doall.hpp>
//
//   doall::parallel_for(0, n, [&](int i) { y[i] = a * x[i] + y[i]; });
//   double dot = doall::parallel_reduce(0, n, 0.0, [&](int i) { return x[i] * y[i]; },
//                                       std::plus<>{});
//
// Link with -ldoall. The threads are the process's one set, shared with OpenMP
// code that runs on doall. A loop started inside a loop, or while another
// thread's loop has the workers, runs on its caller alone.
#pragma once

#include <doall/schedule.hpp>

#include <atomic>
#include <concepts>
#include <cstdint>
#include <exception>
#include <functional>
#include <source_location>
#include <type_traits>
#include <utility>
#include <vector>

namespace doall {
inline namespace v0 {

// What a loop may count in: an integer of at most 64 bits.
template <class T>
concept loop_index = std::integral<T> && sizeof(T) <= sizeof(std::uint64_t);

// Consecutive indices first, first + 1, ..., last - 1; never empty when a body
// gets it. For bodies that set something up once a piece, or that vectorise.
template <loop_index Index>
class range {
 public:
  class iterator {
   public:
    using value_type = Index;
    using difference_type = std::ptrdiff_t;
    explicit iterator(Index at = 0) : at_(at) {}
    Index operator*() const { return at_; }
    iterator& operator++() {
      ++at_;
      return *this;
    }
    iterator operator++(int) { return iterator(at_++); }
    bool operator==(const iterator&) const = default;

   private:
    Index at_;
  };

  range(Index first, Index last) : first_(first), last_(last) {}
  Index first() const { return first_; }
  Index last() const { return last_; }
  std::uint64_t size() const {
    return static_cast<std::uint64_t>(last_) - static_cast<std::uint64_t>(first_);
  }
  iterator begin() const { return iterator(first_); }
  iterator end() const { return iterator(last_); }

 private:
  Index first_;
  Index last_;
};

// A body takes one index, or a range of them.
template <class Body, class Index>
concept loop_body = std::invocable<Body&, Index> || std::invocable<Body&, range<Index>>;

namespace detail {

// Index number `offset` of a loop from `first`: modulo 2^64, so that a loop from
// the least to the greatest value of a signed type is right as well.
template <loop_index Index>
Index index_at(Index first, std::uint64_t offset) {
  return static_cast<Index>(static_cast<std::uint64_t>(first) + offset);
}

template <loop_index Index>
std::uint64_t count(Index first, Index last) {
  return first < last ? static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) : 0;
}

// Calls a piece of the loop; the first exception of any piece is kept for the
// caller and stops the loop.
template <class Piece>
struct guarded {
  Piece& piece;
  std::atomic_flag failed = ATOMIC_FLAG_INIT;
  std::exception_ptr first_failure;

  // A doall_body.
  static int run(void* self_pointer, std::uint64_t begin, std::uint64_t end, std::uint64_t step,
                 std::uint32_t) noexcept {
    auto& self = *static_cast<guarded*>(self_pointer);
    try {
      if (step == 1) {
        self.piece(begin, end);
      } else {
        for (std::uint64_t i = begin; i < end; i = end - i <= step ? end : i + step) {
          self.piece(i, i + 1);
        }
      }
      return 0;
    } catch (...) {
      if (!self.failed.test_and_set()) self.first_failure = std::current_exception();
      return 1;
    }
  }
};

// Runs piece(begin, end) over parts of [0, iterations).
template <class Piece>
void run(std::uint64_t iterations, Piece&& piece, const schedule& how,
         const std::source_location& where) {
  guarded<std::remove_reference_t<Piece>> body{piece, {}, {}};
  const doall_loop loop{
      sizeof(doall_loop), where.line(),      iterations,           body.run, &body,
      how.raw(),          where.file_name(), where.function_name()};
  if (doall_run(&loop) != 0) std::rethrow_exception(body.first_failure);
}

}  // namespace detail

// Runs body(i) for every i in [first, last), or body(range) on parts of it that
// together are [first, last), in parallel, and returns when all have run.
//
// Index: the common type of first and last, as in a comparison of them (so 0 to
// v.size() is right); last <= first is an empty loop. body is called by
// several threads at once and must not care about the order. The first exception
// that leaves a body is rethrown here; the rest of the loop is then given up,
// each worker after the chunk it is in. `how` says who runs what (schedule.hpp);
// `where` names the loop in reports.
//
// Cost: one release and one join of the workers, plus the schedule's own; the
// table of `doall schedules` names the papers.
template <loop_index First, loop_index Last, class Body,
          class Index = std::common_type_t<First, Last>>
  requires loop_body<Body, Index>
void parallel_for(First from, Last to, Body&& body, const schedule& how = {},
                  const std::source_location& where = std::source_location::current()) {
  const auto first = static_cast<Index>(from);
  const auto last = static_cast<Index>(to);
  detail::run(
      detail::count(first, last),
      [&](std::uint64_t begin, std::uint64_t end) {
        if constexpr (std::invocable<Body&, Index>) {
          for (std::uint64_t i = begin; i < end; ++i) body(detail::index_at(first, i));
        } else {
          body(range<Index>(detail::index_at(first, begin), detail::index_at(first, end)));
        }
      },
      how, where);
}

// Combines body(i) over every i in [first, last), or body(range) over parts of
// it, and returns the result; `identity` for an empty loop.
//
// combine(a, b) must be associative up to rounding, with identity as its neutral
// element; it need not be commutative, for operands keep their order. The result
// has the same bits for any number of threads and any schedule: [first, last) is
// cut into blocks whose number depends on its length alone (256, or one an index
// below that), a block is run by one worker, in order, and the blocks' results
// are combined in one fixed tree.
//
// Value: copyable. Exceptions as in parallel_for.
// Cost: as parallel_for, and one Value a block.
template <loop_index First, loop_index Last, std::copyable Value, class Body, class Combine,
          class Index = std::common_type_t<First, Last>>
  requires loop_body<Body, Index> && std::invocable<Combine&, Value, Value>
Value parallel_reduce(First from, Last to, Value identity, Body&& body, Combine&& combine,
                      const schedule& how = {},
                      const std::source_location& where = std::source_location::current()) {
  const auto first = static_cast<Index>(from);
  const auto last = static_cast<Index>(to);
  const std::uint64_t iterations = detail::count(first, last);
  if (iterations == 0) return identity;
  constexpr std::uint64_t most_blocks = 256;
  const std::uint64_t blocks = iterations < most_blocks ? iterations : most_blocks;
  // The first `longer` blocks have one iteration more than the others.
  const std::uint64_t length = iterations / blocks;
  const std::uint64_t longer = iterations % blocks;
  const auto start = [&](std::uint64_t b) { return b * length + (b < longer ? b : longer); };

  struct view {  // of its own, so that vector<bool> does not pack several in a word
    Value value;
  };
  std::vector<view> views(blocks, view{identity});
  detail::run(
      blocks,
      [&](std::uint64_t block, std::uint64_t end) {
        for (; block < end; ++block) {
          if constexpr (std::invocable<Body&, Index>) {
            Value sum = identity;
            for (std::uint64_t i = start(block); i < start(block + 1); ++i) {
              sum = combine(std::move(sum), body(detail::index_at(first, i)));
            }
            views[block].value = std::move(sum);
          } else {
            views[block].value = body(range<Index>(detail::index_at(first, start(block)),
                                                   detail::index_at(first, start(block + 1))));
          }
        }
      },
      how, where);

  for (std::uint64_t apart = 1; apart < blocks; apart *= 2) {
    for (std::uint64_t left = 0; left + apart < blocks; left += 2 * apart) {
      views[left].value =
          combine(std::move(views[left].value), std::move(views[left + apart].value));
    }
  }
  return std::move(views[0].value);
}

}  // namespace v0
}  // namespace doall
