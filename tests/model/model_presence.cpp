// Whether a worker is at its slot (src/threads/presence.hpp) with the offers that are made there
// (src/barrier/half_barrier.hpp): a region ends though its worker is in a body that waits for the
// region's leader; each part is run once; all threads end, and who is in a foreign body is not
// waited for.
//
// Threads: 0 leads, 1 is the slot's worker, 2 is its substitute, from a slot of its own. What
// src/threads/slots.cpp does with threads, this does with what is here: the steps are the same.
#include "barrier/half_barrier.hpp"
#include "model_run.hpp"
#include "threads/presence.hpp"

namespace {

using namespace doall;

constexpr auto everyone = barrier::attendance::everyone;
constexpr auto whoever_comes = barrier::attendance::whoever_comes;

// The leader's program.
struct steps {
  int regions = 1;          // for everyone, each under the lock for which the foreign body waits
  int loops = 0;            // for whoever comes, after them
  unsigned stays = 1;       // of the worker's with a stolen part
  bool unlocks = true;      // before the end
  bool last_waits = false;  // of the stays' bodies the last alone waits for that lock
  bool restarts = false;    // after an end that found the worker away: if it is there, it is kept
  bool holds = false;       // calls are held for the regions; the leader then waits for the stays
};

// Reserve: how many threads there are to be substitutes.
template <unsigned Reserve, steps Program>
struct slot_and_reserve : rl::test_suite<slot_and_reserve<Reserve, Program>, 2 + Reserve> {
  struct slots {
    slot_and_reserve& of;
    unsigned second = 1;  // which one is at slot 1
    barrier::half_barrier_slot& operator()(std::uint32_t w) const {
      return of.slot_[w == 0 ? 0 : second];
    }
    template <class Ready>
    void wait_for(std::uint32_t w, Ready ready) const {
      (*this)(w).joining.wait(ready, 0);
    }
  };
  using team_barrier = barrier::half_barrier<slots>;

  barrier::half_barrier_slot slot_[3];
  barrier::tree shape_ = barrier::tree::flat();
  team::lease_word leased_;
  team::presence who_;
  sync::atomic<int> stealing_begun_{0};
  bool left_behind_ = false;
  unsigned stays_ = 0;  // the worker's alone

  sync::atomic<int> unlocked_{0};  // what the foreign body waits for
  park::gate lock_;
  sync::plain<int> parts_;              // that were run; raced on if two threads run one
  sync::plain<int> stolen_;             // by the worker
  sync::atomic<unsigned> reported_{0};  // stays
  park::gate reporting_;
  bool stole_ = false;                     // in its last stay; the worker's alone
  sync::atomic<int> gone_[3] = {0, 0, 0};  // threads, as a join sees them
  park::gate gone_gate_;

  team_barrier barrier(unsigned second = 1) { return {slots{*this, second}, shape_, 0}; }

  static void work(const barrier::task& task, std::uint32_t w) {
    auto& self = *static_cast<slot_and_reserve*>(task.context);
    if (w != 0) self.parts_.set(self.parts_.get() + 1);
  }

  void thread(unsigned index) {
    if (index == 0) return lead();
    if (index == 1)
      serve_as_worker();
    else
      substitute();
    gone_[index].store(1, sync::release);
    gone_gate_.open();
  }

  // -- The leader.

  // Which slot gets the offer; 0: none.
  unsigned filled() {
    if (stealing_begun_.load() == 0 || !who_.is_empty()) return 1;
    if (Reserve != 0) return 2;
    return who_.is_empty() ? 0 : 1;
  }

  void run_region() {
    while (!leased_.try_take(everyone)) sync::relax();
    const unsigned second = filled();
    const std::uint32_t size = second != 0 ? 2 : 1;
    const int before = parts_.get();
    const barrier::task region{
        .run = work, .context = this, .workers = static_cast<std::uint16_t>(size), .who = everyone};
    barrier(second).release({0, size}, region);
    if (Program.holds)
      leased_.hold_call();
    else
      leased_.has_called_alone();
    barrier(second).join({0, size}, region);
    RL_ASSERT(parts_.get() == before + (size == 2 ? 1 : 0));
    if (Program.holds) end_held_call();
    leased_.give_back();
  }

  void end_held_call() {
    leased_.end_held_call();
    sync::light_fence();
    if (stealing_begun_.load() != 0) slot_[1].idle.open();
  }

  void run_loop() {
    while (!leased_.try_take(whoever_comes)) sync::relax();
    const int before = parts_.get();
    barrier().lead({0, 2}, {.run = work, .context = this, .workers = 2, .who = whoever_comes});
    RL_ASSERT(parts_.get() == before + 1);
    leased_.give_back();
  }

  void unlock() {
    unlocked_.store(1, sync::release);
    lock_.open();
  }

