"""Parallel loops of every integer type, direction, form of step, nest and clause, as text of C, C++
and Fortran. Each is a function that prints a line, the same one however the loop is dealt.

A loop's schedule stands as @S@ in the text: nothing, or what the caller puts there.
"""
from dataclasses import dataclass

SIGNED = {"signed char": 8, "short": 16, "int": 32, "long": 64, "long long": 64, "__int128": 128}
UNSIGNED = {"unsigned char": 8, "unsigned short": 16, "unsigned": 32, "unsigned long": 64,
            "unsigned long long": 64, "unsigned __int128": 128}
TYPES = [*SIGNED, *UNSIGNED, "unsigned char", "unsigned short", "unsigned", "unsigned"]
SAME_EDGE = 1 << 31  # constants beyond are written with a suffix

PRELUDE = r"""
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#else
static int omp_get_thread_num(void) { return 0; }
#endif
typedef unsigned long long ull;
struct twelve { int a, b, c; };
static inline ull mix(ull v) { v *= 0x9e3779b97f4a7c15ULL; v ^= v >> 29; return v * 0xbf58476d1ce4e5b9ULL; }
"""
CXX_PRELUDE = PRELUDE + r"""
#include <deque>
#include <vector>
static std::vector<int> numbers = [] { std::vector<int> v(4096); for (int i = 0; i < 4096; ++i) v[i] = i; return v; }();
static std::deque<int> queue(numbers.begin(), numbers.end());
"""


def limits(kind):
    if kind in SIGNED:
        bits = SIGNED[kind]
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return 0, (1 << UNSIGNED[kind]) - 1


def literal(value):
    """A constant of C's, of a type that has it."""
    if -SAME_EDGE < value < SAME_EDGE:
        return f"({value})" if value < 0 else str(value)
    if -(1 << 63) <= value < (1 << 63):
        return f"({value + 1}LL - 1)" if value < 0 else f"{value}LL"
    if 0 <= value < (1 << 64):
        return f"{value}ULL"
    high, low = value >> 64, value & ((1 << 64) - 1)
    return f"(((__int128){literal(high)} << 64) + {literal(low)})" if value >= 0 else \
        f"((__int128){literal(high)} * ((__int128)1 << 64) + {literal(low)})"


@dataclass
class Walk:
    """A loop's values: `count` of them from `first` on, in steps of `step`, which is not 0."""
    first: int
    step: int
    count: int

    @property
    def beyond(self):
        return self.first + self.count * self.step


