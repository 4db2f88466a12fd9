// The reader of MAT-files: what is read, which matrix is chosen, and one file for every rule that it refuses.
#include "convert/io/matlab.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "tests/catch.hpp"
#include "tests/convert/io/text_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

bool big = false;  // the byte order that is written

template <class T>
std::string raw(const std::vector<T>& numbers) {
  std::string bytes;
  for (const T number : numbers) {
    std::string one(reinterpret_cast<const char*>(&number), sizeof number);
    if (big) std::reverse(one.begin(), one.end());
    bytes += one;
  }
  return bytes;
}

template <class T>
constexpr std::uint32_t type_of() {
  constexpr std::uint32_t of_sizes[] = {0, 1, 3, 0, 5, 0, 0, 0, 12};
  if constexpr (std::is_floating_point_v<T>)
    return sizeof(T) == 4 ? 7 : 9;
  else
    return of_sizes[sizeof(T)] + (std::is_unsigned_v<T> ? 1 : 0);
}

std::string element(std::uint32_t type, std::string data) {
  const auto size = static_cast<std::uint32_t>(data.size());
  if (size > 0 && size <= 4) return raw<std::uint32_t>({size << 16 | type}) + data + std::string(4 - size, 0);
  return raw<std::uint32_t>({type, size}) + data + std::string((8 - size % 8) % 8, '\0');
}
template <class T>
std::string numbers(const std::vector<T>& list) {
  return element(type_of<T>(), raw(list));
}

constexpr std::uint32_t cell_class = 1, struct_class = 2, char_class = 4, sparse_class = 5, double_class = 6,
                        single_class = 7, uint16_class = 11, int64_class = 14;
constexpr std::uint32_t logical = 0x200, complex = 0x800;

std::string matrix_element(const std::string& content) {
  return raw<std::uint32_t>({14, static_cast<std::uint32_t>(content.size())}) + content;
}
std::string flags_of(std::uint32_t kind) {
  return raw<std::uint32_t>({6, 8, kind, 99});
}
std::string array_of(const std::string& name, std::uint32_t kind, const std::vector<std::int32_t>& sizes,
                     const std::string& content) {
  return matrix_element(flags_of(kind) + numbers(sizes) + element(1, name) + content);
}

// 3 x 4: (0, 0) = 1, (2, 0) = 2, (1, 3) = 3; ir has two elements more than entries.
const std::vector<std::int32_t> some_rows = {0, 2, 1, 7, -1}, some_starts = {0, 2, 2, 2, 3};
template <class T>
std::string sparse_of(const std::string& name, const std::vector<T>& values, std::uint32_t flags = 0) {
  return array_of(name, sparse_class | flags, {3, 4},
                  numbers(some_rows) + numbers(some_starts) + numbers(values));
}
const std::vector<triplet> sparse_entries = {{0, 0, 1}, {2, 0, 2}, {1, 3, 3}};

template <class T>
std::string full_of(const std::string& name, const std::vector<std::int32_t>& sizes,
                    const std::vector<T>& values, std::uint32_t kind = double_class) {
  return array_of(name, kind, sizes, numbers(values));
}

std::string struct_of(const std::string& name, const std::vector<std::pair<std::string, std::string>>& fields,
                      const std::vector<std::int32_t>& sizes = {1, 1}) {
  constexpr std::int32_t length = 8;
  std::string names, content;
  for (const auto& [field, value] : fields) {
    names += field + std::string(length - field.size(), '\0');
    content += value;
  }
  return array_of(name, struct_class, sizes, numbers<std::int32_t>({length}) + element(1, names) + content);
}

