#!/usr/bin/env python3
"""Fits the model of analyze/recommend/model.cpp and says how well it does on matrices, and kinds of matrices, it has not seen.

  fit.py keep NAME.csv.gz RAW.csv[.gz]...   what collect.py measured, made small: what the model is fitted to. A RAW may be what was
                                            kept before, and what is measured again counts from the last one that has it
  fit.py features FOLDER_OF_JSON            features.csv from results of `sprecommend --predict --json`, a file a matrix
  fit.py fit OUT.cpp NAME.csv.gz...         fits every kernel of the files' backends, and writes model_table.cpp
  fit.py check NAME.csv.gz...               the figures alone, without each matrix and without each family of matrices
  fit.py agree NAME.csv.gz RESULT.json...   whether the tool's predictions are those of this script

A kernel's time is a sum of terms (model.cpp, terms_of), each in seconds, with factors that are not negative. The factors make
the logarithms of errors small (errors beyond 30 % count less), and stay near to those of all kernels of the format together where
little speaks for others. A kernel that the sum describes badly is put behind by a handicap, so that it is not chosen by
mistake. Families are in families.csv, what is known of a matrix beside the terms in features.csv. Needs NumPy and SciPy.
"""
import csv
import gzip
import io
import json
import os
import re
import sys
from collections import defaultdict

import numpy as np
from scipy.optimize import nnls

HERE = os.path.dirname(os.path.abspath(__file__))
# Terms that follow from the machine and the regime, and those that are the same warm and cold.
BOTH = ["arrays", "vectors", "misses"]
TERMS = ["launches", "arrays", "vectors", "outputs", "gathers", "lines", "misses", "idle", "atomics", "contended", "chain",
         "blocks", "ramp", "fresh", "scattered", "crowded", "meeting"]
DERIVED = ["ramp", "fresh", "scattered", "crowded", "meeting"]
REGIMES = ["warm", "cold"]
# What may be asked for, and the ways to have it: products of their own, or one pass over A. The order is that of model_shares.
PRODUCTS = {"ax": [["ax"]], "atx": [["atx"]], "pair": [["ax", "atx"]], "both": [["ax", "atx"], ["both"]],
            "normal": [["ax", "atx"], ["normal"]]}
OPERATIONS = {"ax": "multiply", "atx": "transposed", "both": "both", "normal": "normal"}
FACTS = ["backend", "device", "matrix", "value_bits", "entries", "format", "note", "kernel", "operation", "bytes", "convert_us",
         "launch_us", "warm_us", "cold_us"]
KEPT = (FACTS + [t for t in TERMS if t not in BOTH + DERIVED] + [r + "_" + t for r in REGIMES for t in BOTH] + DERIVED[1:])
FEATURES = ["rows", "cols", "entries", "row_variation", "col_variation", "row_max", "col_max", "x_lines", "next_column", "row_below",
            "fill"]
NEAREST = 10
# Kernels that are no more, since they were never within 5 % of the best: what was measured of them is kept, and not fitted.
GONE = {"csr/merge"}


def own_name(kernel):
    """CSC's kernels are CSR's."""
    return "csr" + kernel[3:] if kernel.startswith("csc/") else kernel


def family_of():
    with open(os.path.join(HERE, "families.csv"), newline="") as file:
        return {line["matrix"]: line["family"] for line in csv.DictReader(file)}


def features_of():
    with open(os.path.join(HERE, "features.csv"), newline="") as file:
        return {line["matrix"]: {f: float(line[f]) for f in FEATURES} for line in csv.DictReader(file)}


def write_gzip(target, text):
    with gzip.GzipFile(target, "wb", mtime=0) as file:
        file.write(text.getvalue().encode())


# ---- data ----

def opened(name):
    return gzip.open(name, "rt", newline="") if name.endswith(".gz") else open(name, newline="")


