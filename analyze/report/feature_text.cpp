#include "analyze/report/feature_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analyze/report/describe.hpp"
#include "analyze/report/highlights.hpp"
#include "analyze/report/text.hpp"

namespace sparsmith {
namespace {

std::string over_csr_text(const matrix_features& f, const format_cost* cost) {
  const std::optional<double> ratio = over_csr(f, cost);
  return ratio ? three_decimals(*ratio) : "-";
}

std::string fill_text(const format_cost* cost) {
  return cost == nullptr ? "-" : three_decimals(cost->fill);
}

// What solvers ask: "3 zeros and 2 gaps on the diagonal; 12 rows diagonally dominant, ..."
std::string solving_text(const matrix_features& f) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  if (const auto missing = f.diagonal_missing(); missing && f.has_values && f.of_values) {
    const value_features& v = *f.of_values;
    add(*missing == 0 && v.diagonal_zeros == 0
            ? std::string("no zero on the diagonal")
            : fmt::format("{} missing and {} stored as zero on the diagonal", with_commas(*missing),
                          with_commas(v.diagonal_zeros)));
    if (f.entries > 0)
      add(fmt::format("{} of {} rows diagonally dominant, {} strictly", with_commas(v.dominant_rows),
                      with_commas(f.rows), with_commas(v.strictly_dominant_rows)));
  } else if (missing) {
    add(fmt::format("{} missing on the diagonal", with_commas(*missing)));
  }
  if (f.structural_rank)
    add(fmt::format("structural rank {} of {}", with_commas(*f.structural_rank),
                    with_commas(std::min(f.rows, f.cols))));
  return text;
}

std::string summary(const matrix_features& f, const std::string& device, int width) {
  std::string all;
  const auto line = [&](const char* label, const std::string& text) {
    all += labelled_text(label, text, width);
  };
  line("matrix", fmt::format("{}: {} x {}, {}", f.name, with_commas(f.rows), with_commas(f.cols), f.field));
  line("entries",
       fmt::format("{} ({})", with_commas(f.entries), percent(f.density())) +
           (f.has_values
                ? fmt::format(": {} explicit zeros, {} NaN, {} infinite", with_commas(f.explicit_zeros),
                              with_commas(f.nans), with_commas(f.infinities)) +
                      (f.complex_values ? "; bytes are those of 128-bit complex values" : "")
                : fmt::format("; {}: pattern only, bytes are those of 64-bit real values", f.field)));
  if (f.has_values && f.of_values && f.entries > 0) {
    const value_features& v = *f.of_values;
    line(
        "values",
        fmt::format("{} to {} in absolute value; 1-norm {}, infinity norm {}, Frobenius norm {}, max norm {}",
                    size_text(v.smallest), size_text(v.largest), size_text(v.norm_1),
                    size_text(v.norm_infinity), size_text(v.norm_frobenius), size_text(v.norm_max)));
  }
  if (f.rows == f.cols && f.symmetry.off_diagonal > 0) {
    const auto share = [&](std::int64_t mirrored) {
      return percent(share_of(mirrored, f.symmetry.off_diagonal));
    };
    std::string text =
        fmt::format("{} of those off the diagonal have a mirror image", share(f.symmetry.pattern));
    if (f.has_values)
      text += fmt::format(", {} of the same value, {} of the negated one", share(f.symmetry.values),
                          share(f.symmetry.negated));
    if (f.complex_values) text += fmt::format(", {} of the conjugate", share(f.symmetry.conjugate));
    line("symmetry", text);
  }
  line("band",
       fmt::format("{} below the diagonal, {} above; profile {}", with_commas(f.lower_bandwidth),
                   with_commas(f.upper_bandwidth), with_commas(f.profile)) +
           (f.rcm_bandwidth ? fmt::format("; {} at most in the order rcm", with_commas(*f.rcm_bandwidth))
                            : ""));
  line("diagonal",
       fmt::format("{} entries on the main one; {} diagonals hold entries, {} of them in half of "
                   "the rows or more: {} of the entries",
                   with_commas(f.diagonal_entries), with_commas(f.diagonals), with_commas(f.full_diagonals),
                   percent(share_of(f.on_full_diagonals, f.entries))));
  if (const std::string text = solving_text(f); !text.empty()) line("solving", text);
  line("near",
       fmt::format("{} have their right neighbour stored, {} the one below",
                   percent(share_of(f.next_column, f.entries)), percent(share_of(f.row_below, f.entries))));
  line("reuse", fmt::format("{} lines of x (128 bytes) touched per entry, each row for itself",
                            three_decimals(share_of(f.x_lines, f.entries))));
  if (!device.empty()) line("device", device);
  return all;
}

std::string length_table(const matrix_features& f, int width) {
  std::vector<table_line> lines = {
      {"length", "least", "25 %", "median", "75 %", "most", "mean", "variation", "Gini", "empty"}};
  for (const auto& [name, l] : {std::pair("rows", &f.row_lengths), std::pair("columns", &f.col_lengths)})
    lines.push_back({name, with_commas(l->lengths.least), with_commas(l->lengths.lower_quartile),
                     with_commas(l->lengths.median), with_commas(l->lengths.upper_quartile),
                     with_commas(l->lengths.most), four_digits(l->mean), three_decimals(l->variation),
                     three_decimals(l->gini), with_commas(l->empty)});
  return "\n" + text_table(lines, width);
}

// By offset, column - row; the fill is of the rows.
std::string fullest_diagonals(const matrix_features& f, int width) {
  if (f.full_diagonals == 0) return "";
  std::vector<table_line> lines = {{"fullest diagonals"}, {"entries"}, {"fill"}};
  for (const diagonal_count& d : f.fullest_diagonals) {
    lines[0].push_back(with_commas(d.offset));
    lines[1].push_back(with_commas(d.entries));
    lines[2].push_back(three_decimals(share_of(d.entries, f.rows)));
  }
  return "\n" + text_table(lines, width);
}

std::string longest_rows(const matrix_features& f, int width) {
  if (f.longest_rows.empty()) return "";
  std::vector<table_line> lines = {{"longest rows"}, {"entries"}};
  for (const long_line& row : f.longest_rows) {
    lines[0].push_back(with_commas(row.line));
    lines[1].push_back(with_commas(row.length));
  }
  return "\n" + text_table(lines, width);
}

std::string histograms(const matrix_features& f, const text_options& options) {
  std::string all;
  const auto add = [&](const char* what, const std::vector<length_bin>& bins) {
    if (!bins.empty())
      all +=
          fmt::format("\n{}\n{}", what, print_histogram(bins, options.shown.width, options.shown.unicode()));
  };
  add("row lengths", log2_bins(f.row_lengths));
  if (options.row_histogram) add("row lengths, linear bins", linear_bins(f.row_lengths, options.bins));
  if (options.col_histograms) {
    add("column lengths", log2_bins(f.col_lengths));
    add("column lengths, linear bins", linear_bins(f.col_lengths, options.bins));
  }
  return all;
}

// Ten characters, each as high as the share of blocks that are up to 10 %, 20 %, ... full.
std::string density_bars(const block_features& block) {
  const std::array<const char*, 8> heights = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  std::string text;
  for (const std::int64_t count : block.density)
    text += count == 0
                ? "·"
                : heights[static_cast<std::size_t>(std::min<double>(7, share_of(count, block.blocks) * 8))];
  return text;
}

std::string block_table(const matrix_features& f, int width) {
  if (f.blocks.empty()) return "";
  std::vector<table_line> lines = {{"block", "with entries", "fill", "BSR x CSR", "0 - 100 % full"}};
  std::vector<std::string> notes = {""};
  const auto add = [&](const block_features& b) {
    lines.push_back({sides_of(b.size), with_commas(b.blocks), three_decimals(b.fill),
                     over_csr_text(f, bsr_of(f, b.size)), density_bars(b)});
    notes.emplace_back(f.best_block && b.size == f.best_block->size ? "fewest bytes of 66" : "");
  };
  // What --block auto would look for, wherever it stands between those that were asked for.
  bool best_shown =
      !f.best_block || std::any_of(f.blocks.begin(), f.blocks.end(),
                                   [&](const block_features& b) { return b.size == f.best_block->size; });
  for (const block_features& b : f.blocks) {
    if (!best_shown && b.size.area() > f.best_block->size.area()) {
      add(*f.best_block);
      best_shown = true;
    }
    add(b);
  }
  if (!best_shown) add(*f.best_block);
  return "\n" + text_table(lines, width, notes);
}

// What matters first, then as many pieces of the description as there is room for.
std::string note_of(const format_cost& cost, int room) {
  std::string note = !cost.allowed ? "too much fill" : !cost.exact ? "at least" : "";
  for (const std::string& piece : describe(cost)) {
    if (display_width(note) + 2 + display_width(piece) > room) break;
    note += (note.empty() ? "" : ", ") + piece;
  }
  return note;
}

// Formats that have one price; those in blocks are tables of their own.
std::string format_table(const matrix_features& f, int width) {
  std::vector<table_line> lines = {{"format", "bytes", "x CSR", "fill"}};
  std::vector<const format_cost*> shown;
  for (const format_cost& c : f.formats)
    if (c.beta() == 0 && c.format != format_kind::bsr && c.possible()) {
      shown.push_back(&c);
      lines.push_back({name_of(c.format), with_commas(c.bytes), over_csr_text(f, &c), fill_text(&c)});
    }
  if (shown.empty()) return "";
  std::vector<std::string> notes = {""};
  for (const format_cost* const c : shown) notes.push_back(note_of(*c, room_for_notes(lines, width)));
  return "\n" + text_table(lines, width, notes);
}

std::string beta_table(const matrix_features& f, int width) {
  std::vector<table_line> lines = {{"beta", "CSB x CSR", "eCSB x CSR", "fill", "GCSB x CSR", "fill"}};
  for (const std::int32_t beta : betas_of(f)) {
    const format_cost* const csb = blocked_of(f, format_kind::csb, beta);
    const format_cost* const ecsb = blocked_of(f, format_kind::ecsb, beta);
    const format_cost* const gcsb = blocked_of(f, format_kind::gcsb, beta);
    lines.push_back({std::to_string(beta), over_csr_text(f, csb), over_csr_text(f, ecsb), fill_text(ecsb),
                     over_csr_text(f, gcsb), fill_text(gcsb)});
  }
  return lines.size() == 1 ? "" : "\n" + text_table(lines, width);
}

// Without its folders, and no longer than a column of a table may be.
std::string short_name(const std::string& input, int width) {
  return shortened(printable(name_of_input(input)), std::min(28, width / 2 - 3));
}

}  // namespace

