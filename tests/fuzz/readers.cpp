// Every reader. What is accepted has indices in range and assembles into a valid CSR; written and read again
// it is the same; memory is in proportion to the file, or to the text that is packed in it; one thread and
// five say the same, to the letter. All of it once where complex values are refused, and once where they are
// kept.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <sstream>

#include "convert/convert.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/anndata.hpp"
#include "convert/io/binsparse.hpp"
#include "convert/io/container.hpp"
#include "convert/io/edges.hpp"
#include "convert/io/gzip.hpp"
#include "convert/io/matlab.hpp"
#include "convert/io/matlab_hdf5.hpp"
#include "convert/io/matrix_market.hpp"
#include "convert/io/metis.hpp"
#include "convert/io/npy.hpp"
#include "convert/io/npz.hpp"
#include "convert/io/petsc.hpp"
#include "convert/io/read.hpp"
#include "convert/io/rutherford_boeing.hpp"
#include "convert/io/write.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace sparsmith::fuzz {
namespace {

// Rows cost four bytes each once entries are assembled, honestly: taller ones are only looked at as entries.
constexpr std::int32_t tallest = 1 << 16;

// A reader's answer: a matrix, or why not.
struct answer {
  std::optional<matrix_entries> matrix;
  std::string refusal;
};

template <class Read>
answer answer_of(int threads, Read read) {
  set_thread_count(threads);
  answer result;
  try {
    result.matrix = read();
  } catch (const error& problem) {
    result.refusal = fmt::format("{}: {}", static_cast<int>(problem.category()), problem.what());
    promise(!std::string(problem.what()).empty(), "a refusal says why");
  }
  return result;
}

bool same_bytes(const array<double, host>& a, const array<double, host>& b) {
  return a.size() == b.size() &&
         (a.size() == 0 ||
          std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(double)) == 0);
}

void promise_same(const answer& a, const answer& b, const char* when) {
  promise(a.refusal == b.refusal, fmt::format("{}: \"{}\" and \"{}\"", when, a.refusal, b.refusal));
  if (!a.matrix) return;
  const matrix_entries &x = *a.matrix, &y = *b.matrix;
  promise(identical(x.entries, y.entries) && same_bytes(x.imaginary, y.imaginary),
          fmt::format("{}: other entries", when));
  promise(x.symmetry == y.symmetry && x.field == y.field && x.origin == y.origin && x.note == y.note &&
              x.single_precision == y.single_precision && x.rounded_values == y.rounded_values &&
              x.array_zeros == y.array_zeros && std::ranges::equal(x.ids, y.ids),
          fmt::format("{}: other facts", when));
}

matrix_entries copy_of(const matrix_entries& source) {
  matrix_entries copy;
  copy.entries = copy_to<host>(source.entries);
  copy.imaginary = copy_to<host>(source.imaginary, place::host);
  copy.symmetry = source.symmetry;
  copy.field = source.field;
  copy.origin = source.origin;
  copy.single_precision = source.single_precision;
  copy.rounded_values = source.rounded_values;
  copy.array_zeros = source.array_zeros;
  return copy;
}

template <class Value>
using wide_csr = csr<std::int64_t, Value, host>;

template <class Value>
wide_csr<Value> assembled(int threads, const matrix_entries& source) {
  set_thread_count(threads);
  assembly_report report;
  any_format<std::int64_t, Value, host> matrix =
      assemble<openmp, std::int64_t, Value>(openmp{}, copy_of(source), false, report, nullptr);
  promise(report.stored == source.entries.values.size(), "all that is stored is counted");
  const std::string problem = find_invalid(matrix);
  promise(problem.empty(), "what was accepted assembles into an invalid CSR: " + problem);
  return std::get<wide_csr<Value>>(std::move(matrix));
}

