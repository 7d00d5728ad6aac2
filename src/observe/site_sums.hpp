// What is kept of one site for the report: the sums over its executions, in ticks until they are
// written. Functions are called under the lock of the sites (site.cpp) but where they say
// otherwise.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_set>
#include <vector>

#include "base/no_memory.hpp"
#include "base/sync.hpp"
#include "observe/call_history.hpp"
#include "observe/decimals.hpp"
#include "observe/detail.hpp"
#include "observe/exported_caller.hpp"
#include "observe/site.hpp"
#include "observe/trace.hpp"
#include "observe/whole_sums.hpp"

namespace doall::observe {

// What a process counts of its loops.
enum class counted { report, report_and_costs, costs };

class site {
 public:
  explicit site(const place& where) : code_(where.code) {
    about_.kind = where.kind;
    about_.door = where.door;
    about_.line = where.line;
    if (where.file != nullptr) about_.file = where.file;
    if (where.function != nullptr) about_.function = where.function;
    // Looked up now: at the end the module may have been unloaded.
    Dl_info found;
    if (dladdr(where.code, &found) != 0 && found.dli_fname != nullptr) {
      module_ = found.dli_fname;
      about_.offset = reinterpret_cast<std::uintptr_t>(where.code) -
                      reinterpret_cast<std::uintptr_t>(found.dli_fbase);
      if (found.dli_sname == nullptr) about_.caller = exported_caller(found.dli_fbase);
      about_.region = offset_in(found.dli_fbase, where.region);
    }
  }

  // Of an execution that was counted in detail.
  void add(const counting& as, const execution_form& ran, const execution_times& when,
           const tally* tallies, std::uint64_t failed_claims) {
    const auto& [how, workers, why] = ran;
    const std::uint64_t stands_for = as.stands_for;
    note(ran);
    add_split(split_, stands_for, workers, when, {tallies, workers});
    add_to_history(when, {tallies, workers});
    const std::uint64_t wall_ticks = when.wall_ticks();
    about_.calls_in_detail += 1;
    const auto count = [&](std::uint64_t& sum, std::uint64_t n) { sum += stands_for * n; };
    count(about_.calls, 1);
    count(about_.wall_time, wall_ticks);
    // The flat form of a splitting schedule has no deque: these two of its counters remain.
    const bool flat =
        how.which != nullptr && (how.has(schedules::splitting) || schedules::is_hybrid(*how.which));
    count(about_.stealing.failed_claims, failed_claims);
    std::uint64_t busiest = 0;
    for (std::uint32_t w = 0; w < workers; ++w) {
      const tally& t = tallies[w];
      const std::uint64_t stolen = t.chunks[static_cast<int>(schedules::origin::stolen)];
      if (flat) count(about_.stealing.stolen, stolen);
      count(about_.iterations, t.iterations);
      const std::uint64_t busy = time_of(t, when).busy;
      count(about_.busy_time, busy);
      count(about_.inside_time, t.inside_ticks);
      if (t.timed) count(timed_inside_, t.inside_ticks);
      count(about_.chunks_own, t.chunks[static_cast<int>(schedules::origin::own)]);
      count(about_.chunks_central, t.chunks[static_cast<int>(schedules::origin::central)]);
      count(about_.chunks_stolen, stolen);
      about_.stay_compared += t.stay.compared;
      about_.stay_stayed += t.stay.stayed;
      busiest = std::max(busiest, busy);
      add_to_trace(t, w, workers, when);
      all_.iterations += t.iterations;
    }
    count(about_.capacity_time, wall_ticks * workers);
    count(about_.bottleneck_time, busiest * workers);
    all_.add(wall_ticks, workers, as.outer_threads);
  }

  // Of one that was counted as a whole.
  void add_whole(const counting& as, const execution_form& ran, const execution_times& when,
                 std::uint64_t iterations) {
    note(ran);
    if (history_ != nullptr) history_->add(when.wall_ticks(), false);
    all_.iterations += iterations;
    all_.add(when.wall_ticks(), ran.workers, as.outer_threads);
  }

