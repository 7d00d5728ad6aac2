#include "base/fork.hpp"

#include "base/forks.hpp"

namespace doall::base {

constinit std::uint64_t forks = 0;

namespace {

// The handlers stay only if the end of the process can be told from an unloading.
[[maybe_unused]] const int counted = at_fork(before_fork, after_fork_in_parent, [] {
  after_fork_in_child();
  ++forks;
});

}  // namespace
}  // namespace doall::base
