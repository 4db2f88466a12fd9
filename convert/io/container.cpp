// Every format lists its sizes and arrays once. Here that list loses its types before anything is done with
// it, so that what reads and writes is compiled once and not for each of forty types of matrices.
#include "convert/io/container.hpp"

#include <zlib.h>

#include "convert/dispatch.hpp"
#include "convert/io/bounds.hpp"
#include "convert/io/hdf5_description.hpp"
#include "convert/io/hdf5_file.hpp"

namespace sparsmith {
namespace {

using hdf5::stored_type;
using hdf5::stored_type_of;

constexpr const char* description_attribute = "sparsmith";
constexpr const char* checksum_attribute = "sparsmith_crc32";

// What can be done with an array<T, host> that is known as void* only.
struct array_access {
  const void* (*data)(const void* place);
  std::int64_t (*length)(const void* place);
  void* (*resize)(void* place, std::int64_t length);  // gives the data; what was there is lost
};

template <class T>
constexpr array_access access_to = {
    [](const void* place) -> const void* { return static_cast<const array<T, host>*>(place)->data(); },
    [](const void* place) { return static_cast<const array<T, host>*>(place)->size(); },
    [](void* place, std::int64_t length) -> void* {
      auto& target = *static_cast<array<T, host>*>(place);
      target = array<T, host>(length);
      return target.data();
    }};

// A size or an array of a format.
struct member_slot {
  const char* name;
  stored_type type;  // of the size, int32 or int64, or of the array's elements
  void* place;
  const array_access* access;  // null where it is a size
};

template <class T>
member_slot slot_of(const char* name, T& size) {
  return {name, stored_type_of<T>(), &size, nullptr};
}
template <class T>
member_slot slot_of(const char* name, array<T, host>& from) {
  return {name, stored_type_of<T>(), &from, &access_to<T>};
}

template <class Offset, class Value>
std::vector<member_slot> slots_of(any_format<Offset, Value, host>& matrix) {
  const auto list = []<class Format>(Format& format) {
    const auto list_members = [](auto&... member) {
      std::size_t i = 0;
      return std::vector<member_slot>{slot_of(Format::member_names[i++], member)...};
    };
    return std::apply(list_members, Format::members(format));
  };
  return std::visit(list, matrix);
}

std::string checksum(const void* data, std::int64_t bytes) {
  const uLong start = ::crc32_z(0, nullptr, 0);
  const auto* const first = static_cast<const unsigned char*>(data);
  return fmt::format("{:08x}", bytes == 0 ? start : ::crc32_z(start, first, static_cast<std::size_t>(bytes)));
}

std::string checksum(const std::string& text) {
  return checksum(text.data(), static_cast<std::int64_t>(text.size()));
}

void write_slots(const std::string& path, const std::vector<member_slot>& slots,
                 container_description description) {
  hdf5::output out(path);
  for (const member_slot& slot : slots) {
    if (slot.access == nullptr) {
      description.sizes.push_back({slot.name, slot.type == stored_type::int64
                                                  ? *static_cast<const std::int64_t*>(slot.place)
                                                  : *static_cast<const std::int32_t*>(slot.place)});
      continue;
    }
    const void* const data = slot.access->data(slot.place);
    const std::int64_t length = slot.access->length(slot.place);
    out.put_array(slot.name, slot.type, data, length);
    description.arrays.push_back(
        {slot.name, hdf5::name_of(slot.type), length, checksum(data, length * hdf5::bytes_of(slot.type))});
  }
  const std::string text = to_text(description);
  out.put_text(description_attribute, text);
  out.put_text(checksum_attribute, checksum(text));
  out.close();
}

class reader {
 public:
  explicit reader(const std::string& path) : in_(path), root_(in_.root()) {
    if (in_.group_with("OCTAVE_NEW_FORMAT"))
      refuse_unsupported(path, "is HDF5 of GNU Octave, which is not supported; save it with -v7");
    if (!in_.has_attribute(root_, description_attribute) || !in_.has_attribute(root_, checksum_attribute))
      refuse_input(
          path,
          "is HDF5, but neither Binsparse, AnnData nor a Sparsmith container (no attribute 'binsparse' or "
          "'sparsmith')");
    const std::string text = in_.text(root_, description_attribute);
    const std::string expected = in_.text(root_, checksum_attribute);
    if (const std::string found = checksum(text); found != expected)
      refuse_input(path, fmt::format("the metadata are damaged (checksum {}, expected {})", found, expected));
    description_ = container_description_from(path, text);
  }

