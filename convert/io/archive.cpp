#include "convert/io/archive.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <set>
#include <vector>

#include "convert/error.hpp"

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

// One archive being read. Shared, because the text source that reads from it is copied around.
struct open_file {
  std::string path;
  archive* handle = archive_read_new();
  archive_entry* entry = nullptr;

  explicit open_file(std::string name) : path(std::move(name)) {
    if (handle == nullptr) throw error(failure::resources, path + ": out of memory");
    archive_read_support_filter_all(handle);
    archive_read_support_format_raw(handle);
  }
  open_file(const open_file&) = delete;
  ~open_file() { archive_read_free(handle); }

  [[noreturn]] void fail() const {
    const char* const why = archive_error_string(handle);
    throw error(failure::input, fmt::format("{}: {}", path, why == nullptr ? "cannot be read" : why));
  }

  bool next_member() {
    const int status = archive_read_next_header(handle, &entry);
    if (status == ARCHIVE_EOF) return false;
    if (status < ARCHIVE_WARN) fail();
    return true;
  }

  std::size_t read(char* buffer, std::size_t size) {
    const la_ssize_t got = archive_read_data(handle, buffer, size);
    if (got < 0) fail();
    return static_cast<std::size_t>(got);
  }
};

std::shared_ptr<open_file> open_members(const std::string& path) {
  auto file = std::make_shared<open_file>(path);
  archive_read_support_format_tar(file->handle);
  archive_read_support_format_zip(file->handle);
  constexpr std::size_t block = 1 << 18;
  if (archive_read_open_filename(file->handle, path.c_str(), block) != ARCHIVE_OK) file->fail();
  return file;
}

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

}  // namespace

bool archives_supported() {
  return true;
}

text_source open_archive(const std::string& path) {
  // A stream cannot be rewound, so the members are looked at first and the chosen one is opened in a second
  // go.
  std::vector<std::string> matrices;
  std::string chosen;
  {
    const auto file = open_members(path);
    if (!file->next_member()) throw error(failure::input, path + ": the archive is empty");
    if (is_raw(*file)) return source_of(file, path);
    do {
      const char* const name = archive_entry_pathname(file->entry);
      if (name == nullptr) continue;
      const fs::path member(name);
      if (member.extension() != ".mtx") continue;
      matrices.push_back(name);
      const std::string stem = member.stem().string();
      if (stem == member.parent_path().filename().string() || stem == archive_stem(path)) {
        chosen = name;
        break;
      }
    } while (file->next_member());
  }
  if (chosen.empty()) {
    if (matrices.empty()) throw error(failure::input, path + ": no .mtx file in the archive");
    if (matrices.size() > 1)
      throw error(failure::input,
                  fmt::format("{}: {} .mtx files in the archive and none has its name; unpack it and "
                              "name one ({}, {}, ...)",
                              path, matrices.size(), matrices[0], matrices[1]));
    chosen = matrices[0];
  }
  auto file = open_members(path);
  while (file->next_member()) {
    const char* const name = archive_entry_pathname(file->entry);
    if (name != nullptr && chosen == name) return source_of(file, path + ":" + chosen);
  }
  file->fail();
}

text_source open_standard_input() {
  auto file = std::make_shared<open_file>("-");
  archive_read_support_format_empty(file->handle);
  if (archive_read_open_fd(file->handle, STDIN_FILENO, 1 << 16) != ARCHIVE_OK) file->fail();
  if (!file->next_member()) throw error(failure::input, "-:1: the file is empty");
  return source_of(file, "-");
}

}  // namespace sparsmith
