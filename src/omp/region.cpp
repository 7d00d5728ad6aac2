#include "omp/region.hpp"

#include <algorithm>
#include <utility>

#include "base/tsan.hpp"

namespace doall::omp {
namespace {

// The region of the crew's team: one object for all of them, since the crew is
// leased to one at a time. Workers have its lines in their caches, so a field is
// written only when it changes: a region like the last one then costs no more
// transfers than its release and its join.
region& team_region() {
  static region& r = *new region;
  return r;
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
  task_state me(*static_cast<region*>(work.context), index);
  const region_count counted(me);
  work.function(work.argument);
  // A worker may end when the library's own key for thread ends is gone.
  delete std::exchange(spare_region, nullptr);
}

}  // namespace

std::uint32_t wanted_team_size(const task_state& task, unsigned num_threads) {
  const icvs& v = task.settings;
  if (task.team->active_level >= v.max_active_levels) return 1;
  const std::uint32_t wanted = num_threads != 0 ? num_threads : v.threads;
  return std::max<std::uint32_t>(1, std::min(wanted, v.thread_limit));
}

region_run::region_run(void (*function)(void*), void* data, unsigned num_threads,
                       const whole_region_loop* loop, std::uintptr_t* reductions)
    : lease_(wanted_team_size(self(), num_threads)) {
  const auto* code = reinterpret_cast<const void*>(function);
  if (lease_.size() == 1) {
    free_at_thread_end();
    alone_.reset(spare_region != nullptr ? std::exchange(spare_region, nullptr) : new region);
  }
  region_ = alone_ ? alone_.get() : &team_region();
  describe(self(), reductions, loop != nullptr);
  if (observe::enabled()) {
    region_->counted =
        loop == nullptr ? observe::find_site({observe::site_kind::region, "gomp", code}) : nullptr;
    region_->tallies = loop == nullptr ? new observe::tally[region_->size] : nullptr;
    entered_ticks_ = base::ticks();
  }
  if (loop != nullptr) open_loop(code, *loop);
  lease_.release({work_in_region, region_, function, data});
  master_.emplace(*region_, 0);
}

region_run::~region_run() {
  region& r = *region_;
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
  if (r.counted != nullptr) {
    observe::add_execution(r.counted, {}, r.size, base::ticks() - entered_ticks_, r.tallies,
                           nullptr);
  }
  delete[] r.tallies;
  r.tallies = nullptr;
  if (alone_) {
    r.first_loop = next_loop;
    delete std::exchange(spare_region, alone_.release());
  } else {
    lease_.next_loop() = next_loop;
  }
}

void region_run::describe(task_state& parent, std::uintptr_t* reductions, bool one_loop) {
  region& r = *region_;
  const std::uint32_t size = lease_.size();
  update(r.size, size);
  update(r.level, parent.team->level + 1);
  update(r.active_level, parent.team->active_level + (size > 1 ? 1 : 0));
  update(r.parent, &parent);
  update(r.settings, parent.settings);
  update(r.spin_ns, lease_.spin_ns());
  update(r.reductions, reductions);
  update(r.one_loop, one_loop);
  // (1) relaxed; alone: nobody else is in the region yet
  update(r.first_single, r.singles.load(sync::relaxed));
  if (alone_) return;
  if (r.generation != lease_.generation()) {
    // This is the child of a fork: the barrier may have counted threads that were
    // left behind in the parent.
    new (&r.barrier) barrier::full_barrier;
    r.generation = lease_.generation();
  }
  static loop_extra extras[team::loop_ring::team_depth];
  update(r.loops, &lease_.loops());
  update(r.extras, &extras[0]);
  update(r.first_loop, lease_.next_loop());
}

void region_run::open_loop(const void* code, const whole_region_loop& loop) {
  region& r = *region_;
  loops_of(r).open_alone(r.first_loop,
                         {loop.how,
                          {loop.iterations, r.size},
                          observe::find_site({observe::site_kind::loop, "gomp", code}),
                          loop.source,
                          code,
                          {}});
}

void team_barrier(task_state& me) {
  region& r = *me.team;
  const std::uint64_t arrived_ticks = observe::enabled() ? base::ticks() : 0;
  base::tsan_gives(&r.barrier);
  r.barrier.arrive(r.size, r.spin_ns);
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
