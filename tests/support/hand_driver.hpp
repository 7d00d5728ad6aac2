// Drives a loop by hand: a schedule's object and its workers' lines as the
// runtime keeps them, but the test says which worker asks next.
//
// The storage is treated as badly as the contract (schedule/schedule.hpp)
// allows: an object is constructed over garbage, the lines are left as the last
// loop left them, loops may be abandoned half-way, and what lies beyond the
// object and beyond the P lines is watched.
//
// ask() may be called for different workers by different threads at once; begin()
// and expect_bounds_kept() only while nobody asks.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "schedule/cows/costs_by_owner.hpp"
#include "schedule/grammar.hpp"
#include "schedule/registry.hpp"

namespace doall::tests {

using base::u64;
using schedules::chunk;
using schedules::loop_shape;

inline u64 size_of(const chunk& c) {
  return c.empty() ? 0 : base::ceil_div(c.end - c.begin, c.step);
}

inline void expect_chunk(const chunk& c, u64 begin, u64 end,
                         schedules::origin from = schedules::origin::own) {
  EXPECT_EQ(c.begin, begin);
  EXPECT_EQ(c.end, end);
  EXPECT_EQ(c.from, from);
}

// What one loop of the source remembers: for each schedule and number of workers
// a piece of memory, zero at first, which later loops find as the last one left it.
class loop_memory {
 public:
  void* of(const schedules::spec& what, loop_shape shape) {
    if (what.which->memory_bytes == nullptr) return nullptr;
    auto& piece = pieces_[{schedules::to_text(what), shape.workers}];
    const std::size_t bytes = what.which->memory_bytes(shape.workers);
    if (piece.empty()) piece.resize(bytes / sizeof(line) + 1);
    EXPECT_GE(piece.size() * sizeof(line), bytes) << "more memory for the same workers";
    return piece.data();
  }

 private:
  struct alignas(base::apart_bytes) line {
    std::byte bytes[base::apart_bytes];
  };
  std::map<std::pair<std::string, std::uint32_t>, std::vector<line>> pieces_;
};

class hand_driver {
 public:
  explicit hand_driver(std::uint32_t most_workers)
      : lines_(most_workers + 1), slots_(most_workers) {}

  // The next loop in this storage; the one before it is forgotten. Every other time the schedule's
  // object is renewed, if it was this schedule's before, else made from garbage. It has memory if
  // it gets a piece of it, and costs if the test has some, summed up by owner too if the schedule
  // uses costs.
  void begin(const schedules::spec& what, loop_shape shape, loop_memory* memory = nullptr,
             schedules::cost_sums costs = {}) {
    ASSERT_LT(shape.workers, lines_.size()) << "the test's storage is too small";
    const bool renewed = run_ == &what.run() && epoch_ % 2 == 0;
    run_ = &what.run();
    shape_ = shape;
    ++epoch_;
    if (!renewed) storage_.object.fill(garbage);
    storage_.beyond.fill(untouched);
    beyond_ = words_of(lines_[shape_.workers]);
    for (std::uint32_t w = 0; w < shape_.workers; ++w) slots_[w] = {};
    if (costs.given() && what.has(schedules::uses_costs)) {
      const schedules::cyclic_lists lists(shape, what.given);
      costs_by_owner_.assign(schedules::costs_by_owner::entries(lists), 0);
      schedules::costs_by_owner::sum_up(
          schedules::costs_by_owner::in_dealt_order(costs, what.given), lists,
          costs_by_owner_.data());
      costs = costs.with(costs_by_owner_.data());
    }
    const auto make = renewed ? run_->renew : run_->construct;
    make(storage_.object.data(), {.shape = shape,
                                  .given = what.given,
                                  .lines = lines_.data(),
                                  .epoch = epoch_,
                                  .costs = costs,
                                  .memory = memory == nullptr ? nullptr : memory->of(what, shape)});
  }

