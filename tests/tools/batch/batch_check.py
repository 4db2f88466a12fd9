"""Whether spbatch loses nothing: batch_check.py SPBATCH [options, see --help]

Makes a collection of N matrices of which ten are poisoned, and looks at what comes of it: whole runs, runs that are
killed K times at random moments, interrupted, torn, run beside each other, and out of space. With SPARSMITH_MATRICES
some of them are real ones. Prints what failed and exits with 1. By hand: --matrices 300 --kills 50 --timeout 15.
"""

import argparse
import collections
import contextlib
import ctypes
import gzip
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import batch_schema_check  # noqa: E402

# A sanitizer's shadow is more memory than any limit worth testing, and its workers take their time.
SANITIZED = "SPARSMITH_SANITIZED" in os.environ
TAG = "SPARSMITH_BATCH_CHECK"  # in the environment of all that is started here, so that it can be found again
BANNER = "%%MatrixMarket matrix coordinate real general\n"

problems = []
started = []  # ids of all processes that were spbatch


def check(fine, text):
    if not fine:
        problems.append(text)
        print(f"FAILED: {text}", flush=True)
    return fine


# ---------------------------------------------------------------------------------------------------- the collection

ODD_NAMES = [b"two words", b" leading and trailing ", b"qu'ote\"s", "\u00e9\u6f22\u5b57".encode(), b"not \xff utf-8",
             b"new\nline", b"-dash", b"<b>&amp;", b"$HOME `id`", b"[1]*?", b"back\\slash", b"tab\there", b"#hash"]
GENERATORS = ["gen:laplace2d?n={}", "gen:uniform?n={}&density=0.02", "gen:diagonal?n={}&band=5", "gen:powerlaw?n={}",
              "gen:denserow?n={}", "gen:rmat?scale=7&seed={}"]


