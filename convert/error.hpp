// The one exception type of the project: what kind of failure it is (which decides the exit status) and a
// message a person can act on, such as `file.mtx:17: column 9 is outside 1..8`.
#pragma once

#include <stdexcept>
#include <string>

namespace sparsmith {

enum class failure {
  usage,        // the request itself makes no sense
  input,        // the data is wrong
  output,       // the result could not be written
  unsupported,  // a valid request this build or version cannot serve
  resources,    // too large for the memory or the limits at hand
  device,       // the GPU failed or is missing
};

class error : public std::runtime_error {
 public:
  error(failure category, const std::string& message) : std::runtime_error(message), category_(category) {}
  failure category() const { return category_; }

 private:
  failure category_;
};

}  // namespace sparsmith
