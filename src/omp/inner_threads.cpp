#include "omp/inner_threads.hpp"

#include "omp/team_shape.hpp"
#include "settings/settings.hpp"

namespace doall::omp {
namespace {

// The first active region around a task that is in one.
region* outermost_active(const task_state& task) {
  region* r = task.team;
  while (r->active_level > 1 || r->size == 1) r = r->parent->team;
  return r;
}

}  // namespace

inner_threads::inner_threads(const task_state& task, std::uint32_t wanted) {
  outermost_ = outermost_active(task);
  sync::atomic<std::uint32_t>& count = outermost_->inner_threads;
  // (1) relaxed; alone: a count
  std::uint32_t before = count.load(sync::relaxed);
  do {
    others_ = outermost_->workers + before;
    added_ = team_size_beside(task.settings(), others_, wanted, team::environment().cpus) - 1;
    // (2) relaxed; alone: a count; the lease orders what threads leave for one another
  } while (!count.compare_exchange_weak(before, before + added_, sync::relaxed, sync::relaxed));
}

void inner_threads::give_back(std::uint32_t threads) {
  added_ -= threads;
  // (3) relaxed; alone: as (2)
  outermost_->inner_threads.fetch_sub(threads, sync::relaxed);
}

}  // namespace doall::omp