def keep(target, names):
    """Without second copies of A^T, whose kernels are those of A, and without what follows from the rest."""
    lines = {}
    for name in names:
        with opened(name) as file:
            for row in csv.DictReader(file):
                if row.get("of_transpose") == "1":
                    continue
                # A term that neither regime changes is the same in both, and kept once.
                row.update({t: row["cold_" + t] for t in TERMS if t not in BOTH and "cold_" + t in row})
                key = tuple(row[c] for c in ("device", "matrix", "value_bits", "format", "note", "kernel", "operation"))
                lines[key] = {c: short(row[c]) for c in KEPT}
    text = io.StringIO()
    writer = csv.DictWriter(text, KEPT, lineterminator="\n")
    writer.writeheader()
    for key in sorted(lines):
        writer.writerow(lines[key])
    write_gzip(target, text)
    print(f"{target}: {len(lines)} measurements, {len({k[1] for k in lines})} matrices, {os.path.getsize(target)} bytes")


def short(value):
    """Four digits of a number that has a point."""
    try:
        return f"{float(value):.4g}" if "." in value or "e" in value else value
    except ValueError:
        return value


def features(folder):
    lines = {}
    for name in sorted(os.listdir(folder)):
        if not name.endswith(".json") or os.path.getsize(os.path.join(folder, name)) == 0:
            continue
        with open(os.path.join(folder, name)) as file:
            read = json.load(file)
        for result in read.get("matrices", [read]):
            f = result["features"]
            s, rows, cols = f["structure"], f["row_lengths"], f["col_lengths"]
            lines[result["matrix"]["name"].split("/")[-1]] = [
                f["rows"], f["cols"], f["entries"], rows["variation"], cols["variation"], rows["max"], cols["max"],
                s["x_lines"], s["next_column"], s["row_below"],
                next(b["fill"] for b in f["blocks"] if b["rows"] == 2 and b["cols"] == 2)]
    with open(os.path.join(HERE, "features.csv"), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["matrix", *FEATURES])
        for name in sorted(lines):
            writer.writerow([name, *(f"{v:.5g}" if isinstance(v, float) else v for v in lines[name])])
    print(f"features of {len(lines)} matrices")


def place_of(f):
    """Where a matrix lies among others (model.cpp, place_of): matrices near to each other are alike to a product."""
    row_mean, col_mean = f["entries"] / f["rows"], f["entries"] / f["cols"]
    return np.array([0.3 * np.log(f["entries"]), 0.3 * np.log(f["rows"]), 0.3 * np.log(f["cols"]),
                     0.5 * np.log(0.1 + f["row_variation"]), 0.5 * np.log(0.1 + f["col_variation"]),
                     0.3 * np.log(f["row_max"] / row_mean), 0.3 * np.log(f["col_max"] / col_mean),
                     2 * f["x_lines"] / f["entries"], 2 * f["row_below"] / f["entries"]])


class Table:
    """All measurements of a backend, of one or several machines."""

    def __init__(self, names):
        rows = []
        for name in names:
            with opened(name) as file:
                rows += [r for r in csv.DictReader(file) if own_name(r["kernel"]) not in GONE]
        self.backend = rows[0]["backend"]
        self.device = np.array([r["device"] for r in rows])
        self.matrix = np.array([r["matrix"] for r in rows])
        self.case = np.array([r["device"] + "|" + r["matrix"] + "|" + r["value_bits"] for r in rows])
        self.shown = np.array([r["kernel"] for r in rows])
        self.kernel = np.array([own_name(k) for k in self.shown])
        self.format = np.array([r["format"] for r in rows])
        self.note = np.array([r["note"] for r in rows])
        self.operation = np.array([r["operation"] for r in rows])
        # What the stored arrays do: CSC's A x is the A^T x of its CSR.
        turned = {"ax": "atx", "atx": "ax"}
        self.stored_op = np.array([turned.get(o, o) if f == "csc" else o for f, o in zip(self.format, self.operation)])
        self.group = np.array([k + " " + o for k, o in zip(self.kernel, self.stored_op)])
        self.of_format = np.array([k.split("/")[0] + " " + o for k, o in zip(self.kernel, self.stored_op)])
        self.time = {r: np.array([float(x[r + "_us"]) for x in rows]) for r in REGIMES}
        known = family_of()
        self.family = np.array([known[m] for m in self.matrix])
        self.terms = terms_of(rows)
        self.convert = np.array([float(r["convert_us"]) for r in rows])
        self.convert_terms = np.column_stack([[float(r["launch_us"]) for r in rows], entries_us(rows), bytes_us(rows)])
        # Of every case, what may be stored, and the lines of its products.
        self.variants = defaultdict(dict)
        for i in range(len(rows)):
            name = self.format[i] + " " + self.note[i]
            self.variants[self.case[i]].setdefault(name, {o: [] for o in OPERATIONS})[self.operation[i]].append(i)

    def cases_of(self, product):
        """Where there is all to choose from: some were run with the newest kernels only, which leaves CSC out, and one pass was
        tried on some."""
        need = PRODUCTS[product][-1]
        return [c for c, forms in self.variants.items()
                if "csc " in forms and forms["csc "]["ax"] and all(any(lines[o] for lines in forms.values()) for o in need)]


