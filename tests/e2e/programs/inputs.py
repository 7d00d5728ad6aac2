"""Inputs of the programs, each a function of a fixed seed that writes into a folder.

They are small, so that a run takes some seconds, and have the structure that the program looks for:
reads overlap, sequences have an ancestor, an image has text.
"""

import math
import os
import random
import struct
import zlib

SEED = 36
BASES = "ACGT"
ACIDS = "ACDEFGHIKLMNPQRSTVWY"


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def fasta(records):
    return "".join(f">{name}\n{sequence}\n" for name, sequence in records)


def sequence(rng, length, letters=BASES):
    return "".join(rng.choices(letters, k=length))


def mutated(rng, ancestor, rate, letters=BASES):
    """The ancestor, of which each letter was drawn anew with that probability."""
    return "".join(rng.choice(letters) if rng.random() < rate else c for c in ancestor)


def family(rng, members, length, rate, letters=BASES):
    """Sequences of one length that descend from each other along a random tree."""
    grown = [sequence(rng, length, letters)]
    while len(grown) < members:
        grown.append(mutated(rng, rng.choice(grown), rate, letters))
    return [(f"s{i}", s) for i, s in enumerate(grown)]


def with_gaps(rng, records, rate):
    """The same without some of the letters: sequences that have to be aligned."""
    return [(name, "".join(c for c in s if rng.random() >= rate)) for name, s in records]


def alignment(members, length, rate=0.05, letters=BASES):
    def make(folder):
        write(folder, "in.fa", fasta(family(random.Random(SEED), members, length, rate, letters)))
    return make


def unaligned(members, length, rate=0.1, letters=ACIDS):
    def make(folder):
        rng = random.Random(SEED)
        records = family(rng, members, length, rate, letters)
        write(folder, "in.fa", fasta(with_gaps(rng, records, 0.03)))
    return make


def amplicons(clusters, members, length):
    """Short sequences in clusters of few differences, as sequencing one gene gives."""
    def make(folder):
        rng = random.Random(SEED)
        records = []
        for c in range(clusters):
            centre = sequence(rng, length)
            records += [(f"s{c}_{m}", mutated(rng, centre, 0.02)) for m in range(members)]
        rng.shuffle(records)
        write(folder, "in.fa", fasta(records))
    return make


def reads(genome, length, coverage, error=0.003):
    """Reads of a random genome, both strands."""
    def make(folder):
        rng = random.Random(SEED)
        whole = sequence(rng, genome)
        other = str.maketrans("ACGT", "TGCA")
        records = []
        for i in range(genome * coverage // length):
            begin = rng.randrange(genome - length)
            read = mutated(rng, whole[begin:begin + length], error)
            records.append((f"r{i}", read[::-1].translate(other) if rng.random() < 0.5 else read))
        write(folder, "in.fa", fasta(records))
        # Readers of FASTQ want qualities, too.
        write(folder, "in.fq", "".join(f"@{n}\n{s}\n+\n{'I' * len(s)}\n" for n, s in records))
    return make


def random_bytes(size):
    def make(folder):
        with open(os.path.join(folder, "in.bin"), "wb") as file:
            file.write(random.Random(SEED).randbytes(size))
    return make


def png(path, width, height, rows):
    """An RGB image; rows(y) gives 3 * width bytes."""
    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))
    pixels = b"".join(b"\0" + rows(y) for y in range(height))
    with open(path, "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" +
                   chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) +
                   chunk(b"IDAT", zlib.compress(pixels, 1)) + chunk(b"IEND", b""))


def picture(width, height):
    """Waves of colour with some noise."""
    def make(folder):
        rng = random.Random(SEED)
        noise = rng.randbytes(4096)

        def row(y):
            row_of = bytearray()
            for x in range(width):
                n = noise[(x * 7 + y * 13) % 4096] // 8
                row_of += bytes((int(110 + 100 * math.sin(x / 37) * math.cos(y / 53)) + n,
                                 (x * y // 97) % 200 + n, int(110 + 100 * math.sin(y / 29)) + n))
            return bytes(row_of)
        png(os.path.join(folder, "in.png"), width, height, row)
    return make


def text(lines, words):
    """Text of syllables, for the program that draws it."""
    def make(folder):
        rng = random.Random(SEED)
        syllables = "ra to mi len ver con the and sta pro ing de al ter".split()

        def word():
            return "".join(rng.choices(syllables, k=rng.randint(1, 3)))
        write(folder, "in.txt",
              "".join(" ".join(word() for _ in range(words)) + "\n" for _ in range(lines)))
    return make


def molecule(carbons):
    """A chain C(n)H(2n+2), all trans, as XYZ in angstroms."""
    def make(folder):
        atoms = []
        for i in range(carbons):
            x, y = 1.27 * i, 0.42 * (-1) ** i
            side = 0.63 * (-1) ** i
            atoms += [("C", x, y, 0), ("H", x, y + side, 0.88), ("H", x, y + side, -0.88)]
        atoms.append(("H", -0.9, 0.42 - 0.63, 0))
        end = 0.42 * (-1) ** (carbons - 1)
        atoms.append(("H", 1.27 * (carbons - 1) + 0.9, end - 0.63 * (-1) ** (carbons - 1), 0))
        write(folder, "in.xyz", f"{len(atoms)}\n\n" +
              "".join(f"{a} {x:.5f} {y:.5f} {z:.5f}\n" for a, x, y, z in atoms))
    return make


def liquid(side, spacing=0.38):
    """Argon on a shaken lattice, with the topology and the run's parameters, for GROMACS."""
    def make(folder):
        rng = random.Random(SEED)
        lines, count = [], side ** 3
        for i in range(count):
            at = [(k + 0.5) * spacing + rng.uniform(-0.01, 0.01)
                  for k in (i % side, i // side % side, i // side ** 2)]
            lines.append("%5d%-5s%5s%5d%8.3f%8.3f%8.3f\n" %
                         ((i + 1) % 100000, "AR", "AR", (i + 1) % 100000, *at))
        box = side * spacing
        write(folder, "in.gro",
              f"argon\n{count}\n{''.join(lines)}{box:10.5f}{box:10.5f}{box:10.5f}\n")
        write(folder, "in.top", "[ defaults ]\n1 2 no 1.0 1.0\n[ atomtypes ]\n"
              "AR 39.948 0.0 A 0.3405 0.996\n[ moleculetype ]\nAR 1\n[ atoms ]\n"
              "1 AR 1 AR AR 1 0.0 39.948\n[ system ]\nargon\n[ molecules ]\n" f"AR {count}\n")
        write(folder, "in.mdp", "integrator=md\ndt=0.002\nnsteps=400\nnstlist=10\n"
              "rlist=1.0\nrvdw=1.0\ncoulombtype=cut-off\nrcoulomb=1.0\ncutoff-scheme=Verlet\n"
              "tcoupl=v-rescale\ntc-grps=System\ntau-t=0.5\nref-t=90\ngen-vel=yes\ngen-temp=90\n"
              "gen-seed=36\nld-seed=36\nnstenergy=100\nnstlog=100\n")
    return make


def none(_):
    """Programs that make their input themselves, from the same seed each time."""