  void weigh_detail(std::span<const tally> tallies, const execution_times& when,
                    std::uint64_t ticks_of_reading) {
    detail_.weigh(tallies, when, ticks_of_reading);
  }

  // Of one whose other sums are in ledgers.
  void add_split_of_ledgers(std::uint32_t workers, const execution_times& when,
                            std::span<const tally> tallies) {
    add_split(split_of_ledgers_, 1, workers, when, tallies);
    add_to_history(when, tallies);
  }

 private:
  // What is not work of the workers' time.
  struct time_split {
    std::uint64_t scheduling = 0;
    std::uint64_t waiting = 0;
    std::uint64_t idle = 0;
  };

  void add_to_history(const execution_times& when, std::span<const tally> tallies) {
    if (history_ != nullptr && history_->add(when.wall_ticks())) keep_slots(when, tallies);
  }

  // A worker's time in an execution, cut at its opening and its end: it may still be in a chunk of
  // a loop that was cancelled, and clocks of several processors may differ by some ticks.
  struct worker_time {
    std::uint64_t entered = 0;  // ticks after the opening
    std::uint64_t left = 0;     // before the end
    std::uint64_t busy = 0;
    std::uint64_t rest = 0;  // from entering to leaving, without what it was busy, away or waiting
  };
  static worker_time time_of(const tally& t, const execution_times& when) {
    if (t.entered_ticks == 0) return {.busy = t.busy_ticks};  // of a recording, or nothing
    const auto less = [](std::uint64_t from, std::uint64_t what) {
      return from - std::min(from, what);
    };
    const std::uint64_t entered = std::clamp(t.entered_ticks, when.opened_ticks, when.closed_ticks);
    const std::uint64_t left = std::clamp(t.left_ticks, entered, when.closed_ticks);
    const std::uint64_t here = less(left - entered, t.away_ticks + t.waited_ticks);
    const std::uint64_t busy = std::min(t.busy_ticks, here);
    return {entered - when.opened_ticks, when.closed_ticks - left, busy, here - busy};
  }

  // So that the parts add up to the whole.
  static void add_split(time_split& to, std::uint64_t stands_for, std::uint32_t workers,
                        const execution_times& when, std::span<const tally> tallies) {
    std::uint32_t came = 0;
    for (const tally& t : tallies) {
      if (t.entered_ticks == 0) continue;
      ++came;
      const worker_time s = time_of(t, when);
      to.scheduling += stands_for * s.rest;
      to.waiting += stands_for * (s.left + t.waited_ticks);
      to.idle += stands_for * (s.entered + t.away_ticks);
    }
    if (came < workers) to.idle += stands_for * when.wall_ticks() * (workers - came);
  }

 public:
  // Without the lock, for each execution.
  counting count_next(counted what) {
    using of = detail_choice::of;
    if (what == counted::costs) return detail_.next(this, of::recording);
    return detail_.next(this, first_look_ != 0 ? of::traced_report : of::report);
  }

  void note(const execution_form& ran) {
    how_ = ran.how;
    why_ = ran.why;
    about_.workers = ran.workers;
    // (10) relaxed; alone: a number; the file says what it means
    if (first_look_ != 0) look_.store(find_look({ran.how, ran.why, 0}), sync::relaxed);
  }

  // Called before others know the site, when the process's trace has begun.
  void begin_looks() {
    if (!trace::is_on()) return;
    first_look_ = trace::number_look(as_a_name());
    // (11) relaxed; alone: as (10)
    look_.store(first_look_, sync::relaxed);
  }
  // In the child of a fork: the trace was the parent's.
  void leave_trace() {
    first_look_ = 0;
    looks_.clear();
    // (13) relaxed; alone: there is no other thread
    look_.store(0, sync::relaxed);
  }
  std::uint32_t first_look() const { return first_look_; }
  std::uint32_t last_look() const {
    // (12) relaxed; alone: as (10)
    return look_.load(sync::relaxed);
  }

  // Null if there is no memory.
  stay_samples* samples(counted what) {
    if (samples_) return samples_.get();
    samples_.reset(base::or_null([&] { return new (std::nothrow) stay_samples; }));
    if (samples_ == nullptr || what == counted::report) return samples_.get();
    samples_->costs.reset(base::or_null([&] { return new (std::nothrow) cost_profile; }));
    samples_->compares = what != counted::costs;
    return samples_.get();
  }

