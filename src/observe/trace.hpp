// What each worker did when, for `doall run --trace`: the events behind the sums of the report,
// from the same readings of the clock, in a file that outlives the process (trace_file.hpp).
//
// Memory and file are of a fixed size. Without room an event is counted as dropped; chunks are
// dropped first, when three quarters of the room are taken, so that the loops can be followed for
// longer.
// Cost: without a trace a load for each event, of loops that are counted. With one a copy of 64
// bytes, and a page fault for 64 events. No lock.
#pragma once

#include <cstdint>
#include <string>

#include "observe/record.hpp"
#include "schedule/schedule.hpp"

namespace doall::observe::trace {

// How many events a process keeps; 0: none is wanted. Read from the environment.
std::uint64_t events_wanted();

// Begins the process's trace, in files that are named after `path`. The caller holds the lock of
// the sites, as for number_look(). False, with errno, if it cannot be written.
bool begin(const std::string& path, std::uint64_t events);
bool is_on();

// Forgets the trace: in the child of a fork, which has one of its own, and when the library is
// unloaded.
void forget();

// A number for events of loops that run as the record says. The record is written at once. 0:
// there is no trace.
std::uint32_t number_look(const record& r);

// The calling thread's lane; 0: there is no trace.
std::uint32_t lane_here();

// A worker's part of an execution, on the lane that it had. Under the lock of the sites, or from
// the worker itself, whose own event it is then.
struct share {
  std::uint32_t look = 0;
  std::uint32_t lane = 0;
  std::uint32_t worker = 0;
  std::uint32_t workers = 0;
  std::uint64_t entered_ticks = 0;
  std::uint64_t left_ticks = 0;
  std::uint64_t closed_ticks = 0;  // when the last worker had left; 0: it does not wait for that
  std::uint64_t iterations = 0;
  std::uint64_t chunks[3] = {};  // by schedules::origin
};
void add(const share& s);

// The calling thread ran a chunk, in these numbers of its loop's iterations.
struct numbers {
  std::uint64_t first;
  std::uint64_t last;
  std::uint64_t increment;
};
void add_chunk(std::uint32_t look, std::uint32_t worker, const numbers& of, schedules::origin from,
               std::uint64_t begin_ticks, std::uint64_t end_ticks);

// The calling thread waited for other workers of that loop or region.
void add_waiting(std::uint32_t look, std::uint32_t worker, std::uint64_t begin_ticks,
                 std::uint64_t end_ticks);

}  // namespace doall::observe::trace
