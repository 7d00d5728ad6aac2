"""Whether the report's first sentence is right: advice.py --doall DOALL --folder FOLDER

Of each program, which `make programs` has installed in FOLDER: runs it under `doall run --report`,
does what the first sentence says, and takes the times before and after in turns, with --beside also
those on its own runtime. Followed, it is to save at least half of what it said. A sentence that names nothing to
set is not followed, and a run in which other programs had the CPUs is not judged. Writes a page.
--own NAME=COMMAND: a program that is here already, as one that was built from its source.
"""

import argparse
import json
import os
import re
import statistics
import sys

from install import Folder, NotInstalled
from run import Failed, Runner
from table import PROGRAMS, Program

CHOSEN = ["tesseract", "FastTree", "MEGAHIT", "SUMACLUST", "data.table", "PyTorch", "faiss",
          "IQ-TREE", "SPAdes", "OpenBLAS", "GraphicsMagick", "Kalign", "ImageMagick"]


def claim_of(sentence):
    """What to set, as options of `doall run` and variables, and which part of the run it saves."""
    share = re.search(r"\(([\d.]+)% of the run\)", sentence)
    settings = re.search(r"; set (\w+)=(\S+?),", sentence)
    if settings and share:
        return [], {settings[1]: settings[2]}, float(share[1]) / 100
    schedule = re.search(r"doall run --schedule='([^']+)'", sentence)
    if schedule and share:
        return ["--schedule=" + schedule[1]], {}, float(share[1]) / 100
    return None


def median_times(runner, ways, rounds):
    """The medians of the ways' seconds, in turns; a way is how it is started, and variables."""
    taken = [[] for _ in ways]
    for turn in range(rounds):
        for n in range(len(ways)):
            which = (turn + n) % len(ways)
            prefix, variables = ways[which]
            taken[which].append(runner.run(prefix, more=variables)[2])
    return [statistics.median(seconds) for seconds in taken]


def row_of(name, given, folder):
    program = PROGRAMS[name]
    try:
        folder.packages(program.packages) or folder.wheels(program.wheels)
    except NotInstalled as no:
        return {"name": name, "sentence": f"not installed: {no}"}
    runner = Runner(program, name, folder, given.doall)
    try:
        runner.make_input()
        report = folder.at("advice.json")
        runner.run(runner.on_doall("--report=" + report))
        with open(report) as file:
            data = json.load(file)
        row = {"name": name, "sentence": data["first"],
               "others": data["run"]["others_part"] or 0}
        claim = claim_of(row["sentence"])
        if claim is None:
            return row
        options, variables, share = claim
        ways = [(runner.on_doall(), {}), (runner.on_doall(*options), variables)]
        before, after, *plain = median_times(runner, ways + [([], {})] * given.beside, given.rounds)
    except Failed as failed:
        return {"name": name, "sentence": f"fails: {failed}"}
    done = " ".join(options + [f"{k}={v}" for k, v in variables.items()])
    saved = 1 - after / before
    judged = row["others"] < 0.15
    return row | {"done": done, "before": before, "after": after, "said": share,
                  "plain": f"{plain[0]:.2f}" if plain else "", "saved": saved, "judged": judged,
                  "right": not judged or saved >= share / 2}


def page(rows, rounds):
    lines = ["# What the report's first sentence is worth", "",
             f"Each program under `doall run --report`, then {rounds} runs each under `doall run` "
             "without and with", "what its first sentence says, and on its own runtime (`BESIDE=1`), "
             "in turns; medians. Written by", "`make programs-advice`. *said*, *saved*: the share of the run "
             "that the sentence says that it saves", "at most, and that it saved. A dash: the "
             "sentence names nothing to set. *Not judged*: other programs", "had 15 % of the CPUs "
             "or more.", "",
             "| program | first sentence | done | own runtime, s | before, s | after, s | said |"
             " saved |", "| --- | --- | --- | --- | --- | --- | --- | --- |"]
    for row in rows:
        sentence = row["sentence"].replace("|", "\\|")
        if "done" not in row:
            lines.append(f"| {row['name']} | {sentence} | - | - | - | - | - | - |")
            continue
        word = "" if row["right"] else " (less than half)"
        word = word if row["judged"] else " (not judged)"
        lines.append(f"| {row['name']} | {sentence} | `{row['done']}` | {row['plain']} | "
                     f"{row['before']:.2f} | {row['after']:.2f} | {row['said']:.0%} | "
                     f"{row['saved']:.0%}{word} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--doall", required=True, type=os.path.abspath)
    parser.add_argument("--folder", required=True)
    parser.add_argument("--page", help="where the page is written; FOLDER/advice.md")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--beside", action="store_true", help="also on its own runtime")
    parser.add_argument("--only", action="append")
    parser.add_argument("--own", action="append", default=[], metavar="NAME=COMMAND")
    given = parser.parse_args()
    own = dict(each.split("=", 1) for each in given.own)
    PROGRAMS.update({name: Program(command) for name, command in own.items()})
    folder = Folder(given.folder)
    rows = []
    for name in given.only or [*CHOSEN, *own]:
        rows.append(row_of(name, given, folder))
        print(rows[-1], flush=True)
        # After each: it takes long, and may be ended.
        with open(given.page or folder.at("advice.md"), "w") as file:
            file.write(page(rows, given.rounds))
    wrong = [r["name"] for r in rows if not r.get("right", True)]
    print(f"{len(rows) - len(wrong)} right, {len(wrong)} not" +
          (": " + " ".join(wrong) if wrong else ""))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
