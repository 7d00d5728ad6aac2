// OpenMP's lane, by its reduction clauses. One source: GCC's build runs on libgomp and,
// preloaded, on doall's libgomp.so.1; Clang's build runs on libomp.
#include "lanes/openmp_runtime.hpp"
#include "lanes/reduce_lane.hpp"

namespace {

using namespace doall::bench;

double dot(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

byte_counts histogram(std::span<const std::uint8_t> bytes) {
  byte_counts counts{};
  std::uint32_t* sums = counts.data();
#pragma omp parallel for schedule(static) reduction(+ : sums[ : 256])
  for (std::size_t i = 0; i < bytes.size(); ++i) ++sums[bytes[i]];
  return counts;
}

}  // namespace

int main() {
  serve_reduce({.library = openmp_library(),
                .threads = openmp_team_size(),
                .offered = {{"static", dot, histogram}}});
}
