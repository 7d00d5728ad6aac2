#include "sim/rank_simulation.hpp"

#include <doall/doall.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "schedule/descriptor.hpp"
#include "sim/rank_actors.hpp"

namespace doall::sim {
namespace {

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

  const bool by_worker = (deals & DOALL_DEALS_BY_WORKER) != 0;
  const std::uint32_t in_row = (deals & DOALL_DEALS_BY_TIMES) != 0 ? 1 : shelf::most_in_row;
  std::vector<std::uint32_t> nodes(loop.ranks);
  std::iota(nodes.begin(), nodes.end(), 0U);
  const std::uint32_t group_nodes = by_worker ? ~std::uint32_t{0} : loop.group_nodes;
  const std::vector<std::uint32_t> heads = groups::of(nodes, 0, group_nodes).heads;
  const bool in_tree = heads.size() > 1;

  const std::uint32_t all = loop.ranks * loop.workers;
  stage on{.actors = earliest(all + static_cast<std::uint32_t>(heads.size()))};
  std::vector<std::unique_ptr<virtual_rank>> ranks;
  for (std::uint32_t r = 0; r < loop.ranks; ++r) {
    ranks.push_back(std::make_unique<virtual_rank>(loop, r, inside, costs));
  }
  std::vector<std::unique_ptr<virtual_dealer>> dealers;
  for (const std::uint32_t head : heads) {
    const groups tree = groups::of(nodes, head, group_nodes);
    const auto count = static_cast<std::uint32_t>(tree.members.size());
    const auto group = static_cast<std::uint32_t>(dealers.size());
    virtual_dealer& made = *dealers.emplace_back(std::make_unique<virtual_dealer>(
        on, loop.prices, all + group, count, by_worker || tree.is_one_node, in_row));
    for (const std::uint32_t r : tree.members) made.members.push_back(ranks[r].get());
    for (std::uint32_t r = 0; r < count; ++r) {
      const bool is_dealer = tree.members[r] == head;
      if (is_dealer) made.own = r;
      made.members[r]->ask(made, r, is_dealer, is_dealer && head != 0, deals);
    }
    if (!in_tree) {
      made.ranks.open(between, loop.iterations, costs);
      continue;
    }
    made.ranks.open_for_blocks(between, costs);
    made.ask_above(*dealers[0], group);
  }
  if (in_tree) {
    virtual_dealer& root = *dealers[0];
    root.groups.emplace(static_cast<std::uint32_t>(heads.size()), false);
    root.groups->open(mpi::detail::between_groups(between), loop.iterations, costs);
    for (const auto& dealer : dealers) root.heads.push_back(dealer.get());
  }
  rank_outcome out;
  u64 run = 0;
  while (on.actors.when() != never) {
    const std::uint32_t actor = on.actors.who();
    on.now_ns = on.actors.when();
    if (actor >= all) {
      dealers[actor - all]->serve();
      continue;
    }
    virtual_rank& mine = *ranks[actor / loop.workers];
    const std::uint32_t worker = actor % loop.workers;
    doall_chunk part;
    bool is_over = false;
    if (!mine.draw(worker, part, is_over)) {
      if (is_over) {
        on.wake(actor, never);
      } else {
        mine.wait(on, worker);
      }
      continue;
    }
    const double took_ns = loop.costs.of({part.begin, part.end, part.step});
    mine.ran(worker, {mpi::detail::size_of(part), static_cast<u64>(took_ns)});
    const double ends_ns = on.now_ns + loop.prices.part_ns + took_ns;
    out.time_ns = std::max(out.time_ns, ends_ns);
    ++out.parts;
    run += mpi::detail::size_of(part);
    on.wake(actor, ends_ns);
  }
  if (run != loop.iterations) {
    throw std::logic_error("simulated ranks ran " + std::to_string(run) + " iterations of " +
                           std::to_string(loop.iterations));
  }
  out.ideal_ns =
      std::max(loop.costs.of({0, loop.iterations, 1}) / static_cast<double>(all), longest(loop));
  out.dealers = static_cast<std::uint32_t>(dealers.size());
  for (const auto& dealer : dealers) {
    const double busy = out.time_ns == 0 ? 0 : dealer->busy_ns / out.time_ns;
    if (dealer == dealers.front()) out.desk_busy = busy;
    out.most_busy = std::max(out.most_busy, busy);
    out.wishes += dealer->wishes;
    out.chunks += dealer->chunks;
  }
  return out;
}

}  // namespace doall::sim
