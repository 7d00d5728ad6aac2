// A loop that is too small to be shared runs on its caller, so that no loop is much slower than it
// would be without doall.
//
// Sharing a loop of serial time T among P workers costs a burden d, the price of release, dealing
// and join, and takes T / P + d. It pays if T (1 - 1 / P) > d.
//
// T comes from the loop's site (site.hpp): how long an iteration took in its last timings. The
// first three runs are timed, then one in runs_a_timing, and the run after a timing that is out of
// all proportion. What counts is the median of the last three timings, or the lesser of two. So the
// next two outvote a timing of a thread that was preempted or found its pages missing, and one that
// came out too small.
//
// d is measured for each team size: the time of an empty loop, now and then, since a virtual
// machine's cores come and go. A measurement counts only if all workers that were asked for took
// part. While the crew is leased or workers do not come, and on a worker, nothing is measured: d
// keeps its value, at first unmeasured_burden_ns. The next try is 0.2 ms later, then 0.4 ms, ...,
// at most burden_lasts_ns.
//
// A loop that gains, but by no more than blocks_most_burdens times d, is shared as blocks, one for
// each worker: it is too short to be balanced. d is the burden of such a loop; balancing costs some
// three times as much.
//
// Workers that sleep must be woken first, which costs more than most loops. That is the ski rental
// problem: rent (run alone) until what sharing would have saved adds up to the price of waking,
// then buy. So the loss is at most twice that of the best decision in hindsight.
//
// Trials. P workers need more than T / P + d where they share what one worker has to itself: the
// core of two hardware threads, memory's bandwidth, a lock, a line that all write. A shared loop
// cannot see that, for all its iterations take longer. So now and then a loop is run the other way:
// alone if it is shared, shared if it is not for that reason. If so many iterations gained nothing,
// no more than 1.25 times as many are shared until a trial says otherwise; 16 times, if they took
// twice as long and some burdens more. Of the last three timings shared the least counts, of two
// alone in turn the dearer: so a disturbed timing keeps no loop from being shared. Nor do loops
// whose iterations take long in one run and little in the next: nothing is concluded unless timings
// agree. Nor from one run of a short loop that loses: its data were in the caches of those who ran
// it before; the next run decides. A run alone loses at most T (1 - 1 / P). The first trial comes
// after some 4 P runs, the next after twice as many each time; of a loop above longest_trial_ns
// after some 64 P. The first of a long loop ends after a part of it, if that shows a gain. Of a
// site with loops of many lengths few long ones are among the runs that are timed. So a balanced
// loop longer than all that were tried is timed in each run, eight times at most, and tried once
// three in turn were of its length and agree. Of a nest, what is compared is the loops inside:
// alone, the short ones are plain loops, and the others are outermost ones, shared and timed. So T
// is less than the nest takes on one thread, and the trials decide. Recursions are not tried.
//
// Applies only to loops that name no schedule.
//
// Frozen choices. A site's choice is made from what an iteration costs and from the burden that it
// was last compared with. Frozen, both stay: so the choice is a function of the number of
// iterations and workers alone, and the site is not timed any more. A site freezes when it has
// its three timings, if `auto,frozen` asks for it, or has them from another process's file
// (choices.hpp).
//
// State: words that any thread writes, relaxed. A word of one run beside a word of another
// misjudges a loop once, or until its next trial; no answer depends on it. A trial shared, or the
// second timing of one alone, stays open until a loop of its length is timed, or a longer one.
// Cost: a loop that runs alone reads its site's first line; one that may gain, and a timing, read
// the clock once or twice more.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/sync.hpp"
#include "settings/settings.hpp"

namespace doall::team {

// How long some of a loop's iterations took, on one thread.
struct stopwatch {
  std::uint64_t iterations = 0;
  std::uint64_t elapsed_ns = 0;
};

// What an iteration of one loop of the source costs.
class loop_cost {
 public:
  // Counts this run, and returns whether to time it. Never when it is frozen.
  bool timing_due();
  // Takes in a timing, unless it is frozen.
  void learn(std::uint64_t iterations, std::uint64_t elapsed_ns);
  void learn(const stopwatch& seen) { learn(seen.iterations, seen.elapsed_ns); }

  // Whether its iterations met other loops; whether they met loops of the same site.
  bool nests() const { return shape() != 0; }
  bool recurses() const { return shape() == 2; }
  void note_nests() { note(1); }
  void note_recurses() { note(2); }

  // The same for something whose next execution may take a thousand times as long. Keeps a mean
  // that falls by halves; doubts a time that is out of all proportion longer until it comes again.
  void learn_warily(std::uint64_t iterations, std::uint64_t elapsed_ns);

  bool known() const { return iteration_ns() > 0; }

