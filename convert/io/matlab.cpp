// A variable is an array: flags, sizes, a name and then numbers, or the fields of a struct. Which matrix is
// meant is only known at the end, and the file is read once: the best one so far is kept, and what is wrong
// with it.
#include "convert/io/matlab.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "convert/io/bounds.hpp"
#include "convert/io/growing_array.hpp"
#include "convert/io/matlab_elements.hpp"
#include "convert/io/matlab_variables.hpp"

namespace sparsmith {
namespace {

using namespace matlab;

// What an array is to MATLAB; whole numbers are stored in fewer bytes than their class has.
enum array_class : std::uint32_t {
  struct_class = 2,
  sparse_class = 5,
  double_class = 6,
  single_class = 7,
  int8_class = 8,
  uint64_class = 15,
  opaque_class = 17
};
constexpr std::array<const char*, 18> class_names = {
    "nothing", "cell",  "struct", "object", "char",   "sparse", "double", "single",   "int8",
    "uint8",   "int16", "uint16", "int32",  "uint32", "int64",  "uint64", "function", "object"};

std::string as_text(const std::vector<std::int64_t>& sizes) {
  return fmt::format("{}", fmt::join(sizes, " x "));
}

constexpr std::uint64_t longest_name = 4096;

// What an array says before its content.
struct array_head {
  std::uint32_t kind = 0;
  bool logical = false, complex = false;
  std::vector<std::int64_t> sizes;
  std::string name;

  bool is_sparse() const { return kind == sparse_class; }
  bool is_full() const { return kind >= double_class && kind <= uint64_class; }
  bool is_matrix() const { return (is_sparse() || is_full()) && sizes.size() == 2; }
  bool has_single_element() const {
    return std::all_of(sizes.begin(), sizes.end(), [](std::int64_t n) { return n == 1; });
  }
  matlab_variable described(const std::string& path) const {
    return {path,
            !is_matrix()  ? matlab_kind::other
            : is_sparse() ? matlab_kind::sparse
                          : matlab_kind::full,
            logical && is_full()        ? "logical"
            : kind < class_names.size() ? class_names[kind]
                                        : fmt::format("class {}", kind),
            sizes};
  }
};

class reader {
 public:
  reader(const text_source& source, const std::string& variable, const progress_callback& progress,
         complex_values if_complex)
      : source_(source), if_complex_(if_complex), file_(source, progress), choice_(variable) {}

  matrix_entries read() {
    while (!done_ && read_variable()) continue;
    if (source_.total_bytes == 0) file_.drain();  // it is packed, or a pipe
    choice_.require_one(source_.name);
    if (refusal_) throw error(*refusal_);
    if (choice_.was_a_choice()) kept_.note = printable_name(kept_path_) + " was read";
    return std::move(kept_);
  }

 private:
  // Reads one; false at the end of the file.
  bool read_variable() {
    const auto variable = file_.next_variable();
    if (!variable) return false;
    if (variable->type == packed) {
      read_packed(variable->bytes);
    } else if (variable->type == of_array) {
      extent content{variable->bytes};
      read_array(content, 0);
      if (!done_) file_.skip(content, content.left);
    } else {
      refuse_input(source_.name,
                   fmt::format("an element of type {} is where a variable should begin", variable->type));
    }
    return true;
  }

  // Nothing of what is used is believed without its checksum, which has the last word where something is
  // wrong.
  void read_packed(std::uint64_t packed_bytes) {
    file_.unpack(packed_bytes);
    used_ = false;
    extent tag{8};
    const auto type = file_.take_number<std::uint32_t>(tag), bytes = file_.take_number<std::uint32_t>(tag);
    if (type != of_array) file_.refuse(fmt::format("is of type {}, which is no array", type));
    const std::uint64_t whole = std::uint64_t{bytes} + 8;
    try {
      extent content{bytes};
      read_array(content, 0);
    } catch (const error&) {
      file_.check_packed(whole);
      throw;
    }
    if (used_) file_.check_packed(whole);
    file_.pass_packed();
  }