std::string deflated(const std::string& bytes) {
  uLongf size = ::compressBound(static_cast<uLong>(bytes.size()));
  std::string result(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(result.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
             static_cast<uLong>(bytes.size()));
  result.resize(size);
  return result;
}
std::string packed_bytes(const std::string& bytes) {
  return raw<std::uint32_t>({15, static_cast<std::uint32_t>(bytes.size())}) + bytes;
}
std::string packed(const std::string& bytes) {
  return packed_bytes(deflated(bytes));
}

std::string header() {
  std::string text = "MATLAB 5.0 MAT-file";
  text.resize(124, ' ');
  return text + raw<std::uint16_t>({0x0100, 0x4d49});
}

matrix_entries read(const std::string& variables, const std::string& name = {},
                    complex_values if_complex = complex_values::refuse) {
  return read_matlab(source_of("m", header() + variables, 1 << 20, 7), name, {}, if_complex);
}
std::string message_of(const std::string& bytes, const std::string& name = {}) {
  return refusal_of([&](std::size_t step) { read_matlab(source_of("m", bytes, 1 << 20, step), name); });
}
std::string message_for(const std::string& variables, const std::string& name = {}) {
  return message_of(header() + variables, name);
}

bool holds(const matrix_entries& m, std::int32_t rows, std::int32_t cols, const std::vector<triplet>& list) {
  return m.entries.rows == rows && m.entries.cols == cols && same_triplets(triplets_of(m), list);
}

template <class T>
void check_values() {
  INFO(type_of<T>());
  const std::vector<T> values = {1, 2, 3};
  const matrix_entries m = read(sparse_of("A", values));
  CHECK(holds(m, 3, 4, sparse_entries));
  CHECK(m.field == "real");
  CHECK(m.single_precision == std::is_same_v<T, float>);
  CHECK(m.rounded_values == 0);
  CHECK(m.origin == "MATLAB 5 sparse");
  const matrix_entries full = read(full_of<T>("A", {2, 3}, {1, 0, 0, 0, 5, 6}));
  CHECK(holds(full, 2, 3, {{0, 0, 1}, {0, 2, 5}, {1, 2, 6}}));
  CHECK(full.array_zeros == 3);
  CHECK(full.origin == "MATLAB 5 full");
}

}  // namespace

TEST_CASE("MATLAB's matrices are read in both byte orders and of all types", "[matlab]") {
  for (const bool order : {false, true}) {
    big = order;
    REQUIRE(is_matlab(header()));
    check_values<std::int8_t>();
    check_values<std::uint8_t>();
    check_values<std::int16_t>();
    check_values<std::uint16_t>();
    check_values<std::int32_t>();
    check_values<std::uint32_t>();
    check_values<std::int64_t>();
    check_values<std::uint64_t>();
    check_values<float>();
    check_values<double>();
    const std::string one = sparse_of<double>("A", {1, 2, 3});
    CHECK(holds(read(packed(one)), 3, 4, sparse_entries));
    CHECK(read(packed(one)).note.empty());
    // Indices are of any width.
    const std::string wide =
        array_of("A", sparse_class, {3, 4},
                 numbers<std::uint8_t>({0, 2, 1}) + numbers<std::uint64_t>({0, 2, 2, 2, 3}) +
                     numbers<double>({1, 2, 3}));
    CHECK(holds(read(wide), 3, 4, sparse_entries));
    const std::string in_struct = struct_of("S", {{"x", full_of<double>("", {1, 1}, {5})}, {"A", one}});
    CHECK(holds(read(packed(in_struct)), 3, 4, sparse_entries));
    CHECK(holds(read(in_struct, "S.x"), 1, 1, {{0, 0, 5}}));
  }
  big = false;
}

TEST_CASE("what a MATLAB class means is kept", "[matlab]") {
  const matrix_entries flags = read(sparse_of<std::uint8_t>("A", {1, 2, 1}, logical));
  CHECK(flags.field == "integer");
  CHECK(holds(flags, 3, 4, {{0, 0, 1}, {2, 0, 1}, {1, 3, 1}}));
  // Bytes, though they are called doubles.
  const std::string as_bytes = array_of("A", sparse_class | logical, {3, 4},
                                        numbers(some_rows) + numbers(some_starts) + element(9, "\1\1\1"));
  CHECK(holds(read(as_bytes), 3, 4, {{0, 0, 1}, {2, 0, 1}, {1, 3, 1}}));
  const matrix_entries yes = read(full_of<std::uint8_t>("A", {1, 3}, {0, 1, 1}, 9 | logical));
  CHECK(yes.field == "integer");
  const matrix_entries single = read(full_of<std::uint8_t>("A", {1, 2}, {1, 2}, single_class));
  CHECK(single.single_precision);
  CHECK(single.field == "real");
  CHECK(read(full_of<std::uint16_t>("A", {1, 2}, {1, 2}, uint16_class)).field == "integer");
  const matrix_entries large =
      read(full_of<std::int64_t>("A", {1, 2}, {1, (std::int64_t{1} << 53) + 1}, int64_class));
  CHECK(large.field == "integer");
  CHECK(large.rounded_values == 1);
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(holds(read(full_of<double>("A", {1, 2}, {-0.0, inf})), 1, 2, {{0, 1, inf}}));
  CHECK(holds(read(sparse_of<double>("A", {1, 0, 3})), 3, 4, {{0, 0, 1}, {2, 0, 0}, {1, 3, 3}}));
}

