#!/usr/bin/env python3
"""Completion and manual pages as they are used: completes in a shell, or has man's programs look for mistakes. Skipped where
the shell or the programs are not here.

    shell_check.py bash|fish|zsh|manuals FOLDER TOOL...

FOLDER holds what the build wrote; the TOOLs are programs, `sparsmith` among them."""
import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

FORMATS = ("coo csr csc ell sell hyb dia bsr csb ecsb gcsb gcsb_tile csr_half dia_half bsr_half gcsb_tile_half").split()
# What is typed, and all that is offered.
CASES = {
    "spconv --to ": [*FORMATS, "mtx"],
    "spconv a.mtx --to=cs": ["csr", "csc", "csb", "csr_half"],
    "spconv --device ": ["auto", "cuda", "gpu", "cpu"],
    "spconv --container n": ["npz"],
    "spconv --block ": ["auto"],
    "spconv --laye": [],
    "spconv --lay": ["--layout"],
    "spconv a": ["a.mtx", "a b.mtx"],
    "spconv sub": ["sub/"],
    "spconv -o a.": ["a.mtx"],
    "spconv --output a.": ["a.mtx"],
    "spconv gen:la": ["gen:laplace2d", "gen:laplace3d"],
    "spconv gen:rm": ["gen:rmat"],
    "spconv --threads ": [],
    "spbatch --out ": ["sub/"],
    "spanalyze --png a.": ["a.mtx"],
    "sprecommend --formats csr,ds": [],
    "sprecommend --formats csr,gcsb": ["csr,gcsb", "csr,gcsb_tile", "csr,gcsb_tile_half"],
    "sprecommend --mix n": ["normal"],
    "sprecommend --kernels csr/omp,vend": ["csr/omp,vendor"],
    "sparsmith con": ["convert"],
    "sparsmith help b": ["batch"],
    "sparsmith convert --to di": ["dia", "dia_half"],
    "sparsmith convert a.mtx --lay": ["--layout"],
    "sparsmith batch --out ": ["sub/"],
    "sparsmith recommend gen:rm": ["gen:rmat"],
}
problems = []


def expect(what, found, wanted):
    if sorted(found) != sorted(wanted):
        problems.append(f"{what}: {sorted(found)}, and not {sorted(wanted)}")


def options_in_help(tool):
    """All names that --help lists."""
    text = subprocess.run([tool, "--help"], capture_output=True, text=True, check=True).stdout
    return {name for line in re.findall(r"^  (-[^ ]*)", text, re.M) for name in line.split(",")}


# ---- bash ----

BASH = r"""
source "$1"; shift
IFS= read -r line
# As readline breaks a line, where nothing is in quotes.
COMP_LINE=$line COMP_POINT=${#line}
mapfile -t COMP_WORDS < <(printf '%s' "$line" | grep -oE '[^ :=]+|[:=]+')
[[ $line == *[\ ] ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
set -- $(complete -p "${COMP_WORDS[0]}")
while [[ $1 != -F ]]; do shift; done
$2
((${#COMPREPLY[@]} == 0)) || printf '%s\n' "${COMPREPLY[@]}"
"""


def completed_by_bash(script, typed, folder):
    ran = subprocess.run(["bash", "--norc", "-c", BASH, "bash", str(script)], input=typed + "\n", cwd=folder, capture_output=True,
                         text=True)
    if ran.stderr:
        problems.append(f"bash, {typed}: {ran.stderr}")
    # readline replaces what stands behind the last = or :, and marks folders itself.
    kept = re.search(r"[^ ]*[:=]|", typed.split(" ")[-1])[0]
    kept = kept.split("=")[-1]
    return [kept + line + ("/" if (folder / (kept + line)).is_dir() else "") for line in ran.stdout.splitlines()]


def check_bash(files, tools, folder, home):
    for file in ("sparsmith", *tools):
        script = files / f"{file}.bash"
        for typed, wanted in CASES.items():
            if typed.startswith(file + " "):
                expect(f"bash, {typed}", completed_by_bash(script, typed, folder), wanted)
    for name, path in tools.items():
        expect(f"bash, options of {name}",
               completed_by_bash(files / f"{name}.bash", f"{name} --", folder),
               [option for option in options_in_help(path) if option.startswith("--")])
        for option in options_in_help(path):
            expect(f"bash, {name} {option}", completed_by_bash(files / f"{name}.bash", f"{name} {option}", folder),
                   [known for known in options_in_help(path) if known.startswith(option)])


# ---- fish ----

def completed_by_fish(files, typed, folder, home):
    command = "".join(f"source '{file}'; " for file in sorted(files.glob("*.fish"))) + "read -l typed; complete -C $typed"
    ran = subprocess.run(["fish", "--no-config", "-c", command], input=typed + "\n", cwd=folder, capture_output=True, text=True,
                         env=dict(os.environ, HOME=str(home), LC_ALL="C.UTF-8"))
    if ran.returncode != 0 or ran.stderr:
        problems.append(f"fish, {typed}: {ran.stderr}")
    return [line.split("\t")[0].split("=")[-1] for line in ran.stdout.splitlines()]


def check_fish(files, tools, folder, home):
    for file in files.glob("*.fish"):
        if subprocess.run(["fish", "-n", str(file)]).returncode != 0:
            problems.append(f"fish -n {file}")
    for typed, wanted in CASES.items():
        found = completed_by_fish(files, typed, folder, home)
        expect(f"fish, {typed}", [name for name in found if name.startswith(typed.split(" ")[-1].split("=")[-1])], wanted)
    for name, path in tools.items():
        expect(f"fish, options of {name}", completed_by_fish(files, f"{name} -", folder, home), options_in_help(path))


