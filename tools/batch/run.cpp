#include "tools/batch/run.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <deque>
#include <list>
#include <memory>
#include <string_view>
#include <thread>

#include "convert/error.hpp"
#include "kernels/measure.hpp"
#include "tools/batch/process.hpp"
#include "tools/batch/worker.hpp"

namespace sparsmith {
namespace {

constexpr int tick_milliseconds = 50;
// What a worker that has told its result may take to leave.
constexpr double leaving_seconds = 20;
// A pass of the loop takes a tick, or what the disk needs; more is no pass but a pause.
constexpr double stopped_seconds = 3;
// A worker that somebody else killed: whoever ends a whole job kills this process next, and then it was none
// of the matrix's failures.
constexpr double mourning_seconds = 2;
// Waiting this long for a device that another process has is worth a word: taking turns is shorter.
constexpr double silent_wait_seconds = 10;

std::string node_name() {
  std::string name(256, '\0');
  if (::gethostname(name.data(), name.size() - 1) != 0) return "";
  return name.c_str();
}

// How often a process around here was killed for lack of memory.
std::int64_t own_group_kills() {
  const std::vector<control_group> groups = own_control_groups();
  return groups.empty() ? 0 : groups.front().kills();
}

// A matrix that is still to be done; its key is known where somebody looked at it before.
struct pending {
  const batch_input* input = nullptr;
  std::string key = {};
};

struct worker {
  const batch_input* input = nullptr;
  source_state source = {};
  std::unique_ptr<worker_process> process = {};
  std::string key = {}, content = {}, stage = "starting", started_utc = utc_now();
  double started = seconds_now(), waiting_since = 0, waited = 0, stopped = 0, told_since = 0, gone_since = 0;
  exit_report left = {};
  std::int64_t kills_before = own_group_kills();
  bool on_device = false, claimed = false;
  bool settled = false;          // its result is known, or nobody wants it any more
  std::string overstepped = {};  // the limit it was killed for: its cause, and what to say
  std::string limit_message = {};

  double active_seconds(double now) const {
    return now - started - waited - stopped - (waiting_since > 0 ? now - waiting_since : 0);
  }
};

json failure_as_json(const std::string& stage, const std::string& cause, const std::string& message,
                     const json& signal = nullptr, const std::string& output = "") {
  return {{"stage", stage},
          {"cause", cause},
          {"message", on_one_line(message)},
          {"signal", signal},
          {"output", output}};
}

// Whether others got in the way of what was measured.
bool is_noisy(const json& recommendation) {
  return recommendation.is_object() && !recommendation.value("noisy", json::array()).empty();
}

// Why a worker ended that told no result.
json failure_of(const worker& one) {
  const exit_report& left = one.left;
  const std::string last_words = on_one_line(one.process->last_words());
  const auto as = [&](const char* cause, const std::string& message, const json& signal = nullptr) {
    return failure_as_json(one.stage, cause, fmt::format("{}: {}", one.input->name, message), signal,
                           last_words);
  };
  if (!one.overstepped.empty()) return as(one.overstepped.c_str(), one.limit_message);
  if (one.process->group_exceeded())
    return as("memory", fmt::format("took more memory than --memory grants, at the stage: {}", one.stage));
  if (WIFSIGNALED(left.status)) {
    const int signal = WTERMSIG(left.status);
    const std::string name = signal_name(signal);
    if (signal == SIGKILL && own_group_kills() > one.kills_before)
      return as("memory", fmt::format("took more memory than there is, at the stage: {}", one.stage), name);
    if (signal == SIGXFSZ) return as("disk", "wrote more to a file than a worker may", name);
    if (last_words.find("std::bad_alloc") != std::string::npos)
      return as("memory", fmt::format("out of memory ({}), at the stage: {}", name, one.stage), name);
    return as("signal", fmt::format("killed by {}, at the stage: {}", name, one.stage), name);
  }
  return as("exit", fmt::format("ended with status {} and without a result, at the stage: {}",
                                WIFEXITED(left.status) ? WEXITSTATUS(left.status) : -1, one.stage));
}

class batch {
 public:
  batch(const batch_request& request, journal& results, const batch_events& events)
      : request_(request),
        results_(results),
        events_(events),
        options_(options_as_json(request.options)),
        lease_(request.machine.identity, request.device_locks) {
    state_.total = static_cast<std::int64_t>(request.inputs.size());
    for (const batch_input& input : request.inputs) queue_.push_back({&input});
  }

