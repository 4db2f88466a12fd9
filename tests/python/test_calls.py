"""Options, results, errors: what the calls take and tell."""

import dataclasses
import html.parser
import json
import os
import subprocess

import conftest
import numpy as np
import pytest
import scipy.sparse
import sparsmith

PAIR = scipy.sparse.csr_array(np.kron(np.eye(40), np.ones((4, 2))))


@pytest.mark.parametrize(
    "format, options, parameters",
    (
        ("sell", {"slice": 8, "sigma": 16}, {"slice": 8, "sigma": 16}),
        ("hyb", {"width": 1}, {"width": 1}),
        ("bsr", {"block": 2}, {"block_rows": 2, "block_cols": 2}),
        ("bsr", {"block": (4, 2)}, {"block_rows": 4, "block_cols": 2}),
        ("bsr", {"block": "4x2"}, {"block_rows": 4, "block_cols": 2}),
        ("csb", {"beta": 64, "order": "row"}, {"beta": 64, "order": 1}),
        ("csb", {"layout": "thesis"}, {"dense_blocks": 1}),
        ("ecsb", {"holding": "hybrid"}, {"holding": 2}),
        ("gcsb", {"group": 4, "window": 8, "max_fill": 100}, {"group_size": 4, "window": 8}),
        ("gcsb", {"layout": "tile", "tile": "256x512", "rest": 7}, {"tile_height": 256, "tile_width": 512, "rest_below": 7}),
        ("gcsb_tile", {"renumber": "length", "group": 16}, {"renumbered": 1, "group_size": 16}),
    ),
)
def test_options_arrive(format, options, parameters):
    made = sparsmith.convert(PAIR, format, **options)
    assert parameters.items() <= made.parameters.items()
    assert np.array_equal(made.to_scipy().toarray(), PAIR.toarray())


def test_options_of_arrays():
    assert sparsmith.convert(PAIR, "csb", index=32).arrays["combined16"].size == 0
    assert sparsmith.convert(PAIR, "csb", index="auto").arrays["combined32"].size == 0
    banded = conftest.BATTERY["banded"]
    assert sparsmith.convert(banded, "dia", diagonals="all", max_fill=100).arrays["offsets"].size == 5
    assert sparsmith.convert(banded, "dia", diagonals=0.95).arrays["offsets"].size == 3
    symmetric = conftest.SYMMETRIC["symmetric"]
    assert sparsmith.convert(symmetric, "csr", symmetric="half").format == "csr_half"
    assert sparsmith.convert(symmetric, "csr", symmetric="full").format == "csr"


@pytest.mark.parametrize(
    "format, options, kind, said",
    (
        ("nonsense", {}, ValueError, "there is no format 'nonsense', only coo, csr"),
        (7, {}, TypeError, "format: expected a name"),
        ("bsr", {"bloc": 2}, TypeError, "there is no option 'bloc', only max_fill"),
        ("bsr", {"beta": 2}, ValueError, r"beta means nothing for bsr \(it is for csb, ecsb, gcsb\)"),
        ("bsr", {"block": 2.5}, TypeError, "block: expected a whole number, not 2.5"),
        ("bsr", {"block": "two"}, ValueError, "block: expected sides such as"),
        ("bsr", {"block": (1, 2, 3)}, ValueError, "block: expected two sides"),
        ("bsr", {"block": 65}, ValueError, "sides from 1 to 64"),
        ("sell", {"slice": 0}, ValueError, "slice"),
        ("sell", {"slice": 2**31}, ValueError, "slice: 2147483648 is not in"),
        ("sell", {"slice": "8"}, TypeError, "slice: expected a whole number, not '8'"),
        ("csb", {"beta": 3}, ValueError, "beta 3 is not a power of two"),
        ("csb", {"order": "zigzag"}, ValueError, "order: expected 'morton', 'row', 'diagonal', not 'zigzag'"),
        ("csb", {"layout": "tile"}, ValueError, "layout='tile' is one of gcsb, not of csb"),
        ("gcsb_tile", {"layout": "blocks"}, ValueError, "leave layout out"),
        ("sell", {"symmetric": "half"}, ValueError, "symmetric='half' is for csr, dia, bsr, gcsb_tile, not for sell"),
        ("dia_half", {"symmetric": "full"}, ValueError, "dia_half stores half of the matrix"),
        ("ell", {"max_fill": "3"}, TypeError, "max_fill: expected a number"),
        ("ell", {"max_fill": 0.5}, ValueError, "leaves no room for the entries"),
        ("dia", {"diagonals": -1}, ValueError, "diagonals: expected 'auto', 'all' or a share"),
        ("dia", {"diagonals": 1.5}, ValueError, "diagonals"),
        ("csr", {"symmetric": "half"}, ValueError, "neither symmetric nor skew-symmetric"),
    ),
)
def test_options_refused(format, options, kind, said):
    with pytest.raises(kind, match=said) as refused:
        sparsmith.convert(PAIR, format, **options)
    assert "\n" not in str(refused.value)
    assert issubclass(kind, TypeError) or isinstance(refused.value, sparsmith.InputError)


