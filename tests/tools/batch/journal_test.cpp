// Results on disk: that what is written stays, that what is torn goes, and that two processes share a folder.
#include "tools/batch/journal.hpp"

#include <sys/resource.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstdio>
#include <functional>
#include <utility>

#include "convert/error.hpp"
#include "tests/tools/process.hpp"
#include "tools/batch/byte_lock.hpp"
#include "tools/batch/job.hpp"
#include "tools/batch/report.hpp"

namespace {

// What the disk does in the place of what the system would: for the calls of this program alone.
int flushes = 0;     // of files
int fail_flush = 0;  // with this error, where it is not 0
bool look_at_flush = false;
std::string at_flush;                          // the file at the last of them
long most_written = -1;                        // bytes a call writes; all where it is negative
long room = -1;                                // bytes until the disk is full; none where it is negative
std::function<void()> before_write = nullptr;  // what others do before the next of them

}  // namespace

extern "C" int fdatasync(int descriptor) {
  ++flushes;
  if (look_at_flush) at_flush = sparsmith::testing::content("/proc/self/fd/" + std::to_string(descriptor));
  errno = fail_flush;
  return fail_flush == 0 ? static_cast<int>(::syscall(SYS_fdatasync, descriptor)) : -1;
}

extern "C" ssize_t write(int descriptor, const void* data, std::size_t size) {
  if (descriptor > 2 && before_write != nullptr) std::exchange(before_write, nullptr)();
  if (descriptor > 2 && most_written >= 0) size = std::min(size, static_cast<std::size_t>(most_written));
  if (descriptor > 2 && room >= 0) {
    if (room == 0) {
      errno = ENOSPC;
      return -1;
    }
    size = std::min(size, static_cast<std::size_t>(room));
    room -= static_cast<long>(size);
  }
  return ::syscall(SYS_write, descriptor, data, size);
}

namespace fs = std::filesystem;
using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

const std::string all = results_file(1, 1);

struct results_folder : temporary_folder {
  results_folder() : temporary_folder("batch_journal_test") {}
  std::string text(const std::string& file = all) const { return content(*this / file); }
  void write(const std::string& text, const std::string& file = all) const {
    std::ofstream(path / file, std::ios::binary) << text;
  }
};

std::string key(int number) {
  return key_of("sha256:" + std::to_string(number), options_as_json({}));
}

json line(int number, const std::string& result = "ok", const std::string& started = "2026-01-31T12:00:00Z",
          const std::string& path = "") {
  return {{"schema", "sparsmith.batch/1"},
          {"version", "0"},
          {"key", key(number)},
          {"name", "m" + std::to_string(number)},
          {"source",
           {{"path", path.empty() ? "m/" + std::to_string(number) + ".mtx" : path},
            {"kind", "file"},
            {"bytes", 10 * number},
            {"modified_ns", 1000 + number},
            {"content", nullptr}}},
          {"options", options_as_json({})},
          {"result", result},
          {"started", started},
          {"analysis", {{"key", "not this one"}, {"name", 1}}},
          {"recommendation", nullptr}};
}

std::vector<json> results_in(const results_folder& folder, std::vector<std::string>* problems = nullptr) {
  std::vector<json> lines;
  read_results(
      folder.path, [&](const json& one) { lines.push_back(one); },
      [&](const std::string& problem) {
        if (problems != nullptr) problems->push_back(problem);
      });
  return lines;
}

std::vector<std::string> names_in(const results_folder& folder) {
  std::vector<std::string> names;
  for (const json& one : results_in(folder)) names.push_back(one["name"]);
  return names;
}

using names = std::vector<std::string>;

