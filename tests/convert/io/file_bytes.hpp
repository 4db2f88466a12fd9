// What the tests of binary files share: scratch files, their bytes, and matrices with every value that is
// easily lost on the way (NaN with its payload, negative zero, stored zeros, denormals).
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <bit>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include "convert/error.hpp"
#include "convert/formats/formats.hpp"

namespace sparsmith::test {

// Not by operator+, about which g++ 12 warns wrongly (its bug 105651).
inline std::string joined(std::initializer_list<std::string> parts) {
  std::string whole;
  for (const std::string& part : parts) whole += part;
  return whole;
}

// A path in the temporary directory that is gone when the test is over.
class scratch_file {
 public:
  explicit scratch_file(const std::string& suffix) {
    static int count = 0;
    const std::string name =
        joined({"sparsmith_", std::to_string(::getpid()), "_", std::to_string(count++), suffix});
    path = (std::filesystem::temp_directory_path() / name).string();
  }
  ~scratch_file() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  std::string bytes() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  // In place: a file that is cut off and rewritten is flushed to the disk each time, which takes ages.
  void put(std::size_t at, char byte) const {
    std::fstream(path, std::ios::binary | std::ios::in | std::ios::out)
        .seekp(static_cast<std::streamoff>(at))
        .put(byte);
  }
  void cut(std::size_t length) const { std::filesystem::resize_file(path, length); }
  void replace(const std::string& bytes) const {
    std::ofstream(path, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  std::string path;
};

// Lets no file grow beyond a size while it lives, so that writing fails as on a full disk.
class small_disk {
 public:
  explicit small_disk(rlim_t bytes) : signal_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit now = before_;
    now.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &now);
  }
  ~small_disk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, signal_);
  }
  small_disk(const small_disk&) = delete;
  small_disk& operator=(const small_disk&) = delete;

 private:
  void (*signal_)(int);
  rlimit before_{};
};

// What the failure of an action says, or nothing where it does not fail.
template <class Action>
std::string failure_of(Action action, failure expected = failure::input) {
  try {
    action();
  } catch (const error& e) {
    return e.category() == expected ? e.what() : std::string("wrong category: ") + e.what();
  }
  return "";
}

// Spoils a good file in every way that touches one byte, then cuts it shorter and shorter; `attempt(what)`
// reads it.
template <class Attempt>
void spoil_every_byte(const scratch_file& file, Attempt attempt) {
  const std::string good = file.bytes();
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const int flip : {0xff, 0x01, 0x80}) {
      file.put(i, static_cast<char>(good[i] ^ flip));
      attempt(joined({"byte ", std::to_string(i), " changed by ", std::to_string(flip)}));
    }
    file.put(i, good[i]);
  }
  for (std::size_t length = good.size(); length-- > 0;) {
    file.cut(length);
    attempt(joined({"cut to ", std::to_string(length), " bytes"}));
  }
}

inline bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

template <class T>
array<T, host> array_of(std::initializer_list<T> list) {
  array<T, host> a(static_cast<std::int64_t>(list.size()));
  std::copy(list.begin(), list.end(), a.begin());
  return a;
}

template <class V>
array<V, host> awkward_values() {
  using bits = std::conditional_t<sizeof(V) == 4, std::uint32_t, std::uint64_t>;
  const V odd_nan =
      std::bit_cast<V>(static_cast<bits>(std::bit_cast<bits>(std::numeric_limits<V>::quiet_NaN()) | 5u));
  return array_of<V>({odd_nan, V(-0.0), V(0), std::numeric_limits<V>::denorm_min(),
                      -std::numeric_limits<V>::infinity(), V(0.1)});
}

//      .  NaN  .   -0
//      .   .   .    .
//      0  den -inf  .
//      .   .   .   0.1
//      .   .   .    .
template <class O, class V>
csr<O, V, host> small_csr() {
  csr<O, V, host> f;
  f.rows = 5;
  f.cols = 4;
  f.row_offsets = array_of<O>({0, 2, 2, 5, 6, 6});
  f.col_indices = array_of<std::int32_t>({1, 3, 0, 1, 2, 3});
  f.values = awkward_values<V>();
  return f;
}

// The same arrays read the other way: the transpose.
template <class O, class V>
csc<O, V, host> small_csc() {
  csr<O, V, host> t = small_csr<O, V>();
  csc<O, V, host> f;
  f.rows = 4;
  f.cols = 5;
  f.col_offsets = std::move(t.row_offsets);
  f.row_indices = std::move(t.col_indices);
  f.values = std::move(t.values);
  return f;
}

template <class V>
coo<V, host> small_coo() {
  coo<V, host> f;
  f.rows = 5;
  f.cols = 4;
  f.row_indices = array_of<std::int32_t>({0, 0, 2, 2, 2, 3});
  f.col_indices = array_of<std::int32_t>({1, 3, 0, 1, 2, 3});
  f.values = awkward_values<V>();
  return f;
}

}  // namespace sparsmith::test
