#!/usr/bin/env python3
"""Whether spconv, killed at any moment, leaves the old file or the new one: kill_check.py SPCONV [--kills N] [--seed S]

Runs spconv over an output that is there, into each container in turn, and kills it (SIGKILL) at a random moment of the
time such a run takes. Afterwards the output is what it was, or what a run that nobody kills writes, byte for byte; what
else lies there are files named after it with .partial-, which a next run does not trip over. Prints how many kills came
before, and how many after the new file was in place. Exits with 1 where something was lost.
"""
import argparse
import collections
import pathlib
import random
import subprocess
import sys
import tempfile
import time

CONTAINERS = {"mtx": "coo", "mtx.gz": "coo", "npz": "csr", "bsp.h5": "csr", "h5": "gcsb"}


def command(spconv, matrix, output, kind):
    to = "mtx" if kind.startswith("mtx") else CONTAINERS[kind]
    return [spconv, matrix, "--to", to, "-o", str(output), "--max-fill", "1000", "--quiet"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("spconv")
    parser.add_argument("--kills", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    print(f"seed {options.seed}")
    problems, seen = [], collections.Counter()
    with tempfile.TemporaryDirectory(prefix="kills-") as folder:
        root = pathlib.Path(folder)
        matrix = str(root / "in.mtx")
        # Large enough that a file is written in several portions, small enough for thousands of runs.
        subprocess.run([options.spconv, "gen:uniform?n=2000&density=0.01", "-o", matrix, "--quiet"], check=True)
        files = {}
        for kind in CONTAINERS:
            old, new, work = root / f"old.{kind}", root / f"new.{kind}", root / kind.replace(".", "_")
            subprocess.run([options.spconv, "gen:laplace2d?n=20", "-o", str(old), "--quiet"], check=True)
            took = []
            for _ in range(3):
                began = time.monotonic()
                subprocess.run(command(options.spconv, matrix, new, kind), check=True)
                took.append(time.monotonic() - began)
            work.mkdir()
            files[kind] = old.read_bytes(), new.read_bytes(), work, sorted(took)[1]
        for i in range(options.kills):
            kind = list(CONTAINERS)[i % len(CONTAINERS)]
            old, new, work, took = files[kind]
            output = work / f"out.{kind}"
            output.write_bytes(old)
            process = subprocess.Popen(command(options.spconv, matrix, output, kind), stdout=subprocess.DEVNULL,
                                       stderr=subprocess.PIPE)
            time.sleep(rng.uniform(0, 1.1 * took))
            process.kill()
            said = process.communicate()[1].decode()
            content = output.read_bytes() if output.exists() else None
            strays = [entry.name for entry in work.iterdir() if entry != output]
            seen["ended before"] += process.returncode == 0
            seen["old" if content == old else "new" if content == new else "lost"] += 1
            seen["with a partial file"] += len(strays) > 0
            if content not in (old, new):
                problems.append(f"kill {i}, {kind}: {'no file' if content is None else f'{len(content)} bytes of neither'}")
            if process.returncode not in (0, -9):
                problems.append(f"kill {i}, {kind}: ended with {process.returncode}: {said}")
            for name in strays:
                if not name.startswith(output.name + ".partial-"):
                    problems.append(f"kill {i}, {kind}: leaves {name}")
            # Whatever a killed run left, the next completes.
            if strays:
                again = subprocess.run(command(options.spconv, matrix, output, kind), capture_output=True, text=True)
                if again.returncode != 0 or output.read_bytes() != new:
                    problems.append(f"kill {i}, {kind}: the next run fails: {again.stderr}")
                left = [entry.name for entry in work.iterdir() if entry != output]
                if left:
                    problems.append(f"kill {i}, {kind}: the next run leaves {left} lying there")
                    for name in left:
                        (work / name).unlink()
    print(f"{options.kills} kills: " + ", ".join(f"{count} {what}" for what, count in sorted(seen.items())))
    # The time after the rename is short: few kills may all miss it.
    if (options.kills >= 20 and not seen["old"]) or (options.kills >= 200 and not seen["new"]):
        problems.append("no kill came before, or none after the new file was in place: the moments are badly chosen")
    for problem in problems[:20]:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
