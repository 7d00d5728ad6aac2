// The file of a process's trace, for its writer (trace.cpp) and its reader (report/trace.cpp).
//
//   trace.<pid>         the header, the lanes, then blocks of events. The process maps it, so what
//                       was written is there however the process ends
//   trace.<pid>.sites   a report (record.hpp) without its last line: a record for each schedule
//                       under which a loop has run. Events name one by its number, `look`
//
// It has a fixed size. A lane is a thread; it writes into a block that it took, which no other
// writes. An event is there if its `kind` is not 0, which is written last.
#pragma once

#include <cstddef>
#include <cstdint>

namespace doall::observe::trace_file {

inline constexpr std::uint64_t magic = 0x3130'7274'6c61'6f64;  // "doaltr01"
inline constexpr const char* sites_suffix = ".sites";
// Events of threads beyond these are counted as the last one's drops.
inline constexpr std::uint32_t lanes = 1024;
inline constexpr std::uint64_t block_events = 256;

struct header {
  std::uint64_t magic;
  std::uint64_t pid;
  std::uint32_t first_look;
  std::uint32_t blocks;  // there are
  std::uint32_t taken;   // blocks, which may be more than there are
  std::uint32_t lanes;   // likewise
  std::uint64_t first_real_ns;
  // The clock at the beginning and near the end: they give its rate.
  std::uint64_t first_ticks;
  std::uint64_t first_ns;
  std::uint64_t last_ticks;
  std::uint64_t last_ns;
  std::uint32_t being_noted;  // last_ticks and last_ns
  std::uint32_t unused;
};

struct lane {
  std::uint32_t thread;  // gettid(2)
  std::uint32_t unused[13];
  std::uint64_t dropped;  // events for which there was no room
};

enum class kind : std::uint32_t {
  none,
  share,  // a worker's part of an execution; it waits for the others from its end until closed()
  chunk,
  waiting,
};

struct event {
  std::uint64_t begin_ticks;
  std::uint64_t end_ticks;
  std::uint64_t numbers[2];  // share: iterations, closed_ticks; chunk: first and last iteration
  std::uint32_t look;
  std::uint32_t lane;
  std::uint32_t worker;
  std::uint32_t workers;    // of a share
  std::uint32_t counts[3];  // share: chunks by origin; chunk: origin, increment
  std::uint32_t kind;
};

static_assert(sizeof(header) == 80 && sizeof(lane) == 64 && sizeof(event) == 64);

inline constexpr std::size_t lanes_offset = 128;
inline constexpr std::size_t events_offset = lanes_offset + lanes * sizeof(lane);

constexpr std::size_t bytes(std::uint64_t blocks) {
  return events_offset + blocks * block_events * sizeof(event);
}

}  // namespace doall::observe::trace_file
