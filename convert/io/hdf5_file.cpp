#include "convert/io/hdf5_file.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "convert/io/bounds.hpp"
#include "convert/io/hdf5_driver.hpp"

namespace sparsmith::hdf5 {
namespace {

constexpr std::size_t largest_attribute = 1u << 20;

// Why the last call failed, in a few words: the system's message where there is one, else what HDF5 noticed
// first.
std::string reason() {
  std::vector<std::string> stack;
  ::H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* noticed, void* to) -> herr_t {
        if (noticed->desc != nullptr) static_cast<std::vector<std::string>*>(to)->emplace_back(noticed->desc);
        return 0;
      },
      &stack);
  const std::string mark = "error message = '";
  for (const std::string& text : stack)
    if (const std::size_t at = text.find(mark); at != std::string::npos) {
      const std::size_t begin = at + mark.size();
      return text.substr(begin, text.find('\'', begin) - begin);
    }
  std::string first = stack.empty() ? "HDF5 gives no reason" : stack.front();
  std::replace(first.begin(), first.end(), '\n', ' ');
  return first;
}

// A pair, as h5py writes complex numbers.
handle pair_of(hid_t part, const char* real, const char* imaginary) {
  const std::size_t bytes = ::H5Tget_size(part);
  handle pair(::H5Tcreate(H5T_COMPOUND, 2 * bytes), ::H5Tclose);
  if (::H5Tinsert(pair.get(), real, 0, part) < 0 || ::H5Tinsert(pair.get(), imaginary, bytes, part) < 0)
    return {};
  return pair;
}

// What HDF5 calls a type. Not a table of constants: the library
// makes these up when it starts.
hid_t library_type(stored_type type) {
  switch (type) {
    case stored_type::int32:
      return H5T_STD_I32LE;
    case stored_type::int64:
      return H5T_STD_I64LE;
    case stored_type::uint16:
      return H5T_STD_U16LE;
    case stored_type::uint32:
      return H5T_STD_U32LE;
    case stored_type::uint64:
      return H5T_STD_U64LE;
    case stored_type::float32:
      return H5T_IEEE_F32LE;
    case stored_type::float64:
      return H5T_IEEE_F64LE;
    case stored_type::complex64:
    case stored_type::complex128:
      break;
  }
  return H5I_INVALID_HID;
}

bool is_pair(stored_type type) {
  return type == stored_type::complex64 || type == stored_type::complex128;
}
hid_t part_of(stored_type pair) {
  return pair == stored_type::complex64 ? H5T_IEEE_F32LE : H5T_IEEE_F64LE;
}

// The same of any type.
struct element_type {
  handle made = {};  // of complex numbers
  hid_t id = H5I_INVALID_HID;

  explicit element_type(stored_type type) {
    if (is_pair(type)) made = pair_of(part_of(type), "r", "i");
    id = is_pair(type) ? made.get() : library_type(type);
  }
  // What the elements of an array become in memory: HDF5 converts members that have the same name.
  element_type(stored_type type, const dataset& set) {
    if (is_pair(type)) {
      const handle stored(::H5Dget_type(set.id.get()), ::H5Tclose);
      if (::H5Tget_class(stored.get()) != H5T_COMPOUND || ::H5Tget_nmembers(stored.get()) != 2) return;
      char* const real = ::H5Tget_member_name(stored.get(), 0);
      char* const imaginary = ::H5Tget_member_name(stored.get(), 1);
      if (real != nullptr && imaginary != nullptr) made = pair_of(part_of(type), real, imaginary);
      ::H5free_memory(real);
      ::H5free_memory(imaginary);
    }
    id = is_pair(type) ? made.get() : library_type(type);
  }
};

}  // namespace

const char* name_of(stored_type type) {
  constexpr const char* names[] = {"int32",   "int64",   "uint16",    "uint32",    "uint64",
                                   "float32", "float64", "complex64", "complex128"};
  return names[static_cast<std::size_t>(type)];
}

