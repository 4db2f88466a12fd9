"""The way of arrays on a GPU through the package where none is: NumPy under CuPy's name, and host memory as the GPU's."""

import ctypes
import sys
import types

import conftest
import numpy as np
import pytest
import sparsmith
from sparsmith import _sparsmith, gpu

STREAM = 4242


class ndarray(np.ndarray):
    device_id = 0

    @property
    def data(self):
        return types.SimpleNamespace(ptr=self.__array_interface__["data"][0], device_id=self.device_id)


def like_cupy(make):
    return lambda *given, **options: make(*given, **options).view(ndarray)


class PretendedMatrix:
    """The extension's matrix, on the host, that says it is on a GPU and takes addresses."""

    on_gpu = True

    def __init__(self, held):
        self.held = held
        self.streams = set()

    def __getattr__(self, name):
        return getattr(self.held, name)

    def _at(self, place, length, count=1):
        dtype = np.dtype(self.value_type)
        memory = (ctypes.c_char * (length * count * dtype.itemsize)).from_address(place)
        array = np.frombuffer(memory, dtype)
        return array if count == 1 else array.reshape((length, count), order="F")

    def multiply_there(self, *given):
        self._multiply(self.held.multiply, self.cols, self.rows, *given)

    def multiply_transposed_there(self, *given):
        self._multiply(self.held.multiply_transposed, self.rows, self.cols, *given)

    def multiply_adjoint_there(self, *given):
        self._multiply(self.held.multiply_adjoint, self.rows, self.cols, *given)

    def _multiply(self, product, x_length, y_length, alpha, x, beta, y, count, stream):
        self.streams.add(stream)
        product(alpha, self._at(x, x_length, count), beta, self._at(y, y_length, count))

    def multiply_both_there(self, alpha, x, w, beta, y, z, stream):
        self.streams.add(stream)
        at = (self._at(*one) for one in ((x, self.cols), (w, self.rows), (y, self.rows), (z, self.cols)))
        x, w, y, z = at
        self.held.multiply_both(alpha, x, w, beta, y, z)

    def multiply_normal_there(self, alpha, x, beta, z, stream):
        self.streams.add(stream)
        self.held.multiply_normal(alpha, self._at(x, self.cols), beta, self._at(z, self.cols))


def borrow_csr_there(rows, cols, offsets, indices, values, offset_bits, value_bits, complex, stream, lenders):
    assert stream == STREAM and complex == (lenders[2].dtype.kind == "c")
    assert all(place == array.data.ptr and length == len(array) for (place, length), array in zip((offsets, indices, values), lenders))
    assert offset_bits == 8 * lenders[0].itemsize and value_bits == 8 * lenders[2].itemsize
    return PretendedMatrix(_sparsmith.borrow_csr(rows, cols, *(np.asarray(array) for array in lenders), lenders))


class Sparse:
    """One of CuPy's matrices, which has the names of SciPy's."""

    def __init__(self, a):
        self.a = a
        self.shape, self.dtype, self.format = a.shape, a.dtype, a.format
        if a.format == "csr":
            self.indptr, self.indices, self.data = (part.view(ndarray) for part in (a.indptr, a.indices, a.data))
            self.has_canonical_format = a.has_canonical_format

    def tocsr(self):
        return Sparse(self.a.tocsr())

    def copy(self):
        return Sparse(self.a.copy())

    def astype(self, dtype):
        return Sparse(self.a.astype(dtype))

    def sum_duplicates(self):
        self.a.sum_duplicates()
        self.__init__(self.a)


@pytest.fixture
def cupy(monkeypatch):
    made = types.ModuleType("cupy")
    made.ndarray = ndarray
    made.asarray, made.ascontiguousarray, made.empty, made.ones = map(like_cupy, (np.asarray, np.ascontiguousarray, np.empty, np.ones))
    made.cuda = types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=STREAM))
    sparse = types.ModuleType("cupyx.scipy.sparse")
    sparse.issparse = lambda given: isinstance(given, Sparse)
    monkeypatch.setitem(sys.modules, "cupy", made)
    monkeypatch.setitem(sys.modules, "cupyx.scipy.sparse", sparse)
    monkeypatch.setattr(_sparsmith, "borrow_csr_there", borrow_csr_there)
    return made