  // Called before others know the site. Goes without if there is no memory.
  void keep_history() {
    history_.reset(base::or_null([&] { return new (std::nothrow) call_history; }));
  }

  // Called before others know the site: many sites have one module, and share its name.
  void keep_module(std::unordered_set<std::string>& names) {
    module_ = *names.emplace(module_).first;
  }
  void be_known(std::uint32_t number, site* next) {
    number_ = number;
    next_ = next;
  }
  std::uint32_t number() const { return number_; }
  site_kind kind() const { return about_.kind; }
  site* next() const { return next_; }

  // The site's place in the report.
  auto place_in_order() const { return std::tuple(about_.kind, code_, about_.line, number_); }

  // The sums, in ticks, and the ledgers' as a record.
  record in_ns(counted what, const record* ledgers, double ns_per_tick) const {
    record r = about_;
    r.module = module_;
    r.why = text_of(why_);
    complete(r, what);
    if (ledgers != nullptr) {
      add_numbers(r, *ledgers);
      const bool shares = r.kind == site_kind::nested;
      r.elapsed_time += ledgers->wall_time / (shares ? std::max(1U, r.workers) : 1);
    }
    for (std::uint64_t* ticks :
         {&r.wall_time, &r.elapsed_time, &r.in_regions_time, &r.busy_time, &r.capacity_time,
          &r.bottleneck_time, &r.inside_time, &r.scheduling_time, &r.waiting_time, &r.idle_time}) {
      *ticks = static_cast<std::uint64_t>(static_cast<double>(*ticks) * ns_per_tick);
    }
    r.schedule = schedule_text();
    if (samples_ && samples_->costs) {
      samples_->costs->read([&](std::uint64_t iterations, double ticks) {
        if (!r.costs.empty()) r.costs += ' ';
        r.costs += std::to_string(iterations) + ':' + decimals(ticks * ns_per_tick);
      });
    }
    const auto text = [&](double ticks) { return decimals(ticks * ns_per_tick); };
    if (history_ != nullptr) {
      r.over_calls = history_->groups_text(text);
      r.slowest_call = history_->slowest_text(text);
    }
    return r;
  }

 private:
  // A schedule of the site in the trace.
  struct look {
    schedules::spec how;
    reason why;
    std::uint32_t number;
  };

  // The record without its numbers.
  record as_a_name() const {
    record r;
    r.kind = about_.kind;
    r.door = about_.door;
    r.module = module_;
    r.offset = about_.offset;
    r.file = about_.file;
    r.line = about_.line;
    r.function = about_.function;
    r.schedule = schedule_text();
    r.why = text_of(why_);
    return r;
  }

  std::string schedule_text() const {
    return how_.which == nullptr ? "-" : schedules::to_text(how_);
  }

  // The looks beyond these share the last one's number.
  std::uint32_t find_look(const look& wanted) {
    constexpr std::size_t looks_most = 64;
    for (const look& l : looks_) {
      if (l.how == wanted.how && l.why == wanted.why) return l.number;
    }
    if (looks_.size() == looks_most) return looks_.back().number;
    return looks_.emplace_back(wanted.how, wanted.why, trace::number_look(as_a_name())).number;
  }

  void add_to_trace(const tally& t, std::uint32_t w, std::uint32_t workers,
                    const execution_times& when) const {
    if (t.lane == 0 || first_look_ == 0) return;
    trace::add({.look = last_look(),
                .lane = t.lane,
                .worker = w,
                .workers = workers,
                .entered_ticks = t.entered_ticks,
                .left_ticks = t.left_ticks,
                .closed_ticks = when.closed_ticks,
                .iterations = t.iterations,
                .chunks = {t.chunks[0], t.chunks[1], t.chunks[2]}});
  }

