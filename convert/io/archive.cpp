#include "convert/io/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>
#include <vector>

#include "convert/error.hpp"
#include "convert/io/gzip.hpp"
#include "convert/io/matrix_names.hpp"

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

// What may lie beside matrices: it has to be unpacked to get past it, and a megabyte can hold terabytes.
constexpr std::int64_t most_passed_over = std::int64_t{64} << 30;

bool is_matrix(const std::string& name) {
  return !matrix_text_ending(name).empty();
}

// One archive being read. Shared, because the text source that reads from it is copied around.
struct open_file {
  std::string path;
  byte_reader source;
  std::unique_ptr<archive, int (*)(archive*)> owned{archive_read_new(), archive_read_free};
  archive* handle = owned.get();
  archive_entry* entry = nullptr;
  bool entry_was_read = false;
  std::int64_t passed_over = 0;
  char buffer[1 << 18];
  std::exception_ptr source_failure;  // libarchive is C: an exception may not pass through it

  open_file(std::string name, byte_reader bytes) : path(std::move(name)) {
    if (handle == nullptr) throw error(failure::resources, path + ": out of memory");
    peeked_source peeked = peek(std::move(bytes), archive_start_bytes);
    source = std::move(peeked.read);
    enable_filter(archive_kind(peeked.start));
    archive_read_support_format_raw(handle);
    archive_read_support_format_tar(handle);
    archive_read_support_format_zip(handle);
    if (archive_read_open(handle, this, nullptr, &open_file::deliver, nullptr) != ARCHIVE_OK) fail();
    // The filter and the one that only delivers.
    if (archive_filter_count(handle) > 2)
      throw error(failure::unsupported, path + ": is packed more than once; unpack it first");
  }
  open_file(const open_file&) = delete;

  static la_ssize_t deliver(archive*, void* self, const void** data) {
    auto& file = *static_cast<open_file*>(self);
    *data = file.buffer;
    try {
      return static_cast<la_ssize_t>(file.source(file.buffer, sizeof file.buffer));
    } catch (...) {
      file.source_failure = std::current_exception();
      return -1;
    }
  }

  // The one filter that the first bytes ask for. Others would be tried on what comes out of it, and some of
  // them start programs; so does this one where libarchive was built without it. Gzip is unpacked before.
  void enable_filter(std::string_view kind) {
    const int status = kind == ".bz2"   ? archive_read_support_filter_bzip2(handle)
                       : kind == ".xz"  ? archive_read_support_filter_xz(handle)
                       : kind == ".zst" ? archive_read_support_filter_zstd(handle)
                                        : ARCHIVE_OK;
    if (status != ARCHIVE_OK)
      throw error(failure::unsupported,
                  fmt::format("{}: this build's libarchive cannot unpack {}", path, kind));
  }

  [[noreturn]] void fail() const {
    if (source_failure) std::rethrow_exception(source_failure);
    const char* const why = archive_error_string(handle);
    throw error(failure::input, fmt::format("{}: {}", path, why == nullptr ? "cannot be read" : why));
  }

  bool next_member() {
    if (entry != nullptr && !std::exchange(entry_was_read, false) && matrix_name().empty()) {
      passed_over += std::clamp<std::int64_t>(archive_entry_size(entry), 0, most_passed_over + 1);
      if (passed_over > most_passed_over)
        throw error(failure::unsupported,
                    path + ": more than 64 GiB of other files lie in the archive; unpack it first");
    }
    const int status = archive_read_next_header(handle, &entry);
    if (status == ARCHIVE_EOF) return false;
    if (status < ARCHIVE_WARN) fail();
    return true;
  }

  // Of the member that it is at, where that is a file; else empty.
  std::string file_name() const {
    const char* const name = archive_entry_pathname(entry);
    return name == nullptr || archive_entry_filetype(entry) != AE_IFREG ? "" : name;
  }
  // The same where it is a matrix.
  std::string matrix_name() const {
    const std::string name = file_name();
    return is_matrix(name) ? name : "";
  }

  std::size_t read(char* target, std::size_t size) {
    entry_was_read = true;
    const la_ssize_t got = archive_read_data(handle, target, size);
    if (got < 0) fail();
    return static_cast<std::size_t>(got);
  }
};

text_source source_of(std::shared_ptr<open_file> file, std::string name) {
  text_source source;
  source.name = std::move(name);
  source.read = [file](char* buffer, std::size_t size) { return file->read(buffer, size); };
  return source;
}

bool is_raw(const open_file& file) {
  return archive_format(file.handle) == ARCHIVE_FORMAT_RAW;
}

