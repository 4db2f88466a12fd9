"""Sparse-matrix formats: convert, multiply, and find out by measuring which one to take.

    import sparsmith
    said = sparsmith.recommend(A, mix=(1, 1))   # A: of scipy.sparse, a file, a generator
    M = said.convert(A)                         # or sparsmith.convert(A, "bsr", block=4)
    y = M @ x
    z = M.T @ y

docs/python.md explains it by programs.
"""

from ._sparsmith import __version__
from .batch import Profile, profile
from .calls import convert, features, kernels, plan, predict, read, recommend, reorder, write
from .errors import DeviceError, Error, InputError, ResourceError
from .matrix import Matrix
from .results import Advice, Features, Kernel, Plan, Price, Reordered

__all__ = [
    "Advice",
    "DeviceError",
    "Error",
    "Features",
    "InputError",
    "Kernel",
    "Matrix",
    "Plan",
    "Price",
    "Profile",
    "Reordered",
    "ResourceError",
    "__version__",
    "convert",
    "features",
    "kernels",
    "plan",
    "predict",
    "profile",
    "read",
    "recommend",
    "reorder",
    "write",
]
