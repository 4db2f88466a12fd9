#include "analyze/recommend/machine_cache.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <type_traits>

#include "analyze/recommend/noise.hpp"
#include "convert/error.hpp"
#include "kernels/measure.hpp"

namespace sparsmith {
namespace {

using json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char* schema = "sparsmith.machine/1";
constexpr std::size_t most_bytes = 1 << 20;  // such files have a thousand

// ---- the rates by their names ----

// each(name, member) for all of them, of rates that are read or written.
template <class Rates, class Each>
void for_each_rate(Rates& rates, Each each) {
  each("launch_seconds", rates.launch_seconds);
  each("copy_bytes", rates.copy_bytes);
  each("read_bytes", rates.read_bytes);
  each("cached_read_bytes", rates.cached_read_bytes);
  each("gathers", rates.gathers);
  each("cached_gathers", rates.cached_gathers);
  each("atomics", rates.atomics);
  each("contended_atomics", rates.contended_atomics);
  each("cache_bytes", rates.cache_bytes);
  each("processors", rates.processors);
}

template <class Description, class Each>
void for_each_text(Description& of, Each each) {
  each("backend", of.backend);
  each("device", of.device);
  each("driver", of.driver);
  each("toolkit", of.toolkit);
  each("version", of.version);
}

// What files of older versions do not have.
template <class Description, class Each>
void for_each_newer_text(Description& of, Each each) {
  each("code", of.code);
  each("vendor", of.vendor);
}

template <class Description, class Each>
void for_each_number(Description& of, Each each) {
  each("clock_mhz", of.clock_mhz);
  each("memory_clock_mhz", of.memory_clock_mhz);
  each("threads", of.threads);
}

std::string text_of(const known_machine& machine) {
  json description = json::object(), rates = json::object();
  const auto into = [](json& object) {
    return [&object](const char* name, const auto& value) { object[name] = value; };
  };
  for_each_text(machine.description, into(description));
  for_each_newer_text(machine.description, into(description));
  for_each_number(machine.description, into(description));
  for_each_rate(machine.rates, into(rates));
  const json document{{"schema", schema},
                      {"rates_version", rates_version},
                      {"measured", machine.measured},
                      {"description", description},
                      {"rates", rates},
                      {"noisy", machine.noisy}};
  // A device's name may hold bytes that are no text; they are not worth failing for.
  return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

// ---- reading ----

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw error(failure::input, path + ": " + why);
}

std::string content_of(const std::string& path) {
  std::error_code problem;
  if (fs::is_directory(path, problem)) refuse(path, "is a folder, not a file of a machine's rates");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, "cannot be opened");
  std::string text(most_bytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) refuse(path, "cannot be read");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most_bytes) refuse(path, "is too large to be a file of a machine's rates");
  return text;
}

const json& member(const std::string& path, const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end()) refuse(path, fmt::format("has no \"{}\"", name));
  return *found;
}

std::string text_member(const std::string& path, const json& object, const char* name) {
  const json& value = member(path, object, name);
  if (!value.is_string()) refuse(path, fmt::format("\"{}\" is no text", name));
  return value.get<std::string>();
}

const json& object_member(const std::string& path, const json& object, const char* name) {
  const json& value = member(path, object, name);
  if (!value.is_object()) refuse(path, fmt::format("\"{}\" is no object", name));
  return value;
}

template <class Number>
void read_number(const std::string& path, const json& object, const char* name, bool may_be_zero,
                 Number& number) {
  const json& value = member(path, object, name);
  const double as_double = value.is_number() ? value.get<double>() : -1;
  bool fits = std::isfinite(as_double) && (as_double > 0 || (may_be_zero && as_double == 0));
  if constexpr (std::is_integral_v<Number>)
    fits = fits && value.is_number_integer() &&
           as_double < static_cast<double>(std::numeric_limits<Number>::max());
  if (!fits)
    refuse(path, fmt::format("\"{}\" is {}, not a {}{}", name, value.dump(-1, ' ', true).substr(0, 40),
                             may_be_zero ? "number from 0 on" : "positive number",
                             std::is_integral_v<Number> ? " without a fraction" : ""));
  number = value.get<Number>();
}

// ---- the cache ----

// A variable of the environment; empty where it is not set.
std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

