#include "report/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/file_text.hpp"
#include "observe/record.hpp"
#include "observe/trace_file.hpp"
#include "process/say.hpp"
#include "report/report.hpp"
#include "report/symbols.hpp"
#include "schedule/schedule.hpp"
#include "text/version.hpp"

namespace doall::cli {
namespace {

namespace fs = std::filesystem;
namespace file = observe::trace_file;
using nlohmann::ordered_json;
using observe::record;

// What a process left.
struct process_trace {
  file::header header{};
  std::vector<file::lane> lanes;
  std::vector<file::event> events;
  std::uint64_t dropped = 0;
  observe::report sites;

  double ns_per_tick() const {
    const auto ticks = static_cast<double>(header.last_ticks - header.first_ticks);
    return ticks > 0 ? static_cast<double>(header.last_ns - header.first_ns) / ticks : 1;
  }
  // Since the process's first loop. The clocks of two processors may differ by some ticks.
  std::int64_t since_begin_ns(std::uint64_t ticks) const {
    const auto since = static_cast<std::int64_t>(ticks - header.first_ticks);
    return static_cast<std::int64_t>(static_cast<double>(since) * ns_per_tick());
  }
  const record& look(const file::event& e) const {
    return sites.records[e.look - header.first_look];
  }
  bool knows(const file::event& e) const {
    return e.kind != 0 && e.lane >= 1 && e.lane <= lanes.size() && e.look >= header.first_look &&
           e.look - header.first_look < sites.records.size() && e.begin_ticks <= e.end_ticks;
  }
};

template <class T>
bool read_into(std::istream& in, std::size_t offset, T* to, std::size_t count) {
  in.seekg(static_cast<std::streamoff>(offset));
  in.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T)));
  return static_cast<bool>(in);
}

std::optional<process_trace> read_trace(const fs::path& path) try {
  process_trace found;
  std::ifstream in(path, std::ios::binary);
  file::header& h = found.header;
  if (!read_into(in, 0, &h, 1) || h.magic != file::magic) return std::nullopt;
  found.lanes.resize(std::min(h.lanes, file::lanes));
  if (!read_into(in, file::lanes_offset, found.lanes.data(), found.lanes.size()))
    return std::nullopt;
  // No more than there is: a damaged number asks for no memory.
  const std::uint64_t room = fs::file_size(path) - file::events_offset;
  const std::uint64_t blocks = std::min<std::uint64_t>(h.taken, h.blocks);
  if (blocks > room / (file::block_events * sizeof(file::event))) return std::nullopt;
  std::vector<file::event> all(blocks * file::block_events);
  if (!read_into(in, file::events_offset, all.data(), all.size())) return std::nullopt;
  const auto sites = base::contents(path.string() + file::sites_suffix);
  found.sites = observe::read_report(sites.value_or(""), true);
  std::ranges::copy_if(all, std::back_inserter(found.events),
                       [&](const file::event& e) { return found.knows(e); });
  std::ranges::stable_sort(found.events, {}, &file::event::begin_ticks);
  for (const file::lane& l : found.lanes) found.dropped += l.dropped;
  return found;
} catch (const std::runtime_error& e) {
  say("doall: the trace of one process is left out: {}: {}\n", path.filename().string(), e.what());
  return std::nullopt;
}

std::vector<process_trace> gather_traces(const std::vector<fs::path>& folders) {
  std::vector<process_trace> all;
  symbol_finder symbols;
  for (std::size_t rank = 0; rank < folders.size(); ++rank) {
    std::error_code ignored;
    for (const fs::directory_entry& left : fs::directory_iterator(folders[rank], ignored)) {
      const std::string name = left.path().filename().string();
      if (!name.starts_with("trace.") || name.ends_with(file::sites_suffix)) continue;
      auto found = read_trace(left.path());
      if (!found) continue;
      if (folders.size() > 1) found->sites.rank = static_cast<int>(rank);
      add_symbols(found->sites, symbols);
      all.push_back(std::move(*found));
    }
  }
  std::ranges::sort(all, {}, [](const process_trace& p) { return p.header.first_real_ns; });
  return all;
}

