"""A collection: `spbatch`, which comes with the package, runs each matrix in a process of its own."""

from __future__ import annotations

import csv
import dataclasses
import json
import os
import pathlib
import signal
import subprocess
import tempfile
from typing import Any, Iterable, Optional, Sequence, Union

from .errors import Error, InputError
from .matrix import Matrix
from .results import framed

SPBATCH = pathlib.Path(__file__).parent / "bin" / "spbatch"


@dataclasses.dataclass(frozen=True)
class Profile:
    """What `profile` found: the report of `spbatch`, for people, as rows and as one document."""

    folder: pathlib.Path  # results.jsonl, results.csv, contestants.csv and report.html
    summary: dict  # of all matrices: winners, profiles, speed-ups, failures, ...
    _text: str = dataclasses.field(repr=False, compare=False)
    _kept: Any = dataclasses.field(repr=False, compare=False)  # the folder goes with it, where nobody named one

    def to_rows(self) -> list[dict[str, Any]]:
        """A dictionary a matrix, in the order of their names: results.csv, as rows of pandas.DataFrame."""
        with open(self.folder / "results.csv", encoding="utf-8", newline="") as file:
            names, *lines = csv.reader(file)
        columns = [_typed(name, column) for name, column in zip(names, zip(*lines))]
        return [dict(zip(names, row)) for row in zip(*columns)]

    def to_dict(self) -> dict[str, Any]:
        return self.summary

    def __len__(self):
        return self.summary["matrices"]

    def __str__(self):
        return self._text

    def _repr_html_(self):
        return framed((self.folder / "report.html").read_text(encoding="utf-8"))


def profile(
    matrices: Union[str, bytes, os.PathLike, Iterable[Any]],
    out: Union[None, str, os.PathLike] = None,
    mix: Union[str, Sequence[float]] = (1, 1),
    budget: float = 0,
    timeout: float = 900,
    memory: int = 0,
    jobs: int = 0,
    device: Optional[str] = None,
    warm: bool = False,
    predict: bool = False,
    retry_failed: bool = False,
    retry_noisy: bool = False,
    progress: bool = False,
) -> Profile:
    """Analyses and races many matrices, each in a process of its own: what crashes or hangs costs that one alone.

    matrices: folders, files, patterns and generators, and whatever `Matrix` takes, which goes through a file. out: the
    folder of results, where a run that was ended goes on; without it they go with the Profile. mix: how many products
    with A and with A^T, or "both" or "normal". timeout, memory: seconds and bytes of each matrix. progress: what is
    being done, on standard error. The rest is as with `recommend`, or as with `spbatch` (docs/spbatch.md).
    """
    given = [matrices] if isinstance(matrices, (str, bytes, os.PathLike)) else list(matrices)
    kept = None
    if out is None:
        kept = tempfile.TemporaryDirectory(prefix="sparsmith-")
        out = os.path.join(kept.name, "results")
    folder = pathlib.Path(out)
    with tempfile.TemporaryDirectory(prefix="sparsmith-") as lent:
        names = [_named(one, i, lent) for i, one in enumerate(given, 1)]
        flags = [f"--mix={mix if isinstance(mix, str) else ':'.join(map(str, mix))}", f"--timeout={timeout}"]
        for flag, value in (("budget", budget), ("jobs", jobs), ("device", device), ("memory", memory)):
            if value:
                flags.append(f"--{flag}={value}")
        flags += ["--caches=warm"] * bool(warm) + ["--predict"] * bool(predict)
        flags += ["--retry-failed"] * bool(retry_failed) + ["--retry-noisy"] * bool(retry_noisy)
        # A failed matrix is part of what was found; a run without a report is not.
        text = _told_by([*flags, f"--out={folder}", "--", *names], progress)
    document = json.loads(_told_by(["--report", "--json", f"--out={folder}"], False))
    return Profile(folder, document["summary"], text, kept)


def _named(one, number, folder):
    """What `spbatch` finds it by."""
    if isinstance(one, (str, bytes, os.PathLike)):
        return os.fsdecode(one)
    path = os.path.join(folder, f"matrix-{number}.h5")
    Matrix(one)._held.write(os.fsencode(path))
    return path


def _told_by(words, progress):
    # In a session of its own: Ctrl-C is handed on once, whoever else the terminal tells.
    with subprocess.Popen([SPBATCH, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True,
                          stderr=None if progress else subprocess.PIPE, text=True, errors="replace") as process:  # fmt: skip
        try:
            told, complained = process.communicate()
        except BaseException:
            process.send_signal(signal.SIGINT)
            raise
    if told and process.returncode in (0, 1):
        return told
    why = (complained or "spbatch failed").strip().splitlines()[-1].removeprefix("spbatch: ")
    raise (InputError if process.returncode == 2 else Error)(why)


def _typed(name, column):
    """Numbers where all of a column are; None where there is nothing. Names may look like numbers and are none."""
    if name not in ("matrix", "key", "source", "message"):
        for kind in (int, float):
            try:
                return [None if text == "" else kind(text) for text in column]
            except ValueError:
                pass
    return [None if text == "" else text for text in column]
