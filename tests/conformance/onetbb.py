#!/usr/bin/env python3
"""Runs oneTBB's own tests of its loops on doall's headers (doall::compat).

    onetbb.py --library FOLDER [-j N] [--only PATTERN]... [--compiler COMPILER]

The tests are of Debian's source package onetbb, which apt fetches into the cache folder; nothing of
it is part of this project. They are compiled unchanged but for passages of what doall::compat has
not (CUTS). What they include of oneTBB's internals is answered by a few lines of our own (SHIMS).
EXCEPTIONS lists what is not expected to pass, and why.

Exits 0 when all others pass, 1 when one failed, 77 when the sources cannot be had.
"""

import argparse
import fnmatch
import glob
import os
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TIMEOUT_S = 900

# By header: those of the specification, and those of its implementation.
CONFORMANCE = ["blocked_range", "blocked_range2d", "blocked_range3d", "parallel_for", "parallel_for_each",
         "parallel_invoke", "parallel_reduce", "parallel_scan", "parallel_sort", "task_group",
         "task_group_context", "combinable", "enumerable_thread_specific", "tick_count", "mutex"]

UNIT = ["blocked_range", "eh_algorithms", "parallel_for", "parallel_for_each", "parallel_invoke",
        "parallel_reduce", "parallel_scan", "parallel_sort", "partitioner", "task_group",
        "enumerable_thread_specific", "global_control", "mutex", "tick_count",
        "allocators", "openmp"]
TESTS = ["conformance_" + t for t in CONFORMANCE] + ["test_" + t for t in UNIT]

# Cases of a test that are left out, by doctest's patterns, and why.
ENDLESS = "libdoall's threads end with the process, whoever holds a handle"
DESCENDS = "a waiting thread runs only what descends from its group: it never steals that deep"
HALVES = "counts the pieces that halving makes; here each has a grain size if that divides it"
WAITS = ("iterations of a nested loop wait for other threads to come: a thread offers the rest of "
         "one between two of them")
EXCEPTIONS = {
    "test_eh_algorithms": {
        "parallel_for and parallel_reduce exception handling test #3": HALVES,
        "parallel_for and parallel_reduce exception handling test #4": HALVES,
        "parallel_for and parallel_reduce cancellation test #2": WAITS,
        "parallel_for_each cancellation test #2": WAITS},
    "test_partitioner": {"Threads respect task affinity":
                         "wants twice as many threads as CPUs, and the same ones for the same parts"},
    "test_task_group": {"Test for stack overflow avoidance mechanism*": DESCENDS},
    "test_global_control": {"prolong lifetime auto init": ENDLESS,
                            "prolong lifetime advanced": ENDLESS},
}

# What a test needs in the environment: one expects as many threads as CPUs.
ENVIRONMENT = {
    "test_partitioner": {"DOALL_NUM_THREADS": str(os.cpu_count())},
    # Iterations wait for one another, which a loop must be shared for.
    "test_eh_algorithms": {"DOALL_SMALL_LOOPS": "shared"},
}

# Passages of a test that are not compiled: from the line that has the first words to the one that
# has the second ones, which stays.
CUTS = {
    "test_eh_algorithms": [("// Tests for tbb::parallel_pipeline", None)],
    "test_enumerable_thread_specific": [("void flog_segmented_interator", "int align_val"),
                                        ("using tbb::detail::d1::ets_element", "class BigType"),
                                        ("Test for internal segmented_iterator",
                                         "Test ETS keys creation"),
                                        ("Test allocation of ETS elements on the stack", None)],
    "test_global_control": [("a.enqueue(utils::DummyBody", "break;")],
    "test_task_group": [("Async task group", "struct SelfRunner")],
}

