// A pair of fences of which one side pays: light_fence() for the thread that
// comes by often, heavy_fence() for the one that comes by rarely.
//
// Two threads store, each to its own word, and then load the other's. With a
// fence between store and load on both sides at least one sees the other's
// store. The light fence is no instruction, only a line that the compiler may
// not move accesses across; the heavy one has the kernel run a full fence in
// every running thread of the process (membarrier(2), PRIVATE_EXPEDITED), the
// light side's included, at some point between the call and its return. The
// argument that this does is in src/park/README.md; checked by
// tests/model/model_asymmetric.cpp.
//
// Where the kernel refuses, or DOALL_MEMBARRIER=off, both are sync::fence(); so
// they are under ThreadSanitizer, in the stress build and in the model, which
// know nothing of membarrier.
//
// State: one word, decided once for both sides, when the library is loaded or at
// the first heavy_fence(), whichever is earlier. Invariant: light_fence() is
// light only after the decision, and no heavy_fence() goes by another one: each
// looks first, and decides if nobody has.
//
// Cost: light, one load of a word that is never written again; heavy, 2 us with
// another thread of the process on a core, 70 ns without.
#pragma once

#include "base/cache_line.hpp"
#include "base/sync.hpp"

#if defined(DOALL_SYNC_MODEL)

namespace doall::sync {
inline void light_fence(const place& here = {}) { fence(here); }
inline void heavy_fence(const place& here = {}) { fence(here); }
}  // namespace doall::sync

#else

namespace doall::base {

enum class fencing : int {
  undecided,   // light fences are real ones
  symmetric,   // both are, for good
  asymmetric,  // light fences are left to the kernel
  withdrawn,   // the kernel has gone back on its word: on the way to symmetric
};

// Every opener reads it: nothing that is written lies beside it.
struct alignas(apart_bytes) fencing_choice {
  sync::atomic<fencing> made{fencing::undecided};
};
extern fencing_choice how_to_fence;

// A fence in every running thread of the process, this one included.
void fence_everywhere();

}  // namespace doall::base

namespace doall::sync {

#if defined(DOALL_SYNC_DELAYS) || defined(DOALL_THREAD_SANITIZER)
inline void light_fence() { fence(); }
inline void heavy_fence() { fence(); }
#else
inline void light_fence() {
  // (1) relaxed; alone: who misses the decision makes a real fence, which serves as well
  if (base::how_to_fence.made.load(sync::relaxed) == base::fencing::asymmetric) [[likely]] {
    compiler_fence();
  } else {
    fence();
  }
}
inline void heavy_fence() { base::fence_everywhere(); }
#endif

}  // namespace doall::sync

#endif