  void end() {
    // Who knows that all loops have ended may unload the code: it waits for the worker.
    const bool loops_ended = reported_.load(sync::acquire) == Program.stays;
    while (!leased_.try_take(everyone)) sync::relax();
    left_behind_ = who_.tell_to_go();
    RL_ASSERT(!(loops_ended && left_behind_));
    if (!left_behind_) {
      team_barrier::call(slot_[1], {});
      join_thread(1);
    }
    leased_.give_back();
  }

  void join_thread(unsigned index) {
    gone_gate_.wait([&] { return gone_[index].load(sync::acquire) != 0; }, 0);
  }

  // Of a worker that was told to go.
  bool is_kept() {
    while (!leased_.try_take(everyone)) sync::relax();
    const bool kept = who_.keep();
    leased_.give_back();
    return kept;
  }

  void lead() {
    for (int i = 0; i < Program.regions; ++i) run_region();
    if (Program.unlocks) unlock();
    if (Program.holds) {
      reporting_.wait([&] { return reported_.load(sync::acquire) == Program.stays; }, 0);
    }
    for (int i = 0; i < Program.loops; ++i) run_loop();
    end();
    // Nobody has waited for the body; the process could end here.
    if (!Program.unlocks) unlock();
    if (left_behind_ && Program.restarts && is_kept()) {
      run_region();
      end();
    }
    if (left_behind_) join_thread(1);
    if (Reserve != 0) {
      team_barrier::call(slot_[2], {});
      join_thread(2);
    }
    if (reported_.load(sync::acquire) != 0) RL_ASSERT(stolen_.get() != 0);
  }

  // -- The worker.

  void serve_as_worker() {
    std::uint64_t seen = 0;
    for (;;) {
      if (stays_ < Program.stays && !team_barrier::is_offered(slot_[1], seen)) {
        ++stays_;
        if (!steal(seen)) return;
        if (Program.holds) {
          if (!stole_) wait_for_end_of_call(seen);
          continue;
        }
      }
      slot_[1].idle.wait([&] { return team_barrier::is_offered(slot_[1], seen); }, 0);
      const barrier::task* const task = team_barrier::claim(slot_[1], seen);
      if (task == nullptr) continue;
      if (task->run == nullptr) return;
      barrier().lead({1, 2}, *task);
      team_barrier::finish(slot_[1], seen);
    }
  }

  void wait_for_end_of_call(std::uint64_t seen) {
    --stays_;
    sync::relax();
    slot_[1].idle.wait(
        [&] { return team_barrier::is_offered(slot_[1], seen) || !leased_.is_held(); }, 0);
  }

  bool steal(std::uint64_t seen) {
    if (stealing_begun_.load(sync::relaxed) == 0) stealing_begun_.store(1);
    who_.leave();
    stole_ = !leased_.calls_everyone() && !team_barrier::is_offered(slot_[1], seen);
    if (stole_) {
      // A foreign body, of whoever holds the lock.
      const bool waits = !Program.last_waits || stays_ == Program.stays;
      if (waits) lock_.wait([&] { return unlocked_.load(sync::acquire) != 0; }, 0);
      stolen_.set(stolen_.get() + 1);
      who_.is_coming();
      reported_.fetch_add(1, sync::release);
      if (Program.holds) reporting_.open();
    }
    return who_.come_home();
  }

  // -- A thread of the reserve.

  void substitute() {
    std::uint64_t seen = 0;
    for (;;) {
      slot_[2].idle.wait([&] { return team_barrier::is_offered(slot_[2], seen); }, 0);
      const barrier::task* const task = team_barrier::claim(slot_[2], seen);
      if (task->run == nullptr) return;
      barrier(2).lead({1, 2}, *task);
      team_barrier::finish(slot_[2], seen);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  // The worker may be in the body when the region begins, and until after it has ended.
  models.run<slot_and_reserve<1, steps{}>>("region");
  models.run<slot_and_reserve<1, steps{.regions = 2, .stays = 2}>>("regions");
  models.run<slot_and_reserve<1, steps{.regions = 1, .loops = 1, .stays = 2}>>("loop");
  models.run<slot_and_reserve<1, steps{.regions = 3, .stays = 3}>>("more");
  // No substitute: the team is smaller.
  models.run<slot_and_reserve<0, steps{.regions = 2, .stays = 2}>>("no_reserve");
  // The end does not wait for the body.
  models.run<slot_and_reserve<1, steps{.unlocks = false}>>("end");
  models.run<slot_and_reserve<1, steps{.stays = 2, .unlocks = false, .last_waits = true}>>(
      "end_away");
  models.run<slot_and_reserve<1, steps{.unlocks = false, .restarts = true}>>("kept");
  // Who may not steal sleeps as long as the call is held, and no longer.
  models.run<slot_and_reserve<1, steps{.regions = 2, .stays = 2, .holds = true}>>("held");
  return models.finish();
}
