#!/usr/bin/env python3
"""Random nests of loops in C and Fortran: what the plugin says that an iteration costs is what it
then runs, or it says nothing.

    nests.py BIN SOURCES [SEED [NESTS]]

Compiled with prices that count rounds alone, a cost function must give 1 and the rounds of the loops
inside, as the program itself counts them; where both branches of a condition have loops, or a loop is
left early, at least that. Costs are asked for when the loop begins. Each array ends at a page that
nobody may touch, and half of the programs are compiled with ASan besides. Rows of `ell` end early, and
behind that have numbers of no array's entries; ends of loops in `far` lie at the limits of long long;
loops of two billion rounds are left soon, or not begun. A nest changes what its bounds are read from
now and then: then the plugin must say nothing of it, or what is still right. Beside calls of functions
of which nothing is known costs are guesses: these must not fault.

DOALL_TEST_SEED=N repeats one program; DOALL_TEST_LONG makes 10,000 nests.
"""
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile

N = 24  # iterations, and the length of arrays
NESTS_A_PROGRAM = 20
ROW = 8  # of ell


class Nest:
    """One parallel loop, as statements of both languages; arrays count from 0 in C, from 1 there."""

    def __init__(self, rng, fortran):
        self.rng = rng
        self.waits = random.Random(str(rng.getstate()[1][-3:]))  # draws nothing from rng
        self.fortran = fortran
        self.names = iter("jklmpq")
        self.at_least = False
        # Then each iteration reads and changes what is its own alone, or there would be a race.
        self.changes = rng.random() < 0.15
        self.uses = set()
        self.lines = []
        self.number = 0
        self.functions = []

    def emit(self, depth, text):
        self.lines.append("  " * depth + text)

    def at(self, array, index):
        self.uses.add(array)
        return f"{array}({index} + 1)" if self.fortran else f"{array}[{index}]"

    def least(self, a, b):
        return f"min({a}, {b})" if self.fortran else f"({a} < {b} ? {a} : {b})"

    def modulo(self, a, b):
        return f"mod({a}, {b})" if self.fortran else f"{a} % {b}"

    def bounds(self, known):
        """From and up to: `known` are variables with values from 0 up to N."""
        if self.changes:
            return self.rng.choice([("0", self.at("len", "i")), ("i", "n"),
                                    (self.modulo("i", "3"), f"{self.at('len', 'i')} / 2 + m")])
        v = self.rng.choice(known)
        w = self.rng.choice(known)
        constant = self.rng.randint(0, 3)  # of a loop that runs once GCC makes no loop
        return self.rng.choice([
            lambda: (str(constant), str(constant + self.rng.choice([0, 4, 5, 6, 7]))),
            lambda: ("0", self.at("len", v)),
            lambda: ("0", self.at("len", self.at("idx", v))),
            lambda: (self.at("row", v), self.at("row", f"{v} + 1")),
            lambda: (v, "n"),
            lambda: ("0", v),
            lambda: (v, self.least("n", f"{v} + 5")),
            lambda: ("0", f"n - {v}"),
            lambda: (w, v),
            lambda: (self.modulo(v, "4"), self.at("len", w)),
            lambda: ("0", f"{self.at('len', v)} * {self.at('len', w)} / 4"),
            lambda: ("0", f"{self.at('len', v)} / {self.rng.randint(1, 3)} + m"),
        ])()

    def change(self, depth):
        place = self.at("len", "i")
        self.emit(depth, f"{place} = {place} / 2" + ("" if self.fortran else ";"))

    def work(self, depth, certain=False):
        i = "i"
        if not self.fortran and self.rng.random() < 0.04:
            self.emit(depth, f"unknown({self.at('len', i) if self.rng.random() < 0.5 else i});")
        place = self.at("out", i)
        condition = f"{place} > 3"
        end = "" if self.fortran else ";"
        add = f"{place} = {place} * 0.5 + {self.rng.randint(1, 9)}{end}"
        if not self.fortran and self.waits.random() < 0.05:
            self.emit(depth, "#pragma omp critical")
            self.emit(depth, add)
        if self.rng.random() < 0.3 and not certain:
            if self.fortran:
                self.emit(depth, f"if ({condition}) {place} = 1")
            else:
                self.emit(depth, f"if ({condition}) {place} = 1;")
        else:
            self.emit(depth, add)

    def odd_head(self, name, low, high, v):
        """Of a counter that doubles, is halved, or goes by steps that are no constants."""
        if self.changes:
            v = "i"
        return self.rng.choice([
            f"for (int {name} = {v} + 1; {name} < {high}; {name} *= 2) {{",
            f"for (unsigned {name} = {v} + 1; {name} <= (unsigned)n; {name} <<= 2) {{",
            f"for (int {name} = {high}; {name} > 0; {name} /= 2) {{",
            f"for (int {name} = n; {name} > {v}; {name} >>= 1) {{",
            f"for (int {name} = {v} + 1; {name} < {high}; {name} {self.rng.choice(['*= 3', '*= 4', '<<= 2'])}) {{",
            f"for (int {name} = {high}; {name} > {v}; {name} {self.rng.choice(['/= 3', '/= 4', '>>= 3'])}) {{",
            f"for (int {name} = {low} - 4; {name} * {name} <= {high}; {name}++) {{",
            f"for (long {name} = {v}; {name} < __builtin_sqrt((double)({high})); {name}++) {{",
            f"for (unsigned {name} = n; {name} > (unsigned){v}; {name} -= m) {{",
            f"for (unsigned {name} = (unsigned)({high}) - 1; {name} < (unsigned)({high}); {name}--) {{",
            f"for (int {name} = {low}; {name} < {high}; {name} += {v} + 1) {{",
            f"for (int {name} = {low}; {name} * {name} {self.rng.choice(['<', '<='])} {high}; {name} += {self.rng.randint(1, 2)}) {{",
            f"for (unsigned {name} = {v} + 1; {name} <= (unsigned)n / {name}; {name}++) {{",
            f"for (long {name} = {v}; {name} <= __builtin_sqrt((double)({high})); {name}++) {{",
        ])

    def counted_head(self, name, v):
        """Of a counter that the condition itself moves, or that is moved before it is asked."""
        high = self.at("len", "i" if self.changes else v)
        return self.rng.choice([
            f"for (int {name} = {high}; {name}-- > 0;) {{",
            f"for (int {name} = {high}; {name}--;) {{",
            f"for (int {name} = {high} + 1; --{name};) {{",
            f"for (int {name} = {high}; --{name} >= 0;) {{",
            f"for (int {name} = 0; {name}++ < {high};) {{",
            f"for (int {name} = -1; ++{name} < {high};) {{",
            f"for (unsigned long {name} = (unsigned long){high}; {name}-- > 0;) {{",
            f"int {name} = {high}; while ({name}--) {{",
            f"int {name} = {high}; while ({name}-- > 1) {{",
            f"int {name} = 0; do {{",
        ])

    def far_head(self, name, v):
        """Of a counter of 64 bits between any two numbers; few rounds run."""
        kind = self.rng.choice(["long", "long long", "unsigned long", "unsigned long long"])
        v = "i" if self.changes else v
        at = f"2 * {v}" if "unsigned" not in kind else f"2 * ({v} + {N})"
        low, high = (f"({kind})far[{at}{plus}]" for plus in ("", " + 1"))
        return self.rng.choice([
            f"for ({kind} {name} = {low}; {name} < {high}; {name} += {self.rng.randint(1, 3)}) {{",
            f"for ({kind} {name} = {low}; {name} <= {high}; {name}++) {{",
            f"for ({kind} {name} = {high}; {name} > {low} && {name} < 9; {name}--) {{",
            f"for ({kind} {name} = ({kind}){self.at('len', v)} - 1; {name} < ({kind})n; {name}++) {{",
        ])

    def long_loop(self, depth, name):
        """Of very many rounds, of which few run, or none."""
        inner = f"for (int {name}1 = 0; {name}1 < {name} % 4 + m; ++{name}1) {{ c++; out[i] *= 0.5; }}"
        whole = f"for (int {name} = 0; {name} < 2000000000; ++{name}) {{ c++;"
        for line in self.rng.choice([
                [f"unsigned {name}2 = i + 1;", whole, f"  if ({name}2 <= 1) break;", f"  {inner}", f"  {name}2 /= 2;", "}"],
                [whole, f"  if ({name} >= m) break;", f"  {inner}", "}"],
                [whole, f"  {inner}", f"  if (out[i] < 5) break;", "}"],
                [f"for (int {name}2 = 0; {name}2 < n - {N}; ++{name}2)", f"  {whole} {inner} }}"],
                [f"if (out[i] < -1e30)", f"  {whole} {inner} }}", "else", f"  for (int {name} = 0; {name} < m; ++{name}) {{ c++; {inner} }}"]]):
            self.emit(depth, line)
        self.at_least = True

    def call(self, depth, known):
        """Of a function whose loops depend on what it is given."""
        function = f"called{self.number}_{len(self.functions)}"
        callee = Nest(self.rng, False)
        callee.changes = False
        low, high = callee.bounds(["a", "b"])
        while "?" in high:  # a count that is not known, for which the call's cost is a guess
            low, high = callee.bounds(["a", "b"])
        inner = self.rng.choice(["c += 1;", "for (int r = 0; r < 5; ++r) c += out[r] < 1e9;",
                                 "for (int r = 0; r < a; ++r) c += out[r] < 1e9;"])
        if inner != "c += 1;":
            inner = "{ c += 1; " + inner + " }"
        self.uses |= callee.uses
        self.functions.append(
            f"static __attribute__((noinline)) long long {function}(int a, int b, int n, int m, int* len, int* row, int* idx, "
            f"double* out) {{\n  (void)m; (void)len; (void)row; (void)idx; (void)b; (void)n;\n  long long c = 0;\n"
            f"  for (int q = {low}; q < {high}; ++q) {inner}\n  return c;\n}}\n")
        a, b = self.rng.choice(known), self.rng.choice(known)
        self.emit(depth, f"c += {function}({a}, {b}, n, m, len, row, idx, out);")

    def loop(self, depth, known, level):
        name = next(self.names)
        if not self.fortran and level > 0 and self.rng.random() < 0.02:
            return self.long_loop(depth, name)
        low, high = self.bounds(known)
        step = self.rng.choice([1, 1, 1, 2, 3])
        down = self.rng.random() < 0.25
        if self.fortran:
            head = (f"do {name} = {high} - 1, {low}, -{step}" if down else
                    f"do {name} = {low}, {high} - 1, {step}")
        elif down:
            head = f"for (int {name} = {high} - 1; {name} >= {low}; {name} -= {step}) {{"
        elif (way := self.rng.random()) < 0.2:
            head = self.odd_head(name, low, high, self.rng.choice(known))
        elif way < 0.3:
            head = self.counted_head(name, self.rng.choice(known))
        elif way < 0.35:
            head = self.far_head(name, self.rng.choice(known))
        elif way < 0.4 and not self.changes:
            head = f"for (int {name} = 0; {name} < {ROW}; ++{name}) {{"
        elif way < 0.55:
            head = f"for (long {name} = {low}; {name} <= {high} - 1; {name} += {step}) {{"
        else:
            head = f"for (int {name} = {low}; {name} < {high}; {name} += {step}) {{"
        self.emit(depth, head)
        self.emit(depth + 1, "c = c + 1" if self.fortran else "c = c + 1;")
        safe = self.modulo(name, "n")
        if self.fortran:
            self.emit(depth + 1, f"{name}0 = {safe}")
        elif head == f"for (int {name} = 0; {name} < {ROW}; ++{name}) {{":  # its row may end before
            self.emit(depth + 1, f"const int {name}0 = ell[{self.rng.choice(known)} * {ROW} + {name}];")
            self.emit(depth + 1, f"if ({name}0 < 0) break;")
            self.at_least = True
        else:  # also of a counter that is negative
            signed = head.startswith("for (unsigned") or "sqrt" in head
            self.emit(depth + 1, f"const int {name}0 = (int)({safe if signed else f'({safe} + n) % n'});")
            if self.rng.random() < 0.05:
                self.emit(depth + 1, self.leave(self.rng.choice(known)))
        self.body(depth + 1, known + [name + "0"], level + 1)
        # A loop that only counts, as often as is written there, GCC replaces by the number.
        if low.isdigit() and high.isdigit():
            self.work(depth + 1, certain=True)
        if not self.fortran and self.rng.random() < 0.05:
            self.emit(depth + 1, self.leave(f"{name}0"))
        self.emit(depth, "end do" if self.fortran else f"}} while (++{name} < {self.at('len', 'i')});" if "do {" in head else "}")

    def leave(self, v):
        """Some of these breaks are taken."""
        condition = self.rng.choice([f"{self.at('out', 'i')} > 1e30", f"{self.at('out', 'i')} > 6", f"{v} % 3 == 2"])
        if "1e30" not in condition:
            self.at_least = True
        return f"if ({condition}) break;"

    def body(self, depth, known, level):
        for _ in range(self.rng.randint(1, 2)):
            what = self.rng.random()
            if level < 3 and what < (0.9 if level == 0 else 0.45):
                if self.rng.random() < 0.15:
                    self.choice(depth, known, level)
                else:
                    self.loop(depth, known, level)
            elif not self.fortran and not self.changes and what > 0.85:
                self.call(depth, known)
            elif self.changes and what > 0.8:
                self.change(depth)
            else:
                self.work(depth)

    def choice(self, depth, known, level):
        condition = f"{self.at('len', 'i')} > 3"
        both = self.rng.random() < 0.5
        self.at_least = True
        self.emit(depth, f"if ({condition}) then" if self.fortran else f"if ({condition}) {{")
        self.loop(depth + 1, known, 2)
        if both:
            self.emit(depth, "else" if self.fortran else "} else {")
            self.loop(depth + 1, known, 2)
        self.emit(depth, "end if" if self.fortran else "}")