  stored_matrix read() {
    const std::int64_t offset_bits = description_.offset_bits, value_bits = description_.value_bits;
    const bool complex = description_.complex_values;
    const std::int64_t parts = complex ? 2 : 1;
    if ((offset_bits != 32 && offset_bits != 64) || (value_bits != parts * 32 && value_bits != parts * 64))
      refuse_unsupported(
          in_.path(),
          complex ? fmt::format("holds {}-bit offsets and {}-bit complex values; those must have 32 or 64 "
                                "bits, these 64 or 128",
                                offset_bits, value_bits)
                  : fmt::format("holds {}-bit offsets and {}-bit values; both must have 32 or 64",
                                offset_bits, value_bits));
    return with_any_types({offset_bits == 64, value_bits == parts * 32, complex},
                          [&]<class Offset, class Value>() { return read_any<Offset, Value>(); });
  }

 private:
  template <class Offset, class Value>
  stored_matrix read_any() {
    using any = any_format<Offset, Value, host>;
    stored_matrix result(std::in_place_type<any>);
    any& matrix = std::get<any>(result);
    const std::optional<format_kind> kind = format_named(description_.format);
    if (!kind)
      refuse_unsupported(in_.path(), fmt::format("holds format '{}', which this program does not know",
                                                 description_.format));
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((static_cast<std::size_t>(*kind) == i ? void(matrix.template emplace<i>()) : void()), ...);
    }
    (std::make_index_sequence<std::variant_size_v<any>>{});
    read_slots(slots_of(matrix));
    return result;
  }

  void read_slots(const std::vector<member_slot>& slots) const {
    for (const member_slot& slot : slots)
      if (slot.access != nullptr)
        read_array(slot);
      else
        read_size(slot);
    if (description_.arrays.size() + description_.sizes.size() != slots.size())
      refuse_input(in_.path(),
                   fmt::format("lists more than a matrix in format '{}' has", description_.format));
  }

  void read_size(const member_slot& slot) const {
    const auto* const listed = description_.find_size(slot.name);
    if (listed == nullptr && slot.name == std::string_view("layout_version"))
      refuse_unsupported(in_.path(), fmt::format("holds format '{}' in an older layout, which is no longer "
                                                 "read; convert the matrix again",
                                                 description_.format));
    if (listed == nullptr) refuse_input(in_.path(), fmt::format("size {} is missing", slot.name));
    if (slot.type == stored_type::int64) {
      *static_cast<std::int64_t*>(slot.place) = listed->value;
      return;
    }
    if (!std::in_range<std::int32_t>(listed->value))
      refuse_input(in_.path(), fmt::format("{} is {}, out of range", slot.name, listed->value));
    *static_cast<std::int32_t*>(slot.place) = static_cast<std::int32_t>(listed->value);
  }

  void read_array(const member_slot& slot) const {
    const char* const name = slot.name;
    const stored_type type = slot.type;
    const auto* const listed = description_.find_array(name);
    const std::optional<hdf5::dataset> set = in_.open(root_, name);
    if (listed == nullptr || !set) refuse_input(in_.path(), fmt::format("array {} is missing", name));
    if (listed->type != hdf5::name_of(type) || !in_.has_type(*set, type))
      refuse_input(in_.path(), fmt::format("array {} is not of type {}", name, hdf5::name_of(type)));
    refuse_if(in_.path(), check_length(name, set->length, listed->length, "as the metadata say"));
    if (!set->contiguous) refuse_input(in_.path(), fmt::format("array {} is not stored contiguously", name));
    void* const data = slot.access->resize(slot.place, set->length);
    in_.read_all(*set, name, type, data);
    const std::string found = checksum(data, set->length * hdf5::bytes_of(type));
    if (found != listed->checksum)
      refuse_input(in_.path(), fmt::format("array {} is damaged (checksum {}, expected {})", name, found,
                                           listed->checksum));
  }

  hdf5::input in_;
  hdf5::handle root_;
  container_description description_;
};

}  // namespace

template <class Offset, class Value>
void write_container(const std::string& path, const any_format<Offset, Value, host>& matrix) {
  // The list is the one that reading fills; writing only looks.
  const auto slots = slots_of(const_cast<any_format<Offset, Value, host>&>(matrix));
  container_description description;
  description.format = format_names()[matrix.index()];
  description.offset_bits = 8 * sizeof(Offset);
  description.value_bits = 8 * sizeof(Value);
  description.complex_values = is_complex<Value>;
  write_slots(path, slots, std::move(description));
}

stored_matrix read_container(const std::string& path) {
  return reader(path).read();
}

template void write_container(const std::string&, const any_format<std::int32_t, float, host>&);
template void write_container(const std::string&, const any_format<std::int32_t, double, host>&);
template void write_container(const std::string&, const any_format<std::int64_t, float, host>&);
template void write_container(const std::string&, const any_format<std::int64_t, double, host>&);
template void write_container(const std::string&, const any_format<std::int32_t, complex64, host>&);
template void write_container(const std::string&, const any_format<std::int32_t, complex128, host>&);
template void write_container(const std::string&, const any_format<std::int64_t, complex64, host>&);
template void write_container(const std::string&, const any_format<std::int64_t, complex128, host>&);

}  // namespace sparsmith
