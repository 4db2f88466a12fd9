"""What goes in: without a copy where that is promised, said where it is not, and refused in a sentence."""

import gc
import sys
import weakref

import conftest
import numpy as np
import pytest
import scipy.sparse
import sparsmith


def pointer(array):
    return array.__array_interface__["data"][0]


@pytest.mark.parametrize("kind", (scipy.sparse.csr_array, scipy.sparse.csr_matrix))
@pytest.mark.parametrize("offsets", (np.int32, np.int64))
@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_csr_is_not_copied(kind, offsets, dtype, square):
    a = kind(square.astype(dtype))
    a.indptr = a.indptr.astype(offsets)
    a.indices = a.indices.astype(np.int32)
    m = sparsmith.Matrix(a)
    assert m.copied is None and m.format == "csr" and m.nnz == a.nnz and m.dtype == dtype
    arrays = m.arrays
    assert list(arrays) == ["row_offsets", "col_indices", "values"]
    for mine, yours in zip(arrays.values(), (a.indptr, a.indices, a.data)):
        assert pointer(mine) == pointer(yours) and mine.dtype == yours.dtype and not mine.flags.writeable
    a.data[0] = 77
    assert arrays["values"][0] == 77


def test_lent_arrays_live_as_long_as_they_are_shown(square):
    a = square.copy()
    a.data = a.data.copy()  # nobody else's
    right = a @ np.ones(100)
    gone = weakref.ref(a.data)
    m = sparsmith.Matrix(a)
    of_advice = sparsmith.predict(m, formats="csr").convert(m)
    values = m.arrays["values"]
    del a
    gc.collect()
    assert np.array_equal(m @ np.ones(100), sparsmith.Matrix(m) @ np.ones(100))
    del m
    gc.collect()
    assert gone() is not None
    assert np.allclose(of_advice @ np.ones(100), right)
    del of_advice
    assert gone() is not None and values[0] == gone()[0]
    del values
    gc.collect()
    assert gone() is None


def test_arrays_keep_the_matrix(square):
    values = sparsmith.convert(square, "csc").arrays["values"]
    gc.collect()
    assert np.array_equal(values, square.tocsc().data)
    with pytest.raises(ValueError):
        values[0] = 1


@pytest.mark.filterwarnings("ignore::scipy.sparse.SparseEfficiencyWarning")
@pytest.mark.parametrize("kind", ("csc", "coo", "bsr", "dia"))
@pytest.mark.parametrize("shape", ("0 x 0", "0 x 5", "1 x n", "n x 1", "square", "gaps"))
def test_other_kinds_are_copied_and_said(kind, shape):
    a = conftest.BATTERY[shape]
    if kind in ("bsr", "dia") and 0 in a.shape:
        pytest.skip("SciPy has none of this shape")
    m = sparsmith.Matrix(a.asformat(kind))
    assert m.copied.startswith(f"{kind} made csr")
    assert np.array_equal(m.to_scipy().toarray(), a.toarray())


def test_why_csr_was_copied(square):
    def of(change):
        a = square.copy()
        change(a)
        m = sparsmith.Matrix(a)
        assert np.array_equal(m.to_scipy().toarray(), a.toarray())
        return m.copied

    def unsorted(a):
        a.indices[:2] = a.indices[1::-1]
        a.data[:2] = a.data[1::-1]
        a.has_sorted_indices = a.has_canonical_format = False

    def twice(a):
        a.indices[1] = a.indices[0]
        a.has_canonical_format = False

    def every_second(a):
        a.data = np.repeat(a.data, 2)[::2]

    def wide(a):
        a.indices = a.indices.astype(np.int64)

    assert of(lambda a: None) is None
    assert of(unsorted) == of(twice) == "columns sorted and duplicates added up"
    assert of(every_second) == "values made contiguous"
    assert of(wide) == "column indices of int64 made int32"


@pytest.mark.parametrize("dtype", (bool, np.int8, np.uint64))
def test_values_of_other_types(dtype):
    a = scipy.sparse.csr_array(np.array([[0, 1, 0], [1, 0, 1]]).astype(dtype))
    m = sparsmith.Matrix(a)
    assert m.dtype == np.float64
    assert m.copied.startswith(f"values of {np.dtype(dtype)} made float64")
    assert np.array_equal(m.arrays["values"], [1, 1, 1])


def test_duplicates_do_not_overflow():
    a = scipy.sparse.coo_array((np.full(3, 100, np.int8), ([0, 0, 0], [1, 1, 1])), shape=(2, 2))
    assert sparsmith.Matrix(a).arrays["values"][0] == 300


def test_entries_past_the_last_offset_are_none(square):
    a = square.copy()
    entries = a.nnz
    a.data, a.indices = np.append(a.data, 5.0), np.append(a.indices, np.int32(3))
    m = sparsmith.Matrix(a)
    assert m.nnz == entries and m.copied is None


