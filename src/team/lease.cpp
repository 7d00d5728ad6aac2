// Leasing the crew: who gets which workers, and in which shape they are released and
// joined.
#include <sched.h>

#include <algorithm>
#include <utility>

#include "base/tsan.hpp"
#include "team/waiting.hpp"

namespace doall::team {
namespace {

// Teams up to that size, in one domain, are released and joined by their leader alone:
// a tree of four has two levels, two round trips, in whose time one worker writes and
// reads three lines side by side.
constexpr std::uint32_t largest_flat_team = 4;

}  // namespace

constinit thread_local crew::led_domain crew::led{};

crew::lease::lease(std::uint32_t wanted) {
  if (wanted <= 1) return;
  crew& c = crew::shared();
  // The crew may be free while one of its workers runs what it has stolen. A team that
  // this worker led would wait for itself.
  const stealer* const me = stealer_here();
  const bool is_worker = me != nullptr && me->number != 0;
  if (is_worker || !c.try_take()) {
    take_domain(wanted);
    return;
  }
  count_caller();
  try {
    size_ = c.staff(std::min(wanted, most_workers));
  } catch (...) {  // no memory: the crew stays free for others
    c.give_back();
    throw;
  }
  if (size_ == 1) {
    c.give_back();
    return;
  }
  begin(c, size_);
}

// The crew is taken, and has threads for a team of size_; so many are at work with it.
void crew::lease::begin(crew& c, std::uint32_t threads_at_work) {
  crew_ = &c;
  generation_ = c.generation_;
  const bool crowded = threads_at_work > environment().cpus;
  spin_ns_ = crowded ? 0 : environment().busy_spin_ns;
  const std::uint64_t idle_spin_ns = crowded ? 0 : environment().idle_spin_ns;
  // (1) relaxed; alone: see (2)
  if (c.idle_spin_ns_.load(sync::relaxed) != idle_spin_ns) {
    // (2) relaxed; alone: a worker that reads the older value waits a little differently
    c.idle_spin_ns_.store(idle_spin_ns, sync::relaxed);
    // (3) relaxed; alone: as (2)
    c.busy_spin_ns_.store(spin_ns_, sync::relaxed);
  }
  limit_loop();
  c.take_shape(shape_for(size_, c.domain_starts_));
  const int cpu = environment().pinned ? -1 : sched_getcpu();
  // (4) relaxed; alone: only the leaseholder writes it
  if (c.launched_on_.load(sync::relaxed) != cpu) {
    // (5) relaxed; alone: see (2)
    c.launched_on_.store(cpu, sync::relaxed);
  }
}

void crew::stop_spinning(std::uint32_t number) {
  crew& c = *crews_[number].if_made();
  // (9) relaxed; alone: see (2)
  c.idle_spin_ns_.store(0, sync::relaxed);
  // (10) relaxed; alone: as (9)
  c.busy_spin_ns_.store(0, sync::relaxed);
}

// Loops that start in the team's loop have no workers beyond its own.
void crew::lease::limit_loop() const {
  sync::atomic<std::uint32_t>& workers = loop()->workers;
  // (6) relaxed; alone: only the leaseholder writes it
  if (workers.load(sync::relaxed) != first_ + size_) {
    // (7) relaxed; alone: the release of the team publishes it
    workers.store(first_ + size_, sync::relaxed);
  }
}

std::uint64_t crew::busy_spin_ns() const {
  // (8) relaxed; alone: see (2)
  return busy_spin_ns_.load(sync::relaxed);
}

// Inside of a part that run_on_domains() has given this thread: its domain's workers.
void crew::lease::take_domain(std::uint32_t wanted) {
  if (led.of == nullptr || led.workers.size() == 1) return;
  crew_ = led.of;
  first_ = led.workers.begin;
  size_ = std::min(wanted, led.workers.size());
  generation_ = crew_->generation_;
  spin_ns_ = crew_->busy_spin_ns();
  crew_->make_loops(first_, size_);
  of_domain_ = true;
  limit_loop();
  led.of = nullptr;  // a loop inside of this one's part runs alone
}

crew::lease::~lease() {
  if (crew_ == nullptr) return;
  const bool is_child = generation_ != crew_->generation_;  // of a fork inside of the region
  if (is_child && crew_->number_ == 0) return;
  if (of_domain_)
    led.of = crew_;
  else
    crew_->give_back();
}

loop_ring& crew::lease::loops() const { return *crew_->seats_[first_]->loops; }
std::uint64_t& crew::lease::next_loop() const { return crew_->seats_[first_]->next_loop; }

steal::frame* crew::lease::loop() const { return &crew_->seats_[first_]->me.root; }

void crew::lease::release(const barrier::task& work) {
  work_ = work;
  work_.workers = size_;
  if (size_ == 1) return;
  work_.first = static_cast<std::uint16_t>(first_);
  work_.fp = base::fp_state::of_this_thread();
  base::tsan_gives(&crew_->shape_);
  crew_->barrier_with(spin_ns_).release({first_, first_ + size_}, work_);
}

void crew::lease::join() {
  if (std::exchange(leads_domains_, false)) led = {};
  // In the child of a fork inside the region the workers do not exist.
  if (size_ == 1 || generation_ != crew_->generation_) return;
  // Teams inside of this one may have stopped its spinning.
  crew_->barrier_with(std::min(spin_ns_, crew_->busy_spin_ns()))
      .join({first_, first_ + size_}, work_);
  if (environment().barrier == barrier_form::full) meet_once_more();
}

// The rest of what two full barriers are to two half ones: the join of the first and
// the release of the second, a message to and from everybody.
void crew::lease::meet_once_more() {
  barrier::task nothing = work_;
  nothing.run = [](const barrier::task&, std::uint32_t) {};
  nothing.who = barrier::attendance::everyone;
  nothing.combines = nothing.leaders_only = false;
  const barrier::branch team{first_, first_ + size_};
  crew_->barrier_with(spin_ns_).release(team, nothing);
  crew_->barrier_with(spin_ns_).join(team, nothing);
}

std::uint32_t crew::lease::domain_of(std::uint32_t worker) const {
  if (crew_ == nullptr) return 0;
  const auto& starts = crew_->domain_starts_;
  const auto after = std::ranges::upper_bound(starts, worker);
  return static_cast<std::uint32_t>(after - starts.begin()) - 1;
}

std::uint32_t crew::lease::domains() const { return domain_of(size_ - 1) + 1; }

void crew::lease::release_to_domains(const barrier::task& work) {
  if (size_ > 1) crew_->take_shape(barrier::tree::over(crew_->domain_starts_));
  barrier::task of_leaders = work;
  of_leaders.leaders_only = true;
  release(of_leaders);
  if (size_ == 1) return;
  led = crew_->domain_led_by(0, work_);
  leads_domains_ = true;
}

crew::led_domain crew::domain_led_by(std::uint32_t index, const barrier::task& work) {
  return {this, shape_.own_domain({index, work.first + work.workers})};
}

// The part of a domain's first worker, in whose seat this thread is.
void crew::lead_domain(const barrier::task& work, std::uint32_t index) {
  led = domain_led_by(index, work);
  work.run(work, index - work.first);
  led = {};
}

barrier::tree crew::shape_for(std::uint32_t workers, std::span<const std::uint32_t> domain_starts) {
  const barrier_form form = environment().barrier;
  const bool one_domain = domain_starts.size() < 2 || domain_starts[1] >= workers;
  const bool small = workers <= largest_flat_team && one_domain;
  if (form == barrier_form::centralized || (form == barrier_form::best && small)) {
    return barrier::tree::flat();
  }
  return barrier::tree::over(domain_starts);
}

// Workers have it in their caches: written only when it changes.
void crew::take_shape(const barrier::tree& shape) {
  if (shape.is_flat() != shape_.is_flat()) shape_ = shape;
}

}  // namespace doall::team
