#include "observe/ledger.hpp"

#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "observe/trace.hpp"

namespace doall::observe {

void ledger::page::add(const deque::counts& more) {
  own_count* next_count = stealing.data();
  deque::counts::each([&](const char*, auto field) {
    if (more.*field != 0) next_count->add(more.*field);
    ++next_count;
  });
}

void ledger::page::add_to(record& sum) const {
  sum.calls += calls.get();
  sum.calls_in_detail += calls.get();
  sum.iterations += iterations.get();
  sum.wall_time += wall_ticks.get();
  sum.busy_time += busy_ticks.get();
  sum.inside_time += inside_ticks.get();
  sum.capacity_time += capacity_ticks.get();
  sum.bottleneck_time += bottleneck_ticks.get();
  sum.waiting_time += waited_ticks.get();
  if (of_nested) {
    const std::uint64_t others = busy_ticks.get() + waited_ticks.get();
    sum.scheduling_time += inside_ticks.get() - std::min(inside_ticks.get(), others);
  }
  sum.chunks_own += chunks_own.get();
  sum.chunks_stolen += chunks_stolen.get();
  sum.stay_compared += stay_compared.get();
  sum.stay_stayed += stay_stayed.get();
  const own_count* next_count = stealing.data();
  deque::counts::each([&](const char*, auto field) { sum.stealing.*field += next_count++->get(); });
}

const ledger::page* ledger::first_page() const {
  // (4) acquire; pairs with (5): the page
  return pages_.load(sync::acquire);
}

ledger::page& ledger::page_of(const execution& loop) {
  if (is_left_behind()) begin_anew();
  const std::uint32_t number = number_of(*loop.of);
  if (number >= by_site_.size()) by_site_.resize(number + 1);
  page*& found = by_site_[number];
  if (found == nullptr) {
    found = all_.emplace_back(std::make_unique<page>()).get();
    found->of = loop.of;
    found->of_nested = loop.kind == site_kind::nested;
    // (6) relaxed; alone: its own
    found->next = pages_.load(sync::relaxed);
    // (5) release; pairs with (4): the page
    pages_.store(found, sync::release);
  }
  return *found;
}

// Called in the child of a fork. Keeps the pages, for the loops that the thread is in the middle
// of.
void ledger::begin_anew() {
  by_site_.clear();
  // (7) relaxed; alone: (8) orders it
  pages_.store(nullptr, sync::relaxed);
  // (8) release; pairs with (9): its pages are those of this process
  generation_.store(process_generation(), sync::release);
}

bool ledger::is_left_behind() const {
  // (9) acquire; pairs with (8): a report's writer finds no page from before the fork
  return generation_.load(sync::acquire) != process_generation();
}

namespace {

// The worker takes part in the outermost loop: for the first time, or after it was away.
void come_to(tally& own, std::uint64_t now_ticks) {
  if (own.entered_ticks == 0)
    own.entered_ticks = now_ticks;
  else
    own.away_ticks += now_ticks - own.left_ticks;
}

}  // namespace

void ledger::trace_stay(const stay& s, std::uint64_t now_ticks) {
  const std::uint32_t lane = trace::lane_here();
  if (lane == 0) return;
  trace::share did{.look = last_look_of(*s.loop.of),
                   .lane = lane,
                   .worker = s.worker,
                   .workers = s.on->workers,
                   .entered_ticks = s.began_ticks,
                   .left_ticks = now_ticks,
                   .iterations = s.iterations};
  const auto from = s.as == role::thief ? schedules::origin::stolen : schedules::origin::own;
  did.chunks[static_cast<int>(from)] = s.pieces;
  trace::add(did);
}

void ledger::end_waiting() {
  pass_to(place::runtime);
  const stay& now = inside_.back();
  trace::add_waiting(look_of(*now.loop.of), now.worker, now.waiting_began_ticks, settled_ticks_);
}

void ledger::enter(const execution& loop, role as, std::uint32_t worker) {
  page& mine = page_of(loop);
  const std::uint64_t now_ticks = base::ticks();
  settle(now_ticks);
  settle_counts(as == role::thief ? &mine : nullptr);
  if (as == role::starter) mine.calls.add(1);
  mine.depth += 1;
  if (loop.team != nullptr && loop.team != team()) come_to(loop.team[worker], now_ticks);
  inside_.push_back({loop, &mine, as, place::runtime, as == role::thief, worker, now_ticks});
}

void ledger::leave() {
  const std::uint64_t now_ticks = base::ticks();
  settle(now_ticks);
  settle_counts(nullptr);
  const stay last = inside_.back();
  last.on->depth -= 1;
  if (last.as == role::starter && last.on->depth == 0) {
    last.on->wall_ticks.add(now_ticks - last.began_ticks);
  }
  inside_.pop_back();
  trace_stay(last, now_ticks);
  tally* const was_in = last.loop.team;
  if (was_in != nullptr && was_in != team()) was_in[last.worker].left_ticks = now_ticks;
}

void ledger::end_body(const schedules::chunk& piece) {
  pass_to(place::runtime);
  stay& now = inside_.back();
  now.on->iterations.add(piece.size());
  (now.has_stolen ? now.on->chunks_stolen : now.on->chunks_own).add(1);
  now.has_stolen = false;
  now.iterations += piece.size();
  now.pieces += 1;
  if (!piece.empty())
    trace::add_chunk(look_of(*now.loop.of), now.worker,
                     {piece.begin, piece.begin + (piece.size() - 1) * piece.step, piece.step},
                     now.as == role::thief ? schedules::origin::stolen : schedules::origin::own,
                     now.piece_began_ticks, settled_ticks_);
  const std::uint64_t piece_ticks = std::exchange(now.piece_ticks, 0);
  if (now.loop.samples == nullptr) return;
  if (now.loop.samples->costs != nullptr) now.loop.samples->costs->add(piece, piece_ticks);
  const stay_samples::counts found = now.loop.samples->mark(now.worker, piece);
  now.on->stay_compared.add(found.compared);
  now.on->stay_stayed.add(found.stayed);
  // The time since the last change is neither the program's nor the runtime's.
  settled_ticks_ = base::ticks();
}

void ledger::tell(const schedules::spec& how, std::uint32_t workers, reason why) {
  page& mine = *inside_.back().on;
  if (mine.how == how && mine.workers == workers) return;
  mine.how = how;
  mine.workers = workers;
  note_last(mine.of, how, workers, why);
}

void ledger::add_team(std::span<const tally> team, std::uint32_t workers) {
  const std::uint64_t now_ticks = base::ticks();
  settle(now_ticks);
  const stay& own = inside_.back();
  page& mine = *own.on;
  own.loop.team[own.worker].left_ticks = now_ticks;
  const execution_times when{own.began_ticks, now_ticks};
  add_split(mine.of, workers, when, team);
  std::uint64_t busiest = 0;
  for (const tally& t : team) {
    mine.busy_ticks.add(t.busy_ticks);
    mine.inside_ticks.add(t.inside_ticks);
    busiest = std::max(busiest, t.busy_ticks);
  }
  mine.capacity_ticks.add(when.wall_ticks() * workers);
  mine.bottleneck_ticks.add(busiest * workers);
}

// Adds the time since the last change to where the thread was.
void ledger::settle(std::uint64_t now_ticks) {
  const std::uint64_t passed_ticks = now_ticks - settled_ticks_;
  settled_ticks_ = now_ticks;
  if (inside_.empty()) return;
  stay& was = inside_.back();
  if (was.where == place::body) was.piece_ticks += passed_ticks;
  const bool nested = was.loop.kind == site_kind::nested;
  // A thread that waits for the end of the outermost loop is no longer inside it.
  if (was.where == place::waiting) {
    if (was.loop.team != nullptr) was.loop.team[was.worker].waited_ticks += passed_ticks;
    if (!nested) return;
    was.on->waited_ticks.add(passed_ticks);
  }
  const std::uint64_t busy_ticks = was.where == place::body ? passed_ticks : 0;
  if (nested) {
    was.on->inside_ticks.add(passed_ticks);
    was.on->busy_ticks.add(busy_ticks);
  }
  if (was.loop.team != nullptr) {
    was.loop.team[was.worker].inside_ticks += passed_ticks;
    was.loop.team[was.worker].busy_ticks += busy_ticks;
  }
}

// Adds the counts since the last change to the loop that the thread was in; thefts to the loop that
// was stolen from, if there is one.
void ledger::settle_counts(page* victim) {
  deque::counts more;
  deque::counts thefts;
  deque::counts::each([&](const char*, std::uint64_t deque::counts::* field) {
    const bool theft = field == &deque::counts::tried || field == &deque::counts::lost ||
                       field == &deque::counts::stolen;
    deque::counts& whose = theft && victim != nullptr ? thefts : more;
    whose.*field = done_.*field - settled_.*field;
  });
  settled_ = done_;
  if (!inside_.empty()) inside_.back().on->add(more);
  if (victim != nullptr) victim->add(thefts);
}

void ledger::note_split(const execution& loop) {
  page& split = page_of(loop);
  if (&split == inside_.back().on) return;
  constexpr deque::counts one{.pushes = 1, .splits = 1};
  split.add(one);
  settled_ += one;
}

void ledger::pass_to(place next) {
  settle(base::ticks());
  inside_.back().where = next;
}

}  // namespace doall::observe
