// What a thread does for a team while it waits: for the others at the end of the team's region, or
// already for its next task. OpenMP's explicit tasks are such work: a thread whose part of the
// region has ended may be the only one that is free to run them.
//
// The thread sets `here` at the end of its part. It keeps it until it is given another task, for
// the region may still be going on. It helps that region only, and not the team's next one, of
// which it may have to run a part. It looks at wanted() as often as at the word for which it waits,
// and helps for as long as there is something to do. A worker that sleeps lies in the helping's
// bed, too, so that it can be called.
//
// Cost when no team wants help: one load of a thread's own and one of the team's for each look.
#pragma once

#include "park/gate.hpp"

namespace doall::team {

class helping {
 public:
  // A look: whether there may be something to do. Whether the thread may still help is decided by
  // help() alone.
  virtual bool wanted() = 0;

  // Does what there is, and returns. Does nothing if the region is over. As long as it is not, the
  // thread's seat is in that team.
  virtual void help() = 0;

  // The bed (park/gate.hpp) of a thread that sleeps at that gate.
  virtual void lie_down(park::gate& at) = 0;
  virtual bool is_called() = 0;
  virtual void get_up() = 0;

  // Of the calling thread; null: none.
  static helping* here();
  static void set_here(helping* h);

 protected:
  ~helping() = default;
};

}  // namespace doall::team
