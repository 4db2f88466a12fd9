#include "analyze/recommend/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace sparsmith {

std::string choice::names() const {
  std::string text = kernels.front()->info.name;
  if (kernels.size() > 1 && text != kernels.back()->info.name)
    text += std::string(" + ") + kernels.back()->info.name;
  const std::string note = whole_note(format->note, format->of_transpose);
  return note.empty() ? text : text + " (" + note + ")";
}

namespace {

bool every_format(const variant_result&) {
  return true;
}
// CSC is a copy of A^T, as CSR.
bool is_copy_of_a(const variant_result& f) {
  return !f.of_transpose && f.format != format_kind::csc;
}

// The best of ours in those formats.
template <class Admitted>
choice best_where(const matrix_result& m, const std::vector<operation>& operations, Admitted admitted) {
  choice best;
  for (const variant_result& f : m.variants) {
    if (!admitted(f)) continue;
    const choice here = best_in(f, operations);
    if (here.format != nullptr && (best.format == nullptr || here.seconds < best.seconds)) best = here;
  }
  return best;
}

}  // namespace

choice best_in(const variant_result& f, const std::vector<operation>& operations) {
  choice here{&f, {}, 0, 0, f.convert_seconds};
  for (const operation op : operations) {
    const contestant_result* fastest = nullptr;
    for (const contestant_result& k : f.contestants)
      if (k.op == op && k.timed() && !k.info.vendor &&
          (fastest == nullptr || k.time.headline() < fastest->time.headline()))
        fastest = &k;
    if (fastest == nullptr) return {};
    here.kernels.push_back(fastest);
    here.seconds += fastest->time.headline();
    here.base_seconds += f.base_of(op).headline();
    here.price += fastest->prepare_seconds;
  }
  return here;
}

choice best_of(const matrix_result& m, const std::vector<operation>& operations) {
  return best_where(m, operations, every_format);
}

bool is_base(const matrix_result& m, const choice& c) {
  return c.format != nullptr && !c.format->of_transpose &&
         std::all_of(c.kernels.begin(), c.kernels.end(),
                     [&](const contestant_result* k) { return m.base_name(k->op) == k->info.name; });
}

// ---- what a user should take ----

