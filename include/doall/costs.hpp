// What the iterations of a loop cost: doall::cost, doall::weights, running sums, cost_table.
#pragma once

#include <doall/detail/language.hpp>

#include <doall/abi.h>
#include <doall/detail/block_costs.h>

#include <cinttypes>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace doall {
inline namespace v0 {

namespace detail {

template <class T>
concept arithmetic = std::is_arithmetic_v<T>;

class told_costs;

// The widest type of T's kind: what the runtime takes for T.
template <arithmetic T>
using widest =
    std::conditional_t<std::is_floating_point_v<T>, double,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

template <arithmetic T>
inline constexpr std::uint32_t kind_of =
    std::is_floating_point_v<T> ? std::uint32_t{DOALL_COSTS_REAL}
    : std::is_signed_v<T>       ? std::uint32_t{DOALL_COSTS_SIGNED}
                                : std::uint32_t{DOALL_COSTS_UNSIGNED};

// A function of the index, which it takes as either of the two types in which a loop may count.
template <class F>
concept cost_function =
    std::invocable<const F&, std::int64_t> && std::invocable<const F&, std::uint64_t> &&
    arithmetic<std::remove_cvref_t<std::invoke_result_t<const F&, std::int64_t>>>;

// How to call a function of the index for iteration i: with first + i stride.
struct cost_call {
  const void* function;
  std::uint64_t first;
  std::uint64_t stride;
  bool counts_signed;
};

// The content of a loop_costs.
struct described_costs {
  static constexpr std::size_t function_bytes = 48;

  doall_costs raw{
      sizeof(doall_costs), DOALL_COSTS_NONE, 0, 0, 0, 0, nullptr, nullptr, nullptr, nullptr};
  bool calls = false;  // the costs come from `function`
  alignas(std::max_align_t) std::byte function[function_bytes] = {};
};

// A function may take a narrower index, as a body may: the loop's indices fit in it.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
template <class F>
void write_calls(const doall_costs* self, std::uint64_t first, std::uint64_t stride,
                 std::uint64_t count, void* costs) noexcept {
  using cost = widest<std::remove_cvref_t<std::invoke_result_t<const F&, std::int64_t>>>;
  const auto& call = *static_cast<const cost_call*>(self->data);
  const F& f = *static_cast<const F*>(call.function);
  auto* const to = static_cast<cost*>(costs);
  for (std::uint64_t k = 0; k < count; ++k) {
    const std::uint64_t index = call.first + (first + k * stride) * call.stride;
    to[k] = call.counts_signed ? static_cast<cost>(f(static_cast<std::int64_t>(index)))
                               : static_cast<cost>(f(index));
  }
}
#pragma GCC diagnostic pop

template <class T>
void write_weights(const doall_costs* self, std::uint64_t first, std::uint64_t stride,
                   std::uint64_t count, void* costs) noexcept {
  const auto* const weights = static_cast<const T*>(self->data);
  auto* const to = static_cast<widest<T>*>(costs);
  for (std::uint64_t k = 0; k < count; ++k) {
    to[k] = static_cast<widest<T>>(weights[first + k * stride]);
  }
}

}  // namespace detail

// The costs of a loop's iterations, in any unit, for schedules that use costs: wsrw, best-static,
// and hybrid,costs. Pass them in loop_options, or in their place as a loop's last argument:
//
//   doall::parallel_for(0, n, body, doall::cost([&](auto i) { return degree[i]; }));
//   doall::parallel_for(0, n, body, doall::weights(degree));
//   doall::parallel_for(0, n, body, {.costs = offsets});   // running sums
//   doall::parallel_for(0, n, body, table);                // a cost_table
//
// A loop that names costs and no schedule runs by wsrw. The runtime makes running sums of them in
// parallel, before the loop, and keeps the sums for the next loop with the same costs. It
// recognises costs by their address, or the function's type, and by comparing 16 of them, spread
// over the loop. Where that is not enough, use generation() or a cost_table. Costs that have become
// wrong cost speed, never an answer.
//
// Costs that are negative, not a number, infinite, or too large to be added up in 64 bits are
// reported on standard error, once, and not used: wsrw runs as wsri, the others as without costs.
//
// A view, cheap to copy: what it refers to must stay as it is while the loop runs.
class loop_costs {
 public:
  // Unknown costs. Not defaulted: `{}` would clear the whole object, and loops without costs should
  // pay for a flag alone.
  constexpr loop_costs() noexcept {}

  // Running sums, never decreasing: iteration number i costs sums[i + 1] - sums[i], so there is one
  // more entry than iterations. The row offsets of a sparse matrix are such an array. Schedules
  // that deal contiguous pieces read it as it is.
  template <class Sums>
    requires std::convertible_to<const Sums&, std::span<const std::uint64_t>>
  loop_costs(const Sums& sums) {
    const std::span<const std::uint64_t> all = sums;
    if (all.empty()) return;
    doall_costs& raw = told_.emplace().raw;
    raw.kind = DOALL_COSTS_SUMS;
    raw.iterations = all.size() - 1;
    raw.data = raw.identity = all.data();
  }

  // The same costs, with a number that says whether they have changed: as long as the number and
  // the address stay the same, so do the costs. 0: not said.
  loop_costs generation(std::uint64_t number) const {
    loop_costs other = *this;
    if (other.told_) other.told_->raw.generation = number;
    return other;
  }

  // The same, for a body that does something only in the few iterations that pass a test. Its costs
  // say little, so wsrw gives way to wsri (COWS, Opt3).
  loop_costs guarded() const { return with_hint(DOALL_COSTS_GUARDED); }

  // The same, where all iterations cost the same: wsrw gives way to static (COWS, Opt2).
  loop_costs uniform() const { return with_hint(DOALL_COSTS_UNIFORM); }

  bool given() const { return told_.has_value(); }

  // Converts to options, so costs can be passed in their place (options.hpp).
  operator loop_options() const;

 private:
  friend class cost_table;
  template <detail::cost_function F>
  friend loop_costs cost(const F& function);
  template <std::ranges::contiguous_range Weights>
    requires std::ranges::borrowed_range<Weights> &&
             detail::arithmetic<std::ranges::range_value_t<Weights>>
  friend loop_costs weights(Weights&& weights);
  friend class detail::told_costs;

  loop_costs with_hint(std::uint32_t hint) const {
    loop_costs other = *this;
    if (!other.told_) other.told_.emplace();
    other.told_->raw.hints |= hint;
    return other;
  }

  std::optional<detail::described_costs> told_;
};

// Costs by a function of the index, cost(i), which returns a number. Several threads call it at
// once, before the loop; it must not throw. It is copied, so let it capture by reference, or little
// (48 bytes).
template <detail::cost_function F>
loop_costs cost(const F& function) {
  static_assert(std::is_trivially_copyable_v<F> &&
                    sizeof(F) <= detail::described_costs::function_bytes &&
                    alignof(F) <= alignof(std::max_align_t),
                "a cost function is copied: let it capture by reference, or pass std::ref(it)");
  using result = std::remove_cvref_t<std::invoke_result_t<const F&, std::int64_t>>;
  loop_costs made;
  detail::described_costs& told = made.told_.emplace();
  told.raw.kind = detail::kind_of<result>;
  told.raw.write = detail::write_calls<F>;
  told.raw.identity = reinterpret_cast<const void*>(told.raw.write);
  told.calls = true;
  std::construct_at(reinterpret_cast<F*>(told.function), function);
  return made;
}

// Costs one by one: an array with a number for each iteration.
template <std::ranges::contiguous_range Weights>
  requires std::ranges::borrowed_range<Weights> &&
           detail::arithmetic<std::ranges::range_value_t<Weights>>
loop_costs weights(Weights&& weights) {
  using weight = std::ranges::range_value_t<Weights>;
  loop_costs made;
  doall_costs& raw = made.told_.emplace().raw;
  raw.kind = detail::kind_of<weight>;
  raw.iterations = std::ranges::size(weights);
  raw.data = raw.identity = std::ranges::data(weights);
  raw.write = detail::write_weights<weight>;
  return made;
}

// All that is known of the costs is that they are uniform.
inline loop_costs uniform_costs() { return loop_costs().uniform(); }

// Costs that several loops share, or one loop that runs again and again. Call changed() when they
// change; the runtime compares nothing (COWS, Opt1).
//
//   doall::cost_table degrees(doall::cost([&](auto v) { return degree[v]; }));
//   while (...) doall::parallel_for(0, n, body, degrees);   // summed up once
//   ...
//   degrees.changed();
//
// The runtime keeps the sums, so a table is cheap. A copy is the same table until one of the two
// changes.
class cost_table {
 public:
  explicit cost_table(const loop_costs& costs) : costs_(costs) {
    changed();
    if (!costs_.told_) return;
    // Its own, so that two tables in turn both keep their sums; an address where no array is.
    const auto number = static_cast<std::uintptr_t>(costs_.told_->raw.generation);
    costs_.told_->raw.identity = reinterpret_cast<const void*>(0 - 2 * number);
  }

  // From now on the costs are different ones.
  void changed() {
    if (!costs_.told_) return;
    // The process's, for a variable here would be each library's, or would keep it loaded.
    std::uint64_t& last = doall_counts_here()->cost_tables;
    costs_.told_->raw.generation = 1 + __atomic_fetch_add(&last, 1, __ATOMIC_RELAXED);
  }

  operator loop_costs() const { return costs_; }
  operator loop_options() const;

 private:
  loop_costs costs_;
};

namespace detail {

// The costs of one loop in the form that the runtime takes. The loop's iterations are the indices
// first, first + stride, ...
class told_costs {
 public:
  // Throws std::invalid_argument unless there are as many costs as iterations.
  told_costs(const loop_costs& costs, std::uint64_t iterations, std::uint64_t first = 0,
             std::uint64_t stride = 1, bool counts_signed = false)
      : given_(costs.given()) {
    if (!given_) return;
    const described_costs& told = *costs.told_;
    check(told, iterations);
    raw_ = told.raw;
    raw_.iterations = iterations;
    // Nothing is compared: by a function a loop over other indices has other costs. The sums of
    // blocks, of which most loops have as many, are known by this, too.
    if (raw_.generation != 0) {
      raw_.identity =
          of_indices(raw_.identity, told.calls ? first : 0, told.calls ? stride : 1, iterations);
    }
    if (!told.calls) return;
    call_ = {told.function, first, stride, counts_signed};
    raw_.data = &call_;
  }
  told_costs(const told_costs&) = delete;
  told_costs& operator=(const told_costs&) = delete;

  // Null: unknown.
  const doall_costs* raw() const { return given_ ? &raw_ : nullptr; }

 private:
  static void check(const described_costs& told, std::uint64_t iterations) {
    const doall_costs& raw = told.raw;
    if (told.calls || raw.kind == DOALL_COSTS_NONE || raw.iterations == iterations) return;
    const bool sums = raw.kind == DOALL_COSTS_SUMS;
    // No string is put together in this header: the code of std::string would be in each plugin
    // that includes it, a libstdc++ that is loaded with the first plugin would call it there, and
    // so the plugin could not be unloaded. std::to_string() has a table of the same effect.
    char why[192];
    std::snprintf(why, sizeof why,
                  "doall: %s has %" PRIu64 " entries, expected %s the loop's %" PRIu64
                  " iterations; the loop was not run",
                  sums ? "costs" : "weights", raw.iterations + (sums ? 1 : 0),
                  sums ? "one more than" : "as many as", iterations);
    throw std::invalid_argument(why);
  }

  // The identity of the same costs of these indices alone. Mixed as by Fibonacci hashing; the
  // lowest bit stays, for it tells blocks' costs (block_costs.h).
  static const void* of_indices(const void* identity, std::uint64_t first, std::uint64_t stride,
                                std::uint64_t iterations) {
    if (identity == nullptr) return nullptr;
    std::uint64_t mixed = 0;
    for (const std::uint64_t one : {first, stride, iterations}) {
      mixed = (mixed ^ one) * 0x9e3779b97f4a7c15;
      mixed ^= mixed >> 32;
    }
    const auto as_number = reinterpret_cast<std::uintptr_t>(identity);
    return reinterpret_cast<const void*>(as_number ^
                                         (static_cast<std::uintptr_t>(mixed) & ~std::uintptr_t{1}));
  }

  bool given_;
  doall_costs raw_;
  cost_call call_;
};

// The costs of the indices of a loop whose schedule deals blocks of them: those that it was told,
// or that are named for it (doall.h). An empty loop takes what is named for it, too.
class index_costs {
 public:
  index_costs(const loop_costs& costs, std::uint64_t indices, std::uint64_t first = 0,
              bool counts_signed = false)
      : told_(costs, indices, first, 1, counts_signed), raw_(told_.raw()) {
    if (raw_ == nullptr && doall_loop_costs_take(&named_) != 0) raw_ = &named_;
  }
  index_costs(const index_costs&) = delete;
  index_costs& operator=(const index_costs&) = delete;

  // Null: unknown.
  const doall_costs* raw() const { return raw_; }

  // Of the cut's blocks, in `room`; null: unknown.
  const doall_costs* of_blocks(doall_block_costs& room, const doall_cut& cut) const {
    return doall_block_costs_make(&room, cut, raw_);
  }

 private:
  told_costs told_;
  doall_costs named_;
  const doall_costs* raw_;
};

// A loop that does without costs takes what is named for it, too.
inline void forget_named_costs() {
  doall_costs named;
  doall_loop_costs_take(&named);
}

}  // namespace detail

}  // namespace v0
}  // namespace doall
