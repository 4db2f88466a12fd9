#include "convert/io/read.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

#include "convert/convert.hpp"
#include "convert/error.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/anndata.hpp"
#include "convert/io/archive.hpp"
#include "convert/io/binsparse.hpp"
#include "convert/io/container.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/gzip.hpp"
#include "convert/io/looks_like.hpp"
#include "convert/io/matlab.hpp"
#include "convert/io/matlab_hdf5.hpp"
#include "convert/io/matrix_market.hpp"
#include "convert/io/matrix_names.hpp"
#include "convert/io/metis.hpp"
#include "convert/io/npy.hpp"
#include "convert/io/npz.hpp"
#include "convert/io/petsc.hpp"
#include "convert/io/rutherford_boeing.hpp"

namespace sparsmith {
namespace {

struct file_descriptor {
  int number = -1;
  ~file_descriptor() {
    if (number >= 0) ::close(number);
  }
};

byte_reader reader_of(std::shared_ptr<file_descriptor> file, const std::string& path) {
  return [file = std::move(file), path](char* buffer, std::size_t size) -> std::size_t {
    while (true) {
      const ssize_t got = ::read(file->number, buffer, size);
      if (got >= 0) return static_cast<std::size_t>(got);
      if (errno != EINTR) throw error(failure::input, fmt::format("{}: {}", path, std::strerror(errno)));
    }
  };
}

std::shared_ptr<file_descriptor> open_file(const std::string& path) {
  auto file = std::make_shared<file_descriptor>();
  file->number = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file->number < 0) throw error(failure::input, fmt::format("{}: {}", path, std::strerror(errno)));
  return file;
}

// Unpacks gzip, if it is that, and looks at what is inside.
struct unpacked_source : peeked_source {
  bool was_compressed = false;
};
unpacked_source unpacked(byte_reader bytes, const std::string& path) {
  constexpr std::string_view gzip_signature = "\x1f\x8b";
  peeked_source source = peek(std::move(bytes), archive_start_bytes);
  if (!source.start.starts_with(gzip_signature)) return {std::move(source), false};
  return {peek(gunzip(std::move(source.read), path), archive_start_bytes), true};
}

// A matrix of our own container, checked and turned into the entries every reader delivers.
template <class Offset, class Value>
matrix_entries entries_of(const std::string& path, const any_format<Offset, Value, host>& matrix,
                          complex_values if_complex) {
  if (is_complex<Value> && if_complex == complex_values::refuse)
    throw error(failure::unsupported, path + ": the values are complex, which is not supported yet");
  const std::string& format = format_names()[matrix.index()];
  if (const std::string problem = find_invalid(matrix); !problem.empty())
    throw error(failure::input, fmt::format("{}: not a valid {}: {}", path, format, problem));
  const auto compressed = to_csr<openmp, Offset, Value>(openmp{}, matrix, nullptr);
  auto list = std::get<coo<Value, host>>(
      from_csr<openmp, Offset, Value>(openmp{}, view(compressed), format_kind::coo, {}, nullptr));
  matrix_entries result;
  result.origin = fmt::format("Sparsmith container, {}", format);
  result.single_precision = std::is_same_v<typename part_of_value<Value>::type, float>;
  result.entries.rows = list.rows;
  result.entries.cols = list.cols;
  result.entries.row_indices = std::move(list.row_indices);
  result.entries.col_indices = std::move(list.col_indices);
  if constexpr (std::is_same_v<Value, double>) {
    result.entries.values = std::move(list.values);
  } else if constexpr (is_complex<Value>) {
    result.field = "complex";
    const std::int64_t count = list.values.size();
    const bool keeps_parts = if_complex == complex_values::keep;
    result.single_precision = result.single_precision && keeps_parts;
    result.entries.values = array<double, host>(count);
    if (keeps_parts) result.imaginary = array<double, host>(count);
    for (std::int64_t i = 0; i < count; ++i) {
      result.entries.values[i] = keeps_parts ? list.values[i].real : 1;
      if (keeps_parts) result.imaginary[i] = list.values[i].imaginary;
    }
  } else {
    result.entries.values = array<double, host>(list.values.size());
    std::copy(list.values.begin(), list.values.end(), result.entries.values.begin());
  }
  return result;
}

bool has_changed(const struct stat& before, const struct stat& now) {
  return now.st_size != before.st_size || now.st_mtim.tv_sec != before.st_mtim.tv_sec ||
         now.st_mtim.tv_nsec != before.st_mtim.tv_nsec;
}

[[noreturn]] void refuse_other(const std::string& name, std::string_view kind) {
  throw error(failure::input, fmt::format("{}: {}, which is not a matrix; Sparsmith reads {}", name, kind,
                                          kinds_that_are_read));
}

// Says of what no reader took what it is. Only what is meant to be Matrix Market, by its name or its first
// bytes, is left to the reader of that, who names the line.
void require_matrix_market(const std::string& name, bool named, std::string_view start) {
  if (start.starts_with("\x1f\x8b") || !archive_kind(start).empty())
    throw error(failure::unsupported, name + ": is packed more than once; unpack it first");
  if (start.starts_with("\x89HDF\r\n\x1a\n"))
    throw error(failure::unsupported, name + ": an HDF5 file that is packed cannot be read; unpack it first");
  if (is_matlab_hdf5(start))
    throw error(failure::unsupported,
                name + ": a MATLAB 7.3 file that is packed cannot be read; unpack it first");
  const std::string_view kind = kind_by_marks(start);
  if (named && !kind.empty())
    throw error(failure::input, fmt::format("{}:1: not a Matrix Market file but {}", name, kind));
  if (!named && (!kind.empty() || !is_meant_as_matrix_market(start))) refuse_other(name, looks_like(start));
}

// Graphs of METIS are known by their names, as their lines may be any numbers; and Matrix Market by its name
// is never taken for a list of edges: one without its first line would be.
matrix_entries read_text(const text_source& text, std::string_view start, const progress_callback& progress,
                         const input_options& options) {
  const std::string_view ending = matrix_text_ending(unpacked_name(text.name));
  if (is_matlab(start)) return read_matlab(text, options.variable, progress, options.if_complex);
  if (is_petsc(start)) return read_petsc(text, progress);
  if (is_npy(start)) return read_npy(text, progress, options.if_complex);
  if (ending == ".graph" || ending == ".metis") return read_metis(text, progress);
  if (is_rutherford_boeing(start)) return read_rutherford_boeing(text, progress, options.if_complex);
  if (ending != ".mtx" && !is_octave_text(start) && is_edge_list(start, start.size() >= archive_start_bytes))
    return read_edges(text, progress, options.edges);
  require_matrix_market(text.name, ending == ".mtx", start);
  return read_matrix_market(text, progress, options.if_complex);
}

matrix_entries read_opened(const std::string& input, const std::shared_ptr<file_descriptor>& file,
                           const struct stat& status, const progress_callback& progress,
                           const input_options& options) {
  const bool regular = S_ISREG(status.st_mode) && input != "-";
  // A pipe is read once, from its beginning; only a file can be opened again.
  auto source = unpacked(reader_of(file, input), input);
  const auto require_plain_file = [&](const char* kind) {
    if (!regular)
      throw error(failure::unsupported,
                  fmt::format("{}: {} cannot be read from a pipe; save it to a file first", input, kind));
    if (source.was_compressed)
      throw error(failure::unsupported,
                  fmt::format("{}: {} inside gzip cannot be read; unpack it first", input, kind));
  };
  if (source.start.starts_with("\x89HDF\r\n\x1a\n")) {
    require_plain_file("an HDF5 file");
    if (is_binsparse(input)) return read_binsparse(input, options.if_complex);
    if (is_anndata(input)) return read_anndata(input, options.variable, options.if_complex);
    return std::visit([&](const auto& matrix) { return entries_of(input, matrix, options.if_complex); },
                      read_container(input));
  }
  if (is_matlab_hdf5(source.start)) {
    require_plain_file("a MATLAB 7.3 file, which is HDF5,");
    return read_matlab_hdf5(input, options.variable, options.if_complex);
  }
  const std::string_view archive = archive_kind(source.start);
  if (archive == ".zip") {
    if (const std::string_view kind = kind_by_marks(source.start); !regular && !kind.empty())
      refuse_other(input, kind);
    require_plain_file("a zip archive, which .npz is too,");
    if (is_npz(input, source.start)) return read_npz(input, options.if_complex);
  }

  if (source.was_compressed && (archive == ".bz2" || archive == ".xz" || archive == ".zst"))
    throw error(failure::unsupported,
                fmt::format("{}: a {} inside gzip cannot be read; unpack it first", input, archive));

  archived_text found;
  text_source& text = found.text;
  if (!archive.empty()) {
    bool opened = false;
    try {
      found = open_archive(input, [&]() -> byte_reader {
        if (!std::exchange(opened, true)) return source.read;
        if (!regular)
          throw error(failure::unsupported,
                      input + ": an archive of several files cannot be read from a pipe");
        return unpacked(reader_of(open_file(input), input), input).read;
      });
    } catch (const error&) {
      if (const std::string_view kind = kind_by_marks(source.start); archive == ".zip" && !kind.empty())
        refuse_other(input, kind);
      throw;
    }
  } else {
    text.name = input;
    text.read = source.read;
    if (regular) {
      // The size only tells how much text there is where it is not compressed.
      if (!source.was_compressed) text.total_bytes = status.st_size;
      posix_fadvise(file->number, 0, 0, POSIX_FADV_SEQUENTIAL);
    }
  }
  peeked_source opened = peek(std::move(text.read), archive_start_bytes);
  text.read = std::move(opened.read);
  matrix_entries result = read_text(text, opened.start, progress, options);
  if (const std::string note = found.note(); !note.empty())
    result.note += (result.note.empty() ? "" : "; ") + note;
  return result;
}

}  // namespace

