#!/usr/bin/env python3
"""What a product from Python costs beside the library's own call: PYTHONPATH=build/openmp/python OMP_NUM_THREADS=1 python3
tests/bench/bench_python.py [cuda]

A matrix of 100 x 100 and one of no entries, the least of 50 rounds: what other processes take is left out. With `cuda` what
queueing a product on a GPU costs, and what products of large matrices take there, beside CuPy and nvmath-python (where they
are installed).
"""
import pathlib
import subprocess
import sys
import time
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


def from_cpp(*device):
    """The library's own call from C++, of a matrix with entries and of one without, as bench_call measures it."""
    program = pathlib.Path(sparsmith.__file__).parents[2] / "tests/bench/bench_call"
    if not program.exists():
        return {}
    told = subprocess.run([program, *device], capture_output=True, text=True, check=True).stdout
    return {name: float(took) for name, took in map(str.split, told.splitlines())}


def on_cpu():
    called = from_cpp()
    A = scipy.sparse.random_array((100, 100), density=0.05, format="csr", rng=1)
    x, y = np.ones(100), np.empty(100)
    for name, a in (("100 x 100, 500 entries", A), ("100 x 100, no entries", scipy.sparse.csr_array((100, 100)))):
        m = sparsmith.Matrix(a)
        print(f"{name}, microseconds a call")
        print(f"  SciPy's A @ x         {microseconds(lambda: a @ x):6.2f}")
        print(f"  M @ x                 {microseconds(lambda: m @ x):6.2f}")
        print(f"  M.T @ x               {microseconds(lambda: m.T @ x):6.2f}")
        print(f"  M.multiply(x, out=y)  {microseconds(lambda: m.multiply(x, out=y)):6.2f}")
        print(f"  the extension's call  {microseconds(lambda: m._held.multiply(1.0, x, 0.0, y)):6.2f}")
        print(f"  from C++              {called.get('entries' if a.nnz else 'none', float('nan')):6.2f}")


def nvmaths(a, x):
    """nvmath-python's planned product, or why there is none."""
    try:
        import nvmath
    except ImportError as problem:
        return str(problem)
    y = x[:1, None].repeat(a.shape[0], axis=0) * 0
    product = nvmath.sparse.Matmul(a, x[:, None], c=y, beta=0.0)
    product.plan()
    return product.execute


def on_gpu():
    import cupy
    import cupyx.scipy.sparse as sparse

    def queued(call, rounds=50, calls=200):
        call()
        least = float("inf")
        for _ in range(rounds):
            cupy.cuda.Device().synchronize()
            began = time.perf_counter()
            for _ in range(calls):
                call()
            least = min(least, time.perf_counter() - began)
        return least / calls * 1e6

    def on_the_gpu(call, rounds=20, calls=20):
        times = []
        for _ in range(rounds):
            call()
            began, ended = cupy.cuda.Event(), cupy.cuda.Event()
            began.record()
            for _ in range(calls):
                call()
            ended.record()
            ended.synchronize()
            times.append(cupy.cuda.get_elapsed_time(began, ended) / calls * 1e3)
        return sorted(times)[rounds // 2]

    def show(title, measure, a):
        x, y = cupy.ones(a.shape[1], a.dtype), cupy.empty(a.shape[0], a.dtype)
        m = sparsmith.Matrix(a)
        print(title)
        print(f"  CuPy's A @ x          {measure(lambda: a @ x):8.2f}")
        theirs = nvmaths(a, x)
        print(f"  nvmath's execute()    {theirs}" if isinstance(theirs, str) else f"  nvmath's execute()    {measure(theirs):8.2f}")
        print(f"  M @ x                 {measure(lambda: m @ x):8.2f}")
        print(f"  M.T @ x               {measure(lambda: m.T @ y):8.2f}")
        print(f"  M.multiply(x, out=y)  {measure(lambda: m.multiply(x, out=y)):8.2f}")
        return m, x, y

    small = sparse.csr_matrix(scipy.sparse.random_array((100, 100), density=0.05, format="csr", rng=1))
    show("100 x 100, 500 entries, microseconds to queue a call", queued, small)
    print(f"  from C++              {from_cpp('cuda').get('entries', float('nan')):8.2f}")
    n = 160
    line = scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))
    one = scipy.sparse.eye_array(n)
    laplacian = sum(scipy.sparse.kron(scipy.sparse.kron(*pair), last, format="csr")
                    for pair, last in (((line, one), one), ((one, line), one), ((one, one), line)))
    places = np.random.default_rng(1).integers(45100, size=(2, 14_440_000), dtype=np.int32)
    uniform = scipy.sparse.csr_matrix(scipy.sparse.coo_array((np.ones(places.shape[1]), (places[0], places[1])), shape=(45100, 45100)))
    for name, a in (("Laplacian 160^3", laplacian), ("uniform 45100^2", uniform)):
        for dtype in (np.float32, np.float64):
            given = sparse.csr_matrix(scipy.sparse.csr_matrix(a).astype(dtype))
            m, x, y = show(f"{name}, {np.dtype(dtype)}, warm microseconds on the GPU", on_the_gpu, given)
            said = sparsmith.recommend(given, mix=(1, 0), warm=True)
            best = said.convert(given)
            print(f"  {said.format}, recommended: {on_the_gpu(lambda: best.multiply(x, out=y)):8.2f}")


on_gpu() if sys.argv[1:] == ["cuda"] else on_cpu()
print("import, milliseconds")
for module in ("numpy", "sparsmith"):
    print(f"  {module:<21} {milliseconds_to_import(module):6.0f}")
