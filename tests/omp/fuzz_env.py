#!/usr/bin/env python3
"""Gives every environment variable random texts and mutations of good ones, by a seed.

    fuzz_env.py VARIABLE=LIBRARY PROGRAM [SECONDS [VARIABLE...]]

The program must end with status 0, whatever the text; and where the text can be judged here (whole
numbers, words), a bad one must get a message that names it, and a good one none.

DOALL_TEST_SEED=n runs the one case n. DOALL_TEST_LONG=n runs n times as long. Ten minutes each:

    tests/omp/fuzz_env.py LD_PRELOAD=build/lib/doall/omp/libgomp.so.1 build/tests/omp_probe_env 600
"""

import os
import random
import re
import subprocess
import sys
import time

BOOLS = ("true", "false")
WORDS = {
    "OMP_DYNAMIC": BOOLS, "OMP_NESTED": BOOLS, "OMP_CANCELLATION": BOOLS,
    "OMP_DISPLAY_AFFINITY": BOOLS, "OMP_DISPLAY_ENV": ("true", "false", "verbose"),
    "OMP_WAIT_POLICY": ("active", "passive"), "OMP_TOOL": ("enabled", "disabled"),
    "OMP_TARGET_OFFLOAD": ("default", "mandatory", "disabled"),
}
NUMBERS = {  # least, most
    "OMP_THREAD_LIMIT": (1, 2**31 - 1), "OMP_MAX_ACTIVE_LEVELS": (0, 2**31 - 1),
    "OMP_DEFAULT_DEVICE": (0, 2**31 - 1), "OMP_MAX_TASK_PRIORITY": (0, 2**31 - 1),
    "OMP_NUM_TEAMS": (1, 2**31 - 1), "OMP_TEAMS_THREAD_LIMIT": (1, 2**31 - 1),
    "DOALL_NUM_THREADS": (1, 1024), "DOALL_SPIN_NS": (0, 10**12),
}
OTHERS = {
    "OMP_NUM_THREADS": ("4", "4,2,1", " 3 , 2 "),
    "OMP_PROC_BIND": ("true", "spread,close", "primary", "false"),
    "OMP_PLACES": ("{0,1}", "cores(2)", "{0:2}:2:1,!{1}", "ll_caches", "numa_domains"),
    "OMP_SCHEDULE": ("monotonic:dynamic,4", "auto", "affinity,k=2"),
    "OMP_STACKSIZE": ("2M", "512 k", "8192"),
    "OMP_ALLOCATOR": ("omp_default_mem_alloc", "omp_thread_mem_alloc"),
    "OMP_TOOL_LIBRARIES": ("libm.so.6", "/no/such.so:./x", ":"),
    "OMP_AFFINITY_FORMAT": ("%n/%N %A", "%0.5{host}", "level %L"),
    "GOMP_CPU_AFFINITY": ("0 1", "0-1:1", "0,1"),
    "GOMP_STACKSIZE": ("2M", "8192"),
    "GOMP_SPINCOUNT": ("5k", "infinity", "0"),
    "DOALL_SCHEDULE": ("guided,4", "affinity,k=2,order=reverse"),
    "DOALL_DOMAINS": ("1,1", "4,4"),
    "KMP_HW_SUBSET": (":1t", "1s,1c@0", "1c:eff0", "*s,*c"),
}
SEEDS = {**{v: w for v, w in WORDS.items()}, **{v: ("1", "7") for v in NUMBERS}, **OTHERS}
LETTERS = "0123456789,:!{}()-+ abekmtx%._\t=\"'\\\n\x01\xff"
TIMEOUT_S = 60


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


def text_for(variable, draw):
    how = draw.randrange(8)
    if how == 0:
        return "".join(draw.choice(LETTERS) for _ in range(draw.randint(0, 300)))
    if how == 1:
        return str(draw.choice([0, -1, 2**31, 2**32, 2**63, 2**64, 10**30, 1024, 1025]))
    seed = draw.choice(SEEDS[variable])
    return seed if how == 2 else mutate(seed, draw)


def is_good(variable, text):
    """Whether the text is a good value; None where that is not judged here."""
    text = text.strip(" \t\r\n")
    if variable in WORDS:
        return text.lower() in WORDS[variable]
    if variable in NUMBERS:
        least, most = NUMBERS[variable]
        return re.fullmatch(r"[0-9]+", text) is not None and least <= int(text) <= most
    return None


def check(variable, text, environment, program):
    """What is wrong with the program's run under the setting; empty when nothing is."""
    raw = text.encode("latin-1").replace(b"\0", b"")
    settings = {**environment, os.fsencode(variable): raw}
    if variable != "OMP_NUM_THREADS":  # however many threads a text asks for, the time is bounded
        settings.setdefault(b"OMP_NUM_THREADS", b"2")
    try:
        done = subprocess.run([program], env=settings, capture_output=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return f"did not end within {TIMEOUT_S} s"
    if done.returncode != 0:
        return f"ended with {done.returncode}: {done.stderr[-300:]!r}"
    said = f"doall: {variable}".encode() in done.stderr
    good = is_good(variable, text)
    # What is not there yet, or limited, is said of good values too.
    if good is False and not said:
        return "got no message"
    if good and said and b"is ignored: expected" in done.stderr:
        return f"is good, but got a message: {done.stderr!r}"
    return ""


def main():
    library, program = sys.argv[1:3]
    seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 10
    variables = sys.argv[4:] or sorted(SEEDS)
    seconds *= int(os.environ.get("DOALL_TEST_LONG", "1"))
    environment = {k: v for k, v in os.environb.items()
                   if not re.match(rb"(OMP|GOMP|DOALL)_|LD_PRELOAD$", k)}
    name, _, value = library.partition("=")
    environment[os.fsencode(name)] = os.fsencode(value)

    only = os.environ.get("DOALL_TEST_SEED")
    ends = time.monotonic() + seconds * (len(variables) if len(sys.argv) > 3 else 1)
    case = int(only) if only else 1
    while True:
        draw = random.Random(case)
        variable = variables[case % len(variables)]
        text = text_for(variable, draw)
        wrong = check(variable, text, environment, program)
        if wrong:
            print(f"{variable}={text!r} {wrong}\nto repeat: DOALL_TEST_SEED={case} "
                  + " ".join(sys.argv))
            return 1
        if only or time.monotonic() >= ends:
            break
        case += 1
    print(f"{case} cases of {len(variables)} variables")
    return 0


if __name__ == "__main__":
    sys.exit(main())