  batch_state run() {
    const double began = seconds_now();
    double next_look = 0, last_pass = 0;
    if (request_.options.measures() && !lease_.problem().empty())
      note(fmt::format("others are not kept from the device while it is measured: {}", lease_.problem()));
    while (true) {
      if (request_.interrupted()) {
        state_.interrupted = true;
        running_.clear();  // which kills them
        break;
      }
      while (static_cast<int>(running_.size()) < request_.jobs && !queue_.empty()) start_next();
      if (running_.empty() && queue_.empty()) {
        if (elsewhere_.empty()) break;
        // Others work on what is left: done by them, or free again because they are gone?
        queue_.assign(elsewhere_.begin(), elsewhere_.end());
        elsewhere_.clear();
        std::this_thread::sleep_for(std::chrono::milliseconds(tick_milliseconds));
      }
      listen();
      const double now = seconds_now();
      state_.seconds = now - began;
      // Whoever stops this process, a user or a scheduler, stops the workers too: no time of theirs. Before
      // any time is held against a limit.
      if (last_pass > 0 && now - last_pass > stopped_seconds) {
        for (worker& one : running_) one.stopped += now - last_pass;
        if (refused_since_ > 0) refused_since_ += now - last_pass;
      }
      last_pass = now;
      lend_device(now);
      if (now >= next_look) {
        next_look = now + 0.1;
        for (worker& one : running_) hold_to_limits(one, now);
        tell_state();
      }
      for (auto one = running_.begin(); one != running_.end();) one = see_off(one);
    }
    state_.seconds = seconds_now() - began;
    state_.running.clear();
    return state_;
  }

 private:
  // Whether there is a result that counts; one that failed, or that others got in the way of, counts unless
  // it is to be tried again, once.
  const known_result* result_of(const std::string& key) const {
    const known_result* const known = key.empty() ? nullptr : results_.find(key);
    if (known == nullptr || !known->at_start) return known;
    const bool again = known->ok ? request_.retry_noisy && known->noisy : request_.retry_failed;
    return again ? nullptr : known;
  }

  void count_known(const batch_input& input, const known_result& known, const std::string& key) {
    if (done_here_.contains(key)) {
      ++state_.copies;
      if (events_.copied) events_.copied(input.name, known.name);
    } else {
      ++state_.known_before;
      if (!known.ok) ++state_.failed_before;
      if (known.noisy) ++state_.noisy_before;
      done_here_.insert(key);
    }
  }

  void start_next() {
    pending next = queue_.front();
    queue_.pop_front();
    const source_state source = look_at_source(next.input->path);
    if (next.key.empty()) next.key = results_.key_of_source(next.input->source, source, options_);
    if (const known_result* const known = result_of(next.key)) {
      count_known(*next.input, *known, next.key);
      return;
    }
    if (!next.key.empty() && !results_.claim(next.key)) {
      elsewhere_.push_back(next);
      return;
    }
    // Somebody may have finished it between the look and the claim.
    if (const known_result* const known = result_of(next.key)) {
      results_.give_up(next.key);
      count_known(*next.input, *known, next.key);
      return;
    }
    worker one;
    one.input = next.input;
    one.source = source;
    one.key = next.key;
    one.claimed = !next.key.empty();
    const bool on_host = request_.options.backend != "cuda";
    one.process = std::make_unique<worker_process>(next.input->path, request_.memory, on_host, ++started_);
    const json job = {{"parent", ::getpid()}, {"threads", request_.threads}, {"options", options_}};
    // One that is gone already is seen off below, with its reason.
    one.process->send(job.dump(-1, ' ', false, json::error_handler_t::replace));
    running_.push_back(std::move(one));
  }

