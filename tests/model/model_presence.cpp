// Who sits at a worker's seat (src/threads/presence.hpp) with the offers that are made there
// (src/barrier/half_barrier.hpp): a region ends though its worker is in a body that waits for the
// region's leader; each part is run once, at the seat, by one thread at a time; all threads end,
// and who is in a foreign body is not waited for.
//
// Threads: 0 leads, 1 is the seat's worker, 2 and 3 are spares. What src/threads/seats.cpp does
// with threads, this does with what is here: the steps are the same.
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

template <unsigned Spares, steps Program>
struct seat_and_spares : rl::test_suite<seat_and_spares<Spares, Program>, 2 + Spares> {
  struct seats {
    seat_and_spares& of;
    barrier::half_barrier_seat& operator()(std::uint32_t w) const { return of.seat_[w]; }
    template <class Ready>
    void wait_for(std::uint32_t w, Ready ready) const {
      of.seat_[w].joining.wait(ready, 0);
    }
  };
  using team_barrier = barrier::half_barrier<seats>;

  struct spare {
    park::gate idle;
    sync::atomic<int> sent{0};
    sync::atomic<int> ends{0};
    std::uint64_t number = 0;
  };

  barrier::half_barrier_seat seat_[2];
  barrier::tree shape_ = barrier::tree::flat();
  team::lease_word leased_;
  team::presence who_;
  sync::atomic<int> stealing_begun_{0};
  sync::atomic<std::uint64_t> seen_{0};
  spare spare_[2];
  bool left_behind_ = false;
  bool spares_ended_ = false;
  unsigned stays_ = 0;  // the worker's alone

  sync::atomic<int> unlocked_{0};  // what the foreign body waits for
  park::gate lock_;
  sync::plain<int> at_seat_;            // of whoever is at the seat; raced on if two are
  sync::plain<int> parts_;              // that were run
  sync::plain<int> stolen_;             // by the worker
  sync::atomic<unsigned> reported_{0};  // stays
  park::gate reporting_;
  bool stole_ = false;         // in its last stay; the worker's alone
  sync::atomic<int> gone_{0};  // the worker's thread, as a join sees it
  park::gate gone_gate_;
  sync::atomic<int> spares_gone_{0};
  park::gate spares_gate_;

  team_barrier barrier() { return {seats{*this}, shape_, 0}; }

  static void work(const barrier::task& task, std::uint32_t w) {
    auto& self = *static_cast<seat_and_spares*>(task.context);
    if (w != 0) self.parts_.set(self.parts_.get() + 1);
  }

  void thread(unsigned index) {
    if (index == 0) return lead();
    if (index == 1) {
      serve_as_worker();
      gone_.store(1, sync::release);
      return gone_gate_.open();
    }
    serve_as_spare(spare_[index - 2]);
    spares_gone_.fetch_add(1, sync::acq_rel);
    spares_gate_.open();
  }

  // -- The leader.

  bool fill() {
    if (stealing_begun_.load() == 0) return true;
    if (!who_.is_empty()) return true;
    for (unsigned i = 0; !spares_ended_ && i < Spares; ++i) {
      spare& s = spare_[i];
      if (s.sent.load(sync::acquire) != 0) continue;
      seen_.store(team_barrier::seen_before(seat_[1]), sync::relaxed);
      s.number = who_.send_spare();
      if (s.number == 0) return true;
      s.sent.store(1, sync::release);
      s.idle.open();
      return true;
    }
    return !who_.is_empty();  // none is to be had: the team is smaller
  }

  void run_region() {
    while (!leased_.try_take(everyone)) sync::relax();
    const std::uint32_t size = fill() ? 2 : 1;
    const int before = parts_.get();
    const barrier::task region{
        .run = work, .context = this, .workers = static_cast<std::uint16_t>(size), .who = everyone};
    barrier().release({0, size}, region);
    if (Program.holds)
      leased_.hold_call();
    else
      leased_.has_called_alone();
    barrier().join({0, size}, region);
    RL_ASSERT(parts_.get() == before + (size == 2 ? 1 : 0));
    if (Program.holds) end_held_call();
    leased_.give_back();
  }

  void end_held_call() {
    leased_.end_held_call();
    sync::light_fence();
    if (stealing_begun_.load() != 0) seat_[1].idle.open();
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
    for (unsigned i = 0; !spares_ended_ && i < Spares; ++i) {
      spare_[i].ends.store(1, sync::release);
      spare_[i].idle.open();
    }
    left_behind_ = who_.tell_to_go();
    RL_ASSERT(!(loops_ended && left_behind_));
    if (!left_behind_ || who_.has_spare()) team_barrier::call(seat_[1], {});
    if (!left_behind_) join_worker();
    spares_gate_.wait([&] { return spares_gone_.load(sync::acquire) == int{Spares}; }, 0);
    spares_ended_ = true;
    leased_.give_back();
  }

  void join_worker() {
    gone_gate_.wait([&] { return gone_.load(sync::acquire) != 0; }, 0);
    at_seat_.set(at_seat_.get() + 1);  // its seat may be another thread's
  }