// "cuda-NVIDIA-H200-140.4-GiB-13.0-16-threads.json". Names that differ in other characters alone would share
// a file; what is in it tells them apart.
std::string file_name(const machine_description& of) {
  std::string name;
  for (const char c : of.backend + " " + of.device + " " + of.driver) {
    const bool plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '.' || c == '_';
    if (plain)
      name += c;
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  name.resize(std::min<std::size_t>(name.size(), 150));  // of the 255 that file systems take
  while (!name.empty() && name.back() == '-') name.pop_back();
  return fmt::format("{}-{}-threads.json", name, of.threads);
}

std::optional<known_machine> remembered(const fs::path& path, const machine_description& here) {
  std::error_code problem;
  if (!fs::exists(path, problem)) return {};
  try {
    known_machine found = read_machine(path.string());
    const machine_description& there = found.description;
    if (there.backend != here.backend || there.device != here.device || there.driver != here.driver ||
        there.threads != here.threads || (!there.code.empty() && there.code != here.code))
      return {};
    found.description = here;
    found.from_cache = true;
    return found;
  } catch (const error&) {
    return {};  // spoiled or of another version: to be measured anew
  }
}

// Written beside and renamed: who reads at the same time sees the old file or the new one. Whether it worked.
bool keep(const fs::path& path, const std::string& text) {
  std::error_code problem;
  fs::create_directories(path.parent_path(), problem);
  std::string beside = path.string() + ".XXXXXX";
  const int descriptor = ::mkstemp(beside.data());
  if (descriptor < 0) return false;
  std::FILE* const file = ::fdopen(descriptor, "w");
  if (file == nullptr) ::close(descriptor);
  const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
  const bool closed = file != nullptr && std::fclose(file) == 0;
  if (written && closed) {
    fs::rename(beside, path, problem);
    if (!problem) return true;
  }
  fs::remove(beside, problem);
  return false;
}

std::string time_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc));
}

}  // namespace

fs::path machine_cache_folder() {
  if (const std::string own = environment("SPARSMITH_CACHE"); !own.empty()) return own;
  if (const std::string caches = environment("XDG_CACHE_HOME"); !caches.empty())
    return fs::path(caches) / "sparsmith";
  if (const std::string home = environment("HOME"); !home.empty())
    return fs::path(home) / ".cache" / "sparsmith";
  return {};
}

known_machine read_machine(const std::string& path) {
  const std::string text = content_of(path);
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) refuse(path, "is no JSON object, so not a file of a machine's rates");
  if (const std::string found = text_member(path, document, "schema"); found != schema)
    refuse(path, fmt::format("its schema is {}, not {}", found, schema));
  int version = 0;
  read_number(path, document, "rates_version", true, version);
  if (version != rates_version)
    refuse(path, fmt::format("has rates of version {}, but this Sparsmith measures version {}: measure again",
                             version, rates_version));
  known_machine machine;
  machine.measured = text_member(path, document, "measured");
  const json& description = object_member(path, document, "description");
  for_each_text(machine.description,
                [&](const char* name, std::string& value) { value = text_member(path, description, name); });
  for_each_newer_text(machine.description, [&](const char* name, std::string& value) {
    if (description.contains(name)) value = text_member(path, description, name);
  });
  for_each_number(machine.description,
                  [&](const char* name, auto& value) { read_number(path, description, name, true, value); });
  if (machine.description.backend != openmp::name && machine.description.backend != cuda::name)
    refuse(path, fmt::format("its backend is {}, not {} or {}", machine.description.backend, openmp::name,
                             cuda::name));
  const json& rates = object_member(path, document, "rates");
  for_each_rate(machine.rates,
                [&](const char* name, auto& value) { read_number(path, rates, name, false, value); });
  if (const auto noisy = document.find("noisy"); noisy != document.end() && noisy->is_array())
    for (const json& phrase : *noisy)
      if (phrase.is_string()) machine.noisy.push_back(phrase.get<std::string>());
  machine.path = path;
  return machine;
}

known_machine know_machine(const machine_description& here, bool refresh,
                           const std::function<measured_rates()>& measured, bool accept_noisy) {
  const fs::path folder = machine_cache_folder();
  const fs::path path = folder.empty() ? fs::path() : folder / file_name(here);
  std::optional<known_machine> known;
  if (!path.empty()) known = remembered(path, here);
  const bool known_well = known && known->noisy.empty();
  if (!refresh && known && (known_well || accept_noisy)) return *std::move(known);
  const double begin = seconds_now();
  measured_rates found = measured();
  if (!found.noisy.empty()) found = measured();
  known_machine machine;
  machine.description = here;
  machine.rates = found.rates;
  machine.noisy = std::move(found.noisy);
  machine.measured = time_now();
  machine.seconds = seconds_now() - begin;
  // What others spoiled does not take the place of what was measured well.
  if ((machine.noisy.empty() || !known_well) && !path.empty() && keep(path, text_of(machine)))
    machine.path = path.string();
  return machine;
}

template <class Backend>
known_machine know_machine(Backend on, bool refresh, bool accept_noisy) {
  const auto measured = [on] {
    const noise_watch watch(on);
    const machine_rates rates = measure_rates(on);
    return measured_rates{rates, watch.disturbances()};
  };
  return know_machine(describe_machine(on), refresh, measured, accept_noisy);
}

template known_machine know_machine(openmp, bool, bool);
#if SPARSMITH_HAS_CUDA
template known_machine know_machine(cuda, bool, bool);
#endif

}  // namespace sparsmith
