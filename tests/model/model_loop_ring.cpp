// The ring of loops in flight (src/team/loop_ring.hpp): each loop is opened once,
// by one worker, before anybody works on it; a slot is handed to its next loop
// only when all have left the one before; nobody waits for ever. The ring here
// is two loops deep and sees three loops, so that the third needs a used slot.
#include "model_run.hpp"
#include "team/loop_ring.hpp"

// Models leave no report, and their loops no memory.
namespace doall::observe {
bool enabled() { return false; }
stay_samples* borrow_samples(site*, std::uint64_t, const schedules::numbering&) noexcept {
  return nullptr;
}
void add_execution(site*, const schedules::spec&, std::uint32_t, std::uint64_t, const tally*,
                   stay_samples*, std::uint64_t) {}
}  // namespace doall::observe
namespace doall::team {
memory_piece* borrow_memory(const site_key&, const schedules::spec&, std::uint32_t) noexcept {
  return nullptr;
}
void* bytes_of(memory_piece*) { return nullptr; }
void give_back(memory_piece*) {}
}  // namespace doall::team

namespace {

using namespace doall;

// What is opened has no schedule: the ring is the subject.
const schedules::operations no_schedule{};

template <unsigned Workers>
struct loops_without_waiting : rl::test_suite<loops_without_waiting<Workers>, Workers> {
  static constexpr unsigned depth = 2;
  static constexpr unsigned loops = 3;

  team::loop_ring ring{depth, Workers};
  sync::plain<unsigned> in_slot[depth];  // the loop that its opener wrote into the slot
  sync::plain<int> opened[loops];
  sync::plain<int> closed[loops];

  void thread(unsigned) {
    for (unsigned l = 0; l < loops; ++l) {
      const auto slot_number = ring.index_of(l);
      ring.enter(
          l,
          [&](team::loop_slot& slot) {
            slot.first.run = &no_schedule;
            in_slot[slot_number].set(l);
            opened[l].set(opened[l].get() + 1);
          },
          0);
      RL_ASSERT(in_slot[slot_number].get() == l);
      RL_ASSERT(opened[l].get() == 1);
      ring.leave(l, Workers, [&](team::loop_slot&) {
        RL_ASSERT(in_slot[slot_number].get() == l);
        closed[l].set(closed[l].get() + 1);
      });
    }
  }

  void after() {
    for (unsigned l = 0; l < loops; ++l) RL_ASSERT(closed[l].get() == 1);
  }
};

// Loops that a barrier follows end behind it, by the first worker; between them is one without.
template <unsigned Workers>
struct loops_with_barriers : rl::test_suite<loops_with_barriers<Workers>, Workers> {
  static constexpr unsigned depth = 2;
  static constexpr unsigned loops = 4;

  team::loop_ring ring{depth, Workers};
  sync::plain<unsigned> in_slot[depth];
  sync::plain<int> opened[loops];
  sync::plain<int> closed[loops];
  sync::atomic<unsigned> arrived{0};

  void thread(unsigned me) {
    unsigned barriers = 0;
    for (unsigned l = 0; l < loops; ++l) {
      const auto slot_number = ring.index_of(l);
      ring.enter(
          l,
          [&](team::loop_slot& slot) {
            slot.first.run = &no_schedule;
            in_slot[slot_number].set(l);
            opened[l].set(opened[l].get() + 1);
          },
          0);
      RL_ASSERT(in_slot[slot_number].get() == l);
      const auto end = [&](team::loop_slot&) {
        RL_ASSERT(in_slot[slot_number].get() == l);
        closed[l].set(closed[l].get() + 1);
      };
      if (l == 1) {
        ring.leave(l, Workers, end);
        continue;
      }
      // (1) acq_rel; pairs with (1), (2): a barrier
      arrived.fetch_add(1, sync::acq_rel);
      ++barriers;
      // (2) acquire; pairs with (1)
      while (arrived.load(sync::acquire) < barriers * Workers) sync::yield();
      if (me == 0) ring.end_behind_barrier(l, end);
    }
  }

  void after() {
    for (unsigned l = 0; l < loops; ++l) {
      RL_ASSERT(opened[l].get() == 1);
      RL_ASSERT(closed[l].get() == 1);
    }
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<loops_without_waiting<2>>("two_workers");
  models.run<loops_without_waiting<3>>("three_workers");
  models.run<loops_with_barriers<2>>("two_workers_and_barriers");
  models.run<loops_with_barriers<3>>("three_workers_and_barriers");
  return models.finish();
}
