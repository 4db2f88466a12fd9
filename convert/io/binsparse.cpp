#include "convert/io/binsparse.hpp"

#include <algorithm>
#include <vector>

#include "convert/io/bounds.hpp"
#include "convert/io/hdf5_description.hpp"
#include "convert/io/hdf5_sparse.hpp"

namespace sparsmith {
namespace {

using hdf5::dataset;

constexpr const char* description_attribute = "binsparse";

class reader {
 public:
  reader(const std::string& path, complex_values if_complex) : in_(path), if_complex_(if_complex) {
    std::optional<hdf5::handle> group = in_.group_with(description_attribute);
    if (!group) refuse_input(path, "is HDF5, but not Binsparse (no attribute 'binsparse')");
    group_ = std::move(*group);
    description_ = binsparse_description_from(path, in_.text(group_, description_attribute));
    result_.origin = "Binsparse " + description_.format;
    result_.entries.rows = description_.rows;
    result_.entries.cols = description_.cols;
    if (description_.pairs && if_complex_ == complex_values::refuse)
      refuse_unsupported(
          path, fmt::format("values of type complex[{}] are not supported yet", description_.value_type));
    read_structure();
    if (description_.has_fill_value) check_fill_value();
  }

  matrix_entries read() {
    const std::string& format = description_.format;
    const bool by_columns = format == "CSC" || format == "DCSC" || format == "COOC";
    auto& entries = result_.entries;
    const std::int32_t majors = by_columns ? entries.cols : entries.rows,
                       minors = by_columns ? entries.rows : entries.cols;
    const dataset indices_1 = open_index("indices_1");
    stored_ = indices_1.length;
    if (description_.stored_values)
      refuse_if(in_.path(),
                check_length("indices_1", stored_, *description_.stored_values, "number_of_stored_values"));

    array<std::int32_t, host> major;
    if (format == "COO" || format == "COOR" || format == "COOC") {
      const dataset indices_0 = open_index("indices_0");
      refuse_if(in_.path(), check_length("indices_0", indices_0.length, stored_, "as many as indices_1"));
      major = read_indices(indices_0, "indices_0", majors);
    } else {
      major = read_majors(majors, format == "DCSR" || format == "DCSC");
    }
    array<std::int32_t, host> minor = read_indices(indices_1, "indices_1", minors);
    if (by_columns) std::swap(major, minor);
    entries.row_indices = std::move(major);
    entries.col_indices = std::move(minor);
    check_triangle();
    read_values();
    check_diagonal();
    return std::move(result_);
  }

 private:
  void read_structure() {
    const std::string& structure = description_.structure;
    if (structure == "general") return;
    if (structure.starts_with("hermitian") && !description_.pairs)
      refuse_unsupported(in_.path(), fmt::format("structure {} is one of complex matrices", structure));
    if (structure == "hermitian_lower" || structure == "hermitian_upper")
      result_.symmetry = symmetry_kind::hermitian;
    else if (structure == "symmetric_lower" || structure == "symmetric_upper")
      result_.symmetry = symmetry_kind::symmetric;
    else if (structure == "skew_symmetric_lower" || structure == "skew_symmetric_upper")
      result_.symmetry = symmetry_kind::skew_symmetric;
    else
      refuse_unsupported(in_.path(), fmt::format("structure {} is not known", structure));
    lower_ = structure.ends_with("_lower");
    if (result_.entries.rows != result_.entries.cols)
      refuse_input(in_.path(), fmt::format("structure {} needs a square matrix, this one is {} by {}",
                                           structure, result_.entries.rows, result_.entries.cols));
  }

  // A number that is its own negative is zero, and one that is its own conjugate is real.
  void check_diagonal() const {
    const bool skew = result_.symmetry == symmetry_kind::skew_symmetric,
               hermitian = result_.symmetry == symmetry_kind::hermitian;
    if (!skew && !hermitian) return;
    const auto& entries = result_.entries;
    const auto imaginary = [&](std::int64_t i) { return keeps_parts() ? result_.imaginary[i] : 0.0; };
    for (std::int64_t i = 0; i < entries.values.size(); ++i)
      if (entries.row_indices[i] == entries.col_indices[i] &&
          ((skew && entries.values[i] != 0) || imaginary(i) != 0))
        refuse_input(in_.path(),
                     fmt::format("entry {} is on the diagonal, but structure {} has only {} there", i,
                                 description_.structure, skew ? "zeros" : "real numbers"));
  }

  // A value for what is not stored makes the matrix dense unless it is zero.
  void check_fill_value() {
    const std::optional<dataset> fill = in_.open(group_, "fill_value");
    bool zero = fill && fill->length == 1 && (fill->kind == H5T_INTEGER || fill->kind == H5T_FLOAT);
    if (zero)
      in_.for_each<double>(*fill, "fill_value", [&](std::int64_t, double value) { zero = value == 0; });
    if (!zero) refuse_unsupported(in_.path(), "a fill value other than zero is not supported");
  }