def test_errors_by_category(square, tmp_path):
    assert issubclass(sparsmith.InputError, ValueError) and issubclass(sparsmith.ResourceError, MemoryError)
    for kind in (sparsmith.InputError, sparsmith.ResourceError, sparsmith.DeviceError):
        assert issubclass(kind, sparsmith.Error)
    with pytest.raises(sparsmith.ResourceError, match="the limit is 3"):
        sparsmith.convert(square, "bsr", block=64)
    with pytest.raises(sparsmith.InputError, match="No such file"):
        sparsmith.read(tmp_path / "none.mtx")
    with pytest.raises(sparsmith.InputError, match="x has 7 values, but A x of a matrix of 100 x 100 needs 100"):
        sparsmith.Matrix(square) @ np.ones(7)
    with pytest.raises(sparsmith.InputError, match="share memory"):
        x = np.ones(100)
        sparsmith.Matrix(square).multiply(x, out=x)
    with pytest.raises(sparsmith.Error, match="cannot hold sell") as refused:
        sparsmith.write(sparsmith.convert(square, "sell"), tmp_path / "a.npz")
    assert type(refused.value) is sparsmith.Error
    with pytest.raises(sparsmith.Error):
        sparsmith.write(square, tmp_path / "no folder" / "a.mtx")


@pytest.mark.parametrize(
    "use, kind, said",
    (
        (lambda m: m @ "abc", TypeError, "expected numbers"),
        (lambda m: m @ np.array([None] * 100), TypeError, "expected numbers, which are computed with in float64, not object"),
        (lambda m: m.multiply(np.ones(100), alpha=1j), ValueError, "matrix and vectors are real, but alpha has an imaginary part: give complex vectors"),
        (lambda m: m.multiply_both(np.ones(100), np.ones(100), (np.ones(100), np.ones(100)), 1, 1j), ValueError, "are real, but beta has"),
        (lambda m: m @ np.ones((2, 2, 2)), ValueError, "not an array of 3 dimensions"),
        (lambda m: m @ 3.0, ValueError, "not an array of 0 dimensions"),
        (lambda m: m @ np.ones((7, 2)), ValueError, "x has 7 rows, but the product needs 100"),
        (lambda m: m @ m, TypeError, "products of two are not here"),
        (lambda m: m @ PAIR, TypeError, "products of two are not here"),
        (lambda m: m.multiply(np.ones(100), beta=1), ValueError, "beta is for what is in `out`"),
        (lambda m: m.multiply(np.ones(100), out=np.ones(99)), TypeError, r"out: expected .* float64 of the shape \(100,\)"),
        (lambda m: m.multiply(np.ones(100), out=np.ones(100, np.float32)), TypeError, "out: expected"),
        (lambda m: m.multiply(np.ones(100), out=[0.0] * 100), TypeError, "out: expected"),
        (lambda m: m.multiply(np.ones((100, 2)), out=np.ones((200, 2))[::2]), TypeError, "expected a writable, contiguous array"),
        (lambda m: m.multiply_both(np.ones(100), np.ones(100), out=np.ones(100)), TypeError, "out: expected two arrays"),
        (lambda m: m.multiply_normal(np.ones((100, 2))), ValueError, "expected a vector"),
        (lambda m: m.to("moon"), ValueError, "device: expected 'cpu' or 'cuda'"),
        (lambda m: sparsmith.recommend(m, mix=3), TypeError, "mix: expected how many products"),
        (lambda m: sparsmith.recommend(m, mix=(0, 0)), ValueError, "no products at all"),
        (lambda m: sparsmith.recommend(m, formats=["nonsense"]), ValueError, "there is no format"),
        (lambda m: sparsmith.recommend(m, kernels=["csr/nonsense"]), ValueError, "no such kernel"),
        (lambda m: sparsmith.recommend(m, budget=-1), ValueError, "numbers from 0 on"),
        (lambda m: sparsmith.recommend(m, memory=-1), ValueError, "memory: -1 is not in"),
        (lambda m: sparsmith.recommend(m, formats=[7]), TypeError, "formats: expected names"),
    ),
)
def test_refused(use, kind, said, square):
    with pytest.raises(kind, match=said) as refused:
        use(sparsmith.Matrix(square))
    assert "\n" not in str(refused.value)


