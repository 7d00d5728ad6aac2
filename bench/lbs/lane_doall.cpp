// The native door's lane.
//
//   lbs-lane-doall SIZE [SCHEDULE]     under SCHEDULE alone
#include <doall/doall.hpp>

#include "kernels/lane.hpp"
#include "kernels/nested_programs.hpp"
#include "kernels/reduce_order.hpp"

namespace {

using namespace doall::bench;

// ebs-simple's thresholds are the grains of oneTBB's simple_partitioner.
std::vector<std::string> all_schedules() {
  return {"default",       "lbs",           "lbs+",          "serial-inner",
          "sws",           "ebs-auto",      "ebs-simple,1",  "ebs-simple,4",
          "ebs-simple,16", "ebs-simple,64", "ebs-simple,256"};
}

}  // namespace

int main(int argc, char** argv) {
  doall::loop_options options;
  const auto use = [&options](const std::string& text) {
    options = options_from(text);
    options.order = doall::reduce_order::any;  // sums are of integers
  };
  const auto door = [&options](auto& kernel) { run_doall(kernel, options); };
  const auto schedules = argc > 2 ? std::vector<std::string>{argv[2]} : all_schedules();
  return serve(argc > 1 ? argv[1] : "",
               {.library = std::string("libdoall ") + doall_version(),
                .threads = doall_threads(),
                .use = use,
                .programs = nested_programs(door),
                .warm_up = nested_warm_up(door),
                .schedules = [&schedules](const program&) { return schedules; }});
}
