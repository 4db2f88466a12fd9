#include "analyze/recommend/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "convert/formats/properties.hpp"
#include "convert/words.hpp"

namespace sparsmith {

namespace {

bool every_format(const variant_result&) {
  return true;
}
// CSC is a copy of A^T, as CSR.
bool is_copy_of_a(const variant_result& f) {
  return !f.of_transpose && f.format != format_kind::csc;
}

// ---- what a user should take ----

// Bytes that differ by less are the same.
constexpr double same_bytes = 1.02;

struct span {
  double median = 0, low = 0, high = 0;
};

span time_of(const matrix_result& found, const contestant_result& k, bool warm) {
  if (found.predicted) {
    const double expected = warm ? k.expected.warm : k.expected.cold;
    return {expected, expected, expected};
  }
  const timing& t = k.time.deciding(warm);
  if (t.low <= 0) return {t.median, t.median, t.median};
  return {t.median, t.low, t.high};
}

bool usable(const matrix_result& found, const contestant_result& k, const objective& wanted) {
  if (wanted.repeatable && !k.info.repeatable(k.op)) return false;
  if (!found.predicted) return k.timed();
  return k.not_run.empty() && (wanted.warm ? k.expected.warm : k.expected.cold) > 0;
}

using kernel_filter = bool (*)(const contestant_result&);
bool any_kernel(const contestant_result&) {
  return true;
}
bool vendors(const contestant_result& k) {
  return k.info.vendor;
}
bool ours(const contestant_result& k) {
  return !k.info.vendor;
}

// What a kernel adds to the seconds of a product, with its share of preparing it.
double cost_of(const matrix_result& found, const contestant_result& k, const objective& wanted) {
  return wanted.weight(k.op) * time_of(found, k, wanted.warm).median +
         (wanted.products > 0 ? k.prepare_seconds / wanted.products : 0);
}

// The kernels of a format that can do this, the cheapest first.
std::vector<const contestant_result*> kernels_for(const matrix_result& found, const variant_result& f,
                                                  operation op, const objective& wanted,
                                                  kernel_filter admitted) {
  std::vector<const contestant_result*> all;
  for (const contestant_result& k : f.contestants)
    if (k.op == op && admitted(k) && usable(found, k, wanted)) all.push_back(&k);
  std::stable_sort(all.begin(), all.end(), [&](const contestant_result* a, const contestant_result* b) {
    return cost_of(found, *a, wanted) < cost_of(found, *b, wanted);
  });
  return all;
}

// The figures of a way whose formats and kernels are chosen.
void add_up(const matrix_result& found, const objective& wanted, way& w) {
  for (const variant_result* f : w.stored) {
    w.bytes += f->bytes;
    w.price += found.predicted ? f->expected_convert_seconds : f->convert_seconds;
  }
  for (const contestant_result* k : w.contestants) {
    if (k == nullptr) continue;
    const double share = wanted.weight(k->op);
    const span t = time_of(found, *k, wanted.warm);
    w.seconds += share * t.median;
    w.low += share * t.low;
    w.high += share * t.high;
    w.bytes += k->prepared_bytes;
    w.price += k->prepare_seconds;
  }
  if (wanted.products <= 0) return;
  for (double* figure : {&w.seconds, &w.low, &w.high}) *figure += w.price / wanted.products;
}

bool faster(const way& a, const way& b) {
  return a.seconds < b.seconds;
}

way least(const std::vector<way>& all) {
  const auto found = std::min_element(all.begin(), all.end(), faster);
  return found == all.end() ? way{} : *found;
}

// All ways from one stored format: every kernel for one operation with every kernel for the other. The best
// is the first.
std::vector<way> ways_in(const matrix_result& found, const variant_result& f, const objective& wanted,
                         kernel_filter admitted) {
  if (!f.refused.empty()) return {};
  std::array<std::vector<const contestant_result*>, 2> choices;
  for (const operation op : both_operations) {
    auto& here = choices[static_cast<std::size_t>(op)];
    if (wanted.asks_for(op))
      here = kernels_for(found, f, op, wanted, admitted);
    else
      here = {nullptr};
  }
  std::vector<way> all;
  for (const contestant_result* multiply : choices[0])
    for (const contestant_result* transposed : choices[1]) {
      way w;
      w.stored = {&f};
      w.contestants = {multiply, transposed};
      add_up(found, wanted, w);
      if (wanted.memory == 0 || w.bytes <= wanted.memory) all.push_back(std::move(w));
    }
  std::stable_sort(all.begin(), all.end(), faster);
  return all;
}

// From one copy of A.
std::vector<way> all_ways(const matrix_result& found, const objective& wanted, kernel_filter admitted) {
  std::vector<way> all;
  for (const variant_result& f : found.variants)
    if (!f.of_transpose)
      for (way& w : ways_in(found, f, wanted, admitted)) all.push_back(std::move(w));
  std::stable_sort(all.begin(), all.end(), faster);
  return all;
}

// From the format, of those that are admitted, in which these kernels are fastest.
template <class Admitted>
way fastest_where(const matrix_result& found, const objective& wanted, kernel_filter kernels,
                  Admitted admitted) {
  way fastest;
  for (const variant_result& f : found.variants) {
    if (!admitted(f)) continue;
    const std::vector<way> here = ways_in(found, f, wanted, kernels);
    if (!here.empty() && (!fastest || faster(here.front(), fastest))) fastest = here.front();
  }
  return fastest;
}

way vendors_two_copies(const matrix_result& found, const objective& wanted) {
  way pair;
  for (const operation op : both_operations) {
    // A copy's price is for the products of its own operation alone.
    objective alone = only(wanted, op);
    alone.products *= wanted.weight(op);
    const way one = fastest_where(found, alone, vendors, every_format);
    if (!one) return {};
    pair.stored.push_back(one.stored.front());
    pair.contestants[static_cast<std::size_t>(op)] = one.contestant(op);
  }
  if (pair.stored[0] == pair.stored[1]) pair.stored.pop_back();
  add_up(found, wanted, pair);
  return wanted.memory == 0 || pair.bytes <= wanted.memory ? pair : way{};
}

// ---- why ----

double work_of(const way& w, const objective& wanted, double kernel_work::*member) {
  double sum = 0;
  for (const contestant_result* k : w.contestants)
    if (k != nullptr) sum += wanted.weight(k->op) * (k->work.*member);
  return sum;
}

// The cause, beside what it won against: staying in CSR, or where that is what won, the next.
std::vector<std::string> reasons_of(const matrix_result& found, const verdict& v,
                                    const verdict_context& context) {
  const way& won = v.winner;
  const way& lost = v.stay && !won.stays_in_csr() ? v.stay : v.runner_up;
  std::vector<std::string> reasons;
  const double bytes = work_of(won, v.wanted, &kernel_work::bytes);
  if (lost && bytes > 0) {
    const std::string name = lost.names();
    const double others = work_of(lost, v.wanted, &kernel_work::bytes);
    reasons.push_back(fmt::format("a product moves {} x the bytes of {}: {}", ratio_text(bytes / others),
                                  name, format_bytes(std::llround(bytes))));
    const auto compare = [&](double kernel_work::*member, double worth_saying, const char* what) {
      const double mine = work_of(won, v.wanted, member), theirs = work_of(lost, v.wanted, member);
      if (std::max(mine, theirs) >= worth_saying && std::max(mine, theirs) > 1.5 * std::min(mine, theirs))
        reasons.push_back(
            fmt::format("{} {} where {} has {}", four_digits(mine), what, name, four_digits(theirs)));
    };
    const auto entries = static_cast<double>(found.entries);
    compare(&kernel_work::atomics, std::max(1.0, entries / 100), "atomic additions a product");
    compare(&kernel_work::longest, 128, "entries one after another at most");
    compare(&kernel_work::launches, 2, "launches a product");
  }
  if (const variant_result& f = won.variant(); f.slots > 0 && found.entries > 0) {
    const double fill = static_cast<double>(f.slots) / static_cast<double>(found.entries);
    reasons.push_back(fill > 1.0005 ? rounded_percent(1 - 1 / fill) + " of what it stores is padding"
                                    : std::string("it stores no padding"));
  }
  if (context.row_mean > 0)
    reasons.push_back(fmt::format(
        "rows have {} entries, the longest {}, {}", four_digits(context.row_mean),
        with_commas(context.row_longest),
        context.row_variation < 0.3 ? fmt::format("and are even (variation {:.2f})", context.row_variation)
        : context.row_variation < 1
            ? fmt::format("and vary (variation {:.2f})", context.row_variation)
            : fmt::format("and are skewed (variation {:.2f})", context.row_variation)));
  if (context.copy_bytes > 0 && bytes > 0 && won.seconds > 0 && !found.predicted) {
    const double time = work_of(won, v.wanted, &kernel_work::bytes) / context.copy_bytes;
    double measured = 0;
    for (const contestant_result* k : won.contestants)
      if (k != nullptr) measured += v.wanted.weight(k->op) * time_of(found, *k, v.wanted.warm).median;
    reasons.push_back("it runs at " + rounded_percent(time / measured) + " of the bandwidth of a copy");
  }
  return reasons;
}

}  // namespace

objective only(objective wanted, operation op) {
  wanted.weights = {0, 0};
  wanted.weights[static_cast<std::size_t>(op)] = 1;
  return wanted;
}

bool way::repeatable() const {
  return std::all_of(contestants.begin(), contestants.end(),
                     [](const contestant_result* k) { return k == nullptr || k->info.repeatable(k->op); });
}

bool way::vendor() const {
  return std::all_of(contestants.begin(), contestants.end(),
                     [](const contestant_result* k) { return k == nullptr || k->info.vendor; });
}

bool way::stays_in_csr() const {
  return stored.size() == 1 && variant().format == format_kind::csr && !variant().of_transpose;
}

std::string way::names() const {
  std::string text;
  for (const contestant_result* k : contestants)
    if (k != nullptr && text != k->info.name) text += (text.empty() ? "" : " + ") + std::string(k->info.name);
  std::string notes;
  for (const variant_result* f : stored) {
    const std::string note = whole_note(f->note, f->of_transpose);
    if (!note.empty()) notes += (notes.empty() ? "" : ", ") + note;
  }
  return notes.empty() ? text : text + " (" + notes + ")";
}

vendor_ways vendor_of(const matrix_result& found, const objective& wanted) {
  vendor_ways v;
  for (const operation op : both_operations)
    v.product[static_cast<std::size_t>(op)] = fastest_where(found, only(wanted, op), vendors, every_format);
  v.transposed_from_a = fastest_where(found, only(wanted, operation::transposed), vendors, is_copy_of_a);
  v.csr = fastest_where(found, wanted, vendors, [](const variant_result& f) {
    return !f.of_transpose && f.format == format_kind::csr;
  });
  // Where only A^T x is wanted, one copy may as well be one of A^T.
  v.one_copy = fastest_where(found, wanted, vendors, [&](const variant_result& f) {
    return !f.of_transpose || !wanted.asks_for(operation::multiply);
  });
  if (wanted.asks_for(operation::multiply) && wanted.asks_for(operation::transposed))
    v.two_copies = vendors_two_copies(found, wanted);
  return v;
}

margin_of margin_between(const way& slow, const way& fast) {
  return {slow.seconds / fast.seconds, slow.low / fast.high, slow.high / fast.low};
}

double repaid_after(const way& taken, const way& instead) {
  const double price = taken.price - instead.price;
  if (price <= 0) return taken.seconds <= instead.seconds ? 0 : -1;
  return taken.seconds < instead.seconds ? price / (instead.seconds - taken.seconds) : -1;
}

std::vector<way> ways_of(const matrix_result& found, const objective& wanted) {
  std::vector<way> all;
  for (const variant_result& f : found.variants) {
    if (f.of_transpose) continue;
    std::vector<way> here = ways_in(found, f, wanted, any_kernel);
    if (!here.empty()) all.push_back(std::move(here.front()));
  }
  std::stable_sort(all.begin(), all.end(), faster);
  return all;
}

std::vector<way> every_way_of(const matrix_result& found, const objective& wanted) {
  return all_ways(found, wanted, any_kernel);
}

std::vector<way> ours_by_format(const matrix_result& found, const objective& wanted) {
  const std::vector<way> all = every_way_of(found, wanted);
  std::vector<way> fastest;
  for (const variant_result& f : found.variants) {
    const auto same_format = [&](const way& w) { return w.variant().format == f.format; };
    if (std::any_of(fastest.begin(), fastest.end(), same_format)) continue;
    const auto first =
        std::find_if(all.begin(), all.end(), [&](const way& w) { return same_format(w) && !w.vendor(); });
    if (first != all.end()) fastest.push_back(*first);
  }
  return fastest;
}

predicted_choice predicted_choice_of(const matrix_result& found, const objective& wanted) {
  matrix_result expected = found;
  expected.predicted = true;
  const way chosen = least(ways_of(expected, wanted));
  if (!chosen) return {};
  // The same in the results that were measured.
  const variant_result& f =
      found.variants[static_cast<std::size_t>(&chosen.variant() - expected.variants.data())];
  predicted_choice result;
  result.measured = true;
  result.taken.stored = {&f};
  for (const operation op : both_operations) {
    const contestant_result* const k = chosen.contestant(op);
    if (k == nullptr) continue;
    const auto place = static_cast<std::size_t>(k - chosen.variant().contestants.data());
    result.taken.contestants[static_cast<std::size_t>(op)] = &f.contestants[place];
    result.measured = result.measured && f.contestants[place].timed();
  }
  add_up(found, wanted, result.taken);
  return result;
}

verdict verdict_of(const matrix_result& found, const objective& wanted, const verdict_context& context) {
  verdict v;
  v.wanted = wanted;
  const std::vector<way> all = every_way_of(found, wanted);
  if (all.empty()) return v;
  v.fastest = all.front();

  // Within 5 % of the fastest nobody is told apart; nor is who may be, as far as the samples tell.
  std::vector<way> level, beside;
  for (const way& w : all) {
    const margin_of m = margin_between(w, v.fastest);
    if (w == v.fastest || m.ratio <= 1 + tie_share)
      level.push_back(w);
    else if (m.low <= 1 + tie_share)
      beside.push_back(w);
  }
  std::int64_t fewest = level.front().bytes;
  for (const way& w : level) fewest = std::min(fewest, w.bytes);
  const auto better = [&](const way& a, const way& b) {  // of those with the fewest bytes
    const int left = properties_of(a.variant().format).complexity,
              right = properties_of(b.variant().format).complexity;
    return left != right ? left < right : a.seconds < b.seconds;
  };
  // A prediction is of what is fastest, and too rough to be traded for bytes.
  if (found.predicted) v.winner = v.fastest;
  for (const way& w : level) {
    if (found.predicted || static_cast<double>(w.bytes) > same_bytes * static_cast<double>(fewest)) continue;
    if (!v.winner || better(w, v.winner)) v.winner = w;
  }
  for (const auto* group : {&level, &beside})
    for (const way& w : *group)
      if (!(w == v.winner)) v.ties.push_back(w);
  for (const way& w : all)
    if (!(w == v.winner) && std::find(v.ties.begin(), v.ties.end(), w) == v.ties.end()) {
      v.runner_up = w;
      v.margin = margin_between(w, v.winner);
      break;
    }

  const std::vector<way> formats = ways_of(found, wanted);
  std::int64_t smallest = formats.front().bytes;
  for (const way& w : formats) smallest = std::min(smallest, w.bytes);
  for (const way& w : formats) {
    if (w.stays_in_csr()) v.stay = w;
    if (!v.smallest && static_cast<double>(w.bytes) <= same_bytes * static_cast<double>(smallest))
      v.smallest = w;
  }
  v.vendor = vendor_of(found, wanted);

  objective other = wanted;
  other.warm = !wanted.warm;
  v.other_regime = least(ways_of(found, other));
  // How soon it pays is asked of products alone, with the best kernels of the format for what is asked.
  objective plain = wanted;
  plain.products = 0;
  const auto same_format = [&](const objective& asked, const variant_result& f) {
    std::vector<way> here = ways_in(found, f, asked, any_kernel);
    return here.empty() ? way{} : here.front();
  };
  const auto repaid = [&](const objective& asked) {
    const way taken = same_format(asked, v.winner.variant());
    if (!v.stay || !taken) return taken && taken.price == 0 ? 0.0 : -1.0;
    const way instead = same_format(asked, v.stay.variant());
    return instead ? repaid_after(taken, instead) : -1.0;
  };
  v.repaid_after = v.winner.stays_in_csr() ? 0 : repaid(plain);
  for (const operation op : both_operations) {
    const objective alone = only(plain, op);
    const std::vector<way> single = ways_of(found, alone);
    if (single.empty()) continue;
    v.alone[static_cast<std::size_t>(op)] = single.front();
    if (wanted.asks_for(op))
      v.repaid_after_alone[static_cast<std::size_t>(op)] = v.winner.stays_in_csr() ? 0 : repaid(alone);
  }
  v.reasons = reasons_of(found, v, context);
  return v;
}

// ---- beside the vendor ----

namespace {

// Both products in equal parts, for what they take alone.
objective plain(bool warm) {
  objective wanted;
  wanted.warm = warm;
  return wanted;
}

template <class Admitted>
our_ways ours_where(const matrix_result& found, bool warm, Admitted admitted) {
  const objective wanted = plain(warm);
  our_ways best;
  for (const operation op : both_operations)
    best.product[static_cast<std::size_t>(op)] = fastest_where(found, only(wanted, op), ours, admitted);
  best.transposed_from_a =
      fastest_where(found, only(wanted, operation::transposed), ours,
                    [&](const variant_result& f) { return admitted(f) && is_copy_of_a(f); });
  best.pair = fastest_where(found, wanted, ours, admitted);
  return best;
}

vendor_ratios compared(const our_ways& best, const vendor_ways& vendor, bool warm) {
  const auto over = [&](const way& mine, const way& theirs) {
    return mine && theirs ? sum_of_medians(theirs, warm) / sum_of_medians(mine, warm) : 0;
  };
  return {over(best.product[0], vendor.product[0]),
          over(best.product[1], vendor.product[1]),
          over(best.transposed_from_a, vendor.transposed_from_a),
          over(best.pair, vendor.csr),
          over(best.pair, vendor.one_copy),
          over(best.pair, vendor.two_copies)};
}

// What is stored as this format, of A.
auto stored_as(format_kind format) {
  return [format](const variant_result& f) { return f.format == format && !f.of_transpose; };
}

}  // namespace

our_ways ours_of(const matrix_result& found, bool warm) {
  return ours_where(found, warm, every_format);
}

our_ways ours_in(const matrix_result& found, const variant_result& f, bool warm) {
  return ours_where(found, warm, [&](const variant_result& other) { return &other == &f; });
}

double sum_of_medians(const way& w, bool warm) {
  double seconds = 0;
  for (const contestant_result* k : w.contestants)
    if (k != nullptr) seconds += k->time.deciding(warm).median;
  return seconds;
}

double base_beside(const way& w, bool warm) {
  double seconds = 0;
  for (const operation op : both_operations)
    if (w.contestant(op) != nullptr) seconds += w.variant_of(op).base_of(op).deciding(warm).median;
  return seconds;
}

vendor_ratios over_vendor(const matrix_result& m, bool warm) {
  return compared(ours_of(m, warm), vendor_of(m, plain(warm)), warm);
}

vendor_ratios over_vendor(const matrix_result& m, const variant_result& f, bool warm) {
  return compared(ours_in(m, f, warm), vendor_of(m, plain(warm)), warm);
}

std::map<format_kind, double> over_vendor_in_format(const matrix_result& m, bool warm) {
  const objective multiply = only(plain(warm), operation::multiply);
  std::map<format_kind, double> ratios;
  for (const format_kind format : all_formats()) {
    const way mine = fastest_where(m, multiply, ours, stored_as(format));
    const way theirs = fastest_where(m, multiply, vendors, stored_as(format));
    if (mine && theirs) ratios[format] = sum_of_medians(theirs, warm) / sum_of_medians(mine, warm);
  }
  return ratios;
}

// ---- many matrices ----

void overall::add(double ratio) {
  ++measured;
  ahead += ratio > 1 ? 1 : 0;
  logarithms += std::log(ratio);
  worst = std::min(worst, ratio);
}

double overall::mean() const {
  return std::exp(logarithms / measured);
}

void add_ratios(const matrix_result& m, bool warm, format_ratios& all) {
  if (m.entries == 0) return;  // nothing that could be fast or slow
  for (const format_kind format : all_formats()) {
    const our_ways best = ours_where(m, warm, stored_as(format));
    const way* const ways[] = {&best.product[0], &best.product[1], &best.pair};
    for (std::size_t i = 0; i < 3; ++i)
      if (*ways[i]) all[format][i].add(base_beside(*ways[i], warm) / sum_of_medians(*ways[i], warm));
  }
}

void add_ratios(const matrix_result& m, bool warm, overall_vendor& all) {
  if (m.entries == 0) return;
  const vendor_ratios ratios = over_vendor(m, warm);
  for (std::size_t i = 0; i < vendor_comparisons.size(); ++i)
    if (const double ratio = ratios.*vendor_comparisons[i].ratio; ratio > 0) all.best[i].add(ratio);
  for (const auto& [format, ratio] : over_vendor_in_format(m, warm)) all.in_format[format].add(ratio);
}

}  // namespace sparsmith
