// Containers of all formats and types: bit for bit there and back, and refused where their checksums are
// right and what they hold is not. Whatever is spoilt here is signed again, so that the checks behind the
// checksums are on their own.
#include "convert/io/container.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <zlib.h>

#include <nlohmann/json.hpp>

#include "convert/convert.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/read.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::test;
using namespace sparsmith::testing;
using json = nlohmann::ordered_json;

// HDF5 does not free all it held when it meets a broken file. Only the leak checker of -fsanitize=address
// asks.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}

namespace {

// Every size of a format that can be chosen is another than by default in one of these.
std::vector<conversion_options> ways_to_convert() {
  conversion_options usual, odd, thesis;
  usual.tile.height = usual.tile.width = 256;
  odd.sell = {4, 16};
  odd.hyb_width = 3;
  odd.bsr_block = {3, 5};
  odd.blocks = {.beta = 4,
                .order = block_order::row,
                .index_bits = 32,
                .group_size = 3,
                .window = 5,
                .holding = ecsb_holding::hybrid};
  odd.tile = {.height = 512,
              .width = 256,
              .group_size = 4,
              .index_bits = 32,
              .renumber = renumbering::length,
              .rest_below = 10};
  thesis.blocks = {.beta = 16, .order = block_order::diagonal, .thesis = true, .holding = ecsb_holding::ell};
  thesis.tile.rest_below = 0;
  std::vector<conversion_options> ways = {usual, odd, thesis};
  for (conversion_options& way : ways) way.max_fill = no_limit;
  return ways;
}

template <class Offset, class Value>
csr<Offset, Value, host> csr_of(const named_matrix& source) {
  return coo_to_csr<openmp, Offset, Value>({}, as_coo_of<Value>(source), nullptr);
}

named_matrix matrix_with_zeros(std::int32_t rows, std::int32_t cols, int entries, std::uint64_t seed) {
  named_matrix m = random_matrix("with zeros", rows, cols, entries, seed);
  for (std::size_t i = 0; i < m.entries.size(); i += 5) m.entries[i].value = 0;
  return m;
}

template <class Offset, class Value>
bool same_matrix(const any_format<Offset, Value, host>& a, const any_format<Offset, Value, host>& b) {
  return a.index() == b.index() &&
         std::visit(
             [&](const auto& m) { return identical(m, std::get<std::remove_cvref_t<decltype(m)>>(b)); }, a);
}

// ---- descriptions, read and signed again ----

class signed_file {
 public:
  explicit signed_file(const std::string& path) : id_(::H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT)) {}
  signed_file(const signed_file&) = delete;
  signed_file& operator=(const signed_file&) = delete;
  ~signed_file() { ::H5Fclose(id_); }

  json description() const {
    const hid_t attribute = ::H5Aopen(id_, "sparsmith", H5P_DEFAULT), type = ::H5Aget_type(attribute);
    std::string text(::H5Tget_size(type), '\0');
    ::H5Aread(attribute, type, text.data());
    ::H5Tclose(type);
    ::H5Aclose(attribute);
    return json::parse(text);
  }
  void describe(const json& description) const {
    const std::string text = description.dump();
    put("sparsmith", text);
    put("sparsmith_crc32",
        fmt::format("{:08x}", ::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size())));
  }

 private:
  void put(const char* name, const std::string& text) const {
    ::H5Adelete(id_, name);
    const hid_t type = ::H5Tcopy(H5T_C_S1), space = ::H5Screate(H5S_SCALAR);
    ::H5Tset_size(type, text.size());
    const hid_t attribute = ::H5Acreate2(id_, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    ::H5Awrite(attribute, type, text.data());
    ::H5Aclose(attribute);
    ::H5Sclose(space);
    ::H5Tclose(type);
  }
  hid_t id_;
};

// What reading says about a container whose description was changed.
template <class Change>
std::string refusal(const scratch_file& file, Change change, failure expected = failure::input) {
  {
    const signed_file signed_anew(file.path);
    json description = signed_anew.description();
    change(description);
    signed_anew.describe(description);
  }
  const std::string text = failure_of([&] { read_matrix(file.path); }, expected);
  return text.starts_with(file.path + ": ") ? text.substr(file.path.size() + 2) : text;
}

