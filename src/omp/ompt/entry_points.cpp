// The entry points that a tool looks up by name (OpenMP 5.1, section 4.6).
//
// Those that inquire read the calling thread's records alone, and take no lock: a signal's handler
// may call them.
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "omp/api.hpp"
#include "omp/ompt/tool.hpp"

namespace doall::omp::ompt {
namespace {

struct named_number {
  int number;
  const char* name;
};

#define STATE(name) {name, #name}
constexpr named_number states[] = {
    STATE(ompt_state_work_serial),
    STATE(ompt_state_work_parallel),
    STATE(ompt_state_work_reduction),
    STATE(ompt_state_wait_barrier_implicit_parallel),
    STATE(ompt_state_wait_barrier_implicit_workshare),
    STATE(ompt_state_wait_barrier_explicit),
    STATE(ompt_state_wait_barrier_implementation),
    STATE(ompt_state_wait_taskwait),
    STATE(ompt_state_wait_taskgroup),
    STATE(ompt_state_wait_lock),
    STATE(ompt_state_wait_critical),
    STATE(ompt_state_wait_atomic),
    STATE(ompt_state_wait_ordered),
    STATE(ompt_state_idle),
    STATE(ompt_state_overhead),
    STATE(ompt_state_undefined),
};
#undef STATE

constexpr named_number mutex_impls[] = {{ompt_mutex_impl_none, "ompt_mutex_impl_none"},
                                        {1, "doall_futex"}};

// The one after `current`. The first is asked for by ompt_state_undefined, or by
// ompt_mutex_impl_none, which no list needs to have at its beginning.
template <std::size_t N>
int next_in(const named_number (&all)[N], int current, int before_first, int* next,
            const char** name) {
  std::size_t i = 0;
  if (current != before_first) {
    while (i < N && all[i].number != current) ++i;
    ++i;
  }
  while (i < N && all[i].number == before_first) ++i;
  if (i >= N) return 0;
  *next = all[i].number;
  *name = all[i].name;
  return 1;
}

int enumerate_states(int current, int* next, const char** name) {
  return next_in(states, current, ompt_state_undefined, next, name);
}
int enumerate_mutex_impls(int current, int* next, const char** name) {
  return next_in(mutex_impls, current, ompt_mutex_impl_none, next, name);
}

// What a tool may register for. Devices are the host, so nothing is offloaded.
bool is_told(int event) {
  switch (event) {
    case ompt_callback_thread_begin:
    case ompt_callback_thread_end:
    case ompt_callback_parallel_begin:
    case ompt_callback_parallel_end:
    case ompt_callback_task_create:
    case ompt_callback_task_schedule:
    case ompt_callback_implicit_task:
    case ompt_callback_control_tool:
    case ompt_callback_sync_region_wait:
    case ompt_callback_mutex_released:
    case ompt_callback_dependences:
    case ompt_callback_task_dependence:
    case ompt_callback_work:
    case ompt_callback_masked:
    case ompt_callback_sync_region:
    case ompt_callback_lock_init:
    case ompt_callback_lock_destroy:
    case ompt_callback_mutex_acquire:
    case ompt_callback_mutex_acquired:
    case ompt_callback_nest_lock:
    case ompt_callback_flush:
    case ompt_callback_cancel:
    case ompt_callback_reduction:
    case ompt_callback_dispatch:
    case ompt_callback_error: return true;
    default: return false;
  }
}

// Those that GCC's compiler hides, since it compiles the construct without a call.
bool is_sometimes(int event) {
  switch (event) {
    case ompt_callback_work:
    case ompt_callback_masked:
    case ompt_callback_flush:
    case ompt_callback_reduction:
    case ompt_callback_dispatch: return true;
    default: return false;
  }
}

ompt_set_result_t set_callback(ompt_callbacks_t event, ompt_callback_t callback) {
  const int number = event;
  if (number <= 0 || number > ompt_callback_error) return ompt_set_error;
  if (!is_told(number)) return ompt_set_never;
  // (1) release; pairs with tool (1): what the tool wrote before
  callbacks[static_cast<std::size_t>(number)].store(callback, sync::release);
  return is_sometimes(number) ? ompt_set_sometimes_paired : ompt_set_always;
}

int get_callback(ompt_callbacks_t event, ompt_callback_t* callback) {
  const int number = event;
  if (number <= 0 || number > ompt_callback_error) return 0;
  // (2) relaxed; alone: it is given to the tool, which set it
  const auto there = callbacks[static_cast<std::size_t>(number)].load(sync::relaxed);
  if (there == nullptr) return 0;
  *callback = there;
  return 1;
}

ompt_data_t* get_thread_data() {
  thread_record* const me = known_thread();
  return me != nullptr ? &me->data : nullptr;
}

int get_state(ompt_wait_id_t* wait_id) {
  const thread_record* const me = known_thread();
  if (me == nullptr) return ompt_state_undefined;
  if (wait_id != nullptr) *wait_id = me->wait_id;
  return me->state;
}

// The task that the thread ran before, or for a region's implicit task the one that encountered the
// region, on whatever thread. Null: none, or its region may be over.
const task_record* ancestor_of(const task_record& t) {
  if (t.part_has_ended) return nullptr;
  if ((t.flags & ompt_task_implicit) != 0 && t.in) return t.in->encountering;
  return t.below;
}

const task_record* task_at(int level) {
  const thread_record* const me = known_thread();
  const task_record* t = me != nullptr && level >= 0 ? me->current : nullptr;
  for (; t != nullptr && level > 0; --level) t = ancestor_of(*t);
  return t;
}

int get_task_info(int level, int* flags, ompt_data_t** task_data, ompt_frame_t** frame,
                  ompt_data_t** parallel_data, int* thread_num) {
  const task_record* const found = task_at(level);
  if (found == nullptr) return 0;
  auto& t = const_cast<task_record&>(*found);  // the tool may change what is its own
  if (flags != nullptr) *flags = t.flags;
  if (task_data != nullptr) *task_data = &t.data;
  if (frame != nullptr) *frame = &t.frame;
  if (parallel_data != nullptr) *parallel_data = t.parallel_data();
  if (thread_num != nullptr) *thread_num = static_cast<int>(t.thread_num);
  constexpr int available = 2;
  return available;
}

// Regions, from the current one outward.
int get_parallel_info(int level, ompt_data_t** parallel_data, int* team_size) {
  const thread_record* const me = known_thread();
  const task_record* t = me != nullptr && level >= 0 ? me->current : nullptr;
  const parallel_record* p = t != nullptr ? t->in.get() : nullptr;
  if (p != nullptr && t->part_has_ended && level > 0) return 0;
  for (; p != nullptr && level > 0; --level) {
    p = p->encountering != nullptr ? p->encountering->in.get() : nullptr;
  }
  if (p == nullptr) return 0;
  if (parallel_data != nullptr) *parallel_data = &const_cast<parallel_record*>(p)->data;
  if (team_size != nullptr) *team_size = static_cast<int>(p->size);
  constexpr int available = 2;
  return available;
}

// There is no memory that the tool could not see by itself.
int get_task_memory(void** /*address*/, std::size_t* /*bytes*/, int /*block*/) { return 0; }

int get_place_proc_ids(int place, int room, int* ids) {
  const int count = omp_get_place_num_procs(place);
  std::vector<int> all(static_cast<std::size_t>(count));
  omp_get_place_proc_ids(place, all.data());
  if (ids != nullptr) std::copy_n(all.begin(), std::clamp(room, 0, count), ids);
  return count;
}

int get_partition_place_nums(int room, int* numbers) {
  const int count = omp_get_partition_num_places();
  std::vector<int> all(static_cast<std::size_t>(count));
  omp_get_partition_place_nums(all.data());
  if (numbers != nullptr) std::copy_n(all.begin(), std::clamp(room, 0, count), numbers);
  return count;
}

int get_proc_id() { return sched_getcpu(); }

std::uint64_t get_unique_id() {
  static constinit sync::atomic<std::uint64_t> given{0};
  // (3) relaxed; alone: a number; nothing is communicated with it
  return given.fetch_add(1, sync::relaxed) + 1;
}

// No region runs on another device.
int get_target_info(std::uint64_t*, ompt_id_t*, ompt_id_t*) { return 0; }
int get_num_devices() { return 1; }  // the host

struct entry_point {
  const char* name;
  ompt_interface_fn_t function;
};

template <class Function>
ompt_interface_fn_t generic(Function* function) {
  return reinterpret_cast<ompt_interface_fn_t>(function);
}

}  // namespace

ompt_interface_fn_t look_up(const char* name) {
  const entry_point all[] = {
      {"ompt_enumerate_states", generic(enumerate_states)},
      {"ompt_enumerate_mutex_impls", generic(enumerate_mutex_impls)},
      {"ompt_set_callback", generic(set_callback)},
      {"ompt_get_callback", generic(get_callback)},
      {"ompt_get_thread_data", generic(get_thread_data)},
      {"ompt_get_state", generic(get_state)},
      {"ompt_get_parallel_info", generic(get_parallel_info)},
      {"ompt_get_task_info", generic(get_task_info)},
      {"ompt_get_task_memory", generic(get_task_memory)},
      {"ompt_get_num_procs", generic(omp_get_num_procs)},
      {"ompt_get_num_places", generic(omp_get_num_places)},
      {"ompt_get_place_proc_ids", generic(get_place_proc_ids)},
      {"ompt_get_place_num", generic(omp_get_place_num)},
      {"ompt_get_partition_place_nums", generic(get_partition_place_nums)},
      {"ompt_get_proc_id", generic(get_proc_id)},
      {"ompt_get_unique_id", generic(get_unique_id)},
      {"ompt_get_target_info", generic(get_target_info)},
      {"ompt_get_num_devices", generic(get_num_devices)},
      {"ompt_finalize_tool", generic(finalize)},
  };
  if (name == nullptr) return nullptr;
  for (const entry_point& one : all) {
    if (std::strcmp(one.name, name) == 0) return one.function;
  }
  return nullptr;
}

}  // namespace doall::omp::ompt
