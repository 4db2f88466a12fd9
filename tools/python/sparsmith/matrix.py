"""A matrix in any format, with its products."""

from __future__ import annotations

import sys
from typing import Any, Optional

import numpy as np

from . import gpu, inputs, parts, tensors
from .errors import InputError


class Matrix:
    """A matrix in one of Sparsmith's formats: of scipy.sparse, from a file or a generator, or converted.

    Copies made by `convert` are independent; a matrix over arrays of yours shows them without a copy where `copied` is
    None, so that they must stay as they are.
    """

    __slots__ = ("_held", "copied", "dtype", "shape", "__weakref__")
    copied: Optional[str]  # why arrays were copied on the way in; None where they were not
    dtype: np.dtype
    shape: tuple[int, int]
    __array_ufunc__ = None  # an array of NumPy before an @ leaves the product to us

    def __init__(self, source: Any):
        if isinstance(source, Matrix):
            self._take(source._held, source.copied)
        else:
            self._take(*inputs.matrix_from(source))

    @classmethod
    def _over(cls, held, copied=None):
        made = cls.__new__(cls)
        made._take(held, copied)
        return made

    def _take(self, held, copied):
        self._held = held
        self.copied = copied
        self.shape = (held.rows, held.cols)
        self.dtype = np.dtype(held.value_type)

    # ---- what it is ----

    @property
    def format(self) -> str:
        return self._held.format

    @property
    def parameters(self) -> dict[str, int]:
        """The format's own sizes, such as {"block_rows": 4}."""
        return dict(self._held.parameters)

    @property
    def nnz(self) -> int:
        """Stored entries: explicit zeros among them, padding not."""
        return self._held.entries

    @property
    def nbytes(self) -> int:
        return self._held.bytes

    @property
    def name(self) -> str:
        """What it was read from; "matrix" where it was not."""
        return self._held.name

    @property
    def device(self) -> str:
        return "cuda" if self._held.on_gpu else "cpu"

    @property
    def assembly(self) -> dict[str, Any]:
        """What reading did to it: duplicates summed, symmetric entries expanded, values narrowed, ..."""
        return self._held.assembly

    @property
    def arrays(self) -> dict[str, Any]:
        """The arrays of the format by name: views of its own memory, which is not to be written to.

        Of NumPy; on a GPU what cupy.asarray and torch.as_tensor take as it is.
        """
        if self._held.on_gpu:
            return {name: gpu.GpuArray(self._held, *array) for name, array in self._held.arrays_there().items()}
        return self._held.arrays()

    def __repr__(self):
        shape = "{:,} x {:,}".format(*self.shape)
        place = " on the GPU" if self._held.on_gpu else ""
        return f"<sparsmith.Matrix: {self.format}, {shape}, {self.nnz:,} entries, {self.dtype}, {self.nbytes:,} bytes{place}>"

    # ---- as something else ----

    def to(self, device: str) -> Matrix:
        """On the "cpu" or on the GPU, "cuda": a copy where it is not there."""
        if device not in ("cpu", "cuda"):
            raise InputError(f"device: expected 'cpu' or 'cuda', not {device!r}")
        return Matrix._over(self._held.copy_to(device), self.copied)

    def to_scipy(self):
        """A scipy.sparse array of the same kind where SciPy has it (csr, csc, coo), else csr.

        It shows our arrays where types allow and is then not to be written to: `.copy()` is.
        """
        import scipy.sparse

        kind = self.format if self.format in ("csr", "csc", "coo") else "csr"
        here = self._held.copy_to("cpu")
        arrays = (here if here.format == kind else _converted(here, kind)).arrays()
        values = arrays.pop("values")
        if kind == "coo":
            return scipy.sparse.coo_array((values, (arrays["row_indices"], arrays["col_indices"])), shape=self.shape)
        lines, offsets = ("col_indices", "row_offsets") if kind == "csr" else ("row_indices", "col_offsets")
        made = scipy.sparse.csr_array if kind == "csr" else scipy.sparse.csc_array
        return made((values, arrays[lines], arrays[offsets]), shape=self.shape)

    def as_operator(self):
        """A scipy.sparse.linalg.LinearOperator; SciPy's solvers make one themselves."""
        import scipy.sparse.linalg

        return scipy.sparse.linalg.aslinearoperator(self)

    # ---- products ----

    @property
    def T(self) -> Turned:
        """The transpose, for products: nothing is moved."""
        return Turned(self, True, False)

    @property
    def H(self) -> Turned:
        """The adjoint, which is the conjugate of the transpose, for products; of real values the transpose."""
        return _turned(self, True, True)

    def __matmul__(self, x):
        return self._product("multiply", x)

    def __rmatmul__(self, x):
        return _before(x, self.T)

    def matvec(self, x):
        return self._product("multiply", x)

    def rmatvec(self, x):
        return self._product("multiply_adjoint", x)

    matmat, rmatmat = matvec, rmatvec

    def multiply(self, x: Any, out: Any = None, alpha: complex = 1.0, beta: complex = 0.0) -> Any:
        """alpha A x + beta out, in `out` where that is given."""
        return self._product("multiply", x, out, alpha, beta)

    def multiply_transposed(self, x: Any, out: Any = None, alpha: complex = 1.0, beta: complex = 0.0) -> Any:
        """alpha A^T x + beta out, in `out` where that is given."""
        return self._product("multiply_transposed", x, out, alpha, beta)

    def multiply_adjoint(self, x: Any, out: Any = None, alpha: complex = 1.0, beta: complex = 0.0) -> Any:
        """alpha A^H x + beta out, in `out` where that is given; of real values the same as with A^T."""
        return self._product("multiply_adjoint", x, out, alpha, beta)

    def multiply_both(self, x: Any, w: Any, out: Any = None, alpha: complex = 1.0, beta: complex = 0.0) -> tuple[Any, Any]:
        """alpha A x + beta out[0] and alpha A^T w + beta out[1]: A is read once where a kernel of the format does that."""
        if out is not None and not (isinstance(out, (tuple, list)) and len(out) == 2):
            raise TypeError("out: expected two arrays, for A x and for A^T w")
        if tensors.is_tensor(x):
            return tensors.product(self, "multiply_both", (x, w), out, alpha, beta)
        if gpu.is_array(x):
            return gpu.product(self, "multiply_both", (x, w), out, alpha, beta)
        y, z = (None, None) if out is None else out
        rows, cols = self.shape
        x, w = self._vector(x), self._vector(w)
        if x.dtype != self.dtype or w.dtype != self.dtype:
            return parts.product(self, "multiply_both", (x, w), out, alpha, beta)
        y, z = self._result(y, (rows,), beta), self._result(z, (cols,), beta)
        self._held.multiply_both(alpha, x, w, beta, y, z)
        return y, z

    def multiply_normal(self, x: Any, out: Any = None, alpha: complex = 1.0, beta: complex = 0.0) -> Any:
        """alpha A^T (A x) + beta out: A is read once where a kernel of the format does that. Nothing is conjugated."""
        if tensors.is_tensor(x):
            return tensors.product(self, "multiply_normal", (x,), out, alpha, beta)
        if gpu.is_array(x):
            return gpu.product(self, "multiply_normal", (x,), out, alpha, beta)
        x = self._vector(x)
        if x.dtype != self.dtype:
            return parts.product(self, "multiply_normal", (x,), out, alpha, beta)
        z = self._result(out, (self.shape[1],), beta)
        self._held.multiply_normal(alpha, x, beta, z)
        return z

    def _product(self, name, x, out=None, alpha=1.0, beta=0.0):
        if type(x) is not np.ndarray:
            if tensors.is_tensor(x):
                return tensors.product(self, name, (x,), out, alpha, beta)
            if gpu.is_array(x):
                return gpu.product(self, name, (x,), out, alpha, beta)
        x = self._vectors(x)
        if x.dtype is not self.dtype and x.dtype != self.dtype:
            return parts.product(self, name, (x,), out, alpha, beta)
        rows, needed = self.shape
        if name != "multiply":
            rows, needed = needed, rows
        if x.ndim == 1:
            y = self._result(out, (rows,), beta)
        else:
            if x.shape[0] != needed:
                raise InputError(f"x has {x.shape[0]} rows, but the product needs {needed}")
            # By rows or by columns, x as y; one after the other, on a GPU and of the adjoint of complex values, by columns.
            one_by_one = self._held.on_gpu or (name == "multiply_adjoint" and self.dtype.kind == "c")
            order = "F" if one_by_one or (x if out is None else np.asarray(out)).flags.f_contiguous else "C"
            x = np.asarray(x, order=order)
            y = self._result(out, (rows, x.shape[1]), beta, order)
        # By their names: what getattr gives is made anew each time, which short products notice.
        if name == "multiply":
            self._held.multiply(alpha, x, beta, y)
        elif name == "multiply_transposed":
            self._held.multiply_transposed(alpha, x, beta, y)
        else:
            self._held.multiply_adjoint(alpha, x, beta, y)
        return y

    def _vector(self, x):
        x = self._vectors(x)
        if x.ndim != 1:
            raise InputError(f"expected a vector, not an array of {x.ndim} dimensions")
        return x

    def _vectors(self, x):
        """One vector or several as columns, of the matrix's type and without room between; complex ones of a real matrix
        as they are."""
        if type(x) is np.ndarray and x.dtype == self.dtype and x.ndim in (1, 2):
            flags = x.flags
            if (flags.f_contiguous or flags.c_contiguous) and flags.aligned:
                return x
        scipy_sparse = sys.modules.get("scipy.sparse")
        sparse = (scipy_sparse is not None and scipy_sparse.issparse(x)) or gpu.is_cupy_sparse(x)
        if sparse or isinstance(x, (Matrix, Turned)):
            raise TypeError("expected a vector or an array of vectors, not a sparse matrix: products of two are not here")
        found = np.asarray(x)
        if found.dtype.kind not in "biufc":
            raise TypeError(f"expected numbers, which are computed with in {self.dtype}, not {found.dtype}")
        if found.ndim not in (1, 2):
            raise InputError(f"expected one vector or several as columns, not an array of {found.ndim} dimensions")
        if found.dtype.kind == "c" and self.dtype.kind != "c":
            return found
        found = np.require(found, self.dtype, "A")
        return found if found.flags.f_contiguous else np.ascontiguousarray(found)

    def _result(self, out, shape, beta, order="F"):
        if out is None:
            if beta != 0:
                raise InputError("beta is for what is in `out`: give an array there")
            return np.empty(shape, self.dtype, order=order)
        if not (
            isinstance(out, np.ndarray)
            and out.dtype == self.dtype
            and out.shape == shape
            and (out.flags.f_contiguous if order == "F" else out.flags.c_contiguous)
            and out.flags.aligned
            and out.flags.writeable
        ):
            columns = ", its columns contiguous (order='F')" if len(shape) == 2 and order == "F" else ""
            raise TypeError(f"out: expected a writable, contiguous array of {self.dtype} of the shape {shape}{columns}")
        return out

    # ---- kernels ----

    @property
    def kernel(self) -> str:
        """The kernel that computes A x; the three below are of the other products, "" where that is two products."""
        return self._held.kernel()

    @property
    def kernel_transposed(self) -> str:
        return self._held.kernel_transposed()

    @property
    def kernel_both(self) -> str:
        return self._held.kernel_both()

    @property
    def kernel_normal(self) -> str:
        return self._held.kernel_normal()

    def use_kernel(self, name: str, transposed: Optional[str] = None) -> Matrix:
        """For every product that it computes, or for A x where another is named for A^T x; "" is the format's choice."""
        if transposed is None:
            self._held.use_kernel(name)
        else:
            self._held.use_kernels(name, transposed)
        return self


