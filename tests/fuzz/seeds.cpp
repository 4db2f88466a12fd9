// Where fuzzing starts: small examples of everything that is read, made by our writers where they can make
// them and by hand where others write differently. Each should reach lines that no other does.
#include <fmt/format.h>
#include <hdf5.h>
#include <zlib.h>
#if SPARSMITH_ARCHIVES
#include <archive.h>
#include <archive_entry.h>
#endif

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "convert/convert.hpp"
#include "convert/io/binsparse.hpp"
#include "convert/io/container.hpp"
#include "convert/io/matrix_names.hpp"
#include "convert/io/npz.hpp"
#include "tests/fuzz/resign.hpp"
#include "tests/tools/batch/made_lines.hpp"

namespace sparsmith::fuzz {
namespace {

namespace fs = std::filesystem;

template <class T>
std::string raw(const std::vector<T>& list, bool swapped = false) {
  std::string bytes;
  for (T value : list) {
    std::string one(reinterpret_cast<const char*>(&value), sizeof value);
    if (swapped) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

// ---- matrices ----

template <class Offset, class Value>
csr<Offset, Value, host> compressed(std::int32_t rows, std::int32_t cols,
                                    const std::vector<std::array<int, 3>>& list) {
  matrix_entries source;
  source.entries = entries_of(rows, cols, list);
  assembly_report report;
  return assemble<openmp, Offset, Value>(openmp{}, std::move(source), false, report, nullptr);
}

// Something of everything that formats tell apart: long and short rows, empty ones, full blocks, a stored
// zero.
std::vector<std::array<int, 3>> uneven_entries(int size) {
  std::vector<std::array<int, 3>> list;
  for (int i = 0; i < size; ++i) {
    if (i % 5 != 3) list.push_back({i, i, 2});
    if (i % 3 == 0) list.push_back({i, (i * 7 + 2) % size, i % 2 == 0 ? 2 : 0});
    if (i > 0) list.push_back({1, i, 2});
  }
  return list;
}

template <class Offset, class Value, class Use>
void each_format(Use use) {
  struct example {
    const char* name;
    csr<Offset, Value, host> matrix;
  };
  example examples[] = {
      {"empty", compressed<Offset, Value>(0, 0, {})},
      {"hollow", compressed<Offset, Value>(3, 2, {})},
      {"small", compressed<Offset, Value>(5, 4, {{0, 1, 2}, {0, 3, 2}, {2, 0, 0}, {2, 1, 2}, {3, 3, 2}})},
      {"uneven", compressed<Offset, Value>(13, 13, uneven_entries(13))},
      {"symmetric",
       compressed<Offset, Value>(
           5, 5, {{0, 0, 2}, {0, 3, 2}, {1, 2, 0}, {2, 1, 0}, {2, 4, 2}, {3, 0, 2}, {4, 2, 2}})}};
  for (const example& one : examples)
    for (const format_kind format : all_formats())
      for (const int variant : {0, 1, 2}) {
        conversion_options options;
        options.max_fill = 1000;
        if (variant > 0) {
          options.sell = {4, variant == 1 ? 1 : 8};
          options.hyb_width = variant;
          options.dia_share = variant == 1 ? 0 : 0.5;
          options.bsr_block = {2, variant == 1 ? 3 : 1};
          options.blocks.beta = variant == 1 ? 4 : 2;
          options.blocks.order = variant == 1 ? block_order::row : block_order::diagonal;
          options.blocks.thesis = variant == 1;
          options.blocks.group_size = 4;
          options.blocks.window = variant == 1 ? 0 : 2;
          options.blocks.holding = variant == 1 ? ecsb_holding::hybrid : ecsb_holding::coo;
          options.tile = {.height = 256,
                          .width = 256,
                          .group_size = variant == 1 ? 2 : 8,
                          .index_bits = 0,
                          .renumber = variant == 1 ? renumbering::length : renumbering::none,
                          .rest_below = variant == 1 ? 1 : 64};
        }
        try {
          use(fmt::format("{}-{}-{}", name_of(format), one.name, variant), format,
              from_csr<openmp, Offset, Value>(openmp{}, view(one.matrix), format, options, nullptr));
        } catch (const error& refused) {
          // No entries bear no padding, and what is not symmetric has no half.
          if (refused.category() != failure::resources &&
              !(refused.category() == failure::input && whole_of(format)))
            throw;
        }
      }
}

// ---- texts ----

const std::vector<std::string>& matrix_texts() {
  static const std::vector<std::string> texts = {
      "%%MatrixMarket matrix coordinate real general\n% a comment\n\n3 4 4\n1 1 1.5\n2 4 -2e-3\n3 3 1\n1 1 "
      "1\n",
      "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n1 1\n3 2\n4 4\n",
      "%%MatrixMarket matrix coordinate integer skew-symmetric\n3 3 2\n2 1 9007199254740993\n3 1 -1\n",
      "%%MatrixMarket matrix array real general\n2 3\n1\n0\n-0\n2.5\n1e300\n7\n",
      "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n",
      "%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n",
      "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 1 -1\n",
      "%%MatrixMarket matrix array complex general\n1 2\n1 0\n0 0\n",
      "%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2.5 -3\n0 0\n",
      "%%MatrixMarket matrix coordinate complex skew-symmetric\n3 3 2\n2 1 1e300 -0\n3 1 0 nan\n",
      "%%MatrixMarket matrix coordinate complex general\n2 3 3\n1 1 1 2\n1 1 -1 1\n2 3 inf -2e-5\n",
      "%%MatrixMarket matrix coordinate complex symmetric\r\n2 2 1\r\n2 1 1 2\r\n",
      "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 nan\n1 2 inf\n2 2 -Infinity\n",
      "%%MatrixMarket matrix coordinate real general\n2147483647 2147483647 1\n2147483647 1 1\n",
      "%%MatrixMarket matrix coordinate real general\n% c\n%%c\n 2\t2 2 \n\n% in between\n1 1 1\n%x\n2 2 2\n",
      "%%MatrixMarket vector coordinate real general\n3 1\n2 1.5\n",
      "%%MatrixMarket vector array real general\n3\n1\n2\n3\n",
      "%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
      "%%matrixmarket MATRIX Coordinate Double General\n1 1 1\n1 1 4e-320\n",
      "%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 18446744073709551615\n",
      "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1 5\n2 2 1\n",
      "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 +5\n",
      "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 1 +-5\n",
      "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 1\n",
      "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n",
      "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 1.5\n",
      "%%MatrixMarket matrix array real general\n2 2\n1 2\n3 4\n",
      "%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n",
      "%%MatrixMarket matrix coordinate real general\n5 5 99999999999999999999\n1 1 1\n",
      "\xef\xbb\xbf%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n",
      "1 1 1\n",
      ""};
  return texts;
}

const std::vector<std::string>& boeing_texts() {
  static const std::string title =
      "a title                                                                 |key\n";
  static const std::string pointers = "  1  3  4  4  6\n", rows = " 1 3 2\n 1 2\n";
  static const std::string lower_pointers = "  1  3  5  6  6\n", lower_rows = " 1 3 2\n 4 3\n";
  static const std::vector<std::string> texts = {
      title + " 6 1 2 3\nrua 3 4 5 0\n(8I3) (3I2) (2E12.4)\n" + pointers + rows +
          "  1.0000E+00 -2.5000E+00\n  3.0000D-01  4.0000E+00\n  5.0000E+00\n",
      title + " 6 1 2 3 1\nRUA 3 4 5 1\n(8I3) (3I2) (1P,2D12.4) (2D12.4)\nF 1 0\n" + pointers + rows +
          "  1.0000D 00  2.5000+120\n      -0.0         nan\n         inf\n 1.5\n",
      title + "3 1 2 0\npsa 4 4 5 0\n(8I3) (3I2)\n" + lower_pointers + lower_rows,
      title + "3 1 2 1\nira 3 4 5\n(8I3) (3I2) (5I20)\n" + pointers + rows +
          "                   1                  -2    9007199254740993                  +7                  "
          " 0\n",
      title + "6 1 2 3\nrza 4 4 5 0\n(8I3) (3I2) (2F12.4)\n" + lower_pointers + " 2 3 3\n 4 4\n" +
          "1. 2.\n3. 4.\n5.\n",
      title + "8 1 2 5\ncha 4 4 5 0\n(8I3) (3I2) (2G12.4E3)\n" + lower_pointers + lower_rows +
          "1. 2.\n3. 4.\n5. 0.\n0. 0.\n1. 1.\n",
      title + "3 1 1 0\npua 9999 2 4 0\n(3I1) (4I4)\n135\n1000999900019998\n",
      title + "1 1 0 0\nrua 3 2 0 0\n(8I3) (3I2) (2E12.4)\n  1  1  1\n",
      title + "1 1 0 0\nrse 3 2 0 9\n(8I3) (3I2) (2E12.4)\n",
      title + "1 1 0 0\nqua 3 2 0 0\n(8I3) (3I2) (2E12.4)\n",
      title + "1 1 0 0\nrua 2147483647 2147483647 9223372036854775807 0\n(8I3) (3I2) (2E12.4)\n",
      title};
  return texts;
}

// Each is refused for a reason of its own.
std::vector<std::string> refused_boeing_texts() {
  const std::string title = boeing_texts().back(), pointers = "  1  3  4  4  6\n", rows = " 1 3 2\n 1 2\n";
  const std::string kind = "rua 3 4 5 0\n", formats = "(8I3) (3I2) (2F12.4)\n", cards = "6 1 2 3\n";
  const std::string values = "1. 2.\n3. 4.\n5.\n", head = title + cards + kind + formats;
  const std::string symmetric = title + "3 1 2 0\npsa 4 4 5 0\n(8I3) (3I2)\n";
  const std::string skew = title + "4 1 1 2\nrza 3 3 3 0\n(8I3) (3I2) (2F12.4)\n  1  3  4  4\n";
  const auto with_values = [&](const char* first, const char* format) {
    return title + cards + kind + "(8I3) (3I2) (" + format + ")\n" + pointers + rows + first +
           " 2.\n3. 4.\n5.\n";
  };
  return {title + "x 1 2 3\n",
          title + cards + "rua 3 4 x 0\n",
          title + cards + "rua 3000000000 4 5 0\n",
          title + cards + "rua 0 4 5 0\n",
          title + cards + "rsa 3 4 5 0\n",
          title + cards + "rha 4 4 5 0\n",
          title + cards + kind + "(8I3)\n",
          title + cards + kind + "(8X3) (3I2) (2F12.4)\n",
          title + "7 1 3 3\n" + kind + formats,
          title + "4 1 2 1\npua 3 4 5 0\n(8I3) (3I2)\n",
          head + "  2  3  4  4  6\n",
          head + "  1  4  3  4  6\n" + rows + values,
          head + "  1  3  4  4  5\n" + rows + values,
          head + "  1  3\n" + rows + values,
          head + pointers + " 1 x 2\n 1 2\n",
          head + pointers + " 1   2\n 1 2\n",
          head + pointers + " 1 9 2\n 1 2\n",
          head + pointers + " 3 1 2\n 1 2\n" + values,
          head + pointers + rows + "1. 2.\n3. 4.\n",
          head + pointers + rows + values + "more\n",
          with_values("1", "2F12.4"),
          with_values("1.", "1P,2F12.4"),
          with_values("1.e999", "2F12.4"),
          with_values("word", "2F12.4"),
          symmetric + "  1  3  5  6  6\n 1 3 1\n 4 3\n",
          skew + " 1 2 3\n1. 2.\n3.\n",
          title + "6 1 2 3 2\n" + kind + "(8I3) (3I2) (2F12.4) (2F12.4)\nF 1 0\n" + pointers + rows + values +
              "1. 2.\n"};
}

const std::vector<std::string>& edge_texts() {
  static const std::vector<std::string> texts = {"# Nodes: 4 Edges: 3\n# From To\n0\t1\n1\t2\n3\t0\n",
                                                 "% sym unweighted\n1 2\n2 3\n\n3 1 \n",
                                                 "source,target,weight\r\n1,2,.5\r\n2, 3 ,-1e3\r\n3;1;+7\r\n",
                                                 "\"a\" \"b\"\n7 900000000000\n7 7\n",
                                                 "3 4 2\n0 3 1.5\n2 0 nan\n",
                                                 "3 4 2\n1 3 1.5\n2 4 inf\n",
                                                 "5 6 1\n6 5 1\n2 2 1\n",
                                                 "// none\n",
                                                 "3 4 M\n1 4 -2\n3 1 7\n0 0 0\n",
                                                 "1 2 1e999\n",
                                                 "1 2 1e-999\n",
                                                 "1 2\n1 2 3\n",
                                                 "1 99999999999999999999\n",
                                                 "1 2,\n",
                                                 "c a\nc\np sp 4 2\na 1 2 5\na 4 1 1\n",
                                                 "p edge 4 2\ne 1 2\nc\ne 4 1\n",
                                                 "p col 3 0\n",
                                                 "c\np max 4 2\n",
                                                 "% bip unweighted\n1 2\n2 1\n",
                                                 "1 2 3 4\n",
                                                 "1 b\n",
                                                 "1 2 x\n",
                                                 "1 2x\n",
                                                 "1\n",
                                                 "p sp x\n",
                                                 "p sp 3000000000 2\n",
                                                 "3000000000 4 M\n",
                                                 "p sp 4 2\na 1 2 5\ne 4 1\n",
                                                 "3 4 3\n0 3 1.5\n2 0 1\n",
                                                 "3 4 2\n0 3 1.5\n9 0 1\n",
                                                 "3 4 2\n1 1 1\n2 2 1\n",
                                                 "p edge 4 1\ne 1 5\n",
                                                 "p edge 4 2\ne 1 2\n",
                                                 "3 4 M\n5 4 -2\n0 0 0\n"};
  return texts;
}

const std::vector<std::string>& metis_texts() {
  static const std::vector<std::string> texts = {"% c\n4 2\n3\n\n1 4\n3\n",
                                                 "3 2 1\n2 5 3 -7\n1 5\n1 -7\n",
                                                 "2 1 111 2\r\n9 8 7 2 5\r\n9 8 7 1 5\r\n",
                                                 "2 1 010\n9 2\n9 1\n",
                                                 "0 0\n",
                                                 "2 1 1\n2 9007199254740993\n1 99999999999999999999\n",
                                                 "2147483647 4611686018427387904 100\n1\n",
                                                 "4 2 1000\n",
                                                 "4 x\n",
                                                 "3000000000 2\n",
                                                 "2 1 1 2\n",
                                                 "4 2\n3\n",
                                                 "2 2\n2\n1\n",
                                                 "2 1\n2\n1\n1\n",
                                                 "2 1 100\n\n",
                                                 "2 1\n3\n1\n",
                                                 "2 1\n2 2 2\n1\n",
                                                 "2 1 1\n2\n1 1\n",
                                                 "2 1\nx\n1\n"};
  return texts;
}

template <class Index>
std::string petsc_bytes(const std::vector<Index>& head, const std::vector<double>& values) {
  return raw(std::vector<Index>{1211216}, true) + raw(head, true) + raw(values, true);
}

void petsc_seeds(const seed_visitor& visit) {
  const std::vector<std::int32_t> head = {3, 4, 3, 2, 0, 1, 3, 0, 2};
  const std::vector<double> values = {1.5, -2, 1e300};
  visit("petsc", "narrow", petsc_bytes(head, values));
  visit("petsc", "wide", petsc_bytes(std::vector<std::int64_t>(head.begin(), head.end()), values));
  visit("petsc", "and-more", petsc_bytes(head, values) + raw<std::int32_t>({1211214, 0}, true));
  visit("petsc", "complex", petsc_bytes(head, values) + raw(values, true));
  visit("petsc", "dense", petsc_bytes<std::int32_t>({3, 4, -1}, values));
  visit("petsc", "vector", raw<std::int32_t>({1211214, 1}, true) + raw(values, true));
}

// ---- MAT-files ----

// One with arrays of every kind that is told apart, in either byte order.
class matlab_bytes {
 public:
  explicit matlab_bytes(bool swapped) : swapped_(swapped) {}

  std::string header() const {
    return "MATLAB 5.0 MAT-file" + std::string(105, ' ') + numbers<std::uint16_t>({0x0100, 0x4d49});
  }
  std::string element(std::uint32_t type, const std::string& data) const {
    const auto size = static_cast<std::uint32_t>(data.size());
    if (size > 0 && size <= 4)
      return numbers<std::uint32_t>({size << 16 | type}) + data + std::string(4 - size, '\0');
    return numbers<std::uint32_t>({type, size}) + data + std::string((8 - size % 8) % 8, '\0');
  }
  std::string array_of(const std::string& name, std::uint32_t kind, const std::vector<std::int32_t>& sizes,
                       const std::string& content) const {
    return array_from(element(6, numbers<std::uint32_t>({kind, 3})) + element(5, numbers(sizes)) +
                      element(1, name) + content);
  }
  std::string array_from(const std::string& parts) const {
    return numbers<std::uint32_t>({14, static_cast<std::uint32_t>(parts.size())}) + parts;
  }
  std::string sparse(const std::string& name, const std::string& values, std::uint32_t flags = 0) const {
    return array_of(name, 5 | flags, {3, 4},
                    element(5, numbers<std::int32_t>({0, 2, 1})) +
                        element(5, numbers<std::int32_t>({0, 2, 2, 2, 3})) + values);
  }
  std::string structure(const std::string& name, const std::string& names, const std::string& fields) const {
    return array_of(name, 2, {1, 1}, element(5, numbers<std::int32_t>({2})) + element(1, names) + fields);
  }
  std::string packed(const std::string& bytes) const {
    const std::string small = packed_zlib(bytes, 6);
    return numbers<std::uint32_t>({15, static_cast<std::uint32_t>(small.size())}) + small;
  }
  template <class T>
  std::string numbers(const std::vector<T>& list) const {
    return raw(list, swapped_);
  }

 private:
  bool swapped_;
};

// Each is refused for a reason of its own, or holds numbers of a type of its own.
void refused_matlab_seeds(const matlab_bytes& m,
                          const std::function<void(const std::string&, const std::string&)>& put) {
  using numbers = std::vector<std::int32_t>;
  const std::string doubles = m.element(9, m.numbers<double>({1.5, 0, -2})),
                    flags = m.element(6, m.numbers<std::uint32_t>({5, 3})), names("A\0B", 4);
  put("no-variable", m.element(7, m.numbers<float>({1, 2})));
  put("packed-no-array", m.packed(doubles));
  put("no-flags", m.array_from(m.element(5, m.numbers<std::int32_t>({5, 3}))));
  put("one-size", m.array_from(flags + m.element(5, m.numbers<std::int32_t>({3})) + m.element(1, "A")));
  put("negative-size", m.array_of("A", 5, {3, -4}, doubles));
  put("no-text", m.array_from(flags + m.element(5, m.numbers<std::int32_t>({3, 4})) + doubles));
  put("opaque", m.array_from(m.element(6, m.numbers<std::uint32_t>({17, 0})) + m.element(1, "o")));
  const auto structure = [&](const std::string& name, const numbers& length, const std::string& rest) {
    put("struct-" + name, m.array_of("S", 2, {1, 1}, m.element(5, m.numbers(length)) + rest));
  };
  structure("two-lengths", {2, 2}, m.element(1, names));
  structure("long-names", {5000}, m.element(1, names));
  structure("no-length", {0}, m.element(1, names));
  structure("odd-names", {3}, m.element(1, names));
  structure("empty", {2}, m.element(1, ""));
  structure("unset", {2}, m.element(1, names) + m.array_from("") + m.sparse("", doubles));
  structure("no-array", {2}, m.element(1, names) + doubles + doubles);
  structure("too-long", {2}, m.element(1, names) + m.numbers<std::uint32_t>({14, 1000}));
  const auto sparse = [&](const std::string& name, const numbers& rows, const numbers& starts) {
    put(name, m.array_of("A", 5, {3, 4},
                         m.element(5, m.numbers(rows)) + m.element(5, m.numbers(starts)) + doubles));
  };
  sparse("room", {0, 2, 1, 77, 78}, {0, 2, 2, 2, 3});
  sparse("first-start", {0, 2, 1}, {1, 2, 2, 2, 3});
  sparse("starts-fall", {0, 2, 1}, {0, 2, 1, 2, 3});
  sparse("last-start", {0, 2, 1}, {0, 2, 2, 2, 4});
  sparse("few-starts", {0, 2, 1}, {0, 3});
  sparse("row-outside", {0, 7, 1}, {0, 2, 2, 2, 3});
  put("real-rows", m.array_of("A", 5, {3, 4}, doubles + doubles + doubles));
  put("odd-rows", m.array_of("A", 5, {3, 4}, m.element(5, "abc")));
  put("few-values", m.sparse("A", m.element(9, m.numbers<double>({1}))));
  put("odd-values", m.sparse("A", m.element(9, "abc")));
  put("no-values", m.sparse("A", m.element(14, "abcd")));
  put("behind", m.sparse("A", doubles + doubles));
  put("few-imaginary", m.sparse("A", doubles + m.element(2, "\1"), 0x800));
  put("full-few", m.array_of("F", 6, {2, 2}, doubles));
  put("full-too-large", m.array_of("F", 6, {2147483647, 2147483647}, doubles));
  put("full-too-wide", m.array_of("F", 6, {1, 2147483647}, ""));
  put("cube", m.array_of("F", 6, {1, 3, 1}, doubles));
  put("cut", m.sparse("A", doubles).substr(0, 150));
  for (const std::uint32_t type : {1, 2, 3, 4, 5, 6, 7, 9, 12, 13}) {
    constexpr std::size_t bytes[] = {0, 1, 1, 2, 2, 4, 4, 4, 0, 8, 0, 0, 8, 8};
    put(fmt::format("of-{}", type),
        m.array_of("F", 6, {1, 2}, m.element(type, std::string(2 * bytes[type], '\1'))));
    put(fmt::format("rows-of-{}", type),
        m.array_of("A", 5, {3, 1},
                   m.element(type, std::string(bytes[type], '\0')) +
                       m.element(5, m.numbers<std::int32_t>({0, 1})) + m.element(2, "\1")));
  }
}

void matlab_seeds(const seed_visitor& visit) {
  for (const bool swapped : {false, true}) {
    const matlab_bytes m(swapped);
    const auto put = [&](const std::string& name, const std::string& variables) {
      visit("matlab", name + (swapped ? "-big" : "-little"), m.header() + variables);
    };
    const std::string doubles = m.element(9, m.numbers<double>({1.5, 0, -2})), bytes = m.element(2, "\1\2\3"),
                      shorts = m.element(3, m.numbers<std::int16_t>({1, -2, 3}));
    const std::string a = m.sparse("A", doubles), b = m.sparse("", bytes);
    const std::string full = m.array_of("F", 6, {2, 3}, m.element(1, std::string("\0\1\0\2\3\0", 6)));
    const std::string text = m.array_of("t", 4, {1, 2}, m.element(16, "ab"));
    const std::string names("A\0B", 4);
    put("sparse", a);
    put("packed", m.packed(a) + m.packed(text));
    put("full", text + full);
    put("single", m.array_of("F", 7, {1, 3}, m.element(7, m.numbers<float>({1, 0, 2}))));
    put("integers",
        m.array_of("F", 15, {1, 2}, m.element(13, m.numbers<std::uint64_t>({1, ~std::uint64_t{0}}))));
    put("struct", full + m.structure("S", names, b + b));
    put("packed-struct", m.packed(full) + m.packed(m.structure("S", names, full + b)));
    put("suite-sparse", a + m.packed(m.structure("Problem", names, b + a)));
    put("logical", m.sparse("A", bytes, 0x200) + full);
    put("logical-doubles", m.sparse("A", m.element(9, "\1\1\1"), 0x200));
    put("complex", m.sparse("A", doubles + bytes, 0x800));
    put("complex-full", m.array_of("F", 6 | 0x800, {1, 3}, shorts + doubles));
    put("several", a + m.structure("S", names, b + text) + full + text);
    put("unnamed", m.array_of("", 9, {1, 3}, bytes) + m.array_of("c", 1, {1, 1}, full));
    put("falls", m.array_of("A", 5, {3, 1},
                            m.element(5, m.numbers<std::int32_t>({2, 0})) +
                                m.element(5, m.numbers<std::int32_t>({0, 2})) + doubles));
    refused_matlab_seeds(m, put);
    visit("matlab", swapped ? "4-big" : "4-little",
          m.numbers<std::uint32_t>({swapped ? 1000u : 0u, 1, 1, 0, 2}) + std::string("A\0", 2) +
              m.numbers<double>({5}));
  }
}

// ---- npz ----

std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                bool fortran = false, char version = 1) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}", descr,
                                   fortran ? "True" : "False", shape);
  const std::size_t head = version == 1 ? 10 : 12;
  while ((head + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string bytes = std::string("\x93NUMPY") + version + '\0';
  for (std::size_t i = 0; i < head - 8; ++i) bytes += static_cast<char>(header.size() >> (8 * i));
  return bytes + header + data;
}

std::string text_array(const std::string& text, bool wide) {
  if (!wide) return npy(fmt::format("|S{}", text.size()), "()", text);
  std::string data;
  for (const char c : text) data += std::string(1, c) + std::string(3, '\0');
  return npy(fmt::format("<U{}", text.size()), "()", data);
}

void npy_seeds(const seed_visitor& visit) {
  const auto put = [&](const std::string& name, const std::string& bytes) { visit("npy", name, bytes); };
  put("rows", npy("<f8", "(2, 2)", raw<double>({1, 0, -2.5, 0})));
  put("columns", npy("<f8", "(2, 2)", raw<double>({1, 0, -2.5, 0}), true));
  put("single-big", npy(">f4", "(1, 3)", raw<float>({1, 0, 3}, true)));
  put("bool", npy("|b1", "(3, 1)", std::string("\1\0\1", 3)));
  put("integers-version-2", npy("<i8", "(1, 2)", raw<std::int64_t>({1, -9007199254740995}), false, 2));
  put("unsigned", npy(">u8", "(1, 2)", raw<std::uint64_t>({1, ~std::uint64_t{0}}, true)));
  put("small", npy("|i1", "(2, 2)", std::string("\1\0\2\xff", 4)));
  put("complex", npy("<c16", "(1, 2)", raw<double>({0, 1, 0, 0})));
  put("complex-big", npy(">c8", "(2, 2)", raw<float>({0, 1, 0, 0, -0.0F, 0, 2, -3}, true), true));
  put("empty", npy("<f8", "(5, 0)", ""));
  put("huge", npy("|u1", "(2147483647, 2147483647)", "abc"));
  put("vector", npy("<f8", "(2,)", raw<double>({1, 2})));
  put("cube", npy("<i2", "(1, 2, 1)", raw<std::int16_t>({1, 2})));
  put("number", npy("<f8", "()", raw<double>({1})));
  put("half", npy("<f2", "(1, 2)", "abcd"));
  put("object", npy("|O", "()", "pickle"));
  put("longer", npy("<f8", "(1, 1)", raw<double>({1, 2})));
  put("cut", npy("<f8", "(2, 2)", raw<double>({1, 2})));
}

void npz_seeds(const seed_visitor& visit) {
  const auto put = [&](const std::string& name, const std::vector<zip_content>& members, bool zip64 = false) {
    visit("npz", name, packed_zip(members, zip64));
  };
  const std::string shape = npy("<i8", "(2,)", raw<std::int64_t>({3, 4}));
  const std::string csr_format = text_array("csr", false);
  const std::string indptr = npy("<i4", "(4,)", raw<std::int32_t>({0, 1, 1, 3}));
  const std::string indices = npy("<i4", "(3,)", raw<std::int32_t>({1, 0, 3}));
  struct values {
    const char* descr;
    std::string data;
  };
  for (const values& v : std::vector<values>{{"<f8", raw<double>({1, 2, 2})},
                                             {">f8", raw<double>({1, 2, 3}, true)},
                                             {"<f4", raw<float>({1, 2, 3})},
                                             {">f4", raw<float>({1, 2, 3}, true)},
                                             {"|b1", std::string("\1\0\1", 3)},
                                             {"|i1", "\1\2\3"},
                                             {"|u1", "\1\2\3"},
                                             {"<i2", raw<std::int16_t>({1, -2, 3})},
                                             {">u2", raw<std::uint16_t>({1, 2, 3}, true)},
                                             {"<u4", raw<std::uint32_t>({1, 2, 3})},
                                             {"<i8", raw<std::int64_t>({1, -9007199254740995, 3})},
                                             {"<u8", raw<std::uint64_t>({1, ~std::uint64_t{0}, 3})},
                                             {"<c16", raw<double>({1, 0, 0, 0, 0, 2})},
                                             {"<c8", raw<float>({1, 0, 0, 0, 0, 2})},
                                             {">c16", raw<double>({1, -0.5, 0, 0, 0, 2}, true)},
                                             {"<f2", "abcdef"},
                                             {"<f16", std::string(48, '\1')},
                                             {"|O", "pickle"},
                                             {"<M8[s]", std::string(24, '\1')}})
    put(fmt::format("csr-{}-{}", v.descr[0] == '>' ? "big" : "little", v.descr + 1),
        {{"format.npy", csr_format},
         {"shape.npy", shape},
         {"indptr.npy", indptr},
         {"indices.npy", indices},
         {"data.npy", npy(v.descr, "(3,)", v.data)}});
  const std::string data = npy("<f8", "(3,)", raw<double>({1, 2, 2}));
  put("csr-version-2",
      {{"format.npy", text_array("csr", true)},
       {"shape.npy", shape},
       {"indptr.npy", npy(">i8", "(4,)", raw<std::int64_t>({0, 1, 1, 3}, true), false, 2), true},
       {"indices.npy", indices, true},
       {"data.npy", data, true}},
      true);
  put("csc", {{"format.npy", text_array("csc", false)},
              {"shape.npy", shape},
              {"indptr.npy", npy("<i4", "(5,)", raw<std::int32_t>({0, 1, 1, 2, 3}))},
              {"indices.npy", npy("<i4", "(3,)", raw<std::int32_t>({1, 0, 2}))},
              {"data.npy", data}});
  for (const bool wide : {false, true})
    put(wide ? "coo-wide" : "coo", {{"format.npy", text_array("coo", wide)},
                                    {"shape.npy", shape},
                                    {"row.npy", npy("<i4", "(3,)", raw<std::int32_t>({1, 0, 2}))},
                                    {"col.npy", indices},
                                    {"data.npy", data}});
  for (const bool fortran : {false, true})
    put(fortran ? "coords-fortran" : "coords",
        {{"format.npy", text_array("coo", false)},
         {"shape.npy", shape},
         {"coords.npy", npy("<i4", "(2, 3)", raw<std::int32_t>({1, 0, 2, 1, 0, 3}), fortran)},
         {"data.npy", data}});
  put("coords-turned", {{"format.npy", text_array("coo", false)},
                        {"shape.npy", shape},
                        {"coords.npy", npy("<i4", "(3, 2)", raw<std::int32_t>({1, 0, 2, 1, 0, 3}))},
                        {"data.npy", data}});
  for (const bool fortran : {false, true})
    for (const char* const type : {"<f8", "<c16"}) {
      std::vector<double> slots = {1, 0, 3, 4, 0, 0, 7, 8};
      if (type[1] == 'c') slots.insert(slots.end(), {0, 0, 0, 1, 1, 0, 2, 2});
      put(fmt::format("bsr-{}{}", type + 1, fortran ? "-fortran" : ""),
          {{"format.npy", text_array("bsr", false)},
           {"shape.npy", npy("<i8", "(2,)", raw<std::int64_t>({4, 4}))},
           {"indptr.npy", npy("<i4", "(3,)", raw<std::int32_t>({0, 1, 2}))},
           {"indices.npy", npy("<i4", "(2,)", raw<std::int32_t>({1, 0}))},
           {"data.npy", npy(type, "(2, 2, 2)", raw(slots), fortran)}});
    }
  put("bsr-outside", {{"format.npy", text_array("bsr", false)},
                      {"shape.npy", npy("<i8", "(2,)", raw<std::int64_t>({3, 3}))},
                      {"indptr.npy", npy("<i4", "(3,)", raw<std::int32_t>({0, 1, 2}))},
                      {"indices.npy", npy("<i4", "(2,)", raw<std::int32_t>({1, 1}))},
                      {"data.npy", npy("<f8", "(2, 2, 2)", raw<double>({1, 2, 3, 4, 5, 6, 7, 8}))}});
  put("bsr-flat", {{"format.npy", text_array("bsr", false)},
                   {"shape.npy", shape},
                   {"indptr.npy", indptr},
                   {"indices.npy", indices},
                   {"data.npy", npy("<f8", "(3, 0, 2)", "")}});
  put("dia", {{"format.npy", text_array("dia", false)}, {"shape.npy", shape}, {"data.npy", data}});
  put("tensor", {{"format.npy", text_array("coo", false)},
                 {"shape.npy", npy("<i8", "(3,)", raw<std::int64_t>({1, 2, 3}))}});
  put("twice", {{"format.npy", csr_format}, {"format.npy", csr_format}});
  put("negative",
      {{"format.npy", csr_format}, {"shape.npy", npy("<i8", "(2,)", raw<std::int64_t>({-1, 4}))}});
  put("too-large", {{"format.npy", csr_format},
                    {"shape.npy", npy("<i8", "(2,)", raw<std::int64_t>({1, std::int64_t{1} << 40}))}});
  put("indptr-floats", {{"format.npy", csr_format},
                        {"shape.npy", shape},
                        {"indptr.npy", data},
                        {"indices.npy", indices},
                        {"data.npy", data}});
  std::string encrypted = packed_zip({{"format.npy", csr_format}});
  encrypted[encrypted.find("PK\1\2") + 8] |= 1;
  visit("npz", "encrypted", encrypted);
  std::string method = packed_zip({{"format.npy", csr_format}});
  method[8] = method[method.find("PK\1\2") + 10] = 14;
  visit("npz", "method-14", method);
  for (const char* const odd :
       {"\x93NUMPY", "\x93NUMPX\1\0\4\0{}  ", "\x93NUMPY\x09\0\4\0{}  ", "{'descr': '<f8'"})
    put(fmt::format("npy-odd-{}", std::string(odd).size()), {{"format.npy", odd}});
  for (const char* const header :
       {"{'descr': '<f8', 'fortran_order': False}",
        "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (3,)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (3, -1)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': (9999999999, 9999999999)}",
        "{'descr': '<f8', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f99999999999', 'fortran_order': False, 'shape': (3,)}"}) {
    std::string bytes = std::string("\x93NUMPY\1") + '\0';
    bytes += static_cast<char>(std::string_view(header).size());
    bytes += '\0';
    put(fmt::format("npy-header-{}", std::string_view(header).size()),
        {{"format.npy", csr_format}, {"shape.npy", bytes + header + std::string(24, '\0')}});
  }
}

// ---- HDF5 ----

// A file written by calls of HDF5 that we do not make ourselves.
template <class Fill>
std::string hdf5_bytes(Fill fill, bool latest = true) {
  const scratch_file file;
  const hid_t access = ::H5Pcreate(H5P_FILE_ACCESS);
  if (latest) ::H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18);
  const hid_t id = ::H5Fcreate(file.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access);
  fill(id);
  ::H5Fclose(id);
  ::H5Pclose(access);
  return file.bytes();
}

void put_attribute(hid_t where, const char* name, const std::string& text, bool variable = false) {
  const hid_t type = ::H5Tcopy(H5T_C_S1);
  ::H5Tset_size(type, variable ? H5T_VARIABLE : text.size());
  const hid_t space = ::H5Screate(H5S_SCALAR);
  const hid_t attribute = ::H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const char* const pointer = text.c_str();
  ::H5Awrite(attribute, type, variable ? static_cast<const void*>(&pointer) : text.data());
  ::H5Aclose(attribute);
  ::H5Sclose(space);
  ::H5Tclose(type);
}

template <class T>
void put_array(hid_t where, const char* name, hid_t type, const std::vector<T>& list, bool chunked = false) {
  const hsize_t length = list.size(), chunk = 2;
  const hid_t space = ::H5Screate_simple(1, &length, nullptr);
  const hid_t creation = ::H5Pcreate(H5P_DATASET_CREATE);
  if (chunked) {
    ::H5Pset_chunk(creation, 1, &chunk);
    ::H5Pset_deflate(creation, 6);
  }
  const hid_t set = ::H5Dcreate2(where, name, type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  const hid_t memory = std::is_same_v<T, double> ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
  if (length > 0) ::H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, list.data());
  ::H5Dclose(set);
  ::H5Pclose(creation);
  ::H5Sclose(space);
}

std::string described(const std::string& format, const std::string& rest,
                      const std::string& values = "float64") {
  return R"({"binsparse":{"version":"0.1","format":")" + format +
         R"(","shape":[3,4],"number_of_stored_values":3,)" +
         R"("data_types":{"pointers_to_1":"int32","indices_0":"int32","indices_1":"int32","values":")" +
         values + "\"}" + rest + "}}";
}

