#!/usr/bin/env python3
"""Fits the model of analyze/recommend/model.cpp and says how well it does on matrices it has not seen.

  fit.py add NAME.csv.gz RESULT.json...   gathers measurements: results of `sprecommend --exhaustive --json`
  fit.py fit OUT.cpp NAME.csv.gz...       fits every kernel of every file's backend, and writes model_table.cpp
  fit.py check NAME.csv.gz...             leave-one-out figures alone

A kernel's time is a sum of terms (model.cpp, terms_of), each in seconds, with factors that are not negative. They are
the least squares of relative errors, held to those of all kernels of the format together where little speaks for others.
Leave-one-out: every matrix (with all its types of values) is predicted by factors that
were fitted without it. Needs NumPy and SciPy.
"""
import csv
import gzip
import io
import json
import sys
from collections import defaultdict

import numpy as np
from scipy.optimize import nnls

TERMS = ["launches", "arrays", "vectors", "outputs", "gathers", "lines", "misses", "idle", "atomics", "contended",
         "chain", "blocks"]
REGIMES = ["warm", "cold"]
OPERATIONS = ["ax", "atx"]
COLUMNS = (["backend", "device", "matrix", "value_bits", "entries", "format", "note", "of_transpose", "kernel", "vendor",
            "operation", "bytes", "convert_us", "launch_us", "entries_us", "bytes_us", "prepare_us", "warm_us", "cold_us"]
           + ["warm_" + t for t in TERMS] + ["cold_" + t for t in TERMS])


def own_name(kernel):
    """CSC's kernels are CSR's."""
    return "csr" + kernel[3:] if kernel.startswith("csc/") else kernel


# ---- data ----

def add(target, names):
    lines = {}
    for name in names:
        with open(name) as file:
            text = file.read()
        if not text.strip():
            continue
        result = json.loads(text)
        rates = result["machine"]["rates"]
        stored = {i: c for i, c in enumerate(result["variants"])}
        matrix = result["matrix"]["name"].split("/")[-1]
        for one in result["contestants"]:
            if one["warm"] is None or one["cold"] is None:
                continue
            kept = stored[one["variant"]]
            entries = result["matrix"]["entries"]
            device = result["machine"]["device"].split(",")[0]
            if result["machine"]["backend"] == "openmp":
                device = f"{result['machine']['threads']} threads of {device}"
            line = {"backend": result["machine"]["backend"], "device": device, "matrix": matrix,
                    "value_bits": result["matrix"]["value_bits"], "entries": entries, "format": one["format"],
                    "note": one["note"], "of_transpose": int(one["of_transpose"]), "kernel": one["kernel"],
                    "vendor": int(one["vendor"]), "operation": one["operation"], "bytes": kept["bytes"],
                    "convert_us": (kept["convert_ms"] or 0) * 1e3, "launch_us": rates["launch_us"],
                    "entries_us": entries / rates["cached_gathers_per_s"] * 1e6,
                    "bytes_us": kept["bytes"] / rates["read_gb_per_s"] / 1e3, "prepare_us": one["prepare_ms"] * 1e3,
                    "warm_us": one["warm"]["median_us"], "cold_us": one["cold"]["median_us"]}
            for regime in REGIMES:
                for term, value in one["predicted"][regime + "_terms_us"].items():
                    line[regime + "_" + term] = value
            key = tuple(line[c] for c in ("matrix", "value_bits", "format", "note", "of_transpose", "kernel", "operation"))
            lines[key] = line
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    for key in sorted(lines, key=str):
        writer.writerow({c: f"{v:.5g}" if isinstance(v, float) else v for c, v in lines[key].items()})
    with gzip.GzipFile(target, "wb", mtime=0) as file:
        file.write(text.getvalue().encode())
    print(f"{target}: {len(lines)} measurements, {len({k[0] for k in lines})} matrices")


