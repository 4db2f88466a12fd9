// How a batch holds its workers to their limits, shares the device and counts: with workers that follow a
// script. This program is started again as each of them, as spbatch starts itself, and the path of a matrix
// is what it does, step by step.
#include "tools/batch/run.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "convert/error.hpp"
#include "kernels/measure.hpp"
#include "tests/tools/process.hpp"
#include "tools/batch/device_lease.hpp"
#include "tools/batch/process.hpp"
#include "tools/batch/worker.hpp"

namespace fs = std::filesystem;
using namespace sparsmith;
using namespace sparsmith::testing;

// ---- the workers ----

namespace {

void say(const std::string& line) {
  if (::write(STDOUT_FILENO, (line + "\n").data(), line.size() + 1) < 0) ::_exit(1);
}

std::string heard() {
  std::string line;
  for (char c; ::read(STDIN_FILENO, &c, 1) == 1 && c != '\n';) line += c;
  return line;
}

void must_go() {
  if (heard() != "go") ::_exit(11);
}

void pause_for(const std::string& seconds) {
  ::usleep(static_cast<useconds_t>(1e6 * std::strtod(seconds.c_str(), nullptr)));
}

void follow(const std::string& step) {
  const std::size_t blank = step.find(' ');
  const std::string verb = step.substr(0, blank),
                    rest = blank == std::string::npos ? "" : step.substr(blank + 1);
  if (verb == "content") {
    say(says_content + rest);
    must_go();
  } else if (verb == "device") {
    say(says_device);
    must_go();
  } else if (verb == "sleep") {
    pause_for(rest);
  } else if (verb == "say") {
    say(rest);
  } else if (verb == "whisper") {
    std::fputs(rest.c_str(), stderr);
  } else if (verb == "ok") {
    say(std::string(says_result) + R"({"failure":null,"memory_peak":7})");
  } else if (verb == "fail") {
    say(std::string(says_result) + R"({"failure":{"cause":")" + rest + R"(","message":"it broke"}})");
  } else if (verb == "note") {  // that it came this far
    const int file = ::open(rest.c_str(), O_WRONLY | O_APPEND | O_CREAT, 0600);
    if (::write(file, ".", 1) != 1) ::_exit(12);
  } else if (verb == "alone") {  // nobody else is there at the same time
    if (::open(rest.c_str(), O_WRONLY | O_CREAT | O_EXCL, 0600) < 0) ::_exit(13);
    pause_for("0.05");
    ::unlink(rest.c_str());
  } else if (verb == "leave") {  // a process of its group behind
    const pid_t child = ::fork();
    if (child == 0) pause_for("60");
    const std::string number = std::to_string(child);
    const int file = ::open(rest.c_str(), O_WRONLY | O_CREAT, 0600);
    if (::write(file, number.data(), number.size()) < 0) ::_exit(12);
  } else if (verb == "limits") {  // what holds for it, as a failure
    rlimit core{}, file{}, data{};
    ::getrlimit(RLIMIT_CORE, &core);
    ::getrlimit(RLIMIT_FSIZE, &file);
    ::getrlimit(RLIMIT_DATA, &data);
    sigset_t blocked;
    ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
    struct sigaction pipe {};
    ::sigaction(SIGPIPE, nullptr, &pipe);
    const json told = {{"core", core.rlim_cur},
                       {"file", file.rlim_cur},
                       {"data", data.rlim_cur},
                       {"int blocked", sigismember(&blocked, SIGINT) == 1},
                       {"segv blocked", sigismember(&blocked, SIGSEGV) == 1},
                       {"pipe", pipe.sa_handler == SIG_DFL},
                       {"group", ::getpgrp() == ::getpid()}};
    say(says_result + json{{"failure", nullptr}, {"matrix", told}}.dump());
  } else if (verb == "take") {
    constexpr std::size_t bytes = 200 << 20;
    volatile char* const taken = new char[bytes];
    for (std::size_t i = 0; i < bytes; i += 512) taken[i] = 1;
  } else if (verb == "much") {
    say(says_result + json{{"failure", nullptr}, {"analysis", std::string(9'000'000, 'x')}}.dump());
  } else if (verb == "raise") {
    std::raise(std::atoi(rest.c_str()));
  } else if (verb == "exit") {
    ::_exit(std::atoi(rest.c_str()));
  }
}

// Before main, which would take the words for its own.
__attribute__((constructor)) void be_a_worker(int argc, char** argv) {
  if (argc < 2 || std::strcmp(argv[1], worker_flag) != 0) return;
  heard();  // the job
  std::string script = argc > 2 ? argv[2] : std::getenv("TEST_MACHINE");
  while (!script.empty()) {
    const std::size_t end = std::min(script.find("; "), script.size());
    follow(script.substr(0, end));
    script.erase(0, end + 2);
  }
  ::_exit(0);
}

// Kills of groups whose leader nobody can ask for any more: the number may be somebody else's by then.
int late_kills = 0, group_kills = 0;

}  // namespace

