// A sparse matrix is a group: data, ir (rows) and jc (where each column begins), and the number of rows as an
// attribute; without entries MATLAB leaves data and ir out. A full one is an array, turned. A struct is a
// group of its fields; an array of structs has references in the place of these.
#include "convert/io/matlab_hdf5.hpp"

#include "convert/io/bounds.hpp"
#include "convert/io/hdf5_sparse.hpp"
#include "convert/io/matlab_variables.hpp"

namespace sparsmith {
namespace {

using hdf5::dataset;
using hdf5::handle;
using hdf5::member;
using hdf5::member_kind;

constexpr const char* class_attribute = "MATLAB_class";
constexpr const char* sparse_attribute = "MATLAB_sparse";

class reader {
 public:
  reader(const std::string& path, complex_values if_complex) : in_(path), if_complex_(if_complex) {
    list(in_.root(), "", 0);
  }

  matrix_entries read(const std::string& wanted) {
    const std::size_t meant = meant_variable(in_.path(), variables_, wanted);
    const handle parent = open_parent(places_[meant]);
    const char* const name = places_[meant].back().c_str();
    matrix_entries result;
    if (variables_[meant].kind == matlab_kind::sparse) {
      result.origin = "MATLAB 7.3 sparse";
      read_sparse(in_.open_group(parent, name), result);
    } else {
      result.origin = "MATLAB 7.3 full";
      const std::optional<dataset> set = in_.open(parent, name, 2);
      hdf5::read_full(in_, *set, name, true, if_complex_, result);
    }
    return result;
  }

 private:
  // Where something lies: the names on the way to it.
  using place = std::vector<std::string>;

  std::string class_of(const handle& object) const {
    return in_.has_attribute(object, class_attribute) ? in_.text(object, class_attribute)
                                                      : "of no class of MATLAB's";
  }

  void list(const handle& group, const std::string& prefix, int depth) {
    constexpr int deepest = 8;
    for (const member& m : in_.members(group)) {
      if (m.name.starts_with('#')) continue;  // MATLAB's own
      matlab_variable variable{.name = prefix + m.name, .what = "of no class of MATLAB's"};
      place_.push_back(m.name);
      if (m.kind == member_kind::group) {
        const handle inner = in_.open_group(group, m.name.c_str());
        variable.what = class_of(inner);
        if (in_.has_attribute(inner, sparse_attribute)) {
          variable.kind = matlab_kind::sparse;
          variable.rows = rows_of(inner);
          variable.cols = hdf5::open_indices(in_, inner, "jc").length - 1;
        } else if (variable.what == "struct" && depth < deepest) {
          list(inner, variable.name + ".", depth + 1);
        }
      } else if (m.kind == member_kind::array) {
        describe(*in_.open(group, m.name.c_str(), hdf5::input::any_dimensions), variable);
      }
      variables_.push_back(std::move(variable));
      places_.push_back(place_);
      place_.pop_back();
    }
  }

  // Of an array that is empty the file has the sizes in its place.
  void describe(const dataset& set, matlab_variable& variable) const {
    variable.what = class_of(set.id);
    const bool numbers = set.kind == H5T_INTEGER || set.kind == H5T_FLOAT || set.kind == H5T_COMPOUND;
    const bool empty = in_.has_attribute(set.id, "MATLAB_empty");
    if (!numbers || empty || variable.what == "char" || variable.what == "cell") return;
    if (set.extents.size() != 2) {
      variable.what = fmt::format("an array of {} dimensions", set.extents.size());
      return;
    }
    variable.kind = matlab_kind::full;
    variable.rows = set.extents[1];
    variable.cols = set.extents[0];
  }

  std::int64_t rows_of(const handle& group) const {
    const std::vector<std::int64_t> rows = in_.integers(group, sparse_attribute);
    if (rows.size() != 1) refuse_input(in_.path(), "attribute MATLAB_sparse is not one number");
    return rows[0];
  }

  handle open_parent(const place& names) const {
    handle parent = in_.root();
    for (std::size_t i = 0; i + 1 < names.size(); ++i) parent = in_.open_group(parent, names[i].c_str());
    return parent;
  }

  void read_sparse(const handle& group, matrix_entries& result) const {
    auto& entries = result.entries;
    const dataset starts = hdf5::open_indices(in_, group, "jc");
    if (starts.length < 1) refuse_input(in_.path(), "array jc is empty");
    entries.rows = checked_dimension(in_.path(), "rows", rows_of(group));
    entries.cols = checked_dimension(in_.path(), "columns", starts.length - 1);
    const std::optional<dataset> values = in_.open(group, "data");
    const std::int64_t stored = values ? values->length : 0;
    entries.col_indices = hdf5::read_lines(in_, starts, "jc", entries.cols, stored, "one more than columns");
    if (!values) return;
    const dataset rows = hdf5::open_indices(in_, group, "ir");
    refuse_if(in_.path(), check_length("ir", rows.length, stored, "as many as data"));
    entries.row_indices = hdf5::read_indices(in_, rows, "ir", entries.rows);
    hdf5::read_values(in_, *values, "data", if_complex_, result);
  }

  hdf5::input in_;
  complex_values if_complex_;
  place place_;
  std::vector<matlab_variable> variables_;
  std::vector<place> places_;  // of each
};

}  // namespace

bool is_matlab_hdf5(std::string_view start) {
  using namespace std::string_view_literals;
  constexpr std::size_t version_at = 124;
  return start.size() >= version_at + 4 &&
         (start.substr(version_at, 4) == "\0\2IM"sv || start.substr(version_at, 4) == "\2\0MI"sv);
}

matrix_entries read_matlab_hdf5(const std::string& path, const std::string& variable,
                                complex_values if_complex) {
  return reader(path, if_complex).read(variable);
}

}  // namespace sparsmith
