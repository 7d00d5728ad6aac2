#include "costs/loop_costs.hpp"

#include <algorithm>
#include <optional>
#include <string>

#include "base/env.hpp"
#include "base/no_memory.hpp"
#include "schedule/cows/costs_by_owner.hpp"
#include "schedule/static.hpp"

namespace doall::costs {
namespace {

using schedules::cost_sums;
using schedules::costs_by_owner;
using schedules::cyclic_lists;
using schedules::spec;

constinit sync::atomic<std::uint64_t> times_made{0};
constinit sync::atomic<std::uint64_t> times_reused{0};

void count(sync::atomic<std::uint64_t>& times) {
  // (1) relaxed; alone: a counter
  times.fetch_add(1, sync::relaxed);
}

bool steals_by_cost(const spec& how) { return how.which == &schedules::for_costed_loops(); }

bool wants_cyclic_lists(const spec& how) {
  const auto assign = how.given.as<schedules::cows_options>().assign;
  return steals_by_cost(how) &&
         (assign == schedules::one_by_one || assign == schedules::block_by_block);
}

// The lists by which to sum up the costs; null: none.
std::optional<cyclic_lists> lists_for(const spec& how, schedules::loop_shape shape) {
  if (!wants_cyclic_lists(how)) return {};
  return cyclic_lists(shape, how.given);
}

// The loop without costs, which are missing or say too little.
costed_loop without(spec how) {
  if (steals_by_cost(how)) how.which = &schedules::for_guarded_loops();
  return {.how = how};
}

// Deals the lists that wsrw would begin with, without making sums.
costed_loop uniformly(const spec& how, schedules::loop_shape shape) {
  const auto order = how.given.order;
  if (!wants_cyclic_lists(how))
    return {.how = {&schedules::for_uniform_blocks(), {.order = order}}};
  const std::uint64_t block = schedules::block_of(how.given, shape);
  if (block == 1) return {.how = {&schedules::for_uniform_loops(), {.order = order}}};
  return {.how = {&schedules::for_uniform_blocks(),
                  schedules::params::of(schedules::static_blocks::options{block}, order)}};
}

const std::uint64_t* sums_of(const doall_costs& told) {
  return static_cast<const std::uint64_t*>(told.data);
}

std::string loop_in_words(const spec& how, std::uint64_t iterations) {
  return "the costs of a loop of " + std::to_string(iterations) + " iterations under \"" +
         schedules::to_text(how) + "\" are not used: ";
}

// Warns once why the costs are not used.
costed_loop refuse(const spec& how, std::uint64_t iterations, const std::string& why) {
  const costed_loop instead = without(how);
  base::warn_once(loop_in_words(how, iterations) + why + "; it runs by \"" +
                  schedules::to_text(instead.how) + "\"" +
                  (steals_by_cost(how) ? "" : " as if they had not been told"));
  return instead;
}

// Costs of blocks that could not be made of those of the indices are nowhere, and of as many
// iterations as the latter (block_costs.h).
bool are_nowhere(const doall_costs& told) {
  return told.kind == DOALL_COSTS_SUMS ? told.data == nullptr : told.write == nullptr;
}

// Why the costs cannot be used; empty if they can.
std::string complaint_of(const doall_costs& told, std::uint64_t iterations) {
  const bool sums = told.kind == DOALL_COSTS_SUMS;
  const bool any_number = told.iterations == 0 && !sums;
  if (!any_number && told.iterations != iterations) {
    return "they are of " + std::to_string(told.iterations) + " iterations, expected as many";
  }
  if (told.kind > DOALL_COSTS_REAL || are_nowhere(told)) {
    return "their kind " + std::to_string(told.kind) + " is not known, or they are nowhere";
  }
  if (sums && sums_of(told)[iterations] < sums_of(told)[0]) {
    return "their running sums begin at " + std::to_string(sums_of(told)[0]) + " and end at " +
           std::to_string(sums_of(told)[iterations]) + ", expected none below the one before it";
  }
  return {};
}

// Samples costs that are spread over the loop or, if these are running sums, sums.
void sample(const doall_costs& told, std::uint64_t iterations, cost_samples& samples) {
  const std::uint64_t some = std::min<std::uint64_t>(samples.size(), iterations);
  const std::uint64_t stride = iterations / some;
  if (told.kind != DOALL_COSTS_SUMS) {
    return told.write(&told, 0, stride, some, samples.data());
  }
  for (std::uint64_t k = 1; k < some; ++k) samples[k - 1] = sums_of(told)[k * stride];
  samples[some - 1] = sums_of(told)[iterations];
}

// The average of costs that are no running sums, rounded up. It reads one in 64 of them, in
// stretches that are spread over the loop, so that it misses no period of theirs.
std::uint64_t rough_average(const doall_costs& told, std::uint64_t iterations) {
  constexpr std::uint64_t samples_most = 4096;
  constexpr std::uint64_t one_in = 64;
  std::array<std::uint64_t, 16> stretch;
  const std::uint64_t wanted = std::clamp<std::uint64_t>(iterations / one_in, 64, samples_most);
  const std::uint64_t length = std::min<std::uint64_t>(stretch.size(), iterations);
  const std::uint64_t stretches = std::min(wanted, iterations) / length;
  std::uint64_t sum = 0;
  for (std::uint64_t k = 0; k < stretches; ++k) {
    told.write(&told, iterations / stretches * k, 1, length, stretch.data());
    for (std::uint64_t i = 0; i < length; ++i) sum = base::saturating_add(sum, stretch[i]);
  }
  return base::ceil_div(sum, stretches * length);
}

// Whether some running sums, spread over the loop, and the total all give the same cost.
bool looks_uniform(const doall_costs& told, std::uint64_t iterations) {
  const std::uint64_t* const sums = sums_of(told);
  const std::uint64_t cost = sums[1] - sums[0];
  std::uint64_t all = 0;
  if (__builtin_mul_overflow(cost, iterations, &all) || all != sums[iterations] - sums[0]) {
    return false;
  }
  constexpr std::uint64_t looks = 16;
  const std::uint64_t stride = base::ceil_div(iterations, looks);
  for (std::uint64_t i = 0; i < iterations; i += stride) {
    if (sums[i] - sums[0] != i * cost) return false;
  }
  return true;
}

// Judges costs for wsrw before sums are made of them. Given sums are never too cheap to be used.
kept_costs::finding judge(const doall_costs& told, std::uint64_t iterations,
                          const cost_samples& samples) {
  using finding = kept_costs::finding;
  if (told.generation != 0 || told.kind == DOALL_COSTS_REAL) return finding::sums;
  if (told.kind == DOALL_COSTS_SUMS) {
    return looks_uniform(told, iterations) ? finding::uniform : finding::sums;
  }
  // Perhaps uniform: then making sums will find that, which serves better than wsri.
  const auto known = samples.begin() + static_cast<std::ptrdiff_t>(
                                           std::min<std::uint64_t>(samples.size(), iterations));
  if (std::all_of(samples.begin(), known, [&](auto cost) { return cost == samples[0]; })) {
    return finding::sums;
  }
  return rough_average(told, iterations) <= cheap_average ? finding::too_cheap : finding::sums;
}

// Makes sums of the costs, and classifies them.
class making {
 public:
  making(const doall_costs& told, const spec& how, schedules::loop_shape shape, kept_costs& into,
         const cost_makers& makers)
      : told_(told),
        how_(how),
        shape_(shape),
        lists_(lists_for(how, shape)),
        into_(into),
        sums_(told, shape, own_sums(told, into), into.pieces()),
        makers_(shape.iterations < parallel_from ? cost_makers{} : makers) {}