def of_csr(rows, value):
    """A value of every line's case from its line of CSR's A x."""
    found = {}
    for r in rows:
        if r["format"] == "csr" and r["operation"] == "ax":
            found[r["device"], r["matrix"], r["value_bits"]] = value(r)
    return np.array([found[r["device"], r["matrix"], r["value_bits"]] for r in rows])


def entries_us(rows):
    """The entries over the rate of gathering from the cache: CSR has a slot for each."""
    return of_csr(rows, lambda r: float(r["gathers"]))


def bytes_us(rows):
    return np.array([float(r["cold_arrays"]) for r in rows])


def terms_of(rows):
    """The terms in µs, as model.cpp computes them. Lines that were measured before there were `fresh`, `scattered`, `crowded` and
    `meeting` have those empty, and what gcsb/tile's thread blocks share is not in their other terms: here both are added."""
    known = features_of()
    column = {t: np.array([float(r[t]) for r in rows]) for t in TERMS if t not in BOTH + DERIVED}
    f = {name: np.array([known[r["matrix"]][name] for r in rows]) for name in FEATURES}
    ax = np.array([r["operation"] == "ax" for r in rows])
    csc = np.array([r["format"] == "csc" for r in rows])
    transposed = ax == csc
    outputs = np.where(ax, f["rows"], f["cols"])
    variation = np.where(ax, f["row_variation"], f["col_variation"])
    fresh = 1 - np.where(csc, f["next_column"], f["row_below"]) / f["entries"]
    gather = entries_us(rows) / f["entries"]
    # What one addition takes, and one to a place that all add to, from a kernel that adds every entry.
    addition, to_one_place = defaultdict(float), defaultdict(float)
    for r in rows:
        if r["kernel"] == "coo/atomic" and r["operation"] == "atx":
            addition[r["device"]] = float(r["atomics"]) / float(r["entries"])
            to_one_place[r["device"]] = float(r["contended"]) / known[r["matrix"]]["col_max"]
    atomic = np.array([addition[r["device"]] for r in rows])
    contended = np.array([to_one_place[r["device"]] for r in rows])
    lines = np.maximum(outputs * np.array([int(r["value_bits"]) for r in rows]) / 1024, 0.5)  # of 128 bytes
    fullness = np.sqrt(2000 / np.maximum(lines / (1 + variation ** 2), 0.5))
    crowded = np.where(transposed, column["atomics"] * fresh * fullness, 0)
    scattered, meeting = column["atomics"] * fresh, np.zeros(len(rows))
    for i, r in enumerate(rows):
        if r["crowded"]:
            scattered[i], crowded[i], meeting[i] = (float(r[t]) for t in ("scattered", "crowded", "meeting"))
            continue
        if r["format"] != "gcsb_tile":
            continue
        sides = re.match(r"(\d+) x (\d+)", r["note"])
        side = int(sides.group(1 if ax[i] else 2))
        column["outputs"][i] = outputs[i] * gather[i]
        if r["backend"] != "cuda":
            continue
        steps = column["gathers"][i] / gather[i] / 32
        shares, of_line = min(max(steps / 64, 1), 4 * 132), np.ceil(outputs[i] / side)
        column["chain"][i] = steps / shares * 1e-3
        if shares > of_line:
            meeting[i] = float(r["launch_us"])
            column["atomics"][i] += shares * side * atomic[i]
            column["contended"][i] += shares / of_line * contended[i]
            crowded[i] += shares * side * int(r["value_bits"]) / 1024 * atomic[i] * np.sqrt(2000 / lines[i])
    result = {}
    for regime in REGIMES:
        here = dict(column)
        for t in BOTH:
            here[t] = np.array([float(r[regime + "_" + t]) for r in rows])
        here["ramp"] = np.sqrt(here["launches"] * here["arrays"])
        here["fresh"] = column["gathers"] * fresh
        here["scattered"], here["crowded"], here["meeting"] = scattered, crowded, meeting
        result[regime] = np.column_stack([here[t] for t in TERMS])
    return result


