// The engine of COWS's schedules: wsr, wsri, wsrw. Every worker begins with a list of iterations
// that is computed, never stored. It reserves c of them at a time. A worker that has none left
// steals half of what a victim has left. The three schedules differ in their rules: which victim to
// steal from, and where to cut its list.
//
// Paper: COWS, sections III and V, Figures 3, 7 to 9. A current list <owner, x, y> is what is left
// of the owner's first list: its y entries from x on.
//   - Here a list is a run of tickets in one 64-bit word (stealable_run.hpp). initial_lists.hpp
//     defines which iterations they are, and what a worker begins with. In a loop of 2^32
//     iterations or more a ticket is several iterations, and c and min are scaled alike.
//   - c is by default the fourth root of the total workload: of all costs, or of N if none are
//     given. Costs may be in any unit, so c is then at most a 16th of a list, or the fourth root of
//     N if that is more: otherwise nanoseconds for microseconds would leave nothing to steal. And c
//     is at least 1024 or a 512th of a list, whichever is less; a 128th where costs are known,
//     which bound it as well. A reservation is not free: its locked instruction waits until all
//     that earlier iterations have written is in memory, and it enters the loop over its iterations
//     anew (docs/investigations/2026-11-23-longer-reservations.md).
//   - A victim with fewer than min= iterations left (5) is not stolen from. A victim keeps y - y /
//   2, so
//     its last iteration is never stolen: min=1 means 2. Hence a worker that never comes leaves
//     some iterations undone. In every schedule with partitions, each worker must come.
//   - A list may be stolen from before its owner has come, as in static_steal.hpp.
//
// Where it differs from the paper, and why. There a thief finds its victim under a global lock,
// marks it busy, and cuts its list under the victim's local lock, which an owner takes for each
// reservation. Here each of the two changes a list by one addition or compare-and-swap of its word.
// There is no busyStatus: two thieves may choose one victim. The later one cuts what is left then,
// and finds another victim if that is too little. A reservation takes no lock, and only idle
// workers wait for thieves. As for the paper's text:
//   - Figure 7's failing path (line 12) leaves busyStatus set, which would keep all thieves from
//     that victim for good: read as a slip. Here there is nothing to set.
//   - `y` is a count in <owner, x, y> and an index in Figure 7, lines 14 and 17, and in Figure 9:
//     read as the text has it, that the victim keeps entries up to stealPt and the thief has the
//     rest. Line 10 compares with 0, the text with y; neither case occurs here, since both keep
//     some.
//   - Opt4 reads TArr[y] where the list's end is x + y, and Figure 9 TArr[x] without the owner:
//     both are read with the owner's own list.
//   - A loop without exact costs "falls back to WSRW" (III-D1): WSRI is meant, as in Opt3.
//   - The example's t_3 and t_1 are t_2 and t_0 of Figure 4 (unit_schedule_cows.cpp has its rows).
//
// State: for each worker, its run, and how often it tried to steal; for the loop, counts of its
// thefts.
//
// Exactly once: a ticket leaves a word once (stealable_run.hpp). In transit its thief holds it. The
// thief puts all but the first c, or fewer, into its own word before it does anything else, and
// runs these.
//
// No worker stops while a list holds at least min: a worker that finds no victim leaves only if no
// thief was holding anything (thefts.hpp); else it looks again.
//
// Terminates: a cut fails only because another worker took something. A worker looks again as
// thefts.hpp says.
// Cost: reservation: one fetch_add, or a compare-and-swap, on a line that only thieves share. An
// owner plans its next ones while they are alike: c tickets each, in one block or each a block,
// none too dear. Then they are additions of c, and nothing has to be computed from the word in
// between. Theft: a look at P lines (wsr: mostly at one), a compare-and-swap, and two additions on
// one line.
// Why reservations are planned: docs/investigations/2026-11-26-reservations-planned-ahead.md.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/rng.hpp"
#include "schedule/cows/initial_lists.hpp"
#include "schedule/schedule.hpp"
#include "schedule/stealable_run.hpp"
#include "schedule/thefts.hpp"