std::int64_t bytes_of(stored_type type) {
  constexpr std::int64_t bytes[] = {4, 8, 2, 4, 8, 4, 8, 8, 16};
  return bytes[static_cast<std::size_t>(type)];
}

silence::silence() {
  [[maybe_unused]] static const herr_t once = ::H5dont_atexit();
  ::H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  ::H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

silence::~silence() {
  ::H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

// ----------------------------------------------------------------------------------------------------
// writing

output::output(const std::string& path) : path_(path) {
  const handle access(require(::H5Pcreate(H5P_FILE_ACCESS)), ::H5Pclose);
  require(::H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18));
  require(::H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG));
  const handle creation(require(::H5Pcreate(H5P_FILE_CREATE)), ::H5Pclose);
  require(::H5Pset_obj_track_times(creation.get(), false));
  file_ = handle(require(::H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get())), ::H5Fclose);
}

void output::put_array(const char* name, stored_type type, const void* data, std::int64_t length) {
  const element_type element(type);
  require(element.id);
  const hsize_t extent = static_cast<hsize_t>(length);
  const handle space(require(::H5Screate_simple(1, &extent, nullptr)), ::H5Sclose);
  const handle creation(require(::H5Pcreate(H5P_DATASET_CREATE)), ::H5Pclose);
  require(::H5Pset_layout(creation.get(), H5D_CONTIGUOUS));
  require(::H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER));
  require(::H5Pset_obj_track_times(creation.get(), false));
  handle set(require(::H5Dcreate2(file_.get(), name, element.id, space.get(), H5P_DEFAULT, creation.get(),
                                  H5P_DEFAULT)),
             ::H5Dclose);
  if (length > 0) require(::H5Dwrite(set.get(), element.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, data));
  if (!set.close()) failed();
}

void output::put_text(const char* name, const std::string& text) {
  const handle type(require(::H5Tcopy(H5T_C_S1)), ::H5Tclose);
  require(::H5Tset_size(type.get(), text.size()));
  require(::H5Tset_strpad(type.get(), H5T_STR_NULLPAD));
  require(::H5Tset_cset(type.get(), H5T_CSET_UTF8));
  const handle space(require(::H5Screate(H5S_SCALAR)), ::H5Sclose);
  handle attribute(
      require(::H5Acreate2(file_.get(), name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT)),
      ::H5Aclose);
  require(::H5Awrite(attribute.get(), type.get(), text.data()));
  if (!attribute.close()) failed();
}

void output::close() {
  require(::H5Fflush(file_.get(), H5F_SCOPE_GLOBAL));
  if (!file_.close()) failed();
}

void output::failed() const {
  throw error(failure::output, fmt::format("{}: could not write: {}", path_, reason()));
}

// ----------------------------------------------------------------------------------------------------
// reading

input::input(const std::string& path) : path_(path) {
  const handle access(require(::H5Pcreate(H5P_FILE_ACCESS), "the file"), ::H5Pclose);
  require(::H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "the file");
  require(::H5Pset_driver(access.get(), reading_driver(), nullptr), "the file");
  file_ = handle(::H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), ::H5Fclose);
  if (!file_) refuse_input(path_, fmt::format("could not open as HDF5: {}", reason()));
  // The check of global heaps (hdf5_driver.cpp) reads lengths of 8 bytes; of 4 it sees what is wrong, too.
  const handle creation(require(::H5Fget_create_plist(file_.get()), "the file"), ::H5Pclose);
  std::size_t address_bytes = 0, length_bytes = 0;
  require(::H5Pget_sizes(creation.get(), &address_bytes, &length_bytes), "the file");
  if (length_bytes != 4 && length_bytes != 8)
    refuse_unsupported(path_, fmt::format("lengths of {} bytes are not supported", length_bytes));
  hsize_t bytes = 0;
  require(::H5Fget_filesize(file_.get(), &bytes), "the file");
  bytes_ = bytes;
}

handle input::root() const {
  return handle(require(::H5Gopen2(file_.get(), "/", H5P_DEFAULT), "the root group"), ::H5Gclose);
}

