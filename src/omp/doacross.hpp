// Loop nests with `ordered(n)`: an iteration waits for the earlier ones that its
// `depend(sink: ...)` names, and posts its progress by `depend(source)`.
//
// State: for each iteration of the outermost loop, how many of the nest's inner iterations have
// posted, counted row by row. Posts of one outer iteration come from one thread and in order, so
// one number is enough.
//
// Terminates: as iteration_posts.hpp says, for the schedule is monotonic (loops.cpp).
// Memory: one word and a bit for each outer iteration; untouched pages cost nothing. Cost: a post
// is a store and a load, a wait usually one load.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <cstdlib>
#include <memory>

#include "base/env.hpp"
#include "base/tsan.hpp"
#include "omp/iteration_posts.hpp"

namespace doall::omp {

struct doacross {
  unsigned dimensions = 0;
  std::unique_ptr<unsigned long long[]> counts;
  iteration_posts posted;  // a word for each outer iteration

  static doacross* make(const unsigned long long* counts, unsigned dimensions,
                        std::uint64_t outer_iterations) {
    auto made = std::make_unique<doacross>();
    made->dimensions = dimensions;
    made->counts = std::make_unique<unsigned long long[]>(dimensions);
    for (unsigned d = 0; d < dimensions; ++d) made->counts[d] = counts[d];
    made->posted = make_iteration_posts(outer_iterations);
    if (made->posted.words == nullptr) {
      base::warn("no memory for the dependences of a loop with " +
                 std::to_string(outer_iterations) + " iterations; the program ends here");
      std::exit(1);
    }
    return made.release();
  }

  static void destroy(doacross* d) {
    if (d == nullptr) return;
    free_iteration_posts(d->posted);
    delete d;
  }

  // The place of an iteration within its outer iteration; at(d) returns its index in dimension d,
  // and is called for 1 to dimensions - 1.
  template <class At>
  std::uint64_t inner_place(At at) const {
    std::uint64_t place = 0;
    for (unsigned d = 1; d < dimensions; ++d) place = place * counts[d] + at(d);
    return place;
  }

  // `at`: where the loop's threads wait for each other.
  void post(std::uint64_t outer, std::uint64_t inner, park::gate& at) const {
    base::tsan_gives(&posted.words[outer]);
    posted.post_count(outer, inner + 1, at);
  }

  // Returns early if given_up(): the thread that has the sink may have left a cancelled region.
  template <class GivenUp>
  void wait(std::uint64_t outer, std::uint64_t inner, park::gate& at, park::spin_bound spin,
            GivenUp given_up) const {
    posted.await(outer, [&](std::uint64_t count) { return count > inner; }, at, spin, given_up);
    base::tsan_takes(&posted.words[outer]);
  }
};

}  // namespace doall::omp