  // The C reference leaves out arrays without elements.
  dataset open_index(const char* name) const {
    std::optional<dataset> set = in_.open(group_, name);
    if (!set) {
      if (description_.stored_values.value_or(-1) != 0)
        refuse_input(in_.path(), fmt::format("array {} is missing", name));
      return {};
    }
    hdf5::require_integers(in_, *set, name);
    return std::move(*set);
  }

  // The row (or column) of every entry from the offsets; with `listed`, indices_0 says which rows have
  // offsets.
  array<std::int32_t, host> read_majors(std::int32_t majors, bool listed) const {
    const dataset pointers = open_index("pointers_to_1");
    array<std::int32_t, host> lines;
    std::int64_t count = majors;
    if (listed) {
      const dataset indices_0 = open_index("indices_0");
      count = indices_0.length;
      lines = read_indices(indices_0, "indices_0", majors);
    }
    if (stored_ == 0 && pointers.length == 0) return {};
    return hdf5::read_lines(in_, pointers, "pointers_to_1", count, stored_,
                            listed ? "one more than indices_0" : "one more than lines in the shape",
                            listed ? &lines : nullptr);
  }

  array<std::int32_t, host> read_indices(const dataset& set, const char* name, std::int32_t limit) const {
    return hdf5::read_indices(in_, set, name, limit);
  }

  // Entries on the other side would count twice once the matrix is expanded.
  void check_triangle() const {
    if (result_.symmetry == symmetry_kind::general) return;
    const auto& entries = result_.entries;
    for (std::int64_t i = 0; i < stored_; ++i) {
      const std::int32_t row = entries.row_indices[i], col = entries.col_indices[i];
      if (lower_ ? row < col : row > col)
        refuse_input(in_.path(), fmt::format("entry {} at row {}, column {} is not in the {} triangle", i,
                                             row, col, lower_ ? "lower" : "upper"));
    }
  }

  bool keeps_parts() const { return description_.pairs && if_complex_ == complex_values::keep; }

  // Real and imaginary parts, one after the other.
  void read_pairs(const dataset& set) {
    const bool one_for_all = description_.all_values_equal;
    const auto floats = checked_product(one_for_all ? 1 : stored_, 2);
    if (!floats) refuse_input(in_.path(), sizes_too_large);
    if (!(stored_ == 0 && set.length == 0))
      refuse_if(in_.path(), check_length("values", set.length, *floats,
                                         one_for_all ? "all values are the same" : "two for each value"));
    if (set.length > 0 && (set.kind != H5T_FLOAT || (set.element_bytes != 4 && set.element_bytes != 8)))
      refuse_input(in_.path(), fmt::format("array values is not of type {}, as the description says",
                                           description_.value_type));
    result_.field = "complex";
    result_.single_precision = keeps_parts() && description_.value_type == "float32";
    auto& values = result_.entries.values;
    values = array<double, host>(stored_);
    if (!keeps_parts()) {
      std::fill(values.begin(), values.end(), 1.0);
      return;
    }
    result_.imaginary = array<double, host>(stored_);
    if (stored_ == 0) return;
    in_.for_each<double>(set, "values", [&](std::int64_t i, double part) {
      (i % 2 == 0 ? values : result_.imaginary)[i / 2] = part;
    });
    if (!one_for_all) return;
    std::fill(values.begin() + 1, values.end(), values[0]);
    std::fill(result_.imaginary.begin() + 1, result_.imaginary.end(), result_.imaginary[0]);
  }

  void read_values() {
    const std::string& type = description_.value_type;
    const bool one_for_all = description_.all_values_equal;
    std::optional<dataset> set = in_.open(group_, "values");
    if (!set && stored_ == 0) set.emplace();
    if (!set) refuse_input(in_.path(), "array values is missing");
    if (description_.pairs) return read_pairs(*set);
    const std::int64_t length = set->length;
    if (!(one_for_all && stored_ == 0 && length == 0))
      refuse_if(in_.path(), check_length("values", length, one_for_all ? 1 : stored_,
                                         one_for_all ? "all values are the same" : "as many as indices_1"));
    result_.field = type.starts_with("float") ? "real" : "integer";
    result_.single_precision = type == "float32";
    auto& values = result_.entries.values;
    values = array<double, host>(stored_);
    if (length == 0) return;

    std::int64_t rounded = 0;
    double same = 0;
    const bool boolean = type == "bint8";
    const auto store = [&](std::int64_t i, auto value) {
      const double number = boolean ? (value != decltype(value){0} ? 1.0 : 0.0) : value_from(value, rounded);
      (one_for_all ? same : values[i]) = number;
    };
    const bool float_or_double = set->element_bytes == 4 || set->element_bytes == 8;
    // h5py writes Booleans as an enumeration of 8-bit integers.
    if ((set->kind == H5T_INTEGER && set->is_signed) || (set->kind == H5T_ENUM && boolean))
      in_.for_each<std::int64_t>(*set, "values", store);
    else if (set->kind == H5T_INTEGER)
      in_.for_each<std::uint64_t>(*set, "values", store);
    else if (set->kind == H5T_FLOAT && float_or_double && result_.field == "real")
      in_.for_each<double>(*set, "values", store);
    else
      refuse_input(in_.path(), fmt::format("array values is not of type {}, as the description says", type));
    if (one_for_all) {
      std::fill(values.begin(), values.end(), same);
      rounded *= stored_;
    }
    result_.rounded_values = rounded;
  }

