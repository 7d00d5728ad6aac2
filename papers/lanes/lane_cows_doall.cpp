// The native door's lane.
//
//   lane-cows-doall SIZE [FOLDER [SCHEDULE...]]
//
// FOLDER: of the graphs' files; "": nowhere. It takes part under the SCHEDULEs: the paper's seven,
// unless others are named, wsrw's settings among them (cows_native.hpp).
#include <doall/doall.hpp>

#include "kernels/cows_programs.hpp"
#include "lanes/cows_prices.hpp"
#include "lanes/lane.hpp"

int main(int argc, char** argv) {
  using namespace doall::bench;
  std::string how = "static";
  const auto use = [&how](const std::string& text) { how = text; };
  const auto door = [&how](auto& kernel) {
    run(kernel, native_cows_loops(how, kernel.graph().row_pointer()));
  };
  const std::string size_name = argc > 1 ? argv[1] : "";
  const size s = size_of(size_name);
  const std::vector<graph_input> graphs = every_graph(s, find_graphs(argc > 2 ? argv[2] : ""));
  const std::vector<std::string> schedules =
      argc > 3 ? std::vector<std::string>(argv + 3, argv + argc) : cows_schedules();
  // There a queue of single iterations would take minutes.
  const auto schedules_of = [&](const program& p) {
    std::vector<std::string> all = schedules;
    if (crosses_road_network(p.name)) std::erase(all, "dynamic");
    return all;
  };
  lane_door offered{.library = std::string("libdoall ") + doall_version(),
                    .threads = doall_threads(),
                    .use = use,
                    .programs = cows_programs(door, graphs),
                    .warm_up = cows_warm_up(door),
                    .schedules = schedules_of};
  lane_prices prices(s, graphs, offered.warm_up, use);
  offered.verbs = {{"watch", [&](std::istream& rest) { return prices.watch(rest); }},
                   {"costs", [&](std::istream& rest) { return prices.costs(rest); }},
                   {"first", [&](std::istream& rest) { return prices.first(rest); }},
                   {"reused", [&](std::istream& rest) { return prices.reused(rest); }},
                   {"reserve", lane_prices::reserve}};
  return serve_lane(size_name, offered);
}
