// Worksharing loops as only C++ has them: templates, lambdas, iterators, exceptions, members.
#include <array>
#include <cstdio>
#include <deque>
#include <list>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace {

void show(const char* what, long value) { std::printf("%s %ld\n", what, value); }

template <class T>
long total(const std::vector<T>& of) {
  T s{};
#pragma omp parallel for reduction(+ : s)
  for (std::size_t i = 0; i < of.size(); ++i) s += of[i];
  return static_cast<long>(s);
}

template <class T, class F>
void for_all(std::vector<T>& of, F change) {
#pragma omp parallel for
  for (auto it = of.begin(); it < of.end(); ++it) change(*it);
}

template <int Step>
long by_steps() {
  long s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < 1000; i += Step) s += i;
  return s;
}

struct matrix {
  std::vector<std::vector<int>> rows;
  long sum = 0;

  void add_up() {
    long s = 0;
#pragma omp parallel for reduction(+ : s)
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (int v : rows[i]) s += v;
    sum = s;
  }

  long with_member_captured() const {
    auto scale = [this](long by) {
      long s = 0;
#pragma omp parallel for reduction(+ : s)
      for (std::size_t i = 0; i < rows.size(); ++i) s += static_cast<long>(rows[i].size()) * by;
      return s;
    };
    return scale(3);
  }
};

struct counted {
  int value = 0;
  counted() = default;
  counted(const counted& other) : value(other.value) {}
  counted& operator=(const counted& other) {
    value = other.value;
    return *this;
  }
  ~counted() { value = -1; }
  counted& operator+=(const counted& other) {
    value += other.value;
    return *this;
  }
};
#pragma omp declare reduction(add:counted : omp_out += omp_in)

long own_types() {
  counted s;
  counted last;
#pragma omp parallel for reduction(add : s) lastprivate(last)
  for (int i = 0; i < 500; ++i) {
    counted one;
    one.value = i;
    s += one;
    last = one;
  }
  return s.value + last.value;
}

long thrown_inside() {
  long caught = 0;
#pragma omp parallel for reduction(+ : caught)
  for (int i = 0; i < 200; ++i) {
    try {
      if (i % 10 == 3) throw std::runtime_error("x");
      std::vector<int> some(i, 1);
      if (some.size() > 150) throw i;
    } catch (const std::exception&) {
      caught += 1;
    } catch (int) {
      caught += 1000;
    }
  }
  return caught;
}

struct base {
  virtual ~base() = default;
  virtual long at(int i) const { return i; }
};
struct derived : base {
  long at(int i) const override { return 2L * i; }
};

long calls_virtual(const base& of) {
  long s = 0;
#pragma omp parallel for reduction(+ : s)
  for (int i = 0; i < 300; ++i) s += of.at(i);
  return s;
}

inline long comdat(int n) {
  long s = 0;
#pragma omp parallel for collapse(2) reduction(+ : s)
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) s += i ^ j;
  return s;
}

constexpr int limit(int i) { return i * i; }

}  // namespace

int main() {
  std::vector<int> v(1000);
  std::iota(v.begin(), v.end(), 0);
  show("template of int", total(v));
  show("template of double", total(std::vector<double>(v.begin(), v.end())));
  int by = 3;
  for_all(v, [&](int& e) { e *= by; });
  show("lambda", total(v));
  show("steps of 1", by_steps<1>());
  show("steps of 7", by_steps<7>());
  matrix m;
  for (int i = 0; i < 50; ++i) m.rows.emplace_back(i, i);
  m.add_up();
  show("vector of vectors", m.sum);
  show("captured this", m.with_member_captured());
  show("own types", own_types());
  show("exceptions", thrown_inside());
  show("virtual", calls_virtual(derived()));
  show("inline", comdat(40));

  std::deque<int> d(v.begin(), v.end());
  long s = 0;
#pragma omp parallel for reduction(+ : s)
  for (auto it = d.rbegin(); it != d.rend(); ++it) s += *it;
  show("deque backwards", s);
  std::array<int, 64> all{};
#pragma omp parallel for
  for (int& e : all) e = 5;
  show("range-based", std::accumulate(all.begin(), all.end(), 0L));
  s = 0;
#pragma omp parallel for reduction(+ : s) firstprivate(v)
  for (const auto& row : m.rows) s += static_cast<long>(row.size()) + v[row.size()];
  show("range-based, firstprivate vector", s);
  s = 0;
#pragma omp parallel for reduction(+ : s)
  for (std::ptrdiff_t i = limit(20); i >= 0; i -= 4) s += i;
  show("constexpr bounds", s);
  s = 0;
  auto count = [&s](auto from, auto to) {
#pragma omp parallel
    {
#pragma omp for reduction(+ : s) nowait
      for (auto i = from; i < to; ++i) s += i;
    }
  };
  count(short{1}, short{100});
  count(1ULL, 1000ULL);
  show("generic lambda", s);
}
