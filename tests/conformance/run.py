#!/usr/bin/env python3
"""Runs libgomp's own host tests on the reference runtime and on doall.

    run.py --library FOLDER [--column gcc|clang|aarch64]... [--gcc 16] [--llvm 23] [-j N]
           [--part I/N] [--only PATTERN]...

A column is a compiler, whose programs run on the runtime that it brings and on doall; without
--column all of this machine's are run. A test that passes on the reference must pass on doall, or
be listed in exceptions.txt with a reason. The tests are those of GCC 12, or of the release that is
named, and come with Debian's package gcc-RELEASE-source. They are unpacked into the cache folder,
and the programs stay there: a second run compiles only what did not compile.

Exits 0 when that holds, 1 when a test failed, 77 when the sources are not there.
"""

import argparse
import fnmatch
import glob
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tarfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import directives

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCES = "/usr/src/gcc-{0}/gcc-{0}*.tar.xz"  # where gcc-12-source and its like put them
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
    libraries: list  # that every program is linked with
    left_out: str  # options of the tests that the compiler does not know, and that change nothing
    library: str  # the file in doall's folder that serves them
    reference: str  # the name of the runtime that they run on without doall
    emulator: tuple = ()  # what runs programs of another processor; run if asked for by name


COLUMNS = {
    "gcc": Column({"c": "gcc", "c++": "g++", "fortran": "gfortran"}, ["-fopenmp"], ["-lm"],
                  "$.", "libgomp.so.1", "libgomp"),
    "clang": Column({"c": "clang", "c++": "clang++"}, ["-fopenmp=libomp"],
                    ["-lm", "-latomic"],
                    "-fdump-.*|-fvect-cost-model=.*|-fipa-pta|-ftree-switch-conversion",
                    "libomp.so.5", "libomp"),
    "aarch64": Column({"c": "aarch64-linux-gnu-gcc", "c++": "aarch64-linux-gnu-g++"}, ["-fopenmp"],
                      ["-lm"], "$.", "libgomp.so.1", "libgomp",
                      ("qemu-aarch64", "-L", "/usr/aarch64-linux-gnu")),
}


def column_of(name, release):
    """The column by that release's compilers; without one, by those of the usual names."""
    column = COLUMNS[name]
    if not release:
        return column
    return replace(column, compilers={language: f"{compiler}-{release}"
                                      for language, compiler in column.compilers.items()})


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


