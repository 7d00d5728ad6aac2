// Each door of the native headers, with the forms of bodies that a program may write: as its user
// compiles it, by GCC and Clang, on libstdc++ and libc++, plainly and under ThreadSanitizer, on a
// stock libdoall. What a loop has written is read after it without a lock, so a hand-over that
// ThreadSanitizer is not told of is reported. Iterations last long enough to be shared.
//   doors [ROUNDS]
#include <doall/doall.h>
#include <doall/doall.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <numeric>
#include <ranges>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr int size = 200;
constexpr long sum_of_all = size * (size - 1L) / 2;
int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++failures;
}

void spin() {
  for (volatile int k = 0; k < 2000;) k = k + 1;
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }
long total(const std::vector<long>& all) { return std::accumulate(all.begin(), all.end(), 0L); }

void loops() {
  std::vector<long> to(size);
  const auto check = [&](const char* what) {
    expect(total(to) == sum_of_all, what);
    std::ranges::fill(to, 0);
  };
  const auto one = [&](int i) {
    spin();
    to[at(i)] = i;
  };
  doall::parallel_for(0, size, one);
  check("an index");
  doall::parallel_for(0, size, [&](auto i) { to[at(i)] = i; });
  check("any index");
  doall::parallel_for(0U, to.size(), [&](std::size_t i) { to[i] = static_cast<long>(i); });
  check("bounds of two types");
  doall::parallel_for(size - 1, -1, -1, one);
  check("down");
  doall::parallel_for(0, size, [&](doall::range<int> part) {
    for (const int i : part) to[at(i)] = i;
  });
  check("a range");
  doall::parallel_for(0, size, [to = to.data()](const doall::range<int>& part) {
    for (const int i : part) to[i] = i;
  });
  check("a range, by reference");
  doall::parallel_for(
      0, size,
      [&](doall::range<int> part) mutable {
        std::vector<int> work(10);
        for (const int i : part) to[at(i)] = i + work[at(i % 10)];
      },
      doall::schedule("static"));
  check("a range, by a body that may change");
  for (const char* how : {"dynamic,3", "sws"}) {
    doall::parallel_for(0, size, one, doall::schedule(how));
    check(how);
  }
  std::vector<int> costs(size, 1);
  doall::parallel_for(0, size, one, doall::weights(costs));
  check("weights");
  doall::parallel_for(0, size, one,
                      doall::cost([&](auto i) { return costs[at(static_cast<int>(i))]; }));
  check("costs");
  doall::for_each_domain([&](int d, int domains) {
    doall::parallel_for(size * d / domains, size * (d + 1) / domains, one);
  });
  check("domains");
  std::thread other([&] { doall::parallel_for(0, size / 2, one); });
  doall::parallel_for(size / 2, size, one);
  other.join();
  check("two callers");
}

void spaces() {
  std::vector<long> to(size);
  doall::parallel_for(doall::space(10, 20).tiles(2, 4), [&](int i, int j) {
    spin();
    to[at(20 * i + j)] = 20 * i + j;
  });
  expect(total(to) == sum_of_all, "a space");
  doall::parallel_for(doall::space(10U, std::size_t{20}), [&](doall::tile<std::size_t, 2> t) {
    for (const std::size_t i : t[0]) {
      for (const std::size_t j : t[1]) to[20 * i + j] += 1;
    }
  });
  expect(total(to) == sum_of_all + size, "tiles");
  const auto one = [&](int i, int j) { return to[at(20 * i + j)]; };
  expect(doall::parallel_reduce(doall::space(10, 20), 0L, one, std::plus<>{}) == sum_of_all + size,
         "a reduced space");
}

void ranges() {
  std::vector<long> numbers(size, 1);
  doall::parallel_for_each(numbers, [](long& n) { n += 1; });
  std::list<long> walked(size, 1);
  doall::parallel_for_each(walked, [](long& n) {
    spin();
    n += 1;
  });
  expect(total(numbers) == 2 * size, "a vector");
  expect(std::accumulate(walked.begin(), walked.end(), 0L) == 2 * size, "a list");
  doall::parallel_for_each(doall::range<int>(0, size), [&](int i) { numbers[at(i)] = i; });
  expect(total(numbers) == sum_of_all, "doall::range as a range");
  doall::parallel_for_each(std::views::iota(0, size), [&](int i) { numbers[at(i)] = i; });
  auto even = numbers | std::views::filter([](long n) { return n % 2 == 0; });
  expect(doall::parallel_reduce(even, 0L, std::plus<>{}) == 9900, "a filtered view");
  expect(doall::parallel_reduce(
             doall::range<int>(0, size), 0L, [](int i) { return long{i}; }, std::plus<>{}) ==
             sum_of_all,
         "doall::range, reduced");
}

