#!/usr/bin/env python3
"""Random nests of loops, compiled by Clang with doall's pass plugin: programs do what they do without
it, and what loops say of their costs never faults and is what they then run.

    nests.py BIN PLUGIN CLANG [SEED [NESTS]]

The nests are those of GCC's plugin (../nests.py). Compiled with prices that count rounds alone, a
cost function must give 1 and the rounds of the loops inside, as the program counts them, unless Clang
has made formulas of loops or unrolled them, which then cost less, or the most was said of loops that
are left early and of conditions: so half of the nests with costs must be right to the last round.
Each array ends at a page that nobody may touch, and half of the
programs are compiled with ASan.

DOALL_TEST_SEED=N repeats one program; DOALL_TEST_LONG makes 10,000 nests.
"""
import concurrent.futures
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import nests  # noqa: E402

PRICES = "0,0,0,0,1,0"


def run(command, **more):
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: status {done.returncode}\n"
                           f"{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done.stdout


def check(plugin, clang, seed, folder):
    """Returns how many nests there are, have costs, and are right to the last round."""
    rng = random.Random(seed)
    made = [nests.nest_in_c(rng, k) for k in range(nests.NESTS_A_PROGRAM)]
    source = folder / "nests.c"
    source.write_text("\n".join(text for _, text in made))
    (folder / "table.h").write_text("".join(
        f"NEST({k}, {int('--i0' in text)})\n" for k, (_, text) in enumerate(made)))
    level = rng.choice(["-O0", "-O1", "-O2", "-O2", "-O3"])
    flags = [level, "-g", "-fopenmp", "-w"] + (["-fsanitize=address"] if seed % 2 == 0 else [])
    with_pass = [f"-fplugin={plugin}", f"-fpass-plugin={plugin}", "-mllvm", f"-doall-prices={PRICES}"]
    said = {}
    for name, more in (("plain", []), ("costed", with_pass)):
        run([clang, *flags, *more, "-c", source, "-o", folder / f"{name}.o"])
        run([clang, *flags, f"-DLENGTH={nests.N}", f"-DROW={nests.ROW}", f"-I{folder}",
             HERE / "nests_check.c", folder / f"{name}.o", "-o", folder / name, "-lm"])
        said[name] = run([folder / name, str(seed)],
                         env={**os.environ, "OMP_NUM_THREADS": "1", "ASAN_OPTIONS": "detect_leaks=0"})
    answers = {name: re.findall("^answer.*$", text, re.M) for name, text in said.items()}
    if answers["plain"] != answers["costed"]:
        raise RuntimeError(f"{level}: the answers are others:\n{answers}")
    costs = re.findall(r"^nest(\d+) (right|fewer|more|differs)(.*)$", said["costed"], re.M)
    return len(made) if level != "-O0" else 0, costs, [made[int(k)][1] for k, what, _ in costs
                                                       if what in ("more", "differs")]


def main():
    _, plugin, clang = sys.argv[1:4]
    one = os.environ.get("DOALL_TEST_SEED")
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    wanted = int(sys.argv[5]) if len(sys.argv) > 5 else (
        10_000 if int(os.environ.get("DOALL_TEST_LONG", "1")) > 1 else 200)
    programs = -(-wanted // nests.NESTS_A_PROGRAM)
    seeds = [int(one)] if one else range(first, first + programs)
    total = 0
    counts = {"right": 0, "fewer": 0, "more": 0, "differs": 0}

    def check_one(seed):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return check(plugin, clang, seed, pathlib.Path(folder))
            except Exception as wrong:
                raise RuntimeError(f"{wrong}\nto repeat: DOALL_TEST_SEED={seed} "
                                   f"{' '.join(sys.argv[:4])}") from None

    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as at_once:
        try:
            for made, costs, odd in at_once.map(check_one, seeds):
                total += made
                for _, what, _ in costs:
                    counts[what] += 1
                if one or os.environ.get("DOALL_TEST_VERBOSE"):
                    print(costs, *odd, sep="\n")
        except RuntimeError as wrong:
            at_once.shutdown(cancel_futures=True)
            sys.exit(str(wrong))
    costed = sum(counts.values())
    print(f"{total} nests, {costed} with costs: {counts}")
    if not one and (costed * 5 < total or counts["right"] * 2 < costed):
        sys.exit("expected costs of a fifth of the nests, and half of these right")


if __name__ == "__main__":
    main()
