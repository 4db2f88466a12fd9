#!/usr/bin/env python3
"""Prints what results of `sprecommend --exhaustive --json` come to, as the tables of docs/benchmarks.md do.

  figures.py FOLDER    every .json of a folder: a line a matrix, and the summary of a file that has several
"""
import json
import math
import pathlib
import sys

COMPARISONS = {"ax": "A x", "atx": "A^T x", "atx_from_a": "A^T x, from A", "pair_csr": "both, its CSR",
               "pair_one_copy": "both, one copy", "pair_two_copies": "both, two copies"}


def documents_of(path):
    """(the results of a file, how many were asked for)."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if not text.strip():
        return [], 0
    read = json.loads(text)
    if isinstance(read, list):
        return read, len(read)
    if read["schema"].startswith("sparsmith.exhaustive/"):
        return read["matrices"], read["asked"]
    return [read], 1


def shown(value):
    return "-" if value is None else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def way(one, operation):
    """The copy it runs on and its time."""
    if one is None:
        return "-"
    copy = one["copies"][-1 if operation == "atx" else 0]
    return f"{one['kernels'][operation]} ({copy}) {shown(one['us'])}"


def tile_us(told, operation):
    """gcsb/tile, the fastest of its variants, in the regime that decides."""
    regime = told["request"]["regime"]
    times = [one[regime]["median_us"] for one in told["contestants"]
             if one["kernel"] == "gcsb/tile" and one["operation"] == operation and one["result"] == "ok"]
    return min(times, default=None)


def ratio(a, b):
    return None if not a or not b else a / b


def tile_over_vendor(told):
    """gcsb/tile's pair over the vendor's CSR, and over its two copies."""
    tile = [tile_us(told, operation) for operation in ("ax", "atx")]
    if None in tile:
        return None, None
    vendor = told["verdict"]["vendor"]
    # A way's time is of one product of the mix: a pair is two where both count the same.
    return [ratio(2 * one["us"], sum(tile)) if one else None for one in (vendor["csr"], vendor["two_copies"])]


def print_table(header, rows):
    print("| " + " | ".join(header) + " |\n|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def standard_row(name, told):
    verdict = told["verdict"]
    if verdict is None or verdict["over_vendor"] is None:
        return [name, *["-"] * 7]
    over, vendor, ours = verdict["over_vendor"], verdict["vendor"], verdict["ours"]
    return [name, " / ".join(shown(tile_us(told, operation)) for operation in ("ax", "atx")),
            " / ".join(map(shown, tile_over_vendor(told))),
            way(ours["ax"], "ax"), way(ours["atx"], "atx"), way(vendor["ax"], "ax"), way(vendor["atx"], "atx"),
            " / ".join(shown(over[key]) for key in ("ax", "atx", "atx_from_a", "pair_csr", "pair_two_copies"))]


def several_rows(told, asked):
    """By what is compared: geometric mean, worst and where, ahead on."""
    lines = []

    def add(words, ratios):
        found = {name: value for name, value in ratios.items() if value}
        if not found:
            return
        mean = math.exp(sum(map(math.log, found.values())) / len(found))
        worst = min(found, key=found.get)
        ahead = sum(value > 1 for value in found.values())
        lines.append([words, f"{mean:.3f}", f"{found[worst]:.3f} ({worst})", f"{ahead} of {asked}",
                      f"{100 * ahead / asked:.1f} %"])

    over = {one["matrix"]["name"].split("/")[-1]: one["verdict"]["over_vendor"] for one in told
            if one["verdict"] and one["verdict"]["over_vendor"]}
    for key, words in COMPARISONS.items():
        add(words, {name: ratios[key] for name, ratios in over.items()})
    for form in sorted({form for ratios in over.values() for form in ratios["ax_in_format"]}):
        add(f"A x, {form} over its {form}", {name: r["ax_in_format"].get(form) for name, r in over.items()})
    pairs = {one["matrix"]["name"].split("/")[-1]: tile_over_vendor(one)[0] for one in told if one["verdict"]}
    add("gcsb/tile's pair over its CSR", pairs)
    return lines


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    single, wrong = [], []
    several = []
    for path in sorted(pathlib.Path(sys.argv[1]).glob("*.json")):
        told, asked = documents_of(path)
        for one in told:
            wrong += [f"{one['matrix']['name']}: {k['kernel']} {k['operation']}: {k['wrong']}"
                      for k in one["contestants"] if k["wrong"]]
            if one["interrupted"]:
                print(f"{path.stem}: {one['matrix']['name']}: interrupted, this is what there was by then")
        if asked > 1:
            several.append((path.stem, told, asked))
        elif told:
            single.append(standard_row(path.stem, told[0]))
        else:
            print(f"{path.stem}: nothing was measured")
    if single:
        print("us, in the regime that decides; ratios are ours over the vendor's, above 1 ours is faster\n")
        print_table(["matrix", "gcsb/tile A x / A^T x", "its pair over CSR / two copies", "ours A x", "ours A^T x",
                     "vendor A x", "vendor A^T x", "A x / A^T x / from A / pair: CSR / two copies"], single)
    for name, told, asked in several:
        print(f"{name}: {asked} matrices, {len(told)} measured\n")
        print_table(["ours over the vendor's", "mean", "worst", "ahead on", ""], several_rows(told, asked))
    for line in wrong:
        print(f"WRONG RESULT: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
