// SHA-256 by OpenSSL, so that what identifies a matrix can be checked with any sha256sum.
#pragma once

#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace sparsmith {

class sha256 {
 public:
  sha256();
  void add(std::string_view bytes);
  std::string hex();  // 64 digits; nothing may be added after it

 private:
  std::shared_ptr<evp_md_ctx_st> context_;
};

std::string sha256_of(std::string_view bytes);

}  // namespace sparsmith