TEST_CASE("sparse matrices of MATLAB may be empty and have a place twice", "[matlab]") {
  const auto empty = [](std::int32_t rows, std::int32_t cols) {
    return array_of("A", sparse_class, {rows, cols},
                    numbers<std::int32_t>({}) +
                        numbers(std::vector<std::int32_t>(static_cast<std::size_t>(cols) + 1)) +
                        numbers<double>({}));
  };
  CHECK(holds(read(empty(0, 3)), 0, 3, {}));
  CHECK(holds(read(empty(5, 0)), 5, 0, {}));
  CHECK(holds(read(empty(0, 0)), 0, 0, {}));
  const std::string twice =
      array_of("A", sparse_class, {3, 1},
               numbers<std::int32_t>({1, 1, 2}) + numbers<std::int32_t>({0, 3}) + numbers<double>({1, 2, 3}));
  CHECK(holds(read(twice), 3, 1, {{1, 0, 1}, {1, 0, 2}, {2, 0, 3}}));
}

TEST_CASE("of complex matrices of MATLAB the pattern is read", "[matlab]") {
  const std::string sparse = array_of("A", sparse_class | complex, {3, 4},
                                      numbers(some_rows) + numbers(some_starts) + numbers<double>({0, 2, 3}) +
                                          numbers<std::int8_t>({1, 0, 0}));
  const std::string full = array_of("A", double_class | complex, {1, 4},
                                    numbers<double>({0, 0, 3, 4}) + numbers<std::uint8_t>({0, 5, 0, 6}));
  for (const std::string& variable : {sparse, full}) {
    CHECK(message_for(variable) == "m: A is complex, which is not supported yet");
    CHECK(message_for(packed(variable)) == "m: A is complex, which is not supported yet");
    CHECK(read(variable, {}, complex_values::pattern_only).field == "complex");
  }
  const matrix_entries m = read(sparse, {}, complex_values::pattern_only);
  CHECK(holds(m, 3, 4, {{0, 0, 1}, {2, 0, 1}, {1, 3, 1}}));
  const matrix_entries f = read(full, {}, complex_values::pattern_only);
  CHECK(holds(f, 1, 4, {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}}));
  CHECK(f.array_zeros == 1);
  const matrix_entries parts = read(sparse, {}, complex_values::keep);
  CHECK(holds(parts, 3, 4, {{0, 0, 0}, {2, 0, 2}, {1, 3, 3}}));
  CHECK(std::ranges::equal(parts.imaginary, std::vector<double>{1, 0, 0}));
  const matrix_entries full_parts = read(full, {}, complex_values::keep);
  CHECK(holds(full_parts, 1, 4, {{0, 1, 0}, {0, 2, 3}, {0, 3, 4}}));
  CHECK(std::ranges::equal(full_parts.imaginary, std::vector<double>{5, 0, 6}));
  CHECK(full_parts.array_zeros == 1);
  // One that is not read in the end may be complex.
  CHECK(holds(read(full + sparse_of<double>("B", {1, 2, 3})), 3, 4, sparse_entries));
}

