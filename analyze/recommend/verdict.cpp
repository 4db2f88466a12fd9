#include "analyze/recommend/verdict.hpp"

#include <algorithm>
#include <cmath>

#include "analyze/recommend/causes.hpp"
#include "convert/formats/properties.hpp"

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
double cost_of(const matrix_result& found, const contestant_result& k, operation op,
               const objective& wanted) {
  return wanted.weight(op) * time_of(found, k, wanted.warm).median +
         (wanted.products > 0 ? k.prepare_seconds / wanted.products : 0);
}

// Whose kernels compute this: where A equals A^T, those of A x compute both products.
operation run_as(const matrix_result& found, operation op) {
  return found.symmetric && op == operation::transposed ? operation::multiply : op;
}

// The kernels of a format that can do this, the cheapest first.
std::vector<const contestant_result*> kernels_for(const matrix_result& found, const variant_result& f,
                                                  operation op, const objective& wanted,
                                                  kernel_filter admitted) {
  std::vector<const contestant_result*> all;
  for (const contestant_result& k : f.contestants)
    if (k.op == run_as(found, op) && admitted(k) && usable(found, k, wanted)) all.push_back(&k);
  std::stable_sort(all.begin(), all.end(), [&](const contestant_result* a, const contestant_result* b) {
    return cost_of(found, *a, op, wanted) < cost_of(found, *b, op, wanted);
  });
  return all;
}

