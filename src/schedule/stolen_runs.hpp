// Every worker's run of tickets, which begins as a part of the loop that is the worker's alone; and
// how a worker that has none left steals from another of half. static-steal and auto are made of
// it; they differ in the first parts, and in how many tickets a worker takes at a time.
//
// The first worker to touch a run brings it up to date (base/first_touch.hpp), so the part of a
// worker that has not arrived can be stolen.
//
// Exactly once: stealable_run.hpp. Balance: a ticket in a run can be stolen, down to the last. No
// worker leaves while a run holds any, or a thief carries some from run to run (thefts.hpp): then a
// worker that finds nothing looks again.
// Terminates: a cut finds nothing only because another worker took something. A worker that finds
// nothing looks again as thefts.hpp says.
// Cost: a theft: a look at `looks` workers, or more until one has something, a compare-and-swap,
// and two additions on one line.
#pragma once

#include "schedule/schedule.hpp"
#include "schedule/stealable_run.hpp"
#include "schedule/thefts.hpp"

namespace doall::schedules {

// Tickets of a run; which worker's it was.
struct stolen_tickets {
  range tickets{};
  std::uint32_t victim = 0;
};

// The counts of a loop's thefts are its schedule's, in a line of their own: these few words lie
// with the schedule's others in one line, which each worker fetches when it begins.
class stolen_runs {
 public:
  explicit stolen_runs(const loop_context& loop)
      : lines_(loop.lines), epoch_(loop.epoch), workers_(loop.shape.workers) {}

  stealable_run of(std::uint32_t w) const { return stealable_run(lines_[w].word[0]); }

  bool is_ready(std::uint32_t w) const {
    return lines_[w].touch.look(epoch_) == base::first_touch::state::ready;
  }

  // Brings worker w's run up to date: first_part(w) gives the tickets that it begins with. False:
  // another thread is just doing so.
  template <class FirstPart>
  bool make_ready(std::uint32_t w, const FirstPart& first_part) const {
    return lines_[w].touch.ensure(epoch_, [&] { of(w).put(first_part(w)); });
  }

  // The same for the run's own worker, which waits. False: the thread that it waits for may not
  // exist (thefts::pause).
  template <class FirstPart>
  bool arrive(std::uint32_t w, const FirstPart& first_part, const thefts& counts) const {
    for (unsigned looks = 0; !make_ready(w, first_part); ++looks) {
      if (!counts.pause(looks)) return false;
    }
    return true;
  }

  // For a worker that has no ticket: steals half of what another has, the fullest of the next
  // `looks` workers, or the first beyond that has something. Of these the thief runs the first
  // at_once(all) at once, at least one, which are returned; the others are its run. None: nothing
  // is left. Kept out of the usual path.
  template <class FirstPart, class AtOnce>
  [[gnu::noinline]] stolen_tickets steal(std::uint32_t thief, std::uint32_t looks,
                                         const FirstPart& first_part, const AtOnce& at_once,
                                         thefts& counts) const {
    of(thief).put({});  // however often its owner has asked it for more, it begins anew
    for (unsigned rounds = 0;; ++rounds) {
      const u64 seen = counts.seen();
      const round found = look_round(thief, looks, first_part);
      if (found.victim != thief) {
        const range mine = steal_from(found.victim, thief, at_once, counts);
        if (mine.size() != 0) return {mine, found.victim};
        continue;  // another worker took it
      }
      if (!found.in_flux && counts.none_since(seen)) return {};
      if (!counts.pause(rounds)) return {};
    }
  }

 private:
  struct round {
    std::uint32_t victim;  // the thief itself: nobody has any
    bool in_flux = false;  // a run was being brought up to date
  };

  template <class FirstPart>
  round look_round(std::uint32_t thief, std::uint32_t looks, const FirstPart& first_part) const {
    round found{thief};
    u64 most = 0;
    std::uint32_t looked = 0;
    for (std::uint32_t v = next_to(thief); v != thief; v = next_to(v)) {
      if (looked++ >= looks && most != 0) break;
      if (!make_ready(v, first_part)) {
        found.in_flux = true;
        continue;
      }
      const u64 has = of(v).look().size();
      if (has <= most) continue;
      most = has;
      found.victim = v;
    }
    return found;
  }

  template <class AtOnce>
  range steal_from(std::uint32_t victim, std::uint32_t thief, const AtOnce& at_once,
                   thefts& counts) const {
    counts.begin();
    const range all = of(victim).cut();
    const u64 mine = all.size() == 0 ? 0 : at_once(all);
    if (all.size() > mine) of(thief).put({all.begin + mine, all.end});
    counts.end();
    return {all.begin, all.begin + mine};
  }

  std::uint32_t next_to(std::uint32_t w) const { return w + 1 == workers_ ? 0 : w + 1; }

  worker_line* lines_;
  u64 epoch_;
  std::uint32_t workers_;
};

}  // namespace doall::schedules
