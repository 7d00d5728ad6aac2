// The pause of waiters beside other programs (src/park/contention.hpp): while one thread notices a
// preemption, others find the last pause over and end it. A pause that holds stays marked, and
// fences are real in it.
#include "model_run.hpp"
#include "park/contention.hpp"

namespace {

using namespace doall;

// The word of base/asymmetric_fence.cpp, as far as pauses change it.
class two_fences {
 public:
  void make_real() {
    if (real_.load(sync::seq_cst)) return;
    bool light = false;
    real_.compare_exchange_strong(light, true, sync::seq_cst, sync::seq_cst);
  }
  void make_light() {
    bool real = real_.load(sync::seq_cst);
    if (real) real_.compare_exchange_strong(real, false, sync::seq_cst, sync::seq_cst);
  }
  bool are_real() const { return real_.load(sync::seq_cst); }

 private:
  sync::atomic<bool> real_{true};  // of the last pause
};

// Thread 0 begins a pause; the others each look at its mark.
template <unsigned Looking, bool ByTurns>
struct pauses : rl::test_suite<pauses<Looking, ByTurns>, 1 + Looking> {
  static constexpr std::uint64_t now_ns = 1'000'000'000;  // no pause holds
  static constexpr std::uint64_t lost_ns = 4'000'000;

  park::contention others;
  sync::atomic<bool> mark{true};  // of the last pause
  two_fences fences;

  void thread(unsigned index) {
    if (index != 0) {
      // (1) relaxed; alone: a hint
      if (mark.load(sync::relaxed)) park::look_for_pause(others, now_ns, mark, fences);
    } else if (ByTurns) {
      others.hold_until(now_ns + lost_ns);
      park::begin_pause(mark, fences);
    } else if (others.learn(now_ns, lost_ns, 1)) {
      park::begin_pause(mark, fences);
    }
  }

  void after() {
    RL_ASSERT(others.holds(now_ns));
    RL_ASSERT(mark.load(sync::seq_cst));
    RL_ASSERT(fences.are_real());
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<pauses<1, false>>("preempted");
  models.run<pauses<2, false>>("preempted_two_look");
  models.run<pauses<1, true>>("by_turns");
  models.run<pauses<2, true>>("by_turns_two_look");
  return models.finish();
}
