// spconv as a process: what a user types, what comes back, and what is left on disk.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "convert/formats/formats.hpp"
#include "convert/io/read.hpp"
#include "convert/io/zip.hpp"
#include "tests/tools/process.hpp"
#include "tests/whole_formats.hpp"

namespace fs = std::filesystem;
using namespace sparsmith::testing;

namespace {

struct folder : temporary_folder {
  folder() : temporary_folder("spconv_test") {}
};

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

// Runs a shell command line in which SPCONV stands for the tool.
outcome run(const folder& work, std::string command) {
  const std::string name = "SPCONV";
  for (std::size_t at; (at = command.find(name)) != std::string::npos;)
    command.replace(at, name.size(), from_environment("SPARSMITH_SPCONV"));
  return run_command(command, work / "");
}

nlohmann::json run_json(const folder& work, const std::string& command) {
  const outcome r = run(work, command + " --json");
  INFO(command << "\n" << r.err);
  REQUIRE(r.status == 0);
  return nlohmann::json::parse(r.out);
}

// What was broken into lines of 80 columns, on one again: lines that go on are indented.
std::string unwrapped(std::string text) {
  for (std::size_t at; (at = text.find("\n ")) != std::string::npos;)
    text.replace(at, text.find_first_not_of(' ', at + 1) - at, " ");
  return text;
}

constexpr const char* hermitian_text =
    "%%MatrixMarket matrix coordinate complex hermitian\n3 3 3\n1 1 2 0\n2 1 3 4\n3 2 0 -1\n";

// A sanitizer reserves terabytes of addresses, so it cannot live under a limit on them.
#ifdef __SANITIZE_ADDRESS__
const std::string little_memory;
#else
const std::string little_memory = "ulimit -v 8000000; ";
#endif

const std::string small =
    "%%MatrixMarket matrix coordinate real symmetric\n% note\n4 4 5\n1 1 1.5\n2 1 -2\n3 3 0\n4 2 0.1\n4 2 "
    "0.2\n";

}  // namespace

TEST_CASE("help and version") {
  const folder work;
  const auto help = run(work, "SPCONV --help");
  CHECK(help.status == 0);
  for (const char* word : {"--to", "--plan", "--verify", "(--help-generators)", "Examples"})
    CHECK(help.out.find(word) != std::string::npos);
  CHECK(help.out.find("gen:powerlaw") == std::string::npos);
  const auto generators = run(work, "SPCONV --help-generators");
  CHECK(generators.status == 0);
  for (const char* word : {"gen:uniform", "gen:powerlaw", "exponent=2.1"})
    CHECK(generators.out.find(word) != std::string::npos);
  CHECK(generators.out.find("\n\n\n") == std::string::npos);
  CHECK(!generators.out.ends_with("\n\n"));
  const auto version = run(work, "SPCONV --version");
  CHECK(version.status == 0);
  CHECK(version.out.find("spconv 0.") == 0);
}

TEST_CASE("the summary tells what was done to the matrix") {
  const folder work;
  write(work / "s.mtx", small);
  const auto j = run_json(work, "SPCONV " + (work / "s.mtx") + " --to ell --device cpu");
  CHECK(j["schema"] == "sparsmith.spconv/1");
  CHECK(j["matrix"]["rows"] == 4);
  CHECK(j["matrix"]["entries"] == 6);
  CHECK(j["read"]["stored"] == 5);
  CHECK(j["read"]["expanded"] == 3);
  CHECK(j["read"]["duplicates_summed"] == 2);
  CHECK(j["read"]["explicit_zeros"] == 1);
  CHECK(j["read"]["zeros_dropped"] == false);
  CHECK(j["format"]["name"] == "ell");
  CHECK(j["format"]["parameters"]["width"] == 2);
  CHECK(j["format"]["slots"] == 8);
  CHECK(j["format"]["padded_slots"] == 2);
  CHECK(j["stages"].size() >= 4);
  const auto dropped =
      run_json(work, "SPCONV " + (work / "s.mtx") + " --to csr --drop-zeros --value f32 --offsets 64");
  CHECK(dropped["matrix"]["entries"] == 5);
  CHECK(dropped["matrix"]["value_bits"] == 32);
  CHECK(dropped["matrix"]["offset_bits"] == 64);
  CHECK(dropped["read"]["narrowed"] == 2);
  const auto text = run(work, "SPCONV " + (work / "s.mtx") + " --to hyb");
  CHECK(unwrapped(text.out).find("3 expanded by symmetry, 2 duplicates summed, 1 explicit zeros kept") !=
        std::string::npos);
  CHECK(text.out.find("M entries/s") != std::string::npos);
  CHECK(text.err.empty());
  CHECK(run(work, "SPCONV " + (work / "s.mtx") + " --to csr --quiet").out.empty());
  CHECK(work.files() == std::vector<std::string>{"s.mtx"});
}

TEST_CASE("every format verifies, on both offset widths and both value types") {
  const folder work;
  for (const std::string& format : sparsmith::format_names())
    for (const char* types : {"--value f32", "--value f64", "--offsets 64", "--offsets 64 --value f32"}) {
      const std::string spec = sparsmith::whole_of(*sparsmith::format_named(format)) ? "'gen:laplace3d?n=11'"
                                                                                     : "'gen:rmat?scale=10'";
      const auto r = run(work, "SPCONV " + spec + " --to " + format + " --verify --max-fill 1000 " + types);
      INFO(format << " " << types << r.err);
      CHECK(r.status == 0);
      CHECK(r.out.find("bit for bit") != std::string::npos);
    }
}

