// Loop nests with `ordered(n)`: an iteration waits for the earlier ones that its
// `depend(sink: ...)` names, and posts its progress by `depend(source)`.
//
// State: for each iteration of the outermost loop, how many of the nest's inner iterations have
// posted, counted row by row. Posts of one outer iteration come from one thread and in order, so
// one number is enough: a byte where there are no inner loops. Words of rows are eight bytes: they
// are written again and again, and a line of 64 would be many threads'.
//
// Terminates: as iteration_posts.hpp says, for the schedule is monotonic (loops.cpp).
// Memory: one word and a bit for each outer iteration; untouched pages cost nothing. Cost: a post
// is a store and a load, a wait usually one load.
#pragma once

#include <cstdarg>
#include <cstdint>
#include <memory>
#include <string>

#include "base/tsan.hpp"
#include "omp/fatal.hpp"
#include "omp/iteration_posts.hpp"

namespace doall::omp {

struct doacross {
  unsigned dimensions = 0;
  std::unique_ptr<unsigned long long[]> counts;
  // For each outer iteration; one of the two.
  iteration_posts<std::uint8_t> of_bytes;
  iteration_posts<std::uint64_t> of_words;

  static doacross* make(const unsigned long long* counts, unsigned dimensions,
                        std::uint64_t outer_iterations) {
    auto made = std::make_unique<doacross>();
    made->dimensions = dimensions;
    made->counts = std::make_unique<unsigned long long[]>(dimensions);
    for (unsigned d = 0; d < dimensions; ++d) made->counts[d] = counts[d];
    if (dimensions == 1)
      made->of_bytes = make_iteration_posts<std::uint8_t>(outer_iterations);
    else
      made->of_words = make_iteration_posts<std::uint64_t>(outer_iterations);
    if (made->of_bytes.words == nullptr && made->of_words.words == nullptr) {
      fatal("no memory for the dependences of a loop with " + std::to_string(outer_iterations) +
            " iterations");
    }
    return made.release();
  }

  static void destroy(doacross* d) {
    if (d == nullptr) return;
    free_iteration_posts(d->of_bytes);
    free_iteration_posts(d->of_words);
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

  // Calls use() with the loop's posts.
  template <class Use>
  auto of_either(Use use) const {
    return of_bytes.words != nullptr ? use(of_bytes) : use(of_words);
  }

  // `at`: where the loop's threads wait for each other.
  void post(std::uint64_t outer, std::uint64_t inner, park::gate& at) const {
    of_either([&](const auto& posts) {
      base::tsan_gives(&posts.words[outer]);
      // Without inner loops `inner` is 0.
      posts.post_count(outer, static_cast<decltype(posts.look(0))>(inner + 1), at);
    });
  }

  bool has_posted(std::uint64_t outer, std::uint64_t inner) const {
    return of_either([&](const auto& posts) {
      if (posts.look(outer) <= inner) return false;
      base::tsan_takes(&posts.words[outer]);
      return true;
    });
  }

  // Returns early if given_up(): the thread that has the sink may have left a cancelled region.
  template <class GivenUp>
  void wait(std::uint64_t outer, std::uint64_t inner, park::gate& at, park::spin_bound spin,
            GivenUp given_up) const {
    of_either([&](const auto& posts) {
      posts.await(outer, [&](std::uint64_t count) { return count > inner; }, at, spin, given_up);
      base::tsan_takes(&posts.words[outer]);
    });
  }
};

}  // namespace doall::omp