# ---- fitting ----

HELD = 0.4       # how much a kernel is held to the factors of all kernels of its format together
FAR = 0.3        # errors of logarithms beyond this count less
# Of the spread of a kernel's errors where it is predicted near the front. On two cores few kernels are chosen from.
HANDICAP = {"cuda": 0.7, "openmp": 0.2}
NEAR = 0.4       # how much lines near to the best of their matrix and product count more
FEWEST = 8       # measurements of a kernel that is fitted


def least_squares(matrix, wanted, weights, held, held_to):
    weighted = matrix * weights[:, None]
    gram, right = weighted.T @ matrix, weighted.T @ wanted
    hold = held ** 2 * np.diag(gram) + 1e-18
    gram, right = gram + np.diag(hold), right + hold * held_to
    half = np.linalg.cholesky(gram + 1e-12 * np.trace(gram) / len(gram) * np.eye(len(gram)))
    return nnls(half.T, np.linalg.solve(half, right), maxiter=2000)[0]


def fit_lines(terms, times, weights, held=1e-3, held_to=None, start=None, rounds=6):
    """Factors, none negative, that make the logarithms of errors small: each round is a least squares around the last one."""
    held_to = np.zeros(terms.shape[1]) if held_to is None else held_to
    factors = start
    if factors is None:
        factors = least_squares(terms / times[:, None], np.ones(len(times)), weights, held, held_to)
    for _ in range(rounds):
        expected = np.maximum(terms @ factors, 0.2 * times)
        off = np.log(times / expected)
        far = np.minimum(1, FAR / np.maximum(np.abs(off), 1e-9))
        factors = least_squares(terms / expected[:, None], 1 + np.clip(off, -1, 1), weights * far, held, held_to)
    return factors


def weights_of(table, regime):
    """Lines near to the best of their matrix and product count more."""
    best = defaultdict(lambda: np.inf)
    for case, op, t in zip(table.case, table.operation, table.time[regime]):
        best[case, op] = min(best[case, op], t)
    return (np.array([best[c, o] for c, o in zip(table.case, table.operation)]) / table.time[regime]) ** NEAR


def fit_all(table, regime):
    """Factors of all kernels, and of the formats they are held to."""
    terms, times, weights = table.terms[regime], table.time[regime], weights_of(table, regime)
    formats, kernels = {}, {}
    for name in sorted(set(table.of_format)):
        at = table.of_format == name
        formats[name] = fit_lines(terms[at], times[at], weights[at])
    for name in sorted(set(table.group)):
        at = np.where(table.group == name)[0]
        if len(at) >= FEWEST:
            kernels[name] = fit_lines(terms[at], times[at], weights[at], HELD, formats[table.of_format[at[0]]])
    return formats, kernels


