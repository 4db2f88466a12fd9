// A sparse matrix is a group: data, ir (rows) and jc (where each column begins), and the number of rows as an
// attribute; without entries MATLAB leaves data and ir out. A full one is an array, turned. A struct is a
// group of its fields; an array of structs has references in the place of these.
#include "convert/io/matlab_hdf5.hpp"

#include <algorithm>
#include <iterator>

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
  reader(const std::string& path, const std::string& wanted, complex_values if_complex)
      : in_(path), if_complex_(if_complex), choice_(wanted) {
    list(in_.root(), "", 0);
  }

  matrix_entries read() {
    choice_.require_one(in_.path());
    const handle parent = open_parent();
    const char* const name = meant_.back().c_str();
    matrix_entries result;
    if (is_sparse_) {
      result.origin = "MATLAB 7.3 sparse";
      read_sparse(in_.open_group(parent, name), result);
    } else {
      result.origin = "MATLAB 7.3 full";
      const std::optional<dataset> set = in_.open(parent, name, 2);
      hdf5::read_full(in_, *set, name, true, if_complex_, result);
    }
    if (choice_.was_a_choice()) result.note = printable_name(meant_name_) + " was read";
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
    constexpr int deepest = 16;
    for (const member& m : in_.members(group)) {
      if (m.name.starts_with('#') || choice_.is_certain()) continue;  // MATLAB's own, or decided
      // A struct may be a part of itself, by links of the file.
      constexpr std::int64_t most = 10000;
      if (++listed_ > most)
        refuse_input(in_.path(), fmt::format("holds more than {} variables and fields", most));
      place_.push_back(m.name);
      if (m.kind == member_kind::group) {
        const handle inner = in_.open_group(group, m.name.c_str());
        const std::string words = class_of(inner);
        if (in_.has_attribute(inner, sparse_attribute))
          offer(described_sparse(prefix + m.name, inner));
        else if (words == "struct" && depth < deepest)
          list(inner, prefix + m.name + ".", depth + 1);
        else
          offer({prefix + m.name, matlab_kind::other, words});
      } else if (m.kind == member_kind::array) {
        offer(described_full(prefix + m.name, group, m.name.c_str()));
      }
      place_.pop_back();
    }
  }

  void offer(const matlab_variable& variable) {
    if (choice_.offer(variable) != matlab_choice::answer::meant) return;
    meant_ = place_;
    meant_name_ = variable.name;
    is_sparse_ = variable.kind == matlab_kind::sparse;
  }

  // What is wrong with one matters where it is the one that is meant, and is said when it is read.
  matlab_variable described_sparse(const std::string& name, const handle& group) const {
    try {
      return {name,
              matlab_kind::sparse,
              "sparse",
              {rows_of(group), hdf5::open_indices(in_, group, "jc").length - 1}};
    } catch (const error&) {
      return {name, matlab_kind::sparse, "sparse, damaged"};
    }
  }

  // Numbers; texts, objects and cells are arrays of numbers or references too. Of an array that is empty the
  // file has the sizes in its place.
  matlab_variable described_full(const std::string& name, const handle& group, const char* array) const {
    try {
      const dataset set = *in_.open(group, array, hdf5::input::any_dimensions);
      matlab_variable variable{name, matlab_kind::other, class_of(set.id)};
      constexpr std::string_view classes[] = {"double", "single", "logical", "int8",  "uint8", "int16",
                                              "uint16", "int32",  "uint32",  "int64", "uint64"};
      const bool of_numbers =
          std::find(std::begin(classes), std::end(classes), variable.words) != std::end(classes) &&
          !in_.has_attribute(set.id, "MATLAB_object_decode");
      if (!of_numbers || in_.has_attribute(set.id, "MATLAB_empty")) return variable;
      variable.sizes.assign(set.extents.rbegin(), set.extents.rend());
      if (set.extents.size() == 2) variable.kind = matlab_kind::full;
      return variable;
    } catch (const error&) {
      return {name, matlab_kind::full, "damaged"};
    }
  }

  std::int64_t rows_of(const handle& group) const {
    const std::vector<std::int64_t> rows = in_.integers(group, sparse_attribute);
    if (rows.size() != 1) refuse_input(in_.path(), "attribute MATLAB_sparse is not one number");
    return rows[0];
  }

  handle open_parent() const {
    handle parent = in_.root();
    for (std::size_t i = 0; i + 1 < meant_.size(); ++i) parent = in_.open_group(parent, meant_[i].c_str());
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
  matlab_choice choice_;
  place place_;  // of what is looked at
  place meant_;
  std::string meant_name_;
  bool is_sparse_ = false;  // what is meant
  std::int64_t listed_ = 0;
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
  return reader(path, variable, if_complex).read();
}

}  // namespace sparsmith
