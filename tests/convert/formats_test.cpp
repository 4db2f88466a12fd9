// The formats themselves: the worked examples of the reference documents, array for array; bytes, equality,
// and what `find_invalid` finds.
#include <algorithm>
#include <functional>
#include <set>

#include "convert/convert.hpp"
#include "convert/formats/properties.hpp"
#include "convert/formats/validate.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

template <class T>
std::vector<T> as_vector(const array<T, host>& a) {
  return {a.begin(), a.end()};
}

template <class T>
array<T, host> array_of(std::initializer_list<T> values) {
  array<T, host> made(static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), made.begin());
  return made;
}

csr<std::int32_t, double, host> example() {
  for (const auto& m : battery())
    if (m.name == "SPEC 6x6") return coo_to_csr<openmp, std::int32_t, double>({}, as_coo(m), nullptr);
  throw std::logic_error("no example");
}

csr<std::int32_t, double, host> symmetric_example() {
  const named_matrix m = mirrored(
      {"", 6, 6, {{0, 0, 1}, {0, 1, 2}, {0, 4, 3}, {1, 1, 4}, {1, 2, 5}, {2, 3, 6}, {3, 3, 7}, {4, 5, 8}}});
  return coo_to_csr<openmp, std::int32_t, double>({}, as_coo(m), nullptr);
}

template <class Format>
Format converted() {
  return std::get<Format>(from_csr<openmp, std::int32_t, double>({}, view(example()), kind_of<Format>(),
                                                                 {{2, 4}, -1, no_limit}, nullptr));
}

using ints = std::vector<std::int32_t>;
using reals = std::vector<double>;

}  // namespace

