// Stands in for archive.cpp where libarchive was not found: only plain text can be read.
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "convert/error.hpp"
#include "convert/io/archive.hpp"

namespace sparsmith {

bool archives_supported() {
  return false;
}

text_source open_archive(const std::string& path) {
  throw error(failure::unsupported,
              path + ": compressed input is not supported in this build (no libarchive)");
}

text_source open_standard_input() {
  text_source source;
  source.name = "-";
  source.read = [](char* buffer, std::size_t size) -> std::size_t {
    while (true) {
      const ssize_t got = ::read(STDIN_FILENO, buffer, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw error(failure::input, std::string("-: ") + std::strerror(errno));
    }
  };
  return source;
}

}  // namespace sparsmith
