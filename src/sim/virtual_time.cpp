#include "sim/virtual_time.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <queue>
#include <stdexcept>
#include <utility>

namespace doall::sim {
namespace {

using schedules::chunk;
using schedules::origin;

struct alignas(base::apart_bytes) block {
  std::byte bytes[base::apart_bytes];
};

std::size_t blocks_for(std::size_t bytes) { return bytes / sizeof(block) + 1; }

using object_storage = std::array<block, schedules::object_bytes / sizeof(block)>;
static_assert(sizeof(object_storage) == schedules::object_bytes);

// Whether the schedule moves work: then whoever comes alone gets the whole loop,
// the last of two workers as well as any. If not, nobody needs to agree with
// anybody, and there is no synchronisation.
bool moves_work(const schedules::spec& schedule) {
  constexpr schedules::loop_shape probe{.iterations = 2, .workers = 2};
  object_storage object;
  std::array<schedules::worker_line, probe.workers> lines;
  const schedules::operations& run = schedule.run();
  run.construct(object.data(), {.shape = probe, .given = schedule.given, .lines = lines.data()});
  u64 dealt = 0;
  for (schedules::worker alone{.index = 1};; ++alone.turn) {
    const u64 size = run.next(object.data(), alone, {}).size();
    if (size == 0) return dealt == probe.iterations;
    dealt += size;
  }
}

// Iterations of one worker, end to end.
struct stretch {
  u64 begin;
  u64 end;
  std::uint32_t worker;
};

std::vector<stretch> stretches_of(const execution& e) {
  std::vector<stretch> all;
  all.reserve(e.chunks.size());
  for (const dealt_chunk& d : e.chunks) {
    if (d.what.step == 1) {
      all.push_back({d.what.begin, d.what.end, d.worker});
      continue;
    }
    u64 at = d.what.begin;
    for (u64 left = d.what.size(); left > 0; --left, at += d.what.step) {
      all.push_back({at, at + 1, d.worker});
    }
  }
  std::ranges::sort(all, {}, &stretch::begin);
  return all;
}

}  // namespace

double sync_prices::of(origin from) const {
  switch (from) {
    case origin::own: return own;
    case origin::central: return central;
    case origin::stolen: return stolen;
  }
  return 0;
}

worker_account execution::total() const {
  worker_account all;
  for (const worker_account& w : workers) {
    all.chunks += w.chunks;
    all.iterations += w.iterations;
    all.local += w.local;
    all.remote += w.remote;
    all.central += w.central;
    all.robbed += w.robbed;
    all.busy += w.busy;
    all.left = std::max(all.left, w.left);
  }
  return all;
}

double execution::imbalance() const {
  const double busy = total().busy;
  if (busy == 0) return 1;
  const double busiest = std::ranges::max(workers, {}, &worker_account::busy).busy;
  return busiest * static_cast<double>(workers.size()) / busy;
}

double execution::efficiency() const {
  const worker_account all = total();
  return all.left == 0 ? 1 : all.busy / (static_cast<double>(workers.size()) * all.left);
}

double stayed(const execution& earlier, const execution& later) {
  const std::vector<stretch> before = stretches_of(earlier);
  u64 all = 0;
  u64 same = 0;
  auto old = before.begin();
  for (const stretch& now : stretches_of(later)) {
    all += now.end - now.begin;
    while (old != before.end() && old->end <= now.begin) ++old;
    // The last that meets `now` may meet the next one as well.
    for (auto o = old; o != before.end() && o->begin < now.end; ++o) {
      if (o->worker == now.worker) {
        same += std::min(o->end, now.end) - std::max(o->begin, now.begin);
      }
    }
  }
  return all == 0 ? 1 : static_cast<double>(same) / static_cast<double>(all);
}

class virtual_loop::driver {
 public:
  explicit driver(loop_setup setup)
      : setup_(std::move(setup)),
        synchronises_(moves_work(setup_.schedule)),
        lines_(setup_.shape.workers) {
    const auto memory_bytes = setup_.schedule.which->memory_bytes;
    if (memory_bytes != nullptr) memory_.resize(blocks_for(memory_bytes(setup_.shape.workers)));
  }

