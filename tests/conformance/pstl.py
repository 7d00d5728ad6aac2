#!/usr/bin/env python3
"""Runs libstdc++'s own tests of the parallel algorithms on doall (doall::compat).

    pstl.py --library FOLDER [--gcc N] [-j N] [--only PATTERN]...

The tests are of Debian's package gcc-N-source, compiled unchanged by g++-N with doall's headers in
the place of oneTBB's; nothing of them is part of this project. Where the newest GCC lies in a
folder: scripts/in_folder.sh FOLDER python3 tests/conformance/pstl.py --gcc 16 ...

Exits 0 when all pass, 1 when one failed, 77 when the sources cannot be had.
"""

import argparse
import fnmatch
import glob
import os
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = "/usr/src/gcc-{0}/gcc-{0}*.tar.xz"
TIMEOUT_S = 900


def unpacked(release, cache):
    """The folder of the test suite, or None."""
    suite = os.path.join(cache, f"libstdc++-{release}")
    if not os.path.isdir(suite):
        archives = sorted(glob.glob(SOURCES.format(release)))
        if not archives:
            return None
        partial = suite + ".partial"
        with tarfile.open(archives[-1]) as archive:
            for member in archive:
                _, found, path = member.name.partition("/libstdc++-v3/testsuite/")
                if found and member.isfile() and ("/pstl/" in path or path.startswith("util/")):
                    member.name = path
                    archive.extract(member, partial, set_attrs=False)
        os.rename(partial, suite)
    return suite


def run(path, suite, asked):
    """Compiles and runs a test. Its outcome, and what it said."""
    with open(path, encoding="utf-8", errors="replace") as file:
        preprocessed = "dg-do preprocess" in file.read()
    program = os.path.join(suite, "run", name_of(path, suite).replace("/", "_"))
    os.makedirs(os.path.dirname(program), exist_ok=True)
    command = [f"g++-{asked.gcc}", "-std=" + asked.std, "-O0", "-w",
               "-I" + os.path.join(ROOT, "include/doall/compat"),
               "-I" + os.path.join(suite, "util"), path]
    command += (["-E", "-o", os.devnull] if preprocessed else
                ["-o", program, "-L" + asked.library, "-ldoall", "-pthread"])
    compiled = subprocess.run(command, stderr=subprocess.PIPE, text=True)
    if compiled.returncode != 0:
        errors = [line[:300] for line in compiled.stderr.splitlines() if "error" in line]
        return "not compiled", "\n".join(errors[:10])
    if preprocessed:
        return "passed", ""
    environment = dict(os.environ, LD_LIBRARY_PATH=asked.library, DOALL_NUM_THREADS="4",
                       DOALL_OVERSUBSCRIBE="true")
    try:
        ran = subprocess.run([program], env=environment, timeout=TIMEOUT_S, text=True,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        return "too long", f"ran for {TIMEOUT_S} s"
    finally:
        os.remove(program)
    return "passed" if ran.returncode == 0 else "failed", ran.stdout[-2000:]


def name_of(path, suite):
    return os.path.relpath(path, suite).replace("/pstl", "").removesuffix(".cc")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--library", required=True, help="the folder of libdoall.so")
    options.add_argument("--cache", default=os.path.join(ROOT, "build/conformance"))
    options.add_argument("--gcc", default="12", help="whose tests and compiler")
    options.add_argument("--std", default="c++17")
    options.add_argument("--only", action="append", default=[])
    options.add_argument("-j", type=int, default=os.cpu_count())
    asked = options.parse_args()
    asked.library = os.path.abspath(asked.library)
    suite = unpacked(asked.gcc, os.path.abspath(asked.cache))
    if suite is None:
        print(f"pstl.py: skipped: no {SOURCES.format(asked.gcc)}: install gcc-{asked.gcc}-source",
              file=sys.stderr)
        return 77
    # Files without dg-do are included by others.
    paths = [p for p in sorted(glob.glob(os.path.join(suite, "**/pstl/**/*.cc"), recursive=True))
             if "dg-do" in open(p, encoding="utf-8", errors="replace").read()]
    if asked.only:
        paths = [p for p in paths
                 if any(fnmatch.fnmatchcase(name_of(p, suite), o) for o in asked.only)]
    failed = 0
    with ThreadPoolExecutor(asked.j) as pool:
        for path, (outcome, said) in zip(paths, pool.map(lambda p: run(p, suite, asked), paths)):
            print(f"{name_of(path, suite)}: {outcome}", flush=True)
            if outcome != "passed":
                failed += 1
                print("\n".join("  " + line for line in said.splitlines()))
    print(f"{len(paths) - failed} of {len(paths)} tests pass")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
