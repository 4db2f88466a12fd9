"""What was found out: plain data that prints as the tools do, and shows their pages in a notebook."""

from __future__ import annotations

import dataclasses
import html
import json
import math
from typing import Any, Optional

import numpy as np

from .errors import InputError
from .matrix import Matrix


def framed(page):
    """A whole page of its own inside another: its style and its scripts stay there."""
    return (
        f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts" '
        'style="width: 100%; height: 640px; border: 0"></iframe>'
    )


def _table(heading, rows):
    def line(cells, tag):
        return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    return "<table>" + line(heading, "th") + "".join(line(row, "td") for row in rows) + "</table>"


def _row(document):
    """A dictionary without lists and without others inside, whose names lead to their members: a row of pandas.DataFrame."""
    row = {}
    for name, value in document.items():
        if isinstance(value, dict):
            row.update({f"{name}.{inner}": one for inner, one in _row(value).items()})
        elif not isinstance(value, (list, tuple)):
            row[name] = value
    return row


@dataclasses.dataclass(frozen=True)
class Features:
    """What a matrix is like: the members of `spanalyze --json`, which docs/features.md explains."""

    name: str
    field: str
    rows: int
    cols: int
    entries: int
    density: float
    values: Optional[dict]
    symmetry: dict
    row_lengths: dict
    col_lengths: dict
    longest_rows: list
    fullest_diagonals: list
    structure: dict
    blocks: list
    best_block: Optional[dict]
    formats: list
    grid: dict
    _found: Any = dataclasses.field(repr=False, compare=False)

    @classmethod
    def _of(cls, found):
        members = json.loads(found.document())
        del members["schema"]
        return cls(**members, _found=found)

    def to_dict(self) -> dict[str, Any]:
        return json.loads(self._found.document())

    def to_row(self) -> dict[str, Any]:
        """The figures without lists, such as "row_lengths.mean": a row of pandas.DataFrame."""
        return _row(self.to_dict())

    def __str__(self):
        return self._found.text()

    def _repr_html_(self):
        return framed(self._found.page())


@dataclasses.dataclass(frozen=True)
class Price:
    """What a format would cost: bytes of its arrays, values stored, and what converting takes at the most."""

    format: str
    parameters: str
    bytes: int
    slots: int
    fill: float
    peak_bytes: int
    allowed: bool  # within max_fill, and possible at all
    exact: bool  # False: bytes, slots and peak are at least so many

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)


@dataclasses.dataclass(frozen=True)
class Plan:
    """The prices of all formats, in the order of the formats."""

    prices: tuple
    _text: str = dataclasses.field(repr=False, compare=False)

    @classmethod
    def _of(cls, text, document):
        return cls(tuple(Price(**price) for price in json.loads(document)), text)

    def __iter__(self):
        return iter(self.prices)

    def __len__(self):
        return len(self.prices)

    def __getitem__(self, i):
        return self.prices[i]

    def to_dict(self) -> dict[str, Any]:
        return {"plan": [price.to_dict() for price in self.prices]}

    def to_rows(self) -> list[dict[str, Any]]:
        return [price.to_dict() for price in self.prices]

    def __str__(self):
        return self._text

    def _repr_html_(self):
        names = [field.name for field in dataclasses.fields(Price)]
        return _table(names, [[getattr(price, name) for name in names] for price in self.prices])


@dataclasses.dataclass(frozen=True, eq=False)
class Reordered:
    """A matrix in another order: what SciPy has as A[rows][:, cols]. Its product with x[cols] is (A x)[rows]."""

    matrix: Matrix  # in CSR, but as it was where nothing is ordered
    rows: np.ndarray  # at each place the row that came there, as it was numbered before
    cols: np.ndarray  # the same of columns
    order: str  # "rcm", "amd" or "length"; "" where all stayed as it was

    @classmethod
    def _of(cls, a, order):
        if not order:
            return cls(a, *(np.arange(size, dtype=np.int32) for size in a.shape), order)
        held, rows, alike = a._held.reorder(order)
        return cls(Matrix._over(held), rows, rows if alike else np.arange(a.shape[1], dtype=np.int32), order)


@dataclasses.dataclass(frozen=True)
class Advice:
    """Which format to take, with which kernels: `convert` does. Without a format where nothing could run."""

    format: str
    parameters: dict
    order: str  # of rows and columns, of those that were asked for: `reorder` does it; "": as it is
    kernel: str
    kernel_transposed: str
    symmetric: bool  # A equals A^T, and `kernel` computes A x for both
    unsettled: bool  # the machine was busy: another run may say something else
    ties: tuple  # what was not told apart from the fastest, by its kernels
    seconds: float  # of a product, in the proportions of the mix
    csr_seconds: float  # the same from CSR as it is
    bytes: int  # of the matrix, and of what is prepared beside it
    price: float  # seconds to convert and to prepare, and to put it in that order
    repaid_after: float  # products, beside staying in CSR, or of an order beside none; 0: at once, inf: never
    reasons: tuple
    _said: Any = dataclasses.field(repr=False, compare=False)

    @classmethod
    def _of(cls, said):
        told = {field.name: getattr(said, field.name) for field in dataclasses.fields(cls) if field.name != "_said"}
        told["parameters"] = dict(said.parameters)
        told["ties"], told["reasons"] = tuple(said.ties), tuple(said.reasons)
        if said.repaid_after < 0:
            told["repaid_after"] = math.inf
        return cls(**told, _said=said)

    def reorder(self, A: Any) -> Reordered:
        """This matrix, or another like it, in the order advised: as it is where that is none."""
        return Reordered._of(Matrix(A), self.order)

    def convert(self, A: Any) -> Matrix:
        """This matrix, or another like it, in the format and with the kernels advised; of an order what `reorder` gave."""
        given = A.order if isinstance(A, Reordered) else ""
        if given != self.order:
            wanted = f"in order {self.order}: give what reorder(A) of this advice returns" if self.order else "as it is"
            raise InputError(f"the advice is for the matrix {wanted}{f', not in order {given}' if given else ''}")
        a = A.matrix if isinstance(A, Reordered) else Matrix(A)
        made = self._said.convert(a._held)
        return Matrix._over(made, a.copied if made.borrowed else None)

    def to_dict(self) -> dict[str, Any]:
        """The document that `sprecommend --json` prints."""
        return json.loads(self._said.document())

    def to_row(self) -> dict[str, Any]:
        """The figures of this verdict, as a row of pandas.DataFrame."""
        return _row({field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "_said"})

    def __bool__(self):
        return bool(self.format)

    def __str__(self):
        return self._said.text()

    def _repr_html_(self):
        return framed(self._said.page())


@dataclasses.dataclass(frozen=True)
class Kernel:
    """A kernel of a format. Products are "A x", "A^T x", "A x and A^T w" and "A^T (A x)"."""

    name: str
    format: str
    backend: str
    description: str
    source: str
    products: tuple
    repeatable: tuple  # the products that give the same bits every time
    vendor: bool
    history: bool  # races leave it out unless it is named
    why_not: dict  # by product, why it does not compute that of the matrix that was asked about

    def to_dict(self) -> dict[str, Any]:
        return dataclasses.asdict(self)
