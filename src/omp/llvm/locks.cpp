// LLVM's locks: a word of the program's for a plain lock, a pointer to a lock of ours for a
// nestable one. GCC's header has other sizes, so the functions of the same names have a version of
// their own.
#include "omp/locks.hpp"

#include <new>

#include "omp/llvm/ident.hpp"

using namespace doall::omp;

extern "C" {

// Hints name a kind of lock; there is one kind.
#define LLVM_VERSION(name) __asm__(".symver llvm_" #name "," #name "@VERSION")
#define LOCK_FUNCTIONS(suffix)                                                          \
  void llvm_omp_init_lock##suffix(futex_lock* lock) { new (lock) futex_lock; }          \
  void omp_init_lock_with_hint##suffix(futex_lock* lock, std::uintptr_t) {              \
    new (lock) futex_lock;                                                              \
  }                                                                                     \
  void llvm_omp_destroy_lock##suffix(futex_lock*) {}                                    \
  void llvm_omp_set_lock##suffix(futex_lock* lock) { acquire(*lock); }                  \
  void llvm_omp_unset_lock##suffix(futex_lock* lock) { lock->unlock(); }                \
  int llvm_omp_test_lock##suffix(futex_lock* lock) { return lock->try_lock(); }         \
  void llvm_omp_init_nest_lock##suffix(nest_lock** lock) { *lock = new nest_lock; }     \
  void omp_init_nest_lock_with_hint##suffix(nest_lock** lock, std::uintptr_t) {         \
    *lock = new nest_lock;                                                              \
  }                                                                                     \
  void llvm_omp_destroy_nest_lock##suffix(nest_lock** lock) {                           \
    delete *lock;                                                                       \
    *lock = nullptr;                                                                    \
  }                                                                                     \
  void llvm_omp_set_nest_lock##suffix(nest_lock** lock) { (*lock)->lock(); }            \
  void llvm_omp_unset_nest_lock##suffix(nest_lock** lock) { (*lock)->unlock(); }        \
  int llvm_omp_test_nest_lock##suffix(nest_lock** lock) { return (*lock)->try_lock(); } \
  LLVM_VERSION(omp_init_lock##suffix);                                                  \
  LLVM_VERSION(omp_destroy_lock##suffix);                                               \
  LLVM_VERSION(omp_set_lock##suffix);                                                   \
  LLVM_VERSION(omp_unset_lock##suffix);                                                 \
  LLVM_VERSION(omp_test_lock##suffix);                                                  \
  LLVM_VERSION(omp_init_nest_lock##suffix);                                             \
  LLVM_VERSION(omp_destroy_nest_lock##suffix);                                          \
  LLVM_VERSION(omp_set_nest_lock##suffix);                                              \
  LLVM_VERSION(omp_unset_nest_lock##suffix);                                            \
  LLVM_VERSION(omp_test_nest_lock##suffix)
LOCK_FUNCTIONS();
LOCK_FUNCTIONS(_);

// The same for compiled code.
void __kmpc_init_lock(ident_t*, gtid_t, futex_lock* lock) { llvm_omp_init_lock(lock); }
void __kmpc_init_lock_with_hint(ident_t*, gtid_t, futex_lock* lock, std::uintptr_t) {
  llvm_omp_init_lock(lock);
}
void __kmpc_destroy_lock(ident_t*, gtid_t, futex_lock*) {}
void __kmpc_set_lock(ident_t*, gtid_t, futex_lock* lock) { acquire(*lock); }
void __kmpc_unset_lock(ident_t*, gtid_t, futex_lock* lock) { lock->unlock(); }
int __kmpc_test_lock(ident_t*, gtid_t, futex_lock* lock) { return lock->try_lock(); }
void __kmpc_init_nest_lock(ident_t*, gtid_t, nest_lock** lock) { llvm_omp_init_nest_lock(lock); }
void __kmpc_init_nest_lock_with_hint(ident_t*, gtid_t, nest_lock** lock, std::uintptr_t) {
  llvm_omp_init_nest_lock(lock);
}
void __kmpc_destroy_nest_lock(ident_t*, gtid_t, nest_lock** lock) {
  llvm_omp_destroy_nest_lock(lock);
}
void __kmpc_set_nest_lock(ident_t*, gtid_t, nest_lock** lock) { (*lock)->lock(); }
void __kmpc_unset_nest_lock(ident_t*, gtid_t, nest_lock** lock) { (*lock)->unlock(); }
int __kmpc_test_nest_lock(ident_t*, gtid_t, nest_lock** lock) { return (*lock)->try_lock(); }

}  // extern "C"
