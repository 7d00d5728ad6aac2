#include "experiments/paper_cows_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>
#include <tuple>

#include "experiments/paper.hpp"
#include "kernels/cows_programs.hpp"
#include "lanes/cows_recorded.hpp"
#include "sim/machine.hpp"

namespace doall::bench::cows_paper {
namespace {

// The programs as IMSuite's port to C and OpenMP has them, whose words the paper's Figure 1 and
// counts of loops are (k-committee for committees of three: 28 loops, two with `while`). A vertex
// is a structure of 48 bytes in one array; what a kernel keeps of it is an allocation of its own,
// of 32 bytes; its neighbours are pointers to their structures. So a look at a neighbour's value is
// two looks at lines that are anywhere. PageRank and components, which are not in that port, are
// taken to use the same graph.
constexpr double vertex_bytes = 48;
constexpr double payload_bytes = 32;
// A message is put into its receiver's queue: a lock, a pointer, a vector and its items, each in an
// array or an allocation of its own; and where its front is.
constexpr double lock_bytes = 4;
constexpr double pointer_bytes = 8;
constexpr double front_bytes = 4;

// In cycles, and what is looked at, in bytes that all vertices have. Instructions are counted by
// hand, unoptimised as that port is built, two a cycle; a locked one takes 20 cycles.
struct work {
  double cycles = 0;
  std::vector<double> looks = {};
  bool is_locked = false;  // no look begins before the last one has ended
};

const work vertex_itself{40, {vertex_bytes, payload_bytes, pointer_bytes}};
const work neighbour_value{20, {vertex_bytes, payload_bytes}};
const work send{100, {vertex_bytes, lock_bytes, pointer_bytes, payload_bytes, payload_bytes}, true};
const work receive{145};  // a message: four locked instructions; the queue is here by now
const work receiver{80,
                    {vertex_bytes, payload_bytes, lock_bytes, pointer_bytes, payload_bytes,
                     front_bytes, payload_bytes},
                    true};
constexpr double receive_locked = 4;  // of receive's instructions, those on a lock

// An iteration of the kernel's loops over neighbours, what it does for each, and one of its others.
struct kernel_work {
  work vertex;
  work neighbour;
  work even;
};
const kernel_work& work_of(kernel_name k) {
  static const work tested{25, {vertex_bytes, payload_bytes}};
  static const kernel_work all[] = {
      {vertex_itself, send, tested},             // KC, where it sends
      {vertex_itself, neighbour_value, tested},  // LE
      {tested, neighbour_value, tested},         // BFS
      // PR: a division for each neighbour, by its degree; two more sums
      {vertex_itself, {35, {vertex_bytes, payload_bytes}}, {40, {vertex_bytes, payload_bytes}}},
      // CC: pointers are followed to the label's vertex
      {vertex_itself,
       neighbour_value,
       {35, {vertex_bytes, payload_bytes, vertex_bytes, payload_bytes}}}};
  return all[static_cast<std::size_t>(k)];
}

// WSRW's estimator: an iteration of the loop that adds up costs.
const work estimated{20, {vertex_bytes}};
constexpr double walked_step = 2;  // of an iteration that a thief walks past without Opt4

// Where a value is that is anywhere in an array of so many bytes, in cycles of 2.5 GHz.
// Assumed, as of such processors: 14 cycles from the second-level cache, of 1 MB, 60 from the
// third, 85 ns from the own socket's memory, 140 ns from the other's; nobody has measured it there.
// A graph that one thread has read is in the first socket's memory.
double look_cycles(const site& at, double bytes, bool is_far) {
  constexpr double second_level = 1e6;
  const double in_second = std::min(bytes, second_level);
  const double in_third = std::clamp(bytes - second_level, 0.0, at.third_level_bytes);
  const double in_memory = bytes - in_second - in_third;
  return (14 * in_second + 60 * in_third + (is_far ? 350 : 212) * in_memory) / bytes;
}

double cycles_of(const site& at, const printed_graph& g, const work& what, bool is_far = false) {
  constexpr double overlap = 4;  // of looks that wait for none: assumed
  double looks = 0;
  for (const double bytes : what.looks) looks += look_cycles(at, bytes * g.vertices, is_far);
  return what.cycles + looks / (what.is_locked ? 1 : overlap);
}

template <class Kernel>
loop_recorder record(const shared_ordered_graph& g) {
  loop_recorder made;
  Kernel k(g);
  k.reset();
  run(k, recorded_cows_loops(made));
  return made;
}

loop_recorder record(kernel_name k, const shared_ordered_graph& g) {
  switch (k) {
    case kernel_name::kc: return record<k_committee>(g);
    case kernel_name::le: return record<leader_election>(g);
    case kernel_name::bfs: return record<cows_search>(g);
    case kernel_name::pr: return record<rank_flow>(g);
    case kernel_name::cc: return record<label_flow>(g);
  }
  return {};
}

// Workers fill one socket first (section VI: what is between sockets shows when workers are more
// than a socket's cores), and then the cores' second threads.
bool is_far(const site& at, std::uint32_t worker) { return worker % at.cores >= at.cores / 2; }

// What a line that another worker has written takes: on the other socket, as often as chance has
// it.
double transfer_cycles(const site& at, std::uint32_t threads) {
  const sim::message_prices m = sim::find_machine(at.machine).messages;
  double far = 0;
  for (std::uint32_t w = 0; w < threads; ++w) far += is_far(at, w) ? 1 : 0;
  const double part = far / threads;
  return m.near + 2 * part * (1 - part) * (m.far - m.near);
}

// Locks are arrays of four bytes each, of vertices and of workers.
constexpr std::uint32_t locks_a_line = 16;

// `dynamic` deals neighbouring iterations to all workers at a time. What they receive is behind
// locks that lie side by side, 16 in a line, which each worker then waits for at each locked
// instruction. Workers with lists soon are at places far apart.
double waits_for_locks(const site& at, const std::string& schedule, std::uint32_t threads) {
  if (schedule != "dynamic") return 0;
  return receive_locked * transfer_cycles(at, threads) * std::min(threads, locks_a_line);
}

// A loop over neighbours whose iterations take so long; each looks at as many as were recorded.
recorded_loop in_cycles(const recorded_loop& recorded, double vertex, double neighbour) {
  recorded_loop made = recorded;
  auto costs = std::make_shared<recorded_costs>(*recorded.costs);
  for (double& one : costs->each) {
    one = std::round(vertex + (one - loop_recorder::vertex_cost) * neighbour);
  }
  made.fingerprint = costs->fingerprint();
  made.costs = std::move(costs);
  return made;
}

// k-committee's own loops: each flood of ours is one that sends and one that receives. WSRW knows
// what the first costs; the second has a `while` loop, and runs by WSRI.
std::vector<recorded_loop> committee_loops(const site& at, const printed_graph& g,
                                           const std::vector<recorded_loop>& ours, double waits) {
  constexpr double floods = 12;
  constexpr double even_loops = 4;
  std::vector<recorded_loop> made;
  for (const recorded_loop& loop : ours) {
    const auto same = [&](const recorded_loop& r) { return r.kind == loop.kind; };
    if (std::ranges::any_of(made, same)) continue;
    if (loop.kind == loop_kind::uniform) {
      made.push_back(loop);
      made.back().times = even_loops;
      continue;
    }
    const work& sends = work_of(kernel_name::kc).neighbour;
    made.push_back(in_cycles(loop, cycles_of(at, g, vertex_itself), cycles_of(at, g, sends)));
    made.back().times = floods;
    made.push_back(in_cycles(loop, cycles_of(at, g, receiver), cycles_of(at, g, receive) + waits));
    made.back().kind = loop_kind::guarded;
    made.back().times = floods;
  }
  return made;
}

// The kernel's loops in cycles of a worker of the first socket; `waits`: for each message received.
const std::vector<recorded_loop>& loops_of(const site& at, kernel_name k, const printed_graph& g,
                                           double waits = 0) {
  using key = std::tuple<std::string, kernel_name, std::string, double>;
  static std::map<key, std::vector<recorded_loop>> all;
  const auto [found, is_new] = all.try_emplace({at.name, k, g.name, waits});
  if (!is_new) return found->second;
  found->second = recorded(k, g).take();
  if (k == kernel_name::kc) {
    found->second = committee_loops(at, g, found->second, waits);
    return found->second;
  }
  for (recorded_loop& loop : found->second) {
    if (loop.kind == loop_kind::uniform) continue;
    loop = in_cycles(loop, cycles_of(at, g, work_of(k).vertex),
                     cycles_of(at, g, work_of(k).neighbour));
  }
  return found->second;
}

// What the estimator takes for the costs of a loop of which only some iterations do anything: those
// that they would have.
std::vector<double> costs_of_all(const site& at, kernel_name k, const printed_graph& g) {
  const ordered_graph& graph = *scaled_down(g);
  const double vertex_cycles = cycles_of(at, g, work_of(k).vertex);
  const double neighbour = cycles_of(at, g, work_of(k).neighbour);
  std::vector<double> all;
  all.reserve(graph.vertices());
  for (vertex v = 0; v < graph.vertices(); ++v) {
    all.push_back(std::round(vertex_cycles + graph.degree(v) * neighbour));
  }
  return all;
}

double fourth_root(double of) { return std::sqrt(std::sqrt(of)); }

double total_of(const recorded_loop& loop) {
  const recorded_costs& costs = *loop.costs;
  const std::vector<double>& known = costs.estimated.empty() ? costs.each : costs.estimated;
  return std::accumulate(known.begin(), known.end(), 0.0);
}

std::string with(const std::string& text, const char* key, const std::string& value) {
  return text.find(fmt::format(",{}=", key)) != text.npos
             ? text
             : fmt::format("{},{}={}", text, key, value);
}

double scale_of(const printed_graph& g) {
  return static_cast<double>(scaled_down(g)->vertices()) / g.vertices;
}

// c is as large a part of a list as in the paper's graph; at least one iteration.
template <std::size_t Graph>
std::string papers_own(const recorded_loop& loop, const std::string& text) {
  const bool is_wsrw = is_schedule(text, "wsrw");
  if (!is_wsrw && !is_schedule(text, "wsri") && !is_schedule(text, "wsr")) return text;
  if (is_wsrw && loop.kind == loop_kind::uniform) return "cyclic";
  const bool has_costs = is_wsrw && loop.kind == loop_kind::costed;
  const double scale = scale_of(printed_graphs()[Graph]);
  const double workload = has_costs ? total_of(loop) : static_cast<double>(loop.costs->iterations);
  const std::string named =
      is_wsrw && !has_costs ? "wsri" + text.substr(std::string_view("wsrw").size()) : text;
  return with(with(named, "assign", "cyclic"), "c",
              fmt::format("{:.0f}", std::max(1.0, scale * fourth_root(workload / scale))));
}

schedule_of_loop papers_own_of(const printed_graph& g) {
  constexpr schedule_of_loop all[] = {papers_own<0>, papers_own<1>, papers_own<2>, papers_own<3>,
                                      papers_own<4>};
  const auto& graphs = printed_graphs();
  const auto at = std::ranges::find(graphs, std::string_view(g.name), [](const printed_graph& one) {
    return std::string_view(one.name);
  });
  return all[at - graphs.begin()];
}

// `walked`: what a thief takes to walk past an iteration that its victim keeps, about as many as it
// gets. A theft takes the lock of all, then its victim's, whose list it changes: three lines that
// others have written. A try that fails takes the locks.
machine_prices prices_of(const site& at, const printed_graph& g, std::uint32_t threads,
                         double walked) {
  constexpr double looks_a_line = 8;  // that overlap (cows_machine.hpp)
  const sim::machine m = sim::find_machine(at.machine);
  const double scale = scale_of(g);
  const double line = transfer_cycles(at, threads);
  const double reservation = 3 * line;
  return {.own = scale * reservation,
          .central = line,
          .stolen = scale * 3 * line,
          .look = scale * line / looks_a_line,
          .late = scale * m.spread,
          .jitter = m.jitter,
          .moved = walked,
          .own_by_number = std::max(scale, 1 / fourth_root(g.vertices)) * reservation,
          .failed = scale * 2 * line,
          .locks_in_line = locks_a_line,
          .own_again = m.sync.own / reservation,
          .own_served = 2.0 / 3};
}

// How many times as long iterations take on each worker: on the second socket, by where the graph
// is; and where two threads share a core.
std::vector<double> slowness_of(const site& at, kernel_name k, const printed_graph& g,
                                std::uint32_t threads) {
  const double degree = 2 * g.edges / g.vertices;
  const auto vertex_on = [&](bool far) {
    return cycles_of(at, g, work_of(k).vertex, far) +
           degree * cycles_of(at, g, work_of(k).neighbour, far);
  };
  const double far = vertex_on(true) / vertex_on(false);
  const double shared = sim::find_machine(at.machine).shared_core;
  std::vector<double> all(threads, 1);
  for (std::uint32_t w = 0; w < threads; ++w) {
    if (is_far(at, w)) all[w] *= far;
    const std::uint32_t other = w < at.cores ? w + at.cores : w - at.cores;
    if (other < threads) all[w] *= shared;
  }
  return all;
}

machine_figures run_on(const site& at, kernel_name k, const printed_graph& g,
                       const std::vector<recorded_loop>& loops, const std::string& schedule,
                       std::uint32_t threads, double walked = 0) {
  constexpr unsigned seeds = 5;
  using key = std::tuple<std::string, kernel_name, std::string, std::string, std::uint32_t, double>;
  static std::map<key, machine> all;
  machine& here = all.try_emplace(key(at.machine, k, g.name, schedule, threads, walked),
                                  machine_request{.workers = {threads},
                                                  .seeds = seeds,
                                                  .prices = prices_of(at, g, threads, walked),
                                                  .schedules = {schedule},
                                                  .by = papers_own_of(g),
                                                  .uniform_cost = cycles_of(at, g, work_of(k).even),
                                                  .slowness = slowness_of(at, k, g, threads),
                                                  .judges_balance = false})
                      .first->second;
  here.run(loops);
  return here.of(loops, schedule, threads);
}

}  // namespace

const std::vector<site>& sites() {
  static const std::vector<site> all{
      {"Aqua", "gold-6248", 40, 27.5e6, {4, 8, 16, 32}, 40},
      {"Goodwill", "gold-6240", 36, 24.75e6, {4, 8, 16, 32, 64, 72}, 72}};
  return all;
}

const char* text(kernel_name k) {
  constexpr const char* names[] = {"KC", "LE", "BFS", "PR", "CC"};
  return names[static_cast<std::size_t>(k)];
}

const loop_recorder& recorded(kernel_name k, const printed_graph& g) {
  static std::map<std::pair<kernel_name, std::string>, loop_recorder> all;
  const auto [at, is_new] = all.try_emplace({k, g.name});
  if (is_new) at->second = record(k, scaled_down(g));
  return at->second;
}

machine_figures found(const site& at, kernel_name k, const printed_graph& g,
                      const std::string& schedule, std::uint32_t threads) {
  const std::string runs = stand_in(schedule);
  const double waits = k == kernel_name::kc ? waits_for_locks(at, runs, threads) : 0;
  const std::vector<recorded_loop>& loops = loops_of(at, k, g, waits);
  machine_figures made = run_on(at, k, g, loops, runs, threads);
  if (!is_schedule(runs, "wsrw")) return made;
  const double estimate = cycles_of(at, g, estimated);
  for (const recorded_loop& loop : loops) {
    if (loop.kind != loop_kind::costed) continue;
    made.makespan += estimate * static_cast<double>(loop.costs->iterations) / threads;
  }
  return made;
}

double unoptimised(const site& at, kernel_name k, const printed_graph& g) {
  const std::uint32_t threads = at.most;
  const double even = std::round(cycles_of(at, g, work_of(k).even));
  const double estimate = cycles_of(at, g, estimated);
  std::vector<recorded_loop> loops = loops_of(at, k, g);
  double sums = 0;
  for (recorded_loop& loop : loops) {
    const bool has_while = k == kernel_name::kc && loop.kind == loop_kind::guarded;
    if (has_while) continue;
    sums += loop.times * estimate * static_cast<double>(loop.costs->iterations) / threads;
    if (loop.kind != loop_kind::costed) {
      auto costs = std::make_shared<recorded_costs>(*loop.costs);
      if (loop.kind == loop_kind::uniform)
        costs->each.assign(costs->iterations, even);
      else
        costs->estimated = costs_of_all(at, k, g);
      loop.fingerprint = costs->fingerprint();
      loop.costs = std::move(costs);
      loop.kind = loop_kind::costed;
    }
  }
  return run_on(at, k, g, loops, stand_in(wsrw), threads, walked_step).makespan + sums;
}

}  // namespace doall::bench::cows_paper
