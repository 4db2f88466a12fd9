// What is fuzzed: readers, checks and parsers, each as a target that takes any bytes. A target promises more
// than not to crash; where a promise is broken it throws, which libFuzzer takes for a crash and run_files.cpp
// reports. Refusals are `error`s; any other exception is a finding as well.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "convert/formats/formats.hpp"

namespace sparsmith::fuzz {

// Fresh bytes from old ones, at most `longest`. `mutate` is libFuzzer's own mutation, in place: it takes the
// size and the room and gives the new size.
using raw_mutation = std::function<std::size_t(char* bytes, std::size_t size, std::size_t room)>;
using mutation = std::string (*)(std::string before, std::size_t longest, std::uint32_t seed,
                                 const raw_mutation& mutate);

struct target {
  const char* name;
  bool (*run)(std::string_view bytes);  // whether the bytes were accepted
  mutation mutate;                      // null: libFuzzer's own is as good
  std::size_t longest;                  // bytes that are worth trying
};
const std::vector<target>& targets();
const target& target_named(const std::string& name);

struct broken_promise : std::logic_error {
  using std::logic_error::logic_error;
};
inline void promise(bool kept, const std::string& what) {
  if (!kept) throw broken_promise(what);
}

// Examples that are worth starting from; `data` is tests/data.
using seed_visitor =
    std::function<void(const std::string& target, const std::string& name, const std::string& bytes)>;
void make_seeds(const seed_visitor& visit);
// A file goes to the target whose business it is by its name; nothing happens where there is none.
void seeds_from_folder(const std::string& folder, const seed_visitor& visit);

// A format's struct as bytes: which format, which types, then sizes and arrays as it lists them. Bytes that
// end too early are zeros, and lengths are cut to what is there.
std::string encode_format(const any_format<std::int32_t, float, host>& matrix);
std::string encode_format(const any_format<std::int32_t, double, host>& matrix);
std::string encode_format(const any_format<std::int64_t, float, host>& matrix);
std::string encode_format(const any_format<std::int64_t, double, host>& matrix);

// Of rows, columns and values, in any order.
coo<double, host> entries_of(std::int32_t rows, std::int32_t cols,
                             const std::vector<std::array<std::int32_t, 3>>& list);

// A file in the scratch folder that goes with the object. HDF5 wants one with a path.
class scratch_file {
 public:
  explicit scratch_file(std::string_view bytes = {});
  ~scratch_file();
  scratch_file(const scratch_file&) = delete;
  scratch_file& operator=(const scratch_file&) = delete;

  const std::string& path() const { return path_; }
  std::string bytes() const;

 private:
  std::string path_;
};

// A folder of this process, where possible in memory, that goes when the process ends.
const std::string& scratch_folder();

// The most bytes held at once since it was made, by `new` and by the library's arrays, beyond those before.
class memory_watch {
 public:
  memory_watch();
  std::int64_t peak() const;

 private:
  std::int64_t new_before_, arrays_before_;
};

bool run_matrix_market(std::string_view bytes);
bool run_rutherford_boeing(std::string_view bytes);
bool run_edges(std::string_view bytes);
bool run_metis(std::string_view bytes);
bool run_petsc(std::string_view bytes);
bool run_npy(std::string_view bytes);
bool run_matlab(std::string_view bytes);
bool run_gzip(std::string_view bytes);
bool run_npz(std::string_view bytes);
bool run_binsparse(std::string_view bytes);
bool run_matlab_hdf5(std::string_view bytes);
bool run_anndata(std::string_view bytes);
bool run_container(std::string_view bytes);
bool run_archive(std::string_view bytes);
bool run_formats(std::string_view bytes);
bool run_conversion(std::string_view bytes);
bool run_generator(std::string_view bytes);
bool run_options(std::string_view bytes);
bool run_journal(std::string_view bytes);
bool run_result_line(std::string_view bytes);

}  // namespace sparsmith::fuzz
