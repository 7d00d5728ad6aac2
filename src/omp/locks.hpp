// The locks behind both ABIs' functions.
#pragma once

#include "omp/state.hpp"
#include "park/futex_lock.hpp"

namespace doall::omp {

// Waits as the region's threads do.
inline void acquire(futex_lock& lock) {
  if (!lock.try_lock()) lock.lock(self().team->spin());
}

// Who owns a nestable lock: by GCC's door the current task, as since OpenMP 3.0.
inline const void* owning_task() {
  const task_state& me = self();
  if (me.undescribed != nullptr) return me.undescribed;
  return me.running != nullptr ? static_cast<const void*>(me.running) : &me;
}

// A lock that its owner may take again. `me`: whoever owns it, if the caller does.
class nest_lock {
 public:
  void lock(const void* me) {
    if (!owned_by(me)) {
      acquire(lock_);
      begin(me);
    }
    ++depth_;
  }

  // The new depth; 0 when another owner has the lock.
  int try_lock(const void* me) {
    if (!owned_by(me)) {
      if (!lock_.try_lock()) return 0;
      begin(me);
    }
    return ++depth_;
  }

  // How often its owner has taken it. Called by the owner.
  int depth() const { return depth_; }

  void unlock() {
    if (--depth_ != 0) return;
    // (1) relaxed; alone: only the owner ever finds itself here
    owner_.store(nullptr, sync::relaxed);
    lock_.unlock();
  }

 private:
  bool owned_by(const void* me) const {
    // (2) relaxed; alone: only the owner ever finds itself here
    return owner_.load(sync::relaxed) == me;
  }
  void begin(const void* me) {
    // (3) relaxed; alone: only the owner ever finds itself here
    owner_.store(me, sync::relaxed);
  }

  futex_lock lock_;
  int depth_ = 0;  // guarded by lock_
  sync::atomic<const void*> owner_{nullptr};
};

// For atomic updates of types that no instruction covers.
extern futex_lock any_atomic;

}  // namespace doall::omp
