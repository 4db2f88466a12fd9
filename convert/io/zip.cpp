// The zip reader and writer. Field layout after PKWARE's APPNOTE 6.3: end of central directory (4.3.16), its
// zip64 relatives (4.3.14, 4.3.15), central and local headers (4.3.12, 4.3.7), zip64 extra field (4.5.3).
#include "convert/io/zip.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <utility>

#include "convert/io/bounds.hpp"

namespace sparsmith {
namespace {

constexpr std::uint32_t local_signature = 0x04034b50;
constexpr std::uint32_t central_signature = 0x02014b50;
constexpr std::uint32_t end_signature = 0x06054b50;
constexpr std::uint32_t end64_signature = 0x06064b50;
constexpr std::uint32_t locator64_signature = 0x07064b50;
constexpr std::size_t local_bytes = 30, central_bytes = 46, end_bytes = 22, end64_bytes = 56,
                      locator64_bytes = 20;
constexpr std::uint16_t stored = 0, deflated = 8, zip64_field = 1;
constexpr std::uint32_t in_zip64_field = 0xffffffff;
constexpr std::uint16_t old_version = 20, zip64_version = 45;
// Deflate's shortest code for its longest match is 2 bits for 258 bytes, so no member can expand further.
constexpr std::uint64_t largest_expansion = 1032;
constexpr std::uint64_t largest_directory = 16u << 20;
constexpr std::size_t buffer_bytes = 256u << 10;

template <class T>
T get(const unsigned char* from) {
  T value = 0;
  for (std::size_t i = 0; i < sizeof(T); ++i)
    value = static_cast<T>(value | static_cast<T>(T{from[i]} << (8 * i)));
  return value;
}

template <class T>
void append(std::vector<unsigned char>& to, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) to.push_back(static_cast<unsigned char>(value >> (8 * i)));
}

void append(std::vector<unsigned char>& to, const std::string& text) {
  to.insert(to.end(), text.begin(), text.end());
}

uInt zlib_size(std::size_t bytes) {
  return static_cast<uInt>(std::min<std::size_t>(bytes, 1u << 30));
}

// The 64-bit values replace, in this order, those of the three fields that hold the marker.
void read_zip64_field(const unsigned char* extra, std::size_t bytes, zip_member& m, const std::string& path) {
  std::uint64_t* wanted[3];
  std::size_t count = 0;
  for (std::uint64_t* field : {&m.bytes, &m.packed_bytes, &m.header_position})
    if (*field == in_zip64_field) wanted[count++] = field;
  for (std::size_t at = 0; count > 0 && at + 4 <= bytes;) {
    const std::size_t length = get<std::uint16_t>(extra + at + 2);
    if (at + 4 + length > bytes) break;
    if (get<std::uint16_t>(extra + at) == zip64_field) {
      if (length < 8 * count) break;
      for (std::size_t i = 0; i < count; ++i) *wanted[i] = get<std::uint64_t>(extra + at + 4 + 8 * i);
      return;
    }
    at += 4 + length;
  }
  // A size of exactly 0xffffffff without the field is legal; the checks of sizes that follow judge it.
  if (count > 0 && bytes > 0) refuse_input(path, fmt::format("damaged zip64 field of member {}", m.name));
}

}  // namespace

