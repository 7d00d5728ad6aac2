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

// Whether the word was `held` and is changed; else `held` is what it is.
bool changes(std::uint64_t& held, fencing to) {
  const std::uint64_t next = fencing_choice::with(held, to);
  return how_to_fence.made.compare_exchange_strong(held, next, sync::seq_cst, sync::seq_cst);
}

void set(fencing to) { how_to_fence.made.store(static_cast<std::uint64_t>(to)); }

// Decides what holds from now on. Threads that come here at the same time agree.
fencing decide() {
  const bool granted =
      wanted_by_environment() && membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  const fencing mine = granted ? fencing::asymmetric : fencing::symmetric;
  auto held = static_cast<std::uint64_t>(fencing::undecided);
  return changes(held, mine) ? mine : fencing_choice::in(held);
}

// Called when a filter of system calls, set up after the decision, forbids what was granted. Makes
// light fences real ones, and outlasts those that were not: a store leaves its buffer within a
// microsecond, and immediately when its thread is preempted. This is no proof, but a last resort
// with a wide margin on every machine.
void withdraw() {
  constexpr std::uint64_t drained_ns = 1'000'000;
  set(fencing::withdrawn);
  const std::uint64_t until_ns = now_ns() + drained_ns;
  while (now_ns() < until_ns) sync::relax();
  set(fencing::symmetric);
}

// Steps S1 to S3 of src/park/README.md, to `symmetric` or `for_now`.
void retire_light_fences(fencing to) {
  std::uint64_t held = how_to_fence.made.load();
  for (;;) {
    switch (fencing_choice::in(held)) {
      case fencing::undecided:
      case fencing::symmetric:
      case fencing::withdrawn: return;
      case fencing::for_now:
        if (to == fencing::for_now || changes(held, to)) return;
        continue;
      case fencing::asymmetric: {
        // A round of its own: S3 finds the word as it was before S2, by whomever.
        const std::uint64_t next =
            fencing_choice::with(held, fencing::retiring) + fencing_choice::round;
        if (!how_to_fence.made.compare_exchange_strong(held, next, sync::seq_cst, sync::seq_cst)) {
          continue;
        }
        held = next;
        break;
      }
      case fencing::retiring:
        break;  // another thread is at it, or was when this process was forked
    }
    // Every thread passes a fence: stores before a light fence that was none are visible now.
    if (!membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return withdraw();
    if (changes(held, to)) return;
  }
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
  // After the fence: make_fences_light() relies on it.
  fencing how = how_to_fence.now();
  if (how == fencing::undecided) how = decide();
  if (how == fencing::symmetric || how == fencing::for_now) return;
  const bool kernel_helps = how == fencing::asymmetric || how == fencing::retiring;
  if (kernel_helps && membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED)) return;
  withdraw();
}

void make_all_fences_real() { retire_light_fences(fencing::symmetric); }
void make_fences_real() { retire_light_fences(fencing::for_now); }

void make_fences_light() {
  std::uint64_t held = how_to_fence.made.load();
  // (3) seq_cst; pairs with asymmetric_fence (1): a heavy fence that made no call looked before it
  if (fencing_choice::in(held) == fencing::for_now) changes(held, fencing::asymmetric);
}

}  // namespace doall::base
