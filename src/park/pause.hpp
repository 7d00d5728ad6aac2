// What a spinning thread does between two looks: as little as the core allows.
//
// pause gives a sibling hyperthread the core for some tens of cycles. tpause (x86's WAITPKG) also
// lets the core save power until a given time. Nothing wakes a thread out of tpause, so each one
// delays the look after it: it is for waits that have lasted a while.
#pragma once

#include <cstdint>

#include "base/sync.hpp"
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#include "base/clock.hpp"
#endif

namespace doall::park {

#if defined(__x86_64__)

// Whether ECX of CPUID's leaf 7 has WAITPKG.
constexpr bool waitpkg_in(std::uint32_t leaf7_ecx) { return (leaf7_ecx >> 5 & 1) != 0; }

inline bool cpu_has_waitpkg() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && waitpkg_in(ecx);
}

[[gnu::target("waitpkg")]] inline void tpause() {
  constexpr std::uint64_t nap_ticks = 200;  // 50 to 100 ns: what a long pause takes
  constexpr unsigned light_sleep = 1;       // C0.1, which ends the faster of the two
  _tpause(light_sleep, base::ticks() + nap_ticks);
}

inline const bool has_tpause = cpu_has_waitpkg();

#endif

// Between two looks of a wait that has lasted some microseconds.
inline void long_pause() {
#if defined(__x86_64__) && !defined(DOALL_SYNC_MODEL)
  if (has_tpause) return tpause();
#endif
  sync::relax();
}

}  // namespace doall::park
