"""The report's page for those who use no mouse, no light or paper: browser_use.py DOALL CHROMIUM

Real keys, dark mode, print and a report of 10^6 events, in headless Chromium.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

from checks import check, conclude
from devtools import Browser
from made_report import loop, report

doall, chromium = sys.argv[1:3]


# The texts that are seen whose contrast is less than WCAG's 4.5 (level AA), and parts of bars less
# than 3 (its figure for graphics).
CONTRAST = """(() => {
  const numbers = colour => colour.match(/[\\d.]+/g).map(Number);
  const luminance = colour => {
    const [r, g, b] = numbers(colour).map(c => c / 255)
      .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, two) => {
    const [low, high] = [luminance(one), luminance(two)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const opaque = colour => numbers(colour).length < 4 || numbers(colour)[3] > 0;
  const ground = node => {
    for (; node; node = node.parentElement) {
      const colour = getComputedStyle(node).backgroundColor;
      if (opaque(colour)) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const poor = [];
  let seen = 0;
  for (const node of document.querySelectorAll('body *')) {
    const own = [...node.childNodes].some(c => c.nodeType === 3 && c.textContent.trim());
    const look = getComputedStyle(node);
    if (!own || node.tagName === 'SCRIPT' || !node.getClientRects().length) continue;
    ++seen;
    const colour = node instanceof SVGElement ? look.fill : look.color;
    const found = ratio(colour, ground(node.parentElement && node instanceof SVGElement ?
      node.closest('svg').parentElement : node));
    if (found < 4.5) poor.push([node.tagName, node.textContent.slice(0, 30), found.toFixed(2)]);
  }
  const key = [...document.querySelectorAll('#key i')].map(i =>
    [i.className, ratio(getComputedStyle(i).backgroundColor, ground(i.parentElement))]);
  return {poor: poor.slice(0, 5), seen, key, ground: ground(document.body)};
})()"""

IS_SEEN = "(s => [...document.querySelectorAll(s)].filter(n => n.getClientRects().length).length)"

with tempfile.TemporaryDirectory() as folder, Browser(chromium) as browser:
    work = pathlib.Path(folder)

    def page_of(name, data):
        (work / f"{name}.json").write_text(json.dumps(data))
        page = work / f"{name}.html"
        subprocess.run([doall, "report", work / f"{name}.json", "-o", page], check=True,
                       capture_output=True)
        return page

    some = page_of("some", report([loop(n) for n in range(12)]))

    # --- dark mode and light, with a loop open
    for scheme in ("light", "dark"):
        browser.media(scheme=scheme)
        browser.open(some)
        browser.value("document.querySelector('tr.loop').click()")
        found = browser.value(CONTRAST)
        check(found["seen"] > 100, f"{scheme}: only {found['seen']} texts are seen")
        check(not found["poor"], f"{scheme}: texts of poor contrast: {found['poor']}")
        bright = sum(int(n) for n in found["ground"][4:-1].split(",")) > 3 * 128
        check(bright == (scheme == "light"), f"{scheme}: the ground is {found['ground']}")
        if scheme == "dark":
            for name, ratio in found["key"]:
                check(ratio >= 3, f"{scheme}: {name} has a contrast of {ratio:.2f}")

    # --- print: no controls, all loops, in dark mode too on white paper
    for scheme in ("light", "dark"):
        browser.media("print", scheme)
        browser.open(some)
        for control in ("input", "select", "#tools"):
            seen = browser.value(f"{IS_SEEN}('{control}')")
            check(seen == 0, f"print: {control} is seen")
        check(not browser.value("[...document.querySelectorAll('p')].some(p => "
                                "p.textContent.includes('Keys:') && p.getClientRects().length)"),
              "print: how to use keys is seen")
        check(browser.value(f"{IS_SEEN}('tr.loop')") == 12, "print: loops are missing")
        found = browser.value(CONTRAST)
        check(not found["poor"], f"print: texts of poor contrast: {found['poor']}")
        check(found["ground"] == "rgb(255, 255, 255)", f"print: the ground is {found['ground']}")
    browser.media()

    # --- the keyboard alone: sorts by a column, opens a loop, closes it, searches
    browser.open(some)
    focused = "document.activeElement.textContent"
    for _ in range(20):
        browser.press("Tab")
        if browser.value(focused) == "time":
            break
    check(browser.value(focused) == "time", "Tab does not reach the head of the column time")
    browser.press("Enter")
    sort = "document.activeElement.closest('th').getAttribute('aria-sort')"
    check(browser.value(sort) == "ascending", "Enter on a head does not sort")
    check(browser.value(
        "getComputedStyle(document.activeElement).outlineStyle") != "none", "no focus is seen")
    for _ in range(30):
        browser.press("Tab")
        if browser.value("document.activeElement.matches('tr.loop')"):
            break
    first = browser.value("document.activeElement.cells[0].textContent")
    check(browser.value("document.activeElement === document.querySelector('tr.loop')"),
          f"Tab does not reach the first loop, but {first}")
    browser.press("ArrowDown")
    second = browser.value("document.activeElement.cells[0].textContent")
    check(second != first, "ArrowDown does not move")
    for key, opened in (("Enter", 1), (" ", 0), ("Enter", 1)):
        browser.press(key)
        check(browser.value("document.querySelectorAll('tr.details').length") == opened,
              f"{key!r} does not open and close a loop")
    browser.press("/")
    for letter in "part_7":
        browser.press(letter)
    check(browser.value("[...document.querySelectorAll('tr.loop')].filter(r => !r.hidden).length")
          == 1, "typing behind / does not search")

    # --- 10^6 events: groups of calls, parts with costs, and workers
    events = 10**6
    big = loop(0)
    big["over_calls"] = [[1, 1000.0 + n % 97, 2000.0] for n in range(events // 2)]
    big["costs"] = [[1, 100.0 + n % 89] for n in range(events // 2)]
    page = page_of("big", report([big, loop(1)]))
    check(page.stat().st_size < 3_000_000, f"its page has {page.stat().st_size} bytes")
    browser.open(page)
    took = browser.value("""(() => {
      const begin = performance.now();
      document.querySelector('tr.loop:nth-child(2)').click();
      document.querySelector('tr.loop').click();
      document.body.getBoundingClientRect();
      return performance.now() - begin;
    })()""")
    # How long that takes says nothing beside other programs; how much is drawn does.
    print(f"10^6 events: {page.stat().st_size} bytes, two loops open after {took:.0f} ms")
    drawn = browser.value("document.querySelectorAll('svg *').length")
    check(100 < drawn < 1000, f"{drawn} nodes are drawn")
    text = browser.value("document.querySelector('#rows').textContent")
    check("500,000 groups of calls are drawn as" in text, "it does not say that calls are merged")
    check("500,000 parts are drawn as" in text, "it does not say that costs are merged")

    check(not browser.console, f"the console should be empty: {browser.console}")

conclude()
