#include "convert/io/matrix_market.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <fast_matrix_market/fast_matrix_market.hpp>
#include <limits>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <sstream>
#include <string_view>

#include "convert/error.hpp"

// Value types for fast_matrix_market's parser. It finds `read_value` for them by their namespace, which is
// where this reader adds what the library leaves open: the rest of the line must be blank, and a number must
// fit its type.
namespace sparsmith::strict {

namespace fmm = fast_matrix_market;

inline void require_line_end(const char* pos, const char* end) {
  pos = fmm::skip_spaces(pos);
  if (pos != end && *pos != '\n') throw fmm::invalid_mm("unexpected text after the entry");
}

// In a coordinate file a value follows its column, and something blank must stand between them: "1 2.5" is a
// line without a value, not column 2 with .5. The parser itself does not look.
inline void require_blank_before(const char* pos) {
  if (pos[-1] != ' ' && pos[-1] != '\t') throw fmm::invalid_mm("the line ends before the value");
}

// The negation is named by the library's symmetry code, which this reader never runs: expansion is a
// pipeline.
template <bool AfterColumn>
struct real {
  double value;
  real operator-() const { return {-value}; }
};
template <bool AfterColumn>
struct integer {
  double value;
  bool rounded;
  integer operator-() const { return {-value, rounded}; }
};
struct pattern {
  pattern operator-() const { return {}; }
};
// Read for its place only; the value tells an array's zeros, which are no entries, from the others.
template <bool AfterColumn>
struct complex {
  double value;
  complex operator-() const { return *this; }
};

inline const char* skip_plus(const char* pos, const char* end) {
  return pos != end && *pos == '+' && pos + 1 != end && pos[1] != '-' && pos[1] != '+' ? pos + 1 : pos;
}

inline const char* read_number(const char* pos, const char* end, double& out) {
  pos = fmm::read_float(skip_plus(pos, end), end, out, fmm::BestMatch);
  // "inf" is a value, 1e999 is a mistake: only the latter ends in a digit.
  if (std::isinf(out) && (pos[-1] >= '0' && pos[-1] <= '9')) throw fmm::invalid_mm("number overflows");
  return pos;
}

template <bool AfterColumn>
const char* read_value(const char* pos, const char* end, real<AfterColumn>& out, const fmm::read_options&) {
  if constexpr (AfterColumn) require_blank_before(pos);
  pos = read_number(pos, end, out.value);
  require_line_end(pos, end);
  return pos;
}

template <bool AfterColumn>
const char* read_value(const char* pos, const char* end, complex<AfterColumn>& out,
                       const fmm::read_options&) {
  if constexpr (AfterColumn) require_blank_before(pos);
  double real_part = 0, imaginary_part = 0;
  pos = read_number(pos, end, real_part);
  const char* const second = fmm::skip_spaces(pos);
  if (second == pos) throw fmm::invalid_mm("the line ends before the imaginary part");
  pos = read_number(second, end, imaginary_part);
  require_line_end(pos, end);
  out.value = !AfterColumn && real_part == 0 && imaginary_part == 0 ? 0 : 1;
  return pos;
}

template <bool AfterColumn>
const char* read_value(const char* pos, const char* end, integer<AfterColumn>& out,
                       const fmm::read_options&) {
  if constexpr (AfterColumn) require_blank_before(pos);
  pos = skip_plus(pos, end);
  std::int64_t exact = 0;
  auto result = std::from_chars(pos, end, exact);
  if (result.ec == std::errc::result_out_of_range) {
    // Unsigned 64-bit integers are written by some tools; beyond that a number has no integer type.
    std::uint64_t large = 0;
    result = std::from_chars(pos, end, large);
    if (result.ec != std::errc()) throw fmm::invalid_mm("integer overflows 64 bits");
    out.value = static_cast<double>(large);
    out.rounded = out.value >= 0x1p64 || static_cast<std::uint64_t>(out.value) != large;
  } else if (result.ec != std::errc()) {
    throw fmm::invalid_mm("not an integer");
  } else {
    out.value = static_cast<double>(exact);
    out.rounded = out.value >= 0x1p63 || static_cast<std::int64_t>(out.value) != exact;
  }
  require_line_end(result.ptr, end);
  return result.ptr;
}

inline const char* read_value(const char* pos, const char* end, pattern&, const fmm::read_options&) {
  require_line_end(pos, end);
  return pos;
}

}  // namespace sparsmith::strict

