#include "lanes/task_kernels.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/rng.hpp"
#include "kernels/compute.hpp"
#include "lanes/task_programs.hpp"

namespace doall::bench {

std::uint64_t fib_alone(unsigned n) { return n < 2 ? n : fib_alone(n - 1) + fib_alone(n - 2); }

std::uint64_t boards_alone(const queens::board& b, std::size_t n) {
  if (b.rows == n) return 1;
  std::uint64_t found = 0;
  for (std::size_t column = 0; column < n; ++column) {
    if (!queens::is_safe(b, column)) continue;
    queens::board next = b;
    next.add(column);
    found += boards_alone(next, n);
  }
  return found;
}

// --- Sorting.

sort_tasks::sort_tasks(size s) : input_(s == size::paper ? 200'000 : 20'000) {
  base::rng random(1);
  for (std::int32_t& v : input_) v = static_cast<std::int32_t>(random.next() >> 32);
  values_ = input_;
  buffer_.resize(input_.size());
}

void sort_tasks::sort_alone(part p) { std::ranges::sort(p); }
void sort_tasks::merge_alone(source left, source right, part to) {
  std::ranges::merge(left, right, to.begin());
}

// --- Strassen's product.

strassen_tasks::strassen_tasks(size s)
    : n(s == size::paper ? 256 : 64), left_(n * n), right_(n * n), product_(n * n) {
  base::rng random(1);
  // Small whole numbers: sums are exact.
  for (double& v : left_) v = static_cast<double>(random.next() % 16);
  for (double& v : right_) v = static_cast<double>(random.next() % 16);
}

void add_squares(square to, square a, double sign, square b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      to.at[i * to.stride + j] = a.at[i * a.stride + j] + sign * b.at[i * b.stride + j];
    }
  }
}

void add_to_square(square to, double sign, square a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) to.at[i * to.stride + j] += sign * a.at[i * a.stride + j];
  }
}

void multiply_squares(square to, square a, square b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = to.at + i * to.stride;
    std::fill_n(row, n, 0.0);
    for (std::size_t k = 0; k < n; ++k) {
      const double factor = a.at[i * a.stride + k];
      const double* const other = b.at + k * b.stride;
      for (std::size_t j = 0; j < n; ++j) row[j] += factor * other[j];
    }
  }
}

// --- Sparse LU.

sparse_lu_tasks::sparse_lu_tasks(size s)
    : n(s == size::paper ? 24 : 6), input_(n * n), input_present_(n * n) {
  base::rng random(1);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const bool is_near = i <= j + 1 && j <= i + 1;
      if (!is_near && random.next() % 4 != 0) continue;
      input_present_[i * n + j] = 1;
      for (double& v : input_[i * n + j]) v = static_cast<double>(random.next() % 1024) / 1024;
      if (i != j) continue;
      for (std::size_t k = 0; k < block; ++k) {
        input_[i * n + j][k * block + k] += static_cast<double>(n * block);  // needs no pivots
      }
    }
  }
  reset();
}

void sparse_lu_tasks::reset() {
  blocks_ = input_;
  present_ = input_present_;
}

void sparse_lu_tasks::fill(std::size_t i, std::size_t j) { present_[i * n + j] = 1; }

namespace {
constexpr std::size_t b = sparse_lu_tasks::block;
}  // namespace

void factor(lu_block& diagonal) {
  for (std::size_t k = 0; k < b; ++k) {
    for (std::size_t i = k + 1; i < b; ++i) {
      diagonal[i * b + k] /= diagonal[k * b + k];
      for (std::size_t j = k + 1; j < b; ++j) {
        diagonal[i * b + j] -= diagonal[i * b + k] * diagonal[k * b + j];
      }
    }
  }
}

void solve_row(const lu_block& diagonal, lu_block& right) {
  for (std::size_t k = 0; k < b; ++k) {
    for (std::size_t i = k + 1; i < b; ++i) {
      for (std::size_t j = 0; j < b; ++j)
        right[i * b + j] -= diagonal[i * b + k] * right[k * b + j];
    }
  }
}

void solve_column(const lu_block& diagonal, lu_block& below) {
  for (std::size_t i = 0; i < b; ++i) {
    for (std::size_t k = 0; k < b; ++k) {
      below[i * b + k] /= diagonal[k * b + k];
      for (std::size_t j = k + 1; j < b; ++j)
        below[i * b + j] -= below[i * b + k] * diagonal[k * b + j];
    }
  }
}

void subtract_product(lu_block& from, const lu_block& below, const lu_block& right) {
  for (std::size_t i = 0; i < b; ++i) {
    for (std::size_t k = 0; k < b; ++k) {
      for (std::size_t j = 0; j < b; ++j) from[i * b + j] -= below[i * b + k] * right[k * b + j];
    }
  }
}

// --- Villages.

