// omp_lock_t and omp_nest_lock_t, named and unnamed critical sections, and the section for atomic
// updates of types that no instruction covers.
//
// The storage is the program's, of the sizes in GCC's omp.h and omp_lib. Since OpenMP 3.0 a lock
// belongs to a task. Programs of GCC 4.2 and 4.3 bind the symbols' version OMP_1.0, whose nestable
// lock belongs to a thread and is smaller.
#include <unistd.h>

#include <new>

#include "base/fork.hpp"
#include "omp/locks.hpp"
#include "omp/ompt/hooks.hpp"

namespace doall::omp {
namespace {

// The nestable lock of OpenMP 2.5: the owner's thread number is the futex word.
class thread_nest_lock {
 public:
  void lock() {
    while (try_lock() == 0) {
      // (4) relaxed; alone: a value that is out of date ends the sleep immediately
      const int other = owner_.load(sync::relaxed);
      if (other != 0) sync::futex_wait(owner_, other);
    }
  }

  int try_lock() {
    const int me = gettid();
    int owner = 0;
    // (5) acquire; pairs with (6): what the last owner did is visible
    if (!owner_.compare_exchange_strong(owner, me, sync::acquire, sync::relaxed) && owner != me) {
      return 0;
    }
    return ++depth_;
  }

  void unlock() {
    if (--depth_ != 0) return;
    // (6) release; pairs with (5): what was done under the lock
    owner_.store(0, sync::release);
    sync::futex_wake_one(owner_);
  }

 private:
  sync::atomic<int> owner_{0};
  int depth_ = 0;  // the owner's
};

static_assert(sizeof(futex_lock) == 4 && alignof(futex_lock) == 4, "omp_lock_t");
static_assert(sizeof(nest_lock) == 16 && alignof(nest_lock) == 8, "omp_nest_lock_t");
static_assert(sizeof(thread_nest_lock) == 8 && alignof(thread_nest_lock) == 4,
              "omp_nest_lock_t of OpenMP 2.5, and omp_nest_lock_kind of Fortran");

futex_lock unnamed_critical;

// The compiler gives each critical section's name one zeroed word of the program's.
futex_lock& critical_at(void** word) {
  static_assert(sizeof(futex_lock) <= sizeof(void*));
  return *reinterpret_cast<futex_lock*>(word);
}

}  // namespace

futex_lock any_atomic;

namespace {

// It guards one update at a time, and none is the forking thread's: compiled code has no call
// inside.
[[maybe_unused]] const int atomic_free_in_children = base::at_fork(nullptr, nullptr, [] {
  if (any_atomic.try_lock())
    any_atomic.unlock();
  else
    new (&any_atomic) futex_lock;
});

}  // namespace

}  // namespace doall::omp

using namespace doall::omp;