void check_entries(const matrix_entries& m) {
  const auto& e = m.entries;
  const std::int64_t count = e.values.size();
  promise(e.rows >= 0 && e.cols >= 0, "sizes are not negative");
  promise(e.row_indices.size() == count && e.col_indices.size() == count, "arrays are of one length");
  promise(m.imaginary.size() == 0 || m.imaginary.size() == count, "every value has both parts");
  promise(m.imaginary.size() == 0 || m.field == "complex", "a value with two parts is called complex");
  promise(m.symmetry == symmetry_kind::general || e.rows == e.cols, "what is symmetric is square");
  for (std::int64_t i = 0; i < count; ++i)
    promise(e.row_indices[i] >= 0 && e.row_indices[i] < e.rows && e.col_indices[i] >= 0 &&
                e.col_indices[i] < e.cols,
            fmt::format("entry {} is outside the matrix", i));
}

// A text does not tell one NaN from another.
void forget_payload(double& value) {
  if (std::isnan(value)) value = std::nan("");
}
void forget_payload(complex128& value) {
  forget_payload(value.real);
  forget_payload(value.imaginary);
}
template <class Value>
void forget_payloads(wide_csr<Value>& matrix) {
  for (Value& value : matrix.values) forget_payload(value);
}

// Written into a container and read again it is the same matrix.
template <class Value>
void check_round_trip(const matrix_entries& source, const wide_csr<Value>& matrix, container kind,
                      const char* suffix) {
  const std::string path = scratch_folder() + "/again" + suffix;
  any_format<std::int64_t, Value, host> written = copy_to<host>(matrix);
  wide_csr<Value> expected = copy_to<host>(matrix);
  if (kind == container::matrix_market) {
    forget_payloads(expected);
    written = from_csr<openmp, std::int64_t, Value>(openmp{}, view(matrix), format_kind::coo, {}, nullptr);
  }
  {
    output_file file(path);
    write_matrix(file, kind, written, {source.field, source.symmetry});
    file.commit();
  }
  wide_csr<Value> again = assembled<Value>(1, read_matrix(path, {}, {complex_values::keep}));
  if (kind == container::matrix_market) forget_payloads(again);
  promise(identical(expected, again), fmt::format("a {} of it is another matrix", name_of(kind)));
}

// Buffers for reading, parsing and unpacking, whatever is read; the rest is in proportion.
constexpr std::int64_t fixed_bytes = 24 << 20;
// Of text or arrays: an entry of four characters takes up to 24 bytes, and three times that while its list
// grows.
constexpr std::int64_t times_the_text = 20;

template <class Value, class Read>
void check_values(Read read, std::int64_t text_bytes, container own, const char* suffix) {
  const memory_watch watch;
  const answer one = answer_of(1, read);
  const std::int64_t peak = watch.peak();
  const std::int64_t bearable = fixed_bytes + times_the_text * text_bytes;
  promise(peak <= bearable,
          fmt::format("{} bytes are held for {} of text, more than {}", peak, text_bytes, bearable));
  promise_same(one, answer_of(5, read), "one thread and five");
  if (!one.matrix) return;
  check_entries(*one.matrix);
  if (one.matrix->entries.rows > tallest || one.matrix->entries.cols > tallest) return;
  const wide_csr<Value> matrix = assembled<Value>(1, *one.matrix);
  promise(identical(matrix, assembled<Value>(5, *one.matrix)), "one thread and five assemble the same");
  check_round_trip(*one.matrix, matrix, own, suffix);
}

// read(complex_values) reads. Whether it is accepted with complex values or without them.
template <class Read>
bool check_reader(Read read, std::int64_t text_bytes, container own, const char* suffix) {
  const auto with = [&](complex_values if_complex) { return [=] { return read(if_complex); }; };
  const answer real = answer_of(1, with(complex_values::refuse));
  const answer kept = answer_of(1, with(complex_values::keep));
  const answer pattern = answer_of(5, with(complex_values::pattern_only));
  check_values<double>(with(complex_values::refuse), text_bytes, own, suffix);
  if (real.matrix) promise_same(real, kept, "complex values refused and kept, where there are none");
  promise(!kept.matrix || pattern.matrix, "who takes less refuses less");
  if (pattern.matrix) check_entries(*pattern.matrix);
  if (!real.matrix && (kept.matrix || kept.refusal != real.refusal))
    check_values<complex128>(with(complex_values::keep), text_bytes, own, suffix);
  return kept.matrix.has_value();
}

