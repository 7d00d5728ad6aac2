// Sums of costs that are kept for the next loop with the same costs.
#include "costs/kept_costs.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace doall::costs {
namespace {

constexpr std::uint64_t entries = 1000;

kept_costs* make_ready(const cost_key& key) {
  kept_costs* const made = make_kept(key, {}, entries, 1);
  if (made == nullptr) return nullptr;
  made->sums()[0] = 77;
  publish(made);
  return made;
}

// The child of a fork has what no loop reads at that time. What one reads stays where it is.
TEST(KeptCosts, AreTheChildsOfAForkToo) {
  static const int places[2] = {};
  const cost_key free{.identity = &places[0], .iterations = entries};
  const cost_key lent{.identity = &places[1], .iterations = entries};
  kept_costs* const mine = make_ready(free);
  kept_costs* const read = make_ready(lent);
  ASSERT_NE(mine, nullptr);
  ASSERT_NE(read, nullptr);
  give_back(mine);
  const pid_t child = fork();
  if (child == 0) {
    kept_costs* const found = find_kept(free, {});
    const bool same = found == mine && found->sums()[0] == 77;
    const bool apart = find_kept(lent, {}) == nullptr && read->sums()[0] == 77;
    give_back(read);
    kept_costs* const another = make_ready(lent);
    _exit(same && apart && another != nullptr && another != read ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  give_back(read);
}

}  // namespace
}  // namespace doall::costs