std::string refusal(const fs::path& folder, bool fresh = false) {
  try {
    journal opened(folder, all, fresh);
  } catch (const error& problem) {
    CHECK(problem.category() == failure::output);
    return problem.what();
  }
  return "taken";
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("files of all, and of shards") {
  CHECK(results_file(1, 1) == "results.jsonl");
  CHECK(results_file(2, 4) == "results.2-of-4.jsonl");
}

TEST_CASE("keys tell content and options apart, and nothing else") {
  const json usual = options_as_json({});
  CHECK(key_of("sha256:a", usual).size() == 32);
  CHECK(key_of("sha256:a", usual) == key_of("sha256:a", options_as_json({})));
  CHECK(key_of("sha256:a", usual) != key_of("sha256:b", usual));
  std::set<std::string> keys = {key_of("x", usual)};
  CHECK(!usual.contains("one_pass"));  // results of before keep their keys
  std::vector<batch_options> others(12);
  others[0].analyze = false;
  others[1].recommend = false;
  others[2].predict = true;
  others[3].mix = {10, 1};
  others[4].warm = true;
  others[5].single_values = true;
  others[6].budget = 0.5;
  others[7].backend = "cuda";
  others[8].threads = 3;
  others[9].single_values = false;
  others[10].one_pass = operation::both;
  others[11].one_pass = operation::normal;
  for (const batch_options& options : others) {
    const json told = options_as_json(options);
    CHECK(keys.insert(key_of("x", told)).second);
    CHECK(options_as_json(options_from_json(told)) == told);
  }
  batch_options twice;
  twice.mix = {2, 2};  // the same wish in other words
  CHECK(options_as_json(twice) == usual);
}

TEST_CASE("what was added is there, for this process and for the next") {
  const results_folder folder;
  const fs::path inner = folder.path / "made" / "on the way";
  {
    journal results(inner, all, false);
    CHECK(results.find(key(1)) == nullptr);
    results.append(line(1));
    REQUIRE(results.find(key(1)) != nullptr);
    CHECK(results.find(key(1))->ok);
    CHECK_FALSE(results.find(key(1))->at_start);
    results.append(line(2, "failed"));
    json noisy = line(4);
    noisy.erase("analysis");
    noisy["noisy"] = true;
    noisy["analysis"] = nullptr;
    results.append(noisy);
  }
  journal results(inner, all, false);
  REQUIRE(results.find(key(4)) != nullptr);
  CHECK(results.find(key(4))->noisy);
  CHECK_FALSE(results.find(key(1))->noisy);
  REQUIRE(results.find(key(1)) != nullptr);
  CHECK(results.find(key(1))->ok);
  CHECK(results.find(key(1))->at_start);
  CHECK(results.find(key(1))->name == "m1");
  REQUIRE(results.find(key(2)) != nullptr);
  CHECK_FALSE(results.find(key(2))->ok);
  CHECK(results.find(key(3)) == nullptr);
  CHECK(results.problems().empty());
  const std::string text = content((inner / all).string());
  CHECK(std::count(text.begin(), text.end(), '\n') == 3);
  CHECK(text.find(R"({"schema":"sparsmith.batch/1",)") == 0);
}

TEST_CASE("a line is on disk before it counts, whole or not at all") {
  const results_folder folder;
  journal results(folder.path, all, false);
  results.append(line(1));
  const std::string whole = folder.text();
  flushes = 0;
  look_at_flush = true;
  results.append(line(2));
  look_at_flush = false;
  CHECK(flushes == 1);
  CHECK(at_flush == whole + line(2).dump() + "\n");  // not before it was written
  const std::string both = folder.text();
  // A disk that cannot keep it: nothing of it stays, and it is not known.
  fail_flush = EIO;
  CHECK_THROWS_AS(results.append(line(3)), error);
  fail_flush = 0;
  CHECK(folder.text() == both);
  CHECK(results.find(key(3)) == nullptr);
  // Full, at any place of the line.
  for (room = 0; room < 40; room += 13) {
    const long left = room;
    CHECK_THROWS_AS(results.append(line(3)), error);
    room = left;
    CHECK(folder.text() == both);
    CHECK(results.find(key(3)) == nullptr);
  }
  room = -1;
  // Written in parts.
  most_written = 100;
  results.append(line(3));
  most_written = -1;
  CHECK(folder.text() == both + line(3).dump() + "\n");
  CHECK(results.find(key(3)) != nullptr);
  CHECK(results_in(folder).size() == 3);
}

TEST_CASE("what was found out is not lost where a second try fails") {
  const results_folder folder;
  {
    journal results(folder.path, all, false);
    results.append(line(1));
    results.append(line(1, "failed", "2026-01-31T13:00:00Z"));
    CHECK(results.find(key(1))->ok);
  }
  const journal results(folder.path, all, false);
  CHECK(results.find(key(1))->ok);
  REQUIRE(results_in(folder).size() == 1);
  CHECK(results_in(folder)[0]["result"] == "ok");
}

TEST_CASE("of two that began in the same second the one that is read later counts, for both readers") {
  const results_folder folder;
  journal one(folder.path, results_file(1, 2), false), two(folder.path, results_file(2, 2), false);
  two.append(line(1, "ok"));
  json other = line(1, "ok");
  other["name"] = "earlier file";
  one.append(other);
  CHECK(names_in(folder) == names{"m1"});
  CHECK(journal(folder.path, all, false).find(key(1))->name == "m1");
}

TEST_CASE("files of others in the folder are none of the results") {
  const results_folder folder;
  const std::string text = line(1).dump() + "\n";
  for (const char* const name :
       {"notes.jsonl", "results.csv", "results.jsonl.bak", "my results.jsonl", "results-2.jsonl"})
    folder.write(text, name);
  const journal results(folder.path, all, false);
  CHECK(results.find(key(1)) == nullptr);
  CHECK(results_in(folder).empty());
}

TEST_CASE("a report of nothing is refused, one of spoiled lines tells them") {
  const results_folder folder;
  std::vector<std::string> told;
  const auto tell = [&](const std::string& problem) { told.push_back(problem); };
  folder.write("");
  try {
    write_report(folder.path, tell);
    FAIL_CHECK("was written");
  } catch (const error& problem) {
    CHECK(has(problem.what(), "there are no results"));
  }
  CHECK(folder.files() == names{"results.jsonl"});
  json unreadable = line(2);
  unreadable["recommendation"] = {{"schema", "sparsmith.recommend/9"}};
  folder.write(line(1).dump() + "\nnotes\n" + unreadable.dump() + "\n");
  CHECK(write_report(folder.path, tell).rows.size() == 2);
  CHECK(folder.files() == names{"contestants.csv", "report.html", "results.csv", "results.jsonl"});
  REQUIRE(told.size() == 2);
  CHECK(has(told[0], "results.jsonl:2: no result"));
  CHECK(has(told[1], "m2: its recommendation is passed over: "));
  // Put aside with the results they are of.
  { const journal fresh(folder.path, all, true); }
  CHECK_FALSE(fs::exists(folder.path / "report.html"));
  CHECK_FALSE(fs::exists(folder.path / "results.csv"));
  CHECK_FALSE(fs::exists(folder.path / "contestants.csv"));
}

TEST_CASE("a source is known as long as it is as it was") {
  const results_folder folder;
  journal results(folder.path, all, false);
  results.append(line(1));
  const json options = options_as_json({});
  CHECK(results.key_of_source("m/1.mtx", {"file", 10, 1001}, options) == key(1));
  CHECK(results.key_of_source("m/2.mtx", {"file", 10, 1001}, options).empty());
  CHECK(results.key_of_source("m/1.mtx", {"file", 11, 1001}, options).empty());
  CHECK(results.key_of_source("m/1.mtx", {"file", 10, 1002}, options).empty());
  batch_options other;
  other.predict = true;
  CHECK(results.key_of_source("m/1.mtx", {"file", 10, 1001}, options_as_json(other)).empty());
  // The newest counts: the file was replaced by one of the same size and time.
  results.append(line(1, "ok", "", "m/1.mtx"));
  json replaced = line(7);
  replaced["source"] = line(1)["source"];
  results.append(replaced);
  CHECK(results.key_of_source("m/1.mtx", {"file", 10, 1001}, options) == key(7));
  // What is no file has neither size nor time.
  json generated = line(8);
  generated["source"] = {
      {"path", "gen:x"}, {"kind", "generator"}, {"bytes", nullptr}, {"modified_ns", nullptr}};
  results.append(generated);
  CHECK(results.key_of_source("gen:x", {"generator", -1, -1}, options) == key(8));
}

TEST_CASE("text of any kind is written as text") {
  const results_folder folder;
  journal results(folder.path, all, false);
  json odd = line(1);
  odd["name"] = "a\nb\"\\\xff\x01\xc3\xa9";
  results.append(odd);
  results.append(line(2));
  const std::string text = folder.text();
  CHECK(std::count(text.begin(), text.end(), '\n') == 2);
  CHECK(names_in(folder) == names{"a\nb\"\\\xef\xbf\xbd\x01\xc3\xa9", "m2"});
}

TEST_CASE("a line torn at any place is cut off, and what stands before it stays") {
  const results_folder folder;
  {
    journal results(folder.path, all, false);
    results.append(line(1));
  }
  const std::string whole = folder.text(), next = line(2).dump() + "\n";
  for (std::size_t cut = 0; cut < next.size(); ++cut) {
    CAPTURE(cut);
    folder.write(whole + next.substr(0, cut));
    {
      journal results(folder.path, all, false);
      REQUIRE(folder.text() == whole);
      REQUIRE(results.find(key(1)) != nullptr);
      REQUIRE(results.find(key(2)) == nullptr);
      REQUIRE(results.problems().empty());
    }
    if (cut % 50 > 0) continue;
    // Also the only line there is, and one that another process left while this one was running.
    folder.write(next.substr(0, cut));
    journal results(folder.path, all, false);
    REQUIRE(folder.text().empty());
    results.append(line(1));
    folder.write(whole + next.substr(0, cut));
    results.append(line(2));
    REQUIRE(folder.text() == whole + next);
    REQUIRE(results.find(key(2)) != nullptr);
  }
  // Longer than what is looked at at once.
  json large = line(3);
  large["analysis"] = std::string(300'000, 'x');
  folder.write(whole + large.dump());
  { journal results(folder.path, all, false); }
  CHECK(folder.text() == whole);
  // What a crash of the machine may leave: space that was never written.
  for (const std::string& left :
       {std::string(1, '\0'), std::string(5000, '\0'), next.substr(0, 40) + std::string(99, '\0')}) {
    folder.write(whole + left);
    { journal results(folder.path, all, false); }
    CHECK(folder.text() == whole);
  }
}

TEST_CASE("an end that is not ours is refused and left alone") {
  const results_folder folder;
  for (const std::string& foreign :
       {std::string("my notes"), std::string("{\"schema\":\"other\"}"), std::string("{\"s\""),
        std::string(" "), line(1).dump() + "\nmy notes", std::string("\0x", 2)}) {
    CAPTURE(foreign);
    folder.write(foreign);
    CHECK(has(refusal(folder.path), "its last line is not one of spbatch"));
    CHECK(folder.text() == foreign);
  }
}

TEST_CASE("whole lines that are no results are told, left alone, and cost nothing else") {
  const results_folder folder;
  json no_key = line(3), bad_key = line(4), odd_start = line(5);
  no_key.erase("key");
  bad_key["key"] = std::string(32, 'g');
  odd_start["started"] = 5;
  const std::string text = line(1).dump() + "\n\nnotes\n{\"schema\":\"sparsmith.batch/2\"}\n" +
                           no_key.dump() + "\n" + bad_key.dump() + "\n[1]\nnull\n" +
                           line(6).dump().substr(0, 99) + "\n\xff\n" + line(2).dump() + "\n";
  folder.write(text);
  journal results(folder.path, all, false);
  CHECK(folder.text() == text);
  CHECK(results.problems().size() == 9);
  CHECK(has(results.problems()[0], "results.jsonl: no result at byte "));
  CHECK(results.find(key(2)) != nullptr);
  std::vector<std::string> problems;
  CHECK(results_in(folder, &problems).size() == 2);
  REQUIRE(problems.size() == 9);
  CHECK(has(problems[0], "results.jsonl:2: no result, passed over"));
  CHECK(has(problems[8], "results.jsonl:10: "));
  folder.write(odd_start.dump() + "\n" + line(5).dump() + "\n");
  CHECK(results_in(folder).size() == 1);
}

TEST_CASE("the newest line of a matrix counts, in the place of the first") {
  const results_folder folder;
  journal results(folder.path, all, false);
  results.append(line(1, "failed"));
  results.append(line(2));
  // Within a file the order decides, also where the clock was set back.
  results.append(line(1, "ok", "2020-01-01T00:00:00Z"));
  CHECK(results.find(key(1))->ok);
  const std::vector<json> found = results_in(folder);
  REQUIRE(found.size() == 2);
  CHECK(found[0]["name"] == "m1");
  CHECK(found[0]["result"] == "ok");
  CHECK(found[0]["analysis"]["key"] == "not this one");  // nothing is left out
}

TEST_CASE("shards have files of their own and know of each other") {
  const results_folder folder;
  journal one(folder.path, results_file(1, 2), false), two(folder.path, results_file(2, 2), false);
  one.append(line(1));
  two.append(line(2, "failed", "2026-01-31T12:00:05Z"));
  CHECK(one.find(key(2)) == nullptr);
  CHECK(one.claim(key(2)));  // whoever wants to work on it knows all there is
  REQUIRE(one.find(key(2)) != nullptr);
  CHECK_FALSE(one.find(key(2))->at_start);
  CHECK_FALSE(one.find(key(2))->ok);
  one.give_up(key(2));
  CHECK(folder.files() == names{"lock", "results.1-of-2.jsonl", "results.2-of-2.jsonl"});
  // Between files the clock decides, whichever is read first.
  one.append(line(2, "ok", "2026-01-31T12:00:09Z"));
  two.append(line(1, "failed", "2026-01-31T11:00:00Z"));
  std::map<std::string, std::string> counted;
  for (const json& found : results_in(folder)) counted[found["name"]] = found["result"];
  CHECK(counted == std::map<std::string, std::string>{{"m1", "ok"}, {"m2", "ok"}});
  // A torn line of another shard's is that one's to cut.
  const std::string torn = folder.text("results.2-of-2.jsonl") + line(9).dump().substr(0, 50);
  folder.write(torn, "results.2-of-2.jsonl");
  { journal again(folder.path, results_file(1, 2), false); }
  CHECK(folder.text("results.2-of-2.jsonl") == torn);
  CHECK(results_in(folder).size() == 2);
}

TEST_CASE("what another was done with is known to whoever claims it, however that one ended") {
  const results_folder folder;
  journal one(folder.path, results_file(1, 3), false);
  for (int number = 0; number < 40; ++number) {
    {
      journal two(folder.path, results_file(2 + number % 2, 3), false);
      REQUIRE(two.claim(key(number)));
      CHECK_FALSE(one.claim(key(number)));
      two.append(line(number));
    }
    CHECK(one.find(key(number)) == nullptr);
    REQUIRE(one.claim(key(number)));
    REQUIRE(one.find(key(number)) != nullptr);
    one.give_up(key(number));
  }
  // Keys that are counted in the same place: one's own count hides no other's.
  std::map<std::string, int> places;
  int first = 0, second = 0;
  for (second = 100; places.emplace(key(second).substr(0, 5), second).second; ++second) continue;
  first = places[key(second).substr(0, 5)];
  journal two(folder.path, results_file(2, 3), false);
  two.append(line(first));
  one.append(line(second));
  REQUIRE(one.claim(key(first)));
  CHECK(one.find(key(first)) != nullptr);
  REQUIRE(two.claim(key(second)));
  CHECK(two.find(key(second)) != nullptr);
}

TEST_CASE("who reads the files while a line is about to be written looks again") {
  const results_folder folder;
  journal one(folder.path, results_file(1, 3), false), two(folder.path, results_file(2, 3), false),
      three(folder.path, results_file(3, 3), false);
  three.append(line(2));  // which two has to look for
  REQUIRE(one.claim(key(1)));
  bool looked = false;
  before_write = [&] { looked = two.claim(key(2)) && two.find(key(2)) != nullptr; };
  one.append(line(1));
  one.give_up(key(1));
  REQUIRE(looked);
  CHECK(two.find(key(1)) == nullptr);
  REQUIRE(two.claim(key(1)));
  CHECK(two.find(key(1)) != nullptr);
}

// What this process has read so far: calls, and bytes.
struct reading {
  std::int64_t calls = 0, bytes = 0;
  reading() {
    std::ifstream in("/proc/self/io");
    for (std::string name; in >> name;) in >> (name == "syscr:" ? calls : name == "rchar:" ? bytes : ignored);
  }
  std::int64_t ignored = 0;
};

// What a matrix costs one of so many shards that work at the same time: the medians of their calls that read,
// of the bytes they read, and of their processor time in µs; that of opening the folder apart.
struct shard_cost {
  double calls = 0, bytes = 0, microseconds = 0, opening = 0;
};

double processor_microseconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto of = [](const timeval& t) {
    return 1e6 * static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec);
  };
  return of(used.ru_utime) + of(used.ru_stime);
}

