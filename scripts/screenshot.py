#!/usr/bin/env python3
"""The picture of README: screenshot.py PAGE PICTURE

Opens the report's page in headless Chromium, and the slowest loop in it, as a reader would.
"""
import base64
import pathlib
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests/cli"))
from devtools import Browser  # noqa: E402

page, picture = map(pathlib.Path, sys.argv[1:3])
chromium = shutil.which("chromium") or shutil.which("chromium-browser")
if chromium is None:
    sys.exit("screenshot.py: expected chromium, found none: apt-get install chromium")
if not page.exists():
    sys.exit(f"screenshot.py: no file {page}, expected a report's page: make demo")

with Browser(chromium) as browser:
    browser.media(scheme="light")
    browser.open(page)
    browser.value("[...document.querySelectorAll('tr.loop')]"
                  ".find(row => row.cells[1].textContent === 'loop').click()")
    # No path of the machine that made it.
    browser.value("(() => { const texts = document.createTreeWalker(document.body, 4);"
                  "while (texts.nextNode()) texts.currentNode.data = "
                  "texts.currentNode.data.replace(/\\/\\S*\\/build\\/demo\\//g, 'build/demo/');"
                  "})()")
    height = browser.value("document.querySelector('tr.details').getBoundingClientRect().bottom")
    shot = browser.send("Page.captureScreenshot", format="png", captureBeyondViewport=True,
                        clip={"x": 0, "y": 0, "width": 1280, "height": height + 16, "scale": 1})
picture.parent.mkdir(parents=True, exist_ok=True)
picture.write_bytes(base64.b64decode(shot["data"]))
print(f"{picture}: {picture.stat().st_size} bytes")
