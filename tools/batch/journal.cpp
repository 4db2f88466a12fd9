#include "tools/batch/journal.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <string_view>
#include <tuple>

#include "convert/error.hpp"
#include "tools/batch/byte_lock.hpp"

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view line_start = R"({"schema":"sparsmith.batch/1",)";

// Places in the lock file. One is held (shared) by all who work on the folder, and one far behind it for
// every matrix that is being worked on. Between them stand bytes that count results by the start of their
// keys: with a look at one of them a process knows whether any other was done with a matrix, however many
// files there are. Counts of different matrices may meet in a byte, which costs a look at the files and no
// more.
constexpr off_t presence_place = 1, first_count = 4096, first_claim = off_t{1} << 32;
constexpr std::size_t count_bytes = 1 << 20;

off_t claim_place(const std::string& key) {
  return first_claim + static_cast<off_t>(std::stoull(key.substr(0, 15), nullptr, 16));
}

std::size_t count_index(const std::string& key) {
  return std::stoull(key.substr(0, 5), nullptr, 16) % count_bytes;
}

// Bytes of the lock file, zeros where there is none yet.
std::string counts_at(int descriptor, const fs::path& folder, std::size_t first, std::size_t size) {
  std::string found(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t count =
        ::pread(descriptor, found.data() + done, size - done, first_count + static_cast<off_t>(first + done));
    if (count == 0) break;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0)
      throw error(failure::input,
                  fmt::format("{}: could not read: {}", (folder / "lock").string(), std::strerror(errno)));
    done += static_cast<std::size_t>(count);
  }
  return found;
}

[[noreturn]] void fail(const fs::path& path, const std::string& what, int code) {
  throw error(failure::output, fmt::format("{}: {}: {}", path.string(), what, std::strerror(code)));
}

// Whether the lock could be had; waiting for it, it always can.
bool set_lock(int descriptor, const fs::path& folder, short kind, off_t place, bool wait) {
  const int problem = lock_bytes(descriptor, kind, place, 1, wait);
  if (!wait && (problem == EAGAIN || problem == EACCES)) return false;
  if (problem != 0)
    fail(folder, "its file system grants no locks, choose another folder for the results", problem);
  return true;
}

// Holds a byte of a file, waiting for it: of results while a line is added, of counts while one is changed.
class held_byte {
 public:
  held_byte(int descriptor, const fs::path& folder, off_t place) : descriptor_(descriptor), place_(place) {
    set_lock(descriptor_, folder, F_WRLCK, place_, true);
  }
  held_byte(const held_byte&) = delete;
  ~held_byte() {
    (void)lock_bytes(descriptor_, F_UNLCK, place_, 1, false);  // fails only where there is none
  }

 private:
  int descriptor_;
  off_t place_;
};
constexpr off_t append_place = 0;  // of a file of results

std::vector<fs::path> results_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code problem;
  for (fs::directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem)) {
    const std::string name = entry->path().filename().string();
    if (name == "results.jsonl" || (name.starts_with("results.") && name.ends_with(".jsonl")))
      files.push_back(entry->path());
  }
  if (problem) throw error(failure::input, fmt::format("{}: {}", folder.string(), problem.message()));
  std::sort(files.begin(), files.end());
  return files;
}

// Null where it is not that of a result.
json checked_head(json head) {
  const auto text = [&](const json& object, const char* name) {
    return object.contains(name) && object[name].is_string();
  };
  if (!head.is_object() || !text(head, "schema") || head["schema"] != "sparsmith.batch/1" ||
      !text(head, "key") || !text(head, "name") || !text(head, "result") || !head.contains("source") ||
      !text(head["source"], "path") || !head.contains("options") ||
      head["key"].get<std::string>().size() != 32 ||
      head["key"].get<std::string>().find_first_not_of("0123456789abcdef") != std::string::npos)
    return nullptr;
  return head;
}

