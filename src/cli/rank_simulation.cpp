#include "cli/rank_simulation.hpp"

#include <doall/doall.h>
#include <doall/mpi/desk.hpp>
#include <doall/mpi/parts.hpp>
#include <doall/mpi/shelf.hpp>
#include <doall/mpi/source.hpp>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "schedule/descriptor.hpp"
#include "sim/earliest.hpp"

namespace doall::cli {
namespace {

using base::u64;
using mpi::detail::call_name;
using mpi::detail::desk;
using mpi::detail::hand;
using mpi::detail::measured;
using mpi::detail::shelf;
using mpi::detail::wish;

constexpr call_name the_call{.signature = 1, .number = 1};

// Rank 0's desk: what it has done, and until when it is busy.
struct served_desk {
  desk deals;
  rank_prices prices;
  double now_ns = 0;
  double free_ns = 0;
  double busy_ns = 0;
  u64 wishes = 0;
  u64 chunks = 0;
};

// Carries a rank's wish to the desk, and the hand back.
class virtual_post {
 public:
  virtual_post(served_desk& to, shelf& near, std::uint32_t rank, std::uint32_t in_row)
      : to_(to), near_(near), rank_(rank), in_row_(in_row) {}

  void send(const wish& of) {
    to_.deals.deal(rank_, of, hand_);
    ++to_.wishes;
    to_.chunks += hand_.chunks;
    const double arrives_ns = to_.now_ns + to_.prices.message_ns;
    const double took_ns = to_.prices.wish_ns + hand_.chunks * to_.prices.chunk_ns;
    to_.free_ns = std::max(arrives_ns, to_.free_ns) + took_ns;
    to_.busy_ns += took_ns;
    answer_ns_ = to_.free_ns + to_.prices.message_ns;
  }
  bool receive(hand& to) {
    if (to_.now_ns < answer_ns_) return false;
    to = hand_;
    return true;
  }
  void stock() {
    if (rank_ == 0) near_.stock(to_.deals, {0}, in_row_);
  }
  double answer_ns() const { return answer_ns_; }

 private:
  served_desk& to_;
  shelf& near_;
  const std::uint32_t rank_;
  const std::uint32_t in_row_;
  hand hand_;
  double answer_ns_ = 0;
};

class virtual_rank {
 public:
  virtual_rank(const rank_loop& loop, served_desk& from, std::uint32_t rank,
               const doall_schedule& inside, const doall_costs* costs, unsigned deals)
      : memory_(std::make_unique<std::byte[]>(shelf::bytes(1))),
        shelf_(memory_.get(), 1, 0, true),
        post_(from, shelf_, rank, (deals & DOALL_DEALS_BY_TIMES) != 0 ? 1 : shelf::most_in_row),
        source_(post_, shelf_, the_call,
                {.near = rank == 0,
                 .from_others = (deals & DOALL_DEALS_BY_WORKER) == 0,
                 .adapts = (deals & DOALL_DEALS_BY_TIMES) != 0}),
        parts_(loop.workers, inside, costs),
        ran_(loop.workers) {
    if (rank == 0) shelf_.open(the_call, true);
  }

  // Draws the worker's next part. False: there is none now; `is_over`: nor will there be.
  bool draw(std::uint32_t worker, doall_chunk& part, bool& is_over) {
    for (;;) {
      const bool was_last = last_;
      const bool found = parts_.draw(worker, ran_[worker], part);
      ran_[worker] = {};
      is_over = !found && was_last;
      if (found && !last_ && source_.may_look_ahead()) source_.look_ahead(take_run(), false);
      if (found || was_last) return found;
      hand given;
      if (!source_.poll(take_run(), false, given)) return false;
      last_ = given.what != hand::more;
      if (given.chunks != 0) parts_.add(given.chunk[0]);
    }
  }

  void ran(std::uint32_t worker, const measured& of) {
    ran_[worker] = of;
    run_.iterations += of.iterations;
    run_.elapsed_ns += of.elapsed_ns;
  }

  double answer_ns() const { return post_.answer_ns(); }

 private:
  measured take_run() {
    const measured all{run_.iterations, run_.elapsed_ns / parts_.workers()};
    run_ = {};
    return all;
  }

  std::unique_ptr<std::byte[]> memory_;
  shelf shelf_;
  virtual_post post_;
  mpi::detail::source<virtual_post> source_;
  class mpi::detail::parts parts_;
  std::vector<measured> ran_;  // by worker, since its last part
  measured run_;
  bool last_ = false;
};

// As a program tells them.
std::vector<u64> as_told(const schedules::cost_sums& costs, u64 iterations) {
  std::vector<u64> sums(iterations + 1);
  for (u64 i = 0; i <= iterations; ++i) sums[i] = costs.before(i);
  return sums;
}

double longest(const rank_loop& loop) {
  double most = 0;
  for (u64 i = 0; i < loop.iterations; ++i) most = std::max(most, loop.costs.of({i, i + 1, 1}));
  return most;
}

}  // namespace

rank_outcome simulate_ranks(const rank_loop& loop) {
  const doall_schedule between = schedules::make_descriptor(loop.between);
  const doall_schedule inside = schedules::make_descriptor(loop.inside);
  const unsigned deals = doall_schedule_deals(&between);
  std::vector<u64> sums;
  doall_costs told{};
  const doall_costs* costs = nullptr;
  if (const schedules::cost_sums given = loop.costs.for_schedules(); given.given()) {
    sums = as_told(given, loop.iterations);
    told = doall_costs_of_sums(sums.data(), loop.iterations, 1);
    costs = &told;
  }

  served_desk from{
      .deals = desk(loop.ranks, loop.ranks == 1 || (deals & DOALL_DEALS_BY_WORKER) != 0),
      .prices = loop.prices};
  from.deals.open(between, loop.iterations, costs);
  std::vector<std::unique_ptr<virtual_rank>> ranks;
  for (std::uint32_t r = 0; r < loop.ranks; ++r) {
    ranks.push_back(std::make_unique<virtual_rank>(loop, from, r, inside, costs, deals));
  }
  rank_outcome out;
  u64 run = 0;
  const std::uint32_t all = loop.ranks * loop.workers;
  constexpr double never = std::numeric_limits<double>::infinity();
  for (sim::earliest workers(all); workers.when() != never;) {
    const std::uint32_t w = workers.who();
    virtual_rank& mine = *ranks[w / loop.workers];
    const std::uint32_t worker = w % loop.workers;
    from.now_ns = workers.when();
    doall_chunk part;
    bool is_over = false;
    if (!mine.draw(worker, part, is_over)) {
      workers.set(w, is_over ? never : std::max(mine.answer_ns(), from.now_ns));
      continue;
    }
    const double took_ns = loop.costs.of({part.begin, part.end, part.step});
    mine.ran(worker, {mpi::detail::size_of(part), static_cast<u64>(took_ns)});
    const double ends_ns = from.now_ns + loop.prices.part_ns + took_ns;
    out.time_ns = std::max(out.time_ns, ends_ns);
    ++out.parts;
    run += mpi::detail::size_of(part);
    workers.set(w, ends_ns);
  }
  if (run != loop.iterations) {
    throw std::logic_error("simulated ranks ran " + std::to_string(run) + " iterations of " +
                           std::to_string(loop.iterations));
  }
  out.ideal_ns =
      std::max(loop.costs.of({0, loop.iterations, 1}) / static_cast<double>(all), longest(loop));
  out.desk_busy = out.time_ns == 0 ? 0 : from.busy_ns / out.time_ns;
  out.wishes = from.wishes;
  out.chunks = from.chunks;
  return out;
}

}  // namespace doall::cli
