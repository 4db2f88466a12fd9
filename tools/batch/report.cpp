#include "tools/batch/report.hpp"

#include <fmt/format.h>

#include "analyze/report/json_members.hpp"
#include "convert/error.hpp"
#include "tools/batch/batch_csv.hpp"
#include "tools/batch/batch_page.hpp"
#include "tools/batch/journal.hpp"
#include "tools/tool.hpp"

namespace sparsmith {

batch_summary write_report(const std::filesystem::path& folder,
                           const std::function<void(const std::string&)>& problem) {
  std::vector<batch_row> rows;
  const auto add = [&](const json& line) {
    rows.push_back(row_of(line));
    if (const batch_row& row = rows.back(); !row.unreadable.empty())
      problem(fmt::format("{}: its recommendation is passed over: {}", row.name, row.unreadable));
  };
  read_results(folder, add, problem);
  if (rows.empty()) throw error(failure::input, folder.string() + ": there are no results");
  batch_summary summary = summarize(std::move(rows));
  write_whole_file((folder / "results.csv").string(), results_csv(summary));
  write_whole_file((folder / "contestants.csv").string(), contestants_csv(summary));
  const std::string machines = fmt::format("{}", fmt::join(summary.machines, "; "));
  write_whole_file((folder / "report.html").string(),
                   batch_page(summary, {SPARSMITH_VERSION, machines, utc_now()}));
  return summary;
}

}  // namespace sparsmith