  // What the last choice compared it with; 0: there was none.
  double burden_ns() const {
    // (25) relaxed; alone: an estimate
    return burden_ns_.load(sync::relaxed);
  }
  void note_burden(double ns) {
    // (26) relaxed; alone: as (25)
    burden_ns_.store(static_cast<float>(ns), sync::relaxed);
  }

  // Whether so few iterations were seen to gain nothing when they are shared.
  bool gains_nothing(std::uint64_t iterations) const {
    return static_cast<double>(iterations) <= alone_up_to();
  }

  // Takes in a timing of a run that `workers` shared: what its caller ran of it, and the whole.
  // `together` is what the site knows of such runs.
  void learn_shared(const stopwatch& own, const stopwatch& whole, std::uint32_t workers,
                    loop_cost& together);
  // Takes in a timing of a run alone.
  void learn_alone(const stopwatch& whole, loop_cost& together);

  // Whether a shared loop of so many iterations is longer than all that were compared.
  bool is_untried(std::uint64_t iterations, const loop_cost& together) const;
  // Whether to time this run of such a loop although none is due. Counts: `together` gives a few.
  bool is_hurried(std::uint64_t iterations, loop_cost& together) const;

  // For a run that is timed, and shared or not by best(): whether to run it the other way.
  bool is_trial(bool is_shared, std::uint64_t iterations, loop_cost& together);
  // Whether to look first how long one part in parts_of_trial of what is_trial() would run alone
  // takes so; and whether that shows that sharing gains. Then the trial has ended.
  static constexpr std::uint64_t parts_of_trial = 32;
  bool tries_a_part(std::uint64_t iterations) const;
  bool gains_by_part(const stopwatch& part, loop_cost& together);
  // Whether a trial has begun that has not ended.
  bool is_in_trial() const { return step() != trial::none && !recurses() && !is_frozen(); }

  // Whether its choice stays as it is, and who made it.
  bool is_frozen() const { return standing_now() >= standing::frozen; }
  bool is_loaded() const { return standing_now() == standing::loaded; }

  // Keeps the choice that it has made for that many workers. A thread that is in learn() may still
  // move it by its timing.
  void freeze(double burden_ns, std::uint32_t workers) {
    note_burden(felt_burden_ns(burden_ns, workers));
    stand_for_good(standing::frozen);
  }
  // Whether any site's choice stays as it is. Then a burden decides of no loop that its site has
  // not been asked for.
  static bool any_is_frozen() {
    // (57) relaxed; alone: as (27)
    return any_is_frozen_.load(sync::relaxed);
  }
  // The burden with which the same loops would be shared without trials.
  double felt_burden_ns(double burden_ns, std::uint32_t workers) const;
  // Takes the choice that another process has made.
  void load(double iteration_ns, double burden_ns, std::uint8_t shape);
  // What it has seen inside its iterations, for another process: 0 nothing, 1 loops, 2 itself.
  std::uint8_t shape() const {
    // (22) relaxed; alone: it only rises
    return shape_.load(sync::relaxed);
  }

  // Whether it has as many timings as it keeps; if not, the next run should be timed.
  bool settled() const { return timings() >= seen_most; }

  double serial_ns(std::uint64_t iterations) const {
    return iteration_ns() * static_cast<double>(iterations);
  }

  // How many iterations take that long, at least 1; not known: 1.
  std::uint64_t iterations_in(double ns) const {
    constexpr double most = 1e18;
    return known() ? static_cast<std::uint64_t>(std::min(ns / iteration_ns(), most)) + 1 : 1;
  }

  std::uint32_t timings() const {
    // (1) relaxed; alone: an estimate
    return timings_.load(sync::relaxed);
  }

 private:
  static constexpr std::uint32_t seen_most = 3;

  double iteration_ns() const {
    // (2) relaxed; alone: an estimate
    return iteration_ns_.load(sync::relaxed);
  }
  double seen_ns(std::uint32_t timing) const {
    // (3) relaxed; alone: an estimate
    return seen_ns_[timing % seen_most].load(sync::relaxed);
  }
  double usual_of_last(std::uint32_t timings) const;
  double least_of_last() const;
  bool is_steady(std::uint32_t count) const;
  double alone_up_to() const {
    // (31) relaxed; alone: an estimate
    return alone_up_to_.load(sync::relaxed);
  }
  double last_iterations() const {
    // (45) relaxed; alone: an estimate
    return last_iterations_.load(sync::relaxed);
  }
  // What a trial's next timed run is for. The first ones decide only if they win.
  enum class trial : std::uint8_t { none, alone_first, alone, alone_again, shared_first, shared };
  trial step() const {
    // (34) relaxed; alone: an estimate
    return next_trial_.load(sync::relaxed);
  }
  void go_on(trial next) {
    // (33) relaxed; alone: as (34)
    next_trial_.store(next, sync::relaxed);
  }
  bool counts_down(std::uint32_t timings);
  void count_alike(std::uint64_t iterations);
  // Whether the last timings were of loops of about one length.
  bool are_alike() const {
    // (56) relaxed; alone: an estimate
    return alike_.load(sync::relaxed) == seen_most;
  }
  void note_tried(double iterations);
  void share_from(double iterations);
  void begin_trial(double serial_ns);
  void end_trial(bool changed);
  void time_next();
  void note(std::uint8_t seen) {
    // (23) relaxed; alone: as (22)
    if (shape() < seen) shape_.store(seen, sync::relaxed);
  }

