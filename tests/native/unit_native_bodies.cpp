// Which bodies the native door calls through copies (detail/callee.hpp), and that it shows in
// nothing but time.
#include <gtest/gtest.h>
#include <doall/doall.hpp>

#include <array>
#include <atomic>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <set>
#include <tuple>
#include <vector>

namespace {

constexpr int n = 1000;
// Several chunks for each of several workers.
const doall::schedule how("dynamic,10");

// Where a body was when it was called.
class places {
 public:
  void add(const void* place) {
    const std::scoped_lock lock(mutex_);
    seen_.insert(place);
  }
  bool are_only(const void* place) const { return seen_ == std::set<const void*>{place}; }
  bool have(const void* place) const { return seen_.contains(place); }

 private:
  std::mutex mutex_;
  std::set<const void*> seen_;
};

struct small_body {
  places* seen;
  std::atomic<int>* calls;
  void operator()(int) const {
    seen->add(this);
    ++*calls;
  }
};

TEST(Bodies, SmallOnesOfBytesAreCopied) {
  places seen;
  std::atomic<int> calls = 0;
  const small_body body{&seen, &calls};
  doall::parallel_for(0, n, body, how);
  EXPECT_EQ(calls, n);
  EXPECT_FALSE(seen.have(&body));
}

TEST(Bodies, OnesThatCallsChangeAreNot) {
  struct counter {
    std::mutex* mutex;
    int calls = 0;
    void operator()(int) {
      const std::scoped_lock lock(*mutex);
      ++calls;
    }
  };
  static_assert(std::is_trivially_copyable_v<counter>);
  std::mutex mutex;
  counter body{&mutex};
  doall::parallel_for(0, n, body, how);
  doall::parallel_for(n, 0, -1, body, how);
  EXPECT_EQ(body.calls, 2 * n);
}

TEST(Bodies, MutableLambdasAreNot) {
  std::mutex mutex;
  std::vector<int> counts;
  doall::parallel_for(
      0, n,
      [&mutex, &counts, calls = 0](int) mutable {
        const std::scoped_lock lock(mutex);
        counts.push_back(++calls);
      },
      how);
  ASSERT_EQ(counts.size(), std::size_t{n});
  EXPECT_EQ(counts.back(), n);
}

TEST(Bodies, LargeOnesAreNot) {
  struct large_body {
    places* seen;
    std::array<char, doall::detail::most_bytes_copied> more;
    void operator()(int) const { seen->add(this); }
  };
  places seen;
  const large_body body{&seen, {}};
  doall::parallel_for(0, n, body, how);
  EXPECT_TRUE(seen.are_only(&body));
}

TEST(Bodies, OnesWhoseCopiesAreMoreThanBytesAreNot) {
  const auto owned = std::make_shared<int>(1);
  std::atomic<long> owners_most = 0;
  doall::parallel_for(
      0, n,
      [owned, &owners_most](int) {
        if (owned.use_count() > owners_most) owners_most = owned.use_count();
      },
      how);
  EXPECT_EQ(owners_most, 2);
}

void add_one(int& element) { ++element; }

TEST(Bodies, MayBeFunctionsAndPointersToThem) {
  std::vector<int> values(n);
  doall::parallel_for_each(values, add_one, how);
  doall::parallel_for_each(values, &add_one, how);
  EXPECT_EQ(values, std::vector<int>(n, 2));
}

TEST(Bodies, OfReductionsAndOverElementsToo) {
  struct self {
    places* seen;
    int operator()(int i) const {
      seen->add(this);
      return i;
    }
  };
  places seen;
  const self body{&seen};
  EXPECT_EQ(doall::parallel_reduce(0, n, 0, body, std::plus<>(), how), n * (n - 1) / 2);
  std::vector<int> values(n);
  doall::parallel_for_each(values, body, how);
  EXPECT_FALSE(seen.have(&body));
}

// Whether a body may be copied is not asked of the range that it does not take.
TEST(Bodies, MayBeGeneric) {
  std::vector<int> values(n);
  doall::parallel_for(0, n, [&](auto i) { values[i] = static_cast<int>(i); }, how);
  const auto sum =
      doall::parallel_reduce(0, n, 0, [&](auto i) { return values[i]; }, std::plus<>(), how);
  EXPECT_EQ(sum, n * (n - 1) / 2);
}

struct part {
  bool wanted = false;
  double x = 1;
  bool is_wanted() const { return wanted; }
  double twice() const { return 2 * x; }
  void grow() { x += 1; }
  part plus(const part& other) const { return {false, x + other.x}; }
};

// Whatever std::invoke() can call, as the concepts say.
TEST(Bodies, MayBePointersToMembers) {
  std::vector<part> all(n);
  std::list<part> list(n);
  all[700].wanted = true;
  doall::parallel_for_each(all, &part::grow, how);
  doall::parallel_for_each(list, &part::grow);
  EXPECT_EQ(list.back().x, 2);
  EXPECT_EQ(doall::parallel_find_if(all, &part::wanted) - all.begin(), 700);
  EXPECT_EQ(doall::parallel_find_if(all, &part::is_wanted) - all.begin(), 700);
  std::vector<part> out(n);
  EXPECT_EQ(doall::parallel_pack(all, out.begin(), &part::wanted), 1U);
  EXPECT_EQ(doall::parallel_reduce(all, 0.0, &part::x, std::plus<>()), 2 * n);
  EXPECT_EQ(doall::parallel_reduce(list, 0.0, &part::twice, std::plus<>()), 4 * n);
  const part none{false, 0};
  const auto one = [](auto...) { return part(); };
  EXPECT_EQ(doall::parallel_reduce(0, n, none, one, &part::plus).x, n);
  EXPECT_EQ(
      doall::parallel_reduce(0, n, none, one, &part::plus, {.order = doall::reduce_order::any}).x,
      n);
  EXPECT_EQ(doall::parallel_reduce(doall::space(n, 3), none, one, &part::plus).x, 3 * n);
  EXPECT_EQ(doall::parallel_scan(all, out.begin(), none, &part::plus).x, 2 * n);
  EXPECT_EQ(out.back().x, 2 * n);
  EXPECT_EQ(doall::parallel_exclusive_scan(all, none, &part::plus).x, 2 * n);
  doall::per_worker<part> kept;
  kept.local().grow();
  EXPECT_EQ(kept.combine(&part::plus).x, 2);
  const auto pairs = doall::parallel_reduce(
      0, n, std::tuple(none, 0), [](int) { return std::tuple(part(), 1); },
      doall::combine_each(&part::plus, std::plus<>()));
  EXPECT_EQ(std::get<0>(pairs).x, n);
  using two = std::array<part, 2>;
  EXPECT_EQ(
      doall::parallel_reduce(
          0, n, two{none, none}, [](int) { return two(); }, doall::each_element(&part::plus))[1]
          .x,
      n);
}

// A worker's copy is made for each chunk: what the caller changes between loops is seen.
TEST(Bodies, AreCopiedAnewForEachLoop) {
  int factor = 1;
  std::vector<int> values(n);
  const auto body = [p = &factor, v = values.data()](int i) { v[i] = *p; };
  for (factor = 1; factor < 4; ++factor) {
    doall::parallel_for(0, n, body, how);
    EXPECT_EQ(values, std::vector<int>(n, factor));
  }
}

}  // namespace