TEST_CASE("blocked formats by their options, and block positions beyond 32 bits") {
  const folder work;
  const auto j = run_json(work, "SPCONV 'gen:diagonal?n=3000000' --to gcsb --verify");
  CHECK(j["matrix"]["offset_bits"] == 64);
  CHECK(j["blocks"]["blocks"] == 93750);
  CHECK(j["blocks"]["entries_per_block"]["median"] == 32);
  CHECK(j["blocks"]["groups"]["padded_slots"] == j["format"]["padded_slots"]);
  for (const char* arguments :
       {"--to bsr --block 3x5", "--to bsr --block 7", "--to csb --beta 8 --order diagonal --index 32",
        "--to gcsb --beta 64 --group 7 --window 10 --order row", "--to gcsb --layout thesis --beta 16",
        "--to gcsb --layout tile", "--to gcsb --layout tile --tile 512x256 --rest 8 --group 16 --index 32",
        "--to gcsb --layout tile --renumber length", "--to gcsb --layout tile --index 16",
        "--to gcsb_tile --renumber none --tile 256", "--to ecsb --holding ell",
        "--to ecsb --holding hybrid --beta 128", "--to csb --layout thesis"}) {
    const auto r = run(work, std::string("SPCONV 'gen:rmat?scale=9' --verify --max-fill 1000 ") + arguments);
    INFO(arguments << ": " << r.err);
    CHECK(r.status == 0);
  }
  for (const char* arguments : {"--to bsr --block 65",
                                "--to bsr --block 4y4",
                                "--to csb --beta 3",
                                "--to csb --beta 8192",
                                "--to gcsb --beta 512 --index 16",
                                "--to gcsb --layout thesis --window 4",
                                "--to gcsb --beta 8,16",
                                "--to bsr --block 2,4",
                                "--to gcsb --layout tile --tile 300",
                                "--to gcsb --layout tile --tile 256x4096",
                                "--to gcsb --layout tile --group 12",
                                "--to gcsb --layout tile --tile 5q",
                                "--to gcsb --layout tile --tile 0",
                                "--to gcsb --layout tile --window 4",
                                "--to gcsb --layout tile --tile 2048 --index 16",
                                "--to csb --layout tile",
                                "--to mtx -o - --layout tile",
                                "--to gcsb_tile --layout thesis",
                                "--to gcsb --group 0",
                                "--to gcsb --window -1",
                                "--to gcsb --layout tile --rest -1",
                                "--to sell --slice 0",
                                "--to sell --sigma 0",
                                "--to hyb --width -1",
                                "--to dia --diagonals 1.5",
                                "--to dia --diagonals 0",
                                "--to dia --diagonals -1",
                                "--to dia --diagonals nan",
                                "--to dia --diagonals 0.5x",
                                "--to dia --diagonals most",
                                "--to ell --max-fill 0.5",
                                "--to ell --max-fill nan",
                                "--plan --beta 8,9",
                                "--plan --window -1",
                                "--plan --layout thesis --window 10",
                                "--plan --layout tile --window 10"}) {
    const auto r = run(work, std::string("SPCONV 'gen:rmat?scale=9' ") + arguments);
    INFO(arguments << ": " << r.err);
    CHECK(r.status == 2);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
  // The library names the quantity, the tool its flag.
  const auto refusal = [&](const std::string& arguments) {
    return run(work, "SPCONV 'gen:rmat?scale=9' " + arguments).err;
  };
  CHECK(refusal("--to csb --beta 3") == "spconv: beta 3 is not a power of two from 2 to 4096 (--beta)\n");
  CHECK(refusal("--to gcsb --beta 512 --index 16") ==
        "spconv: 16-bit combined indices need a beta of at most 256, not 512 (--index)\n");
  CHECK(refusal("--to bsr --block 65") ==
        "spconv: a block of BSR has sides from 1 to 64, not 65 x 65 (--block)\n");
  CHECK(refusal("--to gcsb_tile --group 12") ==
        "spconv: the group size of layout tile is a power of two up to 32, not 12 (--group)\n");
  // Groups of any size are fine where nobody asks for tiles; 16-bit indices then are those of blocks.
  CHECK(run_json(work, "SPCONV 'gen:rmat?scale=9' --plan --group 48 --index 16")["plan"].size() ==
        whole_format_names().size());
  const auto plan = run_json(work, "SPCONV 'gen:rmat?scale=9' --plan --beta 8,16,32 --block 2,4x2")["plan"];
  CHECK(plan.size() == 7 + 2 + 9 + 1);
  CHECK(plan.back()["format"] == "gcsb_tile");
  CHECK(plan.back()["exact"] == false);
  CHECK(plan.front()["exact"] == true);
}

TEST_CASE("an option that means nothing for the format is refused") {
  const folder work;
  const auto refusal = [&](const std::string& arguments) {
    const auto r = run(work, "SPCONV gen:diagonal?n=9 " + arguments);
    INFO(arguments << ": " << r.out << r.err);
    CHECK(r.status == 2);
    CHECK(r.out.empty());
    return r.err;
  };
  CHECK(refusal("--to csr --beta 64") ==
        "spconv: --beta means nothing for csr (it is for csb, ecsb and gcsb)\n");
  CHECK(refusal("--to mtx -o - --slice 8") == "spconv: --slice means nothing for mtx (it is for sell)\n");
  CHECK(refusal("--to gcsb --tile 512") ==
        "spconv: --tile means nothing for gcsb (it is for gcsb_tile and "
        "gcsb_tile_half)\n");
  CHECK(refusal("--to gcsb --layout blocks --rest 8") ==
        "spconv: --rest means nothing for gcsb (it is for gcsb_tile and "
        "gcsb_tile_half)\n");
  CHECK(refusal("--to gcsb --layout tile --beta 64") ==
        "spconv: --beta means nothing for gcsb, layout tile (it is for csb, ecsb and gcsb)\n");
  CHECK(refusal("--to gcsb_tile --window 4") ==
        "spconv: --window means nothing for gcsb_tile (it is for gcsb)\n");
  CHECK(refusal("--to gcsb_tile --layout blocks") ==
        "spconv: --to gcsb_tile is layout tile; leave --layout out\n");
  // Also where it says what would be taken anyway.
  for (const char* arguments :
       {"--to ell --width 1", "--to hyb --sigma 1024", "--to hyb --diagonals auto", "--to csc --block auto",
        "--to bsr --group 32", "--to coo --layout thesis", "--to ell --order morton",
        "--to sell --index auto", "--to csb --holding auto", "--to ecsb --renumber auto",
        "--to csr --container npz", "--plan --verify", "--plan --container npz"})
    CHECK(refusal(arguments).find("spconv: --") == 0);
  // A plan is about all formats; a limit holds for whatever is made.
  CHECK(run(work, "SPCONV gen:diagonal?n=9 --plan --slice 4 --block 2 --beta 8 --window 4 --rest 8").status ==
        0);
  CHECK(run(work, "SPCONV gen:diagonal?n=9 --plan --to csr --beta 8").status == 0);
  CHECK(run(work, "SPCONV gen:diagonal?n=9 --to csr --max-fill 2").status == 0);
}

TEST_CASE("half of a symmetric matrix") {
  const folder work;
  const std::string laplace = "SPCONV 'gen:laplace2d?n=30' --max-fill 100 ";
  run_json(work, laplace + "--to csr -o " + (work / "whole.h5"));
  for (const std::string format : {"csr", "dia", "bsr", "gcsb_tile"}) {
    INFO(format);
    const std::string file = work / (format + "_half.h5");
    const auto half = run_json(work, laplace + "--to " + format + " --symmetric half --verify -o " + file);
    CHECK(half["format"]["name"] == format + "_half");
    CHECK(half["verified"] == true);
    CHECK(half.contains("blocks") == (format == "gcsb_tile"));
    const auto full = run_json(work, laplace + "--to " + format);
    CHECK(half["format"]["bytes"].get<double>() < .65 * full["format"]["bytes"].get<double>());
    // What is read back is the whole matrix, bit for bit.
    run_json(work, "SPCONV " + file + " --to csr -o " + (work / "back.h5"));
    CHECK(run(work, "cmp " + (work / "back.h5") + " " + (work / "whole.h5")).status == 0);
    CHECK(run_json(work, laplace + "--to " + format + "_half")["format"] == half["format"]);
    CHECK(run_json(work, laplace + "--to " + format + " --symmetric full")["format"] == full["format"]);
  }
  std::map<std::string, double> prices;
  const auto planned = run_json(work, laplace + "--plan");
  for (const auto& price : planned["plan"]) prices[price["format"]] = price["bytes"].get<double>();
  CHECK(prices.at("csr_half") < .65 * prices.at("csr"));
  CHECK(prices.contains("bsr_half"));
  CHECK(run_json(work, "SPCONV gen:rmat?scale=6 --plan")["plan"].dump().find("_half") == std::string::npos);

  const auto r = run(work, "SPCONV gen:rmat?scale=6 --to csr --symmetric half -o " + (work / "none.h5"));
  CHECK(r.status == 1);
  CHECK(r.err ==
        "spconv: gen:rmat?scale=6: the matrix is neither symmetric nor skew-symmetric, bit for bit: it has "
        "no half "
        "to store\n");
  CHECK_FALSE(std::filesystem::exists(work / "none.h5"));
  const auto refusal = [&](const std::string& arguments) {
    const auto refused = run(work, laplace + arguments);
    CHECK(refused.status == 2);
    return refused.err;
  };
  CHECK(refusal("--to ell --symmetric half") ==
        "spconv: --symmetric half is for csr, dia, bsr, gcsb_tile, not for ell\n");
  CHECK(refusal("--to gcsb --symmetric half") ==
        "spconv: --symmetric half is for csr, dia, bsr, gcsb_tile, not for gcsb\n");
  CHECK(refusal("--to gcsb_tile_half --layout thesis") ==
        "spconv: --to gcsb_tile_half is layout tile; leave --layout out\n");
  CHECK(refusal("--to gcsb --layout tile --symmetric half --renumber none") ==
        "spconv: --renumber means nothing for gcsb, layout tile, half of it (it is for gcsb_tile)\n");
  CHECK(run_json(work, laplace + "--to gcsb --layout tile --symmetric half --tile 256")["format"]["name"] ==
        "gcsb_tile_half");
  CHECK(refusal("--to dia_half --symmetric full") ==
        "spconv: --to dia_half stores half of the matrix; leave --symmetric full out\n");
  CHECK(refusal("--to mtx --symmetric half -o x.mtx") ==
        "spconv: --symmetric half is for csr, dia, bsr, gcsb_tile, not for mtx\n");
  CHECK(refusal("--to csr --symmetric half -o x.npz") ==
        "spconv: a npz file cannot hold csr_half; write it to a .h5 file\n");
}

TEST_CASE("a file without a format is CSR, or the entries where it holds no more") {
  const folder work;
  for (const auto& [name, origin] : std::map<std::string, std::string>{
           {"b.npz", "SciPy npz csr"}, {"b.bsp.h5", "Binsparse CSR"}, {"b.h5", "Sparsmith container, csr"}}) {
    INFO(name);
    CHECK(run_json(work, "SPCONV gen:diagonal?n=9 -o " + (work / name))["format"]["name"] == "csr");
    CHECK(run_json(work, "SPCONV " + (work / name) + " --to csr")["read"]["origin"] == origin);
  }
  CHECK(run_json(work, "SPCONV gen:diagonal?n=9 -o " + (work / "b") + " --container npz")["format"]["name"] ==
        "csr");
  for (const char* name : {"b.mtx", "b.mtx.gz"}) {
    INFO(name);
    REQUIRE(run(work, "SPCONV gen:diagonal?n=9 -o " + (work / name)).status == 0);
    CHECK(run_json(work, "SPCONV " + (work / name) + " --to csr")["read"]["origin"] ==
          "Matrix Market coordinate");
  }
  CHECK(run(work, "SPCONV gen:diagonal?n=9 -o -").out.find("%%MatrixMarket") == 0);
  const auto refusal = [&](const std::string& arguments) {
    const auto r = run(work, "SPCONV gen:diagonal?n=9 " + arguments);
    CHECK(r.status == 2);
    return r.err;
  };
  CHECK(refusal("") == "spconv: nothing to do: name a format with --to, a file with -o, or --plan\n");
  CHECK(refusal("-o b.h5 --block 2x2") ==
        "spconv: --block means nothing for csr (it is for bsr and bsr_half)\n");
  CHECK(refusal("-o b.nosuch").find("the extension names no container") != std::string::npos);
  CHECK(refusal("--plan -o b.npz") == "spconv: -o needs a format: name one with --to\n");
}

TEST_CASE("what was misspelt is answered with what was probably meant") {
  const folder work;
  const auto refusal = [&](const std::string& arguments) {
    const auto r = run(work, "SPCONV gen:diagonal?n=9 " + arguments);
    CHECK(r.status == 2);
    return r.err;
  };
  CHECK(refusal("--to cssr") == "spconv: --to: there is no \"cssr\", did you mean csr? (see --help)\n");
  CHECK(refusal("--tto csr") == "spconv: there is no option --tto, did you mean --to? (see --help)\n");
  CHECK(refusal("--to csr --qiuet") ==
        "spconv: there is no option --qiuet, did you mean --quiet? (see --help)\n");
  CHECK(refusal("--to csr --nonsense=3") == "spconv: there is no option --nonsense (see --help)\n");
  CHECK(refusal("--to csr --layuot=tile").find("did you mean --layout?") != std::string::npos);
  CHECK(refusal("--to csr --device cdua") ==
        "spconv: --device: there is no \"cdua\", did you mean cuda? (see --help)\n");
  CHECK(refusal("--to csr --offsets 48") ==
        "spconv: --offsets: there is no \"48\", only auto, 32, 64 (see --help)\n");
  // Words are the same in capitals.
  for (const char* arguments :
       {"--to CSR", "--to Gcsb --layout Tile --tile AUTO", "--to bsr --block AUTO", "--to bsr --block 2X1",
        "--to csr --device CPU --value F32", "--to ecsb --holding Hybrid --order MORTON"}) {
    const auto r = run(work, "SPCONV gen:diagonal?n=900 --verify " + std::string(arguments));
    INFO(arguments << ": " << r.err);
    CHECK(r.status == 0);
  }
  REQUIRE(run(work, "SPCONV gen:diagonal?n=9 --to MTX --container MTX -o " + (work / "x")).status == 0);
}

TEST_CASE("what verifying takes is told apart from what the conversion takes") {
  const folder work;
  const auto text = run(work, "SPCONV gen:rmat?scale=9 --to sell --verify").out;
  double sum = 0, total = -1;
  bool verifying = false, in_table = false;
  std::istringstream lines(text.substr(text.find("\nstage ")));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("stage ") == 0) {
      in_table = true;
      continue;
    }
    if (!in_table || line.empty() || line.find("peak memory") == 0) continue;
    const double milliseconds = std::stod(line.substr(line.find_first_of("0123456789", 18)));
    verifying = line.find("verify: ") == 0;
    if (verifying) {
      CHECK(total >= 0);  // they come after the total
    } else if (line.find("total ") == 0) {
      total = milliseconds;
    } else {
      CHECK(line.find("to CSR") == std::string::npos);
      sum += milliseconds;
    }
  }
  CHECK(verifying);
  CHECK(std::abs(sum - total) < 0.1);
  CHECK(text.find("\nverify: total ") != std::string::npos);
  const auto j = run_json(work, "SPCONV gen:rmat?scale=9 --to sell --verify");
  CHECK(j["verify_stages"].size() >= 2);
  const auto plain = run_json(work, "SPCONV gen:rmat?scale=9 --to sell");
  CHECK(plain["stages"].size() == j["stages"].size());
  CHECK_FALSE(plain.contains("verify_stages"));
}

