// What all tools share beside the command line (command_line.hpp), in one include.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "analyze/report/text.hpp"
#include "convert/backend/backend.hpp"
#include "tools/common_options.hpp"
#include "tools/files.hpp"
#include "tools/option_values.hpp"
#include "tools/terminal.hpp"

namespace sparsmith {

using json = nlohmann::ordered_json;

}  // namespace sparsmith
