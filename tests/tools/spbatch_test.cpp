// spbatch as a process: what a user types, what comes back, and what is left on disk. What it does when it is
// killed, or when matrices misbehave, is for batch/batch_check.py.
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/tools/process.hpp"

namespace fs = std::filesystem;
using namespace sparsmith::testing;
using nlohmann::json;

namespace {

struct folder : temporary_folder {
  folder() : temporary_folder("spbatch_test") {
    fs::create_directories(path / "m" / "deep");
    write("m/one.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n2 1 3\n");
    write("m/deep/two words.mtx", "%%MatrixMarket matrix coordinate pattern general\n3 3 1\n2 3\n");
    write("m/readme.md", "none\n");
    write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n");
    write("complex.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 2\n1 1 5 1\n2 1 3 0\n");
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(path / name) << text; }
  // A Slurm that takes every job as number 7, for who looks here first: PATH="$PWD:$PATH".
  void pretend_slurm() const {
    write("sbatch", "#!/bin/sh\necho 7\n");
    fs::permissions(path / "sbatch", fs::perms::owner_all);
  }
};

// Runs the tool inside the folder, with a cache of its own there.
outcome run(const folder& work, const std::string& arguments, const std::string& before = "") {
  return run_command("cd '" + work.path.string() + "' && " + before + " SPARSMITH_CACHE=cache '" +
                         from_environment("SPARSMITH_SPBATCH") + "' --device cpu " + arguments,
                     (fs::temp_directory_path() / work.path.filename()).string());
}

std::vector<json> lines_in(const folder& work, const std::string& file = "spbatch-results/results.jsonl") {
  std::vector<json> lines;
  std::ifstream in(work.path / file);
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  return lines;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::ptrdiff_t line_count(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST_CASE("help and version") {
  const folder work;
  const outcome help = run(work, "--help");
  CHECK(help.status == 0);
  for (const char* const word :
       {"--out",    "--list",        "--analyze",      "--recommend",   "--predict",   "--mix",
        "--caches", "--value",       "--budget",       "--timeout",     "--memory",    "--jobs",
        "--shard",  "--fresh",       "--retry-failed", "--retry-noisy", "--report",    "--slurm",
        "--array",  "--device-wait", "Examples",       "results.jsonl", "report.html", "Exit status"})
    CHECK(has(help.out, word));
  CHECK(!has(help.out, "gen:lopsided"));
  CHECK(has(run(work, "--help-generators").out, "gen:lopsided"));
  CHECK(run(work, "--version").out.find("spbatch 0.") == 0);
}

TEST_CASE("a folder, line by line where there is no terminal, and what is on disk then") {
  const folder work;
  const outcome r = run(work, "m --predict --out results");
  INFO(r.err);
  CHECK(r.status == 0);
  CHECK(has(r.err, "2 matrices on "));
  CHECK(has(r.err, "; results in results\n"));
  CHECK(has(r.err, "[2/2] ok "));
  CHECK(line_count(r.err) == 4);
  CHECK(r.err.starts_with("spbatch: passed over in m: 1 .md\n"));
  CHECK(!has(r.err, "\r"));
  CHECK(has(r.out, "2 of 2 matrices done in "));
  CHECK(has(r.out, "2 ok, 0 failed"));
  CHECK(has(r.out, "1 other file in the folders is not named like a matrix"));
  const std::vector<json> lines = lines_in(work, "results/results.jsonl");
  REQUIRE(lines.size() == 2);
  for (const json& line : lines) {
    CHECK(line["schema"] == "sparsmith.batch/1");
    CHECK(line["result"] == "ok");
    CHECK(line["analysis"]["schema"] == "sparsmith.features/1");
    CHECK(line["analysis"]["name"] == "m/" + line["name"].get<std::string>());  // as spanalyze says it
    CHECK(line["recommendation"]["schema"] == "sparsmith.recommend/2");
    CHECK(line["recommendation"]["predicted"] == true);
    CHECK(line["analysis"]["values"]["norm_max"].is_number());
    CHECK(line["analysis"]["structure"]["structural_rank"].is_number());
    CHECK(line["source"]["path"] ==
          fs::canonical(work.path / "m" / line["name"].get<std::string>()).string());
    CHECK(line["matrix"]["entries"] == line["analysis"]["entries"]);
    CHECK(line["memory_peak"] > 0);
  }

  const outcome again = run(work, "m --predict --out results");
  CHECK(again.status == 0);
  CHECK(line_count(again.err) == 2);
  CHECK(has(again.out, "2 had results before"));
  CHECK(lines_in(work, "results/results.jsonl").size() == 2);
}

TEST_CASE("what is asked for is what is done, and answers to other questions do not count") {
  const folder work;
  const auto last_of = [&](const std::string& arguments) {
    const outcome r = run(work, "m/one.mtx --quiet " + arguments);
    INFO(arguments << "\n" << r.err);
    CHECK(r.status == 0);
    CHECK(r.out.empty());
    CHECK(r.err.empty());
    const std::vector<json> lines = lines_in(work);
    REQUIRE(!lines.empty());
    return lines.back();
  };
  const json analysed = last_of("--analyze");
  CHECK(analysed["analysis"].is_object());
  CHECK(analysed["recommendation"].is_null());
  const json recommended = last_of("--recommend --budget 0.5 --mix 10:1 --caches warm --value f32");
  CHECK(recommended["analysis"].is_null());
  CHECK(recommended["recommendation"]["predicted"] == false);
  CHECK(recommended["recommendation"]["request"]["regime"] == "warm");
  CHECK(recommended["recommendation"]["matrix"]["value_bits"] == 32);
  CHECK(recommended["options"]["budget_s"] == 0.5);
  CHECK(recommended["options"]["mix"]["ax"] == Approx(10.0 / 11));
  const json both = last_of("--analyze --recommend --predict");
  CHECK(both["analysis"].is_object());
  CHECK(both["recommendation"]["predicted"] == true);
  CHECK(lines_in(work).size() == 3);
  last_of("--predict");  // the same in fewer words
  CHECK(lines_in(work).size() == 3);
  last_of("--predict --mix 2:2");
  CHECK(lines_in(work).size() == 3);
  const json together = last_of("--recommend --budget 0.5 --mix both");
  CHECK(together["options"]["one_pass"] == "both");
  CHECK(together["recommendation"]["request"]["one_pass"] == "both");
  CHECK(lines_in(work).size() == 4);
}

TEST_CASE("as JSON: how the run went") {
  const folder work;
  const outcome r = run(work, "m/one.mtx bad.mtx --analyze --json");
  CHECK(r.status == 1);
  const json told = json::parse(r.out);
  CHECK(told["run"]["matrices"] == 2);
  CHECK(told["run"]["ok"] == 1);
  CHECK(told["run"]["failed"] == 1);
  CHECK(told["run"]["interrupted"] == false);
  CHECK(has(r.err, "FAILED (error) bad.mtx:3: row 3 is outside 1..2"));
  const outcome again = run(work, "m/one.mtx bad.mtx --analyze --json --quiet");
  CHECK(again.status == 1);  // a failure stays one
  CHECK(again.err == "spbatch: 1 of 2 matrices failed; spbatch-results/results.jsonl says why\n");
  const json after = json::parse(again.out);
  CHECK(after["run"]["known_before"] == 2);
  CHECK(after["run"]["failed_before"] == 1);
  CHECK(run(work, "m/one.mtx --analyze --quiet").status == 0);  // that one is fine
}

TEST_CASE("a failure is told also where nothing else is") {
  const folder work;
  const outcome r = run(work, "m/one.mtx bad.mtx --analyze --quiet");
  CHECK(r.status == 1);
  CHECK(r.out.empty());
  CHECK(r.err == "spbatch: 1 of 2 matrices failed; spbatch-results/results.jsonl says why\n");
}

TEST_CASE("what was measured on a busy machine is counted, and run again where that is asked for") {
  const folder work;
  REQUIRE(run(work, "m --analyze").status == 0);
  REQUIRE(lines_in(work).size() == 2);
  std::string text;
  for (json& line : std::vector<json>(lines_in(work))) {
    CHECK(line["noisy"] == false);
    line["noisy"] = line["name"].get<std::string>().find("one.mtx") != std::string::npos;
    text += line.dump() + "\n";
  }
  work.write("spbatch-results/results.jsonl", text);
  std::string told = run(work, "m --analyze").out;
  for (std::size_t end; (end = told.find("\n  ")) != std::string::npos;) told.replace(end, 3, " ");
  INFO(told);
  CHECK(has(told, "; 1 was measured on a busy machine (--retry-noisy runs it again)"));
  const json again = json::parse(run(work, "m --analyze --json").out);
  CHECK(again["run"]["noisy_before"] == 1);
  CHECK(again["run"]["known_before"] == 2);
  CHECK(lines_in(work).size() == 2);
  const outcome retried = run(work, "m --analyze --retry-noisy");
  CHECK(has(retried.out, "1 of 2 matrices done in "));
  CHECK(!has(retried.out, "was measured on"));
  REQUIRE(lines_in(work).size() == 3);
  CHECK(has(lines_in(work)[2]["name"].get<std::string>(), "one.mtx"));
  CHECK(has(run(work, "m --analyze --retry-noisy").out, "0 of 2 matrices done in "));
}

TEST_CASE("usage is refused in one line, before any work") {
  const folder work;
  for (const char* const arguments : {"",
                                      "--fresh",
                                      "--retry-failed",
                                      "--retry-noisy",
                                      "--slurm",
                                      "m --mix 1",
                                      "m --mix 0:0",
                                      "m --mix -1:2",
                                      "m --memory lots",
                                      "m --budget 0",
                                      "m --budget nan",
                                      "m --timeout -1",
                                      "m --timeout nan",
                                      "m --device-wait -1",
                                      "m --device-wait nan",
                                      "m --jobs 0",
                                      "m --jobs 1000",
                                      "m --shard 0/2",
                                      "m --shard 3/2",
                                      "m --shard 1",
                                      "m --shard 1/0",
                                      "m --shard a/b",
                                      "m --shard -1/2",
                                      "m --shard 1/2/3",
                                      "m --shard ''",
                                      "m --array 4",
                                      "m --slurm --shard 1/2",
                                      "m --fresh --shard 1/2",
                                      "m --caches tepid",
                                      "m --value f16",
                                      "m --nonsense"}) {
    const outcome r = run(work, arguments);
    INFO(arguments << "\n" << r.err);
    CHECK(r.status == 2);
    CHECK(line_count(r.err) == 1);
    CHECK(r.out.empty());
    CHECK(!fs::exists(work.path / "spbatch-results"));
  }
}

TEST_CASE("what is not there is refused in one line, before any work") {
  const folder work;
  work.write("empty.txt", "# nothing\n");
  fs::create_directories(work.path / "nothing");
  for (const auto& [arguments, words] : std::vector<std::pair<std::string, std::string>>{
           {"m nowhere.mtx", "nowhere.mtx: no such file"},
           {"m 'x*.mtx'", "x*.mtx: matches no file"},
           {"--list nowhere.txt", "nowhere.txt: could not read the list"},
           {"nothing", "no matrices found"},
           {"empty.txt", "no matrices found"},
           {"--report", "spbatch-results: no such folder"},
           {"--report --out m/one.mtx", "m/one.mtx: no such folder"},
           {"m --out m/one.mtx", "m/one.mtx"}}) {
    const outcome r = run(work, arguments + " --predict");
    INFO(arguments << "\n" << r.err);
    CHECK(r.status == 1);
    CHECK(has(r.err, words));
    CHECK(line_count(r.err) <= 3);  // the others may say what was going to be done
    CHECK(!fs::exists(work.path / "spbatch-results" / "results.jsonl"));
  }
}

TEST_CASE("lists, also from standard input, and what they name that is not there") {
  const folder work;
  work.write("all.list", "# these\r\nm/one.mtx\r\ngone.mtx\ngen:laplace2d?n=4\n");
  const outcome r = run(work, "all.list --analyze");
  INFO(r.err);
  CHECK(r.status == 1);
  CHECK(has(r.err, "FAILED (error) gone.mtx: "));
  CHECK(lines_in(work).size() == 3);
  const outcome piped = run(work, "--list - --analyze --out piped", "printf 'm\\ngen:laplace2d?n=5\\n' |");
  INFO(piped.err);
  CHECK(piped.status == 0);
  CHECK(lines_in(work, "piped/results.jsonl").size() == 3);
}

TEST_CASE("complex matrices are analysed and raced like all others") {
  const folder work;
  const outcome r = run(work, "complex.mtx 'gen:laplace2d?n=5' --predict");
  INFO(r.err);
  CHECK(r.status == 0);
  CHECK(has(r.out, "2 ok, 0 failed"));
  REQUIRE(lines_in(work).size() == 2);
  const std::vector<json> lines = lines_in(work);
  const json line = lines[lines[0]["name"] == "complex.mtx" ? 0 : 1];
  CHECK(line["result"] == "ok");
  CHECK(line["not_raced"].is_null());
  CHECK(line["analysis"]["entries"] == 2);
  CHECK(line["analysis"]["values"]["largest"].get<double>() == Approx(std::sqrt(26.0)));
  CHECK(line["analysis"]["symmetry"]["conjugate"] == 0);
  CHECK(line["recommendation"]["matrix"]["complex_values"] == true);
  CHECK(line["recommendation"]["matrix"]["value_bits"] == 128);
  CHECK(line["matrix"]["field"] == "complex");
  // The type of values is that of their parts.
  CHECK(run(work, "complex.mtx --recommend --predict --value f32 --out race").status == 0);
  REQUIRE(lines_in(work, "race/results.jsonl").size() == 1);
  CHECK(lines_in(work, "race/results.jsonl")[0]["recommendation"]["matrix"]["value_bits"] == 64);
  CHECK(run(work, "complex.mtx --analyze --out analysis").status == 0);
  CHECK(lines_in(work, "analysis/results.jsonl")[0]["analysis"]["values"]["explicit_zeros"] == 0);
}

TEST_CASE("an analysis takes no memory for rows without entries") {
  const folder work;
  work.write(
      "huge.mtx",
      "%%MatrixMarket matrix coordinate real general\n2147483647 2147483647 2\n1 1 5\n2 2147483647 3\n");
  CHECK(run(work, "huge.mtx --analyze").status == 0);
  REQUIRE(lines_in(work).size() == 1);
  const json line = lines_in(work)[0];
  CHECK(line["matrix"]["entries"] == 2);
  CHECK(line["analysis"]["row_lengths"]["empty"] == 2147483645);
  CHECK(line["memory_peak"] < 200 << 20);
}

TEST_CASE("shards: each its part and its file, together all") {
  const folder work;
  work.write("all.txt", "m\ngen:laplace2d?n=3\ngen:laplace2d?n=4\ngen:laplace2d?n=5\n");
  const outcome one = run(work, "all.txt --analyze --shard 1/2"),
                two = run(work, "all.txt --analyze --shard 2/2");
  CHECK(one.status == 0);
  CHECK(two.status == 0);
  CHECK(has(one.out, "spbatch --report --out spbatch-results"));
  CHECK(lines_in(work, "spbatch-results/results.1-of-2.jsonl").size() == 3);
  CHECK(lines_in(work, "spbatch-results/results.2-of-2.jsonl").size() == 2);
  // A task of Slurm takes its part by itself.
  const outcome task = run(work, "all.txt --analyze --out tasks",
                           "SLURM_JOB_ID=7 SLURM_ARRAY_JOB_ID=5 SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 "
                           "SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_STEP=1 SLURM_ARRAY_TASK_COUNT=2");
  INFO(task.err);
  CHECK(task.status == 0);
  CHECK(lines_in(work, "tasks/results.2-of-2.jsonl").size() == 2);
  // More shards than matrices: nothing to do is fine.
  CHECK(run(work, "m/one.mtx --analyze --out few --shard 2/2").status == 0);
}

TEST_CASE("a fresh start keeps what was there, beside") {
  const folder work;
  CHECK(run(work, "m --analyze --quiet").status == 0);
  CHECK(run(work, "m/one.mtx --analyze --quiet --fresh").status == 0);
  CHECK(lines_in(work).size() == 1);
  std::string before;
  for (const auto& entry : fs::directory_iterator(work.path / "spbatch-results"))
    if (entry.is_directory())
      before = "spbatch-results/" + entry.path().filename().string() + "/results.jsonl";
  CHECK(lines_in(work, before).size() == 2);
}

TEST_CASE("the results may lie in the collection, and a file may be called as it likes") {
  const folder work;
  work.write("m/-x 'y'.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 5\n");
  fs::create_directories(work.path / "m" / "results");
  work.write("m/results/old.mtx", "nothing");
  const outcome r = run(work, "m --analyze --out m/results");
  INFO(r.err);
  CHECK(r.status == 0);
  CHECK(lines_in(work, "m/results/results.jsonl").size() == 3);
  CHECK(run(work, "--analyze --out dash --quiet -- \"m/-x 'y'.mtx\"").status == 0);
  CHECK(lines_in(work, "dash/results.jsonl").size() == 1);
}

TEST_CASE("a prediction is that of sprecommend, whatever share of the machine a worker has") {
  const folder work;
  REQUIRE(run(work, "'gen:rmat?scale=8' --predict --jobs 2 --threads 2").status == 0);
  REQUIRE(lines_in(work).size() == 1);
  CHECK(lines_in(work)[0]["recommendation"]["machine"]["threads"] == 2);
  // Another number of threads is another question.
  CHECK(has(run(work, "'gen:rmat?scale=8' --predict --threads 1").out, "1 of 1 matrix done"));
  CHECK(lines_in(work).back()["recommendation"]["machine"]["threads"] == 1);
}

TEST_CASE("one name in two folders is two matrices, wherever spbatch was started") {
  const folder work;
  for (const char* const place : {"a", "b"}) {
    fs::create_directories(work.path / place);
    work.write(std::string(place) + "/A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 " +
                                                  std::string(place == std::string("a") ? "5" : "6") + "\n");
  }
  fs::last_write_time(work.path / "b/A.mtx",
                      fs::last_write_time(work.path / "a/A.mtx"));  // and the same size
  for (const char* const place : {"a", "b", "a", "b"}) {
    const outcome r = run(work, ". --analyze --out ../R --quiet", "cd " + std::string(place) + " &&");
    INFO(r.err);
    CHECK(r.status == 0);
  }
  CHECK(lines_in(work, "R/results.jsonl").size() == 2);
  const json told = json::parse(run(work, "--report --out R --json").out);
  CHECK(told["summary"]["matrices"] == 2);
  // By another way to the same file nothing is read again.
  fs::create_directory_symlink(work.path / "a", work.path / "way");
  CHECK(json::parse(run(work, "way/A.mtx --analyze --out R --json").out)["run"]["known_before"] == 1);
}

TEST_CASE("results of before 0.3 are kept: what they are of is read once more, and not run again") {
  const folder work;
  REQUIRE(run(work, "m --analyze").status == 0);
  std::string text;
  for (json& line : std::vector<json>(lines_in(work))) {
    line["source"]["path"] = "m/" + line["name"].get<std::string>();
    text += line.dump() + "\n";
  }
  work.write("spbatch-results/results.jsonl", text);
  const json told = json::parse(run(work, "m --analyze --json").out);
  CHECK(told["run"]["known_before"] == 2);
  CHECK(told["run"]["ok"] == 0);
  CHECK(told["summary"]["matrices"] == 2);
  CHECK(content(work / "spbatch-results/results.jsonl") == text);
}

TEST_CASE("names that are no text are told apart, and known again") {
  const folder work;
  fs::create_directories(work.path / "odd");
  work.write("odd/\xfe.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 5\n");
  work.write("odd/\xff.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 6\n");
  for (int i = 0; i < 2; ++i) {
    const json told = json::parse(run(work, "odd --analyze --json --jobs 1").out);
    CHECK(told["run"]["matrices"] == 2);
    CHECK(told["run"]["known_before"] == 2 * i);
    CHECK(told["summary"]["matrices"] == 2);
  }
}

TEST_CASE("files that are passed over are counted by kind, for people and for programs") {
  const folder work;
  work.write("m/notes", "");
  work.write("m/b.md", "");
  const outcome r = run(work, "m --analyze --json --quiet");
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  CHECK(json::parse(r.out)["run"]["passed_over"] ==
        json{{{"ending", ".md"}, {"files", 2}}, {{"ending", ""}, {"files", 1}}});
  fs::create_directories(work.path / "only");
  work.write("only/a.pdf", "");
  CHECK(run(work, "only --analyze").err ==
        "spbatch: no matrices found: no file there is named like one (1 .pdf)\n");
  CHECK(json::parse(run(work, "m/one.mtx --analyze --json").out)["run"]["passed_over"] == json::array());
}

TEST_CASE("the index of a collection stays with its results, and the report groups by it") {
  const folder work;
  const std::string index =
      "2\n31-Oct-2023 18:12:37\nHB,one,2,2,2,1,0,0,0,0,0,\"counter, example\",2\nHB,two "
      "words,3,4,1,1,0,0,0,0,0,kind,1\n";
  work.write("m/ssstats.csv", index);
  const outcome r = run(work, "m --analyze --json");
  CHECK(r.status == 0);
  CHECK(has(r.err, "spbatch: groups and kinds are those of m/ssstats.csv (2 matrices)\n"));
  const json kinds = json::parse(r.out)["summary"]["kinds"];
  REQUIRE(kinds.size() == 2);
  CHECK(kinds[0]["name"] == "counter, example");
  CHECK(kinds[1]["name"] == "not in the index");  // 3 x 4 there, and 3 x 3 here
  CHECK(content(work / "spbatch-results/spbatch-index.csv") == index);
  // A report, and what comes to the same results later, has them as well.
  fs::remove(work / "m/ssstats.csv");
  CHECK(json::parse(run(work, "--report --json --quiet").out)["summary"]["kinds"] == kinds);
  CHECK(has(content(work / "spbatch-results/results.csv"), ",\"HB\",\"counter, example\"\n"));
  CHECK(has(content(work / "spbatch-results/report.html"), "counter, example"));
  // One that is named counts, also for results that are there; it has to be one.
  work.write("other.csv", "1\n\nNew,one,2,2,2,1,0,0,0,0,0,new,2\n");
  CHECK(json::parse(
            run(work, "--report --json --quiet --index other.csv").out)["summary"]["groups"][0]["name"] ==
        "New");
  work.write("bad.csv", "1\n\nNew,one\n");
  for (const char* const what : {"m --analyze", "--report"}) {
    const outcome bad = run(work, std::string(what) + " --index bad.csv");
    CHECK(bad.status == 1);
    CHECK(bad.err == "spbatch: bad.csv:3: 2 fields instead of 12 or more\n");
  }
  // One that nobody named ends nothing.
  work.write("m/ssstats.csv", "what is this\n");
  const outcome without = run(work, "m --analyze --json --quiet --out fresh");
  CHECK(without.status == 0);
  CHECK(has(without.err,
            "m/ssstats.csv:1: the number of matrices is missing, so this is no index; the report goes "
            "without groups"));
  CHECK_FALSE(json::parse(without.out)["summary"].contains("kinds"));
  CHECK_FALSE(fs::exists(work / "fresh/spbatch-index.csv"));
  // Beginning anew forgets it.
  fs::remove(work / "m/ssstats.csv");
  CHECK_FALSE(json::parse(run(work, "m --analyze --json --quiet --fresh").out)["summary"].contains("kinds"));
}

TEST_CASE("what is no file costs no time: in a folder it is named, in a list it fails") {
  const folder work;
  REQUIRE(::mkfifo((work / "m/pi\npe.mtx").c_str(), 0600) == 0);
  work.write("all.txt", "m/pi*\nm\n");
  work.write("pipes.txt", "p.mtx\n");
  REQUIRE(::mkfifo((work / "p.mtx").c_str(), 0600) == 0);
  const outcome r = run(work, "m all.txt --analyze --quiet --timeout 30");
  CHECK(r.status == 0);
  CHECK(has(r.err, "pe.mtx: a pipe, not a file; passed over\n"));
  CHECK(line_count(r.err) == 1);  // however often it is met
  CHECK(lines_in(work).size() == 2);
  const outcome listed = run(work, "pipes.txt --analyze --timeout 30");
  CHECK(listed.status == 1);
  CHECK(has(listed.err, "FAILED (error) p.mtx: a pipe; a batch takes what can be read again"));
  fs::create_directories(work.path / "only");
  REQUIRE(::mkfifo((work / "only/p.mtx").c_str(), 0600) == 0);
  const outcome none = run(work, "only --analyze");
  CHECK(none.status == 1);
  CHECK(none.err == "spbatch: no matrices found; passed over: only/p.mtx: a pipe\n");
  CHECK(r.seconds + listed.seconds + none.seconds < 25);
}

TEST_CASE("a file that changes between hashing and reading has no result under the old hash") {
  const folder work;
  const outcome r = run(work, "m/one.mtx --analyze", "SPARSMITH_BATCH_FAULTS=one=touched");
  CHECK(r.status == 1);
  CHECK(has(r.err, "FAILED (error) m/one.mtx: was changed while it was read"));
  const std::vector<json> failed = lines_in(work);
  REQUIRE(failed.size() == 1);
  CHECK(failed[0]["source"]["content"].is_null());
  // Only its time changed: what is there has the hash of before, and is not taken for failed. Nor is a copy.
  fs::copy_file(work.path / "m/one.mtx", work.path / "copy.mtx");
  const outcome again = run(work, "m/one.mtx copy.mtx --analyze");
  CHECK(again.status == 0);
  CHECK(has(again.out, "1 ok, 0 failed"));
  const std::vector<json> lines = lines_in(work);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1]["result"] == "ok");
  CHECK(lines[1]["key"] != lines[0]["key"]);
  CHECK(run(work, "m/one.mtx copy.mtx --analyze").status == 0);
}

TEST_CASE("copies are named") {
  const folder work;
  fs::copy_file(work.path / "m/one.mtx", work.path / "m/copy.mtx");
  const outcome r = run(work, "m --analyze --jobs 1");
  CHECK(r.status == 0);
  CHECK(has(r.err, "one.mtx: the same as copy.mtx"));
  CHECK(has(r.out, "1 is a copy of others"));
}

TEST_CASE("names tell folders apart where there are several") {
  const folder work;
  fs::create_directories(work.path / "n");
  work.write("n/one.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 7\n");
  REQUIRE(run(work, "m n --analyze").status == 0);
  std::vector<std::string> names;
  for (const json& line : lines_in(work)) names.push_back(line["name"]);
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"m/deep/two words.mtx", "m/one.mtx", "n/one.mtx"});
}

