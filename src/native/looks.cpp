// When a thread in nested loops looks whether another one wants work, and what it offers then.
#include <algorithm>
#include <utility>

#include "base/clock.hpp"
#include "native/open_loops.hpp"
#include "threads/pool.hpp"

namespace doall::native {
namespace {

using steal::u64;

constexpr std::uint64_t look_ns = 4'000;  // between two looks, about
constexpr std::uint64_t late_look_ns = 16 * look_ns;
constexpr std::uint32_t pieces_most = 512;
constexpr std::uint64_t offers_after_ns = 3'000;  // after the outermost loop began
constexpr std::uint64_t wakes_after_ns = 20'000;
constexpr std::uint64_t vain_offer_ns = 2'500;  // from an offer in vain to the next; doubled up to
constexpr std::uint64_t vain_offer_most_ns = 20'000;
constexpr std::uint32_t looks_a_timing = 16;

// Adjusts the pieces so that a look comes every look_ns. Returns whether this one came far too
// late: then some loop takes longer than its site says.
bool set_pace(look_out& watch, u64 now_ns) {
  const u64 before_ns = std::exchange(watch.looked_ns, now_ns);
  if (before_ns == 0) return false;
  const u64 since_ns = now_ns - before_ns;
  if (since_ns < look_ns / 16) {
    watch.pieces = std::min(8 * watch.pieces, pieces_most);  // few looks in a nest that is short
  } else if (since_ns < look_ns / 2) {
    watch.pieces = std::min(2 * watch.pieces, pieces_most);
  } else if (since_ns > look_ns) {
    watch.pieces = std::max(static_cast<std::uint32_t>(watch.pieces * look_ns / since_ns), 1U);
  }
  return since_ns > late_look_ns;
}

bool may_offer(stealer& me, u64 now_ns) {
  look_out& watch = me.watch;
  if (watch.began_ns == 0) watch.began_ns = now_ns;
  const u64 ran_ns = now_ns - watch.began_ns;
  if (!watch.offers && ran_ns >= offers_after_ns) {
    watch.offers = true;
    pool::start_workers(me);
  }
  if (!watch.wakes && ran_ns >= wakes_after_ns) {
    watch.wakes = true;
    call_for(me);
  }
  return watch.offers;
}

// There is nobody to give anything to: all that is left of a look is a timing now and then.
void look_alone(stealer& me) {
  constexpr std::uint32_t looks_a_timing_alone = 4;
  if (++me.watch.looks % looks_a_timing_alone == 0) me.here.inlined = 0;
  steal::set_looks_left(me, pieces_most);
}

}  // namespace

void look(stealer& me) {
  look_out& watch = me.watch;
  if (watch.alone) return look_alone(me);
  const u64 now_ns = base::now_ns();
  const bool is_late = set_pace(watch, now_ns);
  steal::set_looks_left(me, watch.pieces);
  if (++watch.looks % looks_a_timing == 0 || is_late)
    me.here.inlined = 0;  // the next loop is timed
  const steal::request asked = steal::asked(me);
  if (asked == steal::request::refused) steal::set_asked(me, steal::request::none);
  if (!may_offer(me, now_ns) || !me.own().is_empty()) return;
  // Without a request, offers are for sleepers: after an offer that no thief has taken, wait a
  // while before the next.
  const bool is_asked = asked == steal::request::made;
  if (!is_asked && now_ns - watch.offered_ns < watch.next_offer_ns) return;
  const bool gave = offer_outermost(me);
  steal::set_asked(me, gave ? steal::request::none : steal::request::refused);
  if (!gave) return;
  watch.offered_ns = now_ns;
  watch.next_offer_ns =
      is_asked ? vain_offer_ns
               : std::clamp(2 * watch.next_offer_ns, vain_offer_ns, vain_offer_most_ns);
}

}  // namespace doall::native
