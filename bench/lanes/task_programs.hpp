// The programs of task_kernels.hpp, cut into tasks, written once over the tasks of some compiler:
//
//   spawn(body)              a task that runs body(), a copy of it
//   wait()                   for the tasks that this one has spawned
//   each(count, body)        body(i) for i from 0 to count - 1, a task each, and waits for them
//   cuts()                   whether the program's cut-off holds: beyond it nothing is spawned
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

#include "lanes/task_kernels.hpp"

namespace doall::bench {

// Without any runtime: the serial elision.
struct serial_tasks {
  template <class Body>
  void spawn(Body body) const {
    body();
  }
  void wait() const {}
  template <class Body>
  void each(std::size_t count, Body body) const {
    for (std::size_t i = 0; i < count; ++i) body(i);
  }
  static bool cuts() { return false; }
};

// Recursions count their levels down; without a cut-off they never arrive.
template <class Tasks>
unsigned levels_of(const Tasks& tasks, unsigned cut_levels) {
  return tasks.cuts() ? cut_levels : 1000;
}

template <class Tasks>
std::uint64_t fib(const Tasks& tasks, unsigned n, unsigned levels) {
  if (n < 2) return n;
  if (levels == 0) return fib_alone(n);
  std::uint64_t one = 0;
  std::uint64_t other = 0;
  tasks.spawn([=, &one] { one = fib(tasks, n - 1, levels - 1); });
  tasks.spawn([=, &other] { other = fib(tasks, n - 2, levels - 1); });
  tasks.wait();
  return one + other;
}

template <class Tasks>
void run(fib_tasks& k, const Tasks& tasks) {
  k.set(fib(tasks, k.n, levels_of(tasks, k.cut_levels)));
}

template <class Tasks>
std::uint64_t boards(const Tasks& tasks, const queens::board& b, std::size_t n, unsigned levels) {
  if (b.rows == n) return 1;
  if (levels == 0) return boards_alone(b, n);
  std::array<std::uint64_t, 16> found{};
  for (std::size_t column = 0; column < n; ++column) {
    if (!queens::is_safe(b, column)) continue;
    queens::board next = b;
    next.add(column);
    tasks.spawn([=, to = &found[column]] { *to = boards(tasks, next, n, levels - 1); });
  }
  tasks.wait();
  return std::reduce(found.begin(), found.end());
}

template <class Tasks>
void run(queens_tasks& k, const Tasks& tasks) {
  k.set(boards(tasks, {}, k.n, levels_of(tasks, k.cut_levels)));
}

template <class Tasks>
void merge(const Tasks& tasks, sort_tasks::source left, sort_tasks::source right,
           sort_tasks::part to, std::size_t alone) {
  if (left.size() < right.size()) std::swap(left, right);
  if (to.size() <= alone) return sort_tasks::merge_alone(left, right, to);
  const std::size_t half = left.size() / 2;
  const auto at =
      static_cast<std::size_t>(std::ranges::lower_bound(right, left[half]) - right.begin());
  tasks.spawn([=] { merge(tasks, left.first(half), right.first(at), to.first(half + at), alone); });
  tasks.spawn(
      [=] { merge(tasks, left.subspan(half), right.subspan(at), to.subspan(half + at), alone); });
  tasks.wait();
}

// In quarters, by way of the buffer and back.
template <class Tasks>
void sort(const Tasks& tasks, sort_tasks::part p, sort_tasks::part buffer, std::size_t alone) {
  if (p.size() <= alone) return sort_tasks::sort_alone(p);
  const std::size_t half = p.size() / 2;
  const std::size_t quarter = half / 2;
  const std::array<std::size_t, 5> ends{0, quarter, half, half + quarter, p.size()};
  for (std::size_t q = 0; q < 4; ++q) {
    const std::size_t length = ends[q + 1] - ends[q];
    tasks.spawn(
        [=] { sort(tasks, p.subspan(ends[q], length), buffer.subspan(ends[q], length), alone); });
  }
  tasks.wait();
  tasks.spawn([=] {
    merge(tasks, p.first(quarter), p.subspan(quarter, half - quarter), buffer.first(half), alone);
  });
  tasks.spawn([=] {
    merge(tasks, p.subspan(half, quarter), p.subspan(half + quarter), buffer.subspan(half), alone);
  });
  tasks.wait();
  merge(tasks, buffer.first(half), buffer.subspan(half), p, alone);
}

template <class Tasks>
void run(sort_tasks& k, const Tasks& tasks) {
  sort(tasks, k.whole(), k.buffer(), tasks.cuts() ? k.cut_elements : k.fine_elements);
}

// The sums that a product of Strassen's takes, and the product: seven of these, each a task.
struct strassen_term {
  unsigned of;
  square a;
  square b;
  square to;
  std::size_t half;
};

template <class Tasks>
void multiply(const Tasks& tasks, square a, square b, square to, std::size_t n, unsigned levels);

// M1 = (A11 + A22)(B11 + B22), M2 = (A21 + A22) B11, M3 = A11 (B12 - B22), M4 = A22 (B21 - B11),
// M5 = (A11 + A12) B22, M6 = (A21 - A11)(B11 + B12), M7 = (A12 - A22)(B21 + B22)
template <class Tasks>
void multiply_term(const Tasks& tasks, const strassen_term& t, unsigned levels) {
  const std::size_t half = t.half;
  std::vector<double> sums(2 * half * half);
  const square left{sums.data(), half};
  const square right{sums.data() + half * half, half};
  const auto of_a = [&](unsigned row, unsigned column) { return t.a.quarter(half, row, column); };
  const auto of_b = [&](unsigned row, unsigned column) { return t.b.quarter(half, row, column); };
  square a = left;
  square b = right;
  switch (t.of) {
    case 0:
      add_squares(left, of_a(0, 0), 1, of_a(1, 1), half);
      add_squares(right, of_b(0, 0), 1, of_b(1, 1), half);
      break;
    case 1:
      add_squares(left, of_a(1, 0), 1, of_a(1, 1), half);
      b = of_b(0, 0);
      break;
    case 2:
      a = of_a(0, 0);
      add_squares(right, of_b(0, 1), -1, of_b(1, 1), half);
      break;
    case 3:
      a = of_a(1, 1);
      add_squares(right, of_b(1, 0), -1, of_b(0, 0), half);
      break;
    case 4:
      add_squares(left, of_a(0, 0), 1, of_a(0, 1), half);
      b = of_b(1, 1);
      break;
    case 5:
      add_squares(left, of_a(1, 0), -1, of_a(0, 0), half);
      add_squares(right, of_b(0, 0), 1, of_b(0, 1), half);
      break;
    default:
      add_squares(left, of_a(0, 1), -1, of_a(1, 1), half);
      add_squares(right, of_b(1, 0), 1, of_b(1, 1), half);
  }
  multiply(tasks, a, b, t.to, half, levels);
}

template <class Tasks>
void multiply(const Tasks& tasks, square a, square b, square to, std::size_t n, unsigned levels) {
  if (n <= strassen_tasks::leaf) return multiply_squares(to, a, b, n);
  if (levels == 0) return multiply(serial_tasks(), a, b, to, n, 1000);
  const std::size_t half = n / 2;
  std::vector<double> terms(7 * half * half);
  std::array<square, 7> m;
  for (unsigned i = 0; i < m.size(); ++i) {
    m[i] = {terms.data() + i * half * half, half};
    const strassen_term one{i, a, b, m[i], half};
    tasks.spawn([=] { multiply_term(tasks, one, levels - 1); });
  }
  tasks.wait();
  const auto add_up = [&](unsigned row, unsigned column, unsigned first, double sign,
                          unsigned second) {
    add_squares(to.quarter(half, row, column), m[first], sign, m[second], half);
  };
  add_up(0, 0, 0, 1, 3);  // M1 + M4 - M5 + M7
  add_to_square(to.quarter(half, 0, 0), -1, m[4], half);
  add_to_square(to.quarter(half, 0, 0), 1, m[6], half);
  add_up(0, 1, 2, 1, 4);   // M3 + M5
  add_up(1, 0, 1, 1, 3);   // M2 + M4
  add_up(1, 1, 0, -1, 1);  // M1 - M2 + M3 + M6
  add_to_square(to.quarter(half, 1, 1), 1, m[2], half);
  add_to_square(to.quarter(half, 1, 1), 1, m[5], half);
}

template <class Tasks>
void run(strassen_tasks& k, const Tasks& tasks) {
  multiply(tasks, k.left(), k.right(), k.product(), k.n, levels_of(tasks, k.cut_levels));
}

// Without a cut-off a task for each block, with it one for each row of them.
template <class Tasks>
void run(sparse_lu_tasks& k, const Tasks& tasks) {
  sparse_lu_tasks* const of = &k;
  for (std::size_t d = 0; d < k.n; ++d) {
    factor(k.at(d, d));
    for (std::size_t i = d + 1; i < k.n; ++i) {
      if (k.has(d, i)) tasks.spawn([=] { solve_row(of->at(d, d), of->at(d, i)); });
      if (k.has(i, d)) tasks.spawn([=] { solve_column(of->at(d, d), of->at(i, d)); });
    }
    tasks.wait();
    const auto update = [=](std::size_t i, std::size_t j) {
      of->fill(i, j);
      subtract_product(of->at(i, j), of->at(i, d), of->at(d, j));
    };
    for (std::size_t i = d + 1; i < k.n; ++i) {
      if (!k.has(i, d)) continue;
      const auto row = [=](const auto& make) {
        for (std::size_t j = d + 1; j < of->n; ++j) {
          if (of->has(d, j)) make(j);
        }
      };
      if (tasks.cuts()) {
        tasks.spawn([=] { row([&](std::size_t j) { update(i, j); }); });
      } else {
        row([&](std::size_t j) { tasks.spawn([=] { update(i, j); }); });
      }
    }
    tasks.wait();
  }
}

template <class Tasks>
void step(const Tasks& tasks, health_tasks::village& v, std::uint32_t now, unsigned levels) {
  for (health_tasks::village& one : v.below) {
    if (levels == 0) {
      step(tasks, one, now, 0);
    } else {
      tasks.spawn([=, village = &one] { step(tasks, *village, now, levels - 1); });
    }
  }
  if (levels > 0) tasks.wait();
  health_tasks::step(v, now);
}

template <class Tasks>
void run(health_tasks& k, const Tasks& tasks) {
  for (std::uint32_t now = 0; now < k.steps; ++now) {
    step(tasks, k.root, now, levels_of(tasks, k.cut_levels));
  }
  k.set(k.sum_of(k.root));
}

// Without a cut-off a task for each pair, with it one for each sequence and all after it.
template <class Tasks>
void run(alignment_tasks& k, const Tasks& tasks) {
  alignment_tasks* const of = &k;
  for (std::size_t i = 0; i < k.sequences(); ++i) {
    const auto rest = [=](const auto& make) {
      for (std::size_t j = i + 1; j < of->sequences(); ++j) make(j);
    };
    if (tasks.cuts()) {
      tasks.spawn([=] { rest([&](std::size_t j) { of->align(i, j); }); });
    } else {
      rest([&](std::size_t j) { tasks.spawn([=] { of->align(i, j); }); });
    }
  }
  tasks.wait();
}

template <class Tasks>
void run(taskloop_tasks& k, const Tasks& tasks) {
  std::vector<std::uint32_t> ran(k.tasks);
  for (int loop = 0; loop < k.loops; ++loop) {
    tasks.each(k.tasks, [to = ran.data(), work = k.units](std::size_t i) {
      ++to[i];
      taskloop_tasks::work_for(work);
    });
  }
  k.set(std::reduce(ran.begin(), ran.end(), std::uint64_t{0}));
}

template <class Tasks>
void run(producer_tasks& k, const Tasks& tasks) {
  std::vector<std::uint32_t> ran(k.tasks);
  for (std::uint32_t& its : ran) {
    tasks.spawn([to = &its, work = k.units] {
      ++*to;
      taskloop_tasks::work_for(work);
    });
  }
  tasks.wait();
  k.set(std::reduce(ran.begin(), ran.end(), std::uint64_t{0}));
}

}  // namespace doall::bench
