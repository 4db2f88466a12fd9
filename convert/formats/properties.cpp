#include "convert/formats/properties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "convert/error.hpp"

namespace sparsmith {

const char* name_of(block_order order) {
  return order == block_order::morton ? "morton" : order == block_order::row ? "row" : "diagonal";
}

const char* name_of(renumbering renumber) {
  return renumber == renumbering::automatic ? "automatic"
         : renumber == renumbering::length  ? "length"
                                            : "none";
}

namespace {

using options_type = conversion_options;
using words = std::vector<std::string>;

// ---- what entries are made of ----

parameter_value value_of(bool yes) {
  return yes;
}
parameter_value value_of(std::int32_t number) {
  return std::int64_t{number};
}
template <class Word>
requires std::is_enum_v<Word> parameter_value value_of(Word word) {
  return std::string(name_of(word));
}
template <class Word>
parameter_value value_of(const std::optional<Word>& word) {
  return word ? value_of(*word) : parameter_value();
}

// `reach` finds the choice in the options.
template <class Reach>
format_parameter parameter(const char* name, Reach reach) {
  return {name, [=](const options_type& o) { return value_of(reach(o)); }};
}
// One that is left to the conversion where it is `open`.
template <class Reach>
format_parameter parameter(const char* name, Reach reach, std::int32_t open) {
  return {name,
          [=](const options_type& o) { return reach(o) == open ? parameter_value() : value_of(reach(o)); }};
}

std::string typed(std::int32_t number) {
  return fmt::to_string(number);
}
template <class Word>
requires std::is_enum_v<Word> std::string typed(Word word) {
  return name_of(word);
}
template <class Word>
std::string typed(const std::optional<Word>& word) {
  return word ? typed(*word) : "auto";
}

std::string in_code(std::int32_t number) {
  return fmt::to_string(number);
}
std::string in_code(block_order order) {
  return fmt::format("block_order::{}", name_of(order));
}
std::string in_code(renumbering renumber) {
  return fmt::format("renumbering::{}", name_of(renumber));
}
std::string in_code(const std::optional<ecsb_holding>& holding) {
  return holding ? fmt::format("ecsb_holding::{}", name_of(*holding)) : "{}";
}

enum class write { always, changed };

// `member` is where C++ finds it in the options.
template <class Reach>
format_setting setting(const char* flag, const char* member, Reach reach, write when = write::changed) {
  return {flag, [=](const options_type& o) -> std::optional<written_setting> {
            const auto value = reach(o);
            if (when == write::changed && value == reach(options_type{})) return {};
            return written_setting{typed(value), fmt::format("options.{} = {}", member, in_code(value))};
          }};
}

template <class Item>
std::vector<Item> joined(std::vector<Item> first, const std::vector<Item>& more) {
  first.insert(first.end(), more.begin(), more.end());
  return first;
}

std::optional<std::int64_t> find(const format_parameters& made, std::string_view wanted) {
  for (const auto& [name, number] : made)
    if (name == wanted) return number;
  return {};
}
std::int64_t size(const format_parameters& made, std::string_view wanted) {
  if (const auto number = find(made, wanted)) return *number;
  throw std::logic_error(fmt::format("the format has no {}", wanted));
}

std::string number(const char* word, std::int64_t count) {
  return fmt::format("{} {}", word, count);
}
std::string number(const format_parameters& made, const char* name) {
  return number(name, size(made, name));
}
std::string sides(std::int64_t rows, std::int64_t cols) {
  return fmt::format("{} x {}", rows, cols);
}
std::string counted(const priced_shape& p, std::int64_t count, const char* what) {
  return p.figure(count) + " " + what + (count == 1 ? "" : "s");
}

// ---- what the blocked formats share ----

constexpr auto beta = [](const options_type& o) { return o.blocks.beta; };
constexpr auto order = [](const options_type& o) { return o.blocks.order; };
constexpr auto index_bits = [](const options_type& o) { return o.blocks.index_bits; };
constexpr auto thesis = [](const options_type& o) { return o.blocks.thesis; };

std::vector<format_parameter> block_parameters(const std::vector<format_parameter>& own) {
  return joined({parameter("beta", beta), parameter("order", order), parameter("index_bits", index_bits, 0),
                 parameter("thesis", thesis)},
                own);
}
std::vector<format_setting> block_settings(const std::vector<format_setting>& own) {
  const auto layout = [](const options_type& o) -> std::optional<written_setting> {
    if (!o.blocks.thesis) return {};
    return written_setting{"thesis", "options.blocks.thesis = true"};
  };
  return joined(
      {setting("--beta", "blocks.beta", beta, write::always), format_setting{"--layout", layout},
       setting("--order", "blocks.order", order), setting("--index", "blocks.index_bits", index_bits)},
      own);
}
std::string beta_of(const priced_shape& p) {
  return number("beta", p.options.blocks.beta);
}
std::string order_of(const format_parameters& made) {
  return fmt::format("order {}", name_of(static_cast<block_order>(size(made, "order"))));
}
void add_thesis(words& pieces, const format_parameters& made) {
  if (size(made, "dense_blocks") != 0) pieces.emplace_back("layout thesis");
}

// Whether half of a symmetric matrix is stored: the format's name says so already.
const format_setting half_flag{"--symmetric",
                               [](const options_type&) -> std::optional<written_setting> { return {}; }};

// ---- the entries ----

template <format_kind format>
format_properties entry() = delete;

template <>
format_properties entry<format_kind::coo>() {
  return {.complexity = 1,
          .hue = 265,
          .in_npz = true,
          .in_binsparse = true,
          .on_openmp = {"coo/omp", "coo/omp"},
          .on_cuda = {"coo/segscan-32", "coo/segscan-32"}};
}

template <>
format_properties entry<format_kind::csr>() {
  return {.complexity = 0,
          .hue = {},  // the others are compared with it
          .in_npz = true,
          .in_binsparse = true,
          .settings = {half_flag},
          .on_openmp = {"csr/omp", "csr/omp"},
          .on_cuda = {"csr/vector", "csr/vector"}};
}

template <>
format_properties entry<format_kind::csc>() {
  return {.complexity = 2,
          .hue = 45,
          .in_npz = true,
          .in_binsparse = true,
          .on_openmp = {"csc/omp", "csc/omp"},
          .on_cuda = {"csc/vector", "csc/vector"}};
}

template <>
format_properties entry<format_kind::ell>() {
  return {.complexity = 3,
          .hue = 95,
          .padded = true,
          .words_of_price = [](const priced_shape& p) { return words{"width " + p.figure(p.width)}; },
          .words_of_matrix = [](const format_parameters& made) { return words{number(made, "width")}; },
          .on_openmp = {"ell/omp", "ell/omp"},
          .on_cuda = {"ell/split", "ell/split"}};
}

template <>
format_properties entry<format_kind::sell>() {
  const auto slice = [](const options_type& o) { return o.sell.slice; };
  const auto sigma = [](const options_type& o) { return o.sell.sigma; };
  return {.complexity = 4,
          .hue = 215,
          .padded = true,
          .require = [](const options_type& o) { require_options(o.sell); },
          .parameters = {parameter("slice", slice), parameter("sigma", sigma)},
          .settings = {setting("--slice", "sell.slice", slice, write::always),
                       setting("--sigma", "sell.sigma", sigma, write::always)},
          .words_of_price =
              [](const priced_shape& p) {
                return words{number("slice", p.options.sell.slice), number("sigma", p.options.sell.sigma)};
              },
          .words_of_matrix =
              [](const format_parameters& made) {
                return words{number(made, "slice"), number(made, "sigma")};
              },
          .on_openmp = {"sell/omp", "sell/omp"},
          .on_cuda = {"sell/split", "sell/split"}};
}

template <>
format_properties entry<format_kind::hyb>() {
  static constexpr std::int32_t by_rule = -1;
  const auto width = [](const options_type& o) { return o.hyb_width < 0 ? by_rule : o.hyb_width; };
  return {.complexity = 5,
          .hue = 190,
          .padded = true,
          .parameters = {parameter("width", width, by_rule)},
          .settings = {setting("--width", "hyb_width", width)},
          .settle =
              [](options_type& o, const format_parameters& made) {
                if (const auto found = find(made, "width")) o.hyb_width = static_cast<std::int32_t>(*found);
              },
          .words_of_price =
              [](const priced_shape& p) {
                return words{"width " + p.figure(p.width), "rest " + p.figure(p.rest)};
              },
          .words_of_matrix = [](const format_parameters& made) { return words{number(made, "width")}; },
          .on_openmp = {"hyb/omp", "hyb/omp"},
          .on_cuda = {"hyb/thread", "hyb/thread"}};
}

template <>
format_properties entry<format_kind::dia>() {
  const auto typed_share = [](const options_type& o) {
    return o.dia_share == 0 ? std::string("all") : fmt::to_string(o.dia_share);
  };
  const auto chosen = [=](const options_type& o) -> parameter_value {
    if (o.dia_share < 0) return {};
    return typed_share(o);
  };
  const auto diagonals = [=](const options_type& o) -> std::optional<written_setting> {
    if (o.dia_share < 0) return {};
    return written_setting{typed_share(o), fmt::format("options.dia_share = {}", o.dia_share)};
  };
  return {.complexity = 6,
          .hue = 130,
          .padded = true,
          .in_npz = true,
          .require = [](const options_type& o) { require_dia_share(o.dia_share); },
          .parameters = {{"diagonals", chosen}},
          .settings = {{"--diagonals", diagonals}, half_flag},
          .words_of_price =
              [](const priced_shape& p) {
                words pieces = {counted(p, p.blocks, "diagonal")};
                if (p.rest > 0) pieces.push_back("rest " + p.figure(p.rest));
                return pieces;
              },
          .on_openmp = {"dia/omp", "dia/omp"},
          .on_cuda = {"dia/rows", "dia/rows"}};
}

template <>
format_properties entry<format_kind::bsr>() {
  const auto block = [](const options_type& o) -> std::optional<written_setting> {
    const block_size size = o.bsr_block;
    return written_setting{fmt::format("{}x{}", size.rows, size.cols),
                           fmt::format("options.bsr_block = {{{}, {}}}", size.rows, size.cols)};
  };
  return {.complexity = 7,
          .hue = 25,
          .padded = true,
          .in_npz = true,
          .require = [](const options_type& o) { require_bsr_block(o.bsr_block); },
          .parameters = {parameter("block_rows", [](const options_type& o) { return o.bsr_block.rows; }),
                         parameter("block_cols", [](const options_type& o) { return o.bsr_block.cols; })},
          .settings = {{"--block", block}, half_flag},
          .words_of_price =
              [](const priced_shape& p) {
                words pieces = {sides(p.options.bsr_block.rows, p.options.bsr_block.cols),
                                counted(p, p.blocks, "block")};
                if (p.chosen_block) pieces.emplace_back("auto");
                return pieces;
              },
          .words_of_matrix =
              [](const format_parameters& made) {
                return words{sides(size(made, "block_rows"), size(made, "block_cols"))};
              },
          .on_openmp = {"bsr/preprocessed", "bsr/preprocessed"},
          .on_cuda = {"bsr/stream", "bsr/stream"}};
}

// Of half of a symmetric matrix: what is true of the format that its entries are stored in, but for what
// multiplies with it, and that SciPy has no symmetric matrices; Binsparse has a name for a triangle.
format_properties halved(format_properties stored, int complexity, int hue, kernel_names on_openmp,
                         kernel_names on_cuda) {
  stored.complexity = complexity;
  stored.hue = hue;
  stored.in_npz = false;
  stored.on_openmp = on_openmp;
  stored.on_cuda = on_cuda;
  return stored;
}

template <>
format_properties entry<format_kind::csr_half>() {
  return halved(entry<format_kind::csr>(), 12, 235, {"csr/half-omp", "csr/half-omp"},
                {"csr/half", "csr/half"});
}

template <>
format_properties entry<format_kind::dia_half>() {
  return halved(entry<format_kind::dia>(), 13, 115, {"dia/half-omp", "dia/half-omp"},
                {"dia/half", "dia/half"});
}

template <>
format_properties entry<format_kind::bsr_half>() {
  return halved(entry<format_kind::bsr>(), 14, 10, {"bsr/half-omp", "bsr/half-omp"},
                {"bsr/half", "bsr/half"});
}

template <>
format_properties entry<format_kind::csb>() {
  return {.complexity = 8,
          .hue = 330,
          .require = [](const options_type& o) { require_options(o.blocks, format_kind::csb); },
          .parameters = block_parameters({}),
          .settings = block_settings({}),
          .words_of_price =
              [](const priced_shape& p) {
                return words{beta_of(p), counted(p, p.blocks, "block")};
              },
          .words_of_matrix =
              [](const format_parameters& made) {
                words pieces = {number(made, "beta"), order_of(made)};
                add_thesis(pieces, made);
                return pieces;
              },
          .on_openmp = {"csb/omp", "csb/omp"},
          .on_cuda = {"csb/block", "csb/block"}};
}

template <>
format_properties entry<format_kind::ecsb>() {
  const auto holding = [](const options_type& o) { return o.blocks.holding; };
  return {.complexity = 10,
          .hue = 0,
          .padded = true,
          .require = [](const options_type& o) { require_options(o.blocks, format_kind::ecsb); },
          .parameters = block_parameters({parameter("holding", holding)}),
          .settings = block_settings({setting("--holding", "blocks.holding", holding)}),
          .settle =
              [](options_type& o, const format_parameters& made) {
                if (const auto found = find(made, "holding"))
                  o.blocks.holding = static_cast<ecsb_holding>(*found);
              },
          .words_of_price =
              [](const priced_shape& p) {
                return words{beta_of(p), typed(p.options.blocks.holding)};
              },
          .words_of_matrix =
              [](const format_parameters& made) {
                words pieces = {number(made, "beta"), order_of(made),
                                name_of(static_cast<ecsb_holding>(size(made, "holding")))};
                if (size(made, "width") > 0) pieces.push_back(number(made, "width"));
                return pieces;
              },
          .on_openmp = {"ecsb/omp", "ecsb/omp"},
          .on_cuda = {"ecsb/ell", "ecsb/ell"}};  // each holding has one kernel, which refuses the others
}

template <>
format_properties entry<format_kind::gcsb>() {
  const auto group = [](const options_type& o) { return o.blocks.group_size; };
  const auto window = [](const options_type& o) { return o.blocks.window; };
  return {
      .complexity = 9,
      .hue = 160,
      .padded = true,
      .require = [](const options_type& o) { require_options(o.blocks, format_kind::gcsb); },
      .parameters = block_parameters({parameter("group_size", group), parameter("window", window)}),
      .settings = block_settings(
          {setting("--group", "blocks.group_size", group), setting("--window", "blocks.window", window)}),
      .words_of_price =
          [](const priced_shape& p) {
            return words{beta_of(p), number("group", p.options.blocks.group_size),
                         counted(p, p.blocks, "block")};
          },
      .words_of_matrix =
          [](const format_parameters& made) {
            words pieces = {number(made, "beta"), number("group", size(made, "group_size")), order_of(made)};
            if (size(made, "window") > 0) pieces.push_back(number(made, "window"));
            add_thesis(pieces, made);
            return pieces;
          },
      .on_openmp = {"gcsb/omp", "gcsb/omp"},
      .on_cuda = {"gcsb/lane", "gcsb/lane"}};
}

template <>
format_properties entry<format_kind::gcsb_tile>() {
  const auto height = [](const options_type& o) { return o.tile.height; };
  const auto width = [](const options_type& o) { return o.tile.width; };
  const auto group = [](const options_type& o) { return o.tile.group_size; };
  const auto bits = [](const options_type& o) { return o.tile.index_bits; };
  const auto renumber = [](const options_type& o) { return o.tile.renumber; };
  const auto rest = [](const options_type& o) { return o.tile.rest_below; };
  const auto both_sides = [](const options_type& o) -> std::optional<written_setting> {
    if (o.tile.height == 0) return {};
    return written_setting{
        fmt::format("{}x{}", o.tile.height, o.tile.width),
        fmt::format("options.tile.height = {};\noptions.tile.width = {}", o.tile.height, o.tile.width)};
  };
  // The format's name says it already.
  const auto layout = [](const options_type&) -> std::optional<written_setting> { return {}; };
  return {.complexity = 11,
          .hue = 295,
          .padded = true,
          .require = [](const options_type& o) { require_options(o.tile); },
          .parameters = {parameter("tile_height", height, 0), parameter("tile_width", width, 0),
                         parameter("group_size", group), parameter("index_bits", bits, 0),
                         parameter("renumber", renumber), parameter("rest_below", rest)},
          .settings = {{"--layout", layout},
                       {"--tile", both_sides},
                       setting("--renumber", "tile.renumber", renumber),
                       setting("--group", "tile.group_size", group),
                       setting("--index", "tile.index_bits", bits),
                       setting("--rest", "tile.rest_below", rest),
                       half_flag},
          .settle =
              [](options_type& o, const format_parameters& made) {
                if (const auto side = find(made, "tile_height"))
                  o.tile.height = static_cast<std::int32_t>(*side);
                if (const auto side = find(made, "tile_width"))
                  o.tile.width = static_cast<std::int32_t>(*side);
                if (const auto renumbered = find(made, "renumbered"))
                  o.tile.renumber = *renumbered != 0 ? renumbering::length : renumbering::none;
              },
          .words_of_price =
              [](const priced_shape& p) {
                const tile_options& tile = p.options.tile;
                words pieces = {sides(tile.height, tile.width), counted(p, tile.group_size, "lane"),
                                counted(p, p.blocks, "tile")};
                if (p.renumbered) pieces.emplace_back("renumbered");
                return pieces;
              },
          .words_of_matrix =
              [](const format_parameters& made) {
                words pieces = {sides(size(made, "tile_height"), size(made, "tile_width")),
                                fmt::format("{} lanes", size(made, "group_size"))};
                if (size(made, "renumbered") != 0) pieces.emplace_back("renumbered");
                pieces.push_back(number("rest below", size(made, "rest_below")));
                return pieces;
              },
          .on_openmp = {"gcsb/tile-omp", "gcsb/tile-omp"},
          .on_cuda = {"gcsb/tile", "gcsb/tile"}};
}

template <>
format_properties entry<format_kind::gcsb_tile_half>() {
  format_properties half =
      halved(entry<format_kind::gcsb_tile>(), 15, 310, {"gcsb/tile-half-omp", "gcsb/tile-half-omp"},
             {"gcsb/tile-half", "gcsb/tile-half"});
  // Its rows and columns keep their numbers.
  std::erase_if(half.settings,
                [](const format_setting& s) { return std::string_view(s.flag) == "--renumber"; });
  std::erase_if(half.parameters, [](const auto& p) { return std::string_view(p.name) == "renumber"; });
  return half;
}

using any_host = any_format<std::int32_t, double, host>;
constexpr std::size_t format_count = std::variant_size_v<any_host>;

template <class Format>
constexpr bool has_offset_type = requires {
  typename Format::offset_type;
};

template <std::size_t... i>
std::array<format_properties, format_count> all_entries(std::index_sequence<i...>) {
  return {entry<static_cast<format_kind>(i)>()...};
}
template <std::size_t... i>
constexpr std::array<bool, format_count> all_with_offsets(std::index_sequence<i...>) {
  return {has_offset_type<std::variant_alternative_t<i, any_host>>...};
}

}  // namespace

const format_properties& properties_of(format_kind format) {
  static const auto table = all_entries(std::make_index_sequence<format_count>{});
  const auto i = static_cast<std::size_t>(format);
  if (i >= table.size()) throw error(failure::usage, "no such format");
  return table[i];
}

conversion_options settled(format_kind format, const conversion_options& options,
                           const format_parameters& made) {
  conversion_options all = options;
  if (const auto settle = properties_of(format).settle) settle(all, made);
  return all;
}

bool has_offsets(format_kind format) {
  constexpr auto table = all_with_offsets(std::make_index_sequence<format_count>{});
  return table.at(static_cast<std::size_t>(format));
}

std::vector<format_kind> formats_with(const std::string& flag) {
  std::vector<format_kind> formats;
  for (const format_kind format : all_formats())
    for (const format_setting& setting : properties_of(format).settings)
      if (setting.flag == flag) formats.push_back(format);
  return formats;
}

}  // namespace sparsmith
