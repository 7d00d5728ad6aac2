// The native door's lane for what an inner loop costs. A schedule is that of all loops; with
// `/plain` it is the outer loop's alone, and inner loops are plain ones.
//
//   lbs-lane-inner SIZE
#include <doall/doall.hpp>

#include "kernels/lane.hpp"
#include "kernels/reduce_order.hpp"
#include "lbs/inner_loops.hpp"

int main(int argc, char** argv) {
  using namespace doall::bench;
  constexpr std::string_view plain = "/plain";
  doall::loop_options options;
  inner how = inner::parallel;
  const auto use = [&](std::string text) {
    how = text.ends_with(plain) ? inner::plain : inner::parallel;
    if (how == inner::plain) text.resize(text.size() - plain.size());
    options = options_from(text);
  };
  const auto door = [&](auto& kernel) { run_doall(kernel, options, how); };
  return serve(argc > 1 ? argv[1] : "",
               {.library = std::string("libdoall ") + doall_version(),
                .threads = doall_threads(),
                .use = use,
                .programs = {make_program<inner_loops>("inner-loops", "none", "no", door)},
                .warm_up = make_program<inner_loops>("warm-up", "none", "no", door),
                .schedules = [](const program&) {
                  return std::vector<std::string>{"lbs", "lbs/plain", "default"};
                }});
}
