// Virtual time: shows how a schedule cuts a loop among any number of workers, without threads.
//
// The schedule is the shipped object, driven through the registry as threads drive it. The P
// workers are virtual: the worker that is free first calls next(), the one of lowest index if
// several are; a chunk takes its iterations' costs; then its worker is free again. So a run is a
// function of its setup alone.
//
// A chunk is taken from a queue: its worker's own partition, another worker's, or the central one.
// Taking is a synchronisation on that queue and costs its price. A queue serves one worker at a
// time: a worker that finds it busy waits, first come first served. Self-scheduling's contention is
// that wait. A queue's line is with the worker that was there last, for which it may cost less. A
// queue may be free for the next one before the worker has its chunk: latency apart from occupancy.
//   - An empty answer is free and not counted: AFS's tables count what was taken.
//   - A schedule that never moves work (such as static) has no queue: its chunks are free and no
//     synchronisations.
//
// A worker that comes late makes its first call then, and is waited for: the loop ends when all
// have got an empty chunk.
//
// A loop whose iterations use data runs on a machine's memory (machine.hpp): iteration by
// iteration, so that a bus serves all workers' fetches in the order in which they come.
//
// A worker that never comes is stood in for, as in the native door: when worker 0 has nothing left,
// it goes on as that worker.
//
// Every run is checked: each iteration is dealt, and none twice (exactly_once.hpp). So it ends: no
// more than N chunks are dealt.
//
// Not modelled: a core whose speed changes during a loop. Two workers never call next() at once, so
// no claim fails.
//
// Cost of a run: O(log P) and one next() for each chunk, for strided chunks with unequal costs O(1)
// for each iteration, and with memory O(log P). Memory: O(P) and the list of chunks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "schedule/grammar.hpp"
#include "sim/costs.hpp"

namespace doall::sim {

// The costs of a synchronisation, by the origin of the chunk that it gets.
struct sync_prices {
  double own = 0;
  double central = 0;
  double stolen = 0;
  std::optional<double> again = {};   // on a queue where the same worker was last; none: as above
  std::optional<double> served = {};  // the queue is busy for so long, at most; none: as above
  // So many neighbours' own queues lie in one line, and are as one queue.
  std::uint32_t own_in_line = 1;

  double of(schedules::origin from) const;
};

// A block of a program's data, and what an iteration does with it.
struct block_use {
  std::uint32_t block = 0;
  bool writes = false;
  double part = 1;  // of the block's bytes
};

// Appends what iteration i uses, in order.
using uses_of_iteration = std::function<void(u64 i, std::vector<block_use>& to)>;

class memory_system;

struct loop_setup {
  schedules::spec schedule;
  schedules::loop_shape shape;
  iteration_costs costs{};     // of shape.iterations
  bool costs_guarded = false;  // a test guards the body: known in part to what runs it instead
  std::optional<iteration_costs> estimated{};  // what schedules take for the costs; none: these
  double unit = 1;                             // what a unit of costs takes
  uses_of_iteration uses{};                    // none: the loop has no data
  memory_system* memory = nullptr;
  sync_prices prices{};
  std::vector<double> arrivals{};       // worker w comes at arrivals[w]; one not listed, at 0
  std::vector<double> slowness{};       // its iterations take so many times as long; not listed: 1
  std::vector<std::uint32_t> absent{};  // never come; not worker 0
  u64 chunks_most = base::u64_max;
};

// A chunk and its time.
struct dealt_chunk {
  schedules::chunk what;
  std::uint32_t worker = 0;
  double asked = 0;     // when the worker was free
  double started = 0;   // when it had the chunk
  double finished = 0;  // when it had run it
};

struct worker_account {
  u64 chunks = 0;
  u64 iterations = 0;
  u64 local = 0;      // synchronisations on its own queue
  u64 remote = 0;     // on another worker's queue
  u64 central = 0;    // on the queue of all
  u64 robbed = 0;     // by others, on its own queue
  double busy = 0;    // in iterations
  double moving = 0;  // of it, until their data were there
  double left = 0;    // when it got an empty chunk
};

// One run of a loop.
struct execution {
  std::vector<dealt_chunk> chunks;  // in the order in which they were taken
  std::vector<worker_account> workers;

  // All workers' accounts added up; `left` is the last one's.
  worker_account total() const;
  // When the last worker left.
  double makespan() const { return total().left; }
  // As in the report of real runs (docs/guide/report.md): the busiest worker's time in iterations
  // over the mean one's; all workers' time in iterations over P times the makespan. 1 for a loop
  // that takes no time.
  double imbalance() const;
  double efficiency() const;
};

// The part of the loop's iterations that `later` ran where `earlier` had, 0 to 1; 1 for no
// iterations. O(c log c) for c chunks, and a look at each pair of one worker's strided chunks that
// overlaps.
double stayed(const execution& earlier, const execution& later);

// The part of the loop's iterations that went to a worker by theft: all that a worker ran from its
// first one on; 0 for no iterations. O(c) for c chunks.
double stolen_part(const execution& e);

// A loop of the source: its runs share one memory (loop_context::memory) and one set of worker
// lines, as on threads.
class virtual_loop {
 public:
  explicit virtual_loop(loop_setup setup);
  ~virtual_loop();
  virtual_loop(virtual_loop&&) noexcept;

  // Runs it once more. Throws std::length_error when it is cut into more than chunks_most, and
  // std::logic_error when an iteration is not dealt exactly once.
  execution run();

  // Changes the loop for its next runs: its length, costs, prices or arrivals. Throws
  // std::invalid_argument, and changes nothing, when the schedule or the number of workers is
  // another: such a loop does not share this memory.
  void change(loop_setup setup);

 private:
  class driver;
  std::unique_ptr<driver> driver_;
};

// One run of a loop that remembers nothing.
inline execution run_once(loop_setup setup) { return virtual_loop(std::move(setup)).run(); }

}  // namespace doall::sim
