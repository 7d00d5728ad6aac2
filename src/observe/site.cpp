#include "observe/site.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <forward_list>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <tuple>
#include <utility>

#include "base/env.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/unload.hpp"
#include "observe/ledger.hpp"

namespace doall::observe {
namespace {

// Of the table of sites and of what each of them holds: a report is not asked for
// speed, and a fork has one lock to wait for.
constinit std::mutex sites_lock;
[[maybe_unused]] const int sites_lock_is_free = base::free_in_children<sites_lock>();

// Of the process: it changes only in the child of a fork, where there is no other thread.
std::uint64_t generation = 0;

}  // namespace

// The sums over a site's executions, in ticks until they are written. Its functions
// are called under sites_lock.
class site {
 public:
  explicit site(const place& where) {
    about_.kind = where.kind;
    about_.door = where.door;
    about_.line = where.line;
    if (where.file != nullptr) about_.file = where.file;
    if (where.function != nullptr) about_.function = where.function;
    // Asked now and not at the end: by then the module may have been unloaded.
    Dl_info found;
    if (dladdr(where.code, &found) != 0 && found.dli_fname != nullptr) {
      about_.module = found.dli_fname;
      about_.offset = reinterpret_cast<std::uintptr_t>(where.code) -
                      reinterpret_cast<std::uintptr_t>(found.dli_fbase);
    }
  }

  void add(const schedules::spec& how, std::uint32_t workers, std::uint64_t wall_ticks,
           const tally* tallies, std::uint64_t failed_claims) {
    note(how, workers);
    about_.calls += 1;
    about_.wall_ns += wall_ticks;
    // The flat form of a schedule that splits has no deque: of its counters these two remain.
    const bool flat =
        how.which != nullptr && (how.has(schedules::splitting) || schedules::is_hybrid(*how.which));
    about_.stealing.failed_claims += failed_claims;
    std::uint64_t busiest = 0;
    for (std::uint32_t w = 0; w < workers; ++w) {
      const tally& t = tallies[w];
      if (flat) about_.stealing.stolen += t.chunks[static_cast<int>(schedules::origin::stolen)];
      about_.iterations += t.iterations;
      about_.busy_ns += t.busy_ticks;
      about_.inside_ns += t.inside_ticks;
      about_.chunks_own += t.chunks[static_cast<int>(schedules::origin::own)];
      about_.chunks_central += t.chunks[static_cast<int>(schedules::origin::central)];
      about_.chunks_stolen += t.chunks[static_cast<int>(schedules::origin::stolen)];
      about_.stay_compared += t.stay.compared;
      about_.stay_stayed += t.stay.stayed;
      busiest = std::max(busiest, t.busy_ticks);
    }
    about_.capacity_ns += wall_ticks * workers;
    about_.bottleneck_ns += busiest * workers;
  }

  void note(const schedules::spec& how, std::uint32_t workers) {
    how_ = how;
    about_.workers = workers;
  }

  // Null if there is no memory.
  stay_samples* samples() {
    if (!samples_) samples_.reset(new (std::nothrow) stay_samples);
    return samples_.get();
  }

  const record& about() const { return about_; }

  // The sums, in ticks, as a record.
  record in_ns(record r, double ns_per_tick) const {
    for (std::uint64_t* ticks :
         {&r.wall_ns, &r.busy_ns, &r.capacity_ns, &r.bottleneck_ns, &r.inside_ns}) {
      *ticks = static_cast<std::uint64_t>(static_cast<double>(*ticks) * ns_per_tick);
    }
    r.schedule = how_.which == nullptr ? "-" : schedules::to_text(how_);
    return r;
  }

 private:
  record about_;  // its *_ns hold ticks
  schedules::spec how_;
  std::unique_ptr<stay_samples> samples_;
};

namespace {

// All sites of the process.
struct table {
  using key = std::tuple<site_kind, const void*, std::uint32_t>;
  using site_map = std::map<key, std::unique_ptr<site>>;