def nest_in_c(rng, number):
    nest = Nest(rng, False)
    nest.number = number
    nest.names = iter(f"j{i}_" for i in range(40))
    kind, last = rng.choice([("int", "n"), ("long", "n"), ("unsigned", "(unsigned)n"),
                             ("unsigned long", "(unsigned long)n")])
    nest.body(2, ["i"], 0)
    head = f"for ({kind} i0 = 0; i0 < {last}; ++i0) {{"
    if rng.random() < 0.2 and kind in ("int", "long"):
        head = f"for ({kind} i0 = n - 1; i0 >= 0; --i0) {{"
    clause, begins = "", "    const int i = (int)i0;"
    if rng.random() < 0.2 and kind == "int":  # its number is that of two loops
        clause = " collapse(2)"
        head = "for (int i0 = 0; i0 < n / 4; ++i0)\n  for (int i1 = 0; i1 < 4; ++i1) {"
        begins = "    const int i = i0 * 4 + i1;"
    return nest, "\n".join(
        ["extern void unknown(int);", "extern int* ell;", "extern long long* far;", *nest.functions, f"void nest{number}(int n, int m, int* len, int* row, int* idx, double* out, long long* counted)",
         "{", "  (void)m; (void)len; (void)row; (void)idx; (void)out;", "#pragma omp parallel for" + clause,
         "  " + head, begins, "    long long c = 0;"] + nest.lines +
        ["    counted[i] = c;", "  }", "}", ""])