def test_csr_goes_in_as_it_is(cupy, square):
    m = sparsmith.Matrix(Sparse(square))
    assert m.copied is None and m.device == "cuda"
    assert np.array_equal(m._held.held.arrays()["values"], square.data)


@pytest.mark.parametrize("kind", ("csc", "coo"))
def test_other_kinds_are_copied_and_said(cupy, kind, square):
    assert sparsmith.Matrix(Sparse(square.asformat(kind))).copied.startswith(f"{kind} made csr")


def test_what_is_not_canonical_is_copied(cupy, square):
    twice = square.copy()
    twice.indices[1] = twice.indices[0]
    twice.has_canonical_format = False
    before = twice.data.copy()
    m = sparsmith.Matrix(Sparse(twice))
    assert m.copied == "columns sorted and duplicates added up" and m.nnz == square.nnz - 1
    assert np.array_equal(before, twice.data)
    whole = sparsmith.Matrix(Sparse(square.astype(bool)))
    assert whole.copied == "values of bool made float64"


TYPES = (np.float32, np.float64, np.complex64, np.complex128)
OTHER = dict(zip(TYPES, (np.float64, np.float32, np.complex128, np.complex64)))


def wide(dtype):
    a = conftest.BATTERY["wide"]
    return conftest.complex_of(a, dtype) if np.dtype(dtype).kind == "c" else a.astype(dtype)


@pytest.mark.parametrize("dtype", TYPES)
def test_products(cupy, dtype, rng):
    a = wide(dtype)
    m = sparsmith.Matrix(Sparse(a))
    x, w = (conftest.numbers(rng, count, dtype) for count in (a.shape[1], a.shape[0]))
    there, w_there = cupy.asarray(x), cupy.asarray(w)
    made = m @ there
    assert type(made) is ndarray
    conftest.require_close(made, a, x, dtype)
    conftest.require_close(m.T @ w_there, a.T, w, dtype)
    conftest.require_close(m.H @ w_there, a.conj().T, w, dtype)
    conftest.require_close(m.H.T @ there, a.conj(), x, dtype)
    conftest.require_close(w_there @ m, a.T, w, dtype)
    y, z = m.multiply_both(there, w_there)
    conftest.require_close(y, a, x, dtype)
    conftest.require_close(z, a.T, w, dtype)
    assert np.array_equal(m.multiply_normal(there), sparsmith.Matrix(a).multiply_normal(x))
    columns = conftest.numbers(rng, 3 * a.shape[1], dtype).reshape(-1, 3)
    for given in (columns, np.asfortranarray(columns), np.repeat(columns, 2, axis=0)[::2]):
        conftest.require_close(m @ cupy.asarray(given), a, columns, dtype)
    assert m._held.streams == {STREAM}


@pytest.mark.parametrize("dtype", TYPES)
def test_one_vector_that_is_right_is_not_looked_at_for_more(cupy, monkeypatch, dtype, rng):
    """Which is what a product from Python costs beside one from C++: nobody asks CuPy for anything but the result."""
    a = wide(dtype)
    m = sparsmith.Matrix(Sparse(a))
    x, w = (conftest.numbers(rng, count, dtype) for count in (a.shape[1], a.shape[0]))
    there, w_there, y = cupy.asarray(x), cupy.asarray(w), cupy.empty(a.shape[0], dtype)
    asked = []
    as_before = cupy.asarray
    monkeypatch.setattr(cupy, "asarray", lambda *given, **options: asked.append(given) or as_before(*given, **options))
    conftest.require_close(m @ there, a, x, dtype)
    conftest.require_close(m.T @ w_there, a.T, w, dtype)
    assert m.multiply(there, out=y) is y
    conftest.require_close(y, a, x, dtype)
    assert m.multiply_normal(there).shape == there.shape
    assert not asked
    # What is not so is made so, and of the same numbers.
    elsewhere = there.copy()
    elsewhere.device_id = 1
    for given in (there.astype(OTHER[dtype]), np.repeat(there, 2)[::2], elsewhere, there.reshape(-1, 1), there.astype(there.dtype.newbyteorder())):
        asked.clear()
        assert np.array_equal(np.ravel(m @ given), y) and asked


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_complex_vectors_of_real_matrices(cupy, dtype, rng):
    a = conftest.BATTERY["wide"].astype(dtype)
    m = sparsmith.Matrix(Sparse(a))
    kind = np.result_type(dtype, np.complex64)
    x, w = (conftest.numbers(rng, count, np.complex128) for count in (a.shape[1], a.shape[0]))
    there, w_there = cupy.asarray(x), cupy.asarray(w)
    conftest.require_close(m @ there, a, x, kind)
    conftest.require_close(m.H @ w_there, a.T, w, kind)
    y, z = m.multiply_both(there, w_there.real)
    assert type(y) is ndarray and type(z) is ndarray
    conftest.require_close(y, a, x, kind)
    conftest.require_close(z, a.T, w.real, kind)
    out = cupy.ones(a.shape[0], kind)
    assert m.multiply(there, out=out, alpha=2j, beta=3) is out
    assert np.allclose(out, 2j * (a @ x) + 3)
    with pytest.raises(sparsmith.InputError, match="899 elements, but the product needs 900"):
        m @ there[1:]


