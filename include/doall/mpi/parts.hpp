// The chunks that a rank has begun, and the parts that its workers draw from them; and the blocks
// that a desk deals from, whose workers are ranks (desk.hpp).
//
// Inside a chunk the loop's second schedule deals parts: an object of it for each chunk (a dealer,
// abi.h). A chunk of one iteration, or with one worker, is one part. Schedules that use costs get
// those of the chunk's iterations.
//
// No lock, no clock: the pool has them (pool.hpp), and `doall simulate --ranks` virtual ones.
// Cost of a part: a call of the schedule.
#pragma once

#include <doall/abi.h>
#include <doall/mpi/hands.hpp>

#include <cstdint>
#include <deque>
#include <stdexcept>
#include <string>
#include <vector>

namespace doall {
inline namespace v0 {
namespace mpi {
namespace detail {

// How a rank's workers share a chunk unless the program says so.
inline constexpr const char* usual_inside = "guided";

// Throws std::invalid_argument unless these can be the costs of a loop of so many iterations:
// chunks have some of them each, and do not look whether they are there.
inline void check_costs(const doall_costs& costs, std::uint64_t iterations) {
  if (costs.kind == DOALL_COSTS_NONE) return;
  const bool sums = costs.kind == DOALL_COSTS_SUMS;
  if ((costs.iterations != 0 || sums) && costs.iterations != iterations) {
    throw std::invalid_argument("doall::mpi: costs of " + std::to_string(costs.iterations) +
                                " iterations, expected the loop's " + std::to_string(iterations) +
                                "; the loop was not run");
  }
  if (iterations != 0 && (sums ? costs.data == nullptr : costs.write == nullptr)) {
    throw std::invalid_argument(
        "doall::mpi: costs that are nowhere, expected numbers or a function; the loop was not run");
  }
}

// The costs of a chunk's iterations, out of those of the loop's.
struct chunk_costs {
  doall_costs raw;
  const doall_costs* of;
  doall_chunk chunk;

  void describe(const doall_costs* of_loop, const doall_chunk& c) {
    of = of_loop;
    chunk = c;
    raw = *of_loop;
    raw.iterations = size_of(c);
    raw.generation = 0;
    raw.identity = nullptr;  // no chunk comes again
    if (raw.kind == DOALL_COSTS_NONE) return;
    if (raw.kind == DOALL_COSTS_SUMS && c.step == 1) {
      raw.data = static_cast<const std::uint64_t*>(of_loop->data) + c.begin;
      return;
    }
    raw.data = this;
    if (raw.kind == DOALL_COSTS_SUMS) raw.kind = DOALL_COSTS_UNSIGNED;
    raw.write = write;
  }

 private:
  static void write(const doall_costs* self, std::uint64_t first, std::uint64_t stride,
                    std::uint64_t count, void* costs) {
    const auto& mine = *static_cast<const chunk_costs*>(self->data);
    const std::uint64_t begin = mine.chunk.begin + first * mine.chunk.step;
    const std::uint64_t step = stride * mine.chunk.step;
    if (mine.of->kind != DOALL_COSTS_SUMS) {
      mine.of->write(mine.of, begin, step, count, costs);
      return;
    }
    const auto* const sums = static_cast<const std::uint64_t*>(mine.of->data) + begin;
    auto* const to = static_cast<std::uint64_t*>(costs);
    for (std::uint64_t k = 0; k < count; ++k) to[k] = sums[k * step + 1] - sums[k * step];
  }
};

class parts {
 public:
  enum class kind : unsigned char {
    of_rank,
    of_group,  // a group's desk
    of_desk  // a desk for the whole loop: all of it by the schedule's word, which may be by worker
  };

  // `costs` of the loop's iterations, or null. Throws std::invalid_argument if `inside` cannot
  // deal.
  parts(std::uint32_t workers, const doall_schedule& inside, const doall_costs* costs,
        kind what = kind::of_rank)
      : inside_(inside), costs_(costs), workers_(workers), kind_(what) {
    if (kind_ != kind::of_desk) spare_.push_back(begin(0, nullptr));
  }
  ~parts() {
    for (doall_dealer* dealer : spare_) doall_dealer_end(dealer);
    for (const dealt& c : chunks_) doall_dealer_end(c.inside);
  }
  parts(const parts&) = delete;
  parts& operator=(const parts&) = delete;

  std::uint32_t workers() const { return workers_; }

  void add(const doall_chunk& c) {
    dealt& added = chunks_.emplace_back();
    added.all = c;
    added.left = size_of(c);
    if (kind_ != kind::of_desk && (added.left == 1 || workers_ == 1)) return;
    const doall_costs* of_chunk = nullptr;
    if (costs_ != nullptr) {
      added.costs.describe(costs_, c);
      of_chunk = kind_ == kind::of_desk ? costs_ : &added.costs.raw;
    }
    if (spare_.empty()) {
      added.inside = begin(added.left, of_chunk);
    } else {
      added.inside = spare_.back();
      spare_.pop_back();
      doall_dealer_again(added.inside, added.left, of_chunk);
    }
  }

  // Draws from the oldest chunk that has something for the worker; else a part that belongs to
  // another one, which may not have come, or be in a long part. `last` is what the worker has run
  // since it drew before.
  bool draw(std::uint32_t worker, measured last, doall_chunk& part) {
    while (!chunks_.empty() && chunks_.front().left == 0) {
      if (chunks_.front().inside != nullptr) spare_.push_back(chunks_.front().inside);
      chunks_.pop_front();
    }
    for (dealt& c : chunks_) {
      if (draw_from(c, worker, last, part)) return true;
    }
    if (kind_ == kind::of_desk) return false;
    for (dealt& c : chunks_) {
      for (std::uint32_t w = 1; w < workers_ && c.left != 0; ++w) {
        if (draw_from(c, (worker + w) % workers_, {}, part)) return true;
      }
    }
    return false;
  }

 private:
  struct dealt {
    doall_chunk all{};
    std::uint64_t left = 0;          // iterations that are not in a part yet
    doall_dealer* inside = nullptr;  // null: the chunk is one part
    chunk_costs costs{};             // where `inside` has any
  };

  doall_dealer* begin(std::uint64_t iterations, const doall_costs* costs) const {
    return begin_dealer(inside_, iterations, workers_, costs,
                        kind_ == kind::of_rank ? "inside ranks" : "between ranks");
  }

  static bool draw_from(dealt& from, std::uint32_t worker, measured last, doall_chunk& part) {
    if (from.left == 0) return false;
    if (from.inside == nullptr) {
      part = from.all;
      from.left = 0;
      return true;
    }
    doall_chunk c;
    if (doall_dealer_next(from.inside, worker, last.iterations, last.elapsed_ns, &c) == 0) {
      return false;
    }
    const std::uint64_t iterations = size_of(c);
    from.left -= iterations;
    // Iteration i of the chunk is all.begin + i * all.step of the loop.
    const std::uint64_t step = c.step * from.all.step;
    const std::uint64_t begin = from.all.begin + c.begin * from.all.step;
    part = {begin, begin + (iterations - 1) * step + 1, step};
    return true;
  }

  const doall_schedule inside_;
  const doall_costs* const costs_;
  std::deque<dealt> chunks_;
  std::vector<doall_dealer*> spare_;
  const std::uint32_t workers_;
  const kind kind_;
};

}  // namespace detail
}  // namespace mpi
}  // namespace v0
}  // namespace doall
