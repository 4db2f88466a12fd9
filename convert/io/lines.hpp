// The lines of a text in runs: for readers that look at each line themselves.
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

}  // namespace sparsmith
