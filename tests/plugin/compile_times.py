#!/usr/bin/env python3
"""How much longer files of Debian's source packages take to compile by doall's drivers than by GCC.

    compile_times.py BIN [FOLDER [FILES [SECONDS]]]

Sources are fetched by their packages' names, with apt, into FOLDER alone (by default
build/packages-times). Of each language up to FILES (10) files with parallel loops, which GCC alone
compiles in up to SECONDS (8), are compiled at -O2 by both, in turns, three times: a file's time is the
least of the CPU time. Prints a row a file, the
median and the worst ratio.
"""
import glob
import os
import re
import resource
import statistics
import subprocess
import sys

COMPILERS = {"c": ("gcc", "doall-cc"), "c++": ("g++", "doall-c++"), "fortran": ("gfortran", "doall-fortran")}
LANGUAGE = {".c": "c", ".cpp": "c++", ".cc": "c++", ".c++": "c++", ".cxx": "c++", ".f90": "fortran", ".f": "fortran",
            ".F": "fortran", ".F90": "fortran"}
# Packages whose files compile without being configured; of Fortran's, modules that others need come first.
PACKAGES = [("kalign", []), ("sumaclust", []), ("clustalo", []), ("suitesparse", []), ("fasttree", []),
            ("cd-hit", []), ("muscle", []), ("hhsuite", []), ("lapack", []),
            ("elk-lapw", ["modmain.f90", "modmpi.f90", "modomp.f90", "modramdisk.f90", "moddftu.f90", "modphonon.f90",
                          "modw90.f90", "modgw.f90", "modtddft.f90", "modulr.f90", "modtest.f90"])]
LOOP = re.compile(rb"^\s*(#\s*pragma\s+omp\s.*\bfor\b|!\$omp\s.*\bdo\b)", re.I | re.M)


def fetch(package, folder):
    """The package's upstream source, unpacked."""
    at = os.path.join(folder, package)
    if not os.path.isdir(at):
        apt = os.path.join(folder, "apt")
        options = ["-o", f"Dir::Etc::SourceList={apt}/sources.list", "-o", "Dir::Etc::SourceParts=/dev/null", "-o",
                   f"Dir::State::Lists={apt}/lists", "-o", f"Dir::Cache={apt}/cache", "-o", "APT::Sandbox::User=root", "-qq"]
        if not os.path.isdir(apt):
            os.makedirs(f"{apt}/lists/partial")
            os.makedirs(f"{apt}/cache/archives/partial")
            with open("/etc/os-release") as file:
                release = re.search(r"VERSION_CODENAME=(\w+)", file.read()).group(1)
            with open(f"{apt}/sources.list", "w") as file:
                file.write("deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] "
                           f"http://deb.debian.org/debian {release} main\n")
            subprocess.run(["apt-get", *options, "update"], check=True)
        os.makedirs(at)
        subprocess.run(["apt-get", *options, "source", "--download-only", package], cwd=at, capture_output=True, check=False)
        for archive in glob.glob(os.path.join(at, "*.orig.tar.*")):
            if not archive.endswith(".asc"):
                subprocess.run(["tar", "-xf", archive], cwd=at, check=True)
    return at


def cpu_seconds(command, folder):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=600, check=False)
    except subprocess.TimeoutExpired:
        return None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime if done.returncode == 0 else None


def files_of(package, modules, folder):
    """Its files with loops, and the folder in which they are compiled."""
    at = fetch(package, folder)
    made = os.path.join(at, "made")
    os.makedirs(made, exist_ok=True)
    for name in modules:
        for path in glob.glob(f"{at}/**/src/{name}", recursive=True):
            subprocess.run(["gfortran", "-w", "-c", "-fopenmp", path], cwd=made, capture_output=True, check=False)
    found = []
    for path in sorted(glob.glob(f"{at}/**/*", recursive=True)):
        language = LANGUAGE.get(os.path.splitext(path)[1])
        if language is None or not os.path.isfile(path):
            continue
        with open(path, "rb") as file:
            if LOOP.search(file.read()):
                found.append((language, path, made))
    return found


def main():
    binaries = os.path.abspath(sys.argv[1])
    folder = os.path.abspath(sys.argv[2] if len(sys.argv) > 2 else "build/packages-times")
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 10
    longest = float(sys.argv[4]) if len(sys.argv) > 4 else 8
    os.makedirs(folder, exist_ok=True)
    chosen = {language: 0 for language in COMPILERS}
    ratios = []
    for package, modules in PACKAGES:
        here = failed = 0
        for language, path, made in files_of(package, modules, folder):
            if chosen[language] >= most or here >= (most + 1) // 2 or failed >= 8:
                continue
            plain, ours = COMPILERS[language]
            parent = os.path.dirname(os.path.dirname(path))
            roots = {os.path.dirname(path), parent, os.path.dirname(parent)}
            roots |= {d for r in list(roots) for d in glob.glob(r + "/*nclude*") + glob.glob(r + "/Template") if os.path.isdir(d)}
            what = ["-c", "-O2", "-w", "-fopenmp", *[f"-I{d}" for d in sorted(roots)], path, "-o", "made.o"]
            first = cpu_seconds([plain, *what], made)
            if first is not None and b"GOMP_" not in open(os.path.join(made, "made.o"), "rb").read():
                continue  # its loops are compiled under conditions that are not met
            if first is None or first > longest:
                print(f"left out: {path[len(folder) + 1:]}, {'does not compile alone' if first is None else f'{first:.1f} s'}", file=sys.stderr)
                failed += 1
                continue
            times = {plain: [first], ours: []}
            for one in (ours, plain, ours, plain, ours):
                times[one].append(cpu_seconds([one if one == plain else os.path.join(binaries, one), *what], made))
            if None in times[ours]:
                sys.exit(f"{ours} does not compile {path}")
            ratio = min(times[ours]) / min(times[plain])
            ratios.append(ratio)
            chosen[language] += 1
            here += 1
            print(f"{language:8} {package:12} {os.path.basename(path):32} {min(times[plain]):6.2f} s {ratio:6.3f}", flush=True)
    print(f"{len(ratios)} files: median {statistics.median(ratios):.3f}, worst {max(ratios):.3f}")


main()
