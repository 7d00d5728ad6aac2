#include "decide/site_times.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/rng.hpp"

namespace doall::decide {
namespace {

template <class Word>
Word get(const sync::atomic<Word>& from) {
  // (1) relaxed; alone: an estimate
  return from.load(sync::relaxed);
}

template <class Word, class Value>
void set(sync::atomic<Word>& to, Value what) {
  // (2) relaxed; alone: an estimate; a lost one is learnt a run later
  to.store(static_cast<Word>(what), sync::relaxed);
}

template <class Word, class Value>
void add_to(sync::atomic<Word>& to, Value what) {
  set(to, get(to) + what);
}

}  // namespace

void site_times::times::add(double an_index_ns, std::uint32_t runs) {
  note_rare(std::abs(an_index_ns), runs);
  const std::uint32_t at = get(next) % kept_times;
  set(ns[at], an_index_ns);
  set(stands_for[at], runs);
  set(next, at + 1);
  set(kept, std::min<std::uint32_t>(get(kept) + 1, kept_times));
}

void site_times::times::note_rare(double an_index_ns, std::uint32_t runs) {
  const double usual_ns = view().mean_ns;
  const bool is_rare = get(kept) > 1 && an_index_ns > rare_times * usual_ns;
  const double more_ns = is_rare ? an_index_ns - usual_ns : 0;
  add_to(many_runs, static_cast<float>(runs));
  add_to(rare_ns, static_cast<float>(runs * more_ns));
  add_to(rare_squares, static_cast<float>(runs * more_ns * runs * more_ns));
  if (get(many_runs) < rare_runs) return;
  for (auto* of : {&many_runs, &rare_ns, &rare_squares}) set(*of, get(*of) / 2);
}

void site_times::times::forget() {
  for (auto* of : {&many_runs, &rare_ns, &rare_squares}) set(*of, 0);
  set(next, 0);
  set(kept, 0);
}

way_times site_times::times::view() const {
  const std::uint32_t n = std::min<std::uint32_t>(get(kept), kept_times);
  if (n == 0) return {};
  double sum = 0;
  double runs = 0;
  double most = -1;
  double most_runs = 0;
  double least = std::abs(get(ns[0]));
  for (std::uint32_t i = 0; i < n; ++i) {
    const double one = std::abs(get(ns[i]));
    const double stood = get(stands_for[i]);
    sum += stood * one;
    runs += stood;
    least = std::min(least, one);
    if (one <= most) continue;
    most = one;
    most_runs = stood;
  }
  const double others = runs - most_runs;
  return {.runs = n,
          .mean_ns = others > 0 ? (sum - most * most_runs) / others : most,
          .least_ns = least,
          .all_ns = runs > 0 ? sum / runs : most,
          .many_runs = get(many_runs),
          .rare_ns = get(rare_ns),
          .rare_squares = get(rare_squares)};
}

double site_times::times::whole_ns() const {
  double least = 0;
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(get(kept), kept_times); ++i) {
    const double one = get(ns[i]);
    if (one > 0 && (least == 0 || one < least)) least = one;
  }
  return least;
}

bool site_times::times::is_mixed() const {
  for (std::uint32_t i = 0; i < std::min<std::uint32_t>(get(kept), kept_times); ++i) {
    if (get(ns[i]) < 0) return true;
  }
  return false;
}

void site_times::length_class::forget() {
  alone.forget();
  shared.forget();
  for (auto* ns : {&spent_ns, &explored_ns}) set(*ns, 0);
  for (auto* ns : {&vain_ns, &after_ns, &at_least_ns}) set(*ns, 0);
  for (auto& one : recent_ns) set(one, 0);
  set(short_in_turn_ns, 0);
  set(turns, 0);
  set(held, 0);
}

void site_times::length_class::note_alone(double an_index_ns, std::uint32_t runs) {
  set(recent_ns[0], get(recent_ns[1]));
  set(recent_ns[1], an_index_ns);
  set(short_in_turn_ns, 0);
  alone.add(an_index_ns, runs);
}

