// Tells the command `doall` whether this program really runs on doall, by what happens in it, not
// by what it is linked with: a program may bring a runtime of its own.
//
// The command names a file in DOALL_SERVED_FILE: "PATH:DEVICE:INODE", the numbers as stat(2) has
// them. It is a descriptor of the command's, which a process may outlive, and whose path another
// process may have later; so nothing is written to a file that has other numbers. Every process of
// the program that loads doall appends a line when it does ("loaded"), and one when it first runs
// something of the program's
// ("served PID"). Such a process appends "ended PID CPU_US" when it ends by exit(), so what it ran
// is lost to the report if that line is missing: it ended by _exit(), exec() or a signal. One that
// ran nothing appends the other OpenMP runtimes that it has mapped: "runtime PATH" if code of the
// process calls that one and not doall, which can be seen by what its functions are bound to; else
// "idle PATH". Cost where nobody asks: a branch a region.
#pragma once

#include "base/sync.hpp"

namespace doall::observe {

inline constexpr const char* served_file_variable = "DOALL_SERVED_FILE";

// Appends the line "served PID", once in a process. Any thread.
void leave_served_mark();

// Remembers that a library's mark is left. One object of static storage for each library, which
// forgets it in the children of forks.
class served_mark {
 public:
  // Called wherever a region, loop or task of the program begins.
  void note() {
    // (1) relaxed; alone: a mark that is left twice says the same
    if (is_left_.load(sync::relaxed)) [[likely]]
      return;
    // (2) relaxed; alone: as (1)
    is_left_.store(true, sync::relaxed);
    leave_served_mark();
  }

  // Called in the child of a fork, which has run nothing yet.
  void forget() {
    // (3) relaxed; alone: the child has one thread
    is_left_.store(false, sync::relaxed);
  }

 private:
  sync::atomic<bool> is_left_{false};
};

}  // namespace doall::observe
