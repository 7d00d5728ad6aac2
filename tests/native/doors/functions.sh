#!/bin/sh
# What a loop in a program's own file costs there: how many functions it makes, without the cold
# parts that the compiler splits off, and how many bytes of code. Counted by what twenty loops make
# more than ten. And that doall.h's functions are not exported.
#   functions.sh INCLUDES COMPILER
set -eu
includes=$1 compiler=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
most_functions=5
# oneTBB by GCC 12: some 2,550, of twenty loops of five kinds. Clang unrolls the bodies, and is not judged by bytes.
most_bytes=2400
"$compiler" --version | grep -q clang && most_bytes=1000000

compile() { # LOOPS
  {
    echo '#include <doall/doall.hpp>'
    i=0
    while [ $i -lt "$1" ]; do
      echo "void f$i(double* a, double* b, double x, int n) {"
      echo "  doall::parallel_for(0, n, [=](int i) { a[i] = b[i] * x + $i; });"
      echo '}'
      i=$((i + 1))
    done
  } >"$work/loops.cpp"
  "$compiler" -std=c++20 -O2 -I"$includes" -c "$work/loops.cpp" -o "$work/$1.o"
}
functions() { nm -C "$work/$1.o" | grep ' [tTwW] ' | grep -cv 'clone .cold'; }
bytes() { size "$work/$1.o" | awk 'NR == 2 {print $1}'; }

compile 10
compile 20
made=$(($(functions 20) - $(functions 10)))
took=$((($(bytes 20) - $(bytes 10)) / 10))
echo "ten loops make $made functions; each takes $took bytes"
if [ $made -gt $((10 * most_functions)) ] || [ $took -gt $most_bytes ]; then
  echo "wrong: expected at most $most_functions functions a loop, and $most_bytes bytes"
  exit 1
fi

# doall.h's functions are each library's own: none of another's takes their place.
cat >"$work/own.cpp" <<'SOURCE'
#include <doall/doall.h>

#include <cstdint>
static int add(void*, std::int64_t, std::int64_t, void*) { return 0; }
static void combine(void*, void*, const void*) {}
int sum(const doall_space* space, double* result, const std::uint64_t* weights, std::uint64_t n) {
  doall_loop_costs_weights(weights, n, 0);
  doall_reduce(0, 9, result, sizeof *result, add, combine, nullptr, nullptr);
  return doall_for_space(space, [](void*, const doall_tile*) { return 0; }, nullptr, nullptr);
}
SOURCE
"$compiler" -std=c++20 -O0 -fPIC -shared -I"$includes" "$work/own.cpp" -o "$work/own.so"
if nm -D --defined-only "$work/own.so" | grep ' doall_'; then
  echo "wrong: a library of doall.h's users exports these"
  exit 1
fi
