// A schedule of the library's whose objects leave how often their workers stole and tried to: what
// runs the loop is the native door and the schedule's own functions, with a count around them.
//
// Who may call what: one thread, for one loop at a time; the workers of that loop call what the
// schedule's entry names.
#pragma once

#include <doall/schedule.hpp>

#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "schedule/cows/costs_by_owner.hpp"
#include "schedule/descriptor.hpp"
#include "schedule/grammar.hpp"

namespace doall::bench {

inline schedules::spec spec_of(const schedule& how) {
  return schedules::read_descriptor(*how.raw());
}

inline schedule schedule_of(const schedules::spec& how) {
  static_assert(std::is_trivially_copyable_v<schedule>);
  schedule made;
  const doall_schedule raw = schedules::make_descriptor(how);
  std::memcpy(static_cast<void*>(&made), &raw, sizeof raw);
  return made;
}

// A loop's running sums, summed up besides by the lists that its workers begin with.
inline schedules::cost_sums sums_by_owner(const schedules::cost_sums& costs,
                                          schedules::loop_shape shape,
                                          const schedules::params& given,
                                          std::vector<std::uint64_t>& room) {
  const schedules::cyclic_lists lists(shape, given);
  room.resize(schedules::costs_by_owner::entries(lists));
  schedules::costs_by_owner::sum_up(costs, lists, room.data());
  return costs.with(room.data());
}

struct steal_counts {
  std::uint64_t tried = 0;
  std::uint64_t done = 0;

  steal_counts& operator+=(const steal_counts& other) {
    tried += other.tried;
    done += other.done;
    return *this;
  }
};

class counted_schedule {
 public:
  // Throws std::invalid_argument for what is not one.
  explicit counted_schedule(const std::string& text) : how_(spec_of(schedule(text))) {
    if (!counts()) return;
    original_ = how_.which->forward;
    entry_ = *how_.which;
    uses_costs_ = how_.has(schedules::uses_costs);
    // Another entry than the registry's would not be given sums by owner: made here.
    entry_.properties &= ~unsigned{schedules::uses_costs};
    entry_.properties |= schedules::adapts;  // so that next() is asked, and not for ranges
    entry_.forward.construct = construct;
    entry_.forward.next = next;
    entry_.forward.finish = finish;
    how_.which = &entry_;
  }
  counted_schedule(const counted_schedule&) = delete;
  counted_schedule& operator=(const counted_schedule&) = delete;

  // Whether it is one whose workers steal.
  bool counts() const { return how_.which->forward.steals_tried != nullptr; }

  // For the next loop, whose iterations have these costs, perhaps none.
  schedule begin(const schedules::cost_sums& costs) {
    now_ = this;
    costs_ = costs;
    counted_ = {};
    stolen_.assign(doall_threads(), {});
    return bench::schedule_of(how_);
  }

  // After it.
  const steal_counts& counted() const { return counted_; }

 private:
  struct alignas(base::apart_bytes) own_count {
    std::uint64_t stolen = 0;
  };

  // By the opener.
  static void construct(void* object, const schedules::loop_context& loop) {
    counted_schedule& self = *now_;
    schedules::loop_context with = loop;
    with.costs = self.costs_;
    if (self.uses_costs_ && self.costs_.given()) {
      with.costs = sums_by_owner(self.costs_, loop.shape, loop.given, self.by_owner_);
    }
    self.original_.construct(object, with);
  }

  static schedules::chunk next(void* object, schedules::worker w, schedules::feedback last) {
    const schedules::chunk c = now_->original_.next(object, w, last);
    if (c.from == schedules::origin::stolen) ++now_->stolen_[w.index].stolen;
    return c;
  }

  // By the opener, when all have left.
  static void finish(void* object) {
    counted_schedule& self = *now_;
    self.counted_.tried = self.original_.steals_tried(object);
    for (const own_count& w : self.stolen_) self.counted_.done += w.stolen;
  }

  // An entry's functions have no context.
  static inline counted_schedule* now_ = nullptr;

  schedules::spec how_;
  schedules::entry entry_{};
  schedules::operations original_{};
  bool uses_costs_ = false;
  schedules::cost_sums costs_;
  std::vector<std::uint64_t> by_owner_;
  std::vector<own_count> stolen_;
  steal_counts counted_;
};

}  // namespace doall::bench