// A process a shard. All have opened the folder before the first works, and none leaves before the last is
// done.
shard_cost cost_among(int shards) {
  constexpr int matrices = 4;
  const results_folder folder;
  json long_line = line(0);
  long_line["recommendation"] = std::string(20'000, 'x');
  int opened[2], start[2], told[2], leave[2];
  for (int* const ends : {opened, start, told, leave}) REQUIRE(::pipe(ends) == 0);
  std::vector<pid_t> children;
  for (int shard = 1; shard <= shards; ++shard) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    children.push_back(child);
    if (child > 0) continue;
    ::close(start[1]);
    ::close(leave[1]);
    int status = 1;
    try {
      shard_cost cost;
      const double began = processor_microseconds();
      journal results(folder.path, results_file(shard, shards), false);
      cost.opening = processor_microseconds() - began;
      char byte = 'x';
      // Closed at once: where another ends too early, nobody holds open what the parent reads to its end.
      if (::write(opened[1], &byte, 1) != 1 || ::close(opened[1]) != 0 || ::read(start[0], &byte, 1) != 0)
        ::_exit(2);
      const reading before;
      const double worked = processor_microseconds();
      for (int i = 0; i < matrices; ++i) {
        const int number = i * shards + shard;
        long_line["key"] = key(number);
        if (!results.claim(key(number))) ::_exit(3);
        if (results.find(key(number)) != nullptr) ::_exit(4);
        results.append(long_line);
        results.give_up(key(number));
      }
      const reading after;
      cost.microseconds = (processor_microseconds() - worked) / matrices;
      cost.calls = static_cast<double>(after.calls - before.calls) / matrices;
      cost.bytes = static_cast<double>(after.bytes - before.bytes) / matrices;
      if (::write(told[1], &cost, sizeof cost) != sizeof cost || ::close(told[1]) != 0 ||
          ::read(leave[0], &byte, 1) != 0)
        ::_exit(5);
      status = 0;
    } catch (const error& problem) {
      std::fprintf(stderr, "shard %d: %s\n", shard, problem.what());
    }
    ::_exit(status);
  }
  for (int* const ends : {opened, told}) ::close(ends[1]);
  char byte = 0;
  for (int i = 0; i < shards; ++i) REQUIRE(::read(opened[0], &byte, 1) == 1);
  ::close(start[1]);
  std::vector<shard_cost> costs(static_cast<std::size_t>(shards));
  for (shard_cost& one : costs) REQUIRE(::read(told[0], &one, sizeof one) == sizeof one);
  ::close(leave[1]);
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  for (const int end : {opened[0], start[0], told[0], leave[0]}) ::close(end);
  CHECK(results_in(folder).size() == static_cast<std::size_t>(matrices * shards));
  const auto median = [&](double shard_cost::*figure) {
    std::vector<double> all;
    for (const shard_cost& one : costs) all.push_back(one.*figure);
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
  };
  return {median(&shard_cost::calls), median(&shard_cost::bytes), median(&shard_cost::microseconds),
          median(&shard_cost::opening)};
}

