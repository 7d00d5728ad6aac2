#!/usr/bin/env python3
"""`doall top` from outside: in a pseudo-terminal, as text, of a process that runs already, and of
programs that end at once, crash, or know nothing of doall.

    top.py DOALL
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time

DOALL = os.path.abspath(sys.argv[1])
LIMIT_S = 60  # of any wait: the machine may be busy

SOURCE = r"""
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
static double a[2000];
static void uneven_loop(int rounds) {
#pragma omp parallel for schedule(runtime)
  for (int i = 0; i < 2000; ++i)
    for (volatile int k = 0; k < i / 10 * rounds; ++k) a[i] += k;
}
int main(int argc, char** argv) {
  const char* how = argc > 1 ? argv[1] : "";
  if (!strcmp(how, "fork")) {
    uneven_loop(1);
    if (fork() == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
  puts("begins");
  fflush(stdout);
  uneven_loop(1);
  if (!strcmp(how, "once")) return 3;
  for (int call = 0; strcmp(how, "crash") || call < 200; ++call) uneven_loop(1);
  raise(SIGSEGV);
}
"""

checks = failures = 0


def check(holds, what, more=""):
    global checks, failures
    checks += 1
    if not holds:
        failures += 1
        print(f"FAILED: {what}\n{more}")


def plain(text):
    """Without control sequences."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


class Terminal:
    """A command in a pseudo-terminal of its own, in a session of its own."""

    def __init__(self, *command, lines=30, columns=160):
        self.master, self.slave = pty.openpty()
        self.resize(lines, columns)
        self.before = termios.tcgetattr(self.slave)
        self.text = ""
        self.process = subprocess.Popen(
            command, stdin=self.slave, stdout=self.slave, stderr=self.slave,
            start_new_session=True, preexec_fn=self._control)

    def _control(self):
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resize(self, lines, columns):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def read(self):
        ready, _, _ = select.select([self.master], [], [], 0.1)
        if ready:
            self.text += os.read(self.master, 65536).decode(errors="replace")

    def wait_for(self, holds, what):
        """Reads until holds(text), and returns the text."""
        until = time.monotonic() + LIMIT_S
        while not holds(self.text):
            if time.monotonic() > until:
                sys.exit(f"FAILED: {what}: not within {LIMIT_S} s\n{self.text[-3000:]}")
            self.read()
        check(True, what)
        return self.text

    def end(self, what):
        """Waits for the command's end; the terminal must be as it was."""
        until = time.monotonic() + LIMIT_S
        while self.process.poll() is None and time.monotonic() < until:
            self.read()
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
            check(False, f"{what}: did not end within {LIMIT_S} s", self.text[-3000:])
        while select.select([self.master], [], [], 0)[0]:
            self.read()
        check(termios.tcgetattr(self.slave) == self.before, f"{what}: the terminal's settings")
        for enter, leave in (("\x1b[?1049h", "\x1b[?1049l"), ("\x1b[?25l", "\x1b[?25h"),
                             ("\x1b[?7l", "\x1b[?7h")):
            check(self.text.rfind(enter) <= self.text.rfind(leave), f"{what}: {leave!r}",
                  repr(self.text[-500:]))
        os.close(self.master)
        os.close(self.slave)
        return self.process.returncode


def shows_loop(text):
    return "uneven_loop" in text and "calls/s" in text and "q quits" in text


def test_window(app):
    t = Terminal(DOALL, "top", "--threads=2", "--schedule=guided", "--", app)
    text = plain(t.wait_for(shows_loop, "the window shows the loop"))
    check("guided" in text and "steered" in text, "the loop's schedule, and why", text[-2000:])
    check("begins" not in text, "the program's output waits", text[-2000:])
    settings = termios.tcgetattr(t.slave)
    check(not settings[3] & (termios.ICANON | termios.ECHO), "keys come one by one")
    os.write(t.master, b"c")
    t.wait_for(lambda text: "[c calls]" in text, "a key chooses the order")
    t.text = t.text[-1:]
    t.resize(5, 60)
    small = t.wait_for(lambda text: "and 1 more" in text or "and 2 more" in text,
                       "a small window drops rows")
    check(small.count("\r\n") >= 3, "a small window is drawn")
    t.text = ""
    t.resize(40, 200)
    t.wait_for(shows_loop, "a large window has them again")
    os.write(t.master, b"q")
    t.wait_for(lambda text: "goes on" in text, "q says that the program goes on")
    t.wait_for(lambda text: "begins" in text, "its output is shown then")
    check(termios.tcgetattr(t.slave) == t.before, "q: the terminal's settings")
    os.write(t.master, b"\x03")  # Ctrl-C
    check(t.end("q, then Ctrl-C") == -signal.SIGINT, "it ends as the program")


def test_ends(app):
    t = Terminal(DOALL, "top", "--threads=2", "--", app)
    t.wait_for(shows_loop, "rows, before Ctrl-C")
    os.write(t.master, b"\x03")
    check(t.end("Ctrl-C") == -signal.SIGINT, "Ctrl-C: it ends as the program")

    t = Terminal(DOALL, "top", "--threads=2", "--", app)
    t.wait_for(shows_loop, "rows, before SIGTERM")
    t.process.terminate()
    check(t.end("SIGTERM") == -signal.SIGTERM, "SIGTERM: it ends as the program")

    t = Terminal(DOALL, "top", "--threads=2", "--", app, "crash")
    check(t.end("a crash") == -signal.SIGSEGV, "a crash: it ends as the program")

    t = Terminal(DOALL, "top", "--threads=2", "--", app, "once")
    check(t.end("a program that ends at once") == 3, "its status")
    text = plain(t.text)
    check("begins" in text and "uneven_loop" in text and "efficiency:" in text,
          "a program that ends at once: its output, and the report", text)

    t = Terminal(DOALL, "top", "--threads=2", "--", "true")
    check(t.end("a program without doall") == 0, "a program without doall: its status")
    check("nothing of true ran on doall" in t.text, "a program without doall: why", t.text)


def read_until(stream, holds, what):
    text = ""
    until = time.monotonic() + LIMIT_S
    while not holds(text) and time.monotonic() < until:
        if select.select([stream], [], [], 0.1)[0]:
            part = os.read(stream.fileno(), 65536)
            if not part:
                break
            text += part.decode()
    check(holds(text), what, text)
    return text


def blocks_with_loop(text):
    return text.count("uneven_loop") >= 2 and "# work" in text


def test_text(app):
    top = subprocess.Popen([DOALL, "top", "--threads=2", app], stdout=subprocess.PIPE,
                           stdin=subprocess.DEVNULL)
    text = read_until(top.stdout, blocks_with_loop, "a block each second")
    check("\x1b" not in text, "text has no control sequences", repr(text))
    check("begins" in text, "the program's output goes where it would")
    top.terminate()
    top.communicate()
    check(top.returncode == -signal.SIGTERM, "it ends as the program", str(top.returncode))


def test_fork(app):
    top = subprocess.Popen([DOALL, "top", "--threads=2", app, "fork"], stdout=subprocess.PIPE,
                           stdin=subprocess.DEVNULL)

    def has_both(text):
        return any(len(set(re.findall(r"\(process (\d+)\)", block))) == 2 and
                   block.count("uneven_loop") >= 2 for block in text.split("\n\n"))

    read_until(top.stdout, has_both, "a parent and its child, each with its loops")
    top.terminate()
    top.communicate()


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as of:
        return [int(child) for child in of.read().split()]


def test_pid(app):
    run = subprocess.Popen([DOALL, "run", "--threads=2", "--report", app], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL)
    run.stdout.readline()  # "begins"
    (pid,) = children(run.pid)
    top = subprocess.Popen([DOALL, "top", f"--pid={pid}"], stdout=subprocess.PIPE)
    text = read_until(top.stdout, blocks_with_loop, "--pid shows the loop")
    check(f"process {pid}" in text, "--pid names the process", text)
    # Another looks at it, too.
    t = Terminal(DOALL, "top", "--pid", str(pid))
    t.wait_for(shows_loop, "--pid in a window")
    os.write(t.master, b"q")
    check(t.end("--pid, q") == 0, "--pid, q: status")
    check(run.poll() is None, "the process goes on")
    run.terminate()
    run.communicate()
    rest, _ = top.communicate(timeout=LIMIT_S)
    check(f"process {pid} has ended" in rest.decode(), "--pid says that it has ended",
          rest.decode())
    check(top.returncode == 0, "--pid: status after its end")


# Of a process in a container, which knows itself by another number.
def test_container(app):
    inside = ["unshare", "--pid", "--fork", "--mount-proc"]
    if subprocess.run([*inside, "true"], capture_output=True, check=False).returncode != 0:
        return
    run = subprocess.Popen([DOALL, "run", "--threads=2", "--report", *inside, app],
                           stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    run.stdout.readline()  # "begins"
    (unshare,) = children(run.pid)
    (pid,) = children(unshare)
    top = subprocess.Popen([DOALL, "top", f"--pid={pid}"], stdout=subprocess.PIPE)
    text = read_until(top.stdout, blocks_with_loop, "--pid of a process in a container")
    check(f"process {pid}" in text, "--pid names it by its number outside", text)
    os.kill(pid, signal.SIGKILL)  # another is nothing to a container's first process
    run.communicate()
    top.communicate(timeout=LIMIT_S)


def refused(what, says, *args):
    done = subprocess.run([DOALL, "top", *args], capture_output=True, text=True, check=False)
    check(done.returncode != 0 and says in done.stderr, what, done.stderr + done.stdout)


def test_refused(app):
    refused("no such process", "process 4194304 does not exist", "--pid=4194304")
    refused("no number", 'bad process "x"', "--pid=x")
    refused("both", "expected one of the two", "--threads=2", "--pid=1", "true")
    refused("neither", "no program given")
    sleeper = subprocess.Popen(["sleep", "100"])
    refused("no doall", "none of its libraries is loaded; start it by 'doall top -- PROGRAM'",
            f"--pid={sleeper.pid}")
    sleeper.kill()
    sleeper.wait()
    run = subprocess.Popen([DOALL, "run", "--threads=2", app], stdout=subprocess.PIPE)
    run.stdout.readline()
    refused("no counting", "does not count its loops; start it by 'doall top -- PROGRAM'",
            f"--pid={children(run.pid)[0]}")
    run.terminate()
    run.communicate()


def main():
    for variable in ("DOALL_SCHEDULE", "DOALL_NUM_THREADS", "OMP_SCHEDULE", "OMP_NUM_THREADS"):
        os.environ.pop(variable, None)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ["TMPDIR"] = folder
        with open("app.c", "w") as source:
            source.write(SOURCE)
        subprocess.run(["gcc", "-O1", "-g", "-fopenmp", "app.c", "-o", "app"], check=True)
        app = os.path.abspath("app")
        for test in (test_window, test_ends, test_text, test_fork, test_pid, test_container,
                     test_refused):
            test(app)
        left = [name for name in os.listdir(folder) if name.startswith("doall-")]
        check(not left, "nothing is left in TMPDIR", str(left))
    print(f"{checks} checks, {failures} failures")
    sys.exit(failures != 0)


if __name__ == "__main__":
    main()
