// The survey of a matrix, instantiated for one backend.
#include "convert/pipelines/diagonal_counts.hpp"
#include "convert/pipelines/row_lengths.hpp"
#include "convert/pipelines/survey.hpp"

namespace sparsmith {

#define SPARSMITH_INSTANTIATE_SURVEY(O)                                                                      \
  template survey_taker survey_entries(backend, csr<O, float, view_on<backend>>, std::int32_t, std::int32_t, \
                                       stage_log*,                                                           \
                                       const std::function<void(const std::vector<size_count>&)>&);          \
  template survey_taker survey_entries(backend, csr<O, double, view_on<backend>>, std::int32_t,              \
                                       std::int32_t, stage_log*,                                             \
                                       const std::function<void(const std::vector<size_count>&)>&);          \
  template diagonal_counts count_diagonals(backend, csr_pattern<O, space_on<backend>>, std::int64_t);        \
  template std::int64_t count_zeros_on_diagonals(backend, csr<O, float, view_on<backend>>, std::int64_t);    \
  template std::int64_t count_zeros_on_diagonals(backend, csr<O, double, view_on<backend>>, std::int64_t);   \
  template std::vector<std::vector<size_count>> count_group_lengths(                                         \
      backend, csr_pattern<O, space_on<backend>>, const std::vector<std::int32_t>&);                         \
  template std::int64_t count_sell_slots(backend, csr_pattern<O, space_on<backend>>, sell_shape);            \
  template array<long_row, host> find_long_rows(backend, csr_pattern<O, space_on<backend>>, std::int64_t,    \
                                                std::int64_t);

SPARSMITH_INSTANTIATE_SURVEY(std::int32_t)
SPARSMITH_INSTANTIATE_SURVEY(std::int64_t)

#undef SPARSMITH_INSTANTIATE_SURVEY

}  // namespace sparsmith
