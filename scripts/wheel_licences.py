#!/usr/bin/env python3
"""Adds the licences of what a wheel bundles to it: wheel_licences.py WHEEL LICENSE

auditwheel copies libraries of the Debian system into doall.libs/. Each of them has to belong to a
package of the table below, whose licence somebody has looked at: it lets the library be handed on
in binary form, beside programs of any licence, with its notice. The notices (Debian's copyright
files), the texts that they refer to, and where the sources are go to dist-info/licenses/.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

# The Debian package, and its licence.
LOOKED_AT = {
    "libhwloc15": "BSD-3-Clause",
    "libudev1": "LGPL-2.1-or-later",
    "libcap2": "BSD-3-Clause or GPL-2.0",
    "libdw1": "LGPL-3.0-or-later or GPL-2.0-or-later",
    "libelf1": "LGPL-3.0-or-later or GPL-2.0-or-later",
    "liblzma5": "public domain",
    "libbz2-1.0": "bzip2-1.0.6",
    "zlib1g": "Zlib",
    "libzstd1": "BSD-3-Clause or GPL-2.0",
    "libfmt9": "MIT",
}


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def package_of(bundled):
    """The package of the file that auditwheel named libx-<hash>.so.n, or libx-1-<hash>.2.so."""
    original = re.sub(r"-[0-9a-f]{8}\.", ".", bundled)
    found = output("dpkg-query", "--search", f"*/{original}").split(":")[0]
    if found not in LOOKED_AT:
        sys.exit(f"{bundled} is of the package {found}, whose licence nobody has looked at; expected "
                 f"one of {', '.join(LOOKED_AT)}. The wheel is not made: add it to the table")
    return found


def main():
    wheel, licence = map(pathlib.Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "wheel", "unpack", "--dest", folder, wheel], check=True,
                       stdout=subprocess.DEVNULL)
        root = next(pathlib.Path(folder).iterdir())
        to = next(root.glob("*.dist-info")) / "licenses"
        to.mkdir(exist_ok=True)
        shutil.copy(licence, to / "LICENSE")
        lines = []
        common = set()
        for package in sorted({package_of(f.name) for f in root.glob("doall.libs/*")}):
            notice = pathlib.Path(f"/usr/share/doc/{package}/copyright")
            text = notice.read_text(encoding="utf-8", errors="replace")
            (to / f"{package}.txt").write_text(text, encoding="utf-8")
            common |= set(re.findall(r"/usr/share/common-licenses/([\w.-]*\w)", text))
            source, version = output("dpkg-query", "--show", "--showformat",
                                     "${source:Package} ${source:Version}", package).split()
            lines.append(f"{package}: {LOOKED_AT[package]}; Debian's, but for its file's name and "
                         f"search path; sources: https://snapshot.debian.org/package/{source}/{version}/")
        for name in sorted(common):
            shutil.copy(f"/usr/share/common-licenses/{name}", to / f"{name}.txt")
        (to / "BUNDLED").write_text("\n".join(lines) + "\n", encoding="utf-8")
        print("\n".join(lines))
        wheel.unlink()
        subprocess.run([sys.executable, "-m", "wheel", "pack", "--dest-dir", wheel.parent, root],
                       check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main()
