#!/usr/bin/env python3
"""Takes the tournament's rules out one by one and sees which test notices: each rule below names the test that must fail
without it. Not part of `make test`, since every rule is a compilation: `make mutants` runs it.

usage: tournament_mutants.py BUILD [PART_OF_A_NAME]
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

SOURCE = "analyze/recommend/tournament.cpp"

# (the test that must fail, what the source says, what it says without the rule)
RULES = [
    ("who is clearly behind after the first samples", "if (ratio > tuning.behind_at_first)\n        leave(", "if (false)\n        leave("),
    ("who is behind after the heats leaves", "if (ratio > tuning.behind)", "if (false)"),
    ("who led the heats leaves", "    drop_those_behind();\n  }", "    remove_those_out();\n  }"),
    ("a first run far beyond the leader", "if (mine.single_seconds > tuning.far_ratio * (leader(op) + tuning.far_seconds))", "if (false)"),
    ("a variant that is expected far behind", "if (one.expected && nearest > tuning.untried_variant && std::isfinite(nearest))", "if (false)"),
    ("a kernel that is expected far behind", "expected > tuning.untried_kernel * leader(op)", "false"),
    ("a step away from a variant", "if (!(behind <= tuning.worth_varying))", "if (false)"),
    ("a step away from a variant", "!(one.expected && nearest <= tuning.worth_expecting)", "true"),
    ("who is left out has its reason", "line.refused = one.left_out;", ""),
    ("of two products a contestant stays", "if (ratio > tuning.behind_at_first) ratio = distances()(mine);", ""),
    ("bits that differ are not entered", "request_.wanted.repeatable && !info.repeatable(op) && !info.vendor", "false"),
    ("bits that differ are not entered", "(!request_.wanted.repeatable || k.info.repeatable(op))", "true"),
    ("who is wrong or lacks memory is out", "if (!track_.enter(key, mine)) continue;", "track_.enter(key, mine);"),
    ("what a variant cannot do is its line", "if (problem.category() == failure::usage || problem.category() == failure::device) throw;", ""),
    ("what a variant cannot do is its line", "refuse(i, \"out of memory\", line);", "throw;"),
    ("the heats leave a fifth of the time", "is_given(variant) && is_over(tuning.heats_share)", "is_given(variant) && is_over(1)"),
    ("the heats leave a fifth of the time", "const bool over = is_over(tuning.heats_share, seconds);", "const bool over = is_over(1, seconds);"),
    ("samples that would not end in time", "const bool over = is_over(tuning.heats_share, seconds);", "const bool over = is_over(tuning.heats_share);"),
    ("samples that would not end in time", "return runs_of(samples) * seconds + samples * beside_a_sample_.mean();", "return runs_of(samples) * seconds;"),
    ("samples that would not end in time", "const bool is_needed = !std::isfinite(leader(one.key.op));", "const bool is_needed = true;"),
    ("who takes as long to check", "entering_.add(now() - before);", ""),
    ("who takes as long to check", "heat_is_over(i, !has_entered(entered, op), ", "heat_is_over(i, true, "),
    ("conversions that take longer than expected", "      seen_conversions_ += line.convert_seconds;", ""),
    ("conversions that take longer than expected", "std::max(1.0, seen_conversions_ / expected_conversions_)", "seen_conversions_ / expected_conversions_"),
    ("a round of the final whose baseline", "if (is_over(1, tuning.final_samples * a_baseline_sample_.mean())) return;", "if (is_over(1)) return;"),
    ("a conversion that is expected to take the time", "spent() + seconds > tuning.heats_share * request_.seconds", "seconds < 0"),
    ("what is there already runs whatever the time", "return is_needed && is_given(request_.field[i].variant) ? result_.interrupted : over;", "return over;"),
    ("a copy of A^T in CSR is not what is there", "!is_given(variant) && is_over", "variant.format != format_kind::csr && is_over"),
    ("an interrupt ends it", "if (is_interrupted()) result_.interrupted = true;", ""),
    ("of what memory does not hold the slowest", "while (finalists_.size() > 1 && static_cast<double>(held) > most)", "while (false)"),
    ("of what memory does not hold the slowest", "return distance(result_.variants[a.place]) < distance(", "return distance(result_.variants[a.place]) > distance("),
    ("the final ends when what parts the leaders", "if (m.low > 1 + tie_share) continue;", ""),
    ("level contestants run until", "if (settled) asked.clear();", ""),
    ("level contestants run until", " && k->time.warm.samples >= 3 * tuning.final_samples", ""),
    ("noise keeps the leaders in the final", "settled && m.high < 1 + tie_share &&", "settled &&"),
    ("who turns out behind in the final", "; !contains(asked, &mine))", "; false)"),
    ("a final that runs out of time", "if (is_over(1, sampling_of(line.contestants[one.line], tuning.final_samples))) return;", ""),
    ("a long conversion of the winner", "if (!matters ||", "if ("),
    ("a long conversion of the winner", "line.convert_seconds < tuning.sure_seconds ||", ""),
    ("a long conversion of the winner", "if (is_over(1) || spent() + 3 * line.convert_seconds > request_.seconds) continue;", ""),
    ("the baseline is sampled every so often", "now() - baseline_at_ > tuning.baseline_every", "true"),
    ("what is there already runs whatever the time", "!is_over(tuning.heats_share, tuning.first_samples * a_baseline_sample_.mean())", "true"),
    ("the baseline is sampled every so often", "        line.base[static_cast<std::size_t>(k.op)] = k.time;", "        continue;"),
    ("where nobody leaves early all samples", "if (!runners.empty()) track_.restart_baselines();", ""),
    ("where nobody leaves early all samples", "    track_.release(i);\n  }\n\n  // ---- for a verdict", "  }\n\n  // ---- for a verdict"),
    ("where nobody leaves early all samples", "if (request_.variant_done) request_.variant_done(result_);", ""),
    ("a kernel that fails between rounds", "if (!one.in || is_interrupted()) continue;", "if (is_interrupted()) continue;"),
    ("only what is asked for is entered", "if (variant.asks_for(op)) operations.push_back(op);", "operations.push_back(op);"),
]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    root = pathlib.Path(__file__).resolve().parents[3]
    whole = (root / SOURCE).read_text()
    command = next(c for c in json.loads((build / "compile_commands.json").read_text())
                   if c["file"].endswith(SOURCE))
    tests = build / "tests/CMakeFiles/test_tournament.dir/analyze/recommend/tournament_test.cpp.o"
    link = subprocess.run(["ninja", "-C", str(build), "-t", "commands", "tests/test_tournament"], check=True,
                          capture_output=True, text=True).stdout.strip().splitlines()[-1]
    link = re.sub(r"^:\s*&&\s*|\s*&&\s*:\s*$", "", link)
    missed = 0
    with tempfile.TemporaryDirectory() as folder:
        for test, rule, without in RULES:
            if wanted not in test:
                continue
            if whole.count(rule) != 1:
                sys.exit(f"{SOURCE} has {whole.count(rule)} places that say: {rule}")
            mutant, compiled, program = (f"{folder}/{name}" for name in ("mutant.cpp", "mutant.o", "mutant"))
            pathlib.Path(mutant).write_text(whole.replace(rule, without))
            compiling = re.sub(r" -o \S+", f" -o {compiled}", command["command"]).replace(command["file"], mutant)
            subprocess.run(compiling + " -Wno-error -w", shell=True, check=True, cwd=command["directory"])
            # Before the archive that has the rule, so that the linker takes this one.
            linking = re.sub(r" -o \S+", f" -o {program}", link).replace(str(tests.relative_to(build)),
                                                                         f"{compiled} {tests}")
            subprocess.run(linking, shell=True, check=True, cwd=build)
            ran = subprocess.run([program, "-r", "compact"], capture_output=True, text=True, timeout=120, check=False)
            by_name = subprocess.run([program, f"tournament: {test}*"], capture_output=True, text=True, timeout=120,
                                     check=False)
            seen = by_name.returncode != 0
            missed += not seen
            line = " ".join(rule.split())
            print(f"{'seen  ' if seen else 'MISSED'} {test}: without `{line}`"
                  + ("" if seen or ran.returncode == 0 else " (another test fails)"), flush=True)
    sys.exit(f"{missed} rules can be taken out unnoticed" if missed else 0)


if __name__ == "__main__":
    main()
