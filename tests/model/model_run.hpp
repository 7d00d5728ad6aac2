// Runs a program's Relacy suites and prints a line for each.
//
//   model_X [interleavings] [suite] [first]
//
// run() tries that many random interleavings (stale reads of atomics, spurious
// failures of compare-and-swap and early returns of futex included), number
// `first` and after; they are numbered, so a failure prints the one command
// that repeats it. Without arguments: DOALL_MODEL_INTERLEAVINGS from the
// environment, else 50,000. search() tries every interleaving there is, or every
// one with at most so many preemptions, with reads at most one store out of
// date; it is for the smallest suites.
#pragma once

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/sync.hpp"

namespace doall::model {

// Exit statuses, which tests/model/mutants.sh must tell apart from a crash.
enum outcome : int { holds = 0, fails = 1, bad_usage = 2 };

class runner {
 public:
  using number = unsigned long long;

  runner(int argc, char** argv) : program_(argv[0]) {
    const char* from_environment = std::getenv("DOALL_MODEL_INTERLEAVINGS");
    const char* text = argc > 1 ? argv[1] : from_environment;
    if (text != nullptr) interleavings_ = parse(text, "interleavings");
    if (argc > 2) only_ = argv[2];
    if (argc > 3) first_ = parse(argv[3], "first");
  }

  template <class Suite>
  void run(const char* name) {
    check<Suite, rl::random_scheduler<Suite::params::thread_count>>(name, rl::sched_random);
  }

  template <class Suite>
  void search(const char* name) {
    check<Suite, rl::full_search_scheduler<Suite::params::thread_count>>(name, rl::sched_full);
  }

  template <class Suite>
  void search(const char* name, unsigned preemptions_max) {
    check<Suite, rl::context_bound_scheduler<Suite::params::thread_count>>(name, rl::sched_bound,
                                                                           preemptions_max);
  }

  int finish() const {
    if (suites_ > 0) return outcome_;
    std::fprintf(stderr, "%s: no suite \"%s\"\n", program_, only_);
    return bad_usage;
  }

 private:
  template <class Suite, class Scheduler>
  void check(const char* name, rl::scheduler_type_e how, unsigned preemptions_max = 0) {
    if (only_ != nullptr && std::strcmp(only_, name) != 0) return;
    ++suites_;
    rl::ostringstream report;
    rl::ostringstream failed_at;  // what Relacy needs to repeat the failure
    rl::test_params params;
    params.search_type = how;
    params.context_bound = preemptions_max;
    params.iteration_count = first_ + interleavings_ - 1;
    const bool random = how == rl::sched_random;
    if (random) params.initial_state = std::to_string(first_).c_str();
    params.execution_depth_limit = 10000;
    params.output_stream = &report;
    params.progress_stream = &report;

    const auto started = std::chrono::steady_clock::now();
    const rl::test_result_e result = rl::run_test<Suite, Scheduler>(params, failed_at, false);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
    if (result == rl::test_result_success) {
      const number tried = random ? interleavings_ : params.stop_iteration;
      std::printf("%-28s holds in %8llu interleavings, %s, %6.2f s\n", name, tried,
                  random ? "random" : "search", took.count());
      return;
    }
    outcome_ = fails;
    params.initial_state = failed_at.str();
    params.collect_history = true;
    rl::ostringstream ignored;
    rl::run_test<Suite, Scheduler>(params, ignored, true);
    std::printf("%s\n%-28s FAILS: %s; repeat by: %s 1 %s", report.str().c_str(), name,
                rl::test_result_str(result), program_, name);
    if (random) std::printf(" %llu", number{params.stop_iteration});
    std::printf("\n");
  }

  static number parse(const char* text, const char* what) {
    char* end = nullptr;
    const number value = std::strtoull(text, &end, 10);
    if (value > 0 && *end == '\0') return value;
    std::fprintf(stderr, "%s is \"%s\", expected a whole number from 1\n", what, text);
    std::exit(bad_usage);
  }

  const char* program_;
  const char* only_ = nullptr;
  number interleavings_ = 50000;
  number first_ = 1;
  int suites_ = 0;
  outcome outcome_ = holds;
};

}  // namespace doall::model
