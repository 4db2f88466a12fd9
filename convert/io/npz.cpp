// Reads SciPy's .npz, whose arrays go from file to matrix without a second copy (npy.hpp).
#include "convert/io/npz.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "convert/io/bounds.hpp"
#include "convert/io/npy.hpp"
#include "convert/io/zip.hpp"

namespace sparsmith {
namespace {

// What the archive says about the sizes of a member is compared with it on the way, and its checksum at the
// end.
class member_bytes : public npy_bytes {
 public:
  member_bytes(const zip_reader& archive, const zip_member& member) : stream_(archive, member) {}

  std::optional<std::uint64_t> remaining() const override { return stream_.remaining(); }
  std::size_t read(void* to, std::size_t size) override {
    size = static_cast<std::size_t>(std::min<std::uint64_t>(size, stream_.remaining()));
    stream_.read(to, size);
    return size;
  }
  bool finish() override {
    const bool more = stream_.remaining() > 0;
    stream_.finish();
    return more;
  }

 private:
  zip_stream stream_;
};

const zip_member& member_of(const zip_reader& archive, const std::string& key) {
  const zip_member* m = archive.find(key + ".npy");
  if (m == nullptr)
    refuse_input(archive.path(),
                 key == "format"
                     ? "holds no array 'format': it is not a matrix that scipy.sparse.save_npz wrote"
                     : "holds no array '" + key + "'");
  return *m;
}

class npz_reader {
 public:
  npz_reader(const std::string& path, complex_values if_complex) : archive_(path), if_complex_(if_complex) {}

  matrix_entries read() {
    const std::string format = open("format").text();
    if (format != "csr" && format != "csc" && format != "coo" && format != "bsr" && format != "dia")
      refuse_unsupported(
          archive_.path(),
          fmt::format("SciPy format '{}' is not supported; csr, csc, coo, bsr and dia are", format));
    read_shape();
    result_.origin = "SciPy npz " + format;
    if (format == "coo")
      read_coo();
    else if (format == "bsr")
      read_bsr();
    else if (format == "dia")
      read_dia();
    else
      read_compressed(format == "csr");
    return std::move(result_);
  }

 private:
  npy_array open(const std::string& key) {
    return {archive_.path(), key, std::make_unique<member_bytes>(archive_, member_of(archive_, key))};
  }

  void read_shape() {
    npy_array shape = open("shape");
    shape.expect_rank(1);
    if (shape.count() != 2)
      refuse_unsupported(
          archive_.path(),
          fmt::format("is an array of {} dimensions; only matrices are supported", shape.count()));
    std::int64_t sizes[2] = {};
    shape.for_each_integer([&](std::int64_t i, std::int64_t n) { sizes[i] = n; });
    result_.entries.rows = checked_dimension(archive_.path(), "rows", sizes[0]);
    result_.entries.cols = checked_dimension(archive_.path(), "columns", sizes[1]);
  }

  bool has_parts(const npy_array& data) const {
    return data.is_complex() && if_complex_ == complex_values::keep;
  }

  void note_type(const npy_array& data) {
    result_.field = data.field();
    result_.single_precision = data.is_single() && (!data.is_complex() || has_parts(data));
  }

  // The values that go with `stored` indices, one to one.
  void read_values(npy_array& data) {
    note_type(data);
    auto& values = result_.entries.values;
    values = array<double, host>(data.count());
    const bool keeps_parts = has_parts(data);
    if (keeps_parts) result_.imaginary = array<double, host>(data.count());
    const bool places_only = data.is_complex() && !keeps_parts;
    data.for_each_pair(if_complex_, result_.rounded_values, [&](std::int64_t i, double value, double other) {
      values[i] = places_only ? 1.0 : value;
      if (keeps_parts) result_.imaginary[i] = other;
    });
  }

  array<std::int32_t, host> read_indices(const char* key, std::int64_t stored, std::int32_t limit) {
    npy_array stream = open(key);
    stream.expect_rank(1);
    refuse_if(archive_.path(), check_length(key, stream.count(), stored, "as many as values"));
    array<std::int32_t, host> indices(stored);
    stream.for_each_integer([&](std::int64_t i, std::int64_t index) {
      indices[i] = checked_index(archive_.path(), key, i, index, limit);
    });
    return indices;
  }

  array<std::int64_t, host> read_offsets(std::int64_t lines, std::int64_t stored) {
    npy_array stream = open("indptr");
    stream.expect_rank(1);
    refuse_if(archive_.path(),
              check_length("indptr", stream.count(), lines + 1, "one more than lines in the shape"));
    array<std::int64_t, host> offsets(lines + 1);
    stream.for_each_integer([&](std::int64_t i, std::int64_t offset) { offsets[i] = offset; });
    refuse_if(archive_.path(), check_offsets("indptr", offsets, lines, stored));
    return offsets;
  }