// The names of a group's hard links, in their order; what lies elsewhere is not looked at.
std::vector<std::string> input::names_in(const handle& group) const {
  // A damaged count must not keep us here for ever, and nobody names more by hand.
  constexpr std::size_t most = 10000, longest = 1023;
  std::vector<std::string> names;
  const auto note = [](hid_t, const char* name, const H5L_info_t* link, void* to) -> herr_t {
    auto& found = *static_cast<std::vector<std::string>*>(to);
    if (link->type == H5L_TYPE_HARD && std::string_view(name).size() <= longest) found.emplace_back(name);
    return found.size() < most ? 0 : 1;
  };
  // Asked for an order, HDF5 1.10 makes a table of many links first, and frees what it has not filled in yet
  // where one is damaged.
  hsize_t at = 0;
  require(::H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_NATIVE, &at, note, &names), "the groups");
  std::sort(names.begin(), names.end());
  return names;
}

std::optional<handle> input::group_with(const char* attribute) const {
  handle top = root();
  if (has_attribute(top, attribute)) return top;
  for (const std::string& name : names_in(top)) {
    handle object(::H5Oopen(top.get(), name.c_str(), H5P_DEFAULT), ::H5Oclose);
    if (object && ::H5Iget_type(object.get()) == H5I_GROUP && has_attribute(object, attribute)) return object;
  }
  return std::nullopt;
}

std::vector<member> input::members(const handle& group) const {
  std::vector<member> result;
  for (std::string& name : names_in(group)) {
    const handle object(::H5Oopen(group.get(), name.c_str(), H5P_DEFAULT), ::H5Oclose);
    const H5I_type_t type = object ? ::H5Iget_type(object.get()) : H5I_BADID;
    result.push_back({std::move(name), type == H5I_GROUP     ? member_kind::group
                                       : type == H5I_DATASET ? member_kind::array
                                                             : member_kind::other});
  }
  return result;
}

std::vector<std::int64_t> input::integers(const handle& object, const char* name) const {
  const handle attribute(require(::H5Aopen(object.get(), name, H5P_DEFAULT), name), ::H5Aclose);
  const handle type(require(::H5Aget_type(attribute.get()), name), ::H5Tclose);
  const handle space(require(::H5Aget_space(attribute.get()), name), ::H5Sclose);
  const hssize_t count = ::H5Sget_simple_extent_npoints(space.get());
  if (::H5Tget_class(type.get()) != H5T_INTEGER || count < 0 || count > 16)
    refuse_input(path_, fmt::format("attribute {} does not hold a few integers", name));
  std::vector<std::int64_t> result(static_cast<std::size_t>(count));
  if (count > 0) require(::H5Aread(attribute.get(), H5T_STD_I64LE, result.data()), name);
  return result;
}

bool input::has_attribute(const handle& group, const char* name) const {
  return require(::H5Aexists(group.get(), name), "the attributes") > 0;
}

std::string input::text(const handle& group, const char* name) const {
  const handle attribute(require(::H5Aopen(group.get(), name, H5P_DEFAULT), name), ::H5Aclose);
  const handle type(require(::H5Aget_type(attribute.get()), name), ::H5Tclose);
  const handle space(require(::H5Aget_space(attribute.get()), name), ::H5Sclose);
  if (::H5Tget_class(type.get()) != H5T_STRING || ::H5Sget_simple_extent_npoints(space.get()) != 1)
    refuse_input(path_, fmt::format("attribute {} is not one text", name));
  if (require(::H5Tis_variable_str(type.get()), name) > 0) {
    char* text = nullptr;
    require(::H5Aread(attribute.get(), type.get(), &text), name);
    const std::string result = text == nullptr ? "" : text;
    ::H5free_memory(text);
    return result;
  }
  const std::size_t bytes = ::H5Tget_size(type.get());
  if (bytes == 0 || bytes > largest_attribute)
    refuse_input(path_, fmt::format("attribute {} has an impossible size of {} bytes", name, bytes));
  std::string result(bytes, '\0');
  require(::H5Aread(attribute.get(), type.get(), result.data()), name);
  result.resize(std::min(result.find('\0'), bytes));
  return result;
}

