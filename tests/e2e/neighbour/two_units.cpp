// A program of two translation units that include doall.hpp: each loop of the header, in both. What
// the header defines must be linked once, whatever the compiler makes of it. Compiled twice, into
// one program: sums_of_unit_1() and, with UNIT=2, sums_of_unit_2() and main().
#include <cstdio>
#include <doall/doall.hpp>
#include <functional>
#include <vector>

#if UNIT == 1
#define SUM_OF_UNIT sum_of_unit_1
#else
#define SUM_OF_UNIT sum_of_unit_2
#endif

long sum_of_unit_1();
long sum_of_unit_2();

long SUM_OF_UNIT() {
  constexpr int n = 1000;
  std::vector<long> values(n);
  doall::parallel_for(0, n, [&](int i) { values[static_cast<std::size_t>(i)] = n - i; });
  doall::parallel_for_each(values, [](long& value) { value -= 1; });
  doall::parallel_sort(values);
  doall::parallel_scan(values, 0L, std::plus<>{});
  long first = 0;
  long last = 0;
  doall::parallel_invoke([&] { first = values.front(); }, [&] { last = values.back(); });
  doall::parallel_invoke(doall::schedule("guided"), [&] { first += 1; }, [&] { last += 1; });
  doall::task_group tasks;
  tasks.run([&] { first += 1; });
  tasks.wait();
  const long sum = doall::parallel_reduce(
      0, n, 0L, [&](int i) { return values[static_cast<std::size_t>(i)]; }, std::plus<>{});
  return first + last + sum;
}

#if UNIT == 2
int main() {
  const long one = sum_of_unit_1();
  const long two = sum_of_unit_2();
  std::printf("%ld %ld\n", one, two);
  // The scan's results are the sums of 0 to k; the first is 0.
  long running = 0;
  long expected = 3;  // what the tasks have added
  for (long k = 0; k < 1000; ++k) {
    running += k;
    expected += running;
  }
  expected += running;  // the last result
  return one == expected && two == expected ? 0 : 1;
}
#endif