// In the place of the system's, for all of this program.
extern "C" int kill(pid_t process, int signal) noexcept {
  if (process < -1) {
    ++group_kills;
    siginfo_t state{};
    if (::waitid(P_PID, static_cast<id_t>(-process), &state, WEXITED | WNOHANG | WNOWAIT) != 0) ++late_kills;
  }
  return static_cast<int>(::syscall(SYS_kill, process, signal));
}

// ---- the tests ----

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool is_there(pid_t process) {
  // One that nobody has asked for is as good as gone.
  return !has(content("/proc/" + std::to_string(process) + "/stat"), ") Z ") &&
         fs::exists("/proc/" + std::to_string(process));
}

// A folder of results, and a run in it. The process is in the folder, so that scripts can name files.
struct work : temporary_folder {
  fs::path before = fs::current_path();
  batch_request request;
  batch_events events;
  std::vector<json> lines;
  std::vector<std::string> copies, notes;

  work() : temporary_folder("batch_run_test") {
    std::signal(SIGPIPE, SIG_IGN);
    fs::current_path(path);
    request.machine.identity = "test " + std::to_string(::getpid());
    request.options.predict = true;  // no device
    events.finished = [this](const json& line, const batch_state&) { lines.push_back(line); };
    events.copied = [this](const std::string& name, const std::string& of) {
      copies.push_back(name + " is " + of);
    };
    events.noted = [this](const std::string& text) { notes.push_back(text); };
  }
  ~work() { fs::current_path(before); }

  void matrix(const std::string& name, const std::string& script) {
    request.inputs.push_back({script, name, "/test/" + name});
  }
  batch_state run() {
    lines.clear();
    journal results(path / "out", results_file(1, 1), false);
    return run_batch(request, results, events);
  }
  // What became of the only matrix, which failed.
  json failure() const {
    REQUIRE(lines.size() == 1);
    CHECK(lines[0]["result"] == "failed");
    return lines[0]["failure"];
  }
};

}  // namespace

TEST_CASE("a matrix that is told to be fine is, with what was told of it") {
  work w;
  w.matrix("a.mtx", "say stage reading; content sha256:a; ok");
  const batch_state state = w.run();
  CHECK(state.ok == 1);
  CHECK(state.total == 1);
  CHECK(state.settled() == 1);
  REQUIRE(w.lines.size() == 1);
  const json& line = w.lines[0];
  CHECK(line["result"] == "ok");
  CHECK(line["name"] == "a.mtx");
  CHECK(line["source"]["path"] == "/test/a.mtx");
  CHECK(line["source"]["content"] == "sha256:a");
  CHECK(line["key"] == key_of("sha256:a", line["options"]));
  CHECK(line["memory_peak"] == 7);
  CHECK(w.run().known_before == 1);
}

TEST_CASE("a failure is tried again where that is asked for, but once in a run") {
  work w;
  w.request.inputs.clear();
  for (const char* const name : {"a", "b", "c"})
    w.matrix(name, "content sha256:same; note tries; fail error");
  batch_state state = w.run();
  CHECK(state.failed == 1);
  CHECK(state.copies == 2);
  CHECK(content(w / "tries") == ".");
  CHECK(w.run().failed_before == 1);
  CHECK(content(w / "tries") == ".");
  w.request.retry_failed = true;
  state = w.run();
  CHECK(state.failed == 1);
  CHECK(state.failed_before == 0);
  CHECK(state.copies == 2);
  CHECK(content(w / "tries") == "..");
  // What went well is not a failure, and what was found out stays.
  w.request.inputs.clear();
  w.matrix("d", "content sha256:d; note good; ok");
  CHECK(w.run().ok == 1);
  CHECK(w.run().known_before == 1);
  CHECK(content(w / "good") == ".");
}