  // All workers have left the loop.
  void finish() {
    if (run_->finish != nullptr) run_->finish(storage_.object.data());
  }

  // What worker w gets next. `elapsed` is how long its last chunk took. Since
  // each chunk has an iteration, N + 1 calls are enough; no test runs away.
  chunk ask(std::uint32_t w, double elapsed = 0) {
    slot& mine = slots_[w];
    EXPECT_FALSE(mine.told_empty) << "the test breaks the contract: worker " << w
                                  << " asks again after an empty chunk";
    if (mine.turn > shape_.iterations) {
      ADD_FAILURE() << "worker " << w << " got more chunks than there are iterations";
      return schedules::nothing_left;
    }
    const chunk c =
        run_->next(storage_.object.data(), {w, mine.turn}, {mine.last_iterations, elapsed});
    ++mine.turn;
    mine.last_iterations = size_of(c);
    mine.told_empty = c.empty();
    return c;
  }

  // Nothing was written outside of the object and the loop's P lines.
  void expect_bounds_kept() const {
    for (const std::uint8_t byte : storage_.beyond) ASSERT_EQ(byte, untouched) << "object_bytes";
    const schedules::worker_line& next = lines_[shape_.workers];
    EXPECT_EQ(next.touch.look(epoch_), base::first_touch::state::stale) << "line P";
    EXPECT_EQ(words_of(next), beyond_) << "line P";
  }

 private:
  static constexpr std::uint8_t garbage = 0xa5;
  static constexpr std::uint8_t untouched = 0x5a;

  struct alignas(base::apart_bytes) slot {
    u64 turn = 0;
    u64 last_iterations = 0;
    bool told_empty = false;
  };

  using line_words = std::array<u64, std::size(schedules::worker_line{}.word) + 1>;

  static line_words words_of(const schedules::worker_line& line) {
    line_words words;
    std::ranges::transform(line.word, words.begin(), [](const auto& word) { return word.load(); });
    words.back() = line.tagged.load();
    return words;
  }

  struct alignas(base::apart_bytes) object_storage {
    std::array<std::uint8_t, schedules::object_bytes> object;
    std::array<std::uint8_t, base::apart_bytes> beyond;
  };

  object_storage storage_;
  std::vector<schedules::worker_line> lines_;  // one more than workers, to be watched
  std::vector<slot> slots_;
  std::vector<u64> costs_by_owner_;
  line_words beyond_{};  // of the line that is watched
  const schedules::operations* run_ = nullptr;
  loop_shape shape_;
  u64 epoch_ = 0;
};

// A spec from its text, for tests that know it is right.
inline schedules::spec spec_of(std::string_view text) {
  const schedules::parse_result parsed = schedules::parse(text);
  EXPECT_TRUE(parsed) << parsed.error;
  return parsed.value;
}

// All that worker w gets until it is told that nothing is left.
inline std::vector<chunk> all_of(hand_driver& driver, std::uint32_t w) {
  std::vector<chunk> chunks;
  for (chunk c = driver.ask(w); !c.empty(); c = driver.ask(w)) chunks.push_back(c);
  return chunks;
}

// The chunk sizes of a loop that worker 0 of P runs alone.
inline std::vector<u64> sizes_alone(std::string_view text, u64 iterations, std::uint32_t workers) {
  hand_driver driver(workers);
  driver.begin(spec_of(text), {iterations, workers});
  std::vector<u64> sizes;
  for (const chunk& c : all_of(driver, 0)) sizes.push_back(size_of(c));
  return sizes;
}

}  // namespace doall::tests

namespace doall::schedules {

// How a failing test prints an entry and a chunk.
inline void PrintTo(const entry& e, std::ostream* out) { *out << e.name; }

inline void PrintTo(const chunk& c, std::ostream* out) {
  *out << '[' << c.begin << ", " << c.end << ") step " << c.step << " origin "
       << static_cast<int>(c.from) << " victim " << c.victim;
}

}  // namespace doall::schedules
