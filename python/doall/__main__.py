"""The command `doall`, as a script of the environment and by `python -m doall`."""

import os
import sys

from ._library import command


def main():
    path = command()
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
