#!/usr/bin/env python3
"""Repeats an experiment of the reference documents and prints their figures beside ours.

  docs/experiments.py E1 --bench build/release/tests/bench/bench_spmv
  docs/experiments.py E8 --matrix mouse_gene.tar.gz mawi_201512020330.mtx

Generated matrices stand in for collections that cannot be downloaded; --matrix takes the real ones.
Times are medians with warm caches, as the documents repeat one product on the same data.
"""

import argparse
import json
import os
import subprocess
import sys
import time


def fail(message):
    sys.exit(f"experiments.py: {message}")


class Bench:
    """bench_spmv, and what it says about the machine."""

    def __init__(self, options):
        self.path = options.bench or self.find()
        samples = "9" if options.quick else "30"
        self.common = ["--device", options.device, "--samples", samples, "--warm-only", "--json", "--quiet"]
        probe = self.document(["gen:laplace2d?n=2", "--format", "csr", "--op", "ax", *self.common])
        self.device, self.threads = probe["device"], probe["threads"]
        self.backend = probe["backend"]
        self.on_gpu = self.backend == "cuda"

    @staticmethod
    def find():
        root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        for build in ("release", "debugrel", "debug"):
            path = os.path.join(root, "build", build, "tests", "bench", "bench_spmv")
            if os.access(path, os.X_OK):
                return path
        return fail("no bench_spmv in build/; name it with --bench")

    def document(self, arguments):
        try:
            done = subprocess.run([self.path, *arguments], stdout=subprocess.PIPE, check=False)
        except OSError as problem:
            fail(f"{self.path}: {problem.strerror}")
        if done.returncode != 0:
            fail(f"{self.path} {' '.join(arguments)}: exit status {done.returncode}")
        return json.loads(done.stdout)

    def kernels(self):
        """Every kernel of this backend."""
        listed = self.document(["--list", "--json"])["kernels"]
        return [kernel for kernel in listed if kernel["backend"] == self.backend]

    def vendor_kernels(self, format_name):
        return [k["name"] for k in self.kernels() if k["vendor"] and k["format"] == format_name]

    def run(self, matrix, kernels, *options):
        print(f"measuring {matrix} ...", file=sys.stderr)
        return Result(self.document([matrix, "--kernel", ",".join(kernels), *options, *self.common]))


class Result:
    """The kernels of one matrix. Times are microseconds; None where a kernel did not run."""

    def __init__(self, document):
        self.matrix, self.copy = document["matrices"][0], document["copy_gb_per_s"]
        self.row_length = self.matrix["entries"] / max(1, self.matrix["rows"])

    def warm(self, kernel, operation="ax", variant=None):
        for line in self.matrix["kernels"]:
            wanted = (line["kernel"], line["operation"]) == (kernel, operation)
            if wanted and variant in (None, line["variant"]) and "warm" in line:
                return line["warm"]
        return None

    def us(self, kernel, operation="ax", variant=None):
        warm = self.warm(kernel, operation, variant)
        return warm and warm["median_us"]

    def share_of_copy(self, kernel):
        """By the bytes the format really has, as the documents count them."""
        warm = self.warm(kernel)
        return warm and warm["gb_per_s_actual"] / self.copy

    def pair(self, kernel, variant=None):
        both = [self.us(kernel, operation, variant) for operation in ("ax", "atx")]
        return None if None in both else sum(both)

    def fastest(self, kernels):
        """(microseconds, name) of the fastest A x, or (None, None)."""
        return min(((self.us(k), k) for k in kernels if self.us(k) is not None), default=(None, None))

    def memory(self, format_name):
        for line in self.matrix["formats"]:
            if line["format"] == format_name:
                return line.get("times_csr")
        return None


def ratio(a, b):
    return None if a is None or b is None or b == 0 else a / b


def show(value, digits=2):
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def milliseconds(us):
    return show(ratio(us, 1000), 4)


def seconds_of_200(us):
    return show(ratio(us, 5000), 4)


