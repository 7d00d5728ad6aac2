// A graph mix in Ligra's manner: breadth-first search, betweenness, connected components
// and PageRank. Length: four programs, with the search, scan and pack that they share.
//
// Fine-grain, section 5.4, Table 3: coarse loops over edges (Ligra's edgeMap) beside fine
// loops over vertices and subsets of them: maps, reductions, filtering, packing and prefix
// sums over arrays of tens of elements to millions. 73 to 148 fine loops a program there,
// 17 to 93 of them under 0.1 ms, and 6.6 to 24 % of the time; their time is counted apart.
// Ligra: Shun & Blelloch, PPoPP 2013. Own code, from these two papers.
//
// A subset that has few edges is pushed from: a parallel loop over it, each vertex with
// its edges; who comes to a neighbour first claims it. One with more than a twentieth of
// all edges is pulled from: a loop over all vertices that are not reached yet.
//
// Imbalance: large in coarse loops, degrees follow a power law. Affinity: little.
//
// Differs from Ligra in this: what is computed does not depend on who comes first, so that
// it can be compared with a plain serial algorithm's, bit by bit. Levels are the same
// whoever claims; labels of a round are computed from those of the last one; floating-point
// sums over a vertex's neighbours are pulled in the order of its row; sums over all vertices
// are of whole numbers.
//
// Here is what an iteration does; run() has the order of the loops.
#pragma once

#include <source_location>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/sync.hpp"
#include "kernels/graph.hpp"
#include "kernels/kernel.hpp"
#include "kernels/packing.hpp"

namespace doall::bench {

// A kernel on the graph, which counts its loops' times apart.
class graph_kernel : public kernel {
 public:
  // What each iteration has done is told by the answer.
  std::vector<std::size_t> loop_lengths() const override { return {}; }
  const times_of_loops* times() const override { return &times_; }

  const undirected_graph& graph() const { return *graph_; }
  std::size_t vertices() const { return graph_->vertices(); }

  // For run(): of the run that begins.
  times_of_loops& new_times() { return times_ = {}; }

 protected:
  explicit graph_kernel(shared_graph g) : graph_(std::move(g)) {}

 private:
  shared_graph graph_;
  times_of_loops times_;
};

// Whether a subset with so many edges is pulled from.
inline bool is_dense(const undirected_graph& g, std::uint64_t edges) {
  return edges > g.directed_edges() / 20;
}

// Breadth-first search from the hub: each vertex's level. The frontiers stay, one after
// the other.
class search {
 public:
  static constexpr std::uint32_t unreached = 0xffffffff;

  explicit search(const undirected_graph& g);

  void clear_level(vertex v);
  void begin();  // the first frontier

  std::span<const vertex> frontier() const { return frontier(depth()); }
  std::span<const vertex> frontier(std::size_t level) const {
    return std::span(order_).subspan(first_[level], first_[level + 1] - first_[level]);
  }
  std::size_t depth() const { return first_.size() - 2; }  // the frontier's level
  std::uint32_t level(vertex v) const {
    // (1) relaxed; alone: levels are told apart by loops, and within one a stale value is
    // one that was true
    return levels_[v].load(sync::relaxed);
  }

  std::uint32_t degree(std::size_t i) const { return graph_.degree(frontier()[i]); }

  // Pushing: where vertex i of the frontier writes whom it has claimed; then its edges.
  void take_degree(std::size_t i) { offsets_[i] = degree(i); }
  std::span<std::uint32_t> offsets() { return std::span(offsets_).first(frontier().size()); }
  void push(std::size_t i);
  std::span<const vertex> claimed(std::size_t edges) const {
    return std::span(slots_).first(edges);
  }

  // Pulling: into all vertices, from those marked.
  void clear_mark(vertex v) { marks_[v] = no_vertex; }
  void mark(std::size_t i) { marks_[frontier()[i]] = frontier()[i]; }
  void pull(vertex v);
  std::span<const vertex> pulled() const { return std::span(slots_).first(marks_.size()); }

  // The next frontier is packed there.
  vertex* next() { return order_.data() + first_.back(); }
  void advance(std::size_t vertices) { first_.push_back(first_.back() + vertices); }

