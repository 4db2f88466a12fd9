// Outputs: which container a name asks for, what is left behind by whom, and gzip.
#include "convert/io/write.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <sstream>
#include <thread>

#include "convert/convert.hpp"
#include "convert/io/gzip.hpp"
#include "convert/io/read.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"

using namespace sparsmith;
using namespace sparsmith::test;
namespace fs = std::filesystem;

namespace {

class scratch_folder {
 public:
  scratch_folder() : name_("") { fs::create_directory(name_.path); }
  ~scratch_folder() { fs::remove_all(name_.path); }
  std::string operator/(const std::string& name) const { return name_.path + "/" + name; }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(name_.path))
      names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  scratch_file name_;
};

// Runs in a process of its own, which ends as the action ends it; gives how that was.
template <class Action>
int status_of(Action action) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (const int signal : {SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);  // nohup has them ignored
    remove_output_on_signals();
    action();
    ::_exit(99);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  return status;
}

}  // namespace

TEST_CASE("the container follows from the extension, in upper or lower case") {
  for (const char* name : {"a.mtx", "a.MTX", "a.Mtx", "a.mtx.gz", "a.MTX.GZ", "-"})
    CHECK(container_for(name) == container::matrix_market);
  CHECK(container_for("A.NPZ") == container::npz);
  CHECK(container_for("A.BSP.H5") == container::binsparse);
  CHECK(container_for("A.H5") == container::sparsmith);
  for (const char* name : {"a.gz", "a.npz.gz", "mtx", "a.mtx.bz2", ""})
    CHECK(holds(failure_of([&] { container_for(name); }, failure::usage), "names no container"));
}

TEST_CASE("a signal removes all outputs in progress, and none that is done") {
  const scratch_folder folder;
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    const int status = status_of([&] {
      std::vector<std::unique_ptr<output_file>> outputs;
      for (const char* name : {"a", "b", "c", "d"})
        outputs.push_back(std::make_unique<output_file>(folder / name));
      outputs[1]->commit();
      outputs[2].reset();
      outputs.push_back(std::make_unique<output_file>(folder / "e"));
      outputs.push_back(std::make_unique<output_file>(folder / "f"));
      if (folder.files().size() != 5) ::_exit(98);  // a, d, e and f in progress, b done
      std::raise(signal);
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(folder.files() == std::vector<std::string>{"b"});
    fs::remove(folder / "b");
  }
}

TEST_CASE("a signal to one thread removes what others are just making") {
  const scratch_folder folder;
  for (int round = 0; round < 20; ++round) {
    const int status = status_of([&] {
      std::vector<std::thread> threads;
      for (const char* name : {"a", "b", "c", "d"})
        threads.emplace_back([&folder, name] {
          try {
            while (true) output_file(folder / name);
          } catch (const error&) {  // no new ones while the process ends
          }
        });
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      std::raise(SIGTERM);
    });
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGTERM);
    CHECK(folder.files().empty());
  }
}

TEST_CASE("every signal that ends a process removes its outputs") {
  const scratch_folder folder;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU}) {
    const int status = status_of([&] {
      const rlimit no_core{};
      ::setrlimit(RLIMIT_CORE, &no_core);
      const output_file file(folder / "a");
      std::raise(signal);
    });
    INFO("signal " << signal);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == signal);
    CHECK(folder.files().empty());
  }
  // What was ignored stays so, and a file that grows too large is told of by the one who writes it.
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGHUP, SIG_IGN);
    remove_output_on_signals();
    std::raise(SIGHUP);
    std::raise(SIGXFSZ);
    ::_exit(55);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 55);
}

TEST_CASE("an output looks like any other file, and stands only where a file may") {
  const scratch_folder folder;
  for (const mode_t mask : {022, 077, 0}) {
    const mode_t before = ::umask(mask);
    output_file file(folder / "a");
    const auto mode_of = [](const std::string& path) {
      return static_cast<mode_t>(fs::status(path).permissions()) & 0777;
    };
    CHECK(mode_of(file.temporary_path()) == (0666 & ~mask));
    file.commit();
    CHECK(mode_of(folder / "a") == (0666 & ~mask));
    CHECK(folder.files() == std::vector<std::string>{"a"});
    ::umask(before);
  }
  const auto refusal = [](const std::string& path) {
    return failure_of([&] { const output_file file(path); }, failure::output);
  };
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  for (const std::string& path : {folder / "pipe", folder / ".", std::string("/dev/null")})
    CHECK(refusal(path) == path + ": is not a regular file");
  CHECK(refusal(folder / "absent/x") == folder / "absent/x: could not create: No such file or directory");
  // A link of the system leads to a file that is open already.
  { std::ofstream(folder / "open") << "x"; }
  const int descriptor = ::open((folder / "open").c_str(), O_RDONLY);
  const std::string link = "/proc/self/fd/" + std::to_string(descriptor);
  CHECK(refusal(link) == link + ": is not a regular file");
  ::close(descriptor);
  // One that is not committed leaves nothing, and the old as it was.
  { const output_file file(folder / "open"); }
  CHECK(fs::file_size(folder / "open") == 1);
  CHECK(folder.files() == std::vector<std::string>{"a", "open", "pipe"});
}

