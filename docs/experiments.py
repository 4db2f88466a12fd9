#!/usr/bin/env python3
"""Repeats an experiment of the reference documents and prints their figures beside ours.

  docs/experiments.py E1 --bench build/release/tests/bench/bench_spmv
  docs/experiments.py E8 --matrix mouse_gene.tar.gz mawi_201512020330.mtx
  docs/experiments.py E4 --ncu /usr/local/cuda/bin/ncu
  docs/experiments.py E5 --matrix appu.tar.gz human_gene2.tar.gz --out batch
  docs/experiments.py E5 --batch batch
  docs/experiments.py all

Times are medians with warm caches, as the documents repeat one product on the same data. Claims are judged
one by one, only by what was measured; differences below 5 % are ties, which contradict no order.

Generated matrices stand in for collections that cannot be downloaded; --matrix takes the real ones. A
stand-in has the rows and the row lengths of the expanded matrix, which is what --matrix would measure; the
documents' "per row" often counts only the stored half of a symmetric one. A band has an odd number of
diagonals, and more than about 20 million rows are cut to 8 million.

E4 counts with ncu, which has to be allowed to. E5 runs spbatch, on the files of --matrix and on stand-ins for
the others, and times with bench_spmv what the race of a matrix left out; --batch only reads the results that
a folder has, and times only where --bench is named too.
"""

import argparse
import csv
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time


def fail(message):
    sys.exit(f"experiments.py: {message}")


class Lacking(Exception):
    """What an experiment needs is not here: the end of it, but not of all."""


def built(*parts):
    """A program of the build folders, or None."""
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for build in ("cuda", "release", "debugrel", "debug"):
        path = os.path.join(root, "build", build, *parts)
        if os.access(path, os.X_OK):
            return path
    return None


