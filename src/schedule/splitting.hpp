// A splitting schedule: one decision about the part of a loop that a worker has in hand. The engine
// around it (src/steal) pushes, pops, steals and joins. A loop that is driven by next() gets its
// flat form (flat_splitting.hpp).
//
// LBS's task descriptor is a part here: a range of a loop's iterations that no worker has begun. A
// worker that has one in hand asks its schedule, again and again,
//
//   decide(hand, deque_is_empty)   what to do next: run the first `keep` iterations, or keep those
//                                  in hand and push the others
//
// A decision is about a part of size at least 1. keep is 1 to size; to push, less than size.
// Terminates: each decision runs some of the part or keeps less of it.
// Plain values, without side effects: one object serves all workers of the loop.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <type_traits>

#include "schedule/schedule.hpp"

namespace doall::schedules {

struct part {
  u64 begin = 0;
  u64 end = 0;
  u64 chunks = 0;  // into how many it is still to be cut; ebs-auto's alone

  u64 size() const { return end - begin; }
  bool operator==(const part&) const = default;
};

struct step {
  enum class kind : bool { run, push };
  kind what;
  u64 keep;

  bool operator==(const step&) const = default;
};

// The steps that the rules have in common. The kept half of an odd number is the smaller one: of
// seven iterations, LBS's worker A keeps 2 to 4 and pushes 5 to 8 (section 3).
inline step run_first(u64 iterations) { return {step::kind::run, iterations}; }
inline step run_all(const part& hand) { return {step::kind::run, hand.size()}; }
inline step push_half(const part& hand) { return {step::kind::push, hand.size() / 2}; }

// What a splitting schedule knows of its loop.
struct split_context {
  loop_shape shape{};  // `workers`: how many could come
  params given{};
  u64 worth = 1;           // iterations that take 1,000 cycles, at least 1: LBS's ppt
  bool nested = false;     // inside another loop's iteration
  bool too_short = false;  // the whole loop is estimated to take under 10,000 cycles
};

// The base of a schedule's rule, which has a constructor from a split_context and decide(), and
// hides the members that it defines differently.
struct splitting_rule {
  // Whether it gives parts away that thieves may split further.
  static constexpr bool splits = true;
  // Whether a worker whose deque is empty offers of the outermost loop that it is in first.
  static constexpr bool offers_outermost = true;
  // Whether an outermost loop without loops inside is better dealt by the flat form: the rule makes
  // a part of nearly each iteration, which costs less in one word than in a deque.
  static constexpr bool rather_flat = false;

  // The whole loop as a part.
  part whole(u64 iterations) const { return {0, iterations}; }
  // The part that a thief gets for a stolen one.
  part stolen(const part& taken) const { return taken; }
  // The first `keep` iterations stay in `kept`; `rest` is what follows them.
  void cut(u64 keep, part& kept, part& rest) const {
    rest = {kept.begin + keep, kept.end};
    kept.end = rest.begin;
  }
};

// How many iterations a worker takes back off the front of a part in its deque; the others stay
// there. LBS's pop-half (footnote 4): a pop, a decision and a push in one transaction.
template <class Rule>
u64 popped(const Rule& rule, const part& own) {
  const step next = rule.decide(own, true);
  return next.what == step::kind::push ? next.keep : own.size();
}

// A rule's functions, for rules in storage of rule_bytes, aligned to 8. Rules need no end.
struct splitting_operations {
  void (*construct)(void* rule, const split_context& loop);
  step (*decide)(const void* rule, const part& hand, bool deque_is_empty);
  u64 (*popped)(const void* rule, const part& own);
  part (*stolen)(const void* rule, const part& taken);
  part (*whole)(const void* rule, u64 iterations);
  void (*cut)(const void* rule, u64 keep, part& kept, part& rest);
  bool offers_outermost;
  bool rather_flat;
};

inline constexpr std::size_t rule_bytes = 32;

template <class Rule>
const Rule& as_rule(const void* rule) {
  return *static_cast<const Rule*>(rule);
}

// One for each translation unit: an inline one would be unique in the process (GCC's
// STB_GNU_UNIQUE), and its library could never be unloaded.
template <class Rule>
static constexpr splitting_operations splitting_operations_of = {
    [](void* rule, const split_context& loop) {
      static_assert(sizeof(Rule) <= rule_bytes && alignof(Rule) <= 8);
      static_assert(std::is_trivially_copyable_v<Rule> && std::is_trivially_destructible_v<Rule>);
      ::new (rule) Rule(loop);
    },
    [](const void* rule, const part& hand, bool deque_is_empty) {
      return as_rule<Rule>(rule).decide(hand, deque_is_empty);
    },
    [](const void* rule, const part& own) { return popped(as_rule<Rule>(rule), own); },
    [](const void* rule, const part& taken) { return as_rule<Rule>(rule).stolen(taken); },
    [](const void* rule, u64 iterations) { return as_rule<Rule>(rule).whole(iterations); },
    [](const void* rule, u64 keep, part& kept, part& rest) {
      as_rule<Rule>(rule).cut(keep, kept, rest);
    },
    Rule::offers_outermost,
    Rule::rather_flat,
};

}  // namespace doall::schedules
