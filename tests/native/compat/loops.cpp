// oneTBB's loops, as a program of oneTBB writes them, through doall::compat.
// Length: one program, so that each compiler reads the headers once.
#include <tbb/tbb.h>

#include <atomic>
#include <chrono>
#include <forward_list>
#include <iterator>
#include <memory>
#include <numeric>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

using range = tbb::blocked_range<int>;

// Each index once, whoever cuts.
template <class Run>
void covers(int n, const Run& run) {
  std::vector<std::atomic<int>> times(static_cast<std::size_t>(n));
  run([&](int i) { times[static_cast<std::size_t>(i)] += 1; });
  int wrong = 0;
  for (const auto& t : times) wrong += t == 1 ? 0 : 1;
  CHECK(wrong == 0);
}

template <class Partitioner>
void for_by(Partitioner&& by, int n) {
  covers(n, [&](const auto& count) {
    tbb::parallel_for(
        range(0, n),
        [&](const range& r) {
          for (int i = r.begin(); i != r.end(); ++i) count(i);
        },
        by);
  });
  covers(n, [&](const auto& count) { tbb::parallel_for(0, n, count, by); });
  covers(n, [&](const auto& count) {
    tbb::parallel_for(5, 5 + 3 * n, 3, [&](int i) { count((i - 5) / 3); }, by);
  });
  covers(n * 7, [&](const auto& count) {
    tbb::parallel_for(
        tbb::blocked_range2d<int>(0, n, 2, 0, 7, 3),
        [&](const tbb::blocked_range2d<int>& r) {
          for (int i = r.rows().begin(); i != r.rows().end(); ++i)
            for (int j = r.cols().begin(); j != r.cols().end(); ++j) count(i * 7 + j);
        },
        by);
  });
  covers(n * 15, [&](const auto& count) {
    tbb::parallel_for(
        tbb::blocked_range3d<int>(0, n, 0, 5, 0, 3),
        [&](const tbb::blocked_range3d<int>& r) {
          for (int k = r.pages().begin(); k != r.pages().end(); ++k)
            for (int i = r.rows().begin(); i != r.rows().end(); ++i)
              for (int j = r.cols().begin(); j != r.cols().end(); ++j) count((k * 5 + i) * 3 + j);
        },
        by);
  });
}

// A range of the program's own.
struct triangle {
  int first;
  int last;
  triangle(int f, int l) : first(f), last(l) {}
  triangle(triangle& r, tbb::split) : first((r.first + r.last) / 2), last(r.last) {
    r.last = first;
  }
  bool empty() const { return first >= last; }
  bool is_divisible() const { return last - first > 2; }
};

void loops() {
  tbb::affinity_partitioner affinity;
  for (const int n : {0, 1, 2, 17, 1000, 4099}) {
    for_by(tbb::auto_partitioner(), n);
    for_by(tbb::simple_partitioner(), n);
    for_by(tbb::static_partitioner(), n);
    for_by(affinity, n);
    covers(n, [&](const auto& count) {
      tbb::parallel_for(triangle(0, n), [&](const triangle& t) {
        for (int i = t.first; i < t.last; ++i) count(i);
      });
    });
    covers(n, [&](const auto& count) {
      tbb::parallel_for(
          triangle(0, n),
          [&](const triangle& t) {
            CHECK(t.last - t.first <= 2);
            for (int i = t.first; i < t.last; ++i) count(i);
          },
          tbb::simple_partitioner());
    });
  }
  // Grain sizes.
  tbb::parallel_for(
      range(0, 1000, 10),
      [](const range& r) {
        CHECK(r.size() >= 5 && r.size() <= 10);
        CHECK(r.grainsize() == 10);
      },
      tbb::simple_partitioner());
  tbb::parallel_for(range(0, 1000, 10), [](const range& r) { CHECK(r.size() >= 5); });
  // The least and the greatest values, and iterators.
  std::atomic<int> calls{0};
  tbb::parallel_for(std::int8_t(-128), std::int8_t(127), [&](std::int8_t) { ++calls; });
  CHECK(calls == 255);
  std::vector<int> v(1000, 1);
  using it = std::vector<int>::iterator;
  tbb::parallel_for(tbb::blocked_range<it>(v.begin(), v.end()), [](const auto& r) {
    for (int& x : r) x += 1;
  });
  CHECK(std::accumulate(v.begin(), v.end(), 0) == 2000);
  bool thrown = false;
  try {
    tbb::parallel_for(0, 10, 0, [](int) {});
  } catch (const std::invalid_argument&) {
    thrown = true;
  }
  CHECK(thrown);
  // Splitting in proportion.
  range whole(0, 100);
  tbb::proportional_split two_to_one(2, 1);
  const range right(whole, two_to_one);
  CHECK(whole.size() + right.size() == 100 && right.size() == 33);
  // Nested.
  std::atomic<long> sum{0};
  tbb::parallel_for(0, 50, [&](int i) {
    tbb::parallel_for(range(0, i), [&](const range& r) { sum += static_cast<long>(r.size()); });
  });
  CHECK(sum == 50 * 49 / 2);
}