// Leaves each process the same part of its events: its first ones.
void shorten(std::vector<process_trace>& all, std::uint64_t events_most) {
  std::uint64_t events = 0;
  for (const process_trace& p : all) events += p.events.size();
  if (events <= events_most) return;
  for (process_trace& p : all) {
    const std::uint64_t kept = p.events.size() * events_most / events;
    p.dropped += p.events.size() - kept;
    p.events.resize(kept);
  }
}

// A piece of a thread's time. Of two that overlap one holds the other: that is what the trace's
// form asks for.
struct slice {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  file::kind kind;
  const file::event* of;
  // Behind a share: until the last worker had left. A thread that does not wait goes on earlier.
  bool until_next = false;
};

void add_slices(const process_trace& p, const file::event& e, std::vector<slice>& to) {
  const auto at = [&](std::uint64_t ticks) { return p.since_begin_ns(ticks); };
  const auto kind = static_cast<file::kind>(e.kind);
  to.push_back({at(e.begin_ticks), at(e.end_ticks), kind, &e});
  const std::uint64_t closed_ticks = e.numbers[1];
  if (kind == file::kind::share && closed_ticks > e.end_ticks)
    to.push_back({at(e.end_ticks), at(closed_ticks), file::kind::waiting, &e, true});
}

// In order, each with its end before that of the one around it.
void nest(std::vector<slice>& all) {
  std::ranges::stable_sort(all, [](const slice& a, const slice& b) {
    return a.begin_ns != b.begin_ns ? a.begin_ns < b.begin_ns : a.end_ns > b.end_ns;
  });
  std::vector<std::int64_t> around;  // the ends of those that hold the next
  for (std::size_t n = 0; n < all.size(); ++n) {
    slice& s = all[n];
    if (s.until_next && n + 1 < all.size()) s.end_ns = std::min(s.end_ns, all[n + 1].begin_ns);
    // A barrier says it already.
    const bool said = n > 0 && all[n - 1].kind == file::kind::waiting && !all[n - 1].until_next &&
                      all[n - 1].end_ns > s.begin_ns;
    if (s.until_next && said) s.end_ns = s.begin_ns;
    while (!around.empty() && around.back() <= s.begin_ns) around.pop_back();
    // A wait in a barrier begins before the thread has left the loop that lies before it.
    while (!around.empty() && s.kind == file::kind::waiting && !s.until_next &&
           around.back() < s.end_ns) {
      s.begin_ns = around.back();
      around.pop_back();
    }
    if (!around.empty()) s.end_ns = std::min(s.end_ns, around.back());
    s.end_ns = std::max(s.begin_ns, s.end_ns);
    around.push_back(s.end_ns);
  }
  std::erase_if(all, [](const slice& s) { return s.until_next && s.end_ns <= s.begin_ns; });
  std::ranges::stable_sort(all, {}, &slice::begin_ns);
}

std::string_view origin_text(std::uint32_t origin) {
  constexpr std::string_view names[] = {"own", "central", "stolen"};
  return names[std::min<std::uint32_t>(origin, 2)];
}

ordered_json arguments_of(const slice& s, const record& r) {
  const file::event& e = *s.of;
  if (s.kind == file::kind::waiting) return {{"loop", where_text(r)}, {"worker", e.worker}};
  if (s.kind == file::kind::chunk) {
    ordered_json args{{"loop", where_text(r)},
                      {"first", static_cast<std::int64_t>(e.numbers[0])},
                      {"last", static_cast<std::int64_t>(e.numbers[1])},
                      {"worker", e.worker},
                      {"from", origin_text(e.counts[0])}};
    if (e.counts[1] != 1) args["increment"] = static_cast<std::int32_t>(e.counts[1]);
    return args;
  }
  ordered_json args{{"worker", e.worker}, {"workers", e.workers}};
  if (r.kind == observe::site_kind::region) return args;
  args["schedule"] = r.schedule;
  args["why"] = r.why;
  args["iterations"] = e.numbers[0];
  for (std::uint32_t n = 0; n < std::size(e.counts); ++n)
    args["chunks_" + std::string(origin_text(n))] = e.counts[n];
  return args;
}

