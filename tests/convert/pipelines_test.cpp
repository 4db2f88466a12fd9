// Every pipeline on every matrix of the battery, for the four combinations of types, on OpenMP: against an
// oracle that shares nothing with them, forth and back bit for bit, and the same bytes for any number of
// threads.
#include <algorithm>
#include <map>

#include "convert/convert.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/generators.hpp"
#include "convert/pipelines/structure.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

const openmp on;

template <class Offset, class Value>
csr<Offset, Value, host> assembled(const named_matrix& m) {
  return coo_to_csr<openmp, Offset, Value>(on, as_coo_of<Value>(m), nullptr);
}

template <class Value>
bool same_bits(Value a, Value b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class Offset, class Value>
bool matches_oracle(const csr<Offset, Value, host>& m, const named_matrix& source) {
  const auto cells = oracle<Value>(source);
  if (static_cast<std::int64_t>(cells.size()) != m.values.size()) return false;
  std::int64_t at = 0;
  for (const auto& [place, value] : cells) {
    const auto [row, col] = place;
    if (at < m.row_offsets[row] || at >= m.row_offsets[row + 1]) return false;
    if (m.col_indices[at] != col || !same_bits(m.values[at], value)) return false;
    ++at;
  }
  return true;
}

}  // namespace

TEST_CASE("coo_to_csr agrees with the oracle") {
  for (const auto& source : battery())
    for_each_type([&]<class Offset, class Value>() {
      INFO(source.name << ", offset " << sizeof(Offset) << ", value " << sizeof(Value));
      const auto m = assembled<Offset, Value>(source);
      CHECK(find_invalid(m) == "");
      CHECK(matches_oracle(m, source));
    });
}

TEST_CASE("the order of the entries does not matter where there are no duplicates") {
  for (const auto& source : battery()) {
    auto cells = oracle<double>(source);
    named_matrix sorted{source.name, source.rows, source.cols, {}};
    for (const auto& [place, value] : cells) sorted.entries.push_back({place.first, place.second, value});
    const auto expected = assembled<std::int32_t, double>(sorted);
    auto shuffled = sorted;
    random_source random(9);
    for (std::size_t i = shuffled.entries.size(); i > 1; --i)
      std::swap(shuffled.entries[i - 1], shuffled.entries[random.below(static_cast<std::uint32_t>(i))]);
    auto by_column = sorted;
    std::stable_sort(by_column.entries.begin(), by_column.entries.end(),
                     [](const triplet& a, const triplet& b) { return a.col < b.col; });
    INFO(source.name);
    CHECK(identical(expected, assembled<std::int32_t, double>(shuffled)));
    CHECK(identical(expected, assembled<std::int32_t, double>(by_column)));
  }
}

TEST_CASE("every format is valid and converts back bit for bit") {
  for (const auto& source : battery())
    for_each_type([&]<class Offset, class Value>() {
      const auto m = assembled<Offset, Value>(source);
      for (const format_kind format : formats_for(m)) {
        INFO(source.name << " as " << name_of(format) << ", offset " << sizeof(Offset) << ", value "
                         << sizeof(Value));
        const auto converted =
            from_csr<openmp, Offset, Value>(on, view(m), format, {{32, 1024}, -1, no_limit}, nullptr);
        CHECK(std::visit([](const auto& f) { return find_invalid(f); }, converted) == "");
        CHECK(identical(to_csr<openmp, Offset, Value>(on, converted, nullptr), m));
      }
    });
}

TEST_CASE("what has no mirror images has no half, and what has them stores one triangle") {
  int refused = 0, symmetric = 0, skew = 0;
  for (const auto& source : battery())
    for_each_type([&]<class Offset, class Value>() {
      const auto m = assembled<Offset, Value>(source);
      const int sign = mirror_sign(m);
      INFO(source.name);
      CHECK(find_symmetry(on, view(m), nullptr) == (sign > 0   ? mirror_symmetry::equal
                                                    : sign < 0 ? mirror_symmetry::negated
                                                               : mirror_symmetry::none));
      const auto half = [&] {
        return from_csr<openmp, Offset, Value>(on, view(m), format_kind::csr_half, {}, nullptr);
      };
      if (sign == 0) {
        ++refused;
        try {
          half();
          FAIL_CHECK("is stored as half");
        } catch (const error& problem) {
          CHECK(problem.category() == failure::input);
        }
        return;
      }
      (sign > 0 ? symmetric : skew) += 1;
      const auto stored = std::get<csr_half<Offset, Value, host>>(half());
      CHECK(stored.skew == (sign < 0 ? 1 : 0));
      std::int64_t kept = 0;
      for (std::int32_t row = 0; row < m.rows; ++row)
        for (Offset e = m.row_offsets[row]; e < m.row_offsets[row + 1]; ++e)
          kept += m.col_indices[e] >= row ? 1 : 0;
      CHECK(stored.upper.values.size() == kept);
    });
  CHECK(refused > 40);
  CHECK(symmetric > 40);
  CHECK(skew >= 12);
}