// Adds strings: not commutative.
struct text_body {
  std::string text;
  text_body() = default;
  text_body(text_body&, tbb::split) {}
  void operator()(const range& r) {
    for (int i = r.begin(); i != r.end(); ++i) text += static_cast<char>('a' + i % 26);
  }
  void join(text_body& right) { text += right.text; }
};

std::string alphabet(int n) {
  std::string all;
  for (int i = 0; i < n; ++i) all += static_cast<char>('a' + i % 26);
  return all;
}

template <class... By>
void reduce_by(int n, By&&... by) {
  text_body body;
  tbb::parallel_reduce(range(0, n), body, by...);
  CHECK(body.text == alphabet(n));
  const std::string sum = tbb::parallel_reduce(
      range(0, n), std::string(),
      [](const range& r, std::string s) {
        for (int i = r.begin(); i != r.end(); ++i) s += static_cast<char>('a' + i % 26);
        return s;
      },
      [](std::string a, const std::string& b) { return a += b; }, by...);
  CHECK(sum == alphabet(n));
}

float sum_of(int n) {
  return tbb::parallel_deterministic_reduce(
      range(0, n, 7), 0.0F,
      [](const range& r, float s) {
        for (int i = r.begin(); i != r.end(); ++i) s += 1.0F / static_cast<float>(i + 1);
        return s;
      },
      std::plus<float>());
}

void reductions() {
  tbb::affinity_partitioner affinity;
  for (const int n : {0, 1, 5, 1000, 3001}) {
    reduce_by(n);
    reduce_by(n, tbb::auto_partitioner());
    reduce_by(n, tbb::simple_partitioner());
    reduce_by(n, tbb::static_partitioner());
    reduce_by(n, affinity);
    text_body body;
    tbb::parallel_deterministic_reduce(range(0, n, 3), body);
    CHECK(body.text == alphabet(n));
    text_body again;
    tbb::parallel_deterministic_reduce(range(0, n), again, tbb::static_partitioner());
    CHECK(again.text == alphabet(n));
  }
  const float first = sum_of(10007);
  for (int i = 0; i < 20; ++i) CHECK(sum_of(10007) == first);
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    CHECK(sum_of(10007) == first);
    // One thread splits no body off.
    struct whole_body {
      explicit whole_body(int& s) : splits(s) {}
      whole_body(whole_body& b, tbb::split) : splits(b.splits) { ++splits; }
      void operator()(const range& r) { sum += r.size(); }
      void join(whole_body& right) { sum += right.sum; }
      int& splits;
      std::size_t sum = 0;
    };
    int splits = 0;
    whole_body body(splits);
    tbb::parallel_reduce(range(0, 10007), body);
    CHECK(splits == 0 && body.sum == 10007);
  }
}

