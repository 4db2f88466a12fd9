"""Complex values: in without a copy, through every format and product, out again, and into SciPy's solvers."""

import conftest
import numpy as np
import pytest
import scipy.io
import scipy.sparse
import sparsmith
from test_inputs import pointer
from test_products import HALVES, NO_LIMIT, WHOLE, require_same

TYPES = (np.complex64, np.complex128)


def numbers(rng, count, dtype=np.complex128):
    return conftest.numbers(rng, count, dtype)


def complex_of(shape, dtype=np.complex128):
    return conftest.complex_of(conftest.BATTERY[shape], dtype)


def require_products(m, a, dtype, rng):
    x, w = (numbers(rng, count, dtype) for count in (a.shape[1], a.shape[0]))
    conftest.require_close(m @ x, a, x, dtype)
    conftest.require_close(m.T @ w, a.T, w, dtype)
    conftest.require_close(m.H @ w, a.conj().T, w, dtype)
    y, z = m.multiply_both(x, w)
    conftest.require_close(y, a, x, dtype)
    conftest.require_close(z, a.T, w, dtype)


@pytest.mark.parametrize("kind", (scipy.sparse.csr_array, scipy.sparse.csr_matrix))
@pytest.mark.parametrize("offsets", (np.int32, np.int64))
@pytest.mark.parametrize("dtype", TYPES)
def test_csr_is_not_copied(kind, offsets, dtype):
    a = kind(complex_of("square", dtype))
    a.indptr, a.indices = a.indptr.astype(offsets), a.indices.astype(np.int32)
    m = sparsmith.Matrix(a)
    assert m.copied is None and m.format == "csr" and m.nnz == a.nnz and m.dtype == dtype
    for mine, yours in zip(m.arrays.values(), (a.indptr, a.indices, a.data)):
        assert pointer(mine) == pointer(yours) and mine.dtype == yours.dtype and not mine.flags.writeable
    assert pointer(m.to_scipy().data) == pointer(a.data)
    a.data[0] = 77j
    assert m.arrays["values"][0] == 77j


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("kind", ("csc", "coo", "bsr", "dia"))
@pytest.mark.parametrize("shape", ("0 x 0", "0 x 5", "1 x n", "n x 1", "square", "gaps"))
@pytest.mark.parametrize("dtype", TYPES)
def test_other_kinds_are_copied_and_said(kind, shape, dtype):
    a = complex_of(shape, dtype)
    if kind in ("bsr", "dia") and 0 in a.shape:
        pytest.skip("SciPy has none of this shape")
    m = sparsmith.Matrix(a.asformat(kind))
    assert m.copied.startswith(f"{kind} made csr") and m.dtype == dtype
    assert np.array_equal(m.to_scipy().toarray(), a.toarray())


def test_duplicates_are_added_up():
    a = scipy.sparse.csr_array((np.array([1 + 2j, 3 - 2j, 5j]), np.array([1, 1, 0], np.int32), np.array([0, 3, 3], np.int32)), shape=(2, 2))
    m = sparsmith.Matrix(a)
    assert m.copied == "columns sorted and duplicates added up"
    assert m.arrays["values"].tolist() == [5j, 4]


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("format", WHOLE)
@pytest.mark.parametrize("shape", conftest.BATTERY)
def test_format(shape, format, dtype, rng):
    a = complex_of(shape, dtype)
    m = sparsmith.convert(a, format, max_fill=NO_LIMIT)
    assert m.format == format
    for name, array in m.arrays.items():
        assert array.dtype == dtype if name in ("values", "rest_values") else array.dtype.kind in "iuc"
    require_same(m, a, dtype)
    require_products(m, a, dtype, rng)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("format", HALVES)
def test_halves_are_refused(format, dtype):
    a = conftest.SYMMETRIC["symmetric"].astype(dtype)
    with pytest.raises(sparsmith.Error, match="complex") as refused:
        sparsmith.convert(a, format, max_fill=NO_LIMIT)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("dtype", TYPES)
