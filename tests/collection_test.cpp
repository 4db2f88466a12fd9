// Real and edge-case matrices, where SPARSMITH_MATRICES names a folder of them, perhaps with an INDEX.tsv
// whose notes say whether a file is VALID or INVALID. Every file is read; what is valid is converted to every
// format and back.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "convert/convert.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/read.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"

using namespace sparsmith;
namespace fs = std::filesystem;

namespace {

struct listed {
  std::string file, note;
  std::string rows, cols, stored, field, symmetry;
};

// Without an INDEX.tsv every file is expected to be valid.
std::vector<listed> index_of(const fs::path& folder) {
  std::vector<listed> all;
  std::ifstream in(folder / "INDEX.tsv");
  if (!in) {
    for (const auto& file : fs::recursive_directory_iterator(folder))
      if (file.is_regular_file())
        all.push_back({fs::relative(file.path(), folder).string(), "", "-", "-", "-", "", ""});
    return all;
  }
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    std::vector<std::string> fields;
    std::istringstream cells(line);
    for (std::string cell; std::getline(cells, cell, '\t');) fields.push_back(cell);
    if (fields.size() >= 9)
      all.push_back({fields[0], fields[8], fields[3], fields[4], fields[5], fields[6], fields[7]});
  }
  return all;
}

bool readable_kind(const std::string& file) {
  return file.ends_with(".mtx") || file.ends_with(".gz") || file.ends_with(".bz2");
}

}  // namespace

TEST_CASE("a collection of matrices") {
  const char* const folder = std::getenv("SPARSMITH_MATRICES");
  if (folder == nullptr) {
    std::cout << "SKIPPED: SPARSMITH_MATRICES names no collection\n";
    return;
  }
  const auto index = index_of(folder);
  REQUIRE(!index.empty());
  const openmp on;
  int converted = 0, refused = 0;
  for (const listed& item : index) {
    if (!readable_kind(item.file) || item.file.find("_rb.tar") != std::string::npos) continue;
    INFO(item.file << ": " << item.note);
    const bool edge = item.file.rfind("edge/", 0) == 0;
    // Complex matrices and vectors are valid files that this reader refuses by name.
    const bool unsupported = item.field == "complex" || item.symmetry == "hermitian" ||
                             item.note.find("vector") != std::string::npos ||
                             item.note.find("2^40") != std::string::npos;
    // POLICY and LENIENT: a reader may decide either way.
    const bool open_question =
        edge && (item.note.find("POLICY") != std::string::npos || item.note.rfind("LENIENT", 0) == 0);
    const bool invalid = edge && item.note.rfind("INVALID", 0) == 0 && !open_question;
    try {
      auto source = read_matrix((fs::path(folder) / item.file).string());
      CHECK_FALSE(invalid);
      CHECK_FALSE(unsupported);
      if (item.rows != "-") CHECK(std::to_string(source.entries.rows) == item.rows);
      if (item.cols != "-") CHECK(std::to_string(source.entries.cols) == item.cols);
      if (item.stored != "-") CHECK(std::to_string(source.entries.values.size()) == item.stored);
      assembly_report report;
      const auto m = assemble<openmp, std::int32_t, double>(on, std::move(source), false, report, nullptr);
      CHECK(find_invalid(m) == "");
      for (const format_kind format : sparsmith::testing::formats_for(m)) {
        try {
          const auto c =
              from_csr<openmp, std::int32_t, double>(on, view(m), format, {{32, 1024}, -1, 20}, nullptr);
          CHECK(std::visit([](const auto& f) { return find_invalid(f); }, c) == "");
          CHECK(identical(to_csr<openmp, std::int32_t, double>(on, c, nullptr), m));
        } catch (const error& e) {
          CHECK(e.category() == failure::resources);  // too much padding
        }
      }
      ++converted;
    } catch (const error& e) {
      INFO(e.what());
      const bool unreadable_here =
          std::string(e.what()).find("built without libarchive") != std::string::npos;
      const bool expected = invalid || unsupported || open_question || unreadable_here;
      CHECK(expected);
      CHECK(std::string(e.what()).find('\n') == std::string::npos);
      ++refused;
    }
  }
  std::cout << converted << " matrices converted to every format and back, " << refused << " files refused\n";
}
