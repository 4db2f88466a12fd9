"""WINS: who leads races, beside what the reference documents concluded about schedules and formats."""

from common import print_table, verdict

CSR = ["csr/thread", "csr/warp", "csr/vector", "csr/bins", "csr/hybrid"]
COO = ["coo/atomic", "coo/stride-1", "coo/stride-warp", "coo/stride-block", "coo/stride-grid",
       "coo/segscan-32", "coo/segscan-1024", "coo/segscan-32-block"]
SCANS = [kernel for kernel in COO if "segscan" in kernel]

# What is concluded; the matrix; the kernels of A x, all where there are none; who is among the leaders, by
# kernel or by format; who is not.
CONCLUSIONS = [
    ("a thread a row for very short, even rows",
     "gen:diagonal?n=1000000&band=3", CSR, ["csr/thread"], ["csr/warp", "csr/bins"]),
    ("more lanes a row for longer ones",
     "gen:uniform?n=30000&density=0.01", CSR, ["csr/warp", "csr/vector", "csr/bins"], ["csr/thread"]),
    ("rows cut or classed where one is dense",
     "gen:denserow?n=500000&dense=3", CSR, ["csr/hybrid", "csr/vector"], ["csr/thread"]),
    ("rows cut or classed where lengths are skewed",
     "gen:rmat?scale=19&edges=16", CSR, ["csr/hybrid", "csr/vector"], ["csr/thread"]),
    ("segmented scans for COO with dense rows",
     "gen:denserow?n=20000&dense=200", COO, SCANS, [kernel for kernel in COO if kernel not in SCANS]),
    ("BSR on block bands", "gen:blockband?n=16000&block=5&density=0.05", [], ["bsr"], []),
    ("GCSB's tiles for both products of spread entries",
     "gen:uniform?n=45100&density=0.0071", [], ["gcsb_tile"], []),
]
SMALL = {"1000000": "20000", "30000": "3000", "500000": "20000", "scale=19": "scale=11", "20000&": "2000&",
         "16000": "2000", "45100": "3000"}


def smaller(matrix):
    for large, small in SMALL.items():
        if large in matrix:
            return matrix.replace(large, small)
    return matrix


def wins(bench, options):
    rows, evidence = [], []
    for words, matrix, kernels, expected, others in CONCLUSIONS:
        matrix = smaller(matrix) if options.quick else matrix
        asked = ["--kernels", ",".join(kernels), "--mix", "1:0"] if kernels else ["--mix", "1:1"]
        result = bench.race(matrix, "--value", "f32", *asked)
        said = result.document["verdict"]
        if said is None:
            continue
        leaders = result.leaders() if kernels else [said["format"]]
        agrees = any(one in leaders for one in expected) and not any(one in leaders for one in others)
        rows.append([words, matrix, ", ".join(leaders), said["us"]])
        evidence.append((agrees, f"{words}: {', '.join(leaders)}"))
    title = "WINS: races with cold caches, 32-bit values: the winner and who is tied with it, us"
    print_table(title, "several GPUs", bench, options, ["concluded", "matrix", "leaders", "us"], rows)
    verdict(options, "what the documents concluded comes out of races", evidence)
