/* The functions about threads, regions, schedules, binding and devices. */
#include <limits.h>
#include <omp.h>
#include <string.h>
#include <unistd.h>

#include "check.h"

/* Of the registry's entries that the standard has no number for. */
enum { own_kind_trapezoid = 0x646c0003, own_kind_affinity = 0x646c0004 };

static void outside_of_regions(void) {
  CHECK(omp_get_num_threads() == 1);
  CHECK(omp_get_thread_num() == 0);
  CHECK(omp_get_level() == 0);
  CHECK(omp_get_active_level() == 0);
  CHECK(!omp_in_parallel());
  CHECK(!omp_in_final());
  CHECK(omp_get_num_procs() >= 1);
  CHECK(omp_get_ancestor_thread_num(0) == 0);
  CHECK(omp_get_team_size(0) == 1);
  CHECK(omp_get_ancestor_thread_num(1) == -1);
  CHECK(omp_get_ancestor_thread_num(-1) == -1);
  CHECK(omp_get_team_size(1) == -1);
  CHECK(omp_get_cancellation() == 0);
  CHECK(omp_get_num_teams() == 1);
  CHECK(omp_get_team_num() == 0);
}

static void setters(void) {
  omp_set_num_threads(3);
  CHECK(omp_get_max_threads() == 3);
  omp_set_num_threads(0);
  CHECK(omp_get_max_threads() == 1);
  omp_set_num_threads(INT_MAX);
  CHECK(omp_get_max_threads() == 1024);

  omp_set_dynamic(1);
  CHECK(omp_get_dynamic());
  omp_set_dynamic(0);
  CHECK(!omp_get_dynamic());

  CHECK(omp_get_supported_active_levels() >= 1);
  omp_set_max_active_levels(3);
  CHECK(omp_get_max_active_levels() == 3);
  CHECK(omp_get_nested());
  omp_set_max_active_levels(-1);
  CHECK(omp_get_max_active_levels() == 3);
  omp_set_max_active_levels(INT_MAX);
  CHECK(omp_get_max_active_levels() == omp_get_supported_active_levels());
  omp_set_nested(0);
  CHECK(!omp_get_nested());
  CHECK(omp_get_max_active_levels() == 1);
  omp_set_nested(1);
  CHECK(omp_get_nested());
  omp_set_nested(0);

  CHECK(omp_get_thread_limit() >= 1);
  omp_set_num_teams(7);
  CHECK(omp_get_max_teams() == 7);
  omp_set_num_teams(0);
  omp_set_teams_thread_limit(5);
  CHECK(omp_get_teams_thread_limit() == 5);
  omp_set_teams_thread_limit(0);
  CHECK(omp_get_max_task_priority() == 0);
}

static void schedule_is(unsigned kind, int chunk) {
  omp_sched_t kind_now;
  int chunk_now = -1;
  omp_get_schedule(&kind_now, &chunk_now);
  CHECK((unsigned)kind_now == kind);
  CHECK(chunk_now == chunk);
}

static void schedules(void) {
  schedule_is(omp_sched_dynamic, 1);
  omp_set_schedule(omp_sched_static, 7);
  schedule_is(omp_sched_static, 7);
  omp_set_schedule(omp_sched_static, 0);
  schedule_is(omp_sched_static, 0);
  omp_set_schedule(omp_sched_guided, -3);
  schedule_is(omp_sched_guided, 1);
  omp_set_schedule((omp_sched_t)(omp_sched_dynamic | omp_sched_monotonic), 4);
  schedule_is(omp_sched_dynamic | omp_sched_monotonic, 4);
  omp_set_schedule(omp_sched_auto, 4);
  schedule_is(omp_sched_auto, 1);
  omp_set_schedule((omp_sched_t)own_kind_affinity, 2);
  schedule_is(own_kind_affinity, 2);
  omp_set_schedule((omp_sched_t)own_kind_trapezoid, 0);
  schedule_is(own_kind_trapezoid, 0);
  omp_set_schedule((omp_sched_t)77, 1); /* warns */
  schedule_is(own_kind_trapezoid, 0);

  /* Settings belong to the task: a worker's change is its own. */
  omp_set_schedule(omp_sched_dynamic, 5);
#pragma omp parallel num_threads(4)
  {
    schedule_is(omp_sched_dynamic, 5);
    omp_set_schedule(omp_sched_guided, omp_get_thread_num() + 2);
    omp_set_num_threads(omp_get_thread_num() + 10);
#pragma omp barrier
    schedule_is(omp_sched_guided, omp_get_thread_num() + 2);
    CHECK(omp_get_max_threads() == omp_get_thread_num() + 10);
  }
  schedule_is(omp_sched_dynamic, 5);
}

static void levels(void) {
  int seen[4] = {0};
  omp_set_max_active_levels(2);
#pragma omp parallel num_threads(4)
  {
    const int me = omp_get_thread_num();
    CHECK(omp_get_num_threads() == 4);
    CHECK(omp_in_parallel());
    CHECK(omp_get_level() == 1);
    CHECK(omp_get_active_level() == 1);
    CHECK(omp_get_ancestor_thread_num(1) == me);
    CHECK(omp_get_team_size(1) == 4);
    CHECK(omp_get_team_size(0) == 1);
    if (me >= 0 && me < 4) __atomic_fetch_add(&seen[me], 1, __ATOMIC_RELAXED);

#pragma omp parallel num_threads(2)
    {
      const int inner = omp_get_thread_num();
      CHECK(omp_get_level() == 2);
      CHECK(omp_get_ancestor_thread_num(0) == 0);
      CHECK(omp_get_ancestor_thread_num(1) == me);
      CHECK(omp_get_ancestor_thread_num(2) == inner);
      CHECK(omp_get_ancestor_thread_num(3) == -1);
      CHECK(omp_get_team_size(1) == 4);
      CHECK(omp_get_team_size(2) == omp_get_num_threads());
#pragma omp parallel if (0)
      {
        CHECK(omp_get_level() == 3);
        CHECK(omp_get_num_threads() == 1);
        CHECK(omp_in_parallel());
        CHECK(omp_get_ancestor_thread_num(1) == me);
        CHECK(omp_get_ancestor_thread_num(2) == inner);
      }
    }
    CHECK(omp_get_level() == 1);
    CHECK(omp_get_thread_num() == me);
  }
  for (int i = 0; i < 4; ++i) CHECK(seen[i] == 1);
#pragma omp parallel num_threads(1)
  {
    CHECK(omp_get_level() == 1);
    CHECK(omp_get_active_level() == 0);
    CHECK(!omp_in_parallel());
  }
}

