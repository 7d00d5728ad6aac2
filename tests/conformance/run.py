#!/usr/bin/env python3
"""Runs libgomp's own host tests on the reference runtime and on doall.

    run.py --library FOLDER [--column gcc] [-j N] [--part I/N] [--only PATTERN]...

A test that passes on the reference must pass on doall, or be listed in exceptions.txt with a
reason. The tests come with Debian's package gcc-12-source. They are unpacked into the cache folder,
and the programs stay there: a second run compiles nothing.

Exits 0 when that holds, 1 when a test failed, 77 when the sources are not there.
"""

import argparse
import fnmatch
import glob
import os
import re
import shlex
import signal
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import directives

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCES = "/usr/src/gcc-12/gcc-12*.tar.xz"  # where gcc-12-source puts them
TIMEOUT_S = 90

# The tests by language: folder of the test suite, names, and the compiler's default options. As in
# libgomp's c.exp, c++.exp and fortran.exp, but for Fortran at one level of optimisation, not six.
SUITES = [
    ("c", "libgomp.c", ("*.c",)),
    ("c", "libgomp.c-c++-common", ("*.c",)),
    ("c++", "libgomp.c++", ("*.C",)),
    ("c++", "libgomp.c-c++-common", ("*.c",)),
    ("fortran", "libgomp.fortran", ("*.f", "*.F", "*.f90", "*.F90", "*.f95", "*.f03", "*.f08")),
]


@dataclass
class Column:
    """A compiler family, and the runtime that its programs bring along."""

    compilers: dict  # by language; tests of a language that is not there are left out
    options: list  # of every program
    library: str  # the file in doall's folder that serves them
    reference: str  # the name of the runtime that they run on without doall


COLUMNS = {
    "gcc": Column({"c": "gcc", "c++": "g++", "fortran": "gfortran"}, ["-fopenmp"], "libgomp.so.1",
                  "libgomp"),
    "clang": Column({"c": "clang-19", "c++": "clang++-19"}, ["-fopenmp=libomp"], "libomp.so.5",
                    "libomp"),
}


@dataclass
class Program:
    name: str  # as in exceptions.txt
    source: str
    language: str
    test: directives.Test
    folder: str
    offloads: bool = False
    outcome: str = ""  # "no program", "no reference", "passed" or "failed"
    why: str = ""

    @property
    def path(self):
        return os.path.join(self.folder, "program")


def unpack(cache):
    """Unpacks the test suite, unless it is there already. Returns its folder, None without one."""
    archives = sorted(glob.glob(SOURCES))
    if not archives:
        return None
    top = os.path.join(cache, os.path.basename(archives[-1])[:-len(".tar.xz")])
    suite = os.path.join(cache, "suite")
    mark = os.path.join(suite, "complete")
    if not os.path.exists(mark):
        wanted = re.compile(r"[^/]*/(libgomp/testsuite/libgomp\.[cf]|libgomp/[^/]*\.h$|"
                            r"libgomp/testsuite/libgomp\.oacc-fortran/pr90030|"
                            r"include/gomp-constants\.h$)")
        with tarfile.open(archives[-1]) as archive:
            for member in archive:
                if member.isfile() and wanted.match(member.name):
                    member.name = member.name.split("/", 1)[1]
                    archive.extract(member, suite, set_attrs=False)
        # What libgomp's configure would find on Linux.
        with open(os.path.join(suite, "config.h"), "w") as config:
            config.write("#define HAVE_PTHREAD_AFFINITY_NP 1\n")
        with open(mark, "w") as file:
            file.write(top + "\n")
    return suite


