// What the loops of doall/mpi.hpp throw.
#pragma once

#include <doall/options.hpp>

#include <stdexcept>
#include <string>

namespace doall {
inline namespace v0 {
namespace mpi {

// An exception left a body on another rank: its what(), and the rank. On that rank the loop
// rethrows the exception itself.
class DOALL_API rank_failed : public std::runtime_error {
 public:
  rank_failed(int rank, const std::string& what)
      : std::runtime_error("doall::mpi: rank " + std::to_string(rank) +
                           " gave the loop up: " + what),
        rank_(rank) {}
  int rank() const { return rank_; }

 private:
  int rank_;
};

// A rank requested a stop before a reduction was complete, so it has no result.
class DOALL_API stopped : public doall::stopped {
 public:
  explicit stopped(int rank)
      : what_("doall::mpi: rank " + std::to_string(rank) +
              " stopped the loop before all of its iterations had run, so it has no result"),
        rank_(rank) {}
  const char* what() const noexcept override { return what_.c_str(); }
  int rank() const { return rank_; }

 private:
  std::string what_;
  int rank_;
};

// A rank died in a loop, or between two, and MPI let the others go on (ULFM). Thrown on all ranks
// that are alive, by that call or the next one of this world, which has no more loops: a new world
// can be made of the communicator that MPIX_Comm_shrink() makes. What iterations have done is not
// undone, and what the dead rank had is lost.
class DOALL_API rank_died : public std::runtime_error {
 public:
  explicit rank_died(int rank)
      : std::runtime_error("doall::mpi: " +
                           (rank < 0 ? std::string("a rank, MPI does not say which one,")
                                     : "rank " + std::to_string(rank)) +
                           " has died; the loop has ended early, and its world has no more"),
        rank_(rank) {}
  // In the world's communicator; the first one of several; -1 if MPI does not say it.
  int rank() const { return rank_; }

 private:
  int rank_;
};

// Ranks called different loops, or loops in a different order. Thrown on all ranks; the text names
// two of them with their calls.
class DOALL_API wrong_call : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace mpi
}  // namespace v0
}  // namespace doall
