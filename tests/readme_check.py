#!/usr/bin/env python3
"""Follows README.md and the tools' manuals to the letter: python3 tests/readme_check.py BUILD [--update | --whole]

Every fenced block and every command between backquotes of the PAGES, in their order, in a folder that looks like the clone
after `make test` (its build/openmp and build/cuda are BUILD) and with a HOME of its own. What comes back is a list of what was
done with each:

  programs    a `cpp` block is written where the text before it says, built against what was installed, and run
              what is in Python, tests/python/test_package.py runs
  commands    `sh` blocks and lines that begin with `$` are run, and must exit with 0
  output      what is printed under a `$` is compared, exactly but for the device, which is this machine's, and for the
              numbers of a table of times, from a line on that begins with `stage`; `…` stands for any lines
  from a GPU  output that names a device of NVIDIA's is not compared; its matrices, and those of commands that measure and
              show nothing, are made a tenth as long on a side and the measuring is cut short, so that a CPU can do it in
              seconds
  usage       lines with words in capitals or brackets, and mentions of options alone, are not run: their options, and all
              those in tables, must be in the tool's --help
  links       of all papers lead to files that are there, and to headings in them

--update writes what the tools print now into the pages where it is not alike, but for what comes from a GPU. --whole, for a
fresh clone, also runs what builds: `make demo` and `make test`, which a test cannot.
"""
import argparse
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
TOOLS = ("spconv", "spanalyze", "sprecommend", "spbatch")
PAGES = ("README.md", *(f"docs/{tool}.md" for tool in TOOLS))  # the programs of docs/library.md are tests of their own
MEASURING = ("sprecommend", "spbatch")
LIMIT = 300  # seconds for one command
PROJECT = """cmake_minimum_required(VERSION 3.25)
project({name} LANGUAGES CXX)
find_package(sparsmith REQUIRED)
add_executable({name} ../{name}.cpp)
target_link_libraries({name} PRIVATE sparsmith::sparsmith)
"""


class Problem(Exception):
    pass


class Block:
    """A fenced block: its language, its lines, where the first of them is, the heading and the text before it."""

    def __init__(self, language, first, section, before):
        self.language, self.first, self.section, self.before = language, first, section, before
        self.lines = []


def blocks_of(lines):
    blocks, block, section, before = [], None, "", ""
    for number, line in enumerate(lines):
        if line.startswith("```"):
            if block is None:
                block = Block(line[3:].strip(), number + 1, section, before)
            else:
                blocks.append(block)
                block, before = None, ""
        elif block is not None:
            block.lines.append(line)
        elif line.startswith("#"):
            section, before = line.lstrip("# "), ""
        else:
            before += line + "\n"
    if block is not None:
        raise Problem(f"line {block.first}: a block that does not end")
    return blocks


def is_usage(command):
    """A synopsis: words that stand for others, or parts that may be missing."""
    return any(re.fullmatch(r"\[?-?[A-Z][A-Z_]*(\.\.\.|…)?\]?", word) or word.startswith("[")
               for word in command.replace("'", "").split()[1:])


def is_mention(command):
    """Options alone, as in "what `spanalyze --json` prints"."""
    words = command.split()[1:]
    printing = {"--help", "--help-generators", "--version", "--list"}
    return all(word.startswith("-") for word in words) and not printing & set(words)


def writes(command):
    return any(word in ("-o", "--out", "--html", "--png", "--svg") for word in command.split())


def masked(line):
    line = re.sub(r"\d[\d,]*(\.\d+)?(e[+-]?\d+)?", "#", line)
    return re.sub(r"# ([KMGT]i)?B\b", "# B", line)


def about_device(lines):
    """Every line, and whether it tells the device: that is the machine's, and may go over several."""
    device = False
    for line in lines:
        device = line.startswith("device ") or (device and line.startswith("         "))
        yield line, device


