#include "schedule/registry.hpp"

#include <new>
#include <type_traits>

#include "base/env.hpp"
#include "schedule/adaptive_guided.hpp"
#include "schedule/affinity.hpp"
#include "schedule/affinity_last.hpp"
#include "schedule/best_static.hpp"
#include "schedule/cyclic.hpp"
#include "schedule/dynamic.hpp"
#include "schedule/ebs_auto.hpp"
#include "schedule/ebs_simple.hpp"
#include "schedule/factoring.hpp"
#include "schedule/fine_grain.hpp"
#include "schedule/flat_splitting.hpp"
#include "schedule/guided.hpp"
#include "schedule/hybrid.hpp"
#include "schedule/lbs.hpp"
#include "schedule/lbs_plus.hpp"
#include "schedule/mod_factoring.hpp"
#include "schedule/reversed.hpp"
#include "schedule/serial_inner.hpp"
#include "schedule/static.hpp"
#include "schedule/static_steal.hpp"
#include "schedule/sws.hpp"
#include "schedule/tapering.hpp"
#include "schedule/trapezoid.hpp"
#include "schedule/wsr.hpp"
#include "schedule/wsri.hpp"
#include "schedule/wsrw.hpp"

namespace doall::schedules {
namespace {

template <class S>
void construct_as(void* object, const loop_context& loop) {
  static_assert(sizeof(S) <= object_bytes && alignof(S) <= base::apart_bytes);
  static_assert(std::is_trivially_destructible_v<S>, "a loop ends by being forgotten");
  ::new (object) S(loop);
}

template <class S>
chunk next_of(void* object, worker w, feedback last) {
  return static_cast<S*>(object)->next(w, last);
}

[[gnu::always_inline]] inline bool hand_on(range_walk& at, const chunk& given, u64* first,
                                           u64* last) {
  ++at.me.turn;  // after next(): a locked instruction waits for the stores before it
  // Inlined, most schedules' step is the constant 1 and its test disappears.
  if (given.step == 1 && !given.empty() && given.end != at.iterations) [[likely]] {
    *first = at.value_of(given.begin);
    *last = at.value_of(given.end);
    return true;
  }
  // Field by field, so that the usual path need not have the chunk in memory.
  at.rest.begin = given.begin;
  at.rest.end = given.end;
  at.rest.step = given.step;
  at.rest.from = given.from;
  at.rest.victim = given.victim;
  return at.otherwise(at, first, last);
}

template <class S>
[[gnu::noinline]] bool next_range_in_full(range_walk& at, u64* first, u64* last) {
  return hand_on(at, static_cast<S*>(at.object)->next(at.me, {}), first, last);
}

template <class S>
bool next_range_of(range_walk& at, u64* first, u64* last) {
  S& schedule = *static_cast<S*>(at.object);
  if constexpr (requires { schedule.usual(at.me); }) {
    // Apart from the rest of next(), which would cost it registers and a chunk in memory.
    const chunk given = schedule.usual(at.me);
    return given.empty() ? next_range_in_full<S>(at, first, last) : hand_on(at, given, first, last);
  } else {
    return hand_on(at, schedule.next(at.me, {}), first, last);
  }
}

template <class S>
void finish_of(void* object) {
  static_cast<S*>(object)->finish();
}

template <class S>
u64 failed_claims_of(const void* object, std::uint32_t workers) {
  u64 sum = 0;
  for (std::uint32_t w = 0; w < workers; ++w) {
    sum += static_cast<const S*>(object)->failed_claims(w);
  }
  return sum;
}

template <class S>
u64 steals_tried_of(const void* object) {
  return static_cast<const S*>(object)->steals_tried();
}

template <class S>
constexpr operations operations_of() {
  operations all{construct_as<S>, next_of<S>, next_range_of<S>, nullptr, nullptr, nullptr};
  if constexpr (requires(S& s) { s.finish(); }) all.finish = finish_of<S>;
  if constexpr (requires(const S& s) { s.failed_claims(0); })
    all.failed_claims = failed_claims_of<S>;
  if constexpr (requires(const S& s) { s.steals_tried(); }) all.steals_tried = steals_tried_of<S>;
  return all;
}

template <class S>
constexpr entry make(std::string_view name, std::span<const std::string_view> aliases,
                     std::string_view paper, std::string_view summary,
                     std::span<const parameter> parameters, unsigned properties) {
  entry e{name,
          aliases,
          paper,
          summary,
          parameters,
          properties,
          operations_of<S>(),
          operations_of<reversed<S>>(),
          nullptr,
          nullptr,
          nullptr};
  if constexpr (std::is_same_v<S, hybrid>) e.costs_wanted = &params::assign;
  if constexpr (requires(std::uint32_t workers) { S::memory_bytes(workers); }) {
    e.memory_bytes = S::memory_bytes;
  }
  if constexpr (requires { typename S::rule; }) {
    e.splits = &splitting_operations_of<typename S::rule>;
  }
  return e;
}

constexpr std::string_view order_words[] = {"forward", "reverse"};
constexpr parameter for_all[] = {
    {"order", &params::order, false, "forward, or reverse: the loop's last iterations first",
     order_words, "forward"},
};

constexpr parameter static_parameters[] = {
    {"chunk", &params::chunk, true,
     "iterations a chunk, dealt round robin; default: one block each"},
};
constexpr parameter dynamic_parameters[] = {
    {"chunk", &params::chunk, true, "iterations a chunk; default 1"},
};
constexpr std::string_view rounding_words[] = {"up", "down"};
constexpr parameter guided_parameters[] = {
    {"chunk", &params::chunk, true, "least iterations a chunk; default 1"},
    {"k", &params::k, false, "takes 1/(kP) of what is left; default 1"},
    {"round", &params::round, false, "that part rounded up, the default, or down", rounding_words,
     "up"},
};
constexpr std::string_view victim_words[] = {"fullest", "random"};
constexpr parameter affinity_parameters[] = {
    {"k", &params::k, true, "takes 1/k of its own queue at a time; default P"},
    {"victim", &params::victim, false,
     "fullest, the default to 64 workers, or random: the fuller of two drawn", victim_words},
    {"round", &params::round, false, "those parts rounded up, the default, or down",
     rounding_words},
};
constexpr parameter tapering_parameters[] = {
    {"chunk", &params::chunk, true, "least iterations a chunk; default 1"},
};

constexpr std::string_view cut_words[] = {"no", "yes"};
constexpr parameter hybrid_parameters[] = {
    {"chunk", &params::chunk, true, "most iterations a chunk; default: the less of 2048 and N/8P"},
    {"parts", &params::k, false, "partitions, rounded up to a power of two, at most 8P; default P"},
    {"costs", &params::assign, false,
     "partitions and chunks of equal cost, where costs are given; default: of equal number",
     cut_words, "no", true},
};

constexpr parameter ebs_simple_parameters[] = {
    {"sst", &params::chunk, true, "a part of so many iterations is not split; default 1"},
};
constexpr parameter ebs_auto_parameters[] = {
    {"k", &params::k, true, "splits into kP chunks; default 4"},
    {"v", &params::v, true, "a stolen part into at least so many; default 4"},
};
constexpr parameter lbs_parameters[] = {
    {"ppt", &params::chunk, true,
     "iterations that are run between two looks; default: those of 1,000 cycles, or N/64P"},
};

constexpr std::string_view assignment_words[] = {"cyclic", "block", "block-cyclic"};
constexpr std::string_view search_words[] = {"bisect", "walk"};
constexpr parameter wsrw_parameters[] = {
    {"c", &params::chunk, true,
     "iterations reserved at a time; default: the fourth root of the total workload, more in long "
     "loops, of wsrw fewer where they are dear"},
    {"min", &params::v, false, "who has fewer iterations left is not stolen from; default 5"},
    {"assign", &params::assign, false,
     "a worker's at first: every P-th block of neighbours, the default without costs; every P-th "
     "iteration; or one block, the default with costs, then of equal cost",
     assignment_words},
    {"cut", &params::round, false,
     "how half of a victim's cost is found: by bisection; or iteration by iteration, as a measure "
     "of what that saves",
     search_words, "bisect"},
};
constexpr std::span cows_parameters = std::span(wsrw_parameters).first<3>();

constexpr std::string_view static_aliases[] = {"block"};
constexpr std::string_view dynamic_aliases[] = {"ss", "self-scheduling"};
constexpr std::string_view guided_aliases[] = {"gss"};
constexpr std::string_view trapezoid_aliases[] = {"tss", "trapezoidal"};
constexpr std::string_view affinity_aliases[] = {"afs"};
constexpr std::string_view adaptive_guided_aliases[] = {"agss"};

constexpr entry entries[] = {
    make<static_blocks>("static", static_aliases, "AFS",
                        "one block for each worker, or chunks round robin; no sharing",
                        static_parameters, monotonic | keeps_affinity),
    make<dynamic>("dynamic", dynamic_aliases, "AFS",
                  "idle workers take the next chunk from a common counter", dynamic_parameters,
                  monotonic),
    make<guided>("guided", guided_aliases, "AFS", "idle workers take a fixed part of what is left",
                 guided_parameters, monotonic),
    make<trapezoid>("trapezoid", trapezoid_aliases, "AFS",
                    "chunks shrink from N/2P to 1 by a constant", {}, monotonic),
    make<affinity>("affinity", affinity_aliases, "AFS",
                   "own queue first, the same one every time; then a little from the fullest",
                   affinity_parameters, keeps_affinity),
    make<cyclic>("cyclic", {}, "OpenMP", "every P-th iteration is the same worker's; no sharing",
                 {}, monotonic | keeps_affinity),
    make<adaptive_guided>("adaptive-guided", adaptive_guided_aliases, "AFS",
                          "guided with every P-th iteration in a chunk; who fails to get one waits",
                          {}, 0),
    make<factoring>("factoring", {}, "AFS", "in phases: half of what is left in P equal chunks", {},
                    monotonic),
    make<mod_factoring>("mod-factoring", {}, "AFS",
                        "factoring, each worker the same chunk of a phase every time", {},
                        keeps_affinity),
    make<tapering>("tapering", {}, "AFS",
                   "guided, with smaller chunks the more iteration times have varied",
                   tapering_parameters, monotonic | adapts | remembers),
    make<affinity_last>("affinity-last", {}, "AFS",
                        "affinity, but an iteration is queued where it last ran",
                        affinity_parameters, keeps_affinity | remembers),
    make<best_static>("best-static", {}, "AFS",
                      "one block for each worker, of equal cost where costs are given", {},
                      monotonic | uses_costs | keeps_affinity),
    make<static_steal>("static-steal", {}, "OpenMP",
                       "own share first, a chunk at a time; then half of what another has left",
                       dynamic_parameters, 0),
    make<fine_grain>("fine-grain", {}, "fine-grain",
                     "one block for each worker, for loops of microseconds", {},
                     monotonic | keeps_affinity),
    make<hybrid>("hybrid", {}, "hybrid",
                 "own partition first, then others in an order of its own; then half of another's",
                 hybrid_parameters, uses_costs | keeps_affinity),
    make<flat_splitting<serial_inner>>("serial-inner", {}, "LBS",
                                       "lbs,1, but a loop inside of a loop runs where it is met",
                                       {}, splitting),
    make<flat_splitting<sws>>("sws", {}, "LBS",
                              "one iteration at a time; whoever comes takes over the rest", {},
                              splitting),
    make<flat_splitting<ebs_simple>>("ebs-simple", {}, "LBS",
                                     "split in halves at once, down to a threshold",
                                     ebs_simple_parameters, splitting),
    make<flat_splitting<ebs_auto>>("ebs-auto", {}, "LBS",
                                   "split in halves at once, into so many chunks a worker",
                                   ebs_auto_parameters, splitting),
    make<flat_splitting<lbs>>("lbs", {}, "LBS",
                              "halves are split off as long as somebody comes and steals them",
                              lbs_parameters, splitting),
    make<flat_splitting<lbs_plus>>("lbs+", {}, "LBS",
                                   "lbs, but a loop of under 10,000 cycles runs where it is met",
                                   lbs_parameters, splitting),
    make<wsr>("wsr", {}, "COWS",
              "every P-th block first; then half of what a worker drawn at random has left",
              cows_parameters, keeps_affinity),
    make<wsri>("wsri", {}, "COWS", "wsr, but from who has most iterations left", cows_parameters,
               keeps_affinity),
    make<wsrw>("wsrw", {}, "COWS",
               "own block of equal cost first; then half of the cost that is left where most is",
               wsrw_parameters, uses_costs | keeps_affinity),
};

constexpr property_name names[] = {
    {monotonic, "monotonic"},           {uses_costs, "uses_costs"}, {adapts, "adapts"},
    {keeps_affinity, "keeps_affinity"}, {splitting, "splitting"},   {remembers, "remembers"},
};

// Found by the compiler, which does not compile a name that is not there. (A static of a
// function would have a lock, which the child of a fork might find held.)
consteval const entry& named(std::string_view name) {
  return *std::ranges::find(entries, name, &entry::name);
}

}  // namespace

std::span<const property_name> property_names() { return names; }

std::span<const parameter> common_parameters() { return for_all; }

std::span<const entry> registry() { return entries; }

const entry& for_native_loops() { return named("affinity"); }
const entry& for_small_loops() { return named("fine-grain"); }
const entry& for_runtime_loops() { return named("dynamic"); }
const entry& for_monotonic_loops() { return named("dynamic"); }
const entry& for_costed_loops() { return named("wsrw"); }
const entry& for_guarded_loops() { return named("wsri"); }
const entry& for_uniform_loops() { return named("cyclic"); }
const entry& for_uniform_blocks() { return named("static"); }
const entry& for_nested_loops() { return named("lbs"); }
const entry& for_nonmonotonic_loops() { return named("static-steal"); }

bool is_one_block_each(const entry& which, const params& given) {
  const auto deals = which.forward.next;
  return (deals == next_of<static_blocks> || deals == next_of<fine_grain>) && given == params{};
}

bool is_hybrid(const entry& which) { return which.forward.next == next_of<hybrid>; }

const entry* find(std::string_view name) {
  for (const entry& e : entries) {
    if (base::same_word(e.name, name)) return &e;
    for (std::string_view alias : e.aliases) {
      if (base::same_word(alias, name)) return &e;
    }
  }
  return nullptr;
}

}  // namespace doall::schedules