def test_in_place(cupy, square, rng):
    m = sparsmith.Matrix(Sparse(square))
    x = conftest.values(rng, 100)
    y, z = cupy.asarray(x.copy()), cupy.asarray(x.copy())
    assert m.multiply(cupy.asarray(x), out=y, alpha=2, beta=-1) is y
    assert np.allclose(y, 2 * (square @ x) - x)
    out = (cupy.asarray(x.copy()), z)
    assert m.multiply_both(cupy.asarray(x), cupy.asarray(x), out=out, alpha=3, beta=2) is out
    assert np.allclose(z, 3 * (square.T @ x) + 2 * x)
    normal = m.multiply_normal(cupy.asarray(x), out=y)
    assert normal is y and np.allclose(y, square.T @ (square @ x))


def test_what_is_refused(cupy, square):
    m, on_cpu = sparsmith.Matrix(Sparse(square)), sparsmith.Matrix(square)
    x, y = cupy.ones(100), cupy.ones(100)
    for call, kind, said in (
        (lambda: on_cpu @ x, TypeError, "M.to\\('cuda'\\)"),
        (lambda: m @ cupy.ones(99), sparsmith.InputError, "99 elements, but the product needs 100"),
        (lambda: m @ cupy.ones((100, 2, 2)), sparsmith.InputError, "3 dimensions"),
        (lambda: m.multiply_normal(cupy.ones((100, 2))), sparsmith.InputError, "expected a vector, not"),
        (lambda: m.multiply(cupy.ones(100, complex), out=y), TypeError, "out: expected an array of complex128 .* since the vectors are complex"),
        (lambda: m.multiply_both(x, np.ones(100)), TypeError, "same GPU throughout, not ndarray"),
        (lambda: m.multiply(x, out=cupy.ones(100, np.float32)), TypeError, "out: expected a contiguous array"),
        (lambda: m.multiply(x, out=np.ones(100)), TypeError, "out: expected a contiguous array"),
        (lambda: m.multiply(x, out=cupy.ones(99)), TypeError, "out: expected a contiguous array .* of the shape \\(100,\\)"),
        (lambda: m.multiply(x, out=cupy.ones(200)[::2]), TypeError, "out: expected a contiguous array"),
        (lambda: m.multiply(x, out=cupy.ones((100, 1))), TypeError, "out: expected a contiguous array"),
        (lambda: m.multiply_normal(x, out=cupy.ones(99)), TypeError, "out: expected a contiguous array"),
        (lambda: m @ np.repeat(cupy.ones(99), 2)[::2], sparsmith.InputError, "99 elements, but the product needs 100"),
        (lambda: m.multiply(cupy.ones((100, 2)), out=cupy.ones((100, 2))), TypeError, "its columns contiguous"),
        (lambda: m.multiply_both(x, x, out=x), TypeError, "out: expected two arrays"),
        (lambda: m.multiply(x, beta=1), sparsmith.InputError, "beta is for"),
        (lambda: m.multiply_normal(x, beta=1), sparsmith.InputError, "beta is for"),
        (lambda: m @ Sparse(square), TypeError, "products of two"),
    ):
        with pytest.raises(kind, match=said):
            call()


