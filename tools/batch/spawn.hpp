// Starting a program with pipes for what goes in and comes out: workers and sbatch alike.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace sparsmith {

// A pipe whose ends close with it, and where a new program is started: that gets its own by name.
struct pipe_ends {
  int read = -1, write = -1;

  pipe_ends();
  pipe_ends(const pipe_ends&) = delete;
  ~pipe_ends();
  void close_write();
};

// Closes it where it is open, and forgets it.
void close_end(int& descriptor);

struct program_start {
  std::string program;             // a path, or a name that PATH has
  std::vector<std::string> words;  // the first is what it is called
  int input = -1;                  // what it reads, /dev/null where it is negative
  int output = -1, errors = -1;    // what it writes to
  // A group of its own: what the terminal sends to the parent does not reach it, and a kill reaches whatever
  // it may have started. What asks a process to end is blocked for it: that is for the parent to hear.
  bool apart = false;
};
// 0 and the process, or the number of the error.
int start_program(const program_start& start, pid_t& process);

}  // namespace sparsmith