void binsparse_seeds(const seed_visitor& visit) {
  using numbers = std::vector<std::int64_t>;
  struct layout {
    const char* format;
    numbers pointers, indices_0, indices_1;
  };
  const layout layouts[] = {{"CSR", {0, 1, 1, 3}, {}, {1, 0, 3}},   {"CSC", {0, 1, 1, 2, 3}, {}, {1, 0, 2}},
                            {"DCSR", {0, 1, 3}, {0, 2}, {1, 0, 3}}, {"DCSC", {0, 1, 3}, {0, 3}, {1, 0, 2}},
                            {"COO", {}, {2, 0, 1}, {1, 0, 3}},      {"COOR", {}, {0, 1, 2}, {1, 0, 3}},
                            {"COOC", {}, {0, 2, 3}, {1, 0, 2}}};
  const auto fill = [](hid_t where, const layout& l, const std::string& description, hid_t type, bool chunked,
                       bool variable, std::size_t values = 3) {
    put_attribute(where, "binsparse", description, variable);
    if (!l.pointers.empty()) put_array(where, "pointers_to_1", H5T_STD_I32LE, l.pointers, chunked);
    if (!l.indices_0.empty()) put_array(where, "indices_0", H5T_STD_U64BE, l.indices_0, chunked);
    put_array(where, "indices_1", H5T_STD_I16LE, l.indices_1, chunked);
    put_array(where, "values", type, std::vector<double>(values, 2), chunked);
  };
  for (const layout& l : layouts)
    for (const bool old : {false, true})
      visit("binsparse", fmt::format("{}{}", l.format, old ? "-old" : ""),
            hdf5_bytes([&](hid_t file) { fill(file, l, described(l.format, ""), H5T_IEEE_F64LE, old, old); },
                       !old));
  const auto one = [&](const std::string& name, const std::string& description, hid_t type,
                       std::size_t values = 3, const layout* l = nullptr) {
    visit("binsparse", name, hdf5_bytes([&](hid_t file) {
            fill(file, l == nullptr ? layouts[0] : *l, description, type, false, false, values);
            put_array(file, "fill_value", H5T_STD_I32LE, numbers{0});
          }));
  };
  one("iso", described("CSR", "", "iso[int8]"), H5T_STD_I8LE, 1);
  one("float32", described("CSR", "", "float32"), H5T_IEEE_F32LE);
  one("uint64", described("CSR", "", "uint64"), H5T_STD_U64LE);
  one("int64", described("CSR", "", "int64"), H5T_STD_I64BE);
  one("bint8", described("CSR", "", "bint8"), H5T_STD_I8LE);
  one("fill", described("CSR", R"(,"fill":true)"), H5T_IEEE_F64LE);
  one("complex", described("CSR", "", "complex[float64]"), H5T_IEEE_F64LE);
  one("pairs", described("CSR", "", "complex[float64]"), H5T_IEEE_F64LE, 6);
  one("single-pairs", described("CSR", "", "complex[float32]"), H5T_IEEE_F32LE, 6);
  one("hermitian", described("CSR", R"(,"structure":"hermitian_lower")"), H5T_IEEE_F64LE);
  one("odd-structure", described("CSR", R"(,"structure":"round")"), H5T_IEEE_F64LE);
  one("not-square", described("CSR", R"(,"structure":"symmetric_lower")"), H5T_IEEE_F64LE);
  one("custom", R"({"binsparse":{"version":"0.1","format":{"custom":1},"shape":[3,4]}})", H5T_IEEE_F64LE);
  one("version-9", R"({"binsparse":{"version":"9"}})", H5T_IEEE_F64LE);
  one("vector", R"({"format":"CSR","shape":[3]})", H5T_IEEE_F64LE);
  one("float-shape", R"({"format":"CSR","shape":[3,1.5]})", H5T_IEEE_F64LE);
  one("no-json", "{\"binsparse\":", H5T_IEEE_F64LE);
  const layout square = {"COO", {}, {1, 2, 2}, {0, 0, 2}};
  for (const char* const structure :
       {"symmetric_lower", "symmetric_upper", "skew_symmetric_lower", "skew_symmetric_upper"}) {
    std::string text = described("COO", fmt::format(R"(,"structure":"{}")", structure));
    text.replace(text.find("[3,4]"), 5, "[3,3]");
    one(structure, text, H5T_IEEE_F64LE, 3, &square);
  }
  const layout strict = {"COO", {}, {1, 2}, {0, 0}};
  std::string text = described("COO", R"(,"structure":"skew_symmetric_lower")");
  text.replace(text.find("[3,4]"), 5, "[3,3]");
  text.replace(text.find("values\":3"), 9, "values\":2");
  one("strictly-lower", text, H5T_IEEE_F64LE, 2, &strict);
  visit("binsparse", "group", hdf5_bytes([&](hid_t file) {
          ::H5Gclose(::H5Gcreate2(file, "another", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
          const hid_t group = ::H5Gcreate2(file, "matrix", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
          fill(group, layouts[4], described("COO", ""), H5T_IEEE_F64LE, false, false);
          ::H5Gclose(group);
        }));
  visit(
      "binsparse", "nothing", hdf5_bytes([&](hid_t file) {
        put_attribute(
            file, "binsparse",
            R"({"format":"COO","shape":[3,4],"number_of_stored_values":0,"data_types":{"values":"float64"}})");
      }));
  visit("binsparse", "no-attribute", hdf5_bytes([](hid_t) {}));
  visit("binsparse", "links", hdf5_bytes([&](hid_t file) {
          fill(file, layouts[4], described("COO", ""), H5T_IEEE_F64LE, false, false);
          ::H5Ldelete(file, "values", H5P_DEFAULT);
          ::H5Lcreate_soft("/indices_1", file, "values", H5P_DEFAULT, H5P_DEFAULT);
          ::H5Lcreate_external("other.h5", "/x", file, "outside", H5P_DEFAULT, H5P_DEFAULT);
        }));
}

// What is done to a group of a file that is being written.
using filler = std::function<void(hid_t)>;
void put_group(hid_t where, const char* name, const filler& fill) {
  const hid_t group = ::H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  fill(group);
  ::H5Gclose(group);
}

void put_numbers(hid_t where, const char* name, const std::vector<std::int64_t>& list) {
  const hsize_t length = list.size();
  const hid_t space = ::H5Screate_simple(1, &length, nullptr);
  const hid_t attribute = ::H5Acreate2(where, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
  ::H5Awrite(attribute, H5T_NATIVE_INT64, list.data());
  ::H5Aclose(attribute);
  ::H5Sclose(space);
}

void put_full(hid_t where, const char* name, hid_t type, hsize_t lines, hsize_t length,
              const char* matlab_class, const char* more = nullptr) {
  const hsize_t extents[] = {lines, length};
  const hid_t space = ::H5Screate_simple(2, extents, nullptr);
  const hid_t set = ::H5Dcreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const std::vector<double> values(lines * length, 3);
  if (!values.empty()) ::H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  put_attribute(set, "MATLAB_class", matlab_class);
  if (more != nullptr) put_attribute(set, more, "1");
  ::H5Dclose(set);
  ::H5Sclose(space);
}

// Of zeros, in one dimension or as many as there are extents.
void put_complex(hid_t where, const char* name, const char* real, const char* imaginary,
                 const std::vector<hsize_t>& extents) {
  const hid_t type = ::H5Tcreate(H5T_COMPOUND, 16);
  ::H5Tinsert(type, real, 0, H5T_IEEE_F64LE);
  ::H5Tinsert(type, imaginary, 8, H5T_IEEE_F64LE);
  const hid_t space = ::H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
  const hid_t set = ::H5Dcreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  put_attribute(set, "MATLAB_class", "double");
  ::H5Dclose(set);
  ::H5Sclose(space);
  ::H5Tclose(type);
}

// Matrices of 3 x 2, and what can lie beside them. HDF5's part alone of a MAT-file: its start is no business
// of the reader.
void grouped_seeds(const seed_visitor& visit) {
  using numbers = std::vector<std::int64_t>;
  const auto sparse = [](bool chunked, hid_t type, const numbers& starts = {0, 1, 3}) -> filler {
    return [=](hid_t group) {
      put_attribute(group, "MATLAB_class", "double");
      put_numbers(group, "MATLAB_sparse", {3});
      put_array(group, "jc", H5T_STD_U64LE, starts, chunked);
      if (starts.back() == 0) return;
      put_array(group, "ir", H5T_STD_U64LE, numbers{0, 0, 2}, chunked);
      put_array(group, "data", type, std::vector<double>{1, -2, 0.5}, chunked);
    };
  };
  const auto mat = [&](const char* name, const filler& fill) {
    for (const bool latest : {false, true})
      visit("matlab_hdf5", fmt::format("{}{}", name, latest ? "" : "-old"), hdf5_bytes(fill, latest));
  };
  mat("sparse", [&](hid_t file) { put_group(file, "A", sparse(false, H5T_IEEE_F64LE)); });
  mat("chunked", [&](hid_t file) { put_group(file, "A", sparse(true, H5T_STD_U8LE)); });
  mat("empty", [&](hid_t file) { put_group(file, "A", sparse(false, H5T_IEEE_F64LE, {0, 0})); });
  mat("falling", [&](hid_t file) { put_group(file, "A", sparse(false, H5T_IEEE_F64LE, {0, 3, 1})); });
  mat("full", [&](hid_t file) { put_full(file, "B", H5T_IEEE_F32LE, 2, 3, "single"); });
  mat("several", [&](hid_t file) {
    put_group(file, "A", sparse(false, H5T_IEEE_F32LE));
    put_group(file, "B", sparse(false, H5T_STD_I64LE));
    put_full(file, "text", H5T_STD_U16LE, 5, 1, "char");
  });
  mat("problem", [&](hid_t file) {
    put_group(file, "Problem", [&](hid_t problem) {
      put_attribute(problem, "MATLAB_class", "struct");
      put_group(problem, "A", sparse(false, H5T_IEEE_F64LE));
      put_group(problem, "aux", [&](hid_t aux) {
        put_attribute(aux, "MATLAB_class", "struct");
        put_group(aux, "Time", sparse(false, H5T_IEEE_F64LE));
      });
    });
  });
  // What is wrong with a sparse one, and what is no matrix.
  const auto damaged = [&](const char* name, const numbers& rows, const filler& fill) {
    mat(name, [&](hid_t file) {
      put_group(file, "A", [&](hid_t group) {
        put_attribute(group, "MATLAB_class", "double");
        put_numbers(group, "MATLAB_sparse", rows);
        fill(group);
      });
    });
  };
  const auto starts = [](hid_t group, hid_t type, const numbers& list) {
    put_array(group, "jc", type, list);
  };
  damaged("no-starts", {3}, [](hid_t) {});
  damaged("two-rows", {3, 4}, [&](hid_t group) { starts(group, H5T_STD_U64LE, {0, 0}); });
  damaged("empty-starts", {3}, [&](hid_t group) { starts(group, H5T_STD_U64LE, {}); });
  damaged("real-starts", {3}, [&](hid_t group) { starts(group, H5T_IEEE_F64LE, {0, 1}); });
  damaged("no-rows", {3}, [&](hid_t group) {
    starts(group, H5T_STD_U64LE, {0, 1});
    put_array(group, "data", H5T_IEEE_F64LE, std::vector<double>{1});
  });
  damaged("few-rows", {3}, [&](hid_t group) {
    starts(group, H5T_STD_U64LE, {0, 2});
    put_array(group, "ir", H5T_STD_U64LE, numbers{0});
    put_array(group, "data", H5T_IEEE_F64LE, std::vector<double>{1, 2});
  });
  damaged("complex", {3}, [&](hid_t group) {
    starts(group, H5T_STD_U64LE, {0, 2});
    put_array(group, "ir", H5T_STD_U64LE, numbers{0, 2});
    put_complex(group, "data", "real", "imag", {2});
  });
  damaged("compound", {3}, [&](hid_t group) {
    starts(group, H5T_STD_U64LE, {0, 2});
    put_array(group, "ir", H5T_STD_U64LE, numbers{0, 2});
    put_complex(group, "data", "x", "y", {2});
  });
  mat("complex-full", [](hid_t file) { put_complex(file, "A", "real", "imag", {2, 3}); });
  mat("cube", [](hid_t file) { put_complex(file, "A", "real", "imag", {2, 3, 1}); });
  mat("natural", [](hid_t file) { put_full(file, "B", H5T_STD_U64LE, 2, 3, "uint64"); });
  mat("whole", [](hid_t file) { put_full(file, "B", H5T_STD_I16LE, 2, 3, "int16"); });
  mat("others", [&](hid_t file) {
    put_full(file, "text", H5T_STD_U16LE, 5, 1, "char");
    put_full(file, "nothing", H5T_STD_U64LE, 2, 1, "double", "MATLAB_empty");
    put_full(file, "object", H5T_STD_U32LE, 1, 6, "uint32", "MATLAB_object_decode");
    put_full(file, "#refs", H5T_IEEE_F64LE, 3, 3, "double");
    put_group(file, "map", [](hid_t group) { put_attribute(group, "MATLAB_class", "containers.Map"); });
    put_group(file, "plain", [](hid_t) {});
  });
  mat("part-of-itself", [](hid_t file) {
    put_group(file, "S", [&](hid_t group) {
      put_attribute(group, "MATLAB_class", "struct");
      ::H5Lcreate_hard(group, ".", group, "S", H5P_DEFAULT, H5P_DEFAULT);
    });
  });
  const auto cells = [&](const char* encoding, const numbers& shape, hid_t type) -> filler {
    return [=](hid_t file) {
      put_attribute(file, "encoding-type", "anndata", true);
      put_group(file, "X", [&](hid_t x) {
        put_attribute(x, "encoding-type", encoding, true);
        put_numbers(x, "shape", shape);
        put_array(x, "indptr", H5T_STD_I32LE, numbers{0, 1, 3}, true);
        put_array(x, "indices", H5T_STD_I32LE, numbers{0, 0, 2}, true);
        put_array(x, "data", type, std::vector<double>{1, -2, 0.5}, true);
      });
    };
  };
  visit("anndata", "csr", hdf5_bytes(cells("csr_matrix", {2, 3}, H5T_IEEE_F32LE)));
  visit("anndata", "csr-old", hdf5_bytes(cells("csr_matrix", {2, 3}, H5T_IEEE_F32LE), false));
  visit("anndata", "csc", hdf5_bytes(cells("csc_matrix", {3, 2}, H5T_STD_I64LE)));
  visit("anndata", "long", hdf5_bytes(cells("csr_matrix", {2, 3, 4}, H5T_STD_I64LE)));
  visit("anndata", "other", hdf5_bytes(cells("dataframe", {2, 3}, H5T_IEEE_F64LE)));
  visit("anndata", "full", hdf5_bytes([](hid_t file) { put_full(file, "X", H5T_IEEE_F64LE, 3, 2, "none"); }));
  visit("anndata", "none", hdf5_bytes([](hid_t file) { put_group(file, "Y", [](hid_t) {}); }));
  // Of version 0.6 and older, found by its groups; an array that has another is found by its name.
  visit("anndata", "of-0.6", hdf5_bytes([&](hid_t file) {
          put_group(file, "X", [](hid_t x) {
            put_attribute(x, "h5sparse_format", "csc");
            put_numbers(x, "h5sparse_shape", {3, 2});
            put_array(x, "indptr", H5T_STD_I32LE, numbers{0, 1, 3});
            put_array(x, "indices", H5T_STD_I32LE, numbers{0, 0, 2});
            put_array(x, "data", H5T_STD_U64LE, numbers{1, 2, 3});
          });
          put_group(file, "obs", [](hid_t) {});
          put_group(file, "var", [](hid_t) {});
          put_group(file, "layers", [](hid_t group) { put_full(group, "raw", H5T_STD_U8LE, 3, 2, "none"); });
        }));
  visit("anndata", "complex-layer", hdf5_bytes([&](hid_t file) {
          put_attribute(file, "encoding-type", "anndata", true);
          put_complex(file, "X", "r", "i", {2, 2});
          put_group(file, "layers", [&](hid_t layers) {
            put_group(layers, "raw", [](hid_t raw) {
              put_attribute(raw, "encoding-type", "csr_matrix", true);
              put_numbers(raw, "shape", {2, 2});
              put_array(raw, "indptr", H5T_STD_I32LE, numbers{0, 1, 1});
              put_array(raw, "indices", H5T_STD_I32LE, numbers{1});
              put_complex(raw, "data", "r", "i", {1});
            });
          });
        }));
  visit("anndata", "no-data", hdf5_bytes([&](hid_t file) {
          put_group(file, "X", [](hid_t x) {
            put_attribute(x, "encoding-type", "csr_matrix", true);
            put_numbers(x, "shape", {1, 1});
            put_array(x, "indptr", H5T_STD_I32LE, numbers{0, 0});
            put_array(x, "indices", H5T_STD_I32LE, numbers{});
          });
          put_full(file, "layers", H5T_IEEE_F64LE, 1, 1, "none");
        }));
  visit("anndata", "plain-group", hdf5_bytes([](hid_t file) { put_group(file, "X", [](hid_t) {}); }));
  visit("anndata", "type", hdf5_bytes([](hid_t file) {
          const hid_t type = ::H5Tcopy(H5T_STD_I32LE);
          ::H5Tcommit2(file, "X", type, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
          ::H5Tclose(type);
        }));
  visit("anndata", "many", hdf5_bytes([](hid_t file) {
          for (char name = 'a'; name < 'p'; ++name)
            put_group(file, std::string(1, name).c_str(), [](hid_t) {});
        }));
}

// A matrix as a file of everything that can hold it.
template <class Offset, class Value>
void file_seeds(const seed_visitor& visit, const std::string& name, format_kind format,
                const any_format<Offset, Value, host>& matrix) {
  const scratch_file container;
  write_container(container.path(), matrix);
  visit("container", name, container.bytes());
  if (format == format_kind::coo || format == format_kind::csr || format == format_kind::csc) {
    const scratch_file binsparse;
    write_binsparse(binsparse.path(), matrix);
    visit("binsparse", name, binsparse.bytes());
  }
  for (const bool compress : {false, true}) try {
      const scratch_file npz;
      write_npz(npz.path(), matrix, compress);
      visit("npz", name + (compress ? "-deflated" : ""), npz.bytes());
    } catch (const error&) {
      // SciPy's bsr takes only shapes that the blocks divide, and npz four formats.
    }
}

// Complex values lie in the same arrays, each twice as long.
template <class Offset, class Value>
void complex_seeds(const seed_visitor& visit, const char* types) {
  matrix_entries source;
  source.entries = entries_of(4, 4, {{0, 1, 2}, {0, 3, -3}, {2, 0, 0}, {2, 1, 5}, {3, 3, 2}});
  source.imaginary = array<double, host>(5);
  std::copy_n(std::array{2.0, 0.5, 0.0, -1.5, 2.0}.begin(), 5, source.imaginary.begin());
  source.field = "complex";
  assembly_report report;
  const auto matrix = assemble<openmp, Offset, Value>(openmp{}, std::move(source), false, report, nullptr);
  conversion_options options;
  options.max_fill = 1000;
  options.bsr_block = {2, 2};
  options.sell = {4, 1};
  for (const format_kind format : all_formats())
    if (!whole_of(format))
      file_seeds(visit, fmt::format("{}-complex-{}", name_of(format), types), format,
                 from_csr<openmp, Offset, Value>(openmp{}, view(matrix), format, options, nullptr));
}

template <class Offset, class Value>
void written_seeds(const seed_visitor& visit, const char* types) {
  each_format<Offset, Value>(
      [&](const std::string& name, format_kind format, const any_format<Offset, Value, host>& matrix) {
        const std::string named = name + "-" + types;
        const std::string encoded = encode_format(matrix);
        visit("formats", named, encoded);
        if (name.find("uneven-1") != std::string::npos)
          visit("formats", named + "-cut", encoded.substr(0, encoded.size() - 9));
        // Files are larger, and differ less.
        if (name.find("small") == std::string::npos && name.find("uneven-1") == std::string::npos) return;
        file_seeds(visit, named, format, matrix);
      });
}

// ---- archives ----

#if SPARSMITH_ARCHIVES
std::string archived(const std::vector<std::pair<std::string, std::string>>& members, int (*format)(archive*),
                     int (*filter)(archive*)) {
  std::string bytes(1 << 20, '\0');
  std::size_t used = 0;
  archive* const out = ::archive_write_new();
  if (filter != nullptr && filter(out) != ARCHIVE_OK) {
    ::archive_write_free(out);
    return {};
  }
  format(out);
  ::archive_write_set_bytes_in_last_block(out, 1);
  ::archive_write_open_memory(out, bytes.data(), bytes.size(), &used);
  for (const auto& [name, text] : members) {
    archive_entry* const entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, name.c_str());
    ::archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
    ::archive_entry_set_filetype(entry, name.ends_with('/') ? AE_IFDIR : AE_IFREG);
    ::archive_entry_set_perm(entry, 0644);
    ::archive_write_header(out, entry);
    ::archive_write_data(out, text.data(), text.size());
    ::archive_entry_free(entry);
  }
  ::archive_write_close(out);
  ::archive_write_free(out);
  bytes.resize(used);
  return bytes;
}

void archive_seeds(const seed_visitor& visit) {
  const std::string text = matrix_texts()[0], other = matrix_texts()[1];
  const std::vector<std::vector<std::pair<std::string, std::string>>> contents = {
      {{"a/", ""}, {"a/a.mtx", text}, {"a/a_b.mtx", other}, {"a/readme.txt", "x"}},
      {{"one.mtx", text}},
      {{"one.mtx", text}, {"two.mtx", other}},
      {{"readme.txt", "no matrix"}},
      {{"x/a.mtx", text}, {"a/a.mtx", text}},
      {{"a/a.mtx", text}, {"b/b.mtx", text}},
      {}};
  struct packing {
    const char* name;
    int (*format)(archive*);
    int (*filter)(archive*);
  };
  for (const packing& p :
       {packing{"tar", ::archive_write_set_format_ustar, nullptr},
        packing{"pax", ::archive_write_set_format_pax, nullptr},
        packing{"tar.gz", ::archive_write_set_format_ustar, ::archive_write_add_filter_gzip},
        packing{"tar.xz", ::archive_write_set_format_ustar, ::archive_write_add_filter_xz},
        packing{"zip", ::archive_write_set_format_zip, nullptr}})
    for (std::size_t i = 0; i < contents.size(); ++i)
      visit("archive", fmt::format("{}-{}", p.name, i), archived(contents[i], p.format, p.filter));
  for (const packing& p : {packing{"bz2", ::archive_write_set_format_raw, ::archive_write_add_filter_bzip2},
                           packing{"xz", ::archive_write_set_format_raw, ::archive_write_add_filter_xz},
                           packing{"zst", ::archive_write_set_format_raw, ::archive_write_add_filter_zstd}})
    for (const std::string& one : {text, other})
      visit("archive", p.name, archived({{"text", one}}, p.format, p.filter));
}
#else
void archive_seeds(const seed_visitor& visit) {
  visit("archive", "plain", matrix_texts()[0]);
}
#endif

// ---- lines ----

void line_seeds(const seed_visitor& visit) {
  for (const char* const spec : {"gen:uniform?n=20&density=0.2",
                                 "gen:uniform?rows=5&cols=40&density=1&seed=7",
                                 "gen:ideal?n=16&beta=4",
                                 "gen:blockband?n=20&block=5&density=0.5",
                                 "gen:laplace2d?n=5",
                                 "gen:laplace3d?n=3",
                                 "gen:rmat?scale=4&edges=3",
                                 "gen:rmat?scale=3&a=0.25&b=0.25&c=0.25",
                                 "gen:diagonal?n=9&band=3",
                                 "gen:powerlaw?n=30&mean=3&exponent=2&max=9",
                                 "gen:denserow?n=20&dense=2&degree=2",
                                 "gen:lopsided?rows=9&cols=30&longest=20&degree=3",
                                 "gen:uniform",
                                 "gen:ideal?n=17&beta=4",
                                 "gen:diagonal?n=9&band=2",
                                 "gen:unifrom?n=3",
                                 "gen:uniform?n",
                                 "gen:uniform?n=1.5",
                                 "gen:uniform?n=3&n=4",
                                 "gen:uniform?m=3",
                                 "gen:uniform?density=nan",
                                 "gen:rmat?a=0.9&b=0.9",
                                 "uniform",
                                 "gen:"})
    visit("generator", std::to_string(std::string_view(spec).size()), spec);
  const std::pair<int, const char*> options[] = {
      {0, "512M"},     {0, "8GiB"},     {0, "1.5k"},       {0, "1e30T"},     {0, "-1"},
      {0, "nan"},      {1, "10:1"},     {1, "ax:atx=1:0"}, {1, "0:0"},       {1, "1e308:1e308"},
      {2, "4"},        {2, "4x2"},      {2, "64X64"},      {2, "65"},        {2, "4x"},
      {3, "512"},      {3, "256x2048"}, {3, "0"},          {3, "300"},       {4, "24x80"},
      {4, "1"},        {5, "npz"},      {5, "h5"},         {5, "sparsmith"}, {6, "a.mtx"},
      {6, "a.mtx.gz"}, {6, "a.bsp.h5"}, {6, "a.H5"},       {6, "a.npz"},     {6, "-"},
      {6, "a.txt"},    {7, "csr"},      {7, "gcsb_tile"},  {7, "dia"},       {8, "--beta"},
      {8, "--tile"},   {8, "--nothing"}};
  for (const auto& [which, text] : options)
    visit("options", fmt::format("{}", which), std::string(1, static_cast<char>(which)) + text);

  const std::vector<made::json> lines = {
      made::raced_line("a.mtx"), made::failed_line("b.mtx", "input", "broken"), made::analysed_line("c.mtx"),
      made::csr_line("d.mtx", true), made::predicted_line("e.mtx")};
  for (const made::json& line : lines) visit("result_line", line["name"].get<std::string>(), line.dump());
  for (const char* const odd :
       {"{}", "[]", "null", "{\"recommendation\":{}}", "{\"analysis\":[],\"name\":3", "1e999"})
    visit("result_line", "odd", odd);
  const auto put = [&](const char* name, const std::string& text) { visit("journal", name, text); };
  const std::string a = lines[1].dump() + "\n", b = lines[2].dump() + "\n";
  put("empty", "");
  put("one", a);
  put("two", a + b);
  put("again", a + b + a);
  put("torn", a + b.substr(0, b.size() / 2));
  put("torn-zeros", a + std::string(40, '\0'));
  put("foreign", a + "# somebody else's");
  put("broken", "{}\nnull\n" + a + "[1,2]\n{\"schema\":\"sparsmith.batch/1\",\"key\":3}\n");
  put("other-order", "{\"name\":\"x\"," + a.substr(1));
  const std::string asked = "\"options\":";
  put("deep", a.substr(0, a.find(asked) + asked.size()) + std::string(100000, '[') +
                  std::string(100000, ']') + ",\"result\":\"ok\"}\n" + b);
  put("cut-inside", b.substr(0, b.find("\"analysis\":") + 11) + "}\n");
}

void conversion_seeds(const seed_visitor& visit) {
  for (std::size_t format = 0; format < format_names().size(); ++format)
    for (const int variant : {0, 1, 2}) {
      std::string bytes;
      const auto add = [&](const auto value) {
        bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
      };
      add(static_cast<std::uint8_t>(format));
      add(static_cast<std::uint8_t>(variant));
      for (const std::int32_t n : {variant == 0 ? 32 : 3, variant == 0 ? 1024 : 5, variant - 1}) add(n);
      add(variant == 0 ? 3.0 : 100.0);
      for (const std::int32_t n : {4, variant + 1, variant == 0 ? 32 : 4 << variant}) add(n);
      add(static_cast<std::uint8_t>(variant));
      add(std::int32_t{variant == 2 ? 32 : 0});
      add(static_cast<std::uint8_t>(variant == 1));
      for (const std::int32_t n : {variant == 0 ? 32 : 4, variant * 3}) add(n);
      add(static_cast<std::uint8_t>(variant));
      for (const std::int32_t n : {variant == 0 ? 0 : 256, variant == 0 ? 0 : 512, variant == 0 ? 32 : 4, 0})
        add(n);
      add(static_cast<std::uint8_t>(variant));
      add(std::int32_t{variant == 1 ? 1 : 64});
      add(variant == 0 ? -1.0 : variant == 1 ? 0.0 : 0.2);
      add(std::uint8_t{40});
      add(std::uint8_t{37});
      for (int i = 0; i < 90; ++i)
        for (const int n : {i * i % 41, i * 7 % 39, i % 11 - 3}) add(static_cast<std::uint8_t>(n));
      visit("conversion", fmt::format("{}-{}", format_names()[format], variant), bytes);
    }
}

}  // namespace

void make_seeds(const seed_visitor& visit) {
  for (std::size_t i = 0; i < matrix_texts().size(); ++i) {
    const std::string& text = matrix_texts()[i];
    visit("matrix_market", std::to_string(i), text);
    if (i < 4) visit("gzip", std::to_string(i), packed_gzip(text, static_cast<int>(2 * i)));
  }
  petsc_seeds(visit);
  matlab_seeds(visit);
  for (std::size_t i = 0; i < metis_texts().size(); ++i) visit("metis", std::to_string(i), metis_texts()[i]);
  for (std::size_t i = 0; i < edge_texts().size(); ++i) visit("edges", std::to_string(i), edge_texts()[i]);
  for (std::size_t i = 0; i < boeing_texts().size(); ++i)
    visit("rutherford_boeing", std::to_string(i), boeing_texts()[i]);
  for (const std::string& refused : refused_boeing_texts()) visit("rutherford_boeing", "refused", refused);
  const std::string text = matrix_texts()[0];
  visit("gzip", "members",
        packed_gzip(text.substr(0, 60), 6) + packed_gzip(text.substr(60), 0) + std::string(5, '\0'));
  visit("gzip", "torn", packed_gzip(text, 6).substr(0, 50));
  npy_seeds(visit);
  npz_seeds(visit);
  binsparse_seeds(visit);
  grouped_seeds(visit);
  written_seeds<std::int32_t, double>(visit, "d");
  written_seeds<std::int64_t, float>(visit, "wf");
  complex_seeds<std::int64_t, complex128>(visit, "wc");
  complex_seeds<std::int32_t, complex64>(visit, "cf");
  archive_seeds(visit);
  conversion_seeds(visit);
  line_seeds(visit);
}

void seeds_from_folder(const std::string& folder, const seed_visitor& visit) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.file_size() < (64u << 10)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    const auto ends = [&](std::initializer_list<const char*> list) {
      return std::any_of(list.begin(), list.end(), [&](const char* end) { return name.ends_with(end); });
    };
    const char* const target = ends({".tar.gz", ".tgz", ".tar", ".zip", ".bz2", ".xz", ".zst"}) ? "archive"
                               : ends({".gz"})                                                  ? "gzip"
                               : ends({".bsp.h5"})                                              ? "binsparse"
                               : ends({".h5ad"})                                                ? "anndata"
                               : ends({".h5"})                                                  ? "container"
                               : ends({".npz"})                                                 ? "npz"
                               : ends({".npy"})                                                 ? "npy"
                               : ends({".mat"})                                                 ? "matlab"
                               : ends({".mtx"})                           ? "matrix_market"
                               : ends({".smat", ".edges", ".gr", ".wel"}) ? "edges"
                               : ends({".graph", ".metis"})               ? "metis"
                               : !matrix_text_ending(name).empty()        ? "rutherford_boeing"
                                                                          : nullptr;
    if (target == nullptr) continue;
    std::ifstream in(file, std::ios::binary);
    visit(target, name, {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()});
  }
}

}  // namespace sparsmith::fuzz
