// What an HDF5 file says about its matrix: JSON in an attribute, here as plain data. All use of the JSON
// library is behind this header, because it takes longer to compile than the rest of the readers and writers.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sparsmith {

// Of our own container. Lists are in the order of the format.
struct container_description {
  struct size {
    std::string name;
    std::int64_t value = 0;
  };
  struct array {
    std::string name;
    std::string type;
    std::int64_t length = 0;
    std::string checksum;
  };
  std::string format;
  std::int64_t offset_bits = 0;
  std::int64_t value_bits = 0;
  bool complex_values = false;
  std::vector<size> sizes;
  std::vector<array> arrays;

  const size* find_size(const std::string& name) const;
  const array* find_array(const std::string& name) const;
};
std::string to_text(const container_description& description);
container_description container_description_from(const std::string& path, const std::string& text);

// Of a Binsparse file that is read: what it holds, as far as the description alone can tell.
struct binsparse_description {
  std::string format;  // one of those that are supported
  std::int32_t rows = 0, cols = 0;
  std::optional<std::int64_t> stored_values;
  std::string value_type;
  bool all_values_equal = false;  // "iso": one value stands for all
  bool pairs = false;             // "complex": of real and imaginary parts of that type, one after the other
  std::string structure = "general";
  bool has_fill_value = false;
};
binsparse_description binsparse_description_from(const std::string& path, const std::string& text);

// The description of a Binsparse file that is written; `types` are the names of arrays and of their types.
std::string binsparse_text(const char* format, const std::string& structure, std::int32_t rows,
                           std::int32_t cols, std::int64_t stored_values,
                           const std::vector<std::pair<const char*, const char*>>& types);

}  // namespace sparsmith
