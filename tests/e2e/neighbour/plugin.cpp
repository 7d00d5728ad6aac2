// A plugin that uses much of the header; plugin.sh loads and unloads it.
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <functional>
#include <vector>

extern "C" long run_plugin(long n) {
  std::atomic<long> sum{0};
  doall::parallel_for(0L, n, [&](long i) { sum += i; });
  std::vector<double> values(1000, 1.0);
  doall::parallel_for_each(values, [](double& v) { v += 1; });
  sum += static_cast<long>(doall::parallel_reduce(values, 0.0, std::plus<>{}));
  sum += doall::parallel_reduce(
      0, 1000, 0, [](int i) { return i; }, std::plus<>{}, doall::schedule::guided(4));
  doall::parallel_for(0, 10, [&](int) { doall::parallel_for(0, 10, [&](int) { ++sum; }); });
  doall::parallel_sort(values);
  doall::task_group tasks;
  tasks.run([&] { ++sum; });
  tasks.wait();
  return sum;
}