# What the tests include of oneTBB's own insides.
SHIMS = {
    "oneapi/tbb/detail/_config.h": """
#pragma once
#include <tbb/version.h>
#include <cstddef>
#include <new>
#include <thread>
#define __TBB_CPP14_GENERIC_LAMBDAS_PRESENT 1
#define __TBB_CPP17_PRESENT 1
#define __TBB_CPP20_CONCEPTS_PRESENT 0
#define __TBB_fallthrough [[fallthrough]]
#define __TBB_EXPORTED_FUNC
#define __TBB_EXPORTED_METHOD
#define TBB_USE_EXCEPTIONS 1
#define __TBB_VARIADIC_MAX 15
namespace tbb { inline namespace doall_v0 { namespace detail {
inline constexpr std::size_t max_nfs_size = 128;
template <class... T>
void suppress_unused_warning(const T&...) {}
namespace d0 {}
namespace r1 {
inline std::size_t cache_line_size() { return 128; }
inline void* cache_aligned_allocate(std::size_t bytes) {
  return operator new(bytes, std::align_val_t{128});
}
inline void cache_aligned_deallocate(void* p) { operator delete(p, std::align_val_t{128}); }
}
} } }
""",
    "oneapi/tbb/detail/_template_helpers.h": """
#pragma once
#include <oneapi/tbb/detail/_config.h>
#include <tuple>
#include <type_traits>
#include <utility>
namespace tbb { inline namespace doall_v0 { namespace detail {
template <class, class T, template <class> class... Checks>
struct supports_all : std::false_type {};
template <class T, template <class> class... Checks>
struct supports_all<std::void_t<Checks<T>...>, T, Checks...> : std::true_type {};
template <class T, template <class> class... Checks>
using supports = supports_all<void, T, Checks...>;
template <class... P>
struct stored_pack {
  std::tuple<std::decay_t<P>...> all;
};
template <class... P>
stored_pack<P...> save_pack(P&&... p) { return {{std::forward<P>(p)...}}; }
template <class R, class F, class... P>
R call_and_return(F f, stored_pack<P...>&& pack) {
  return std::apply([&](auto&... p) { return f(std::move(p)...); }, pack.all);
}
template <class F>
struct called {
  F f;
  template <class G>
  void on_completion(G g) {
    struct last { G& g; ~last() noexcept(false) { g(); } } then{g};
    f();
  }
};
template <class F>
called<F> try_call(F f) { return {f}; }
} } }
""",
    # Threads are watched to pin them, and to count those that come.
    "oneapi/tbb/task_scheduler_observer.h": """
#pragma once
#include <oneapi/tbb/task_arena.h>
namespace tbb { inline namespace doall_v0 {
class task_scheduler_observer {
 public:
  task_scheduler_observer() = default;
  explicit task_scheduler_observer(task_arena&) {}
  virtual ~task_scheduler_observer() = default;
  void observe(bool = true) {}
  virtual void on_scheduler_entry(bool) {}
  virtual void on_scheduler_exit(bool) {}
};
} }
""",
    "tbb/task_scheduler_observer.h": "#include <oneapi/tbb/task_scheduler_observer.h>\n",
    "oneapi/tbb/detail/_utils.h": """
#pragma once
#include <oneapi/tbb/detail/_template_helpers.h>
#include <cstdint>
namespace tbb { inline namespace doall_v0 { namespace detail {
template <class T>
bool is_aligned(T* p, std::uintptr_t alignment) {
  return reinterpret_cast<std::uintptr_t>(p) % alignment == 0;
}
} } }
""",
    "oneapi/tbb/detail/_machine.h": """
#pragma once
#include <oneapi/tbb/detail/_config.h>
namespace tbb { inline namespace doall_v0 { namespace detail {
inline void machine_pause(int) { __builtin_ia32_pause(); }
} } }
""",
    # By which threads a count is kept; that it is one map is all that the test needs.
    "tbb/concurrent_unordered_map.h": """
#pragma once
#include <tbb/version.h>
#include <map>
#include <mutex>
namespace tbb { inline namespace doall_v0 {
template <class Key, class Value>
class concurrent_unordered_map {
 public:
  Value& operator[](const Key& key) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return all_[key];
  }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }
  void clear() { all_.clear(); }
 private:
  std::mutex mutex_;
  std::map<Key, Value> all_;
};
} }
""",
    # The common headers include them; no test of a loop uses them.
    "tbb/parallel_pipeline.h": "",
    "tbb/flow_graph.h": "",
    "tbb/blocked_rangeNd.h": "",
    "tbb/concurrent_vector.h": """
#pragma once
#include <tbb/version.h>
#include <deque>
namespace tbb { inline namespace doall_v0 {
template <class T>
using concurrent_vector = std::deque<T>;
} }
""",
    "oneapi/tbb/detail/_allocator_traits.h": """
#pragma once
#include <oneapi/tbb/detail/_config.h>
#include <memory>
namespace tbb { inline namespace doall_v0 { namespace detail {
template <class Allocator>
using allocator_traits = std::allocator_traits<Allocator>;
} } }
""",
}


def fetch(cache):
    """The unpacked sources, or None. apt's lists and settings of the machine are left alone."""
    found = glob.glob(os.path.join(cache, "oneTBB-*", "test", "conformance"))
    if found:
        return os.path.dirname(os.path.dirname(found[0]))
    for folder in ("lists/partial", "archives/partial"):
        os.makedirs(os.path.join(cache, folder), exist_ok=True)
    release = "bookworm"
    with open("/etc/os-release") as file:
        for line in file:
            if line.startswith("VERSION_CODENAME="):
                release = line.strip().split("=")[1]
    with open(os.path.join(cache, "sources.list"), "w") as file:
        file.write(f"deb-src http://deb.debian.org/debian {release} main\n")
    options = [f"Dir::Etc::sourcelist={cache}/sources.list", "Dir::Etc::sourceparts=-",
               f"Dir::State::lists={cache}/lists", f"Dir::Cache={cache}"]
    apt = ["apt-get"] + [word for o in options for word in ("-o", o)]
    for command in (apt + ["update"], apt + ["source", "--download-only", "onetbb"]):
        if subprocess.run(command, cwd=cache, stdout=subprocess.DEVNULL).returncode != 0:
            return None
    archives = glob.glob(os.path.join(cache, "onetbb_*.orig.tar.*"))
    if not archives:
        return None
    with tarfile.open(archives[0]) as archive:
        for member in archive:
            # The tests include one header of the allocator's sources by its place.
            if member.isfile() and ("/test/" in member.name or "/src/tbbmalloc/" in member.name):
                archive.extract(member, cache, set_attrs=False)
    return fetch(cache) if glob.glob(os.path.join(cache, "oneTBB-*/test/conformance")) else None


