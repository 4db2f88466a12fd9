#!/usr/bin/env python3
"""Makes matrices to fit the model with: kinds that people have and that the generators of the tools do not make.

  matrices.py FOLDER [--most ENTRIES]     writes KIND_SIZE.npz files (SciPy's), the same ones every time, and skips those that are there

The first part of a name is the matrix's kind; fit.py leaves whole kinds out to judge the model. Needs NumPy and SciPy.
"""
import os
import sys

import numpy as np
import scipy.sparse as sp
from scipy.spatial import cKDTree


def zipf(rng, count, size, exponent):
    """Numbers below `count`, low ones often: the k-th with a probability of about k^-exponent."""
    weights = np.arange(1, count + 1, dtype=float) ** -exponent
    return np.searchsorted(np.cumsum(weights) / weights.sum(), rng.random(size)).clip(max=count - 1)


def assembled(rng, rows, cols, shape):
    """Values at these places, each place once."""
    matrix = sp.coo_array((np.ones(len(rows)), (rows, cols)), shape=shape).tocsr()
    matrix.data = rng.standard_normal(matrix.nnz)
    return matrix


def points_near(rng, count, neighbours, dimension, in_order=True):
    """Every point and its nearest ones, symmetric; neighbours in space are mostly neighbours in number where in order."""
    points = rng.random((count, dimension))
    if in_order:
        cells = max(1, int(count ** (1 / dimension) / 3))
        key = np.zeros(count, np.int64)
        for axis in range(dimension):
            key = key * cells + (points[:, axis] * cells).astype(np.int64)
        points = points[np.argsort(key, kind="stable")]
    _, near = cKDTree(points).query(points, neighbours)
    rows = np.repeat(np.arange(count), neighbours)
    graph = sp.coo_array((np.ones(rows.size), (rows, near.ravel())), shape=(count, count)).tocsr()
    graph = graph + graph.T
    graph.data[:] = 1
    return graph


def with_values(rng, pattern, symmetric=False):
    pattern = sp.csr_array(pattern)
    pattern.data = rng.standard_normal(pattern.nnz)
    return sp.csr_array((pattern + pattern.T) * 0.5) if symmetric else pattern


def blocks_of(rng, graph, side, symmetric=True):
    return with_values(rng, sp.kron(graph, np.ones((side, side)), format="csr"), symmetric)


def shuffled(rng, matrix):
    order = rng.permutation(matrix.shape[0])
    return sp.csr_array(sp.csr_array(matrix)[order][:, order])


