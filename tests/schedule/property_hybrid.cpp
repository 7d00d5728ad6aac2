// The lemmas of hybrid (section IV) for every P from 1 to 64 and any workers that arrive, in any
// order: on claims alone, one claim at a time, and on the schedule.

#include <gtest/gtest.h>

#include <bit>
#include <memory>
#include <numeric>
#include <string>
#include <unordered_set>
#include <vector>

#include "schedule/claims.hpp"
#include "schedule/hybrid.hpp"
#include "support/hand_driver.hpp"
#include "support/interleaving.hpp"
#include "support/ledger.hpp"
#include "support/seeds.hpp"

namespace doall::tests {
namespace {

using schedules::claim_frame;

constexpr std::uint32_t hybrid_workers_most = 64;

struct words_here {
  sync::atomic<u64>* first;
  sync::atomic<u64>& operator()(std::uint32_t k) const { return first[k]; }
};

// A loop of which only claims happen, one at a time.
class claiming {
 public:
  claiming(std::uint32_t parts, std::vector<std::uint32_t> workers)
      : parts_(parts), words_(parts), claims_(parts), in_a_row_(workers.size()) {
    for (const std::uint32_t w : workers) frames_.push_back({.i = 0, .w = w});
  }

  std::size_t frames() const { return frames_.size(); }
  bool ended(std::size_t f) const { return frames_[f].ended(parts_); }

  // The frame's next claim.
  void step(std::size_t f) {
    claim_frame& at = frames_[f];
    const std::uint32_t partition = at.partition();
    if (flags().claim(partition)) {
      ++claims_[partition];
      in_a_row_[f] = 0;
      at.claimed();
    } else {
      at.failed(parts_);
      ++failed_;
      ++in_a_row_[f];
      // Lemma 4. (A failed first claim is one, also for lg R = 0.)
      ASSERT_LE(in_a_row_[f], std::max(lg_parts(), 1U));
    }
    expect_left_groups_claimed();
  }

  // Lemma 2 and Theorem 3; the failed claims of Theorem 5.
  void expect_all_claimed_once() const {
    for (std::uint32_t r = 0; r < parts_; ++r) ASSERT_EQ(claims_[r], 1U) << "partition " << r;
    ASSERT_LE(failed_, u64{parts_} * lg_parts() + frames_.size());
  }

 private:
  using flags_here = schedules::tagged_flags<words_here>;

  std::uint32_t lg_parts() const { return static_cast<std::uint32_t>(std::countr_zero(parts_)); }

  flags_here flags() { return {words_here{words_.data()}, parts_ / 2 + 1, 1}; }

  // Lemma 2, for each group while the loop goes on: once somebody has claimed in it, and all
  // who have are through with it, all of it is claimed. Groups are the same sets in the
  // order of each worker: those of partitions that differ in their n lowest bits alone.
  void expect_left_groups_claimed() const {
    for (std::uint32_t size = 1; size <= parts_; size *= 2) {
      for (std::uint32_t begin = 0; begin < parts_; begin += size) {
        const auto first = claims_.begin() + begin;
        const std::uint32_t claimed = std::accumulate(first, first + size, 0U);
        ASSERT_TRUE(claimed == 0 || claimed == size || is_inside(begin, size))
            << "partitions " << begin << " to " << begin + size - 1 << " are left";
      }
    }
  }

  // Whether a frame is on its way through the group.
  bool is_inside(std::uint32_t begin, std::uint32_t size) const {
    for (const claim_frame& at : frames_) {
      const bool has_begun = (at.i & (size - 1)) != 0;
      if (!at.ended(parts_) && has_begun && (at.partition() & ~(size - 1)) == begin) return true;
    }
    return false;
  }

  std::uint32_t parts_;
  std::vector<sync::atomic<u64>> words_;
  std::vector<std::uint32_t> claims_;    // successful ones, per partition
  std::vector<std::uint32_t> in_a_row_;  // failed ones, per frame
  std::vector<claim_frame> frames_;
  u64 failed_ = 0;
};

// Some of `workers`, one at least, in any order.
std::vector<std::uint32_t> any_comers(base::rng& random, std::uint32_t workers) {
  std::vector<std::uint32_t> all(workers);
  std::iota(all.begin(), all.end(), 0U);
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random.below(i)]);
  all.resize(1 + random.below(random.below(2) == 0 ? workers : std::min(workers, 4U)));
  return all;
}

TEST(HybridLemmas, HoldForEveryNumberOfWorkersAndAnyWhoArrive) {
  for_each_case(60, [](base::rng& random) {
    for (std::uint32_t workers = 1; workers <= hybrid_workers_most; ++workers) {
      // Also fewer partitions than workers, and more.
      const std::uint32_t parts =
          random.below(2) == 0 ? std::bit_ceil(workers) : 1U << random.below(8);
      std::vector<std::uint32_t> comers = any_comers(random, workers);
      for (std::uint32_t& w : comers) w %= parts;
      SCOPED_TRACE(std::to_string(workers) + " workers, " + std::to_string(parts) +
                   " partitions, " + std::to_string(comers.size()) + " come");
      claiming loop(parts, comers);
      interleaving order(random, static_cast<std::uint32_t>(loop.frames()),
                         static_cast<std::uint32_t>(loop.frames()));
      for (std::uint32_t f = order.next(); f != interleaving::nobody; f = order.next()) {
        if (!loop.ended(f)) loop.step(f);
        if (testing::Test::HasFailure()) return;
        if (loop.ended(f)) order.leave();
      }
      loop.expect_all_claimed_once();
      if (testing::Test::HasFailure()) return;
    }
  });
}

