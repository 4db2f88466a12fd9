// Output that cannot be written is a failure of every tool, and a line says so: who redirects to a disk that
// is full must not take half a result, or none, for all of it.
#include <algorithm>
#include <fstream>

#include "tests/tools/process.hpp"

using namespace sparsmith::testing;

namespace {

struct folder : temporary_folder {
  folder() : temporary_folder("full_output_test") {
    std::ofstream(path / "a.mtx") << "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n2 1 3\n";
  }
};

// Inside the folder, with a cache of its own there, and without a place for what is printed.
outcome run_without_room(const folder& work, const std::string& tool, const std::string& arguments) {
  return run_command("cd '" + work.path.string() + "' && SPARSMITH_CACHE=cache '" +
                         from_environment(tool.c_str()) + "' " + arguments + " >/dev/full",
                     work / "run");
}

std::ptrdiff_t lines_in(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

}  // namespace

TEST_CASE("every tool fails where its output cannot be written, and says so in one line") {
  if (!std::filesystem::exists("/dev/full")) return;
  const folder work;
  const std::string spconv = "SPARSMITH_SPCONV", spanalyze = "SPARSMITH_SPANALYZE",
                    sprecommend = "SPARSMITH_SPRECOMMEND", spbatch = "SPARSMITH_SPBATCH";
  for (const auto& [tool, arguments] : std::vector<std::pair<std::string, std::string>>{
           {spconv, "a.mtx --to csr"},
           {spconv, "a.mtx --to csr --json"},
           {spconv, "a.mtx --plan"},
           {spconv, "--help"},
           {spanalyze, "a.mtx"},
           {spanalyze, "a.mtx --json"},
           {spanalyze, "a.mtx --csv"},
           {spanalyze, "--version"},
           {sprecommend, "a.mtx --predict --device cpu --quiet --json"},
           {sprecommend, "a.mtx --predict --device cpu --quiet --csv"},
           {sprecommend, "a.mtx --predict --device cpu"},
           {sprecommend, "--list"},
           {sprecommend, "--help-generators"}}) {
    INFO(tool << " " << arguments);
    const outcome r = run_without_room(work, tool, arguments);
    INFO(r.err);
    CHECK(r.status == 1);
    CHECK(r.err.find("write") != std::string::npos);
    CHECK(lines_in(r.err) == 1);
  }
  // Which tells of its progress as well, and keeps its results whoever reads the end.
  const outcome r =
      run_without_room(work, spbatch, "a.mtx --analyze --device cpu --quiet --json --out results");
  CHECK(r.status == 1);
  CHECK(r.err.find("write") != std::string::npos);
  CHECK(content(work / "results/results.jsonl").find("\"a.mtx\"") != std::string::npos);

  // Of several matrices as CSV none is begun that nobody could read of.
  for (const auto& [tool, arguments] :
       {std::pair(spanalyze, "a.mtx missing.mtx --csv --quiet"),
        std::pair(sprecommend, "a.mtx missing.mtx --csv --quiet --predict --formats csr --device cpu")}) {
    INFO(tool);
    const outcome several = run_without_room(work, tool, arguments);
    CHECK(several.status == 1);
    CHECK(lines_in(several.err) == 1);
    CHECK(several.err.find("missing.mtx") == std::string::npos);
  }
}
