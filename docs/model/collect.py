#!/usr/bin/env python3
"""Measures every kernel on many matrices, on the machine at hand, for docs/model/fit.py.

  collect.py TOOL TARGET.csv [MATRIX...] [--values f64,f32] [--samples 5] [--seconds S] [--as-they-are] [-- OPTIONS...]

TOOL is sprecommend; a MATRIX is a file, a folder of files or a generator, and without any they are read from standard input, a
line each. Every matrix is run by `TOOL --exhaustive --as-general`, with OPTIONS such as --device cpu, in each of the types of
values; --as-they-are leaves --as-general out, and halves take part where A equals A^T. Kernels of two products in one pass
are measured with `-- --mix both` and `-- --mix normal`, each into a TARGET of its own. What was measured is added to TARGET.csv at once, and what is there already is not measured again: an interrupted run
is called again and goes on. --seconds ends it after that time, between matrices.
"""
import csv
import io
import json
import os
import subprocess
import sys
import time

TERMS = ["launches", "arrays", "vectors", "outputs", "gathers", "lines", "misses", "idle", "atomics", "contended",
         "chain", "blocks", "ramp", "fresh", "scattered", "crowded", "meeting"]
REGIMES = ["warm", "cold"]
COLUMNS = (["backend", "device", "matrix", "value_bits", "entries", "format", "note", "of_transpose", "kernel", "vendor",
            "operation", "bytes", "convert_us", "launch_us", "entries_us", "bytes_us", "prepare_us", "warm_us", "cold_us"]
           + ["warm_" + t for t in TERMS] + ["cold_" + t for t in TERMS])
# Matrices of so many are given to one process, which starts the GPU once.
AT_ONCE = 8


def device_of(machine):
    device = machine["device"].split(",")[0]
    return f"{machine['threads']} threads of {device}" if machine["backend"] == "openmp" else device


def lines_of(result):
    """What one result of `sprecommend --exhaustive --json` has measured, a line a kernel and product."""
    machine, rates = result["machine"], result["machine"]["rates"]
    matrix, entries = result["matrix"]["name"].split("/")[-1], result["matrix"]["entries"]
    for one in result["contestants"]:
        if one["warm"] is None or one["cold"] is None:
            continue
        kept = result["variants"][one["variant"]]
        line = {"backend": machine["backend"], "device": device_of(machine), "matrix": matrix,
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
        yield {c: f"{v:.5g}" if isinstance(v, float) else v for c, v in line.items()}


def run(tool, matrices, bits, samples, options):
    """The results of one process, and what it said where it failed."""
    done = subprocess.run([tool, *matrices, "--exhaustive", "--samples", str(samples), "--value", "f" + bits, "--json", "--quiet",
                           *options], capture_output=True, text=True)
    if done.returncode != 0:
        return [], done.stderr.strip() or f"exit status {done.returncode}"
    read = json.loads(done.stdout)
    return read.get("matrices", [read]), ""


def all_of(names):
    for name in names:
        if os.path.isdir(name):
            yield from (os.path.join(name, file) for file in sorted(os.listdir(name)))
        else:
            yield name


def main(arguments):
    options, general = [], ["--as-general"]
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    named, plain = {"--values": "f64,f32", "--samples": "5", "--seconds": "inf"}, []
    while arguments:
        first = arguments.pop(0)
        if first == "--as-they-are":
            general = []
        elif first in named and arguments:
            named[first] = arguments.pop(0)
        elif first.startswith("--"):
            sys.exit(__doc__)
        else:
            plain.append(first)
    if len(plain) < 2:
        sys.exit(__doc__)
    tool, target, matrices = plain[0], plain[1], plain[2:]
    matrices = list(all_of(matrices or [line.strip() for line in sys.stdin if line.strip()]))
    began, deadline = time.monotonic(), float(named["--seconds"])
    there = set()
    if os.path.exists(target):
        with open(target, newline="") as file:
            there = {(line["matrix"], line["value_bits"]) for line in csv.DictReader(file)}
    else:
        with open(target, "w", newline="") as file:
            csv.DictWriter(file, COLUMNS).writeheader()
    for bits in (v.lstrip("f") for v in named["--values"].split(",")):
        left = [m for m in matrices if (m.split("/")[-1], bits) not in there]
        while left:
            if time.monotonic() - began > deadline:
                print(f"the time is over: {len(left)} matrices are left in {bits} bits")
                return
            # A process that fails says so of one matrix: then they are run one by one.
            chunk, left = left[:AT_ONCE], left[AT_ONCE:]
            groups = [chunk]
            while groups:
                group = groups.pop(0)
                if time.monotonic() - began > deadline:
                    left = group + [m for g in groups for m in g] + left
                    break
                start = time.monotonic()
                results, problem = run(tool, group, bits, named["--samples"], general + options)
                if problem and len(group) > 1:
                    groups = [[m] for m in group] + groups
                    continue
                if problem:
                    print(f"{group[0]}: {problem}", flush=True)
                    continue
                text = io.StringIO()
                writer = csv.DictWriter(text, COLUMNS)
                count = 0
                for result in results:
                    for line in lines_of(result):
                        writer.writerow(line)
                        count += 1
                with open(target, "a", newline="") as file:
                    file.write(text.getvalue())
                print(f"{bits} bits, {', '.join(m.split('/')[-1] for m in group)}: {count} measurements in "
                      f"{time.monotonic() - start:.1f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