def test_several_vectors(dtype, rng):
    a = complex_of("wide", dtype)
    m = sparsmith.convert(a, "sell", slice=8)
    for count in (0, 1, 3):
        x, w = (numbers(rng, length * count, dtype).reshape(length, count) for length in a.shape[::-1])
        for given in (x, np.asfortranarray(x), np.repeat(x, 2, axis=0)[::2]):
            conftest.require_close(m @ given, a, x, dtype)
        conftest.require_close(m.T @ w, a.T, w, dtype)
        conftest.require_close(m.H @ w, a.conj().T, w, dtype)
        conftest.require_close((w.T @ m).T, a.T, w, dtype)
        conftest.require_close((x.T @ m.T).T, a, x, dtype)
        conftest.require_close((x.T @ m.H).T, a.conj(), x, dtype)


def test_turned_twice(rng):
    a = complex_of("tall")
    m = sparsmith.Matrix(a)
    x, w = numbers(rng, 13), numbers(rng, 900)
    assert m.T.T is m and m.H.H is m
    for turned in (m.T.H, m.H.T):
        assert turned.shape == a.shape and turned.dtype == a.dtype and "the conjugate of" in repr(turned)
        conftest.require_close(turned @ x, a.conj(), x, np.complex128)
        conftest.require_close(turned.T @ w, a.conj().T, w, np.complex128)
        conftest.require_close(turned.H @ w, a.T, w, np.complex128)
        conftest.require_close(w @ turned, a.conj().T, w, np.complex128)
        conftest.require_close(turned.matvec(x), a.conj(), x, np.complex128)
        conftest.require_close(turned.rmatvec(w), a.T, w, np.complex128)
        with pytest.raises(TypeError, match="products of two"):
            turned @ m
    conftest.require_close(m.T.rmatvec(x), a.conj(), x, np.complex128)
    conftest.require_close(m.rmatvec(w), a.conj().T, w, np.complex128)
    assert "the adjoint of" in repr(m.H) and "the transpose of" in repr(m.T)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_of_real_values_the_adjoint_is_the_transpose(dtype, square, rng):
    m = sparsmith.Matrix(square.astype(dtype))
    x = conftest.values(rng, 100).astype(dtype)
    for mine in (m.H @ x, m.rmatvec(x), m.multiply_adjoint(x), m.T.H.T @ x):
        assert mine.dtype == dtype and np.array_equal(mine, m.T @ x)
    assert m.T.H is m and m.H.T is m and "the transpose of" in repr(m.H)


def test_in_place(rng):
    a = complex_of("square")
    m = sparsmith.convert(a, "csc")
    x, start = numbers(rng, 100), numbers(rng, 100)
    for product, right in ((m.multiply, a), (m.multiply_transposed, a.T), (m.multiply_adjoint, a.conj().T)):
        for alpha, beta in ((2, -1), (1j, 0), (0, 2 - 1j), (np.complex64(1 + 2j), np.float32(0.5)), (np.int8(3), 1j)):
            y = start.copy()
            assert product(x, out=y, alpha=alpha, beta=beta) is y
            assert np.allclose(y, alpha * (right @ x) + beta * start, rtol=1e-12)
    y, z = start.copy(), start.copy()
    assert m.multiply_both(x, x, out=(y, z), alpha=3j, beta=2)[0] is y
    assert np.allclose(y, 3j * (a @ x) + 2 * start) and np.allclose(z, 3j * (a.T @ x) + 2 * start)
    z = start.copy()
    assert m.multiply_normal(x, out=z, alpha=3, beta=2j) is z
    assert np.allclose(z, 3 * (a.T @ (a @ x)) + 2j * start)
    y = np.full(100, np.nan + 1j * np.nan)
    for product in (m.multiply, m.multiply_adjoint):
        assert np.isfinite(product(x, out=y)).all()
    for out in (np.zeros(100), np.zeros(100, np.complex64), np.zeros(99, complex)):
        with pytest.raises(TypeError, match=r"out: expected a writable, contiguous array of complex128 of the shape \(100,\)"):
            m.multiply(x, out=out)
    with pytest.raises(sparsmith.InputError, match="share memory"):
        m.multiply_adjoint(x, out=x)
    with pytest.raises(sparsmith.InputError, match="A\\^H x of a matrix of 100 x 100 needs 100"):
        m.H @ x[:99]


