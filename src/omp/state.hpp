// The OpenMP state of each thread: the implicit task that it runs, and the task's region.
//
// A `region` is one execution of a parallel construct. Every thread is always in one; outside any
// construct, in an implicit region of one thread. A `task_state` is one implicit task of a region.
// It lives on the stack of the thread that runs it, and points to the one that it interrupts, so
// nesting needs no bookkeeping of its own.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "barrier/full_barrier.hpp"
#include "barrier/tree_barrier.hpp"
#include "costs/loop_costs.hpp"
#include "loops/loop_cursor.hpp"
#include "omp/compiled_loop.hpp"
#include "omp/held_blocks.hpp"
#include "omp/static_tls.hpp"
#include "omp/team_places.hpp"
#include "park/futex_lock.hpp"
#include "schedule/grammar.hpp"
#include "tasks/executor.hpp"
#include "threads/pool.hpp"

namespace doall::omp {

using namespace tasks;
using park::futex_lock;

// The modifier of the run-sched-var.
enum class run_modifier : std::uint8_t { none, monotonic, nonmonotonic };

// OpenMP's internal control variables that belong to a task and are inherited.
struct icvs {
  std::uint32_t threads = 1;            // nthreads-var
  std::uint32_t max_active_levels = 1;  // max-active-levels-var
  std::uint32_t thread_limit = 0x7fffffff;
  std::int32_t default_device = 0;
  std::uint32_t place = 0;       // proc-bind-var, as omp_proc_bind_t
  std::uintptr_t allocator = 1;  // def-allocator-var: omp_default_mem_alloc
  bool dynamic = false;          // dyn-var
  run_modifier run_order = run_modifier::none;
  bool run_order_named = false;     // else it goes with the kind
  schedules::spec run_schedule;     // run-sched-var
  bool run_schedule_named = false;  // by OMP_SCHEDULE or the program; else it is the door's usual

  bool operator==(const icvs&) const = default;
};

// The list of OMP_NUM_THREADS, or of a clause num_threads(a, b, ...) of a region at that level: its
// first number is for that region, the next ones for those inside it, level by level, and the last
// for whatever is deeper.
struct thread_list {
  std::uint32_t level = 1;
  std::vector<std::uint32_t> numbers{};

  // nthreads-var in a region at `at`, a level from `level` - 1 on, if the list changes it there.
  const std::uint32_t* inside(std::uint32_t at) const {
    const std::size_t i = at + 1 - level;
    return i < numbers.size() ? &numbers[i] : nullptr;
  }
};

// What a worksharing construct keeps beside its loop: for `ordered`, doacross and the compiler's
// own use. One for each slot of the region's loop ring.
struct alignas(base::apart_bytes) loop_extra {
  sync::atomic<std::uint64_t> in_order{0};  // iterations whose chunks are complete, in order
  park::gate turn;                          // where workers wait for their turn
  futex_lock turn_lock;                     // with cancellation: held by the one whose turn it is
  struct doacross* cross = nullptr;         // src/omp/doacross.hpp; null: no such loop
  void* scratch = nullptr;                  // zeroed, shared by the team, of the size asked
  costs::kept_costs* costs = nullptr;       // that it has borrowed
  std::uintptr_t* reductions = nullptr;     // the first worker's task reductions
  struct nest_flags* nest = nullptr;        // src/omp/llvm/doacross.cpp; null: no such loop
};

// The place of a loop among those that a region has in flight.
struct loop_place {
  team::loop_ring* ring = nullptr;
  loop_extra* extra = nullptr;
  std::uint64_t number = 0;
};

struct task_state;
struct deeper_loops;
struct nest_flags;

// What runs a region's loops for which nobody names a schedule (unnamed_loops.hpp).
enum class unnamed_choice : std::uint8_t {
  compiled,   // what the compiler would: they are static
  too_short,  // the same, since they would gain too little by `auto`
  by_auto
};

struct region : team_host {
  region();
  virtual ~region();
  region(const region&) = delete;
  region& operator=(const region&) = delete;

  std::uint32_t size = 1;          // team size
  std::uint32_t level = 0;         // enclosing parallel regions, including this one
  std::uint32_t active_level = 0;  // those of them with more than one thread
  task_state* parent = nullptr;    // the encountering task; null outermost
  task_state* around = nullptr;    // of a target region: the encountering task, of another group
  icvs settings;                   // of its implicit tasks, at first
  const thread_list* threads_inside = nullptr;  // by a clause, of it or around it; null: by none
  std::unique_ptr<const thread_list> own_list;  // of its own clause, or of an earlier one
  std::uint32_t workers = 1;                    // threads taken for it; more than size: domains'
  std::uint32_t pool = 0;                       // whose they are, when there are several
  sync::atomic<park::spin_bound> spins{};
  std::uintptr_t* reductions = nullptr;  // task reductions of the parallel construct
  task_team* tasks;                      // its own, task_team.hpp

