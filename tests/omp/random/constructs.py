"""Constructs that all threads of a region encounter."""
from writer import N, Writer


class Constructs(Writer):
    """Each method writes one construct of region `k`."""

    def array(self, _k):
        head, round_, _ = self.head(self.name("i"))
        v = self.name("v")
        self.shared.append(f"long {v}[N] = {{0}};")
        self.emit(f"#pragma omp for{self.schedule()}{self.maybe('nowait')}")
        self.block(head, f"{v}[{round_}] += {self.rng.randint(2, 9)} * ({round_}) + x;")
        self.emit("#pragma omp barrier")
        self.once(f"all_of({v}, N)")

    def summed(self, _k):
        head, round_, _ = self.head(self.name("i"))
        self.emit(f"#pragma omp for{self.schedule()}{self.maybe('nowait')}")
        self.block(head, lambda: self.add(f"mix({round_}, x)"))

    def reduced_loop(self, _k):
        rng = self.rng
        head, round_, _ = self.head(self.name("i"))
        r = self.name("r")
        op = rng.choice(["+", "^", "&", "max", "most"])
        self.shared.append(f"long {r} = {rng.randint(0, 5)};")
        self.emit(f"#pragma omp for reduction({op} : {r}){self.schedule()}")
        self.block(head, f"const long y = (long)(mix({round_}, x) >> 8);",
                   f"{r} {op}= y;" if op in "+^&" else f"{r} = {r} > y ? {r} : y;")
        self.once(f"mix(1, {r})")

    def last(self, _k):
        head, round_, n = self.head(self.name("i"))
        r = self.name("r")
        self.shared.append(f"long {r} = -1;")
        self.emit(f"#pragma omp for lastprivate({r}){self.schedule()}")
        self.block(head, f"{r} = ({round_}) * 5 + x;")
        self.once(f"mix(2, {n and r})")

    def last_assigned(self, _k):
        # GCC 12's code races if such a loop counts down.
        head, round_, n = self.head(self.name("i"), up=True)
        r = self.name("r")
        self.shared.append(f"long {r} = -1;")
        # Clang 19's code copies the value before all threads have assigned theirs.
        self.unless_clang(f"for lastprivate(conditional: {r}){self.schedule()}", "single")
        self.block(head, f"if (({round_}) % 3 == 0) {r} = ({round_}) * 5 + x;")
        self.once(f"mix(2, {n and r})")

    def twice(self, _k):
        """Two static loops of the same blocks, without a barrier between them."""
        head, round_, _ = self.head(self.name("i"))
        v = self.name("v")
        self.shared.append(f"long {v}[N] = {{0}};")
        chunk = self.maybe(f", {self.rng.randint(1, 9)}")
        for value in (f"{v}[{round_}] = ({round_}) + x;",
                      f"{v}[{round_}] = 3 * {v}[{round_}] + 1;"):
            self.emit(f"#pragma omp for schedule(static{chunk}) nowait")
            self.block(head, value)
        self.emit("#pragma omp barrier")
        self.once(f"all_of({v}, N)")

    def collapsed(self, _k):
        i, j = self.name("i"), self.name("j")
        a, b = self.rng.randint(0, 12), self.rng.randint(0, 12)
        self.emit(f"#pragma omp for collapse(2){self.schedule()}{self.maybe('nowait')}")
        self.emit(f"for (int {i} = 0; {i} < {a}; ++{i})")
        self.block(f"for (long {j} = {b}; {j} > 0; --{j})",
                   lambda: self.add(f"mix({i} * 100 + {j}, x)"))

    def ordered(self, _k):
        head, round_, _ = self.head(self.name("i"))
        h = self.name("h")
        self.shared.append(f"whole {h} = 5;")
        self.emit(f"#pragma omp for ordered{self.schedule(True)}")
        self.block(head, lambda: self.add(f"({round_})"), "#pragma omp ordered",
                   f"{h} = mix({h}, {round_});")
        self.once(h)

    def doacross(self, _k):
        i, j, v = self.name("i"), self.name("j"), self.name("v")
        a, b = self.rng.randint(1, 12), self.rng.randint(1, 12)
        self.shared.append(f"whole {v}[14][14] = {{{{1}}}};")
        self.emit(f"#pragma omp for ordered(2){self.schedule(True)}")
        self.emit(f"for (int {i} = 1; {i} <= {a}; ++{i})")
        self.block(
            f"for (int {j} = 1; {j} <= {b}; ++{j})",
            f"#pragma omp ordered depend(sink : {i} - 1, {j}) depend(sink : {i}, {j} - 1)",
            f"{v}[{i}][{j}] = mix({v}[{i} - 1][{j}] ^ 3 * {v}[{i}][{j} - 1], {i} + x);",
            "#pragma omp ordered depend(source)")
        self.once(f"{v}[{a}][{b}]")

    def scan(self, _k):
        i, s, v = self.name("i"), self.name("s"), self.name("v")
        n = self.rng.choice([1, 2, 50, N])
        way = self.rng.choice(["inclusive", "exclusive"])
        self.shared += [f"long {s} = 3;", f"long {v}[N] = {{0}};"]
        # Clang 19 passes wrong numbers of threads to a scan outside of the parallel's function.
        self.unless_clang(f"for reduction(inscan, + : {s})", "single")
        phases = [f"{s} += {i} % 7 + x;", f"{v}[{i}] = {s};"]
        if way == "exclusive":
            phases.reverse()
        self.block(f"for (int {i} = 0; {i} < {n}; ++{i})", phases[0], "#ifndef __clang__",
                   f"#pragma omp scan {way}({s})", "#endif", phases[1])
        self.once(f"all_of({v}, N) + {s}")

    def sections(self, k):
        r = self.name("r")
        self.shared.append(f"long {r} = 0;")
        self.emit(f"#pragma omp sections reduction(+ : {r})")

        def body():
            for _ in range(self.rng.randint(1, 6)):
                self.emit("#pragma omp section")
                self.emit(f"{r} += (long)({self.some_call(k)} >> 9);")

        self.block("", body)
        self.once(f"mix(4, {r})")

    def single(self, k):
        y = self.name("y")
        value = self.rng.randint(10, 99)
        self.emit(f"long {y} = 0;")
        self.emit(f"#pragma omp single copyprivate({y})")
        self.block("", f"{y} = {value} + x;", lambda: self.add(self.some_call(k)))
        self.emit(f"IS({y}, {value} + x);")

    def masked(self, k):
        self.emit("#pragma omp master")
        self.block("", lambda: self.add(self.some_call(k)))
        c = self.name("c")
        self.shared.append(f"long {c} = 0;")
        self.emit(f"#pragma omp critical({self.rng.choice(['one', 'two'])})")
        self.emit(f"{c} += 1;")
        self.emit("#pragma omp barrier")
        self.emit(f"IS({c}, omp_get_num_threads());")

    def locks(self, _k):
        c, lock, times = self.name("c"), self.name("lock"), self.rng.randint(1, 60)
        self.shared += [f"long {c} = 0;", f"omp_nest_lock_t {lock};",
                        f"omp_init_nest_lock(&{lock});"]
        self.block(f"for (int m = 0; m < {times}; ++m)", *[f"omp_set_nest_lock(&{lock});"] * 2,
                   f"{c} += 1;", *[f"omp_unset_nest_lock(&{lock});"] * 2)
        self.emit("#pragma omp barrier")
        self.emit(f"IS({c}, {times} * omp_get_num_threads());")

    def array_sum(self, _k):
        head, round_, _ = self.head(self.name("i"))
        r = self.name("r")
        self.shared += [f"long {r}[5] = {{0}};", f"long* const p{r} = {r};"]
        self.emit(f"#pragma omp for reduction(+ : p{r}[:5]){self.schedule()}")
        self.block(head, f"p{r}[({round_}) % 5] += ({round_}) + x;")
        self.once(f"all_of({r}, 5)")

    def loop_of_tasks(self, _k):
        i, r = self.name("i"), self.name("r")
        self.shared.append(f"long {r} = 0;")
        self.emit(f"#pragma omp for reduction(task, + : {r}){self.schedule()}")
        self.block(f"for (int {i} = 0; {i} < {self.rng.choice([1, 4, 50])}; ++{i})",
                   f"{r} += {i};", f"#pragma omp task in_reduction(+ : {r}) firstprivate({i})",
                   f"{r} += 3 * {i} + x;")
        self.once(f"mix(6, {r})")

    def captured(self, _k):
        c, v = self.name("c"), self.name("v")
        n = self.rng.randint(1, 20)
        self.shared += [f"long {c} = 0;", f"char {v}[20 + 1] = {{0}};"]
        self.emit(f"#pragma omp for{self.schedule()}")
        self.block(f"for (int q = 0; q < {n}; ++q)", "long mine;", "#pragma omp atomic capture",
                   f"mine = {c}++;", f"{v}[mine] = 1;")
        self.once(f"(whole){c} * 100 + (whole)({v}[{n} - 1] + {v}[{n}])")

    def cancelled(self, _k):
        i, f = self.name("i"), self.name("f")
        n = self.rng.randint(1, N)
        self.shared.append(f"int {f} = 0;")
        # After a dynamic loop that was cancelled, libomp 19 deals later loops wrongly, or hangs.
        self.unless_clang(f"for{self.schedule()}", "for schedule(static)")

        def body():
            self.block(f"if ({i} == {self.rng.randrange(n)})", "#pragma omp atomic write",
                       f"{f} = 1;", "#pragma omp cancel for")
            self.emit("#pragma omp cancellation point for")

        self.block(f"for (int {i} = 0; {i} < {n}; ++{i})", body)
        self.emit("#pragma omp barrier")
        self.emit(f"IS({f}, 1);")
