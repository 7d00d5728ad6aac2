"""The page of `make programs`: a row a program, and what differs in words."""

import os
import platform
import subprocess
import textwrap

HEAD = """# Programs

Real programs, run as they come from Debian and PyPI, plainly and under `doall run`. Written by
`make programs` (`tests/e2e/programs`).

| | |
| --- | --- |
| CPU | {cpu}, {cpus} CPUs |
| system | {system}, Linux {kernel}, libgomp {libgomp} |
| commit | {commit} |
| load | {load} |

"""

LEGEND = """
*served*: how many places of the program ran on doall, and how often in all. *same*: what the
program prints or writes is the same as on its own runtime, with the usual number of threads and
with four; *bits*: to the byte. Times are medians of {rounds} rounds in turns, in seconds, the input
being small. *passive* and *doall*: times over those of its own runtime, whose wait policy is
`passive` there; doall's run is `doall run` with no option. *busy*: beside a process that keeps the
last CPU busy.
"""


def machine():
    cpu = "unknown"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                cpu = line.split(":", 1)[1].strip()
                break
    with open("/etc/os-release") as file:
        system = dict(x.strip().split("=", 1) for x in file if "=" in x)
    here = os.path.dirname(os.path.abspath(__file__))

    def said(*command):
        done = subprocess.run(command, capture_output=True, text=True, cwd=here)
        return done.stdout.strip() or "unknown"
    return {"cpu": cpu, "cpus": len(os.sched_getaffinity(0)), "kernel": platform.release(),
            "system": system.get("PRETTY_NAME", "").strip('"'),
            "libgomp": said("dpkg-query", "-W", "-f", "${Version}", "libgomp1"),
            "commit": said("git", "log", "-1", "--format=%h, %s")}


def ratio(times, way):
    return f"{times[way]['median'] / times['plain']['median']:.2f}"


def cells(row):
    if "not_installed" in row:
        return ["", "not installed", *[""] * 7]
    if "fails" in row:
        return [row["version"], "fails on its own runtime", *[""] * 7]
    if row.get("served"):
        served = f"{row['places']} places, {row['calls']} calls"
    else:
        served = "**no**"
    same = ("**no**" if row["wrong"] else "as often as plainly" if "itself" in row else
            "bits" if row.get("bits") else "within the tolerance")
    timed = []
    for load in ("idle", "busy"):
        t = row.get(load)
        timed += ([f"{t['plain']['median']:.2f}", ratio(t, "passive"), ratio(t, "doall")]
                  if t else [""] * 3)
    return [row["version"], served, same, *timed]


def line(row):
    """For the terminal."""
    words = [c.strip("*") for c in cells(row)]
    text = f"{row['name']}: {words[1]}" + (f", same: {words[2]}" if words[2] else "")
    if words[3]:
        text += f"; idle {words[3]} s, passive {words[4]}, doall {words[5]}"
        text += f"; busy {words[6]} s, passive {words[7]}, doall {words[8]}" if words[6] else ""
    return "\n    ".join([text, *notes(row)])


def notes(row):
    return [*([row["not_installed"]] if "not_installed" in row else []),
            *([row["fails"]] if "fails" in row else []), *row["wrong"],
            *([row["why"]] if row.get("served") is False else []), *row.get("said", []),
            *([row["refuses"]] if "refuses" in row else []),
            *([f"differs from itself without doall: {row['itself']}"] if "itself" in row else [])]


def page(rows, rounds, programs):
    loads = [r["load"] for r in rows if "load" in r]
    load = (f"{min(loads):.1f} to {max(loads):.1f} runnable threads when a program's times began: "
            + ("others computed on this machine meanwhile, so *idle* is not idle"
               if max(loads) > 1.5 * len(os.sched_getaffinity(0)) else "little or nothing else ran")
            if loads else "not measured")
    text = HEAD.format(load=load, **machine())
    text += ("| program | version | served | same | idle | passive | doall | busy | passive | "
             "doall |\n"
             "| --- | --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n")
    for row in rows:
        text += f"| {' | '.join([row['name'], *cells(row)])} |\n"
    text += LEGEND.format(rounds=rounds)
    said = [wrapped(f"- {row['name']}: {note}") for row in rows for note in notes(row)]
    if said:
        text += "\n## What was said\n\n" + "".join(said)
    how = [wrapped(f"- {name}: {p.why}" +
                   (f"; numbers within {p.tolerance:g}" if p.tolerance else ""))
           for name, p in programs.items() if p.why]
    text += "\n## What is not compared to the byte, and why\n\n" + "".join(how)
    return text


def wrapped(text):
    return textwrap.fill(text, 100, subsequent_indent="  ", break_long_words=False,
                         break_on_hyphens=False) + "\n"
