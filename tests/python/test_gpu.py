"""Arrays on a GPU: CuPy's go in without a copy, products stay there and on the caller's stream, and nothing waits."""

import gc
import inspect

import conftest
import numpy as np
import pytest
import scipy.sparse
import sparsmith

cupy = pytest.importorskip("cupy", reason="CuPy is not here", exc_type=ImportError)
cupyx_sparse = pytest.importorskip("cupyx.scipy.sparse", exc_type=ImportError)


def gpu_here():
    try:
        return cupy.cuda.runtime.getDeviceCount() > 0
    except cupy.cuda.runtime.CUDARuntimeError:
        return False


if not gpu_here():
    pytest.skip("no GPU is here", allow_module_level=True)
if not any(one.backend == "cuda" for one in sparsmith.kernels()):
    pytest.skip("this build is without CUDA", allow_module_level=True)

OF_COMPLEX = "coo csr csc ell sell hyb dia bsr gcsb_tile".split()
FORMATS = "coo csr csc ell sell hyb dia bsr csb ecsb gcsb gcsb_tile".split()


def on_gpu(a, dtype=np.float64):
    return cupyx_sparse.csr_matrix(scipy.sparse.csr_matrix(a.astype(dtype)))


@pytest.mark.parametrize("dtype", (np.float32, np.float64, np.complex64, np.complex128))
def test_csr_is_not_copied(dtype, square):
    a = on_gpu(square, dtype)
    m = sparsmith.Matrix(a)
    assert m.copied is None and m.device == "cuda" and m.dtype == dtype and m.nnz == a.nnz
    for mine, yours in zip(m.arrays.values(), (a.indptr, a.indices, a.data)):
        shown = cupy.asarray(mine)
        assert shown.data.ptr == yours.data.ptr and shown.dtype == yours.dtype and shown.shape == yours.shape
    assert np.array_equal(m.to_scipy().toarray(), square.astype(dtype).toarray())


@pytest.mark.parametrize("kind", ("csc", "coo"))
@pytest.mark.parametrize("shape", ("square", "1 x n", "n x 1", "gaps"))
def test_other_kinds_are_copied_and_said(kind, shape):
    a = conftest.BATTERY[shape]
    m = sparsmith.Matrix(on_gpu(a).asformat(kind))
    assert m.copied.startswith(f"{kind} made csr") and m.device == "cuda"
    assert np.array_equal(m.to_scipy().toarray(), a.toarray())


def test_unsorted_and_duplicates(square):
    a = on_gpu(square)
    again = cupyx_sparse.coo_matrix((cupy.concatenate([a.data, a.data]), (cupy.tile(a.tocoo().row, 2), cupy.tile(a.tocoo().col, 2))),
                                    shape=a.shape)  # fmt: skip
    m = sparsmith.Matrix(again)
    assert np.array_equal(m.to_scipy().toarray(), 2 * square.toarray())


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("shape", ("0 x 5", "5 x 0", "1 x n", "n x 1", "wide", "tall", "gaps", "dense row", "banded", "power law"))
def test_products(shape, format, dtype, rng):
    a = conftest.BATTERY[shape].astype(dtype)
    m = sparsmith.convert(sparsmith.Matrix(a).to("cuda"), format, max_fill=1e9)
    x, w = (conftest.values(rng, count).astype(dtype) for count in (a.shape[1], a.shape[0]))
    there, w_there = cupy.asarray(x), cupy.asarray(w)
    made = m @ there
    assert isinstance(made, cupy.ndarray)
    conftest.require_close(made.get(), a, x, dtype)
    conftest.require_close((m.T @ w_there).get(), a.T, w, dtype)
    y, z = m.multiply_both(there, w_there)
    conftest.require_close(y.get(), a, x, dtype)
    conftest.require_close(z.get(), a.T, w, dtype)
    columns = conftest.values(rng, 3 * a.shape[1]).reshape(-1, 3).astype(dtype)
    for given in (cupy.asarray(columns), cupy.asarray(columns, order="F")):
        conftest.require_close((m @ given).get(), a, columns, dtype)


@pytest.mark.parametrize("dtype", (np.complex64, np.complex128))
@pytest.mark.parametrize("format", OF_COMPLEX)
@pytest.mark.parametrize("shape", ("0 x 5", "5 x 0", "1 x n", "n x 1", "wide", "gaps"))
def test_complex_products(shape, format, dtype, rng):
    a = conftest.complex_of(conftest.BATTERY[shape], dtype)
    m = sparsmith.convert(sparsmith.Matrix(a).to("cuda"), format, max_fill=1e9)
    x, w = (conftest.numbers(rng, count, dtype) for count in (a.shape[1], a.shape[0]))
    there, w_there = cupy.asarray(x), cupy.asarray(w)
    conftest.require_close((m @ there).get(), a, x, dtype)
    conftest.require_close((m.T @ w_there).get(), a.T, w, dtype)
    conftest.require_close((m.H @ w_there).get(), a.conj().T, w, dtype)
    conftest.require_close((m.H.T @ there).get(), a.conj(), x, dtype)
    y, z = m.multiply_both(there, w_there)
    conftest.require_close(y.get(), a, x, dtype)
    conftest.require_close(z.get(), a.T, w, dtype)


