#include "tools/kernel_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyze/recommend/standing.hpp"
#include "analyze/report/text.hpp"
#include "convert/error.hpp"
#include "convert/nearest_names.hpp"

namespace sparsmith {
namespace {

struct products_of_kernel {
  std::vector<operation> computed, repeatable;

  explicit products_of_kernel(const kernel_info& kernel) {
    for (const operation op : all_operations) {
      if (!kernel.computes(op)) continue;
      computed.push_back(op);
      if (kernel.repeatable(op)) repeatable.push_back(op);
    }
  }
};

json names_of(const std::vector<operation>& operations) {
  json names = json::array();
  for (const operation op : operations) names.push_back(short_name(op));
  return names;
}

// Of products for themselves. Short, so that a terminal of 40 columns takes no more than two tables a format.
std::string in_a_word(std::vector<operation> operations) {
  std::erase_if(operations, [](operation op) { return !is_plain(op); });
  return operations.empty() ? "no" : operations.size() > 1 ? "both" : name_of(operations[0]);
}
// Of two in one pass, as --mix calls them.
std::string in_one_pass(const std::vector<operation>& operations) {
  std::string text;
  for (const operation op : operations)
    if (!is_plain(op)) text += (text.empty() ? "" : ", ") + std::string(short_name(op));
  return text.empty() ? "-" : text;
}

}  // namespace

std::vector<format_kind> formats_of_kernels(const std::string& option, const std::vector<std::string>& names,
                                            const std::vector<listed_kernel>& all,
                                            const std::string& backend) {
  std::vector<format_kind> formats;
  for (const std::string& name : names) {
    std::vector<std::string> known;
    std::string elsewhere;
    bool found = false;
    for (const listed_kernel& k : all) {
      known.emplace_back(k.info.name);
      if (k.info.name != name) continue;
      if (k.backend == backend) {
        found = true;
        formats.push_back(k.format);
      } else {
        elsewhere = k.backend;
      }
    }
    if (found) continue;
    if (!elsewhere.empty())
      throw error(failure::usage,
                  fmt::format("{} {}: runs on {}, not on {}", option, name, elsewhere, backend));
    throw error(failure::usage, fmt::format("{} {}: no such kernel{}; near it: {}", option, name,
                                            has_cuda ? "" : " in this build, which has none for CUDA",
                                            fmt::join(nearest_names(name, known), ", ")));
  }
  return formats;
}

std::vector<std::string> with_vendors_named(const std::string& option, std::vector<std::string> names,
                                            const std::vector<listed_kernel>& all,
                                            const std::string& backend) {
  const auto word = std::find(names.begin(), names.end(), "vendor");
  if (word == names.end()) return names;
  names.erase(word);
  const std::size_t others = names.size();
  for (const listed_kernel& k : all)
    if (k.backend == backend && k.info.vendor) names.emplace_back(k.info.name);
  if (names.size() == others)
    throw error(failure::usage,
                fmt::format("{} vendor: this build has none of a vendor's for {}", option, backend));
  return names;
}

json kernels_as_json(const std::vector<listed_kernel>& all) {
  json document{{"schema", "sparsmith.kernels/1"}, {"kernels", json::array()}};
  for (const listed_kernel& k : all) {
    const products_of_kernel products(k.info);
    document["kernels"].push_back({{"name", k.info.name},
                                   {"format", name_of(k.format)},
                                   {"backend", k.backend},
                                   {"operations", names_of(products.computed)},
                                   {"repeatable", names_of(products.repeatable)},
                                   {"vendor", k.info.vendor},
                                   {"history", k.info.history},
                                   {"source", k.info.source},
                                   {"description", k.info.description}});
  }
  return document;
}

std::string kernels_as_text(const std::vector<listed_kernel>& all, int width) {
  std::string text;
  for (const format_kind format : all_formats()) {
    std::vector<table_line> lines = {
        {fmt::format("{:<20}", name_of(format)), "backend", "products", "same bits", "one pass"}};
    std::vector<std::string> notes = {""};
    for (const listed_kernel& k : all) {
      if (k.format != format) continue;
      const products_of_kernel products(k.info);
      lines.push_back({k.info.name, k.backend, in_a_word(products.computed), in_a_word(products.repeatable),
                       in_one_pass(products.computed)});
      const char* const kind = k.info.vendor ? "[vendor] " : k.info.history ? "[history] " : "";
      notes.push_back(fmt::format("{}{} ({})", kind, k.info.description, k.info.source));
    }
    if (lines.size() > 1) text += (text.empty() ? "" : "\n") + text_table(lines, width, notes);
  }
  return text;
}

}  // namespace sparsmith
