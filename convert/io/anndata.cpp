// A sparse matrix is a group with data, indices and indptr, and its shape as an attribute; a full one is an
// array of two dimensions. Before version 0.7 the attributes had other names.
#include "convert/io/anndata.hpp"

#include <algorithm>

#include "convert/io/bounds.hpp"
#include "convert/io/hdf5_sparse.hpp"

namespace sparsmith {
namespace {

using hdf5::dataset;
using hdf5::handle;
using hdf5::member;
using hdf5::member_kind;

constexpr const char* encoding_attribute = "encoding-type";

class reader {
 public:
  reader(const std::string& path, complex_values if_complex) : in_(path), if_complex_(if_complex) {}

  matrix_entries read(const std::string& variable) {
    handle group = in_.root();
    std::string name = variable.substr(variable.starts_with('/') ? 1 : 0);
    for (std::size_t slash = name.find('/'); slash != std::string::npos; slash = name.find('/')) {
      const member part = require(group, name.substr(0, slash), variable);
      if (part.kind != member_kind::group)
        refuse_input(in_.path(), fmt::format("holds no {}: {} is no group", variable, part.name));
      group = in_.open_group(group, part.name.c_str());
      name.erase(0, slash + 1);
    }
    const member found = require(group, name, variable);
    if (found.kind == member_kind::other)
      refuse_input(in_.path(), fmt::format("{} is neither a group nor an array", variable));
    matrix_entries result;
    if (found.kind == member_kind::group) {
      read_sparse(in_.open_group(group, name.c_str()), variable, result);
    } else {
      const std::optional<dataset> set = in_.open(group, name.c_str(), 2);
      result.origin = "AnnData array";
      hdf5::read_full(in_, *set, name.c_str(), false, if_complex_, result);
    }
    return result;
  }

 private:
  member require(const handle& group, const std::string& name, const std::string& variable) const {
    constexpr std::size_t most_told = 10;
    std::string others;
    const std::vector<member> all = in_.members(group);
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].name == name) return all[i];
      if (i < most_told) others += (i == 0 ? "" : ", ") + all[i].name;
    }
    if (all.size() > most_told) others += fmt::format(" and {} more", all.size() - most_told);
    refuse_input(in_.path(), fmt::format("holds no {}: where {} was looked for there is {}", variable, name,
                                         others.empty() ? "nothing" : others));
  }

  void read_sparse(const handle& group, const std::string& variable, matrix_entries& result) const {
    const bool old = in_.has_attribute(group, "h5sparse_format");
    if (!old && !in_.has_attribute(group, encoding_attribute))
      refuse_input(in_.path(), fmt::format("{} is a group and no matrix", variable));
    const std::string encoding = in_.text(group, old ? "h5sparse_format" : encoding_attribute);
    const bool by_rows = encoding == (old ? "csr" : "csr_matrix");
    if (!by_rows && encoding != (old ? "csc" : "csc_matrix"))
      refuse_unsupported(in_.path(),
                         fmt::format("{} is encoded as {}, which is no matrix", variable, encoding));
    const std::vector<std::int64_t> shape = in_.integers(group, old ? "h5sparse_shape" : "shape");
    if (shape.size() != 2) refuse_input(in_.path(), "the shape is not two numbers");
    result.origin = by_rows ? "AnnData csr" : "AnnData csc";
    auto& entries = result.entries;
    entries.rows = checked_dimension(in_.path(), "rows", shape[0]);
    entries.cols = checked_dimension(in_.path(), "columns", shape[1]);
    const std::int32_t lines = by_rows ? entries.rows : entries.cols;
    const dataset starts = hdf5::open_indices(in_, group, "indptr");
    const dataset indices = hdf5::open_indices(in_, group, "indices");
    const std::optional<dataset> values = in_.open(group, "data");
    if (!values) refuse_input(in_.path(), "array data is missing");
    refuse_if(in_.path(), check_length("indices", indices.length, values->length, "as many as data"));
    (by_rows ? entries.row_indices : entries.col_indices) =
        hdf5::read_lines(in_, starts, "indptr", lines, values->length, "one more than lines in the shape");
    (by_rows ? entries.col_indices : entries.row_indices) =
        hdf5::read_indices(in_, indices, "indices", by_rows ? entries.cols : entries.rows);
    hdf5::read_values(in_, *values, "data", if_complex_, result);
  }

  hdf5::input in_;
  complex_values if_complex_;
};

}  // namespace

bool is_anndata(const std::string& path) {
  try {
    const hdf5::input in(path);
    const handle root = in.root();
    // Our container says so at its root, and is not searched: listing a group that is damaged, HDF5 1.10
    // frees what it has not filled in yet.
    if (in.has_attribute(root, "sparsmith")) return false;
    if (in.has_attribute(root, encoding_attribute)) return in.text(root, encoding_attribute) == "anndata";
    const std::vector<member> all = in.members(root);
    const auto holds = [&](const char* name) {
      return std::any_of(all.begin(), all.end(), [&](const member& m) { return m.name == name; });
    };
    return holds("X") && holds("obs") && holds("var");
  } catch (const error&) {
    return false;
  }
}

matrix_entries read_anndata(const std::string& path, const std::string& variable, complex_values if_complex) {
  return reader(path, if_complex).read(variable.empty() ? "X" : variable);
}

}  // namespace sparsmith
