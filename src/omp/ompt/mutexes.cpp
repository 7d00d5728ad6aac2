// Locks, critical sections, atomic updates that no instruction covers, ordered regions.
#include "omp/loops.hpp"
#include "omp/ompt/events.hpp"
#include "omp/ompt/hooks.hpp"

namespace doall::omp::ompt {
namespace {

constexpr unsigned futex_impl = 1;  // entry_points.cpp has its name
constexpr unsigned no_hint = 0;

ompt_state_t state_of(ompt_mutex_t kind) {
  switch (kind) {
    case ompt_mutex_critical: return ompt_state_wait_critical;
    case ompt_mutex_atomic: return ompt_state_wait_atomic;
    case ompt_mutex_ordered: return ompt_state_wait_ordered;
    default: return ompt_state_wait_lock;
  }
}

ompt_wait_id_t id_of(const void* mutex) { return reinterpret_cast<ompt_wait_id_t>(mutex); }

void tell_acquire(thread_record& me, ompt_mutex_t kind, unsigned hint, const void* mutex,
                  const void* code) {
  tell<ompt_callback_mutex_acquire_t>(me, ompt_callback_mutex_acquire, kind, hint, futex_impl,
                                      id_of(mutex), code);
}

void tell_acquired(thread_record& me, ompt_mutex_t kind, const void* mutex, const void* code) {
  tell<ompt_callback_mutex_t>(me, ompt_callback_mutex_acquired, kind, id_of(mutex), code);
}

void tell_released(thread_record& me, ompt_mutex_t kind, const void* mutex, const void* code) {
  tell<ompt_callback_mutex_t>(me, ompt_callback_mutex_released, kind, id_of(mutex), code);
}

void tell_nest(thread_record& me, ompt_scope_endpoint_t end, const void* mutex, const void* code) {
  tell<ompt_callback_nest_lock_t>(me, ompt_callback_nest_lock, end, id_of(mutex), code);
}

// Waits for the mutex between the two events.
template <class Wait>
void acquire_watched(thread_record& me, ompt_mutex_t kind, unsigned hint, const void* mutex,
                     const call& from, Wait wait) {
  const call outside = call_from_outside(from);
  const inside_runtime inside(me, outside);
  tell_acquire(me, kind, hint, mutex, outside.code);
  {
    const in_state waiting(me, state_of(kind), id_of(mutex));
    wait();
  }
  tell_acquired(me, kind, mutex, outside.code);
}

}  // namespace

void watched_lock(futex_lock& lock, ompt_mutex_t kind, unsigned hint, const call& from) {
  thread_record* const me = observed();
  if (me == nullptr) return acquire(lock);
  acquire_watched(*me, kind, hint, &lock, from, [&] { acquire(lock); });
}

bool watched_test(futex_lock& lock, const call& from) {
  thread_record* const me = observed();
  if (me == nullptr) return lock.try_lock();
  const void* const code = call_from_outside(from).code;
  tell_acquire(*me, ompt_mutex_test_lock, no_hint, &lock, code);
  const bool taken = lock.try_lock();
  if (taken) tell_acquired(*me, ompt_mutex_test_lock, &lock, code);
  return taken;
}

void watched_unlock(futex_lock& lock, ompt_mutex_t kind, const call& from) {
  thread_record* const me = observed();
  const void* const mutex = &lock;  // another thread may destroy it once it is free
  lock.unlock();
  if (me != nullptr) tell_released(*me, kind, mutex, call_from_outside(from).code);
}

void watched_nest_lock(nest_lock& lock, const void* owner, const call& from) {
  thread_record* const me = observed();
  if (me == nullptr) return lock.lock(owner);
  const call outside = call_from_outside(from);
  const inside_runtime inside(*me, outside);
  tell_acquire(*me, ompt_mutex_nest_lock, no_hint, &lock, outside.code);
  {
    const in_state waiting(*me, ompt_state_wait_lock, id_of(&lock));
    lock.lock(owner);
  }
  if (lock.depth() == 1) {
    tell_acquired(*me, ompt_mutex_nest_lock, &lock, outside.code);
  } else {
    tell_nest(*me, ompt_scope_begin, &lock, outside.code);
  }
}

int watched_nest_test(nest_lock& lock, const void* owner, const call& from) {
  thread_record* const me = observed();
  if (me == nullptr) return lock.try_lock(owner);
  const void* const code = call_from_outside(from).code;
  tell_acquire(*me, ompt_mutex_test_nest_lock, no_hint, &lock, code);
  const int depth = lock.try_lock(owner);
  if (depth == 1) {
    tell_acquired(*me, ompt_mutex_test_nest_lock, &lock, code);
  } else if (depth > 1) {
    tell_nest(*me, ompt_scope_begin, &lock, code);
  }
  return depth;
}

void watched_nest_unlock(nest_lock& lock, const call& from) {
  thread_record* const me = observed();
  const void* const mutex = &lock;
  const bool is_last = lock.depth() == 1;
  lock.unlock();
  if (me == nullptr) return;
  const void* const code = call_from_outside(from).code;
  if (is_last) {
    tell_released(*me, ompt_mutex_nest_lock, mutex, code);
  } else {
    tell_nest(*me, ompt_scope_end, mutex, code);
  }
}

void watched_lock_made(const void* lock, ompt_mutex_t kind, unsigned hint, const call& from) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  tell<ompt_callback_mutex_acquire_t>(*me, ompt_callback_lock_init, kind, hint, futex_impl,
                                      id_of(lock), call_from_outside(from).code);
}

void watched_lock_ends(const void* lock, ompt_mutex_t kind, const call& from) {
  thread_record* const me = observed();
  if (me == nullptr) return;
  tell<ompt_callback_mutex_t>(*me, ompt_callback_lock_destroy, kind, id_of(lock),
                              call_from_outside(from).code);
}

void watched_ordered(ompt_scope_endpoint_t end, const call& from) {
  task_state& task = self();
  thread_record* const me = observed();
  const void* const loop = task.loop.at.extra;
  if (end == ompt_scope_end) {
    if (me != nullptr) {
      tell_released(*me, ompt_mutex_ordered, loop, call_from_outside(from).code);
    }
  } else if (me == nullptr) {
    wait_for_turn(task);
  } else {
    acquire_watched(*me, ompt_mutex_ordered, no_hint, loop, from, [&] { wait_for_turn(task); });
  }
}

}  // namespace doall::omp::ompt
