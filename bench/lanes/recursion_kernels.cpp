#include "lanes/recursion_kernels.hpp"

#include <algorithm>
#include <utility>

#include "base/rng.hpp"
#include "kernels/compute.hpp"
#include "kernels/quicksort.hpp"
#include "lanes/recursion_nests.hpp"

namespace doall::bench {
namespace {

// The finaliser of splitmix64 (Steele, Lea, Flood, OOPSLA 2014): each step needs the one before.
std::uint64_t mixed(std::uint64_t bits) {
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
  return bits ^ (bits >> 31);
}

}  // namespace

std::uint64_t tree_search::child(std::uint64_t node, std::size_t index) const {
  constexpr unsigned times = 4;
  std::uint64_t hash = node + (index + 1) * 0x9e3779b97f4a7c15;
  for (unsigned i = 0; i < times; ++i) hash = mixed(hash);
  std::uint64_t more = hash;
  for (unsigned i = 0; i < more_steps_; ++i) more = mixed(more);
  asm volatile("" : : "r"(more));
  return hash;
}

std::uint64_t leaf_tree::leaf(std::uint64_t place) const { return compute(units, place + 1); }

sorting_kernel::sorting_kernel(size s) : input_(s == size::paper ? 10'000'000 : 20'000) {
  base::rng random(1);
  for (std::int32_t& v : input_) v = static_cast<std::int32_t>(random.next() >> 32);
  values_ = input_;
}

bool sorting_kernel::verified() const { return std::ranges::is_sorted(values_); }

void sorting_kernel::sort_serially(part p) {
  for (std::size_t i = 1; i < p.size(); ++i) {
    const std::int32_t value = p[i];
    std::size_t to = i;
    for (; to > 0 && value < p[to - 1]; --to) p[to] = p[to - 1];
    p[to] = value;
  }
}

std::size_t quick_sorting::partition(part p) {
  put_pivot_first(p);
  const std::int32_t pivot = p.front();
  std::size_t low = 1;
  std::size_t high = p.size() - 1;
  for (;;) {
    while (low <= high && p[low] < pivot) ++low;
    while (pivot < p[high]) --high;  // ends at the pivot itself
    if (low >= high) break;
    std::swap(p[low++], p[high--]);
  }
  std::swap(p.front(), p[high]);
  return high;
}

void merge_sorting::merge(std::span<const std::int32_t> left, std::span<const std::int32_t> right,
                          part to) {
  std::ranges::merge(left, right, to.begin());
}

void run_serial(fib_numbers& k) { run(k, serial_forks()); }
void run_serial(all_queens& k) { run(k, serial_forks()); }
void run_serial(tree_search& k) { run(k, serial_forks()); }
void run_serial(leaf_tree& k) { run(k, serial_forks()); }
void run_serial(quick_sorting& k) { run(k, serial_forks()); }
void run_serial(merge_sorting& k) { run(k, serial_forks()); }

}  // namespace doall::bench
