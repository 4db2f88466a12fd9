// Checksums and directories put right after bytes were changed, so that what lies behind them is reached.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/fuzz.hpp"

namespace sparsmith::fuzz {

// ---- gzip ----
std::string packed_gzip(const std::string& text, int level);
std::string unpacked_gzip(const std::string& bytes, std::size_t longest);  // as far as it goes
// Checksum and length at the end of the first member.
void sign_gzip(std::string& bytes);

// ---- zip ----
struct zip_content {
  std::string name, content;
  bool deflated = false;
};
std::string packed_zip(const std::vector<zip_content>& members, bool zip64 = false);
std::vector<zip_content> unpacked_zip(const std::string& bytes, std::size_t longest);  // what can be had
// The checksums of all members that the directory lists, in it and in front of them.
void sign_zip(std::string& bytes);

// ---- MAT-files ----
std::string packed_zlib(const std::string& text, int level);

// ---- tar ----
void sign_tar(std::string& bytes);

// ---- HDF5 ----
// What was signed in a file, found by trying: HDF5's own structures (Jenkins' lookup3), and the arrays and
// the description of our container (CRC-32 as text). Changes that keep the length can be signed again.
class hdf5_signatures {
 public:
  explicit hdf5_signatures(const std::string& signed_bytes);
  bool holds_for(const std::string& bytes) const;
  void sign(std::string& changed) const;
  // Which bytes are not HDF5's own structures but what is kept in them: texts that describe a matrix, and
  // arrays. Of a file whose structures are not signed, only the texts are known.
  std::vector<bool> content_of(const std::string& bytes) const;
  std::size_t count() const { return structures_.size() + arrays_.size() + texts_.size(); }

 private:
  struct range {
    std::size_t begin, end;  // what is signed
    std::size_t at;          // where the signature is
  };
  std::vector<range> arrays_, texts_, structures_;  // the later sign the earlier
};

std::uint32_t lookup3(std::string_view bytes);

// ---- mutations of targets ----
std::string mutate_gzip(std::string before, std::size_t longest, std::uint32_t seed,
                        const raw_mutation& mutate);
std::string mutate_zip(std::string before, std::size_t longest, std::uint32_t seed,
                       const raw_mutation& mutate);
std::string mutate_matlab(std::string before, std::size_t longest, std::uint32_t seed,
                          const raw_mutation& mutate);
std::string mutate_hdf5(std::string before, std::size_t longest, std::uint32_t seed,
                        const raw_mutation& mutate);
std::string mutate_archive(std::string before, std::size_t longest, std::uint32_t seed,
                           const raw_mutation& mutate);

}  // namespace sparsmith::fuzz