  team::loop_ring* loops = nullptr;  // null until a team of one meets a loop
  loop_extra* extras = nullptr;      // loops->depth() of them
  // Where those of a team of one live, and of one that has needed a deeper ring than its pool's.
  std::unique_ptr<team::loop_ring> own_loops;
  std::unique_ptr<loop_extra[]> own_extras;
  sync::atomic<deeper_loops*> deeper{nullptr};  // where loops lie that `loops` has no room for
  std::uint64_t first_loop = 0;                 // number of the first loop met in it
  std::uint64_t first_single = 0;
  bool one_loop = false;               // it is a combined parallel loop, number first_loop
  const doall_costs* costs = nullptr;  // of its first loop, as named before it; null: none were
  bool one_a_domain = false;           // its threads are the first workers of a domain each
  bool timed = false;                  // its threads time their waits in barriers
  bool takes_places = false;           // its threads are bound, or print where they are
  bool deals_static = false;           // its steerable static loops go through the ring
  unnamed_choice unnamed = unnamed_choice::compiled;    // what runs them, unless they are steered
  observe::reason unnamed_why = observe::reason::none;  // if that is frozen
  held_blocks static_blocks;                            // if they go through it: how they are cut
  team_places places;                                   // of its threads

  const void* code = nullptr;         // what a report knows it by; null: there is none
  observe::site* counted = nullptr;   // null: its workers count nothing
  observe::tally* tallies = nullptr;  // then: `size` of them

  region* next_spare = nullptr;  // of spare_regions, and how many there are from it on
  std::uint32_t spares = 0;      // likewise
  std::uint64_t generation = 0;  // of the threads in it
  bool forked = false;           // this is the child of a fork in it: one of its threads is left
  barrier::full_barrier barrier;
  barrier::tree_barrier tree_barrier;  // instead, unless `meeting` is flat
  barrier::tree meeting = barrier::tree::flat();
  std::uint32_t first_slot = 0;                                       // of the team, in `meeting`
  alignas(base::apart_bytes) sync::atomic<std::uint64_t> singles{0};  // taken so far
  void* copied = nullptr;                        // what `single copyprivate` hands round
  std::uint64_t copied_in = 0;                   // by that single, as threads count them
  std::unique_ptr<void*[]> reduced;              // LLVM's ABI: each thread's values
  sync::atomic<std::uint32_t> inner_threads{0};  // at work in teams inside it

  // How its threads spin before they sleep. In turns once a region inside it has found too few
  // CPUs.
  park::spin_bound spin() const final {
    // (1) relaxed; alone: how to wait
    return spins.load(sync::relaxed);
  }
  void set_spin(park::spin_bound how) {
    // (2) relaxed; alone: as (1)
    if (spin() != how) spins.store(how, sync::relaxed);
  }

  bool is_alone() const final { return forked; }
  void wake_barrier() final;
  void help(std::uint32_t index) final;
};

// The worksharing construct that a thread is in.
struct workshare {
  team::loop_cursor cursor;
  schedules::numbering source;   // of an ordered loop
  std::uint64_t iterations = 0;  // likewise; and of a loop that the thread has `alone`
  loop_place at;
  // Of an ordered loop: the chunk in hand. Of sections that the thread has `alone`: the next one.
  std::uint64_t chunk_begin = 0;
  std::uint64_t chunk_end = 0;
  bool ordered = false;
  // The region was cancelled before the thread got in: it has no iterations, and a scratch alone.
  bool given_up = false;
  struct free_memory {
    void operator()(void* memory) const { std::free(memory); }
  };
  std::unique_ptr<void, free_memory> own_scratch;
  bool has_turn = false;  // the chunk in hand is the first incomplete one
  // The next section of a construct that the thread has alone, from 1; 0: none is left.
  std::uint64_t next_alone() { return chunk_begin < iterations ? ++chunk_begin : 0; }
  bool waits_for_turn() const { return ordered && !has_turn; }
  bool excludes = false;  // and the thread holds the lock of turns
  bool alone = false;     // the thread has its part of the loop without the ring

