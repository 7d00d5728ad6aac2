#include "base/fork.hpp"

#include "base/forks.hpp"

namespace doall::base {

constinit std::uint64_t forks = 0;

namespace {

[[maybe_unused]] const int counted = at_fork(nullptr, nullptr, [] { ++forks; });

}  // namespace
}  // namespace doall::base