// A shared run that took less than half of what is known alone, at most, has become short. What
// such runs in turn have taken pays for trying one alone: a mixture seldom has so many.
void site_times::length_class::note_most(const outcome& ran) {
  if (ran.most_ns <= 0) return;
  const double an_index_ns = ran.most_ns / static_cast<double>(ran.indices);
  const bool is_short = rare_times * an_index_ns < alone.view().mean_ns;
  set(short_in_turn_ns, is_short ? get(short_in_turn_ns) + ran.elapsed_ns : 0);
  for (auto& one : recent_ns) set(one, std::min<double>(get(one), an_index_ns));
}

// A loss stays until others have gained as much: many short rests that gain do not make up for a
// long one that loses.
void site_times::length_class::note_offer(double gained_ns, double took_ns) {
  const double gain_ns = std::clamp(gained_ns, -took_ns, took_ns);
  const double vain = std::max(get(vain_ns) - gain_ns, 0.0);
  set(vain_ns, vain);
  if (gained_ns < 0) {
    set(held, std::min<std::uint32_t>(get(held) + 1, held_most));
  } else if (vain == 0) {
    set(held, 0);
  }
}

void site_times::length_class::learn(const outcome& ran, std::uint32_t runs) {
  const auto n = static_cast<double>(ran.indices);
  const double took_ns = std::max(ran.elapsed_ns, 1.0);
  if (!ran.began_alone) {
    // Guesses are as good as runs alone, as long as there is none. One is not enough: if the caller
    // was preempted it is a time slice for each worker.
    if (ran.guess_ns > 0 && alone.whole_ns() == 0) alone.add(-ran.guess_ns / n);
    note_most(ran);
    return shared.add(std::max(took_ns - ran.burden_ns, 0.0) / n);
  }
  if (ran.ran_alone == 0) return note_alone(took_ns / n, runs);
  const auto before = static_cast<double>(ran.ran_alone);
  const double rest_ns = took_ns - ran.alone_ns;
  const double would_ns = ran.alone_ns + ran.last_ns * (n - before);
  // A first run may have begun with iterations that cost next to nothing: its pieces say nothing of
  // what its rest would have taken.
  const bool is_first = get(alone.kept) == 0;
  // One that explored is tried to its end next time, if its rest was no faster shared. Of the
  // others the next one is recalled, too, or held.
  alone.add(-(ran.by.explores ? would_ns : std::min(would_ns, took_ns)) / n);
  if (!ran.by.explores) {
    if (!is_first) note_offer(ran.last_ns * (n - before) - rest_ns, took_ns);
    // What this run lost by not being shared at once would have been lost by not exploring, too:
    // it pays for exploring.
    const double shared_ns =
        ran.burden_ns + std::max(rest_ns - ran.burden_ns, 0.0) * n / (n - before);
    set(explored_ns, std::max(get(explored_ns) - std::max(took_ns - shared_ns, 0.0), 0.0));
  }
  // As good as a shared run, as long as there is none, if it was most of one.
  if ((get(shared.kept) == 0 || ran.by.explores) && n - before > n / 2)
    shared.add(std::max(rest_ns - ran.burden_ns, 0.0) / (n - before));
}

std::uint32_t site_times::find(std::uint64_t indices) const {
  const std::uint32_t name = class_of(indices) + 1;
  std::uint32_t common = classes;
  for (std::uint32_t at = 0; at < classes; ++at) {
    const std::uint32_t here = get(names_[at]);
    if (here == 0) break;  // they are taken in turn: none behind it is
    if ((here & ~one_length) != name) continue;
    if (get(all_[at].length) == indices) return at;
    if (here == name) common = at;
  }
  return common;
}

site_times::length_class& site_times::make(std::uint32_t name, std::uint64_t indices) {
  const std::uint32_t at = get(next_) % classes;
  set(next_, at + 1);
  all_[at].forget();
  set(all_[at].length, indices);
  set(names_[at], name);
  return all_[at];
}

// Whether the length is one of the newest, and another one has come since.
bool site_times::comes_back(std::uint64_t indices) {
  const std::uint64_t before = get(last_length_);
  set(last_length_, indices);
  for (const auto& one : late_)
    if (get(one) == indices) return before != indices;
  const std::uint32_t at = get(next_late_) % late_lengths;
  set(late_[at], indices);
  set(next_late_, at + 1);
  return false;
}

