#include "analyze/report/recommend_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyze/report/text.hpp"
#include "convert/dispatch.hpp"
#include "convert/formats/properties.hpp"
#include "convert/io/generators.hpp"

namespace sparsmith {
namespace {

// One stored copy of A.
bool is_plain(const way& taken) {
  return taken.stored.size() == 1 && !taken.variant().of_transpose;
}

bool ends_with_any_case(std::string_view text, std::string_view end) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return text.size() > end.size() &&
         std::equal(end.begin(), end.end(), text.end() - static_cast<std::ptrdiff_t>(end.size()),
                    [&](char a, char b) { return a == lower(b); });
}

// "folder/bcsstk17.mtx.gz": bcsstk17; "gen:rmat?scale=10": rmat.
std::string base_name(const std::string& input) {
  std::string name = input;
  if (is_generator(input)) {
    name = input.substr(std::string_view("gen:").size());
    name = name.substr(0, name.find('?'));
  } else if (const std::size_t slash = name.rfind('/'); slash != std::string::npos) {
    name = name.substr(slash + 1);
  }
  constexpr std::array extensions = {".gz",  ".bz2", ".xz", ".zst",  ".tar", ".tgz",
                                     ".mtx", ".npz", ".h5", ".hdf5", ".bsp", ".rb"};
  for (bool shorter = true; shorter;) {
    shorter = false;
    for (const std::string_view extension : extensions)
      if (ends_with_any_case(name, extension)) {
        name.resize(name.size() - extension.size());
        shorter = true;
      }
  }
  return name.empty() || name == "-" ? "matrix" : name;
}

// Not what looks like an option.
std::string as_argument(const std::string& path) {
  return path.size() > 1 && path.front() == '-' ? "./" + path : path;
}

// As --value and value_width call them.
const char* name_of_values(const matrix_result& m) {
  if (m.complex_values) return m.value_bits == 64 ? "c64" : "c128";
  return m.value_bits == 32 ? "f32" : "f64";
}

int offset_bits(const recommendation& r, const variant_result& f) {
  return f.offset_bits > 0 ? f.offset_bits : r.found.offset_bits;
}

// Whether spconv would take 64-bit offsets by itself: for the entries, or for the positions of blocks.
bool wide_by_default(const recommendation& r, const variant_result& f) {
  std::int64_t counted = r.found.entries;
  if (const std::int32_t beta = f.options.blocks.beta; has_beta(f.format) && beta > 0)
    counted = std::max(counted, groups_of(r.found.rows, beta) * groups_of(r.found.cols, beta));
  return needs_wide_offsets(counted);
}

// An option with how spconv and how C++ set it.
struct setting {
  std::string flag, typed;
  std::string code;  // without the last semicolon
};

std::vector<setting> settings_of(const matrix_result& found, const variant_result& f) {
  const conversion_options options = settled_options(f);
  std::vector<setting> all;
  for (const format_setting& one : properties_of(f.format).settings)
    if (const auto written = one.written(options)) all.push_back({one.flag, written->typed, written->code});
  if (fill_of(found, f) > conversion_options{}.max_fill && options.max_fill > conversion_options{}.max_fill)
    all.push_back({"--max-fill", fmt::format("{:g}", options.max_fill),
                   fmt::format("options.max_fill = {:g}", options.max_fill)});
  return all;
}

// ---- the C++ ----

// The kernels of both products as they were run: where A equals A^T there is none of A^T x.
std::pair<std::string, std::string> products_of(const way& taken) {
  const auto name = [&](operation op) -> std::string {
    const contestant_result* const k = taken.run_for(op);
    return k == nullptr ? "" : k->info.name;
  };
  return {name(operation::multiply), name(operation::transposed)};
}

std::string choice_of_kernels(const std::string& straight, const std::string& turned) {
  return straight == turned ? fmt::format("m.use_kernel(\"{}\");\n", straight)
                            : fmt::format("m.use_kernels(\"{}\", \"{}\");\n", straight, turned);
}

// Where two products come together: one call, or one for each.
std::string lines_of_application(const recommendation& r, const way& taken) {
  const bool both = r.wanted.one_pass == operation::both;
  if (const contestant_result* const k = taken.contestant(*r.wanted.one_pass); k != nullptr) {
    const std::string chosen = fmt::format("m.use_kernel(\"{}\");\n", k->info.name);
    if (both)
      return chosen + fmt::format(
                          "// x and z: {} values; w and y: {}\n"
                          "m.multiply_both(1.0, x, w, 0.0, y, z);  // y = A x, z = A^T w: A is read once\n",
                          r.found.cols, r.found.rows);
    return chosen + fmt::format(
                        "// x and z: {} values\n"
                        "m.multiply_normal(1.0, x, 0.0, z);  // z = A^T (A x), A is read once\n",
                        r.found.cols);
  }
  const auto [straight, turned] = products_of(taken);
  // A equals A^T: what computes A x computes both.
  const char* const transposed = turned.empty() ? "multiply" : "multiply_transposed";
  const std::string chosen = choice_of_kernels(straight, turned.empty() ? straight : turned);
  const std::string sizes = fmt::format("// x and z: {} values; {}: {}\n", r.found.cols,
                                        both ? "w and y" : "y, between them", r.found.rows);
  return chosen + sizes + "m.multiply(1.0, x, 0.0, y);  // y = A x\n" +
         fmt::format("m.{}(1.0, {}, 0.0, z);  // z = A^T {}\n", transposed, both ? "w" : "y",
                     both ? "w" : "y, which is A^T (A x)");
}

// A string literal, in pieces one below the other where it is long.
std::string literal_lines(const std::string& text, const std::string& indent) {
  constexpr std::size_t most = 66;  // columns of a piece
  std::string lines, piece;
  const auto end_piece = [&] {
    lines += (lines.empty() ? "" : "\n") + indent + '"' + piece + '"';
    piece.clear();
  };
  for (std::size_t i = 0; i < text.size();) {
    std::size_t next = i + 1;  // characters of several bytes stay whole
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xc0) == 0x80) ++next;
    const std::string escaped = escaped_for_code(std::string_view(text).substr(i, next - i));
    if (piece.size() + escaped.size() > most) end_piece();
    piece += escaped;
    i = next;
  }
  if (!piece.empty() || lines.empty()) end_piece();
  return lines;
}

}  // namespace

