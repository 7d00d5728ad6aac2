// What LLVM's entry points for tasks ask of a task engine, by executing each task immediately on
// the encountering thread, as tasks.hpp has it for GCC's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>

#include "omp/fatal.hpp"
#include "omp/reductions.hpp"
#include "omp/tasks.hpp"

namespace doall::omp {

enum class dependence_kind : std::uint8_t { in, out, mutexinoutset, inoutset };

struct dependence {
  void* address;
  dependence_kind kind;
};
using dependences = std::span<const dependence>;

struct task_options {
  bool deferrable = true;
  bool is_final = false;
  bool detached = false;
  bool must_run = false;
  std::int32_t priority = 0;
};

// Its payload lies behind it.
struct alignas(64) task {
  task_function function;
  task_options how;
  std::optional<explicit_task> running;
};

inline task* make_task(task_state&, task_function function, std::size_t bytes, std::size_t,
                       const task_options& how) {
  if (how.detached) not_there_yet("a task with a detach clause", "uses one");
  const std::size_t room = (sizeof(task) + bytes + alignof(task) - 1) & ~(alignof(task) - 1);
  void* memory = std::aligned_alloc(alignof(task), room);
  if (memory == nullptr) fatal("no memory for a task of " + std::to_string(bytes) + " bytes");
  return new (memory) task{function, how, std::nullopt};
}
inline void* payload_of(task* t) { return t + 1; }

inline task* begin_undeferred(task_state& me, task* t, const task_options&, dependences = {}) {
  t->running.emplace(me, t->how.is_final ? unsigned{task_final} : 0U);
  return t;
}
inline void end_undeferred(task_state&, task* t) {
  t->running.reset();
  t->~task();
  std::free(t);
}
inline void submit_task(task_state& me, task* t, dependences = {}) {
  begin_undeferred(me, t, t->how);
  t->function(payload_of(t));
  end_undeferred(me, t);
}

inline void* event_of(task*) { return nullptr; }
inline void wait_for_children(task_state&) {}
inline void wait_for_dependences(task_state&, dependences) {}
inline void yield_task(task_state&) {}

struct task_pieces {
  void (*make)(const void* of, std::uint64_t piece, void* payload);
  const void* of;
  std::size_t of_bytes;
  std::size_t bytes;
  std::size_t alignment;
  task_function function;
  std::uint64_t pieces;
};
inline void submit_pieces(task_state& me, const task_pieces& p, const task_options& how) {
  for (std::uint64_t piece = 0; piece < p.pieces; ++piece) {
    task* t = make_task(me, p.function, p.bytes, p.alignment, how);
    p.make(p.of, piece, payload_of(t));
    submit_task(me, t);
  }
}

}  // namespace doall::omp