struct scan_body {
  const std::vector<int>& x;
  std::vector<std::string>& y;
  std::string sum;
  std::size_t begin = 0;  // what it has seen
  std::size_t end = 0;
  scan_body(const std::vector<int>& from, std::vector<std::string>& to) : x(from), y(to) {}
  scan_body(scan_body& b, tbb::split) : x(b.x), y(b.y) {}
  template <class Tag>
  void operator()(const tbb::blocked_range<std::size_t>& r, Tag) {
    if (begin == end) begin = r.begin();
    end = r.end();
    for (std::size_t i = r.begin(); i != r.end(); ++i) {
      sum += static_cast<char>('a' + x[i]);
      if (Tag::is_final_scan()) y[i] = sum;
    }
  }
  void reverse_join(scan_body& left) {
    CHECK(left.begin < left.end && left.end == begin && begin < end);
    begin = left.begin;
    sum = left.sum + sum;
  }
  void assign(scan_body& other) { sum = other.sum; }
};

// One piece for each thread, as equal as can be, whoever runs it.
void static_pieces() {
  const int threads = tbb::this_task_arena::max_concurrency();
  std::atomic<int> pieces{0};
  tbb::parallel_for(
      tbb::blocked_range<int>(0, 1000 * threads),
      [&](const tbb::blocked_range<int>& r) {
        CHECK(r.size() == 1000);
        ++pieces;
      },
      tbb::static_partitioner());
  CHECK(pieces == threads);
}

void scans() {
  for (const std::size_t n : {0U, 1U, 3U, 100U, 777U}) {
    std::vector<int> x(n);
    for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i * 7 % 26);
    std::vector<std::string> wanted(n);
    std::string all;
    for (std::size_t i = 0; i < n; ++i) wanted[i] = all += static_cast<char>('a' + x[i]);
    for (int round = 0; round < 5; ++round) {
      std::vector<std::string> y(n);
      scan_body body(x, y);
      tbb::parallel_scan(tbb::blocked_range<std::size_t>(0, n), body);
      CHECK(body.sum == all && y == wanted);
      std::vector<std::string> z(n);
      const std::string total = tbb::parallel_scan(
          tbb::blocked_range<std::size_t>(0, n, 2), std::string(),
          [&](const tbb::blocked_range<std::size_t>& r, std::string sum, bool is_final) {
            for (std::size_t i = r.begin(); i != r.end(); ++i) {
              sum += static_cast<char>('a' + x[i]);
              if (is_final) z[i] = sum;
            }
            return sum;
          },
          [](const std::string& a, const std::string& b) { return a + b; },
          tbb::simple_partitioner());
      CHECK(total == all && z == wanted);
    }
  }
}

struct item {
  item(int n) : number(n) {}
  int number;
};

void sequences() {
  std::vector<std::atomic<int>> times(500);
  const auto all_are = [&](int wanted) {
    for (auto& t : times)
      if (t.exchange(0) != wanted) return false;
    return true;
  };
  std::vector<int> v(500);
  std::iota(v.begin(), v.end(), 0);
  const auto count = [&](int i) { ++times[static_cast<std::size_t>(i)]; };
  tbb::parallel_for_each(v, count);
  CHECK(all_are(1));
  const std::forward_list<int> list(v.begin(), v.end());
  tbb::parallel_for_each(list.begin(), list.end(), count);
  CHECK(all_are(1));
  std::string text;
  for (const int i : v) text += std::to_string(i) + ' ';
  std::istringstream in(text);
  tbb::parallel_for_each(std::istream_iterator<int>(in), std::istream_iterator<int>(), count);
  CHECK(all_are(1));
  // Each item below 250 adds two.
  const std::vector<int> roots{1};
  tbb::parallel_for_each(roots.begin(), roots.end(), [&](int i, tbb::feeder<int>& feed) {
    count(i);
    for (const int next : {2 * i, 2 * i + 1})
      if (next < 500) feed.add(next);
  });
  times[0] += 1;
  CHECK(all_are(1));
  // The feeder says what items are; what the sequence has converts to that.
  const auto visit = [&](const item& i, tbb::feeder<item>& feed) {
    count(i.number);
    if (i.number < 100) feed.add(item(i.number + 400));
  };
  std::vector<int> firsts(400);
  std::iota(firsts.begin(), firsts.end(), 0);
  tbb::parallel_for_each(firsts, visit);
  CHECK(all_are(1));
  std::vector<std::string> words;
  for (int i = 0; i < 5000; ++i) words.push_back(std::to_string(i * 7919 % 5000));
  std::vector<std::string> sorted = words;
  std::sort(sorted.begin(), sorted.end());
  tbb::parallel_sort(words);
  CHECK(words == sorted);
  tbb::parallel_sort(words.begin(), words.end(), std::greater<>());
  CHECK(std::is_sorted(words.rbegin(), words.rend()));
  std::vector<double> numbers(20000);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = static_cast<double>(i * 7919 % 20011);
  tbb::parallel_sort(numbers.begin(), numbers.end());
  CHECK(std::is_sorted(numbers.begin(), numbers.end()));
}

