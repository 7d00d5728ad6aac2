#include "lanes/deep_chain.hpp"

#include <pthread.h>

#include <algorithm>
#include <system_error>

#include "base/clock.hpp"
#include "kernels/harness.hpp"

namespace doall::bench {
namespace {

// Address space; memory is what the chain touches.
constexpr std::size_t stack_bytes = std::size_t{1} << 30;
// Of chains that take that long one run is enough.
constexpr double long_run_ns = 5e8;
constexpr double timed_ns = 5e6;

}  // namespace

deep_chain::place deep_chain::here() {
  return {reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)),
          static_cast<std::uint64_t>(pthread_self())};
}

[[gnu::noinline]] void deep_chain::begin() { first_ = here(); }
[[gnu::noinline]] void deep_chain::reach_end() { last_ = here(); }
[[gnu::noinline]] std::uint64_t deep_chain::one() {
  asm volatile("");
  return 1;
}

bool is_loop_form(const std::string& form) {
  return form.starts_with("for") || form == "taskloop" || form == serial_loops;
}

double deep_chain::bytes_a_level() const {
  if (first_.thread != last_.thread || levels_ == 0) return 0;
  return static_cast<double>(first_.address - last_.address) / static_cast<double>(levels_);
}

chain_record time_chain(std::uint64_t levels,
                        const std::function<std::uint64_t(deep_chain&)>& run) {
  chain_record made;
  std::vector<double> runs_ns;
  const auto run_once = [&] {
    deep_chain chain(levels);
    const std::uint64_t begin_ns = base::now_ns();
    const std::uint64_t found = run(chain);
    const auto spent_ns = static_cast<double>(base::now_ns() - begin_ns);
    if (found != levels) {
      throw wrong_answer("a chain of " + std::to_string(levels) + " levels counts " +
                         std::to_string(found));
    }
    made.bytes_a_level = std::max(made.bytes_a_level, chain.bytes_a_level());
    return spent_ns;
  };
  // The first run's stack is memory that the system has still to give.
  const double first_ns = run_once();
  if (first_ns > long_run_ns) return {first_ns, made.bytes_a_level};
  for (double spent_ns = 0; spent_ns < timed_ns || runs_ns.size() < 3; spent_ns += runs_ns.back()) {
    runs_ns.push_back(run_once());
  }
  std::ranges::sort(runs_ns);
  made.run_ns = runs_ns[runs_ns.size() / 2];
  return made;
}

int call_on_large_stack(const std::function<int()>& body) {
  struct call {
    const std::function<int()>& body;
    int status = 1;
  } made{body};
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, stack_bytes);
  pthread_t thread{};
  const auto run = [](void* to) -> void* {
    auto& mine = *static_cast<call*>(to);
    mine.status = mine.body();
    return nullptr;
  };
  const int error = pthread_create(&thread, &attributes, run, &made);
  pthread_attr_destroy(&attributes);
  if (error != 0) throw std::system_error(error, std::generic_category(), "a thread of 1 GiB");
  pthread_join(thread, nullptr);
  return made.status;
}

}  // namespace doall::bench