TEST_CASE("one wrong bit of one entry, and there is no half") {
  named_matrix source = mirrored({"", 50, 50, {}});
  for (std::int32_t i = 0; i < 50; ++i) source.entries.push_back({i, (i * 7) % 50, 1.0 + i});
  source = mirrored(source);
  const auto m = assembled<std::int32_t, double>(source);
  REQUIRE(find_symmetry(on, view(m), nullptr) == mirror_symmetry::equal);
  for (std::int64_t e = 0; e < m.values.size(); ++e) {
    auto other = copy_to<host>(m);
    other.values[e] = std::nextafter(m.values[e], 1e9);
    const auto row =
        std::upper_bound(m.row_offsets.begin(), m.row_offsets.end(), e) - m.row_offsets.begin() - 1;
    CHECK(find_symmetry(on, view(other), nullptr) ==
          (m.col_indices[e] == row ? mirror_symmetry::equal : mirror_symmetry::none));
  }
  auto signs = copy_to<host>(m);  // 0 and -0 are equal, and not the same
  for (double& value : signs.values) value = 0.0;
  signs.values[m.row_offsets[2] - 1] = -0.0;
  CHECK(find_symmetry(on, view(signs), nullptr) == mirror_symmetry::none);
}

TEST_CASE("of a negated matrix nothing but zeros may lie on the diagonal") {
  const auto found = [](double on_diagonal) {
    const named_matrix source{"", 3, 3, {{0, 2, 1.5}, {1, 1, on_diagonal}, {2, 0, -1.5}}};
    return find_symmetry(on, view(assembled<std::int32_t, double>(source)), nullptr);
  };
  CHECK(found(0.0) == mirror_symmetry::negated);
  CHECK(found(2.0) == mirror_symmetry::none);
}

TEST_CASE("any format through COO to any other is exact") {
  for (const auto& source : battery()) {
    const auto m = assembled<std::int32_t, double>(source);
    const auto formats = formats_for(m);
    for (const format_kind first : formats)
      for (const format_kind second : formats) {
        const conversion_options loose{{8, 64}, 2, no_limit};
        const auto a = from_csr<openmp, std::int32_t, double>(on, view(m), first, loose, nullptr);
        auto list = csr_to_coo(on, view(to_csr<openmp, std::int32_t, double>(on, a, nullptr)), nullptr);
        const auto again = coo_to_csr<openmp, std::int32_t, double>(on, std::move(list), nullptr);
        const auto b = from_csr<openmp, std::int32_t, double>(on, view(again), second, loose, nullptr);
        INFO(source.name << ": " << name_of(first) << " -> coo -> " << name_of(second));
        CHECK(identical(to_csr<openmp, std::int32_t, double>(on, b, nullptr), m));
      }
  }
}

TEST_CASE("SELL and HYB with other parameters") {
  for (const auto& source : battery()) {
    const auto m = assembled<std::int32_t, float>(source);
    for (const sell_shape shape : {sell_shape{1, 1}, {2, 1}, {4, 6}, {32, 1}, {7, 100000}, {64, 32}}) {
      INFO(source.name << " slice " << shape.slice << " sigma " << shape.sigma);
      const auto s = csr_to_sell(on, view(m), shape, no_limit, nullptr);
      CHECK(find_invalid(s) == "");
      CHECK(identical(sell_to_csr(on, view(s), nullptr), m));
    }
    for (const std::int32_t width : {0, 1, 3, 1000}) {
      INFO(source.name << " width " << width);
      const auto h = csr_to_hyb(on, view(m), width, no_limit, nullptr);
      CHECK(find_invalid(h) == "");
      CHECK(identical(hyb_to_csr<openmp, std::int32_t, float>(on, view(h), nullptr), m));
    }
  }
}

