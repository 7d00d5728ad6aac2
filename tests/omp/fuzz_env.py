#!/usr/bin/env python3
"""Gives every environment variable random texts and mutations of good ones, by a seed.

    fuzz_env.py VARIABLE=LIBRARY PROGRAM [--minutes N] [--together K] [--after N]
                [--leave-out VARIABLE]... [VARIABLE...]

The program must end with status 0 within a minute, whatever the text. Where the text can be judged
here (words, whole numbers, lists of them; of other grammars the clear cases), a bad one must get a
message that names the variable, and a good one none. A library that is built with AddressSanitizer
finds leaks, too. The variables are those of the tables in docs/guide: one that is there and not
here is an error. Those that Clang's programs alone read are left to a program of Clang's.

Runs for 10 s; with --minutes for as many minutes of the programs' CPU time each variable. The time
that was spent is printed, also after SIGTERM. A variable that failed gets no more texts. With
--together each program has K of the variables set, drawn anew, and its time counts for each of
them: they meet, as settings do.

DOALL_TEST_SEED=n runs the one case n; --after n begins behind it. DOALL_TEST_LONG=n runs n times as
long. Ten minutes each:

    tests/omp/fuzz_env.py LD_PRELOAD=build/lib/doall/omp/libgomp.so.1 \\
      build/tests/omp_probe_env --minutes 10
"""

import argparse
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

DOCUMENTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/guide/")
BLANKS = " \t\r\n"  # around and inside of texts
LETTERS = "0123456789,:!{}()-+ abekmtx%._\t=\"'\\\n\x01\xff"
TIMEOUT_S = 60
INT_MAX = 2**31 - 1
sys.set_int_max_str_digits(0)  # of numbers with thousands of zeros before them


# Judges: whether the text, without blanks around it, is a good value; None: not judged.

def words(*known):
    return lambda text: text.lower() in known


def whole(least, most):
    pattern = re.compile("0*[0-9]{1,40}")
    return lambda text: pattern.fullmatch(text) is not None and least <= int(text) <= most


def units(known, otherwise, least, most=2**42):
    def judge(text):
        also_b = "(?:(?<=[a-z])b)?" if "b" in known else ""
        parts = re.fullmatch(r"(0*[0-9]{1,40})[ \t\r\n]*([a-z]?)" + also_b, text.lower())
        if parts is None or (parts[2] and parts[2] not in known):
            return False
        return least <= int(parts[1]) * known.get(parts[2], otherwise) <= most
    return judge


def spin_count(text):
    known = {letter: 1000**i for i, letter in enumerate("kmgt", 1)}
    return text.lower() in ("infinite", "infinity") or units(known, 1, 0, 2**64 - 1)(text)


def list_of(judge):
    return lambda text: all(judge(item.strip(BLANKS)) for item in text.split(","))


def bind(text):
    one_for_all = words("true", "false")(text)
    return one_for_all or list_of(words("primary", "master", "close", "spread"))(text)


def block_time(text):
    parts = re.fullmatch(r"(0*[0-9]{1,40})[ \t\r\n]*(us|ms)?", text.lower())
    return text.lower() in ("infinite", "infinity") or (parts is not None and int(parts[1]) <= INT_MAX)


def schedule(text):
    parts = re.fullmatch(r"((?:non)?monotonic:)?(static|dynamic|guided)(,[1-9][0-9]{0,8})?", text)
    if parts is not None:
        return True if not parts[1] else None  # for OMP_SCHEDULE alone
    return None if re.fullmatch(r"[a-zA-Z0-9_:,=.+\- \t\r\n]+", text) else False


def places(text):
    name = re.fullmatch(r"(threads|cores|ll_caches|sockets|numa_domains)(\([1-9][0-9]{0,8}\))?",
                        text)
    if name is not None:
        return True
    if re.fullmatch(r"[a-zA-Z0-9_{}():,!+\- \t\r\n]+", text) is None:
        return False
    return None if text.count("{") == text.count("}") else False


def cpus(text):
    return None if re.fullmatch(r"[0-9,:\- \t\r\n]*[0-9]", text) else False


def domains(text):
    parts = re.fullmatch("0*[0-9]{1,40}(,[0-9]{1,40})*", text)
    counts = [int(n) for n in text.split(",")] if parts else [0]
    return min(counts) > 0 and sum(counts) <= 1024


def kmp_affinity(text):
    known = ("compact", "scatter", "balanced", "explicit", "none", "disabled", "verbose", "respect",
             "warnings", "duplicates", "reset", "granularity")
    return None if any(word in text.lower() for word in known) else False


def anything(_):
    return None


