// How an iteration of a doacross loop tells that it has come to its source, and how later ones wait
// for that. The words lie in memory of zeros; what they count is the door's (doacross.hpp,
// llvm/doacross.cpp).
//
// State: the words, and a bit for each that says whether a thread has slept for it. Threads sleep
// at one gate for the whole loop. Who posts opens it only if its word's bit is set: a thread may
// sleep for long, for an iteration far away, and each post until then would be a system call. Bits
// stay set, for the posts of one word are few or near each other. No wake-up is lost: a thread sets
// the bit before its heavy fence and then looks at the word; who posts writes the word before its
// light fence and then looks at the bit. One sees the other, as with the gate's own count
// (src/park/README.md).
//
// Callers: post_count(), for each word one thread at a time, with growing counts; post_bit() and
// await(), any thread of the loop.
// Terminates: sinks name earlier iterations, and chunks come in increasing order, so the earliest
// unfinished iteration runs. A loop that is given up is left: whoever gives it up opens the gate.
// Checked by tests/model/model_iteration_posts.cpp.
#pragma once

#include <cstdint>
#include <cstdlib>

#include "base/arith.hpp"
#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "park/gate.hpp"

namespace doall::omp {

template <class Word>
struct iteration_posts {
  static constexpr std::uint64_t bits = 64;

  sync::atomic<Word>* words = nullptr;
  sync::atomic<std::uint64_t>* awaited = nullptr;  // a bit for each word

  static constexpr std::uint64_t awaited_of(std::uint64_t words) { return words / bits + 1; }

  // `at`: where the loop's threads wait for each other.
  void post_count(std::uint64_t word, Word count, park::gate& at) const {
    // (1) release; pairs with (3): what the iteration did before its source
    words[word].store(count, sync::release);
    tell(word, at);
  }

  // Adds a bit to those of other iterations.
  void post_bit(std::uint64_t word, Word bit, park::gate& at) const {
    // (2) release; pairs with (3): as (1)
    words[word].fetch_or(bit, sync::release);
    tell(word, at);
  }

  // (3) acquire; pairs with (1), (2): what the sink's iteration did before its source
  Word look(std::uint64_t word) const { return words[word].load(sync::acquire); }

  // Returns when has_posted(word) holds. Returns early if given_up(): the thread that has the sink
  // may have left a cancelled region.
  template <class HasPosted, class GivenUp>
  void await(std::uint64_t word, HasPosted has_posted, park::gate& at, park::spin_bound spin,
             GivenUp given_up) const {
    at.wait([&] { return has_posted(look(word)) || given_up(); }, spin,
            bed{awaited[word / bits], bit_of(word)});
  }

 private:
  // A thread that goes to sleep says for which word.
  struct bed {
    sync::atomic<std::uint64_t>& word;
    std::uint64_t bit;

    // (4) relaxed; alone: the gate's heavy fence orders it before the look at the word
    void lie_down() const { word.fetch_or(bit, sync::relaxed); }
    bool is_called() const { return false; }
    void get_up() const {}
  };

  static constexpr std::uint64_t bit_of(std::uint64_t word) {
    return std::uint64_t{1} << word % bits;
  }

  void tell(std::uint64_t word, park::gate& at) const {
    // (5) seq_cst fence; pairs with gate (3): light, as the gate's own
    sync::light_fence();
    // (6) relaxed; alone: (5) orders it after the post
    if ((awaited[word / bits].load(sync::relaxed) & bit_of(word)) != 0) [[unlikely]]
      at.open();
  }
};

// Memory for so many words; null words: there is none.
template <class Word>
iteration_posts<Word> make_iteration_posts(std::uint64_t words) {
  using posts = iteration_posts<Word>;
  // The words' lines are written, the bits' are not.
  const std::uint64_t marks =
      posts::awaited_of(words) * sizeof(*posts::awaited) + base::apart_bytes;
  // calloc takes the kernel's zero pages for all words that are never touched.
  void* const made =
      std::calloc(1, base::saturating_add(marks, base::saturating_mul(words, sizeof(Word))));
  if (made == nullptr) return {};
  return {reinterpret_cast<sync::atomic<Word>*>(static_cast<char*>(made) + marks),
          static_cast<sync::atomic<std::uint64_t>*>(made)};
}
template <class Word>
void free_iteration_posts(const iteration_posts<Word>& made) {
  std::free(made.awaited);
}

}  // namespace doall::omp
