// AnnData's files: X, or another matrix by its place; by rows, by columns and full; of new and of old
// versions; and a refusal for each thing that can be wrong.
#include "convert/io/anndata.hpp"

#include <filesystem>
#include <fstream>

#include "convert/io/read.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/handmade_hdf5.hpp"

using namespace sparsmith;
using namespace sparsmith::test;

namespace {

// What of a matrix is written otherwise than it should be.
struct made_as {
  std::string encoding = "csr_matrix";
  std::vector<std::int64_t> shape = {2, 3};
  const char* left_out = "";
  std::initializer_list<std::int64_t> starts = {0, 2, 3}, indices = {0, 2, 1};
  std::initializer_list<double> values = {1.5, -2, 3};
  hid_t value_type = H5T_IEEE_F64LE;
};

void put_matrix(handmade_hdf5& h, const char* name, const made_as& as = {}) {
  const auto wanted = [&](const char* part) { return std::string(part) != as.left_out; };
  h.enter(name);
  if (wanted("encoding")) h.put_text(h.place(), "encoding-type", as.encoding, true);
  if (wanted("shape")) {
    if (as.shape.size() == 2)
      h.put_numbers(h.place(), "shape", {as.shape[0], as.shape[1]});
    else
      h.put_numbers(h.place(), "shape", {as.shape[0]});
  }
  if (wanted("indptr"))
    h.array("indptr", H5T_STD_I32LE, H5T_NATIVE_INT64, as.starts, {as.starts.size()}, true);
  if (wanted("indices"))
    h.array("indices", H5T_STD_I32LE, H5T_NATIVE_INT64, as.indices, {as.indices.size()}, true);
  if (wanted("data")) h.array("data", as.value_type, H5T_NATIVE_DOUBLE, as.values, {as.values.size()});
  h.leave();
}

struct anndata_file : handmade_hdf5 {
  explicit anndata_file(const made_as& as = {}) : handmade_hdf5(".h5ad") {
    put_text(place(), "encoding-type", "anndata", true);
    put_matrix(*this, "X", as);
  }
};

std::string refusal(const made_as& as, failure expected = failure::input, const std::string& variable = {}) {
  anndata_file h(as);
  const std::string path = h.path();
  return failure_of([&] { read_anndata(path, variable); }, expected).substr(path.size() + 2);
}

bool has_entries(const matrix_entries& m, std::initializer_list<std::int32_t> rows,
                 std::initializer_list<std::int32_t> cols, std::initializer_list<double> values) {
  return std::ranges::equal(m.entries.row_indices, rows) && std::ranges::equal(m.entries.col_indices, cols) &&
         std::ranges::equal(m.entries.values, values);
}

// By this process, so far.
std::int64_t bytes_read() {
  std::ifstream told("/proc/self/io");
  std::string word;
  std::int64_t bytes = -1;
  while (told >> word)
    if (word == "rchar:") told >> bytes;
  return bytes;
}

}  // namespace

TEST_CASE("X of AnnData is read by rows, by columns and full") {
  {
    anndata_file h;
    const matrix_entries m = read_matrix(h.path());
    CHECK(m.origin == "AnnData csr");
    CHECK(m.entries.rows == 2);
    CHECK(m.entries.cols == 3);
    CHECK(m.field == "real");
    CHECK_FALSE(m.single_precision);
    CHECK(has_entries(m, {0, 0, 1}, {0, 2, 1}, {1.5, -2, 3}));
  }
  {
    anndata_file h({.encoding = "csc_matrix", .shape = {3, 2}, .value_type = H5T_IEEE_F32LE});
    const matrix_entries m = read_matrix(h.path());
    CHECK(m.origin == "AnnData csc");
    CHECK(m.entries.rows == 3);
    CHECK(m.single_precision);
    CHECK(has_entries(m, {0, 2, 1}, {0, 0, 1}, {1.5, -2, 3}));
  }
  {
    handmade_hdf5 h(".h5ad");
    h.put_text(h.place(), "encoding-type", "anndata");
    h.array<double>("X", H5T_STD_I16LE, H5T_NATIVE_DOUBLE, {0, 7, 0, -8, 0, 0}, {3, 2}, true);
    const matrix_entries m = read_matrix(h.path());
    CHECK(m.origin == "AnnData array");
    CHECK(m.field == "integer");
    CHECK(m.array_zeros == 4);
    CHECK(m.entries.rows == 3);
    CHECK(m.entries.cols == 2);
    CHECK(has_entries(m, {0, 1}, {1, 1}, {7, -8}));
  }
}

