// One loop in flight: what its workers share, how it is opened and closed. Who does so when is
// loop_ring.hpp's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "observe/site.hpp"
#include "schedule/grammar.hpp"
#include "sites/site_memory.hpp"

namespace doall::team {

// Memory that loops of one shape share, as if they were one run: all get what was found there
// before the first of them. Null if it could not be borrowed: then none has any.
struct held_memory {
  schedules::spec how;
  schedules::loop_shape shape;
  memory_piece* piece = nullptr;
};

// Ends the run, when all workers have left the last of its loops.
inline void end_run(const held_memory& held, bool counts) {
  if (held.piece == nullptr) return;
  if (const schedules::operations& run = held.how.run(); counts && run.finish != nullptr) {
    alignas(base::apart_bytes) std::byte object[schedules::object_bytes];
    run.construct(object,
                  {.shape = held.shape, .given = held.how.given, .memory = bytes_of(held.piece)});
    run.finish(object);
  }
  give_back(held.piece);
}

// What the first worker to arrive opens a loop with.
struct loop_request {
  schedules::spec how;
  schedules::loop_shape shape;
  observe::counting counted{};
  schedules::numbering source{};
  site_key where{};  // whose memory of earlier runs it finds
  schedules::cost_sums costs{};
  // Holds the memory for several loops, and settles it after the last (end_run); null: the loop
  // borrows its own.
  const held_memory* held = nullptr;
  std::uint64_t worth = 0;                      // loop_context::worth
  observe::reason why = observe::reason::none;  // for the report
  // Not 1: the schedule deals cells of so many iterations, the last one perhaps shorter, and costs
  // are those of cells. Only for doors that hand on ranges.
  std::uint64_t cell = 1;
};

// One loop in flight. The opener writes plain members before the stage says open; they are
// read-only until the last worker has left.
struct alignas(base::apart_bytes) loop_slot {
  // What every worker reads when it begins, prepared by the opener. One cache line: each line that
  // the opener has written costs each worker a transfer.
  struct alignas(base::line_bytes) first_line {
    const schedules::operations* run = nullptr;
    std::uint64_t iterations = 0;      // or cells
    observe::site* counted = nullptr;  // in detail
    schedules::numbering source{};     // of those
    std::uint64_t cell = 1;            // iterations of a cell
    bool monotonic = false;
    bool timed = false;    // chunks are timed: for a report, or the schedule learns by it
    bool settles = false;  // the last to leave has something to do, or costs to give back

    bool operator==(const first_line&) const = default;
  };
  first_line first;
  static_assert(sizeof(first_line) == base::line_bytes);

  // Of a loop that settles; of any other neither written nor read.
  loop_request loop;
  std::uint64_t opened_ticks = 0;
  memory_piece* memory = nullptr;

  schedules::worker_line* lines = nullptr;
  observe::tally* tallies = nullptr;
  observe::stay_samples* samples = nullptr;
  alignas(base::apart_bytes) std::byte object[schedules::object_bytes];

  // The line that is written by each loop: the opener has it already when it opens.
  alignas(base::apart_bytes) sync::atomic<std::uint64_t> stage{0};
  sync::atomic<std::uint64_t> left{0};  // a loop's number, whether the next has moved, the count
  std::uint64_t epoch = 0;              // executions that this slot has seen

  // Called by the opener alone.
  void open(const loop_request& request) {
    // Who is told what iterations cost measures nothing.
    const bool learns = !request.costs.given();
    const bool borrows = learns && request.held == nullptr;
    memory_piece* const borrowed =
        borrows ? borrow_memory(request.where, request.how, request.shape.workers) : nullptr;
    void* const found = bytes_of(request.held != nullptr ? request.held->piece : borrowed);
    const schedules::operations& run = request.how.run();
    const bool counts = request.counted.in_detail();
    if (counts) {
      samples = observe::borrow_samples(request.counted, request.shape.iterations, request.source);
      // A worker that does not come, to a loop that is cancelled, has done nothing.
      std::fill_n(tallies, request.shape.workers, observe::tally{});
    }
    const bool finishes = run.finish != nullptr && request.held == nullptr;
    const bool adapts = learns && request.how.has(schedules::adapts);
    // Written only when it changes: a written line costs each worker a transfer, whatever it
    // contains.
    const schedules::loop_shape dealt{base::ceil_div(request.shape.iterations, request.cell),
                                      request.shape.workers};
    const first_line digested{
        .run = &run,
        .iterations = dealt.iterations,
        .counted = request.counted.detailed(),
        .source = {request.source.first, request.source.increment * request.cell,
                   request.source.last},
        .cell = request.cell,
        .monotonic = request.how.has(schedules::monotonic),
        .timed = (counts && observe::times_chunks(samples)) || adapts,
        .settles = request.counted.of != nullptr || finishes || borrowed != nullptr || !learns};
    const bool same_schedule = first.run == &run;
    if (first != digested) first = digested;
    ++epoch;
    if (first.settles) {
      loop = request;
      memory = borrowed;
      if (is_loaded(request.held != nullptr ? request.held->piece : borrowed))
        loop.why = observe::reason::loaded;
    }
    if (request.counted.of != nullptr) opened_ticks = base::ticks();
    const auto make = same_schedule ? run.renew : run.construct;
    make(object, {dealt, schedules::in_cells(request.how, request.cell).given, lines, epoch,
                  request.costs, found, request.worth});
  }

  // The opener's first chunk, drawn while no other worker wants what it is drawn from.
  schedules::chunk draw_first(std::uint32_t opener) {
    return first.run->next(object, {opener, 0}, {});
  }

  // Called by one thread, which knows that all workers have left.
  void close() {
    if (!first.settles) return;
    if (first.run->finish != nullptr && loop.held == nullptr) first.run->finish(object);
    if (memory != nullptr) give_back(memory);
    if (loop.counted.of == nullptr) return;
    const observe::execution_times when{opened_ticks, base::ticks()};
    const observe::execution_form ran{loop.how, loop.shape.workers, loop.why};
    if (loop.counted.as_a_whole()) {
      observe::add_whole(loop.counted, ran, when, loop.shape.iterations);
      return;
    }
    const std::uint64_t failed_claims = first.run->failed_claims == nullptr
                                            ? 0
                                            : first.run->failed_claims(object, loop.shape.workers);
    observe::add_execution(loop.counted, ran, when, tallies, samples, failed_claims);
  }
};

}  // namespace doall::team