TEST_CASE("a name may be as long as the file system takes, and leftovers are found by it") {
  const scratch_folder folder;
  // Of one byte a character, and of two, which are not cut in halves.
  for (const std::string& letter : {std::string("a"), std::string("\xc3\xa4")})
    for (const std::size_t length : {220u, 224u, 240u, 254u, 255u}) {
      std::string name(length % letter.size(), 'x');
      while (name.size() < length) name += letter;
      INFO(name.size() << " bytes");
      const int status = status_of([&] {
        const output_file file(folder / name);
        ::raise(SIGKILL);
      });
      CHECK(WIFSIGNALED(status));
      REQUIRE(folder.files().size() == 1);
      const std::string left = folder.files().front();
      CHECK(left.size() <= 255);
      CHECK(left.find(".partial-") % letter.size() == name.size() % letter.size());
      output_file file(folder / name);
      file.commit();
      CHECK(folder.files() == std::vector<std::string>{name});
      fs::remove(folder / name);
    }
  const std::string too_long = folder / std::string(256, 'a');
  CHECK(failure_of([&] { const output_file file(too_long); }, failure::output) ==
        too_long + ": could not create: File name too long");
}

TEST_CASE("text longer than any buffer is written as it is") {
  const scratch_folder folder;
  const any_format<std::int32_t, double, host> matrix(
      testing::as_coo(testing::random_matrix("random", 2000, 2000, 200'000, 3)));
  std::ostringstream expected;
  write_matrix_market(expected, std::get<coo<double, host>>(matrix));
  REQUIRE(expected.str().size() > std::size_t{1} << 21);
  output_file file(folder / "a.mtx");
  write_matrix(file, container::matrix_market, matrix, {});
  file.commit();
  std::ifstream in(folder / "a.mtx", std::ios::binary);
  CHECK(std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()} == expected.str());
}

TEST_CASE("a process that ends early leaves no output in progress") {
  const scratch_folder folder;
  const int status = status_of([&] {
    const output_file first(folder / "a"), second(folder / "b");
    std::exit(folder.files().size() == 2 ? 7 : 98);
  });
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 7);
  CHECK(folder.files().empty());
}

TEST_CASE("Matrix Market is packed where the name ends in .gz") {
  const scratch_folder folder;
  const auto m = testing::random_matrix("random", 200, 300, 20'000, 3);
  using any = any_format<std::int32_t, double, host>;
  const any matrix(testing::as_coo(m));
  std::vector<std::string> texts;
  for (const char* name : {"a.mtx", "a.mtx.gz", "b.MTX.GZ", "c.gz"}) {
    output_file file(folder / name);
    std::int64_t told = 0;
    write_matrix(file, container::matrix_market, matrix, {},
                 [&](std::int64_t done, std::int64_t) { told = done; });
    file.commit();
    CHECK(told == static_cast<std::int64_t>(fs::file_size(folder / name)));
    std::ifstream in(folder / name, std::ios::binary);
    std::string bytes{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
    CHECK(bytes.starts_with("\x1f\x8b") == (std::string(name) != "a.mtx"));
    texts.push_back(bytes);
    CHECK(identical(read_matrix(folder / name).entries, std::get<coo<double, host>>(matrix)));
  }
  CHECK(texts[1] == texts[2]);
  CHECK(texts[1].size() < texts[0].size());
  // Also behind a link, whose own name is what was asked for.
  fs::create_symlink(folder / "plain", folder / "link.mtx.gz");
  { std::ofstream(folder / "plain") << "old"; }
  {
    output_file file(folder / "link.mtx.gz");
    write_matrix(file, container_for(folder / "link.mtx.gz"), matrix, {});
    file.commit();
  }
  std::ifstream in(folder / "plain", std::ios::binary);
  CHECK(std::string{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()} == texts[1]);
}

TEST_CASE("a disk that is full is told of a packed file too") {
  const scratch_folder folder;
  const any_format<std::int32_t, double, host> matrix(
      testing::as_coo(testing::random_matrix("random", 500, 500, 60'000, 3)));
  {
    output_file file(folder / "a.mtx.gz");
    const small_disk full(20'000);
    const std::string message =
        failure_of([&] { write_matrix(file, container::matrix_market, matrix, {}); }, failure::output);
    CHECK(holds(message, folder / "a.mtx.gz: could not write: "));
  }
  CHECK(folder.files().empty());
}

TEST_CASE("a container holds exactly the formats that it says") {
  const scratch_folder folder;
  // An npz file holds blocks of BSR where no edge cuts one, and DIA where there is no rest.
  const auto entries = sparsmith::testing::as_coo(sparsmith::testing::random_matrix("small", 12, 8, 20, 3));
  const auto m = coo_to_csr<openmp, std::int32_t, double>({}, copy_to<host>(entries), nullptr);
  const auto mirror_images = sparsmith::testing::as_coo(
      sparsmith::testing::mirrored({"symmetric", 8, 8, {{0, 0, 1}, {0, 3, 2}, {2, 7, 3}}}));
  const auto symmetric = coo_to_csr<openmp, std::int32_t, double>({}, copy_to<host>(mirror_images), nullptr);
  for (const format_kind format : all_formats()) {
    const auto matrix = from_csr<openmp, std::int32_t, double>(
        {}, view(whole_of(format) ? symmetric : m), format, {.max_fill = 1000, .dia_share = 0}, nullptr);
    for (const container kind : {container::npz, container::binsparse, container::sparsmith}) {
      INFO(name_of(format) << " in " << name_of(kind));
      output_file file(folder / "made");
      bool written = true;
      try {
        write_matrix(file, kind, matrix, {});
      } catch (const error& problem) {
        CHECK(problem.category() == failure::usage);
        written = false;
      }
      CHECK(written == can_hold(kind, format));
    }
  }
}
