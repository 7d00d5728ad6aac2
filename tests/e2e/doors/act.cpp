#include <sched.h>
#include <unistd.h>

#include <cstdlib>

#include "doors/frame.hpp"

namespace doall::doors {
namespace {

constexpr unsigned depth_most = 7;

void hold_lock(frame f) {
  const int rank = f.floor + 1 + static_cast<int>(f.below(3));
  if (rank >= ranks) return act(f.inner(f.random.next(), 1));
  lock_table::current->hold(rank, [&] {
    frame inside = f.inner(f.random.next(), 1);
    inside.floor = rank;
    act(inside);
  });
}

constexpr action own_actions[] = {{"lock", 4, hold_lock}};

struct menu {
  std::vector<action> all;
  unsigned weights = 0;

  menu() {
    for (const auto some : {std::span<const action>(own_actions), native_actions(), group_actions(),
                            openmp_actions(), process_actions()}) {
      for (const action& a : some) {
        if (is_left_out(a.name)) continue;
        all.push_back(a);
        weights += a.weight;
      }
    }
  }
};

// Made before there are threads, and never freed: threads may run while the process ends.
const menu& choices = *new menu;

void act_once(frame f) {
  u64 at = f.below(choices.weights);
  for (const action& a : choices.all) {
    if (at < a.weight) {
      const doing now(a.name);
      moved();
      a.run(f);
      return;
    }
    at -= a.weight;
  }
}

const std::vector<std::string>& read_schedules() {
  const char* const text = std::getenv(schedules_variable);
  auto& all = *new std::vector<std::string>;  // as the choices
  std::string rest = text != nullptr ? text : "static;dynamic;guided;lbs";
  for (std::size_t end; (end = rest.find(';')) != rest.npos; rest.erase(0, end + 1)) {
    all.push_back(rest.substr(0, end));
  }
  all.push_back(rest);
  return all;
}

const std::vector<std::string>& all_schedules = read_schedules();

void work(u64 steps) {
  for (u64 i = 0; i < steps; ++i) asm volatile("");
}

}  // namespace

const std::vector<std::string>& schedules() { return all_schedules; }

void act(frame f) {
  moved();
  if (f.budget == 0 || f.depth >= depth_most) return leaf(f);
  const u64 times = 1 + f.below(3);
  for (u64 i = 0; i < times; ++i) {
    frame next = f;
    next.random = base::rng(f.random.next());
    next.budget = static_cast<unsigned>((f.budget - 1) / times);
    act_once(next);
  }
}

void leaf(frame f) {
  moved();
  if (at_leaf != nullptr) at_leaf();
  maybe_end_here();
  switch (f.below(16)) {
    case 0: sched_yield(); return;
    case 1: usleep(static_cast<useconds_t>(f.below(300))); return;
    case 2:
    case 3:
    case 4:
    case 5:
    case 6: {
      const int rank = f.floor + 1 + static_cast<int>(f.below(ranks));
      const u64 steps = f.below(2'000);
      if (rank < ranks) lock_table::current->hold(rank, [&] { work(steps); });
      return;
    }
    default: work(f.below(f.one_in(4) ? 20'000 : 200)); return;
  }
}

}  // namespace doall::doors
