// What somebody who misspelt a name probably meant.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace sparsmith {

// The names most like one that does not exist: those that contain it, then those fewest typing errors away.
std::vector<std::string> nearest_names(const std::string& name, const std::vector<std::string>& all,
                                       std::size_t count = 5);

// The end of a message about a name that does not exist: ", did you mean uniform?", or nothing where no name
// is so near that it could be meant. Upper and lower case count as the same.
std::string did_you_mean(const std::string& name, const std::vector<std::string>& all);

}  // namespace sparsmith