conversion_options settled_options(const variant_result& f) {
  return settled(f.format, f.options, f.parameters);
}

double fill_of(const matrix_result& found, const variant_result& f) {
  return f.slots == 0 || f.slots == found.entries
             ? 1
             : static_cast<double>(f.slots) / static_cast<double>(found.entries);
}

std::string escaped_for_code(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      escaped += std::string("\\") + c;
    else if (byte < 0x20 || byte == 0x7f)
      escaped += fmt::format("\\{:03o}", byte);  // three digits: what follows cannot be taken for one
    else
      escaped += c;
  }
  return escaped;
}

std::vector<std::string> spconv_arguments(const recommendation& r, const way& taken) {
  // What is there already needs no file, and what has no name cannot be read from one.
  if (!is_plain(taken) || (taken.stays_in_csr() && r.order.empty()) || !r.can_be_read) return {};
  const variant_result& f = taken.variant();
  std::string base = base_name(r.name);
  std::vector<std::string> words = {"spconv", as_argument(r.name)};
  if (!r.order.empty()) {
    base += "." + r.order;
    words.insert(words.end(), {"--reorder", r.order, "--permutation", as_argument(base + ".order.txt")});
  }
  words.insert(words.end(), {"--to", name_of(f.format)});
  for (const setting& one : settings_of(r.found, f)) {
    words.push_back(one.flag);
    words.push_back(one.typed);
  }
  words.insert(words.end(), {"--value", name_of_values(r.found)});
  if (const bool wide = offset_bits(r, f) == 64; wide != wide_by_default(r, f))
    words.insert(words.end(), {"--offsets", wide ? "64" : "32"});
  words.insert(words.end(), {"-o", as_argument(base + "." + name_of(f.format) + ".h5")});
  return words;
}

std::string spconv_line(const recommendation& r, const way& taken) {
  std::string line;
  for (const std::string& word : spconv_arguments(r, taken))
    line += (line.empty() ? "" : " ") + quoted_for_shell(word);
  return line;
}

std::string code_lines(const recommendation& r, const way& taken) {
  if (!is_plain(taken)) return {};
  const variant_result& f = taken.variant();
  std::string code =
      "#include <sparsmith/sparsmith.hpp>\n"
      "\n"
      "using namespace sparsmith;\n";
  code += r.can_be_read
              ? fmt::format(
                    "auto m = read(\n{},\n"
                    "    {{.where = run_on::{}, .values = value_width::{}{}}});\n",
                    literal_lines(r.name, "    "), r.machine.backend == cuda::name ? "gpu" : "cpu",
                    name_of_values(r.found), offset_bits(r, f) == 64 ? ", .wide_offsets = true" : "")
              : "// m: the matrix that this was asked about\n";
  if (!r.order.empty())
    code += fmt::format(
        "const auto ordered = reorder(m, \"{}\");  // vectors as ordered.rows has it\n"
        "m = ordered.made;\n",
        r.order);
  if (!taken.stays_in_csr()) {
    const std::vector<setting> settings = settings_of(r.found, f);
    if (!settings.empty()) code += "conversion_options options;\n";
    for (const setting& one : settings) code += one.code + ";\n";
    code +=
        fmt::format("m = convert(m, \"{}\"{});\n", name_of(f.format), settings.empty() ? "" : ", options");
  }
  if (r.wanted.one_pass) return code + lines_of_application(r, taken);
  const auto [straight, turned] = products_of(taken);
  code += choice_of_kernels(straight, turned);
  const vector_layout as = r.wanted.vectors;
  code += fmt::format("// x and y: {} and {} values{}\n", r.found.cols, r.found.rows,
                      as.count > 1 ? fmt::format(" of each of {} vectors", as.count) : "");
  const auto vectors = [&](const char* name) {
    if (as.count == 1) return std::string(name);
    return fmt::format("{}({}, {})", as.by_rows ? "by_rows" : "by_columns", name, as.count);
  };
  if (!straight.empty())
    code += fmt::format("m.multiply(1.0, {}, 0.0, {});  // y = A x{}\n", vectors("x"), vectors("y"),
                        r.found.symmetric ? ", which is A^T x" : "");
  if (!turned.empty()) {
    code +=
        fmt::format("m.multiply_transposed(1.0, {}, 0.0, {});  // x = A^T y\n", vectors("y"), vectors("x"));
    if (r.found.complex_values && as.count == 1)
      code += "m.multiply_adjoint(1.0, y, 0.0, x);  // x = A^H y, by the same kernel\n";
  }
  return code;
}

}  // namespace sparsmith