def whole_or_cut(name, source, cache):
    """The file to compile: the test's own, or a copy without what CUTS says."""
    if name not in CUTS:
        return source
    with open(source) as file:
        lines = file.read().splitlines(keepends=True)
    for first, last in CUTS[name]:
        begin = next(i for i, line in enumerate(lines) if first in line)
        while lines[begin - 1].startswith(("//!", "template")):
            begin -= 1
        end = next((i for i, line in enumerate(lines) if last and i > begin and last in line),
                   len(lines))
        lines[begin:end] = ["\n"] * (end - begin)
    copy = os.path.join(cache, name + ".cpp")
    with open(copy, "w") as file:
        file.write("".join(lines))
    return copy


def run(name, sources, cache, asked):
    """Compiles and runs a test. Its outcome, and what it said."""
    program = os.path.join(cache, name)
    folder = "tbb" if name in ["test_" + t for t in UNIT] else "conformance"
    source = whole_or_cut(name, os.path.join(sources, "test", folder, name + ".cpp"), cache)
    include = os.path.join(ROOT, "include/doall/compat")
    compiled = subprocess.run(
        [asked.compiler, "-std=c++17", "-O1", "-w", "-DTBB_TEST_LOW_WORKLOAD=1",
         "-I" + os.path.join(cache, "shims"), "-I" + include,
         "-I" + os.path.join(sources, "test"),
         "-I" + sources,
         "-I" + os.path.join(sources, "test", folder), source, "-o", program,
         "-L" + asked.library, "-ldoall", "-ldl", "-pthread"],
        stderr=subprocess.PIPE, text=True)
    if compiled.returncode != 0:
        errors = [line for line in compiled.stderr.splitlines() if "error:" in line]
        return "not compiled", "\n".join(line[:300] for line in errors[:asked.lines])
    left_out = ",".join(EXCEPTIONS.get(name, {}))
    environment = dict(os.environ, LD_LIBRARY_PATH=asked.library, DOALL_NUM_THREADS="4",
                       DOALL_OVERSUBSCRIBE="true")
    environment.update(ENVIRONMENT.get(name, {}))
    try:
        ran = subprocess.run([program] + (["-tce=" + left_out] if left_out else []),
                             env=environment, timeout=TIMEOUT_S, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    except subprocess.TimeoutExpired:
        return "too long", f"ran for {TIMEOUT_S} s"
    return "passed" if ran.returncode == 0 else "failed", ran.stdout


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--library", required=True, help="the folder of libdoall.so")
    options.add_argument("--cache", default=os.path.join(ROOT, "build/onetbb"))
    options.add_argument("--compiler", default="g++")
    options.add_argument("--only", action="append", default=[])
    options.add_argument("--lines", type=int, default=20, help="of what a failed test said")
    options.add_argument("-j", type=int, default=os.cpu_count())
    asked = options.parse_args()
    asked.library = os.path.abspath(asked.library)
    cache = os.path.abspath(asked.cache)
    os.makedirs(cache, exist_ok=True)
    sources = fetch(cache)
    if sources is None:
        print("onetbb.py: skipped: apt-get has no source package onetbb", file=sys.stderr)
        return 77
    for name, text in SHIMS.items():
        path = os.path.join(cache, "shims", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
    names = [t for t in TESTS
             if not asked.only or any(fnmatch.fnmatchcase(t, p) for p in asked.only)]
    failed = 0
    with ThreadPoolExecutor(asked.j) as pool:
        for name, (outcome, said) in zip(
                names, pool.map(lambda n: run(n, sources, cache, asked), names)):
            cases = [line for line in said.splitlines() if "test cases:" in line]
            print(f"{name}: {outcome}  {cases[0] if cases else ''}", flush=True)
            for case, why in EXCEPTIONS.get(name, {}).items():
                print(f"  left out: {case}: {why}")
            if outcome != "passed":
                failed += 1
                print("\n".join("  " + line for line in said.splitlines()[:asked.lines]))
    print(f"{len(names) - failed} of {len(names)} tests pass")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