// The figures of a way whose formats and kernels are chosen.
void add_up(const matrix_result& found, const objective& wanted, way& w) {
  for (const variant_result* f : w.stored) {
    w.bytes += f->bytes;
    w.price += found.predicted ? f->expected_convert_seconds : f->convert_seconds;
  }
  for (const operation op : all_operations) {
    const contestant_result* const k = w.contestant(op);
    if (k == nullptr) continue;
    const double share = wanted.weight(op);
    const span t = time_of(found, *k, wanted.warm);
    w.seconds += share * t.median;
    w.low += share * t.low;
    w.high += share * t.high;
    if (op == operation::transposed && k == w.contestant(operation::multiply)) continue;  // prepared once
    w.prepared_bytes += k->prepared_bytes;
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

// All ways from one stored format: every kernel for one product with every kernel for the other, and where
// the two come together, every kernel that computes them in one pass. The best is the first.
std::vector<way> ways_in(const matrix_result& found, const variant_result& f, const objective& wanted,
                         kernel_filter admitted) {
  if (!f.refused.empty()) return {};
  std::array<std::vector<const contestant_result*>, 2> choices;
  for (const operation op : plain_operations) {
    auto& here = choices[static_cast<std::size_t>(op)];
    if (wanted.asks_for(op))
      here = kernels_for(found, f, op, wanted, admitted);
    else
      here = {nullptr};
  }
  std::vector<way> all;
  const auto add = [&](const decltype(way::contestants)& contestants) {
    way w;
    w.stored = {&f};
    w.contestants = contestants;
    add_up(found, wanted, w);
    if (wanted.memory == 0 || w.all_bytes() <= wanted.memory) all.push_back(std::move(w));
  };
  for (const contestant_result* multiply : choices[0])
    for (const contestant_result* transposed : choices[1])
      if (!found.symmetric || !wanted.asks_for_both() || multiply == transposed) add({multiply, transposed});
  if (wanted.one_pass)
    for (const contestant_result* k : kernels_for(found, f, *wanted.one_pass, wanted, admitted)) {
      decltype(way::contestants) alone = {};
      alone[static_cast<std::size_t>(*wanted.one_pass)] = k;
      add(alone);
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

// Each product from the copy, of A or of A^T, that is fastest for it.
way two_copies_of(const matrix_result& found, const objective& wanted, kernel_filter kernels) {
  way pair;
  for (const operation op : plain_operations) {
    // A copy's price is for the products of its own operation alone.
    objective alone = only(wanted, op);
    alone.products *= wanted.weight(op);
    const way one = fastest_where(found, alone, kernels, every_format);
    if (!one) return {};
    pair.stored.push_back(one.stored.front());
    pair.contestants[static_cast<std::size_t>(op)] = one.contestant(op);
  }
  if (pair.stored[0] == pair.stored[1]) pair.stored.pop_back();
  add_up(found, wanted, pair);
  return wanted.memory == 0 || pair.all_bytes() <= wanted.memory ? pair : way{};
}

// ---- which of the tied ----

// Whether the slower of two is known to be slower: by more than what labels flip at from run to run, and by
// more than the clock can tell; as far as the samples go, or by the medians alone.
bool told_apart(double clock_seconds, const span& slow, const span& fast, bool by_medians) {
  const double behind = by_medians ? slow.median : slow.low, ahead = by_medians ? fast.median : fast.high;
  return behind > (1 + tie_share) * ahead && behind - ahead > clock_seconds;
}
bool told_apart(double clock_seconds, const way& slow, const way& fast, bool by_medians) {
  return told_apart(clock_seconds, span{slow.seconds, slow.low, slow.high},
                    {fast.seconds, fast.low, fast.high}, by_medians);
}

// Those whose figure is the least, or within a share of it.
template <class Figure>
void keep_least(std::vector<way>& some, double within, Figure figure) {
  double least = std::numeric_limits<double>::infinity();
  for (const way& w : some) least = std::min(least, figure(w));
  std::erase_if(some, [&](const way& w) { return figure(w) > within * least; });
}

}  // namespace

double repaid_beside(const way& taken, const way& stay, const objective& wanted) {
  // Of a number of products, what costs no more before them and is ahead at their end is repaid at once.
  if (wanted.products > 0 && taken.price <= stay.price && taken.seconds <= stay.seconds) return 0;
  way plain_taken = taken, plain_stay = stay;
  plain_taken.seconds = seconds_alone(taken, wanted);
  plain_stay.seconds = seconds_alone(stay, wanted);
  return repaid_after(plain_taken, plain_stay);
}

std::vector<way> tied_with(const way& fastest, const std::vector<way>& all, double clock_seconds) {
  std::vector<way> tied;
  for (const bool by_medians : {true, false})
    for (const way& w : all)
      if (!told_apart(clock_seconds, w, fastest, by_medians) &&
          std::find(tied.begin(), tied.end(), w) == tied.end())
        tied.push_back(w);
  return tied;
}

way chosen_from(std::vector<way> tied, const way& stay, const std::function<bool(const way&)>& is_there,
                bool predicted, const objective& wanted) {
  const auto keep_smallest = [&] {
    keep_least(tied, same_bytes, [](const way& w) { return static_cast<double>(w.all_bytes()); });
  };
  if (wanted.prefer_bytes)
    keep_smallest();
  else if (stay)
    std::erase_if(tied, [&](const way& w) {
      return !is_there(w) && (w.seconds > stay.seconds || repaid_beside(w, stay, wanted) < 0);
    });
  if (std::any_of(tied.begin(), tied.end(), is_there)) {
    std::erase_if(tied, [&](const way& w) { return !is_there(w); });
  } else if (predicted && !wanted.prefer_bytes) {
    return least(tied);  // a prediction is too rough to trade its speed for anything but staying
  } else if (stay) {
    constexpr double as_soon = 1.1;  // what is repaid within so much of the soonest is as good
    keep_least(tied, as_soon, [&](const way& w) {
      const double after = repaid_beside(w, stay, wanted);
      return after < 0 ? std::numeric_limits<double>::max() : after;
    });
  }
  keep_smallest();
  keep_least(tied, 1, [](const way& w) { return double(properties_of(w.variant().format).complexity); });
  return least(tied);
}

objective only(objective wanted, operation op) {
  wanted.one_pass = {};
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
  if (in_one_pass()) text += " in one pass";
  std::string notes;
  for (const variant_result* f : stored) {
    const std::string note = whole_note(f->note, f->of_transpose);
    if (!note.empty()) notes += (notes.empty() ? "" : ", ") + note;
  }
  return notes.empty() ? text : text + " (" + notes + ")";
}

vendor_ways vendor_of(const matrix_result& found, const objective& wanted) {
  vendor_ways v;
  for (const operation op : plain_operations)
    v.product[static_cast<std::size_t>(op)] = fastest_where(found, only(wanted, op), vendors, every_format);
  v.transposed_from_a = fastest_where(found, only(wanted, operation::transposed), vendors, is_copy_of_a);
  v.csr = fastest_where(found, wanted, vendors, [](const variant_result& f) {
    return !f.of_transpose && f.format == format_kind::csr;
  });
  // Where only A^T x is wanted, one copy may as well be one of A^T.
  v.one_copy = fastest_where(found, wanted, vendors, [&](const variant_result& f) {
    return !f.of_transpose || !wanted.asks_for(operation::multiply);
  });
  if (wanted.asks_for_both() && !found.symmetric) v.two_copies = two_copies_of(found, wanted, vendors);
  return v;
}

margin_of margin_between(const way& slow, const way& fast) {
  return {slow.seconds / fast.seconds, slow.low / fast.high, slow.high / fast.low};
}

double seconds_alone(const way& w, const objective& wanted) {
  return wanted.products > 0 ? w.seconds - w.price / wanted.products : w.seconds;
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
  const way chosen = verdict_of(expected, wanted).winner;
  if (!chosen) return {};
  // The same in the results that were measured.
  const variant_result& f =
      found.variants[static_cast<std::size_t>(&chosen.variant() - expected.variants.data())];
  predicted_choice result;
  result.measured = true;
  result.taken.stored = {&f};
  for (const operation op : all_operations) {
    const contestant_result* const k = chosen.contestant(op);
    if (k == nullptr) continue;
    const auto place = static_cast<std::size_t>(k - chosen.variant().contestants.data());
    result.taken.contestants[static_cast<std::size_t>(op)] = &f.contestants[place];
    result.measured = result.measured && f.contestants[place].timed();
  }
  add_up(found, wanted, result.taken);
  return result;
}

verdict verdict_of(const matrix_result& found, const objective& wanted) {
  verdict v;
  v.wanted = wanted;
  const std::vector<way> all = every_way_of(found, wanted);
  if (all.empty()) return v;
  v.fastest = all.front();
  v.unsettled = !found.noisy.empty();

  const std::vector<way> formats = ways_of(found, wanted);
  std::int64_t smallest = formats.front().all_bytes();
  for (const way& w : formats) smallest = std::min(smallest, w.all_bytes());
  for (const way& w : formats) {
    if (w.stays_in_csr()) v.stay = w;
    if (!v.smallest && static_cast<double>(w.all_bytes()) <= same_bytes * static_cast<double>(smallest))
      v.smallest = w;
  }

  const std::vector<way> tied = tied_with(v.fastest, all, found.clock_seconds);
  v.winner = chosen_from(
      tied, v.stay, [](const way& w) { return w.stays_in_csr(); }, found.predicted, wanted);
  for (const way& w : tied)
    if (!(w == v.winner)) v.ties.push_back(w);
  if (wanted.one_pass)
    for (const way& w : all)
      if (!v.other_kind && w.in_one_pass() != v.winner.in_one_pass()) v.other_kind = w;
  auto leaders = v.winner.contestants;  // by operation
  for (const way& w : v.ties)
    for (const operation op : all_operations) {
      const contestant_result* const k = w.contestant(op);
      const contestant_result*& leader = leaders[static_cast<std::size_t>(op)];
      if (leader == nullptr) leader = k;
      if (k == nullptr || v.winner.runs(*k) ||
          told_apart(found.clock_seconds, time_of(found, *k, wanted.warm),
                     time_of(found, *leader, wanted.warm), false) ||
          std::find(v.tied_contestants.begin(), v.tied_contestants.end(), k) != v.tied_contestants.end())
        continue;
      v.tied_contestants.push_back(k);
    }
  const auto is_among_them = [&](format_kind format) {
    return std::any_of(tied.begin(), tied.end(), [&](const way& w) { return w.variant().format == format; });
  };
  for (const way& w : formats)
    if (!is_among_them(w.variant().format) && w.seconds > v.winner.seconds) {
      v.runner_up = w;
      v.margin = margin_between(w, v.winner);
      break;
    }
  v.any_of_these = !found.predicted && !v.unsettled && v.winner.stays_in_csr() &&
                   std::any_of(tied.begin(), tied.end(), [](const way& w) { return !w.stays_in_csr(); }) &&
                   std::all_of(formats.begin(), formats.end(), [&](const way& w) {
                     return std::find(tied.begin(), tied.end(), w) != tied.end();
                   });
  v.vendor = vendor_of(found, wanted);
  if (wanted.asks_for_both() && !found.symmetric) v.two_copies = two_copies_of(found, wanted, ours);

  objective other = wanted;
  other.warm = !wanted.warm;
  v.other_regime = least(ways_of(found, other));
  objective plain = wanted;
  plain.products = 0;
  // The kernels of the verdict for one product alone, or for all of it.
  const auto with_kernels_of = [&](const way& taken, const objective& asked) {
    way w;
    w.stored = taken.stored;
    for (const operation op : all_operations)
      if (asked.asks_for(op)) w.contestants[static_cast<std::size_t>(op)] = taken.contestant(op);
    add_up(found, asked, w);
    return w;
  };
  const auto repaid = [&](const objective& asked) {
    if (v.winner.stays_in_csr()) return 0.0;
    const way taken = with_kernels_of(v.winner, asked);
    if (!v.stay) return taken.price == 0 ? 0.0 : -1.0;
    return repaid_after(taken, with_kernels_of(v.stay, asked));
  };
  v.repaid_after =
      v.stay && !v.winner.stays_in_csr() ? repaid_beside(v.winner, v.stay, wanted) : repaid(plain);
  for (const operation op : plain_operations) {
    const objective alone = only(plain, op);
    const std::vector<way> single = ways_of(found, alone);
    if (single.empty()) continue;
    v.alone[static_cast<std::size_t>(op)] = single.front();
    if (wanted.asks_for(op) && !wanted.one_pass)
      v.repaid_after_alone[static_cast<std::size_t>(op)] = repaid(alone);
  }
  v.reasons = causes_of(found, v);
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
  for (const operation op : plain_operations)
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
  for (const operation op : plain_operations)
    if (const contestant_result* const k = w.contestant(op); k != nullptr)
      seconds += w.variant_of(op).base_of(k->op).deciding(warm).median;
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