// HDF5 would open whatever file a link names, and wait for a writer where that is a pipe.
void input::require_here(const handle& group, const char* what, const char* name) const {
  H5L_info_t link{};
  require(::H5Lget_info(group.get(), name, &link, H5P_DEFAULT), name);
  if (link.type != H5L_TYPE_HARD)
    refuse_unsupported(path_,
                       fmt::format("{} {} is a link to another place, which is not followed", what, name));
}

handle input::open_group(const handle& parent, const char* name) const {
  require_here(parent, "group", name);
  return handle(require(::H5Gopen2(parent.get(), name, H5P_DEFAULT), name), ::H5Gclose);
}

std::optional<dataset> input::open(const handle& group, const char* name, std::size_t dimensions) const {
  if (require(::H5Lexists(group.get(), name, H5P_DEFAULT), name) == 0) return std::nullopt;
  require_here(group, "array", name);
  const handle access(require(::H5Pcreate(H5P_DATASET_ACCESS), name), ::H5Pclose);
  dataset set;
  const auto open_with_cache = [&](std::size_t bytes) {
    require(::H5Pset_chunk_cache(access.get(), 10007, bytes, 1.0), name);
    set.id.close();  // opened twice at once, an array has the cache of the first time
    set.id = handle(require(::H5Dopen2(group.get(), name, access.get()), name), ::H5Dclose);
  };
  // Room for several of the largest chunks that are in use.
  constexpr std::uint64_t ordinary_chunk = 64u << 20;
  open_with_cache(ordinary_chunk);
  // Before anything else is asked of the array: a virtual one opens other files to tell how long it is.
  const handle creation(require(::H5Dget_create_plist(set.id.get()), name), ::H5Pclose);
  const H5D_layout_t layout = ::H5Pget_layout(creation.get());
  if (layout == H5D_VIRTUAL || ::H5Pget_external_count(creation.get()) != 0)
    refuse_unsupported(path_, fmt::format("array {} lies in another file, which is not supported", name));
  const handle type(require(::H5Dget_type(set.id.get()), name), ::H5Tclose);
  set.kind = ::H5Tget_class(type.get());
  set.element_bytes = ::H5Tget_size(type.get());
  set.is_signed = set.kind == H5T_INTEGER && ::H5Tget_sign(type.get()) == H5T_SGN_2;
  const handle space(require(::H5Dget_space(set.id.get()), name), ::H5Sclose);
  const auto found = static_cast<std::size_t>(require(::H5Sget_simple_extent_ndims(space.get()), name));
  if (dimensions != any_dimensions && found != dimensions)
    refuse_input(path_, fmt::format("array {} is not {}-dimensional", name, dimensions == 1 ? "one" : "two"));
  std::vector<hsize_t> extents(found);
  require(::H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr), name);
  // Of sizes whose product is beyond 64 bits, more than any file holds.
  const auto product = [](const std::vector<hsize_t>& sizes) {
    if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return std::uint64_t{0};
    std::uint64_t elements = 1;
    for (const hsize_t size : sizes)
      if (__builtin_mul_overflow(elements, size, &elements)) return ~std::uint64_t{0};
    return elements;
  };
  const std::uint64_t elements = product(extents);
  // Deflated chunks may hold about a thousand times what they take (other filters no more); anything else
  // cannot be larger than the file, nor than what is stored of it: HDF5 1.10 copies what the extents say from
  // a header that holds less. Chunks that were never written take nothing, and hold nothing worth reading.
  constexpr std::uint64_t largest_expansion = 1040;
  const std::uint64_t stored = ::H5Dget_storage_size(set.id.get());
  std::uint64_t most_bytes = bytes_;
  if (layout == H5D_COMPACT || (layout == H5D_CONTIGUOUS && stored > 0)) {
    most_bytes = std::min(stored, bytes_);
  } else if (layout == H5D_CHUNKED) {
    most_bytes = std::min(stored, bytes_) * largest_expansion;
    // A chunk is unpacked whole, however few of its elements there are.
    std::vector<hsize_t> sides(found);
    require(::H5Pget_chunk(creation.get(), static_cast<int>(found), sides.data()), name);
    const std::uint64_t chunk = product(sides);
    if (elements > 0 &&
        chunk > std::max(most_bytes, ordinary_chunk) / std::max<std::size_t>(set.element_bytes, 1))
      refuse_input(path_,
                   fmt::format("array {} has chunks of {} elements, more than the file holds", name, chunk));
    // One that has no room there would be unpacked again for every part of it.
    if (elements > 0 && chunk * set.element_bytes > ordinary_chunk)
      open_with_cache(chunk * set.element_bytes);
  }
  const std::uint64_t most = most_bytes / std::max<std::size_t>(set.element_bytes, 1);
  if (elements > most)
    refuse_input(path_, fmt::format("array {} has {} elements, more than the file holds", name, elements));
  // Where one is 0, the others may be anything.
  for (const hsize_t extent : extents)
    set.extents.push_back(static_cast<std::int64_t>(std::min<hsize_t>(extent, INT64_MAX)));
  set.length = static_cast<std::int64_t>(elements);
  set.contiguous = layout == H5D_CONTIGUOUS;
  return set;
}