// SPARSMITH_SHARDS=1000 test_batch_journal "what a matrix costs*" -s
TEST_CASE("what a matrix costs a shard does not depend on how many there are") {
  const char* const wanted = std::getenv("SPARSMITH_SHARDS");
  const int most = wanted == nullptr ? 24 : std::atoi(wanted);
  const shard_cost few = cost_among(4), many = cost_among(most);
  for (const auto& [shards, cost] : {std::pair(4, few), std::pair(most, many)})
    std::printf(
        "%4d shards: a matrix costs %.1f calls that read, %.0f bytes read, %.0f us of a processor; opening "
        "the folder %.0f us\n",
        shards, cost.calls, cost.bytes, cost.microseconds, cost.opening);
  REQUIRE(few.calls > 0);  // else the system does not tell
  CHECK(many.calls <= few.calls + 1);
  CHECK(many.bytes <= 1.1 * few.bytes + 1000);
}

TEST_CASE("a shard's own journal and the reader of all agree on which line counts") {
  const results_folder folder;
  journal one(folder.path, results_file(1, 2), false), two(folder.path, results_file(2, 2), false);
  one.append(line(1, "ok", "2026-01-31T12:00:09Z"));
  two.append(line(1, "failed", "2026-01-31T12:00:05Z"));
  const journal all_of_them(folder.path, all, false);
  REQUIRE(results_in(folder).size() == 1);
  CHECK(all_of_them.find(key(1))->ok == (results_in(folder)[0]["result"] == "ok"));
}