def random_matrix(rng, kind):
    """Matrix Market text: a few hundred entries."""
    n = rng.randint(5, 60)
    cells = rng.sample(range(n * n), rng.randint(1, min(300, n * n)))
    if kind == "pattern":
        lines = [f"{c // n + 1} {c % n + 1}" for c in cells]
    elif kind == "integer":
        lines = [f"{c // n + 1} {c % n + 1} {rng.randint(-9, 9)}" for c in cells]
    elif kind == "symmetric":
        cells = [c for c in cells if c // n >= c % n] or [0]
        lines = [f"{c // n + 1} {c % n + 1} {rng.uniform(-1, 1):.6g}" for c in cells]
    else:
        lines = [f"{c // n + 1} {c % n + 1} {rng.uniform(-1, 1):.6g}" for c in cells]
    words = {"pattern": "pattern general", "integer": "integer general", "symmetric": "real symmetric"}
    banner = f"%%MatrixMarket matrix coordinate {words.get(kind, 'real general')}"
    return "\n".join([banner, f"{n} {n} {len(cells)}"] + lines) + "\n"


def real_matrices(count):
    """The smallest that are not complex, for which there are no products."""
    folder = os.environ.get("SPARSMITH_MATRICES")
    if not folder:
        return []
    found = []
    for path in sorted(pathlib.Path(folder).glob("real/*.mtx.gz"), key=lambda p: (p.stat().st_size, p.name)):
        with gzip.open(path, "rb") as file:
            if b"complex" not in file.readline():
                found.append(path)
        if len(found) == count:
            break
    return found


class Collection:
    """A folder of files and a list of generators; what is poisoned, and the cause that is to be named for it."""

    def __init__(self, place, count, rng):
        self.folder = os.path.join(os.fsencode(place), b"matrices")
        self.list = os.path.join(place, "more.list")
        os.makedirs(os.path.join(self.folder, b"deep", b"er"))
        self.good = set()  # names, as they stand in results
        good = count - 10
        real = real_matrices(good // 4)
        for path in real:
            self.write(os.fsencode("real_" + path.name), path.read_bytes())
        lines = ["# what no folder holds\r\n"]
        for i in range(good - len(real)):
            kind = i % 6
            if kind == 0:
                text = GENERATORS[i // 6 % len(GENERATORS)].format(i + 10)
                lines.append(text + "\n")
                self.good.add(text)
            elif kind == 1:
                self.write(b"packed_%d.mtx.gz" % i, gzip.compress(random_matrix(rng, "real").encode()))
            elif kind == 2:
                self.write(b"%s %d.mtx" % (ODD_NAMES[i // 6 % len(ODD_NAMES)], i), random_matrix(rng, "real").encode())
            else:
                text = random_matrix(rng, ("pattern", "integer", "symmetric")[kind - 3])
                self.write(b"deep/er/m%d.mtx" % i if i % 2 else b"m%d.mtx" % i, text.encode())
        self.poison(rng)
        # The same again under other names: that is done once.
        for name in (b"copy.mtx", b"deep/copy.mtx"):
            self.write(name, (BANNER + "1 1 1\n1 1 7\n").encode())
        self.good -= {"copy.mtx", "deep/copy.mtx"}
        self.copies = 2  # of which one has a line
        with open(self.list, "w", encoding="utf-8", newline="") as file:
            file.writelines(lines)

    def write(self, name, data):
        with open(os.path.join(self.folder, name), "wb") as file:
            file.write(data)
        self.good.add(name.decode("utf-8", errors="replace"))

    def poison(self, rng):
        """Ten matrices: the cause that is right for each, and what its message must say beside its name."""
        before = set(self.good)
        packed = gzip.compress(random_matrix(rng, "real").encode())
        self.write(b"poison_truncated.mtx", (BANNER + "9 9 40\n1 1 1\n2 2").encode())
        self.write(b"poison_cut.mtx.gz", packed[:len(packed) // 2])
        self.write(b"poison_huge.mtx", (BANNER + "2000000000 2000000000 1\n1 1 1\n").encode())
        self.write(b"poison_wide.mtx", (BANNER + "3000000000 3 1\n1 1 1\n").encode())
        self.write(b"poison_garbage.mtx", bytes(rng.randrange(256) for _ in range(5000)))
        for fault in ("abort", "segv", "memory", "disk", "hang"):
            self.write(f"poison_{fault}.mtx".encode(), f"{BANNER}1 1 1\n1 1 {ord(fault[0])}\n".encode())
        os.mkfifo(os.path.join(self.folder, b"no file.mtx"))  # which is told, and costs nothing
        self.poisoned = {
            "poison_truncated.mtx": ("error", "poison_truncated.mtx"),
            "poison_cut.mtx.gz": ("error", "poison_cut.mtx.gz"),
            "poison_huge.mtx": ("memory", ""),
            "poison_wide.mtx": ("error", "3000000000"),
            "poison_garbage.mtx": ("error", "poison_garbage.mtx"),
            "poison_abort.mtx": ("signal", "SIGABRT"),
            "poison_segv.mtx": ("signal", "SIGSEGV"),
            "poison_memory.mtx": ("memory", ""),
            "poison_disk.mtx": ("disk", "wrote more"),
            "poison_hang.mtx": ("timeout", "--timeout"),
        }
        self.faults = ("poison_abort=abort;poison_segv=segv;poison_memory=memory;poison_disk=disk;"
                       "poison_hang=hang")
        if SANITIZED:
            # Without a limit on memory these are one more abort, and a header that is found out sooner.
            self.poisoned["poison_memory.mtx"] = ("signal", "SIGABRT")
            self.faults = self.faults.replace("=memory", "=abort")
            self.write(b"poison_huge.mtx", (BANNER + "2000000000 2000000000 4000000000000\n1 1 1\n").encode())
            self.poisoned["poison_huge.mtx"] = ("error", "4000000000000")
        self.good = before

    def arguments(self):
        return [self.folder, "--list", self.list]


# ------------------------------------------------------------------------------------------------------- the program

class Batch:
    """spbatch as it is started here: with a cache and temporary files of its own, findable by its environment."""

    def __init__(self, program, place, timeout, faults=""):
        self.timeout = timeout  # seconds of a matrix
        self.program = os.path.abspath(program)
        self.environment = dict(os.environ, SPARSMITH_CACHE=os.path.join(place, "cache"),
                                TMPDIR=os.path.join(place, "tmp"), SPARSMITH_BATCH_FAULTS=faults, **{TAG: place})
        for name in [n for n in self.environment if n.startswith("SLURM_")]:
            del self.environment[name]
        self.place = place
        os.makedirs(os.path.join(place, "tmp"), exist_ok=True)

    def start(self, arguments, folder, **more):
        limits = [] if SANITIZED else ["--memory", "600M"]
        command = [self.program, *arguments, "--out", folder, "--device", "cpu", "--timeout", str(self.timeout),
                   *limits]
        if "--predict" not in arguments and "--analyze" not in arguments:
            command.append("--predict")
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(command, env=self.environment, **{**streams, **more})
        started.append(process.pid)
        return process

    def run(self, arguments, folder, **more):
        process = self.start(arguments, folder, **more)
        out, err = process.communicate(timeout=600)
        return process.returncode, (out or b"").decode(errors="replace"), (err or b"").decode(errors="replace")

    def left_processes(self):
        found = []
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                with contextlib.suppress(OSError):  # it went while we looked
                    tag = f"{TAG}={self.place}".encode()
                    if tag in pathlib.Path("/proc", entry, "environ").read_bytes().split(b"\0"):
                        found.append(int(entry))
        return found

    def gone_within(self, seconds, when):
        """No process is left that many seconds later."""
        end = time.monotonic() + seconds
        while (left := self.left_processes()) and time.monotonic() < end:
            time.sleep(0.01)
        return check(not left, f"{when}: {len(left)} processes are left after {seconds} s")


def left_groups():
    """Control groups of memory that spbatch made, of processes that were started here."""
    found = []
    for place in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup"):
        for folder, inner, _ in os.walk(place):
            found += [os.path.join(folder, name) for name in inner
                      if name.startswith("spbatch-") and name.split("-")[1] in {str(p) for p in started}]
        if found:
            break
    return found


def results_path(folder):
    return os.path.join(folder, "results.jsonl")


def lines_in(folder):
    """The lines of all files of a folder; none may be torn."""
    lines = []
    for path in sorted(pathlib.Path(folder).glob("results*.jsonl")):
        lines += list(batch_schema_check.lines_of(path))
    return lines


def bytes_of(folder):
    return {path.name: path.read_bytes() for path in sorted(pathlib.Path(folder).glob("results*.jsonl"))}


def check_schema(lines, when):
    for line in lines:
        for problem in batch_schema_check.problems_in(line):
            check(False, f"{when}: {line.get('name')}: {problem}")


def comparable(line):
    """What must be the same in every run."""
    kept = {name: value for name, value in line.items()
            if name not in ("node", "started", "seconds", "waited_s", "stages", "memory_peak")}
    if kept["recommendation"] is not None:
        kept["recommendation"] = {name: value for name, value in kept["recommendation"].items()
                                  if name not in ("seconds", "steps")}
    if kept["failure"] is not None:
        # How much memory was free is another figure every time.
        message = re.sub(r"[0-9.]+ [KMGT]?i?B ", "", kept["failure"]["message"])
        kept["failure"] = dict(kept["failure"], output="", message=message)
    return kept


def check_same(lines, wanted, when):
    """The same matrices with the same results, none twice. Copies may stand for each other."""
    keys = [line["key"] for line in lines]
    twice = [key for key, count in collections.Counter(keys).items() if count > 1]
    fine = check(not twice, f"{when}: {len(twice)} matrices have more than one line")
    found = {line["key"]: comparable(line) for line in lines}
    expected = {line["key"]: comparable(line) for line in wanted}
    lost, more = expected.keys() - found.keys(), found.keys() - expected.keys()
    fine &= check(not lost, f"{when}: lost {[expected[k]['name'] for k in lost]}")
    fine &= check(not more, f"{when}: has {[found[k]['name'] for k in more]} beside")
    for key in expected.keys() & found.keys():
        a, b = found[key], expected[key]
        if {a["name"], b["name"]} == {"copy.mtx", "deep/copy.mtx"}:
            continue
        # Rates that were measured on a busy machine are measured again at every start, and predictions follow them.
        noisy = any(line["recommendation"] is not None and line["recommendation"].get("noisy") for line in (a, b))
        differing = [name for name in b if a.get(name) != b[name] and not (noisy and name in ("recommendation", "noisy"))]
        fine &= check(not differing, f"{when}: {b['name']}: {differing} differ from the undisturbed run's")
    return fine


def check_left_over(batch, when):
    batch.gone_within(1, when)
    check(not left_groups(), f"{when}: control groups are left: {left_groups()}")
    # The lock of the device stays, as locks do.
    left = [name for name in os.listdir(batch.environment["TMPDIR"]) if not name.endswith(".lock")]
    check(not left, f"{when}: temporary files are left: {left}")


# --------------------------------------------------------------------------------------------------------- the tests

def whole_run(batch, collection, folder):
    """All of it once: every result, every failure by its cause, and nothing left behind."""
    begin = time.monotonic()
    status, out, err = batch.run(collection.arguments() + ["--json"], folder)
    seconds = time.monotonic() - begin
    check(status == 1, f"whole run: exit status {status}, not 1")
    lines = lines_in(folder)
    check_schema(lines, "whole run")
    by_name = {line["name"]: line for line in lines}
    check(len(by_name) == len(lines), "whole run: a name has two lines")
    good = {line["name"] for line in lines if line["result"] == "ok"}
    failed = {line["name"] for line in lines if line["result"] == "failed"}
    check(len(good & {"copy.mtx", "deep/copy.mtx"}) == 1, "whole run: copies have not one line")
    good -= {"copy.mtx", "deep/copy.mtx"}
    check(good == collection.good, f"whole run: good ones lack {sorted(collection.good - good)}, "
                                   f"have {sorted(good - collection.good)} beside")
    check(failed == set(collection.poisoned), f"whole run: failed are {sorted(failed)}")
    for name, (cause, words) in collection.poisoned.items():
        failure = by_name.get(name, {}).get("failure")
        if not check(failure is not None, f"whole run: {name} has no failure"):
            continue
        check(failure["cause"] == cause, f"whole run: {name}: cause {failure['cause']}, not {cause} "
                                         f"({failure['message']})")
        check(name in failure["message"] and words in failure["message"],
              f"whole run: {name}: the message does not say enough: {failure['message']}")
        stage = "assembling" if name == "poison_huge.mtx" and not SANITIZED else "reading"
        check(failure["stage"] == stage, f"whole run: {name}: stage {failure['stage']}, not {stage}")
        check(err.count(name) >= 1, f"whole run: {name} is not named on standard error")
    check("no file.mtx: a pipe, not a file; passed over" in err, "whole run: a pipe is not told")
    told = json.loads(out)["run"]
    expected = {"matrices": len(collection.good) + len(collection.poisoned) + collection.copies, "known_before": 0,
                "copies": 1, "ok": len(collection.good) + 1, "failed": len(collection.poisoned)}
    check({k: told[k] for k in expected} == expected, f"whole run: counts are {told}, not {expected}")
    check_left_over(batch, "whole run")
    print(f"whole run: {len(good)} good, {len(failed)} failed and named, {seconds:.1f} s")
    return lines, seconds


def second_run(batch, collection, folder):
    """What is done is not done again, by a byte; failures alone on request."""
    before = bytes_of(folder)
    begin = time.monotonic()
    status, out, err = batch.run(collection.arguments() + ["--json"], folder)
    seconds = time.monotonic() - begin
    check(status == 1, f"second run: exit status {status}, not 1: it holds failures")
    check(bytes_of(folder) == before, "second run: the results changed")
    told = json.loads(out)["run"]
    check(told["ok"] == told["failed"] == 0, f"second run: did something: {told}")
    check(told["known_before"] + told["copies"] == told["matrices"], f"second run: counts are {told}")
    check(told["failed_before"] == len(collection.poisoned), f"second run: counts are {told}")
    print(f"second run: nothing to do, {seconds:.1f} s")

    failed = {line["key"] for line in lines_in(folder) if line["result"] == "failed"}
    status, out, err = batch.run(collection.arguments() + ["--json", "--retry-failed"], folder)
    check(status == 1, f"--retry-failed: exit status {status}")
    after = bytes_of(folder)
    check(all(after[name].startswith(before[name]) for name in before), "--retry-failed: earlier lines changed")
    added = lines_in(folder)[sum(data.count(b"\n") for data in before.values()):]
    check(sorted(line["key"] for line in added) == sorted(failed),
          f"--retry-failed: tried {sorted(line['name'] for line in added)}")
    check_schema(added, "--retry-failed")
    # Cured, it is tried once more, and then the exit status says that all is well.
    cure = Batch(batch.program, batch.place, batch.timeout)
    few = [os.path.join(collection.folder, name) for name in (b"poison_abort.mtx", b"poison_segv.mtx")]
    status, out, err = cure.run(few + ["--retry-failed", "--quiet"], folder)
    check(status == 0, f"--retry-failed of what is cured: exit status {status}: {err}")
    status, out, err = cure.run(few + ["--quiet"], folder)
    check(status == 0, f"after --retry-failed of what is cured: exit status {status}: {err}")
    check_left_over(batch, "--retry-failed")
    print(f"--retry-failed: {len(added)} tried again, then 2 cured")


def kill_test(batch, collection, folder, undisturbed, starting, seconds, kills, rng):
    """Killed at random moments and started again: in the end as if nothing had been."""
    in_time = torn = advanced = 0
    begin = time.monotonic()
    # What an undisturbed run takes, but for waiting for the one that hangs, is divided among all, and a start takes
    # its time too. Where that is too little for the next matrix the time grows until it is not.
    usual = longest = 4 * starting + 2 * max(seconds - starting - batch.timeout, 0.2 * seconds) / kills
    before = 0
    for i in range(kills):
        process = batch.start(collection.arguments() + ["--quiet"], folder, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL)
        try:
            # Not to the end of it: that time was measured beside whatever else ran then, and a quiet machine is through earlier.
            process.wait(timeout=rng.uniform(0, 0.7 * longest))
        except subprocess.TimeoutExpired:
            in_time += 1
        process.kill()
        process.wait()
        batch.gone_within(1, f"kill {i}")
        data = b"\n".join([*lines_or_none(folder), b""])
        with contextlib.suppress(FileNotFoundError):
            torn += os.path.getsize(results_path(folder)) > len(data)
        keys = [json.loads(line)["key"] for line in data.split(b"\n")[:-1]]
        check(len(keys) == len(set(keys)), f"kill {i}: a matrix was done twice")
        check(len(keys) >= before, f"kill {i}: a line is gone")
        advanced += before < len(keys) < len(undisturbed)
        longest = max(usual, longest / 1.1) if before < len(keys) else 1.3 * longest
        before = len(keys)
    done = len(lines_or_none(folder))
    status, _, err = batch.run(collection.arguments(), folder)
    check(status == 1, f"after the kills: exit status {status}: {err[-300:]}")
    lines = lines_in(folder)
    check_schema(lines, "after the kills")
    same = check_same(lines, undisturbed, "after the kills")
    check(in_time >= kills // 2 and advanced > 0, f"only {in_time} of {kills} kills came before the end")
    check_left_over(batch, "after the kills")
    print(f"kills: {in_time} of {kills} in the middle of it, {advanced} with new lines, {torn} torn, {done} of "
          f"{len(lines)} lines before the last run, {time.monotonic() - begin:.1f} s: "
          f"{'the same' if same else 'NOT the same'} as undisturbed")


def lines_or_none(folder):
    with contextlib.suppress(FileNotFoundError):
        return pathlib.Path(results_path(folder)).read_bytes().split(b"\n")[:-1]
    return []


def every_failure(batch, place):
    """Each way a worker can fail, which leaves the others alone."""
    folder = os.path.join(place, "every_failure")
    faults = {"exit": ("exit", "status 7"), "garbage": ("protocol", "said what no worker says"),
              "silent": ("timeout", "--timeout"), "hang": ("timeout", "--timeout")}
    texts = {how: f"gen:rmat?scale=5&seed={i + 100}" for i, how in enumerate(faults)}
    broken = Batch(batch.program, batch.place, batch.timeout, ";".join(f"{text}={how}" for how, text in texts.items()))
    more = ["gen:nothing?n=3", "nowhere/at all.mtx", "nowhere [1].mtx", "gen:laplace2d?n=7"]
    listed = os.path.join(place, "every_failure.txt")
    pathlib.Path(listed).write_text("\n".join([*texts.values(), *more]) + "\n")
    status, out, err = broken.run([listed, "--analyze", "--jobs", "4"], folder)
    check(status == 1, f"every failure: exit status {status}")
    by_name = {line["name"]: line for line in lines_in(folder)}
    check_schema(by_name.values(), "every failure")
    for how, (cause, words) in faults.items():
        line = by_name.get(texts[how])
        if check(line is not None and line["failure"] is not None, f"every failure: {how} has none: {err}"):
            check(line["failure"]["cause"] == cause and words in line["failure"]["message"],
                  f"every failure: {how}: {line['failure']}")
    for name in more[:3]:
        line = by_name.get(name)
        check(line is not None and line["result"] == "failed" and line["failure"]["cause"] == "error" and
              name in line["failure"]["message"], f"every failure: {name}: {line and line['failure']}")
    check(by_name.get(more[3], {}).get("result") == "ok", "every failure: the good one is not")
    check(len(by_name) == 8, f"every failure: {len(by_name)} lines")
    check_left_over(batch, "every failure")
    print(f"every failure: {len(by_name) - 1} more failures, each by its cause")


def torn_lines(batch, place):
    """The last line cut at every kind of place, and ends that are not ours."""
    folder = os.path.join(place, "torn")
    few = ["gen:laplace2d?n=5", "gen:rmat?scale=4", "gen:diagonal?n=9"]
    arguments = few + ["--analyze", "--quiet", "--jobs", "1"]
    status, _, err = batch.run(arguments, folder)
    check(status == 0, f"torn: {err}")
    whole = pathlib.Path(results_path(folder)).read_bytes()
    undisturbed = lines_in(folder)
    last = whole[:-1].rfind(b"\n") + 1
    places = [last + 1, last + 5, last + 29, last + 40, (last + len(whole)) // 2, len(whole) - 2, len(whole) - 1]
    for at in places + [1, 20]:
        pathlib.Path(results_path(folder)).write_bytes(whole[:at])
        status, _, err = batch.run(arguments, folder)
        check(status == 0, f"torn at {at}: exit status {status}: {err}")
        check_same(lines_in(folder), undisturbed, f"torn at {at}")
    for foreign in (b"my notes", b'{"schema": "mine"}', whole[:last] + b"notes"):
        pathlib.Path(results_path(folder)).write_bytes(foreign)
        status, out, err = batch.run(arguments, folder)
        check(status == 1 and err.count("\n") == 1 and "not one of spbatch" in err,
              f"foreign end: status {status}, said {err!r}")
        check(pathlib.Path(results_path(folder)).read_bytes() == foreign, "foreign end: it was changed")
    print(f"torn lines: cut at {len(places) + 2} places and done again; 3 foreign ends were left alone")


def beside_each_other(batch, collection, place, undisturbed):
    """Two on one folder, then three shards of one."""
    folder = os.path.join(place, "two")
    both = [batch.start(collection.arguments() + ["--json"], folder) for _ in range(2)]
    told = [json.loads(one.communicate(timeout=600)[0])["run"] for one in both]
    statuses = [one.returncode for one in both]
    check(statuses == [1, 1], f"two at once: exit statuses {statuses}")
    check_same(lines_in(folder), undisturbed, "two at once")
    check(sum(t["ok"] + t["failed"] for t in told) == len(undisturbed), f"two at once: counts are {told}")
    check(all(t["failed"] + t["failed_before"] == len(collection.poisoned) for t in told),
          f"two at once: they do not agree on what failed: {told}")
    # Each may have the luck to be first, but neither may have nothing to do.
    shares = [t["ok"] + t["failed"] for t in told]
    check(min(shares) > 0, f"two at once: one did all: {shares}")

    folder = os.path.join(place, "three")
    three = [batch.start(collection.arguments() + ["--quiet", "--shard", f"{i}/3"], folder) for i in (1, 2, 3)]
    errors = [one.communicate(timeout=600)[1] for one in three]
    lines = lines_in(folder)
    check_same(lines, undisturbed, "three shards")
    check_schema(lines, "three shards")
    parts = []
    for i, one in enumerate(three, 1):
        part = list(batch_schema_check.lines_of(os.path.join(folder, f"results.{i}-of-3.jsonl")))
        parts.append(len(part))
        wanted = int(any(line["result"] == "failed" for line in part))
        check(one.returncode == wanted, f"shard {i}/3: exit status {one.returncode}, not {wanted}: {errors[i - 1]}")
    check(max(parts) - min(parts) <= 2, f"three shards: their parts are {parts}")
    status, _, err = batch.run(collection.arguments() + ["--quiet"], folder)
    check(status == 1 and not pathlib.Path(results_path(folder)).read_bytes(), f"all after three shards: did something")
    check_left_over(batch, "beside each other")
    print(f"beside each other: two did {shares}, three shards {parts}, none twice")


def taken_over(batch, place):
    """What one was working on when it was killed is done by another that waits for it."""
    folder = os.path.join(place, "taken_over")
    few = [f"gen:rmat?scale=5&seed={i}" for i in range(4)] + ["--analyze", "--json"]
    first = Batch(batch.program, batch.place, batch.timeout, "seed=2=hang").start(few + ["--jobs", "1"], folder)
    wait_for_lines(first, folder, 2)
    time.sleep(1)  # until it has the third, which nothing on disk tells
    second = Batch(batch.program, batch.place, batch.timeout).start(few, folder)
    wait_for_lines(second, folder, 3)
    time.sleep(0.3)
    waits = second.poll() is None
    first.kill()
    first.communicate()
    told = json.loads(second.communicate(timeout=60)[0])["run"]
    check(waits and second.returncode == 0 and told["ok"] == 2 and told["known_before"] == 2,
          f"taken over: waited {waits}, exit status {second.returncode}, counts are {told}")
    check(len(lines_in(folder)) == 4, f"taken over: {len(lines_in(folder))} lines")
    batch.gone_within(1, "taken over")  # the group of the one that was killed goes with the next start
    print("taken over: the matrix of one that was killed was done by another that waited for it")


def wait_for_lines(process, folder, count):
    end = time.monotonic() + 60
    while len(lines_or_none(folder)) < count and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)


def interrupted(batch, collection, place, undisturbed):
    for number, wanted in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        folder = os.path.join(place, number.name)
        process = batch.start(collection.arguments(), folder)
        wait_for_lines(process, folder, 3)
        begin = time.monotonic()
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        seconds = time.monotonic() - begin
        check(process.returncode == wanted, f"{number.name}: exit status {process.returncode}, not {wanted}")
        check(seconds < 5, f"{number.name}: took {seconds:.1f} s to end")
        check(b"goes on from here" in out, f"{number.name}: does not say how to go on: {out!r}")
        check_left_over(batch, number.name)
        done = len(lines_in(folder))
        check(done < len(undisturbed), f"{number.name}: came too late")
        batch.run(collection.arguments() + ["--quiet"], folder)
        check_same(lines_in(folder), undisturbed, number.name)
        print(f"{number.name}: exit status {process.returncode} after {seconds:.2f} s and {done} lines, and it went on")


@contextlib.contextmanager
def small_disk(place, kilobytes):
    """A file system of that size, or None where none can be made."""
    libc = ctypes.CDLL(None, use_errno=True)
    folder = os.path.join(place, f"disk_{kilobytes}")
    os.makedirs(folder)
    made = libc.mount(b"none", os.fsencode(folder), b"tmpfs", 0, f"size={kilobytes}k".encode()) == 0
    try:
        yield folder if made else None
    finally:
        if made:
            libc.umount2(os.fsencode(folder), 2)


def check_out_of_space(batch, arguments, folder, when, enlarge, **more):
    """Ends with one clear line where nothing fits any more, and goes on where there is room again."""
    count = sum(a.startswith("gen:") for a in arguments)
    status, out, err = batch.run(arguments, folder, **more)
    check(status == 1, f"{when}: exit status {status}: {err}")
    check(err.startswith("spbatch: ") and "results.jsonl: could not write" in err and err.count("\n") == 1,
          f"{when}: says {err!r}")
    before = lines_in(folder)
    check_schema(before, when)
    failed = [line for line in before if line["result"] == "failed"]
    check(0 < len(before) < count, f"{when}: {len(before)} lines")
    # What was too long for the room that was left is named, if that still fits.
    for line in failed:
        check(line["failure"]["cause"] == "disk" and "could not write" in line["failure"]["message"],
              f"{when}: {line['failure']}")
    batch.gone_within(1, when)
    enlarge()
    status, out, err = batch.run(arguments + ["--retry-failed"], folder)
    check(status == 0, f"{when}: with room again: exit status {status}: {err}")
    lines = lines_in(folder)
    counted = {line["key"]: line for line in lines}
    check(len(counted) == count and all(line["result"] == "ok" for line in counted.values()),
          f"{when}: with room again: {len(counted)} matrices")
    check(len(lines) == count + len(failed), f"{when}: with room again: {len(lines)} lines")
    check(lines[:len(before)] == before, f"{when}: what was there before is not any more")
    print(f"{when}: {len(before)} lines, {len(failed)} of them failures, then all {count}")


def out_of_space(batch, place):
    arguments = [f"gen:uniform?n={n}&density=0.3" for n in range(40, 70)] + ["--analyze", "--quiet", "--jobs", "1"]
    # A limit on the size of files, which anybody can set.
    check_out_of_space(batch, arguments, os.path.join(place, "limited"), "file size limit", lambda: None,
                       preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)))
    with small_disk(place, 128) as disk:
        if disk is None:
            print("SKIPPED: no file system can be mounted here, so none was full")
            return
        check_out_of_space(batch, arguments, os.path.join(disk, "out"), "full disk",
                           lambda: subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True))


def unwritable(batch, place):
    cases = {"/proc/spbatch": "/proc/spbatch"}
    file = os.path.join(place, "a file")
    pathlib.Path(file).write_text("mine\n")
    cases[file] = "a file"
    cases[os.path.join(file, "inner")] = "inner"
    closed = os.path.join(place, "closed")
    os.makedirs(closed, mode=0o555)
    if os.geteuid() != 0:  # nothing is closed to root
        cases[os.path.join(closed, "inner")] = "inner"
        cases[closed] = "closed"
    for folder, word in cases.items():
        status, out, err = batch.run(["gen:laplace2d?n=5", "--quiet"], folder)
        check(status == 1 and err.count("\n") == 1 and word in err, f"{folder}: status {status}, said {err!r}")
    check(pathlib.Path(file).read_text() == "mine\n", "a file in the place of the results was changed")
    print(f"unwritable: {len(cases)} folders were refused in one line")


def silenced(batch, place):
    """Nobody reads what it says: the results are what counts."""
    few = [f"gen:rmat?scale=5&seed={i}" for i in range(8)] + ["--analyze"]
    folder = os.path.join(place, "closed_streams")
    process = subprocess.run(["sh", "-c", 'exec "$@" 0<&- 1>&- 2>&-', "sh", batch.program, *few, "--out", folder,
                              "--device", "cpu"], env=batch.environment)
    check(process.returncode == 0, f"closed streams: exit status {process.returncode}")
    check(len(lines_in(folder)) == 8, f"closed streams: {len(lines_in(folder))} lines")
    with open(os.path.join(folder, "lock"), "rb") as lock:  # counts stand behind its first page, bytes each
        check(not lock.read(4096).strip(b"\0"), "closed streams: something was written to the lock")
    folder = os.path.join(place, "broken_pipe")
    reading, writing = os.pipe()
    os.close(reading)
    process = batch.start(few, folder, stderr=writing)
    os.close(writing)
    process.communicate(timeout=60)
    lines = lines_in(folder)
    check(len(lines) == 8, f"standard error that nobody reads: status {process.returncode} after {len(lines)} of 8")
    check_left_over(batch, "silenced")
    print("silenced: closed streams and a broken pipe cost nothing")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spbatch")
    parser.add_argument("--matrices", type=int, default=20 if SANITIZED else 40, help="of which ten are poisoned")
    parser.add_argument("--kills", type=int, default=3 if SANITIZED else 8)
    parser.add_argument("--timeout", type=float, default=10 if SANITIZED else 3,
                        help="seconds of a matrix: more than a good one takes, and what all wait for one that hangs")
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep", help="a folder that is made, and stays")
    arguments = parser.parse_args()
    if arguments.matrices < 20:
        parser.error("at least 20 matrices")
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 31)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    # A shell ignores interrupts in what it starts beside itself, and spbatch would go by that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if arguments.keep:
        os.makedirs(arguments.keep)
        place = os.path.abspath(arguments.keep)
    else:
        place = tempfile.mkdtemp(prefix="batch_check_")
    begin = time.monotonic()
    try:
        collection = Collection(place, arguments.matrices, rng)
        batch = Batch(arguments.spbatch, place, arguments.timeout, collection.faults)
        folder = os.path.join(place, "undisturbed")
        # What the machine can do is measured once, so that all runs predict from the same.
        batch.run(["gen:laplace2d?n=5", "--quiet"], os.path.join(place, "first"))
        begin_of_nothing = time.monotonic()
        batch.run(["gen:laplace2d?n=5", "--quiet"], os.path.join(place, "first"))
        starting = time.monotonic() - begin_of_nothing
        undisturbed, seconds = whole_run(batch, collection, folder)
        steps = [
            lambda: kill_test(batch, collection, os.path.join(place, "killed"), undisturbed, starting, seconds,
                              arguments.kills, rng),
            lambda: second_run(batch, collection, folder),
            lambda: every_failure(batch, place),
            lambda: torn_lines(batch, place),
            lambda: beside_each_other(batch, collection, place, undisturbed),
            lambda: taken_over(batch, place),
            lambda: interrupted(batch, collection, place, undisturbed),
            lambda: out_of_space(batch, place),
            lambda: unwritable(batch, place),
            lambda: silenced(batch, place),
            lambda: batch_schema_check.self_test(undisturbed),
        ]
        for step in steps:
            step()
            sys.stdout.flush()
    finally:
        if not arguments.keep:
            shutil.rmtree(place, ignore_errors=True)
    print(f"{time.monotonic() - begin:.0f} s in all, seed {seed}: {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