  // How many numbers the sums have.
  static std::uint64_t entries(const doall_costs& told, const std::optional<cyclic_lists>& lists,
                               std::uint64_t iterations) {
    const std::uint64_t own =
        told.kind == DOALL_COSTS_SUMS ? 0 : base::saturating_add(iterations, 1);
    return base::saturating_add(own, lists ? costs_by_owner::entries(*lists) : 0);
  }

  // The sums as they are kept: those of the whole loop, unless the user has them, and those by
  // owner.
  static cost_sums of(const doall_costs& told, const std::optional<cyclic_lists>& lists,
                      std::uint64_t iterations, const kept_costs& kept) {
    std::uint64_t* const own = own_sums(told, kept);
    const cost_sums all(own == nullptr ? sums_of(told) : own, iterations);
    return lists ? all.with(by_owner(told, iterations, kept)) : all;
  }

  const cost_fault& run() {
    each([](making& self, std::uint32_t p) { self.sums_.add_up(p); });
    sums_.settle();
    if (sums_.is_to_be_finished()) {
      each([](making& self, std::uint32_t p) { self.sums_.finish(p); });
    }
    const bool wrong = sums_.fault().what != cost_fault::kind::none;
    const bool uniform = sums_.uniform() && steals_by_cost(how_);
    if (!wrong && !uniform && lists_) {
      each([](making& self, std::uint32_t p) { self.sum_up_list(p); });
    }
    into_.found = wrong     ? kept_costs::finding::wrong
                  : uniform ? kept_costs::finding::uniform
                            : kept_costs::finding::sums;
    return sums_.fault();
  }

