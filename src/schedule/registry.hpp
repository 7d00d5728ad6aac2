// The one list of schedules. The command line, the OpenMP door, tests, documents, benchmarks and
// reports enumerate it; no other list exists.
#pragma once

#include <span>
#include <string_view>

#include "schedule/dispatch.hpp"

namespace doall::schedules {

struct property_name {
  property value;
  std::string_view name;
  std::string_view meaning;
};

std::span<const property_name> property_names();

// What every schedule takes beside its own: order.
std::span<const parameter> common_parameters();

struct splitting_operations;  // splitting.hpp

struct entry {
  std::string_view name;
  std::span<const std::string_view> aliases;
  std::string_view paper;    // its key in REFERENCES.md
  std::string_view summary;  // one line
  std::span<const parameter> parameters;
  unsigned properties;  // of enum property

  operations forward;
  operations backward;                                 // order=reverse
  std::size_t (*memory_bytes)(std::uint32_t workers);  // null: it remembers nothing
  const splitting_operations* splits;                  // null: it is not of the property splitting
  int costs_if = description::always;                  // as in its description

  bool has(property p) const { return (properties & p) != 0; }
};

std::span<const entry> registry();

// Default schedules: of native loops; of native loops too short to be balanced; of OpenMP loops of
// the kind runtime (dynamic with chunks of 1, as in libgomp); and of OpenMP loops that need
// `monotonic` if their own schedule lacks it.
const entry& for_native_loops();
const entry& for_small_loops();
const entry& for_runtime_loops();
const entry& for_monotonic_loops();

// What `auto` is where compiled code runs one block a thread.
const entry& for_auto_blocks();
// The options by which either of `auto`'s two keeps what it has chosen.
params frozen_choices();

// Of the kind trapezoidal, which LLVM adds to OpenMP's.
const entry& for_trapezoidal_loops();

// Default schedules of loops that name costs: if the costs say enough; if they say too little, or
// are not known; and if all iterations cost the same (COWS, Opt2 and Opt3), dealt one by one or,
// with a chunk, in blocks.
const entry& for_costed_loops();
const entry& for_guarded_loops();
const entry& for_uniform_loops();
const entry& for_uniform_blocks();

// The schedule of a nested native loop that names no splitting schedule.
const entry& for_nested_loops();

// Deals the chunks that dynamic deals, in any order, at a lower cost.
const entry& for_nonmonotonic_loops();

// Whether a loop that asks for `dynamic`, in any order, is dealt by that one, at a third of the
// cost, or less. A loop of few chunks is not: its cost is small, and programs sort such iterations,
// the longest first, which only the common counter respects. Nor is a loop with too many chunks of
// the size asked for, nor one whose text says `monotonic`.
bool gains_from_any_order(const entry& which, const params& given, const loop_shape& shape);

// Whether the schedule deals each worker one block of the even partition (partition_of), so that
// dealing needs no object of it.
bool is_one_block_each(const entry& which, const params& given);
bool is_one_block_each(const entry& which);  // with no options given

// Whether it deals each worker at most one chunk, a block of the loop in increasing order.
bool deals_one_block(const entry& which, const params& given);

// Whether which iterations a worker is dealt does not depend on who asks when.
bool deals_by_worker(const entry& which);

// Whether the schedule is hybrid. In a nested loop the stealing engine makes hybrid's claims
// itself.
bool is_hybrid(const entry& which);

// Finds a schedule by name or alias, in any case; null if there is none.
const entry* find(std::string_view name);

}  // namespace doall::schedules
