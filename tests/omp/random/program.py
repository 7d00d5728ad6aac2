"""A random OpenMP program: regions, which call each other, and a main function."""
from constructs import Constructs
from tasks import Tasks
from writer import PROLOGUE


class Program(Constructs, Tasks):
    def __init__(self, seed):
        super().__init__(seed)
        for k in reversed(range(self.regions)):
            self.lines.append(f"__attribute__((noinline)) static whole region{k}(long x) {{")
            self.emit("whole sum = 0;")
            self.calls = 2
            if self.rng.random() < 0.3:
                self.combined(k)
            else:
                self.region(k)
            self.emit("return sum;")
            self.lines.append("}")
        self.main()

    def combined(self, k):
        """A region that is one construct."""
        threads = self.maybe(f"num_threads({self.rng.randint(1, 5)})")
        if self.rng.random() < 0.2:
            self.parallel_sections(k, threads)
        else:
            self.parallel_for(k, threads)

    def parallel_sections(self, k, threads):
        self.emit(f"#pragma omp parallel sections{threads} reduction(^ : sum)")

        def body():
            for _ in range(self.rng.randint(1, 5)):
                self.emit("#pragma omp section")
                self.emit(f"sum ^= {self.some_call(k)};")

        self.block("", body)

    def parallel_for(self, k, threads):
        head, round_, n = self.head("i")
        last = self.rng.random() < 0.3
        simd = self.maybe("simd", 0.2)
        self.emit("long last = 0;")
        self.emit(f"#pragma omp parallel for{simd}{threads} reduction(+ : sum){self.schedule()}"
                  + (" lastprivate(last)" if last else ""))
        value = self.some_call(k) if n <= 3 and not simd else "mix(x, 5)"
        self.block(head, f"sum += mix({round_}, 2) ^ {value};", *[f"last = {round_};"] * last)
        if last and n:
            self.emit("sum = mix(sum, last);")

    def region(self, k):
        """A region of several constructs."""
        rng = self.rng
        threads = rng.choice([None, 1, 2, 3, 4, 5])
        one_thread = threads is not None and rng.random() < 0.1
        clauses = f" num_threads({threads})" if threads else ""
        if one_thread:
            clauses += " if (x < 0)"
        constructs = [self.array, self.array, self.summed, self.reduced_loop, self.last,
                      self.last_assigned, self.twice, self.collapsed, self.ordered, self.doacross,
                      self.scan, self.sections, self.single, self.masked, self.locks,
                      self.cancelled, self.array_sum, self.loop_of_tasks, self.captured,
                      self.tasks, self.tasks]
        self.shared = []
        before, self.lines = self.lines, []
        self.depth = 2
        if threads:
            self.emit(f"IS(omp_get_num_threads(), {1 if one_thread else threads});")
        self.emit("IS(omp_get_level(), level + 1);")
        for _ in range(rng.randint(2, 7)):
            rng.choice(constructs)(k)
        inside, self.lines = self.lines, before
        self.depth = 1
        for line in ["const int level = omp_get_level();", *self.shared]:
            self.emit(line)
        self.emit(f"#pragma omp parallel{clauses}")
        self.emit("{")
        self.lines += inside
        self.emit("}")
        self.emit("IS(omp_get_level(), level);")

    def main(self):
        """The main function, which calls regions in several ways and prints what they return."""
        for k in range(self.regions):
            self.lines.append(f"static void* thread{k}(void* at) "
                              f"{{ *(whole*)at = region{k}(3); return NULL; }}")
        self.lines.append("int main(void) {")
        self.emit("omp_set_dynamic(0);")
        for _ in range(self.rng.randint(2, 5)):
            way = self.rng.choice([self.called, self.called, self.on_threads, self.on_threads,
                                   self.in_task, self.on_target, self.league, self.thread_private])
            way(self.rng.randrange(self.regions))
        self.emit("return bads != 0;")
        self.lines.append("}")

    def called(self, k):
        self.emit(f'printf("%lx\\n", region{k}({self.rng.randint(1, 9)}));')

    def on_threads(self, k):
        """Three threads of the program's own and the initial one call regions at once."""
        other = self.rng.randrange(self.regions)
        self.block("", "pthread_t made[3];", "whole got[3], mine;",
                   *[f"pthread_create(&made[{t}], NULL, thread{called}, &got[{t}]);"
                     for t, called in enumerate([k, other, k])],
                   f"mine = region{other}(4);",
                   "for (int t = 0; t < 3; ++t) pthread_join(made[t], NULL);",
                   'printf("%lx %lx %lx %lx\\n", got[0], got[1], got[2], mine);')

    def in_task(self, k):
        self.block("", "whole got = 0;", "#pragma omp task shared(got)", f"got = region{k}(5);",
                   "#pragma omp taskwait", 'printf("%lx\\n", got);')

    def on_target(self, k):
        self.block("", "whole got = 0;", "#pragma omp target map(tofrom : got)",
                   f"got = region{k}(6);", 'printf("%lx\\n", got);')

    def league(self, _k):
        clauses = f" reduction(+ : got){self.schedule()}"
        teams = f"teams distribute parallel for num_teams({self.rng.randint(1, 3)})"
        # After a league libomp 19 forms smaller teams, and with static chunks it skips iterations.
        self.block("", "whole got = 0;",
                   lambda: self.unless_clang(teams + clauses, "parallel for" + clauses),
                   f"for (int i = 0; i < {self.rng.choice([0, 5, 90])}; ++i)",
                   "  got += mix(i, 3);", 'printf("%lx\\n", got);')

    def thread_private(self, _k):
        """What a thread has kept is there in the next region of as many threads."""
        parallel = f"#pragma omp parallel num_threads({self.rng.randint(1, 5)})"
        self.block("", parallel, "kept = omp_get_thread_num() * 3 + 1;",
                   parallel, "IS(kept, omp_get_thread_num() * 3 + 1);")

    def text(self):
        return PROLOGUE + "\n".join(self.lines) + "\n"
