#!/usr/bin/env python3
"""Writes completion for bash, zsh and fish and manual pages, all of it from what the tools say of themselves
(--describe), so that an option stands in one place only.

    completion_and_manuals.py FOLDER VERSION SPARSMITH TOOL...

SPARSMITH and the TOOLs are programs. The files of FOLDER are named as they are installed."""
import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import textwrap


def described(program):
    ran = subprocess.run([program, "--describe"], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if ran.returncode != 0:
        sys.exit(f"completion_and_manuals: {program} --describe: {ran.stderr.strip()}")
    return json.loads(ran.stdout)


def words_of(option):
    return [word for word in dict.fromkeys(option.get("words", [])) if word]


def kind_of(option):
    """What may follow an option: nothing, a file, a folder, one of some words, several with commas, or what cannot be
    completed."""
    if not option["takes"]:
        return "nothing"
    if words_of(option):
        return "list" if option["list"] else "word"
    return {"FILE": "file", "DIR": "folder"}.get(option["takes"], "something")


def in_short(meaning):
    """What fits beside an option in a list."""
    return textwrap.shorten(re.split(r"[;.] ", meaning)[0], 72, placeholder=" ...")


def single_quoted(text):
    """For bash and zsh; fish has an escape of its own for the quote."""
    return "'" + text.replace("'", "'\\''") + "'"


# ---- bash ----

BASH = """\
# Completion for bash of @tools@; made from their own options.

# What follows an option of a tool: sets `takes` and `words`.
_sparsmith_takes() {
  takes=nothing words=""
  case "$1 $2" in
@cases@
  esac
}

_sparsmith_options() {
  case $1 in
@options@
  esac
}

_sparsmith_complete() {
  COMPREPLY=()
  # The shell breaks words at = and : as well; here they are whole again.
  local -a typed=() found=()
  local i piece broken="" takes words
  for ((i = 0; i <= COMP_CWORD; ++i)); do
    piece=${COMP_WORDS[i]}
    if [[ ${#typed[@]} -gt 0 && $piece && -z ${piece//[:=]/} ]]; then
      typed[${#typed[@]} - 1]+=$piece broken=1
    elif [[ $broken ]]; then
      typed[${#typed[@]} - 1]+=$piece broken=""
    else
      typed+=("$piece")
    fi
  done
  local count=${#typed[@]}
  ((count > 1)) || return 0
  local tool=${typed[0]##*/} word=${typed[count - 1]} previous=${typed[count - 2]} before=""
  # What comes before the part that the shell will replace.
  [[ ${piece//[:=]/} ]] || piece=""
  local kept=${word%"$piece"}

  if [[ $tool == sparsmith ]]; then
    if ((count == 2)); then
      words="@commands@ help"
      [[ $word != -* ]] || words="-h --help --version"
      mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
      return 0
    fi
    case ${typed[1]} in
@tools_of_commands@
      help)
        ((count > 3)) || mapfile -t COMPREPLY < <(compgen -W "@commands@" -- "$word")
        return 0
        ;;
      *) return 0 ;;
    esac
  fi

  if [[ $word == --*=* ]]; then
    previous=${word%%=*} before=$previous=
    word=${word#*=}
  fi
  _sparsmith_takes "$tool" "$previous"
  case $takes in
    word) mapfile -t found < <(compgen -W "$words" -- "$word") ;;
    list)
      [[ $word == *,* ]] && before+=${word%,*},
      mapfile -t found < <(compgen -W "$words" -- "${word##*,}")
      ;;
    file | folder)
      if [[ $takes == file ]]; then
        mapfile -t found < <(compgen -f -- "$word")
      else
        mapfile -t found < <(compgen -d -- "$word")
      fi
      compopt -o filenames 2>/dev/null
      ;;
    nothing)
      if [[ $word == -* ]]; then
        mapfile -t found < <(compgen -W "$(_sparsmith_options "$tool")" -- "$word")
      else
        mapfile -t found < <(compgen -f -- "$word")
        # Names of files are quoted where they need it; a generator's colon must not be.
        ((${#found[@]} == 0)) || compopt -o filenames 2>/dev/null
        mapfile -t -O ${#found[@]} found < <(compgen -W "@generators@" -- "$word")
      fi
      ;;
  esac
  [[ $takes == nothing || $takes == file || $takes == folder ]] || compopt +o default 2>/dev/null
  for piece in "${found[@]}"; do
    piece=$before$piece
    COMPREPLY+=("${piece#"$kept"}")
  done
}

complete -o default -F _sparsmith_complete @tools@
"""


def for_bash(commands, tools):
    cases, options = [], []
    for tool in tools:
        for option in tool["options"]:
            kind = kind_of(option)
            if kind == "nothing":
                continue
            pattern = " | ".join(f'"{tool["name"]} {name}"' for name in option["names"])
            words = f' words="{" ".join(words_of(option))}"' if words_of(option) else ""
            cases.append(f'    {pattern}) takes="{kind}"{words} ;;')
        names = " ".join(name for option in tool["options"] for name in option["names"])
        options.append(f'    {tool["name"]}) echo "{names}" ;;')
    return {"cases": "\n".join(cases), "options": "\n".join(options),
            "tools_of_commands": "\n".join(f"      {c['word']} | {c['tool']}) tool={c['tool']} ;;" for c in commands)}


# ---- zsh ----

ZSH = """\
#compdef @tools@
# Completion for zsh; made from the tools' own options.

_sparsmith_input() {
  _alternative 'files:file:_files' 'generators:generator:compadd -S "" -- @generators@'
}

@functions@

_sparsmith() {
  case $service in
    @names@) _sparsmith_$service; return ;;
  esac
  local -a commands=(
@commands_described@
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    [[ $PREFIX != -* ]] || compadd -- -h --help --version
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
@calls@
    help) (( CURRENT == 2 )) && _describe -t commands command commands ;;
  esac
}

_sparsmith "$@"
"""


def for_zsh(commands, tools):
    functions = []
    for tool in tools:
        specs = []
        for option in tool["options"]:
            kind, names = kind_of(option), option["names"]
            words = " ".join(words_of(option))
            what = f":{option['takes']}:" if option["takes"] else ""
            what += {"word": f"({words})", "list": f"_sequence compadd - {words}", "file": "_files",
                     "folder": "_files -/", "something": " "}.get(kind, "")
            for name in names:
                others = f"({' '.join(names)})" if len(names) > 1 else ""
                takes = "" if kind == "nothing" else "=" if name.startswith("--") else "+"
                specs.append(single_quoted(f"{others}{name}{takes}[{escaped_for_zsh(in_short(option['meaning']))}]{what}"))
        for argument in tool["arguments"]:
            specs.append(single_quoted(f"{'*' if argument['several'] else ''}:{argument['name']}:_sparsmith_input"))
        functions.append(f"_sparsmith_{tool['name']}() {{\n  _arguments -S \\\n    " + " \\\n    ".join(specs) + "\n}")
    return {"functions": "\n\n".join(functions), "names": " | ".join(tool["name"] for tool in tools),
            "commands_described": "\n".join("    " + single_quoted(f"{c['word']}:{c['purpose']}") for c in commands),
            "calls": "\n".join(f"    {c['word']} | {c['tool']}) _sparsmith_{c['tool']} ;;" for c in commands)}


def escaped_for_zsh(text):
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


# ---- fish ----

def quoted_for_fish(text):
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def fish_options(command, condition, tool):
    lines = []
    for option in tool["options"]:
        names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option["names"])
        words = quoted_for_fish(" ".join(words_of(option)))
        takes = {"word": f" -x -a {words}", "list": f" -x -a \"(__fish_append , {words[1:-1]})\"", "file": " -r -F",
                 "folder": " -x -a '(__fish_complete_directories)'", "something": " -x"}.get(kind_of(option), "")
        lines.append(f"complete -c {command}{condition} {names}{takes} -d {quoted_for_fish(in_short(option['meaning']))}")
    lines.append(f"complete -c {command}{condition} -F -a {quoted_for_fish(' '.join(tool['generators']))}")
    return lines


