// The runs that COWS's figures are of: its kernels' loops, recorded on graphs of the paper's
// degrees (cows_graphs.hpp), in virtual time on its machines.
//
// Costs are in cycles, of what is counted in a published port of the paper's kernels: instructions,
// and looks at lines that are anywhere in arrays of the paper's graph, found in a cache or in the
// first socket's memory.
//
// Schedules are the paper's: all lists are cyclic; c is the fourth root of the total workload,
// which is the cost that WSRW knows, and for WSRI and WSR the number of iterations. WSRW runs loops
// of equal iterations by `cyclic` (Opt2), those behind a predicate by WSRI (Opt3), and so KC's
// floods, "two parallel-for-loops [that] had while-loops"; it adds up a loop's costs once (Opt1). A
// reservation takes the list's lock, of which 16 lie in a line; a theft the lock of all, a look at
// every list, and its victim's lock.
//
// The graphs are smaller than the paper's. What does not grow with one, a theft and how late
// workers are, takes a part of its time as much smaller; and so do c, in iterations, and a
// reservation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/cows_graphs.hpp"
#include "experiments/cows_machine.hpp"

namespace doall::bench::cows_paper {

inline constexpr const char* wsrw = papers_wsrw;
inline constexpr const char* wsri = "wsri,assign=cyclic";
inline constexpr const char* wsr = "wsr,assign=cyclic";

struct site {
  const char* name;
  const char* machine;
  std::uint32_t cores;
  double third_level_bytes;            // of a socket
  std::vector<std::uint32_t> threads;  // of the means
  std::uint32_t most;
};
const std::vector<site>& sites();

enum class kernel_name : std::uint8_t { kc, le, bfs, pr, cc };
inline constexpr kernel_name kernels[] = {kernel_name::kc, kernel_name::le, kernel_name::bfs,
                                          kernel_name::pr, kernel_name::cc};
const char* text(kernel_name k);

// The loops of a kernel on a graph, recorded once.
const loop_recorder& recorded(kernel_name k, const printed_graph& g);

// Of a run of the kernel.
machine_figures found(const site& at, kernel_name k, const printed_graph& g,
                      const std::string& schedule, std::uint32_t threads);

// Without Opt1 to Opt4: every loop is run by WSRW, whose workers add up its costs before each; and
// a thief walks along its victim's list to where half of the cost lies. Returns the makespan.
double unoptimised(const site& at, kernel_name k, const printed_graph& g);

}  // namespace doall::bench::cows_paper
