// Runs a batch: a worker process a matrix, limits held from outside, one of them at a time on the device it
// measures, and a line on disk for each before it counts as done.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tools/batch/device_lease.hpp"
#include "tools/batch/inputs.hpp"
#include "tools/batch/job.hpp"
#include "tools/batch/journal.hpp"

namespace sparsmith {

// What workers will run on. Asked of a worker, too: this process never touches a GPU, which might fail.
struct batch_machine {
  std::string backend;     // "openmp" or "cuda"
  std::string note;        // for people
  std::string code_doubt;  // machine_description's, where rates were asked for
  std::string identity;    // of the GPU
  int threads = 1;
};
// With `rates`, what the machine can do is measured where it is not known yet.
batch_machine find_machine(device_wish device, int threads, bool rates,
                           const std::function<bool()>& interrupted);

struct batch_request {
  std::vector<batch_input> inputs;
  batch_options options;
  batch_machine machine;
  int jobs = 1;             // workers at once
  int threads = 0;          // that each may take while nothing is measured; 0: all
  double timeout = 0;       // seconds of each, without waiting for the device
  std::int64_t memory = 0;  // bytes of each; 0: any number
  double device_wait = 0;   // seconds after which it ends where another process has the device; 0: never
  std::vector<std::filesystem::path> device_locks = device_lock_folders();
  bool retry_failed = false;
  bool retry_noisy = false;  // what was measured on a busy machine
  std::function<bool()> interrupted = [] { return false; };
};

struct running_matrix {
  std::string name, stage;
  bool on_device = false;
};

struct batch_state {
  std::int64_t total = 0;          // matrices asked for
  std::int64_t known_before = 0;   // with a result, good or bad, before this run, or from another process
  std::int64_t copies = 0;         // of others among them, which stand for these
  std::int64_t ok = 0;             // in this run
  std::int64_t analysed = 0;       // likewise, and no more than that, though kernels were to race
  std::int64_t failed = 0;         // likewise
  std::int64_t failed_before = 0;  // of known_before
  std::int64_t noisy = 0, noisy_before = 0;  // of ok and of known_before: measured on a busy machine
  std::vector<running_matrix> running;
  bool interrupted = false;
  double seconds = 0;         // of this run
  double device_seconds = 0;  // during which somebody had the device

  std::int64_t done() const { return ok + analysed + failed; }
  std::int64_t settled() const { return known_before + copies + done(); }
};

struct batch_events {
  std::function<void(const json& line, const batch_state&)> finished;          // it is on disk
  std::function<void(const std::string& name, const std::string& of)> copied;  // the same content as another
  std::function<void(const batch_state&)> still_running;                       // now and then
  std::function<void(const std::string& text)> noted;                          // what somebody may wonder at
};

// Whoever calls it, or find_machine, ignores SIGPIPE: workers may be gone when they are talked to.
batch_state run_batch(const batch_request& request, journal& results, const batch_events& events);

}  // namespace sparsmith
