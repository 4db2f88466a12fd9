#include "tests/fuzz/resign.hpp"

#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <random>

namespace sparsmith::fuzz {
namespace {

template <class T>
T get(const std::string& bytes, std::size_t at) {
  T value = 0;
  if (at + sizeof(T) <= bytes.size()) std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}
template <class T>
void put(std::string& bytes, std::size_t at, T value) {
  if (at + sizeof(T) <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof(T));
}
template <class T>
void append(std::string& bytes, T value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

std::uint32_t crc_of(std::string_view bytes) {
  return static_cast<std::uint32_t>(
      ::crc32_z(::crc32_z(0, nullptr, 0), reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

std::string hexadecimal(std::uint32_t number) {
  std::string text(8, '0');
  for (std::size_t i = 0; i < 8; ++i) text[i] = "0123456789abcdef"[number >> (28 - 4 * i) & 15];
  return text;
}

// A deflate stream, with zlib's window bits; `end` becomes where it stops.
std::string inflated(std::string_view bytes, int window_bits, std::size_t longest,
                     std::size_t* end = nullptr) {
  std::string text;
  z_stream stream{};
  if (::inflateInit2(&stream, window_bits) != Z_OK) return text;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  char part[4096];
  int status = Z_OK;
  while (status == Z_OK && text.size() < longest) {
    stream.next_out = reinterpret_cast<Bytef*>(part);
    stream.avail_out = sizeof part;
    status = ::inflate(&stream, Z_NO_FLUSH);
    text.append(part, sizeof part - stream.avail_out);
    if (stream.avail_in == 0 && stream.avail_out > 0) break;
  }
  if (end != nullptr) *end = status == Z_STREAM_END ? bytes.size() - stream.avail_in : 0;
  ::inflateEnd(&stream);
  text.resize(std::min(text.size(), longest));
  return text;
}

std::string deflated(const std::string& text, int window_bits, int level) {
  z_stream stream{};
  if (::deflateInit2(&stream, level, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY) != Z_OK) return {};
  std::string packed(::deflateBound(&stream, static_cast<uLong>(text.size())) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  ::deflate(&stream, Z_FINISH);
  packed.resize(packed.size() - stream.avail_out);
  ::deflateEnd(&stream);
  return packed;
}

constexpr int raw_deflate = -MAX_WBITS, gzip_deflate = MAX_WBITS + 16;

// Where the header of a gzip member ends; 0 where there is none.
std::size_t gzip_header_end(const std::string& bytes) {
  if (bytes.size() < 18 || !bytes.starts_with("\x1f\x8b")) return 0;
  const auto flags = static_cast<unsigned char>(bytes[3]);
  std::size_t at = 10;
  if ((flags & 4) != 0) at += 2u + get<std::uint16_t>(bytes, at);
  for (const int named : {8, 16})
    if ((flags & named) != 0) at = std::min(bytes.find('\0', std::min(at, bytes.size())), bytes.size()) + 1;
  if ((flags & 2) != 0) at += 2;
  return at < bytes.size() ? at : 0;
}

struct zip_record {
  std::size_t central, local, data, packed;
  std::uint16_t method;
};

// The members that the directory at the end of an archive lists, as far as it makes sense.
std::vector<zip_record> zip_records(const std::string& bytes) {
  std::vector<zip_record> records;
  const std::size_t end = bytes.rfind("PK\5\6");
  if (end == std::string::npos || end + 22 > bytes.size()) return records;
  const std::size_t count = get<std::uint16_t>(bytes, end + 10);
  std::size_t at = get<std::uint32_t>(bytes, end + 16);
  for (std::size_t i = 0; i < count && at + 46 <= bytes.size() && bytes.compare(at, 4, "PK\1\2") == 0; ++i) {
    const std::size_t local = get<std::uint32_t>(bytes, at + 42);
    if (local + 30 <= bytes.size()) {
      const std::size_t data =
          local + 30 + get<std::uint16_t>(bytes, local + 26) + get<std::uint16_t>(bytes, local + 28);
      const std::size_t packed = get<std::uint32_t>(bytes, at + 20);
      if (data <= bytes.size() && packed <= bytes.size() - data)
        records.push_back({at, local, data, packed, get<std::uint16_t>(bytes, at + 10)});
    }
    at += 46u + get<std::uint16_t>(bytes, at + 28) + get<std::uint16_t>(bytes, at + 30) +
          get<std::uint16_t>(bytes, at + 32);
  }
  return records;
}

constexpr std::size_t most_of_a_member = 1 << 20;

std::string content_of(const std::string& bytes, const zip_record& record, std::size_t longest) {
  const std::string_view packed = std::string_view(bytes).substr(record.data, record.packed);
  return record.method == 8 ? inflated(packed, raw_deflate, longest) : std::string(packed.substr(0, longest));
}

std::string mutated(std::string bytes, std::size_t longest, const raw_mutation& mutate) {
  const std::size_t size = std::min(bytes.size(), longest);
  bytes.resize(longest);
  bytes.resize(mutate(bytes.data(), size, longest));
  return bytes;
}

// Changes that leave everything where it is.
void change_in_place(std::string& bytes, std::mt19937& random, const std::vector<bool>* where = nullptr) {
  if (bytes.empty()) return;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto any = below(bytes.size());
  // Headers are a small part of what a file is; where bytes are not zero there is more to spoil.
  std::size_t at = any;
  const auto worth = [&](std::size_t i) { return where == nullptr ? bytes[i] != 0 : (*where)[i]; };
  for (int i = 0; i < 64 && !worth(at); ++i) at = below(bytes.size());
  if (where != nullptr && !worth(at)) return;
  const std::size_t widths[] = {1, 2, 4, 8};
  const std::size_t width = std::min(widths[below(4)], bytes.size() - at);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + at, width);
  switch (below(6)) {
    case 0:
      value ^= std::uint64_t{1} << below(8 * width);
      break;
    case 1:
      value += below(9) - 4;
      break;
    case 2: {
      const std::uint64_t edges[] = {0,
                                     1,
                                     0x7f,
                                     0x80,
                                     0xff,
                                     0x7fff,
                                     0x8000,
                                     0xffff,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     std::uint64_t{1} << 32,
                                     ~std::uint64_t{0} >> 1,
                                     std::uint64_t{1} << 63,
                                     ~std::uint64_t{0}};
      value = edges[below(std::size(edges))];
      break;
    }
    case 3:
      value = random();
      break;
    case 4:
      std::memcpy(&value, bytes.data() + below(bytes.size() - width + 1), width);
      break;
    default: {
      // A run from elsewhere.
      const std::size_t run = 1 + below(std::min<std::size_t>(32, bytes.size() - at));
      const std::string copied = bytes.substr(below(bytes.size() - run + 1), run);
      bytes.replace(at, run, copied);
      return;
    }
  }
  std::memcpy(bytes.data() + at, &value, width);
}

}  // namespace

// ---- gzip ----

std::string packed_gzip(const std::string& text, int level) {
  return deflated(text, gzip_deflate, level);
}

std::string packed_zlib(const std::string& text, int level) {
  return deflated(text, MAX_WBITS, level);
}

std::string unpacked_gzip(const std::string& bytes, std::size_t longest) {
  const std::size_t header = gzip_header_end(bytes);
  return header == 0 ? std::string() : inflated(std::string_view(bytes).substr(header), raw_deflate, longest);
}

void sign_gzip(std::string& bytes) {
  const std::size_t header = gzip_header_end(bytes);
  if (header == 0) return;
  std::size_t end = 0;
  const std::string text =
      inflated(std::string_view(bytes).substr(header), raw_deflate, most_of_a_member, &end);
  if (end == 0) return;
  put(bytes, header + end, crc_of(text));
  put(bytes, header + end + 4, static_cast<std::uint32_t>(text.size()));
}

// ---- zip ----

std::string packed_zip(const std::vector<zip_content>& members, bool zip64) {
  std::string whole, directory;
  for (const zip_content& member : members) {
    const std::string packed =
        member.deflated ? deflated(member.content, raw_deflate, Z_DEFAULT_COMPRESSION) : member.content;
    // What a local and a central header share, from the version that is needed on.
    std::string shared, extra, extra_central;
    append<std::uint16_t>(shared, zip64 ? 45 : 20);
    append<std::uint16_t>(shared, 0);
    append<std::uint16_t>(shared, member.deflated ? 8 : 0);
    append<std::uint32_t>(shared, 0x00210000);  // the first of January 1980
    append<std::uint32_t>(shared, crc_of(member.content));
    append<std::uint32_t>(shared, zip64 ? 0xffffffff : static_cast<std::uint32_t>(packed.size()));
    append<std::uint32_t>(shared, zip64 ? 0xffffffff : static_cast<std::uint32_t>(member.content.size()));
    append<std::uint16_t>(shared, static_cast<std::uint16_t>(member.name.size()));
    if (zip64) {
      append<std::uint16_t>(extra, 1);
      append<std::uint16_t>(extra, 16);
      append<std::uint64_t>(extra, member.content.size());
      append<std::uint64_t>(extra, packed.size());
    }
    append(shared, static_cast<std::uint16_t>(extra.size()));
    directory += "PK\1\2";
    append<std::uint16_t>(directory, 20);
    directory += shared;
    directory += std::string(10, '\0');  // comment, disk, attributes
    append(directory, static_cast<std::uint32_t>(whole.size()));
    directory += member.name + extra;
    whole += "PK\3\4" + shared + member.name + extra + packed;
  }
  const std::size_t position = whole.size();
  whole += directory;
  if (zip64) {
    const std::size_t end64 = whole.size();
    whole += "PK\6\6";
    append<std::uint64_t>(whole, 44);
    append<std::uint16_t>(whole, 45);
    append<std::uint16_t>(whole, 45);
    append<std::uint64_t>(whole, 0);  // disks
    append<std::uint64_t>(whole, members.size());
    append<std::uint64_t>(whole, members.size());
    append<std::uint64_t>(whole, directory.size());
    append<std::uint64_t>(whole, position);
    whole += "PK\6\7";
    append<std::uint32_t>(whole, 0);
    append<std::uint64_t>(whole, end64);
    append<std::uint32_t>(whole, 1);
  }
  whole += "PK\5\6";
  append<std::uint32_t>(whole, 0);  // disks
  append(whole, static_cast<std::uint16_t>(members.size()));
  append(whole, static_cast<std::uint16_t>(members.size()));
  append(whole, static_cast<std::uint32_t>(directory.size()));
  append(whole, static_cast<std::uint32_t>(position));
  append<std::uint16_t>(whole, 0);
  return whole;
}

std::vector<zip_content> unpacked_zip(const std::string& bytes, std::size_t longest) {
  std::vector<zip_content> members;
  for (const zip_record& record : zip_records(bytes))
    members.push_back({bytes.substr(record.central + 46, get<std::uint16_t>(bytes, record.central + 28)),
                       content_of(bytes, record, longest), record.method == 8});
  return members;
}

void sign_zip(std::string& bytes) {
  for (const zip_record& record : zip_records(bytes)) {
    const std::string content = content_of(bytes, record, most_of_a_member);
    for (const std::size_t at : {record.central + 16, record.local + 14}) put(bytes, at, crc_of(content));
    for (const std::size_t at : {record.central + 24, record.local + 22})
      put(bytes, at, static_cast<std::uint32_t>(content.size()));
  }
}

// ---- tar ----

void sign_tar(std::string& bytes) {
  constexpr std::size_t block = 512, sum_at = 148, sum_bytes = 8;
  for (std::size_t at = 0; at + block <= bytes.size(); at += block) {
    if (bytes.compare(at + 257, 5, "ustar") != 0) continue;
    unsigned sum = ' ' * sum_bytes;
    for (std::size_t i = 0; i < block; ++i)
      if (i < sum_at || i >= sum_at + sum_bytes) sum += static_cast<unsigned char>(bytes[at + i]);
    for (std::size_t i = 0; i < 6; ++i)
      bytes[at + sum_at + i] = static_cast<char>('0' + (sum >> (3 * (5 - i)) & 7));
    bytes[at + sum_at + 6] = '\0';
    bytes[at + sum_at + 7] = ' ';
  }
}

// ---- HDF5 ----

// Bob Jenkins' hash of 2006, as far as HDF5 uses it.
std::uint32_t lookup3(std::string_view bytes) {
  const auto word = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4 && at + i < bytes.size(); ++i)
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    return value;
  };
  std::uint32_t a = 0xdeadbeef + static_cast<std::uint32_t>(bytes.size()), b = a, c = a;
  std::size_t at = 0;
  for (; bytes.size() - at > 12; at += 12) {
    a += word(at);
    b += word(at + 4);
    c += word(at + 8);
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  if (at == bytes.size()) return c;
  a += word(at);
  b += word(at + 4);
  c += word(at + 8);
  c ^= b, c -= std::rotl(b, 14);
  a ^= c, a -= std::rotl(c, 11);
  b ^= a, b -= std::rotl(a, 25);
  c ^= b, c -= std::rotl(b, 16);
  a ^= c, a -= std::rotl(c, 4);
  b ^= a, b -= std::rotl(a, 14);
  c ^= b, c -= std::rotl(b, 24);
  return c;
}

hdf5_signatures::hdf5_signatures(const std::string& bytes) {
  constexpr std::size_t longest_structure = 4096;
  const std::string_view all = bytes;
  for (const char* const mark : {"\x89HDF", "OHDR", "OCHK", "FRHP", "BTHD", "BTLF", "BTIN", "FSHD", "FSSE"})
    for (std::size_t at = bytes.find(mark); at != std::string::npos; at = bytes.find(mark, at + 1))
      for (std::size_t length = 8; length < longest_structure && at + length + 4 <= bytes.size(); ++length)
        if (lookup3(all.substr(at, length)) == get<std::uint32_t>(bytes, at + length)) {
          structures_.push_back({at, at + length, at + length});
          break;
        }
  // A direct block of a fractal heap is signed as if its signature were zero; its size is a power of two.
  for (std::size_t at = bytes.find("FHDB"); at != std::string::npos; at = bytes.find("FHDB", at + 1))
    for (std::size_t length = 64; at + length <= bytes.size() && length <= 65536; length *= 2)
      for (std::size_t sum = at + 13; sum <= at + 24 && sum + 4 <= at + length; ++sum) {
        std::string block = bytes.substr(at, length);
        put<std::uint32_t>(block, sum - at, 0);
        if (lookup3(block) == get<std::uint32_t>(bytes, sum)) structures_.push_back({at, at + length, sum});
      }
  // Our description: JSON, signed by a text of eight digits elsewhere.
  const std::size_t json = bytes.find("{\"");
  if (json == std::string::npos) return;
  for (std::size_t end = bytes.find('}', json); end != std::string::npos && end < json + 16384;
       end = bytes.find('}', end + 1)) {
    const std::size_t sum = bytes.find(hexadecimal(crc_of(all.substr(json, end + 1 - json))));
    if (sum == std::string::npos) continue;
    texts_.push_back({json, end + 1, sum});
    break;
  }
  if (texts_.empty()) return;
  // The arrays: the description says how many bytes have which checksum, and trying says where they are.
  const std::string_view said = all.substr(json, texts_[0].end - json);
  const std::string_view member = "\"crc32\":\"";
  for (std::size_t at = said.find(member); at != std::string_view::npos; at = said.find(member, at + 1)) {
    const std::size_t sum = json + at + member.size();
    const std::size_t object = said.rfind('{', at);
    const std::string_view around = said.substr(object, said.find('}', at) - object);
    std::size_t length = 0, element = 0;
    if (const std::size_t found = around.find("\"length\":"); found != std::string_view::npos)
      length = static_cast<std::size_t>(std::atoll(around.data() + found + 9));
    for (const auto& [name, size] : {std::pair("16\"", 2), std::pair("32\"", 4), std::pair("64\"", 8)})
      if (around.find(std::string("\"type\":\"uint") + name) != std::string_view::npos ||
          around.find(std::string("\"type\":\"int") + name) != std::string_view::npos ||
          around.find(std::string("\"type\":\"float") + name) != std::string_view::npos)
        element = static_cast<std::size_t>(size);
    for (const auto& [name, size] : {std::pair("64\"", 8), std::pair("128\"", 16)})  // bits of both parts
      if (around.find(std::string("\"type\":\"complex") + name) != std::string_view::npos)
        element = static_cast<std::size_t>(size);
    const std::size_t size = length * element;
    if (size == 0) continue;
    const std::string wanted = bytes.substr(sum, 8);
    for (std::size_t place = 0; place + size <= bytes.size(); ++place)
      if (hexadecimal(crc_of(all.substr(place, size))) == wanted) {
        arrays_.push_back({place, place + size, sum});
        break;
      }
  }
}

std::vector<bool> hdf5_signatures::content_of(const std::string& bytes) const {
  std::vector<bool> content(bytes.size(), !structures_.empty());
  for (const range& r : structures_)
    std::fill(content.begin() + static_cast<std::ptrdiff_t>(r.begin),
              content.begin() + static_cast<std::ptrdiff_t>(std::max(r.end, r.at + 4)), false);
  // Where chunks lie, with their sizes and the filters they pass over, is a structure that nobody signs.
  for (std::size_t tree = bytes.find("TREE\1"); tree != std::string::npos;
       tree = bytes.find("TREE\1", tree + 1)) {
    constexpr std::size_t head = 24, longest_key = 32, address = 8;
    const std::size_t chunks = tree + 8 <= bytes.size() ? static_cast<unsigned char>(bytes[tree + 6]) : 0;
    const std::size_t end =
        std::min(tree + head + chunks * (longest_key + address) + longest_key, bytes.size());
    std::fill(content.begin() + static_cast<std::ptrdiff_t>(tree),
              content.begin() + static_cast<std::ptrdiff_t>(end), false);
  }
  if (const std::size_t json = bytes.find("{\""); json != std::string::npos) {
    const std::size_t end = std::min(bytes.find('\0', json), bytes.size());
    std::fill(content.begin() + static_cast<std::ptrdiff_t>(json),
              content.begin() + static_cast<std::ptrdiff_t>(std::min(end, json + 8192)), true);
  }
  return content;
}

bool hdf5_signatures::holds_for(const std::string& bytes) const {
  std::string again = bytes;
  sign(again);
  return count() > 0 && again == bytes;
}

void hdf5_signatures::sign(std::string& changed) const {
  const auto part = [&](const range& r) {
    return std::string_view(changed).substr(r.begin, r.end - r.begin);
  };
  for (const std::vector<range>* const list : {&arrays_, &texts_})
    for (const range& r : *list)
      if (r.end <= changed.size() && r.at + 8 <= changed.size())
        changed.replace(r.at, 8, hexadecimal(crc_of(part(r))));
  for (const range& r : structures_) {
    if (r.end > changed.size() || r.at + 4 > changed.size()) continue;
    if (r.at < r.end) put<std::uint32_t>(changed, r.at, 0);
    put(changed, r.at, lookup3(part(r)));
  }
}

// ---- mutations ----

std::string mutate_gzip(std::string before, std::size_t longest, std::uint32_t seed,
                        const raw_mutation& mutate) {
  std::mt19937 random(seed);
  const std::size_t way = random() % 4;
  if (way == 0) return mutated(std::move(before), longest, mutate);
  if (way == 1) {
    std::string bytes = mutated(std::move(before), longest, mutate);
    sign_gzip(bytes);
    return bytes;
  }
  const std::string text = mutated(unpacked_gzip(before, longest), longest, mutate);
  std::string packed = packed_gzip(text, static_cast<int>(random() % 3) * 3);
  // Several members follow each other.
  if (random() % 4 == 0 && text.size() > 1) {
    const std::size_t cut = random() % text.size();
    packed = packed_gzip(text.substr(0, cut), 0) + packed_gzip(text.substr(cut), 6);
  }
  return packed.size() <= longest ? packed : mutated(std::move(before), longest, mutate);
}

std::string mutate_zip(std::string before, std::size_t longest, std::uint32_t seed,
                       const raw_mutation& mutate) {
  std::mt19937 random(seed);
  const std::size_t way = random() % 4;
  if (way == 0) return mutated(std::move(before), longest, mutate);
  if (way == 1) {
    std::string bytes = mutated(std::move(before), longest, mutate);
    sign_zip(bytes);
    return bytes;
  }
  std::vector<zip_content> members = unpacked_zip(before, longest);
  if (members.empty()) return mutated(std::move(before), longest, mutate);
  zip_content& chosen = members[random() % members.size()];
  switch (random() % 12) {
    case 0:
      chosen.deflated = !chosen.deflated;
      break;
    case 1:
      chosen.name = mutated(chosen.name, chosen.name.size() + 8, mutate);
      break;
    case 2:
      chosen.content = members[random() % members.size()].content;
      break;
    case 3:
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(random() % members.size()));
      break;
    case 4:
    case 5:
    case 6:
    case 7:
      change_in_place(chosen.content, random);
      break;
    default:
      chosen.content = mutated(chosen.content, chosen.content.size() + 64, mutate);
  }
  std::string packed = packed_zip(members, random() % 8 == 0);
  return packed.size() <= longest ? packed : mutated(std::move(before), longest, mutate);
}

// One of the compressed variables is unpacked, changed and packed again, its own size included.
std::string mutate_matlab(std::string before, std::size_t longest, std::uint32_t seed,
                          const raw_mutation& mutate) {
  constexpr std::uint32_t array = 14, packed = 15;
  struct variable {
    std::size_t begin, end;  // behind its tag
  };
  std::vector<variable> variables;
  for (std::size_t at = 128; at + 8 <= before.size();) {
    const std::size_t end = at + 8 + std::min<std::size_t>(get<std::uint32_t>(before, at + 4), before.size());
    if (end > before.size()) break;
    if (get<std::uint32_t>(before, at) == packed) variables.push_back({at + 8, end});
    at = end;
  }
  std::mt19937 random(seed);
  if (variables.empty() || random() % 4 == 0) {
    if (random() % 2 == 0) return mutated(std::move(before), longest, mutate);
    change_in_place(before, random);
    return before;
  }
  const variable chosen = variables[random() % variables.size()];
  std::string text =
      inflated(std::string_view(before).substr(chosen.begin, chosen.end - chosen.begin), MAX_WBITS, longest);
  if (random() % 2 == 0)
    change_in_place(text, random);
  else
    text = mutated(std::move(text), longest, mutate);
  if (random() % 4 != 0 && text.size() >= 8 && get<std::uint32_t>(text, 0) == array)
    put(text, 4, static_cast<std::uint32_t>(text.size() - 8));
  const std::string again = packed_zlib(text, static_cast<int>(random() % 3) * 3);
  std::string bytes = before.substr(0, chosen.begin) + again + before.substr(chosen.end);
  put(bytes, chosen.begin - 4, static_cast<std::uint32_t>(again.size()));
  return bytes.size() <= longest ? bytes : mutated(std::move(before), longest, mutate);
}

// HDF5 1.10 does not bear damaged structures that are signed again, or never were: it frees twice and writes
// past the end within seconds. What is changed here is what we read out of them, and what its checksums stop.
std::string mutate_hdf5(std::string before, std::size_t longest, std::uint32_t seed,
                        const raw_mutation& mutate) {
  std::mt19937 random(seed);
  // Finding signatures takes long, and changes in place leave them where they are.
  static std::map<std::size_t, hdf5_signatures> known;  // by the size of a file
  auto found = known.find(before.size());
  if (found == known.end() || !found->second.holds_for(before))
    found = known.insert_or_assign(before.size(), hdf5_signatures(before)).first;
  const hdf5_signatures& signatures = found->second;
  if (before.size() > longest || (signatures.count() > 0 && random() % 8 == 0))
    return mutated(std::move(before), longest, mutate);
  const std::vector<bool> content = signatures.content_of(before);
  const std::string unchanged = before;
  const std::size_t changes = 1 + random() % 3;
  for (std::size_t i = 0; i < changes; ++i) change_in_place(before, random, &content);
  // A change may reach over the edge of what it began in.
  for (std::size_t i = 0; i < before.size(); ++i)
    if (!content[i]) before[i] = unchanged[i];
  signatures.sign(before);
  return before;
}

std::string mutate_archive(std::string before, std::size_t longest, std::uint32_t seed,
                           const raw_mutation& mutate) {
  std::mt19937 random(seed);
  if (before.starts_with("PK")) return mutate_zip(std::move(before), longest, seed, mutate);
  if (!before.starts_with("\x1f\x8b")) {
    if (random() % 2 == 0)
      change_in_place(before, random);
    else
      before = mutated(std::move(before), longest, mutate);
    if (random() % 4 != 0) sign_tar(before);
    return before;
  }
  std::string text = unpacked_gzip(before, most_of_a_member);
  change_in_place(text, random);
  if (random() % 4 != 0) sign_tar(text);
  std::string packed = packed_gzip(text, 6);
  return packed.size() <= longest ? packed : mutated(std::move(before), longest, mutate);
}

}  // namespace sparsmith::fuzz
