// spanalyze as a process: what a user types, what comes back, and what is left on disk.
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/tools/process.hpp"

namespace fs = std::filesystem;
using namespace sparsmith::testing;
using nlohmann::json;

namespace {

struct folder : temporary_folder {
  folder() : temporary_folder("spanalyze_test") {
    std::ofstream(path / "s.mtx") << "%%MatrixMarket matrix coordinate real symmetric\n"
                                     "4 4 5\n1 1 1.5\n2 1 -2\n3 3 0\n4 2 0.1\n4 2 0.2\n";
    std::ofstream(path / "c.mtx") << "%%MatrixMarket matrix coordinate complex hermitian\n"
                                     "4 4 5\n1 1 1.5 0\n2 1 -2 3\n3 3 0 0\n4 2 0.1 1\n4 2 -0.1 -1\n";
    std::ofstream(path / "bad.mtx") << "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 5\n";
  }
};

// Runs the tool inside the folder.
outcome run(const folder& work, const std::string& arguments) {
  return run_command("cd '" + work.path.string() + "' && '" + from_environment("SPARSMITH_SPANALYZE") +
                         "' --device cpu " + arguments,
                     (fs::temp_directory_path() / work.path.filename()).string());
}

json run_json(const folder& work, const std::string& arguments) {
  const outcome r = run(work, arguments + " --json");
  INFO(arguments << "\n" << r.err);
  REQUIRE(r.status == 0);
  return json::parse(r.out);
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// Columns of a terminal, where every character takes one.
std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (const std::string& line : lines_of(text))
    most = std::max(most, static_cast<std::size_t>(std::count_if(
                              line.begin(), line.end(), [](unsigned char c) { return (c & 0xc0) != 0x80; })));
  return most;
}

// Fields of a line in which only names are quoted, and none of those has a comma.
std::size_t fields(const std::string& line) {
  return static_cast<std::size_t>(std::count(line.begin(), line.end(), ',')) + 1;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const std::vector<std::string> given = {"bad.mtx", "c.mtx", "s.mtx"};

}  // namespace

TEST_CASE("help and version") {
  const folder work;
  const outcome help = run(work, "--help");
  CHECK(help.status == 0);
  for (const char* const word :
       {"--rows", "--cols", "--blocks", "--bins", "--top", "--tile", "--rank", "--size", "--html", "--csv",
        "--full", "--quiet", "(--help-generators)", "Examples"})
    CHECK(has(help.out, word));
  CHECK(!has(help.out, "gen:lopsided"));
  CHECK(has(run(work, "--help-generators").out, "gen:lopsided"));
  CHECK(run(work, "--version").out.find("spanalyze 0.") == 0);
}

TEST_CASE("the text tells what the matrix is like, and fits 80 columns") {
  const folder work;
  const outcome r = run(work, "s.mtx --rows --cols");
  CHECK(r.status == 0);
  CHECK(r.err.empty());
  for (const char* const part : {"s.mtx: 4 x 4, real", "6 (37.5 %): 1 explicit zeros", "100 % of the same",
                                 "2 below the diagonal, 2 above", "row lengths, linear bins",
                                 "column lengths", "entries per cell", "2 x 2", "csr", "sell"}) {
    INFO(part);
    CHECK(has(r.out, part));
  }
  for (const std::string input : {"s.mtx", "c.mtx", "gen:laplace2d?n=40", "'gen:powerlaw?n=200000&mean=9'",
                                  "'gen:uniform?rows=3&cols=90000'", "'gen:uniform?n=0'",
                                  "'gen:uniform?n=50&density=0'", "s.mtx c.mtx 'gen:rmat?scale=12' --full"}) {
    const outcome any = run(work, input + " --rows --cols --top 30 --tile");
    INFO(input << "\n" << any.out << any.err);
    CHECK(any.status == 0);
    CHECK(widest(any.out) <= 80);
    CHECK_FALSE(has(any.out, " nan"));
    CHECK_FALSE(has(any.out, "at least, at least"));
  }
  CHECK(run(work, "s.mtx --quiet").out.empty());
  CHECK(work.files() == given);
}

TEST_CASE("the JSON has its schema") {
  const folder work;
  const json j = run_json(work, "s.mtx --blocks 2,3x1 --top 2 --bins 4");
  CHECK(j["schema"] == "sparsmith.features/1");
  CHECK(j["name"] == "s.mtx");
  CHECK(j["field"] == "real");
  CHECK(j["entries"] == 6);
  CHECK(j["values"]["explicit_zeros"] == 1);
  CHECK(j["symmetry"]["values_share"] == 1);
  CHECK(j["row_lengths"]["distribution"] == json({{1, 2}, {2, 2}}));
  CHECK(j["row_lengths"]["linear_bins"].size() == 3);
  CHECK(j["longest_rows"] == json::parse(R"([{"row": 0, "length": 2}, {"row": 1, "length": 2}])"));
  REQUIRE(j["blocks"].size() == 2);
  CHECK(j["blocks"][1]["rows"] == 3);
  CHECK(j["blocks"][1]["cols"] == 1);
  CHECK(j["formats"].size() > 5);
  CHECK(j["grid"]["rows"] == 4);
  CHECK(run_json(work, "s.mtx --quiet") == run_json(work, "s.mtx"));

  const auto tiles = [&](const std::string& option) {
    const json formats = run_json(work, "s.mtx " + option)["formats"];
    return std::count_if(formats.begin(), formats.end(),
                         [](const json& cost) { return cost["format"] == "gcsb_tile"; });
  };
  CHECK(tiles("") == 0);
  CHECK(tiles("--tile") == 1);
  // The structural rank of more than a million entries is found where it is asked for.
  const std::string million = "'gen:laplace2d?n=460'";
  CHECK(run_json(work, million)["structure"]["structural_rank"].is_null());
  CHECK(run_json(work, million + " --rank")["structure"]["structural_rank"] == 460 * 460);

  const json large = run_json(work, "'gen:rmat?scale=12'");
  CHECK(large["grid"]["rows"] <= 64);
  std::int64_t in_grid = 0;
  for (const json& count : large["grid"]["counts"]) in_grid += count.get<std::int64_t>();
  CHECK(large["entries"] == in_grid);
}

TEST_CASE("of a complex matrix the absolute values are looked at, and whether it is hermitian") {
  const folder work;
  json complex = run_json(work, "c.mtx"), real = run_json(work, "s.mtx");
  CHECK(complex["field"] == "complex");
  // 1.5, -2 + 3i and its conjugate, 0, and what two entries that cancel each other out leave, twice.
  CHECK(complex["values"]["explicit_zeros"] == 3);
  CHECK(complex["values"]["largest"].get<double>() == Approx(std::sqrt(13.0)));
  CHECK(complex["values"]["smallest"] == 1.5);
  CHECK(complex["values"]["norm_1"].get<double>() == Approx(1.5 + std::sqrt(13.0)));
  CHECK(complex["values"]["norm_frobenius"].get<double>() == Approx(std::sqrt(2.25 + 26)));
  CHECK(complex["values"]["diagonal_zeros"] == 1);
  CHECK(complex["symmetry"]["pattern_share"] == 1);
  CHECK(complex["symmetry"]["conjugate_share"] == 1);
  CHECK(complex["symmetry"]["conjugate"] == 4);
  CHECK(complex["symmetry"]["values"] == 2);   // the zeros
  CHECK(complex["symmetry"]["negated"] == 2);  // the same
  CHECK(real["symmetry"]["conjugate"].is_null());
  for (const char* const member : {"row_lengths", "col_lengths", "structure", "blocks", "grid", "entries"})
    CHECK(complex[member] == real[member]);
  for (const json& price : complex["formats"]) {
    if (price["format"] == "csr") CHECK(price["bytes"] == 5 * 4 + 6 * 20);
    CHECK_FALSE(std::string(price["format"]).ends_with("_half"));
  }
  CHECK(has(run(work, "c.mtx").out, "128-bit complex values"));
  CHECK(has(run(work, "c.mtx").out, "100 % of the conjugate"));
  // The same with far more rows than entries.
  std::ofstream(work / "hollow.mtx") << "%%MatrixMarket matrix coordinate complex hermitian\n"
                                        "90000000 90000000 3\n1 1 1.5 0\n80000001 1 -2 3\n7000 5000 0 2\n";
  const json hollow = run_json(work, "hollow.mtx");
  CHECK(hollow["entries"] == 5);
  CHECK(hollow["symmetry"]["conjugate_share"] == 1);
  CHECK(hollow["symmetry"]["values"] == 0);
  CHECK(hollow["symmetry"]["negated"] == 2);
  CHECK(hollow["values"]["largest"].get<double>() == Approx(std::sqrt(13.0)));
}

TEST_CASE("the same for any number of threads") {
  const folder work;
  for (const char* const input : {"'gen:rmat?scale=13'", "gen:laplace3d?n=12", "c.mtx"})
    CHECK(run(work, std::string(input) + " --json --threads 1").out ==
          run(work, std::string(input) + " --json --threads 3").out);
}

TEST_CASE("CSV has one line a matrix, and as many fields as names") {
  const folder work;
  const outcome r = run(work, "s.mtx c.mtx 'gen:uniform?rows=40&cols=900' --csv --blocks 4,8x4");
  REQUIRE(r.status == 0);
  const auto lines = lines_of(r.out);
  REQUIRE(lines.size() == 4);
  for (const std::string& line : lines) CHECK(fields(line) == fields(lines[0]));
  CHECK(has(lines[0], "fill_8x4"));
  CHECK(has(lines[0], "bytes_gcsb_32"));
  CHECK(lines[1].find("\"s.mtx\",\"real\",4,4,6,") == 0);
  CHECK(lines_of(run(work, "s.mtx --csv --tile").out)[0] == lines_of(run(work, "c.mtx --csv").out)[0]);
}

TEST_CASE("pictures and pages are written, whole") {
  const folder work;
  const outcome r =
      run(work, "'gen:rmat?scale=10' --png p.png --svg p.svg --html p.html --size 300x200 --quiet");
  CHECK(r.status == 0);
  CHECK(r.out.empty());
  CHECK(r.err.empty());
  const std::string png = content(work / "p.png");
  REQUIRE(png.size() > 24);
  CHECK(png.substr(1, 3) == "PNG");
  const auto size_at = [&](std::size_t at) {
    return static_cast<unsigned char>(png[at + 2]) * 256 + static_cast<unsigned char>(png[at + 3]);
  };
  CHECK(size_at(16) == 300);
  CHECK(size_at(20) == 200);
  CHECK(has(content(work / "p.svg"), "width=\"300\" height=\"200\""));
  const std::string page = content(work / "p.html");
  CHECK(page.find("<!DOCTYPE html>") == 0);
  CHECK(has(page, "data:image/png;base64,"));
  CHECK(has(page, "</html>"));
  CHECK(work.files() == std::vector<std::string>{"bad.mtx", "c.mtx", "p.html", "p.png", "p.svg", "s.mtx"});
}

TEST_CASE("a link stays a link, and what is no file is refused") {
  const folder work;
  std::ofstream(work / "old.png") << "old";
  fs::create_symlink("old.png", work / "link.png");
  CHECK(run(work, "s.mtx --quiet --png link.png").status == 0);
  CHECK(fs::is_symlink(work / "link.png"));
  CHECK(content(work / "old.png").starts_with("\x89PNG"));
  CHECK(run(work, "s.mtx --quiet --png /dev/stdout").status == 1);
}

TEST_CASE("output that cannot be written is an error") {
  if (!fs::exists("/dev/full")) return;
  const folder work;
  for (const char* const form : {"--csv", "--json", ""})
    CHECK(run(work, std::string("s.mtx ") + form + " >/dev/full").status == 1);
}

TEST_CASE("fewer threads than were asked for") {
  const folder work;
  const std::string matrix = "'gen:uniform?n=1000&density=0.3' --csv --quiet --threads ";
  const outcome one = run(work, matrix + "1");
  REQUIRE(one.status == 0);
  const outcome limited =
      run_command("OMP_THREAD_LIMIT=2 MALLOC_PERTURB_=170 '" + from_environment("SPARSMITH_SPANALYZE") +
                      "' --device cpu " + matrix + "8",
                  work / "limited");
  CHECK(limited.out == one.out);
}

TEST_CASE("a block size that is named twice is looked at once") {
  const folder work;
  CHECK(run(work, "s.mtx --csv --quiet --blocks 4,2,4").out ==
        run(work, "s.mtx --csv --quiet --blocks 4,2").out);
}

TEST_CASE("the best block is one of all shapes") {
  const folder work;
  const std::string blocks = "'gen:blockband?n=600&block=6&density=0.05'";
  const std::string text = run(work, blocks).out;
  const std::size_t line = text.find("\n6 x 6 ");
  REQUIRE(line != std::string::npos);
  CHECK(has(text.substr(line, text.find('\n', line + 1) - line), "fewest bytes of 66"));
  CHECK(text.find("\n5 x 5 ") < line);
  CHECK(line < text.find("\n8 x 8 "));
  const std::string several = run(work, blocks + " s.mtx").out;
  CHECK(has(several, "6 x 6, fill 1.000"));
  CHECK(has(several, "bsr 6 x 6"));
  const json told = run_json(work, blocks + " --blocks 2");
  CHECK(told["best_block"]["rows"] == 6);
  CHECK(told["blocks"].size() == 1);
}

TEST_CASE("several matrices are compared, and a bad one does not hide the others") {
  const folder work;
  const outcome two = run(work, "s.mtx c.mtx --html p.html");
  CHECK(two.status == 0);
  CHECK(has(two.out, "matrix"));
  CHECK(has(two.out, "fewest bytes"));
  CHECK_FALSE(has(two.out, "row lengths"));
  CHECK(has(content(work / "p.html"), "id=\"comparison\""));
  const std::string full = run(work, "s.mtx c.mtx --full").out;
  CHECK(has(full, "row lengths"));
  const std::size_t device = full.find("\ndevice ");  // that of all, told once
  CHECK(device != std::string::npos);
  CHECK(full.find("\ndevice ", device + 1) == std::string::npos);
  CHECK(run_json(work, "s.mtx c.mtx").size() == 2);

  const outcome one_bad = run(work, "s.mtx bad.mtx c.mtx --json");
  CHECK(one_bad.status == 1);
  CHECK(one_bad.err == "spanalyze: bad.mtx:3: row 3 is outside 1..2\n");
  const json left = json::parse(one_bad.out);
  REQUIRE(left.size() == 2);
  CHECK(left[1]["name"] == "c.mtx");
  const outcome all_bad = run(work, "bad.mtx missing.mtx --html q.html");
  CHECK(all_bad.status == 1);
  CHECK(lines_of(all_bad.err).size() == 2);
  CHECK(all_bad.out.empty());
  CHECK_FALSE(fs::exists(work / "q.html"));
}

TEST_CASE("of several matrices the one that cannot be made is named, and the others are analysed") {
  const folder work;
  for (const std::string& matrix : {std::string("gen:uniform?n=2147483647&density=1"),  // does not fit
                                    std::string("gen:unifrom?n=3"), std::string("gen:uniform?n=three")}) {
    const outcome r = run(work, "s.mtx '" + matrix + "' c.mtx --json");
    INFO(matrix << "\n" << r.err);
    CHECK(r.status == 1);
    CHECK(lines_of(r.err).size() == 1);
    CHECK(r.err.find("spanalyze: " + matrix + ": ") == 0);
    const json left = json::parse(r.out);
    REQUIRE(left.size() == 2);
    CHECK(left[1]["name"] == "c.mtx");
  }
#ifndef __SANITIZE_ADDRESS__  // which reserves terabytes of addresses itself
  const std::string large = "gen:diagonal?n=400000000";
  const outcome r = run_command("ulimit -v 4000000; cd '" + work.path.string() + "' && '" +
                                    from_environment("SPARSMITH_SPANALYZE") + "' --device cpu s.mtx " +
                                    large + " c.mtx --csv",
                                (fs::temp_directory_path() / work.path.filename()).string());
  INFO(r.err);
  CHECK(r.status == 1);
  CHECK(lines_of(r.err).size() == 1);
  CHECK(r.err.find("spanalyze: " + large + ": ") == 0);
  CHECK(lines_of(r.out).size() == 3);
#endif
}

TEST_CASE("what cannot be done is one line, and leaves nothing behind") {
  const folder work;
  const auto refused = [&](const std::string& arguments, int status, const std::string& message) {
    const outcome r = run(work, arguments);
    INFO(arguments << "\n" << r.err);
    CHECK(r.status == status);
    CHECK(r.out.empty());
    CHECK(lines_of(r.err).size() == 1);
    CHECK(r.err.find("spanalyze: ") == 0);
    CHECK(has(r.err, message));
  };
  refused("", 2, "input");
  refused("bad.mtx", 1, "bad.mtx:3: row 3 is outside 1..2");
  refused("missing.mtx", 1, "missing.mtx");
  refused("gen:nothing", 2, "nothing");
  refused("s.mtx --blocks 4y", 2, "--blocks 4y: not a size such as 4 or 8x4");
  refused("s.mtx --blocks 4,0", 2, "--blocks 0: sides are from 1 to 1024");
  refused("s.mtx --blocks 4x2000", 2, "--blocks 4x2000: sides are from 1 to 1024");
  refused("s.mtx --blocks 4294967300", 2, "--blocks 4294967300: not a size");
  refused("s.mtx --size 9000", 2, "--size 9000: sides are from 16 to 8192");
  refused("s.mtx --bins 0", 2, "--bins");
  refused("s.mtx --json --csv", 2, "--csv");
  refused("s.mtx --png a.png --svg ./a.png", 2, "is --png as well");
  refused("s.mtx --png s.mtx", 2, "is the input as well");
  refused("s.mtx --html -", 2, "name a file");
  refused("s.mtx c.mtx --png a.png", 2, "--html shows several");
  // Before the analysis: the matrix is not even there.
  refused("missing.mtx --html no/such/place.html", 1, "no/such/place.html: could not create");
  CHECK(work.files() == given);
}

TEST_CASE("a symmetric file that stores both triangles is called that") {
  const folder work;
  std::ofstream(work / "both.mtx")
      << "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n2 1 2\n1 2 2\n";
  const std::string doubt =
      "spanalyze: both.mtx: both triangles are stored although the header says symmetric: the values of 1 "
      "pair "
      "off the diagonal were added up\n";
  CHECK(run(work, "both.mtx s.mtx --csv").err == doubt);
  CHECK(run(work, "both.mtx --quiet").err.empty());
  CHECK(run(work, "s.mtx").err.empty());
}