void reductions() {
  std::vector<long> from(size);
  std::iota(from.begin(), from.end(), 0L);
  const auto one = [&](int i) {
    spin();
    return from[at(i)];
  };
  expect(doall::parallel_reduce(0, size, 0L, one, std::plus<>{}) == sum_of_all, "a sum");
  expect(doall::parallel_reduce(
             0, size, 0L,
             [&](doall::range<int> part) {
               long sum = 0;
               for (const int i : part) sum += from[at(i)];
               return sum;
             },
             std::plus<>{}) == sum_of_all,
         "a sum of ranges");
  const auto as_double = [&](int i) { return static_cast<double>(one(i)); };
  expect(doall::parallel_reduce(0, size, 0.0, as_double, std::plus<>{},
                                {.order = doall::reduce_order::any}) == sum_of_all,
         "in any order");
  const auto digits = doall::parallel_reduce(
      0, size, std::string(), [](int i) { return std::to_string(i % 10); }, std::plus<>{});
  expect(digits.size() == size && digits.starts_with("0123"), "strings");
  const auto tens = doall::parallel_reduce(
      0, size, std::array<int, 10>{},
      [](doall::range<int> part) {
        std::array<int, 10> some{};
        for (const int i : part) ++some[at(i % 10)];
        return some;
      },
      doall::each_element(std::plus<>{}));
  expect(std::ranges::count(tens, size / 10) == 10, "arrays");
  const auto all = doall::parallel_reduce(
      0, size, [] { return std::make_unique<long>(0); },
      [&](int i, std::unique_ptr<long>& view) { *view += one(i); },
      [](std::unique_ptr<long> a, const std::unique_ptr<long>& b) {
        *a += *b;
        return a;
      });
  expect(*all == sum_of_all, "a value that moves");
  const auto [sum, most] = doall::parallel_reduce(
      0, size, std::tuple(0L, 0L), [&](int i) { return std::tuple(one(i), one(i)); },
      doall::combine_each(std::plus<>{}, [](long a, long b) { return std::max(a, b); }));
  expect(sum == sum_of_all && most == size - 1, "tuples");
}

void nests() {
  std::vector<long> to(size);
  doall::parallel_for(0, 10, [&](int i) {
    doall::parallel_for(0, 20, [&](int j) {
      spin();
      to[at(20 * i + j)] = 20 * i + j;
    });
    expect(to[at(20 * i + 19)] == 20 * i + 19, "read after an inner loop");
    to[at(20 * i)] = doall::parallel_reduce(
        0, 20, 0L, [&](int j) { return j == 0 ? 20L * i : 0L; }, std::plus<>{});
  });
  expect(total(to) == sum_of_all, "a nest");
  long rounds = 0;
  std::mutex lock;
  doall::parallel_for(0, 20, [&](int) {
    const std::lock_guard held(lock);
    doall::parallel_for(0, 10, [](int) { spin(); });
    ++rounds;
  });
  expect(rounds == 20, "a nest under a lock");
  doall::parallel_for(0, 4, [&](int i) {
    const doall::thread_scope one(1);
    const auto me = std::this_thread::get_id();
    doall::parallel_for(0, 10, [&](int) {
      spin();
      to[at(i)] += std::this_thread::get_id() == me ? 1 : 1000;
    });
  });
  expect(total(to) == sum_of_all + 40, "a scope of one");
}

