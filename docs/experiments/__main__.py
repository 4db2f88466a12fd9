#!/usr/bin/env python3
"""Repeats an experiment of the reference documents and prints their figures beside ours.

  python3 docs/experiments E1 --sprecommend build/cuda/tools/sprecommend
  python3 docs/experiments E8 --matrix mouse_gene.tar.gz mawi_201512020330.mtx
  python3 docs/experiments E4 --ncu /usr/local/cuda/bin/ncu
  python3 docs/experiments E5 --matrix appu.tar.gz human_gene2.tar.gz --out batch
  python3 docs/experiments E5 --batch batch
  python3 docs/experiments all

Times are medians with warm caches, as the documents repeat one product on the same data. Claims are judged
one by one, only by what was measured; differences below 5 % are ties, which contradict no order.

Generated matrices stand in for collections that cannot be downloaded; --matrix takes the real ones. A
stand-in has the rows and the row lengths of the expanded matrix, which is what --matrix would measure; the
documents' "per row" often counts only the stored half of a symmetric one. A band has an odd number of
diagonals, and more than about 20 million rows are cut to 8 million.

E4 counts with ncu, which has to be allowed to. E5 runs spbatch, on the files of --matrix and on stand-ins for
the others, and times with sprecommend what the race of a matrix left out; --batch only reads the results that
a folder has, and times only where --sprecommend is named too. WINS is about races with cold caches: who leads
where. SCIPY times SciPy's product beside ours on the CPU.
"""

import argparse
import sys

sys.dont_write_bytecode = True  # the folder is part of the source

from bsr import e6, e7
from common import Bench, Lacking, NoBench, fail
from coo import e8
from csr import e9, e10
from gcsb import e1, e3
from misses import e4
from scipy_product import scipy_product
from suitesparse import e5
from wins import wins

EXPERIMENTS = {"E1": e1, "E3": e3, "E4": e4, "E5": e5, "E6": e6, "E7": e7, "E8": e8, "E9": e9, "E10": e10,
               "WINS": wins, "SCIPY": scipy_product}
ON_CPU = ("E7", "SCIPY")
OF_COLLECTIONS = ("E5", "E8", "E9", "E10", "SCIPY")


def bench_for(name, options):
    """What runs the kernels of an experiment; None where its device is not here."""
    if options.batch and not options.sprecommend:
        return NoBench()
    bench = Bench(options, "cpu" if name in ON_CPU else options.device)
    if name in ON_CPU or bench.on_gpu:
        return bench
    return None if options.experiment == "ALL" else fail(f"{name} needs a GPU; this is {bench.device}")


def main():
    parser = argparse.ArgumentParser(prog="experiments", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", type=str.upper, choices=[*EXPERIMENTS, "ALL"],
                        help="in any case; all: those that fit the device")
    parser.add_argument("--sprecommend", help="the sprecommend to run; by default that of build/")
    parser.add_argument("--device", choices=["auto", "cuda", "cpu"], default="auto",
                        help=f"{' and '.join(ON_CPU)} always run on the CPU")
    parser.add_argument("--matrix", nargs="+", metavar="FILE",
                        help=f"{', '.join(OF_COLLECTIONS)}: real matrices, known by their file names, not stand-ins")
    parser.add_argument("--batch", metavar="DIR", help="E5: read the results that spbatch left there")
    parser.add_argument("--spbatch", help="E5: the spbatch to run; by default that of build/")
    parser.add_argument("--spconv", help="SCIPY: the spconv to run; by default that of build/")
    parser.add_argument("--out", metavar="DIR", help="E5: keep what spbatch writes; by default it is removed")
    parser.add_argument("--ncu", help="E4: the ncu to count with; by default that of PATH or of CUDA")
    parser.add_argument("--quick", action="store_true",
                        help="small matrices and few samples: whether it runs, not how fast")
    options = parser.parse_args()
    if options.matrix and options.experiment not in OF_COLLECTIONS:
        parser.error(f"--matrix is for {', '.join(OF_COLLECTIONS)}; {options.experiment} has its own")
    if (options.batch or options.out) and options.experiment != "E5":
        parser.error("--batch and --out are for E5")
    if options.batch and (options.matrix or options.out or options.spbatch or options.quick):
        parser.error("--batch reads what is there: --matrix, --spbatch, --out and --quick are for a new run")
    wanted = list(EXPERIMENTS) if options.experiment == "ALL" else [options.experiment]
    failed = False
    for name in wanted:
        bench = bench_for(name, options)
        if bench is None:
            continue
        try:
            EXPERIMENTS[name](bench, options)
        except Lacking as lacking:
            if options.experiment != "ALL":
                fail(lacking)
            print(f"left out: {lacking}")
        for problem in bench.problems:
            print(problem)
        failed = failed or bool(bench.problems)
        if name != wanted[-1]:
            print()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
