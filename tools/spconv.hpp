// What the parts of spconv hand to one another: the request, settled from what was typed, and the outcome of
// running it, which is all that printing sees.
#pragma once

#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "analyze/structure/block_choice.hpp"
#include "analyze/structure/block_statistics.hpp"
#include "analyze/structure/prices.hpp"
#include "convert/convert.hpp"
#include "convert/io/edges.hpp"
#include "convert/io/write.hpp"
#include "convert/reordering.hpp"
#include "tools/tool.hpp"

namespace sparsmith::spconv {

// What --value names.
enum class value_choice { f32, f64, c64, c128 };

enum class report_form { none, text, json };

struct output_request {
  std::string path;  // "-" is standard output
  container kind = container::matrix_market;
};

struct request {
  std::string input;
  std::optional<format_kind> target;  // none: only the plan
  plan_request shapes;                // what the conversion takes, and what else is priced
  bool plan = false;
  bool choose_block = false;  // of BSR, from the matrix
  bool drop_zeros = false;
  edge_options edges;
  std::string variable;  // which matrix of a file of several
  std::optional<reordering> reorder;
  std::string order_path;  // where the order is written
  std::string undo_path;   // of an order that is taken back
  std::string ids_path;    // where ids that were numbered anew are written
  bool verify = false;
  std::optional<bool> wide_offsets;  // else the matrix decides
  std::optional<value_choice> values;
  std::optional<output_request> output;
  report_form report = report_form::text;
  device_choice device;
};

struct format_outcome {
  format_kind kind = format_kind::csr;
  format_summary size;
  std::int64_t entries = 0;  // that it stores: of half a matrix those of that half
  std::optional<block_statistics> blocks;
};

struct output_outcome {
  output_request where;
  std::int64_t bytes = 0;  // 0 where it is not a file
};

struct reordering_outcome {
  std::string what;                                  // "rcm", or the file of the order that was taken back
  std::int64_t bandwidth_before = 0, bandwidth = 0;  // the farthest entry from the diagonal
};

struct outcome {
  std::string input, origin, field, device;
  symmetry_kind symmetry = symmetry_kind::general;
  std::int64_t rows = 0, cols = 0, entries = 0, csr_bytes = 0;
  int offset_bits = 0, value_bits = 0;
  bool complex = false;  // of whose value_bits each part has half
  std::optional<reordering_outcome> reordered;
  assembly_report assembly;
  std::optional<block_choice> chosen_block;
  std::vector<format_cost> plan;
  std::optional<format_outcome> format;  // where something was converted
  bool verified = false;
  std::optional<output_outcome> output;
  stage_log stages, verify_stages;  // verifying is no part of what a conversion takes
  std::int64_t peak_host = 0, peak_device = 0;
};

void print_text(const outcome& result, std::FILE* out);
void print_json(const outcome& result, std::FILE* out);

}  // namespace sparsmith::spconv
