"""Every format and both products against SciPy's in double precision."""

import os
import pathlib

import conftest
import numpy as np
import pytest
import scipy.io
import scipy.sparse
import sparsmith

WHOLE = "coo csr csc ell sell hyb dia bsr csb ecsb gcsb gcsb_tile".split()
HALVES = "csr_half dia_half bsr_half gcsb_tile_half".split()
TYPES = (np.float32, np.float64)
NO_LIMIT = 1e9


def require_products(m, a, dtype, rng):
    x, w = (conftest.values(rng, count).astype(dtype) for count in (a.shape[1], a.shape[0]))
    conftest.require_close(m @ x, a, x, dtype)
    conftest.require_close(m.T @ w, a.T, w, dtype)
    y, z = m.multiply_both(x, w)
    conftest.require_close(y, a, x, dtype)
    conftest.require_close(z, a.T, w, dtype)


def require_same(m, a, dtype):
    assert m.shape == a.shape and m.dtype == dtype and m.nnz == a.nnz
    back = m.to_scipy().tocsr()
    assert back.shape == a.shape
    for mine, right in ((back.indptr, a.indptr), (back.indices, a.indices), (back.data, a.data.astype(dtype))):
        assert np.array_equal(mine, right)  # zeros among them


def test_all_formats_are_here():
    assert sorted(sparsmith._sparsmith.format_names()) == sorted(WHOLE + HALVES)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("format", WHOLE)
@pytest.mark.parametrize("shape", conftest.BATTERY)
def test_format(shape, format, dtype, rng):
    a = conftest.BATTERY[shape].astype(dtype)
    m = sparsmith.convert(a, format, max_fill=NO_LIMIT)
    assert m.format == format
    require_same(m, a, dtype)
    require_products(m, a, dtype, rng)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("format", HALVES)
@pytest.mark.parametrize("shape", conftest.SYMMETRIC)
def test_half(shape, format, dtype, rng):
    a = conftest.SYMMETRIC[shape].astype(dtype)
    m = sparsmith.convert(a, format.removesuffix("_half"), symmetric="half", max_fill=NO_LIMIT)
    assert m.format == format
    require_same(m, a, dtype)
    require_products(m, a, dtype, rng)


@pytest.mark.parametrize("dtype", TYPES)
def test_normal(dtype, rng, square):
    a = square.astype(dtype)
    x = conftest.values(rng, 100).astype(dtype)
    m = sparsmith.Matrix(a)
    inner = a.astype(np.float64) @ x.astype(np.float64)
    right = a.T.astype(np.float64) @ inner
    # What A x may be off goes through A^T, and what A^T does comes on top.
    bound = abs(a.T.astype(np.float64)) @ conftest.error_bound(a, x, dtype) + conftest.error_bound(a.T, inner, dtype) * 2
    assert (np.abs(m.multiply_normal(x) - right) <= bound).all()


@pytest.mark.parametrize("dtype", TYPES)
def test_several_vectors(dtype, rng, square):
    a = square.astype(dtype)
    m = sparsmith.convert(a, "sell", slice=8)
    for count in (0, 1, 5):
        x = conftest.values(rng, 100 * count).reshape(100, count).astype(dtype)
        for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2]):
            conftest.require_close(m @ given, a, x, dtype)
            conftest.require_close(m.T @ given, a.T, x, dtype)
        conftest.require_close((x.T @ m).T, a.T, x, dtype)
        conftest.require_close((x.T @ m.T).T, a, x, dtype)


def test_vectors_of_all_kinds(square, rng):
    x = rng.integers(-5, 6, 100)
    m = sparsmith.Matrix(square)
    right = m @ x.astype(np.float64)
    for given in (x, x.astype(np.int8), x.astype(np.float32), x.tolist(), x.astype(">f8"), np.repeat(x, 3)[::3]):
        assert np.array_equal(m @ given, right)
    assert np.array_equal(x @ m, m.T @ x)
    read_only = x.astype(np.float64)
    read_only.flags.writeable = False
    assert np.array_equal(m @ read_only, right)
    unaligned = np.frombuffer(b"\0" + right.tobytes(), np.uint8)[1:].view(np.float64)
    assert np.array_equal(m @ unaligned, m @ right)


def test_columns_that_share_memory_are_refused(square, rng):
    m = sparsmith.Matrix(square)
    columns = np.asfortranarray(conftest.values(rng, 400).reshape(100, 4))
    for x, y in ((columns[:, :3], columns[:, 1:]), (columns[:, 1:], columns[:, :3]), (columns[:, :2], columns[:, 1:3])):
        with pytest.raises(sparsmith.InputError, match="share memory"):
            m.multiply(x, out=y)
    m.multiply(columns[:, :2], out=columns[:, 2:])