extern "C" {

void omp_init_lock(futex_lock* lock) {
  new (lock) futex_lock;
  ompt::lock_made(lock, ompt_mutex_lock);
}
void omp_destroy_lock(futex_lock* lock) { ompt::lock_ends(lock, ompt_mutex_lock); }
void omp_set_lock(futex_lock* lock) { ompt::lock(*lock, ompt_mutex_lock); }
void omp_unset_lock(futex_lock* lock) { ompt::unlock(*lock, ompt_mutex_lock); }
int omp_test_lock(futex_lock* lock) { return ompt::test(*lock); }

void omp_init_nest_lock(nest_lock* lock) {
  new (lock) nest_lock;
  ompt::lock_made(lock, ompt_mutex_nest_lock);
}
void omp_destroy_nest_lock(nest_lock* lock) { ompt::lock_ends(lock, ompt_mutex_nest_lock); }
void omp_set_nest_lock(nest_lock* lock) { ompt::lock(*lock, owning_task()); }
void omp_unset_nest_lock(nest_lock* lock) { ompt::unlock(*lock); }
int omp_test_nest_lock(nest_lock* lock) { return ompt::test(*lock, owning_task()); }

// Fortran's nestable lock is one word, too small for ours: it holds a pointer.
void omp_init_lock_(futex_lock* lock) { omp_init_lock(lock); }
void omp_destroy_lock_(futex_lock* lock) { omp_destroy_lock(lock); }
void omp_set_lock_(futex_lock* lock) { omp_set_lock(lock); }
void omp_unset_lock_(futex_lock* lock) { omp_unset_lock(lock); }
int omp_test_lock_(futex_lock* lock) { return omp_test_lock(lock); }

void omp_init_nest_lock_(nest_lock** lock) { omp_init_nest_lock(*lock = new nest_lock); }
void omp_destroy_nest_lock_(nest_lock** lock) {
  omp_destroy_nest_lock(*lock);
  delete *lock;
  *lock = nullptr;
}
void omp_set_nest_lock_(nest_lock** lock) { omp_set_nest_lock(*lock); }
void omp_unset_nest_lock_(nest_lock** lock) { omp_unset_nest_lock(*lock); }
int omp_test_nest_lock_(nest_lock** lock) { return omp_test_nest_lock(*lock); }

// Version OMP_1.0. The plain lock is the same.
#define OLD_VERSION(name) __asm__(".symver old_" #name "," #name "@OMP_1.0")
#define OLD_LOCK_FUNCTIONS(suffix)                                                             \
  void old_omp_init_lock##suffix(futex_lock* lock) { omp_init_lock(lock); }                    \
  void old_omp_destroy_lock##suffix(futex_lock* lock) { omp_destroy_lock(lock); }              \
  void old_omp_set_lock##suffix(futex_lock* lock) { omp_set_lock(lock); }                      \
  void old_omp_unset_lock##suffix(futex_lock* lock) { omp_unset_lock(lock); }                  \
  int old_omp_test_lock##suffix(futex_lock* lock) { return omp_test_lock(lock); }              \
  void old_omp_init_nest_lock##suffix(thread_nest_lock* lock) { new (lock) thread_nest_lock; } \
  void old_omp_destroy_nest_lock##suffix(thread_nest_lock*) {}                                 \
  void old_omp_set_nest_lock##suffix(thread_nest_lock* lock) { lock->lock(); }                 \
  void old_omp_unset_nest_lock##suffix(thread_nest_lock* lock) { lock->unlock(); }             \
  int old_omp_test_nest_lock##suffix(thread_nest_lock* lock) { return lock->try_lock(); }      \
  OLD_VERSION(omp_init_lock##suffix);                                                          \
  OLD_VERSION(omp_destroy_lock##suffix);                                                       \
  OLD_VERSION(omp_set_lock##suffix);                                                           \
  OLD_VERSION(omp_unset_lock##suffix);                                                         \
  OLD_VERSION(omp_test_lock##suffix);                                                          \
  OLD_VERSION(omp_init_nest_lock##suffix);                                                     \
  OLD_VERSION(omp_destroy_nest_lock##suffix);                                                  \
  OLD_VERSION(omp_set_nest_lock##suffix);                                                      \
  OLD_VERSION(omp_unset_nest_lock##suffix);                                                    \
  OLD_VERSION(omp_test_nest_lock##suffix)
OLD_LOCK_FUNCTIONS();
OLD_LOCK_FUNCTIONS(_);

void GOMP_critical_start(void) { ompt::lock(unnamed_critical, ompt_mutex_critical); }
void GOMP_critical_end(void) { ompt::unlock(unnamed_critical, ompt_mutex_critical); }
void GOMP_critical_name_start(void** word) { ompt::lock(critical_at(word), ompt_mutex_critical); }
void GOMP_critical_name_end(void** word) { ompt::unlock(critical_at(word), ompt_mutex_critical); }
void GOMP_atomic_start(void) { ompt::lock(any_atomic, ompt_mutex_atomic); }
void GOMP_atomic_end(void) { ompt::unlock(any_atomic, ompt_mutex_atomic); }

}  // extern "C"
