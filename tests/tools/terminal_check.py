#!/usr/bin/env python3
"""Runs the tools on terminals of 40, 80 and 120 columns: no line of theirs may be wider, and progress is
written over and gone in the end.

    terminal_check.py DATA TOOL...

DATA is the folder of test matrices; a TOOL is a path whose last part is the tool's name. Errors are one line
each, however long, and are not looked at."""
import contextlib
import fcntl
import os
import pty
import re
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import unicodedata

ESCAPE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
SQUARE = "\u884c\u5217" * 15 + ".mtx"  # of characters that are two columns wide
FORMATS = "coo csr csc ell sell hyb dia bsr csb ecsb gcsb gcsb_tile".split()


def width_of(text):
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1
               for c in text)


def drawn_like(pattern, written):
    return [text for text in ESCAPE.sub("", written).split("\r") if re.search(pattern, text)]


def on_terminal(command, columns, folder, feed=None, pattern=None):
    """The exit status and all that was written to a terminal of so many columns. feed(pipe, drawn) writes the
    command's input; `drawn` is set once something that looks like the pattern was drawn, or never will be."""
    outside, inside = pty.openpty()
    fcntl.ioctl(inside, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    environment = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8",
                       XDG_CACHE_HOME=os.path.join(folder, "cache"), OMP_NUM_THREADS="2")
    environment.pop("COLUMNS", None)
    process = subprocess.Popen(command, cwd=folder, env=environment, stdout=inside, stderr=inside,
                               stdin=subprocess.DEVNULL if feed is None else subprocess.PIPE)
    os.close(inside)
    drawn = threading.Event()
    if feed is not None:
        threading.Thread(target=feed, args=(process.stdin, drawn), daemon=True).start()
    written = b""
    while True:
        try:
            piece = os.read(outside, 65536)
        except OSError:  # the other side is closed
            break
        if not piece:
            break
        written += piece
        if pattern is not None and drawn_like(pattern, written.decode("utf-8", "replace")):
            drawn.set()
    drawn.set()
    os.close(outside)
    return process.wait(), written.decode("utf-8", "replace")


def shown_at_last(written):
    """The lines as they stand in the end, what was written over or erased left out."""
    lines = []
    for line in written.split("\n"):
        cells, at = [], 0
        for part in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\r)", line):
            if part == "\r":
                at = 0
            elif part == "\x1b[K":
                del cells[at:]
            elif not ESCAPE.fullmatch(part):
                cells[at:at + len(part)] = part
                at += len(part)
        lines.append("".join(cells))
    return lines


def too_wide(written, columns, tool):
    """What stood on one line at a time and is wider than the terminal. Lines of code stay whole."""
    lines, code = [], False
    for line in written.split("\n"):
        text = ESCAPE.sub("", line).rstrip("\r")
        code = text.startswith("The lines of C++") or (code and (text == "" or text.startswith("  ")))
        if not code:
            lines.append(line)
    return [text for line in lines for text in ESCAPE.sub("", line).split("\r")
            if width_of(text) > columns and "] FAILED (" not in text
            and (not text.startswith(tool + ": ") or "both triangles" in text)]


def commands(tool, data, folder):
    """What is run at every width, with the exit status that it ends with."""
    bridge = os.path.join(data, "bridge.mtx")
    skewed, grid = "gen:rmat?scale=9", "gen:laplace2d?n=20"
    long_name = os.path.join(folder, "a-folder-with-a-long-name", "and-a-matrix-with-one-as-well.mtx")
    calls = {
        "spconv": [[skewed, "--to", name, "--max-fill", "1000", "--verify"] for name in FORMATS] + [
            ["twice.mtx", "--to", "csr"], [SQUARE, "--to", "csr"],
            [bridge, "--to", "sell", "--slice", "4", "--sigma", "12", "--verify", "-o", "bridge.h5"],
            [long_name, "--to", "mtx", "-o", long_name + ".copy.mtx"],
            [skewed, "--to", "bsr", "--block", "auto", "--max-fill", "1000"],
            ["gen:diagonal?n=300000", "--to", "gcsb"],
            ["gen:denserow?n=3000&dense=9", "--plan", "--beta", "8,2048", "--block", "4x4,auto"]],
        "spanalyze": [
            [bridge], ["twice.mtx"], [SQUARE], [long_name], [skewed, "--tile", "--rows", "--cols"],
            [bridge, skewed, grid, long_name],
            [bridge, skewed, "--full", "--tile"], ["gen:diagonal?n=200000"]],
        "sprecommend": [
            ["twice.mtx", "--predict"],
            [grid, "--budget", "0.5"], [bridge, long_name, skewed, "--predict"],
            [long_name, "--budget", "0.3", "--formats", "csr,sell"],
            [grid, skewed, "--exhaustive", "--samples", "1", "--formats", "csr,gcsb", "--beta", "16"],
            ["--list"]],
        "spbatch": [
            [skewed, grid, long_name, long_name, "--predict", "--out", "results"],
            ["broken.mtx", grid, "--analyze", "--out", "failed"], ["--report", "--out", "results"],
            [grid, "--analyze", "--shard", "1/2", "--out", "shards"]],
    }
    for arguments in calls[tool] + [["--help"], ["--help-generators"], ["--version"]]:
        yield arguments, 1 if "broken.mtx" in arguments else 0