  // Waits for something to be said, for one tick at most.
  void listen() {
    std::vector<pollfd> ends;
    for (const worker& one : running_)
      for (const int end : {one.process->output(), one.process->errors()})
        if (end >= 0) ends.push_back({end, POLLIN, 0});
    ::poll(ends.data(), ends.size(), tick_milliseconds);
    for (worker& one : running_) {
      one.process->listen_to_errors();
      for (const std::string& line : one.process->lines()) hear(one, line);
    }
  }

  void hear(worker& one, const std::string& line) {
    // What comes after a limit was overstepped, or after words that no worker says, is worth nothing.
    if (one.settled || !one.overstepped.empty()) return;
    const std::string_view text = line;
    if (text.starts_with(says_stage)) {
      one.stage = line.substr(std::string_view(says_stage).size());
    } else if (text.starts_with(says_content)) {
      take_content(one, line.substr(std::string_view(says_content).size()));
    } else if (text == says_device) {
      one.waiting_since = seconds_now();
      device_queue_.push_back(&one);
    } else if (text == says_free) {
      give_back_device(one);
    } else if (text.starts_with(says_result)) {
      json told = json::parse(text.substr(std::string_view(says_result).size()), nullptr, false);
      if (told.is_object() && told.contains("failure")) {
        finish(one, std::move(told));
        return;
      }
      overstep(one, "protocol", "told a result that is none");
    } else {
      overstep(one, "protocol", fmt::format("said what no worker says: {:.100}", on_one_line(line)));
    }
  }

  // Now it is known what the matrix is. Somebody may have done it under another name.
  void take_content(worker& one, const std::string& content) {
    one.content = content;
    const std::string key = key_of(content.empty() ? "path:" + one.input->source : content, options_);
    if (one.claimed && one.key != key) {
      results_.give_up(one.key);
      one.claimed = false;
    }
    one.key = key;
    if (!one.claimed) {
      if (!results_.claim(key)) {
        elsewhere_.push_back({one.input, key});
        dismiss(one);
        return;
      }
      one.claimed = true;
    }
    if (const known_result* const known = result_of(key)) {
      count_known(*one.input, *known, key);
      dismiss(one);
      return;
    }
    one.process->send("go");
  }

  void lend_device(double now) {
    if (device_queue_.empty()) {
      lease_.stop_waiting();
      refused_since_ = 0;
    }
    if (on_device_ != nullptr || device_queue_.empty()) return;
    if (!lease_.try_take()) {
      wait_for_others(now);
      return;
    }
    refused_since_ = 0;
    worker& one = *device_queue_.front();
    device_queue_.pop_front();
    on_device_ = &one;
    one.on_device = true;
    device_since_ = now;
    one.waited += now - one.waiting_since;
    one.waiting_since = 0;
    one.process->send("go");
  }

  // Another process has the device. One that hangs, or was stopped, gives it back never.
  void wait_for_others(double now) {
    const double limit = request_.device_wait;
    if (refused_since_ == 0) refused_since_ = now;
    const double waited = now - refused_since_;
    if (limit > 0 && waited > limit)
      throw error(
          failure::device,
          fmt::format("the device could not be had for {:g} s (--device-wait): another spbatch on this "
                      "machine has it; end that one, and the same command goes on",
                      limit));
    if (told_of_others_ ||
        waited <= (limit > 0 ? std::min(silent_wait_seconds, limit / 2) : silent_wait_seconds))
      return;
    told_of_others_ = true;
    note("waiting for another spbatch on this machine, which has the device");
  }

  void note(const std::string& text) const {
    if (events_.noted) events_.noted(text);
  }

  void give_back_device(worker& one) {
    std::erase(device_queue_, &one);
    if (on_device_ != &one) return;
    state_.device_seconds += seconds_now() - device_since_;
    on_device_ = nullptr;
    one.on_device = false;
    lease_.give_back();
  }