std::int64_t size_of(std::string_view bytes) {
  return static_cast<std::int64_t>(bytes.size());
}

// How much comes out of gzip, before it ends or turns out to be damaged.
std::int64_t unpacked_size(std::string_view bytes) {
  std::size_t at = 0;
  const auto source = [&](char* buffer, std::size_t size) {
    size = std::min(size, bytes.size() - at);
    std::memcpy(buffer, bytes.data() + at, size);
    at += size;
    return size;
  };
  const byte_reader text = gunzip(source, "text");
  char part[4096];
  std::int64_t total = 0;
  try {
    while (const std::size_t got = text(part, sizeof part)) total += static_cast<std::int64_t>(got);
  } catch (const error&) {
    total += std::int64_t{sizeof part};
  }
  return total;
}

constexpr std::int64_t largest_expansion = 1040;  // of deflate

using text_reader =
    std::function<matrix_entries(const text_source&, const progress_callback&, complex_values)>;

bool check_text(std::string_view bytes, const text_reader& reader, std::int64_t expansion = 1) {
  // Tiny pieces make threads of a tiny file, and put its lines on the seams. They also come one by one.
  const auto read = [&](std::size_t piece_bytes, complex_values if_complex) {
    return [=] {
      text_source text;
      text.name = "text";
      text.piece_bytes = piece_bytes;
      text.read = [bytes, piece_bytes, at = std::size_t{0}](char* buffer, std::size_t size) mutable {
        size = std::min({size, piece_bytes, bytes.size() - at});
        std::memcpy(buffer, bytes.data() + at, size);
        at += size;
        return size;
      };
      return reader(text, {}, if_complex);
    };
  };
  for (const complex_values if_complex : {complex_values::refuse, complex_values::keep}) {
    const auto whole = answer_of(1, read(1 << 16, if_complex));
    for (const std::size_t piece : {std::size_t{7}, std::size_t{64}})
      promise_same(whole, answer_of(5, read(piece, if_complex)), "whole and in pieces");
  }
  return check_reader([&](complex_values if_complex) { return read(1 << 16, if_complex)(); },
                      size_of(bytes) * expansion, container::matrix_market, ".mtx");
}

}  // namespace

bool run_matrix_market(std::string_view bytes) {
  return check_text(bytes, read_matrix_market);
}

bool run_rutherford_boeing(std::string_view bytes) {
  return check_text(bytes, read_rutherford_boeing);
}

bool run_edges(std::string_view bytes) {
  bool accepted = false;
  for (const edge_options& options : {edge_options{}, edge_options{.base = 0, .undirected = true},
                                      edge_options{.base = 1}, edge_options{.base = {}, .compact = true}})
    accepted |= check_text(bytes, [&](const text_source& text, const progress_callback& progress,
                                      complex_values) { return read_edges(text, progress, options); });
  return accepted;
}

// Without complex values in it.
bool check_real_text(std::string_view bytes,
                     matrix_entries (*read)(const text_source&, const progress_callback&)) {
  return check_text(bytes, [=](const text_source& text, const progress_callback& progress, complex_values) {
    return read(text, progress);
  });
}

bool run_metis(std::string_view bytes) {
  return check_real_text(bytes, read_metis);
}

bool run_petsc(std::string_view bytes) {
  return check_real_text(bytes, read_petsc);
}

bool run_npy(std::string_view bytes) {
  return check_text(bytes, read_npy);
}