// More elements in a line than are read at once, and lines that do not divide that number.
TEST_CASE("a full array is read a part at a time") {
  for (const auto& [lines, length] : {std::pair<hsize_t, hsize_t>{2, (1 << 20) + 3}, {700, 3001}}) {
    handmade_hdf5 h(".h5ad");
    h.put_text(h.place(), "encoding-type", "anndata");
    const hsize_t extents[] = {lines, length};
    const hid_t space = ::H5Screate_simple(2, extents, nullptr);
    const hid_t set =
        ::H5Dcreate2(h.place(), "X", H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    std::vector<std::int32_t> numbers(lines * length);
    std::vector<std::int32_t> rows, cols;
    std::vector<double> values;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (i % 65537 != 0 && i % length != length - 1) continue;  // the last of every line is in its last part
      numbers[i] = static_cast<std::int32_t>(i + 1);
      rows.push_back(static_cast<std::int32_t>(i / length));
      cols.push_back(static_cast<std::int32_t>(i % length));
      values.push_back(static_cast<double>(i + 1));
    }
    ::H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data());
    ::H5Dclose(set);
    ::H5Sclose(space);
    const matrix_entries m = read_matrix(h.path());
    CHECK(std::ranges::equal(m.entries.row_indices, rows));
    CHECK(std::ranges::equal(m.entries.col_indices, cols));
    CHECK(std::ranges::equal(m.entries.values, values));
  }
}

TEST_CASE("another matrix of AnnData is read by its place") {
  anndata_file h;
  h.enter("layers");
  put_matrix(h, "counts", {.values = {10, 20, 30}, .value_type = H5T_STD_U64LE});
  h.leave();
  const std::string path = h.path();
  const matrix_entries m = read_matrix(path, {}, {.variable = "layers/counts"});
  CHECK(m.field == "integer");
  CHECK(has_entries(m, {0, 0, 1}, {0, 2, 1}, {10, 20, 30}));
  CHECK(failure_of([&] { read_anndata(path, "layers/spliced"); }) ==
        path + ": holds no layers/spliced: where spliced was looked for there is counts");
  CHECK(failure_of([&] { read_anndata(path, "obsp/x"); }) ==
        path + ": holds no obsp/x: where obsp was looked for there is X, layers");
  CHECK(has_entries(read_anndata(path, "/layers/counts"), {0, 0, 1}, {0, 2, 1}, {10, 20, 30}));
  CHECK(failure_of([&] { read_anndata(path, "X/data/x"); }) ==
        path + ": holds no X/data/x: data is no group");
  CHECK(failure_of([&] { read_anndata(path, "layers"); }) == path + ": layers is a group and no matrix");
}

TEST_CASE("AnnData before version 0.7 has other attributes") {
  handmade_hdf5 h(".h5ad");
  for (const char* const group : {"obs", "var"}) {
    h.enter(group);
    h.leave();
  }
  h.enter("X");
  h.put_text(h.place(), "h5sparse_format", "csr");
  h.put_numbers(h.place(), "h5sparse_shape", {1, 2});
  h.array<std::int64_t>("indptr", H5T_STD_I64LE, H5T_NATIVE_INT64, {0, 1}, {2});
  h.array<std::int64_t>("indices", H5T_STD_I64LE, H5T_NATIVE_INT64, {1}, {1});
  h.array<double>("data", H5T_IEEE_F32LE, H5T_NATIVE_DOUBLE, {0.5}, {1});
  h.leave();
  CHECK(is_anndata(h.path()));
  CHECK(has_entries(read_matrix(h.path()), {0}, {1}, {0.5}));
}

TEST_CASE("what is wrong with a matrix of AnnData is said") {
  CHECK(refusal({.encoding = "dataframe"}, failure::unsupported) ==
        "X is encoded as dataframe, which is no matrix");
  CHECK(refusal({.left_out = "encoding"}) == "X is a group and no matrix");
  CHECK(refusal({.shape = {2}}) == "the shape is not two numbers");
  CHECK(refusal({.shape = {std::int64_t{1} << 31, 3}}) ==
        "2147483648 rows are more than the 2147483647 that are supported");
  CHECK(refusal({.left_out = "indptr"}) == "array indptr is missing");
  CHECK(refusal({.left_out = "indices"}) == "array indices is missing");
  CHECK(refusal({.left_out = "data"}) == "array data is missing");
  CHECK(holds(refusal({.starts = {0, 3}}), "indptr has 2 elements instead of 3 (one more than lines"));
  CHECK(holds(refusal({.starts = {0, 4, 3}}), "indptr"));
  CHECK(holds(refusal({.starts = {0, 2, 2}}), "indptr"));
  CHECK(holds(refusal({.indices = {0, 2}}), "indices has 2 elements instead of 3"));
  CHECK(holds(refusal({.indices = {0, 3, 1}}), "indices"));
  CHECK(holds(refusal({.indices = {0, -1, 1}}), "indices"));
  {
    handmade_hdf5 h(".h5ad");
    h.put_text(h.place(), "encoding-type", "anndata");
    h.array<double>("X", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, {1, 2, 3}, {3});
    CHECK(failure_of([&] { read_matrix(h.path()); }) == h.path() + ": array X is not two-dimensional");
  }
}

