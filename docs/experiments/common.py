"""What all experiments share: sprecommend and what it says, tables, and the judging of claims."""

import json
import math
import os
import re
import subprocess
import sys


def fail(message):
    sys.exit(f"experiments: {message}")


class Lacking(Exception):
    """What an experiment needs is not here: the end of it, but not of all."""


def built(*parts):
    """A program of the build folders, or None."""
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for build in ("cuda", "openmp", "debug"):
        path = os.path.join(root, "build", build, *parts)
        if os.access(path, os.X_OK):
            return path
    return None


class Bench:
    """sprecommend --exhaustive, and what it says about the machine."""

    def __init__(self, options, device):
        self.path = options.sprecommend or built("tools", "sprecommend")
        if self.path is None:
            fail("no sprecommend in build/; name it with --sprecommend")
        self.problems = []
        self.quietly = ["--device", device, "--json", "--quiet"]
        self.exhaustive = ["--exhaustive", "--warm-only", *self.quietly]
        self.samples = ["--samples", "9" if options.quick else "30"]
        probe, problem = self.document(["gen:laplace2d?n=2", "--formats", "csr", "--mix", "1:0",
                                        "--samples", "1", *self.exhaustive])
        if problem:
            fail(problem)
        machine = probe["machine"]
        self.device, self.threads, self.backend = machine["device"], machine["threads"], machine["backend"]
        self.on_gpu = self.backend == "cuda"

    def document(self, arguments, under=()):
        """(what it printed, None), or (None, why it printed nothing); `under` is a profiler's command."""
        command = [*under, self.path, *arguments]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except OSError as problem:
            fail(f"{command[0]}: {problem.strerror}")
        try:
            # Exit status 1 comes with a document where only some of it went wrong.
            return json.loads(done.stdout), None
        except ValueError:
            said = done.stderr.strip().splitlines() or [f"exit status {done.returncode}"]
            return None, f"{' '.join(command)}: {said[-1]}"

    def vendor_kernels(self, format_name):
        listed, problem = self.document(["--list", "--json"])
        wanted = (format_name, self.backend, True)
        return fail(problem) if problem else [
            k["name"] for k in listed["kernels"] if (k["format"], k["backend"], k["vendor"]) == wanted]

    def run(self, matrix, kernels, *options):
        """Times these kernels on a matrix, with warm caches."""
        said = [matrix, "--kernels", ",".join(kernels), *options, *self.samples, *self.exhaustive]
        return self.noted(matrix, *self.document(said))

    def race(self, matrix, *options):
        """Runs a race for a verdict, with cold caches."""
        return self.noted(matrix, *self.document([matrix, *options, *self.quietly]))

    def noted(self, matrix, document, problem):
        if sys.stderr.isatty():
            print(f"measured {matrix}", file=sys.stderr)
        result = Result(document, problem)
        self.problems += result.problems(matrix)
        return result


class NoBench:
    """Where figures are only read."""

    def __init__(self):
        self.problems = []


class Result:
    """The kernels of one matrix, none if it could not be read. Times are microseconds; None: did not run."""

    def __init__(self, document, problem=None):
        self.problem = problem
        self.measured = document is not None
        self.document = document or {"contestants": [], "variants": [], "verdict": None}
        self.kernels = self.document["contestants"]
        matrix = self.document.get("matrix", {"entries": 0, "rows": 0})
        self.row_length = matrix["entries"] / max(1, matrix["rows"])

    def problems(self, matrix):
        if not self.measured:
            return [f"not measured: {self.problem}"]
        wrong = [line for line in self.kernels if line["wrong"]]
        return [f"WRONG RESULT on {matrix}: {k['kernel']} {k['operation']}: {k['wrong']}" for k in wrong]

    def line(self, kernel, operation="ax"):
        """What there is of a kernel that ran on A as it is stored; None where it did not."""
        for line in self.kernels:
            wanted = (line["kernel"], line["operation"], line["of_transpose"]) == (kernel, operation, False)
            if wanted and (line["warm"] or line.get("left")) and not line["wrong"]:
                return line
        return None

    def us(self, kernel, operation="ax"):
        """The median; of a kernel that left after one run, a hundred times behind, that run."""
        line = self.line(kernel, operation)
        return line and (line["warm"]["median_us"] if line["warm"] else line["single_us"])

    def times(self, kernels):
        """Microseconds of those that ran, by name."""
        return {kernel: self.us(kernel) for kernel in kernels if self.us(kernel) is not None}

    def share_of_copy(self, kernel):
        """By the bytes the format really has, as the documents count them."""
        line = self.line(kernel)
        return line and line["share_of_copy"]

    def pair(self, kernel):
        both = [self.us(kernel, operation) for operation in ("ax", "atx")]
        return None if None in both else sum(both)

    def fastest(self, kernels):
        """(name, microseconds) of the fastest A x, or (None, None)."""
        return min(self.times(kernels).items(), key=lambda item: item[1], default=(None, None))

    def memory(self, format_name):
        for variant in self.document["variants"]:
            if variant["format"] == format_name and not variant["of_transpose"]:
                return variant["times_csr"]
        return None

    def leaders(self, operation="ax"):
        """The winner's kernel for a product and those tied with it, the winner's first; none without a verdict."""
        verdict = self.document["verdict"]
        ways = [verdict, *verdict["ties"]] if verdict else []
        return list(dict.fromkeys(way["kernels"][operation] for way in ways))