matrix_entries read_matrix(const std::string& input, const progress_callback& progress,
                           const input_options& options) {
  const auto require_meant = [&](const matrix_entries& found) {
    const edge_options& edges = options.edges;
    if (!options.variable.empty() && !found.origin.starts_with("MATLAB") &&
        !found.origin.starts_with("AnnData"))
      throw error(failure::usage,
                  fmt::format("{}: is {}, which holds one matrix: --variable means nothing to it", input,
                              found.origin));
    if ((edges.base || edges.sized || edges.undirected || edges.compact) && !is_origin_of_edges(found.origin))
      throw error(failure::usage,
                  fmt::format("{}: is no list of edges but {}: options for those mean nothing to it", input,
                              found.origin));
  };
  if (is_generator(input)) {
    matrix_entries made = generate(input);
    require_meant(made);
    return made;
  }
  const auto file = open_file(input);
  const auto state = [&] {
    struct stat status {};
    if (::fstat(file->number, &status) != 0)
      throw error(failure::input, fmt::format("{}: {}", input, std::strerror(errno)));
    return status;
  };
  const struct stat before = state();
  if (S_ISDIR(before.st_mode)) throw error(failure::input, input + ": is a directory; name a file in it");
  matrix_entries result = read_opened(input, file, before, progress, options);
  require_meant(result);
  // Of a file that somebody writes to, what was read is neither the old nor the new; HDF5 even reads zeros
  // behind an end that came closer.
  if (S_ISREG(before.st_mode) && has_changed(before, state()))
    throw error(failure::input, input + ": was changed while it was read");
  return result;
}

}  // namespace sparsmith
