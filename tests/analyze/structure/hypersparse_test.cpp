// Matrices with far more rows and columns than entries: what is found from the rows that have entries against
// what is found from CSR, and what an analysis of such a matrix takes.
#include "analyze/structure/hypersparse.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <functional>
#include <nlohmann/json.hpp>

#include "analyze/report/json.hpp"
#include "analyze/structure/features.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/tools/process.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

matrix_entries entries_of(const named_matrix& m, symmetry_kind symmetry) {
  matrix_entries source;
  source.entries = as_coo(m);
  source.symmetry = symmetry;
  return source;
}

// Entries on and beside the borders of blocks, at all four corners and in the middle.
named_matrix clusters(std::int32_t rows, std::int32_t cols) {
  named_matrix m{fmt::format("clusters in {} x {}", rows, cols), rows, cols, {}};
  random_source random(5);
  for (const std::int32_t row : {0, 255, rows / 2 / 256 * 256 - 2, rows - 6})
    for (const std::int32_t col : {0, 14, cols / 2 / 256 * 256 - 3, cols - 5})
      for (std::int32_t r = row; r < row + 6; ++r)
        for (std::int32_t c = col; c < col + 5; ++c)
          if (random.below(4) > 0) m.entries.push_back({r, c, random.value()});
  return m;
}

named_matrix mirrored(std::int32_t n) {
  named_matrix m{"partly symmetric", n, n, {}};
  random_source random(6);
  for (int i = 0; i < 300; ++i) {
    const auto row = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(n)));
    const auto col = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(n)));
    const double value = random.value();
    m.entries.push_back({row, col, value});
    if (i % 4 != 0) m.entries.push_back({col, row, i % 4 == 1 ? value : i % 4 == 2 ? -value : value + 1});
    if (i % 5 == 0) m.entries.push_back({row, row, value});
  }
  return m;
}

// Many entries in few rows: tiles that are worth storing, lanes and columns of very different lengths.
named_matrix crowded(std::int32_t rows, std::int32_t cols) {
  named_matrix m{"crowded", rows, cols, {}};
  random_source random(7);
  for (int i = 0; i < 6000; ++i)
    m.entries.push_back({static_cast<std::int32_t>(random.below(random.below(90) + 1)) * (rows / 100),
                         static_cast<std::int32_t>(random.below(random.below(700) + 1)) * (cols / 3000),
                         random.value()});
  return m;
}

std::vector<named_matrix> hypersparse_matrices() {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::int32_t n = 110000;
  return {
      {"no entries", n, n, {}},
      {"first corner", n, n, {{0, 0, 1}}},
      {"upper right corner", n, n, {{0, n - 1, 1}}},
      {"lower left corner", n, n, {{n - 1, 0, 0}}},
      {"last corner", n, n, {{n - 1, n - 1, -3}}},
      {"one place", n, 17, {{1000, 3, 1}, {1000, 3, 2}, {1000, 3, -3}}},
      {"not finite", n, n, {{9, 8, std::nan("")}, {8, 9, std::nan("")}, {7, 3, infinity}, {3, 7, -infinity}}},
      random_matrix("scattered", n, n, 700, 1),
      random_matrix("scattered, not square", n, n + 1, 700, 2),
      random_matrix("wide", 9, 400000, 600, 3),
      random_matrix("tall", 400000, 9, 600, 4),
      clusters(n, n),
      clusters(n, 5000),
      clusters(3000, 2 * n),
      mirrored(n),
      mirrored(700),
      crowded(n, n)};
}

// All of a price: JSON has only what reports show.
std::string described(const format_cost& c) {
  const auto& b = c.options.blocks;
  const auto& t = c.options.tile;
  return fmt::format(
      "{} bytes {} slots {} fill {} peak {} {}{}{}{}{} width {} rest {} blocks {} hyb {} dia {} bsr {}x{} "
      "beta {} "
      "index {} holding {} tile {}x{} index {} renumber {} problem '{}'",
      name_of(c.format), c.bytes, c.slots, c.fill, c.peak_bytes, c.wide_offsets, c.allowed, c.exact,
      c.chosen_block, c.renumbered, c.width, c.rest, c.blocks, c.options.hyb_width, c.options.dia_share,
      c.options.bsr_block.rows, c.options.bsr_block.cols, b.beta, b.index_bits,
      b.holding ? static_cast<int>(*b.holding) : -1, t.height, t.width, t.index_bits,
      static_cast<int>(t.renumber), c.problem);
}

void check_same_prices(const std::vector<format_cost>& found, const std::vector<format_cost>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(described(found[i]) == described(expected[i]));
}

