// MATLAB 7.3: the one matrix there is, or the one that is named, sparse or full, in structs too; and a
// refusal for each thing that can be wrong. What is read of real files, tests/scipy_check.py compares.
#include "convert/io/matlab_hdf5.hpp"

#include "convert/io/matlab_variables.hpp"
#include "convert/io/read.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/handmade_hdf5.hpp"

using namespace sparsmith;
using namespace sparsmith::test;

namespace {

constexpr hsize_t user_block = 512;

class mat_file : public handmade_hdf5 {
 public:
  mat_file() : handmade_hdf5(".mat", user_block) {}

  void matlab_class(const char* name) { put_text(place(), "MATLAB_class", name); }

  // 2 x 3 with three entries, in columns.
  void sparse(const char* name, std::int64_t rows = 2,
              std::initializer_list<std::int64_t> starts = {0, 1, 1, 3},
              std::initializer_list<std::int64_t> indices = {1, 0, 1},
              std::initializer_list<double> values = {1.5, -2, 3}, const char* of_class = "double") {
    enter(name);
    matlab_class(of_class);
    put_numbers(place(), "MATLAB_sparse", {rows});
    array("jc", H5T_STD_U64LE, H5T_NATIVE_INT64, starts, {starts.size()});
    // MATLAB leaves arrays without elements out.
    if (indices.size() > 0) array("ir", H5T_STD_U64LE, H5T_NATIVE_INT64, indices, {indices.size()});
    const bool logical = std::string(of_class) == "logical";
    if (values.size() > 0)
      array("data", logical ? H5T_STD_U8LE : H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, {values.size()});
    leave();
  }
  void full(const char* name, std::initializer_list<double> values, std::vector<hsize_t> extents,
            const char* of_class = "double") {
    array(name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, values, std::move(extents), false,
          [&](hid_t set) { put_text(set, "MATLAB_class", of_class); });
  }

  // With MATLAB's own bytes before HDF5's.
  const std::string& path() {
    const std::string& path = handmade_hdf5::path();
    const std::string start = "MATLAB 7.3 MAT-file, by hand";
    for (std::size_t i = 0; i < start.size(); ++i) file().put(i, start[i]);
    const char version[] = {0, 2, 'I', 'M'};
    for (std::size_t i = 0; i < 4; ++i) file().put(124 + i, version[i]);
    return path;
  }
  matrix_entries read(const std::string& variable = {}) {
    return read_matrix(path(), {}, {.variable = variable});
  }
  std::string refusal(const std::string& variable = {}) {
    const std::string& name = path();
    return failure_of([&] { read_matrix(name, {}, {.variable = variable}); }).substr(name.size() + 2);
  }
};

bool is_small(const matrix_entries& m) {
  return m.entries.rows == 2 && m.entries.cols == 3 &&
         std::ranges::equal(m.entries.row_indices, std::vector<std::int32_t>{1, 0, 1}) &&
         std::ranges::equal(m.entries.col_indices, std::vector<std::int32_t>{0, 2, 2}) &&
         std::ranges::equal(m.entries.values, std::vector<double>{1.5, -2, 3});
}

}  // namespace

TEST_CASE("the only sparse matrix of MATLAB 7.3 is read, whatever is beside it") {
  mat_file f;
  f.full("b", {1, 2, 3, 4}, {2, 2});
  f.sparse("S");
  f.enter("#refs#");
  f.sparse("hidden");
  f.leave();
  const matrix_entries m = f.read();
  CHECK(is_small(m));
  CHECK(m.note == "S was read");
  CHECK(m.origin == "MATLAB 7.3 sparse");
  CHECK(m.field == "real");
}

TEST_CASE("SuiteSparse's Problem.A of MATLAB 7.3 goes before all others") {
  mat_file f;
  f.sparse("before", 9, {0, 0}, {}, {});
  f.enter("Problem");
  f.matlab_class("struct");
  f.sparse("A");
  f.sparse("Zeros", 2, {0, 0}, {}, {});
  f.enter("aux");
  f.matlab_class("struct");
  f.sparse("Time", 4, {0, 0, 0}, {}, {});
  f.leave();
  f.leave();
  CHECK(is_small(f.read()));
  const matrix_entries named = f.read("Problem.aux.Time");
  CHECK(named.entries.rows == 4);
  CHECK(named.entries.cols == 2);
  CHECK(named.entries.values.size() == 0);
  CHECK(f.refusal("Problem.B") ==
        "holds no matrix Problem.B, but Problem.A (sparse 2 x 3), Problem.Zeros (sparse 2 x 1), "
        "Problem.aux.Time (sparse 4 x 2), before (sparse 9 x 1)");
  CHECK(f.refusal("Problem").starts_with("holds no matrix Problem, but Problem.A (sparse 2 x 3), "));
}

