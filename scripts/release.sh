#!/bin/bash
# A release, made and tried: `make release`. Says at the end what it made, and what it would tag; it
# tags and uploads nothing.
#   scripts/release.sh                all steps, in this order
#   scripts/release.sh STEP...        those alone, for a trial
#   scripts/release.sh --list         the steps
# Output goes to build/release/STEP.log; of a step that fails the last lines are shown, and the steps
# behind it are not run. Needs root for packages and bare systems.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 2
readonly to=build/release
readonly logs=$to/logs

# name, what it does; its function is step_NAME.
readonly steps="\
tree      everything is committed, and CMakeLists.txt, CHANGELOG.md and Debian's changelog name one version
test      make test-all: the gate in its long form, soak, includes, mutants, benchmarks, bars
programs  make programs: real programs give the same output on doall
packages  Debian packages and the wheel, with Debian's hardening
hardening each program and library in them has it
cross     the libraries for arm64, in a tarball, where Debian's cross compiler is
bare-12   the packages in a bare Debian 12
bare-13   the packages in a bare Debian 13"

list() { sed 's/^/  /' <<<"$steps"; }
names() { awk '{ print $1 }' <<<"$steps"; }

version=$(sed -n 's/^project(doall VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
commit=$(git rev-parse HEAD 2>/dev/null || echo "")

step_tree() {
  local debian failures=0
  wrong() {
    echo "tree: $*"
    failures=$((failures + 1))
  }
  [[ -n $commit ]] || wrong "this is no clone of git, expected one: a release has a commit"
  if [[ -n $commit ]] && [[ -n $(git status --porcelain) ]]; then
    wrong "files are not committed, expected none: $(git status --porcelain | head -5)"
  fi
  grep -q "^## $version\b" CHANGELOG.md || wrong "CHANGELOG.md has no section $version"
  ! grep -q "^## $version, not yet released" CHANGELOG.md ||
    wrong "CHANGELOG.md says \"not yet released\" of $version, expected the day"
  debian=$(sed -n '1s/.*(\([0-9.]*\)-.*/\1/p' packaging/debian/changelog)
  [[ $debian == "$version" ]] ||
    wrong "packaging/debian/changelog has the version \"$debian\", expected $version"
  if git rev-parse -q --verify "refs/tags/v$version" >/dev/null; then
    wrong "the tag v$version is there already, expected a new version in CMakeLists.txt"
  fi
  ((failures == 0))
}

step_test() { make --no-print-directory test-all; }

step_programs() { make --no-print-directory programs; }

step_packages() {
  make --no-print-directory package || return
  rm -f $to/*.deb $to/*.whl
  cp build/package/*.deb build/package/*.whl $to/
}

step_hardening() { python3 -B scripts/hardening.py $to/*.deb; }

# The command and the tests of packages need another machine's Debian; what is cross-compiled are
# the libraries and headers.
step_cross() {
  local arch=aarch64 tree
  tree=build/$arch
  if ! command -v $arch-linux-gnu-g++ >/dev/null; then
    echo "skipped: no $arch-linux-gnu-g++ here (scripts/setup.sh build cross)"
    return 77
  fi
  make --no-print-directory CROSS=$arch build || return
  rm -rf "${to:?}/$arch"
  DESTDIR=$PWD/$to/$arch cmake --install $tree --prefix /usr || return
  tar -C $to/$arch -czf "$to/doall-$version-$arch.tar.gz" . && rm -rf "${to:?}/$arch"
}

bare() { tests/e2e/package/run.sh "$PWD/$to" "build/package/bare-$1" "$1"; }
step_bare-12() { bare bookworm; }
step_bare-13() { bare trixie; }

case ${1:-} in
  -h | --help | --list)
    list
    exit
    ;;
esac
mapfile -t all < <(names)
(($# > 0)) || set -- "${all[@]}"
for step in "$@"; do
  [[ " ${all[*]} " == *" $step "* ]] || {
    echo "release: unknown step \"$step\", expected one of ${all[*]}; nothing was run" >&2
    exit 2
  }
done

mkdir -p $logs
failed=""
skipped=()
left=("$@")
for step in "$@"; do
  left=("${left[@]:1}")
  echo "release: $step ($(date +%T)) ..."
  status=0
  "step_$step" >"$logs/$step.log" 2>&1 || status=$?
  case $status in
    0) echo "release: $step: ok" ;;
    77)
      skipped+=("$step")
      echo "release: $step: $(tail -n 1 "$logs/$step.log")"
      ;;
    *)
      failed=$step
      echo "release: $step FAILED with status $status; the end of $logs/$step.log:" >&2
      tail -n 15 "$logs/$step.log" | sed 's/^/  /' >&2
      break
      ;;
  esac
done

echo
if compgen -G "$to/*.deb" >/dev/null || compgen -G "$to/*.whl" >/dev/null; then
  echo "made, in $to/:"
  (cd $to && for file in *.deb *.whl *.tar.gz; do [[ -e $file ]] && sha256sum "$file"; done) | sed 's/^/  /'
fi
if [[ -n $failed ]]; then
  echo "not to be tagged: $failed failed${left[*]:+; not run: ${left[*]}}" >&2
  exit 1
fi
not_run=()
for step in "${all[@]}"; do [[ " $* " == *" $step "* ]] || not_run+=("$step"); done
if ((${#not_run[@]} + ${#skipped[@]})); then
  echo "not to be tagged: a trial; not run: ${not_run[*]:-none}; skipped: ${skipped[*]:-none}"
else
  echo "would tag v$version at $commit:"
  echo "  git tag -a v$version -m 'doall $version' $commit"
fi