def print_table(title, reported_on, bench, header, rows):
    cells = [header] + [[show(cell) for cell in row] for row in rows]
    widths = [max(len(line[i]) for line in cells) for i in range(len(header))]
    numeric = [i > 0 and any(line[i][:1].isdigit() for line in cells[1:]) for i in range(len(header))]
    print(f"{title}\nreported (rep.) on {reported_on}; ours on {bench.device}\n")
    for number, line in enumerate(cells):
        columns = zip(line, widths, numeric)
        aligned = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in columns]
        print("  ".join(aligned).rstrip())
        if number == 0:
            print("  ".join("-" * width for width in widths))
    print()


def verdict(claim, holds, detail=""):
    """holds is None where the matrices at hand do not say."""
    found = {None: "cannot be judged from these matrices", True: "holds here", False: "DOES NOT HOLD here"}
    print(f"{claim}: {found[holds]}{f' ({detail})' if detail else ''}")


def needs_gpu(bench, experiment):
    if not bench.on_gpu:
        fail(f"{experiment} needs a GPU; this is {bench.device}")


# ---- E1, E3: GCSB against the naive CSR product, both products ----

# Milliseconds of A x and A^T x on an A100; CSB and GCSB by the side of a block.
E1_REPORTED = {
    "COO": (0.50, 0.21),
    "eCSB": (0.12, 0.11),
    "CSR": (0.15, 0.50),
    "CSB": {128: (0.87, 0.88), 64: (0.51, 0.55), 32: (0.18, 0.28), 16: (0.15, 0.25), 8: (0.26, 0.24)},
    "GCSB": {128: (0.91, 0.90), 64: (0.38, 0.41), 32: (0.17, 0.27), 16: (0.14, 0.25), 8: (0.13, 0.25)},
}


def gcsb_kernels(bench):
    if bench.on_gpu:
        names = ["coo/atomic", "ecsb/coo", "csr/thread", "csb/block", "gcsb/lane", "gcsb/tile"]
    else:
        names = ["coo/omp", "ecsb/omp", "csr/omp", "csb/omp", "gcsb/omp", "gcsb/tile-omp"]
    return dict(zip(("COO", "eCSB", "CSR", "CSB", "GCSB", "tile"), names))


def e1(bench, options):
    names = gcsb_kernels(bench)
    matrix = "gen:ideal?n=2048" if options.quick else "gen:ideal"
    groups, over_csr = {"others": [], "CSB": [], "GCSB": []}, {}

    def add(group, label, result, kernel, reported, variant=None):
        ours = [milliseconds(result.us(kernel, operation, variant)) for operation in ("ax", "atx")]
        speed = ratio(result.pair(names["CSR"]), result.pair(kernel, variant))
        reported_speed = ratio(sum(E1_REPORTED["CSR"]), sum(reported)) if reported else None
        groups[group].append([label, kernel, *(reported or (None, None)), *ours, reported_speed, speed])
        return speed

    for beta in (128, 64, 32, 16, 8):
        # The thesis gives eCSB blocks of about the square root of the matrix's side: 64 is nearest.
        with_others = beta == 64
        wanted = list(names) if with_others else ["CSR", "CSB", "GCSB"]
        result = bench.run(matrix, [names[k] for k in wanted], "--value", "f32", "--beta", str(beta))
        if with_others:
            for name in ("COO", "eCSB", "CSR"):
                variant = "coo" if name == "eCSB" else None
                add("others", name, result, names[name], E1_REPORTED[name], variant)
            add("others", "GCSB, layout tile", result, names["tile"], None)
        for name in ("CSB", "GCSB"):
            label = f"{name}, blocks of {beta}"
            over_csr[name, beta] = add(name, label, result, names[name], E1_REPORTED[name][beta])
    header = ["format", "kernel", "A x rep.", "A^T x rep.", "A x", "A^T x", "over CSR rep.", "over CSR"]
    print_table(f"E1: {matrix}, 32-bit values, ms", "an A100", bench, header, sum(groups.values(), []))
    small = {beta: over_csr["GCSB", beta] for beta in (32, 16, 8)}
    holds = None not in small.values() and min(small.values()) > 1
    detail = ", ".join(f"{beta}: {show(speed)} x" for beta, speed in small.items())
    verdict("GCSB beats the naive CSR pair with blocks of 32 and less", holds, detail)