zip_reader::zip_reader(std::string path) : path_(std::move(path)) {
  file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0) refuse_input(path_, fmt::format("could not open: {}", std::strerror(errno)));
  try {
    struct stat status {};
    if (::fstat(file_, &status) != 0)
      refuse_input(path_, fmt::format("could not read: {}", std::strerror(errno)));
    if (!S_ISREG(status.st_mode)) refuse_input(path_, "is not a regular file");
    size_ = static_cast<std::uint64_t>(status.st_size);

    // The end record is the last thing in the file but for a comment of at most 65535 bytes.
    const std::size_t tail_bytes =
        static_cast<std::size_t>(std::min<std::uint64_t>(size_, end_bytes + 0xffff + locator64_bytes));
    const std::uint64_t tail_position = size_ - tail_bytes;
    std::vector<unsigned char> tail(tail_bytes);
    read_at(tail_position, tail.data(), tail_bytes);
    std::size_t at = tail_bytes < end_bytes ? 0 : tail_bytes - end_bytes + 1;
    bool found = false;
    while (!found && at-- > 0)
      found = get<std::uint32_t>(tail.data() + at) == end_signature &&
              at + end_bytes + get<std::uint16_t>(tail.data() + at + 20) == tail_bytes;
    if (!found) refuse_input(path_, "is not a complete zip archive: it has no end record");

    const unsigned char* end = tail.data() + at;
    if (get<std::uint16_t>(end + 4) != 0 || get<std::uint16_t>(end + 6) != 0)
      if (get<std::uint16_t>(end + 4) != 0xffff)
        refuse_unsupported(path_, "is a zip archive in several parts");
    std::uint64_t count = get<std::uint16_t>(end + 10);
    std::uint64_t bytes = get<std::uint32_t>(end + 12);
    std::uint64_t position = get<std::uint32_t>(end + 16);
    std::uint64_t limit = tail_position + at;
    if (at >= locator64_bytes && get<std::uint32_t>(end - locator64_bytes) == locator64_signature) {
      const std::uint64_t end64 = get<std::uint64_t>(end - locator64_bytes + 8);
      unsigned char record[end64_bytes];
      if (size_ < end64_bytes || end64 > size_ - end64_bytes) refuse_input(path_, "damaged zip64 end record");
      read_at(end64, record, end64_bytes);
      if (get<std::uint32_t>(record) != end64_signature) refuse_input(path_, "damaged zip64 end record");
      count = get<std::uint64_t>(record + 32);
      bytes = get<std::uint64_t>(record + 40);
      position = get<std::uint64_t>(record + 48);
      limit = end64;
    }
    if (bytes > limit || position > limit - bytes)
      refuse_input(path_, "damaged zip archive: its directory is outside it");
    read_directory(position, bytes, count);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

zip_reader::~zip_reader() {
  ::close(file_);
}

void zip_reader::read_at(std::uint64_t position, void* to, std::size_t bytes) const {
  auto* target = static_cast<unsigned char*>(to);
  while (bytes > 0) {
    const ssize_t got =
        ::pread(file_, target, std::min<std::size_t>(bytes, 1u << 30), static_cast<off_t>(position));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse_input(path_, fmt::format("could not read: {}", std::strerror(errno)));
    if (got == 0) refuse_input(path_, "ends too early");
    target += got;
    bytes -= static_cast<std::size_t>(got);
    position += static_cast<std::uint64_t>(got);
  }
}

void zip_reader::read_directory(std::uint64_t position, std::uint64_t bytes, std::uint64_t count) {
  if (bytes > largest_directory) refuse_input(path_, "damaged zip archive: its directory is far too large");
  directory_position_ = position;
  std::vector<unsigned char> directory(static_cast<std::size_t>(bytes));
  read_at(position, directory.data(), directory.size());
  std::size_t at = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const unsigned char* record = directory.data() + at;
    if (directory.size() - at < central_bytes || get<std::uint32_t>(record) != central_signature)
      refuse_input(path_, "damaged zip archive: its directory is broken");
    const std::size_t name_bytes = get<std::uint16_t>(record + 28);
    const std::size_t extra_bytes = get<std::uint16_t>(record + 30);
    const std::size_t record_bytes =
        central_bytes + name_bytes + extra_bytes + get<std::uint16_t>(record + 32);
    if (directory.size() - at < record_bytes)
      refuse_input(path_, "damaged zip archive: its directory is broken");
    zip_member m;
    m.name.assign(reinterpret_cast<const char*>(record + central_bytes), name_bytes);
    m.method = get<std::uint16_t>(record + 10);
    m.crc = get<std::uint32_t>(record + 16);
    m.packed_bytes = get<std::uint32_t>(record + 20);
    m.bytes = get<std::uint32_t>(record + 24);
    m.header_position = get<std::uint32_t>(record + 42);
    read_zip64_field(record + central_bytes + name_bytes, extra_bytes, m, path_);
    if ((get<std::uint16_t>(record + 8) & 1u) != 0) refuse_unsupported(path_, "is an encrypted archive");
    members_.push_back(std::move(m));
    at += record_bytes;
  }
  if (at != directory.size()) refuse_input(path_, "damaged zip archive: its directory is broken");
  require_apart();
}

