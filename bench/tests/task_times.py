#!/usr/bin/env python3
"""Runs the task programs of `doall bench tasks` through both doors beside programs that compute.

    task_times.py [--seconds N] [--threads 2,4,8] [--hogs N] [--bound] [--size SIZE]
                  [--programs A,B] [--doors gcc,clang] LANES OMP

LANES: the folder of lane-tasks-openmp-gcc and -clang; OMP: the one of libgomp.so.1 and libomp.so.5.
Each case, a function of its seed, is one program in one form through one door on 2, 4 or 8 threads,
while so many hogs compute, with short pauses, on the same 2 CPUs. Recorded is what the lane says of
the time that the program took. A case without an answer for 20 times the median of its like (of
0.05 s, if that is shorter) gets the stacks of all its threads printed, by gdb; one that has none
after 60 s has hung, and fails. Prints the median and the longest of each program's runs.

DOALL_TEST_SEED=n runs the one case n; DOALL_TEST_LONG=n takes n times as long, by default 20 s.
Without lanes or libraries it is skipped (77).
"""

import argparse
import os
import random
import re
import select
import statistics
import subprocess
import sys
import time

CPUS = 2
TIMES_MEDIAN = 20
SHORTEST_MEDIAN_S = 0.05
HANGS_S = 60
SKIPPED = 77
DOORS = {"gcc": "libgomp.so.1", "clang": "libomp.so.5"}
FORMS = ("fine,tied", "fine,untied", "cut,tied", "cut,untied")


class Hung(Exception):
    """No answer came."""


class Lane:
    """A lane's process: a door with so many threads."""

    def __init__(self, options, door, threads):
        program = os.path.join(options.lanes, f"lane-tasks-openmp-{door}")
        library = os.path.realpath(os.path.join(options.omp, DOORS[door]))
        if not os.path.exists(program) or not os.path.exists(library):
            print(f"skipped: no {program} or no {library}")
            sys.exit(SKIPPED)
        environment = {k: v for k, v in os.environ.items()
                       if not re.match(r"(OMP|GOMP|KMP|DOALL)_|LD_PRELOAD$", k)}
        environment.update({"LD_PRELOAD": library, "OMP_NUM_THREADS": str(threads)})
        if options.bound:
            environment["OMP_PROC_BIND"] = "true"
        self.name = f"{door} {threads}"
        self.process = subprocess.Popen([program, options.size], env=environment, bufsize=0,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.rest = b""
        self.programs = self.line(HANGS_S).split("\t")[2:]  # after the library and the threads

    def line(self, seconds):
        """The next line of the answer, or None when there is none by then."""
        ends = time.monotonic() + seconds
        while b"\n" not in self.rest:
            left = ends - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                return None
            some = os.read(self.process.stdout.fileno(), 65536)
            if not some:
                raise Hung(f"the lane ended with {self.process.wait()}")
            self.rest += some
        line, _, self.rest = self.rest.partition(b"\n")
        return line.decode()

    def ask(self, request, look_after_s):
        """Returns the answer, and whether stacks were printed."""
        self.process.stdin.write(request.encode() + b"\n")
        answer = self.line(look_after_s)
        if answer is not None:
            return answer, False
        print(f"{self.name}: \"{request}\" has taken {look_after_s:.2f} s", flush=True)
        subprocess.run(["gdb", "-p", str(self.process.pid), "-batch", "-ex",
                        "thread apply all bt 16"], stdin=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL, timeout=HANGS_S, check=False)
        answer = self.line(HANGS_S)
        if answer is None:
            raise Hung(f"no answer within {HANGS_S} s more")
        return answer, True

    def end(self):
        self.process.kill()
        self.process.wait()


def start_hog(seed):
    """A child that computes, with short pauses."""
    child = os.fork()
    if child != 0:
        return child
    draw = random.Random(seed)
    parent = os.getppid()
    while os.getppid() == parent:
        ends = time.monotonic() + draw.choice([0.001, 0.005, 0.03, 0.2])
        while time.monotonic() < ends:
            pass
        time.sleep(draw.choice([0, 0, 0.0005, 0.004]))
    os._exit(0)


class Times:
    """What has been seen of each program through each door."""

    def __init__(self):
        self.all = {}
        self.long = 0

    def look_after_s(self, key):
        known = self.all.get(key, [])
        if len(known) < 5:
            return HANGS_S
        return TIMES_MEDIAN * max(statistics.median(known), SHORTEST_MEDIAN_S)

    def add(self, key, seconds):
        self.all.setdefault(key, []).append(seconds)

    def print(self):
        for key, seconds in sorted(self.all.items()):
            median = statistics.median(seconds)
            print(f"{key:44} {len(seconds):5} runs: median {1e3 * median:9.3f} ms longest "
                  f"{1e3 * max(seconds):9.3f}, {max(seconds) / median:7.1f} times")


def run_case(case, options, lanes, times):
    draw = random.Random(f"tasks {case}")
    door = draw.choice(options.doors)
    threads = draw.choice(options.threads)
    if (door, threads) not in lanes:
        lanes[door, threads] = Lane(options, door, threads)
    lane = lanes[door, threads]
    program = draw.choice([p for p in lane.programs
                           if not options.programs or p in options.programs])
    form = draw.choice(FORMS[:2] if program.startswith(("taskloop", "producer")) else FORMS)
    key = f"{lane.name} {program} {form}"
    try:
        answer, looked = lane.ask(f"runs {program} {form} 1 1", times.look_after_s(key))
        if not re.match("[0-9]", answer):
            raise Hung(f"the answer was: {answer}")
        times.add(key, float(answer.split()[0]) / 1e9)
        times.long += looked
        return True
    except Hung as wrong:
        print(f"{key}: {wrong}\nto repeat: DOALL_TEST_SEED={case} {' '.join(sys.argv)}")
        return False


def whole_numbers(text):
    return [int(number) for number in text.split(",")]


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("--seconds", type=float, default=20)
    arguments.add_argument("--threads", type=whole_numbers, default=[2, 4, 8])
    arguments.add_argument("--doors", type=lambda text: text.split(","), default=list(DOORS))
    arguments.add_argument("--programs", type=lambda text: text.split(","), default=[])
    arguments.add_argument("--hogs", type=int, default=CPUS)
    arguments.add_argument("--size", default="small", choices=["small", "paper"])
    arguments.add_argument("--bound", action="store_true", help="OMP_PROC_BIND=true, as the bench")
    arguments.add_argument("lanes")
    arguments.add_argument("omp")
    options = arguments.parse_args()
    only = os.environ.get("DOALL_TEST_SEED")
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:CPUS])

    lanes, times, hogs = {}, Times(), []
    ends = time.monotonic() + options.seconds * int(os.environ.get("DOALL_TEST_LONG", "1"))
    case, good = 0, True
    try:
        hogs = [start_hog(n) for n in range(options.hogs)]
        while good and time.monotonic() < ends and not (only and case):
            case = int(only) if only else case + 1
            good = run_case(case, options, lanes, times)
    finally:
        for lane in lanes.values():
            lane.end()
        for hog in hogs:
            os.kill(hog, 9)
            os.waitpid(hog, 0)
    times.print()
    print(f"{case} cases, of which {times.long} took more than {TIMES_MEDIAN} times their median")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
