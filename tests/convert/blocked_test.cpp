// The blocked formats: the worked examples of the reference documents array for array, what `find_invalid`
// finds, and round trips over shapes, block sizes, orders and index widths.
#include <functional>

#include "convert/convert.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/generators.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

const openmp on;
using matrix = csr<std::int32_t, double, host>;
using ints = std::vector<std::int32_t>;
using words = std::vector<std::uint32_t>;

template <class T>
std::vector<T> as_vector(const array<T, host>& a) {
  return {a.begin(), a.end()};
}

matrix assembled(const named_matrix& m) {
  return coo_to_csr<openmp, std::int32_t, double>(on, as_coo(m), nullptr);
}

matrix example_6x6() {
  for (const auto& m : battery())
    if (m.name == "SPEC 6x6") return assembled(m);
  throw std::logic_error("no example");
}

// The 8x8 example, from its blocks in row-major order: letters are values 1.., combined indices are binary.
matrix example_8x8() {
  const std::vector<std::vector<int>> blocks = {
      {0, 1, 2, 3}, {2, 3},       {0, 1, 2}, {0, 1, 3}, {1, 3}, {3}, {},        {},
      {},           {0, 1, 2, 3}, {},        {0, 3},    {1},    {1}, {0, 2, 3}, {}};
  // Letters follow the matrix row by row.
  named_matrix m{"SPEC 8x8", 8, 8, {}};
  for (int b = 0; b < 16; ++b)
    for (const int index : blocks[static_cast<std::size_t>(b)])
      m.entries.push_back({b / 4 * 2 + index / 2, b % 4 * 2 + index % 2, 0});
  std::sort(m.entries.begin(), m.entries.end(), [](const triplet& a, const triplet& b) {
    return std::pair(a.row, a.col) < std::pair(b.row, b.col);
  });
  double letter = 1;
  for (triplet& t : m.entries) t.value = letter++;
  return assembled(m);
}

std::vector<double> letters(const std::string& text) {
  std::vector<double> values;
  for (const char c : text)
    if (c != ' ' && c != '|') values.push_back(c == '*' ? 0 : c - 'a' + 1);
  return values;
}

block_options thesis(std::int32_t beta, std::int32_t group = 32) {
  block_options options;
  options.beta = beta;
  options.group_size = group;
  options.thesis = true;
  return options;
}

}  // namespace

TEST_CASE("CSB of the 6x6 example, thesis layout") {
  const auto m = csr_to_csb(on, view(example_6x6()), thesis(2), nullptr);
  CHECK(as_vector(m.values) == letters("a b e | f | c d g | h i | j | | k | | l"));
  CHECK(as_vector(m.combined32) == words{0, 1, 2, 2, 0, 1, 2, 1, 3, 3, 3, 3});
  CHECK(as_vector(m.block_offsets) == ints{0, 3, 4, 7, 9, 10, 10, 11, 11, 12});
  CHECK(find_invalid(m) == "");
}

TEST_CASE("CSB of the 8x8 example, thesis layout") {
  const auto m = csr_to_csb(on, view(example_8x8()), thesis(2), nullptr);
  CHECK(as_vector(m.values) ==
        letters("a b g h | i j | c d k | e f l | m n | o | | | | p q s t | | r u | v | w | x y z |"));
  CHECK(as_vector(m.combined32) ==
        words{0, 1, 2, 3, 2, 3, 0, 1, 2, 0, 1, 3, 1, 3, 3, 0, 1, 2, 3, 0, 3, 1, 1, 0, 2, 3});
  CHECK(as_vector(m.block_offsets) == ints{0, 4, 6, 9, 12, 14, 15, 15, 15, 15, 19, 19, 21, 22, 23, 26, 26});
}