def for_fish(commands, tools):
    texts = {}
    for tool in tools:
        texts[tool["name"]] = fish_options(tool["name"], "", tool)
    words = " ".join(c["word"] for c in commands)
    lines = ["complete -c sparsmith -n __fish_use_subcommand -f"]
    for command in commands:
        lines.append(f"complete -c sparsmith -n __fish_use_subcommand -a {command['word']} -d {quoted_for_fish(command['purpose'])}")
    lines += ["complete -c sparsmith -n __fish_use_subcommand -a help -d 'show what a command takes'",
              "complete -c sparsmith -n __fish_use_subcommand -s h -l help -d 'list the commands'",
              "complete -c sparsmith -n __fish_use_subcommand -l version -d 'print the version'",
              f"complete -c sparsmith -n '__fish_seen_subcommand_from help' -f -a '{words}'"]
    for command, tool in zip(commands, tools):
        condition = f" -n '__fish_seen_subcommand_from {command['word']}; and not __fish_seen_subcommand_from help'"
        lines += fish_options("sparsmith", condition, tool)
    texts["sparsmith"] = lines
    return {name: f"# Completion for fish of {name}; made from the tools' own options.\n" + "\n".join(lines) + "\n"
            for name, lines in texts.items()}


# ---- manual pages ----

ROFF = {"\\": "\\(rs", "-": "\\-", "'": "\\(aq", "^": "\\(ha", "~": "\\(ti", "`": "\\(ga"}


def roff(text):
    escaped = "".join(ROFF.get(character, character) for character in text)
    return "\\&" + escaped if escaped.startswith(".") else escaped


def option_term(option):
    term = ", ".join(f"\\fB{roff(name)}\\fR" for name in option["names"])
    return term + (f" \\fI{option['takes']}\\fR" if option["takes"] else "")


def broken(lines):
    """As long as a line of roff should be; examples stay as they are."""
    as_typed = False
    for line in lines:
        as_typed = line == ".EX" or (as_typed and line != ".EE")
        if as_typed or line.startswith("."):
            yield line
            continue
        for part in textwrap.wrap(line, 78, break_long_words=False, break_on_hyphens=False):
            yield "\\&" + part if part.startswith(".") else part