  std::string folder = base::env_text(report_folder_variable).value_or("");
  base::tick_scale scale;
  site_map sites;
  std::forward_list<site_map> left_behind;
  std::forward_list<std::unique_ptr<ledger>> ledgers;

  // In the child of a fork, whose report is its own. Loops that it is in the middle
  // of go on at the sites they know, unreported.
  void begin_anew() {
    if (!sites.empty()) left_behind.push_front(std::exchange(sites, {}));
  }
};

constinit base::lazy<table> lazy_table;
[[maybe_unused]] const int anew_in_children = pthread_atfork(nullptr, nullptr, [] {
  ++generation;
  if (table* made = lazy_table.if_made()) made->begin_anew();
});
const base::at_unload free_table([] { lazy_table.drop(); });

table& the_table() {
  return lazy_table.get([] { return table(); });
}

std::string program_name() {
  char path[4096];
  const auto length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "?";
}

}  // namespace

bool enabled() { return !the_table().folder.empty(); }

site* find_site(const place& where) {
  if (!enabled()) return nullptr;
  table& t = the_table();
  const table::key here{where.kind, where.code, where.line};
  {
    const std::lock_guard hold(sites_lock);
    if (const auto found = t.sites.find(here); found != t.sites.end()) return found->second.get();
  }
  // Not under the lock: it asks the loader, whose lock a thread may hold that
  // runs a library's first loops.
  auto made = std::make_unique<site>(where);
  const std::lock_guard hold(sites_lock);
  return t.sites.try_emplace(here, std::move(made)).first->second.get();
}

stay_samples* borrow_samples(site* s, std::uint64_t iterations,
                             const schedules::numbering& numbers) noexcept {
  const std::lock_guard hold(sites_lock);
  stay_samples* samples = s->samples();
  return samples != nullptr && samples->begin(iterations, numbers) ? samples : nullptr;
}

void add_execution(site* s, const schedules::spec& how, std::uint32_t workers,
                   std::uint64_t wall_ticks, const tally* tallies, stay_samples* samples,
                   std::uint64_t failed_claims) {
  {
    const std::lock_guard hold(sites_lock);
    s->add(how, workers, wall_ticks, tallies, failed_claims);
  }
  if (samples != nullptr) samples->end();
}

void note_last(site* s, const schedules::spec& how, std::uint32_t workers) {
  const std::lock_guard hold(sites_lock);
  s->note(how, workers);
}

std::uint64_t process_generation() { return generation; }

ledger* open_ledger(const steal::counts& done) noexcept try {
  if (!enabled()) return nullptr;
  auto made = std::make_unique<ledger>(done);
  const std::lock_guard hold(sites_lock);
  return the_table().ledgers.emplace_front(std::move(made)).get();
} catch (const std::bad_alloc&) {
  return nullptr;
}

void write_at_exit(std::uint32_t threads) {
  if (!enabled()) return;
  table& t = the_table();
  const std::lock_guard hold(sites_lock);
  if (t.sites.empty()) return;
  report all;
  all.pid = static_cast<std::uint64_t>(getpid());
  all.program = program_name();
  all.threads = threads;
  std::map<const site*, record> sums;
  for (const auto& [key, s] : t.sites) sums.emplace(s.get(), s->about());
  for (const auto& of_thread : t.ledgers) {
    if (of_thread->is_left_behind()) continue;
    of_thread->add_to([&](const site* s) -> record& { return sums[s]; });
  }
  const double ns_per_tick = t.scale.ns_per_tick();
  for (const auto& [key, s] : t.sites) {
    all.records.push_back(s->in_ns(std::move(sums[s.get()]), ns_per_tick));
  }
  const std::string path = t.folder + "/report." + std::to_string(getpid());
  std::ofstream out(path);
  write_report(out, all);
  out.close();
  if (!out) base::warn("the report could not be written to " + path);
}

}  // namespace doall::observe