def find_programs(suite, column, cache):
    tests = os.path.join(suite, "libgomp", "testsuite")
    for language, folder, patterns in SUITES:
        if language not in column.compilers:
            continue
        for here, _, files in sorted(os.walk(os.path.join(tests, folder))):
            for file in sorted(files):
                if not any(fnmatch.fnmatchcase(file, p) for p in patterns):
                    continue
                source = os.path.join(here, file)
                test = directives.read(source, language)
                if test.do != "run":
                    continue
                name = os.path.relpath(source, tests)
                if folder.endswith("common"):
                    name = f"{name}:{language}"
                flat = name.replace("/", ",")
                yield Program(name, source, language, test, os.path.join(cache, flat))


def command_for(program, column, suite):
    test = program.test
    options = ["-O2"] if test.options is None or program.language == "fortran" else []
    here = os.path.dirname(program.source)
    return [column.compilers[program.language], *column.options, "-w",
            "-I" + os.path.join(suite, "include"), "-I" + os.path.join(suite, "libgomp"),
            "-I" + suite, *options, *(test.options or []), *test.more_options, program.source,
            *[os.path.join(here, s) for s in test.sources], "-o", program.path, "-lm"]


def compile_program(program, column, suite):
    """Compiles it, unless the cache has the program of this very command."""
    command = command_for(program, column, suite)
    text = shlex.join(command) + "\n"
    note = os.path.join(program.folder, "command")
    os.makedirs(program.folder, exist_ok=True)
    if os.path.exists(program.path) and os.path.exists(note):
        with open(note) as file:
            if file.read() == text:
                return True
    with open(os.path.join(program.folder, "compiler"), "w") as log:
        try:
            done = subprocess.run(command, cwd=program.folder, stdin=subprocess.DEVNULL, stdout=log,
                                  stderr=subprocess.STDOUT, timeout=600)
        except subprocess.TimeoutExpired:
            return False
    if done.returncode != 0 or not os.path.exists(program.path):
        return False
    with open(note, "w") as file:
        file.write(text)
    return True


def offloads(program):
    """Whether the program has target regions: it then calls the runtime's entry point for them."""
    with open(program.path, "rb") as file:
        content = file.read()
    return b"GOMP_target" in content or b"__tgt_target" in content


def environment_of(program, library):
    environment = {k: v for k, v in os.environ.items()
                   if not re.match(r"(OMP|GOMP|KMP|DOALL)_|LD_(PRELOAD|LIBRARY_PATH)$", k)}
    environment.update(LC_ALL="C", **program.test.environment)
    if library is not None:
        environment["LD_LIBRARY_PATH"] = library
    return environment


def run(program, library, log):
    """Runs it; returns what is wrong with how it went, empty when nothing is."""
    test = program.test
    path = os.path.join(program.folder, log)
    with open(path, "w") as output:
        child = subprocess.Popen([program.path], cwd=program.folder, stdin=subprocess.DEVNULL,
                                 stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                 env=environment_of(program, library))
        timeout_s = test.timeout if test.timeout is not None else TIMEOUT_S
        try:
            status = child.wait(max(timeout_s, TIMEOUT_S))
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return f"did not end within {max(timeout_s, TIMEOUT_S):.0f} s"
    if (status != 0) != test.fails:
        if status < 0:
            return f"ended by {signal.Signals(-status).name}"
        return f"ended with status {status}"
    if test.output:
        with open(path, encoding="latin-1") as file:
            if re.search(test.output, file.read()) is None:
                return "did not print what the test expects"
    return ""


def judge(program, column, suite, library):
    if not compile_program(program, column, suite):
        program.outcome, program.why = "no program", "does not compile"
        return
    program.offloads = offloads(program)
    program.why = run(program, None, column.reference)
    if program.why:
        program.outcome = "no reference"
        return
    program.why = run(program, library, "doall")
    program.outcome = "failed" if program.why else "passed"


def read_exceptions(column, programs):
    """The reasons by test."""
    reasons = {}
    with open(os.path.join(HERE, "exceptions.txt")) as file:
        for line in file:
            if not line.startswith("#") and line.strip():
                of, pattern, reason = line.strip().split(None, 2)
                if of == column:
                    reasons.update((p.name, reason) for p in programs
                                   if fnmatch.fnmatchcase(p.name, pattern))
    return reasons


