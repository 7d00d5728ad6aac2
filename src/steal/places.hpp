// A set of places in a roster, a bit for each: the workers that have or do something just now.
//
// Each word has a cache line of its own, so that only its 64 workers write the line.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/sync.hpp"

namespace doall::steal {

// How many places there are. (A model pays for each in every interleaving.)
#if defined(DOALL_SYNC_MODEL)
inline constexpr std::uint32_t places_most = 4;
#else
inline constexpr std::uint32_t places_most = 2048;
#endif

inline constexpr std::uint32_t places_a_word = 64;

constexpr std::uint64_t bit_of(std::uint32_t place) {
  return std::uint64_t{1} << (place % places_a_word);
}

// The place of the lowest of these bits of that word.
constexpr std::uint32_t lowest_place(std::uint32_t word, std::uint64_t bits) {
  return word * places_a_word + static_cast<std::uint32_t>(std::countr_zero(bits));
}

// How many words hold that many places.
constexpr std::uint32_t words_for(std::uint32_t places) {
  return (places + places_a_word - 1) / places_a_word;
}

class place_set {
 public:
  static constexpr std::uint32_t words_most = words_for(places_most);

  sync::atomic<std::uint64_t>& word(std::uint32_t w) { return words_[w].bits; }
  const sync::atomic<std::uint64_t>& word(std::uint32_t w) const { return words_[w].bits; }
  sync::atomic<std::uint64_t>& word_of(std::uint32_t place) { return word(place / places_a_word); }
  const sync::atomic<std::uint64_t>& word_of(std::uint32_t place) const {
    return word(place / places_a_word);
  }

  // Called when there is no other thread.
  void clear() {
    for (auto& w : words_) {
      // (1) relaxed; alone: there is no other thread
      w.bits.store(0, sync::relaxed);
    }
  }

 private:
  struct alignas(base::apart_bytes) line {
    sync::atomic<std::uint64_t> bits{0};
  };
  std::array<line, words_most> words_{};
};

}  // namespace doall::steal
