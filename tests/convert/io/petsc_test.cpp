// The reader of PETSc's binary files: what is read, and one file for every rule that it refuses.
#include "convert/io/petsc.hpp"

#include "convert/io/gzip.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/text_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

template <class T>
std::string big_endian(const std::vector<T>& numbers) {
  std::string bytes;
  for (const T number : numbers) {
    const std::string one(reinterpret_cast<const char*>(&number), sizeof number);
    bytes.append(one.rbegin(), one.rend());
  }
  return bytes;
}

template <class Index>
std::string file(const std::vector<Index>& head, const std::vector<double>& values) {
  return big_endian(std::vector<Index>{1211216}) + big_endian(head) + big_endian(values);
}

// 3 x 4: two entries, none, one.
const std::vector<std::int32_t> head = {3, 4, 3, 2, 0, 1, 3, 0, 2};
const std::vector<double> values = {1.5, -2, 1e300};

std::string message_for(const std::string& bytes) {
  return refusal_of([&](std::size_t piece) { read_petsc(source_of("p", bytes, piece)); });
}

std::string message_with(std::size_t at, std::int32_t number) {
  std::vector<std::int32_t> changed = head;
  changed[at] = number;
  return message_for(file(changed, values));
}

}  // namespace

TEST_CASE("PETSc's files are read with indices of both widths", "[petsc]") {
  const std::string narrow = file(head, values);
  for (const std::string& bytes :
       {narrow, file(std::vector<std::int64_t>(head.begin(), head.end()), values)}) {
    REQUIRE(is_petsc(bytes));
    const matrix_entries m = read_petsc(source_of("p", bytes));
    REQUIRE(m.entries.rows == 3);
    REQUIRE(m.entries.cols == 4);
    REQUIRE(same_triplets(triplets_of(m), {{0, 3, 1.5}, {0, 0, -2}, {2, 2, 1e300}}));
    REQUIRE(m.note.empty());
    const matrix_entries with_vector =
        read_petsc(source_of("p", bytes + big_endian<std::int32_t>({1211214, 0})));
    REQUIRE(with_vector.note == "other objects behind the matrix were not read");
  }
  REQUIRE(read_petsc(source_of("p", file<std::int32_t>({0, 0, 0}, {}))).entries.rows == 0);
  REQUIRE(!is_petsc("%%MatrixMarket"));
  REQUIRE(!is_petsc(big_endian<std::int32_t>({1211214})));
}

TEST_CASE("a packed file of PETSc is read to the checksum behind what is not read", "[petsc]") {
  std::string packed;
  gzip_writer out([&](const char* bytes, std::size_t size) { packed.append(bytes, size); });
  const std::string bytes =
      file(head, values) + big_endian<std::int32_t>({1211214, 2}) + std::string(20000, 'x');
  out.write(bytes.data(), bytes.size());
  out.finish();
  const auto read_packed = [&] {
    text_source source = source_of("p.gz", packed);
    source.read = gunzip(source.read, "p.gz");
    return read_petsc(source);
  };
  REQUIRE(read_packed().entries.values.size() == 3);
  packed[packed.size() - 7] ^= 1;
  REQUIRE(refusal_of([&](std::size_t) { read_packed(); }).find("damaged gzip input") != std::string::npos);
}

TEST_CASE("what is wrong with a file of PETSc is said", "[petsc]") {
  REQUIRE(message_for("") == "p: ends in its mark");
  REQUIRE(message_for(big_endian<std::int32_t>({1211214, 0})) == "p: does not begin as a matrix of PETSc");
  REQUIRE(message_with(2, -1).find("p: holds a dense matrix") == 0);
  REQUIRE(message_with(2, -2) == "p: the number of entries is -2, below zero");
  REQUIRE(message_with(0, -3) == "p: the number of rows is -3, below zero");
  REQUIRE(message_with(1, -3) == "p: the number of columns is -3, below zero");
  REQUIRE(message_with(3, 4) == "p: row 0 has 4 entries, and 3 of 3 are left");
  REQUIRE(message_with(3, -1) == "p: row 0 has -1 entries, and 3 of 3 are left");
  REQUIRE(message_with(3, 1) == "p: its rows have 2 entries, and 3 were announced");
  REQUIRE(message_with(6, 4).find("p: columns") == 0);
  REQUIRE(message_with(6, -1).find("p: columns") == 0);
  const std::string whole = file(head, values);
  for (const auto& [bytes, part] : std::vector<std::pair<std::size_t, std::string>>{
           {10, "its sizes"}, {20, "the lengths of its rows"}, {30, "its columns"}, {45, "its values"}})
    REQUIRE(message_for(whole.substr(0, bytes)) == "p: ends in " + part);
  REQUIRE(message_for(whole + big_endian(values)).find("p: is longer than a matrix of real doubles") == 0);
  REQUIRE(message_for(whole + "ab").find("p: is longer than") == 0);
  REQUIRE(message_for(file<std::int64_t>({3000000000, 1, 0}, {})).find("p: 3000000000 rows are more than") ==
          0);
}
