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

#include <cstdint>

#include "park/gate.hpp"

namespace doall::team {

class helping {
 public:
  // Which team and which of its regions a thread may help. The thread's own: in the team's next
  // region its number, and so its `team`, may be another thread's.
  struct chance {
    helping* team = nullptr;  // null: none
    std::uint32_t round = 0;

    explicit operator bool() const { return team != nullptr; }
    bool operator==(const chance&) const = default;
    bool wanted() const { return team != nullptr && team->wanted(round); }
    void help() const { team->help(round); }
  };

  // A look: whether there may be something to do in that region. Whether the thread may still help
  // is decided by help() alone.
  virtual bool wanted(std::uint32_t round) = 0;

  // Does what there is, and returns. Does nothing if the region is over. As long as it is not, the
  // thread's slot is in that team.
  virtual void help(std::uint32_t round) = 0;

  // The bed (park/gate.hpp) of a thread that sleeps at that gate. lie_down() returns false if the
  // region is over: then the thread lies in no bed.
  virtual bool lie_down(std::uint32_t round, park::gate& at) = 0;
  virtual bool is_called(std::uint32_t round, park::gate& at) = 0;
  virtual void get_up(park::gate& at) = 0;

  // The calling thread's.
  static chance here();
  static void set_here(chance c);

 protected:
  ~helping() = default;
};

}  // namespace doall::team
