#!/usr/bin/env python3
"""Runs every experiment against an imitated bench_spmv: tests/experiments_check.py docs/experiments.py

The imitation answers at once and as told: which kernels do not run, which matrices cannot be read, how long
kernels take. So what needs a GPU is tested everywhere. Prints what failed and exits with 1.
"""
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
if told.get("crash") and told["crash"] in matrix:
    sys.exit("bench_spmv: out of memory")
document = {"schema": "sparsmith.bench_spmv/1", "device": "a stub", "backend": backend, "threads": 4,
            "copy_gb_per_s": 1000.0, "samples": 9, "matrices": []}
status = 0
if told.get("broken") and told["broken"] in matrix:
    document["matrices"].append({"name": matrix, "problem": matrix + ": No such file or directory"})
    status = 1
else:
    kernels = after("--kernel", "csr/thread").split(",")
    # About as long as the real rows: the band, the degree, the mean, or long ones.
    found = re.search(r"(?:band|degree|mean)=(\d+)", matrix)
    length = int(found[1]) if found else 5 if "laplace" in matrix else 600
    length = told.get("lengths", {}).get(matrix, length)
    lines, formats = [], []
    for kernel in kernels:
        form = kernel.split("/")[0]
        for variant in ["coo", "ell", "hybrid"] if form == "ecsb" else [""]:
            formats.append({"format": form, "variant": variant, "times_csr": 1.25})
            for operation in ["ax", "atx"] if after("--op", "both") == "both" else ["ax"]:
                line = {"kernel": kernel, "format": form, "variant": variant, "operation": operation,
                        "vendor": kernel in vendor}
                us = told.get("us", {}).get(kernel, 10.0)
                if kernel in told.get("not_run", []) or "all" in told.get("not_run", []):
                    line["not_run"] = "too large"
                elif kernel in told.get("wrong", []):
                    line["wrong"] = "row 3 is 1 and should be 2"
                    status = 1
                else:
                    line["warm"] = {"median_us": us, "gb_per_s_actual": 500.0, "share_of_copy": 0.3}
                    line["cold"] = None
                lines.append(line)
    document["matrices"].append({"name": matrix, "rows": 1000, "cols": 1000, "entries": 1000 * length,
                                 "formats": formats, "kernels": lines})
print(json.dumps(document, indent=2))
if status:
    print("bench_spmv: 1 failed", file=sys.stderr)
sys.exit(status)
'''

EXPERIMENTS = ["E1", "E3", "E6", "E7", "E8", "E9", "E10"]
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
        self.path, self.stub = path, pathlib.Path(folder) / "bench_spmv"
        self.stub.write_text(f"#!{sys.executable}\n{STUB}")
        self.stub.chmod(0o755)
        # SciPy would measure for real, and not everywhere.
        (self.stub.parent / "numpy.py").write_text("raise ImportError")

    def run(self, *arguments, status=0, **told):
        """What it prints; the exit status and the absence of a traceback are checked."""
        command = [sys.executable, self.path, *arguments, "--bench", str(self.stub)]
        environment = {**os.environ, "STUB": json.dumps(told), "PYTHONPATH": str(self.stub.parent)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        what, text = f"{' '.join(arguments)} with {told}", done.stdout + done.stderr
        check(f"{what}: exit status {done.returncode}, not {status}", done.returncode == status, text)
        check(f"{what}: no traceback", "Traceback" not in text, text)
        check(f"{what}: no progress unless on a terminal", "measuring" not in text, text)
        return text


def check_verdicts(program):
    for name in EXPERIMENTS:
        text = program.run(name)
        check(f"{name} prints a table", "rep." in text and "----" in text, text)
        text = program.run(name, us=AS_REPORTED)
        if name != "E10":  # There every matrix has the same times: no border.
            check(f"{name} holds where times are as reported", judged(text) and "DOES NOT" not in text, text)
        text = program.run(name, "--quick", us=AS_REPORTED)
        check(f"{name} --quick gives no verdict", not judged(text) and "not judged" in text, text)
        check(f"{name} --quick leaves the reported figures out", " rep." not in text, text)
        text = program.run(name, not_run=["all"])
        check(f"{name} gives no verdict when nothing ran", not judged(text), text)
        wrong = ["bsr/team", "bsr/max-task", "csr/warp", "coo/scan-32", "gcsb/lane"]
        text = program.run(name, wrong=wrong, status=1)
        check(f"{name} says which result is wrong", "WRONG RESULT" in text, text)
    of = {"coo": ["E8"], "csr": ["E1", "E9", "E10"], "gcsb": ["E1", "E3"], "bsr": ["E6", "E7"]}
    for kernel in AS_REPORTED:
        for name in of[kernel.split("/")[0]]:
            program.run(name, not_run=[kernel])
    text = program.run("E6", us={"bsr/unrolled": 30.0})
    check("what does not hold comes with its figures",
          "DOES NOT HOLD here in 1 of 3 (unrolled 0.00600 s, team" in text, text)
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
        check_verdicts(program)
        check_evidence(program)
        check_problems(program)
        check_usage(program)
    print(f"experiments_check: {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
