#!/usr/bin/env python3
"""Runs LLVM's own tests of its OpenMP runtime on a compiler's runtime and on doall.

    llvm.py --library FOLDER [--release 19] [--compiler clang-19] [-j N] [--only PATTERN]...

Of openmp/runtime/test those are taken that only compile and run a program. A test that passes on
the reference, the compiler's own runtime, must pass on doall, or be listed in exceptions.txt with a
reason (its first word: llvm). A compiler named gcc has them run on libgomp. The tests come with the source of Debian's package
llvm-toolchain-RELEASE, which is downloaded into the cache folder when it is not there.

Exits 0 when that holds, 1 when a test failed, 77 when the compiler or the sources are not there.
"""

import argparse
import fnmatch
import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TIMEOUT_S = 120
IN_RUN_LINES = re.compile(r"%(libomp-(c99-|cxx20-|cxx-)?compile(-and-run)?|libomp-run|s|t|p)\b")


@dataclass
class Test:
    name: str
    source: str
    lines: list  # of RUN
    outcome: str = ""  # "no reference", "passed" or "failed"
    why: str = ""


def unpack(cache, release):
    """Returns the folder of the tests; None if the package's source cannot be had."""
    suite = os.path.join(cache, f"llvm-{release}")
    if os.path.exists(os.path.join(suite, "complete")):
        return os.path.join(suite, "test")

    def archives():
        return [os.path.join(cache, f) for f in sorted(os.listdir(cache))
                if re.fullmatch(rf"llvm-toolchain-{release}_.*\.orig\.tar\.xz", f)]

    if not archives():
        subprocess.run(["apt-get", "source", "-qq", "--download-only", "--only-source",
                        "--tar-only", f"llvm-toolchain-{release}"], cwd=cache, check=False)
    if not archives():
        return None
    with tarfile.open(archives()[-1]) as archive:
        for member in archive:
            path = member.name.split("/", 1)[-1]
            if member.isfile() and path.startswith("openmp/runtime/test/"):
                member.name = path[len("openmp/runtime/"):]
                archive.extract(member, suite, set_attrs=False)
    with open(os.path.join(suite, "complete"), "w", encoding="utf-8") as file:
        file.write(archives()[-1] + "\n")
    return os.path.join(suite, "test")


def run_lines(source):
    """The commands of its RUN lines; none if it needs more than a compiler and a shell, or if LLVM
    does not run it on Linux."""
    with open(source, encoding="latin-1") as file:
        text = file.read()
    if re.search(r"UNSUPPORTED:.*\blinux\b", text):
        return []
    joined = []
    for line in re.findall(r"^\s*(?://|/\*|\*)?\s*RUN:\s*(.*?)\s*(?:\*/)?$", text, re.MULTILINE):
        if joined and joined[-1].endswith("\\"):
            joined[-1] = joined[-1][:-1] + line
        else:
            joined.append(line)
    unknown = [re.sub(IN_RUN_LINES, "", line) for line in joined]
    if any(re.search(r"%[a-z]|FileCheck|\bnot\b", line) for line in unknown):
        return []
    return joined


def find_tests(folder):
    for here, _, files in sorted(os.walk(folder)):
        for file in sorted(files):
            if file.endswith((".c", ".cpp")):
                source = os.path.join(here, file)
                lines = run_lines(source)
                if lines:
                    yield Test(os.path.relpath(source, folder), source, lines)


def script_of(test, folder, compiler, program):
    plus = compiler.replace("clang", "clang++").replace("gcc", "g++")
    flags = f"-fopenmp -w -I {folder} -D_GNU_SOURCE"
    after = "-lm -latomic -lpthread"

    def expand(match):
        word = match[0]
        if word == "%libomp-run" or word == "%t":
            return program
        if word == "%s":
            return test.source
        if word == "%p":
            return os.path.dirname(test.source)
        kind = match[2] or ""
        command = plus if kind.startswith("cxx") else compiler
        standard = {"c99-": "-std=c99", "cxx20-": "-std=c++20"}.get(kind, "")
        compiled = f"{command} {flags} {standard} {test.source} -o {program} {after}"
        return f"{compiled} && {program}" if match[3] else compiled

    # Arguments behind the substitution belong to its compiler, before "&&".
    lines = []
    for line in test.lines:
        line = re.sub(r"(%libomp-(?:c99-|cxx20-|cxx-)?compile)-and-run\b(.*)",
                      r"\1\2 && %libomp-run", line)
        lines.append(re.sub(IN_RUN_LINES, expand, line))
    return "set -e\n" + "\n".join(lines) + "\n"


