// Leasing the pool: which workers a caller gets, and in which shape they are released and joined.
#include <sched.h>

#include <algorithm>
#include <utility>

#include "base/asymmetric_fence.hpp"
#include "base/no_memory.hpp"
#include "base/tsan.hpp"
#include "threads/team_trees.hpp"
#include "threads/waiting.hpp"

namespace doall::team {
namespace {

// A team beside the shared pool's counts that one's threads as at work, until it has found the pool
// free as often.
constexpr std::uint32_t enough_looks = 8;

}  // namespace

constinit thread_local pool::led_domain pool::led{};

pool::lease::lease(std::uint32_t wanted, barrier::attendance who) {
  if (wanted > 1 && !take_shared(wanted, who)) take_domain(wanted, who);
}

pool::lease::lease(std::uint32_t wanted, else_beside team) {
  if (wanted <= 1) return;
  const bool is_caller = count_caller();
  const bool keeps = is_caller && !team.dynamic;
  const bool may_share = keeps ? own_shared() : !owner_.is_anothers();
  const std::uint32_t beside = team.dynamic ? 1 : team.workers;
  if (may_share && take_shared(wanted, barrier::attendance::everyone, beside)) return;
  if (led.of != nullptr && !team.beyond_domain) {
    take_domain(wanted, barrier::attendance::everyone);
    return;
  }
  if (take_beside(team, keeps)) return;
  // The system has no threads for all callers.
  if (take_shared(wanted, barrier::attendance::everyone, beside)) return;
  take_beside(team, false);
}

// False: this thread cannot have the shared pool, or has a larger team beside it, of `beside`.
bool pool::lease::take_shared(std::uint32_t wanted, barrier::attendance who, std::uint32_t beside) {
  pool& c = pool::shared();
  // The pool may be free while one of its workers runs a stolen part. A team that this worker led
  // would wait for itself.
  const stealer* const me = stealer_here();
  const bool is_worker = me != nullptr && me->number != 0;
  if (is_worker || !c.leased_.try_take(who)) return false;
  count_caller();
  calls_everyone_ = who == barrier::attendance::everyone;
  try {
    const base::may_fail here;
    size_ = c.staff(std::min(wanted, most_workers));
    if (calls_everyone_ && c.awaits_end_ && size_ < beside) {
      size_ = 1;
      calls_everyone_ = false;
      c.give_back();
      return false;
    }
    if (calls_everyone_) size_ = fill_slots(c, size_);
  } catch (const std::bad_alloc&) {  // as if no thread could be started
    size_ = 1;
  }
  if (size_ == 1) {
    calls_everyone_ = false;
    send_back(c);
    c.give_back();
    return true;
  }
  // (11) relaxed; alone: only the leaseholder writes it
  if (c.last_size_.load(sync::relaxed) != size_) {
    // (12) relaxed; alone: an estimate, for (14)
    c.last_size_.store(size_, sync::relaxed);
  }
  // (13) relaxed; alone: an estimate
  begin(c, size_ + threads_beside_.load(sync::relaxed), who);
  return true;
}

// Leases an inner pool, as a caller beside the shared pool's. False: the caller would keep it, and
// there are too few threads.
bool pool::lease::take_beside(const else_beside& team, bool keeps) {
  const pool& c = pool::shared();
  const bool is_shared_taken = c.leased_.is_taken();
  // (14) relaxed; alone: an estimate
  const std::uint32_t last_size = c.last_size_.load(sync::relaxed);
  // (18) relaxed; alone: as (14)
  const std::uint32_t beside = threads_beside_.load(sync::relaxed);
  // Other teams, or a native loop's workers, have the CPUs.
  if (team.dynamic && (is_worker_ || is_shared_taken || beside != 0)) return true;
  take_inner_team(team.workers, last_size + beside + 1, keeps);
  if (keeps && size_ < std::min(team.workers, most_workers)) {
    if (pool_ != nullptr) pool_->give_back();
    pool_ = nullptr;
    size_ = 1;
    return false;
  }
  if (pool_ == nullptr) return true;
  is_beside_ = true;
  // (15) relaxed; alone: a count
  const std::uint32_t others = threads_beside_.fetch_add(size_, sync::relaxed);
  // The shared pool's team may be between two regions.
  pool_->quiet_looks_ = is_shared_taken ? 0 : std::min(pool_->quiet_looks_ + 1, enough_looks);
  const std::uint32_t in_shared = pool_->quiet_looks_ < enough_looks ? last_size : 0;
  begin(*pool_, in_shared + others + size_, barrier::attendance::everyone);
  return true;
}

// Begins the lease of a pool that is taken and has threads for a team of size_. `threads_at_work`
// counts those that are at work with it.
void pool::lease::begin(pool& c, std::uint32_t threads_at_work, barrier::attendance who) {
  pool_ = &c;
  generation_ = c.generation_;
  const settings& s = environment();
  const bool crowded = threads_at_work > s.cpus;
  meets_twice_ = s.barrier == barrier_form::full;
  park::spin_bound idle = s.idle_spin_ns;
  spin_ = s.busy_spin_ns;
  if (crowded) {
    idle = idle.in_turns();
    spin_ = spin_.in_turns();
  }
  // (1) relaxed; alone: see (2)
  if (c.idle_spin_.load(sync::relaxed) != idle) {
    // (2) relaxed; alone: a worker that reads the older value waits a little differently
    c.idle_spin_.store(idle, sync::relaxed);
    // (3) relaxed; alone: as (2)
    c.busy_spin_.store(spin_, sync::relaxed);
  }
  limit_loop();
  if (c.trees_.size != size_ || c.trees_.crowded != crowded) {
    c.trees_ = {size_, crowded, tree_for(size_, c.domain_starts_, crowded),
                meeting_for({0, size_}, c.domain_starts_, threads_at_work)};
  }
  c.take_shape(c.trees_.release);
  // Loops for whoever comes have no barriers.
  if (who == barrier::attendance::everyone) meeting_ = c.trees_.meeting;
  const int cpu = s.pinned || crowded ? -1 : sched_getcpu();
  // (4) relaxed; alone: only the leaseholder writes it
  if (c.launched_on_.load(sync::relaxed) != cpu) {
    // (5) relaxed; alone: see (2)
    c.launched_on_.store(cpu, sync::relaxed);
  }
}

void pool::take_turns(std::uint32_t number) {
  pool& c = *pools_[number].if_made();
  // (9) relaxed; alone: see (2)
  c.idle_spin_.store(park::spin_bound(environment().idle_spin_ns).in_turns(), sync::relaxed);
  // (10) relaxed; alone: as (9)
  c.busy_spin_.store(park::spin_bound(environment().busy_spin_ns).in_turns(), sync::relaxed);
}

// Loops that start in the team's loop have no workers beyond its own.
void pool::lease::limit_loop() const {
  sync::atomic<std::uint32_t>& workers = loop()->workers;
  // (6) relaxed; alone: only the leaseholder writes it
  if (workers.load(sync::relaxed) != first_ + size_) {
    // (7) relaxed; alone: the release of the team publishes it
    workers.store(first_ + size_, sync::relaxed);
  }
}

park::spin_bound pool::busy_spin() const {
  // (8) relaxed; alone: see (2)
  return busy_spin_.load(sync::relaxed);
}

// Leases the workers of this thread's domain, inside a part that run_on_domains() gave it.
void pool::lease::take_domain(std::uint32_t wanted, barrier::attendance who) {
  if (led.of == nullptr || led.workers.size() == 1) return;
  first_ = led.workers.begin;
  size_ = std::min(wanted, led.workers.size());
  if (who == barrier::attendance::everyone) {
    led.of->leased_.call_everyone();
    size_ = fill_slots(*led.of, size_);
    if (size_ == 1) {
      send_back(*led.of);
      led.of->leased_.has_called();
      return;
    }
    calls_everyone_ = true;
  }
  pool_ = led.of;
  generation_ = pool_->generation_;
  meets_twice_ = environment().barrier == barrier_form::full;
  spin_ = pool_->busy_spin();
  pool_->make_loops(first_, size_);
  meeting_ = meeting_for({first_, first_ + size_}, pool_->domain_starts_, pool_->started_ + 1);
  of_domain_ = true;
  limit_loop();
  led.of = nullptr;  // a loop inside this lease's region runs alone
}

pool::lease::~lease() {
  if (pool_ == nullptr) return;
  const bool is_child = generation_ != pool_->generation_;  // of a fork inside the region
  if (is_child && pool_->number_ == 0) {
    if (substitutes_ != nullptr) substitutes_->give_back();
    return;
  }
  send_back(*pool_);
  // (16) relaxed; alone: as (15)
  if (is_beside_ && !is_child) threads_beside_.fetch_sub(size_, sync::relaxed);
  if (holds_call_ && !is_child) end_held_call();
  if (!of_domain_) {
    pool_->give_back();
    return;
  }
  if (calls_everyone_ && !holds_call_) pool_->leased_.has_called();
  led.of = pool_;
}

// Ends the call, and wakes the workers that have slept because they may not steal meanwhile.
void pool::lease::end_held_call() {
  pool_->leased_.end_held_call();
  // (17) seq_cst fence; pairs with gate (3): light; such a worker has first stored that it would
  sync::light_fence();
  if (!pool_->stealing_begun_.load()) return;
  for (std::uint32_t w = 1; w <= pool_->started_; ++w) pool_->slots_[w]->idle.open();
}

void pool::lease::has_called() {
  if (!calls_everyone_ || holds_call_ || generation_ != pool_->generation_) return;
  calls_everyone_ = false;
  if (of_domain_ || leads_domains_ || members_call_)
    pool_->leased_.has_called();
  else
    pool_->leased_.has_called_alone();
}

loop_ring& pool::lease::loops() const { return *pool_->slots_[first_]->loops; }

steal::frame* pool::lease::loop() const { return &pool_->slots_[first_]->me.root; }

// Releases the workers to work_.
void pool::lease::release_own() {
  work_.workers = static_cast<std::uint16_t>(size_);
  if (size_ == 1) return;
  work_.first = static_cast<std::uint16_t>(first_);
  work_.fp = base::fp_state::of_this_thread();
  base::tsan_gives(&pool_->shape_);
  work_.calls = calls_everyone_ && pass_calls_on();
  pool_->barrier_with(spin_, work_.who).release({first_, first_ + size_}, work_);
}

// Called before a release to everyone. A worker may get its offer from another worker, some time
// after this thread has made its own offers. Returns whether each such member has a call of its own
// until then. That costs many workers writes to one line, so not before some thread has stolen:
// then this thread's own call is held, as it is with full barriers, where another launch follows
// each one.
bool pool::lease::pass_calls_on() {
  if (holds_call_) return false;
  if (!meets_twice_) {
    if (pool_->shape_.is_flat() || work_.leaders_only) return false;
    const std::uint32_t members =
        pool_->barrier_with(spin_, work_.who).releasing({first_, first_ + size_});
    if (members == 0) return false;
    members_call_ = pool_->stealing_begun_.load();
    if (members_call_) pool_->leased_.call_everyone(members);
  }
  holds_call_ = !members_call_;
  if (holds_call_) pool_->leased_.hold_call();
  return members_call_;
}

void pool::lease::join() {
  if (std::exchange(leads_domains_, false)) led = {};
  // In the child of a fork inside the region the workers do not exist.
  if (size_ == 1 || generation_ != pool_->generation_) return;
  // Teams inside this one may have changed how it waits.
  const park::spin_bound spin = pool_->busy_spin();
  if (!pool_->join_others(spin, {first_, first_ + size_}, work_)) return;
  if (meets_twice_) meet_once_more();
}

// Adds what two full barriers have beyond two half-barriers: the join of the first and the release
// of the second, a message to and from each worker.
void pool::lease::meet_once_more() {
  barrier::task nothing = work_;
  nothing.run = [](const barrier::task&, std::uint32_t) {};
  nothing.combines = nothing.leaders_only = false;
  nothing.carried = 0;
  const barrier::branch team{first_, first_ + size_};
  pool_->barrier_with(spin_, nothing.who).release(team, nothing);
  pool_->barrier_with(spin_, nothing.who).join(team, nothing);
}

std::uint32_t pool::lease::domain_of(std::uint32_t worker) const {
  if (pool_ == nullptr) return 0;
  const auto& starts = pool_->domain_starts_;
  const auto after = std::ranges::upper_bound(starts, worker);
  return static_cast<std::uint32_t>(after - starts.begin()) - 1;
}

std::uint32_t pool::lease::domains() const { return domain_of(size_ - 1) + 1; }

void pool::lease::release_to_domains(const barrier::task& work) {
  if (size_ > 1) pool_->take_shape(barrier::tree::over(pool_->domain_starts_));
  barrier::task of_leaders = work;
  of_leaders.leaders_only = true;
  release(of_leaders);
  if (size_ == 1) return;
  led = pool_->domain_led_by(0, work_);
  leads_domains_ = true;
}

pool::led_domain pool::domain_led_by(std::uint32_t index, const barrier::task& work) {
  const std::uint32_t end = std::uint32_t{work.first} + work.workers;
  return {this, shape_.own_domain({index, end})};
}

// Runs the part of a domain's first worker, whose slot this thread has.
void pool::lead_domain(const barrier::task& work, std::uint32_t index) {
  if (work.who == barrier::attendance::whoever_comes) go_home();
  led = domain_led_by(index, work);
  work.run(work, index - work.first);
  led = {};
}

// Workers have the shape in their caches, so it is written only when it changes.
void pool::take_shape(const barrier::tree& shape) {
  if (shape.is_flat() != shape_.is_flat()) shape_ = shape;
}

}  // namespace doall::team
