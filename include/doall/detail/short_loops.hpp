// Nested loops of microseconds: run where they are met, without the runtime.
//
// What the runtime would do with a loop of less than half a microsecond is to run it whole, on its
// caller, whatever else it finds: that is LBS's rule (section 3.2) for a loop of no more than ppt
// iterations. One of some microseconds it would run whole as well as long as nobody is idle, with a
// look at the deque every ppt iterations (section 3); here that is one look, before the loop: a
// thief that comes meanwhile finds the part that was seen, and the next one waits for the next
// loop. To find that out in the runtime takes longer than many such loops do, so it says how long
// they may be, by their body (doall_site), and here is what is left of the rule: two comparisons.
// One loop in some is given to the runtime all the same, which times it.
#pragma once

#include <doall/abi.h>
#include <doall/options.hpp>

#include <cstdint>

namespace doall {
inline namespace v0 {
namespace detail {

// Of the loops whose pieces are of that type, or whatever else tells their bodies apart.
template <class Loop>
inline constinit doall_site site_of{};

// A prime number, so that no pattern in which loops of several bodies follow each other keeps one
// of them from the runtime.
inline constexpr std::uint32_t short_loops_a_call = 61;

// Of this thread: until the next is given to the runtime.
inline constinit thread_local std::uint32_t short_loops_left = 0;

inline bool names(const doall_schedule& schedule, std::uint64_t first_word) {
  std::uint64_t others = 0;
  for (int i = 1; i < 8; ++i) others |= schedule.opaque[i];
  return schedule.opaque[0] == first_word && others == 0;
}

// Whether to run the loop of so many indices without the runtime; then there is no stop to ask for.
inline bool is_short(const doall_site& site, std::uint64_t indices, const loop_options& options) {
  if (indices > __atomic_load_n(&site.alone_if_busy, __ATOMIC_RELAXED)) return false;
  if (!names(*options.how.raw(), __atomic_load_n(&site.schedule, __ATOMIC_RELAXED))) return false;
  if (options.stop.stop_possible()) return false;
  const bool always = indices <= __atomic_load_n(&site.alone, __ATOMIC_RELAXED);
  if (!always && doall_nobody_idle() == 0) return false;
  if (short_loops_left != 0) {
    --short_loops_left;
    return true;
  }
  short_loops_left = short_loops_a_call;
  return false;
}

}  // namespace detail
}  // namespace v0
}  // namespace doall
