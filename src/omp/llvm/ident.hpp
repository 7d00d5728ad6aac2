// What every entry point of LLVM's ABI is given: the place in the source, and the calling thread's
// global number.
#pragma once

#include <cstdint>

#include "omp/source_place.hpp"
#include "omp/static_tls.hpp"

// The compiler's description of a construct. `source` is ";file;function;line;column;;", or names
// "unknown" in a program that was built without -g.
struct ident_t {
  std::int32_t reserved;
  std::int32_t flags;
  std::int32_t more_flags;
  std::int32_t source_bytes;
  const char* source;
};

// The caller's global number, which compiled code only hands on. Here each function asks the
// calling thread itself, so nothing depends on it.
using gtid_t = std::int32_t;

// The call's place in the program. Only usable in the entry point itself.
#define HERE __builtin_return_address(0)

namespace doall::omp {

// Bits of ident_t::flags.
enum ident_flag : std::int32_t {
  ident_atomic_reduce = 0x10,  // the compiler has code that combines by atomic operations
  ident_barrier_explicit = 0x20,
  ident_barrier_implicit = 0x40,  // at the end of a worksharing construct
  ident_sections = 0x400,         // a static loop is the sections construct
};

// A construct at `code`, with the file, function and line that `at` (may be null) names if a report
// is wanted.
source_place place_of(const ident_t* at, const void* code);

// The calling thread's, and 1; 0: it has none yet.
[[gnu::visibility(
    "hidden")]] DOALL_STATIC_TLS extern constinit thread_local std::int32_t thread_number_and_1;
std::int32_t give_thread_number();

// The calling thread's number among all threads of the process that have met an OpenMP construct:
// from 0, never used twice.
inline std::int32_t global_thread_number() {
  const std::int32_t number_and_1 = thread_number_and_1;
  return number_and_1 != 0 ? number_and_1 - 1 : give_thread_number();
}

// How many numbers have been given.
std::int32_t count_threads_met();

}  // namespace doall::omp
