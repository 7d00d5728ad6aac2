#include "doors/endings.hpp"

#include <doall/doall.hpp>

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>

#include "doors/frame.hpp"

namespace doall::doors {
namespace {

constexpr int exit_status = 7;  // of all that end by exit

// Leaves until the process ends, and how.
enum class end_by { nothing, exit, quick_exit, terminate };
std::atomic<end_by> planned{end_by::nothing};
std::atomic<std::int64_t> leaves_left{0};

constexpr unsigned budget_most = 120;

frame any_frame(base::rng& random) {
  frame f;
  f.random = base::rng(random.next());
  f.budget = static_cast<unsigned>(10 + random.below(budget_most));
  return f;
}

// Settings of the thread's own.
void set_up_thread(base::rng& random) {
  omp_set_num_threads(static_cast<int>(1 + random.below(5)));
  omp_set_max_active_levels(static_cast<int>(1 + random.below(3)));
  if (random.below(8) == 0) omp_set_dynamic(1);
  omp_set_schedule(static_cast<omp_sched_t>(1 + random.below(3)),
                   static_cast<int>(random.below(4)));
}

void run_thread(u64 seed) {
  is_own_thread = true;
  base::rng random(seed);
  set_up_thread(random);
  const thread_scope team(static_cast<std::int64_t>(1 + random.below(5)));
  act(any_frame(random));
}

void* run_once(void* seed) {
  const doing now("thread");
  const auto mine = reinterpret_cast<u64>(seed);
  run_thread(mine);
  if (mine % 2 == 0) pthread_exit(nullptr);
  return nullptr;
}

void* run_for_ever(void* seed) {
  const doing now("thread for ever");
  for (auto mine = reinterpret_cast<u64>(seed);; ++mine) run_thread(mine);
}

pthread_t start(void* (*run)(void*), u64 seed) {
  pthread_t thread{};
  const int error = pthread_create(&thread, nullptr, run, reinterpret_cast<void*>(seed));
  check(error == 0, "pthread_create", static_cast<u64>(error), 0);
  return thread;
}

void start_detached(void* (*run)(void*), base::rng& random, u64 least) {
  for (u64 n = least + random.below(3); n > 0; --n) pthread_detach(start(run, random.next()));
}

int return_zero(u64 seed) {
  constexpr u64 programs = 20;
  for (u64 i = 0; i < programs; ++i) run_program(seed + (i << 32));
  return 0;
}

// Objects that die with the process run loops, too.
void run_at_exit() {
  const doing now("at exit");
  std::atomic<int> sum{0};
  parallel_for(0, 50, [&](int i) { sum += i; });
#pragma omp parallel num_threads(3)
  moved();
  check(sum.load() == 1225, "a sum at exit", static_cast<u64>(sum.load()), 1225);
}

void maybe_run_at_exit(base::rng& random) {
  if (random.below(3) == 0) std::atexit(run_at_exit);
}

[[noreturn]] void run_until_ended(u64 seed, end_by how) {
  base::rng random(seed);
  maybe_run_at_exit(random);
  if (random.below(2) == 0) run_program(random.next());
  leaves_left = static_cast<std::int64_t>(1 + random.below(600));
  planned = how;
  start_detached(run_for_ever, random, 0);
  run_for_ever(reinterpret_cast<void*>(random.next() | 1));
  std::abort();
}

int exit_in_body(u64 seed) { run_until_ended(seed, end_by::exit); }
int quick_exit_in_body(u64 seed) { run_until_ended(seed, end_by::quick_exit); }
int terminate(u64 seed) { run_until_ended(seed, end_by::terminate); }

// main() ends while others are in the middle of everything.
int exit_beside_threads(u64 seed) {
  base::rng random(seed);
  maybe_run_at_exit(random);
  start_detached(run_for_ever, random, 1);
  if (random.below(3) != 0) run_thread(random.next());
  if (random.below(2) == 0) return exit_status;
  exit(exit_status);
}

// The others end after it, and the process with the last of them.
int main_leaves(u64 seed) {
  base::rng random(seed);
  if (random.below(2) == 0) run_program(random.next());
  start_detached(run_once, random, 0);
  if (random.below(3) != 0) run_thread(random.next());
  const doing now("left by pthread_exit");
  pthread_exit(nullptr);
}

struct named {
  const char* name;
  ending run;
};
constexpr named endings[] = {
    {"return", return_zero},
    {"exit_in_body", exit_in_body},
    {"quick_exit_in_body", quick_exit_in_body},
    {"terminate", terminate},
    {"exit_beside_threads", exit_beside_threads},
    {"main_leaves", main_leaves},
};

}  // namespace

void run_program(u64 seed) {
  base::rng random(seed);
  const u64 others = random.below(4);
  pthread_t all[4];
  for (u64 i = 0; i < others; ++i) all[i] = start(run_once, random.next());
  run_thread(random.next());
  for (u64 i = 0; i < others; ++i) pthread_join(all[i], nullptr);
  shared_page().programs.fetch_add(1, std::memory_order_relaxed);
}

ending find_ending(const char* name) {
  for (const named& e : endings) {
    if (std::strcmp(e.name, name) == 0) return e.run;
  }
  return nullptr;
}

void maybe_end_here() {
  if (planned.load(std::memory_order_relaxed) == end_by::nothing) return;
  if (leaves_left.fetch_sub(1, std::memory_order_relaxed) != 1) return;
  const doing now("end of the process");
  shared_page().programs.fetch_add(1, std::memory_order_relaxed);
  switch (planned.load(std::memory_order_relaxed)) {
    case end_by::exit: exit(exit_status);
    case end_by::quick_exit: quick_exit(exit_status);
    case end_by::terminate: kill(getpid(), SIGTERM); return;
    case end_by::nothing: return;
  }
}

void begin_child() { planned = end_by::nothing; }

}  // namespace doall::doors
