#!/usr/bin/env python3
"""Runs every experiment against imitated programs: tests/experiments_check.py docs/experiments

The imitations of sprecommend, ncu and spbatch answer at once and as told: which kernels do not run, which
matrices cannot be read, how long kernels take, what may not be counted. So what needs a GPU is tested
everywhere. Prints what failed and exits with 1.
"""
import concurrent.futures
import inspect
import json
import os
import pathlib
import subprocess
import sys
import tempfile

STUB = r'''
import json, os, re, sys
told = json.loads(os.environ["STUB"])
arguments = sys.argv[1:]
def after(option, otherwise):
    return arguments[arguments.index(option) + 1] if option in arguments else otherwise
backend = "openmp" if after("--device", "auto") == "cpu" else told.get("backend", "cuda")
vendor = {"csr/cusparse-alg1": "csr", "csr/cusparse-alg2": "csr", "bsr/cusparse": "bsr"}
if "--list" in arguments:
    kernels = [{"name": name, "format": form, "backend": "cuda", "vendor": True}
               for name, form in vendor.items()]
    print(json.dumps({"schema": "sparsmith.kernels/1", "kernels": kernels}))
    sys.exit(0)
matrix = arguments[0]
for trouble, words in (("crash", "out of memory"), ("broken", matrix + ": No such file or directory")):
    if told.get(trouble) and told[trouble] in matrix:
        sys.exit("sprecommend: " + words)
status = 0
raced = "--exhaustive" not in arguments
if not raced and "--warm-only" not in arguments:
    sys.exit("sprecommend: cold caches were not asked for")
of_formats = {"bsr": "--block", "csb": "--beta", "gcsb": "--beta", "ecsb": "--holding", "gcsb_tile": "--tile"}
kernels = after("--kernels", "csr/thread").split(",")
# About as long as the real rows: the band, the degree, the mean, or long ones.
found = re.search(r"(?:band|degree|mean)=(\d+)", matrix)
length = int(found[1]) if found else 5 if "laplace" in matrix else 600
length = told.get("lengths", {}).get(matrix, length)
lines, variants = [], []
mix = after("--mix", "1:1")
for kernel in kernels:
    form = "gcsb_tile" if kernel == "gcsb/tile" else kernel.split("/")[0]
    if not raced and form in of_formats and of_formats[form] not in arguments:
        sys.exit("sprecommend: which of many " + form + " is meant?")
    variants.append({"format": form, "of_transpose": False, "times_csr": 1.25})
    for operation in ["ax", "atx"] if mix == "1:1" else ["ax"] if mix == "1:0" else ["atx"]:
        us = {**told.get("us", {}), **told.get("us_on", {}).get(matrix, {})}.get(kernel, 10.0)
        line = {"kernel": kernel, "format": form, "of_transpose": False, "operation": operation,
                "vendor": kernel in vendor, "not_run": None, "wrong": None, "cold": None,
                "warm": {"median_us": us}, "share_of_copy": 0.5}
        if kernel in told.get("not_run", []) or "all" in told.get("not_run", []):
            line.update(not_run="too large", warm=None, share_of_copy=None)
        elif kernel in told.get("left", []):
            line.update(left="after one run of 1.6 s, 400 x the leader", single_us=1.6e6, warm=None, share_of_copy=None)
        elif kernel in told.get("wrong", []):
            line.update(wrong="row 3 is 1 and should be 2", warm=None, share_of_copy=None)
            status = 1
        lines.append(line)
        if line["warm"]:  # a copy of A^T, which must not count
            lines.append({**line, "of_transpose": True, "warm": {"median_us": 0.001}})
verdict = None
ran = [line for line in lines if line["warm"] and not line["of_transpose"]]
if ran:
    def way(line):
        return {"format": told.get("winner", line["format"]), "us": line["warm"]["median_us"],
                "kernels": {"ax": line["kernel"], "atx": None}}
    ran.sort(key=lambda line: line["warm"]["median_us"])
    first = ran[0]["warm"]["median_us"]
    verdict = {**way(ran[0]), "ties": [way(line) for line in ran[1:] if line["warm"]["median_us"] <= 1.05 * first]}
print(json.dumps({"schema": "sparsmith.recommend/2", "verdict": verdict,
                  "machine": {"device": "a stub", "backend": backend, "threads": 4},
                  "matrix": {"name": matrix, "rows": 1000, "cols": 1000, "entries": 1000 * length},
                  "variants": variants, "contestants": lines}, indent=2))
if status:
    print("sprecommend: 1 failed", file=sys.stderr)
sys.exit(status)
'''

