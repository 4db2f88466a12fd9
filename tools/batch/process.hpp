// A worker process as its parent sees it: started, fed, listened to, held to its limits from outside, and
// known to be gone in the end.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "convert/backend/control_group.hpp"

namespace sparsmith {

// A place of the system's where a process gets no more memory than it is granted.
class memory_group {
 public:
  // Below the control group of this process; `made` is false where the system allows none.
  memory_group(std::int64_t bytes, int number);
  memory_group(const memory_group&) = delete;
  ~memory_group();

  bool made() const { return !group_.folder.empty(); }
  bool add(pid_t process) const;
  bool was_exceeded() const { return made() && group_.kills() > 0; }

 private:
  control_group group_;
};
// Groups that a killed parent could not take down.
void remove_stale_memory_groups();

struct exit_report {
  int status = 0;                // as waitpid gives it
  std::int64_t memory_peak = 0;  // bytes that were resident at once
};

class worker_process {
 public:
  // `path` is the matrix, empty for a worker that looks at the machine. `memory`: bytes it may take, 0 for
  // any number. A parent must start its workers from one thread that lives as long as it does.
  worker_process(const std::string& path, std::int64_t memory, bool may_limit_data, int number);
  worker_process(const worker_process&) = delete;
  ~worker_process();  // kills what is still there, and waits for it

  int output() const { return output_; }  // to poll, -1 once it is closed
  int errors() const { return errors_; }

  // Whether the line could be handed over; false where the worker does not listen any more.
  bool send(const std::string& line);
  // The lines that came since, without waiting for more; not all of them where there are very many.
  std::vector<std::string> lines();
  // The same for what it writes to standard error, of which the end is kept.
  void listen_to_errors();
  const std::string& last_words() const { return last_words_; }
  // Whether it says more than any result takes, without a line end.
  bool rambles() const { return unfinished_.size() > (std::size_t{512} << 20); }

  bool over_memory() const;  // where no group of the system watches
  bool group_exceeded() const { return group_.was_exceeded(); }
  void kill();
  // Whether it is gone; then what it left.
  bool gone(exit_report& report);

 private:
  pid_t process_ = -1;
  int input_ = -1, output_ = -1, errors_ = -1;
  std::int64_t memory_ = 0;
  std::string unfinished_, last_words_;
  memory_group group_;
  bool in_group_ = false;
};

// "SIGABRT", or "signal 77".
std::string signal_name(int signal);

}  // namespace sparsmith
