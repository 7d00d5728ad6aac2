// Trials: a loop is run the other way now and then, alone if it is shared, and the two are
// compared. small_loops.hpp has the rules. Called by any thread that has timed a run of the site,
// or is about to.
#include <algorithm>

#include "decide/small_loops.hpp"

namespace doall::team {
namespace {

// Nobody notices so much more, once.
constexpr double longest_trial_ns = 10e6;

// So many times as many iterations as gained nothing are expected to gain nothing; and so many
// times those that took twice as long as alone, and some burdens more, which no burden explains.
constexpr double gains_nothing_within = 1.25;
constexpr double slowed_down_within = 16;
constexpr double burdens_of_a_slot = 4;

// Timings of a loop whose iterations take as long in each run. Otherwise a trial compares nothing.
constexpr double steady_within = 1.5;

// A loop that runs alone is shared again if that takes less than so much of its time: a worker that
// comes late and does next to nothing harms little, and would look like a gain.
constexpr double plain_gain = 0.9;

// A loop is short up to here. The first run of its trial finds the data where the other way of
// running it has left them, and bringing them may take as long as the loop. So if that run does not
// win, a second one decides, unless the first, shared, took twice as long as alone. The first trial
// of a longer one, since its choice changed, looks first how long a part of it takes alone, for
// four runs may be all there are. That tells of a gain which is plain even if these iterations take
// a little longer than others. If they take much longer, a later trial, of all iterations, finds
// out what is amiss.
constexpr double longest_short_ns = 200e3;
constexpr double plain_gain_of_part = 0.75;
constexpr double slower_by_data = 2;

// How many timings of a shared loop a trial is compared with. The first may have woken workers.
constexpr std::uint32_t timings_compared = 3;

// How many timings of a shared loop pass before it is tried alone. One run in runs_a_timing is
// timed, so the trial loses less than one part in 4 << trials of the time so far, or, of two runs,
// two parts; that of a new loop, whose first runs are all timed, P - 1 parts in 3 a run.
std::uint32_t timings_to_trial(double serial_ns, std::uint32_t workers, std::uint32_t trials) {
  constexpr std::uint32_t doublings_most = 5;
  const std::uint32_t least =
      serial_ns <= longest_trial_ns ? timings_compared + (workers - 2) / 4 : 4 * workers;
  return least << std::min(trials, doublings_most);
}

}  // namespace

double loop_cost::least_of_last() const {
  double least_ns = seen_ns(0);
  for (std::uint32_t i = 1; i < std::min(timings(), seen_most); ++i)
    least_ns = std::min(least_ns, seen_ns(i));
  return least_ns;
}

// Whether so many of the last timings agree.
bool loop_cost::is_steady(std::uint32_t count) const {
  const std::uint32_t known = timings();
  if (known < count) return false;
  double least_ns = seen_ns(known - 1);
  double most_ns = least_ns;
  for (std::uint32_t i = 2; i <= count; ++i) {
    least_ns = std::min(least_ns, seen_ns(known - i));
    most_ns = std::max(most_ns, seen_ns(known - i));
  }
  return most_ns <= steady_within * least_ns;
}

void loop_cost::learn_shared(const stopwatch& own, const stopwatch& whole, std::uint32_t workers,
                             loop_cost& together) {
  // Nobody came, or another caller has the crew, or it is a level of a recursion: this is not what
  // sharing it takes.
  if (own.iterations == 0 || own.iterations >= whole.iterations || recurses()) return learn(own);
  together.count_alike(whole.iterations);
  together.learn(whole);
  if (!together.settled()) time_next();
  const trial now = step();
  if ((now == trial::shared_first || now == trial::shared) && gains_nothing(whole.iterations)) {
    // The least, for longer loops of the site may be shared.
    const double alone_ns = least_of_last() * static_cast<double>(whole.iterations);
    const auto now_ns = static_cast<double>(whole.elapsed_ns);
    const bool gains = now_ns < plain_gain * alone_ns;
    if (!gains && now == trial::shared_first && now_ns < slower_by_data * alone_ns) {
      go_on(trial::shared);
      return time_next();
    }
    if (gains) share_from(static_cast<double>(whole.iterations));
    return end_trial(gains);
  }
  const bool untried = is_untried(whole.iterations, together);
  learn(own);
  if (is_in_trial()) return;
  const double all_ns = serial_ns(whole.iterations);
  const bool enough = together.timings() >= timings_to_trial(all_ns, workers, 0);
  if (untried && enough && together.are_alike() && together.is_steady(seen_most))
    return begin_trial(all_ns);
  // (35) relaxed; alone: as (1)
  const std::uint32_t trials = trials_.load(sync::relaxed);
  if (!counts_down(timings_to_trial(all_ns, workers, trials))) return;
  if (!together.is_steady(seen_most)) {
    constexpr std::uint32_t timings_at_first = 8;
    if (together.timings() < timings_at_first) time_next();  // its workers were being woken
    // (48) relaxed; alone: as (39)
    return timings_to_trial_.store(1, sync::relaxed);  // after the next timing
  }
  begin_trial(all_ns);
}

void loop_cost::begin_trial(double serial_ns) {
  go_on(serial_ns < longest_short_ns ? trial::alone_first : trial::alone);
  time_next();  // machines differ from one moment to the next, so the two are neighbours
}

bool loop_cost::tries_a_part(std::uint64_t iterations) const {
  // (60) relaxed; alone: as (35)
  return step() == trial::alone && trials_.load(sync::relaxed) == 0 &&
         serial_ns(iterations) >= longest_short_ns;
}

bool loop_cost::gains_by_part(const stopwatch& part, loop_cost& together) {
  const double now_ns = static_cast<double>(part.elapsed_ns) / static_cast<double>(part.iterations);
  if (together.least_of_last() >= plain_gain_of_part * now_ns) return false;
  together.note_tried(together.last_iterations());
  end_trial(false);
  return true;
}

bool loop_cost::is_untried(std::uint64_t iterations, const loop_cost& together) const {
  if (is_frozen() || recurses() || serial_ns(iterations) > longest_trial_ns) return false;
  return static_cast<double>(iterations) > gains_nothing_within * together.alone_up_to();
}

bool loop_cost::is_hurried(std::uint64_t iterations, loop_cost& together) const {
  constexpr std::uint8_t chances = 8;
  if (!is_untried(iterations, together)) return false;
  // (50) relaxed; alone: an estimate
  const auto given = static_cast<std::uint8_t>(together.trials_.load(sync::relaxed) + 1);
  // (51) relaxed; alone: an estimate
  together.trials_.store(given % chances, sync::relaxed);
  if (given % chances == 0) together.note_tried(static_cast<double>(iterations));
  return true;
}

// Called before a timing is taken in.
void loop_cost::count_alike(std::uint64_t iterations) {
  const auto now = static_cast<double>(iterations);
  const bool is_alike = now <= gains_nothing_within * last_iterations() &&
                        last_iterations() <= gains_nothing_within * now;
  // (54) relaxed; alone: an estimate
  const std::uint32_t before = alike_.load(sync::relaxed);
  const std::uint32_t count = is_alike ? std::min(before + 1, seen_most) : 1;
  // (55) relaxed; alone: an estimate
  alike_.store(static_cast<std::uint8_t>(count), sync::relaxed);
}

void loop_cost::note_tried(double iterations) {
  // (52) relaxed; alone: an estimate
  alone_up_to_.store(static_cast<float>(std::max(iterations, alone_up_to())), sync::relaxed);
}

void loop_cost::learn_alone(const stopwatch& whole, loop_cost& together) {
  learn(whole);
  const trial now = step();
  if (now != trial::alone_first && now != trial::alone && now != trial::alone_again) return;
  const bool again = now == trial::alone_again;
  const double shared_iterations = together.last_iterations();
  const bool stopped = whole.iterations == 0;  // before its end
  // One that is too short to be shared is not the trial.
  const double tried = gains_nothing_within * static_cast<double>(whole.iterations);
  if (!stopped && tried < shared_iterations) return;
  together.note_tried(shared_iterations);
  if (stopped) {
    if (again) share_from(shared_iterations);
    return end_trial(false);
  }
  const double now_ns = static_cast<double>(std::max<std::uint64_t>(whole.elapsed_ns, 1)) /
                        static_cast<double>(whole.iterations);
  const double shared_ns = together.least_of_last();
  const bool gains = shared_ns < now_ns || (again && !is_steady(2));
  if (gains && now == trial::alone_first) {
    go_on(trial::alone);
    return time_next();
  }
  if (gains && again) share_from(shared_iterations);
  if (gains || again) return end_trial(!gains);
  const bool slowed_down =
      (shared_ns - 2 * now_ns) * shared_iterations > burdens_of_a_slot * burden_ns();
  const double within = slowed_down ? slowed_down_within : gains_nothing_within;
  const double none_up_to = std::max(alone_up_to(), within * shared_iterations);
  // (46) relaxed; alone: an estimate
  alone_up_to_.store(static_cast<float>(none_up_to), sync::relaxed);
  go_on(trial::alone_again);
  time_next();
}

bool loop_cost::is_trial(bool is_shared, std::uint64_t iterations, loop_cost& together) {
  if (is_frozen() || recurses()) return false;
  const trial now = step();
  const bool goes_shared = now == trial::shared_first || now == trial::shared;
  if (is_shared) {
    // This one is longer than the bound: it neither confirms that, nor is it for a trial shared.
    if (now == trial::alone_again) share_from(last_iterations());
    if (now == trial::alone_again || goes_shared) end_trial(false);
    if (now != trial::alone_first && now != trial::alone) return false;
    // A shorter one says nothing of what was shared: after the next timing, again.
    const double tried = gains_nothing_within * static_cast<double>(iterations);
    if (tried >= together.last_iterations()) return true;
    // (49) relaxed; alone: as (39)
    timings_to_trial_.store(1, sync::relaxed);
    go_on(trial::none);
    return false;
  }
  if (now != trial::none) return goes_shared;
  constexpr std::uint32_t doublings_most = 4;  // to share it now and then costs little
  // (38) relaxed; alone: as (35)
  const std::uint32_t trials = trials_.load(sync::relaxed);
  if (!together.counts_down(1U << std::min(trials, doublings_most))) return false;
  go_on(serial_ns(iterations) < longest_short_ns ? trial::shared_first : trial::shared);
  return true;
}

// Counts a timing; whether it is the last of so many.
bool loop_cost::counts_down(std::uint32_t timings) {
  // (39) relaxed; alone: a lost count tries a little later
  const std::uint32_t left = timings_to_trial_.load(sync::relaxed);
  const std::uint32_t now = (left == 0 ? timings : left) - 1;
  // (40) relaxed; alone: as (39)
  timings_to_trial_.store(static_cast<std::uint16_t>(std::min(now, 65'535U)), sync::relaxed);
  return now == 0;
}

// Of so many iterations, which gain.
void loop_cost::share_from(double iterations) {
  if (alone_up_to() < iterations) return;
  // (41) relaxed; alone: an estimate
  alone_up_to_.store(static_cast<float>(iterations / gains_nothing_within), sync::relaxed);
}

// What has changed may change again, so it is tried often at first.
void loop_cost::end_trial(bool changed) {
  // (42) relaxed; alone: an estimate
  const std::uint8_t trials = trials_.load(sync::relaxed);
  const int now = changed ? 0 : std::min(trials + 1, 255);
  // (43) relaxed; alone: an estimate
  trials_.store(static_cast<std::uint8_t>(now), sync::relaxed);
  // (44) relaxed; alone: as (39)
  timings_to_trial_.store(0, sync::relaxed);
  go_on(trial::none);
}

double loop_cost::felt_burden_ns(double burden_ns, std::uint32_t workers) const {
  return std::max(burden_ns, iteration_ns() * alone_up_to() * (1 - 1.0 / workers));
}

}  // namespace doall::team