// ---- spoiling ----

// A size that has no business there, or one near the right one. Rows stay few: a matrix with 2^31 empty ones
// is none to refuse, but its offsets take gigabytes.
std::int64_t strange_size(random_source& random, const std::string& name, std::int64_t right) {
  const std::int64_t many = name == "rows" ? 100'000 : std::numeric_limits<std::int32_t>::max();
  const std::int64_t sizes[] = {-1,
                                0,
                                1,
                                2,
                                3,
                                256,
                                65536,
                                right - 1,
                                right + 1,
                                right * 2,
                                right / 2,
                                many,
                                std::numeric_limits<std::int32_t>::min()};
  return sizes[random.below(std::size(sizes))];
}

template <class T>
void spoil_elements(random_source& random, array<T, host>& elements) {
  const auto pick = [&] {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint32_t>(elements.size())));
  };
  T& element = elements[pick()];
  const T right = element;
  switch (random.below(8)) {
    case 0:
      element = std::numeric_limits<T>::max();
      return;
    case 1:
      element = std::numeric_limits<T>::lowest();
      return;
    case 2:
      element = std::numeric_limits<T>::has_quiet_NaN ? std::numeric_limits<T>::quiet_NaN() : T(1);
      return;
    case 3:
      element = T(0);
      return;
    case 4:
      element = static_cast<T>(right + (right < std::numeric_limits<T>::max() ? T(1) : T(0)));
      return;
    case 5:
      element = static_cast<T>(right - (right > std::numeric_limits<T>::lowest() ? T(1) : T(0)));
      return;
    case 6:
      std::swap(element, elements[pick()]);
      return;
    default:
      element = elements[pick()];
  }
}

template <class T>
void spoil_length(random_source& random, array<T, host>& elements) {
  const std::int64_t length = elements.size();
  const std::int64_t lengths[] = {0, length - 1, length + 1, length / 2, length * 2, length + 7};
  array<T, host> other(std::max<std::int64_t>(0, lengths[random.below(std::size(lengths))]));
  for (std::int64_t i = 0; i < other.size(); ++i) other[i] = i < length ? elements[i] : T(random.below(3));
  elements = std::move(other);
}

// Changes one member of a format.
template <class Format>
void spoil(random_source& random, Format& format) {
  std::uint32_t chosen = random.below(static_cast<std::uint32_t>(Format::member_names.size()));
  for_each_member(format, [&](const char* name, auto& member) {
    if (chosen-- != 0) return;
    using type = std::remove_cvref_t<decltype(member)>;
    if constexpr (!is_array<type>)
      member = static_cast<type>(strange_size(random, name, member));
    else if (member.size() == 0 || random.below(4) == 0)
      spoil_length(random, member);
    else
      spoil_elements(random, member);
  });
}

// What a description can get wrong that no matrix in memory can.
void spoil(random_source& random, json& description) {
  json& sizes = description["parameters"];
  json& arrays = description["arrays"];
  const std::vector<json> strange = {-1,
                                     0,
                                     1,
                                     1.5,
                                     "4",
                                     nullptr,
                                     true,
                                     json::array(),
                                     std::int64_t{1} << 31,
                                     std::int64_t{1} << 62,
                                     std::numeric_limits<std::uint64_t>::max(),
                                     1e300};
  const json& value = strange[random.below(static_cast<std::uint32_t>(strange.size()))];
  const auto size = std::next(sizes.begin(), random.below(static_cast<std::uint32_t>(sizes.size())));
  json& listed = arrays[random.below(static_cast<std::uint32_t>(arrays.size()))];
  switch (random.below(9)) {
    case 0:
      size.value() = value;
      return;
    case 1:
      sizes.erase(size);
      return;
    case 2:
      sizes["another"] = value;
      return;
    case 3:
      listed["length"] = value;
      return;
    case 4:
      listed["type"] = "int64";
      return;
    case 5:
      listed["name"] = "another\n";
      return;
    case 6:
      listed = value;
      return;
    case 7:
      description["format"] = format_names()[random.below(static_cast<std::uint32_t>(format_names().size()))];
      return;
    default:
      description[random.below(2) == 0 ? "offset_bits" : "value_bits"] = random.below(2) == 0 ? 32 : 16;
  }
}

