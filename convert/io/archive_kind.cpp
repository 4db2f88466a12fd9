#include <utility>

#include "convert/io/archive.hpp"

namespace sparsmith {

std::string_view archive_kind(std::string_view start) {
  using namespace std::string_view_literals;
  constexpr std::pair<std::string_view, std::string_view> signatures[] = {{"BZh"sv, ".bz2"sv},
                                                                          {"\xfd\x37zXZ\0"sv, ".xz"sv},
                                                                          {"\x28\xb5\x2f\xfd"sv, ".zst"sv},
                                                                          {"PK\3\4"sv, ".zip"sv},
                                                                          {"PK\5\6"sv, ".zip"sv}};
  for (const auto& [signature, kind] : signatures)
    if (start.starts_with(signature)) return kind;
  constexpr std::size_t tar_signature_at = 257;
  if (start.size() > tar_signature_at && start.substr(tar_signature_at).starts_with("ustar"sv))
    return ".tar"sv;
  return {};
}

}  // namespace sparsmith
