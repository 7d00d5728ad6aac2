"""imported.py PROGRAM [ARGS...]: runs a Python program after `import doall.openmp`, and says on
standard error if nothing of it ran on doall."""

import runpy
import sys

import doall.openmp

if __name__ == "__main__":
    doall.openmp(children=True)
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")