std::vector<plan_request> plans() {
  plan_request usual;
  usual.half = false;  // which CSR alone has
  std::vector<plan_request> all = {usual};
  const auto add = [&](const std::function<void(plan_request&)>& change) {
    plan_request plan = usual;
    plan.tile = false;  // which takes CSR longer than all others
    change(plan);
    all.push_back(plan);
  };
  for (const sell_shape& shape :
       {sell_shape{32, 1}, sell_shape{5, 12}, sell_shape{32, 8}, sell_shape{7, 3}, sell_shape{1, 100000}})
    add([&](plan_request& p) { p.options.sell = shape; });
  add([](plan_request& p) {
    p.betas = {2, 8, 512, 4096};
    p.blocks = {{1, 1}, {3, 7}, {64, 1}, {2, 2}};
    p.chosen_block = block_size{5, 6};
    p.options.hyb_width = 2;
    p.options.dia_share = 0;
    p.options.max_fill = 100;
  });
  add([](plan_request& p) {
    p.options.blocks.window = 5;
    p.options.blocks.group_size = 3;
  });
  add([](plan_request& p) {
    p.options.blocks.thesis = true;
    p.options.dia_share = 0.0001;
  });
  add([](plan_request& p) { p.blocks = {}, p.betas = {}; });
  add([](plan_request& p) { p.options.blocks.holding = ecsb_holding::hybrid; });
  for (const renumbering numbers : {renumbering::length, renumbering::none})
    for (const std::int32_t rest_below : {1, 64})
      add([&](plan_request& p) {
        p.tile = true;
        p.options.tile.renumber = numbers;
        p.options.tile.rest_below = rest_below;
        p.options.tile.group_size = rest_below == 1 ? 8 : 32;
        if (rest_below == 1) p.options.tile.height = p.options.tile.width = 512;
      });
  return all;
}

template <class Offset, class Value>
void compare(const named_matrix& m, symmetry_kind symmetry) {
  INFO(m.name << ", symmetry " << static_cast<int>(symmetry) << ", offset " << sizeof(Offset) << ", value "
              << sizeof(Value));
  assembly_report report;
  const auto compressed =
      assemble<openmp, Offset, Value>(openmp{}, entries_of(m, symmetry), false, report, nullptr);
  assembly_report other_report;
  const auto filled =
      assemble_hypersparse<Offset, Value>(entries_of(m, symmetry), false, other_report, nullptr);
  const bool same_report = other_report == report;
  CHECK(same_report);
  CHECK(filled.row_numbers.size() == filled.filled.rows);
  feature_request plain, other;
  plain.plan.half = other.plan.half = false;  // which CSR alone has
  plain.plan.tile = true;
  other.blocks = {{1, 1}, {3, 7}, {8, 4}, {64, 1}, {1, 1000}, {1000, 1000}, {3, 7}};
  other.grid_rows = 7;
  other.grid_cols = 5000;
  other.longest = 3;
  for (const feature_request& request : {plain, other}) {
    const matrix_features expected = features_of(openmp{}, view(compressed), request, nullptr);
    const matrix_features found = features_of(openmp{}, filled, request, nullptr);
    const auto expected_json = to_json(expected), found_json = to_json(found);
    std::string differences;
    for (const auto& difference : nlohmann::ordered_json::diff(expected_json, found_json))
      if (differences.size() < 1000) differences += difference.dump() + "\n";
    INFO(differences);
    const bool same = expected_json.dump() == found_json.dump();  // texts that long are not for printing
    CHECK(same);
    const bool same_grid = found.grid.counts == expected.grid.counts;  // finer than that of JSON
    CHECK(same_grid);
    CHECK(found.longest_rows == expected.longest_rows);
    check_same_prices(found.formats, expected.formats);
  }
}

template <class Offset, class Value>
void compare_plans(const named_matrix& m) {
  INFO(m.name << ", offset " << sizeof(Offset) << ", value " << sizeof(Value));
  for (const bool drop_zeros : {false, true}) {
    assembly_report report, other_report;
    const auto compressed = assemble<openmp, Offset, Value>(openmp{}, entries_of(m, symmetry_kind::general),
                                                            drop_zeros, report, nullptr);
    if (drop_zeros && !report.zeros_dropped) continue;
    const auto filled = assemble_hypersparse<Offset, Value>(entries_of(m, symmetry_kind::general), drop_zeros,
                                                            other_report, nullptr);
    for (const plan_request& plan : plans())
      check_same_prices(plan_formats(openmp{}, filled, plan), plan_formats(openmp{}, view(compressed), plan));
    if (drop_zeros) {
      feature_request usual;
      usual.plan.half = false;  // which CSR alone has
      const bool same = to_json(features_of(openmp{}, filled, usual, nullptr)) ==
                        to_json(features_of(openmp{}, view(compressed), usual, nullptr));
      CHECK(same);
    }
  }
}

}  // namespace

