#include "driver/neighbour_contenders.hpp"

namespace doall::bench {
namespace {

void add_serial(roster& all, const contest& c) {
  lane_plan p{.runtime = serial_name, .door = "none", .program = "lane-uforall-serial"};
  if (c.pinned && !c.cpus.empty()) p.arguments.push_back(std::to_string(c.cpus.front()));
  if (all.add(p) == nullptr) all.take();  // throws: nobody is there
}

}  // namespace

const std::vector<std::string>& runtime_names() {
  static const std::vector<std::string> names{"doall", "libgomp", "libomp", "tbb"};
  return names;
}

contenders start_contenders(const contest& c, peer_waiting waiting) {
  const lane_plan gcc{.runtime = "libgomp",
                      .door = "gomp",
                      .program = "lane-uforall-openmp-gcc",
                      .arguments = {"static"},
                      .needs = "GCC"};
  const lane_plan clang{.runtime = "libomp",
                        .door = "kmp",
                        .program = "lane-uforall-openmp-clang",
                        .arguments = {"static"},
                        .needs = "clang-19 and libomp-19-dev"};
  const lane_plan tbb{
      .runtime = "tbb", .door = "tbb", .program = "lane-uforall-tbb", .needs = "libtbb-dev"};

  roster all(c);
  add_serial(all, c);
  if (c.wants("doall")) {
    all.add({.runtime = "doall", .door = "native", .program = "lane-uforall-doall"});
    lane_plan ours = with_doall_libgomp(gcc);
    ours.runtime = "doall";
    all.add(ours);
  }
  for (const lane_plan& peer : {gcc, clang}) {
    if (!c.wants(peer.runtime)) continue;
    if (waiting == peer_waiting::actively_too) {
      all.add_openmp_peer(peer);
    } else {
      all.add(peer);
    }
  }
  if (c.wants("tbb")) all.add(with_tbb_arena(tbb, c));
  return all.take();
}

}  // namespace doall::bench