TEST_CASE("a format is told in the words it is asked for with") {
  const folder work;
  const auto format_line = [&](const std::string& arguments) {
    const std::string text =
        unwrapped(run(work, "SPCONV gen:rmat?scale=9 --max-fill 1000 --to " + arguments).out);
    const std::size_t at = text.find("\nformat   ") + 1;
    return text.substr(at + 9, text.find(':', at) - at - 9);
  };
  CHECK(format_line("csr") == "csr");
  CHECK(format_line("csb") == "csb, beta 32, order morton");
  CHECK(format_line("gcsb") == "gcsb, beta 32, group 32, order morton");
  CHECK(format_line("gcsb --window 8 --order row") == "gcsb, beta 32, group 32, order row, window 8");
  CHECK(format_line("csb --layout thesis") == "csb, beta 32, order morton, layout thesis");
  CHECK(format_line("ecsb --holding coo") == "ecsb, beta 32, order morton, coo");
  CHECK(format_line("gcsb_tile --tile 256 --renumber none") ==
        "gcsb_tile, 256 x 256, 32 lanes, rest below 64");
}

TEST_CASE("layout tile reports its tiles, its rest and its padding") {
  const folder work;
  const std::string tile = "SPCONV 'gen:rmat?scale=12' --to gcsb --layout tile --max-fill 50 --rest 100 ";
  const auto j = run_json(work, tile);
  const auto& b = j["blocks"];
  CHECK(j["format"]["name"] == "gcsb_tile");
  CHECK(b["blocks"].get<int>() + b["rest"]["blocks"].get<int>() + b["empty_blocks"].get<int>() == 64);
  CHECK(b["groups"]["groups"] == b["blocks"]);
  CHECK(b["groups"]["padded_slots"] == j["format"]["padded_slots"]);
  CHECK(b["groups"]["slots"].get<int>() + b["rest"]["entries"].get<int>() == j["format"]["slots"]);
  CHECK(b["entries_per_block"]["min"] >= 100);
  CHECK(b["groups"]["steps"]["max"] >= b["groups"]["longest_block"]["max"]);
  const auto text = run(work, tile);
  CHECK(text.out.find("tiles    ") != std::string::npos);
  CHECK(text.out.find("\nlongest lane ") != std::string::npos);
  // The same request by either name, and offsets by the entries, not by blocks that are not there.
  const auto wide = run_json(work, "SPCONV 'gen:diagonal?n=1600000' --to gcsb --layout tile");
  CHECK(wide["matrix"]["offset_bits"] == 32);
  // A shape near the limit, with hardly anything in it.
  std::ofstream(work / "wide.mtx") << "%%MatrixMarket matrix coordinate real general\n1 2147483647 3\n"
                                      "1 1 1\n1 5 1\n1 2147483647 1\n";
  const auto shape =
      run_json(work, "SPCONV " + (work / "wide.mtx") +
                         " --to gcsb --layout tile --renumber none --rest 1 --max-fill 100 --verify");
  CHECK(shape["blocks"]["empty_blocks"] == 2097150);
}

TEST_CASE("--block auto chooses a block and says why") {
  const folder work;
  const std::string band = "SPCONV 'gen:blockband?n=2000&block=5' --block ";
  auto text = run(work, band + "auto --to bsr --verify");
  CHECK(text.status == 0);
  text.out = unwrapped(text.out);
  CHECK(text.out.find("\nblock    auto: 5 x 5, fill 1.000, 0.678 x CSR, the least of ") != std::string::npos);
  CHECK(text.out.find("\nformat   bsr, 5 x 5: ") != std::string::npos);
  CHECK(text.out.find("\nscore blocks ") != std::string::npos);

  const auto j = run_json(work, band + "auto --to bsr");
  const auto& choice = j["block_choice"];
  CHECK(choice["rows"] == 5);
  CHECK(choice["cols"] == 5);
  CHECK(choice["blocks"] == 8000);
  CHECK(choice["fill"] == 1);
  CHECK(choice["bytes"] == j["format"]["bytes"]);
  CHECK(choice["bytes_over_csr"] == j["format"]["bytes_over_csr"]);
  CHECK(choice["pays"] == true);
  CHECK(text.out.find(choice["reason"].get<std::string>()) != std::string::npos);
  REQUIRE(choice["candidates"].size() == 66);
  for (const char* key : {"rows", "cols", "blocks", "fill", "bytes"}) {
    CHECK(choice["candidates"][0][key] == choice[key]);
    CHECK(choice["candidates"][1][key] == choice["runner_up"][key]);
  }
  CHECK(choice["runner_up"]["bytes_over_chosen"] > 1);

  // Beside other sizes the plan prices the chosen one too, whatever the order.
  for (const char* blocks : {"auto,4x4,2", "4x4,2,auto"}) {
    const auto plan = run_json(work, band + blocks + " --plan")["plan"];
    REQUIRE(plan.size() == whole_format_names().size() + 2);
    CHECK(plan[7]["parameters"] == "4 x 4, 13260 blocks");
    CHECK(plan[9]["parameters"] == "5 x 5, 8000 blocks, auto");
    CHECK(plan[9]["bytes"] == choice["bytes"]);
  }
  CHECK(run_json(work, band + "auto --plan")["plan"].size() == whole_format_names().size());

  for (const char* spec : {"gen:diagonal", "'gen:uniform?n=2000&density=0.01'", "'gen:diagonal?n=0'",
                           "'gen:uniform?n=9&density=0'"}) {
    const auto r = run(work, std::string("SPCONV ") + spec + " --to bsr --block auto --verify");
    INFO(spec << ": " << r.err << r.out);
    CHECK(r.status == 0);
    CHECK(unwrapped(r.out).find("\nblock    auto: 1 x 1, no block size pays: ") != std::string::npos);
  }
  // Few entries in many rows are cheapest in large blocks, but the limit on fill holds for a chosen block
  // too.
  const auto sparse = run_json(work, "SPCONV 'gen:uniform?n=100000&density=1e-8' --to bsr --block auto");
  CHECK(sparse["format"]["fill"] <= 3);
  CHECK(sparse["block_choice"]["reason"].get<std::string>().find("of at most 3 slots per entry") !=
        std::string::npos);
  CHECK(run(work, band + "auto,4 --to bsr").status == 2);
  CHECK(run(work, band + "automatic --to bsr").status == 2);
}

TEST_CASE("every container gives back the same matrix") {
  const folder work;
  REQUIRE(run(work, "SPCONV 'gen:powerlaw?n=300' --to mtx -o " + (work / "a.mtx")).status == 0);
  const std::string expected = content(work / "a.mtx");
  for (const std::string& format : whole_format_names())
    for (const std::string extension : {".mtx", ".npz", ".bsp.h5", ".h5"}) {
      const std::string file = work / (format + extension), back = work / (format + extension + ".mtx");
      // SciPy's dia has no rest.
      const auto r = run(work, "SPCONV " + (work / "a.mtx") + " --max-fill 1000 --to " + format +
                                   (format == "dia" ? " --diagonals all" : "") + " -o " + file);
      INFO(file << ": " << r.err);
      const bool fits = ((format == "bsr" || format == "dia") && extension == ".npz") ||

                        extension == ".mtx" || extension == ".h5" || format == "coo" || format == "csr" ||
                        format == "csc";
      CHECK(r.status == (fits ? 0 : 2));
      CHECK(fs::exists(file) == fits);
      if (!fits) continue;
      REQUIRE(run(work, "SPCONV " + file + " --to mtx -o " + back).status == 0);
      CHECK(content(back) == expected);
    }
  // The container can be named, whatever the extension; and two runs write the same bytes.
  REQUIRE(run(work, "SPCONV " + (work / "a.mtx") + " --max-fill 1000 --to sell --container sparsmith -o " +
                        (work / "x.data"))
              .status == 0);
  REQUIRE(run(work, "SPCONV " + (work / "x.data") + " --to mtx -o " + (work / "x.mtx")).status == 0);
  CHECK(content(work / "x.mtx") == expected);
  REQUIRE(run(work, "SPCONV " + (work / "a.mtx") + " --threads 1 --to csc -o " + (work / "one.npz")).status ==
          0);
  REQUIRE(run(work, "SPCONV " + (work / "a.mtx") + " --threads 3 --to csc -o " + (work / "two.npz")).status ==
          0);
  CHECK(content(work / "one.npz") == content(work / "two.npz"));
}

TEST_CASE("a pattern stays a pattern, single precision stays single") {
  const folder work;
  write(work / "p.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n");
  REQUIRE(run(work, "SPCONV " + (work / "p.mtx") + " --to mtx -o " + (work / "q.mtx")).status == 0);
  CHECK(content(work / "q.mtx") == content(work / "p.mtx"));
  REQUIRE(run(work, "SPCONV gen:diagonal?n=5 --value f32 --to csr -o " + (work / "f.npz")).status == 0);
  CHECK(run_json(work, "SPCONV " + (work / "f.npz") + " --to coo")["matrix"]["value_bits"] == 32);
}

