#include "sim/stealing.hpp"

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/earliest.hpp"
#include "sim/exactly_once.hpp"
#include "sim/memory.hpp"
#include "steal/roster.hpp"
#include "steal/stint.hpp"

namespace doall::sim {
namespace {

using steal::u64;

// The stint's Env in virtual time: no worker sleeps.
struct without_threads {
  static void pushed(steal::worker_thread&, const steal::frame&, const steal::part&) {}
  static void completed(steal::worker_thread&) {}
};

// A worker's stay with a loop, and its position there; or an iteration that the machine dealt.
struct activity {
  activity(steal::worker_thread& me, steal::frame* starts, const nested_loop* of)
      : loop(starts), what(of) {
    without_threads env;
    stay.emplace(me, *starts, env);
  }
  activity(steal::worker_thread& me, const steal::descriptor& taken)
      : loop(taken.loop),
        what(static_cast<const nested_loop*>(taken.loop->fixed.get().context)),
        is_thief(true) {
    without_threads env;
    stay.emplace(me, taken, env);
  }
  activity(steal::worker_thread&, const nested_loop* of, u64 dealt)
      : loop(nullptr), what(of), now{dealt, dealt + 1} {}

  bool is_dealt() const { return loop == nullptr; }

  steal::frame* loop;
  const nested_loop* what;
  bool is_thief = false;
  std::optional<steal::stint> stay = {};
  steal::piece now{};          // the iterations still to run
  std::uint32_t inner_at = 0;  // in the current iteration: its loops still to run
  std::uint32_t inner_end = 0;
  bool waiting = false;  // for thieves
};

struct virtual_worker {
  virtual_worker(std::uint32_t number, u64 seed) : me(number, 0, seed) {}

  steal::worker_thread me;
  std::deque<activity> stack;  // they stay where they are
  double spent = 0;            // in the current step
  double pause = 0;            // before its next attempt, after one in vain
};

class driver {
 public:
  driver(const nest& program, const stealing_setup& setup)
      : program_(program),
        setup_(setup),
        works_(program.works()),
        dealt_sums_(program.loops.size()),
        awake_(setup.workers) {
    base::rng seeds(setup.seed);
    for (std::uint32_t w = 0; w < setup.workers; ++w) {
      workers_.push_back(std::make_unique<virtual_worker>(w, seeds.next()));
      all_->add(workers_.back()->me);
      if (w != setup.starter && w < setup.arrivals.size()) awake_.set(w, setup.arrivals[w]);
    }
  }

  stealing_result run() {
    virtual_worker& starter = *workers_[setup_.starter];
    start(starter, 0);
    stealing_result result;
    while (!starter.stack.empty()) {
      const std::uint32_t w = awake_.who();
      virtual_worker& mine = *workers_[w];
      mine.spent = 0;
      step(mine);
      const double then = awake_.when() + mine.spent;
      awake_.set(w, then);
      if (w == setup_.starter) result.makespan = then;
    }
    for (const auto& w : workers_) result.total += w->me.done;
    for (const iteration_sums& of_loop : dealt_sums_) of_loop.expect_exactly_once();
    result.last = last_;
    result.watched = std::move(watched_);
    return result;
  }

