// Gzip, which every build reads: members one after the other, and what is cut off or damaged.
#include "convert/io/gzip.hpp"

#include <zlib.h>

#include <cstring>

#include "convert/io/archive.hpp"
#include "convert/io/read.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::test;

namespace {

const std::string text = "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 2 0.5\n3 4 -2\n";

std::string packed(std::string content) {
  constexpr int as_gzip = 16;
  z_stream stream{};
  REQUIRE(::deflateInit2(&stream, 9, Z_DEFLATED, MAX_WBITS + as_gzip, 8, Z_DEFAULT_STRATEGY) == Z_OK);
  std::string result(::deflateBound(&stream, content.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(content.data());
  stream.avail_in = static_cast<uInt>(content.size());
  stream.next_out = reinterpret_cast<Bytef*>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
  result.resize(result.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return result;
}

// What comes out, where the bytes go in `step` at a time and are asked for as many at a time.
std::string unpacked(const std::string& bytes, std::size_t step = 1 << 20) {
  const byte_reader reader = gunzip(
      [&bytes, step, at = std::size_t{0}](char* buffer, std::size_t size) mutable {
        const std::size_t count = std::min({size, step, bytes.size() - at});
        std::memcpy(buffer, bytes.data() + at, count);
        at += count;
        return count;
      },
      "m.mtx.gz");
  std::string result(step, '\0'), all;
  for (std::size_t got; (got = reader(result.data(), step)) > 0;) all.append(result, 0, got);
  return all;
}

}  // namespace

TEST_CASE("gzip: one member or several, in portions of any size") {
  const std::string halves = packed(text.substr(0, 20)) + packed("") + packed(text.substr(20));
  for (const std::size_t step : {1, 7, 1000})
    for (const std::string& bytes : {packed(text), halves, halves + std::string(512, '\0')})
      CHECK(unpacked(bytes, step) == text);
  CHECK(unpacked(packed("")) == "");
}

TEST_CASE("gzip that is cut off") {
  const std::string bytes = packed(text);
  for (std::size_t length = 1; length < bytes.size(); ++length)
    CHECK(failure_of([&] { unpacked(bytes.substr(0, length)); }) == "m.mtx.gz: truncated gzip input");
  const std::string second_cut = bytes + bytes.substr(0, bytes.size() - 1);
  CHECK(failure_of([&] { unpacked(second_cut); }) == "m.mtx.gz: truncated gzip input");
}

TEST_CASE("gzip with any byte changed never gives another text") {
  const std::string bytes = packed(text);
  std::size_t refused = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    std::string spoilt = bytes;
    spoilt[i] = static_cast<char>(spoilt[i] ^ 0x10);
    std::string found = text;
    const std::string message = failure_of([&] { found = unpacked(spoilt); });
    CHECK(found == text);  // a changed time stamp, say, changes nothing
    if (message.empty()) continue;
    CHECK(holds(message, "gzip input"));
    ++refused;
  }
  CHECK(refused > bytes.size() - 10);
  CHECK(holds(failure_of([&] { unpacked(bytes + "more"); }), "m.mtx.gz: damaged gzip input"));
}

TEST_CASE("a gzipped Matrix Market file is read, whatever its name") {
  for (const char* suffix : {".mtx.gz", ".mtx"}) {
    const scratch_file file(suffix);
    file.replace(packed(text.substr(0, 50)) + packed(text.substr(50)));
    const matrix_entries m = read_matrix(file.path);
    CHECK(m.entries.rows == 3);
    CHECK(m.entries.cols == 4);
    REQUIRE(m.entries.values.size() == 2);
    CHECK(m.entries.values[1] == -2);
    const std::string bytes = file.bytes();
    file.cut(bytes.size() - 3);
    CHECK(failure_of([&] { read_matrix(file.path); }) == file.path + ": truncated gzip input");
    std::string damaged = bytes;
    damaged[damaged.size() - 5] = static_cast<char>(damaged[damaged.size() - 5] ^ 1);  // of the checksum
    file.replace(damaged);
    CHECK(holds(failure_of([&] { read_matrix(file.path); }), file.path + ": damaged gzip input: "));
  }
}

TEST_CASE("what was looked into is delivered again") {
  for (const std::size_t step : {1, 3, 1000})
    for (const std::size_t asked : {std::size_t{0}, std::size_t{5}, text.size(), text.size() + 9}) {
      const peeked_source source = peek(
          [step, at = std::size_t{0}](char* buffer, std::size_t size) mutable {
            const std::size_t count = std::min({size, step, text.size() - at});
            std::memcpy(buffer, text.data() + at, count);
            at += count;
            return count;
          },
          asked);
      CHECK(source.start == text.substr(0, asked));
      std::string all, part(7, '\0');
      for (std::size_t got; (got = source.read(part.data(), part.size())) > 0;) all.append(part, 0, got);
      CHECK(all == text);
    }
}

TEST_CASE("a gzip stream is written whole, in portions of any size") {
  std::string longer;
  for (int i = 0; i < 200'000; ++i) longer += std::to_string(i * 7919 % 100'003) + "\n";
  REQUIRE(longer.size() > std::size_t{1} << 20);
  for (const std::size_t step : {std::size_t{1000}, longer.size()}) {
    std::string bytes;
    gzip_writer out([&](const char* from, std::size_t size) { bytes.append(from, size); });
    for (std::size_t at = 0; at < longer.size(); at += step)
      out.write(longer.data() + at, std::min(step, longer.size() - at));
    out.finish();
    CHECK(bytes.size() > std::size_t{1} << 18);  // more than its buffer
    CHECK(unpacked(bytes) == longer);
  }
  CHECK(unpacked(packed(text) + std::string(70'000, '\0')) ==
        text);  // padding longer than what is read at once
}

TEST_CASE("archives are known by their first bytes") {
  using namespace std::string_view_literals;
  for (const auto& [start, kind] : {std::pair("BZh"sv, ".bz2"sv), std::pair("\xfd\x37zXZ\0"sv, ".xz"sv),
                                    std::pair("\x28\xb5\x2f\xfd"sv, ".zst"sv),
                                    std::pair("PK\3\4"sv, ".zip"sv), std::pair("PK\5\6"sv, ".zip"sv)}) {
    CHECK(archive_kind(start) == kind);
    CHECK(archive_kind(std::string(start) + "more") == kind);
    CHECK(archive_kind(start.substr(0, start.size() - 1)) == "");
    CHECK(archive_kind("x" + std::string(start)) == "");
  }
  CHECK(archive_kind(std::string(257, 'x') + "ustar") == ".tar");
  CHECK(archive_kind(std::string(257, 'x') + "usta") == "");
  CHECK(archive_kind(std::string(256, 'x') + "ustar") == "");
  CHECK(archive_kind(std::string(258, 'x') + "ustar") == "");
  CHECK(archive_kind("") == "");
}
