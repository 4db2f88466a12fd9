"""Products with several vectors on a CPU beside SciPy's, in one process: A @ X and A.T @ X, X in the usual order.
PYTHONPATH=build/openmp/python python3 tests/bench/bench_many_vectors.py [--entries 4e6] [--vectors 8,32] [--formats csr,sell]
Times are medians of calls in turns; SciPy uses one thread, and has no other."""
import argparse
import statistics
import time

import numpy as np
import scipy.sparse

import sparsmith


def seconds_of(calls, rounds):
    """Medians of calls that take turns, so that what disturbs one of them disturbs all."""
    times = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(rounds):
        for own, call in zip(times, calls):
            start = time.perf_counter()
            call()
            own.append(time.perf_counter() - start)
    return [statistics.median(own) for own in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--entries", type=float, default=4e6)
    parser.add_argument("--vectors", default="8,32")
    parser.add_argument("--formats", default="csr,sell")
    parser.add_argument("--rounds", type=int, default=7)
    asked = parser.parse_args()
    entries, formats = int(asked.entries), asked.formats.split(",")
    side = int((entries / 0.01) ** 0.5)
    inputs = {
        "uniform, 1 % filled": f"gen:uniform?n={side}&density=0.01",
        "Laplacian in 3 dimensions": f"gen:laplace3d?n={round((entries / 7) ** (1 / 3))}",
        "R-MAT, 16 a row": f"gen:rmat?scale={max(4, (entries // 16).bit_length() - 1)}&edges=16",
    }
    print(f"{'matrix, values, product, vectors':<60} {'SciPy':>9} " + " ".join(f"{name:>16}" for name in formats))
    for name, source in inputs.items():
        for dtype in (np.float32, np.float64):
            A = sparsmith.read(source, dtype=dtype, device="cpu").to_scipy()
            made = [sparsmith.convert(A, format, max_fill=100) for format in formats]
            for count in map(int, asked.vectors.split(",")):
                for transposed in (False, True):
                    length = A.shape[0] if transposed else A.shape[1]
                    X = np.random.default_rng(1).random((length, count)).astype(dtype)
                    operators = [m.T if transposed else m for m in [A, *made]]
                    right = operators[0] @ X
                    for m in operators[1:]:
                        np.testing.assert_allclose(m @ X, right, rtol=1e-3 if dtype is np.float32 else 1e-9, atol=1e-3)
                    scipys, *ours = seconds_of([lambda m=m: m @ X for m in operators], asked.rounds)
                    what = f"{name}, {np.dtype(dtype)}, {'A.T @ X' if transposed else 'A @ X'}, {count}"
                    print(f"{what:<60} {1e3 * scipys:6.1f} ms " + " ".join(f"{1e3 * t:6.1f} ms {scipys / t:4.1f} x" for t in ours))


if __name__ == "__main__":
    main()
