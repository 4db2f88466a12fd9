#!/usr/bin/env python3
"""Whether the tools end well when memory, space or bytes run out: starve_check.py TOOLS LIBRARY DATA [options, see --help]

Preloads LIBRARY (starve.cpp) into each tool and lets one thing fail a run: an allocation (that one alone, or that one and
all later), a write at a byte (cut short, or no space from there on), a call that finishes a file, a read; or all reads get
a byte at a time. A run must end in success with everything written, or in exit status 1 with one line on standard error
and every output as it was before or whole; it leaves no other file behind and no memory that nobody can reach. A sample of the places by default; --every tries each. Prints how many were tried; exits with 1 where one failed.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import threading
import time
import zlib

OLD = b"what was there before\n"
# The runs are about memory of the host; a GPU would take its own and time.
os.environ["CUDA_VISIBLE_DEVICES"] = ""
# HDF5 1.10 crashes in about one place of three where an allocation of its own fails; nothing of ours is on the way. With
# --spare '' they fail too.
FRAGILE = "libhdf5"

problems = collections.Counter()
examples = {}
tried = collections.Counter()
forgiven = collections.Counter()
lock = threading.Lock()


class Case:
    """A command, the files it writes, and what it says when nothing fails. `{work}` in an argument is the run's folder."""

    def __init__(self, name, tool, arguments, outputs=(), says=None, generation=0, folder=None):
        self.name, self.tool, self.arguments, self.outputs = name, tool, arguments, outputs
        self.says, self.generation, self.folder = says, generation, folder


