#!/usr/bin/env python3
"""Reading beside what Python's users have: python3 tests/bench/bench_readers.py SPCONV WORKDIR [--entries N] [--times N]

One random matrix in every kind of file; spconv's stage `read` beside the function that reads the same file in Python, the
least of several times each, in turns. Both end with the list of entries (COO in SciPy). Peers that are not installed are
left out visibly.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import time

import numpy as np
import scipy.io
import scipy.sparse as sparse


def read_stage(spconv, path):
    done = subprocess.run([spconv, str(path), "--to", "coo", "--json"], capture_output=True, text=True, check=True)
    return next(stage["seconds"] for stage in json.loads(done.stdout)["stages"] if stage["name"] == "read")


def seconds_of(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def graph_from_csv(pandas, path):
    table = pandas.read_csv(path, header=None)
    return sparse.coo_matrix((table[2], (table[0], table[1])))


def mat73(h5py, path):
    with h5py.File(path, "r") as file:
        group = file["A"]
        return sparse.csc_matrix((group["data"][:], group["ir"][:], group["jc"][:])).tocoo()


def files_of(matrix, folder):
    """Every kind of file with the matrix, and the function that reads it in Python."""
    scipy.io.hb_write(folder / "a.rua", matrix)
    yield "Harwell-Boeing", folder / "a.rua", "scipy.io.hb_read", lambda: scipy.io.hb_read(folder / "a.rua").tocoo()
    for compressed in (False, True):
        path = folder / f"a{compressed:d}.mat"
        scipy.io.savemat(path, {"A": matrix}, do_compression=compressed)
        yield f"MATLAB 5{', compressed' * compressed}", path, "scipy.io.loadmat", lambda path=path: scipy.io.loadmat(path)["A"].tocoo()
    scipy.io.mmwrite(folder / "a.mtx", matrix)
    yield "Matrix Market", folder / "a.mtx", "scipy.io.mmread", lambda: scipy.io.mmread(folder / "a.mtx")
    sparse.save_npz(folder / "a.npz", matrix, compressed=False)
    yield "npz", folder / "a.npz", "scipy.sparse.load_npz", lambda: sparse.load_npz(folder / "a.npz").tocoo()
    side = int(min(matrix.shape[0], 4000))
    np.save(folder / "a.npy", matrix[:side, :side].toarray())
    yield "npy, full", folder / "a.npy", "numpy.load, coo_array", lambda: sparse.coo_array(np.load(folder / "a.npy"))
    try:
        import pandas
    except ImportError:
        print("bench_readers: a list of edges SKIPPED, no pandas")
    else:
        entries = matrix.tocoo()
        pandas.DataFrame({"i": entries.row, "j": entries.col, "v": entries.data}).to_csv(folder / "a.csv", header=False, index=False)
        yield "edges (.csv)", folder / "a.csv", "pandas.read_csv", lambda: graph_from_csv(pandas, folder / "a.csv")
    try:
        import h5py
    except ImportError:
        print("bench_readers: MATLAB 7.3 SKIPPED, no h5py")
    else:
        path = folder / "a73.mat"
        with h5py.File(path, "w", userblock_size=512) as file:
            group = file.create_group("A")
            group.attrs["MATLAB_class"] = np.bytes_("double")
            group.attrs["MATLAB_sparse"] = np.uint64(matrix.shape[0])
            columns = matrix.tocsc()
            for name, array in (("jc", columns.indptr), ("ir", columns.indices), ("data", columns.data)):
                array = array if name == "data" else array.astype(np.uint64)
                group.create_dataset(name, data=array, chunks=(10000,), compression="gzip", compression_opts=3)
        with open(path, "r+b") as file:
            file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")
        yield "MATLAB 7.3", path, "h5py", lambda: mat73(h5py, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spconv")
    parser.add_argument("workdir", type=pathlib.Path)
    parser.add_argument("--entries", type=int, default=5_000_000)
    parser.add_argument("--times", type=int, default=3)
    options = parser.parse_args()
    options.workdir.mkdir(parents=True, exist_ok=True)
    size = max(10, options.entries // 10)
    random = np.random.default_rng(1)
    rows, cols = (random.integers(0, size, options.entries) for _ in range(2))
    matrix = sparse.coo_matrix((random.standard_normal(options.entries), (rows, cols)), shape=(size, size)).tocsc()
    print(f"{matrix.nnz:,} entries, {size:,} x {size:,}, SciPy {scipy.__version__}, the least of {options.times}")
    print(f"{'file':22} {'MB':>7} {'spconv ms':>10} {'peer ms':>10} {'ahead':>6}  peer")
    for name, path, peer, call in files_of(matrix, options.workdir):
        ours, theirs = [], []
        for _ in range(options.times):
            ours.append(read_stage(options.spconv, path))
            theirs.append(seconds_of(call))
        megabytes = path.stat().st_size / 1e6
        print(f"{name:22} {megabytes:7.1f} {min(ours) * 1e3:10.1f} {min(theirs) * 1e3:10.1f} {min(theirs) / min(ours):6.2f}  {peer}",
              flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
