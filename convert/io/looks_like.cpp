// Marks are those that file(1) goes by. They are asked last, after all readers, so that a short mark takes no
// matrix away from anyone.
#include "convert/io/looks_like.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "convert/io/matrix_market_grammar.hpp"
#include "convert/io/zip.hpp"

namespace sparsmith {
namespace {

using namespace std::string_view_literals;
using matrix_market::byte_order_mark;

constexpr std::pair<std::string_view, std::string_view> marks[] = {
    {"\x89PNG\r\n\x1a\n"sv, "a PNG picture"},
    {"\xff\xd8\xff"sv, "a JPEG picture"},
    {"GIF8"sv, "a GIF picture"},
    {"II*\0"sv, "a TIFF picture"},
    {"MM\0*"sv, "a TIFF picture"},
    {"%PDF-"sv, "a PDF document"},
    {"%!PS"sv, "a PostScript document"},
    {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, "an Office document (.xls, .doc or .ppt)"},
    {"\x7f"
     "ELF"sv,
     "a program or a library (ELF)"},
    {"#!"sv, "a script"},
    {"PAR1"sv, "a Parquet file"},
    {"ARROW1"sv, "an Arrow file (Feather)"},
    {"FEA1"sv, "a Feather file"},
    {"CDF\1"sv, "a NetCDF file"},
    {"CDF\2"sv, "a NetCDF file"},
    {"CDF\5"sv, "a NetCDF file"},
    {"SQLite format 3\0"sv, "an SQLite database"},
    {"MATLAB 5.0 MAT-file"sv, "a MATLAB 5 file that ends in its header"},
    {"MATLAB 7.3 MAT-file"sv, "a MATLAB 7.3 file that ends in its header"},
    {"Octave-1-L"sv, "binary data of GNU Octave (save -v7 saves a matrix that is read)"},
    {"Octave-1-B"sv, "binary data of GNU Octave (save -v7 saves a matrix that is read)"},
    {"HDF5-based Julia Data Format"sv, "a Julia file (.jld2; MatrixMarket.mmwrite saves its matrix as one)"},
    {"Julia data file (HDF5)"sv, "a Julia file (.jld; MatrixMarket.mmwrite saves its matrix as one)"},
    {"RDX2\n"sv, "an R workspace (.rda; Matrix::writeMM saves its matrix as one)"},
    {"RDX3\n"sv, "an R workspace (.rda; Matrix::writeMM saves its matrix as one)"},
    {"X\n\0\0\0\2"sv, "an R object (.rds; Matrix::writeMM saves its matrix as one)"},
    {"X\n\0\0\0\3"sv, "an R object (.rds; Matrix::writeMM saves its matrix as one)"},
    {"Rar!\x1a\x07"sv, "a RAR archive (unpack it first)"},
    {"7z\xbc\xaf\x27\x1c"sv, "a 7z archive (unpack it first)"},
    {"\x04\x22\x4d\x18"sv, "packed with lz4 (unpack it first)"},
    {"\x1f\x9d"sv, "packed with compress (unpack it first)"},
    {"LZIP\1"sv, "packed with lzip (unpack it first)"},
    {"\x89LZO\0\r\n\x1a\n"sv, "packed with lzop (unpack it first)"},
    {"LRZI\0"sv, "packed with lrzip (unpack it first)"},
    {"version https://git-lfs.github.com/spec/"sv,
     "a pointer of Git LFS in place of a file (git lfs pull fetches that)"}};

bool is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

std::string_view without_blanks_before(std::string_view text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_blank);
  return text.substr(static_cast<std::size_t>(first - text.begin()));
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

// Also where it goes on behind `start`, within a letter of UTF-8 perhaps.
bool is_text(std::string_view start) {
  return std::all_of(start.begin(), start.end(),
                     [](char c) { return static_cast<unsigned char>(c) >= ' ' ? c != '\x7f' : is_blank(c); });
}

bool is_numbers(std::string_view start) {
  return start.find_first_not_of("0123456789+-.,;eEdDnaNifI \t\r\n") == std::string_view::npos &&
         start.find_first_of("0123456789") != std::string_view::npos;
}

std::string_view markup_kind(std::string_view text) {
  if (text.size() < 2 || text[0] != '<') return {};
  const std::string start = lower(text.substr(0, 64));
  for (const std::string_view mark : {"<!doctype html", "<html", "<head", "<body", "<title", "<script"})
    if (start.starts_with(mark))
      return "an HTML page (an error page perhaps that was downloaded instead of the matrix)";
  const bool xml = start[1] == '?' || start[1] == '!' || (start[1] >= 'a' && start[1] <= 'z');
  return xml ? "XML (an error message perhaps that was downloaded instead of the matrix)" : ""sv;
}

bool is_json(std::string_view text) {
  if (text.empty() || (text[0] != '{' && text[0] != '[')) return false;
  const std::string_view inside = without_blanks_before(text.substr(1));
  if (inside.empty()) return false;
  return (text[0] == '{' ? "\"}"sv : "[]{\"-0123456789tfn"sv).find(inside[0]) != std::string_view::npos;
}

// Two ids and a dictionary of Python: {} or {'weight': 1.5}.
bool is_networkx_list(std::string_view text) {
  while (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  const std::string_view line = text.substr(0, text.find_first_of("\r\n"));
  const std::size_t first = line.find(' ');
  const std::size_t second = first == line.npos ? line.npos : line.find(' ', first + 1);
  return second != line.npos && line.substr(second + 1).starts_with('{') && line.ends_with('}');
}

// Protocols 2 to 5, which begin with their number and an operation.
bool is_pickle(std::string_view start) {
  return start.size() > 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5;
}

// By the member that comes first.
std::string_view zip_kind(std::string_view start) {
  const std::string_view first = first_zip_name(start);
  for (const std::string_view mark : {"[Content_Types].xml"sv, "_rels/"sv, "docProps/"sv, "xl/"sv, "word/"sv})
    if (first.starts_with(mark)) return "an Office document (.xlsx, .docx or .pptx)";
  if (first == "mimetype") return "a document (.ods, .odt or .epub)";
  if (first.ends_with("/data.pkl")) return "a file of PyTorch (scipy.sparse.save_npz saves a matrix)";
  return {};
}

}  // namespace

// The name of a variable and its type below it; who saved it stands above, where nobody took that out.
bool is_octave_text(std::string_view start) {
  if (start.starts_with(byte_order_mark)) start.remove_prefix(byte_order_mark.size());
  if (start.starts_with("# Created by Octave"))
    start.remove_prefix(std::min(start.find('\n'), start.size() - 1) + 1);
  const std::size_t end = start.find('\n');
  return start.starts_with("# name: ") && end != start.npos && start.substr(end + 1).starts_with("# type: ");
}

std::string_view kind_by_marks(std::string_view start) {
  for (const auto& [mark, kind] : marks)
    if (start.starts_with(mark)) return kind;
  if (const std::string_view kind = zip_kind(start); !kind.empty()) return kind;
  if (is_pickle(start)) return "a Python pickle (scipy.sparse.save_npz saves a matrix)";
  if (!is_text(start)) return {};
  if (is_octave_text(start)) return "text of GNU Octave (save -v7 saves a matrix that is read)";
  if (start.starts_with(byte_order_mark)) start.remove_prefix(byte_order_mark.size());
  const std::string_view text = without_blanks_before(start);
  if (is_networkx_list(text))
    return "a list of edges with attributes of Python (NetworkX's write_weighted_edgelist, or data=False, "
           "saves one that is read)";
  return is_json(text) ? "JSON"sv : markup_kind(text);
}

std::string_view looks_like(std::string_view start) {
  if (const std::string_view kind = kind_by_marks(start); !kind.empty()) return kind;
  if (start.empty()) return "an empty file";
  if (!first_zip_name(start).empty()) return "a zip archive";
  if (!is_text(start)) return "binary data of no kind that is known";
  if (is_numbers(start)) return "lines of numbers and no list of edges (numpy.save saves a dense matrix)";
  return "plain text";
}

bool is_meant_as_matrix_market(std::string_view start) {
  for (const std::string_view mark : {"\xff\xfe"sv, "\xfe\xff"sv, "\0%"sv})  // UTF-16
    if (start.starts_with(mark)) return true;
  if (start.starts_with(byte_order_mark)) start.remove_prefix(byte_order_mark.size());
  return start.starts_with('%') || lower(start).find("matrixmarket") != std::string::npos;
}

}  // namespace sparsmith
