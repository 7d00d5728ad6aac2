/* Allocators: alignment, pools, what happens when they are exhausted. */
#include <omp.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"

static int aligned(const void* memory, uintptr_t alignment) {
  return memory != NULL && (uintptr_t)memory % alignment == 0;
}

static void predefined(void) {
  for (int a = omp_null_allocator; a <= omp_thread_mem_alloc; ++a) {
    char* memory = omp_alloc(100, (omp_allocator_handle_t)a);
    CHECK(aligned(memory, sizeof(void*)));
    memset(memory, 1, 100);
    memory = omp_realloc(memory, 1000, (omp_allocator_handle_t)a, (omp_allocator_handle_t)a);
    for (int i = 0; i < 100; ++i) CHECK(memory[i] == 1);
    omp_free(memory, omp_null_allocator);
  }
  CHECK(omp_alloc(0, omp_default_mem_alloc) == NULL);
  volatile size_t most = SIZE_MAX; /* hidden from the compiler's own check */
  CHECK(omp_alloc(most - 8, omp_default_mem_alloc) == NULL);
  CHECK(omp_calloc(most / 2, 4, omp_default_mem_alloc) == NULL);
  omp_free(NULL, omp_default_mem_alloc);
  char* zeros = omp_aligned_calloc(256, 10, 10, omp_default_mem_alloc);
  CHECK(aligned(zeros, 256));
  for (int i = 0; i < 100; ++i) CHECK(zeros[i] == 0);
  omp_free(zeros, omp_default_mem_alloc);
  void* page = omp_aligned_alloc(4096, 5, omp_default_mem_alloc);
  CHECK(aligned(page, 4096));
  omp_free(page, omp_default_mem_alloc);
}

