// Spreads the text over threads: cuts it into pieces at line ends, counts what each holds, and has it parsed
// to where its entries belong.
#include "convert/io/matrix_market.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>

#include "convert/io/growing_array.hpp"
#include "convert/io/lines.hpp"
#include "convert/io/matrix_market_diagnosis.hpp"
#include "convert/io/matrix_market_grammar.hpp"

namespace sparsmith {
namespace {

using namespace matrix_market;

struct growing_entries {
  growing_array<std::int32_t> rows, cols;
  growing_array<double> values, imaginary;
  bool is_complex = false;

  std::int64_t capacity() const { return values.capacity(); }  // which grow last
  void reserve(std::int64_t wanted) {
    rows.reserve(wanted);
    cols.reserve(wanted);
    if (is_complex) imaginary.reserve(wanted);
    values.reserve(wanted);
  }
  entry_target from(std::int64_t first) {
    return {rows.data() + first, cols.data() + first, values.data() + first,
            is_complex ? imaginary.data() + first : nullptr};
  }
};

// A run of whole lines.
struct piece {
  std::string text;
  std::int64_t lines = 0;
  std::int64_t entries = 0;  // lines that are neither blank nor a comment
};

// Counts lines and entries. Comments are standard only above the size line, but some writers put them among
// the entries: they are blanked out here, because the parser does not know them.
void count_entries(piece& counted) {
  // Most pieces have only lines that start with a digit; a pass of byte arithmetic, which the compiler turns
  // into vector instructions, counts those and finds the others.
  const char* const text = counted.text.data();
  const std::size_t size = counted.text.size();
  const auto starts_unusually = [](char c) { return static_cast<unsigned char>(c - '0') > 9; };
  bool unusual = starts_unusually(text[0]);
  counted.lines = text[size - 1] == '\n' ? 0 : 1;
  for (std::size_t block = 0; block < size; block += 255) {
    const std::size_t end = std::min(block + 255, size);
    std::uint8_t line_ends = 0, others = 0;
    for (std::size_t i = block; i < end; ++i)
      line_ends = static_cast<std::uint8_t>(line_ends + (text[i] == '\n'));
    for (std::size_t i = block; i < std::min(end, size - 1); ++i)
      others = static_cast<std::uint8_t>(others | ((text[i] == '\n') & starts_unusually(text[i + 1])));
    counted.lines += line_ends;
    unusual |= others != 0;
  }
  counted.entries = counted.lines;
  if (!unusual) return;
  for_each_line(counted.text, [&](char* first, char* last) {
    char* const content = std::find_if_not(first, last, is_blank);
    if (content == last) {
      --counted.entries;
    } else if (*content == '%') {
      std::fill(first, last, ' ');
      --counted.entries;
    }
  });
}

class reader {
 public:
  reader(const text_source& source, const progress_callback& progress, complex_values if_complex)
      : source_(source), progress_(progress) {
    header_and_rest opened = read_header(source, if_complex);
    head_ = opened.head;
    rest_ = std::move(opened.rest);
    header_bytes_ = opened.bytes_read;
  }

  matrix_entries read() {
    matrix_entries result;
    result.entries.rows = static_cast<std::int32_t>(head_.rows);
    result.entries.cols = static_cast<std::int32_t>(head_.cols);
    result.origin = is_array() ? "Matrix Market array" : "Matrix Market coordinate";
    constexpr const char* fields[] = {"real", "integer", "pattern", "complex"};
    result.field = fields[static_cast<std::size_t>(head_.field)];
    result.symmetry = head_.symmetry;
    // Every symmetry mirrors the pattern in the same way; ones that are negated could cancel others.
    if (head_.places_only && head_.symmetry != symmetry_kind::general)
      result.symmetry = symmetry_kind::symmetric;
    read_body(result);
    return result;
  }

 private:
  bool is_array() const { return head_.layout == layout_kind::array; }

