#include "observe/trace.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>

#include "base/arith.hpp"
#include "base/clock.hpp"
#include "base/env.hpp"
#include "base/file_text.hpp"
#include "base/own_file.hpp"
#include "base/sync.hpp"
#include "observe/process_facts.hpp"
#include "observe/report_path.hpp"
#include "observe/site.hpp"
#include "observe/trace_file.hpp"

namespace doall::observe::trace {
namespace {

namespace file = trace_file;

// The mapped file; null: there is none.
constinit sync::atomic<file::header*> mapped{nullptr};

// Guarded by the lock of the sites.
std::string* sites_path = nullptr;
constinit std::uint32_t next_look = 1;

file::lane* lanes_of(file::header* h) {
  return reinterpret_cast<file::lane*>(reinterpret_cast<std::byte*>(h) + file::lanes_offset);
}
file::event* events_of(file::header* h) {
  return reinterpret_cast<file::event*>(reinterpret_cast<std::byte*>(h) + file::events_offset);
}

// Where a thread writes. It belongs to the process of that generation.
struct place_here {
  std::uint64_t generation = 0;
  std::uint32_t lane = 0;  // beyond the last one: there was none left
  file::event* next = nullptr;
  file::event* end = nullptr;
};
constinit thread_local place_here here;

file::header* trace_here() {
  // (1) acquire; pairs with (2): the header
  file::header* const h = mapped.load(sync::acquire);
  if (h == nullptr || here.generation == process_generation()) return h;
  // (3) relaxed; alone: a count; nothing else is communicated
  const std::uint32_t n = sync::atomic_ref<std::uint32_t>(h->lanes).fetch_add(1, sync::relaxed);
  here = {.generation = process_generation(), .lane = std::min(n, file::lanes) + 1};
  if (n < file::lanes) lanes_of(h)[n].thread = static_cast<std::uint32_t>(gettid());
  return h;
}

// Notes the time, so that the clock's rate is known to the reader of a process that was killed: at
// the first event, when the trace is twice as long as at the last note, and at last regularly.
void note_time(file::header* h, std::uint64_t now_ticks) {
  constexpr std::uint64_t seldom_ticks = 1 << 20;
  const sync::atomic_ref<std::uint64_t> last(h->last_ticks);
  // (4) relaxed; alone: a hint
  const std::uint64_t noted = last.load(sync::relaxed);
  if (now_ticks - noted < std::min(seldom_ticks, noted - h->first_ticks)) return;
  const sync::atomic_ref<std::uint32_t> being_noted(h->being_noted);
  // (5) acquire; pairs with (6): one thread at a time writes
  if (being_noted.exchange(1, sync::acquire) != 0) return;
  h->last_ns = base::now_ns();
  // (7) relaxed; alone: read by a thread as a hint, and when the process has ended
  last.store(base::ticks(), sync::relaxed);
  // (6) release; pairs with (5): both times
  being_noted.store(0, sync::release);
}

bool take_block(file::header* h) {
  const sync::atomic_ref<std::uint32_t> taken(h->taken);
  // (8) relaxed; alone: a count; a block has one writer
  if (taken.load(sync::relaxed) >= h->blocks) return false;
  // (9) relaxed; alone: as (8)
  const std::uint64_t n = taken.fetch_add(1, sync::relaxed);
  if (n >= h->blocks) return false;
  here.next = events_of(h) + n * file::block_events;
  here.end = here.next + file::block_events;
  return true;
}

// Whether only what is not a chunk has room.
bool is_nearly_full(file::header* h) {
  // (10) relaxed; alone: as (8)
  return sync::atomic_ref<std::uint32_t>(h->taken).load(sync::relaxed) > h->blocks / 4 * 3;
}

void put(file::header* h, const file::event& what, file::kind kind) {
  const bool has_lane = what.lane <= file::lanes;
  const bool refused = !has_lane || (kind == file::kind::chunk && is_nearly_full(h));
  if (refused || (here.next == here.end && !take_block(h))) {
    const std::uint32_t lane = std::min(here.lane, file::lanes) - 1;
    // (11) relaxed; alone: as (3)
    sync::atomic_ref<std::uint64_t>(lanes_of(h)[lane].dropped).fetch_add(1, sync::relaxed);
    return;
  }
  file::event* const to = here.next++;
  std::memcpy(to, &what, offsetof(file::event, kind));
  // (12) release; alone: read when the process has ended, perhaps between two stores
  sync::atomic_ref<std::uint32_t>(to->kind).store(static_cast<std::uint32_t>(kind), sync::release);
}

std::uint32_t narrow(std::uint64_t n) {
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(n, std::numeric_limits<std::uint32_t>::max()));
}

std::uint64_t real_ns() {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Adds to the file of sites. It is opened each time: a program may close all files that it finds.
bool append(const std::string& text) {
  base::text_file out(base::open_own_file(sites_path->c_str(), O_WRONLY | O_APPEND | O_CREAT));
  out.write(text);
  return out.close();
}

// Room on the disk for all of it: to write to a mapped page for which there is none ends a process.
file::header* map(const std::string& path, std::size_t bytes) {
  const int made = base::open_own_file(path.c_str(), O_RDWR);
  if (made < 0) return nullptr;
  const int error = posix_fallocate(made, 0, static_cast<off_t>(bytes));
  void* const at =
      error == 0 ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, made, 0) : MAP_FAILED;
  const int why = error == 0 ? errno : error;
  close(made);
  errno = why;
  return at == MAP_FAILED ? nullptr : static_cast<file::header*>(at);
}

}  // namespace