namespace {

// Fewer concepts for whoever has to read or write the arrays.
int complexity(format_kind format) {
  constexpr format_kind simplest_first[] = {format_kind::csr,  format_kind::coo,      format_kind::csc,
                                            format_kind::ell,  format_kind::sell,     format_kind::hyb,
                                            format_kind::bsr,  format_kind::csb,      format_kind::gcsb,
                                            format_kind::ecsb, format_kind::gcsb_tile};
  return static_cast<int>(std::find(std::begin(simplest_first), std::end(simplest_first), format) -
                          std::begin(simplest_first));
}

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

// From the format, of those that are admitted, in which the vendor's kernels are fastest.
template <class Admitted>
way vendors_fastest(const matrix_result& found, const objective& wanted, Admitted admitted) {
  way fastest;
  for (const variant_result& f : found.variants) {
    if (!admitted(f)) continue;
    const std::vector<way> here = ways_in(found, f, wanted, vendors);
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
    const way one = vendors_fastest(found, alone, every_format);
    if (!one) return {};
    pair.stored.push_back(one.stored.front());
    pair.contestants[static_cast<std::size_t>(op)] = one.contestant(op);
  }
  if (pair.stored[0] == pair.stored[1]) pair.stored.pop_back();
  add_up(found, wanted, pair);
  return wanted.memory == 0 || pair.bytes <= wanted.memory ? pair : way{};
}

// ---- why ----

std::string times(double ratio) {
  return fmt::format("{:.{}f} x", ratio, ratio < 10 ? 2 : ratio < 100 ? 1 : 0);
}

double work_of(const way& w, const objective& wanted, double kernel_work::*member) {
  double sum = 0;
  for (const contestant_result* k : w.contestants)
    if (k != nullptr) sum += wanted.weight(k->op) * (k->work.*member);
  return sum;
}

std::string rounded(double count) {
  return count >= 1e6   ? fmt::format("{:.1f} M", count / 1e6)
         : count >= 1e4 ? fmt::format("{:.0f} k", count / 1e3)
                        : fmt::format("{:.{}f}", count, count == std::floor(count) ? 0 : 1);
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
    reasons.push_back(fmt::format("a product moves {} the bytes of {}: {:.4g} MB", times(bytes / others),
                                  name, bytes / 1e6));
    const auto compare = [&](double kernel_work::*member, double worth_saying, const char* what) {
      const double mine = work_of(won, v.wanted, member), theirs = work_of(lost, v.wanted, member);
      if (std::max(mine, theirs) >= worth_saying && std::max(mine, theirs) > 1.5 * std::min(mine, theirs))
        reasons.push_back(fmt::format("{} {} where {} has {}", rounded(mine), what, name, rounded(theirs)));
    };
    const auto entries = static_cast<double>(found.entries);
    compare(&kernel_work::atomics, std::max(1.0, entries / 100), "atomic additions a product");
    compare(&kernel_work::longest, 128, "entries one after another at most");
    compare(&kernel_work::launches, 2, "launches a product");
  }
  if (const variant_result& f = won.variant(); f.slots > 0 && found.entries > 0) {
    const double fill = static_cast<double>(f.slots) / static_cast<double>(found.entries);
    reasons.push_back(fill > 1.0005
                          ? fmt::format("{:.1f} % of what it stores is padding", 100 * (1 - 1 / fill))
                          : std::string("it stores no padding"));
  }
  if (context.row_mean > 0)
    reasons.push_back(fmt::format(
        "rows have {:.3g} entries, the longest {}, {}", context.row_mean, context.row_longest,
        context.row_variation < 0.3 ? fmt::format("and are even (variation {:.2f})", context.row_variation)
        : context.row_variation < 1
            ? fmt::format("and vary (variation {:.2f})", context.row_variation)
            : fmt::format("and are skewed (variation {:.2f})", context.row_variation)));
  if (context.copy_bytes > 0 && bytes > 0 && won.seconds > 0 && !found.predicted) {
    const double time = work_of(won, v.wanted, &kernel_work::bytes) / context.copy_bytes;
    double measured = 0;
    for (const contestant_result* k : won.contestants)
      if (k != nullptr) measured += v.wanted.weight(k->op) * time_of(found, *k, v.wanted.warm).median;
    reasons.push_back(fmt::format("it runs at {:.0f} % of the bandwidth of a copy", 100 * time / measured));
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
    v.product[static_cast<std::size_t>(op)] = vendors_fastest(found, only(wanted, op), every_format);
  v.transposed_from_a = vendors_fastest(found, only(wanted, operation::transposed), is_copy_of_a);
  v.csr = vendors_fastest(
      found, wanted, [](const variant_result& f) { return !f.of_transpose && f.format == format_kind::csr; });
  // Where only A^T x is wanted, one copy may as well be one of A^T.
  v.one_copy = vendors_fastest(found, wanted, [&](const variant_result& f) {
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
    const int left = complexity(a.variant().format), right = complexity(b.variant().format);
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

const std::vector<operation> pair_of_operations(both_operations.begin(), both_operations.end());

// Of ours in those formats.
template <class Admitted>
vendor_ratios over_vendor_where(const matrix_result& m, Admitted admitted) {
  const vendor_ways vendor = vendor_of(m, {});
  const choice ax = best_where(m, {operation::multiply}, admitted),
               atx = best_where(m, {operation::transposed}, admitted),
               atx_from_a =
                   best_where(m, {operation::transposed},
                              [&](const variant_result&f) { return admitted(f) && is_copy_of_a(f); }),
               pair = best_where(m, pair_of_operations, admitted);
  const auto over = [](const choice& ours, const way& theirs) {
    return ours.format != nullptr && theirs ? headline_of(theirs) / ours.seconds : 0;
  };
  return {
      over(ax, vendor.product[0]), over(atx, vendor.product[1]), over(atx_from_a, vendor.transposed_from_a),
      over(pair, vendor.csr),      over(pair, vendor.one_copy),  over(pair, vendor.two_copies)};
}

}  // namespace

double headline_of(const way& w) {
  double seconds = 0;
  for (const contestant_result* k : w.contestants)
    if (k != nullptr) seconds += k->time.headline();
  return seconds;
}

vendor_ratios over_vendor(const matrix_result& m) {
  return over_vendor_where(m, every_format);
}

vendor_ratios over_vendor(const matrix_result& m, const variant_result& f) {
  return over_vendor_where(m, [&](const variant_result& other) { return &other == &f; });
}

std::map<format_kind, double> over_vendor_in_format(const matrix_result& m) {
  std::map<format_kind, double> ours, ratios;
  for (const variant_result& f : m.variants)
    if (const choice best = best_in(f, {operation::multiply}); best.format != nullptr && !f.of_transpose) {
      double& seconds = ours.emplace(f.format, best.seconds).first->second;
      seconds = std::min(seconds, best.seconds);
    }
  for (const auto& [format, seconds] : ours) {
    const way theirs = vendors_fastest(m, only({}, operation::multiply), [&](const variant_result& f) {
      return f.format == format && !f.of_transpose;
    });
    if (theirs) ratios[format] = headline_of(theirs) / seconds;
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

void add_ratios(const matrix_result& m, format_ratios& all) {
  if (m.entries == 0) return;  // nothing that could be fast or slow
  for (const variant_result& f : m.variants) {
    const choice choices[] = {best_in(f, {operation::multiply}), best_in(f, {operation::transposed}),
                              best_in(f, pair_of_operations)};
    for (std::size_t i = 0; i < 3; ++i)
      if (choices[i].format != nullptr) all[f.label()][i].add(choices[i].ratio());
  }
}

void add_ratios(const matrix_result& m, overall_vendor& all) {
  if (m.entries == 0) return;
  const vendor_ratios ratios = over_vendor(m);
  for (std::size_t i = 0; i < vendor_comparisons.size(); ++i)
    if (const double ratio = ratios.*vendor_comparisons[i].ratio; ratio > 0) all.best[i].add(ratio);
  for (const auto& [format, ratio] : over_vendor_in_format(m)) all.in_format[format].add(ratio);
}

}  // namespace sparsmith