 private:
  // Worker `w` encounters a loop.
  void start(virtual_worker& w, std::uint32_t id) {
    const nested_loop& what = program_.loops[id];
    if (what.iterations == 0) return;
    w.spent += setup_.prices.start;
    dealt_sums_[id].begin_execution(what.iterations);
    if (setup_.deal && is_in_program(w)) {
      dealt_ = {&what, 0, what.iterations};
      return;
    }
    const schedules::spec& how = setup_.schedule;
    const double iterations_in_worth =
        setup_.worth * static_cast<double>(what.iterations) / std::max(works_[id], 1.0);
    const auto worth = static_cast<u64>(std::max(iterations_in_worth, 1.0));
    steal::terms t{.iterations = what.iterations,
                   .how = how.which->splits,
                   .worth = worth,
                   .context = const_cast<nested_loop*>(&what)};
    const schedules::loop_shape shape{what.iterations, setup_.workers};
    if (is_hybrid(*how.which)) {
      // The program is no loop: one partition of it.
      const std::uint32_t workers = id == 0 ? 1 : setup_.workers;
      steal::divide_in_partitions(t, how.given, {what.iterations, workers});
    } else {
      t.how->construct(t.rule, {.shape = shape,
                                .given = how.given,
                                .worth = worth,
                                .nested = is_in_loop(w),
                                .too_short = works_[id] < setup_.too_short});
    }
    steal::frame* const loop = steal::begin(w.me, t);
    enter(w, loop, &what);
  }

  // A thief's stack begins with what it stole; the program itself is no loop.
  bool is_in_program(const virtual_worker& w) const {
    return !w.stack.empty() && w.stack.back().what == program_.loops.data();
  }
  bool is_in_loop(const virtual_worker& w) const { return !w.stack.empty() && !is_in_program(w); }

  // While a loop is dealt, whoever is in no other loop takes an iteration of it, or steals.
  bool is_for_dealing(const virtual_worker& w) const { return dealt_.left != 0 && !is_in_loop(w); }

  void take_dealt(virtual_worker& w) {
    if (dealt_.next == dealt_.loop->iterations) return try_to_steal(w, nullptr);
    w.spent += *setup_.deal;
    sums_of(*dealt_.loop).add_piece(dealt_.next, dealt_.next + 1);
    enter(w, dealt_.loop, dealt_.next++);
    go_on_unseen(w);
  }

  template <class... Began>
  static void enter(virtual_worker& w, const Began&... began) {
    w.me.set_current(w.stack.emplace_back(w.me, began...).loop);
  }

  static void leave(virtual_worker& w) {
    w.stack.pop_back();
    w.me.set_current(w.stack.empty() ? nullptr : w.stack.back().loop);
  }

  // Makes a step that others can see, and after it all that they cannot.
  void step(virtual_worker& w) {
    if (is_for_dealing(w)) return take_dealt(w);
    if (w.stack.empty()) return try_to_steal(w, nullptr);
    activity& at = w.stack.back();
    if (at.inner_at != at.inner_end) {
      // The program, after a loop that was dealt.
    } else if (!at.waiting) {
      decide(w, at);
    } else if (steal::is_complete(*at.loop)) {
      end(w);
    } else {
      return try_to_steal(w, at.loop);
    }
    go_on_unseen(w);
  }

  // Goes on up to the next decision.
  void go_on_unseen(virtual_worker& w) {
    while (!w.stack.empty() && !is_for_dealing(w)) {
      activity& at = w.stack.back();
      if (at.inner_at != at.inner_end) {
        start(w, at.what->inner[at.inner_at++]);
      } else if (!at.now.empty()) {
        run(w, at);
      } else if (at.is_dealt()) {
        dealt_.left -= 1;
        leave(w);
      } else {
        return;
      }
    }
  }

  // Runs an iteration up to its first loop; in a leaf, the whole piece.
  void run(virtual_worker& w, activity& at) {
    const nested_loop& what = *at.what;
    const bool has_data = is_watched(what) && setup_.uses != nullptr;
    if (what.is_leaf() && what.costs.empty() && !has_data) {
      w.spent += slowness(w) * what.cost * static_cast<double>(at.now.end - at.now.begin);
      at.now.begin = at.now.end;
      return;
    }
    const u64 i = at.now.begin++;
    if (has_data) fetch(w, i);
    w.spent += slowness(w) * what.cost_of(i);
    at.inner_at = what.inner_begin.empty() ? 0 : what.inner_begin[i];
    at.inner_end = what.inner_begin.empty() ? static_cast<std::uint32_t>(what.inner.size())
                                            : what.inner_begin[i + 1];
  }

