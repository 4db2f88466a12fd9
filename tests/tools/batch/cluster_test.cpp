// Parts of the work: as they are typed, as Slurm's environment gives them, and as a job array submits them,
// to a stand-in for sbatch. slurm_check.py asks a real one.
#include "tools/batch/cluster.hpp"

#include <sys/stat.h>

#include <map>
#include <set>

#include "convert/error.hpp"
#include "tests/tools/process.hpp"

namespace fs = std::filesystem;
using namespace sparsmith;
using namespace sparsmith::testing;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

using variables = std::map<std::string, std::string>;

// As `I/N`, or what it was refused with.
std::string part_in(const variables& set) {
  try {
    const auto found = shard_of_slurm([&](const char* name) {
      const auto at = set.find(name);
      return at == set.end() ? nullptr : at->second.c_str();
    });
    return found ? std::to_string(found->index) + "/" + std::to_string(found->count) : "none";
  } catch (const error& e) {
    CHECK(e.category() == failure::usage);
    return e.what();
  }
}

// The variables as slurmd 22.05 sets them.
variables array_task(int id, int first, int last, int step, int count) {
  return {{"SLURM_JOB_ID", "17"},
          {"SLURM_NTASKS", "1"},
          {"SLURM_PROCID", "0"},
          {"SLURM_ARRAY_JOB_ID", "12"},
          {"SLURM_ARRAY_TASK_ID", std::to_string(id)},
          {"SLURM_ARRAY_TASK_MIN", std::to_string(first)},
          {"SLURM_ARRAY_TASK_MAX", std::to_string(last)},
          {"SLURM_ARRAY_TASK_STEP", std::to_string(step)},
          {"SLURM_ARRAY_TASK_COUNT", std::to_string(count)}};
}

variables in_step(variables set, int task, int count) {
  set["SLURM_STEP_ID"] = "0";
  set["SLURM_STEP_NUM_TASKS"] = set["SLURM_NTASKS"] = std::to_string(count);
  set["SLURM_PROCID"] = std::to_string(task);
  return set;
}

// A folder with a stand-in for sbatch, the only program to be found under that name until the end.
struct with_sbatch : temporary_folder {
  std::string path_before = from_environment("PATH");
  explicit with_sbatch(const std::string& script) : temporary_folder("cluster_test") {
    std::ofstream(path / "sbatch") << "#!/bin/sh\nprintf '%s\\n' \"$@\" >'" << *this / "arguments"
                                   << "'\n"
                                   << script;
    ::chmod((*this / "sbatch").c_str(), 0755);
    ::setenv("PATH", (path.string() + ":" + path_before).c_str(), 1);
  }
  ~with_sbatch() { ::setenv("PATH", path_before.c_str(), 1); }
  slurm_job job(const std::string& folder = "results") const {
    fs::create_directories(path / folder);
    return {path / folder, {"/opt/spbatch", "m"}, 4, {}};
  }
  std::string refusal(const slurm_job& wanted) const {
    try {
      submit_to_slurm(wanted);
    } catch (const error& e) {
      return e.what();
    }
    return "submitted";
  }
};

}  // namespace

TEST_CASE("a part is typed as I/N") {
  CHECK(parse_shard("2/4").index == 2);
  CHECK(parse_shard("2/4").count == 4);
  CHECK(parse_shard("1/1").count == 1);
  for (const char* const wrong : {"", "2", "/", "2/", "/4", "0/4", "5/4", "-1/4", "1/-4", "+1/4", "1/4/4",
                                  " 1/4", "1/4 ", "a/b", "1.5/4", "1/99999999999"}) {
    INFO(wrong);
    try {
      parse_shard(wrong);
      FAIL_CHECK("was taken");
    } catch (const error& e) {
      CHECK(e.category() == failure::usage);
      CHECK(has(e.what(), "--shard " + std::string(wrong) + ": "));
    }
  }
}

TEST_CASE("outside of Slurm, and alone within it, there is no part") {
  CHECK(part_in({}) == "none");
  // A batch script is one process, however many tasks it has processors for; so is the shell of salloc.
  CHECK(part_in({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}}) == "none");
  CHECK(part_in({{"SLURM_JOB_ID", "7"}, {"SLURM_NTASKS", "4"}}) == "none");
  CHECK(part_in(in_step({}, 0, 1)) == "none");
}

TEST_CASE(
    "the tasks of an array take each part once, wherever their ids start and however far they are apart") {
  struct ids {
    int first, step, count;
  };
  for (const ids& array :
       {ids{1, 1, 4}, ids{0, 1, 4}, ids{5, 1, 1}, ids{1, 2, 4}, ids{10, 4, 2}, ids{0, 1, 1000}}) {
    const int last = array.first + (array.count - 1) * array.step;
    std::set<std::string> parts, expected;
    for (int i = 0; i < array.count; ++i) {
      parts.insert(
          part_in(array_task(array.first + i * array.step, array.first, last, array.step, array.count)));
      expected.insert(std::to_string(i + 1) + "/" + std::to_string(array.count));
    }
    CHECK(parts == expected);
  }
  CHECK(part_in(array_task(5, 1, 7, 2, 4)) == "3/4");
}