namespace doall::schedules {

// Where to cut a list so that the victim keeps the larger half of its iterations.
inline u64 middle_of(range list) { return list.end - list.size() / 2; }

// Rule(loop) describes the schedule (options, about), and says who is stolen from, and of what:
//   draws                  whether to try some at random before looking at all
//   worth(list, lists)     of victims, the one whose list is worth most is stolen from
//   place(list, lists)     where a list of two or more is cut: behind its begin, before its end
// and, if costs may be known,
//   costs()                       what the loop's iterations cost; perhaps unknown
//   will_reserve(c, loop)         called once, unless c= is given
//   will_leave(min, loop)         called once, unless min= is given
//   is_dear(list, lists)          whether to steal from a list of fewer than min iterations, if
//   need be of
//                                 the only one in it
//   portion(list, lists, guess)   how many of these tickets, c or what is left, to reserve at once;
//                                 they are probably of owner `guess`'s list
//   whole_portions(row, c)        of how many of a row's chunks, from the first on, portion() would
//                                 say that all c tickets are to be reserved; perhaps there are more
template <class Rule>
class cows {
 public:
  using options = typename Rule::options;
  static constexpr description about = Rule::about;

  explicit cows(const loop_context& loop)
      : lists_(loop),
        rule_(loop),
        reserve_(reserve_of(loop, lists_)),
        least_(least_of(loop, lists_)),
        lines_(loop.lines),
        epoch_(loop.epoch) {
    if constexpr (has_portions) {
      if (loop.given.as<cows_options>().c == 0) rule_.will_reserve(reserves(), loop);
    }
    if constexpr (knows_the_dear) {
      if (loop.given.as<cows_options>().min == 0) rule_.will_leave(usual_least, loop);
    }
  }

  chunk next(worker w, feedback) {
    for (unsigned looks = 0; !make_ready(w.index); ++looks) {
      if (!thefts_.pause(looks)) return nothing_left;
    }
    const chunk own = reserve(w.index);
    return own.empty() ? steal(w) : own;
  }

  // The short way for a worker that has something (schedule.hpp).
  chunk usual(worker w) {
    if (lines_[w.index].touch.look(epoch_) != base::first_touch::state::ready) return nothing_left;
    return reserve(w.index);
  }

  // The reservations that the worker makes next, if they are alike.
  [[gnu::always_inline]] plan plan_ahead(worker w) const {
    worker_line& line = lines_[w.index];
    if (line.touch.look(epoch_) != base::first_touch::state::ready) return {};
    const range list = run_of(w.index).seen();
    const auto row = lists_.row_of(list, reserve_, w.index);
    u64 count = row.count;
    if constexpr (has_portions) {
      if (count != 0) count = rule_.whole_portions(row, reserve_);
    }
    return {&line.word[0], count, list.end, reserve_, row.begin, reserve_, row.stride};
  }

  // How often workers tried to steal, successful or not. Any thread may call it; a hint while they
  // work.
  u64 steals_tried() const {
    u64 sum = 0;
    for (std::uint32_t w = 0; w < lists_.workers(); ++w) {
      if (lines_[w].touch.look(epoch_) != base::first_touch::state::ready) continue;
      // (1) relaxed; alone: a counter
      sum += tried_by(w).load(sync::relaxed);
    }
    return sum;
  }

  u64 reserves() const { return u64{reserve_} * lists_.ticket_size(); }

 private:
  static constexpr bool has_portions =
      requires(const Rule& rule, const initial_lists& lists) { rule.portion(range{}, lists, 0U); };
  static constexpr bool knows_the_dear =
      requires(const Rule& rule, const initial_lists& lists) { rule.is_dear(range{}, lists); };
  static constexpr bool has_costs = requires(const Rule& rule) { rule.costs(); };
  static constexpr u64 usual_least = 5;
  static constexpr u64 reserves_a_list = 16;  // at least, whatever the costs' unit
  static constexpr u64 long_reserve = 1024;   // at least, unless a list has this many reservations:
  static constexpr u64 long_reserves_a_list = 512;
  static constexpr u64 long_bounded_reserves_a_list = 128;
  static constexpr unsigned draws_most = 8;
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  // The result of a look at all lists.
  struct finding {
    std::uint32_t victim = nobody;
    bool in_flux = false;  // some lists could not be seen
  };

