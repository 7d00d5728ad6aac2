#include "observe/site.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <forward_list>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <new>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/env.hpp"
#include "base/fork.hpp"
#include "base/lazy.hpp"
#include "base/rng.hpp"
#include "base/unload.hpp"
#include "observe/ledger.hpp"

namespace doall::observe {
namespace {

// Guards the table of sites and the contents of each: a report need not be fast, and a fork has one
// lock to wait for.
constinit base::lone_mutex sites_lock;
[[maybe_unused]] const int sites_lock_is_free = base::free_in_children<sites_lock>();

// The number with three decimals, whatever the program's locale is.
std::string decimals(double value) {
  char text[64];
  const auto [end, error] = std::to_chars(text, std::end(text), value, std::chars_format::fixed, 3);
  return error == std::errc() ? std::string(text, end) : "0";
}

// The process's generation. It changes only in the child of a fork, where there is no other thread,
// and when the library is unloaded.
std::uint64_t generation = 1;

// What a process counts of its loops.
enum class counted { report, report_and_costs, costs };

counted what_is_counted() {
  const std::string costs = base::env_text(report_costs_variable).value_or("");
  if (costs == "only") return counted::costs;
  return costs == "1" ? counted::report_and_costs : counted::report;
}

}  // namespace

// The sums over a site's executions, in ticks until they are written. Its functions are called
// under sites_lock.
class site {
 public:
  explicit site(const place& where) : code_(where.code) {
    about_.kind = where.kind;
    about_.door = where.door;
    about_.line = where.line;
    if (where.file != nullptr) about_.file = where.file;
    if (where.function != nullptr) about_.function = where.function;
    // Looked up now: at the end the module may have been unloaded.
    Dl_info found;
    if (dladdr(where.code, &found) != 0 && found.dli_fname != nullptr) {
      module_ = found.dli_fname;
      about_.offset = reinterpret_cast<std::uintptr_t>(where.code) -
                      reinterpret_cast<std::uintptr_t>(found.dli_fbase);
    }
  }

  void add(const schedules::spec& how, std::uint32_t workers, std::uint64_t wall_ticks,
           const tally* tallies, std::uint64_t failed_claims, reason why) {
    note(how, workers, why);
    const std::uint64_t stands_for = weight();
    const auto count = [&](std::uint64_t& sum, std::uint64_t n) { sum += stands_for * n; };
    count(about_.calls, 1);
    count(about_.wall_time, wall_ticks);
    // The flat form of a splitting schedule has no deque: these two of its counters remain.
    const bool flat =
        how.which != nullptr && (how.has(schedules::splitting) || schedules::is_hybrid(*how.which));
    count(about_.stealing.failed_claims, failed_claims);
    std::uint64_t busiest = 0;
    for (std::uint32_t w = 0; w < workers; ++w) {
      const tally& t = tallies[w];
      const std::uint64_t stolen = t.chunks[static_cast<int>(schedules::origin::stolen)];
      if (flat) count(about_.stealing.stolen, stolen);
      count(about_.iterations, t.iterations);
      count(about_.busy_time, t.busy_ticks);
      count(about_.inside_time, t.inside_ticks);
      if (t.timed) count(timed_inside_, t.inside_ticks);
      count(about_.chunks_own, t.chunks[static_cast<int>(schedules::origin::own)]);
      count(about_.chunks_central, t.chunks[static_cast<int>(schedules::origin::central)]);
      count(about_.chunks_stolen, stolen);
      count(about_.stay_compared, t.stay.compared);
      count(about_.stay_stayed, t.stay.stayed);
      busiest = std::max(busiest, t.busy_ticks);
    }
    count(about_.capacity_time, wall_ticks * workers);
    count(about_.bottleneck_time, busiest * workers);
  }

  // Without the lock, for each execution. By chance: a program's phases must not line up with it.
  bool counts_next() {
    // (10) relaxed; alone: a count; nothing else is communicated
    const std::uint64_t before = executions_.fetch_add(1, sync::relaxed);
    return before < counted_first || base::rng(before).next() % counted_in == 0;
  }

  // How many executions the one that is counted stands for.
  std::uint64_t weight() const {
    // (11) relaxed; alone: as (10)
    return executions_.load(sync::relaxed) <= counted_first ? 1 : counted_in;
  }