  void read_coo() {
    npy_array data = open("data");
    data.expect_rank(1);
    auto& entries = result_.entries;
    if (archive_.find("row.npy") == nullptr && archive_.find("coords.npy") != nullptr) {
      read_coords(data.count());
    } else {
      entries.row_indices = read_indices("row", data.count(), entries.rows);
      entries.col_indices = read_indices("col", data.count(), entries.cols);
    }
    read_values(data);
  }

  // How newer versions of SciPy write arrays of any dimension: all rows, then all columns.
  void read_coords(std::int64_t stored) {
    npy_array coords = open("coords");
    coords.expect_rank(2);
    const auto both = checked_product(2, stored);
    if (!both) refuse_input(archive_.path(), sizes_too_large);
    refuse_if(archive_.path(), check_length("coords", coords.count(), *both, "two for each value"));
    if (coords.shape()[0] != 2) refuse_input(archive_.path(), "coords has not two rows");
    if (coords.fortran_order())
      refuse_unsupported(archive_.path(), "coords is in Fortran order, which is not supported");
    auto& entries = result_.entries;
    entries.row_indices = array<std::int32_t, host>(stored);
    entries.col_indices = array<std::int32_t, host>(stored);
    coords.for_each_integer([&](std::int64_t i, std::int64_t index) {
      if (i < stored)
        entries.row_indices[i] = checked_index(archive_.path(), "coords", i, index, entries.rows);
      else
        entries.col_indices[i - stored] = checked_index(archive_.path(), "coords", i, index, entries.cols);
    });
  }

  void read_compressed(bool by_rows) {
    npy_array data = open("data");
    data.expect_rank(1);
    auto& entries = result_.entries;
    const std::int32_t lines = by_rows ? entries.rows : entries.cols;
    const array<std::int64_t, host> offsets = read_offsets(lines, data.count());
    (by_rows ? entries.col_indices : entries.row_indices) =
        read_indices("indices", data.count(), by_rows ? entries.cols : entries.rows);
    array<std::int32_t, host> expanded(data.count());
    for (std::int32_t line = 0; line < lines; ++line)
      std::fill(expanded.begin() + offsets[line], expanded.begin() + offsets[line + 1], line);
    (by_rows ? entries.row_indices : entries.col_indices) = std::move(expanded);
    read_values(data);
  }

  void make_room(std::int64_t stored, bool for_parts) {
    auto& entries = result_.entries;
    entries.row_indices = array<std::int32_t, host>(stored);
    entries.col_indices = array<std::int32_t, host>(stored);
    entries.values = array<double, host>(stored);
    if (for_parts) result_.imaginary = array<double, host>(stored);
  }

  // Where the elements of an array of blocks belong, in the order of the file.
  struct block_walk {
    std::int64_t sizes[3];  // blocks, rows of a block, columns of a block
    bool fortran_order;
    std::int64_t at[3] = {0, 0, 0};

    void next() {
      for (int i = 0; i < 3; ++i) {
        const int d = fortran_order ? i : 2 - i;
        if (++at[d] < sizes[d]) return;
        at[d] = 0;
      }
    }
  };

  void read_bsr() {
    auto& entries = result_.entries;
    // The number of entries is known only when every slot was seen, so the blocks are read twice.
    npy_array counted = open("data");
    counted.expect_rank(3);
    const std::int64_t blocks = counted.shape()[0], height = counted.shape()[1], width = counted.shape()[2];
    if (height < 1 || width < 1) refuse_input(archive_.path(), "data has blocks without rows or columns");
    const std::int64_t block_rows = (entries.rows + height - 1) / height;
    const std::int64_t block_cols = (entries.cols + width - 1) / width;
    const array<std::int64_t, host> offsets = read_offsets(block_rows, blocks);
    const array<std::int32_t, host> block_col =
        read_indices("indices", blocks, static_cast<std::int32_t>(block_cols));
    array<std::int32_t, host> block_row(blocks);
    for (std::int64_t line = 0; line < block_rows; ++line)
      std::fill(block_row.begin() + offsets[line], block_row.begin() + offsets[line + 1],
                static_cast<std::int32_t>(line));

    std::int64_t stored = 0;
    note_type(counted);
    std::int64_t ignored = 0;
    counted.for_each_pair(if_complex_, ignored, [&](std::int64_t, double value, double other) {
      stored += value != 0 || other != 0 ? 1 : 0;
    });
    result_.array_zeros = blocks * height * width - stored;
    npy_array data = open("data");
    const bool keeps_parts = has_parts(data);
    make_room(stored, keeps_parts);
    block_walk walk{{blocks, height, width}, data.fortran_order()};
    std::int64_t found = 0;
    data.for_each_pair(if_complex_, result_.rounded_values, [&](std::int64_t i, double value, double other) {
      if (value != 0 || other != 0) {
        const std::int64_t row = block_row[walk.at[0]] * height + walk.at[1];
        const std::int64_t col = block_col[walk.at[0]] * width + walk.at[2];
        if (row >= entries.rows || col >= entries.cols || found == stored)
          refuse_input(archive_.path(), fmt::format("data holds a value outside the matrix (element {})", i));
        entries.row_indices[found] = static_cast<std::int32_t>(row);
        entries.col_indices[found] = static_cast<std::int32_t>(col);
        entries.values[found] = value;
        if (keeps_parts) result_.imaginary[found] = other;
        ++found;
      }
      walk.next();
    });
    if (found != stored) refuse_input(archive_.path(), "changed while it was read");
  }