TEST_CASE("the tasks of a step take each part once, of an array's part where there is one") {
  CHECK(part_in(in_step({}, 0, 3)) == "1/3");
  CHECK(part_in(in_step({}, 2, 3)) == "3/3");
  std::set<std::string> parts;
  for (int id = 1; id <= 2; ++id)
    for (int task = 0; task < 3; ++task) parts.insert(part_in(in_step(array_task(id, 1, 2, 1, 2), task, 3)));
  CHECK(parts == std::set<std::string>{"1/6", "2/6", "3/6", "4/6", "5/6", "6/6"});
}

TEST_CASE("what Slurm's environment cannot tell is refused, and what it should not say too") {
  // What slurmd says in 1,3,7, then 1-7:2,10, then 3-9:3,4.
  for (const variables& set :
       {array_task(1, 1, 7, 1, 3), array_task(3, 1, 7, 1, 3), array_task(10, 1, 10, 2, 5),
        array_task(1, 1, 10, 2, 5), array_task(4, 3, 9, 3, 4)}) {
    const std::string said = part_in(set);
    INFO(said);
    CHECK(has(said, "have gaps; submit --array=1-" + set.at("SLURM_ARRAY_TASK_COUNT")));
    CHECK(has(said, "--shard"));
  }
  CHECK(has(part_in(array_task(9, 1, 4, 1, 4)), "cannot be known"));
  CHECK(has(part_in(array_task(1, 1, 4, 0, 4)), "cannot be known"));
  CHECK(part_in({{"SLURM_ARRAY_TASK_ID", "1"}}) == "Slurm did not set SLURM_ARRAY_TASK_MIN; use --shard");
  variables wrong = array_task(1, 1, 4, 1, 4);
  wrong["SLURM_ARRAY_TASK_COUNT"] = "four";
  CHECK(part_in(wrong) == "SLURM_ARRAY_TASK_COUNT is `four`, no number; use --shard");
  CHECK(has(part_in(in_step({}, 3, 3)), "task 3 of 3"));
  CHECK(has(part_in(in_step(array_task(1, 1, 100000, 1, 100000), 0, 100000)), "too many"));
  CHECK(part_in(in_step(array_task(1, 1, 65536, 1, 65536), 0, 32767)) ==
        "1/2147418112");  // as many as can be
  CHECK(has(part_in(in_step(array_task(1, 1, 65536, 1, 65536), 0, 32768)), "too many"));
  CHECK(has(part_in(array_task(2, 1, 7, 2, 4)), "cannot be known"));  // between two ids
  CHECK(has(part_in(array_task(0, 1, 4, 1, 4)), "cannot be known"));  // before the first
  CHECK(has(part_in(array_task(1, 1, 1, 1, 0)), "cannot be known"));
}

TEST_CASE("a job is submitted as a script, with the options given after ours") {
  const with_sbatch there("echo 4711");
  slurm_job job = there.job();
  job.sbatch_options = {"--partition=gpu", "--time", "2:00"};
  const submitted done = submit_to_slurm(job);
  CHECK(done.job_id == "4711");
  CHECK(done.cluster.empty());
  CHECK(done.said.empty());
  CHECK(done.script == job.folder / "slurm.sh");
  CHECK(content(there / "arguments") ==
        "--parsable\n--partition=gpu\n--time\n2:00\n" + (job.folder / "slurm.sh").string() + "\n");
  const std::string script = content(done.script.string());
  CHECK(script == slurm_script(job));
  CHECK(script.starts_with("#!/bin/sh\n"));
  for (const std::string& part :
       {std::string("--array=1-4"), std::string("--requeue"), std::string("--open-mode=append"),
        "--output=" + job.folder.string() + "/slurm-%A_%a.log\n",
        "--chdir=" + fs::current_path().string() + "\n", std::string("\nexec /opt/spbatch m\n")})
    CHECK(has(script, part));
  // Nothing that only the moment of writing needed.
  CHECK(fs::exists(job.folder / "slurm.sh"));
  CHECK(std::distance(fs::directory_iterator(job.folder), fs::directory_iterator()) == 1);

  const std::string told = how_to_watch(done);
  for (const std::string& line :
       {std::string("squeue -j 4711\n"), "tail " + job.folder.string() + "/slurm-4711_*.log\n",
        std::string("scancel 4711\n"), "spbatch --report --out " + job.folder.string() + "\n"})
    CHECK(has(told, line));
}