TEST_CASE("eCSB of the 6x6 example") {
  block_options options;
  options.beta = 2;
  options.holding = ecsb_holding::coo;
  const auto m = csr_to_ecsb(on, view(example_6x6()), options, no_limit, nullptr);
  CHECK(as_vector(m.rest_block_indices) == ints{0, 0, 0, 1, 2, 2, 2, 3, 3, 4, 6, 8});
  CHECK(as_vector(m.block_row_offsets) == ints{0, 7, 10, 12});
  CHECK(as_vector(m.rest_values) == letters("a b e f c d g h i j k l"));
  options.holding = ecsb_holding::ell;
  const auto e = csr_to_ecsb(on, view(example_6x6()), options, no_limit, nullptr);
  CHECK(e.width == 7);
  CHECK(e.rest_values.size() == 0);
  CHECK(as_vector(e.ell_values) == letters("a h k b i l e j * f * * c * * d * * g * *"));
  options.holding = ecsb_holding::hybrid;
  const auto h = csr_to_ecsb(on, view(example_6x6()), options, no_limit, nullptr);
  CHECK(h.width == 7);  // one block row of three is a third
}

TEST_CASE("GCSB of the 8x8 example, thesis layout") {
  const auto m = csr_to_gcsb(on, view(example_8x8()), thesis(2, 4), no_limit, nullptr);
  CHECK(as_vector(m.block_indices) == ints{0, 9, 2, 3, 14, 1, 4, 11, 5, 12, 13, 6, 7, 8, 10, 15});
  CHECK(as_vector(m.group_offsets) == ints{0, 16, 28, 32, 32});
  CHECK(as_vector(m.values) ==
        letters("a p c e b q d f g s k l h t * * | x i m r y j n u z * * * | o v w * |"));
  // Padding repeats the last index of its block; the lane of an empty block has 0.
  CHECK(as_vector(m.combined32) == words{0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 2, 3,
                                         0, 2, 1, 0, 2, 3, 3, 3, 3, 3, 3, 3, 3, 1, 1, 0});
  CHECK(m.filled_blocks == 11);
  CHECK(find_invalid(m) == "");
}

TEST_CASE("GCSB stores no empty block by default") {
  block_options options = thesis(2, 4);
  options.thesis = false;
  const auto m = csr_to_gcsb(on, view(example_8x8()), options, no_limit, nullptr);
  CHECK(as_vector(m.block_indices) == ints{0, 9, 2, 3, 14, 1, 4, 11, 5, 12, 13});
  CHECK(as_vector(m.group_offsets) == ints{0, 16, 28, 32});
  CHECK(m.combined16.size() == 32);
  CHECK(m.combined32.size() == 0);
}

TEST_CASE("BSR by hand, rectangular blocks, padded edges, stored zeros") {
  const named_matrix source{"bsr", 5, 7, {{0, 0, 1}, {1, 2, 2}, {1, 3, 0}, {4, 6, 3}, {3, 0, -0.0}}};
  const auto m = csr_to_bsr(on, view(assembled(source)), {2, 3}, no_limit, nullptr);
  CHECK(as_vector(m.row_offsets) == ints{0, 2, 3, 4});
  CHECK(as_vector(m.col_indices) == ints{0, 1, 0, 2});
  CHECK(as_vector(m.values) ==
        std::vector<double>{1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0});
  CHECK(as_vector(m.zero_slots) == std::vector<std::int64_t>{9, 15});
  CHECK(identical(bsr_to_csr(on, view(m), nullptr), assembled(source)));
}

