// The gate (src/park/gate.hpp): no wake-up is lost, which Relacy would report
// as a deadlock, and what the opener did is visible to whoever it let in, or
// Relacy reports a race on the plain data.
#include "model_run.hpp"
#include "park/gate.hpp"

namespace {

using namespace doall;

// A condition with data behind it, as the gate's users have them.
struct condition {
  sync::atomic<int> holds{0};
  sync::plain<int> data;

  void make_true(int value) {
    data.set(value);
    // (1) release; pairs with (2): publishes the data
    holds.store(1, sync::release);
  }
  bool ready() const {
    // (2) acquire; pairs with (1): who is let in sees the data
    return holds.load(sync::acquire) != 0;
  }
};

// Zero: asleep at once. The clock's shortest time: one round of pauses first, in
// which nearly every interleaving makes the condition true.
constexpr std::uint64_t no_spin = 0;
constexpr std::uint64_t short_spin = 1;

enum class manner { alone, in_turns };

template <int Waiters, std::uint64_t SpinNs, manner How = manner::alone>
struct one_opener : rl::test_suite<one_opener<Waiters, SpinNs, How>, Waiters + 1> {
  condition wanted;
  park::gate gate;

  void thread(unsigned index) {
    if (index == 0) {
      wanted.make_true(42);
      gate.open();
    } else {
      const park::spin_bound alone = SpinNs;
      gate.wait([&] { return wanted.ready(); }, How == manner::alone ? alone : alone.in_turns());
      RL_ASSERT(wanted.data.get() == 42);
    }
  }
};

// The master's case: one waiter, several conditions one after the other, each
// made true by another thread, all at one gate.
struct two_conditions : rl::test_suite<two_conditions, 3> {
  condition wanted[2];
  park::gate gate;

  void thread(unsigned index) {
    if (index < 2) {
      wanted[index].make_true(static_cast<int>(index) + 1);
      gate.open();
    } else {
      for (int i = 0; i < 2; ++i) {
        gate.wait([&] { return wanted[i].ready(); }, no_spin);
        RL_ASSERT(wanted[i].data.get() == i + 1);
      }
    }
  }
};

// The ring's case: waiters of different conditions at one gate, so that one's
// opening wakes another in vain, who must go back to sleep safely.
struct woken_in_vain : rl::test_suite<woken_in_vain, 3> {
  condition wanted[2];
  park::gate gate;

  void thread(unsigned index) {
    if (index < 2) {
      gate.wait([&] { return wanted[index].ready(); }, no_spin);
      RL_ASSERT(wanted[index].data.get() == static_cast<int>(index) + 1);
    } else {
      for (int i = 0; i < 2; ++i) {
        wanted[i].make_true(i + 1);
        gate.open();
      }
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<one_opener<1, no_spin>>("one_waiter");
  models.run<one_opener<1, short_spin>>("one_waiter_spins");
  models.run<one_opener<1, short_spin, manner::in_turns>>("one_waiter_takes_turns");
  models.run<one_opener<2, no_spin>>("two_waiters");
  models.run<one_opener<2, short_spin, manner::in_turns>>("two_waiters_take_turns");
  models.run<two_conditions>("two_conditions");
  models.run<woken_in_vain>("woken_in_vain");
  models.search<one_opener<1, no_spin>>("one_waiter_all");
  return models.finish();
}