long fibonacci(int n) {
  if (n < 2) return n;
  long a = 0;
  long b = 0;
  if (n % 2 == 0) {
    tbb::task_group tasks;
    tasks.run([&] { a = fibonacci(n - 1); });
    b = fibonacci(n - 2);
    tasks.wait();
  } else {
    tbb::parallel_invoke([&] { a = fibonacci(n - 1); }, [&] { b = fibonacci(n - 2); });
  }
  return a + b;
}

void tasks() {
  CHECK(fibonacci(16) == 987);
  std::atomic<int> ran{0};
  tbb::task_group group;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 100; ++i) group.run([&] { ++ran; });
    CHECK(group.run_and_wait([&] { ++ran; }) == tbb::complete);
  }
  CHECK(ran == 303);
  // From tasks, from a loop inside, from another thread.
  ran = 0;
  group.run([&] { group.run([&] { ++ran; }); });
  tbb::parallel_for(0, 50, [&](int) { group.run([&] { ++ran; }); });
  std::thread([&] { group.run([&] { ++ran; }); }).join();
  group.wait();
  CHECK(ran == 52);
  // However many: run() returns before the task has what its giver holds.
  {
    ran = 0;
    tbb::mutex lock;
    {
      const tbb::mutex::scoped_lock held(lock);
      for (int i = 0; i < 2000; ++i)
        group.run([&] {
          const tbb::mutex::scoped_lock its(lock);
          ++ran;
        });
    }
    group.wait();
    CHECK(ran == 2000);
    ran = 52;
  }
  // Who waits elsewhere waits for what its caller runs itself.
  {
    tbb::task_group shared;
    std::atomic<bool> has_begun{false};
    std::atomic<bool> has_ended{false};
    std::thread other([&] {
      while (!has_begun) std::this_thread::yield();
      shared.wait();
      CHECK(has_ended);
    });
    shared.run_and_wait([&] {
      has_begun = true;
      for (int i = 0; i < 1000; ++i) std::this_thread::yield();
      has_ended = true;
    });
    other.join();
  }
  // As an object.
  tbb::task_handle kept = group.defer([&] { ++ran; });
  CHECK(kept != nullptr);
  group.run(std::move(kept));
  {
    const tbb::task_handle dropped = group.defer([&] { ran = 1000; });
  }
  group.wait();
  CHECK(ran == 53);
  // Cancelled, thrown.
  group.cancel();
  group.run([&] { ++ran; });
  CHECK(group.wait() == tbb::canceled);
  CHECK(ran == 53);
  bool thrown = false;
  group.run([] { throw std::runtime_error("t"); });
  try {
    group.wait();
  } catch (const std::runtime_error&) {
    thrown = true;
  }
  CHECK(thrown);
  CHECK(group.wait() == tbb::complete);
  // Unless others have run all tasks before.
  thrown = false;
  std::atomic<int> forgotten_ran{0};
  try {
    tbb::task_group forgotten;
    forgotten.run([&] { ++forgotten_ran; });
    while (forgotten.run([&] { ++forgotten_ran; }), false) continue;
  } catch (const tbb::missing_wait&) {
    thrown = true;
  }
  CHECK(thrown || forgotten_ran == 2);
  // Given in an arena, waited for in another stay there.
  tbb::task_arena arena(2);
  std::atomic<bool> may_end{false};
  arena.execute([&] {
    group.run([&] {
      if (may_end) ++ran;
    });
  });
  may_end = true;
  arena.execute([&] { group.wait(); });
  CHECK(ran == 53 || ran == 54);
  ran = 53;
  // One that lives on the heap, and is waited for where it was begun.
  auto far = std::make_unique<tbb::task_group>();
  tbb::parallel_for(0, 20, [&](int i) {
    if (i == 7) far->run([&] { ++ran; });
  });
  far->wait();
  CHECK(ran == 54);
}