 private:
  const undirected_graph& graph_;
  std::vector<sync::atomic<std::uint32_t>> levels_;
  std::vector<vertex> order_;
  std::vector<std::size_t> first_;  // of each frontier in order_, and the end
  std::vector<std::uint32_t> offsets_;
  std::vector<vertex> slots_;
  std::vector<vertex> marks_;
};

class bfs final : public graph_kernel {
 public:
  bfs(size s, const std::string& file) : bfs(graph_from(s, file)) {}
  explicit bfs(shared_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(levels_)); }

  search& walk() { return search_; }
  void take_level(vertex v) { levels_[v] = search_.level(v); }
  void take_level(vertex v, std::uint32_t level) { levels_[v] = level; }
  std::uint32_t level(vertex v) const { return levels_[v]; }

 private:
  search search_;
  std::vector<std::uint32_t> levels_;
};

// Brandes (2001), from one source: how many of the shortest paths from the hub a vertex lies on,
// summed over their ends, each end's as a part of one.
class betweenness final : public graph_kernel {
 public:
  betweenness(size s, const std::string& file) : betweenness(graph_from(s, file)) {}
  explicit betweenness(shared_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(scores_)); }

  search& walk() { return search_; }
  const search& walk() const { return search_; }
  void clear(vertex v);
  void begin() { paths_[graph().hub()] = 1; }

  // Shortest paths to v, of which the level before it knows its own.
  void count_paths(vertex v);
  void invert(vertex v) { inverse_[v] = paths_[v] > 0 ? 1 / paths_[v] : 0; }
  // Score over paths, which the level after it knows.
  void depend(vertex v);
  void finish(vertex v) { scores_[v] = shares_[v] * paths_[v]; }

  void take_score(vertex v, double score) { scores_[v] = score; }
  double score(vertex v) const { return scores_[v]; }

 private:
  search search_;
  std::vector<double> paths_;
  std::vector<double> inverse_;
  std::vector<double> shares_;
  std::vector<double> scores_;
};

// Each vertex's label is the least vertex that it is connected with. By rounds: a label is
// lowered to the least of its neighbours'; those lowered are the next round's subset.
class components final : public graph_kernel {
 public:
  components(size s, const std::string& file) : components(graph_from(s, file)) {}
  explicit components(shared_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(labels_)); }

  void begin(vertex v);
  std::span<const vertex> lowered() const { return std::span(lowered_).first(lowered_count_); }
  vertex* next() { return lowered_.data(); }
  void advance(std::size_t vertices) { lowered_count_ = vertices; }

  std::uint32_t degree(std::size_t i) const { return graph().degree(lowered_[i]); }
  void take_degree(std::size_t i) { offsets_[i] = degree(i); }
  std::span<std::uint32_t> offsets() { return std::span(offsets_).first(lowered_count_); }
  void push(std::size_t i);
  std::span<const vertex> claimed(std::size_t edges) const {
    return std::span(slots_).first(edges);
  }
  void pull(vertex v);
  std::span<const vertex> pulled() const { return std::span(slots_).first(vertices()); }

  // The round's end, for vertex i of the new subset.
  void settle(std::size_t i);

  bool is_least(vertex v) const { return labels_[v] == v; }
  void take_label(vertex v, vertex label) { labels_[v] = label; }
  vertex label(vertex v) const { return labels_[v]; }

 private:
  std::vector<vertex> labels_;
  std::vector<sync::atomic<vertex>> new_labels_;  // those of the lowered differ from labels_
  std::vector<vertex> lowered_;
  std::size_t lowered_count_ = 0;
  std::vector<std::uint32_t> offsets_;
  std::vector<vertex> slots_;
};

// Brin & Page (1998), damping 0.85, what vertices without edges have goes to all; until ranks
// change by less than 10^-7 in sum, 20 rounds at most.
class pagerank final : public graph_kernel {
 public:
  pagerank(size s, const std::string& file) : pagerank(graph_from(s, file)) {}
  explicit pagerank(shared_graph g);

  void reset() override;
  std::span<const std::byte> answer() const override { return std::as_bytes(std::span(ranks_)); }

  static constexpr int rounds_max = 20;
  static constexpr double enough = 1e-7;