# Runs the program as ncu would, and writes what ncu would into its log.
NCU = r'''
import csv, json, os, sys
told = json.loads(os.environ["STUB"])
arguments = sys.argv[1:]
def after(option):
    return arguments[arguments.index(option) + 1]
start = next(i for i, text in enumerate(arguments) if text.endswith("sprecommend"))
kernel, operation = after("--kernels"), "ax" if after("--mix") == "1:0" else "atx"
functions = {"csb/block": "walk_blocks", "gcsb/lane": "walk_lanes"}
mode = told.get("ncu", "counts")
if kernel in told.get("not_run", []) or "all" in told.get("not_run", []):
    mode = "nothing"
if mode == "broken":
    sys.exit("ncu: no device")
columns = ["ID", "Process ID", "Kernel Name", *after("--metrics").split(",")]
if after("--kernel-name") != functions[kernel] or after("--launch-count") != "1":
    mode = "nothing"
misses = {"csb/block": ("1521001", "1148001"), "gcsb/lane": ("964001", "898,001")}
misses = {**misses, **told.get("misses", {})}[kernel][operation == "atx"]
with open(after("--log-file"), "w") as log:
    log.write("==PROF== Connected to process 1\n")
    if mode == "refused":
        log.write("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters.\n")
    elif mode == "nothing":
        log.write("==WARNING== No kernels were profiled.\n")
    elif mode == "counts":
        table = csv.writer(log, quoting=csv.QUOTE_ALL, lineterminator="\n")
        table.writerow(columns)
        table.writerow(["", "", "", "sector", "sector"])
        name = f"void {functions[kernel]}<false, int, float>(long, block_grid<int>)"
        table.writerow(["0", "1", name, misses, told.get("additions", "n/a")])
    log.write("==PROF== Disconnected\n")
sys.argv = arguments[start:]
exec(open(arguments[start]).read())
'''


def batch_line(path, race=None, started="2026-01-01T00:00:00Z", key=None, failure=None, bits=32):
    """A line of results.jsonl, as far as it is read; race: microseconds by kernel, of either product."""
    race = {"csr/warp": 8.0, "gcsb/tile": 4.0, **(race or {})}
    variants = [
        {"format": "csr", "label": "csr", "parameters": {}, "of_transpose": False, "times_csr": 1.0},
        {"format": "csr", "label": "csr of A^T", "parameters": {}, "of_transpose": True, "times_csr": 1.0},
        {"format": "gcsb", "label": "gcsb beta 64", "parameters": {"beta": 64, "group_size": 32},
         "of_transpose": False, "times_csr": 0.5},
        {"format": "gcsb", "label": "gcsb beta 32", "parameters": {"beta": 32, "group_size": 32},
         "of_transpose": False, "times_csr": 0.77},
        {"format": "gcsb_tile", "label": "gcsb_tile 512 x 512", "parameters": {}, "of_transpose": False,
         "times_csr": 0.83}]
    contestants = []

    def enter(place, kernel, us, vendor=False, result="ok"):
        for operation in ("ax", "atx"):
            contestants.append({"variant": place, "kernel": kernel, "operation": operation,
                                "of_transpose": variants[place]["of_transpose"], "vendor": vendor,
                                "result": result, "warm": us and {"median_us": us}, "single_us": 99.0})

    for kernel, us in race.items():
        enter({"csr": 0, "gcsb": 4 if kernel == "gcsb/tile" else 3}[kernel.split("/")[0]], kernel, us)
    # None of these may count: the vendor's, of a second copy, wrong, and of other blocks.
    enter(0, "csr/cusparse-alg1", 0.1, vendor=True)
    enter(1, "csr/warp", 0.1)
    enter(4, "gcsb/wrong", 0.1, result="wrong")
    enter(2, "gcsb/lane", 50.0)
    recommendation = {
        "matrix": {"entries": 123456, "value_bits": bits}, "machine": {"device": "a batch's GPU"},
        "request": {"regime": "warm"}, "predicted": False, "variants": variants,
        "contestants": contestants}
    return {"schema": "sparsmith.batch/1", "key": key or path, "started": started,
            "source": {"path": path, "kind": "generator" if path.startswith("gen:") else "file"},
            "failure": failure and {"message": failure},
            "recommendation": None if failure else recommendation}