  static u64 fourth_root(u64 number) {
    auto root = static_cast<u64>(std::sqrt(std::sqrt(static_cast<double>(number))));
    while (base::u128{root} * root * root * root > number) --root;
    return root;
  }

  static std::uint32_t reserve_of(const loop_context& loop, const initial_lists& lists) {
    u64 wanted = loop.given.as<cows_options>().c;
    if (wanted == 0) {
      const u64 longest = lists.cyclic().longest();
      wanted = fourth_root(loop.shape.iterations);
      if (loop.costs.given()) {
        const u64 most = std::max(wanted, longest / reserves_a_list);
        wanted = std::min(fourth_root(loop.costs.total()), most);
      }
      const bool bounded = has_portions && loop.costs.given();
      const u64 part = longest / (bounded ? long_bounded_reserves_a_list : long_reserves_a_list);
      wanted = std::max(wanted, std::min(long_reserve, part));
    }
    return static_cast<std::uint32_t>(
        std::clamp<u64>(wanted / lists.ticket_size(), 1, stealable_run::tickets_most));
  }

  // No list has more than tickets_most tickets, so one more means that no list is stolen from.
  static std::uint32_t least_of(const loop_context& loop, const initial_lists& lists) {
    const u64 asked = loop.given.as<cows_options>().min;
    const u64 wanted = asked == 0 ? usual_least : asked;
    return static_cast<std::uint32_t>(std::clamp<u64>(base::ceil_div(wanted, lists.ticket_size()),
                                                      2, stealable_run::tickets_most + 1));
  }

  stealable_run run_of(std::uint32_t w) const { return stealable_run(lines_[w].word[0]); }
  sync::atomic<u64>& tried_by(std::uint32_t w) const { return lines_[w].word[1]; }

  range first_list_of(std::uint32_t w) const {
    if constexpr (has_costs) return lists_.of(w, rule_.costs());
    return lists_.of(w, {});
  }

  bool make_ready(std::uint32_t w) const {
    return lines_[w].touch.ensure(epoch_, [&] {
      run_of(w).put(first_list_of(w));
      // (2) relaxed; alone: as (1); first_touch publishes it
      tried_by(w).store(0, sync::relaxed);
    });
  }

  // Inlined into the caller's usual path, with all that it calls. A chunk or a list that goes
  // through memory is written in parts and read as a whole, and a processor waits for that longer
  // than for the locked instruction.
  [[gnu::always_inline]] chunk reserve(std::uint32_t w) {
    const range mine =
        reserve_ == 1 ? run_of(w).take()
                      : run_of(w).take_some([this, w](range all) __attribute__((always_inline)) {
                          return portion_of(all, w);
                        });
    return mine.size() == 0 ? nothing_left : lists_.chunk_of(mine, w);
  }

  // How many of a list's first tickets to reserve at once.
  [[gnu::always_inline]] u64 portion_of(range list, std::uint32_t guess) const {
    const u64 most = std::min<u64>(reserve_, lists_.side_by_side(list, guess));
    if constexpr (has_portions) {
      return rule_.portion({list.begin, list.begin + most}, lists_, guess);
    } else {
      return most;
    }
  }

  // For a worker that has nothing. Kept out of the usual path.
  [[gnu::noinline]] chunk steal(worker w) {
    base::rng draw(base::rng(epoch_ << 32 ^ w.index).next() ^ w.turn);
    if constexpr (Rule::draws) {
      const chunk taken = steal_at_random(w.index, draw);
      if (!taken.empty()) return taken;
    }
    for (unsigned looks = 0;; ++looks) {
      const u64 seen = thefts_.seen();
      const finding found = look_at_all(Rule::draws ? other_than(w.index, draw) : next_to(w.index));
      if (found.victim != nobody) {
        const chunk taken = steal_from(found.victim, w.index);
        if (!taken.empty()) return taken;
      } else if (!found.in_flux && thefts_.none_since(seen)) {
        return nothing_left;
      }
      if (!thefts_.pause(looks)) return nothing_left;
    }
  }

