#include "analyze/recommend/race.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sparsmith {
namespace {

template <class T, class Item>
bool contains(const std::vector<T>& all, const Item& one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

// Converts up to four times, while that is short.
template <class Backend, class Offset, class Value>
any_format<Offset, Value, space_on<Backend>> timed_conversion(
    Backend on, const csr<Offset, Value, view_on<Backend>>& matrix, const format_variant& variant,
    format_result& result) {
  any_format<Offset, Value, space_on<Backend>> converted;
  std::vector<double> seconds;
  for (const double begin = seconds_now();
       seconds.empty() || (seconds.size() < 4 && seconds_now() - begin < 1);) {
    converted = {};  // never two at once
    synchronize(on);
    const double start = seconds_now();
    converted = from_csr<Backend, Offset, Value>(on, matrix, variant.format, variant.conversion, nullptr);
    synchronize(on);
    seconds.push_back(seconds_now() - start);
  }
  // What is given is CSR; its copy is no conversion.
  result.convert_seconds = variant.format == format_kind::csr ? 0 : settled_seconds(std::move(seconds));
  result.offset_bits = int{sizeof(Offset)} * 8;
  return converted;
}

template <class Backend, class Offset, class Value>
void race_variant(Backend on, const csr<Offset, Value, view_on<Backend>>& matrix,
                  const format_variant& variant, const std::vector<operation>& operations,
                  kernel_contest<Backend, Value>& contest, format_result& result) {
  const auto converted = timed_conversion<Backend, Offset, Value>(on, matrix, variant, result);
  std::visit(
      [&](const auto& m) {
        result.bytes = bytes(m);
        result.parameters = parameters_of(m);
        auto all = candidates_of(capturable(on), view(m));
        std::erase_if(all, [&](const candidate<Value>& c) {
          return !variant.kernels.empty() && !contains(variant.kernels, c.info.name);
        });
        contest.run(all, operations, result);
      },
      converted);
}

template <class Space, class Offset, class Value>
csr<std::int64_t, Value, Space> widened(const csr<Offset, Value, view_of<Space>>& m) {
  const array<Offset, host> narrow = copy_to<host>(m.row_offsets, Space::where);
  array<std::int64_t, host> wide(narrow.size());
  std::copy(narrow.begin(), narrow.end(), wide.begin());
  return {m.rows, m.cols, copy_to<Space>(wide, place::host), copy_to<Space>(m.col_indices, Space::where),
          copy_to<Space>(m.values, Space::where)};
}

}  // namespace

std::vector<format_variant> variants_of(format_kind format, const conversion_options& conversion) {
  std::vector<format_variant> all;
  const auto add = [&](const char* note) -> conversion_options& {
    return all.emplace_back(format_variant{.format = format, .note = note, .conversion = conversion})
        .conversion;
  };
  if (format == format_kind::ecsb) {
    add("coo").blocks.holding = ecsb_holding::coo;
    add("ell").blocks.holding = ecsb_holding::ell;
    add("hybrid").blocks.holding = ecsb_holding::hybrid;
  } else {
    add("");
    if (format == format_kind::sell) add("unsorted").sell.sigma = 1;  // the only one the vendor takes
  }
  return all;
}

double settled_seconds(std::vector<double> seconds) {
  if (seconds.size() > 1) seconds.erase(seconds.begin());
  return summarize_samples(std::move(seconds)).median;
}

template <class Backend, class Offset, class Value>
matrix_result race(Backend on, csr<Offset, Value, view_on<Backend>> matrix, const race_request& request,
                   const progress_text& progress) {
  matrix_result result;
  result.rows = matrix.rows;
  result.cols = matrix.cols;
  result.entries = matrix.values.size();
  result.value_bits = int{sizeof(Value)} * 8;
  result.offset_bits = int{sizeof(Offset)} * 8;
  const csr<Offset, Value, host> on_host = copy_to<host>(matrix);
  kernel_contest<Backend, Value> contest(
      on, matrix.rows, matrix.cols,
      [&](operation op, const array<Value, host>& x, std::int32_t neighbours) {
        return multiply_reference<Offset, Value>(on_host, op, Value{1}, x.data(), Value{0}, nullptr,
                                                 neighbours);
      },
      request.sampling, progress);
  const auto csr_candidates = candidates_of(capturable(on), matrix);
  for (const operation op : request.operations)
    result.base_names[static_cast<std::size_t>(op)] = contest.choose_baseline(csr_candidates, op);

  for (const format_variant& variant : request.variants) {
    format_result& line = result.formats.emplace_back();
    line.format = variant.format;
    line.note = variant.note;
    if (progress) progress(fmt::format("converting to {}", line.label()));
    std::vector<operation> operations;
    for (const operation op : request.operations)
      if (contains(variant.operations, op)) operations.push_back(op);
    const auto attempt = [&]<class O>(const csr<O, Value, view_on<Backend>>& m) {
      try {
        race_variant<Backend, O, Value>(on, m, variant, operations, contest, line);
        line.refused.clear();
        return true;
      } catch (const error& problem) {
        if (problem.category() != failure::resources) throw;
        line.refused = problem.what();
        line.kernels.clear();
        return false;
      }
    };
    // Positions of blocks, or slots with padding, may need 64 bits where the entries do not.
    if (!attempt(matrix) && sizeof(Offset) == 4) {
      try {
        attempt(view(widened(matrix)));
      } catch (const error& problem) {
        if (problem.category() != failure::resources) throw;
      }
    }
  }
  return result;
}

template matrix_result race<openmp, std::int32_t, float>(openmp, csr<std::int32_t, float, view_on<openmp>>,
                                                         const race_request&, const progress_text&);
template matrix_result race<openmp, std::int32_t, double>(openmp, csr<std::int32_t, double, view_on<openmp>>,
                                                          const race_request&, const progress_text&);
template matrix_result race<openmp, std::int64_t, float>(openmp, csr<std::int64_t, float, view_on<openmp>>,
                                                         const race_request&, const progress_text&);
template matrix_result race<openmp, std::int64_t, double>(openmp, csr<std::int64_t, double, view_on<openmp>>,
                                                          const race_request&, const progress_text&);
#if SPARSMITH_HAS_CUDA
template matrix_result race<cuda, std::int32_t, float>(cuda, csr<std::int32_t, float, view_on<cuda>>,
                                                       const race_request&, const progress_text&);
template matrix_result race<cuda, std::int32_t, double>(cuda, csr<std::int32_t, double, view_on<cuda>>,
                                                        const race_request&, const progress_text&);
template matrix_result race<cuda, std::int64_t, float>(cuda, csr<std::int64_t, float, view_on<cuda>>,
                                                       const race_request&, const progress_text&);
template matrix_result race<cuda, std::int64_t, double>(cuda, csr<std::int64_t, double, view_on<cuda>>,
                                                        const race_request&, const progress_text&);
#endif

}  // namespace sparsmith
