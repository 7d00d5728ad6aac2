// doall::mpi::parallel_reduce.
//
// The blocks and the tree are those of a reduction on one machine (blocks.h), over the loop's
// global indices. Schedules deal blocks. A rank makes the values of the blocks that it runs; then
// all ranks exchange them, and each combines all of them along the tree. So the result depends
// neither on which rank ran which block nor on the number of ranks or threads.
#pragma once

#include <doall/blocks.h>
#include <doall/detail/block_costs.h>
#include <doall/detail/sums.hpp>
#include <doall/mpi/loop.hpp>
#include <doall/reduce.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <source_location>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace doall {
inline namespace v0 {
namespace mpi {

// How a Value that is not trivially copyable travels. Specialise it with
//
//   static void write(const Value& value, std::vector<std::byte>& to);   // appends
//   static Value read(std::span<const std::byte> from);                  // what write() appended
template <class Value>
struct serialise;

template <class T>
  requires std::is_trivially_copyable_v<T> && (!std::same_as<T, bool>)
struct serialise<std::vector<T>> {
  static void write(const std::vector<T>& value, std::vector<std::byte>& to) {
    const auto bytes = std::as_bytes(std::span(value));
    to.insert(to.end(), bytes.begin(), bytes.end());
  }
  static std::vector<T> read(std::span<const std::byte> from) {
    std::vector<T> value(from.size() / sizeof(T));
    if (!from.empty()) std::memcpy(value.data(), from.data(), from.size());
    return value;
  }
};

template <>
struct serialise<std::string> {
  static void write(const std::string& value, std::vector<std::byte>& to) {
    const auto bytes = std::as_bytes(std::span(value));
    to.insert(to.end(), bytes.begin(), bytes.end());
  }
  static std::string read(std::span<const std::byte> from) {
    return {reinterpret_cast<const char*>(from.data()), from.size()};
  }
};

namespace detail {

template <class Value>
concept serialisable = requires(const Value& value, std::vector<std::byte>& to) {
  serialise<Value>::write(value, to);
  { serialise<Value>::read(std::span<const std::byte>{}) } -> std::convertible_to<Value>;
};

// Makes all blocks' values of those that this rank has made.
template <class Value, class View>
void exchange_values(world& w, View* views, std::uint64_t blocks, const Value& identity) {
  if constexpr (std::is_trivially_copyable_v<Value>) {
    std::vector<std::byte> all(blocks * sizeof(Value));
    for (std::uint64_t b = 0; b < blocks; ++b) {
      if (views[b].made) std::memcpy(&all[b * sizeof(Value)], &views[b].sum, sizeof(Value));
    }
    door::exchange(w, all.data(), all.size());
    for (std::uint64_t b = 0; b < blocks; ++b) {
      if (!views[b].made) std::construct_at(&views[b].sum, identity);
      views[b].made = true;
      std::memcpy(static_cast<void*>(&views[b].sum), &all[b * sizeof(Value)], sizeof(Value));
    }
  } else {
    std::vector<std::byte> own;
    std::vector<std::uint64_t> lengths(blocks);
    for (std::uint64_t b = 0; b < blocks; ++b) {
      if (!views[b].made) continue;
      const std::size_t before = own.size();
      serialise<Value>::write(views[b].sum, own);
      lengths[b] = own.size() - before;
    }
    door::exchange(w, lengths.data(), blocks * sizeof(std::uint64_t));
    std::vector<std::size_t> begins(blocks + 1);
    for (std::uint64_t b = 0; b < blocks; ++b) begins[b + 1] = begins[b] + lengths[b];
    std::vector<std::byte> all(begins[blocks]);
    const std::byte* from = own.data();
    for (std::uint64_t b = 0; b < blocks; ++b) {
      if (!views[b].made || lengths[b] == 0) continue;
      std::memcpy(&all[begins[b]], from, lengths[b]);
      from += lengths[b];
    }
    door::exchange(w, all.data(), all.size());
    for (std::uint64_t b = 0; b < blocks; ++b) {
      if (views[b].made) continue;
      std::construct_at(
          &views[b].sum,
          serialise<Value>::read(std::span<const std::byte>(all).subspan(begins[b], lengths[b])));
      views[b].made = true;
    }
  }
}

}  // namespace detail

// Combines body(i) over every i in [first, last), or body(range) over parts of it, and returns the
// result on all ranks; `identity` for an empty loop. It has the same bits as doall::parallel_reduce
// on one machine, for any number of ranks and threads and any schedules. combine and the indices'
// types are as there. So is body, but it returns what it adds, and adds to no sum itself; and the
// identity is a value, not a function that makes one. Collective; see parallel_for (mpi.hpp) for
// options and errors. Throws mpi::stopped on all ranks when a stop kept any index from being added.
//
// Value: trivially copyable, or with a serialise<Value>; a std::vector of such and std::string have
// one. Cost: as parallel_for over at most 256 blocks, and one exchange of their values.
template <loop_index First, loop_index Last, std::copyable Value, class Body, class Combine,
          class Index = std::common_type_t<First, Last>>
  requires loop_body<Body, Index> && std::invocable<Combine&, Value, Value> &&
           (std::is_trivially_copyable_v<Value> || detail::serialisable<Value>)
Value parallel_reduce(world& w, First from, Last to, Value identity, Body&& body, Combine&& combine,
                      const loop_options& options = {},
                      const std::source_location& where = std::source_location::current()) {
  namespace base = doall::detail;
  using view = base::view<Value>;
  const auto first = static_cast<Index>(from);
  const std::uint64_t iterations = base::count(first, static_cast<Index>(to));
  const base::terms<Index, Value, Body, Combine> of{first, identity, body, combine};
  const doall_cut cut = doall_cut_of(iterations, sizeof(Value));
  base::views<view> all(cut.blocks + 1);
  view* const views = all.data();
  for (std::uint64_t b = 0; b < cut.blocks; ++b) views[b].made = false;

  const auto piece = [&](std::uint64_t begin, std::uint64_t end, const auto& stop) {
    for (std::uint64_t b = begin; b < end; ++b) {
      const std::uint64_t at = doall_cut_begin(cut, b);
      if (!of.add_up(at, at + doall_block_length(cut, b), stop, views[b])) return loop_end::stopped;
    }
    return loop_end::completed;
  };
  std::optional<base::told_costs> told;
  doall_block_costs of_blocks;
  const auto costs = [&]() -> const doall_costs* {
    told.emplace(options.costs, iterations, static_cast<std::uint64_t>(first), 1,
                 std::is_signed_v<Index>);
    return doall_block_costs_make(&of_blocks, cut, told->raw());
  };
  detail::call mine = detail::describe(detail::call_kind::reduction, where);
  mine.first = static_cast<std::uint64_t>(first);
  mine.iterations = cut.blocks;
  mine.indices = iterations;
  mine.value_bytes = sizeof(Value);
  if (detail::door::run(w, mine, options, options.costs.given(), costs, piece, where) ==
      loop_end::stopped) {
    throw stopped(w.stopped_by());
  }
  if (cut.blocks == 0) return identity;
  if (w.size() > 1) detail::exchange_values(w, views, cut.blocks, identity);
  typename base::fixed_order::whole<decltype(of), view> whole(of);
  for (std::uint64_t b = 0; b < cut.blocks; ++b) whole.add_chunk(b, b + 1, views + b);
  whole.combine();
  return std::move(views[0].sum);
}

}  // namespace mpi
}  // namespace v0
}  // namespace doall