def shape(lines):
    """What must be alike. Columns of times are as wide as their numbers."""
    result, times = [], False
    for line, device in about_device(lines):
        times = times or line.startswith("stage ")
        if not device:
            result.append(" ".join(masked(line).split()) if times else line.rstrip())
    while result and result[-1] == "":
        result.pop()
    return result


def difference(expected, found):
    """The first line that is not as expected, or None; `…` stands for any number of lines."""
    if "…" in expected:
        at = expected.index("…")
        problem = difference(expected[:at], found[:at])
        rest = expected[at + 1:]
        if problem or not rest:
            return problem
        attempts = [difference(rest, found[start:]) for start in range(at, len(found) + 1)]
        return None if None in attempts else attempts[0]
    for line, other in zip(expected, found):
        if line != other:
            return f"the page has    {line}\n    it is now       {other}"
    if len(expected) != len(found):
        longer = expected if len(expected) > len(found) else found
        return f"{len(expected)} lines on the page, {len(found)} now: {longer[min(len(expected), len(found))]!r}"
    return None


class Reader:
    """Somebody who types what the pages say: the folder, the environment, and what happened."""

    def __init__(self, folder, build, whole):
        self.folder, self.whole = folder, whole
        self.environment = {**os.environ, "HOME": str(folder / "home"), "LC_ALL": "C.UTF-8"}
        for name in ("COLUMNS", "XDG_CACHE_HOME"):
            self.environment.pop(name, None)
        (folder / "home").mkdir()
        # What a reader before this one left in the clone is not there.
        made = {"bridge.h5", "report.html", "matrices", "results", "app.cpp", "app"}
        for entry in ROOT.iterdir():
            if entry.name not in {"build", ".git"} | made:
                (folder / entry.name).symlink_to(entry)
        (folder / "build").mkdir()
        for tree in ("openmp", "cuda"):
            (folder / "build" / tree).symlink_to(build.resolve())
        self.page, self.done, self.problems, self.helps, self.outputs = "", [], [], {}, {}

    def note(self, what, how):
        self.done.append((how, what))

    def problem(self, line, text):
        self.problems.append(f"{self.page}:{line + 1}: {text}")

    def run(self, script, hide_gpu=False):
        """What it prints, or a problem. What it does to PATH stays."""
        leave = self.folder / ".environment"
        environment = {**self.environment, **({"CUDA_VISIBLE_DEVICES": ""} if hide_gpu else {})}
        try:
            done = subprocess.run(["bash", "-e", "-c", f"{script}\nenv -0 > {shlex.quote(str(leave))}"], env=environment,
                                  cwd=self.folder, capture_output=True, text=True, timeout=LIMIT, check=False)
        except subprocess.TimeoutExpired:
            raise Problem(f"{script}\n    took more than {LIMIT} s") from None
        if done.returncode != 0:
            raise Problem(f"{script}\n    exit status {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-3000:]}")
        for pair in leave.read_text().split("\0"):
            name, _, value = pair.partition("=")
            if name == "PATH":
                self.environment["PATH"] = value
        return done.stdout.splitlines()

    def help_of(self, tool):
        if tool not in self.helps:
            self.helps[tool] = "\n".join(self.run(f"{tool} --help"))
        return self.helps[tool]

    def check_options(self, line, tool, text):
        text = text.split(" -- ")[0]  # what is behind it is for another program
        for option in re.findall(r"(?<![\w-])--?[A-Za-z][\w-]*", text):
            if not re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", self.help_of(tool)):
                self.problem(line, f"{tool} has no option {option}")

    def program(self, block):
        """As a project of C++ alone that finds what was installed, run in the folder."""
        names = re.findall(r"`(\w+)\.cpp`:\s*$", block.before)
        if not names:
            raise Problem("the text before it does not name the file that it is: `NAME.cpp`:")
        name, start = names[0], time.monotonic()
        project = self.folder / f"{name}.project"
        project.mkdir()
        (self.folder / f"{name}.cpp").write_text("\n".join(block.lines) + "\n")
        (project / "CMakeLists.txt").write_text(PROJECT.format(name=name))
        self.run(f"cmake -S {project} -B {project}/build -DCMAKE_PREFIX_PATH=$HOME/sparsmith\n"
                 f"cmake --build {project}/build\n{project}/build/{name}", hide_gpu=True)
        self.note(f"{name}.cpp", f"built and run in {time.monotonic() - start:.1f} s")

    def commands(self, block):
        script = "\n".join(block.lines)
        if re.search(r"^make ", script, re.M) and not self.whole:
            self.note(" ; ".join(line.split("#")[0].strip() for line in block.lines),
                      "not run: builds and tests everything, which a test cannot; --whole does")
            return
        start = time.monotonic()
        if re.search(r"^make ", script, re.M):
            # In the clone itself, for as long as it takes.
            if subprocess.run(["bash", "-e", "-c", script], cwd=ROOT, check=False).returncode != 0:
                raise Problem(script)
        else:
            self.run(script)
        self.note(" ; ".join(line.split("#")[0].strip() for line in block.lines),
                  f"ran in {time.monotonic() - start:.1f} s")

    def shortened(self, command):
        short = re.sub(r"(?<=[?&])(n|rows|cols)=(\d{3,})\d(?!\d)", r"\1=\2", command)
        if command.split()[0] not in MEASURING:
            return short
        if "--exhaustive" in command:
            return re.sub(r" --samples \d+", "", short) + " --samples 1"
        return short + " --budget 1"

    def output_of(self, command, hide_gpu):
        """What it prints, and how long that took; not run again where it writes nothing."""
        seen = (command, hide_gpu)
        if seen in self.outputs and not writes(command):
            return self.outputs[seen], "ran before"
        start = time.monotonic()
        self.outputs[seen] = self.run(command, hide_gpu)
        return self.outputs[seen], f"ran in {time.monotonic() - start:.1f} s"

    def command(self, line, command, expected, update=None):
        """One command; what is expected of its output, None where the page shows none."""
        tool = command.split()[0]
        if tool in TOOLS and (is_usage(command) or is_mention(command)):
            self.check_options(line, tool, command)
            self.note(command, "usage: its options are the tool's")
            return
        from_gpu = expected is not None and any("NVIDIA" in text or "cusparse" in text for text in expected)
        measures = expected is None and tool in MEASURING and "gen:" in command
        run = self.shortened(command) if from_gpu or measures else command
        found, ran = self.output_of(run, hide_gpu=expected is not None and not from_gpu)
        if expected is None:
            self.note(run, ran)
        elif from_gpu:
            self.note(run, f"{ran}, its output not compared: {self.page} shows a GPU's, for {command}")
        else:
            problem = difference(shape(expected), shape(found))
            if problem and update is None:
                raise Problem(f"{command}: {problem}")
            if problem:
                update(found)
            self.note(run, f"{ran}, " + ("its output written" if problem else f"prints what {self.page} shows"))


