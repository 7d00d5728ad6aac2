#include "kernels/harness.hpp"

#include <algorithm>

#include "base/clock.hpp"

namespace doall::bench {
namespace {

// Long enough for every thread to be awake.
constexpr std::uint64_t warm_up_ns = 2'000'000;
constexpr double timed_ns = 5e6;

}  // namespace

harness::harness(const program& p, size s, const program& warm_up)
    : program_(p), warm_up_(warm_up), kernel_(p.make(s)), small_loop_(warm_up.make(size::small)) {
  residence log(kernel_->loop_lengths());
  kernel_->watch(&log);
  kernel_->reset();
  run(way::serial);
  kernel_->watch(nullptr);
  runs_ = log.runs();
  const auto answer = kernel_->answer();
  answer_.assign(answer.begin(), answer.end());
}

void harness::verify() const {
  const auto answer = kernel_->answer();
  const auto [found, expected] = std::ranges::mismatch(answer, answer_);
  if (found != answer.end() || expected != answer_.end()) {
    throw wrong_answer("the answer differs from the serial one's from byte " +
                       std::to_string(found - answer.begin()) + " on");
  }
  if (!kernel_->verified()) throw wrong_answer("the answer fails the specification's own test");
}

double harness::check(way how) {
  constexpr std::uint32_t executions = 2;
  residence log(kernel_->loop_lengths());
  for (std::uint32_t i = 0; i < executions; ++i) {
    kernel_->reset();
    kernel_->watch(&log);
    run(how);
    kernel_->watch(nullptr);
    verify();
  }
  const auto runs = log.runs();
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i] == executions * runs_[i]) continue;
    throw wrong_answer("iteration " + std::to_string(i) + " ran " + std::to_string(runs[i]) +
                       " times, expected " + std::to_string(executions * runs_[i]));
  }
  return log.stayed_part();
}

void harness::wake_threads() {
  const std::uint64_t begin_ns = base::now_ns();
  do {
    small_loop_->reset();
    warm_up_.parallel(*small_loop_);
  } while (base::now_ns() - begin_ns < warm_up_ns);
}

run_record harness::timed_run(way how) {
  kernel_->reset();
  const std::uint64_t begin_ns = base::now_ns();
  run(how);
  run_record made{.total_ns = static_cast<double>(base::now_ns() - begin_ns)};
  if (kernel_->times() != nullptr) made.loops = *kernel_->times();
  return made;
}

std::vector<run_record> harness::time(way how, std::size_t runs_min, std::size_t runs_max) {
  if (how == way::parallel) wake_threads();
  std::vector<run_record> runs;
  double spent_ns = 0;
  while (runs.size() < runs_min || (spent_ns < timed_ns && runs.size() < runs_max)) {
    runs.push_back(timed_run(how));
    spent_ns += runs.back().total_ns;
  }
  verify();
  return runs;
}

std::vector<run_record> harness::call(way how, std::size_t runs) {
  if (how == way::parallel) wake_threads();
  return repeat(how, runs);
}

std::vector<run_record> harness::repeat(way how, std::size_t runs) {
  std::vector<run_record> all;
  while (all.size() < runs) all.push_back(timed_run(how));
  verify();
  return all;
}

}  // namespace doall::bench