class Table:
    def __init__(self, name):
        with gzip.open(name, "rt", newline="") as file:
            rows = list(csv.DictReader(file))
        self.backend, self.device = rows[0]["backend"], rows[0]["device"]
        self.matrix = np.array([r["matrix"] for r in rows])
        self.case = np.array([r["matrix"] + " f" + r["value_bits"] for r in rows])
        self.kernel = np.array([own_name(r["kernel"]) for r in rows])
        self.shown = np.array([r["kernel"] for r in rows])
        self.format = np.array([r["format"] for r in rows])
        self.variant = np.array([r["format"] + " " + r["note"] for r in rows])
        self.turned = np.array([r["of_transpose"] == "1" for r in rows])
        self.vendor = np.array([r["vendor"] == "1" for r in rows])
        self.operation = np.array([r["operation"] for r in rows])
        # What the stored arrays do: of A^T stored, its own A x is our A^T x.
        flips = self.turned | (self.format == "csc")
        self.stored_op = np.where(flips, np.where(self.operation == "ax", "atx", "ax"), self.operation)
        self.time = {r: np.array([float(x[r + "_us"]) for x in rows]) for r in REGIMES}
        self.terms = {r: np.array([[float(x[r + "_" + t] or 0) for t in TERMS] for x in rows]) for r in REGIMES}
        self.convert = np.array([float(x["convert_us"]) for x in rows])
        self.convert_terms = np.array([[float(x["launch_us"]), float(x["entries_us"]), float(x["bytes_us"])] for x in rows])
        self.family = family(self)
        # How near to the best of its matrix and operation.
        self.near = {}
        for regime in REGIMES:
            best = defaultdict(lambda: np.inf)
            for case, op, t in zip(self.case, self.operation, self.time[regime]):
                best[case, op] = min(best[case, op], t)
            self.near[regime] = np.array([best[c, o] for c, o in zip(self.case, self.operation)]) / self.time[regime]


# ---- fitting ----

# How much a kernel is held to the factors of all kernels of its format together.
HELD = 0.3


def least_squares(terms, times, held_to=None):
    """Factors, none negative, that make relative errors small, and stay near to others where little speaks for more."""
    scaled = terms / times[:, None]
    if held_to is None:
        held_to = np.zeros(terms.shape[1])
        strength = 1e-3
    else:
        strength = HELD
    hold = np.diag(strength * np.sqrt((scaled ** 2).sum(axis=0)) + 1e-9)
    factors, _ = nnls(np.vstack([scaled, hold]), np.concatenate([np.ones(len(times)), hold @ held_to]))
    return factors


def family(table):
    """Kernels that work alike: those of one format."""
    return np.array([k.split("/")[0] for k in table.kernel])


def fit_kernel(table, regime, chosen, held_to=None):
    return least_squares(table.terms[regime][chosen], table.time[regime][chosen], held_to)


def family_factors(table, regime, kernel, op, admitted):
    chosen = (table.family == kernel.split("/")[0]) & (table.stored_op == op) & admitted
    return fit_kernel(table, regime, chosen)


def groups(table):
    for kernel in sorted(set(table.kernel)):
        for op in OPERATIONS:
            chosen = (table.kernel == kernel) & (table.stored_op == op)
            if chosen.any():
                yield kernel, op, chosen


def leave_one_out(table):
    expected = {r: np.full(len(table.kernel), np.inf) for r in REGIMES}
    for regime in REGIMES:
        for matrix in sorted(set(table.matrix)):
            others = table.matrix != matrix
            together = {}
            for kernel, op, chosen in groups(table):
                mine = chosen & ~others
                if not mine.any() or (chosen & others).sum() < 8:
                    continue
                name = kernel.split("/")[0], op
                if name not in together:
                    together[name] = family_factors(table, regime, kernel, op, others)
                factors = fit_kernel(table, regime, chosen & others, together[name])
                expected[regime][mine] = table.terms[regime][mine] @ factors
    return expected


# ---- choosing ----

def ways(table, rows, times, op):
    """Of one case: the time of every way, a stored format with a kernel (or two, for both operations)."""
    rows = [i for i in rows if not table.turned[i]]
    if op != "pair":
        return {(table.variant[i], table.shown[i]): (times[i], [i]) for i in rows if table.operation[i] == op}
    best = {}
    for i in rows:
        key = (table.variant[i], table.operation[i])
        if key not in best or times[i] < times[best[key]]:
            best[key] = i
    result = {}
    for variant in sorted({table.variant[i] for i in rows}):
        a, b = best.get((variant, "ax")), best.get((variant, "atx"))
        if a is not None and b is not None:
            result[variant] = (times[a] + times[b], [a, b])
    return result


