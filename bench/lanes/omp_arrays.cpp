// What a region costs whose threads have arrays of their own.
#include "lanes/omp_lines.hpp"

namespace doall::bench {
namespace {

// What the compiler must have in memory.
template <class Array>
void touch(Array& a) {
  asm volatile("" : : "r"(&a[0]) : "memory");
}

template <int Size>
constexpr auto privates = [](auto body, runs_number runs) {
  double a[Size];
  for (; runs > 0; --runs) {
#pragma omp parallel private(a)
    {
      a[0] = 1;
      touch(a);
      body.run();
    }
  }
};

template <int Size>
constexpr auto first_privates = [](auto body, runs_number runs) {
  double a[Size];
  std::fill_n(a, Size, 7);
  for (; runs > 0; --runs) {
#pragma omp parallel firstprivate(a)
    {
      body.expect(static_cast<std::uint64_t>(a[Size - 1]), 7);
      touch(a);
      body.run();
    }
  }
};

template <int Size>
constexpr auto copied_out = [](auto body, runs_number runs) {
#pragma omp parallel
  {
    double a[Size];
    for (runs_number r = 0; r < runs; ++r) {
#pragma omp single copyprivate(a)
      {
        std::fill_n(a, Size, static_cast<double>(r));
        body.run();
      }
      touch(a);
      body.expect(static_cast<std::uint64_t>(a[Size - 1]), r);
    }
  }
};

// A threadprivate array has a name of its own. (Clang takes such a name for a capture in a lambda.)
double small_array[1];
double middle_array[81];
double large_array[6561];
#pragma omp threadprivate(small_array, middle_array, large_array)

struct copied_in_small {
  template <class Body>
  void operator()(Body body, runs_number runs) const {
    for (; runs > 0; --runs) {
      small_array[0] = static_cast<double>(runs);
#pragma omp parallel copyin(small_array)
      {
        body.expect(static_cast<std::uint64_t>(small_array[0]), runs);
        touch(small_array);
        body.run();
      }
    }
  }
};
struct copied_in_middle {
  template <class Body>
  void operator()(Body body, runs_number runs) const {
    for (; runs > 0; --runs) {
      middle_array[80] = static_cast<double>(runs);
#pragma omp parallel copyin(middle_array)
      {
        body.expect(static_cast<std::uint64_t>(middle_array[80]), runs);
        touch(middle_array);
        body.run();
      }
    }
  }
};
struct copied_in_large {
  template <class Body>
  void operator()(Body body, runs_number runs) const {
    for (; runs > 0; --runs) {
      large_array[6560] = static_cast<double>(runs);
#pragma omp parallel copyin(large_array)
      {
        body.expect(static_cast<std::uint64_t>(large_array[6560]), runs);
        touch(large_array);
        body.run();
      }
    }
  }
};

template <int Size, class CopiedIn>
void add(std::vector<line>& all, unsigned threads, const CopiedIn& copied_in) {
  const std::string size = ',' + std::to_string(Size);
  all.push_back(make_line("array/private" + size, threads, privates<Size>));
  all.push_back(make_line("array/firstprivate" + size, threads, first_privates<Size>));
  all.push_back(make_line("array/copyin" + size, threads, copied_in));
  all.push_back(make_line<excluding>("array/copyprivate" + size, 1, copied_out<Size>));
}

}  // namespace

std::vector<line> array_lines(unsigned threads) {
  std::vector<line> all;
  add<1>(all, threads, copied_in_small());
  add<81>(all, threads, copied_in_middle());
  add<6561>(all, threads, copied_in_large());
  return all;
}

}  // namespace doall::bench