// Writing and copying JSON takes a piece of the stack for every level, and no result has more than a dozen.
bool is_nested_too_deep(const std::string& line) {
  constexpr int deepest = 100;
  int depth = 0;
  bool in_text = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (in_text && c == '\\')
      ++i;
    else if (c == '"')
      in_text = !in_text;
    else if (!in_text && (c == '[' || c == '{') && ++depth > deepest)
      return true;
    else if (!in_text && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

// What identifies a result, without the long members; null where the line is none.
json head_of(const std::string& line) {
  if (is_nested_too_deep(line)) return nullptr;
  // As spbatch writes it, what identifies it stands before what is long; a quote within a text has a
  // backslash before it, so this can only be the member.
  if (const std::size_t end = line.find(R"(,"analysis":)");
      end != std::string::npos && line.starts_with(line_start) && line.ends_with('}'))
    return checked_head(json::parse(line.substr(0, end) + "}", nullptr, false));
  const auto skip_long = [](int depth, json::parse_event_t event, json& parsed) {
    return depth != 1 || event != json::parse_event_t::key ||
           (parsed != "analysis" && parsed != "recommendation" && parsed != "stages");
  };
  return checked_head(json::parse(line, skip_long, false));
}

// What was asked of which source, whatever was in it.
std::string source_of(const json& head) {
  return head["source"]["path"].get<std::string>() + "\n" + head["options"].dump();
}

// The same by the name that people know it by.
std::string asked_of(const json& head) {
  return head["name"].get<std::string>() + "\n" + head["options"].dump();
}

std::string started_of(const json& head) {
  return head.contains("started") && head["started"].is_string() ? head["started"].get<std::string>() : "";
}

// Before 0.3 paths stood as they were typed.
bool is_whole(const std::string& path) {
  return path.starts_with('/') || path.starts_with("file:");
}

// Whether a line counts more than one that was read before it. Within a file the later one is the newer;
// between files of shards the clock decides.
bool is_newer(const fs::path& file, const std::string& started, const fs::path& file_before,
              const std::string& started_before) {
  return file == file_before || started >= started_before;
}

// The whole lines of a file from `start` on; where the last of them ends.
std::int64_t each_line(const fs::path& path, std::int64_t start,
                       const std::function<void(std::int64_t at, const std::string& line)>& use) {
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw error(failure::input, fmt::format("{}: could not open: {}", path.string(), std::strerror(errno)));
  in.seekg(start);
  std::int64_t at = start;
  // A line that ends with the file, and not with a line end, is not whole.
  for (std::string line; std::getline(in, line) && !in.eof();) {
    use(at, line);
    at += static_cast<std::int64_t>(line.size()) + 1;
  }
  if (in.bad()) throw error(failure::input, path.string() + ": could not read");
  return at;
}

std::string source_text(const std::string& path, const json& bytes, const json& modified,
                        const json& options) {
  return fmt::format("{}\n{}\n{}\n{}", path, bytes.dump(), modified.dump(), options.dump());
}

json known_number(std::int64_t number) {
  return number < 0 ? json() : json(number);
}

void flush_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail(folder, "could not open", errno);
  const int status = ::fsync(descriptor);
  const int code = errno;
  ::close(descriptor);
  if (status != 0 && code != EINVAL) fail(folder, "could not flush", code);  // some file systems cannot
}

void move_away(const fs::path& folder) {
  std::vector<fs::path> files = results_files(folder);
  if (files.empty()) return;
  for (const char* const name : {"results.csv", "contestants.csv", "report.html"})
    if (fs::exists(folder / name)) files.push_back(folder / name);
  const std::string base = fmt::format("before-{:%Y%m%dT%H%M%SZ}", fmt::gmtime(std::time(nullptr)));
  fs::path target = folder / base;
  for (int i = 2; fs::exists(target); ++i) target = folder / fmt::format("{}-{}", base, i);
  fs::create_directory(target);
  for (const fs::path& file : files) fs::rename(file, target / file.filename());
  flush_folder(folder);
}

// Cuts off what a killed process left behind the last whole line. Only what it was writing: a file of
// somebody else's is left alone.
void cut_torn_line(int descriptor, const fs::path& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(path, "could not look at it", errno);
  const off_t size = status.st_size;
  std::string tail;
  off_t from = size;
  while (from > 0 && tail.find('\n') == std::string::npos) {
    const off_t step = std::min<off_t>(from, 1 << 16);
    std::string part(static_cast<std::size_t>(step), '\0');
    from -= step;
    for (std::size_t done = 0; done < part.size();) {
      const ssize_t count =
          ::pread(descriptor, part.data() + done, part.size() - done, from + static_cast<off_t>(done));
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) fail(path, "could not read its end", count == 0 ? EIO : errno);
      done += static_cast<std::size_t>(count);
    }
    tail = part + tail;
  }
  const std::size_t line_end = tail.rfind('\n');
  const std::string torn = line_end == std::string::npos ? tail : tail.substr(line_end + 1);
  if (torn.empty()) return;
  const std::string_view known = line_start.substr(0, std::min(line_start.size(), torn.size()));
  // After a crash of the machine what was not written yet may read as zeros.
  const bool zeros = torn.find_first_not_of('\0') == std::string::npos;
  if (!zeros && !std::string_view(torn).starts_with(known))
    throw error(failure::output,
                path.string() + ": its last line is not one of spbatch; it is left as it is");
  if (::ftruncate(descriptor, size - static_cast<off_t>(torn.size())) != 0)
    fail(path, "could not cut off its torn last line", errno);
}

}  // namespace