def leave_out(table, left):
    """What is expected of every line by factors that were fitted without its own part (of `left`)."""
    parts = np.unique(left, return_inverse=True)[1]
    expected = {r: np.full(len(parts), np.inf) for r in REGIMES}
    for regime in REGIMES:
        terms, times, weights = table.terms[regime], table.time[regime], weights_of(table, regime)
        formats, kernels = fit_all(table, regime)
        of_format = {name: np.where(table.of_format == name)[0] for name in formats}
        of_kernel = {name: np.where(table.group == name)[0] for name in kernels}
        for part in range(parts.max() + 1):
            held_to = {}
            for name, at in of_kernel.items():
                mine = at[parts[at] == part]
                others = at[parts[at] != part]
                if len(mine) == 0 or len(others) < FEWEST:
                    continue
                form = table.of_format[at[0]]
                if form not in held_to:
                    rest = of_format[form][parts[of_format[form]] != part]
                    held_to[form] = fit_lines(terms[rest], times[rest], weights[rest], start=formats[form], rounds=2)
                factors = fit_lines(terms[others], times[others], weights[others], HELD, held_to[form], kernels[name], 3)
                expected[regime][mine] = terms[mine] @ factors
    return expected


def handicaps(table, expected, regime, left=None):
    """By kernel, how many times its expectation counts: the worse it is known where it is expected near the front, the more.
    The best known kernel has 1. Without the lines of `left`."""
    of_case = defaultdict(lambda: np.inf)
    for case, op, t in zip(table.case, table.operation, expected[regime]):
        of_case[case, op] = min(of_case[case, op], t)
    best = np.array([of_case[c, o] for c, o in zip(table.case, table.operation)])
    counted = (expected[regime] < 1.3 * best) & np.isfinite(expected[regime])
    if left is not None:
        counted &= ~left
    spread = {}
    for name in set(table.group):
        at = counted & (table.group == name)
        off = np.log(table.time[regime][at] / expected[regime][at])
        spread[name] = np.sqrt((np.sum(off ** 2) + 4 * 0.3 ** 2) / (len(off) + 4))
    least = min(spread.values())
    return {name: float(np.exp(HANDICAP[table.backend] * (s - least))) for name, s in spread.items()}


def cautious(table, expected, left=None):
    """With handicaps, of every part without itself where parts are given."""
    result = {r: expected[r].copy() for r in REGIMES}
    for regime in REGIMES:
        if left is None:
            found = handicaps(table, expected, regime)
            result[regime] *= np.array([found[g] for g in table.group])
            continue
        for part in np.unique(left):
            at = left == part
            found = handicaps(table, expected, regime, at)
            result[regime][at] *= np.array([found[g] for g in table.group[at]])
    return result


# ---- choosing ----

STAYS = 1.05  # CSR is stayed in where it is expected within so much of the least (verdict.cpp)


def chosen(table, case, times, product, stays):
    """The lines of the way with the least time; CSR's where that is nearly as good."""
    best, csr = None, None
    for name, lines in table.variants[case].items():
        for need in PRODUCTS[product]:
            if not all(lines[o] for o in need):
                continue
            took = [min(lines[o], key=lambda i: times[i]) for o in need]
            way = (sum(times[i] for i in took), took)
            if best is None or way[0] < best[0]:
                best = way
            if name == "csr " and (csr is None or way[0] < csr[0]):
                csr = way
    return csr if stays and csr and csr[0] <= stays * best[0] else best


def shares_of(table, expected, stays=STAYS):
    """Of every case, product and regime: the best's time over that of what is chosen."""
    result = {}
    for product in PRODUCTS:
        for regime in REGIMES:
            time = table.time[regime]
            for case in table.cases_of(product):
                best = chosen(table, case, time, product, 0)[0]
                took = chosen(table, case, expected[regime], product, stays)[1]
                result[case, product, regime] = best / sum(time[i] for i in took)
    return result


def mean_of(values):
    return float(np.exp(np.mean(np.log(values))))


def mean_over(table, shares, product, regime):
    """0 where it was not measured."""
    cases = table.cases_of(product)
    return mean_of([shares[c, product, regime] for c in cases]) if cases else 0


