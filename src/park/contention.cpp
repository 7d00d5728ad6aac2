#include "park/contention.hpp"

#include "base/asymmetric_fence.hpp"
#include "base/cache_line.hpp"
#include "base/clock.hpp"
#include "park/turns.hpp"

namespace doall::park {
namespace {

constinit contention others;

struct process_fences {
  static void make_real() { base::make_fences_real(); }
  static void make_light() { base::make_fences_light(); }
};

void pause_all() {
  process_fences fences;
  begin_pause(may_be_contended, fences);
}

}  // namespace

alignas(base::apart_bytes) constinit sync::atomic<bool> may_be_contended{false};

bool is_contended() {
  process_fences fences;
  return look_for_pause(others, base::now_ns(), may_be_contended, fences);
}

void notice_preemption(std::uint64_t now_ns, std::uint64_t lost_ns) {
  if (others.learn(now_ns, lost_ns, cpus_at_start)) pause_all();
}

void notice_others(std::uint64_t until_ns) {
  others.hold_until(until_ns);
  pause_all();
}

}  // namespace doall::park