namespace sparsmith {
namespace {

namespace fmm = fast_matrix_market;

// The entries as they grow. The header's count is only believed as far as the text itself bears it out.
struct growing_entries {
  array<std::int32_t, host> rows, cols;
  array<double, host> values;
  std::int64_t capacity = 0;

  void reserve(std::int64_t wanted) {
    if (wanted > capacity) resize(std::max(wanted, capacity * 2));
  }
  void resize(std::int64_t new_capacity) {
    const std::int64_t kept = std::min(capacity, new_capacity);
    const auto move_to = [&](auto& from) {
      std::remove_reference_t<decltype(from)> to(new_capacity);
      copy_bytes(place::host, to.data(), place::host, from.data(), kept * std::int64_t{sizeof(*from.data())});
      from = std::move(to);
    };
    move_to(rows);
    move_to(cols);
    move_to(values);
    capacity = new_capacity;
  }
};

// What fast_matrix_market calls for every entry; one per piece of text, writing to its own range.
template <class Parsed>
struct piece_handler {
  using coordinate_type = std::int64_t;
  using value_type = Parsed;
  static constexpr int flags = fmm::kParallelOk;

  growing_entries* target = nullptr;
  std::int64_t next = 0;
  std::int64_t rounded = 0;
  bool skip_zeros = false;  // a dense array's zeros are no entries
  std::int64_t skipped = 0;

  void handle(std::int64_t row, std::int64_t col, const Parsed& parsed) {
    double value = 1;
    if constexpr (!std::is_same_v<Parsed, strict::pattern>) value = parsed.value;
    if constexpr (requires { parsed.rounded; }) rounded += parsed.rounded;
    if (skip_zeros && value == 0) {
      ++skipped;
      return;
    }
    target->rows[next] = static_cast<std::int32_t>(row);
    target->cols[next] = static_cast<std::int32_t>(col);
    target->values[next] = value;
    ++next;
  }
  // Named by the library's code for pattern files, which this reader never runs.
  void handle(std::int64_t, std::int64_t, const fmm::pattern_placeholder_type&) {}
};

// A run of whole lines.
struct piece {
  std::string text;
  std::int64_t lines = 0;
  std::int64_t entries = 0;  // lines that are neither blank nor a comment
};

// Cuts the text into pieces that end at line ends.
class piece_cutter {
 public:
  piece_cutter(const text_source& source, std::string already_read)
      : source_(source), carried_(std::move(already_read)) {}

  // The next run of whole lines, written over `text`; false at the end.
  bool next(std::string& text) {
    std::size_t size = carried_.size();
    if (text.size() < std::max(size, source_.piece_bytes)) text.resize(std::max(size, source_.piece_bytes));
    std::copy(carried_.begin(), carried_.end(), text.begin());
    carried_.clear();
    std::size_t line_end = std::string::npos;
    while (!at_end_) {
      if (size == text.size()) {
        line_end = text.rfind('\n', size - 1);
        if (line_end != std::string::npos) break;
        text.resize(text.size() * 2);  // one line longer than a piece: take it whole
      }
      const std::size_t got = source_.read(text.data() + size, text.size() - size);
      size += got;
      bytes_read_ += static_cast<std::int64_t>(got);
      at_end_ = got == 0;
    }
    text.resize(size);
    if (line_end != std::string::npos) {
      carried_.assign(text, line_end + 1);
      text.resize(line_end + 1);
    }
    return !text.empty();
  }

  std::int64_t bytes_read() const { return bytes_read_; }

