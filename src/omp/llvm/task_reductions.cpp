// Task reductions: a taskgroup, or a region or loop with reduction(task, ...), names variables; a
// task with in_reduction asks for the calling thread's copy of one.
//
// A copy is made by the thread that first asks for it, and read when all tasks of the group are
// complete. In a region or loop each thread has such a group, of its own variables, and all share
// the copies: the last thread whose group ends combines them into its own variables, which the
// compiled code then reduces as any others.
#include "omp/llvm/task_reductions.hpp"

#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "base/cache_line.hpp"
#include "omp/fatal.hpp"
#include "omp/llvm/ident.hpp"
#include "omp/reductions.hpp"
#include "omp/region.hpp"
#include "tasks/task_engine.hpp"

namespace doall::omp {
namespace {

// A variable as the compiler describes it. Older compilers have no `original`.
struct kmp_reduction {
  void* shared;
  void* original;
  std::size_t bytes;
  void* make;     // void (*)(void* copy, void* original); null: zeroed
  void* destroy;  // void (*)(void* copy), or null
  void* combine;  // void (*)(void* into, void* from)
  std::uint32_t flags;
};
struct kmp_old_reduction {
  void* shared;
  std::size_t bytes;
  void* make;  // void (*)(void* copy)
  void* destroy;
  void* combine;
  std::uint32_t flags;
};

// A variable's copies, one a thread.
struct copies {
  kmp_reduction of;
  bool make_takes_original;
  std::size_t stride;
  std::byte* memory;
  std::unique_ptr<bool[]> made;  // each by its thread

  copies(const kmp_reduction& variable, bool takes_original, std::uint32_t threads)
      : of(variable),
        make_takes_original(takes_original),
        stride((variable.bytes + base::apart_bytes - 1) / base::apart_bytes * base::apart_bytes),
        memory(static_cast<std::byte*>(std::aligned_alloc(base::apart_bytes, stride * threads))),
        made(std::make_unique<bool[]>(threads)) {
    if (memory == nullptr) fatal("no memory for the copies of a task reduction's variable");
  }

  void* of_thread(std::uint32_t thread) {
    std::byte* mine = memory + stride * thread;
    if (made[thread]) return mine;
    made[thread] = true;
    if (of.make == nullptr) {
      std::memset(mine, 0, of.bytes);
    } else if (make_takes_original) {
      reinterpret_cast<void (*)(void*, void*)>(of.make)(mine, of.original);
    } else {
      reinterpret_cast<void (*)(void*)>(of.make)(mine);
    }
    return mine;
  }