def a_walk(rng, lo, hi, most):
    """One whose values, and the one beyond, lie within lo to hi; its ends often at the edges."""
    count = rng.choice([0, 1, 2, 3, 7, rng.randint(0, most), rng.randint(0, most)])
    # Half of the type's values: GCC itself counts longer ways in the type, where that overflows.
    half = (hi - lo) // 2
    lo = rng.choice([lo, lo + half, max(lo, -half // 2 if lo < 0 else 0)])
    hi = min(hi, lo + half)
    largest = max(1, (hi - lo) // (count + 2))
    size = min(largest, rng.choice([1, 1, 1, 2, 3, 4, 7, 16, 100, largest]))
    count = min(count, (hi - lo) // size - 1)
    span = count * size
    lowest = rng.choice([lo, hi - span, 0, 1, 10, -span // 2, -span, rng.randint(lo, hi - span)])
    lowest = max(lo, min(lowest, hi - span))
    return Walk(lowest, size, count) if rng.random() < 0.5 else Walk(lowest + span, -size, count)


def an_end(rng, walk, lo, hi):
    """A relation, and the bound that ends the walk by it."""
    up = walk.step > 0
    size = abs(walk.step)
    ways = ["<", "<="] if up else [">", ">="]
    if size == 1:
        ways.append("!=")
    how = rng.choice(ways)
    sign = 1 if up else -1
    if walk.count == 0 and how != "!=":
        bound = walk.first - sign * rng.choice([0, 0, 1, 5])
        if how in ("<=", ">="):
            bound -= sign
        if not lo <= bound <= hi:
            how, bound = how[0], walk.first
        return how, bound
    if how == "!=":
        return how, walk.beyond
    slack = rng.randint(0, size - 1)
    return how, walk.beyond - sign * slack - (sign if how in ("<=", ">=") else 0)


class Function:
    """The text of one function of C or C++."""

    def __init__(self, rng, number, cxx):
        self.rng = rng
        self.number = number
        self.cxx = cxx
        self.head = []  # before the loop
        self.outside = []  # before the function
        self.names = 0
        self.wide = False  # a counter has 128 bits: GCC's dynamic loops of these are wrong, and not always
        self.of_class = False  # a counter is an iterator, which simd does not allow

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def fresh(self, kind, value):
        """That value as an expression: a constant, or a variable that no compiler knows."""
        if self.rng.random() < 0.4:
            return f"({kind}){literal(value)}" if self.rng.random() < 0.5 else literal(value)
        v = self.name()
        self.outside.append(f"static volatile {kind} f{self.number}_{v} = ({kind}){literal(value)};")
        self.head.append(f"{kind} {v} = f{self.number}_{v};")
        return v

    def bound_type(self, kind, values):
        """A type that the loop's counter may be compared with."""
        if self.cxx and limits(kind)[1] < limits("int")[1]:
            return kind  # g++ allows no others
        fits = [t for t in ("int", "long", "unsigned", "unsigned long", kind)
                if all(limits(t)[0] <= v <= limits(t)[1] for v in values)]
        unsigned = [t for t in fits if t in UNSIGNED]
        if min(values) < 0:
            fits = [t for t in fits if t not in unsigned]
        return self.rng.choice(fits) if fits and self.rng.random() < 0.4 else kind

    def step_text(self, i, kind, step):
        size = abs(step)
        if size == 1 and self.rng.random() < 0.6:
            return self.rng.choice([f"{i}++", f"++{i}"] if step > 0 else [f"{i}--", f"--{i}"])
        step_kind = self.rng.choice([kind, kind, "int", "long"])
        if not limits(step_kind)[0] <= -size <= size <= limits(step_kind)[1]:
            step_kind = kind
        positive = self.fresh(step_kind, size)
        if step > 0:
            return self.rng.choice([f"{i} += {positive}", f"{i} = {i} + {positive}",
                                    f"{i} = {positive} + {i}"])
        ways = [f"{i} -= {positive}", f"{i} = {i} - {positive}"]
        # A negative step added to an unsigned counter: of a type with a sign, or of the counter's.
        if limits(step_kind)[0] <= step:
            negative = self.fresh(step_kind, step)
            ways += [f"{i} += {negative}", f"{i} = {i} + {negative}"]
        elif size <= limits("int")[1] and self.rng.random() < 0.5:
            ways = [f"{i} += {literal(step)}"]
        return self.rng.choice(ways)

    def integers(self, i, most, declared=True):
        """The head of a loop over integers, its count, its value as ull."""
        kind = self.rng.choice(TYPES)
        self.wide = self.wide or "128" in kind
        lo, hi = limits(kind)
        walk = a_walk(self.rng, lo, hi, most)
        how, bound = an_end(self.rng, walk, lo, hi)
        begin = self.fresh(kind, walk.first)
        end = self.fresh(self.bound_type(kind, [bound, walk.first, walk.beyond]), bound)
        step = self.step_text(i, kind, walk.step) if how != "!=" else i + ("++" if walk.step > 0 else "--")
        test = f"{i} {how} {end}"
        if how in ("<", ">") and self.rng.random() < 0.1:
            test = f"{end} {'>' if how == '<' else '<'} {i}"
        if not declared:
            self.head.append(f"{kind} {i};")
        return f"for ({kind + ' ' if declared else ''}{i} = {begin}; {test}; {step})", walk.count, f"(ull){i}"

    def pointers(self, i, most):
        """Likewise over pointers or iterators."""
        kinds = ["char*", "int*", "double*", "struct twelve*"]
        if self.cxx:
            kinds += ["vector", "vector", "deque", "reverse", "range"]
        kind = self.rng.choice(kinds)
        walk = a_walk(self.rng, 0, 4096, most)
        if kind in ("vector", "deque", "reverse", "range"):
            self.of_class = True
        if kind == "range":
            array = self.name()
            self.head.append(f"std::vector<int> {array}(numbers.begin(), numbers.begin() + {walk.count});")
            return f"for (auto {i} : {array})", walk.count, f"(ull){i}"
        how, bound = an_end(self.rng, walk, 0, 4096)
        if kind.endswith("*"):
            array = f"f{self.number}_{self.name()}"
            self.outside.append(f"static {kind[:-1]} {array}[4100];")
            base, what, value = array, kind, f"(ull)({i} - {array})"
        else:
            base = {"vector": "numbers.begin()", "deque": "queue.begin()", "reverse": "numbers.rbegin()"}[kind]
            what, value = "auto", f"(ull)({i} - {base})"
        begin, end = self.fresh("long", walk.first), self.fresh("long", bound)
        size = self.fresh("long", abs(walk.step))
        forms = [f"{i} += {size}", f"{i} = {i} + {size}"] if walk.step > 0 else [f"{i} -= {size}", f"{i} = {i} - {size}"]
        if abs(walk.step) == 1:
            forms += [f"{i}++", f"++{i}"] if walk.step > 0 else [f"{i}--", f"--{i}"]
        if what == "auto":
            forms = [f for f in forms if " = " not in f] or forms
        if how == "!=":
            forms = forms[-2:]
        return f"for ({what} {i} = {base} + {begin}; {i} {how} {base} + {end}; {self.rng.choice(forms)})", walk.count, value

    def rectangle(self):
        """A nest: its heads, how many iterations, its number as ull, the collapse clause."""
        depth = self.rng.choice([1, 1, 1, 1, 2, 2, 3])
        most = [300, 17, 7][depth - 1]
        heads, count, value = [], 1, "0ULL"
        for level in range(depth):
            i = "ijk"[level]
            make = self.pointers if self.rng.random() < 0.2 else self.integers
            head, n, v = make(i, most)
            heads.append(head)
            count *= n
            value = f"mix({value} + {v})" if depth > 1 else v
        return heads, count, value, f" collapse({depth})" if depth > 1 or self.rng.random() < 0.1 else ""

    def text(self):
        body = self.chain() if self.rng.random() < 0.15 else self.single()
        return "\n".join([*self.outside, f"static void f{self.number}(void) {{",
                          *("  " + line for line in self.head), *("  " + line for line in body), "}"])

    def single(self):
        rng = self.rng
        heads, count, value, clauses = self.rectangle()
        simd = rng.random() < 0.2 and not self.of_class
        ordered = not simd and rng.random() < 0.07
        works = [f"ull v = {value};", "h += mix(v);", "++n;"]
        self.head += ["ull h = 0; long n = 0;"]
        prints = ["(ull)n", "h"]
        if rng.random() < 0.5:  # what differs between iterations, and has a cost function
            works.append("for (int j_ = 0; j_ < (int)(v & 15); ++j_) h += mix(v + j_);")
        if rng.random() < 0.3:
            self.head.append("ull x = 5;")
            clauses += " lastprivate(x)"
            works.append("x = 3 * v + 1;")
            prints.append("x" if count > 0 else "0ULL")
        if rng.random() < 0.25 and not ordered:
            kind = rng.choice(["int", "long", "short" if not simd else "int"])
            by = self.rng.choice(["1", "3", "-2", "s_"])
            self.head += [f"{kind} y = 7; int s_ = 5 + (int)(h & 1); (void)s_;"]
            clauses += f" linear(y:{by})"
            works += ["h += mix(v + (ull)y);", f"y += {by};"]
            prints.append("(ull)y")
        if rng.random() < 0.2:
            self.head.append("long most = -1;")
            clauses += " reduction(max:most)"
            works.append("if ((long)(v % 1000) > most) most = (long)(v % 1000);")
            prints.append("(ull)most")
        if rng.random() < 0.2:
            self.head.append("ull given = 11;")
            clauses += " firstprivate(given)"
            works.append("h += mix(v ^ given);")
        if ordered:
            self.head.append("ull row = 1;")
            clauses += " ordered"
            works += ["#pragma omp ordered", "row = row * 31 + v;"]
            prints.append("row")
        simd_word = " simd" if simd else ""
        auto = " schedule(auto)" if rng.random() < 0.15 else "" if self.wide else " @S@"
        sums = " reduction(+:h,n)"
        loop = [*heads, "{", *("  " + w for w in works), "}"]
        end = [f'printf("{self.number}' + " %llx" * len(prints) + '\\n", ' + ", ".join(prints) + ");"]
        if rng.random() < 0.6:
            return [f"#pragma omp parallel for{simd_word}{auto}{sums}{clauses}", *loop, *end]
        nowait = " nowait" if rng.random() < 0.4 and "lastprivate" not in clauses + "linear" else ""
        if "linear" in clauses or "lastprivate" in clauses or ordered:
            nowait = ""
        pragma = f"#pragma omp for{simd_word}{auto}{sums}{clauses}{nowait}"
        return ["#pragma omp parallel", "{", pragma, *loop, "}", *end]

    def chain(self):
        """Loops of one region and the same count, without barriers between some of them: each
        iteration reads what its number's iterations before have written, and by which thread. A loop
        with `auto`, or behind a barrier, need not have the same threads."""
        rng = self.rng
        n = rng.choice([5, 64, 301])
        self.head += [f"static ull a[{n}]; static int who[{n}]; ull h = 0; long n = 0;",
                      f"for (int i = 0; i < {n}; ++i) {{ a[i] = 0; who[i] = -1; }}"]
        rounds = rng.choice([1, 1, 3])
        lines = ["#pragma omp parallel", "{", *([f"for (int r = 0; r < {rounds}; ++r) {{"] if rounds > 1 else [])]
        for at in range(rng.randint(2, 4)):
            head = rng.choice([f"for (int i = 0; i < {n}; i++)",
                               f"for (long i = 0; i < {n}; i++)", f"for (unsigned i = 0; i <= {n - 1}u; i++)"])
            nowait = " nowait" if rng.random() < 0.7 else ""
            body = ["{ ull s = 0;", f"  for (int j = 0; j < (int)i * {rng.choice([0, 3, 20])}; ++j) s += mix(j);",
                    f"  a[i] = a[i] * 31 + {at} + (s & 0) + i;",
                    "  if (who[i] >= 0 && who[i] != omp_get_thread_num()) a[i] += 1000000;",
                    "  who[i] = omp_get_thread_num(); }"]
            orphan = rng.random() < 0.25
            static = " schedule(static)" if rng.random() < 0.2 else ""
            pragma = f"#pragma omp for{static}{nowait}"
            reset = [] if nowait else [f"#pragma omp for{nowait}", f"for (int i = 0; i < {n}; i++) who[i] = -1;"]
            if orphan:
                f = f"f{self.number}_part{at}"
                self.outside += [f"static __attribute__((noinline)) void {f}(ull* a, int* who) {{", pragma, head, *body, "}"]
                lines += [f"{f}(a, who);", *reset]
            else:
                lines += [pragma, head, *body, *reset]
            if rng.random() < 0.2:
                lines += ["#pragma omp barrier", "#pragma omp for",
                          f"for (int i = 0; i < {n}; i++) who[i] = -1;"]
        lines += ["}"] if rounds > 1 else []
        lines += ["}", f"for (int i = 0; i < {n}; ++i) h += mix(a[i] + i);",
                  f'printf("{self.number} %llx\\n", h);', "(void)n;"]
        return lines


def c_program(rng, loops, cxx=False):
    """The functions, and the text of a program of some of them, by their numbers."""
    functions = {number: Function(rng, number, cxx).text() for number in range(loops)}

    def program(numbers):
        calls = "".join(f"  f{k}();\n" for k in numbers)
        return "\n".join([CXX_PRELUDE if cxx else PRELUDE, *(functions[k] for k in numbers),
                          f"int main(void) {{\n  setvbuf(stdout, NULL, _IOLBF, 0);\n{calls}  return 0;\n}}\n"])

    return functions, program


def fortran_loop(rng, number):
    kind = rng.choice([1, 2, 4, 4, 8, 8, 16])
    bits = 8 * kind
    depth = rng.choice([1, 1, 1, 2, 3])
    lo, hi = -(1 << (bits - 1)) + 1, (1 << (bits - 1)) - 1
    names = "ijk"[:depth]
    loops, count, before = [], 1, []
    for i in names:
        walk = a_walk(rng, lo, hi, [300, 17, 7][depth - 1])
        last = walk.beyond - walk.step
        if walk.count == 0:
            last = max(lo, min(hi, walk.first - walk.step))
            if (last - walk.first) * walk.step >= 0:
                walk, last = Walk(5, 1, 0), 4
        elif abs(walk.step) > 1 and rng.random() < 0.5:
            last += (1 if walk.step > 0 else -1) * rng.randint(0, abs(walk.step) - 1)
        texts = []
        for what, value in (("b", walk.first), ("e", last), ("s", walk.step)):
            if rng.random() < 0.5:
                texts.append(f"{value}_{kind}" if value >= 0 else f"(-{-value}_{kind})")
            else:
                before.append(f"{what}{i} = {value}_{kind}" if value >= 0 else f"{what}{i} = -{-value}_{kind}")
                texts.append(f"{what}{i}")
        step = "" if walk.step == 1 and rng.random() < 0.7 else f", {texts[2]}"
        loops.append(f"do {i} = {texts[0]}, {texts[1]}{step}")
        count *= walk.count
    value = "int(i, 8)" if depth == 1 else f"(int(i, 8) * 31 + int(j, 8)){' * 31 + int(k, 8)' if depth == 3 else ''}"
    works = [f"v = mix({value})", "h = h + v", "n = n + 1"]
    clauses, prints = f" collapse({depth})" if depth > 1 else "", ["n", "h"]
    if rng.random() < 0.4:
        works += ["do q = 1, int(iand(v, 15_8))", "  h = h + mix(v + q)", "end do"]
    if rng.random() < 0.3:
        clauses += " lastprivate(x)"
        works.append("x = v + 1")
        prints.append("x" if count else "0_8")
    ordered = rng.random() < 0.07
    if rng.random() < 0.2 and not ordered:
        clauses += " linear(y:3)"
        works += ["h = h + mix(v + y)", "y = y + 3"]
        prints.append("y")
    if rng.random() < 0.2:
        clauses += " reduction(max:most)"
        works.append("most = max(most, iand(v, 1023_8))")
        prints.append("most")
    if ordered:
        clauses += " ordered"
        works += ["!$omp ordered", "row = row * 31 + v", "!$omp end ordered"]
        prints.append("row")
    schedule = "schedule(auto)" if rng.random() < 0.15 else "" if kind == 16 else "@S@"
    simd = " simd" if not ordered and depth == 1 and rng.random() < 0.15 else ""
    head = f"do{simd} {schedule} private(v, q) reduction(+:h, n){clauses}"
    tail = [f"  {w}" for w in works] + ["end do"] * depth
    if rng.random() < 0.6:
        text = [f"!$omp parallel {head}", *loops, *tail]
    else:
        nowait = rng.random() < 0.4 and "lastprivate" not in clauses and "linear" not in clauses and not ordered
        text = ["!$omp parallel", f"!$omp {head}", *loops, *tail,
                *([f"!$omp end do{simd} nowait"] if nowait else []), "!$omp end parallel"]
    declared = ", ".join(f"{what}{i}" for i in names for what in "bes")
    return "\n".join([f"subroutine f{number}()", "use base", f"integer({kind}), volatile :: {declared}",
                      f"integer({kind}) :: {', '.join(names)}", "integer(8) :: h, n, v, x, most, row",
                      "integer :: q, y", "h = 0; n = 0; x = 0; most = -1; row = 1; y = 7", *before, *text,
                      f"write (*, '(i0{', 1x, z0' * len(prints)})') {number}, {', '.join(prints)}",
                      "end subroutine"])


def fortran_program(rng, loops):
    base = ["module base", "contains", "pure elemental function mix(a) result(v)", "integer(8), intent(in) :: a",
            "integer(8) :: v", "v = ieor(a, ishft(a, 29))", "v = ieor(v, ishft(v, -31))",
            "v = ieor(v, ishft(v, 17))", "v = iand(v, 1152921504606846975_8)", "end function", "end module"]
    functions = {number: fortran_loop(rng, number) for number in range(loops)}

    def program(numbers):
        calls = [f"call f{k}()" for k in numbers]
        return "\n".join([*base, *(functions[k] for k in numbers), "program p", *calls, "end program", ""])

    return functions, program