// Members that share their bytes are how a small archive unpacks to any size, and are told apart by no two
// programs alike. A member takes its header, which repeats its name, and what is packed.
void zip_reader::require_apart() const {
  std::vector<const zip_member*> in_order;
  for (const zip_member& m : members_) in_order.push_back(&m);
  std::sort(in_order.begin(), in_order.end(),
            [](const zip_member* a, const zip_member* b) { return a->header_position < b->header_position; });
  for (std::size_t i = 1; i < in_order.size(); ++i) {
    const zip_member& m = *in_order[i - 1];
    const std::uint64_t room = in_order[i]->header_position - m.header_position;
    const std::uint64_t header = local_bytes + m.name.size();
    if (room < header || room - header < m.packed_bytes)
      refuse_input(path_, "damaged zip archive: its members overlap");
  }
}

const zip_member* zip_reader::find(std::string_view name) const {
  const auto is_it = [&](const zip_member& m) { return m.name == name; };
  const auto found = std::find_if(members_.begin(), members_.end(), is_it);
  if (found == members_.end()) return nullptr;
  if (std::any_of(found + 1, members_.end(), is_it)) refuse_input(path_, fmt::format("holds {} twice", name));
  return &*found;
}

std::string_view first_zip_name(std::string_view start) {
  const auto* const header = reinterpret_cast<const unsigned char*>(start.data());
  if (start.size() < local_bytes || get<std::uint32_t>(header) != local_signature) return {};
  return start.substr(local_bytes, get<std::uint16_t>(header + 26));
}