def unpack(cache, release):
    """Unpacks the test suite, unless it is there already. Returns its folder, None without one."""
    archives = sorted(glob.glob(SOURCES.format(release)))
    if not archives:
        return None
    top = os.path.join(cache, os.path.basename(archives[-1])[:-len(".tar.xz")])
    suite = os.path.join(cache, f"suite-{release}")
    mark = os.path.join(suite, "complete")
    if not os.path.exists(mark):
        wanted = re.compile(r"[^/]*/(libgomp/testsuite/libgomp\.[cf]|libgomp/[^/]*\.h$|"
                            r"libgomp/testsuite/libgomp\.oacc-fortran/pr90030|"
                            r"libgomp/testsuite/libgomp\.oacc-c-c\+\+-common/abi-struct-1\.c|"
                            r"libgomp/testsuite/libgomp\.oacc-c\+\+/pr119692-1-1\.C|"
                            r"gcc/testsuite/gfortran\.fortran-torture/execute/math\.f90|"
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
    options += [o for o in [*(test.options or []), *test.more_options]
                if re.fullmatch(column.left_out, o) is None]
    here = os.path.dirname(program.source)
    return [column.compilers[program.language], *column.options, "-w",
            "-I" + os.path.join(suite, "include"), "-I" + os.path.join(suite, "libgomp"),
            "-I" + suite, *options, program.source,
            *[os.path.join(here, s) for s in test.sources], "-o", program.path, *column.libraries]


def compile_program(program, column, suite):
    """Compiles it, unless the cache has the program of this very command. Returns what is wrong."""
    command = command_for(program, column, suite)
    text = shlex.join(command) + "\n"
    note = os.path.join(program.folder, "command")
    os.makedirs(program.folder, exist_ok=True)
    if os.path.exists(program.path) and os.path.exists(note):
        with open(note) as file:
            if file.read() == text:
                return ""
    log = os.path.join(program.folder, "compiler")
    with open(log, "w") as output:
        try:
            done = subprocess.run(command, cwd=program.folder, stdin=subprocess.DEVNULL,
                                  stdout=output, stderr=subprocess.STDOUT, timeout=600)
        except subprocess.TimeoutExpired:
            return "does not compile within 600 s"
    if done.returncode != 0 or not os.path.exists(program.path):
        with open(log, encoding="latin-1") as file:
            errors = re.findall(r"error: (.*)|(undefined reference .*)", file.read())
        return "does not compile: " + ("".join(errors[0]) if errors else "see its log")
    with open(note, "w") as file:
        file.write(text)
    return ""


def offloads(program):
    """Whether the program has target regions. GCC's then calls the runtime; Clang's, without a
    device to compile for, does not, so of C and C++ the source tells."""
    with open(program.path, "rb") as file:
        called = b"GOMP_target" in file.read()
    with open(program.source, encoding="latin-1") as file:
        return called or re.search(r"#\s*pragma\s+omp\s+target\b", file.read()) is not None


def environment_of(program, library):
    environment = {k: v for k, v in os.environ.items()
                   if not re.match(r"(OMP|GOMP|KMP|DOALL)_|LD_(PRELOAD|LIBRARY_PATH)$", k)}
    environment.update(LC_ALL="C", **program.test.environment)
    if library is not None:
        environment["LD_LIBRARY_PATH"] = library
    return environment


def run(program, column, library, log):
    """Runs it; returns what is wrong with how it went, empty when nothing is."""
    test = program.test
    path = os.path.join(program.folder, log)
    with open(path, "w") as output:
        child = subprocess.Popen([*column.emulator, program.path], cwd=program.folder,
                                 stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT,
                                 start_new_session=True, env=environment_of(program, library))
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
    program.why = compile_program(program, column, suite)
    if program.why:
        program.outcome = "no program"
        return
    program.offloads = offloads(program)
    program.why = run(program, column, None, column.reference)
    if program.why:
        program.outcome = "no reference"
        return
    program.why = run(program, column, library, "doall")
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
    lists = ["ldd", program]
    if column.emulator:
        lists = [*column.emulator, "-E", "LD_TRACE_LOADED_OBJECTS=1", program]
    listed = subprocess.run(lists, check=True, capture_output=True, text=True,
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
    """Prints what became of each test that did not pass. Returns tallies, and if all is well."""
    of = {outcome: [p for p in programs if p.outcome == outcome]
          for outcome in ("no program", "no reference", "passed", "failed")}
    failed = [p for p in of["failed"] if p.name not in reasons]
    excepted = [p for p in of["failed"] if p.name in reasons]
    compiler = column.compilers["c"]
    show(f"Not counted: {compiler} and its like do not compile them", of["no program"])
    show(f"Not counted: they do not pass on {column.reference} either", of["no reference"])
    show("Excepted", excepted, reasons)
    show(f"FAILED on doall, passed on {column.reference}", failed)
    if failed:
        print(f"  what they printed: {cache}/TEST/doall")
    tallies = [f"{compiler} and its like, {len(programs)} tests: {len(of['no program'])} do not "
               f"compile, {len(of['no reference'])} do not pass on {column.reference}"]
    for title, offloading in (("without target regions", False), ("with target regions", True)):
        count = [sum(p.offloads == offloading for p in of[o]) for o in ("passed", "failed")]
        tallies.append(f"  {title}: {count[0]} of {sum(count)} pass on doall that pass on "
                       f"{column.reference}")
    counted = len(of["passed"]) + len(of["failed"])
    tallies.append(f"  together: {len(of['passed'])} of {counted}, {len(excepted)} excepted, "
                   f"{len(failed)} failed")
    return tallies, counted > 0 and not failed


def run_column(name, suite, options):
    """Runs the tests of a column. Returns what report() does, None if a compiler is not there."""
    release = {"gcc": options.gcc, "clang": options.llvm}.get(name)
    column = column_of(name, release)
    library = os.path.realpath(options.library)
    for compiler in [*column.compilers.values(), *column.emulator[:1]]:
        if shutil.which(compiler) is None:
            print(f"skipped: no {compiler}")
            return None
    folder = f"suite-{options.gcc or 12}-by-{column.compilers['c']}"
    cache = os.path.join(os.path.realpath(options.cache), folder)
    os.makedirs(cache, exist_ok=True)
    check_served(column, library, cache)
    part, parts = map(int, options.part.split("/"))
    programs = list(find_programs(suite, column, cache))[part - 1::parts]
    if options.only:
        programs = [p for p in programs if any(fnmatch.fnmatch(p.name, o) for o in options.only)]
    with ThreadPoolExecutor(options.j) as pool:
        for done, _ in enumerate(pool.map(lambda p: judge(p, column, suite, library), programs), 1):
            if sys.stderr.isatty():
                print(f"\r{name}: {done} of {len(programs)}", end="", file=sys.stderr)
    return report(programs, column, read_exceptions(name, programs), cache)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--library", required=True, help="the folder of doall's OpenMP door")
    arguments.add_argument("--column", choices=COLUMNS, action="append",
                           help="default: all that need no emulator")
    arguments.add_argument("--gcc", metavar="RELEASE", help="whose tests, and compilers; by "
                           "default GCC 12's tests and the compilers gcc, g++ and gfortran")
    arguments.add_argument("--llvm", metavar="RELEASE", default="19", help="default: 19")
    arguments.add_argument("--cache", default=os.path.join(ROOT, "build", "conformance"))
    arguments.add_argument("-j", type=int, default=os.cpu_count(), help="tests at the same time")
    arguments.add_argument("--part", default="1/1", help="I/N: every N-th test, from the I-th on")
    arguments.add_argument("--only", action="append", help="tests whose name matches the pattern")
    options = arguments.parse_args()

    os.makedirs(options.cache, exist_ok=True)
    release = options.gcc or "12"
    suite = unpack(os.path.realpath(options.cache), release)
    if suite is None:
        print(f"skipped: no {SOURCES.format(release)}, which gcc-{release}-source brings")
        return 77
    natives = [name for name, column in COLUMNS.items() if not column.emulator]
    results = [run_column(name, suite, options) for name in options.column or natives]
    print()
    for tallies, _ in filter(None, results):
        print("\n".join(tallies))
    if not all(well for _, well in filter(None, results)):
        return 1
    return 77 if None in results else 0


if __name__ == "__main__":
    sys.exit(main())
