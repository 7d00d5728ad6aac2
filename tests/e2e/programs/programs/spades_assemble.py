"""SPAdes, which its package runs from /usr, in a folder: spades_assemble.py ROOT ARGS..."""

import os
import runpy
import sys

root = os.path.join(sys.argv.pop(1), "usr")
sys.path.insert(0, os.path.join(root, "libexec/spades"))
import spades_init  # noqa: E402


def init():
    share = os.path.join(root, "share/spades")
    spades_init.bin_home = os.path.join(root, "libexec/spades")
    spades_init.spades_home = spades_init.python_modules_home = share
    spades_init.ext_python_modules_home = share
    sys.path += [os.path.join(share, "spades_pipeline", part)
                 for part in spades_init.source_dirs]
    with open(os.path.join(share, "VERSION")) as file:
        spades_init.spades_version = file.readline().strip()


spades_init.init = init
runpy.run_path(os.path.join(root, "libexec/spades/spades.py"), run_name="__main__")
