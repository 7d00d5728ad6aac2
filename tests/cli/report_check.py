"""Checks reports: report_check.py SCHEMA REPORT...

Each REPORT agrees with the schema, and in each loop work, scheduling, waiting and idle time are the
workers' time within 1 %.
"""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
loops = 0
for file in sys.argv[2:]:
    report = json.load(open(file))
    wrong = list(validator.iter_errors(report))
    for error in wrong:
        print(f"{file}: {error.json_path}: {error.message}")
    for process in report["processes"]:
        for loop in process["loops"]:
            split = loop["split"]
            whole = split["worker_time_ns"]
            parts = sum(split[p + "_ns"] for p in ("work", "scheduling", "waiting", "idle"))
            loops += 1
            # Each is rounded down to whole nanoseconds.
            if abs(parts - whole) > whole / 100 + 4:
                wrong.append(loop)
                print(f"{file}: {loop['where']}, {loop['kind']}, {loop['schedule']}: parts of "
                      f"{parts} ns, expected {whole}: {split}")
            if loop["kind"] != "nested" and whole != loop["capacity_ns"]:
                wrong.append(loop)
                print(f"{file}: {loop['where']}: {whole} ns, expected {loop['capacity_ns']}")
            if not (loop["calls"] > 0) <= loop["calls_in_detail"] <= loop["calls"]:
                wrong.append(loop)
                print(f"{file}: {loop['where']}: {loop['calls_in_detail']} in detail of "
                      f"{loop['calls']} calls")
            if sum(group[0] for group in loop["over_calls"]) not in (0, loop["calls"]):
                wrong.append(loop)
                print(f"{file}: {loop['where']}: over_calls lacks some of {loop['calls']} calls")
    if wrong:
        sys.exit(1)
print(f"{loops} loops")