def run(script, folder, library, log):
    environment = {k: v for k, v in os.environ.items()
                   if not re.match(r"(OMP|GOMP|KMP|LIBOMP|DOALL)_|LD_(PRELOAD|LIBRARY_PATH)$", k)}
    environment["LC_ALL"] = "C"
    if library is not None:
        environment["LD_LIBRARY_PATH"] = library
    with open(log, "w", encoding="utf-8") as output:
        child = subprocess.Popen(["bash", "-c", script], cwd=folder, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                 env=environment)
        try:
            status = child.wait(TIMEOUT_S)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return f"did not end within {TIMEOUT_S} s"
    return f"ended with status {status}" if status != 0 else ""


def judge(test, suite, compiler, library, cache):
    here = os.path.join(cache, test.name.replace("/", ","))
    os.makedirs(here, exist_ok=True)
    script = script_of(test, suite, compiler, os.path.join(here, "program"))
    test.why = run(script, here, None, os.path.join(here, "reference"))
    if test.why:
        test.outcome = "no reference"
        return
    test.why = run(script, here, library, os.path.join(here, "doall"))
    test.outcome = "failed" if test.why else "passed"


def read_exceptions(tests):
    reasons = {}
    with open(os.path.join(HERE, "exceptions.txt"), encoding="utf-8") as file:
        for line in file:
            if line.startswith("llvm "):
                _, pattern, reason = line.strip().split(None, 2)
                reasons.update((t.name, reason) for t in tests
                               if fnmatch.fnmatchcase(t.name, pattern))
    return reasons


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--library", required=True, help="the folder of doall's OpenMP door")
    arguments.add_argument("--release", default="19", help="of LLVM, whose tests are run")
    arguments.add_argument("--compiler", help="by default clang-RELEASE")
    arguments.add_argument("--cache", default=os.path.join(ROOT, "build", "conformance"))
    arguments.add_argument("-j", type=int, default=os.cpu_count(), help="tests at the same time")
    arguments.add_argument("--only", action="append", help="tests whose name matches the pattern")
    options = arguments.parse_args()

    compiler = options.compiler or f"clang-{options.release}"
    if shutil.which(compiler) is None:
        print(f"skipped: no {compiler}")
        return 77
    cache = os.path.realpath(options.cache)
    os.makedirs(cache, exist_ok=True)
    suite = unpack(cache, options.release)
    if suite is None:
        print(f"skipped: no source of Debian's package llvm-toolchain-{options.release}: "
              "apt-get source needs a line 'deb-src' in its list")
        return 77
    tests = list(find_tests(suite))
    if options.only:
        tests = [t for t in tests if any(fnmatch.fnmatch(t.name, o) for o in options.only)]
    results = os.path.join(cache, f"llvm-{options.release}-by-{os.path.basename(compiler)}")
    library = os.path.realpath(options.library)
    reference = "libgomp" if "gcc" in os.path.basename(compiler) else "libomp"
    with ThreadPoolExecutor(options.j) as pool:
        list(pool.map(lambda t: judge(t, suite, compiler, library, results), tests))

    reasons = read_exceptions(tests)
    of = {o: [t for t in tests if t.outcome == o] for o in ("no reference", "passed", "failed")}
    failed = [t for t in of["failed"] if t.name not in reasons]
    for title, some in ((f"Not counted: they do not pass on {reference} either",
                         of["no reference"]),
                        (f"FAILED on doall, passed on {reference}", failed)):
        if some:
            print(f"\n{title}:")
        for t in some:
            print(f"  {t.name}: {t.why}")
    for t in of["failed"]:
        if t.name in reasons:
            print(f"  excepted: {t.name} ({reasons[t.name]})")
    counted = len(of["passed"]) + len(of["failed"])
    print(f"\n{compiler}, LLVM {options.release}: {len(of['passed'])} of {counted} pass on doall "
          f"that pass on {reference}, {len(of['failed']) - len(failed)} excepted, {len(failed)} failed; "
          f"what they printed: {results}/TEST/doall")
    return 1 if failed or counted == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
