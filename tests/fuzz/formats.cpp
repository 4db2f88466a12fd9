// Structs of all formats, filled from bytes. `find_invalid` judges them without reading past anything; what
// it calls valid converts to a valid CSR, the same with one thread and with five, and is kept by the
// container. And conversions with any options: refused, or valid and reversible.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "convert/convert.hpp"
#include "convert/formats/properties.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/container.hpp"
#include "convert/io/write.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace sparsmith::fuzz {
namespace {

constexpr std::int32_t largest_side = 1 << 14;  // conversions take memory for every row and column

class byte_source {
 public:
  explicit byte_source(std::string_view bytes) : rest_(bytes) {}

  template <class T>
  T number() {
    T value = 0;
    const std::size_t size = std::min(sizeof(T), rest_.size());
    std::memcpy(&value, rest_.data(), size);
    rest_.remove_prefix(size);
    return value;
  }
  template <class T>
  void fill(array<T, host>& to) {
    const std::size_t wanted = number<std::uint16_t>();
    const std::size_t length = std::min(wanted, rest_.size() / sizeof(T));
    to = array<T, host>(static_cast<std::int64_t>(length));
    if (length > 0) std::memcpy(to.data(), rest_.data(), length * sizeof(T));
    rest_.remove_prefix(length * sizeof(T));
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

template <class Offset, class Value>
any_format<Offset, Value, host> decoded(std::size_t format, byte_source& from) {
  using any = any_format<Offset, Value, host>;
  any matrix;
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((format == i ? void(matrix.template emplace<i>()) : void()), ...);
  }
  (std::make_index_sequence<std::variant_size_v<any>>{});
  std::visit(
      [&](auto& m) {
        for_each_member(m, [&](const char*, auto& member) {
          using type = std::remove_cvref_t<decltype(member)>;
          if constexpr (is_array<type>)
            from.fill(member);
          else
            member = from.number<type>();
        });
      },
      matrix);
  return matrix;
}

template <class Offset, class Value>
std::string encoded(const any_format<Offset, Value, host>& matrix) {
  std::string bytes;
  const auto append = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(static_cast<std::uint8_t>(matrix.index()));
  append(static_cast<std::uint8_t>((sizeof(Offset) == 8 ? 1 : 0) + (sizeof(Value) == 4 ? 2 : 0)));
  std::visit(
      [&](const auto& m) {
        for_each_member(m, [&](const char*, const auto& member) {
          if constexpr (is_array<std::remove_cvref_t<decltype(member)>>) {
            append(static_cast<std::uint16_t>(member.size()));
            for (const auto& element : member) append(element);
          } else {
            append(member);
          }
        });
      },
      matrix);
  return bytes;
}

template <class Any>
bool same_format(const Any& a, const Any& b) {
  return a.index() == b.index() &&
         std::visit(
             [&](const auto& x) { return identical(x, std::get<std::remove_cvref_t<decltype(x)>>(b)); }, a);
}

// The CSR of a valid matrix, after all that must hold for it was seen to.
template <class Offset, class Value>
csr<Offset, Value, host> checked_csr(const any_format<Offset, Value, host>& matrix) {
  set_thread_count(1);
  auto one = to_csr<openmp, Offset, Value>(openmp{}, matrix, nullptr);
  const std::string problem = find_invalid(one);
  promise(problem.empty(),
          fmt::format("a valid {} gives an invalid CSR: {}", format_names()[matrix.index()], problem));
  set_thread_count(5);
  promise(identical(one, to_csr<openmp, Offset, Value>(openmp{}, matrix, nullptr)),
          "one thread and five give the same CSR");
  return one;
}

template <class Offset, class Value>
void check_container(const any_format<Offset, Value, host>& matrix) {
  const scratch_file file;
  write_container(file.path(), matrix);
  const stored_matrix again = read_container(file.path());
  const auto* const same = std::get_if<any_format<Offset, Value, host>>(&again);
  promise(same != nullptr && same_format(matrix, *same), "the container keeps every bit");
}

// Made again from its CSR with other options it is the same matrix.
template <class Offset, class Value>
void check_made_again(const csr<Offset, Value, host>& matrix, format_kind format,
                      const conversion_options& options) {
  const auto made = from_csr<openmp, Offset, Value>(openmp{}, view(matrix), format, options, nullptr);
  const std::string problem = find_invalid(made);
  promise(problem.empty(), fmt::format("a conversion gives an invalid {}: {}", name_of(format), problem));
  promise(identical(matrix, checked_csr(made)),
          fmt::format("{} does not give the CSR back", name_of(format)));
}

template <class Offset, class Value>
bool check_format(const any_format<Offset, Value, host>& matrix) {
  set_thread_count(1);
  const std::string problem = find_invalid(matrix);
  promise(problem == find_invalid(matrix), "what is wrong is the same each time");
  if (!problem.empty()) return false;
  check_container(matrix);
  const auto [rows, cols] =
      std::visit([](const auto& m) { return std::pair(rows_of(m), cols_of(m)); }, matrix);
  if (rows > largest_side || cols > largest_side) return true;
  const auto compressed = checked_csr(matrix);
  try {
    conversion_options options;
    options.max_fill = 1000;
    check_made_again(compressed, static_cast<format_kind>(matrix.index()), options);
  } catch (const error& refused) {
    promise(refused.category() == failure::resources || refused.category() == failure::usage,
            std::string("a conversion fails: ") + refused.what());
  }
  return true;
}

}  // namespace

std::string encode_format(const any_format<std::int32_t, float, host>& matrix) {
  return encoded(matrix);
}
std::string encode_format(const any_format<std::int32_t, double, host>& matrix) {
  return encoded(matrix);
}
std::string encode_format(const any_format<std::int64_t, float, host>& matrix) {
  return encoded(matrix);
}
std::string encode_format(const any_format<std::int64_t, double, host>& matrix) {
  return encoded(matrix);
}

bool run_formats(std::string_view bytes) {
  byte_source from(bytes);
  const std::size_t format = from.number<std::uint8_t>() % format_names().size();
  const auto types = from.number<std::uint8_t>();
  return with_types({(types & 1) != 0, (types & 2) != 0}, [&]<class Offset, class Value>() {
    return check_format<Offset, Value>(decoded<Offset, Value>(format, from));
  });
}

bool run_conversion(std::string_view bytes) {
  byte_source from(bytes);
  const auto format = static_cast<format_kind>(from.number<std::uint8_t>() % format_names().size());
  const auto types = from.number<std::uint8_t>();
  conversion_options options;
  options.sell = {from.number<std::int32_t>(), from.number<std::int32_t>()};
  options.hyb_width = from.number<std::int32_t>();
  options.max_fill = from.number<double>();
  // More would be refused or granted for want of memory, which is not what this is about.
  if (std::isfinite(options.max_fill)) options.max_fill = std::min(options.max_fill, 1000.0);
  options.bsr_block = {from.number<std::int32_t>(), from.number<std::int32_t>()};
  options.blocks = {.beta = from.number<std::int32_t>(),
                    .order = static_cast<block_order>(from.number<std::uint8_t>() % 3),
                    .index_bits = from.number<std::int32_t>(),
                    .thesis = from.number<std::uint8_t>() % 2 == 1,
                    .group_size = from.number<std::int32_t>(),
                    .window = from.number<std::int32_t>()};
  if (const unsigned holding = from.number<std::uint8_t>() % 4; holding < 3)
    options.blocks.holding = static_cast<ecsb_holding>(holding);
  options.tile = {.height = from.number<std::int32_t>(),
                  .width = from.number<std::int32_t>(),
                  .group_size = from.number<std::int32_t>(),
                  .index_bits = from.number<std::int32_t>(),
                  .renumber = static_cast<renumbering>(from.number<std::uint8_t>() % 3),
                  .rest_below = from.number<std::int32_t>()};
  options.dia_share = from.number<double>();
  const std::int32_t rows = from.number<std::uint8_t>(), cols = from.number<std::uint8_t>();
  std::vector<std::array<std::int32_t, 3>> list;
  while (!from.empty() && rows > 0 && cols > 0) {
    const std::int32_t row = from.number<std::uint8_t>() % rows;
    const std::int32_t col = from.number<std::uint8_t>() % cols;
    list.push_back({row, col, from.number<std::int8_t>()});
  }
  matrix_entries source;
  source.entries = entries_of(rows, cols, list);
  if (rows == cols && (types & 8) != 0)
    source.symmetry = (types & 16) != 0 ? symmetry_kind::skew_symmetric : symmetry_kind::symmetric;
  return with_types({(types & 1) != 0, (types & 2) != 0}, [&]<class Offset, class Value>() {
    set_thread_count(5);
    assembly_report report;
    const auto matrix =
        assemble<openmp, Offset, Value>(openmp{}, std::move(source), (types & 4) != 0, report, nullptr);
    promise(find_invalid(matrix).empty(), "what is assembled is valid");
    try {
      check_made_again(matrix, format, options);
    } catch (const error& refused) {
      const bool no_half = refused.category() == failure::input && whole_of(format) &&
                           find_symmetry(openmp{}, view(matrix), nullptr) == mirror_symmetry::none;
      promise(no_half || refused.category() == failure::resources || refused.category() == failure::usage,
              std::string("a conversion fails: ") + refused.what());
      return false;
    }
    return true;
  });
}

}  // namespace sparsmith::fuzz