  // Distinct, in any order; SciPy lets them be of diagonals outside the matrix.
  std::vector<std::int64_t> read_diagonals(std::int64_t count) {
    npy_array stream = open("offsets");
    stream.expect_rank(1);
    refuse_if(archive_.path(), check_length("offsets", stream.count(), count, "as many as rows of data"));
    std::vector<std::int64_t> offsets(static_cast<std::size_t>(count));
    stream.for_each_integer(
        [&](std::int64_t i, std::int64_t offset) { offsets[static_cast<std::size_t>(i)] = offset; });
    std::vector<std::int64_t> sorted = offsets;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
      refuse_input(archive_.path(), fmt::format("offsets holds {} twice", *twice));
    return offsets;
  }

  // Calls visit(row, column, real part, imaginary part) for the places of the matrix that a dia's diagonals
  // have. Element j of a diagonal is in column j, however long the diagonals are; SciPy does not look at what
  // lies outside.
  template <class Visit>
  void for_each_place(npy_array& data, const std::vector<std::int64_t>& offsets, std::int64_t& rounded,
                      Visit visit) {
    const std::int64_t rows = result_.entries.rows, cols = result_.entries.cols;
    const std::int64_t diagonals = data.shape()[0], length = data.shape()[1];
    const bool by_columns = data.fortran_order();
    data.for_each_pair(if_complex_, rounded, [&](std::int64_t i, double value, double other) {
      const std::int64_t d = by_columns ? i % diagonals : i / length;
      const std::int64_t col = by_columns ? i / diagonals : i % length;
      const std::int64_t offset = offsets[static_cast<std::size_t>(d)];
      if (offset <= -rows || offset >= cols || col >= cols) return;
      const std::int64_t row = col - offset;
      if (row >= 0 && row < rows) visit(row, col, value, other);
    });
  }

  void read_dia() {
    auto& entries = result_.entries;
    // As with blocks, the number of entries is known only when every slot was seen.
    npy_array counted = open("data");
    counted.expect_rank(2);
    const std::vector<std::int64_t> offsets = read_diagonals(counted.shape()[0]);
    note_type(counted);
    std::int64_t stored = 0, ignored = 0;
    for_each_place(counted, offsets, ignored, [&](std::int64_t, std::int64_t, double value, double other) {
      ++(value != 0 || other != 0 ? stored : result_.array_zeros);
    });
    npy_array data = open("data");
    const bool keeps_parts = has_parts(data);
    make_room(stored, keeps_parts);
    std::int64_t found = 0;
    for_each_place(data, offsets, result_.rounded_values,
                   [&](std::int64_t row, std::int64_t col, double value, double other) {
                     if (value == 0 && other == 0) return;
                     if (found == stored) refuse_input(archive_.path(), "changed while it was read");
                     entries.row_indices[found] = static_cast<std::int32_t>(row);
                     entries.col_indices[found] = static_cast<std::int32_t>(col);
                     entries.values[found] = value;
                     if (keeps_parts) result_.imaginary[found] = other;
                     ++found;
                   });
    if (found != stored) refuse_input(archive_.path(), "changed while it was read");
  }

  zip_reader archive_;
  complex_values if_complex_;
  matrix_entries result_;
};

}  // namespace

bool is_npz(const std::string& path, std::string_view start) {
  std::optional<zip_reader> archive;
  try {
    archive.emplace(path);
  } catch (const error&) {
    // Other readers of archives forgive more than this one.
    if (path.ends_with(".npz") || first_zip_name(start).ends_with(".npy")) throw;
    return false;
  }
  const auto holds = [&](std::string_view extension) {
    const auto& members = archive->members();
    return std::any_of(members.begin(), members.end(),
                       [&](const zip_member& m) { return m.name.ends_with(extension); });
  };
  return archive->find("format.npy") != nullptr || (holds(".npy") && !holds(".mtx"));
}

matrix_entries read_npz(const std::string& path, complex_values if_complex) {
  return npz_reader(path, if_complex).read();
}

}  // namespace sparsmith
