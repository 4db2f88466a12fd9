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

// As sha256sum says for these bytes: what ends just before, at and behind the places where the length goes.
TEST_CASE("lengths around the end of a block") {
  const std::pair<std::size_t, const char*> known[] = {
      {1, "dabd3aff769f07eb2965401eb029974ebba3407afd02b26ddb564ea5f8efae72"},
      {54, "b7611c1f19e136258f8c4c1f420b827009567eb0b7e05518b09686d16f6a2cc8"},
      {55, "3ca61aefed89811cfdd5fc5a131c73250d6d556ad6e379e98fc0a748dc6c712e"},
      {56, "23b83c1957dcbf2cc769ea265de2496d530679398ab1eaee60ed3a9924952961"},
      {57, "b2914ff5669aa8cceb7d3b50b72ac4a85fab8ece8ade05c063437b6f61666594"},
      {63, "1b1e8a91273dfa48857490c590e219ed7a3b4a5a2529f8f140c690314d866d5a"},
      {64, "bcaa0c51106feb59b9a6709083e54b7744602caa23c59224ebb4651341e64fc3"},
      {65, "15e8208179c167a401c50467c80c0bd0233654a32121a7e5b9cde0b11838c851"},
      {118, "14b0f37a273f0b99ddc1693fb7df94623abdddec8218dc601b46a5861a2b65ca"},
      {119, "55b8889b7b401119a0ed41e4921e19e80d1049706cfd324ab94ef43661dea8d3"},
      {120, "58c38515ed433007ba44b2a5b8d3fa3b0f35e315597f5e1c6f18ac30e1b179aa"},
      {121, "5cd1d14e92d9975df43f454beb3b6eecf4ca5edcc34e7f3a9624c0b3cdb9764b"},
      {127, "14617813621f74c970d106b72c6e6fba42e465f84f96e9b270c41c730d36cf1e"},
      {128, "0108579a848fdb772ca53f2fa3534254cceace8af8c1c3718121409ca1acc7c3"},
      {129, "9f49c6609791d462b58f1a9c948397c3c35cd9de7c796b9e837df3a368de3c20"},
      {4096, "28c74f56d2c959955f64ec0e740be7d08a023a0abf032c257e8ef7586a6bb775"}};
  for (const auto& [length, digits] : known) {
    CAPTURE(length);
    CHECK(sha256_of(bytes(length)) == digits);
  }
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