def new_output(lines, start, end, expected, found):
    """Into the lines of the block; the device stays as the page has it."""
    if "…" in expected:
        raise Problem("has …: what is left out is for a person to decide")
    shown = [line for line, about in about_device(expected) if about]
    written = []
    for line, about in about_device(found):
        if not about:
            written.append(line)
        elif line.startswith("device "):
            written += shown or [line]
    lines[start:end] = written
    return len(written)


def transcript(reader, block, lines, shift, update):
    """Commands behind `$`, each with what it prints. Returns by how many lines the block has grown."""
    starts = [i for i, line in enumerate(block.lines) if line.startswith("$ ")] + [len(block.lines)]
    grown = 0
    for i, end in zip(starts, starts[1:]):
        expected = block.lines[i + 1:end]
        at = block.first + shift + grown + i + 1

        def replace(found, at=at, expected=expected):
            nonlocal grown
            grown += new_output(lines, at, at + len(expected), expected, found) - len(expected)

        reader.command(block.first + i, block.lines[i][2:], expected, replace if update else None)
    return grown


def is_transcript(block):
    return any(line.startswith("$ ") for line in block.lines)


def follow(reader, lines, update):
    """All blocks in their order; `lines` is changed where output is written anew."""
    shift = 0
    for block in blocks_of(list(lines)):
        try:
            if block.language == "cpp":
                reader.program(block)
            elif is_transcript(block):
                shift += transcript(reader, block, lines, shift, update)
            elif block.language == "sh":
                reader.commands(block)
            elif block.language == "python":
                reader.note("a program in Python", "run by tests/python, where the package is built")
            elif block.language == "":
                for i, line in enumerate(block.lines):
                    if not is_usage(line):
                        raise Problem(f"neither usage nor a command behind `$`: {line}")
                    reader.command(block.first + i, line, None)
            else:
                raise Problem(f"nobody knows what to do with {block.language}")
        except Problem as problem:
            reader.problem(block.first, str(problem))


