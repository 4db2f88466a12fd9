// The one exception type of the project: what kind of failure it is (which decides the exit status) and a
// message a person can act on, such as `file.mtx:17: column 9 is outside 1..8`.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace sparsmith {

enum class failure {
  usage,        // the request itself makes no sense
  input,        // the data is wrong
  output,       // the result could not be written
  unsupported,  // a valid request this build or version cannot serve
  resources,    // too large for the memory or the limits at hand
  device,       // the GPU failed or is missing
};

// What is told quotes file names and what is in files: a line end, a NUL or an escape in there must not break
// the one line it is printed on.
inline std::string on_one_line(const std::string& message) {
  std::string line;
  for (const char c : message) {
    if (static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) {
      line += c;
      continue;
    }
    const char* const digits = "0123456789abcdef";
    line += "\\x";
    line += digits[static_cast<unsigned char>(c) >> 4];
    line += digits[c & 15];
  }
  return line;
}

class error : public std::runtime_error {
 public:
  // `quantity` is what the caller could have chosen otherwise ("max-fill", "beta"), where that is one thing:
  // a tool that has an option for it says so.
  error(failure category, const std::string& message, std::string quantity = {})
      : std::runtime_error(on_one_line(message)), category_(category), quantity_(std::move(quantity)) {}
  failure category() const { return category_; }
  const std::string& quantity() const { return quantity_; }

 private:
  failure category_;
  std::string quantity_;
};

}  // namespace sparsmith
