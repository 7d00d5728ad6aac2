#!/bin/sh
# Each header of doall::compat compiles alone, by both of its names, or says in one sentence that it
# is not there.
#   headers.sh INCLUDES COMPILER
set -eu
includes=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=0
wrong() {
  echo "$1"
  failed=1
}

left_out='blocked_nd_range.h blocked_rangeNd.h collaborative_call_once.h concurrent_hash_map.h
  concurrent_lru_cache.h concurrent_map.h concurrent_priority_queue.h concurrent_queue.h
  concurrent_set.h concurrent_unordered_map.h concurrent_unordered_set.h concurrent_vector.h
  flow_graph.h flow_graph_abstractions.h memory_pool.h parallel_pipeline.h scalable_allocator.h
  task_scheduler_observer.h tbbmalloc_proxy.h'
for name in $left_out; do
  for place in tbb oneapi/tbb; do
    printf '#include <%s/%s>\n' "$place" "$name" >"$folder/one.cpp"
    if "$@" -std=c++17 -fsyntax-only -I"$includes" "$folder/one.cpp" 2>"$folder/errors"; then
      wrong "$place/$name: expected an error, it compiles"
    elif ! grep -q "error: #error \"doall/compat has no <tbb/$name>" "$folder/errors"; then
      wrong "$place/$name: expected its own message first, got $(head -3 "$folder/errors")"
    elif [ "$(grep -c 'error:' "$folder/errors")" != 2 ]; then
      wrong "$place/$name: expected one sentence, got $(cat "$folder/errors")"
    fi
  done
done

# All that are there, in one program, each twice, and the first by itself.
for place in tbb oneapi/tbb; do
  for header in "$includes"/oneapi/tbb/*.h; do
    grep -q '^#error' "$header" || printf '#include <%s/%s>\n' "$place" "$(basename "$header")"
  done
done >"$folder/all.cpp"
printf '#include <tbb/tbb.h>\n#include <oneapi/tbb.h>\nint main() {}\n' >>"$folder/all.cpp"
"$@" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$includes" "$folder/all.cpp" ||
  wrong 'expected all headers in one program to compile'
# Among the macros of C's complex numbers (I, in GNU mode) and of Qt; oneTBB has a member `emit`, too.
"$@" -std=gnu++17 -w -include complex.h -Dslots= -Dsignals=public -Dforeach=for -fsyntax-only \
  -I"$includes" "$folder/all.cpp" || wrong 'expected all headers to compile among macros'
for name in parallel_scan parallel_sort task_group combinable global_control; do
  printf '#include <tbb/%s.h>\nint main() {}\n' "$name" >"$folder/one.cpp"
  "$@" -std=c++17 -Wall -Wextra -Werror -fsyntax-only -I"$includes" "$folder/one.cpp" ||
    wrong "tbb/$name.h: not alone"
done

# A language that is too old, and what is left out of a class.
"$@" -std=c++14 -fsyntax-only -I"$includes" "$folder/one.cpp" 2>&1 |
  grep -q '#error "doall/compat needs C++17' || wrong 'expected C++14 to be refused by name'
printf '#include <tbb/task_arena.h>\nint main() { tbb::task_arena().enqueue([] {}); }\n' \
  >"$folder/one.cpp"
"$@" -std=c++17 -fsyntax-only -I"$includes" "$folder/one.cpp" 2>&1 |
  grep -q 'task_arena::enqueue is not in doall/compat' || wrong 'expected enqueue to be named'
exit $failed
