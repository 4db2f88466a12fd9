#include "tools/batch/sha256.hpp"

#include <fmt/format.h>
#include <openssl/evp.h>

#include "convert/error.hpp"

namespace sparsmith {
namespace {

void require(bool worked) {
  if (!worked) throw error(failure::unsupported, "OpenSSL on this machine refuses SHA-256");
}

}  // namespace

sha256::sha256() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  require(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void sha256::add(std::string_view bytes) {
  require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string sha256::hex() {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int count = 0;
  require(EVP_DigestFinal_ex(context_.get(), digest, &count) == 1);
  std::string digits;
  for (unsigned int i = 0; i < count; ++i) digits += fmt::format("{:02x}", digest[i]);
  return digits;
}

std::string sha256_of(std::string_view bytes) {
  sha256 hash;
  hash.add(bytes);
  return hash.hex();
}

}  // namespace sparsmith
