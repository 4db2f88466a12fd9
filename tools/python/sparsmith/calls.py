"""The calls, named as the tools are. `A` is whatever `Matrix` takes."""

from __future__ import annotations

import os
from typing import Any, Iterable, Optional, Sequence, Union

from . import _sparsmith, inputs
from .errors import InputError
from .matrix import Matrix
from .options import number, settled, whole
from .results import Advice, Features, Kernel, Plan, Reordered

PRODUCTS = ("A x", "A^T x", "A x and A^T w", "A^T (A x)")


def read(
    path: Union[str, bytes, os.PathLike],
    dtype: Any = None,
    device: Optional[str] = None,
    drop_zeros: bool = False,
    variable: Optional[str] = None,
) -> Matrix:
    """A file of any kind that the tools read, or a generator such as "gen:laplace2d?n=100"; in CSR.

    dtype: float32, float64, complex64 or complex128, by default what the file holds, in the narrower one where that loses
    nothing; complex values are not read as real ones. device: "cpu" or "cuda", by default on the GPU where there is one.
    variable: which matrix of a MATLAB or AnnData file, such as "Problem.A" or "layers/counts".
    """
    return Matrix._over(inputs.read(path, dtype, device, drop_zeros, variable))


def write(A: Any, path: Union[str, bytes, os.PathLike]) -> None:
    """The kind of file follows from the name: .mtx, .mtx.gz, .npz, .bsp.h5 or .h5. It appears complete, or not at all."""
    Matrix(A)._held.write(os.fsencode(path))


def convert(A: Any, format: str, **options: Any) -> Matrix:
    """The same matrix in another format, such as convert(A, "bsr", block=(4, 2)) or convert(A, "gcsb", layout="tile").

    The options are those of spconv without their dashes (docs/spconv.md): max_fill, slice, sigma, width, symmetric,
    diagonals, block, beta, group, window, layout, order, index, holding, tile, renumber, rest.
    """
    made, chosen = settled(format, options)
    return Matrix._over(Matrix(A)._held.convert(made, chosen))


def reorder(A: Any, how: str) -> Reordered:
    """The same matrix with its rows, or rows and columns, in another order, in CSR.

    how: "rcm" (reverse Cuthill-McKee: entries near the diagonal) and "amd" (approximate minimum degree: little fill in
    factors), rows and columns alike, of square matrices; "length": rows alone, the longest first.
    """
    if not isinstance(how, str):
        raise TypeError(f"how: expected 'rcm', 'amd' or 'length', not {how!r}")
    if not how:
        raise InputError("how: expected 'rcm', 'amd' or 'length', not ''")
    return Reordered._of(Matrix(A), how)


def features(A: Any) -> Features:
    """What the matrix is like."""
    return Features._of(Matrix(A)._held.features())


def plan(A: Any) -> Plan:
    """What every format would cost, without making one."""
    return Plan._of(*Matrix(A)._held.plan())


def recommend(
    A: Any,
    mix: Sequence[float] = (1, 1),
    products: float = 0,
    budget: float = 0,
    memory: int = 0,
    repeatable: bool = False,
    formats: Union[None, str, Iterable[str]] = None,
    kernels: Union[None, str, Iterable[str]] = None,
    symmetric: bool = False,
    warm: bool = False,
    prefer_bytes: bool = False,
    exhaustive: bool = False,
    predict: bool = False,
    reorder: Union[None, str, Iterable[str]] = None,
) -> Advice:
    """Which format to take, found by running the kernels of this machine against each other.

    mix: how many products with A, and with A^T, are wanted. products: how many there will be, so that converting is part
    of what they cost; 0: it costs nothing. budget: seconds, 0: by the number of entries. memory: bytes the matrix may
    take, 0: any. repeatable: only kernels that give the same bits every time. formats, kernels: only these. symmetric:
    where A equals A^T, A x may do for both. warm: runs with warm caches decide. prefer_bytes: of what is tied, the fewest
    bytes. exhaustive: all kernels, however far behind. predict: run nothing, rank by a model of the machine. reorder: in
    these orders of rows and columns too ("rcm,length", or "all" that the shape allows), with a budget for each.

    Ctrl-C ends the race.
    """
    options = _sparsmith.RecommendOptions()
    options.mix = _two_numbers(mix)
    options.products = number("products", products)
    options.budget = number("budget", budget)
    options.memory = whole("memory", memory, most=2**63 - 1)
    options.formats = _names("formats", formats)
    options.kernels = _names("kernels", kernels)
    options.repeatable = bool(repeatable)
    options.use_symmetry = bool(symmetric)
    options.warm = bool(warm)
    options.prefer_bytes = bool(prefer_bytes)
    options.exhaustive = bool(exhaustive)
    options.predict = bool(predict)
    options.orders = _names("reorder", reorder)
    return Advice._of(_sparsmith.recommend(Matrix(A)._held, options))


def predict(A: Any, **options: Any) -> Advice:
    """What `recommend` would say by a model of the machine: no kernel is run."""
    return recommend(A, **options, predict=True)


def kernels(A: Any = None) -> list[Kernel]:
    """Every kernel of this build, or those of the matrix's format and why one does not compute its products."""
    known = [_kernel(one, {}) for one in _sparsmith.kernels()]
    if A is None:
        return known
    a = Matrix(A)
    backend = "cuda" if a.device == "cuda" else "openmp"
    of_matrix = {one.name: one for one in a._held.kernels()}
    found = [one for one in _sparsmith.kernels() if one.backend == backend and one.name in of_matrix]
    return [_kernel(one, {p: why for p, why in zip(PRODUCTS, of_matrix[one.name].why_not) if why}) for one in found]


def _kernel(one, why_not):
    return Kernel(
        name=one.name,
        format=one.format,
        backend=one.backend,
        description=one.description,
        source=one.source,
        products=tuple(one.products),
        repeatable=tuple(one.repeatable),
        vendor=one.vendor,
        history=one.history,
        why_not=why_not,
    )


def _two_numbers(mix):
    if isinstance(mix, (str, bytes)) or not hasattr(mix, "__len__") or len(mix) != 2:
        raise TypeError(f"mix: expected how many products with A and with A^T, such as (10, 1), not {mix!r}")
    return [number("mix", mix[0]), number("mix", mix[1])]


def _names(option, given):
    if given is None:
        return []
    names = given.split(",") if isinstance(given, str) else list(given)
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"{option}: expected names, not {name!r}")
    return names