TEST_CASE("the matrix of a MAT-file is the one that is meant", "[matlab]") {
  const std::string a = sparse_of<double>("A", {1, 2, 3}), b = sparse_of<double>("B", {4, 5, 6});
  const std::string full = full_of<double>("F", {1, 2}, {7, 8}), scalar = full_of<double>("x", {1, 1}, {9}),
                    empty = full_of<double>("e", {0, 3}, {}),
                    text = array_of("t", char_class, {1, 2}, element(16, "ab")),
                    cell = array_of("c", cell_class, {1, 1}, full),
                    cube = full_of<double>("q", {1, 2, 1}, {1, 2}),
                    opaque = matrix_element(flags_of(17) + element(1, "o") + element(1, "MCOS")),
                    own = full_of<std::uint8_t>("", {1, 2}, {1, 2}),
                    list = struct_of("l", {{"A", a}, {"B", b}}, {1, 2});
  const std::vector<triplet> b_entries = {{0, 0, 4}, {2, 0, 5}, {1, 3, 6}};
  const auto pack_if = [](bool yes, const std::string& bytes) { return yes ? packed(bytes) : bytes; };
  for (const bool pack : {false, true}) {
    const auto p = [&](const std::string& bytes) { return pack_if(pack, bytes); };
    const std::string rest =
        p(scalar) + p(empty) + p(text) + p(cell) + p(cube) + p(opaque) + p(own) + p(list);
    const matrix_entries only = read(rest + p(full) + p(a) + rest);
    CHECK(holds(only, 3, 4, sparse_entries));
    CHECK(only.note == "A was read");
    CHECK(holds(read(p(full) + rest), 1, 2, {{0, 0, 7}, {0, 1, 8}}));
    CHECK(holds(read(p(full) + rest + p(struct_of("S", {{"T", struct_of("", {{"A", a}})}}))), 3, 4,
                sparse_entries));
    // SuiteSparse's, wherever it is, and nothing behind it is looked at.
    const std::string problem =
        struct_of("Problem", {{"none", matrix_element("")}, {"Z", a}, {"A", b}, {"Y", a}});
    const matrix_entries chosen = read(p(a) + p(full) + p(problem) + "what follows");
    CHECK(holds(chosen, 3, 4, b_entries));
    CHECK(chosen.note == "Problem.A was read");
    CHECK(holds(read(p(full) + p(struct_of("Problem", {{"A", full}})) + p(a)), 1, 2, {{0, 0, 7}, {0, 1, 8}}));
    // By name.
    CHECK(holds(read(p(a) + p(b) + "what follows", "B"), 3, 4, b_entries));
    CHECK(read(p(a) + p(b), "B").note.empty());
    CHECK(holds(read(p(scalar) + p(a), "x"), 1, 1, {{0, 0, 9}}));
    CHECK(holds(read(p(empty) + p(a), "e"), 0, 3, {}));
    CHECK(
        holds(read(p(a) + p(struct_of("S", {{"T", struct_of("", {{"B", b}})}})), "S.T.B"), 3, 4, b_entries));

    CHECK(message_for(p(full) + p(a) + p(struct_of("S", {{"B", b}}))) ==
          "m: holds several matrices, name one with --variable: A (sparse 3 x 4), S.B (sparse 3 x 4)");
    CHECK(message_for(p(full) + rest + p(full_of<double>("G", {2, 1}, {7, 8}))) ==
          "m: holds several matrices, name one with --variable: F (double 1 x 2), G (double 2 x 1)");
    CHECK(message_for(rest) ==
          "m: holds no matrix, but x (double 1 x 1), e (double 0 x 3), t (char 1 x 2), c (cell 1 x 1), q "
          "(double 1 x 2 "
          "x 1), o (object), l (struct 1 x 2)");
    CHECK(message_for(p(a) + p(text), "C") == "m: holds no matrix C, but A (sparse 3 x 4), t (char 1 x 2)");
    CHECK(message_for(p(a) + p(text), "t") == "m: holds no matrix t, but A (sparse 3 x 4), t (char 1 x 2)");
    CHECK(message_for(p(a), "A.A") == "m: holds no matrix A.A, but A (sparse 3 x 4)");
  }
  CHECK(message_for("") == "m: holds no matrix, but no variables");
  CHECK(message_for(sparse_of<double>("a\x01\xff", {1, 2, 3}), "a") ==
        "m: holds no matrix a, but a?? (sparse 3 x 4)");
  std::string many;
  for (int i = 0; i < 12; ++i) many += sparse_of<double>("A" + std::to_string(i), {1, 2, 3});
  CHECK(message_for(many).find("A9 (sparse 3 x 4) and 2 more") != std::string::npos);
  CHECK(message_for(many + full, "B").find("A9 (sparse 3 x 4) and 3 more") != std::string::npos);
  std::string deep = a;
  for (int i = 0; i < 16; ++i) deep = struct_of("S", {{"S", deep}});
  CHECK(holds(read(deep), 3, 4, sparse_entries));
  CHECK(message_for(struct_of("S", {{"S", deep}})).find("holds no matrix, but S.S.") != std::string::npos);
}