# ---- zsh ----

class zsh:
    """An interactive shell on a terminal of its own: only there does zsh complete."""

    def __init__(self, files, folder, home):
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe("zsh", ["zsh", "-f", "-i"], dict(os.environ, HOME=str(home), TERM="dumb", LC_ALL="C.UTF-8", PS1="$ "))
        self.say(f"fpath=('{files}' $fpath); autoload -Uz compinit && compinit -u -D; zstyle ':completion:*' verbose no; "
                 "LISTMAX=10000; unsetopt beep; bindkey '^I' list-choices; print RE''ADY\n")
        self.wait("READY")

    def say(self, text):
        os.write(self.terminal, text.encode())

    def wait(self, pattern, seconds=20):
        written, until = "", time.monotonic() + seconds
        while time.monotonic() < until and not re.search(pattern, written):
            if select.select([self.terminal], [], [], 0.2)[0]:
                written += os.read(self.terminal, 65536).decode("utf-8", "replace")
        return written

    def offered(self, typed):
        """The words that are listed; those of one alone are not told from what was typed."""
        self.say(f"{typed}\t")
        text = self.wait(r"\n.*\n", 3)
        self.say("\x15print DO''NE\n")
        text += self.wait("DONE")
        text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", " ", text)
        return set(re.findall(r"[\w:/.,=-]+", text))

    def end(self):
        os.close(self.terminal)
        os.waitpid(self.process, 0)


def check_zsh(files, tools, folder, home):
    if subprocess.run(["zsh", "-n", str(files / "_sparsmith")]).returncode != 0:
        problems.append("zsh -n _sparsmith")
    shell = zsh(files, folder, home)
    for typed, wanted in CASES.items():
        if len(wanted) < 2 or "," in typed:
            continue
        found = shell.offered(typed)
        missing = [name for name in wanted if not set(name.split()) <= found]
        if missing:
            problems.append(f"zsh, {typed}: {missing} is not offered, but {sorted(found)}")
    for name, path in tools.items():
        missing = options_in_help(path) - shell.offered(f"{name} -")
        if missing:
            problems.append(f"zsh, options of {name}: {sorted(missing)} is not offered")
    shell.end()


# ---- manual pages ----

def has_program(name):
    """Small Ubuntus have a man that only says how to install man."""
    if not shutil.which(name):
        return False
    return name != "man" or subprocess.run(["man", "--version"], capture_output=True, text=True).stdout.startswith("man ")


def check_manuals(files, tools, folder, home):
    for name, path in tools.items():
        page = files / f"{name}.1"
        text = page.read_text()
        for section in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLES", "EXIT STATUS", "SEE ALSO"):
            if f".SH {section}\n" not in text:
                problems.append(f"{page.name} has no {section}")
        terms = {name for line in text.splitlines() if line.startswith("\\fB\\-")
                 for name in re.findall(r"\\fB([^ ,]*?)\\fR", line.replace("\\-", "-"))}
        expect(f"options of {page.name}", terms, options_in_help(path))
        help_text = subprocess.run([path, "--help"], capture_output=True, text=True, check=True).stdout
        for word in re.findall(r"^  ((?:sp|sparsmith)\S* .*[^\\])$", help_text.split("Examples:")[1], re.M):
            if word not in re.sub(r"\\-", "-", text).replace("\\(aq", "'"):
                problems.append(f"{page.name} lacks the example {word}")
        if shutil.which("mandoc"):
            ran = subprocess.run(["mandoc", "-T", "lint", "-W", "style", str(page)], capture_output=True, text=True)
            # That other pages are not installed here is no mistake of this one.
            lines = [line for line in ran.stdout.splitlines() if "referenced manual not found" not in line]
            if lines:
                problems.append("\n".join(lines))
        if has_program("man"):
            ran = subprocess.run(["man", "--warnings", "-l", str(page)], capture_output=True, text=True, env=dict(os.environ, LC_ALL="C.UTF-8"))
            if ran.stderr or ran.returncode != 0 or "SYNOPSIS" not in re.sub(".\b", "", ran.stdout):
                problems.append(f"man {page}: {ran.stderr}")


CHECKS = {"bash": (check_bash, ["bash"]), "fish": (check_fish, ["fish"]), "zsh": (check_zsh, ["zsh"]),
          "manuals": (check_manuals, ["mandoc", "man"])}


def main():
    check, programs = CHECKS[sys.argv[1]]
    files = pathlib.Path(sys.argv[2]).resolve()
    tools = {pathlib.Path(path).name: path for path in sys.argv[3:]}
    missing = [program for program in programs if not has_program(program)]
    if check is not check_manuals and missing:
        print(f"SKIPPED: there is no {missing[0]} here")
        return 77
    with tempfile.TemporaryDirectory() as made:
        folder, home = pathlib.Path(made, "here"), pathlib.Path(made, "home")
        (folder / "sub").mkdir(parents=True)
        home.mkdir()
        for name in ("a.mtx", "a b.mtx"):
            (folder / name).touch()
        check(files, tools, folder, home)
    for problem in problems:
        print(problem)
    print(f"shell_check: {len(problems)} problems")
    if not problems and missing == programs:
        print("SKIPPED: neither mandoc nor man is here to look for mistakes; the rest is right")
        return 77
    return 1 if problems else 0


sys.exit(main())
