// OpenMP's lane: `task` and `taskwait`, or each loop a `taskloop`, inside of one region. One
// source: GCC's build runs on libgomp, Clang's on libomp.
//
//   lane-recursion-openmp-COMPILER SIZE
#include "kernels/spmv.hpp"
#include "lanes/openmp.hpp"
#include "lanes/openmp_runtime.hpp"
#include "lanes/recursion_lane.hpp"

namespace {

using namespace doall::bench;

struct task_forks {
  template <class First, class Second>
  void invoke(const First& first, const Second& second) const {
#pragma omp task shared(first)
    first();
    second();
#pragma omp taskwait
  }
  template <class Wanted, class Body>
  void each(std::size_t count, const Wanted& wanted, const Body& body) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (!wanted(i)) continue;
#pragma omp task shared(body) firstprivate(i)
      body(i);
    }
#pragma omp taskwait
  }
};

struct taskloop_forks : task_forks {
  template <class Wanted, class Body>
  void each(std::size_t count, const Wanted& wanted, const Body& body) const {
#pragma omp taskloop shared(wanted, body)
    for (std::size_t i = 0; i < count; ++i) {
      if (wanted(i)) body(i);
    }
  }
};

std::vector<std::string> forms(shape s) {
  switch (s) {
    case shape::pairs: return {"task"};
    case shape::product: return {"taskloop"};
    default: return {"task", "taskloop"};
  }
}

int run_lane(int argc, char** argv) {
  bool in_taskloops = false;
  const auto door = [&in_taskloops](auto& kernel) {
    run_in_tasks([&] {
      if constexpr (requires { kernel.of; }) {
        run(kernel.of, omp_task_loops());
      } else {
        in_taskloops ? run(kernel, taskloop_forks()) : run(kernel, task_forks());
      }
    });
  };
  const recursion_lane lane{
      .library = openmp_library(),
      .threads = openmp_team_size(),
      .use = [&in_taskloops](const std::string& form) { in_taskloops = form == "taskloop"; },
      .forms = forms,
      .chain =
          [](deep_chain& c, const std::string& form) {
            std::uint64_t found = 0;
            run_in_tasks([&] { found = run_chain(c, taskloop_forks(), form); });
            return found;
          }};
  return serve_recursion(argc > 1 ? argv[1] : "", lane, door);
}

}  // namespace

int main(int argc, char** argv) {
  return call_on_large_stack([&] { return run_lane(argc, argv); });
}
