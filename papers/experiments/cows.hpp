// What the user of `doall bench cows` asked for, and which graphs and programs that means.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include "driver/experiment.hpp"
#include "driver/programs.hpp"
#include "experiments/cows_machine.hpp"
#include "kernels/cows_programs.hpp"
#include "kernels/harness.hpp"

namespace doall::bench {

struct cows_choice {
  bool is_virtual = false;
  std::string size_name = "paper";
  std::string folder = {};                 // of the graphs' files
  std::vector<std::string> programs = {};  // those whose names begin so; none: all
  std::vector<std::string> graphs = {};    // likewise, of graphs
  std::vector<std::string> orders{"given", "by-degree", "by-level"};
  machine_request machine = {};  // of --virtual
  run_options threads = {};      // of the other part; the JSON file is of both, the picture of it
  double minutes = 5;            // of the other part, as what follows

  bench::size size() const { return size_of(size_name); }
};

inline bool is_asked_for(const std::string& one, const std::vector<std::string>& wanted) {
  return wanted.empty() ||
         std::ranges::any_of(wanted, [&](const auto& start) { return one.starts_with(start); });
}

// Those that were asked for. `left_out`: those that are not there, with the reason.
inline std::vector<graph_input> graphs_of(const cows_choice& asked,
                                          std::vector<std::string>& left_out) {
  const graph_files files = find_graphs(asked.folder);
  std::vector<graph_input> all = every_graph(asked.size(), files);
  std::erase_if(all, [&](const graph_input& g) {
    return !is_asked_for(g.name, asked.graphs) ||
           std::ranges::find(asked.orders, to_text(g.order)) == asked.orders.end();
  });
  if (asked.size() == size::paper) {
    std::ranges::copy_if(files.left_out, std::back_inserter(left_out),
                         [&](const std::string& why) { return is_asked_for(why, asked.graphs); });
  }
  return all;
}

// The part on threads: everybody in turn, round by round. Throws cli::failure when nothing is
// chosen, lane_error when an answer is wrong.
void run_on_threads(const cows_choice& asked);

// The part in virtual time. Throws cli::failure when nothing is chosen, or when a kernel's answer
// is wrong.
void run_virtual(const cows_choice& asked);

// What `doall bench cows` finds out on threads besides everybody's times, of wsrw and the two that
// it is made from, through the native door:
//   - what COWS's optimisations save: wsrw with and without each, interleaved (Figure 19)
//   - thefts tried and done, and the imbalance of executed cost
//   - the price of computing costs, as a part of a program's run
//   - the price of a reservation
// By a lane of their own, so that nobody who is timed is asked for more (lanes/cows_prices.hpp).
struct priced_program {
  std::string name;
  unsigned rounds;
};

// Prints all tables, with verdicts, and returns the JSON of all. `arguments`: SIZE and perhaps
// FOLDER, as of the native lane that is timed. Throws lane_error when an answer is wrong or the
// lane is gone.
nlohmann::ordered_json price_cows(const contest& c, std::vector<std::string> arguments,
                                  const std::vector<priced_program>& programs);

}  // namespace doall::bench