namespace {

std::uint32_t next_random(std::uint64_t& seed) {
  seed = seed * 6364136223846793005 + 1442695040888963407;
  return static_cast<std::uint32_t>(seed >> 33);
}

void settle(health_tasks::village& v, unsigned levels, std::uint64_t seed) {
  constexpr std::size_t villages_below = 5;
  constexpr std::size_t people = 12;
  v.seed = seed;
  v.staff = 2 + 2 * levels;
  for (std::size_t i = 0; i < people; ++i) v.waiting.push_back({next_random(v.seed), 0});
  if (levels == 0) return;
  v.below.resize(villages_below);
  for (std::size_t i = 0; i < villages_below; ++i) {
    settle(v.below[i], levels - 1, seed * villages_below + i + 1);
  }
}

}  // namespace

health_tasks::health_tasks(size s)
    : levels(s == size::paper ? 4 : 2), steps(s == size::paper ? 20 : 4) {
  health_tasks::reset();
}

void health_tasks::reset() {
  set(0);
  root = {};
  settle(root, levels, 1);
}

void health_tasks::step(village& v, std::uint32_t now) {
  constexpr std::uint32_t treatment_most = 8;
  for (village& one : v.below) {
    v.waiting.insert(v.waiting.end(), one.sent_up.begin(), one.sent_up.end());
    one.sent_up.clear();
  }
  std::erase_if(v.treated, [&](const patient& p) {
    if (p.busy_until > now) return false;
    ++v.cured;
    v.waiting.push_back({p.seed * 2654435761U + now, 0});  // falls ill again
    return true;
  });
  std::size_t seen = 0;
  for (; seen < v.waiting.size() && v.treated.size() < v.staff; ++seen) {
    patient p = v.waiting[seen];
    if ((p.seed ^ next_random(v.seed)) % 4 == 0) {
      v.sent_up.push_back(p);
    } else {
      p.busy_until = now + 1 + next_random(v.seed) % treatment_most;
      v.treated.push_back(p);
    }
  }
  v.waiting.erase(v.waiting.begin(), v.waiting.begin() + static_cast<std::ptrdiff_t>(seen));
}

std::uint64_t health_tasks::sum_of(const village& v) {
  std::uint64_t sum = v.cured + 3 * v.waiting.size() + 5 * v.treated.size() + v.seed % 1024;
  for (const village& one : v.below) sum = sum * 31 + sum_of(one);
  return sum;
}

// --- Alignment: the best score of two whole sequences, a gap of k costs 10 + k (Gotoh, 1982).

alignment_tasks::alignment_tasks(size s) : sequences_(s == size::paper ? 40 : 8) {
  constexpr std::size_t letters = 20;
  base::rng random(1);
  for (auto& one : sequences_) {
    one.resize(40 + random.next() % 80);
    for (std::uint8_t& letter : one) letter = static_cast<std::uint8_t>(random.next() % letters);
  }
  scores_.resize(sequences_.size() * sequences_.size());
}

void alignment_tasks::align(std::size_t i, std::size_t j) {
  constexpr std::int32_t opening = 10;
  constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min() / 2;
  const auto& down = sequences_[i];
  const auto& across = sequences_[j];
  std::array<std::int32_t, 128> best{};
  std::array<std::int32_t, 128> in_gap_down{};
  for (std::size_t c = 0; c <= across.size(); ++c) {
    best[c] = c == 0 ? 0 : -opening - static_cast<std::int32_t>(c);
    in_gap_down[c] = least;
  }
  for (std::size_t r = 1; r <= down.size(); ++r) {
    std::int32_t diagonal = best[0];
    std::int32_t in_gap_across = least;
    best[0] = -opening - static_cast<std::int32_t>(r);
    for (std::size_t c = 1; c <= across.size(); ++c) {
      in_gap_across = std::max(in_gap_across, best[c - 1] - opening) - 1;
      in_gap_down[c] = std::max(in_gap_down[c], best[c] - opening) - 1;
      const std::int32_t matched = diagonal + (down[r - 1] == across[c - 1] ? 8 : -3);
      diagonal = std::exchange(best[c], std::max({matched, in_gap_across, in_gap_down[c]}));
    }
  }
  scores_[i * sequences_.size() + j] = best[across.size()];
}

void taskloop_tasks::work_for(unsigned units) {
  const std::uint64_t found = compute(units, 1);
  asm volatile("" : : "r"(found));
}

void run_serial(fib_tasks& k) { run(k, serial_tasks()); }
void run_serial(queens_tasks& k) { run(k, serial_tasks()); }
void run_serial(sort_tasks& k) { run(k, serial_tasks()); }
void run_serial(strassen_tasks& k) { run(k, serial_tasks()); }
void run_serial(sparse_lu_tasks& k) { run(k, serial_tasks()); }
void run_serial(health_tasks& k) { run(k, serial_tasks()); }
void run_serial(alignment_tasks& k) { run(k, serial_tasks()); }
void run_serial(taskloop_tasks& k) { run(k, serial_tasks()); }
void run_serial(producer_tasks& k) { run(k, serial_tasks()); }

}  // namespace doall::bench