@pytest.mark.parametrize("dtype", TYPES)
def test_real_vectors(dtype, rng):
    a = complex_of("wide", dtype)
    m = sparsmith.Matrix(a)
    x, w = (rng.integers(-5, 6, count) for count in a.shape[::-1])
    for kind in (np.int8, np.float32, np.float64, bool, complex):
        conftest.require_close(m @ x.astype(kind), a, x.astype(kind).astype(dtype), dtype)
        conftest.require_close(m.H @ w.astype(kind), a.conj().T, w.astype(kind).astype(dtype), dtype)
    conftest.require_close(m @ x.tolist(), a, x.astype(dtype), dtype)
    y, z = m.multiply_both(x, w)
    conftest.require_close(y, a, x.astype(dtype), dtype)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_complex_vectors_of_real_matrices(dtype, rng):
    a = conftest.BATTERY["wide"].astype(dtype)
    m = sparsmith.Matrix(a)
    kind = np.result_type(dtype, np.complex64)
    x, w = (numbers(rng, count) for count in a.shape[::-1])
    conftest.require_close(m @ x, a, x, kind)
    conftest.require_close(m @ x.tolist(), a, x, kind)
    for product in (m.T, m.H):
        conftest.require_close(product @ w, a.T, w, kind)
    conftest.require_close(w @ m, a.T, w, kind)
    y, z = m.multiply_both(x, w)
    conftest.require_close(y, a, x, kind)
    conftest.require_close(z, a.T, w, kind)
    y, z = m.multiply_both(x.real, w)
    conftest.require_close(y, a, x.real, kind)
    conftest.require_close(z, a.T, w, kind)
    assert np.allclose(m.multiply_normal(x), a.T @ (a @ x))
    columns = numbers(rng, 2 * len(x)).reshape(-1, 2)
    for given in (columns, np.asfortranarray(columns)):
        conftest.require_close(m @ given, a, columns, kind)
    start = numbers(rng, len(w), kind)
    for alpha, beta in ((1, 0), (2j, 1 - 1j), (np.complex128(1j), 0), (0.5, 2)):
        made = m.multiply(x, alpha=alpha)
        assert made.dtype == kind and np.allclose(made, alpha * (a @ x), rtol=1e-4)
        out = np.full(len(w), np.nan, kind) if beta == 0 else start.copy()
        assert m.multiply(x, out=out, alpha=alpha, beta=beta) is out
        assert np.allclose(out, alpha * (a @ x) + (beta * start if beta else 0), rtol=1e-4)
    with pytest.raises(TypeError, match=f"out: expected an array of {np.dtype(kind)} of the shape"):
        m.multiply(x, out=np.zeros(len(w), dtype))
    with pytest.raises(sparsmith.InputError, match="beta is for"):
        m.multiply(x, beta=1)
    with pytest.raises(sparsmith.InputError, match="needs 900"):
        m @ x[1:]


def test_solvers_of_scipy(rng):
    from scipy.sparse.linalg import LinearOperator, aslinearoperator, gmres, lsmr, lsqr

    a = complex_of("square") * 0.001 + scipy.sparse.eye_array(100) * (20 + 5j)
    a = scipy.sparse.csr_array(a)
    right = numbers(rng, 100)
    m = sparsmith.convert(a, "sell")
    for given in (m, m.as_operator()):
        x, failed = gmres(given, a @ right, rtol=1e-12)
        assert failed == 0 and np.allclose(x, right)
        assert np.allclose(x, gmres(a, a @ right, rtol=1e-12)[0])
    tall = complex_of("tall")
    t = sparsmith.convert(tall, "gcsb", layout="tile", max_fill=NO_LIMIT)
    b = numbers(rng, 900)  # no combination of the columns
    best = np.linalg.lstsq(tall.toarray(), b, rcond=None)[0]
    for solver in (lsmr, lsqr):
        found, by_scipy = (solver(given, b, atol=1e-14, btol=1e-14) for given in (t, tall))
        assert np.allclose(found[0], best) and found[2] == by_scipy[2]  # as many steps
    operator = aslinearoperator(t)
    assert isinstance(operator, LinearOperator) and operator.shape == tall.shape and operator.dtype == np.complex128
    x, w = numbers(rng, 13), numbers(rng, 900)
    for mine, right, vector in (
        (operator, tall, x),
        (operator.H, tall.conj().T, w),
        (operator.T, tall.T, w),
        (aslinearoperator(t.T), tall.T, w),
        (aslinearoperator(t.T).H, tall.conj(), x),
        (aslinearoperator(t.H), tall.conj().T, w),
        (aslinearoperator(t.H).H, tall, x),
        (aslinearoperator(t.H.T), tall.conj(), x),
    ):
        assert np.allclose(mine @ vector, right @ vector)
        assert np.allclose(mine @ np.stack((vector, 1j * vector), 1), right @ np.stack((vector, 1j * vector), 1))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("shape", ("0 x 0", "0 x 5", "5 x 0", "1 x 1", "1 x n", "n x 1", "zeros", "square"))
