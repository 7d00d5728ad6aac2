#!/usr/bin/env python3
"""The pages of the API reference: what the public headers declare, as doxygen reads it.

    api_reference.py FOLDER          writes C++'s, C's and MPI's page there
    api_reference.py --filter FILE   a header as doxygen gets it: plain comments as documentation

The headers' comments are plain ones, in Markdown. Doxygen says which declaration a comment belongs
to, and what it is; the text is shown as it stands in the header.
"""
import pathlib
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include/doall"

# Page, title, how the reader gets it, and the headers in the order in which it has them.
PAGES = [
    ("cpp", "C++", "#include <doall/doall.hpp>",
     ["for.hpp", "for_each.hpp", "reduce.hpp", "reduce_range.hpp", "space.hpp", "scan.hpp",
      "sort.hpp", "stable_sort.hpp", "find.hpp", "tasks.hpp", "per_worker.hpp", "threads.hpp",
      "domains.hpp", "range.hpp", "options.hpp", "schedule.hpp", "costs.hpp"]),
    ("c", "C", "#include <doall/doall.h>", ["doall.h", "abi.h"]),
    ("mpi", "MPI", "#include <doall/mpi.hpp>", ["mpi.hpp", "mpi.h"]),
]

DOXYFILE = """
INPUT = {include}
FILE_PATTERNS = *.hpp *.h
EXCLUDE_PATTERNS = */omp-tools.h
EXCLUDE_SYMBOLS = *detail*
INPUT_FILTER = "{python} {script} --filter"
OUTPUT_DIRECTORY = {output}
GENERATE_HTML = NO
GENERATE_LATEX = NO
GENERATE_XML = YES
XML_PROGRAMLISTING = NO
MARKDOWN_SUPPORT = NO
AUTOLINK_SUPPORT = NO
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
PREDEFINED = DOALL_API= __cpp_lib_jthread=1 __cplusplus=202002L
QUIET = YES
WARN_IF_UNDOCUMENTED = NO
WARN_IF_DOC_ERROR = NO
"""


def as_verbatim(lines, is_of_file):
    """A comment's lines as one that doxygen leaves as it is."""
    return ["/**", "@file"][:1 + is_of_file] + ["@verbatim", *lines, "@endverbatim", "*/"]


def filtered(text):
    """The header with its plain comments as documentation, and without the inline namespaces."""
    out = []
    block = []  # of // comments

    def flush():
        if block:
            out.extend(as_verbatim(block, not out))
            block.clear()

    in_c = False
    for line in text.splitlines():
        if in_c:
            end = line.find("*/")
            body = re.sub(r"^ *\* ?", "", line if end < 0 else line[:end])
            block.append(body.rstrip())
            if end >= 0:
                in_c = False
                flush()
        elif match := re.fullmatch(r" *// ?(.*)", line):
            block.append(match[1])
        elif match := re.fullmatch(r" */\* (.*?)(\*/)?", line):
            flush()
            block.append(match[1].rstrip())
            in_c = match[2] is None
            if not in_c:
                flush()
        else:
            flush()
            if not re.match(r"(inline namespace|\}  // namespace) (v0|unstoppable)", line):
                out.append(line)
    flush()
    return "\n".join(out) + "\n"


def text_of(element):
    return "" if element is None else "".join(element.itertext())


def words_of(element):
    """What doxygen kept of a comment: the header's own Markdown; indented lines are code."""
    said = "\n\n".join(v.text.strip("\n") for v in element.iter("verbatim"))
    out = []
    in_code = False
    for line in said.split("\n"):
        is_code = line.startswith("  ") or (in_code and not line)
        if is_code and not in_code and (not out or not out[-1]):
            out.append("```cpp")
            in_code = True
        elif in_code and not is_code:
            while not out[-1]:
                out.pop()
            out += ["```", ""]
            in_code = False
        if not in_code:
            # Templates and half-open intervals are no tags and no links.
            line = "".join(part if k % 2 else re.sub(r"([<*_\[\]])", r"\\\1", part)
                           for k, part in enumerate(re.split(r"(`[^`]*`)", line)))
        out.append(line[2:] if in_code and line.startswith("  ") else line)
    if in_code:
        while not out[-1]:
            out.pop()
        out.append("```")
    return "\n".join(out).strip("\n")


def tidy(code):
    """A declaration as its readers write it: no spaces or insides that they do not see."""
    code = re.sub(r"\s+", " ", code).replace("< ", "<").replace(" >", ">")
    code = re.sub(r",? const std::source_location ?&where=[^,)]*\(\)", "", code)
    code = code.replace("detail::constants.none", "{}")
    code = re.sub(r" (&&?|\*+) ?(?=[\w,)>.]|$)", r"\1 ", code)  # to the type
    code = re.sub(r"([&*]) +(?=[,)>.]|$)", r"\1", code)
    return re.sub(r"(?<![<>=!])(?<!operator)=(?!=)", " = ", code).replace("  ", " ")


def wrapped(code, width=88):
    """A long declaration in lines: its parameters below it."""
    lines = []
    for line in code.split("\n"):
        while len(line) > width and ", " in line:
            cut = line.rfind(", ", 0, width)
            if cut < 0:
                cut = line.find(", ")
            lines.append(line[:cut + 1])
            line = "    " + line[cut + 2:]
        lines.append(line)
    return "\n".join(lines)


