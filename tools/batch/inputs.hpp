// The matrices of a batch: what folders, patterns, lists and single names come to.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace sparsmith {

struct batch_input {
  std::string path;  // as the readers take it: a file, or a generator's text
  std::string name;  // for people: the path below the folder where only one was named, else as it was named
  // What tells it from others, wherever spbatch is started: the whole path without links, as text (a file:
  // address where its bytes are none); of a generator its text.
  std::string source = {};
};

struct input_request {
  // Folders, which are searched; files; patterns such as 'm/*.mtx'; generators; and text files with one of
  // these a line (.txt, .list).
  std::vector<std::string> paths;
  std::vector<std::string> lists;  // such text files, whatever they are called; "-" is standard input
  std::filesystem::path results;   // a folder below those: what lies in there is none of the collection
  std::string index = {};          // of the collection (collection_index.hpp); empty: one is looked for
};

// Files of folders whose names are not those of matrices, each counted once.
struct passed_over_files {
  struct kind {
    std::string ending;  // ".png", ".csv.gz"; empty of a name without one
    std::int64_t files = 0;
    bool operator==(const kind&) const = default;
  };
  std::int64_t files = 0;
  std::vector<kind> kinds;           // most first, of equal ones by ending
  std::vector<std::string> folders;  // that were named, and hold some
};
// "12 .png, 3 .pdf, 1 without an ending": a handful of kinds, and the rest summed up.
std::string kinds_text(const passed_over_files& files);
// "passed over in m: 12 .png, 3 .pdf"; empty where nothing was.
std::string passed_over_text(const passed_over_files& files);

struct found_inputs {
  // In the order they were named, those of a folder by name; each file once, by whatever paths it was named.
  std::vector<batch_input> inputs;
  std::vector<std::string> problems;  // folders that could not be searched, a line each
  // What is named like a matrix in a folder, or fits a pattern, and is no file: "a: a pipe".
  std::vector<std::string> not_files;
  passed_over_files passed_over;
  // The index that was named, or the first that lies in a folder that was searched, above it, or among the
  // files of a pattern; empty without one. An index is no matrix.
  std::string index;
};

// What was typed and is not there, or is no file, is refused; what a list names and is not there stays in,
// and fails when its turn comes.
found_inputs find_inputs(const input_request& request);

// "a pipe", "a socket" or "a device": whoever opens one to read may wait for ever. Empty for all else.
std::string what_no_batch_reads(const std::string& path);
// Throws failure::input where it is one of these.
void refuse_what_no_batch_reads(const std::string& path);

// What tells whether a source is as it was, without reading it.
struct source_state {
  std::string kind = "other";  // "file", "generator", or "other": a pipe, a device, nothing at all
  std::int64_t bytes = -1, modified_ns = -1;  // of files
};
source_state look_at_source(const std::string& path);

}  // namespace sparsmith
