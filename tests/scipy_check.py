#!/usr/bin/env python3
"""Compares spconv with SciPy: python3 tests/scipy_check.py SPCONV WORKDIR

SciPy writes matrices, spconv converts them, SciPy opens the result and compares it with its own conversion. With h5py
also the HDF5 files, the container through the very reader that docs/container.md prints. Exit 77: nothing to run with.
"""
import json
import os
import pathlib
import pickle
import re
import subprocess
import sys

try:
    import numpy as np
    import scipy
    import scipy.io
    import scipy.io.matlab
    import scipy.sparse as sparse
except ImportError as missing:
    print(f"scipy_check: SKIPPED, {missing}")
    sys.exit(77)
try:
    import h5py
except ImportError:
    h5py = None

DOCUMENT = pathlib.Path(__file__).resolve().parent.parent / "docs" / "container.md"


class Checker:
    def __init__(self, spconv, workdir):
        self.spconv = spconv
        self.workdir = pathlib.Path(workdir)
        self.workdir.mkdir(parents=True, exist_ok=True)
        self.checks = 0
        self.failures = []

    def check(self, what, good, detail=""):
        self.checks += 1
        if not good:
            self.failures.append(what)
            print(f"FAILED {what} {detail}".rstrip(), file=sys.stderr)
        return good

    def convert(self, source, target_format, target, *options):
        """Runs spconv; returns whether it ended well and left the file."""
        target = self.workdir / target
        target.unlink(missing_ok=True)
        command = [self.spconv, str(source), "--to", target_format, "-o", str(target), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        good = done.returncode == 0 and target.exists()
        self.check(" ".join(command), good, f"exit {done.returncode}: {done.stderr.strip()}")
        return target if good else None

    def refuses(self, source, part, target_format="csr", *options):
        """Runs spconv on a file it must refuse to convert, with a line that says why."""
        target = self.workdir / "refused.npz"
        target.unlink(missing_ok=True)
        command = [self.spconv, str(source), "--to", target_format, "-o", str(target), *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        good = done.returncode == 1 and part in done.stderr and not target.exists()
        self.check(f"refuses {source.name}", good, f"exit {done.returncode}: {done.stderr.strip()}")


def canonical(matrix, target_format):
    """SciPy's own conversion to the same format, sorted and without duplicates; zeros stay."""
    csr = sparse.coo_matrix(matrix).tocsr() if matrix.format != "bsr" else without_fill(matrix)
    csr.sum_duplicates()
    csr.sort_indices()
    result = csr.asformat(target_format)
    if target_format == "coo":
        result.sum_duplicates()
        order = np.lexsort((result.col, result.row))
        result = sparse.coo_matrix((result.data[order], (result.row[order], result.col[order])), shape=result.shape)
    else:
        result.sort_indices()
    return result


def without_fill(matrix):
    """The entries of a bsr matrix: every slot of its blocks that is not zero. Duplicate blocks stay apart."""
    height, width = matrix.blocksize
    block_rows = np.repeat(np.arange(matrix.shape[0] // height), np.diff(matrix.indptr))
    row = block_rows[:, None, None] * height + np.arange(height)[None, :, None]
    col = matrix.indices[:, None, None] * width + np.arange(width)[None, None, :]
    row, col = (np.broadcast_to(a, matrix.data.shape).ravel() for a in (row, col))
    data = matrix.data.ravel()
    keep = data != 0
    return sparse.coo_matrix((data[keep], (row[keep], col[keep])), shape=matrix.shape).tocsr()


def same(a, b):
    """Equal structure, and values equal to the last bit or, where duplicates were summed, nearly."""
    if a.format != b.format or a.shape != b.shape or a.nnz != b.nnz:
        return False
    keys = ("row", "col") if a.format == "coo" else ("indptr", "indices")
    if any(not np.array_equal(getattr(a, key), getattr(b, key)) for key in keys):
        return False
    wide = np.complex128 if "c" in (a.data.dtype.kind, b.data.dtype.kind) else np.float64
    left, right = (np.asarray(m.data, dtype=wide) for m in (a, b))
    tolerance = 1e-6 if {a.data.dtype, b.data.dtype} & {np.dtype(np.float32), np.dtype(np.complex64)} else 1e-12
    return bool(np.allclose(left, right, rtol=tolerance, atol=1e-13, equal_nan=True))


def random_coo(rng, rows, cols, entries, dtype, duplicates):
    if rows == 0 or cols == 0:
        entries = 0
    row = rng.integers(0, max(rows, 1), entries, dtype=np.int32)
    col = rng.integers(0, max(cols, 1), entries, dtype=np.int32)
    if not duplicates:
        cells = np.unique(row.astype(np.int64) * max(cols, 1) + col)
        rng.shuffle(cells)
        row, col = (cells // max(cols, 1)).astype(np.int32), (cells % max(cols, 1)).astype(np.int32)
    if np.dtype(dtype) == np.bool_:
        data = np.ones(len(row), dtype=dtype)
    elif np.issubdtype(dtype, np.integer):
        data = rng.integers(0, 20, len(row)).astype(dtype)
    else:
        data = rng.standard_normal(len(row)).astype(dtype)
    return sparse.coo_matrix((data, (row, col)), shape=(rows, cols))


def unsorted_csr(rng):
    """A csr with falling columns and duplicates inside its rows, which SciPy allows."""
    indptr = np.array([0, 4, 4, 7, 9])
    indices = np.array([5, 2, 2, 0, 3, 3, 1, 4, 0])
    return sparse.csr_matrix((rng.standard_normal(9), indices, indptr), shape=(4, 6))


def with_int64_indices(matrix):
    matrix = matrix.copy()
    for key in ("indptr", "indices", "row", "col"):
        if isinstance(getattr(matrix, key, None), np.ndarray):
            try:
                setattr(matrix, key, getattr(matrix, key).astype(np.int64))
            except AttributeError:
                pass
    return matrix


def diagonal_battery(rng):
    """SciPy's dia: what lies outside the matrix is there but means nothing, and rows of data are of any length."""
    for rows, cols in ((6, 6), (4, 9), (9, 4)):
        for length in (3, 9, 12):
            offsets = rng.permutation(np.arange(1 - rows - 2, cols + 2))[:7]
            data = rng.integers(-2, 3, (7, length)).astype(np.float64)
            yield f"dia_{rows}x{cols}_{length}", sparse.dia_matrix((data, offsets), shape=(rows, cols))
    yield "dia_float32", sparse.dia_matrix(random_coo(rng, 8, 12, 25, np.float32, False))
    yield "dia_integers", sparse.diags(np.arange(1, 9), format="dia")
    yield "dia_empty", sparse.dia_matrix((5, 3))
    if hasattr(sparse, "dia_array"):
        yield "dia_array", sparse.dia_array(random_coo(rng, 11, 13, 40, np.float64, False))


def battery(rng):
    """Yields (name, matrix) for every layout SciPy can save."""
    shapes = [(0, 0, 0), (1, 1, 1), (5, 9, 12), (40, 7, 60), (3, 1000, 50), (0, 4, 0), (64, 64, 700), (6, 6, 0)]
    for rows, cols, entries in shapes:
        for duplicates in (False, True):
            coo = random_coo(rng, rows, cols, entries, np.float64, duplicates)
            tag = f"{rows}x{cols}{'_duplicates' if duplicates else ''}"
            yield f"coo_{tag}", coo
            yield f"csr_{tag}", coo.tocsr()
            yield f"csc_{tag}", coo.tocsc()
    for dtype in (np.float32, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.bool_):
        for target in ("csr", "coo"):
            matrix = random_coo(rng, 17, 23, 90, dtype, False).asformat(target)
            yield f"{target}_{np.dtype(dtype).name}", matrix
    for block in ((1, 1), (2, 3), (4, 2)):
        matrix = random_coo(rng, 8, 12, 25, np.float64, False).tobsr(blocksize=block)
        yield f"bsr_{block[0]}x{block[1]}", matrix
    yield "bsr_float32", random_coo(rng, 8, 12, 25, np.float32, False).tobsr(blocksize=(2, 2))
    yield "bsr_empty", sparse.bsr_matrix((6, 9), blocksize=(2, 3))
    yield from diagonal_battery(rng)
    yield "csr_unsorted", unsorted_csr(rng)
    yield "csr_int64", with_int64_indices(random_coo(rng, 20, 30, 80, np.float64, False).tocsr())
    stored_zero = sparse.csr_matrix((np.array([0.0, -0.0, 3.0]), [1, 0, 2], [0, 1, 2, 3]), shape=(3, 3))
    yield "csr_stored_zeros", stored_zero
    if hasattr(sparse, "csr_array"):
        yield "csr_array", sparse.csr_array(random_coo(rng, 11, 13, 40, np.float64, False).tocsr())
        yield "coo_array", sparse.coo_array(random_coo(rng, 11, 13, 40, np.float64, False))


def check_npz(checker, rng):
    for number, (name, matrix) in enumerate(battery(rng)):
        source = checker.workdir / f"{name}.npz"
        sparse.save_npz(source, matrix, compressed=number % 2 == 0)
        for target_format in ("csr", "csc", "coo"):
            target = checker.convert(source, target_format, f"{name}_to_{target_format}.npz")
            if target is None:
                continue
            result = sparse.load_npz(target)
            expected = canonical(sparse.load_npz(source), target_format)
            checker.check(f"{name} to {target_format} is what SciPy gives", same(result, expected))


def check_diagonals(checker, rng):
    """What spconv writes as dia is the same matrix to SciPy, its products included."""
    cases = list(diagonal_battery(rng))
    cases += [(f"random_{rows}x{cols}", random_coo(rng, rows, cols, 40, np.float64, False))
              for rows, cols in ((7, 7), (5, 40), (40, 5), (1, 9), (9, 1), (0, 3))]
    for name, matrix in cases:
        source = checker.workdir / f"diagonals_{name}.npz"
        sparse.save_npz(source, matrix)
        target = checker.convert(source, "dia", f"diagonals_{name}_written.npz", "--diagonals", "all", "--max-fill", "1e9")
        if target is None:
            continue
        result = sparse.load_npz(target)
        expected = canonical(sparse.load_npz(source), "csr")
        expected.eliminate_zeros()
        rising = bool(np.all(np.diff(result.offsets) > 0))
        checker.check(f"{target.name} is a dia", result.format == "dia" and result.shape == matrix.shape and rising)
        checker.check(f"{target.name} is the same matrix to SciPy", same(canonical(result, "csr"), expected))
        x = rng.integers(-9, 10, matrix.shape[1]).astype(np.float64)
        checker.check(f"{target.name} gives the same product", np.allclose(result @ x, expected @ x, rtol=1e-5))


def check_refusals(checker, rng):
    matrix = random_coo(rng, 4, 5, 8, np.float64, False).tocsr()
    complex_file = checker.workdir / "complex.npz"
    sparse.save_npz(complex_file, matrix.astype(np.complex128))
    checker.refuses(complex_file, "would lose their imaginary parts", "csr", "--value", "f64")
    longer = checker.workdir / "longer.npz"
    np.savez(longer, format=np.bytes_("coo"), shape=np.array([2, 2]), row=np.array([0]), col=np.array([0]), data=np.ones(1, np.clongdouble))
    checker.refuses(longer, "complex256")
    spread = checker.workdir / "spread.npz"
    sparse.save_npz(spread, matrix)
    checker.refuses(spread, "--diagonals", "dia", "--max-fill", "99")
    unknown = checker.workdir / "unknown.npz"
    np.savez(unknown, format=np.bytes_("lil"), shape=np.array([2, 2]), data=np.ones(2))
    checker.refuses(unknown, "'lil' is not supported")
    plain = checker.workdir / "plain.npz"
    np.savez(plain, x=np.arange(3))
    checker.refuses(plain, "format")
    good = checker.workdir / "good.npz"
    sparse.save_npz(good, matrix)
    cut = checker.workdir / "cut.npz"
    cut.write_bytes(good.read_bytes()[:-30])
    checker.refuses(cut, "cut.npz")


def dense_battery(rng):
    """Yields (name, array) for what numpy.save writes of matrices: types, both orders in memory and of bytes, odd shapes."""
    full = rng.integers(-3, 4, (9, 14)) * rng.standard_normal((9, 14))
    for dtype in (np.bool_, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.float32, np.float64):
        for byte_order in "<>":
            array = (np.abs(full) * 3 if np.dtype(dtype).kind == "u" else full * 3).astype(np.dtype(dtype).newbyteorder(byte_order))
            tag = f"{np.dtype(dtype).name}_{'big' if byte_order == '>' else 'little'}"
            yield tag, array
            yield f"{tag}_fortran", np.asfortranarray(array)
    for shape in ((0, 0), (0, 7), (7, 0), (1, 1), (1, 9), (9, 1), (300, 700)):
        yield f"{shape[0]}x{shape[1]}", rng.integers(0, 2, shape) * rng.standard_normal(shape)
    yield "odd_values", np.array([[np.nan, 0, -0.0], [np.inf, -np.inf, 5e-324]])
    yield "slice", full[::2, ::-3]


def check_dense(checker, rng):
    for name, array in dense_battery(rng):
        source = checker.workdir / f"dense_{name}.npy"
        np.save(source, array)
        target = checker.convert(source, "csr", f"dense_{name}_written.npz")
        if target is not None:
            expected = sparse.csr_matrix(np.load(source).astype(np.float64))
            expected.sort_indices()
            checker.check(f"{source.name} is what NumPy loads", same(sparse.load_npz(target), expected))
    for name, array, part in (("vector", np.ones(5), "a vector of 5 elements"), ("cube", np.ones((2, 3, 4)), "2 x 3 x 4"),
                              ("number", np.array(1.0), "a single number"), ("half", np.ones((2, 2), np.float16), "float16"),
                              ("complex", np.ones((2, 2), np.clongdouble), "complex256"), ("text", np.array([["a"]]), "str"),
                              ("fields", np.zeros((2, 2), [("a", "<f8")]), "structured"),
                              ("object", np.array(sparse.eye(3)), "scipy.sparse.save_npz")):  # fmt: skip
        source = checker.workdir / f"dense_{name}.npy"
        np.save(source, array)
        checker.refuses(source, part)
    pickled = checker.workdir / "matrix.pkl"
    pickled.write_bytes(pickle.dumps(sparse.eye(3, format="csr")))
    checker.refuses(pickled, "a Python pickle")


def check_matrix_market(checker, rng):
    symmetric = random_coo(rng, 12, 12, 30, np.float64, False)
    symmetric = (symmetric + symmetric.T).tocoo()
    cases = [
        ("general", random_coo(rng, 9, 14, 40, np.float64, False), {}),
        ("integer", random_coo(rng, 9, 14, 40, np.int64, False), {}),
        ("symmetric", symmetric, {"symmetry": "symmetric"}),
        ("empty", sparse.coo_matrix((3, 2)), {}),
    ]
    for name, matrix, options in cases:
        source = checker.workdir / f"market_{name}.mtx"
        # All 17 digits, so that the comparison below may be as strict as for binary files.
        scipy.io.mmwrite(str(source), matrix, precision=17, **options)
        target = checker.convert(source, "csr", f"market_{name}.npz")
        if target is None:
            continue
        expected = canonical(sparse.coo_matrix(scipy.io.mmread(str(source))), "csr")
        checker.check(f"{source.name} is what SciPy reads", same(sparse.load_npz(target), expected))


def check_written_matrix_market(checker, rng):
    """What spconv writes is the same matrix to SciPy, of the kind its source was."""
    lower = sparse.tril(random_coo(rng, 15, 15, 60, np.int64, False), k=-1).tocoo()
    real = sparse.coo_matrix((rng.standard_normal(lower.nnz), (lower.row, lower.col)), shape=lower.shape)
    diagonal = sparse.diags(np.arange(1, 16)).tocoo()
    cases = [
        ("real general", random_coo(rng, 9, 14, 40, np.float64, False)),
        ("integer general", random_coo(rng, 9, 14, 40, np.int64, False) * 1000003),
        ("real symmetric", real + real.T + diagonal),
        ("integer symmetric", (lower + lower.T + diagonal).astype(np.int64)),
        ("real skew-symmetric", real - real.T),
        ("integer skew-symmetric", lower - lower.T),
        ("pattern general", sparse.coo_matrix((np.ones(3), ([0, 1, 1], [2, 0, 1])), shape=(2, 3))),
        ("pattern symmetric", ((lower + lower.T) != 0).astype(np.float64)),
    ]
    for kind, matrix in cases:
        field, symmetry = kind.split()
        tag = kind.replace(" ", "_")
        source = checker.workdir / f"kind_{tag}.mtx"
        scipy.io.mmwrite(str(source), sparse.coo_matrix(matrix), precision=17, field=field, symmetry=symmetry)
        expected = canonical(sparse.coo_matrix(scipy.io.mmread(str(source))), "csr")
        for extension in (".mtx", ".mtx.gz"):
            target = checker.convert(source, "csr", f"kind_{tag}_written{extension}")
            if target is None:
                continue
            rows, cols, entries, _, found_field, found_symmetry = scipy.io.mminfo(str(target))
            checker.check(f"{target.name} is {kind}", (found_field, found_symmetry) == (field, symmetry),
                          f"but {found_field} {found_symmetry}")
            result = canonical(sparse.coo_matrix(scipy.io.mmread(str(target))), "csr")
            checker.check(f"{target.name} is the same matrix to SciPy", same(result, expected))
    # Integers of SciPy's own files are integers in text too.
    source = checker.workdir / "kind_counts.npz"
    sparse.save_npz(source, random_coo(rng, 9, 14, 40, np.uint16, False).tocsr())
    target = checker.convert(source, "csr", "kind_counts.mtx")
    if target is not None:
        checker.check("kind_counts.mtx is integer", scipy.io.mminfo(str(target))[4] == "integer")
        result = canonical(sparse.coo_matrix(scipy.io.mmread(str(target))), "csr")
        checker.check("kind_counts.mtx is the same matrix to SciPy", same(result, canonical(sparse.load_npz(source), "csr")))


def read_fixed_columns(path):
    """A Rutherford-Boeing or Harwell-Boeing file, read as plainly as can be: the matrix with its mirrored half."""
    lines = path.read_text(encoding="latin-1").splitlines()
    cards = [int(word) for word in lines[1].split()]
    kind, (rows, cols, entries) = lines[2][:3].lower(), map(int, lines[2][3:].split()[:3])
    formats = re.findall(r"\((?:\d+P,?)?(\d*)[IEDFG](\d+)", lines[3].upper())
    at = 4 + (len(cards) > 4 and cards[4] > 0)

    def section(number, count, convert):
        nonlocal at
        per_line, width = int(formats[number][0] or 1), int(formats[number][1])
        taken, at = lines[at : at + cards[1 + number]], at + cards[1 + number]
        fields = [line.ljust(per_line * width)[i * width : (i + 1) * width] for line in taken for i in range(per_line)]
        return np.array([convert(field) for field in fields[:count]])

    def real(field):
        return float(re.sub(r"(?<=[0-9.])([+-])", r"e\1", field.strip().upper().replace("D", "E").replace("E ", "E+")).replace("Ee", "e"))

    indptr, indices = section(0, cols + 1, int) - 1, section(1, entries, int).astype(int) - 1
    data = np.ones(entries) if kind[0] == "p" else section(2, entries, real)
    stored = sparse.csc_matrix((data.astype(float), indices, indptr), shape=(rows, cols)).tocoo()
    if kind[1] not in "sz":
        return stored
    off = stored.row != stored.col
    mirrored = sparse.coo_matrix((stored.data[off] * (-1 if kind[1] == "z" else 1), (stored.col[off], stored.row[off])),
                                 shape=(rows, cols))  # fmt: skip
    return (stored + mirrored).tocoo()


def check_rutherford_boeing(checker, rng):
    """What SciPy writes, and real files where there is a collection of them."""
    for rows, cols, entries in ((1, 1, 1), (9, 14, 40), (40, 7, 200), (300, 300, 5000)):
        for dtype in (np.float64, np.int64):
            matrix = random_coo(rng, rows, cols, entries, dtype, False).tocsc()
            source = checker.workdir / f"written_{rows}x{cols}_{np.dtype(dtype).name}.rb"
            scipy.io.hb_write(str(source), matrix)
            target = checker.convert(source, "csc", source.stem + ".npz")
            if target is not None:
                expected = canonical(scipy.io.hb_read(str(source)).tocsc(), "csc")
                checker.check(f"{source.name} is what SciPy reads", same(sparse.load_npz(target), expected))
    folder = pathlib.Path(os.environ.get("SPARSMITH_MATRICES", "/nonexistent")) / "native"
    real = [path for path in sorted(folder.glob("*")) if re.fullmatch(r"\.(rb|[rip][suhzr]a)", path.suffix)]
    if not real:
        print("scipy_check: real Rutherford-Boeing files SKIPPED, SPARSMITH_MATRICES names no collection with them")
    for source in real:
        target = checker.convert(source, "csr", f"native_{source.name}.npz")
        if target is not None:
            expected = canonical(read_fixed_columns(source), "csr")
            checker.check(f"{source.name} is what a plain reader reads", same(sparse.load_npz(target), expected))


def check_edges(checker, rng):
    """Lists of edges as NumPy writes them, and a real .smat where there is a collection."""
    for base in (0, 1):
        for separator, suffix in ((" ", ".txt"), ("\t", ".tsv"), (",", ".csv"), (" ; ", ".edges")):
            for weighted in (False, True):
                matrix = random_coo(rng, 50, 50, 400, np.float64, True)
                matrix.row[0], matrix.col[1] = 0, 49  # so that both ends are there
                columns = [matrix.row + base, matrix.col + base] + ([matrix.data] if weighted else [])
                source = checker.workdir / f"edges_{base}_{weighted}{suffix}"
                np.savetxt(source, np.column_stack(columns), delimiter=separator, header="from to",
                           fmt=["%d", "%d", "%.17g"][: len(columns)])  # fmt: skip
                target = checker.convert(source, "csr", f"edges_{base}_{weighted}_{suffix[1:]}.npz")
                if target is not None:
                    data = matrix.data if weighted else np.ones(matrix.nnz)
                    expected = canonical(sparse.coo_matrix((data, (matrix.row, matrix.col)), shape=(50, 50)), "csr")
                    checker.check(f"{source.name} is what was written", same(sparse.load_npz(target), expected))
    for dtype, mark in ((np.int32, ">i4"), (np.int64, ">i8")):
        matrix = random_coo(rng, 31, 17, 90, np.float64, False).tocsr()
        parts = [np.array([1211216, *matrix.shape, matrix.nnz]), np.diff(matrix.indptr), matrix.indices]
        source = checker.workdir / f"petsc_{np.dtype(dtype).name}.dat"
        source.write_bytes(b"".join(part.astype(mark).tobytes() for part in parts) + matrix.data.astype(">f8").tobytes())
        target = checker.convert(source, "csr", source.stem + ".npz")
        if target is not None:
            checker.check(f"{source.name} is what was written", same(sparse.load_npz(target), canonical(matrix, "csr")))
    source = pathlib.Path(os.environ.get("SPARSMITH_MATRICES", "/nonexistent")) / "native" / "4elt.graph"
    if source.exists():
        lists = [line.split() for line in source.read_text().splitlines() if not line.startswith("%")]
        rows = np.repeat(np.arange(len(lists) - 1), [len(line) for line in lists[1:]])
        cols = np.array([int(word) - 1 for line in lists[1:] for word in line])
        target = checker.convert(source, "csr", "native_metis.npz")
        if target is not None:
            expected = canonical(sparse.coo_matrix((np.ones(len(rows)), (rows, cols)), shape=(len(lists) - 1,) * 2), "csr")
            checker.check("4elt.graph is what is written there", same(sparse.load_npz(target), expected))
    source = pathlib.Path(os.environ.get("SPARSMITH_MATRICES", "/nonexistent")) / "native" / "email.smat"
    if not source.exists():
        print("scipy_check: a real .smat SKIPPED, SPARSMITH_MATRICES names no collection with it")
        return
    target = checker.convert(source, "csr", "native_smat.npz")
    if target is not None:
        rows, cols, _ = (int(word) for word in source.read_text().split("\n", 1)[0].split())
        row, col, data = np.loadtxt(source, skiprows=1, unpack=True)
        expected = canonical(sparse.coo_matrix((data, (row.astype(int), col.astype(int))), shape=(rows, cols)), "csr")
        checker.check("email.smat is what NumPy reads", same(sparse.load_npz(target), expected))
    source = source.with_name("bibd_12_5.sms")
    target = checker.convert(source, "csr", "native_sms.npz")
    if target is not None:
        lines = [line.split() for line in source.read_text().splitlines()]
        row, col, data = np.array(lines[1:-1], dtype=int).T
        shape = (int(lines[0][0]), int(lines[0][1]))
        expected = canonical(sparse.coo_matrix((data, (row - 1, col - 1)), shape=shape), "csr").astype(float)
        checker.check("bibd_12_5.sms is what NumPy reads", same(sparse.load_npz(target), expected))


def matlab_matrices(value, path):
    """The matrices in what loadmat gives, by the names that --variable takes: sparse ones and full ones of numbers."""
    if sparse.issparse(value):
        yield path, value.tocsc().astype(value.dtype.newbyteorder("="))
    elif isinstance(value, (scipy.io.matlab.MatlabObject, scipy.io.matlab.MatlabFunction, scipy.io.matlab.MatlabOpaque)):
        return
    elif isinstance(value, np.ndarray) and value.dtype.names and value.size == 1:
        for field in value.dtype.names:
            yield from matlab_matrices(value.flat[0][field], f"{path}.{field}")
    elif isinstance(value, np.ndarray) and value.ndim == 2 and value.dtype.kind in "buifc":
        yield path, sparse.coo_matrix(value.astype(value.dtype.newbyteorder("=")))


def check_matlab_file(checker, source):
    """Every matrix of a file is what SciPy reads; returns how many there are."""
    found = 0
    for name, value in scipy.io.loadmat(str(source)).items():
        for path, matrix in () if name.startswith("__") else matlab_matrices(value, name):
            found += 1
            target = checker.convert(source, "csr", f"matlab_{source.stem}_{path}.npz", "--variable", path)
            if target is None:
                continue
            result = sparse.load_npz(target)
            checker.check(f"{path} of {source.name} is what SciPy reads", same(result, canonical(matrix.tocoo(), "csr")))
            single = matrix.dtype in (np.float32, np.complex64)
            checker.check(f"{path} of {source.name} is as wide", (result.dtype in (np.float32, np.complex64)) == single)
    return found


def check_matlab(checker, rng):
    """What SciPy writes, MATLAB's own files that SciPy is tested with, and real ones where there is a collection."""
    matrix = random_coo(rng, 40, 60, 500, np.float64, False).tocsc()
    twice = sparse.csc_matrix((np.arange(1.0, 5.0), np.array([1, 1, 0, 2]), np.array([0, 3, 4])), shape=(3, 2))
    twice.indices[:3] = [0, 1, 1]  # SciPy leaves what is there twice as it is
    cases = {"empty": sparse.csc_matrix((0, 7)), "hollow": sparse.csc_matrix((5, 0)), "wide": matrix, "twice": twice,
             "zeros": sparse.csc_matrix((np.array([0.0, -0.0, 3.0]), [1, 0, 2], [0, 1, 2, 3]), shape=(3, 3))}
    for dtype in (np.float32, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.bool_):
        cases[np.dtype(dtype).name] = random_coo(rng, 17, 23, 90, dtype, False).tocsc()
        cases["full_" + np.dtype(dtype).name] = random_coo(rng, 7, 5, 20, dtype, False).toarray()
    for dtype in (np.complex64, np.complex128):
        cases[np.dtype(dtype).name] = (matrix * (1 + 2j)).astype(dtype)
        cases["full_" + np.dtype(dtype).name] = (matrix * (1 + 2j)).astype(dtype).toarray()
    cases["row"], cases["scalar"], cases["nothing"] = np.arange(9.0)[None, :], np.array([[7]]), np.zeros((0, 3))
    problem = {"name": "Group/name", "b": np.ones((40, 1)), "A": matrix, "Zeros": matrix.copy(), "id": 7,
               "notes": np.array(["a", "bc"]), "aux": {"c": np.arange(60.0), "cells": np.array([1, "x"], dtype=object)}}
    for compressed in (False, True):
        tag = "packed" if compressed else "plain"
        source = checker.workdir / f"all_{tag}.mat"
        scipy.io.savemat(str(source), {**cases, "Problem": problem}, do_compression=compressed)
        count = check_matlab_file(checker, source)
        checker.check(f"{source.name}: all are found", count == len(cases) + 5, f"{count} matrices")
        for name, content, chosen in (
            ("suitesparse", {"first": cases["int8"], "Problem": problem}, matrix),
            ("only", {"x": 3.5, "s": {"deep": {"M": cases["float32"]}}, "full": np.ones((3, 4)), "t": "text"}, cases["float32"]),
            ("full", {"x": 3.5, "none": np.zeros((0, 0)), "full": cases["full_uint16"], "t": "text"}, cases["full_uint16"]),
        ):
            source = checker.workdir / f"{name}_{tag}.mat"
            scipy.io.savemat(str(source), content, do_compression=compressed)
            target = checker.convert(source, "csr", f"{name}_{tag}.npz")
            if target is not None:
                expected = canonical(sparse.coo_matrix(chosen), "csr")
                checker.check(f"{source.name}: the one that is meant", same(sparse.load_npz(target), expected))
        source = checker.workdir / f"several_{tag}.mat"
        scipy.io.savemat(str(source), {"P": cases["int8"], "Q": np.ones((2, 2)), "R": {"S": matrix}}, do_compression=compressed)
        checker.refuses(source, "--variable: P (sparse 17 x 23), R.S (sparse 40 x 60)")
    # What GNU Octave 7.3 saved, of the same matrix.
    octave = pathlib.Path(__file__).resolve().parent / "data" / "octave"
    for level in ("v6", "v7"):
        source = octave / f"sparse_{level}.mat"
        target = checker.convert(source, "csr", f"octave_{level}.npz")
        if target is not None:
            expected = canonical(sparse.coo_matrix(scipy.io.loadmat(source)["A"]), "csr")
            checker.check(f"{source.name} is what SciPy reads", expected.nnz == 5 and same(sparse.load_npz(target), expected))
    checker.refuses(octave / "logical_v7.mat", "L has 2 values instead of 4 (2 x 2); of a sparse logical matrix GNU Octave saves no more")
    checker.refuses(octave / "sparse_text.mat", "text of GNU Octave (save -v7 saves a matrix that is read)")
    checker.refuses(octave / "sparse_binary.mat", "binary data of GNU Octave (save -v7 saves a matrix that is read)")
    checker.refuses(octave / "sparse_hdf5.mat", "is HDF5 of GNU Octave, which is not supported; save it with -v7")
    source = checker.workdir / "level_4.mat"
    scipy.io.savemat(str(source), {"A": matrix}, format="4")
    checker.refuses(source, "MATLAB 4 file")

    data = pathlib.Path(scipy.io.matlab.__file__).parent / "tests" / "data"
    # What SciPy says of them is a warning, or what it makes of names that are no text.
    passed_over = ("bad_miuint32", "bad_miutf8_array_name", "corrupted", "malformed1", "broken_utf8", "nasty_duplicate", "hdf5")
    real = [path for path in sorted(data.glob("*.mat")) if not path.name.startswith(passed_over) and "hdf5" not in path.name]
    if not real:
        print("scipy_check: MATLAB's own files SKIPPED, SciPy was installed without its tests")
    found = 0
    for source in real:
        start = source.read_bytes()[:128]
        if start[126:128] in (b"IM", b"MI"):
            found += check_matlab_file(checker, source)
        else:
            checker.refuses(source, "MATLAB 4 file")
    checker.check("MATLAB's own files have matrices", found > 40 or not real, f"{found}")
    if (data / "corrupted_zlib_data.mat").exists():
        checker.refuses(data / "corrupted_zlib_data.mat", "a compressed variable is damaged")
    source = pathlib.Path(os.environ.get("SPARSMITH_MATRICES", "/nonexistent")) / "native" / "lp_fit2d.mat"
    if not source.exists():
        print("scipy_check: a real .mat SKIPPED, SPARSMITH_MATRICES names no collection with it")
        return
    check_matlab_file(checker, source)
    target = checker.convert(source, "csc", "native_mat.npz")
    if target is not None:
        expected = canonical(scipy.io.loadmat(str(source))["Problem"]["A"][0, 0], "csc")
        checker.check("lp_fit2d.mat is what SciPy reads", same(sparse.load_npz(target), expected))


def documented_reader():
    """The reader printed in docs/container.md, as a function."""
    code = re.search(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL).group(1)
    scope = {}
    exec(compile(code, str(DOCUMENT), "exec"), scope)
    return scope["read_csr"]


def check_hdf5(checker, rng):
    read_csr = documented_reader()
    cases = [
        ("double", random_coo(rng, 15, 22, 70, np.float64, False).tocsr()),
        ("single", random_coo(rng, 15, 22, 70, np.float32, False).tocsr()),
        ("empty", sparse.csr_matrix((0, 0))),
        ("no_entries", sparse.csr_matrix((4, 3))),
    ]
    for name, matrix in cases:
        source = checker.workdir / f"hdf5_{name}.npz"
        sparse.save_npz(source, matrix)
        expected = canonical(matrix, "csr")

        target = checker.convert(source, "csr", f"{name}.bsp.h5")
        if target is not None:
            with h5py.File(target, "r") as file:
                description = json.loads(file.attrs["binsparse"])["binsparse"]
                checker.check(f"{target.name}: version", description["version"] == "0.1")
                checker.check(f"{target.name}: format", description["format"] == "CSR")
                checker.check(f"{target.name}: shape", tuple(description["shape"]) == matrix.shape)
                checker.check(f"{target.name}: count", description["number_of_stored_values"] == expected.nnz)
                for array, declared in description["data_types"].items():
                    checker.check(f"{target.name}: type of {array}", file[array].dtype == np.dtype(declared))
                result = sparse.csr_matrix((file["values"][:], file["indices_1"][:], file["pointers_to_1"][:]),
                                           shape=description["shape"])
            checker.check(f"{target.name}: matrix", same(result, expected))
            back = checker.convert(target, "csr", f"{name}_back.npz")
            if back is not None:
                checker.check(f"{target.name}: and back", same(sparse.load_npz(back), expected))

        target = checker.convert(source, "csr", f"{name}.h5")
        if target is not None:
            try:
                checker.check(f"{target.name}: documented reader", same(read_csr(target), expected))
            except (ValueError, KeyError) as wrong:
                checker.check(f"{target.name}: documented reader", False, str(wrong))
            back = checker.convert(target, "csr", f"{name}_container_back.npz")
            if back is not None:
                checker.check(f"{target.name}: and back", same(sparse.load_npz(back), expected))

    # Binsparse as its Python reference writes it: not nested, unsigned indices, in a group.
    foreign = checker.workdir / "foreign.bsp.h5"
    matrix = canonical(random_coo(rng, 9, 8, 20, np.float64, False), "csr")
    with h5py.File(foreign, "w") as file:
        group = file.create_group("matrix")
        group.create_dataset("pointers_to_1", data=matrix.indptr.astype(np.uint64))
        group.create_dataset("indices_1", data=matrix.indices.astype(np.uint64), compression="gzip")
        group.create_dataset("values", data=matrix.data)
        group.attrs["binsparse"] = json.dumps({
            "version": "0.1", "format": "CSR", "shape": list(matrix.shape), "number_of_stored_values": matrix.nnz,
            "data_types": {"pointers_to_1": "uint64", "indices_1": "uint64", "values": "float64"}})
    target = checker.convert(foreign, "csr", "foreign.npz")
    if target is not None:
        checker.check("foreign.bsp.h5: matrix", same(sparse.load_npz(target), matrix))


def mat73(name):
    """The sparse matrix of that place in a MATLAB 7.3 file, as h5py sees it."""
    path, _, variable = str(name).partition(":")
    with h5py.File(path, "r") as file:
        group = file[variable]
        data, ir = (group[key][:] if key in group else np.zeros(0) for key in ("data", "ir"))
        return sparse.csc_matrix((data, ir.astype(np.int64), group["jc"][:].astype(np.int64)),
                                 shape=(int(group.attrs["MATLAB_sparse"]), group["jc"].size - 1))


def check_groups_of_hdf5(checker, rng):
    """AnnData, as its own package writes it, and MATLAB's 7.3."""
    matrix = random_coo(rng, 31, 17, 90, np.float32, False).tocsr()
    source = checker.workdir / "cells.h5ad"
    for name, written, encoding in [("csr", matrix, "csr_matrix"), ("csc", matrix.tocsc(), "csc_matrix")]:
        with h5py.File(source, "w") as file:
            file.attrs["encoding-type"] = "anndata"
            for place in ("X", "layers/counts"):
                group = file.create_group(place)
                group.attrs["encoding-type"] = encoding
                group.attrs["shape"] = np.array(matrix.shape)
                for key in ("data", "indices", "indptr"):
                    values = getattr(written, key) * (2 if place != "X" and key == "data" else 1)
                    group.create_dataset(key, data=values, compression="gzip")
        for variable, times in ((), 1), (("--variable", "layers/counts"), 2):
            target = checker.convert(source, "csr", f"cells_{name}.npz", *variable)
            if target is not None:
                checker.check(f"AnnData {name} {variable}", same(sparse.load_npz(target), canonical(matrix * times, "csr")))
    with h5py.File(source, "w") as file:
        file.attrs["encoding-type"] = "anndata"
        file.create_dataset("X", data=matrix.toarray(), chunks=(4, 5), compression="gzip")
    target = checker.convert(source, "csr", "cells_full.npz")
    if target is not None:
        expected = canonical(sparse.csr_matrix(matrix.toarray()), "csr")
        checker.check("AnnData full", same(sparse.load_npz(target), expected))

    source = checker.workdir / "by_hand.mat"
    with h5py.File(source, "w", userblock_size=512) as file:
        group = file.create_group("A")
        group.attrs["MATLAB_class"] = np.bytes_("double")
        group.attrs["MATLAB_sparse"] = np.uint64(matrix.shape[0])
        columns = matrix.tocsc()
        columns.sort_indices()
        group.create_dataset("jc", data=columns.indptr.astype(np.uint64))
        group.create_dataset("ir", data=columns.indices.astype(np.uint64), chunks=(7,), compression="gzip")
        group.create_dataset("data", data=columns.data.astype(np.float64))
    with open(source, "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")
    cases = [(source, "A")]
    real = pathlib.Path(os.environ.get("SPARSMITH_MATRICES", "/none")) / "native" / "soc-sign-bitcoin-alpha.mat"
    if real.exists():
        cases += [(real, "Problem.A"), (real, "Problem.aux.Time")]
    for path, variable in cases:
        expected = mat73(f"{path}:{variable.replace('.', '/')}")
        for option in [("--variable", variable)] + ([()] if variable in ("A", "Problem.A") else []):
            target = checker.convert(path, "csc", f"{path.stem}_{variable}.npz", *option)
            if target is not None:
                checker.check(f"MATLAB 7.3 {path.name} {variable}", same(sparse.load_npz(target), canonical(expected, "csc")))


def main():
    if len(sys.argv) != 3:
        print(__doc__.splitlines()[0], file=sys.stderr)
        return 2
    checker = Checker(sys.argv[1], sys.argv[2])
    rng = np.random.default_rng(1)
    check_npz(checker, rng)
    check_diagonals(checker, rng)
    check_refusals(checker, rng)
    check_dense(checker, rng)
    check_matrix_market(checker, rng)
    check_written_matrix_market(checker, rng)
    check_rutherford_boeing(checker, rng)
    check_edges(checker, rng)
    check_matlab(checker, rng)
    if h5py is None:
        print("scipy_check: HDF5 files SKIPPED, no h5py")
    else:
        check_hdf5(checker, rng)
        check_groups_of_hdf5(checker, rng)
    print(f"scipy_check: SciPy {scipy.__version__}, {checker.checks} checks, {len(checker.failures)} failed")
    return 1 if checker.failures else 0


if __name__ == "__main__":
    sys.exit(main())
