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
  remembers = 1U << 5,       // wants memory of the loop's last run
};

struct property_name {
  property value;
  std::string_view name;
};

std::span<const property_name> property_names();

// A parameter as the grammar has it: `key=value`, or bare when positional. Its
// value is a whole number from 1, or, if it has words, one of them: the first
// stands for 1, and so on. A word that is the default always counts as not given.
struct parameter {
  std::string_view key;
  u64 params::* field;
  bool positional;           // may be given as a bare number; these come first, in order
  std::string_view meaning;  // with its default; for tables and messages
  std::span<const std::string_view> words = {};
  std::string_view default_word = {};  // empty: the default depends
  bool alone = false;                  // its key alone stands for its last word
};

// What every schedule takes beside its own: order.
std::span<const parameter> common_parameters();

// A schedule's functions, for objects of object_bytes aligned to apart_bytes.
struct operations {
  void (*construct)(void* object, const loop_context& loop);
  chunk (*next)(void* object, worker w, feedback last);

  // next() for doors that can hand on only ranges without a stride. A chunk that
  // is not an ordinary one (none, strided, or the loop's last) goes to
  // at.otherwise().
  bool (*next_range)(range_walk& at, u64* first, u64* last);

  // Null for a schedule that ends by being forgotten.
  void (*finish)(void* object);

  // What its workers' claims that failed come to; null for a schedule without claims.
  u64 (*failed_claims)(const void* object, std::uint32_t workers) = nullptr;

  // How often its workers have tried to steal, successfully (chunks of origin::stolen) or not; null
  // where that is not counted.
  u64 (*steals_tried)(const void* object) = nullptr;
};

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
  u64 params::* costs_wanted = nullptr;  // null: uses_costs holds whatever is given; else where
                                         // this is at_equal_cost

  bool has(property p) const { return (properties & p) != 0; }
};

std::span<const entry> registry();

// What a loop gets that names no schedule: a native loop, and one that is too short to
// be balanced; an OpenMP loop of the
// kind runtime (dynamic with chunks of 1, as libgomp has it). And what an OpenMP
// loop gets that needs `monotonic` when its own schedule lacks it.
const entry& for_native_loops();
const entry& for_small_loops();
const entry& for_runtime_loops();
const entry& for_monotonic_loops();

// What a loop gets that names costs and no schedule; the same for costs that say too little, or
// are not known, and for a loop whose iterations all cost the same (COWS, Opt2 and Opt3), dealt one
// by one or, with a chunk, in blocks.
const entry& for_costed_loops();
const entry& for_guarded_loops();
const entry& for_uniform_loops();
const entry& for_uniform_blocks();

// What a native loop gets that is nested in another and names none that splits it.
const entry& for_nested_loops();

// What deals the chunks that dynamic deals for less, in any order.
const entry& for_nonmonotonic_loops();

// Whether the schedule is one block of the even partition (share_of) for each worker,
// so that no object of it is needed to say who runs what.
bool is_one_block_each(const entry& which, const params& given);

// Whether the schedule is hybrid, whose claims the stealing engine makes itself in a
// loop that is nested.
bool is_hybrid(const entry& which);

// By name or alias, in any case; null if there is none.
const entry* find(std::string_view name);

}  // namespace doall::schedules
