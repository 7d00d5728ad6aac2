"""What the comments of a DejaGnu test ask for: "{ dg-options "-O2" { target c } }" and its like.

Only what libgomp's tests use is understood. What asks for a device is false here: the tests run on
the host, whose memory a target region shares.
"""

import fnmatch
import re
from dataclasses import dataclass, field

MACHINE = "x86_64-pc-linux-gnu"

# Effective targets that hold on the machines that doall is for; every other one does not.
HOLDS = {
    "__float128", "fd_truncate", "fpic", "large_long_double", "lp64", "lto",
    "offload_device_shared_as", "pthread", "shared",
    "size32plus", "sse2_runtime", "sync_char_short", "sync_int_long", "tls", "tls_runtime",
    "vect_simd_clones",
}


def cpu_has(flag):
    with open("/proc/cpuinfo") as info:
        return re.search(rf"^flags\s*:.*\b{flag}\b", info.read(), re.MULTILINE) is not None


if cpu_has("avx"):
    HOLDS.add("avx_runtime")


@dataclass
class Test:
    """A test as its comments describe it; `do` is None when it is not for this machine."""

    do: str = "run"
    options: list = None  # of dg-options; None: not given
    more_options: list = field(default_factory=list)
    sources: list = field(default_factory=list)
    environment: dict = field(default_factory=dict)
    fails: bool = False  # whether it must end with a status other than 0
    output: str = ""  # what it must print, as a regular expression
    timeout: float = None


def words_of(text):
    """The words of a Tcl list. A word in braces or quotes comes with its kind: (kind, word)."""
    words = []
    at = 0
    while at < len(text):
        c = text[at]
        if c.isspace():
            at += 1
        elif c == "{":
            depth, end = 1, at + 1
            while end < len(text) and depth > 0:
                depth += {"{": 1, "}": -1}.get(text[end], 0)
                end += 1
            words.append(("braces", text[at + 1:end - 1]))
            at = end
        elif c == '"':
            end = at + 1
            while end < len(text) and text[end] != '"':
                end += 2 if text[end] == "\\" else 1
            words.append(("quotes", text[at + 1:end]))
            at = end + 1
        else:
            end = at
            while end < len(text) and not text[end].isspace():
                end += 1
            words.append(("bare", text[at:end]))
            at = end
    return words


def unescape(text):
    """The text between quotes as Tcl reads it: it is written so that \\[ is a bracket."""
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "r": "\r", "t": "\t"}.get(m[1], m[1]), text)


def selected(text, language):
    """Whether a target selector such as "{ ! ia32 } && lp64" or "*-*-linux* *-*-gnu*" holds."""
    tokens = [t for kind, word in words_of(text)
              for t in ([("group", word)] if kind == "braces" else split_operators(word))]
    value, joined, negated = None, "||", False
    for kind, word in tokens:
        if kind == "operator":
            if word == "!":
                negated = not negated
            else:
                joined = word
            continue
        this = selected(word, language) if kind == "group" else holds(word, language)
        this = this != negated
        if value is None:
            value = this
        else:
            value = (value and this) if joined == "&&" else (value or this)
        joined, negated = "||", False  # machines side by side: any of them
    return bool(value)


def split_operators(word):
    return [("operator" if part in ("!", "&&", "||") else "name", part)
            for part in re.findall(r"&&|\|\||!|[^!&|]+", word)]


def holds(name, language):
    if "-" in name:
        return fnmatch.fnmatch(MACHINE, name)
    if name in ("c", "c++"):
        return name == language
    return name in HOLDS


def applies(words, language):
    """Whether a directive with these further words applies: they may name targets."""
    for kind, word in words:
        if kind == "braces" and word.split()[:1] == ["target"]:
            return selected(word.split(None, 1)[1], language)
    return True


def directives_in(text):
    for start in re.finditer(r"\{\s*(?=dg-)", text):
        line_end = text.find("\n", start.end())
        line = text[start.start():line_end if line_end != -1 else len(text)]
        found = words_of(line)
        if found and found[0][0] == "braces":
            words = words_of(found[0][1])
            yield words[0][1], words[1:]


def read(path, language):
    """Reads the test's description from its comments."""
    test = Test()
    with open(path, encoding="latin-1") as source:
        text = source.read()
    for name, words in directives_in(text):
        first = words[0][1] if words else ""
        rest = words[1:]
        if name == "dg-do":
            if not applies(rest, language):
                test.do = None
            elif test.do is not None:
                test.do = first
        elif name == "dg-skip-if":
            # Options are given as patterns behind the targets; "*" and "-O2" are those in use.
            targets = rest[0][1] if rest else ""
            if selected(targets, language) and (len(rest) < 2 or "-O2" not in rest[-1][1] or
                                                len(rest) == 2):
                test.do = None
        elif name.startswith("dg-require-effective-target"):
            if applies(rest, language) and not selected(first, language):
                test.do = None
        elif not applies(rest, language):
            continue
        elif name == "dg-options":
            test.options = first.split()
        elif name == "dg-additional-options":
            test.more_options += first.split()
        elif name == "dg-additional-sources":
            test.sources += first.split()
        elif name == "dg-set-target-env-var":
            test.environment[first] = rest[0][1]
        elif name == "dg-shouldfail":
            test.fails = True
        elif name == "dg-output":
            test.output += unescape(first)
        elif name == "dg-timeout":
            test.timeout = float(first)
    return test
