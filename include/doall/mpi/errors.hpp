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

// Ranks called different loops, or loops in a different order. Thrown on all ranks; the text names
// two of them with their calls.
class DOALL_API wrong_call : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace mpi
}  // namespace v0
}  // namespace doall