 private:
  const text_source& source_;
  std::string carried_;
  bool at_end_ = false;
  std::atomic<std::int64_t> bytes_read_ = 0;  // the progress bar reads it while another thread is here
};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

// Calls visit(first, last) for every line, without its line end.
template <class Visit>
void for_each_line(std::string& text, Visit visit) {
  char* line = text.data();
  char* const end = line + text.size();
  while (line < end) {
    char* line_end = static_cast<char*>(std::memchr(line, '\n', static_cast<std::size_t>(end - line)));
    if (line_end == nullptr) line_end = end;
    visit(line, line_end);
    line = line_end + 1;
  }
}

// Counts lines and entries. Comments are standard only above the size line, but some writers put them among
// the entries: they are blanked out here, because the parser does not know them.
void count_entries(piece& p) {
  // Most pieces have only lines that start with a digit; a pass of byte arithmetic, which the compiler turns
  // into vector instructions, counts those and finds the others.
  const char* const text = p.text.data();
  const std::size_t size = p.text.size();
  const auto starts_unusually = [](char c) { return static_cast<unsigned char>(c - '0') > 9; };
  bool unusual = starts_unusually(text[0]);
  p.lines = text[size - 1] == '\n' ? 0 : 1;
  for (std::size_t block = 0; block < size; block += 255) {
    const std::size_t end = std::min(block + 255, size);
    std::uint8_t line_ends = 0, others = 0;
    for (std::size_t i = block; i < end; ++i)
      line_ends = static_cast<std::uint8_t>(line_ends + (text[i] == '\n'));
    for (std::size_t i = block; i < std::min(end, size - 1); ++i)
      others = static_cast<std::uint8_t>(others | ((text[i] == '\n') & starts_unusually(text[i + 1])));
    p.lines += line_ends;
    unusual |= others != 0;
  }
  p.entries = p.lines;
  if (!unusual) return;
  for_each_line(p.text, [&](char* first, char* last) {
    char* const content = std::find_if_not(first, last, is_blank);
    if (content == last) {
      --p.entries;
    } else if (*content == '%') {
      std::fill(first, last, ' ');
      --p.entries;
    }
  });
}

class reader {
 public:
  reader(const text_source& source, const progress_callback& progress, complex_values if_complex)
      : source_(source), progress_(progress), if_complex_(if_complex) {}

  matrix_entries read() {
    std::string rest = read_header();
    check_header();
    matrix_entries result;
    result.entries.rows = static_cast<std::int32_t>(header_.nrows);
    result.entries.cols = static_cast<std::int32_t>(header_.ncols);
    result.origin = header_.format == fmm::array ? "Matrix Market array" : "Matrix Market coordinate";
    result.symmetry = header_.symmetry == fmm::symmetric        ? symmetry_kind::symmetric
                      : header_.symmetry == fmm::skew_symmetric ? symmetry_kind::skew_symmetric
                                                                : symmetry_kind::general;
    if (header_.field == fmm::pattern) {
      result.field = "pattern";
      is_pattern_ = true;
      header_.field =
          fmm::real;  // so that the parser asks strict::pattern for a value, which checks the line's end
      read_body<strict::pattern>(std::move(rest), result);
    } else if (header_.field == fmm::integer || header_.field == fmm::unsigned_integer) {
      result.field = "integer";
      header_.format == fmm::array ? read_body<strict::integer<false>>(std::move(rest), result)
                                   : read_body<strict::integer<true>>(std::move(rest), result);
    } else if (header_.field == fmm::complex) {
      result.field = "complex";
      is_complex_ = true;
      header_.field = fmm::real;  // so that the parser asks strict::complex for a value
      // Every symmetry mirrors the pattern in the same way; ones that are negated could cancel others.
      if (header_.symmetry != fmm::general) result.symmetry = symmetry_kind::symmetric;
      header_.format == fmm::array ? read_body<strict::complex<false>>(std::move(rest), result)
                                   : read_body<strict::complex<true>>(std::move(rest), result);
    } else {
      result.field = "real";
      header_.format == fmm::array ? read_body<strict::real<false>>(std::move(rest), result)
                                   : read_body<strict::real<true>>(std::move(rest), result);
    }
    return result;
  }

