#include "observe/site.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <forward_list>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/env.hpp"
#include "base/file_text.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/no_memory.hpp"
#include "base/own_file.hpp"
#include "base/unload.hpp"
#include "observe/ledger.hpp"
#include "observe/live.hpp"
#include "observe/process_facts.hpp"
#include "observe/report_path.hpp"
#include "observe/site_sums.hpp"
#include "observe/trace.hpp"

namespace doall::observe {
namespace {

// Guards the table of sites and the contents of each: a report need not be fast, and a fork has one
// lock to wait for.
constinit base::lone_mutex sites_lock;
[[maybe_unused]] const int sites_lock_is_free = base::free_in_children<sites_lock>();

// The process's generation. It changes only in the child of a fork, where there is no other thread,
// and when the library is unloaded.
std::uint64_t generation = 1;

// Sites beyond these keep no history of their calls: some 2.5 KiB each.
constexpr std::size_t histories_most = 4096;

counted what_is_counted() {
  const std::string costs = base::env_text(report_costs_variable).value_or("");
  if (costs == "only") return counted::costs;
  return costs == "1" ? counted::report_and_costs : counted::report;
}

// By count_loops().
constinit sync::atomic<bool> counting_is_asked{false};

// All sites of the process.
struct table {
  using site_list = std::vector<std::unique_ptr<site>>;

  std::string folder = base::env_path(report_folder_variable).value_or("");
  live_page live{base::env_path(live_folder_variable).value_or("")};
  // (13) relaxed; alone: who asks in time asks before the table is made
  bool counts = !folder.empty() || live.is_open() || counting_is_asked.load(sync::relaxed);
  counted what = what_is_counted();
  std::uint64_t trace_events = folder.empty() ? 0 : trace::events_wanted();
  base::tick_scale scale;
  std::uint64_t clock_ticks = base::ticks_of_reading();
  site_list sites;
  std::uint32_t next_number = 0;
  std::unordered_set<std::string> modules;
  std::forward_list<site_list> left_behind;
  sync::atomic<ledger*> ledgers{nullptr};  // then each one's next

  table() = default;
  table(const table&) = delete;
  table& operator=(const table&) = delete;
  ~table() {
    for (ledger* one = newest_ledger(); one != nullptr;) {
      const std::unique_ptr<ledger> dying(one);
      one = dying->next;
    }
  }

  ledger* newest_ledger() const {
    // (7) acquire; pairs with (8): the ledger
    return ledgers.load(sync::acquire);
  }

  ledger* add(std::unique_ptr<ledger> made) {
    made->next = newest_ledger();
    // (8) release; pairs with (7), (9): the ledger
    // (9) acquire; pairs with (8): its next
    while (!ledgers.compare_exchange_weak(made->next, made.get(), sync::release, sync::acquire)) {
    }
    return made.release();
  }

