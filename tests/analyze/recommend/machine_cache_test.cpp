// Rates of a machine are measured once and remembered; whatever is wrong with the file or its folder costs a
// measurement, and nothing else.
#include "analyze/recommend/machine_cache.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "convert/error.hpp"
#include "tests/catch.hpp"
#include "tests/tools/process.hpp"

using namespace sparsmith;
using namespace sparsmith::testing;
using nlohmann::json;

namespace {

// A variable of the environment for as long as this lives; empty takes it away.
class variable {
 public:
  variable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  variable(const variable&) = delete;
  ~variable() { set(before_); }

 private:
  void set(const std::optional<std::string>& value) const {
    if (value)
      ::setenv(name_, value->c_str(), 1);
    else
      ::unsetenv(name_);
  }
  const char* name_;
  std::optional<std::string> before_;
};

// A file as such a machine would have made it.
json made_up() {
  return {{"schema", "sparsmith.machine/1"},
          {"rates_version", rates_version},
          {"measured", "2026-01-31T12:00:00Z"},
          {"description",
           {{"backend", "cuda"},
            {"device", "NVIDIA H200, 140.4 GiB"},
            {"driver", "13.0 (580.65.06)"},
            {"toolkit", "13.0"},
            {"code", "9.0"},
            {"vendor", "cuSPARSE 12.6.3"},
            {"version", "0.2.0"},
            {"clock_mhz", 1980},
            {"memory_clock_mhz", 0},
            {"threads", 16}}},
          {"rates",
           {{"launch_seconds", 1.5e-6},
            {"copy_bytes", 4.1e12},
            {"read_bytes", 4.2e12},
            {"cached_read_bytes", 6e12},
            {"gathers", 5e10},
            {"cached_gathers", 1.5e11},
            {"atomics", 9e10},
            {"contended_atomics", 2e9},
            {"cache_bytes", 62914560},
            {"processors", 132}}}};
}

void write(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

bool equal(const machine_rates& a, const machine_rates& b) {
  return a.launch_seconds == b.launch_seconds && a.copy_bytes == b.copy_bytes &&
         a.read_bytes == b.read_bytes && a.cached_read_bytes == b.cached_read_bytes &&
         a.gathers == b.gathers && a.cached_gathers == b.cached_gathers && a.atomics == b.atomics &&
         a.contended_atomics == b.contended_atomics && a.cache_bytes == b.cache_bytes &&
         a.processors == b.processors;
}

// This machine, as if nobody else used it: tests run beside others.
known_machine known_here(bool refresh) {
  return know_machine(describe_machine(openmp{}), refresh, [] {
    return measured_rates{measure_rates(openmp{}), {}};
  });
}

// That the file is refused, in a line that begins with its path and holds these words.
void check_refused(const std::string& path, const std::string& words) {
  try {
    (void)read_machine(path);
    FAIL_CHECK("read what should be refused for: " << words);
  } catch (const error& problem) {
    const std::string line = problem.what();
    INFO(line);
    CHECK(problem.category() == failure::input);
    CHECK(line.rfind(path + ": ", 0) == 0);
    CHECK(line.find(words) != std::string::npos);
    CHECK(line.find('\n') == std::string::npos);
  }
}

}  // namespace

TEST_CASE("rates are measured once and remembered") {
  const temporary_folder folder("machine_cache_test");
  const std::string cache = folder / "not/there/yet";
  const variable own("SPARSMITH_CACHE", cache);
  const known_machine first = known_here(false);
  CHECK_FALSE(first.from_cache);
  CHECK(first.rates.read_bytes > 1e8);
  CHECK(first.measured.size() == std::string("2026-01-31T12:00:00Z").size());
  CHECK(first.measured.back() == 'Z');
  CHECK(first.path.rfind(cache, 0) == 0);
  const std::string name = std::filesystem::path(first.path).filename().string();
  CHECK(name.rfind("openmp-", 0) == 0);
  CHECK(name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") ==
        std::string::npos);

  const known_machine second = known_here(false);
  CHECK(second.from_cache);
  CHECK(equal(first.rates, second.rates));
  CHECK(second.measured == first.measured);
  CHECK(second.path == first.path);
  CHECK(second.description.device == first.description.device);
  CHECK(second.description.version == first.description.version);

  const known_machine read = read_machine(first.path);
  CHECK(equal(first.rates, read.rates));
  CHECK(read.measured == first.measured);
  CHECK(read.description.threads == first.description.threads);
  CHECK_FALSE(read.from_cache);

  // What is remembered is what the file says, until it is asked for anew.
  json changed = json::parse(content(first.path));
  changed["rates"]["gathers"] = 12345.5;
  changed["description"]["version"] = "0.0.1";
  write(first.path, changed.dump());
  const known_machine third = known_here(false);
  CHECK(third.from_cache);
  CHECK(third.rates.gathers == 12345.5);
  CHECK(third.description.version == first.description.version);
  const known_machine fresh = known_here(true);
  CHECK_FALSE(fresh.from_cache);
  CHECK(fresh.rates.gathers != 12345.5);
  CHECK(equal(known_here(false).rates, fresh.rates));

  // Nothing is left lying beside it.
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(cache)) ++files;
  CHECK(files == 1);
}