def e3(bench, options):
    names = gcsb_kernels(bench)
    side, most = (2048, 10) if options.quick else (8192, 50)
    rows, over_csr = [], {}
    for percent in (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 40, 50):
        if percent > most:
            break
        matrix = f"gen:uniform?n={side}&density={percent / 100:g}"
        result = bench.run(matrix, list(names.values()), "--value", "f32")
        csr = result.pair(names["CSR"])
        speeds = {}
        for name in ("COO", "eCSB", "CSB", "GCSB", "tile"):
            speeds[name] = ratio(csr, result.pair(names[name], "coo" if name == "eCSB" else None))
        over_csr[percent] = speeds["GCSB"]
        reported = "below 1" if percent < 0.1 else "above 1, up to 2.8"
        memory = (1.09, 1.48) if percent == 0.5 else (None, None)
        rows.append([f"{percent:g} %", milliseconds(csr), *speeds.values(), reported,
                     result.memory("gcsb"), memory[0], result.memory("coo"), memory[1]])
    header = ["density", "CSR ms", "COO", "eCSB", "CSB", "GCSB", "tile", "GCSB rep.",
              "GCSB bytes", "rep.", "COO bytes", "rep."]
    title = f"E3: gen:uniform?n={side}, 32-bit values, pairs of products and bytes against those of CSR"
    print_table(title, "an A100", bench, header, rows)
    dense = [speed or 0 for percent, speed in over_csr.items() if percent >= 0.1]
    verdict("GCSB beats the naive CSR pair from 0.1 % on", min(dense) > 1,
            f"least {show(min(dense))} x, most {show(max(dense))} x, reported up to 2.8 x")


# ---- E6, E7: BSR ----

# Seconds of 200 products on a P100.
E6_REPORTED = {"bsr/row-major": 0.558, "bsr/private": 0.707, "bsr/team": 0.178, "bsr/unrolled": 0.155}
E6_REPORTED_VENDOR = 0.337


def block_band_side(options):
    return 8000 if options.quick else 32000


def block_band(options):
    return f"gen:blockband?n={block_band_side(options)}&block=5&density=0.05"


def e6(bench, options):
    needs_gpu(bench, "E6")
    vendor_names = bench.vendor_kernels("bsr")
    result = bench.run(block_band(options), [*E6_REPORTED, *vendor_names], "--block", "5x5", "--op", "ax")
    vendor, vendor_name = result.fastest(vendor_names)
    rows = []
    for kernel, reported in {vendor_name: E6_REPORTED_VENDOR, **E6_REPORTED}.items():
        ours = result.us(kernel)
        rows.append([kernel or "cuSPARSE", show(reported, 3), E6_REPORTED_VENDOR / reported,
                     seconds_of_200(ours), ratio(vendor, ours), result.share_of_copy(kernel)])
    header = ["kernel", "reported", "x cuSPARSE rep.", "ours", "x cuSPARSE", "of a copy"]
    title = f"E6: {block_band(options)}, 64-bit values, seconds of 200 products"
    print_table(title, "a P100", bench, header, rows)
    times = [result.us(f"bsr/{name}") for name in ("unrolled", "team", "row-major", "private")]
    verdict("unrolled < team < row-major < private", None not in times and times == sorted(times),
            f"unrolled {show(ratio(vendor, times[0]))} x cuSPARSE's better BSR, reported 2.17 x")


# Seconds of 200 products by threads, on a Xeon Gold 6326 of 16 cores and 32 threads.
E7_THREADS = (1, 2, 4, 8, 16, 32)
E7_REPORTED_SCIPY = 8.55
E7_REPORTED = {
    "bsr/granular-row": (8.55, 4.73, 2.64, 1.94, 1.41, 1.19),
    "bsr/intra-row-naive": (9.25, 7.01, 6.51, 8.85, 16.95, 33.53),
    "bsr/intra-row": (8.41, 4.83, 2.76, 2.11, 2.25, 2.62),
    "bsr/max-task": (8.37, 4.77, 2.68, 1.99, 1.52, 1.41),
    "bsr/fixed-task": (7.92, 4.23, 2.34, 1.41, 0.93, 0.83),
    "bsr/preprocessed": (7.84, 4.24, 2.35, 1.41, 0.92, 0.82),
}


