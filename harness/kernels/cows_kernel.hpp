// What COWS's kernels have in common: an ordered graph.
//
// Paper: COWS, section VI, Figure 12. The same programs stand in plain OpenMP C in
// cows_programs.inc. run_serial() has the same answer by another, serial algorithm.
// Loops are driven by the topology: over all vertices, whether or not there is something to do.
// Those over neighbours are written as in C: what compilers make of others differs by more than the
// schedules do (docs/investigations/2026-11-23-two-languages.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/cache_line.hpp"
#include "base/sync.hpp"
#include "kernels/kernel.hpp"
#include "kernels/ordered_graph.hpp"
#include "lanes/serial.hpp"

namespace doall::bench {

// The loops of COWS's kernels, for every way to run them in C++.
//
// A way has these members; `body(i)` runs iteration i:
//   loops.each(kind, site, count, body)   in parallel; of loops that are not uniform, body(i)
//                                         returns at how many neighbours iteration i has looked
//   loops.sum(site, count, body)          a uniform loop; returns what the bodies' values add up to
// `site` is the loop's name, unique in its kernel. They are instantiated for every body, so each
// call is a site of its own.

// WSRW as the paper has it: its lists are cyclic, ours are blocks of equal cost.
inline constexpr const char* papers_wsrw = "wsrw,assign=cyclic";

// The paper's seven, in its order; its WSRW beside ours.
inline const std::vector<std::string>& cows_schedules() {
  static const std::vector<std::string> all{"dynamic", "static", "cyclic",    "guided",
                                            "wsr",     "wsri",   papers_wsrw, "wsrw"};
  return all;
}

// wsrw, and wsrw without some of COWS's optimisations (cows_native.hpp), for a comparison with it.
inline const std::vector<std::string>& wsrw_settings() {
  static const std::vector<std::string> all{"wsrw",      "wsrw-opt1", "wsrw-opt2",
                                            "wsrw-opt3", "wsrw-opt4", "wsrw-none"};
  return all;
}

// What is known of a loop's costs before it runs.
//   uniform  all iterations cost the same: wsrw runs it as static (COWS, Opt2)
//   costed   iteration v looks at all of v's neighbours: the graph's row pointer has the costs
//   guarded  some iterations do, a predicate says which: wsrw runs it as wsri (Opt3)
enum class loop_kind { uniform, costed, guarded };

inline const char* to_text(loop_kind kind) {
  switch (kind) {
    case loop_kind::uniform: return "uniform";
    case loop_kind::costed: return "costed";
    case loop_kind::guarded: return "guarded";
  }
  return "";
}

// What such a loop is run by in virtual time when the program is given the schedule `text`: Opt2
// and Opt3. On threads doall finds it out from what it is told.
inline std::string schedule_of(loop_kind kind, const std::string& text) {
  const std::string name = text.substr(0, text.find(','));
  if (name != "wsrw") return text;
  switch (kind) {
    case loop_kind::uniform: return "static";
    case loop_kind::costed: return text;
    case loop_kind::guarded: return "wsri" + text.substr(name.size());
  }
  return text;
}

// For a test of the steps: one iteration after the other, backwards, so that none leans on the
// ones before it.
struct backward_cows_loops {
  template <class Body>
  void each(loop_kind, const char*, std::size_t count, const Body& body) const {
    while (count-- > 0) body(count);
  }

  template <class Body>
  auto sum(const char*, std::size_t count, const Body& body) const {
    return serial_loops{}.sum(count, [&](std::size_t i) { return body(count - 1 - i); });
  }
};

// Whether any iteration of a loop has changed something. Raised by iterations, taken down between
// two loops. A loop whose costs are known cannot also be a sum here.
class change_flag {
 public:
  void raise() {
    // (1) relaxed; alone: who misses that it is up raises it once more
    if (up_.load(sync::relaxed) != 0) return;
    // (2) relaxed; alone: all write the same, and the loop's end publishes it
    up_.store(1, sync::relaxed);
  }
  // Whether it was up.
  bool take() {
    // (3) relaxed; alone: between two loops there is one thread
    const bool was_up = up_.load(sync::relaxed) != 0;
    // (4) relaxed; alone: as (3)
    up_.store(0, sync::relaxed);
    return was_up;
  }

 private:
  alignas(base::apart_bytes) sync::atomic<std::uint32_t> up_{0};
};

class cows_kernel : public kernel {
 public:
  // What each iteration has done is told by the answer.
  std::vector<std::size_t> loop_lengths() const override { return {}; }

  const ordered_graph& graph() const { return *graph_; }
  std::size_t vertices() const { return graph_->vertices(); }

 protected:
  explicit cows_kernel(shared_ordered_graph g) : graph_(std::move(g)) {}

 private:
  shared_ordered_graph graph_;
};

}  // namespace doall::bench