  void note(const schedules::spec& how, std::uint32_t workers, reason why) {
    how_ = how;
    about_.why = text_of(why);
    about_.workers = workers;
  }

  // Null if there is no memory.
  stay_samples* samples(counted what) {
    if (samples_) return samples_.get();
    samples_.reset(new (std::nothrow) stay_samples);
    if (samples_ == nullptr || what == counted::report) return samples_.get();
    samples_->costs.reset(new (std::nothrow) cost_profile);
    samples_->compares = what != counted::costs;
    return samples_.get();
  }

  // Called before others know the site: many sites have one module, and share its name.
  void keep_module(std::unordered_set<std::string>& names) {
    module_ = *names.emplace(module_).first;
  }
  void be_known(std::uint32_t number, site* next) {
    number_ = number;
    next_ = next;
  }
  std::uint32_t number() const { return number_; }
  site_kind kind() const { return about_.kind; }
  site* next() const { return next_; }

  // The site's place in the report.
  auto place_in_order() const { return std::tuple(about_.kind, code_, about_.line, number_); }

  // The sums, in ticks, and the ledgers' as a record.
  record in_ns(const record* ledgers, double ns_per_tick) const {
    record r = about_;
    r.module = module_;
    complete(r);
    if (ledgers != nullptr) add_numbers(r, *ledgers);
    for (std::uint64_t* ticks :
         {&r.wall_time, &r.busy_time, &r.capacity_time, &r.bottleneck_time, &r.inside_time}) {
      *ticks = static_cast<std::uint64_t>(static_cast<double>(*ticks) * ns_per_tick);
    }
    r.schedule = how_.which == nullptr ? "-" : schedules::to_text(how_);
    if (samples_ && samples_->costs) {
      samples_->costs->read([&](std::uint64_t iterations, double ticks) {
        if (!r.costs.empty()) r.costs += ' ';
        r.costs += std::to_string(iterations) + ':' + decimals(ticks * ns_per_tick);
      });
    }
    return r;
  }

 private:
  // Scales what stands for others to all executions. Where most were timed as wholes, their
  // iterations took the part of that time that the others' took.
  void complete(record& r) const {
    // (12) relaxed; alone: as (10)
    const std::uint64_t all = executions_.load(sync::relaxed);
    if (all != 0 && r.calls != 0) {
      const double scale = static_cast<double>(all) / static_cast<double>(r.calls);
      for (std::uint64_t* sum : {&r.wall_time, &r.busy_time, &r.capacity_time, &r.bottleneck_time,
                                 &r.inside_time, &r.iterations}) {
        *sum = static_cast<std::uint64_t>(scale * static_cast<double>(*sum));
      }
      r.calls = all;
    }
    complete_busy(r);
  }

  void complete_busy(record& r) const {
    if (timed_inside_ == 0 || timed_inside_ == about_.inside_time) return;
    const auto share = static_cast<double>(about_.busy_time) / static_cast<double>(timed_inside_);
    r.busy_time = static_cast<std::uint64_t>(share * static_cast<double>(r.inside_time));
    if (samples_ && samples_->costs) r.iterations = samples_->costs->mean_length() * r.calls;
  }

  record about_;                    // times in ticks; without the module
  std::uint64_t timed_inside_ = 0;  // of inside_time, in executions whose chunks were timed
  sync::atomic<std::uint64_t> executions_{0};  // of counts_next()
  std::string_view module_;
  const void* code_;
  site* next_ = nullptr;
  std::uint32_t number_ = 0;
  schedules::spec how_;
  std::unique_ptr<stay_samples> samples_;
};

namespace {

// All sites of the process.
struct table {
  using site_list = std::vector<std::unique_ptr<site>>;

  std::string folder = base::env_text(report_folder_variable).value_or("");
  counted what = what_is_counted();
  base::tick_scale scale;
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
    if (!sites.empty()) left_behind.push_front(std::exchange(sites, {}));
  }
};

constinit base::lazy<table> lazy_table;
[[maybe_unused]] const int anew_in_children = base::at_fork(nullptr, nullptr, [] {
  ++generation;
  if (table* made = lazy_table.if_made()) made->begin_anew();
});
const base::at_unload free_table([] {
  ++generation;
  lazy_table.drop();
});

table& the_table() {
  return lazy_table.get([] { return table(); });
}

std::string program_name() {
  char path[4096];
  const auto length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<std::size_t>(length)) : "?";
}