def check_progress(tools, folder, problems):
    """Progress on a narrow terminal: seen, never wider, gone in the end."""
    def check(what, tool, arguments, pattern, feed=None):
        status, written = on_terminal([tools[tool]] + arguments, 40, folder, feed, pattern)
        if status != 0:
            problems.append(f"{what}: exit status {status}: {written}")
        if not drawn_like(pattern, written):
            problems.append(f"{what}: nothing was drawn that looks like {pattern}")
        problems.extend(f"{what}: wider than 40: {text}" for text in too_wide(written, 40, tool))
        problems.extend(f"{what}: left on the terminal: {line}" for line in shown_at_last(written)
                        if re.search(pattern, line))

    def slowly(pipe, drawn):
        pipe.write(b"%%MatrixMarket matrix coordinate real general\n2 2 2\n")
        pipe.flush()
        drawn.wait(60)  # a machine with much to do takes its time
        with contextlib.suppress(BrokenPipeError):  # of a tool that has ended, which its status tells
            pipe.write(b"1 1 1\n2 2 1\n")
            pipe.close()

    check("a slow pipe", "spconv", ["-", "--to", "csr"], r"^reading .*\d s$", slowly)
    fifo = os.path.join(folder, "a-pipe-whose-name-is-much-longer-than-a-terminal-is-wide")
    os.mkfifo(fifo)

    def into_fifo(pipe, drawn):
        pipe.close()
        with open(fifo, "wb") as out:
            slowly(out, drawn)

    check("a long name", "spanalyze", [fifo], r"\.\.\. .*\d s$", into_fifo)
    check("a generator", "spconv", ["gen:uniform?n=8192&density=0.4", "--to", "csr", "--threads", "1"],
          r"^generating .*\d s$")
    large = os.path.join(folder, "large.mtx")
    entries = 30_000_000  # a fast machine reads ten million before anything is drawn
    with open(large, "wb") as out:
        out.write(b"%%%%MatrixMarket matrix coordinate real general\n9 9 %d\n" % entries)
        out.write(b"1 1 1\n" * entries)
    check("a large file", "spconv", [large, "--to", "csr", "--threads", "1"],
          r"^reading \[[#.]+\] +\d+ % of \d")
    os.remove(large)


def main():
    data = os.path.abspath(sys.argv[1])
    tools = {os.path.basename(path): os.path.abspath(path) for path in sys.argv[2:]}
    problems, runs = [], 0
    with tempfile.TemporaryDirectory() as folder:
        named = os.path.join(folder, "a-folder-with-a-long-name")
        os.mkdir(named)
        with open(os.path.join(named, "and-a-matrix-with-one-as-well.mtx"), "w") as out:
            out.write("%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 2\n3 1 3\n")
        with open(os.path.join(folder, SQUARE), "w") as out:
            out.write("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 1\n")
        with open(os.path.join(folder, "twice.mtx"), "w") as out:
            out.write("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 1\n1 2 1\n")
        with open(os.path.join(folder, "broken.mtx"), "w") as out:
            out.write("%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n")
        for tool, path in tools.items():
            for columns in (40, 80, 120):
                for arguments, expected in commands(tool, data, folder):
                    status, written = on_terminal([path] + arguments, columns, folder)
                    runs += 1
                    called = f"{tool} {' '.join(arguments)} on {columns} columns"
                    if status != expected:
                        problems.append(f"{called}: exit status {status}: {written[-500:]}")
                    if not written.strip():
                        problems.append(f"{called}: wrote nothing")
                    problems.extend(f"{called}: {width_of(text)} columns: {text}"
                                    for text in too_wide(written, columns, tool))
        if "spconv" in tools and "spanalyze" in tools:
            check_progress(tools, folder, problems)
    for problem in problems:
        print(problem)
    print(f"{runs} runs, {len(problems)} problems")
    return 1 if problems else 0


sys.exit(main())