TEST_CASE("features from the rows that have entries equal those from CSR") {
  for (const named_matrix& m : battery()) compare<std::int32_t, double>(m, symmetry_kind::general);
  for (const named_matrix& m : hypersparse_matrices())
    compare<std::int32_t, double>(m, symmetry_kind::general);
}

TEST_CASE("the same of symmetric and skew-symmetric matrices, and with all types") {
  named_matrix lower{"lower triangle", 200000, 200000, {}};
  random_source random(8);
  for (int i = 0; i < 400; ++i) {
    const auto row = static_cast<std::int32_t>(random.below(200000));
    const auto col = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(row) + 1));
    lower.entries.push_back({row, col, random.value()});
    if (i % 3 == 0) lower.entries.push_back({row, row, 0});
  }
  for_each_type([&]<class Offset, class Value>() {
    for (const symmetry_kind symmetry : {symmetry_kind::symmetric, symmetry_kind::skew_symmetric}) {
      compare<Offset, Value>(lower, symmetry);
      compare<Offset, Value>(mirrored(200000), symmetry);  // both triangles, which is said
    }
  });
}

TEST_CASE("prices from the rows that have entries equal those from CSR with all options") {
  for (const named_matrix& m : battery()) compare_plans<std::int32_t, double>(m);
  for (const named_matrix& m : hypersparse_matrices()) compare_plans<std::int64_t, float>(m);
}

TEST_CASE("any number of threads finds the same") {
  const int all_threads = thread_count();
  assembly_report report;
  const auto filled = assemble_hypersparse<std::int32_t, double>(
      entries_of(random_matrix("scattered", 1 << 30, 1 << 30, 20000, 9), symmetry_kind::general), false,
      report, nullptr);
  const auto found = [&](int threads) {
    set_thread_count(threads);
    return to_json(features_of(openmp{}, filled, {}, nullptr)).dump();
  };
  const bool same = found(1) == found(3);
  set_thread_count(all_threads);
  CHECK(same);
}

TEST_CASE("no price of the largest matrices is more than 64 bits hold") {
  const std::int32_t most = std::numeric_limits<std::int32_t>::max();
  named_matrix m = random_matrix("scattered", most, most, 1000, 10);
  for (int i = 0; i < 5000; ++i) m.entries.push_back({most - 1, i * 3, 0});
  assembly_report report;
  const auto filled = assemble_hypersparse<std::int64_t, double>(entries_of(m, symmetry_kind::general), false,
                                                                 report, nullptr);
  auto requests = plans();
  for (const std::int32_t window : {0, 7}) {
    plan_request large = requests[0];
    large.betas = {2, 4, 8};
    large.options.blocks.thesis = window == 0;
    large.options.blocks.window = window;
    large.options.hyb_width = most;
    large.options.sell = {most, most};
    requests.push_back(large);
  }
  int impossible = 0;
  for (const plan_request& plan : requests)
    for (const format_cost& cost : plan_formats(openmp{}, filled, plan)) {
      INFO(described(cost));
      CHECK(cost.bytes >= 0);
      CHECK(cost.slots >= 0);
      CHECK(cost.peak_bytes >= cost.bytes);
      if (cost.possible())
        CHECK(cost.slots >= filled.filled.values.size());
      else
        ++impossible;
    }
  // HYB of that width, twice; CSB, eCSB and GCSB with beta 2 and 4, where empty blocks are stored.
  CHECK(impossible == 8);
}

TEST_CASE("which matrices are taken for hypersparse") {
  CHECK(is_hypersparse(2147483647, 2147483647, 0));
  CHECK(is_hypersparse(100000000, 100000000, 1));
  CHECK(is_hypersparse(2147483647, 1, 1000000));
  CHECK_FALSE(is_hypersparse(0, 0, 0));
  CHECK_FALSE(is_hypersparse(500000, 500000, 0));
  CHECK_FALSE(is_hypersparse(100000000, 100000000, 100000000));
}

