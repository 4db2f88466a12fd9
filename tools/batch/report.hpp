// The report of a folder of results: results.csv, contestants.csv and report.html, from the lines alone.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "tools/batch/summary.hpp"

namespace sparsmith {

// Each file is written whole or not at all. What is no result in the folder is told to `problem`.
batch_summary write_report(const std::filesystem::path& folder,
                           const std::function<void(const std::string&)>& problem);

}  // namespace sparsmith
