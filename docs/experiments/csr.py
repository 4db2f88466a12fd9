"""E9, E10: schedules of CSR."""

from common import (first_columns, hundredths, measured_matrices, milliseconds, not_slower, print_table, ratio, short,
                    show, verdict)

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
