// The sparse matrix of spmv.c, as a vector of rows.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct entry {
  int column;
  double value;
};
using matrix = std::vector<std::vector<entry>>;

void multiply(const matrix& rows, const std::vector<double>& x, std::vector<double>& y) {
#pragma omp parallel for
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 0;
    for (const entry& e : rows[i]) sum += e.value * x[e.column];
    y[i] = sum;
  }
}

matrix power_law(int rows) {
  matrix made(rows);
  std::uint32_t random = 1;
  for (int i = 0; i < rows; ++i) {
    made[i].resize(1 + static_cast<std::size_t>(48e6 * std::pow(i + 1000, -1.5)));
    for (entry& e : made[i]) {
      random = random * 1664525 + 1013904223;
      e = {static_cast<int>(std::uint64_t{random} * rows >> 32), 0.5};
    }
  }
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  constexpr int rows = 200'000;
  const int products = argc > 1 ? std::atoi(argv[1]) : 1;
  if (products < 1) return 2;
  const matrix a = power_law(rows);
  std::vector<double> x(rows);
  std::vector<double> y(rows);
  for (int i = 0; i < rows; ++i) x[i] = i % 8;
  std::vector<double> times;
  for (int p = 0; p < products; ++p) {
    const double begin = omp_get_wtime();
    multiply(a, x, y);
    times.push_back(omp_get_wtime() - begin);
  }
  std::sort(times.begin(), times.end());
  double sum = 0;
  for (double v : y) sum += v;
  std::printf("%.0f %.1f\n", times[products / 2] * 1e9, sum);
}