  // Of the slowest call.
  void keep_slots(const execution_times& when, std::span<const tally> tallies) {
    slot_times* next = history_->slots_for(static_cast<std::uint32_t>(tallies.size()));
    if (next == nullptr) return;
    for (const tally& t :
         tallies.first(std::min<std::size_t>(tallies.size(), call_history::slots_most))) {
      const auto since = [&](std::uint64_t ticks) {
        return std::clamp(ticks, when.opened_ticks, when.closed_ticks) - when.opened_ticks;
      };
      *next++ = {since(t.entered_ticks), since(t.left_ticks), t.busy_ticks};
    }
  }

  static void multiply(double scale, std::initializer_list<std::uint64_t*> sums) {
    for (std::uint64_t* sum : sums)
      *sum = static_cast<std::uint64_t>(scale * static_cast<double>(*sum));
  }

  // Scales what stands for others to all executions. A report knows the workers' time in all, so it
  // scales the parts to that; a recording knows how many executions there were. Then adds what
  // ledgers' executions spent.
  void complete(record& r, counted what) const {
    r.scheduling_time = split_.scheduling;
    r.waiting_time = split_.waiting;
    r.idle_time = split_.idle;
    const auto ratio = [](std::uint64_t of, std::uint64_t by) {
      return by == 0 ? 1.0 : static_cast<double>(of) / static_cast<double>(by);
    };
    // Every call may have been counted in detail, and some for two nevertheless.
    const bool all_for_one = r.calls == all_.calls && r.calls_in_detail == all_.calls;
    if (what != counted::costs && !all_for_one) {
      multiply(ratio(all_.capacity_ticks, r.capacity_time),
               {&r.busy_time, &r.bottleneck_time, &r.inside_time, &r.scheduling_time,
                &r.waiting_time, &r.idle_time});
      multiply(ratio(all_.calls, r.calls), {&r.chunks_own, &r.chunks_central, &r.chunks_stolen,
                                            &r.stealing.stolen, &r.stealing.failed_claims});
      r.calls = all_.calls;
      r.iterations = all_.iterations;
      r.wall_time = all_.wall_ticks;
      r.capacity_time = all_.capacity_ticks;
    } else if (what == counted::costs && r.calls != 0) {
      const std::uint64_t all = detail_.begun();
      multiply(ratio(all, r.calls),
               {&r.wall_time, &r.busy_time, &r.capacity_time, &r.bottleneck_time, &r.inside_time,
                &r.scheduling_time, &r.waiting_time, &r.idle_time, &r.iterations});
      r.calls = all;
    }
    // A recording's are of some executions alone, and of no use to it.
    r.elapsed_time = what == counted::costs ? r.wall_time : all_.elapsed_ticks;
    r.in_regions_time = what == counted::costs ? 0 : all_.in_regions_ticks;
    complete_busy(r);
    r.scheduling_time += split_of_ledgers_.scheduling;
    r.waiting_time += split_of_ledgers_.waiting;
    r.idle_time += split_of_ledgers_.idle;
  }

  // Where most were timed as wholes, their iterations took the part of that time that the others'
  // took.
  void complete_busy(record& r) const {
    if (timed_inside_ == 0 || timed_inside_ == about_.inside_time) return;
    const auto share = static_cast<double>(about_.busy_time) / static_cast<double>(timed_inside_);
    r.busy_time = static_cast<std::uint64_t>(share * static_cast<double>(r.inside_time));
    if (samples_ && samples_->costs) r.iterations = samples_->costs->mean_length() * r.calls;
  }

  record about_;                    // times in ticks; without the module
  std::uint64_t timed_inside_ = 0;  // of inside_time, in executions whose chunks were timed
  whole_sums all_;
  time_split split_;  // of the executions that were counted in detail
  time_split split_of_ledgers_;
  detail_choice detail_;
  std::string_view module_;
  const void* code_;
  site* next_ = nullptr;
  std::uint32_t number_ = 0;
  schedules::spec how_;
  reason why_ = reason::none;
  std::uint32_t first_look_ = 0;         // 0: there was no trace
  sync::atomic<std::uint32_t> look_{0};  // of the last execution
  std::vector<look> looks_;
  std::unique_ptr<stay_samples> samples_;
  std::unique_ptr<call_history> history_;  // null: none is kept
};

}  // namespace doall::observe