std::string name_of(const slice& s, const record& r) {
  if (s.kind == file::kind::waiting) return "waiting";
  if (s.kind == file::kind::share) return where_text(r);
  const bool stolen = origin_text(s.of->counts[0]) == "stolen";
  return stolen ? "stolen chunk" : "chunk";
}

std::string_view category_of(const slice& s, const record& r) {
  if (s.kind == file::kind::waiting) return "waiting";
  return s.kind == file::kind::chunk ? "chunk" : observe::name_of(r.kind);
}

// The file's text, an event in each line.
class trace_text {
 public:
  explicit trace_text(const ordered_json& about) {
    text_ = "{\"displayTimeUnit\": \"ns\", \"otherData\": " + json_text(about, -1) +
            ", \"traceEvents\": [";
  }
  void add(const ordered_json& event) {
    text_ += separator_ + json_text(event, -1);
    separator_ = ",\n";
  }
  void name(std::string_view what, std::uint64_t pid, std::uint64_t tid, std::string_view argument,
            const ordered_json& value) {
    add({{"name", what}, {"ph", "M"}, {"pid", pid}, {"tid", tid}, {"args", {{argument, value}}}});
  }
  std::string end() { return std::move(text_) + "\n]}\n"; }

 private:
  std::string text_;
  const char* separator_ = "\n";
};

// The worker that the thread always was; nothing if it was several, or none.
std::optional<std::uint32_t> worker_of(const std::vector<slice>& slices) {
  std::optional<std::uint32_t> only;
  for (const slice& s : slices) {
    if (only && *only != s.of->worker) return std::nullopt;
    only = s.of->worker;
  }
  return only;
}

void add_process(const process_trace& p, std::uint64_t begin_real_ns, trace_text& to) {
  const std::uint64_t pid = p.header.pid;
  const auto later_ns = static_cast<std::int64_t>(p.header.first_real_ns - begin_real_ns);
  const std::string rank = p.sites.rank < 0 ? "" : fmt::format("rank {}: ", p.sites.rank);
  to.name("process_name", pid, pid, "name", rank + fs::path(p.sites.program).filename().string());
  if (p.dropped != 0)
    to.name("process_labels", pid, pid, "labels", fmt::format("{} events left out", p.dropped));
  std::vector<std::vector<slice>> by_lane(p.lanes.size());
  for (const file::event& e : p.events) add_slices(p, e, by_lane[e.lane - 1]);
  for (std::size_t lane = 0; lane < by_lane.size(); ++lane) {
    std::vector<slice>& slices = by_lane[lane];
    if (slices.empty()) continue;
    nest(slices);
    const std::uint64_t tid = p.lanes[lane].thread;
    const auto worker = worker_of(slices);
    to.name("thread_name", pid, tid, "name",
            worker ? fmt::format("worker {}", *worker) : fmt::format("thread {}", lane));
    to.name("thread_sort_index", pid, tid, "sort_index", lane);
    constexpr double ns_per_us = 1'000;
    for (const slice& s : slices) {
      const record& r = p.look(*s.of);
      to.add({{"name", name_of(s, r)},
              {"cat", category_of(s, r)},
              {"ph", "X"},
              {"pid", pid},
              {"tid", tid},
              {"ts", static_cast<double>(later_ns + s.begin_ns) / ns_per_us},
              {"dur", static_cast<double>(s.end_ns - s.begin_ns) / ns_per_us},
              {"args", arguments_of(s, r)}});
    }
  }
}

}  // namespace

void write_trace(result_file& to, const std::vector<fs::path>& folders, std::uint64_t events_most) {
  std::vector<process_trace> all = gather_traces(folders);
  shorten(all, events_most);
  std::uint64_t events = 0;
  std::uint64_t dropped = 0;
  for (const process_trace& p : all) {
    events += p.events.size();
    dropped += p.dropped;
  }
  trace_text text({{"doall", version_text()}, {"events", events}, {"left_out", dropped}});
  for (const process_trace& p : all) add_process(p, all.front().header.first_real_ns, text);
  to.write(text.end());
  if (all.empty()) say("doall: no process left a trace\n");
  if (dropped != 0) {
    say("doall: the trace has {} events, and {} more did not fit: chunks first, then what "
        "came late; --trace-events=N takes more\n",
        events, dropped);
  }
}

}  // namespace doall::cli
