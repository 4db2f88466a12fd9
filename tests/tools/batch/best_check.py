"""Whether from the same results all name the same best: best_check.py SPBATCH SPRECOMMEND RESULTS.jsonl.xz

The report of a batch works out the winners from the results in its lines. Here they are compared with what was said
where the results were made: by the workers that raced 21 matrices; by sprecommend --exhaustive, which is the benchmark; by
sprecommend, which predicts the same as spbatch does; and by the version that wrote the lines of RESULTS, on another machine. Prints what differs and exits with 1.
"""

import csv
import json
import lzma
import os
import pathlib
import subprocess
import sys
import tempfile

DATA = pathlib.Path(__file__).resolve().parents[2] / "data"
MATRICES = ["gen:laplace2d?n=20", "gen:laplace2d?n=60", "gen:laplace3d?n=12", "gen:uniform?n=300&density=0.02",
            "gen:uniform?n=1000&density=0.005", "gen:diagonal?n=500&band=5", "gen:diagonal?n=3000&band=1",
            "gen:powerlaw?n=500", "gen:powerlaw?n=3000", "gen:denserow?n=400", "gen:denserow?n=2000",
            "gen:rmat?scale=8", "gen:rmat?scale=11", "gen:blockband?n=500", "gen:blockband?n=2000", "gen:ideal?n=512",
            "gen:ideal?n=2048", "gen:uniform?n=64&density=0.5", "gen:rmat?scale=7&seed=3", "gen:powerlaw?n=2000&seed=9",
            str(DATA / "bridge.mtx")]

problems = []


def check(fine, text):
    if not fine:
        problems.append(text)
        print(f"FAILED: {text}", flush=True)


def run(command, cache):
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache), "OMP_NUM_THREADS": "2"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=240)
    check(done.returncode == 0, f"{command[0]} ended with {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def told(verdict):
    """The winner in the words of results.csv."""
    if verdict is None:
        return "", ""
    kernels = dict.fromkeys(kernel for kernel in verdict["kernels"].values() if kernel is not None)
    return " + ".join(verdict["copies"]), " + ".join(kernels)


def reported(folder):
    with open(folder / "results.csv", newline="") as file:
        return {row["key"]: row for row in csv.DictReader(file)}


def lines_of(folder):
    with open(folder / "results.jsonl", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def compare_with_lines(folder, least, same_version=True):
    """The report against what was said when the lines were written. An older version settled ties by bytes: what is best
    now was then best or tied with it."""
    rows, count = reported(folder), 0
    for line in lines_of(folder):
        recommendation, row = line["recommendation"], rows.get(line["key"])
        if recommendation is None or row is None:
            check(recommendation is None, f"{line['name']} is not in the report")
            continue
        count += 1
        verdict = recommendation["verdict"]
        said = [verdict] if same_version or verdict is None else [verdict, verdict["fastest"], *verdict["ties"]]
        check((row["winner"], row["winner_kernels"]) in map(told, said),
              f"{line['name']}: {told(verdict)} was said to be best, the report says {row['winner']} "
              f"{row['winner_kernels']}")
        if verdict is None or not same_version:
            continue
        for figure, of in (("winner_us", verdict["us"]), ("margin", verdict["margin"]),
                           ("repaid_after", verdict["repaid_after"]["mix"])):
            same = abs(float(row[figure]) - of) <= 1e-5 * of if of is not None else row[figure] in ("", "never")
            check(same, f"{line['name']}: {figure} was {of} and is {row[figure]}")
        check(row["reason"] == verdict["reason"], f"{line['name']}: the reason is {row['reason']}")
        others = {"stay": verdict["stay"], "vendor": verdict["vendor"]["one_copy"],
                  "vendor_csr": verdict["vendor"]["csr"], "vendor_two_copies": verdict["vendor"]["two_copies"]}
        for column, way in others.items():
            check(told(way) == (row[column], row[column + "_kernels"]),
                  f"{line['name']}: {column} was {told(way)} and is {row[column]} {row[column + '_kernels']}")
    check(count >= least, f"{folder}: {count} recommendations, {least} expected")


def check_races(spbatch, folder, cache):
    run([spbatch, *MATRICES, "--budget", "0.2", "--quiet", "--out", str(folder)], cache)
    compare_with_lines(folder, len(MATRICES))


def check_exhaustive(spbatch, sprecommend, template, folder, cache):
    """What the benchmark measured, as lines of a batch."""
    documents = json.loads(run([sprecommend, *MATRICES, "--exhaustive", "--samples", "1", "--formats", "csr,coo,sell,bsr",
                                "--json", "--quiet"], cache))["matrices"]
    folder.mkdir()
    with open(folder / "results.jsonl", "w", encoding="utf-8") as file:
        for place, document in enumerate(documents):
            name = document["matrix"]["name"]
            line = {**template, "key": f"{place:032x}", "name": name, "source": {**template["source"], "path": name},
                    "recommendation": document}
            file.write(json.dumps(line) + "\n")
    run([spbatch, "--report", "--quiet", "--out", str(folder)], cache)
    compare_with_lines(folder, len(MATRICES))


def check_predictions(spbatch, sprecommend, folder, cache):
    run([spbatch, *MATRICES, "--predict", "--quiet", "--out", str(folder)], cache)
    compare_with_lines(folder, len(MATRICES))
    rows = {row["source"]: row for row in reported(folder).values()}
    documents = json.loads(run([sprecommend, *MATRICES, "--predict", "--json", "--quiet"], cache))
    check(len(documents) == len(MATRICES), f"sprecommend told of {len(documents)} matrices")
    # Rates that were measured on a busy machine are measured again by the next tool, and predictions follow them.
    if any(document["noisy"] for document in documents) or any(line["noisy"] for line in lines_of(folder)):
        print("the machine was busy: predictions of both tools were not compared")
        return
    for document in documents:
        name = document["matrix"]["name"]
        row = rows[name]
        check(told(document["verdict"]) == (row["winner"], row["winner_kernels"]),
              f"{name}: {told(document['verdict'])} is best for sprecommend, the report says {row['winner']} "
              f"{row['winner_kernels']}")


def check_older(spbatch, results, folder, cache):
    folder.mkdir()
    (folder / "results.jsonl").write_bytes(lzma.open(results).read())
    run([spbatch, "--report", "--quiet", "--out", str(folder)], cache)
    compare_with_lines(folder, 100, same_version=False)


def main():
    spbatch, sprecommend, results = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_races(spbatch, folder / "raced", folder / "cache")
        template = lines_of(folder / "raced")[0]
        check_exhaustive(spbatch, sprecommend, template, folder / "exhaustive", folder / "cache")
        check_predictions(spbatch, sprecommend, folder / "predicted", folder / "cache")
        check_older(spbatch, results, folder / "older", folder / "cache")
    print(f"{len(problems)} problems" if problems else "the same best everywhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