// A pair of numbers of one type, as h5py and MATLAB write complex numbers.
TEST_CASE("complex values of AnnData are refused, or their pattern is read") {
  handmade_hdf5 h(".h5ad");
  h.put_text(h.place(), "encoding-type", "anndata");
  h.enter("X");
  h.put_text(h.place(), "encoding-type", "csr_matrix");
  h.put_numbers(h.place(), "shape", {1, 2});
  h.array<std::int64_t>("indptr", H5T_STD_I64LE, H5T_NATIVE_INT64, {0, 1}, {2});
  h.array<std::int64_t>("indices", H5T_STD_I64LE, H5T_NATIVE_INT64, {1}, {1});
  const hid_t pair = ::H5Tcreate(H5T_COMPOUND, 16);
  ::H5Tinsert(pair, "r", 0, H5T_IEEE_F64LE);
  ::H5Tinsert(pair, "i", 8, H5T_IEEE_F64LE);
  h.array<double>("data", pair, pair, {}, {1});
  ::H5Tclose(pair);
  h.leave();
  const std::string path = h.path();
  CHECK(failure_of([&] { read_matrix(path); }, failure::unsupported) ==
        path + ": array data is complex, which is not supported yet");
  const matrix_entries m = read_matrix(path, {}, {complex_values::pattern_only});
  CHECK(m.field == "complex");
  CHECK(has_entries(m, {0}, {1}, {1}));
}

// A chunk that is larger than the cache is unpacked once, and not for every part that is read.
TEST_CASE("an array in one large chunk is read once") {
  constexpr hsize_t entries = 17'000'000;
  handmade_hdf5 h(".h5ad");
  h.put_text(h.place(), "encoding-type", "anndata");
  h.enter("X");
  h.put_text(h.place(), "encoding-type", "csr_matrix");
  h.put_numbers(h.place(), "shape", {1, entries});
  h.array<std::int64_t>("indptr", H5T_STD_I64LE, H5T_NATIVE_INT64, {0, entries}, {2});
  for (const char* const name : {"indices", "data"}) {
    const hid_t space = ::H5Screate_simple(1, &entries, nullptr);
    const hid_t creation = ::H5Pcreate(H5P_DATASET_CREATE);
    ::H5Pset_chunk(creation, 1, &entries);
    ::H5Pset_deflate(creation, 1);
    const hid_t set = ::H5Dcreate2(h.place(), name, H5T_STD_I32LE, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const std::vector<std::int32_t> zeros(entries);
    ::H5Dwrite(set, H5T_NATIVE_INT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data());
    ::H5Dclose(set);
    ::H5Pclose(creation);
    ::H5Sclose(space);
  }
  h.leave();
  const std::string path = h.path();
  const std::int64_t before = bytes_read();
  CHECK(read_anndata(path).entries.values.size() == std::int64_t{entries});
  // Unpacked again, a chunk would be read again: 17 times.
  CHECK(bytes_read() - before < 3 * static_cast<std::int64_t>(std::filesystem::file_size(path)));
}

TEST_CASE("what a group of HDF5 holds is told in order, however it is held") {
  const scratch_file file(".h5ad");
  const hid_t newer = ::H5Pcreate(H5P_FILE_ACCESS);
  ::H5Pset_libver_bounds(newer, H5F_LIBVER_V18, H5F_LIBVER_V18);
  const hid_t id = ::H5Fcreate(file.path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, newer);
  for (const char* const name : {"obs", "var", "layers"})
    ::H5Gclose(::H5Gcreate2(id, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  ::H5Fclose(id);
  ::H5Pclose(newer);
  CHECK(failure_of([&] { read_anndata(file.path); }) ==
        file.path + ": holds no X: where X was looked for there is layers, obs, var");
}

TEST_CASE("HDF5 that is no AnnData is not taken for it") {
  handmade_hdf5 h(".h5");
  h.enter("X");
  h.leave();
  CHECK_FALSE(is_anndata(h.path()));
  CHECK_FALSE(is_anndata("/nowhere.h5ad"));
}
