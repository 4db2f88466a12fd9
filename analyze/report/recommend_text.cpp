#include "analyze/report/recommend_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include "analyze/recommend/standing.hpp"
#include "analyze/report/columns.hpp"
#include "analyze/report/recommend_actions.hpp"
#include "analyze/report/text.hpp"
#include "convert/io/generators.hpp"

namespace sparsmith {
namespace {

// ---- words and lines ----

bool has_control_characters(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
}

std::string capitalized(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

// ---- figures ----

std::string micro_or_dash(double seconds) {
  return seconds > 0 ? microseconds(seconds) : "-";
}

double ratio_of(double a, double b) {
  return b > 0 ? a / b : 0;
}

std::string repaid_in_words(double products, const char* unit) {
  const std::string text = products_text(products);
  return products > 0 && std::isfinite(products) ? fmt::format("after {} {}s", text, unit) : text;
}
std::string repaid_in_a_cell(std::optional<double> products) {
  return products ? products_text(*products) : "-";
}

// ---- ways in words ----

std::string kernels_of_way(const way& w, const objective& wanted) {
  const contestant_result* const ax = w.contestant(operation::multiply);
  const contestant_result* const atx = w.contestant(operation::transposed);
  for (const operation op : {operation::both, operation::normal})
    if (const contestant_result* const k = w.contestant(op); k != nullptr)
      return fmt::format("{} in one pass", k->info.name);
  if (ax == nullptr && atx == nullptr) return "nothing";
  if (ax == nullptr || atx == nullptr) return (ax == nullptr ? atx : ax)->info.name;
  const char* const products = wanted.one_pass ? " in two products" : "";
  if (std::string_view(ax->info.name) == atx->info.name) return ax->info.name + std::string(products);
  return fmt::format("{} for A x and {} for A^T x{}", ax->info.name, atx->info.name, products);
}

std::string formats_of_way(const way& w) {
  std::string text;
  for (const variant_result* f : w.stored) text += (text.empty() ? "" : " and ") + f->label();
  return text;
}

// ---- the parts of the text ----

struct told {
  const recommendation& r;
  const verdict& v;
  int width;
  bool all;  // and not what most people need alone

  bool predicted() const { return r.found.predicted; }
  std::string line(const char* label, const std::string& text) const {
    return labelled_text(label, text, width);
  }
  // "a product takes", "A x and A^T w take".
  std::string takes() const {
    if (!v.wanted.one_pass) return predicted() ? "a product should take" : "a product takes";
    const char* const verb = predicted()                            ? "should take"
                             : v.wanted.one_pass == operation::both ? "take"
                                                                    : "takes";
    return fmt::format("{} {}", name_of(*v.wanted.one_pass), verb);
  }
  std::string in_words(const way& w) const {  // "bsr 5 x 5 with bsr/stream"
    return formats_of_way(w) + " with " + kernels_of_way(w, v.wanted);
  }
};

std::string matrix_line(const told& t) {
  const matrix_result& m = t.r.found;
  std::string text = fmt::format("{}: {} x {}, {} entries, {}-bit {}values", t.r.name, with_commas(m.rows),
                                 with_commas(m.cols), with_commas(m.entries), m.value_bits,
                                 m.complex_values ? "complex " : "");
  const length_features& rows = t.r.features.row_lengths;
  if (rows.lines > 0)
    text += fmt::format("; rows of {} entries, the longest {}, variation {}", four_digits(rows.mean),
                        with_commas(rows.lengths.most), three_decimals(rows.variation));
  return t.line("matrix", text);
}

std::string order_line(const told& t) {
  if (t.r.order.empty()) return "";
  return t.line("order", fmt::format("{}, which took {} to find and to apply; CSR below is in that order too",
                                     t.r.order, time_text(t.r.order_seconds)));
}

std::string machine_line(const told& t) {
  const machine_description& machine = t.r.machine;
  std::string text = machine.device;
  if (machine.backend != cuda::name)
    text = fmt::format("no GPU is used, the OpenMP kernels are ranked: {}, {} threads", machine.device,
                       machine.threads);
  if (!machine.code.empty()) text += fmt::format("; code for {}", machine.code);
  if (!machine.vendor.empty()) text += "; " + machine.vendor;
  if (t.r.rates.copy_bytes > 0) text += fmt::format("; a copy moves {} GB/s", giga(t.r.rates.copy_bytes));
  return t.line("machine", text);
}

std::string asked_line(const told& t) {
  const objective& wanted = t.v.wanted;
  std::string text = "A x";
  if (wanted.one_pass) {
    text = fmt::format("{}, together one application: in one pass or as two products",
                       name_of(*wanted.one_pass));
  } else if (t.v.wanted.asks_for_both()) {
    const double ax = wanted.weight(operation::multiply);
    text = ax == 0.5 ? "A x and A^T x in equal parts"
                     : fmt::format("{} A x, {} A^T x", percent(ax), percent(1 - ax));
  } else if (wanted.asks_for(operation::transposed)) {
    text = "A^T x";
  }
  if (wanted.vectors.count > 1)
    text += fmt::format("; with {} vectors at once, {}", wanted.vectors.count, wanted.vectors.in_words());
  if (t.r.found.symmetric && wanted.one_pass)
    text += "; A equals A^T, so that the two products are both with A";
  else if (t.r.found.symmetric && wanted.asks_for(operation::transposed))
    text += "; A equals A^T, so that A^T x is A x, which alone is run";
  if (t.r.found.complex_values && !wanted.one_pass && wanted.asks_for(operation::transposed))
    text += "; A^H x takes as long as A^T x, whose kernel makes it from the conjugate of x";
  text += fmt::format("; runs with {} caches decide", regime_name(wanted.warm));
  if (wanted.products > 0)
    text += fmt::format("; converting is spread over {} {}s", whole_number(wanted.products), wanted.unit());
  if (wanted.repeatable) text += "; only what gives the same bits every time";
  if (wanted.memory > 0) text += fmt::format("; at most {}", format_bytes(wanted.memory));
  if (wanted.prefer_bytes) text += "; of what is tied the fewest bytes";
  return t.line("asked", text);
}

std::string so_far(const told& t) {
  const std::string unsettled = t.v.unsettled ? "unsettled, " : "";
  if (t.r.found.interrupted) return unsettled + "so far, interrupted: ";
  if (t.r.found.out_of_time) return unsettled + "so far, out of time: ";
  if (t.predicted()) return unsettled + "predicted, nothing was run: ";
  return t.v.unsettled ? "unsettled: " : "";
}

// The two products of a way, where it has two; with a space before.
std::string products_in_words(const told& t, const way& w) {
  if (!t.v.wanted.asks_for_both() || t.r.found.symmetric || w.in_one_pass()) return "";
  const auto of = [&](operation op) {
    return time_text(deciding_seconds(t.r.found, *w.contestant(op), t.v.wanted.warm));
  };
  return fmt::format(" (A x {}, A^T x {})", of(operation::multiply), of(operation::transposed));
}

std::string time_of_winner(const told& t) {
  std::string text = time_text(t.v.winner.seconds);
  if (t.v.wanted.products > 0) text += " with its share of converting";
  return text + products_in_words(t, t.v.winner);
}

// What there is beside the winner.
std::string margin_in_words(const told& t) {
  const verdict& v = t.v;
  if (!v.runner_up)
    return tied_formats(v).empty() ? "; there is no other" : "; no format that was run is told apart from it";
  const margin_of& m = v.margin;
  std::string text = fmt::format(", {} x", ratio_text(m.ratio));
  if (!t.predicted() && m.low > 0 && m.high > m.low)
    text += fmt::format(" ({} - {})", ratio_text(m.low), ratio_text(m.high));
  return text + fmt::format(" as fast as the next format{}, {}",
                            v.ties.empty() ? "" : " that is not tied with it", t.in_words(v.runner_up));
}

// Why the winner was taken where something tied with it has a smaller median: the first of the rules of
// verdict_of in which the two differ.
std::string taken_for(const verdict& v) {
  const bool stays = v.winner.stays_in_csr(), smaller = v.winner.all_bytes() < v.fastest.all_bytes();
  if (!(v.wanted.prefer_bytes && smaller)) {
    if (stays && !v.fastest.stays_in_csr()) return "nothing has to be converted for it";
    if (v.winner.price < v.fastest.price && v.stay && !stays)
      return fmt::format("converting is repaid sooner: it takes {} instead of {}", time_text(v.winner.price),
                         time_text(v.fastest.price));
  }
  if (!smaller) return "its simpler format";
  return fmt::format("its fewer bytes, {} instead of {}", format_bytes(v.winner.all_bytes()),
                     format_bytes(v.fastest.all_bytes()));
}

std::string model_line(const told& t) {
  const model_record& m = t.r.model;
  if (m.share <= 0)
    return t.line("model", fmt::format("it has no record for {}: nobody knows how often it is right",
                                       t.r.found.complex_values ? "complex values" : "this backend"));
  std::string said = fmt::format(
      "its choice reached {} of the best's speed on matrices it was not fitted to ({} where it knew none of "
      "their family), measured on {}",
      rounded_percent(m.share), rounded_percent(m.strangers), m.machine);
  if (m.near > 0)
    said += fmt::format("; on the {} most like this one {} in the median, {} at worst", m.near,
                        rounded_percent(m.near_median), rounded_percent(m.near_worst));
  if (!m.sure())
    said += ". It is not sure here: --predict --top 3 races the three that it puts first and CSR";
  return t.line("model", said);
}

// Where two products come together: whether one pass over A pays.
std::string other_kind_line(const told& t) {
  const verdict& v = t.v;
  if (!v.wanted.one_pass) return "";
  const bool one_pass_won = v.winner.in_one_pass();
  if (!v.other_kind)
    return t.line("", one_pass_won ? "Of two products nothing ran that could be taken."
                                   : fmt::format("{} kernel that computes {} in one pass{}.",
                                                 t.predicted() ? "The model knows no" : "No",
                                                 name_of(*v.wanted.one_pass), t.predicted() ? "" : " ran"));
  const bool tied = std::find(v.ties.begin(), v.ties.end(), v.other_kind) != v.ties.end();
  const std::string how = one_pass_won ? "Two products" : "One pass";
  const std::string figures =
      fmt::format("{} {} {}{}, {} x as long", t.in_words(v.other_kind), one_pass_won ? "take" : "takes",
                  time_text(v.other_kind.seconds), products_in_words(t, v.other_kind),
                  ratio_text(v.other_kind.seconds / v.winner.seconds));
  return t.line("", tied ? fmt::format("{} cannot be told apart from that: {}.", how, figures)
                         : fmt::format("{} {} slower: {}.", how, one_pass_won ? "are" : "is", figures));
}

std::string verdict_lines(const told& t) {
  const verdict& v = t.v;
  if (!v.winner)
    return t.line("verdict", capitalized(so_far(t)) +
                                 (t.predicted() ? "the model has no figures for anything that could be taken"
                                                : "nothing ran that could be taken") +
                                 ", so there is no verdict; the reasons are below.");
  const std::string what = v.winner.stays_in_csr() ? "stay in CSR, with " + kernels_of_way(v.winner, v.wanted)
                                                   : "take " + t.in_words(v.winner);
  std::string said;
  if (v.any_of_these)
    said = fmt::format("any of these; {}: {} {}, and no format that was run is told apart from it", what,
                       t.takes(), time_of_winner(t));
  else
    said = fmt::format("{}: {} {}{}", what, t.takes(), time_of_winner(t), margin_in_words(t));
  std::string all = t.line("verdict", capitalized(so_far(t) + said + "."));
  if (v.unsettled)
    all += t.line("", fmt::format("The machine was busy: {}; run again.", fmt::join(t.r.found.noisy, "; ")));
  all += other_kind_line(t);
  if (t.predicted()) all += model_line(t);
  if (const std::vector<way> others = tied_formats(v); !others.empty()) {
    const std::size_t named = t.all ? others.size() : 4;
    std::string text = "tied with:";
    for (std::size_t i = 0; i < std::min(named, others.size()); ++i)
      text += fmt::format(" {}: {},", others[i].names(), time_text(others[i].seconds));
    text.back() = ' ';
    if (others.size() > named) text += fmt::format("and {} more ", others.size() - named);
    text += fmt::format("(within {:.0f} %{})", 100 * tie_share,
                        t.predicted() ? "" : " of the fastest, or not told apart from that");
    all += t.line("", text);
  }
  const bool other_than_fastest =
      v.winner.stored != v.fastest.stored || v.winner.in_one_pass() != v.fastest.in_one_pass();
  if (other_than_fastest && !v.any_of_these)
    all += t.line("", fmt::format("{} at {}, and {} was taken: {}",
                                  v.fastest.names() + (t.predicted() ? " should be ahead" : " is ahead"),
                                  time_text(v.fastest.seconds), v.winner.names(), taken_for(v)));
  return all;
}

std::string why_lines(const told& t) {
  std::string all;
  for (const std::string& reason : t.v.reasons) all += t.line(all.empty() ? "why" : "", reason);
  return all;
}

std::string repaid_line(const told& t) {
  const verdict& v = t.v;
  if (v.winner.stays_in_csr()) return t.line("repaid", "at once: there is nothing to convert");
  std::string text =
      "converting and preparing take " + time_text(v.winner.price) + (t.predicted() ? " by the model" : "");
  if (!v.stay) return t.line("repaid", text + "; CSR was not timed, and nothing says what that saves");
  text += ", which is repaid";
  if (!v.wanted.asks_for_both() || t.r.found.symmetric || v.wanted.products > 0 || v.wanted.one_pass)
    return t.line("repaid", fmt::format("{} {}, beside staying in CSR", text,
                                        repaid_in_words(v.repaid_after, v.wanted.unit())));
  const char* const unit = v.wanted.unit();
  std::vector<std::string> pieces = {repaid_in_words(v.repaid_after, unit) + " of the mix"};
  for (const operation op : plain_operations)
    pieces.push_back(fmt::format("{} of {} alone",
                                 repaid_in_words(v.repaid_after_alone[static_cast<std::size_t>(op)], unit),
                                 name_of(op)));
  return t.line("repaid", text + fmt::format(" {}, beside staying in CSR", fmt::join(pieces, ", ")));
}

std::string beside_winner(const told& t, const way& other) {
  const way& winner = t.v.winner;
  return fmt::format(
      "{}, {} x as fast as the winner, with {} x its bytes", time_text(other.seconds),
      ratio_text(ratio_of(winner.seconds, other.seconds)),
      ratio_text(ratio_of(static_cast<double>(other.all_bytes()), static_cast<double>(winner.all_bytes()))));
}

// A and A^T, each in the format of ours that is best for its product.
std::string two_copies_in_words(const told& t) {
  const way& two = t.v.two_copies;
  if (!two) return "";
  if (two.stored.size() == 1) return "two copies of ours: one serves both products best";
  return fmt::format("two copies of ours: {}, {}", t.in_words(two), beside_winner(t, two));
}

// What a person may act on: more memory for speed, where it brings some.
std::string two_copies_line(const told& t) {
  const way& two = t.v.two_copies;
  if (!two || two.stored.size() == 1 || (1 + tie_share) * two.seconds > t.v.winner.seconds) return "";
  return t.line("or", two_copies_in_words(t));
}

// Only what can be told apart from the winner is worth a line.
std::string other_lines(const told& t) {
  const verdict& v = t.v;
  std::string all;
  const auto add = [&](const std::string& text) { all += t.line(all.empty() ? "or" : "", text); };
  for (const operation op : plain_operations) {
    const way& alone = v.alone[static_cast<std::size_t>(op)];
    if (!alone || !v.wanted.asks_for_both() || v.wanted.one_pass || t.r.found.symmetric ||
        same_for(alone, v.winner, op))
      continue;
    const double winner = deciding_seconds(t.r.found, *v.winner.contestant(op), v.wanted.warm);
    if (winner > (1 + tie_share) * alone.seconds)
      add(fmt::format("where only {} matters: {}, {} where the winner's takes {}", name_of(op),
                      t.in_words(alone), time_text(alone.seconds), time_text(winner)));
  }
  if (v.smallest && v.smallest.all_bytes() < v.winner.all_bytes() && v.smallest.stored != v.winner.stored)
    add(fmt::format("where memory is short: {}, {}: {}", t.in_words(v.smallest),
                    format_bytes(v.smallest.all_bytes()), beside_winner(t, v.smallest)));
  if (const std::string two = two_copies_in_words(t); !two.empty()) add(two);
  const auto add_vendor = [&](const char* what, const way& w) {
    if (!w) return;
    if (w == v.winner)
      add(fmt::format("the vendor's {}: the winner itself", what));
    else
      add(fmt::format("the vendor's {}: {}, {}", what, t.in_words(w), beside_winner(t, w)));
  };
  add_vendor("best format, one copy", v.vendor.one_copy);
  if (!(v.vendor.csr == v.vendor.one_copy)) add_vendor("CSR, one copy", v.vendor.csr);
  if (v.vendor.two_copies && v.vendor.two_copies.stored.size() == 1)
    add("the vendor's best formats, two copies: one serves both products best");
  else
    add_vendor("best formats, two copies", v.vendor.two_copies);
  if (!v.other_regime || v.other_regime == v.winner) return all;
  double there = v.wanted.products > 0 ? v.winner.price / v.wanted.products : 0;
  for (const operation op : all_operations)
    if (const contestant_result* const k = v.winner.contestant(op); k != nullptr)
      there += v.wanted.weight(op) * deciding_seconds(t.r.found, *k, !v.wanted.warm);
  if (there > (1 + tie_share) * v.other_regime.seconds)
    add(fmt::format("where {} caches decide: {}, {} where the winner's takes {}", regime_name(!v.wanted.warm),
                    t.in_words(v.other_regime), time_text(v.other_regime.seconds), time_text(there)));
  return all;
}

std::string bits_line(const told& t) {
  if (t.v.winner.repeatable())
    return t.line("bits", "the winner gives the same bits every time, on this machine with as many threads");
  std::vector<std::string> loose;
  for (const operation op : all_operations)
    if (const contestant_result* k = t.v.winner.contestant(op); k != nullptr && !k->info.repeatable(k->op))
      loose.emplace_back(name_of(op));
  return t.line("bits",
                fmt::format("the last bits of {} may differ from run to run", fmt::join(loose, " and ")));
}

std::string took_line(const told& t) {
  if (t.r.seconds <= 0) return "";
  std::string text = time_text(t.r.seconds);
  if (t.r.budget_seconds > 0) text += fmt::format(" of {} s", four_digits(t.r.budget_seconds));
  std::vector<std::string> steps;
  for (const step_time& step : t.r.steps)
    if (step.seconds >= 0.001) steps.push_back(fmt::format("{} {}", step.name, time_text(step.seconds)));
  if (t.all && !steps.empty()) text += fmt::format(": {}", fmt::join(steps, ", "));
  return t.line("took", text);
}

// ---- what to do ----

std::string indented(const std::string& lines, std::string_view by) {
  std::string all;
  bool fresh = true;
  for (const char c : lines) {
    if (fresh && c != '\n') all += by;
    all += c;
    fresh = c == '\n';
  }
  return all;
}

// What is there needs no command, and lines of code stay whole however narrow the terminal is.
std::string what_to_do(const told& t) {
  const std::vector<std::string> words = spconv_arguments(t.r, t.v.winner);
  std::string all;
  if (!words.empty()) {
    all = "\n" + wrapped("", "The command that makes the file:", 0, t.width);
    all += has_control_characters(t.r.name)
               ? wrapped("  ", "its name has control characters; the JSON has the command", 2, t.width)
               : broken_command(words, t.width);
  }
  const std::string code = code_lines(t.r, t.v.winner);
  if (code.empty()) return all;
  return all + "\n" + wrapped("", "The lines of C++ that run it:", 0, t.width) + indented(code, "  ");
}

// ---- who took part ----

std::string kernel_label(const listed_contestant& one) {
  const variant_result& f = *one.variant;
  return printable(std::string(one.contestant->info.name) + (f.note.empty() ? "" : " " + f.note) +
                   (f.of_transpose ? " of A^T" : ""));
}

// A line of a table of contestants, and what its cells are made of.
struct shown_contestant {
  const told& t;
  const listed_contestant& one;

  const matrix_result& found() const { return t.r.found; }
  const variant_result& variant() const { return *one.variant; }
  const contestant_result& contestant() const { return *one.contestant; }
  const contestant_result* winner() const {  // of the same operation; null where there is none
    return t.v.winner ? t.v.winner.run_for(contestant().op) : nullptr;
  }
  double seconds(bool warm) const { return deciding_seconds(found(), contestant(), warm); }
  const timing& time(bool warm) const { return warm ? contestant().time.warm : contestant().time.cold; }
  double rate(bool warm) const {
    return per_second(found().actual_bytes(variant(), contestant()), time(warm).median);
  }
};

// Of those that ran, or else of those that are predicted.
std::vector<column<shown_contestant>> contestant_columns(bool predicted, bool warm) {
  using row = shown_contestant;
  std::vector<column<row>> all;
  if (predicted) {
    all = {
        {"predicted us", [=](const row& c) { return micro_or_dash(c.seconds(warm)); }},
        {"x winner's time",
         [=](const row& c) {
           if (c.winner() == nullptr || c.seconds(warm) == 0) return std::string("-");
           return ratio_text(ratio_of(c.seconds(warm), deciding_seconds(c.found(), *c.winner(), warm)));
         }},
        {fmt::format("predicted {} us", regime_name(!warm)),
         [=](const row& c) { return micro_or_dash(c.seconds(!warm)); }},
    };
  } else {
    all = {
        {std::string(regime_name(warm)) + " us",
         [=](const row& c) { return microseconds(c.time(warm).median); }},
        {"p10 - p90",
         [=](const row& c) {
           return fmt::format("{} - {}", microseconds(c.time(warm).p10), microseconds(c.time(warm).p90));
         }},
        {"x winner's time",
         [=](const row& c) {
           if (c.winner() == nullptr) return std::string("-");
           return ratio_text(ratio_of(c.time(warm).median, c.winner()->time.deciding(warm).median));
         }},
        {"GB/s", [=](const row& c) { return giga(c.rate(warm)); }},
        {"of copy",
         [=](const row& c) {
           const double copy = c.t.r.rates.copy_bytes;
           return copy > 0 ? rounded_percent(c.rate(warm) / copy) : "-";
         }},
        {"error", [](const row& c) { return rounded_percent(c.contestant().error); }},
        {std::string(regime_name(!warm)) + " us",
         [=](const row& c) { return c.time(!warm).samples > 0 ? microseconds(c.time(!warm).median) : "-"; }},
    };
  }
  all.push_back({"convert ms", [](const row& c) {
                   const bool stays = c.variant().format == format_kind::csr && !c.variant().of_transpose;
                   const double seconds = conversion_seconds(c.found(), c.variant());
                   return stays || (c.found().predicted && seconds <= 0) ? "-" : milliseconds(seconds);
                 }});
  all.push_back(
      {"bytes", [](const row& c) { return c.variant().bytes > 0 ? format_bytes(c.variant().bytes) : "-"; }});
  all.push_back({"beside it", [](const row& c) {
                   const std::int64_t kept = c.contestant().prepared_bytes;
                   return kept > 0 ? format_bytes(kept) : "-";
                 }});
  all.push_back({"x CSR", [](const row& c) {
                   const std::int64_t bytes = c.variant().bytes;
                   return bytes > 0 ? ratio_text(times_csr(c.found(), bytes)) : "-";
                 }});
  all.push_back(
      {"repaid", [](const row& c) { return repaid_in_a_cell(repaid_after_alone(c.t.r, c.t.v, c.one)); }});
  return all;
}

// Whether it is in a table: who stayed to the end or is predicted, and who left but is in the verdict.
bool is_ranked(const told& t, const listed_contestant& one) {
  const verdict& v = t.v;
  return one.how == standing::ok || one.how == standing::predicted ||
         (one.how == standing::left && one.contestant->timed() &&
          (runs(v.winner, one) || is_tied(v, one) || runs(v.runner_up, one) || runs(v.stay, one)));
}

// Those of one operation, the fastest first.
std::vector<listed_contestant> ranked(const told& t, const std::vector<listed_contestant>& all,
                                      operation op) {
  std::vector<listed_contestant> some;
  for (const listed_contestant& one : all)
    if (is_ranked(t, one) && one.contestant->op == op) some.push_back(one);
  const auto seconds = [&](const listed_contestant& one) {
    return deciding_seconds(t.r.found, *one.contestant, t.v.wanted.warm);
  };
  std::stable_sort(some.begin(), some.end(), [&](const listed_contestant& a, const listed_contestant& b) {
    return seconds(a) < seconds(b);
  });
  return some;
}

// What most people need of them.
std::vector<column<shown_contestant>> short_columns(bool warm) {
  using row = shown_contestant;
  return {
      {std::string(regime_name(warm)) + " us", [=](const row& c) { return micro_or_dash(c.seconds(warm)); }},
      {"speed",
       [=](const row& c) {
         const contestant_result* const stay = staying_for(c.t.r, c.t.v, c.contestant().op);
         if (stay == nullptr || c.seconds(warm) == 0) return std::string("-");
         return ratio_text(ratio_of(deciding_seconds(c.found(), *stay, warm), c.seconds(warm)));
       }},
      {"bytes", [](const row& c) { return c.variant().bytes > 0 ? format_bytes(c.variant().bytes) : "-"; }},
      {"repaid", [](const row& c) { return repaid_in_a_cell(repaid_after_alone(c.t.r, c.t.v, c.one)); }},
  };
}

// The first five, and after them the winner and CSR where they are not among them.
std::vector<listed_contestant> best_of(const told& t, std::vector<listed_contestant> rows) {
  constexpr std::size_t shown = 5;
  std::size_t place = 0;
  std::erase_if(rows, [&](const listed_contestant& one) {
    return place++ >= shown && !runs(t.v.winner, one) && !runs(t.v.stay, one);
  });
  return rows;
}

std::string table_of(const told& t, const std::vector<listed_contestant>& all, operation op) {
  std::vector<listed_contestant> rows = ranked(t, all, op);
  if (!t.all) rows = best_of(t, std::move(rows));
  if (rows.empty()) return "";
  const auto columns =
      t.all ? contestant_columns(t.predicted(), t.v.wanted.warm) : short_columns(t.v.wanted.warm);
  std::vector<table_line> lines = {headings_of(columns)};
  lines[0].insert(lines[0].begin(), std::string("  ") + name_of(op));
  for (const listed_contestant& one : rows) {
    const char* const mark = runs(t.v.winner, one) ? "* " : is_tied(t.v, one) ? "= " : "  ";
    lines.push_back(cells_of(columns, {t, one}));
    lines.back().insert(lines.back().begin(), mark + kernel_label(one));
  }
  int first = 0;
  for (const table_line& line : lines) first = std::max(first, display_width(line[0]));
  std::string text = "\n";
  // Names that leave little room for columns get numbers.
  if (2 * first > t.width)
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const std::string number = fmt::format("{}{}", lines[i][0].substr(0, 2), i);
      text += wrapped(number + ": ", lines[i][0].substr(2), display_width(number) + 2, t.width);
      lines[i][0] = number;
    }
  return text + text_table(lines, t.width);
}

// Who did not stay to the end, with the reason: what is wrong first. Those that did not run for the same
// reason stand together.
std::string absent_lines(const told& t, const std::vector<listed_contestant>& all) {
  std::string text;
  const auto add = [&](const std::string& line) { text += wrapped("", line, 2, t.width); };
  const auto named = [](const listed_contestant& one) {
    return one.contestant == nullptr ? one.variant->label()
                                     : kernel_label(one) + " " + name_of(one.contestant->op);
  };
  for (const listed_contestant& one : all)
    if (one.how == standing::wrong) add(fmt::format("{}: WRONG RESULT: {}", named(one), one.reason));
  for (const listed_contestant& one : all) {
    if (one.how != standing::left) continue;
    const double seconds = deciding_seconds(t.r.found, *one.contestant, t.v.wanted.warm);
    add(fmt::format("{}{}: left {}", named(one), seconds > 0 ? ", " + time_text(seconds) : "", one.reason));
  }
  std::vector<std::pair<std::string, std::string>> groups;  // by what is said: who
  for (const listed_contestant& one : all) {
    if (one.how != standing::not_run && one.how != standing::refused && one.how != standing::not_tried)
      continue;
    const std::string said =
        one.how == standing::not_tried ? one.reason : fmt::format("{}: {}", name_of(one.how), one.reason);
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const auto& group) { return group.first == said; });
    if (same == groups.end())
      groups.emplace_back(said, named(one));
    else
      same->second += ", " + named(one);
  }
  for (const auto& [said, who] : groups) add(who + ": " + said);
  return text.empty() ? "" : "\n" + text;
}

