#include "tools/batch/cluster.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <sstream>
#include <string_view>

#include "analyze/report/text.hpp"
#include "convert/error.hpp"
#include "tools/batch/spawn.hpp"
#include "tools/tool.hpp"

namespace sparsmith {
namespace fs = std::filesystem;
namespace {

// A number that is all of the text, and not negative.
std::optional<std::int32_t> whole_number(std::string_view text) {
  std::int32_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

using environment_of_slurm = std::function<const char*(const char*)>;

std::int64_t number_in(const environment_of_slurm& environment, const char* name) {
  const char* const text = environment(name);
  if (text == nullptr) throw error(failure::usage, fmt::format("Slurm did not set {}; use --shard", name));
  const std::optional<std::int32_t> number = whole_number(text);
  if (!number) throw error(failure::usage, fmt::format("{} is `{}`, no number; use --shard", name, text));
  return *number;
}

struct part {
  std::int64_t index = 0, count = 1;  // from 0
};

part part_of_array(const environment_of_slurm& environment) {
  if (environment("SLURM_ARRAY_TASK_ID") == nullptr) return {};
  const std::int64_t id = number_in(environment, "SLURM_ARRAY_TASK_ID");
  const std::int64_t first = number_in(environment, "SLURM_ARRAY_TASK_MIN");
  const std::int64_t last = number_in(environment, "SLURM_ARRAY_TASK_MAX");
  const std::int64_t step = number_in(environment, "SLURM_ARRAY_TASK_STEP");
  const std::int64_t count = number_in(environment, "SLURM_ARRAY_TASK_COUNT");
  // For `1,3,7` Slurm says a step of 1, and for `1-7:2,10` one of 2: what it says has to fit together.
  if (step < 1 || count < 1 || last - first != (count - 1) * step || id < first || id > last ||
      (id - first) % step != 0)
    throw error(
        failure::usage,
        fmt::format("which part of the work task {} of Slurm's array takes cannot be known: its {} ids, "
                    "{} to {}, have gaps; submit --array=1-{}, or use --shard",
                    id, count, first, last, count));
  return {(id - first) / step, count};
}

// SLURM_PROCID and SLURM_NTASKS are there in a batch script too, where one process runs however many tasks
// --ntasks asked for. What is said of a step is not.
part part_of_step(const environment_of_slurm& environment) {
  if (environment("SLURM_STEP_NUM_TASKS") == nullptr) return {};
  const part found{number_in(environment, "SLURM_PROCID"), number_in(environment, "SLURM_STEP_NUM_TASKS")};
  if (found.index >= found.count)
    throw error(failure::usage,
                fmt::format("Slurm says that this is task {} of {}, counted from 0; use --shard", found.index,
                            found.count));
  return found;
}

// The value of an option of sbatch, the last if there are several; like sbatch, it takes a beginning of the
// long name (the shortest that is unique has two letters for those asked for here).
std::optional<std::string> given(const std::vector<std::string>& options, const std::string& name,
                                 char letter) {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& word = options[i];
    const std::size_t equals = word.find('=');
    const std::string typed = word.substr(0, equals);
    if (typed.size() >= 4 && ("--" + name).starts_with(typed)) {
      if (equals != std::string::npos)
        value = word.substr(equals + 1);
      else
        value = i + 1 < options.size() ? options[i + 1] : "";
    } else if (word.size() >= 2 && word[0] == '-' && word[1] == letter) {
      if (word.size() > 2)
        value = word.substr(2);
      else
        value = i + 1 < options.size() ? options[i + 1] : "";
    }
  }
  return value;
}

// Whether each task will know its part: `8`, `1-8`, `0-14:2`, each with `%3` behind it or not. What is no
// array at all is left for sbatch to refuse.
void check_array(const std::string& array) {
  if (array.find(',') != std::string::npos)
    throw error(
        failure::usage,
        fmt::format("--array={}: a task cannot know which part of such a list is its own; give a range, "
                    "such as --array=1-8",
                    array));
}

// The folder as a pattern of sbatch, in which % stands for something and a backslash switches that off.
std::string log_pattern(const fs::path& folder) {
  std::string text;
  for (const char c : fs::absolute(folder).lexically_normal().string()) {
    if (c == '\\' || c == '\n' || c == '\r')
      throw error(
          failure::usage,
          fmt::format("{}: Slurm cannot write its logs into a folder with a backslash or a line end in "
                      "its path",
                      folder.string()));
    text += c == '%' ? std::string("%%") : std::string(1, c);
  }
  return (fs::path(text) / "slurm-%A_%a.log").string();
}

struct answer {
  int status = 0;  // as of waitpid
  std::string out, err;
};

// Runs a program and reads what it prints.
answer run(const std::vector<std::string>& words) {
  pipe_ends out, err;
  pid_t child = 0;
  const int problem =
      start_program({.program = words[0], .words = words, .output = out.write, .errors = err.write}, child);
  if (problem == ENOENT)
    throw error(failure::unsupported,
                fmt::format("{}: there is no such program here, so no Slurm to submit to; "
                            "--shard I/N works with any other launcher",
                            words[0]));
  if (problem != 0)
    throw error(failure::resources,
                fmt::format("{}: could not be run: {}", words[0], std::strerror(problem)));
  out.close_write();
  err.close_write();

  answer result;
  std::array<pollfd, 2> open = {{{out.read, POLLIN, 0}, {err.read, POLLIN, 0}}};
  while (open[0].fd >= 0 || open[1].fd >= 0) {
    if (::poll(open.data(), open.size(), -1) < 0) continue;  // a signal that has a handler
    for (pollfd& one : open) {
      if (one.fd < 0 || one.revents == 0) continue;
      char buffer[4096];
      const ssize_t bytes = ::read(one.fd, buffer, sizeof buffer);
      if (bytes > 0)
        (&one == &open[0] ? result.out : result.err).append(buffer, static_cast<std::size_t>(bytes));
      else if (bytes == 0 || errno != EINTR)
        one.fd = -1;  // poll looks away
    }
  }
  while (::waitpid(child, &result.status, 0) < 0)
    if (errno != EINTR)
      throw error(failure::resources, fmt::format("{}: lost: {}", words[0], std::strerror(errno)));
  return result;
}

// What sbatch said, without the `sbatch: error: ` before every line.
std::vector<std::string> lines_said(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    for (const std::string_view opening : {"sbatch: ", "error: ", "fatal: "})
      if (line.starts_with(opening)) line.erase(0, opening.size());
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

std::string ending(int status) {
  return WIFSIGNALED(status) ? fmt::format("signal {}", WTERMSIG(status))
                             : fmt::format("status {}", WEXITSTATUS(status));
}

}  // namespace

shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string_view all = text;
  const bool two = slash != std::string::npos;
  const int index = whole_number(all.substr(0, slash)).value_or(0);
  const int count = whole_number(two ? all.substr(slash + 1) : "").value_or(0);
  if (index < 1 || index > count)
    throw error(
        failure::usage,
        fmt::format("--shard {}: give a part and how many there are, from 1/4 to 4/4 for four", text));
  return {index, count};
}

std::optional<shard> shard_of_slurm(const environment_of_slurm& environment) {
  const part outer = part_of_array(environment), inner = part_of_step(environment);
  if (environment("SLURM_ARRAY_TASK_ID") == nullptr && inner.count == 1) return std::nullopt;
  const std::int64_t count = outer.count * inner.count;
  if (count > INT32_MAX)
    throw error(failure::usage, fmt::format("{} tasks of Slurm are too many to share the work", count));
  return shard{static_cast<int>(outer.index * inner.count + inner.index + 1), static_cast<int>(count)};
}

std::string slurm_script(const slurm_job& job) {
  std::vector<std::string> words;
  for (const std::string& word : job.command) words.push_back(quoted_for_shell(word));
  const std::string here = fs::current_path().string();
  if (here.find_first_of("\n\r\\") != std::string::npos)
    throw error(failure::usage,
                here + ": Slurm cannot run in a directory with a backslash or a line end in its path");
  // sbatch reads quotes as a shell does.
  return fmt::format(
      "#!/bin/sh\n"
      "# Written by spbatch. Submitted again, with any --array=A-B, it does what is not in the results yet.\n"
      "#SBATCH --job-name=spbatch --array=1-{} --requeue --open-mode=append\n"
      "#SBATCH --output={}\n"
      "#SBATCH --chdir={}\n"
      "\n"
      "# Left over where this was submitted from within a step of srun; this is none.\n"
      "unset SLURM_STEP_ID SLURM_STEP_NUM_TASKS\n"
      "# As many threads as this task has processors: not every cluster binds it to those.\n"
      "export OMP_NUM_THREADS=\"${{OMP_NUM_THREADS:-${{SLURM_CPUS_ON_NODE:-1}}}}\"\n"
      "exec {}\n",
      job.tasks, quoted_for_shell(log_pattern(job.folder)), quoted_for_shell(here), fmt::join(words, " "));
}

submitted submit_to_slurm(const slurm_job& job) {
  if (job.tasks < 1) throw error(failure::usage, fmt::format("--array {}: at least 1", job.tasks));
  if (const std::optional<std::string> array = given(job.sbatch_options, "array", 'a')) check_array(*array);
  submitted result;
  result.script = job.folder / "slurm.sh";
  write_whole_file(result.script.string(), slurm_script(job));

  std::vector<std::string> words = {"sbatch", "--parsable"};
  words.insert(words.end(), job.sbatch_options.begin(), job.sbatch_options.end());
  words.push_back(fs::absolute(result.script).string());
  const answer told = run(words);
  result.said = lines_said(told.err);
  // `ID`, or `ID;CLUSTER`, on a line of its own.
  const std::string line = told.out.substr(0, told.out.find('\n'));
  const std::size_t semicolon = line.find(';');
  result.job_id = line.substr(0, semicolon);
  if (semicolon != std::string::npos) result.cluster = line.substr(semicolon + 1);

  const std::string reason =
      result.said.empty() ? "it did not say why" : fmt::format("{}", fmt::join(result.said, "; "));
  if (!whole_number(result.job_id)) {
    if (told.status != 0)
      throw error(failure::input,
                  fmt::format("sbatch did not take the job ({}): {}", ending(told.status), reason));
    throw error(failure::input, fmt::format("sbatch named no job: {}", line.empty() ? reason : line));
  }
  // With --wait, sbatch ends with the job and as it did.
  if (told.status != 0)
    throw error(failure::input, fmt::format("job {} was submitted, but sbatch ended with {}: {}",
                                            result.job_id, ending(told.status), reason));
  if (!given(job.sbatch_options, "output", 'o'))
    result.logs = job.folder / fmt::format("slurm-{}_*.log", result.job_id);
  return result;
}

std::string how_to_watch(const submitted& job) {
  const std::string cluster = job.cluster.empty() ? "" : fmt::format("-M {} ", quoted_for_shell(job.cluster));
  const std::string folder = quoted_for_shell(job.script.parent_path().string());
  std::string text;
  for (const std::string& line : job.said) text += fmt::format("sbatch: {}\n", line);
  text +=
      fmt::format("job {} of Slurm, submitted as {}\n", job.job_id, quoted_for_shell(job.script.string()));
  text += fmt::format("  watch   squeue {}-j {}\n", cluster, job.job_id);
  if (!job.logs.empty()) {
    // The star stays outside of quotes, so that the line can be typed as it stands.
    text += fmt::format("          tail {}/{}\n", folder, job.logs.filename().string());
  }
  text += fmt::format("  end     scancel {}{}\n", cluster, job.job_id);
  text += fmt::format("  report  spbatch --report --out {}\n", folder);
  return text;
}

}  // namespace sparsmith
