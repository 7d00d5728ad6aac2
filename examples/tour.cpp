// The rest of the native API in one program: steps, any range, stopping, costs,
// and the number of threads.
#include <doall/doall.hpp>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <list>
#include <numeric>
#include <stop_token>
#include <string>
#include <vector>

// Steps: strike out the multiples of each prime.
static int primes_below(int n) {
  std::vector<char> composite(n);
  for (int p = 2; p * p < n; ++p) {
    if (composite[p]) continue;
    doall::parallel_for(p * p, n, p, [&](int multiple) { composite[multiple] = 1; });
  }
  return doall::parallel_reduce(
      2, n, 0, [&](int i) { return composite[i] ? 0 : 1; }, std::plus<>{});
}

// Any range: the elements of a list, which no index finds.
static std::string shout(std::list<std::string> words) {
  doall::parallel_for_each(words, [](std::string& word) {
    for (char& c : word) c = static_cast<char>(c - 'a' + 'A');
  });
  return std::accumulate(words.begin(), words.end(), std::string());
}

// Stopping: whoever finds an answer ends the search for all.
static std::uint64_t number_with_remainder(std::uint64_t wanted, std::uint64_t modulus) {
  std::stop_source found;
  std::atomic<std::uint64_t> answer{0};
  const doall::loop_end end = doall::parallel_for(std::uint64_t{0}, std::uint64_t{1} << 40,
                                                  [&](std::uint64_t i) {
                                                    if (i * i % modulus != wanted) return;
                                                    answer = i;
                                                    found.request_stop();
                                                  },
                                                  {.stop = found.get_token()});
  return end == doall::loop_end::stopped ? answer.load() : 0;
}

// Costs: row i of a triangle has i + 1 elements, so equal numbers of rows are
// unequal work. Running sums of the costs let best-static cut it evenly.
static long triangle_sum(int rows) {
  std::vector<std::uint64_t> costs(rows + 1);
  for (int i = 0; i < rows; ++i) costs[i + 1] = costs[i] + i + 1;
  std::vector<long> sums(rows);
  doall::parallel_for(0, rows,
                      [&](int i) {
                        for (int j = 0; j <= i; ++j) sums[i] += j;
                      },
                      {.how = doall::schedule::best_static(), .costs = costs});
  return std::accumulate(sums.begin(), sums.end(), 0L);
}

int main() {
  const doall::thread_scope four(4);  // until main ends
  std::printf("primes: %d\n", primes_below(1'000'000));
  std::printf("%s\n", shout({"every", "element", "once"}).c_str());
  const std::uint64_t answer = number_with_remainder(123'456, 1'000'003);
  std::printf("found: %s\n", answer * answer % 1'000'003 == 123'456 ? "yes" : "no");
  std::printf("triangle: %ld\n", triangle_sum(2'000));
}
