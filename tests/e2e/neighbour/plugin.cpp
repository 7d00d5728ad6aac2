// A plugin that uses much of the headers; plugin.sh loads and unloads it.
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <functional>
#include <list>
#include <tuple>
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
  // Costs, and the other doors.
  const std::vector<int> weights(1000, 3);
  doall::cost_table table(doall::weights(weights));
  doall::parallel_for(0, 1000, [&](int) { ++sum; }, table);
  table.changed();
  doall::parallel_for(0, 1000, [&](int) { ++sum; }, table);
  doall::parallel_for(0, 1000, [&](int) { ++sum; }, doall::cost([](auto i) { return i + 1; }));
  doall::parallel_for(doall::space(20, 30), [&](int, int) { ++sum; });
  std::vector<double> sums(values.size());
  doall::parallel_scan(values, sums.begin(), 0.0, std::plus<>{});
  doall::parallel_exclusive_scan(values, 0.0, std::plus<>{}, {.order = doall::reduce_order::any});
  doall::parallel_stable_sort(values, std::greater<>{});
  doall::parallel_sort_by_key(values, sums);
  sum += doall::parallel_find(values, 2.0) - values.begin();
  sum +=
      static_cast<long>(doall::parallel_pack(values, sums.begin(), [](double v) { return v > 0; }));
  std::list<long> list(100, 1);
  doall::parallel_for_each(list, [&](long v) { sum += v; });
  const auto [a, b] = doall::parallel_reduce(
      0, 1000, std::tuple(0, 0L), [](int i) { return std::tuple(1, long{i}); },
      doall::combine_each(std::plus<>{}, std::plus<>{}));
  sum += a + b;
  using bins = std::array<long, 16>;
  sum += doall::parallel_reduce(
      0, 1000, bins{}, [](int i, bins& all) { ++all[static_cast<std::size_t>(i % 16)]; },
      doall::each_element(std::plus<>{}))[0];
  doall::per_worker<long> counts;
  doall::parallel_for(0, 1000, [&](int) { ++counts.local(); });
  sum += counts.combine(std::plus<>{});
  doall::parallel_invoke([&] { ++sum; }, [&] { ++sum; });
  const doall::thread_scope two(2);
  doall::parallel_for(0, 100, [&](int) { ++sum; });
  return sum;
  return sum;
}
