// The half-barrier: release without join, join without release.
//
// Paper: fine-grain, section 3.1 (its centralised form: no tree). A loop needs
// no full barrier at either end. At its start the workers wait for the master
// but the master for nobody; at its end the master waits for the workers but
// they wait for nobody, until the next release. Loads and stores only; the task
// travels in the cache line of the flag that announces it, so that one transfer
// delivers both.
//
// Where it differs from the paper: a worker that has waited long enough sleeps
// (park/gate.hpp), which costs the releaser one fence a launch.
//
// State: per worker a release line (epoch, task), written by the master, and a
// join line (epoch), written by the worker. Epochs only grow. Invariants: the
// master writes a release line only after it has seen the worker's join of the
// previous epoch that released it, so a task is never overwritten while it is
// read; a worker runs each epoch that released it exactly once.
// Who may call what: master_* the one thread that holds the team, worker_* the
// one thread that is worker w. Terminates: see park/README.md.
// Cost: P - 1 stores and one fence to release, P - 1 loads to join: one round
// trip of a cache line when P = 2. src/barrier/README.md has the protocol.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/fp_state.hpp"
#include "base/sync.hpp"
#include "park/gate.hpp"

namespace doall::barrier {

// What a released worker runs: run(*this, worker). A null `run` ends the worker.
// `function` and `argument` ride along for who needs more than a context, so
// that it need not be fetched from another line.
struct task {
  void (*run)(const task& work, std::uint32_t worker) = nullptr;
  void* context = nullptr;
  void (*function)(void*) = nullptr;
  void* argument = nullptr;
  std::uint32_t workers = 0;  // the team's, if the task wants to know
  base::fp_state fp{};        // the caller's, with which a worker runs it
};

// One worker's two lines. Worker 0 is the master and has none of its own in use.
struct alignas(base::apart_bytes) half_barrier_seat {
  // written by the master
  sync::atomic<std::uint64_t> released{0};
  sync::plain<task> work;
  park::gate idle;  // where the worker sleeps

  // written by the worker
  alignas(base::apart_bytes) sync::atomic<std::uint64_t> joined{0};
};

class half_barrier {
 public:
  half_barrier() = default;
  half_barrier(const half_barrier&) = delete;
  half_barrier& operator=(const half_barrier&) = delete;

  // Releases workers 1 to size - 1. seat(w) is worker w's seat.
  template <class Seats>
  void master_release(Seats&& seat, std::uint32_t size, task work) {
    ++epoch_;
    for (std::uint32_t w = 1; w < size; ++w) {
      half_barrier_seat& s = seat(w);
      s.work.set(work);
      // (1) release; pairs with (3): publishes the task and all before the launch
      s.released.store(epoch_, sync::release);
    }
    if (size == 1) return;
    // (2) seq_cst fence; pairs with the sleeper's fence, gate (3): one for all
    sync::fence();
    for (std::uint32_t w = 1; w < size; ++w) seat(w).idle.open_after_fence();
  }

  // Waits until workers 1 to size - 1 have joined the last release.
  template <class Seats>
  void master_join(Seats&& seat, std::uint32_t size, std::uint64_t spin_ns) {
    for (std::uint32_t w = 1; w < size; ++w) {
      half_barrier_seat& s = seat(w);
      // (4) acquire; pairs with (5): what the worker did is visible after the join
      master_idle_.wait([&] { return s.joined.load(sync::acquire) == epoch_; }, spin_ns);
    }
  }

  // Waits for a release after `seen`, the last epoch this worker ran (0 at
  // first), and returns its task; `seen` becomes its epoch.
  static task worker_wait(half_barrier_seat& s, std::uint64_t& seen, std::uint64_t spin_ns) {
    // (3) acquire; pairs with (1): the task and all before the launch are visible
    s.idle.wait([&] { return s.released.load(sync::acquire) != seen; }, spin_ns);
    // (6) relaxed; alone: (3) has ordered it; only the master, who now waits, writes it
    seen = s.released.load(sync::relaxed);
    return s.work.get();
  }

  void worker_join(half_barrier_seat& s, std::uint64_t seen) {
    // (5) release; pairs with (4): publishes what the worker did
    s.joined.store(seen, sync::release);
    master_idle_.open();
  }

 private:
  std::uint64_t epoch_ = 0;  // the master's own
  alignas(base::apart_bytes) park::gate master_idle_;
};

}  // namespace doall::barrier