struct verdicts {
  int refused = 0, accepted = 0;
};

// A matrix that is read is one: what is found invalid is refused in a line, the rest makes a CSR that is
// valid.
void read_spoilt(const std::string& path, verdicts& seen) {
  try {
    const stored_matrix back = read_container(path);
    std::visit(
        [&]<class Offset, class Value>(const any_format<Offset, Value, host>& matrix) {
          const std::string problem = find_invalid(matrix);
          CHECK(problem.find('\n') == std::string::npos);
          if (!problem.empty()) {
            ++seen.refused;
            return;
          }
          const any_format<Offset, Value, host> compressed =
              to_csr<openmp, Offset, Value>({}, matrix, nullptr);
          CHECK(find_invalid(compressed) == "");
          ++seen.accepted;
        },
        back);
  } catch (const error& e) {
    CHECK(std::string(e.what()).find('\n') == std::string::npos);
    CHECK((e.category() == failure::input || e.category() == failure::unsupported));
    ++seen.refused;
  }
}

}  // namespace

TEST_CASE("containers give back all formats and types bit for bit") {
  const named_matrix sources[] = {
      {"0x0", 0, 0, {}},
      {"no entries", 7, 9, {}},
      matrix_with_zeros(300, 270, 4000, 3),
      mirrored({"symmetric", 50, 50, {{0, 0, 1}, {0, 30, 0}, {2, 7, 3}, {3, 8, 4}, {4, 9, 5}}}),
      mirrored({"skew-symmetric", 50, 50, {{1, 1, 0}, {0, 30, 0}, {2, 7, 3}, {3, 8, 4}}}, true)};
  const scratch_file file(".h5");
  for (const named_matrix& source : sources)
    for_each_type([&]<class Offset, class Value>() {
      const auto compressed = csr_of<Offset, Value>(source);
      for (const conversion_options& way : ways_to_convert())
        for (const format_kind format : formats_for(compressed)) {
          INFO(source.name << " as " << name_of(format) << ", offset " << sizeof(Offset) << ", value "
                           << sizeof(Value));
          const auto made = from_csr<openmp, Offset, Value>({}, view(compressed), format, way, nullptr);
          write_container(file.path, made);
          const stored_matrix back = read_container(file.path);
          using any = any_format<Offset, Value, host>;
          REQUIRE(std::holds_alternative<any>(back));
          CHECK(same_matrix(std::get<any>(back), made));
          CHECK(find_invalid(std::get<any>(back)) == "");
        }
    });
}

