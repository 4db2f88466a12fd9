// SHA-256 (FIPS 180-4), so that what identifies a matrix can be checked with any sha256sum.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace sparsmith {

class sha256 {
 public:
  void add(std::string_view bytes);
  std::string hex();  // 64 digits; nothing may be added after it

 private:
  void add_block(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> waiting_ = {};  // bytes that do not fill a block yet
  std::uint64_t bytes_ = 0;
};

std::string sha256_of(std::string_view bytes);

}  // namespace sparsmith