TEST_CASE("memory of the ideal matrix against CSR, as the thesis reports it") {
  // Table 4.7's ratios for beta 128..8; a stored entry takes 8 bytes there, as in the thesis layout with
  // floats.
  const std::pair<int, double> gcsb_ratios[] = {
      {128, 0.9995}, {64, 1.0034}, {32, 1.0093}, {16, 1.0387}, {8, 1.1558}};
  const std::pair<int, double> csb_ratios[] = {
      {128, 0.9994}, {64, 1.0012}, {32, 1.0084}, {16, 1.0372}, {8, 1.1526}};
  for (std::size_t i = 0; i < 5; ++i) {
    const int beta = gcsb_ratios[i].first;
    assembly_report report;
    const auto m = assemble<openmp, std::int32_t, float>(
        on, generate("gen:ideal?n=8192&beta=" + std::to_string(beta)), false, report, nullptr);
    const auto base = static_cast<double>(bytes(m));
    const auto g = csr_to_gcsb(on, view(m), thesis(beta), no_limit, nullptr);
    const auto c = csr_to_csb(on, view(m), thesis(beta), nullptr);
    INFO("beta " << beta);
    CHECK(std::abs(static_cast<double>(bytes(g)) / base / gcsb_ratios[i].second - 1) < 0.005);
    CHECK(std::abs(static_cast<double>(bytes(c)) / base / csb_ratios[i].second - 1) < 0.005);
    CHECK(g.values.size() == m.values.size());  // no padding at all
  }
}

TEST_CASE("memory of a uniform matrix at 0.5 % density") {
  assembly_report report;
  const auto m = assemble<openmp, std::int32_t, float>(on, generate("gen:uniform?n=8192&density=0.005"),
                                                       false, report, nullptr);
  const auto g = csr_to_gcsb(on, view(m), thesis(32), no_limit, nullptr);
  const double ratio = static_cast<double>(bytes(g)) / static_cast<double>(bytes(m));
  INFO("ratio " << ratio);
  CHECK(std::abs(ratio - 1.09) < 0.03);
}

TEST_CASE("every block side, order and index width converts back, and widths agree") {
  for (const auto& source : battery()) {
    const auto m = assembled(source);
    for (const int beta : {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096})
      for (const auto order : {block_order::morton, block_order::row, block_order::diagonal}) {
        block_options options;
        options.beta = beta;
        options.order = order;
        options.group_size = beta % 3 + 4;
        INFO(source.name << ", beta " << beta << ", order " << static_cast<int>(order));
        const auto c = csr_to_csb(on, view(m), options, nullptr);
        CHECK(find_invalid(c) == "");
        CHECK(identical(csb_to_csr(on, view(c), nullptr), m));
        const auto g = csr_to_gcsb(on, view(m), options, no_limit, nullptr);
        CHECK(find_invalid(g) == "");
        CHECK(identical(gcsb_to_csr(on, view(g), nullptr), m));
        if (beta > 256) continue;
        options.index_bits = 32;
        const auto wide = csr_to_gcsb(on, view(m), options, no_limit, nullptr);
        CHECK(as_vector(wide.combined32) == words(g.combined16.begin(), g.combined16.end()));
        CHECK(as_vector(wide.block_indices) == as_vector(g.block_indices));
      }
  }
}

TEST_CASE("group sizes, windows, thesis layout and eCSB's holdings convert back") {
  for (const auto& source : battery()) {
    const auto m = assembled(source);
    for (const int beta : {2, 16, 64}) {
      block_options options;
      options.beta = beta;
      for (const int group : {1, 2, 7, 32, 100})
        for (const int window : {0, 1, 10, 64}) {
          options.group_size = group;
          options.window = window;
          INFO(source.name << ", beta " << beta << ", group " << group << ", window " << window);
          const auto g = csr_to_gcsb(on, view(m), options, no_limit, nullptr);
          CHECK(find_invalid(g) == "");
          CHECK(identical(gcsb_to_csr(on, view(g), nullptr), m));
        }
      for (const auto holding : {ecsb_holding::coo, ecsb_holding::ell, ecsb_holding::hybrid}) {
        options.holding = holding;
        const auto e = csr_to_ecsb(on, view(m), options, no_limit, nullptr);
        INFO(source.name << ", beta " << beta << ", holding " << static_cast<int>(holding));
        CHECK(find_invalid(e) == "");
        CHECK(identical(ecsb_to_csr(on, view(e), nullptr), m));
      }
      if (beta == 2 && source.rows > 1000) continue;  // a billion empty blocks
      const auto t = csr_to_gcsb(on, view(m), thesis(beta, 4), no_limit, nullptr);
      INFO(source.name << ", beta " << beta << ", thesis");
      CHECK(find_invalid(t) == "");
      CHECK(identical(gcsb_to_csr(on, view(t), nullptr), m));
      const auto c = csr_to_csb(on, view(m), thesis(beta), nullptr);
      CHECK(find_invalid(c) == "");
      CHECK(identical(csb_to_csr(on, view(c), nullptr), m));
    }
  }
}