static void binding(void) {
  CHECK(omp_get_proc_bind() == omp_proc_bind_false);
  CHECK(omp_get_num_places() == 0);
  CHECK(omp_get_place_num() == -1);
  CHECK(omp_get_place_num_procs(0) == 0);
  CHECK(omp_get_partition_num_places() == 0);
}

static int shows(const char* format, const char* expected) {
  char buffer[64];
  const size_t length = omp_capture_affinity(buffer, sizeof buffer, format);
  if (length == strlen(expected) && strcmp(buffer, expected) == 0) return 1;
  fprintf(stderr, "\"%s\" gave \"%s\", not \"%s\"\n", format, buffer, expected);
  return 0;
}

static void affinity_formats(void) {
  char buffer[16];
  char expected[64];
  omp_set_affinity_format("thread %n of %N");
  CHECK(omp_get_affinity_format(buffer, sizeof buffer) == 15);
  CHECK(strcmp(buffer, "thread %n of %N") == 0);
  CHECK(omp_get_affinity_format(buffer, 7) == 15);
  CHECK(strcmp(buffer, "thread") == 0);
  CHECK(omp_get_affinity_format(NULL, 0) == 15);
  CHECK(omp_capture_affinity(buffer, 4, "") == strlen("thread 0 of 1"));
  CHECK(strcmp(buffer, "thr") == 0);

  CHECK(shows("", "thread 0 of 1"));
  CHECK(shows("%{nesting_level}/%L/%{team_num}/%T", "0/0/0/1"));
  CHECK(shows("[%4n][%.4n][%0.4n]", "[0   ][   0][0000]"));
  CHECK(shows("[%0.3a]", "[-01]"));
  CHECK(shows("100%% %z %{what} %", "100% undefined undefined %"));
  snprintf(expected, sizeof expected, "%8d", (int)getpid());
  CHECK(shows("%.8P", expected));
#pragma omp parallel num_threads(3)
  {
    char mine[8];
    snprintf(mine, sizeof mine, "%d/3", omp_get_thread_num());
    CHECK(shows("%{thread_num}/%{num_threads}", mine));
  }
}

static void devices(void) {
  int from[4][5], to[3][4];
  const size_t volume[2] = {2, 3}, to_offsets[2] = {1, 1}, from_offsets[2] = {2, 1};
  const size_t to_dimensions[2] = {3, 4}, from_dimensions[2] = {4, 5};
  const int host = omp_get_initial_device();
  CHECK(omp_get_num_devices() == 0);
  CHECK(host == omp_get_num_devices());
  CHECK(omp_get_device_num() == host);
  CHECK(omp_is_initial_device());
  omp_set_default_device(2);
  CHECK(omp_get_default_device() == 2);
  omp_set_default_device(-1); /* OpenMP 5.2's omp_initial_device */
  CHECK(omp_get_default_device() == -1);
#pragma omp target
  CHECK(omp_is_initial_device());

  memset(to, 0, sizeof to);
  for (int i = 0; i < 20; ++i) from[i / 5][i % 5] = i;
  CHECK(omp_target_memcpy_rect(to, from, sizeof(int), 2, volume, to_offsets, from_offsets,
                               to_dimensions, from_dimensions, host, host) == 0);
  for (int i = 0; i < 12; ++i) {
    const int row = i / 4, column = i % 4, copied = row >= 1 && column >= 1;
    CHECK(to[row][column] == (copied ? from[row + 1][column] : 0));
  }
  CHECK(omp_target_memcpy_rect(NULL, NULL, 0, 0, NULL, NULL, NULL, NULL, NULL, host, host) >= 3);

  char* memory = omp_target_alloc(16, host);
  CHECK(memory != NULL);
  CHECK(omp_target_is_present(memory, host));
  CHECK(!omp_target_is_present(NULL, host));
  CHECK(omp_target_memcpy(memory, "..doall", 6, 1, 2, host, host) == 0);
  CHECK(strcmp(memory + 1, "doall") == 0);
  CHECK(omp_target_memcpy(memory, "", 1, 0, 0, host, host + 1) != 0);
  omp_target_free(memory, host);
  CHECK(omp_target_alloc(16, host + 1) == NULL);
  CHECK(omp_target_associate_ptr(to, from, 4, 0, host) != 0);
  CHECK(omp_pause_resource(omp_pause_soft, host) == 0);
  CHECK(omp_pause_resource(omp_pause_soft, host + 9) != 0);
  CHECK(omp_pause_resource_all(omp_pause_hard) == 0);
}

int main(void) {
  const double begin = omp_get_wtime();
  outside_of_regions();
  setters();
  schedules();
  levels();
  binding();
  affinity_formats();
  devices();
  outside_of_regions();
  CHECK(omp_get_wtick() > 0 && omp_get_wtick() < 1e-3);
  CHECK(omp_get_wtime() > begin);
  return check_result();
}