TEST_CASE("what was measured on a busy machine is measured again once, and only on request") {
  const char* const script =
      R"(content sha256:a; note tries; say result {"failure":null,"recommendation":{"noisy":["x"]}})";
  work w;
  w.matrix("a", script);
  w.matrix("b", script);
  CHECK(w.run().noisy == 1);
  CHECK(w.run().noisy_before == 1);
  w.request.retry_failed = true;  // which it is not
  CHECK(w.run().noisy_before == 1);
  CHECK(content(w / "tries") == ".");
  w.request.retry_noisy = true;
  const batch_state state = w.run();
  CHECK(state.noisy == 1);
  CHECK(state.copies == 1);
  CHECK(content(w / "tries") == "..");
}

TEST_CASE("copies are done once, told, and counted apart from what was known before") {
  work w;
  w.matrix("first", "content sha256:x; note tries; ok");
  w.matrix("second", "content sha256:x; note tries; ok");
  w.matrix("other", "content sha256:y; note tries; ok");
  const batch_state state = w.run();
  CHECK(state.ok == 2);
  CHECK(state.copies == 1);
  CHECK(state.known_before == 0);
  CHECK(w.copies == std::vector<std::string>{"second is first"});
  CHECK(content(w / "tries") == "..");
}

TEST_CASE("a file that changed while it was read fails by its path, and its copies are done") {
  work w;
  w.matrix(
      "a",
      R"(content sha256:x; say result {"failure":{"cause":"error","message":"a: changed"},"changed":true})");
  w.matrix("b", "content sha256:x; note tries; ok");
  const batch_state state = w.run();
  CHECK(state.failed == 1);
  CHECK(state.ok == 1);
  CHECK(state.copies == 0);
  CHECK(content(w / "tries") == ".");
  REQUIRE(w.lines.size() == 2);
  CHECK(w.lines[0]["key"] == key_of("path:/test/a", w.lines[0]["options"]));
  CHECK(w.lines[0]["source"]["content"].is_null());
  CHECK(w.lines[1]["key"] == key_of("sha256:x", w.lines[1]["options"]));
}

TEST_CASE("a worker that takes too long is ended, at the stage it was at") {
  work w;
  w.request.timeout = 0.4;
  w.matrix("a", "content sha256:a; say stage thinking hard; sleep 20; ok");
  const double began = seconds_now();
  w.run();
  CHECK(seconds_now() - began < 10);
  CHECK(w.failure()["cause"] == "timeout");
  CHECK(w.failure()["stage"] == "thinking hard");
  CHECK(w.failure()["message"] == "a: took longer than 0.4 s (--timeout), at the stage: thinking hard");
  // What it takes counts, from its start, and no limit is none.
  w.request.inputs.clear();
  w.request.timeout = 0;
  w.matrix("b", "content sha256:b; sleep 0.5; ok");
  CHECK(w.run().ok == 1);
  CHECK(w.lines[0]["seconds"] >= 0.5);
}

TEST_CASE("the time for which all were stopped is no time of a worker's") {
  work w;
  w.request.timeout = 3;
  w.matrix("a", "content sha256:a; note started; sleep 3.9; ok");
  bool stopped = false;
  w.events.still_running = [&](const batch_state&) {
    if (stopped || !fs::exists(w.path / "started")) return;
    stopped = true;
    ::usleep(3'400'000);  // as whoever sends SIGSTOP has it; longer than any pass
  };
  w.run();
  REQUIRE(w.lines.size() == 1);
  CHECK(w.lines[0]["failure"].is_null());
}

TEST_CASE("the time for which all were stopped is no time of waiting for the device") {
  work w;
  w.request.options.predict = false;
  w.request.device_wait = 3;
  w.matrix("a", "content sha256:a; device; say free; ok");
  device_lease other(w.request.machine.identity);
  REQUIRE(other.try_take());
  bool stopped = false;
  w.events.still_running = [&](const batch_state&) {
    // After the stop it is refused at least once more.
    if (stopped) other.give_back();
    if (stopped || w.notes.empty()) return;  // which is told after half of the time
    stopped = true;
    ::usleep(3'400'000);
  };
  CHECK(w.run().ok == 1);
  CHECK(stopped);
}

