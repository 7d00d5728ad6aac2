// LLVM's locks: a word of the program's for a plain lock, a pointer to a lock of ours for a
// nestable one. GCC's header has other sizes, so the functions of the same names have a version of
// their own. As LLVM's, a nestable lock belongs to a thread, not to a task: its owner takes it
// again in an undeferred task and in a serialised region.
#include "omp/locks.hpp"

#include <new>

#include "omp/llvm/ident.hpp"
#include "omp/ompt/hooks.hpp"

using namespace doall::omp;

namespace {

// Only compared.
const void* owning_thread() { return &thread_number_and_1; }

// Hints name a kind of lock; there is one kind.
void make(futex_lock* lock, std::uintptr_t hint) {
  new (lock) futex_lock;
  ompt::lock_made(lock, ompt_mutex_lock, static_cast<unsigned>(hint));
}
void make(nest_lock** lock, std::uintptr_t hint) {
  *lock = new nest_lock;
  ompt::lock_made(*lock, ompt_mutex_nest_lock, static_cast<unsigned>(hint));
}
void destroy(nest_lock** lock) {
  ompt::lock_ends(*lock, ompt_mutex_nest_lock);
  delete *lock;
  *lock = nullptr;
}

}  // namespace

extern "C" {

#define LLVM_VERSION(name) __asm__(".symver llvm_" #name "," #name "@VERSION")
#define LOCK_FUNCTIONS(suffix)                                                                     \
  void llvm_omp_init_lock##suffix(futex_lock* lock) { make(lock, 0); }                             \
  void omp_init_lock_with_hint##suffix(futex_lock* lock, std::uintptr_t hint) {                    \
    make(lock, hint);                                                                              \
  }                                                                                                \
  void llvm_omp_destroy_lock##suffix(futex_lock* lock) { ompt::lock_ends(lock, ompt_mutex_lock); } \
  void llvm_omp_set_lock##suffix(futex_lock* lock) { ompt::lock(*lock, ompt_mutex_lock); }         \
  void llvm_omp_unset_lock##suffix(futex_lock* lock) { ompt::unlock(*lock, ompt_mutex_lock); }     \
  int llvm_omp_test_lock##suffix(futex_lock* lock) { return ompt::test(*lock); }                   \
  void llvm_omp_init_nest_lock##suffix(nest_lock** lock) { make(lock, 0); }                        \
  void omp_init_nest_lock_with_hint##suffix(nest_lock** lock, std::uintptr_t hint) {               \
    make(lock, hint);                                                                              \
  }                                                                                                \
  void llvm_omp_destroy_nest_lock##suffix(nest_lock** lock) { destroy(lock); }                     \
  void llvm_omp_set_nest_lock##suffix(nest_lock** lock) { ompt::lock(**lock, owning_thread()); }   \
  void llvm_omp_unset_nest_lock##suffix(nest_lock** lock) { ompt::unlock(**lock); }                \
  int llvm_omp_test_nest_lock##suffix(nest_lock** lock) {                                          \
    return ompt::test(**lock, owning_thread());                                                    \
  }                                                                                                \
  LLVM_VERSION(omp_init_lock##suffix);                                                             \
  LLVM_VERSION(omp_destroy_lock##suffix);                                                          \
  LLVM_VERSION(omp_set_lock##suffix);                                                              \
  LLVM_VERSION(omp_unset_lock##suffix);                                                            \
  LLVM_VERSION(omp_test_lock##suffix);                                                             \
  LLVM_VERSION(omp_init_nest_lock##suffix);                                                        \
  LLVM_VERSION(omp_destroy_nest_lock##suffix);                                                     \
  LLVM_VERSION(omp_set_nest_lock##suffix);                                                         \
  LLVM_VERSION(omp_unset_nest_lock##suffix);                                                       \
  LLVM_VERSION(omp_test_nest_lock##suffix)
LOCK_FUNCTIONS();
LOCK_FUNCTIONS(_);

// The same for compiled code.
void __kmpc_init_lock(ident_t*, gtid_t, futex_lock* lock) { make(lock, 0); }
void __kmpc_init_lock_with_hint(ident_t*, gtid_t, futex_lock* lock, std::uintptr_t hint) {
  make(lock, hint);
}
void __kmpc_destroy_lock(ident_t*, gtid_t, futex_lock* lock) {
  ompt::lock_ends(lock, ompt_mutex_lock);
}
void __kmpc_set_lock(ident_t*, gtid_t, futex_lock* lock) { ompt::lock(*lock, ompt_mutex_lock); }
void __kmpc_unset_lock(ident_t*, gtid_t, futex_lock* lock) { ompt::unlock(*lock, ompt_mutex_lock); }
int __kmpc_test_lock(ident_t*, gtid_t, futex_lock* lock) { return ompt::test(*lock); }
void __kmpc_init_nest_lock(ident_t*, gtid_t, nest_lock** lock) { make(lock, 0); }
void __kmpc_init_nest_lock_with_hint(ident_t*, gtid_t, nest_lock** lock, std::uintptr_t hint) {
  make(lock, hint);
}
void __kmpc_destroy_nest_lock(ident_t*, gtid_t, nest_lock** lock) { destroy(lock); }
void __kmpc_set_nest_lock(ident_t*, gtid_t, nest_lock** lock) {
  ompt::lock(**lock, owning_thread());
}
void __kmpc_unset_nest_lock(ident_t*, gtid_t, nest_lock** lock) { ompt::unlock(**lock); }
int __kmpc_test_nest_lock(ident_t*, gtid_t, nest_lock** lock) {
  return ompt::test(**lock, owning_thread());
}

}  // extern "C"