def shape_of(value):
    """What a document has, whatever its numbers are."""
    if isinstance(value, dict):
        return {key: shape_of(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [shape_of(value[0])] if value else []
    return "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else "other"


def is_whole(name, content, expected):
    if content == expected:
        return True
    if name.endswith(".html"):  # has times in it
        return content.startswith(b"<!DOCTYPE html>") and content.rstrip().endswith(b"</html>")
    return False


class Trial:
    def __init__(self, options):
        self.options = options
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="starve-"))
        self.folders = threading.local()
        self.names = {}

    def folder(self):
        if not hasattr(self.folders, "mine"):
            self.folders.mine = pathlib.Path(tempfile.mkdtemp(dir=self.root))
        return self.folders.mine

    def prepare(self, case, work):
        for entry in work.iterdir():
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        for name in case.outputs:
            (work / name).write_bytes(OLD)
        if case.folder:
            shutil.copytree(case.folder, work / "results")

    def run(self, case, wishes):
        work = self.folder()
        self.prepare(case, work)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("STARVE_")}
        # The heap in one piece, in which the library looks for leaks.
        environment.update(wishes, LD_PRELOAD=str(self.options.library), OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive",
                           XDG_CACHE_HOME=str(self.root / "cache"), STARVE_LEAKS="1", STARVE_SPARE=self.options.spare or "nothing",
                           GLIBC_TUNABLES="glibc.malloc.arena_max=1:glibc.malloc.mmap_threshold=1073741824")
        if case.generation:
            environment["STARVE_GENERATION"] = str(case.generation)
        command = [str(self.options.tools / case.tool)] + [a.replace("{work}", str(work)) for a in case.arguments]
        result = subprocess.run(command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, cwd=work, timeout=300)
        return result, work

    def counts(self, case):
        """How many allocations, written bytes, calls and reads there are; and what all of it looks like when nothing fails."""
        report = self.root / "report"
        report.unlink(missing_ok=True)
        result, work = self.run(case, {"STARVE_REPORT": str(report)})
        if result.returncode != 0 or not report.exists():
            sys.exit(f"{case.name}: failed with nothing in its way: {result.returncode}, {result.stderr.decode()}")
        case.stdout = result.stdout
        case.expected = {name: (work / name).read_bytes() for name in case.outputs}
        lines = [[int(n) for n in line.split()] for line in report.read_text().splitlines()]
        return [max(column) for column in zip(*lines)]

    def allocations_at_start(self, tool):
        """How many a tool makes before it looks at what it was asked for: they are alike in all its runs."""
        return self.counts(Case(f"the start of {tool}", tool, ["--version"]))[0]

    def verdict(self, case, wishes):
        """Nothing, or what is wrong."""
        result, work = self.run(case, wishes)
        status, said = result.returncode, result.stderr.decode(errors="replace")
        lines = [line for line in said.splitlines() if line.strip() and not line.startswith("starve: ")]
        if status not in (0, 1):
            return f"ends with {status}", said
        if status == 1 and len(lines) != 1:
            return f"says {len(lines)} lines", said
        if status == 1 and not re.match(rf"({case.tool}|libgomp): .", lines[0]):
            return "says a line of somebody else", said
        if status == 0 and lines:
            return "succeeds, and yet says something", said
        for name in case.outputs:
            content = (work / name).read_bytes() if (work / name).exists() else None
            if content is None:
                return "takes the old file away", name
            if not (content == OLD and status == 1) and not is_whole(name, content, case.expected[name]):
                return ("leaves a torn file" if content != OLD else "succeeds without writing"), f"{name}: {said}"
        allowed = set(case.outputs) | ({"results"} if case.folder or case.tool == "spbatch" else set())
        strays = {entry.name for entry in work.iterdir()} - allowed
        if case.tool == "spbatch" and (work / "results").exists():
            strays |= {e.name for e in (work / "results").iterdir() if ".partial-" in e.name}
        if strays:
            return "leaves a file behind", f"{strays}: {said}"
        if status == 0 and case.says == "json":
            try:
                if shape_of(json.loads(result.stdout)) != shape_of(json.loads(case.stdout)):
                    return "succeeds, but says less", said
            except ValueError as problem:
                return "succeeds, but what it says is no JSON", str(problem)
        leaks = self.own_leaks(said)
        if leaks:
            return "leaks", "\n".join(leaks)
        if case.tool == "spbatch" and wishes:
            return self.goes_on(case, work)
        return None

    def own_leaks(self, said):
        """Who allocated what was lost. A constructor of nlohmann's JSON that throws forgets what it holds: not ours to mend."""
        found = []
        for file, address in re.findall(r"starve: \d+ bytes leaked, allocated in (\S+) at (0x[0-9a-f]+)", said):
            with lock:
                if (file, address) not in self.names:
                    told = subprocess.run(["addr2line", "-Cfe", file, address], capture_output=True, text=True).stdout
                    self.names[file, address] = told.splitlines()[0] if told else "?"
                name = self.names[file, address]
            if "nlohmann" in name:
                forgiven["nlohmann"] += 1
            else:
                found.append(f"{file} {address} {name}")
        return found

    def goes_on(self, case, work):
        """The same command again, with nothing in its way, completes what is there."""
        command = [str(self.options.tools / case.tool)] + [a.replace("{work}", str(work)) for a in case.arguments]
        result = subprocess.run(command + ["--retry-failed"] * (case.folder is None), stdin=subprocess.DEVNULL,
                                capture_output=True, cwd=work, timeout=300,
                                env={**os.environ, "XDG_CACHE_HOME": str(self.root / "cache")})
        if result.returncode != 0:
            return "does not go on afterwards", result.stderr.decode(errors="replace")
        lines = [json.loads(line) for line in (work / "results" / "results.jsonl").read_text().splitlines()]
        if not any(line.get("result") == "ok" for line in lines):
            return "has lost its results", str(lines)[:300]
        return None

    def try_all(self, case, kind, places, wishes_of):
        def one(place):
            wishes = wishes_of(place)
            try:
                found = self.verdict(case, wishes)
            except subprocess.TimeoutExpired:
                found = "does not end", ""
            with lock:
                tried[case.tool, kind] += 1
                if found:
                    key = (case.name, kind, found[0])
                    problems[key] += 1
                    examples.setdefault(key, []).append((wishes, found[1]))
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs) as pool:
            list(pool.map(one, places))


def sampled(count, wanted, every, first=1):
    """`wanted` of the places first .. first + count - 1, spread evenly, both ends among them; or all."""
    if every or count <= wanted:
        return list(range(first, first + count))
    return sorted({first + round(i * (count - 1) / (wanted - 1)) for i in range(wanted)})


