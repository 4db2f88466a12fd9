"""From what a caller has to a matrix of the extension: without a copy where his arrays are CSR as they stand."""

import os
import sys

import numpy as np

from . import _sparsmith, gpu, tensors
from .errors import InputError

EXPECTED = (
    "expected a sparse array or matrix of SciPy or CuPy (csr, csc, coo, bsr or dia), a sparse tensor of PyTorch, a "
    "sparsmith.Matrix, a path or a generator such as 'gen:laplace2d?n=100'"
)
DEVICES = (None, "auto", "cpu", "cuda")


def matrix_from(given):
    """The extension's matrix, and why arrays were copied: None where they were not."""
    if isinstance(given, (str, bytes, os.PathLike)):
        return read(given), None
    scipy_sparse = sys.modules.get("scipy.sparse")  # who has such a matrix has imported it
    if scipy_sparse is not None and scipy_sparse.issparse(given):
        return _from_scipy(given, OfNumpy())
    if tensors.is_tensor(given):
        return _from_tensor(given)
    if gpu.is_cupy_sparse(given):
        return _from_scipy(given, gpu.of_cupy())
    raise TypeError(f"{EXPECTED}; not {type(given).__name__}")


class OfNumpy:
    """What is needed of NumPy; gpu.py has others."""

    def type_of(self, array):
        return array.dtype

    def contiguous(self, array, dtype):
        return np.require(array, dtype, ["C", "A"])

    def is_contiguous(self, array):
        return array.flags.c_contiguous and array.flags.aligned


def read(path, dtype=None, device=None, drop_zeros=False, variable=None):
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise TypeError(f"expected a path or a generator such as 'gen:laplace2d?n=100', not {type(path).__name__}")
    if device not in DEVICES:
        raise InputError(f"device: expected 'auto', 'cpu' or 'cuda', not {device!r}")
    values = "" if dtype is None else value_type(dtype).name
    return _sparsmith.read(os.fsencode(path), device or "auto", values, bool(drop_zeros), os.fsencode(variable or ""))


# The types there are products for.
VALUES = tuple(map(np.dtype, ("float32", "float64", "complex64", "complex128")))


def value_type(dtype):
    found = np.dtype(dtype)
    if found not in VALUES:
        raise TypeError(f"dtype: expected float32, float64, complex64 or complex128, not {found}")
    return found


def _values_as(dtype):
    """The type in which values are computed with; integers of more than 53 bits are rounded."""
    if dtype in VALUES:
        return dtype
    if dtype.kind in "biu":
        return np.dtype(np.float64)
    raise TypeError(f"values of {dtype}: Sparsmith computes in float32, float64, complex64 and complex128")


def _from_scipy(a, library):
    """Of SciPy, or of CuPy, which has the same names."""
    if len(a.shape) != 2:
        raise TypeError(f"expected a matrix, not an array of {len(a.shape)} dimensions")
    why = []
    values = _values_as(a.dtype)
    if a.format != "csr":
        why.append(f"{a.format} made csr")
        if a.dtype != values:
            why.append(f"values of {a.dtype} made {values}")
            a = a.astype(values)  # before duplicates are added up
        a = a.tocsr()
    if not a.has_canonical_format:
        why.append("columns sorted and duplicates added up")
        if a.dtype != values:  # before they are added up
            why.append(f"values of {a.dtype} made {values}")
        a = a.copy() if a.dtype == values else a.astype(values)
        a.sum_duplicates()
    return _borrowed(library, a.shape, a.indptr, a.indices, a.data, why)


def _from_tensor(tensor):
    *parts, why = tensors.csr_arrays(tensor)
    on_gpu = tensor.is_cuda
    library = gpu.of_torch(tensor.device) if on_gpu else OfNumpy()
    return _borrowed(library, tuple(tensor.shape), *(parts if on_gpu else map(tensors.array_of, parts)), why)


def _borrowed(library, shape, offsets, indices, data, why):
    """A matrix over arrays of CSR whose columns rise in every row, and why they were copied after all."""
    data, why_data = _contiguous(library, data, _values_as(library.type_of(data)), "values")
    indices, why_indices = _narrow_columns(library, indices, shape[1])
    given, int64 = library.type_of(offsets), np.dtype(np.int64)
    offsets, why_offsets = _contiguous(library, offsets, given if given in (np.dtype(np.int32), int64) else int64, "row offsets")
    why += [one for one in (why_data, why_indices, why_offsets) if one]
    entries = int(offsets[-1])
    if len(data) > entries or len(indices) > entries:  # SciPy's arrays may be longer than what is in them
        data, indices = data[:entries], indices[:entries]
    arrays = (offsets, indices, data)
    if isinstance(library, OfNumpy):
        made = _sparsmith.borrow_csr(*shape, *arrays, arrays)
    else:
        types = [library.type_of(array) for array in arrays]
        bits = [8 * one.itemsize for one in types]
        places = [(library.address(array), len(array)) for array in arrays]
        held_in = bits[0], bits[2], types[2].kind == "c"
        made = _sparsmith.borrow_csr_there(*shape, *places, *held_in, library.stream(), arrays)
    return made, "; ".join(why) or None


def _contiguous(library, array, dtype, name):
    given = library.type_of(array)
    if given != dtype:
        return library.contiguous(array, dtype), f"{name} of {given} made {dtype}"
    if not library.is_contiguous(array):
        return library.contiguous(array, dtype), f"{name} made contiguous"
    return array, None


def _narrow_columns(library, indices, cols):
    int32 = np.dtype(np.int32)
    # What is outside the matrix is not made to look as if it were inside.
    if library.type_of(indices) != int32 and len(indices) > 0 and (indices.min() < 0 or indices.max() >= max(cols, 1)):
        raise InputError(f"CSR: a column index is outside 0..{cols - 1}")
    return _contiguous(library, indices, int32, "column indices")