def nest_in_fortran(rng, number):
    nest = Nest(rng, True)
    names = [f"j{i}_" for i in range(40)]
    nest.names = iter(names)
    nest.body(2, ["i"], 0)
    used = [x for x in names if any(x in line for line in nest.lines)]
    declared = "".join(f", {x}, {x}0" for x in used)
    return nest, "\n".join(
        [f"subroutine nest{number}(n, m, len, row, idx, out, counted) bind(c)",
         "  use iso_c_binding", "  implicit none",
         "  integer(c_int), value :: n, m",
         "  integer(c_int) :: len(n), row(n + 1), idx(n)", "  real(c_double) :: out(n)",
         "  integer(c_long_long) :: counted(n), c", f"  integer(c_int) :: i{declared}",
         "  !$omp parallel do default(private) shared(n, m, len, row, idx, out, counted)", "  do i = 0, n - 1", "    c = 0"] + nest.lines +
        ["    counted(i + 1) = c", "  end do", "end subroutine", ""])


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


def check(binaries, sources, seed, folder):
    """Returns how many nests were costed, of how many; raises what went wrong."""
    rng = random.Random(seed)
    fortran = seed % 3 == 0
    made = [(nest_in_fortran if fortran else nest_in_c)(rng, k) for k in range(NESTS_A_PROGRAM)]
    nests = os.path.join(folder, "nests.f90" if fortran else "nests.c")
    with open(nests, "w") as file:
        file.write("\n".join(text for _, text in made))
    table = os.path.join(folder, "table.h")
    found = os.path.join(folder, "found.json")

    def write_table():
        """Of a call of a function whose loops' counts are not known the cost is a guess."""
        with open(nests) as file:
            heads = [at for at, line in enumerate(file, 1) if "omp parallel" in line]
        with open(found) as file:
            said = json.load(file)
        guessed, at_most = ({heads.index(loop["line"]) for loop in said if loop.get(how)} for how in ("about", "at_most"))
        with open(table, "w") as file:
            for k in range(len(made)):
                file.write(f"NEST({k}, {2 if k in guessed else int(made[k][0].at_least or k in at_most)})\n")

    level = rng.choice(["-O1", "-O2", "-O2", "-O3"])
    asan = ["-fsanitize=address"] if seed % 2 == 0 else []
    objects = [os.path.join(folder, "nests.o"), os.path.join(folder, "check.o")]
    doall = os.path.join(binaries, "doall")
    flags = [level, "-g", "-fopenmp", *asan]
    for command in (
        [doall, "fortran" if fortran else "cc", *flags, "-fdoall-prices=0,0,0,0,1,0", f"-fdoall-report={found}", "-w", *(["-ffree-line-length-none"] if fortran else []), "-c",
         nests, "-o", objects[0]],
        ["gcc", *flags, f"-DLENGTH={N}", f"-DROW={ROW}", f"-I{folder}", "-c", os.path.join(sources, "nests_check.c"),
         "-o", objects[1]],
        ["gcc", *flags, *objects, "-o", os.path.join(folder, "app"), "-lgfortran", "-ldl", "-lm"],
    ):
        done = run(command)
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)}:\n{done.stderr}")
        if command[0] == doall:
            write_table()
    done = run(["timeout", "120", os.path.join(folder, "app"), str(seed)],
               env={**os.environ, "OMP_NUM_THREADS": "1", "ASAN_OPTIONS": "detect_leaks=0"})
    if done.returncode != 0:
        wrong = [made[int(k)][1] for k in re.findall(r"nest(\d+):", done.stdout)]
        raise RuntimeError("\n".join([f"status {done.returncode}, {' '.join(flags)}",
                                      done.stdout + done.stderr[:4000], *wrong]))
    return int(re.search(r"(\d+) costed", done.stdout).group(1)), len(made)


def main():
    binaries, sources = sys.argv[1:3]
    one = os.environ.get("DOALL_TEST_SEED")
    first = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    wanted = int(sys.argv[4]) if len(sys.argv) > 4 else (
        10_000 if int(os.environ.get("DOALL_TEST_LONG", "1")) > 1 else 400)
    seeds = [int(one)] if one else range(first, first + (wanted + NESTS_A_PROGRAM - 1) // NESTS_A_PROGRAM)
    costed = total = 0

    def check_one(seed):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return check(binaries, sources, seed, folder)
            except Exception as wrong:
                raise RuntimeError(f"{wrong}\nto repeat: DOALL_TEST_SEED={seed} {sys.argv[0]} "
                                   f"{binaries} {sources}") from None

    # Compilers and programs are processes of their own: a thread for each CPU keeps it busy.
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as at_once:
        try:
            for found, made in at_once.map(check_one, seeds):
                costed += found
                total += made
        except RuntimeError as wrong:
            at_once.shutdown(cancel_futures=True)
            sys.exit(str(wrong))
    print(f"{total} nests, {costed} costed, all as counted")
    if not one and costed * 5 < total:
        sys.exit("fewer than a fifth have costs: the generator makes nests that prove little")


if __name__ == "__main__":
    main()