  array_head read_head(extent& in) {
    const element flags = file_.next_element(in);
    if (flags.type != of_uint32 || flags.bytes != 8)
      file_.refuse("does not begin with the flags of an array");
    const auto word = file_.take_number<std::uint32_t>(in);
    file_.skip(in, 4);  // how many entries a sparse matrix has room for
    array_head head;
    head.kind = word & 0xff;
    head.logical = (word >> 9 & 1) != 0;
    head.complex = (word >> 11 & 1) != 0;
    if (head.kind != opaque_class) {  // which have no sizes
      const element sizes = file_.next_element(in);
      constexpr std::int64_t most_dimensions = 64;
      if ((sizes.type != of_int32 && sizes.type != of_uint32) || sizes.bytes % 4 != 0 || sizes.count() < 2 ||
          sizes.count() > most_dimensions)
        file_.refuse("has no sizes that make sense");
      file_.each_block(in, sizes, sizes.count(), [&](std::int64_t, const auto* numbers, std::int64_t count) {
        for (std::int64_t i = 0; i < count; ++i) head.sizes.push_back(index_from(numbers[i]));
      });
      for (const std::int64_t size : head.sizes)
        if (size < 0) file_.refuse(fmt::format("has sizes below zero ({})", as_text(head.sizes)));
    }
    head.name = file_.take_text(in, "a name", longest_name);
    return head;
  }

  // The rest of what is in it may stay unread. Fields are named by the struct that they are in.
  void read_array(extent& in, int depth) {
    const array_head head = read_head(in);
    // Without a name at the top are data of MATLAB's own, for what is no array.
    if (depth == 0 && head.name.empty()) return;
    if (depth == 0) file_.set_path(head.name);
    constexpr int deepest = 16;
    if (head.kind == struct_class && head.has_single_element() && depth < deepest)
      return read_fields(in, depth);
    const auto answer = choice_.offer(head.described(file_.path()));
    if (answer == matlab_choice::answer::passed_over) return;
    kept_ = {};  // of several nobody wants the first
    refusal_.reset();
    if (answer == matlab_choice::answer::meant) keep(head, in);
  }

  void read_fields(extent& in, int depth) {
    const std::string path = file_.path();
    const element size = file_.next_element(in);
    if ((size.type != of_int32 && size.type != of_uint32) || size.bytes != 4)
      file_.refuse("does not say how long the names of its fields are");
    const auto length = file_.take_number<std::uint32_t>(in);
    file_.skip(in, size.padding);
    if (length > longest_name) file_.refuse(fmt::format("has names of {} bytes for its fields", length));
    constexpr std::uint64_t most_fields = 100000;
    const std::string names =
        file_.take_text(in, "names of fields", std::max<std::uint64_t>(length, 1) * most_fields);
    if (names.empty()) return;
    if (length == 0 || names.size() % length != 0)
      file_.refuse(fmt::format("has {} bytes of names that are {} bytes long", names.size(), length));
    for (std::size_t at = 0; at < names.size() && !done_; at += length) {
      const std::string_view name(names.data() + at, length);
      file_.set_path(path + "." + std::string(name.substr(0, name.find('\0'))));
      const auto type = file_.take_number<std::uint32_t>(in);
      extent content{file_.take_number<std::uint32_t>(in)};
      if (type != of_array) file_.refuse(fmt::format("is of type {}, which is no array", type));
      if (content.left > in.left) file_.refuse("is longer than the struct that it is in");
      in.left -= content.left;
      if (content.left == 0) continue;  // a field that was never set
      read_array(content, depth + 1);
      if (!done_) file_.skip(content, content.left);
    }
    file_.set_path(path);
  }

  // What is wrong with it is only said where nothing better follows.
  void keep(const array_head& head, extent& in) {
    used_ = true;
    kept_path_ = file_.path();
    try {
      if (head.complex && if_complex_ == complex_values::refuse)
        refuse_unsupported(source_.name,
                           printable_name(file_.path()) + " is complex, which is not supported yet");
      if (head.is_sparse())
        read_sparse(head, in);
      else
        read_full(head, in);
      if (in.left > 0) file_.refuse(fmt::format("has {} bytes behind its values", in.left));
    } catch (const error& problem) {
      refusal_ = problem;
      kept_ = {};
    }
    done_ = choice_.is_certain();
  }

  // ---- matrices ----

  element next_numbers(extent& in, const char* what, bool whole) {
    const element e = file_.next_element(in);
    if (size_of(e.type) == 0 || (whole && (e.type == of_single || e.type == of_double)))
      file_.refuse(
          fmt::format("has {} of type {}, which are no {}numbers", what, e.type, whole ? "whole " : ""));
    return e;
  }
  void require_whole(const element& e, const char* what) const {
    if (e.bytes % size_of(e.type) != 0)
      file_.refuse(fmt::format("has {} in {} bytes, of which each has {}", what, e.bytes, size_of(e.type)));
  }

