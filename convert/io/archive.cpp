#include "convert/io/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "convert/error.hpp"

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

// One archive being read. Shared, because the text source that reads from it is copied around.
struct open_file {
  std::string path;
  byte_reader source;
  archive* handle = archive_read_new();
  archive_entry* entry = nullptr;
  char buffer[1 << 18];
  std::exception_ptr source_failure;  // libarchive is C: an exception may not pass through it

  open_file(std::string name, byte_reader bytes) : path(std::move(name)), source(std::move(bytes)) {
    if (handle == nullptr) throw error(failure::resources, path + ": out of memory");
    archive_read_support_filter_all(handle);
    archive_read_support_format_raw(handle);
    archive_read_support_format_tar(handle);
    archive_read_support_format_zip(handle);
    if (archive_read_open(handle, this, nullptr, &open_file::deliver, nullptr) != ARCHIVE_OK) fail();
  }
  open_file(const open_file&) = delete;
  ~open_file() { archive_read_free(handle); }

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

  [[noreturn]] void fail() const {
    if (source_failure) std::rethrow_exception(source_failure);
    const char* const why = archive_error_string(handle);
    throw error(failure::input, fmt::format("{}: {}", path, why == nullptr ? "cannot be read" : why));
  }

  bool next_member() {
    const int status = archive_read_next_header(handle, &entry);
    if (status == ARCHIVE_EOF) return false;
    if (status < ARCHIVE_WARN) fail();
    return true;
  }

  std::size_t read(char* target, std::size_t size) {
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

// What SuiteSparse ships beside a matrix: right-hand sides, solutions, coordinates.
bool is_companion(const std::string& stem) {
  return stem.ends_with("_b") || stem.ends_with("_x") || stem.ends_with("_coord");
}

}  // namespace

text_source open_archive(const std::string& path, const std::function<byte_reader()>& open) {
  // A stream cannot be rewound, so the members are looked at first and the chosen one is opened in a second
  // go.
  std::vector<std::string> matrices;
  std::string chosen;
  {
    const auto file = std::make_shared<open_file>(path, open());
    if (!file->next_member()) throw error(failure::input, path + ": the archive is empty");
    if (is_raw(*file)) return source_of(file, path);
    do {
      const char* const name = archive_entry_pathname(file->entry);
      if (name == nullptr || archive_entry_filetype(file->entry) != AE_IFREG) continue;
      const fs::path member(name);
      const std::string stem = member.stem().string();
      if (member.extension() != ".mtx" || is_companion(stem)) continue;
      matrices.push_back(name);
      if (stem == member.parent_path().filename().string() || stem == archive_stem(path)) {
        chosen = name;
        break;
      }
    } while (file->next_member());
  }
  if (chosen.empty()) {
    if (matrices.empty()) throw error(failure::input, path + ": no matrix (.mtx) in the archive");
    if (matrices.size() > 1)
      throw error(failure::input,
                  fmt::format("{}: {} .mtx files in the archive and none has its name; unpack it and "
                              "name one ({}, {}, ...)",
                              path, matrices.size(), matrices[0], matrices[1]));
    chosen = matrices[0];
  }
  auto file = std::make_shared<open_file>(path, open());
  while (file->next_member()) {
    const char* const name = archive_entry_pathname(file->entry);
    if (name != nullptr && chosen == name) return source_of(file, path + ":" + chosen);
  }
  file->fail();
}

}  // namespace sparsmith
