// Of which group and kind a matrix is, by the index of its collection; and files that are no such index.
#include "tools/batch/collection_index.hpp"

#include "convert/error.hpp"
#include "tests/tools/process.hpp"

namespace fs = std::filesystem;
using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

std::string line(const std::string& group, const std::string& name, int rows, int cols,
                 const std::string& kind = "structural problem") {
  return group + "," + name + "," + std::to_string(rows) + "," + std::to_string(cols) + ",9,1,0,0,1,1,1," +
         kind;
}

std::string refusal(const std::string& text) {
  try {
    const collection_index index(text, "i.csv");
  } catch (const error& problem) {
    CHECK(problem.category() == failure::input);
    return problem.what();
  }
  return "taken";
}

std::string found(const collection_index& index, const std::string& path, std::int64_t rows,
                  std::int64_t cols) {
  const indexed_matrix* const m = index.find(path, rows, cols);
  return m == nullptr ? "none" : m->group + "/" + m->name;
}

}  // namespace

TEST_CASE("a file is found by its name, its folder and its size") {
  const collection_index index("6\n31-Oct-2023 18:12:37\n" + line("HB", "one", 3, 4) + "\n" +
                                   line("HB", "same", 5, 5) + "\n" + line("Bai", "same", 5, 5) + "\n" +
                                   line("Bai", "two", 5, 5) + "\n" + line("HB", "two", 6, 6) + "\n" +
                                   line("HB", "a.b_rb", 7, 7) + "\n",
                               "i.csv");
  CHECK(index.size() == 6);
  for (const char* const name : {"one.tar.gz", "one.mtx", "one.mtx.gz", "one_rb.tar.gz", "one.mat", "one.tgz",
                                 "one", "m/one.mtx", "/x/Bai/one.mtx", "one.bsp.h5"}) {
    INFO(name);
    CHECK(found(index, name, 3, 4) == "HB/one");
  }
  CHECK(found(index, "one.mtx", 4, 3) == "none");  // another matrix of that name
  CHECK(found(index, "one.mtx", 3, 5) == "none");
  CHECK(found(index, "one.mtx", -1, -1) == "HB/one");  // could not be read
  for (const char* const name : {"one_b.mtx", "On.mtx", "ONE.mtx", "gen:one", "x/one/other.mtx", ""}) {
    INFO(name);
    CHECK(found(index, name, 3, 4) == "none");
  }
  CHECK(found(index, "a.b_rb.mtx", 7, 7) == "HB/a.b_rb");
  // Of two groups with one of that name the folder tells, or the size.
  CHECK(found(index, "same.mtx", 5, 5) == "none");
  CHECK(found(index, "Bai/same.mtx", 5, 5) == "Bai/same");
  CHECK(found(index, "/m/HB/same.tar.gz", 5, 5) == "HB/same");
  CHECK(found(index, "HB/same/same.mtx", 5, 5) == "HB/same");
  CHECK(found(index, "HB/two.mtx", 5, 5) == "Bai/two");
  CHECK(found(index, "two.mtx", -1, -1) == "none");
}

TEST_CASE("fields as RFC 4180 has them, lines of any system, and more columns than are known") {
  const collection_index index("2\r\n\r\n" + line("HB", "\"one\"", 3, 4, "\"2D/3D problem, \"\"large\"\"\"") +
                                   ",4054,x,\"a,b\"\r\n" + line(" Bai ", "two", 1, 1, " a kind ") + "\n\n",
                               "i.csv");
  REQUIRE(index.find("one.mtx", 3, 4) != nullptr);
  CHECK(index.find("one.mtx", 3, 4)->kind == "2D/3D problem, \"large\"");
  CHECK(index.find("two.mtx", 1, 1)->kind == "a kind");
  CHECK(index.find("two.mtx", 1, 1)->group == "Bai");
  CHECK(collection_index("0\n\n", "i.csv").size() == 0);
}

TEST_CASE("what is no index is refused with its line") {
  const std::string good = line("HB", "one", 3, 4);
  CHECK(refusal("1\n\n" + good) == "taken");
  CHECK(refusal("") == "i.csv:1: the number of matrices is missing, so this is no index");
  CHECK(refusal("group,name\n") == "i.csv:1: the number of matrices is missing, so this is no index");
  CHECK(refusal("-1\n\n") == "i.csv:1: the number of matrices is missing, so this is no index");
  CHECK(refusal("1\n") == "i.csv:2: the date is missing");
  CHECK(refusal("1\n" + good + "\n") == "i.csv:2: the date is missing");
  CHECK(refusal("2\n\n" + good + "\n") == "i.csv: line 1 announces 2 matrices, and there are 1");
  CHECK(refusal("99999999999999999\n\n") ==
        "i.csv: line 1 announces 99999999999999999 matrices, and there are 0");
  CHECK(refusal("1\n\nHB,one,3,4,9,1,0,0,1,1,1\n") == "i.csv:3: 11 fields instead of 12 or more");
  CHECK(refusal("1\n\n" + line("", "one", 3, 4)) == "i.csv:3: the group is empty");
  CHECK(refusal("1\n\n" + line("HB", " ", 3, 4)) == "i.csv:3: the name is empty");
  CHECK(refusal("1\n\n" + line("HB", "one", 3, 4, "")) == "i.csv:3: the kind is empty");
  CHECK(refusal("1\n\n" + line("HB", "one", -3, 4)) == "i.csv:3: \"-3\" is no number of rows");
  CHECK(refusal("1\n\nHB,one,3,4x,9,1,0,0,1,1,1,k") == "i.csv:3: \"4x\" is no number of columns");
  CHECK(refusal("1\n\n" + line("H\tB", "one", 3, 4)) == "i.csv:3: the group is no text");
  CHECK(refusal("1\n\n" + line("HB", "one", 3, 4, "\xff")) == "i.csv:3: the kind is no text");
  CHECK(refusal("1\n\n" + line("HB", "\"one", 3, 4)) == "i.csv:3: a quote is not closed");
  CHECK(refusal("1\n\n" + line("HB", "\"one\"x", 3, 4)) == "i.csv:3: text behind a closing quote");
  CHECK(refusal("2\n\n" + good + "\n" + good) == "i.csv:4: HB/one comes twice");
}

TEST_CASE("what cannot be read whole is refused") {
  const temporary_folder here("collection_index_test");
  const auto refused = [](const std::string& path) {
    try {
      read_index_file(path);
    } catch (const error& problem) {
      return std::string(problem.what());
    }
    return std::string("taken");
  };
  std::ofstream(here.path / "i.csv") << "0\n\n";
  CHECK(read_index_file((here.path / "i.csv").string()) == "0\n\n");
  CHECK(refused((here.path / "none").string())
            .ends_with("none: could not read the index: No such file or directory"));
  CHECK(refused(here.path.string()).find(": could not read the index") != std::string::npos);
  fs::resize_file(here.path / "i.csv", (64 << 20) + 1);
  CHECK(refused((here.path / "i.csv").string()).ends_with("more than 64 MiB, so this is no index"));
}
