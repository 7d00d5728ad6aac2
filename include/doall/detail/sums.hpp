// What a reduction adds up: its operands, and how the sums of its blocks are combined in each
// order.
#pragma once

#include <doall/blocks.h>
#include <doall/detail/callee.hpp>
#include <doall/options.hpp>
#include <doall/range.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace doall {
inline namespace v0 {
namespace detail {

// Room for a Value that a worker makes. Before the loop only `made` is written, and only if Values
// must be destroyed.
template <class Value>
struct view {
  bool made;
  std::uint16_t chunk_end;  // of the chunk that begins at this block
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

// No piece that is given such a token is ever stopped.
template <class Stop>
concept never_stops = requires { requires !Stop::stop_requested(); };

// Whether what is passed as a reduction's identity is a function that makes it.
template <class Identity>
inline constexpr bool makes_identity = requires(const Identity& make) {
  { make() } -> std::movable;
};
template <class Identity>
struct value_of_identity {
  using type = Identity;
};
template <class Identity>
  requires makes_identity<Identity>
struct value_of_identity<Identity> {
  using type = std::remove_cvref_t<std::invoke_result_t<const Identity&>>;
};
template <class Identity>
using reduced = typename value_of_identity<Identity>::type;
// Adds an index, or a range of them, to a sum that begins as the identity.
template <class Body, class Index, class Value>
concept adds_index = std::invocable<Body&, Index, Value&>;
template <class Body, class Index, class Value>
concept adding_body = adds_index<Body, Index, Value> || std::invocable<Body&, range<Index>, Value&>;

// The operands of a reduction and its operation.
template <class Index, class Value, class Body, class Combine, class Identity = Value>
struct terms {
  Index first;
  const Identity& identity;
  callee_for<Body, Index, range<Index>> body;
  operation<Combine> with;

  Value neutral() const {
    if constexpr (makes_identity<Identity>)
      return identity();
    else
      return identity;
  }

  // Adds indices to a sum by a body that does so itself.
  void add_to(Value& sum, const range<Index>& mine) const
    requires(!loop_body<Body, Index>)
  {
    if constexpr (adds_index<Body, Index, Value>) {
      for (Index i = mine.first(); i < mine.last(); i = next_to(i)) body(Index{i}, sum);
    } else {
      body(range<Index>(mine), sum);
    }
  }

  // Makes the sum over indices [begin, end) in a view. False, and nothing is made, when a stop came
  // in between.
  template <class Stop>
  bool add_up(std::uint64_t begin, std::uint64_t end, const Stop& stop, view<Value>& in) const {
    const range<Index> mine = range_at(first, begin, end);
    // Adds up in a local: neighbouring views are other workers', and may share cache lines.
    if constexpr (std::invocable<Body&, Index>) {
      Value sum = neutral();
      for (Index i = mine.first(); i < mine.last(); i = next_to(i)) {
        if (stop.stop_requested()) return false;
        sum = with(std::move(sum), body(Index{i}));
      }
      std::construct_at(&in.sum, std::move(sum));
    } else if constexpr (!loop_body<Body, Index>) {
      if (stop.stop_requested()) return false;
      if constexpr (sizeof(Value) <= DOALL_SMALL_VALUE_BYTES) {
        Value sum = neutral();
        add_to(sum, mine);
        std::construct_at(&in.sum, std::move(sum));
      } else {  // in place: no other worker's is near
        ::new (static_cast<void*>(std::addressof(in.sum))) Value(neutral());
        in.made = true;  // it is to be destroyed if the body throws
        add_to(in.sum, mine);
      }
    } else {
      if (stop.stop_requested()) return false;
      // Not std::construct_at(), which would copy what the body returns.
      ::new (static_cast<void*>(std::addressof(in.sum))) Value(body(range<Index>(mine)));
    }
    in.made = true;
    return true;
  }

  // All of a loop that is not empty, by this thread, in one block.
  Value whole(std::uint64_t iterations) const {
    const range<Index> all = range_at(first, 0, iterations);
    if constexpr (std::invocable<Body&, Index>) {
      Value sum = neutral();
      for (Index i = all.first(); i < all.last(); i = next_to(i)) {
        sum = with(std::move(sum), body(Index{i}));
      }
      return sum;
    } else if constexpr (!loop_body<Body, Index>) {
      Value sum = neutral();
      add_to(sum, all);
      return sum;
    } else {
      return body(range<Index>(all));
    }
  }

  // Whether four sums, side by side, are in registers.
  static constexpr bool adds_up_fours = std::invocable<Body&, Index> &&
                                        std::is_trivially_copyable_v<Value> &&
                                        std::copyable<Value> && sizeof(Value) <= 2 * sizeof(double);

  // A block of that many indices.
  Value block(std::uint64_t begin, std::uint64_t length) const {
    Value sum = neutral();
    for (Index i = index_at(first, begin); length > 0; --length, i = next_to(i)) {
      sum = with(std::move(sum), body(Index{i}));
    }
    return sum;
  }

  // A block of so many indices, a number that the compiler knows, and nodes of such blocks.
  template <std::uint64_t Length>
  [[gnu::always_inline]] Value short_block(std::uint64_t begin) const {
    Value sum = with(neutral(), body(index_at(first, begin)));
    for (std::uint64_t next = 1; next < Length; ++next) {
      sum = with(std::move(sum), body(index_at(first, begin + next)));
    }
    return sum;
  }
  template <std::uint64_t Length>
  [[gnu::always_inline]] Value two_short(std::uint64_t begin) const {
    Value left = short_block<Length>(begin);
    Value right = short_block<Length>(begin + Length);
    return with(std::move(left), std::move(right));
  }
  template <std::uint64_t Length>
  [[gnu::always_inline]] Value four_short(std::uint64_t begin) const {
    Value left = two_short<Length>(begin);
    Value right = two_short<Length>(begin + 2 * Length);
    return with(std::move(left), std::move(right));
  }
  template <std::uint64_t Length>
  Value eight_short(std::uint64_t begin) const {
    Value left = four_short<Length>(begin);
    Value right = four_short<Length>(begin + 4 * Length);
    return with(std::move(left), std::move(right));
  }
  template <std::uint64_t Length>
  [[gnu::always_inline]] Value sixteen_short(std::uint64_t begin) const {
    Value a = four_short<Length>(begin);
    Value b = four_short<Length>(begin + 4 * Length);
    Value c = four_short<Length>(begin + 8 * Length);
    Value d = four_short<Length>(begin + 12 * Length);
    return combined(std::move(a), std::move(b), std::move(c), std::move(d));
  }

  // The node of four blocks of one length, which begin at index number `begin`. They are added up
  // side by side, since one sum alone would wait for each addition.
  Value node_of_four(std::uint64_t begin, std::uint64_t length) const {
    Index i = index_at(first, begin);
    Index j = index_at(first, begin + length);
    Index k = index_at(first, begin + 2 * length);
    Index l = index_at(first, begin + 3 * length);
    Value a = with(neutral(), body(Index{i}));
    Value b = with(neutral(), body(Index{j}));
    Value c = with(neutral(), body(Index{k}));
    Value d = with(neutral(), body(Index{l}));
    for (std::uint64_t left = length - 1; left > 0; --left) {
      i = next_to(i);
      j = next_to(j);
      k = next_to(k);
      l = next_to(l);
      a = with(std::move(a), body(Index{i}));
      b = with(std::move(b), body(Index{j}));
      c = with(std::move(c), body(Index{k}));
      d = with(std::move(d), body(Index{l}));
    }
    return combined(std::move(a), std::move(b), std::move(c), std::move(d));
  }

  // The node of sixteen of them. Of short blocks a loop over each would cost more than they.
  Value node_of_sixteen(std::uint64_t begin, std::uint64_t length) const {
    if (length == 1) return sixteen_short<1>(begin);
    if (length == 2) return sixteen_short<2>(begin);
    std::array<Value, 4> fours{neutral(), neutral(), neutral(), neutral()};
    for (Value& four : fours) {
      four = node_of_four(begin, length);
      begin += 4 * length;
    }
    auto& [a, b, c, d] = fours;
    return combined(std::move(a), std::move(b), std::move(c), std::move(d));
  }

  Value combined(Value a, Value b, Value c, Value d) const {
    Value left = with(std::move(a), std::move(b));
    Value right = with(std::move(c), std::move(d));
    return with(std::move(left), std::move(right));
  }

  void combine(view<Value>& left, view<Value>& right) const {
    left.sum = with(std::move(left.sum), std::move(right.sum));
    right.drop();
  }
};

template <class Type, class... Of>
inline constexpr bool is_one_of = (std::is_same_v<Type, Of> || ...);

// Arithmetic modulo a power of two. bool has another: any number but 0 becomes 1.
template <class Type>
inline constexpr bool is_modular = std::is_integral_v<Type> && !std::is_same_v<Type, bool>;

// What each_element() makes (reduce.hpp).
template <class Operation>
struct by_elements {
  Operation with;

  template <class Element, std::size_t Count>
  std::array<Element, Count> operator()(std::array<Element, Count> a,
                                        const std::array<Element, Count>& b) const {
    for (std::size_t i = 0; i < Count; ++i) a[i] = std::invoke(with, a[i], b[i]);
    return a;
  }
};

template <class Value, class Combine>
inline constexpr bool combines_modular =
    is_modular<Value> &&
    is_one_of<std::remove_cvref_t<Combine>, std::plus<>, std::multiplies<>, std::bit_and<>,
              std::bit_or<>, std::bit_xor<>, std::plus<Value>, std::multiplies<Value>,
              std::bit_and<Value>, std::bit_or<Value>, std::bit_xor<Value>>;

// The same of arrays, element by element.
template <class Value, class Combine>
inline constexpr bool combines_elements = false;
template <class Element, std::size_t Count, class Operation>
inline constexpr bool combines_elements<std::array<Element, Count>, by_elements<Operation>> =
    combines_modular<Element, Operation>;

// Whether a reduction gives the same bits in any order, as types tell. They do not where a double
// is added to an int, which is cut at each addition; nor of a body that takes a range, and may do
// the like with its indices, unless each_element() promises that it does not.
template <class Index, class Value, class Body, class Combine>
constexpr bool is_same_in_any_order() {
  if constexpr (combines_elements<Value, std::remove_cvref_t<Combine>>) {
    return true;
  } else if constexpr (std::invocable<Body&, Index>) {
    return combines_modular<Value, Combine> &&
           is_modular<std::remove_cvref_t<std::invoke_result_t<Body&, Index>>>;
  } else {
    return false;
  }
}

// An order's add() adds up blocks [begin, end) of a chunk that began at block `first`, and leaves
// nodes, below `top`. False when a stop came in between. Its `whole` is then given the nodes of all
// chunks, from left to right, and leaves the result in the first node of the first chunk.

// The same order for any chunks: along the tree of blocks.h.
struct fixed_order {
  template <class Terms, class Stop, class View>
  static bool add(const Terms& of, const doall_cut& cut, std::uint64_t first, std::uint64_t begin,
                  std::uint64_t end, const Stop& stop, View*& top) {
    std::uint64_t from = doall_cut_begin(cut, begin);
    for (std::uint64_t block = begin, width = 1; block < end; block += width) {
      const std::uint64_t length = doall_block_length(cut, block);
      width = 1;
      if constexpr (Terms::adds_up_fours && never_stops<Stop>) {
        if (is_node(cut, block, 16, end)) {
          width = 16;
          std::construct_at(&top->sum, of.node_of_sixteen(from, length));
        } else if (is_node(cut, block, 4, end)) {
          width = 4;
          std::construct_at(&top->sum, of.node_of_four(from, length));
        }
        top->made = width != 1;
      }
      if (width == 1 && !of.add_up(from, from + length, stop, *top)) return false;
      ++top;
      for (auto n = doall_nodes_completed(first, block + width, width); n > 0; --n, --top) {
        of.combine(top[-2], top[-1]);
      }
      from += width * length;
    }
    return true;
  }

  // Whether that many blocks, a power of two, from that one on, are a node and of one length.
  static bool is_node(const doall_cut& cut, std::uint64_t block, std::uint64_t width,
                      std::uint64_t end) {
    return block % width == 0 && end - block >= width &&
           doall_block_length(cut, block) == doall_block_length(cut, block + width - 1);
  }

  template <class Terms, class View>
  class whole {
   public:
    explicit whole(const Terms& of) : of_(of) {}

    void add_chunk(std::uint64_t begin, std::uint64_t end, View* nodes) {
      for (std::uint64_t first = begin, width = 0; first < end; first += width) {
        width = doall_node_width(first, end);
        stack_[size_++] = nodes++;
        for (auto n = doall_nodes_completed(0, first + width, width); n > 0; --n) combine_last();
      }
    }
    void combine() {
      while (size_ > 1) combine_last();
    }

   private:
    void combine_last() {
      --size_;
      of_.combine(*stack_[size_ - 1], *stack_[size_]);
    }

    const Terms& of_;
    std::array<View*, DOALL_MOST_NODES> stack_;
    std::size_t size_ = 0;
  };
};

// Any order: a chunk is added up in one go, across its blocks, so that a nested reduction that is
// not split costs no more than its loop. Operands keep their order.
struct any_order {
  template <class Terms, class Stop, class View>
  static bool add(const Terms& of, const doall_cut& cut, std::uint64_t first, std::uint64_t begin,
                  std::uint64_t end, const Stop& stop, View*& top) {
    if (!of.add_up(doall_cut_begin(cut, begin), doall_cut_begin(cut, end), stop, *top))
      return false;
    if (begin == first) {
      ++top;
    } else {
      of.combine(top[-1], *top);
    }
    return true;
  }

  template <class Terms, class View>
  class whole {
   public:
    explicit whole(const Terms& of) : of_(of) {}

    void add_chunk(std::uint64_t, std::uint64_t, View* node) {
      if (first_ == nullptr) {
        first_ = node;
      } else {
        of_.combine(*first_, *node);
      }
    }
    void combine() {}

   private:
    const Terms& of_;
    View* first_ = nullptr;
  };
};

}  // namespace detail
}  // namespace v0
}  // namespace doall
