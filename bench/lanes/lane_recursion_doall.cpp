// The native door's lane.
//
//   lane-recursion-doall SIZE
#include <doall/doall.hpp>

#include "kernels/spmv.hpp"
#include "lanes/doall.hpp"
#include "lanes/recursion_lane.hpp"

namespace {

using namespace doall::bench;

// parallel_invoke and parallel_for, without options.
struct loop_forks {
  template <class First, class Second>
  void invoke(const First& first, const Second& second) const {
    doall::parallel_invoke(first, second);
  }
  template <class Wanted, class Body>
  void each(std::size_t count, const Wanted& wanted, const Body& body) const {
    doall::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
      if (wanted(i)) body(i);
    });
  }
};

using group_forks = forks_in_groups<doall::task_group>;

std::vector<std::string> forms(shape s) {
  switch (s) {
    case shape::pairs: return {"invoke", "group"};
    case shape::choices: return {"for", "group"};
    default: return {"for"};
  }
}

int run_lane(int argc, char** argv) {
  bool in_groups = false;
  const auto run_forks = [&in_groups](auto& kernel) {
    in_groups ? run(kernel, group_forks()) : run(kernel, loop_forks());
  };
  const auto door = [run_forks](auto& kernel) {
    if constexpr (requires { kernel.of; }) {
      const doall::loop_options options{.order = doall::reduce_order::any};  // sums of integers
      run(kernel.of, doall_loops{options});
    } else {
      run_forks(kernel);
    }
  };
  const recursion_lane lane{
      .library = std::string("libdoall ") + doall_version(),
      .threads = doall_threads(),
      .use = [&in_groups](const std::string& form) { in_groups = form == "group"; },
      .forms = forms,
      .chain =
          [](deep_chain& c, const std::string& form) {
            return form == "group" ? run_chain(c, group_forks(), form)
                                   : run_chain(c, loop_forks(), form);
          }};
  return serve_recursion(argc > 1 ? argv[1] : "", lane, door);
}

}  // namespace

int main(int argc, char** argv) {
  return call_on_large_stack([&] { return run_lane(argc, argv); });
}