bool input::has_type(const dataset& set, stored_type type) const {
  const handle stored(::H5Dget_type(set.id.get()), ::H5Tclose);
  return ::H5Tequal(stored.get(), element_type(type).id) > 0;
}

bool input::is_complex(const dataset& set) const {
  const handle type(::H5Dget_type(set.id.get()), ::H5Tclose);
  if (::H5Tget_class(type.get()) != H5T_COMPOUND || ::H5Tget_nmembers(type.get()) != 2) return false;
  const handle real(::H5Tget_member_type(type.get(), 0), ::H5Tclose);
  const handle imaginary(::H5Tget_member_type(type.get(), 1), ::H5Tclose);
  return ::H5Tget_class(real.get()) == H5T_FLOAT && ::H5Tequal(real.get(), imaginary.get()) > 0;
}

void input::read_part(const dataset& set, const char* name, std::int64_t first, std::int64_t count,
                      stored_type type, void* to) const {
  const hsize_t start = static_cast<hsize_t>(first), extent = static_cast<hsize_t>(count);
  const handle space(require(::H5Dget_space(set.id.get()), name), ::H5Sclose);
  const handle memory(require(::H5Screate_simple(1, &extent, nullptr), name), ::H5Sclose);
  require(::H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &extent, nullptr), name);
  const element_type in_memory(type, set);
  require(::H5Dread(set.id.get(), in_memory.id, memory.get(), space.get(), H5P_DEFAULT, to), name);
}

void input::read_all(const dataset& set, const char* name, stored_type type, void* to) const {
  const element_type in_memory(type, set);
  if (set.length > 0) require(::H5Dread(set.id.get(), in_memory.id, H5S_ALL, H5S_ALL, H5P_DEFAULT, to), name);
}

void input::read_rectangle(const dataset& set, const char* name, const rectangle& part, stored_type type,
                           void* to) const {
  const hsize_t start[] = {static_cast<hsize_t>(part.line), static_cast<hsize_t>(part.first)};
  const hsize_t extents[] = {static_cast<hsize_t>(part.lines), static_cast<hsize_t>(part.count)};
  const handle space(require(::H5Dget_space(set.id.get()), name), ::H5Sclose);
  const handle memory(require(::H5Screate_simple(2, extents, nullptr), name), ::H5Sclose);
  require(::H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start, nullptr, extents, nullptr), name);
  const element_type in_memory(type, set);
  require(::H5Dread(set.id.get(), in_memory.id, memory.get(), space.get(), H5P_DEFAULT, to), name);
}

void input::failed(const char* what) const {
  refuse_input(path_, fmt::format("could not read {}, the file is damaged: {}", what, reason()));
}

}  // namespace sparsmith::hdf5
