"""The values that made loops run through: where they begin, end and step, for every integer type."""
from dataclasses import dataclass

SIGNED = {"signed char": 8, "short": 16, "int": 32, "long": 64, "long long": 64, "__int128": 128}
UNSIGNED = {"unsigned char": 8, "unsigned short": 16, "unsigned": 32, "unsigned long": 64,
            "unsigned long long": 64, "unsigned __int128": 128}
TYPES = [*SIGNED, *UNSIGNED, "unsigned char", "unsigned short", "unsigned", "unsigned"]


def limits(kind):
    if kind in SIGNED:
        bits = SIGNED[kind]
        return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
    return 0, (1 << UNSIGNED[kind]) - 1


@dataclass
class Walk:
    """A loop's values: `count` of them from `first` on, in steps of `step`, which is not 0."""
    first: int
    step: int
    count: int

    @property
    def beyond(self):
        return self.first + self.count * self.step


def a_walk(rng, lo, hi, most, up=None):
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
    if up is None:
        up = rng.random() < 0.5
    return Walk(lowest, size, count) if up else Walk(lowest + span, -size, count)


def an_end(rng, walk, lo, hi, how=None):
    """A relation, and the bound that ends the walk by it; None: it cannot be that relation."""
    size = abs(walk.step)
    sign = 1 if walk.step > 0 else -1
    if how is None:
        how = rng.choice((["<", "<="] if sign > 0 else [">", ">="]) + (["!="] if size == 1 else []))
    if how == "!=":
        return (how, walk.beyond) if size == 1 else None
    far = walk.beyond - lo if sign > 0 else hi - walk.beyond  # of no iteration, in the type's other half, too
    slack = rng.randint(0, size - 1) if walk.count > 0 else rng.choice([0, 0, 1, 5, far - 1, far // 2, rng.randint(0, far)])
    bound = walk.beyond - sign * slack - (sign if how in ("<=", ">=") else 0)
    return (how, bound) if lo <= bound <= hi else None


def walks_of_a_head(rng, lo, hi, most, cases):
    """Walks of one head for so many calls, the relation, their bounds, and which of the first value,
    the bound and the step are constants."""
    while True:
        walk = a_walk(rng, lo, hi, most)
        end = an_end(rng, walk, lo, hi)
        if end is not None:
            break
    how, bound = end
    first_stays, bound_stays = rng.random() < 0.3, rng.random() < 0.25
    step_stays = rng.random() < 0.5 or bound_stays or how == "!="
    walks, bounds = [walk], [bound]
    half = (hi - lo) // 2
    while len(walks) < cases:
        other = a_walk(rng, lo, hi, most, walk.step > 0)
        if step_stays:
            other.step = walk.step
        if first_stays:
            other.first = walk.first
        size = abs(other.step)
        if bound_stays:
            if first_stays:
                other = walk
            else:  # it begins elsewhere, and ends at the same value
                other.count = min(other.count, half // size)
                other.first = walk.beyond - other.count * other.step
                if how != "!=" and rng.random() < 0.3:  # or beyond that, anywhere
                    other.count = 0
                    far = hi if walk.step > 0 else lo
                    other.first = rng.choice([far, (walk.beyond + far) // 2, walk.beyond])
        else:
            way = hi - other.first if other.step > 0 else other.first - lo
            other.count = max(0, min(other.count, half // size, way // size - 1))
        end = (how, bound) if bound_stays else an_end(rng, other, lo, hi, how)
        if end is None or not lo <= other.first <= hi or not lo <= other.beyond <= hi:
            other, end = walk, (how, bound)
        elif bound_stays and walk.count == 0:
            other = walk
        walks.append(other)
        bounds.append(end[1])
    return walks, how, bounds, (first_stays, bound_stays, step_stays)