std::uint64_t events_wanted() {
  constexpr std::uint64_t most = std::uint64_t{1} << 30;
  const std::string text = base::env_text(report_trace_variable).value_or("");
  std::uint64_t events = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return 0;
    events = std::min(10 * events + static_cast<std::uint64_t>(c - '0'), most);
  }
  return events;
}

bool begin(const std::string& path, std::uint64_t events) {
  const auto blocks = narrow(base::ceil_div(events, file::block_events));
  file::header* const h = map(path, file::bytes(blocks));
  if (h == nullptr) return false;
  delete sites_path;
  sites_path = new std::string(path + file::sites_suffix);
  if (!append(report_head(facts_of_this_process(0)))) {
    const int why = errno;
    munmap(h, file::bytes(blocks));
    unlink(path.c_str());
    errno = why;
    return false;
  }
  const std::uint64_t now_ns = base::now_ns();
  const std::uint64_t now_ticks = base::ticks();
  *h = {.magic = file::magic,
        .pid = static_cast<std::uint64_t>(getpid()),
        .first_look = next_look,
        .blocks = blocks,
        .taken = 0,
        .lanes = 0,
        .first_real_ns = real_ns(),
        .first_ticks = now_ticks,
        .first_ns = now_ns,
        .last_ticks = now_ticks,
        .last_ns = now_ns,
        .being_noted = 0,
        .unused = 0};
  // (2) release; pairs with (1): the header
  mapped.store(h, sync::release);
  return true;
}

bool is_on() {
  // (13) relaxed; alone: asked under the lock of the sites, as begin() is called
  return mapped.load(sync::relaxed) != nullptr;
}

void forget() {
  // (14) relaxed; alone: there is no other thread
  file::header* const h = mapped.exchange(nullptr, sync::relaxed);
  if (h == nullptr) return;
  munmap(h, file::bytes(h->blocks));
  delete sites_path;
  sites_path = nullptr;
}

std::uint32_t number_look(const record& r) {
  if (!is_on()) return 0;
  append(record_line(r));
  return next_look++;
}

std::uint32_t lane_here() { return trace_here() == nullptr ? 0 : here.lane; }

void add(const share& s) {
  file::header* const h = trace_here();
  if (h == nullptr || s.lane == 0) return;
  note_time(h, s.closed_ticks != 0 ? s.closed_ticks : s.left_ticks);
  put(h,
      {.begin_ticks = s.entered_ticks,
       .end_ticks = s.left_ticks,
       .numbers = {s.iterations, s.closed_ticks},
       .look = s.look,
       .lane = s.lane,
       .worker = s.worker,
       .workers = s.workers,
       .counts = {narrow(s.chunks[0]), narrow(s.chunks[1]), narrow(s.chunks[2])},
       .kind = 0},
      file::kind::share);
}

void add_chunk(std::uint32_t look, std::uint32_t worker, const numbers& of, schedules::origin from,
               std::uint64_t begin_ticks, std::uint64_t end_ticks) {
  file::header* const h = trace_here();
  if (h == nullptr) return;
  note_time(h, end_ticks);
  put(h,
      {.begin_ticks = begin_ticks,
       .end_ticks = end_ticks,
       .numbers = {of.first, of.last},
       .look = look,
       .lane = here.lane,
       .worker = worker,
       .workers = 0,
       .counts = {static_cast<std::uint32_t>(from), narrow(of.increment), 0},
       .kind = 0},
      file::kind::chunk);
}

void add_waiting(std::uint32_t look, std::uint32_t worker, std::uint64_t begin_ticks,
                 std::uint64_t end_ticks) {
  file::header* const h = trace_here();
  if (h == nullptr) return;
  put(h,
      {.begin_ticks = begin_ticks,
       .end_ticks = end_ticks,
       .numbers = {},
       .look = look,
       .lane = here.lane,
       .worker = worker,
       .workers = 0,
       .counts = {},
       .kind = 0},
      file::kind::waiting);
}

}  // namespace doall::observe::trace
