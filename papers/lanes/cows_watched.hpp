// Through the native door, untimed: what each worker executes, or how often workers steal.
// cows_loops.hpp says what the members do.
#pragma once

#include <doall/doall.hpp>
#include <doall/schedule.hpp>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "lanes/cows_native.hpp"
#include "lanes/cows_recorded.hpp"
#include "lanes/doall.hpp"
#include "schedule/cows/costs_by_owner.hpp"
#include "schedule/descriptor.hpp"
#include "schedule/grammar.hpp"

namespace doall::bench {

// A schedule of the library's whose objects leave how often their workers stole and tried to: what
// runs the loop is the native door and the schedule's own functions, with a count around them.
//
// Who may call what: one thread, for one loop at a time; the workers of that loop call what the
// schedule's entry names.
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
    entry_.forward.construct = entry_.forward.renew = construct;
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

// What is to be found out by a run of a program: of both, for they would disturb each other, one.
//   executed_cost  the loops as they are timed, but that workers add up what they execute
//   steals         by schedules that count them (cows_counted.hpp)
enum class watching { executed_cost, steals };

// Of one run. Costs are in looks at a neighbour, as in virtual time (cows_recorded.hpp).
struct watched_run {
  watching what = watching::executed_cost;

  // Sums over the loops that are not uniform.
  double busiest = 0;  // worker
  double mean = 0;
  std::uint64_t costed_loops = 0;

  steal_counts all = {};     // loops
  steal_counts costed = {};  // of them, in costed ones

  double imbalance() const { return mean > 0 ? busiest / mean : 1; }
};

// What each thread executes in a loop.
class executed_costs {
 public:
  executed_costs() : by_thread_(threads_most) {}

  void begin() { std::ranges::fill(by_thread_, own_cost{}); }
  void add(double cost) { by_thread_[number_here()].cost += cost; }

  double busiest() const { return std::ranges::max(by_thread_, {}, &own_cost::cost).cost; }
  double all() const {
    double sum = 0;
    for (const own_cost& one : by_thread_) sum += one.cost;
    return sum;
  }

 private:
  // A loop has 1,024 workers at most, and the pool's are always the same threads.
  static constexpr std::uint32_t threads_most = 2048;

  struct alignas(base::apart_bytes) own_cost {
    double cost = 0;
  };

  // The calling thread's, the same in all loops.
  static std::uint32_t number_here() {
    static constinit sync::atomic<std::uint32_t> numbers{0};
    // (1) relaxed; alone: the number itself is all that is communicated
    static thread_local const std::uint32_t mine = numbers.fetch_add(1, sync::relaxed);
    return mine % threads_most;
  }

  std::vector<own_cost> by_thread_;
};

class watched_cows_loops {
 public:
  watched_cows_loops(const std::string& text, std::span<const std::uint64_t> row_pointer,
                     watched_run& found)
      : native_(text, row_pointer),
        degrees_(row_pointer),
        goes_by_cost_(schedule_of(loop_kind::guarded, text) != text),
        found_(found) {
    if (found.what == watching::executed_cost) return;
    for (const loop_kind kind : {loop_kind::uniform, loop_kind::costed, loop_kind::guarded}) {
      auto& how = counted_[static_cast<std::size_t>(kind)];
      how.emplace(schedule_of(kind, text));
      if (!how->counts()) how.reset();
    }
  }

  template <class Body>
  void each(loop_kind kind, const char* site, std::size_t count, const Body& body,
            const std::source_location& where = std::source_location::current()) const {
    if (found_.what == watching::steals) {
      if (auto& how = counted_[static_cast<std::size_t>(kind)]) {
        const loop_options options{.how = how->begin(costs_of(kind))};
        doall_loops{options}.each(count, [&body](std::size_t i) { body(i); }, where);
        return add(kind, how->counted());
      }
    } else if constexpr (requires { double(body(count)); }) {
      if (kind != loop_kind::uniform) return weigh(kind, site, count, body, where);
    }
    native_.each(kind, site, count, body, where);
  }

  template <class Body>
  auto sum(const char* site, std::size_t count, const Body& body,
           const std::source_location& where = std::source_location::current()) const {
    auto& how = counted_[static_cast<std::size_t>(loop_kind::uniform)];
    if (!how) return native_.sum(site, count, body, where);
    const loop_options options{.how = how->begin({})};
    const auto found = doall_loops{options}.sum(count, body, where);
    add(loop_kind::uniform, how->counted());
    return found;
  }

 private:
  // wsrw's; wsri has them too where it runs what wsrw gives way to (src/costs/loop_costs.hpp).
  schedules::cost_sums costs_of(loop_kind kind) const {
    if (!goes_by_cost_ || kind == loop_kind::uniform) return {};
    return {degrees_.data(), degrees_.size() - 1};
  }

  void add(loop_kind kind, const steal_counts& counted) const {
    found_.all += counted;
    if (kind == loop_kind::costed) found_.costed += counted;
  }

  template <class Body>
  void weigh(loop_kind kind, const char* site, std::size_t count, const Body& body,
             const std::source_location& where) const {
    executed_.begin();
    const auto weighed = [&](std::size_t i) {
      const double looks = body(i);
      executed_.add(loop_recorder::vertex_cost + looks);
    };
    native_.each(kind, site, count, weighed, where);
    found_.busiest += executed_.busiest();
    found_.mean += executed_.all() / doall_threads();
    if (kind == loop_kind::costed) ++found_.costed_loops;
  }

  native_cows_loops native_;
  std::span<const std::uint64_t> degrees_;
  bool goes_by_cost_;
  watched_run& found_;
  mutable executed_costs executed_;
  mutable std::optional<counted_schedule> counted_[3];
};

}  // namespace doall::bench
