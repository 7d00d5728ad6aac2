"""Parallel loops of Fortran, as made_loops.py makes them of C and C++."""
from made_loops import GIVEN, MOST_CASES, OWN
from made_walks import a_walk


def number_of(value, kind):
    return f"{value}_{kind}" if value >= 0 else f"(-{-value}_{kind})"


def walk_of(rng, lo, hi, most, step):
    """One that Fortran's bounds say, of that step if it is one: the walk, and its last bound."""
    walk = a_walk(rng, lo, hi, most, None if step is None else step > 0)
    if step is not None:
        way = hi - walk.first if step > 0 else walk.first - lo
        walk.step, walk.count = step, max(0, min(walk.count, way // abs(step) - 1, (hi - lo) // 2 // abs(step)))
    last = walk.beyond - walk.step
    if walk.count == 0:
        sign = 1 if walk.step > 0 else -1
        if not lo <= walk.first - sign <= hi:
            walk.first = 5
        last = walk.first - sign
    elif abs(walk.step) > 1 and rng.random() < 0.5:
        last += (1 if walk.step > 0 else -1) * rng.randint(0, abs(walk.step) - 1)
    return walk, last


def fortran_loop(rng, number):
    """The subroutine, and for how many numbers it is one."""
    kind = rng.choice([1, 2, 4, 4, 8, 8, 16])
    depth = rng.choice([1, 1, 1, 2, 3])
    hi = (1 << (8 * kind - 1)) - 1
    names = "ijk"[:depth]
    loops, before, tables, cases = [], [], [], 1
    for i in names:
        most = [300, 17, 7][depth - 1]
        first = walk_of(rng, -hi, hi, most, None)
        all_same, same_step = rng.random() < 0.15, rng.random() < 0.5
        walks = [first] + [first if all_same else walk_of(rng, -hi, hi, most, first[0].step if same_step else None)
                           for _ in range(MOST_CASES - 1)]
        texts = []
        for what, values in (("b", [w.first for w, _ in walks]), ("e", [last for _, last in walks]),
                             ("s", [w.step for w, _ in walks])):
            if len(set(values)) == 1 and rng.random() < 0.6:
                texts.append(number_of(values[0], kind))
                continue
            cases = MOST_CASES
            tables.append(f"integer({kind}), parameter :: t{what}{i}({MOST_CASES}) = [integer({kind}) :: "
                          f"{', '.join(number_of(v, kind) for v in values)}]")
            before.append(f"{what}{i} = t{what}{i}(which + 1)")
            texts.append(f"{what}{i}")
        step = "" if {w.step for w, _ in walks} == {1} and rng.random() < 0.7 else f", {texts[2]}"
        loops.append(f"do {i} = {texts[0]}, {texts[1]}{step}")
    value = "int(i, 8)" if depth == 1 else f"(int(i, 8) * 31 + int(j, 8)){' * 31 + int(k, 8)' if depth == 3 else ''}"
    works = [f"v = mix({value})", "h = h + v", "n = n + 1"]
    clauses, prints = f" collapse({depth})" if depth > 1 else "", ["n", "h"]
    ordered = rng.random() < 0.07
    simd = " simd" if not ordered and depth == 1 and rng.random() < 0.15 else ""
    if rng.random() < 0.4:
        works += ["do q = 1, int(iand(v, 15_8))", "  h = h + mix(v + q)", "end do"]
    if rng.random() < 0.3:
        clauses += " lastprivate(x)"
        works.append("x = v + 1")
        prints.append("merge(x, 0_8, n > 0)")
    if rng.random() < 0.2 and not ordered:
        clauses += " linear(y:3)"
        works += ["h = h + mix(v + y)", "y = y + 3"]
        prints.append("y")
    if rng.random() < 0.2:
        clauses += " reduction(max:most)"
        works.append("most = max(most, iand(v, 1023_8))")
        prints.append("most")
    if rng.random() < 0.15 and not simd:
        clauses += " reduction(+:sums)"
        works.append("sums(1 + iand(v, 3_8)) = sums(1 + iand(v, 3_8)) + v")
        prints.append("sums(1) + 3 * sums(2) + 5 * sums(3) + 7 * sums(4)")
    if rng.random() < 0.15:
        clauses += " firstprivate(given)"
        works.append("h = h + mix(v + given(2))")
    if rng.random() < 0.15 and not simd and not ordered:
        works += ["if (iand(v, 3_8) == 1) cycle", "h = h + mix(v + 77)"]
    if rng.random() < 0.1 and not simd:
        works += ["!$omp atomic", "shared_sum = shared_sum + v"]
        prints.append("shared_sum")
    if ordered:
        clauses += " ordered"
        works += ["!$omp ordered", "row = row * 31 + v", "!$omp end ordered"]
        prints.append("row")
    what = rng.random()
    schedule = "" if kind == 16 or what < 0.4 else f"@OWN:{rng.choice(OWN)}@" if what > 0.85 and not ordered else \
        f"@S:{rng.choice([g for g in GIVEN if not ordered or 'nonmono' not in g])}@"
    head = f"do{simd} {schedule} private(v, q) reduction(+:h, n){clauses}"
    tail = [f"  {w}" for w in works] + ["end do"] * depth
    if rng.random() < 0.6:
        text = [f"!$omp parallel {head}", *loops, *tail]
    else:
        nowait = rng.random() < 0.4 and "lastprivate" not in clauses and "linear" not in clauses and not ordered
        text = ["!$omp parallel", f"!$omp {head}", *loops, *tail,
                *([f"!$omp end do{simd} nowait"] if nowait else []), "!$omp end parallel"]
    declared = ", ".join(f"{what}{i}" for i in names for what in "bes")
    return "\n".join([f"subroutine f{number}(which) bind(c)", "use base", "integer(4), value :: which", *tables,
                      f"integer({kind}), volatile :: {declared}", f"integer({kind}) :: {', '.join(names)}",
                      "integer(8) :: h, n, v, x, most, row, sums(4), given(3), shared_sum", "integer :: q, y",
                      "h = 0; n = 0; x = 0; most = -1; row = 1; y = 7; sums = [1, 2, 3, 4]; given = 11; shared_sum = 0",
                      *before, *text,
                      f"write (*, '(i0, a, i0{', 1x, z0' * len(prints)})') {number}, '.', which, {', '.join(prints)}",
                      "end subroutine"]), cases


def fortran_program(rng, loops):
    """As c_program()."""
    base = ["module base", "contains", "pure elemental function mix(a) result(v)", "integer(8), intent(in) :: a",
            "integer(8) :: v", "v = ieor(a, ishft(a, 29))", "v = ieor(v, ishft(v, -31))",
            "v = ieor(v, ishft(v, 17))", "v = iand(v, 1152921504606846975_8)", "end function", "end module"]
    made = {number: fortran_loop(rng, number) for number in range(loops)}
    return "\n".join(base), {k: text for k, (text, _) in made.items()}, {k: cases for k, (_, cases) in made.items()}