 private:
  [[noreturn]] void fail(std::int64_t line, const std::string& what,
                         failure category = failure::input) const {
    throw error(category, fmt::format("{}:{}: {}", source_.name, line, what));
  }

  // Reads up to and including the size line; returns the text after it that was read along.
  std::string read_header() {
    std::string text;
    std::size_t line_start = 0;
    bool at_end = false;
    for (std::int64_t line = 1;; ++line) {
      std::size_t line_end, searched = line_start;
      while ((line_end = text.find('\n', searched)) == std::string::npos && !at_end) {
        if (line == 1 && text.size() > (1 << 16))
          fail(1, "not a Matrix Market file: the first line has no end");
        const std::size_t had = searched = text.size();
        constexpr std::size_t block = 1 << 16;
        text.resize(had + block);
        const std::size_t got = source_.read(text.data() + had, block);
        text.resize(had + got);
        header_bytes_ += static_cast<std::int64_t>(got);
        at_end = got == 0;
      }
      if (line_end == std::string::npos) line_end = text.size();
      std::string content = text.substr(line_start, line_end - line_start);
      const bool more = line_end < text.size();
      line_start = std::min(line_end + 1, text.size());
      if (!content.empty() && content.back() == '\r') content.pop_back();
      if (line == 1) {
        if (text.empty()) fail(1, "the file is empty");
        read_banner(content);
      } else {
        const auto first = std::find_if_not(content.begin(), content.end(), is_blank);
        if (first != content.end() && *first != '%') {
          read_sizes(line, content);
          header_.header_line_count = line;
          return text.substr(line_start);
        }
      }
      if (!more) fail(content.empty() && line > 1 ? line - 1 : line, "the file ends before the size line");
    }
  }