def test_paths_and_generators(tmp_path, square):
    for given in (str(tmp_path / "a.npz"), tmp_path / "a.mtx", bytes(tmp_path / "ä.h5")):
        sparsmith.write(square, given)
        m = sparsmith.Matrix(given)
        assert np.array_equal(m.to_scipy().toarray(), square.toarray())
        assert (sparsmith.read(given, dtype="float32") @ np.ones(100)).dtype == np.float32
    assert sparsmith.read("gen:laplace2d?n=7").shape == (49, 49)
    strange = bytes(tmp_path) + b"/\xff.mtx"
    sparsmith.write(square, strange)
    assert sparsmith.read(strange).name.encode(errors="surrogateescape") == strange
    with pytest.raises(sparsmith.InputError, match=r"\\xfe.mtx: No such file"):
        sparsmith.read(bytes(tmp_path) + b"/\xfe.mtx")


def test_what_reading_did(tmp_path):
    file = tmp_path / "a.mtx"
    file.write_text("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 0\n2 1 0.1\n2 1 1\n")
    assert sparsmith.read(file).assembly["duplicates_summed"] == 2  # with their mirror images
    m = sparsmith.read(file, dtype=np.float32, drop_zeros=True)
    assert m.nnz == 2 and m.assembly["zeros_dropped"] and m.assembly["expanded"] > 0


class OnGpu:
    __cuda_array_interface__ = {}


@pytest.mark.parametrize(
    "given, said",
    (
        (3, "expected a sparse array or matrix of SciPy or CuPy"),
        (None, "expected a sparse array or matrix of SciPy or CuPy"),
        (np.ones((2, 2)), "expected a sparse array.*not ndarray"),
        (OnGpu(), "expected a sparse array.*not OnGpu"),
        (scipy.sparse.csr_array(np.eye(2, dtype=np.clongdouble)), "Sparsmith computes in float32, float64, complex64 and complex128"),
        (scipy.sparse.csr_array(np.eye(2, dtype=np.longdouble)), "Sparsmith computes in float32, float64, complex64 and complex128"),
        (scipy.sparse.coo_array(np.ones(3)), "not an array of 1 dimensions"),
        (scipy.sparse.eye_array(2, format="lil", dtype=np.clongdouble), "Sparsmith computes in"),
    ),
)
def test_wrong_arguments(given, said):
    for call in (sparsmith.Matrix, sparsmith.plan, sparsmith.features, sparsmith.recommend, lambda a: sparsmith.convert(a, "coo")):
        with pytest.raises(TypeError, match=said):
            call(given)


def test_damaged_csr(square):
    outside = square.copy()
    outside.indices[-1] = 100
    below = square.copy()
    below.indices[0] = -1
    wide = square.copy()
    wide.indices = wide.indices.astype(np.int64)
    wide.indices[-1] = 2**32 + 1  # would be a column inside
    backwards = square.copy()
    backwards.indptr[50] = 10**6
    for a in (outside, below, wide, backwards):
        a.has_sorted_indices = a.has_canonical_format = True
        with pytest.raises(sparsmith.InputError, match="CSR: "):
            sparsmith.Matrix(a)
    unsorted = square.copy()
    row = int(np.argmax(np.diff(unsorted.indptr) > 1))
    first = unsorted.indptr[row]
    unsorted.indices[first : first + 2] = unsorted.indices[first : first + 2][::-1].copy()
    unsorted.has_sorted_indices = unsorted.has_canonical_format = True
    with pytest.raises(sparsmith.InputError, match=f"CSR: row {row}: columns are not sorted"):
        sparsmith.Matrix(unsorted)


def test_lil_goes_through_csr(square):
    assert sparsmith.Matrix(square.tolil()).copied == "lil made csr"


def test_devices():
    assert sparsmith.read("gen:diagonal?n=3", device="cpu").device == "cpu"
    with pytest.raises(ValueError, match="device"):
        sparsmith.read("gen:diagonal?n=3", device="tpu")
    m = sparsmith.read("gen:diagonal?n=3", device="cpu")
    assert m.to("cpu") @ np.ones(3) is not None
    with pytest.raises(TypeError, match="float32, float64, complex64 or complex128, not int64"):
        sparsmith.read("gen:diagonal?n=3", dtype=int)


def test_references_come_back(square):
    arrays = (square.data, square.indices, square.indptr)
    before = [sys.getrefcount(array) for array in arrays]
    for _ in range(100):
        m = sparsmith.Matrix(square)
        m.arrays, sparsmith.convert(m, "coo").arrays
    del m
    gc.collect()
    assert [sys.getrefcount(array) for array in arrays] == before
