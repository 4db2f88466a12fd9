#!/usr/bin/env python3
"""Whether the verdicts of races are those of exhaustive runs, and the same every time.

  evaluate.py TOOL FOLDER [--repeat 5] [--samples 30] [-- OPTION...] < MATRICES

Runs `sprecommend --exhaustive` on every matrix of the list (a name or generator a line) and then a race so many times. The
results are kept in FOLDER, and those that are there already are not made again. A verdict is that of the exhaustive run
where its way (stored format, parameters and kernels) is the winner there or tied with it, or where the exhaustive run's
winner is a declared tie of the race.
"""
import json
import os
import re
import subprocess
import sys


def run(tool, matrix, options, file):
    if not os.path.exists(file) or os.path.getsize(file) == 0:
        done = subprocess.run([tool, matrix, "--json", "--quiet", *options], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{matrix}: {done.stderr.strip()}")
        with open(file, "w") as out:
            out.write(done.stdout)
    with open(file) as text:
        return json.load(text)


def way(one):
    return " ".join(one["copies"]) + ": " + ", ".join(f"{op} {kernel}" for op, kernel in one["kernels"].items() if kernel)


def accepted(verdict):
    """The winner, and what is tied with it."""
    return {way(verdict), way(verdict["fastest"])} | {way(tie) for tie in verdict["ties"]}


def main(arguments):
    options = []
    if "--" in arguments:
        at = arguments.index("--")
        arguments, options = arguments[:at], arguments[at + 1:]
    numbers = {"--repeat": 5, "--samples": 30}
    while len(arguments) > 2:
        numbers[arguments[-2]] = int(arguments[-1])
        arguments = arguments[:-2]
    tool, folder = arguments
    os.makedirs(folder, exist_ok=True)
    matrices = [line.strip() for line in sys.stdin if line.strip()]
    right = same = 0
    races = exhaustive_seconds = race_seconds = 0
    for matrix in matrices:
        name = os.path.join(folder, re.sub(r"[^A-Za-z0-9_.=-]", "_", matrix.split("/")[-1]))
        whole = run(tool, matrix, ["--exhaustive", "--samples", str(numbers["--samples"]), *options], name + ".exhaustive.json")
        verdicts, seconds = [], []
        for i in range(numbers["--repeat"]):
            told = run(tool, matrix, options, f"{name}.race{i}.json")
            verdicts.append(told["verdict"])
            seconds.append(told["seconds"])
        best = whole["verdict"]
        hits = sum(way(v) in accepted(best) or way(best) in accepted(v) for v in verdicts)
        alike = all(way(v) in accepted(verdicts[0]) or way(verdicts[0]) in accepted(v) for v in verdicts)
        mean = sum(seconds) / len(seconds)
        print(f"{matrix.split('/')[-1]:45} {hits}/{len(verdicts)} {'same' if alike else 'DIFFERENT':9} "
              f"{whole['seconds']:7.2f} s {mean:6.2f} s  {way(best)}" + ("" if hits == len(verdicts) else
              "  | " + " | ".join(way(v) for v in verdicts if way(v) not in accepted(best))), flush=True)
        right += hits
        races += len(verdicts)
        same += alike
        exhaustive_seconds += whole["seconds"]
        race_seconds += mean
    print(f"{right} of {races} verdicts are those of the exhaustive run ({100 * right / races:.1f} %), {same} of {len(matrices)} "
          f"matrices have the same verdict every time; {exhaustive_seconds:.0f} s exhaustive, {race_seconds:.0f} s raced "
          f"({race_seconds / exhaustive_seconds:.2f})")


if __name__ == "__main__":
    main(sys.argv[1:])
