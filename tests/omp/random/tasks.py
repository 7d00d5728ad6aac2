"""Tasks: of one thread, or the same of each."""
from writer import Writer


class Tasks(Writer):
    """Most methods write a set of tasks of region `k`, of `m` tasks or as many turns of a loop,
    which are complete at its end or at the next taskwait."""

    def task_set(self, k):
        write = self.rng.choice([self.tree, self.chain, self.chain, self.reduced, self.taskloop,
                                 self.taskloops, self.group, self.caller, self.events,
                                 self.objects])
        write(k, self.rng.choice([1, 5, 30, 100]))

    def tree(self, _k, _m):
        self.add(f"tree({self.rng.randint(0, 6)}, x)")

    def chain(self, _k, m):
        c, r = self.name("c"), self.name("r")
        self.emit(f"whole {c}[3] = {{1, 2, 3}}, {r} = 0;")
        writes = (f"task depend(inout : {c}[q % 3]) firstprivate(q) shared({c})"
                  + self.maybe("priority(q % 4)") + self.maybe("if (q % 5)", 0.3))
        reads = (f"task depend(in : {c}[q % 3]) firstprivate(q) shared({c}, {r}) depend(",
                 f" : {r})")
        untied = self.maybe("untied")

        def each():
            # libomp 19 aborts at untied tasks that are undeferred, and may hang at mutexinoutset.
            self.unless_clang(writes + untied, writes)
            self.emit(f"{c}[q % 3] = mix({c}[q % 3], q);")
            self.unless_clang("mutexinoutset".join(reads), "inout".join(reads))
            self.emit(f"{r} += mix({c}[q % 3], q);")

        self.block(f"for (int q = 0; q < {m}; ++q)", each)
        if self.rng.random() < 0.3:
            # libomp 19 damages its memory after it, sometimes.
            self.unless_clang(f"taskwait depend(in : {c}[0])", "taskwait")
            self.emit(f"IS({c}[0] == 1, 0);")
        self.emit("#pragma omp taskwait")
        self.add(f"{c}[0] ^ {c}[1] ^ {c}[2] ^ {r}")

    def reduced(self, _k, m):
        r = self.name("r")
        task = f"#pragma omp task in_reduction(+ : {r}) firstprivate(q)"
        self.emit(f"long {r} = 1;")
        self.emit(f"#pragma omp taskgroup task_reduction(+ : {r})")
        self.block(f"for (int q = 0; q < {m}; ++q)", task,
                   lambda: self.block("", f"{r} += q * x;", task, f"{r} += q;"))
        self.add(f"mix(9, {r})")

    def taskloop(self, _k, m):
        r = self.name("r")
        self.emit(f"long {r} = 0, last{r} = 0;")
        size = self.rng.choice(["", " grainsize(3)", " num_tasks(7)", " grainsize(100)"])
        self.emit(f"#pragma omp taskloop reduction(+ : {r}) lastprivate(last{r}) firstprivate(x)"
                  + size + self.maybe("untied"))
        self.block(f"for (long q = {m}; q > 0; --q)", f"{r} += q + x;", f"last{r} = q;")
        self.emit(f"IS(last{r}, 1);")
        self.add(f"mix(8, {r})")

    def taskloops(self, _k, _m):
        """Two taskloops at a time, on parts of an array that have no element in common."""
        v = self.name("v")
        self.emit(f"long {v}[10][10] = {{{{0}}}};")
        self.emit("#pragma omp taskgroup")

        def both():
            for rows, columns, value in (("q = 0; q < 5", "w = 0; w < 5", "q + 3 * w + x"),
                                         ("q = 5; q < 10", "w = 5; w < 10", "q * w")):
                self.emit(f"#pragma omp taskloop nogroup collapse(2) shared({v}) firstprivate(x)"
                          + self.maybe("num_tasks(4)"))
                self.emit(f"for (int {rows}; ++q)")
                self.block(f"for (int {columns}; ++w)", f"{v}[w][q] += {value};")

        self.block("", both)
        self.add(f"all_of({v}[0], 100)")

    def objects(self, _k, m):
        c, o = self.name("c"), self.name("o")
        self.emit(f"whole {c}[4] = {{1, 1, 1, 1}};")
        self.emit(f"omp_depend_t {o};")
        self.emit(f"#pragma omp depobj({o}) depend(inout : {c}[0])")
        self.block(f"for (int q = 0; q < {m}; ++q)",
                   f"#pragma omp task depend(depobj : {o}) firstprivate(q) shared({c})",
                   f"{c}[0] = mix({c}[0], q);",
                   f"#pragma omp task depend(iterator(z = 0 : 4), in : {c}[z])"
                   f" depend(out : {c}[3]) firstprivate(q) shared({c})",
                   f"{c}[3] = mix({c}[3] ^ {c}[0], q);")
        self.emit("#pragma omp taskwait")
        self.emit(f"#pragma omp depobj({o}) destroy")
        self.add(f"{c}[0] ^ {c}[3]")

    def group(self, _k, m):
        f = self.name("f")
        self.emit(f"int {f} = 0;")
        self.emit("#pragma omp taskgroup")
        self.block(f"for (int q = 0; q < {m}; ++q)",
                   f"#pragma omp task shared({f}) firstprivate(q)",
                   lambda: self.block(f"if (q == {self.rng.randrange(m)})",
                                      "#pragma omp atomic write", f"{f} = 1;",
                                      "#pragma omp cancel taskgroup"))
        self.emit(f"IS({f}, 1);")

    def events(self, k, _m):
        e, r = self.name("e"), self.name("r")
        self.emit(f"omp_event_handle_t {e};")
        self.emit(f"whole {r} = 0;")
        self.emit(f"#pragma omp task detach({e}) depend(out : {r}) shared({r})")
        self.emit(f"{r} = {self.some_call(k)};")
        self.emit(f"#pragma omp task firstprivate({e})")
        self.emit(f"omp_fulfill_event({e});")
        self.emit(f"#pragma omp task depend(inout : {r}) shared({r})")
        self.emit(f"{r} = mix({r}, 4);")
        self.emit("#pragma omp taskwait")
        self.add(r)

    def caller(self, k, _m):
        untied = self.maybe("untied")
        self.emit("#pragma omp taskgroup")
        self.block(f"for (int q = 0; q < {self.rng.randint(1, 4)}; ++q)",
                   f"#pragma omp task shared(sum) firstprivate(x){untied}",
                   lambda: self.block("", lambda: self.add(self.some_call(k))))

    def tasks(self, k):
        if self.rng.random() < 0.6:
            self.emit(f"#pragma omp single{self.maybe('nowait')}")
            self.block("", *[lambda: self.task_set(k)] * self.rng.randint(1, 3))
        else:
            self.each_threads_tasks(k)

    def each_threads_tasks(self, k):
        """Each thread has the same tasks, so one thread's sum is added, however many there are."""
        first = self.name("first")
        self.shared.append(f"whole {first} = 0;")

        def own_sum():
            self.block("", "whole sum = 0;", lambda: self.task_set(k), "#pragma omp taskwait",
                       "*to = sum;")
            self.emit("#pragma omp single")
            self.emit(f"{first} = mine;")
            self.emit(f"IS(mine, {first});")
            self.once(first)

        self.block("", "whole mine = 0;", "whole* const to = &mine;", own_sum)
