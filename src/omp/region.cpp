#include "omp/region.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/lazy.hpp"
#include "base/tsan.hpp"
#include "base/unload.hpp"
#include "omp/icv.hpp"
#include "team/cost_makers.hpp"
#include "topology/domains.hpp"

namespace doall::omp {
namespace {

// Regions that the crew's workers share: one object for all that the same team runs, since
// the team is leased to one at a time. Workers have its lines in their caches, so a field
// is written only when it changes: a region like the last one then costs no more
// transfers than its release and its join.
struct shared_region : region {
  shared_region() { own_extras = std::make_unique<loop_extra[]>(team::loop_ring::team_depth); }
};

// Of each crew: the shared one, and those of teams inside of teams. Of the first workers of
// domains; and of the workers of the domain that begins with a worker.
constinit std::array<base::lazy<shared_region>, team::most_crews> of_crew;
constinit base::lazy<shared_region> of_leaders;
constinit std::array<base::lazy<shared_region>, team::most_workers> of_domain;

// Where domains begin, for any number of workers.
constinit base::lazy<std::vector<std::uint32_t>> starts;

// Before this library's static objects free what workers use: those of the library below end
// theirs later.
[[gnu::destructor]] void end_workers() { team::crew::end_idle_workers(); }

const base::at_unload free_all([] {
  for (auto& r : of_crew) r.drop();
  of_leaders.drop();
  for (auto& r : of_domain) r.drop();
  starts.drop();
});

std::span<const std::uint32_t> domain_starts() {
  return starts.get([] { return topology::domain_starts(team::most_workers); });
}

// How many of them begin before worker `end`.
std::uint32_t domains_before(std::uint32_t end) {
  const auto all = domain_starts();
  return static_cast<std::uint32_t>(std::ranges::lower_bound(all, end) - all.begin());
}

team_shape shape_for(const task_state& task, const team_wish& wish) {
  const icvs& v = task.settings;
  const std::uint32_t level = task.team->active_level;
  if (level != 0 || v.max_active_levels <= 1) {  // no need to know of domains
    const std::uint32_t size = team_size(v, level, wish.num_threads);
    return {size, size};
  }
  const std::uint32_t workers = process().workers;
  return shape_of(v, level, wish, domain_starts().first(domains_before(workers)), workers);
}

small_region length_of(const task_state& task, const team_shape& shape, const void* code,
                       const whole_region_loop* loop) {
  const bool asked = task.settings.dynamic && shape.size > 1 && !shape.one_a_domain() &&
                     task.team->active_level == 0;
  if (!asked || !team::environment().small_loops_alone) return {};
  return {code, loop != nullptr ? loop->iterations : 0, shape.size};
}

// The threads of a domain's region are there already.
inner_threads threads_beside(const task_state& task, const team_shape& shape) {
  if (task.team->active_level == 0 || task.team->one_a_domain || shape.size == 1) return {};
  return {task, shape.size};
}

team::crew::lease lease_for(const small_region& length, const team_shape& shape,
                            const inner_threads& beside) {
  using lease = team::crew::lease;
  if (!beside.counted()) return lease(length.runs_alone() ? 1 : shape.workers);
  return {beside.size(), lease::inside{beside.others()}};
}

// Inner teams want the CPUs on which the teams around them would spin.
void stop_spinning_around(const region& inner) {
  for (region* r = inner.parent->team; r->active_level != 0; r = r->parent->team) {
    if (r->spin_ns() == 0) continue;
    r->set_spin_ns(0);
    team::crew::stop_spinning(r->crew);
  }
}

template <class T>
void update(T& field, const T& value) {
  if (!(field == value)) field = value;
}

// Counts what a worker does in the region, if somebody wants to know. A region
// that is one loop is counted as that loop.
class region_count {
 public:
  region_count(task_state& me) : me_(me), on_(me.team->counted != nullptr) {
    if (on_) entered_ticks_ = base::ticks();
  }
  ~region_count() {
    if (!on_) return;
    const std::uint64_t inside = base::ticks() - entered_ticks_;
    observe::tally& mine = me_.team->tallies[me_.index];
    mine = {};
    mine.inside_ticks = inside;
    mine.busy_ticks = inside - std::min(inside, me_.waited_ticks);
  }

