#!/bin/bash
# Runs the blocks of docs/start.md one after the other, as a reader types them: those marked `sh` in
# one shell in a folder of their own, with the build's doall; `python` where doall and numba are
# installed.
#   start.sh PAGE DOALL_FOLDER LIBRARY_FOLDER INCLUDE_FOLDER
set -euo pipefail
page=$(readlink -f "$1")
commands=$(readlink -f "$2")
libraries=$(readlink -f "$3")
includes=$(readlink -f "$4")

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
blocks() { awk -v mark="^\`\`\`$1\$" '/^```/ { inside = $0 ~ mark; next } inside' "$page"; }

# What an installation has: the command in the path, and pkg-config that knows doall.
export PATH=$commands:$PATH LD_LIBRARY_PATH=$libraries PKG_CONFIG_PATH=$folder/pkgconfig
mkdir pkgconfig
cat >pkgconfig/doall.pc <<END
Name: doall
Description: parallel loops
Version: 0
Cflags: -I$includes
Libs: -L$libraries -ldoall
END

blocks sh >all.sh
[[ $(grep -c . all.sh) -gt 20 ]] || { echo "wrong: too few lines are marked sh in $page"; exit 1; }
bash -eu all.sh >out 2>err || { cat out err; exit 1; }
first=$(sed -n 1p out)
[[ $first =~ ^[0-9]+\.[0-9]{6}$ ]] || { echo "wrong: the first line is $first"; exit 1; }
[[ $(grep -cxF "$first" out) -eq 5 ]] || { echo "wrong: not five equal outputs"; cat out; exit 1; }
grep -qE '^1\.64493306684[0-9]* on [0-9]+ workers$' out ||
  { echo "wrong: the sum"; cat out; exit 1; }
[[ -s report.html ]] || { echo "wrong: no report.html"; exit 1; }

python3 -c 'import doall, numba' 2>/dev/null || { echo "no numba: no Python"; exit 0; }
blocks python >all.py
python3 all.py >out
grep -qE '^[0-9]+\.[0-9]+$' out || { echo "wrong: Python printed"; cat out; exit 1; }