  void begin(vertex v) { ranks_[v] = 1 / static_cast<double>(vertices()); }
  void share(vertex v);
  // Whole numbers: 2^60 is 1.
  static std::uint64_t fixed(double part) { return static_cast<std::uint64_t>(part * 0x1p60); }
  static double floating(std::uint64_t fixed) { return static_cast<double>(fixed) * 0x1p-60; }
  std::uint64_t dangling(vertex v) const { return graph().degree(v) == 0 ? fixed(ranks_[v]) : 0; }
  void pull(vertex v);
  void damp(vertex v, double dangling);
  std::uint64_t change(vertex v) const;
  void advance() { ranks_.swap(new_ranks_); }

  double rank(vertex v) const { return ranks_[v]; }

 private:
  std::vector<double> ranks_;
  std::vector<double> new_ranks_;
  std::vector<double> shares_;
};

void run_serial(bfs& k);
void run_serial(betweenness& k);
void run_serial(components& k);
void run_serial(pagerank& k);

// The order of the mix's loops, for every runtime.
//
// A runtime is two loops: each(count, body) is to run body(0) to body(count - 1) in
// parallel, sum(count, body) to return what they add up to; `grain` says which kind it is.
// They are instantiated for every body, so each loop below is a site of its own; those of
// pack() and scan() are shared by all who call them, as a library's are.

// A runtime's loops, with their time.
template <class Runtime>
class timed_loops {
 public:
  timed_loops(const Runtime& runtime, times_of_loops& times) : runtime_(runtime), times_(times) {}

  template <class Body>
  void fine(std::size_t count, const Body& body,
            const std::source_location& where = std::source_location::current()) const {
    const stopwatch watch(times_.fine);
    runtime_.each(count, body, where);
  }

  template <class Body>
  void coarse(std::size_t count, const Body& body,
              const std::source_location& where = std::source_location::current()) const {
    const stopwatch watch(times_.coarse);
    runtime_.each_uneven(count, body, where);
  }

  template <class Body>
  std::uint64_t fine_sum(
      std::size_t count, const Body& body,
      const std::source_location& where = std::source_location::current()) const {
    const stopwatch watch(times_.fine);
    return runtime_.sum(count, [&body](std::size_t i) -> std::uint64_t { return body(i); }, where);
  }

 private:
  class stopwatch {
   public:
    explicit stopwatch(loop_times& times) : times_(times), begin_ns_(base::now_ns()) {}
    ~stopwatch() { times_.add(static_cast<double>(base::now_ns() - begin_ns_)); }

   private:
    loop_times& times_;
    std::uint64_t begin_ns_;
  };

  const Runtime& runtime_;
  times_of_loops& times_;
};

// `values` become the sums of those before them; returns the sum of all.
template <class Loops>
std::uint32_t scan(const Loops& loops, std::span<std::uint32_t> values) {
  prefix_sums sums(values);
  loops.fine(sums.blocks(), [&](std::size_t block) { sums.sum_block(block); });
  const std::uint32_t sum = sums.join();
  loops.fine(sums.blocks(), [&](std::size_t block) { sums.place_block(block); });
  return sum;
}

// Those of `values` that are vertices, to `out`; returns how many there are.
template <class Loops>
std::uint32_t pack(const Loops& loops, std::span<const vertex> values, vertex* out) {
  packing p(values, out);
  loops.fine(p.blocks(), [&](std::size_t block) { p.count_block(block); });
  const std::uint32_t count = p.join();
  loops.fine(p.blocks(), [&](std::size_t block) { p.write_block(block); });
  return count;
}

// From one frontier to the next.
template <class Loops>
void expand(const Loops& loops, const undirected_graph& g, search& s) {
  const std::size_t size = s.frontier().size();
  const std::uint64_t edges = loops.fine_sum(size, [&](std::size_t i) { return s.degree(i); });
  if (is_dense(g, edges)) {
    loops.fine(g.vertices(), [&](std::size_t v) { s.clear_mark(static_cast<vertex>(v)); });
    loops.fine(size, [&](std::size_t i) { s.mark(i); });
    loops.coarse(g.vertices(), [&](std::size_t v) { s.pull(static_cast<vertex>(v)); });
    s.advance(pack(loops, s.pulled(), s.next()));
  } else {
    loops.fine(size, [&](std::size_t i) { s.take_degree(i); });
    scan(loops, s.offsets());
    loops.coarse(size, [&](std::size_t i) { s.push(i); });
    s.advance(pack(loops, s.claimed(edges), s.next()));
  }
}