TEST_CASE("sizes of a container that make no sense are named") {
  const auto random = csr_of<std::int32_t, double>(random_matrix("random", 40, 40, 200, 9));
  const auto symmetric = csr_of<std::int32_t, double>(
      mirrored({"symmetric", 40, 40, {{0, 0, 1}, {0, 30, 2}, {2, 7, 3}, {3, 8, 4}}}));
  const auto check = [&](format_kind format, const char* size, std::int64_t value,
                         const std::string& expected) {
    INFO(name_of(format) << ", " << size << " " << value);
    conversion_options way;
    way.max_fill = no_limit;
    const scratch_file file(".h5");
    write_container(file.path, from_csr<openmp, std::int32_t, double>(
                                   {}, view(whole_of(format) ? symmetric : random), format, way, nullptr));
    CHECK(refusal(file, [&](json& description) { description["parameters"][size] = value; }) ==
          "not a valid " + name_of(format) + ": " + expected);
  };
  using kind = format_kind;
  check(kind::gcsb, "window", -1, "window -1 is negative");
  check(kind::gcsb, "dense_blocks", 65536, "dense_blocks is 65536 instead of 0 or 1");
  check(kind::gcsb, "group_size", 65537, "group_size 65537 is outside 1..65536");
  check(kind::gcsb, "group_size", 0, "group_size 0 is outside 1..65536");
  check(kind::gcsb, "filled_blocks", -1, "filled_blocks -1 does not fit 4 blocks");
  check(kind::csb, "dense_blocks", -1, "dense_blocks is -1 instead of 0 or 1");
  for (const kind format : {kind::csb, kind::ecsb, kind::gcsb}) {
    check(format, "order", 3, "order 3 is unknown");
    check(format, "order", -1, "order -1 is unknown");
    check(format, "beta", 8192, "beta 8192 is not a power of two from 2 to 4096");
    check(format, "beta", 24, "beta 24 is not a power of two from 2 to 4096");
  }
  check(kind::ecsb, "holding", 3, "holding 3 is unknown");
  check(kind::ecsb, "width", -1, "the width -1 is negative");
  check(kind::gcsb_tile, "renumbered", 2, "renumbered is 2 instead of 0 or 1");
  check(kind::gcsb_tile, "rest_below", -1, "rest_below -1 is negative");
  check(kind::gcsb_tile, "group_size", 64, "group_size 64 is not a power of two up to 32");
  check(kind::gcsb_tile, "tile_width", 128,
        "the tile shape 256 x 128 is not of powers of two from 256 to 2048");
  check(kind::bsr, "block_rows", 65, "the block shape 65 x 4 is outside 1..64");
  check(kind::sell, "slice", 0, "slice 0 and sigma 1024 must be positive");
  check(kind::sell, "sigma", -1, "slice 32 and sigma -1 must be positive");
  check(kind::ell, "width", -1, "the width -1 is negative");
  check(kind::hyb, "width", -1, "the width -1 is negative");
  check(kind::gcsb_tile_half, "skew", 2, "skew 2 is neither 0 nor 1");
  check(kind::csr_half, "skew", 2, "skew 2 is neither 0 nor 1");
  check(kind::bsr_half, "skew", 1, "row 0 of a skew-symmetric matrix has a value on the diagonal");
  for (const kind format : all_formats()) {
    check(format, "rows", -1, "the shape -1 x 40 is negative");
    check(format, "cols", -1, "the shape 40 x -1 is negative");
  }
}

TEST_CASE("a description says neither more nor less than the matrix has") {
  const auto compressed = csr_of<std::int32_t, double>(random_matrix("random", 40, 40, 200, 9));
  const auto said = [&](auto change, failure expected = failure::input) {
    const scratch_file file(".h5");
    write_container(file.path, from_csr<openmp, std::int32_t, double>({}, view(compressed), format_kind::csr,
                                                                      {}, nullptr));
    return refusal(file, change, expected);
  };
  CHECK(said([](json&) {}) == "");
  const std::string more = "lists more than a matrix in format 'csr' has";
  CHECK(said([](json& d) { d["parameters"]["another"] = 1; }) == more);
  CHECK(said([](json& d) { d["arrays"].push_back(d["arrays"][0]); }) == more);
  CHECK(said([](json& d) {
          d["arrays"].push_back(d["arrays"][0]);
          d["arrays"].back()["name"] = "another";
        }) == more);
  CHECK(said([](json& d) { d["parameters"].erase("cols"); }) == "size cols is missing");
  CHECK(said([](json& d) { d["arrays"].erase(1); }) == "array col_indices is missing");
  CHECK(said([](json& d) { d["arrays"][1]["name"] = "others"; }) == "array col_indices is missing");
  CHECK(said([](json& d) { d["arrays"][1]["type"] = "uint32"; }) == "array col_indices is not of type int32");
  CHECK(said([](json& d) { d["arrays"][1]["length"] = 199; }) ==
        "col_indices has 184 elements instead of 199 (as the metadata say)");
  CHECK(holds(said([](json& d) { d["arrays"][1]["crc32"] = "00000000"; }), "array col_indices is damaged"));
  for (const std::int64_t rows : {std::int64_t{1} << 31, -(std::int64_t{1} << 31) - 1})
    CHECK(said([&](json& d) { d["parameters"]["rows"] = rows; }) ==
          "rows is " + std::to_string(rows) + ", out of range");
  CHECK(said([](json& d) { d["parameters"]["rows"] = 1.5; }) ==
        "'rows' in its description is not an integer");
  CHECK(said([](json& d) { d["parameters"]["rows"] = (std::uint64_t{1} << 62) + 1; }) ==
        "'rows' in its description is 4611686018427387905, far too large");
  using enum failure;
  for (const int version : {0, 2})
    CHECK(said([&](json& d) { d["version"] = version; }, unsupported) ==
          "is a container of version " + std::to_string(version) + ", this program reads 1");
  CHECK(said([](json& d) { d["format"] = "crs"; }, unsupported) ==
        "holds format 'crs', which this program does not know");
  for (const int bits : {16, 0, 128}) {
    CHECK(holds(said([&](json& d) { d["offset_bits"] = bits; }, unsupported),
                "-bit offsets and 64-bit values"));
    CHECK(holds(said([&](json& d) { d["value_bits"] = bits; }, unsupported), "holds 32-bit offsets and "));
  }
  CHECK(said([](json& d) { d["offset_bits"] = 64; }) == "array row_offsets is not of type int64");
  CHECK(said([](json& d) { d["value_bits"] = 32; }) == "array values is not of type float32");
  for (const char* const key : {"version", "format", "offset_bits", "value_bits", "parameters", "arrays"})
    CHECK(holds(said([&](json& d) { d.erase(key); }), "the description of the matrix is not understood"));
  CHECK(holds(said([](json& d) { d["arrays"][0].erase("crc32"); }), "is not understood"));
}

