// Recommendations made by hand, as text, CSV and JSON: what is said, how wide it is, and what is not said.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "analyze/recommend/standing.hpp"
#include "analyze/report/recommend_actions.hpp"
#include "analyze/report/recommend_csv.hpp"
#include "analyze/report/recommend_json.hpp"
#include "analyze/report/recommend_read.hpp"
#include "analyze/report/recommend_text.hpp"
#include "analyze/report/text.hpp"
#include "convert/io/container.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using json = nlohmann::ordered_json;

namespace {

constexpr operation ax = operation::multiply, atx = operation::transposed;

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// As it reads where the line ends do not matter.
std::string unbroken(const std::string& text) {
  std::string all;
  for (const char c : text)
    if (c != '\n' && c != ' ')
      all += c;
    else if (!all.empty() && all.back() != ' ')
      all += ' ';
  return all;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

timing around(double seconds) {
  timing t;
  t.median = seconds;
  t.p10 = 0.98 * seconds;
  t.p90 = 1.03 * seconds;
  t.samples = 30;
  t.low = 0.995 * seconds;
  t.high = 1.005 * seconds;
  return t;
}

// Micro-seconds with cold caches; with warm ones it takes half of that.
contestant_result line(const char* name, operation op, double micro, bool vendor = false) {
  contestant_result k;
  k.info = {.name = name, .description = "a test", .source = vendor ? "the vendor" : "ours"};
  k.info.vendor = vendor;
  k.info.repeatable.multiply = true;
  k.op = op;
  k.time = {around(micro * 0.5e-6), around(micro * 1e-6)};
  k.prepare_seconds = 10e-6;
  k.error = 0.125;
  k.expected.warm = micro * 0.4e-6;
  k.expected.cold = micro * 0.9e-6;
  k.expected.warm_parts[1] = k.expected.warm;  // all of it for reading the arrays
  k.expected.cold_parts[1] = k.expected.cold;
  return k;
}

variant_result stored(format_kind kind, const char* note, double convert, std::int64_t bytes,
                      std::vector<contestant_result> kernels) {
  variant_result f;
  f.format = kind;
  f.note = note;
  f.convert_seconds = convert;
  f.expected_convert_seconds = 1.5 * convert;
  f.bytes = bytes;
  f.slots = 12000;
  f.offset_bits = 32;
  f.options.max_fill = 20;
  f.contestants = std::move(kernels);
  return f;
}

// BSR of 5 x 5 takes 80 us for A x and 90 us for A^T x, CSR 100 and 300.
recommendation normal() {
  recommendation r;
  r.name = "gen:blocks?n=1000";
  r.machine.backend = "cuda";
  r.machine.device = "NVIDIA H200, 140.4 GiB";
  r.machine.driver = "570.1";
  r.machine.toolkit = "CUDA 13.0";
  r.machine.code = "8.0, compiled by the driver for 9.0";
  r.machine.code_doubt = "built for 8.0 and compiled by the driver";
  r.machine.vendor = "cuSPARSE 12.8.6";
  r.machine.version = "0.3.0";
  r.machine.threads = 16;
  r.rates.copy_bytes = 4.0123e12;
  r.budget_seconds = 60;
  r.seconds = 12.5;
  r.steps = {{"features", 0.25}, {"heats", 10}};
  r.features.name = r.name;
  r.features.field = "real";
  r.features.rows = r.features.cols = 1000;
  r.features.entries = 12000;
  r.features.row_lengths = summarize_lengths({{12, 1000}});
  r.features.col_lengths = r.features.row_lengths;
  matrix_result& m = r.found;
  m.rows = m.cols = 1000;
  m.entries = 12000;
  m.value_bits = 64;
  m.offset_bits = 32;
  m.base_names = {"csr/cusparse-alg1", "csr/cusparse-alg2"};
  m.final_rounds = 3;
  const std::int64_t csr_bytes = m.csr_bytes();
  variant_result bsr = stored(format_kind::bsr, "5 x 5", 2e-3, csr_bytes * 9 / 10,
                              {line("bsr/stream", ax, 80), line("bsr/stream", atx, 90)});
  bsr.options.bsr_block = {5, 5};
  bsr.parameters = {{"block_rows", 5}, {"block_cols", 5}};
  m.variants = {stored(format_kind::csr, "", 0, csr_bytes,
                       {line("csr/vector", ax, 100), line("csr/vector", atx, 300),
                        line("csr/cusparse-alg1", ax, 105, true), line("csr/cusparse-alg2", atx, 320, true)}),
                bsr,
                stored(format_kind::sell, "32 x 1024", 1e-3, csr_bytes * 2,
                       {line("sell/thread", ax, 110), line("sell/thread", atx, 150)})};
  variant_result turned =
      stored(format_kind::csr, "", 1e-3, csr_bytes, {line("csr/cusparse-alg1", atx, 104, true)});
  turned.of_transpose = true;
  m.variants.push_back(turned);
  return r;
}

recommendation tied() {
  recommendation r = normal();
  r.found.variants[2].contestants = {line("sell/thread", ax, 78), line("sell/thread", atx, 88)};
  r.found.variants[2].convert_seconds = 3e-3;
  return r;
}

recommendation in_csr() {
  recommendation r = normal();
  r.found.variants[0].contestants[0] = line("csr/vector", ax, 20);
  r.found.variants[0].contestants[1] = line("csr/hybrid", atx, 30);
  return r;
}

recommendation predicted() {
  recommendation r = normal();
  r.found.predicted = true;
  r.found.base_names = {};
  r.model.share = 0.94;
  for (variant_result& f : r.found.variants) {
    f.convert_seconds = 0;
    f.parameters.clear();
    for (contestant_result& k : f.contestants) {
      k.time = {};
      k.prepare_seconds = k.error = 0;
    }
  }
  return r;
}

// Two products that come together; CSR has a kernel for them in one pass that takes so long.
recommendation together(operation op, double micro) {
  recommendation r = normal();
  r.wanted.one_pass = op;
  contestant_result one_pass = line("csr/vector", op, micro);
  one_pass.expected = {};
  one_pass.info.repeatable = {false, false, true, true};
  r.found.variants[0].contestants.push_back(one_pass);
  return r;
}

// With everything that can go wrong for somebody.
recommendation troubled() {
  recommendation r = normal();
  variant_result refused = stored(format_kind::ell, "", 0, 0, {});
  refused.slots = 0;
  refused.refused = "ell would store 41.20 slots per entry (494400 slots); the limit is 20";
  variant_result pending = stored(format_kind::coo, "", 1e-3, 200000, {});
  contestant_result left = line("csr/thread", ax, 900), wrong = line("csr/warp", ax, 1),
                    absent = line("csr/bins", ax, 1), late = line("csr/hybrid", ax, 1);
  left.left = "9.0 x the fastest after its first run";
  wrong.wrong = "3 of 1000 outputs, first y[7] = 1 instead of 2 (bound 1e-12)";
  absent.time = late.time = {};
  absent.not_run = "rows are too long";
  late.single_seconds = 2e-6;
  r.found.variants.push_back(refused);
  r.found.variants.push_back(pending);
  for (const contestant_result& k : {left, wrong, absent, late}) r.found.variants[0].contestants.push_back(k);
  return r;
}

recommendation nothing_ran() {
  recommendation r = normal();
  r.found.interrupted = true;
  r.found.variants.clear();
  return r;
}

recommendation named(const std::string& name) {
  recommendation r = normal();
  r.name = r.features.name = name;
  return r;
}

const std::string awkward =
    "folder/it's \"a\" matrix, größer\nand with a name that is certainly longer than any terminal is wide, "
    "\x1b[31mred; rm -rf $HOME `x` \\.mtx";
const std::string long_name = "/data/" + std::string(150, 'o') + "'" + std::string(20, '*') + ".mtx";

struct example {
  const char* what;
  recommendation r;
};
std::vector<example> examples() {
  recommendation interrupted = troubled(), late = normal(), cpu = normal(), warm = normal(), one = normal(),
                 strict = normal(), unknown = predicted(), empty;
  empty.features.field = "pattern";
  interrupted.found.interrupted = true;
  late.found.out_of_time = true;
  cpu.machine = {};
  cpu.machine.backend = "openmp";
  cpu.machine.device = "a CPU";
  warm.wanted.warm = true;
  warm.wanted.weights = {3, 1};
  one.wanted.weights = {0, 1};
  strict.wanted.repeatable = true;
  strict.wanted.memory = 1 << 30;
  strict.wanted.products = 100;
  unknown.model.share = 0;
  empty.name = "empty";
  recommendation odd = normal();  // figures that are no numbers
  odd.found.variants[1].contestants[0].time.cold.p90 = std::numeric_limits<double>::infinity();
  odd.found.variants[1].contestants[0].error = std::nan("");
  return {{"normal", normal()},
          {"tied", tied()},
          {"in CSR", in_csr()},
          {"predicted", predicted()},
          {"predicted without a record", unknown},
          {"troubled", troubled()},
          {"interrupted", interrupted},
          {"out of time", late},
          {"nothing ran", nothing_ran()},
          {"without anything", empty},
          {"on a CPU", cpu},
          {"warm", warm},
          {"A^T x alone", one},
          {"strict", strict},
          {"no numbers", odd},
          {"both in one pass", together(operation::both, 120)},
          {"both as two products", together(operation::both, 500)},
          {"both, tied", together(operation::both, 172)},
          {"normal in one pass", together(operation::normal, 120)},
          {"normal as two products", together(operation::normal, 500)},
          {"an awkward name", named(awkward)},
          {"a long name", named(long_name)}};
}

verdict judged(const recommendation& r) {
  return verdict_of(r.found, r.wanted);
}
// All of it, and what is printed where nobody asks for all.
std::string as_text(const recommendation& r, int width = 80) {
  return recommendation_as_text(r, judged(r), width, true);
}
std::string as_short_text(const recommendation& r, int width = 80) {
  return recommendation_as_text(r, judged(r), width);
}
json as_json(const recommendation& r) {
  return to_json(r, judged(r));
}

// What a shell makes of a line: its words.
std::vector<std::string> words_in_shell(const std::string& command) {
  const std::string script = "set -- " + command + "\nfor word; do printf '%s\\0' \"$word\"; done";
  const std::string path = "recommend_report_test.sh";
  std::ofstream(path) << script;
  std::FILE* const shell = ::popen(("sh " + path).c_str(), "r");
  REQUIRE(shell != nullptr);
  std::string all;
  for (int c = std::fgetc(shell); c != EOF; c = std::fgetc(shell)) all += static_cast<char>(c);
  CHECK(::pclose(shell) == 0);
  std::remove(path.c_str());
  std::vector<std::string> words;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\0', at);
    words.push_back(all.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

// The fields of every record; quotes are taken off.
std::vector<std::vector<std::string>> csv_records(const std::string& text) {
  std::vector<std::vector<std::string>> records(1, {""});
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"')
      records.back().back() += text[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      records.back().emplace_back();
    else if (c == '\n' && !quoted)
      records.push_back({""});
    else
      records.back().back() += c;
  }
  records.pop_back();
  return records;
}

}  // namespace

TEST_CASE("the verdict is one sentence, with its margin, its reasons and what it costs") {
  const recommendation r = normal();
  const std::string text = unbroken(as_text(r));
  CHECK(has(text,
            "matrix gen:blocks?n=1000: 1,000 x 1,000, 12,000 entries, 64-bit values; rows of 12 "
            "entries, the longest 12, variation 0.000 "));
  CHECK(has(text,
            "machine NVIDIA H200, 140.4 GiB; code for 8.0, compiled by the driver for 9.0; cuSPARSE 12.8.6; "
            "a copy moves 4,012 GB/s "));
  CHECK(has(text, "asked A x and A^T x in equal parts; runs with cold caches decide "));
  // (110 + 150) / (80 + 90)
  CHECK(has(text,
            "verdict Take bsr 5 x 5 with bsr/stream: a product takes 85.0 us (A x 80.0 us, A^T x 90.0 us), "
            "1.53 x (1.51 - 1.54) as fast as the next format, sell 32 x 1024 with sell/thread. "));
  CHECK(has(text, "why it reads its arrays faster: 76.5 us instead of csr/vector's 180 us "));
  // 2 ms; 20 us a product of A x, 210 us one of A^T x, 115 us one of both
  CHECK(has(text,
            "converting and preparing take 2.02 ms, which is repaid after 18 products of the mix, after 100 "
            "products of A x alone, after 10 products of A^T x alone, beside staying in CSR "));
  CHECK(
      has(text,
          "the vendor's best format, one copy: csr with csr/cusparse-alg1 for A x and csr/cusparse-alg2 for "
          "A^T x, 212 us, 0.40 x as fast as the winner, with 1.11 x its bytes "));
  CHECK(has(
      text,
      "the vendor's best formats, two copies: csr and csr of A^T with csr/cusparse-alg1, 104 us, 0.81 x as "
      "fast as the winner, with 2.22 x its bytes "));
  CHECK(has(text, "bits the last bits of A^T x may differ from run to run "));
  CHECK(has(text, "took 12.5 s of 60 s: features 250 ms, heats 10.0 s "));
  CHECK(has(text, "spconv 'gen:blocks?n=1000' --to bsr --block 5x5 --value f64 -o blocks.bsr.h5 "));
  CHECK(has(text, "options.bsr_block = {5, 5};"));
  CHECK(!has(text, "tied with"));
  CHECK(!has(text, "redicted"));
}

TEST_CASE("the table has the fastest first, for each product, and every figure of a kernel") {
  const std::vector<std::string> lines = lines_of(as_text(normal(), 200));
  const auto row = [&](const std::string& begin) {
    const auto found = std::find_if(lines.begin(), lines.end(),
                                    [&](const std::string& line) { return line.starts_with(begin); });
    return found - lines.begin();
  };
  const std::ptrdiff_t first = row("  A x  "), second = row("  A^T x  ");
  REQUIRE(first < second);
  REQUIRE(second + 5 < static_cast<std::ptrdiff_t>(lines.size()));
  const auto line_at = [&](std::ptrdiff_t at) { return unbroken(lines[static_cast<std::size_t>(at)]); };
  CHECK(line_at(first) ==
        "A x cold us p10 - p90 x winner's time GB/s of copy error warm us convert ms bytes beside it x CSR "
        "repaid");
  CHECK(line_at(first + 1) ==
        "* bsr/stream 5 x 5 80.0 78.4 - 82.4 1.00 1.87 0.0 % 12.5 % 40.0 2.00 130.1 KiB - 0.90 100");
  CHECK(line_at(first + 2) == "csr/vector 100 98.0 - 103 1.25 1.64 0.0 % 12.5 % 50.0 - 144.5 KiB - 1.00 -");
  CHECK(line_at(first + 3).starts_with("csr/cusparse-alg1 105 "));
  CHECK(line_at(first + 4) ==
        "sell/thread 32 x 1024 110 108 - 113 1.38 2.84 0.1 % 12.5 % 55.0 1.00 289.1 KiB - 2.00 never");
  CHECK(lines[static_cast<std::size_t>(first + 5)].empty());
  CHECK(line_at(second + 1).starts_with("* bsr/stream 5 x 5 90.0 "));
  CHECK(line_at(second + 2).starts_with("csr/cusparse-alg1 of A^T 104 "));
}

TEST_CASE("no line is wider than it may be, and what is shown moves no cursor") {
  for (const example& one : examples())
    for (const int width : {40, 80, 120, 200}) {
      for (const std::string& text : {as_text(one.r, width), as_short_text(one.r, width)}) {
        bool code = false;  // which stays whole
        for (const std::string& line : lines_of(text)) {
          INFO(one.what << " at " << width << ": " << line);
          code = line.starts_with("The lines of C++") ||
                 (code && (line.empty() || line.starts_with("  ")) && !line.starts_with("  A "));
          if (!code) CHECK(display_width(line) <= width);
        }
        CHECK(text.find('\x1b') == std::string::npos);
        CHECK(!has(text, "\n\n\n"));
        CHECK(text.ends_with("\n"));
      }
    }
}

TEST_CASE("ties are named, and why one of them was taken") {
  const std::string text = unbroken(as_text(tied()));
  CHECK(has(text, "Take bsr 5 x 5 with bsr/stream: a product takes 85.0 us"));
  CHECK(has(text, " as fast as the next format that is not tied with it, csr with csr/vector. "));
  CHECK(has(text, "tied with: sell/thread (32 x 1024): 83.0 us"));
  CHECK(has(text, "(within 5 % of the fastest, or not told apart from that) "));
  CHECK(has(text,
            "sell/thread (32 x 1024) is ahead at 83.0 us, and bsr/stream (5 x 5) was taken: converting is "
            "repaid sooner: it takes 2.02 ms instead of 3.02 ms "));
  CHECK(has(text, " = sell/thread 32 x 1024 78.0 "));

  recommendation smaller = tied();
  smaller.found.variants[2].convert_seconds = 2e-3;
  CHECK(has(unbroken(as_text(smaller)), "was taken: its fewer bytes, 130.1 KiB instead of 289.1 KiB "));
  smaller.found.variants[1].bytes = smaller.found.variants[2].bytes;
  CHECK(has(unbroken(as_text(smaller)), "Take sell 32 x 1024 with sell/thread: "));
  CHECK(!has(unbroken(as_text(smaller)), "was taken"));
  smaller.found.variants[1].contestants = {line("bsr/stream", ax, 77), line("bsr/stream", atx, 87)};
  CHECK(has(unbroken(as_text(smaller)), "was taken: its simpler format "));
  recommendation there = tied();
  there.found.variants[0].contestants = {line("csr/vector", ax, 80), line("csr/vector", atx, 90)};
  CHECK(has(unbroken(as_text(there)), "verdict Any of these; stay in CSR, with csr/vector: "));
  there.found.variants.push_back(
      stored(format_kind::coo, "", 1e-3, 200000, {line("coo/a", ax, 300), line("coo/a", atx, 300)}));
  CHECK(has(unbroken(as_text(there)), "was taken: nothing has to be converted for it "));
}

TEST_CASE("by default the text is short: the verdict, why, when it is repaid, the five best, what to do") {
  recommendation r = troubled();
  for (const char* name : {"csr/one", "csr/two", "csr/three", "csr/four"})
    r.found.variants[0].contestants.push_back(line(name, ax, 101));
  const std::string text = as_short_text(r), words = unbroken(text);
  for (const char* part : {"verdict Take bsr 5 x 5", "why ", "repaid converting", "spconv", "#include",
                           "* bsr/stream 5 x 5 80.0 1.25 130.1 KiB 100", "csr/vector 100 1.00 144.5 KiB - "})
    CHECK(has(words, part));
  CHECK(!has(words, "csr/four"));  // the sixth
  CHECK(has(words, "WRONG RESULT of csr/warp"));
  for (const char* part : {"ell: refused", "left 9.0 x", "p10", "bits ", "where only"})
    CHECK(!has(words, part));
  CHECK(lines_of(text).size() < 60);
  CHECK(has(as_short_text(r, 40), "#include <sparsmith/sparsmith.hpp>"));  // the C++ is there however narrow
  // The winner and CSR are shown wherever they stand.
  for (const char* name : {"csr/a", "csr/b", "csr/c", "csr/d", "csr/e"})
    r.found.variants[2].contestants.push_back(line(name, ax, 45));
  CHECK(has(unbroken(as_short_text(r)), "* bsr/stream 5 x 5 80.0"));
  CHECK(has(unbroken(as_short_text(r)), " csr/vector 100 "));
}

TEST_CASE("a busy machine, a tie that the clock makes, and a symmetric matrix are told") {
  recommendation r = normal();
  r.found.noisy = {"other processes used 0.97 of a core", "clocks were throttled"};
  for (const std::string& text : {as_text(r), as_short_text(r)})
    CHECK(
        has(unbroken(text),
            "verdict Unsettled: take bsr 5 x 5 with bsr/stream: a product takes 85.0 us (A x 80.0 us, A^T x "
            "90.0 us), 1.53 x (1.51 - 1.54) as fast as the next format, sell 32 x 1024 with sell/thread. The "
            "machine was busy: other processes used 0.97 of a core; clocks were throttled; run again. "));
  CHECK(as_json(r)["verdict"]["unsettled"] == true);

  recommendation tiny = normal();
  tiny.found.clock_seconds = 1e-3;
  CHECK(
      has(unbroken(as_text(tiny)),
          "verdict Any of these; stay in CSR, with csr/vector: a product takes 200 us (A x 100 us, A^T x 300 "
          "us), and no format that was run is told apart from it. "));
  CHECK(as_json(tiny)["verdict"]["any_of_these"] == true);

  recommendation same = normal();
  same.found.symmetric = true;
  for (variant_result& f : same.found.variants)
    std::erase_if(f.contestants, [](const contestant_result& k) { return k.op == atx; });
  const std::string text = unbroken(as_text(same));
  CHECK(has(text, "; A equals A^T, so that A^T x is A x, which alone is run; runs with"));
  CHECK(has(text, "bsr/stream: a product takes 80.0 us, "));
  CHECK(has(text, "m.multiply(1.0, x, 0.0, y); // y = A x, which is A^T x "));
  CHECK(!has(text, "multiply_transposed"));
  CHECK(!has(text, " A^T x cold us"));
  CHECK(as_json(same)["matrix"]["symmetric"] == true);
}

TEST_CASE("two copies of ours stand beside the winner, in the short text where they are faster") {
  recommendation r = normal();
  variant_result turned =
      stored(format_kind::sell, "32 x 1", 1e-3, r.found.csr_bytes(), {line("sell/thread", atx, 40)});
  turned.of_transpose = true;
  r.found.variants.push_back(turned);
  const char* const said =
      "two copies of ours: bsr 5 x 5 and sell 32 x 1 of A^T with bsr/stream for A x and sell/thread for A^T "
      "x, "
      "60.0 us, 1.42 x as fast as the winner, with 2.11 x its bytes ";
  CHECK(has(unbroken(as_text(r)), said));
  CHECK(has(unbroken(as_short_text(r)), std::string("or ") + said));
  r.found.variants.back().contestants = {line("sell/thread", atx, 88)};
  CHECK(has(unbroken(as_text(r)), "two copies of ours: "));
  CHECK(!has(unbroken(as_short_text(r)), "two copies"));
}

TEST_CASE("who should stay in CSR is told so") {
  const recommendation r = in_csr();
  const std::string text = unbroken(as_text(r));
  CHECK(has(text, "Stay in CSR, with csr/vector for A x and csr/hybrid for A^T x: a product takes 25.0 us"));
  CHECK(has(text, "repaid at once: there is nothing to convert "));
  CHECK(!has(text, "spconv"));  // it is there
  CHECK(has(text, "m.use_kernels(\"csr/vector\", \"csr/hybrid\");"));
  CHECK(has(text, "where memory is short: bsr 5 x 5 with bsr/stream, 130.1 KiB: 85.0 us, 0.29 x as fast"));
  CHECK(!has(text, "from_csr"));
  CHECK(as_json(r)["verdict"]["stays_in_csr"] == true);
  CHECK(as_json(r)["verdict"]["repaid_after"] == json{{"ax", 0.0}, {"atx", 0.0}, {"mix", 0.0}});
}

TEST_CASE("a prediction is called one, and never sounds measured") {
  const recommendation r = predicted();
  const std::string text = unbroken(as_text(r));
  CHECK(has(text,
            "verdict Predicted, nothing was run: take bsr 5 x 5 with bsr/stream: a product should take "
            "76.5 us"));
  CHECK(has(text, "of the best's speed on matrices it was not fitted to "));
  CHECK(has(text, "predicted us x winner's time predicted warm us "));
  CHECK(has(text, "by the model, which is repaid after "));
  CHECK(!has(text, " takes "));
  CHECK(!has(text, "p10"));
  CHECK(!has(text, "GB/s of copy"));
  recommendation unknown = r;
  unknown.model.share = 0;
  CHECK(has(unbroken(as_text(unknown)), "it has no record for this backend"));

  const json j = as_json(r);
  CHECK(j["predicted"] == true);
  CHECK(j["verdict"]["predicted"] == true);
  CHECK(j["model"]["record"] == 0.94);
  CHECK(j["variants"][1]["convert_ms"].is_null());
  CHECK(j["variants"][1]["expected_convert_ms"] == Approx(3.0));
  CHECK(j["contestants"][4]["result"] == "predicted");
  CHECK(j["contestants"][4]["warm"].is_null());
  CHECK(j["contestants"][4]["predicted"]["cold_us"] == Approx(72.0));
  // What was not made has its parameters from the options.
  CHECK(j["verdict"]["parameters"] == json{{"block_rows", 5}, {"block_cols", 5}});
  CHECK(as_json(normal())["model"]["record"].is_null());

  recommendation blind = r;
  for (variant_result& f : blind.found.variants)
    for (contestant_result& k : f.contestants) k.expected = {};
  const std::string none = unbroken(as_text(blind));
  CHECK(has(none,
            "Predicted, nothing was run: the model has no figures for anything that could be taken, so "
            "there is no verdict"));
  CHECK(has(none, "csr/vector A x, csr/vector A^T x, csr/cusparse-alg1 A x"));
  CHECK(has(none, ": not run: the model has no figures for it "));
  CHECK(as_json(blind)["verdict"].is_null());
}

TEST_CASE("what is not finished says so first") {
  recommendation r = normal();
  r.found.interrupted = true;
  CHECK(has(unbroken(as_text(r)), "verdict So far, interrupted: take bsr 5 x 5 "));
  r.found.interrupted = false;
  r.found.out_of_time = true;
  CHECK(has(unbroken(as_text(r)), "verdict So far, out of time: take bsr 5 x 5 "));
  const std::string nothing = unbroken(as_text(nothing_ran()));
  CHECK(has(nothing, "verdict So far, interrupted: nothing ran that could be taken, so there is no verdict"));
  CHECK(!has(nothing, "spconv"));
  CHECK(as_json(nothing_ran())["verdict"].is_null());
  CHECK(as_json(nothing_ran())["interrupted"] == true);
}

TEST_CASE("who is not in the table is named with the reason") {
  const recommendation r = troubled();
  const std::string text = unbroken(as_text(r));
  CHECK(has(text, "csr/thread A x, 900 us: left 9.0 x the fastest after its first run "));
  CHECK(has(text, "csr/warp A x: WRONG RESULT: 3 of 1000 outputs, first y[7] = 1 instead of 2"));
  CHECK(has(text, "csr/bins A x: not run: rows are too long "));
  CHECK(has(text, "csr/hybrid A x: not run: the race ended before it was timed "));
  CHECK(has(text, "ell: refused: ell would store 41.20 slots per entry"));
  CHECK(has(text, "coo: not run: the race ended before it was its turn "));
  CHECK(!has(text, " csr/thread 900"));

  recommendation apart = r;  // who is in the verdict is in the table, also where it left
  for (contestant_result& k : apart.found.variants[1].contestants) k.left = "before the last round";
  const std::string with_winner = unbroken(as_text(apart));
  CHECK(has(with_winner, "Take bsr 5 x 5 with bsr/stream"));
  CHECK(has(with_winner, "* bsr/stream 5 x 5 80.0 78.4 - 82.4 1.00 "));
  CHECK(has(with_winner, "bsr/stream 5 x 5 A x, 80.0 us: left before the last round "));
  for (variant_result& f : apart.found.variants)
    if (f.refused.empty() && f.contestants.empty()) {
      f.refused = "not tried: csr is ahead";
      f.not_tried = true;
    }
  apart.found.variants.back().format = format_kind::hyb;
  variant_result again = apart.found.variants.back();
  again.note = "width 3";
  apart.found.variants.push_back(again);
  CHECK(has(unbroken(as_text(apart)), " hyb, hyb width 3: not tried: csr is ahead "));
}

TEST_CASE("without a GPU that is said, and one operation alone is no mix") {
  recommendation r = normal();
  r.machine.backend = "openmp";
  r.machine.device = "a CPU";
  r.machine.code = "x86-64 with SSE2; the CPU also has AVX2";
  r.machine.vendor = "";
  r.wanted.weights = {0, 1};
  r.wanted.warm = true;
  r.wanted.products = 1000;
  const std::string text = unbroken(as_text(r));
  CHECK(has(text,
            "machine no GPU is used, the OpenMP kernels are ranked: a CPU, 16 threads; code for x86-64 with "
            "SSE2; the CPU also has AVX2; a copy"));
  CHECK(has(text, "asked A^T x; runs with warm caches decide; converting is spread over 1,000 products "));
  CHECK(has(text, "repaid after 20 products, beside"));  // 2 ms of 105 us
  CHECK(!has(text, "of the mix"));
  CHECK(has(text, "where cold caches decide") == false);  // the same wins there
  CHECK(has(text, "m.multiply_transposed(1.0, y, 0.0, x);"));
  CHECK(!has(text, "m.multiply(1.0"));
}

TEST_CASE("what else there is, as far as it can be told apart from the winner") {
  recommendation r = normal();
  r.found.variants[2].contestants[0] = line("sell/thread", ax, 60);
  r.found.variants[2].contestants[1] = line("sell/thread", atx, 130);
  for (contestant_result& k : r.found.variants[2].contestants) k.time.warm = around(10e-6);
  const std::string text = unbroken(as_text(r));
  CHECK(has(text, "verdict Take bsr 5 x 5 "));
  CHECK(has(text,
            "where only A x matters: sell 32 x 1024 with sell/thread, 60.0 us where the winner's takes "
            "80.0 "));
  CHECK(!has(text, "where only A^T x matters"));
  CHECK(has(text,
            "where warm caches decide: sell 32 x 1024 with sell/thread, 10.0 us where the winner's takes "
            "42.5 "));
  CHECK(!has(text, "where memory is short"));                        // the winner is the smallest
  r.found.variants[2].contestants[0] = line("sell/thread", ax, 78);  // within 5 % of the winner's
  CHECK(!has(unbroken(as_text(r)), "where only A x matters"));
}

TEST_CASE("several matrices, a line each") {
  std::vector<recommendation> all = {normal(), tied(), predicted(), nothing_ran(), named(awkward)};
  std::vector<verdict> verdicts;
  for (const recommendation& r : all) verdicts.push_back(judged(r));
  CHECK(!has(recommendations_compared({all[0]}, {verdicts[0]}, 120), "how"));
  const std::vector<std::string> lines = lines_of(recommendations_compared(all, verdicts, 120));
  REQUIRE(lines.size() == 6);
  CHECK(unbroken(lines[0]) == "matrix entries winner us x next ties x vendor repaid how");
  CHECK(unbroken(lines[1]) == "gen:blocks?n=1000 12,000 bsr 5 x 5 85.0 1.53 0 2.50 18 measured");
  CHECK(unbroken(lines[2]).ends_with(" 2.35 1 2.50 18 measured"));
  CHECK(unbroken(lines[3]).ends_with(" predicted"));
  CHECK(unbroken(lines[4]) == "gen:blocks?n=1000 12,000 - - - - - - nothing ran");
  CHECK(has(lines[5], "größer"));
  for (const int width : {40, 80})
    for (const std::string& line : lines_of(recommendations_compared(all, verdicts, width)))
      CHECK(display_width(line) <= width);
}

TEST_CASE("words for a shell come out of it as they went in") {
  CHECK(quoted_for_shell("bcsstk17.mtx.gz") == "bcsstk17.mtx.gz");
  CHECK(quoted_for_shell("gen:rmat?scale=10") == "'gen:rmat?scale=10'");
  CHECK(quoted_for_shell("it's") == "'it'\\''s'");
  CHECK(quoted_for_shell("") == "''");
  for (const example& one : examples()) {
    const verdict v = judged(one.r);
    if (!v.winner) continue;
    INFO(one.what);
    const std::vector<std::string> words = spconv_arguments(one.r, v.winner);
    CHECK(words_in_shell(spconv_line(one.r, v.winner)) == words);
    // As the text breaks it over lines, however narrow they are.
    if (has(one.r.name, "\n")) continue;
    for (const int width : {40, 60, 80, 300}) {
      const std::string text = as_text(one.r, width);
      const std::size_t begin = text.find("\n  spconv ");
      if (v.winner.stays_in_csr()) {
        CHECK(begin == std::string::npos);
        continue;
      }
      REQUIRE(begin != std::string::npos);
      const std::size_t end = text.find("\n\n", begin);
      CHECK(words_in_shell(text.substr(begin + 1, end - begin - 1)) == words);
    }
  }
}

TEST_CASE("the command spells what makes the format") {
  const auto command = [](format_kind kind, const std::function<void(variant_result&)>& change,
                          const std::string& name = "gen:rmat?scale=10") {
    recommendation r = named(name);
    variant_result f = stored(kind, "", 0, 1000, {line("a/kernel", ax, 1)});
    change(f);
    r.found.variants = {f};
    way w;
    w.stored = {&r.found.variants[0]};
    w.contestants[0] = &r.found.variants[0].contestants[0];
    return spconv_line(r, w);
  };
  const auto as_it_is = [](variant_result&) {};
  const std::string begin = "spconv 'gen:rmat?scale=10' --to ";
  CHECK(command(format_kind::csr, as_it_is).empty());  // it is there
  CHECK(command(format_kind::coo, as_it_is) == begin + "coo --value f64 -o rmat.coo.h5");
  CHECK(command(format_kind::sell, as_it_is) ==
        begin + "sell --slice 32 --sigma 1024 --value f64 -o rmat.sell.h5");
  CHECK(command(format_kind::ell, [](variant_result& f) { f.slots = 12000 * 5; }) ==
        begin + "ell --max-fill 20 --value f64 -o rmat.ell.h5");
  CHECK(command(format_kind::hyb, as_it_is) == begin + "hyb --value f64 -o rmat.hyb.h5");
  CHECK(command(format_kind::hyb, [](variant_result& f) {
          f.parameters = {{"width", 7}};
        }) == begin + "hyb --width 7 --value f64 -o rmat.hyb.h5");
  CHECK(command(format_kind::csb, as_it_is) == begin + "csb --beta 32 --value f64 -o rmat.csb.h5");
  CHECK(command(format_kind::ecsb, [](variant_result& f) {
          f.parameters = {{"holding", 1}};
        }) == begin + "ecsb --beta 32 --holding ell --value f64 -o rmat.ecsb.h5");
  CHECK(command(format_kind::gcsb,
                [](variant_result& f) {
                  f.options.blocks = {.beta = 64,
                                      .order = block_order::diagonal,
                                      .index_bits = 32,
                                      .thesis = true,
                                      .group_size = 16,
                                      .window = 5};
                }) ==
        begin +
            "gcsb --beta 64 --layout thesis --order diagonal --index 32 --group 16 --window 5 --value "
            "f64 -o rmat.gcsb.h5");
  CHECK(command(format_kind::gcsb_tile, as_it_is) == begin + "gcsb_tile --value f64 -o rmat.gcsb_tile.h5");
  CHECK(command(format_kind::gcsb_tile,
                [](variant_result& f) {
                  f.parameters = {{"tile_height", 512}, {"tile_width", 1024}, {"renumbered", 1}};
                  f.options.tile.rest_below = 32;
                  f.options.tile.group_size = 16;
                  f.options.tile.index_bits = 32;
                }) ==
        begin +
            "gcsb_tile --tile 512x1024 --renumber length --group 16 --index 32 --rest 32 --value f64 "
            "-o rmat.gcsb_tile.h5");
  CHECK(command(
            format_kind::csc, [](variant_result& f) { f.offset_bits = 64; }, "dir/A.b.MTX.gz") ==
        "spconv dir/A.b.MTX.gz --to csc --value f64 --offsets 64 -o A.b.csc.h5");
  CHECK(command(format_kind::csc, as_it_is, "-") == "spconv - --to csc --value f64 -o matrix.csc.h5");
  CHECK(command(format_kind::csc, as_it_is, "-x.npz") ==
        "spconv ./-x.npz --to csc --value f64 -o ./-x.csc.h5");
  CHECK(command(format_kind::csc, as_it_is, "a/.mtx") == "spconv a/.mtx --to csc --value f64 -o .mtx.csc.h5");

  recommendation single = normal();
  single.found.value_bits = 32;
  CHECK(has(spconv_line(single, judged(single).winner), " --value f32 "));
  // No command makes two copies.
  const recommendation two = normal();
  CHECK(spconv_line(two, judged(two).vendor.two_copies).empty());
  CHECK(code_lines(two, judged(two).vendor.two_copies).empty());
}

// Every flag of every format: spconv must take what it is told, and make the format that was meant.
TEST_CASE("spconv understands the commands") {
  const char* const spconv = std::getenv("SPARSMITH_SPCONV");
  REQUIRE(spconv != nullptr);
  conversion_options unusual;
  unusual.max_fill = 1000;
  unusual.hyb_width = 2;
  unusual.bsr_block = {3, 5};
  unusual.sell = {8, 16};
  unusual.blocks = {.beta = 8, .order = block_order::row, .index_bits = 32, .group_size = 4, .window = 2};
  unusual.blocks.holding = ecsb_holding::hybrid;
  unusual.tile = {.height = 512, .width = 256, .group_size = 16, .index_bits = 32};
  unusual.tile.renumber = renumbering::length;
  unusual.tile.rest_below = 3;
  for (const conversion_options& options : {conversion_options{}, unusual})
    for (const format_kind kind : all_formats()) {
      const std::string generator = whole_of(kind) ? "laplace2d" : "uniform";
      recommendation r =
          named("gen:" + generator + (whole_of(kind) ? "?n=8" : "?rows=60&cols=50&density=0.1&seed=3"));
      if (kind == format_kind::csr) continue;  // it is there, and no command makes it
      variant_result f = stored(kind, "", 0, 1000, {line("a/kernel", ax, 1)});
      f.options = options;
      f.options.max_fill = 1000;
      f.slots = 12000 * 50;
      f.offset_bits = options.max_fill == 1000 ? 64 : 32;
      r.found.variants = {f};
      way w;
      w.stored = {&r.found.variants[0]};
      w.contestants[0] = &r.found.variants[0].contestants[0];
      const std::string typed = spconv_line(r, w);
      INFO(typed);
      REQUIRE(typed.starts_with("spconv "));
      const std::string command = quoted_for_shell(spconv) + typed.substr(6) + " --quiet --device cpu";
      CHECK(std::system(command.c_str()) == 0);
      const stored_matrix made = read_container(generator + "." + name_of(kind) + ".h5");
      std::remove((generator + "." + name_of(kind) + ".h5").c_str());
      std::visit(
          [&](const auto& matrix) {
            std::visit(
                [&](const auto& m) {
                  CHECK(m.name == name_of(kind));
                  if (options.max_fill != 1000) return;
                  std::map<std::string, std::int64_t> sizes;
                  for (const auto& [name, value] : parameters_of(m)) sizes[name] = value;
                  const auto expect = [&](const char* name, std::int64_t value) {
                    INFO(name);
                    CHECK((sizes.count(name) == 0 || sizes[name] == value));
                  };
                  expect("block_rows", 3);
                  expect("block_cols", 5);
                  expect("slice", 8);
                  expect("sigma", 16);
                  expect("beta", 8);
                  expect("order", static_cast<std::int64_t>(block_order::row));
                  expect("holding", static_cast<std::int64_t>(ecsb_holding::hybrid));
                  expect("window", 2);
                  expect("group_size", is_in_tiles(kind) ? 16 : 4);
                  expect("tile_height", 512);
                  expect("tile_width", 256);
                  expect("renumbered", kind == format_kind::gcsb_tile_half ? 0 : 1);
                  expect("rest_below", 3);
                  if (kind == format_kind::hyb) expect("width", 2);
                },
                matrix);
          },
          made);
    }
}

TEST_CASE("CSV has as many fields as columns, and a line for everybody") {
  const std::vector<std::string> columns = csv_records(recommendation_csv_header()).at(0);
  CHECK(columns == std::vector<std::string>{"matrix",
                                            "rows",
                                            "cols",
                                            "entries",
                                            "value_bits",
                                            "vectors",
                                            "vectors_by",
                                            "format",
                                            "parameters",
                                            "kernel",
                                            "vendor",
                                            "operation",
                                            "result",
                                            "reason",
                                            "convert_ms",
                                            "prepare_ms",
                                            "bytes",
                                            "times_csr",
                                            "warm_median_us",
                                            "warm_p10_us",
                                            "warm_p90_us",
                                            "warm_samples",
                                            "cold_median_us",
                                            "cold_p10_us",
                                            "cold_p90_us",
                                            "cold_samples",
                                            "predicted_warm_us",
                                            "predicted_cold_us",
                                            "gb_per_s",
                                            "share_of_copy",
                                            "error_of_bound",
                                            "repeatable",
                                            "winner",
                                            "tie",
                                            "order",
                                            "order_ms"});
  const auto column = [&](const char* name) {
    return static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin());
  };
  for (const example& one : examples()) {
    INFO(one.what);
    const verdict v = judged(one.r);
    const auto records = csv_records(recommendation_csv_lines(one.r, v));
    CHECK(records.size() == contestants_of(one.r.found).size());
    std::size_t winners = 0;
    for (const auto& fields : records) {
      REQUIRE(fields.size() == columns.size());
      CHECK(fields[0] == one.r.name);
      for (const std::string& field : fields) CHECK((field != "nan" && field != "inf" && field != "-nan"));
      winners += fields[column("winner")] == "yes" ? 1 : 0;
    }
    CHECK(winners ==
          static_cast<std::size_t>(std::count_if(v.winner.contestants.begin(), v.winner.contestants.end(),
                                                 [](const auto* k) { return k != nullptr; })));
  }
  const recommendation r = troubled();
  std::set<std::string> results;
  for (const auto& fields : csv_records(recommendation_csv_lines(r, judged(r))))
    results.insert(fields[column("result")]);
  CHECK(results == std::set<std::string>{"ok", "left", "not run", "wrong", "refused"});
  // What was not tried is not called refused, in CSV, JSON and text.
  recommendation untried = r;
  for (variant_result& f : untried.found.variants)
    if (!f.refused.empty()) {
      f.refused = "not tried: predicted at 6.0 x the leader";
      f.not_tried = true;
    }
  results.clear();
  for (const auto& fields : csv_records(recommendation_csv_lines(untried, judged(untried))))
    results.insert(fields[column("result")]);
  CHECK(results == std::set<std::string>{"ok", "left", "not run", "wrong", "not tried"});
  CHECK(has(to_json(untried, judged(untried)).dump(), "\"not_tried\":\"not tried: predicted"));
  CHECK(!has(to_json(untried, judged(untried)).dump(), "\"refused\":\""));
  CHECK(has(to_json(r, judged(r)).dump(), "\"refused\":\""));
  CHECK(!has(as_text(untried), "refused"));

  const recommendation level = tied();
  const auto lines = csv_records(recommendation_csv_lines(level, judged(level)));
  const auto& bsr = lines[4];
  const auto& sell = lines[6];
  CHECK(bsr[column("parameters")] == "5 x 5");
  CHECK(bsr[column("cold_median_us")] == "80");
  CHECK(bsr[column("warm_p10_us")] == "39.2");
  CHECK(bsr[column("convert_ms")] == "2");
  CHECK(bsr[column("times_csr")] == "0.899996");
  CHECK(bsr[column("winner")] == "yes");
  CHECK(bsr[column("tie")] == "no");
  CHECK(sell[column("winner")] == "no");
  CHECK(sell[column("tie")] == "yes");
  CHECK(lines[8][column("parameters")] == "of A^T");
}

TEST_CASE("every time in CSV and JSON is the one of its name") {
  recommendation r = normal();
  contestant_result& k = r.found.variants[1].contestants[0];
  k.time.warm = {1e-6, 2e-6, 3e-6, 4, 5e-6, 6e-6};
  k.time.cold = {11e-6, 12e-6, 13e-6, 14, 15e-6, 16e-6};
  k.expected.warm = 21e-6;
  k.expected.cold = 22e-6;
  k.prepare_seconds = 23e-3;
  const std::vector<std::string> columns = csv_records(recommendation_csv_header()).at(0);
  const auto fields = csv_records(recommendation_csv_lines(r, judged(r))).at(4);
  const auto field = [&](const char* name) {
    return fields.at(
        static_cast<std::size_t>(std::find(columns.begin(), columns.end(), name) - columns.begin()));
  };
  REQUIRE(field("kernel") == "bsr/stream");
  REQUIRE(field("operation") == "ax");
  for (const auto& [name, value] :
       std::vector<std::pair<const char*, const char*>>{{"warm_median_us", "1"},
                                                        {"warm_p10_us", "2"},
                                                        {"warm_p90_us", "3"},
                                                        {"warm_samples", "4"},
                                                        {"cold_median_us", "11"},
                                                        {"cold_p10_us", "12"},
                                                        {"cold_p90_us", "13"},
                                                        {"cold_samples", "14"},
                                                        {"predicted_warm_us", "21"},
                                                        {"predicted_cold_us", "22"},
                                                        {"prepare_ms", "23"},
                                                        {"error_of_bound", "0.125"},
                                                        {"repeatable", "yes"}}) {
    INFO(name);
    CHECK(field(name) == value);
  }
  const json document = as_json(r);
  const json* told = nullptr;
  for (const json& one : document["contestants"])
    if (one["kernel"] == "bsr/stream" && one["operation"] == "ax") told = &one;
  REQUIRE(told != nullptr);
  const auto near = [&](const char* regime, const char* name, double value) {
    INFO(regime << " " << name);
    CHECK((*told)[regime][name].get<double>() == Approx(value));
  };
  for (const auto& [name, warm, cold] : {std::tuple("median_us", 1.0, 11.0), std::tuple("p10_us", 2.0, 12.0),
                                         std::tuple("p90_us", 3.0, 13.0), std::tuple("samples", 4.0, 14.0),
                                         std::tuple("low_us", 5.0, 15.0), std::tuple("high_us", 6.0, 16.0)}) {
    near("warm", name, warm);
    near("cold", name, cold);
  }
}

TEST_CASE("JSON has the verdict in full") {
  const recommendation r = normal();
  const json j = as_json(r);
  CHECK(j["schema"] == "sparsmith.recommend/2");
  CHECK(j["version"] == "0.3.0");
  CHECK(j["matrix"]["entries"] == 12000);
  CHECK(j["request"]["mix"] == json{{"ax", 0.5}, {"atx", 0.5}});
  CHECK(j["request"]["regime"] == "cold");
  CHECK(j["request"]["memory"].is_null());
  CHECK(j["machine"]["copy_gb_per_s"] == Approx(4012.3));
  CHECK(j["machine"]["code"] == "8.0, compiled by the driver for 9.0");
  CHECK(j["machine"]["code_doubt"] == "built for 8.0 and compiled by the driver");
  CHECK(j["machine"]["vendor"] == "cuSPARSE 12.8.6");
  CHECK(j["features"]["row_lengths"]["mean"] == 12.0);
  CHECK(!j["features"].contains("grid"));
  CHECK(!j["features"]["row_lengths"].contains("distribution"));
  CHECK(j["base"]["atx"] == "csr/cusparse-alg2");
  REQUIRE(j["variants"].size() == 4);
  CHECK(j["variants"][3]["of_transpose"] == true);
  REQUIRE(j["contestants"].size() == 9);
  const json& bsr = j["contestants"][4];
  CHECK(bsr["variant"] == 1);
  CHECK(bsr["kernel"] == "bsr/stream");
  CHECK(bsr["operation"] == "ax");
  CHECK(bsr["cold"]["median_us"] == Approx(80.0));
  CHECK(bsr["cold"]["low_us"] == Approx(79.6));
  CHECK(bsr["error_of_bound"] == 0.125);
  CHECK(bsr["gb_per_s_csr_minimum"] == Approx(static_cast<double>(r.found.csr_minimum_bytes(ax)) / 80e3));
  CHECK(bsr["winner"] == true);

  const json& v = j["verdict"];
  CHECK(v["format"] == "bsr");
  CHECK(v["parameters"] == json{{"block_rows", 5}, {"block_cols", 5}});
  CHECK(v["kernels"] == json{{"ax", "bsr/stream"}, {"atx", "bsr/stream"}});
  CHECK(v["us"] == Approx(85.0));
  CHECK(v["margin"] == Approx(130.0 / 85));
  CHECK(v["interval"].size() == 2);
  CHECK(v["ties"].empty());
  CHECK(v["repaid_after"]["ax"] == Approx(100.0));
  CHECK(v["reasons"].size() == judged(r).reasons.size());
  CHECK(v["vendor"]["two_copies"]["copies"] == json::array({"csr", "csr of A^T"}));
  CHECK(v["vendor"]["csr"] == v["vendor"]["one_copy"]);
  CHECK(v["vendor"]["atx"]["copies"] == json::array({"csr of A^T"}));
  CHECK(v["vendor"]["atx_from_a"]["kernels"]["atx"] == "csr/cusparse-alg2");
  CHECK(v["vendor"]["two_copies"]["times_winner"] == Approx(104.5 / 85));
  CHECK(v["spconv"] == spconv_line(r, judged(r).winner));
  CHECK(v["code"] == code_lines(r, judged(r).winner));

  const json with_ties = as_json(tied())["verdict"]["ties"];
  REQUIRE(with_ties.size() == 1);
  CHECK(with_ties[0]["format"] == "sell");
  CHECK(with_ties[0]["parameters"] == json{{"slice", 32}, {"sigma", 1024}});
  CHECK(with_ties[0]["times_winner"] == Approx(83.0 / 85));
}

TEST_CASE("what is never repaid, or no number, is null") {
  recommendation r = normal();
  r.found.variants[1].contestants[0] = line("bsr/stream", ax, 120);  // slower than CSR for A x
  CHECK(as_json(r)["verdict"]["format"] == "bsr");
  CHECK(as_json(r)["verdict"]["repaid_after"]["ax"].is_null());
  CHECK(has(unbroken(as_text(r)), "never of A x alone, after 10 products of A^T x alone"));
  r.found.variants[1].contestants[0].error = std::nan("");
  r.found.variants[1].contestants[0].time.cold.p90 = std::numeric_limits<double>::infinity();
  const json one = as_json(r)["contestants"][4];
  CHECK(one["error_of_bound"].is_null());
  CHECK(one["cold"]["p90_us"].is_null());
}

namespace {

// The first place where they differ, but for the last digits of numbers; empty where they do not.
std::string difference(const json& a, const json& b, const std::string& where = "") {
  if (a.is_number() && b.is_number())
    return a.get<double>() == Approx(b.get<double>()).epsilon(1e-12) ? "" : where;
  if (a.type() != b.type() || (a.is_structured() && a.size() != b.size())) return where;
  if (!a.is_structured()) return a == b ? "" : where;
  for (const auto& [name, value] : a.items()) {
    if (a.is_object() && !b.contains(name)) return where + "." + name;
    const json& other = a.is_object() ? b.at(name) : b.at(std::stoul(name));
    if (const std::string found = difference(value, other, where + "." + name); !found.empty()) return found;
  }
  return "";
}

}  // namespace

TEST_CASE("what is read back says the same again") {
  std::vector<example> all = examples();
  for (const format_kind format : all_formats()) {
    // Nothing as it is by default, and in every format only what concerns it.
    recommendation r = normal();
    variant_result& f = r.found.variants[1];
    f.format = format;
    f.note = "another";
    f.options.sell = {8, 64};
    f.options.hyb_width = 7;
    f.options.bsr_block = {3, 2};
    f.options.blocks = {64, block_order::diagonal, 32, true, 16, 9, ecsb_holding::ell};
    f.options.tile = {512, 1024, 8, 32, renumbering::length, 48};
    f.parameters = {{"slots", 12345}};
    r.found.noisy = {"other processes used 0.97 of a core", "others"};
    r.found.clock_seconds = 0.7e-6;
    r.rates = {1e-6, 2e9, 3e9, 4e9, 5e8, 6e8, 7e8, 8e7, 9 << 20, 10};
    r.wanted.prefer_bytes = r.wanted.repeatable = true;
    r.wanted.weights = {3, 1};
    if (format == format_kind::sell) {
      r.wanted.vectors = r.found.vectors = {8, false};
      f.contestants.at(0).info.many_vectors = true;
    }
    all.push_back({name_of(format).c_str(), r});
  }
  for (const example& one : all) {
    INFO(one.what);
    json written = as_json(one.r);
    const recommendation back = read_recommendation(written);
    json again = as_json(back);
    // Features are cut down, and reasons are made of the work of kernels, which a document does not have.
    for (json* const j : {&written, &again}) {
      j->erase("features");
      if ((*j)["verdict"].is_null()) continue;
      for (const char* const words : {"reason", "reasons"}) (*j)["verdict"].erase(words);
    }
    CHECK(difference(written, again) == "");
    CHECK(judged(back).winner.names() == judged(one.r).winner.names());
  }
}

// The documents that recommend_schema_check.py compares with the schema, for whoever starts it.
TEST_CASE("all examples are valid JSON, and are written for the check against the schema") {
  json documents = json::array();
  for (const example& one : examples()) documents.push_back(as_json(one.r));
  const std::string text = documents.dump(1, ' ', false, json::error_handler_t::replace);
  CHECK(json::parse(text).size() == examples().size());
  const char* const folder = std::getenv("SPARSMITH_PAGES");
  if (folder == nullptr) return;
  std::ofstream file(std::string(folder) + "/recommend_examples.json");
  file << text << "\n";
  CHECK(file.good());
}

TEST_CASE("the lines of C++ are those that test_recommend_code is compiled from") {
  // The same as in winner_code.inc, which tells what is to be expected of it.
  recommendation r = normal();
  r.name = "gen:uniform?rows=30&cols=20&density=0.2&seed=1";
  r.machine.backend = "openmp";
  r.found.rows = 30;
  r.found.cols = 20;
  r.found.variants[1].contestants = {line("bsr/max-task", ax, 1), line("bsr/preprocessed", atx, 1)};
  r.found.variants[1].slots = 12000 * 4;
  const std::string code = code_lines(r, judged(r).winner);
  std::ifstream file(SPARSMITH_WINNER_CODE);
  REQUIRE(file.good());
  std::stringstream expected;
  expected << file.rdbuf();
  CHECK(code == expected.str());

  r.machine.backend = "cuda";
  r.found.value_bits = 32;
  r.found.variants[1].offset_bits = 64;
  const std::string on_gpu = code_lines(r, judged(r).winner);
  CHECK(has(on_gpu, "{.where = run_on::gpu, .values = value_width::f32, .wide_offsets = true}"));
  for (const example& one : examples())
    if (const verdict v = judged(one.r); v.winner)
      for (const std::string& text : lines_of(code_lines(one.r, v.winner))) {
        INFO(one.what << ": " << text);
        CHECK(display_width(text) <= 78);
      }
  CHECK(escaped_for_code("a\"b\\c\n1") == "a\\\"b\\\\c\\0121");
}

TEST_CASE("two products that come together: what they take, whether one pass pays, and how to run it") {
  const recommendation one = together(operation::both, 120), two = together(operation::both, 500),
                       level = together(operation::both, 172), squared = together(operation::normal, 120);
  const auto said = [](const recommendation& r, bool all = false) {
    return unbroken(recommendation_as_text(r, judged(r), 80, all));
  };
  CHECK(has(said(one), "asked A x and A^T w, together one application: in one pass or as two products;"));
  CHECK(has(said(one), "Stay in CSR, with csr/vector in one pass: A x and A^T w take 120 us, 1.42 x "));
  CHECK(has(said(one), "the next format, bsr 5 x 5 with bsr/stream in two products."));
  CHECK(has(said(one),
            "Two products are slower: bsr 5 x 5 with bsr/stream in two products take 170 us (A x "
            "80.0 us, A^T x 90.0 us), 1.42 x as long."));
  CHECK(has(said(two),
            "Take bsr 5 x 5 with bsr/stream in two products: A x and A^T w take 170 us (A x 80.0 "
            "us, A^T x 90.0 us), 1.53 x "));
  CHECK(has(said(two), "One pass is slower: csr with csr/vector in one pass takes 500 us, 2.94 x as long."));
  // 2.02 ms less what CSR takes to prepare, over 400 - 170 us.
  CHECK(has(said(two), "which is repaid after 9 applications, beside staying in CSR"));
  CHECK(!has(said(two), " alone"));
  CHECK(has(said(level), "One pass cannot be told apart from that") !=
        has(said(level), "Two products cannot be told apart from that"));
  CHECK(has(said(squared), "A^T (A x) takes 120 us, 1.42 x "));
  // The vendor has no kernel for them: its two products, from one copy and from two.
  CHECK(has(said(one, true),
            "the vendor's best format, one copy: csr with csr/cusparse-alg1 for A x and "
            "csr/cusparse-alg2 for A^T x in two products, 425 us, 0.28 x as fast"));
  CHECK(has(said(one, true),
            "the vendor's best formats, two copies: csr and csr of A^T with "
            "csr/cusparse-alg1 in two products, 209 us, 0.57 x as fast"));
  CHECK(has(said(two, true), "A x and A^T w cold us"));  // the heading of its table

  const auto code = [](const recommendation& r) { return code_lines(r, judged(r).winner); };
  CHECK(has(code(one),
            "m.use_kernel(\"csr/vector\");\n// x and z: 1000 values; w and y: 1000\n"
            "m.multiply_both(1.0, x, w, 0.0, y, z);  // y = A x, z = A^T w: A is read once\n"));
  CHECK(has(code(squared), "m.multiply_normal(1.0, x, 0.0, z);  // z = A^T (A x), A is read once\n"));
  CHECK(has(code(two),
            "m.use_kernel(\"bsr/stream\");\n// x and z: 1000 values; w and y: 1000\n"
            "m.multiply(1.0, x, 0.0, y);  // y = A x\n"
            "m.multiply_transposed(1.0, w, 0.0, z);  // z = A^T w\n"));
  recommendation same = together(operation::normal, 500);  // A equals A^T
  same.found.symmetric = true;
  for (variant_result& f : same.found.variants)
    std::erase_if(f.contestants, [](const contestant_result& k) { return k.op == atx; });
  CHECK(has(code(same),
            "m.use_kernel(\"bsr/stream\");\n// x and z: 1000 values; y, between them: 1000\n"
            "m.multiply(1.0, x, 0.0, y);  // y = A x\n"
            "m.multiply(1.0, y, 0.0, z);  // z = A^T y, which is A^T (A x)\n"));
}

TEST_CASE("two products that come together, as data") {
  const json one = as_json(together(operation::both, 120)), two = as_json(together(operation::normal, 500));
  CHECK(one["request"]["one_pass"] == "both");
  CHECK(one["request"]["mix"] == json{{"ax", 0.5}, {"atx", 0.5}});
  CHECK(one["contestants"][4]["operation"] == "both");
  CHECK(one["contestants"][4]["repeatable"] == true);
  // All four vectors, and the matrix once.
  CHECK(one["contestants"][4]["gb_per_s_actual"] ==
        Approx(static_cast<double>(one["matrix"]["csr_bytes"].get<int>() + 4 * 8000) / 120e3));
  CHECK(one["verdict"]["kernels"] == json{{"ax", nullptr}, {"atx", nullptr}, {"both", "csr/vector"}});
  CHECK(one["verdict"]["us"] == Approx(120.0));
  CHECK(one["verdict"]["in_one_pass"] == true);
  CHECK(one["verdict"]["other_kind"]["us"] == Approx(170.0));
  CHECK(one["verdict"]["vendor"]["one_copy"]["us"] == Approx(425.0));
  CHECK(one["verdict"]["vendor"]["two_copies"]["us"] == Approx(209.0));
  CHECK(two["request"]["one_pass"] == "normal");
  CHECK(two["verdict"]["kernels"] == json{{"ax", "bsr/stream"}, {"atx", "bsr/stream"}, {"normal", nullptr}});
  CHECK(two["verdict"]["in_one_pass"] == false);
  CHECK(two["verdict"]["other_kind"]["kernels"]["normal"] == "csr/vector");
  CHECK(as_json(normal())["request"]["one_pass"].is_null());
  CHECK(as_json(normal())["verdict"]["other_kind"].is_null());

  // Read back they are judged as they were, and what is not known is refused.
  CHECK(judged(read_recommendation(one)).winner.seconds == Approx(120e-6));
  json strange = one;
  strange["request"]["one_pass"] = "cubed";
  CHECK_THROWS_AS(read_recommendation(strange), error);
}

TEST_CASE("a prediction of two products that come together says where the model knows no pass for both") {
  recommendation r = predicted();
  const std::string line = "The model knows no kernel that computes A x and A^T w in one pass";
  CHECK(!has(unbroken(as_text(r)), line));
  r.wanted.one_pass = operation::both;
  CHECK(has(unbroken(as_text(r)), line));
  CHECK(has(unbroken(as_text(r)), "A x and A^T w should take 153 us"));  // 0.9 of 80 and 90
}
