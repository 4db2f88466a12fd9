// The report of a folder of results: results.csv, contestants.csv and report.html, from the lines alone.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "tools/batch/collection_index.hpp"
#include "tools/batch/summary.hpp"

namespace sparsmith {

// Puts down of which group and kind every matrix is.
void take_groups(std::vector<batch_row>& rows, const collection_index& index);

// Groups are those of the index that lies in the folder, if one does. Each file is written whole or not at
// all. What is no result in the folder is told to `problem`.
batch_summary write_report(const std::filesystem::path& folder,
                           const std::function<void(const std::string&)>& problem);

}  // namespace sparsmith
