// spbatch: profiles a collection of matrices. One process each, one line each on disk; nothing is lost and
// nothing done twice, on one machine or as parts of a cluster's job.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "convert/error.hpp"
#include "tools/batch/cluster.hpp"
#include "tools/batch/collection_index.hpp"
#include "tools/batch/report.hpp"
#include "tools/batch/run.hpp"
#include "tools/batch/summary_text.hpp"
#include "tools/batch/worker.hpp"
#include "tools/command_line.hpp"

namespace sparsmith {
namespace {

namespace fs = std::filesystem;

// What was typed.
struct typed_options {
  common_options common;
  std::vector<std::string> words;  // all of it, for the tasks of a cluster
  std::vector<std::string> paths, lists, sbatch_options;
  std::string out = "spbatch-results", mix = "1:1", memory, shard, index;
  double timeout = 900, budget = 0, device_wait = 3600;
  std::optional<bool> single_values;
  int jobs = 0, array = 0;
  bool analyze = false, recommend = false, predict = false, warm = false;
  bool fresh = false, retry_failed = false, retry_noisy = false, report = false, slurm = false;
};

// What is to be done; nothing below request_of knows what was typed for it.
struct tool_request {
  fs::path folder;
  bool run = true, report = true, fresh = false;
  shard part;
  std::string part_note;  // where the part comes from, if it was not asked for
  batch_request batch;
  std::vector<std::string> problems, not_files;
  passed_over_files passed_over;
  std::string index, index_text;  // of the collection: its path, and all that is in it; empty without one
  std::optional<slurm_job> job;
  output_form form = output_form::text;
  bool show_progress = true;
};

volatile std::sig_atomic_t interrupting_signal = 0;

// The first time the workers are ended in order; the second time this process is.
void note_interrupt(int signal) {
  interrupting_signal = signal;
  std::signal(signal, SIG_DFL);
}

// What is said on the way: a terminal that went away, a pipe that nobody reads or a full disk ends no run.
void tell(const std::string& text) {
  std::fputs((text + "\n").c_str(), stderr);
}

// What every task of the job types: the same, but for what is about the job itself.
std::vector<std::string> command_of_tasks(const std::vector<std::string>& words) {
  std::error_code problem;
  std::vector<std::string> command = {fs::read_symlink("/proc/self/exe", problem).string()};
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string option = words[i].substr(0, words[i].find('='));
    if (words[i] == "--array") ++i;  // and what it is
    if (option != "--slurm" && option != "--fresh" && option != "--array") command.push_back(words[i]);
  }
  return command;
}

// How many workers at once, and the threads of each. What is measured on the processors is measured alone;
// beside a GPU that measures, two more read and assemble.
void settle_jobs(const typed_options& typed, batch_request& batch) {
  const int threads = batch.machine.threads;
  if (batch.options.measures()) {
    const bool on_gpu = batch.machine.backend == cuda::name;
    batch.jobs = typed.jobs > 0 ? typed.jobs : on_gpu ? 3 : 1;
    batch.threads = typed.common.threads;
  } else {
    batch.jobs = typed.jobs > 0 ? typed.jobs : std::min(threads, 8);
    batch.threads = typed.common.threads > 0 ? typed.common.threads : std::max(1, threads / batch.jobs);
  }
}

shard settle_shard(const typed_options& typed, std::string& note) {
  if (!typed.shard.empty()) return parse_shard(typed.shard);
  const std::optional<shard> of_slurm = shard_of_slurm([](const char* name) { return std::getenv(name); });
  if (!of_slurm) return {};
  note = fmt::format("shard {}/{}, as Slurm says", of_slurm->index, of_slurm->count);
  return *of_slurm;
}

batch_options settle_options(const typed_options& typed) {
  batch_options options;
  options.predict = typed.predict;
  if (typed.analyze || typed.recommend) {
    options.analyze = typed.analyze;
    options.recommend = typed.recommend || typed.predict;
  }
  const mix_of_products mix = parse_mix(typed.mix);
  options.mix = mix.weights;
  options.one_pass = mix.one_pass;
  options.warm = typed.warm;
  options.single_values = typed.single_values;
  options.budget = typed.budget;
  options.threads = typed.common.threads;
  return options;
}

// One that is found though nobody named it ends no run where it is spoiled.
void settle_index(const typed_options& typed, const std::string& path, tool_request& request) {
  if (path.empty()) return;
  try {
    std::string text = read_index_file(path);
    const collection_index index(text, path);
    request.index = fmt::format("groups and kinds are those of {} ({} {})", path, index.size(),
                                index.size() == 1 ? "matrix" : "matrices");
    request.index_text = std::move(text);
  } catch (const error& wrong) {
    if (!typed.index.empty()) throw;
    tell("spbatch: " + on_one_line(wrong.what()) + std::string("; the report goes without groups"));
  }
}

void settle_inputs(const typed_options& typed, tool_request& request) {
  const found_inputs found = find_inputs({typed.paths, typed.lists, request.folder, typed.index});
  settle_index(typed, found.index, request);
  request.problems = found.problems;
  request.not_files = found.not_files;
  request.passed_over = found.passed_over;
  if (found.inputs.empty())
    throw error(
        failure::input,
        fmt::format("no matrices found{}",
                    !found.not_files.empty() ? on_one_line("; passed over: " + found.not_files.front())
                    : found.passed_over.files > 0
                        ? fmt::format(": no file there is named like one ({})", kinds_text(found.passed_over))
                        : ""));
  const auto count = static_cast<std::size_t>(request.part.count);
  for (std::size_t i = static_cast<std::size_t>(request.part.index) - 1; i < found.inputs.size(); i += count)
    request.batch.inputs.push_back(found.inputs[i]);
}

tool_request request_of(const typed_options& typed, const progress_line& progress) {
  tool_request request;
  request.folder = typed.out;
  request.run = !typed.paths.empty() || !typed.lists.empty();
  request.form = form_of(typed.common, false);
  request.show_progress = !typed.common.quiet;
  if (!request.run && !typed.report)
    throw error(failure::usage,
                "name matrices, folders or lists, or ask for the report of earlier results (--report)");
  if (!request.run && (typed.slurm || typed.fresh || typed.retry_failed || typed.retry_noisy))
    throw error(
        failure::usage,
        "name the matrices: --slurm, --fresh, --retry-failed and --retry-noisy are about running them");
  for (const auto& [option, value] :
       {std::pair("--timeout", typed.timeout), std::pair("--budget", typed.budget),
        std::pair("--device-wait", typed.device_wait)})
    if (!std::isfinite(value)) throw error(failure::usage, fmt::format("{} {}: not a number", option, value));
  if (typed.array > 0 && !typed.slurm) throw error(failure::usage, "--array goes with --slurm");
  if (typed.slurm && !typed.shard.empty())
    throw error(failure::usage, "--slurm divides the work among its tasks; --shard is for other launchers");
  request.fresh = typed.fresh;
  if (!request.run) {
    settle_index(typed, typed.index, request);
    return request;
  }
  if (typed.slurm) {
    if (std::getenv("SLURM_ARRAY_TASK_ID") != nullptr)
      throw error(failure::usage, "--slurm: this is a task of a job array already");
    if (std::find(typed.lists.begin(), typed.lists.end(), "-") != typed.lists.end())
      throw error(failure::usage,
                  "--list -: tasks of a job have no such standard input; store the list in a file");
    settle_inputs(typed, request);  // so that what is not there is said now, and not by the tasks
    const int tasks =
        typed.array > 0 ? typed.array : std::min<int>(4, static_cast<int>(request.batch.inputs.size()));
    request.job = {request.folder, command_of_tasks(typed.words), tasks, typed.sbatch_options};
    return request;
  }
  request.part = settle_shard(typed, request.part_note);
  if (typed.fresh && request.part.count > 1)
    throw error(failure::usage, "--fresh would put aside what other shards have done; use another --out");
  request.report = request.part.count == 1 || typed.report;
  settle_inputs(typed, request);
  batch_request& batch = request.batch;
  batch.options = settle_options(typed);
  batch.timeout = typed.timeout;
  batch.device_wait = typed.device_wait;
  batch.retry_failed = typed.retry_failed;
  batch.retry_noisy = typed.retry_noisy;
  batch.memory = typed.memory.empty() ? 0 : parse_memory(typed.memory);
  batch.interrupted = [] { return interrupting_signal != 0; };
  progress.say("what this machine can do");
  batch.machine =
      find_machine(typed.common.device, typed.common.threads, batch.options.recommend, batch.interrupted);
  progress.clear();
  batch.options.backend = batch.machine.backend;
  settle_jobs(typed, batch);
  // What is there is shared out, with something left for the system: a worker that wants more fails alone.
  if (batch.memory == 0) batch.memory = available_bytes(place::host) / 10 * 9 / batch.jobs;
  return request;
}

std::string duration(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string counted(std::int64_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

// "[####......] 12/40, 0.8/s, 35 s left, 1 failed | reading a.mtx": what it does first, for narrow terminals.
std::string progress_text_of(const batch_state& state) {
  constexpr int width = 10;
  const std::int64_t settled = state.settled(), here = state.done();
  const int filled = state.total == 0 ? width : static_cast<int>(width * settled / state.total);
  std::string text =
      fmt::format("[{:#<{}}{:.<{}}] {}/{}", "", filled, "", width - filled, settled, state.total);
  if (here > 0 && state.seconds > 0) {
    const double rate = static_cast<double>(here) / state.seconds;
    text += rate >= 0.1 ? fmt::format(", {:.1f}/s", rate) : fmt::format(", {:.1f}/min", rate * 60);
    text += fmt::format(", {} left", duration(static_cast<double>(state.total - settled) / rate));
  }
  if (state.failed > 0) text += fmt::format(", {} failed", state.failed);
  // The one that is measured, or else the one that runs longest.
  const auto shown = std::find_if(state.running.begin(), state.running.end(),
                                  [](const running_matrix& one) { return one.on_device; });
  if (!state.running.empty()) {
    const running_matrix& one = shown == state.running.end() ? state.running.front() : *shown;
    text += fmt::format(" | {}: {}", one.stage, fs::path(one.name).filename().string());
  }
  return on_one_line(text);
}

// What came of one matrix, for where there is no terminal to draw on.
std::string line_text_of(const json& line, const batch_state& state) {
  const std::string name = line["name"];
  std::string text = fmt::format("[{}/{}] ", state.settled(), state.total);
  if (line["result"] == "failed") {
    const std::string message = line["failure"]["message"];
    text += fmt::format("FAILED ({}) {}{}", line["failure"]["cause"].get<std::string>(),
                        message.find(name) == std::string::npos ? name + ": " : "", message);
  } else {
    text += fmt::format("{} {}, {:.1f} s", line["result"].get<std::string>(), name,
                        line["seconds"].get<double>() - line["waited_s"].get<double>());
    if (const json& why = line["not_raced"]; !why.is_null()) text += ": " + why.get<std::string>();
    if (const json& told = line["recommendation"]; !told.is_null() && !told["verdict"].is_null())
      text += fmt::format(": {}", told["verdict"]["copies"][0].get<std::string>());
    if (const json& matrix = line["matrix"]; matrix.is_object() && matrix.contains("note"))
      text += "; " + matrix["note"].get<std::string>();
    if (line["noisy"]) text += ", unsettled: the machine was busy";
  }
  return on_one_line(text);
}

json state_as_json(const tool_request& request, const batch_state& state) {
  json passed_over = json::array();
  for (const auto& [ending, files] : request.passed_over.kinds)
    passed_over.push_back({{"ending", ending}, {"files", files}});
  return {{"matrices", state.total},
          {"known_before", state.known_before},
          {"copies", state.copies},
          {"ok", state.ok},
          {"analysed", state.analysed},
          {"failed", state.failed},
          {"failed_before", state.failed_before},
          {"noisy", state.noisy},
          {"noisy_before", state.noisy_before},
          {"interrupted", state.interrupted},
          {"seconds", state.seconds},
          {"device_seconds", state.device_seconds},
          {"passed_over", std::move(passed_over)}};
}

// How this run went, in sentences.
std::string state_as_text(const tool_request& request, const batch_state& state) {
  const int width = output_width();
  std::string text =
      fmt::format("{} of {} done in {}: {} ok, {}{} failed", state.done(),
                  counted(state.total, "matrix", "matrices"), duration(state.seconds), state.ok,
                  state.analysed > 0 ? fmt::format("{} only analysed, ", state.analysed) : "", state.failed);
  if (state.known_before > 0)
    text +=
        fmt::format("; {} had results before{}", state.known_before,
                    state.failed_before > 0 ? fmt::format(", {} of them failed", state.failed_before) : "");
  if (const std::int64_t noisy = state.noisy + state.noisy_before; noisy > 0)
    text += "; " + counted(noisy, "was", "were") + " measured on a busy machine (--retry-noisy runs " +
            (noisy == 1 ? "it" : "them") + " again)";
  if (state.copies > 0) text += "; " + counted(state.copies, "is a copy", "are copies") + " of others";
  text = wrapped("", text + ".", 2, width);
  if (request.batch.options.measures() && state.done() > 0 && state.seconds > 0)
    text += wrapped("",
                    fmt::format("The device was in use {:.0f} % of the time.",
                                100 * state.device_seconds / state.seconds),
                    2, width);
  if (const std::int64_t others = request.passed_over.files; others > 0)
    text += wrapped("",
                    counted(others, "other file in the folders is", "other files in the folders are") +
                        " not named like a matrix and passed over.",
                    2, width);
  return text;
}

// Beside the results, so that every report of them has the same groups.
void keep_index(const tool_request& request) {
  const fs::path kept = request.folder / kept_index_name;
  if (!request.index_text.empty())
    write_whole_file(kept.string(), request.index_text);
  else if (std::error_code none; request.fresh)
    fs::remove(kept, none);
}

batch_state run(const tool_request& request, const progress_line& progress) {
  journal results(request.folder, results_file(request.part.index, request.part.count), request.fresh);
  keep_index(request);
  for (const std::string& problem : results.problems()) tell("spbatch: " + problem);
  const bool on_terminal = ::isatty(STDERR_FILENO) == 1;
  batch_events events;
  if (request.show_progress) {
    events.still_running = [&](const batch_state& state) { progress.say(progress_text_of(state)); };
    events.finished = [&](const json& line, const batch_state& state) {
      // On a terminal the bar counts the good ones; the bad ones stay to be read.
      if (on_terminal && line["result"] != "failed") return;
      progress.clear();
      tell(line_text_of(line, state));
    };
    events.noted = [&](const std::string& text) {
      progress.clear();
      tell_note("spbatch: " + on_one_line(text));
    };
    events.copied = [&](const std::string& name, const std::string& of) {
      progress.clear();
      tell_note(on_one_line(fmt::format("{}: the same as {}", name, of)));
    };
  }
  const batch_state state = run_batch(request.batch, results, events);
  progress.clear();
  return state;
}

struct outcome {
  bool complete = true, interrupted = false;
};

outcome profile(const typed_options& typed) {
  const progress_line progress(!typed.common.quiet);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    // What was ignored on purpose stays so.
    if (std::signal(signal, note_interrupt) == SIG_IGN) std::signal(signal, SIG_IGN);
  // A worker that is gone is found out when its status is asked for, and nobody has to read what is said.
  std::signal(SIGPIPE, SIG_IGN);
  const tool_request request = request_of(typed, progress);
  for (const std::string& problem : request.problems) tell("spbatch: " + on_one_line(problem));
  for (const std::string& one : request.not_files)
    tell("spbatch: " + on_one_line(one + ", not a file; passed over"));
  if (request.job) {
    std::error_code problem;
    fs::create_directories(request.folder, problem);
    if (problem) throw error(failure::output, request.folder.string() + ": " + problem.message());
    if (request.fresh) const journal emptied(request.folder, results_file(1, 1), true);
    const submitted job = submit_to_slurm(*request.job);
    if (request.form == output_form::json)
      fmt::print("{}\n", json{{"job", job.job_id}, {"script", job.script.string()}}.dump(
                             2, ' ', false, json::error_handler_t::replace));
    else if (request.form == output_form::text)
      fmt::print("{}", how_to_watch(job));
    return {request.problems.empty()};
  }
  if (const std::string others = passed_over_text(request.passed_over);
      !others.empty() && request.show_progress)
    tell_note("spbatch: " + on_one_line(others));
  if (!request.index.empty() && request.show_progress) tell_note("spbatch: " + on_one_line(request.index));
  outcome ended{request.problems.empty()};
  batch_state state;
  if (request.run) {
    if (request.show_progress)
      tell_note(
          fmt::format("{} on {}{}{}; results in {}",
                      counted(static_cast<std::int64_t>(request.batch.inputs.size()), "matrix", "matrices"),
                      request.batch.machine.note, request.part_note.empty() ? "" : "; ", request.part_note,
                      request.folder.string()));
    if (const std::string& doubt = request.batch.machine.code_doubt; !doubt.empty() && request.show_progress)
      tell_note("spbatch: the kernels are " + doubt);
    state = run(request, progress);
    // Where nothing is said on the way, the exit status still needs its reason.
    if (const std::int64_t failed = state.failed + state.failed_before; failed > 0 && !request.show_progress)
      tell(on_one_line(fmt::format(
          "spbatch: {} of {} failed; {} says why", failed, counted(state.total, "matrix", "matrices"),
          (request.folder / results_file(request.part.index, request.part.count)).string())));
    ended.complete = ended.complete && state.failed == 0 && state.failed_before == 0;
    ended.interrupted = state.interrupted;
  } else if (!fs::is_directory(request.folder)) {
    throw error(failure::input, fmt::format("{}: no such folder of results", request.folder.string()));
  } else {
    keep_index(request);
  }
  json told = json::object();
  if (request.run) told["run"] = state_as_json(request, state);
  const int width = output_width();
  std::string text;
  if (request.report && !state.interrupted) {
    progress.say("writing the report");  // seconds for every hundred MB of results
    const batch_summary summary =
        write_report(request.folder, [](const std::string& problem) { tell("spbatch: " + problem); });
    progress.clear();
    told["summary"] = summary_as_json(summary);
    text = summary_as_text(summary, width) + "\n" +
           wrapped("Report: ", (request.folder / "report.html").string(), 2, width);
  } else if (!state.interrupted) {
    text = wrapped("", "The report of all shards:", 2, width) +
           broken_command({"spbatch", "--report", "--out", request.folder.string()}, width);
  }
  if (request.run) text = state_as_text(request, state) + (text.empty() ? "" : "\n") + text;
  if (state.interrupted) text += wrapped("", "Interrupted; the same command goes on from here.", 2, width);
  // A reader that has seen enough is none of our failures.
  std::signal(SIGPIPE, SIG_DFL);
  if (request.form == output_form::text) fmt::print("{}", text);
  if (request.form == output_form::json)
    fmt::print("{}\n", told.dump(2, ' ', false, json::error_handler_t::replace));
  return ended;
}

}  // namespace
}  // namespace sparsmith

int main(int argc, char** argv) {
  using namespace sparsmith;
  if (argc > 1 && std::string_view(argv[1]) == worker_flag) return run_worker(argc, argv);
  typed_options typed;
  CLI::App app(
      "Profiles a collection of matrices: each is analysed and its formats are raced, in a process of its "
      "own. "
      "Results are lines on disk, a run that was ended goes on where it was, and a report shows them all.",
      "spbatch");
  app.add_option("path", typed.paths,
                 "Folders (searched), files, patterns, generators (--help-generators), and text files (.txt, "
                 ".list) with one a line")
      ->type_name("FILE");
  app.add_option("--out", typed.out, "Folder of the results, made where it is not there")
      ->capture_default_str()
      ->type_name("DIR");
  app.add_option("--list", typed.lists, "Text files that name matrices, one a line; - is standard input")
      ->allow_extra_args(false)
      ->type_name("FILE");
  app.add_option(
         "--index", typed.index,
         "Index with groups and kinds for the report, as SuiteSparse's ssstats.csv; by default the one "
         "in a folder, or above it")
      ->type_name("FILE");
  app.add_flag("--analyze", typed.analyze,
               "Only analyse, as spanalyze does (with --recommend: both, the default)");
  app.add_flag("--recommend", typed.recommend, "Only recommend a format, as sprecommend does");
  app.add_flag("--predict", typed.predict, "Run no kernel: recommend by the model alone");
  app.add_option("--mix", typed.mix,
                 "How many products with A and with A^T are wanted: 10:1, or 1:0; "
                 "both or normal: as with sprecommend")
      ->transform(in_any_case({"both", "normal"}))
      ->capture_default_str();
  add_choice(app, "--caches", typed.warm, {{"cold", false}, {"warm", true}},
             "Which runs decide: with cold caches, or with warm ones");
  add_choice(app, "--value", typed.single_values, {{"auto", {}}, {"f32", true}, {"f64", false}},
             "Value type: auto (as in the input), f32 or f64");
  app.add_option("--budget", typed.budget, "Seconds a race may take; by default enough for the matrix's size")
      ->check(between(1e-3, 1e9));
  app.add_option("--timeout", typed.timeout, "Seconds after which a matrix is given up; 0: never")
      ->check(between(0.0, 1e9))
      ->capture_default_str();
  app.add_option("--memory", typed.memory,
                 "What the process of a matrix may take, such as 8G; by default what there is, shared out");
  app.add_option(
         "--jobs", typed.jobs,
         "Processes at once; by default 3 beside a GPU (one measures), 1 where processors are measured")
      ->check(between(1, 256));
  app.add_option("--device-wait", typed.device_wait,
                 "Seconds after which the run ends where another spbatch has the device; 0: never")
      ->check(between(0.0, 1e9))
      ->capture_default_str();
  app.add_option("--shard", typed.shard, "Only part I of N of the matrices: 2/4")
      ->check([](const std::string& text) { return text.empty() ? "not a part such as 2/4" : ""; });
  app.add_flag("--fresh", typed.fresh, "Begin anew; earlier results are moved into a folder beside");
  app.add_flag("--retry-failed", typed.retry_failed, "Try again what failed before");
  app.add_flag("--retry-noisy", typed.retry_noisy, "Run again what was measured on a busy machine");
  app.add_flag("--report", typed.report, "Write the report; without matrices: of the results that are there");
  app.add_flag("--slurm", typed.slurm, "Submit as a job array of Slurm; what follows -- goes to sbatch");
  app.add_option("--array", typed.array, "Tasks of that array; by default 4, or one a matrix")
      ->check(between(1, 100000));
  add_common_options(app, typed.common);
  set_help(
      app,
      {.examples = {"spbatch matrices/ --out results", "spbatch matrices/*.mtx gen:rmat?scale=18 --mix 10:1",
                    "spbatch --report --out results",
                    "spbatch matrices/ --out results --retry-failed --timeout 3600",
                    "spbatch matrices/ --out results --slurm --array 16 -- --partition=gpu --gres=gpu:1"},
       .remarks = {"Results: results.jsonl; the report: report.html, results.csv, contestants.csv."},
       .exit_statuses = {
           {"0", "all fine"},
           {"1", "a matrix failed or the run did"},
           {"2", "usage"},
           {"128 and the signal's number", "where it was interrupted: the same command then goes on"}}});
  // Behind -- stands what is not for us.
  int own = 1;
  while (own < argc && std::string_view(argv[own]) != "--") ++own;
  typed.words.assign(argv, argv + own);
  for (int i = own + 1; i < argc; ++i) typed.sbatch_options.emplace_back(argv[i]);
  outcome ended;
  const int status = run_tool(app, own, argv, [&] {
    if (!typed.slurm)
      typed.paths.insert(typed.paths.end(), typed.sbatch_options.begin(), typed.sbatch_options.end());
    ended = profile(typed);
  });
  if (ended.interrupted) return 128 + interrupting_signal;
  return status == 0 && !ended.complete ? 1 : status;
}
