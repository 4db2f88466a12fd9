#include "convert/nearest_names.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace sparsmith {
namespace {

// Letters to be added, removed, replaced or exchanged with their neighbour to get from one to the other.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  // One row of the table for each prefix of `a`; an exchange looks back two rows.
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1), last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Who types part of a name, or more than there is of it, means that one; a letter or two begin too many.
bool one_begins_the_other(const std::string& a, const std::string& b) {
  const std::string& shorter = a.size() < b.size() ? a : b;
  const std::size_t dashes = std::min(shorter.find_first_not_of('-'), shorter.size());
  return shorter.size() - dashes >= 3 && (a.starts_with(b) || b.starts_with(a));
}

}  // namespace

std::vector<std::string> nearest_names(const std::string& name, const std::vector<std::string>& all,
                                       std::size_t count) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& other : all)
    near.emplace_back(other.find(name) != std::string::npos ? 0 : edit_distance(name, other), other);
  std::sort(near.begin(), near.end());
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(near.size(), count); ++i) names.push_back(near[i].second);
  return names;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& all) {
  std::vector<std::string> nearest;
  std::size_t least = std::max<std::size_t>(name.size() / 3, 1);
  for (const std::string& other : all) {
    const std::string typed = lower_case(name), known = lower_case(other);
    const std::size_t distance = one_begins_the_other(typed, known) ? 0 : edit_distance(typed, known);
    // A name of which nothing is left is not meant.
    if (distance > least || distance >= other.size()) continue;
    if (distance < least) nearest.clear();
    least = distance;
    if (std::find(nearest.begin(), nearest.end(), other) == nearest.end()) nearest.push_back(other);
  }
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(nearest.size(), 3); ++i)
    text += (i == 0 ? ", did you mean " : " or ") + nearest[i];
  return text.empty() ? "" : text + "?";
}

}  // namespace sparsmith
