// The lines of a text in runs: of so many, for readers that know how many they want, or of so many bytes, for
// threads that each take the next.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "convert/io/matrix_market.hpp"

namespace sparsmith {

class line_reader {
 public:
  explicit line_reader(const text_source& source) : source_(source) {}

  // The next lines, without their ends: at least one and `most` at the most; none at the end of the text.
  // They hold until the next call. Throws failure::input at a line that is longer than 1 MiB.
  const std::vector<std::string_view>& next(std::int64_t most);

  std::int64_t line() const { return line_; }    // of those given so far, the last
  std::int64_t bytes() const { return bytes_; }  // read so far

 private:
  const text_source& source_;
  std::string text_;
  std::size_t given_ = 0;  // the text before it was given
  bool at_end_ = false;
  std::vector<std::size_t> ends_;
  std::vector<std::string_view> lines_;
  std::int64_t line_ = 0, bytes_ = 0;
};

// Cuts the text into pieces that end at line ends. No piece is longer than the longest line with its end, so
// that a line too long for any is never among others.
class piece_cutter {
 public:
  explicit piece_cutter(const text_source& source, std::string already_read = {});

  // The next run of whole lines, written over `text`; false at the end. A line that is too long comes alone
  // and unfinished, and is the last.
  bool next(std::string& text);

  std::int64_t bytes_read() const { return bytes_read_; }

 private:
  const text_source& source_;
  const std::size_t piece_bytes_;
  std::string carried_;
  bool at_end_ = false;
  std::int64_t bytes_read_ = 0;
};

}  // namespace sparsmith
