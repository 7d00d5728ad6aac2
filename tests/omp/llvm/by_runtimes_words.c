/* What LLVM's own tests call, as its compilers might: a task without code, omp_all_memory in its
 * two forms, chunks of whole vectors, what was set by LLVM's words. */
#include <omp.h>
#include <stdint.h>
#include <string.h>

#include "../check.h"

typedef struct {
  uintptr_t address;
  size_t bytes;
  unsigned char flags;
} dependence;
enum { in = 1, out = 3, all_memory = 0x80, tied = 1 };

typedef struct task {
  void** shared;
  int (*routine)(int, struct task*);
  int part;
  void* destructors;
  int priority;
} task;

extern int __kmpc_global_thread_num(void*);
extern task* __kmpc_omp_task_alloc(void*, int, int, size_t, size_t, int (*)(int, task*));
extern int __kmpc_omp_task_with_deps(void*, int, task*, int, dependence*, int, dependence*);
extern void __kmpc_dispatch_init_4(void*, int, int, int, int, int, int);
extern int __kmpc_dispatch_next_4(void*, int, int*, int*, int*, int*);
extern void kmp_set_defaults(const char*);
extern int __kmpc_get_target_offload(void);

static int clock_now, wrote_x, wrote_y, all_ran[2], after;

static int everything(int gtid, task* t) {
  (void)gtid;
  all_ran[t->priority] = ++clock_now;
  CHECK(wrote_x != 0 && wrote_y != 0);
  return 0;
}

/* Two writers; a task of each form on all memory; one that reads what the writers wrote. */
static void all_memory_in_two_forms(void) {
  int x = 0, y = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
  {
    const int gtid = __kmpc_global_thread_num(NULL);
#pragma omp task depend(out : x) shared(x)
    {
      const double end = omp_get_wtime() + 0.01;
      while (omp_get_wtime() < end) {
      }
      wrote_x = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
    }
#pragma omp task depend(out : y) shared(y)
    wrote_y = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
    for (int form = 0; form < 2; ++form) {
      dependence on = {form == 0 ? 0 : UINTPTR_MAX, 0, form == 0 ? all_memory : out};
      task* t = __kmpc_omp_task_alloc(NULL, gtid, tied, sizeof(task), 0, everything);
      t->priority = form;
      __kmpc_omp_task_with_deps(NULL, gtid, t, 1, &on, 0, NULL);
    }
#pragma omp task depend(in : x, y) shared(x, y)
    after = __atomic_add_fetch(&clock_now, 1, __ATOMIC_RELAXED);
  }
  CHECK(wrote_x < all_ran[0] && wrote_y < all_ran[0]);
  CHECK(all_ran[0] < all_ran[1] && all_ran[1] < after);
}

/* taskwait depend(in: a) depend(out: b) nowait, as a task that has no routine. */
static void without_code(void) {
  int a = 0, b = 0, seen = -1;
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int round = 0; round < 100; ++round) {
    const int gtid = __kmpc_global_thread_num(NULL);
#pragma omp task depend(out : a) shared(a)
    __atomic_store_n(&a, round + 1, __ATOMIC_RELAXED);
    dependence on[] = {{(uintptr_t)&a, 0, in}, {(uintptr_t)&b, 0, out}};
    task* t = __kmpc_omp_task_alloc(NULL, gtid, tied, sizeof(task), 0, NULL);
    __kmpc_omp_task_with_deps(NULL, gtid, t, 2, on, 0, NULL);
#pragma omp task depend(in : b) shared(a, seen)
    seen = __atomic_load_n(&a, __ATOMIC_RELAXED);
#pragma omp taskwait
    CHECK(seen == round + 1);
  }
}

/* schedule(simd: runtime): chunks are whole vectors, but for the last. */
static void in_vectors(int width, int n) {
  enum { runtime_simd = 46 };
  int covered = 0;
#pragma omp parallel num_threads(3) reduction(+ : covered)
  {
    const int gtid = __kmpc_global_thread_num(NULL);
    int last = 0, lower, upper, stride;
    __kmpc_dispatch_init_4(NULL, gtid, runtime_simd, 0, n - 1, 1, width);
    while (__kmpc_dispatch_next_4(NULL, gtid, &last, &lower, &upper, &stride)) {
      covered += upper - lower + 1;
      CHECK(lower % width == 0);
      CHECK((upper + 1) % width == 0 || upper == n - 1);
    }
  }
  CHECK(covered == n);
}

static void words(void) {
  omp_sched_t kind;
  int chunk;
  omp_set_schedule(omp_sched_static, 3);
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_static && chunk == 3);
  const unsigned monotonic = 0x80000000u;
  omp_set_schedule((omp_sched_t)(omp_sched_static | monotonic), 4);
  omp_get_schedule(&kind, &chunk);
  CHECK((unsigned)kind == (omp_sched_static | monotonic) && chunk == 4);
  omp_set_schedule((omp_sched_t)101, 0); /* LLVM's trapezoidal */
  omp_get_schedule(&kind, &chunk);
  CHECK((int)kind == 101 && chunk == 1);
  omp_set_schedule(omp_sched_auto, 0);
  omp_get_schedule(&kind, &chunk);
  CHECK(kind == omp_sched_auto && chunk == 1);

  CHECK(__kmpc_get_target_offload() == 1);
  kmp_set_defaults("OMP_TARGET_OFFLOAD=Mandatory");
  CHECK(__kmpc_get_target_offload() == 2);
  kmp_set_defaults("OMP_TARGET_OFFLOAD=disabled");
  CHECK(__kmpc_get_target_offload() == 0);
  kmp_set_defaults("OMP_TARGET_OFFLOAD=enabled");
  CHECK(__kmpc_get_target_offload() == 1);

  char text[64];
  const char* expected = "undefined|undefined|0  |%n";
  CHECK(omp_capture_affinity(text, sizeof text, "%{colour}|%5X|%03n|%%n") == strlen(expected));
  CHECK(strcmp(text, expected) == 0);
}

int main(void) {
  all_memory_in_two_forms();
  without_code();
  const omp_sched_t kinds[] = {omp_sched_static, omp_sched_dynamic, omp_sched_guided};
  for (int k = 0; k < 3; ++k) {
    for (int given = 0; given < 3; ++given) {
      omp_set_schedule(kinds[k], given);
      in_vectors(4, 1003);
      in_vectors(8, 5);
    }
  }
  words();
  return check_result();
}