TEST_CASE("DIA with any choice of diagonals") {
  for (const auto& source : battery())
    for_each_type([&]<class Offset, class Value>() {
      const auto m = assembled<Offset, Value>(source);
      std::map<std::int32_t, std::int64_t> counts;
      for (std::int32_t r = 0; r < m.rows; ++r)
        for (Offset e = m.row_offsets[r]; e < m.row_offsets[r + 1]; ++e) ++counts[m.col_indices[e] - r];
      for (const double share : {-1.0, 0.0, 0.02, 0.3, 1.0}) {
        INFO(source.name << " share " << share << ", offset " << sizeof(Offset) << ", value "
                         << sizeof(Value));
        const std::int64_t least = least_on_diagonal(share, m.rows, sizeof(Value));
        std::vector<std::int32_t> expected;
        for (const auto& [offset, count] : counts)
          if (count >= least) expected.push_back(offset);
        if (std::ssize(expected) * m.rows > 1000000) continue;  // nearly all of them fill
        const auto d = csr_to_dia(on, view(m), share, no_limit, nullptr);
        CHECK(find_invalid(d) == "");
        CHECK(identical(dia_to_csr<openmp, Offset, Value>(on, view(d), nullptr), m));
        if (share == 0) CHECK(d.rest_values.size() == 0);
        CHECK(std::vector<std::int32_t>(d.offsets.begin(), d.offsets.end()) == expected);
      }
    });
}

// Work that is diagonals times entries would take a quarter of an hour.
TEST_CASE("a wide matrix with as many diagonals as columns, and a rest") {
  constexpr std::int32_t cols = 2000000;
  constexpr std::int32_t in_first = cols / 2, in_others = cols / 4;
  csr<std::int32_t, double, host> m;
  m.rows = 4;
  m.cols = cols;
  m.row_offsets = array<std::int32_t, host>(5);
  m.col_indices = array<std::int32_t, host>(in_first + 3 * in_others);
  m.values = array<double, host>(in_first + 3 * in_others);
  std::int32_t entries = 0;
  for (std::int32_t row = 0; row < 4; ++row) {
    m.row_offsets[row] = entries;
    for (std::int32_t col = 0; col < cols; ++col)
      if (col % 4 == row || (row == 0 && col % 4 == 2)) {
        m.col_indices[entries] = col;
        m.values[entries++] = 1 + col % 1000;
      }
  }
  m.row_offsets[4] = entries;
  const auto d = csr_to_dia(on, view(m), 0.3, no_limit, nullptr);
  CHECK(d.offsets.size() > cols / 5);
  CHECK(d.rest_values.size() > cols / 5);
  CHECK(identical(dia_to_csr<openmp, std::int32_t, double>(on, view(d), nullptr), m));
}

// More entries than a team counts at once, on few diagonals and on nearly all there are.
TEST_CASE("diagonals of a matrix of many entries") {
  for (const std::string name : {"gen:laplace3d?n=20", "gen:uniform?n=700&density=0.1"}) {
    INFO(name);
    assembly_report report;
    const auto m = assemble<openmp, std::int32_t, double>(on, generate(name), false, report, nullptr);
    std::map<std::int32_t, std::int64_t> counts;
    for (std::int32_t r = 0; r < m.rows; ++r)
      for (std::int32_t e = m.row_offsets[r]; e < m.row_offsets[r + 1]; ++e) ++counts[m.col_indices[e] - r];
    std::map<std::int64_t, std::int64_t> lengths;
    std::vector<diagonal_count> all;
    for (const auto& [offset, count] : counts) {
      ++lengths[count];
      all.push_back({offset, count});
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const diagonal_count& a, const diagonal_count& b) { return a.entries > b.entries; });
    for (const std::size_t wanted : {std::size_t{0}, std::size_t{1}, std::size_t{5}, all.size() + 3}) {
      const diagonal_counts found = count_diagonals(on, pattern_of(m), static_cast<std::int64_t>(wanted));
      std::vector<size_count> expected;
      for (const auto& [size, count] : lengths) expected.push_back({size, count});
      CHECK(found.lengths == expected);
      CHECK(found.fullest ==
            std::vector<diagonal_count>(
                all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, all.size()))));
    }
    for (const double share : {-1.0, 0.0}) {
      const auto d = csr_to_dia(on, view(m), share, no_limit, nullptr);
      CHECK(find_invalid(d) == "");
      CHECK(identical(dia_to_csr<openmp, std::int32_t, double>(on, view(d), nullptr), m));
    }
  }
}

