// Locks on bytes of a file, of the open file and not of the process: they work between threads too, and end
// when the last descriptor does, however its process ends.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace sparsmith {

// `kind` is F_WRLCK, F_RDLCK or F_UNLCK. 0, or why it could not be had: without waiting, EAGAIN or EACCES is
// somebody else's.
inline int lock_bytes(int descriptor, short kind, off_t first, off_t count, bool wait) {
  struct flock range {};
  range.l_type = kind;
  range.l_whence = SEEK_SET;
  range.l_start = first;
  range.l_len = count;
  while (::fcntl(descriptor, wait ? F_OFD_SETLKW : F_OFD_SETLK, &range) != 0)
    if (errno != EINTR) return errno;
  return 0;
}

}  // namespace sparsmith
