"""E5: a list of SuiteSparse matrices, from the results of a batch."""

import glob
import json
import os
import re
import subprocess
import sys
import tempfile

from common import Lacking, NoBench, built, fail, not_slower, print_table, ratio, show, verdict

# The stand-in, of the expanded matrix; stored entries (Table 4.3); on an A100 the pair of products of GCSB
# over that of CSR, and GCSB's bytes over CSR's: the text has both only where GCSB is ahead.
E5_REPORTED = {
    "msc00726": ("gen:blockband?n=726&block=6&density=0.0655", "17.62K", None, None),
    "spaceStation_4": ("gen:diagonal?n=950&band=15", "7.1K", None, None),
    "CAG_mat1916": ("gen:uniform?n=1916&density=0.0534", "195.99K", None, None),
    "heart2": ("gen:diagonal?n=2339&band=301", "682.80K", None, None),
    "psmigr_3": ("gen:uniform?n=3140&density=0.0551", "543.16K", None, None),
    "raefsky6": ("gen:blockband?n=3402&block=6&density=0.0119", "137.85K", None, None),
    "heart1": ("gen:diagonal?n=3557&band=401", "1,387.77K", None, None),
    "exdata_1": ("gen:blockband?n=6001&block=353&density=0.063", "1,137.75K", None, None),
    "TSC_OPF_1047": ("gen:blockband?n=8140&block=20&density=0.0304", "1,012.52K", None, None),
    "nemeth26": ("gen:diagonal?n=9506&band=159", "760.63K", None, None),
    "sme3Da": ("gen:uniform?n=12504&density=0.0056", "874.89K", 1.08, 1.09),
    "appu": ("gen:uniform?n=14000&density=0.00945", "1,853.10K", 1.41, 1.05),
    "human_gene2": ("gen:powerlaw?n=14340&mean=1260&exponent=1.5&max=7228", "9,041.36K", 1.41, 1.01),
    "olafu": ("gen:blockband?n=16146&block=6&density=0.0039", "515.65K", None, None),
    "nd6k": ("gen:blockband?n=18000&block=6&density=0.0213", "3,457.66K", None, None),
    "human_gene1": ("gen:powerlaw?n=22283&mean=1107&exponent=1.5&max=7939", "12,345.96K", 2.10, 1.02),
    "nd12k": ("gen:blockband?n=36000&block=6&density=0.011", "7,128.47K", None, None),
    "mouse_gene": ("gen:powerlaw?n=45101&mean=642&exponent=1.5&max=8031", "14,506.20K", 2.75, 1.07),
}
E5_BLOCKS = {"beta": 32, "group_size": 32}
E5_SCHEMA = "sparsmith.batch/1"


def known_as(source):
    """A file's name without folders and endings; a generator's text with its parameters in order."""
    if source.startswith("gen:"):
        kind, _, parameters = source.partition("?")
        return f"{kind}?{'&'.join(sorted(parameters.split('&')))}"
    return os.path.basename(source).split(".")[0].removesuffix("_mm")


class Batch:
    """What a folder of spbatch has on the wanted matrices, from the files of all shards."""

    def __init__(self, folder, wanted):
        self.problems, newest, wanted = [], {}, set(wanted)
        files = sorted(glob.glob(os.path.join(glob.escape(folder), "results*.jsonl")))
        if not files:
            fail(f"{folder}: {'no results*.jsonl in it' if os.path.isdir(folder) else 'no such folder'}")
        for path in files:
            for race in self.races(path):
                before = newest.get(race.key)
                if known_as(race.source) in wanted and (before is None or race.started >= before.started):
                    newest[race.key] = race
        # Of one matrix there may be lines with other options: the nearest to the document counts.
        ordered = sorted(newest.values(), key=lambda race: (race.fitness, race.started))
        self.by_name = {known_as(race.source): race for race in ordered}
        devices = {race.device for race in self.by_name.values() if race.measured}
        self.device = ", ".join(sorted(devices)) or "nothing"

    def races(self, path):
        try:
            with open(path, encoding="utf-8", errors="replace", newline="\n") as file:
                for number, text in enumerate(file, 1):
                    try:
                        race = Race(json.loads(text))
                    except (ValueError, KeyError, TypeError, AttributeError):
                        # A line without an end is being written, or its writer was interrupted.
                        if text.endswith("\n"):
                            self.problems.append(f"{path}, line {number}: no result of {E5_SCHEMA}")
                        continue
                    yield race
        except OSError as problem:
            fail(f"{path}: {problem.strerror}")

    def race(self, source):
        """What was measured on it, or None; that it failed is a problem."""
        race = self.by_name.get(known_as(source))
        if race is None or race.measured:
            return race
        self.problems.append(f"not measured: {race.source}: {race.failure}")
        return None