def outside_blocks(lines):
    inside = False
    for number, line in enumerate(lines):
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            yield number, line


def follow_text(reader, lines):
    """Commands between backquotes, options in tables."""
    tool, options = None, 0
    for number, line in outside_blocks(lines):
        if line.startswith("# "):
            tool = next((name for name in TOOLS if name in line), None)
        codes = [code.replace("\\|", "|") for code in re.findall(r"`([^`]+)`", line)]
        try:
            if tool and line.startswith("| `-"):
                for code in re.findall(r"`(-[^`]+)`", line.replace("\\|", "/").split("|")[1]):
                    reader.check_options(number, tool, code)
                    options += 1
            for code in codes:
                if code.split()[0] in TOOLS and " " in code:
                    reader.command(number, code, None)
                elif code.startswith("docs/") and " " in code:
                    reader.note(code, "not run: takes minutes; the test `experiments` is about it")
        except Problem as problem:
            reader.problem(number, str(problem))
    if options:
        reader.note(f"{options} options in tables", f"are in {tool}'s --help")


def anchor_of(heading):
    """What a heading is called in an address."""
    return re.sub(r"[^\w\- ]", "", heading.lstrip("# ").lower()).replace(" ", "-")


def follow_links(reader):
    """Of all papers: to files that are there, and to headings in them."""
    papers = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    headings = {}
    for paper in papers:
        lines = outside_blocks(paper.read_text().split("\n"))
        headings[paper] = {anchor_of(line) for _, line in lines if line.startswith("#")}
    links = 0
    for paper in papers:
        reader.page = str(paper.relative_to(ROOT))
        for number, line in outside_blocks(paper.read_text().split("\n")):
            for target, anchor in re.findall(r"(?:\]\(|src=\")([^)#:\"]*)(?:#([^)\"]*))?[)\"]", line):
                path = (paper.parent / target).resolve() if target else paper
                if not path.exists():
                    reader.problem(number, f"there is no {target}")
                elif anchor and anchor not in headings.get(path, {anchor}):
                    reader.problem(number, f"{target or reader.page} has no heading {anchor}")
                links += 1
    reader.note(f"{links} links in {len(papers)} papers", "lead to files and headings that are there")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--whole", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        reader = Reader(pathlib.Path(scratch), options.build, options.whole)
        for page in PAGES:
            before = (ROOT / page).read_text()
            lines = before.split("\n")
            reader.page = page
            follow(reader, lines, options.update)
            follow_text(reader, lines)
            if options.update and before != "\n".join(lines):
                (ROOT / page).write_text("\n".join(lines))
                reader.note(page, "written")
        follow_links(reader)
    for how, what in reader.done:
        print(f"{what}\n    {how}")
    for problem in reader.problems:
        print(problem, file=sys.stderr)
    print(f"readme_check: {len(reader.done)} things followed, {len(reader.problems)} problems")
    sys.exit(1 if reader.problems else 0)


if __name__ == "__main__":
    main()