def hardware(text):
    return None if re.fullmatch(r"[a-zA-Z0-9_:,@*&+\- \t\r\n]+", text) else False


TRUE_OR_FALSE = words("true", "false")
FLAG = words("false", "0", "no", "off", ".false.", "disabled", "true", "1", "yes", "on", ".true.",
             "enabled")
BYTES = {"b": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
STACK_LEAST = 16 * 2**10
STACK = units(BYTES, 2**10, STACK_LEAST)
ALLOCATORS = [f"omp_{kind}_mem_alloc" for kind in (
    "default", "large_cap", "const", "high_bw", "low_lat", "cgroup", "pteam", "thread")]

# By variable: the judge, and good values to start from.
VARIABLES = {
    "OMP_DYNAMIC": (TRUE_OR_FALSE, "true", "false"),
    "OMP_NESTED": (TRUE_OR_FALSE, "true", "false"),
    "OMP_CANCELLATION": (TRUE_OR_FALSE, "true", "false"),
    "OMP_DISPLAY_AFFINITY": (TRUE_OR_FALSE, "true", "false"),
    "OMP_DISPLAY_ENV": (words("true", "false", "verbose"), "true", "false", "verbose"),
    "OMP_WAIT_POLICY": (words("active", "passive"), "active", "passive"),
    "OMP_TOOL": (words("enabled", "disabled"), "enabled", "disabled"),
    "OMP_TARGET_OFFLOAD": (words("default", "mandatory", "disabled"), "mandatory", "disabled"),
    "OMP_THREAD_LIMIT": (whole(1, INT_MAX), "1", "7"),
    "OMP_MAX_ACTIVE_LEVELS": (whole(0, INT_MAX), "1", "7"),
    "OMP_DEFAULT_DEVICE": (whole(0, INT_MAX), "1", "7"),
    "OMP_MAX_TASK_PRIORITY": (whole(0, INT_MAX), "1", "7"),
    "OMP_NUM_TEAMS": (whole(1, INT_MAX), "1", "7"),
    "OMP_TEAMS_THREAD_LIMIT": (whole(1, INT_MAX), "1", "7"),
    "OMP_NUM_THREADS": (list_of(whole(1, 1024)), "4", "4,2,1", " 3 , 2 "),
    "OMP_PROC_BIND": (bind, "true", "spread,close", "primary", "false"),
    "OMP_PLACES": (places, "{0,1}", "cores(2)", "{0:2}:2:1,!{1}", "ll_caches", "numa_domains",
                   "{0}:2:-1", "{0:2:-1}"),
    "OMP_SCHEDULE": (schedule, "monotonic:dynamic,4", "auto", "affinity,k=2"),
    "OMP_STACKSIZE": (STACK, "2M", "512 k", "8192"),
    "OMP_ALLOCATOR": (words(*ALLOCATORS), "omp_default_mem_alloc", "omp_thread_mem_alloc"),
    "OMP_TOOL_LIBRARIES": (anything, "libm.so.6", "/no/such.so:./x", ":"),
    "OMP_TOOL_VERBOSE_INIT": (anything, "disabled", "stdout", "stderr", "none/file", "file"),
    "OMP_AFFINITY_FORMAT": (anything, "%n/%N %A", "%0.5{host}", "level %L"),
    "GOMP_CPU_AFFINITY": (cpus, "0 1", "0-1:1", "0,1"),
    "GOMP_STACKSIZE": (STACK, "2M", "8192"),
    "KMP_STACKSIZE": (units(BYTES, 1, STACK_LEAST), "2MB", "2097152"),
    "GOMP_SPINCOUNT": (spin_count, "5k", "infinity", "0"),
    "KMP_AFFINITY": (kmp_affinity, "granularity=fine,compact,1,0", "scatter", "none",
                     "explicit,proclist=[0,{0,1},0-1:1]"),
    "KMP_BLOCKTIME": (block_time, "200", "infinite", "5us", "7 ms"),
    "KMP_DETERMINISTIC_REDUCTION": (FLAG, "true", "0"),
    "KMP_FORCE_REDUCTION": (words("critical", "atomic", "tree"), "critical", "atomic", "tree"),
    "KMP_ENABLE_TASK_THROTTLING": (words("true", "1", "yes", "on", "false", "0", "no", "off"),
                                   "true", "off"),
    "KMP_TEAMS_PROC_BIND": (words("spread", "close", "primary", "master"), "spread", "primary"),
    "KMP_SETTINGS": (FLAG, "yes", "off"),
    "KMP_WARNINGS": (FLAG, "1", "no"),
    "KMP_HW_SUBSET": (hardware, ":1t", "1s,1c@0", "1c:eff0", "*s,*c"),
    "DOALL_NUM_THREADS": (whole(1, 1024), "1", "7"),
    "DOALL_SPIN_NS": (whole(0, 10**12), "1", "7000"),
    "DOALL_OVERSUBSCRIBE": (TRUE_OR_FALSE, "true", "false"),
    "DOALL_SMALL_LOOPS": (words("alone", "shared"), "alone", "shared"),
    "DOALL_DEFAULT_SCHEDULE": (words("auto", "auto,frozen", "compiled"), "auto", "compiled"),
    "DOALL_SCHEDULE": (schedule, "guided,4", "affinity,k=2,order=reverse"),
    "DOALL_MEMBARRIER": (words("on", "off"), "on", "off"),
    "DOALL_DOMAINS": (domains, "1,1", "4,4"),
    "DOALL_BARRIER": (words("auto", "centralized", "tree", "full"), "tree", "full"),
    "DOALL_REPORT_FOLDER": (anything, ".", "none", "none/such"),
    "DOALL_REPORT_COSTS": (anything, "1", "0"),
    "DOALL_REPORT_TRACE": (anything, "1000", "0"),
    "DOALL_CHOICES_FOLDER": (anything, ".", "none", "none/such"),
    "DOALL_CHOICES_FILE": (anything, ".", "none", "none/such"),
    "DOALL_LIVE_FOLDER": (anything, ".", "none", "none/such"),
    "DOALL_SERVED_FILE": (anything, ".", "none", "none/such"),
}
CLANGS = {"KMP_DETERMINISTIC_REDUCTION", "KMP_FORCE_REDUCTION", "KMP_SETTINGS", "KMP_TEAMS_PROC_BIND",
          "KMP_WARNINGS"}


def mutate(text, draw):
    letters = list(text)
    for _ in range(draw.randint(1, 6)):
        at = draw.randint(0, len(letters))
        how = draw.randrange(4)
        if how == 0 or not letters:
            letters.insert(at, draw.choice(LETTERS))
        elif how == 1:
            del letters[min(at, len(letters) - 1)]
        elif how == 2:
            letters[min(at, len(letters) - 1)] = draw.choice(LETTERS)
        else:
            letters[at:at] = letters[: draw.randint(0, 20)]
    return "".join(letters)


def any_number(draw):
    return str(draw.choice([0, -1, 2**31, 2**32, 2**63 - 1, -2**63, 2**64, 10**30, 1024, 1025,
                            8191, 8192]))


def text_for(variable, draw):
    how = draw.randrange(10)
    if how == 0:
        return "".join(draw.choice(LETTERS) for _ in range(draw.randint(0, 300)))
    if how == 1:
        return any_number(draw)
    good = draw.choice(VARIABLES[variable][1:])
    if how == 2:
        return good
    if how == 3:  # a number of it becomes another one
        return re.sub("[0-9]+", lambda n: draw.choice([n[0], any_number(draw)]), good)
    if how == 4:  # very long
        longer = draw.choice(["", ",", ":", " "]).join([good] * draw.choice([100, 10000]))
        return longer[:100000]  # the kernel takes no more than 128 KiB
    return mutate(good, draw)


def judge(variable, texts, words_said):
    """What is wrong with the message, or with its absence; empty when nothing is."""
    said = f"doall: {variable}".encode() in words_said
    good = VARIABLES[variable][0](texts[variable].strip(BLANKS))
    # What is not there yet, or limited, is said of good values too.
    if good is False and not said and "KMP_WARNINGS" not in texts:  # which may silence all
        return f"{variable} got no message"
    if good and said and len(texts) == 1 and b"is ignored: expected" in words_said:
        return f"{variable} is good, but got a message: {words_said!r}"
    return ""


def check(texts, environment, program, folder):
    """What is wrong with the program's run under the settings; empty when nothing is."""
    settings = {**environment, **{os.fsencode(v): t.encode("latin-1") for v, t in texts.items()}}
    if "OMP_NUM_THREADS" not in texts:  # however many threads a text asks for, the time is bounded
        settings.setdefault(b"OMP_NUM_THREADS", b"2")
    try:
        done = subprocess.run([program], env=settings, capture_output=True, timeout=TIMEOUT_S,
                              cwd=folder, start_new_session=True)
    except subprocess.TimeoutExpired:
        return f"did not end within {TIMEOUT_S} s"
    if done.returncode != 0:
        return f"ended with {done.returncode}: {done.stderr[-2000:].decode('latin-1')}"
    return next(filter(None, (judge(v, texts, done.stderr) for v in texts)), "")


def texts_for(variable, known, together, case):
    """The texts of a case, by variable: of this one, and of others of those known."""
    draw = random.Random(f"{variable} {case}")
    texts = {variable: text_for(variable, draw)}
    others = [v for v in known if v != variable]
    for other in draw.sample(others, min(together - 1, len(others))):
        texts[other] = text_for(other, draw)
    return texts


def cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def check_documents():
    named = set()
    for page in ("openmp.md", "settings.md"):
        with open(DOCUMENTS + page, encoding="utf-8") as file:
            cells = re.findall(r"^\| (`[A-Z_`, ]+)[|.(]", file.read(), re.MULTILINE)
        named.update(name for cell in cells for name in re.findall("[A-Z]+_[A-Z_]+", cell))
    if len(named) < 30 or not named <= VARIABLES.keys():
        sys.exit(f"in the tables of docs/guide, and not tried here: {named - VARIABLES.keys()}")


class Tried:
    """What was done with a variable."""

    def __init__(self):
        self.cases = 0      # programs that had it set
        self.own_cases = 0  # those that it was drawn for first
        self.seconds = 0.0
        self.failed = False


def try_all(variables, known, options, only, is_over):
    """Tries the variables in turn, each with others of those known. Returns what was done with each, once it is enough."""
    program = os.path.realpath(options.program)
    environment = {k: v for k, v in os.environb.items()
                   if not re.match(rb"(OMP|GOMP|KMP|DOALL)_|LD_PRELOAD$", k)}
    name, _, value = options.library.partition("=")
    environment[os.fsencode(name)] = os.fsencode(os.path.realpath(value))
    tried = {v: Tried() for v in variables}
    with tempfile.TemporaryDirectory() as outer:
        folder = os.path.join(outer, "inner")  # ".." is a text, too
        os.mkdir(folder)
        while not is_over(tried):
            for variable in variables:
                t = tried[variable]
                if t.failed or (options.minutes and t.seconds >= 60 * options.minutes):
                    continue
                case = int(only) if only else options.after + t.own_cases + 1
                t.own_cases += 1
                texts = texts_for(variable, known, options.together, case)
                before = cpu_s()
                wrong = check(texts, environment, program, folder)
                for v in texts.keys() & tried.keys():
                    tried[v].cases += 1
                    tried[v].seconds += cpu_s() - before
                if wrong:
                    t.failed = True
                    shown = " ".join(f"{v}={text[:400]!r}" for v, text in texts.items())
                    print(f"{shown}: {wrong}\nto repeat: DOALL_TEST_SEED={case} {sys.argv[0]} "
                          f"{options.library} {options.program} --together {options.together} "
                          f"{variable}", flush=True)
    return tried


def main():
    arguments = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    arguments.add_argument("library", help="the variable that brings doall, and its value")
    arguments.add_argument("program")
    arguments.add_argument("--minutes", type=float, default=0, help="CPU time of each variable")
    arguments.add_argument("--together", type=int, default=1, help="variables set at once")
    arguments.add_argument("--after", type=int, default=0, help="the last case of an earlier run")
    arguments.add_argument("--leave-out", action="append", default=[])
    arguments.add_argument("variables", nargs="*")
    options = arguments.parse_intermixed_args()  # options before the variables, too
    long = int(os.environ.get("DOALL_TEST_LONG", "1"))
    options.minutes *= long
    check_documents()
    with open(options.program, "rb") as file:
        is_clangs = b"__kmpc_" in file.read()
    known = [v for v in VARIABLES
             if v not in options.leave_out and (is_clangs or v not in CLANGS)]
    variables = options.variables or known

    only = os.environ.get("DOALL_TEST_SEED")
    stopped = []
    signal.signal(signal.SIGTERM, lambda *_: stopped.append(True))
    ends = time.monotonic() + 10 * long

    def is_over(tried):
        done = all(t.failed or t.seconds >= 60 * options.minutes for t in tried.values())
        if stopped or (only and any(t.own_cases for t in tried.values())):
            return True
        return done if options.minutes else time.monotonic() >= ends

    before = cpu_s()
    tried = try_all(variables, known, options, only, is_over)
    if options.minutes:
        for variable, t in tried.items():
            print(f"{variable:28} {t.cases:8} cases {t.seconds / 60:7.2f} CPU-minutes"
                  + (" FAILED" if t.failed else ""))
    print(f"{sum(t.own_cases for t in tried.values())} cases of {len(variables)} variables, "
          f"{(cpu_s() - before) / 60:.1f} CPU-minutes")
    return 1 if any(t.failed for t in tried.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
