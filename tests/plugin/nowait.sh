#!/bin/bash
# Loops between which there is no barrier keep static's blocks under every schedule, as programs rely
# on: nowait.sh BIN
set -u
bin=$1
source "$(dirname "$(readlink -f "$0")")/common.sh"
export OMP_NUM_THREADS=3

# Each element's thread in one loop, and whether the next one has the same. An early iteration takes
# long, so that others' are stolen where that may be.
cat >pairs.c <<'END_C'
#include <omp.h>
#include <stdio.h>
#include <unistd.h>
enum { n = 300 };
static int by[n], wrong;
static void slow(int i) {
  if (i < 3) usleep(2000);
}
static void put(int i) {
  slow(i);
  by[i] = omp_get_thread_num();
}
static void get(int i) {
  if (by[i] != omp_get_thread_num()) {
#pragma omp atomic
    ++wrong;
  }
}
static void said(const char* what) {
  printf("%s %d\n", what, wrong > 0);
  wrong = 0;
}
__attribute__((noinline)) static void put_all(void) {
#pragma omp for nowait
  for (int i = 0; i < n; ++i) put(i);
}
__attribute__((noinline)) static void get_all(void) {
#pragma omp for
  for (int i = 0; i < n; ++i) get(i);
}
int main(void) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; ++i) put(i);
#pragma omp for
    for (int i = 0; i < n; ++i) get(i);
  }
  said("pair");
#pragma omp parallel
  {
#pragma omp for schedule(static) nowait
    for (int i = 0; i < n; ++i) put(i);
    get_all();
  }
  said("static");
#pragma omp parallel
  {
    put_all();
    get_all();
  }
  said("functions");
#pragma omp parallel
  for (int round = 0; round < 3; ++round) {
#pragma omp for nowait
    for (int i = 0; i < n; ++i) {
      if (round > 0) get(i);
      put(i);
    }
  }
  said("rounds");
#pragma omp target data map(tofrom : by)
#pragma omp parallel
  {
#pragma omp target data map(tofrom : wrong)
    {
#pragma omp for nowait
      for (int i = 0; i < n; ++i) put(i);
#pragma omp for
      for (int i = 0; i < n; ++i) get(i);
    }
  }
  said("mapped");
#pragma omp parallel
  {
    int mine = 0;
#pragma omp for nowait
    for (int i = 0; i < n; ++i) mine += i;
#pragma omp critical
    wrong += mine;
  }
  wrong = 0;
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < n; ++i) put(i);
#pragma omp barrier
#pragma omp for
    for (int i = 0; i < n; ++i) slow(i);
  }
#pragma omp parallel
  {
#pragma omp for schedule(auto) nowait
    for (int i = 0; i < n; ++i) put(i);
#pragma omp for schedule(dynamic)
    for (int i = 0; i < n; ++i) slow(i);
  }
}
END_C
none=$'pair 0\nstatic 0\nfunctions 0\nrounds 0\nmapped 0'
for level in -O0 -O2; do
  "$bin/doall" cc -fopenmp $level pairs.c -o pairs || failed "compiling $level"
  [ "$(./pairs)" = "$none" ] || failed "$level on libgomp: $(./pairs)"
  for s in $("$bin/doall" schedules | sed -n '2,/^$/s/^\([a-z+-]*\) .*/\1/p'); do
    found=$("$bin/doall" run --schedule="$s" ./pairs 2>/dev/null)
    [ "$found" = "$none" ] || failed "$level under $s: $found"
  done
  for way in "" --report; do
    # shellcheck disable=SC2086
    found=$("$bin/doall" run $way ./pairs 2>report)
    [ "$found" = "$none" ] || failed "$level by doall run $way: $found"
  done
  [ "$(grep -c "static .*nowait: keeps static's blocks" report)" -eq 8 ] || failed "the report: $(cat report)"
done

# A function of the program's own whose name begins as OpenMP's do.
sed 's/get_all/omp_get_all/; s/static void omp_get_all/void omp_get_all/' pairs.c >own.c
"$bin/doall" cc -fopenmp -O2 own.c -o own || failed "compiling own.c"
found=$("$bin/doall" run --schedule=dynamic ./own 2>/dev/null)
[ "$found" = "$none" ] || failed "own.c: $found"

# A function of a library whose header is one of the system's for the compiler.
mkdir library
sed -n '/static void get_all/,/^}/p' pairs.c >library/get.h
sed '/static void get_all/,/^}/c #include <get.h>' pairs.c >system.c
"$bin/doall" cc -fopenmp -O2 -isystem library system.c -o system || failed "compiling system.c"
for s in dynamic best-static; do
  found=$("$bin/doall" run --schedule=$s ./system 2>/dev/null)
  [ "$found" = "$none" ] || failed "system.c under $s: $found"
done

# The language's own functions have no loops, but may call some that they are passed, or members and
# operators of what they are given.
cat >calls.cpp <<'END_C'
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <memory>
#include <string>
#include <vector>
struct own {
  own(int);
  ~own();
};
struct adding {
  int* v;
  void operator()(int) const;
};
struct adding_too : adding {};
struct converted {
  using function = void(int);
  operator function*() const;
};
union called {
  int v;
  void operator()(int) const;
};
bool operator<(const own&, const own&);
void calls(std::vector<int>& v, std::vector<int*>& all, const std::function<void()>& passed) {
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < 100; ++i) v[i] = i;
    all.push_back(new int(3));
    std::sort(all.begin(), all.end());
    std::map<std::string, std::unique_ptr<int>>()["one"] = std::make_unique<int>(3);
    std::cout << std::string("one") << std::endl;
  }
