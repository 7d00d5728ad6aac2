// OpenMP regions of random worksharing constructs, every thread of the team the same ones in
// the same order.
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "doors/frame.hpp"

namespace doall::doors {
namespace {

enum class construct {
  for_static,
  for_static_1_nowait,
  for_dynamic,
  for_dynamic_nowait,
  for_guided,
  for_runtime,
  for_ordered,
  for_cancelled,
  sum,
  single,
  single_nowait,
  sections,
  tasks,
  barrier,
  each_thread,
  master,
};
constexpr u64 constructs = 16;

// One construct of a region, and what it has done.
struct step {
  construct what;
  u64 seed;
  int n;
  std::unique_ptr<tally> runs;
  int in_order = 0;
  std::atomic<int> times{0};

  step(construct w, u64 s, int iterations)
      : what(w), seed(s), n(iterations), runs(std::make_unique<tally>(static_cast<u64>(n))) {}
};

// No process has as many at once: under a smaller limit a region may have fewer than it asks for.
constexpr int threads_most = 1'000;

// What is common to a region's threads.
struct shared {
  frame f;
  std::vector<std::unique_ptr<step>> steps;
  std::atomic<int> threads{0};
  std::atomic<int> size{0};

  u64 parts() const { return steps.empty() ? 1 : steps.size(); }