@pytest.mark.parametrize("format", ["csr", "sell", "bsr", "gcsb", "dia"])
def test_several_vectors_in_either_order(square, rng, format):
    m = sparsmith.convert(square, format, max_fill=1e9)
    for count in (0, 1, 3, 40):
        x, start = conftest.values(rng, 100 * count).reshape(100, count), conftest.values(rng, 100 * count).reshape(100, count)
        for order in "CF":
            given = np.asarray(x, order=order)
            for product, a in ((m.multiply, square), (m.multiply_transposed, square.T), (m.multiply_adjoint, square.T)):
                made = product(given)
                assert np.allclose(made, a @ x) and made.flags[f"{order}_CONTIGUOUS"]
                for out_order in "CF":  # what is given there decides
                    out = np.array(start, order=out_order)
                    assert product(given, out=out, alpha=2, beta=-1) is out
                    assert np.allclose(out, 2 * (a @ x) - start)
    # One row, one column, or nothing: of both orders at once.
    for rows, cols in ((1, 5), (5, 1), (0, 5), (5, 0), (1, 1)):
        a = scipy.sparse.csr_array(np.ones((rows, cols)))
        thin = sparsmith.convert(a, format, max_fill=1e9)
        for count in (1, 3):
            for order in "CF":
                for product, matrix in ((thin.multiply, a), (thin.multiply_transposed, a.T)):
                    x = np.array(conftest.values(rng, matrix.shape[1] * count).reshape(matrix.shape[1], count), order=order)
                    right = matrix.toarray() @ x
                    assert np.allclose(product(x), right)
                    out = np.ones((matrix.shape[0], count), order=order)
                    assert np.allclose(product(x, out=out, beta=1), right + 1)
    # Neither by rows nor by columns: copied.
    spread = conftest.values(rng, 800).reshape(200, 4)[::2, ::2]
    assert np.allclose(m @ spread, square @ spread)
    with pytest.raises(TypeError, match="contiguous array"):
        m.multiply(np.ones((100, 2)), out=np.zeros((200, 4))[::2, ::2])


def test_in_place(square, rng):
    m = sparsmith.convert(square, "csc")
    x, y = conftest.values(rng, 100), conftest.values(rng, 100)
    start = y.copy()
    for product, a in ((m.multiply, square), (m.multiply_transposed, square.T)):
        y[:] = start
        assert product(x, out=y, alpha=2, beta=-1) is y
        assert np.allclose(y, 2 * (a @ x) - start)
    y, z = start.copy(), start.copy()
    made = m.multiply_both(x, x, out=(y, z), alpha=3, beta=2)
    assert made[0] is y and made[1] is z
    assert np.allclose(y, 3 * (square @ x) + 2 * start) and np.allclose(z, 3 * (square.T @ x) + 2 * start)
    z = start.copy()
    assert m.multiply_normal(x, out=z, alpha=3, beta=2) is z
    assert np.allclose(z, 3 * (square.T @ (square @ x)) + 2 * start)
    columns = np.zeros((100, 3), order="F")
    assert m.multiply(np.ones((100, 3)), out=columns) is columns
    assert np.allclose(columns, square @ np.ones((100, 3)))


def test_nothing_is_read_where_beta_is_0(square):
    y = np.full(100, np.nan)
    assert np.isfinite(sparsmith.Matrix(square).multiply(np.ones(100), out=y)).all()


def test_solvers_of_scipy(rng):
    from scipy.sparse.linalg import LinearOperator, aslinearoperator, cg, lsqr, svds

    a = conftest.banded(200, [-1, 0, 1]) * 0.01 + scipy.sparse.eye_array(200) * 100
    a = scipy.sparse.csr_array((a + a.T) / 2)
    m = sparsmith.convert(a, "dia")
    b = a @ np.ones(200)
    x, failed = cg(m, b, rtol=1e-12)
    assert failed == 0 and np.allclose(x, 1)
    tall = conftest.BATTERY["tall"]
    t = sparsmith.convert(tall, "gcsb", layout="tile", max_fill=NO_LIMIT)
    assert np.allclose(lsqr(t, tall @ np.ones(13), atol=1e-14, btol=1e-14)[0], np.linalg.lstsq(tall.toarray(), tall @ np.ones(13), rcond=None)[0])
    operator = t.as_operator()
    assert isinstance(operator, LinearOperator) and operator.shape == tall.shape and operator.dtype == np.float64
    assert np.allclose(operator.H @ np.ones(900), tall.T @ np.ones(900))
    assert np.allclose((aslinearoperator(t) @ np.ones((13, 2))), tall @ np.ones((13, 2)))
    assert np.allclose(svds(t, 2, return_singular_vectors=False, rng=0), svds(tall, 2, return_singular_vectors=False, rng=0))


def test_kernels(square):
    m = sparsmith.Matrix(square)
    names = [kernel.name for kernel in sparsmith.kernels(m)]
    assert m.kernel in names and m.kernel_transposed in names
    assert m.use_kernel(names[0]) is m and m.kernel == names[0]
    m.use_kernel(names[0], names[0])
    assert m.kernel_transposed == names[0]
    with pytest.raises(sparsmith.InputError, match="no such kernel"):
        m.use_kernel("csr/nonsense")


def real_matrices():
    folder = os.environ.get("SPARSMITH_MATRICES")
    if not folder:
        return []
    files = [file for file in pathlib.Path(folder, "real").glob("*.mtx*") if file.stat().st_size < 2**20]
    files = [file for file in files if scipy.io.mminfo(file)[4] in ("real", "integer", "pattern")]
    files.sort(key=lambda file: (file.stat().st_size, file.name))
    return files[:: max(1, len(files) // 20)][:20]


@pytest.mark.skipif(not os.environ.get("SPARSMITH_MATRICES"), reason="SPARSMITH_MATRICES names no collection")
@pytest.mark.parametrize("file", real_matrices(), ids=lambda file: file.name)
def test_real_matrix(file, rng):
    a = scipy.sparse.csr_array(scipy.io.mmread(file))
    a.sum_duplicates()
    for dtype in TYPES:
        m, rounded = sparsmith.read(file, dtype=dtype), a.astype(dtype)
        require_same(m, rounded, dtype)
        for price in sparsmith.plan(m):
            # What is padded beyond what is sensible too, as long as that does not take long.
            if price.allowed or (price.format in WHOLE and price.slots < 2**20):
                require_products(sparsmith.convert(m, price.format, max_fill=NO_LIMIT), rounded, dtype, rng)
