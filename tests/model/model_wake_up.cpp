// Who sleeps, and whom a push wakes (src/steal/wake_up.hpp, src/steal/roster.hpp): a part that is
// pushed is run by a sleeper that may take it, though its pusher never does. Relacy reports it as
// a deadlock if nobody wakes. What the pusher wrote is visible to who runs the part.
//
// Loops here are frames with `left`; a part is an iteration of one; there is no stint.
#include "model_run.hpp"
#include "park/gate.hpp"
#include "steal/wake_up.hpp"

namespace {

using namespace doall;
using steal::frame;
using steal::u64;

constexpr std::uint64_t no_spin = 0;

struct thread_of : steal::sleeper<park::gate> {
  explicit thread_of(std::uint32_t number) : sleeper(number, 0, number + 1) {
    at.store(&never_there, sync::relaxed);
  }

  park::gate idle;
  park::gate joining;
  park::gate elsewhere;
  park::gate never_there;
};

struct loop : frame {
  void begin(thread_of& by, frame* around, u64 iterations) {
    starter = &by;
    parent.store(around, sync::relaxed);
    depth.store(around == nullptr ? 1 : around->depth.load(sync::relaxed) + 1, sync::relaxed);
    left.store(iterations, sync::relaxed);
  }
  bool is_complete() const { return left.load(sync::acquire) == 0; }
  void end_one(park::gate& waits) {
    left.fetch_sub(1, sync::acq_rel);
    waits.open();
  }

  sync::plain<int> input;
  thread_of* starter = nullptr;
};

class bed {
 public:
  bed(steal::wake_up<park::gate>& all, thread_of& me, const frame* within, park::gate& at)
      : all_(all), me_(me), within_(within), at_(at) {}
  void lie_down() const { all_.lie_down(me_, within_, at_); }
  bool is_called() const { return all_.is_called(me_, within_); }
  void get_up() const { all_.get_up(me_, within_); }

 protected:
  steal::wake_up<park::gate>& all_;
  thread_of& me_;
  const frame* within_;
  park::gate& at_;
};

// Of one for whom there is never a part.
struct undisturbed_bed : bed {
  using bed::bed;
  bool is_called() const {
    RL_ASSERT(!bed::is_called());
    return false;
  }
};

// Of one whose last look before it sleeps others wait for.
struct telling_bed : bed {
  telling_bed(const bed& like, sync::atomic<bool>& has_looked)
      : bed(like), has_looked_(has_looked) {}
  bool is_called() const {
    const bool called = bed::is_called();
    has_looked_.store(true, sync::relaxed);
    return called;
  }

 private:
  sync::atomic<bool>& has_looked_;
};

struct world {
  steal::roster roster;
  steal::wake_up<park::gate> sleepers{roster};
  thread_of thread[3] = {thread_of(0), thread_of(1), thread_of(2)};

  void add(unsigned threads) {
    for (unsigned t = 0; t < threads; ++t) roster.add(thread[t]);
  }

  // A part of the loop, which others are to run. To withdraw is to do nothing then.
  void push(thread_of& me, loop& of) {
    push_quietly(me, of);
    sleepers.call_one(of);
  }
  // For which nobody is woken yet.
  void push_quietly(thread_of& me, loop& of) {
    of.input.set(42);
    RL_ASSERT(me.own().push({&of, {0, 1}}));
    me.withdraw();
  }
  void call_for(thread_of& me) {
    const frame* const oldest = steal::oldest_loop(me);
    if (oldest != nullptr) sleepers.call_one(*oldest);
  }

  // Steals a part, and runs it.
  bool steal_from(thread_of& me, const frame* within) {
    steal::descriptor taken;
    if (!roster.steal(me, within, taken)) return false;
    loop& of = *static_cast<loop*>(taken.loop);
    RL_ASSERT(of.input.get() == 42);
    of.end_one(of.starter->joining);
    return true;
  }

  // Waits for the end of that loop, whose parts are others' to run.
  void wait_for(thread_of& me, loop& of) {
    me.joining.wait([&] { return of.is_complete(); }, no_spin);
  }

  // Sleeps until it has found a part.
  void find_as_idle(thread_of& me) {
    while (!steal_from(me, nullptr)) {
      me.idle.wait([] { return false; }, no_spin, bed(sleepers, me, nullptr, me.idle));
    }
  }

  // Waits for the end of a loop, and takes what descends from it.
  void join(thread_of& me, loop& of, park::gate& at) {
    while (!of.is_complete()) {
      if (steal_from(me, &of)) continue;
      at.wait([&] { return of.is_complete(); }, no_spin, bed(sleepers, me, &of, at));
    }
  }
};

// Idle sleepers, each of whom takes one of the parts that are pushed one after the other.
enum class called { at_once, later };

template <unsigned Sleepers, called When = called::at_once>
struct idle : rl::test_suite<idle<Sleepers, When>, 1 + Sleepers> {
  world all;
  loop pushed[Sleepers];

