#!/usr/bin/env python3
"""Puts the small faults that faults.py lists into a copy of the tree, one at a time, builds the tests that should notice
and runs them. A fault that all of them pass with is missed: a test is missing. `make mutants` runs all of it, which takes
hours on two cores; the ordinary test `mutants` only checks that every fault still fits the sources.

usage: mutants.py [WORD...] [--part K/N] [--tree DIR] [--cmake ARGUMENT...] [--jobs N]
                                            faults whose file, words or tests have a WORD; of N equal parts the K-th
       mutants.py --list [WORD...]          what there is
       mutants.py --check [--tests BUILD]   whether every fault fits, and its tests exist
"""
import argparse
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True  # the list stands beside this, among the sources
from faults import FAULTS  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ("spconv", "spanalyze", "sprecommend", "spbatch")
# What else tests run, by another name than its target has; `shell` is the folder of completion and manual pages, `python`
# that of the package.
TARGETS = {"python": "python_package", "shell": "sparsmith_shell", "sparsmith": "sparsmith_command", "fuzz_files": "fuzz_files"}
TEST_SECONDS = 300  # a fault may make a test wait for ever; what ctest knows of a test's time is meant for sanitizers


def folder_of(fault):
    """The figures are by folder: convert/io, analyze/report, tools/batch."""
    parts = pathlib.PurePath(fault.file).parent.parts
    return "/".join(parts[:2])


def has_words(fault, words):
    text = " ".join((fault.file, fault.what, *fault.tests))
    return not words or any(word in text for word in words)


def part_of(text):
    """`3/8` as (3, 8): several copies of the tree share the work."""
    found = re.fullmatch(r"([1-9]\d*)/([1-9]\d*)", text)
    if not found or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(f"{text} is no part such as 3/8")
    return int(found[1]), int(found[2])


def mutated(fault, text):
    places = text.count(fault.old)
    if places != 1:
        raise ValueError(f"{fault.file}: {places} places say {fault.old!r} ({fault.what})")
    if fault.old == fault.new:
        raise ValueError(f"{fault.file}: the fault changes nothing ({fault.what})")
    return text.replace(fault.old, fault.new)


def problems_in(faults, known_tests):
    """Why a fault could not be tried; nothing is built."""
    problems = []
    for fault in faults:
        try:
            mutated(fault, (ROOT / fault.file).read_text())
        except (OSError, ValueError) as problem:
            problems.append(str(problem))
        problems += [f"{fault.file}: there is no test {name} ({fault.what})"
                     for name in fault.tests if known_tests is not None and name not in known_tests]
    return problems


def commands_of_tests(build):
    """What each test of a build tree runs, as CMake wrote it down."""
    commands = {}
    for file in build.rglob("CTestTestfile.cmake"):
        for line in file.read_text().splitlines():
            if found := re.match(r'add_test\((?:\[=\[|")?([\w-]+)(?:\]=\]|")? (.*)\)$', line):
                commands[found[1]] = found[2]
    return commands


def targets_of(names, commands, build):
    """What has to be built for these tests: every program of the build tree in their commands."""
    targets = set()
    for name in names:
        for path in re.findall(re.escape(str(build)) + r"/[\w/.-]*", commands[name]):
            program = pathlib.PurePath(path).name
            if program in TARGETS or program in TOOLS or program.startswith("test_"):
                targets.add(TARGETS.get(program, program))
    return sorted(targets)


def copy_of_tree(tree):
    """A copy of what git knows and does not ignore; what is unchanged keeps its time, so that little is built again."""
    source = tree / "source"
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"], check=True,
                            capture_output=True, text=True).stdout.split("\0")
    files = {name for name in listed if name and (ROOT / name).is_file()}
    for name in files:
        text, there = (ROOT / name).read_bytes(), source / name
        if not there.is_file() or there.read_bytes() != text:
            there.parent.mkdir(parents=True, exist_ok=True)
            there.write_bytes(text)
            shutil.copymode(ROOT / name, there)
    for there in sorted(source.rglob("*")):
        name = there.relative_to(source)
        if there.is_file() and name.parts[0] not in ("build", ".deps") and str(name) not in files:
            there.unlink()
    if (ROOT / ".deps").exists() and not (source / ".deps").exists():
        (source / ".deps").symlink_to((ROOT / ".deps").resolve())
    return source


class scratch_tree:
    def __init__(self, tree, cmake_arguments, jobs):
        self.source = copy_of_tree(tree)
        self.build = self.source / "build/openmp"
        self.jobs = str(jobs)
        # What a fault leaves unused is no error here.
        arguments = ["-DSPARSMITH_WERROR=OFF", "-DSPARSMITH_BENCHMARKS=OFF", "-Wno-dev"]
        if shutil.which("ccache"):
            arguments.append("-DCMAKE_CXX_COMPILER_LAUNCHER=ccache")
        configured = self.run("cmake", "--preset", "openmp", *arguments, *cmake_arguments)
        if configured.returncode != 0:
            sys.exit(configured.stdout)
        self.commands = commands_of_tests(self.build)

    def run(self, *command, seconds=None):
        """With what it started it is ended after so many seconds; subprocess.TimeoutExpired says so."""
        with subprocess.Popen(command, cwd=self.source, text=True, errors="replace", stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env={**os.environ, "OMP_WAIT_POLICY": "passive"},
                              start_new_session=seconds is not None) as running:
            try:
                output, _ = running.communicate(timeout=seconds)
            except subprocess.TimeoutExpired:
                os.killpg(running.pid, signal.SIGKILL)
                raise
        return subprocess.CompletedProcess(command, running.returncode, output)

    def compile(self, tests):
        return self.run("cmake", "--build", str(self.build), "-j", self.jobs, "--target",
                        *targets_of(tests, self.commands, self.build))

    def test(self, tests, *more, seconds=None):
        return self.run("ctest", "--test-dir", str(self.build), "-R", f"^({'|'.join(tests)})$", *more, seconds=seconds)


