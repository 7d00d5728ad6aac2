#!/bin/sh
# A plugin that includes the headers, doall's own or oneTBB's, can be unloaded: it has no symbol that is unique in the process
# (GCC's STB_GNU_UNIQUE), and no variable of doall::detail is visible.
#   plugin.sh CXX CC SOURCES INCLUDES FOLDER-OF-LIBDOALL
set -eu
cc=$2
sources=$3
includes=$4
library=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$cc" "$sources/plugin_host.c" -o "$folder/host" -ldl
for cxx in "$1" clang++-19; do
  command -v "$cxx" >/dev/null || continue
  for form in 'plugin -O0' 'plugin -O2' 'plugin_compat -O0' 'plugin_compat -O2'; do
    level=${form#* }
    "$cxx" -std=c++20 "$level" -fPIC -shared -I"$includes" -I"$includes/doall/compat" \
      "$sources/${form% *}.cpp" -L"$library" -ldoall -pthread -Wl,-rpath,"$library" \
      -o "$folder/plugin.so"
    # What libstdc++'s own headers leave without optimisation is not ours to change.
    unique=$(LC_ALL=C nm -C "$folder/plugin.so" | grep ' u ' || true)
    [ "$level" = -O2 ] || unique=$(echo "$unique" | grep -E 'doall::|tbb::' || true)
    if [ -n "$unique" ]; then
      echo "wrong: by $cxx $form these keep the plugin from being unloaded:"
      echo "$unique"
      exit 1
    fi
    [ "$level" = -O2 ] || continue
    "$folder/host" "$folder/plugin.so" || { echo "(by $cxx $form)"; exit 1; }
  done
done
echo "plugins are unloaded"