@pytest.mark.parametrize("ending", (".npz", ".mtx", ".mtx.gz", ".h5", ".bsp.h5"))
def test_files(ending, shape, dtype, tmp_path):
    a = complex_of(shape, dtype)
    file = tmp_path / f"a{ending}"
    sparsmith.write(a, file)
    back = sparsmith.read(file, dtype=dtype, device="cpu")
    require_same(back, a, dtype)
    if ending == ".npz":
        theirs = scipy.sparse.load_npz(file)
        assert theirs.dtype == dtype and np.array_equal(theirs.toarray(), a.toarray())
    if ending == ".mtx" and a.nnz:
        assert np.array_equal(scipy.io.mmread(file).toarray(), a.toarray())
    if a.nnz:
        assert sparsmith.read(file, device="cpu").dtype.kind == "c"


def test_formats_in_files(tmp_path, rng):
    a = complex_of("square", np.complex64)
    for format in WHOLE:
        file = tmp_path / f"{format}.h5"
        sparsmith.write(sparsmith.convert(a, format, max_fill=NO_LIMIT), file)
        m = sparsmith.Matrix(file).to("cpu")
        assert m.dtype == np.complex64 and np.array_equal(m.to_scipy().toarray(), a.toarray())


def test_types_of_reading(tmp_path, square):
    file, of_reals = tmp_path / "a.npz", tmp_path / "real.npz"
    scipy.sparse.save_npz(file, complex_of("square"))
    scipy.sparse.save_npz(of_reals, square)
    assert sparsmith.read(file, dtype="complex64").dtype == np.complex64
    widened = sparsmith.read(of_reals, dtype=complex, device="cpu")
    assert widened.dtype == np.complex128 and np.array_equal(widened.to_scipy().toarray(), square.toarray())
    assert sparsmith.read("gen:laplace2d?n=7", dtype=np.complex64).dtype == np.complex64
    for dtype in (np.float32, np.float64):
        with pytest.raises(sparsmith.Error, match="complex") as refused:
            sparsmith.read(file, dtype=dtype)
        assert "\n" not in str(refused.value)


def test_hermitian_files(tmp_path):
    file = tmp_path / "a.mtx"
    file.write_text("%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 3 0\n2 1 1 2\n")
    m = sparsmith.read(file, device="cpu")
    assert m.to_scipy().toarray().tolist() == [[3, 1 - 2j], [1 + 2j, 0]]
    x = np.array([1 + 1j, 2])
    assert np.array_equal(m @ x, m.H @ x)


@pytest.mark.parametrize("how", ("rcm", "amd", "length"))
@pytest.mark.parametrize("shape", ("square", "banded"))
def test_orders(how, shape, rng):
    a = complex_of(shape)
    ordered = sparsmith.reorder(a, how)
    assert ordered.matrix.dtype == np.complex128
    assert np.array_equal(ordered.matrix.to_scipy().toarray(), a.toarray()[ordered.rows][:, ordered.cols])
    x = numbers(rng, a.shape[1])
    assert np.allclose(ordered.matrix @ x[ordered.cols], (a @ x)[ordered.rows])


