"""Loops over two and more dimensions: parallel_for((rows, columns), body, ...).

A loop over a space is a loop over its tiles, by their numbers in row-major order
(include/doall/tiles.h). A body of njit is called for each index of a tile, the last one fastest.
"""

import operator

from . import _library as library

MOST_DIMENSIONS = 8  # tiles.h's


def _integers(numbers, what, least):
    try:
        found = tuple(operator.index(n) for n in numbers)
    except TypeError:
        raise TypeError(f"{what} {numbers!r}, expected integers; nothing has run") from None
    if not 1 <= len(found) <= MOST_DIMENSIONS or not all(least <= n < 1 << 63 for n in found):
        raise ValueError(f"{what} {numbers!r}, expected 1 to {MOST_DIMENSIONS} integers of {least} "
                         "or more; nothing has run")
    return found


class Space:
    """The lengths, the sides of a tile, and how many tiles there are."""

    def __init__(self, lengths, tiles):
        self.lengths = _integers(lengths, "a loop over a space of", 0)
        sides = (0,) * len(self.lengths) if tiles is None else _integers(tiles, "tiles of", 1)
        if len(sides) != len(self.lengths):
            raise ValueError(f"tiles of {tiles!r}, expected a side for each dimension of "
                             f"{lengths!r}; nothing has run")
        words = library.U64 * len(sides)
        cut = words(*sides)
        self.count = library.loops.doall_python_tiles(len(sides), words(*self.lengths), cut)
        self.sides = tuple(cut)

    def about(self):
        """What a body is told: lengths, sides, and the number of pieces of each dimension."""
        pieces = (-(-n // side) for n, side in zip(self.lengths, self.sides))
        return (*self.lengths, *self.sides, *pieces)


def loop_over(dimensions, call):
    """Lines that make the statements of `call`, with the indices i0, i1, ..., for all of tile `i`.
    `space` has what Space.about() gives."""
    lines = ["rest = i"]
    for d in reversed(range(dimensions)):
        lines += [f"pieces = space[{2 * dimensions + d}]",
                  f"begin{d} = rest % pieces * space[{dimensions + d}]",
                  "rest //= pieces",
                  f"end{d} = min(begin{d} + space[{dimensions + d}], space[{d}])"]
    indent = ""
    for d in range(dimensions):
        lines.append(f"{indent}for i{d} in range(begin{d}, end{d}):")
        indent += "  "
    return lines + [indent + line for line in call]
