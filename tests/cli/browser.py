"""The pages in a browser: browser.py DOALL CHROMIUM [--timed]

Opens pages in headless Chromium with a script behind theirs, which sorts, searches, opens and
zooms, and leaves what it found in the document. With --timed: only how soon a long page is there.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

from checks import check, conclude
from made_report import loop, report

doall, chromium = sys.argv[1:3]
is_timed = sys.argv[3:] == ["--timed"]
evil = "</script><img src=x onerror='window.injected=1'><b class=evil>&amp;\"'"


SCRIPT = """<script>
(() => {
  const found = {};
  const all = selector => [...document.querySelectorAll(selector)];
  const shown = () => all('tr.loop').filter(row => !row.hidden);
  const key = (node, name) => node.dispatchEvent(new KeyboardEvent('keydown',
    {key: name, bubbles: true, cancelable: true}));
  try {
    document.body.getBoundingClientRect();
    found.ready_ms = performance.now();
    found.first = document.getElementById('first').textContent;
    found.rows = all('tr.loop').length;
    found.title = document.title;
    found.intervals = all('svg.interval').length;
    found.text = document.getElementById('rows').textContent.slice(0, 2000);
    const times = () => all('tr.loop td:nth-child(3)').map(cell => {
      const [number, unit] = cell.textContent.split(' ');
      return number * {ns: 1, us: 1e3, ms: 1e6, s: 1e9}[unit];
    });
    const ordered = list => list.every((value, n) => n === 0 || list[n - 1] <= value);
    found.slowest_first = ordered(times().reverse());
    all('th')[2].click();
    found.fastest_first = ordered(times());
    found.sort = all('th')[2].getAttribute('aria-sort');
    all('th')[0].click();
    found.first_where = shown()[0].cells[0].textContent;
    const search = document.getElementById('search');
    const ask = text => { search.value = text; search.dispatchEvent(new Event('input')); };
    ask('PART_77');
    found.found = shown().length;
    found.count = document.getElementById('count').textContent;
    ask('');
    key(document.body, '/');
    found.slash = document.activeElement === search;
    found.below = all('tr.below').length;
    if (found.below > 0) {
      const last = shown()[199];
      last.focus();
      key(last, 'ArrowDown');
      found.reached = document.activeElement === shown()[200];
      found.still_below = all('tr.below').length;
    }
    const row = shown()[0];
    row.focus();
    key(row, 'ArrowDown');
    found.arrow = document.activeElement === shown()[1];
    key(row, 'Enter');
    found.details = all('tr.details').length;
    found.charts = all('tr.details svg').length;
    found.expanded = row.getAttribute('aria-expanded');
    const line = all('tr.details svg[tabindex]')[0];
    if (line) {
      const end = () => [...line.querySelectorAll('text')].pop().textContent;
      found.end = end();
      line.dispatchEvent(new WheelEvent('wheel', {deltaY: -1, cancelable: true}));
      found.zoomed = end();
      key(line, 'ArrowRight');
      found.panned = end();
      key(line, '0');
      found.reset = end();
    }
    found.source = all('tr.details pre').map(pre => pre.textContent).join('');
    key(row, 'Enter');
    found.closed = all('tr.details').length;
    const box = document.getElementById('merge');
    if (box) {
      box.click();
      found.merged = shown().length;
      found.merged_text = shown()[0].textContent;
    }
    found.injected = window.injected === 1 || all('.evil, main img').length > 0;
  } catch (error) {
    found.error = String(error);
  }
  const text = document.createElement('pre');
  text.id = 'found';
  text.textContent = encodeURIComponent(JSON.stringify(found));
  document.body.append(text);
})();
</script>
"""


def browse(page, *options):
    profile = page.with_suffix(".profile")
    run = subprocess.run(
        [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
         f"--user-data-dir={profile}", "--enable-logging=stderr", *options, page.as_uri()],
        capture_output=True, text=True, timeout=120)
    console = [line for line in run.stderr.splitlines() if "CONSOLE" in line]
    check(not console, f"{page.name}: the console should be empty: {console}")
    return run


def open_page(name, data):
    file = work / f"{name}.json"
    file.write_text(json.dumps(data))
    page = work / f"{name}.html"
    subprocess.run([doall, "report", file, "-o", page], check=True, capture_output=True)
    return page, visit(name, page)


def visit(name, page):
    tested = work / f"{name}.tested.html"
    tested.write_text(page.read_text().replace("</body>", SCRIPT + "</body>"))
    run = browse(tested, "--dump-dom")
    match = re.search(r'<pre id="found">([^<]*)</pre>', run.stdout)
    if not match:
        check(False, f"{name}: the page was not run: {run.stdout[:300]} {run.stderr[-2000:]}")
        return {}
    from urllib.parse import unquote
    return json.loads(unquote(match[1]))


def judge_time():
    """The fastest of three attempts, on a quiet machine (`make bars`)."""
    ready = min(open_page("many", report(many))[1].get("ready_ms", 1e9) for _ in range(3))
    check(ready < 1000, f"1,000 loops are there after {ready} ms, expected less than 1,000")
    print(f"1,000 loops: there after {ready:.0f} ms")


with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    many = [loop(n) for n in range(1000)]
    if is_timed:
        judge_time()
        conclude()
    page, found = open_page("many", report(many))
    size = page.stat().st_size
    check(size < 3_000_000, f"a page of 1,000 loops has {size} bytes, expected less than 3 MB")
    expected = {"first": "Begin with something.", "rows": 1000, "slowest_first": True,
                "fastest_first": True, "sort": "ascending",
                "first_where": "compute_part_0._omp_fn.0 (part0.c:1)", "found": 11,
                "count": "11 of 1000", "below": 800, "reached": True, "still_below": 600,
                "slash": True, "arrow": True, "details": 1, "charts": 4,
                "expanded": "true", "closed": 0, "injected": False, "error": None}
    for name, value in expected.items():
        check(found.get(name) == value, f"{name} is {found.get(name)!r}, expected {value!r}")
    check(found.get("end") == found.get("reset") != found.get("zoomed") != found.get("panned"),
          f"the timeline does not zoom and pan: {found}")
    check("schedule(dynamic, 16)" in found.get("source", ""), "the source's lines are not shown")

    bad = loop(0)
    for name in ("where", "function", "file", "schedule", "why"):
        bad[name] = evil
    bad["advice"] = bad["advice"] | {"text": evil, "schedule": evil, "machine": evil}
    bad["source"]["lines"] = [evil]
    page, found = open_page("evil", report([bad, loop(1)]) | {"first": evil})
    check(found.get("first") == evil, f"the sentence is {found.get('first')!r}")
    check(found.get("injected") is False and found.get("error") is None, f"markup ran: {found}")

    empty = report([])
    page, found = open_page("empty", empty)
    check(found.get("rows") == 0, f"an empty report has {found.get('rows')} rows")

    several = report([loop(0), loop(1)])
    several["processes"].append(several["processes"][0] | {"pid": 2})
    page, found = open_page("several", several)
    check(found.get("rows") == 4 and found.get("merged") == 2 and "app 1" in found.get("text", "")
          and "2 processes" in found.get("merged_text", "") and found.get("error") is None,
          f"two processes: {found}")

    region = loop(0) | {"kind": "region", "schedule": "-", "why": "-", "iterations": 0}
    page, found = open_page("region", report([region, region | {"is_only_loop": True}, loop(1)]))
    check(found.get("rows") == 2 and "6400-12345678--" in found.get("text", ""), f"a region: {found}")

    nested = loop(0) | {"kind": "nested", "parallel_efficiency": None, "imbalance": None,
                        "over_calls": [], "slowest_call": None, "costs": [],
                        "cost_histogram": [], "source": None}
    page, found = open_page("bare", report([nested]))
    check(found.get("charts") == 0 and found.get("details") == 1, f"a bare loop: {found}")

    for name, data in (("diff_a", [loop(0), loop(1)]), ("diff_b", [loop(1), loop(2)])):
        (work / f"{name}.json").write_text(json.dumps(report(data)))
    subprocess.run([doall, "diff", work / "diff_a.json", work / "diff_b.json", "--html",
                    work / "diff.html"], check=True, capture_output=True)
    run = browse(work / "diff.html", "--dump-dom")
    check(run.stdout.count('<tr class="loop"') == 3 and ">gone<" in run.stdout and
          ">new<" in run.stdout, "the page of two reports lacks loops")

    probe = work / "probe"
    subprocess.run(["gcc", "-O1", "-fopenmp", pathlib.Path(__file__).with_name("probe.c"), "-o",
                    probe], check=True)
    # All rounds give the same number. Peer, metric and arguments are any text.
    subprocess.run([doall, "compare", "--schedules=static;guided", f"--peers={evil.split(';')[0]}",
                    "--threads=2", "--metric=<b class=evil>", "--html", work / "compare.html", "--", probe,
                    "loop", "print=<b class=evil>: 12.5", evil], check=True, capture_output=True)
    found = visit("compare", work / "compare.html")
    expected = {"title": "doall compare", "rows": 11, "intervals": 20, "slash": True, "arrow": True,
                "details": 1, "charts": 1, "expanded": "true", "closed": 0, "injected": False,
                "error": None}
    for name, value in expected.items():
        check(found.get(name) == value, f"compare: {name} is {found.get(name)!r}, not {value!r}")
    check("differ by noise" in found.get("first", ""), f"compare: the sentence is {found}")
    check("1.00 (1.00..1.00) noise" in found.get("text", ""), f"compare: no word: {found}")

    command = found.get("source", "")  # of the row that is open
    check(("--threads=2" if "doall run" in command else "OMP_NUM_THREADS=2") in command,
          f"compare: to run it again is {command!r}")

    pdf = work / "many.pdf"
    browse(work / "bare.html", f"--print-to-pdf={pdf}")
    check(pdf.exists() and pdf.read_bytes().startswith(b"%PDF"), "the page does not print")

conclude()
