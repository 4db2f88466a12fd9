"""A collection through spbatch, and figures as rows."""

import os
import signal
import subprocess
import sys
import time

import conftest
import pytest
import sparsmith


def test_profile(tmp_path, square):
    sparsmith.write(conftest.BATTERY["banded"], tmp_path / "banded.mtx")
    (tmp_path / "spoiled.mtx").write_text("nothing of the kind")
    out = tmp_path / "results"
    given = [square, tmp_path / "banded.mtx", str(tmp_path / "spoiled.mtx"), "gen:laplace2d?n=20"]
    found = sparsmith.profile(given, out=out, device="cpu", predict=True, jobs=2)
    assert len(found) == 4 and found.folder == out
    rows = {os.path.basename(row["matrix"]): row for row in found.to_rows()}
    assert rows["matrix-1.h5"]["entries"] == square.nnz and rows["gen:laplace2d?n=20"]["rows"] == 400
    assert rows["spoiled.mtx"]["result"] == "failed" and "not a Matrix Market file" in rows["spoiled.mtx"]["message"]
    assert rows["spoiled.mtx"]["entries"] is None
    assert rows["banded.mtx"]["winner_format"] == sparsmith.predict(tmp_path / "banded.mtx").format
    assert "4 matrices" in str(found) and found._repr_html_().startswith("<iframe")
    assert found.to_dict()["failed"] == 1
    before = (out / "results.jsonl").read_text()
    again = sparsmith.profile(given[1:3], out=out, device="cpu", predict=True)
    assert (out / "results.jsonl").read_text() == before and "had results before" in str(again)


def test_profile_without_a_folder(square):
    found = sparsmith.profile([square], device="cpu", mix="both", budget=5, memory=2**32, timeout=100)
    folder = found.folder
    assert found.to_rows()[0]["winner_us"] > 0 and folder.is_dir()
    del found
    assert not folder.exists()


def test_profile_refused(tmp_path):
    with pytest.raises(sparsmith.Error, match="no matrices found"):
        sparsmith.profile(tmp_path)
    with pytest.raises(sparsmith.InputError, match="mix") as refused:
        sparsmith.profile("gen:ideal", mix="neither")
    assert "\n" not in str(refused.value)
    with pytest.raises(TypeError, match="expected a sparse array"):
        sparsmith.profile([3])


def test_ctrl_c_ends_a_profile(tmp_path):
    program = "import sparsmith, sys; sparsmith.profile('gen:rmat?scale=14', out=sys.argv[1], device='cpu', budget=200)"
    environment = dict(os.environ, PYTHONPATH=os.path.dirname(os.path.dirname(sparsmith.__file__)))
    with subprocess.Popen([sys.executable, "-c", program, tmp_path / "results"], stderr=subprocess.PIPE, env=environment) as process:
        while not (tmp_path / "results").exists():
            time.sleep(0.05)
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        _, complained = process.communicate(timeout=60)
    assert b"KeyboardInterrupt" in complained and process.returncode != 0


def test_rows(square):
    row = sparsmith.features(square).to_row()
    assert row["rows"] == 100 and row["row_lengths.max"] > 0
    assert not any(isinstance(value, (dict, list, tuple)) for value in row.values())
    said = sparsmith.predict(square)
    assert said.to_row()["format"] == said.format and "reasons" not in said.to_row()
    assert [price["format"] for price in sparsmith.plan(square).to_rows()] == [price.format for price in sparsmith.plan(square)]
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([row, sparsmith.features(conftest.BATTERY["wide"]).to_row()])
    assert frame["cols"].tolist() == [100, 900]