std::string legend(const told& t) {
  std::string text = t.predicted() ? "Everything below is predicted. * winner, = tied" : "* winner, = tied";
  if (t.all && !t.predicted())
    text +=
        "; of copy: of the bandwidth of a copy; error: of what rounding may do; beside it: what the kernel "
        "keeps";
  if (t.v.wanted.one_pass) text += fmt::format("; {}: in one pass", name_of(*t.v.wanted.one_pass));
  return text + (t.all ? "" : "; speed: as a multiple of CSR's") +
         (t.v.wanted.one_pass ? "; repaid: as often as that has to run, beside staying in CSR"
                              : "; repaid: products of that kind beside staying in CSR");
}

std::string tables(const told& t, const std::vector<listed_contestant>& all) {
  std::string text;
  for (const operation op : all_operations) text += table_of(t, all, op);
  return text.empty() ? "" : "\n" + wrapped("", legend(t), 0, t.width) + text;
}

// A wrong result is told however short the text is.
std::string wrong_lines(const told& t) {
  std::string text;
  for (const std::string& line : wrong_results(t.r.found)) text += wrapped("", line, 2, t.width);
  return text.empty() ? "" : "\n" + text;
}

// Without its folders.
std::string short_name(const std::string& input) {
  return printable(is_generator(input) ? input : std::filesystem::path(input).filename().string());
}

}  // namespace