  void overstep(worker& one, const char* cause, const std::string& message) {
    one.overstepped = cause;
    one.limit_message = message;
    one.process->kill();
  }

  void hold_to_limits(worker& one, double now) {
    if (!one.overstepped.empty()) return;
    if (one.settled) {
      // It has told all there is; a device that does not let go of it keeps nobody waiting for ever.
      if (now - one.told_since > leaving_seconds) one.process->kill();
    } else if (one.gone_since > 0) {
      return;
    } else if (request_.timeout > 0 && one.active_seconds(now) > request_.timeout) {
      overstep(
          one, "timeout",
          fmt::format("took longer than {:g} s (--timeout), at the stage: {}", request_.timeout, one.stage));
    } else if (one.process->rambles()) {
      overstep(one, "protocol", "talks without end");
    } else if (one.process->over_memory()) {
      overstep(one, "memory",
               fmt::format("took more memory than --memory grants, at the stage: {}", one.stage));
    }
  }

  // Nobody wants its result.
  void dismiss(worker& one) {
    if (one.claimed) results_.give_up(one.key);
    one.claimed = false;
    one.settled = true;
    one.told_since = seconds_now();
    one.process->kill();
  }

  void finish(worker& one, json told) {
    give_back_device(one);
    one.settled = true;
    one.told_since = seconds_now();
    if (told.value("changed", false)) {
      // What was hashed is not what was read, and has not failed: copies of it may be done.
      if (one.claimed) results_.give_up(one.key);
      one.claimed = false;
      one.key.clear();
      one.content.clear();
    }
    if (one.key.empty()) {
      // It failed, and nobody knows what it is: then its path stands for it.
      one.key = key_of("path:" + one.input->source, options_);
      if (!results_.claim(one.key)) {
        elsewhere_.push_back({one.input, one.key});
        return;
      }
      one.claimed = true;
      if (const known_result* const known = result_of(one.key)) {
        count_known(*one.input, *known, one.key);
        dismiss(one);
        return;
      }
    }
    json failed = std::move(told["failure"]);
    if (!failed.is_null() && !failed.contains("stage")) {
      // Who runs out of memory does not know over which matrix.
      std::string message = failed.at("message");
      if (message.find(on_one_line(one.input->name)) == std::string::npos)
        message = one.input->name + ": " + message;
      failed = failure_as_json(one.stage, failed.at("cause"), message, nullptr,
                               on_one_line(one.process->last_words()));
    }
    const auto number = [](std::int64_t value) { return value < 0 ? json() : json(value); };
    const json not_raced = told.value("not_raced", json());
    json line = {{"schema", "sparsmith.batch/1"},
                 {"version", SPARSMITH_VERSION},
                 {"key", one.key},
                 {"name", one.input->name},
                 {"source",
                  {{"path", one.input->source},
                   {"kind", one.source.kind},
                   {"bytes", number(one.source.bytes)},
                   {"modified_ns", number(one.source.modified_ns)},
                   {"content", one.content.starts_with("sha256:") ? json(one.content) : json()}}},
                 {"options", options_},
                 {"result", !failed.is_null()      ? "failed"
                            : !not_raced.is_null() ? "analysed"
                                                   : "ok"},
                 {"failure", failed},
                 {"not_raced", not_raced},
                 {"matrix", told.value("matrix", json())},
                 {"node", node_name()},
                 {"started", one.started_utc},
                 {"seconds", std::round((seconds_now() - one.started) * 1e6) / 1e6},
                 {"waited_s", std::round(one.waited * 1e6) / 1e6},
                 {"noisy", is_noisy(told.value("recommendation", json()))},
                 {"stages", told.value("stages", json::array())},
                 {"memory_peak", told.value("memory_peak", json())},
                 {"analysis", std::move(told["analysis"])},
                 {"recommendation", std::move(told["recommendation"])}};
    results_.append(line);
    results_.give_up(one.key);
    one.claimed = false;
    done_here_.insert(one.key);
    ++(line["result"] == "ok" ? state_.ok : line["result"] == "analysed" ? state_.analysed : state_.failed);
    if (line["noisy"]) ++state_.noisy;
    if (events_.finished) events_.finished(line, state_);
    if (!failed.is_null() && failed["cause"] == "device") device_failed_ = failed["message"];
  }

