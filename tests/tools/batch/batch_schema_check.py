"""Compares the lines of a batch with docs/batch.schema.json: batch_schema_check.py FILE.jsonl [--self-test]

Every line must be a document as the schema says, with its members in the schema's order, and its recommendation
one as docs/recommend.schema.json says. The package jsonschema says so, as in recommend_schema_check.py. With --self-test lines
are spoiled in every way listed below, and each must then be refused.
"""

import copy
import json
import pathlib
import sys

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "analyze" / "report"))
import recommend_schema_check as documents  # noqa: E402

LINE = documents.validator_of(ROOT / "docs" / "batch.schema.json")
RECOMMENDATION = documents.validator_of(documents.SCHEMA)


def problems_in(line):
    """What is wrong with a line, a text each."""
    found = documents.problems_in(line, LINE)
    if found:
        return found
    if list(line) != list(LINE.schema["properties"]):
        found.append("$: its members are not in the order of the schema")
    if line["recommendation"] is not None:
        found += [f"recommendation: {p}" for p in documents.problems_in(line["recommendation"], RECOMMENDATION)]
    options = line["options"]
    if line["result"] == "ok":
        for member, wanted in (("analysis", options["analyze"]), ("recommendation", options["recommend"])):
            if (line[member] is not None) != wanted:
                found.append(f"{member}: {'lacks' if wanted else 'is there'}, against the options")
    if line["waited_s"] > line["seconds"]:
        found.append("waited_s: more than seconds")
    return found


def lines_of(path):
    """The documents of a file; a line that is none is the end of the check."""
    data = pathlib.Path(path).read_bytes()
    if data and not data.endswith(b"\n"):
        sys.exit(f"{path}: its last line has no end")
    for number, text in enumerate(data.split(b"\n")[:-1], 1):
        try:
            yield json.loads(text.decode("utf-8"), parse_constant=documents.refuse_constant)
        except ValueError as problem:
            sys.exit(f"{path}:{number}: {problem}")


def spoiled(line):
    """Copies with one mistake each, and what it is."""
    def changed(path, value):
        copied = copy.deepcopy(line)
        documents.at(copied, path[:-1])[path[-1]] = value
        return copied

    for path in documents.paths_in(line):
        # Free by intention: what the analysis holds, and what the other schema is about.
        if path[:1] in (("analysis",), ("recommendation",)) and len(path) > 1:
            continue
        value = documents.at(line, path)
        if isinstance(value, dict):
            for name in value:
                copied = copy.deepcopy(line)
                del documents.at(copied, path)[name]
                if path != ("recommendation",):
                    yield f"{path}: without {name}", copied
            if path not in (("analysis",), ("recommendation",)):
                copied = copy.deepcopy(line)
                documents.at(copied, path)["surplus"] = 1
                yield f"{path}: with a member too many", copied
        if not path:
            continue
        yield f"{path}: an object in a list in its place", changed(path, [{"surplus": 1}])
        if isinstance(value, bool):
            yield f"{path}: a number in place of a truth", changed(path, 1)
        elif isinstance(value, (int, float)):
            yield f"{path}: text in place of a number", changed(path, "1")
            if path[-1] != "modified_ns":
                yield f"{path}: a negative number", changed(path, -1)
        elif isinstance(value, str):
            yield f"{path}: a number in place of text", changed(path, 1)
    failure = {"stage": "reading", "cause": "error", "message": "m", "signal": None, "output": ""}
    failed = dict(copy.deepcopy(line), result="failed", failure=failure)
    analysed = dict(copy.deepcopy(line), result="analysed", not_raced="why", recommendation=None)
    if not LINE.is_valid(analysed):
        sys.exit("a line that was only analysed is refused")
    yield "only analysed, without a reason", dict(analysed, not_raced=None)
    yield "only analysed, with a recommendation", dict(analysed, recommendation=line["recommendation"])
    yield "an ok that was not raced", dict(line, not_raced="why")
    if not LINE.is_valid(failed):
        sys.exit("a line with a failure is refused")
    yield "another schema", changed(("schema",), "sparsmith.batch/2")
    yield "a key with a letter too many", changed(("key",), line["key"] + "0")
    yield "a key in capitals", changed(("key",), "A" * 32)
    yield "a hash that is none", changed(("source", "content"), "sha256:1")
    yield "a time of no zone", changed(("started",), "2026-01-31T12:00:00")
    yield "an ok with a failure", dict(line, failure=failure)
    yield "a failure without one", dict(line, result="failed")
    yield "an ok without a matrix", changed(("matrix",), None)
    yield "an unknown result", changed(("result",), "fine")
    for name, value in (("cause", "bad luck"), ("message", ""), ("message", "two\nlines"), ("signal", "ABRT"),
                        ("output", "a\x1bb")):
        yield f"a failure whose {name} is {value!r}", dict(failed, failure=dict(failure, **{name: value}))


def self_test(lines):
    whole = [line for line in lines if line["result"] == "ok" and line["analysis"] and line["recommendation"]]
    if not whole:
        sys.exit("the self-test needs a line with an analysis and a recommendation")
    count = 0
    for count, (what, line) in enumerate(spoiled(whole[0]), 1):
        if LINE.is_valid(line):
            sys.exit(f"this mistake was not seen: {what}")
    # What no schema says.
    reversed_line = dict(reversed(list(whole[0].items())))
    without = dict(whole[0], analysis=None)
    other = dict(whole[0], recommendation=dict(whole[0]["recommendation"], verdict=5))
    waiting = dict(whole[0], waited_s=whole[0]["seconds"] + 1)
    for what, line in (("the order", reversed_line), ("a part that lacks", without), ("a recommendation", other),
                       ("waiting", waiting)):
        if not problems_in(line):
            sys.exit(f"this mistake was not seen: {what}")
    print(f"{count + 4} spoiled lines were refused")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--self-test"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    lines = list(lines_of(arguments[0]))
    found = [f"{arguments[0]}:{i}: {problem}" for i, line in enumerate(lines, 1) for problem in problems_in(line)]
    if found:
        sys.exit("\n".join(found))
    if not lines:
        sys.exit(f"{arguments[0]}: no line")
    print(f"{len(lines)} lines are as the schema says")
    if "--self-test" in sys.argv:
        self_test(lines)


if __name__ == "__main__":
    main()
