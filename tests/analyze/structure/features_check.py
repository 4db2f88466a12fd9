#!/usr/bin/env python3
"""Compares spanalyze with NumPy and SciPy: features_check.py --tool SPANALYZE [--matrices DIR] [--most N] [MATRIX...]

Every feature of `spanalyze --json` is computed once more from what scipy.io.mmread reads: of generated matrices and of
up to N matrices of a collection (DIR, or SPARSMITH_MATRICES), or only of the matrices named. The output must be the
same for any number of threads. Exit 1: something differs; 77: nothing to run with.
"""
import argparse
import csv
import functools
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy
    import scipy.io
    import scipy.sparse as sparse
    from scipy.sparse import csgraph
except ImportError as missing:
    print(f"features_check: SKIPPED, {missing}")
    sys.exit(77)

BINS, TOP = 20, 20  # given to the tool, so that its defaults may change
MOST_GRID = 64      # cells along a side
MOST_BSR = 64       # rows or columns of a block that BSR is priced for
MOST_FILL = 3       # above it a format is not allowed
VALUE, INDEX, OFFSET = 8, 4, 4  # bytes; offsets of 64 bits only come with more entries than any file here has
LARGE = 100_000     # entries
MOST_FOR_RANK = 1_000_000  # entries
FIELDS = ("real", "integer", "pattern")
SHOWN = 6           # differences named of one matrix
PATIENCE = 300      # seconds for one run
ABSENT = object()


class Tool:
    def __init__(self, path):
        self.path = path

    def run(self, matrix, *options):
        return subprocess.run([self.path, str(matrix), "--json", "--quiet", *options], capture_output=True,
                              timeout=PATIENCE)


class Comparison:
    """Of one matrix: what is expected against what was got, member by member."""

    def __init__(self):
        self.values = 0
        self.differences = []

    def differs(self, where, expected, got):
        self.differences.append(f"{where}: expected {short(expected)}, got {short(got)}")

    def compare(self, where, expected, got):
        if isinstance(expected, dict):
            if not isinstance(got, dict):
                self.values += 1
                self.differs(where, "an object", got)
                return
            for key, value in expected.items():
                self.compare(f"{where}.{key}" if where else key, value, got.get(key, ABSENT))
        elif isinstance(expected, np.ndarray):
            self.compare_counts(where, expected, got)
        elif isinstance(expected, list):
            if not isinstance(got, list) or len(expected) != len(got):
                self.values += 1
                self.differs(where, expected, got)
                return
            for at, (left, right) in enumerate(zip(expected, got)):
                self.compare(f"{where}[{at}]", left, right)
        else:
            self.values += 1
            if not same(expected, got):
                self.differs(where, expected, got)

    def compare_counts(self, where, expected, got):
        """A long list of counts, without a call for each."""
        self.values += expected.size
        if not isinstance(got, list) or len(got) != expected.size:
            self.differs(where, f"{expected.size} counts", got)
            return
        if not all(type(count) is int for count in got):
            self.differs(where, "integers", got)
            return
        wrong = np.flatnonzero(expected != np.array(got, dtype=np.int64))
        if wrong.size > 0:
            at = int(wrong[0])
            self.differs(f"{where}[{at}] and {wrong.size - 1} more", int(expected[at]), got[at])


def short(value):
    if value is ABSENT:
        return "nothing"
    text = value if isinstance(value, str) else repr(value)
    return text if len(text) <= 100 else text[:97] + "..."


def same(expected, got):
    """Counts, names and nulls exactly; what is no whole number, nearly."""
    if isinstance(expected, float):
        return type(got) in (int, float) and math.isclose(expected, got, rel_tol=1e-11, abs_tol=1e-12)
    return (type(expected) is type(got) or isinstance(expected, AboutAsMuch)) and expected == got


def ratio(part, whole):
    return None if whole == 0 else part / whole


