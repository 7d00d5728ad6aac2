#!/bin/bash
# An installation as its users meet it: installed into a folder, moved to another
# place, and used there by CMake, by pkg-config and by the command, from folders
# that know nothing of the source.
#   run.sh BUILD SOURCE VERSION CC CXX
set -euo pipefail
build=$1
source=$2
version=$3
export CC=$4 CXX=$5
unset CMAKE_PREFIX_PATH LD_LIBRARY_PATH PKG_CONFIG_PATH CPATH LIBRARY_PATH
unset DOALL_SCHEDULE DOALL_NUM_THREADS OMP_SCHEDULE OMP_NUM_THREADS

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
log=$work/log

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# step WHAT COMMAND...: which must succeed.
step() {
  local what=$1
  shift
  "$@" >"$log" 2>&1 && return
  fail "$what, by: $*"
  sed 's/^/  /' "$log"
  return 1
}

# prints EXPECTED COMMAND...: exactly that.
prints() {
  local expected=$1 got
  shift
  got=$("$@" 2>&1) || true
  [[ $got == "$expected" ]] || fail "$*: printed \"$got\", expected \"$expected\""
}

# The sum of 1/k^2 up to a million: the same digits from C++ and from C.
sum=1.6449330668487356

step "installing" cmake --install "$build" --prefix "$work/first" || exit 1
mkdir "$work/elsewhere"
mv "$work/first" "$work/elsewhere/doall"
prefix=$work/elsewhere/doall
grep -rlF "$work/first" "$prefix" >"$log" && fail "these name the folder of the installation: $(cat "$log")"

# --- CMake: a project in both languages, one without C++, and versions.
# configure FOLDER LANGUAGES VERSION SOURCES OPTION...
from=$prefix
configure() {
  cmake -S "$source/tests/e2e/install/consumer" -B "$work/$1" -DCMAKE_PREFIX_PATH="$from" \
    -DLANGUAGES="$2" -DWANTED_VERSION="$3" -DSOURCES="$4" "${@:5}"
}
examples=$source/examples
if step "find_package(doall)" configure both "C;CXX" "$version" "$examples/first.cpp;$examples/sum.c" &&
  step "building with doall::doall" cmake --build "$work/both"; then
  prints $sum "$work/both/first"
  prints $sum "$work/both/sum"
  libraries=$(ldd "$work/both/first")
  [[ $libraries == *"$prefix"* ]] || fail "the program does not use the installed library: $libraries"
fi
if step "find_package(doall) without C++" configure c C "$version" "$examples/sum.c" &&
  step "building C with doall::doall" cmake --build "$work/c"; then
  prints $sum "$work/c/sum"
fi
if step "doall::compat" configure compat "C;CXX" "$version" "$examples/standard.cpp" \
  -DLIBRARY=doall::compat && step "building with doall::compat" cmake --build "$work/compat"; then
  prints 1.644933067 "$work/compat/standard"
  libraries=$(ldd "$work/compat/standard")
  [[ $libraries == *"$prefix"*libdoall.so* && $libraries != *libtbb* ]] ||
    fail "the program does not use the installed library alone: $libraries"
fi
if step "doall::static" configure static "C;CXX" "$version" "$examples/first.cpp;$examples/sum.c" \
  -DLIBRARY=doall::static && step "building with doall::static" cmake --build "$work/static"; then
  prints $sum "$work/static/first"
  prints $sum "$work/static/sum"
  libraries=$(ldd "$work/static/first")
  [[ $libraries != *libdoall* ]] || fail "the program needs the shared library: $libraries"
fi
# As Debian's packages have it, without libdoall.a.
for component in runtime dev; do
  step "installing the component $component" \
    cmake --install "$build" --prefix "$work/packaged" --component $component
done
from=$work/packaged
if step "find_package(doall) without libdoall.a" configure packaged-built "C;CXX" "$version" \
  "$examples/first.cpp;$examples/sum.c" &&
  step "building without libdoall.a" cmake --build "$work/packaged-built"; then
  prints $sum "$work/packaged-built/first"
fi
from=$prefix
# Inside another project, without what tests, benchmarks and the command need: the library alone, of
# which this builds nothing, for that takes minutes.
if step "add_subdirectory(doall)" configure within CXX "" "$examples/first.cpp" -DWITHIN="$source" \
  -DCMAKE_DISABLE_FIND_PACKAGE_GTest=ON -DCMAKE_DISABLE_FIND_PACKAGE_fmt=ON \
  -DCMAKE_DISABLE_FIND_PACKAGE_nlohmann_json=ON -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON; then
  built=$(cmake --build "$work/within" --target help)
  for target in doall_gomp doall_cli native_tests; do
    [[ $built != *"$target"* ]] || fail "a project with doall inside has its target $target"
  done
  [[ $built == *doall_static* ]] || fail "a project with doall inside has no doall::static"
fi
configure newer C 999.0 "$examples/sum.c" >"$log" 2>&1 && fail "find_package(doall 999.0) found $version"

# --- pkg-config
export PKG_CONFIG_PATH
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name doall.pc)")
prints "$version" pkg-config --modversion doall
read -ra flags <<<"$(pkg-config --cflags --libs doall)"
libdir=$(pkg-config --variable=libdir doall)
step "pkg-config for C++" "$CXX" -std=c++20 "$examples/first.cpp" -o "$work/first" "${flags[@]}" &&
  prints $sum env LD_LIBRARY_PATH="$libdir" "$work/first"
step "pkg-config for C" "$CC" -std=c11 "$examples/sum.c" -o "$work/sum" "${flags[@]}" &&
  prints $sum env LD_LIBRARY_PATH="$libdir" "$work/sum"

# --- the command, if it is a part of this build
if [[ -x $prefix/bin/doall ]]; then
  printed=$("$prefix/bin/doall" --version)
  [[ $printed == "doall $version, "?* ]] || fail "doall --version: printed \"$printed\""
  for file in bash-completion/completions/doall zsh/site-functions/_doall \
    fish/vendor_completions.d/doall.fish; do
    [[ -n $(find "$prefix" -path "*/$file") ]] || fail "$file was not installed"
  done
  if command -v gcc >/dev/null &&
    step "gcc -fopenmp" gcc -O1 -fopenmp "$source/tests/cli/probe.c" -o "$work/probe"; then
    prints "sum: 499500" "$prefix/bin/doall" run --schedule=guided --threads=2 "$work/probe" loop
    preloaded=$("$prefix/bin/doall" run "$work/probe" variable=LD_PRELOAD)
    [[ $preloaded == *"$prefix"*libgomp.so.1* ]] || fail "doall run preloads \"$preloaded\""
  fi
fi

echo "$failures failures"
((failures == 0))
