#include <doall/doall.hpp>

#include <cstdio>
#include <functional>
#include <vector>

int main() {
  std::vector<double> x(1'000'000);
  doall::parallel_for(std::size_t{0}, x.size(), [&](std::size_t i) { x[i] = 1.0 / (i + 1); });
  const double sum = doall::parallel_reduce(
      std::size_t{0}, x.size(), 0.0, [&](std::size_t i) { return x[i] * x[i]; }, std::plus<>{});
  std::printf("%.17g\n", sum);  // the same digits for any number of threads
}