TEST_CASE("the same bytes for any number of threads") {
  for (const auto& source : battery()) {
    set_thread_count(1);
    const auto m = assembled<std::int64_t, double>(source);
    const auto formats = formats_for(m);
    std::vector<any_format<std::int64_t, double, host>> alone;
    for (const format_kind format : formats)
      alone.push_back(
          from_csr<openmp, std::int64_t, double>(on, view(m), format, {{4, 16}, -1, no_limit}, nullptr));
    for (const int threads : {2, 3, 7}) {
      set_thread_count(threads);
      INFO(source.name << ", " << threads << " threads");
      CHECK(identical(assembled<std::int64_t, double>(source), m));
      for (std::size_t f = 0; f < alone.size(); ++f) {
        const auto again =
            from_csr<openmp, std::int64_t, double>(on, view(m), formats[f], {{4, 16}, -1, no_limit}, nullptr);
        const bool same = std::visit(
            [&](const auto& a) { return identical(a, std::get<std::remove_cvref_t<decltype(a)>>(again)); },
            alone[f]);
        CHECK(same);
      }
    }
    set_thread_count(0);
  }
}

TEST_CASE("a large list is sorted as a small one is") {
  // Enough entries for many buckets, several digits and rows of every length; compared with std::stable_sort.
  random_source random(3);
  named_matrix big{"big", 300000, 200000, {}};
  for (int i = 0; i < 600000; ++i) {
    const auto row = static_cast<std::int32_t>(random.below(5) == 0 ? random.below(3) : random.below(300000));
    big.entries.push_back(
        {row, static_cast<std::int32_t>(random.below(row < 3 ? 1000 : 200000)), random.value()});
  }
  const auto m = assembled<std::int32_t, double>(big);
  CHECK(find_invalid(m) == "");
  CHECK(matches_oracle(m, big));
}

TEST_CASE("a long list is sorted whatever its first entries look like") {
  for (const auto& source : long_lists())
    for_each_type([&]<class Offset, class Value>() {
      INFO(source.name << ", offset " << sizeof(Offset) << ", value " << sizeof(Value));
      const auto m = assembled<Offset, Value>(source);
      CHECK(find_invalid(m) == "");
      CHECK(matches_oracle(m, source));
    });
}

TEST_CASE("CSC is the CSR of the transpose, however its columns are filled") {
  // So many of a hundred entries are in 4096 of the columns. Entries of the wide matrices spread too far for
  // any CPU to put them straight to their places: they are parted into buckets of about the same size, or
  // with one so large that all threads share it; where it is too large to be put in order, they go straight
  // after all. Those of the narrow one, and of the wide ones on the way back, go straight.
  struct kind {
    const char* name;
    std::int32_t rows, cols;
    std::uint32_t crowded;
  };
  for (const kind& k : {kind{"even", 3000, 1000000, 0}, kind{"one larger", 3000, 1000000, 8},
                        kind{"one with most", 3000, 1000000, 60}, kind{"narrow", 2000, 200, 0}}) {
    random_source random(11);
    named_matrix matrix{k.name, k.rows, k.cols, {}}, turned{k.name, k.cols, k.rows, {}};
    for (int i = 0; i < 400000; ++i) {
      const auto row = static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(k.rows)));
      const auto col = static_cast<std::int32_t>(
          random.below(random.below(100) < k.crowded ? 4096 : static_cast<std::uint32_t>(k.cols)));
      const double value = random.value();
      matrix.entries.push_back({row, col, value});
      turned.entries.push_back({col, row, value});
    }
    const auto m = assembled<std::int32_t, double>(matrix),
               expected = assembled<std::int32_t, double>(turned);
    for (const int threads : {1, 2, 3}) {
      set_thread_count(threads);
      INFO(k.name << ", " << threads << " threads");
      auto columns = csr_to_csc(on, view(m), nullptr);
      CHECK(identical(csc_to_csr(on, view(columns), nullptr), m));
      const csr<std::int32_t, double, host> as_rows{k.cols, k.rows, std::move(columns.col_offsets),
                                                    std::move(columns.row_indices),
                                                    std::move(columns.values)};
      CHECK(identical(as_rows, expected));
    }
    set_thread_count(0);
  }
}

TEST_CASE("symmetry is expanded, the diagonal once") {
  const named_matrix lower{"lower", 4, 4, {{0, 0, 1}, {1, 0, 2}, {2, 1, 3}, {3, 3, 4}, {3, 0, 5}}};
  for (const bool skew : {false, true}) {
    named_matrix full = lower;
    for (const triplet& t : lower.entries)
      if (t.row != t.col) full.entries.push_back({t.col, t.row, skew ? -t.value : t.value});
    const auto expanded = expand_symmetry(on, as_coo(lower), skew, nullptr);
    CHECK(expanded.values.size() == 8);
    CHECK(
        matches_oracle(coo_to_csr<openmp, std::int32_t, double>(on, copy_to<host>(expanded), nullptr), full));
  }
  CHECK(expand_symmetry(on, as_coo({"empty", 3, 3, {}}), false, nullptr).values.size() == 0);
}

