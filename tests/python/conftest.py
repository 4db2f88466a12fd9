"""The matrices that everything is tried on, and how far a product may be from the right one."""

import json

import numpy as np
import pytest
import scipy.sparse
import sparsmith


def values(rng, count):
    return rng.integers(-1000, 1001, count) / 8.0  # exact in float32


def numbers(rng, count, dtype):
    """The same with imaginary parts, where the type has them."""
    drawn = values(rng, count)
    return (drawn + 1j * values(rng, count) if np.dtype(dtype).kind == "c" else drawn).astype(dtype)


def complex_of(a, dtype=np.complex128):
    """A matrix with imaginary parts of its own: some values are imaginary alone, and zeros stay what they are."""
    made = a.astype(dtype)
    made.data += 1j * values(np.random.default_rng(3), made.nnz) * (made.data != 0)
    made.data[2::5] = 1j * made.data[2::5].imag
    return made


def scattered(rows, cols, entries, seed):
    rng = np.random.default_rng(seed)
    places = rng.choice(rows * cols, size=min(entries, rows * cols), replace=False)
    return scipy.sparse.coo_array((values(rng, len(places)), (places // cols, places % cols)), shape=(rows, cols)).tocsr()


def empty(rows, cols):
    return scipy.sparse.csr_array((rows, cols), dtype=np.float64)


def banded(n, gaps):
    rng = np.random.default_rng(n)
    return scipy.sparse.diags_array([values(rng, n - abs(gap)) for gap in gaps], offsets=gaps, shape=(n, n)).tocsr()


def mirrored(a):
    upper = scipy.sparse.triu(a)
    return scipy.sparse.csr_array(upper + scipy.sparse.triu(a, 1).T)


def power_law(n):
    rng = np.random.default_rng(5)
    lengths = np.minimum(n, (n / (1 + np.arange(n)) ** 1.2).astype(int) + 1)
    rows = np.repeat(np.arange(n), lengths)
    cols = np.concatenate([rng.choice(n, length, replace=False) for length in lengths])
    return scipy.sparse.coo_array((values(rng, len(rows)), (rows, cols)), shape=(n, n)).tocsr()


def with_gaps():
    a = scattered(90, 70, 900, 6).tolil()
    a[10:40, :] = 0
    a[:, 20:30] = 0
    return scipy.sparse.csr_array(a)


def dense_row():
    a = scattered(80, 120, 200, 7).tolil()
    a[17, :] = 3.5
    return scipy.sparse.csr_array(a)


def with_zeros():
    a = scattered(30, 40, 200, 8)
    a.data[::7] = 0
    return a


def blocked():
    rng = np.random.default_rng(9)
    pattern = scattered(12, 15, 40, 9)
    pattern.data[:] = 1
    return scipy.sparse.csr_array(scipy.sparse.kron(pattern, values(rng, 12).reshape(4, 3) + 0.0625))


BATTERY = {
    "0 x 0": empty(0, 0),
    "0 x 5": empty(0, 5),
    "5 x 0": empty(5, 0),
    "1 x 1": scattered(1, 1, 1, 1),
    "7 x 9 empty": empty(7, 9),
    "1 x n": scattered(1, 300, 40, 2),
    "n x 1": scattered(300, 1, 40, 3),
    "wide": scattered(13, 900, 800, 4),
    "tall": scattered(900, 13, 800, 5),
    "gaps": with_gaps(),
    "dense row": dense_row(),
    "zeros": with_zeros(),
    "diagonal": banded(65, [0]),
    "banded": banded(129, [-17, -1, 0, 1, 30]),
    "blocked": blocked(),
    "power law": power_law(257),
    "square": scattered(100, 100, 1500, 10),
}
SYMMETRIC = {
    "symmetric": mirrored(scattered(90, 90, 700, 11)),
    "symmetric band": mirrored(banded(67, [0, 1, 2, 20])),
    "symmetric 0 x 0": empty(0, 0),
}


# SciPy chose 64 bits for some of them.
for matrix in (*BATTERY.values(), *SYMMETRIC.values()):
    matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)


def in_double(array):
    """The same numbers with parts of float64."""
    return array.astype(np.result_type(array.dtype, np.float64))


def error_bound(a, x, dtype):
    """Of every element of A x: as many roundings as its row has entries, of the sum of the terms without their signs."""
    sizes = abs(in_double(scipy.sparse.csr_array(a))) @ abs(in_double(np.asarray(x)))
    a = scipy.sparse.csr_array(a)
    entries = np.diff(a.indptr)
    return ((entries + 1) * np.finfo(dtype).eps * sizes.T).T


def require_close(found, a, x, dtype):
    assert found.dtype == dtype
    right = in_double(scipy.sparse.csr_array(a)) @ in_double(np.asarray(x))
    assert found.shape == right.shape
    wrong = np.abs(found - right) > (error_bound(a, x, dtype) if x.ndim == 1 else columns_bound(a, x, dtype))
    assert not wrong.any(), f"{int(wrong.sum())} elements are wrong"


def columns_bound(a, x, dtype):
    return np.stack([error_bound(a, column, dtype) for column in x.T], axis=1) if x.shape[1] else np.zeros((a.shape[0], 0))


@pytest.fixture(scope="session", autouse=True)
def one_machine(tmp_path_factory):
    """What this machine can do is measured once, and believed even if it was busy: all predictions follow from the same."""
    with pytest.MonkeyPatch.context() as environment:
        folder = tmp_path_factory.mktemp("cache")
        environment.setenv("SPARSMITH_CACHE", str(folder))
        sparsmith.predict(BATTERY["square"])
        (file,) = folder.iterdir()
        file.write_text(json.dumps({**json.loads(file.read_text()), "noisy": []}))
        yield


@pytest.fixture
def rng():
    return np.random.default_rng(20)


@pytest.fixture
def square():
    return BATTERY["square"].copy()
