#include "tools/batch/report.hpp"

#include <fmt/format.h>

#include "analyze/report/json_members.hpp"
#include "convert/error.hpp"
#include "tools/batch/batch_csv.hpp"
#include "tools/batch/batch_page.hpp"
#include "tools/batch/collection_index.hpp"
#include "tools/batch/journal.hpp"
#include "tools/tool.hpp"

namespace sparsmith {

void take_groups(std::vector<batch_row>& rows, const collection_index& index) {
  // What a line says, which may be anything.
  const auto size = [](double known) {
    return known >= 0 && known < 0x1p62 ? static_cast<std::int64_t>(known) : -1;
  };
  for (batch_row& row : rows) {
    // What is searched for below a folder of links is named by the link.
    const indexed_matrix* found = index.find(row.name, size(row.rows), size(row.cols));
    if (const indexed_matrix* const whole = index.find(row.source, size(row.rows), size(row.cols));
        whole != nullptr && (found == nullptr || whole->name == found->name))
      found = whole;
    row.group = found == nullptr ? not_in_index : found->group;
    row.kind = found == nullptr ? not_in_index : found->kind;
  }
}

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
  if (const std::string index = (folder / kept_index_name).string(); std::filesystem::exists(index)) {
    try {
      take_groups(rows, collection_index(read_index_file(index), index));
    } catch (const error& wrong) {
      problem(std::string(wrong.what()) + "; the report goes without groups");
    }
  }
  batch_summary summary = summarize(std::move(rows));
  write_whole_file((folder / "results.csv").string(), results_csv(summary));
  write_whole_file((folder / "contestants.csv").string(), contestants_csv(summary));
  const std::string machines = fmt::format("{}", fmt::join(summary.machines, "; "));
  write_whole_file((folder / "report.html").string(),
                   batch_page(summary, {SPARSMITH_VERSION, machines, utc_now()}));
  return summary;
}

}  // namespace sparsmith