  // The next one; the one itself is removed if it is gone.
  std::list<worker>::iterator see_off(std::list<worker>::iterator one) {
    if (one->gone_since == 0) {
      if (!one->process->gone(one->left)) return std::next(one);
      one->gone_since = seconds_now();
      one->process->listen_to_errors();
      for (const std::string& line : one->process->lines()) hear(*one, line);  // what was still in the pipe
    }
    const bool killed_by_others = !one->settled && one->overstepped.empty() &&
                                  WIFSIGNALED(one->left.status) && WTERMSIG(one->left.status) == SIGKILL &&
                                  !one->process->group_exceeded();
    if (killed_by_others && seconds_now() - one->gone_since < mourning_seconds) return std::next(one);
    if (!one->settled) {
      give_back_device(*one);
      json told = {{"failure", failure_of(*one)}, {"memory_peak", one->left.memory_peak}};
      finish(*one, std::move(told));
    }
    const auto next = running_.erase(one);
    // A GPU that is gone for good fails every matrix that follows: better to stop and say so.
    if (!device_failed_.empty()) {
      device_failed_.clear();
      find_machine(device_wish::cuda, request_.threads, false, request_.interrupted);
    }
    return next;
  }

  void tell_state() {
    if (!events_.still_running) return;
    state_.running.clear();
    for (const worker& one : running_)
      if (!one.settled) state_.running.push_back({one.input->name, one.stage, one.on_device});
    events_.still_running(state_);
  }

  const batch_request& request_;
  journal& results_;
  const batch_events& events_;
  const json options_;
  device_lease lease_;
  batch_state state_;
  std::deque<pending> queue_;
  std::vector<pending> elsewhere_;  // others are working on these, or this process under another name
  std::list<worker> running_;
  std::deque<worker*> device_queue_;
  worker* on_device_ = nullptr;
  double device_since_ = 0;
  double refused_since_ = 0;         // since when another process has the device that is wanted here
  bool told_of_others_ = false;      // once is enough
  std::set<std::string> done_here_;  // keys that are counted already
  std::string device_failed_;
  int started_ = 0;
};

}  // namespace

batch_machine find_machine(device_wish device, int threads, bool rates,
                           const std::function<bool()>& interrupted) {
  worker_process looking("", 0, false, 0);
  const json job = {{"parent", ::getpid()}, {"device", device}, {"threads", threads}, {"rates", rates}};
  looking.send(job.dump());
  constexpr double patience = 120;
  const double began = seconds_now();
  exit_report left;
  while (true) {
    const bool gone = looking.gone(left);
    looking.listen_to_errors();
    for (const std::string& line : looking.lines()) {
      if (!std::string_view(line).starts_with(says_result)) continue;
      const json told = json::parse(line.substr(std::string_view(says_result).size()));
      if (told.contains("failure"))
        throw error(failure::device, told["failure"].at("message").get<std::string>());
      return {told.at("backend"), told.at("note"), told.at("code_doubt"), told.at("device"),
              told.at("threads")};
    }
    if (gone)
      throw error(failure::device, fmt::format("looking at the machine ended with status {}: {}", left.status,
                                               looking.last_words()));
    if (interrupted()) throw error(failure::device, "interrupted while looking at the machine");
    if (seconds_now() - began > patience)
      throw error(failure::device, fmt::format("the device did not answer for {:g} s", patience));
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

batch_state run_batch(const batch_request& request, journal& results, const batch_events& events) {
  remove_stale_memory_groups();
  return batch(request, results, events).run();
}

}  // namespace sparsmith