TEST_CASE("a task of an array puts nothing of the others aside, and submits nothing") {
  const folder work;
  const std::string task =
      "SLURM_ARRAY_TASK_ID=2 SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_STEP=1 "
      "SLURM_ARRAY_TASK_COUNT=2";
  for (const char* const option : {"--fresh", "--slurm"}) {
    const outcome r = run(work, "m --analyze " + std::string(option), task);
    CHECK(r.status == 2);
    CHECK(has(r.err, option));
    CHECK(line_count(r.err) == 1);
  }
}

TEST_CASE("a job's tasks do not submit jobs, however that was typed") {
  const folder work;
  work.pretend_slurm();
  const outcome r = run(work, "m --slurm=true --fresh=true --array=3 --analyze", "PATH=\"$PWD:$PATH\"");
  INFO(r.err);
  CHECK(r.status == 0);
  const std::string script = content(work / "spbatch-results/slurm.sh");
  CHECK(has(script, "--analyze"));
  CHECK(has(script, "--array=1-3"));
  for (const char* const word : {"--slurm", "--fresh", "--array=3"}) CHECK_FALSE(has(script, word));
}

TEST_CASE("a job is told as JSON, whatever bytes its folder is named with") {
  const folder work;
  work.pretend_slurm();
  const outcome r = run(work, "m --slurm --analyze --json --out 'r\xff'", "PATH=\"$PWD:$PATH\"");
  INFO(r.err);
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  const json told = json::parse(r.out);
  CHECK(told["job"] == "7");
  CHECK(told["script"] == "r\xef\xbf\xbd/slurm.sh");
}

TEST_CASE("a worker is not for people") {
  const folder work;
  const outcome r =
      run_command("'" + from_environment("SPARSMITH_SPBATCH") + "' --worker m/one.mtx </dev/null",
                  (fs::temp_directory_path() / work.path.filename()).string());
  CHECK(r.status == 2);
  CHECK(has(r.err, "--worker is how spbatch starts itself"));
}