std::string size_text(double size) {
  if (std::isnan(size)) return "NaN";
  if (std::isinf(size)) return "infinite";
  return size < 1e9 ? four_digits(size) : fmt::format("{:.4g}", size);
}

std::vector<column<matrix_features>> compared_features() {
  using row = matrix_features;
  return {
      {"rows", [](const row& f) { return with_commas(f.rows); }},
      {"columns", [](const row& f) { return with_commas(f.cols); }},
      {"entries", [](const row& f) { return with_commas(f.entries); }},
      {"mean row", [](const row& f) { return four_digits(f.row_lengths.mean); }},
      {"longest", [](const row& f) { return with_commas(f.row_lengths.lengths.most); }},
      {"variation", [](const row& f) { return three_decimals(f.row_lengths.variation); }},
      {"Gini", [](const row& f) { return three_decimals(f.row_lengths.gini); }},
      {"symmetric",
       [](const row& f) {
         const std::optional<double> mirrored = mirrored_share(f, f.symmetry.pattern);
         return mirrored ? percent(*mirrored) : "-";
       }},
      {"bandwidth", [](const row& f) { return with_commas(std::max(f.lower_bandwidth, f.upper_bandwidth)); }},
      {"best block",
       [](const row& f) {
         const std::optional<block_features>& block = f.best_block;
         return !block ? "-" : fmt::format("{}, fill {}", sides_of(block->size), three_decimals(block->fill));
       }},
      {"fewest bytes",
       [](const row& f) {
         const format_cost* const best = smallest_format(f);
         return best == nullptr ? "-" : name_with_shape(*best);
       }},
      {"x CSR", [](const row& f) { return over_csr_text(f, smallest_format(f)); }}};
}

std::string features_as_text(const matrix_features& f, const text_options& options) {
  const auto [width, height, ink] = options.shown;
  std::string text = summary(f, options.device, width) + length_table(f, width) + longest_rows(f, width) +
                     fullest_diagonals(f, width) + histograms(f, options);
  if (f.entries > 0) text += "\n" + print_heat_map(f.grid, {f.rows, f.cols, width, height, ink});
  text += block_table(f, width);
  const std::string formats = format_table(f, width);
  return formats.empty() ? text : text + formats + beta_table(f, width);
}

std::string comparison_as_text(const std::vector<matrix_features>& matrices, int width) {
  const std::vector<column<matrix_features>> columns = compared_features();
  std::vector<table_line> lines = {headings_of(columns)};
  lines[0].insert(lines[0].begin(), "matrix");
  for (const matrix_features& f : matrices) {
    lines.push_back(cells_of(columns, f));
    lines.back().insert(lines.back().begin(), short_name(f.name, width));
  }
  return text_table(lines, width);
}

}  // namespace sparsmith
