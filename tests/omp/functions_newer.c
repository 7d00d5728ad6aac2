/* What programs of GCC 14 to 16 ask for, and GCC 12 does not know: interoperability objects, device
 * texts, Fortran's allocators and its copies of allocatable variables, filling memory. The answers
 * are those of GCC's own library where the host is the only device. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

typedef uintptr_t object; /* omp_interop_t */
enum { properties = 9, empty = -1, out_of_range = -2, invalid_device = -4 };

static void* function(const char* name, const char* version) {
  void* found = dlvsym(RTLD_DEFAULT, name, version);
  if (found == NULL) printf("there is no %s of %s\n", name, version);
  CHECK(found != NULL);
  return found;
}

static void objects(void) {
  intptr_t (*const get_int)(object, int, int*) = function("omp_get_interop_int", "GOMP_5.1.3");
  void* (*const get_ptr)(object, int, int*) = function("omp_get_interop_ptr", "GOMP_5.1.3");
  const char* (*const get_str)(object, int, int*) = function("omp_get_interop_str", "GOMP_5.1.3");
  const char* (*const name_of)(object, int) = function("omp_get_interop_name", "GOMP_5.1.3");
  const char* (*const text_of)(object, int) = function("omp_get_interop_rc_desc", "GOMP_5.1.3");
  int (*const more)(object) = function("omp_get_num_interop_properties", "GOMP_5.1.3");
  CHECK(more(0) == 0);
  for (int property = -properties - 2; property < 3; ++property) {
    const bool is_there = property >= -properties && property < 0;
    const int expected = is_there ? empty : out_of_range;
    int of_int = 9, of_ptr = 9, of_str = 9;
    CHECK(get_int(0, property, &of_int) == 0 && of_int == expected);
    CHECK(get_ptr(0, property, &of_ptr) == NULL && of_ptr == expected);
    CHECK(get_str(0, property, &of_str) == NULL && of_str == expected);
    CHECK((name_of(0, property) != NULL) == is_there);
  }
  CHECK(get_int(0, -1, NULL) == 0);
  CHECK(strcmp(name_of(0, -1), "fr_id") == 0 && strcmp(name_of(0, -9), "targetsync") == 0);
  CHECK(text_of(0, 0) != NULL && text_of(0, empty) != NULL && text_of(0, 7) == NULL);

  /* As gfortran calls it: a text and its length come first. */
  void (*const fortran_name)(const char**, size_t*, object, int) =
      function("omp_get_interop_name_", "GOMP_5.1.3");
  const char* text = NULL;
  size_t length = 0;
  fortran_name(&text, &length, 0, -3);
  CHECK(length == strlen("vendor") && memcmp(text, "vendor", length) == 0);
  void (*const fortran_str)(const char**, size_t*, object, int, int*) =
      function("omp_get_interop_str_", "GOMP_5.1.3");
  fortran_str(&text, &length, 0, -4, NULL);
  CHECK(text == NULL && length == 0);
}

/* #pragma omp interop init(target: a) destroy(b) depend(in: x) waits for x. */
static void construct(void) {
  void (*const interop)(int, int, object**, const void*, const void*, int, object**, int, object**,
                        unsigned, void**) = function("GOMP_interop", "GOMP_5.1.3");
  int x = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
#pragma omp task depend(out : x) shared(x)
    {
      const double end = omp_get_wtime() + 0.02;
      while (omp_get_wtime() < end) {
      }
      x = 1;
    }
    object a = 5, b = 6;
    object *made[] = {&a}, *destroyed[] = {&b};
    const int target = 1;
    void* depend[] = {(void*)(uintptr_t)1, (void*)(uintptr_t)0, &x};
    interop(-1, 1, made, &target, NULL, 0, NULL, 1, destroyed, 0, depend);
    CHECK(x == 1 && a == 0 && b == 0);
  }
}

