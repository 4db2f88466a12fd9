"""Rows and columns in another order: made, followed by vectors, undone, and raced."""

import json
import os
import pathlib
import re
import subprocess

import conftest
import numpy as np
import pytest
import scipy.sparse
import scipy.sparse.csgraph
import sparsmith


def grid(n):
    """Of n x n places, numbered at random."""
    line = scipy.sparse.diags_array([-1.0, 2.0, -3.0], offsets=[-1, 0, 1], shape=(n, n))
    one = scipy.sparse.eye_array(n)
    a = scipy.sparse.csr_array(scipy.sparse.kron(line, one) + scipy.sparse.kron(one, line))
    shuffled = np.random.default_rng(4).permutation(n * n)
    a = a[shuffled][:, shuffled]
    a.indices, a.indptr = a.indices.astype(np.int32), a.indptr.astype(np.int32)
    a.sort_indices()
    return a


def chain(n):
    """Of n places, each beside two others, numbered at random: in order another format is fast."""
    shuffled = np.random.default_rng(5).permutation(n)
    return scipy.sparse.diags_array([-1.0, 4.0, -2.0], offsets=[-1, 0, 1], shape=(n, n)).tocsr()[shuffled][:, shuffled]


def bandwidth(a):
    a = a.tocoo()
    return int(np.abs(a.row - a.col).max())


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
@pytest.mark.parametrize("how", ("rcm", "amd", "length"))
@pytest.mark.parametrize("shape", ("0 x 0", "1 x 1", "square", "diagonal", "banded", "power law", "wide", "tall", "gaps", "0 x 5", "5 x 0"))
def test_order(shape, how, dtype, rng):
    a = conftest.BATTERY[shape].astype(dtype)
    if a.shape[0] != a.shape[1] and how != "length":
        with pytest.raises(sparsmith.InputError, match="is for square matrices"):
            sparsmith.reorder(a, how)
        return
    made = sparsmith.reorder(a, how)
    assert made.order == how and made.matrix.format == "csr" and made.matrix.dtype == dtype and made.matrix.copied is None
    for order, size in zip((made.rows, made.cols), a.shape):
        assert order.dtype == np.int32 and np.array_equal(np.sort(order), np.arange(size))
    if how == "length":
        lengths = np.diff(a.indptr)[made.rows]
        assert (lengths[1:] <= lengths[:-1]).all() and np.array_equal(made.cols, np.arange(a.shape[1]))
    else:
        assert np.array_equal(made.rows, made.cols)
    # What SciPy moves to the same places, bit for bit.
    assert np.array_equal(made.matrix.to_scipy().toarray(), a.toarray()[made.rows][:, made.cols])
    x, w = (conftest.values(rng, count).astype(dtype) for count in a.shape[::-1])
    y, z = np.empty(a.shape[0], dtype), np.empty(a.shape[1], dtype)
    y[made.rows] = made.matrix @ x[made.cols]
    z[made.cols] = made.matrix.T @ w[made.rows]
    conftest.require_close(y, a, x, dtype)
    conftest.require_close(z, a.T, w, dtype)


def test_entries_come_near_the_diagonal():
    a = grid(20)
    theirs = scipy.sparse.csgraph.reverse_cuthill_mckee(a)
    ours = bandwidth(sparsmith.reorder(a, "rcm").matrix.to_scipy())
    assert ours <= bandwidth(a) and ours < 50  # 20 is the least there is for a grid of 20 x 20
    assert bandwidth(a) > 300 > bandwidth(a[theirs][:, theirs])


def test_whatever_the_format_and_its_arrays_stay(square):
    before = square.copy()
    right = sparsmith.reorder(square, "rcm")
    other = sparsmith.reorder(sparsmith.convert(square, "sell"), "rcm")
    assert np.array_equal(other.rows, right.rows)
    assert (other.matrix.to_scipy() != right.matrix.to_scipy()).nnz == 0
    assert (square != before).nnz == 0
    rows = right.rows
    del right, other
    rows[:] = rows[::-1].copy()  # the caller's own
    assert np.array_equal(np.sort(rows), np.arange(100))


@pytest.mark.parametrize(
    "how, kind, said",
    (
        ("best", ValueError, 'there is no order "best", only rcm, amd, length'),
        ("", ValueError, "how: expected 'rcm'"),
        (None, TypeError, "how: expected 'rcm'"),
        ("all", ValueError, "there is no order"),
    ),
)
def test_refused(how, kind, said, square):
    with pytest.raises(kind, match=said):
        sparsmith.reorder(square, how)


@pytest.fixture
def known_machine(monkeypatch, tmp_path):
    """Whatever this one was busy with while it was measured: which order is taken follows from figures."""
    (measured,) = pathlib.Path(os.environ["SPARSMITH_CACHE"]).iterdir()
    machine = json.loads(measured.read_text())
    machine["rates"].update(launch_seconds=1e-6, copy_bytes=2e10, read_bytes=1.7e10, cached_read_bytes=2.3e10, gathers=6e7,
                            cached_gathers=1e8, atomics=8e7, contended_atomics=3e7)  # fmt: skip
    (tmp_path / measured.name).write_text(json.dumps(machine))
    monkeypatch.setenv("SPARSMITH_CACHE", str(tmp_path))


