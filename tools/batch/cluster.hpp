// A batch over the nodes of a cluster: which part of the work a process takes (`--shard`, or its place among
// the tasks of Slurm), and a job array submitted to Slurm whose tasks take one part each.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace sparsmith {

struct shard {
  int index = 1, count = 1;  // from 1 to count
};

shard parse_shard(const std::string& text);  // "2/4"

// The part that this process is to take as a task of Slurm: of a job array, of a step of srun with several
// tasks, or of both; none where Slurm started it alone, or not at all. `environment` is std::getenv, or a
// test's. An array whose ids do not follow each other at one distance is refused: a task is told its id and
// how many there are, but not which.
std::optional<shard> shard_of_slurm(const std::function<const char*(const char*)>& environment);

struct slurm_job {
  std::filesystem::path folder;             // of the results; must be there
  std::vector<std::string> command;         // of every task; the program by its whole path
  int tasks = 1;                            // unless an --array of the options says otherwise
  std::vector<std::string> sbatch_options;  // count more than ours
};

struct submitted {
  std::string job_id;
  std::string cluster;            // empty where there is only one
  std::filesystem::path script;   // FOLDER/slurm.sh
  std::filesystem::path logs;     // FOLDER/slurm-ID_*.log; empty where the options put them elsewhere
  std::vector<std::string> said;  // sbatch's warnings, a line each
};

// The script of such a job, which can also be submitted by hand.
std::string slurm_script(const slurm_job& job);
// Writes it to FOLDER/slurm.sh and hands it to sbatch.
submitted submit_to_slurm(const slurm_job& job);
// Lines for the user: the job, and the commands that watch it, end it and report its results.
std::string how_to_watch(const submitted& job);

}  // namespace sparsmith