  void body(step& s, int i) const {
    const auto index = static_cast<u64>(i);
    act(f.inner(s.seed + index, parts() * static_cast<u64>(std::max(s.n, 1))));
    s.runs->ran(index);
  }
};

void run_loop(shared& r, step& s) {
  const int n = s.n;
  switch (s.what) {
    case construct::for_static:
#pragma omp for schedule(static)
      for (int i = 0; i < n; ++i) r.body(s, i);
      return;
    case construct::for_static_1_nowait:
#pragma omp for schedule(static, 1) nowait
      for (int i = 0; i < n; ++i) r.body(s, i);
      return;
    case construct::for_dynamic:
#pragma omp for schedule(dynamic)
      for (int i = 0; i < n; ++i) r.body(s, i);
      return;
    case construct::for_dynamic_nowait:
#pragma omp for schedule(dynamic, 2) nowait
      for (int i = 0; i < n; ++i) r.body(s, i);
      return;
    case construct::for_guided:
#pragma omp for schedule(guided)
      for (int i = 0; i < n; ++i) r.body(s, i);
      return;
    case construct::for_runtime:
#pragma omp for schedule(runtime)
      for (int i = 0; i < n; ++i) r.body(s, i);
      return;
    case construct::for_ordered:
#pragma omp for schedule(dynamic) ordered
      for (int i = 0; i < n; ++i) {
        r.body(s, i);
#pragma omp ordered
        {
          check(s.in_order == i, "the iteration whose turn it is", static_cast<u64>(s.in_order),
                static_cast<u64>(i));
          s.in_order = i + 1;
          leaf(r.f.inner(s.seed, 1));
        }
      }
      return;
    default:  // cancelled: cancel-var is false, so nothing is
#pragma omp for schedule(dynamic)
      for (int i = 0; i < n; ++i) {
        r.body(s, i);
#pragma omp cancel for if (i == n / 2)
      }
  }
}

void run_step(shared& r, step& s) {
  const auto act_here = [&](u64 number) {
    act(r.f.inner(s.seed + number, r.parts() * static_cast<u64>(omp_get_num_threads())));
  };
  moved();
  switch (s.what) {
    case construct::sum: {
#pragma omp for schedule(guided, 2)
      for (int i = 0; i < s.n; ++i) {
        r.body(s, i);
        s.times.fetch_add(1, std::memory_order_relaxed);
      }
      check(s.times.load() == s.n, "iterations seen after a loop's barrier",
            static_cast<u64>(s.times.load()), static_cast<u64>(s.n));
      return;
    }
    case construct::single:
#pragma omp single
    {
      act_here(0);
      s.times += 1;
    }
      check(s.times.load() == 1, "runs of a single", static_cast<u64>(s.times.load()), 1);
      return;
    case construct::single_nowait:
#pragma omp single nowait
    {
      act_here(0);
      s.times += 1;
    }
      return;
    case construct::sections:
#pragma omp sections
    {
#pragma omp section
      act_here(0);
#pragma omp section
      act_here(1);
#pragma omp section
      act_here(2);
    }
      return;
    case construct::tasks:
#pragma omp single
    {
      for (u64 i = 0; i < 3; ++i) {
#pragma omp task firstprivate(i) shared(s, act_here)
        {
          act_here(i);
          s.times += 1;
        }
      }
#pragma omp taskwait
      check(s.times.load() == 3, "tasks", static_cast<u64>(s.times.load()), 3);
    }
      return;
    case construct::barrier: s.times += 1;
#pragma omp barrier
      check(s.times.load() == omp_get_num_threads(), "threads before a barrier",
            static_cast<u64>(s.times.load()), static_cast<u64>(omp_get_num_threads()));
      return;
    case construct::each_thread: act_here(static_cast<u64>(omp_get_thread_num())); return;
    case construct::master:
#pragma omp master
      act_here(0);
      return;
    default: run_loop(r, s);
  }
}

void run_in_region(shared& r) {
  r.threads += 1;
  r.size = omp_get_num_threads();
  for (const auto& s : r.steps) run_step(r, *s);
}

// Threads that a region must have which asks for so many here, beside whatever other regions and
// loops are open; 0: the settings of this thread let it have fewer.
int promised(int wanted) {
  if (omp_get_active_level() >= omp_get_max_active_levels()) return 1;
  return omp_get_dynamic() != 0 || omp_get_thread_limit() < threads_most ? 0 : wanted;
}

void check_promise(int size, int expected) {
  check(expected == 0 || size == expected, "threads of a team", static_cast<u64>(size),
        static_cast<u64>(expected));
}

void check_region(const shared& r) {
  check(r.threads.load() == r.size.load(), "threads of a region",
        static_cast<u64>(r.threads.load()), static_cast<u64>(r.size.load()));
  for (const auto& s : r.steps) {
    if (s->what <= construct::sum) s->runs->check_all("iterations of a worksharing loop");
  }
}

void region(frame f) {
  shared r{f, {}};
  const u64 count = f.below(f.one_in(4) ? 14 : 5);
  for (u64 i = 0; i < count; ++i) {
    const auto what = static_cast<construct>(f.below(constructs));
    r.steps.push_back(std::make_unique<step>(what, f.random.next(), static_cast<int>(f.below(12))));
  }
  if (f.one_in(3)) omp_set_max_active_levels(static_cast<int>(1 + f.below(3)));
  if (f.one_in(2)) {
#pragma omp parallel
    run_in_region(r);
  } else {
    const auto wanted = static_cast<int>(1 + f.below(4));
    const int expected = promised(wanted);
#pragma omp parallel num_threads(wanted)
    run_in_region(r);
    check_promise(r.size.load(), expected);
  }
  check_region(r);
}

// Its threads wait for each other in a way of their own, before what they do and after it.
void region_of_waiting_threads(frame f) {
  const auto wanted = static_cast<int>(2 + f.below(3));
  const int expected = promised(wanted);
  const u64 seed = f.random.next();
  std::atomic<int> came{0};
  const auto meet = [&came](int all) {
    const doing now("meets its team");
    came += 1;
    while (came.load() < all) usleep(50);
  };
#pragma omp parallel num_threads(wanted)
  {
    const int size = omp_get_num_threads();
    check_promise(size, expected);
    meet(size);
    act(f.inner(seed + static_cast<u64>(omp_get_thread_num()), static_cast<u64>(size)));
    meet(2 * size);
  }
}

// One construct that is all of the region.
void parallel_loop(frame f) {
  shared r{f, {}};
  const int n = static_cast<int>(f.below(40));
  step s(construct::for_dynamic, f.random.next(), n);
  const auto wanted = static_cast<int>(1 + f.below(4));
  switch (f.below(4)) {
    case 0:
#pragma omp parallel for num_threads(wanted)
      for (int i = 0; i < n; ++i) r.body(s, i);
      break;
    case 1:
#pragma omp parallel for schedule(dynamic) num_threads(wanted)
      for (int i = 0; i < n; ++i) r.body(s, i);
      break;
    case 2:
#pragma omp parallel for schedule(runtime)
      for (int i = 0; i < n; ++i) r.body(s, i);
      break;
    default:
#pragma omp parallel for schedule(guided)
      for (int i = 0; i < n; ++i) r.body(s, i);
  }
  s.runs->check_all("iterations of a parallel loop");
}

void empty_regions(frame f) {
  const auto wanted = static_cast<int>(2 + f.below(3));
  for (u64 times = 1 + f.below(10); times > 0; --times) {
    moved();
    std::atomic<int> threads{0};
    std::atomic<int> size{0};
#pragma omp parallel num_threads(wanted)
    {
      threads += 1;
      size = omp_get_num_threads();
    }
    check(threads.load() == size.load(), "threads of an empty region",
          static_cast<u64>(threads.load()), static_cast<u64>(size.load()));
  }
}

constexpr action actions[] = {
    {"region", 8, region},
    {"region_of_waiting_threads", 2, region_of_waiting_threads},
    {"parallel_loop", 3, parallel_loop},
    {"empty_regions", 2, empty_regions},
};

}  // namespace

std::span<const action> openmp_actions() { return actions; }

}  // namespace doall::doors