def single_kernels(table, cases, product, regime):
    """What always the same kernel would do, with the best parameters for each matrix: the best one's share and name."""
    logs = defaultdict(list)
    for case in cases:
        best = chosen(table, case, table.time[regime], product, 0)[0]
        least = defaultdict(lambda: np.inf)
        for lines in table.variants[case].values():
            for op in OPERATIONS:
                for i in lines[op]:
                    least[table.shown[i], op] = min(least[table.shown[i], op], table.time[regime][i])
        for kernel in {k for k, _ in least}:
            time = min(sum(least[kernel, o] for o in need) for need in PRODUCTS[product])
            if np.isfinite(time):
                logs[kernel].append(np.log(best / time))
    whole = {k: np.exp(np.mean(v)) for k, v in logs.items() if len(v) == len(cases)}
    name = max(whole, key=whole.get)
    return float(whole[name]), name


def show(table, name, shares):
    for device in sorted(set(table.device)):
        print(f"{device}, {name}")
        for product in PRODUCTS:
            cases = [c for c in table.cases_of(product) if c.startswith(device + "|")]
            if not cases:
                continue
            print(f"  {product}: {len(cases)} cases of {len({c.split('|')[1] for c in cases})} matrices")
            for regime in REGIMES:
                values = {c: shares[c, product, regime] for c in cases}
                worst = sorted(values, key=values.get)[:3]
                single, kernel = single_kernels(table, cases, product, regime)
                print(f"  {product:4} {regime:4}  {mean_of(list(values.values())):.3f}  worst {min(values.values()):.2f}  within 5 % "
                      f"{100 * np.mean(np.array(list(values.values())) > 1 / 1.05):.0f} %   always {kernel} {single:.3f}   "
                      + ", ".join(f"{c.split('|')[1]} {values[c]:.2f}" for c in worst))


def judged(table):
    """The shares of the choice without each matrix, and without each family."""
    result = {}
    for name, left in (("matrix", table.matrix), ("family", table.family)):
        expected = leave_out(table, left)
        for regime in REGIMES:
            off = np.abs(np.log(expected[regime] / table.time[regime]))
            print(f"{table.backend} {regime}, without each {name}: median error of all lines {100 * np.median(off):.0f} %")
        wary = cautious(table, expected, left)
        result[name] = shares_of(table, wary)
        show(table, f"without each {name}", result[name])
        for stays in (0, 1.02, 1.1):
            found = shares_of(table, wary, stays)
            print(f"  staying in CSR up to {stays or 'never'}: " + " ".join(
                f"{mean_over(table, found, p, r):.4f}" for p in PRODUCTS for r in REGIMES))
        result["expected", name] = expected
    return result


# ---- conversions ----

def conversions(table):
    """Factors of every format's conversion from CSR, and the median of relative errors without each matrix."""
    result = {}
    for form in sorted(set(table.format)):
        seen, at = set(), []
        for i in np.where((table.format == form) & (table.convert > 0))[0]:
            if (table.case[i], table.note[i]) not in seen:
                seen.add((table.case[i], table.note[i]))
                at.append(i)
        if form == "csr" or len(at) < FEWEST:
            continue
        at = np.array(at)
        terms, times, one = table.convert_terms[at], table.convert[at], np.ones(len(at))
        factors = fit_lines(terms, times, one)
        off = []
        for matrix in sorted(set(table.matrix[at])):
            mine = table.matrix[at] == matrix
            if (~mine).sum() < FEWEST:
                continue
            left = fit_lines(terms[~mine], times[~mine], one[~mine], start=factors, rounds=2)
            off += list(np.abs(terms[mine] @ left / times[mine] - 1))
        result[form] = factors, float(np.median(off))
    return result


# ---- writing ----

def number(value):
    return f"{value:.4g}" if value else "0"


def by_backend(names):
    groups = defaultdict(list)
    for name in names:
        with opened(name) as file:
            groups[next(csv.DictReader(file))["backend"]].append(name)
    return [Table(group) for _, group in sorted(groups.items())]