static void devices(void) {
  const char* (*const uid_of)(int) = function("omp_get_uid_from_device", "GOMP_6.0");
  int (*const device_of)(const char*) = function("omp_get_device_from_uid", "GOMP_6.0");
  CHECK(strcmp(uid_of(-1), "OMP_INITIAL_DEVICE") == 0);
  CHECK(strcmp(uid_of(omp_get_num_devices()), "OMP_INITIAL_DEVICE") == 0);
  CHECK(uid_of(1) == NULL && uid_of(-2) == NULL);
  CHECK(device_of(uid_of(-1)) == -1);
  CHECK(uid_of(-5) != NULL); /* OpenMP 6.0's omp_default_device */
  omp_set_default_device(7);
  CHECK(uid_of(-5) == NULL && !omp_target_is_present(&uid_of, -5));
  omp_set_default_device(-1);
  CHECK(uid_of(-5) != NULL && omp_target_is_present(&uid_of, -5));
  omp_set_default_device(-5);
  CHECK(omp_get_default_device() == -1);
  omp_set_default_device(0);
  CHECK(device_of("another") == invalid_device && device_of(NULL) == invalid_device);

  void* (*const fill)(void*, int, size_t, int) = function("omp_target_memset", "GOMP_6.0.1");
  void* (*const fill_later)(void*, int, size_t, int, int, void*) =
      function("omp_target_memset_async", "GOMP_6.0.1");
  char text[] = "......";
  CHECK(fill(text, 'a', 2, omp_get_initial_device()) == text && strcmp(text, "aa....") == 0);
  CHECK(fill_later(text + 1, 'b', 2, -1, 0, NULL) == text + 1 && strcmp(text, "abb...") == 0);
  CHECK(fill(NULL, 'c', 0, -1) == NULL);
}

static void noted_memory(void) {
  void (*const note)(void*) = function("GOMP_add_alloc", "GOMP_5.1.2");
  bool (*const is_noted)(void*) = function("GOMP_is_alloc", "GOMP_5.1.2");
  static char memory[1000];
#pragma omp parallel for
  for (int i = 0; i < 1000; ++i) note(memory + i);
  int found = 0;
#pragma omp parallel for reduction(+ : found)
  for (int i = 0; i < 2000; ++i) found += is_noted(memory + i % 1000);
  CHECK(found == 1000); /* once for each */
  CHECK(!is_noted(NULL));
}

/* An allocatable variable of Fortran's that is firstprivate in a target region: a copy of what says
 * where its elements are, which then names the copy of these. */
struct allocatable {
  size_t count;
  double* elements;
};

static double halves[] = {0.5, 1.5};
static struct allocatable original = {2, halves};
static int seen;

static void see_copies(void* list) {
  struct allocatable* const copy = ((void**)list)[0];
  CHECK(copy != &original && copy->count == 2);
  CHECK(copy->elements == ((double**)list)[1] && copy->elements != halves);
  CHECK(copy->elements[0] == 0.5 && copy->elements[1] == 1.5);
  copy->elements[0] = 7;
  seen++;
}

static void see_nothing(void* list) {
  struct allocatable* const copy = ((void**)list)[0];
  CHECK(copy->elements == NULL && ((void**)list)[1] == NULL);
  seen++;
}

static void copied_pointers(unsigned flags, int is_allocated) {
  enum { firstprivate = 12, attach = 0x50, aligned_8 = 3 << 8 };
  void (*const target)(int, void (*)(void*), size_t, void**, size_t*, unsigned short*, unsigned,
                       void**, void**) = function("GOMP_target_ext", "GOMP_4.5");
  original.elements = is_allocated ? halves : NULL;
  void* list[] = {&original, original.elements, NULL};
  list[2] = &list[0];
  size_t bytes[] = {sizeof original, is_allocated ? sizeof halves : 0, 1};
  unsigned short kinds[] = {firstprivate | aligned_8, firstprivate | aligned_8, attach};
  void* arguments[] = {NULL};
  target(-1, is_allocated ? see_copies : see_nothing, 3, list, bytes, kinds, flags, NULL,
         arguments);
  memset(list, 0, sizeof list); /* what a task of the region's still needs is elsewhere */
#pragma omp taskwait
  CHECK(halves[0] == 0.5);
}