def test_advice_of_an_order_is_followed(known_machine, rng):
    a = chain(100_000)
    said = sparsmith.predict(a, reorder="rcm,length")
    told = said.to_dict()
    assert told["schema"] == "sparsmith.orders/1" and [one["order"] for one in told["comparison"]] == [None, "rcm", "length"]
    assert said.order == told["taken"] == "rcm"
    (taken,) = (one for one in told["comparison"] if one["taken"])
    assert said.format == taken["format"] and said.to_row()["order"] == "rcm"
    assert said.seconds * 1e6 == pytest.approx(taken["us"]) and said.price * 1e3 == pytest.approx(taken["price_ms"])
    assert said.repaid_after == pytest.approx(taken["repaid_after"])
    assert said.csr_seconds * 1e6 == pytest.approx(_csr_us(told["orders"][0]))
    text = str(said)
    assert "Take order rcm, with" in text and "order    rcm, which took" in text and re.search(r"\* rcm +\d", text)
    assert "in order rcm" in said._repr_html_() and "in order length" in said._repr_html_()
    made = said.reorder(a)
    m = said.convert(made)
    assert m.format == said.format and m.kernel == said.kernel
    x = conftest.values(rng, a.shape[1])
    y = np.empty(a.shape[0])
    y[made.rows] = m @ x[made.cols]
    conftest.require_close(y, a, x, np.float64)
    # In the order that it is for, and in no other.
    for given in (a, sparsmith.Matrix(a), sparsmith.reorder(a, "length")):
        with pytest.raises(sparsmith.InputError, match="for the matrix in order rcm: give what reorder"):
            said.convert(given)


def _csr_us(document):
    return document["verdict"]["stay"]["us"]


def test_advice_to_leave_the_order(square):
    said = sparsmith.predict(conftest.BATTERY["banded"], reorder=["length"])
    assert said.order == "" and "eave the matrix as it is" in str(said) and said.to_dict()["taken"] is None
    made = said.reorder(square)
    assert made.order == "" and all(np.array_equal(order, np.arange(100)) for order in (made.rows, made.cols))
    for given in (square, made):
        assert np.array_equal(said.convert(given).to_scipy().toarray(), square.toarray())
    with pytest.raises(sparsmith.InputError, match="for the matrix as it is, not in order rcm"):
        said.convert(sparsmith.reorder(square, "rcm"))


def test_races_in_orders():
    said = sparsmith.recommend(grid(30), reorder="length,rcm,rcm", mix=(1, 0), budget=1, formats="csr,csc")
    told = said.to_dict()
    assert [one["order"] for one in told["comparison"]] == [None, "length", "rcm"]
    assert all(not contestant["wrong"] for order in told["orders"] for contestant in order["contestants"])
    assert {one["format"] for one in told["comparison"]} <= {"csr", "csc"}


def test_orders_that_a_shape_allows():
    wide = conftest.BATTERY["wide"]
    assert [one["order"] for one in sparsmith.predict(wide, reorder="all").to_dict()["comparison"]] == [None, "length"]
    assert len(sparsmith.predict(conftest.BATTERY["square"], reorder=("all",)).to_dict()["comparison"]) == 4
    for given, kind, said in (
        ("rcm", ValueError, "order rcm is for square matrices, this one is 13 x 900"),
        ("all,best", ValueError, 'there is no order "best", only rcm, amd, length, all'),
        ([3], TypeError, "reorder: expected names"),
    ):
        with pytest.raises(kind, match=said):
            sparsmith.predict(wide, reorder=given)
    with pytest.raises(sparsmith.InputError, match="leave the orders out"):
        sparsmith.recommend(wide, reorder="length", exhaustive=True)
    assert sparsmith.predict(wide, reorder=None).to_dict()["schema"].startswith("sparsmith.recommend/")


@pytest.mark.skipif("SPARSMITH_SPRECOMMEND" not in os.environ, reason="SPARSMITH_SPRECOMMEND names no tool")
def test_same_as_the_tool(tmp_path):
    file = tmp_path / "grid.mtx"
    sparsmith.write(grid(60), file)
    tool = [os.environ["SPARSMITH_SPRECOMMEND"], file, "--predict", "--as-general", "--reorder", "all", "--device", "cpu"]
    told = json.loads(subprocess.run([*tool, "--json", "--quiet"], capture_output=True, check=True).stdout)
    said = sparsmith.predict(sparsmith.read(file, device="cpu"), reorder="all")
    document_said = said.to_dict()
    for document in (told, document_said):
        for one in document["comparison"]:  # what depends on how long it took
            for name in ("order_ms", "order_products", "price_ms", "repaid_after"):
                del one[name]
        for one in document["orders"]:
            del one["seconds"], one["matrix"]["order_ms"]
            for step in one["steps"]:
                del step["seconds"]
    assert told == document_said
    text = subprocess.run(tool, capture_output=True, check=True, text=True).stdout
    of_tool, of_package = (re.sub(r"[\d.,]+|\b[mu]?s\b", "", one).split() for one in (text, str(said)))
    assert of_tool == of_package