  iteration_sums& sums_of(const nested_loop& what) {
    return dealt_sums_[static_cast<std::size_t>(&what - program_.loops.data())];
  }

  bool is_watched(const nested_loop& what) const {
    return setup_.watched != 0 && &what == &program_.loops[setup_.watched];
  }

  double slowness(const virtual_worker& w) const {
    return w.me.number < setup_.slowness.size() ? setup_.slowness[w.me.number] : 1;
  }

  void fetch(virtual_worker& w, u64 i) {
    used_.clear();
    setup_.uses(i, used_);
    double now = awake_.when() + w.spent;
    for (const block_use& use : used_) now = setup_.memory->touch(w.me.number, use, now);
    w.spent += slowness(w) * (now - awake_.when() - w.spent);
  }

  // What costs a locked instruction.
  static u64 locked(const deque::counts& done) {
    return done.transactions() + done.claims + done.failed_claims;
  }

  void decide(virtual_worker& w, activity& at) {
    const u64 before = locked(w.me.done);
    without_threads env;
    at.now = at.stay->next(env);
    w.spent += setup_.prices.check +
               setup_.prices.transaction * static_cast<double>(locked(w.me.done) - before);
    if (!at.now.empty()) {
      sums_of(*at.what).add_piece(at.now.begin, at.now.end);
      if (is_watched(*at.what)) {
        watched_.chunks.push_back({.what = {at.now.begin, at.now.end}, .worker = w.me.number});
      }
      return;
    }
    if (at.what != program_.loops.data()) last_ = w.me.number;
    if (at.is_thief) {
      at.stay->report_to_starter(env);
      w.spent += setup_.prices.report;
      leave(w);
    } else if (at.stay->report_as_starter()) {
      end(w);
    } else {
      w.spent += setup_.prices.report;
      at.waiting = true;
    }
  }

  static void end(virtual_worker& w) {
    steal::frame* const ended = w.stack.back().loop;
    leave(w);
    w.me.frames.give(ended);
  }

  void try_to_steal(virtual_worker& w, const steal::frame* within) {
    w.spent += std::max(setup_.prices.attempt, w.pause);
    steal::descriptor taken;
    if (!all_->steal_from(w.me, all_->draw_victim(w.me), within, taken)) {
      w.pause = std::min(2 * w.spent, setup_.prices.attempt_most);
      return w.me.withdraw();
    }
    w.pause = 0;
    w.spent += setup_.prices.theft;
    enter(w, taken);
  }

  const nest& program_;
  const stealing_setup& setup_;
  std::vector<double> works_;
  std::vector<iteration_sums> dealt_sums_;  // by loop
  std::unique_ptr<steal::roster> all_ = std::make_unique<steal::roster>();
  std::vector<std::unique_ptr<virtual_worker>> workers_;
  struct {
    const nested_loop* loop = nullptr;
    u64 next = 0;
    u64 left = 0;  // iterations that have not ended
  } dealt_;
  earliest awake_;  // the next worker to make a step
  std::uint32_t last_ = 0;
  execution watched_;
  std::vector<block_use> used_;  // by one iteration
};

}  // namespace

std::vector<double> nest::works() const {
  std::vector<double> all(loops.size());
  for (std::size_t l = all.size(); l-- > 0;) {
    const nested_loop& loop = loops[l];
    const double n = static_cast<double>(loop.iterations);
    double own = loop.costs.empty() ? loop.cost * n : 0;
    for (const double c : loop.costs) own += c;
    double inner = 0;
    for (const std::uint32_t i : loop.inner) inner += all[i];
    all[l] = own + (loop.inner_begin.empty() ? inner * n : inner);
  }
  return all;
}

stealing_result run_by_stealing(const nest& program, const stealing_setup& setup) {
  return driver(program, setup).run();
}

}  // namespace doall::sim
