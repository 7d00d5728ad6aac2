// Counts what loops do, for a report. If none is wanted, enabled() is false and a loop pays one
// predictable branch.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "base/cache_line.hpp"
#include "base/clock.hpp"
#include "base/sync.hpp"
#include "observe/reason.hpp"
#include "observe/record.hpp"
#include "observe/stay.hpp"
#include "schedule/grammar.hpp"

namespace doall::observe {

// Whether loops are counted: DOALL_REPORT_FOLDER is set, or a watcher may come (live.hpp), or
// count_loops() was called before anything asked. Fixed for the process from then on.
bool enabled();

// The same for who asks and runs no loop: "no" is not fixed by it. Any thread.
bool counts_so_far();

// The same when the process ends; allocates nothing. exit() may be called in a handler of a signal
// that came in the middle of an allocation.
bool writes_at_exit();

// Asks for counting; the result is enabled(). Any thread.
bool count_loops();

// What one worker did in one execution of a loop. Written by that worker alone, read by the worker
// that closes the loop after all have left it.
struct alignas(base::apart_bytes) tally {
  std::uint64_t inside_ticks = 0;
  std::uint64_t busy_ticks = 0;
  // On the clock: when it came, and when it left for good; 0: it did not come.
  std::uint64_t entered_ticks = 0;
  std::uint64_t left_ticks = 0;
  // Of the time between these two: away, with nothing to steal; and waiting for other workers.
  std::uint64_t away_ticks = 0;
  std::uint64_t waited_ticks = 0;
  std::uint64_t marking_ticks = 0;  // for `stay`; in no other time
  std::uint64_t iterations = 0;
  std::uint64_t chunks[3] = {};  // by schedules::origin
  bool timed = false;            // if not, inside_ticks is all that was counted
  std::uint32_t lane = 0;        // in the trace (trace.hpp)
  stay_samples::counts stay;
};
static_assert(sizeof(tally) == base::apart_bytes);

// When an execution began and ended, on the clock.
struct execution_times {
  std::uint64_t opened_ticks;
  std::uint64_t closed_ticks;

  std::uint64_t wall_ticks() const { return closed_ticks - opened_ticks; }
};

// Where a loop stands in the source.
struct place {
  site_kind kind = site_kind::loop;
  const char* door = "";       // a literal
  const void* code = nullptr;  // an address in the loop's code
  const char* file = nullptr;  // a literal of the program; null: unknown
  const char* function = nullptr;
  std::uint32_t line = 0;
  const void* region = nullptr;  // the code of the region that a loop is in; null: unknown
};

class site;

// How one execution of a loop or region is counted: in detail, by tallies; as a whole, by its time
// alone; or, if `of` is null, not at all.
//
// A report's loop has its first executions counted in detail, and then two neighbours in so many,
// by what the detail costs beside the loop's own time: at most some 1 % of it. Their sums stand for
// all. The others are counted as wholes, for two readings of the clock and a lock on the caller.
struct counting {
  site* of = nullptr;
  std::uint32_t stands_for = 0;  // so many executions of the site; 0: counted as a whole
  bool follows = false;          // directly the last one that was counted in detail
  // Of the regions around it, multiplied, as far as the number holds it; 0: it is in none.
  std::uint16_t outer_threads = 0;

  bool in_detail() const { return stands_for != 0; }
  bool as_a_whole() const { return of != nullptr && stands_for == 0; }
  // The site, for who counts details alone.
  site* detailed() const { return in_detail() ? of : nullptr; }
};

// The records of one place of the source, by kind. The object that knows a loop's place holds them
// (sites/site.hpp), so that no table is searched. All zero: there are none yet.
class site_records {
 private:
  friend site* find_site(site_records& known, const place& where);

  site* find(site_kind kind) const;

  sync::atomic<site*> newest_{nullptr};        // then each one's next
  sync::atomic<std::uint64_t> generation_{0};  // of the process that they belong to
};

// Finds the record of the place's kind in `known`; if there is none, makes it under a lock, and
// adds it. Called only when enabled().
site* find_site(site_records& known, const place& where);

// A small number, different for each site of the process and of the processes that forked it.
std::uint32_t number_of(const site& s);

// The number by which events of the process's trace name the site, and the one that says its last
// execution's schedule, too (trace.hpp).
std::uint32_t look_of(const site& s);
std::uint32_t last_look_of(const site& s);

// The first executions of a loop are counted in detail. Of the later ones, a process that records
// costs alone counts one in so many, which stands for as many, and the others not at all.
inline constexpr std::uint64_t counted_first = 16;
inline constexpr std::uint32_t counted_in = 16;
// A report counts at least two in so many pairs in detail.
inline constexpr std::uint32_t detailed_in_most = 64;

// How the next execution of the loop or region is counted. Called once for each; any thread.
counting count_next(site* s);

// Whether regions are counted: a recording has none.
bool counts_regions();

// Borrows the samples of where the site's iterations last ran, for one team's execution at a time.
// Null while another has them, or if there is no memory. add_execution() gives them back. For an
// execution that is counted in detail.
stay_samples* borrow_samples(const counting& as, std::uint64_t iterations,
                             const schedules::numbering& numbers) noexcept;

// Whether an execution that has these samples counts and times its chunks: if not, only the whole
// of it is timed (report_costs_variable, "only").
bool times_chunks(const stay_samples* samples);

// How an execution ran: its schedule, why it had that, and P.
struct execution_form {
  schedules::spec how{};
  std::uint32_t workers = 1;
  reason why = reason::none;
};

// Adds one finished execution that was counted in detail: P tallies, its times from the first
// worker's entering to the last one's leaving, hybrid's failed claims. Any thread; takes the site's
// lock.
void add_execution(const counting& as, const execution_form& ran, const execution_times& when,
                   const tally* tallies, stay_samples* samples, std::uint64_t failed_claims = 0);

// The same of one that was counted as a whole.
void add_whole(const counting& as, const execution_form& ran, const execution_times& when,
               std::uint64_t iterations);

// Adds how the workers' time of such an execution is split, of one whose sums are in ledgers
// (ledger.hpp): tallies by the numbers of threads, which may be more than P. Any thread; takes the
// site's lock.
void add_split(site* s, std::uint32_t workers, const execution_times& when,
               std::span<const tally> tallies);

// Notes how an execution ran whose sums are in ledgers (ledger.hpp). Takes the site's lock.
void note_last(site* s, const schedules::spec& how, std::uint32_t workers, reason why);

// Rises in the child of a fork, whose report is its own, and when all sites are freed.
std::uint64_t process_generation();

// Leaves the report in the folder, if there is one. Called once, when the process ends.
void write_at_exit(std::uint32_t threads);

// Writes the report as it is now. False, with errno, if the file cannot be written, and if loops
// are not counted. Any thread; takes the lock that loops take as they end.
bool write_to(const char* path, std::uint32_t threads);

}  // namespace doall::observe
