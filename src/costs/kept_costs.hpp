// Keeps the sums of costs that were made for a loop, for the next loop with the same costs (COWS,
// Opt1).
//
// Costs are recognised by their address (an array's, a function's), their number, the generation
// that their owner gives, and the lists and workers for which they were summed up. Without a
// generation, some of the costs are compared too. So loops of one program that have the same costs
// share their sums; under the paper's "was the same loop executed immediately before" they do not.
// The sums are stale if an array has changed where it was not sampled. That costs speed, never an
// answer, for schedules deal each iteration exactly once whatever the costs are.
//
// Findings about costs are kept too, whether sums were made for them (uniform, wrong) or not (too
// cheap to be summed up).
//
// Any number of loops may read sums that are ready. Two threads that make the same sums at the same
// time make two copies. When costs have changed, the new sums take the memory of the old ones if no
// loop reads these: a loop that comes again and again allocates nothing, even if its costs change
// each time.
//
// Bounded by most_kept, and by most_kept_bytes together; the least recently used make room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/sync.hpp"
#include "costs/cost_making.hpp"

namespace doall::costs {

inline constexpr std::size_t most_kept = 64;
inline constexpr std::size_t most_kept_bytes = std::size_t{256} << 20;

// Some of the costs, or all zero.
using cost_samples = std::array<std::uint64_t, 16>;

struct cost_key {
  const void* identity = nullptr;  // null: they are never recognised
  std::uint64_t generation = 0;
  std::uint64_t iterations = 0;
  std::uint32_t kind = 0;
  // For sums by owner; zeros for others, which are the same for all.
  std::uint32_t workers = 0;
  std::uint64_t block = 0;
  bool reversed = false;
  bool judged = false;  // sums are made only if worth it (finding); else in any case

  bool operator==(const cost_key&) const = default;
};

class kept_costs {
 public:
  enum class finding : std::uint8_t { sums, uniform, wrong, too_cheap };

  // Set by its maker, before publish().
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

// Finds kept costs that are ready, and lends them; null if there are none. Any thread may call all
// of these functions; takes a lock.
kept_costs* find_kept(const cost_key& key, const cost_samples& samples);

// Makes and lends a place with room for that many sums and pieces, which the caller alone fills;
// null: they are too many to be kept. Throws std::bad_alloc.
kept_costs* make_kept(const cost_key& key, const cost_samples& samples, std::uint64_t entries,
                      std::uint32_t pieces);

// Lets others find it, once it is filled. It is still lent.
void publish(kept_costs* costs);

// Gives it back, when the loop has ended.
void give_back(kept_costs* costs);

}  // namespace doall::costs
