// What a site has learnt: for each length class how long the last runs took, alone and shared, in
// ns an index. README.md has the model.
//
// A class is made for one length, and serves all of about that length. Another of these that comes
// back after others gets a class of its own while there is room: lengths that change step by step,
// as in a triangle, share what they know, and the few lengths of most sites are not confused.
//
// State: words that any thread writes, relaxed. A word of one run beside a word of another
// misjudges a loop once; no answer depends on it. Bounded: `classes` classes, of which a new one
// takes the oldest one's place. Callers: any thread, all functions. Cost: is_usual() some 20
// operations, the others some 100.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "base/sync.hpp"
#include "decide/constants.hpp"
#include "decide/decide.hpp"

namespace doall::decide {

// How one run went.
struct outcome {
  std::uint64_t indices;
  bool began_alone;
  double elapsed_ns;  // all of it
  double burden_ns;
  verdict by = {};              // what decide() said
  std::uint64_t ran_alone = 0;  // indices until the rest was shared; 0: it was not
  double alone_ns = 0;          // the time of these
  double last_ns = 0;           // an index, in the faster one of the last two pieces
  double guess_ns = 0;  // of one shared: what it would have taken alone, by its caller's work
  double most_ns = 0;   // of the same, if it cannot be recalled: that at most
};

// How many runs it stands for when it is learnt. Each run that explores is learnt, short or not.
inline std::uint32_t runs_stood_for(const outcome& ran) {
  const bool is_short = ran.began_alone && ran.ran_alone == 0 && ran.elapsed_ns < always_learnt_ns;
  return is_short && !ran.by.explores ? runs_a_timing : 1;
}

// Of loops of about that length: each doubling has classes_a_doubling.
inline std::uint32_t class_of(std::uint64_t indices) {
  if (indices == 0) return 0;
  const auto log = static_cast<std::uint32_t>(std::bit_width(indices) - 1);
  constexpr unsigned bits = std::bit_width(classes_a_doubling) - 1;
  const std::uint64_t part = log < bits ? indices << (bits - log) : indices >> (log - bits);
  return log * classes_a_doubling + static_cast<std::uint32_t>(part % classes_a_doubling);
}
// The shortest of a class.
inline double least_of(std::uint32_t length) {
  const double part = 1 + length % classes_a_doubling / double{classes_a_doubling};
  return part * static_cast<double>(std::uint64_t{1} << length / classes_a_doubling);
}

class site_times {
 public:
  site_view view(std::uint64_t indices) const;

  // Takes in a run that stands for so many.
  void learn(const outcome& ran, std::uint32_t runs = 1);

  // For most runs of short loops, instead of a decision: whether the last run of such a length that
  // was learnt ran alone, and was short. Then `until` is when to recall this one.
  bool is_usual(std::uint64_t indices, recall& until) const;
  // Whether a run of such a length was found to be long after it had begun alone.
  bool is_mixed(std::uint64_t indices) const;

  // The burden with which decide() by one cost runs the same loops alone as by these times.
  double break_even_ns(double burden_ns, std::uint32_t workers) const;

  // A number of the site's own.
  std::uint64_t roll();

 private:
  // The last times of a way. Below 0: the run ended shared.
  struct times {
    std::array<sync::atomic<float>, kept_times> ns{};
    std::array<sync::atomic<std::uint8_t>, kept_times> stands_for{};  // so many runs
    sync::atomic<std::uint8_t> next{0};
    sync::atomic<std::uint8_t> kept{0};
    sync::atomic<float> many_runs{0};  // as way_times has them
    sync::atomic<float> rare_ns{0};
    sync::atomic<float> rare_squares{0};

    void add(double an_index_ns, std::uint32_t runs = 1);
    void note_rare(double an_index_ns, std::uint32_t runs);
    void forget();
    way_times view() const;
    double whole_ns() const;
    bool is_mixed() const;
  };
  struct length_class {
    times alone, shared;
    sync::atomic<std::uint64_t> length{0};           // for which it was made
    std::array<sync::atomic<float>, 2> recent_ns{};  // alone, the newer one behind
    sync::atomic<float> short_in_turn_ns{0};         // taken by shared runs that have become short
    // Sums over all runs: a float's digits would end after some 2^24 of them.
    sync::atomic<double> spent_ns{0};
    sync::atomic<double> explored_ns{0};
    sync::atomic<float> vain_ns{0};  // lost by shared rests that gained nothing, less other's gains
    sync::atomic<float> after_ns{0};     // of the last recall; 0: the next run is to be decided
    sync::atomic<float> at_least_ns{0};  // of the same
    sync::atomic<std::uint32_t> piece{0};
    sync::atomic<std::uint8_t> turns{0};
    sync::atomic<std::uint8_t> held{0};

    void forget();
    void note_alone(double an_index_ns, std::uint32_t runs);
    void note_most(const outcome& ran);
    void note_offer(double gained_ns, double took_ns);
    void learn(const outcome& ran, std::uint32_t runs);
  };

  // In a name: the class serves its own length alone.
  static constexpr std::uint32_t one_length = 0x8000;

  std::uint32_t find(std::uint64_t indices) const;  // `classes`: there is none
  length_class& make(std::uint32_t name, std::uint64_t indices);
  length_class& find_or_make(std::uint64_t indices);
  bool comes_back(std::uint64_t indices);

  // Of all_: the class + 1, and one_length; 0: none.
  std::array<sync::atomic<std::uint16_t>, classes> names_{};
  std::array<sync::atomic<std::uint64_t>, late_lengths> late_{};  // the newest lengths
  sync::atomic<std::uint8_t> next_late_{0};
  sync::atomic<std::uint64_t> last_length_{0};
  sync::atomic<std::uint8_t> next_{0};  // the oldest
  sync::atomic<std::uint64_t> dice_{0};
  std::array<length_class, classes> all_{};
};

}  // namespace doall::decide
