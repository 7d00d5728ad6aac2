/* Stands in for ThreadSanitizer's runtime: counts what LLVM's Archer annotates, by which one sees
 * that Archer gets its events. Prints the counts when the program ends. */
#include <stdio.h>

static int before, after, functions;

#define EXPORT __attribute__((visibility("default")))

EXPORT int RunningOnValgrind(void) { return 1; }
EXPORT void AnnotateHappensBefore(const char* file, int line, const volatile void* at) {
  (void)file, (void)line, (void)at;
  __atomic_fetch_add(&before, 1, __ATOMIC_RELAXED);
}
EXPORT void AnnotateHappensAfter(const char* file, int line, const volatile void* at) {
  (void)file, (void)line, (void)at;
  __atomic_fetch_add(&after, 1, __ATOMIC_RELAXED);
}
EXPORT void AnnotateIgnoreWritesBegin(const char* file, int line) { (void)file, (void)line; }
EXPORT void AnnotateIgnoreWritesEnd(const char* file, int line) { (void)file, (void)line; }
EXPORT void AnnotateNewMemory(const char* file, int line, const volatile void* at, size_t bytes) {
  (void)file, (void)line, (void)at, (void)bytes;
}
EXPORT void __tsan_flush_memory(void) {}
EXPORT void __tsan_func_entry(const void* code) {
  (void)code;
  __atomic_fetch_add(&functions, 1, __ATOMIC_RELAXED);
}
EXPORT void __tsan_func_exit(void) { __atomic_fetch_sub(&functions, 1, __ATOMIC_RELAXED); }

__attribute__((destructor)) static void print(void) {
  printf("annotations: %d before, %d after, %d functions left open\n", before, after, functions);
  fflush(stdout);
}
