// Both HDF5 layouts over one thin layer of handles, attributes and datasets. Files are written with the
// checksummed structures of HDF5 1.8 and without time stamps: a flipped byte that matters is found, and the
// same matrix gives the same file.
#include "convert/io/hdf5.hpp"

#include <hdf5.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "convert/io/bounds.hpp"

namespace sparsmith {
namespace {

static_assert(std::endian::native == std::endian::little,
              "checksums are taken over the bytes as they lie in memory");

using json = nlohmann::ordered_json;

// An integer of a description; without this check JSON would round 1.5 and cut off 1e300.
std::int64_t integer(const json& object, const char* key, const std::string& path) {
  const json& value = object.at(key);
  if (!value.is_number_integer())
    refuse_input(path, fmt::format("'{}' in its description is not an integer", key));
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{1} << 62)
    refuse_input(
        path, fmt::format("'{}' in its description is {}, far too large", key, value.get<std::uint64_t>()));
  return value.get<std::int64_t>();
}

constexpr const char* container_attribute = "sparsmith";
constexpr const char* checksum_attribute = "sparsmith_crc32";
constexpr const char* binsparse_attribute = "binsparse";
constexpr int container_version = 1;
constexpr std::size_t largest_attribute = 1u << 20;

// HDF5 prints its error stack to stderr unless told otherwise; who else uses HDF5 in the process keeps that.
// It also keeps a file that it could not close, as on a full disk, and stumbles over it in its exit handler.
// All our files are closed before that, so it goes without the handler.
class silence {
 public:
  silence() {
    [[maybe_unused]] static const herr_t once = ::H5dont_atexit();
    ::H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    ::H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  ~silence() { ::H5Eset_auto2(H5E_DEFAULT, function_, data_); }
  silence(const silence&) = delete;
  silence& operator=(const silence&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

// Why the last call failed, in a few words: the system's message where there is one, else what HDF5 noticed
// first.
std::string reason() {
  std::vector<std::string> stack;
  ::H5Ewalk2(
      H5E_DEFAULT, H5E_WALK_UPWARD,
      [](unsigned, const H5E_error2_t* e, void* to) -> herr_t {
        if (e->desc != nullptr) static_cast<std::vector<std::string>*>(to)->emplace_back(e->desc);
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

class handle {
 public:
  handle() = default;
  handle(hid_t id, herr_t (*closer)(hid_t)) : id_(id), close_(closer) {}
  handle(handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  handle& operator=(handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~handle() { close(); }

  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }
  bool close() { return id_ < 0 || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, std::int32_t>) return "int32";
  if constexpr (std::is_same_v<T, std::int64_t>) return "int64";
  if constexpr (std::is_same_v<T, std::uint16_t>) return "uint16";
  if constexpr (std::is_same_v<T, std::uint32_t>) return "uint32";
  if constexpr (std::is_same_v<T, float>) return "float32";
  if constexpr (std::is_same_v<T, double>) return "float64";
}

// The type in the file, which is also the one in memory: both are little-endian.
template <class T>
hid_t type_of() {
  if constexpr (std::is_same_v<T, std::int32_t>) return H5T_STD_I32LE;
  if constexpr (std::is_same_v<T, std::int64_t>) return H5T_STD_I64LE;
  if constexpr (std::is_same_v<T, std::uint16_t>) return H5T_STD_U16LE;
  if constexpr (std::is_same_v<T, std::uint32_t>) return H5T_STD_U32LE;
  if constexpr (std::is_same_v<T, std::uint64_t>) return H5T_STD_U64LE;
  if constexpr (std::is_same_v<T, float>) return H5T_IEEE_F32LE;
  if constexpr (std::is_same_v<T, double>) return H5T_IEEE_F64LE;
}

std::string checksum(const void* data, std::size_t bytes) {
  const uLong start = ::crc32_z(0, nullptr, 0);
  return fmt::format("{:08x}",
                     bytes == 0 ? start : ::crc32_z(start, static_cast<const unsigned char*>(data), bytes));
}

template <class Array>
using element_of = std::remove_cvref_t<decltype(*std::declval<const Array&>().data())>;

template <class Array>
std::size_t byte_size(const Array& a) {
  return static_cast<std::size_t>(a.size()) * sizeof(element_of<Array>);
}

// ----------------------------------------------------------------------------------------------------
// writing

class output {
 public:
  explicit output(const std::string& path) : path_(path) {
    const handle access(require(::H5Pcreate(H5P_FILE_ACCESS)), ::H5Pclose);
    require(::H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18));
    require(::H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG));
    const handle creation(require(::H5Pcreate(H5P_FILE_CREATE)), ::H5Pclose);
    require(::H5Pset_obj_track_times(creation.get(), false));
    file_ =
        handle(require(::H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation.get(), access.get())), ::H5Fclose);
  }

  template <class Array>
  void put(const char* name, const Array& from) {
    const hid_t type = type_of<element_of<Array>>();
    const hsize_t length = static_cast<hsize_t>(from.size());
    const handle space(require(::H5Screate_simple(1, &length, nullptr)), ::H5Sclose);
    const handle creation(require(::H5Pcreate(H5P_DATASET_CREATE)), ::H5Pclose);
    require(::H5Pset_layout(creation.get(), H5D_CONTIGUOUS));
    require(::H5Pset_fill_time(creation.get(), H5D_FILL_TIME_NEVER));
    require(::H5Pset_obj_track_times(creation.get(), false));
    handle set(
        require(::H5Dcreate2(file_.get(), name, type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT)),
        ::H5Dclose);
    if (length > 0) require(::H5Dwrite(set.get(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, from.data()));
    if (!set.close()) failed();
  }

  void put_text(const char* name, const std::string& text) {
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

  void close() {
    require(::H5Fflush(file_.get(), H5F_SCOPE_GLOBAL));
    if (!file_.close()) failed();
  }

 private:
  template <class Status>
  Status require(Status status) const {
    if (status < 0) failed();
    return status;
  }
  [[noreturn]] void failed() const {
    throw error(failure::output, fmt::format("{}: could not write: {}", path_, reason()));
  }

  std::string path_;
  silence quiet_;
  handle file_;
};

// ----------------------------------------------------------------------------------------------------
// reading

struct dataset {
  handle id;
  std::int64_t length = 0;
  H5T_class_t kind = H5T_NO_CLASS;
  std::size_t size = 0;  // bytes of an element
  bool is_signed = false;
};

class input {
 public:
  explicit input(const std::string& path) : path_(path) {
    const handle access(require(::H5Pcreate(H5P_FILE_ACCESS), "the file"), ::H5Pclose);
    require(::H5Pset_fclose_degree(access.get(), H5F_CLOSE_STRONG), "the file");
    file_ = handle(::H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), ::H5Fclose);
    if (!file_) refuse_input(path_, fmt::format("could not open as HDF5: {}", reason()));
    hsize_t bytes = 0;
    require(::H5Fget_filesize(file_.get(), &bytes), "the file");
    bytes_ = bytes;
  }

  const std::string& path() const { return path_; }

  handle root() const {
    return handle(require(::H5Gopen2(file_.get(), "/", H5P_DEFAULT), "the root group"), ::H5Gclose);
  }

  bool has_attribute(const handle& group, const char* name) const {
    return require(::H5Aexists(group.get(), name), "the attributes") > 0;
  }

  std::string text(const handle& group, const char* name) const {
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

  // Opens a one-dimensional array, or nothing where there is none of that name.
  std::optional<dataset> open(const handle& group, const char* name) const {
    if (require(::H5Lexists(group.get(), name, H5P_DEFAULT), name) == 0) return std::nullopt;
    const handle access(require(::H5Pcreate(H5P_DATASET_ACCESS), name), ::H5Pclose);
    // Room for several of the largest chunks that are in use, so that none is unpacked twice.
    require(::H5Pset_chunk_cache(access.get(), 10007, 64u << 20, 1.0), name);
    dataset set;
    set.id = handle(require(::H5Dopen2(group.get(), name, access.get()), name), ::H5Dclose);
    const handle type(require(::H5Dget_type(set.id.get()), name), ::H5Tclose);
    set.kind = ::H5Tget_class(type.get());
    set.size = ::H5Tget_size(type.get());
    set.is_signed = set.kind == H5T_INTEGER && ::H5Tget_sign(type.get()) == H5T_SGN_2;
    const handle space(require(::H5Dget_space(set.id.get()), name), ::H5Sclose);
    if (::H5Sget_simple_extent_ndims(space.get()) != 1)
      refuse_input(path_, fmt::format("array {} is not one-dimensional", name));
    hsize_t extent = 0;
    require(::H5Sget_simple_extent_dims(space.get(), &extent, nullptr), name);
    const handle creation(require(::H5Dget_create_plist(set.id.get()), name), ::H5Pclose);
    const H5D_layout_t layout = ::H5Pget_layout(creation.get());
    if (layout == H5D_VIRTUAL || ::H5Pget_external_count(creation.get()) > 0)
      refuse_unsupported(path_, fmt::format("array {} lies in another file, which is not supported", name));
    // Deflated chunks may hold about a thousand times what they take (other filters no more); anything else
    // cannot be larger than the file. Chunks that were never written take nothing, and hold nothing worth
    // reading.
    constexpr std::uint64_t largest_expansion = 1040;
    const std::uint64_t held =
        layout == H5D_CHUNKED
            ? static_cast<std::uint64_t>(::H5Dget_storage_size(set.id.get())) * largest_expansion
            : bytes_;
    const std::uint64_t most = held / std::max<std::size_t>(set.size, 1);
    if (extent > most)
      refuse_input(path_, fmt::format("array {} has {} elements, more than the file holds", name, extent));
    set.length = static_cast<std::int64_t>(extent);
    return set;
  }

  template <class T>
  void read_all(const dataset& set, const char* name, T* to) const {
    if (set.length > 0)
      require(::H5Dread(set.id.get(), type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, to), name);
  }

  // Calls visit(position, element) for every element, converted to T by HDF5, a part of the array at a time.
  template <class T, class Visit>
  void for_each(const dataset& set, const char* name, Visit visit) const {
    if (set.length == 0) return;
    constexpr std::int64_t step = 1 << 20;
    std::vector<T> part(static_cast<std::size_t>(std::min(set.length, step)));
    const handle space(require(::H5Dget_space(set.id.get()), name), ::H5Sclose);
    for (std::int64_t at = 0; at < set.length; at += step) {
      const hsize_t start = static_cast<hsize_t>(at);
      const hsize_t count = static_cast<hsize_t>(std::min(step, set.length - at));
      const handle memory(require(::H5Screate_simple(1, &count, nullptr), name), ::H5Sclose);
      require(::H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, &start, nullptr, &count, nullptr), name);
      require(::H5Dread(set.id.get(), type_of<T>(), memory.get(), space.get(), H5P_DEFAULT, part.data()),
              name);
      for (std::size_t i = 0; i < count; ++i) visit(at + static_cast<std::int64_t>(i), part[i]);
    }
  }

  // The root or, failing that, the first group below it that carries the Binsparse attribute.
  std::optional<handle> binsparse_group() const {
    handle top = root();
    if (has_attribute(top, binsparse_attribute)) return top;
    H5G_info_t info{};
    require(::H5Gget_info(top.get(), &info), "the root group");
    const hsize_t links =
        std::min<hsize_t>(info.nlinks, 10000);  // a damaged count must not keep us here for ever
    for (hsize_t i = 0; i < links; ++i) {
      handle object(::H5Oopen_by_idx(top.get(), ".", H5_INDEX_NAME, H5_ITER_INC, i, H5P_DEFAULT), ::H5Oclose);
      const bool group = object && ::H5Iget_type(object.get()) == H5I_GROUP;
      if (group && has_attribute(object, binsparse_attribute)) return object;
    }
    return std::nullopt;
  }

 private:
  template <class Status>
  Status require(Status status, const char* what) const {
    if (status < 0)
      refuse_input(path_, fmt::format("could not read {}, the file is damaged: {}", what, reason()));
    return status;
  }

  std::string path_;
  silence quiet_;
  handle file_;
  std::uint64_t bytes_ = 0;
};

// ------------------------------------------------------------------------------------------- our own
// container

class container_reader {
 public:
  explicit container_reader(const std::string& path) : in_(path), root_(in_.root()) {
    if (!in_.has_attribute(root_, container_attribute) || !in_.has_attribute(root_, checksum_attribute))
      refuse_input(path, "is HDF5, but not a Sparsmith container (no attribute 'sparsmith')");
    const std::string text = in_.text(root_, container_attribute);
    const std::string expected = in_.text(root_, checksum_attribute);
    if (const std::string found = checksum(text.data(), text.size()); found != expected)
      refuse_input(path, fmt::format("the metadata are damaged (checksum {}, expected {})", found, expected));
    description_ = json::parse(text);
    const std::int64_t version = integer(description_, "version", path);
    if (version != container_version)
      refuse_unsupported(path, fmt::format("is a container of version {}, this program reads {}", version,
                                           container_version));
    format_ = description_.at("format").get<std::string>();
  }

  stored_matrix read() {
    const std::int64_t offset_bits = integer(description_, "offset_bits", in_.path());
    const std::int64_t value_bits = integer(description_, "value_bits", in_.path());
    if (offset_bits == 32 && value_bits == 32) return read_any<std::int32_t, float>();
    if (offset_bits == 32 && value_bits == 64) return read_any<std::int32_t, double>();
    if (offset_bits == 64 && value_bits == 32) return read_any<std::int64_t, float>();
    if (offset_bits == 64 && value_bits == 64) return read_any<std::int64_t, double>();
    refuse_unsupported(in_.path(),
                       fmt::format("holds {}-bit offsets and {}-bit values; both must have 32 or 64",
                                   offset_bits, value_bits));
  }

 private:
  template <class Offset, class Value>
  stored_matrix read_any() {
    using any = any_format<Offset, Value, host>;
    std::optional<stored_matrix> result;
    const auto attempt = [&]<class Format>(std::type_identity<Format>) {
      if (format_ == Format::name) result.emplace(std::in_place_type<any>, read_format<Format>());
    };
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (attempt(std::type_identity<std::variant_alternative_t<i, any>>{}), ...);
    }
    (std::make_index_sequence<std::variant_size_v<any>>{});
    if (!result)
      refuse_unsupported(in_.path(),
                         fmt::format("holds format '{}', which this program does not know", format_));
    return std::move(*result);
  }

  template <class Format>
  Format read_format() {
    Format f;
    std::size_t arrays = 0, parameters = 0;
    for_each_member(f, [&](const char* name, auto& member) {
      using type = std::remove_cvref_t<decltype(member)>;
      if constexpr (is_array<type>) {
        member = read_array<element_of<type>>(name);
        ++arrays;
      } else {
        const std::int64_t value = integer(description_.at("parameters"), name, in_.path());
        if (!std::in_range<type>(value))
          refuse_input(in_.path(), fmt::format("{} is {}, out of range", name, value));
        member = static_cast<type>(value);
        ++parameters;
      }
    });
    if (description_.at("arrays").size() != arrays || description_.at("parameters").size() != parameters)
      refuse_input(in_.path(), fmt::format("lists more than a matrix in format '{}' has", format_));
    return f;
  }

  const json* listed_array(const char* name) const {
    for (const json& listed : description_.at("arrays"))
      if (listed.at("name") == name) return &listed;
    return nullptr;
  }

  template <class T>
  array<T, host> read_array(const char* name) {
    const json* listed = listed_array(name);
    const std::optional<dataset> set = in_.open(root_, name);
    if (listed == nullptr || !set) refuse_input(in_.path(), fmt::format("array {} is missing", name));
    const handle type(::H5Dget_type(set->id.get()), ::H5Tclose);
    if (listed->at("type") != type_name<T>() || ::H5Tequal(type.get(), type_of<T>()) <= 0)
      refuse_input(in_.path(), fmt::format("array {} is not of type {}", name, type_name<T>()));
    check_length(in_.path(), name, set->length, integer(*listed, "length", in_.path()),
                 "as the metadata say");
    const handle creation(::H5Dget_create_plist(set->id.get()), ::H5Pclose);
    // Contiguous means that the length has been compared with the size of the file.
    if (::H5Pget_layout(creation.get()) != H5D_CONTIGUOUS)
      refuse_input(in_.path(), fmt::format("array {} is not stored contiguously", name));
    array<T, host> result(set->length);
    in_.read_all(*set, name, result.data());
    const std::string found = checksum(result.data(), byte_size(result));
    const auto expected = listed->at("crc32").get<std::string>();
    if (found != expected)
      refuse_input(in_.path(),
                   fmt::format("array {} is damaged (checksum {}, expected {})", name, found, expected));
    return result;
  }

  input in_;
  handle root_;
  json description_;
  std::string format_;
};

// ------------------------------------------------------------------------------------------------- Binsparse

class binsparse_reader {
 public:
  explicit binsparse_reader(const std::string& path) : in_(path) {
    std::optional<handle> group = in_.binsparse_group();
    if (!group) refuse_input(path, "is HDF5, but not Binsparse (no attribute 'binsparse')");
    group_ = std::move(*group);
    json whole = json::parse(in_.text(group_, binsparse_attribute));
    // The specification nests the description under its own name, the Python reference leaves that out.
    const bool nested = whole.is_object() && whole.contains("binsparse") && whole["binsparse"].is_object();
    description_ = nested ? std::move(whole["binsparse"]) : std::move(whole);
    read_description();
  }

  matrix_entries read() {
    const bool by_columns = format_ == "CSC" || format_ == "DCSC" || format_ == "COOC";
    auto& e = result_.entries;
    const std::int32_t majors = by_columns ? e.cols : e.rows, minors = by_columns ? e.rows : e.cols;
    const dataset indices_1 = open_index("indices_1");
    stored_ = indices_1.length;
    if (announced_) check_length(in_.path(), "indices_1", stored_, *announced_, "number_of_stored_values");

    array<std::int32_t, host> major;
    if (format_ == "COO" || format_ == "COOR" || format_ == "COOC") {
      const dataset indices_0 = open_index("indices_0");
      check_length(in_.path(), "indices_0", indices_0.length, stored_, "as many as indices_1");
      major = read_indices(indices_0, "indices_0", majors);
    } else {
      major = read_majors(majors, format_ == "DCSR" || format_ == "DCSC");
    }
    array<std::int32_t, host> minor = read_indices(indices_1, "indices_1", minors);
    e.row_indices = by_columns ? std::move(minor) : std::move(major);
    e.col_indices = by_columns ? std::move(major) : std::move(minor);
    check_triangle();
    read_values();
    return std::move(result_);
  }

 private:
  void read_description() {
    const std::string& path = in_.path();
    if (description_.contains("version")) {
      const auto version = description_["version"].get<std::string>();
      if (!version.starts_with("0."))
        refuse_unsupported(path, fmt::format("Binsparse version {} is not supported yet", version));
    }
    if (!description_.at("format").is_string())
      refuse_unsupported(path, "custom Binsparse formats are not supported yet");
    format_ = description_["format"].get<std::string>();
    const char* const known[] = {"CSR", "CSC", "DCSR", "DCSC", "COO", "COOR", "COOC"};
    if (std::find(std::begin(known), std::end(known), format_) == std::end(known))
      refuse_unsupported(path, fmt::format("Binsparse format {} is not supported yet", format_));
    result_.origin = "Binsparse " + format_;

    const json& shape = description_.at("shape");
    if (!shape.is_array() || shape.size() != 2)
      refuse_unsupported(path, "only Binsparse matrices are supported, with two dimensions");
    if (!shape[0].is_number_integer() || !shape[1].is_number_integer())
      refuse_input(path, "'shape' in its description does not hold integers");
    result_.entries.rows = checked_dimension(path, "rows", shape[0].get<std::int64_t>());
    result_.entries.cols = checked_dimension(path, "columns", shape[1].get<std::int64_t>());
    if (description_.contains("number_of_stored_values"))
      announced_ = integer(description_, "number_of_stored_values", path);

    value_type_ = description_.at("data_types").at("values").get<std::string>();
    if (value_type_.starts_with("iso[") && value_type_.ends_with("]")) {
      iso_ = true;
      value_type_ = value_type_.substr(4, value_type_.size() - 5);
    }
    const char* const types[] = {"int8",   "int16",  "int32",   "int64",   "uint8", "uint16",
                                 "uint32", "uint64", "float32", "float64", "bint8"};
    if (std::find(std::begin(types), std::end(types), value_type_) == std::end(types))
      refuse_unsupported(path, fmt::format("values of type {} are not supported yet", value_type_));

    if (description_.contains("structure")) read_structure(description_["structure"].get<std::string>());
    if (description_.contains("fill") && description_["fill"].get<bool>()) check_fill();
  }

  void read_structure(std::string structure) {
    if (structure == "general") return;
    const auto ends = [&](const char* tail) { return structure.ends_with(tail); };
    if (structure.starts_with("hermitian"))
      refuse_unsupported(in_.path(), fmt::format("structure {} is not supported yet", structure));
    if (structure == "symmetric_lower" || structure == "symmetric_upper")
      result_.symmetry = symmetry_kind::symmetric;
    else if (structure == "skew_symmetric_lower" || structure == "skew_symmetric_upper")
      result_.symmetry = symmetry_kind::skew_symmetric;
    else
      refuse_unsupported(in_.path(), fmt::format("structure {} is not known", structure));
    lower_ = ends("_lower");
    if (result_.entries.rows != result_.entries.cols)
      refuse_input(in_.path(), fmt::format("structure {} needs a square matrix, this one is {} by {}",
                                           structure, result_.entries.rows, result_.entries.cols));
  }

  // A value for what is not stored makes the matrix dense unless it is zero.
  void check_fill() {
    const std::optional<dataset> fill = in_.open(group_, "fill_value");
    bool zero = fill && fill->length == 1 && (fill->kind == H5T_INTEGER || fill->kind == H5T_FLOAT);
    if (zero) in_.for_each<double>(*fill, "fill_value", [&](std::int64_t, double v) { zero = v == 0; });
    if (!zero) refuse_unsupported(in_.path(), "a fill value other than zero is not supported");
  }

  // The C reference leaves out arrays without elements.
  dataset open_index(const char* name) const {
    std::optional<dataset> set = in_.open(group_, name);
    if (!set) {
      if (announced_.value_or(-1) != 0) refuse_input(in_.path(), fmt::format("array {} is missing", name));
      return {};
    }
    if (set->kind != H5T_INTEGER)
      refuse_input(in_.path(), fmt::format("array {} does not hold integers", name));
    return std::move(*set);
  }

  array<std::int32_t, host> read_indices(const dataset& set, const char* name, std::int32_t limit) const {
    array<std::int32_t, host> indices(set.length);
    in_.for_each<std::int64_t>(set, name, [&](std::int64_t i, std::int64_t index) {
      indices[i] = checked_index(in_.path(), name, i, index, limit);
    });
    return indices;
  }

  // The row (or column) of every entry from the offsets; with `listed`, indices_0 says which rows have
  // offsets.
  array<std::int32_t, host> read_majors(std::int32_t majors, bool listed) const {
    const dataset pointers = open_index("pointers_to_1");
    array<std::int32_t, host> lines;
    std::int64_t count = majors;
    if (listed) {
      const dataset indices_0 = open_index("indices_0");
      count = indices_0.length;
      lines = read_indices(indices_0, "indices_0", majors);
    }
    array<std::int32_t, host> expanded(stored_);
    if (stored_ == 0 && pointers.length == 0) return expanded;
    check_length(in_.path(), "pointers_to_1", pointers.length, count + 1,
                 listed ? "one more than indices_0" : "one more than lines in the shape");
    array<std::int64_t, host> offsets(pointers.length);
    in_.for_each<std::int64_t>(pointers, "pointers_to_1",
                               [&](std::int64_t i, std::int64_t offset) { offsets[i] = offset; });
    check_offsets(in_.path(), "pointers_to_1", offsets, stored_);
    for (std::int64_t i = 0; i < count; ++i)
      std::fill(expanded.begin() + offsets[i], expanded.begin() + offsets[i + 1],
                listed ? lines[i] : static_cast<std::int32_t>(i));
    return expanded;
  }

  // Entries on the other side would count twice once the matrix is expanded.
  void check_triangle() const {
    if (result_.symmetry == symmetry_kind::general) return;
    const auto& e = result_.entries;
    for (std::int64_t i = 0; i < stored_; ++i)
      if (lower_ ? e.row_indices[i] < e.col_indices[i] : e.row_indices[i] > e.col_indices[i])
        refuse_input(in_.path(), fmt::format("entry {} at row {}, column {} is not in the {} triangle", i,
                                             e.row_indices[i], e.col_indices[i], lower_ ? "lower" : "upper"));
  }

  void read_values() {
    std::optional<dataset> set = in_.open(group_, "values");
    if (!set && stored_ == 0) set.emplace();
    if (!set) refuse_input(in_.path(), "array values is missing");
    const std::int64_t length = set->length;
    if (!(iso_ && stored_ == 0 && length == 0))
      check_length(in_.path(), "values", length, iso_ ? 1 : stored_,
                   iso_ ? "all values are the same" : "as many as indices_1");
    result_.field = value_type_.starts_with("float") ? "real" : "integer";
    result_.single_precision = value_type_ == "float32";
    auto& values = result_.entries.values;
    values = array<double, host>(stored_);
    if (length == 0) return;

    std::int64_t rounded = 0;
    double same = 0;
    const auto store = [&](std::int64_t i, auto value) {
      const double v =
          value_type_ == "bint8" ? (value != decltype(value){0} ? 1.0 : 0.0) : value_from(value, rounded);
      (iso_ ? same : values[i]) = v;
    };
    const bool wide = set->size == 4 || set->size == 8;
    // h5py writes Booleans as an enumeration of 8-bit integers.
    if ((set->kind == H5T_INTEGER && set->is_signed) || (set->kind == H5T_ENUM && value_type_ == "bint8"))
      in_.for_each<std::int64_t>(*set, "values", store);
    else if (set->kind == H5T_INTEGER)
      in_.for_each<std::uint64_t>(*set, "values", store);
    else if (set->kind == H5T_FLOAT && wide && result_.field == "real")
      in_.for_each<double>(*set, "values", store);
    else
      refuse_input(in_.path(),
                   fmt::format("array values is not of type {}, as the description says", value_type_));
    if (iso_) {
      std::fill(values.begin(), values.end(), same);
      rounded *= stored_;
    }
    result_.rounded_values = rounded;
  }

  input in_;
  handle group_;
  json description_;
  std::string format_;
  std::string value_type_;
  bool iso_ = false;
  bool lower_ = false;
  std::optional<std::int64_t> announced_;
  std::int64_t stored_ = 0;
  matrix_entries result_;
};

// A description that is no JSON, or not the JSON it should be, is a damaged file like any other.
template <class Reader>
auto read_with(const std::string& path) {
  try {
    return Reader(path).read();
  } catch (const nlohmann::json::exception& e) {
    refuse_input(path, fmt::format("the description of the matrix is not understood: {}", e.what()));
  }
}

}  // namespace

template <class Format>
void write_container(const std::string& path, const Format& f, int offset_bits) {
  output out(path);
  json description = {{"version", container_version}, {"format", Format::name},
                      {"offset_bits", offset_bits},   {"value_bits", 8 * sizeof(typename Format::value_type)},
                      {"parameters", json::object()}, {"arrays", json::array()}};
  for_each_member(f, [&](const char* name, const auto& member) {
    using type = std::remove_cvref_t<decltype(member)>;
    if constexpr (is_array<type>) {
      out.put(name, member);
      description["arrays"].push_back({{"name", name},
                                       {"type", type_name<element_of<type>>()},
                                       {"length", member.size()},
                                       {"crc32", checksum(member.data(), byte_size(member))}});
    } else {
      description["parameters"][name] = member;
    }
  });
  const std::string text = description.dump();
  out.put_text(container_attribute, text);
  out.put_text(checksum_attribute, checksum(text.data(), text.size()));
  out.close();
}

stored_matrix read_container(const std::string& path) {
  return read_with<container_reader>(path);
}

template <class Format>
void write_binsparse(const std::string& path, const Format& f) {
  output out(path);
  json types = json::object();
  const auto put = [&](const char* name, const auto& from) {
    out.put(name, from);
    types[name] = type_name<element_of<std::remove_cvref_t<decltype(from)>>>();
  };
  const char* format = "COOR";
  if constexpr (requires { f.row_offsets; }) {
    format = "CSR";
    put("pointers_to_1", f.row_offsets);
    put("indices_1", f.col_indices);
  } else if constexpr (requires { f.col_offsets; }) {
    format = "CSC";
    put("pointers_to_1", f.col_offsets);
    put("indices_1", f.row_indices);
  } else {
    put("indices_0", f.row_indices);
    put("indices_1", f.col_indices);
  }
  put("values", f.values);
  const json description = {{"binsparse",
                             {{"version", "0.1"},
                              {"format", format},
                              {"shape", json::array({f.rows, f.cols})},
                              {"number_of_stored_values", f.values.size()},
                              {"data_types", types}}}};
  out.put_text(binsparse_attribute, description.dump());
  out.close();
}

matrix_entries read_binsparse(const std::string& path) {
  return read_with<binsparse_reader>(path);
}

bool is_binsparse(const std::string& path) {
  try {
    return input(path).binsparse_group().has_value();
  } catch (const error&) {
    return false;
  }
}

template void write_container(const std::string&, const coo<float, host>&, int);
template void write_container(const std::string&, const coo<double, host>&, int);
template void write_container(const std::string&, const ell<float, host>&, int);
template void write_container(const std::string&, const ell<double, host>&, int);
template void write_container(const std::string&, const hyb<float, host>&, int);
template void write_container(const std::string&, const hyb<double, host>&, int);
template void write_container(const std::string&, const csr<std::int32_t, float, host>&, int);
template void write_container(const std::string&, const csr<std::int32_t, double, host>&, int);
template void write_container(const std::string&, const csr<std::int64_t, float, host>&, int);
template void write_container(const std::string&, const csr<std::int64_t, double, host>&, int);
template void write_container(const std::string&, const csc<std::int32_t, float, host>&, int);
template void write_container(const std::string&, const csc<std::int32_t, double, host>&, int);
template void write_container(const std::string&, const csc<std::int64_t, float, host>&, int);
template void write_container(const std::string&, const csc<std::int64_t, double, host>&, int);
template void write_container(const std::string&, const sell<std::int32_t, float, host>&, int);
template void write_container(const std::string&, const sell<std::int32_t, double, host>&, int);
template void write_container(const std::string&, const sell<std::int64_t, float, host>&, int);
template void write_container(const std::string&, const sell<std::int64_t, double, host>&, int);

template void write_container(const std::string&, const bsr<std::int32_t, float, host>&, int);
template void write_container(const std::string&, const bsr<std::int32_t, double, host>&, int);
template void write_container(const std::string&, const bsr<std::int64_t, float, host>&, int);
template void write_container(const std::string&, const bsr<std::int64_t, double, host>&, int);
template void write_container(const std::string&, const csb<std::int32_t, float, host>&, int);
template void write_container(const std::string&, const csb<std::int32_t, double, host>&, int);
template void write_container(const std::string&, const csb<std::int64_t, float, host>&, int);
template void write_container(const std::string&, const csb<std::int64_t, double, host>&, int);
template void write_container(const std::string&, const ecsb<std::int32_t, float, host>&, int);
template void write_container(const std::string&, const ecsb<std::int32_t, double, host>&, int);
template void write_container(const std::string&, const ecsb<std::int64_t, float, host>&, int);
template void write_container(const std::string&, const ecsb<std::int64_t, double, host>&, int);
template void write_container(const std::string&, const gcsb<std::int32_t, float, host>&, int);
template void write_container(const std::string&, const gcsb<std::int32_t, double, host>&, int);
template void write_container(const std::string&, const gcsb<std::int64_t, float, host>&, int);
template void write_container(const std::string&, const gcsb<std::int64_t, double, host>&, int);
template void write_container(const std::string&, const gcsb_tile<std::int32_t, float, host>&, int);
template void write_container(const std::string&, const gcsb_tile<std::int32_t, double, host>&, int);
template void write_container(const std::string&, const gcsb_tile<std::int64_t, float, host>&, int);
template void write_container(const std::string&, const gcsb_tile<std::int64_t, double, host>&, int);

template void write_binsparse(const std::string&, const coo<float, host>&);
template void write_binsparse(const std::string&, const coo<double, host>&);
template void write_binsparse(const std::string&, const csr<std::int32_t, float, host>&);
template void write_binsparse(const std::string&, const csr<std::int32_t, double, host>&);
template void write_binsparse(const std::string&, const csr<std::int64_t, float, host>&);
template void write_binsparse(const std::string&, const csr<std::int64_t, double, host>&);
template void write_binsparse(const std::string&, const csc<std::int32_t, float, host>&);
template void write_binsparse(const std::string&, const csc<std::int32_t, double, host>&);
template void write_binsparse(const std::string&, const csc<std::int64_t, float, host>&);
template void write_binsparse(const std::string&, const csc<std::int64_t, double, host>&);

}  // namespace sparsmith
