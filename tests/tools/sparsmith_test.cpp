// The command that lists the tools and runs them, as a process.
#include <algorithm>
#include <fstream>

#include "tests/tools/process.hpp"

using namespace sparsmith::testing;
namespace fs = std::filesystem;

namespace {

// A folder with the command, named as it is installed, and tools beside it that only say how they were
// called.
struct folder : temporary_folder {
  folder() : temporary_folder("sparsmith_test") {
    fs::create_directories(path / "bin");
    fs::create_directories(path / "elsewhere");
    fs::copy_file(from_environment("SPARSMITH_COMMAND"), path / "bin/sparsmith");
    for (const char* const tool : {"spconv", "spanalyze", "sprecommend", "spbatch"})
      add_tool(std::string("bin/") + tool, std::string("beside ") + tool);
  }
  void add_tool(const std::string& file, const std::string& says) const {
    std::ofstream(path / file) << "#!/bin/sh\nprintf '" << says
                               << "'\nfor word; do printf '|%s' \"$word\"; done\nexit 7\n";
    fs::permissions(path / file, fs::perms::owner_all);
  }
  outcome run(const std::string& arguments, const std::string& command = "bin/sparsmith") const {
    return run_command(
        "cd '" + path.string() + "' && PATH=\"$PWD/elsewhere:/usr/bin:/bin\" " + command + " " + arguments,
        *this / "run");
  }
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a command is its tool, with all that was typed and its exit status") {
  const folder work;
  for (const auto& [word, tool] :
       std::vector<std::pair<std::string, std::string>>{{"convert", "spconv"},
                                                        {"analyze", "spanalyze"},
                                                        {"recommend", "sprecommend"},
                                                        {"batch", "spbatch"}}) {
    INFO(word);
    const outcome r = work.run(word + " 'a b' '' --to csr --help");
    CHECK(r.out == "beside " + tool + "|a b||--to|csr|--help");
    CHECK(r.status == 7);
    CHECK(work.run(tool + " x").out == "beside " + tool + "|x");
    CHECK(work.run("help " + word).out == "beside " + tool + "|--help");
  }
}

TEST_CASE("tools are looked for beside the command itself, then on PATH") {
  const folder work;
  fs::create_symlink(work.path / "bin/sparsmith", work.path / "elsewhere/sparsmith");
  work.add_tool("elsewhere/spconv", "on PATH");
  CHECK(work.run("convert", "elsewhere/sparsmith").out == "beside spconv");
  fs::remove(work.path / "bin/spconv");
  CHECK(work.run("convert").out == "on PATH");
  fs::remove(work.path / "elsewhere/spconv");
  const outcome r = work.run("convert");
  CHECK(r.status == 1);
  CHECK(has(r.err, "spconv is neither beside "));
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
}

TEST_CASE("what is no command") {
  const folder work;
  for (const auto& [typed, said] : std::vector<std::pair<std::string, std::string>>{
           {"", "sparsmith: name a command (see --help)\n"},
           {"convrt a.mtx", "sparsmith: there is no command convrt, did you mean convert? (see --help)\n"},
           {"help bach", "sparsmith: there is no command bach, did you mean batch? (see --help)\n"},
           {"--verson", "sparsmith: there is no command --verson, did you mean --version? (see --help)\n"},
           {"help versio", "sparsmith: there is no command versio (see --help)\n"},
           {"'a\nb'", "sparsmith: there is no command a\\x0ab (see --help)\n"},
           {"zzzzzz", "sparsmith: there is no command zzzzzz (see --help)\n"}}) {
    INFO(typed);
    const outcome r = work.run(typed);
    CHECK(r.status == 2);
    CHECK(r.err == said);
    CHECK(r.out.empty());
  }
}

TEST_CASE("help lists the tools, and the version is told") {
  const folder work;
  for (const std::string ask : {"--help", "-h", "help"}) {
    const outcome r = work.run(ask);
    CHECK(r.status == 0);
    for (const char* const word : {"convert", "spconv", "analyze", "recommend", "batch", "help", "Examples"})
      CHECK(has(r.out, word));
  }
  const outcome version = work.run("--version");
  CHECK(version.status == 0);
  CHECK(version.out.find("sparsmith 0.") == 0);
  if (!fs::exists("/dev/full")) return;
  const outcome full = work.run("--help >/dev/full");
  CHECK(full.status == 1);
  CHECK(full.err == "sparsmith: standard output: could not write\n");
}

TEST_CASE("the real tools are beside it") {
  const folder work;
  const outcome r = run_command(
      "'" + from_environment("SPARSMITH_COMMAND") + "' convert gen:laplace2d?n=4 --to csr --verify",
      work / "run");
  CHECK(r.status == 0);
  CHECK(has(r.out, "bit for bit"));
  CHECK(has(run_command("'" + from_environment("SPARSMITH_COMMAND") + "' help convert", work / "run").out,
            "Usage: spconv"));
  const outcome wrong = run_command(
      "'" + from_environment("SPARSMITH_COMMAND") + "' convert missing.mtx --to csr", work / "run");
  CHECK(wrong.status == 1);
  CHECK(wrong.err.find("spconv: missing.mtx") == 0);
}