// Without a name, and by one that the seeds have.
bool run_matlab(std::string_view bytes) {
  bool accepted = false;
  for (const char* const variable : {"", "S.B"})
    accepted |= check_text(
        bytes,
        [=](const text_source& text, const progress_callback& progress, complex_values if_complex) {
          return read_matlab(text, variable, progress, if_complex);
        },
        largest_expansion);
  return accepted;
}

bool run_gzip(std::string_view bytes) {
  const scratch_file file(bytes);
  return check_reader([&](complex_values if_complex) { return read_matrix(file.path(), {}, {if_complex}); },
                      unpacked_size(bytes), container::matrix_market, ".mtx.gz");
}

bool run_npz(std::string_view bytes) {
  const scratch_file file(bytes);
  // As an .npz by name: the reader of archives does not get it where it is none.
  return check_reader([&](complex_values if_complex) { return read_npz(file.path(), if_complex); },
                      size_of(bytes) * largest_expansion, container::npz, ".npz");
}

bool run_binsparse(std::string_view bytes) {
  const scratch_file file(bytes);
  return check_reader([&](complex_values if_complex) { return read_binsparse(file.path(), if_complex); },
                      size_of(bytes) * largest_expansion, container::binsparse, ".bsp.h5");
}

bool run_matlab_hdf5(std::string_view bytes) {
  const scratch_file file(bytes);
  return check_reader(
      [&](complex_values if_complex) { return read_matlab_hdf5(file.path(), {}, if_complex); },
      size_of(bytes) * largest_expansion, container::matrix_market, ".mtx");
}

bool run_anndata(std::string_view bytes) {
  const scratch_file file(bytes);
  is_anndata(file.path());  // which opens what may be damaged, and only says no
  // By a name, too, that the seeds have.
  const auto layer =
      answer_of(1, [&] { return read_anndata(file.path(), "layers/raw", complex_values::keep); });
  if (layer.matrix) check_entries(*layer.matrix);
  return check_reader([&](complex_values if_complex) { return read_anndata(file.path(), {}, if_complex); },
                      size_of(bytes) * largest_expansion, container::matrix_market, ".mtx");
}

bool run_container(std::string_view bytes) {
  const scratch_file file(bytes);
  // What is read is written bit for bit.
  try {
    std::visit(
        [&](const auto& matrix) {
          const scratch_file copy;
          write_container(copy.path(), matrix);
          using any = std::remove_cvref_t<decltype(matrix)>;
          const stored_matrix again = read_container(copy.path());
          const any* const same_types = std::get_if<any>(&again);
          promise(same_types != nullptr && same_types->index() == matrix.index(),
                  "types and format are kept");
          const bool same = std::visit(
              [&](const auto& before) {
                return identical(before, std::get<std::remove_cvref_t<decltype(before)>>(*same_types));
              },
              matrix);
          promise(same, "sizes and arrays are kept");
        },
        read_container(file.path()));
  } catch (const error&) {
  }
  return check_reader([&](complex_values if_complex) { return read_matrix(file.path(), {}, {if_complex}); },
                      size_of(bytes), container::sparsmith, ".h5");
}

bool run_archive(std::string_view bytes) {
  const scratch_file file(bytes);
  // How far xz and zstd expand is theirs to say; the entries that come out are what is honest.
  const memory_watch watch;
  const auto read = [&](complex_values if_complex) { return read_matrix(file.path(), {}, {if_complex}); };
  const answer first = answer_of(1, [&] { return read(complex_values::keep); });
  const std::int64_t peak = watch.peak();
  const std::int64_t entries = first.matrix ? first.matrix->entries.values.size() : 0;
  promise(peak <= fixed_bytes + largest_expansion * times_the_text * size_of(bytes) + 96 * entries,
          fmt::format("{} bytes are held for an archive of {} and {} entries", peak, bytes.size(), entries));
  return check_reader(read, largest_expansion * size_of(bytes) + 4 * entries, container::matrix_market,
                      ".mtx");
}

}  // namespace sparsmith::fuzz
