/* Runs a region and a loop, and prints what the settings became. */
#include <omp.h>

#include "check.h"

int main(void) {
  omp_sched_t kind;
  int chunk, threads = 0;
  long sum = 0;
  omp_get_schedule(&kind, &chunk);
#pragma omp parallel reduction(+ : sum)
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for schedule(runtime)
    for (int i = 0; i < 1000; ++i) sum += i;
  }
  CHECK(sum == 499500);
  printf("threads=%d schedule=%#x,%d dynamic=%d nested=%d levels=%d limit=%d device=%d\n", threads,
         (unsigned)kind, chunk, omp_get_dynamic(), omp_get_nested(), omp_get_max_active_levels(),
         omp_get_thread_limit(), omp_get_default_device());
  printf("bind=%d places=%d cancellation=%d priority=%d teams=%d teams_limit=%d allocator=%d\n",
         (int)omp_get_proc_bind(), omp_get_num_places(), omp_get_cancellation(),
         omp_get_max_task_priority(), omp_get_max_teams(), omp_get_teams_thread_limit(),
         (int)omp_get_default_allocator());
  omp_display_affinity(NULL);
  return check_result();
}
