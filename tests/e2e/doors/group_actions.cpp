// Tasks: parallel_invoke, groups whose tasks give more, two groups at once, groups that are left
// by exceptions.
#include <doall/doall.hpp>

#include <stdexcept>

#include "doors/frame.hpp"

namespace doall::doors {
namespace {

void invoke(frame f) {
  const u64 seed = f.random.next();
  tally runs(3);
  const auto branch = [&](u64 i) {
    act(f.inner(seed + i, 3));
    runs.ran(i);
  };
  parallel_invoke([&] { branch(0); }, [&] { branch(1); }, [&] { branch(2); });
  runs.check_all("branches");
}

// A task with so many levels of tasks below it, two each, all of one group.
void give(task_group& group, const frame& f, u64 seed, unsigned levels, std::atomic<u64>& ran) {
  group.run([&group, &f, seed, levels, &ran] {
    if (levels != 0) {
      give(group, f, seed * 2, levels - 1, ran);
      give(group, f, seed * 2 + 1, levels - 1, ran);
    }
    act(f.inner(seed, u64{2} << levels));
    ran.fetch_add(1, std::memory_order_relaxed);
  });
}

void group(frame f) {
  const u64 seed = f.random.next();
  std::atomic<u64> ran{0};
  u64 given = 0;
  task_group tasks;
  const u64 rounds = 1 + f.below(2);
  for (u64 r = 0; r < rounds; ++r) {
    const u64 roots = f.below(5);
    for (u64 i = 0; i < roots; ++i) {
      const auto levels = static_cast<unsigned>(f.below(4));
      give(tasks, f, seed + r * 100 + i, levels, ran);
      given += (u64{2} << levels) - 1;
    }
    if (f.one_in(2)) act(f.inner(f.random.next(), 4));
    tasks.wait();
    check(ran.load() == given, "tasks of a group", ran.load(), given);
  }
}

void throwing_group(frame f) {
  const u64 seed = f.random.next();
  const u64 n = 1 + f.below(6);
  const u64 bad = f.below(n);
  const bool waits = !f.one_in(4);
  bool caught = false;
  try {
    task_group tasks;
    for (u64 i = 0; i < n; ++i) {
      tasks.run([&f, seed, n, i, bad] {
        act(f.inner(seed + i, n));
        if (i == bad) throw std::runtime_error("doors");
      });
    }
    if (waits) tasks.wait();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  check(caught == waits, "exceptions of a group", caught ? 1 : 0, waits ? 1 : 0);
}

// The first group is waited for under a lock that tasks of the second take: "a thread that
// waits runs tasks of this group and what they start, nothing else".
void two_groups(frame f) {
  const int rank = f.floor + 1 + static_cast<int>(f.below(3));
  if (rank >= ranks) return group(f);
  const u64 seed = f.random.next();
  const u64 n = 1 + f.below(4);
  std::atomic<u64> ran{0};
  task_group first;
  task_group second;
  frame locked = f;
  locked.floor = rank;
  for (u64 i = 0; i < n; ++i) {
    first.run([&locked, seed, n, i, &ran] {
      act(locked.inner(seed + i, 2 * n));
      ran.fetch_add(1, std::memory_order_relaxed);
    });
    second.run([&f, seed, n, i, &ran, rank] {
      lock_table::current->hold(rank, [&] { moved(); });
      act(f.inner(~seed + i, 2 * n));
      ran.fetch_add(1, std::memory_order_relaxed);
    });
  }
  lock_table::current->hold(rank, [&] { first.wait(); });
  second.wait();
  check(ran.load() == 2 * n, "tasks of two groups", ran.load(), 2 * n);
}

// A loop under a lock that tasks given before take.
void loop_beside_group(frame f) {
  const int rank = f.floor + 1 + static_cast<int>(f.below(3));
  if (rank >= ranks) return group(f);
  const u64 seed = f.random.next();
  const u64 n = 1 + f.below(6);
  std::atomic<u64> ran{0};
  task_group tasks;
  for (u64 i = 0; i < n; ++i) {
    tasks.run([&f, seed, n, i, &ran, rank] {
      lock_table::current->hold(rank, [&] { moved(); });
      act(f.inner(seed + i, 2 * n));
      ran.fetch_add(1, std::memory_order_relaxed);
    });
  }
  frame locked = f;
  locked.floor = rank;
  tally runs(n);
  lock_table::current->hold(rank, [&] {
    parallel_for(u64{0}, n, [&](u64 i) {
      act(locked.inner(~seed + i, 2 * n));
      runs.ran(i);
    });
  });
  runs.check_all("iterations beside a group");
  tasks.wait();
  check(ran.load() == n, "tasks beside a loop", ran.load(), n);
}

constexpr action actions[] = {
    {"invoke", 4, invoke},
    {"group", 4, group},
    {"throwing_group", 1, throwing_group},
    {"two_groups", 1, two_groups},
    {"loop_beside_group", 2, loop_beside_group},
};

}  // namespace

std::span<const action> group_actions() { return actions; }

}  // namespace doall::doors