std::string recommendation_as_text(const recommendation& r, const verdict& v, int width, bool everything) {
  const told t{r, v, std::max(width, 40), everything || !v.winner};
  const std::vector<listed_contestant> all = contestants_of(r.found);
  std::string text = matrix_line(t) + order_line(t) + machine_line(t) + asked_line(t) + verdict_lines(t);
  if (v.winner) text += why_lines(t) + repaid_line(t);
  if (v.winner) text += t.all ? other_lines(t) + bits_line(t) : two_copies_line(t);
  text += took_line(t);
  text += t.all ? (v.winner ? what_to_do(t) : "") + tables(t, all) + absent_lines(t, all)
                : tables(t, all) + wrong_lines(t) + what_to_do(t);
  return text;
}

std::string recommendations_compared(const std::vector<recommendation>& all,
                                     const std::vector<verdict>& verdicts, int width) {
  width = std::max(width, 40);
  const int most = std::min(28, width / 2 - 2);
  std::vector<table_line> lines = {
      {"matrix", "entries", "winner", "us", "x next", "ties", "x vendor", "repaid", "how"}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    const recommendation& r = all[i];
    const verdict& v = verdicts[i];
    const char* const how = r.found.interrupted   ? "interrupted"
                            : r.found.out_of_time ? "out of time"
                            : v.unsettled         ? "unsettled"
                            : r.found.predicted   ? "predicted"
                                                  : "measured";
    table_line line = {shortened(short_name(r.name), most) + (r.order.empty() ? "" : ", " + r.order),
                       with_commas(r.found.entries)};
    if (!v.winner)
      line.insert(line.end(), {"-", "-", "-", "-", "-", "-", "nothing ran"});
    else
      line.insert(
          line.end(),
          {shortened(printable(formats_of_way(v.winner) + (v.winner.in_one_pass() ? ", one pass" : "")),
                     most),
           microseconds(v.winner.seconds), v.runner_up ? ratio_text(v.margin.ratio) : "-",
           fmt::to_string(v.ties.size()),
           v.vendor.one_copy ? ratio_text(ratio_of(v.vendor.one_copy.seconds, v.winner.seconds)) : "-",
           repaid_in_a_cell(v.repaid_after), how});
    lines.push_back(std::move(line));
  }
  if (std::all_of(lines.begin() + 1, lines.end(), [](const table_line& l) { return l.back() == "measured"; }))
    for (table_line& line : lines) line.pop_back();
  return text_table(lines, width);
}

}  // namespace sparsmith
