#include "convert/io/read.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "convert/convert.hpp"
#include "convert/error.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/archive.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/hdf5.hpp"
#include "convert/io/matrix_market.hpp"
#include "convert/io/npz.hpp"

namespace sparsmith {
namespace {

struct file_descriptor {
  int number = -1;
  ~file_descriptor() {
    if (number >= 0) ::close(number);
  }
};

std::size_t read_some(int descriptor, const std::string& path, char* buffer, std::size_t size) {
  while (true) {
    const ssize_t got = ::read(descriptor, buffer, size);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw error(failure::input, fmt::format("{}: {}", path, std::strerror(errno)));
  }
}

std::shared_ptr<file_descriptor> open_file(const std::string& path) {
  auto file = std::make_shared<file_descriptor>();
  file->number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file->number < 0) throw error(failure::input, fmt::format("{}: {}", path, std::strerror(errno)));
  return file;
}

text_source open_text(const std::string& path) {
  auto file = open_file(path);
  struct stat status {};
  text_source source;
  source.name = path;
  if (::fstat(file->number, &status) == 0 && S_ISREG(status.st_mode)) source.total_bytes = status.st_size;
  posix_fadvise(file->number, 0, 0, POSIX_FADV_SEQUENTIAL);
  source.read = [file, path](char* buffer, std::size_t size) {
    return read_some(file->number, path, buffer, size);
  };
  return source;
}

bool starts_with(const std::string& text, const char* prefix, std::size_t size) {
  return text.size() >= size && std::memcmp(text.data(), prefix, size) == 0;
}

// A matrix of our own container, checked and turned into the entries every reader delivers.
matrix_entries from_container(const std::string& path) {
  return std::visit(
      [&](const auto& any) {
        return std::visit(
            [&](const auto& matrix) {
              using format = std::remove_cvref_t<decltype(matrix)>;
              if (const std::string problem = find_invalid(matrix); !problem.empty())
                throw error(failure::input,
                            fmt::format("{}: not a valid {}: {}", path, format::name, problem));
              auto compressed = to_csr(openmp{}, any, nullptr);
              auto list = csr_to_coo(openmp{}, view(compressed), nullptr);
              matrix_entries result;
              result.origin = fmt::format("Sparsmith container, {}", format::name);
              result.single_precision = std::is_same_v<typename format::value_type, float>;
              result.entries.rows = list.rows;
              result.entries.cols = list.cols;
              result.entries.row_indices = std::move(list.row_indices);
              result.entries.col_indices = std::move(list.col_indices);
              if constexpr (std::is_same_v<typename format::value_type, double>) {
                result.entries.values = std::move(list.values);
              } else {
                result.entries.values = array<double, host>(list.values.size());
                for (std::int64_t i = 0; i < list.values.size(); ++i)
                  result.entries.values[i] = list.values[i];
              }
              return result;
            },
            any);
      },
      read_container(path));
}

}  // namespace

matrix_entries read_matrix(const std::string& input, const progress_callback& progress) {
  if (is_generator(input)) return generate(input);
  if (input == "-") return read_matrix_market(open_standard_input(), progress);

  std::string start(8, '\0');
  {
    const auto file = open_file(input);
    struct stat status {};
    if (::fstat(file->number, &status) == 0 && S_ISDIR(status.st_mode))
      throw error(failure::input, input + ": is a directory");
    // A pipe cannot be looked into and read again.
    if (!S_ISREG(status.st_mode)) return read_matrix_market(open_text(input), progress);
    start.resize(read_some(file->number, input, start.data(), start.size()));
  }
  if (starts_with(start, "\x89HDF\r\n\x1a\n", 8))
    return is_binsparse(input) ? read_binsparse(input) : from_container(input);
  const bool zip = starts_with(start, "PK\x03\x04", 4) || starts_with(start, "PK\x05\x06", 4);
  if (zip && input.ends_with(".npz")) return read_npz(input);
  const bool compressed = zip || starts_with(start, "\x1f\x8b", 2) || starts_with(start, "BZh", 3) ||
                          starts_with(start,
                                      "\xfd"
                                      "7zXZ",
                                      5) ||
                          starts_with(start, "\x28\xb5\x2f\xfd", 4);
  if (compressed || input.ends_with(".tar")) return read_matrix_market(open_archive(input), progress);
  return read_matrix_market(open_text(input), progress);
}

}  // namespace sparsmith