def ceil_div(number, by):
    return -(-number // by)


class Matrix:
    """A matrix as SciPy reads it: duplicates summed, stored zeros kept; rows and columns of the entries in order."""

    def __init__(self, path):
        read = scipy.io.mmread(str(path))
        coo = sparse.coo_matrix(read)
        self.is_complex = np.iscomplexobj(coo.data)
        data = coo.data if self.is_complex else coo.data.astype(np.float64)
        csr = sparse.coo_matrix((data, (coo.row, coo.col)), shape=coo.shape).tocsr()
        csr.sum_duplicates()
        csr.sort_indices()
        self.rows, self.cols = (int(side) for side in csr.shape)
        self.entries = int(csr.indptr[-1])
        self.values = csr.data
        self.counted = {}  # by the shape of a block
        self.col = csr.indices.astype(np.int64)
        self.row_lengths = np.diff(csr.indptr).astype(np.int64)
        self.row = np.repeat(np.arange(self.rows, dtype=np.int64), self.row_lengths)
        self.col_lengths = np.bincount(self.col, minlength=self.cols).astype(np.int64)
        self.pattern = sparse.csr_matrix((np.ones(self.entries, dtype=np.int64), csr.indices, csr.indptr),
                                         shape=csr.shape)

    @functools.cached_property
    def stored_zeros(self):
        return int(np.count_nonzero(self.values == 0))

    def block_counts(self, height, width):
        """Entries of every block that has any, in row-major order."""
        if (height, width) not in self.counted:
            self.counted[height, width] = self.count_blocks(height, width)
        return self.counted[height, width]

    def count_blocks(self, height, width):
        shape = ceil_div(self.rows, height), ceil_div(self.cols, width)
        blocks = sparse.coo_matrix((np.ones(self.entries, dtype=np.int64), (self.row // height, self.col // width)),
                                   shape=shape).tocsr()
        blocks.sum_duplicates()
        return blocks.data


# What the JSON is expected to hold.

def expected_bins(lengths, edges):
    """Bins from every edge to the one before the next; `lengths` is not empty."""
    lines, _ = np.histogram(lengths, bins=np.array(edges, dtype=np.float64) - 0.5)
    entries, _ = np.histogram(lengths, bins=np.array(edges, dtype=np.float64) - 0.5, weights=lengths)
    so_far = np.cumsum(entries)
    total = int(lengths.sum())
    return [{"first": edges[b], "last": edges[b + 1] - 1, "lines": int(lines[b]), "entries": int(entries[b]),
             "cumulative_entries": float(so_far[b] / total) if total else 0.0} for b in range(len(edges) - 1)]


def gini(lengths, counts):
    """Half the mean difference of any two lines, over the mean."""
    lines, mean = counts.sum(), (lengths * counts).sum() / counts.sum()
    differences = sum(float(count) * float((np.abs(lengths - length) * counts).sum())
                      for length, count in zip(lengths, counts))
    return float(differences / lines / lines / 2 / mean)


def expected_lengths(lengths, bins):
    if lengths.size == 0:
        zeros = {key: 0 for key in ("lines", "empty", "min", "q1", "median", "q3", "max")}
        shares = {key: 0.0 for key in ("mean", "deviation", "variation", "gini")}
        return {**zeros, **shares, "distribution": [], "linear_bins": [], "log2_bins": []}
    mean, deviation, longest = float(lengths.mean()), float(lengths.std()), int(lengths.max())
    # A quartile is the smallest length that so many quarters of the lines do not exceed.
    quartiles = np.quantile(lengths, (0.25, 0.5, 0.75), method="inverted_cdf")
    occurring, lines = np.unique(lengths, return_counts=True)
    width = ceil_div(longest + 1, bins)
    linear = list(range(0, longest + width + 1, width))
    doubling = [0, 1]
    while doubling[-1] <= longest:
        doubling.append(2 * doubling[-1])
    return {
        "lines": lengths.size, "empty": int(np.count_nonzero(lengths == 0)), "min": int(lengths.min()),
        "q1": int(quartiles[0]), "median": int(quartiles[1]), "q3": int(quartiles[2]), "max": longest,
        "mean": mean, "deviation": deviation, "variation": deviation / mean if mean else 0.0,
        "gini": gini(occurring, lines) if mean else 0.0,
        "distribution": [[int(length), int(count)] for length, count in zip(occurring, lines)],
        "linear_bins": expected_bins(lengths, linear), "log2_bins": expected_bins(lengths, doubling)}


def finite(number):
    """JSON has no word for others."""
    return float(number) if math.isfinite(number) else None


def expected_values(m):
    sizes = np.abs(m.values)
    some = sizes[sizes > 0]
    sums = [np.bincount(lines, weights=sizes, minlength=count) for lines, count in ((m.col, m.cols), (m.row, m.rows))]
    largest = sizes.max(initial=0)
    # NumPy's norm squares what is too large or too small for that.
    frobenius = largest * np.linalg.norm(sizes / largest) if 0 < largest < np.inf else largest
    expected = {"explicit_zeros": m.stored_zeros, "nans": int(np.count_nonzero(np.isnan(m.values))),
                "infinities": int(np.count_nonzero(np.isinf(m.values))),
                "smallest": finite(some.min()) if some.size else 0.0, "largest": finite(some.max()) if some.size else 0.0,
                "norm_1": finite(sums[0].max(initial=0)), "norm_infinity": finite(sums[1].max(initial=0)),
                "norm_frobenius": finite(frobenius), "norm_max": finite(largest),
                "dominant_rows": None, "strictly_dominant_rows": None, "diagonal_zeros": None}
    if m.rows == m.cols:
        on = m.row == m.col
        diagonal = np.bincount(m.row[on], weights=sizes[on], minlength=m.rows)
        others = np.bincount(m.row[~on], weights=sizes[~on], minlength=m.rows)
        expected["dominant_rows"] = int(np.count_nonzero(diagonal >= others))
        expected["strictly_dominant_rows"] = int(np.count_nonzero(diagonal > others))
        expected["diagonal_zeros"] = int(np.count_nonzero(sizes[on] == 0))
    return expected


def expected_rank(m, options):
    """None where it was not asked for and may take long."""
    if m.entries > MOST_FOR_RANK and "--rank" not in options:
        return None
    if m.entries == 0:
        return 0
    # Of columns and rows that have entries: SciPy allocates for all of them.
    numbered = [np.unique(lines, return_inverse=True)[1] for lines in (m.row, m.col)]
    pattern = sparse.csr_matrix((np.ones(m.entries, dtype=np.int8), numbered))
    return int(csgraph.structural_rank(pattern))


class AboutAsMuch(int):
    """What another program of the same kind comes to."""

    def __eq__(self, other):
        return type(other) is int and self / 2 - 5 <= other <= self * 1.25 + 5

    __hash__ = int.__hash__


def expected_rcm_bandwidth(m, options):
    if m.rows != m.cols or (m.entries > MOST_FOR_RANK and "--rank" not in options):
        return None
    if m.entries == 0:
        return 0
    pattern = (m.pattern + m.pattern.T).tocsr()
    order = csgraph.reverse_cuthill_mckee(pattern, symmetric_mode=True)
    places = np.empty(m.rows, dtype=np.int64)
    places[order] = np.arange(m.rows)
    return AboutAsMuch(np.abs(places[m.row] - places[m.col]).max())


def expected_symmetry(m):
    if m.rows != m.cols:
        counts = {key: 0 for key in ("off_diagonal_entries", "pattern", "values", "negated")}
        shares = {key: None for key in ("pattern_share", "values_share", "negated_share")}
        symmetry = {"square": False, **counts, **shares}
    else:
        off = m.row != m.col
        places, mirrored = (m.row * m.cols + m.col)[off], (m.col * m.cols + m.row)[off]
        values = m.values[off]
        at = np.searchsorted(places, mirrored)
        at[at == places.size] = 0
        found = places[at] == mirrored if places.size else np.zeros(0, dtype=bool)
        here, there = values[found], values[at[found]]
        counts = {"pattern": int(np.count_nonzero(found)), "values": int(np.count_nonzero(here == there)),
                  "negated": int(np.count_nonzero(here == -there))}
        if m.is_complex:
            counts["conjugate"] = int(np.count_nonzero(here == there.conj()))
        all_off = int(np.count_nonzero(off))
        shares = {f"{key}_share": count / all_off if all_off else 1.0 for key, count in counts.items()}
        symmetry = {"square": True, "off_diagonal_entries": all_off, **counts, **shares}
    return symmetry


def expected_structure(m, options):
    offsets = m.col - m.row
    starts = m.pattern.indptr[:-1][m.row_lengths > 0]
    right = m.pattern[:, :-1].multiply(m.pattern[:, 1:]).nnz if m.rows > 0 and m.cols > 1 else 0
    below = m.pattern[:-1, :].multiply(m.pattern[1:, :]).nnz if m.rows > 1 and m.cols > 0 else 0
    diagonals = np.unique(offsets, return_counts=True)[1]
    on_full = diagonals[2 * diagonals >= m.rows]
    return {"full_diagonals": on_full.size, "on_full_diagonals": int(on_full.sum()),
            "on_full_diagonals_share": ratio(int(on_full.sum()), m.entries),
            "lower_bandwidth": int(max(0, -offsets.min())) if m.entries else 0,
            "upper_bandwidth": int(max(0, offsets.max())) if m.entries else 0,
            "profile": int(np.maximum(0, -offsets[starts]).sum()),
            "diagonal_entries": int(np.count_nonzero(m.pattern.diagonal())) if m.rows and m.cols else 0,
            "diagonals": diagonals.size, "next_column": int(right), "row_below": int(below),
            "x_lines": m.block_counts(1, 128 // 8).size, "structural_rank": expected_rank(m, options),
            "rcm_bandwidth": expected_rcm_bandwidth(m, options),
            "diagonal_missing": m.rows - int(np.count_nonzero(m.row == m.col)) if m.rows == m.cols else None,
            "next_column_share": ratio(int(right), m.entries), "row_below_share": ratio(int(below), m.entries)}


def expected_longest_rows(m, top):
    order = np.argsort(-m.row_lengths, kind="stable")[:top]
    return [{"row": int(row), "length": int(m.row_lengths[row])} for row in order if m.row_lengths[row] > 0]


def expected_fullest_diagonals(m):
    offsets, counts = np.unique(m.col - m.row, return_counts=True)
    return [{"offset": int(offsets[d]), "entries": int(counts[d]), "fill": counts[d] / m.rows}
            for d in np.argsort(-counts, kind="stable")[:10]]


def expected_block(m, height, width):
    counts, places = m.block_counts(height, width), height * width
    classes = ceil_div(10 * counts, places) - 1
    return {"rows": height, "cols": width, "blocks": counts.size,
            "fill": counts.size * places / m.entries if m.entries else 1.0,
            "density": np.bincount(classes, minlength=10).astype(np.int64)}


def expected_best_block(m):
    """Of all shapes but 1 x 1 the one whose BSR takes the fewest bytes, and then has the smallest area and fewest rows."""
    if m.entries == 0:
        return None
    shapes = [(height, width) for height in range(1, 9) for width in range(1, 9)] + [(16, 16), (32, 32)]

    def preference(shape):
        height, width = shape
        blocks = m.block_counts(height, width).size
        size = blocks * (height * width * VALUE + INDEX) + (ceil_div(m.rows, height) + 1) * OFFSET
        return blocks * height * width > MOST_FILL * m.entries, size, height * width, height

    return expected_block(m, *min(shapes[1:], key=preference))


def expected_grid(m, first_rows, first_cols):
    row = np.searchsorted(first_rows, m.row, side="right") - 1
    col = np.searchsorted(first_cols, m.col, side="right") - 1
    return np.bincount(row * len(first_cols) + col, minlength=len(first_rows) * len(first_cols)).astype(np.int64)


def cells_begin_well(first, cells, lines):
    """From the first line on, rising, none empty."""
    return (isinstance(first, list) and len(first) == cells and first[:1] in ([], [0])
            and all(a < b for a, b in zip(first, first[1:] + [lines])))


# Slots and bytes of a format: by its own parameters, where these say which of its shapes it is.

def filled_by_a_third(lengths):
    """The largest width that at least a third of the lines fill."""
    return int(np.sort(lengths)[::-1][ceil_div(lengths.size, 3) - 1]) if lengths.size else 0


def sell_slots(lengths, slice_rows, sigma):
    lengths = lengths.copy()
    for first in range(0, lengths.size, sigma):
        lengths[first:first + sigma] = -np.sort(-lengths[first:first + sigma])
    return sum(slice_rows * int(lengths[first:first + slice_rows].max())
               for first in range(0, lengths.size, slice_rows))


def gcsb_slots(counts, group):
    """Blocks by falling count, groups padded to their first, which is the longest; the last as if it were full."""
    return int(np.sort(counts)[::-1][::group].sum()) * group


def ecsb_slots(m, beta):
    """Holding and slots of the block rows, as pipelines.hpp says which holding suits."""
    lengths = np.bincount(m.row // beta, minlength=ceil_div(m.rows, beta)).astype(np.int64)
    width = filled_by_a_third(lengths)
    in_front = int(np.minimum(lengths, width).sum())
    ell = lengths.size * int(lengths.max(initial=0))
    hybrid = lengths.size * width + m.entries - in_front
    if 4 * ell <= 5 * m.entries:
        return "ell", ell
    if 2 * in_front >= m.entries and 4 * hybrid <= 5 * m.entries:
        return "hybrid", hybrid
    return "coo", m.entries


def numbers(pattern, parameters):
    found = re.match(pattern, parameters)
    return [int(text) for text in found.groups()] if found else None


def counted(blocks):
    return f"{blocks} block" + ("" if blocks == 1 else "s")


def expected_format(m, name, parameters):
    """(shape, parameters, slots, bytes) of a line of `formats`; None for parameters of a shape not known here."""
    n, lengths, pair = m.entries, m.row_lengths, VALUE + INDEX
    if name == "coo":
        return None, "", n, n * (VALUE + 2 * INDEX)
    if name == "csr":
        return None, "", n, n * pair + (m.rows + 1) * OFFSET
    if name == "csc":
        return None, "", n, n * pair + (m.cols + 1) * OFFSET
    if name == "ell":
        longest = int(lengths.max(initial=0))
        return None, f"width {longest}", m.rows * longest, m.rows * longest * pair + m.rows * INDEX
    if name == "sell":
        shape = numbers(r"slice (\d+), sigma (\d+)$", parameters)
        if shape is None:
            return None
        slots = sell_slots(lengths, *shape)
        # Beside the slots: lengths, the order of the rows, and where slices start.
        size = slots * pair + 2 * m.rows * INDEX + (ceil_div(m.rows, shape[0]) + 1) * OFFSET
        return None, parameters, slots, size
    if name == "hyb":
        width = filled_by_a_third(lengths)
        rest = int(np.maximum(0, lengths - width).sum())
        size = m.rows * width * pair + m.rows * INDEX + rest * (VALUE + 2 * INDEX)
        return None, f"width {width}, rest {rest}", m.rows * width + rest, size
    if name == "dia":
        offsets, on_diagonal, counts = np.unique(m.col - m.row, return_inverse=True, return_counts=True)
        # Those that take no more bytes than their entries would in the rest.
        stored = counts * (VALUE + 2 * INDEX) >= m.rows * VALUE
        diagonals, rest = int(stored.sum()), int(counts[~stored].sum())
        zeros = int(np.count_nonzero(stored[on_diagonal] & (m.values == 0))) if n else 0
        size = diagonals * (INDEX + m.rows * VALUE) + rest * (VALUE + 2 * INDEX) + zeros * 8
        words = f"{diagonals} diagonal{'' if diagonals == 1 else 's'}" + (f", rest {rest}" if rest else "")
        return None, words, diagonals * m.rows + rest, size
    if name == "bsr":
        shape = numbers(r"(\d+) x (\d+), \d+ blocks?(?:, auto)?$", parameters)
        if shape is None:
            return None
        height, width = shape
        blocks = m.block_counts(height, width).size
        slots = blocks * height * width
        # Stored zeros are listed beside the blocks, 8 bytes each.
        size = slots * VALUE + (blocks + ceil_div(m.rows, height) + 1) * INDEX + m.stored_zeros * 8
        note = ", auto" if parameters.endswith(", auto") else ""
        return (height, width), f"{height} x {width}, {counted(blocks)}{note}", slots, size
    shape = numbers(r"beta (\d+)\b", parameters)
    if name not in ("csb", "ecsb", "gcsb") or shape is None:
        return None
    beta, = shape
    # Where 32 bits cannot count the positions of blocks, offsets and positions take 64.
    wide = ceil_div(m.rows, beta) * ceil_div(m.cols, beta) > 2**31 - 1
    offset, note = (8, ", 64-bit offsets") if wide else (OFFSET, "")
    combined = 2 if beta <= 256 else 4
    counts = m.block_counts(beta, beta)
    if name == "csb":
        size = n * (VALUE + combined) + (2 * counts.size + 1) * offset
        return beta, f"beta {beta}, {counted(counts.size)}{note}", n, size
    if name == "ecsb":
        holding, slots = ecsb_slots(m, beta)
        size = slots * (VALUE + combined + offset) + (ceil_div(m.rows, beta) + 1) * offset
        return beta, f"beta {beta}, {holding}{note}", slots, size
    group = numbers(r"beta \d+, group (\d+)\b", parameters)
    if group is None:
        return None
    slots = gcsb_slots(counts, group[0])
    size = slots * (VALUE + combined) + (counts.size + ceil_div(counts.size, group[0]) + 1) * offset
    return beta, f"beta {beta}, group {group[0]}, {counted(counts.size)}{note}", slots, size


def compare_formats(m, got, block_shapes, comparison):
    if not isinstance(got, list):
        comparison.differs("formats", "a list", got)
        return
    seen = set()
    for line in got:
        name, parameters = line.get("format", ABSENT), line.get("parameters", "")
        if name is ABSENT:
            comparison.differs("formats", "a name", line)
            continue
        if name not in ("coo", "csr", "csc", "ell", "sell", "hyb", "dia", "bsr", "csb", "ecsb", "gcsb"):
            continue
        found = expected_format(m, name, parameters)
        if found is None:
            comparison.differs(f"formats {name}", "parameters that name its shape", parameters)
            continue
        shape, parameters, slots, size = found
        seen.add((name, shape))
        where = f"formats {name}" + (f" {parameters}" if parameters else "")
        fill = slots / m.entries if m.entries else 1.0
        comparison.compare(where, {"parameters": parameters, "bytes": size, "slots": slots, "fill": fill, "exact": True,
                                   "allowed": fill <= MOST_FILL}, line)
        if "beta" in line and name in ("csb", "ecsb", "gcsb"):
            comparison.compare(f"{where}.beta", shape, line["beta"])
    wanted = [(name, None) for name in ("coo", "csr", "csc", "ell", "sell", "hyb", "dia")]
    wanted += [("bsr", shape) for shape in block_shapes if max(shape) <= MOST_BSR]
    betas = {32} | {shape for name, shape in seen if name in ("csb", "ecsb", "gcsb")}
    wanted += [(name, beta) for beta in sorted(betas) for name in ("csb", "ecsb", "gcsb")]
    absent = [name if shape is None else f"{name} {shape}" for name, shape in wanted if (name, shape) not in seen]
    comparison.values += len(wanted)
    if absent:
        comparison.differs("formats", ", ".join(absent), ABSENT)


def compare_features(m, path, field, options, got, comparison):
    """`got` is the JSON of the tool, `options` are those it was given."""
    bins, top = int(options.get("--bins", BINS)), int(options.get("--top", TOP))
    expected = {
        "schema": "sparsmith.features/1", "name": str(path), "field": field, "rows": m.rows, "cols": m.cols,
        "entries": m.entries, "density": m.entries / m.rows / m.cols if m.rows and m.cols else 0.0,
        "symmetry": expected_symmetry(m), "row_lengths": expected_lengths(m.row_lengths, bins),
        "col_lengths": expected_lengths(m.col_lengths, bins), "longest_rows": expected_longest_rows(m, top),
        "fullest_diagonals": expected_fullest_diagonals(m),
        "structure": expected_structure(m, options)}
    if not m.is_complex:
        expected["values"] = expected_values(m)
    comparison.compare("", expected, got)

    shapes = [(block.get("rows"), block.get("cols")) for block in got.get("blocks", [])]
    if "--blocks" in options:
        asked = [tuple(int(side) for side in text.split("x")) for text in options["--blocks"].split(",")]
        comparison.compare("blocks", [str(shape) for shape in asked], [str(shape) for shape in shapes])
    elif not shapes:
        comparison.differs("blocks", "some", ABSENT)
    known = []
    for at, shape in enumerate(shapes):
        if all(type(side) is int and side > 0 for side in shape):
            known.append(shape)
            comparison.compare(f"blocks {shape[0]} x {shape[1]}", expected_block(m, *shape), got["blocks"][at])
        else:
            comparison.differs(f"blocks[{at}]", "rows and cols", got["blocks"][at])

    comparison.compare("best_block", expected_best_block(m), got.get("best_block", ABSENT))

    # Prices of complex values are not defined.
    if not m.is_complex:
        compare_formats(m, got.get("formats"), known, comparison)

    grid = got.get("grid", {})
    rows, cols, counts = grid.get("rows"), grid.get("cols"), grid.get("counts")
    first_rows, first_cols = grid.get("first_rows"), grid.get("first_cols")
    sides = ((rows, m.rows), (cols, m.cols))
    comparison.values += 4
    least = min(1, m.rows, m.cols)
    if not all(type(side) is int and least <= side <= min(MOST_GRID, most) for side, most in sides):
        comparison.differs("grid", f"up to {min(MOST_GRID, m.rows)} x {min(MOST_GRID, m.cols)}", f"{rows} x {cols}")
    elif not cells_begin_well(first_rows, rows, m.rows) or not cells_begin_well(first_cols, cols, m.cols):
        comparison.differs("grid's cells", "beginnings that rise from 0", (first_rows, first_cols))
    else:
        if not isinstance(counts, list) or sum(counts) != m.entries:
            comparison.differs("grid's sum", m.entries, sum(counts) if isinstance(counts, list) else ABSENT)
        comparison.compare("grid.counts", expected_grid(m, first_rows, first_cols), counts)


# Matrices to look at.

def write_market(path, shape, row, col, values=None, field="real", symmetry="general"):
    """As it is: with duplicates, unsorted, of one triangle where the symmetry says so."""
    with open(path, "w", encoding="ascii") as out:
        out.write(f"%%MatrixMarket matrix coordinate {field} {symmetry}\n{shape[0]} {shape[1]} {len(row)}\n")
        for at, (r, c) in enumerate(zip(row, col)):
            value = "" if values is None else f" {values[at]!s}"
            if field == "complex":
                value = f" {values[at].real!s} {values[at].imag!s}"
            out.write(f"{int(r) + 1} {int(c) + 1}{value}\n")


def cells(rng, rows, cols, entries):
    """Distinct places in no order."""
    places = rng.choice(rows * cols, size=entries, replace=False) if rows * cols < 10**7 else np.unique(
        rng.integers(0, rows * cols, entries))
    rng.shuffle(places)
    return places // cols, places % cols


def eighths(rng, count):
    """Values whose sums are exact in any order; never zero."""
    return rng.choice([-1, 1], count) * rng.integers(1, 1000, count) / 8


def lower_triangle(rng, n, entries, diagonal=True):
    row, col = cells(rng, n, n, entries)
    keep = row >= col if diagonal else row > col
    return row[keep], col[keep]


def generated(rng, folder):
    """Yields (path, field, options) of matrices with something special each."""
    def written(name, shape, row, col, values=None, field="real", symmetry="general", **options):
        path = folder / f"{name}.mtx"
        write_market(path, shape, row, col, values, field, symmetry)
        return path, field, {f"--{key}": value for key, value in options.items()}

    def random(name, rows, cols, entries, **options):
        return written(name, (rows, cols), *cells(rng, rows, cols, entries), eighths(rng, entries), **options)

    yield random("random", 700, 700, 9000)
    yield random("wide", 40, 3000, 5000)
    yield random("tall", 3000, 40, 5000)
    yield random("one_row", 1, 1000, 300)
    yield random("one_column", 1000, 1, 300)
    yield random("full", 70, 70, 4900)
    yield random("around_windows", 2049, 1025, 20000)
    yield random("around_cells", 513, 1023, 4000)
    yield random("other_options", 300, 200, 3000, bins="7", top="3", blocks="1x1,8x4,3x7,10x10,64x64")
    yield random("one_bin", 100, 100, 700, bins="1", top="100")
    yield random("blocks_beyond_32_bits", 400000, 400000, 3000)
    # So few entries for their rows and columns that they are analysed in another way.
    yield random("hypersparse", 700000, 700001, 3000, blocks="1x1,3x7,8x8,1000x1000")
    row, col = cells(rng, 60, 60, 900)
    row, col = row + np.where(row < 30, 0, 699940), col + np.where(col < 20, 0, 699940)
    yield written("hypersparse_corners", (700000, 700000), np.tile(row, 2), np.tile(col, 2), eighths(rng, 1800))
    row, col = lower_triangle(rng, 700000, 4000)
    yield written("hypersparse_symmetric", (700000, 700000), row, col, eighths(rng, row.size), symmetry="symmetric")

    row, col = rng.integers(0, 50, 4000), rng.integers(0, 60, 4000)
    yield written("duplicates", (50, 60), row, col, eighths(rng, 4000))
    row, col = cells(rng, 80, 80, 600)
    values = eighths(rng, 600)
    yield written("duplicates_that_cancel", (80, 80), np.tile(row, 2), np.tile(col, 2),
                  np.concatenate([values, np.where(np.arange(600) % 3 == 0, -values, values)]))

    for symmetry, name in (("symmetric", "symmetric"), ("skew-symmetric", "skew")):
        row, col = lower_triangle(rng, 200, 4000, diagonal=symmetry == "symmetric")
        values = eighths(rng, row.size)
        yield written(f"{name}_stored", (200, 200), row, col, values, symmetry=symmetry)
        off = row != col
        mirrored = values[off] * (1 if symmetry == "symmetric" else -1)
        both = np.concatenate([row, col[off]]), np.concatenate([col, row[off]])
        yield written(f"{name}_general", (200, 200), *both, np.concatenate([values, mirrored]))
        mirrored[::5] *= 2
        mirrored[1::5] *= -1
        keep = rng.random(both[0].size) < 0.9
        yield written(f"nearly_{name}", (200, 200), both[0][keep], both[1][keep],
                      np.concatenate([values, mirrored])[keep])
    row, col = lower_triangle(rng, 90, 1500)
    yield written("symmetric_pattern", (90, 90), row, col, field="pattern", symmetry="symmetric")
    row, col = np.tril_indices(150)
    yield written("lower_triangle", (150, 150), row, col, eighths(rng, row.size))
    yield written("upper_triangle", (150, 150), col, row, eighths(rng, row.size))

    row, offset = np.repeat(np.arange(600), 5), np.tile([-40, -1, 0, 1, 7], 600)
    keep = (row + offset >= 0) & (row + offset < 600)
    yield written("banded", (600, 600), row[keep], (row + offset)[keep], eighths(rng, int(keep.sum())))
    yield written("diagonal", (1000, 1000), np.arange(1000), np.arange(1000), eighths(rng, 1000))
    yield written("antidiagonal", (999, 999), np.arange(999), np.arange(999)[::-1], eighths(rng, 999))
    block_row, block_col = cells(rng, 60, 50, 300)
    row = (block_row[:, None, None] * 5 + np.arange(5)[None, :, None] + np.zeros((1, 1, 5), dtype=int)).ravel()
    col = (block_col[:, None, None] * 5 + np.arange(5)[None, None, :] + np.zeros((1, 5, 1), dtype=int)).ravel()
    yield written("blocks_5x5", (300, 250), row, col, eighths(rng, row.size))
    # The block at the diagonal that has place for s * s entries has k of them, k = 1 ... s * s.
    for side in (5, 10, 16):
        row, col = [], []
        for k in range(1, side * side + 1):
            places = rng.choice(side * side, size=k, replace=False)
            row.append((k - 1) * side + places // side)
            col.append((k - 1) * side + places % side)
        row, col = np.concatenate(row), np.concatenate(col)
        yield written(f"every_density_{side}", (side**3, side**3), row, col, eighths(rng, row.size),
                      blocks=f"{side}x{side},{2 * side}x{side}")

    row, col = cells(rng, 400, 400, 3000)
    keep = (row % 3 != 0) & (col < 250) & (row < 330)
    yield written("empty_rows_and_columns", (400, 400), row[keep], col[keep], eighths(rng, int(keep.sum())))
    row, col = cells(rng, 1500, 1500, 3000)
    keep = row != 777
    dense = np.concatenate([row[keep], np.full(1500, 777)]), np.concatenate([col[keep], np.arange(1500)])
    yield written("dense_row", (1500, 1500), *dense, eighths(rng, dense[0].size))
    yield written("dense_column", (1500, 1500), *dense[::-1], eighths(rng, dense[0].size))
    lengths = np.minimum(1 + rng.pareto(1.1, 20000), 6000).astype(np.int64)
    row = np.repeat(np.arange(20000), lengths)
    places = np.unique(row * 20000 + (rng.random(row.size)**3 * 20000).astype(np.int64))
    yield written("power_law", (20000, 20000), places // 20000, places % 20000, eighths(rng, places.size))

    row, col = cells(rng, 64, 64, 900)
    values = eighths(rng, 900)
    values[::4], values[1::8] = 0.0, -0.0
    yield written("explicit_zeros", (64, 64), row, col, values)
    row, col = cells(rng, 60, 90, 900)
    values = eighths(rng, 900)
    values[::7], values[1::7], values[2::7] = np.nan, np.inf, -np.inf
    yield written("not_finite", (60, 90), row, col, values)
    row, col = lower_triangle(rng, 60, 900)
    values = eighths(rng, row.size)
    values[::6], values[1::6], values[2::6], values[3::6] = np.nan, np.inf, -np.inf, 0.0
    yield written("symmetric_not_finite", (60, 60), row, col, values, symmetry="symmetric")
    keep = row != col
    yield written("skew_not_finite", (60, 60), row[keep], col[keep], values[keep], symmetry="skew-symmetric")

    # Rows and columns that have to be exchanged, long paths, and more rows than columns they can have.
    for entries in (600, 900, 1400, 2500):
        yield random(f"rank_{entries}", 700, 700, entries)
    yield random("rank_wide", 500, 900, 1500)
    yield random("rank_tall", 900, 500, 1500)
    # The last row wants the first column, so that every other row takes the next one.
    row = np.append(np.repeat(np.arange(799), 2), 799)
    col = np.append(np.repeat(np.arange(799), 2) + np.tile([0, 1], 799), 0)
    yield written("rank_of_a_chain", (800, 800), row, col, eighths(rng, row.size))
    yield written("rank_of_few_columns", (300, 300), *cells(rng, 300, 7, 1000), eighths(rng, 1000))
    row, col = cells(rng, 90, 90, 800)
    for power in (300, -300):
        yield written(f"sizes_1e{power}", (90, 90), row, col, eighths(rng, 800) * 10.0**power)
    yield written("sizes_far_apart", (90, 90), row, col, eighths(rng, 800) * 10.0**rng.integers(-150, 150, 800))
    yield written("smallest_of_all", (3, 3), [0, 1, 1], [0, 1, 2], [5e-324, -1e-323, 5e-324])
    row, col = np.nonzero(np.abs(np.subtract.outer(np.arange(200), np.arange(200))) <= 2)
    values = np.where(row == col, 4.0 - 0.125 * (row % 3 - 1), -1.0)
    yield written("dominant", (200, 200), row, col, values)
    yield written("zeros_on_the_diagonal", (200, 200), row[row % 7 > 0], col[row % 7 > 0],
                  np.where((row == col) & (row % 5 == 0), 0.0, values)[row % 7 > 0])
    yield written("1x1", (1, 1), [0], [0], [2.5])
    yield written("1x1_zero", (1, 1), [0], [0], [0.0])
    yield written("1x1_empty", (1, 1), [], [], [])
    yield written("no_entries", (7, 5), [], [], [])
    yield written("no_entries_square", (600, 600), [], [], [])
    yield written("no_entries_large", (400000, 400000), [], [], [])
    yield written("0x0", (0, 0), [], [], [])
    yield written("0x4", (0, 4), [], [], [])
    yield written("3x0", (3, 0), [], [], [])
    row, col = rng.integers(0, 300, 3000), rng.integers(0, 200, 3000)
    yield written("pattern_with_duplicates", (300, 200), row, col, field="pattern")
    yield written("integer", (300, 200), row, col, rng.integers(-3, 4, 3000), field="integer")


def generated_complex(rng, folder):
    for symmetry in ("general", "symmetric", "skew-symmetric", "hermitian"):
        row, col = lower_triangle(rng, 120, 2000, diagonal=symmetry != "skew-symmetric")
        if symmetry == "general":
            row, col = cells(rng, 120, 120, 2000)
        values = eighths(rng, row.size) + 1j * np.where(row == col, 0, eighths(rng, row.size))
        path = folder / f"complex_{symmetry}.mtx"
        write_market(path, (120, 120), row, col, values, "complex", symmetry)
        yield path, "complex", {}


def is_market(path):
    return path.name.endswith((".mtx", ".mtx.gz", ".mtx.bz2"))


def index_of(folder):
    """[(path, entries, field, is an edge case), ...] of the good files, by entries."""
    found = []
    index = folder / "INDEX.tsv"
    if index.exists():
        with open(index, encoding="utf-8", newline="") as lines:
            for line in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                path, note = folder / line["file"], line["note"]
                is_edge = line["file"].startswith("edge/")
                sides = [int(line[key]) if line[key].isdigit() else 0 for key in ("rows", "cols")]
                if not is_market(path) or max(sides) >= 2**31 or (is_edge and not note.startswith("VALID:")):
                    continue
                entries = int(line["stored_entries"]) if line["stored_entries"].isdigit() else 0
                found.append((path, entries, line["field"], is_edge))
    else:
        for path in sorted(p for p in folder.rglob("*") if is_market(p)):
            try:
                rows, cols, entries, _, field, _ = scipy.io.mminfo(str(path))
            except (ValueError, OSError, OverflowError):
                continue
            if max(rows, cols) < 2**31:
                found.append((path, entries, field, False))
    return sorted(found, key=lambda each: (each[1], str(each[0])))


def collection(folder, most):
    """Edge cases, and `most` others: small ones, but a quarter of more than LARGE entries, up to the largest."""
    all_files = index_of(folder)
    edge = [each for each in all_files if each[3] and each[2] in FIELDS]
    others = [each for each in all_files if not each[3] and each[2] in FIELDS]
    large = [each for each in others if each[1] > LARGE]
    small = [each for each in others if each[1] <= LARGE]
    wanted = min(len(large), max(most // 4, most - len(small)))
    spread = np.unique(np.linspace(0, max(len(large) - 1, 0), wanted).round().astype(int))
    large = [large[at] for at in spread]
    chosen = edge + small[:most - len(large)] + large
    chosen += [each for each in all_files if not each[3] and each[2] == "complex"][:1]
    return [(path, field, {}) for path, _, field, _ in chosen]


class Checker:
    def __init__(self, tool):
        self.tool = tool
        self.matrices = self.values = self.differences = self.skipped = 0

    def skip(self, path, why):
        self.skipped += 1
        print(f"SKIPPED {path.name}: {why}", flush=True)

    def check(self, path, field, options, again=False):
        """`again`: every number of threads twice."""
        try:
            matrix = Matrix(path)
        except (ValueError, OSError, OverflowError) as refused:
            self.skip(path, f"SciPy cannot read it, {short(str(refused))}")
            return
        comparison = Comparison()
        given = {"--bins": str(BINS), "--top": str(TOP), **options}
        command = [part for option in given.items() for part in option]
        try:
            done = self.tool.run(path, *command)
            if done.returncode == 1 and (field == "complex" and b"complex" in done.stderr
                                         or b"built without libarchive" in done.stderr):
                self.skip(path, f"the tool refuses it, {done.stderr.decode(errors='replace').strip()}")
                return
            if done.returncode != 0:
                comparison.differs("exit", 0, f"{done.returncode}: {done.stderr.decode(errors='replace').strip()}")
            else:
                # Numbers that are not finite are no JSON.
                got = json.loads(done.stdout, parse_constant=lambda word: f"the word {word}")
                compare_features(matrix, path, field, given, got, comparison)
                for threads in ("1", "3") * (2 if again else 1):
                    other = self.tool.run(path, *command, "--threads", threads, "--device", "cpu")
                    comparison.values += 1
                    if other.stdout != done.stdout:
                        comparison.differs(f"--threads {threads}", "the same bytes", first_difference(done, other))
        except subprocess.TimeoutExpired:
            comparison.differs("time", f"at most {PATIENCE} s", "more")
        except ValueError as wrong:
            comparison.differs("output", "JSON", str(wrong))
        self.matrices += 1
        self.values += comparison.values
        self.differences += len(comparison.differences)
        if comparison.differences:
            more = len(comparison.differences) - SHOWN
            print(f"DIFFERS {path.name}: " + "; ".join(comparison.differences[:SHOWN]) +
                  (f"; and {more} more" if more > 0 else ""), flush=True)


def first_difference(one, other):
    if other.returncode != one.returncode:
        return f"exit {other.returncode}: {other.stderr.decode(errors='replace').strip()}"
    for number, (left, right) in enumerate(zip(one.stdout.splitlines(), other.stdout.splitlines()), 1):
        if left != right:
            return f"line {number}: {right.decode(errors='replace').strip()}"
    return f"{len(other.stdout)} bytes for {len(one.stdout)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", required=True, help="spanalyze")
    parser.add_argument("--matrices", default=os.environ.get("SPARSMITH_MATRICES"), help="folder of a collection")
    parser.add_argument("--most", type=int, default=40, help="matrices of the collection, beside edge cases")
    parser.add_argument("matrix", nargs="*", type=pathlib.Path, help="Matrix Market files to check instead")
    wanted = parser.parse_args()
    checker = Checker(Tool(wanted.tool))
    if wanted.matrix:
        for path in wanted.matrix:
            checker.check(path, scipy.io.mminfo(str(path))[4], {}, again=True)
    else:
        rng = np.random.default_rng(1)
        with tempfile.TemporaryDirectory() as folder:
            for number, each in enumerate(generated(rng, pathlib.Path(folder))):
                checker.check(*each, again=number % 8 == 0)
            for each in generated_complex(rng, pathlib.Path(folder)):
                checker.check(*each)
        if wanted.matrices:
            chosen = collection(pathlib.Path(wanted.matrices), wanted.most)
            if not chosen:
                checker.skip(pathlib.Path(wanted.matrices), "no Matrix Market files there")
            for number, each in enumerate(chosen):
                checker.check(*each, again=number % 16 == 0)
        else:
            print("features_check: the collection is SKIPPED, neither --matrices nor SPARSMITH_MATRICES names one")
    print(f"features_check: SciPy {scipy.__version__}, {checker.matrices} matrices, {checker.values} values compared, "
          f"{checker.differences} differences, {checker.skipped} skipped")
    return 1 if checker.differences else 0


if __name__ == "__main__":
    sys.exit(main())