TEST_CASE("a full matrix of MATLAB 7.3 is read where there is no sparse one") {
  mat_file f;
  f.full("scalar", {4}, {1, 1});
  f.full("M", {0, 5, 0, 0, 6, 7}, {2, 3});
  const matrix_entries m = f.read();
  CHECK(m.origin == "MATLAB 7.3 full");
  CHECK(m.entries.rows == 3);
  CHECK(m.entries.cols == 2);
  CHECK(m.array_zeros == 3);
  CHECK(std::ranges::equal(m.entries.row_indices, std::vector<std::int32_t>{1, 1, 2}));
  CHECK(std::ranges::equal(m.entries.col_indices, std::vector<std::int32_t>{0, 1, 1}));
  CHECK(std::ranges::equal(m.entries.values, std::vector<double>{5, 6, 7}));
  CHECK(f.read("scalar").entries.values.size() == 1);
}

TEST_CASE("several matrices of MATLAB 7.3 are listed") {
  mat_file f;
  f.sparse("A");
  f.sparse("B");
  f.full("c", {1, 2}, {1, 2});
  CHECK(f.refusal() ==
        "holds several matrices, name one with --variable: A (sparse 2 x 3), B (sparse 2 x 3)");
  mat_file g;
  g.full("x", {1, 2}, {1, 2});
  g.full("y", {1, 2}, {2, 1});
  CHECK(g.refusal() ==
        "holds several matrices, name one with --variable: x (double 2 x 1), y (double 1 x 2)");
}

TEST_CASE("a file of MATLAB 7.3 without a matrix says what it has") {
  mat_file f;
  f.full("text", {72, 105}, {2, 1}, "char");
  f.full("cube", {1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2});
  f.array<double>("none", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {0, 3}, {2}, false, [](hid_t set) {
    handmade_hdf5::put_text(set, "MATLAB_class", "double");
    handmade_hdf5::put_numbers(set, "MATLAB_empty", {1});
  });
  // MATLAB's own, which has no names that a user could give.
  f.enter("#refs#");
  f.leave();
  f.full("#subsystem#", {1, 2, 3, 4}, {2, 2});
  CHECK(f.refusal() == "holds no matrix, but cube (double 2 x 2 x 2), none (double), text (char)");
  mat_file g;
  CHECK(g.refusal() == "holds no matrix, but no variables");
}

TEST_CASE("texts, objects and cells of MATLAB 7.3 are no matrices") {
  mat_file f;
  for (const char* const name : {"string", "table", "affine2d", "function_handle"})
    f.array<double>(name, H5T_STD_U32LE, H5T_NATIVE_DOUBLE, {1, 2, 3, 4, 5, 6}, {6, 1}, false,
                    [&](hid_t set) { handmade_hdf5::put_text(set, "MATLAB_class", name); });
  f.array<double>("decoded", H5T_STD_U32LE, H5T_NATIVE_DOUBLE, {1, 2}, {2, 1}, false, [](hid_t set) {
    handmade_hdf5::put_text(set, "MATLAB_class", "uint32");
    handmade_hdf5::put_numbers(set, "MATLAB_object_decode", {3});
  });
  CHECK(
      f.refusal() ==
      "holds no matrix, but affine2d (affine2d), decoded (uint32), function_handle (function_handle), string "
      "(string), table (table)");
}

TEST_CASE("a struct of MATLAB 7.3 that is a part of itself has an end") {
  mat_file f;
  f.matlab_class("struct");
  for (char name = 'a'; name < 'j'; ++name)
    ::H5Lcreate_hard(f.place(), "/", f.place(), std::string(1, name).c_str(), H5P_DEFAULT, H5P_DEFAULT);
  CHECK(f.refusal() == "holds more than 10000 variables and fields");
}

TEST_CASE("what is damaged beside the matrix that is meant does not matter") {
  mat_file f;
  f.enter("Broken");
  f.matlab_class("double");
  f.put_numbers(f.place(), "MATLAB_sparse", {3});
  f.leave();
  f.enter("Problem");
  f.matlab_class("struct");
  f.sparse("A");
  f.leave();
  CHECK(is_small(f.read()));
  CHECK(is_small(f.read("Problem.A")));
  CHECK(f.refusal("Broken") == "array jc is missing");
}