# ---- printing and judging ----


def ratio(a, b):
    return None if a is None or not b else a / b


def show(value):
    """Three significant digits of a number; texts as they are."""
    if value is None:
        return "-"
    if not isinstance(value, float) or value == 0:
        return str(value)
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def milliseconds(us):
    return ratio(us, 1000)


def seconds_of_200(us):
    return ratio(us, 5000)


def hundredths(value):
    return None if value is None else f"{value:.2f}"


def percent(share):
    return None if share is None else f"{100 * share:.1f} %"


def short(kernel):
    return kernel.split("/")[1]


def print_table(title, reported_on, bench, options, header, rows):
    """Columns that end in "rep." hold the document's figures, as it prints them."""
    if not rows:
        return
    reported = [name.endswith("rep.") for name in header]
    if options.quick and not options.matrix:
        # Figures of other matrices would invite a comparison that means nothing.
        rows = [[None if is_rep else cell for cell, is_rep in zip(row, reported)] for row in rows]
    shown = [i for i in range(len(header)) if not reported[i] or any(row[i] is not None for row in rows)]
    cells = [[header[i] for i in shown]] + [[show(row[i]) for i in shown] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells)]
    numeric = [any(cell[:1].isdigit() for cell in column[1:]) for column in zip(*cells)]
    numeric[0] = False
    source = f"reported (rep.) on {reported_on}; " if any(reported[i] for i in shown) else ""
    print(f"{title}\n{source}ours on {bench.device}\n")
    for line in [cells[0], ["-" * width for width in widths], *cells[1:]]:
        columns = zip(line, widths, numeric)
        aligned = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in columns]
        print("  ".join(aligned).rstrip())
    print()
    if any(header[i] == "per row rep." for i in shown):
        print("per row rep.: as the document counts, of some symmetric matrices only the stored half")
    if options.quick:
        print("few samples: not judged" if options.matrix else "smaller than the document's: not judged")


def not_slower(us, than):
    return us <= 1.05 * than


def verdict(options, claim, evidence):
    """evidence: (whether it agrees, the figures that show it) of all that was measured on the claim."""
    if options.quick:
        return
    against = [figures for agrees, figures in evidence if not agrees]
    if not evidence:
        print(f"{claim}: not judged, nothing here speaks for or against it")
    elif against:
        print(f"{claim}: DOES NOT HOLD here in {len(against)} of {len(evidence)} ({'; '.join(against)})")
    else:
        print(f"{claim}: holds here in {len(evidence)} of {len(evidence)}")


def measured_matrices(bench, stand_ins, kernels, options):
    """(the document's name, or the file's, and the result): the user's files, or all stand-ins."""
    if options.matrix:
        names = [p if p.startswith("gen:") else os.path.basename(p).split(".")[0] for p in options.matrix]
        chosen = list(zip(names, options.matrix))
    else:
        chosen = [(name, "gen:" + reported[0]) for name, reported in stand_ins.items()]
        if options.quick:  # a sixteenth of what has 10000 rows and more; multiples of 6, which blocks divide
            chosen = [(name, re.sub(r"\bn=(\d{5,})", lambda n: f"n={int(n[1]) // 96 * 6}", matrix)
                       .replace("scale=15", "scale=11")) for name, matrix in chosen]
    results = [(name, bench.run(matrix, kernels, "--mix", "1:0", "--value", "f32")) for name, matrix in chosen]
    return [(name, result) for name, result in results if result.measured]


def first_columns(options):
    return ["matrix" if options.matrix else "stand-in for", "per row rep.", "per row"]
