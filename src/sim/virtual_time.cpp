#include "sim/virtual_time.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

#include "schedule/cows/costs_by_owner.hpp"
#include "sim/exactly_once.hpp"
#include "sim/memory.hpp"

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

// Whether the schedule moves work: then a worker that comes alone gets work that is not its own,
// even the last of two. If it does not, workers need not agree, and there is no synchronisation.
// Parameters say when work is moved, not whether.
bool moves_work(const schedules::entry& which) {
  constexpr schedules::loop_shape probe{.iterations = 64, .workers = 2};
  object_storage object;
  std::array<schedules::worker_line, probe.workers> lines;
  which.forward.construct(object.data(), {.shape = probe, .lines = lines.data()});
  u64 dealt = 0;
  for (schedules::worker alone{.index = 1};; ++alone.turn) {
    const chunk c = which.forward.next(object.data(), alone, {});
    if (c.empty()) return dealt == probe.iterations;
    if (c.from != origin::own) return true;
    dealt += c.size();
  }
}

using chunk_place = std::pair<std::uint32_t, u64>;  // a worker, and where in the loop

std::vector<const dealt_chunk*> in_order_of_place(const execution& e) {
  std::vector<const dealt_chunk*> all;
  all.reserve(e.chunks.size());
  for (const dealt_chunk& d : e.chunks) all.push_back(&d);
  std::ranges::sort(all, {},
                    [](const dealt_chunk* d) { return chunk_place(d->worker, d->what.begin); });
  return all;
}

// How many iterations both have. O(1) when their steps are the same or one of them is 1. Steps are
// at most the number of workers, so no product overflows.
u64 common(const chunk& a, const chunk& b) {
  if (a.step < b.step) return common(b, a);
  const u64 begin = std::max(a.begin, b.begin);
  const u64 end = std::min(a.end, b.end);
  const u64 beyond = (begin - a.begin) % a.step;
  u64 at = beyond == 0 ? begin : base::saturating_add(begin, a.step - beyond);
  // The remainders of a's iterations modulo b.step repeat after this many.
  const u64 period = b.step / std::gcd(a.step, b.step);
  for (u64 i = 0; i < period && at < end; ++i, at = base::saturating_add(at, a.step)) {
    if ((at - b.begin) % b.step == 0) return chunk{at, end, a.step * period}.size();
  }
  return 0;
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
    all.moving += w.moving;
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
  const std::vector<const dealt_chunk*> before = in_order_of_place(earlier);
  u64 all = 0;
  u64 same = 0;
  auto old = before.begin();
  const auto ends_by = [](const dealt_chunk* d, chunk_place p) {
    return chunk_place(d->worker, d->what.end) <= p;
  };
  const auto begins_before = [](const dealt_chunk* d, chunk_place p) {
    return chunk_place(d->worker, d->what.begin) < p;
  };
  for (const dealt_chunk* now : in_order_of_place(later)) {
    all += now->what.size();
    while (old != before.end() && ends_by(*old, {now->worker, now->what.begin})) ++old;
    // Chunks that overlap `now` may overlap the next one as well.
    for (auto o = old; o != before.end() && begins_before(*o, {now->worker, now->what.end}); ++o) {
      same += common((*o)->what, now->what);
    }
  }
  return all == 0 ? 1 : static_cast<double>(same) / static_cast<double>(all);
}

double stolen_part(const execution& e) {
  std::vector<bool> is_thief(e.workers.size());
  u64 all = 0;
  u64 stolen = 0;
  for (const dealt_chunk& d : e.chunks) {
    if (d.what.from == schedules::origin::stolen) is_thief[d.worker] = true;
    all += d.what.size();
    if (is_thief[d.worker]) stolen += d.what.size();
  }
  return all == 0 ? 0 : static_cast<double>(stolen) / static_cast<double>(all);
}

class virtual_loop::driver {
 public:
  explicit driver(loop_setup setup)
      : setup_(std::move(setup)),
        synchronises_(moves_work(*setup_.schedule.which)),
        lines_(setup_.shape.workers) {
    const auto memory_bytes = setup_.schedule.which->memory_bytes;
    if (memory_bytes != nullptr) memory_.resize(blocks_for(memory_bytes(setup_.shape.workers)));
    sum_up_costs();
  }

