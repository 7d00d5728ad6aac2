"""Installs Debian packages and wheels by name, into a folder, without root.

Debian: apt-get downloads a package and those that it needs and this machine has not, dpkg unpacks
them into FOLDER/root. No script of theirs is run, so what they make when they are installed
(alternatives, R's links into /etc) is made by environment variables here. Wheels: pip, into the
virtual environment FOLDER/venv.
"""

import glob
import os
import re
import subprocess
import sys

LIBRARIES = "usr/lib/x86_64-linux-gnu"


class NotInstalled(Exception):
    pass


class Folder:
    def __init__(self, folder):
        self.folder = os.path.abspath(folder)
        self.root = os.path.join(self.folder, "root")
        self.venv = os.path.join(self.folder, "venv")
        self.archives = os.path.join(self.folder, "archives")
        for made in (os.path.join(self.archives, "partial"), self.root, self.at("done")):
            os.makedirs(made, exist_ok=True)

    def at(self, *parts):
        return os.path.join(self.folder, *parts)

    def _once(self, kind, names, install):
        """Returns what was written down when it was installed: the versions."""
        stamp = self.at("done", kind + "-" + re.sub(r"\W+", "-", " ".join(names)))
        if not os.path.exists(stamp):
            print("installing", *names, flush=True)
            versions = install(names)
            with open(stamp, "w") as file:
                file.write(versions)
        with open(stamp) as file:
            return file.read()

    def packages(self, names):
        return self._once("debian", names, self._unpack) if names else ""

    def wheels(self, names):
        return self._once("pip", names, self._pip) if names else ""

    def _unpack(self, names):
        options = ["-o", f"Dir::Cache::archives={self.archives}", "-o", "Debug::NoLocking=1",
                   "-o", "APT::Sandbox::User=", "--no-install-recommends", "--yes", "--quiet"]
        call(["apt-get", "install", "--download-only", *options, *names])
        simulated = call(["apt-get", "install", "--simulate", *options, *names])
        for package, version in re.findall(r"^Inst (\S+) .*?\((\S+)", simulated, re.M):
            file = f"{package.split(':')[0]}_{version.replace(':', '%3a')}_*.deb"
            for archive in glob.glob(os.path.join(self.archives, file)):
                call(["dpkg-deb", "-x", archive, self.root])
        return version_of(names[0])

    def _pip(self, names):
        python = os.path.join(self.venv, "bin", "python")
        if not os.path.exists(python):
            call([sys.executable, "-m", "venv", self.venv])
        call([python, "-m", "pip", "install", "--quiet", *names])
        listed = call([python, "-m", "pip", "list", "--format=freeze"])
        return dict(line.split("==") for line in listed.split() if "==" in line).get(names[0], "")

    def environment(self):
        """What a package's scripts would have set up."""
        lib = os.path.join(self.root, LIBRARIES)
        r_home = os.path.join(self.root, "usr/lib/R")
        searched = [lib, os.path.join(self.root, "lib/x86_64-linux-gnu"),
                    *sorted(glob.glob(lib + "/*-openmp")), *sorted(glob.glob(lib + "/blas")),
                    *sorted(glob.glob(lib + "/lapack")), os.path.join(r_home, "lib"),
                    os.path.join(self.root, "usr/lib")]
        found = [os.path.join(self.venv, "bin"), os.path.join(self.root, "usr/bin"),
                 os.environ.get("PATH", "/usr/bin:/bin")]
        return {"PATH": ":".join(found),
                "LD_LIBRARY_PATH": ":".join(f for f in searched if os.path.isdir(f)),
                "TESSDATA_PREFIX": os.path.join(self.root, "usr/share/tesseract-ocr/5/tessdata"),
                "GMXLIB": os.path.join(self.root, "usr/share/gromacs/top"),
                "MAGICK_CODER_MODULE_PATH": self.first(lib + "/ImageMagick-6*/modules-*/coders"),
                "MAGICK_CODER_FILTER_PATH": self.first(lib + "/ImageMagick-6*/modules-*/filters"),
                "R_HOME": r_home, "R_ENVIRON": os.path.join(self.root, "etc/R/Renviron"),
                "EDITOR": "vi", "R_LIBS": ":".join(
                    os.path.join(r_home, f) for f in ("library", "site-library")),
                "XTBPATH": os.path.join(self.root, "usr/share/xtb")}

    @staticmethod
    def first(pattern):
        return (sorted(glob.glob(pattern)) or [""])[0]


def call(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        lines = [line for line in done.stderr.strip().splitlines() if line.strip()]
        raise NotInstalled((lines or [f"status {done.returncode}"])[-1][:200])
    return done.stdout


def version_of(package):
    shown = call(["apt-cache", "policy", package])
    return re.search(r"Candidate: (\S+)", shown).group(1)