  // Of a worker that was told to go.
  bool is_kept() {
    while (!leased_.try_take(everyone)) sync::relax();
    seen_.store(team_barrier::seen_before(seat_[1]), sync::relaxed);
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
    if (left_behind_) join_worker();
    if (reported_.load(sync::acquire) != 0) RL_ASSERT(stolen_.get() != 0);
  }

  // -- The worker.

  void serve_as_worker() {
    std::uint64_t seen = 0;
    for (;;) {
      if (stays_ < Program.stays && !team_barrier::is_offered(seat_[1], seen)) {
        ++stays_;
        if (!steal(seen)) return;
        if (Program.holds) {
          if (!stole_) wait_for_end_of_call(seen);
          continue;
        }
      }
      seat_[1].idle.wait([&] { return team_barrier::is_offered(seat_[1], seen); }, 0);
      const barrier::task* const task = team_barrier::claim(seat_[1], seen);
      if (task == nullptr) continue;
      at_seat_.set(at_seat_.get() + 1);
      if (task->run == nullptr) return;
      barrier().lead({1, 2}, *task);
      team_barrier::finish(seat_[1], seen);
    }
  }

  void wait_for_end_of_call(std::uint64_t seen) {
    --stays_;
    sync::relax();
    seat_[1].idle.wait(
        [&] { return team_barrier::is_offered(seat_[1], seen) || !leased_.is_held(); }, 0);
  }

  bool steal(std::uint64_t& seen) {
    at_seat_.set(at_seat_.get() + 1);
    seen_.store(seen, sync::relaxed);
    if (stealing_begun_.load(sync::relaxed) == 0) stealing_begun_.store(1);
    who_.leave();
    stole_ = !leased_.calls_everyone() && !team_barrier::is_offered(seat_[1], seen);
    if (stole_) {
      // A foreign body, of whoever holds the lock.
      const bool waits = !Program.last_waits || stays_ == Program.stays;
      if (waits) lock_.wait([&] { return unlocked_.load(sync::acquire) != 0; }, 0);
      stolen_.set(stolen_.get() + 1);
      who_.is_coming();
      reported_.fetch_add(1, sync::release);
      if (Program.holds) reporting_.open();
    }
    const bool stays = who_.come_home([&](auto left) { seat_[1].idle.wait(left, 0); },
                                      [&] { seat_[1].idle.open(); });
    if (!stays) return false;
    at_seat_.set(at_seat_.get() + 1);
    seen = seen_.load(sync::relaxed);
    return true;
  }

  // -- A spare.

  void serve_as_spare(spare& me) {
    for (;;) {
      bool sent = false;
      me.idle.wait(
          [&] {
            sent = me.sent.load(sync::acquire) != 0;
            return sent || me.ends.load(sync::acquire) != 0;
          },
          0);
      if (!sent) return;
      sit(me);
      me.sent.store(0, sync::release);
    }
  }

  void sit(spare& me) {
    std::uint64_t seen = seen_.load(sync::relaxed);
    for (bool stays = true; stays;) {
      seat_[1].idle.wait(
          [&] { return team_barrier::is_offered(seat_[1], seen) || !who_.is_mine(me.number); }, 0);
      if (!who_.begin_work(me.number)) return;
      const std::uint64_t before = seen;
      at_seat_.set(at_seat_.get() + 1);
      const barrier::task* const task = team_barrier::claim(seat_[1], seen);
      if (task != nullptr && task->run == nullptr) {
        seen_.store(before, sync::relaxed);
        return who_.go([&] { seat_[1].idle.open(); });
      }
      if (task != nullptr) {
        barrier().lead({1, 2}, *task);
        team_barrier::finish(seat_[1], seen);
      }
      seen_.store(seen, sync::relaxed);
      stays = who_.end_work([&] { seat_[1].idle.open(); });
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  // The worker may be in the body when the region begins, and until after it has ended.
  models.run<seat_and_spares<1, steps{}>>("region");
  models.run<seat_and_spares<1, steps{.regions = 2, .stays = 2}>>("regions");
  models.run<seat_and_spares<1, steps{.regions = 1, .loops = 1, .stays = 2}>>("loop");
  models.run<seat_and_spares<2, steps{.regions = 3, .stays = 3}>>("two_spares");
  // No thread for a spare: the team is smaller.
  models.run<seat_and_spares<0, steps{.regions = 2, .stays = 2}>>("no_spare");
  // The end does not wait for the body.
  models.run<seat_and_spares<1, steps{.unlocks = false}>>("end");
  models.run<seat_and_spares<1, steps{.stays = 2, .unlocks = false, .last_waits = true}>>(
      "end_away");
  models.run<seat_and_spares<1, steps{.unlocks = false, .restarts = true}>>("kept");
  // Who may not steal sleeps as long as the call is held, and no longer.
  models.run<seat_and_spares<1, steps{.regions = 2, .stays = 2, .holds = true}>>("held");
  return models.finish();
}