  execution run() {
    begin();
    execution result;
    result.workers.resize(setup_.shape.workers);
    while (!idle_.empty()) {
      const auto [now, w] = idle_.top();
      idle_.pop();
      if (slots_[w].left.size() != 0) {
        step(result.chunks[slots_[w].in_hand], now, result.workers);
        continue;
      }
      const chunk c = ask(w);
      if (c.empty()) {
        result.workers[w].left = now;
        stand_in_after(w, now);
        continue;
      }
      if (result.chunks.size() == setup_.chunks_most) throw std::length_error("too many chunks");
      if (result.chunks.size() == setup_.shape.iterations) {
        throw std::logic_error("more chunks are dealt than there are iterations");
      }
      result.chunks.push_back(take(c, w, now));
      dealt_chunk& dealt = result.chunks.back();
      if (setup_.memory == nullptr || setup_.uses == nullptr) {
        end_chunk(dealt, dealt.started + slowness_of(w) * setup_.unit * setup_.costs.of(c),
                  result.workers);
      } else {
        slots_[w].left = c;
        slots_[w].in_hand = result.chunks.size() - 1;
        idle_.emplace(dealt.started, w);
      }
    }
    if (setup_.schedule.run().finish != nullptr) setup_.schedule.run().finish(object_.data());
    expect_exactly_once(result.chunks, setup_.shape.iterations);
    return result;
  }

  void change(loop_setup setup) {
    if (setup.schedule != setup_.schedule || setup.shape.workers != setup_.shape.workers) {
      throw std::invalid_argument("a loop keeps its schedule and its number of workers");
    }
    setup_ = std::move(setup);
    sum_up_costs();
  }

 private:
  struct slot {
    u64 turn = 0;
    schedules::feedback last;
    chunk left{};                 // of a chunk that is run iteration by iteration
    std::size_t in_hand = 0;      // that chunk's place
    std::vector<block_use> uses;  // of the iteration that runs
    std::size_t used = 0;         // the first so many of them
  };

  static constexpr std::uint32_t nobody = ~0U;

  struct queue {
    double free = 0;              // from then on
    std::uint32_t last = nobody;  // who was there
  };

  // Sums the costs up once more, as a door does for schedules that use costs.
  void sum_up_costs() {
    const bool used = setup_.schedule.has(schedules::uses_costs);
    const iteration_costs& known = setup_.estimated ? *setup_.estimated : setup_.costs;
    costs_ = used || setup_.costs_guarded ? known.for_schedules() : schedules::cost_sums();
    if (!costs_.given() || !used) return;
    const schedules::cyclic_lists lists(setup_.shape, setup_.schedule.given);
    costs_by_owner_.resize(schedules::costs_by_owner::entries(lists));
    const auto dealt = schedules::costs_by_owner::in_dealt_order(costs_, setup_.schedule.given);
    schedules::costs_by_owner::sum_up(dealt, lists, costs_by_owner_.data());
    costs_ = costs_.with(costs_by_owner_.data());
  }

  void begin() {
    const std::uint32_t workers = setup_.shape.workers;
    setup_.schedule.run().construct(object_.data(),
                                    {.shape = setup_.shape,
                                     .given = setup_.schedule.given,
                                     .lines = lines_.data(),
                                     .epoch = ++epoch_,
                                     .costs = costs_,
                                     .memory = memory_.empty() ? nullptr : memory_.data()});
    slots_.assign(workers, {});
    queues_.assign(workers + 1, {});
    stands_in_ = 0;
    stood_in_ = 0;
    for (std::uint32_t w = 0; w < workers; ++w) {
      if (!is_absent(w)) idle_.emplace(w < setup_.arrivals.size() ? setup_.arrivals[w] : 0, w);
    }
  }

  bool is_absent(std::uint32_t w) const {
    return w != 0 && std::ranges::count(setup_.absent, w) != 0;
  }

  // Who runs what worker `w` asks for.
  std::uint32_t processor_of(std::uint32_t w) const { return is_absent(w) ? 0 : w; }

