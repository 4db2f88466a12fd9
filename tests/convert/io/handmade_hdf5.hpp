// HDF5 files put together by hand, right or wrong.
#pragma once

#include <hdf5.h>

#include <functional>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include "tests/convert/io/file_bytes.hpp"

// HDF5 does not free all it held when it meets a broken file. Only the leak checker of -fsanitize=address
// asks.
extern "C" __attribute__((weak)) const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}

namespace sparsmith::test {

// As in the reader and writer, here for files put together by hand before those have run.
[[maybe_unused]] const herr_t no_exit_handler = ::H5dont_atexit();

class handmade_hdf5 {
 public:
  // With a user block the first bytes of the file are left to others.
  explicit handmade_hdf5(const char* suffix, hsize_t user_block = 0) : file_(suffix) {
    const hid_t creation = ::H5Pcreate(H5P_FILE_CREATE);
    ::H5Pset_userblock(creation, user_block);
    id_ = ::H5Fcreate(file_.path.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    ::H5Pclose(creation);
    places_.push_back(::H5Gopen2(id_, "/", H5P_DEFAULT));
  }
  handmade_hdf5(const handmade_hdf5&) = delete;
  handmade_hdf5& operator=(const handmade_hdf5&) = delete;
  ~handmade_hdf5() { close(); }

  // A group in the one that is entered, and back out of it.
  void enter(const char* group) {
    places_.push_back(::H5Gcreate2(place(), group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  }
  void leave() {
    ::H5Gclose(places_.back());
    places_.pop_back();
  }
  // Where further things can be put by hand.
  hid_t place() const { return places_.back(); }

  // `further` gets the array while it is open.
  template <class T>
  void array(const char* name, hid_t stored, hid_t memory, std::initializer_list<T> list,
             std::vector<hsize_t> extents, bool chunked = false,
             const std::function<void(hid_t)>& further = {}) {
    const hid_t space = ::H5Screate_simple(static_cast<int>(extents.size()), extents.data(), nullptr);
    const hid_t creation = ::H5Pcreate(H5P_DATASET_CREATE);
    if (chunked) {
      const std::vector<hsize_t> chunk(extents.size(), 2);
      ::H5Pset_chunk(creation, static_cast<int>(chunk.size()), chunk.data());
      ::H5Pset_deflate(creation, 6);
    }
    const hid_t set = ::H5Dcreate2(place(), name, stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
    if (list.size() > 0) ::H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, std::data(list));
    if (further) further(set);
    ::H5Dclose(set);
    ::H5Pclose(creation);
    ::H5Sclose(space);
  }

  static void put_text(hid_t at, const char* name, const std::string& text, bool variable = false) {
    const hid_t type = ::H5Tcopy(H5T_C_S1);
    ::H5Tset_size(type, variable ? H5T_VARIABLE : text.size());
    ::H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t space = ::H5Screate(H5S_SCALAR);
    const hid_t attribute = ::H5Acreate2(at, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    const char* pointer = text.c_str();
    ::H5Awrite(attribute, type, variable ? static_cast<const void*>(&pointer) : pointer);
    ::H5Aclose(attribute);
    ::H5Sclose(space);
    ::H5Tclose(type);
  }
  static void put_numbers(hid_t at, const char* name, std::initializer_list<std::int64_t> list) {
    const hsize_t length = list.size();
    const hid_t space = ::H5Screate_simple(1, &length, nullptr);
    const hid_t attribute = ::H5Acreate2(at, name, H5T_STD_U64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    ::H5Awrite(attribute, H5T_NATIVE_INT64, std::data(list));
    ::H5Aclose(attribute);
    ::H5Sclose(space);
  }

  const std::string& path() {
    close();
    return file_.path;
  }
  const scratch_file& file() const { return file_; }

 private:
  void close() {
    while (!places_.empty()) leave();
    if (id_ >= 0) ::H5Fclose(id_);
    id_ = -1;
  }
  scratch_file file_;
  hid_t id_ = -1;
  std::vector<hid_t> places_;
};

}  // namespace sparsmith::test
