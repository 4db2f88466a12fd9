"""What importing does, what the stubs say, and the programs of docs/python.md."""

import ast
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest
import sparsmith

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(sparsmith.__file__).parent
PAGE = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
HERE = dict(os.environ, PYTHONPATH=str(PACKAGE.parent))  # wherever it is that is tested
EXAMPLES = dict(re.findall(r"<!-- example: (\w+) -->\n```python\n(.*?)```", PAGE, re.DOTALL))
(EXAMPLES["of_readme"],) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)


def test_import_brings_numpy_alone():
    told = subprocess.run(
        [sys.executable, "-c", "import sys, sparsmith; print(*sorted({name.split('.')[0] for name in sys.modules}))"],
        capture_output=True, text=True, check=True, env=HERE,
    ).stdout.split()  # fmt: skip
    assert "numpy" in told and not {"scipy", "cupy", "torch", "pandas"} & set(told)


def test_version_is_the_trees():
    (version,) = re.findall(r"project\(sparsmith VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert sparsmith.__version__ == version


def test_typed():
    assert (PACKAGE / "py.typed").exists()
    stub = ast.parse((PACKAGE / "_sparsmith.pyi").read_text())
    told = {}
    for node in stub.body:
        if isinstance(node, ast.ClassDef):
            told[node.name] = {one.name if isinstance(one, ast.FunctionDef) else one.target.id for one in node.body}
        elif isinstance(node, ast.FunctionDef):
            told[node.name] = None
    extension = sparsmith._sparsmith
    assert {name for name in vars(extension) if not name.startswith("_")} == set(told)
    for name, members in told.items():
        if members is not None:
            there = {member for member in vars(getattr(extension, name)) if not member.startswith("_")}
            assert there == members - {"__init__"}


def test_page_has_examples():
    assert len(EXAMPLES) - 1 == PAGE.count("<!-- example: ") == PAGE.count("```python\n") >= 5


@pytest.mark.parametrize("name", EXAMPLES)
def test_example(name, tmp_path):
    pytest.importorskip("scipy")
    if name == "torch":
        pytest.importorskip("torch", exc_type=ImportError)
    if name == "cupy" and not any(one.backend == "cuda" for one in sparsmith.kernels()):
        pytest.skip("this build is without CUDA")
    if name == "cupy":
        pytest.importorskip("cupy", exc_type=ImportError)
    ran = subprocess.run([sys.executable, "-c", EXAMPLES[name]], capture_output=True, text=True, cwd=tmp_path, timeout=300, env=HERE)
    assert ran.returncode == 0, ran.stderr
    for line, said in re.findall(r"print\((.*)\) +# (.*)", EXAMPLES[name]):
        if not said.startswith("what sp"):
            assert said in ran.stdout, line


def test_notebook(tmp_path):
    """Its cells, one after another; what IPython alone understands is not in them."""
    pytest.importorskip("scipy")
    notebook = json.loads((ROOT / "docs" / "least_squares.ipynb").read_text(encoding="utf-8"))
    cells = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 5 and not any(cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code")
    ran = subprocess.run([sys.executable, "-c", "\n".join(cells)], capture_output=True, text=True, cwd=tmp_path, timeout=600, env=HERE)
    assert ran.returncode == 0, ran.stderr
    assert "with conversion" in ran.stdout