TEST_CASE("one at a time on the device, and waiting for it is no time of a worker's") {
  work w;
  w.request.options.predict = false;
  w.request.jobs = 3;
  w.request.timeout = 3;
  for (const char* const name : {"a", "b", "c"})
    w.matrix(name, "content sha256:" + std::string(name) +
                       "; device; alone busy; sleep 1.5; alone busy; say free; ok");
  const batch_state state = w.run();
  CHECK(state.ok == 3);
  CHECK(state.device_seconds >= 3 * 1.6);
  CHECK(state.device_seconds <= state.seconds);
  double most = 0;
  for (const json& line : w.lines) most = std::max(most, line["waited_s"].get<double>());
  CHECK(most > 3);
  CHECK(w.notes.empty());
}

TEST_CASE("who is done with the device gives it back to all, and not only when it ends") {
  work w;
  w.request.options.predict = false;
  w.matrix("a", "content sha256:a; device; say free; note freed; sleep 1.5; ok");
  device_lease other(w.request.machine.identity);
  bool taken = false;
  w.events.still_running = [&](const batch_state& state) {
    if (fs::exists(w.path / "freed") && !state.running.empty()) taken = taken || other.try_take();
  };
  CHECK(w.run().ok == 1);
  CHECK(taken);
}

TEST_CASE("a device that another process does not give back is waited for, told, and then left") {
  work w;
  w.request.options.predict = false;
  w.request.device_wait = 0.8;
  w.matrix("a", "content sha256:a; device; say free; ok");
  {
    device_lease other(w.request.machine.identity);
    REQUIRE(other.try_take());
    try {
      w.run();
      FAIL_CHECK("it did not end");
    } catch (const error& problem) {
      CHECK(problem.category() == failure::device);
      CHECK(has(problem.what(), "the device could not be had for 0.8 s (--device-wait)"));
    }
    CHECK(w.lines.empty());  // no fault of the matrix
    CHECK(w.notes ==
          std::vector<std::string>{"waiting for another spbatch on this machine, which has the device"});
    // Without a limit it waits on; given back, it goes on.
    w.request.device_wait = 0;
    const double began = seconds_now();
    w.events.still_running = [&](const batch_state&) {
      if (seconds_now() - began > 1) other.give_back();
    };
    CHECK(w.run().ok == 1);
  }
}

TEST_CASE("where others cannot be kept from the device, that is told") {
  work w;
  fs::create_symlink("elsewhere", w.path / "sparsmith");
  w.request.device_locks = {w.path / "sparsmith"};
  w.request.options.predict = false;
  w.matrix("a", "content sha256:a; device; say free; ok");
  CHECK(w.run().ok == 1);
  REQUIRE(w.notes.size() == 1);
  CHECK(has(w.notes[0], "others are not kept from the device while it is measured: "));
  CHECK(has(w.notes[0], "sparsmith: not a folder of this user's"));
}

TEST_CASE("words that no worker says, results that are none, and ends without one") {
  struct ending {
    const char *script, *cause, *words;
  };
  for (const ending& one : std::vector<ending>{
           {"content sha256:a; say nonsense; sleep 20", "protocol", "said what no worker says: nonsense"},
           {"content sha256:a; say result 5; sleep 20", "protocol", "told a result that is none"},
           {"content sha256:a; say result {}; sleep 20", "protocol", "told a result that is none"},
           {"content sha256:a; say result {\"failure\":; sleep 20", "protocol", "told a result that is none"},
           {"content sha256:a; exit 7", "exit", "ended with status 7 and without a result"},
           {"content sha256:a; exit 0", "exit", "ended with status 0 and without a result"},
           {"exit 3", "exit", "ended with status 3"},  // before anybody knew what it is
           {"content sha256:a; raise 6", "signal", "killed by SIGABRT"},
           {"content sha256:a; whisper std::bad_alloc; raise 6", "memory", "out of memory (SIGABRT)"},
           {"content sha256:a; raise 25", "disk", "wrote more to a file"},
           {"content sha256:a; fail memory", "memory", "a.mtx: it broke"}}) {
    CAPTURE(one.script);
    work w;
    w.request.timeout = 20;
    w.matrix("a.mtx", one.script);
    const double began = seconds_now();
    CHECK(w.run().failed == 1);
    CHECK(seconds_now() - began < 10);
    CHECK(w.failure()["cause"] == one.cause);
    CHECK(has(w.failure()["message"], one.words));
    CHECK(has(w.failure()["message"], "a.mtx: "));
  }
}

