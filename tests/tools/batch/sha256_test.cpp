// SHA-256 against the examples of its standard, and pieces of every size against the whole.
#include "tools/batch/sha256.hpp"

#include "tests/catch.hpp"

using namespace sparsmith;

namespace {

std::string in_pieces(const std::string& text, std::size_t piece) {
  sha256 hash;
  for (std::size_t at = 0; at < text.size(); at += piece) hash.add(std::string_view(text).substr(at, piece));
  return hash.hex();
}

// Bytes of every value, in no order that a block of 64 would repeat.
std::string bytes(std::size_t count) {
  std::string text;
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    text += static_cast<char>(state >> 24);
  }
  return text;
}

}  // namespace

TEST_CASE("the examples of the standard") {
  CHECK(sha256_of("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_of("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_of(
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrs"
            "mnopqrstnopqrstu") == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
  CHECK(sha256_of(std::string(1'000'000, 'a')) ==
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("it does not matter in which pieces the bytes come") {
  for (std::size_t length = 0; length <= 200; ++length) {
    const std::string text = bytes(length), whole = sha256_of(text);
    CHECK(whole.size() == 64);
    for (const std::size_t piece : {1, 3, 55, 56, 63, 64, 65, 127, 128, 129}) {
      CAPTURE(length, piece);
      CHECK(in_pieces(text, piece) == whole);
    }
  }
  // Two pieces, cut at every place; an empty one changes nothing.
  const std::string text = bytes(193), whole = sha256_of(text);
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    sha256 hash;
    hash.add(text.substr(0, cut));
    hash.add("");
    hash.add(text.substr(cut));
    CAPTURE(cut);
    CHECK(hash.hex() == whole);
  }
}