def parameters_of(templates):
    return ", ".join(" ".join(filter(None, (
        text_of(p.find("type")) + (" " + text_of(p.find("declname"))
                                   if p.find("declname") is not None else ""),
        "= " + text_of(p.find("defval")) if p.find("defval") is not None else "")))
        for p in templates.iter("param"))


def declaration_of(member):
    kind, name = member.get("kind"), text_of(member.find("name"))
    if kind == "enum":
        values = ", ".join(text_of(v.find("name")) for v in member.iter("enumvalue"))
        return f"enum class {name} {{ {values} }};" if member.get("strong") == "yes" else values
    if kind == "define":
        its = [text_of(p.find("defname")) for p in member.iter("param")]
        return f"{name}({', '.join(its)})" if its else f"#define {name}"
    lines = []
    templates = member.find("templateparamlist")
    if templates is not None:
        lines.append(f"template <{tidy(parameters_of(templates))}>")
    arguments = text_of(member.find("argsstring"))
    type_of = text_of(member.find("type"))
    if kind == "typedef":
        lines.append(tidy(text_of(member.find("definition"))) + ";")
    else:
        lines.append(tidy(f"{type_of} {name}{arguments}").strip() + ";")
    requires = member.find("requiresclause")
    if requires is not None:
        lines.insert(1, "  requires " + " ".join(text_of(requires).split()))
    return "\n".join(lines)


class Reference:
    """What doxygen has read, by header."""

    def __init__(self, xml):
        self.files = {}     # header: its own comment
        self.members = {}   # header: [(line, name, declaration, words, members of a class)]
        for path in sorted(xml.glob("*.xml")):
            if path.stem in ("index", "Doxyfile") or path.stem.startswith("dir_"):
                continue
            for compound in ElementTree.parse(path).getroot().iter("compounddef"):
                self.add(compound)
        for its in self.members.values():
            its.sort(key=lambda m: m[0])

    def add(self, compound):
        kind, name = compound.get("kind"), text_of(compound.find("compoundname"))
        at = compound.find("location")
        if kind == "file":
            self.files[pathlib.Path(at.get("file")).name] = words_of(
                compound.find("detaileddescription"))
        if kind in ("file", "namespace"):
            for member in compound.iter("memberdef"):
                self.add_member(member)
        elif kind in ("class", "struct", "union", "concept"):
            words = words_of(compound.find("detaileddescription"))
            inside = [(declaration_of(m), words_of(m.find("detaileddescription")))
                      for section in compound.iter("sectiondef")
                      if section.get("kind", "").startswith("public")
                      for m in section.iter("memberdef") if m.get("prot") == "public"]
            short = name.removeprefix("doall::")
            head = f"{kind} {short};"
            templates = compound.find("templateparamlist")
            if templates is not None:
                head = f"template <{tidy(parameters_of(templates))}>\n{head}"
            if words:
                self.put(at, short, head, words, inside)

    def add_member(self, member):
        words = words_of(member.find("detaileddescription"))
        if words and not text_of(member.find("name")).startswith("@"):
            self.put(member.find("location"), text_of(member.find("name")), declaration_of(member),
                     words, [])

    def put(self, at, name, declaration, words, inside):
        header = pathlib.Path(at.get("file")).name
        self.members.setdefault(header, []).append(
            (int(at.get("line")), name, declaration, words, inside))

    def page(self, title, include, headers):
        out = [f"# {title}", "", f"What `{include}` declares, from the headers' own comments.", ""]
        for header in headers:
            out += [f"## {header}", ""]
            if self.files.get(header):
                out += [self.files[header], ""]
            before = None
            for _, name, declaration, words, inside in self.members.get(header, []):
                if name != before:
                    out += [f"### {name}", ""]
                before = name
                out += ["```cpp", wrapped(declaration), "```", "", words, ""]
                plain = [wrapped(d) for d, w in inside if not w]
                for d, w in [("\n".join(plain), "")] * bool(plain) + [i for i in inside if i[1]]:
                    out += ["```cpp", wrapped(d), "```", "", w, ""]
        return "\n".join(out).rstrip("\n") + "\n"


def write(folder):
    """Writes the pages."""
    with tempfile.TemporaryDirectory() as work:
        configuration = pathlib.Path(work) / "Doxyfile"
        configuration.write_text(DOXYFILE.format(
            include=INCLUDE, python=sys.executable, script=__file__, output=work))
        try:
            subprocess.run(["doxygen", configuration], check=True)
        except FileNotFoundError:
            sys.exit("api_reference: no doxygen: install it (scripts/setup.sh docs)")
        reference = Reference(pathlib.Path(work) / "xml")
    folder.mkdir(parents=True, exist_ok=True)
    for name, title, include, headers in PAGES:
        empty = [h for h in headers if not reference.members.get(h)]
        if empty:
            sys.exit(f"api_reference: doxygen found nothing in {', '.join(empty)}")
        (folder / f"{name}.md").write_text(reference.page(title, include, headers))


def main(arguments):
    if len(arguments) == 2 and arguments[0] == "--filter":
        sys.stdout.write(filtered(pathlib.Path(arguments[1]).read_text()))
    elif len(arguments) == 1:
        write(pathlib.Path(arguments[0]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