def test_calls(rng):
    a = complex_of("banded")
    found = sparsmith.features(a)
    assert found.field == "complex" and found.entries == a.nnz and found.values["largest"] == pytest.approx(abs(a.data).max())
    prices = {price.format: price for price in sparsmith.plan(a)}
    for format in ("coo", "csr", "csc", "ell"):
        assert sparsmith.convert(a, format, max_fill=NO_LIMIT).nbytes == prices[format].bytes
    names = [kernel.name for kernel in sparsmith.kernels(a)]
    m = sparsmith.Matrix(a)
    assert m.kernel in names and m.use_kernel(m.kernel) is m
    said = sparsmith.recommend(a, budget=0.5, mix=(3, 1), formats="csr,dia,sell")
    assert said.format in ("csr", "dia", "sell") and said.to_dict()["matrix"]["complex_values"]
    made = said.convert(a)
    x = numbers(rng, a.shape[1])
    assert made.dtype == np.complex128 and np.allclose(made @ x, a @ x)
    assert sparsmith.predict(a).to_dict()["schema"] == said.to_dict()["schema"]


def test_profile(tmp_path):
    sparsmith.write(complex_of("banded", np.complex64), tmp_path / "a.mtx")
    found = sparsmith.profile([complex_of("square"), tmp_path / "a.mtx"], device="cpu", budget=0.5)
    rows = found.to_rows()
    assert [row["entries"] for row in rows] and all(row["result"] != "failed" and row["winner_us"] > 0 for row in rows)


def tensor_of(torch, a, index):
    parts = (torch.from_numpy(part.copy()).to(index) for part in (a.indptr, a.indices))
    return torch.sparse_csr_tensor(*parts, torch.from_numpy(a.data.copy()), size=a.shape)