class Race:
    """A line of a batch: warm microseconds of our kernels, on A as it is stored, without a second copy."""

    def __init__(self, line):
        if line["schema"] != E5_SCHEMA:
            raise ValueError(line["schema"])
        self.key, self.started, self.source = line["key"], str(line["started"]), line["source"]["path"]
        if line["source"]["kind"] == "generator" and not self.source.startswith("gen:"):
            self.source = "gen:" + self.source
        self.failure = (line["failure"] or {}).get("message") or "the batch timed nothing on it"
        told = line["recommendation"]
        self.measured, self.fitness = bool(told) and not told["predicted"], (False, False, False)
        if not self.measured:
            return
        # Before sparsmith.recommend/2 a variant was a candidate.
        old = "candidates" in told
        self.device, self.variants = told["machine"]["device"], told["candidates" if old else "variants"]
        self.entries, self.wide_values = told["matrix"]["entries"], told["matrix"]["value_bits"] == 64
        self.fitness = (True, not self.wide_values, told["request"]["regime"] == "warm")
        self.times = {}  # of a variant's place and a product: by kernel
        for one in told["contestants"]:
            us = (one["warm"] or {}).get("median_us")
            if us and not one["vendor"] and one["result"] != "wrong":
                self.times.setdefault((one["candidate" if old else "variant"], one["operation"]), {})[one["kernel"]] = us

    def pair(self, place, kernel=None):
        """Of a variant both products, with one kernel or each with its fastest; None if one is missing."""
        both = [self.times.get((place, operation), {}) for operation in ("ax", "atx")]
        both = [times.get(kernel) if kernel else min(times.values(), default=None) for times in both]
        return None if None in both else sum(both)

    def places(self, *formats, **parameters):
        """The variants of these formats that have these parameters."""
        def fits(one):
            has = one["parameters"] or {}
            return one["format"] in formats and not one["of_transpose"] and all(
                has.get(name) == value for name, value in parameters.items())
        return [place for place, one in enumerate(self.variants) if fits(one)]

    def fastest(self, *formats):
        """(variant's place, both products), or (None, None)."""
        timed = [(place, self.pair(place)) for place in self.places(*formats)]
        timed = [one for one in timed if one[1] is not None]
        return min(timed, key=lambda one: one[1], default=(None, None))

    def memory(self, places):
        """Bytes against CSR of the fastest of these, or of the first."""
        timed = [place for place in places if self.pair(place) is not None]
        place = min(timed, key=self.pair) if timed else next(iter(places), None)
        return None if place is None else self.variants[place]["times_csr"]


def run_spbatch(options, matrices, folder):
    """What it said last where it ended with an error, or None; what it did is in the folder."""
    path = options.spbatch or built("tools", "spbatch")
    if path is None:
        raise Lacking("E5 needs spbatch: none in build/; --spbatch names it, --batch its results")
    device = [] if options.device == "auto" else ["--device", options.device]
    command = [path, *matrices, "--out", folder, "--recommend", "--mix", "1:1", "--caches", "warm",
               "--value", "f32", *device]
    # On a terminal its progress is for people.
    said = None if sys.stderr.isatty() else subprocess.PIPE
    try:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=said, text=True, check=False)
    except OSError as problem:
        fail(f"{path}: {problem.strerror}")
    if done.returncode == 0:
        return None
    return ((done.stderr or "").strip().splitlines() or [f"exit status {done.returncode}"])[-1]


def gather_batch(options, chosen):
    """The results on the chosen sources: of the folder of --batch, or of a run of spbatch."""
    if options.batch:
        return Batch(options.batch, map(known_as, chosen))
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.out or temporary
        said = run_spbatch(options, chosen, folder)
        if said and not glob.glob(os.path.join(glob.escape(folder), "results*.jsonl")):
            fail(f"spbatch: {said}")
        batch = Batch(folder, map(known_as, chosen))
    missing = [source for source in chosen if known_as(source) not in batch.by_name]
    batch.problems += [f"not measured: {source}: no result{f'; spbatch: {said}' if said else ''}"
                       for source in missing]
    return batch