// All interleavings of the frames' claims, each state that they lead to once.
class every_interleaving {
 public:
  every_interleaving(std::uint32_t parts, std::vector<std::uint32_t> workers)
      : parts_(parts), workers_(std::move(workers)) {}

  void run() {
    std::vector<claim_frame> frames;
    for (const std::uint32_t w : workers_) frames.push_back({.i = 0, .w = w});
    go_on(frames, 0);
  }
  std::size_t states() const { return seen_.size(); }

 private:
  void go_on(const std::vector<claim_frame>& frames, u64 claimed) {
    if (testing::Test::HasFailure() || !seen_.insert(key(frames, claimed)).second) return;
    bool all_ended = true;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      if (frames[f].ended(parts_)) continue;
      all_ended = false;
      std::vector<claim_frame> then = frames;
      const u64 flag = u64{1} << frames[f].partition();
      if ((claimed & flag) == 0) {
        then[f].claimed();
      } else {
        then[f].failed(parts_);
      }
      go_on(then, claimed | flag);
    }
    if (all_ended) {
      ASSERT_EQ(claimed, (u64{1} << parts_) - 1) << testing::PrintToString(workers_);
    }
  }

  u64 key(const std::vector<claim_frame>& frames, u64 claimed) const {
    u64 all = claimed;
    for (const claim_frame& at : frames) all = all * (2 * u64{parts_} + 1) + at.i;
    return all;
  }

  std::uint32_t parts_;
  std::vector<std::uint32_t> workers_;
  std::unordered_set<u64> seen_;
};

// Every set of workers, and every one twice, as with fewer partitions than workers.
TEST(HybridLemmas, HoldInEveryInterleavingOfAFewClaims) {
  for (const std::uint32_t parts : {1, 2, 4, 8}) {
    const std::uint32_t comers_most = parts < 8 ? parts : 4;
    for (std::uint32_t set = 1; set < 1U << parts; ++set) {
      std::vector<std::uint32_t> workers;
      for (std::uint32_t w = 0; w < parts; ++w) {
        if ((set >> w & 1) != 0) workers.push_back(w);
      }
      if (workers.size() > comers_most) continue;
      every_interleaving(parts, workers).run();
      if (parts < 8) {
        workers.push_back(workers.front());
        every_interleaving(parts, workers).run();
      }
      if (testing::Test::HasFailure()) return;
    }
  }
}

// Theorem 3 for the schedule, with what it adds to the paper's claims: an idle worker's frames and
// halves that are stolen. Nobody is told that nothing is left before all is dealt.
TEST(HybridLemmas, TheScheduleDealsEachIterationOnceToWhoeverArrives) {
  for_each_case(15, [](base::rng& random) {
    const auto lines = std::make_unique<schedules::worker_line[]>(hybrid_workers_most);
    u64 epoch = 0;
    for (std::uint32_t workers = 1; workers <= hybrid_workers_most; ++workers) {
      const loop_shape shape{random.below(random.below(2) == 0 ? 40 * workers : 4 * workers),
                             workers};
      schedules::loop_context context{.shape = shape, .lines = lines.get(), .epoch = ++epoch};
      schedules::hybrid::options asked;
      asked.chunk = random.below(6);
      asked.parts = random.below(2) * random.below(10 * workers);
      context.given = schedules::params::of(asked);
      schedules::hybrid loop(context);
      const auto comers = static_cast<std::uint32_t>(1 + random.below(workers));
      SCOPED_TRACE(std::to_string(shape.iterations) + " iterations, " + std::to_string(workers) +
                   " workers, " + std::to_string(loop.parts()) + " partitions, " +
                   std::to_string(comers) + " come");
      ledger dealt(shape.iterations);
      u64 count = 0;
      interleaving order(random, workers, comers);
      for (std::uint32_t w = order.next(); w != interleaving::nobody; w = order.next()) {
        const chunk c = loop.next({w, 0}, {});
        dealt.record(c);
        count += c.size();
        if (!c.empty()) continue;
        ASSERT_EQ(count, shape.iterations) << "worker " << w << " was sent away";
        order.leave();
      }
      dealt.expect_exactly_once();
      u64 failed = 0;
      for (std::uint32_t w = 0; w < workers; ++w) failed += loop.failed_claims(w);
      const auto lg_parts = static_cast<u64>(std::countr_zero(loop.parts()));
      ASSERT_LE(failed, loop.parts() * lg_parts + comers) << "Theorem 5";
      if (testing::Test::HasFailure()) return;
    }
  });
}

}  // namespace
}  // namespace doall::tests
