// A plugin that uses much of oneTBB's headers as doall has them; plugin.sh loads and unloads it. No
// std::string: a libstdc++ that is loaded with the plugin would call its functions there.
#include <tbb/tbb.h>

#include <atomic>
#include <functional>
#include <memory>
#include <vector>

namespace {

using range = tbb::blocked_range<int>;

struct adding_body {
  long sum = 0;
  adding_body() = default;
  adding_body(adding_body&, tbb::split) {}
  void operator()(const range& r) {
    for (int i = r.begin(); i != r.end(); ++i) sum += i;
  }
  void join(adding_body& right) { sum += right.sum; }
};

long loops(int n) {
  std::atomic<long> sum{0};
  tbb::affinity_partitioner affinity;
  tbb::parallel_for(0, n, [&](int i) { sum += i; });
  tbb::parallel_for(
      range(0, n), [&](const range& r) { sum += r.end(); }, tbb::simple_partitioner());
  tbb::parallel_for(
      range(0, n), [&](const range& r) { sum += r.end(); }, tbb::static_partitioner());
  tbb::parallel_for(range(0, n), [&](const range& r) { sum += r.end(); }, affinity);
  tbb::parallel_for(tbb::blocked_range2d<int>(0, 50, 0, 50),
                    [&](const tbb::blocked_range2d<int>& r) { sum += r.rows().end(); });
  adding_body body;
  tbb::parallel_reduce(range(0, n), body);
  tbb::parallel_deterministic_reduce(range(0, n), body);
  sum += body.sum;
  std::vector<int> v(1000, 1);
  sum += tbb::parallel_scan(
      range(0, 1000), 0,
      [&](const range& r, int s, bool is_final) {
        for (int i = r.begin(); i != r.end(); ++i) {
          s += v[static_cast<std::size_t>(i)];
          if (is_final) v[static_cast<std::size_t>(i)] = s;
        }
        return s;
      },
      std::plus<int>());
  tbb::parallel_sort(v, std::greater<int>());
  tbb::parallel_for_each(v, [&](int i, tbb::feeder<int>& feed) {
    sum += i;
    if (i == 1000) feed.add(1);
  });
  tbb::parallel_invoke([&] { ++sum; }, [&] { ++sum; });
  return sum;
}

// In no algorithm, and by a thread that goes on after the plugin.
long tasks() {
  std::atomic<long> ran{0};
  tbb::task_group group;
  for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
  tbb::task_handle kept = group.defer([&] { ++ran; });
  group.run(std::move(kept));
  group.run_and_wait([&] { ++ran; });
  tbb::task_group_context context;
  tbb::parallel_for(0, 1000, [&](int) { context.cancel_group_execution(); }, context);
  try {
    tbb::parallel_for(0, 1000, [&](int) { throw 1; });
  } catch (int) {
    ++ran;
  }
  tbb::task_arena arena(2);
  arena.execute([&] {
    group.run([&] { ran += tbb::this_task_arena::current_thread_index() >= 0; });
    group.wait();
  });
  return ran;
}

long values() {
  tbb::enumerable_thread_specific<long> zero;
  tbb::enumerable_thread_specific<std::vector<char>> copied(std::vector<char>{'a'});
  const std::vector<int> three{1, 2, 3};
  tbb::enumerable_thread_specific<std::vector<int>> of_lvalue(three);
  tbb::enumerable_thread_specific<std::vector<int>> made([] { return std::vector<int>{1}; });
  tbb::enumerable_thread_specific<std::vector<int>> of_arguments(std::size_t{3}, 7);
  tbb::combinable<long> combined([] { return 0L; });
  tbb::parallel_for(0, 1000, [&](int i) {
    zero.local() += i;
    copied.local().push_back('b');
    of_lvalue.local().push_back(i);
    made.local().push_back(i);
    of_arguments.local().push_back(i);
    combined.local() += 1;
  });
  long sum = zero.combine(std::plus<long>()) + combined.combine(std::plus<long>());
  for (const int i : tbb::flatten2d(made)) sum += i;
  std::vector<int, tbb::cache_aligned_allocator<int>> aligned(10, 1);
  tbb::spin_mutex mutex;
  const tbb::spin_mutex::scoped_lock lock(mutex);
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  return sum + static_cast<long>(aligned.size());
}

}  // namespace

extern "C" long run_plugin(long n) { return loops(static_cast<int>(n)) + tasks() + values(); }
