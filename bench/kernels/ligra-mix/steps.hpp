// The order of the mix's loops, for every runtime.
//
// A runtime is two loops: each(count, body) is to run body(0) to body(count - 1) in
// parallel, sum(count, body) to return what they add up to; `grain` says which kind it is.
// They are instantiated for every body, so each loop below is a site of its own; those of
// pack() and scan() are shared by all who call them, as a library's are.
#pragma once

#include <source_location>
#include <utility>

#include "base/clock.hpp"
#include "kernels/ligra-mix/kernel.hpp"
#include "kernels/ligra-mix/packing.hpp"

namespace doall::bench {

enum class grain { fine, coarse };

// A runtime's loops, with their time.
template <class Runtime>
class timed_loops {
 public:
  timed_loops(const Runtime& runtime, times_of_loops& times) : runtime_(runtime), times_(times) {}

  template <class Body>
  void fine(std::size_t count, const Body& body,
            const std::source_location& where = std::source_location::current()) const {
    const stopwatch watch(times_.fine);
    runtime_.template each<grain::fine>(count, body, where);
  }

  template <class Body>
  void coarse(std::size_t count, const Body& body,
              const std::source_location& where = std::source_location::current()) const {
    const stopwatch watch(times_.coarse);
    runtime_.template each<grain::coarse>(count, body, where);
  }

  template <class Body>
  std::uint64_t fine_sum(
      std::size_t count, const Body& body,
      const std::source_location& where = std::source_location::current()) const {
    const stopwatch watch(times_.fine);
    return runtime_.sum(count, body, where);
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

}  // namespace doall::bench
