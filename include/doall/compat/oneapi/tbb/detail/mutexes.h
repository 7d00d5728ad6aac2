// oneTBB's mutexes, as far as loops' bodies need them: all are the standard's.
#ifndef DOALL_COMPAT_MUTEXES_H
#define DOALL_COMPAT_MUTEXES_H

#include "../profiling.h"
#include "base.h"

#include <mutex>
#include <shared_mutex>
#include <type_traits>

namespace tbb {
inline namespace doall_v0 {
namespace detail {

template <class Mutex>
class lock_of {
 public:
  lock_of() = default;
  explicit lock_of(Mutex& m) { acquire(m); }
  ~lock_of() {
    if (mutex_ != nullptr) release();
  }
  lock_of(const lock_of&) = delete;
  lock_of& operator=(const lock_of&) = delete;
  void acquire(Mutex& m) {
    m.lock();
    mutex_ = &m;
  }
  bool try_acquire(Mutex& m) {
    if (!m.try_lock()) return false;
    mutex_ = &m;
    return true;
  }
  void release() {
    mutex_->unlock();
    mutex_ = nullptr;
  }

 private:
  Mutex* mutex_ = nullptr;
};

template <class Mutex>
class rw_lock_of {
 public:
  rw_lock_of() = default;
  explicit rw_lock_of(Mutex& m, bool write = true) { acquire(m, write); }
  ~rw_lock_of() {
    if (mutex_ != nullptr) release();
  }
  rw_lock_of(const rw_lock_of&) = delete;
  rw_lock_of& operator=(const rw_lock_of&) = delete;
  void acquire(Mutex& m, bool write = true) {
    if (write)
      m.lock();
    else
      m.lock_shared();
    mutex_ = &m;
    writes_ = is_alone_ = write;
  }
  bool try_acquire(Mutex& m, bool write = true) {
    if (write ? !m.try_lock() : !m.try_lock_shared()) return false;
    mutex_ = &m;
    writes_ = is_alone_ = write;
    return true;
  }
  void release() {
    if (is_alone_)
      mutex_->unlock();
    else
      mutex_->unlock_shared();
    mutex_ = nullptr;
  }
  // False: another thread may have written meanwhile.
  bool upgrade_to_writer() {
    if (is_alone_) return writes_ = true;
    Mutex& m = *mutex_;
    release();
    acquire(m, true);
    return !Mutex::excludes;
  }
  // No other thread writes meanwhile: the standard's mutexes cannot let readers in alone, so they
  // come when this lock is released.
  bool downgrade_to_reader() {
    writes_ = false;
    return true;
  }
  bool is_writer() const { return writes_; }

 private:
  Mutex* mutex_ = nullptr;
  bool writes_ = false;
  bool is_alone_ = false;  // the mutex is locked for it alone
};

// As many types as oneTBB has names: programs overload by them.
template <int Which>
class plain_mutex : public std::mutex {
 public:
  using scoped_lock = lock_of<plain_mutex>;
  static constexpr bool is_rw_mutex = false;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;
};

template <int Which>
class shared_mutex : public std::shared_mutex {
 public:
  using scoped_lock = rw_lock_of<shared_mutex>;
  static constexpr bool excludes = true;
  static constexpr bool is_rw_mutex = true;
  static constexpr bool is_recursive_mutex = false;
  static constexpr bool is_fair_mutex = false;
};

template <int Which>
class no_mutex {
 public:
  void lock() {}
  void unlock() {}
  bool try_lock() { return true; }
  void lock_shared() {}
  void unlock_shared() {}
  bool try_lock_shared() { return true; }
  using scoped_lock = std::conditional_t<Which == 0, lock_of<no_mutex>, rw_lock_of<no_mutex>>;
  static constexpr bool excludes = false;
  static constexpr bool is_rw_mutex = Which != 0;
  static constexpr bool is_recursive_mutex = true;
  static constexpr bool is_fair_mutex = true;
};

}  // namespace detail

using mutex = detail::plain_mutex<0>;
using spin_mutex = detail::plain_mutex<1>;
using queuing_mutex = detail::plain_mutex<2>;
using speculative_spin_mutex = detail::plain_mutex<3>;
using rw_mutex = detail::shared_mutex<0>;
using spin_rw_mutex = detail::shared_mutex<1>;
using queuing_rw_mutex = detail::shared_mutex<2>;
using speculative_spin_rw_mutex = detail::shared_mutex<3>;
using null_mutex = detail::no_mutex<0>;
using null_rw_mutex = detail::no_mutex<1>;

}  // namespace doall_v0
}  // namespace tbb

#endif