TEST_CASE("no two work on one matrix") {
  const results_folder folder;
  journal one(folder.path, all, false);
  {
    journal two(folder.path, all, false);
    CHECK(one.claim(key(1)));
    CHECK_FALSE(two.claim(key(1)));
    CHECK_FALSE(one.claim(key(1)));  // nor twice under two names
    CHECK(two.claim(key(2)));
    CHECK_FALSE(one.claim(key(2)));
    one.give_up(key(1));
    CHECK(two.claim(key(1)));
    one.give_up(key(1));  // which is not its own any more
    CHECK_FALSE(one.claim(key(1)));
    // Adding a line holds a lock of its own, and gives back no other.
    two.append(line(3));
    CHECK_FALSE(one.claim(key(1)));
  }
  // What ends gives up everything.
  CHECK(one.claim(key(1)));
  CHECK(one.claim(key(2)));
}

TEST_CASE("lines of two that add to one file stay whole") {
  const results_folder folder;
  journal one(folder.path, all, false), two(folder.path, all, false);
  for (int i = 0; i < 20; ++i) (i % 2 == 0 ? one : two).append(line(i));
  for (int i = 0; i < 20; ++i)
    for (journal* const either : {&one, &two}) {
      CHECK(either->claim(key(i)));
      CHECK(either->find(key(i)) != nullptr);
      either->give_up(key(i));
    }
  CHECK(results_in(folder).size() == 20);
  CHECK(one.problems().empty());
}