TEST_CASE("BSR of many shapes converts back") {
  for (const auto& source : battery()) {
    const auto m = assembled(source);
    for (const auto& [rows, cols] :
         {std::pair(1, 1), std::pair(2, 2), std::pair(3, 5), std::pair(4, 4), std::pair(7, 1),
          std::pair(1, 64), std::pair(64, 3), std::pair(64, 64)}) {
      INFO(source.name << ", " << rows << " x " << cols);
      const auto b = csr_to_bsr(on, view(m), {rows, cols}, no_limit, nullptr);
      CHECK(find_invalid(b) == "");
      CHECK(identical(bsr_to_csr(on, view(b), nullptr), m));
    }
  }
}

TEST_CASE("BSR of so many block rows that threads take thousands at once converts back") {
  const std::int32_t n = 600'000;
  named_matrix source{"scattered", n, n, {}};
  for (std::int32_t i = 0; i < n; ++i)
    source.entries.push_back({i, static_cast<std::int32_t>(i * std::int64_t{7919} % n), 1. + i});
  const auto m = assembled(source);
  const auto b = csr_to_bsr(on, view(m), {4, 4}, no_limit, nullptr);
  CHECK(b.col_indices.size() == n);  // each entry in a block of its own
  CHECK(find_invalid(b) == "");
  CHECK(identical(bsr_to_csr(on, view(b), nullptr), m));
}

