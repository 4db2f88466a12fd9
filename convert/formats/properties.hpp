// What is true of a format beside its arrays: one entry a format, in properties.cpp. Nobody else switches
// over formats for any of it; a format without an entry does not compile. An entry knows neither kernels nor
// reports, which read it: it holds names, numbers and functions of options.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "convert/options.hpp"

namespace sparsmith {

const char* name_of(block_order order);
const char* name_of(renumbering renumber);

// Something that is chosen to make a format, under the name that containers and JSON use; no value where the
// choice is left to the conversion.
using parameter_value = std::variant<std::monostate, bool, std::int64_t, std::string>;
struct format_parameter {
  const char* name;
  std::function<parameter_value(const conversion_options&)> chosen;
};

// The same as spconv is told it and as C++ sets it, the latter without its last semicolon.
struct written_setting {
  std::string typed, code;
};
struct format_setting {
  const char* flag;
  // What names the format's shape is always written; everything else only where it is not the default.
  std::function<std::optional<written_setting>(const conversion_options&)> written;
};

// What a price says beside the options, and how counts are written in it.
struct priced_shape {
  const conversion_options& options;
  std::int64_t width = 0, rest = 0, blocks = 0;
  bool chosen_block = false, renumbered = false;
  std::function<std::string(std::int64_t)> figure;
};

// A kernel for A x and one for A^T x.
struct kernel_names {
  const char* ax;
  const char* atx;
};

struct format_properties {
  // 0 for the simplest: fewer concepts for whoever has to read or write the arrays.
  int complexity;
  // Degrees on the colour wheel, in every chart; none is the colour of text.
  std::optional<int> hue;
  bool padded = false;  // stores slots that hold no entry
  // Our own container holds every format, Matrix Market the entries of every one.
  bool in_npz = false, in_binsparse = false;
  // Throws where the options that concern the format cannot be; none where there are no such options.
  void (*require)(const conversion_options&) = nullptr;
  std::vector<format_parameter> parameters = {};
  std::vector<format_setting> settings = {};
  // Puts into the options what a conversion decided, from the sizes of what it made.
  void (*settle)(conversion_options&, const format_parameters& made) = nullptr;
  // What tells one price, or one matrix that was made, from others of the format, the most telling first;
  // none where a format has one shape only.
  std::vector<std::string> (*words_of_price)(const priced_shape&) = nullptr;
  std::vector<std::string> (*words_of_matrix)(const format_parameters& made) = nullptr;
  // Those to take where nobody measures: the fastest over many matrices (docs/model). One may refuse a
  // matrix.
  kernel_names on_openmp, on_cuda;
};

const format_properties& properties_of(format_kind format);

// The options that make a format again, from those that were given and the sizes that came of them.
conversion_options settled(format_kind format, const conversion_options& options,
                           const format_parameters& made);

// Whether the format's arrays have offsets, and so its type an Offset.
bool has_offsets(format_kind format);

// The formats that a flag of spconv is about; none where it is about all of them.
std::vector<format_kind> formats_with(const std::string& flag);

}  // namespace sparsmith
