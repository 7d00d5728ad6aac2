// oneTBB's lane.
//
//   lane-recursion-tbb THREADS CPU,CPU,... SIZE
#include <tbb/parallel_invoke.h>
#include <tbb/task_group.h>

#include "kernels/spmv.hpp"
#include "lanes/recursion_lane.hpp"
#include "lanes/tbb.hpp"
#include "lanes/tbb_arena.hpp"

namespace {

using namespace doall::bench;

// Threads' stacks, for chains: address space. OpenMP lanes have as much (recursion.cpp).
constexpr std::size_t stack_bytes = std::size_t{1} << 29;

template <class Partitioner>
struct loop_forks {
  template <class First, class Second>
  void invoke(const First& first, const Second& second) const {
    tbb::parallel_invoke(first, second);
  }
  template <class Wanted, class Body>
  void each(std::size_t count, const Wanted& wanted, const Body& body) const {
    tbb::parallel_for(
        std::size_t{0}, count,
        [&](std::size_t i) {
          if (wanted(i)) body(i);
        },
        Partitioner());
  }
};

using group_forks = forks_in_groups<tbb::task_group>;

std::vector<std::string> forms(shape s) {
  switch (s) {
    case shape::pairs: return {"invoke", "group"};
    case shape::choices: return {"for,auto", "for,simple", "group"};
    default: return {"for,auto", "for,simple"};
  }
}

template <class Kernel>
void run_form(Kernel& k, const std::string& form) {
  if constexpr (requires { k.of; }) {
    constexpr std::size_t grain = 64;  // of a row's non-zeros
    form == "for,simple" ? run(k.of, tbb_loops<tbb::simple_partitioner>{grain})
                         : run(k.of, tbb_loops<tbb::auto_partitioner>{1});
  } else if (form == "group") {
    run(k, group_forks());
  } else if (form == "for,simple") {
    run(k, loop_forks<tbb::simple_partitioner>());
  } else {
    run(k, loop_forks<tbb::auto_partitioner>());
  }
}

int run_lane(int argc, char** argv) {
  const tbb::global_control stacks(tbb::global_control::thread_stack_size, stack_bytes);
  tbb_arena arena(argv);
  std::string form;
  const auto door = [&](auto& kernel) { arena.execute([&] { run_form(kernel, form); }); };
  const recursion_lane lane{.library = tbb_arena::library(),
                            .threads = arena.threads(),
                            .use = [&form](const std::string& now) { form = now; },
                            .forms = forms,
                            .chain =
                                [&arena](deep_chain& c, const std::string& f) {
                                  using loops = loop_forks<tbb::auto_partitioner>;
                                  std::uint64_t found = 0;
                                  arena.execute([&] {
                                    found = f == "group" ? run_chain(c, group_forks(), f)
                                                         : run_chain(c, loops(), f);
                                  });
                                  return found;
                                }};
  return serve_recursion(argc > 3 ? argv[3] : "", lane, door);
}

}  // namespace

int main(int argc, char** argv) {
  return call_on_large_stack([&] { return run_lane(argc, argv); });
}