template <class Run>
void throws(const Run& run) {
  bool thrown = false;
  try {
    run();
  } catch (const std::runtime_error& e) {
    thrown = std::string(e.what()) == "from a body";
  }
  CHECK(thrown);
}

void stops() {
  const auto fail_at = [](int i, int at) {
    if (i == at) throw std::runtime_error("from a body");
  };
  throws([&] { tbb::parallel_for(0, 1000, [&](int i) { fail_at(i, 500); }); });
  throws([&] {
    tbb::parallel_for(
        0, 10, [&](int i) { tbb::parallel_for(0, 10, [&](int j) { fail_at(i * 10 + j, 55); }); });
  });
  throws([&] {
    text_body body;
    tbb::parallel_reduce(range(0, 100), body, tbb::simple_partitioner());
    tbb::parallel_reduce(
        range(0, 100), 0,
        [&](const range& r, int) -> int {
          for (int i = r.begin(); i != r.end(); ++i) fail_at(i, 99);
          return 0;
        },
        std::plus<int>());
  });
  throws([&] {
    tbb::parallel_scan(
        range(0, 100), 0,
        [&](const range& r, int, bool) -> int {
          for (int i = r.begin(); i != r.end(); ++i) fail_at(i, 42);
          return 0;
        },
        std::plus<int>());
  });
  throws([&] { tbb::parallel_invoke([&] { fail_at(1, 1); }, [] {}, [] {}); });
  const std::vector<int> v{1, 2, 3, 4};
  throws([&] {
    tbb::parallel_for_each(v, [&](int i, tbb::feeder<int>& feed) {
      if (i == 4) feed.add(5);
      fail_at(i, 5);
    });
  });
  throws([&] { tbb::task_arena(2).execute([&] { fail_at(1, 1); }); });
  // Contexts.
  tbb::task_group_context context;
  std::atomic<int> ran{0};
  tbb::parallel_for(
      0, 1'000'000,
      [&](int) {
        ++ran;
        CHECK(context.cancel_group_execution() == (ran == 1) || ran > 1);
      },
      context);
  CHECK(ran < 1'000'000);
  CHECK(context.is_group_execution_cancelled());
  ran = 0;
  tbb::parallel_for(0, 10, [&](int) { ++ran; }, context);
  CHECK(ran == 0);
  context.reset();
  tbb::parallel_for(0, 10, [&](int) { ++ran; }, context);
  CHECK(ran == 10);
  // The one inside is cancelled with the one around it, unless it is isolated.
  tbb::task_group_context outer;
  std::atomic<int> inside{0};
  std::atomic<int> apart{0};
  tbb::parallel_for(
      0, 1,
      [&](int) {
        outer.cancel_group_execution();
        CHECK(tbb::is_current_task_group_canceling());
        tbb::parallel_for(0, 10, [&](int) { ++inside; });
        tbb::task_group_context own(tbb::task_group_context::isolated);
        tbb::parallel_for(0, 10, [&](int) { ++apart; }, own);
      },
      outer);
  CHECK(inside == 0 && apart == 10);
}