  bool places_only(const array_head& head) const {
    return head.complex && if_complex_ != complex_values::keep;
  }

  void note_type(const array_head& head, const element& values) {
    const bool whole = head.logical || (head.kind >= int8_class && head.kind <= uint64_class);
    kept_.field = head.complex ? "complex" : whole ? "integer" : "real";
    kept_.single_precision = kept_.field != "integer" && !places_only(head) &&
                             (head.is_sparse() ? values.type == of_single : head.kind == single_class);
  }

  void read_shape(const array_head& head) {
    const std::string name = source_.name + ": " + printable_name(file_.path());
    kept_.entries.rows = checked_dimension(name, "rows", head.sizes[0]);
    kept_.entries.cols = checked_dimension(name, "columns", head.sizes[1]);
    kept_.origin = head.is_sparse() ? "MATLAB 5 sparse" : "MATLAB 5 full";
  }

  template <class Number>
  double value_of(Number number, bool logical) {
    return logical ? (number != 0 ? 1.0 : 0.0) : value_from(number, kept_.rounded_values);
  }

  void read_sparse(const array_head& head, extent& in) {
    read_shape(head);
    const std::string where = source_.name + ": " + printable_name(file_.path());
    const std::int32_t rows = kept_.entries.rows, cols = kept_.entries.cols;

    // There may be more rows than entries, and what the rest holds means nothing.
    const element ir = next_numbers(in, "rows", true);
    require_whole(ir, "rows");
    const std::int64_t room = ir.count();
    growing_array<std::int32_t> row_indices, col_indices;
    std::int64_t first_outside = room, outside = 0;
    row_indices.reserve(file_.likely(ir, room));
    file_.each_block(in, ir, room, [&](std::int64_t first, const auto* numbers, std::int64_t count) {
      row_indices.reserve(first + count);
      std::int32_t* const to = row_indices.data() + first;
      for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t row = index_from(numbers[i]);
        if ((row < 0 || row >= rows) && first_outside == room) {
          first_outside = first + i;
          outside = row;
        }
        to[i] = static_cast<std::int32_t>(row);
      }
    });

    const element jc = next_numbers(in, "starts of columns", true);
    require_whole(jc, "starts of columns");
    refuse_if(where, check_length("jc", jc.count(), std::int64_t{cols} + 1, "one more than columns"));
    std::int64_t entries = 0;
    col_indices.reserve(row_indices.capacity());
    const auto add_column = [&](std::int64_t col, std::int64_t end) {
      if (col < 0 && end != 0) refuse_input(where, fmt::format("jc[0] = {} instead of 0", end));
      if (end < entries)
        refuse_input(where, fmt::format("jc falls at {}, from {} to {}", col + 1, entries, end));
      if (end > room)
        refuse_input(where, fmt::format("jc[{}] = {}, and ir has {} elements", col + 1, end, room));
      if (end > first_outside) refuse_input(where, check_index("ir", first_outside, outside, rows));
      // SciPy writes entries of one place as they are, one behind the other.
      const std::int32_t* const from = row_indices.data() + entries;
      const std::int32_t* const to = row_indices.data() + end;
      if (const auto falls = std::is_sorted_until(from, to); falls != to)
        refuse_input(where, fmt::format("ir falls at {}, within column {}", falls - row_indices.data(), col));
      std::fill(col_indices.data() + entries, col_indices.data() + end, static_cast<std::int32_t>(col));
      entries = end;
    };
    file_.each_block(in, jc, jc.count(), [&](std::int64_t first, const auto* ends, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) add_column(first + i - 1, index_from(ends[i]));
    });

