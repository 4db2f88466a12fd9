#!/usr/bin/env python3
"""What a product from Python costs beside the library's own call: PYTHONPATH=build/openmp/python OMP_NUM_THREADS=1 python3
tests/bench/bench_python.py

A matrix of 100 x 100 and one of no entries, the least of 50 rounds: what other processes take is left out.
"""
import subprocess
import sys
import timeit

import numpy as np
import scipy.sparse
import sparsmith


def microseconds(call, rounds=50, calls=2000):
    call()
    return min(timeit.repeat(call, number=calls, repeat=rounds)) / calls * 1e6


def milliseconds_to_import(module):
    program = f"import time; t = time.perf_counter(); import {module}; print(time.perf_counter() - t)"
    return min(float(subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout)
               for _ in range(5)) * 1e3


A = scipy.sparse.random_array((100, 100), density=0.05, format="csr", rng=1)
x, y = np.ones(100), np.empty(100)
for name, a in (("100 x 100, 500 entries", A), ("100 x 100, no entries", scipy.sparse.csr_array((100, 100)))):
    m = sparsmith.Matrix(a)
    print(f"{name}, microseconds a call")
    print(f"  SciPy's A @ x         {microseconds(lambda: a @ x):6.2f}")
    print(f"  M @ x                 {microseconds(lambda: m @ x):6.2f}")
    print(f"  M.T @ x               {microseconds(lambda: m.T @ x):6.2f}")
    print(f"  M.multiply(x, out=y)  {microseconds(lambda: m.multiply(x, out=y)):6.2f}")
    print(f"  the extension's call  {microseconds(lambda: m._held.multiply(False, 1.0, x, 0.0, y)):6.2f}")
print("import, milliseconds")
for module in ("numpy", "sparsmith"):
    print(f"  {module:<21} {milliseconds_to_import(module):6.0f}")
