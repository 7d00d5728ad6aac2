// A pair of fences of which one side pays: light_fence() for the frequent side, heavy_fence() for
// the rare one.
//
// Two threads store, each to its own word, and then load the other's. With a fence between store
// and load on both sides at least one sees the other's store. The light fence is no instruction; it
// only keeps the compiler from moving accesses across. The heavy one has the kernel run a full
// fence in every running thread of the process (membarrier(2), PRIVATE_EXPEDITED), including the
// light side's, at some point between the call and its return. src/park/README.md argues that this
// is enough; tests/model/model_asymmetric.cpp checks it.
//
// If the kernel refuses, or with DOALL_MEMBARRIER=off, both are sync::fence(). So they are under
// ThreadSanitizer, in the stress build and in the model, which know nothing of membarrier.
//
// A heavy fence interrupts every core on which the process runs, and the kernel makes such calls
// one after the other: P threads that fall asleep together cost P^2 interrupts. So a process of
// many threads changes to real fences on both sides, once and for good: make_all_fences_real(). One
// beside other programs, whose threads sleep at each wait, does so for a while: make_fences_real().
//
// State: one word, decided once for both sides, when the library is loaded or at the first
// heavy_fence(), whichever is earlier. Invariant: light_fence() is light only after the decision,
// and no heavy_fence() omits the kernel's help before every light fence that was none has been
// outlasted: each looks first, and decides if that has not been done.
//
// Cost: light, one load of a word that is hardly ever written; heavy, 2 us with another thread of
// the process on a core, 70 ns without.
#pragma once

#include <cstdint>

#include "base/cache_line.hpp"
#include "base/sync.hpp"

#if defined(DOALL_SYNC_MODEL)

namespace doall::sync {
inline void light_fence(const place& here = {}) { fence(here); }
inline void heavy_fence(const place& here = {}) { fence(here); }
}  // namespace doall::sync

#else

namespace doall::base {

enum class fencing : std::uint64_t {
  asymmetric,  // light fences are left to the kernel
  undecided,   // light fences are real ones
  symmetric,   // both are real ones, for good
  for_now,     // both are real ones, until make_fences_light()
  retiring,    // light fences are real ones; heavy ones still have the kernel's help
  withdrawn,   // the kernel now refuses what it granted: on the way to symmetric
};

// Every opener reads it: no data beside it is written. The word is a `fencing`, and in the bits
// above it how often it has become `retiring`.
struct alignas(apart_bytes) fencing_choice {
  static constexpr std::uint64_t round = 8;
  static constexpr fencing in(std::uint64_t word) { return static_cast<fencing>(word % round); }
  static constexpr std::uint64_t with(std::uint64_t word, fencing how) {
    return word - word % round + static_cast<std::uint64_t>(how);
  }

  fencing now() const { return in(made.load()); }

  sync::atomic<std::uint64_t> made{static_cast<std::uint64_t>(fencing::undecided)};
};
extern fencing_choice how_to_fence;

// Makes a fence in every running thread of the process, including this one.
void fence_everywhere();

// From now on light fences are real ones, and heavy ones make no system call: for good, or until
// make_fences_light(). Any thread, any time. Costs one membarrier; nothing if both are real
// already.
void make_all_fences_real();
void make_fences_real();

// Light fences are light again, if make_fences_real() made them real.
void make_fences_light();

// Says what is wrong with DOALL_MEMBARRIER, if anything is. Called with the first loop, as for
// other variables, not when the library is loaded: the command has it too, and the program that it
// starts would say so again.
void warn_of_bad_fence_setting();

}  // namespace doall::base

namespace doall::sync {

#if defined(DOALL_THREAD_SANITIZER)
inline void light_fence() { fence(); }
inline void heavy_fence() { fence(); }
#else
inline void light_fence() {
  // The accesses to be ordered come before the look: make_all_fences_real() relies on it.
  compiler_fence();
  // (1) acquire; pairs with asymmetric_fence (3): what is loaded next is no older. A thread that
  // misses the decision makes a real fence, which serves as well.
  const std::uint64_t how = base::how_to_fence.made.load(sync::acquire);
  if (base::fencing_choice::in(how) == base::fencing::asymmetric) [[likely]] {
    compiler_fence();
  } else {
    fence();
  }
}
inline void heavy_fence() { base::fence_everywhere(); }
#endif

}  // namespace doall::sync

#endif