#pragma omp parallel
  {
#pragma omp for nowait
    for (int i = 0; i < 100; ++i) v[i] = i;
    std::for_each(&v[0], &v[1], [&](int) {
#pragma omp for
      for (int i = 0; i < 100; ++i) v[i] += i;
    });
#pragma omp for nowait
    for (int i = 0; i < 100; ++i) v[i] = i;
    passed();
  }
}
#define behind(call) \
  { _Pragma("omp for nowait") for (int i = 0; i < 100; ++i) v[i] = i; call; } \
  _Pragma("omp barrier")
void members(std::vector<int>& v, std::vector<own>& all, std::vector<std::function<void()>>& some, adding_too too,
             std::future<int>& later, const std::vector<own>& own_ones, converted other, called both, void (adding::*member)(int) const) {
#pragma omp parallel
  {
    behind(std::for_each(&v[0], &v[1], too))
    behind(std::for_each(&v[0], &v[1], other))
    behind(std::for_each(&v[0], &v[1], both))
    behind(std::invoke(member, too, 3))
    behind(std::make_unique<own>(3))
    behind(all.emplace_back(3))
    behind(std::sort(&all[0], &all[1]))
    behind(some.pop_back())
    behind(later.get())
    behind(v.push_back(3))
    behind(own_ones.size())
  }
}
// What is made by threads is put together in a critical construct, and freed.
struct point {
  double x, y;
};
void gathers(std::vector<point>& all, std::vector<std::vector<point>>& by_thread) {
#pragma omp parallel
  {
    std::vector<point> mine;
#pragma omp for nowait
    for (int i = 0; i < 100; ++i) mine.push_back({1.0 * i, 2});
    if (!mine.empty()) by_thread[0].begin();
#pragma omp critical
    all.insert(all.end(), mine.begin(), mine.end());
  }
#pragma omp parallel
  {
    std::vector<own> mine;
#pragma omp for nowait
    for (int i = 0; i < 100; ++i) mine.push_back({i});
  }
}
END_C
kept=$("$bin/doall" c++ --explain -O2 -std=c++17 calls.cpp | sed -n 's/^calls.cpp:\([0-9]*\): .*not steered without.*/\1/p' | xargs)
[ "$kept" = "40 46 $(seq -s ' ' 58 66) 88" ] || failed "calls.cpp: $kept: $("$bin/doall" c++ --explain -O2 -std=c++17 calls.cpp)"

# A member that is inherited is called.
cat >inherited.cpp <<'END_C'
#include <algorithm>
#include <cstdio>
enum { n = 40000 };
static int a[n], c[n];
struct base {
  void operator()(int) const {
#pragma omp for
    for (int i = 0; i < n; ++i) c[i] = a[i];
  }
};
struct derived : base {};
int main() {
  int wrong = 0, one[1] = {0};
  for (int t = 1; t <= 200; ++t) {
#pragma omp parallel
    {
#pragma omp for nowait
      for (int i = 0; i < n; ++i) a[i] = t;
      std::for_each(one, one + 1, derived{});
    }
    for (int i = 0; i < n; ++i) wrong += c[i] != t;
  }
  std::printf("%d", wrong);
}
END_C
"$bin/doall" c++ -fopenmp -O2 inherited.cpp -o inherited || failed "compiling inherited.cpp"
found=$("$bin/doall" run --schedule=dynamic ./inherited)
[ "$found" = 0 ] || failed "inherited.cpp: $found wrong values"

# Named are just those; the loops of the last three regions are steered.
"$bin/doall" cc -fopenmp -Wdoall -c pairs.c 2>notes || failed "-Wdoall"
lines() { sed -n "s/^pairs.c:\([0-9]*\):.*note: .*without .*-fdoall-nowait.*: $1.*/\1/p" notes | xargs; }
at() { grep -n "$1" pairs.c | cut -d: -f1 | sed -n "$2p"; }
[ "$(lines 'it ends with nowait')" = "$(at 'for nowait\|static) nowait' '1,5' | xargs)" ] ||
  failed "loops that end with nowait: $(cat notes)"
[ "$(lines 'a loop that ends')" = "$(at 'omp for$' 2,3 | xargs)" ] || failed "loops behind them: $(cat notes)"
"$bin/doall" cc --explain pairs.c >found || failed "--explain"
[ "$(grep -c 'not steered without -fdoall-nowait' found)" -eq 7 ] || failed "--explain: $(cat found)"

# The switch takes it back.
"$bin/doall" cc -fopenmp -O2 -fdoall-nowait pairs.c -o steered || failed "-fdoall-nowait"
# (Not if one thread runs all of both loops.)
for _ in {1..20}; do
  "$bin/doall" run --schedule=dynamic ./steered | grep 'pair 1' && break
done | grep -q . || failed "-fdoall-nowait steers nothing"

cat >pairs.f90 <<'END_F'
program p
  use omp_lib
  integer :: i, by(300), wrong
  wrong = 0
  !$omp parallel
  !$omp do
  do i = 300, 1, -1
    by(i) = omp_get_thread_num()
  end do
  !$omp end do nowait
  !$omp do reduction(+:wrong)
  do i = 300, 1, -1
    if (by(i) /= omp_get_thread_num()) wrong = wrong + 1
  end do
  !$omp end parallel
  print '(i0)', wrong
end program
END_F
"$bin/doall" fortran -fopenmp -O2 pairs.f90 -o pairs || failed "pairs.f90"
for s in dynamic affinity; do
  [ "$("$bin/doall" run --schedule=$s ./pairs)" = 0 ] || failed "pairs.f90 under $s"
done
end