  // Worker 0, itself or as `w`, has nothing left: it goes on as the next one that is absent.
  void stand_in_after(std::uint32_t w, double now) {
    if (w != stands_in_) return;
    while (stood_in_ < setup_.absent.size()) {
      const std::uint32_t next = setup_.absent[stood_in_++];
      if (next == 0 || next >= setup_.shape.workers) continue;
      stands_in_ = next;
      idle_.emplace(now, next);
      return;
    }
  }

  double slowness_of(std::uint32_t w) const {
    const std::uint32_t p = processor_of(w);
    return p < setup_.slowness.size() ? setup_.slowness[p] : 1;
  }

  chunk ask(std::uint32_t w) {
    slot& mine = slots_[w];
    return setup_.schedule.run().next(object_.data(), {w, mine.turn++}, mine.last);
  }

  // Takes the chunk through its queue and its worker. Workers are served in the order in which they
  // ask, so a queue only needs to know when it is free.
  dealt_chunk take(const chunk& c, std::uint32_t w, double now) {
    double started = now;
    if (synchronises_) {
      queue& at = queues_[queue_of(c, w)];
      const bool is_here = setup_.prices.again && (at.last == w || at.last == nobody);
      const double price = is_here ? *setup_.prices.again : setup_.prices.of(c.from);
      const double served_at = std::max(now, at.free);
      started = served_at + price;
      at = {served_at + std::min(price, setup_.prices.served.value_or(price)), w};
    }
    return {c, w, now, started, started};
  }

  void end_chunk(dealt_chunk& dealt, double now, std::vector<worker_account>& workers) {
    dealt.finished = now;
    slots_[dealt.worker].last = {dealt.what.size(), now - dealt.started};
    account(dealt, workers);
    idle_.emplace(now, dealt.worker);
  }

  // One block that an iteration uses, or, after them, its computing: a bus serves fetches in the
  // order of their times, so each is an event of its own.
  void step(dealt_chunk& dealt, double now, std::vector<worker_account>& workers) {
    slot& mine = slots_[dealt.worker];
    if (mine.used == 0) {
      mine.uses.clear();
      setup_.uses(mine.left.begin, mine.uses);
    }
    if (mine.used < mine.uses.size()) {
      const double there =
          setup_.memory->touch(processor_of(dealt.worker), mine.uses[mine.used++], now);
      const double took = slowness_of(dealt.worker) * (there - now);
      workers[dealt.worker].moving += took;
      now += took;
      if (mine.used < mine.uses.size()) {
        idle_.emplace(now, dealt.worker);
        return;
      }
    }
    const u64 i = mine.left.begin;
    mine.used = 0;
    mine.left.begin = std::min(mine.left.end, base::saturating_add(i, mine.left.step));
    now += slowness_of(dealt.worker) * setup_.unit * setup_.costs.of({i, i + 1});
    if (mine.left.size() == 0)
      end_chunk(dealt, now, workers);
    else
      idle_.emplace(now, dealt.worker);
  }

  std::uint32_t queue_of(const chunk& c, std::uint32_t w) const {
    switch (c.from) {
      case origin::own: return w / setup_.prices.own_in_line;
      case origin::central: break;
      case origin::stolen: return c.victim / setup_.prices.own_in_line;
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
  schedules::cost_sums costs_;
  std::vector<u64> costs_by_owner_;
  std::vector<slot> slots_;
  std::vector<queue> queues_;    // per worker, then the central one
  std::uint32_t stands_in_ = 0;  // as whom worker 0 goes on
  std::size_t stood_in_ = 0;     // for so many of those that are absent
  std::priority_queue<free_worker, std::vector<free_worker>, std::greater<>> idle_;
};

virtual_loop::virtual_loop(loop_setup setup)
    : driver_(std::make_unique<driver>(std::move(setup))) {}
virtual_loop::~virtual_loop() = default;
virtual_loop::virtual_loop(virtual_loop&&) noexcept = default;

execution virtual_loop::run() { return driver_->run(); }

void virtual_loop::change(loop_setup setup) { driver_->change(std::move(setup)); }

}  // namespace doall::sim