std::string results_file(int shard_index, int shard_count) {
  return shard_count == 1 ? "results.jsonl" : fmt::format("results.{}-of-{}.jsonl", shard_index, shard_count);
}

journal::journal(const fs::path& folder, const std::string& file, bool fresh)
    : folder_(folder), file_(folder / file) {
  std::error_code problem;
  fs::create_directories(folder_, problem);
  if (problem) throw error(failure::output, fmt::format("{}: {}", folder_.string(), problem.message()));
  const fs::path lock = folder_ / "lock";
  lock_ = ::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock_ < 0) fail(lock, "could not open", errno);
  if (fresh) {
    if (!set_lock(lock_, folder_, F_WRLCK, presence_place, false))
      throw error(failure::output,
                  folder_.string() + ": another spbatch is working there, --fresh has to wait");
    move_away(folder_);
  }
  set_lock(lock_, folder_, F_RDLCK, presence_place, true);
  out_ = ::open(file_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (out_ < 0) fail(file_, "could not open", errno);
  {
    const held_byte held(out_, folder_, append_place);
    cut_torn_line(out_, file_);
  }
  flush_folder(folder_);
  catch_up();
  at_start_ = false;
}

journal::~journal() {
  if (out_ >= 0) ::close(out_);
  if (lock_ >= 0) ::close(lock_);  // and with it go all locks
}

void journal::remember(const fs::path& file, const json& head) {
  const std::string key = head["key"], source = head["source"]["path"], started = started_of(head);
  const auto [known, is_new] = results_.try_emplace(key);
  // A result that was asked for again because the machine was busy is not lost where the second try fails.
  const bool failed = head["result"] == "failed";
  if (is_new ||
      (is_newer(file, started, known->second.file, known->second.started) && !(failed && known->second.ok)))
    known->second = {!failed, head.contains("noisy") && head["noisy"] == true, at_start_, head["name"], file,
                     started};
  sources_[source_text(source, head["source"].value("bytes", json()),
                       head["source"].value("modified_ns", json()), head["options"])] = key;
}

void journal::catch_up() {
  // The counts first: what is added while the files are read is then looked for once more, and not missed.
  counts_ = counts_at(lock_, folder_, 0, count_bytes);
  for (const fs::path& path : results_files(folder_)) catch_up_with(path);
}

void journal::catch_up_with(const fs::path& file) {
  std::int64_t& at = read_[file];
  at = each_line(file, at, [&](std::int64_t where, const std::string& line) {
    const json head = head_of(line);
    if (head.is_null())
      problems_.push_back(fmt::format("{}: no result at byte {}, passed over", file.string(), where));
    else
      remember(file, head);
  });
}

// Before the line itself, so that none is there uncounted where this process is killed over it; and once more
// when it is there, for whoever read the files between the two and holds the first count without the line.
// Where there is no room for it the line counts more, for which there is none either: others may then do the
// same again.
void journal::count(const std::string& key) {
  const std::size_t index = count_index(key);
  const off_t place = first_count + static_cast<off_t>(index);
  const held_byte held(lock_, folder_, place);
  const char before = counts_at(lock_, folder_, index, 1)[0];
  const auto after = static_cast<char>(before + 1);
  const bool counted = ::pwrite(lock_, &after, 1, place) == 1;
  // One's own is no reason to look, unless others have counted there too.
  if (counted && counts_[index] == before) counts_[index] = after;
}

const known_result* journal::find(const std::string& key) const {
  const auto found = results_.find(key);
  return found == results_.end() ? nullptr : &found->second;
}

std::string journal::key_of_source(const std::string& path, const source_state& state,
                                   const json& options) const {
  const auto found =
      sources_.find(source_text(path, known_number(state.bytes), known_number(state.modified_ns), options));
  return found == sources_.end() ? "" : found->second;
}

