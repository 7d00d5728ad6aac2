#!/usr/bin/env python3
"""Builds the documents' site into build/docs/site: docs.py [--check]

The pages are the tree's Markdown files, where they lie. Links to other files of the tree (sources,
scripts) become their names, since the site has no sources; a link to nothing is an error, and so is
an anchor that is not there (mkdocs --strict). The API's pages are made of the headers
(api_reference.py). --check: only the dead links, without mkdocs.
"""
import pathlib
import re
import shutil
import subprocess
import sys

import api_reference

ROOT = pathlib.Path(__file__).resolve().parent.parent
TO = ROOT / "build/docs"
PACKAGES = ["mkdocs>=1.6,<2", "mkdocs-material>=9.5,<10"]
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)\)")


def tracked():
    """Returns the tree's files: those that git has or would have, elsewhere all."""
    try:
        text = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                              capture_output=True, text=True).stdout
        return [ROOT / name for name in text.splitlines() if (ROOT / name).is_file()]
    except (OSError, subprocess.CalledProcessError):
        return [path for path in ROOT.rglob("*") if path.is_file() and TO not in path.parents]


def links_of(text):
    """Yields the parts of a page: (is_code, text)."""
    for number, part in enumerate(re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)):
        yield number % 2 == 1, part


def page_of(path, pages, wrong):
    """Returns the page's text as the site has it; adds dead links to `wrong`."""
    def link(match):
        picture, shown, target = match.groups()
        name, _, anchor = target.partition("#")
        if "://" in target or target.startswith("mailto:") or not name:
            return match.group(0)
        to = (path.parent / name).resolve()
        if to.is_dir() and to / "README.md" in pages:
            name = name.rstrip("/") + "/README.md"
            return f"{picture}[{shown}]({name}{'#' + anchor if anchor else ''})"
        if not to.exists():
            wrong.append(f"{path.relative_to(ROOT)}: no {target}")
        if picture or to in pages:
            return match.group(0)
        return shown

    parts = [part if is_code else LINK.sub(link, part) for is_code, part in
             links_of(path.read_text())]
    return "".join(parts)


def main(arguments):
    if arguments not in ([], ["--check"]):
        sys.exit(f"docs: unknown {' '.join(arguments)!r}, expected --check or nothing")
    files = tracked()
    pages = {path for path in files if path.suffix == ".md"}
    pictures = [path for path in files if path.suffix in (".png", ".svg")]
    wrong = []
    texts = {path: page_of(path, pages, wrong) for path in sorted(pages)}
    if wrong:
        sys.exit("docs: dead links:\n  " + "\n  ".join(wrong))
    print(f"docs: {len(pages)} pages, no dead link")
    if arguments:
        return
    shutil.rmtree(TO / "pages", ignore_errors=True)
    for path, text in texts.items():
        to = TO / "pages" / path.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        to.write_text(text)
    for path in pictures:
        to = TO / "pages" / path.relative_to(ROOT)
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, to)
    api_reference.write(TO / "pages/api")
    tools = TO / "venv"
    if not (tools / "complete").exists():
        subprocess.run([sys.executable, "-m", "venv", tools], check=True)
        subprocess.run([tools / "bin/pip", "install", "--quiet", *PACKAGES], check=True)
        (tools / "complete").touch()
    subprocess.run([tools / "bin/mkdocs", "build", "--quiet", "--strict", "--config-file",
                    ROOT / "docs/site/mkdocs.yml"], check=True)
    print(f"docs: {TO / 'site/README.html'}" if (TO / "site/README.html").exists() else
          f"docs: {TO / 'site/index.html'}")


if __name__ == "__main__":
    main(sys.argv[1:])
