// COWS's kernels in plain OpenMP C compute what the serial runs do, under OpenMP's own schedules.
#include <dlfcn.h>

#include <map>

#include "kernel_runs.hpp"
#include "kernels/cows_programs.hpp"
#include "lanes/openmp_runtime.hpp"

namespace {

unsigned runtime_loops = 0;  // how often one has begun

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

// What GCC calls at a loop with schedule(runtime), before libgomp's own.
extern "C" {

void GOMP_parallel_loop_maybe_nonmonotonic_runtime(void (*body)(void*), void* data,
                                                   unsigned threads, long first, long last,
                                                   long step, unsigned flags) {
  __atomic_fetch_add(&runtime_loops, 1, __ATOMIC_RELAXED);
  static const auto own = next<decltype(&GOMP_parallel_loop_maybe_nonmonotonic_runtime)>(__func__);
  own(body, data, threads, first, last, step, flags);
}

bool GOMP_loop_maybe_nonmonotonic_runtime_start(long first, long last, long step, long* begin,
                                                long* end) {
  __atomic_fetch_add(&runtime_loops, 1, __ATOMIC_RELAXED);
  static const auto own = next<decltype(&GOMP_loop_maybe_nonmonotonic_runtime_start)>(__func__);
  return own(first, last, step, begin, end);
}

}  // extern "C"

namespace doall::bench {
namespace {

TEST(CowsPrograms, EveryOpenmpScheduleGivesTheSerialAnswer) {
  const auto door = [](auto& k) { run_omp(k, cows_programs_runtime); };
  const program warm_up = cows_warm_up(door);
  expect_serial_answers(cows_programs(door, every_graph(size::small, {})), &warm_up,
                        {"dynamic", "dynamic,7", "static", "static,1", "guided"},
                        use_openmp_schedule);
  EXPECT_GT(runtime_loops, 0);
}

// And ask for no schedule at run time.
TEST(CowsPrograms, EveryClauseGivesTheSerialAnswer) {
  const cows_program_set* programs = nullptr;
  const auto door = [&](auto& k) { run_omp(k, *programs); };
  const std::map<std::string, const cows_program_set*> by_clause{
      {"dynamic", &cows_programs_dynamic},
      {"static", &cows_programs_static},
      {"static,1", &cows_programs_cyclic},
      {"guided", &cows_programs_guided}};
  programs = &cows_programs_static;
  runtime_loops = 0;
  const program warm_up = cows_warm_up(door);
  expect_serial_answers(cows_programs(door, every_graph(size::small, {})), &warm_up,
                        {"dynamic", "static", "static,1", "guided"},
                        [&](const std::string& text) { programs = by_clause.at(text); });
  EXPECT_EQ(runtime_loops, 0);
}

}  // namespace
}  // namespace doall::bench
