"""Arrays in a GPU's memory: CuPy's, PyTorch's, and others that show a __cuda_array_interface__.

Nothing goes through the host, and nothing is waited for: products are queued on the stream that is current where the
arrays come from. Neither CuPy nor PyTorch is imported from here before there is such an array.
"""

import functools
import sys

import numpy as np

from . import parts
from .errors import InputError

# Of each product, which of the matrix's two sizes the vectors have that come in, and those that are made.
SIDES = {
    "multiply": ((1,), (0,)),
    "multiply_transposed": ((0,), (1,)),
    "multiply_adjoint": ((0,), (1,)),
    "multiply_both": ((1, 0), (0, 1)),
    "multiply_normal": ((1,), (1,)),
}


def is_array(given):
    """Of CuPy, or of somebody else who shows it as CuPy can take it. PyTorch's tensors are others: tensors.py."""
    cupy = sys.modules.get("cupy")
    return (cupy is not None and isinstance(given, cupy.ndarray)) or hasattr(given, "__cuda_array_interface__")


def is_cupy_sparse(given):
    cupy_sparse = sys.modules.get("cupyx.scipy.sparse")
    return cupy_sparse is not None and cupy_sparse.issparse(given)


class GpuArray:
    """An array of a matrix in the GPU's memory, not to be written to: cupy.asarray(it) and torch.as_tensor(it) show it."""

    __slots__ = ("__cuda_array_interface__", "_held", "dtype", "nbytes", "shape")

    def __init__(self, held, address, length, dtype):
        self._held = held
        self.dtype = np.dtype(dtype)
        self.shape = (length,)
        self.nbytes = length * self.dtype.itemsize
        # Not marked as read-only, which PyTorch takes nothing of. Nobody writes to it any more: no stream to wait for.
        self.__cuda_array_interface__ = {
            "version": 3,
            "typestr": self.dtype.str,
            "shape": self.shape,
            "data": (address, False),
            "strides": None,
            "stream": None,
        }

    def __len__(self):
        return self.shape[0]

    def __repr__(self):
        return f"<sparsmith.GpuArray: {len(self):,} of {self.dtype}>"


class OfCupy:
    """What is needed of CuPy."""

    def __init__(self, cupy):
        self.cupy = cupy
        self.ndarray = cupy.ndarray
        self.current_stream = cupy.cuda.get_current_stream

    def type_of(self, array):
        return array.dtype

    def is_complex(self, array):
        return array.dtype.kind == "c"

    def is_vector(self, array, length, dtype):
        """Whether this is one vector as it has to be, on the first GPU; False of some that could be made so."""
        return (
            type(array) is self.ndarray
            and array.dtype == dtype
            and array.shape == (length,)
            and array.strides == (dtype.itemsize,)
            and array.data.device_id == 0
        )

    def is_here(self, array):
        return isinstance(array, self.ndarray) or hasattr(array, "__cuda_array_interface__")

    def shown(self, array):
        return self.cupy.asarray(array)

    def contiguous(self, array, dtype):
        return self.cupy.ascontiguousarray(array, dtype)

    def is_contiguous(self, array):
        return array.flags.c_contiguous

    def ready(self, array, dtype):
        """One vector or several as columns, each of them contiguous."""
        return self.cupy.asarray(array, dtype, order="F")

    def vector(self, length, dtype):
        return self.ndarray(length, dtype)

    def empty(self, shape, dtype):
        return self.ndarray(shape, dtype, order="F")

    def is_result(self, array, shape, dtype):
        return (
            isinstance(array, self.ndarray)
            and array.dtype == dtype
            and array.shape == shape
            and array.flags.f_contiguous
        )

    def address(self, array):
        return array.data.ptr

    def stream(self):
        return self.current_stream().ptr


def of_cupy():
    try:
        import cupy
    except ImportError as problem:
        raise TypeError(f"arrays on a GPU are taken through CuPy or PyTorch: {problem}") from None
    return _of_cupy(cupy)


