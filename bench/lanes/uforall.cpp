#include "lanes/uforall.hpp"

#include <forward_list>
#include <mutex>
#include <utility>

#include "base/cache_line.hpp"
#include "kernels/compute.hpp"

namespace doall::bench::uforall {
namespace {

// A thread's own. It outlives the thread, whose part of the sum still counts.
struct alignas(base::apart_bytes) tally {
  std::uint64_t last = 0;  // below 2^63
  std::uint64_t sum = 0;
};

constinit std::mutex enlisting;
constinit thread_local tally* own = nullptr;

std::forward_list<tally>& tallies() {
  static std::forward_list<tally> all;
  return all;
}

[[gnu::noinline]] void enlist() {
  const std::scoped_lock alone(enlisting);
  own = &tallies().emplace_front();
}

// Of no two iterations the same: a sum in which one is missing and another is there
// twice is wrong. Not 0, as compute() wants it.
std::uint64_t seed(std::int64_t i) {
  return static_cast<std::uint64_t>(i + 1) * std::uint64_t{0x9e3779b97f4a7c15};
}

std::uint64_t result(std::uint64_t units, std::uint64_t from) { return compute(units, from) >> 1; }

}  // namespace

void iterate(std::int64_t i, std::uint64_t units) {
  if (own == nullptr) [[unlikely]]
    enlist();
  own->last = result(units, seed(i) + (own->last >> 63));
  own->sum += own->last;
}

std::uint64_t take_sum() {
  const std::scoped_lock alone(enlisting);
  std::uint64_t sum = 0;
  for (tally& t : tallies()) sum += std::exchange(t.sum, 0);
  return sum;
}

std::uint64_t expected_sum(loop_size s) {
  std::uint64_t sum = 0;
  for (std::int64_t i = 0; i < s.iterations; ++i) sum += result(s.units, seed(i));
  return sum;
}

}  // namespace doall::bench::uforall