def clauses(rng, n):  # of a SAT problem: three to eight literals a row, few variables in very many rows
    length = rng.choice([2, 3, 3, 3, 4, 8], size=n)
    rows = np.repeat(np.arange(n), length)
    variables = max(50, n // 4)
    return assembled(rng, rows, zipf(rng, variables, rows.size, 0.9), (n, variables))


def network_program(rng, n):  # flows: two entries a column, and some rows that bound sums of flows
    arcs = 3 * n
    cols = np.repeat(np.arange(arcs), 2)
    start = rng.integers(0, n, arcs)
    rows = np.stack([start, np.minimum(n - 1, start + 1 + rng.geometric(0.01, arcs))], axis=1).ravel()
    bounds = max(4, n // 200)
    extra = rng.integers(0, bounds, arcs // 3) + n
    return assembled(rng, np.concatenate([rows, extra]), np.concatenate([cols, rng.choice(arcs, arcs // 3, replace=False)]),
                     (n + bounds, arcs))


def visits(rng, n):  # who went where: both sides with hubs
    size = 12 * n
    return assembled(rng, rng.permutation(n)[zipf(rng, n, size, 0.7)], rng.permutation(n // 5)[zipf(rng, n // 5, size, 0.9)],
                     (n, n // 5))


def quantum(rng, n):  # pairs of orbitals: dense 2 x 2 blocks near the diagonal and here and there
    pairs = n // 2
    rows = np.repeat(np.arange(pairs), 14)
    away = np.round(rng.standard_cauchy(rows.size) * 20).astype(np.int64)
    graph = sp.coo_array((np.ones(rows.size), (rows, (rows + away) % pairs)), shape=(pairs, pairs)).tocsr()
    return blocks_of(rng, graph + graph.T + sp.eye_array(pairs), 2)


def mesh3(rng, n):  # elasticity, three unknowns a node
    return blocks_of(rng, points_near(rng, n // 3, 14, 3), 3)


def shell6(rng, n):
    return blocks_of(rng, points_near(rng, n // 6, 9, 2), 6)


def mesh1(rng, n):  # triangles, one unknown a node
    return with_values(rng, points_near(rng, n, 7, 2), True)


def mesh1_shuffled(rng, n):
    return shuffled(rng, mesh1(rng, n))


def mesh3_renumbered(rng, n):  # nodes in no order, but the unknowns of a node together
    graph = shuffled(rng, points_near(rng, n // 3, 14, 3))
    return blocks_of(rng, graph, 3)


def road(rng, n):
    graph = points_near(rng, n, 3, 2)
    return with_values(rng, graph, True)


def circuit(rng, n):  # short rows, and supply lines that are in everything
    rows = np.repeat(np.arange(n), 5)
    cols = (rows + np.round(rng.standard_cauchy(rows.size) * 30).astype(np.int64)) % n
    lines = rng.integers(0, n, 6)
    on = rng.integers(0, n, n // 2)
    of = rng.choice(lines, n // 2)
    return assembled(rng, np.concatenate([np.arange(n), rows, on, of]), np.concatenate([np.arange(n), cols, of, on]), (n, n))


def staircase_program(rng, n):
    stages = max(2, n // 400)
    rows, cols = [], []
    for stage in range(stages):
        here = rng.integers(0, 400, 2400) + 400 * stage
        there = rng.integers(0, 900, 2400) + 500 * stage
        rows.append(here)
        cols.append(there)
    return assembled(rng, np.concatenate(rows), np.concatenate(cols), (400 * stages, 500 * stages + 400))


def words(rng, n):  # documents by words
    length = np.minimum(2000, np.exp(rng.normal(4, 1, n))).astype(np.int64) + 1
    rows = np.repeat(np.arange(n), length)
    vocabulary = max(100, 2 * n)
    return assembled(rng, rows, zipf(rng, vocabulary, rows.size, 1.0), (n, vocabulary))


def words_turned(rng, n):
    return sp.csr_array(words(rng, n).T.tocsr())


def social(rng, n):
    rows = rng.permutation(n)[zipf(rng, n, 10 * n, 0.6)]
    cols = rng.permutation(n)[zipf(rng, n, 10 * n, 0.75)]
    return assembled(rng, rows, cols, (n, n))


def web(rng, n):  # pages of a host link to each other and to a few hubs
    host = np.sort(zipf(rng, max(10, n // 60), n, 0.6))
    start = np.searchsorted(host, host)
    size = np.searchsorted(host, host, side="right") - start
    degree = np.minimum(300, rng.zipf(1.8, n))
    rows = np.repeat(np.arange(n), degree)
    inside = rng.random(rows.size) < 0.8
    cols = np.where(inside, start[rows] + (rng.random(rows.size) * size[rows]).astype(np.int64), zipf(rng, n, rows.size, 1.0))
    return assembled(rng, rows, cols, (n, n))


def control(rng, n):  # KKT systems: band, constraints, and their transpose
    half = n // 2
    band = sp.diags_array([np.ones(half)] * 5, offsets=[-2, -1, 0, 1, 2], shape=(half, half))
    rows = np.repeat(np.arange(half), 4)
    cols = (rows + rng.integers(-15, 16, rows.size)) % half
    constraints = sp.coo_array((np.ones(rows.size), (rows, cols)), shape=(half, half))
    return with_values(rng, sp.block_array([[band, constraints.T], [constraints, None]]), True)


def stencil27(rng, n):
    side = max(3, round(n ** (1 / 3)))
    line = sp.diags_array([np.ones(side)] * 3, offsets=[-1, 0, 1], shape=(side, side))
    return with_values(rng, sp.kron(sp.kron(line, line), line, format="csr"), True)


def stencil9(rng, n):
    side = max(3, round(n ** 0.5))
    line = sp.diags_array([np.ones(side)] * 3, offsets=[-1, 0, 1], shape=(side, side))
    return with_values(rng, sp.kron(line, line, format="csr"))


def regular(rng, n):  # as many entries in every row, anywhere
    rows = np.repeat(np.arange(n), 20)
    return assembled(rng, rows, rng.integers(0, n, rows.size), (n, n))


def layer(rng, n):  # of a pruned network: few outputs, a tenth of it there
    rows = max(64, int((n * 10) ** 0.5))
    return with_values(rng, sp.random_array((rows, rows), density=0.1, rng=rng, format="csr"))


def tall(rng, n):  # least squares: many equations, few unknowns
    rows = np.repeat(np.arange(n), 8)
    unknowns = max(30, n // 200)
    return assembled(rng, rows, rng.integers(0, unknowns, rows.size), (n, unknowns))


def wide(rng, n):
    return sp.csr_array(tall(rng, n).T.tocsr())


def dense_columns(rng, n):  # programs with a few columns that are everywhere
    rows = np.repeat(np.arange(n), 6)
    cols = rng.integers(0, 3 * n, rows.size)
    few = rng.integers(0, 3 * n, 4)
    on = np.concatenate([rng.choice(n, n // 3, replace=False) for _ in few])
    return assembled(rng, np.concatenate([rows, on]), np.concatenate([cols, np.repeat(few, n // 3)]), (n, 3 * n))


def factor(rng, n):  # a triangle that fills up towards its end
    length = (1 + 60 * (np.arange(n) / n) ** 3).astype(np.int64)
    rows = np.repeat(np.arange(n), length)
    return assembled(rng, rows, (rows * (1 - rng.random(rows.size) ** 2)).astype(np.int64), (n, n))


def hypersparse(rng, n):
    rows = rng.choice(n, n // 8, replace=False).repeat(3)
    return assembled(rng, rows, rng.integers(0, n, rows.size), (n, n))


def boundary(rng, n):  # of a complex: a few entries a row, neighbouring rows alike
    rows = np.repeat(np.arange(n), 4)
    return assembled(rng, rows, (rows // 5 + rng.choice([0, 1, 17, 300, n // 9], rows.size)) % max(1, n // 4), (n, max(1, n // 4)))


def dense_blocks(rng, n):  # power flow: blocks of all sizes along the diagonal, and rows that join them
    rows, cols, at = [], [], 0
    while at < n:
        side = int(min(n - at, rng.integers(4, 40)))
        r, c = np.divmod(np.arange(side * side), side)
        rows.append(at + r)
        cols.append(at + c)
        at += side
    joined = rng.integers(0, n, n)
    rows.append(np.arange(n))
    cols.append(joined)
    return assembled(rng, np.concatenate(rows), np.concatenate(cols), (n, n))


def cage(rng, n):  # chains of states: rows of 3 to 30, half of them far away
    length = rng.integers(3, 30, n)
    rows = np.repeat(np.arange(n), length)
    jump = np.where(rng.random(rows.size) < 0.5, rng.integers(-40, 41, rows.size), (rows * 0.3).astype(np.int64) + rng.integers(-90, 91, rows.size))
    return assembled(rng, rows, np.abs(rows + jump) % n, (n, n))


# Rows (of the larger side) of a small, a middle and a large one.
KINDS = [(clauses, 6_000, 150_000, 1_500_000), (network_program, 6_000, 60_000, 500_000), (visits, 4_000, 60_000, 400_000),
         (quantum, 2_000, 20_000, 80_000), (mesh3, 3_000, 30_000, 150_000), (shell6, 3_000, 30_000, 120_000),
         (mesh1, 5_000, 80_000, 900_000), (mesh1_shuffled, 0, 80_000, 900_000), (mesh3_renumbered, 0, 30_000, 150_000),
         (road, 8_000, 150_000, 1_500_000), (circuit, 5_000, 80_000, 700_000), (staircase_program, 4_000, 60_000, 600_000),
         (words, 300, 8_000, 60_000), (words_turned, 300, 8_000, 60_000), (social, 4_000, 60_000, 500_000),
         (web, 5_000, 100_000, 900_000), (control, 6_000, 80_000, 800_000), (stencil27, 1_500, 30_000, 250_000),
         (stencil9, 3_000, 80_000, 900_000), (regular, 2_000, 40_000, 400_000), (layer, 4_000, 40_000, 400_000),
         (tall, 5_000, 100_000, 1_000_000), (wide, 5_000, 100_000, 1_000_000), (dense_columns, 5_000, 80_000, 700_000),
         (factor, 3_000, 40_000, 400_000), (hypersparse, 40_000, 800_000, 6_000_000), (boundary, 8_000, 120_000, 1_500_000),
         (dense_blocks, 2_000, 30_000, 250_000), (cage, 3_000, 40_000, 400_000)]


def main(arguments):
    if not arguments or (len(arguments) > 1 and (len(arguments) != 3 or arguments[1] != "--most")):
        sys.exit(__doc__)
    folder, most = arguments[0], float(arguments[2]) if len(arguments) > 1 else np.inf
    os.makedirs(folder, exist_ok=True)
    for place, (make, *sizes) in enumerate(KINDS):
        for step, size in enumerate(sizes):
            path = os.path.join(folder, f"{make.__name__}_{'sml'[step]}.npz")
            if size == 0 or os.path.exists(path):
                continue
            matrix = sp.csr_array(make(np.random.default_rng([place, step]), size))
            if matrix.nnz > most:
                continue
            matrix.sum_duplicates()
            matrix.indices, matrix.indptr = matrix.indices.astype(np.int32), matrix.indptr.astype(np.int32)
            sp.save_npz(path + ".part.npz", matrix, compressed=False)
            os.replace(path + ".part.npz", path)
            print(f"{path}: {matrix.shape[0]} x {matrix.shape[1]}, {matrix.nnz} entries", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
