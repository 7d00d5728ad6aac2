// Standard C++ that knows nothing of doall: its parallel algorithms run on doall's threads if it is
// compiled with doall's answer to oneTBB's headers.
//
//   g++ -std=c++17 -O2 -I<prefix>/include/doall/compat standard.cpp -ldoall
#include <algorithm>
#include <cstdio>
#include <execution>
#include <numeric>
#include <vector>

int main() {
  std::vector<double> terms(1'000'000);
  std::iota(terms.begin(), terms.end(), 1.0);
  std::for_each(std::execution::par_unseq, terms.begin(), terms.end(),
                [](double& k) { k = 1.0 / (k * k); });
  std::sort(std::execution::par, terms.begin(), terms.end());  // small ones first
  std::printf("%.9f\n", std::reduce(std::execution::par, terms.begin(), terms.end()));
}