TEST_CASE("field and symmetry stay where the matrix still has them") {
  const folder work;
  const auto written = [&](const std::string& text, const std::string& options = "") {
    write(work / "a.mtx", text);
    const auto r = run(work, "SPCONV " + (work / "a.mtx") + " --to mtx -o - " + options);
    INFO(r.err);
    CHECK(r.status == 0);
    return r.out;
  };
  const std::string banner = "%%MatrixMarket matrix coordinate ";
  for (const char* kept :
       {"integer general\n2 3 2\n1 3 1000000\n2 1 -7\n", "pattern general\n2 2 1\n1 2\n",
        "integer symmetric\n3 3 3\n1 1 4\n2 1 5\n3 2 6\n", "real symmetric\n2 2 2\n1 1 0.5\n2 1 -1.25\n",
        "pattern symmetric\n2 2 1\n2 1\n", "integer skew-symmetric\n2 2 1\n2 1 3\n"})
    CHECK(written(banner + kept) == banner + kept);
  // What dropping, narrowing and summing leave is what counts.
  CHECK(written(banner + "integer symmetric\n2 2 2\n2 1 0\n2 2 3\n", "--drop-zeros") ==
        banner + "integer symmetric\n2 2 1\n2 2 3\n");
  CHECK(written(banner + "pattern general\n1 1 2\n1 1\n1 1\n").find(banner + "real general") == 0);
  CHECK(written(banner + "integer general\n1 1 2\n1 1 2\n1 1 5\n") ==
        banner + "integer general\n1 1 1\n1 1 7\n");
  CHECK(written(banner + "real symmetric\n2 2 1\n2 1 0.1\n", "--value f32") ==
        banner + "real symmetric\n2 2 1\n2 1 0.1\n");
}

TEST_CASE("Matrix Market files can be written packed, and extensions in any case") {
  const folder work;
  const std::string convert = "SPCONV gen:powerlaw?n=300 --to ";
  REQUIRE(run(work, convert + "mtx -o " + (work / "a.mtx")).status == 0);
  for (const std::string& arguments : {"mtx -o " + (work / "p.mtx.gz"), "csr -o " + (work / "p.MTX.GZ"),
                                       "mtx --container mtx -o " + (work / "p.gz")}) {
    INFO(arguments);
    const std::string file = arguments.substr(arguments.find(work.path.string()));
    REQUIRE(run(work, convert + arguments).status == 0);
    CHECK(run(work, "gzip -t < " + file).status == 0);
    CHECK(run(work, "gzip -dc < " + file).out == content(work / "a.mtx"));
    CHECK(run(work, "SPCONV " + file + " --to mtx -o -").out == content(work / "a.mtx"));
  }
  for (const char* name : {"q.MTX", "q.NPZ", "q.H5", "q.Bsp.H5"}) {
    REQUIRE(run(work, convert + "coo -o " + (work / name)).status == 0);
    CHECK(run(work, "SPCONV " + (work / name) + " --to mtx -o -").out == content(work / "a.mtx"));
  }
}

TEST_CASE("a symmetric file that stores both triangles is called that") {
  const folder work;
  const std::string banner = "%%MatrixMarket matrix coordinate real symmetric\n";
  write(work / "both.mtx", banner + "3 3 5\n1 1 1\n2 1 2\n1 2 2\n3 1 4\n1 3 4\n");
  const auto r = run(work, "SPCONV " + (work / "both.mtx") + " --to csr");
  CHECK(r.status == 0);
  CHECK(r.out.find("both triangles are stored although the header says") != std::string::npos);
  CHECK(run_json(work, "SPCONV " + (work / "both.mtx") + " --to csr")["read"]["stored_twice"] == 2);
  // The values are what the file asks for.
  CHECK(run(work, "SPCONV " + (work / "both.mtx") + " --to mtx -o -").out ==
        banner + "3 3 3\n1 1 1\n2 1 4\n3 1 8\n");
  write(work / "s.mtx", small);  // duplicates in one triangle
  CHECK(run(work, "SPCONV " + (work / "s.mtx") + " --to csr").out.find("triangles") == std::string::npos);
  CHECK(run_json(work, "SPCONV " + (work / "s.mtx") + " --to csr")["read"]["stored_twice"] == 0);
}

