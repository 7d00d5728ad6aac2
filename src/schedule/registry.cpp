#include "schedule/registry.hpp"

#include <algorithm>
#include <type_traits>

#include "base/env.hpp"
#include "schedule/adaptive_guided.hpp"
#include "schedule/affinity.hpp"
#include "schedule/affinity_last.hpp"
#include "schedule/auto.hpp"
#include "schedule/best_static.hpp"
#include "schedule/cyclic.hpp"
#include "schedule/dynamic.hpp"
#include "schedule/ebs_auto.hpp"
#include "schedule/ebs_simple.hpp"
#include "schedule/factoring.hpp"
#include "schedule/fine_grain.hpp"
#include "schedule/flat_splitting.hpp"
#include "schedule/guided.hpp"
#include "schedule/hybrid.hpp"
#include "schedule/lbs.hpp"
#include "schedule/lbs_innermost.hpp"
#include "schedule/lbs_plus.hpp"
#include "schedule/mod_factoring.hpp"
#include "schedule/reversed.hpp"
#include "schedule/serial_inner.hpp"
#include "schedule/static.hpp"
#include "schedule/static_steal.hpp"
#include "schedule/sws.hpp"
#include "schedule/tapering.hpp"
#include "schedule/trapezoid.hpp"
#include "schedule/wsr.hpp"
#include "schedule/wsri.hpp"
#include "schedule/wsrw.hpp"

namespace doall::schedules {
namespace {

// How many words a schedule's options are.
template <class S>
consteval std::size_t count_options() {
  if constexpr (requires { typename S::options; }) {
    return sizeof(typename S::options) / sizeof(u64);
  } else if constexpr (requires { typename S::rule; }) {
    return count_options<typename S::rule>();
  } else {
    return 0;
  }
}

// A copy here: see dispatch.hpp.
template <class S>
constexpr description described = S::about;

template <class S>
constexpr entry entry_of() {
  static_assert(count_options<S>() == S::about.parameters.size(),
                "struct options has a word for each of the parameters");
  const description& about = described<S>;
  entry e{about.name,       about.aliases,    about.paper,        about.summary,
          about.parameters, about.properties, operations_of<S>(), operations_of<reversed<S>>(),
          nullptr,          nullptr,          about.costs_if};
  if constexpr (requires(std::uint32_t workers) { S::memory_bytes(workers); }) {
    e.memory_bytes = S::memory_bytes;
  }
  if constexpr (requires { typename S::rule; }) {
    e.splits = &splitting_operations_of<typename S::rule>;
  }
  return e;
}

template <class... Schedules>
struct list {
  entry entries[sizeof...(Schedules)] = {entry_of<Schedules>()...};

  template <class S>
  static consteval std::size_t place_of() {
    constexpr bool is_it[] = {std::is_same_v<S, Schedules>...};
    return static_cast<std::size_t>(std::ranges::find(is_it, true) - is_it);
  }
};

// Programs may have been compiled with a schedule's place as its number (omp/schedule_kind.cpp):
// a new one goes to the end.
using all_schedules =
    list<static_blocks, dynamic, guided, trapezoid, affinity, cyclic, adaptive_guided, factoring,
         mod_factoring, tapering, affinity_last, best_static, static_steal, fine_grain, hybrid,
         flat_splitting<serial_inner>, flat_splitting<sws>, flat_splitting<ebs_simple>,
         flat_splitting<ebs_auto>, flat_splitting<lbs>, flat_splitting<lbs_plus>, wsr, wsri, wsrw,
         flat_splitting<lbs_innermost>, automatic, hybrid_published>;
constexpr all_schedules all{};

// A type that is not in the list does not compile.
template <class S>
constexpr const entry& the = all.entries[all_schedules::place_of<S>()];

constexpr few<std::string_view, 4> order_words = {"forward", "reverse"};
constexpr parameter for_all[] = {
    {.key = "order",
     .meaning = "forward, or reverse: the loop's last iterations first",
     .words = order_words,
     .default_word = "forward"},
};

constexpr property_name names[] = {
    {monotonic, "monotonic", "each worker's chunks come in increasing order"},
    {uses_costs, "uses_costs", "goes by what iterations cost, where that is given"},
    {adapts, "adapts", "goes by how long chunks take"},
    {keeps_affinity, "keeps_affinity",
     "an iteration has the same worker each time, if load allows"},
    {splitting, "splitting", "workers halve ranges of it; for loops inside of loops"},
    {remembers, "remembers", "keeps what it learnt in the loop's last run"},
};

}  // namespace

std::span<const property_name> property_names() { return names; }

std::span<const parameter> common_parameters() { return for_all; }

std::span<const entry> registry() { return all.entries; }

const entry& for_native_loops() { return the<automatic>; }
const entry& for_small_loops() { return the<fine_grain>; }
const entry& for_runtime_loops() { return the<dynamic>; }
const entry& for_monotonic_loops() { return the<dynamic>; }
const entry& for_auto_blocks() { return the<best_static>; }
params frozen_choices() {
  constexpr params kept = params::of(automatic::options{.frozen = stays_put});
  static_assert(kept == params::of(best_static::options{.frozen = stays_put}));
  return kept;
}
const entry& for_trapezoidal_loops() { return the<trapezoid>; }
const entry& for_costed_loops() { return the<wsrw>; }
const entry& for_guarded_loops() { return the<wsri>; }
const entry& for_uniform_loops() { return the<cyclic>; }
const entry& for_uniform_blocks() { return the<static_blocks>; }
const entry& for_nested_loops() { return the<flat_splitting<lbs>>; }
const entry& for_nonmonotonic_loops() { return the<static_steal>; }

bool gains_from_any_order(const entry& which, const params& given, const loop_shape& shape) {
  constexpr u64 chunks_each_least = 32;
  constexpr u64 chunks_most = u64{1} << 31;
  if (&which != &the<dynamic> || shape.workers == 1) return false;
  const auto asked = given.as<dynamic::options>();
  if (asked.monotonic != 0) return false;
  const u64 chunks = base::ceil_div(shape.iterations, std::max<u64>(asked.chunk, 1));
  return chunks >= chunks_each_least * shape.workers && chunks <= chunks_most;
}

bool is_one_block_each(const entry& which) {
  const auto deals = which.forward.next;
  return deals == next_of<static_blocks> || deals == next_of<fine_grain>;
}

bool is_one_block_each(const entry& which, const params& given) {
  return is_one_block_each(which) && given == params{};
}

bool deals_one_block(const entry& which, const params& given) {
  if (given.order == in_reverse) return false;
  return is_one_block_each(which, given) || which.forward.next == next_of<best_static>;
}

bool deals_by_worker(const entry& which) {
  const auto deals = which.forward.next;
  return deals == next_of<static_blocks> || deals == next_of<cyclic> ||
         deals == next_of<fine_grain> || deals == next_of<best_static>;
}

bool is_hybrid(const entry& which) { return which.forward.next == next_of<hybrid>; }

const entry* find(std::string_view name) {
  for (const entry& e : all.entries) {
    if (base::same_word(e.name, name)) return &e;
    for (std::string_view alias : e.aliases) {
      if (base::same_word(alias, name)) return &e;
    }
  }
  return nullptr;
}

}  // namespace doall::schedules