static void pools(void) {
  const omp_alloctrait_t small[] = {
      {omp_atk_alignment, 128}, {omp_atk_pool_size, 4096}, {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t pool = omp_init_allocator(omp_default_mem_space, 3, small);
  CHECK(pool != omp_null_allocator);
  void* first = omp_alloc(3000, pool);
  CHECK(aligned(first, 128));
  CHECK(omp_alloc(3000, pool) == NULL);
  omp_free(first, pool);
  first = omp_alloc(3000, pool);
  CHECK(first != NULL);
  /* A pool that has room for the growth grows; for one that has not, all stays. */
  strcpy(first, "doall");
  first = omp_realloc(first, 3500, pool, pool);
  CHECK(aligned(first, 128) && strcmp(first, "doall") == 0);
  CHECK(omp_realloc(first, 5000, pool, pool) == NULL);
  CHECK(strcmp(first, "doall") == 0);

  /* Falls back to the exhausted pool, which gives nothing; to the system. */
  const omp_alloctrait_t chained[] = {{omp_atk_pool_size, 64},
                                      {omp_atk_fallback, omp_atv_allocator_fb},
                                      {omp_atk_fb_data, (omp_uintptr_t)pool}};
  const omp_allocator_handle_t chain = omp_init_allocator(omp_default_mem_space, 3, chained);
  CHECK(omp_alloc(2000, chain) == NULL);
  const omp_alloctrait_t generous[] = {{omp_atk_pool_size, 64},
                                       {omp_atk_fallback, omp_atv_default_mem_fb}};
  const omp_allocator_handle_t any = omp_init_allocator(omp_default_mem_space, 2, generous);
  void* from_system = omp_alloc(100000, any);
  CHECK(from_system != NULL);
  omp_free(from_system, any);
  omp_free(first, pool);

  /* Nothing is lost when threads share a pool. */
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 2000; ++i) {
    void* mine = omp_alloc(500, pool);
    CHECK(mine == NULL || aligned(mine, 128));
    omp_free(mine, pool);
  }
  first = omp_alloc(3000, pool);
  CHECK(first != NULL);
  omp_free(first, pool);

  omp_destroy_allocator(pool);
  omp_destroy_allocator(chain);
  omp_destroy_allocator(any);
}

static void traits(void) {
  const omp_alloctrait_t bad_alignment[] = {{omp_atk_alignment, 48}};
  const omp_alloctrait_t bad_fallback[] = {{omp_atk_fallback, omp_atv_blocked}};
  const omp_alloctrait_t plain[] = {
      {omp_atk_sync_hint, omp_atv_private},     {omp_atk_access, omp_atv_thread},
      {omp_atk_partition, omp_atv_interleaved}, {omp_atk_alignment, omp_atv_default},
      {omp_atk_pinned, omp_atv_false},          {omp_atk_fallback, omp_atv_default}};
  CHECK(omp_init_allocator(omp_default_mem_space, 1, bad_alignment) == omp_null_allocator);
  CHECK(omp_init_allocator(omp_default_mem_space, 1, bad_fallback) == omp_null_allocator);
  CHECK(omp_init_allocator((omp_memspace_handle_t)98, 0, NULL) == omp_null_allocator);
  /* GCC's 0 to 4; LLVM's default space since 23. */
  const int spaces[] = {0, 1, 2, 3, 4, 99};
  for (int i = 0; i < 6; ++i) {
    const omp_allocator_handle_t made =
        omp_init_allocator((omp_memspace_handle_t)spaces[i], 0, NULL);
    CHECK(made != omp_null_allocator);
    omp_destroy_allocator(made);
  }
  const omp_allocator_handle_t a = omp_init_allocator(omp_large_cap_mem_space, 6, plain);
  CHECK(a != omp_null_allocator);

  CHECK(omp_get_default_allocator() == omp_default_mem_alloc);
  omp_set_default_allocator(a);
  CHECK(omp_get_default_allocator() == a);
  omp_free(omp_alloc(10, omp_null_allocator), omp_null_allocator);
#pragma omp parallel num_threads(2)
  CHECK(omp_get_default_allocator() == a);
  omp_set_default_allocator(omp_null_allocator);
  CHECK(omp_get_default_allocator() == omp_default_mem_alloc);
  omp_destroy_allocator(a);
}

static long locked_kb(void) {
  FILE* status = fopen("/proc/self/status", "r");
  char line[256];
  long kb = -1;
  while (status != NULL && fgets(line, sizeof line, status) != NULL)
    sscanf(line, "VmLck: %ld", &kb);
  if (status != NULL) fclose(status);
  return kb;
}

/* A sanitizer's mlock() does nothing. */
static int locking_shows(void) {
  static char page[3 * 4096];
  const long before = locked_kb();
  if (mlock(page, sizeof page) != 0) return 0;
  const int shows = locked_kb() > before;
  munlock(page, sizeof page);
  return shows;
}

/* The system may refuse: then there is no memory, and nothing is left locked. */
static void pinned(void) {
  const omp_alloctrait_t traits[] = {{omp_atk_pinned, omp_atv_true},
                                     {omp_atk_fallback, omp_atv_null_fb}};
  const omp_allocator_handle_t a = omp_init_allocator(omp_default_mem_space, 2, traits);
  const omp_allocator_handle_t all[] = {a, (omp_allocator_handle_t)200}; /* GCC 14's */
  CHECK(a != omp_null_allocator);
  const int shows = locking_shows();
  const long before = locked_kb();
  for (int i = 0; i < 2; ++i) {
    char* memory = omp_calloc(10, 1000, all[i]);
    if (memory == NULL) continue;
    CHECK(!shows || locked_kb() >= before + 8);
    memory[9999] = 'x';
    char* grown = omp_realloc(memory, 20000, all[i], all[i]);
    if (grown != NULL) memory = grown;
    CHECK(memory[9999] == 'x' && memory[0] == 0);
    omp_free(memory, all[i]);
    CHECK(locked_kb() == before);
  }
  CHECK(omp_alloc((size_t)1 << 50, a) == NULL);
  CHECK(locked_kb() == before);

  /* Small pieces share pages, and are apart. */
  enum { pieces = 100, size = 24 };
  char* small[pieces];
  int got = 0;
  for (int i = 0; i < pieces; ++i) {
    small[i] = omp_aligned_alloc(i % 2 ? 8 : 64, size, a);
    if (small[i] == NULL) continue;
    ++got;
    CHECK((uintptr_t)small[i] % (i % 2 ? 8 : 64) == 0);
    memset(small[i], i, size);
  }
  CHECK(!shows || got == 0 || locked_kb() > before);
  CHECK(!shows || locked_kb() <= before + 4 * sysconf(_SC_PAGESIZE) / 1024 * 2);
  for (int i = 0; i < pieces; ++i) {
    if (small[i] == NULL) continue;
    CHECK(small[i][0] == i && small[i][size - 1] == i);
    omp_free(small[i], a);
  }
  CHECK(locked_kb() == before);
  omp_destroy_allocator(a);
}

static void allocate_clause(void) {
  int x = 3, sum = 0;
#pragma omp parallel num_threads(3) firstprivate(x) allocate(omp_default_mem_alloc : x) \
    reduction(+ : sum)
  {
    x += omp_get_thread_num();
    sum += x;
  }
  CHECK(sum == 9 + 0 + 1 + 2);
}

// One that falls back to another, and has none, has the default memory's.
static void fallback_to_nothing(void) {
  const omp_alloctrait_t wanted[] = {{omp_atk_pool_size, 1024},
                                     {omp_atk_fallback, omp_atv_allocator_fb}};
  const omp_allocator_handle_t a = omp_init_allocator(omp_default_mem_space, 2, wanted);
  const omp_allocator_handle_t usual = omp_get_default_allocator();
  omp_set_default_allocator(a);
  void* const memory = omp_alloc(5000, omp_null_allocator);
  CHECK(memory != NULL);
  omp_free(memory, omp_null_allocator);
  omp_set_default_allocator(usual);
  omp_destroy_allocator(a);
}

int main(void) {
  predefined();
  pools();
  traits();
  pinned();
  allocate_clause();
  fallback_to_nothing();
  return check_result();
}
