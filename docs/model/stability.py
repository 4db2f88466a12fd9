#!/usr/bin/env python3
"""Runs sprecommend on the same matrices again and again and says whether any two runs were sure of different things: the
winner of one neither the winner nor a tie of the other, and neither run called unsettled. A run is unsettled where the
machine was busy (`noisy`), where the time was up, or where it was interrupted.

usage: stability.py SPRECOMMEND [--runs N] [--busy [CPU]] [-- OPTION...] < LIST

LIST has a matrix a line: a file, or what else sprecommend reads; empty lines and those that begin with # are passed over.
What follows -- goes to sprecommend. With --busy one process computes beside it all the time, on CPU where one is named.
Prints a line a matrix; exit status 1 where two runs contradict each other, or one of them failed. Needs Python alone.
"""
import argparse
import collections
import json
import multiprocessing
import os
import subprocess
import sys


def compute_forever(cpu):
    if cpu is not None:
        os.sched_setaffinity(0, {cpu})
    while True:
        pass


def way(verdict):
    """What a way is told from others by: what is stored, and the kernel of each product."""
    kernels = verdict["kernels"]
    return (tuple(verdict["copies"]), kernels["ax"], kernels["atx"])


class Run:
    """A verdict: its winner, all that is not told apart from it, and why it is not settled (empty where it is)."""

    def __init__(self, document):
        verdict = document["verdict"]
        if verdict is None:
            self.winner, self.level, self.unsettled = None, set(), "no verdict"
            return
        self.winner = way(verdict)
        self.level = {self.winner} | {way(tied) for tied in verdict["ties"]}
        self.unsettled = "; ".join(document.get("noisy", []))
        for reason in ("out_of_time", "interrupted"):
            if not self.unsettled and document[reason]:
                self.unsettled = reason.replace("_", " ")

    def contradicts(self, other):
        if self.unsettled or other.unsettled:
            return False
        return self.winner not in other.level and other.winner not in self.level

    def name(self):
        return "none" if self.winner is None else "+".join(self.winner[0])


def told(tool, matrix, options):
    ran = subprocess.run([tool, matrix, "--json", "--quiet", *options], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        raise RuntimeError((ran.stderr.strip() or f"exit status {ran.returncode}").splitlines()[-1])
    return Run(json.loads(ran.stdout))


def line_of(matrix, runs):
    sure = collections.Counter(run.name() for run in runs if not run.unsettled)
    unsettled = sum(1 for run in runs if run.unsettled)
    parts = [f"{count} x {name}" for name, count in sure.most_common()]
    if unsettled:
        parts.append(f"{unsettled} unsettled")
    against = [(a, b) for i, a in enumerate(runs) for b in runs[i + 1:] if a.contradicts(b)]
    if against:
        verdict = "CONTRADICTION " + " against ".join(run.name() for run in against[0])
    elif len(sure) > 1:
        verdict = "tied"
    elif sure:
        verdict = "same"
    else:
        verdict = "unsettled"
    return bool(against), f"{os.path.basename(matrix)}\t{verdict}\t{', '.join(parts)}"


def main():
    words, options = sys.argv[1:], []
    if "--" in words:
        words, options = words[:words.index("--")], words[words.index("--") + 1:]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--busy", nargs="?", type=int, const=-1, metavar="CPU")
    typed = parser.parse_args(words)
    if typed.runs < 1:
        parser.error("--runs: at least 1")
    matrices = [line.strip() for line in sys.stdin if line.strip() and not line.startswith("#")]
    if not matrices:
        parser.error("no matrix on standard input")
    beside = None
    if typed.busy is not None:
        beside = multiprocessing.Process(target=compute_forever, args=(typed.busy if typed.busy >= 0 else None,), daemon=True)
        beside.start()
    bad = 0
    try:
        for matrix in matrices:
            try:
                contradicted, line = line_of(matrix, [told(typed.tool, matrix, options) for _ in range(typed.runs)])
            except RuntimeError as problem:
                contradicted, line = True, f"{os.path.basename(matrix)}\tFAILED\t{problem}"
            bad += contradicted
            print(line, flush=True)
    finally:
        if beside is not None:
            beside.terminate()
            beside.join()
    print(f"{len(matrices)} matrices, {typed.runs} runs each{', beside a busy process' if beside else ''}: "
          f"{bad} with contradictions or failures")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
