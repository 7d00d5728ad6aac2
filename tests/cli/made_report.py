"""Reports that no program has left, for tests of the page."""


def loop(n):
    """A loop of a report, with all that a long run has of it."""
    number = ["workers", "calls", "calls_in_detail", "iterations", "wall_ns", "elapsed_ns",
              "in_regions_ns", "busy_ns",
              "capacity_ns", "bottleneck_ns", "inside_ns", "scheduling_ns", "waiting_ns", "idle_ns",
              "chunks_own", "chunks_central", "chunks_stolen", "stay_compared", "stay_stayed"]
    wall = 10**6 + (n * 7919) % 1000 * 1000
    made = {name: 12345678 for name in number}
    made |= {"where": f"compute_part_{n}._omp_fn.0 (part{n}.c:{n + 1})", "kind": "loop",
             "door": "gomp", "function": f"compute_part_{n}._omp_fn.0",
             "file": f"/home/somebody/src/project/part{n}.c", "line": n + 1, "module": "app",
             "offset": n, "caller": "", "share": 0.01, "is_only_loop": False, "schedule": "dynamic,16", "why": "its source names it",
             "wall_ns": wall, "calls": 6400, "calls_in_detail": 400,
             "parallel_efficiency": 0.512345678901234,
             "imbalance": 1.23456789012345, "overhead": 0.0123456789012345, "stayed": None,
             "advice": {"text": "its workers are unevenly busy: try a schedule that deals smaller "
                                "chunks", "settings": None, "schedule": None, "saves": None,
                        "saved_ns": None, "saved_share": None, "machine": None},
             "stealing": {}, "split": {"worker_time_ns": 4 * wall, "work_ns": 2 * wall,
                                       "scheduling_ns": wall // 2, "waiting_ns": wall,
                                       "idle_ns": wall // 2},
             "over_calls": [[100, 12345.678 + k, 23456.789] for k in range(64)],
             "slowest_call": {"call": 17, "ns": 23456.789, "workers":
                              [[12.345, 23000.123, 20000.456]] * 8},
             "costs": [[40, 1000.123 + 3 * k] for k in range(256)],
             "cost_histogram": [[2.0**k, 2.0**(k + 1), 1000 * k] for k in range(6, 16)],
             "source": {"first_line": max(n, 1), "lines":
                        ["#pragma omp parallel for schedule(dynamic, 16)"] * 8}}
    return made


def report(loops):
    facts = {"command": "./app --big", "settings": "OMP_DYNAMIC=true",
             "date": "2026-11-28T12:00:00Z", "wall_ns": 10**10, "cpus": 4}
    return {"schema": "doall-report/4", "doall": "test", "first": "Begin with something.",
            "run": facts | {"workers": 4, "processes_ns": 10**10, "others_part": None,
                            "lost_processes": 0, "cpu_ns": 0, "reported_cpu_ns": 0,
                            "missing": None},
            "processes": [{"pid": 1, "program": "app", "threads": 4, **facts, "loops": loops}]}
