"""What the process's loops have done so far, as `doall run --report` says it of a whole run."""

import html
import os
import subprocess
import tempfile

from . import _library as library


def watch():
    """Counts what the process's loops do from now on, for doall.report().

    Call it before the first loop. Raises RuntimeError if loops have run on doall uncounted: then
    they stay so. Counting costs some 20 ns for each chunk of a loop.
    """
    if library.native.doall_report_begin() != 0:
        raise RuntimeError("doall.watch() is called too late, expected before the first loop that "
                           "runs on doall; loops stay uncounted in this process")


class Report(str):
    """The report's text. A notebook shows its page; `page` is that page's HTML."""

    def __new__(cls, text, page):
        made = super().__new__(cls, text)
        made.page = page
        return made

    def _repr_html_(self):
        # A document of its own: neither's style or script may touch the other.
        return (f'<iframe srcdoc="{html.escape(self.page)}" style="width: 100%; height: 32em; '
                'border: 0" title="doall: where the time of loops went"></iframe>')

    def _repr_pretty_(self, printer, cycle):
        printer.text(str(self))


def _shown(folder, *options):
    # Not on doall: the command is no part of the program.
    ours = ("LD_PRELOAD", "DOALL_REPORT_FOLDER", "DOALL_LIVE_FOLDER")
    plain = {k: v for k, v in os.environ.items() if k not in ours}
    made = subprocess.run([library.command(), "show", folder, *options], env=plain, text=True,
                          capture_output=True, check=False)
    if made.returncode != 0:
        raise RuntimeError(f"`doall show` failed: {made.stderr.strip()}")
    return made.stdout


def report():
    """Where the time of each loop and region went that has run since doall.watch(), or in a process
    under `doall run --report`. docs/guide/report.md says how to read it.

    Returns the text, which a notebook shows as a page. Raises RuntimeError if loops are not counted.
    """
    with tempfile.TemporaryDirectory(prefix="doall-") as folder:
        path = os.path.join(folder, f"report.{os.getpid()}")
        if library.native.doall_report_write(os.fsencode(path)) != 0:
            if not os.path.exists(path):
                raise RuntimeError("loops are not counted; call doall.watch() before the first one")
            raise OSError(f"the report could not be written to {path}")
        return Report(_shown(folder), _shown(folder, "--html"))
