#!/bin/bash
# The packages in a bare Debian: installed, used as README's first lines say, removed.
#   run.sh PACKAGES CACHE [bookworm|trixie] [deb] [wheel]     default: bookworm, both
# PACKAGES: the folder that `make package` leaves; CACHE: where the bare system is kept, which
# debootstrap makes the first time. Needs root. Ends with 77, and says why, where that or the
# network is missing.
set -euo pipefail
packages=$(realpath "$1")
cache=$(realpath -m "$2")
shift 2
suite=bookworm
case ${1:-} in
  bookworm | trixie)
    suite=$1
    shift
    ;;
esac
(($# > 0)) || set -- deb wheel
here=$(dirname "$(realpath "$0")")

skip() {
  echo "skipped: $*"
  exit 77
}
((EUID == 0)) || skip "only root can install packages into a system"
command -v debootstrap >/dev/null || skip "no debootstrap; scripts/setup.sh package installs it"

if [[ ! -e $cache/complete ]]; then
  rm -rf "$cache"
  mkdir -p "$cache"
  debootstrap --variant=minbase "$suite" "$cache/root" >"$cache/log" 2>&1 ||
    skip "debootstrap cannot make a bare system: $(tail -n 1 "$cache/log")"
  touch "$cache/complete"
fi

# A copy, so that each run begins with a bare one.
bare=$(mktemp -d)
trap 'umount "$bare/proc" 2>/dev/null || true; rm -rf "$bare"' EXIT
cp -a "$cache/root/." "$bare/"
cp /etc/resolv.conf "$bare/etc/resolv.conf"
mount -t proc proc "$bare/proc" || skip "a file system for /proc cannot be mounted here"

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}
inside() {
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    chroot "$bare" "$@"
}
# says TEXT COMMAND...: which must succeed, and say that.
says() {
  local expected=$1 got
  shift
  if ! got=$("$@" 2>&1); then
    fail "$*: $got"
  elif [[ $got != *"$expected"* ]]; then
    fail "$*: printed \"$got\", expected \"$expected\""
  fi
}
apt() {
  inside apt-get -qq -o Dpkg::Use-Pty=0 --no-install-recommends -y "$@" >"$bare/log" 2>&1 ||
    fail "apt-get $*: $(tail -n 5 "$bare/log")"
}
files() { (cd "$bare" && find usr bin lib etc var/lib/dpkg/info -name "*doall*" | sort); }

# The bare system has no libgomp, so only doall can run the program.
gcc -O1 -fopenmp "$here/app.c" -o "$bare/root/app"
sum=$(OMP_SCHEDULE=static "$bare/root/app")
# And one, with an extension of Python's, that brings a newer libstdc++.
sh "$here/../abi/newer_runtime.sh" gcc "$bare/root/newer"

test_deb() {
  cp "$packages"/*.deb "$bare/root/"
  apt update
  apt install "$(cd "$bare" && echo ./root/libdoall0_*.deb)" "$(cd "$bare" && echo ./root/doall_*.deb)"
  says "doall " inside doall --version
  says "$sum" inside doall run --schedule=affinity /root/app
  says "99 4950" inside doall run /root/newer/app
  apt install libgomp1 # to compare with
  says "affinity" inside doall compare --runs 1 -- /root/app
  says "main._omp_fn.0" inside doall run --report /root/app
  apt install "$(cd "$bare" && echo ./root/libdoall-dev_*.deb)" g++ pkg-config
  cp "$here/../../../examples/first.cpp" "$bare/root/"
  says "" inside sh -c 'g++ -std=c++20 /root/first.cpp -o /root/first $(pkg-config --cflags --libs doall)'
  says 1.6449330668487356 inside /root/first
  local plugin
  plugin=$(cd "$bare" && ls root/gcc-12-plugin-doall_*.deb 2>/dev/null || true)
  if [[ -n $plugin ]] && ! inside apt-get -s install "./$plugin" >/dev/null 2>&1; then
    [[ $suite != bookworm ]] || fail "apt-get does not install $plugin"
    echo "$suite: the plugin is for another minor version of GCC, and apt-get refuses it: not tried"
  elif [[ -n $plugin ]]; then
    apt install "./$plugin"
    cp "$here/app.c" "$bare/root/"
    says "" inside env DOALL_CC=gcc-12 doall cc -O1 -fopenmp /root/app.c -o /root/steerable
    says "$sum" inside doall run --schedule=guided /root/steerable
  fi
  apt purge "libdoall0" "doall"
  [[ -z $(files) ]] || fail "these stayed after the packages were removed: $(files)"
}

test_wheel() {
  cp "$packages"/*.whl "$bare/root/"
  apt update
  apt install python3-venv
  inside python3 -m venv /root/venv
  says "" inside sh -c '/root/venv/bin/pip install --quiet --no-index /root/doall-*.whl'
  says "$sum" inside /root/venv/bin/doall run --schedule=affinity /root/app
  says "main._omp_fn.0" inside /root/venv/bin/doall run --report /root/app
  says "99 4950" inside /root/venv/bin/doall run /root/newer/app
  says 5049 inside /root/venv/bin/python -c \
    'import doall.openmp, ctypes; print(ctypes.CDLL("/root/newer/plug.so").plug())'
  gcc -shared -fPIC -O1 "$here/../python/bodies.c" -o "$bare/root/bodies.so"
  cp "$here/bare.py" "$bare/root/"
  says "served and summed" inside /root/venv/bin/python /root/bare.py
  inside /root/venv/bin/pip uninstall --quiet --yes doall
  local left
  left=$(find "$bare/root/venv" -name "*doall*")
  [[ -z $left ]] || fail "these stayed after the wheel was removed: $left"
}

for what in "$@"; do
  "test_$what"
  echo "$suite, $what: $failures failures"
done
((failures == 0))