namespace {

// Largest of all children so far, and the processor time of all of them.
rusage used_by_children() {
  rusage used{};
  REQUIRE(::getrusage(RUSAGE_CHILDREN, &used) == 0);
  return used;
}
double processor_seconds(const rusage& used) {
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

std::int64_t groups(std::int64_t count, std::int64_t size) {
  return (count + size - 1) / size;
}

// n x n with entries of rows k * step, 17 columns right of the diagonal.
std::string market(std::int64_t n, std::int64_t entries) {
  std::string text = fmt::format("%%MatrixMarket matrix coordinate real general\n{0} {0} {1}\n", n, entries);
  for (std::int64_t k = 0; k < entries; ++k)
    text += fmt::format("{} {} {}\n", k * (n / entries - 1) + 1, k * (n / entries - 1) + 18, k + 1);
  return text;
}

}  // namespace

// AddressSanitizer takes some of both for itself.
#ifdef __SANITIZE_ADDRESS__
constexpr double most_seconds = 20;
constexpr long most_kibibytes = 2 << 20;
#else
constexpr double most_seconds = 1;
constexpr long most_kibibytes = 200 << 10;
#endif

TEST_CASE("spanalyze takes time and memory for the entries, not for the rows") {
  const std::string tool = from_environment("SPARSMITH_SPANALYZE");
  const temporary_folder folder("hypersparse");
  for (const std::int64_t n : {std::int64_t{100000000}, std::int64_t{2147483647}})
    for (const std::int64_t entries : {1, 1000}) {
      INFO(entries << " entries in " << n << " rows and columns");
      const std::string file = folder / fmt::format("{}_{}.mtx", n, entries);
      std::ofstream(file) << market(n, entries);
      for (const std::string& options :
           {std::string("--json"), std::string("--json --tile --blocks 2,3x5,1024"), std::string("--csv"),
            fmt::format("--rows --cols --png '{0}.png' --svg '{0}.svg' --html '{0}.html'", file)}) {
        INFO(options);
        const double before = processor_seconds(used_by_children());
        const outcome done =
            run_command(fmt::format("'{}' '{}' --quiet --threads 2 {}", tool, file, options), folder / "run");
        INFO(done.err);
        REQUIRE(done.status == 0);
        const rusage used = used_by_children();
        CHECK(processor_seconds(used) - before < most_seconds);
        CHECK(used.ru_maxrss < most_kibibytes);
        if (options != "--json") continue;

        const auto j = nlohmann::json::parse(done.out);
        CHECK(j["rows"] == n);
        CHECK(j["cols"] == n);
        CHECK(j["entries"] == entries);
        CHECK(j["row_lengths"]["empty"] == n - entries);
        CHECK(j["col_lengths"]["distribution"] == nlohmann::json({{0, n - entries}, {1, entries}}));
        CHECK(j["longest_rows"][0]["row"] == 0);
        CHECK(j["structure"]["upper_bandwidth"] == 17);
        CHECK(j["structure"]["lower_bandwidth"] == 0);
        CHECK(j["structure"]["profile"] == 0);
        CHECK(j["structure"]["diagonals"] == 1);
        CHECK(j["structure"]["full_diagonals"] == 0);
        CHECK(j["fullest_diagonals"] ==
              nlohmann::json::array({{{"offset", 17},
                                      {"entries", entries},
                                      {"fill", static_cast<double>(entries) / static_cast<double>(n)}}}));
        CHECK(j["structure"]["x_lines"] == entries);
        CHECK(j["symmetry"]["pattern"] == 0);
        CHECK(j["blocks"][0]["blocks"] == entries);
        std::int64_t in_grid = 0;
        for (const std::int64_t count : j["grid"]["counts"]) in_grid += count;
        CHECK(in_grid == entries);
        const auto bytes_of = [&](const char* format) -> std::int64_t {
          for (const auto& cost : j["formats"])
            if (cost["format"] == format) return cost["bytes"];
          return -1;
        };
        CHECK(bytes_of("coo") == entries * 16);
        CHECK(bytes_of("csr") == entries * 12 + (n + 1) * 4);
        CHECK(bytes_of("csc") == entries * 12 + (n + 1) * 4);
        CHECK(bytes_of("ell") == n * 16);
        CHECK(bytes_of("sell") == entries * 32 * 12 + n * 8 + (groups(n, 32) + 1) * 4);
        CHECK(bytes_of("hyb") == entries * 16 + n * 4);
        CHECK(bytes_of("dia") == entries * 16);
        CHECK(bytes_of("bsr") == entries * (4 * 8 + 4) + (groups(n, 2) + 1) * 4);
        // Blocks of 8 x 8 have more positions than 32 bits count.
        CHECK(bytes_of("csb") == entries * 10 + (entries * 2 + 1) * 8);
        CHECK(bytes_of("ecsb") == entries * (10 + 8) + (groups(n, 8) + 1) * 8);
        CHECK(bytes_of("gcsb") ==
              groups(entries, 32) * 32 * 10 + entries * 8 + (groups(entries, 32) + 1) * 8);
      }
    }
}
