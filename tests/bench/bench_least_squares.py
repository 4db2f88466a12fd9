#!/usr/bin/env python3
"""Time to the solution of least squares, conversion included: PYTHONPATH=build/openmp/python python3
tests/bench/bench_least_squares.py [--entries 5e6] [--per-row 20] [--steps 10,30,100] [--device cpu|cuda]

Four times as many rows as columns, entries at random places. The same LSMR, SciPy's or CuPy's, takes the same steps over CSR as these have it (on a GPU cuSPARSE multiplies), over CSR with a
transposed copy beside it, over CSR with our kernels, and over the recommended format,
which is asked for with the products of the most steps. What recommending takes is told apart: it is paid once for all matrices
that are alike.
"""
import argparse
import time

import numpy as np
import scipy.sparse
import sparsmith

parser = argparse.ArgumentParser()
parser.add_argument("--entries", type=float, default=5e6)
parser.add_argument("--per-row", type=int, default=20)
parser.add_argument("--steps", default="10,30,100")
parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
parser.add_argument("--single", action="store_true", help="float32")
asked = parser.parse_args()
entries, dtype = int(asked.entries), np.float32 if asked.single else np.float64

if asked.device == "cuda":
    import cupy as xp
    import cupyx.scipy.sparse as sparse
    from cupyx.scipy.sparse.linalg import LinearOperator, lsmr
    wait, theirs = xp.cuda.Device().synchronize, "CuPy's CSR (cuSPARSE)"
else:
    xp, sparse = np, scipy.sparse
    from scipy.sparse.linalg import LinearOperator, lsmr
    wait, theirs = (lambda: None), "SciPy's CSR"


def timed(work):
    wait()
    began = time.perf_counter()
    made = work()
    wait()
    return time.perf_counter() - began, made


rng = np.random.default_rng(1)
rows, cols = entries // asked.per_row, entries // (4 * asked.per_row)
places = rng.integers(rows, size=entries, dtype=np.int32), rng.integers(cols, size=entries, dtype=np.int32)
made = scipy.sparse.csr_matrix(scipy.sparse.coo_matrix((rng.standard_normal(entries).astype(dtype), places), shape=(rows, cols)))
made.sort_indices()
A = sparse.csr_matrix(made)
right = xp.asarray(rng.standard_normal(cols).astype(dtype))
b = A @ right


def with_copy():
    At = A.T.tocsr()
    return LinearOperator(A.shape, matvec=lambda x: A @ x, rmatvec=lambda y: At @ y, dtype=dtype)


def solve(operator, steps):
    x = lsmr(operator, b, atol=0, btol=0, conlim=0, maxiter=steps)[0]
    return float(abs(x - right).max())


recommending, said = timed(lambda: sparsmith.recommend(A, mix=(1, 1), products=2 * int(asked.steps.split(",")[-1])))
print(f"{rows:,} x {cols:,}, {A.nnz:,} entries, {np.dtype(dtype)}, {asked.device}; recommended in {recommending:.1f} s: "
      f"{said.format} {said.parameters}, {said.kernel}, {said.kernel_transposed}")
contestants = {
    theirs: lambda: A,
    "  and a transposed copy": with_copy,
    "CSR, our kernels": lambda: sparsmith.Matrix(A),
    f"{said.format}, recommended": lambda: said.convert(A),
}
for make in contestants.values():
    solve(make(), 2)  # what is prepared and compiled once
print(f"{'seconds after steps':<28}" + "".join(f"{steps:>9}" for steps in asked.steps.split(",")) + "   of which to convert, off by")
for name, make in contestants.items():
    told = []
    for steps in map(int, asked.steps.split(",")):
        whole, (converting, off) = timed(lambda: ((made := timed(make))[0], solve(made[1], steps)))
        told.append(f"{whole:9.3f}")
    print(f"{name:<28}" + "".join(told) + f"   {converting:.3f}  {off:.1e}")