TEST_CASE("what is wrong with a MAT-file is said", "[matlab]") {
  CHECK(message_of("%%MatrixMarket") == "m: does not begin as a MAT-file");
  CHECK(message_of(header().substr(0, 127)) == "m: does not begin as a MAT-file");
  std::string newer = header();
  newer[125] = 2;
  CHECK(!is_matlab(newer));
  CHECK(message_of(newer) == "m: does not begin as a MAT-file");
  newer.replace(0, 10, "MATLAB 7.3");
  CHECK(message_of(newer) == "m: is a MATLAB 7.3 file without the HDF5 file that it should be");
  for (const bool order : {false, true}) {
    big = order;
    const auto fourth = [](std::uint32_t complex_flag, const std::string& name) {
      const auto length = static_cast<std::uint32_t>(name.size());
      return raw<std::uint32_t>({big ? 1000u : 0u, 1, 1, complex_flag, length}) + name + raw<double>({5});
    };
    const std::string name("A_1", 4);
    CHECK(is_matlab(fourth(0, name)));
    CHECK(message_of(fourth(0, name)) == "m: is a MATLAB 4 file, which is not supported; save it with -v7");
    CHECK(!is_matlab(fourth(2, name)));
    CHECK(!is_matlab(fourth(0, "A_1")));
    CHECK(!is_matlab(fourth(0, std::string("1_A", 4))));
    CHECK(!is_matlab(fourth(0, std::string("A 1", 4))));
  }
  big = false;

  const std::string whole = header() + sparse_of<double>("A", {1, 2, 3});
  CHECK(message_of(whole.substr(0, 131)) == "m: ends in the head of a variable");
  CHECK(message_of(whole.substr(0, 140)) == "m: ends in the head of a variable");
  CHECK(message_of(whole.substr(0, whole.size() - 1)) == "m: ends in A");
  CHECK(message_for(raw<std::uint32_t>({9, 0})) ==
        "m: an element of type 9 is where a variable should begin");
}

TEST_CASE("what is wrong with a compressed variable is said", "[matlab]") {
  const std::string a = sparse_of<double>("A", {1, 2, 3}), bytes = deflated(a);
  const auto damaged = [](const std::string& what) { return "m: a compressed variable is damaged: " + what; };
  CHECK(message_for(packed_bytes(bytes).substr(0, 30)) == "m: ends in a compressed variable");
  CHECK(message_for(packed_bytes(bytes.substr(0, bytes.size() - 1))) == damaged("its end is missing"));
  CHECK(message_for(packed_bytes(bytes + "x")) == damaged("bytes follow behind its end"));
  std::string wrong = bytes;
  wrong.back() ^= 1;
  CHECK(message_for(packed_bytes(wrong)) == damaged("incorrect data check"));
  CHECK(message_for(packed_bytes("no zlib here")) == damaged("incorrect header check"));
  CHECK(message_for(packed(a + "more")) ==
        damaged(std::to_string(a.size() + 4) + " bytes are in it instead of " + std::to_string(a.size())));
  CHECK(message_for(packed(a.substr(0, a.size() - 3))) ==
        damaged(std::to_string(a.size() - 3) + " bytes are in it instead of " + std::to_string(a.size())));
  CHECK(message_for(packed(raw<std::uint32_t>({15, 8, 0, 0}))) ==
        "m: a variable is of type 15, which is no array");
  // The checksum has the last word, also where the matrix is in a struct and other fields follow.
  const std::string bad =
      array_of("A", sparse_class, {3, 4},
               numbers<std::int32_t>({0, 9, 1}) + numbers(some_starts) + numbers<double>({1, 2, 3}));
  CHECK(message_for(packed(bad)) == "m: A: ir[1] = 9 is outside 0..2");
  wrong = deflated(bad);
  wrong.back() ^= 1;
  CHECK(message_for(packed_bytes(wrong)) == damaged("incorrect data check"));
  wrong = deflated(struct_of("Problem", {{"A", a}, {"b", full_of<double>("", {1, 1}, {1})}}));
  wrong.back() ^= 1;
  CHECK(message_for(packed_bytes(wrong)) == damaged("incorrect data check"));
  // What is passed over is unpacked as far as it is looked at, however the bytes come.
  wrong = deflated(struct_of("S", {{"A", a}, {"B", a}}));
  wrong.back() ^= 1;
  CHECK(message_for(a + packed_bytes(wrong)).find("m: holds several matrices") == 0);
  CHECK(holds(read(packed(a) + packed(full_of<double>("x", {1, 1}, {1})) +
                   packed_bytes(deflated(full_of<double>("y", {1, 1}, {1})) + "x")),
              3, 4, sparse_entries));
}

