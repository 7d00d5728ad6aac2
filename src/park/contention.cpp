#include "park/contention.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/cache_line.hpp"
#include "base/clock.hpp"
#include "park/turns.hpp"

namespace doall::park {
namespace {

constinit contention others;

void begin_pause() {
  base::make_fences_real();
  // (12) relaxed; alone: a hint
  may_be_contended.store(true, sync::relaxed);
}

}  // namespace

alignas(base::apart_bytes) constinit sync::atomic<bool> may_be_contended{false};

bool is_contended() {
  if (others.holds(base::now_ns())) return true;
  // (11) relaxed; alone: a hint
  may_be_contended.store(false, sync::relaxed);
  base::make_fences_light();
  return false;
}

void notice_preemption(std::uint64_t now_ns, std::uint64_t lost_ns) {
  if (others.learn(now_ns, lost_ns, cpus_at_start)) begin_pause();
}

void notice_others(std::uint64_t until_ns) {
  others.hold_until(until_ns);
  begin_pause();
}

}  // namespace doall::park