TEST_CASE("another number of threads is another machine") {
  const temporary_folder folder("machine_cache_test");
  const variable own("SPARSMITH_CACHE", folder.path.string());
  const int before = thread_count();
  set_thread_count(1);
  const known_machine one = known_here(false);
  set_thread_count(2);
  const known_machine two = known_here(false);
  set_thread_count(before);
  CHECK_FALSE(two.from_cache);
  CHECK(one.path != two.path);
  CHECK(two.rates.processors == 2);
  CHECK(folder.files().size() == 2);
}

TEST_CASE("a file that will not do is measured anew and replaced") {
  const temporary_folder folder("machine_cache_test");
  const variable own("SPARSMITH_CACHE", folder.path.string());
  const std::string path = known_here(false).path;
  const json good = json::parse(content(path));
  const auto with = [&](const char* pointer, const json& value) {
    json changed = good;
    changed[json::json_pointer(pointer)] = value;
    return changed.dump();
  };
  for (const std::string& text :
       {std::string(), content(path).substr(0, 200), with("/schema", "sparsmith.machine/2"),
        with("/rates_version", rates_version + 1), with("/rates/atomics", 0),
        with("/description/device", "another CPU of the same file name"),
        with("/description/threads", 1000)}) {
    INFO(text);
    write(path, text);
    const known_machine again = known_here(false);
    CHECK_FALSE(again.from_cache);
    CHECK(again.path == path);
    CHECK(equal(read_machine(path).rates, again.rates));
  }
  CHECK(known_here(false).from_cache);
  CHECK(folder.files().size() == 1);
}