TEST_CASE("a fresh start moves what was there aside, of all shards, and never under somebody's hands") {
  const results_folder folder;
  {
    journal one(folder.path, all, false), two(folder.path, results_file(2, 3), false);
    one.append(line(1));
    two.append(line(2));
    CHECK(has(refusal(folder.path, true), "another spbatch is working there"));
    CHECK(results_in(folder).size() == 2);
  }
  const std::string before = folder.text();
  for (int i = 0; i < 2; ++i) {
    journal fresh(folder.path, all, true);
    CHECK(fresh.find(key(1)) == nullptr);
    CHECK(results_in(folder).empty());
    fresh.append(line(3));
  }
  // Twice within a second, and none was written over.
  std::vector<fs::path> kept;
  for (const auto& entry : fs::directory_iterator(folder.path))
    if (entry.is_directory()) kept.push_back(entry.path());
  REQUIRE(kept.size() == 2);
  std::sort(kept.begin(), kept.end(),
            [](const fs::path& a, const fs::path& b) { return a.string().size() < b.string().size(); });
  bool found = false;
  for (const fs::path& one : kept)
    if (fs::exists(one / results_file(2, 3))) {
      found = true;
      CHECK(content((one / all).string()) == before);
    }
  CHECK(found);
  CHECK(names_in(folder) == names{"m3"});
  // Then others may come again.
  { journal one(folder.path, all, false), two(folder.path, all, false); }
  const results_folder empty;
  { journal nothing_there(empty.path, all, true); }
  CHECK(empty.files() == names{"lock", "results.jsonl"});
}

