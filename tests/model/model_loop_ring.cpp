// The ring of loops in flight (src/loops/loop_ring.hpp): each loop is opened once,
// by one worker, before anybody works on it; a slot is handed to its next loop
// only when all have left the one before; nobody waits for ever. The ring here
// is two loops deep and sees three loops, so that the third needs a used slot.
// Or it is one loop deep, and its loops move on: all workers find the same of
// them elsewhere.
#include <optional>

#include "loops/loop_ring.hpp"
#include "model_run.hpp"

// Models leave no report, and their loops no memory.
namespace doall::observe {
bool enabled() { return false; }
stay_samples* borrow_samples(const counting&, std::uint64_t, const schedules::numbering&) noexcept {
  return nullptr;
}
bool times_chunks(const stay_samples*) { return true; }
void add_execution(const counting&, const execution_form&, const execution_times&, const tally*,
                   stay_samples*, std::uint64_t) {}
void add_whole(const counting&, const execution_form&, const execution_times&, std::uint64_t) {}
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

// A ring two loops deep, and what its workers see in it.
template <unsigned Workers, unsigned Loops>
class watched_ring {
 public:
  team::loop_ring ring{depth, Workers, 0, team::loop_ring::never};

  void enter(unsigned l, std::uint64_t over = 0) {
    const team::entrance in = ring.enter(
        {.sequence = l, .size = Workers, .over = over}, [] { return false; },
        [&](team::loop_slot& slot) {
          slot.first.run = &no_schedule;
          in_slot(l).set(l);
          opened_[l].set(opened_[l].get() + 1);
        });
    RL_ASSERT(in.slot != nullptr);
    RL_ASSERT(in_slot(l).get() == l);
    RL_ASSERT(opened_[l].get() == 1);
  }

  // What the one who ends the loop does.
  auto end(unsigned l) {
    return [this, l](team::loop_slot&) {
      RL_ASSERT(in_slot(l).get() == l);
      closed_[l].set(closed_[l].get() + 1);
    };
  }

  void expect_all_closed() {
    for (unsigned l = 0; l < Loops; ++l) RL_ASSERT(closed_[l].get() == 1);
  }

 private:
  static constexpr unsigned depth = 2;

  // The loop that its opener wrote into the slot.
  sync::plain<unsigned>& in_slot(unsigned l) { return in_slot_[ring.index_of(l)]; }

  sync::plain<unsigned> in_slot_[depth];
  sync::plain<int> opened_[Loops];
  sync::plain<int> closed_[Loops];
};

template <unsigned Workers>
struct loops_without_waiting : rl::test_suite<loops_without_waiting<Workers>, Workers> {
  static constexpr unsigned loops = 3;

  watched_ring<Workers, loops> watched;

  void thread(unsigned) {
    for (unsigned l = 0; l < loops; ++l) {
      watched.enter(l);
      watched.ring.leave(l, Workers, watched.end(l));
    }
  }

  void after() { watched.expect_all_closed(); }
};

// Loops that a barrier follows end behind it, by the first worker; between them is one without.
template <unsigned Workers>
struct loops_with_barriers : rl::test_suite<loops_with_barriers<Workers>, Workers> {
  static constexpr unsigned loops = 4;

  watched_ring<Workers, loops> watched;
  sync::atomic<unsigned> arrived{0};

  void thread(unsigned me) {
    unsigned barriers = 0;
    std::uint64_t over = 0;
    for (unsigned l = 0; l < loops; ++l) {
      watched.enter(l, over);
      if (l == 1) {
        watched.ring.leave(l, Workers, watched.end(l));
        continue;
      }
      // (1) acq_rel; pairs with (1), (2): a barrier
      arrived.fetch_add(1, sync::acq_rel);
      ++barriers;
      // (2) acquire; pairs with (1)
      while (arrived.load(sync::acquire) < barriers * Workers) sync::yield();
      over = l + 1;
      if (me == 0) watched.ring.end_behind_barrier(l, watched.end(l));
    }
  }

  void after() { watched.expect_all_closed(); }
};

// Workers that do not wait for a slot: loops go from ring to ring. A loop is opened in one of them,
// by one worker, and all find it there.
template <unsigned Workers, unsigned Loops>
struct loops_that_move : rl::test_suite<loops_that_move<Workers, Loops>, Workers> {
  static constexpr unsigned rings = 3;

  // Numbers are given when the first worker comes; here in advance, one for each loop that may be
  // the first there.
  std::optional<team::loop_ring> deeper[rings][Loops];
  sync::plain<int> opened[Loops];
  sync::plain<unsigned> where[Loops];
  sync::plain<int> closed[Loops];

  loops_that_move() {
    for (unsigned ring = 0; ring < rings; ++ring) {
      for (unsigned first = 0; first < Loops; ++first)
        deeper[ring][first].emplace(1U << ring, Workers, first, 0);
    }
  }

  void thread(unsigned) {
    unsigned ring = 0;
    unsigned first = 0;
    for (unsigned l = 0; l < Loops; ++l) {
      for (;;) {
        const team::entrance in = deeper[ring][first]->enter(
            {.sequence = l, .size = Workers}, [] { return false; },
            [&](team::loop_slot& slot) {
              slot.first.run = &no_schedule;
              opened[l].set(opened[l].get() + 1);
              where[l].set(ring);
            });
        if (in.slot != nullptr) break;
        RL_ASSERT(in.moved);
        ++ring;
        first = l;
        RL_ASSERT(ring < rings);
      }
      RL_ASSERT(opened[l].get() == 1);
      RL_ASSERT(where[l].get() == ring);
      deeper[ring][first]->leave(l, Workers,
                                 [&](team::loop_slot&) { closed[l].set(closed[l].get() + 1); });
    }
  }

  void after() {
    for (unsigned l = 0; l < Loops; ++l) RL_ASSERT(closed[l].get() == 1);
  }
};

}  // namespace

int main(int argc, char** argv) {
  doall::model::runner models(argc, argv);
  models.run<loops_without_waiting<2>>("two_workers");
  models.run<loops_without_waiting<3>>("three_workers");
  models.run<loops_with_barriers<2>>("two_workers_and_barriers");
  models.run<loops_with_barriers<3>>("three_workers_and_barriers");
  models.run<loops_that_move<2, 3>>("two_workers_that_move");
  models.run<loops_that_move<3, 4>>("three_workers_that_move");
  return models.finish();
}
