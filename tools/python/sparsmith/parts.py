"""Complex vectors times a real matrix: a product of their real parts and one of their imaginary parts."""

import sys

from .errors import InputError


def product(matrix, name, vectors, out, alpha, beta):
    """alpha times the product of this name, and beta times what is in `out`: arrays of NumPy or CuPy, or tensors."""
    multiply = getattr(matrix, name)
    factor = complex(alpha)
    inner = factor.real if factor.imag == 0 else 1.0  # where it is 0 the vectors are not read
    real = multiply(*(x.real for x in vectors), alpha=inner)
    imaginary = multiply(*map(_imaginary, vectors), alpha=inner)
    alone = not isinstance(real, tuple)
    made = [_joined(real, imaginary)] if alone else list(map(_joined, real, imaginary))
    if factor.imag != 0:
        made = [complex(alpha) * y for y in made]
    if out is None:
        if beta != 0:
            raise InputError("beta is for what is in `out`: give an array there")
        return made[0] if alone else tuple(made)
    outs = [out] if alone else out
    for one, right in zip(outs, made):
        if not (isinstance(one, type(right)) and one.dtype == right.dtype and one.shape == right.shape):
            shape = tuple(right.shape)
            raise TypeError(f"out: expected an array of {right.dtype} of the shape {shape}, since the vectors are complex")
    for one, y in zip(outs, made):
        one[...] = y if beta == 0 else complex(beta) * one + y
    return out


def _is_tensor(x):
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(x, torch.Tensor)


def _imaginary(x):
    # PyTorch has none of real numbers.
    return x.new_zeros(x.shape) if _is_tensor(x) and not x.is_complex() else x.imag


def _joined(real, imaginary):
    if _is_tensor(real):
        return sys.modules["torch"].complex(real, imaginary)
    made = real.astype(f"c{2 * real.dtype.itemsize}")
    made.imag = imaginary
    return made