  execution run() {
    begin();
    execution result;
    result.workers.resize(setup_.shape.workers);
    while (!idle_.empty()) {
      const auto [now, w] = idle_.top();
      idle_.pop();
      const chunk c = ask(w);
      if (c.empty()) {
        result.workers[w].left = now;
        continue;
      }
      if (result.chunks.size() == setup_.chunks_most) throw std::length_error("too many chunks");
      const dealt_chunk dealt = deal(c, w, now);
      account(dealt, result.workers);
      result.chunks.push_back(dealt);
      idle_.emplace(dealt.finished, w);
    }
    if (setup_.schedule.run().finish != nullptr) setup_.schedule.run().finish(object_.data());
    return result;
  }

 private:
  struct seat {
    u64 turn = 0;
    schedules::feedback last;
  };

  void begin() {
    const std::uint32_t workers = setup_.shape.workers;
    setup_.schedule.run().construct(object_.data(),
                                    {.shape = setup_.shape,
                                     .given = setup_.schedule.given,
                                     .lines = lines_.data(),
                                     .epoch = ++epoch_,
                                     .costs = setup_.costs.for_schedules(),
                                     .memory = memory_.empty() ? nullptr : memory_.data()});
    seats_.assign(workers, {});
    queue_free_.assign(workers + 1, 0);
    for (std::uint32_t w = 0; w < workers; ++w) {
      idle_.emplace(w < setup_.arrivals.size() ? setup_.arrivals[w] : 0, w);
    }
  }

  chunk ask(std::uint32_t w) {
    seat& mine = seats_[w];
    return setup_.schedule.run().next(object_.data(), {w, mine.turn++}, mine.last);
  }

  // The chunk's way through its queue and its worker. Workers are served in the
  // order in which they ask, so a queue needs to know only when it is free.
  dealt_chunk deal(const chunk& c, std::uint32_t w, double now) {
    double started = now;
    if (synchronises_) {
      double& queue_free = queue_free_[queue_of(c, w)];
      started = std::max(now, queue_free) + setup_.prices.of(c.from);
      queue_free = started;
    }
    const double elapsed = setup_.costs.of(c);
    seats_[w].last = {c.size(), elapsed};
    return {c, w, now, started, started + elapsed};
  }

  std::uint32_t queue_of(const chunk& c, std::uint32_t w) const {
    switch (c.from) {
      case origin::own: return w;
      case origin::central: break;
      case origin::stolen: return c.victim;
    }
    return setup_.shape.workers;
  }

  void account(const dealt_chunk& dealt, std::vector<worker_account>& workers) const {
    const chunk& c = dealt.what;
    worker_account& mine = workers[dealt.worker];
    mine.chunks += 1;
    mine.iterations += c.size();
    mine.busy += dealt.finished - dealt.started;
    if (!synchronises_) return;
    switch (c.from) {
      case origin::own: mine.local += 1; break;
      case origin::central: mine.central += 1; break;
      case origin::stolen:
        mine.remote += 1;
        workers[c.victim].robbed += 1;
        break;
    }
  }

  using free_worker = std::pair<double, std::uint32_t>;  // since when, who

  loop_setup setup_;
  bool synchronises_;
  u64 epoch_ = 0;
  object_storage object_;
  std::vector<schedules::worker_line> lines_;
  std::vector<block> memory_;
  std::vector<seat> seats_;
  std::vector<double> queue_free_;  // per worker, then the central one
  std::priority_queue<free_worker, std::vector<free_worker>, std::greater<>> idle_;
};

virtual_loop::virtual_loop(loop_setup setup)
    : driver_(std::make_unique<driver>(std::move(setup))) {}
virtual_loop::~virtual_loop() = default;
virtual_loop::virtual_loop(virtual_loop&&) noexcept = default;

execution virtual_loop::run() { return driver_->run(); }

}  // namespace doall::sim
