#include "base/asymmetric_fence.hpp"

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/env.hpp"

namespace doall::base {

constinit fencing_choice how_to_fence;

namespace {

bool membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

bool wanted_by_environment() {
  const auto text = env_text("DOALL_MEMBARRIER");
  return !text || !same_word(*text, "off");
}

// Decides what holds from now on. Threads that come here at the same time agree.
fencing decide() {
  const bool granted =
      wanted_by_environment() && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  const fencing mine = granted ? fencing::asymmetric : fencing::symmetric;
  fencing held = fencing::undecided;
  return how_to_fence.made.compare_exchange_strong(held, mine, sync::seq_cst, sync::seq_cst) ? mine
                                                                                             : held;
}

// Called when a filter of system calls, set up after the decision, forbids what was granted. Makes
// light fences real ones, and outlasts those that were not: a store leaves its buffer within a
// microsecond, and immediately when its thread is preempted. This is no proof, but a last resort
// with a wide margin on every machine.
void withdraw() {
  constexpr std::uint64_t drained_ns = 1'000'000;
  how_to_fence.made.store(fencing::withdrawn);
  const std::uint64_t until_ns = now_ns() + drained_ns;
  while (now_ns() < until_ns) sync::relax();
  how_to_fence.made.store(fencing::symmetric);
}

// Runs before this library can have started any thread. The registration belongs to the address
// space: the child of a fork has it too.
[[gnu::constructor]] void decide_at_load() { decide(); }

}  // namespace

void warn_of_bad_fence_setting() {
  const auto text = env_text("DOALL_MEMBARRIER");
  if (!text || same_word(*text, "on") || same_word(*text, "off")) return;
  warn_once("DOALL_MEMBARRIER=\"" + *text +
            "\" is ignored: expected on or off; membarrier is used where the kernel has it");
}

void fence_everywhere() {
  // (2) seq_cst fence; pairs with the light one, asymmetric_fence (1), where that is real
  sync::fence();
  fencing how = how_to_fence.made.load();
  if (how == fencing::undecided) how = decide();
  if (how == fencing::symmetric) return;
  const bool kernel_helps = how == fencing::asymmetric || how == fencing::retiring;
  if (kernel_helps && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
  withdraw();
}

void make_all_fences_real() {
  fencing held = fencing::asymmetric;
  how_to_fence.made.compare_exchange_strong(held, fencing::retiring, sync::seq_cst, sync::seq_cst);
  // `retiring`: another thread is doing it, or was when this process was forked.
  if (held != fencing::asymmetric && held != fencing::retiring) return;
  // Every thread passes a fence: stores before a light fence that was none are visible now.
  if (membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED))
    how_to_fence.made.store(fencing::symmetric);
  else
    withdraw();
}

}  // namespace doall::base