/* What a target region copies is what it was at the construct, whatever it then waits for. */
static void copied_before_waiting(void) {
  int x = 0, values[20] = {1}, inside = 0;
#pragma omp parallel num_threads(1)
  {
#pragma omp task depend(out : x) shared(x, values)
    values[0] = 2;
    const int at_construct = values[0]; /* 1 where tasks of a team of one are deferred */
#pragma omp target depend(in : x) firstprivate(values) map(from : inside)
    inside = values[0];
    CHECK(inside == at_construct);
  }
  CHECK(values[0] == 2 && x == 0);
}

/* A league that nobody gives a size. */
static void league(void) {
  int teams = 0;
#pragma omp teams
  if (omp_get_team_num() == 0) teams = omp_get_num_teams();
  CHECK(teams == 3);
  omp_set_num_teams(5);
#pragma omp teams
  if (omp_get_team_num() == 0) teams = omp_get_num_teams();
  CHECK(teams == 5);
  omp_set_num_teams(0);
#pragma omp target teams map(from : teams)
  if (omp_get_team_num() == 0) teams = omp_get_num_teams();
  CHECK(teams == 1);
}

/* omp_invalid_device, by a clause or by default, ends the program. */
static void no_device(int by_clause) {
  const pid_t child = fork();
  if (child == 0) {
    if (freopen("/dev/null", "w", stderr) == NULL) _exit(9);
    if (!by_clause) omp_set_default_device(-4);
    const int device = by_clause ? -4 : -1;
    int ran = 0;
    if (by_clause) {
#pragma omp target device(device) map(ran)
      ran = 1;
    } else {
#pragma omp target map(ran)
      ran = 1;
    }
    _exit(8);
  }
  int status = 0;
  waitpid(child, &status, 0);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

/* Calls that make a task: the caller goes on, and may be who fulfills what it waits for. */
static void copies_that_wait(void) {
  int (*const copy)(void*, const void*, size_t, size_t, size_t, int, int, int, void*) =
      function("omp_target_memcpy_async", "OMP_5.1.1");
  int (*const rectangle)(void*, const void*, size_t, int, const size_t*, const size_t*,
                         const size_t*, const size_t*, const size_t*, int, int, int, void*) =
      function("omp_target_memcpy_rect_async", "OMP_5.1.1");
  void* (*const fill)(void*, int, size_t, int, int, void*) =
      function("omp_target_memset_async", "GOMP_6.0.1");
  int x = 0, copied = 0, of_rectangle = 0, filled = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
  {
    omp_event_handle_t event;
#pragma omp task detach(event) depend(out : x) shared(x)
    x = 7;
    omp_depend_t after_x;
#pragma omp depobj(after_x) depend(in : x)
    CHECK(copy(&copied, &x, sizeof x, 0, 0, 0, 0, 1, &after_x) == 0);
    {
      /* Gone before the copy is made. */
      const size_t one[] = {1, 1}, none[] = {0, 0};
      CHECK(rectangle(&of_rectangle, &x, sizeof x, 2, one, none, none, one, one, 0, 0, 1,
                      &after_x) == 0);
    }
    CHECK(fill(&filled, 1, 1, 0, 1, &after_x) == &filled);
    CHECK(copied == 0 && of_rectangle == 0 && filled == 0);
    CHECK(copy(&copied, &x, sizeof x, 0, 0, 99, 0, 1, &after_x) != 0);
    omp_fulfill_event(event);
#pragma omp taskwait
#pragma omp depobj(after_x) destroy
  }
  CHECK(x == 7 && copied == 7 && of_rectangle == 7 && filled == 1);
}

int main(void) {
  objects();
  copies_that_wait();
  construct();
  devices();
  noted_memory();
  no_device(0);
  no_device(1);
  for (unsigned flags = 0; flags < 2; ++flags) {
    copied_pointers(flags, 0);
    copied_pointers(flags, 1);
#pragma omp parallel num_threads(2)
#pragma omp single
    copied_pointers(flags, 1);
  }
  CHECK(seen == 6);
  copied_before_waiting();
  league();
  return check_result();
}
