"""Parallel loops of every integer type, direction, form of step, nest, clause and schedule, as text of
C and C++ (made_fortran_loops.py: of Fortran). Each is a function of a number, and prints a line for
it, the same one however the loop is dealt: the numbers choose among values for where the loop
begins, ends and steps (made_walks.py).

A loop's schedule stands in the text as @S:KIND@, or as @OWN:NAME@ if only doall knows it.
"""
from made_walks import SIGNED, TYPES, UNSIGNED, limits, walks_of_a_head

SAME_EDGE = 1 << 31  # constants beyond are written with a suffix
MOST_CASES = 6

# What a loop's clause may say. Half have none.
GIVEN = ["static", "dynamic", "dynamic, 3", "guided", "guided, 4", "static, 5", "static, 1", "runtime",
         "nonmonotonic: dynamic, 2", "monotonic: dynamic", "monotonic: guided", "auto"]
OWN = ["guided, k=2", "finegrain"]  # and the registry's (loops.py)

PRELUDE = r"""
#include <stdio.h>
#include <stdlib.h>
#ifdef _OPENMP
#include <omp.h>
#else
static inline int omp_get_thread_num(void) { return 0; }
#endif
typedef unsigned long long ull;
struct twelve { int a, b, c; };
static inline ull mix(ull v) { v *= 0x9e3779b97f4a7c15ULL; v ^= v >> 29; return v * 0xbf58476d1ce4e5b9ULL; }
static __attribute__((noinline, unused)) ull called(int a) { ull s = 0; for (int i = 0; i < a; ++i) s += mix(i); return s; }
"""
CXX_PRELUDE = PRELUDE + r"""
#include <deque>
#include <vector>
static std::vector<int> numbers = [] { std::vector<int> v(4096); for (int i = 0; i < 4096; ++i) v[i] = i; return v; }();
static std::deque<int> queue(numbers.begin(), numbers.end());
namespace {
struct counted_object {  // each copy is another object, and ends once
  ull value; std::vector<ull> more; static int alive;
  explicit counted_object(ull v) : value(v), more(3, v) { __atomic_add_fetch(&alive, 1, 5); }
  counted_object() : counted_object(0) {}
  counted_object(const counted_object& o) : value(o.value), more(o.more) { __atomic_add_fetch(&alive, 1, 5); }
  counted_object& operator=(const counted_object& o) { value = o.value; more = o.more; return *this; }
  ~counted_object() { __atomic_sub_fetch(&alive, 1, 5); }
  void add(ull v) { value += v; more[v % 3] += mix(v); }
  ull all() const { return value + more[0] + more[1] + more[2]; }
};
int counted_object::alive = 0;
}  // namespace
#pragma omp declare reduction(join : counted_object : omp_out.value += omp_in.value, omp_out.more[0] += omp_in.more[0], \
  omp_out.more[1] += omp_in.more[1], omp_out.more[2] += omp_in.more[2]) initializer(omp_priv = counted_object())
"""


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
        self.cases = 1
        self.generic = None  # the type that a template's parameter stands for

    def name(self):
        self.names += 1
        return f"v{self.names}"

    def fresh(self, kind, values, constant):
        """These values, one a case, as an expression: a constant, or a variable that no compiler knows."""
        if constant or (len(set(values)) == 1 and self.rng.random() < 0.3):
            return f"({kind}){literal(values[0])}" if self.rng.random() < 0.5 else literal(values[0])
        self.cases = MOST_CASES
        v = self.name()
        outside = self.generic if kind == "K_" else kind
        all_values = ", ".join(f"({outside}){literal(value)}" for value in values)
        self.outside.append(f"static volatile {outside} f{self.number}_{v}[] = {{{all_values}}};")
        self.head.append(f"{kind} {v} = f{self.number}_{v}[case_];")
        return v

    def bound_type(self, kind, values):
        """A type that the loop's counter may be compared with."""
        if self.cxx and limits(kind)[1] < limits("int")[1]:
            return kind  # g++ allows no others
        fits = [t for t in ("int", "long", "unsigned", "unsigned long", kind)
                if all(limits(t)[0] <= v <= limits(t)[1] for v in values)]
        if min(values) < 0:
            fits = [t for t in fits if t not in UNSIGNED]
        return self.rng.choice(fits) if fits and self.rng.random() < 0.4 else kind

    def step_text(self, i, kind, steps, constant):
        up = steps[0] > 0
        sizes = [abs(step) for step in steps]
        if set(sizes) == {1} and self.rng.random() < 0.6:
            return self.rng.choice([f"{i}++", f"++{i}"] if up else [f"{i}--", f"--{i}"])
        step_kind = self.rng.choice([kind, kind, "int", "long"])
        if not limits(step_kind)[0] <= -max(sizes) <= max(sizes) <= limits(step_kind)[1]:
            step_kind = kind
        if up:
            by = self.fresh(step_kind, sizes, constant)
            return self.rng.choice([f"{i} += {by}", f"{i} = {i} + {by}", f"{i} = {by} + {i}"])
        ways = ["{0} -= {1}", "{0} = {0} - {1}"]
        # A negative step added to an unsigned counter: of a type with a sign, or of the counter's.
        if limits(step_kind)[0] <= min(steps) and self.rng.random() < 0.5:
            by = self.fresh(step_kind, steps, constant)
            return self.rng.choice(["{0} += {1}", "{0} = {0} + {1}"]).format(i, by)
        if constant and sizes[0] <= limits("int")[1] and self.rng.random() < 0.5:
            return f"{i} += {literal(steps[0])}"
        return self.rng.choice(ways).format(i, self.fresh(step_kind, sizes, constant))

    def integers(self, i, most):
        """The head of a loop over integers, its value as ull."""
        kind = self.rng.choice(TYPES)
        self.wide = self.wide or "128" in kind
        lo, hi = limits(kind)
        walks, how, bounds, stay = walks_of_a_head(self.rng, lo, hi, most, MOST_CASES)
        shown = kind
        if self.cxx and self.generic is None and self.rng.random() < 0.15 and "128" not in kind:
            self.generic, shown = kind, "K_"
        begin = self.fresh(shown, [w.first for w in walks], stay[0])
        values = bounds + [v for w in walks for v in (w.first, w.beyond)]
        end = self.fresh(self.bound_type(kind, values), bounds, stay[1])
        steps = [w.step for w in walks]
        step = self.step_text(i, kind, steps, stay[2]) if how != "!=" else i + ("++" if steps[0] > 0 else "--")
        test = f"{i} {how} {end}"
        if how in ("<", ">") and self.rng.random() < 0.1:
            test = f"{end} {'>' if how == '<' else '<'} {i}"
        return f"for ({shown} {i} = {begin}; {test}; {step})", f"(ull){i}"

    def pointers(self, i, most):
        """Likewise over pointers or iterators."""
        kinds = ["char*", "int*", "double*", "struct twelve*"]
        if self.cxx:
            kinds += ["vector", "vector", "deque", "reverse", "range"]
        kind = self.rng.choice(kinds)
        walks, how, bounds, stay = walks_of_a_head(self.rng, 0, 4096, most, MOST_CASES)
        if kind in ("vector", "deque", "reverse", "range"):
            self.of_class = True
        if kind == "range":
            array = self.name()
            count = self.fresh("long", [w.count for w in walks], False)
            self.head.append(f"std::vector<int> {array}(numbers.begin(), numbers.begin() + {count});")
            return f"for (auto {i} : {array})", f"(ull){i}"
        if kind.endswith("*"):
            array = f"f{self.number}_{self.name()}"
            self.outside.append(f"static {kind[:-1]} {array}[4100];")
            base, what, value = array, kind, f"(ull)({i} - {array})"
        else:
            base = {"vector": "numbers.begin()", "deque": "queue.begin()", "reverse": "numbers.rbegin()"}[kind]
            what, value = "auto", f"(ull)({i} - {base})"
        begin, end = self.fresh("long", [w.first for w in walks], stay[0]), self.fresh("long", bounds, stay[1])
        steps = [w.step for w in walks]
        if how == "!=" or (set(steps) <= {1, -1} and self.rng.random() < 0.5):
            step = self.rng.choice([f"{i}++", f"++{i}"] if steps[0] > 0 else [f"{i}--", f"--{i}"])
        else:
            size = self.fresh("long", [abs(s) for s in steps], stay[2])
            sign = "+" if steps[0] > 0 else "-"
            ways = [f"{i} {sign}= {size}"] + ([] if what == "auto" else [f"{i} = {i} {sign} {size}"])
            step = self.rng.choice(ways)
        return f"for ({what} {i} = {base} + {begin}; {i} {how} {base} + {end}; {step})", value

    def rectangle(self):
        """A nest: its heads, its number as ull, the collapse clause."""
        depth = self.rng.choice([1, 1, 1, 1, 2, 2, 3])
        heads, value = [], "0ULL"
        for level in range(depth):
            make = self.pointers if self.rng.random() < 0.2 else self.integers
            head, v = make("ijk"[level], [300, 17, 7][depth - 1])
            heads.append(head)
            value = f"mix({value} + {v})" if depth > 1 else v
        return heads, value, f" collapse({depth})" if depth > 1 or self.rng.random() < 0.1 else ""

    def triangle(self):
        """A nest that is not rectangular."""
        kind = self.rng.choice(["int", "long", "short"] if self.cxx else ["int", "long", "unsigned"])
        n = self.fresh("int", [self.rng.choice([0, 1, 2, 9, 40]) for _ in range(MOST_CASES)], False)
        low, how, high = self.rng.choice([("i", "<", f"({kind}){n}"), ("0", "<", "i"), ("0", "<=", "i"),
                                          ("2 * i", "<", f"({kind}){n}"), ("i + 1", "<=", f"3 * i + 4"),
                                          ("i", "<", "i + 5")])
        outer = self.rng.choice([f"for ({kind} i = 0; i < ({kind}){n}; i++)", f"for ({kind} i = 1; i <= ({kind}){n}; i += 2)"])
        return [outer, f"for ({kind} j = {low}; j {how} {high}; j++)"], "mix((ull)i * 1000 + (ull)j)", " collapse(2)"

    def schedule(self, chooses=True):
        what = self.rng.random()
        if not chooses or self.wide or what < 0.4:
            return " schedule(auto)" if what > 0.9 and chooses else ""
        return f" @OWN:{self.rng.choice(OWN)}@" if what > 0.85 else f" @S:{self.rng.choice(GIVEN)}@"

    def text(self):
        body = self.chain() if self.rng.random() < 0.15 else self.single()
        lines = [*self.head, *body]
        name = f"f{self.number}"
        linked = 'extern "C" ' if self.cxx else ""
        if self.generic is not None:  # in a template, of a type that the loop depends on
            opens, call = f"template <class K_> static void t{self.number}(int case_) {{", f"t{self.number}<{self.generic}>(case_);"
        elif self.cxx and self.rng.random() < 0.15:
            how = self.rng.choice(["lambda", "member"])
            lines = ["auto made_ = [&] {", *lines, "}; made_();"] if how == "lambda" else lines
            if how == "member":
                opens = f"struct t{self.number} {{ int case_; void operator()() const {{"
                return "\n".join([*self.outside, opens, *lines, "} };",
                                  f"{linked}void {name}(int case_) {{ t{self.number}{{case_}}(); }}"])
            opens, call = f"{linked}void {name}(int case_) {{", None
        else:
            opens, call = f"{linked}void {name}(int case_) {{", None
        all_lines = [*self.outside, opens, "  (void)case_;", *("  " + line for line in lines), "}"]
        if call is not None:
            all_lines.append(f"{linked}void {name}(int case_) {{ {call} }}")
        return "\n".join(all_lines)

    def single(self):
        rng = self.rng
        skewed = rng.random() < 0.07
        heads, value, clauses = self.triangle() if skewed else self.rectangle()
        simd = rng.random() < 0.2 and not self.of_class and not skewed
        ordered = not simd and not skewed and rng.random() < 0.07
        works = [f"ull v = {value};", "h += mix(v);", "++n;"]
        self.head += ["ull h = 0; long n = 0;"]
        prints, after = ["(ull)n", "h"], []
        if rng.random() < 0.5:  # what differs between iterations, and has a cost function
            works.append(rng.choice(["for (int j_ = 0; j_ < (int)(v & 15); ++j_) h += mix(v + j_);",
                                     "h += called((int)(v & 7));",
                                     "for (int j_ = 0; j_ < (int)(v & 15); ++j_) { if ((int)((v >> 5) & 15) == j_) break; h += mix(v + j_); }"]))
        if rng.random() < 0.3:
            self.head.append("ull x = 5;")
            clauses += " lastprivate(x)"
            works.append("x = 3 * v + 1;")
            prints.append("(n > 0 ? x : 0ULL)")
        if rng.random() < 0.25 and not ordered and not skewed:
            kind = rng.choice(["int", "long", "short" if not simd else "int"])
            by = rng.choice(["1", "3", "-2", "s_"])
            self.head += [f"{kind} y = 7; int s_ = 5 + (int)(h & 1); (void)s_;"]
            clauses += f" linear(y:{by})"
            works += ["h += mix(v + (ull)y);", f"y += {by};"]
            prints.append("(ull)y")
        if rng.random() < 0.2:
            self.head.append("long most = -1;")
            clauses += " reduction(max:most)"
            works.append("if ((long)(v % 1000) > most) most = (long)(v % 1000);")
            prints.append("(ull)most")
        if rng.random() < 0.15 and not simd:
            self.head.append("ull sums[4] = {1, 2, 3, 4};")
            clauses += rng.choice([" reduction(+:sums)", " reduction(+:sums[:4])", " reduction(+:sums[1:3])"])
            works.append("sums[1 + v % 3] += mix(v);")
            prints.append("sums[0] + 3 * sums[1] + 5 * sums[2] + 7 * sums[3]")
        if rng.random() < 0.2:
            self.head.append("ull given = 11;")
            clauses += " firstprivate(given)"
            works.append("h += mix(v ^ given);")
        if self.cxx and not simd and not ordered and rng.random() < 0.15:
            self.objects(works, prints, after)
            clauses += self.object_clauses
        if rng.random() < 0.2 and not simd and not ordered:
            works.append(rng.choice(["if ((v & 3) == 1) continue;", "if ((v & 7) == 2) goto next_; h += 3; next_:;",
                                     "switch (v & 3) { case 0: h += 1; break; case 1: h += v; }"]))
            works.append("h += mix(v + 77);")
        if rng.random() < 0.1 and not simd:
            self.head.append("ull shared = 0;")
            works += [rng.choice(["#pragma omp atomic", "#pragma omp critical"]), "shared += mix(v);"]
            prints.append("shared")
        if rng.random() < 0.08 and not simd and not ordered:
            self.head.append("ull low = 0;")
            works += ["ull deep = 0;", "#pragma omp parallel for num_threads(2) reduction(+:deep)",
                      "for (int d_ = 0; d_ < (int)(v & 7); ++d_) deep += mix(d_);", "h += deep;"]
        if ordered:
            self.head.append("ull row = 1;")
            clauses += " ordered"
            works += ["#pragma omp ordered", "row = row * 31 + v;"]
            prints.append("row")
        simd_word = " simd" if simd else ""
        schedule = "" if skewed else self.schedule()
        if ordered and ("OWN" in schedule or "nonmonotonic" in schedule):
            schedule = ""
        loop = [*heads, "{", *("  " + w for w in works), "}"]
        end = [*after, f'printf("{self.number}.%d' + " %llx" * len(prints) + '\\n", case_, ' + ", ".join(prints) + ");"]
        sums = f"{schedule} reduction(+:h,n){clauses}"
        if rng.random() < 0.6:
            return [f"#pragma omp parallel for{simd_word}{sums}", *loop, *end]
        nowait = rng.random() < 0.4 and not ("linear" in clauses or "lastprivate" in clauses or ordered)
        return ["#pragma omp parallel", "{", f"#pragma omp for{simd_word}{sums}{' nowait' if nowait else ''}", *loop, "}", *end]

    def objects(self, works, prints, after):
        """Objects with constructors in clauses."""
        how = self.rng.choice(["firstprivate", "lastprivate", "reduction", "private"])
        self.head.append("counted_object o(7);")
        self.object_clauses = f" reduction(join:o)" if how == "reduction" else f" {how}(o)"
        works.append("o.add(v);" if how == "reduction" else "h += o.value * 3; o.value = v; h += o.value; o.value = 7;"
                     if how == "firstprivate" else "o = counted_object(v);")
        if how in ("reduction", "lastprivate"):
            prints.append("(n > 0 ? o.all() : 0ULL)")
        prints.append("(ull)counted_object::alive")

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
            head = rng.choice([f"for (int i = 0; i < {n}; i++)", f"for (signed char i = 0; i < 5; i++)" if n == 5 else
                               f"for (short i = 0; i < {n}; i += 1)", f"for (long long i = 0; i != {n}; ++i)",
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
                  f'printf("{self.number}.%d %llx\\n", case_, h);', "(void)n;"]
        return lines


def c_program(rng, loops, cxx=False):
    """What is before all functions, the functions and how many cases each has, by their numbers."""
    functions, cases = {}, {}
    for number in range(loops):
        made = Function(rng, number, cxx)
        functions[number], cases[number] = made.text(), made.cases
    return CXX_PRELUDE if cxx else PRELUDE, functions, cases
