#include "lanes/burden_lane.hpp"

#include <algorithm>
#include <iostream>
#include <sstream>

#include "base/clock.hpp"

namespace doall::bench {
namespace {

// Long enough for every thread to be awake and every cache warm.
constexpr std::uint64_t warm_up_ns = 3'000'000;
// Long against a reading of the clock, short against a time slice.
constexpr double batch_ns = 250'000;
constexpr std::uint64_t loops_min = 10;

// Nanoseconds a loop.
double time_batch(const kernel& k, std::uint64_t loops) {
  const std::uint64_t begin_ns = base::now_ns();
  k.run(loops);
  return static_cast<double>(base::now_ns() - begin_ns) / static_cast<double>(loops);
}

std::string time_batches(const kernel& k, unsigned batches) {
  k.prepare();
  double loop_ns = 0;
  const std::uint64_t begin_ns = base::now_ns();
  do {
    loop_ns = time_batch(k, loops_min);
  } while (base::now_ns() - begin_ns < warm_up_ns);

  const auto loops = std::max(loops_min, static_cast<std::uint64_t>(batch_ns / (loop_ns + 1)));
  std::ostringstream answer;
  for (; batches > 0; --batches) answer << time_batch(k, loops) << '\t';
  return answer.str();
}

std::string check(const kernel& k, std::uint64_t loops) {
  for (auto& count : counting_body::runs) count = 0;
  k.prepare();
  k.run_counting(loops);
  for (int i = 0; i < iterations; ++i) {
    if (counting_body::runs[i] != loops) {
      return "in " + std::to_string(loops) + " loops iteration " + std::to_string(i) + " ran " +
             std::to_string(counting_body::runs[i]) + " times";
    }
  }
  witness_body::is_caller = true;
  witness_body::last_elsewhere = 0;
  k.run_witnessed(loops);
  const auto shared = static_cast<double>(witness_body::last_elsewhere);
  return "ok " + std::to_string(shared / static_cast<double>(loops));
}

std::string answer(const std::string& request, const std::vector<kernel>& kernels) {
  std::istringstream fields(request);
  std::string verb;
  std::size_t index = 0;
  unsigned amount = 0;
  if (!(fields >> verb >> index >> amount) || index >= kernels.size()) {
    return "bad request: " + request;
  }
  return verb == "check" ? check(kernels[index], amount) : time_batches(kernels[index], amount);
}

}  // namespace

void serve(const std::string& library, unsigned threads, const std::vector<kernel>& kernels) {
  std::cout << library << '\t' << threads;
  for (const kernel& k : kernels) std::cout << '\t' << k.schedule;
  std::cout << std::endl;
  for (std::string request; std::getline(std::cin, request);) {
    std::cout << answer(request, kernels) << std::endl;
  }
}

}  // namespace doall::bench
