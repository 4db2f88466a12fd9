// Who takes part in a race: formats with the parameters worth trying, each with its price, and with the
// reason where it does not take part. Parameters are steps away from a format's first choice, and a step is
// only tried where the one before it turns out to be near the front.
#pragma once

#include <map>
#include <optional>

#include "analyze/recommend/race.hpp"
#include "analyze/structure/features.hpp"

namespace sparsmith {

struct field_request {
  std::vector<format_kind> formats = {};  // empty: all
  std::vector<std::string> kernels = {};  // by name; empty: all
  std::vector<operation> operations = {plain_operations.begin(), plain_operations.end()};
  std::int64_t memory = 0;   // that a format may take; 0: any
  std::string backend = {};  // whose kernels run
  // Formats that take part with these options alone, instead of those worth trying.
  std::map<format_kind, conversion_options> forced = {};
  std::optional<double> max_fill = {};  // slots per entry of a padded format, at most; by default as usual
  bool our_copies = false;              // copies of A^T for our kernels, beside those for the vendor's
  bool symmetric = false;               // A equals A^T: a copy of A^T is one of A
  // Of complex values, which the matrix then holds numbers of: prices are those of so many bytes each.
  std::optional<std::int64_t> complex_bytes = {};
  // Kernels of history take part without being named. Otherwise they do so only where a format was asked for,
  // by `formats` or `forced`, and no other kernel takes it.
  bool history = false;
};

struct priced_variant {
  format_variant variant;
  format_cost cost;           // makes it
  int after = -1;             // the entry that must be near the front for this one to be worth trying
  std::string left_out = {};  // why it does not take part; empty where it does
};

// Entries come after those they depend on. The matrix is a view of CSR, or hypersparse. Instantiated for both
// backends and all combinations of types.
template <class Backend, class Matrix>
std::vector<priced_variant> field_of(Backend on, const Matrix& matrix, const matrix_features& features,
                                     const field_request& request);

}  // namespace sparsmith