// The path of a new file, report.<pid>. An earlier process with that number may have left a report,
// also one of another machine or container that shares the folder: then report.<pid>.2, ...
std::string new_report_in(const std::string& folder) {
  constexpr int most_of_one_number = 100'000;
  const std::string usual = folder + "/report." + std::to_string(getpid());
  std::string path = usual;
  for (int again = 2; again <= most_of_one_number; ++again) {
    constexpr mode_t for_all = 0666;  // but for the umask's
    const int made = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, for_all);
    if (made >= 0) close(made);
    if (made >= 0 || errno != EEXIST) break;
    path = usual + "." + std::to_string(again);
  }
  return path;
}

}  // namespace

bool enabled() { return !the_table().folder.empty(); }

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
  made->be_known(t.next_number++, next);
  site* const s = t.sites.emplace_back(std::move(made)).get();
  // (4) release; pairs with (2): the site
  known.newest_.store(s, sync::release);
  // (3) release; pairs with (1): the newest
  if (first) known.generation_.store(generation, sync::release);
  return s;
}

std::uint32_t number_of(const site& s) { return s.number(); }

stay_samples* borrow_samples(site* s, std::uint64_t iterations,
                             const schedules::numbering& numbers) noexcept {
  const std::lock_guard hold(sites_lock);
  stay_samples* const samples = s->samples(the_table().what);
  const bool is_lent = samples != nullptr && samples->begin(iterations, numbers, s->weight());
  return is_lent ? samples : nullptr;
}

bool counts_next(site* s) { return the_table().what != counted::costs || s->counts_next(); }

bool counts_regions() { return enabled() && the_table().what != counted::costs; }

bool times_chunks(const stay_samples* samples) {
  if (the_table().what != counted::costs) return true;
  return samples != nullptr && (samples->costs == nullptr || samples->costs->is_timed());
}

void add_execution(site* s, const schedules::spec& how, std::uint32_t workers,
                   std::uint64_t wall_ticks, const tally* tallies, stay_samples* samples,
                   std::uint64_t failed_claims, reason why) {
  {
    const std::lock_guard hold(sites_lock);
    s->add(how, workers, wall_ticks, tallies, failed_claims, why);
  }
  if (samples != nullptr) samples->end();
}

void note_last(site* s, const schedules::spec& how, std::uint32_t workers, reason why) {
  const std::lock_guard hold(sites_lock);
  s->note(how, workers, why);
}

std::uint64_t process_generation() { return generation; }

ledger* open_ledger(const deque::counts& done) noexcept try {
  if (!enabled()) return nullptr;
  return the_table().add(std::make_unique<ledger>(done));
} catch (const std::bad_alloc&) {
  return nullptr;
}

void write_at_exit(std::uint32_t threads) {
  if (!enabled()) return;
  table& t = the_table();
  const std::lock_guard hold(sites_lock);
  if (t.sites.empty()) return;
  std::unordered_map<const site*, record> of_ledgers;
  for (const ledger* of_thread = t.newest_ledger(); of_thread != nullptr;
       of_thread = of_thread->next) {
    if (of_thread->is_left_behind()) continue;
    of_thread->add_to([&](const site* s) -> record& { return of_ledgers[s]; });
  }
  std::vector<const site*> in_order;
  in_order.reserve(t.sites.size());
  for (const auto& s : t.sites) in_order.push_back(s.get());
  std::ranges::sort(in_order, {}, &site::place_in_order);
  const std::string path = new_report_in(t.folder);
  std::ofstream out(path);
  // Write one record at a time: there may be many.
  report_writer writer(out, static_cast<std::uint64_t>(getpid()), threads, program_name());
  const double ns_per_tick = t.scale.ns_per_tick();
  for (const site* s : in_order) {
    const auto found = of_ledgers.find(s);
    writer.add(s->in_ns(found == of_ledgers.end() ? nullptr : &found->second, ns_per_tick));
  }
  writer.end();
  out.close();
  if (!out) base::warn("the report could not be written to " + path);
}

}  // namespace doall::observe
