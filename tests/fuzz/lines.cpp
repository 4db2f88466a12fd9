// What is typed or kept as lines: generators, values of options, the journal of a batch and its results.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "convert/convert.hpp"
#include "convert/formats/properties.hpp"
#include "convert/formats/validate.hpp"
#include "convert/io/generators.hpp"
#include "convert/io/write.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "tests/tools/batch/made_lines.hpp"
#include "tools/batch/batch_csv.hpp"
#include "tools/batch/batch_page.hpp"
#include "tools/batch/journal.hpp"
#include "tools/batch/row.hpp"
#include "tools/batch/summary.hpp"
#include "tools/batch/summary_text.hpp"
#include "tools/option_values.hpp"

namespace sparsmith::fuzz {
namespace {

// Calls it, and says whether it was accepted; refusals are of the category that is expected.
template <class Action>
bool accepted(failure expected, Action action) {
  try {
    action();
    return true;
  } catch (const error& refused) {
    promise(refused.category() == expected,
            fmt::format("refused as {}: {}", static_cast<int>(refused.category()), refused.what()));
    return false;
  }
}

// ---- generators ----

struct parameter {
  std::string standard;
  double highest = 0;
};

// What --help says about the generators: the parameters of each.
const std::map<std::string, std::map<std::string, parameter>>& known_generators() {
  static const auto known = [] {
    std::map<std::string, std::map<std::string, parameter>> all;
    std::string generator;
    for (const auto& [term, meaning] : describe_generators()) {
      if (!term.starts_with("  ")) {
        generator = term;
        continue;
      }
      const std::size_t equals = term.find('=');
      all[generator][term.substr(2, equals - 2)] = {term.substr(equals + 1),
                                                    std::atof(meaning.c_str() + meaning.rfind("..") + 2)};
    }
    return all;
  }();
  return known;
}

// The same line with sizes that are made in no time: what is not given would be thousands of rows. Empty
// where a size is given that is allowed and large: granting that is right, and takes long.
std::string made_small(const std::string& spec) {
  constexpr double large = 48;
  const std::size_t question = spec.find('?');
  const auto generator = known_generators().find(spec.substr(0, question));
  if (generator == known_generators().end()) return spec;
  std::map<std::string, std::string> given;
  std::string rest = question == std::string::npos ? "" : spec.substr(question + 1);
  while (!rest.empty()) {
    const std::string piece = rest.substr(0, rest.find('&'));
    rest.erase(0, std::min(piece.size() + 1, rest.size()));
    if (const std::size_t equals = piece.find('='); equals != std::string::npos)
      given[piece.substr(0, equals)] = piece.substr(equals + 1);
  }
  std::string small = spec;
  for (const auto& [name, about] : generator->second) {
    if (name == "seed") continue;
    // A power of two, and a cube.
    const double most = name == "scale" ? 6 : generator->first == "gen:laplace3d" ? 8 : large;
    const auto found = given.find(name);
    if (found != given.end()) {
      const double value = std::strtod(found->second.c_str(), nullptr);
      if (value > most && value <= about.highest) return "";
    } else if (std::atof(about.standard.c_str()) > most) {
      small += fmt::format("{}{}={}", small.find('?') == std::string::npos ? '?' : '&', name,
                           name == "scale"  ? 5
                           : name == "beta" ? 4
                                            : 8);
    }
  }
  return small;
}

coo<double, host> generated(int threads, const std::string& spec) {
  set_thread_count(threads);
  matrix_entries made = generate(spec);
  promise(made.symmetry == symmetry_kind::general, "what is generated is whole");
  return std::move(made.entries);
}

// ---- results ----

void write_file(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<json> results_in(const std::string& folder) {
  std::vector<json> results;
  read_results(
      folder, [&](const json& line) { results.push_back(line); }, [](const std::string&) {});
  return results;
}

// Everything that is told about results.
std::string told(const std::vector<json>& lines) {
  std::vector<batch_row> rows;
  for (const json& line : lines) rows.push_back(row_of(line));
  const batch_summary summary = summarize(std::move(rows));
  const std::string page = batch_page(summary, {"0", "machine", "2026-01-01T00:00:00Z"});
  promise(page.find("</html>") != std::string::npos, "a page has an end");
  return results_csv(summary) + contestants_csv(summary);
}

}  // namespace

bool run_generator(std::string_view bytes) {
  const std::string typed(bytes);
  promise(is_generator(typed) == typed.starts_with("gen:"), "what starts with gen: is a generator");
  const std::string spec = made_small(typed);
  if (spec.empty()) return false;
  return accepted(failure::usage, [&] {
    const memory_watch watch;
    auto one = generated(1, spec);
    promise(watch.peak() <= (16 << 20), "a small matrix takes little memory");
    promise(identical(one, generated(5, spec)), "one thread and five generate the same");
    if (!typed.starts_with("gen:rmat") && !typed.starts_with("gen:lopsided")) {
      const std::string problem = find_invalid(one);
      promise(problem.empty(), "what is generated is invalid: " + problem);
    }
    matrix_entries source;
    source.entries = std::move(one);
    assembly_report report;
    const auto matrix =
        assemble<openmp, std::int32_t, double>(openmp{}, std::move(source), false, report, nullptr);
    promise(find_invalid(matrix).empty(), "what is generated assembles");
  });
}

bool run_options(std::string_view bytes) {
  if (bytes.empty()) return false;
  const std::string typed(bytes.substr(1));
  switch (static_cast<unsigned char>(bytes[0]) % 9) {
    case 0:
      return accepted(failure::usage, [&] {
        const std::int64_t memory = parse_memory(typed);
        promise(memory >= 1 && memory < std::int64_t{1} << 62, "an amount of memory is one");
      });
    case 1:
      return accepted(failure::usage, [&] {
        const auto mix = parse_mix(typed).weights;
        promise(mix[0] >= 0 && mix[1] >= 0 && mix[0] + mix[1] > 0 && std::isfinite(mix[0] + mix[1]),
                "a mix has weights");
      });
    case 2:
      return accepted(failure::usage, [&] {
        const block_size block = parse_block(typed);
        promise(block.rows >= 1 && block.rows <= 64 && block.cols >= 1 && block.cols <= 64,
                "blocks of 1 to 64");
        promise(parse_block(fmt::format("{}x{}", block.rows, block.cols)) == block,
                "a size in full is the same");
      });
    case 3:
      return accepted(failure::usage, [&] {
        const block_size tile = parse_tile(typed);
        require_options(tile_options{tile.rows, tile.cols});
        promise(tile.rows >= 256 && tile.cols <= 2048, "tiles of 256 to 2048");
      });
    case 4:
      return accepted(failure::usage, [&] {
        const block_size sides = parse_sides("--spy", typed, "24x80", 2, 4096);
        promise(std::min(sides.rows, sides.cols) >= 2 && std::max(sides.rows, sides.cols) <= 4096,
                "sides are within their range");
      });
    case 5:
      return accepted(failure::usage,
                      [&] { promise(name_of(container_named(typed)) == typed, "a name is kept"); });
    case 6:
      return accepted(failure::usage, [&] {
        for (const format_kind format : all_formats()) (void)can_hold(container_for(typed), format);
      });
    case 7:
      if (const auto format = format_named(typed)) {
        promise(name_of(*format) == typed, "a format keeps its name");
        return true;
      }
      return false;
    default:
      return accepted(failure::usage, [&] { require_meaning({typed}, all_formats(), "all formats"); });
  }
}

bool run_journal(std::string_view bytes) {
  const std::string folder = scratch_folder() + "/results";
  std::filesystem::create_directories(folder);
  const std::string file = folder + "/results.jsonl";
  write_file(file, bytes);
  const std::vector<json> before = results_in(folder);
  promise(read_file(file) == bytes, "looking changes nothing");
  told(before);
  const std::string whole_lines(bytes.substr(0, bytes.rfind('\n') + 1));
  const json added = made::failed_line("added by the test", "memory", "it was too large");
  const bool opened = accepted(failure::output, [&] {
    journal results(folder, "results.jsonl", false);
    promise(read_file(file) == whole_lines, "only what was torn is cut off");
    results.append(added);
    const known_result* const found = results.find(added["key"].get<std::string>());
    promise(found != nullptr, "what was added is known");
  });
  if (!opened) {
    promise(read_file(file) == bytes, "a file of somebody else's is left as it is");
    return false;
  }
  promise(read_file(file) == whole_lines + added.dump() + "\n", "a line was added and nothing else");
  const std::vector<json> after = results_in(folder);
  const auto has = [&](const json& line) {
    return std::find(after.begin(), after.end(), line) != after.end();
  };
  const bool there_before = std::any_of(before.begin(), before.end(), [&](const json& line) {
    return line["key"] == added["key"] || line["source"]["path"] == added["source"]["path"];
  });
  promise(there_before || (has(added) && std::all_of(before.begin(), before.end(), has)),
          "all results are there with the new one");
  return !before.empty();
}

bool run_result_line(std::string_view bytes) {
  const json line = json::parse(bytes, nullptr, false);
  if (line.is_discarded()) return false;
  std::string first;
  if (!accepted(failure::input, [&] { first = told({line}); })) return false;
  promise(first == told({json::parse(line.dump(-1, ' ', false, json::error_handler_t::replace))}),
          "a line that is written again tells the same");
  return true;
}

}  // namespace sparsmith::fuzz
