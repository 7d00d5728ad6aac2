/* Constructs of Clang's whose threads wait for each other, in regions that some of them leave; and
 * a loop that is left as Clang up to 18 leaves it. */
#include <omp.h>
#include <stdint.h>

#include "../check.h"

/* LLVM's ABI, as far as it is called here. */
typedef struct {
  int32_t unused[4];
  const char* source;
} ident;
static ident here = {{0, 2, 0, 0}, ";unknown;unknown;0;0;;"};
int32_t __kmpc_global_thread_num(ident*);
void __kmpc_dispatch_init_4(ident*, int32_t, int32_t, int32_t, int32_t, int32_t, int32_t);
int __kmpc_dispatch_next_4(ident*, int32_t, int32_t*, int32_t*, int32_t*, int32_t*);
void __kmpc_barrier(ident*, int32_t);

/* Each thread asks for one chunk, as in a cancelled loop, and meets the others. */
static void leave_a_loop(int barrier) {
#pragma omp parallel
  {
    const int32_t me = __kmpc_global_thread_num(&here);
    int32_t last = 0, lower = 0, upper = 0, stride = 1;
    __kmpc_dispatch_init_4(&here, me, 35 /* dynamic */, 0, 999, 1, 1);
    __kmpc_dispatch_next_4(&here, me, &last, &lower, &upper, &stride);
    if (barrier) __kmpc_barrier(&here, me);
  }
}

static void reduce(int round) {
  long all = 0;
#pragma omp parallel
  {
    if (omp_get_num_threads() > 1 && omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp cancel parallel
    }
    for (int i = 0; i < 3; ++i) {
#pragma omp for reduction(+ : all) nowait
      for (int k = 0; k < 100; ++k) all += k;
    }
  }
  CHECK(all <= 3 * 4950);
  all = 0;
#pragma omp parallel for reduction(+ : all)
  for (int i = 0; i < 1000; ++i) all += i;
  CHECK(all == 499500);
}

static void copies(int round) {
#pragma omp parallel
  {
    int data[64] = {0};
    if (omp_get_num_threads() > 1 && omp_get_thread_num() == round % omp_get_num_threads()) {
#pragma omp cancel parallel
    }
#pragma omp single copyprivate(data)
    for (int i = 0; i < 64; ++i) data[i] = round;
    CHECK(data[63] == round || omp_get_num_threads() > 1);
  }
}

int main(void) {
  for (int round = 0; round < 100; ++round) {
    leave_a_loop(round % 2);
    reduce(round);
    copies(round);
  }
  return check_result();
}
