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
};

struct input_request {
  // Folders, which are searched; files; patterns such as 'm/*.mtx'; generators; and text files with one of
  // these a line (.txt, .list).
  std::vector<std::string> paths;
  std::vector<std::string> lists;  // such text files, whatever they are called; "-" is standard input
  std::filesystem::path results;   // a folder below those: what lies in there is none of the collection
};

struct found_inputs {
  std::vector<batch_input> inputs;  // in the order they were named, those of a folder by name; each path once
  std::vector<std::string> problems;  // folders that could not be searched, a line each
  std::int64_t passed_over = 0;       // files in folders whose names are not those of matrices
};

// What was typed and is not there is refused; what a list names and is not there stays in, and fails when its
// turn comes.
found_inputs find_inputs(const input_request& request);

// What tells whether a source is as it was, without reading it.
struct source_state {
  std::string kind = "other";  // "file", "generator", or "other": a pipe, a device, nothing at all
  std::int64_t bytes = -1, modified_ns = -1;  // of files
};
source_state look_at_source(const std::string& path);

}  // namespace sparsmith
