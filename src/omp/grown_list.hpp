// A list to whose end any thread adds, and of which nothing is taken while others look.
//
// State: a pointer to the next one in each, null at the end.
// Callers: any thread. Whoever finds no next one makes it; of several one is kept.
// Terminates: no step is repeated. Checked by tests/model/model_grown_list.cpp.
#pragma once

#include <memory>

#include "base/sync.hpp"

namespace doall::omp {

// The one behind; null: there is none yet.
template <class Link>
Link* behind(const sync::atomic<Link*>& next) {
  // (1) acquire; pairs with (2): what is in it
  return next.load(sync::acquire);
}

// Adds it behind, unless another thread has done so meanwhile; returns the one that is there.
template <class Link>
Link* add_behind(sync::atomic<Link*>& next, std::unique_ptr<Link> made) {
  Link* found = nullptr;
  // (2) acq_rel; pairs with (1), (2): what is in it
  if (next.compare_exchange_strong(found, made.get(), sync::acq_rel, sync::acquire))
    return made.release();
  return found;
}

}  // namespace doall::omp