  chunk steal_at_random(std::uint32_t thief, base::rng& draw) {
    for (unsigned draws = 0; lists_.workers() > 1 && draws < draws_most; ++draws) {
      const std::uint32_t victim = other_than(thief, draw);
      bool in_flux = false;
      if (!may_be_stolen_from(list_of(victim, in_flux))) {
        count_try(thief);
        continue;
      }
      const chunk taken = steal_from(victim, thief);
      if (!taken.empty()) return taken;
    }
    return nothing_left;
  }

  // What v may be stolen from, as far as this thread sees.
  range list_of(std::uint32_t v, bool& in_flux) const {
    switch (lines_[v].touch.look(epoch_)) {
      case base::first_touch::state::stale: return first_list_of(v);
      case base::first_touch::state::initialising: in_flux = true; return {};
      case base::first_touch::state::ready: return run_of(v).look();
    }
    return {};
  }

  bool may_be_stolen_from(range list) const {
    if (list.size() >= least_) return true;
    if constexpr (knows_the_dear) return list.size() != 0 && rule_.is_dear(list, lists_);
    return false;
  }

  // Finds the list that is worth most, of those that may be stolen from; of equal ones the first
  // from `start` on.
  finding look_at_all(std::uint32_t start) const {
    finding found;
    decltype(rule_.worth(range{}, lists_)) most{};
    std::uint32_t v = start;
    do {
      const range list = list_of(v, found.in_flux);
      if (may_be_stolen_from(list)) {
        const auto worth = rule_.worth(list, lists_);
        if (found.victim == nobody || worth > most) {
          found.victim = v;
          most = worth;
        }
      }
      v = next_to(v);
    } while (v != start);
    return found;
  }

  // Returns the first chunk of what the thief has stolen; none if the victim has too little by now.
  // The rest becomes the thief's list.
  chunk steal_from(std::uint32_t victim, std::uint32_t thief) {
    if (!make_ready(victim)) return nothing_left;
    count_try(thief);
    thefts_.begin();
    const range taken = run_of(victim).cut_at([&](range list) {
      if (!may_be_stolen_from(list)) return list.end;
      return list.size() == 1 ? list.begin : rule_.place(list, lists_);
    });
    const u64 rest = taken.begin + (taken.size() == 0 ? 0 : portion_of(taken, victim));
    if (taken.size() != 0) run_of(thief).put({rest, taken.end});
    thefts_.end();
    if (taken.size() == 0) return nothing_left;
    chunk stolen = lists_.chunk_of({taken.begin, rest}, victim);
    stolen.from = origin::stolen;
    stolen.victim = victim;
    return stolen;
  }

  void count_try(std::uint32_t w) const {
    // (3) relaxed; alone: as (1); no other thread writes it
    const u64 before = tried_by(w).load(sync::relaxed);
    // (4) relaxed; alone: as (3)
    tried_by(w).store(before + 1, sync::relaxed);
  }

  std::uint32_t next_to(std::uint32_t w) const { return w + 1 == lists_.workers() ? 0 : w + 1; }

  std::uint32_t other_than(std::uint32_t w, base::rng& draw) const {
    if (lists_.workers() == 1) return w;
    const auto other = static_cast<std::uint32_t>(draw.below(lists_.workers() - 1));
    return other < w ? other : other + 1;
  }

  initial_lists lists_;
  Rule rule_;
  std::uint32_t reserve_;  // c, in tickets
  std::uint32_t least_;    // min, likewise
  worker_line* lines_;
  u64 epoch_;
  thefts thefts_;
};

}  // namespace doall::schedules