  void read_body(matrix_entries& result) {
    growing_entries entries;
    entries.is_complex = head_.field == field_kind::complex && !head_.places_only;
    if (source_.total_bytes > 0) {
      // Even "1 1\n" takes four bytes and an array's "0\n" two, so the file's size bounds what it can hold.
      const std::int64_t least = is_array() ? 2 : 4;
      entries.reserve(std::min(
          head_.entries,
          (source_.total_bytes - header_bytes_ + static_cast<std::int64_t>(rest_.size())) / least + 1));
    }
    piece_cutter cutter(source_, std::move(rest_));
    position at{head_.lines, 0};
    // Each thread takes the next piece of text (decompressing it where need be), counts its lines, learns
    // from the counts before it where its entries go, and parses. Only the first and the third happen one at
    // a time.
    std::mutex input, order;
    std::condition_variable turn_over;
    std::shared_mutex storage;  // exclusive to grow, shared to fill
    std::int64_t pieces = 0, turn = 0, body_bytes = 0;
    struct {
      std::int64_t number = std::numeric_limits<std::int64_t>::max();
      std::exception_ptr cause;
      piece where;
      position start;
    } first_failure;
    std::atomic<bool> failed = false;
    // No exception may leave the threads: the one of the earliest piece is kept, with the text where that is
    // to blame.
    const auto fail_at = [&](std::int64_t number, piece&& where, position start) {
      const std::lock_guard lock(order);
      failed = true;
      if (number < first_failure.number)
        first_failure = {number, std::current_exception(), std::move(where), start};
    };
    // An array's row and column follow from all values before, so it is parsed by one thread.
    const bool in_order = is_array();
    std::int64_t array_row = 0, array_col = 0, array_stored = 0, rounded = 0, skipped = 0;

#pragma omp parallel num_threads(in_order ? 1 : omp_get_max_threads()) reduction(+ : rounded, skipped)
    for (piece own; !failed;) {
      std::int64_t number = 0;
      {
        const std::lock_guard lock(input);
        number = pieces;
        try {
          if (failed || !cutter.next(own.text)) break;
          if (progress_) progress_(cutter.bytes_read() + header_bytes_, source_.total_bytes);
        } catch (...) {
          fail_at(number, {}, {});
          break;
        }
        ++pieces;
      }
      count_entries(own);
      position start;
      std::int64_t wanted = 0;
      bool too_much_text = false;
      {
        std::unique_lock lock(order);
        turn_over.wait(lock, [&] { return turn == number; });
        start = at;
        at.line += own.lines;
        at.entry += own.entries;
        body_bytes += static_cast<std::int64_t>(own.text.size());
        too_much_text = is_too_much_text(body_bytes, at.entry);
        wanted = std::min(at.entry, head_.entries);
        ++turn;
      }
      turn_over.notify_all();
      bool parsing = false;
      try {
        if (own.lines == 1 && is_too_long(own.text)) refuse_line(source_.name, start.line + 1, line_too_long);
        if (too_much_text) refuse_line(source_.name, start.line + own.lines, too_much_other_text);
        std::shared_lock filling(storage);
        if (wanted > entries.capacity()) {
          filling.unlock();
          std::unique_lock growing(storage);
          entries.reserve(wanted);
          growing.unlock();
          filling.lock();
        }
        parsing = true;
        if (start.entry + own.entries > head_.entries) throw std::runtime_error("too many entries");
        const parsed_lines parsed =
            in_order ? parse_array(own.text, head_, start, array_row, array_col, entries.from(array_stored))
                     : parse_coordinates(own.text, head_, start, entries.from(start.entry));
        if (in_order) array_stored += parsed.stored;
        rounded += parsed.rounded;
        skipped += parsed.zeros;
      } catch (...) {
        fail_at(number, parsing ? std::move(own) : piece{}, start);
        break;
      }
    }
    if (failed && first_failure.where.text.empty()) std::rethrow_exception(first_failure.cause);
    if (failed)
      explain(source_.name, head_, first_failure.where.text, first_failure.start, first_failure.cause);
    result.rounded_values = rounded;
    result.array_zeros = skipped;
    const std::int64_t stored = in_order ? array_stored : at.entry;
    if (at.entry < head_.entries)
      refuse_line(source_.name, at.line,
                  fmt::format("the file ends after {} of {} {}", at.entry, head_.entries,
                              is_array() ? "values" : "entries"));
    result.entries.row_indices = entries.rows.take(stored);
    result.entries.col_indices = entries.cols.take(stored);
    result.entries.values = entries.values.take(stored);
    if (entries.is_complex) result.imaginary = entries.imaginary.take(stored);
  }

  const text_source& source_;
  const progress_callback& progress_;
  header head_;
  std::string rest_;
  std::int64_t header_bytes_ = 0;
};

}  // namespace

matrix_entries read_matrix_market(const text_source& source, const progress_callback& progress,
                                  complex_values if_complex) {
  return reader(source, progress, if_complex).read();
}

}  // namespace sparsmith