class Bench:
    """bench_spmv, and what it says about the machine."""

    def __init__(self, options, device):
        self.path = options.bench or built("tests", "bench", "bench_spmv")
        if self.path is None:
            fail("no bench_spmv in build/; name it with --bench")
        self.problems = []
        self.quietly = ["--device", device, "--warm-only", "--json", "--quiet"]
        self.common = [*self.quietly, "--samples", "9" if options.quick else "30"]
        probe, problem = self.document(["gen:laplace2d?n=2", "--format", "csr", "--op", "ax", *self.common])
        if problem:
            fail(problem)
        self.device, self.threads, self.backend = probe["device"], probe["threads"], probe["backend"]
        self.on_gpu = self.backend == "cuda"

    def document(self, arguments, under=()):
        """(what it printed, None), or (None, why it printed nothing); `under` is a profiler's command."""
        command = [*under, self.path, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as problem:
            fail(f"{command[0]}: {problem.strerror}")
        try:
            # Exit status 1 comes with a document that says what went wrong.
            return json.loads(done.stdout), None
        except ValueError:
            said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            return None, f"{' '.join(command)}: {said[-1]}"

    def vendor_kernels(self, format_name):
        listed, problem = self.document(["--list", "--json"])
        wanted = (format_name, self.backend, True)
        return fail(problem) if problem else [
            k["name"] for k in listed["kernels"] if (k["format"], k["backend"], k["vendor"]) == wanted]

    def run(self, matrix, kernels, *options):
        if sys.stderr.isatty():
            print(f"measuring {matrix} ...", file=sys.stderr)
        document, problem = self.document([matrix, "--kernel", ",".join(kernels), *options, *self.common])
        result = Result(document or {"matrices": [{"problem": problem}], "copy_gb_per_s": 0})
        self.problems += result.problems(matrix)
        return result


class NoBench:
    """Where figures are only read."""

    def __init__(self):
        self.problems = []


class Result:
    """The kernels of one matrix, none if it could not be read. Times are microseconds; None: did not run."""

    def __init__(self, document):
        self.matrix, self.copy = document["matrices"][0], document["copy_gb_per_s"]
        self.measured = "problem" not in self.matrix
        self.kernels = self.matrix.get("kernels", [])
        self.row_length = self.matrix.get("entries", 0) / max(1, self.matrix.get("rows", 0))

    def problems(self, matrix):
        if not self.measured:
            return [f"not measured: {self.matrix['problem']}"]
        wrong = [line for line in self.kernels if "wrong" in line]
        return [f"WRONG RESULT on {matrix}: {k['kernel']} {k['operation']}: {k['wrong']}" for k in wrong]

    def warm(self, kernel, operation="ax", variant=None):
        for line in self.kernels:
            wanted = (line["kernel"], line["operation"]) == (kernel, operation)
            if wanted and variant in (None, line["variant"]):
                return line.get("warm")
        return None

    def us(self, kernel, operation="ax", variant=None):
        warm = self.warm(kernel, operation, variant)
        return warm and warm["median_us"]

    def times(self, kernels):
        """Microseconds of those that ran, by name."""
        return {kernel: self.us(kernel) for kernel in kernels if self.us(kernel) is not None}

    def share_of_copy(self, kernel):
        """By the bytes the format really has, as the documents count them."""
        warm = self.warm(kernel)
        return warm and warm.get("share_of_copy_actual", ratio(warm["gb_per_s_actual"], self.copy))

    def pair(self, kernel, variant=None):
        both = [self.us(kernel, operation, variant) for operation in ("ax", "atx")]
        return None if None in both else sum(both)

    def fastest(self, kernels):
        """(name, microseconds) of the fastest A x, or (None, None)."""
        return min(self.times(kernels).items(), key=lambda item: item[1], default=(None, None))

    def memory(self, format_name, variant=None):
        for line in self.matrix.get("formats", []):
            if line["format"] == format_name and variant in (None, line["variant"]):
                return line.get("times_csr")
        return None


# ---- printing and judging ----


def ratio(a, b):
    return None if a is None or not b else a / b


def show(value):
    """Three significant digits of a number; texts as they are."""
    if value is None:
        return "-"
    if not isinstance(value, float) or value == 0:
        return str(value)
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def milliseconds(us):
    return ratio(us, 1000)


def seconds_of_200(us):
    return ratio(us, 5000)


def hundredths(value):
    return None if value is None else f"{value:.2f}"


def percent(share):
    return None if share is None else f"{100 * share:.1f} %"


def short(kernel):
    return kernel.split("/")[1]


def print_table(title, reported_on, bench, options, header, rows):
    """Columns that end in "rep." hold the document's figures, as it prints them."""
    if not rows:
        return
    reported = [name.endswith("rep.") for name in header]
    if options.quick and not options.matrix:
        # Figures of other matrices would invite a comparison that means nothing.
        rows = [[None if is_rep else cell for cell, is_rep in zip(row, reported)] for row in rows]
    shown = [i for i in range(len(header)) if not reported[i] or any(row[i] is not None for row in rows)]
    cells = [[header[i] for i in shown]] + [[show(row[i]) for i in shown] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    numeric = [any(cell[:1].isdigit() for cell in column[1:]) for column in zip(*cells)]
    numeric[0] = False
    source = f"reported (rep.) on {reported_on}; " if any(reported[i] for i in shown) else ""
    print(f"{title}\n{source}ours on {bench.device}\n")
    for line in [cells[0], ["-" * width for width in widths], *cells[1:]]:
        columns = zip(line, widths, numeric)
        aligned = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in columns]
        print("  ".join(aligned).rstrip())
    print()
    if any(header[i] == "per row rep." for i in shown):
        print("per row rep.: as the document counts, of some symmetric matrices only the stored half")
    if options.quick:
        print("few samples: not judged" if options.matrix else "smaller than the document's: not judged")


def not_slower(us, than):
    return us <= 1.05 * than


def verdict(options, claim, evidence):
    """evidence: (whether it agrees, the figures that show it) of all that was measured on the claim."""
    if options.quick:
        return
    against = [figures for agrees, figures in evidence if not agrees]
    if not evidence:
        print(f"{claim}: not judged, nothing here speaks for or against it")
    elif against:
        print(f"{claim}: DOES NOT HOLD here in {len(against)} of {len(evidence)} ({'; '.join(against)})")
    else:
        print(f"{claim}: holds here in {len(evidence)} of {len(evidence)}")


# ---- E1, E3: GCSB against the naive CSR product, both products ----

# Milliseconds of A x and A^T x on an A100; CSB and GCSB by the side of a block.
E1_REPORTED = {
    "COO": (0.50, 0.21),
    "eCSB": (0.12, 0.11),
    "CSR": (0.15, 0.50),
    "CSB": {128: (0.87, 0.88), 64: (0.51, 0.55), 32: (0.18, 0.28), 16: (0.15, 0.25), 8: (0.26, 0.24)},
    "GCSB": {128: (0.91, 0.90), 64: (0.38, 0.41), 32: (0.17, 0.27), 16: (0.14, 0.25), 8: (0.13, 0.25)},
}
GCSB_KERNELS = {"COO": "coo/atomic", "eCSB": "ecsb/coo", "CSR": "csr/thread", "CSB": "csb/block",
                "GCSB": "gcsb/lane", "tile": "gcsb/tile"}


def e1(bench, options):
    matrix = "gen:ideal?n=2048" if options.quick else "gen:ideal"
    groups, evidence = {"others": [], "CSB": [], "GCSB": []}, []

    def add(group, label, result, kernel, reported, variant=None):
        ours = [milliseconds(result.us(kernel, operation, variant)) for operation in ("ax", "atx")]
        speed = ratio(result.pair(GCSB_KERNELS["CSR"]), result.pair(kernel, variant))
        reported_speed = ratio(sum(E1_REPORTED["CSR"]), sum(reported)) if reported else None
        as_printed = map(hundredths, reported or (None, None))
        groups[group].append([label, kernel, *as_printed, *ours, reported_speed, speed])
        return speed

    for beta in (128, 64, 32, 16, 8):
        # The thesis gives eCSB blocks of about the square root of the matrix's side: 64 is nearest.
        with_others = beta == 64
        wanted = list(GCSB_KERNELS) if with_others else ["CSR", "CSB", "GCSB"]
        result = bench.run(matrix, [GCSB_KERNELS[k] for k in wanted], "--value", "f32", "--beta", str(beta))
        if with_others:
            for name in ("COO", "eCSB", "CSR"):
                variant = "coo" if name == "eCSB" else None
                add("others", name, result, GCSB_KERNELS[name], E1_REPORTED[name], variant)
            add("others", "GCSB, layout tile", result, GCSB_KERNELS["tile"], None)
        for name in ("CSB", "GCSB"):
            label = f"{name}, blocks of {beta}"
            speed = add(name, label, result, GCSB_KERNELS[name], E1_REPORTED[name][beta])
            if name == "GCSB" and beta <= 32 and speed:
                evidence.append((speed > 1, f"blocks of {beta}: {show(speed)} x"))
    header = ["format", "kernel", "A x rep.", "A^T x rep.", "A x", "A^T x", "over CSR rep.", "over CSR"]
    title = f"E1: {matrix}, 32-bit values, ms, and the pair of products over that of CSR"
    print_table(title, "an A100", bench, options, header, sum(groups.values(), []))
    verdict(options, "GCSB beats the naive CSR pair with blocks of 32 and less", evidence)


def e3(bench, options):
    side, most = (2048, 10) if options.quick else (8192, 50)
    rows, evidence = [], []
    for density in [d for d in (0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 40, 50) if d <= most]:
        matrix = f"gen:uniform?n={side}&density={density / 100:g}"
        result = bench.run(matrix, list(GCSB_KERNELS.values()), "--value", "f32")
        csr = result.pair(GCSB_KERNELS["CSR"])
        speeds = {}
        for name in ("COO", "eCSB", "CSB", "GCSB", "tile"):
            speeds[name] = ratio(csr, result.pair(GCSB_KERNELS[name], "coo" if name == "eCSB" else None))
        if density >= 0.1 and speeds["GCSB"]:
            evidence.append((speeds["GCSB"] > 1, f"{density:g} %: {show(speeds['GCSB'])} x"))
        memory = {"GCSB": 1.09, "COO": 1.48, "eCSB": 1.48} if density == 0.5 else {}
        rows.append([f"{density:g} %", milliseconds(csr), *speeds.values(),
                     memory.get("GCSB"), result.memory("gcsb"), memory.get("COO"), result.memory("coo"),
                     memory.get("eCSB"), result.memory("ecsb", "coo")])
    header = ["density", "CSR ms", "COO", "eCSB", "CSB", "GCSB", "tile", "GCSB bytes rep.", "GCSB bytes",
              "COO bytes rep.", "COO bytes", "eCSB bytes rep.", "eCSB bytes"]
    title = f"E3: gen:uniform?n={side}, 32-bit values, pairs of products and bytes against those of CSR"
    print_table(title, "an A100", bench, options, header, rows)
    if not options.quick:
        print("reported: GCSB ahead from 0.1 % on, up to 2.8 x on an A100")
    print("our GCSB stores 16-bit indices and no empty blocks, so its bytes are not the document's")
    verdict(options, "GCSB beats the naive CSR pair from 0.1 % on", evidence)


# ---- E4: L1 sector misses, counted by ncu ----

# Sectors of 32 bytes that missed the L1 cache of an A100, in thousands, blocks of 32: A x, A^T x.
E4_REPORTED = {"csb/block": (1521, 1148), "gcsb/lane": (964, 898)}
# The __global__ function of each, in kernels/cuda/csb.cu.
E4_FUNCTIONS = {"csb/block": "walk_blocks", "gcsb/lane": "walk_lanes"}
# The document says that it counts accesses to y as well, but its figures can only be those of loads: values
# and indices, 8 bytes an entry, are 852K sectors, and the additions of A^T x alone would be 3406K, one for
# each entry. So loads are compared, and additions stand beside them.
E4_METRICS = {"loads": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum",
              "additions": "l1tex__t_sectors_pipe_lsu_mem_global_op_red_lookup_miss.sum"}


def find_ncu(options):
    places = [options.ncu] if options.ncu else ["ncu", "/usr/local/cuda/bin/ncu"]
    path = next(filter(None, map(shutil.which, places)), None)
    if path is None:
        raise Lacking(f"E4 needs ncu (Nsight Compute): no {' and no '.join(places)}; --ncu names it")
    return path


def counted(log):
    """The counts of the only launch in what ncu printed, by name; none where it counted nothing."""
    # Its own remarks begin with ==; the second line of the table has the units, and no ID.
    table = csv.DictReader(line for line in log.splitlines() if line.startswith('"'))
    launches = [line for line in table if line.get("ID")]
    counts = {}
    for name, metric in E4_METRICS.items() if launches else ():
        try:
            counts[name] = float(launches[0][metric].replace(",", ""))
        except (KeyError, AttributeError, ValueError):
            pass  # n/a: this device does not count it
    return counts


def count_misses(bench, ncu, matrix, kernel, operation):
    """Misses by what they are of, empty where nothing was counted."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "log")
        # The first launch of the function is the checked one, before any is captured into a graph. Counts do
        # not depend on clocks, and to hold those is not everywhere allowed.
        profiler = [ncu, "--kernel-name", E4_FUNCTIONS[kernel], "--launch-count", "1",
                    "--metrics", ",".join(E4_METRICS.values()), "--clock-control", "none",
                    "--csv", "--page", "raw", "--print-units", "base", "--log-file", path]
        document, problem = bench.document(
            [matrix, "--kernel", kernel, "--op", operation, "--value", "f32", "--beta", "32",
             "--samples", "1", *bench.quietly], profiler)
        log = ""
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                log = file.read()
    counts = counted(log)
    if "ERR_NVGPUCTRPERM" in log and not counts:
        raise Lacking("E4 needs the GPU's performance counters, which ncu may not read (ERR_NVGPUCTRPERM): "
                      "run it as root, or have them allowed for all users")
    if document:
        result = Result(document)
        wrong = result.problems(matrix)
        bench.problems += wrong
        if wrong or all("not_run" in line for line in result.kernels):
            return {}
    if "loads" not in counts:
        said = [line for line in log.splitlines() if line.startswith(("==ERROR==", "==WARNING=="))]
        reason = said[0].split("== ", 1)[-1] if said else problem or "ncu counted nothing"
        bench.problems.append(f"not counted: {kernel} {operation}: {reason}")
    return counts


def thousands(count):
    return None if count is None else f"{count / 1000:,.0f}K"


def e4(bench, options):
    ncu = find_ncu(options)
    matrix = "gen:ideal?n=2048" if options.quick else "gen:ideal"
    rows, loads = [], {}
    for index, (operation, product) in enumerate((("ax", "A x"), ("atx", "A^T x"))):
        for kernel, reported in E4_REPORTED.items():
            counts = count_misses(bench, ncu, matrix, kernel, operation)
            loads[kernel, product] = counts.get("loads")
            rows.append([product, kernel, f"{reported[index]:,}K", thousands(counts.get("loads")),
                         thousands(counts.get("additions"))])
    header = ["product", "kernel", "misses rep.", "misses", "of additions"]
    title = f"E4: {matrix}, 32-bit values, blocks of 32, sectors that miss the L1 cache in one product"
    print_table(title, "an A100", bench, options, header, rows)
    print("misses: of loads, as the document's figures can only be; of additions: of the atomic ones to y")
    print("our indices take 2 bytes instead of 4: a quarter fewer sectors of values and indices")
    evidence = []
    for product in ("A x", "A^T x"):
        csb, gcsb = loads["csb/block", product], loads["gcsb/lane", product]
        if None not in (csb, gcsb):
            figures = f"{product}: GCSB {thousands(gcsb)}, CSB {thousands(csb)}"
            evidence.append((gcsb < csb, figures))
    verdict(options, "GCSB misses fewer sectors than CSB", evidence)


# ---- E5: a list of SuiteSparse matrices, from the results of a batch ----

# The stand-in, of the expanded matrix; stored entries (Table 4.3); on an A100 the pair of products of GCSB
# over that of CSR, and GCSB's bytes over CSR's: the text has both only where GCSB is ahead.
E5_REPORTED = {
    "msc00726": ("gen:blockband?n=726&block=6&density=0.0655", "17.62K", None, None),
    "spaceStation_4": ("gen:diagonal?n=950&band=15", "7.1K", None, None),
    "CAG_mat1916": ("gen:uniform?n=1916&density=0.0534", "195.99K", None, None),
    "heart2": ("gen:diagonal?n=2339&band=301", "682.80K", None, None),
    "psmigr_3": ("gen:uniform?n=3140&density=0.0551", "543.16K", None, None),
    "raefsky6": ("gen:blockband?n=3402&block=6&density=0.0119", "137.85K", None, None),
    "heart1": ("gen:diagonal?n=3557&band=401", "1,387.77K", None, None),
    "exdata_1": ("gen:blockband?n=6001&block=353&density=0.063", "1,137.75K", None, None),
    "TSC_OPF_1047": ("gen:blockband?n=8140&block=20&density=0.0304", "1,012.52K", None, None),
    "nemeth26": ("gen:diagonal?n=9506&band=159", "760.63K", None, None),
    "sme3Da": ("gen:uniform?n=12504&density=0.0056", "874.89K", 1.08, 1.09),
    "appu": ("gen:uniform?n=14000&density=0.00945", "1,853.10K", 1.41, 1.05),
    "human_gene2": ("gen:powerlaw?n=14340&mean=1260&exponent=1.5&max=7228", "9,041.36K", 1.41, 1.01),
    "olafu": ("gen:blockband?n=16146&block=6&density=0.0039", "515.65K", None, None),
    "nd6k": ("gen:blockband?n=18000&block=6&density=0.0213", "3,457.66K", None, None),
    "human_gene1": ("gen:powerlaw?n=22283&mean=1107&exponent=1.5&max=7939", "12,345.96K", 2.10, 1.02),
    "nd12k": ("gen:blockband?n=36000&block=6&density=0.011", "7,128.47K", None, None),
    "mouse_gene": ("gen:powerlaw?n=45101&mean=642&exponent=1.5&max=8031", "14,506.20K", 2.75, 1.07),
}
E5_BLOCKS = {"beta": 32, "group_size": 32}
E5_SCHEMA = "sparsmith.batch/1"


def known_as(source):
    """A file's name without folders and endings; a generator's text with its parameters in order."""
    if source.startswith("gen:"):
        kind, _, parameters = source.partition("?")
        return f"{kind}?{'&'.join(sorted(parameters.split('&')))}"
    return os.path.basename(source).split(".")[0].removesuffix("_mm")


class Batch:
    """What a folder of spbatch has on the wanted matrices, from the files of all shards."""

    def __init__(self, folder, wanted):
        self.problems, newest, wanted = [], {}, set(wanted)
        files = sorted(glob.glob(os.path.join(glob.escape(folder), "results*.jsonl")))
        if not files:
            fail(f"{folder}: {'no results*.jsonl in it' if os.path.isdir(folder) else 'no such folder'}")
        for path in files:
            for race in self.races(path):
                before = newest.get(race.key)
                if known_as(race.source) in wanted and (before is None or race.started >= before.started):
                    newest[race.key] = race
        # Of one matrix there may be lines with other options: the nearest to the document counts.
        ordered = sorted(newest.values(), key=lambda race: (race.fitness, race.started))
        self.by_name = {known_as(race.source): race for race in ordered}
        devices = {race.device for race in self.by_name.values() if race.measured}
        self.device = ", ".join(sorted(devices)) or "nothing"

    def races(self, path):
        try:
            with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
                for number, text in enumerate(file, 1):
                    try:
                        race = Race(json.loads(text))
                    except (ValueError, KeyError, TypeError, AttributeError):
                        # A line without an end is being written, or its writer was interrupted.
                        if text.endswith("\n"):
                            self.problems.append(f"{path}, line {number}: no result of {E5_SCHEMA}")
                        continue
                    yield race
        except OSError as problem:
            fail(f"{path}: {problem.strerror}")

    def race(self, source):
        """What was measured on it, or None; that it failed is a problem."""
        race = self.by_name.get(known_as(source))
        if race is None or race.measured:
            return race
        self.problems.append(f"not measured: {race.source}: {race.failure}")
        return None


class Race:
    """A line of a batch: warm microseconds of our kernels, on A as it is stored, without a second copy."""

    def __init__(self, line):
        if line["schema"] != E5_SCHEMA:
            raise ValueError(line["schema"])
        self.key, self.started, self.source = line["key"], str(line["started"]), line["source"]["path"]
        if line["source"]["kind"] == "generator" and not self.source.startswith("gen:"):
            self.source = "gen:" + self.source
        self.failure = (line["failure"] or {}).get("message") or "the batch timed nothing on it"
        told = line["recommendation"]
        self.measured, self.fitness = bool(told) and not told["predicted"], (False, False, False)
        if not self.measured:
            return
        self.device, self.variants = told["machine"]["device"], told["variants"]
        self.entries, self.wide_values = told["matrix"]["entries"], told["matrix"]["value_bits"] == 64
        self.fitness = (True, not self.wide_values, told["request"]["regime"] == "warm")
        self.times = {}  # of a variant's place and a product: by kernel
        for one in told["contestants"]:
            us = (one["warm"] or {}).get("median_us")
            if us and not one["vendor"] and one["result"] != "wrong":
                self.times.setdefault((one["variant"], one["operation"]), {})[one["kernel"]] = us

    def pair(self, place, kernel=None):
        """Of a variant both products, with one kernel or each with its fastest; None if one is missing."""
        both = [self.times.get((place, operation), {}) for operation in ("ax", "atx")]
        both = [times.get(kernel) if kernel else min(times.values(), default=None) for times in both]
        return None if None in both else sum(both)

    def places(self, *formats, **parameters):
        """The variants of these formats that have these parameters."""
        def fits(one):
            has = one["parameters"] or {}
            return one["format"] in formats and not one["of_transpose"] and all(
                has.get(name) == value for name, value in parameters.items())
        return [place for place, one in enumerate(self.variants) if fits(one)]

    def fastest(self, *formats):
        """(variant's place, both products), or (None, None)."""
        timed = [(place, self.pair(place)) for place in self.places(*formats)]
        timed = [one for one in timed if one[1] is not None]
        return min(timed, key=lambda one: one[1], default=(None, None))

    def memory(self, places):
        """Bytes against CSR of the fastest of these, or of the first."""
        timed = [place for place in places if self.pair(place) is not None]
        place = min(timed, key=self.pair) if timed else next(iter(places), None)
        return None if place is None else self.variants[place]["times_csr"]


def run_spbatch(options, matrices, folder):
    """What it said last where it ended with an error, or None; what it did is in the folder."""
    path = options.spbatch or built("tools", "spbatch")
    if path is None:
        raise Lacking("E5 needs spbatch: none in build/; --spbatch names it, --batch its results")
    device = [] if options.device == "auto" else ["--device", options.device]
    command = [path, *matrices, "--out", folder, "--recommend", "--mix", "1:1", "--caches", "warm",
               "--value", "f32", *device]
    # On a terminal its progress is for people.
    said = None if sys.stderr.isatty() else subprocess.PIPE
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=said, text=True, check=False)
    except OSError as problem:
        fail(f"{path}: {problem.strerror}")
    if done.returncode == 0:
        return None
    return ((done.stderr or "").strip().splitlines() or [f"exit status {done.returncode}"])[-1]


def gather_batch(options, chosen):
    """The results on the chosen sources: of the folder of --batch, or of a run of spbatch."""
    if options.batch:
        return Batch(options.batch, map(known_as, chosen))
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.out or temporary
        said = run_spbatch(options, chosen, folder)
        if said and not glob.glob(os.path.join(glob.escape(folder), "results*.jsonl")):
            fail(f"spbatch: {said}")
        batch = Batch(folder, map(known_as, chosen))
    missing = [source for source in chosen if known_as(source) not in batch.by_name]
    batch.problems += [f"not measured: {source}: no result{f'; spbatch: {said}' if said else ''}"
                       for source in missing]
    return batch


def sources_of(options):
    """(the document's name, or the file's; what it may be measured on, the best first)."""
    files = {known_as(path): path for path in options.matrix or []}
    sources = {}
    for name, (stand_in, *_) in E5_REPORTED.items():
        if name in files:
            sources[name] = [files.pop(name)]
        elif options.batch:
            sources[name] = [name, stand_in]
        elif not options.quick or int(re.search(r"\bn=(\d+)", stand_in)[1]) < 10000:
            sources[name] = [stand_in]
    return {**sources, **{name: [path] for name, path in files.items()}}


def thesis_speed(race, bench):
    """(the pair of csr/thread over that of gcsb/lane with blocks of 32, who timed both), or (None, None)."""
    lane = next((race.pair(place, "gcsb/lane") for place in race.places("gcsb", **E5_BLOCKS)), None)
    thread = next((race.pair(place, "csr/thread") for place in race.places("csr")), None)
    if lane and thread:
        return thread / lane, "race"
    at_hand = race.source.startswith("gen:") or os.path.exists(race.source)
    if isinstance(bench, NoBench) or not at_hand:
        return None, None
    again = bench.run(race.source, ["csr/thread", "gcsb/lane"], "--value", "f32", "--beta", "32")
    speed = ratio(again.pair("csr/thread"), again.pair("gcsb/lane"))
    return speed, speed and "bench"


def e5(bench, options):
    sources = sources_of(options)
    batch = gather_batch(options, [source for choice in sources.values() for source in choice])
    rows, ahead, behind, wide = [], [], [], []
    for name, choice in sources.items():
        race = next(filter(None, map(batch.race, choice)), None)
        stand_in, stored, speed_reported, memory_reported = E5_REPORTED.get(name, [None] * 4)
        if race is None:
            rows.append([name, None, stored, None, speed_reported, *[None] * 4, memory_reported, None, None])
            continue
        is_file = not race.source.startswith("gen:")
        replaced = not is_file and stand_in is not None
        if options.quick and replaced:
            stored = speed_reported = memory_reported = None
        speed, timed_by = thesis_speed(race, bench)
        best, best_us = race.fastest("gcsb", "gcsb_tile")
        _, csr_us = race.fastest("csr")
        rows.append([name, "stand-in" if replaced else "file" if is_file else "generator", stored,
                     f"{race.entries / 1000:,.2f}K", speed_reported, speed, timed_by, ratio(csr_us, best_us),
                     None if best is None else race.variants[best]["label"], memory_reported,
                     race.memory(race.places("gcsb", **E5_BLOCKS)), race.memory(race.places("gcsb_tile"))])
        if race.wide_values:
            wide.append(name)
        if speed and name in E5_REPORTED:
            figures = f"{name}{' (stand-in)' if replaced else ''} {show(speed)} x"
            if E5_REPORTED[name][2]:
                ahead.append((speed > 1, figures))
            else:
                behind.append((not_slower(speed, 1), figures))
    header = ["matrix", "measured on", "entries rep.", "entries", "lane/thread rep.", "lane/thread",
              "timed by", "best/best", "best GCSB", "GCSB bytes rep.", "GCSB bytes", "tile bytes"]
    values = "" if wide else "32-bit values, "
    title = f"E5: SuiteSparse, {values}pairs of products over those of CSR, bytes against CSR's"
    print_table(title, "an A100", batch, options, header, rows)
    bench_device = f" on {bench.device}" if any(row[6] == "bench" for row in rows) else ""
    print("lane/thread: the document's comparison, gcsb/lane with blocks of 32 over csr/thread; both timed\n"
          f"  by the race of the batch, or where that left one out both by bench_spmv{bench_device}\n"
          "best/best: the fastest of GCSB (gcsb, gcsb_tile) over the fastest of ours in CSR, by the race\n"
          "GCSB bytes: blocks of 32; with 16-bit indices and no empty blocks they are not the document's")
    if any(row[2] for row in rows):
        print("entries rep.: of symmetric matrices the document counts the stored half")
    if wide:
        print(f"64-bit values in the race, where the document has 32: {', '.join(wide)}")
    winners = [name for name, reported in E5_REPORTED.items() if reported[2]]
    verdict(options, f"gcsb/lane beats the naive CSR pair on {', '.join(winners)}", ahead)
    verdict(options, "gcsb/lane does not beat it on the others", behind)
    bench.problems += batch.problems


# ---- E6, E7: BSR ----

# Seconds of 200 products on a P100, and the share of its peak bandwidth; stream is ours.
E6_VENDOR = (0.337, 0.339)
E6_REPORTED = {"bsr/row-major": (0.558, 0.205), "bsr/private": (0.707, 0.162), "bsr/team": (0.178, 0.642),
               "bsr/unrolled": (0.155, 0.737), "bsr/stream": (None, None)}


def block_band(options):
    side = 8000 if options.quick else 32000
    return side, f"gen:blockband?n={side}&block=5&density=0.05"


def e6(bench, options):
    vendor_names, matrix = bench.vendor_kernels("bsr"), block_band(options)[1]
    result = bench.run(matrix, [*E6_REPORTED, *vendor_names], "--block", "5x5", "--op", "ax")
    vendor_name, vendor = result.fastest(vendor_names)
    rows = []
    for kernel, (seconds, share) in {vendor_name: E6_VENDOR, **E6_REPORTED}.items():
        ours = result.us(kernel)
        rows.append([kernel or "cuSPARSE", seconds, ratio(E6_VENDOR[0], seconds), percent(share),
                     seconds_of_200(ours), ratio(vendor, ours), percent(result.share_of_copy(kernel))])
    header = ["kernel", "seconds rep.", "over cuSPARSE rep.", "of peak rep.",
              "seconds", "over cuSPARSE", "of a copy"]
    title = f"E6: {matrix}, 64-bit values, seconds of 200 products"
    print_table(title, "a P100", bench, options, header, rows)
    print("of a copy: bytes the format has, over a copy measured here; the document divides by the peak")
    times = result.times(f"bsr/{name}" for name in ("unrolled", "team", "row-major", "private"))
    figures = {kernel: f"{short(kernel)} {show(seconds_of_200(us))} s" for kernel, us in times.items()}
    neighbours = zip(times, list(times)[1:])
    verdict(options, "times, shorter first, are ordered unrolled, team, row-major, private",
            [(not_slower(times[a], times[b]), f"{figures[a]}, {figures[b]}") for a, b in neighbours])
    speeds = {kernel: ratio(vendor, times.get(kernel)) for kernel in ("bsr/unrolled", "bsr/team")}
    verdict(options, "unrolled and team beat cuSPARSE's BSR",
            [(speed > 1, f"{short(kernel)} {show(speed)} x") for kernel, speed in speeds.items() if speed])


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
    side, matrix = block_band(options)
    counts = sorted({t for t in E7_THREADS if t <= bench.threads} | {bench.threads})
    measured = {}
    for count in counts:
        arguments = ["--block", "5x5", "--op", "ax", "--threads", str(count)]
        measured[count] = bench.run(matrix, list(E7_REPORTED), *arguments)
    scipy = seconds_of_200(scipy_us(side, 0.05, 5))
    rows = [["SciPy", hundredths(E7_REPORTED_SCIPY), scipy] + [None] * (2 * len(counts) - 2)]
    for kernel, reported in E7_REPORTED.items():
        row = [kernel]
        for count in counts:
            row.append(hundredths(dict(zip(E7_THREADS, reported)).get(count)))
            row.append(seconds_of_200(measured[count].us(kernel)))
        rows.append(row)
    names = [f"{count} thread{'s' if count > 1 else ''}" for count in counts]
    header = ["kernel"] + [text for name in names for text in (f"{name} rep.", name)]
    title = f"E7: {matrix}, 64-bit values, seconds of 200 products"
    print_table(title, "16 cores with 32 threads", bench, options, header, rows)
    times = measured[counts[-1]].times(E7_REPORTED)

    def compared(kernel, other):
        return ", ".join(f"{short(k)} {show(seconds_of_200(times[k]))} s" for k in (kernel, other))

    leaders = [kernel for kernel in ("bsr/fixed-task", "bsr/preprocessed") if kernel in times]
    others = [kernel for kernel in times if kernel not in leaders]
    verdict(options, f"with {names[-1]} the tasks of equal size lead",
            [(not_slower(times[a], times[b]), compared(a, b)) for a in leaders for b in others])
    naive = "bsr/intra-row-naive"
    rest = [kernel for kernel in times if kernel != naive and naive in times]
    verdict(options, f"with {names[-1]} the naive split of rows comes last",
            [(not_slower(times[k], times[naive]), compared(naive, k)) for k in rest])


# ---- E8, E9, E10: collections ----


def measured_matrices(bench, stand_ins, kernels, options):
    """(the document's name, or the file's, and the result): the user's files, or all stand-ins."""
    if options.matrix:
        names = [p if p.startswith("gen:") else os.path.basename(p).split(".")[0] for p in options.matrix]
        chosen = list(zip(names, options.matrix))
    else:
        chosen = [(name, "gen:" + reported[0]) for name, reported in stand_ins.items()]
        if options.quick:  # a sixteenth of what has 10000 rows and more; multiples of 6, which blocks divide
            chosen = [(name, re.sub(r"\bn=(\d{5,})", lambda n: f"n={int(n[1]) // 96 * 6}", matrix)
                       .replace("scale=15", "scale=11")) for name, matrix in chosen]
    results = [(name, bench.run(matrix, kernels, "--op", "ax", "--value", "f32")) for name, matrix in chosen]
    return [(name, result) for name, result in results if result.measured]


def first_columns(options):
    return ["matrix" if options.matrix else "stand-in for", "per row rep.", "per row"]


# The stand-in; entries a row; on an A30 the best map over a thread per entry (Table V), and the best scan,
# derived: Table VI's throughput over Table V's baseline, rows by order (Table VI leaves model7 out).
E8_REPORTED = {
    "circuit5M_dc": ("powerlaw?n=3523317&mean=5.4&max=27", 5.4, 1.15, 363.22 / 177.18),
    "delaunay_n23": ("diagonal?n=8388608&band=7", 6.0, 1.07, 412.07 / 204.73),
    "europe_osm": ("diagonal?n=8388608&band=3", 2.1, 1.13, 153.83 / 99.89),
    "hugetrace-00000": ("diagonal?n=4588484&band=3", 1.75, 1.04, 95.11 / 72.16),
    "mawi_201512020330": ("denserow?n=8388608&dense=1&degree=1", 2.1, 1.45, 186.36 / 23.71),
    "model7": ("powerlaw?n=3358&mean=15.2&max=253", 15.2, 1.14, None),
    "mouse_gene": ("uniform?n=45101&density=0.0142", 642, 6.54, 1098.12 / 53.74),
    "mycielskian16": ("rmat?scale=15&edges=1860", 679, 7.65, 1219.72 / 36.97),  # less duplicates
}
E8_MAPS = ["coo/stride-1", "coo/stride-warp", "coo/stride-block", "coo/stride-grid"]
E8_SCANS = ["coo/scan-32", "coo/scan-1024", "coo/segscan-32", "coo/segscan-1024", "coo/segscan-32-block"]
# The two matrices that the document calls very row dense have 642 and 679 entries a row, all others up to 15.
E8_DENSE = 100


def e8(bench, options):
    kernels = ["coo/atomic", *E8_MAPS, *E8_SCANS]
    claims = {
        "stride-1 is the slowest map": [],
        "stride-warp or stride-block is the fastest map": [],
        "the fastest map is not slower than a thread per entry": [],
        f"segscan-1024 is the fastest kernel where rows are dense (over {E8_DENSE} entries a row)": [],
        "segscan-32-block is the fastest kernel elsewhere": [],
    }
    slowest_map, fastest_map, map_wins, dense, elsewhere = claims.values()
    rows = []

    def judge(evidence, name, times, first, second):
        """That `first` takes no longer than `second`, where both ran."""
        if first in times and second in times:
            figures = [f"{short(kernel)} {show(times[kernel])} us" for kernel in (first, second)]
            evidence.append((not_slower(times[first], times[second]), f"{name}: {', '.join(figures)}"))

    def fastest_of(times, kernels):
        return min((k for k in kernels if k in times), key=times.get, default=None)

    for name, result in measured_matrices(bench, E8_REPORTED, kernels, options):
        times = result.times(kernels)
        atomic = times.get("coo/atomic")
        _, length, best_map, best_scan = E8_REPORTED.get(name, [None] * 4)
        maps, scans = [[ratio(atomic, times.get(k)) for k in group] for group in (E8_MAPS, E8_SCANS)]
        rows.append([name, length, result.row_length, atomic, best_map, *maps, best_scan, *scans])
        if name == "model7":
            continue  # The document discards it as too small.
        slowest = max((k for k in E8_MAPS[1:] if k in times), key=times.get, default=None)
        judge(slowest_map, name, times, slowest, "coo/stride-1")
        leader = fastest_of(times, ["coo/stride-warp", "coo/stride-block"])
        judge(fastest_map, name, times, leader, fastest_of(times, ["coo/stride-1", "coo/stride-grid"]))
        judge(map_wins, name, times, fastest_of(times, E8_MAPS), "coo/atomic")
        is_dense = result.row_length > E8_DENSE
        best = "coo/segscan-1024" if is_dense else "coo/segscan-32-block"
        rival = fastest_of(times, [kernel for kernel in times if kernel != best])
        judge(dense if is_dense else elsewhere, name, times, best, rival)
    maps, scans = [[short(k).replace("stride", "str").replace("segscan", "seg") for k in group]
                   for group in (E8_MAPS, E8_SCANS)]
    header = [*first_columns(options), "atomic us", "best map rep.", *maps, "scan, derived, rep.", *scans]
    title = "E8: COO, 32-bit values, A x over a thread per entry (atomic); str: stride, seg: segscan"
    print_table(title, "an A30", bench, options, header, rows)
    if rows and not options.quick:
        print("derived: the document's Table VI over Table V's baseline; its prose says about 10 (mawi), "
              "20 (mouse_gene) and 30 (mycielskian16)")
    for claim, evidence in claims.items():
        verdict(options, claim, evidence)


E9_KERNELS = ["csr/thread", "csr/warp", "csr/bins", "csr/hybrid"]
# The stand-in; entries a row; which are said to be ahead of cuSPARSE on an A30 (None: nothing is said).
E9_REPORTED = {
    "crankseg_1": ("blockband?n=52800&block=6&density=0.0038", 101.01, ["csr/warp", "csr/hybrid"]),
    "ecology1": ("laplace2d?n=1000", 3.00, ["csr/thread", "csr/hybrid"]),
    "F1": ("powerlaw?n=343791&mean=78&exponent=3&max=435", 39.53, None),
    "inline_1": ("powerlaw?n=503712&mean=73&exponent=3&max=843", 37.05, None),
    "mawi_201512012345": ("denserow?n=18571154&dense=1&degree=1", 1.02, None),
    "sx-stackoverflow": ("powerlaw?n=2601977&mean=13.93&max=38148", 13.93, None),
}


def e9(bench, options):
    vendor_names = bench.vendor_kernels("csr")
    rows, evidence, bins = [], {name: [] for name in E9_REPORTED if E9_REPORTED[name][2]}, []

    def joined(kernels):
        return ", ".join(map(short, kernels)) or "none"

    for name, result in measured_matrices(bench, E9_REPORTED, E9_KERNELS + vendor_names, options):
        vendor_name, vendor = result.fastest(vendor_names)
        speeds = {kernel: ratio(vendor, result.us(kernel)) for kernel in E9_KERNELS}
        ahead = [kernel for kernel, speed in speeds.items() if speed and speed > 1]
        _, length, reported = E9_REPORTED.get(name, [None] * 3)
        for kernel in reported or []:
            if speeds[kernel]:
                evidence[name].append((speeds[kernel] > 1, f"{short(kernel)} {show(speeds[kernel])} x"))
        gain = ratio(result.us("csr/warp"), result.us("csr/bins"))
        if name in ("ecology1", "sx-stackoverflow") and gain:
            bins.append((gain > 1, f"{name}: {show(gain)} x"))
        rows.append([name, length, result.row_length, *speeds.values(), vendor_name,
                     reported and joined(reported), joined(ahead) if vendor else None])
    header = [*first_columns(options), *map(short, E9_KERNELS), "cuSPARSE's faster",
              "ahead of cuSPARSE rep.", "ahead of cuSPARSE"]
    title = "E9: CSR, 32-bit values, A x over the faster of cuSPARSE"
    print_table(title, "an A30", bench, options, header, rows)
    print("the document's +72 % on mawi compares hybrid with its own first version: no counterpart here")
    for name, found in evidence.items():
        kernels = " and ".join(map(short, E9_REPORTED[name][2]))
        verdict(options, f"{kernels} beat cuSPARSE on {name}", found)
    verdict(options, "bins beats warp on the very short rows of ecology1 and sx-stackoverflow", bins)


# The stand-in; rows and stored entries; milliseconds of a thread per row and a warp per row on an L40S.
E10_REPORTED = {
    "great-britain_osm": ("diagonal?n=7733822&band=3", 7733822, 8156517, 28.53, 186.68),
    "wiki-Talk": ("powerlaw?n=2394385&mean=2.1&max=100000", 2394385, 5021410, 47.39, 62.10),
    "neos3": ("powerlaw?n=512209&mean=4&exponent=3&max=100", 512209, 2055024, 3.19, 12.22),
    "rajat31": ("laplace2d?n=2166", 4690002, 20316253, 29.70, 130.73),
    "helm2d03": ("diagonal?n=392257&band=7", 392257, 1567096, 84.53, 10.49),
    "ins2": ("denserow?n=309412&dense=2&degree=7", 309412, 1530448, 74.56, 11.46),
    "cage14": ("diagonal?n=1505785&band=17", 1505785, 27130349, 73.73, 62.51),
    "af23560": ("diagonal?n=23560&band=21", 23560, 484256, 1.32, 0.78),
    "bcsstk13": ("uniform?n=2003&density=0.0209", 2003, 42943, 0.67, 0.10),
    "pkustk14": ("blockband?n=151926&block=6&density=0.00064", 151926, 7494215, 76.38, 13.21),
}
# In the document threads win up to 4.3 entries a row and warps from 7.0 on, of the expanded matrices.
# Matrices of one side only do not tell whether there is a border.
E10_FEW = 6


def best_border(lines):
    """How good "threads below so many entries a row, warps above" can be.

    lines: (entries a row, name, time of warps over that of threads), sorted. Returns the rule in words, and
    for every line whether the rule is right about it; a rule without a border is right about none.
    """
    def right(border):
        below = [not_slower(1, line[2]) for line in lines[:border]]
        return below + [not_slower(line[2], 1) for line in lines[border:]]

    inner = range(1, len(lines))
    border = max(range(len(lines) + 1), key=lambda b: (sum(right(b)), b in inner))
    if border not in inner:
        return ("warps always" if border == 0 else "threads always"), [False] * len(lines)
    between = f"{show(lines[border - 1][0])} and {show(lines[border][0])} entries a row"
    return f"between {between}, right for {sum(right(border))} of {len(lines)}", right(border)


def e10(bench, options):
    rows, ours, theirs = [], [], []
    for name, result in measured_matrices(bench, E10_REPORTED, ["csr/thread", "csr/warp"], options):
        thread, warp = result.us("csr/thread"), result.us("csr/warp")
        _, row_count, entries, *reported = E10_REPORTED.get(name, [None] * 5)
        reported_ratio = ratio(reported[1], reported[0])
        if ratio(warp, thread):
            ours.append((result.row_length, name, ratio(warp, thread)))
        if reported_ratio:
            theirs.append((result.row_length, name, reported_ratio))
        rows.append([name, ratio(entries, row_count), result.row_length, *map(hundredths, reported),
                     reported_ratio, milliseconds(thread), milliseconds(warp), ratio(warp, thread)])
    rows.sort(key=lambda row: row[2])
    ours.sort()
    header = [*first_columns(options), "thread ms rep.", "warp ms rep.", "warp over thread rep.",
              "thread ms", "warp ms", "warp over thread"]
    title = "E10: CSR, 32-bit values, a warp per row against a thread per row (above 1: threads win)"
    print_table(title, "an L40S", bench, options, header, rows)
    few = [line for line in ours if line[0] < E10_FEW]
    evidence = []
    if 0 < len(few) < len(ours) and not options.quick:
        rule, agree = best_border(ours)
        print(f"best border, ours: {rule}")
        if len(theirs) > 1:
            print(f"best border, reported times at the same row lengths: {best_border(sorted(theirs))[0]}")
        evidence = [(fits, f"{name} {show(found)}") for fits, (_, name, found) in zip(agree, ours)]
    verdict(options, "threads win at few entries a row, warps at more", evidence)


EXPERIMENTS = {"E1": e1, "E3": e3, "E4": e4, "E5": e5, "E6": e6, "E7": e7, "E8": e8, "E9": e9, "E10": e10}
ON_CPU = ("E7",)
OF_COLLECTIONS = ("E5", "E8", "E9", "E10")


def bench_for(name, options):
    """What runs the kernels of an experiment; None where its device is not here."""
    if options.batch and not options.bench:
        return NoBench()
    bench = Bench(options, "cpu" if name in ON_CPU else options.device)
    if name in ON_CPU or bench.on_gpu:
        return bench
    return None if options.experiment == "ALL" else fail(f"{name} needs a GPU; this is {bench.device}")


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("experiment", type=str.upper, choices=[*EXPERIMENTS, "ALL"],
                        help="in any case; all: those that fit the device")
    parser.add_argument("--bench", help="the bench_spmv to run; by default that of build/")
    parser.add_argument("--device", choices=["auto", "cuda", "cpu"], default="auto",
                        help="E7 always runs on the CPU")
    parser.add_argument("--matrix", nargs="+", metavar="FILE",
                        help="E5, E8, E9, E10: real matrices, known by their file names, not stand-ins")
    parser.add_argument("--batch", metavar="DIR", help="E5: read the results that spbatch left there")
    parser.add_argument("--spbatch", help="E5: the spbatch to run; by default that of build/")
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