def _before(x, transpose):
    """x @ A: A^T applied to the rows of x."""
    if not tensors.is_tensor(x) and not gpu.is_array(x):
        x = np.asarray(x)
    return transpose @ x if x.ndim < 2 else (transpose @ x.T).T


class Turned:
    """The transpose of a matrix, its adjoint or its conjugate, for products."""

    __slots__ = ("_conjugated", "_of", "_transposed")
    __array_ufunc__ = None

    def __init__(self, of, transposed, conjugated):
        self._of = of
        self._transposed = transposed
        self._conjugated = conjugated

    @property
    def dtype(self):
        return self._of.dtype

    @property
    def shape(self):
        return self._of.shape[::-1] if self._transposed else self._of.shape

    @property
    def T(self):
        return _turned(self._of, not self._transposed, self._conjugated)

    @property
    def H(self):
        return _turned(self._of, not self._transposed, not self._conjugated)

    def __matmul__(self, x):
        if not self._transposed:
            return _conjugate(self._of @ _conjugate(x, self._of))
        return self._of._product("multiply_adjoint" if self._conjugated else "multiply_transposed", x)

    def __rmatmul__(self, x):
        return _before(x, self.T)

    def matvec(self, x):
        return self @ x

    def rmatvec(self, x):
        return self.H @ x

    matmat, rmatmat = matvec, rmatvec

    def __repr__(self):
        what = "transpose" if not self._conjugated else "adjoint" if self._transposed else "conjugate"
        return f"<the {what} of {self._of!r}>"


def _turned(matrix, transposed, conjugated):
    conjugated = conjugated and matrix.dtype.kind == "c"
    return Turned(matrix, transposed, conjugated) if transposed or conjugated else matrix


def _conjugate(x, multiplied_by=None):
    if tensors.is_tensor(x):
        return x.conj().resolve_conj()
    if gpu.is_array(x):
        return gpu.of_cupy().shown(x).conj()
    return np.conj(x if multiplied_by is None else multiplied_by._vectors(x))


def _converted(held, format):
    from . import _sparsmith

    return held.convert(format, _sparsmith.Options())
