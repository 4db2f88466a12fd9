// The targets as an ordinary test, without libFuzzer: seeds and findings, each once. Also writes the
// seeds that `make fuzz` starts from, and checks that re-signing signs.
//   run_files check FOLDER...      the seeds, and every file of FOLDER/<target>/
//   run_files seeds OUT FOLDER...  writes the seeds into OUT/<target>/, with those of the files in FOLDERs
//   run_files list                 the targets with the longest input each
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "convert/error.hpp"
#include "tests/fuzz/resign.hpp"

using namespace sparsmith::fuzz;
namespace fs = std::filesystem;

namespace {

std::string bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

struct tally {
  int inputs = 0, accepted = 0;
  double seconds = 0;
};

class checker {
 public:
  void run(const std::string& name, const std::string& what, const std::string& bytes) {
    tally& counts = tallies_[name];
    const auto start = std::chrono::steady_clock::now();
    ++counts.inputs;
    current = what;
    try {
      if (target_named(name).run(bytes)) ++counts.accepted;
    } catch (const std::exception& finding) {
      fail(fmt::format("{}: {}: {}", name, what, finding.what()));
    }
    counts.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void fail(const std::string& what) {
    fmt::print("FAILED {}\n", what);
    ++failures_;
  }

  int finish() {
    for (const target& one : targets()) {
      const tally counts = tallies_[one.name];
      fmt::print("{:14} {:5} inputs, {:5} accepted, {:.2f} s\n", one.name, counts.inputs, counts.accepted,
                 counts.seconds);
      if (counts.accepted == 0 || counts.accepted == counts.inputs)
        fail(fmt::format("{}: its inputs are all accepted or all refused, and show nothing", one.name));
    }
    fmt::print("{} failures\n", failures_);
    return failures_ == 0 ? 0 : 1;
  }

  std::string current;

 private:
  std::map<std::string, tally> tallies_;
  int failures_ = 0;
};

// A value that is changed inside a signed file is noticed, and signed again it is not. Counts what was tried.
int check_signing(checker& to, const std::string& name, const std::string& seed) {
  std::string changed = seed;
  if (name == "gzip") {
    changed = packed_gzip(unpacked_gzip(seed, 1 << 20), 0);  // stored: digits can be changed
    const std::size_t digit = changed.rfind('1');
    if (digit == std::string::npos || !target_named(name).run(changed)) return 0;
    changed[digit] = '3';
    if (target_named(name).run(changed)) to.fail("a changed gzip was accepted");
    sign_gzip(changed);
  } else if (name == "npz") {
    const auto members = unpacked_zip(seed, 1 << 20);
    const auto data = std::find_if(members.begin(), members.end(),
                                   [](const zip_content& m) { return m.name == "data.npy" && !m.deflated; });
    if (data == members.end() || data->content.size() < 136 || !target_named(name).run(seed)) return 0;
    changed[changed.find(data->content) + 130] ^= 1;
    if (target_named(name).run(changed)) to.fail("a changed npz was accepted");
    sign_zip(changed);
  } else {
    const hdf5_signatures signatures(seed);
    // Between 2.0 and 2.0, which lie behind all that HDF5 says about them.
    const std::size_t at = seed.rfind(std::string_view("\x40\0\0\0\0\0\0\0\x40", 9));
    if (at == std::string::npos || !target_named(name).run(seed)) return 0;
    changed[at + 6] = 0x10;
    if (target_named(name).run(changed)) to.fail("a changed container was accepted");
    signatures.sign(changed);
  }
  if (!target_named(name).run(changed))
    to.fail(fmt::format("{}: {}: what was signed again was refused", name, to.current));
  return 1;
}

int check(const std::vector<std::string>& folders) {
  checker to;
  int signed_gzip = 0, signed_npz = 0, signed_container = 0;
  const auto visit = [&](const std::string& name, const std::string& what, const std::string& bytes) {
    to.run(name, what, bytes);
    if (name == "gzip") signed_gzip += check_signing(to, name, bytes);
    if (name == "npz") signed_npz += check_signing(to, name, bytes);
    if (name == "container") signed_container += check_signing(to, name, bytes);
  };
  make_seeds(visit);
  seeds_from_folder(SPARSMITH_TEST_DATA, visit);
  if (signed_gzip == 0 || signed_npz == 0 || signed_container == 0)
    to.fail(fmt::format("signing was tried on {} gzip, {} npz and {} containers", signed_gzip, signed_npz,
                        signed_container));
  for (const std::string& folder : folders)
    for (const target& one : targets()) {
      if (!fs::is_directory(fs::path(folder) / one.name)) continue;
      std::vector<fs::path> files;
      for (const auto& entry : fs::directory_iterator(fs::path(folder) / one.name))
        files.push_back(entry.path());
      std::sort(files.begin(), files.end());
      for (const fs::path& file : files) to.run(one.name, file.string(), bytes_of(file));
    }
  return to.finish();
}

int write_seeds(const fs::path& out, const std::vector<std::string>& folders) {
  std::map<std::string, int> count;
  const auto visit = [&](const std::string& name, const std::string& what, const std::string& bytes) {
    if (bytes.size() > target_named(name).longest) return;
    fs::create_directories(out / name);
    std::ofstream(out / name / fmt::format("seed-{:03}-{}", count[name]++, what), std::ios::binary)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  };
  make_seeds(visit);
  seeds_from_folder(SPARSMITH_TEST_DATA, visit);
  for (const std::string& folder : folders) seeds_from_folder(folder, visit);
  for (const auto& [name, seeds] : count) fmt::print("{:14} {:4} seeds\n", name, seeds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::vector<std::string> rest(arguments.begin() + std::min<std::ptrdiff_t>(2, argc - 1),
                                      arguments.end());
  if (!arguments.empty() && arguments[0] == "list") {
    for (const target& one : targets()) fmt::print("{} {}\n", one.name, one.longest);
    return 0;
  }
  if (arguments.size() > 1 && arguments[0] == "seeds") return write_seeds(arguments[1], rest);
  if (!arguments.empty() && arguments[0] == "check") return check({arguments.begin() + 1, arguments.end()});
  fmt::print(stderr, "usage: run_files check FOLDER... | seeds OUT FOLDER... | list\n");
  return 2;
}
