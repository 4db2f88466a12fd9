// The results of a batch on disk: lines of JSON that are only ever added, each flushed before the next, so
// that a kill at any moment costs at most the line that was being written. Several processes may work on one
// folder: locks of the system, which end with their process, keep lines whole and every matrix to one of
// them. Each shard has a file of its own and adds to it under that file's lock; the files of others are read
// at the start, and then only where somebody has added what this process is about to work on.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tools/batch/inputs.hpp"
#include "tools/tool.hpp"

namespace sparsmith {

// The file of a folder that results are added to: of all, or of one of several shards.
std::string results_file(int shard_index, int shard_count);

struct known_result {
  bool ok = false;       // it did not fail
  bool noisy = false;    // it was measured on a busy machine
  bool at_start = true;  // whether it was there when this process began
  std::string name;
  std::filesystem::path file = {};
  std::string started = {};  // between files the clock decides which is the newest
};

class journal {
 public:
  // Creates what is not there. A line that a killed process left unfinished at the end of `file` is cut off.
  // `fresh`: earlier results of all files are moved into a folder beside and do not count.
  journal(const std::filesystem::path& folder, const std::string& file, bool fresh);
  journal(const journal&) = delete;
  ~journal();

  // What was known of it when this process looked last. Whoever has claimed it knows all there is.
  const known_result* find(const std::string& key) const;
  // The key of the newest result that was made from this source as it is now, with these options; empty
  // where there is none.
  std::string key_of_source(const std::string& path, const source_state& state, const json& options) const;

  // Whether this process may work on it: until it is given up, or the process ends, no other one may. Reads
  // what others have added meanwhile, where one of them may have been done with it.
  bool claim(const std::string& key);
  void give_up(const std::string& key);

  // On disk when it returns. Where it cannot be, nothing of it is, and failure::output is thrown.
  void append(const json& line);

  const std::vector<std::string>& problems() const { return problems_; }  // lines that are no results

 private:
  void catch_up();  // with all files
  void catch_up_with(const std::filesystem::path& file);
  void remember(const std::filesystem::path& file, const json& head);
  void count(const std::string& key);

  std::filesystem::path folder_, file_;
  int lock_ = -1, out_ = -1;
  bool at_start_ = true;
  std::map<std::filesystem::path, std::int64_t> read_;  // bytes of each file so far
  std::string counts_;  // of results by the start of their keys, when all files were read last
  std::map<std::string, known_result> results_;
  std::map<std::string, std::string> sources_;  // keys, by what key_of_source is asked for
  std::set<std::string> claims_;
  std::vector<std::string> problems_;
};

// Every result of a folder, from the files of all shards, the newest of each key and of each source, in the
// order they were first written. Before 0.3 a source was a path as it was typed, which others may have in
// other folders: of those what did not fail stays, and what did unless a result with a whole path has the
// same name and options. A line that is no result is told to `problem` and left alone.
void read_results(const std::filesystem::path& folder, const std::function<void(const json&)>& use,
                  const std::function<void(const std::string&)>& problem);

}  // namespace sparsmith
