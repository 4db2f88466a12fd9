#include "convert/io/hdf5_description.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "convert/io/bounds.hpp"

namespace sparsmith {
namespace {

using json = nlohmann::ordered_json;

constexpr int container_version = 1;
constexpr const char* binsparse_version = "0.1";

// An integer of a description; without this check JSON would round 1.5 and cut off 1e300.
std::int64_t integer_of(const json& value, const std::string& key, const std::string& path) {
  if (!value.is_number_integer())
    refuse_input(path, fmt::format("'{}' in its description is not an integer", key));
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{1} << 62)
    refuse_input(
        path, fmt::format("'{}' in its description is {}, far too large", key, value.get<std::uint64_t>()));
  return value.get<std::int64_t>();
}

std::int64_t integer_at(const json& object, const char* key, const std::string& path) {
  return integer_of(object.at(key), key, path);
}

// A description that is no JSON, or not the JSON it should be, is a damaged file like any other.
template <class Read>
auto understood(const std::string& path, const std::string& text, Read read) {
  try {
    return read(json::parse(text));
  } catch (const json::exception& e) {
    refuse_input(path, fmt::format("the description of the matrix is not understood: {}", e.what()));
  }
}

template <class Named>
const Named* find_named(const std::vector<Named>& list, const std::string& name) {
  const auto found = std::find_if(list.begin(), list.end(), [&](const Named& n) { return n.name == name; });
  return found == list.end() ? nullptr : &*found;
}

container_description read_container_description(const std::string& path, const json& whole) {
  const std::int64_t version = integer_at(whole, "version", path);
  if (version != container_version)
    refuse_unsupported(
        path, fmt::format("is a container of version {}, this program reads {}", version, container_version));
  container_description result;
  result.format = whole.at("format").get<std::string>();
  result.offset_bits = integer_at(whole, "offset_bits", path);
  result.value_bits = integer_at(whole, "value_bits", path);
  if (whole.contains("complex_values")) result.complex_values = whole["complex_values"].get<bool>();
  for (const auto& [name, value] : whole.at("parameters").items())
    result.sizes.push_back({name, integer_of(value, name, path)});
  for (const json& listed : whole.at("arrays"))
    result.arrays.push_back({listed.at("name").get<std::string>(), listed.at("type").get<std::string>(),
                             integer_at(listed, "length", path), listed.at("crc32").get<std::string>()});
  return result;
}

binsparse_description read_binsparse_description(const std::string& path, const json& whole) {
  // The specification nests the description under its own name, the Python reference leaves that out.
  const bool nested = whole.is_object() && whole.contains("binsparse") && whole["binsparse"].is_object();
  const json& inner = nested ? whole["binsparse"] : whole;
  binsparse_description result;
  if (inner.contains("version")) {
    const auto version = inner["version"].get<std::string>();
    if (version != binsparse_version && !version.starts_with(binsparse_version + std::string(".")))
      refuse_unsupported(
          path, fmt::format("is Binsparse of version {}, this program reads {}", version, binsparse_version));
  }
  if (!inner.at("format").is_string())
    refuse_unsupported(path, "custom Binsparse formats are not supported yet");
  result.format = inner["format"].get<std::string>();
  const char* const formats[] = {"CSR", "CSC", "DCSR", "DCSC", "COO", "COOR", "COOC"};
  if (std::find(std::begin(formats), std::end(formats), result.format) == std::end(formats))
    refuse_unsupported(path, fmt::format("Binsparse format {} is not supported yet", result.format));

  const json& shape = inner.at("shape");
  if (!shape.is_array() || shape.size() != 2)
    refuse_unsupported(path, "only Binsparse matrices are supported, with two dimensions");
  if (!shape[0].is_number_integer() || !shape[1].is_number_integer())
    refuse_input(path, "'shape' in its description does not hold integers");
  result.rows = checked_dimension(path, "rows", shape[0].get<std::int64_t>());
  result.cols = checked_dimension(path, "columns", shape[1].get<std::int64_t>());
  if (inner.contains("number_of_stored_values"))
    result.stored_values = integer_at(inner, "number_of_stored_values", path);

  result.value_type = inner.at("data_types").at("values").get<std::string>();
  if (result.value_type.starts_with("iso[") && result.value_type.ends_with("]")) {
    result.all_values_equal = true;
    result.value_type = result.value_type.substr(4, result.value_type.size() - 5);
  }
  const std::string named_type = result.value_type;
  if (result.value_type == "complex[float32]" || result.value_type == "complex[float64]") {
    result.pairs = true;
    result.value_type = result.value_type.substr(8, 7);
  }
  const char* const types[] = {"int8",   "int16",  "int32",   "int64",   "uint8", "uint16",
                               "uint32", "uint64", "float32", "float64", "bint8"};
  if (std::find(std::begin(types), std::end(types), result.value_type) == std::end(types))
    refuse_unsupported(path, fmt::format("values of type {} are not supported yet", named_type));

  if (inner.contains("structure")) result.structure = inner["structure"].get<std::string>();
  result.has_fill_value = inner.contains("fill") && inner["fill"].get<bool>();
  return result;
}

}  // namespace

const container_description::size* container_description::find_size(const std::string& name) const {
  return find_named(sizes, name);
}

const container_description::array* container_description::find_array(const std::string& name) const {
  return find_named(arrays, name);
}

std::string to_text(const container_description& description) {
  json whole = {{"version", container_version},           {"format", description.format},
                {"offset_bits", description.offset_bits}, {"value_bits", description.value_bits},
                {"parameters", json::object()},           {"arrays", json::array()}};
  if (description.complex_values) whole["complex_values"] = true;
  for (const auto& listed : description.sizes) whole["parameters"][listed.name] = listed.value;
  for (const auto& listed : description.arrays)
    whole["arrays"].push_back({{"name", listed.name},
                               {"type", listed.type},
                               {"length", listed.length},
                               {"crc32", listed.checksum}});
  return whole.dump();
}

container_description container_description_from(const std::string& path, const std::string& text) {
  return understood(path, text, [&](const json& whole) { return read_container_description(path, whole); });
}

binsparse_description binsparse_description_from(const std::string& path, const std::string& text) {
  return understood(path, text, [&](const json& whole) { return read_binsparse_description(path, whole); });
}

std::string binsparse_text(const char* format, const std::string& structure, std::int32_t rows,
                           std::int32_t cols, std::int64_t stored_values,
                           const std::vector<std::pair<const char*, const char*>>& types) {
  json data_types = json::object();
  for (const auto& [name, type] : types) data_types[name] = type;
  json whole = {{"binsparse",
                 {{"version", binsparse_version},
                  {"format", format},
                  {"shape", json::array({rows, cols})},
                  {"number_of_stored_values", stored_values},
                  {"data_types", data_types}}}};
  if (structure != "general") whole["binsparse"]["structure"] = structure;
  return whole.dump();
}

}  // namespace sparsmith