TEST_CASE("narrowing counts what it changes") {
  const named_matrix m{"values",
                       1,
                       6,
                       {{0, 0, 0.5},
                        {0, 1, 0.1},
                        {0, 2, 1e300},
                        {0, 3, std::nan("")},
                        {0, 4, std::numeric_limits<double>::infinity()},
                        {0, 5, 16777217.0}}};
  narrowing result;
  const auto narrow =
      narrow_values(on, coo_to_csr<openmp, std::int32_t, double>(on, as_coo(m), nullptr), &result, nullptr);
  CHECK(result.changed == 3);
  CHECK(result.overflowed == 1);
  CHECK(narrow.values[0] == 0.5f);
  CHECK(narrow.values[1] == 0.1f);
}

TEST_CASE("explicit zeros are kept until they are dropped") {
  for (const auto& source : battery()) {
    const auto m = assembled<std::int32_t, double>(source);
    std::int64_t zeros = 0;
    named_matrix without{source.name, source.rows, source.cols, {}};
    for (const auto& [place, value] : oracle<double>(source)) {
      zeros += value == 0;
      if (value != 0) without.entries.push_back({place.first, place.second, value});
    }
    INFO(source.name);
    CHECK(count_zeros(on, view(m)) == zeros);
    const auto dropped = drop_zeros(on, view(m), nullptr);
    CHECK(find_invalid(dropped) == "");
    CHECK(matches_oracle(dropped, without));
  }
}

TEST_CASE("assembling reports what it did") {
  matrix_entries source;
  source.entries = as_coo({"report", 5, 5, {{0, 0, 1}, {1, 0, 0}, {2, 1, 3}, {2, 1, -3}, {4, 4, 0.1}}});
  source.symmetry = symmetry_kind::symmetric;
  assembly_report report;
  const auto m = assemble<openmp, std::int32_t, float>(on, std::move(source), true, report, nullptr);
  CHECK(report.stored == 5);
  CHECK(report.expanded == 3);
  CHECK(report.duplicates_summed == 2);
  CHECK(report.explicit_zeros == 4);
  CHECK(report.zeros_dropped);
  CHECK(report.narrowed == 1);
  CHECK(m.values.size() == 2);

  // Sums are made before narrowing: two halves of an overflow overflow.
  matrix_entries halves;
  halves.entries = as_coo({"halves", 1, 1, {{0, 0, 2e38}, {0, 0, 2e38}}});
  CHECK_THROWS_AS((assemble<openmp, std::int32_t, float>(on, std::move(halves), false, report, nullptr)),
                  error);
  matrix_entries large;
  large.entries = as_coo({"large", 1, 1, {{0, 0, 1e200}}});
  CHECK_THROWS_AS((assemble<openmp, std::int32_t, float>(on, std::move(large), false, report, nullptr)),
                  error);
}

TEST_CASE("a padded format above the limit is refused before it is built") {
  named_matrix m{"one long row", 1000, 1000, {}};
  for (int i = 0; i < 1000; ++i) m.entries.push_back({0, i, 1});
  const auto c = assembled<std::int32_t, double>(m);
  reset_peak_bytes(place::host);
  const auto before = peak_bytes(place::host);
  CHECK_THROWS_AS(csr_to_ell(on, view(c), 3, nullptr), error);
  CHECK_THROWS_AS(csr_to_sell(on, view(c), {32, 1}, 3, nullptr), error);
  CHECK_THROWS_AS(csr_to_hyb(on, view(c), 1000, 3, nullptr), error);
  CHECK(peak_bytes(place::host) - before < 100000);  // the slots alone would take 12 MB
  CHECK(csr_to_ell(on, view(c), 1000, nullptr).width == 1000);
}

TEST_CASE("stages are recorded") {
  stage_log log;
  const auto m = coo_to_csr<openmp, std::int32_t, double>(on, as_coo(battery()[10]), &log);
  REQUIRE(log.size() == 3);
  CHECK(log[1].name == "sort entries");
  CHECK(log[1].entries == 900);
  CHECK(log[1].seconds >= 0);
  // Of a long list without order the first entries are enough.
  for (const auto& list : long_lists()) {
    log.clear();
    coo_to_csr<openmp, std::int32_t, double>(on, as_coo(list), &log);
    INFO(list.name);
    const auto entries = static_cast<std::int64_t>(list.entries.size());
    REQUIRE(log[0].name == "check order");
    CHECK(log[0].entries == entries);
    CHECK((log[0].bytes < entries * 8) == list.name.starts_with("shuffled"));
  }
}