def check_served(column, library, cache):
    """A program that is run in the folder must find its runtime there; else nothing is tested."""
    source = os.path.join(cache, "served.c")
    program = os.path.join(cache, "served")
    with open(source, "w") as file:
        file.write("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
    subprocess.run([column.compilers["c"], *column.options, source, "-o", program], check=True)
    listed = subprocess.run(["ldd", program], check=True, capture_output=True, text=True,
                            env={**os.environ, "LD_LIBRARY_PATH": library}).stdout
    if os.path.join(library, column.library) not in listed:
        sys.exit(f"conformance: programs of this column do not find {column.library} in {library}; "
                 f"ldd says:\n{listed}")


def show(title, programs, reasons=None):
    if programs:
        print(f"\n{title}:")
    for p in programs:
        print(f"  {p.name}: {p.why}" + (f" ({reasons[p.name]})" if reasons else ""))


def report(programs, column, reasons, cache):
    of = {outcome: [p for p in programs if p.outcome == outcome]
          for outcome in ("no program", "no reference", "passed", "failed")}
    failed = [p for p in of["failed"] if p.name not in reasons]
    excepted = [p for p in of["failed"] if p.name in reasons]
    show(f"Not counted: they do not pass on {column.reference} either",
         of["no program"] + of["no reference"])
    show("Excepted", excepted, reasons)
    show(f"FAILED on doall, passed on {column.reference}", failed)
    if failed:
        print(f"  what they printed: {cache}/TEST/doall")
    print()
    for title, offloading in (("without target regions", False), ("with target regions", True)):
        count = [sum(p.offloads == offloading for p in some) for some in (of["passed"], of["failed"])]
        print(f"{title}: {count[0]} of {sum(count)} pass on doall that pass on {column.reference}")
    counted = len(of["passed"]) + len(of["failed"])
    print(f"together: {len(of['passed'])} of {counted}, {len(excepted)} excepted, "
          f"{len(failed)} failed")
    return not failed


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--library", required=True, help="the folder of doall's OpenMP door")
    arguments.add_argument("--column", choices=COLUMNS, default="gcc")
    arguments.add_argument("--cache", default=os.path.join(ROOT, "build", "conformance"))
    arguments.add_argument("-j", type=int, default=os.cpu_count(), help="tests at the same time")
    arguments.add_argument("--part", default="1/1", help="I/N: every N-th test, from the I-th on")
    arguments.add_argument("--only", action="append", help="tests whose name matches the pattern")
    options = arguments.parse_args()
    column = COLUMNS[options.column]
    library = os.path.realpath(options.library)

    cache = os.path.join(options.cache, options.column)
    os.makedirs(cache, exist_ok=True)
    suite = unpack(options.cache)
    if suite is None:
        print(f"skipped: no {SOURCES}, which the package gcc-12-source brings")
        return 77
    for compiler in column.compilers.values():
        if subprocess.run(["which", compiler], capture_output=True, check=False).returncode != 0:
            print(f"skipped: no {compiler}")
            return 77
    check_served(column, library, cache)

    part, parts = map(int, options.part.split("/"))
    programs = list(find_programs(suite, column, cache))[part - 1::parts]
    if options.only:
        programs = [p for p in programs if any(fnmatch.fnmatch(p.name, o) for o in options.only)]
    with ThreadPoolExecutor(options.j) as pool:
        for done, _ in enumerate(pool.map(lambda p: judge(p, column, suite, library), programs), 1):
            if sys.stderr.isatty():
                print(f"\r{done} of {len(programs)}", end="", file=sys.stderr)
    return 0 if report(programs, column, read_exceptions(options.column, programs), cache) else 1


if __name__ == "__main__":
    sys.exit(main())