TEST_CASE("what is wrong with the head of an array is said", "[matlab]") {
  const auto with = [](const std::string& content) { return message_for(matrix_element(content)); };
  const std::string flags = flags_of(sparse_class), sizes = numbers<std::int32_t>({3, 4}),
                    name = element(1, "A");
  CHECK(with("") == "m: a variable is too short for what is in it");
  CHECK(with(sizes) == "m: a variable does not begin with the flags of an array");
  CHECK(with(numbers<std::uint32_t>({5, 0, 0})) == "m: a variable does not begin with the flags of an array");
  const std::string no_sizes = "m: a variable has no sizes that make sense";
  CHECK(with(flags + numbers<std::int32_t>({3})) == no_sizes);
  CHECK(with(flags + numbers<double>({3, 4})) == no_sizes);
  CHECK(with(flags + element(5, "123456789")) == no_sizes);
  CHECK(with(flags + numbers(std::vector<std::int32_t>(65))) == no_sizes);
  CHECK(with(flags + numbers<std::int32_t>({3, -4}) + name) == "m: a variable has sizes below zero (3 x -4)");
  CHECK(with(flags + numbers<std::uint32_t>({3, 3000000000}) + name + numbers(some_rows)) ==
        "m: A: 3000000000 columns are more than the 2147483647 that are supported");
  CHECK(with(flags + sizes + numbers<double>({1})) == "m: a variable has a name of type 9, which is no text");
  CHECK(with(flags + sizes + element(1, std::string(5000, 'A'))) ==
        "m: a variable has a name of 5000 bytes, which are far too many");
  CHECK(with(flags + sizes + raw<std::uint32_t>({5 << 16 | 1, 0, 0})) ==
        "m: a variable has an element of 5 bytes in four");
  CHECK(with(flags + sizes + raw<std::uint32_t>({1, 100})) == "m: a variable is too short for what is in it");

  const auto with_fields = [](const std::string& content) {
    return message_for(array_of("S", struct_class, {1, 1}, content));
  };
  const std::string length = numbers<std::int32_t>({4}), names = element(1, std::string("A\0\0\0B\0\0\0", 8));
  CHECK(with_fields(numbers<double>({4})) == "m: S does not say how long the names of its fields are");
  CHECK(with_fields(numbers<std::int32_t>({4, 4})) ==
        "m: S does not say how long the names of its fields are");
  CHECK(with_fields(length + numbers<double>({4})) == "m: S has names of fields of type 9, which is no text");
  CHECK(with_fields(length + element(1, "ABCDEF")) == "m: S has 6 bytes of names that are 4 bytes long");
  CHECK(with_fields(numbers<std::int32_t>({0}) + names) == "m: S has 8 bytes of names that are 0 bytes long");
  CHECK(with_fields(length + names) == "m: S.A is too short for what is in it");
  CHECK(with_fields(length + names + raw<std::uint32_t>({9, 0})) == "m: S.A is of type 9, which is no array");
  CHECK(with_fields(length + names + raw<std::uint32_t>({14, 8})) ==
        "m: S.A is longer than the struct that it is in");
  CHECK(with_fields(numbers<std::int32_t>({1}) + element(1, "")) == "m: holds no matrix, but no variables");
}

