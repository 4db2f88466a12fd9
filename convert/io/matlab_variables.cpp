#include "convert/io/matlab_variables.hpp"

#include <algorithm>

#include "convert/io/bounds.hpp"

namespace sparsmith {

std::string printable_name(std::string name) {
  for (char& c : name)
    if (c < ' ' || c > '~') c = '?';
  return name;
}

void matlab_choice::listing::add(const std::string& one) {
  constexpr std::int64_t most = 10;
  if (++count_ <= most) first_.push_back(one);
}

void matlab_choice::listing::add(const listing& others) {
  for (const std::string& one : others.first_) add(one);
  count_ += others.count_ - static_cast<std::int64_t>(others.first_.size());
}

std::string matlab_choice::listing::text() const {
  const auto more = count_ - static_cast<std::int64_t>(first_.size());
  return fmt::format("{}{}", fmt::join(first_, ", "), more > 0 ? fmt::format(" and {} more", more) : "");
}

matlab_choice::rank matlab_choice::rank_of(const matlab_variable& variable) const {
  if (variable.kind == matlab_kind::other) return rank::by_name_only;
  if (!wanted_.empty()) return variable.name == wanted_ ? rank::chosen : rank::by_name_only;
  if (variable.name == "Problem.A") return rank::chosen;
  if (variable.kind == matlab_kind::sparse) return rank::sparse;
  const auto is = [&](std::int64_t wanted) { return [=](std::int64_t size) { return size == wanted; }; };
  const bool single = std::all_of(variable.sizes.begin(), variable.sizes.end(), is(1));
  const bool empty = std::any_of(variable.sizes.begin(), variable.sizes.end(), is(0));
  return single || empty ? rank::by_name_only : rank::full;
}

matlab_choice::answer matlab_choice::offer(const matlab_variable& variable) {
  ++offered_;
  const std::string sizes = fmt::format("{}", fmt::join(variable.sizes, " x "));
  const std::string told = fmt::format("{} ({}{}{})", printable_name(variable.name), variable.words,
                                       sizes.empty() ? "" : " ", sizes);
  (variable.kind == matlab_kind::other ? others_ : matrices_).add(told);
  const rank found = rank_of(variable);
  if (found == rank::by_name_only || found > best_) return answer::passed_over;
  if (found < best_) candidates_ = {};
  best_ = found;
  candidates_.add(told);
  return candidates_.count() == 1 ? answer::meant : answer::one_of_several;
}

void matlab_choice::require_one(const std::string& path) const {
  if (candidates_.count() == 1) return;
  if (candidates_.count() > 1)
    refuse_input(path, "holds several matrices, name one with --variable: " + candidates_.text());
  listing all = matrices_;
  all.add(others_);
  const std::string held = all.count() == 0 ? "no variables" : all.text();
  refuse_input(path, wanted_.empty()
                         ? fmt::format("holds no matrix, but {}", held)
                         : fmt::format("holds no matrix {}, but {}", printable_name(wanted_), held));
}

}  // namespace sparsmith