TEST_CASE("its last words are kept, the end of them, on one line") {
  work w;
  w.matrix("a.mtx", "whisper " + std::string(5000, 'x') + "\nthe end; content sha256:a; exit 5");
  w.run();
  const std::string output = w.failure()["output"];
  CHECK(output.size() <= 2010);  // the line end takes more room as text
  CHECK(output.size() > 1900);
  CHECK(output.ends_with("the end"));
  CHECK_FALSE(has(output, "\n"));
}

TEST_CASE("who told a result is not asked how it ended, nor for another") {
  work w;
  w.matrix("a", "content sha256:a; ok; fail error; exit 7");
  w.matrix("b", "content sha256:b; ok; raise 9");
  const batch_state state = w.run();
  CHECK(state.ok == 2);
  CHECK(state.failed == 0);
  CHECK(w.lines.size() == 2);
}

TEST_CASE("a worker that others killed is mourned, in case they kill this process next") {
  work w;
  w.matrix("a", "content sha256:a; raise 9");
  const double began = seconds_now();
  bool ended = false;
  w.request.interrupted = [&] { return ended || (ended = seconds_now() - began > 1); };
  CHECK(w.run().interrupted);
  CHECK(w.lines.empty());
  w.request.interrupted = [] { return false; };
  CHECK(w.run().failed == 1);
  CHECK(w.failure()["cause"] == "signal");
  CHECK(w.failure()["signal"] == "SIGKILL");
}

