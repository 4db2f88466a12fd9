// One array as NumPy writes it (.npy): what its head says, and its elements from front to back, converted a
// buffer at a time on the way to where they belong, so that neither side ever holds a second copy. And a file
// of such an array, dense, as a matrix.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "convert/error.hpp"
#include "convert/io/matrix_market.hpp"

namespace sparsmith {

// Where the bytes of an array come from: a member of an archive, or a file, a pipe, what gzip unpacks.
class npy_bytes {
 public:
  virtual ~npy_bytes() = default;
  // How many are left, where that is known before they are read.
  virtual std::optional<std::uint64_t> remaining() const = 0;
  // Fills `to` and returns `size`, or less where the bytes end.
  virtual std::size_t read(void* to, std::size_t size) = 0;
  // After the last element, or where one is refused: throws where the bytes are damaged. Says whether more
  // bytes followed.
  virtual bool finish() = 0;
};

// Read once from front to back.
class npy_array {
 public:
  // `path` and `name` are for messages; a file that is one array has no other name.
  npy_array(std::string path, std::string name, std::unique_ptr<npy_bytes> bytes);

  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t count() const { return count_; }
  bool fortran_order() const { return fortran_order_ && shape_.size() > 1; }
  bool is_object() const { return kind_ == 'O'; }
  bool is_single() const { return (kind_ == 'f' && size_ == 4) || (kind_ == 'c' && size_ == 8); }
  bool is_complex() const { return kind_ == 'c' && (size_ == 8 || size_ == 16); }

  // As matrix_entries has it.
  const char* field() const { return is_complex() ? "complex" : kind_ == 'f' ? "real" : "integer"; }

  void expect_rank(std::size_t rank) const;

  // Calls visit(position, integer) for every element in the order of the file. Ends with the check of the
  // bytes, and lets that have the last word where a visit finds something wrong.
  template <class Visit>
  void for_each_integer(Visit visit) {
    require_integers();
    for_each<std::int64_t>([this](std::int64_t count, std::int64_t* to) { take(count, to); }, visit);
  }

  // The same for values; integers that a double does not hold exactly are counted.
  template <class Visit>
  void for_each_value(std::int64_t& rounded, Visit visit) {
    for_each<double>([&](std::int64_t count, double* to) { rounded += take(count, to); }, visit);
  }

  // The same with visit(position, real part, imaginary part), which is 0 where values are not complex. Of
  // complex ones whose places alone are asked for, those that are not 0 are 1.
  template <class Visit>
  void for_each_pair(complex_values if_complex, std::int64_t& rounded, Visit visit) {
    if (!is_complex())
      return for_each_value(rounded, [&](std::int64_t i, double value) { visit(i, value, 0.0); });
    split_complex(if_complex);
    double real = 0;
    for_each_value(rounded, [&](std::int64_t i, double part) {
      if (i % 2 == 0)
        real = part;
      else if (if_complex == complex_values::keep)
        visit(i / 2, real, part);
      else
        visit(i / 2, real != 0 || part != 0 ? 1.0 : 0.0, 0.0);
    });
  }

  // Reads complex numbers as twice as many real ones; positions then count those.
  void split_complex(complex_values if_complex);

  // The one string in the array, from bytes or from characters of four bytes.
  std::string text();

 private:
  static constexpr std::int64_t buffer_bytes = 256 << 10;

  template <class Element, class Take, class Visit>
  void for_each(Take take_some, Visit visit) {
    require_readable();
    const std::int64_t most = buffer_bytes / size_;
    stored_.resize(static_cast<std::size_t>(buffer_bytes));
    std::vector<Element> elements(static_cast<std::size_t>(most));
    try {
      for (std::int64_t first = 0; first < count_; first += most) {
        const std::int64_t count = count_ - first < most ? count_ - first : most;
        take_some(count, elements.data());
        for (std::int64_t i = 0; i < count; ++i) visit(first + i, elements[static_cast<std::size_t>(i)]);
      }
    } catch (const error&) {
      bytes_->finish();
      throw;
    }
    finish();
  }

  void take(std::int64_t count, std::int64_t* to);
  std::int64_t take(std::int64_t count, double* to);
  void fill(std::int64_t count);
  void finish();
  void require_integers() const;
  void require_readable() const;
  void read_header();
  void read_head(void* to, std::size_t size);
  std::string subject() const { return name_.empty() ? "the array" : name_; }
  [[noreturn]] void refuse_type() const;
  [[noreturn]] void damaged(const std::string& what) const;

  std::string path_;
  std::string name_;
  std::unique_ptr<npy_bytes> bytes_;
  std::string descr_;
  char kind_ = '\0';
  std::int64_t size_ = 0;
  bool swapped_ = false;
  bool fortran_order_ = false;
  std::vector<std::int64_t> shape_;
  std::int64_t count_ = 0;
  std::vector<unsigned char> stored_;
};

bool is_npy(std::string_view start);

// A matrix that numpy.save wrote: zeros are no entries, as in every dense array, and of arrays with complex
// values the pattern can be read. Read once, from whatever the bytes come from; memory grows with the entries
// that are found, and not with what the shape promises.
matrix_entries read_npy(const text_source& source, const progress_callback& progress = {},
                        complex_values if_complex = complex_values::refuse);

}  // namespace sparsmith