TEST_CASE("where nothing can be kept, rates are measured all the same") {
  const temporary_folder folder("machine_cache_test");
  write(folder / "file", "no folder");
  {
    const variable own("SPARSMITH_CACHE", folder / "file/below");
    const known_machine found = known_here(false);
    CHECK_FALSE(found.from_cache);
    CHECK(found.path.empty());
    CHECK(found.rates.read_bytes > 1e8);
  }
  CHECK(content(folder / "file") == "no folder");
  {
    // Root may write there nevertheless.
    const std::string closed = folder / "closed";
    std::filesystem::create_directories(closed);
    std::filesystem::permissions(closed,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
    const variable own("SPARSMITH_CACHE", closed);
    const known_machine found = known_here(false);
    CHECK(found.rates.read_bytes > 1e8);
    CHECK(found.path.empty() == (::access(closed.c_str(), W_OK) != 0));
    std::filesystem::permissions(closed, std::filesystem::perms::owner_all);
  }
  {
    // A folder that bears the file's name.
    const std::string cache = folder / "taken";
    const variable own("SPARSMITH_CACHE", cache);
    const std::string path = known_here(false).path;
    std::filesystem::remove(path);
    std::filesystem::create_directories(path + "/below");
    CHECK(known_here(false).path.empty());
    std::filesystem::remove_all(path);
    CHECK(std::filesystem::is_empty(cache));
  }
}

TEST_CASE("the cache folder follows the environment") {
  const variable own("SPARSMITH_CACHE", "/made/up");
  const variable caches("XDG_CACHE_HOME", "/caches");
  const variable home("HOME", "/home/somebody");
  CHECK(machine_cache_folder() == "/made/up");
  for (const std::optional<std::string>& unset :
       {std::optional<std::string>(), std::optional<std::string>("")}) {
    const variable no_own("SPARSMITH_CACHE", unset);
    CHECK(machine_cache_folder() == "/caches/sparsmith");
    const variable no_caches("XDG_CACHE_HOME", unset);
    CHECK(machine_cache_folder() == "/home/somebody/.cache/sparsmith");
    const variable no_home("HOME", unset);
    CHECK(machine_cache_folder().empty());
    const known_machine found = known_here(false);
    CHECK(found.path.empty());
    CHECK_FALSE(found.from_cache);
    CHECK(found.rates.read_bytes > 1e8);
  }
}

TEST_CASE("the file of another machine is read") {
  const temporary_folder folder("machine_cache_test");
  const std::string path = folder / "h200.json";
  write(path, made_up().dump(2));
  const known_machine machine = read_machine(path);
  CHECK(machine.description.backend == "cuda");
  CHECK(machine.description.device == "NVIDIA H200, 140.4 GiB");
  CHECK(machine.description.driver == "13.0 (580.65.06)");
  CHECK(machine.description.toolkit == "13.0");
  CHECK(machine.description.code == "9.0");
  CHECK(machine.description.code_doubt.empty());  // how somebody built it elsewhere
  CHECK(machine.description.vendor == "cuSPARSE 12.6.3");
  CHECK(machine.description.version == "0.2.0");
  CHECK(machine.description.clock_mhz == 1980);
  CHECK(machine.description.memory_clock_mhz == 0);
  CHECK(machine.description.threads == 16);
  CHECK(machine.measured == "2026-01-31T12:00:00Z");
  CHECK_FALSE(machine.from_cache);
  CHECK(machine.path == path);
  const machine_rates expected{.launch_seconds = 1.5e-6,
                               .copy_bytes = 4.1e12,
                               .read_bytes = 4.2e12,
                               .cached_read_bytes = 6e12,
                               .gathers = 5e10,
                               .cached_gathers = 1.5e11,
                               .atomics = 9e10,
                               .contended_atomics = 2e9,
                               .cache_bytes = 62914560,
                               .processors = 132};
  CHECK(equal(machine.rates, expected));
}

TEST_CASE("a machine's file of before its code was named is read") {
  const temporary_folder folder("machine_cache_test");
  const std::string path = folder / "h200.json";
  json older = made_up();
  older["description"].erase("code");
  older["description"].erase("vendor");
  write(path, older.dump(2));
  const known_machine machine = read_machine(path);
  CHECK(machine.description.code.empty());
  CHECK(machine.description.vendor.empty());
  CHECK(machine.description.toolkit == "13.0");
}

TEST_CASE("what is no file of a machine is refused, in one line that says why") {
  const temporary_folder folder("machine_cache_test");
  const std::string path = folder / "machine.json";
  check_refused(folder / "missing.json", "cannot be opened");
  check_refused(folder.path.string(), "is a folder");
  const auto check_text = [&](const std::string& text, const std::string& words) {
    write(path, text);
    check_refused(path, words);
  };
  check_text("", "no JSON object");
  check_text("%%MatrixMarket matrix coordinate real general\n1 1 0\n", "no JSON object");
  check_text(made_up().dump().substr(0, 300), "no JSON object");
  check_text("[1, 2]", "no JSON object");
  check_text(std::string(2 << 20, ' ') + made_up().dump(), "too large");
  check_text("{}", "\"schema\"");

  const auto check_changed = [&](const char* pointer, const json& value, const std::string& words) {
    json changed = made_up();
    changed[json::json_pointer(pointer)] = value;
    check_text(changed.dump(), words);
  };
  check_changed("/schema", "sparsmith.features/1", "sparsmith.features/1, not sparsmith.machine/1");
  check_changed("/schema", "two\nlines", "two\\x0alines");
  check_changed("/schema", 1, "\"schema\" is no text");
  check_changed("/rates_version", rates_version + 1, "measure again");
  check_changed("/rates_version", "1", "\"rates_version\"");
  check_changed("/description", "none", "\"description\" is no object");
  check_changed("/description/backend", "metal", "metal, not openmp or cuda");
  check_changed("/description/device", 5, "\"device\" is no text");
  check_changed("/description/clock_mhz", -1, "\"clock_mhz\" is -1, not a number from 0 on");
  check_changed("/rates", json::array(), "\"rates\" is no object");
  check_changed("/rates/gathers", "many", "\"gathers\" is \"many\", not a positive number");
  check_changed("/rates/processors", 1.5, "\"processors\" is 1.5, not a positive number without a fraction");
  check_changed("/rates/processors", 1e18, "\"processors\"");
  check_changed("/rates/cache_bytes", std::uint64_t{1} << 63, "\"cache_bytes\"");
  const json good = made_up();
  for (const auto& [name, value] : good["rates"].items()) {
    const std::string quoted = "\"" + name + "\"";
    const std::string pointer = "/rates/" + name;
    check_changed(pointer.c_str(), 0, quoted + " is 0, not a positive number");
    check_changed(pointer.c_str(), -2, quoted + " is -2, not a positive number");
    check_changed(pointer.c_str(), nullptr, quoted + " is null, not a positive number");
    json without = made_up();
    without["rates"].erase(name);
    check_text(without.dump(), "has no " + quoted);
  }
  for (const char* const name : {"measured", "description", "rates", "rates_version"}) {
    json without = made_up();
    without.erase(name);
    check_text(without.dump(), "has no \"" + std::string(name) + "\"");
  }
}

TEST_CASE(
    "rates that were measured beside others are measured once more, and kept with what got in the way") {
  const temporary_folder folder("machine_cache_test");
  const variable own("SPARSMITH_CACHE", folder / "cache");
  const machine_description here = describe_machine(openmp{});
  machine_rates slow = read_machine([&] {
                         const std::string path = folder / "made_up.json";
                         write(path, made_up().dump());
                         return path;
                       }())
                           .rates;
  machine_rates right = slow;
  right.read_bytes *= 2;

  int measured = 0;
  const known_machine busy = know_machine(here, false, [&] {
    ++measured;
    return measured_rates{slow, {"other processes used 0.97 of a core"}};
  });
  CHECK(measured == 2);
  CHECK_FALSE(busy.path.empty());
  CHECK(equal(busy.rates, slow));
  CHECK(busy.noisy == std::vector<std::string>{"other processes used 0.97 of a core"});

  // Whoever accepts them has them; everybody else measures anew.
  const known_machine accepted = know_machine(
      here, false,
      [&]() -> measured_rates {
        FAIL("is known already");
        return {};
      },
      true);
  CHECK(accepted.noisy == busy.noisy);

  measured = 0;
  const known_machine quiet_again = know_machine(here, false, [&] {
    return ++measured == 1 ? measured_rates{slow, {"others"}} : measured_rates{right, {}};
  });
  CHECK(measured == 2);
  CHECK(quiet_again.noisy.empty());
  CHECK_FALSE(quiet_again.path.empty());
  CHECK(equal(quiet_again.rates, right));

  // What was kept when it was quiet stays, though somebody measures anew beside others.
  (void)know_machine(here, true, [&] { return measured_rates{slow, {"others"}}; });
  const known_machine kept = know_machine(here, false, [&]() -> measured_rates {
    FAIL("is known already");
    return {};
  });
  CHECK(kept.from_cache);
  CHECK(kept.noisy.empty());
  CHECK(equal(kept.rates, right));
}