def named_at_the_end(output, heading):
    """The tests that ctest lists under a heading of its summary: after it tried some of them again, where it did."""
    _, _, listed = output.partition(heading)
    return re.findall(r"^\s+\d+ - (\S+) \(", listed.split("\n\n")[0], re.MULTILINE)


def failed_in(output):
    return named_at_the_end(output, "The following tests FAILED:")


def skipped_in(output):
    return named_at_the_end(output, "The following tests did not run:")


def try_fault(fault, scratch, unasked):
    """How it went: seen, MISSED, or why that is not known; and the tests that noticed."""
    tests = [name for name in fault.tests if name not in unasked]
    if not tests:
        return "SKIPPED", "its tests cannot be asked here: " + ", ".join(fault.tests)
    place = scratch.source / fault.file
    whole = place.read_text()
    place.write_text(mutated(fault, whole))
    try:
        compiled = scratch.compile(tests)
        if compiled.returncode != 0:
            return "BROKEN", "it does not compile:\n" + compiled.stdout[-2000:]
        failed = failed_in(scratch.test(tests, "--stop-on-failure", seconds=TEST_SECONDS * len(tests)).stdout)
        return ("seen", ", ".join(failed)) if failed else ("MISSED", "by " + ", ".join(tests))
    except subprocess.TimeoutExpired:
        return "seen", "one of " + ", ".join(tests) + " does not end"
    finally:
        place.write_text(whole)


def run_faults(faults, scratch):
    names = sorted({name for fault in faults for name in fault.tests})
    print(f"{len(faults)} faults; first the tests without any: {', '.join(names)}", flush=True)
    compiled = scratch.compile(names)
    if compiled.returncode != 0:
        sys.exit(compiled.stdout[-4000:])
    # Some tests keep times, and fail beside a busy process; one that fails twice could not tell a fault from that.
    whole = scratch.test(names, "--repeat", "until-pass:2").stdout
    failing = set(failed_in(whole))
    if failing:
        print(f"without any fault these fail, and are not asked: {', '.join(sorted(failing))}", flush=True)
    unasked = set(skipped_in(whole)) | failing
    outcomes = {}
    for fault in faults:
        before = time.monotonic()
        outcome, more = try_fault(fault, scratch, unasked)
        outcomes.setdefault(folder_of(fault), []).append(outcome)
        print(f"{outcome:7} {fault.file}: {fault.what} ({more}; {time.monotonic() - before:.0f} s)", flush=True)
    print("\nnoticed, by folder")
    for folder, all_here in sorted(outcomes.items()):
        tried = [o for o in all_here if o in ("seen", "MISSED")]
        print(f"  {folder:20} {tried.count('seen'):3} of {len(tried):3}")
    everything = [o for here in outcomes.values() for o in here]
    tried = [o for o in everything if o in ("seen", "MISSED")]
    print(f"  {'all':20} {tried.count('seen'):3} of {len(tried):3}"
          + (f"; {everything.count('SKIPPED')} not tried" if "SKIPPED" in everything else ""))
    return 1 if failing or "MISSED" in everything or "BROKEN" in everything else 0


def main():
    parser = argparse.ArgumentParser(description="Small faults, one at a time: which test notices?")
    parser.add_argument("words", nargs="*", help="only faults whose file, words or tests have one of these")
    parser.add_argument("--list", action="store_true", help="list them, and build nothing")
    parser.add_argument("--check", action="store_true", help="check that each fits the sources, and build nothing")
    parser.add_argument("--tests", type=pathlib.Path, help="with --check: a build tree that knows the tests")
    parser.add_argument("--part", type=part_of, default=(1, 1), metavar="K/N", help="the K-th of N parts of them")
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT / "build/mutants", help="where the copy is built")
    parser.add_argument("--cmake", action="append", default=[], metavar="ARGUMENT", help="more for configuring it")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    faults = sorted((f for f in FAULTS if has_words(f, asked.words)), key=lambda f: f.file)
    mine, parts = asked.part
    # Neighbours stay together: a part then asks few tests, which run once without any fault first.
    faults = faults[len(faults) * (mine - 1) // parts:len(faults) * mine // parts]
    if asked.list:
        for fault in faults:
            print(f"{fault.file}: {fault.what} ({', '.join(fault.tests)})")
        return 0
    if not faults:
        sys.exit(f"no fault has any of: {' '.join(asked.words)}")
    if problems := problems_in(faults, commands_of_tests(asked.tests) if asked.tests else None):
        sys.exit("\n".join(problems))
    if asked.check:
        print(f"{len(faults)} faults fit")
        return 0
    return run_faults(faults, scratch_tree(asked.tree.resolve(), asked.cmake, asked.jobs))


if __name__ == "__main__":
    sys.exit(main())