def scipy_us(side, density, block):
    """SciPy's BSR with a band of as many full blocks; None without SciPy."""
    try:
        import numpy
        import scipy.sparse
    except ImportError:
        return None
    blocks = side // block
    width = max(1, round(density * blocks))
    first = numpy.clip(numpy.arange(blocks) - width // 2, 0, blocks - width)
    cols = (first[:, None] + numpy.arange(width)).ravel()
    values = numpy.full((blocks * width, block, block), 1 / (width * block))
    matrix = scipy.sparse.bsr_matrix((values, cols, numpy.arange(blocks + 1) * width), shape=(side, side))
    x, times = numpy.ones(side), []
    for _ in range(11):
        start = time.perf_counter()
        matrix @ x
        times.append(time.perf_counter() - start)
    return sorted(times[2:])[len(times[2:]) // 2] * 1e6


def e7(bench, options):
    if bench.on_gpu:
        fail("E7 is about CPU threads; add --device cpu")
    threads = sorted({t for t in E7_THREADS if t <= bench.threads} | {bench.threads})
    measured = {}
    for count in threads:
        arguments = ["--block", "5x5", "--op", "ax", "--threads", str(count)]
        measured[count] = bench.run(block_band(options), list(E7_REPORTED), *arguments)
    scipy = seconds_of_200(scipy_us(block_band_side(options), 0.05, 5))
    rows = [["SciPy", E7_REPORTED_SCIPY, scipy] + [None] * (2 * len(threads) - 2)]
    for kernel, reported in E7_REPORTED.items():
        row = [kernel]
        for count in threads:
            row.append(reported[E7_THREADS.index(count)] if count in E7_THREADS else None)
            row.append(seconds_of_200(measured[count].us(kernel)))
        rows.append(row)
    header = ["threads"] + [text for count in threads for text in (f"{count}: rep.", f"{count}: ours")]
    title = f"E7: {block_band(options)}, 64-bit values, seconds of 200 products"
    print_table(title, "16 cores with 32 threads", bench, header, rows)
    last = measured[threads[-1]]
    order = sorted(E7_REPORTED, key=lambda kernel: last.us(kernel) or float("inf"))
    holds = set(order[:2]) == {"bsr/preprocessed", "bsr/fixed-task"} and order[-1] == "bsr/intra-row-naive"
    verdict(f"with {threads[-1]} threads equal tasks lead and the naive split comes last", holds,
            " < ".join(name.removeprefix("bsr/") for name in order))


# ---- E8, E9, E10: collections ----


def scaled(options, text, **sizes):
    """Fills sizes into a generator's text; --quick divides them by 16."""
    return text.format(**{name: size // 16 if options.quick else size for name, size in sizes.items()})


def chosen_matrices(stand_ins, options):
    """(the document's name, or the file's, and what to measure): the user's files, or all stand-ins."""
    if not options.matrix:
        return list(stand_ins.items())
    return [(os.path.basename(path).split(".")[0], path) for path in options.matrix]


def first_column(options):
    return "matrix" if options.matrix else "stand-in for"


# The best map and the best segmented scan over a thread per entry, on an A30.
E8_REPORTED = {
    "circuit5M_dc": (1.15, None),
    "delaunay_n23": (1.07, None),
    "europe_osm": (1.13, None),
    "hugetrace-00000": (1.04, None),
    "mawi_201512020330": (1.45, 10.0),
    "model7": (1.14, None),
    "mouse_gene": (6.54, 20.0),
    "mycielskian16": (7.65, 30.0),
}


def e8_stand_ins(options):
    quick = options.quick
    return {
        "circuit5M_dc": scaled(options, "gen:powerlaw?n={n}&mean=4&max=27", n=3523317),
        "delaunay_n23": scaled(options, "gen:diagonal?n={n}&band=7", n=4194304),
        "europe_osm": scaled(options, "gen:diagonal?n={n}&band=3", n=8388608),
        "hugetrace-00000": f"gen:laplace2d?n={512 if quick else 2048}",
        "mawi_201512020330": scaled(options, "gen:denserow?n={n}&dense=2&degree=1", n=8388608),
        "model7": "gen:powerlaw?n=3358&mean=15&max=253",
        "mouse_gene": f"gen:uniform?n={11275 if quick else 45101}&density=0.0142",
        "mycielskian16": "gen:rmat?scale=13&edges=256" if quick else "gen:rmat?scale=15&edges=1024",
    }


def e8(bench, options):
    needs_gpu(bench, "E8")
    names = [kernel["name"] for kernel in bench.kernels()]
    maps = [name for name in names if name.startswith("coo/stride-")]
    scans = [name for name in names if name.startswith("coo/segscan-")]
    rows, maps_win, scans_win = [], [], []
    for name, matrix in chosen_matrices(e8_stand_ins(options), options):
        result = bench.run(matrix, ["coo/atomic", *maps, *scans], "--op", "ax", "--value", "f32")
        atomic = result.us("coo/atomic")
        best_map, map_name = result.fastest(maps)
        best_scan, scan_name = result.fastest(scans)
        reported = E8_REPORTED.get(name, (None, None))
        rows.append([name, show(result.row_length, 1), reported[0], ratio(atomic, best_map), map_name,
                     reported[1], ratio(atomic, best_scan), scan_name])
        maps_win.append((ratio(atomic, best_map) or 0) >= 1)
        if reported[1] or result.row_length > 100:
            scans_win.append((ratio(best_map, best_scan) or 0) > 1)
    header = [first_column(options), "per row", "map rep.", "map", "", "segscan rep.", "segscan", ""]
    print_table("E8: COO, 32-bit values, A x over a thread per entry", "an A30", bench, header, rows)
    verdict("maps do not lose to a thread per entry, and segmented scans beat maps where rows are long",
            all(maps_win) and all(scans_win),
            f"maps {sum(maps_win)} of {len(maps_win)}, scans {sum(scans_win)} of {len(scans_win)}")


E9_KERNELS = ["csr/thread", "csr/warp", "csr/bins", "csr/hybrid"]
# Which are ahead of cuSPARSE on an A30.
E9_REPORTED = {
    "crankseg_1": ["csr/warp", "csr/hybrid"],
    "ecology1": ["csr/thread", "csr/hybrid"],
    "F1": [],
    "inline_1": [],
    "mawi_201512012345": [],
    "sx-stackoverflow": [],
}


def e9_stand_ins(options):
    return {
        "crankseg_1": "gen:blockband?n=52800&block=6&density=0.0019",
        "ecology1": "gen:laplace2d?n=1000",
        "F1": scaled(options, "gen:powerlaw?n={n}&mean=39&exponent=3&max=306", n=343791),
        "inline_1": scaled(options, "gen:powerlaw?n={n}&mean=37&exponent=3&max=843", n=503712),
        "mawi_201512012345": scaled(options, "gen:denserow?n={n}&dense=1&degree=1", n=7397164),
        "sx-stackoverflow": scaled(options, "gen:powerlaw?n={n}&mean=14&max={most}", n=2601977, most=38148),
    }


def e9(bench, options):
    needs_gpu(bench, "E9")
    vendor_names = bench.vendor_kernels("csr")
    rows, judged, missed = [], False, []

    def joined(kernels):
        return ", ".join(kernel.removeprefix("csr/") for kernel in kernels) or "none"

    for name, matrix in chosen_matrices(e9_stand_ins(options), options):
        result = bench.run(matrix, [*E9_KERNELS, *vendor_names], "--op", "ax", "--value", "f32")
        vendor, vendor_name = result.fastest(vendor_names)
        speeds = {kernel: ratio(vendor, result.us(kernel)) for kernel in E9_KERNELS}
        ahead = [kernel for kernel, speed in speeds.items() if (speed or 0) > 1]
        reported = E9_REPORTED.get(name)
        judged = judged or bool(reported)
        missed += [f"{kernel} on {name}" for kernel in reported or [] if kernel not in ahead]
        rows.append([name, show(result.row_length, 1), *speeds.values(), vendor_name,
                     None if reported is None else joined(reported), joined(ahead)])
    short = [kernel.removeprefix("csr/") for kernel in E9_KERNELS]
    header = [first_column(options), "per row", *short, "cuSPARSE's faster", "ahead, rep.", "ahead"]
    print_table("E9: CSR, 32-bit values, A x over the faster of cuSPARSE", "an A30", bench, header, rows)
    verdict("thread and hybrid beat cuSPARSE on ecology1, warp and hybrid on crankseg_1",
            not missed if judged else None, "not " + ", ".join(missed) if missed else "")


# Milliseconds of a thread per row and a warp per row on an L40S.
E10_REPORTED = {
    "great-britain_osm": (28.53, 186.68),
    "wiki-Talk": (47.39, 62.10),
    "neos3": (3.19, 12.22),
    "rajat31": (29.70, 130.73),
    "helm2d03": (84.53, 10.49),
    "ins2": (74.56, 11.46),
    "cage14": (73.73, 62.51),
    "af23560": (1.32, 0.78),
    "bcsstk13": (0.67, 0.10),
    "pkustk14": (76.38, 13.21),
}


def e10_stand_ins(options):
    return {
        "great-britain_osm": scaled(options, "gen:diagonal?n={n}&band=3", n=7733822),
        "wiki-Talk": scaled(options, "gen:powerlaw?n={n}&mean=2.1&max={most}", n=2394385, most=100000),
        "neos3": scaled(options, "gen:powerlaw?n={n}&mean=4&exponent=3&max=100", n=512209),
        "rajat31": f"gen:laplace2d?n={541 if options.quick else 2166}",
        "helm2d03": scaled(options, "gen:diagonal?n={n}&band=7", n=392257),
        "ins2": scaled(options, "gen:denserow?n={n}&dense=2&degree=7", n=309412),
        "cage14": scaled(options, "gen:diagonal?n={n}&band=17", n=1505785),
        "af23560": "gen:diagonal?n=23560&band=21",
        "bcsstk13": "gen:uniform?n=2003&density=0.0209",
        "pkustk14": "gen:blockband?n=151926&block=6&density=0.00064",
    }


def e10(bench, options):
    needs_gpu(bench, "E10")
    lines = []
    for name, matrix in chosen_matrices(e10_stand_ins(options), options):
        result = bench.run(matrix, ["csr/thread", "csr/warp"], "--op", "ax", "--value", "f32")
        lines.append((result.row_length, name, result.us("csr/thread"), result.us("csr/warp")))
    lines.sort()
    rows = []
    for length, name, thread, warp in lines:
        reported = E10_REPORTED.get(name)
        reported_ratio = reported and ratio(reported[1], reported[0])
        rows.append([name, show(length, 1), reported_ratio, thread, warp, ratio(warp, thread)])
    header = [first_column(options), "per row", "reported", "thread us", "warp us", "ours"]
    title = "E10: CSR, 32-bit values, time of a warp per row over a thread per row (above 1: threads win)"
    print_table(title, "an L40S", bench, header, rows)
    # "Threads below so many entries a row, warps above" is as good as its best border.
    lengths = [line[0] for line in lines]
    threads_win = [line[2] < line[3] for line in lines]
    right = [sum(threads_win[:i]) + threads_win[i:].count(False) for i in range(len(lines) + 1)]
    border = right.index(max(right))
    if border == 0:
        rule = "warps always"
    elif border == len(lines):
        rule = "threads always"
    else:
        rule = f"a border between {lengths[border - 1]:.1f} and {lengths[border]:.1f} entries a row"
    holds = right[border] == len(lines) and 0 < border < len(lines)
    verdict("threads win at few entries a row, warps at more", holds,
            f"{rule} is right for {right[border]} of {len(lines)}")


EXPERIMENTS = {"E1": e1, "E3": e3, "E6": e6, "E7": e7, "E8": e8, "E9": e9, "E10": e10}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", choices=EXPERIMENTS)
    parser.add_argument("--bench", help="the bench_spmv to run; by default that of build/")
    parser.add_argument("--device", choices=["auto", "cuda", "cpu"], default="auto")
    parser.add_argument("--matrix", nargs="+", metavar="FILE",
                        help="E8, E9, E10: real matrices instead of stand-ins, known by their file names")
    parser.add_argument("--quick", action="store_true",
                        help="small matrices and few samples: whether it runs, not how fast")
    options = parser.parse_args()
    if options.matrix and options.experiment not in ("E8", "E9", "E10"):
        parser.error(f"--matrix is for E8, E9 and E10; {options.experiment} generates its matrix")
    EXPERIMENTS[options.experiment](Bench(options), options)


if __name__ == "__main__":
    main()