TEST_CASE("a line without end in a small file is refused in little memory") {
  const folder work;
  const std::string file = work / "line.mtx.gz";
  const std::string text = "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 2 ";
  write(work / "start", text);
  REQUIRE(run(work,
              "(cat " + (work / "start") + "; head -c 200000000 /dev/zero | tr '\\0' 1) | gzip -1 > " + file)
              .status == 0);
  for (const std::string& command : {"SPCONV " + file, "cat " + file + " | SPCONV -"}) {
#ifdef __SANITIZE_ADDRESS__
    const std::string limit;
#else
    const std::string limit = "ulimit -v 500000; ";
#endif
    const auto r = run(work, limit + command + " --threads 2 --device cpu --to csr");
    INFO(r.err);
    CHECK(r.status == 1);
    CHECK(r.err.find(":4: the line is longer than 1 MiB, more than any entry or comment needs\n") !=
          std::string::npos);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
}

TEST_CASE("what a pipe cannot deliver is said") {
  const folder work;
  for (const std::string name : {"a.npz", "a.h5", "a.bsp.h5"})
    REQUIRE(run(work, "SPCONV gen:diagonal?n=5 --to csr -o " + (work / name)).status == 0);
  const auto refusal = [&](const std::string& command) {
    const auto r = run(work, command + " --to csr");
    CHECK(r.status == 1);
    return r.err;
  };
  for (const std::string name : {"a.h5", "a.bsp.h5"})
    CHECK(refusal("cat " + (work / name) + " | SPCONV -") ==
          "spconv: -: an HDF5 file cannot be read from a pipe; save it to a file first\n");
  CHECK(refusal("cat " + (work / "a.npz") + " | SPCONV -") ==
        "spconv: -: a zip archive, which .npz is too, cannot be read from a pipe; save it to a file first\n");
  REQUIRE(run(work, "gzip " + (work / "a.npz") + " " + (work / "a.h5")).status == 0);
  const std::string packed = work / "a.npz.gz", container = work / "a.h5.gz";
  CHECK(refusal("SPCONV " + packed) ==
        "spconv: " + packed +
            ": a zip archive, which .npz is too, inside gzip cannot be read; unpack it first\n");
  CHECK(refusal("SPCONV " + container) ==
        "spconv: " + container + ": an HDF5 file inside gzip cannot be read; unpack it first\n");
}

TEST_CASE("compressed input, standard input and standard output") {
  const folder work;
  write(work / "s.mtx", small);
  const std::string convert = " --to mtx -o ";
  REQUIRE(run(work, "SPCONV " + (work / "s.mtx") + convert + (work / "plain.mtx")).status == 0);
  const std::string expected = content(work / "plain.mtx");
  CHECK(run(work, "cat " + (work / "s.mtx") + " | SPCONV - --to mtx -o -").out == expected);
  CHECK(run(work, "cat " + (work / "s.mtx") + " | SPCONV /dev/stdin --to mtx -o -").out == expected);
  REQUIRE(run(work, "gzip -k " + (work / "s.mtx")).status == 0);
  CHECK(run(work, "SPCONV " + (work / "s.mtx.gz") + " --to mtx -o -").out == expected);
  CHECK(run(work, "cat " + (work / "s.mtx.gz") + " | SPCONV - --to mtx -o -").out == expected);
  const std::string two_members = work / "two.mtx.gz";
  REQUIRE(run(work, "(head -c 50 " + (work / "s.mtx") + " | gzip; tail -c +51 " + (work / "s.mtx") +
                        " | gzip) > " + two_members)
              .status == 0);
  CHECK(run(work, "SPCONV " + two_members + " --to mtx -o -").out == expected);
}

TEST_CASE("of several matrices in an archive the one with its name is read, and the others are named") {
  if (from_environment("SPARSMITH_ARCHIVES") == "0") return;
  const folder work;
  const auto packed = [&](const std::string& name, const std::vector<std::string>& members) {
    std::string list;
    for (const std::string& member : members) {
      fs::create_directories(fs::path(work / member).parent_path());
      write(work / member, "%%MatrixMarket matrix coordinate real general\n" + std::to_string(member.size()) +
                               " 9 1\n1 1 5\n");
      list += " " + member;
    }
    REQUIRE(run(work, "cd " + work.path.string() + " && tar -czf " + name + list).status == 0);
    return "SPCONV " + (work / name) + " --to csr --device cpu";
  };
  const std::string pair = packed("pair.tar.gz", {"pair/other.mtx", "pair/pair.mtx", "pair/third.mtx"});
  const auto told = run_json(work, pair);
  CHECK(told["matrix"]["rows"] == 13);
  CHECK(told["read"]["note"] ==
        "pair/pair.mtx was read, and not what else is in the archive: pair/other.mtx, pair/third.mtx");
  CHECK(run(work, pair).out.find("pair/pair.mtx was read, and not") != std::string::npos);
  // Named like its folder, whatever the archive is called.
  CHECK(run_json(work, packed("x.tar.gz", {"pair/pair.mtx", "pair/other.mtx"}))["matrix"]["rows"] == 13);
  // Two folders: the archive's name decides, or nobody.
  CHECK(run_json(work, packed("bb.tar.gz", {"a/a.mtx", "bb/bb.mtx"}))["matrix"]["rows"] == 9);
  CHECK(run_json(work, packed("a.tar.gz", {"a/a.mtx", "bb/bb.mtx"}))["read"]["note"] ==
        "a/a.mtx was read, and not what else is in the archive: bb/bb.mtx");
  const auto refused = run(work, packed("x.tar.gz", {"a/a.mtx", "bb/bb.mtx"}));
  CHECK(refused.status == 1);
  CHECK(refused.out.empty());
  CHECK(refused.err ==
        "spconv: " + (work / "x.tar.gz") +
            ": the archive holds 2 matrices, and its name does not tell which is meant; unpack it "
            "and name one (a/a.mtx, bb/bb.mtx)\n");
  CHECK(run(work, packed("a.tar.gz", {"a/a.mtx", "b/a.mtx"})).status == 1);
  CHECK(run(work, packed("x.tar.gz", {"a/1.mtx", "a/2.mtx", "a/3.mtx", "a/4.mtx", "a/5.mtx"}))
            .err.ends_with(
                "holds 5 matrices, and its name does not tell which is meant; unpack it and name one "
                "(a/1.mtx, a/2.mtx, a/3.mtx, a/4.mtx, a/5.mtx)\n"));
  CHECK(run(work, packed("x.tar.gz", {"a/1.mtx", "a/2.mtx", "a/3.mtx", "a/4.mtx", "a/5.mtx", "a/6.mtx"}))
            .err.ends_with("a/5.mtx and 1 more)\n"));
  write(work / "x.zip", std::string("PK\5\6", 4) + std::string(18, '\0'));
  CHECK(run(work, "SPCONV " + (work / "x.zip") + " --to csr").err ==
        "spconv: " + (work / "x.zip") + ": the archive is empty\n");
  // What SuiteSparse ships beside a matrix is none; alone it is one.
  CHECK(
      run_json(work, packed("lp.tar.gz", {"lp/lp_b.mtx", "lp/lp.mtx", "lp/lp_c.mtx", "lp/lp_lo.mtx",
                                          "lp/lp_hi.mtx", "lp/lp_z0.mtx", "lp/lp_coord.mtx"}))["read"]["note"]
          .is_null());
  CHECK(run_json(work, packed("alone.tar.gz", {"some_b.mtx"}))["matrix"]["rows"] == 10);
}

TEST_CASE("archives are read, or refused by a build without libarchive") {
  const folder work;
  const bool archives = from_environment("SPARSMITH_ARCHIVES") != "0";
  fs::create_directories(work / "s");
  write(work / "s/s.mtx", small);
  for (const char* name : {"s/s_b.mtx", "s/s_x.mtx"})
    write(work / name, "%%MatrixMarket matrix array real general\n1 1\n9\n");
  const std::string expected = run(work, "SPCONV " + (work / "s/s.mtx") + " --to mtx -o -").out;
  const std::string kinds_and_commands[][2] = {{".tar", "tar -czf packed.tar s"},
                                               {".xz", "xz -c s/s.mtx > packed.xz"},
                                               {".zst", "zstd -q -c s/s.mtx > packed.zst"},
                                               {".bz2", "bzip2 -c s/s.mtx > packed.bz2"}};
  const auto check_read = [&](const std::string& packed, const std::string& kind) {
    const auto r = run(work, "SPCONV " + packed + " --to mtx -o -");
    INFO(packed << ": " << r.err);
    if (archives) {
      CHECK(r.status == 0);
      CHECK(r.out == expected);
    } else {
      CHECK(r.status == 1);
      CHECK(r.out.empty());
      CHECK(r.err ==
            "spconv: " + packed + ": this build reads no " + kind + ": it was built without libarchive\n");
    }
  };
  for (const auto& [kind, command] : kinds_and_commands) {
    if (run(work, "command -v " + command.substr(0, command.find(' '))).status != 0) continue;
    REQUIRE(run(work, "cd " + work.path.string() + " && " + command).status == 0);
    check_read(work / ("packed" + kind), kind);
  }
  // What is wrong with the gzip around a tar is told, and not what libarchive makes of it.
  const std::string whole = content(work / "packed.tar");
  if (archives && !whole.empty()) {
    write(work / "cut.tar", whole.substr(0, whole.size() - 9));
    const auto r = run(work, "SPCONV " + (work / "cut.tar") + " --to csr");
    CHECK(r.status == 1);
    CHECK(r.err == "spconv: " + (work / "cut.tar") + ": truncated gzip input\n");
  }
  // A tar that is packed by one of them is unpacked once, too.
  for (const auto& [kind, option] : {std::pair(".bz2", "-cjf"), std::pair(".xz", "-cJf")}) {
    const std::string name = std::string("packed.tar") + kind;
    if (run(work, "cd " + work.path.string() + " && tar " + option + " " + name + " s").status != 0) continue;
    check_read(work / name, kind);
  }
  // A zip archive is one whatever its name, and no .npz where it holds a matrix as text.
  for (const char* name : {"packed.zip", "packed.npz", "packed"}) {
    sparsmith::zip_writer out(work / name);
    for (const auto& [member, text] :
         {std::pair("labels.npy", std::string("x")), std::pair("s.mtx", small)}) {
      out.begin(member, text.size(), true);
      out.write(text.data(), text.size());
      out.end();
    }
    out.close();
    check_read(work / name, ".zip");
  }
  // Archives that are no good .npz need not be: bytes behind the end, or a name that occurs twice.
  {
    sparsmith::zip_writer out(work / "twice.zip");
    for (const auto& [member, text] :
         {std::pair("readme.txt", std::string("x")), std::pair("readme.txt", std::string("y")),
          std::pair("s.mtx", small)}) {
      out.begin(member, text.size(), true);
      out.write(text.data(), text.size());
      out.end();
    }
    out.close();
  }
  check_read(work / "twice.zip", ".zip");
  fs::remove(work / "packed.zip");
  REQUIRE(run(work, "cp " + (work / "twice.zip") + " " + (work / "packed.zip")).status == 0);
  std::ofstream(work / "packed.zip", std::ios::app) << '\n';
  check_read(work / "packed.zip", ".zip");
}

TEST_CASE("an archive starts no programs and is not unpacked twice") {
  if (from_environment("SPARSMITH_ARCHIVES") == "0") return;
  const folder work;
  // Stands for every program that libarchive knows to start, and leaves a trace.
  fs::create_directories(work / "bin");
  for (const char* name : {"lrzip", "grzip", "lzop", "gzip", "bzip2", "xz", "zstd", "lz4", "compress"}) {
    write(work / ("bin/" + std::string(name)), "#!/bin/sh\n: > " + (work / "started") + "\n");
    fs::permissions(work / ("bin/" + std::string(name)), fs::perms::owner_all);
  }
  // What comes out looks like those programs' files, or is packed again.
  write(work / "lrzip", std::string("LRZI\0\6", 6) + std::string(100, 'x'));
  write(work / "grzip", std::string("GRZipII\0\2\4:)", 12) + std::string(100, 'x'));
  write(work / "lzop", std::string("\x89LZO\0\r\n\x1a\n\x10\x30\x20\x60", 13) + std::string(100, 'x'));
  write(work / "s", small);
  int tried = 0;
  for (const std::string pack : {"bzip2", "xz", "zstd", "gzip"}) {
    if (run(work, "command -v " + pack).status != 0) continue;
    const auto packed = [&](const std::string& name, const std::string& by) {
      REQUIRE(run(work, by + " -c < " + (work / name) + " > " + (work / (name + "." + by))).status == 0);
      return name + "." + by;
    };
    const auto refusal = [&](const std::string& name) {
      const auto r =
          run(work, "PATH=" + (work / "bin") + ":$PATH timeout 60 SPCONV " + (work / name) + " --to csr");
      INFO(name << ": " << r.out << r.err);
      CHECK(r.status == 1);
      CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
      CHECK_FALSE(fs::exists(work / "started"));
      return r.err;
    };
    for (const auto& [name, said] :
         {std::pair("lrzip", ": packed with lrzip"), std::pair("grzip", ": binary data"),
          std::pair("lzop", ": packed with lzop")})
      CHECK(refusal(packed(name, pack)).find(said) != std::string::npos);
    for (const std::string again : {"bzip2", "xz", "zstd", "gzip"}) {
      if (run(work, "command -v " + again).status != 0) continue;
      ++tried;
      const std::string said = refusal(packed(packed("s", again), pack));
      INFO(again << " within " << pack << ": " << said);
      if (pack == "gzip" && again != "gzip")
        CHECK(said.find(" inside gzip cannot be read; unpack it first\n") != std::string::npos);
      else
        CHECK(said.find(": is packed more than once; unpack it first\n") != std::string::npos);
    }
  }
  CHECK(tried >= 1);
}

TEST_CASE("lists of edges become matrices, and ids that were numbered anew are written") {
  const folder work;
  write(work / "snap.txt", "# Directed graph\n# FromNodeId\tToNodeId\n0\t1\n0\t3\n3\t1\n");
  auto j = run_json(work, "SPCONV " + (work / "snap.txt") + " --to csr --verify");
  CHECK(j["matrix"]["rows"] == 4);
  CHECK(j["matrix"]["entries"] == 3);
  CHECK(j["read"]["origin"] == "edge list");
  CHECK(j["read"]["note"] == "ids are counted from 0");
  CHECK(run_json(work, "SPCONV " + (work / "snap.txt") + " --to csr --undirected")["matrix"]["entries"] == 6);
  CHECK(run_json(work, "gzip -c " + (work / "snap.txt") + " | SPCONV - --to csr")["matrix"]["entries"] == 3);
  const auto refused = [&](const std::string& options, int status, const std::string& said) {
    const auto r = run(work, "SPCONV " + options + " -o " + (work / "out.mtx"));
    INFO(r.err);
    CHECK(r.status == status);
    CHECK(r.err.find(said) != std::string::npos);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK_FALSE(fs::exists(work / "out.mtx"));
    CHECK_FALSE(fs::exists(work / "ids.txt"));
  };
  refused((work / "snap.txt") + " --base 1", 1, "there is an id 0");
  write(work / "far.csv", "a,b\n7,900000000000\n20000000,7\n");
  refused((work / "far.csv"), 1, "--compact FILE");
  refused((work / "far.csv") + " --compact -", 2, "not to standard output");
  refused((work / "far.csv") + " --compact " + (work / "out.mtx"), 2, "a file of their own");
  refused((work / "far.csv") + " --compact " + (work / "ids.txt") + " --base 0", 2, "means nothing");
  refused((work / "far.csv") + " --compact " + (work / "none/ids.txt"), 1, "none/ids.txt");
  write(work / "s.mtx", small);
  refused((work / "s.mtx") + " --base 1", 2, "is no list of edges but Matrix Market coordinate");
  refused((work / "s.mtx") + " --compact " + (work / "ids.txt"), 2, "is no list of edges");
  // Matrix Market without its first line is no list of edges.
  write(work / "headless.mtx", "3 3 2\n1 1 1\n2 3 1\n");
  refused((work / "headless.mtx"), 1, ":1: not a Matrix Market file");
  write(work / "headless", "3 3 2\n1 1 1\n2 3 1\n");
  refused((work / "headless"), 1, "Matrix Market file without its first line");
  j = run_json(work, "SPCONV " + (work / "far.csv") + " --compact " + (work / "ids.txt") + " -o " +
                         (work / "out.mtx"));
  CHECK(j["matrix"]["rows"] == 3);
  CHECK(j["read"]["note"] == "3 ids were numbered anew");
  CHECK(run(work, "cat " + (work / "ids.txt")).out == "7\n20000000\n900000000000\n");
  CHECK(fs::exists(work / "out.mtx"));
}

TEST_CASE("rows and columns are put in another order, which is written and taken back") {
  const folder work;
  const auto convert = [&](const std::string& from, const std::string& options, const std::string& to) {
    return run_json(work, "SPCONV " + from + " " + options + " --to csr -o " + (work / to));
  };
  const std::string grid = "'gen:uniform?n=300&density=0.01&seed=2'";
  convert(grid, "", "before.mtx");
  const std::string before = run(work, "cat " + (work / "before.mtx")).out;
  for (const std::string how : {"rcm", "amd", "length"}) {
    const auto j = convert(work / "before.mtx", "--reorder " + how + " --permutation " + (work / "order.txt"),
                           "after.mtx");
    CHECK(j["reordered"]["by"] == how);
    if (how == "rcm") CHECK(j["reordered"]["bandwidth"] < j["reordered"]["bandwidth_before"]);
    CHECK(run(work, "cat " + (work / "after.mtx")).out != before);
    convert(work / "after.mtx", "--undo-permutation " + (work / "order.txt"), "again.mtx");
    CHECK(run(work, "cat " + (work / "again.mtx")).out == before);
    fs::remove(work / "after.mtx");
    fs::remove(work / "order.txt");
  }
  CHECK(run(work, "SPCONV " + grid + " --to csr --reorder rcm").out.find("from the diagonal, and was") !=
        std::string::npos);
  const auto refused = [&](const std::string& options, int status, const std::string& said) {
    const auto r = run(work, "SPCONV " + options + " --to csr -o " + (work / "after.mtx"));
    INFO(r.err);
    CHECK(r.status == status);
    CHECK(r.err.find(said) != std::string::npos);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK_FALSE(fs::exists(work / "after.mtx"));
    CHECK_FALSE(fs::exists(work / "order.txt"));
  };
  const std::string to_file = " --permutation " + (work / "order.txt");
  refused(grid + to_file, 2, "--permutation writes the order that --reorder makes");
  refused(grid + " --reorder rcm --permutation -", 2, "to a file of its own");
  refused(grid + " --reorder rcm --permutation " + (work / "after.mtx"), 2, "to a file of its own");
  refused(grid + " --reorder rcm --permutation " + (work / "none/order.txt"), 1, "none/order.txt");
  refused(grid + " --reorder rcm --undo-permutation x", 2, "one order at a time");
  refused(grid + " --reorder rcm --permutation " + (work / "./after.mtx"), 2, "is what -o writes as well");
  refused((work / "before.mtx") + " --reorder rcm --permutation " + (work / "before.mtx"), 2,
          "is the input as well");
  refused(grid + " --reorder rcm --permutation " + (work / "order.gz"), 2, "as plain text");
  write(work / "edges.txt", "1 2\n5 9\n5 1\n");
  refused((work / "edges.txt") + " --reorder rcm --compact " + (work / "order.txt"), 2,
          "in the order of the rows");
  refused(grid + " --undo-permutation " + (work / "none.txt"), 1, "none.txt: could not be opened");
  refused(grid + " --undo-permutation " + (work / "before.mtx"), 1, "before.mtx: is no order of rows");
  refused("'gen:uniform?rows=30&cols=20&density=0.1' --reorder amd" + to_file, 2, "is for square matrices");
  write(work / "small.txt", "# rows\n0\n1\n");
  refused(grid + " --undo-permutation " + (work / "small.txt"), 1,
          "the order is one of 2 rows, and the matrix is 300 x 300");
}

TEST_CASE("a file that is no matrix is named for what it is, in one line") {
  const folder work;
  const auto refusal = [&](const std::string& command) {
    const auto r = run(work, command + " --to csr -o " + (work / "out.npz"));
    INFO(r.out << r.err);
    CHECK(r.status == 1);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK_FALSE(fs::exists(work / "out.npz"));
    return r.err;
  };
  const std::string help = run(work, "SPCONV --help").out;
  std::string kinds, line;
  for (std::istringstream words(help); words >> line;) kinds += " " + line;
  CHECK(kinds.find(sparsmith::kinds_that_are_read) != std::string::npos);
  write(work / "x.bin", "\x89PNG\r\n\x1a\n and so on");
  const std::string readable =
      ", which is not a matrix; Sparsmith reads " + std::string(sparsmith::kinds_that_are_read);
  CHECK(refusal("SPCONV " + (work / "x.bin")) ==
        "spconv: " + (work / "x.bin") + ": a PNG picture" + readable + "\n");
  CHECK(refusal("cat " + (work / "x.bin") + " | SPCONV -") == "spconv: -: a PNG picture" + readable + "\n");
  CHECK(refusal("SPCONV /dev/null") == "spconv: /dev/null: an empty file" + readable + "\n");
  CHECK(refusal("SPCONV " + work.path.string()) ==
        "spconv: " + work.path.string() + ": is a directory; name a file in it\n");
  write(work / "page", "<html>\n<body>404 Not Found</body>\n</html>\n");
  REQUIRE(run(work, "gzip -c " + (work / "page") + " > " + (work / "A.mtx.gz")).status == 0);
  CHECK(refusal("SPCONV " + (work / "A.mtx.gz"))
            .find("A.mtx.gz:1: not a Matrix Market file but an HTML page") != std::string::npos);
  if (from_environment("SPARSMITH_ARCHIVES") == "0") return;
  REQUIRE(run(work, "cd " + work.path.string() + " && tar -czf t.tar.gz x.bin page").status == 0);
  CHECK(refusal("SPCONV " + (work / "t.tar.gz")) ==
        "spconv: " + (work / "t.tar.gz") +
            ": no matrix (.mtx, .rb, .rua, ...) in the archive, which holds x.bin, page\n");
}

TEST_CASE("names of members lead nowhere, and what lies beside a matrix has an end") {
  if (from_environment("SPARSMITH_ARCHIVES") == "0") return;
  const folder work;
  // A member of a tar, which may claim any size.
  const auto member = [](const std::string& name, std::string content, std::int64_t claimed = -1) {
    std::string head(512, '\0');
    const auto put = [&](std::size_t at, const std::string& field) { head.replace(at, field.size(), field); };
    put(0, name);
    put(100, "0000644");
    put(148, "        ");
    put(156, "0");
    put(257, std::string("ustar\0"
                         "00",
                         8));
    const std::uint64_t size = claimed < 0 ? content.size() : static_cast<std::uint64_t>(claimed);
    head[124] = '\x80';  // the size in binary
    for (std::size_t i = 0; i < 8; ++i) head[135 - i] = static_cast<char>(size >> (8 * i));
    unsigned sum = 0;
    for (const char c : head) sum += static_cast<unsigned char>(c);
    std::ostringstream digits;
    digits << std::oct << std::setw(6) << std::setfill('0') << sum << '\0';
    put(148, digits.str());
    content.resize((content.size() + 511) / 512 * 512);
    return head + content;
  };
  const std::string end(1024, '\0');
  const std::string outside = (work.path.parent_path() / "climbed.mtx").string();
  for (const std::string& name : {std::string("../climbed.mtx"), outside, std::string("a/../../climbed.mtx"),
                                  std::string("two\nlines.mtx")}) {
    write(work / "x.tar", member(name, small) + end);
    const auto r = run_json(work, "cd " + work.path.string() + " && SPCONV x.tar --to csr");
    CHECK(r["matrix"]["entries"] == 6);
    CHECK_FALSE(fs::exists(outside));
    CHECK(work.files() == std::vector<std::string>{"x.tar"});
    write(work / "x.tar", member(name, "no matrix\n") + end);
    const auto refused = run(work, "SPCONV " + (work / "x.tar") + " --to csr");
    CHECK(refused.status == 1);
    CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  }
  // The other kind of text that SuiteSparse offers.
  const std::string boeing =
      "a title                                                                 |key\n 3 1 1 1\n"
      "rsa 3 3 4 0\n(4I3) (4I2) (4E10.2)\n  1  3  4  5\n 1 3 2 3\n  1.00E+00 -2.50E+00  3.00D+00       4.\n";
  write(work / "x.tar", member("x/x.txt", "about x") + member("x/x.rb", boeing) + end);
  write(work / "x.odd", boeing);
  for (const std::string& from :
       {"SPCONV " + (work / "x.tar"), "SPCONV " + (work / "x.odd"), "cat " + (work / "x.odd") + " | SPCONV -",
        "gzip -c " + (work / "x.odd") + " | SPCONV -"}) {
    const auto r = run_json(work, from + " --to csr --verify");
    CHECK(r["matrix"]["entries"] == 5);
    CHECK(r["read"]["origin"] == "Rutherford-Boeing");
  }
  // Links among the members are no matrices.
  write(work / "x.tar", [&] {
    std::string link = member("x.mtx", "");
    link[156] = '2';
    link.replace(157, 11, "/etc/passwd");
    unsigned sum = 0;
    for (std::size_t i = 0; i < 512; ++i)
      sum += i >= 148 && i < 156 ? unsigned{' '} : static_cast<unsigned char>(link[i]);
    std::ostringstream digits;
    digits << std::oct << std::setw(6) << std::setfill('0') << sum << '\0' << ' ';
    return link.replace(148, 8, digits.str()) + end;
  }());
  CHECK(run(work, "SPCONV " + (work / "x.tar") + " --to csr").err ==
        "spconv: " + (work / "x.tar") + ": no matrix (.mtx, .rb, .rua, ...) in the archive\n");
  const std::int64_t most = std::int64_t{64} << 30;
  for (const bool before : {true, false}) {
    const std::string other = member("other", "", most + 1), matrix = member("x.mtx", small);
    write(work / "x.tar", before ? other + matrix : matrix + other);
    const auto r = run(work, "SPCONV " + (work / "x.tar") + " --to csr");
    CHECK(r.status == 1);
    CHECK(r.err == "spconv: " + (work / "x.tar") +
                       ": more than 64 GiB of other files lie in the archive; unpack it first\n");
  }
  // Matrices do not count, however large: this one is an archive that was cut off.
  write(work / "x.tar", member("other.mtx", "", most + 1) + member("x.mtx", small) + end);
  CHECK(run(work, "SPCONV " + (work / "x.tar") + " --to csr").err.find("64 GiB") == std::string::npos);
  // Within the limit it is one, too.
  write(work / "x.tar", member("other", "", most) + member("x.mtx", small) + end);
  CHECK(run(work, "SPCONV " + (work / "x.tar") + " --to csr").err.find("64 GiB") == std::string::npos);
}

TEST_CASE("a compressed text without end is refused soon, and in little memory") {
  const folder work;
  const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
#ifdef __SANITIZE_ADDRESS__
  const std::string limit;
#else
  const std::string limit = "ulimit -v 500000; ";
#endif
  write(work / "blank", std::string(1 << 20, '\n'));
  write(work / "comment", "%" + std::string((1 << 20) - 2, 'c') + "\n");
  // The text comes from a pipe that never ends.
  for (const auto& [start, name] : {std::pair(banner, std::string("blank")),
                                    std::pair(banner + "3 3 2\n1 1 1\n", std::string("comment"))}) {
    write(work / "start", start);
    REQUIRE(run(work, "gzip -kf " + (work / "start") + " " + (work / name)).status == 0);
    const auto r = run(work, "(cat " + (work / "start.gz") + "; while cat " + (work / (name + ".gz")) +
                                 "; do :; done) 2>/dev/null | (" + limit +
                                 "timeout 60 SPCONV - --threads 2 --device cpu --to csr)");
    INFO(r.err);
    CHECK(r.status == 1);
    CHECK(r.err.find(": more than 64 MiB of the text up to here are comments and blanks") !=
          std::string::npos);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
}

TEST_CASE("an output that is a link") {
  const folder work;
  const std::string convert = "SPCONV gen:diagonal?n=3 --to csr -o ";
  fs::create_directories(work / "there");
  write(work / "there/old.mtx", "old");
  fs::create_symlink("there/old.mtx", work / "link.mtx");
  fs::create_symlink("link.mtx", work / "link_to_link.mtx");
  REQUIRE(run(work, convert + (work / "link_to_link.mtx")).status == 0);
  CHECK(content(work / "there/old.mtx").starts_with("%%MatrixMarket"));
  CHECK(fs::is_symlink(work / "link.mtx"));
  CHECK(fs::is_symlink(work / "link_to_link.mtx"));
  CHECK_FALSE(fs::is_symlink(work / "there/old.mtx"));
  // One that leads nowhere, or in a circle, is neither followed nor replaced.
  fs::create_symlink("there/absent.mtx", work / "nowhere.mtx");
  fs::create_symlink("circle.mtx", work / "circle.mtx");
  fs::create_symlink("/dev/null", work / "null.mtx");
  for (const auto& [name, why] : {std::pair("nowhere.mtx", "is a symbolic link that leads nowhere"),
                                  std::pair("circle.mtx", "is a symbolic link that leads nowhere"),
                                  std::pair("null.mtx", "is not a regular file")}) {
    const auto r = run(work, convert + (work / name));
    CHECK(r.status == 1);
    CHECK(r.err == "spconv: " + (work / name) + ": " + why + "\n");
    CHECK(fs::is_symlink(work / name));
  }
  CHECK_FALSE(fs::exists(work / "there/absent.mtx"));
  CHECK(work.files() == std::vector<std::string>{"circle.mtx", "link.mtx", "link_to_link.mtx", "nowhere.mtx",
                                                 "null.mtx", "there"});
}

TEST_CASE("DIA with a rest is not for npz, and --diagonals says which are stored") {
  const folder work;
  const std::string file = work / "rest.npz";
  const auto refused = run(work, "SPCONV gen:denserow?n=50 --to dia -o " + file);
  CHECK(refused.status == 1);
  CHECK(refused.err.find("SciPy's dia has no rest") != std::string::npos);
  CHECK(refused.err.find("(--diagonals)") != std::string::npos);
  CHECK_FALSE(fs::exists(file));
  const auto priced = [&](const std::string& options) {
    const auto plan = run_json(work, "SPCONV gen:laplace2d?n=9 --plan" + options)["plan"];
    for (const auto& cost : plan)
      if (cost["format"] == "dia") return cost["parameters"].get<std::string>();
    return std::string();
  };
  CHECK(priced("") == "5 diagonals");
  CHECK(priced(" --diagonals 0.95") == "1 diagonal, rest 288");
  CHECK(priced(" --diagonals ALL") == "5 diagonals");
}

TEST_CASE("a plan names the flag that makes a format possible") {
  const folder work;
  const std::string plan = "SPCONV 'gen:uniform?n=200000&density=0.00000001' --plan --beta 2 --window 3";
  const std::string reason = "beta 2: needs 64-bit offsets (--offsets 64)";
  CHECK(unwrapped(run(work, plan).out).find(reason) != std::string::npos);
  const auto cost = run_json(work, plan)["plan"][8];
  CHECK(cost["format"] == "csb");
  CHECK(cost["parameters"] == reason);
  CHECK(cost["allowed"] == false);
  CHECK(run_json(work, plan + " --offsets 64")["plan"][8]["allowed"] == true);
}

TEST_CASE("a plan takes no memory for rows without entries") {
  const folder work;
  std::ofstream(work / "huge.mtx") << "%%MatrixMarket matrix coordinate real symmetric\n"
                                      "2147483647 2147483647 3\n9 8 1\n2147483647 1 0\n5 5 2\n";
  const auto r = run_json(work, "SPCONV '" + work / "huge.mtx" + "' --plan --drop-zeros --max-fill 2");
  CHECK(r["matrix"]["entries"] == 3);
  CHECK(r["peak_bytes"]["host"] < 1000000);
  CHECK(r["plan"][0]["bytes"] == 3 * 16);
  CHECK(r["plan"][1]["format"] == "csr");
  CHECK(r["plan"][1]["bytes"] == 3 * 12 + 2147483648 * 4);
  CHECK(r["matrix"]["csr_bytes"] == r["plan"][1]["bytes"]);
}

TEST_CASE("writing a file takes no memory for rows without entries") {
  const folder work;
  write(work / "x.mtx",
        "%%MatrixMarket matrix coordinate real symmetric\n5000000 5000000 3\n9 8 1\n5000000 1 0.5\n5 5 2\n");
  const std::string command = "SPCONV " + (work / "x.mtx") + " --to coo --device cpu";
  const double converted = run_json(work, command)["peak_bytes"]["host"];
  const double written = run_json(work, command + " -o " + (work / "o.mtx"))["peak_bytes"]["host"];
  CHECK(written <= 1.05 * converted);
  CHECK(content(work / "o.mtx")
            .starts_with("%%MatrixMarket matrix coordinate real symmetric\n5000000 5000000 3\n"));
}

TEST_CASE("the plan prices what a conversion then takes") {
  const folder work;
  const std::string spec = "'gen:powerlaw?n=3000'";
  const auto plan = run_json(work, "SPCONV " + spec + " --plan")["plan"];
  REQUIRE(plan.size() == whole_format_names().size());
  for (const auto& cost : plan) {
    const auto r =
        run_json(work, "SPCONV " + spec + " --max-fill 100000 --to " + cost["format"].get<std::string>());
    CHECK(r["format"]["bytes"] == cost["bytes"]);
    CHECK(r["format"]["slots"] == cost["slots"]);
  }
}

TEST_CASE("every invalid file gets one line, exit 1, within a second, and leaves nothing") {
  const folder work;
  const std::string data = from_environment("SPARSMITH_TEST_DATA") + "/invalid";
  int count = 0;
  for (const auto& entry : fs::directory_iterator(data)) {
    const std::string file = entry.path().string();
    const auto r =
        run(work, little_memory + "SPCONV '" + file + "' --to csr --device cpu -o " + (work / "out.npz"));
    INFO(file << ": " << r.err);
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK(r.err.find("spconv: " + file) == 0);
    if (file.ends_with(".mtx")) CHECK(std::isdigit(static_cast<unsigned char>(r.err[file.size() + 9])) != 0);
    CHECK(work.files().empty());
#ifndef __SANITIZE_ADDRESS__
    CHECK(r.seconds < 1.0);
#endif
    ++count;
  }
  CHECK(count >= 30);
}

TEST_CASE("what a careless reader would get wrong") {
  const folder work;
  const std::string real = "%%MatrixMarket matrix coordinate real general\n";
  // A line without its value is not a column with a fraction.
  for (const std::string line : {"1 2.5", "1 2-5"}) {
    write(work / "a.mtx", real + "3 3 1\n" + line + "\n");
    CHECK(run(work, "SPCONV " + (work / "a.mtx") + " --to csr").status == 1);
  }
  // A closed standard output does not lend its number to the output file.
  write(work / "s.mtx", small);
  REQUIRE(run(work, "SPCONV " + (work / "s.mtx") + " --to mtx -o " + (work / "ok.mtx")).status == 0);
  REQUIRE(run(work, "SPCONV " + (work / "s.mtx") + " --to mtx -o " + (work / "closed.mtx") + " >&-").status ==
          0);
  CHECK(content(work / "closed.mtx") == content(work / "ok.mtx"));
  // A pipe with a name is opened once.
  for (int i = 0; i < 5; ++i) {
    REQUIRE(run(work, "rm -f " + (work / "pipe") + " && mkfifo " + (work / "pipe")).status == 0);
    const auto r = run(work, "(cat " + (work / "s.mtx") + " > " + (work / "pipe") +
                                 " &); timeout 20 SPCONV " + (work / "pipe") + " --to mtx -o -");
    CHECK(r.out == content(work / "ok.mtx"));
  }
  // A wrong checksum is a damaged file, even where the text still parses.
  REQUIRE(run(work, "gzip -c " + (work / "s.mtx") + " > " + (work / "crc.mtx.gz")).status == 0);
  std::string packed = content(work / "crc.mtx.gz");
  packed[packed.size() - 6] = static_cast<char>(packed[packed.size() - 6] ^ 1);
  write(work / "crc.mtx.gz", packed);
  const auto damaged = run(work, "SPCONV " + (work / "crc.mtx.gz") + " --to csr");
  CHECK(damaged.status == 1);
  CHECK(damaged.err.find("crc.mtx.gz: damaged gzip input") != std::string::npos);
  // Long comments are read once, not over and over.
  const std::string note = "%" + std::string(1'000'000, 'c') + "\n";
  std::string notes;
  for (int i = 0; i < 30; ++i) notes += note;
  write(work / "long.mtx", "%%MatrixMarket matrix coordinate real general\n" + notes + "1 1 1\n1 1 2\n");
  const auto commented = run(work, "SPCONV " + (work / "long.mtx") + " --to csr");
  CHECK(commented.status == 0);
  CHECK(commented.seconds < 30);
  // A negative pattern entry keeps its sign.
  write(work / "skew.mtx", "%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n");
  REQUIRE(run(work, "SPCONV " + (work / "skew.mtx") + " --to csr -o " + (work / "skew.npz")).status == 0);
  CHECK(run(work, "SPCONV " + (work / "skew.npz") + " --to mtx -o -").out.find("1 2 -1") !=
        std::string::npos);
  // --quiet still gives the data asked for; --to mtx and another container contradict each other.
  CHECK(run(work, "SPCONV " + (work / "s.mtx") + " --plan --quiet --json").out.find("\"plan\"") !=
        std::string::npos);
  CHECK(run(work, "SPCONV " + (work / "s.mtx") + " --to mtx -o " + (work / "x.npz")).status == 2);
  // A name that is not UTF-8 can still be reported.
  const std::string name = work / "caf\xe9.mtx";
  write(name, small);
  CHECK(run(work, "SPCONV '" + name + "' --to csr --json").status == 0);
}

TEST_CASE("a damaged container is refused") {
  const folder work;
  const std::string good = work / "good.h5", bad = work / "bad.h5";
  REQUIRE(run(work, "SPCONV gen:uniform?n=200 --to sell -o " + good).status == 0);
  std::string bytes = content(good);
  bytes[bytes.size() - 100] = static_cast<char>(bytes[bytes.size() - 100] ^ 1);
  write(bad, bytes);
  const auto r = run(work, "SPCONV " + bad + " --to csr");
  CHECK(r.status == 1);
  CHECK(r.err.find("spconv: " + bad + ": ") == 0);
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
}

TEST_CASE("usage errors exit 2 with one line") {
  const folder work;
  write(work / "s.mtx", small);
  const std::string file = work / "s.mtx";
  for (const std::string& arguments :
       {std::string(), file, file + " --to nonsense", file + " --to csr --nonsense",
        file + " --to ell -o " + (work / "x.npz"), file + " --to csr -o " + (work / "x.unknown"),
        file + " --to mtx", file + " --to csr --device tpu", std::string("gen:nonsense --to csr"),
        std::string("'gen:uniform?nn=3' --to csr"), std::string("'gen:uniform?n=3&density=2' --to csr"),
        file + " --plan -o " + (work / "x.npz"), file + " --to csr --container npz -o -"}) {
    const auto r = run(work, "SPCONV " + arguments);
    INFO(arguments << ": " << r.err);
    CHECK(r.status == 2);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK(work.files() == std::vector<std::string>{"s.mtx"});
  }
  CHECK(run(work, "SPCONV 'gen:uniform?sede=1' --to csr").err.find("did you mean seed?") !=
        std::string::npos);
}

TEST_CASE("run-time failures exit 1 with one line and leave nothing") {
  const folder work;
  write(work / "s.mtx", small);
  const std::string file = work / "s.mtx";
  fs::create_directories(work / "directory");
  for (const std::string& arguments : {(work / "absent.mtx") + " --to csr", work.path.string() + " --to csr",
                                       file + " --to csr -o /nonexistent/x.npz",
                                       file + " --to csr -o " + (work / "directory") + " --container npz",
                                       std::string("gen:denserow?n=3000 --to ell"),
                                       std::string("'gen:uniform?n=2147483647&density=1' --to coo")}) {
    const auto r = run(work, "SPCONV " + arguments);
    INFO(arguments << ": " << r.err);
    CHECK(r.status == 1);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  }
  CHECK(run(work, "SPCONV gen:denserow?n=3000 --to ell").err.find("the limit is 3 (--max-fill)") !=
        std::string::npos);
  CHECK(work.files() == std::vector<std::string>{"directory", "s.mtx"});
}

TEST_CASE("a disk that fills up is reported and leaves nothing behind") {
  const folder work;
  // A file-size limit fails a write as a full disk does.
  for (const std::string name : {"x.mtx", "x.npz", "x.h5", "x.bsp.h5"}) {
    write(work / name, "what was there before");
    const auto r = run(work, "ulimit -f 64; SPCONV gen:uniform?n=2000 --to csr -o " + (work / name));
    INFO(name << ": " << r.err);
    CHECK(r.status == 1);
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK(r.err.find("spconv: " + (work / name) + ": could not write") == 0);
    CHECK(content(work / name) == "what was there before");
    fs::remove(work / name);
    CHECK(work.files().empty());
  }
}

TEST_CASE("an interrupted run leaves no partial file") {
  const folder work;
  const std::string tool = from_environment("SPARSMITH_SPCONV"), output = work / "big.mtx";
  for (const int signal : {SIGINT, SIGTERM, SIGQUIT, SIGUSR1}) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      const int null = ::open("/dev/null", O_WRONLY);
      ::dup2(null, STDOUT_FILENO);
      ::dup2(null, STDERR_FILENO);
      ::execl(tool.c_str(), tool.c_str(), "gen:uniform?n=20000&density=0.05", "--to", "mtx", "-o",
              output.c_str(), nullptr);
      ::_exit(127);
    }
    // Wait until the temporary file is there, then a little into the work.
    for (int i = 0; i < 500 && work.files().empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(work.files().size() == 1);
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    ::kill(child, signal);
    int status = 0;
    ::waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(work.files().empty());
  }
}

TEST_CASE("an explicit device is never replaced by another") {
  const folder work;
  const auto automatic = run_json(work, "SPCONV gen:diagonal?n=10 --to csr");
  const auto r = run(work, "SPCONV gen:diagonal?n=10 --to csr --device cuda");
  const bool gpu = automatic["device"].get<std::string>().find("CUDA, ") == 0;
  CHECK(r.status == (gpu ? 0 : 1));
  if (!gpu) CHECK(r.err.find("--device cuda: ") != std::string::npos);
  CHECK(run_json(work, "SPCONV gen:diagonal?n=10 --to csr --device cpu")["device"].get<std::string>().find(
            "OpenMP") == 0);
}

TEST_CASE("complex matrices are converted, and none loses its imaginary parts") {
  const folder work;
  write(work / "h.mtx", hermitian_text);
  const std::string here = "cd '" + work.path.string() + "' && ";
  const std::string whole =
      "%%MatrixMarket matrix coordinate complex general\n3 3 5\n"
      "1 1 2 0\n1 2 3 -4\n2 1 3 4\n2 3 0 1\n3 2 0 -1\n";
  nlohmann::json told = run_json(work, here + "SPCONV h.mtx --to csr -o h.npz --device cpu");
  CHECK(told["matrix"]["value_bits"] == 128);
  CHECK(told["matrix"]["complex_values"] == true);
  CHECK(told["read"]["symmetry"] == "hermitian");
  CHECK(told["read"]["expanded"] == 2);
  CHECK(run(work, here + "SPCONV h.npz --to mtx -o - --quiet").out == whole);
  CHECK(run(work, here + "SPCONV h.mtx --to mtx -o - --quiet").out == hermitian_text);
  for (const std::string& format : whole_format_names()) {
    INFO(format);
    told = run_json(work, here + "SPCONV h.mtx --to " + format +
                              " --value c64 --verify --max-fill 1e9 -o f.h5 --device cpu");
    CHECK(told["matrix"]["value_bits"] == 64);
    CHECK(told["verified"] == true);
    CHECK(run(work, here + "SPCONV f.h5 --to mtx -o - --quiet").out == whole);
    CHECK(run_json(work, here + "SPCONV f.h5 --to csr")["matrix"]["value_bits"] == 64);
  }
  for (const std::string value : {"f32", "f64"}) {
    const outcome refused = run(work, here + "SPCONV h.mtx --to csr --value " + value + " -o lost.npz");
    CHECK(refused.status == 1);
    CHECK(refused.err ==
          "spconv: h.mtx: the values are complex, and real ones would lose their imaginary parts; "
          "--value c64 and c128 keep them\n");
    CHECK_FALSE(fs::exists(work / "lost.npz"));
  }
  const outcome half = run(work, here + "SPCONV h.mtx --to csr --symmetric half");
  CHECK(half.status == 1);
  CHECK(half.err ==
        "spconv: h.mtx: complex values cannot be stored as half of a matrix yet; the formats that store "
        "all of it take them\n");
  // Real values become complex ones where that is asked for.
  told = run_json(work, here + "SPCONV gen:laplace2d?n=3 --to csr --value c128 --device cpu");
  CHECK(told["matrix"]["complex_values"] == true);
  // Prices are those of values of 16 bytes, and a run holds what they say at most.
  told = run_json(work, here + "SPCONV h.mtx --plan --device cpu");
  for (const nlohmann::json& price : told["plan"]) {
    if (price["format"] == "csr") CHECK(price["bytes"] == 4 * 4 + 5 * 20);
    if (price["format"] == "coo") CHECK(price["bytes"] == 5 * 24);
    CHECK_FALSE(std::string(price["format"]).ends_with("_half"));
  }
  write(work / "big.mtx", "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 0 1e300\n");
  const outcome big = run(work, here + "SPCONV big.mtx --to csr --value c64");
  CHECK(big.status == 1);
  CHECK(big.err ==
        "spconv: big.mtx: 1 values are too large for 32-bit floats; use complex values of 128 bits "
        "(--value)\n");
}