site_times::length_class& site_times::find_or_make(std::uint64_t indices) {
  const std::uint32_t name = class_of(indices) + 1;
  const bool is_back = comes_back(indices);
  const std::uint32_t at = find(indices);
  if (at == classes) return make(name, indices);
  const bool has_room = get(names_[get(next_) % classes]) == 0;
  if (is_back && has_room && get(all_[at].length) != indices)
    return make(name | one_length, indices);
  return all_[at];
}

site_view site_times::view(std::uint64_t indices) const {
  const std::uint32_t length = class_of(indices);
  site_view seen;
  if (const std::uint32_t at = find(indices); at != classes) {
    const length_class& c = all_[at];
    seen.alone = c.alone.view();
    seen.shared = c.shared.view();
    seen.whole_ns = c.alone.whole_ns();
    seen.recent_ns = std::min(get(c.recent_ns[0]), get(c.recent_ns[1]));
    seen.spent_ns = get(c.spent_ns);
    seen.explored_ns = get(c.explored_ns) - get(c.short_in_turn_ns);
    seen.held = get(c.held);
    seen.turns = get(c.turns);
  }
  if (seen.alone.runs > 0) return seen;
  int nearest = ~0U >> 1;
  for (std::uint32_t i = 0; i < classes; ++i) {
    const std::uint32_t name = get(names_[i]) & ~one_length;
    if (name == 0) continue;
    const int away = std::abs(static_cast<int>(name) - 1 - static_cast<int>(length));
    const double whole_ns = all_[i].alone.whole_ns();
    if (whole_ns == 0 || away >= nearest) continue;
    nearest = away;
    seen.near_ns = whole_ns;
  }
  return seen;
}

void site_times::learn(const outcome& ran, std::uint32_t runs) {
  if (ran.indices == 0) return;
  length_class& c = find_or_make(ran.indices);
  c.learn(ran, runs);
  add_to(c.spent_ns, ran.elapsed_ns * runs);
  const bool is_usual = ran.began_alone && ran.ran_alone == 0 && !ran.by.explores &&
                        ran.elapsed_ns < always_learnt_ns;
  set(c.piece, std::min<std::uint64_t>(ran.by.alone.longest_piece, ~std::uint32_t{0}));
  set(c.after_ns, is_usual ? ran.by.alone.after_ns : 0);
  set(c.at_least_ns, ran.by.alone.at_least_ns);
  if (!ran.by.explores) return;
  // A thread may be preempted whichever way runs: exploring costs what such runs mostly take.
  const auto n = static_cast<double>(ran.indices);
  const double mostly_ns =
      ran.began_alone ? n * c.alone.view().mean_ns : ran.burden_ns + n * c.shared.view().mean_ns;
  const double lost_ns = std::max(std::min(ran.elapsed_ns, mostly_ns) - ran.by.expected_ns, 0.0);
  // What was given up lost no more than it took until then.
  add_to(c.explored_ns, ran.ran_alone > 0 ? std::min(lost_ns, ran.alone_ns) : lost_ns);
  set(c.turns, ran.by.more_turns);
}

bool site_times::is_usual(std::uint64_t indices, recall& until) const {
  const std::uint32_t at = find(indices);
  if (at == classes) return false;
  until.after_ns = get(all_[at].after_ns);
  until.at_least_ns = get(all_[at].at_least_ns);
  until.longest_piece = get(all_[at].piece);
  return until.after_ns > 0;
}

bool site_times::is_mixed(std::uint64_t indices) const {
  const std::uint32_t at = find(indices);
  return at != classes && all_[at].alone.is_mixed();
}

double site_times::break_even_ns(double burden_ns, std::uint32_t workers) const {
  double felt_ns = burden_ns;
  for (std::uint32_t i = 0; i < classes; ++i) {
    const way_times alone = all_[i].alone.view();
    const way_times shared = all_[i].shared.view();
    if (get(names_[i]) == 0 || alone.runs == 0 || shared.runs == 0) continue;
    const double longest = least_of(get(names_[i]) & ~one_length);
    if (longest * alone.mean_ns > longest * shared.mean_ns + burden_ns) continue;
    felt_ns = std::max(felt_ns, longest * alone.mean_ns * (1 - 1.0 / workers));
  }
  return felt_ns;
}

std::uint64_t site_times::roll() {
  base::rng next(get(dice_) + reinterpret_cast<std::uintptr_t>(this));
  add_to(dice_, 0x9e3779b97f4a7c15);
  return next.next() >> 32;
}

}  // namespace doall::decide