class OfTorch:
    """What is needed of PyTorch, for tensors of one device."""

    def __init__(self, device):
        self.torch = sys.modules["torch"]
        self.device = device
        self.types = {np.dtype(name): getattr(self.torch, name) for name in ("float32", "float64", "complex64", "complex128")}

    def type_of(self, tensor):
        return np.dtype(str(tensor.dtype).removeprefix("torch."))

    def is_complex(self, tensor):
        return tensor.is_complex()

    def is_vector(self, tensor, length, dtype):
        return (
            type(tensor) is self.torch.Tensor
            and tensor.dtype is self.types[dtype]
            and tensor.shape == (length,)
            and tensor.device == self.device
            and tensor.is_contiguous()
            and not tensor.is_neg()
            and not tensor.is_conj()
        )

    def is_here(self, tensor):
        return isinstance(tensor, self.torch.Tensor) and tensor.device == self.device

    def shown(self, tensor):
        return tensor

    def contiguous(self, tensor, dtype):
        return tensor.to(getattr(self.torch, dtype.name)).contiguous()

    def is_contiguous(self, tensor):
        return tensor.is_contiguous()

    def ready(self, tensor, dtype):
        tensor = tensor.detach().resolve_neg().resolve_conj().to(self.types[dtype])
        return tensor.mT.contiguous().mT if tensor.dim() == 2 else tensor.contiguous()

    def vector(self, length, dtype):
        return self.torch.empty(length, dtype=self.types[dtype], device=self.device)

    def empty(self, shape, dtype):
        made = self.torch.empty(shape[::-1], dtype=self.types[dtype], device=self.device)
        return made.mT if len(shape) == 2 else made

    def is_result(self, tensor, shape, dtype):
        return (
            isinstance(tensor, self.torch.Tensor)
            and tensor.device == self.device
            and tensor.dtype == self.types[dtype]
            and tuple(tensor.shape) == shape
            and (tensor.mT if tensor.dim() == 2 else tensor).is_contiguous()
        )

    def address(self, tensor):
        return tensor.data_ptr()

    def stream(self):
        return self.torch.cuda.current_stream(self.device.index).cuda_stream


# Made once: products are too short for that.
_of_cupy, of_torch = functools.cache(OfCupy), functools.cache(OfTorch)


def product(matrix, name, vectors, out, alpha, beta, library=None):
    """The product of this name with arrays on the GPU, which is where its results are."""
    if matrix.device != "cuda":
        raise TypeError("the arrays are on the GPU, and the matrix is on the CPU: M.to('cuda')")
    library = library or of_cupy()
    wanted, made = SIDES[name]
    # One vector that is right already, as solvers have it, is not asked for everything else that it could be: that
    # took longer than queueing the product does.
    if len(wanted) == 1 and library.is_vector(vectors[0], matrix.shape[wanted[0]], matrix.dtype):
        length = matrix.shape[made[0]]
        if out is None and beta == 0:
            result = library.vector(length, matrix.dtype)
            _queue(matrix, name, library, alpha, vectors, beta, (result,))
            return result
        if out is not None and library.is_vector(out, length, matrix.dtype):
            _queue(matrix, name, library, alpha, vectors, beta, (out,))
            return out
    one_vector = name in ("multiply_both", "multiply_normal")
    vectors = [_shown(library, x, matrix.shape[side], one_vector) for x, side in zip(vectors, wanted)]
    if matrix.dtype.kind != "c" and any(map(library.is_complex, vectors)):
        return parts.product(matrix, name, vectors, out, alpha, beta)
    vectors = [library.ready(x, matrix.dtype) for x in vectors]
    columns = tuple(vectors[0].shape[1:])
    given = out if isinstance(out, (tuple, list)) else (out,) * len(made)
    results = [_result(library, one, (matrix.shape[side], *columns), matrix.dtype, beta) for one, side in zip(given, made)]
    _queue(matrix, name, library, alpha, vectors, beta, results, *columns)
    return out if out is not None else results[0] if len(results) == 1 else tuple(results)


def _queue(matrix, name, library, alpha, vectors, beta, results, count=1):
    held, at = matrix._held, library.address
    if name == "multiply_both":
        held.multiply_both_there(alpha, *map(at, vectors), beta, *map(at, results), library.stream())
    elif name == "multiply_normal":
        held.multiply_normal_there(alpha, at(vectors[0]), beta, at(results[0]), library.stream())
    else:
        there = getattr(held, name + "_there")
        there(alpha, at(vectors[0]), beta, at(results[0]), count, library.stream())


def _shown(library, x, length, one_vector):
    if not library.is_here(x):
        raise TypeError(f"expected arrays on the same GPU throughout, not {type(x).__name__}")
    x = library.shown(x)
    if len(x.shape) not in ((1,) if one_vector else (1, 2)):
        raise InputError(f"expected {'a vector' if one_vector else 'one vector or several as columns'}, "
                         f"not an array of {len(x.shape)} dimensions")  # fmt: skip
    if x.shape[0] != length:
        raise InputError(f"x has {x.shape[0]} elements, but the product needs {length}")
    return x


def _result(library, out, shape, dtype, beta):
    if out is None:
        if beta != 0:
            raise InputError("beta is for what is in `out`: give an array there")
        return library.empty(shape, dtype)
    if not library.is_result(out, shape, dtype):
        order = ", its columns contiguous" if len(shape) == 2 else ""
        raise TypeError(f"out: expected a contiguous array on the same GPU, of {dtype} and of the shape {shape}{order}")
    return out
