#include "tools/batch/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "convert/error.hpp"

namespace sparsmith {

void close_end(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

pipe_ends::pipe_ends() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    throw error(failure::resources, fmt::format("could not make a pipe: {}", std::strerror(errno)));
  read = ends[0];
  write = ends[1];
}

pipe_ends::~pipe_ends() {
  close_end(read);
  close_write();
}

void pipe_ends::close_write() {
  close_end(write);
}

int start_program(const program_start& start, pid_t& process) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  if (start.input >= 0)
    ::posix_spawn_file_actions_adddup2(&actions, start.input, STDIN_FILENO);
  else
    ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, start.output, STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, start.errors, STDERR_FILENO);

  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  if (start.apart) {
    sigset_t all, not_for_it;
    sigfillset(&all);
    sigemptyset(&not_for_it);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2}) sigaddset(&not_for_it, signal);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &not_for_it);
    ::posix_spawnattr_setflags(&attributes,
                               POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }

  std::vector<std::string> copies = start.words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int problem =
      ::posix_spawnp(&process, start.program.c_str(), &actions, &attributes, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  return problem;
}

}  // namespace sparsmith