def test_complex_vectors_of_a_real_matrix(square, rng):
    m = sparsmith.Matrix(on_gpu(square))
    x = conftest.numbers(rng, 100, np.complex128)
    conftest.require_close((m @ cupy.asarray(x)).get(), square, x, np.complex128)
    conftest.require_close((m.H @ cupy.asarray(x)).get(), square.T, x, np.complex128)


def test_in_place_and_other_types(square, rng):
    m = sparsmith.Matrix(on_gpu(square))
    x = conftest.values(rng, 100)
    y = cupy.asarray(x)
    assert m.multiply(cupy.asarray(x), out=y, alpha=2, beta=-1) is y
    assert np.allclose(y.get(), 2 * (square @ x) - x)
    assert np.allclose((m @ cupy.asarray(x).astype(np.float32)).get(), square @ x.astype(np.float32))
    assert np.allclose((cupy.asarray(x) @ m).get(), square.T @ x)
    assert np.allclose(m.multiply_normal(cupy.asarray(x)).get(), square.T @ (square @ x))
    with pytest.raises(TypeError, match="out: expected"):
        m.multiply(cupy.asarray(x), out=cupy.empty(100, np.float32))
    with pytest.raises(sparsmith.InputError, match="needs 100"):
        m @ cupy.ones(99)
    with pytest.raises(TypeError, match="to\\('cuda'\\)"):
        sparsmith.Matrix(square) @ cupy.asarray(x)
    with pytest.raises(TypeError, match="same GPU throughout"):
        m.multiply_both(cupy.asarray(x), x)


def busy(array, times=400):
    """Work of many milliseconds on the current stream."""
    for _ in range(times):
        array *= 1.0000001


@pytest.mark.parametrize("non_blocking", (False, True))
def test_products_are_ordered_on_the_callers_stream_and_wait_for_nothing(non_blocking, rng):
    a = sparsmith.read("gen:laplace2d?n=300", device="cuda")
    right = a.to_scipy()
    x = conftest.values(rng, right.shape[1])
    m = sparsmith.convert(a, "sell")
    large = cupy.ones(1 << 27)
    with cupy.cuda.Stream(non_blocking=non_blocking) as stream:
        there = cupy.asarray(x)
        late = cupy.zeros_like(there)
        # What is prepared, and compiled by CuPy, once: that waits.
        m @ late
        late += there
        late *= 0
        busy(large, 1)
        stream.synchronize()
        busy(large)
        late += there  # behind all that
        y = m @ late
        after = cupy.cuda.Event()
        after.record(stream)
        assert not after.done, "the product was waited for"
        z = m.T @ y
        made = z.get()
    expected = right.T @ (right @ x)
    assert np.allclose(made, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_lent_arrays_live_as_long_as_they_are_shown(square):
    a = on_gpu(square)
    pool = cupy.get_default_memory_pool()
    m = sparsmith.Matrix(a)
    values = m.arrays["values"]
    del a, m
    gc.collect()
    cupy.full(4096, 7.0)  # would lie where the values were
    assert np.array_equal(cupy.asarray(values).get(), square.data)
    used = pool.used_bytes()
    del values
    gc.collect()
    assert pool.used_bytes() < used


def test_solvers_of_cupy():
    from cupyx.scipy.sparse.linalg import cg, lsmr

    m = sparsmith.convert(sparsmith.read("gen:laplace2d?n=40", device="cuda"), "sell")
    b = m @ cupy.ones(1600)
    tolerance = "rtol" if "rtol" in inspect.signature(cg).parameters else "tol"  # of CuPy before 14
    x, failed = cg(m, b, **{tolerance: 1e-10})
    assert failed == 0 and np.allclose(x.get(), 1, atol=1e-6)
    assert np.allclose(lsmr(m, b, maxiter=3000, atol=1e-12, btol=1e-12, conlim=0)[0].get(), 1, atol=1e-4)


def test_memory_comes_back(square):
    m = sparsmith.Matrix(on_gpu(square))
    x = cupy.ones(100)
    m @ x
    cupy.cuda.Device().synchronize()
    before = cupy.get_default_memory_pool().used_bytes()
    for _ in range(10000):
        m @ x
    assert cupy.get_default_memory_pool().used_bytes() == before


def test_tensors_on_the_gpu(square, rng):
    torch = pytest.importorskip("torch", exc_type=ImportError)
    if not torch.cuda.is_available():
        pytest.skip("PyTorch has no GPU")
    parts = [torch.from_numpy(part.astype(np.int32)).cuda() for part in (square.indptr, square.indices)]
    tensor = torch.sparse_csr_tensor(*parts, torch.from_numpy(square.data).cuda(), size=square.shape)
    m = sparsmith.Matrix(tensor)
    assert m.copied is None and m.device == "cuda"
    x = torch.from_numpy(conftest.values(rng, 100)).cuda().requires_grad_()
    y = m @ x
    assert y.device == x.device
    assert np.allclose(y.detach().cpu().numpy(), square @ x.detach().cpu().numpy())
    assert torch.autograd.gradcheck(lambda v: m @ v, (x,))
    wide = sparsmith.Matrix(tensor.to_sparse_coo())
    assert wide.copied.startswith("coo made csr")
    assert np.allclose((wide @ x).detach().cpu().numpy(), square @ x.detach().cpu().numpy())