bool journal::claim(const std::string& key) {
  if (claims_.contains(key) || !set_lock(lock_, folder_, F_WRLCK, claim_place(key), false)) return false;
  claims_.insert(key);
  const std::size_t index = count_index(key);
  if (counts_at(lock_, folder_, index, 1)[0] != counts_[index]) catch_up();
  return true;
}

void journal::give_up(const std::string& key) {
  if (claims_.erase(key) > 0) set_lock(lock_, folder_, F_UNLCK, claim_place(key), false);
}

void journal::append(const json& line) {
  const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
  count(line["key"]);
  const held_byte held(out_, folder_, append_place);
  cut_torn_line(out_, file_);
  struct stat before {};
  if (::fstat(out_, &before) != 0) fail(file_, "could not look at it", errno);
  if (before.st_nlink == 0)
    throw error(failure::output, file_.string() + ": was removed while results were being added to it");
  const auto undo = [&](int code) {
    // What does not become whole must not stay. Should that fail too, the next one cuts it off.
    (void)!::ftruncate(out_, before.st_size);
    fail(file_, "could not write", code);
  };
  for (std::size_t written = 0; written < text.size();) {
    const ssize_t count = ::write(out_, text.data() + written, text.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) undo(errno);
    written += static_cast<std::size_t>(count);
  }
  if (::fdatasync(out_) != 0) undo(errno);
  count(line["key"]);
  catch_up_with(file_);
}

void read_results(const fs::path& folder, const std::function<void(const json&)>& use,
                  const std::function<void(const std::string&)>& problem) {
  struct line_place {
    fs::path file;
    std::int64_t at = 0;
    std::size_t order = 0;
    std::string started, source, asked;
    bool failed = false, whole_path = true;
  };
  std::map<std::string, line_place> newest;
  for (const fs::path& file : results_files(folder)) {
    std::int64_t number = 0;
    each_line(file, 0, [&](std::int64_t at, const std::string& line) {
      ++number;
      const json head = head_of(line);
      if (head.is_null()) {
        problem(fmt::format("{}:{}: no result, passed over", file.string(), number));
        return;
      }
      const bool failed = head["result"] == "failed", whole = is_whole(head["source"]["path"]);
      const auto [known, is_new] =
          newest.try_emplace(head["key"], line_place{file, at, newest.size(), started_of(head),
                                                     source_of(head), asked_of(head), failed, whole});
      line_place& before = known->second;
      // As journal::remember has it: what was found out is not lost where a second try fails.
      if (!is_new && is_newer(file, started_of(head), before.file, before.started) &&
          (before.failed || !failed))
        before = {file, at, before.order, started_of(head), source_of(head), asked_of(head), failed, whole};
    });
  }
  std::vector<const line_place*> read;
  for (const auto& [key, where] : newest) read.push_back(&where);
  std::sort(read.begin(), read.end(), [](const line_place* a, const line_place* b) {
    return std::tie(a->file, a->at) < std::tie(b->file, b->at);
  });
  // A file that was spoiled and then put right has two keys; what it is now counts.
  std::map<std::string, const line_place*> of_source;
  for (const line_place* const where : read) {
    const line_place*& known = of_source[where->source];
    if (known == nullptr || is_newer(where->file, where->started, known->file, known->started)) known = where;
  }
  std::vector<const line_place*> places;
  for (const line_place* const where : read)
    if (where == of_source[where->source] || (!where->failed && !where->whole_path)) places.push_back(where);
  // What failed before 0.3 under a path as it was typed was tried again under the whole one; only its name
  // tells.
  std::set<std::string> tried_again;
  for (const line_place* const where : places)
    if (where->whole_path) tried_again.insert(where->asked);
  std::erase_if(places, [&](const line_place* where) {
    return where->failed && !where->whole_path && tried_again.contains(where->asked);
  });
  std::sort(places.begin(), places.end(),
            [](const line_place* a, const line_place* b) { return a->order < b->order; });
  for (const line_place* where : places) {
    std::ifstream in(where->file, std::ios::binary);
    in.seekg(where->at);
    std::string line;
    if (!std::getline(in, line)) throw error(failure::input, where->file.string() + ": could not read");
    const json whole = json::parse(line, nullptr, false);
    if (whole.is_discarded())
      problem(fmt::format("{}: no result at byte {}, passed over", where->file.string(), where->at));
    else
      use(whole);
  }
}

}  // namespace sparsmith