TEST_CASE("complex values of a sparse matrix of MATLAB 7.3 are refused, read, or their pattern is read") {
  mat_file f;
  f.sparse("A", 2, {0, 1}, {1}, {});
  const hid_t group = ::H5Gopen2(f.place(), "A", H5P_DEFAULT);
  const hid_t pair = ::H5Tcreate(H5T_COMPOUND, 16);
  ::H5Tinsert(pair, "real", 0, H5T_IEEE_F64LE);
  ::H5Tinsert(pair, "imag", 8, H5T_IEEE_F64LE);
  const hsize_t one = 1;
  const hid_t space = ::H5Screate_simple(1, &one, nullptr);
  const hid_t data = ::H5Dcreate2(group, "data", pair, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const double value[] = {3, -4};
  ::H5Dwrite(data, pair, H5S_ALL, H5S_ALL, H5P_DEFAULT, value);
  ::H5Dclose(data);
  ::H5Sclose(space);
  ::H5Tclose(pair);
  ::H5Gclose(group);
  const std::string path = f.path();
  CHECK(failure_of([&] { read_matrix(path); }, failure::unsupported) ==
        path + ": array data is complex, which is not supported yet");
  const matrix_entries m = read_matrix(path, {}, {complex_values::pattern_only});
  CHECK(m.field == "complex");
  CHECK(std::ranges::equal(m.entries.row_indices, std::vector<std::int32_t>{1}));
  const matrix_entries parts = read_matrix(path, {}, {complex_values::keep});
  CHECK(std::ranges::equal(parts.entries.values, std::vector<double>{3}));
  CHECK(std::ranges::equal(parts.imaginary, std::vector<double>{-4}));
  CHECK(parts.symmetry == symmetry_kind::general);
}

TEST_CASE("what is wrong with a sparse matrix of MATLAB 7.3 is said") {
  const auto said = [](std::int64_t rows, std::initializer_list<std::int64_t> starts,
                       std::initializer_list<std::int64_t> indices, std::initializer_list<double> values) {
    mat_file f;
    f.sparse("A", rows, starts, indices, values);
    return f.refusal();
  };
  CHECK(said(2, {}, {1, 0, 1}, {1, 2, 3}) == "array jc is empty");
  CHECK(holds(said(2, {0, 1, 1, 4}, {1, 0, 1}, {1, 2, 3}), "jc"));
  CHECK(holds(said(2, {0, 2, 1, 3}, {1, 0, 1}, {1, 2, 3}), "jc"));
  CHECK(said(2, {0, 1, 1, 3}, {1, 0}, {1, 2, 3}) == "ir has 2 elements instead of 3 (as many as data)");
  CHECK(holds(said(2, {0, 1, 1, 3}, {1, 0, 2}, {1, 2, 3}), "ir"));
  CHECK(said(2, {0, 1, 1, 3}, {}, {1, 2, 3}) == "array ir is missing");
  CHECK(holds(said(2, {0, 1, 1, 3}, {1, 0, 1}, {}), "jc"));
  CHECK(holds(said(std::int64_t{1} << 31, {0, 1, 1, 3}, {1, 0, 1}, {1, 2, 3}), "2147483648 rows"));
  mat_file f;
  f.enter("A");
  f.matlab_class("double");
  f.put_numbers(f.place(), "MATLAB_sparse", {1, 2});
  f.array<std::int64_t>("jc", H5T_STD_U64LE, H5T_NATIVE_INT64, {0, 0}, {2});
  f.leave();
  CHECK(f.refusal() == "attribute MATLAB_sparse is not one number");
}

TEST_CASE("an array of HDF5 holds what is stored of it, whatever its extents say") {
  // HDF5's own words for where an array lies: version 3, and 0 in the header with a size, or 1 elsewhere
  // with an address and a size.
  for (const bool in_the_header : {true, false}) {
    mat_file f;
    const hsize_t extents[] = {3, 5};
    const hid_t space = ::H5Screate_simple(2, extents, nullptr);
    const hid_t creation = ::H5Pcreate(H5P_DATASET_CREATE);
    ::H5Pset_layout(creation, in_the_header ? H5D_COMPACT : H5D_CONTIGUOUS);
    const hid_t set = ::H5Dcreate2(f.place(), "A", H5T_IEEE_F64LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const std::vector<double> values(15, 1.5);
    ::H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    handmade_hdf5::put_text(set, "MATLAB_class", "double");
    ::H5Dclose(set);
    ::H5Pclose(creation);
    ::H5Sclose(space);
    CHECK(f.read().entries.values.size() == 15);
    const std::string bytes = f.file().bytes();
    std::size_t at = 0;
    for (std::size_t i = user_block; i + 20 < bytes.size() && at == 0; ++i)
      if (bytes[i] == 3 && bytes[i + 1] == (in_the_header ? 0 : 1) &&
          bytes[i + (in_the_header ? 2 : 10)] == 120)
        at = i + (in_the_header ? 2 : 10);
    REQUIRE(at > 0);
    f.file().put(at, 112);
    CHECK(f.refusal("A") == "array A has 15 elements, more than the file holds");
  }
}

TEST_CASE("logical values of MATLAB 7.3 are whole numbers") {
  mat_file f;
  f.sparse("A", 2, {0, 1, 1, 3}, {1, 0, 1}, {1, 1, 1}, "logical");
  const matrix_entries m = f.read();
  CHECK(m.field == "integer");
  CHECK(std::ranges::equal(m.entries.values, std::vector<double>{1, 1, 1}));
}

TEST_CASE("--variable is for files that hold several matrices") {
  const std::string said =
      failure_of([] { read_matrix("gen:laplace2d?n=3", {}, {.variable = "A"}); }, failure::usage);
  CHECK(holds(said, "which holds one matrix: --variable means nothing to it"));
}