  // Called in the child of a fork, which has a report of its own. Loops that it is in the middle of
  // go on with the sites they know, unreported.
  void begin_anew() {
    trace::forget();
    for (const auto& s : sites) s->leave_trace();
    if (!sites.empty()) left_behind.push_front(std::exchange(sites, {}));
    live.begin_anew();
  }
};

constinit base::lazy<table> lazy_table;
[[maybe_unused]] const int records_anew_in_children = base::at_fork(nullptr, nullptr, [] {
  ++generation;
  if (table* made = lazy_table.if_made()) made->begin_anew();
});
const base::at_unload free_table([] {
  ++generation;
  trace::forget();
  lazy_table.drop();
});

table& the_table() {
  return lazy_table.get([] { return table(); });
}

// With the process's first site. The caller holds the lock of the sites.
void begin_trace(table& t) {
  if (t.trace_events == 0 || trace::is_on()) return;
  const std::string path = new_file_in(t.folder, "trace");
  if (trace::begin(path, t.trace_events)) return;
  t.trace_events = 0;
  base::warn("the trace could not be written to " + path + ": " + std::strerror(errno));
}

bool has_sites() {
  const std::lock_guard hold(sites_lock);
  return !the_table().sites.empty();
}

void write_all(base::text_file& out, std::uint32_t threads);

// Writes to a file of the process's own.
bool write_to_own(const std::string& path, int flags, std::uint32_t threads) {
  base::text_file out(base::open_own_file(path.c_str(), O_WRONLY | flags));
  write_all(out, threads);
  return out.close();
}

// Called where a loop or region has ended, without the lock.
void answer_watcher() noexcept {
  live_page& live = the_table().live;
  const auto question = live.take_question();
  if (!question) [[likely]]
    return;
  const int error_before = errno;  // the program's
  try {
    const base::may_fail here;
    const std::string file = live.file_for(*question);
    if (write_to_own(file, O_CREAT | O_EXCL, 0))
      live.put_in_place(file);
    else
      unlink(file.c_str());
  } catch (const std::bad_alloc&) {  // no answer: the watcher asks again
  }
  errno = error_before;
}

}  // namespace

bool enabled() { return the_table().counts; }

bool counts_so_far() {
  if (const table* const made = lazy_table.if_made()) return made->counts;
  // (15) relaxed; alone: as (13)
  const bool may_count = counting_is_asked.load(sync::relaxed) ||
                         secure_getenv(report_folder_variable) != nullptr ||
                         secure_getenv(live_folder_variable) != nullptr;
  return may_count && enabled();
}

bool writes_at_exit() {
  if (const table* const made = lazy_table.if_made()) return made->counts;
  return secure_getenv(report_folder_variable) != nullptr;  // a report of no loops
}

bool count_loops() {
  // (14) relaxed; alone: as (13)
  counting_is_asked.store(true, sync::relaxed);
  return enabled();
}

site* site_records::find(site_kind kind) const {
  // (1) acquire; pairs with (3): the newest of this process
  if (generation_.load(sync::acquire) != generation) return nullptr;
  // (2) acquire; pairs with (4): the site
  site* s = newest_.load(sync::acquire);
  while (s != nullptr && s->kind() != kind) s = s->next();
  return s;
}

site* find_site(site_records& known, const place& where) {
  if (site* const found = known.find(where.kind)) return found;
  // Not under the lock: it asks the loader, and a thread that runs a library's first loops may hold
  // the loader's lock.
  auto made = std::make_unique<site>(where);
  table& t = the_table();
  const std::lock_guard hold(sites_lock);
  if (site* const found = known.find(where.kind)) return found;
  // (5) relaxed; alone: writers hold the lock
  const bool first = known.generation_.load(sync::relaxed) != generation;
  // (6) relaxed; alone: as (5)
  site* const next = first ? nullptr : known.newest_.load(sync::relaxed);
  made->keep_module(t.modules);
  begin_trace(t);
  const bool has_history = where.kind != site_kind::nested && t.what != counted::costs;
  if (has_history && t.sites.size() < histories_most) made->keep_history();
  made->be_known(t.next_number++, next);
  made->begin_looks();
  site* const s = t.sites.emplace_back(std::move(made)).get();
  // (4) release; pairs with (2): the site
  known.newest_.store(s, sync::release);
  // (3) release; pairs with (1): the newest
  if (first) known.generation_.store(generation, sync::release);
  return s;
}

std::uint32_t number_of(const site& s) { return s.number(); }

std::uint32_t look_of(const site& s) { return s.first_look(); }

std::uint32_t last_look_of(const site& s) { return s.last_look(); }

stay_samples* borrow_samples(const counting& as, std::uint64_t iterations,
                             const schedules::numbering& numbers) noexcept {
  const std::lock_guard hold(sites_lock);
  stay_samples* const samples = as.of->samples(the_table().what);
  const bool is_lent =
      samples != nullptr && samples->begin(iterations, numbers, as.stands_for, as.follows);
  return is_lent ? samples : nullptr;
}

counting count_next(site* s) { return s->count_next(the_table().what); }

bool counts_regions() { return enabled() && the_table().what != counted::costs; }

bool times_chunks(const stay_samples* samples) {
  if (the_table().what != counted::costs) return true;
  return samples != nullptr && (samples->costs == nullptr || samples->costs->is_timed());
}

void add_execution(const counting& as, const execution_form& ran, const execution_times& when,
                   const tally* tallies, stay_samples* samples, std::uint64_t failed_claims) {
  const table& t = the_table();
  {
    const std::lock_guard hold(sites_lock);
    as.of->add(as, ran, when, tallies, failed_claims);
    if (t.what != counted::costs) as.of->weigh_detail({tallies, ran.workers}, when, t.clock_ticks);
  }
  if (samples != nullptr) samples->end();
  answer_watcher();
}

void add_whole(const counting& as, const execution_form& ran, const execution_times& when,
               std::uint64_t iterations) {
  {
    const std::lock_guard hold(sites_lock);
    as.of->add_whole(as, ran, when, iterations);
  }
  answer_watcher();
}

void add_split(site* s, std::uint32_t workers, const execution_times& when,
               std::span<const tally> tallies) {
  {
    const std::lock_guard hold(sites_lock);
    s->add_split_of_ledgers(workers, when, tallies);
  }
  answer_watcher();
}

void note_last(site* s, const schedules::spec& how, std::uint32_t workers, reason why) {
  {
    const std::lock_guard hold(sites_lock);
    s->note({how, workers, why});
  }
  answer_watcher();
}

std::uint64_t process_generation() { return generation; }

ledger* open_ledger(const deque::counts& done) noexcept try {
  if (!enabled()) return nullptr;
  const base::may_fail here;
  return the_table().add(std::make_unique<ledger>(done));
} catch (const std::bad_alloc&) {
  return nullptr;
}

namespace {

// All sites in order, and what threads' ledgers have of them.
struct counted_so_far {
  std::vector<const site*> in_order;
  std::unordered_map<const site*, record> of_ledgers;
  double ns_per_tick = 0;
};

counted_so_far look_at_all() {
  const table& t = the_table();
  const std::lock_guard hold(sites_lock);
  counted_so_far all;
  for (const ledger* of_thread = t.newest_ledger(); of_thread != nullptr;
       of_thread = of_thread->next) {
    if (of_thread->is_left_behind()) continue;
    of_thread->add_to([&](const site* s) -> record& { return all.of_ledgers[s]; });
  }
  all.ns_per_tick = t.scale.ns_per_tick();
  all.in_order.reserve(t.sites.size());
  for (const auto& s : t.sites) all.in_order.push_back(s.get());
  std::ranges::sort(all.in_order, {}, &site::place_in_order);
  return all;
}

record record_of(const site& s, const counted_so_far& all) {
  const auto found = all.of_ledgers.find(&s);
  const record* const of_ledgers = found == all.of_ledgers.end() ? nullptr : &found->second;
  const std::lock_guard hold(sites_lock);
  return s.in_ns(the_table().what, of_ledgers, all.ns_per_tick);
}

// Not under the sites' lock, for which loops and forks wait: nobody may read what is written, as
// of a pipe. One record at a time, for there may be many; sites stay where they are.
void write_all(base::text_file& out, std::uint32_t threads) {
  const counted_so_far all = look_at_all();
  out.write(report_head(facts_of_this_process(threads)));
  for (const site* s : all.in_order) out.write(record_line(record_of(*s, all)));
  out.write(report_end(all.in_order.size()));
}

}  // namespace

bool write_to(const char* path, std::uint32_t threads) {
  if (!counts_so_far()) return false;
  constexpr mode_t for_all = 0666;  // as far as the umask permits
  base::text_file out(open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, for_all));
  write_all(out, threads);
  return out.close();
}

void write_at_exit(std::uint32_t threads) {
  const table& t = the_table();
  t.live.remove_files();
  if (t.folder.empty() || !has_sites()) return;
  const std::string path = new_file_in(t.folder, "report");
  if (!write_to_own(path, 0, threads)) base::warn("the report could not be written to " + path);
}

}  // namespace doall::observe
