"""SCIPY: SciPy's csr @ x on one thread, beside ours on the CPU, on the same matrix in the same run."""

import os
import subprocess
import tempfile
import time

from common import Lacking, built, fail, print_table, ratio, show, verdict

MATRICES = ["gen:uniform?n=20000&density=0.005", "gen:laplace2d?n=1000", "gen:rmat?scale=17&edges=16"]
SMALL = ["gen:uniform?n=500&density=0.02", "gen:laplace2d?n=30"]


def scipy_us(path, samples):
    """The median of csr @ x, with warm caches."""
    import numpy
    import scipy.sparse

    matrix = scipy.sparse.load_npz(path).tocsr()
    x, times = numpy.linspace(-1, 1, matrix.shape[1], dtype=matrix.dtype), []
    for _ in range(samples + 2):
        start = time.perf_counter()
        matrix @ x
        times.append(time.perf_counter() - start)
    return sorted(times[2:])[samples // 2] * 1e6


def scipy_product(bench, options):
    try:
        import scipy.sparse  # noqa: F401
    except ImportError as missing:
        raise Lacking("SCIPY needs NumPy and SciPy") from missing
    spconv = options.spconv or built("tools", "spconv")
    if spconv is None:
        raise Lacking("SCIPY needs spconv: none in build/; --spconv names it")
    rows, evidence = [], []
    for matrix in options.matrix or (SMALL if options.quick else MATRICES):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "matrix.npz")
            try:
                done = subprocess.run([spconv, matrix, "--to", "csr", "--value", "f64", "--device", "cpu", "--quiet",
                                       "-o", path], capture_output=True, text=True, check=False)
            except OSError as problem:
                fail(f"{spconv}: {problem.strerror}")
            if done.returncode != 0:
                bench.problems.append(f"not measured: {done.stderr.strip()}")
                continue
            result = bench.run(matrix, ["csr/omp"], "--mix", "1:0", "--value", "f64")
            theirs = scipy_us(path, 9 if options.quick else 30)
        ours = result.us("csr/omp")
        rows.append([matrix, theirs, ours, ratio(theirs, ours)])
        if ours:
            evidence.append((theirs > ours, f"{matrix}: {show(theirs / ours)} x"))
    title = f"SCIPY: csr @ x on one thread, and csr/omp on {bench.threads}, 64-bit values, warm, us"
    print_table(title, "this machine", bench, options, ["matrix", "SciPy", "csr/omp", "times"], rows)
    verdict(options, "csr/omp is faster than SciPy", evidence)
