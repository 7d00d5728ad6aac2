// Threads and processes that are started anywhere, and how they end.
#include <doall/doall.hpp>

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <functional>
#include <thread>

#include "doors/frame.hpp"

namespace doall::doors {
namespace {

// A thread that acts, and ends by its function's return or by pthread_exit() inside of it.
class caller {
 public:
  caller(const frame& f, bool leaves) : f_(f), leaves_(leaves) {
    started_ = pthread_create(&thread_, nullptr, run, this) == 0;
    check(started_, "threads started", 0, 1);
  }
  ~caller() { pthread_join(thread_, nullptr); }
  caller(const caller&) = delete;
  caller& operator=(const caller&) = delete;

 private:
  static void* run(void* self) {
    const auto& mine = *static_cast<const caller*>(self);
    const doing now("caller");
    is_own_thread = true;
    act(mine.f_);
    if (mine.leaves_) pthread_exit(nullptr);
    return nullptr;
  }

  const frame f_;
  const bool leaves_;
  bool started_ = false;
  pthread_t thread_{};
};

void threads(frame f) {
  const u64 n = 1 + f.below(2);
  std::vector<std::unique_ptr<caller>> all;
  for (u64 i = 0; i < n; ++i) {
    const u64 seed = f.random.next();
    all.push_back(std::make_unique<caller>(f.inner(seed, n + 1), f.one_in(2)));
  }
  act(f.inner(f.random.next(), n + 1));
}

// 0 in the child, which dies with the thread that waits for it.
pid_t fork_here() {
  const pid_t child = fork();
  check(child != -1, "forks", 0, 1);
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    begin_child();
    lock_table::begin_anew(true);
  }
  return child;
}

void wait_for(pid_t child) {
  const doing now("waitpid");
  int status = -1;
  while (waitpid(child, &status, 0) == -1 && errno == EINTR) continue;
  check(status == 0, "status of a child", static_cast<u64>(status), 0);
  moved();
}

// A program of the child's own, where nothing is held.
void act_in_child(const frame& f, u64 seed) {
  const doing now("child");
  frame mine = f.inner(seed, 4);
  mine.floor = -1;
  act(mine);
}

[[noreturn]] void end_child(u64 how) {
  moved();
  const doing now("end of child");
  if (how % 2 == 0) exit(0);
  _exit(0);
}

void fork_inside(frame f) {
  const u64 seed = f.random.next();
  const pid_t child = fork_here();
  if (child != 0) return wait_for(child);
  act_in_child(f, seed);
  act_in_child(f, seed + 1);
  end_child(seed);
}

// The child comes out of the region, and goes on.
void fork_leaves_region(frame f) {
  const u64 seed = f.random.next();
  const u64 loops = f.below(14);
  const u64 later_loops = f.below(12);
  const auto wanted = static_cast<int>(1 + f.below(4));
  pid_t child = -1;
  const auto run_loops = [&](u64 times) {
    for (u64 l = 0; l < times; ++l) {
      moved();
#pragma omp for schedule(dynamic)
      for (int i = 0; i < 4; ++i) moved();
    }
  };
#pragma omp parallel num_threads(wanted)
  {
    run_loops(loops);
    if (omp_get_thread_num() == 0) {
      child = fork_here();
      if (child == 0) act_in_child(f, seed);
    }
  }
  if (child != 0) return wait_for(child);
#pragma omp parallel num_threads(wanted)
  run_loops(later_loops);
  act_in_child(f, seed + 1);
#pragma omp parallel num_threads(wanted)
  run_loops(later_loops);
  end_child(seed);
}

// The same of a native loop.
void fork_leaves_loop(frame f) {
  const u64 seed = f.random.next();
  const loop_options options =
      f.one_in(3) ? loop_options{} : schedule(schedules()[f.below(schedules().size())]);
  const auto here = std::this_thread::get_id();
  const u64 n = 1 + f.below(30);
  pid_t child = -1;
  parallel_for(
      u64{0}, n,
      [&](u64 i) {
        leaf(f.inner(seed + i, 1));
        if (std::this_thread::get_id() != here || child != -1) return;
        child = fork_here();
        if (child == 0) act_in_child(f, seed);
      },
      options);
  if (child == -1) return;  // others have run all of it
  if (child != 0) return wait_for(child);
  act_in_child(f, seed + 1);
  end_child(seed);
}

// And of a group, some of whose tasks others may be running.
void fork_leaves_group(frame f) {
  const u64 seed = f.random.next();
  const u64 n = f.below(8);
  pid_t child = -1;
  {
    task_group tasks;
    for (u64 i = 0; i < n; ++i) {
      tasks.run([&f, seed, i, n] { act(f.inner(seed + i, 4 * n)); });
    }
    child = fork_here();
    if (child == 0) act_in_child(f, seed);
    tasks.wait();
  }
  if (child != 0) return wait_for(child);
  act_in_child(f, seed + 1);
  end_child(seed);
}

constexpr action actions[] = {
    {"threads", 2, threads},
    {"fork", 1, fork_inside},
    {"fork_leaves_region", 1, fork_leaves_region},
    {"fork_leaves_loop", 1, fork_leaves_loop},
    {"fork_leaves_group", 1, fork_leaves_group},
};

}  // namespace

std::span<const action> process_actions() { return actions; }

}  // namespace doall::doors