TEST_CASE("blocks far apart take memory by the entry, not by the possible block") {
  random_source random(5);
  named_matrix m{"hypersparse", 10'000'000, 10'000'000, {}};
  for (int i = 0; i < 200'000; ++i)
    m.entries.push_back({static_cast<std::int32_t>(random.below(10'000'000)),
                         static_cast<std::int32_t>(random.below(10'000'000)), random.value()});
  const auto c = coo_to_csr<openmp, std::int64_t, double>(on, as_coo(m), nullptr);
  block_options options;
  options.beta = 16;
  reset_peak_bytes(place::host);
  const auto before = peak_bytes(place::host);
  const auto g = csr_to_gcsb(on, view(c), options, no_limit, nullptr);
  CHECK(peak_bytes(place::host) - before < 60'000'000);  // 390 billion possible blocks
  CHECK(find_invalid(g) == "");
  CHECK(identical(gcsb_to_csr(on, view(g), nullptr), c));
}

// Breaks a valid matrix in one place and expects to be told.
template <class Format>
void expect_found(const Format& valid, const std::string& expected,
                  const std::function<void(Format&)>& damage) {
  REQUIRE(find_invalid(valid).empty());
  auto m = copy_to<host>(valid);
  damage(m);
  const std::string found = find_invalid(m);
  INFO("found: " << found << ", expected: " << expected);
  CHECK(found.find(expected) != std::string::npos);
}

TEST_CASE("find_invalid names what is wrong with blocks") {
  const auto b = csr_to_bsr(on, view(example_6x6()), {2, 2}, no_limit, nullptr);
  using bsr_t = std::remove_cvref_t<decltype(b)>;
  expect_found<bsr_t>(b, "does not rise", [](auto& m) { m.col_indices[1] = 0; });
  expect_found<bsr_t>(b, "row_offsets falls", [](auto& m) { m.row_offsets[1] = 9; });
  expect_found<bsr_t>(b, "outside 0..2", [](auto& m) { m.col_indices[2] = 3; });
  expect_found<bsr_t>(b, "holds no entry",
                      [](auto& m) { std::fill(m.values.begin(), m.values.begin() + 4, 0.0); });
  expect_found<bsr_t>(b, "zero_slots", [](auto& m) {
    m.zero_slots = array<std::int64_t, host>(1);
    m.zero_slots[0] = 0;
  });
  expect_found<bsr_t>(b, "zero_slots[0] is out of order or out of range", [](auto& m) {
    m.zero_slots = array<std::int64_t, host>(1);
    m.zero_slots[0] = 1000;
  });
  expect_found<bsr_t>(b, "the block shape 65 x 2 is outside", [](auto& m) { m.block_rows = 65; });
  expect_found<bsr_t>(b, "the block shape 2 x 65 is outside", [](auto& m) { m.block_cols = 65; });
  const auto c = csr_to_csb(on, view(example_8x8()), {2}, nullptr);
  using csb_t = std::remove_cvref_t<decltype(c)>;
  expect_found<csb_t>(c, "block 0 is empty", [](auto& m) { m.block_offsets[1] = 0; });
  expect_found<csb_t>(c, "out of order", [](auto& m) { std::swap(m.combined16[0], m.combined16[1]); });
  expect_found<csb_t>(c, "outside its block", [](auto& m) { m.combined16[25] = 4; });
  expect_found<csb_t>(c, "block_offsets falls", [](auto& m) { m.block_offsets[2] = 1; });
  expect_found<csb_t>(c, "block_indices[3]", [](auto& m) { m.block_indices[3] = 99; });
  block_options options;
  options.beta = 2;
  options.group_size = 4;
  const auto g = csr_to_gcsb(on, view(example_8x8()), options, no_limit, nullptr);
  using gcsb_t = std::remove_cvref_t<decltype(g)>;
  expect_found<gcsb_t>(g, "padding slot 14 has a value", [](auto& m) { m.values[14] = 1; });
  expect_found<gcsb_t>(g, "out of order", [](auto& m) { std::swap(m.combined16[0], m.combined16[4]); });
  expect_found<gcsb_t>(g, "falling count",
                       [](auto& m) { std::swap(m.block_indices[0], m.block_indices[1]); });
  expect_found<gcsb_t>(g, "group_offsets", [](auto& m) { m.group_offsets[1] = 40; });
  expect_found<gcsb_t>(g, "outside its block", [](auto& m) { m.combined16[28] = 7; });
  options.holding = ecsb_holding::hybrid;
  const auto e = csr_to_ecsb(on, view(example_8x8()), options, no_limit, nullptr);
  using ecsb_t = std::remove_cvref_t<decltype(e)>;
  expect_found<ecsb_t>(e, "outside block row", [](auto& m) { m.ell_block_indices[0] = 15; });
  expect_found<ecsb_t>(e, "block_row_offsets", [](auto& m) { m.block_row_offsets[1] = 99; });
  options.holding = ecsb_holding::coo;
  const auto list = csr_to_ecsb(on, view(example_8x8()), options, no_limit, nullptr);
  expect_found<ecsb_t>(list, "entry 1 of block row 0 is out of order", [](auto& m) {  // the first once more
    m.rest_block_indices[1] = m.rest_block_indices[0];
    m.rest_combined16[1] = m.rest_combined16[0];
  });
  options.holding = ecsb_holding::ell;
  const auto padded = csr_to_ecsb(on, view(example_8x8()), options, no_limit, nullptr);
  expect_found<ecsb_t>(padded, "instead of", [](auto& m) {
    const std::int64_t block_rows = m.block_row_offsets.size() - 1;
    std::int64_t shorter = 0;
    while (m.block_row_offsets[shorter + 1] - m.block_row_offsets[shorter] == m.width) ++shorter;
    REQUIRE(shorter < block_rows);
    ++m.ell_block_indices[(m.width - 1) * block_rows + shorter];
  });
}
