"""E4: L1 sector misses, counted by ncu."""

import csv
import os
import shutil
import tempfile

from common import Lacking, Result, print_table, verdict

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
            [matrix, "--kernels", kernel, "--mix", "1:0" if operation == "ax" else "0:1", "--value", "f32",
             "--beta", "32", "--samples", "1", *bench.exhaustive], profiler)
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
        if wrong or all(line["not_run"] for line in result.kernels):
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
