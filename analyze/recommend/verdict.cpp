#include "analyze/recommend/verdict.hpp"

#include <algorithm>
#include <cmath>

namespace sparsmith {

std::string choice::names() const {
  std::string text = kernels.front()->info.name;
  if (kernels.size() > 1 && text != kernels.back()->info.name)
    text += std::string(" + ") + kernels.back()->info.name;
  return format->note.empty() ? text : text + " (" + format->note + ")";
}

choice best_in(const format_result& f, const std::vector<operation>& operations) {
  choice here{&f, {}, 0, 0, f.convert_seconds};
  for (const operation op : operations) {
    const kernel_result* fastest = nullptr;
    for (const kernel_result& k : f.kernels)
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
  choice best;
  for (const format_result& f : m.formats)
    if (const choice here = best_in(f, operations);
        here.format != nullptr && (best.format == nullptr || here.seconds < best.seconds))
      best = here;
  return best;
}

choice two_copies(const matrix_result& m) {
  choice best;
  for (const format_result& f : m.formats) {
    const double ax = f.base_of(operation::multiply).headline();
    if (f.format != format_kind::csc || ax == 0) continue;
    for (const kernel_result& k : f.kernels)
      if (k.op == operation::transposed && k.info.vendor && k.timed() &&
          (best.format == nullptr || k.time.headline() < best.kernels[0]->time.headline()))
        best = {&f,
                {&k},
                ax + k.time.headline(),
                ax + f.base_of(operation::transposed).headline(),
                f.convert_seconds + k.prepare_seconds};
  }
  return best;
}

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
  for (const format_result& f : m.formats) {
    const choice choices[] = {best_in(f, {operation::multiply}), best_in(f, {operation::transposed}),
                              best_in(f, {both_operations.begin(), both_operations.end()})};
    for (std::size_t i = 0; i < 3; ++i)
      if (choices[i].format != nullptr) all[f.label()][i].add(choices[i].ratio());
  }
}

}  // namespace sparsmith
