#!/usr/bin/env python3
"""Matrices whose names have line ends, escapes, formulas and markup in them, in all that the tools report.

    strange_names_check.py SPCONV SPANALYZE SPRECOMMEND SPBATCH

Text must keep its lines, CSV its table, JSON the name, a page its tags; nothing of a name may be run by a
terminal, a spreadsheet or a browser."""
import csv
import html.parser
import io
import json
import os
import subprocess
import sys
import tempfile

MATRIX = b"%%%%MatrixMarket matrix coordinate real general\n4 4 3\n1 1 1.5\n4 2 -2\n3 3 %d\n"
# A "/" makes a folder: the path, which pages show too, then closes elements.
NAMES = [
    b"plain.mtx",
    b"=1+cmd|' /C calc'!A0.mtx",
    b"@SUM(A1).mtx",
    b"-2+3.mtx",
    b"two\nlines, \"quoted\".mtx",
    b"\x1b]0;title\x07\x1b[31mred\r.mtx",
    b"<img src=x onerror=alert(1)>.mtx",
    b"x<script>alert(1)</script>.mtx",
    b"x\"><b id=broken>'><b id=broken>.mtx",
    b"x--><b id=broken><!--.mtx",
    b"x</title><b id=broken></style><b id=broken></textarea><b id=broken>.mtx",
    b"caf\xe9.mtx",
    b"&lt;b id=broken&gt;.mtx",
]
failures = []


def check(right, what, shown=""):
    if not right:
        failures.append(f"{what}: {shown!r}"[:600])


def run(command, folder):
    environment = dict(os.environ, LC_ALL="C.UTF-8", SPARSMITH_CACHE=os.path.join(folder, "cache"),
                       OMP_NUM_THREADS="2")
    done = subprocess.run(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True)
    check(done.returncode == 0, f"exit {done.returncode} of {command}", done.stderr)
    check_text(done.stderr, f"what {command} says")
    return done.stdout


def check_text(text, what):
    """No line end but the tool's own, and nothing that moves a cursor."""
    check(not any(byte < 32 and byte != 10 or byte == 127 for byte in text), f"{what}: control characters", text)
    check(not any(line.startswith(b"lines, ") for line in text.split(b"\n")), f"{what}: a broken line", text)


def check_csv(text, names, column, what):
    table = list(csv.reader(io.StringIO(text.decode("utf-8", "surrogateescape"), newline="")))
    check(len({len(line) for line in table}) == 1, f"{what}: lines of different lengths", table)
    at = table[0].index(column)
    for cell in (cell for line in table[1:] for cell in line if cell[:1] in tuple("=+-@\t\r\n")):
        try:
            float(cell)
        except ValueError:
            check(False, f"{what}: a formula", cell)
    found = [line[at] for line in table[1:]]
    for name in names:
        shown = name.decode("utf-8", "surrogateescape")
        check(any(cell.endswith(shown) for cell in found), f"{what}: no {shown!r}", sorted(set(found)))
        check(shown[0] not in "=@-" or "'" + shown in found, f"{what}: no apostrophe before {shown!r}", found)


class page_tags(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.scripts = 0
        self.text = ""
        self.foreign = []

    def handle_starttag(self, tag, attributes):
        self.scripts += tag == "script"
        if dict(attributes).get("id") == "broken" or any(name.startswith("on") for name, _ in attributes):
            self.foreign.append((tag, attributes))

    def handle_data(self, data):
        self.text += data


def check_page(path, scripts, names, what):
    with open(path, "rb") as file:
        text = file.read().decode("utf-8", "replace")
    page = page_tags()
    page.feed(text)
    page.close()
    check(not page.foreign, f"{what}: markup of a name", page.foreign)
    check(scripts is None or page.scripts == scripts, f"{what}: {page.scripts} scripts instead of {scripts}")
    check(text.rstrip().endswith("</html>"), f"{what}: has no end", text[-80:])
    for name in names:
        word = name.decode("utf-8", "replace").split("\n")[0].split("/")[-1].replace("\x1b", "")
        check(word[:6] in page.text, f"{what}: does not show {word!r}")
    return page.scripts


def main():
    spconv, spanalyze, sprecommend, spbatch = (os.path.abspath(tool) for tool in sys.argv[1:5])
    with tempfile.TemporaryDirectory() as above:
        folder = os.path.join(above, "m")
        for number, name in enumerate(NAMES):  # different ones: a batch knows a matrix by what is in it
            path = os.path.join(os.fsencode(folder), name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(MATRIX % (number + 2))
        one, every = ["--", NAMES[0]], ["--", *NAMES]

        for name in NAMES:
            check_text(run([spconv, "--to", "csr", "--", name], folder), "spconv")
            told = json.loads(run([spconv, "--to", "csr", "--json", "--", name], folder))
            check(told["matrix"]["entries"] == 3, "spconv --json", told)

        check_text(run([spanalyze, *every], folder), "spanalyze")
        check_csv(run([spanalyze, "--csv", *every], folder), NAMES, "name", "spanalyze --csv")
        page = os.path.join(above, "page.html")
        run([spanalyze, "--quiet", "--html", page, *one], folder)
        usual = check_page(page, None, [], "spanalyze --html")
        check(len(json.loads(run([spanalyze, "--json", "--html", page, *every], folder))) > 0, "spanalyze --json")
        check_page(page, usual, NAMES, "spanalyze --html")

        quick = ["--device", "cpu", "--budget", "0.05"]
        check_text(run([sprecommend, *quick, *every[:7]], folder), "sprecommend")
        check_csv(run([sprecommend, *quick, "--csv", *every[:6]], folder), NAMES[:5], "matrix", "sprecommend --csv")
        run([sprecommend, *quick, "--quiet", "--html", page, *one], folder)
        usual = check_page(page, None, [], "sprecommend --html")
        check(len(json.loads(run([sprecommend, *quick, "--json", "--html", page, *every], folder))) > 0,
              "sprecommend --json")
        check_page(page, usual, NAMES, "sprecommend --html")

        check_text(run([spbatch, ".", "--out", os.path.join(above, "R"), "--analyze"], folder), "spbatch")
        with open(os.path.join(above, "R", "results.jsonl"), "rb") as file:
            lines = file.read().split(b"\n")
        check(len(lines) == len(NAMES) + 1 and lines[-1] == b"", "lines of results.jsonl", len(lines))
        for line in lines[:-1]:
            json.loads(line.decode("utf-8"))
        with open(os.path.join(above, "R", "results.csv"), "rb") as file:
            # Results are kept in JSON, which knows no bytes that are not UTF-8.
            check_csv(file.read(), [name.split(b"/")[-1] for name in NAMES if b"\xe9" not in name], "matrix",
                      "results.csv")
        check_page(os.path.join(above, "R", "report.html"), None, [], "report.html")
    for failure in failures:
        print(failure)
    sys.exit(1 if failures else 0)


main()
