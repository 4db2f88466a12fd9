// What the readers and writers ask of the system: an output is flushed to the disk, whole, before it takes
// the place of what was there; and a file that changes while it is read is not taken for a matrix.
#include <algorithm>
#include <chrono>
#include <functional>

#include "convert/io/read.hpp"
#include "convert/io/write.hpp"
#include "tests/battery.hpp"
#include "tests/catch.hpp"
#include "tests/convert/io/file_bytes.hpp"
#include "tests/watched_calls.hpp"

using namespace sparsmith;
using namespace sparsmith::test;
namespace fs = std::filesystem;

// HDF5 does not free all it held when it meets a broken file. Only the leak checker of -fsanitize=address
// asks.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5";
}

namespace {

using any = any_format<std::int32_t, double, host>;

const std::pair<const char*, container> kinds[] = {{".mtx", container::matrix_market},
                                                   {".mtx.gz", container::matrix_market},
                                                   {".npz", container::npz},
                                                   {".bsp.h5", container::binsparse},
                                                   {".h5", container::sparsmith}};

void write_to(const std::string& path, container kind, int entries) {
  std::vector<sparsmith::testing::triplet> list;
  for (std::int32_t i = 0; i < entries; ++i) list.push_back({i / 20, i % 20 * 15, 1.0 / (1 + i)});
  const any matrix(sparsmith::testing::as_coo({"some", 300, 300, list}));
  output_file file(path);
  write_matrix(file, kind, matrix, {});
  file.commit();
}

}  // namespace

TEST_CASE("an output is flushed whole before it is renamed") {
  for (const auto& [suffix, kind] : kinds) {
    const scratch_file file(suffix);
    file.replace("what was there before");
    const sparsmith::testing::call_watch watch;
    write_to(file.path, kind, 5000);
    const auto size = static_cast<std::int64_t>(fs::file_size(file.path));
    const auto calls = watch.calls();
    INFO(suffix);
    const auto renamed =
        std::find_if(calls.begin(), calls.end(), [](const auto& c) { return c.name == "rename"; });
    REQUIRE(renamed != calls.end());
    CHECK(renamed->target == file.path);
    CHECK(renamed->path.starts_with(file.path + ".partial-"));
    CHECK(renamed->bytes == size);
    const auto flushed = std::find_if(calls.begin(), renamed, [&](const auto& c) {
      return c.name == "fsync" && c.path == renamed->path && c.bytes == size;
    });
    CHECK(flushed != renamed);
    CHECK(std::count_if(calls.begin(), calls.end(), [](const auto& c) { return c.name == "rename"; }) == 1);
  }
}

TEST_CASE("a file that changes while it is read is no matrix") {
  const auto to_size = [](std::size_t size) { return [size](const scratch_file& file) { file.cut(size); }; };
  for (const auto& [suffix, kind] : kinds) {
    const scratch_file file(suffix);
    write_to(file.path, kind, 200);
    const std::string good = file.bytes();
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1);
    int reads = 0;
    {
      const sparsmith::testing::read_watch watch(file.path, [&](int) { ++reads; });
      read_matrix(file.path);
    }
    INFO(suffix << ", read in " << reads << " goes");
    CHECK(reads >= 2);
    const std::function<void(const scratch_file&)> changes[] = {
        to_size(0), to_size(good.size() / 2), to_size(good.size() - 1),
        [&](const scratch_file&) { std::ofstream(file.path, std::ios::app) << "\n"; },
        [&](const scratch_file&) {
          file.put(good.size() / 2, static_cast<char>(good[good.size() / 2] ^ 1));
        }};
    for (const auto& change : changes)
      for (int at = 0; at < reads; ++at) {
        file.replace(good);
        fs::last_write_time(file.path, long_ago);
        bool changed = false, accepted = true;
        std::string message;
        {
          const sparsmith::testing::read_watch watch(file.path, [&](int number) {
            if (number != at) return;
            changed = true;
            change(file);
          });
          try {
            read_matrix(file.path);
          } catch (const error& e) {
            accepted = false;
            message = e.what();
          }
        }
        if (accepted || !changed)
          FAIL("changed at reading " << at << ", " << file.bytes().size() << " bytes then");
        if (message.find(file.path) != 0) FAIL("not told of the file: " << message);
      }
    file.replace(good);
    CHECK(failure_of([&] {
            const sparsmith::testing::read_watch watch(file.path, [&](int number) {
              if (number == reads - 1) fs::last_write_time(file.path, long_ago);
            });
            read_matrix(file.path);
          }) == file.path + ": was changed while it was read");
  }
}
