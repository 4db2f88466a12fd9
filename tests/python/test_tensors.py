"""PyTorch's tensors on the CPU: sparse ones go in, dense ones are multiplied, and gradients are right."""

import gc
import weakref

import conftest
import numpy as np
import pytest
import sparsmith

torch = pytest.importorskip("torch", reason="PyTorch is not here", exc_type=ImportError)
pytestmark = pytest.mark.filterwarnings("ignore:Sparse", "ignore:ComplexHalf")


def csr_tensor(a, index=torch.int64):
    parts = (torch.from_numpy(part.copy()).to(index) for part in (a.indptr, a.indices))
    return torch.sparse_csr_tensor(*parts, torch.from_numpy(a.data.copy()), size=a.shape)


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_csr_is_not_copied(dtype, square):
    tensor = csr_tensor(square.astype(dtype), torch.int32)
    m = sparsmith.Matrix(tensor)
    assert m.copied is None and m.dtype == dtype
    parts = (tensor.crow_indices(), tensor.col_indices(), tensor.values())
    for mine, yours in zip(m.arrays.values(), parts):
        assert mine.__array_interface__["data"][0] == yours.data_ptr()


def test_columns_of_64_bits_are_narrowed(square):
    m = sparsmith.Matrix(csr_tensor(square))
    assert m.copied == "column indices of int64 made int32"
    assert (m.to_scipy() != square).nnz == 0


@pytest.mark.parametrize("shape", ("0 x 0", "0 x 5", "5 x 0", "1 x n", "n x 1", "blocked", "zeros", "gaps"))
def test_layouts(shape, rng):
    a = conftest.BATTERY[shape]
    csr = csr_tensor(a)
    made = {"coo": csr.to_sparse_coo, "csc": csr.to_sparse_csc}
    if shape == "blocked":
        made["bsr"] = lambda: csr.to_dense().to_sparse_bsr((4, 3))
    for name, make in made.items():
        m = sparsmith.Matrix(make())
        assert m.copied.startswith(f"{name} made csr"), m.copied
        assert np.array_equal(m.to_scipy().toarray(), a.toarray())
        x = conftest.values(rng, a.shape[1])
        conftest.require_close((m @ torch.from_numpy(x)).numpy(), a, x, np.float64)


def test_duplicates_of_coo_are_added_up():
    places, counts = torch.tensor([[1, 0, 1], [2, 0, 2]]), torch.tensor([100, 5, 100], dtype=torch.int8)
    m = sparsmith.Matrix(torch.sparse_coo_tensor(places, counts, (2, 3)))
    assert m.copied.startswith("coo made csr; sorted and duplicates added up")
    assert m.to_scipy().toarray().tolist() == [[5, 0, 0], [0, 0, 200]]  # 200 is no int8


def test_products_are_numpys(square, rng):
    m = sparsmith.convert(square, "sell")
    x = conftest.values(rng, 100)
    t, both = torch.from_numpy(x), m.multiply_both(x, x)
    assert np.array_equal((m @ t).numpy(), m @ x) and np.array_equal((m.T @ t).numpy(), m.T @ x)
    assert np.array_equal((t @ m).numpy(), m.T @ x) and np.array_equal((t @ m.T).numpy(), m @ x)
    assert all(np.array_equal(mine.numpy(), right) for mine, right in zip(m.multiply_both(t, t), both))
    assert np.array_equal(m.multiply_normal(t).numpy(), m.multiply_normal(x))
    columns = torch.from_numpy(conftest.values(rng, 300).reshape(100, 3))
    assert np.array_equal((m @ columns).numpy(), m @ columns.numpy())
    assert np.array_equal((columns.T @ m).numpy(), columns.numpy().T @ m)
    for other in (torch.float32, torch.bfloat16, torch.int32):
        given = t.round().clamp(-100, 100).to(other)
        assert torch.equal(m @ given, m @ given.to(torch.float64))
    out = torch.ones(100, dtype=torch.float64)
    assert m.multiply(t, out=out, alpha=2, beta=3) is out
    assert np.allclose(out.numpy(), 2 * (m @ x) + 3)


@pytest.mark.parametrize("format", ("csr", "bsr", "dia", "gcsb_tile"))
def test_gradients(format):
    a = conftest.scattered(6, 5, 14, 3)
    m = sparsmith.convert(a, format, max_fill=1e9)
    x, w = (torch.linspace(-1, 2, n, dtype=torch.float64, requires_grad=True) for n in (5, 6))
    columns = torch.rand(5, 2, dtype=torch.float64, generator=torch.Generator().manual_seed(1), requires_grad=True)
    check, check_twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    for product, vectors in (
        (lambda v: m @ v, (x,)),
        (lambda v: m @ v, (columns,)),
        (lambda v: v @ m.T, (x,)),
        (lambda v: m.T @ v, (w,)),
        (lambda v: m.multiply(v, alpha=-3), (x,)),
        (m.multiply_both, (x, w)),
        (m.multiply_normal, (x,)),
    ):
        assert check(product, vectors)
        assert check_twice(lambda *v: torch.cat([y.reshape(-1) ** 2 for y in _tuple(product(*v))]), vectors)


def _tuple(made):
    return made if isinstance(made, tuple) else (made,)


def test_gradients_have_the_type_of_their_vectors(square):
    m = sparsmith.Matrix(square)
    x = torch.ones(100, dtype=torch.float32, requires_grad=True)
    (m @ x).sum().backward()
    assert x.grad.dtype == torch.float32
    assert np.allclose(x.grad.numpy(), square.T @ np.ones(100))


def test_a_graph_keeps_the_matrix_and_no_longer(square):
    m = sparsmith.convert(square, "sell")
    gone = weakref.ref(m)
    loss = (m @ torch.ones(100, dtype=torch.float64, requires_grad=True)).sum()
    del m
    gc.collect()
    assert gone() is not None
    loss.backward()
    del loss
    gc.collect()
    assert gone() is None


def test_what_is_refused(square):
    m = sparsmith.Matrix(square)
    x = torch.ones(100, dtype=torch.float64)
    for given, said in (
        (torch.ones(3, 3), "a sparse tensor"),
        (csr_tensor(square.astype(np.float32)).to(torch.complex32), "values of complex32: Sparsmith computes in"),
        (torch.sparse_coo_tensor(torch.tensor([[0], [0], [0]]), torch.ones(1), (2, 2, 2)), r"\(2, 2, 2\)"),
        (torch.ones(4, 4).to_sparse_bsc((2, 2)), "not a sparse_bsc one"),
    ):
        with pytest.raises(TypeError, match=said):
            sparsmith.Matrix(given)
    for call, said in (
        (lambda: m @ csr_tensor(square), "products of two"),
        (lambda: m.multiply(x, out=np.ones(100)), "out: expected a tensor"),
        (lambda: m.multiply(x.clone().requires_grad_(), out=torch.ones(100, dtype=torch.float64)), "differentiated"),
        (lambda: m.multiply(x, out=torch.ones(100)), "float64"),
        (lambda: sparsmith.Matrix(square.astype(np.float32)).multiply(x, out=torch.ones(100).bfloat16()), "of float32, not of bfloat16"),
        (lambda: m.multiply_both(x, np.ones(100)), "tensors throughout"),
        (lambda: m @ torch.ones(100, device="meta"), "meta"),
    ):
        with pytest.raises(TypeError, match=said):
            call()
    with pytest.raises(sparsmith.InputError, match="beta is for"):
        m.multiply(x, beta=1)
