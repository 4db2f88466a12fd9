// The device that is measured, for one process of this user's at a time: a GPU, or the processors this
// process may run on. Several take turns. Ends with the process.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sparsmith {

// The lock file of a folder that nobody but this user can change; the folder is made where it is not there.
struct private_lock {
  int descriptor = -1;
  std::string problem;  // why there is none: somebody else may hold what is there for ever
};
private_lock open_private_lock(const std::filesystem::path& folder);

// Where the lock may lie, the first that is not refused. The same for all processes of a user on a machine,
// or they would not meet: so not where TMPDIR or XDG_RUNTIME_DIR say, of which jobs may have one each or
// none, and a runtime folder, which comes and goes with logins, only where somebody else has taken the name
// in /tmp.
std::vector<std::filesystem::path> device_lock_folders();

class device_lease {
 public:
  // Of the GPU with this identity; of the processors where it is empty.
  explicit device_lease(const std::string& gpu,
                        const std::vector<std::filesystem::path>& folders = device_lock_folders());
  device_lease(const device_lease&) = delete;
  ~device_lease();

  // Why others are not kept from the device; empty where they are.
  const std::string& problem() const { return problem_; }

  // Whoever tried in vain comes next, and keeps others from it until it tries again or stops waiting.
  bool try_take();
  void stop_waiting();
  void give_back();

 private:
  bool set(short kind, long place) const;

  int descriptor_ = -1;
  std::string problem_;
  bool is_next_ = false;
  long first_ = 0, count_ = 1;  // bytes of the file that stand for it
};

}  // namespace sparsmith