// "dir/ash219.tar.gz" -> "ash219"
std::string archive_stem(const std::string& path) {
  const std::string name = fs::path(path).filename().string();
  return name.substr(0, name.find('.'));
}

std::string stem_of(const std::string& member) {
  return fs::path(member).stem().string();
}

bool is_named_like_folder(const std::string& member) {
  return stem_of(member) == fs::path(member).parent_path().filename().string();
}

// What SuiteSparse ships beside a matrix: right-hand sides, solutions, coordinates, and of linear programs
// costs and bounds.
bool is_companion_of(const std::string& member, const std::string& matrix) {
  for (const char* const ending : {"_b", "_x", "_coord", "_c", "_lo", "_hi", "_z0"})
    if (stem_of(member) == stem_of(matrix) + ending) return true;
  return false;
}

std::vector<std::string> without_companions(const std::vector<std::string>& members) {
  std::vector<std::string> matrices;
  for (const std::string& one : members)
    if (std::none_of(members.begin(), members.end(),
                     [&](const std::string& other) { return is_companion_of(one, other); }))
      matrices.push_back(one);
  return matrices;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t most = 5;
  const std::vector<std::string> first(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size())));
  return fmt::format("{}{}", fmt::join(first, ", "),
                     names.size() > most ? fmt::format(" and {} more", names.size() - most) : "");
}

[[noreturn]] void refuse_choice(const std::string& path, const std::vector<std::string>& matrices) {
  throw error(
      failure::input,
      fmt::format("{}: the archive holds {} matrices, and its name does not tell which is meant; unpack "
                  "it and name one ({})",
                  path, matrices.size(), listed(matrices)));
}

// What to say about the members that were not read: those before the chosen one, and those behind it.
std::string note_of(const std::string& path, const std::string& chosen, std::vector<std::string> members,
                    open_file& rest) {
  while (rest.next_member())
    if (const std::string name = rest.matrix_name(); !name.empty()) members.push_back(name);
  const std::vector<std::string> matrices = without_companions(members);
  std::vector<std::string> others;
  for (const std::string& one : matrices) {
    if (one == chosen) continue;
    others.push_back(one);
    // One that comes behind may be in another folder with the same name.
    if (stem_of(one) == stem_of(chosen)) refuse_choice(path, matrices);
  }
  return others.empty()
             ? std::string()
             : fmt::format("{} was read, and not what else is in the archive: {}", chosen, listed(others));
}

// The only one that is so; empty where none is. Several are too many.
template <class Is>
std::string only_one(const std::string& path, const std::vector<std::string>& matrices, Is is) {
  std::string found;
  for (const std::string& one : matrices) {
    if (!is(one)) continue;
    if (!found.empty()) refuse_choice(path, matrices);
    found = one;
  }
  return found;
}

}  // namespace

archived_text open_archive(const std::string& path, const std::function<byte_reader()>& open) {
  // A stream cannot be rewound, so the members are looked at first and the chosen one is opened in a second
  // go. Nearly always it has the archive's name: then what comes behind it is only looked at once it was
  // read, since getting there takes as long as reading it.
  std::string chosen;
  {
    const auto file = std::make_shared<open_file>(path, open());
    if (!file->next_member()) throw error(failure::input, path + ": the archive is empty");
    if (is_raw(*file)) return {.text = source_of(file, path)};
    std::vector<std::string> members, others;
    do {
      const std::string name = file->file_name();
      if (!is_matrix(name)) {
        if (!name.empty()) others.push_back(name);
        continue;
      }
      members.push_back(name);
      if (stem_of(name) == archive_stem(path)) chosen = name;
    } while (chosen.empty() && file->next_member());
    const std::vector<std::string> matrices = without_companions(members);
    if (matrices.empty())
      throw error(failure::input, fmt::format("{}: no matrix (.mtx, .rb, .rua, ...) in the archive{}", path,
                                              others.empty() ? "" : ", which holds " + listed(others)));
    if (chosen.empty()) chosen = only_one(path, matrices, is_named_like_folder);
    if (chosen.empty()) chosen = only_one(path, matrices, [](const std::string&) { return true; });
  }
  auto file = std::make_shared<open_file>(path, open());
  std::vector<std::string> before;
  while (file->next_member()) {
    const std::string name = file->matrix_name();
    if (name.empty()) continue;
    before.push_back(name);
    if (name == chosen)
      return {source_of(file, path + ":" + chosen), [=] { return note_of(path, chosen, before, *file); }};
  }
  file->fail();
}

}  // namespace sparsmith
