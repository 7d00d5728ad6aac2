"""Checks traces: trace_check.py TRACE [REPORT]

The file is JSON as Perfetto and Chrome read it: on each thread events begin in order, and of two
that overlap one holds the other. With the report of the same run, if nothing was left out: each
loop's chunks have its iterations and its work, and its shares the time that workers were inside.
"""
import collections
import json
import sys

from checks import check, conclude

trace = json.load(open(sys.argv[1]))


events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
meta = [e for e in trace["traceEvents"] if e["ph"] == "M"]
check(len(events) + len(meta) == len(trace["traceEvents"]), "an event is neither X nor M")
named = {(e["pid"], e["tid"]) for e in meta if e["name"] == "thread_name"}
threads = collections.defaultdict(list)
for e in events:
    threads[e["pid"], e["tid"]].append(e)
    check(e["dur"] >= 0 and e["ts"] >= 0, f"a time below 0: {e}")
for thread, own in threads.items():
    check(thread in named, f"thread {thread} has no name")
    around = []
    before = 0
    for e in own:
        begin, end = e["ts"], e["ts"] + e["dur"]
        check(begin >= before, f"it begins before the last: {e}")
        before = begin
        # Times are nanoseconds, in decimals of a microsecond.
        while around and around[-1] <= begin + 1e-4:
            around.pop()
        check(not around or end <= around[-1] + 1e-4, f"it ends after what is around it: {e}")
        around.append(end)

if len(sys.argv) > 2:
    check(trace["otherData"]["left_out"] == 0, "events are left out")
    report = json.load(open(sys.argv[2]))
    compared = 0
    for process in report["processes"]:
        mine = [e for e in events if e["pid"] == process["pid"]]
        for loop in process["loops"]:
            if loop["kind"] != "loop":
                continue
            where = loop["where"]
            shares = [e for e in mine if e["name"] == where and e["cat"] == "loop"]
            chunks = [e for e in mine if e["cat"] == "chunk" and e["args"]["loop"] == where]
            # Each chunk is rounded to nanoseconds; counting lies between chunks.
            room_us = len(chunks) / 1e3 + 1
            work_us = sum(e["dur"] for e in chunks)
            check(abs(work_us - loop["busy_ns"] / 1e3) <= 0.01 * work_us + room_us,
                  f"{where}: chunks took {work_us} us, the report has {loop['busy_ns']} ns")
            inside_us = sum(e["dur"] for e in shares)
            check(inside_us >= 0.99 * loop["inside_ns"] / 1e3 - room_us,
                  f"{where}: shares took {inside_us} us, the report has {loop['inside_ns']} ns")
            check(sum(e["args"]["iterations"] for e in shares) == loop["iterations"],
                  f"{where}: shares lack iterations of {loop['iterations']}")
            check(sum(e["args"]["chunks_stolen"] for e in shares) == loop["chunks_stolen"],
                  f"{where}: shares lack steals of {loop['chunks_stolen']}")
            ran = collections.Counter(e["args"]["from"] for e in chunks)
            dealt = loop["chunks_own"] + loop["chunks_central"] + loop["chunks_stolen"]
            check(sum(ran.values()) >= dealt, f"{where}: {ran} are not {dealt} chunks")
            check(loop["schedule"] in {e["args"]["schedule"] for e in shares},
                  f"{where}: no share ran under {loop['schedule']}")
            compared += 1
    check(compared > 0, "no loop was compared")

conclude(f"{len(events)} events on {len(threads)} threads, ")