def test_features(square):
    f = sparsmith.features(square)
    assert (f.rows, f.cols, f.entries) == (*square.shape, square.nnz)
    assert f.row_lengths["max"] == np.diff(square.indptr).max()
    assert f.to_dict()["schema"] == "sparsmith.features/1"
    assert str(f).startswith("matrix ") and "bandwidth" not in repr(type(f))
    with pytest.raises(dataclasses.FrozenInstanceError):
        f.rows = 3


def test_plan_keeps_its_word(square):
    plan = sparsmith.plan(square)
    assert len(plan) == len(plan.prices) == len(plan.to_dict()["plan"]) and str(plan).startswith("plan ")
    made = 0
    for price in plan:
        if price.allowed and price.exact and price.format in ("coo", "csr", "csc", "ell", "sell", "hyb", "csb"):
            assert sparsmith.convert(square, price.format).nbytes == price.bytes
            made += 1
    assert made >= 5


class Markup(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.frames, self.tags = [], []

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        if tag == "iframe":
            self.frames.append(dict(attributes)["srcdoc"])


def test_notebooks(square, tmp_path):
    file = tmp_path / "<b>'\"&.mtx"
    sparsmith.write(square, file)
    for result in (sparsmith.features(file), sparsmith.predict(file)):
        markup = Markup()
        markup.feed(result._repr_html_())
        assert markup.tags == ["iframe"]  # all else is inside, as text
        assert markup.frames[0].startswith("<!") and "<b>'" not in markup.frames[0]
    markup = Markup()
    markup.feed(sparsmith.plan(file)._repr_html_())
    assert set(markup.tags) == {"table", "tr", "th", "td"}


def test_recommend(square):
    said = sparsmith.recommend(square, mix=(3, 1), budget=0.5, formats=["csr", "csc"])
    assert said and said.format in ("csr", "csc") and said.seconds > 0
    assert "verdict" in str(said)
    assert said.to_dict()["schema"].startswith("sparsmith.recommend/")
    m = said.convert(square)
    assert (m.format, m.kernel, m.kernel_transposed) == (said.format, said.kernel, said.kernel_transposed)
    assert np.allclose(m @ np.ones(100), square @ np.ones(100))


def test_advice_follows_what_was_asked(square):
    assert sparsmith.predict(square, formats="sell").format == "sell"
    assert sparsmith.predict(square, mix=(1, 0)).kernel_transposed == ""
    assert sparsmith.predict(square, kernels=["csr/omp"]).kernel == "csr/omp"
    assert all(kernel.repeatable for kernel in sparsmith.kernels() if kernel.name == sparsmith.predict(square, repeatable=True).kernel)
    assert not sparsmith.predict(square, memory=10)  # nothing fits
    with pytest.raises(sparsmith.InputError, match="no advice to follow"):
        sparsmith.predict(square, memory=10).convert(square)
    assert sparsmith.predict(conftest.SYMMETRIC["symmetric"], symmetric=True).symmetric


@pytest.mark.skipif("SPARSMITH_SPRECOMMEND" not in os.environ, reason="SPARSMITH_SPRECOMMEND names no tool")
@pytest.mark.parametrize("matrix", ("gen:rmat?scale=10", "gen:laplace2d?n=60", "gen:uniform?rows=3000&cols=200&density=0.01"))
@pytest.mark.parametrize("mix", ((1, 1), (10, 1), (1, 0)))
def test_same_as_the_tool(matrix, mix):
    tool = [os.environ["SPARSMITH_SPRECOMMEND"], matrix, "--predict", "--mix", "{}:{}".format(*mix), "--device", "cpu"]
    told = json.loads(subprocess.run([*tool, "--as-general", "--json", "--quiet"], capture_output=True, check=True).stdout)
    said = sparsmith.predict(sparsmith.read(matrix, device="cpu"), mix=mix).to_dict()
    for one in (told, said):
        del one["seconds"]  # what it took
        for step in one["steps"]:
            del step["seconds"]
    assert told == said


def test_kernels(square):
    known = sparsmith.kernels()
    names = {kernel.name for kernel in known}
    assert {"csr/omp", "gcsb/tile-omp"} <= names
    assert {kernel.format for kernel in known} == set(sparsmith._sparsmith.format_names())
    for kernel in sparsmith.kernels(sparsmith.convert(square, "ell")):
        assert kernel.format == "ell" and kernel.name in names and not kernel.why_not.get("A x")
        assert kernel.to_dict()["name"] == kernel.name
