"""spbatch killed with SIGKILL at random moments: kill_check.py SPBATCH [--alone 900] [--shared 100] [options, see --help]

Alone: one spbatch on a folder is killed and started again, until it has had its kills; where it is done before, with
another folder. Shared: three at a time on one folder, of which two add to one file and the third is a shard; each kill
takes one of them and leaves the others to go on. After every kill all that stands in the files is whole lines, each
that stood there before, and at most one torn end a file; after every folder one more run completes it, and its results
are those of a run that nobody disturbed, none twice. Prints what failed and exits with 1.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import batch_check  # noqa: E402
from batch_check import Batch, check, check_same, check_schema, lines_in, problems  # noqa: E402

MATRICES = 12
SHARES_FROM = 50  # kills: of a few, any share may by chance come too late or too early


def collection(place, rng):
    """Small ones: what is killed is the writing, not the reading. One fails, two are the same."""
    folder = pathlib.Path(place, "matrices")
    folder.mkdir()
    for i in range(MATRICES - 3):
        (folder / f"m{i}.mtx").write_text(batch_check.random_matrix(rng, ("real", "pattern", "symmetric")[i % 3]))
    for name in ("copy.mtx", "zcopy.mtx"):
        (folder / name).write_text(batch_check.BANNER + "1 1 1\n1 1 7\n")
    (folder / "broken.mtx").write_text(batch_check.BANNER + "9 9 40\n1 1 1\n2 2")
    return str(folder)


def whole_lines(folder):
    """The whole lines of each file, and how many files have a torn end."""
    found, torn = {}, 0
    for path in sorted(pathlib.Path(folder).glob("results*.jsonl")):
        *lines, rest = path.read_bytes().split(b"\n")
        found[path.name] = lines
        torn += bool(rest)
    return found, torn


def with_one_name_of_copies(lines):
    """Copies stand for each other, whoever was first."""
    return [dict(line, name="copy.mtx", source=None, analysis=None) if line["name"].endswith("copy.mtx") else line
            for line in lines]


class Watch:
    """What stood in a folder after the last kill has to stand there after the next."""

    def __init__(self, folder):
        self.folder, self.before, self.torn, self.new = folder, {}, 0, 0

    def look(self, when):
        found, torn = whole_lines(self.folder)
        self.torn += torn
        keys = []
        for name, lines in found.items():
            before = self.before.get(name, [])
            check(lines[:len(before)] == before, f"{when}: lines of {name} are gone or changed")
            for line in lines:
                try:
                    keys.append(json.loads(line)["key"])
                except ValueError:
                    check(False, f"{when}: {name} has a line that is none: {line[:80]!r}")
        check(set(self.before) <= set(found), f"{when}: a file is gone")
        check(len(keys) == len(set(keys)), f"{when}: a matrix was done twice")
        self.new += len(keys) > sum(map(len, self.before.values()))
        self.before = found
        return len(keys)


def check_completed(batch, matrices, folder, undisturbed, when):
    status, _, err = batch.run([matrices, "--analyze", "--quiet"], folder)
    check(status == 1, f"{when}: the last run ended with {status}: {err[-300:]}")
    lines = lines_in(folder)
    check_schema(lines, when)
    check_same(with_one_name_of_copies(lines), undisturbed, when)
    batch.gone_within(2, when)


def alone(batch, matrices, place, undisturbed, kills, seconds, rng):
    done = folders = new = torn = in_time = 0
    while done < kills:
        folders += 1
        watch = Watch(os.path.join(place, f"alone_{folders}"))
        # Till it is complete, or as often as there are matrices.
        for _ in range(min(MATRICES, kills - done)):
            process = batch.start([matrices, "--analyze", "--quiet", "--jobs", str(rng.randint(1, 3))], watch.folder,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                process.wait(timeout=rng.uniform(0, seconds))
            except subprocess.TimeoutExpired:
                in_time += 1
            process.kill()
            process.wait()
            done += 1
            if watch.look(f"alone, kill {done}") == len(undisturbed):
                break
        new += watch.new
        torn += watch.torn
        check_completed(batch, matrices, watch.folder, undisturbed, f"alone, folder {folders}")
    check(kills < SHARES_FROM or (in_time >= kills // 2 and new > 0),
          f"alone: only {in_time} of {kills} kills came before the end, {new} after new lines")
    print(f"alone: {done} kills over {folders} folders, {in_time} in the middle of it, {new} after new lines, {torn} torn",
          flush=True)


def shared(batch, matrices, place, undisturbed, kills, seconds, rng):
    kinds = [[], [], ["--shard", "1/2"]]
    done = folders = new = torn = in_time = 0
    while done < kills:
        folders += 1
        watch = Watch(os.path.join(place, f"shared_{folders}"))

        def start(kind):
            return batch.start([matrices, "--analyze", "--quiet", "--jobs", "1", *kinds[kind]], watch.folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        running = [start(kind) for kind in range(len(kinds))]
        try:
            for _ in range(min(MATRICES, kills - done)):
                time.sleep(rng.uniform(0, seconds))
                victim = rng.randrange(len(kinds))
                in_time += running[victim].poll() is None
                running[victim].kill()
                running[victim].wait()
                done += 1
                # Others write while this looks: what is torn may only be unfinished.
                if watch.look(f"shared, kill {done}") == len(undisturbed):
                    break
                running[victim] = start(victim)
            for process in running:
                process.wait(timeout=120)
        finally:
            # Where one hangs none is left behind, and the folder can be removed.
            for process in running:
                process.kill()
                process.wait()
        new += watch.new
        torn += watch.torn
        check_completed(batch, matrices, watch.folder, undisturbed, f"shared, folder {folders}")
    check(kills < SHARES_FROM or (in_time >= kills // 3 and new > 0),
          f"shared: only {in_time} of {kills} kills came before the end, {new} after new lines")
    print(f"shared: {done} kills over {folders} folders, {in_time} in the middle of it, {new} after new lines, {torn} "
          "torn, or being written", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spbatch")
    parser.add_argument("--alone", type=int, default=900, help="kills of one that is alone on its folder")
    parser.add_argument("--shared", type=int, default=100, help="kills while three share a folder")
    parser.add_argument("--seed", type=int, default=None)
    arguments = parser.parse_args()
    seed = arguments.seed if arguments.seed is not None else random.SystemRandom().randrange(1 << 31)
    print(f"seed {seed}", flush=True)
    rng = random.Random(seed)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kill_check_") as place:
        matrices = collection(place, rng)
        batch = Batch(arguments.spbatch, place, 60)
        folder = os.path.join(place, "undisturbed")
        status, _, err = batch.run([matrices, "--analyze", "--quiet", "--jobs", "1"], folder)
        check(status == 1, f"undisturbed: ended with {status}: {err}")
        started = time.monotonic()
        batch.run([matrices, "--analyze", "--quiet", "--jobs", "1"], os.path.join(place, "timed"))
        seconds = time.monotonic() - started
        undisturbed = with_one_name_of_copies(lines_in(folder))
        check(len(undisturbed) == MATRICES - 1, f"undisturbed: {len(undisturbed)} lines")
        if arguments.alone:
            alone(batch, matrices, place, undisturbed, arguments.alone, seconds / 2, rng)
        if arguments.shared:
            shared(batch, matrices, place, undisturbed, arguments.shared, seconds / 4, rng)
    print(f"{time.monotonic() - begin:.0f} s in all, seed {seed}: {len(problems)} problems")
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