def other_inputs(bridge, root):
    """The same matrix in files that spconv only reads: by name, their paths."""
    lines = [line.split() for line in pathlib.Path(bridge).read_text().splitlines() if not line.startswith("%")]
    size, entries = int(lines[0][0]), {}
    for row, col, value in lines[1:]:
        entries[int(row) - 1, int(col) - 1] = entries[int(col) - 1, int(row) - 1] = float(value)
    by_rows = sorted(entries)
    by_cols = sorted(entries, key=lambda place: place[::-1])
    lengths = [sum(row == r for row, _ in by_rows) for r in range(size)]  # of the columns too
    starts = [sum(lengths[:line]) for line in range(size + 1)]
    count = len(entries)
    full = [entries.get((row, col), 0.0) for row in range(size) for col in range(size)]
    contents = {"edges": "".join(f"{r} {c} {entries[r, c]}\n" for r, c in by_rows).encode()}
    contents["petsc"] = struct.pack(f">4i{size}i{count}i{count}d", 1211216, size, size, count, *lengths, *(c for _, c in by_rows),
                                    *(entries[place] for place in by_rows))
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({size}, {size}), }}\n".encode()
    contents["npy"] = b"\x93NUMPY\1\0" + struct.pack("<H", len(head)) + head + struct.pack(f"<{size * size}d", *full)

    def element(kind, form, *numbers):
        data = struct.pack("<" + form, *numbers)
        return struct.pack("<2I", kind, len(data)) + data + bytes(-len(data) % 8)
    array = (element(6, "2I", 5, count) + element(5, "2i", size, size) + element(1, "1s", b"A")
             + element(5, f"{count}i", *(r for r, _ in by_cols)) + element(5, f"{size + 1}i", *starts)
             + element(9, f"{count}d", *(entries[place] for place in by_cols)))
    packed = zlib.compress(struct.pack("<2I", 14, len(array)) + array)
    contents["mat"] = (b"MATLAB 5.0 MAT-file".ljust(124) + b"\0\1IM" + struct.pack("<2I", 15, len(packed)) + packed)
    paths = {}
    for kind, content in contents.items():
        paths[kind] = str(root / f"other.{kind}")
        pathlib.Path(paths[kind]).write_bytes(content)
    try:
        import h5py
    except ImportError:
        return paths
    for kind in ["7.3.mat", "h5ad"]:
        paths[kind] = str(root / f"other.{kind}")
        with h5py.File(paths[kind], "w", userblock_size=512 if kind == "7.3.mat" else 0) as file:
            group = file.create_group("A" if kind == "7.3.mat" else "X")
            names = ("jc", "ir", "data") if kind == "7.3.mat" else ("indptr", "indices", "data")
            for name, numbers in zip(names, (starts, [r for r, _ in by_cols], [entries[place] for place in by_cols])):
                group[name] = numbers
            if kind == "h5ad":
                file.attrs["encoding-type"], group.attrs["encoding-type"] = "anndata", "csc_matrix"
                group.attrs["shape"] = [size, size]
            else:
                group.attrs["MATLAB_class"], group.attrs["MATLAB_sparse"] = b"double", size
    with open(paths["7.3.mat"], "r+b") as file:
        file.write(b"MATLAB 7.3 MAT-file".ljust(124) + b"\0\2IM")
    return paths


