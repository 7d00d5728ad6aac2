// Sums of costs that were made for a loop, kept for the next loop with the same costs (COWS, Opt1).
//
// Costs are known again by where they are (an array's address, a function's), by the generation
// that their owner says, by how many they are, for which lists of how many workers they were summed
// up; and, where nobody says a generation, by some of them, which are compared. So loops of
// one program that have the same costs share their sums, which the paper's "was the same loop
// executed immediately before" does not. An array that has changed where nobody looked is stale:
// that costs speed and never an answer, for schedules deal exactly once whatever costs say.
//
// What was found out about costs without making sums (too cheap to be summed up) or by making them
// (uniform, wrong) is kept likewise.
//
// Sums that are ready are read by any number of loops at once. Two threads that make the same ones
// at the same time make two. When costs have changed, the memory that the old ones had is used
// again if no loop reads them: nothing is allocated for a loop that comes again and again, also if
// its costs change each time.
//
// Bounded: most_kept, and most_kept_bytes together; those that were not used for longest make room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/sync.hpp"
#include "team/cost_making.hpp"

namespace doall::team {

inline constexpr std::size_t most_kept = 64;
inline constexpr std::size_t most_kept_bytes = std::size_t{256} << 20;

// Some of the costs, or all zero.
using cost_samples = std::array<std::uint64_t, 16>;

struct cost_key {
  const void* identity = nullptr;  // null: they are never known again
  std::uint64_t generation = 0;
  std::uint64_t iterations = 0;
  std::uint32_t kind = 0;
  // Of sums by owner; of others: zeros, they are the same for all.
  std::uint32_t workers = 0;
  std::uint64_t block = 0;
  bool reversed = false;
  bool judged = false;  // whether they are worth it (finding); else sums in any case

  bool operator==(const cost_key&) const = default;
};

class kept_costs {
 public:
  enum class finding : std::uint8_t { sums, uniform, wrong, too_cheap };

  // What its maker leaves, before publish().
  finding found = finding::sums;

  std::uint64_t* sums() const { return sums_.get(); }
  cost_piece* pieces() const { return pieces_.get(); }

 private:
  friend class kept_table;
  friend void give_back(kept_costs* costs);

  std::size_t size_bytes() const {
    return entries_ * sizeof(std::uint64_t) + most_pieces_ * sizeof(cost_piece);
  }

  cost_key key_;
  cost_samples samples_{};
  std::size_t entries_ = 0;
  std::uint32_t most_pieces_ = 0;
  std::unique_ptr<std::uint64_t[]> sums_;
  std::unique_ptr<cost_piece[]> pieces_;
  bool ready_ = false;      // under the table's lock
  std::uint64_t used_ = 0;  // when it was lent last, on the table's clock
  sync::atomic<std::uint32_t> readers_{0};
};

// Those that are ready, lent; null if there are none. Any thread, as all of these; takes a lock.
kept_costs* find_kept(const cost_key& key, const cost_samples& samples);

// A place for them, lent, with room for so many sums and pieces, to be filled by the caller alone;
// null: they are too many to be kept. Throws std::bad_alloc.
kept_costs* make_kept(const cost_key& key, const cost_samples& samples, std::uint64_t entries,
                      std::uint32_t pieces);

// It is filled: others may find it. It is still lent.
void publish(kept_costs* costs);

// The loop has ended.
void give_back(kept_costs* costs);

}  // namespace doall::team