def sources_of(options):
    """(the document's name, or the file's; what it may be measured on, the best first)."""
    files = {known_as(path): path for path in options.matrix or []}
    sources = {}
    for name, (stand_in, *_) in E5_REPORTED.items():
        if name in files:
            sources[name] = [files.pop(name)]
        elif options.batch:
            sources[name] = [name, stand_in]
        elif not options.quick or int(re.search(r"\bn=(\d+)", stand_in)[1]) < 10000:
            sources[name] = [stand_in]
    return {**sources, **{name: [path] for name, path in files.items()}}


def thesis_figures(race, bench):
    """The pair of csr/thread over that of gcsb/lane with blocks of 32, who timed both, and what these blocks take over
    CSR; None each that is not known. A race has left gcsb/lane out since kernels that never win are history."""
    memory = race.memory(race.places("gcsb", **E5_BLOCKS))
    lane = next((race.pair(place, "gcsb/lane") for place in race.places("gcsb", **E5_BLOCKS)), None)
    thread = next((race.pair(place, "csr/thread") for place in race.places("csr")), None)
    if lane and thread:
        return thread / lane, "race", memory
    at_hand = race.source.startswith("gen:") or os.path.exists(race.source)
    if isinstance(bench, NoBench) or not at_hand:
        return None, None, memory
    again = bench.run(race.source, ["csr/thread", "gcsb/lane"], "--value", "f32", "--beta", "32")
    speed = ratio(again.pair("csr/thread"), again.pair("gcsb/lane"))
    return speed, speed and "sprecommend", memory or again.memory("gcsb")


def e5(bench, options):
    sources = sources_of(options)
    batch = gather_batch(options, [source for choice in sources.values() for source in choice])
    rows, ahead, behind, wide = [], [], [], []
    for name, choice in sources.items():
        race = next(filter(None, map(batch.race, choice)), None)
        stand_in, stored, speed_reported, memory_reported = E5_REPORTED.get(name, [None] * 4)
        if race is None:
            rows.append([name, None, stored, None, speed_reported, *[None] * 4, memory_reported, None, None])
            continue
        is_file = not race.source.startswith("gen:")
        replaced = not is_file and stand_in is not None
        if options.quick and replaced:
            stored = speed_reported = memory_reported = None
        speed, timed_by, memory = thesis_figures(race, bench)
        best, best_us = race.fastest("gcsb", "gcsb_tile")
        _, csr_us = race.fastest("csr")
        rows.append([name, "stand-in" if replaced else "file" if is_file else "generator", stored,
                     f"{race.entries / 1000:,.2f}K", speed_reported, speed, timed_by, ratio(csr_us, best_us),
                     None if best is None else race.variants[best]["label"], memory_reported,
                     memory, race.memory(race.places("gcsb_tile"))])
        if race.wide_values:
            wide.append(name)
        if speed and name in E5_REPORTED:
            figures = f"{name}{' (stand-in)' if replaced else ''} {show(speed)} x"
            if E5_REPORTED[name][2]:
                ahead.append((speed > 1, figures))
            else:
                behind.append((not_slower(speed, 1), figures))
    header = ["matrix", "measured on", "entries rep.", "entries", "lane/thread rep.", "lane/thread",
              "timed by", "best/best", "best GCSB", "GCSB bytes rep.", "GCSB bytes", "tile bytes"]
    values = "" if wide else "32-bit values, "
    title = f"E5: SuiteSparse, {values}pairs of products over those of CSR, bytes against CSR's"
    print_table(title, "an A100", batch, options, header, rows)
    bench_device = f" on {bench.device}" if any(row[6] == "sprecommend" for row in rows) else ""
    print("lane/thread: the document's comparison, gcsb/lane with blocks of 32 over csr/thread; both timed\n"
          f"  by the race of the batch, or where that left one out both by sprecommend{bench_device}\n"
          "best/best: the fastest of GCSB (gcsb, gcsb_tile) over the fastest of ours in CSR, by the race\n"
          "GCSB bytes: blocks of 32; with 16-bit indices and no empty blocks they are not the document's")
    if any(row[2] for row in rows):
        print("entries rep.: of symmetric matrices the document counts the stored half")
    if wide:
        print(f"64-bit values in the race, where the document has 32: {', '.join(wide)}")
    winners = [name for name, reported in E5_REPORTED.items() if reported[2]]
    verdict(options, f"gcsb/lane beats the naive CSR pair on {', '.join(winners)}", ahead)
    verdict(options, "gcsb/lane does not beat it on the others", behind)
    bench.problems += batch.problems