  void combine_into(void* shared, std::uint32_t threads) {
    for (std::uint32_t i = 0; i < threads; ++i) {
      if (!made[i]) continue;
      reinterpret_cast<void (*)(void*, void*)>(of.combine)(shared, memory + stride * i);
      if (of.destroy != nullptr) reinterpret_cast<void (*)(void*)>(of.destroy)(memory + stride * i);
    }
    std::free(memory);
  }
};

// What the groups of a team's threads share.
struct shared_copies {
  std::vector<copies> variables;
  std::uint32_t threads;
  sync::atomic<std::uint32_t> ended{0};
};

}  // namespace

struct group_reductions {
  shared_copies* shared;
  std::vector<void*> variables;  // of this thread, in the order of the shared copies
  std::uint32_t groups;          // that share the copies
};

namespace {

template <class Described>
shared_copies* make_shared_copies(const task_state& me, const Described* list, std::int32_t count) {
  auto* made = new shared_copies{{}, me.team->size};
  for (std::int32_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<Described, kmp_reduction>) {
      made->variables.emplace_back(list[i], true, me.team->size);
    } else {
      const auto& d = list[i];
      made->variables.emplace_back(
          kmp_reduction{d.shared, d.shared, d.bytes, d.make, d.destroy, d.combine, d.flags}, false,
          me.team->size);
    }
  }
  return made;
}

template <class Described>
void* name_variables(task_state& me, shared_copies* shared, const Described* list,
                     std::int32_t count, std::uint32_t groups) {
  auto* made = new group_reductions{shared, {}, groups};
  for (std::int32_t i = 0; i < count; ++i) made->variables.push_back(list[i].shared);
  me.group->of_llvm = made;
  return me.group;
}

// The variables of the innermost open group.
template <class Described>
void* begin_in_group(const void* list, std::int32_t count) {
  task_state& me = self();
  if (me.group == nullptr) fatal("a task reduction outside of a taskgroup");
  const auto* described = static_cast<const Described*>(list);
  return name_variables(me, make_shared_copies(me, described, count), described, count, 1);
}

// Those of a region or loop, whose threads all come.
template <class Described>
void* begin_for_team(const void* list, std::int32_t count) {
  task_state& me = self();
  const auto* described = static_cast<const Described*>(list);
  begin_group(me);
  me.group->is_construct = true;
  if (begin_single(me)) hand_round(me, make_shared_copies(me, described, count));
  meet_all(me);
  auto* shared = static_cast<shared_copies*>(handed_round(me));
  meet_all(me);  // until all have read it
  // The thread that made them has left a cancelled region, or the threads are not there any more.
  if (shared == nullptr) shared = make_shared_copies(me, described, count);
  return name_variables(me, shared, described, count, me.team->size);
}

void* copy_in(group_reductions& g, const task_state& me, const void* variable) {
  for (std::size_t i = 0; i < g.variables.size(); ++i) {
    copies& c = g.shared->variables[i];
    const auto* place = static_cast<const std::byte*>(variable);
    const bool is_copy = place >= c.memory && place < c.memory + c.stride * g.shared->threads;
    if (g.variables[i] == variable || c.of.shared == variable || is_copy)
      return c.of_thread(me.index);
  }
  return nullptr;
}

}  // namespace

void combine_group(task_state&, group_reductions* ended) {
  if (ended == nullptr) return;
  shared_copies* shared = ended->shared;
  // (1) acq_rel; pairs with (1): the last to end has what the others' tasks left in the copies
  if (shared->ended.fetch_add(1, sync::acq_rel) + 1 == ended->groups) {
    for (std::size_t i = 0; i < shared->variables.size(); ++i) {
      shared->variables[i].combine_into(ended->variables[i], shared->threads);
    }
    delete shared;
  }
  delete ended;
}

}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void* __kmpc_taskred_init(gtid_t, std::int32_t count, const void* list) {
  return begin_in_group<kmp_reduction>(list, count);
}
void* __kmpc_task_reduction_init(gtid_t, std::int32_t count, const void* list) {
  return begin_in_group<kmp_old_reduction>(list, count);
}
void* __kmpc_taskred_modifier_init(ident_t*, gtid_t, std::int32_t /*is_loop*/, std::int32_t count,
                                   const void* list) {
  return begin_for_team<kmp_reduction>(list, count);
}
void* __kmpc_task_reduction_modifier_init(ident_t*, gtid_t, std::int32_t /*is_loop*/,
                                          std::int32_t count, const void* list) {
  return begin_for_team<kmp_old_reduction>(list, count);
}
void __kmpc_task_reduction_modifier_fini(ident_t*, gtid_t, std::int32_t /*is_loop*/) {
  task_state& me = self();
  auto* const ended = static_cast<group_reductions*>(me.group->of_llvm);
  end_group(me);
  combine_group(me, ended);
}

// `group` is what an init function returned; null: the innermost group around the task.
void* __kmpc_task_reduction_get_th_data(gtid_t, void* group, void* variable) {
  const task_state& me = self();
  for (auto* g = group != nullptr ? static_cast<task_group*>(group) : me.group; g != nullptr;
       g = g->reduces) {
    if (g->of_llvm == nullptr) continue;
    if (void* mine = copy_in(*static_cast<group_reductions*>(g->of_llvm), me, variable))
      return mine;
  }
  fatal("a task's in_reduction names a variable that no task_reduction around it names");
}

}  // extern "C"