    element values = next_numbers(in, "values", false);
    // MATLAB writes logical ones as bytes and calls them doubles.
    if (head.logical && values.bytes == static_cast<std::uint64_t>(entries)) values.type = of_uint8;
    require_values(values, entries);
    note_type(head, values);
    const auto read_parts = [&](const element& parts) {
      growing_array<double> to;
      to.reserve(file_.likely(parts, entries));
      file_.each_block(in, parts, entries, [&](std::int64_t first, const auto* numbers, std::int64_t count) {
        to.reserve(first + count);
        double* const next = to.data() + first;
        for (std::int64_t i = 0; i < count; ++i)
          next[i] = places_only(head) ? 1.0 : value_of(numbers[i], head.logical);
      });
      return to.take(entries);
    };
    kept_.entries.values = read_parts(values);
    if (head.complex) {
      const element imaginary = next_numbers(in, "imaginary values", false);
      require_values(imaginary, entries);
      if (places_only(head))
        file_.skip(in, imaginary.bytes + imaginary.padding);
      else
        kept_.imaginary = read_parts(imaginary);
    }
    kept_.entries.row_indices = row_indices.take(entries);
    kept_.entries.col_indices = col_indices.take(entries);
  }

  void require_values(const element& values, std::int64_t entries) const {
    require_whole(values, "values");
    if (values.count() < entries)
      file_.refuse(fmt::format("has {} values for {} entries", values.count(), entries));
  }

  void read_full(const array_head& head, extent& in) {
    read_shape(head);
    const auto elements = checked_product(head.sizes[0], head.sizes[1]);
    if (!elements) file_.refuse(fmt::format("is {}: {}", as_text(head.sizes), sizes_too_large));
    const auto next_values = [&](const char* what) {
      const element e = next_numbers(in, what, false);
      require_whole(e, what);
      if (e.count() != *elements)
        file_.refuse(fmt::format(
            "has {} {} instead of {} ({}){}", e.count(), what, *elements, as_text(head.sizes),
            head.logical ? "; of a sparse logical matrix GNU Octave saves no more: save it as double" : ""));
      return e;
    };
    const element values = next_values("values");
    note_type(head, values);
    growing_array<std::int32_t> row_indices, col_indices;
    growing_array<double> to, imaginary;
    std::int64_t stored = 0;
    std::int32_t row = 0, col = 0;
    const auto make_room = [&](std::int64_t most) {
      row_indices.reserve(stored + most);
      col_indices.reserve(stored + most);
      to.reserve(stored + most);
      if (head.complex) imaginary.reserve(stored + most);
    };
    const auto put = [&](double value, double other) {
      if (value != 0 || other != 0) {
        row_indices.data()[stored] = row;
        col_indices.data()[stored] = col;
        if (head.complex) imaginary.data()[stored] = other;
        to.data()[stored++] = places_only(head) ? 1.0 : value;
      } else {
        ++kept_.array_zeros;
      }
      if (++row == kept_.entries.rows) {
        row = 0;
        ++col;
      }
    };
    if (head.complex) {
      growing_array<double> real;  // all of them come first
      file_.each_block(in, values, *elements,
                       [&](std::int64_t first, const auto* numbers, std::int64_t count) {
                         real.reserve(first + count);
                         for (std::int64_t i = 0; i < count; ++i)
                           real.data()[first + i] = value_of(numbers[i], false);
                       });
      file_.each_block(in, next_values("imaginary values"), *elements,
                       [&](std::int64_t first, const auto* numbers, std::int64_t count) {
                         make_room(count);
                         for (std::int64_t i = 0; i < count; ++i)
                           put(real.data()[first + i], value_of(numbers[i], false));
                       });
    } else {
      file_.each_block(in, values, *elements, [&](std::int64_t, const auto* numbers, std::int64_t count) {
        make_room(count);
        for (std::int64_t i = 0; i < count; ++i) put(value_of(numbers[i], head.logical), 0);
      });
    }
    kept_.entries.row_indices = row_indices.take(stored);
    kept_.entries.col_indices = col_indices.take(stored);
    kept_.entries.values = to.take(stored);
    if (head.complex && !places_only(head)) kept_.imaginary = imaginary.take(stored);
  }

  const text_source& source_;
  complex_values if_complex_;
  element_reader file_;
  matlab_choice choice_;
  bool used_ = false;  // whether what is kept comes from this variable, or could have
  bool done_ = false;  // nothing that follows can change what is read
  std::string kept_path_;
  matrix_entries kept_;
  std::optional<error> refusal_;  // of what is kept
};

}  // namespace

bool is_matlab(std::string_view start) {
  return is_level_5(start) || is_level_4(start);
}

matrix_entries read_matlab(const text_source& source, const std::string& variable,
                           const progress_callback& progress, complex_values if_complex) {
  return reader(source, variable, progress, if_complex).read();
}

}  // namespace sparsmith
