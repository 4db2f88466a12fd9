"""Compares what sprecommend --json prints with docs/recommend.schema.json: recommend_schema_check.py FILE [--self-test]

FILE (- is standard input) holds one document or an array of them, or those of --reorder. The validator is the package jsonschema; where
python has none, the check is skipped (77). With --self-test the documents are spoiled in every way listed below, and
each must then be refused.
"""

import copy
import json
import pathlib
import sys

try:
    import jsonschema
except ImportError:
    print(f"SKIPPED: {sys.executable} has no jsonschema (Debian: python3-jsonschema)")
    sys.exit(77)

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "docs" / "recommend.schema.json"


def validator_of(path):
    """Of a schema, which must be one itself."""
    schema = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    jsonschema.Draft7Validator.check_schema(schema)
    return jsonschema.Draft7Validator(schema)


def problems_in(document, validator):
    """What is wrong with a document, a line each."""
    return [f"$.{'.'.join(map(str, error.absolute_path))}: {error.message[:120]}"
            for error in validator.iter_errors(document)]


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def read(path):
    text = sys.stdin.read() if path == "-" else pathlib.Path(path).read_text(encoding="utf-8")
    document = json.loads(text, parse_constant=refuse_constant)
    documents = document if isinstance(document, list) else [document]
    return [one for each in documents for one in (each["orders"] if "orders" in each else [each])]


def paths_in(value, path=()):
    yield path
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in children:
        yield from paths_in(inner, path + (key,))


def at(document, path):
    for key in path:
        document = document[key]
    return document


def spoiled(document):
    """Copies with one mistake each, and what it is."""
    def changed(path, value):
        copied = copy.deepcopy(document)
        at(copied, path[:-1])[path[-1]] = value
        return copied

    # What is free by intention: parameters of formats, terms of the model, formats that the vendor has as well, and the
    # parts of the features that docs/features.md describes.
    def free(path):
        return any(name in path for name in ("parameters", "warm_terms_us", "cold_terms_us", "warm_parts_us", "cold_parts_us",
                                           "ax_in_format")) or (
            path[:1] == ("features",) and len(path) > 1 and path[1] not in ("row_lengths", "col_lengths"))

    for path in paths_in(document):
        value = at(document, path)
        if free(path):
            continue
        if isinstance(value, dict):
            for name in value:
                copied = copy.deepcopy(document)
                del at(copied, path)[name]
                yield f"{path}: without {name}", copied
            if path != ("features",):
                copied = copy.deepcopy(document)
                at(copied, path)["surplus"] = 1
                yield f"{path}: with a member too many", copied
        if path:
            yield f"{path}: an object in a list in its place", changed(path, [{"surplus": 1}])
            if isinstance(value, bool):
                yield f"{path}: a number in place of a truth", changed(path, 1)
            elif isinstance(value, (int, float)):
                yield f"{path}: text in place of a number", changed(path, "1")
                if path[-1] != "gini":
                    yield f"{path}: a negative number", changed(path, -1)
            elif isinstance(value, str):
                yield f"{path}: a number in place of text", changed(path, 1)
    yield "another schema", changed(("schema",), "sparsmith.recommend/3")
    yield "an unknown regime", changed(("request", "regime"), "tepid")
    yield "an unknown format", changed(("verdict", "format"), "dense")
    yield "a parameter that is a list", changed(("verdict", "parameters"), {"sides": [4, 4]})
    yield "a margin's interval of three", changed(("verdict", "interval"), [1, 2, 3])
    yield "a share above 1", changed(("request", "mix", "ax"), 1.5)
    yield "an unknown result", changed(("contestants", 0, "result"), "fine")
    yield "no samples", changed(("contestants", 0, "warm"), {"median_us": 1, "p10_us": 1, "p90_us": 1, "low_us": 1,
                                                             "high_us": 1, "samples": 0})


def self_test(documents, validator):
    whole = [d for d in documents if d.get("verdict") and d["verdict"]["runner_up"] and d["contestants"]]
    if not whole:
        sys.exit("the self-test needs a document with a verdict and a runner-up")
    count = 0
    for what, document in spoiled(whole[0]):
        count += 1
        if validator.is_valid(document):
            sys.exit(f"this mistake was not seen: {what}")
    for text in ('{"us": NaN}', '{"us": Infinity}'):
        try:
            json.loads(text, parse_constant=refuse_constant)
        except ValueError:
            continue
        sys.exit(f"{text} was taken for JSON")
    print(f"{count} spoiled documents were refused")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--self-test"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    validator = validator_of(SCHEMA)
    documents = read(arguments[0])
    failed = False
    for i, document in enumerate(documents):
        for problem in problems_in(document, validator):
            failed = True
            print(f"document {i}: {problem}")
    if failed:
        sys.exit(1)
    if not documents:
        sys.exit(f"{arguments[0]}: no document")
    print(f"{len(documents)} documents are as the schema says")
    if "--self-test" in sys.argv:
        self_test(documents, validator)


if __name__ == "__main__":
    main()