  void read_banner(const std::string& line) {
    std::istringstream words(line);
    std::string banner, object, format, field, symmetry, extra;
    words >> banner >> object >> format >> field >> symmetry >> extra;
    if (banner != fmm::kMatrixMarketBanner && banner != fmm::kMatrixMarketBanner2)
      fail(1, "not a Matrix Market file: the first line must start with %%MatrixMarket");
    const auto parse = [&](const std::string& what, const std::string& word, const auto& names) {
      std::string lower = word, known;
      std::transform(lower.begin(), lower.end(), lower.begin(),
                     [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
      for (const auto& [value, name] : names) {
        if (name == lower) return value;
        known += (known.empty() ? "" : ", ") + name;
      }
      if (word.empty()) fail(1, fmt::format("the banner ends before the {} (one of {})", what, known));
      fail(1, fmt::format("unknown {} \"{}\" (one of {})", what, word.substr(0, 40), known));
    };
    header_.object = parse("object", object, fmm::object_map);
    header_.format = parse("format", format, fmm::format_map);
    header_.field = parse("field", field, fmm::field_map);
    header_.symmetry = parse("symmetry", symmetry, fmm::symmetry_map);
    if (!extra.empty()) fail(1, fmt::format("unexpected \"{}\" after the banner", extra.substr(0, 40)));
  }

  void read_sizes(std::int64_t line, const std::string& text) {
    if (header_.object != fmm::matrix) fail(1, "object \"vector\" is not a matrix");
    std::istringstream words(text);
    std::vector<std::int64_t> sizes;
    for (std::string word; words >> word;) {
      std::int64_t value = 0;
      const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (status == std::errc::result_out_of_range)
        fail(line, fmt::format("size {} is far too large", word.substr(0, 40)));
      if (status != std::errc() || end != word.data() + word.size())
        fail(line, fmt::format("\"{}\" is not a size", word.substr(0, 40)));
      if (value < 0) fail(line, fmt::format("size {} is negative", value));
      sizes.push_back(value);
    }
    const std::size_t wanted = header_.format == fmm::coordinate ? 3 : 2;
    if (sizes.size() != wanted)
      fail(line, fmt::format("the size line has {} numbers instead of {} ({})", sizes.size(), wanted,
                             wanted == 3 ? "rows, columns, entries" : "rows, columns"));
    header_.nrows = sizes[0];
    header_.ncols = sizes[1];
    for (const std::int64_t size : {header_.nrows, header_.ncols})
      if (size > std::numeric_limits<std::int32_t>::max())
        fail(line, fmt::format("dimension {} is above 2147483647, the most this program handles", size),
             failure::unsupported);
    header_.nnz = header_.format == fmm::coordinate ? sizes[2] : array_entries();
    size_line_ = line;
  }

  // The entries an array file must hold: all of them, or the triangle its symmetry leaves.
  std::int64_t array_entries() const {
    const std::int64_t n = header_.nrows;
    switch (header_.symmetry) {
      case fmm::general:
        return header_.nrows * header_.ncols;
      case fmm::skew_symmetric:
        return n * (n - 1) / 2;
      default:
        return n * (n + 1) / 2;
    }
  }

  void check_header() const {
    const bool is_complex = header_.field == fmm::complex;
    if (is_complex && if_complex_ == complex_values::refuse)
      fail(1, "field \"complex\" is not supported yet", failure::unsupported);
    if (header_.symmetry == fmm::hermitian && !is_complex)
      fail(1, "symmetry \"hermitian\" (of complex matrices) is not supported yet", failure::unsupported);
    if (header_.symmetry != fmm::general && header_.nrows != header_.ncols)
      fail(size_line_, fmt::format("a {} matrix must be square, not {} x {}",
                                   fmm::symmetry_map.at(header_.symmetry), header_.nrows, header_.ncols));
    if (header_.format == fmm::array && header_.field == fmm::pattern)
      fail(1, "an array cannot have field \"pattern\": it lists values only");
    const bool no_cells = header_.nrows == 0 || header_.ncols == 0;
    if (no_cells && header_.nnz > 0)
      fail(size_line_, fmt::format("{} entries announced, but a {} x {} matrix has no place for any",
                                   header_.nnz, header_.nrows, header_.ncols));
  }

  template <class Parsed>
  void read_body(std::string rest, matrix_entries& result) {
    growing_entries entries;
    if (source_.total_bytes > 0) {
      // Even "1 1\n" takes four bytes and an array's "0\n" two, so the file's size bounds what it can hold.
      const std::int64_t least = header_.format == fmm::coordinate ? 4 : 2;
      entries.reserve(std::min(
          header_.nnz,
          (source_.total_bytes - header_bytes_ + static_cast<std::int64_t>(rest.size())) / least + 1));
    }
    piece_cutter cutter(source_, std::move(rest));
    fmm::line_counts at{header_.header_line_count, 0};
    // Each thread takes the next piece of text (decompressing it where need be), counts its lines, learns
    // from the counts before it where its entries go, and parses. Only the first and the third happen one at
    // a time.
    std::mutex input, order;
    std::condition_variable turn_over;
    std::shared_mutex storage;  // exclusive to grow, shared to fill
    std::int64_t pieces = 0, turn = 0;
    struct {
      std::int64_t number = std::numeric_limits<std::int64_t>::max();
      std::exception_ptr cause;
      piece where;
      fmm::line_counts start;
    } first_failure;
    std::atomic<bool> failed = false;
    const auto fail_at = [&](std::int64_t number, piece&& where, fmm::line_counts start) {
      const std::lock_guard lock(order);
      failed = true;
      if (number < first_failure.number)
        first_failure = {number, std::current_exception(), std::move(where), start};
    };
    // An array's row and column follow from all values before, so it is parsed by one thread.
    const bool in_order = header_.format == fmm::array;
    std::int64_t array_row = 0, array_col = 0, array_stored = 0, rounded = 0, skipped = 0;

#pragma omp parallel num_threads(in_order ? 1 : omp_get_max_threads()) reduction(+ : rounded, skipped)
    for (piece own; !failed;) {
      std::int64_t number = 0;
      {
        const std::lock_guard lock(input);
        number = pieces;
        try {
          if (!cutter.next(own.text)) break;
        } catch (...) {
          fail_at(number, {}, {});
          break;
        }
        ++pieces;
      }
      count_entries(own);
      fmm::line_counts start;
      std::int64_t wanted = 0;
      {
        std::unique_lock lock(order);
        turn_over.wait(lock, [&] { return turn == number; });
        start = at;
        at.file_line += own.lines;
        at.element_num += own.entries;
        wanted = std::min(at.element_num, header_.nnz);
        ++turn;
        if (progress_) progress_(cutter.bytes_read() + header_bytes_, source_.total_bytes);
      }
      turn_over.notify_all();
      try {
        if (start.element_num + own.entries > header_.nnz) throw fmm::invalid_mm("too many entries");
        std::shared_lock filling(storage);
        if (wanted > entries.capacity) {
          filling.unlock();
          std::unique_lock growing(storage);
          entries.reserve(wanted);
          growing.unlock();
          filling.lock();
        }
        piece_handler<Parsed> handler{&entries, in_order ? array_stored : start.element_num, 0, in_order};
        if (!in_order)
          fmm::read_chunk_matrix_coordinate(own.text, header_, start, handler, options_);
        else if constexpr (!std::is_same_v<Parsed, strict::pattern>)
          fmm::read_chunk_array(own.text, header_, start, handler, options_, array_row, array_col);
        if (in_order) array_stored = handler.next;
        rounded += handler.rounded;
        skipped += handler.skipped;
      } catch (...) {
        fail_at(number, std::move(own), start);
        break;
      }
    }
    if (failed) explain(first_failure.where, first_failure.start, first_failure.cause);
    result.rounded_values = rounded;
    result.array_zeros = skipped;
    const std::int64_t stored = in_order ? array_stored : at.element_num;
    if (at.element_num < header_.nnz)
      fail(at.file_line, fmt::format("the file ends after {} of {} {}", at.element_num, header_.nnz,
                                     header_.format == fmm::array ? "values" : "entries"));
    if (entries.capacity != stored) entries.resize(stored);
    result.entries.row_indices = std::move(entries.rows);
    result.entries.col_indices = std::move(entries.cols);
    result.entries.values = std::move(entries.values);
  }

  // The parser has refused something in this piece: find the first bad line and say what is wrong with it.
  [[noreturn]] void explain(piece& p, fmm::line_counts at, const std::exception_ptr& cause) const {
    std::int64_t line = at.file_line, element = at.element_num;
    for_each_line(p.text, [&](const char* first, const char* last) {
      ++line;
      std::vector<std::string> fields;
      for (const char* word = first; (word = std::find_if_not(word, last, is_blank)) != last;) {
        const char* const end = std::find_if(word, last, is_blank);
        fields.emplace_back(word, end);
        word = end;
      }
      if (fields.empty()) return;
      if (++element > header_.nnz)
        fail(line, fmt::format("more {} than the {} announced",
                               header_.format == fmm::array ? "values" : "entries", header_.nnz));
      if (const auto problem = find_problem(fields)) fail(line, *problem);
    });
    try {
      std::rethrow_exception(cause);
    } catch (const error&) {
      throw;  // the source itself failed
    } catch (const std::exception& e) {
      fail(at.file_line + 1, fmt::format("cannot be parsed from here on: {}", e.what()));
    }
  }

  std::optional<std::string> find_problem(const std::vector<std::string>& fields) const {
    std::size_t next = 0;
    if (header_.format == fmm::coordinate) {
      const std::pair<const char*, std::int64_t> indices[] = {{"row", header_.nrows},
                                                              {"column", header_.ncols}};
      for (const auto& [what, size] : indices) {
        if (next == fields.size()) return fmt::format("the line ends before the {}", what);
        const std::string& word = fields[next++];
        std::int64_t index = 0;
        const auto [end, status] = std::from_chars(word.data(), word.data() + word.size(), index);
        if (status == std::errc::result_out_of_range ||
            (status == std::errc() && (index < 1 || index > size)))
          return fmt::format("{} {} is outside 1..{}", what, word.substr(0, 40), size);
        if (status != std::errc() || end != word.data() + word.size())
          return fmt::format("\"{}\" is not a {} number", word.substr(0, 40), what);
      }
    }
    if (!value_expected()) {
      if (next < fields.size())
        return fmt::format("unexpected \"{}\" after the entry", fields[next].substr(0, 40));
      return std::nullopt;
    }
    if (const auto problem = find_problem_of_value(fields, next, "value")) return problem;
    if (is_complex_)
      if (const auto problem = find_problem_of_value(fields, ++next, "imaginary part")) return problem;
    if (++next < fields.size())
      return fmt::format("unexpected \"{}\" after the entry", fields[next].substr(0, 40));
    return std::nullopt;
  }

  std::optional<std::string> find_problem_of_value(const std::vector<std::string>& fields, std::size_t next,
                                                   const char* what) const {
    if (next == fields.size()) return fmt::format("the line ends before the {}", what);
    const std::string word = fields[next] + "\n";
    const std::string shown = fields[next].substr(0, 40);
    try {
      const char* const end = word.data() + word.size();
      if (integer_values()) {
        strict::integer<false> value{};
        strict::read_value(word.data(), end, value, options_);
      } else {
        strict::real<false> value{};
        strict::read_value(word.data(), end, value, options_);
      }
    } catch (const fmm::invalid_mm&) {
      double value = 0;
      const char* const end = word.data() + word.size() - 1;
      const auto [stop, status] = std::from_chars(word.data(), end, value);
      const bool number = stop == end && (status == std::errc() || status == std::errc::result_out_of_range);
      if (number && integer_values())
        return std::all_of(shown.begin(), shown.end(),
                           [](char c) { return (c >= '0' && c <= '9') || c == '-'; })
                   ? fmt::format("integer {} does not fit 64 bits", shown)
                   : fmt::format("\"{}\" is not an integer", shown);
      if (number) return fmt::format("number {} does not fit a double", shown);
      return fmt::format("\"{}\" is not a number", shown);
    }
    return std::nullopt;
  }

  bool value_expected() const {
    return !is_pattern_;
  }
  bool integer_values() const {
    return header_.field == fmm::integer || header_.field == fmm::unsigned_integer;
  }

  const text_source& source_;
  const progress_callback& progress_;
  complex_values if_complex_;
  fmm::matrix_market_header header_;
  fmm::read_options options_ = [] {
    fmm::read_options options;
    options.generalize_symmetry = false;  // a pipeline's work, on the device where there is one
    return options;
  }();
  std::int64_t header_bytes_ = 0;
  std::int64_t size_line_ = 0;
  bool is_pattern_ = false, is_complex_ = false;
};

}  // namespace

matrix_entries read_matrix_market(const text_source& source, const progress_callback& progress,
                                  complex_values if_complex) {
  return reader(source, progress, if_complex).read();
}

template <class Value>
void write_matrix_market(std::ostream& out, const coo<Value, host>& entries, bool pattern) {
  fmm::matrix_market_header header(entries.rows, entries.cols);
  header.nnz = entries.values.size();
  header.field = pattern ? fmm::pattern : fmm::real;
  fmm::write_options options;
  options.num_threads = omp_get_max_threads();
  fmm::write_header(out, header, options);
  const auto write = [&](auto formatter) { fmm::write_body(out, formatter, options); };
  const fmm::line_formatter<std::int32_t, Value> lines(header, options);
  const std::int32_t* const rows = entries.row_indices.data();
  const std::int32_t* const cols = entries.col_indices.data();
  const Value* const values = entries.values.data();
  write(fmm::triplet_formatter(lines, rows, rows + header.nnz, cols, cols + header.nnz, values,
                               values + (pattern ? 0 : header.nnz)));
}

template void write_matrix_market(std::ostream&, const coo<float, host>&, bool);
template void write_matrix_market(std::ostream&, const coo<double, host>&, bool);

}  // namespace sparsmith