TEST_CASE("the 6x6 example in COO and CSR") {
  const auto m = example();
  CHECK(as_vector(m.row_offsets) == ints{0, 4, 7, 8, 10, 10, 12});
  CHECK(as_vector(m.col_indices) == ints{0, 1, 4, 5, 0, 2, 4, 1, 1, 3, 1, 5});
  CHECK(as_vector(m.values) == reals{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto list = converted<coo<double, host>>();
  CHECK(as_vector(list.row_indices) == ints{0, 0, 0, 0, 1, 1, 1, 2, 3, 3, 5, 5});
  CHECK(as_vector(list.col_indices) == ints{0, 1, 4, 5, 0, 2, 4, 1, 1, 3, 1, 5});
}

TEST_CASE("the 6x6 example in CSC") {
  const auto m = converted<csc<std::int32_t, double, host>>();
  CHECK(as_vector(m.col_offsets) == ints{0, 2, 6, 7, 8, 10, 12});
  CHECK(as_vector(m.row_indices) == ints{0, 1, 0, 2, 3, 5, 1, 3, 0, 1, 0, 5});
  CHECK(as_vector(m.values) == reals{1, 5, 2, 8, 9, 11, 6, 10, 3, 7, 4, 12});
}

TEST_CASE("the 6x6 example in ELL, slot by slot") {
  const auto m = converted<ell<double, host>>();
  CHECK(m.width == 4);
  CHECK(as_vector(m.row_lengths) == ints{4, 3, 1, 2, 0, 2});
  // a e h i * k | b f * j * l | c g * * * * | d * * * * *
  CHECK(as_vector(m.values) ==
        reals{1, 5, 8, 9, 0, 11, 2, 6, 0, 10, 0, 12, 3, 7, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0});
  CHECK(as_vector(m.col_indices) ==
        ints{0, 0, 1, 1, 0, 1, 1, 2, 1, 3, 0, 5, 4, 4, 1, 3, 0, 5, 5, 4, 1, 3, 0, 5});
}

TEST_CASE("the 6x6 example in SELL, slices of 2 sorted in windows of 4") {
  const auto m = converted<sell<std::int32_t, double, host>>();
  CHECK(as_vector(m.row_order) == ints{0, 1, 3, 2, 5, 4});
  CHECK(as_vector(m.row_lengths) == ints{4, 3, 2, 1, 2, 0});
  CHECK(as_vector(m.slice_offsets) == ints{0, 8, 12, 16});
  CHECK(as_vector(m.values) == reals{1, 5, 2, 6, 3, 7, 4, 0, 9, 8, 10, 0, 11, 0, 12, 0});
  CHECK(as_vector(m.col_indices) == ints{0, 0, 1, 2, 4, 4, 5, 4, 1, 1, 3, 1, 1, 0, 5, 0});
}

TEST_CASE("the 6x6 example in HYB: four of six rows fill width 2, two fill 3") {
  const auto m = converted<hyb<double, host>>();
  CHECK(m.width == 3);  // rows of 4 and 3 entries are a third of six
  CHECK(as_vector(m.row_lengths) == ints{3, 3, 1, 2, 0, 2});
  CHECK(as_vector(m.rest_row_indices) == ints{0});
  CHECK(as_vector(m.rest_col_indices) == ints{5});
  CHECK(as_vector(m.rest_values) == reals{4});
}

// The example of the reference documents: offsets -1, 0 and 2.
TEST_CASE("a 3x4 example in DIA, slot by slot") {
  csr<std::int32_t, double, host> m;
  m.rows = 3;
  m.cols = 4;
  m.row_offsets = array_of<std::int32_t>({0, 2, 5, 7});
  m.col_indices = array_of<std::int32_t>({0, 2, 0, 1, 3, 1, 2});
  m.values = array_of<double>({1, 5, 2, 3, 6, 4, 7});
  const auto all = csr_to_dia(openmp{}, view(m), 0, no_limit, nullptr);
  CHECK(as_vector(all.offsets) == ints{-1, 0, 2});
  CHECK(as_vector(all.values) == reals{0, 2, 4, 1, 3, 7, 5, 6, 0});
  CHECK(all.rest_values.size() == 0);
  CHECK(all.zero_slots.size() == 0);
  CHECK(bytes(all) == 3 * 4 + 9 * 8);
  CHECK(slots(all) == 9);

  // Full ones only: what is on the others is the rest, by row and column.
  const auto full = csr_to_dia(openmp{}, view(m), 1, no_limit, nullptr);
  CHECK(as_vector(full.offsets) == ints{0});
  CHECK(as_vector(full.values) == reals{1, 3, 7});
  CHECK(as_vector(full.rest_row_indices) == ints{0, 1, 1, 2});
  CHECK(as_vector(full.rest_col_indices) == ints{2, 0, 3, 1});
  CHECK(as_vector(full.rest_values) == reals{5, 2, 6, 4});
  CHECK(slots(full) == 3 + 4);
  for (const auto* made : {&all, &full}) {
    CHECK(find_invalid(*made) == "");
    CHECK(identical(dia_to_csr<openmp, std::int32_t, double>(openmp{}, view(*made), nullptr), m));
  }
}

TEST_CASE("DIA lists stored zeros by slot, and tells them from fill") {
  csr<std::int32_t, double, host> m;
  m.rows = 3;
  m.cols = 4;
  m.row_offsets = array_of<std::int32_t>({0, 2, 4, 6});
  m.col_indices = array_of<std::int32_t>({0, 1, 0, 1, 2, 3});
  m.values = array_of<double>({-0.0, 0, 0, 3, 0, 7});
  const auto all = csr_to_dia(openmp{}, view(m), 0, no_limit, nullptr);
  CHECK(as_vector(all.offsets) == ints{-1, 0, 1});
  CHECK(as_vector(all.zero_slots) == std::vector<std::int64_t>{1, 3, 5, 6});
  CHECK(std::signbit(all.values[3]));
  // Zeros of the rest need no list.
  const auto full = csr_to_dia(openmp{}, view(m), 1, no_limit, nullptr);
  CHECK(as_vector(full.zero_slots) == std::vector<std::int64_t>{0, 2});
  CHECK(as_vector(full.rest_values) == reals{0, 0, 7});
  for (const auto* made : {&all, &full}) {
    CHECK(find_invalid(*made) == "");
    CHECK(identical(dia_to_csr<openmp, std::int32_t, double>(openmp{}, view(*made), nullptr), m));
  }
}

TEST_CASE("which diagonals DIA stores") {
  // 12 rows: the main diagonal full, the one above it with 4 entries, the one below with 6.
  named_matrix m{"three diagonals", 12, 12, {}};
  for (int i = 0; i < 12; ++i) m.entries.push_back({i, i, 1.0});
  for (int i = 0; i < 4; ++i) m.entries.push_back({i, i + 1, 2.0});
  for (int i = 0; i < 6; ++i) m.entries.push_back({i + 1, i, 3.0});
  const auto stored = [&]<class Value>(Value, double share) {
    const auto matrix = coo_to_csr<openmp, std::int32_t, double>({}, as_coo(m), nullptr);
    csr<std::int32_t, Value, host> typed;
    typed.rows = typed.cols = 12;
    typed.row_offsets = copy_to<host>(matrix.row_offsets, place::host);
    typed.col_indices = copy_to<host>(matrix.col_indices, place::host);
    typed.values = array<Value, host>(matrix.values.size());
    std::copy(matrix.values.begin(), matrix.values.end(), typed.values.begin());
    return as_vector(csr_to_dia(openmp{}, view(typed), share, no_limit, nullptr).offsets);
  };
  // By bytes: 12 values of 8 bytes are as much as 6 entries of the rest, 12 of 4 bytes as much as 4.
  CHECK(stored(double{}, -1) == ints{-1, 0});
  CHECK(stored(float{}, -1) == ints{-1, 0, 1});
  CHECK(stored(float{}, 0.5) == ints{-1, 0});
  CHECK(stored(float{}, 0.51) == ints{0});
  CHECK(stored(double{}, 1) == ints{0});
  CHECK(stored(double{}, 0) == ints{-1, 0, 1});
}

TEST_CASE("bytes follow from the arrays") {
  CHECK(bytes(example()) == 12 * 12 + 7 * 4);
  CHECK(bytes(converted<coo<double, host>>()) == 12 * 16);
  CHECK(bytes(converted<ell<double, host>>()) == 24 * 12 + 6 * 4);
  CHECK(bytes(converted<sell<std::int32_t, double, host>>()) == 16 * 12 + 2 * 6 * 4 + 4 * 4);
}

TEST_CASE("identical means bit for bit") {
  auto a = example();
  const auto b = example();
  CHECK(identical(a, b));
  a.values[3] = 0.0;
  auto c = copy_to<host>(a);
  CHECK(identical(a, c));
  c.values[3] = -0.0;
  CHECK_FALSE(identical(a, c));
  c = copy_to<host>(a);
  a.values[3] = std::nan("");
  CHECK_FALSE(identical(a, c));
  CHECK(identical(a, copy_to<host>(a)));
  c = copy_to<host>(a);
  c.cols = 7;
  CHECK_FALSE(identical(a, c));
}

// Breaks a valid matrix in one place and expects to be told.
template <class Format>
void expect_found(const std::string& expected, const std::function<void(Format&)>& damage) {
  auto m = converted<Format>();
  REQUIRE(find_invalid(m).empty());
  damage(m);
  const std::string found = find_invalid(m);
  INFO("found: " << found << ", expected: " << expected);
  CHECK(found.find(expected) != std::string::npos);
}

TEST_CASE("find_invalid names what is wrong") {
  using csr_t = csr<std::int32_t, double, host>;
  expect_found<csr_t>("row_offsets falls at 2", [](auto& m) { m.row_offsets[2] = 1; });
  expect_found<csr_t>("row_offsets[0]", [](auto& m) { m.row_offsets[0] = 1; });
  expect_found<csr_t>("row_offsets ends at 11", [](auto& m) { m.row_offsets[6] = 11; });
  expect_found<csr_t>("outside 0..5", [](auto& m) { m.col_indices[3] = 6; });
  expect_found<csr_t>("outside 0..5", [](auto& m) { m.col_indices[0] = -1; });
  expect_found<csr_t>("does not rise", [](auto& m) { m.col_indices[1] = 0; });
  expect_found<csr_t>("instead of 12", [](auto& m) { m.col_indices = array<std::int32_t, host>(3); });
  expect_found<csr_t>("negative", [](auto& m) { m.rows = -1; });
  using csc_t = csc<std::int32_t, double, host>;
  expect_found<csc_t>("col_offsets falls", [](auto& m) { m.col_offsets[3] = 1; });
  expect_found<csc_t>("row_indices[1]", [](auto& m) { m.row_indices[1] = 0; });
  using coo_t = coo<double, host>;
  expect_found<coo_t>("entry 1", [](auto& m) { m.col_indices[1] = 0; });
  expect_found<coo_t>("row_indices[11]", [](auto& m) { m.row_indices[11] = 6; });
  using ell_t = ell<double, host>;
  expect_found<ell_t>("padding slot 22 has a value", [](auto& m) { m.values[22] = 1; });
  expect_found<ell_t>("padding slot 8 has column 3", [](auto& m) { m.col_indices[8] = 3; });
  expect_found<ell_t>("row 0 has length 5", [](auto& m) { m.row_lengths[0] = 5; });
  expect_found<ell_t>("row 0 has length -1", [](auto& m) { m.row_lengths[0] = -1; });
  expect_found<ell_t>("elements instead of 6", [](auto& m) { m.row_lengths = array<std::int32_t, host>(2); });
  using sell_t = sell<std::int32_t, double, host>;
  expect_found<sell_t>("occurs twice", [](auto& m) { m.row_order[1] = 0; });
  expect_found<sell_t>("left its window", [](auto& m) { std::swap(m.row_order[0], m.row_order[5]); });
  expect_found<sell_t>("falling length", [](auto& m) {
    std::swap(m.row_order[2], m.row_order[3]);
    std::swap(m.row_lengths[2], m.row_lengths[3]);
  });
  expect_found<sell_t>("slots instead of", [](auto& m) { m.slice_offsets[1] = 6; });
  expect_found<sell_t>("padding slot 7", [](auto& m) { m.values[7] = 2; });
  using hyb_t = hyb<double, host>;
  expect_found<hyb_t>("before its ELL part is full", [](auto& m) { m.rest_row_indices[0] = 4; });
  expect_found<hyb_t>("before its ELL part is full", [](auto& m) {  // by one slot
    const auto* const row = std::find(m.row_lengths.begin(), m.row_lengths.end(), m.width - 1);
    REQUIRE(row != m.row_lengths.end());
    m.rest_row_indices[0] = static_cast<std::int32_t>(row - m.row_lengths.begin());
  });
  expect_found<hyb_t>("does not come after the ELL part", [](auto& m) { m.rest_col_indices[0] = 4; });
  using dia_t = dia<double, host>;  // the main diagonal, 1 0 0 10 0 12, and a rest of 9
  const auto zeros = [](std::initializer_list<std::int64_t> slots) { return array_of<std::int64_t>(slots); };
  for (const std::int32_t outside : {-6, 6})
    expect_found<dia_t>("is of a diagonal outside", [=](auto& m) { m.offsets[0] = outside; });
  for (const std::int32_t second : {-2, -3})
    expect_found<dia_t>("offsets[1] = " + std::to_string(second) + " does not rise", [=](auto& m) {
      m.offsets = array_of<std::int32_t>({-2, second});
      m.values = array<double, host>(12);
      std::fill(m.values.begin(), m.values.end(), 0.0);
    });
  expect_found<dia_t>("values has 6 elements instead of 0", [](auto& m) { m.offsets = {}; });
  expect_found<dia_t>("slot 5 has a value outside", [](auto& m) { m.offsets[0] = 1; });
  expect_found<dia_t>("slot 0 has a value outside", [](auto& m) { m.offsets[0] = -1; });
  expect_found<dia_t>("slot 5 has a value outside", [&](auto& m) {
    m.offsets[0] = 1;
    m.values[5] = 0;
    m.zero_slots = zeros({5});
  });
  expect_found<dia_t>("zero_slots names slot 3", [&](auto& m) { m.zero_slots = zeros({1, 3}); });
  expect_found<dia_t>("zero_slots[1] is out of order", [&](auto& m) { m.zero_slots = zeros({2, 1}); });
  expect_found<dia_t>("zero_slots[0] is out of order", [&](auto& m) { m.zero_slots = zeros({6}); });
  expect_found<dia_t>("entry 1 does not come after", [](auto& m) { m.rest_col_indices[1] = 0; });
  expect_found<dia_t>("col_indices[8] = 6 is outside", [](auto& m) { m.rest_col_indices[8] = 6; });
  expect_found<dia_t>("row_indices has", [](auto& m) { m.rest_row_indices = {}; });
  expect_found<dia_t>("rest entry 8 lies on a diagonal that is stored",
                      [](auto& m) { m.rest_col_indices[8] = 5; });
}

TEST_CASE("find_invalid names what is wrong with half of a matrix") {
  const auto m = symmetric_example();
  const auto check = [&]<class Half>(const std::string& expected, Half*, auto damage) {
    auto made = std::get<Half>(from_csr<openmp, std::int32_t, double>(
        {}, view(m), kind_of<Half>(),
        {.max_fill = no_limit, .bsr_block = {2, 2}, .tile = {.rest_below = 0}, .dia_share = 0.5}, nullptr));
    REQUIRE(find_invalid(made) == "");
    damage(made);
    INFO("found: " << find_invalid(made));
    CHECK(find_invalid(made).find(expected) != std::string::npos);
  };
  csr_half<std::int32_t, double, host>* const rows = nullptr;
  dia_half<double, host>* const diagonals = nullptr;
  bsr_half<std::int32_t, double, host>* const blocks = nullptr;
  gcsb_tile_half<std::int32_t, double, host>* const tiles = nullptr;
  for (const std::int32_t skew : {-1, 2})
    check("is neither 0 nor 1", rows, [=](auto& half) { half.skew = skew; });
  check("not square", rows, [](auto& half) { half.upper.cols = 7; });
  check("the entry at (3, 2) lies below the diagonal", rows,
        [](auto& half) { half.upper.col_indices[6] = 2; });
  check("row_offsets", rows, [](auto& half) { half.upper.row_offsets[1] = 9; });
  check("row 0 of a skew-symmetric matrix has a value on the diagonal", rows,
        [](auto& half) { half.skew = 1; });
  // The main diagonal and the one above it; (0, 4) is the rest.
  // Without an entry it would do harm as well: kernels take the first diagonal for the main one or one above.
  check("the diagonal -1 lies below the main one", diagonals, [](auto& half) {
    half.upper.offsets = array_of<std::int32_t>({-1, 1});
    for (std::int64_t row = 0; row < half.upper.rows; ++row) half.upper.values[row] = 0;
  });
  check("the entry at (5, 4) lies below the diagonal", diagonals, [](auto& half) {
    half.upper.rest_row_indices[0] = 5;
    half.upper.rest_col_indices[0] = 4;
  });
  check("row 0 of a skew-symmetric matrix has a value", diagonals, [](auto& half) { half.skew = 1; });
  check("the entry at (1, 0) lies below the diagonal", blocks, [](auto& half) { half.upper.values[2] = 1; });
  check("the entry at (1, 0) lies below the diagonal", blocks,
        [](auto& half) { half.upper.zero_slots = array_of<std::int64_t>({2}); });
  check("row 1 of a skew-symmetric matrix has a value", blocks, [](auto& half) {
    half.skew = 1;
    half.upper.values[0] = 0;
  });
  check("row 0 of a skew-symmetric matrix has a value", tiles, [](auto& half) { half.skew = 1; });
  check("half of a matrix in tiles is renumbered", tiles, [&](auto& half) {
    tile_options options;
    options.renumber = renumbering::length;
    half.upper = csr_to_gcsb_tile(openmp{}, view(m), options, no_limit, nullptr);
  });
  for (const std::int32_t rest_below : {0, 1000})
    check("lies below the diagonal", tiles, [&](auto& half) {
      tile_options options;
      options.rest_below = rest_below;
      half.upper = csr_to_gcsb_tile(openmp{}, view(m), options, no_limit, nullptr);
    });
}

// Four block rows times this width are 2^64 slots, which 64 bits would hold as none.
TEST_CASE("sizes whose product wraps around are found") {
  ecsb<std::int32_t, double, host> m;
  m.rows = m.cols = 8;
  m.beta = 2;
  m.holding = static_cast<std::int32_t>(ecsb_holding::ell);
  m.width = std::int64_t{1} << 62;
  m.block_row_offsets = array<std::int32_t, host>(5);
  std::fill(m.block_row_offsets.begin(), m.block_row_offsets.end(), 0);
  CHECK(find_invalid(m) == "the sizes do not fit 64 bits");
  m.width = 0;
  CHECK(find_invalid(m) == "");
  // Without rows any width has no slots, and yet nobody could read it back.
  m.rows = 0;
  m.block_row_offsets = array<std::int32_t, host>(1);
  m.block_row_offsets[0] = 0;
  m.holding = static_cast<std::int32_t>(ecsb_holding::hybrid);
  CHECK(find_invalid(m) == "");
  m.width = std::int64_t{1} << 62;
  CHECK(find_invalid(m).find("is more than the 0 entries of the longest block row") != std::string::npos);
}

TEST_CASE("no two formats are equally simple, or have the same colour") {
  std::set<int> ranks, hues;
  for (const format_kind format : all_formats()) {
    INFO(name_of(format));
    const format_properties& properties = properties_of(format);
    CHECK(ranks.insert(properties.complexity).second);
    CHECK(properties.hue.has_value() == (format != format_kind::csr));
    if (const auto hue = properties.hue) {
      CHECK((*hue >= 0 && *hue < 360));
      CHECK(hues.insert(*hue).second);
    }
  }
  CHECK_THROWS_AS(properties_of(static_cast<format_kind>(99)), error);
}

TEST_CASE("what a conversion decided, settled in its options, makes the same matrix again") {
  for (const format_kind format : all_formats()) {
    INFO(name_of(format));
    const auto m = whole_of(format) ? symmetric_example() : example();
    const conversion_options given{.max_fill = no_limit};
    const auto made = from_csr<openmp, std::int32_t, double>({}, view(m), format, given, nullptr);
    const format_parameters sizes = summary_of(made).parameters;
    const conversion_options options = settled(format, given, sizes);
    const auto again = from_csr<openmp, std::int32_t, double>({}, view(m), format, options, nullptr);
    std::visit(
        [&](const auto& first) {
          CHECK(identical(first, std::get<std::remove_cvref_t<decltype(first)>>(again)));
        },
        made);
    // Sizes that a choice decided are known by the names that the choices have.
    const format_properties& properties = properties_of(format);
    std::set<std::string> names, flags;
    for (const format_parameter& parameter : properties.parameters) {
      INFO(parameter.name);
      CHECK(names.insert(parameter.name).second);
      const parameter_value chosen = parameter.chosen(options);
      for (const auto& [name, size] : sizes)
        if (const auto* const number = std::get_if<std::int64_t>(&chosen);
            number != nullptr && name == parameter.name)
          CHECK(*number == size);
    }
    for (const format_setting& setting : properties.settings) {
      INFO(setting.flag);
      CHECK(flags.insert(setting.flag).second);
      CHECK(std::ranges::count(formats_with(setting.flag), format) == 1);
    }
    // DIA's sizes are those of its arrays, which tell nothing before they are there.
    if (whole_of(format).value_or(format) != format_kind::dia)
      CHECK((properties.words_of_matrix == nullptr) == (properties.words_of_price == nullptr));
    if (properties.words_of_matrix != nullptr) CHECK_FALSE(properties.words_of_matrix(sizes).empty());
  }
  CHECK(formats_with("--max-fill").empty());
  CHECK(has_offsets(format_kind::csr));
  CHECK_FALSE(has_offsets(format_kind::ell));
}

TEST_CASE("arrays of impossible sizes are refused") {
  const auto category_of = [](std::int64_t size) {
    try {
      const array<double, host> made(size);
    } catch (const error& e) {
      return e.category();
    }
    return failure::usage;
  };
  CHECK(category_of(-1) == failure::resources);
  CHECK(category_of(std::int64_t{1} << 62) == failure::resources);
  CHECK(category_of(std::numeric_limits<std::int64_t>::min()) == failure::resources);
  CHECK(array<double, host>(0).data() == nullptr);
}