void threads() {
  const auto n = static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  CHECK(n >= 1 && tbb::info::default_concurrency() >= 1);
  // No two threads have a number at a time, and all are small.
  std::vector<std::atomic<int>> users(n);
  for (int round = 0; round < 20; ++round) {
    tbb::parallel_for(0, 2000, [&](int) {
      const auto mine = static_cast<std::size_t>(tbb::this_task_arena::current_thread_index());
      CHECK(mine < n);
      CHECK(users[mine]++ == 0);
      users[mine]--;
    });
  }
  tbb::task_arena two(2);
  CHECK(two.max_concurrency() == 2);
  CHECK(two.execute([] { return tbb::this_task_arena::isolate([] { return 42; }); }) == 42);
  // Numbers there are below two, whatever the threads had outside. Iterations wait, so that all
  // threads get some.
  const auto wait = [] { std::this_thread::sleep_for(std::chrono::microseconds(100)); };
  tbb::parallel_for(0, 200, [&](int) {
    (void)tbb::this_task_arena::current_thread_index();
    wait();
  });
  const auto are_two = [&] {
    CHECK(tbb::this_task_arena::max_concurrency() == 2);
    const int mine = tbb::this_task_arena::current_thread_index();
    CHECK(mine >= 0 && mine < 2);
    wait();
  };
  two.execute([&] {
    tbb::parallel_for(0, 200, [&](int) { are_two(); });
    tbb::parallel_for(0, 10, [&](int) { tbb::parallel_for(0, 20, [&](int) { are_two(); }); });
    tbb::task_group tasks;
    for (int i = 0; i < 200; ++i) tasks.run(are_two);
    tasks.wait();
  });
  {
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    CHECK(tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) == 1);
    const std::thread::id me = std::this_thread::get_id();
    tbb::parallel_for(0, 1000, [&](int) { CHECK(std::this_thread::get_id() == me); });
  }
  tbb::enumerable_thread_specific<long> counts(0L);
  tbb::enumerable_thread_specific<std::vector<int>> found;
  tbb::combinable<long> sum([] { return 0L; });
  tbb::parallel_for(0, 10000, [&](int i) {
    counts.local() += 1;
    sum.local() += i;
    if (i % 100 == 0) found.local().push_back(i);
  });
  CHECK(counts.combine(std::plus<long>()) == 10000);
  long all = 0;
  for (const long c : counts) all += c;
  CHECK(all == 10000 && counts.size() >= 1);
  CHECK(sum.combine(std::plus<long>()) == 10000L * 9999 / 2);
  std::set<int> seen;
  for (const int i : tbb::flatten2d(found)) seen.insert(i);
  CHECK(seen.size() == 100);
  const auto copy = counts;
  CHECK(copy.combine(std::plus<long>()) == 10000);
  counts.clear();
  CHECK(counts.empty());
  bool exists = true;
  counts.local(exists);
  CHECK(!exists);
  const tbb::tick_count begin = tbb::tick_count::now();
  CHECK((tbb::tick_count::now() - begin).seconds() >= 0);
  std::vector<int, tbb::cache_aligned_allocator<int>> aligned(10, 1);
  CHECK(reinterpret_cast<std::uintptr_t>(aligned.data()) % 64 == 0);
  tbb::spin_mutex mutex;
  int guarded = 0;
  oneapi::tbb::parallel_for(0, 1000, [&](int) {
    const tbb::spin_mutex::scoped_lock lock(mutex);
    ++guarded;
  });
  CHECK(guarded == 1000);
}

// Who has written and only reads on finds what it wrote; who reads sees no writer at work.
template <class Mutex>
void downgraded() {
  Mutex mutex;
  long value = 0;
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, 2000, [&](int i) {
    typename Mutex::scoped_lock lock(mutex, i % 2 == 0);
    if (i % 2 != 0) {
      wrong += value % 2 != 0;
      return;
    }
    ++value;
    std::this_thread::yield();
    const long mine = ++value;
    wrong += !lock.downgrade_to_reader() || lock.is_writer();
    std::this_thread::yield();
    wrong += value != mine;
    if (i % 4 == 0 && lock.upgrade_to_writer()) wrong += value != mine || !lock.is_writer();
    if (i % 8 == 0) lock.release();
  });
  CHECK(wrong == 0 && value == 2000);
  typename Mutex::scoped_lock after;
  CHECK(after.try_acquire(mutex, true));
}

}  // namespace

int main(int, char** argv) {
  const int rounds = argv[1] != nullptr ? std::atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    loops();
    reductions();
    static_pieces();
    scans();
    sequences();
    tasks();
    stops();
    threads();
    downgraded<tbb::spin_rw_mutex>();
    downgraded<tbb::queuing_rw_mutex>();
    // From several threads at once.
    std::thread other([] {
      loops();
      scans();
    });
    reductions();
    other.join();
  }
  std::printf("%d failures\n", failures);
  return failures == 0 ? 0 : 1;
}
