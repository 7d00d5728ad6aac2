"""The programs: an entry each says how it is installed, what it computes, and what is compared."""

from dataclasses import dataclass, field
from typing import Callable

import inputs


def exact(text):
    """What is printed or written, to the byte."""
    return text


def lines(text):
    """Lines in any order."""
    return "\n".join(sorted(text.splitlines()))


def sequences(text):
    """A FASTA file's sequences in any order and of either strand, without their names."""
    other = str.maketrans("ACGT", "TGCA")
    records = ["".join(r.split("\n")[1:]) for r in text.split(">")[1:]]
    return "\n".join(sorted(min(s, s[::-1].translate(other)) for s in records))


@dataclass
class Program:
    """Commands run in an empty folder in which the input lies. {threads}: how many threads;
    {here}: the folder programs/; {python}: that of the virtual environment; {name}: a file in.*"""
    command: str
    packages: list = field(default_factory=list)  # of Debian; the first one gives the version
    wheels: list = field(default_factory=list)
    make: Callable = inputs.none
    before: str = ""  # run plainly once, when the input was made
    output: str = ""  # patterns of files; empty: what it prints
    form: Callable = exact  # what of the output is compared
    tolerance: float = 0  # of a number, as a share of it
    why: str = ""  # there is a form or a tolerance
    environment: dict = field(default_factory=dict)


REDUCES = "threads' partial sums are combined in the order in which they come"

PROGRAMS = {
    "tesseract": Program(
        "tesseract in.png stdout", ["tesseract-ocr", "tesseract-ocr-eng", "imagemagick",
                                    "fonts-dejavu-core"],
        make=inputs.text(14, 8),
        before="convert-im6.q16 -font {fonts}/DejaVuSans.ttf -pointsize 22 label:@in.txt in.png"),
    "FastTree": Program("fasttreeMP -nt -gtr -quiet in.fa", ["fasttree"],
                        make=inputs.alignment(120, 400)),
    "MEGAHIT": Program("megahit -r in.fa -o out -t {threads}", ["megahit"],
                       make=inputs.reads(150_000, 100, 30), output="out/final.contigs.fa",
                       form=sequences, why="contigs are numbered in the order in which they end"),
    "SPAdes": Program("python3 {here}/spades_assemble.py {root} -s in.fq -o out -t {threads} -k 21"
                      " --phred-offset 33 --disable-gzip-output", ["spades"],
                      make=inputs.reads(60_000, 100, 25), output="out/contigs.fasta",
                      form=sequences, why="contigs of one length are numbered in any order"),
    "SUMACLUST": Program("sumaclust -p {threads} -t 0.97 in.fa", ["sumaclust"],
                         make=inputs.amplicons(90, 25, 250)),
    "IQ-TREE": Program("iqtree2 -s in.fa -T {threads} -m GTR+G -seed 36 -pre out -quiet",
                       ["iqtree"], make=inputs.alignment(12, 800), output="out.treefile",
                       tolerance=1e-3, why=REDUCES + ", and lengths of branches follow"),
    "par2": Program("par2 create -q -t{threads} -r20 -b400 out.par2 in.bin", ["par2"],
                    make=inputs.random_bytes(8 << 20), output="*.par2"),
    "data.table": Program("{r} --no-echo --no-save --no-restore -f {here}/datatable.R",
                          ["r-cran-data.table", "r-base-core"],
                          environment={"R_DATATABLE_NUM_PROCS_PERCENT": "100"}),
    "PyTorch": Program("python3 {here}/torch_train.py", ["python3-torch"], tolerance=1e-5,
                       why=REDUCES,
                       environment={"PYTHONPATH": "{root}/usr/lib/python3/dist-packages"}),
    "faiss": Program("{python} {here}/faiss_search.py", wheels=["faiss-cpu", "numpy"]),
    "CTranslate2": Program("{python} {here}/ctranslate2_model.py",
                           wheels=["ctranslate2", "numpy"]),
    "MKL": Program("{python} {here}/mkl_algebra.py", wheels=["mkl", "numpy"], tolerance=1e-9,
                   why="blocks of a sum follow the number of threads that come",
                   environment={"MKL_THREADING_LAYER": "INTEL"}),
    "PySCF": Program("{python} {here}/pyscf_energy.py", wheels=["pyscf", "numpy"],
                     tolerance=1e-9, why=REDUCES),
    "OpenBLAS": Program("python3 {here}/openblas_algebra.py", ["libopenblas0-openmp"]),
    "FFTW": Program("python3 {here}/fftw_transform.py", ["libfftw3-double3"]),
    "Clustal-Omega": Program("clustalo -i in.fa --threads={threads}", ["clustalo"],
                             make=inputs.unaligned(60, 120)),
    "Kalign": Program("kalign -i in.fa -o out.fa", ["kalign"], make=inputs.unaligned(300, 250),
                      output="out.fa"),
    "MMseqs2": Program("mmseqs-{cpu} easy-search in.fa in.fa out.m8 tmp --threads {threads} -v 1",
                       ["mmseqs2"], make=inputs.unaligned(400, 150, 0.25), output="out.m8",
                       form=lines, why="threads write their results as they have them"),
    "ImageMagick": Program("convert-im6.q16 in.png -resize 150% -blur 0x6 -sharpen 0x2 -rotate 17"
                           " -strip -define png:exclude-chunks=date,time ppm:-", ["imagemagick"],
                           make=inputs.picture(1000, 700)),
    "GraphicsMagick": Program("gm convert in.png -resize 200% -blur 0x6 -sharpen 0x2 -median 2"
                              " ppm:-", ["graphicsmagick"], make=inputs.picture(600, 450)),
    "pngquant": Program("pngquant --speed 1 --output out.png 128 in.png", ["pngquant"],
                        make=inputs.picture(600, 400), output="out.png"),
    "xtb": Program("xtb in.xyz --gfn 2 --opt crude --cycles 3", ["xtb", "libopenblas0-openmp"],
                   make=inputs.molecule(14), output="xtbopt.xyz", tolerance=1e-4,
                   why=REDUCES + ", and steps of the optimisation follow"),
    "GROMACS": Program("gmx mdrun -s in.tpr -deffnm out -ntmpi 1 -ntomp {threads} -pin off"
                       " -notunepme -reprod -nobackup", ["gromacs"], make=inputs.liquid(16),
                       before="gmx grompp -f in.mdp -c in.gro -p in.top -o in.tpr",
                       output="out.gro"),
    "Qiskit-Aer": Program("{python} {here}/aer_circuit.py",
                          wheels=["qiskit-aer", "qiskit", "numpy"], tolerance=1e-9, why=REDUCES),
    "ncnn": Program("{python} {here}/ncnn_net.py", wheels=["ncnn", "numpy"]),
    "pykdtree": Program("{python} {here}/kdtree_query.py", wheels=["pykdtree", "numpy"]),
    "implicit": Program("{python} {here}/implicit_factors.py",
                        wheels=["implicit", "scipy", "numpy"], tolerance=1e-3,
                        why="float sums that iterations amplify"),
}
