#!/bin/bash
# The completions: bash's on some lines; fish's on a few and zsh's syntax, where the
# shell is there.
#   completions.sh DOALL COMPLETIONS
set -u
doall=$1
completions=$2
PATH=$(dirname "$doall"):$PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
touch program "two words.json"
chmod +x program

failures=0
fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

source "$completions/doall.bash"

# completes LINE: into COMPREPLY, with the cursor at the line's end. Words as bash
# makes them: "=" is one.
completes() {
  line=$1
  local spaced=${1//=/ = }
  read -ra COMP_WORDS <<<"$spaced"
  [[ $spaced == *" " && $spaced != *"= " ]] && COMP_WORDS+=("")
  COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
  COMP_LINE=$line COMP_POINT=${#line}
  COMPREPLY=()
  "$(complete -p doall | sed 's/.*-F \([^ ]*\).*/\1/')" doall "${COMP_WORDS[COMP_CWORD]}" ""
}

has() {
  local wanted
  for wanted in "$@"; do
    printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$wanted" ||
      fail "\"$line\": offered \"${COMPREPLY[*]:0:20}\", without \"$wanted\""
  done
}
lacks() {
  printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$1" && fail "\"$line\": offered \"$1\""
}
nothing() { ((${#COMPREPLY[@]} == 0)) || fail "\"$line\": offered \"${COMPREPLY[*]:0:20}\""; }

# Every command of the help and every schedule, by whatever way a name is asked for.
mapfile -t commands < <("$doall" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z+]*\) .*/\1/p')
mapfile -t schedules < <("$doall" schedules | sed -n '2,/^$/s/ .*//p')
((${#commands[@]} > 3 && ${#schedules[@]} > 3)) || fail "the command lists too little"

completes "doall ";                                has "${commands[@]}" --help --version
completes "doall c";                               has c++ cc compare; lacks run
completes "doall comp";                            has compare; lacks run
completes "doall run --";                          has --schedule --threads --report; lacks --runs
completes "doall run --schedule=";                 has "${schedules[@]}"
completes "doall run --schedule ";                 has "${schedules[@]}"
completes "doall run --schedule=gui";              has guided; lacks static
completes "doall compare --schedules=static;gui";  has "static;guided"
completes "doall compare --runs ";                 nothing
completes "doall compare --json=two";              has "two words.json"
completes "doall compare --json=x --ru";           has --runs
completes "doall compare --ht";                    has --html
completes "doall run ./pro";                       has ./program
completes "doall run -- ./pro";                    has ./program
completes "doall run --threads 4 ./pro";           has ./program
completes "doall run --report ./pro";              has ./program
completes "doall run --schedule=static ./program --sche"; lacks --schedule
completes "doall run ./program two";               has "two words.json"
completes "doall chunks affinity --costs=two";     has "two words.json"
completes "doall chunks affinity --ru";            has --runs
completes "doall chunks affinity ";                nothing
completes "doall doctor --j";                      has --json
completes "doall nonsense --";                     nothing
if [[ " ${commands[*]} " == *" chunks "* ]]; then
  completes "doall chunks ";                       has "${schedules[@]}"
  completes "doall chunks guided -n 10 --wo";      has --workers
  completes "doall chunks guided -n ";             nothing
fi

bash -n "$completions/doall.bash" || fail "doall.bash"
if command -v zsh >/dev/null; then zsh -n "$completions/_doall" || fail "_doall"; fi
if command -v fish >/dev/null; then
  # fish_completes LINE WANTED
  fish_completes() {
    HOME=$work fish --no-config -c "source '$completions/doall.fish'; complete -C '$1'" |
      cut -f 1 | grep -qxF -- "$2" || fail "fish: \"$1\" without \"$2\""
  }
  for command in "${commands[@]}"; do fish_completes "doall " "$command"; done
  for schedule in "${schedules[@]}"; do
    fish_completes "doall run --schedule=" "--schedule=$schedule"
    fish_completes "doall run --schedule " "$schedule"
  done
  fish_completes "doall compare --ru" --runs
fi

echo "$failures failures"
((failures == 0))