zip_stream::zip_stream(const zip_reader& archive, const zip_member& member)
    : archive_(archive), member_(member) {
  const std::uint64_t end = archive.directory_position_;  // members lie before the directory
  if (end < local_bytes || member.header_position > end - local_bytes) damaged("it is outside the file");
  unsigned char header[local_bytes];
  archive.read_at(member.header_position, header, local_bytes);
  if (get<std::uint32_t>(header) != local_signature || get<std::uint16_t>(header + 8) != member.method)
    damaged("its header is broken");
  position_ = member.header_position + local_bytes + get<std::uint16_t>(header + 26) +
              get<std::uint16_t>(header + 28);
  if (position_ > end || member.packed_bytes > end - position_) damaged("it is longer than the file");
  std::string name(get<std::uint16_t>(header + 26), '\0');
  archive.read_at(member.header_position + local_bytes, name.data(), name.size());
  if (name != member.name) damaged("its header has another name");
  packed_left_ = member.packed_bytes;
  if (member.method == stored) {
    if (member.bytes != member.packed_bytes) damaged("its sizes disagree");
  } else if (member.method == deflated) {
    if (member.bytes / largest_expansion > member.packed_bytes)
      damaged(fmt::format("{} bytes cannot come out of {}", member.bytes, member.packed_bytes));
    packed_.resize(buffer_bytes);
    // Negative window bits: a raw deflate stream without zlib's own header.
    if (::inflateInit2(&inflater_, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
  } else {
    refuse_unsupported(archive.path(),
                       fmt::format("{} is packed with zip method {}, only stored and deflated are read",
                                   member.name, member.method));
  }
}

zip_stream::~zip_stream() {
  if (member_.method == deflated) ::inflateEnd(&inflater_);
}

void zip_stream::damaged(const std::string& what) const {
  refuse_input(archive_.path(), fmt::format("member {} is damaged: {}", member_.name, what));
}

std::size_t zip_stream::refill() {
  const auto bytes = static_cast<std::size_t>(std::min<std::uint64_t>(packed_left_, packed_.size()));
  archive_.read_at(position_, packed_.data(), bytes);
  position_ += bytes;
  packed_left_ -= bytes;
  return bytes;
}

void zip_stream::read(void* to, std::size_t bytes) {
  if (bytes > remaining()) damaged("it ends too early");
  if (member_.method == stored) {
    archive_.read_at(position_, to, bytes);
    position_ += bytes;
    packed_left_ -= bytes;
  } else {
    auto* target = static_cast<unsigned char*>(to);
    for (std::size_t left = bytes; left > 0;) {
      if (inflater_.avail_in == 0) {
        inflater_.next_in = packed_.data();
        inflater_.avail_in = static_cast<uInt>(refill());
      }
      inflater_.next_out = target;
      inflater_.avail_out = zlib_size(left);
      const int status = ::inflate(&inflater_, Z_NO_FLUSH);
      const auto made = static_cast<std::size_t>(inflater_.next_out - target);
      target += made;
      left -= made;
      if (status == Z_STREAM_END ? left > 0 : status != Z_OK) damaged("its compressed data are broken");
    }
  }
  crc_ = static_cast<std::uint32_t>(::crc32_z(crc_, static_cast<const unsigned char*>(to), bytes));
  delivered_ += bytes;
}

void zip_stream::finish() {
  std::vector<unsigned char> rest(
      static_cast<std::size_t>(std::min<std::uint64_t>(remaining(), buffer_bytes)));
  while (remaining() > 0)
    read(rest.data(), static_cast<std::size_t>(std::min<std::uint64_t>(remaining(), rest.size())));
  if (member_.method == deflated) {
    // The end mark may still be ahead: ask for one byte more, which must not come.
    unsigned char more = 0;
    int status = Z_OK;
    while (status == Z_OK) {
      if (inflater_.avail_in == 0) {
        inflater_.next_in = packed_.data();
        inflater_.avail_in = static_cast<uInt>(refill());
      }
      inflater_.next_out = &more;
      inflater_.avail_out = 1;
      status = ::inflate(&inflater_, Z_NO_FLUSH);
      if (inflater_.avail_out == 0) damaged("it is longer than announced");
    }
    if (status != Z_STREAM_END || inflater_.avail_in != 0 || packed_left_ != 0)
      damaged("its compressed data are broken");
  }
  if (crc_ != member_.crc) damaged(fmt::format("checksum {:08x}, expected {:08x}", crc_, member_.crc));
}

zip_writer::zip_writer(std::string path, std::uint64_t zip64_from)
    : path_(std::move(path)), zip64_from_(zip64_from) {
  file_ = std::fopen(path_.c_str(), "wbe");
  if (file_ == nullptr) failed();
  packed_.resize(buffer_bytes);
}

zip_writer::~zip_writer() {
  if (deflating_) ::deflateEnd(&deflater_);
  if (file_ != nullptr) std::fclose(file_);
}

void zip_writer::failed() const {
  throw error(failure::output, fmt::format("{}: could not write: {}", path_, std::strerror(errno)));
}

void zip_writer::put(const void* data, std::size_t bytes) {
  if (std::fwrite(data, 1, bytes, file_) != bytes) failed();
  position_ += bytes;
}

std::vector<unsigned char> zip_writer::local_header(const entry& e) const {
  std::vector<unsigned char> out;
  append(out, local_signature);
  append(out, e.wide ? zip64_version : old_version);
  append(out, std::uint16_t{0});  // flags
  append(out, e.method);
  append(out, std::uint32_t{0x210000});  // 1980-01-01: the same matrix gives the same bytes
  append(out, e.crc);
  append(out, e.wide ? in_zip64_field : static_cast<std::uint32_t>(e.packed_bytes));
  append(out, e.wide ? in_zip64_field : static_cast<std::uint32_t>(e.bytes));
  append(out, static_cast<std::uint16_t>(e.name.size()));
  append(out, static_cast<std::uint16_t>(e.wide ? 20 : 0));
  append(out, e.name);
  if (e.wide) {
    append(out, zip64_field);
    append(out, std::uint16_t{16});
    append(out, e.bytes);
    append(out, e.packed_bytes);
  }
  return out;
}

void zip_writer::begin(const std::string& name, std::uint64_t bytes, bool compress) {
  entry e;
  e.name = name;
  e.method = compress ? deflated : stored;
  e.bytes = bytes;
  e.header_position = position_;
  // Data that do not compress grow by up to 5 bytes per 16 KiB block.
  e.wide = bytes + bytes / 1024 + 64 >= zip64_from_;
  put(local_header(e));  // once more in end(), with checksum and packed size
  delivered_ = 0;
  if (compress) {
    deflater_ = {};
    if (::deflateInit2(&deflater_, 1, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
    deflating_ = true;
  }
  entries_.push_back(std::move(e));
}

void zip_writer::deflate_input(int flush) {
  do {
    deflater_.next_out = packed_.data();
    deflater_.avail_out = static_cast<uInt>(packed_.size());
    ::deflate(&deflater_, flush);
    const std::size_t made = packed_.size() - deflater_.avail_out;
    put(packed_.data(), made);
    entries_.back().packed_bytes += made;
  } while (deflater_.avail_out == 0);
}

void zip_writer::write(const void* data, std::size_t bytes) {
  entry& e = entries_.back();
  const auto* from = static_cast<const unsigned char*>(data);
  delivered_ += bytes;
  while (bytes > 0) {
    const uInt part = zlib_size(bytes);
    e.crc = static_cast<std::uint32_t>(::crc32_z(e.crc, from, part));
    if (deflating_) {
      deflater_.next_in = const_cast<unsigned char*>(from);  // zlib reads only, its type does not say so
      deflater_.avail_in = part;
      deflate_input(Z_NO_FLUSH);
    } else {
      put(from, part);
      e.packed_bytes += part;
    }
    from += part;
    bytes -= part;
  }
}

void zip_writer::end() {
  entry& e = entries_.back();
  if (delivered_ != e.bytes) throw std::logic_error("zip_writer: a member differs from its announced size");
  if (deflating_) {
    deflater_.avail_in = 0;
    deflate_input(Z_FINISH);
    ::deflateEnd(&deflater_);
    deflating_ = false;
  }
  const std::vector<unsigned char> header = local_header(e);
  if (::fseeko(file_, static_cast<off_t>(e.header_position), SEEK_SET) != 0) failed();
  if (std::fwrite(header.data(), 1, header.size(), file_) != header.size()) failed();
  if (::fseeko(file_, static_cast<off_t>(position_), SEEK_SET) != 0) failed();
}

void zip_writer::close() {
  const std::uint64_t directory = position_;
  const auto narrow = [&](std::uint64_t value) {
    return value >= zip64_from_ ? in_zip64_field : static_cast<std::uint32_t>(value);
  };
  bool any_wide = false;
  for (const entry& e : entries_) {
    std::vector<unsigned char> extra;
    for (const std::uint64_t value : {e.bytes, e.packed_bytes, e.header_position})
      if (value >= zip64_from_) append(extra, value);
    const bool wide = e.wide || !extra.empty();
    any_wide = any_wide || wide;
    const std::uint16_t version = wide ? zip64_version : old_version;
    std::vector<unsigned char> out;
    append(out, central_signature);
    append(out, version);
    append(out, version);
    append(out, std::uint16_t{0});
    append(out, e.method);
    append(out, std::uint32_t{0x210000});
    append(out, e.crc);
    append(out, narrow(e.packed_bytes));
    append(out, narrow(e.bytes));
    append(out, static_cast<std::uint16_t>(e.name.size()));
    append(out, static_cast<std::uint16_t>(extra.empty() ? 0 : extra.size() + 4));
    append(out, std::uint64_t{0});  // no comment, disk 0, no attributes
    append(out, std::uint16_t{0});
    append(out, narrow(e.header_position));
    append(out, e.name);
    if (!extra.empty()) {
      append(out, zip64_field);
      append(out, static_cast<std::uint16_t>(extra.size()));
      out.insert(out.end(), extra.begin(), extra.end());
    }
    put(out);
  }
  const std::uint64_t bytes = position_ - directory;
  std::vector<unsigned char> out;
  if (any_wide || directory >= zip64_from_) {
    const std::uint64_t end64 = position_;
    append(out, end64_signature);
    append(out, std::uint64_t{end64_bytes - 12});
    append(out, zip64_version);
    append(out, zip64_version);
    append(out, std::uint64_t{0});  // this disk, disk of the directory
    append(out, std::uint64_t{entries_.size()});
    append(out, std::uint64_t{entries_.size()});
    append(out, bytes);
    append(out, directory);
    append(out, locator64_signature);
    append(out, std::uint32_t{0});
    append(out, end64);
    append(out, std::uint32_t{1});
  }
  append(out, end_signature);
  append(out, std::uint32_t{0});  // this disk, disk of the directory
  append(out, static_cast<std::uint16_t>(entries_.size()));
  append(out, static_cast<std::uint16_t>(entries_.size()));
  append(out, narrow(bytes));
  append(out, narrow(directory));
  append(out, std::uint16_t{0});
  put(out);
  if (std::fflush(file_) != 0) failed();
  if (std::fclose(std::exchange(file_, nullptr)) != 0) failed();
}

}  // namespace sparsmith
