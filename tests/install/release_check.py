"""What `make release` refuses before it builds anything: release_check.py SOURCES WORKDIR

In a repository of three files beside the script itself. Exit 77: no git.
"""
import pathlib
import shutil
import subprocess
import sys


def main():
    if shutil.which("git") is None:
        print("release_check: SKIPPED, no git")
        sys.exit(77)
    sources, tree = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    shutil.rmtree(tree, ignore_errors=True)
    (tree / "cmake").mkdir(parents=True)
    shutil.copy(sources / "cmake" / "release.sh", tree / "cmake")
    shutil.copy(sources / "Makefile", tree)
    shutil.copy(sources / "cmake" / "find_gpu.sh", tree / "cmake")
    shutil.copy(sources / "cmake" / "have_nvcc.sh", tree / "cmake")
    failures = []

    def git(*arguments):
        subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@x.invalid", *arguments], cwd=tree, check=True,
                       stdout=subprocess.DEVNULL)

    def write(version, headings):
        (tree / "CMakeLists.txt").write_text(f"project(sparsmith VERSION {version} LANGUAGES CXX)\n")
        (tree / "CHANGELOG.md").write_text("# Changelog\n\n" + "".join(f"## {heading}\n\n- new\n\n" for heading in headings))
        git("add", "-A")
        git("commit", "-q", "--allow-empty", "-m", "a step")

    def expect(what, part, *command, status=1):
        done = subprocess.run(command, cwd=tree, capture_output=True, text=True, timeout=60)
        said = done.stderr if status else done.stdout
        if (done.returncode != 0) != (status != 0) or part not in said or (tree / "build").exists():
            failures.append(what)
            print(f"FAILED {what}: exit {done.returncode}: {done.stdout}{done.stderr}")

    def check(version):
        return ["sh", "cmake/release.sh", version, "check"]

    expect("outside a repository", "this is no clone", *check("1.2.3"))
    git("init", "-q")
    write("1.2.3", ["1.2.3 (2026-11-19)", "1.2.2"])
    expect("what is ready", "1.2.3 can be made of this tree", *check("1.2.3"), status=0)
    for version in ("", "1.2", "v1.2.3", "1.2.3-rc1"):
        expect(f"the version {version!r}", "say which one: make release VERSION=1.2.3", *check(version))
    expect("make without a version", "say which one", "make", "release")
    expect("make with another version", "CMakeLists.txt says 1.2.3", "make", "release", "VERSION=1.2.4")
    (tree / "new.txt").write_text("x")
    expect("a file that git does not know", "?? new.txt", *check("1.2.3"))
    (tree / "new.txt").unlink()
    (tree / "CHANGELOG.md").write_text("## 1.2.3\n")
    expect("a changed file", "the tree is not clean", *check("1.2.3"))
    write("1.2.3", ["1.2.30", "1.2.2"])
    expect("no heading", 'CHANGELOG.md has no heading "## 1.2.3"', *check("1.2.3"))
    write("1.2.3", ["1x2.3"])
    expect("a heading that only looks like it", "has no heading", *check("1.2.3"))
    write("1.2.3", ["1.2.3 (unreleased)"])
    expect("not released yet", "put the date in its place", *check("1.2.3"))
    write("1.2.3", ["1.2.3"])
    git("tag", "v1.2.3")
    expect("tagged already, here", "can be made of this tree", *check("1.2.3"), status=0)
    write("1.2.3", ["1.2.3", "1.2.2"])
    expect("tagged already, elsewhere", "is a tag of another commit", *check("1.2.3"))
    print(f"release_check: {len(failures)} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