TEST_CASE("what is wrong with the numbers of a matrix is said", "[matlab]") {
  using whole = std::vector<std::int32_t>;
  const auto with = [](const std::string& rows, const std::string& starts, const std::string& values,
                       const std::vector<std::int32_t>& sizes = {3, 4}) {
    return message_for(array_of("A", sparse_class, sizes, rows + starts + values));
  };
  const std::string rows = numbers(some_rows), starts = numbers(some_starts),
                    values = numbers<double>({1, 2, 3});
  REQUIRE(with(rows, starts, values) == "accepted");
  CHECK(with(numbers<double>({0, 2, 1}), starts, values) ==
        "m: A has rows of type 9, which are no whole numbers");
  CHECK(with(rows, numbers<float>({0, 2, 2, 2, 3}), values) ==
        "m: A has starts of columns of type 7, which are no whole numbers");
  CHECK(with(rows, starts, element(16, "abc")) == "m: A has values of type 16, which are no numbers");
  CHECK(with(element(5, "123456"), starts, values) == "m: A has rows in 6 bytes, of which each has 4");
  CHECK(with(rows, element(5, "123456"), values) ==
        "m: A has starts of columns in 6 bytes, of which each has 4");
  CHECK(with(rows, starts, element(9, "123456")) == "m: A has values in 6 bytes, of which each has 8");
  CHECK(with(rows, numbers(whole{0, 2, 2, 3}), values) ==
        "m: A: jc has 4 elements instead of 5 (one more than columns)");
  CHECK(with(rows, numbers(whole{0, 2, 2, 2, 3, 3}), values) ==
        "m: A: jc has 6 elements instead of 5 (one more than columns)");
  CHECK(with(rows, numbers(whole{1, 2, 2, 2, 3}), values) == "m: A: jc[0] = 1 instead of 0");
  CHECK(with(rows, numbers(whole{0, 2, 1, 2, 3}), values) == "m: A: jc falls at 2, from 2 to 1");
  CHECK(with(rows, numbers(whole{0, 2, 2, 2, 6}), values) == "m: A: jc[4] = 6, and ir has 5 elements");
  CHECK(with(rows, numbers<std::uint64_t>({0, 2, 2, 2, ~std::uint64_t{0}}), values)
            .find("m: A: jc[4] = 9223") == 0);
  CHECK(with(rows, numbers(whole{0, 2, 2, 2, 4}), numbers<double>({1, 2, 3, 4})) ==
        "m: A: ir[3] = 7 is outside 0..2");
  CHECK(with(numbers(whole{0, -1, 1}), starts, values) == "m: A: ir[1] = -1 is outside 0..2");
  CHECK(with(numbers<std::int64_t>({0, std::int64_t{1} << 32, 1}), starts, values) ==
        "m: A: ir[1] = 4294967296 is outside 0..2");
  CHECK(with(rows, starts, values, {0, 4}) == "m: A: ir[0] = 0, but the matrix is empty in that direction");
  CHECK(with(numbers(whole{2, 0, 1}), starts, values) == "m: A: ir falls at 1, within column 0");
  CHECK(with(rows, starts, numbers<double>({1, 2})) == "m: A has 2 values for 3 entries");
  CHECK(with(rows, starts, "") == "m: A is too short for what is in it");
  CHECK(with(rows, starts, values + values) == "m: A has 32 bytes behind its values");
  CHECK(with(rows, starts, numbers<double>({1, 2, 3, 4})) == "accepted");

  CHECK(message_for(full_of<double>("A", {2, 2}, {1, 2, 3})) == "m: A has 3 values instead of 4 (2 x 2)");
  CHECK(
      message_for(array_of("L", 9 | logical, {2, 2}, numbers<double>({1, 1}))) ==
      "m: L has 2 values instead of 4 (2 x 2); of a sparse logical matrix GNU Octave saves no more: save it "
      "as double");
  CHECK(message_for(full_of<double>("A", {2, 2}, {1, 2, 3, 4, 5})) ==
        "m: A has 5 values instead of 4 (2 x 2)");
  CHECK(message_for(full_of<double>("A", {2147483647, 2147483647}, {1}))
            .find("m: A has 1 values instead of 46116860") == 0);
  CHECK(message_for(array_of("A", double_class, {1, 2}, element(16, "ab"))) ==
        "m: A has values of type 16, which are no numbers");
  const auto pattern = [](const std::string& variable) {
    return refusal_of([&](std::size_t step) {
      read_matlab(source_of("m", header() + variable, 1 << 20, step), {}, {}, complex_values::pattern_only);
    });
  };
  CHECK(pattern(
            array_of("A", double_class | complex, {1, 2}, numbers<double>({1, 2}) + numbers<double>({1}))) ==
        "m: A has 1 imaginary values instead of 2 (1 x 2)");
  CHECK(
      pattern(array_of("A", sparse_class | complex, {3, 4}, rows + starts + values + numbers<double>({1}))) ==
      "m: A has 1 values for 3 entries");
  CHECK(pattern(array_of("A", sparse_class | complex, {3, 4}, rows + starts + values)) ==
        "m: A is too short for what is in it");
  // What is not read in the end may be wrong.
  CHECK(message_for(full_of<double>("F", {2, 2}, {1}) + sparse_of<double>("A", {1, 2, 3})) == "accepted");
}