TEST_CASE("a file that was removed while lines were added to it is noticed") {
  const results_folder folder;
  journal results(folder.path, all, false);
  results.append(line(1));
  fs::remove(folder.path / all);
  CHECK_THROWS_AS(results.append(line(2)), error);
}

TEST_CASE("results that cannot be read are not taken for none") {
  const results_folder folder;
  fs::create_symlink(folder.path / "nowhere", folder.path / results_file(1, 2));
  CHECK_THROWS_AS(journal(folder.path, all, false), error);
  CHECK_THROWS_AS(results_in(folder), error);
}

TEST_CASE("folders that cannot be") {
  const results_folder folder;
  folder.write("x", "file");
  CHECK(has(refusal(folder.path / "file"), "file"));
  CHECK(has(refusal(folder.path / "file" / "inner"), "inner"));
  fs::create_directories(folder.path / "taken" / all);
  CHECK(has(refusal(folder.path / "taken"), "results.jsonl: could not open: Is a directory"));
  CHECK(has(refusal("/proc/sparsmith"), "/proc/sparsmith"));
  CHECK(content(folder / "file") == "x");
}

TEST_CASE("a line of another's is added under that one's lock alone") {
  const results_folder folder;
  journal one(folder.path, results_file(1, 2), false), two(folder.path, results_file(2, 2), false);
  // As a shard holds it that waits for its disk.
  const int busy = ::open((folder / results_file(1, 2)).c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(lock_bytes(busy, F_WRLCK, 0, 1, false) == 0);
  two.append(line(2));
  CHECK(two.claim(key(3)));
  CHECK(one.claim(key(4)));
  // But its own waits.
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    one.append(line(1));
    ::_exit(0);
  }
  int status = 0;
  ::usleep(200'000);
  CHECK(::waitpid(child, &status, WNOHANG) == 0);
  CHECK(folder.text(results_file(1, 2)).empty());
  REQUIRE(lock_bytes(busy, F_UNLCK, 0, 1, false) == 0);
  CHECK(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  ::close(busy);
  CHECK(names_in(folder) == names{"m1", "m2"});
}

TEST_CASE("results of before 0.3, whose paths are as they were typed, are of their content") {
  const results_folder folder;
  {
    journal results(folder.path, all, false);
    // A.mtx of one folder, then of another; one that was mended; and what is known by its whole path.
    for (const json& one :
         {line(1, "ok", "2026-01-31T12:00:00Z", "A.mtx"), line(2, "ok", "2026-01-31T12:00:01Z", "A.mtx"),
          line(3, "failed", "2026-01-31T12:00:00Z", "B.mtx"), line(4, "ok", "2026-01-31T12:00:01Z", "B.mtx"),
          line(5, "ok", "2026-01-31T12:00:00Z", "/m/A.mtx"),
          line(6, "ok", "2026-01-31T12:00:01Z", "/m/A.mtx")})
      results.append(one);
  }
  CHECK(names_in(folder) == names{"m1", "m2", "m4", "m6"});
}

TEST_CASE("what failed before 0.3 and was tried again since is not in the report any more") {
  const results_folder folder;
  json stale = line(1, "failed", "2026-01-31T12:00:00Z", "m/a.mtx"),
       again = line(2, "ok", "2026-02-28T12:00:00Z", "/data/m/a.mtx"),
       otherwise = line(3, "failed", "2026-01-31T12:00:00Z", "m/a.mtx"),
       other = line(4, "failed", "2026-01-31T12:00:00Z", "m/b.mtx"),
       good = line(5, "ok", "2026-01-31T12:00:00Z", "n/a.mtx"),
       elsewhere = line(6, "failed", "2026-01-31T12:00:00Z", "/data/n/a.mtx");
  for (json* const one : {&stale, &again, &otherwise, &good, &elsewhere}) (*one)["name"] = "a.mtx";
  otherwise["options"]["value"] = "f32";
  {
    journal results(folder.path, all, false);
    for (const json& one : {stale, again, otherwise, other, good, elsewhere}) results.append(one);
  }
  std::vector<std::string> keys;
  for (const json& one : results_in(folder)) keys.push_back(one["key"]);
  CHECK(keys == std::vector<std::string>{key(2), key(3), key(4), key(5), key(6)});
}

TEST_CASE("what was spoiled and put right counts as it is now") {
  const results_folder folder;
  json spoiled = line(1, "failed", "2026-01-31T12:00:00Z", "m/a.mtx"),
       mended = line(2, "ok", "2026-01-31T12:00:00Z", "m/a.mtx"),
       other = line(3, "failed", "2026-01-31T12:00:00Z", "m/b.mtx");
  json asked_otherwise = line(4, "ok", "2026-01-31T12:00:00Z", "m/b.mtx");
  asked_otherwise["options"]["value"] = "f32";
  {
    journal results(folder.path, all, false);
    for (const json& one : {spoiled, mended, other, asked_otherwise}) results.append(one);
  }
  CHECK(names_in(folder) == names{"m2", "m3", "m4"});
}