void tasks() {
  std::vector<long> to(size);
  doall::parallel_invoke([&] { to[0] = 1; }, [&] { to[1] = 2; }, [&] { to[2] = 3; });
  doall::parallel_invoke(doall::schedule("guided"), [&] { to[0] += 1; }, [&] { to[1] += 1; });
  expect(total(to) == 8, "invoked");
  {
    doall::task_group group;
    for (int i = 0; i < size; ++i) {
      group.run([&to, i] {
        spin();
        to[at(i)] = i;
      });
    }
    group.wait();
    expect(total(to) == sum_of_all, "a group");
  }
  doall::task_group outer;
  for (int i = 0; i < 4; ++i) {
    outer.run([&, i] {
      doall::task_group inner;
      for (int j = 0; j < 20; ++j) {
        inner.run([&, i, j] {
          spin();
          to[at(20 * i + j)] = 1;
          if (j == 19) outer.run([&, i] { to[at(100 + i)] = 7; });
        });
      }
      inner.wait();
      to[at(190 + i)] = to[at(20 * i)] + to[at(20 * i + 19)];
    });
  }
  outer.wait();
  expect(to[190] + to[193] == 4 && to[100] + to[103] == 14, "groups in groups");
}

void failures_and_stops() {
  try {
    doall::parallel_for(0, size, [](int i) {
      spin();
      if (i == 150) throw std::string(100, 'x');
    });
    expect(false, "a loop that throws");
  } catch (const std::string& what) {
    expect(what.size() == 100, "what a loop throws");
  }
  doall::task_group group;
  for (int i = 0; i < 50; ++i) {
    group.run([i] {
      spin();
      if (i == 30) throw std::string(100, 'x');
    });
  }
  try {
    group.wait();
    expect(false, "a group that throws");
  } catch (const std::string& what) {
    expect(what.size() == 100, "what a group throws");
  }
#if defined(__cpp_lib_jthread)
  std::stop_source source;
  long reason = 0;
  const auto end = doall::parallel_for(0, 100 * size,
                                       [&](int i) {
                                         spin();
                                         if (i != 3) return;
                                         reason = i;
                                         source.request_stop();
                                       },
                                       {.stop = source.get_token()});
  expect(end == doall::loop_end::completed || reason == 3, "a loop that is stopped");
  doall::task_group none(source.get_token());
  none.run([] {});
  expect(none.wait() == doall::loop_end::stopped, "a group that is stopped");
#endif
}

void algorithms() {
  std::vector<std::string> words(3000);
  for (int i = 0; i < 3000; ++i) words[at(i)] = std::to_string(1000 + i * 7919 % 3000);
  doall::parallel_sort(words);
  expect(std::ranges::is_sorted(words) && words.front() == "1000", "a sort");
  std::vector<long> numbers(20000, 1);
  doall::parallel_scan(numbers, 0L, std::plus<>{});
  expect(numbers.back() == 20000, "a scan");
  expect(doall::parallel_exclusive_scan(numbers, 0L, std::plus<>{}) == 20000L * 20001 / 2,
         "an exclusive scan");
  std::vector<std::string> texts(2000, "a");
  doall::parallel_scan(texts, std::string(), [](const std::string& p, const std::string& q) {
    return p.size() > 5 ? p : p + q;
  });
  expect(texts.back().size() == 6, "a scan of strings");
  doall::per_worker<std::vector<int>> found;
  doall::parallel_for(0, size, [&](int i) {
    spin();
    found.local().push_back(i);
  });
  std::size_t all = 0;
  found.for_each([&](const std::vector<int>& some) { all += some.size(); });
  expect(all == size, "a value for each worker");
}

int set_one(void* to, std::int64_t i) {
  static_cast<long*>(to)[i] = i;
  return 0;
}
int add_some(void* from, std::int64_t first, std::int64_t last, void* sum) {
  for (std::int64_t i = first; i < last; ++i)
    *static_cast<long*>(sum) += static_cast<long*>(from)[i];
  return 0;
}
void add(void*, void* left, const void* right) {
  *static_cast<long*>(left) += *static_cast<const long*>(right);
}

void c_loops() {
  std::vector<long> to(size);
  expect(doall_for(0, size, set_one, to.data(), nullptr) == 0, "C's loop");
  long sum = 0;
  expect(doall_reduce(0, size, &sum, sizeof sum, add_some, add, to.data(), nullptr) == 0 &&
             sum == sum_of_all,
         "C's reduction");
}

}  // namespace

int main(int, char** arguments) {
  const int rounds = arguments[1] == nullptr ? 5 : std::atoi(arguments[1]);
  for (int round = 0; round < rounds; ++round) {
    loops();
    spaces();
    ranges();
    reductions();
    nests();
    tasks();
    failures_and_stops();
    algorithms();
    c_loops();
  }
  if (failures == 0) std::puts("all right");
  return failures == 0 ? 0 : 1;
}