template <class Loops>
void run_steps(bfs& k, const Loops& loops) {
  search& s = k.walk();
  loops.fine(k.vertices(), [&](std::size_t v) { s.clear_level(static_cast<vertex>(v)); });
  s.begin();
  while (!s.frontier().empty()) expand(loops, k.graph(), s);
  loops.fine(k.vertices(), [&](std::size_t v) { k.take_level(static_cast<vertex>(v)); });
}

template <class Loops>
void run_steps(betweenness& k, const Loops& loops) {
  search& s = k.walk();
  loops.fine(k.vertices(), [&](std::size_t v) { s.clear_level(static_cast<vertex>(v)); });
  loops.fine(k.vertices(), [&](std::size_t v) { k.clear(static_cast<vertex>(v)); });
  s.begin();
  k.begin();
  while (!s.frontier().empty()) {
    expand(loops, k.graph(), s);
    const auto frontier = s.frontier();
    loops.coarse(frontier.size(), [&](std::size_t i) { k.count_paths(frontier[i]); });
  }
  loops.fine(k.vertices(), [&](std::size_t v) { k.invert(static_cast<vertex>(v)); });
  for (std::size_t level = s.depth(); level-- > 0;) {
    const auto frontier = s.frontier(level);
    loops.coarse(frontier.size(), [&](std::size_t i) { k.depend(frontier[i]); });
  }
  loops.fine(k.vertices(), [&](std::size_t v) { k.finish(static_cast<vertex>(v)); });
}

template <class Loops>
void run_steps(components& k, const Loops& loops) {
  loops.fine(k.vertices(), [&](std::size_t v) { k.begin(static_cast<vertex>(v)); });
  k.advance(k.vertices());
  while (!k.lowered().empty()) {
    const std::size_t size = k.lowered().size();
    const std::uint64_t edges = loops.fine_sum(size, [&](std::size_t i) { return k.degree(i); });
    if (is_dense(k.graph(), edges)) {
      loops.coarse(k.vertices(), [&](std::size_t v) { k.pull(static_cast<vertex>(v)); });
      k.advance(pack(loops, k.pulled(), k.next()));
    } else {
      loops.fine(size, [&](std::size_t i) { k.take_degree(i); });
      scan(loops, k.offsets());
      loops.coarse(size, [&](std::size_t i) { k.push(i); });
      k.advance(pack(loops, k.claimed(edges), k.next()));
    }
    loops.fine(k.lowered().size(), [&](std::size_t i) { k.settle(i); });
  }
}

template <class Loops>
void run_steps(pagerank& k, const Loops& loops) {
  const std::size_t n = k.vertices();
  loops.fine(n, [&](std::size_t v) { k.begin(static_cast<vertex>(v)); });
  double change = 1;
  for (int round = 0; round < pagerank::rounds_max && change >= pagerank::enough; ++round) {
    loops.fine(n, [&](std::size_t v) { k.share(static_cast<vertex>(v)); });
    const double dangling = pagerank::floating(
        loops.fine_sum(n, [&](std::size_t v) { return k.dangling(static_cast<vertex>(v)); }));
    loops.coarse(n, [&](std::size_t v) { k.pull(static_cast<vertex>(v)); });
    loops.fine(n, [&](std::size_t v) { k.damp(static_cast<vertex>(v), dangling); });
    change = pagerank::floating(
        loops.fine_sum(n, [&](std::size_t v) { return k.change(static_cast<vertex>(v)); }));
    k.advance();
  }
}

template <class Kernel, class Runtime>
void run_timed(Kernel& k, const Runtime& runtime) {
  run_steps(k, timed_loops<Runtime>(runtime, k.new_times()));
}

template <class Loops>
void run(bfs& k, const Loops& loops) {
  run_timed(k, loops);
}
template <class Loops>
void run(betweenness& k, const Loops& loops) {
  run_timed(k, loops);
}
template <class Loops>
void run(components& k, const Loops& loops) {
  run_timed(k, loops);
}
template <class Loops>
void run(pagerank& k, const Loops& loops) {
  run_timed(k, loops);
}

}  // namespace doall::bench
