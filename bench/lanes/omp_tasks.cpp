// What tasks cost whose body is empty, by who makes them and what is waited for.
#include "lanes/omp_lines.hpp"

namespace doall::bench {
namespace {

// Every thread makes tasks.
constexpr auto made_by_all = [](auto body, runs_number runs) {
#pragma omp parallel
  for (runs_number r = 0; r < runs; ++r) {
#pragma omp task
    body.run();
  }
};

// One thread makes them for all.
constexpr auto made_by_master = [](auto body, runs_number runs) {
  const runs_number tasks = runs * static_cast<runs_number>(omp_get_max_threads());
#pragma omp parallel
#pragma omp master
  for (runs_number r = 0; r < tasks; ++r) {
#pragma omp task
    body.run();
  }
};

// The same while the others are in code of their own: some 10 ns a task.
constexpr auto made_beside_busy = [](auto body, runs_number runs) {
#pragma omp parallel
  if (omp_get_thread_num() == 0) {
    for (runs_number r = 0; r < runs; ++r) {
#pragma omp task
      body.run();
    }
  } else {
    for (runs_number r = 0; r < 16 * runs; ++r) asm volatile("" : : "r"(r));
  }
};

// An if clause that does not hold.
constexpr auto undeferred = [](auto body, runs_number runs) {
#pragma omp parallel
  for (runs_number r = 0; r < runs; ++r) {
#pragma omp task if (runs == 0)
    body.run();
  }
};

constexpr auto waited_for = [](auto body, runs_number runs) {
#pragma omp parallel
  for (runs_number r = 0; r < runs; ++r) {
#pragma omp task
    body.run();
#pragma omp taskwait
  }
};

constexpr auto before_barriers = [](auto body, runs_number runs) {
#pragma omp parallel
  for (runs_number r = 0; r < runs; ++r) {
#pragma omp task
    body.run();
#pragma omp barrier
  }
};

constexpr runs_number children = 4;

// A task with tasks of its own.
template <class Body>
void make_nest(Body body) {
#pragma omp task
  {
    for (runs_number c = 0; c < children; ++c) {
#pragma omp task
      body.run();
    }
#pragma omp taskwait
  }
}

constexpr auto nested = [](auto body, runs_number runs) {
#pragma omp parallel
  for (runs_number r = 0; r < runs; ++r) make_nest(body);
};
constexpr auto nested_by_master = [](auto body, runs_number runs) {
#pragma omp parallel
#pragma omp master
  for (runs_number r = 0; r < runs; ++r) make_nest(body);
};

constexpr unsigned tree_levels = 6;
constexpr std::uint64_t tree_nodes = (1U << (tree_levels + 1)) - 1;

template <class Body>
void make_tree(Body body, unsigned levels) {
  body.run();
  if (levels == 0) return;
#pragma omp task
  make_tree(body, levels - 1);
#pragma omp task
  make_tree(body, levels - 1);
#pragma omp taskwait
}

constexpr auto trees = [](auto body, runs_number runs) {
#pragma omp parallel
#pragma omp master
  for (runs_number r = 0; r < runs; ++r) make_tree(body, tree_levels);
};

}  // namespace

std::vector<line> task_lines(unsigned threads) {
  return {make_line("task/parallel", threads, made_by_all),
          make_line("task/master", threads, made_by_master),
          make_line("task/master-busy", 1, made_beside_busy),
          make_line("task/if", threads, undeferred),
          make_line("task/wait", threads, waited_for),
          make_line("task/barrier", threads, before_barriers),
          make_line("task/nested", threads * children, nested),
          make_line("task/master-nested", children, nested_by_master),
          make_line("task/tree", tree_nodes, trees)};
}

}  // namespace doall::bench