  enum class standing : std::uint8_t {
    trusted,
    doubted,  // the last timing is
    frozen,   // from here on nothing is learnt
    loaded
  };
  standing standing_now() const {
    // (27) relaxed; alone: a late look learns once more
    return standing_.load(sync::relaxed);
  }
  void stand(standing now) {
    // (28) relaxed; alone: as (27)
    standing_.store(now, sync::relaxed);
  }
  void stand_for_good(standing now) {
    // (58) relaxed; alone: as (27)
    any_is_frozen_.store(true, sync::relaxed);
    stand(now);
  }
  // Does not thaw what another thread has frozen meanwhile.
  void doubt(bool doubts) {
    standing was = doubts ? standing::trusted : standing::doubted;
    const standing now = doubts ? standing::doubted : standing::trusted;
    // (30) relaxed; alone: as (27)
    standing_.compare_exchange_strong(was, now, sync::relaxed, sync::relaxed);
  }

  static sync::atomic<bool> any_is_frozen_;  // not inline: such a symbol keeps a library loaded

  sync::atomic<float> iteration_ns_{0};  // 0: not known
  std::array<sync::atomic<float>, seen_most> seen_ns_{};
  sync::atomic<float> burden_ns_{0};
  sync::atomic<float> last_iterations_{0};  // of the last timing
  sync::atomic<float> alone_up_to_{0};      // so many gain nothing; of `together`: were tried
  sync::atomic<std::uint32_t> timings_{0};
  sync::atomic<std::uint16_t> timings_to_trial_{0};  // alone; of `together`: shared
  sync::atomic<std::uint8_t> runs_to_timing_{0};
  sync::atomic<std::uint8_t> alike_{0};  // of `together`: timings in turn of about one length
  sync::atomic<standing> standing_{standing::trusted};
  sync::atomic<std::uint8_t> shape_{0};   // 1: it nests; 2: it recurses
  sync::atomic<std::uint8_t> trials_{0};  // since the choice changed, up to 255; see is_hurried()
  sync::atomic<trial> next_trial_{trial::none};
};

enum class sharing {
  none,       // it runs on its caller
  in_blocks,  // one for each worker
  balanced,   // by the schedule for native loops
};

// The timing of an empty loop or region.
struct empty_run {
  enum class by : std::uint8_t {
    all_workers,   // each worker ran its own part
    late_workers,  // some had not come; they may come in another try
    another_team   // a smaller team: the crew is not available here
  };
  by ran;
  double ns;
};

// What sharing costs, and whether it pays. One object for each way of sharing.
class sharing_price {
 public:
  using measure = empty_run (*)(std::uint32_t workers);

  // Calls `run_empty` a few times when the last measurement for a team size is old; this may start
  // threads.
  constexpr explicit sharing_price(measure run_empty) : run_empty_(run_empty) {}

  // The best way to run a loop that takes serial_ns alone, with `workers` > 1. A loop that cannot
  // pay for the last measured burden asks for its age only with age::asked: the clock costs as
  // much as the rest of the decision.
  enum class age : bool { asked, ignored };
  sharing best(double serial_ns, std::uint32_t workers, age of_burden = age::asked);

  // Whether best() is `balanced` for workers that are awake.
  bool balances(double serial_ns, std::uint32_t workers);

  // The burden that is known now, and measured if it is old.
  double measured_ns(std::uint32_t workers);
  // The same, as it is.
  double known_ns(std::uint32_t workers);

  // The longest loop that does not gain, by the burden that was last measured; 0: none was.
  double longest_alone_ns(std::uint32_t workers);

  // What best() and balances() are by a frozen site's own numbers.
  static sharing frozen_best(const loop_cost& cost, std::uint64_t iterations,
                             std::uint32_t workers);

 private:
  struct burden {
    sync::atomic<std::uint64_t> until_ns{0};  // when to measure it again
    sync::atomic<double> ns{0};               // 0: never measured
    sync::atomic<std::uint32_t> failures{0};  // since the last measurement
  };

  burden& burden_for(std::uint32_t workers) { return burdens_[std::min(workers, most_workers)]; }
  double burden_ns(std::uint32_t workers, std::uint64_t now_ns);
  void measure_again(burden& of, std::uint32_t workers, std::uint64_t now_ns);

  measure run_empty_;
  std::array<burden, most_workers + 1> burdens_{};
};

}  // namespace doall::team
