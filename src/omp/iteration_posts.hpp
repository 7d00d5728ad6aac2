// How an iteration of a doacross loop tells that it has come to its source, and how later ones wait
// for that. The words lie in memory of zeros; what they count is the door's (doacross.hpp,
// llvm/doacross.cpp).
//
// Callers: post_count(), for each word one thread at a time, with growing counts; post_bit() and
// await_post(), any thread of the loop.
// Terminates: sinks name earlier iterations, and chunks come in increasing order, so the earliest
// unfinished iteration runs. A loop that is given up is left: whoever gives it up opens the gate.
// Checked by tests/model/model_iteration_posts.cpp.
#pragma once

#include <cstdint>

#include "base/sync.hpp"
#include "park/gate.hpp"

namespace doall::omp {

using posts = sync::atomic<std::uint64_t>;

// `at`: where the loop's threads wait for each other.
inline void post_count(posts& of, std::uint64_t count, park::gate& at) {
  // (1) release; pairs with (3): what the iteration did before its source
  of.store(count, sync::release);
  at.open();
}

// Adds a bit to those of other iterations.
inline void post_bit(posts& of, std::uint64_t bit, park::gate& at) {
  // (2) release; pairs with (3): as (1)
  of.fetch_or(bit, sync::release);
  at.open();
}

// Returns when has_posted(word) holds. Returns early if given_up(): the thread that has the sink
// may have left a cancelled region.
template <class HasPosted, class GivenUp>
void await_post(const posts& of, HasPosted has_posted, park::gate& at, park::spin_bound spin,
                GivenUp given_up) {
  // (3) acquire; pairs with (1), (2): what the sink's iteration did before its source
  at.wait([&] { return has_posted(of.load(sync::acquire)) || given_up(); }, spin);
}

}  // namespace doall::omp
