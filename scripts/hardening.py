#!/usr/bin/env python3
"""Checks that what is in Debian packages is hardened: hardening.py PACKAGE.deb...

Each program is position independent, each program and library has full RELRO, no executable stack,
and each program calls the checked forms of the C library's functions and guards its stack. The
libraries are not guarded, but for what copies into arrays (cmake/hardening.cmake says why).
"""
import pathlib
import subprocess
import sys
import tempfile


def readelf(option, file):
    return subprocess.run(["readelf", "-W", option, file], capture_output=True, text=True,
                          check=True).stdout


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def lacks_of(path):
    """Returns what the file lacks."""
    segments = readelf("-l", path)
    dynamic = readelf("-d", path)
    symbols = readelf("--dyn-syms", path)
    lacks = []
    if "DYN (" not in readelf("-h", path):
        lacks.append("position independence")
    if "GNU_RELRO" not in segments:
        lacks.append("RELRO")
    if "NOW" not in dynamic:
        lacks.append("immediate binding")
    stack = next((line for line in segments.splitlines() if "GNU_STACK" in line), "")
    if "RW " not in stack:
        lacks.append("a stack that is not executable")
    # A library of names has no code that could be guarded.
    if "INTERP" in segments:
        if "__stack_chk_fail" not in symbols:
            lacks.append("a guarded stack")
        if "_chk@" not in symbols.replace("__stack_chk_fail@", ""):
            lacks.append("checked functions (_FORTIFY_SOURCE)")
    return lacks


def main(packages):
    if not packages:
        sys.exit("hardening: no package named, expected files *.deb")
    failures = checked = 0
    for package in packages:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
            for path in sorted(p for p in pathlib.Path(folder).rglob("*") if is_elf(p)):
                name = path.relative_to(folder)
                lacks = lacks_of(path)
                checked += 1
                if lacks:
                    failures += 1
                    print(f"{pathlib.Path(package).name}: /{name} lacks {', '.join(lacks)}")
    print(f"{checked} programs and libraries, {failures} lack something")
    if checked == 0:
        sys.exit("hardening: no program or library is in the packages")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
