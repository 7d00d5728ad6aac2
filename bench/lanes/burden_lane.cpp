#include "lanes/burden_lane.hpp"

namespace doall::bench {
namespace {

double shared_part(const kernel& k, std::uint64_t loops) {
  for (auto& count : counting_body::runs) count = 0;
  k.prepare();
  k.run_counting(loops);
  for (int i = 0; i < iterations; ++i) {
    if (counting_body::runs[i] == loops) continue;
    throw std::runtime_error("in " + std::to_string(loops) + " loops iteration " +
                             std::to_string(i) + " ran " + std::to_string(counting_body::runs[i]) +
                             " times; expected once a loop");
  }
  witness_body::is_caller = true;
  witness_body::last_elsewhere = 0;
  k.run_witnessed(loops);
  return static_cast<double>(witness_body::last_elsewhere) / static_cast<double>(loops);
}

}  // namespace

void serve_burden(const std::string& library, unsigned threads,
                  const std::vector<kernel>& kernels) {
  const auto kernel_of = [&](std::istream& words) -> const kernel& {
    return named(kernels, next_of(words), &kernel::schedule);
  };
  lane l{.library = library, .threads = threads};
  for (const kernel& k : kernels) l.offers.push_back(k.schedule);
  l.verbs["check"] = [&](std::istream& words) {
    const kernel& k = kernel_of(words);
    return in_a_line({shared_part(k, next_of<std::uint64_t>(words))});
  };
  l.verbs["time"] = [&](std::istream& words) {
    const kernel& k = kernel_of(words);
    const auto batches = next_of<unsigned>(words);
    k.prepare();
    return in_a_line(
        time_batches({.warm_up_ns = 3'000'000, .least = 10, .batches = batches}, k.run));
  };
  serve(l);
}

}  // namespace doall::bench
