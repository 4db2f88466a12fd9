"""E6, E7: BSR."""

import time

from common import hundredths, not_slower, percent, print_table, ratio, seconds_of_200, short, show, verdict

# Seconds of 200 products on a P100, and the share of its peak bandwidth; stream is ours.
E6_VENDOR = (0.337, 0.339)
E6_REPORTED = {"bsr/row-major": (0.558, 0.205), "bsr/private": (0.707, 0.162), "bsr/team": (0.178, 0.642),
               "bsr/unrolled": (0.155, 0.737), "bsr/stream": (None, None)}


def block_band(options):
    side = 8000 if options.quick else 32000
    return side, f"gen:blockband?n={side}&block=5&density=0.05"


def e6(bench, options):
    vendor_names, matrix = bench.vendor_kernels("bsr"), block_band(options)[1]
    result = bench.run(matrix, [*E6_REPORTED, *vendor_names], "--block", "5x5", "--mix", "1:0")
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
        arguments = ["--block", "5x5", "--mix", "1:0", "--threads", str(count)]
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
