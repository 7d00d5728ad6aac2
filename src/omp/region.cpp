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
#include "costs/cost_makers.hpp"
#include "costs/costs_of_cells.hpp"
#include "omp/cancellation.hpp"
#include "omp/deeper_loops.hpp"
#include "omp/icv.hpp"
#include "omp/loops.hpp"
#include "omp/ompt/hooks.hpp"
#include "omp/region_count.hpp"
#include "omp/thread_places.hpp"
#include "omp/wishes.hpp"
#include "sites/site.hpp"
#include "tasks/task_run.hpp"

namespace doall::omp {
namespace {

// The region that the pool's workers share: one object for all regions of the same team, since the
// team is leased to one at a time. The child of a fork has another one: the forking thread may be
// in the old one, whose threads do not exist, while the pool is leased to others. Workers have its
// lines in their caches, so a field is written only when it changes: a region like the last one
// then costs no more transfers than its release and its join.
struct shared_region : region {
  shared_region() { own_extras = std::make_unique<loop_extra[]>(team::loop_ring::team_depth); }
};

// For each pool: the shared one, and those of teams inside teams. For the first workers of domains.
// And for the workers of the domain that begins with worker i: several domains may be in regions at
// the same time.
constinit std::array<base::lazy<shared_region>, team::most_pools> of_pool;
constinit base::lazy<shared_region> of_leaders;
constinit std::array<base::lazy<shared_region>, team::most_workers> of_domain;

// Where domains begin, for any number of workers.
constinit base::lazy<std::vector<std::uint32_t>> starts;

// Unloading ends the workers before this library's static objects free what they use. The library
// below ends later. At the end of the process nothing is freed, and the workers go on.
[[gnu::destructor]] void end_workers() {
  if (!base::process_ends()) team::pool::end_idle_workers();
}

const base::at_unload free_all([] {
  for (auto& r : of_pool) r.drop();
  of_leaders.drop();
  for (auto& r : of_domain) r.drop();
  starts.drop();
  task_team::free_all();
});

std::span<const std::uint32_t> domain_starts() {
  return starts.get([] { return team::domain_starts(team::most_workers); });
}

// How many domains begin before worker `end`.
std::uint32_t domains_before(std::uint32_t end) {
  const auto all = domain_starts();
  return static_cast<std::uint32_t>(std::ranges::lower_bound(all, end) - all.begin());
}

team_shape shape_for(const task_state& task, const team_wish& wish) {
  const icvs& v = task.settings();
  const std::uint32_t level = task.team->active_level;
  const bool may_nest = level == 0 && v.max_active_levels > 1;
  if (!may_nest || team::pool::lease::domain_workers() != 0 ||
      in_active_region(task) != nullptr) {  // domains do not matter
    const std::uint32_t size = team_size(v, level, wish.num_threads);
    return {size, size};
  }
  const std::uint32_t workers = process().workers;
  const team_shape shape =
      shape_of(v, level, wish, domain_starts().first(domains_before(workers)), workers);
  if (!shape.one_a_domain() || parts_are_domains(task, domain_starts().first(shape.size))) {
    return shape;
  }
  return {shape.size, shape.size};
}

source_place place_of(void (*function)(void*), const source_place& named) {
  return named.key.code != nullptr ? named : source_place(reinterpret_cast<const void*>(function));
}

small_region length_of(const task_state& task, const team_shape& shape, const void* code,
                       const whole_region_loop* loop) {
  const bool asked = task.settings().dynamic && shape.size > 1 && !shape.one_a_domain() &&
                     in_active_region(task) == nullptr;
  if (!asked || !team::environment().small_loops_alone) return {};
  return {code, loop != nullptr ? loop->iterations : 0, shape.size};
}

// A nest is shared near its root: in an inner region static loops stay as they are.
unnamed_loops unnamed_loops_of(const task_state& task, const team_shape& shape, const void* code,
                               const whole_region_loop* loop) {
  const bool asked = shape.size > 1 && loop == nullptr && team::environment().unnamed_by_auto &&
                     !shape.one_a_domain() && in_active_region(task) == nullptr;
  return asked ? unnamed_loops(code, shape.size) : unnamed_loops();
}

// Whether the clause of a region on a domain's workers asks for more than there are, and is to have
// them. A region without a clause has those that there are.
bool leaves_domain(const task_state& task, const team_wish& wish) {
  const std::uint32_t there = team::pool::lease::domain_workers();
  return there != 0 && wish.num_threads > there && !task.settings().dynamic;
}

// A domain's region has its threads already: it needs none beside, unless it asks for more.
inner_threads threads_beside(const task_state& task, const team_shape& shape,
                             const team_wish& wish) {
  const task_state* at_work = shape.size == 1 ? nullptr : in_active_region(task);
  if (at_work == nullptr) return {};
  if (at_work->team->one_a_domain && !leaves_domain(task, wish)) return {};
  return {*at_work, shape.size};
}

// Under dyn-var a region beside those of the program's other threads has a team of one. Nor is it
// promised then that threadprivate data stay from one region to the next.
team::pool::lease lease_for(const task_state& task, const small_region& length,
                            const team_shape& shape, const inner_threads& beside,
                            const team_wish& wish) {
  using lease = team::pool::lease;
  if (beside.counted()) return {beside.size(), lease::inside{beside.others()}};
  return {length.runs_alone() ? 1 : shape.workers,
          lease::else_beside{.workers = shape.size,
                             .beyond_domain = leaves_domain(task, wish),
                             .dynamic = task.settings().dynamic}};
}

// Inner teams want the CPUs on which the teams around them would spin.
void take_turns_around(const region& inner) {
  for (region* r = inner.parent->team; r->active_level != 0; r = r->parent->team) {
    if (r->spin() == r->spin().in_turns()) continue;
    r->set_spin(r->spin().in_turns());
    team::pool::take_turns(r->pool);
  }
}

template <class T>
void update(T& field, const T& value) {
  if (!(field == value)) field = value;
}

// Runs the parts of workers 1 to size - 1.
void work_in_region(const barrier::task& work, std::uint32_t index) {
  auto& in = *static_cast<region*>(work.context);
  task_state me(in, in.one_a_domain ? domains_before(index) : index);
  const region_count counted(me);
  if (in.takes_places) [[unlikely]]
    take_place(me);
  work.function(work.argument);
  end_part(me);
  team::helping::set_here({&in.tasks->at(me.index), work.round});
  // A worker may end after the library's own key for thread ends is gone.
  spare_regions::free();
}

}  // namespace

std::uint32_t wanted_team_size(const task_state& task, unsigned num_threads) {
  return team_size(task.settings(), task.team->active_level, num_threads);
}

region_run::region_run(void (*function)(void*), void* data, const team_wish& wish,
                       const whole_region_loop* loop, std::uintptr_t* reductions,
                       const source_place& place)
    : parent_(self()),
      shape_(shape_for(parent_, wish)),
      length_(length_of(parent_, shape_, place_of(function, place).key.code, loop)),
      unnamed_(unnamed_loops_of(parent_, shape_, place_of(function, place).key.code, loop)),
      beside_(threads_beside(parent_, shape_, wish)),
      lease_(lease_for(parent_, length_, shape_, beside_, wish)),
      size_(leads_domains() ? domains_before(lease_.size()) : lease_.size()),
      has_costs_(costs::take_named_costs(costs_)),
      region_(&choose_region()) {
  const source_place where = place_of(function, place);
  beside_.keep(size_);
  note_served();
  check_strict(wish, size_);
  describe(wish, reductions);
  if (beside_.counted() && size_ > 1 && lease_.spin().takes_turns()) take_turns_around(*region_);
  if (observe::counts_regions()) {
    if (loop == nullptr)
      counted_ = team::count_execution(where.key, observe::site_kind::region, where.door,
                                       where.function, nullptr, outer_threads(*region_));
    region_->code = loop == nullptr ? where.key.code : nullptr;
    region_->counted = counted_.detailed();
    if (counted_.in_detail()) region_->tallies = new observe::tally[region_->size];
    entered_ticks_ = base::ticks();
  }
  const bool is_whole = size_ == 1 && !region_->deals_static && !ompt::is_watched();
  const bool in_ring = loop != nullptr && !is_whole;
  update(region_->one_loop, in_ring);
  if (in_ring) open_loop(where, *loop);
  barrier::task work{.run = work_in_region,
                     .context = region_,
                     .function = function,
                     .argument = data,
                     .round = region_->tasks->begin_round()};
  ompt::region_begins(work, *region_, wish, loop);
  if (region_->one_a_domain)
    lease_.release_to_domains(work);
  else
    lease_.release(work);
  lease_.has_called();
  master_.emplace(*region_, 0);
  if (loop != nullptr && !in_ring) take_whole(*master_, loop->iterations, loop->source);
  ompt::part_begins();
  if (region_->takes_places) [[unlikely]]
    show_place();
  unnamed_.begin();
}

region_run::~region_run() {
  region& r = *region_;
  ompt::part_ends();
  end_part(*master_);
  if (r.counted != nullptr) r.tallies[0] = tally_of(*master_, entered_ticks_);
  const std::uint64_t next_loop = master_->next_loop;
  const std::uint64_t met_loops = master_->unnamed_loops;
  const std::uint64_t waited_ticks = master_->waited_ticks;
  master_.reset();
  const bool was_cancelled = join();
  length_.end(r.size, waited_ticks);
  unnamed_.end(r.size, met_loops);
  if (r.takes_places) [[unlikely]]
    end_places(parent_);
  ompt::region_ends();
  if (r.one_loop) r.loops->close_alone(r.first_loop);
  r.static_blocks.end(!was_cancelled && !r.forked);
  costs::give_back(held_costs_);
  count(r);
  // A loop that was the whole region leaves its number and slot to the next region's: workers have
  // in their caches what does not change.
  if (was_cancelled) {
    // The loops have new numbers.
  } else if (r.one_loop && next_loop == r.first_loop + 1) {
    r.loops->next = r.first_loop;
  } else {
    if (r.one_loop) r.loops->pass_on(r.first_loop);
    if (r.loops != nullptr) r.loops->next = next_loop;
  }
  if (!r.forked) keep_deepest(r, next_loop, was_cancelled);
  if (alone_) spare_regions::give(alone_.release());
}

// Counts the region, if a report is wanted.
void region_run::count(region& r) {
  if (counted_.of == nullptr) return;
  const observe::execution_form ran{.workers = r.size};
  const observe::execution_times when{entered_ticks_, base::ticks()};
  if (counted_.as_a_whole()) {
    observe::add_whole(counted_, ran, when, 0);
    return;
  }
  observe::add_execution(counted_, ran, when, r.tallies, nullptr);
  delete[] r.tallies;
  r.tallies = nullptr;
}

// Joins the others, and helps them with their tasks meanwhile. Returns whether the region was
// cancelled.
bool region_run::join() {
  region& r = *region_;
  if (size_ > 1) {
    const team::helping::chance before = team::helping::here();
    team::helping::set_here({&r.tasks->at(0), r.tasks->round()});
    lease_.join();
    team::helping::set_here(before);
  }
  if (!r.forked) r.tasks->close(r.spin());
  return may_cancel() && forget_cancellation(r);
}

region& region_run::choose_region() {
  if (lease_.size() == 1) {
    alone_.reset(spare_regions::take());
    if (!alone_) {
      free_at_thread_end();
      alone_ = std::make_unique<region>();
    }
    return *alone_;
  }
  const auto of_generation = [&](base::lazy<shared_region>& kept) -> region& {
    const auto make = [] { return shared_region(); };
    region& r = kept.get(make);
    if (r.generation == lease_.generation()) return r;
    kept.forget();
    region& anew = kept.get(make);
    anew.generation = lease_.generation();
    return anew;
  };
  if (leads_domains()) return of_generation(of_leaders);
  if (lease_.of_domain()) return of_generation(of_domain[lease_.first()]);
  return of_generation(of_pool[lease_.pool_number()]);
}

void region_run::describe(const team_wish& wish, std::uintptr_t* reductions) {
  region& r = *region_;
  task_state& parent = parent_;
  update(r.size, size_);
  update(r.level, parent.team->level + 1);
  r.tasks->make_room(size_);
  forget_meetings(r);
  update(r.active_level, parent.team->active_level + (size_ > 1 ? 1 : 0));
  update(r.parent, &parent);
  inherit(r, wish);
  r.set_spin(lease_.spin().giving_way());
  update(r.reductions, reductions);
  update(r.costs, has_costs_ ? &std::as_const(costs_) : nullptr);
  update(r.one_a_domain, !alone_ && leads_domains());
  update(r.timed, length_.is_timed());
  if (process().takes_places) [[unlikely]]
    choose_places(r, parent, wish.proc_bind);
  // Decided for all threads at once: they must agree on who deals a loop.
  update(r.unnamed, size_ > 1 ? unnamed_.choice() : unnamed_choice::compiled);
  update(r.unnamed_why, unnamed_.why());
  update(r.deals_static,
         observe::enabled() || team::is_steered() || r.unnamed == unnamed_choice::by_auto);
  // (1) relaxed; alone: no other thread is in the region yet
  update(r.first_single, r.singles.load(sync::relaxed));
  if (alone_) {
    update(r.first_loop, r.loops != nullptr ? r.loops->next : 0);
    return;
  }
  update(r.workers, lease_.size());
  if (!r.reduced) r.reduced = std::make_unique<void*[]>(team::most_workers);
  update(r.pool, lease_.pool_number());
  choose_meeting();
  update(r.extras, r.own_extras.get());
  if (r.one_a_domain || r.own_loops) {
    // The pool's loops are those of the first domain's regions.
    if (!r.own_loops || r.own_loops->workers() < size_) {
      const std::uint32_t depth = r.own_loops ? r.own_loops->depth() : team::loop_ring::team_depth;
      r.own_loops = std::make_unique<team::loop_ring>(depth, size_);
    }
    update(r.loops, r.own_loops.get());
  } else {
    update(r.loops, &lease_.loops());
  }
  update(r.first_loop, r.loops->next);
}

// Chooses how workers meet in a barrier. The domains of a region are always the same.
void region_run::choose_meeting() {
  region& r = *region_;
  // Threads that each lead a domain are numbered by domain.
  const barrier::tree shape =
      r.one_a_domain && !lease_.meeting().is_flat() ? barrier::tree::over({}) : lease_.meeting();
  if (shape.is_flat() != r.meeting.is_flat()) r.meeting = shape;
  if (shape.is_flat()) return;
  update(r.first_slot, r.one_a_domain ? 0 : lease_.first());
  r.tree_barrier.make_room(size_);
}

void region_run::open_loop(const source_place& place, const whole_region_loop& loop) {
  region& r = *region_;
  const schedules::loop_shape shape{loop.iterations, r.size};
  const loop_dealing& dealing = loop.dealing;
  const costs::costs_of_cells told(r.costs, shape.iterations, dealing.cell);
  const costs::costed_loop costed = costs::with_costs(
      dealing.how, dealing.in_cells(shape), told.get(),
      costs::makers_of<barrier::attendance::everyone>(lease_), shape.iterations, dealing.cell);
  held_costs_ = costed.held;
  loops_of(r).open_alone(r.first_loop, {.how = costed.how,
                                        .shape = shape,
                                        .counted = team::count_execution(
                                            place.key, dealing.kind(), place.door, place.function,
                                            nullptr, observe::enabled() ? outer_threads(r) : 0),
                                        .source = loop.source,
                                        .where = place.key,
                                        .costs = costed.costs,
                                        .why = dealing.why,
                                        .cell = dealing.cell});
}

team::loop_ring& loops_of(region& r) {
  if (r.loops == nullptr) {
    // Two: a doacross loop of LLVM's ABI holds a second place (llvm/doacross.cpp).
    constexpr std::uint32_t depth = 2;
    r.own_loops = std::make_unique<team::loop_ring>(depth, 1);
    r.own_extras = std::make_unique<loop_extra[]>(depth);
    r.loops = r.own_loops.get();
    r.extras = r.own_extras.get();
  }
  return *r.loops;
}

}  // namespace doall::omp