TEST_CASE("what the description was signed with, and how arrays lie") {
  const scratch_file file(".h5");
  const auto made = [&] {
    const auto compressed = csr_of<std::int32_t, double>(random_matrix("random", 40, 40, 200, 9));
    write_container(file.path, from_csr<openmp, std::int32_t, double>({}, view(compressed), format_kind::csr,
                                                                      {}, nullptr));
    return ::H5Fopen(file.path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  };
  const auto said = [&](hid_t id) {
    REQUIRE(::H5Fclose(id) >= 0);
    const std::string text = failure_of([&] { read_container(file.path); });
    return text.starts_with(file.path + ": ") ? text.substr(file.path.size() + 2) : text;
  };
  for (const char* const name : {"sparsmith", "sparsmith_crc32"}) {
    const hid_t id = made();
    ::H5Adelete(id, name);
    CHECK(said(id) ==
          "is HDF5, but neither Binsparse, AnnData nor a Sparsmith container (no attribute 'binsparse' or "
          "'sparsmith')");
  }
  {
    const hid_t id = made();
    ::H5Adelete(id, "sparsmith");
    const hid_t group = ::H5Gcreate2(id, "A", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    const hid_t space = ::H5Screate(H5S_SCALAR);
    ::H5Aclose(::H5Acreate2(group, "OCTAVE_NEW_FORMAT", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT));
    ::H5Sclose(space);
    ::H5Gclose(group);
    REQUIRE(::H5Fclose(id) >= 0);
    CHECK(failure_of([&] { read_container(file.path); }, failure::unsupported) ==
          file.path + ": is HDF5 of GNU Octave, which is not supported; save it with -v7");
  }
  // An attribute that is no text, and one of several.
  for (const hsize_t count : {1, 2})
    for (const bool text : {true, false}) {
      if (text && count == 1) continue;
      const hid_t id = made(), space = ::H5Screate_simple(1, &count, nullptr), type = ::H5Tcopy(H5T_C_S1);
      ::H5Adelete(id, "sparsmith");
      ::H5Aclose(::H5Acreate2(id, "sparsmith", text ? type : H5T_STD_I32LE, space, H5P_DEFAULT, H5P_DEFAULT));
      ::H5Tclose(type);
      ::H5Sclose(space);
      CHECK(said(id) == "attribute sparsmith is not one text");
    }
  // The same array with two dimensions, in chunks, or of the other sign.
  const auto with_array = [&](int rank, bool chunked, hid_t type) {
    const hid_t id = made();
    ::H5Ldelete(id, "col_indices", H5P_DEFAULT);
    const hsize_t extent[2] = {184, 1};
    const hid_t space = rank == 0 ? ::H5Screate(H5S_SCALAR) : ::H5Screate_simple(rank, extent, nullptr);
    const hid_t creation = ::H5Pcreate(H5P_DATASET_CREATE);
    if (chunked) ::H5Pset_chunk(creation, rank, extent);
    const hid_t set = ::H5Dcreate2(id, "col_indices", type, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    const std::vector<std::int32_t> zeros(184);
    ::H5Dwrite(set, H5T_STD_I32LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros.data());
    ::H5Dclose(set);
    ::H5Pclose(creation);
    ::H5Sclose(space);
    return said(id);
  };
  CHECK(with_array(2, false, H5T_STD_I32LE) == "array col_indices is not one-dimensional");
  CHECK(with_array(0, false, H5T_STD_I32LE) == "array col_indices is not one-dimensional");
  CHECK(with_array(1, true, H5T_STD_I32LE) == "array col_indices is not stored contiguously");
  CHECK(with_array(1, false, H5T_STD_U32LE) == "array col_indices is not of type int32");
  CHECK(with_array(1, false, H5T_STD_I32BE) == "array col_indices is not of type int32");
  CHECK(holds(with_array(1, false, H5T_STD_I32LE), "array col_indices is damaged (checksum "));
}

TEST_CASE("sizes of GCSB and eCSB that do not go together are named") {
  const auto compressed = csr_of<std::int32_t, double>(random_matrix("random", 40, 40, 200, 9));
  conversion_options way;
  way.max_fill = no_limit;
  way.blocks.thesis = true;
  way.blocks.holding = ecsb_holding::hybrid;
  const auto made = [&](format_kind format) {
    return from_csr<openmp, std::int32_t, double>({}, view(compressed), format, way, nullptr);
  };
  const scratch_file file(".h5");
  write_container(file.path, made(format_kind::gcsb));
  CHECK(refusal(file, [](json& description) { description["parameters"]["window"] = 3; }) ==
        "not a valid gcsb: window 3 does not go with dense_blocks 1, which sorts all blocks");
  write_container(file.path, made(format_kind::ecsb));
  CHECK(holds(refusal(file, [](json& description) { description["parameters"]["holding"] = 0; }),
              "does not go with holding 0, whose width is 0"));
}

TEST_CASE("a slice of SELL may be far longer than the matrix") {
  sell<std::int32_t, double, host> empty;
  empty.cols = 3;
  empty.rows = 1;
  empty.slice = empty.sigma = std::numeric_limits<std::int32_t>::max();
  empty.row_order = array_of<std::int32_t>({0});
  empty.row_lengths = array_of<std::int32_t>({0});
  empty.slice_offsets = array_of<std::int32_t>({0, 0});
  CHECK(find_invalid(empty) == "");
}

TEST_CASE("containers that are spoilt and signed again") {
  const named_matrix general = matrix_with_zeros(300, 270, 700, 11);
  named_matrix symmetric{"", 300, 300, {}};
  for (std::int32_t i = 0; i < 300; ++i)
    symmetric.entries.push_back({i, std::min(299, i + i % 7), i % 5 - 2.0});
  symmetric = mirrored(symmetric);
  random_source random(42);
  verdicts seen;
  const scratch_file file(".h5");
  set_thread_count(1);  // for a thousand small matrices one after the other
  for_each_type([&]<class Offset, class Value>() {
    for (const format_kind format : all_formats()) {
      const auto compressed = csr_of<Offset, Value>(whole_of(format) ? symmetric : general);
      std::vector<any_format<Offset, Value, host>> right;
      for (const conversion_options& way : ways_to_convert())
        right.push_back(from_csr<openmp, Offset, Value>({}, view(compressed), format, way, nullptr));
      for (int attempt = 0; attempt < 60; ++attempt) {
        INFO(name_of(format) << ", offset " << sizeof(Offset) << ", value " << sizeof(Value) << ", attempt "
                             << attempt);
        auto spoilt = copy_to_host(right[random.below(static_cast<std::uint32_t>(right.size()))]);
        const bool in_memory = attempt % 5 != 0;
        for (std::uint32_t changes = 1 + random.below(3); in_memory && changes > 0; --changes)
          std::visit([&](auto& m) { spoil(random, m); }, spoilt);
        write_container(file.path, spoilt);
        if (!in_memory) {
          const signed_file signed_anew(file.path);
          json description = signed_anew.description();
          spoil(random, description);
          signed_anew.describe(description);
        }
        read_spoilt(file.path, seen);
      }
    }
  });
  set_thread_count(0);
  CHECK(seen.refused > 1000);
  CHECK(seen.accepted > 100);
}