@pytest.mark.filterwarnings("ignore:Sparse")
class TestTensors:
    @pytest.fixture
    def torch(self):
        return pytest.importorskip("torch", reason="PyTorch is not here", exc_type=ImportError)

    @pytest.mark.parametrize("dtype", TYPES)
    def test_csr_is_not_copied(self, torch, dtype):
        tensor = tensor_of(torch, complex_of("square", dtype), torch.int32)
        m = sparsmith.Matrix(tensor)
        assert m.copied is None and m.dtype == dtype
        assert pointer(m.arrays["values"]) == tensor.values().data_ptr()

    @pytest.mark.parametrize("shape", ("0 x 5", "5 x 0", "1 x n", "n x 1", "blocked", "gaps"))
    def test_layouts(self, torch, shape, rng):
        a = complex_of(shape)
        csr = tensor_of(torch, a, torch.int64)
        made = {"coo": csr.to_sparse_coo(), "csc": csr.to_sparse_csc()}
        if shape == "blocked":
            made["bsr"] = csr.to_dense().to_sparse_bsr((4, 3))
        for name, tensor in made.items():
            m = sparsmith.Matrix(tensor)
            assert m.copied.startswith(f"{name} made csr") and np.array_equal(m.to_scipy().toarray(), a.toarray())
            x = numbers(rng, a.shape[1])
            conftest.require_close((m @ torch.from_numpy(x)).numpy(), a, x, np.complex128)

    def test_duplicates_are_added_up(self, torch):
        tensor = torch.sparse_coo_tensor(torch.tensor([[1, 1], [0, 0]]), torch.tensor([1 + 2j, 3j]), (2, 2))
        assert sparsmith.Matrix(tensor).to_scipy().toarray().tolist() == [[0, 0], [1 + 5j, 0]]

    def test_products_are_numpys(self, torch, rng):
        a = complex_of("square")
        m = sparsmith.convert(a, "bsr", max_fill=NO_LIMIT)
        x = numbers(rng, 100)
        t = torch.from_numpy(x)
        for turned in (m, m.T, m.H, m.T.H):
            assert np.array_equal((turned @ t).numpy(), turned @ x)
            assert np.array_equal((t @ turned).numpy(), x @ turned)
            # What is conjugated when somebody asks for it is so here.
            assert np.array_equal((turned @ t.conj()).resolve_conj().numpy(), turned @ x.conj())
            assert np.array_equal((turned @ t.real).numpy(), turned @ x.real)
            assert np.array_equal((turned @ t.imag.conj()).numpy(), turned @ x.imag)
        assert np.array_equal(m.multiply_both(t, t)[1].numpy(), m.T @ x)
        out = torch.ones(100, dtype=torch.complex128)
        assert m.multiply_adjoint(t, out=out, alpha=2j, beta=3) is out
        assert np.allclose(out.numpy(), 2j * (m.H @ x) + 3)
        for wrong in (torch.ones(100), out.conj()):
            with pytest.raises(TypeError, match="out: expected a tensor of complex128"):
                m.multiply(t, out=wrong)

    def test_complex_vectors_of_real_matrices(self, torch, square, rng):
        m = sparsmith.Matrix(square)
        x = numbers(rng, 100)
        t = torch.from_numpy(x)
        assert np.array_equal((m @ t).numpy(), m @ x) and np.array_equal((m.H @ t.conj()).numpy(), m.T @ x.conj())
        y, z = m.multiply_both(t, t.real)
        assert np.array_equal(y.numpy(), m @ x) and np.array_equal(z.numpy(), m.T @ x.real)
        out = torch.ones(100, dtype=torch.complex128)
        assert m.multiply(t, out=out, alpha=2j, beta=3) is out
        assert np.allclose(out.numpy(), 2j * (m @ x) + 3)
        with pytest.raises(TypeError, match="out: expected an array of torch.complex128"):
            m.multiply(t, out=torch.ones(100, dtype=torch.float64))
        with pytest.raises(TypeError, match="differentiated"):
            m.multiply(t.clone().requires_grad_(), out=out)

    @pytest.mark.parametrize("format", ("csr", "gcsb_tile"))
    def test_gradients(self, torch, format):
        m = sparsmith.convert(conftest.complex_of(conftest.scattered(4, 3, 7, 3)), format, max_fill=NO_LIMIT)
        x, w, columns = (drawn(torch, shape) for shape in (3, 4, (3, 2)))
        real = drawn(torch, 3, torch.float64)
        for product, vectors in (
            (lambda v: m @ v, (x,)),
            (lambda v: m @ v, (columns,)),
            (lambda v: m @ v, (real,)),
            (lambda v: m @ v.conj(), (x,)),
            (lambda v: v @ m.T, (x,)),
            (lambda v: m.T @ v, (w,)),
            (lambda v: m.H @ v, (w,)),
            (lambda v: m.T.H @ v, (x,)),
            (m.multiply_both, (x, w)),
            (m.multiply_normal, (x,)),
            (lambda v: m.multiply(v, alpha=2 - 3j), (x,)),
            (lambda v: m.multiply_transposed(v, alpha=2 - 3j), (w,)),
            (lambda v: m.multiply_adjoint(v, alpha=2 - 3j), (w,)),
            (lambda v: m.multiply_normal(v, alpha=2 - 3j), (x,)),
            (lambda v, u: m.multiply_both(v, u, alpha=1j), (real, w)),
        ):
            require_gradients(torch, product, vectors)

    def test_gradients_of_complex_vectors_through_real_matrices(self, torch):
        m = sparsmith.Matrix(conftest.scattered(4, 3, 7, 3))
        x, w, columns = (drawn(torch, shape) for shape in (3, 4, (3, 2)))
        require_gradients(torch, lambda v: m.multiply(v, alpha=2 - 3j), (columns,))
        require_gradients(torch, lambda v: m.H @ v, (w,))
        require_gradients(torch, m.multiply_both, (x, w.detach().real.clone().requires_grad_()))

    def test_gradients_are_the_adjoint(self, torch, rng):
        a = complex_of("square", np.complex64)
        m = sparsmith.Matrix(a)
        x = torch.from_numpy(numbers(rng, 100)).requires_grad_()
        g = numbers(rng, 100, np.complex64)
        (m @ x).backward(torch.from_numpy(g))
        assert x.grad.dtype == torch.complex128
        assert np.array_equal(x.grad.numpy(), m.H @ g)


def drawn(torch, shape, dtype=None):
    generator = torch.Generator().manual_seed(1)
    return torch.rand(shape, dtype=dtype or torch.complex128, generator=generator, requires_grad=True)


def require_gradients(torch, product, vectors):
    def squares(*v):
        made = product(*v)
        return torch.cat([y.reshape(-1) ** 2 for y in (made if isinstance(made, tuple) else (made,))])

    assert torch.autograd.gradcheck(product, vectors)
    assert torch.autograd.gradgradcheck(squares, vectors, fast_mode=True)
