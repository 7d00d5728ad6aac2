// OpenMP's internal control variables beyond those of a task (state.hpp): the process's own, from
// the environment, and the forms of the run-sched-var in OMP_SCHEDULE and as a number.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "omp/state.hpp"
#include "topology/places.hpp"

namespace doall::omp {

// One word that a variable may hold, and the value it stands for.
struct choice {
  std::string_view word;
  std::uint32_t value;
};

// Finds the choice of that word, in any case; null if there is none.
const choice* find_choice(std::span<const choice> among, std::string_view word);

// The words of OMP_PROC_BIND and OMP_TARGET_OFFLOAD, the usual one first.
std::span<const choice> bind_words();
std::span<const choice> offload_words();

// omp_get_supported_active_levels(). Inner regions are always correct, if only with a team of one.
// The number is libgomp's, which programs know.
inline constexpr std::uint32_t supported_active_levels = 255;

// The OMP_* variables of the process as a whole.
struct process_icvs {
  icvs first_task;
  thread_list threads_by_level;               // the list of OMP_NUM_THREADS; empty: no list
  std::vector<std::uint32_t> binds_by_level;  // OMP_PROC_BIND: one word, or a list
  bool lists_levels = false;                  // either is a list
  std::uint32_t workers = 1;  // that a nest of regions may use: the CPUs, or what the list comes to
  std::uint32_t max_task_priority = 0;
  // KMP_ENABLE_TASK_THROTTLING: whether a thread that has many tasks to share executes further ones
  // immediately.
  bool throttles_tasks = true;
  bool cancellation = false;             // cancel-var
  std::uint32_t teams = 0;               // nteams-var; 0: no limit
  std::uint32_t teams_thread_limit = 0;  // 0: none
  std::uint32_t target_offload = 0;
  std::vector<topology::place> places;  // place-partition-var; team::settings has the rule
  bool shows_affinity = false;          // OMP_DISPLAY_AFFINITY
  bool takes_places = false;            // threads are bound, or say where they are
  std::string affinity_format = "level %L thread %i affinity %A";
};

// Reads them at the first call, which is before the first worker is pinned; bad values warn then.
const process_icvs& process();

// What a task inherits in a region of that level (enclosing regions, including it) when the
// encountering task had `v`: if there is a list, the list's element. `list` is the num_threads
// clause's, null for the environment's; `bind` is the proc_bind clause, which counts if threads are
// bound at all; 0: none.
icvs at_level(icvs v, std::uint32_t level, const thread_list* list, std::uint32_t bind);

// Whether that may be anything but `v` itself.
bool differ_by_level(const icvs& v, const thread_list* list, std::uint32_t bind);

// As omp_sched_t: static, dynamic, guided and auto are the standard's 1 to 4. Any other entry of
// the registry is first_own_kind + its index there: entries are only ever appended, so that the
// numbers stay. monotonic_kind may be added to any.
inline constexpr std::uint32_t first_own_kind = 0x646c0000;
inline constexpr std::uint32_t monotonic_kind = 0x80000000;

// `auto` leaves the choice to doall, which takes the default of its own loops.
const schedules::entry& auto_schedule();

// The run-sched-var as omp_get_schedule() gives it. `chunk` is the schedule's positional parameter
// (the k of affinity); if that is not given, 1 for dynamic and guided, else 0. Other parameters
// (the k of guided) have no place in it.
struct kind_and_chunk {
  std::uint32_t kind;
  int chunk;
};
kind_and_chunk schedule_as_kind(const icvs& of);

// The same as LLVM's library has it: that static is monotonic goes without saying, and its own
// kinds have its numbers.
kind_and_chunk schedule_as_llvm_kind(const icvs& of);

// Sets the run-sched-var as omp_set_schedule() does; a chunk below 1 means the default. If there is
// no such kind, changes nothing and returns false.
bool set_schedule_by_kind(icvs& of, std::uint32_t kind, int chunk);

// Sets the run-sched-var from [monotonic:|nonmonotonic:]schedule, where schedule is `auto` or of
// doall's grammar. Without a modifier `static` is monotonic, nothing else is. Returns the error,
// empty when the text was taken.
std::string set_schedule_by_text(icvs& of, std::string_view text);

// The text that set_schedule_by_text() reads.
std::string schedule_as_text(const icvs& of);

}  // namespace doall::omp
