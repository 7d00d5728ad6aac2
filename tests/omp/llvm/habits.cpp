// What programs by Clang or flang rely on, though the standard does not promise it: how libomp does
// it.
#include <omp.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "../check.h"

namespace {

using i32 = std::int32_t;
using u32 = std::uint32_t;

struct ident {
  i32 reserved, flags, more, index;
  const char* place;
};
ident here = {0, 2, 0, 0, ";unknown;unknown;0;0;;"};

struct kmp_task {
  void* shared;
  i32 (*routine)(i32, kmp_task*);
  i32 part;
};

}  // namespace

extern "C" {
i32 __kmpc_global_thread_num(ident*);
void __kmpc_for_static_init_4u(ident*, i32, i32, i32*, u32*, u32*, i32*, i32, i32);
void __kmpc_dist_for_static_init_4u(ident*, i32, i32, i32*, u32*, u32*, u32*, i32*, i32, i32);
void __kmpc_team_static_init_4u(ident*, i32, i32*, u32*, u32*, i32*, i32, i32);
kmp_task* __kmpc_omp_task_alloc(ident*, i32, i32, std::size_t, std::size_t,
                                i32 (*)(i32, kmp_task*));
i32 __kmpc_omp_task(ident*, i32, kmp_task*);
void __kmpc_proxy_task_completed_ooo(kmp_task*);
void* __kmpc_threadprivate_cached(ident*, i32, void*, std::size_t, void***);
int kmp_get_cancellation_status(int);
void kmp_set_library_serial();
int kmp_get_library();
void kmp_set_library_throughput();
}

namespace {

// flang asks for the bounds of a loop without looking whether it has iterations: 0 to n - 1, and
// computes in 32 bits how many it got.
void loops_without_iterations_get_none() {
  constexpr i32 by_blocks = 34;
  constexpr i32 by_chunks = 33;
#pragma omp parallel
  for (const i32 schedule : {by_blocks, by_chunks}) {
    const i32 me = __kmpc_global_thread_num(&here);
    i32 last = 0, stride = 1;
    u32 lower = 0, upper = UINT32_MAX, team_upper = 0;
    __kmpc_for_static_init_4u(&here, me, schedule, &last, &lower, &upper, &stride, 1, 1);
    CHECK(upper - lower + 1 == 0);
    lower = 0, upper = UINT32_MAX;
    __kmpc_dist_for_static_init_4u(&here, me, schedule, &last, &lower, &upper, &team_upper, &stride,
                                   1, 1);
    CHECK(upper - lower + 1 == 0);
    lower = 0, upper = UINT32_MAX;
    __kmpc_team_static_init_4u(&here, me, &last, &lower, &upper, &stride, 1, 1);
    CHECK(upper - lower + 1 == 0);
  }
}

// Its owner takes it again where it runs another task.
void nestable_locks_belong_to_threads() {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
#pragma omp parallel
  {
    omp_set_nest_lock(&lock);
#pragma omp task if (0)
    {
      omp_set_nest_lock(&lock);
      CHECK(omp_test_nest_lock(&lock) == 3);
      omp_unset_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
    }
#pragma omp parallel if (0)
    {
      omp_set_nest_lock(&lock);
      omp_unset_nest_lock(&lock);
    }
    omp_unset_nest_lock(&lock);
  }
  omp_destroy_nest_lock(&lock);
}

// A task that another library completes: not before its code has run and that call has come.
std::thread completer;
int completed = 0;

i32 begin_elsewhere(i32, kmp_task* t) {
  completer = std::thread([t] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    __atomic_store_n(&completed, 1, __ATOMIC_RELEASE);
    __kmpc_proxy_task_completed_ooo(t);
  });
  return 0;
}

void proxies_are_waited_for() {
  constexpr i32 tied_proxy = 17;
#pragma omp parallel
#pragma omp single
  {
    const i32 me = __kmpc_global_thread_num(&here);
    __kmpc_omp_task(&here, me,
                    __kmpc_omp_task_alloc(&here, me, tied_proxy, 40, 0, begin_elsewhere));
#pragma omp taskwait
    CHECK(__atomic_load_n(&completed, __ATOMIC_ACQUIRE) == 1);
  }
  completer.join();
}

struct copied {
  int value = 1;
  copied() {}
  copied(const copied& other) : value(other.value) {}
};

// Nobody waits for a taskloop with nogroup: what comes after it may be what its tasks wait for.
void nogroup_goes_on() {
  copied mine;
  int goes_on = 0, done = 0;
#pragma omp parallel
#pragma omp single
  if (omp_get_num_threads() > 1) {
#pragma omp taskloop nogroup firstprivate(mine) shared(goes_on, done) num_tasks(4)
    for (int i = 0; i < 4; ++i) {
      while (!__atomic_load_n(&goes_on, __ATOMIC_ACQUIRE)) std::this_thread::yield();
      __atomic_fetch_add(&done, mine.value, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&goes_on, 1, __ATOMIC_RELEASE);
#pragma omp taskwait
    CHECK(done == 4);
  }
}

void cancellation_is_told() {
  constexpr int taskgroup = 4;
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
  {
#pragma omp task
    {
      CHECK(kmp_get_cancellation_status(taskgroup) == 0);
#pragma omp cancel taskgroup
    }
#pragma omp taskwait
    CHECK(kmp_get_cancellation_status(taskgroup) == omp_get_cancellation());
  }
}

void serial_has_one_thread() {
  const int usual = omp_get_max_threads();
  kmp_set_library_serial();
  CHECK(omp_get_max_threads() == 1 && kmp_get_library() == 1);
#pragma omp parallel num_threads(4)
  CHECK(omp_get_num_threads() == 1);
  kmp_set_library_throughput();
  CHECK(omp_get_max_threads() == usual && kmp_get_library() == 3);
  int size = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  size = omp_get_num_threads();
  CHECK(size == 2);
}

// The main thread uses the variable itself, each other one its copy, call after call.
void copies_stay() {
  static int variable = 7;
  static void** cache = nullptr;
  const auto mine = [&] {
    const i32 me = __kmpc_global_thread_num(&here);
    return static_cast<int*>(
        __kmpc_threadprivate_cached(&here, me, &variable, sizeof variable, &cache));
  };
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel
    {
      CHECK((mine() == &variable) == (omp_get_thread_num() == 0));
      CHECK(*mine() == 7 + round);
      ++*mine();
    }
  }
}

}  // namespace

int main() {
  loops_without_iterations_get_none();
  nestable_locks_belong_to_threads();
  proxies_are_waited_for();
  nogroup_goes_on();
  cancellation_is_told();
  serial_has_one_thread();
  copies_stay();
  return check_result();
}
