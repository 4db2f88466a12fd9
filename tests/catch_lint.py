"""Finds what compiles with one version of Catch2 alone: catch_lint.py FOLDER

Tests may reach Catch2 through tests/catch.hpp only, and use of its names only those that this file lists. Before it
looks at the tests it proves on texts made up here that it sees such mistakes.
"""

import pathlib
import re
import sys
import tempfile

# All that versions 2.13 and 3.7 offer, without what needs a qualified name: `Catch` is among them.
VOCABULARY = set("""
    AND_GIVEN AND_THEN AND_WHEN ANON_TEST_CASE BENCHMARK BENCHMARK_ADVANCED CAPTURE CHECK CHECKED_ELSE CHECKED_IF
    CHECK_FALSE CHECK_NOFAIL CHECK_NOTHROW CHECK_THAT CHECK_THROWS CHECK_THROWS_AS CHECK_THROWS_MATCHES
    CHECK_THROWS_WITH DYNAMIC_SECTION FAIL FAIL_CHECK GENERATE GENERATE_COPY GENERATE_REF GIVEN INFO
    METHOD_AS_TEST_CASE REGISTER_TEST_CASE REQUIRE REQUIRE_FALSE REQUIRE_NOTHROW REQUIRE_THAT REQUIRE_THROWS
    REQUIRE_THROWS_AS REQUIRE_THROWS_MATCHES REQUIRE_THROWS_WITH SCENARIO SCENARIO_METHOD SECTION SKIP STATIC_CHECK
    STATIC_CHECK_FALSE STATIC_REQUIRE STATIC_REQUIRE_FALSE SUCCEED TEMPLATE_LIST_TEST_CASE
    TEMPLATE_LIST_TEST_CASE_METHOD TEMPLATE_PRODUCT_TEST_CASE TEMPLATE_PRODUCT_TEST_CASE_METHOD
    TEMPLATE_PRODUCT_TEST_CASE_METHOD_SIG TEMPLATE_PRODUCT_TEST_CASE_SIG TEMPLATE_TEST_CASE
    TEMPLATE_TEST_CASE_METHOD TEMPLATE_TEST_CASE_METHOD_SIG TEMPLATE_TEST_CASE_SIG TEST_CASE TEST_CASE_METHOD
    TEST_CASE_PERSISTENT_FIXTURE THEN UNSCOPED_INFO WARN WHEN
    Approx Catch Contains ContainsSubstring EndsWith Equals Generators Matchers Matches StartsWith UnorderedEquals
    VectorContains WithinAbs WithinRel WithinULP
""".split())
HEADER = "tests/catch.hpp"
ENTRY = "tests/main.cpp"  # which runs Catch's session, and may name it

# Comments and literals, which may say anything; line ends in them are kept for the line numbers.
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.MULTILINE)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def allowed_names(header):
    """The words of the comment that opens catch.hpp, as far as they are Catch2's."""
    comment = header[: header.index("#pragma once")]
    return VOCABULARY & set(re.findall(r"\w+", comment)) - {"Catch"}


def reaches_header(texts, name, seen):
    """Whether a file includes catch.hpp, itself or through another file of the tests."""
    if name == HEADER:
        return True
    if name in seen or name not in texts:
        return False
    seen.add(name)
    return any(reaches_header(texts, included, seen) for _, included in INCLUDE.findall(texts[name]))


def problems_in(texts):
    """Texts by their path from the project's folder; one line for everything that is wrong."""
    allowed = allowed_names(texts[HEADER])
    found = []
    for name in allowed:
        if not name.isupper() and f"using Catch::{name};" not in texts[HEADER]:
            found.append(f"{HEADER}: lists {name}, but has no `using Catch::{name};` for version 3")
    for path, text in texts.items():
        if path == HEADER:
            continue
        for match in INCLUDE.finditer(text):
            if "catch2/" in match[2]:
                found.append(f"{path}:{line_of(text, match.start(1))}: includes {match[2]}; include {HEADER}")
        code = SKIPPED.sub(lambda skipped: "\n" * skipped[0].count("\n"), text)
        used = [match for match in re.finditer(r"\b[A-Za-z]\w*\b", code) if match[0] in VOCABULARY]
        for match in used:
            if match[0] not in allowed and not (path == ENTRY and match[0] == "Catch"):
                found.append(f"{path}:{line_of(code, match.start())}: {match[0]} is not among the names in {HEADER}")
        if used and not reaches_header(texts, path, set()):
            found.append(f"{path}:{line_of(code, used[0].start())}: {used[0][0]} without {HEADER}")
    return found


def read_tests(folder):
    return {"tests/" + path.relative_to(folder).as_posix(): path.read_text()
            for path in sorted(folder.rglob("*")) if path.suffix in (".cpp", ".hpp", ".cu")}


def prove(header):
    """Every text but the first has one mistake, which must be found; goes through files, as the real run does."""
    include = '#include "tests/catch.hpp"\n'
    good = include + '// Catch::Approx\nTEST_CASE("SKIP this") {\n  CHECK(x == Approx(1.0));\n}\n'
    cases = [
        ({"a_test.cpp": good}, None),
        ({"a_test.cpp": '#include "tests/b.hpp"\nTEST_CASE("b") {}\n', "b.hpp": include}, None),
        ({"a_test.cpp": good.replace("Approx(", "Catch::Approx(")}, "a_test.cpp:4: Catch "),
        ({"a_test.cpp": good.replace("x == Approx(1.0)", "GENERATE(1, 2)")}, "a_test.cpp:4: GENERATE "),
        ({"a_test.cpp": good.replace("CHECK(", "SKIP(")}, "a_test.cpp:4: SKIP "),
        ({"folder/a_test.cpp": good.replace("tests/catch.hpp", "tests/other.hpp")}, "a_test.cpp:3: TEST_CASE without"),
        ({"a_test.cpp": good + "#include <catch2/catch.hpp>\n"}, "a_test.cpp:6: includes catch2/catch.hpp"),
        # What 0.1.0 had: version 2 compiles it, version 3 has no such name.
        ({"a_test.cpp": good, "catch.hpp": header.replace("using Catch::Approx;", "")}, "lists Approx"),
        ({"a_test.cpp": good, "catch.hpp": header.replace(" Approx ", " ")}, "a_test.cpp:4: Approx "),
    ]
    for files, expected in cases:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path, text in {"catch.hpp": header, **files}.items():
                (folder / path).parent.mkdir(exist_ok=True)
                (folder / path).write_text(text)
            found = problems_in(read_tests(folder))
            if [expected is not None and expected in line for line in found] != ([True] if expected else []):
                sys.exit(f"catch_lint sees {found or 'nothing'} where it should see {expected or 'nothing'}: {files}")


def main():
    folder = pathlib.Path(sys.argv[1])
    texts = read_tests(folder)
    prove(texts[HEADER])
    found = problems_in(texts)
    print("\n".join(found) if found else f"{len(texts)} files use what both versions of Catch2 have")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
