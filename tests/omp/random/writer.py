"""What random OpenMP programs are written with: lines, names, heads of loops, clauses."""
import random

N = 200  # the most iterations of a loop, and the length of arrays

PROLOGUE = r"""
#include <limits.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
typedef unsigned long whole;
enum { N = 200 };
static int bads, zero;
static void bad(int line, long found, long expected) {
  if (__atomic_fetch_add(&bads, 1, __ATOMIC_SEQ_CST) < 5)
    printf("line %d: %ld for %ld\n", line, found, expected);
}
#define IS(found, expected) \
  do { \
    const long f_ = (long)(found), e_ = (long)(expected); \
    if (f_ != e_) bad(__LINE__, f_, e_); \
  } while (0)
static whole mix(whole h, long x) { return h * 1099511628211UL + (whole)x + 7; }
static whole all_of(const long* v, int n) {
  whole h = 0;
  for (int i = 0; i < n; ++i) h = mix(h, v[i]);
  return h;
}
#pragma omp declare reduction(most : long : omp_out = omp_out > omp_in ? omp_out : omp_in) \
    initializer(omp_priv = LONG_MIN)
static long kept;
#pragma omp threadprivate(kept)
static whole tree(int depth, long x) {
  whole left = 0, right = 0;
  if (depth == 0) return mix(3, x);
#pragma omp task shared(left) firstprivate(depth, x) if (depth > 1) mergeable
  left = tree(depth - 1, 2 * x);
#pragma omp task shared(right) firstprivate(depth, x) final(depth == 1) untied priority(depth)
  right = tree(depth - 1, 2 * x + 1);
#pragma omp taskwait
  return mix(left, (long)right);
}
"""

TYPES = ["int", "unsigned", "long", "unsigned long", "short"]
KINDS = ["static", "static, {c}", "dynamic", "dynamic, {c}", "guided", "guided, {c}", "auto",
         "runtime", "nonmonotonic: dynamic, {c}", "monotonic: dynamic", "nonmonotonic: guided",
         None, None, None]


class Writer:
    """Lines of a program in C. `shared` are the declarations of the region that is being written,
    in front of its `parallel`. `sum` is a variable of the region that its threads share: what its
    constructs compute is added to it."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.lines = []
        self.shared = []
        self.depth = 1
        self.names = 0
        self.calls = 0  # how many more times this region may call others
        self.regions = self.rng.randint(2, 4)

    def emit(self, text):
        self.lines.append(("" if text.startswith("#") else "  " * self.depth) + text)

    def block(self, opening, *body):
        """A block in braces behind `opening`. Its body's parts are lines or write lines."""
        self.emit(opening + " {" if opening else "{")
        self.depth += 1
        for part in body:
            if callable(part):
                part()
            else:
                self.emit(part)
        self.depth -= 1
        self.emit("}")

    def unless_clang(self, directive, for_clang):
        """A directive that Clang 19 or its libomp gets wrong, and one of the same answer."""
        for line in "#ifdef __clang__", f"#pragma omp {for_clang}", "#else", \
                f"#pragma omp {directive}", "#endif":
            self.emit(line)

    def name(self, stem):
        self.names += 1
        return f"{stem}{self.names}"

    def maybe(self, clause, chance=0.5):
        return f" {clause}" if self.rng.random() < chance else ""

    def schedule(self, ordered=False):
        kind = self.rng.choice(KINDS)
        if kind is None or (ordered and "nonmonotonic" in kind):
            return ""
        return f" schedule({kind.format(c=self.rng.choice([1, 2, 3, 7, 16, 64]))})"

    def head(self, i, up=False):
        """Returns the head of a loop of n iterations, the expression of an iteration's number from
        0 to n - 1, and n."""
        rng = self.rng
        kind = rng.choice(TYPES)
        n = rng.choice([0, 1, 2, 3, 17, 40] if kind == "short" else [0, 1, 2, 3, 17, 40, 100, N])
        step = rng.choice([1, 1, 2, 3])
        low = rng.choice([0, 1, 5] if "unsigned" in kind else [0, -3, 5])
        end = low + n * step
        known = n > 0 and rng.random() < 0.6  # when the program is compiled
        # GCC 12 gets the last iteration of unsigned counters that count down wrong.
        if up or "unsigned" in kind or rng.random() < 0.5:
            stop = f"{end}" if known else f"{end} + zero"
            return (f"for ({kind} {i} = {low}; {i} < {stop}; {i} += {step})",
                    f"((long){i} - ({low})) / {step}", n)
        return (f"for ({kind} {i} = {end}; {i} > {low}; {i} -= {step})",
                f"({end} - (long){i}) / {step}", n)

    def add(self, value):
        self.emit("#pragma omp atomic")
        self.emit(f"sum += {value};")

    def once(self, value):
        self.emit("#pragma omp single")
        self.block("", lambda: self.add(value))

    def some_call(self, caller):
        """What a thread of region `caller` may compute by itself, maybe by a region of its own."""
        rng = self.rng
        if caller + 1 < self.regions and self.calls > 0 and rng.random() < 0.4:
            self.calls -= 1
            return f"region{rng.randint(caller + 1, self.regions - 1)}({rng.randint(1, 9)})"
        return f"mix(x, {rng.randint(1, 99)})"
