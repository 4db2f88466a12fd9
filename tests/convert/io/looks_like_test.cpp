// What is said of files that nobody meant for a matrix, by their first bytes and as the reader of all kinds
// refuses them.
#include "convert/io/looks_like.hpp"

#include <vector>

#include "convert/io/read.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::test;
using namespace std::string_view_literals;

namespace {

// The first member of a zip archive, as far as its name.
std::string zip_with(std::string_view name) {
  std::string bytes("PK\3\4", 4);
  bytes.resize(30);
  bytes[26] = static_cast<char>(name.size());
  return bytes.append(name).append(40, 'x');
}

const std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head><title>404</title></head></html>\n";
const std::string other_words =
    ", which is not a matrix; Sparsmith reads Matrix Market, Rutherford-Boeing and Harwell-Boeing, ";

std::string message_for(const std::string& suffix, const std::string& bytes,
                        failure expected = failure::input) {
  const scratch_file file(suffix);
  file.replace(bytes);
  const std::string said = failure_of([&] { read_matrix(file.path); }, expected);
  return said.starts_with(file.path) ? said.substr(file.path.size()) : said;
}

}  // namespace

TEST_CASE("a file's first bytes say what it is", "[looks_like]") {
  const std::vector<std::pair<std::string, std::string_view>> examples = {
      {std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), "a PNG picture"},
      {std::string("\xff\xd8\xff\xe0\0\x10JFIF", 10), "a JPEG picture"},
      {"GIF89a", "a GIF picture"},
      {"%PDF-1.5\n%\xd0\xd4\xc5\xd8\n3 0 obj", "a PDF document"},
      {std::string("\x7f"
                   "ELF\2\1\1\0",
                   8),
       "a program or a library (ELF)"},
      {"PAR1\x15", "a Parquet file"},
      {std::string("ARROW1\0\0", 8), "an Arrow file (Feather)"},
      {"FEA1", "a Feather file"},
      {"Rar!\x1a\x07\x01", "a RAR archive"},
      {"7z\xbc\xaf\x27\x1c", "a 7z archive"},
      {std::string("SQLite format 3\0", 16), "an SQLite database"},
      {zip_with("[Content_Types].xml"), "an Office document"},
      {zip_with("xl/workbook.xml"), "an Office document"},
      {zip_with("mimetype"), "a document (.ods"},
      {zip_with("model/data.pkl"), "a file of PyTorch"},
      {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Office document (.xls"},
      {"Octave-1-L\1", "binary data of GNU Octave (save -v7 saves a matrix that is read)"},
      {"# Created by Octave 7.3.0, Thu Nov 19 14:16:01 2026 UTC <a@b>\n# name: A\n# type: sparse matrix\n# "
       "nnz: 1\n",
       "text of GNU Octave (save -v7 saves a matrix that is read)"},
      {"\xef\xbb\xbf# name: A\n# type: matrix\n", "text of GNU Octave"},
      {"0 1 {}\n1 2 {}\n", "a list of edges with attributes of Python (NetworkX's write_weighted"},
      {"# made\n# by hand\na b {'weight': 1.5}\r\nb c {}", "a list of edges with attributes of Python"},
      {"\x80\x02}q", "a Python pickle (scipy.sparse.save_npz saves a matrix)"},
      {"\x80\x05\x95", "a Python pickle"},
      {"MATLAB 5.0 MAT-file, Platform: GLNXA64", "a MATLAB 5 file"},
      {"MATLAB 7.3 MAT-file, Platform: GLNXA64", "a MATLAB 7.3 file"},
      {"RDX3\nX\n", "an R workspace"},
      {std::string("X\n\0\0\0\3", 6), "an R object"},
      {"HDF5-based Julia Data Format, version 0.1.1", "a Julia file (.jld2"},
      {"version https://git-lfs.github.com/spec/v1\noid sha256:4d", "a pointer of Git LFS"},
      {page, "an HTML page (an error page"},
      {"\xef\xbb\xbf \n<HTML><body>", "an HTML page"},
      {"<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code></Error>", "XML (an error message"},
      {"{\"rows\": 3}", "JSON"},
      {"[\n  [1, 2]]", "JSON"},
      {"#!/bin/sh\necho\n", "a script"}};
  for (const auto& [bytes, kind] : examples) {
    INFO(kind);
    CHECK(kind_by_marks(bytes).starts_with(kind));
    CHECK(looks_like(bytes).starts_with(kind));
  }
}

TEST_CASE("what has no mark is called text, numbers or data", "[looks_like]") {
  const std::vector<std::pair<std::string, std::string_view>> examples = {
      {"", "an empty file"},
      {"Dear reader,\n\nthis is a letter.\n", "plain text"},
      {"Gr\xc3\xbc\xc3\x9f"
       "e\n",
       "plain text"},
      {"{a set}\n", "plain text"},
      {"< 3 of them\n", "plain text"},
      {"1,2,3,4,5\n6,7,8,9,0\n", "lines of numbers"},
      {"1\n-2.5e3\nnan\n", "lines of numbers"},
      {"\n \n", "plain text"},
      {zip_with("a/b.txt"), "a zip archive"},
      {std::string("ab\0cd", 5), "binary data"},
      {"\x80\x06xx", "binary data"},
      {std::string(40, '\0'), "binary data"}};
  for (const auto& [bytes, kind] : examples) {
    INFO(bytes);
    CHECK(kind_by_marks(bytes).empty());
    CHECK(looks_like(bytes).starts_with(kind));
  }
}

TEST_CASE("a file that no reader takes is named for what it is", "[looks_like]") {
  CHECK(message_for(".bin", "\x89PNG\r\n\x1a\n") ==
        std::string(": a PNG picture, which is not a matrix; Sparsmith reads ").append(kinds_that_are_read));
  CHECK(holds(message_for("", ""), ": an empty file" + other_words));
  CHECK(holds(message_for(".pkl", "\x80\x04\x95"), ": a Python pickle (scipy.sparse.save_npz"));
  CHECK(holds(message_for(".xlsx", zip_with("[Content_Types].xml")), ": an Office document"));
  CHECK(holds(message_for(".html", page), ": an HTML page"));
  CHECK(holds(message_for(".txt", "Dear reader,\n"), ": plain text" + other_words));
  CHECK(holds(message_for(".csv", "1,2,3,4\n5,6,7,8\n"), ": lines of numbers"));
  CHECK(holds(message_for(".npz", "version https://git-lfs.github.com/spec/v1\n"), ": a pointer of Git LFS"));
  CHECK(holds(message_for(".pdf", "%PDF-1.5\n%\xd0\xd4\n3 0 obj\n"), ": a PDF document"));
}

TEST_CASE("text of GNU Octave is no list of edges, and a list with such words is one", "[looks_like]") {
  const std::string lines = "# nnz: 2\n# rows: 4\n# columns: 3\n1 1 1.5\n3 2 -2\n";
  const std::string refusal = ": text of GNU Octave (save -v7 saves a matrix that is read)" + other_words;
  CHECK(message_for(".mat", "# Created by Octave 7.3.0\n# name: A\n# type: sparse matrix\n" + lines)
            .find(refusal) == 0);
  CHECK(message_for(".txt", "# name: A\r\n# type: sparse matrix\r\n" + lines).find(refusal) == 0);
  for (const char* const head :
       {"# Created by Octave, by hand\n", "# name: A\n", "# type: sparse matrix\n", "# Created by Octave"}) {
    const scratch_file file(".txt");
    file.replace(head + lines);
    CHECK(read_matrix(file.path).origin == "edge list");
  }
}

TEST_CASE("what was meant to be Matrix Market keeps that reader's words", "[looks_like]") {
  const std::string first_line =
      ":1: not a Matrix Market file: the first line must start with %%MatrixMarket";
  CHECK(message_for(".mtx", "3 3 2\n1 1 1\n2 3 1\n") == first_line);
  CHECK(message_for(".mtx", "Dear reader,\n") == first_line);
  CHECK(message_for(".mtx", "") == ":1: the file is empty");
  CHECK(message_for(".txt", "%%Matrix Market matrix coordinate real general\n1 1 0\n") == first_line);
  CHECK(message_for("", "MatrixMarket matrix coordinate real general\n1 1 0\n") == first_line);
  CHECK(message_for("", "\n%%MatrixMarket matrix coordinate real general\n1 1 0\n") == first_line);
  CHECK(holds(message_for("", std::string("\xff\xfe%\0%\0", 6), failure::unsupported),
              ":1: the text is UTF-16"));
  // Another kind of file under that name is named beside the line.
  CHECK(holds(message_for(".mtx.gz", page), ":1: not a Matrix Market file but an HTML page"));
  CHECK(holds(message_for(".mtx", "version https://git-lfs.github.com/spec/v1\n"),
              ":1: not a Matrix Market file but a pointer of Git LFS"));
}