TEST_CASE("words with blanks, quotes, dollars and line ends reach the task as they are") {
  const with_sbatch there("echo 1");
  slurm_job job = there.job("it's \"50%\" of #1");
  const std::vector<std::string> odd = {"a b", "it's", "\"", "$HOME", "`true`", "", "x\n#SBATCH --array=1-9",
                                        "*",   "\\"};
  job.command = {there / "print words"};
  job.command.insert(job.command.end(), odd.begin(), odd.end());
  std::ofstream(job.command[0])
      << "#!/bin/sh\nprintf '<%s>' \"${SLURM_STEP_NUM_TASKS-none}\" $OMP_NUM_THREADS \"$@\"\n";
  ::chmod(job.command[0].c_str(), 0755);
  const submitted done = submit_to_slurm(job);
  CHECK(has(content(done.script.string()), "/it'\\''s \"50%%\" of #1/slurm-%A_%a.log'\n"));
  // Submitted from within a step, which is not the task's.
  const outcome ran = run_command("env -u OMP_NUM_THREADS SLURM_CPUS_ON_NODE=3 SLURM_STEP_NUM_TASKS=4 sh \"" +
                                      (there / "it's \\\"50%\\\" of #1/slurm.sh") + "\"",
                                  there / "ran");
  std::string expected = "<none><3>";
  for (const std::string& word : odd) expected += "<" + word + ">";
  CHECK(ran.out == expected);
  CHECK(ran.err.empty());
  CHECK(has(how_to_watch(done), "/it'\\''s \"50%\" of #1'/slurm-1_*.log"));

  job = there.job("back\\slash");
  CHECK(has(there.refusal(job), "with a backslash"));
  CHECK_FALSE(fs::exists(job.folder / "slurm.sh"));
}

TEST_CASE("an array of one's own is a range, and logs elsewhere are not promised") {
  const with_sbatch there("echo '12;far away'; echo 'sbatch: warning: can be slow' >&2");
  slurm_job job = there.job();
  for (const std::vector<std::string>& options :
       std::vector<std::vector<std::string>>{{"--array=1,3,7"},
                                             {"--array", "1-3,5"},
                                             {"-a", "1,2"},
                                             {"-a1,2"},
                                             {"--arr=1,2"},
                                             {"--ar=1,2"},
                                             {"-a", "1-4", "-a1,2"}}) {
    job.sbatch_options = options;
    CHECK(has(there.refusal(job), ": a task cannot know which part of such a list is its own; give a range"));
    CHECK_FALSE(fs::exists(there / "arguments"));
  }
  job.sbatch_options = {"--array=1-8%2", "-A", "project", "--constraint=a,b", "-o", "/dev/null"};
  const submitted done = submit_to_slurm(job);
  CHECK(done.job_id == "12");
  CHECK(done.cluster == "far away");
  CHECK(done.logs.empty());
  const std::string told = how_to_watch(done);
  CHECK(told.starts_with("sbatch: warning: can be slow\njob 12 "));
  CHECK(has(told, "squeue -M 'far away' -j 12\n"));
  CHECK_FALSE(has(told, ".log"));
}

TEST_CASE("what sbatch says against a job is the error, in one line") {
  {
    const with_sbatch there(
        "echo 'sbatch: error: invalid partition specified: no' >&2\n"
        "echo 'sbatch: error: Batch job submission failed' >&2\nexit 1");
    CHECK(there.refusal(there.job()) ==
          "sbatch did not take the job (status 1): invalid partition specified: no; Batch job submission "
          "failed");
    slurm_job none = there.job();
    none.tasks = 0;
    CHECK(there.refusal(none) == "--array 0: at least 1");
  }
  {
    const with_sbatch there("exit 3");
    CHECK(has(there.refusal(there.job()), "(status 3): it did not say why"));
  }
  {
    const with_sbatch there("kill -9 $$");
    CHECK(has(there.refusal(there.job()), "(signal 9)"));
  }
  {
    const with_sbatch there("echo 'sbatch: Job 3 to start at noon' >&2");  // --test-only
    CHECK(there.refusal(there.job()) == "sbatch named no job: Job 3 to start at noon");
  }
  {
    const with_sbatch there("echo 5; exit 2");  // --wait
    CHECK(has(there.refusal(there.job()), "job 5 was submitted, but sbatch ended with status 2"));
  }
  {
    // More than a pipe holds, on the one that is not read first.
    const with_sbatch there("head -c 300000 /dev/zero | tr '\\0' x >&2; echo 6");
    CHECK(submit_to_slurm(there.job()).said.at(0).size() == 300000);
  }
}

TEST_CASE("without sbatch there is nothing to submit to") {
  const with_sbatch there("");
  const std::string before = from_environment("PATH");
  fs::create_directories(there.path / "empty");
  ::setenv("PATH", (there / "empty").c_str(), 1);
  CHECK(has(there.refusal(there.job()), "sbatch: there is no such program here"));
  ::setenv("PATH", before.c_str(), 1);
  slurm_job nowhere = there.job();
  nowhere.folder = there.path / "not" / "there";
  CHECK(has(there.refusal(nowhere), "slurm.sh"));
}