class Shown:
    __cuda_array_interface__ = {}
    shape, dtype = (100,), np.dtype(np.float64)


def test_arrays_of_others_go_through_cupy(square, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)  # which cannot be imported then
    m = sparsmith.Matrix._over(PretendedMatrix(sparsmith.Matrix(square)._held))
    with pytest.raises(TypeError, match="through CuPy or PyTorch"):
        m @ Shown()


def test_what_arrays_on_the_gpu_show(square):
    held = sparsmith.convert(square, "csc")._held
    arrays = held.arrays()
    assert {name: (one.__array_interface__["data"][0], one.size, one.dtype.str.lstrip("<|")) for name, one in arrays.items()} == held.arrays_there()
    m = sparsmith.Matrix._over(PretendedMatrix(held))
    for name, one in m.arrays.items():
        shown = one.__cuda_array_interface__
        assert (shown["data"], shown["shape"], shown["typestr"]) == (
            (arrays[name].__array_interface__["data"][0], False), arrays[name].shape, arrays[name].dtype.str)  # fmt: skip
        assert len(one) == len(arrays[name]) and one.nbytes == arrays[name].nbytes and str(len(one)) in repr(one).replace(",", "")


def test_tensors(square, monkeypatch, rng):
    """The host's under a GPU's name: what OfTorch takes as it is, and what it makes so."""
    torch = pytest.importorskip("torch", reason="PyTorch is not here", exc_type=ImportError)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: types.SimpleNamespace(cuda_stream=STREAM))
    m = sparsmith.Matrix._over(PretendedMatrix(sparsmith.Matrix(square)._held))
    x = torch.from_numpy(conftest.values(rng, 100))
    library = gpu.OfTorch(x.device)

    def product(name, given, out=None, beta=0.0):
        return gpu.product(m, name, (given,), out, 1.0, beta, library)

    right, right_of_t = torch.from_numpy(square @ x.numpy()), torch.from_numpy(square.T @ x.numpy())
    negated = torch.complex(x, -x).conj().imag
    assert negated.is_neg()
    ready, asked = library.ready, []
    monkeypatch.setattr(library, "ready", lambda *given: asked.append(given) or ready(*given))
    assert torch.allclose(product("multiply", x), right) and torch.allclose(product("multiply_transposed", x), right_of_t)
    y = torch.empty(100, dtype=torch.float64)
    assert product("multiply", x, y) is y and torch.allclose(y, right)
    assert not asked
    for given in (x.float(), torch.stack((x, x), 1)[:, 0], negated, torch.nn.Parameter(x)):
        asked.clear()
        assert torch.allclose(product("multiply", given), right) and asked
    assert torch.allclose(product("multiply", torch.stack((x, -x), 1)), torch.stack((right, -right), 1))
    assert m._held.streams == {STREAM}
    # Of complex values, and one that is conjugated only when it is asked for.
    a = conftest.complex_of(square)
    c = sparsmith.Matrix._over(PretendedMatrix(sparsmith.Matrix(a)._held))
    both = torch.complex(x, x * 2)
    for given in (both, both.conj(), torch.stack((both.conj(), both), 1)):
        made = gpu.product(c, "multiply_adjoint", (given,), None, 1.0, 0.0, library)
        assert torch.allclose(made, torch.from_numpy(a.conj().T @ given.resolve_conj().numpy()))
    for call, kind, said in (
        (lambda: product("multiply", x[1:]), sparsmith.InputError, "99 elements, but the product needs 100"),
        (lambda: product("multiply", x, y.float()), TypeError, "out: expected a contiguous array"),
        (lambda: product("multiply", x, y[1:]), TypeError, "out: expected a contiguous array"),
        (lambda: product("multiply", x, beta=1.0), sparsmith.InputError, "beta is for"),
        (lambda: product("multiply", x.to("meta")), TypeError, "same GPU throughout"),
    ):
        with pytest.raises(kind, match=said):
            call()