  void before() {
    all.add(1 + Sleepers);
    for (loop& l : pushed) l.begin(all.thread[0], nullptr, 1);
  }
  void thread(unsigned index) {
    thread_of& me = all.thread[index];
    if (index != 0) return all.find_as_idle(me);
    for (loop& l : pushed) {
      if (When == called::at_once) {
        all.push(me, l);
      } else {
        all.push_quietly(me, l);
        all.call_for(me);
      }
    }
    for (loop& l : pushed) all.wait_for(me, l);
  }
};

// Two who push one part after the other, and withdraw in between; one idle sleeper for all.
struct two_pushers : rl::test_suite<two_pushers, 3> {
  world all;
  loop pushed[2][2];

  void before() {
    all.add(3);
    for (unsigned t = 0; t < 2; ++t) {
      for (loop& l : pushed[t]) l.begin(all.thread[t], nullptr, 1);
    }
  }
  void thread(unsigned index) {
    thread_of& me = all.thread[index];
    if (index == 2) {
      for (int parts = 0; parts < 4; ++parts) all.find_as_idle(me);
      return;
    }
    for (loop& l : pushed[index]) {
      all.push(me, l);
      all.wait_for(me, l);
      me.withdraw();
    }
  }
};

// One waits for the end of a loop; who works for that loop pushes a part of one inside it.
struct joining : rl::test_suite<joining, 2> {
  world all;
  loop outer;
  loop inner;

  void before() {
    all.add(2);
    outer.begin(all.thread[0], nullptr, 1);
    inner.begin(all.thread[1], &outer, 1);
  }
  void thread(unsigned index) {
    thread_of& me = all.thread[index];
    if (index == 0) return all.join(me, outer, me.joining);
    all.push(me, inner);
    all.wait_for(me, inner);
    outer.end_one(all.thread[0].joining);
  }
};

// Two wait, of whom only one may take the part. The other is not called.
struct unrelated : rl::test_suite<unrelated, 3> {
  world all;
  loop outer;
  loop inner;
  loop other;

  void before() {
    all.add(3);
    outer.begin(all.thread[1], nullptr, 1);
    inner.begin(all.thread[0], &outer, 1);
    other.begin(all.thread[2], nullptr, 1);
  }
  void thread(unsigned index) {
    thread_of& me = all.thread[index];
    if (index == 1) return all.join(me, outer, me.joining);
    if (index == 2) {
      me.joining.wait([&] { return other.is_complete(); }, no_spin,
                      undisturbed_bed(all.sleepers, me, &other, me.joining));
      return;
    }
    all.push(me, inner);
    all.wait_for(me, inner);
    outer.end_one(all.thread[1].joining);
    other.end_one(all.thread[2].joining);
  }
};

// Two may take the part. The one that waits further inside, and is to be called, rises just then
// and lies down within another loop: who calls may find it here, there or gone.
struct moving : rl::test_suite<moving, 3> {
  world all;
  loop outer;
  loop middle;
  loop inner;
  loop other;
  sync::atomic<bool> has_looked{false};  // the one that stays
  sync::atomic<bool> moves{false};

  void before() {
    all.add(3);
    outer.begin(all.thread[1], nullptr, 1);
    middle.begin(all.thread[2], &outer, 1);
    inner.begin(all.thread[0], &middle, 1);
    other.begin(all.thread[2], nullptr, 1);
    all.sleepers.lie_down(all.thread[2], &middle, all.thread[2].joining);
  }
  void thread(unsigned index) {
    thread_of& me = all.thread[index];
    if (index == 1) {
      while (!outer.is_complete()) {
        const bed mine(all.sleepers, me, &outer, me.joining);
        me.joining.wait([&] { return outer.is_complete(); }, no_spin,
                        telling_bed(mine, has_looked));
        all.steal_from(me, &outer);
      }
      return;
    }
    if (index == 2) {
      while (!moves.load(sync::relaxed)) sync::relax();
      all.sleepers.get_up(me, &middle);
      while (!other.is_complete()) {
        me.elsewhere.wait([&] { return other.is_complete(); }, no_spin,
                          bed(all.sleepers, me, &other, me.elsewhere));
      }
      return;
    }
    while (!has_looked.load(sync::relaxed)) sync::relax();
    all.push_quietly(me, inner);
    moves.store(true, sync::relaxed);
    all.sleepers.call_one(inner);
    all.wait_for(me, inner);
    outer.end_one(all.thread[1].joining);
    other.end_one(all.thread[2].elsewhere);
  }
};

// An idle one and a joining one for two parts; the joining one may take only the second.
struct idle_and_joining : rl::test_suite<idle_and_joining, 3> {
  world all;
  loop free;
  loop outer;
  loop inner;

  void before() {
    all.add(3);
    free.begin(all.thread[0], nullptr, 1);
    outer.begin(all.thread[2], nullptr, 1);
    inner.begin(all.thread[0], &outer, 1);
  }
  void thread(unsigned index) {
    thread_of& me = all.thread[index];
    if (index == 1) return all.find_as_idle(me);
    if (index == 2) return all.join(me, outer, me.joining);
    for (loop* l : {&free, &inner}) {
      all.push(me, *l);
      all.wait_for(me, *l);
    }
    outer.end_one(all.thread[2].joining);
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<idle<1>>("idle");
  models.run<idle<2>>("two_idle");
  models.run<idle<1, called::later>>("called_later");
  models.run<two_pushers>("two_pushers");
  models.run<joining>("joining");
  models.run<unrelated>("unrelated");
  models.run<moving>("moving");
  models.run<idle_and_joining>("idle_and_joining");
  return models.finish();
}
