#!/bin/sh
# Compiles mixed.cpp as two units, by libc++ with and without std::stop_token, links them in both
# orders and runs them. At -O0, where each inline function is one of the linker's choice.
#   mixed.sh SOURCES INCLUDES FOLDER-OF-LIBDOALL COMPILER
# Skipped (77) where the compiler has no libc++, or one that always has std::stop_token.
set -eu
sources=$1 includes=$2 library=$3 compiler=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

printf '#include <version>\n#if defined(__cpp_lib_jthread)\n#error\n#endif\nint main() {}\n' \
  >"$folder/without.cpp"
if ! "$compiler" -std=c++20 -stdlib=libc++ "$folder/without.cpp" -o "$folder/without" 2>"$folder/errors"; then
  echo "skipped: $compiler has no libc++ without std::stop_token: $(head -1 "$folder/errors")"
  exit 77
fi
compile() { # UNIT OPTION...
  unit=$1
  shift
  "$compiler" -std=c++20 -stdlib=libc++ -O0 "$@" -I"$includes" -c "$sources/mixed.cpp" -o "$folder/$unit.o"
}
compile without
compile with -fexperimental-library
for units in "with.o without.o" "without.o with.o"; do
  # shellcheck disable=SC2086
  (cd "$folder" && "$compiler" -stdlib=libc++ -fexperimental-library $units -o mixed -L"$library" -ldoall)
  LD_LIBRARY_PATH=$library DOALL_NUM_THREADS=4 DOALL_OVERSUBSCRIBE=true timeout 100 "$folder/mixed" ||
    { echo "FAILED: $units" && exit 1; }
done
