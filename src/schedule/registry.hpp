// The one list of schedules. The command line, the OpenMP door, tests,
// documents, benchmarks and reports enumerate it; nobody lists them again.
#pragma once

#include <span>
#include <string_view>

#include "schedule/schedule.hpp"

namespace doall::schedules {

// What a schedule promises or wants, as a set.
enum property : unsigned {
  monotonic = 1U << 0,       // each worker's chunks come in increasing order (OpenMP's word)
  uses_costs = 1U << 1,      // asks for costs per iteration when there are any
  adapts = 1U << 2,          // reads `feedback`
  keeps_affinity = 1U << 3,  // an iteration has the same worker each time, if load allows
  splitting = 1U << 4,       // its unit is a range that workers halve, not a loop they share
};

struct property_name {
  property value;
  std::string_view name;
};

std::span<const property_name> property_names();

// A parameter as the grammar has it: `key=value`, or bare when positional.
struct parameter {
  std::string_view key;
  u64 params::* field;
  bool positional;           // may be given as a bare number after the name
  std::string_view meaning;  // with its default; for tables and messages
};

struct entry {
  std::string_view name;
  std::span<const std::string_view> aliases;
  std::string_view paper;    // its key in REFERENCES.md
  std::string_view summary;  // one line
  std::span<const parameter> parameters;
  unsigned properties;  // of enum property

  // `object` is object_bytes large and aligned to apart_bytes.
  void (*construct)(void* object, const loop_context& loop);
  chunk (*next)(void* object, worker w, feedback last);

  // next() for doors that can hand on only ranges without a stride. A chunk that
  // is not an ordinary one (none, strided, or the loop's last) goes to
  // at.otherwise().
  bool (*next_range)(range_walk& at, u64* first, u64* last);

  bool has(property p) const { return (properties & p) != 0; }
};

std::span<const entry> registry();

// What a loop gets that names no schedule: a native loop; an OpenMP loop of the
// kind runtime (dynamic with chunks of 1, as libgomp has it). And what an OpenMP
// loop gets that needs `monotonic` when its own schedule lacks it.
const entry& for_native_loops();
const entry& for_runtime_loops();
const entry& for_monotonic_loops();

// By name or alias, in any case; null if there is none.
const entry* find(std::string_view name);

}  // namespace doall::schedules