def write(target, tables):
    kernels, converted, records, places = [], [], [], []
    known = features_of()
    for table in tables:
        found = judged(table)
        fitted = {r: fit_all(table, r)[1] for r in REGIMES}
        count = {r: handicaps(table, found["expected", "matrix"], r) for r in REGIMES}
        for name in sorted(fitted["cold"]):
            kernel, op = name.rsplit(" ", 1)
            operation = OPERATIONS[op]
            rows = ["{" + ", ".join(number(x * count[r][name]) for x in fitted[r][name]) + "}" for r in REGIMES]
            kernels.append(f'      {{"{table.backend}", "{kernel}", operation::{operation},\n       {rows[0]},\n       {rows[1]}}},')
        for form, (factors, off) in conversions(table).items():
            print(f"{table.backend}, conversion to {form}: median error {100 * off:.0f} %")
            converted.append(f'      {{"{table.backend}", format_kind::{form}, {", ".join(map(number, factors))}, {number(off)}}},')
        shares, strangers = (
            ", ".join("{" + ", ".join(f"{mean_over(table, found[left], p, r):.3f}" for r in REGIMES) + "}" for p in PRODUCTS)
            for left in ("matrix", "family"))
        devices = " and ".join(sorted(set(table.device)))
        records.append(f'      {{"{table.backend}", "{devices}", {{{shares}}}, {{{strangers}}}}},')
        for case in table.cases_of("ax"):
            at = ", ".join(f"{x:.3g}" for x in place_of(known[case.split("|")[1]]))
            reached = ", ".join("{" + ", ".join(f"{found['family'].get((case, p, r), 0):.2f}" for r in REGIMES) + "}"
                                for p in PRODUCTS)
            places.append(f'      {{"{table.backend}", {{{at}}}, {{{reached}}}}},')
    lines = ["// Written by docs/model/fit.py; not by hand.", '#include "analyze/recommend/model_table.hpp"', "",
             "namespace sparsmith {", "", "// clang-format off"]
    for kind, name, rows in (("fitted_kernel", "fitted_kernels", kernels), ("fitted_conversion", "fitted_conversions", converted),
                             ("model_figures", "fitted_figures", records), ("fitted_case", "fitted_cases", places)):
        lines += [f"const std::vector<{kind}>& {name}() {{", f"  static const std::vector<{kind}> all = {{", *rows,
                  "  };", "  return all;", "}", ""]
    lines += ["// clang-format on", "", "}  // namespace sparsmith", ""]
    with open(target, "w") as file:
        file.write("\n".join(lines))


def agree(names, results):
    """Terms of the tool beside those of here, for what both have: the largest difference."""
    worst = defaultdict(float)
    compared = 0
    with opened(names) as file:
        rows = list(csv.DictReader(file))
    terms = terms_of(rows)
    for name in results:
        with open(name) as file:
            read = json.load(file)
        for result in read.get("matrices", [read]):
            rate = result["machine"]["rates"]
            for one in result["contestants"]:
                if one["predicted"] is None or one["of_transpose"]:
                    continue
                for i, r in enumerate(rows):
                    if (r["matrix"], r["format"], r["note"], r["kernel"], r["operation"], int(r["value_bits"])) != (
                            result["matrix"]["name"].split("/")[-1], one["format"], one["note"], one["kernel"], one["operation"],
                            result["matrix"]["value_bits"]) or abs(float(r["launch_us"]) / rate["launch_us"] - 1) > 1e-3:
                        continue
                    compared += 1
                    for k, term in enumerate(TERMS):
                        told, here = one["predicted"]["cold_terms_us"][term], terms["cold"][i, k]
                        worst[term] = max(worst[term], abs(told - here) / max(told, here, 1e-3))
    print(f"{compared} lines; largest differences: " + ", ".join(f"{t} {100 * w:.1f} %" for t, w in worst.items()))
    if compared == 0 or max(worst.values()) > 0.02:
        sys.exit("the tool and this script do not agree")


def main(arguments):
    if len(arguments) >= 3 and arguments[0] == "keep":
        keep(arguments[1], arguments[2:])
    elif len(arguments) == 2 and arguments[0] == "features":
        features(arguments[1])
    elif len(arguments) >= 3 and arguments[0] == "fit":
        write(arguments[1], by_backend(arguments[2:]))
    elif len(arguments) >= 2 and arguments[0] == "check":
        for table in by_backend(arguments[1:]):
            judged(table)
    elif len(arguments) >= 3 and arguments[0] == "agree":
        agree(arguments[1], arguments[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
