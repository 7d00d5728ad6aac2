// The native door's lane.
//
//   programs-lane-doall SIZE [GRAPH]
#include <doall/doall.hpp>

#include "kernels/fine_programs.hpp"
#include "kernels/lane.hpp"
#include "kernels/reduce_order.hpp"

namespace {

using namespace doall::bench;

// Not every build has every schedule.
bool is_known(const std::string& schedule) {
  try {
    doall::schedule tried(schedule);
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

std::vector<std::string> schedules(const program& p) {
  std::vector<std::string> all{"default"};
  if (p.reduces) {
    for (const char* schedule : {"default", "static"})
      all.push_back(schedule + std::string(any_order));
  }
  if (is_known("fine-grain")) all.emplace_back("fine-grain");
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  doall::loop_options options;
  const auto door = [&](auto& kernel) {
    if constexpr (requires { run_doall(kernel, options); }) {
      run_doall(kernel, options);
    } else {
      run_doall(kernel, options.how);
    }
  };
  return serve(argc > 1 ? argv[1] : "",
               {.library = std::string("libdoall ") + doall_version(),
                .threads = doall_threads(),
                .use = [&](const std::string& text) { options = options_from(text); },
                .programs = fine_programs(door, argc > 2 ? argv[2] : ""),
                .warm_up = fine_warm_up(door),
                .schedules = schedules});
}
