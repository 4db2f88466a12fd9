// Arrays as NumPy writes them, byte by byte, to be read and to be spoilt.
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>

namespace sparsmith::test {

// The bytes of numbers, as they lie in a little-endian file or reversed for a big-endian one.
template <class T>
std::string raw(std::initializer_list<T> list, bool big_endian = false) {
  std::string out;
  for (const T value : list) {
    std::string one(sizeof(T), '\0');
    std::memcpy(one.data(), &value, sizeof(T));
    if (big_endian) std::reverse(one.begin(), one.end());
    out += one;
  }
  return out;
}

inline std::string npy_with(const std::string& header, const std::string& data) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out.push_back(static_cast<char>(header.size()));
  out.push_back(static_cast<char>(header.size() >> 8));
  return out + header + data;
}

inline std::string npy(const std::string& descr, const std::string& shape, const std::string& data,
                       const char* fortran_order = "False") {
  std::string header;
  header += "{'descr': '" + descr + "', 'fortran_order': " + fortran_order;
  header += ", 'shape': " + shape + ", }\n";
  return npy_with(header, data);
}

}  // namespace sparsmith::test
