#include "analyze/report/recommend_actions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "analyze/report/text.hpp"
#include "convert/dispatch.hpp"
#include "convert/io/generators.hpp"

namespace sparsmith {
namespace {

std::optional<std::int64_t> parameter(const variant_result& f, const char* name) {
  for (const auto& [known, value] : f.parameters)
    if (known == name) return value;
  return {};
}

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
                                     ".mtx", ".npz", ".h5", ".hdf5", ".bsp"};
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

void add_block_settings(const block_options& blocks, format_kind format, std::vector<setting>& all) {
  const block_options usual;
  all.push_back(
      {"--beta", fmt::to_string(blocks.beta), fmt::format("options.blocks.beta = {}", blocks.beta)});
  if (blocks.thesis) all.push_back({"--layout", "thesis", "options.blocks.thesis = true"});
  if (blocks.order != usual.order)
    all.push_back({"--order", name_of(blocks.order),
                   fmt::format("options.blocks.order = block_order::{}", name_of(blocks.order))});
  if (blocks.index_bits != usual.index_bits)
    all.push_back({"--index", fmt::to_string(blocks.index_bits),
                   fmt::format("options.blocks.index_bits = {}", blocks.index_bits)});
  if (format == format_kind::ecsb && blocks.holding)
    all.push_back({"--holding", name_of(*blocks.holding),
                   fmt::format("options.blocks.holding = ecsb_holding::{}", name_of(*blocks.holding))});
  if (format != format_kind::gcsb) return;
  if (blocks.group_size != usual.group_size)
    all.push_back({"--group", fmt::to_string(blocks.group_size),
                   fmt::format("options.blocks.group_size = {}", blocks.group_size)});
  if (blocks.window != usual.window)
    all.push_back({"--window", fmt::to_string(blocks.window),
                   fmt::format("options.blocks.window = {}", blocks.window)});
}

void add_tile_settings(const tile_options& tile, std::vector<setting>& all) {
  const tile_options usual;
  if (tile.height > 0)
    all.push_back(
        {"--tile", fmt::format("{}x{}", tile.height, tile.width),
         fmt::format("options.tile.height = {};\noptions.tile.width = {}", tile.height, tile.width)});
  if (tile.renumber != usual.renumber)
    all.push_back({"--renumber", name_of(tile.renumber),
                   fmt::format("options.tile.renumber = renumbering::{}", name_of(tile.renumber))});
  if (tile.group_size != usual.group_size)
    all.push_back({"--group", fmt::to_string(tile.group_size),
                   fmt::format("options.tile.group_size = {}", tile.group_size)});
  if (tile.index_bits != usual.index_bits)
    all.push_back({"--index", fmt::to_string(tile.index_bits),
                   fmt::format("options.tile.index_bits = {}", tile.index_bits)});
  if (tile.rest_below != usual.rest_below)
    all.push_back({"--rest", fmt::to_string(tile.rest_below),
                   fmt::format("options.tile.rest_below = {}", tile.rest_below)});
}

std::vector<setting> settings_of(const matrix_result& found, const variant_result& f) {
  const conversion_options options = settled_options(f);
  std::vector<setting> all;
  if (f.format == format_kind::sell) {
    all.push_back({"--slice", fmt::to_string(options.sell.slice),
                   fmt::format("options.sell.slice = {}", options.sell.slice)});
    all.push_back({"--sigma", fmt::to_string(options.sell.sigma),
                   fmt::format("options.sell.sigma = {}", options.sell.sigma)});
  }
  if (f.format == format_kind::hyb && options.hyb_width >= 0)
    all.push_back({"--width", fmt::to_string(options.hyb_width),
                   fmt::format("options.hyb_width = {}", options.hyb_width)});
  if (const block_size block = options.bsr_block; f.format == format_kind::bsr)
    all.push_back({"--block", fmt::format("{}x{}", block.rows, block.cols),
                   fmt::format("options.bsr_block = {{{}, {}}}", block.rows, block.cols)});
  if (has_beta(f.format)) add_block_settings(options.blocks, f.format, all);
  if (f.format == format_kind::gcsb_tile) add_tile_settings(options.tile, all);
  if (fill_of(found, f) > conversion_options{}.max_fill && options.max_fill > conversion_options{}.max_fill)
    all.push_back({"--max-fill", fmt::format("{:g}", options.max_fill),
                   fmt::format("options.max_fill = {:g}", options.max_fill)});
  return all;
}

// ---- the C++ ----

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

bool has_offsets(format_kind format) {
  return format != format_kind::coo && format != format_kind::ell && format != format_kind::hyb;
}

}  // namespace

