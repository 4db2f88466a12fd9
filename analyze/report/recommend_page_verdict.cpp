// The verdict on a page: what to take, its key figures, why, what else there is, and what to do.
#include "analyze/report/recommend_page_parts.hpp"

#include <fmt/format.h>

#include "analyze/report/recommend_actions.hpp"
#include "analyze/report/text.hpp"

namespace sparsmith::recommendation_page_parts {

using namespace html;

namespace {

std::string kernels_text(const way& w, const objective& wanted) {
  const contestant_result *const ax = w.contestant(operation::multiply), *const atx = w.contestant(
                                                                             operation::transposed);
  const auto code = [](const contestant_result* k) { return "<b>" + escaped(k->info.name) + "</b>"; };
  if (wanted.one_pass)
    if (const contestant_result* const k = w.contestant(*wanted.one_pass); k != nullptr)
      return fmt::format("{} for {} in one pass", code(k), name_of_product(*wanted.one_pass));
  if (ax == nullptr) return code(atx) + " for " + name_of_product(operation::transposed);
  if (atx == nullptr) return code(ax) + " for " + name_of_product(operation::multiply);
  if (std::string_view(ax->info.name) == atx->info.name)
    return fmt::format("{} for {} and {}", code(ax), name_of_product(operation::multiply),
                       name_of_product(operation::transposed));
  return fmt::format("{} for {} and {} for {}", code(ax), name_of_product(operation::multiply), code(atx),
                     name_of_product(operation::transposed));
}

std::string verdict_sentence(const recommendation& r, const verdict& v) {
  if (!v.winner) return "There is nothing to recommend: no kernel could do what was asked for.";
  const std::string kernels = kernels_text(v.winner, v.wanted);
  const std::string action =
      v.winner.stays_in_csr()
          ? (r.found.predicted ? "stay in <b>csr</b> and run " : "Stay in <b>csr</b> and run ") + kernels
          : fmt::format("{} it as <b>{}</b> and run {}", r.found.predicted ? "store" : "Store",
                        prose(label_of(v.winner)), kernels);
  if (v.any_of_these)
    return "Any of these: " + ("s" + action.substr(1)) + "; nothing that was run is told apart from it.";
  return std::string(v.unsettled ? "Unsettled. " : "") + (r.found.predicted ? "Predicted: " : "") + action +
         ".";
}

std::string notices(const recommendation& r) {
  std::string html;
  const auto notice = [&](const std::string& title, const std::string& text) {
    html += fmt::format("<p class=\"notice\"><b>{}</b> {}</p>\n", title, text);
  };
  if (r.found.predicted)
    notice("Predicted, nothing was run.",
           r.model.share > 0
               ? fmt::format(
                     "All figures are the model’s. On matrices it was not fitted to, measured on {}, what it "
                     "chose had {} of the best’s speed.",
                     prose(r.model.machine), rounded_percent(r.model.share))
               : std::string("All figures are the model’s, which has no record for this backend."));
  if (!r.found.noisy.empty())
    notice("The machine was busy:", prose(fmt::format("{}; run again.", fmt::join(r.found.noisy, "; "))) +
                                        " The verdict is unsettled.");
  if (r.found.interrupted) notice("Interrupted.", "These are the results until then; not everything ran.");
  if (r.found.out_of_time)
    notice("Out of time.", fmt::format("The {} that were granted ended before all was settled.",
                                       granted_on_page(r.budget_seconds)));
  return html;
}

std::string key_figure(const std::string& name, const std::string& value, const std::string& text) {
  return fmt::format("<div><dt>{}</dt><dd><b>{}</b><small>{}</small></dd></div>\n", name, value, text);
}

std::string time_figure(const recommendation& r, const verdict& v) {
  std::vector<std::string> parts;
  if (v.winner.low < v.winner.high)
    parts.push_back("the median is within " + time_range_on_page(v.winner.low, v.winner.high));
  for (const contestant_result* const k : v.winner.contestants)
    if (k != nullptr && v.wanted.asks_for_both() && !v.winner.in_one_pass() && !r.found.symmetric)
      parts.push_back(name_of_product(k->op) + " " + time_on_page(time_of(r, *k).seconds));
  if (r.wanted.products > 0)
    parts.push_back(fmt::format("with its share of a price spread over {} {}s",
                                whole_number(r.wanted.products), r.wanted.unit()));
  return key_figure(fmt::format("Time per {}{}", r.wanted.unit(), r.found.predicted ? ", predicted" : ""),
                    time_on_page(v.winner.seconds), joined(parts, "; "));
}

std::string margin_figure(const verdict& v) {
  if (!v.runner_up)
    return key_figure("Ahead of the next", dash,
                      v.ties.empty() ? "there is no other" : "all others are tied");
  std::string text = prose(v.runner_up.names());
  if (v.margin.low < v.margin.high)
    text += fmt::format("; within {}–{}", ratio_text(v.margin.low), ratio_text(v.margin.high));
  return key_figure("The next takes", ratio_text(v.margin.ratio) + " × as long", text);
}

std::string repaid_figure(const verdict& v) {
  if (v.winner.stays_in_csr())
    return key_figure("Conversion", "none",
                      v.winner.price > 0 ? time_on_page(v.winner.price) + " to prepare the kernels"
                                         : "nothing to prepare either");
  std::string text = time_on_page(v.winner.price) + " to convert and prepare";
  if (!v.stay) return key_figure("Repaid after", dash, text + "; CSR has no time to compare with");
  if (v.wanted.asks_for_both() && !v.wanted.one_pass && v.wanted.products == 0 &&
      v.repaid_after_alone[0] != v.repaid_after_alone[1])
    for (const operation op : plain_operations)
      text += fmt::format("; {} alone: {}", name_of_product(op),
                          products_text(v.repaid_after_alone[static_cast<std::size_t>(op)]));
  const std::string after = products_text(v.repaid_after);
  return key_figure("Repaid after",
                    v.repaid_after > 0 ? fmt::format("{} {}s", after, v.wanted.unit()) : after,
                    "against staying in CSR; " + text);
}

std::string same_bits(const way& w) {
  std::vector<std::string> other;
  bool any = false;
  for (const contestant_result* const k : w.contestants) {
    if (k == nullptr) continue;
    if (k->info.repeatable(k->op))
      any = true;
    else
      other.push_back(name_of_product(k->op));
  }
  return other.empty() ? "yes" : any ? "not " + other.front() : "no";
}

std::string key_figures(const recommendation& r, const verdict& v) {
  const double ratio = times_csr(r.found, v.winner.bytes);
  return "<dl class=\"figures\">" + time_figure(r, v) + margin_figure(v) +
         key_figure(
             "Bytes", ratio_text(ratio) + " × CSR",
             fmt::format("{}; CSR {}", format_bytes(v.winner.bytes), format_bytes(r.found.csr_bytes()))) +
         repaid_figure(v) +
         key_figure("Same bits every time", same_bits(v.winner),
                    v.winner.repeatable() ? "on the same machine with the same number of threads"
                                          : "the last digits may differ from run to run") +
         "</dl>\n";
}

std::string ties_text(const verdict& v) {
  const std::vector<way> others = tied_formats(v);
  if (others.empty()) return "";
  constexpr std::size_t named = 6;
  std::vector<std::string> names;
  for (const way& w : others)
    if (names.size() < named)
      names.push_back(fmt::format("<b>{}</b> ({}{})", prose(w.names()), time_on_page(w.seconds),
                                  w == v.fastest ? ", the lowest median" : ""));
  std::string text = "Not told apart from it in speed: " + joined(names, ", ");
  if (others.size() > named) text += fmt::format(" and {} more", others.size() - named);
  if (v.winner.stored != v.fastest.stored)
    text += v.wanted.prefer_bytes ? ". It takes the fewest bytes"
            : v.winner.stays_in_csr()
                ? ". Nothing has to be converted for it"
                : ". Converting to it is repaid soonest, or else it takes the fewest bytes";
  return "<p>" + text + ".</p>\n";
}

}  // namespace

std::string verdict_card(const recommendation& r, const verdict& v) {
  std::string html = "<div class=\"card verdict\">\n" + notices(r);
  html += "<p class=\"sentence\">" + verdict_sentence(r, v) + "</p>\n";
  if (v.winner) html += key_figures(r, v) + ties_text(v);
  return html + "</div>\n";
}

std::string reasons_card(const verdict& v) {
  if (v.reasons.empty()) return "";
  std::string html = "<div class=\"card\"><h4>Why</h4><ul>\n";
  for (const std::string& reason : v.reasons) html += "<li>" + sentence(reason) + "</li>\n";
  return html + "</ul></div>\n";
}

std::string alternatives_card(const recommendation& r, const verdict& v) {
  std::vector<cells> rows;
  const auto add = [&](const std::string& what, const way& w, double seconds, double winners) {
    rows.push_back({what, w == v.winner ? "the same" : prose(w.names()), time_on_page(seconds),
                    winners > 0 ? ratio_text(seconds / winners) : dash, bytes_over_csr(r, w.bytes),
                    w.price > 0 ? time_on_page(w.price) : dash});
  };
  const auto add_if = [&](const std::string& what, const way& w) {
    if (w) add(what, w, w.seconds, v.winner.seconds);
  };
  add_if("recommended", v.winner);
  rows.back()[1] = prose(v.winner.names());
  add_if("staying in CSR", v.stay);
  add_if(v.winner.in_one_pass() ? "as two products" : "in one pass", v.other_kind);
  if (v.two_copies.stored.size() > 1) add_if("two copies of ours", v.two_copies);
  add_if("vendor’s best format, one copy", v.vendor.one_copy);
  add_if("vendor’s CSR, one copy", v.vendor.csr);
  add_if("vendor’s best formats, two copies", v.vendor.two_copies);
  add_if("fewest bytes", v.smallest);
  for (const operation op : plain_operations)
    if (const way& w = v.alone[static_cast<std::size_t>(op)]; w && !r.found.symmetric) {
      const contestant_result* const winners = v.winner.contestant(op);
      add("for " + name_of_product(op) + " alone", w, time_of(r, *w.contestant(op)).seconds,
          winners == nullptr ? 0 : time_of(r, *winners).seconds);
    }
  // Its seconds are of the other regime: nothing to compare them with here.
  if (v.other_regime && !(v.other_regime == v.winner))
    add(r.wanted.warm ? "with cold caches" : "with warm caches", v.other_regime, v.other_regime.seconds, 0);
  return "<div class=\"card alternatives\">" +
         table("Alternatives",
               {"", "format and kernels", r.found.predicted ? "predicted" : "time", "× its time",
                "× CSR bytes", "price"},
               rows) +
         "</div>\n";
}

std::string actions_card(const recommendation& r, const verdict& v) {
  const std::string command = spconv_line(r, v.winner), code = code_lines(r, v.winner);
  const auto block = [](const char* label, const std::string& text) {
    return fmt::format("<pre tabindex=\"0\" role=\"region\" aria-label=\"{}\">{}</pre>\n", label,
                       escaped(text));
  };
  if (command.empty() && code.empty()) return "";
  std::string html = "<div class=\"card actions\"><h4>What to do</h4>\n";
  if (!command.empty()) html += block("The command that makes it", command);
  if (!code.empty())
    html += "<details><summary>In C++</summary>" + block("The same in C++", code) + "</details>";
  return html + "</div>\n";
}

}  // namespace sparsmith::recommendation_page_parts