def cases(options, root):
    bridge = str(options.data / "bridge.mtx")
    inputs = {}
    for kind in ["mtx", "mtx.gz", "npz", "bsp.h5", "h5"]:
        inputs[kind] = str(root / f"bridge.{kind}")
        subprocess.run([options.tools / "spconv", bridge, "-o", inputs[kind], "--quiet"], check=True)
    for kind in inputs:
        yield Case(f"write {kind}", "spconv", [bridge, "-o", f"{{work}}/out.{kind}", "--quiet"], [f"out.{kind}"])
    for kind, path in (inputs | other_inputs(bridge, root)).items():
        yield Case(f"read {kind}", "spconv", [path, "--to", "csc", "--verify", "--json"], says="json")
    yield Case("plan", "spconv", [bridge, "--plan", "--json"], says="json")
    yield Case("tile", "spconv", [bridge, "--to", "gcsb_tile", "-o", "{work}/out.h5", "--max-fill", "1000", "--quiet"], ["out.h5"])
    yield Case("analyse", "spanalyze", [bridge, "--html", "{work}/a.html", "--png", "{work}/a.png", "--svg", "{work}/a.svg",
                                        "--size", "60x50", "--json"], ["a.html", "a.png", "a.svg"], says="json")
    # What the model knows of this machine is measured once, not in every run.
    subprocess.run([options.tools / "sprecommend", bridge, "--predict", "--quiet"], check=True, stdout=subprocess.DEVNULL,
                   env={**os.environ, "XDG_CACHE_HOME": str(root / "cache"), "OMP_NUM_THREADS": "2"})
    shutil.copy(next((root / "cache" / "sparsmith").glob("*.json")), root / "machine.json")
    yield Case("predict", "sprecommend", [bridge, "--predict", "--machine", "{work}/../machine.json", "--formats", "csr,coo", "--html", "{work}/r.html", "--json"],
               ["r.html"], says="json")
    yield Case("race", "sprecommend", [bridge, "--formats", "csr", "--budget", "0.02", "--csv", "--quiet"])
    batch = [bridge, "--out", "{work}/results", "--analyze", "--quiet"]
    yield Case("batch", "spbatch", batch)
    yield Case("batch's worker", "spbatch", batch, generation=1)
    results = root / "results"
    subprocess.run([options.tools / "spbatch", bridge, "--out", results, "--analyze", "--quiet"], check=True)
    yield Case("batch's report", "spbatch", ["--out", "{work}/results", "--report", "--quiet"], folder=results)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tools", type=pathlib.Path)
    parser.add_argument("library", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("--every", action="store_true", help="every allocation and byte, not a sample")
    parser.add_argument("--sample", type=int, default=6, help="places of each kind in each run otherwise")
    parser.add_argument("--only", default="", help="runs whose name has this in it")
    parser.add_argument("--kinds", default="", help="kinds of failure whose name has this in it")
    parser.add_argument("--spare", default=FRAGILE, help="the library whose allocations never fail; default %(default)s")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=1, help="examples of every problem")
    options = parser.parse_args()
    for name in ["tools", "library", "data"]:
        setattr(options, name, getattr(options, name).resolve())
    trial = Trial(options)
    started = {}  # allocations of each tool before it looks at its arguments
    try:
        for case in cases(options, trial.root):
            if options.only not in case.name:
                continue
            trial.run(case, {})  # caches are filled
            allocations, written, calls, reads = trial.counts(case)
            # Those at the start fail in the first run of a tool only, and once in a worker that it starts.
            who = case.tool, case.generation
            passed_over = started.get(who, 0)
            if who not in started:
                started[who] = trial.allocations_at_start(case.tool)
            # A race takes a second or more: it looks at the machine first. Every place of it would take a day.
            few, every = (options.sample, options.every) if case.name != "race" else (max(2, options.sample // 4), False)
            # The bytes of a page are all alike; those of containers are few.
            bytes_tried = sampled(written, few * (20 if every else 1), every and written < 20000, 0)
            failing = sampled(allocations - passed_over, few, every, 1 + passed_over)
            kinds = [
                ("allocation", failing, lambda n: {"STARVE_ALLOCATION": str(n)}),
                ("allocation and later", failing, lambda n: {"STARVE_ALLOCATION": str(n), "STARVE_AND_LATER": "1"}),
                ("no space", bytes_tried, lambda p: {"STARVE_WRITE": str(p)}),
                ("short write", bytes_tried, lambda p: {"STARVE_WRITE": str(p), "STARVE_CUT_ONLY": "1"}),
                ("finishing call", sampled(calls, few, every), lambda n: {"STARVE_CALL": str(n)}),
                ("failing read", sampled(reads, few, every), lambda n: {"STARVE_READ_FAILS": str(n)}),
                ("reads of so many bytes", [1, 2, 7], lambda n: {"STARVE_READ": str(n)}),
            ]
            before, bad_before, began = sum(tried.values()), sum(problems.values()), time.monotonic()
            for kind, places, wishes_of in kinds:
                if options.kinds in kind:
                    trial.try_all(case, kind, places, wishes_of)
            print(f"{case.name}: {allocations} allocations, {written} bytes written, {calls} finishing calls, {reads} reads; "
                  f"{sum(tried.values()) - before} failures tried in {time.monotonic() - began:.1f} s, "
                  f"{sum(problems.values()) - bad_before} ended badly", flush=True)
    finally:
        shutil.rmtree(trial.root, ignore_errors=True)
    for (tool, kind), count in sorted(tried.items()):
        print(f"  {tool:12} {kind:24} {count}")
    print(f"{sum(tried.values())} failures tried, {sum(problems.values())} ended badly"
          + (f"; {forgiven['nlohmann']} leaks of nlohmann's JSON not counted" if forgiven else ""))
    for key, count in problems.items():
        name, kind, what = key
        print(f"FAILED: {name}, {kind}: {what}, {count} times")
        for wishes, detail in examples[key][:options.show]:
            print(f"  {' '.join(f'{k}={v}' for k, v in wishes.items())}\n    " + "\n    ".join(detail.strip().splitlines()[:12]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