def figures(table, expected, only=None):
    by_case = defaultdict(list)
    for i, case in enumerate(table.case):
        by_case[case].append(i)
    result = {}
    for op in ("ax", "atx", "pair"):
        for regime in REGIMES:
            time = table.time[regime]
            shares, single, hits = {}, defaultdict(dict), 0
            for case, rows in by_case.items():
                if only is not None and not only(case):
                    continue
                measured = ways(table, rows, time, op)
                best = min(t for t, _ in measured.values())
                chosen = min(ways(table, rows, expected[regime], op).values(), key=lambda w: w[0])[1]
                share = best / sum(time[i] for i in chosen)
                shares[case] = share
                hits += share > 1 / 1.05
                for i in rows:  # what always the same kernel would do, with the best parameters for each matrix
                    if not table.turned[i]:
                        key = table.shown[i]
                        if op == "pair" or table.operation[i] == op:
                            single[key].setdefault(case, {}).setdefault(table.operation[i], [])
                            single[key][case][table.operation[i]].append(time[i])
            constant = {}
            for kernel, cases in single.items():
                logs = []
                for case in shares:
                    have = cases.get(case, {})
                    need = ["ax", "atx"] if op == "pair" else [op]
                    if not all(o in have for o in need):
                        logs = None
                        break
                    best = min(t for t, _ in ways(table, by_case[case], time, op).values())
                    logs.append(np.log(best / sum(min(have[o]) for o in need)))
                if logs:
                    constant[kernel] = np.exp(np.mean(logs))
            name = max(constant, key=constant.get)
            values = np.array(list(shares.values()))
            result[op, regime] = {"share": float(np.exp(np.mean(np.log(values)))), "worst": float(values.min()),
                                  "worst_case": min(shares, key=shares.get), "within": hits / len(values),
                                  "single": float(constant[name]), "kernel": name, "cases": len(values)}
    return result


def show(table, expected):
    for regime in REGIMES:
        error = np.abs(np.log(expected[regime] / table.time[regime]))
        near = table.near[regime] > 0.67
        print(f"{table.backend} {regime}: median error {100 * np.median(error):.0f} %, near the front "
              f"{100 * np.median(error[near]):.0f} %")
    found = figures(table, expected)
    print(f"{'':12} {'share':>7} {'worst':>7} {'within 5 %':>11}   always the same kernel   loses of that")
    for (op, regime), f in found.items():
        print(f"{op:5} {regime:6} {f['share']:7.3f} {f['worst']:7.3f} {f['within']:11.2f}   {f['single']:.3f} "
              f"{f['kernel']:18} {(1 - f['share']) / (1 - f['single']):.2f}   ({f['cases']} cases, worst {f['worst_case']})")
    return found


# ---- writing ----

def number(value):
    return f"{value:.4g}" if value else "0"


def write(target, tables):
    kernels, conversions, records = [], [], []
    for table in tables:
        expected = leave_one_out(table)
        found = show(table, expected)
        for kernel, op, chosen in groups(table):
            if chosen.sum() < 8:
                continue
            every = np.ones(len(table.kernel), bool)
            warm, cold = (fit_kernel(table, regime, chosen, family_factors(table, regime, kernel, op, every))
                          for regime in REGIMES)
            operation = "multiply" if op == "ax" else "transposed"
            kernels.append(f'      {{"{table.backend}", "{kernel}", operation::{operation},\n'
                           f'       {{{", ".join(map(number, warm))}}},\n       {{{", ".join(map(number, cold))}}}}},')
        for form in sorted(set(table.format)):
            chosen = (table.format == form) & ~table.turned & (table.convert > 0)
            if form == "csr" or chosen.sum() < 8:
                continue
            factors = least_squares(table.convert_terms[chosen], table.convert[chosen])
            conversions.append(f'      {{"{table.backend}", format_kind::{form}, {", ".join(map(number, factors))}}},')
        shares = ", ".join("{" + ", ".join(f"{found[op, r]['share']:.3f}" for r in REGIMES) + "}" for op in ("ax", "atx", "pair"))
        records.append(f'      {{"{table.backend}", "{table.device}", {{{shares}}}}},')
    lines = ["// Written by docs/model/fit.py; not by hand.", '#include "analyze/recommend/model_table.hpp"', "",
             "namespace sparsmith {", "", "// clang-format off"]
    for kind, name, rows in (("fitted_kernel", "fitted_kernels", kernels),
                             ("fitted_conversion", "fitted_conversions", conversions),
                             ("model_figures", "fitted_figures", records)):
        lines += [f"const std::vector<{kind}>& {name}() {{", f"  static const std::vector<{kind}> all = {{", *rows,
                  "  };", "  return all;", "}", ""]
    lines += ["// clang-format on", "", "}  // namespace sparsmith", ""]
    with open(target, "w") as file:
        file.write("\n".join(lines))


def main(arguments):
    if len(arguments) >= 3 and arguments[0] == "add":
        add(arguments[1], arguments[2:])
    elif len(arguments) >= 3 and arguments[0] == "fit":
        write(arguments[1], [Table(name) for name in arguments[2:]])
    elif len(arguments) >= 2 and arguments[0] == "check":
        for name in arguments[1:]:
            table = Table(name)
            show(table, leave_one_out(table))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