def page(name, version, sections):
    date = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", datetime.datetime.now().timestamp())),
                                           datetime.timezone.utc).date()
    # Names of options are not to be broken.
    lines = [f'.TH {name.upper()} 1 {date} "Sparsmith {version}" "Sparsmith"', ".nh", ".ad l"]
    for title, text in sections:
        if text:
            lines += [f".SH {title}", *broken(text)]
    return "\n".join(lines) + "\n"


def terms(pairs):
    return [line for term, meaning in pairs for line in (".TP", term, meaning)]


def examples_of(told):
    return [".EX", *map(roff, told["examples"]), ".EE"]


def see_also(names):
    return [f".BR {name} (1)" + ("," if name != names[-1] else "") for name in names]


def manual_of_tool(tool, command, version, others):
    usage = [f"\\fI{roff(a['name'])}\\fR" + (" .\\|.\\|." if a["several"] else "") for a in tool["arguments"]]
    usage = [use if a["required"] else f"[{use}]" for use, a in zip(usage, tool["arguments"])]
    generators = ", ".join(f"\\fB{roff(name)}\\fR" for name in tool["generators"])
    description = [roff(tool["description"]), ".PP", "A generator makes a matrix and stands where a file\\(aqs name would: "
                   f"{generators}; \\fB\\-\\-help\\-generators\\fR tells their parameters."]
    for remark in tool["remarks"]:
        description += [".PP", roff(remark)]
    description += [".PP", f"\\fBsparsmith {command['word']}\\fR is another name of \\fB{tool['name']}\\fR."]
    return page(tool["name"], version, [
        ("NAME", [f"{tool['name']} \\- {roff(command['purpose'])}"]),
        ("SYNOPSIS", [f".B {tool['name']}", "[\\fIOPTIONS\\fR] " + " ".join(usage)]),
        ("DESCRIPTION", description),
        ("ARGUMENTS", terms((f"\\fI{roff(a['name'])}\\fR", roff(a["meaning"])) for a in tool["arguments"])),
        ("OPTIONS", terms((option_term(o), roff(o["meaning"])) for o in tool["options"])),
        ("EXAMPLES", examples_of(tool)),
        ("EXIT STATUS", terms((roff(status), roff(meaning)) for status, meaning in tool["exit_statuses"])),
        ("SEE ALSO", see_also(others))])


def manual_of_sparsmith(told, version):
    commands = [(f"\\fB{c['word']}\\fR", f"{roff(c['purpose'][:1].upper() + c['purpose'][1:])}"
                 + (f": \\fB{c['tool']}\\fR(1)." if "tool" in c else ".")) for c in told["commands"]]
    return page("sparsmith", version, [
        ("NAME", [f"sparsmith \\- {roff(told['purpose'])}"]),
        ("SYNOPSIS", [".B sparsmith", "\\fICOMMAND\\fR .\\|.\\|."]),
        ("DESCRIPTION", ["Lists the tools and runs them. A tool is looked for beside \\fBsparsmith\\fR itself, then on "
                         "\\fBPATH\\fR, and gets all that stands behind the command."]),
        ("COMMANDS", terms(commands)),
        ("OPTIONS", terms((option_term(o), roff(o["meaning"])) for o in told["options"])),
        ("EXAMPLES", examples_of(told)),
        ("EXIT STATUS", ["That of the tool; 2 where there is no such command."]),
        ("SEE ALSO", see_also([c["tool"] for c in told["commands"] if "tool" in c]))])


def main():
    folder, version = pathlib.Path(sys.argv[1]), sys.argv[2]
    front, *tools = [described(program) for program in sys.argv[3:]]
    commands = [c for c in front["commands"] if "tool" in c]
    by_name = {tool["name"]: tool for tool in tools}
    tools = [by_name[c["tool"]] for c in commands]
    names = [front["name"], *by_name]

    def fill(template, values):
        values = {"tools": " ".join(names), "commands": " ".join(c["word"] for c in commands),
                  "generators": " ".join(tools[0]["generators"]), **values}
        return re.sub(r"@([a-z_]+)@", lambda found: values[found[1]], template)

    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sparsmith.bash").write_text(fill(BASH, for_bash(commands, tools)), encoding="utf-8")
    # bash looks for a file with the name of what is completed.
    for name in by_name:
        link = folder / f"{name}.bash"
        link.unlink(missing_ok=True)
        link.symlink_to("sparsmith.bash")
    (folder / "_sparsmith").write_text(fill(ZSH, for_zsh(commands, tools)), encoding="utf-8")
    for name, text in for_fish(commands, tools).items():
        (folder / f"{name}.fish").write_text(text, encoding="utf-8")
    for command, tool in zip(commands, tools):
        others = [name for name in names if name != tool["name"]]
        (folder / f"{tool['name']}.1").write_text(manual_of_tool(tool, command, version, others), encoding="utf-8")
    (folder / "sparsmith.1").write_text(manual_of_sparsmith(front, version), encoding="utf-8")


main()
