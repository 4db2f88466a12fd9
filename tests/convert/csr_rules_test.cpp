// What tells CSR from arrays that are none.
#include "convert/pipelines/csr_rules.hpp"

#include <vector>

#include "tests/catch.hpp"

using namespace sparsmith;

// A GPU asks every entry, and a thread of a CPU every row; here all are asked.
TEST_CASE("arrays that are no CSR are noticed, by rows and by entries") {
  using offsets = std::vector<std::int32_t>;
  const auto rules_of = [](std::int64_t cols, const offsets& starts, const offsets& columns) {
    return csr_rules<std::int32_t>{static_cast<std::int64_t>(starts.size()) - 1, cols,
                                   static_cast<std::int64_t>(columns.size()), starts.data(), columns.data()};
  };
  const auto offsets_rise = [&](const offsets& starts, const offsets& columns) {
    const auto m = rules_of(9, starts, columns);
    bool all = true;
    for (std::int64_t i = 0; i <= m.rows; ++i) all = all && offset_rises<std::int32_t>{m}(i);
    return all;
  };
  CHECK(offsets_rise({0}, {}));
  CHECK(offsets_rise({0, 0, 2, 2}, {0, 1}));
  CHECK_FALSE(offsets_rise({1}, {}));
  CHECK_FALSE(offsets_rise({0, 1}, {0, 1}));
  CHECK_FALSE(offsets_rise({0, 3}, {0, 1}));
  CHECK_FALSE(offsets_rise({1, 2}, {0, 1}));
  CHECK_FALSE(offsets_rise({0, 2, 1, 2}, {0, 1}));
  const auto columns_rise = [&](std::int64_t cols, const offsets& starts, const offsets& columns) {
    const auto m = rules_of(cols, starts, columns);
    bool rows = true, entries = true;
    for (std::int64_t r = 0; r < m.rows; ++r) rows = rows && columns_of_row_rise<std::int32_t>{m}(r);
    for (std::int64_t e = 0; e < m.entries; ++e) entries = entries && column_rises<std::int32_t>{m}(e);
    CHECK(rows == entries);
    const bool said = is_csr(openmp{}, csr_pattern<std::int32_t, host>{static_cast<std::int32_t>(m.rows),
                                                                       static_cast<std::int32_t>(cols),
                                                                       {starts.data(), m.rows + 1},
                                                                       {columns.data(), m.entries}});
    CHECK(rows == said);
    return rows;
  };
  CHECK(columns_rise(4, {0, 2, 2, 4}, {1, 3, 0, 1}));
  CHECK(columns_rise(4, {0, 0, 2, 2, 3, 3}, {1, 3, 3}));  // beside empty rows, and as the row before ends
  CHECK_FALSE(columns_rise(4, {0, 2, 2, 4}, {3, 1, 0, 1}));
  CHECK_FALSE(columns_rise(4, {0, 2, 2, 4}, {1, 1, 0, 1}));
  CHECK_FALSE(columns_rise(4, {0, 2, 2, 4}, {1, 3, 0, 4}));
  CHECK_FALSE(columns_rise(4, {0, 2, 2, 4}, {-1, 3, 0, 1}));
  CHECK_FALSE(columns_rise(4, {0, 0, 3, 3}, {1, 3, 3}));
}