 private:
  static std::uint64_t* own_sums(const doall_costs& told, const kept_costs& kept) {
    return told.kind == DOALL_COSTS_SUMS ? nullptr : kept.sums();
  }

  static std::uint64_t* by_owner(const doall_costs& told, std::uint64_t iterations,
                                 const kept_costs& kept) {
    return kept.sums() + entries(told, {}, iterations);
  }

  void sum_up_list(std::uint32_t owner) const {
    const cost_sums all = of(told_, {}, shape_.iterations, into_);
    costs_by_owner::sum_up(costs_by_owner::in_dealt_order(all, how_.given), *lists_, owner,
                           by_owner(told_, shape_.iterations, into_));
  }

  template <class Make>
  void each(const Make&) {
    const auto make = [](void* self, std::uint32_t p) {
      making& all = *static_cast<making*>(self);
      if (p < all.sums_.pieces()) Make{}(all, p);
    };
    if (makers_.run != nullptr) return makers_.run(makers_.team, make, this);
    for (std::uint32_t p = 0; p < sums_.pieces(); ++p) make(this, p);
  }

  const doall_costs& told_;
  const spec& how_;
  schedules::loop_shape shape_;
  std::optional<cyclic_lists> lists_;
  kept_costs& into_;
  cost_making sums_;
  cost_makers makers_;
};

costed_loop run_by(const spec& how, schedules::loop_shape shape, const doall_costs& told,
                   kept_costs* held) {
  switch (held->found) {
    case kept_costs::finding::sums: break;
    case kept_costs::finding::uniform: give_back(held); return uniformly(how, shape);
    case kept_costs::finding::wrong:
    case kept_costs::finding::too_cheap: give_back(held); return without(how);
  }
  return {how, making::of(told, lists_for(how, shape), shape.iterations, *held), held};
}

// Finds or makes the sums of costs that are not given in the form needed.
costed_loop with_sums(const spec& how, schedules::loop_shape shape, const doall_costs& told,
                      const cost_makers& makers) {
  const std::optional<cyclic_lists> lists = lists_for(how, shape);
  cost_key key{.identity = told.identity,
               .generation = told.generation,
               .iterations = shape.iterations,
               .kind = told.kind,
               .judged = steals_by_cost(how)};
  if (lists) {
    key.workers = shape.workers;
    key.block = lists->block();
    key.reversed = how.given.order == schedules::in_reverse;
  }
  cost_samples samples{};
  if (told.generation == 0) sample(told, shape.iterations, samples);
  if (kept_costs* const known = find_kept(key, samples)) {
    count(times_reused);
    return run_by(how, shape, told, known);
  }
  if (steals_by_cost(how)) {
    const auto judged = judge(told, shape.iterations, samples);
    if (judged != kept_costs::finding::sums) {
      kept_costs* const made = make_kept(key, samples, 0, 0);
      if (made == nullptr) return without(how);
      made->found = judged;
      publish(made);
      return run_by(how, shape, told, made);
    }
  }
  kept_costs* const made =
      make_kept(key, samples, making::entries(told, lists, shape.iterations), shape.workers);
  if (made == nullptr) {
    return refuse(how, shape.iterations,
                  "there is no room for their sums among the " +
                      std::to_string(most_kept_bytes >> 20) + " MiB that are kept of all loops'");
  }
  const cost_fault fault = making(told, how, shape, *made, makers).run();
  publish(made);
  count(times_made);
  if (fault.what != cost_fault::kind::none) {
    give_back(made);
    return refuse(how, shape.iterations, fault.in_words());
  }
  return run_by(how, shape, told, made);
}

// Costs that only say what an iteration may cost. They are enough to limit reservations
// (list_costs.hpp), if they are given as sums.
costed_loop guarded(const spec& how, std::uint64_t iterations, const doall_costs& told) {
  costed_loop loop = without(how);
  if (told.kind == DOALL_COSTS_SUMS && complaint_of(told, iterations).empty()) {
    loop.costs = {sums_of(told), iterations};
  }
  return loop;
}

// Says once that the schedule, if it goes by costs, has none in a loop, and what is done. Once for
// those that steal by cost, and once for others; not if it measures them.
void warn_of_missing_costs(const spec& how) {
  constinit static sync::atomic<bool> said[2]{};
  if (!how.has(schedules::uses_costs) || how.has(schedules::remembers)) return;
  const bool steals = steals_by_cost(how);
  sync::atomic<bool>& said_this = said[steals ? 1 : 0];
  // (2) relaxed; alone: a flag; nothing else is communicated
  if (said_this.load(sync::relaxed)) return;
  // (3) relaxed; alone: as (2)
  if (said_this.exchange(true, sync::relaxed)) return;
  const spec instead{&schedules::for_guarded_loops(), how.given};
  base::warn_once("schedule \"" + schedules::to_text(how) +
                  "\" goes by what iterations cost, and a loop without costs was started: such "
                  "loops " +
                  (steals ? "run by \"" + schedules::to_text(instead) + '"'
                          : "are dealt as if all iterations cost the same"));
}

costed_loop decide(const spec& how, schedules::loop_shape shape, const doall_costs* told,
                   const cost_makers& makers, std::uint64_t indices) {
  if (told == nullptr || (told->kind == DOALL_COSTS_NONE && told->hints == 0)) {
    warn_of_missing_costs(how);
    return without(how);
  }
  if ((told->hints & DOALL_COSTS_GUARDED) != 0 && steals_by_cost(how)) {
    return guarded(how, shape.iterations, *told);
  }
  const bool is_uniform = (told->hints & DOALL_COSTS_UNIFORM) != 0;
  if (is_uniform && steals_by_cost(how)) return uniformly(how, shape);
  if (told->kind == DOALL_COSTS_NONE) return without(how);
  const std::uint64_t expected = are_nowhere(*told) ? indices : shape.iterations;
  if (const std::string why = complaint_of(*told, expected); !why.empty()) {
    return refuse(how, expected, why);
  }
  if (told->kind == DOALL_COSTS_SUMS && !steals_by_cost(how)) {
    return {.how = how, .costs = {sums_of(*told), shape.iterations}};
  }
  return with_sums(how, shape, *told, makers);
}

}  // namespace

costed_loop with_costs(const spec& how, schedules::loop_shape shape, const doall_costs* told,
                       const cost_makers& makers, std::uint64_t indices,
                       std::uint64_t cell) noexcept {
  if (!how.has(schedules::uses_costs)) return {.how = how};
  if (shape.workers == 1 || shape.iterations <= 1) return {.how = how};  // nothing to balance
  try {
    const base::may_fail here;
    const spec dealt = schedules::in_cells(how, cell);
    costed_loop loop =
        decide(dealt, shape, told, makers, indices != 0 ? indices : shape.iterations);
    loop.how.given =
        loop.how.given == dealt.given ? how.given : schedules::out_of_cells(loop.how, cell).given;
    return loop;
  } catch (const std::bad_alloc&) {
    return without(how);
  }
}

cost_counts count_costs() {
  // (4) relaxed; alone: as (1)
  const std::uint64_t made = times_made.load(sync::relaxed);
  // (5) relaxed; alone: as (1)
  return {made, times_reused.load(sync::relaxed)};
}

}  // namespace doall::costs
