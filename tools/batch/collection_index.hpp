// The index of a collection, SuiteSparse's ssstats.csv: of which group and kind its matrices are. The report
// of a batch groups by them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sparsmith {

inline constexpr std::string_view index_name = "ssstats.csv";  // in a collection
// In a folder of results: of another name, as that folder may be the collection's.
inline constexpr std::string_view kept_index_name = "spbatch-index.csv";
inline constexpr std::string_view not_in_index = "not in the index";

struct indexed_matrix {
  std::string group, name, kind;
  std::int64_t rows = 0, cols = 0;
};

class collection_index {
 public:
  // Lines behind their number and a date: group, name, rows, columns, ..., and the kind in column 12, as RFC
  // 4180 has fields; what stands behind is not looked at. Throws failure::input, with the line, where it is
  // no such file. `path` is for messages.
  collection_index(std::string_view text, const std::string& path);

  std::int64_t size() const { return static_cast<std::int64_t>(matrices_.size()); }

  // The matrix that a file is by its name ("name.tar.gz", "name_rb.tar.gz", "name.mtx"), in a folder or the
  // folder of a folder that is called like its group where several groups have one of that name. It has as
  // many rows and columns; -1 where these are not known. Null where there is none, or one could be several.
  const indexed_matrix* find(std::string_view path, std::int64_t rows, std::int64_t cols) const;

 private:
  std::vector<indexed_matrix> matrices_;
  std::multimap<std::string, std::size_t, std::less<>> by_name_;
};

// All of such a file, which is a small one: for collection_index, and for a copy beside the results.
std::string read_index_file(const std::string& path);

}  // namespace sparsmith