SPBATCH = "import json, os, sys\n" + inspect.getsource(batch_line) + r'''
told = json.loads(os.environ["STUB"])
arguments = sys.argv[1:]
sources = arguments[:arguments.index("--out")]
folder, rest = arguments[len(sources) + 1], arguments[len(sources) + 2:]
if rest != ["--recommend", "--mix", "1:1", "--caches", "warm", "--value", "f32"] or told.get("refuse"):
    sys.exit("spbatch: what is this?")
failed = False
with open(os.path.join(folder, "results.jsonl"), "a") as results:
    for source in sources:
        failure = "cannot be read" if told.get("fail", "nothing") in source else None
        if told.get("forget", "nothing") not in source:
            results.write(json.dumps(batch_line(source, told.get("race"), failure=failure)) + "\n")
        failed = failed or failure is not None
sys.exit("spbatch: some failed" if failed else 0)
'''

EXPERIMENTS = ["E1", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10", "WINS"]
# The documents' orderings, as far as one time a kernel for all matrices can show them.
AS_REPORTED = {"csr/thread": 8.0, "csr/warp": 9.0, "csr/hybrid": 8.0, "csr/bins": 8.5, "gcsb/lane": 5.0,
               "bsr/unrolled": 4.0, "bsr/team": 5.0, "bsr/private": 14.0, "bsr/cusparse": 9.0,
               "bsr/fixed-task": 7.0, "bsr/preprocessed": 7.1, "bsr/intra-row-naive": 20.0,
               "coo/stride-1": 14.0, "coo/stride-block": 9.0, "coo/segscan-32-block": 2.0,
               "coo/segscan-1024": 2.05}
failures = []


def check(what, good, text=""):
    if not good:
        failures.append(what)
        print(f"FAILED: {what}\n{text}")


def judged(text):
    return [line for line in text.splitlines() if "holds here" in line or "DOES NOT HOLD" in line]


class Program:
    def __init__(self, path, folder):
        self.path, self.folder = path, pathlib.Path(folder)
        self.stubs = {"--sprecommend": self.write("sprecommend", STUB), "--ncu": self.write("ncu", NCU),
                      "--spbatch": self.write("spbatch", SPBATCH)}
        # SciPy would measure for real, and not everywhere.
        (self.folder / "numpy.py").write_text("raise ImportError")

    def write(self, name, text):
        path = self.folder / name
        path.write_text(f"#!{sys.executable} -ES\n{text}")
        path.chmod(0o755)
        return str(path)

    def run(self, *arguments, status=0, without=(), **told):
        """What it prints; the exit status and the absence of a traceback are checked."""
        command = [sys.executable, self.path, *arguments]
        for option, stub in self.stubs.items():
            command += [] if option in (*arguments, *without) else [option, stub]
        environment = {**os.environ, "STUB": json.dumps(told), "PYTHONPATH": str(self.folder)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        what, text = f"{' '.join(arguments)} with {told}", done.stdout + done.stderr
        check(f"{what}: exit status {done.returncode}, not {status}", done.returncode == status, text)
        check(f"{what}: no traceback", "Traceback" not in text, text)
        check(f"{what}: no progress unless on a terminal", "measuring" not in text, text)
        return text


def check_verdict(program, name):
    text = program.run(name)
    check(f"{name} prints a table", ("rep." in text or name == "WINS") and "----" in text, text)
    text = program.run(name, us=AS_REPORTED)
    if name not in ("E5", "E10", "WINS"):  # There times must differ between matrices.
        check(f"{name} holds where times are as reported", judged(text) and "DOES NOT" not in text, text)
    text = program.run(name, "--quick", us=AS_REPORTED)
    check(f"{name} --quick gives no verdict", not judged(text) and "not judged" in text, text)
    check(f"{name} --quick leaves the reported figures out", " rep." not in text, text)
    text = program.run(name, not_run=["all"])
    check(f"{name} gives no verdict when nothing ran", not judged(text), text)
    wrong = ["bsr/team", "bsr/max-task", "csr/warp", "coo/scan-32", "gcsb/lane"]
    text = program.run(name, wrong=wrong, status=1)
    check(f"{name} says which result is wrong", "WRONG RESULT" in text, text)


def check_missing_kernels(program):
    of = {"coo": ["E8"], "csr": ["E1", "E9", "E10"], "gcsb": ["E1", "E3"], "bsr": ["E6", "E7"]}
    for kernel in AS_REPORTED:
        for name in of[kernel.split("/")[0]]:
            program.run(name, not_run=[kernel])
    text = program.run("E6", us={"bsr/unrolled": 30.0})
    check("what does not hold comes with its figures",
          "DOES NOT HOLD here in 1 of 3 (unrolled 0.00600 s, team" in text, text)
    text = program.run("E7", us=AS_REPORTED, left=["bsr/intra-row-naive"])
    check("a kernel that left after one run comes last with it",
          "comes last: holds here in 5 of 5" in text and in_row(text, "bsr/intra-row-naive", "320"), text)
    check("5 % are a tie", "lead: holds" in program.run("E7", us={"bsr/max-task": 9.6}))
    check("more are not", "lead: DOES NOT HOLD" in program.run("E7", us={"bsr/max-task": 9.4}))


def check_evidence(program):
    text = program.run("E9", "--matrix", "crankseg_1.mtx", us=AS_REPORTED)
    check("E9 judges crankseg_1 alone", len(judged(text)) == 1 and "crankseg_1: holds" in text, text)
    check("E9 knows files it has no figures for", not judged(program.run("E9", "--matrix", "other.mtx")))
    lengths = {"few.mtx": 3, "more.mtx": 4, "many.mtx": 50}
    check("E10 gives no verdict on one matrix",
          not judged(program.run("E10", "--matrix", "few.mtx", lengths=lengths)))
    check("E10 gives no verdict on one side of the border",
          not judged(program.run("E10", "--matrix", "few.mtx", "more.mtx", lengths=lengths)))
    text = program.run("E10", "--matrix", "few.mtx", "many.mtx", lengths=lengths, us={"csr/warp": 20.0})
    check("E10 judges both sides", "DOES NOT HOLD" in text and "few 2.00" in text, text)
    check("E8 leaves model7 out", not judged(program.run("E8", "--matrix", "model7.mtx", us=AS_REPORTED)))


def row_of(text, name):
    return next((line for line in text.splitlines() if line.split("  ")[0] == name), "")


def in_row(text, name, *parts):
    return all(f" {part} " in f"{row_of(text, name)} " for part in parts)


def check_counters(program):
    text = program.run("E4", additions="2,000,000")
    check("E4 shows the figures beside the reported ones",
          in_row(text, "A^T x", "csb/block", "1,148K  1,148K", "2,000K") and "898K    898K" in text, text)
    text = program.run("E4", misses={"gcsb/lane": ("964000", "1149000")})
    check("E4 says where GCSB misses more",
          "DOES NOT HOLD here in 1 of 2 (A^T x: GCSB 1,149K, CSB 1,148K)" in text, text)
    text = program.run("E4", misses={"gcsb/lane": ("n/a", "898000")}, status=1)
    check("E4 judges what was counted",
          "holds here in 1 of 1" in text and "not counted: gcsb/lane ax: ncu counted nothing" in text, text)
    text = program.run("E4", ncu="nothing", status=1)
    check("E4 passes ncu's reason on", text.count("No kernels were profiled") == 4 and not judged(text), text)
    text = program.run("E4", ncu="broken", status=1)
    check("E4 says when ncu breaks", text.count("ncu: no device") == 4, text)
    text = program.run("E4", not_run=["csb/block"])
    check("E4 needs both for a verdict", not judged(text) and "964K" in text, text)
    text = program.run("E4", ncu="refused", status=1)
    check("E4 says in one line that counting is refused",
          "ERR_NVGPUCTRPERM" in text and len(text.splitlines()) == 1, text)
    text = program.run("E4", "--ncu", "/no/such/ncu", status=1)
    check("E4 says in one line that it needs ncu",
          "needs ncu" in text and "/no/such/ncu" in text and len(text.splitlines()) == 1, text)
    text = program.run("all", "--ncu", "/no/such/ncu")
    check("all leaves E4 out with a note", "left out: E4 needs ncu" in text and "E10: " in text, text)


STAND_IN_FOR_APPU = "gen:uniform?n=14000&density=0.00945"


def check_batch_run(program):
    """E5 without --batch: spbatch is run, and sprecommend for what the race left out."""
    faster, slower = {"csr/thread": 8.0, "gcsb/lane": 5.0}, {"csr/thread": 4.0, "gcsb/lane": 5.0}
    text = program.run("E5", "--matrix", "m/appu.tar.gz", us=slower, race=faster)
    check("E5 takes the race's times where it has both", in_row(text, "appu", "1.60", "race"), text)
    check("E5 knows a file from a stand-in",
          in_row(text, "appu", "file") and in_row(text, "mouse_gene", "stand-in"), text)
    check("E5 marks stand-ins in verdicts", "mouse_gene: holds here in 5 of 5" in text
          and "DOES NOT HOLD here in 13 of 13" in text and "heart1 (stand-in) 1.60 x" in text, text)
    check("E5 shows reported and own bytes and entries",
          in_row(text, "appu", "1.41", "1.05", "0.770", "0.830", "1,853.10K", "123.46K"), text)
    check("E5 compares the best with the best", in_row(text, "appu", "2.00", "gcsb_tile 512 x 512"), text)
    text = program.run("E5", us_on={STAND_IN_FOR_APPU: faster}, us=slower,
                       race={"csr/thread": None, "gcsb/lane": 1.0})
    check("E5 times both anew where the race left one out",
          in_row(text, "appu", "1.60", "sprecommend") and in_row(text, "olafu", "0.800", "sprecommend"), text)
    check("E5 judges each matrix by what was reported",
          "DOES NOT HOLD here in 4 of 5" in text and "others: holds here in 13 of 13" in text, text)
    text = program.run("E5", "--matrix", "other.mtx.gz", "appu_mm.tar.gz")
    check("E5 knows files it has no figures for",
          in_row(text, "other", "file") and in_row(text, "appu", "file"), text)
    text = program.run("E5", "--quick", "--matrix", "appu.mtx")
    check("E5 --quick with files gives no verdict", not judged(text) and in_row(text, "appu", "1.41")
          and set(row_of(text, "heart1").split()) & {"123.46K", "1,387.77K"} == {"123.46K"}
          and not row_of(text, "mouse_gene"), text)
    text = program.run("E5", "--matrix", "appu.mtx", fail="appu", status=1)
    check("E5 says which failed", "not measured: appu.mtx: cannot be read" in text
          and not in_row(text, "appu", "123.46K") and in_row(text, "nd6k", "123.46K"), text)
    text = program.run("E5", forget="n=726", status=1)
    check("E5 says of which there is no result", text.count("no result") == 1 and "n=726" in text, text)
    text = program.run("E5", refuse=True, status=1)
    check("E5 passes on what spbatch says", "what is this?" in text and len(text.splitlines()) == 1, text)
    kept = program.folder / "kept"
    kept.mkdir()
    program.run("E5", "--out", str(kept))
    check("E5 --out keeps the results", (kept / "results.jsonl").exists())
    text = program.run("E5", "--batch", str(kept), without=["--spbatch"])
    stand_ins = [line for line in text.splitlines() if " stand-in " in line]
    check("E5 reads what it kept, with stand-ins", len(stand_ins) == 18, text)
    text = program.run("E5", "--spbatch", "/no/such/spbatch", status=1)
    check("E5 says in one line that spbatch cannot be run", len(text.splitlines()) == 1, text)


def check_batch_folder(program):
    """E5 --batch: what is in the files counts, and nothing is run."""
    timed = {"csr/thread": 8.0, "gcsb/lane": 5.0}

    def folder(name, **files):
        path = program.folder / name
        path.mkdir()
        for file, lines in files.items():
            text = "".join(one if isinstance(one, str) else json.dumps(one) + "\n" for one in lines)
            (path / f"{file.replace('__', '.').replace('_', '-')}.jsonl").write_text(text)
        return str(path)

    def read(path, status=0):
        return program.run("E5", "--batch", path, status=status, without=["--sprecommend", "--spbatch"])

    lines = [batch_line(path, timed) for path in ("m/appu.tar.gz", "x/unknown.mtx")]
    text = read(folder("plain", results=[*lines, batch_line("nd6k_mm.tar.gz"), json.dumps(lines[0])[:-200]]))
    check("E5 reads a folder, and not the line that is torn off", in_row(text, "appu", "1.60", "race")
          and "a batch's GPU" in text and "no result" not in text and "unknown" not in text, text)
    check("E5 shows what the race left out, and what is not there, as -",
          in_row(text, "nd6k", "123.46K", "2.00") and not in_row(text, "nd6k", "race")
          and set(row_of(text, "heart1").split()) == {"heart1", "1,387.77K", "-"}, text)
    check("E5 judges what is there alone",
          "mouse_gene: holds here in 1 of 1" in text and "others: not judged" in text, text)
    text = read(folder("stand_in", results=[batch_line("gen:uniform?density=0.00945&n=14000", timed)]))
    check("E5 finds stand-ins among the results", in_row(text, "appu", "stand-in", "1.60"), text)

    faster = {**timed, "gcsb/lane": 4.0}
    newer = batch_line("appu.mtx", faster, started="2026-01-02T00:00:00Z", key="a")
    older = batch_line("appu.mtx", timed, key="a")
    shards = {"results__1_of_2": [newer], "results__2_of_2": [older, batch_line("heart1.mtx", timed)]}
    for name, files in {"in_order": {"results": [older, newer]}, "shards": shards}.items():
        text = read(folder(name, **files))
        check(f"E5 takes the newest line of a key, {name}",
              in_row(text, "appu", "2.00  race") and not in_row(text, "appu", "1.60"), text)
    check("E5 merges shards", in_row(text, "heart1", "1.60"), text)
    wide = batch_line("appu.mtx", timed, started="2026-01-03T00:00:00Z", key="b", bits=64)
    text = read(folder("options", results=[newer, wide]))
    check("E5 prefers 32-bit values", in_row(text, "appu", "2.00  race") and "64-bit" not in text, text)
    check("E5 says where there are none", "document has 32: appu" in read(folder("wide", results=[wide])))

    before = batch_line("appu.mtx", timed)
    told = before["recommendation"]
    told["candidates"] = told.pop("variants")
    for one in told["contestants"]:
        one["candidate"] = one.pop("variant")
    text = read(folder("before", results=[before]))
    check("E5 reads results in which variants were candidates", in_row(text, "appu", "1.60", "race"), text)

    bad = ["no json\n", "[1]\n", {**newer, "schema": "sparsmith.batch/2"}, "\n", "null\n",
           json.dumps({**older, "recommendation": {"predicted": False}}) + "\n"]
    text = read(folder("wrong", results=[*bad, older]), status=1)
    told = [f"line {number}: no result" in text for number in range(1, 7)]
    check("E5 says which lines are no results, and reads on",
          in_row(text, "appu", "1.60") and all(told) and text.count("no result") == 6, text)
    failed = batch_line("appu.mtx", failure="out of time", started="2026-01-04T00:00:00Z", key="a")
    text = read(folder("failed", results=[older, failed]), status=1)
    check("E5 says what the batch could not do",
          "not measured: appu.mtx: out of time" in text and not judged(text), text)
    path = folder("second", results=[batch_line("gone/appu.mtx"), batch_line("gen:diagonal?n=950&band=15")])
    text = program.run("E5", "--batch", path, without=["--spbatch"], us=timed)
    check("E5 --batch --sprecommend times what is at hand", in_row(text, "spaceStation_4", "1.60", "sprecommend")
          and not in_row(text, "appu", "sprecommend") and "on a stub" in text, text)
    for problem in (folder("empty"), str(program.folder / "nowhere")):
        text = read(problem, status=1)
        check("E5 says in one line what is no batch", problem in text and len(text.splitlines()) == 1, text)
    for extra in (["--quick"], ["--matrix", "appu.mtx"], ["--out", "x"], ["--spbatch", "x"]):
        program.run("E5", "--batch", path, *extra, status=2, without=["--spbatch"])
    program.run("E1", "--batch", path, status=2)
    program.run("E1", "--out", path, status=2)


def check_wins(program):
    """Leaders are the winner and who is tied with it, and what is concluded is judged by them."""
    concluded = {"gen:diagonal?n=1000000&band=3": {"csr/thread": 1.0},
                 "gen:uniform?n=30000&density=0.01": {"csr/vector": 1.0, "csr/bins": 1.01},
                 "gen:denserow?n=500000&dense=3": {"csr/hybrid": 1.0}, "gen:rmat?scale=19&edges=16": {"csr/hybrid": 1.0},
                 "gen:denserow?n=20000&dense=200": {"coo/segscan-1024": 1.0}}
    text = program.run("WINS", us_on=concluded, winner="bsr")
    check("WINS judges who leads", "DOES NOT HOLD here in 1 of 7 (GCSB's tiles" in text, text)
    check("WINS names who is tied", "csr/vector, csr/bins" in text, text)
    text = program.run("WINS", us_on={**concluded, "gen:rmat?scale=19&edges=16": {"csr/thread": 1.0}}, winner="bsr")
    check("WINS says where another leads", "DOES NOT HOLD here in 2 of 7" in text and "skewed: csr/thread" in text, text)


def check_scipy(program):
    text = program.run("SCIPY", status=1)
    check("SCIPY says in one line what it needs", "needs NumPy and SciPy" in text and len(text.splitlines()) == 1, text)


def check_problems(program):
    for trouble in ("broken", "crash"):
        for name, good in (("E8", "mouse_gene"), ("E9", "ecology1"), ("E10", "ins2")):
            text = program.run(name, "--matrix", "bad.mtx", f"{good}.tar.gz", status=1, **{trouble: "bad"})
            rows = [line for line in text.splitlines() if line.startswith(good)]
            told = [line for line in text.splitlines() if "not measured" in line and "bad.mtx" in line]
            check(f"{name}: the rest, and one line for the {trouble} one", rows and len(told) == 1, text)
        for name in ("E3", "E6", "E7"):  # their matrices have a density, the probe for the device has none
            text = program.run(name, status=1, **{trouble: "density"})
            check(f"{name}: no verdict when no matrix is measured", not judged(text), text)
    check("E3: one density less", len(judged(program.run("E3", status=1, broken="density=0.005"))) == 1)


def check_usage(program):
    for name in EXPERIMENTS:
        if name != "E7":
            text = program.run(name, "--device", "cpu", status=1)
            said = "needs a GPU" in text and len(text.splitlines()) == 1
            check(f"{name} says in one line that it needs a GPU", said, text)
    check("E7 runs on the CPU though there is a GPU", "4 threads" in program.run("e7"))
    check("names in any case", "E10:" in program.run("e10"))
    text = program.run("all")
    check("all runs everything on a GPU", all(f"{name}: " in text for name in EXPERIMENTS), text)
    text = program.run("all", backend="openmp")
    check("all runs E7 on a CPU", "E7: " in text and "E1: " not in text and "E8: " not in text, text)
    program.run("E11", status=2)
    program.run("E1", "--matrix", "a.mtx", status=2)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__.strip().splitlines()[0])
    with tempfile.TemporaryDirectory() as folder:
        program = Program(sys.argv[1], folder)
        checks = [(check_verdict, name) for name in EXPERIMENTS] + [
            (one,) for one in (check_missing_kernels, check_evidence, check_counters, check_batch_run,
                               check_batch_folder, check_wins, check_scipy, check_problems, check_usage)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in [pool.submit(one, program, *rest) for one, *rest in checks]:
                done.result()
    print(f"experiments_check: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