  std::uint64_t lower = 0;      // LLVM's ABI: how a loop whose chunks are asked for counts
  std::uint64_t increment = 1;  // likewise
  bool dispatched = false;      // likewise: the thread has not been told of its end
  // LLVM's ABI: a static loop whose bounds come from the loop ring, until the thread leaves it.
  enum static_loop : std::uint8_t { not_here, nothing, block };
  static_loop dealt = not_here;
  compiled_start says;         // likewise: of the loop that the thread begins next
  nest_flags* nest = nullptr;  // of the doacross loop that it is in (llvm/doacross.cpp)
  bool nest_alone = false;     // it is in one, as the one thread of its team, which needs none
  loop_place nest_at;          // that holds them
};

// `index` is omp_get_thread_num().
struct task_state : executor {
  region* team;

  // Of the current task: the region's until it changes them, so that tasks inherit them for
  // nothing.
  const icvs& settings() const {
    return own != nullptr ? *static_cast<const icvs*>(own.get()) : team->settings;
  }
  // Those that are its alone to change; null: it has none yet.
  icvs* own_settings() const { return own_is_shared ? nullptr : static_cast<icvs*>(own.get()); }
  icvs& change_settings() {
    if (own_settings() == nullptr) [[unlikely]]
      have_own_settings();
    return *own_settings();
  }

  std::uint64_t next_loop = 0;     // number of the next loop it meets
  std::uint64_t loops_over = 0;    // team::arrival::over
  deeper_loops* deeper = nullptr;  // where its loops lie; null: in the region's ring
  std::uint64_t next_single = 0;
  std::uint64_t unnamed_loops = 0;  // that it has met (unnamed_loops.hpp)
  bool blocks_open = false;         // since its last barrier: a loop that another may rely on
  workshare loop;

  // LLVM's ABI: how the reduction that it is in is combined (llvm/reduce.cpp).
  enum combining : std::uint8_t { alone, under_lock, by_atomics, by_first_thread };
  combining reducing = alone;

  bool meets_all = false;  // in its next barrier, see meet_all()

  std::uint64_t waited_ticks = 0;  // in barriers, when a report is wanted
  std::uint32_t team_number = 0;   // of a `teams` construct on the host
  std::uint32_t team_count = 1;
  const team_places* league = nullptr;  // of its teams' initial tasks; null: it gives none
  task_state* interrupted = nullptr;    // what this OS thread ran before

  // The implicit task `number` of `in`, on the calling thread, until destroyed.
  task_state(region& in, std::uint32_t number);

  // For a thread whose implicit task has ended, and that runs tasks of the region.
  struct helper {};
  task_state(region& in, std::uint32_t number, helper);

  // What regions inside `of` ask of it, in the child of a fork (state.cpp). Never destroyed;
  // `interrupted` links the copies.
  task_state(const task_state& of, task_state* last_copy);

  ~task_state();
  task_state(const task_state&) = delete;
  task_state& operator=(const task_state&) = delete;

 private:
  void have_own_settings();
};

// The task of the calling thread; null before begin_thread(). constinit, so that no access goes
// through a wrapper that might initialise it.
DOALL_STATIC_TLS extern constinit thread_local task_state* current_task;
task_state& begin_thread();

// The last regions of one thread that this thread ran: the next ones reuse them and their loops, so
// that serial regions, and a few inside each other, allocate nothing. A bare pointer, so that it
// may still be used while the thread's objects are destroyed.
class spare_regions {
 public:
  // Null: there is none.
  static region* take() {
    region* const r = first_;
    if (r != nullptr) first_ = r->next_spare;
    return r;
  }
  static void give(region* r);
  static void free();

 private:
  static constexpr std::uint32_t most = 4;
  DOALL_STATIC_TLS static constinit thread_local region* first_;
};

// Arranges that what this thread keeps is freed when it ends.
void free_at_thread_end();

// The calling thread's implicit task.
inline task_state& self() {
  task_state* me = current_task;
  return me != nullptr ? *me : begin_thread();
}

// Called where a region begins, or something of the program's that no region of its own runs: tells
// the command `doall` that doall serves the program.
void note_served();

// The settings that a thread begins with, from the environment (icv.cpp).
const icvs& initial_icvs();

// The task that encloses this one at `level`; null if there is none. Level 0 is outside any
// construct.
const task_state* ancestor_at(const task_state& of, std::uint32_t level);

// The task that is in an active region whose threads are at work around `task`: itself or, in a
// target region, one that encountered it. Null if there is none.
const task_state* in_active_region(const task_state& task);

}  // namespace doall::omp
