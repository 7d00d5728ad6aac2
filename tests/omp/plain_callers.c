/* Calls GOMP_loop_start as GCC's own code does, which passes nothing beyond its nine or ten
 * arguments, and as doall's plugin does, which passes five more: what lies above the arguments on
 * the stack is the caller's, and must be as it was when the call returns. */
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "check.h"

#ifdef __x86_64__

enum { in_registers = 6, words = 32, named = 9, named_ull = 10, further = 5 };
enum { by_runtime = 0, in_dynamic = 2, in_guided = 3 };
static const long unsteered = 0x80000001L;
static const long magic = 0x6363206c6c616f64L;

extern void GOMP_loop_start(void);
extern void GOMP_loop_ull_start(void);
extern bool GOMP_loop_runtime_next(long*, long*);
extern bool GOMP_loop_ull_runtime_next(unsigned long long*, unsigned long long*);
extern void GOMP_loop_end(void);

/* Calls the function with those arguments. `stack` is what lies above its return address, and is
 * afterwards what lay there then. */
static bool call(void (*function)(void), const long* registers, long* stack) {
  register void (*which)(void) __asm__("r12") = function;
  register const long* given __asm__("r13") = registers;
  register long* above __asm__("r14") = stack;
  unsigned char result;
  __asm__ volatile(
      "mov %%rsp, %%rbx\n\t"
      "sub $128, %%rsp\n\t" /* the red zone */
      "and $-16, %%rsp\n\t"
      "sub $256, %%rsp\n\t"
      "mov %[above], %%rsi\n\t"
      "mov %%rsp, %%rdi\n\t"
      "mov $32, %%ecx\n\t"
      "rep movsq\n\t"
      "mov 0(%[given]), %%rdi\n\t"
      "mov 8(%[given]), %%rsi\n\t"
      "mov 16(%[given]), %%rdx\n\t"
      "mov 24(%[given]), %%rcx\n\t"
      "mov 32(%[given]), %%r8\n\t"
      "mov 40(%[given]), %%r9\n\t"
      "call *%[which]\n\t"
      "mov %%rsp, %%rsi\n\t"
      "mov %[above], %%rdi\n\t"
      "mov $32, %%ecx\n\t"
      "rep movsq\n\t"
      "mov %%rbx, %%rsp"
      : "=&a"(result)
      : [which] "r"(which), [given] "r"(given), [above] "r"(above)
      : "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc", "xmm0", "xmm1",
        "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
        "xmm13", "xmm14", "xmm15");
  return result;
}

/* What a compiled loop says of itself (src/omp/compiled_loop.hpp). */
static struct {
  uint32_t size, line;
  const char *file, *schedule;
  uint64_t kept, facts;
} note = {sizeof note, 1, "plain_callers.c", NULL, 0, 0};

static void check_loop(bool ull, long sched, bool says_more, int* ran) {
  enum { iterations = 20 };
  long first = 0;
  long last = 0;
  long arguments[named_ull + further] = {0};
  int n = 0;
  if (ull) arguments[n++] = true;
  arguments[n++] = 0;
  arguments[n++] = iterations;
  arguments[n++] = 1;
  arguments[n++] = sched;
  arguments[n++] = 1;
  arguments[n++] = (long)&first;
  arguments[n++] = (long)&last;
  n += 2; /* no reductions, no scratch memory */
  CHECK(n == (ull ? named_ull : named));
  if (says_more) {
    arguments[n++] = magic;
    arguments[n++] = (long)&note;
    n += 3; /* no context, no costs, no facts */
  }
  long stack[words];
  for (int i = 0; i < words; ++i) {
    const bool passed = i < n - in_registers;
    stack[i] = passed ? arguments[in_registers + i] : 0x5eed000000000000L + i;
  }
  bool more = call(ull ? GOMP_loop_ull_start : GOMP_loop_start, arguments, stack);
  for (int i = n - in_registers; i < words; ++i) CHECK(stack[i] == 0x5eed000000000000L + i);
  while (more) {
    for (long i = first; i < last; ++i) {
#pragma omp atomic
      ++*ran;
    }
    more = ull ? GOMP_loop_ull_runtime_next((void*)&first, (void*)&last)
               : GOMP_loop_runtime_next(&first, &last);
  }
  GOMP_loop_end();
#pragma omp single
  {
    CHECK(*ran == iterations);
    *ran = 0;
  }
}

int main(void) {
  int ran = 0;
#pragma omp parallel num_threads(2)
  for (int ull = 0; ull < 2; ++ull) {
    const long plain[] = {by_runtime, in_dynamic, in_guided, unsteered};
    for (int i = 0; i < 4; ++i) {
      if (plain[i] != unsteered) check_loop(ull, plain[i], false, &ran);
      check_loop(ull, plain[i], true, &ran);
    }
  }
  return check_result();
}

#else

int main(void) {
  puts("for x86-64 alone");
  return 77;
}

#endif
