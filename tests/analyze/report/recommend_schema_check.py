"""Compares what sprecommend --json prints with docs/recommend.schema.json: recommend_schema_check.py FILE [--self-test]

FILE (- is standard input) holds one document or an array of them. A validator for the part of JSON Schema that the
schema uses is in here, so that nothing has to be installed; where python has `jsonschema`, that must agree. With
--self-test the documents are spoiled in every way listed below, and each must then be refused.
"""

import copy
import json
import pathlib
import re
import sys

try:
    import jsonschema
except ImportError:
    jsonschema = None

SCHEMA = pathlib.Path(__file__).resolve().parents[3] / "docs" / "recommend.schema.json"
SAYS_NOTHING = {"$schema", "title", "description", "definitions"}
TYPES = {
    "object": lambda v: isinstance(v, dict),
    "array": lambda v: isinstance(v, list),
    "string": lambda v: isinstance(v, str),
    "boolean": lambda v: isinstance(v, bool),
    "null": lambda v: v is None,
    "number": lambda v: isinstance(v, (int, float)) and not isinstance(v, bool),
    "integer": lambda v: not isinstance(v, bool) and (isinstance(v, int) or isinstance(v, float) and v.is_integer()),
}


def same(a, b):
    """Equal as JSON: true is not 1."""
    return isinstance(a, bool) == isinstance(b, bool) and a == b


def problems_in(value, schema, root, where="$"):
    """What is wrong with a value, a line each. A word of the schema that is not known here is an error of its own."""
    found = []
    for word, rule in schema.items():
        if word in SAYS_NOTHING:
            continue
        if word == "$ref":
            prefix = "#/definitions/"
            if not rule.startswith(prefix):
                raise ValueError(f"{rule}: only definitions of the schema itself can be followed")
            found += problems_in(value, root["definitions"][rule[len(prefix):]], root, where)
        elif word == "type":
            allowed = rule if isinstance(rule, list) else [rule]
            if not any(TYPES[name](value) for name in allowed):
                found.append(f"{where}: {json.dumps(value)[:60]} is not of type {' or '.join(allowed)}")
        elif word == "const":
            if not same(value, rule):
                found.append(f"{where}: {json.dumps(value)[:60]} is not {json.dumps(rule)}")
        elif word == "enum":
            if not any(same(value, one) for one in rule):
                found.append(f"{where}: {json.dumps(value)[:60]} is none of {json.dumps(rule)}")
        elif word == "pattern":
            if isinstance(value, str) and not re.search(rule, value):
                found.append(f"{where}: {json.dumps(value)[:60]} is not of the form {rule}")
        elif word in ("minimum", "maximum"):
            if TYPES["number"](value) and (value < rule if word == "minimum" else value > rule):
                found.append(f"{where}: {value} is beyond the {word} {rule}")
        elif word in ("minItems", "maxItems"):
            if isinstance(value, list) and (len(value) < rule if word == "minItems" else len(value) > rule):
                found.append(f"{where}: {len(value)} items are beyond the {word} {rule}")
        elif word == "required":
            if isinstance(value, dict):
                found += [f"{where}: lacks {name}" for name in rule if name not in value]
        elif word == "properties":
            if isinstance(value, dict):
                for name, inner in rule.items():
                    if name in value:
                        found += problems_in(value[name], inner, root, f"{where}.{name}")
        elif word == "additionalProperties":
            if isinstance(value, dict):
                for name in value.keys() - schema.get("properties", {}).keys():
                    if rule is False:
                        found.append(f"{where}: {name} is not in the schema")
                    elif rule is not True:
                        found += problems_in(value[name], rule, root, f"{where}.{name}")
        elif word == "items":
            if isinstance(value, list):
                for i, one in enumerate(value):
                    found += problems_in(one, rule, root, f"{where}[{i}]")
        elif word in ("anyOf", "oneOf"):
            tried = [problems_in(value, one, root, where) for one in rule]
            fit = sum(not problems for problems in tried)
            if fit == 0:
                found += min(tried, key=len) if value is not None else [f"{where}: may not be null"]
            elif word == "oneOf" and fit > 1:
                found.append(f"{where}: fits {fit} of what it should fit one of")
        else:
            raise ValueError(f"the schema says {word}, which this check does not know")
    return found


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def read(path):
    text = sys.stdin.read() if path == "-" else pathlib.Path(path).read_text(encoding="utf-8")
    document = json.loads(text, parse_constant=refuse_constant)
    return document if isinstance(document, list) else [document]


def check(document, schema):
    """A list of problems; the two validators must agree whether there are any."""
    found = problems_in(document, schema, schema)
    if jsonschema is not None:
        others = [f"{list(e.absolute_path)}: {e.message[:120]}" for e in
                  jsonschema.Draft7Validator(schema).iter_errors(document)]
        if bool(found) != bool(others):
            sys.exit(f"the two validators disagree: here {found or 'nothing'}, jsonschema {others or 'nothing'}")
    return found


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

    # What is free by intention: parameters of formats, terms of the model, and the parts of the features that
    # docs/features.md describes.
    def free(path):
        return any(name in path for name in ("parameters", "warm_terms_us", "cold_terms_us")) or (
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


def self_test(documents, schema):
    whole = [d for d in documents if d.get("verdict") and d["verdict"]["runner_up"] and d["contestants"]]
    if not whole:
        sys.exit("the self-test needs a document with a verdict and a runner-up")
    count = 0
    for what, document in spoiled(whole[0]):
        count += 1
        if not problems_in(document, schema, schema):
            sys.exit(f"this mistake was not seen: {what}")
        # jsonschema takes long; a sample of the mistakes shows whether it agrees.
        if count % 20 == 0:
            check(document, schema)
    for text in ('{"us": NaN}', '{"us": Infinity}'):
        try:
            json.loads(text, parse_constant=refuse_constant)
        except ValueError:
            continue
        sys.exit(f"{text} was taken for JSON")
    try:
        problems_in({}, {"patternProperties": {}}, {})
        sys.exit("a word of a schema that is not known here was passed over")
    except ValueError:
        pass
    print(f"{count} spoiled documents were refused")


def main():
    arguments = [a for a in sys.argv[1:] if a != "--self-test"]
    if len(arguments) != 1:
        sys.exit(__doc__)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    documents = read(arguments[0])
    failed = False
    for i, document in enumerate(documents):
        for problem in check(document, schema):
            failed = True
            print(f"document {i}: {problem}")
    if failed:
        sys.exit(1)
    if not documents:
        sys.exit(f"{arguments[0]}: no document")
    print(f"{len(documents)} documents are as the schema says"
          + ("" if jsonschema else " (jsonschema is not installed: by the validator here alone)"))
    if "--self-test" in sys.argv:
        self_test(documents, schema)


if __name__ == "__main__":
    main()