  hdf5::input in_;
  complex_values if_complex_;
  hdf5::handle group_;
  binsparse_description description_;
  bool lower_ = false;
  std::int64_t stored_ = 0;
  matrix_entries result_;
};

class writer {
 public:
  explicit writer(const std::string& path) : out_(path) {}

  template <class T>
  void put(const char* name, const array<T, host>& from) {
    if constexpr (is_complex<T>) {  // as twice as many parts
      constexpr hdf5::stored_type part = hdf5::stored_type_of<typename T::part_type>();
      out_.put_array(name, part, from.data(), 2 * from.size());
      types_.emplace_back(name, std::is_same_v<T, complex64> ? "complex[float32]" : "complex[float64]");
    } else {
      constexpr hdf5::stored_type type = hdf5::stored_type_of<T>();
      out_.put_array(name, type, from.data(), from.size());
      types_.emplace_back(name, hdf5::name_of(type));
    }
  }
  void finish(const char* format, const char* structure, std::int32_t rows, std::int32_t cols,
              std::int64_t stored) {
    out_.put_text(description_attribute, binsparse_text(format, structure, rows, cols, stored, types_));
    out_.close();
  }

 private:
  hdf5::output out_;
  std::vector<std::pair<const char*, const char*>> types_;
};

template <class Value>
void write_indices(writer& out, const coo<Value, host>& matrix) {
  out.put("indices_0", matrix.row_indices);
  out.put("indices_1", matrix.col_indices);
}
template <class Offset, class Value>
void write_indices(writer& out, const csr<Offset, Value, host>& matrix) {
  out.put("pointers_to_1", matrix.row_offsets);
  out.put("indices_1", matrix.col_indices);
}
template <class Offset, class Value>
void write_indices(writer& out, const csc<Offset, Value, host>& matrix) {
  out.put("pointers_to_1", matrix.col_offsets);
  out.put("indices_1", matrix.row_indices);
}

template <class Format>
void write_format(const std::string& path, const Format& matrix, const char* layout,
                  const char* structure = "general") {
  writer out(path);
  write_indices(out, matrix);
  out.put("values", matrix.values);
  out.finish(layout, structure, matrix.rows, matrix.cols, matrix.values.size());
}

}  // namespace

template <class Offset, class Value>
void write_binsparse(const std::string& path, const any_format<Offset, Value, host>& matrix) {
  if (const auto* const list = std::get_if<coo<Value, host>>(&matrix))
    write_format(path, *list, "COOR");
  else if (const auto* const by_rows = std::get_if<csr<Offset, Value, host>>(&matrix))
    write_format(path, *by_rows, "CSR");
  else if (const auto* const by_columns = std::get_if<csc<Offset, Value, host>>(&matrix))
    write_format(path, *by_columns, "CSC");
  else if (const auto* const half = std::get_if<csr_half<Offset, Value, host>>(&matrix))
    write_format(path, half->upper, "CSR", half->skew != 0 ? "skew_symmetric_upper" : "symmetric_upper");
  else
    throw error(failure::usage,
                fmt::format("a binsparse file cannot hold {}", format_names()[matrix.index()]));
}

matrix_entries read_binsparse(const std::string& path, complex_values if_complex) {
  return reader(path, if_complex).read();
}

bool is_binsparse(const std::string& path) {
  try {
    const hdf5::input in(path);
    const hdf5::handle root = in.root();
    // Our container says so at its root, and is not searched: listing a group that is damaged, HDF5 1.10
    // frees what it has not filled in yet.
    if (!in.has_attribute(root, description_attribute) && in.has_attribute(root, "sparsmith")) return false;
    return in.group_with(description_attribute).has_value();
  } catch (const error&) {
    return false;
  }
}

template void write_binsparse(const std::string&, const any_format<std::int32_t, float, host>&);
template void write_binsparse(const std::string&, const any_format<std::int32_t, double, host>&);
template void write_binsparse(const std::string&, const any_format<std::int64_t, float, host>&);
template void write_binsparse(const std::string&, const any_format<std::int64_t, double, host>&);
template void write_binsparse(const std::string&, const any_format<std::int32_t, complex64, host>&);
template void write_binsparse(const std::string&, const any_format<std::int32_t, complex128, host>&);
template void write_binsparse(const std::string&, const any_format<std::int64_t, complex64, host>&);
template void write_binsparse(const std::string&, const any_format<std::int64_t, complex128, host>&);

}  // namespace sparsmith