TEST_CASE("an interrupted run leaves no process, no line, and what was running to the next") {
  work w;
  w.request.jobs = 2;
  w.matrix("a", "content sha256:a; leave child; note started; sleep 20; ok");
  w.matrix("b", "content sha256:b; sleep 20; ok");
  w.matrix("c", "content sha256:c; note third; ok");
  w.request.interrupted = [&] { return fs::exists(w.path / "started"); };
  const batch_state state = w.run();
  CHECK(state.interrupted);
  CHECK(state.done() == 0);
  CHECK(state.running.empty());
  CHECK(w.lines.empty());
  CHECK_FALSE(fs::exists(w.path / "third"));
  const pid_t child = std::stoi(content(w / "child"));
  for (int i = 0; i < 100 && is_there(child); ++i) ::usleep(10'000);
  CHECK_FALSE(is_there(child));
}

TEST_CASE("what a worker leaves behind goes with it, while its number is surely its own") {
  work w;
  w.matrix("a", "content sha256:a; leave child; ok");
  late_kills = group_kills = 0;
  CHECK(w.run().ok == 1);
  CHECK(group_kills > 0);
  CHECK(late_kills == 0);
  const pid_t child = std::stoi(content(w / "child"));
  for (int i = 0; i < 100 && is_there(child); ++i) ::usleep(10'000);
  CHECK_FALSE(is_there(child));
}

TEST_CASE("as many at once as were asked for") {
  for (const int jobs : {1, 3}) {
    work w;
    w.request.jobs = jobs;
    for (int i = 0; i < 4; ++i)
      w.matrix(std::to_string(i), "content sha256:" + std::to_string(i) + "; sleep 0.5; ok");
    std::size_t most = 0;
    w.events.still_running = [&](const batch_state& s) { most = std::max(most, s.running.size()); };
    CHECK(w.run().ok == 4);
    CHECK(most == static_cast<std::size_t>(jobs));
  }
}

TEST_CASE("what another process works on is waited for: its result counts, or it is free again") {
  for (const bool finishes : {true, false}) {
    work w;
    journal other(w.path / "out", results_file(2, 2), false);
    const std::string key = key_of("sha256:a", options_as_json(w.request.options));
    REQUIRE(other.claim(key));
    w.matrix("a", "content sha256:a; note tries; ok");
    w.matrix("b", "content sha256:b; ok");
    const double began = seconds_now();
    bool over = false;
    w.events.still_running = [&](const batch_state&) {
      if (over || seconds_now() - began < 0.6) return;
      over = true;
      if (finishes)
        other.append({{"schema", "sparsmith.batch/1"},
                      {"key", key},
                      {"name", "theirs"},
                      {"source", {{"path", "/theirs"}}},
                      {"options", options_as_json(w.request.options)},
                      {"result", "ok"}});
      other.give_up(key);
    };
    const batch_state state = w.run();
    CHECK(over);
    CHECK(state.ok == (finishes ? 1 : 2));
    CHECK(state.known_before == (finishes ? 1 : 0));
    CHECK(fs::exists(w.path / "tries") == !finishes);
  }
}

TEST_CASE("a device that fails costs a matrix, and the run where it is gone for good") {
  work w;
  w.matrix("a", "content sha256:a; fail device");
  w.matrix("b", "content sha256:b; ok");
  ::setenv("TEST_MACHINE",
           R"(say result {"backend":"cuda","note":"","code_doubt":"","device":"x","threads":3})", 1);
  CHECK(w.run().ok == 1);
  w.request.inputs.clear();
  w.matrix("c", "content sha256:c; fail device");
  w.matrix("d", "content sha256:d; ok");
  ::setenv("TEST_MACHINE", R"(say result {"failure":{"message":"no GPU any more"}})", 1);
  try {
    w.run();
    FAIL_CHECK("it went on");
  } catch (const error& problem) {
    CHECK(problem.category() == failure::device);
    CHECK(std::string(problem.what()) == "no GPU any more");
  }
  CHECK(w.lines.size() == 1);  // of the one that found out
  ::unsetenv("TEST_MACHINE");
}

TEST_CASE("looking at the machine: what it says, and how it may end") {
  const auto look = [](const char* script, bool interrupted = false) {
    ::setenv("TEST_MACHINE", script, 1);
    try {
      const batch_machine found = find_machine(device_wish::automatic, 0, false, [=] { return interrupted; });
      return found.backend + " " + std::to_string(found.threads);
    } catch (const error& problem) {
      CHECK(problem.category() == failure::device);
      return std::string(problem.what());
    }
  };
  CHECK(look(R"(say result {"backend":"openmp","note":"","code_doubt":"","device":"","threads":3})") ==
        "openmp 3");
  CHECK(has(look("whisper broken; exit 4"), "looking at the machine ended with status 1024: broken"));
  CHECK(has(look("sleep 20", true), "interrupted"));
  ::unsetenv("TEST_MACHINE");
}

TEST_CASE("what holds for a worker before it does anything") {
  // It would dump its memory where its parent does.
  rlimit core{};
  REQUIRE(::getrlimit(RLIMIT_CORE, &core) == 0);
  const rlimit allowed = {core.rlim_max, core.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_CORE, &allowed) == 0);
  work w;
  w.matrix("a", "content sha256:a; limits");
  w.request.memory = std::int64_t{3} << 30;
  REQUIRE(w.run().ok == 1);
  const json told = w.lines[0]["matrix"];
  REQUIRE(::setrlimit(RLIMIT_CORE, &core) == 0);
  CHECK(told["core"] == 0);
  CHECK(told["file"] == 64 << 20);
  CHECK(told["int blocked"] == true);  // its parent hears it
  CHECK(told["segv blocked"] == false);
  CHECK(told["pipe"] == true);
  CHECK(told["group"] == true);
#ifndef __SANITIZE_ADDRESS__
  // With room for stacks, unless a control group counts better; on a GPU addresses are no memory.
  const bool in_group = memory_group(std::int64_t{3} << 30, 77).made();
  if (!in_group) CHECK(told["data"] == std::int64_t{5} << 30);
  w.request.options.backend = "cuda";
  REQUIRE(w.run().ok == 1);
  CHECK(w.lines[0]["matrix"]["data"].get<std::uint64_t>() > std::uint64_t{5} << 30);
#endif
}

TEST_CASE("a result longer than any pipe arrives whole") {
  work w;
  w.matrix("a", "content sha256:a; much");
  CHECK(w.run().ok == 1);
  CHECK(w.lines[0]["analysis"].get<std::string>().size() == 9'000'000);
}

TEST_CASE("who takes more memory than was granted is ended") {
  work w;
  w.request.memory = 100 << 20;
  w.request.timeout = 20;
  w.matrix("a", "content sha256:a; take; sleep 20");
  const double began = seconds_now();
  CHECK(w.run().failed == 1);
  CHECK(seconds_now() - began < 15);
  CHECK(w.failure()["cause"] == "memory");
  CHECK(has(w.failure()["message"], "took more memory than --memory grants"));
}

TEST_CASE("signals have names, those that have none a number") {
  CHECK(signal_name(SIGSEGV) == "SIGSEGV");
  CHECK(signal_name(SIGKILL) == "SIGKILL");
  CHECK(signal_name(77) == "signal 77");
}