 private:
  task_state& me_;
  bool on_;
  std::uint64_t entered_ticks_ = 0;
};

// What workers 1 to size - 1 do with a region.
void work_in_region(const barrier::task& work, std::uint32_t index) {
  auto& in = *static_cast<region*>(work.context);
  task_state me(in, in.one_a_domain ? domains_before(index) : index);
  const region_count counted(me);
  work.function(work.argument);
  // A worker may end when the library's own key for thread ends is gone.
  delete std::exchange(spare_region, nullptr);
}

}  // namespace

std::uint32_t wanted_team_size(const task_state& task, unsigned num_threads) {
  return team_size(task.settings, task.team->active_level, num_threads);
}

place_range partition_of(const task_state& task) {
  const std::size_t places = process().places.size();
  const task_state* at = &task;
  while (at->team->parent != nullptr && !at->team->one_a_domain) at = at->team->parent;
  if (!at->team->one_a_domain) return {0, places};
  const auto begins = domain_starts();
  const std::size_t next = at->index + 1;
  const std::size_t end = next < begins.size() ? begins[next] : places;
  return {std::min<std::size_t>(begins[at->index], places), std::min(end, places)};
}

region_run::region_run(void (*function)(void*), void* data, const team_wish& wish,
                       const whole_region_loop* loop, std::uintptr_t* reductions)
    : shape_(shape_for(self(), wish)),
      length_(length_of(self(), shape_, reinterpret_cast<const void*>(function), loop)),
      beside_(threads_beside(self(), shape_)),
      lease_(lease_for(length_, shape_, beside_)),
      size_(shape_.one_a_domain() ? domains_before(lease_.size()) : lease_.size()),
      has_costs_(team::take_named_costs(costs_)),
      region_(&choose_region(self())) {
  const auto* code = reinterpret_cast<const void*>(function);
  beside_.keep(size_);
  describe(self(), reductions, loop != nullptr);
  if (beside_.counted() && size_ > 1 && lease_.spin_ns() == 0) stop_spinning_around(*region_);
  if (observe::enabled()) {
    region_->counted =
        loop == nullptr ? observe::find_site({observe::site_kind::region, "gomp", code}) : nullptr;
    region_->tallies = loop == nullptr ? new observe::tally[region_->size] : nullptr;
    entered_ticks_ = base::ticks();
  }
  if (loop != nullptr) open_loop(code, *loop);
  const barrier::task work{
      .run = work_in_region, .context = region_, .function = function, .argument = data};
  if (region_->one_a_domain)
    lease_.release_to_domains(work);
  else
    lease_.release(work);
  master_.emplace(*region_, 0);
  length_.begin();
}

region_run::~region_run() {
  region& r = *region_;
  length_.end(r.size, master_->waited_ticks);
  if (r.counted != nullptr) {
    const std::uint64_t inside = base::ticks() - entered_ticks_;
    r.tallies[0] = {};
    r.tallies[0].inside_ticks = inside;
    r.tallies[0].busy_ticks = inside - std::min(inside, master_->waited_ticks);
  }
  const std::uint64_t next_loop = master_->next_loop;
  master_.reset();
  lease_.join();
  if (r.one_loop) r.loops->close_alone(r.first_loop);
  team::give_back(held_costs_);
  if (r.counted != nullptr) {
    observe::add_execution(r.counted, {}, r.size, base::ticks() - entered_ticks_, r.tallies,
                           nullptr);
  }
  delete[] r.tallies;
  r.tallies = nullptr;
  // A loop that was all of the region leaves its number to the next one's, and its slot: workers
  // have in their caches what does not change.
  if (r.one_loop && next_loop == r.first_loop + 1) {
    *next_loop_ = r.first_loop;
  } else {
    if (r.one_loop) r.loops->pass_on(r.first_loop);
    *next_loop_ = next_loop;
  }
  if (alone_) delete std::exchange(spare_region, alone_.release());
}

region& region_run::choose_region(const task_state& parent) {
  const auto make = [] { return shared_region(); };
  if (lease_.size() == 1) {
    free_at_thread_end();
    alone_.reset(spare_region != nullptr ? std::exchange(spare_region, nullptr) : new region);
    return *alone_;
  }
  if (shape_.one_a_domain()) return of_leaders.get(make);
  if (parent.team->one_a_domain) return of_domain[lease_.first()].get(make);
  return of_crew[lease_.crew_number()].get(make);
}

void region_run::describe(task_state& parent, std::uintptr_t* reductions, bool one_loop) {
  region& r = *region_;
  update(r.size, size_);
  update(r.level, parent.team->level + 1);
  update(r.active_level, parent.team->active_level + (size_ > 1 ? 1 : 0));
  update(r.parent, &parent);
  update(r.settings, at_level(parent.settings, r.level));
  r.set_spin_ns(lease_.spin_ns());
  update(r.reductions, reductions);
  update(r.one_loop, one_loop);
  update(r.costs, has_costs_ ? &std::as_const(costs_) : nullptr);
  update(r.one_a_domain, !alone_ && shape_.one_a_domain());
  update(r.timed, length_.is_timed());
  // (1) relaxed; alone: nobody else is in the region yet
  update(r.first_single, r.singles.load(sync::relaxed));
  next_loop_ = &r.first_loop;
  if (alone_) return;
  update(r.workers, lease_.size());
  update(r.crew, lease_.crew_number());
  if (r.generation != lease_.generation()) {
    // This is the child of a fork: the barrier may have counted threads that were
    // left behind in the parent, and a loop may wait for them.
    new (&r.barrier) barrier::full_barrier;
    static_cast<void>(r.own_loops.release());
    // (2) relaxed; alone: there is no other thread
    r.inner_threads.store(0, sync::relaxed);
    r.generation = lease_.generation();
  }
  update(r.extras, r.own_extras.get());
  if (r.one_a_domain) {
    // The crew's loops are those of the first domain's regions.
    if (!r.own_loops || r.own_loops->workers() < size_) {
      r.own_loops = std::make_unique<team::loop_ring>(team::loop_ring::team_depth, size_);
      r.first_loop = 0;
    }
    update(r.loops, r.own_loops.get());
    return;
  }
  update(r.loops, &lease_.loops());
  next_loop_ = &lease_.next_loop();
  update(r.first_loop, *next_loop_);
}

void region_run::open_loop(const void* code, const whole_region_loop& loop) {
  region& r = *region_;
  const schedules::loop_shape shape{loop.iterations, r.size};
  const team::costed_loop costed = team::with_costs(
      loop.how, shape, r.costs, team::makers_of<barrier::attendance::everyone>(lease_));
  held_costs_ = costed.held;
  loops_of(r).open_alone(
      r.first_loop,
      {costed.how, shape, observe::find_site({observe::site_kind::loop, "gomp", code}), loop.source,
       code, costed.costs});
}

void team_barrier(task_state& me) {
  region& r = *me.team;
  const std::uint64_t arrived_ticks = r.timed || observe::enabled() ? base::ticks() : 0;
  base::tsan_gives(&r.barrier);
  r.barrier.arrive(r.size, r.spin_ns());
  base::tsan_takes(&r.barrier);
  if (arrived_ticks != 0) me.waited_ticks += base::ticks() - arrived_ticks;
}

team::loop_ring& loops_of(region& r) {
  if (r.loops == nullptr) {
    r.own_loops = std::make_unique<team::loop_ring>(1, 1);
    r.own_extras = std::make_unique<loop_extra[]>(1);
    r.loops = r.own_loops.get();
    r.extras = r.own_extras.get();
  }
  return *r.loops;
}

}  // namespace doall::omp