conversion_options settled_options(const variant_result& f) {
  conversion_options options = f.options;
  const auto settle = [&](auto& to, const char* name) {
    if (const auto value = parameter(f, name))
      to = static_cast<std::remove_reference_t<decltype(to)>>(*value);
  };
  if (f.format == format_kind::hyb) settle(options.hyb_width, "width");
  if (f.format == format_kind::ecsb)
    if (const auto holding = parameter(f, "holding"))
      options.blocks.holding = static_cast<ecsb_holding>(*holding);
  if (f.format == format_kind::gcsb_tile) {
    settle(options.tile.height, "tile_height");
    settle(options.tile.width, "tile_width");
    if (const auto renumbered = parameter(f, "renumbered"))
      options.tile.renumber = *renumbered != 0 ? renumbering::length : renumbering::none;
  }
  return options;
}

double fill_of(const matrix_result& found, const variant_result& f) {
  return f.slots == 0 || f.slots == found.entries
             ? 1
             : static_cast<double>(f.slots) / static_cast<double>(found.entries);
}

const char* name_of(renumbering renumber) {
  return renumber == renumbering::automatic ? "automatic"
         : renumber == renumbering::length  ? "length"
                                            : "none";
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
  if (!is_plain(taken)) return {};
  const variant_result& f = taken.variant();
  std::vector<std::string> words = {"spconv", as_argument(r.name), "--to", name_of(f.format)};
  for (const setting& one : settings_of(r.found, f)) {
    words.push_back(one.flag);
    words.push_back(one.typed);
  }
  words.insert(words.end(), {"--value", r.found.value_bits == 32 ? "f32" : "f64"});
  if (const bool wide = offset_bits(r, f) == 64; wide != wide_by_default(r, f))
    words.insert(words.end(), {"--offsets", wide ? "64" : "32"});
  words.insert(words.end(), {"-o", as_argument(base_name(r.name) + "." + name_of(f.format) + ".h5")});
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
  const bool on_gpu = r.machine.backend == cuda::name;
  const std::string backend = on_gpu ? cuda::name : openmp::name;
  const std::string offset = offset_bits(r, f) == 64 ? "std::int64_t" : "std::int32_t";
  const std::string value = r.found.value_bits == 32 ? "float" : "double";
  const std::string types = fmt::format("<{}, {}, {}>", backend, offset, value);
  std::string code = fmt::format(
      "#include \"convert/convert.hpp\"\n"
      "#include \"convert/io/read.hpp\"\n"
      "#include \"kernels/registry.hpp\"\n"
      "\n"
      "using namespace sparsmith;\n"
      "matrix_entries entries = read_matrix(\n{});\n"
      "assembly_report report;\n"
      "const auto matrix = assemble{}(\n"
      "    {{}}, std::move(entries), false, report, nullptr);\n",
      literal_lines(r.name, "    "), types);
  if (taken.stays_in_csr()) {
    code += "const auto stored = view(matrix);\n";
  } else {
    code += "conversion_options options;\n";
    for (const setting& one : settings_of(r.found, f)) code += one.code + ";\n";
    code += fmt::format(
        "const auto converted = from_csr{}(\n"
        "    {{}}, view(matrix), format_kind::{}, options, nullptr);\n"
        "const auto stored = view(\n"
        "    std::get<{}<{}{}, {}>>(converted));\n",
        types, name_of(f.format), name_of(f.format), has_offsets(f.format) ? offset + ", " : "", value,
        on_gpu ? "device" : "host");
  }
  std::string prepare, run;
  std::vector<std::string> names;
  for (const operation op : both_operations) {
    const contestant_result* const k = taken.contestant(op);
    if (k == nullptr) continue;
    const bool straight = op == operation::multiply;
    const char* const name = straight ? "multiply" : "transposed";
    names.emplace_back(name);
    prepare += fmt::format(
        "  if (kernel.info.name == std::string(\"{}\"))\n"
        "    {} = kernel.prepare({{}}, stored, operation::{});\n",
        k->info.name, name, name);
    run +=
        straight ? "multiply.run(1, x, 0, y);  // y = A x\n" : "transposed.run(1, y, 0, x);  // x = A^T y\n";
  }
  code += fmt::format(
      "prepared_kernel<{}> {};\n"
      "for (const auto& kernel : kernels_of(stored)) {{\n{}}}\n"
      "// x and y: {} and {} values in {} memory\n{}",
      value, fmt::join(names, ", "), prepare, r.found.cols, r.found.rows, on_gpu ? "the GPU's" : "the host's",
      run);
  if (on_gpu) code += "synchronize(cuda{});  // runs are queued, in this order\n";
  return code;
}

}  // namespace sparsmith
